/* Integer instructions. Results are those of exec_int.inc in every lane. */
#include "translate/lower.h"

static bool is_word_encoding(const struct reg_encoding *f) { return f->encoding == ENCODING_W || f->encoding == ENCODING_U32; }

static value shift_amount(struct lower *l, value y) { return AND(y, LIKE(y, LLVMGetIntTypeWidth(LLVMGetTypeKind(TYPE(y)) == LLVMVectorTypeKind ? LLVMGetElementType(TYPE(y)) : TYPE(y)) - 1)); }

static value rotate(struct lower *l, const char *name, value x, value y)
{
	value args[] = { x, x, y };
	return intrinsic(l, name, TYPE(x), args, 3);
}

/* Upper half of the 128-bit product, of unsigned 64-bit values. */
static value mulhu(struct lower *l, value x, value y)
{
	value low = LIKE(x, 0xffffffff), half = LIKE(x, 32);
	value xl = AND(x, low), xh = LSHR(x, half), yl = AND(y, low), yh = LSHR(y, half);
	value t = MUL(xl, yl), u = ADD(MUL(xh, yl), LSHR(t, half)), v = ADD(MUL(xl, yh), AND(u, low));
	return ADD(ADD(MUL(xh, yh), LSHR(u, half)), LSHR(v, half));
}

/* Subtracts y where x is negative. */
static value less_if_negative(struct lower *l, value r, value x, value y)
{
	return SUB(r, AND(ASHR(x, LIKE(x, 63)), y));
}

/* Quotient and rest as RISC-V defines them: no trap. 32-bit vectors divide as fp64, which is exact. */
static value divide(struct lower *l, value x, value y, bool is_signed, bool rest)
{
	type t = TYPE(x);
	bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
	bool word = (vector ? LLVMGetElementType(t) : t) == l->i32;
	value zero = ICMP(EQ, y, num(t, 0)), bad = zero, q;
	if (is_signed)
		bad = OR(bad, AND(ICMP(EQ, x, num(t, word ? 0x80000000 : 1ull << 63)), ICMP(EQ, y, num(t, word ? 0xffffffff : ~0ull))));
	value safe = SELECT(bad, num(t, 1), y);
	if (word && vector) {
		value a = is_signed ? LLVMBuildSIToFP(l->b, x, l->wf64, "") : LLVMBuildUIToFP(l->b, x, l->wf64, "");
		value c = is_signed ? LLVMBuildSIToFP(l->b, safe, l->wf64, "") : LLVMBuildUIToFP(l->b, safe, l->wf64, "");
		value d = LLVMBuildFDiv(l->b, a, c, "");
		q = is_signed ? LLVMBuildFPToSI(l->b, d, t, "") : LLVMBuildFPToUI(l->b, d, t, "");
	} else {
		q = is_signed ? LLVMBuildSDiv(l->b, x, safe, "") : LLVMBuildUDiv(l->b, x, safe, "");
	}
	/* by 1: x; INT_MIN / -1 is INT_MIN, its rest 0 */
	return rest ? SELECT(zero, x, SUB(x, MUL(q, safe))) : SELECT(zero, num(t, ~0ull), q);
}

