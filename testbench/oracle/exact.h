/* Floating-point results by MPFR: an exact or nearly exact value first, then one rounding by the
 * definition of the format. Nothing of it is shared with the model. Values are bit patterns in the
 * low bits; modes are numbered as in instructions (0 nearest even, 1 to zero, 2 down, 3 up, 4
 * nearest, ties away). NaN results are canonical. One thread. */
#ifndef GALENA_TESTBENCH_ORACLE_EXACT_H
#define GALENA_TESTBENCH_ORACLE_EXACT_H
#include <stdbool.h>
#include <stdint.h>

enum exact_format { EXACT_HALF, EXACT_SINGLE, EXACT_DOUBLE };
enum exact_op { EXACT_ADD, EXACT_SUB, EXACT_MUL, EXACT_DIV, EXACT_SQRT, EXACT_FMA };

/* a op b; sqrt of a; a * b + c. */
uint64_t exact_arithmetic(enum exact_op, enum exact_format, unsigned mode, uint64_t a, uint64_t b, uint64_t c);
/* The same by MPFR's own rounding and mpfr_subnormalize: modes 0 to 3, single and double. */
uint64_t exact_subnormalized(enum exact_op, enum exact_format, unsigned mode, uint64_t a, uint64_t b, uint64_t c);
uint64_t exact_convert(enum exact_format from, enum exact_format to, unsigned mode, uint64_t a);
uint64_t exact_from_int(enum exact_format, unsigned mode, uint64_t value, bool is_signed);
/* Saturated to width (32 or 64) bits; 32-bit results are sign-extended, as registers hold them. */
uint64_t exact_to_int(enum exact_format, unsigned mode, uint64_t a, unsigned width, bool is_signed);
/* The value as a double, exactly. */
double exact_value(enum exact_format, uint64_t a);

#endif
