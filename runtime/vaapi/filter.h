/* Tables of the media unit's filters, which a display makes and keeps. */
#ifndef GALENA_RUNTIME_VAAPI_FILTER_H
#define GALENA_RUNTIME_VAAPI_FILTER_H
#include "runtime/vaapi/objects.h"

enum kernel { KERNEL_NEAREST, KERNEL_BILINEAR, KERNEL_BICUBIC };
/* Along one direction. Positions are in pixels, of which a sample of a component with a shift is the mean of 2^shift. */
struct filter_key {
	enum kernel kernel;
	uint32_t src_size, dst_size;   /* of the two rectangles */
	int32_t src_first, dst_first;  /* pixels from the beginning of the rectangle to where the media unit begins: negative before it */
	uint32_t src_shift, dst_shift; /* of the component */
	uint32_t src_site, dst_site;   /* where in its pixels a sample is, in halves of a pixel */
	uint32_t count;                /* samples of the destination */
};
/* How many times a kernel can make a picture smaller at once. */
unsigned kernel_most(enum kernel);
/* The job uses it from now on. */
VAStatus filter_get(struct display *, const struct filter_key *, struct media_filter *out, struct filter **);
void filter_put(struct display *, struct filter *);
void filters_drop(struct display *);

#endif
