#include "testbench/oracle/lane.h"
#include "abi/codes.h"
#include "testbench/model/reference.h"
#include "testbench/oracle/exact.h"
#include <math.h>
#include <string.h>

static uint64_t sx(uint64_t v) { return (uint64_t)(int64_t)(int32_t)v; }
static uint64_t box_single(uint64_t v) { return v | 0xffffffff00000000; }
static uint64_t box_half(uint64_t v) { return (v & 0xffff) | 0xffffffffffff0000; }

/* The value of a register as a number of the format: a NaN if it is not boxed. */
static uint64_t unbox(enum exact_format format, uint64_t v)
{
	switch (format) {
	case EXACT_HALF:
		return v >= 0xffffffffffff0000 ? v & 0xffff : 0x7e00;
	case EXACT_SINGLE:
		return v >= 0xffffffff00000000 ? v & 0xffffffff : 0x7fc00000;
	default:
		return v;
	}
}

static uint64_t box(enum exact_format format, uint64_t v)
{
	return format == EXACT_HALF ? box_half(v) : format == EXACT_SINGLE ? box_single(v) : v;
}

/* ---- floating point ---- */

enum float_kind { ARITHMETIC = 1, SIGN, EXTREME, COMPARE, CLASSIFY, TO_INT, FROM_INT, CONVERT, MOVE_X, MOVE_F };

struct float_row {
	uint8_t kind, format;
	uint8_t what;  /* exact_op, or funct3 of the group */
	uint8_t width; /* of an integer; format that a conversion comes from */
	bool is_signed;
	bool negate, subtract; /* of a fused operation: the product's sign, the addend's */
};

#define S EXACT_SINGLE
#define D EXACT_DOUBLE
#define H EXACT_HALF
#define BOTH(name, ...) [OP_##name##_s] = { .format = S, __VA_ARGS__ }, [OP_##name##_d] = { .format = D, __VA_ARGS__ }
static const struct float_row float_rows[OP_COUNT] = {
	BOTH(fadd, .kind = ARITHMETIC, .what = EXACT_ADD),
	BOTH(fsub, .kind = ARITHMETIC, .what = EXACT_SUB),
	BOTH(fmul, .kind = ARITHMETIC, .what = EXACT_MUL),
	BOTH(fdiv, .kind = ARITHMETIC, .what = EXACT_DIV),
	BOTH(fsqrt, .kind = ARITHMETIC, .what = EXACT_SQRT),
	BOTH(fmadd, .kind = ARITHMETIC, .what = EXACT_FMA),
	BOTH(fmsub, .kind = ARITHMETIC, .what = EXACT_FMA, .subtract = true),
	BOTH(fnmsub, .kind = ARITHMETIC, .what = EXACT_FMA, .negate = true),
	BOTH(fnmadd, .kind = ARITHMETIC, .what = EXACT_FMA, .negate = true, .subtract = true),
	BOTH(fsgnj, .kind = SIGN, .what = 0),
	BOTH(fsgnjn, .kind = SIGN, .what = 1),
	BOTH(fsgnjx, .kind = SIGN, .what = 2),
	BOTH(fmin, .kind = EXTREME, .what = 0),
	BOTH(fmax, .kind = EXTREME, .what = 1),
	BOTH(fle, .kind = COMPARE, .what = 0),
	BOTH(flt, .kind = COMPARE, .what = 1),
	BOTH(feq, .kind = COMPARE, .what = 2),
	BOTH(fclass, .kind = CLASSIFY),
	BOTH(fcvt_w, .kind = TO_INT, .width = 32, .is_signed = true),
	BOTH(fcvt_wu, .kind = TO_INT, .width = 32),
	BOTH(fcvt_l, .kind = TO_INT, .width = 64, .is_signed = true),
	BOTH(fcvt_lu, .kind = TO_INT, .width = 64),
	[OP_fcvt_s_w] = { .kind = FROM_INT, .format = S, .width = 32, .is_signed = true },
	[OP_fcvt_s_wu] = { .kind = FROM_INT, .format = S, .width = 32 },
	[OP_fcvt_s_l] = { .kind = FROM_INT, .format = S, .width = 64, .is_signed = true },
	[OP_fcvt_s_lu] = { .kind = FROM_INT, .format = S, .width = 64 },
	[OP_fcvt_d_w] = { .kind = FROM_INT, .format = D, .width = 32, .is_signed = true },
	[OP_fcvt_d_wu] = { .kind = FROM_INT, .format = D, .width = 32 },
	[OP_fcvt_d_l] = { .kind = FROM_INT, .format = D, .width = 64, .is_signed = true },
	[OP_fcvt_d_lu] = { .kind = FROM_INT, .format = D, .width = 64 },
	[OP_fcvt_s_d] = { .kind = CONVERT, .format = S, .width = D },
	[OP_fcvt_d_s] = { .kind = CONVERT, .format = D, .width = S },
	[OP_fcvt_s_h] = { .kind = CONVERT, .format = S, .width = H },
	[OP_fcvt_d_h] = { .kind = CONVERT, .format = D, .width = H },
	[OP_fcvt_h_s] = { .kind = CONVERT, .format = H, .width = S },
	[OP_fcvt_h_d] = { .kind = CONVERT, .format = H, .width = D },
	[OP_fmv_x_w] = { .kind = MOVE_X, .format = S },
	[OP_fmv_x_d] = { .kind = MOVE_X, .format = D },
	[OP_fmv_x_h] = { .kind = MOVE_X, .format = H },
	[OP_fmv_w_x] = { .kind = MOVE_F, .format = S },
	[OP_fmv_d_x] = { .kind = MOVE_F, .format = D },
	[OP_fmv_h_x] = { .kind = MOVE_F, .format = H },
};
#undef BOTH

