/* SPIR-V's arithmetic, conversions and composites. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>
#include <string.h>

/* ---- one instruction of the IR for one of SPIR-V ---- */
enum shape { BINARY = 1, UNARY, CAST, COMPARE };
static const struct row { uint16_t opcode; uint8_t shape; const char *text; } rows[] = {
	{ OP_IAdd, BINARY, "add" }, { OP_FAdd, BINARY, "fadd" }, { OP_ISub, BINARY, "sub" }, { OP_FSub, BINARY, "fsub" }, { OP_IMul, BINARY, "mul" }, { OP_FMul, BINARY, "fmul" },
	{ OP_UDiv, BINARY, "udiv" }, { OP_SDiv, BINARY, "sdiv" }, { OP_FDiv, BINARY, "fdiv" }, { OP_UMod, BINARY, "urem" }, { OP_SRem, BINARY, "srem" },
	{ OP_LogicalOr, BINARY, "or" }, { OP_LogicalAnd, BINARY, "and" }, { OP_BitwiseOr, BINARY, "or" }, { OP_BitwiseXor, BINARY, "xor" }, { OP_BitwiseAnd, BINARY, "and" },
	{ OP_LogicalEqual, COMPARE, "icmp eq" }, { OP_LogicalNotEqual, COMPARE, "icmp ne" }, { OP_IEqual, COMPARE, "icmp eq" }, { OP_INotEqual, COMPARE, "icmp ne" }, { OP_UGreaterThan, COMPARE, "icmp ugt" },
	{ OP_SGreaterThan, COMPARE, "icmp sgt" }, { OP_UGreaterThanEqual, COMPARE, "icmp uge" }, { OP_SGreaterThanEqual, COMPARE, "icmp sge" }, { OP_ULessThan, COMPARE, "icmp ult" }, { OP_SLessThan, COMPARE, "icmp slt" },
	{ OP_ULessThanEqual, COMPARE, "icmp ule" }, { OP_SLessThanEqual, COMPARE, "icmp sle" }, { OP_FOrdEqual, COMPARE, "fcmp oeq" }, { OP_FUnordEqual, COMPARE, "fcmp ueq" }, { OP_FOrdNotEqual, COMPARE, "fcmp one" },
	{ OP_FUnordNotEqual, COMPARE, "fcmp une" }, { OP_FOrdLessThan, COMPARE, "fcmp olt" }, { OP_FUnordLessThan, COMPARE, "fcmp ult" }, { OP_FOrdGreaterThan, COMPARE, "fcmp ogt" }, { OP_FUnordGreaterThan, COMPARE, "fcmp ugt" },
	{ OP_FOrdLessThanEqual, COMPARE, "fcmp ole" }, { OP_FUnordLessThanEqual, COMPARE, "fcmp ule" }, { OP_FOrdGreaterThanEqual, COMPARE, "fcmp oge" }, { OP_FUnordGreaterThanEqual, COMPARE, "fcmp uge" },
	{ OP_ConvertFToU, CAST, "fptoui" }, { OP_ConvertFToS, CAST, "fptosi" }, { OP_ConvertSToF, CAST, "sitofp" }, { OP_ConvertUToF, CAST, "uitofp" }, { OP_Bitcast, CAST, "bitcast" }, { OP_FNegate, UNARY, "fneg" },
};

static const char *ir_of(struct spv *s, uint32_t value)
{
	const struct spv_id *v = spv_id(s, value);
	return v ? spv_ir(s, v->type) : "void";
}

static bool by_row(struct spv *s, const struct row *r)
{
	const uint32_t *w = s->at;
	switch (r->shape) {
	case UNARY: return spv_result(s, "%s %s %s", r->text, ir_of(s, w[3]), spv_value(s, w[3]));
	case CAST: return spv_result(s, "%s %s %s to %s", r->text, ir_of(s, w[3]), spv_value(s, w[3]), spv_ir(s, w[1]));
	default: return spv_result(s, "%s %s %s, %s", r->text, ir_of(s, w[3]), spv_value(s, w[3]), spv_value(s, w[4]));
	}
}

/* A constant of a type, a vector of which it is every element. */
static const char *splat(struct spv *s, uint32_t type, const char *text)
{
	struct spv_id *t = spv_type(s, type);
	struct bytes out = { 0 };
	if (!t || t->kind != SPV_VECTOR)
		return text;
	for (uint32_t i = 0; i < t->count; i++)
		bytes_format(&out, "%s%s %s", i ? ", " : "<", spv_ir(s, t->type), text);
	bytes_text(&out, ">");
	bytes_add(&out, "", 1);
	return out.data;
}

