/* Floating point. Results are those of exec_fp.inc: nearest even, the canonical NaN, nothing contracted, nothing
 * assumed. That arithmetic makes the canonical NaN of any is done when the bits are read (enum nans). */
#include "translate/lower.h"

static value real(type t, double x)
{
	return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? in_lanes(LLVMConstReal(LLVMGetElementType(t), x)) : LLVMConstReal(t, x);
}

/* Bits of a result, as its encoding holds them. */
static value bits_of_result(struct lower *l, value x, bool single, bool uniform)
{
	type t = uniform ? single ? l->i32 : l->i64 : single ? l->w32 : l->w64;
	return TYPE(x) == t ? x : BITCAST(x, t);
}

static value operand(struct lower *l, unsigned reg, bool single, bool uniform)
{
	return single ? get_single(l, reg, uniform) : get_double(l, reg, uniform);
}

/* The smaller or greater number; of two zeros the negative or the positive one; the number if one is a NaN. */
static value extreme(struct lower *l, value a, value b, bool greatest, bool single)
{
	bool vector = LLVMGetTypeKind(TYPE(a)) == LLVMVectorTypeKind;
	value x = bits_of_result(l, a, single, !vector), y = bits_of_result(l, b, single, !vector);
	value less = FCMP(OLT, a, b), more = FCMP(OGT, a, b);
	value r = SELECT(greatest ? more : less, x, SELECT(greatest ? less : more, y, greatest ? AND(x, y) : OR(x, y)));
	value nan = LIKE(x, single ? 0x7fc00000 : 0x7ff8000000000000);
	value bad_a = FCMP(UNO, a, a), bad_b = FCMP(UNO, b, b);
	r = SELECT(bad_a, y, r);
	return SELECT(bad_b, SELECT(bad_a, nan, x), r);
}

static value sign_op(struct lower *l, unsigned op, value x, value y, bool single)
{
	value sign = LIKE(x, single ? 0x80000000 : 1ull << 63), rest = LIKE(x, single ? 0x7fffffff : ~0ull >> 1);
	switch (op) {
	case OP_fsgnj_s: case OP_fsgnj_d: return OR(AND(x, rest), AND(y, sign));
	case OP_fsgnjn_s: case OP_fsgnjn_d: return OR(AND(x, rest), AND(NOT(y), sign));
	default: return XOR(x, AND(y, sign));
	}
}

static value fneg(struct lower *l, value x) { return LLVMBuildFNeg(l->b, x, ""); }

static value arithmetic(struct lower *l, unsigned op, value x, value y, value z, bool single)
{
	value args[] = { x, y, z };
	switch (op) {
	case OP_fadd_s: case OP_fadd_d: return LLVMBuildFAdd(l->b, x, y, "");
	case OP_fsub_s: case OP_fsub_d: return LLVMBuildFSub(l->b, x, y, "");
	case OP_fmul_s: case OP_fmul_d: return LLVMBuildFMul(l->b, x, y, "");
	case OP_fdiv_s: case OP_fdiv_d: return LLVMBuildFDiv(l->b, x, y, "");
	case OP_fsqrt_s: case OP_fsqrt_d: return intrinsic(l, "llvm.sqrt", TYPE(x), args, 1);
	case OP_fmin_s: case OP_fmin_d: return extreme(l, x, y, false, single);
	case OP_fmax_s: case OP_fmax_d: return extreme(l, x, y, true, single);
	case OP_fmsub_s: case OP_fmsub_d:
		args[2] = fneg(l, z);
		break;
	case OP_fnmsub_s: case OP_fnmsub_d:
		args[0] = fneg(l, x);
		break;
	case OP_fnmadd_s: case OP_fnmadd_d:
		args[0] = fneg(l, x);
		args[2] = fneg(l, z);
		break;
	}
	return intrinsic(l, "llvm.fma", TYPE(x), args, 3);
}

static void op_arithmetic(struct lower *l, const struct insn *i, const struct reg_encoding *out, bool single)
{
	bool uniform = encoding_uniform(out);
	value x = operand(l, i->rs1, single, uniform);
	value y = i->rs2 < 64 ? operand(l, i->rs2, single, uniform) : NULL;
	value z = i->rs3 < 64 ? operand(l, i->rs3, single, uniform) : NULL;
	put(l, i->rd, out, bits_of_result(l, arithmetic(l, i->op, x, y, z, single), single, uniform), NULL);
}