static uint64_t sign_of(enum exact_format f) { return f == S ? 1ull << 31 : 1ull << 63; }

static uint64_t classify(enum exact_format format, uint64_t a)
{
	double v = exact_value(format, a);
	bool negative = a & sign_of(format);
	if (isnan(v))
		return a >> (format == S ? 22 : 51) & 1 ? 1 << 9 : 1 << 8;
	if (isinf(v))
		return negative ? 1 << 0 : 1 << 7;
	if (v == 0)
		return negative ? 1 << 3 : 1 << 4;
	if (fabs(v) < (format == S ? 0x1p-126 : 0x1p-1022))
		return negative ? 1 << 2 : 1 << 5;
	return negative ? 1 << 1 : 1 << 6;
}

static uint64_t extreme(enum exact_format format, bool greatest, uint64_t a, uint64_t b)
{
	double x = exact_value(format, a), y = exact_value(format, b);
	if (isnan(x))
		return !isnan(y) ? b : format == S ? 0x7fc00000 : 0x7ff8000000000000;
	if (isnan(y))
		return a;
	if (x == y) /* zeros of two signs: the negative one is less */
		return greatest == (bool)(a & sign_of(format)) ? b : a;
	return greatest == (x > y) ? a : b;
}

static uint64_t change_sign(enum exact_format format, unsigned what, uint64_t a, uint64_t b)
{
	uint64_t sign = sign_of(format), taken = what == 0 ? b : what == 1 ? ~b : a ^ b;
	return (a & ~sign) | (taken & sign);
}

/* Operands as the registers hold them. */
static uint64_t float_result(const struct float_row *row, unsigned mode, uint64_t a, uint64_t b, uint64_t c)
{
	enum exact_format f = row->format;
	uint64_t ua = unbox(f, a), ub = unbox(f, b), uc = unbox(f, c);
	switch ((enum float_kind)row->kind) {
	case ARITHMETIC:
		if (row->negate)
			ua ^= sign_of(f);
		if (row->subtract)
			uc ^= sign_of(f);
		return box(f, exact_arithmetic(row->what, f, mode, ua, ub, uc));
	case SIGN:
		return box(f, change_sign(f, row->what, ua, ub));
	case EXTREME:
		return box(f, extreme(f, row->what, ua, ub));
	case COMPARE: {
		double x = exact_value(f, ua), y = exact_value(f, ub);
		return row->what == 0 ? x <= y : row->what == 1 ? x < y : x == y;
	}
	case CLASSIFY:
		return classify(f, ua);
	case TO_INT:
		return exact_to_int(f, mode, ua, row->width, row->is_signed);
	case FROM_INT:
		if (row->width == 32)
			a = row->is_signed ? sx(a) : (uint32_t)a;
		return box(f, exact_from_int(f, mode, a, row->is_signed));
	case CONVERT:
		return box(f, exact_convert(row->width, f, mode, unbox(row->width, a)));
	case MOVE_X:
		return f == H ? (uint64_t)(int64_t)(int16_t)a : f == S ? sx(a) : a;
	case MOVE_F:
		return f == S ? box_single((uint32_t)a) : box(f, a);
	}
	return 0;
}

