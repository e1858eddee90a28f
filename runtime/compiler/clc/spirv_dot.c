/* Dot products of integers in SPIR-V shaders: of vectors, and of four bytes in a word; sums that saturate. */
#include "runtime/compiler/clc/spirv.h"

/* An operand's elements in the type that the sum is made in. */
struct operand { const char *value, *ir; const struct spv_id *type, *scalar; bool is_signed; };

static bool operand_of(struct spv *s, uint32_t id, bool is_signed, struct operand *out)
{
	const struct spv_id *v = spv_id(s, id);
	if (!v || !spv_type(s, v->type))
		return false;
	*out = (struct operand){ spv_value(s, id), spv_ir(s, v->type), spv_type(s, v->type), spv_scalar(s, spv_type(s, v->type)), is_signed };
	return (out->scalar && out->scalar->kind == SPV_INT) || spv_fail(s, "a dot product of what are no integers");
}

static const char *element(struct spv *s, const struct operand *o, uint32_t i, const char *sum)
{
	const char *extend = o->is_signed ? "sext" : "zext";
	if (o->type->kind == SPV_VECTOR)
		return spv_let(s, "%s i%u %s to %s", extend, o->scalar->width, spv_let(s, "extractelement %s %s, i32 %u", o->ir, o->value, i), sum);
	const char *byte = spv_let(s, "trunc i32 %s to i8", spv_let(s, "lshr i32 %s, %u", o->value, i * 8));
	return spv_let(s, "%s i8 %s to %s", extend, byte, sum);
}

/* The sum and what it is added to, no less and no more than the result's type has. */
static const char *saturated(struct spv *s, const char *total, const char *sum, uint32_t width, bool is_signed)
{
	const unsigned long long most = is_signed ? (1ull << (width - 1)) - 1 : width == 64 ? ~0ull : (1ull << width) - 1;
	total = spv_let(s, "select i1 %s, %s %llu, %s %s", spv_let(s, "icmp sgt %s %s, %llu", sum, total, most), sum, most, sum, total);
	if (!is_signed)
		return total;
	return spv_let(s, "select i1 %s, %s -%llu, %s %s", spv_let(s, "icmp slt %s %s, -%llu", sum, total, most + 1), sum, most + 1, sum, total);
}

static bool product(struct spv *s, bool a_signed, bool b_signed, bool saturates)
{
	enum { BYTES = 4, PACKED_4X8 = 0 };
	const uint32_t *w = s->at, n = *w >> 16, format_at = saturates ? 6 : 5;
	const struct spv_id *result = spv_type(s, w[1]);
	struct operand a, b;
	if (!result || !operand_of(s, w[3], a_signed, &a) || !operand_of(s, w[4], b_signed, &b))
		return false;
	const bool packed = a.type->kind != SPV_VECTOR;
	if (result->kind != SPV_INT || a.type->kind != b.type->kind || a.type->count != b.type->count || a.scalar->width != b.scalar->width ||
	    (packed && (a.scalar->width != 32 || n <= format_at || w[format_at] != PACKED_4X8)))
		return spv_fail(s, "a dot product of operands that do not go together");
	/* wide enough for any sum of elements of 32 bits */
	const char *sum = a.scalar->width < 32 || packed ? "i64" : "i128", *total = "0";
	for (uint32_t i = 0; i < (packed ? BYTES : a.type->count); i++) {
		const char *x = element(s, &a, i, sum), *y = element(s, &b, i, sum);
		total = spv_let(s, "add %s %s, %s", sum, total, spv_let(s, "mul %s %s, %s", sum, x, y));
	}
	if (saturates) {
		if (result->width == 64 && sum[1] == '6') {
			sum = "i128";
			total = spv_let(s, "sext i64 %s to i128", total);
		}
		const char *start = spv_let(s, "%s %s %s to %s", a_signed ? "sext" : "zext", spv_ir(s, w[1]), spv_value(s, w[5]), sum);
		total = saturated(s, spv_let(s, "add %s %s, %s", sum, total, start), sum, result->width, a_signed);
	}
	if (result->width == 64 && sum[1] == '6')
		return spv_define(s, total);
	return spv_result(s, "trunc %s %s to %s", sum, total, spv_ir(s, w[1]));
}

bool spv_dot(struct spv *s, uint16_t op, bool *known)
{
	switch (op) {
	case OP_SDot: return product(s, true, true, false);
	case OP_UDot: return product(s, false, false, false);
	case OP_SUDot: return product(s, true, false, false);
	case OP_SDotAccSat: return product(s, true, true, true);
	case OP_UDotAccSat: return product(s, false, false, true);
	case OP_SUDotAccSat: return product(s, true, false, true);
	}
	*known = false;
	return false;
}