/* An operand whose NaNs are seen. */
static value seen_bits(struct lower *l, unsigned reg, bool single, bool uniform)
{
	if (!single)
		return get_bits(l, reg, false, uniform);
	value x = bits_of_result(l, get_single(l, reg, uniform), true, uniform);
	return encoding_of(l, reg)->nans == NANS_RAW ? canonical(l, x, true) : x;
}

static void op_sign(struct lower *l, const struct insn *i, const struct reg_encoding *out, bool single)
{
	bool uniform = encoding_uniform(out);
	const struct reg_encoding *f = encoding_of(l, i->rs1);
	if (i->rs1 == i->rs2 && (i->op == OP_fsgnj_s ? encoding_word(f) : i->op == OP_fsgnj_d && !encoding_word(f))) {
		put(l, i->rd, out, l->r[i->rs1].a, NULL);
		return;
	}
	value x = seen_bits(l, i->rs1, single, uniform), y = seen_bits(l, i->rs2, single, uniform);
	put(l, i->rd, out, sign_op(l, i->op, x, y, single), NULL);
}

static void op_compare(struct lower *l, const struct insn *i, const struct reg_encoding *out, bool single)
{
	bool uniform = encoding_uniform(out);
	value x = operand(l, i->rs1, single, uniform), y = operand(l, i->rs2, single, uniform), r;
	switch (i->op) {
	case OP_feq_s: case OP_feq_d: r = FCMP(OEQ, x, y); break;
	case OP_flt_s: case OP_flt_d: r = FCMP(OLT, x, y); break;
	default: r = FCMP(OLE, x, y);
	}
	put(l, i->rd, out, ZEXT(r, uniform ? l->i64 : l->w32), NULL);
}

/* To a whole number; toward zero is left to the conversion to an integer. */
static value whole(struct lower *l, value x, unsigned rm)
{
	switch (rm) {
	case RM_RTZ: return x;
	case RM_RDN: return intrinsic(l, "llvm.floor", TYPE(x), &x, 1);
	case RM_RUP: return intrinsic(l, "llvm.ceil", TYPE(x), &x, 1);
	case RM_RMM: return intrinsic(l, "llvm.round", TYPE(x), &x, 1);
	default: return intrinsic(l, "llvm.roundeven", TYPE(x), &x, 1);
	}
}

/* The same for the baseline, which has no instruction that rounds. Zeros may have the other sign. */
static value whole_by_sum(struct lower *l, value x, unsigned rm, bool single)
{
	value large = real(TYPE(x), single ? 0x1p23 : 0x1p52), one = real(TYPE(x), 1.0); /* whole from there on */
	value magnitude = intrinsic(l, "llvm.fabs", TYPE(x), &x, 1);
	value r = LLVMBuildFSub(l->b, LLVMBuildFAdd(l->b, magnitude, large, ""), large, ""); /* nearest even */
	if (rm == RM_RMM) {
		value half = FCMP(OEQ, LLVMBuildFSub(l->b, magnitude, r, ""), real(TYPE(x), 0.5));
		r = SELECT(half, LLVMBuildFAdd(l->b, r, one, ""), r);
	}
	value args[] = { r, x };
	r = intrinsic(l, "llvm.copysign", TYPE(x), args, 2);
	if (rm == RM_RDN)
		r = SELECT(FCMP(OGT, r, x), LLVMBuildFSub(l->b, r, one, ""), r);
	if (rm == RM_RUP)
		r = SELECT(FCMP(OLT, r, x), LLVMBuildFAdd(l->b, r, one, ""), r);
	return SELECT(FCMP(OLT, magnitude, large), r, x);
}

/* Which integers a conversion is from or to: the field of rs2 says so. */
static bool integers_signed(const struct insn *i) { return !(isa_rows[i->op].match >> 20 & 1); }
static bool integers_wide(const struct insn *i) { return isa_rows[i->op].match >> 21 & 1; }

