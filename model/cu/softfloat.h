/* IEEE 754 arithmetic in integers, with RISC-V's results: every rounding mode, subnormals exact,
 * every NaN result the canonical one. The lanes' fast paths use the host's floating point, which
 * rounds to nearest even; what is rarer comes here, and so do tests that want a second opinion.
 * Values are bit patterns in the low bits; rm is one of RM_RNE to RM_RMM of decode.h. */
#ifndef GALENA_MODEL_SOFTFLOAT_H
#define GALENA_MODEL_SOFTFLOAT_H
#include <stdbool.h>
#include <stdint.h>

enum sf_format { SF_HALF, SF_SINGLE, SF_DOUBLE };

uint64_t sf_add(enum sf_format, uint64_t a, uint64_t b, unsigned rm);
uint64_t sf_mul(enum sf_format, uint64_t a, uint64_t b, unsigned rm);
/* a * b + c, rounded once. */
uint64_t sf_fma(enum sf_format, uint64_t a, uint64_t b, uint64_t c, unsigned rm);
uint64_t sf_div(enum sf_format, uint64_t a, uint64_t b, unsigned rm);
uint64_t sf_sqrt(enum sf_format, uint64_t a, unsigned rm);
uint64_t sf_convert(enum sf_format from, enum sf_format to, uint64_t a, unsigned rm);
/* Saturates at the limits of width (32 or 64) bits; a NaN gives the largest integer. */
uint64_t sf_to_int(enum sf_format, uint64_t a, unsigned width, bool is_signed, unsigned rm);
uint64_t sf_from_int(enum sf_format, uint64_t value, bool is_signed, unsigned rm);
/* The value with its sign bit flipped. */
uint64_t sf_neg(enum sf_format, uint64_t a);
/* RISC-V's fclass: one bit of ten. */
uint64_t sf_class(enum sf_format, uint64_t a);

#endif
