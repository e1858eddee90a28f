/* Floating-point instructions one lane at a time through softfloat: the rounding modes that the
 * fast paths do not have. And the lanes' values of a register whatever its form. */
#include "model/cu/softfloat.h"
#include "model/cu/warp.h"

static uint64_t unbox32(uint64_t v)
{
	return v >> 32 == 0xffffffff ? (uint32_t)v : 0x7fc00000;
}

static uint64_t unbox16(uint64_t v)
{
	return v >> 16 == 0xffffffffffff ? (uint16_t)v : 0x7e00;
}

static uint64_t sext32(uint64_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

/* Arithmetic with operands of one format. */
static bool soft_arithmetic(unsigned op, unsigned rm, enum sf_format f, uint64_t a, uint64_t b, uint64_t c, uint64_t *r)
{
	switch (op) {
	case OP_fadd_s:
	case OP_fadd_d:
		*r = sf_add(f, a, b, rm);
		return true;
	case OP_fsub_s:
	case OP_fsub_d:
		*r = sf_add(f, a, sf_neg(f, b), rm);
		return true;
	case OP_fmul_s:
	case OP_fmul_d:
		*r = sf_mul(f, a, b, rm);
		return true;
	case OP_fdiv_s:
	case OP_fdiv_d:
		*r = sf_div(f, a, b, rm);
		return true;
	case OP_fsqrt_s:
	case OP_fsqrt_d:
		*r = sf_sqrt(f, a, rm);
		return true;
	case OP_fmadd_s:
	case OP_fmadd_d:
		*r = sf_fma(f, a, b, c, rm);
		return true;
	case OP_fmsub_s:
	case OP_fmsub_d:
		*r = sf_fma(f, a, b, sf_neg(f, c), rm);
		return true;
	case OP_fnmsub_s:
	case OP_fnmsub_d:
		*r = sf_fma(f, sf_neg(f, a), b, c, rm);
		return true;
	case OP_fnmadd_s:
	case OP_fnmadd_d:
		*r = sf_fma(f, sf_neg(f, a), b, sf_neg(f, c), rm);
		return true;
	}
	return false;
}

uint64_t soft_execute(unsigned op, unsigned rm, uint64_t a, uint64_t b, uint64_t c)
{
	bool single = !(isa_rows[op].match >> 25 & 3);
	uint64_t r;
	if (single && soft_arithmetic(op, rm, SF_SINGLE, unbox32(a), unbox32(b), unbox32(c), &r))
		return r | BOX;
	if (!single && soft_arithmetic(op, rm, SF_DOUBLE, a, b, c, &r))
		return r;
	switch (op) {
	case OP_fcvt_w_s:
		return sf_to_int(SF_SINGLE, unbox32(a), 32, true, rm);
	case OP_fcvt_wu_s:
		return sext32(sf_to_int(SF_SINGLE, unbox32(a), 32, false, rm));
	case OP_fcvt_l_s:
		return sf_to_int(SF_SINGLE, unbox32(a), 64, true, rm);
	case OP_fcvt_lu_s:
		return sf_to_int(SF_SINGLE, unbox32(a), 64, false, rm);
	case OP_fcvt_w_d:
		return sf_to_int(SF_DOUBLE, a, 32, true, rm);
	case OP_fcvt_wu_d:
		return sext32(sf_to_int(SF_DOUBLE, a, 32, false, rm));
	case OP_fcvt_l_d:
		return sf_to_int(SF_DOUBLE, a, 64, true, rm);
	case OP_fcvt_lu_d:
		return sf_to_int(SF_DOUBLE, a, 64, false, rm);
	case OP_fcvt_s_w:
		return sf_from_int(SF_SINGLE, sext32(a), true, rm) | BOX;
	case OP_fcvt_s_wu:
		return sf_from_int(SF_SINGLE, (uint32_t)a, false, rm) | BOX;
	case OP_fcvt_s_l:
		return sf_from_int(SF_SINGLE, a, true, rm) | BOX;
	case OP_fcvt_s_lu:
		return sf_from_int(SF_SINGLE, a, false, rm) | BOX;
	case OP_fcvt_d_w:
		return sf_from_int(SF_DOUBLE, sext32(a), true, rm);
	case OP_fcvt_d_wu:
		return sf_from_int(SF_DOUBLE, (uint32_t)a, false, rm);
	case OP_fcvt_d_l:
		return sf_from_int(SF_DOUBLE, a, true, rm);
	case OP_fcvt_d_lu:
		return sf_from_int(SF_DOUBLE, a, false, rm);
	case OP_fcvt_s_d:
		return sf_convert(SF_DOUBLE, SF_SINGLE, a, rm) | BOX;
	case OP_fcvt_d_s:
		return sf_convert(SF_SINGLE, SF_DOUBLE, unbox32(a), rm);
	case OP_fcvt_s_h:
		return sf_convert(SF_HALF, SF_SINGLE, unbox16(a), rm) | BOX;
	case OP_fcvt_d_h:
		return sf_convert(SF_HALF, SF_DOUBLE, unbox16(a), rm);
	case OP_fcvt_h_s:
		return sf_convert(SF_SINGLE, SF_HALF, unbox32(a), rm) | 0xffffffffffff0000ull;
	case OP_fcvt_h_d:
		return sf_convert(SF_DOUBLE, SF_HALF, a, rm) | 0xffffffffffff0000ull;
	case OP_fclass_s:
		return sf_class(SF_SINGLE, unbox32(a));
	case OP_fclass_d:
		return sf_class(SF_DOUBLE, a);
	}
	__builtin_unreachable();
}

uint64_t warp_lane(const struct warp *w, unsigned reg, unsigned lane)
{
	switch ((enum rep)w->rep[reg]) {
	case REP_UNIFORM:
		return w->base[reg];
	case REP_AFFINE:
		return w->base[reg] + w->stride[reg] * lane;
	case REP_WORD:
		return reg >= REG_F ? BOX | w->v[reg].w[lane] : sext32(w->v[reg].w[lane]);
	default:
		return w->v[reg].d[lane];
	}
}

void warp_lanes(const struct warp *w, unsigned reg, uint64_t *values)
{
	for (unsigned i = 0; i < LANES; i++)
		values[i] = warp_lane(w, reg, i);
}
