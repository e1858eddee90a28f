/* What a floating-point instruction gives, and the flags of IEEE 754 that it raises, by MPFR and by definition. Nothing of it is shared
 * with the model or the hardware. One thread. */
#ifndef GALENA_TESTBENCH_RTL_FPU_ORACLE_H
#define GALENA_TESTBENCH_RTL_FPU_ORACLE_H
#include "model/cu/decode.h"
#include "testbench/oracle/exact.h"

enum { FLAG_NX = 1, FLAG_UF = 2, FLAG_OF = 4, FLAG_DZ = 8, FLAG_NV = 16 };
/* FPU_NONE: of another unit. */
enum fpu_kind { FPU_NONE, FPU_ARITHMETIC, FPU_SIGN, FPU_EXTREME, FPU_COMPARE, FPU_CLASS, FPU_TO_INT, FPU_FROM_INT, FPU_CONVERT, FPU_MOVE_X, FPU_MOVE_F };

struct fpu_row {
	enum fpu_kind kind;
	enum exact_format format, from; /* from: of a conversion between formats */
	enum exact_op op;
	unsigned operands;              /* of arithmetic: 1 to 3 */
	unsigned function;              /* of signs, extremes and comparisons, as funct3 */
	unsigned width;                 /* of an integer */
	bool is_signed, negate, subtract;
};

extern const struct fpu_row fpu_rows[OP_COUNT];

struct fpu_format { int precision, emin, emax, exponent_bits; }; /* emin, emax as MPFR has them: of the lowest subnormal, of the greatest number */
extern const struct fpu_format fpu_formats[];

struct fpu_outcome { uint64_t value; unsigned flags; };

/* Operands and value as registers hold them; rm 0 to 4. */
struct fpu_outcome fpu_oracle(unsigned op, unsigned rm, uint64_t a, uint64_t b, uint64_t c);

#endif
