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

/* The result's name; its type is known from now on. */
static const char *result(struct spv *s)
{
	struct spv_id *r = spv_id(s, s->at[2]);
	if (!r || !spv_type(s, s->at[1]))
		return "%undefined";
	if (!spv_becomes(s, r, s->at[1]))
		return "%undefined";
	return spv_value(s, s->at[2]);
}

static bool by_row(struct spv *s, const struct row *r)
{
	const uint32_t *w = s->at;
	const char *name = result(s);
	switch (r->shape) {
	case UNARY: spv_emit(s, "  %s = %s %s %s\n", name, r->text, ir_of(s, w[3]), spv_value(s, w[3])); break;
	case CAST: spv_emit(s, "  %s = %s %s %s to %s\n", name, r->text, ir_of(s, w[3]), spv_value(s, w[3]), spv_ir(s, w[1])); break;
	default: spv_emit(s, "  %s = %s %s %s, %s\n", name, r->text, ir_of(s, w[3]), spv_value(s, w[3]), spv_value(s, w[4])); break;
	}
	return !s->failed;
}

/* A constant of a type, a vector of which it is every element. */
static const char *splat(struct spv *s, uint32_t type, const char *text)
{
	struct spv_id *t = spv_type(s, type);
	struct bytes out = { 0 };
	if (!t || t->kind != SPV_VECTOR)
		return text;
	for (uint32_t i = 0; i < t->count; i++) {
		char *part = clc_format("%s%s %s", i ? ", " : "<", spv_ir(s, t->type), text);
		bytes_text(&out, part);
		free(part);
	}
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
	spv_emit(s, "  %s = %s %s %s to %s\n", result(s), name, ir_of(s, w[3]), spv_value(s, w[3]), spv_ir(s, w[1]));
	return !s->failed;
}

static bool shift(struct spv *s, const char *name)
{
	const uint32_t *w = s->at;
	const struct spv_id *value = spv_scalar(s, spv_type(s, w[1])), *by = spv_scalar(s, spv_type_of(s, w[4]));
	if (!value || !by)
		return false;
	const char *amount = spv_value(s, w[4]);
	if (value->width != by->width) {
		const char *t = spv_temporary(s);
		spv_emit(s, "  %s = %s %s %s to %s\n", t, value->width > by->width ? "zext" : "trunc", ir_of(s, w[4]), amount, spv_ir(s, w[1]));
		amount = t;
	}
	spv_emit(s, "  %s = %s %s %s, %s\n", result(s), name, spv_ir(s, w[1]), spv_value(s, w[3]), amount);
	return !s->failed;
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
	const char *ir = spv_ir(s, w[1]), *a = spv_value(s, w[3]), *b = spv_value(s, w[4]), *t[6];
	for (unsigned i = 0; i < 6; i++)
		t[i] = spv_temporary(s);
	if (is_float) {
		spv_emit(s, "  %s = fdiv %s %s, %s\n", t[0], ir, a, b);
		const char *floored = spv_call_math(s, "floor", spv_type(s, w[1]), 1, &t[0]);
		spv_emit(s, "  %s = fmul %s %s, %s\n  %s = fsub %s %s, %s\n", t[1], ir, b, floored, result(s), ir, a, t[1]);
		return !s->failed;
	}
	const char *zero = splat(s, w[1], "0"), *lanes = truths_ir(s, w[1]);
	spv_emit(s, "  %s = srem %s %s, %s\n  %s = icmp ne %s %s, %s\n", t[0], ir, a, b, t[1], ir, t[0], zero);
	spv_emit(s, "  %s = xor %s %s, %s\n  %s = icmp slt %s %s, %s\n  %s = and %s %s, %s\n", t[2], ir, t[0], b, t[3], ir, t[2], zero, t[4], lanes, t[1], t[3]);
	spv_emit(s, "  %s = add %s %s, %s\n  %s = select %s %s, %s %s, %s %s\n", t[5], ir, t[0], b, result(s), lanes, t[4], ir, t[5], ir, t[0]);
	return !s->failed;
}

/* ---- vectors and matrices ---- */
static const char *element(struct spv *s, const char *ir, const char *vector, uint32_t i)
{
	const char *t = spv_temporary(s);
	spv_emit(s, "  %s = extractelement %s %s, i32 %u\n", t, ir, vector, i);
	return t;
}

