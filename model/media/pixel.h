/* Samples of media jobs, a row at a time: between memory and the unit's numbers, and what is done with them one by one. Numbers are 16
 * bits less 32768, as in filter.h. */
#ifndef GALENA_MODEL_MEDIA_PIXEL_H
#define GALENA_MODEL_MEDIA_PIXEL_H
#include "abi/media.h"
#include <stdbool.h>
#include <stdint.h>

/* n samples of 8 or 10 bits, step bytes apart. */
void pixel_unpack(const uint8_t *bytes, uint32_t step, unsigned bits, uint32_t n, int16_t *out);
void pixel_pack(const int16_t *in, uint32_t step, unsigned bits, uint32_t n, uint8_t *bytes);
void pixel_fill(int16_t *out, uint32_t n, int16_t value);

/* A colour matrix, and what makes it fast. */
struct matrix {
	int32_t weight[3][4];
	int64_t constant[3]; /* with the rounding, and what the numbers are less */
	bool narrow[3];      /* sums fit 32 bits */
};
void matrix_make(struct matrix *, const int32_t weight[3][4]);
/* Component i of the result; in[c] NULL: component c is 0. */
void matrix_row(const struct matrix *, unsigned i, const int16_t *const in[3], uint32_t n, int16_t *out);

/* How much of 255 covers what the destination holds; source NULL: alpha of all samples. */
void pixel_opacity(const int16_t *source, uint32_t alpha, uint32_t n, uint8_t *out);
/* Blends over what is below. */
void pixel_blend(int16_t *over, const int16_t *below, const uint8_t *opacity, uint32_t n);

#endif
