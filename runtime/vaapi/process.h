/* Video processing: rectangles of surfaces and images scaled, converted and blended by the media unit. */
#ifndef GALENA_RUNTIME_VAAPI_PROCESS_H
#define GALENA_RUNTIME_VAAPI_PROCESS_H
#include "runtime/vaapi/colour.h"
#include "runtime/vaapi/filter.h"
#include "runtime/vaapi/job.h"

/* A rectangle of a surface or an image; of a destination it may reach beyond it, by any amount. */
struct side {
	const struct layout *layout;
	struct memory *memory;
	int32_t x, y;
	uint32_t width, height;
	struct colour colour;
	bool halved; /* samples, but alpha, are half of what they mean, and half of the range more */
};
struct blending {
	bool global, source_alpha;
	uint8_t alpha;
};
/* Puts a rectangle into another: by the copy engines where that is a copy, else by the media unit. */
void process_convert(struct job *, const struct side *src, const struct side *dst);
/* The same; with blending, by the media unit always. */
void process_scale(struct job *, const struct side *src, const struct side *dst, enum kernel, const struct blending *);
/* Puts a colour behind a rectangle that leaves something of a destination out: bytes of alpha, red, green and blue from the highest on. */
void process_background(struct job *, const struct side *dst, uint32_t argb);

#endif