/* The vector of which a scalar is every element. */
static const char *broadcast(struct spv *s, uint32_t type, const char *scalar)
{
	const struct spv_id *t = spv_type(s, type);
	const char *v = "undef";
	for (uint32_t i = 0; t && i < t->count; i++) {
		const char *next = spv_temporary(s);
		spv_emit(s, "  %s = insertelement %s %s, %s %s, i32 %u\n", next, spv_ir(s, type), v, spv_ir(s, t->type), scalar, i);
		v = next;
	}
	return v;
}

static const char *dot(struct spv *s, uint32_t type, const char *a, const char *b)
{
	const struct spv_id *t = spv_type(s, type);
	const char *product = spv_temporary(s), *sum = NULL;
	if (!t || t->kind != SPV_VECTOR)
		return "undef";
	spv_emit(s, "  %s = fmul %s %s, %s\n", product, spv_ir(s, type), a, b);
	for (uint32_t i = 0; i < t->count; i++) {
		const char *e = element(s, spv_ir(s, type), product, i), *next = spv_temporary(s);
		if (sum)
			spv_emit(s, "  %s = fadd %s %s, %s\n", next, spv_ir(s, t->type), sum, e);
		sum = sum ? next : e;
	}
	return sum;
}

static const char *column(struct spv *s, const char *ir, const char *matrix, uint32_t i)
{
	const char *t = spv_temporary(s);
	spv_emit(s, "  %s = extractvalue %s %s, %u\n", t, ir, matrix, i);
	return t;
}

/* matrix times vector: the sum of the columns, each times its element */
static const char *matrix_vector(struct spv *s, uint32_t matrix_type, const char *matrix, uint32_t vector_type, const char *vector)
{
	const struct spv_id *m = spv_type(s, matrix_type);
	const char *sum = NULL;
	for (uint32_t i = 0; m && i < m->count; i++) {
		const char *c = column(s, spv_ir(s, matrix_type), matrix, i), *e = broadcast(s, m->type, element(s, spv_ir(s, vector_type), vector, i));
		const char *product = spv_temporary(s), *next = spv_temporary(s);
		spv_emit(s, "  %s = fmul %s %s, %s\n", product, spv_ir(s, m->type), c, e);
		if (sum)
			spv_emit(s, "  %s = fadd %s %s, %s\n", next, spv_ir(s, m->type), sum, product);
		sum = sum ? next : product;
	}
	return sum ? sum : "undef";
}

static bool define_matrix(struct spv *s, const char *const *columns)
{
	const struct spv_id *m = spv_type(s, s->at[1]);
	const char *whole = "undef";
	if (!m || m->kind != SPV_MATRIX)
		return spv_fail(s, "the result is no matrix");
	for (uint32_t i = 0; i < m->count; i++) {
		const char *next = spv_temporary(s);
		spv_emit(s, "  %s = insertvalue %s %s, %s %s, %u\n", next, spv_ir(s, s->at[1]), whole, spv_ir(s, m->type), columns[i], i);
		whole = next;
	}
	return spv_define(s, s->at[2], s->at[1], whole);
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
		return spv_define(s, w[2], w[1], matrix_vector(s, ta, va, tb, vb));
	for (uint32_t i = 0; i < r->count; i++) {
		columns[i] = spv_temporary(s);
		if (op == OP_MatrixTimesScalar)
			spv_emit(s, "  %s = fmul %s %s, %s\n", columns[i], spv_ir(s, a->type), column(s, spv_ir(s, ta), va, i), broadcast(s, a->type, vb));
		else if (op == OP_MatrixTimesMatrix)
			columns[i] = matrix_vector(s, ta, va, b->type, column(s, spv_ir(s, tb), vb, i));
		else if (op == OP_VectorTimesMatrix)
			columns[i] = dot(s, ta, va, column(s, spv_ir(s, tb), vb, i));
		else if (op == OP_OuterProduct)
			spv_emit(s, "  %s = fmul %s %s, %s\n", columns[i], spv_ir(s, ta), va, broadcast(s, ta, element(s, spv_ir(s, tb), vb, i)));
		else { /* row i becomes column i */
			const char *v = "undef";
			for (uint32_t k = 0; k < a->count; k++) {
				const char *next = spv_temporary(s), *e = element(s, spv_ir(s, a->type), column(s, spv_ir(s, ta), va, k), i);
				spv_emit(s, "  %s = insertelement %s %s, %s %s, i32 %u\n", next, spv_ir(s, r->type), v, spv_ir(s, spv_type(s, r->type)->type), e, k);
				v = next;
			}
			columns[i] = v;
		}
	}
	if (op != OP_VectorTimesMatrix)
		return define_matrix(s, columns);
	const char *v = "undef";
	for (uint32_t i = 0; i < r->count; i++) {
		const char *next = spv_temporary(s);
		spv_emit(s, "  %s = insertelement %s %s, %s %s, i32 %u\n", next, spv_ir(s, w[1]), v, spv_ir(s, r->type), columns[i], i);
		v = next;
	}
	return spv_define(s, w[2], w[1], v);
}