/* Instructions that do the same to words and to 64-bit values. */
static value same_op(struct lower *l, unsigned op, value x, value y)
{
	switch (op) {
	case OP_and_: case OP_andi: return AND(x, y);
	case OP_or_: case OP_ori: return OR(x, y);
	case OP_xor_: case OP_xori: return XOR(x, y);
	case OP_andn: return AND(x, NOT(y));
	case OP_orn: return OR(x, NOT(y));
	case OP_xnor: return NOT(XOR(x, y));
	case OP_min: return SELECT(ICMP(SLT, x, y), x, y);
	case OP_max: return SELECT(ICMP(SLT, x, y), y, x);
	case OP_minu: return SELECT(ICMP(ULT, x, y), x, y);
	case OP_maxu: return SELECT(ICMP(ULT, x, y), y, x);
	case OP_add: case OP_addi: case OP_addw: case OP_addiw: return ADD(x, y);
	case OP_sub: case OP_subw: return SUB(x, y);
	case OP_sh1add: return ADD(SHL(x, LIKE(x, 1)), y);
	case OP_sh2add: return ADD(SHL(x, LIKE(x, 2)), y);
	case OP_sh3add: return ADD(SHL(x, LIKE(x, 3)), y);
	case OP_mul: case OP_mulw: return MUL(x, y);
	case OP_slli: case OP_slliw: case OP_sll: case OP_sllw: return SHL(x, shift_amount(l, y));
	case OP_srli: case OP_srliw: case OP_srl: case OP_srlw: return LSHR(x, shift_amount(l, y));
	case OP_srai: case OP_sraiw: case OP_sra: case OP_sraw: return ASHR(x, shift_amount(l, y));
	case OP_rol: case OP_rolw: return rotate(l, "llvm.fshl", x, y);
	case OP_ror: case OP_rorw: case OP_rori: case OP_roriw: return rotate(l, "llvm.fshr", x, y);
	case OP_mulhu: return mulhu(l, x, y);
	case OP_mulhsu: return less_if_negative(l, mulhu(l, x, y), x, y);
	case OP_mulh: return less_if_negative(l, less_if_negative(l, mulhu(l, x, y), x, y), y, x);
	case OP_div_: case OP_divw: return divide(l, x, y, true, false);
	case OP_divu: case OP_divuw: return divide(l, x, y, false, false);
	case OP_rem: case OP_remw: return divide(l, x, y, true, true);
	default: return divide(l, x, y, false, true);
	}
}

static bool has_immediate(unsigned op)
{
	unsigned format = isa_rows[op].format;
	return format == FMT_I || format == FMT_SH5 || format == FMT_SH6;
}

static value sext_low(struct lower *l, value x) { return SEXT(TRUNC(x, l->i32), l->i64); }
static value fits32(struct lower *l, value x) { return ICMP(EQ, sext_low(l, x), x); }

/* ---- families ---- */

/* Operands as words or as 64-bit values, scalar or in lanes, as the result is. */
static void op_lanes(struct lower *l, const struct insn *i, const struct reg_encoding *out, bool word)
{
	bool imm = has_immediate(i->op), uniform = encoding_uniform(out);
	value x = get_bits(l, i->rs1, word, uniform);
	value y = imm ? num(TYPE(x), (uint64_t)(int64_t)i->imm) : get_bits(l, i->rs2, word, uniform);
	value r = same_op(l, i->op, x, y);
	put(l, i->rd, out, uniform && word ? SEXT(r, l->i64) : r, NULL);
}

/* Affine results of 64-bit sums: base and stride on their own. */
static void op_linear(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	if (!encoding_affine(out)) {
		op_lanes(l, i, out, false);
		return;
	}
	bool imm = has_immediate(i->op);
	value x = get_base(l, i->rs1), sx = get_stride(l, i->rs1);
	value y = imm ? num(l->i64, (uint64_t)(int64_t)i->imm) : get_base(l, i->rs2);
	value sy = i->op == OP_slli ? y : imm ? num(l->i64, 0) : get_stride(l, i->rs2);
	put(l, i->rd, out, same_op(l, i->op, x, y), same_op(l, i->op, sx, sy));
}

/* The same of words: right as long as no lane wraps around. */
static void op_linear_word(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	if (!encoding_affine(out)) {
		op_lanes(l, i, out, true);
		return;
	}
	bool imm = has_immediate(i->op), shift = i->op == OP_slliw;
	value x = TRUNC(get_base(l, i->rs1), l->i32), sx = TRUNC(get_stride(l, i->rs1), l->i32);
	value y = imm ? num(l->i32, (uint64_t)(int64_t)i->imm) : TRUNC(get_base(l, i->rs2), l->i32);
	value sy = shift ? y : imm ? num(l->i32, 0) : TRUNC(get_stride(l, i->rs2), l->i32);
	if (i->op == OP_mulw) { /* one of them is uniform */
		bool second = encoding_uniform(encoding_of(l, i->rs2));
		sx = second ? sx : TRUNC(get_stride(l, i->rs2), l->i32);
		sy = second ? y : x;
	}
	value first = SEXT(same_op(l, i->op, x, y), l->i64), stride = SEXT(same_op(l, i->op, sx, sy), l->i64);
	guard(l, fits32(l, ADD(first, MUL(stride, num(l->i64, LANES - 1)))), SUPERBLOCK_ENCODING);
	put(l, i->rd, out, first, stride);
}

