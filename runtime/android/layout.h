/* Where the pixels of a hardware buffer are, for who imports it. */
#ifndef GALENA_RUNTIME_ANDROID_LAYOUT_H
#define GALENA_RUNTIME_ANDROID_LAYOUT_H
#include "include/android/hardware_buffer.h"

enum { PLANES_MAX = 2 };
struct hardware_layout {
	unsigned planes, layers;
	struct { uint64_t offset, size; uint32_t row, pixel; } plane[PLANES_MAX]; /* bytes, in a layer */
	uint64_t layer; /* bytes from layer to layer */
	uint64_t size;  /* of all */
};

/* The descriptor of the buffer's memory, which stays the buffer's, and its layout; takes a reference. buffer may be anything: -EINVAL for
 * what is none. */
GALENA_API int galena_hardware_buffer_use(AHardwareBuffer *buffer, int *fd, struct hardware_layout *);

#endif