/* ---- memory ---- */

static uint8_t *reach(struct lane *l, uint64_t address, unsigned size)
{
	for (unsigned i = 0; i < sizeof(l->windows) / sizeof(*l->windows); i++) {
		const struct lane_window *w = &l->windows[i];
		if (w->host && address >= w->base && address - w->base <= w->size - size)
			return w->host + (address - w->base);
	}
	return NULL;
}

static uint64_t apply(unsigned op, unsigned size, uint64_t old, uint64_t x)
{
	int64_t so = size == 4 ? (int32_t)old : (int64_t)old, si = size == 4 ? (int32_t)x : (int64_t)x;
	uint64_t uo = size == 4 ? (uint32_t)old : old, ui = size == 4 ? (uint32_t)x : x;
	switch (op) {
	case OP_amoswap_w: case OP_amoswap_d: return x;
	case OP_amoadd_w: case OP_amoadd_d: return old + x;
	case OP_amoxor_w: case OP_amoxor_d: return old ^ x;
	case OP_amoand_w: case OP_amoand_d: return old & x;
	case OP_amoor_w: case OP_amoor_d: return old | x;
	case OP_amomin_w: case OP_amomin_d: return so <= si ? old : x;
	case OP_amomax_w: case OP_amomax_d: return so >= si ? old : x;
	case OP_amominu_w: case OP_amominu_d: return uo <= ui ? old : x;
	default: return uo >= ui ? old : x;
	}
}

static const char *atomic(struct lane *l, const struct insn *i)
{
	unsigned size = isa_rows[i->op].match >> 12 & 1 ? 8 : 4;
	uint64_t address = l->x[i->rs1], old = 0, x = i->rs2 < 32 ? l->x[i->rs2] : 0, result;
	uint8_t *p = reach(l, address, size);
	if (!p || address % size)
		return "an atomic access goes astray";
	memcpy(&old, p, size);
	result = size == 4 ? sx(old) : old;
	switch (i->op) {
	case OP_lr_w: case OP_lr_d:
		l->reserved = true;
		l->reservation = address;
		x = old;
		break;
	case OP_sc_w: case OP_sc_d:
		result = !(l->reserved && l->reservation == address);
		l->reserved = false;
		if (result)
			x = old;
		break;
	case OP_amocas_w:
		if ((uint32_t)l->x[i->rd] != (uint32_t)old)
			x = old;
		break;
	case OP_amocas_d:
		if (l->x[i->rd] != old)
			x = old;
		break;
	default:
		x = apply(i->op, size, old, x);
	}
	memcpy(p, &x, size);
	l->x[i->rd] = result;
	return NULL;
}

static const char *memory(struct lane *l, const struct insn *i)
{
	unsigned size = 1u << (isa_rows[i->op].match >> 12 & 3);
	uint8_t *p = reach(l, l->x[i->rs1] + (uint64_t)(int64_t)i->imm, size);
	uint64_t v = 0;
	if (!p)
		return "an access goes astray";
	if (isa_rows[i->op].class == CLASS_STORE) {
		v = i->rs2 >= REG_F ? l->f[i->rs2 - REG_F] : l->x[i->rs2];
		memcpy(p, &v, size);
		return NULL;
	}
	memcpy(&v, p, size);
	switch (i->op) {
	case OP_lb: v = (uint64_t)(int64_t)(int8_t)v; break;
	case OP_lh: v = (uint64_t)(int64_t)(int16_t)v; break;
	case OP_lw: v = sx(v); break;
	case OP_flh: v = box_half(v); break;
	case OP_flw: v = box_single(v); break;
	default: break;
	}
	*(i->rd >= REG_F ? &l->f[i->rd - REG_F] : &l->x[i->rd]) = v;
	return NULL;
}

/* ---- control ---- */