/* To an integer: what is out of range saturates, a NaN is the greatest value. */
static void op_to_int(struct lower *l, const struct insn *i, const struct reg_encoding *out, bool single)
{
	bool uniform = encoding_uniform(out), is_signed = integers_signed(i), wide = integers_wide(i);
	value x = operand(l, i->rs1, single, uniform);
	type t = uniform ? wide ? l->i64 : l->i32 : wide ? l->w64 : l->w32;
	bool by_sum = l->superblock->request->simd == SIMD_PORTABLE && i->rm != RM_RTZ;
	x = by_sum ? whole_by_sum(l, x, i->rm, single) : whole(l, x, i->rm);
	double limit = wide ? is_signed ? 0x1p63 : 0x1p64 : is_signed ? 0x1p31 : 0x1p32;
	uint64_t top = wide ? is_signed ? INT64_MAX : UINT64_MAX : is_signed ? INT32_MAX : UINT32_MAX;
	value low = real(TYPE(x), is_signed ? -limit : 0.0), high = real(TYPE(x), limit);
	value above = FCMP(UGE, x, high), below = FCMP(OLT, x, low); /* above: NaNs, too */
	value in = SELECT(OR(above, below), real(TYPE(x), 0.0), x);
	value r = is_signed ? LLVMBuildFPToSI(l->b, in, t, "") : LLVMBuildFPToUI(l->b, in, t, "");
	r = SELECT(above, num(t, top), r);
	if (is_signed)
		r = SELECT(below, num(t, wide ? 1ull << 63 : 0x80000000), r);
	put(l, i->rd, out, uniform && !wide ? SEXT(r, l->i64) : r, NULL);
}

/* Whether the integer is half way from r to the next number outward; rest: what it is more than r. All exact: in double
 * where float has too few bits. */
static value half_way(struct lower *l, value r, value next, value rest, bool in_double)
{
	bool vector = LLVMGetTypeKind(TYPE(r)) == LLVMVectorTypeKind;
	type t = in_double ? vector ? l->wf64 : l->f64 : TYPE(r);
	value step = LLVMBuildFSub(l->b, next, r, "");
	if (TYPE(step) != t)
		step = LLVMBuildFPExt(l->b, step, t, "");
	return FCMP(OEQ, LLVMBuildSIToFP(l->b, ADD(rest, rest), t, ""), step);
}

/* Bits of the integer x rounded as rm says, which are those of r, the nearest even number, or a step beside them. */
static value stepped(struct lower *l, value r, value x, bool is_signed, bool single, bool wide, unsigned rm)
{
	bool vector = LLVMGetTypeKind(TYPE(x)) == LLVMVectorTypeKind;
	value bits = bits_of_result(l, r, single, !vector), zero = LIKE(x, 0);
	value none = LIKE(bits, 0), inward = LIKE(bits, UINT64_MAX), outward = LIKE(bits, 1);
	/* r as an integer modulo 2^32 or 2^64: the limit, to which x may have been rounded, is what it wraps to */
	double limit = wide ? is_signed ? 0x1p63 : 0x1p64 : is_signed ? 0x1p31 : 0x1p32;
	value in = SELECT(FCMP(OLT, r, real(TYPE(r), limit)), r, real(TYPE(r), is_signed ? -limit : 0.0));
	value back = is_signed ? LLVMBuildFPToSI(l->b, in, TYPE(x), "") : LLVMBuildFPToUI(l->b, in, TYPE(x), "");
	value rest = SUB(x, back); /* half a step at most */
	value below = ICMP(SGT, rest, zero), above = ICMP(SLT, rest, zero);
	value negative = is_signed ? ICMP(SLT, x, zero) : NULL;
	switch (rm) {
	case RM_RTZ:
		return ADD(bits, SELECT(negative ? SELECT(negative, below, above) : above, inward, none));
	case RM_RDN:
		return ADD(bits, SELECT(above, negative ? SELECT(negative, outward, inward) : inward, none));
	case RM_RUP:
		return ADD(bits, SELECT(below, negative ? SELECT(negative, inward, outward) : outward, none));
	default: /* RM_RMM */
		return ADD(bits, SELECT(half_way(l, r, BITCAST(ADD(bits, outward), TYPE(r)), rest, single && wide), outward, none));
	}
}

