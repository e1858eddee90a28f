/* Baseline JPEG: the scan of a picture, decoded into a surface. */
#ifndef GALENA_MODEL_MEDIA_JPEG_H
#define GALENA_MODEL_MEDIA_JPEG_H
#include "model/media/port.h"

struct jpeg;
/* NULL when memory is short. */
struct jpeg *jpeg_create(void);
void jpeg_destroy(struct jpeg *);
/* As of struct process. */
void jpeg_begin(struct jpeg *, const struct packet_jpeg *);
bool jpeg_step(struct jpeg *, struct port *, uint64_t now, uint64_t *next);

#endif