static void op_mul(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	if (!encoding_affine(out)) {
		op_lanes(l, i, out, false);
		return;
	}
	bool second = encoding_uniform(encoding_of(l, i->rs2));
	unsigned a = second ? i->rs1 : i->rs2, u = second ? i->rs2 : i->rs1;
	put(l, i->rd, out, MUL(get_base(l, a), get_base(l, u)), MUL(get_stride(l, a), get_base(l, u)));
}

/* rs1's low word, zero-extended, shifted and added. */
static void op_shift_add_uw(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	unsigned n = i->op == OP_slli_uw ? (unsigned)i->imm : i->op == OP_add_uw ? 0 : i->op == OP_sh1add_uw ? 1 :
		     i->op == OP_sh2add_uw ? 2 : 3;
	unsigned b = i->op == OP_slli_uw ? 0 : i->rs2;
	value by = num(l->i64, n);
	if (out->encoding == ENCODING_F) {
		value x = SHL(ZEXT(get_words(l, i->rs1), l->w64), num(l->w64, n));
		put(l, i->rd, out, b ? ADD(x, get_fulls(l, b)) : x, NULL);
		return;
	}
	value first = AND(get_base(l, i->rs1), num(l->i64, 0xffffffff)), stride = get_stride(l, i->rs1);
	if (encoding_affine(encoding_of(l, i->rs1))) {
		value last = ADD(first, MUL(stride, num(l->i64, LANES - 1)));
		guard(l, AND(fits32(l, stride), ICMP(EQ, LSHR(last, num(l->i64, 32)), num(l->i64, 0))), SUPERBLOCK_ENCODING);
	}
	value base = ADD(SHL(first, by), get_base(l, b));
	put(l, i->rd, out, base, ADD(SHL(stride, by), get_stride(l, b)));
}

static void op_compare(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	bool imm = has_immediate(i->op), is_signed = i->op == OP_slt || i->op == OP_slti;
	bool uniform = out->encoding == ENCODING_U32;
	bool word = !uniform && encoding_word(encoding_of(l, i->rs1)) && (imm || encoding_word(encoding_of(l, i->rs2)));
	value x = get_bits(l, i->rs1, word, uniform);
	value y = imm ? num(TYPE(x), (uint64_t)(int64_t)i->imm) : get_bits(l, i->rs2, word, uniform);
	value r = is_signed ? ICMP(SLT, x, y) : ICMP(ULT, x, y);
	put(l, i->rd, out, ZEXT(r, uniform ? l->i64 : l->w32), NULL);
}

static void op_czero(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	bool uniform = encoding_uniform(out);
	value y = encoding_uniform(encoding_of(l, i->rs2)) ? get_u64(l, i->rs2) : NULL, r;
	value zero = y ? ICMP(EQ, y, num(l->i64, 0)) : NULL;
	value x = get_bits(l, i->rs1, out->encoding == ENCODING_W, uniform);
	if (!zero) {
		y = encoding_word(encoding_of(l, i->rs2)) ? get_words(l, i->rs2) : get_fulls(l, i->rs2);
		zero = ICMP(EQ, y, LIKE(y, 0));
	}
	r = i->op == OP_czero_eqz ? SELECT(zero, LIKE(x, 0), x) : SELECT(zero, x, LIKE(x, 0));
	put(l, i->rd, out, r, NULL);
}

static value orc_b(struct lower *l, value x)
{
	x = OR(x, AND(LSHR(x, LIKE(x, 4)), LIKE(x, 0x0f0f0f0f0f0f0f0full)));
	x = OR(x, AND(LSHR(x, LIKE(x, 2)), LIKE(x, 0x0303030303030303ull)));
	x = OR(x, LSHR(x, LIKE(x, 1)));
	return MUL(AND(x, LIKE(x, 0x0101010101010101ull)), LIKE(x, 0xff));
}

static value unary(struct lower *l, unsigned op, value x)
{
	value args[] = { x, num(l->i1, 0) };
	unsigned bits = op == OP_sext_b ? 24 : 16;
	switch (op) {
	case OP_clz: case OP_clzw: return intrinsic(l, "llvm.ctlz", TYPE(x), args, 2);
	case OP_ctz: case OP_ctzw: return intrinsic(l, "llvm.cttz", TYPE(x), args, 2);
	case OP_cpop: case OP_cpopw: return intrinsic(l, "llvm.ctpop", TYPE(x), args, 1);
	case OP_sext_b: case OP_sext_h: return ASHR(SHL(x, LIKE(x, bits)), LIKE(x, bits));
	case OP_zext_h: return AND(x, LIKE(x, 0xffff));
	case OP_orc_b: return orc_b(l, x);
	default: return intrinsic(l, "llvm.bswap", TYPE(x), args, 1);
	}
}