/* A conversion between widths: the wider one decides. */
static bool convert(struct spv *s, uint16_t op)
{
	const uint32_t *w = s->at;
	const struct spv_id *from = spv_scalar(s, spv_type_of(s, w[3])), *to = spv_scalar(s, spv_type(s, w[1]));
	if (!from || !to)
		return false;
	const char *name = to->width == from->width ? "bitcast" : to->width > from->width ? (op == OP_FConvert ? "fpext" : op == OP_SConvert ? "sext" : "zext") :
								   op == OP_FConvert ? "fptrunc" : "trunc";
	return spv_result(s, "%s %s %s to %s", name, ir_of(s, w[3]), spv_value(s, w[3]), spv_ir(s, w[1]));
}

static bool shift(struct spv *s, const char *name)
{
	const uint32_t *w = s->at;
	const struct spv_id *value = spv_scalar(s, spv_type(s, w[1])), *by = spv_scalar(s, spv_type_of(s, w[4]));
	if (!value || !by)
		return false;
	const char *amount = spv_value(s, w[4]);
	if (value->width != by->width)
		amount = spv_let(s, "%s %s %s to %s", value->width > by->width ? "zext" : "trunc", ir_of(s, w[4]), amount, spv_ir(s, w[1]));
	return spv_result(s, "%s %s %s, %s", name, spv_ir(s, w[1]), spv_value(s, w[3]), amount);
}

/* The booleans that a comparison of values of the type gives, in IR. */
static const char *truths_ir(struct spv *s, uint32_t type)
{
	const struct spv_id *t = spv_type(s, type);
	return t && t->kind == SPV_VECTOR ? clc_format("<%u x i1>", t->count) : "i1";
}

/* The sign of the result is that of the divisor. */
static bool floor_modulo(struct spv *s, bool is_float)
{
	const uint32_t *w = s->at;
	const char *ir = spv_ir(s, w[1]), *a = spv_value(s, w[3]), *b = spv_value(s, w[4]);
	if (is_float) {
		const char *quotient = spv_let(s, "fdiv %s %s, %s", ir, a, b), *floored = spv_call_math(s, "floor", spv_type(s, w[1]), 1, &quotient);
		return spv_result(s, "fsub %s %s, %s", ir, a, spv_let(s, "fmul %s %s, %s", ir, b, floored));
	}
	const char *zero = splat(s, w[1], "0"), *lanes = truths_ir(s, w[1]);
	const char *rest = spv_let(s, "srem %s %s, %s", ir, a, b), *some = spv_let(s, "icmp ne %s %s, %s", ir, rest, zero);
	const char *signs = spv_let(s, "xor %s %s, %s", ir, rest, b), *differ = spv_let(s, "icmp slt %s %s, %s", ir, signs, zero);
	const char *both = spv_let(s, "and %s %s, %s", lanes, some, differ), *moved = spv_let(s, "add %s %s, %s", ir, rest, b);
	return spv_result(s, "select %s %s, %s %s, %s %s", lanes, both, ir, moved, ir, rest);
}

/* ---- vectors and matrices ---- */
/* The vector of which a scalar is every element. */
static const char *broadcast(struct spv *s, uint32_t type, const char *scalar)
{
	const struct spv_id *t = spv_type(s, type);
	const char *v = "undef";
	for (uint32_t i = 0; t && i < t->count; i++)
		v = spv_insert(s, type, v, t->type, scalar, i);
	return v;
}

static const char *dot(struct spv *s, uint32_t type, const char *a, const char *b)
{
	const struct spv_id *t = spv_type(s, type);
	const char *sum = NULL;
	if (!t || t->kind != SPV_VECTOR)
		return "undef";
	const char *product = spv_let(s, "fmul %s %s, %s", spv_ir(s, type), a, b);
	for (uint32_t i = 0; i < t->count; i++) {
		const char *e = spv_extract(s, type, product, i);
		sum = sum ? spv_let(s, "fadd %s %s, %s", spv_ir(s, t->type), sum, e) : e;
	}
	return sum;
}