/* ---- the rest ---- */
static bool any_all(struct spv *s, bool all)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_type_of(s, w[3]);
	if (!t || t->kind != SPV_VECTOR)
		return spv_fail(s, "any or all of no vector");
	const char *v = element(s, ir_of(s, w[3]), spv_value(s, w[3]), 0);
	for (uint32_t i = 1; i < t->count; i++) {
		const char *e = element(s, ir_of(s, w[3]), spv_value(s, w[3]), i), *next = spv_temporary(s);
		spv_emit(s, "  %s = %s i1 %s, %s\n", next, all ? "and" : "or", v, e);
		v = next;
	}
	return spv_define(s, w[2], w[1], v);
}

static bool is_infinite(struct spv *s)
{
	const uint32_t *w = s->at;
	const struct spv_id *scalar = spv_scalar(s, spv_type_of(s, w[3]));
	const char *value = spv_value(s, w[3]);
	if (!scalar || scalar->kind != SPV_FLOAT)
		return spv_fail(s, "infinity of no number");
	const char *absolute = spv_call_math(s, "fabs", spv_type_of(s, w[3]), 1, &value);
	spv_emit(s, "  %s = fcmp oeq %s %s, %s\n", result(s), ir_of(s, w[3]), absolute,
		 splat(s, spv_id(s, w[3])->type, scalar->width == 16 ? "0xH7C00" : "0x7FF0000000000000"));
	return !s->failed;
}

/* A structure of the result and what went beyond it. */
static bool extended(struct spv *s, uint16_t op)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_scalar(s, spv_type_of(s, w[3]));
	if (!t || t->kind != SPV_INT || t->width != 32)
		return spv_fail(s, "an extended operation on what is no integer of 32 bits");
	const uint32_t type = spv_id(s, w[3])->type, lanes = spv_lanes(spv_type(s, type));
	const char *ir = spv_ir(s, type), *wide[6], *first = spv_temporary(s), *wide_ir = lanes > 1 ? clc_format("<%u x i64>", lanes) : "i64";
	char *shift_by = lanes > 1 ? clc_format("<i64 32, i64 32%s%s>", lanes > 2 ? ", i64 32" : "", lanes > 3 ? ", i64 32" : "") : clc_format("32");
	for (unsigned i = 0; i < 6; i++)
		wide[i] = spv_temporary(s);
	for (unsigned i = 0; i < 2; i++)
		spv_emit(s, "  %s = %s %s %s to %s\n", wide[i], op == OP_SMulExtended ? "sext" : "zext", ir, spv_value(s, w[3 + i]), wide_ir);
	spv_emit(s, "  %s = %s %s %s, %s\n", wide[2], op == OP_IAddCarry ? "add" : op == OP_ISubBorrow ? "sub" : "mul", wide_ir, wide[0], wide[1]);
	spv_emit(s, "  %s = lshr %s %s, %s\n", wide[3], wide_ir, wide[2], shift_by);
	free(shift_by);
	spv_emit(s, "  %s = trunc %s %s to %s\n  %s = trunc %s %s to %s\n", wide[4], wide_ir, wide[2], ir, wide[5], wide_ir, wide[3], ir);
	const char *high = wide[5];
	if (op == OP_ISubBorrow) {
		high = spv_temporary(s);
		spv_emit(s, "  %s = and %s %s, %s\n", high, ir, wide[5], splat(s, type, "1"));
	}
	spv_emit(s, "  %s = insertvalue %s undef, %s %s, 0\n  %s = insertvalue %s %s, %s %s, 1\n", first, spv_ir(s, w[1]), ir, wide[4], result(s), spv_ir(s, w[1]), first, ir,
		 high);
	return !s->failed;
}