static bool taken(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case OP_beq: return a == b;
	case OP_bne: return !(a == b);
	case OP_blt: return (int64_t)a < (int64_t)b;
	case OP_bge: return !((int64_t)a < (int64_t)b);
	case OP_bltu: return a < b;
	default: return !(a < b);
	}
}

/* fflags reads 0 and keeps nothing: the device accrues no flags. */
static const char *csr(struct lane *l, const struct insn *i)
{
	uint64_t old, operand, value;
	switch (i->imm) {
	case 1: old = 0; break;
	case 2: old = l->frm; break;
	case 3: old = l->frm << 5; break;
	case CSR_local_id_x: old = l->item % l->group_size; break;
	case CSR_group_id_x: old = l->item / l->group_size; break;
	case CSR_local_size_x: old = l->group_size; break;
	case CSR_lane_id: old = l->item % l->lanes; break;
	case CSR_subgroup_id: old = l->item % l->group_size / l->lanes; break;
	case CSR_subgroup_live: old = l->lanes; break;
	case CSR_num_subgroups: old = l->group_size / l->lanes; break;
	case CSR_local_id_y: case CSR_local_id_z: case CSR_group_id_y: case CSR_group_id_z: old = 0; break;
	case CSR_local_size_y: case CSR_local_size_z: old = 1; break;
	default: return "a CSR that the oracle does not have";
	}
	operand = isa_rows[i->op].format == FMT_CSRI ? i->rs1 : l->x[i->rs1];
	switch (i->op) {
	case OP_csrrw: case OP_csrrwi: value = operand; break;
	case OP_csrrs: case OP_csrrsi: value = old | operand; break;
	default: value = old & ~operand; break;
	}
	if (i->imm == 2)
		l->frm = value & 7;
	if (i->imm == 3)
		l->frm = value >> 5 & 7;
	l->x[i->rd] = old;
	return NULL;
}

static const char *step(struct lane *l, const struct insn *i, uint64_t *next)
{
	const struct float_row *row = &float_rows[i->op];
	uint64_t a = i->rs1 < 32 ? l->x[i->rs1] : i->rs1 < 64 ? l->f[i->rs1 - REG_F] : 0;
	uint64_t b = i->rs2 < 32 ? l->x[i->rs2] : i->rs2 < 64 ? l->f[i->rs2 - REG_F] : 0;
	uint64_t offset = (uint64_t)(int64_t)i->imm, r;
	switch ((enum isa_class)isa_rows[i->op].class) {
	case CLASS_LOAD:
	case CLASS_STORE:
		return memory(l, i);
	case CLASS_ATOMIC:
		return atomic(l, i);
	case CLASS_SYSTEM:
		return csr(l, i);
	case CLASS_BRANCH:
		if (taken(i->op, a, b))
			*next = l->pc + offset;
		return NULL;
	case CLASS_JUMP:
		l->x[i->rd] = l->pc + 4;
		*next = i->op == OP_jal ? l->pc + offset : (a + offset) & ~1ull;
		return NULL;
	case CLASS_FPU:
	case CLASS_FDIV:
		if (!row->kind)
			return "an instruction that the oracle does not have";
		if (i->rm == RM_DYN && l->frm > 4)
			return "a reserved rounding mode";
		r = float_result(row, i->rm == RM_DYN ? l->frm : i->rm, a, b, i->rs3 < 64 ? l->f[i->rs3 - REG_F] : 0);
		*(i->rd >= REG_F ? &l->f[i->rd - REG_F] : &l->x[i->rd]) = r;
		return NULL;
	default:
		if (i->op == OP_auipc)
			r = l->pc + offset;
		else if (i->op == OP_fence)
			return NULL;
		else if (!ref_integer(i, a, b, &r))
			return "an instruction that the oracle does not have";
		l->x[i->rd] = r;
		return NULL;
	}
}

const char *lane_run(struct lane *l, const struct lane_code *code)
{
	for (;;) {
		size_t at = (l->pc - code->base) / 4;
		if (at >= code->count || l->pc % 4)
			return "the program leaves its code";
		const struct insn *i = &code->insns[at];
		if (i->op == OP_exit_)
			return NULL;
		uint64_t next = l->pc + 4;
		const char *error = step(l, i, &next);
		if (error)
			return error;
		l->pc = next;
		l->x[0] = 0;
	}
}