/* matrix times vector: the sum of the columns, each times its element */
static const char *matrix_vector(struct spv *s, uint32_t matrix_type, const char *matrix, uint32_t vector_type, const char *vector)
{
	const struct spv_id *m = spv_type(s, matrix_type);
	const char *sum = NULL;
	for (uint32_t i = 0; m && i < m->count; i++) {
		const char *c = spv_extract(s, matrix_type, matrix, i), *e = broadcast(s, m->type, spv_extract(s, vector_type, vector, i));
		const char *product = spv_let(s, "fmul %s %s, %s", spv_ir(s, m->type), c, e);
		sum = sum ? spv_let(s, "fadd %s %s, %s", spv_ir(s, m->type), sum, product) : product;
	}
	return sum ? sum : "undef";
}

static bool matrix(struct spv *s, uint16_t op)
{
	const uint32_t *w = s->at;
	const struct spv_id *a = spv_type_of(s, w[3]), *b = op == OP_Transpose ? a : spv_type_of(s, w[4]), *r = spv_type(s, w[1]);
	const uint32_t ta = a ? spv_id(s, w[3])->type : 0, tb = b && op != OP_Transpose ? spv_id(s, w[4])->type : ta;
	const char *columns[4] = { 0 };
	if (!a || !b || !r || r->count > 4)
		return spv_fail(s, "operands of a matrix operation");
	if ((op == OP_MatrixTimesVector || op == OP_MatrixTimesMatrix || op == OP_MatrixTimesScalar || op == OP_Transpose ? a->kind != SPV_MATRIX : a->kind != SPV_VECTOR) ||
	    (op == OP_VectorTimesMatrix || op == OP_MatrixTimesMatrix ? b->kind != SPV_MATRIX : op == OP_MatrixTimesVector || op == OP_OuterProduct ? b->kind != SPV_VECTOR : false))
		return spv_fail(s, "operands of a matrix operation");
	const char *va = spv_value(s, w[3]), *vb = op == OP_Transpose ? "" : spv_value(s, w[4]);
	if (op == OP_MatrixTimesVector)
		return spv_define(s, matrix_vector(s, ta, va, tb, vb));
	if (op != OP_VectorTimesMatrix && r->kind != SPV_MATRIX)
		return spv_fail(s, "the result is no matrix");
	for (uint32_t i = 0; i < r->count; i++) {
		if (op == OP_MatrixTimesScalar)
			columns[i] = spv_let(s, "fmul %s %s, %s", spv_ir(s, a->type), spv_extract(s, ta, va, i), broadcast(s, a->type, vb));
		else if (op == OP_MatrixTimesMatrix)
			columns[i] = matrix_vector(s, ta, va, b->type, spv_extract(s, tb, vb, i));
		else if (op == OP_VectorTimesMatrix)
			columns[i] = dot(s, ta, va, spv_extract(s, tb, vb, i));
		else if (op == OP_OuterProduct)
			columns[i] = spv_let(s, "fmul %s %s, %s", spv_ir(s, ta), va, broadcast(s, ta, spv_extract(s, tb, vb, i)));
		else { /* row i becomes column i */
			columns[i] = "undef";
			for (uint32_t k = 0; k < a->count; k++)
				columns[i] = spv_insert(s, r->type, columns[i], spv_type(s, r->type)->type, spv_extract(s, a->type, spv_extract(s, ta, va, k), i), k);
		}
	}
	const char *whole = "undef";
	for (uint32_t i = 0; i < r->count; i++)
		whole = spv_insert(s, w[1], whole, r->type, columns[i], i);
	return spv_define(s, whole);
}

/* ---- the rest ---- */
static bool any_all(struct spv *s, bool all)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_type_of(s, w[3]);
	if (!t || t->kind != SPV_VECTOR)
		return spv_fail(s, "any or all of no vector");
	const uint32_t type = spv_id(s, w[3])->type;
	const char *v = spv_extract(s, type, spv_value(s, w[3]), 0);
	for (uint32_t i = 1; i < t->count; i++)
		v = spv_let(s, "%s i1 %s, %s", all ? "and" : "or", v, spv_extract(s, type, spv_value(s, w[3]), i));
	return spv_define(s, v);
}

static bool is_infinite(struct spv *s)
{
	const uint32_t *w = s->at;
	const struct spv_id *scalar = spv_scalar(s, spv_type_of(s, w[3]));
	const char *value = spv_value(s, w[3]);
	if (!scalar || scalar->kind != SPV_FLOAT)
		return spv_fail(s, "infinity of no number");
	const char *absolute = spv_call_math(s, "fabs", spv_type_of(s, w[3]), 1, &value);
	return spv_result(s, "fcmp oeq %s %s, %s", ir_of(s, w[3]), absolute,
			  splat(s, spv_id(s, w[3])->type, scalar->width == 16 ? "0xH7C00" : "0x7FF0000000000000"));
}