static void op_from_int(struct lower *l, const struct insn *i, const struct reg_encoding *out, bool single)
{
	bool uniform = encoding_uniform(out), is_signed = integers_signed(i), wide = integers_wide(i);
	value x = get_bits(l, i->rs1, !wide, uniform);
	type t = uniform ? single ? l->f32 : l->f64 : single ? l->wf32 : l->wf64;
	value r = is_signed ? LLVMBuildSIToFP(l->b, x, t, "") : LLVMBuildUIToFP(l->b, x, t, "");
	bool nearest = i->rm == RM_RNE || i->rm == RM_DYN || (!single && !wide); /* or exact */
	value bits = nearest ? bits_of_result(l, r, single, uniform) : stepped(l, r, x, is_signed, single, wide, i->rm);
	put(l, i->rd, out, bits, NULL);
}

static void op_between(struct lower *l, const struct insn *i, const struct reg_encoding *out, bool to_single)
{
	bool uniform = encoding_uniform(out);
	value x = operand(l, i->rs1, !to_single, uniform);
	value r = to_single ? LLVMBuildFPTrunc(l->b, x, uniform ? l->f32 : l->wf32, "") :
			      LLVMBuildFPExt(l->b, x, uniform ? l->f64 : l->wf64, "");
	put(l, i->rd, out, bits_of_result(l, r, to_single, uniform), NULL);
}

/* One bit of ten: -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf, signalling, quiet NaN. */
static void op_class(struct lower *l, const struct insn *i, const struct reg_encoding *out, bool single)
{
	bool uniform = encoding_uniform(out);
	value x = seen_bits(l, i->rs1, single, uniform);
	uint64_t infinity = single ? 0x7f800000 : 0x7ff0000000000000, quiet = single ? 0x00400000 : 0x0008000000000000;
	value rest = LIKE(x, single ? 0x7fffffff : ~0ull >> 1), m = AND(x, rest);
	value negative = ICMP(NE, m, x), zero = LIKE(x, 0);
	value normal = SELECT(negative, LIKE(x, 2), LIKE(x, 64)), subnormal = SELECT(negative, LIKE(x, 4), LIKE(x, 32));
	value null = SELECT(negative, LIKE(x, 8), LIKE(x, 16)), infinite = SELECT(negative, LIKE(x, 1), LIKE(x, 128));
	value nan = SELECT(ICMP(EQ, AND(x, LIKE(x, quiet)), zero), LIKE(x, 256), LIKE(x, 512));
	value r = SELECT(ICMP(ULT, m, LIKE(x, single ? 0x00800000 : 0x0010000000000000)), subnormal, normal);
	r = SELECT(ICMP(EQ, m, zero), null, r);
	r = SELECT(ICMP(EQ, m, LIKE(x, infinity)), infinite, r);
	r = SELECT(ICMP(UGT, m, LIKE(x, infinity)), nan, r);
	if (uniform)
		r = single ? ZEXT(r, l->i64) : r;
	else if (!single)
		r = TRUNC(r, l->w32);
	put(l, i->rd, out, r, NULL);
}

/* ---- fp16: conversions only ---- */

/* The 16 bits of an fp16 value, as fp32; what is not boxed is the canonical NaN. */
static value half_to_single(struct lower *l, value v, bool uniform)
{
	type t = uniform ? l->f32 : l->wf32;
	value boxed = ICMP(EQ, LSHR(v, LIKE(v, 16)), LIKE(v, 0xffff));
	value h = SELECT(boxed, AND(v, LIKE(v, 0xffff)), LIKE(v, 0x7e00)), m = AND(h, LIKE(v, 0x7fff));
	value sign = SHL(AND(h, LIKE(v, 0x8000)), LIKE(v, 16));
	value scaled = LLVMBuildFMul(l->b, BITCAST(SHL(m, LIKE(v, 13)), t), real(t, 0x1p112), "");
	value r = OR(BITCAST(scaled, TYPE(v)), sign);
	r = SELECT(ICMP(UGE, m, LIKE(v, 0x7c00)), OR(LIKE(v, 0x7f800000), sign), r);
	return SELECT(ICMP(UGT, m, LIKE(v, 0x7c00)), LIKE(v, 0x7fc00000), r);
}