static void op_unary(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	bool uniform = encoding_uniform(out);
	bool word = i->op != OP_clz && i->op != OP_ctz && i->op != OP_cpop && i->op != OP_orc_b && i->op != OP_rev8;
	value x = get_bits(l, i->rs1, word, uniform);
	value r = unary(l, i->op, x);
	if (uniform && word)
		r = SEXT(r, l->i64);
	else if (!uniform && !word && out->encoding == ENCODING_W)
		r = TRUNC(r, l->w32);
	put(l, i->rd, out, r, NULL);
}

/* A right shift whose result is a word. */
static void op_shift_right(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	if (out->encoding == ENCODING_U32 || out->encoding == ENCODING_U64 || out->encoding == ENCODING_F) {
		op_lanes(l, i, out, false);
	} else if (i->op == OP_srai) {
		value x = get_words(l, i->rs1);
		put(l, i->rd, out, ASHR(x, LIKE(x, i->imm > 31 ? 31 : (uint64_t)i->imm)), NULL);
	} else {
		value x = get_fulls(l, i->rs1);
		put(l, i->rd, out, TRUNC(LSHR(x, LIKE(x, (uint64_t)i->imm)), l->w32), NULL);
	}
}

void lower_int(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	if (out->known) {
		put(l, i->rd, out, NULL, NULL);
		return;
	}
	switch ((enum isa_op)i->op) {
	case OP_addi:
		if (i->imm)
			op_linear(l, i, out);
		else
			put(l, i->rd, out, l->r[i->rs1].a, l->r[i->rs1].b);
		return;
	case OP_add:
		if (i->rs1 == 0 || i->rs2 == 0) {
			struct val v = l->r[i->rs1 == 0 ? i->rs2 : i->rs1];
			put(l, i->rd, out, v.a, v.b);
			return;
		}
		/* fall through */
	case OP_sub: case OP_sh1add: case OP_sh2add: case OP_sh3add: case OP_slli:
		op_linear(l, i, out);
		return;
	case OP_add_uw: case OP_sh1add_uw: case OP_sh2add_uw: case OP_sh3add_uw: case OP_slli_uw:
		op_shift_add_uw(l, i, out);
		return;
	case OP_addiw:
		if (i->imm == 0 && encoding_word(encoding_of(l, i->rs1))) {
			put(l, i->rd, out, l->r[i->rs1].a, l->r[i->rs1].b);
			return;
		}
		/* fall through */
	case OP_addw: case OP_subw: case OP_slliw: case OP_mulw:
		op_linear_word(l, i, out);
		return;
	case OP_mul:
		op_mul(l, i, out);
		return;
	case OP_andi: /* a mask that is not negative leaves a word of any value */
		op_lanes(l, i, out, is_word_encoding(out));
		return;
	case OP_ori: case OP_xori: case OP_and_: case OP_or_: case OP_xor_: case OP_andn: case OP_orn: case OP_xnor:
	case OP_min: case OP_max: case OP_minu: case OP_maxu:
		op_lanes(l, i, out, is_word_encoding(out));
		return;
	case OP_czero_eqz: case OP_czero_nez:
		op_czero(l, i, out);
		return;
	case OP_slt: case OP_sltu: case OP_slti: case OP_sltiu:
		op_compare(l, i, out);
		return;
	case OP_sllw: case OP_srlw: case OP_sraw: case OP_rolw: case OP_rorw: case OP_srliw: case OP_sraiw: case OP_roriw:
	case OP_divw: case OP_divuw: case OP_remw: case OP_remuw:
		op_lanes(l, i, out, true);
		return;
	case OP_srai: case OP_srli:
		op_shift_right(l, i, out);
		return;
	case OP_clz: case OP_ctz: case OP_cpop: case OP_clzw: case OP_ctzw: case OP_cpopw: case OP_sext_b: case OP_sext_h:
	case OP_zext_h: case OP_orc_b: case OP_rev8:
		op_unary(l, i, out);
		return;
	default:
		op_lanes(l, i, out, false);
	}
}
