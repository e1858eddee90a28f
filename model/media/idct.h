/* The inverse DCT of the media unit. */
#ifndef GALENA_MODEL_MEDIA_IDCT_H
#define GALENA_MODEL_MEDIA_IDCT_H
#include <stdint.h>

/* Dequantised coefficients of a block, row by row, to samples; pitch is in bytes. */
void idct(const int16_t coefficients[64], uint8_t *out, uint32_t pitch);

#endif