/* Offset and count are scalars, and apply to each element. */
static const char *lane_number(struct spv *s, uint32_t id, uint32_t type)
{
	const struct spv_id *t = spv_type(s, type), *scalar = spv_scalar(s, spv_type(s, type)), *of = spv_type_of(s, id);
	const char *v = spv_value(s, id);
	if (!t || !scalar || !of)
		return "undef";
	if (of->width != scalar->width) {
		const char *next = spv_temporary(s);
		spv_emit(s, "  %s = %s i%u %s to i%u\n", next, of->width < scalar->width ? "zext" : "trunc", of->width, v, scalar->width);
		v = next;
	}
	return t->kind == SPV_VECTOR ? broadcast(s, type, v) : v;
}

static bool bit_field(struct spv *s, uint16_t op)
{
	const uint32_t *w = s->at;
	const struct spv_id *scalar = spv_scalar(s, spv_type(s, w[1]));
	const uint32_t at = op == OP_BitFieldInsert ? 5 : 4;
	if (!scalar || scalar->kind != SPV_INT)
		return spv_fail(s, "a bit field of no integer");
	const char *ir = spv_ir(s, w[1]), *offset = lane_number(s, w[at], w[1]), *count = lane_number(s, w[at + 1], w[1]), *t[8];
	char *bits = clc_format("%u", scalar->width);
	const char *width = splat(s, w[1], bits), *lanes = truths_ir(s, w[1]);
	for (unsigned i = 0; i < 8; i++)
		t[i] = spv_temporary(s);
	/* (1 << count) - 1; a count of all bits shifts by too much */
	spv_emit(s, "  %s = shl %s %s, %s\n  %s = sub %s %s, %s\n", t[0], ir, splat(s, w[1], "1"), count, t[1], ir, t[0], splat(s, w[1], "1"));
	spv_emit(s, "  %s = icmp uge %s %s, %s\n  %s = select %s %s, %s %s, %s %s\n", t[2], ir, count, width, t[3], lanes, t[2], ir, splat(s, w[1], "-1"), ir, t[1]);
	if (op == OP_BitFieldInsert) {
		spv_emit(s, "  %s = shl %s %s, %s\n  %s = xor %s %s, %s\n  %s = and %s %s, %s\n", t[4], ir, t[3], offset, t[5], ir, t[4], splat(s, w[1], "-1"), t[6], ir,
			 spv_value(s, w[3]), t[5]);
		const char *shifted = spv_temporary(s), *masked = spv_temporary(s);
		spv_emit(s, "  %s = shl %s %s, %s\n  %s = and %s %s, %s\n  %s = or %s %s, %s\n", shifted, ir, spv_value(s, w[4]), offset, masked, ir, shifted, t[4], result(s), ir,
			 t[6], masked);
		return !s->failed;
	}
	spv_emit(s, "  %s = lshr %s %s, %s\n  %s = and %s %s, %s\n", t[4], ir, spv_value(s, w[3]), offset, t[5], ir, t[4], t[3]);
	if (op != OP_BitFieldSExtract)
		return spv_define(s, w[2], w[1], t[5]);
	/* the sign bit of the field: (v ^ m) - m, m being its value; 0 for an empty field */
	const char *one = spv_temporary(s), *m = spv_temporary(s), *x = spv_temporary(s);
	spv_emit(s, "  %s = lshr %s %s, %s\n  %s = xor %s %s, %s\n", one, ir, t[3], splat(s, w[1], "1"), m, ir, t[3], one);
	spv_emit(s, "  %s = xor %s %s, %s\n  %s = sub %s %s, %s\n", x, ir, t[5], m, result(s), ir, x, m);
	return !s->failed;
}