/* A structure of the result and what went beyond it. */
static bool extended(struct spv *s, uint16_t op)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_scalar(s, spv_type_of(s, w[3]));
	if (!t || t->kind != SPV_INT || t->width != 32)
		return spv_fail(s, "an extended operation on what is no integer of 32 bits");
	const uint32_t type = spv_id(s, w[3])->type, lanes = spv_lanes(spv_type(s, type));
	const char *ir = spv_ir(s, type), *wide[2], *wide_ir = lanes > 1 ? clc_format("<%u x i64>", lanes) : "i64";
	char *shift_by = lanes > 1 ? clc_format("<i64 32, i64 32%s%s>", lanes > 2 ? ", i64 32" : "", lanes > 3 ? ", i64 32" : "") : clc_format("32");
	for (unsigned i = 0; i < 2; i++)
		wide[i] = spv_let(s, "%s %s %s to %s", op == OP_SMulExtended ? "sext" : "zext", ir, spv_value(s, w[3 + i]), wide_ir);
	const char *both = spv_let(s, "%s %s %s, %s", op == OP_IAddCarry ? "add" : op == OP_ISubBorrow ? "sub" : "mul", wide_ir, wide[0], wide[1]);
	const char *shifted = spv_let(s, "lshr %s %s, %s", wide_ir, both, shift_by);
	free(shift_by);
	const char *low = spv_let(s, "trunc %s %s to %s", wide_ir, both, ir), *high = spv_let(s, "trunc %s %s to %s", wide_ir, shifted, ir);
	if (op == OP_ISubBorrow)
		high = spv_let(s, "and %s %s, %s", ir, high, splat(s, type, "1"));
	return spv_define(s, spv_insert(s, w[1], spv_insert(s, w[1], "undef", type, low, 0), type, high, 1));
}

/* Offset and count are scalars, and apply to each element. */
static const char *lane_number(struct spv *s, uint32_t id, uint32_t type)
{
	const struct spv_id *t = spv_type(s, type), *scalar = spv_scalar(s, spv_type(s, type)), *of = spv_type_of(s, id);
	const char *v = spv_value(s, id);
	if (!t || !scalar || !of)
		return "undef";
	if (of->width != scalar->width)
		v = spv_let(s, "%s i%u %s to i%u", of->width < scalar->width ? "zext" : "trunc", of->width, v, scalar->width);
	return t->kind == SPV_VECTOR ? broadcast(s, type, v) : v;
}

static bool bit_field(struct spv *s, uint16_t op)
{
	const uint32_t *w = s->at;
	const struct spv_id *scalar = spv_scalar(s, spv_type(s, w[1]));
	const uint32_t at = op == OP_BitFieldInsert ? 5 : 4;
	if (!scalar || scalar->kind != SPV_INT)
		return spv_fail(s, "a bit field of no integer");
	const char *ir = spv_ir(s, w[1]), *offset = lane_number(s, w[at], w[1]), *count = lane_number(s, w[at + 1], w[1]);
	char *bits = clc_format("%u", scalar->width);
	const char *width = splat(s, w[1], bits), *lanes = truths_ir(s, w[1]), *one = splat(s, w[1], "1"), *ones = splat(s, w[1], "-1");
	/* (1 << count) - 1; a count of all bits shifts by too much */
	const char *some = spv_let(s, "sub %s %s, %s", ir, spv_let(s, "shl %s %s, %s", ir, one, count), one);
	const char *all = spv_let(s, "icmp uge %s %s, %s", ir, count, width), *field = spv_let(s, "select %s %s, %s %s, %s %s", lanes, all, ir, ones, ir, some);
	if (op == OP_BitFieldInsert) {
		const char *mask = spv_let(s, "shl %s %s, %s", ir, field, offset), *others = spv_let(s, "xor %s %s, %s", ir, mask, ones);
		const char *kept = spv_let(s, "and %s %s, %s", ir, spv_value(s, w[3]), others), *shifted = spv_let(s, "shl %s %s, %s", ir, spv_value(s, w[4]), offset);
		return spv_result(s, "or %s %s, %s", ir, kept, spv_let(s, "and %s %s, %s", ir, shifted, mask));
	}
	const char *shifted = spv_let(s, "lshr %s %s, %s", ir, spv_value(s, w[3]), offset), *value = spv_let(s, "and %s %s, %s", ir, shifted, field);
	if (op != OP_BitFieldSExtract)
		return spv_define(s, value);
	/* the sign bit of the field: (v ^ m) - m, m being its value; 0 for an empty field */
	const char *m = spv_let(s, "xor %s %s, %s", ir, field, spv_let(s, "lshr %s %s, %s", ir, field, one));
	return spv_result(s, "sub %s %s, %s", ir, spv_let(s, "xor %s %s, %s", ir, value, m), m);
}

