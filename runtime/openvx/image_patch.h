/* How the application reaches the pixels of images. */
#ifndef GALENA_RUNTIME_OPENVX_IMAGE_PATCH_H
#define GALENA_RUNTIME_OPENVX_IMAGE_PATCH_H
#include "runtime/openvx/image.h"

/* Sets every pixel of a plane, on the device. The image is allocated. */
vx_status plane_fill(vx_image, unsigned plane, const vx_pixel_value_t *);
vx_status image_rehearse_fill(vx_image); /* asks for the programs that filling it needs */
void image_unmap_all(vx_image);         /* at its end */
void image_give_back(vx_image);         /* memory of the host's holds what the device has written; waits */
void image_follow_parent(vx_image);     /* a part is where its parent is now */
#endif