static bool intrinsic(struct spv *s, const char *name)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_type_of(s, w[3]), *scalar = spv_scalar(s, spv_type_of(s, w[3]));
	if (!t || !scalar || scalar->kind != SPV_INT)
		return spv_fail(s, "bits of no integer");
	const char *ir = ir_of(s, w[3]);
	char *suffix = t->kind == SPV_VECTOR ? clc_format("v%ui%u", t->count, scalar->width) : clc_format("i%u", scalar->width);
	char *line = clc_format("declare %s @llvm.%s.%s(%s)", ir, name, suffix, ir);
	spv_declare(s, line);
	spv_emit(s, "  %s = call %s @llvm.%s.%s(%s %s)\n", result(s), ir, name, suffix, ir, spv_value(s, w[3]));
	free(line);
	free(suffix);
	return !s->failed;
}

bool spv_arith(struct spv *s, uint16_t op, bool *known)
{
	const uint32_t *w = s->at;
	*known = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].opcode == op)
			return by_row(s, &rows[i]);
	const char *value;
	switch (op) {
	case OP_Transpose: case OP_MatrixTimesScalar: case OP_VectorTimesMatrix: case OP_MatrixTimesVector: case OP_MatrixTimesMatrix: case OP_OuterProduct: return matrix(s, op);
	case OP_UConvert: case OP_SConvert: case OP_FConvert: return convert(s, op);
	case OP_SNegate: spv_emit(s, "  %s = sub %s zeroinitializer, %s\n", result(s), spv_ir(s, w[1]), spv_value(s, w[3])); return !s->failed;
	case OP_SMod: return floor_modulo(s, false);
	case OP_FRem: { /* the sign is that of the dividend */
		const char *const arguments[2] = { spv_value(s, w[3]), spv_value(s, w[4]) };
		return spv_define(s, w[2], w[1], spv_call_math(s, "fmod", spv_type(s, w[1]), 2, arguments));
	}
	case OP_FMod: return floor_modulo(s, true);
	case OP_VectorTimesScalar:
		value = broadcast(s, w[1], spv_value(s, w[4]));
		spv_emit(s, "  %s = fmul %s %s, %s\n", result(s), spv_ir(s, w[1]), spv_value(s, w[3]), value);
		return !s->failed;
	case OP_Dot: return spv_define(s, w[2], w[1], dot(s, spv_id(s, w[3]) ? spv_id(s, w[3])->type : 0, spv_value(s, w[3]), spv_value(s, w[4])));
	case OP_IAddCarry: case OP_ISubBorrow: case OP_UMulExtended: case OP_SMulExtended: return extended(s, op);
	case OP_Any: return any_all(s, false);
	case OP_All: return any_all(s, true);
	case OP_IsNan: spv_emit(s, "  %s = fcmp uno %s %s, %s\n", result(s), ir_of(s, w[3]), spv_value(s, w[3]), spv_value(s, w[3])); return !s->failed;
	case OP_IsInf: return is_infinite(s);
	case OP_LogicalNot: spv_emit(s, "  %s = xor %s %s, %s\n", result(s), spv_ir(s, w[1]), spv_value(s, w[3]), splat(s, w[1], "true")); return !s->failed;
	case OP_Select:
		spv_emit(s, "  %s = select %s %s, %s %s, %s %s\n", result(s), ir_of(s, w[3]), spv_value(s, w[3]), spv_ir(s, w[1]), spv_value(s, w[4]), spv_ir(s, w[1]),
			 spv_value(s, w[5]));
		return !s->failed;
	case OP_ShiftRightLogical: return shift(s, "lshr");
	case OP_ShiftRightArithmetic: return shift(s, "ashr");
	case OP_ShiftLeftLogical: return shift(s, "shl");
	case OP_Not: spv_emit(s, "  %s = xor %s %s, %s\n", result(s), spv_ir(s, w[1]), spv_value(s, w[3]), splat(s, w[1], "-1")); return !s->failed;
	case OP_BitFieldInsert: case OP_BitFieldSExtract: case OP_BitFieldUExtract: return bit_field(s, op);
	case OP_BitReverse: return intrinsic(s, "bitreverse");
	case OP_BitCount: return intrinsic(s, "ctpop");
	}
	*known = false;
	return false;
}