static value single_to_half(struct lower *l, value v, bool uniform)
{
	type t = uniform ? l->f32 : l->wf32;
	value m = AND(v, LIKE(v, 0x7fffffff)), sign = AND(LSHR(v, LIKE(v, 16)), LIKE(v, 0x8000));
	value odd = AND(LSHR(m, LIKE(v, 13)), LIKE(v, 1));
	value normal = LSHR(SUB(ADD(ADD(m, LIKE(v, 0xfff)), odd), LIKE(v, 112u << 23)), LIKE(v, 13));
	value sum = LLVMBuildFAdd(l->b, BITCAST(m, t), real(t, 0.5), "");
	value subnormal = SUB(BITCAST(sum, TYPE(v)), LIKE(v, 0x3f000000));
	value r = SELECT(ICMP(ULT, m, LIKE(v, 0x38800000)), subnormal, normal);
	r = SELECT(ICMP(UGE, m, LIKE(v, 0x477ff000)), LIKE(v, 0x7c00), r);
	r = OR(r, sign);
	r = SELECT(ICMP(UGT, m, LIKE(v, 0x7f800000)), LIKE(v, 0x7e00), r);
	return OR(r, LIKE(v, 0xffff0000));
}

/* Words of an f register whose upper half box is lost if it is not boxed as a word is. */
static value half_operand(struct lower *l, unsigned reg, bool uniform)
{
	const bool word = encoding_word(encoding_of(l, reg));
	value x = get_bits(l, reg, word, uniform);
	if (word)
		return x;
	return SELECT(ICMP(UGE, x, LIKE(x, BOX)), TRUNC(x, uniform ? l->i32 : l->w32), num(uniform ? l->i32 : l->w32, 0));
}

static void op_half(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	bool uniform = encoding_uniform(out);
	value r;
	switch (i->op) {
	case OP_fcvt_s_h:
		r = half_to_single(l, half_operand(l, i->rs1, uniform), uniform);
		break;
	case OP_fcvt_d_h:
		r = BITCAST(half_to_single(l, half_operand(l, i->rs1, uniform), uniform), uniform ? l->f32 : l->wf32);
		r = bits_of_result(l, LLVMBuildFPExt(l->b, r, uniform ? l->f64 : l->wf64, ""), false, uniform);
		break;
	default:
		r = single_to_half(l, seen_bits(l, i->rs1, true, uniform), uniform);
	}
	put(l, i->rd, out, r, NULL);
}

/* ---- bits between the register files ---- */

static void op_move(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	bool uniform = encoding_uniform(out);
	bool word = i->op != OP_fmv_x_d && i->op != OP_fmv_d_x;
	value x = get_bits(l, i->rs1, word, uniform);
	switch (i->op) {
	case OP_fmv_h_x:
		x = OR(x, LIKE(x, 0xffff0000));
		break;
	case OP_fmv_x_h:
		x = ASHR(SHL(x, LIKE(x, 16)), LIKE(x, 16));
		break;
	}
	put(l, i->rd, out, word && uniform && i->rd < REG_F ? SEXT(x, l->i64) : x, NULL);
}

void lower_fp(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	bool single = !(isa_rows[i->op].match >> 25 & 3);
	if (out->known) {
		put(l, i->rd, out, NULL, NULL);
		return;
	}
	switch ((enum isa_format)isa_rows[i->op].format) {
	case FMT_FC:
		op_compare(l, i, out, single);
		return;
	case FMT_FX:
		op_to_int(l, i, out, single);
		return;
	case FMT_XF:
		op_from_int(l, i, out, single);
		return;
	case FMT_FXN: case FMT_XFN:
		if (i->op == OP_fclass_s || i->op == OP_fclass_d)
			op_class(l, i, out, single);
		else
			op_move(l, i, out);
		return;
	default:
		break;
	}
	switch ((enum isa_op)i->op) {
	case OP_fsgnj_s: case OP_fsgnjn_s: case OP_fsgnjx_s: case OP_fsgnj_d: case OP_fsgnjn_d: case OP_fsgnjx_d:
		op_sign(l, i, out, single);
		return;
	case OP_fcvt_s_d: case OP_fcvt_d_s:
		op_between(l, i, out, single);
		return;
	case OP_fcvt_s_h: case OP_fcvt_h_s: case OP_fcvt_d_h:
		op_half(l, i, out);
		return;
	default:
		op_arithmetic(l, i, out, single);
	}
}
