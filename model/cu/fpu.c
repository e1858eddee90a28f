/* Floating-point instructions one lane at a time through softfloat: the rounding modes that the
 * fast paths do not have. */
#include "model/cu/softfloat.h"
#include "model/cu/fpu.h"

static uint64_t unbox16(uint64_t v) { return v >> 16 == 0xffffffffffff ? (uint16_t)v : 0x7e00; }

/* Arithmetic with operands of one format. */
static bool soft_arithmetic(unsigned op, unsigned rm, enum sf_format f, uint64_t a, uint64_t b, uint64_t c, uint64_t *r)
{
#define BOTH(name, value) case OP_##name##_s: case OP_##name##_d: *r = (value); return true;
	switch (op) {
	BOTH(fadd, sf_add(f, a, b, rm))
	BOTH(fsub, sf_add(f, a, sf_neg(f, b), rm))
	BOTH(fmul, sf_mul(f, a, b, rm))
	BOTH(fdiv, sf_div(f, a, b, rm))
	BOTH(fsqrt, sf_sqrt(f, a, rm))
	BOTH(fmadd, sf_fma(f, a, b, c, rm))
	BOTH(fmsub, sf_fma(f, a, b, sf_neg(f, c), rm))
	BOTH(fnmsub, sf_fma(f, sf_neg(f, a), b, c, rm))
	BOTH(fnmadd, sf_fma(f, sf_neg(f, a), b, sf_neg(f, c), rm))
	}
#undef BOTH
	return false;
}

uint64_t fpu_execute(unsigned op, unsigned rm, uint64_t a, uint64_t b, uint64_t c)
{
	bool single = !(isa_rows[op].match >> 25 & 3);
	uint64_t r;
	if (single && soft_arithmetic(op, rm, SF_SINGLE, unbox32(a), unbox32(b), unbox32(c), &r))
		return r | BOX;
	if (!single && soft_arithmetic(op, rm, SF_DOUBLE, a, b, c, &r))
		return r;
#define CONVERSION(name, value) case OP_##name: return (value);
	switch (op) {
	CONVERSION(fcvt_w_s, sf_to_int(SF_SINGLE, unbox32(a), 32, true, rm))
	CONVERSION(fcvt_wu_s, sext32(sf_to_int(SF_SINGLE, unbox32(a), 32, false, rm)))
	CONVERSION(fcvt_l_s, sf_to_int(SF_SINGLE, unbox32(a), 64, true, rm))
	CONVERSION(fcvt_lu_s, sf_to_int(SF_SINGLE, unbox32(a), 64, false, rm))
	CONVERSION(fcvt_w_d, sf_to_int(SF_DOUBLE, a, 32, true, rm))
	CONVERSION(fcvt_wu_d, sext32(sf_to_int(SF_DOUBLE, a, 32, false, rm)))
	CONVERSION(fcvt_l_d, sf_to_int(SF_DOUBLE, a, 64, true, rm))
	CONVERSION(fcvt_lu_d, sf_to_int(SF_DOUBLE, a, 64, false, rm))
	CONVERSION(fcvt_s_w, sf_from_int(SF_SINGLE, sext32(a), true, rm) | BOX)
	CONVERSION(fcvt_s_wu, sf_from_int(SF_SINGLE, (uint32_t)a, false, rm) | BOX)
	CONVERSION(fcvt_s_l, sf_from_int(SF_SINGLE, a, true, rm) | BOX)
	CONVERSION(fcvt_s_lu, sf_from_int(SF_SINGLE, a, false, rm) | BOX)
	CONVERSION(fcvt_d_w, sf_from_int(SF_DOUBLE, sext32(a), true, rm))
	CONVERSION(fcvt_d_wu, sf_from_int(SF_DOUBLE, (uint32_t)a, false, rm))
	CONVERSION(fcvt_d_l, sf_from_int(SF_DOUBLE, a, true, rm))
	CONVERSION(fcvt_d_lu, sf_from_int(SF_DOUBLE, a, false, rm))
	CONVERSION(fcvt_s_d, sf_convert(SF_DOUBLE, SF_SINGLE, a, rm) | BOX)
	CONVERSION(fcvt_d_s, sf_convert(SF_SINGLE, SF_DOUBLE, unbox32(a), rm))
	CONVERSION(fcvt_s_h, sf_convert(SF_HALF, SF_SINGLE, unbox16(a), rm) | BOX)
	CONVERSION(fcvt_d_h, sf_convert(SF_HALF, SF_DOUBLE, unbox16(a), rm))
	CONVERSION(fcvt_h_s, sf_convert(SF_SINGLE, SF_HALF, unbox32(a), rm) | 0xffffffffffff0000ull)
	CONVERSION(fcvt_h_d, sf_convert(SF_DOUBLE, SF_HALF, a, rm) | 0xffffffffffff0000ull)
	CONVERSION(fclass_s, sf_class(SF_SINGLE, unbox32(a)))
	CONVERSION(fclass_d, sf_class(SF_DOUBLE, a))
	}
#undef CONVERSION
	__builtin_unreachable();
}