static bool intrinsic(struct spv *s, const char *name)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_type_of(s, w[3]), *scalar = spv_scalar(s, spv_type_of(s, w[3]));
	if (!t || !scalar || scalar->kind != SPV_INT)
		return spv_fail(s, "bits of no integer");
	const char *ir = ir_of(s, w[3]);
	char *suffix = t->kind == SPV_VECTOR ? clc_format("v%ui%u", t->count, scalar->width) : clc_format("i%u", scalar->width);
	spv_declare(s, "declare %s @llvm.%s.%s(%s)", ir, name, suffix, ir);
	const bool ok = spv_result(s, "call %s @llvm.%s.%s(%s %s)", ir, name, suffix, ir, spv_value(s, w[3]));
	free(suffix);
	return ok;
}

bool spv_arith(struct spv *s, uint16_t op, bool *known)
{
	const uint32_t *w = s->at;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].opcode == op)
			return by_row(s, &rows[i]);
	switch (op) {
	case OP_Transpose: case OP_MatrixTimesScalar: case OP_VectorTimesMatrix: case OP_MatrixTimesVector: case OP_MatrixTimesMatrix: case OP_OuterProduct: return matrix(s, op);
	case OP_UConvert: case OP_SConvert: case OP_FConvert: return convert(s, op);
	case OP_SNegate: return spv_result(s, "sub %s zeroinitializer, %s", spv_ir(s, w[1]), spv_value(s, w[3]));
	case OP_SMod: return floor_modulo(s, false);
	case OP_FRem: { /* the sign is that of the dividend */
		const char *const arguments[2] = { spv_value(s, w[3]), spv_value(s, w[4]) };
		return spv_define(s, spv_call_math(s, "fmod", spv_type(s, w[1]), 2, arguments));
	}
	case OP_FMod: return floor_modulo(s, true);
	case OP_VectorTimesScalar: return spv_result(s, "fmul %s %s, %s", spv_ir(s, w[1]), spv_value(s, w[3]), broadcast(s, w[1], spv_value(s, w[4])));
	case OP_Dot: return spv_define(s, dot(s, spv_id(s, w[3]) ? spv_id(s, w[3])->type : 0, spv_value(s, w[3]), spv_value(s, w[4])));
	case OP_IAddCarry: case OP_ISubBorrow: case OP_UMulExtended: case OP_SMulExtended: return extended(s, op);
	case OP_Any: return any_all(s, false);
	case OP_All: return any_all(s, true);
	case OP_IsNan: return spv_result(s, "fcmp uno %s %s, %s", ir_of(s, w[3]), spv_value(s, w[3]), spv_value(s, w[3]));
	case OP_IsInf: return is_infinite(s);
	case OP_LogicalNot: return spv_result(s, "xor %s %s, %s", spv_ir(s, w[1]), spv_value(s, w[3]), splat(s, w[1], "true"));
	case OP_Select:
		return spv_result(s, "select %s %s, %s %s, %s %s", ir_of(s, w[3]), spv_value(s, w[3]), spv_ir(s, w[1]), spv_value(s, w[4]), spv_ir(s, w[1]),
				  spv_value(s, w[5]));
	case OP_ShiftRightLogical: return shift(s, "lshr");
	case OP_ShiftRightArithmetic: return shift(s, "ashr");
	case OP_ShiftLeftLogical: return shift(s, "shl");
	case OP_Not: return spv_result(s, "xor %s %s, %s", spv_ir(s, w[1]), spv_value(s, w[3]), splat(s, w[1], "-1"));
	case OP_BitFieldInsert: case OP_BitFieldSExtract: case OP_BitFieldUExtract: return bit_field(s, op);
	case OP_BitReverse: return intrinsic(s, "bitreverse");
	case OP_BitCount: return intrinsic(s, "ctpop");
	}
	*known = false;
	return false;
}
