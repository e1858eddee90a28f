/* What invocations of a subgroup do together, in SPIR-V shaders: functions of the kernel library for subgroups, element by element. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>
#include <string.h>

enum { SCOPE_SUBGROUP = 3 };
enum operation { REDUCE, INCLUSIVE_SCAN, EXCLUSIVE_SCAN, CLUSTERED_REDUCE };

/* How the library takes an element: as it is, or as an integer of a sign; booleans are integers. */
enum sign { AS_IT_IS, UNSIGNED, SIGNED };
struct element { const char *ir, *letter; bool is_bool; };

static bool element_of(struct spv *s, struct spv_id *type, enum sign sign, struct element *out)
{
	static const char *const integers[2][4] = { { "h", "t", "j", "m" }, { "c", "s", "i", "l" } };
	const struct spv_id *t = type ? spv_scalar(s, type) : NULL;
	if (!t || !spv_is_scalar(t))
		return spv_fail(s, "an operation of a subgroup on what is no number");
	const bool is_signed = sign == SIGNED || (sign == AS_IT_IS && t->is_signed);
	if (t->kind == SPV_BOOL)
		*out = (struct element){ "i32", "i", true };
	else if (t->kind == SPV_FLOAT)
		*out = (struct element){ t->width == 16 ? "half" : t->width == 32 ? "float" : "double", t->width == 16 ? "Dh" : t->width == 32 ? "f" : "d", false };
	else
		*out = (struct element){ t->width == 8 ? "i8" : t->width == 16 ? "i16" : t->width == 32 ? "i32" : "i64",
					 integers[is_signed][t->width == 8 ? 0 : t->width == 16 ? 1 : t->width == 32 ? 2 : 3], false };
	return true;
}

/* Calls a function that the lanes come to together. types, values: what is in the parentheses. */
static const char *call(struct spv *s, const char *result, const char *name, const char *letters, const char *types, const char *values)
{
	const char *r = spv_temporary(s);
	char *symbol = clc_format("_Z%zu%s%s", strlen(name), name, letters), *line = clc_format("declare %s @%s(%s) #2", result, symbol, types);
	spv_declare(s, line);
	spv_emit(s, "  %s = call %s @%s(%s) #2\n", r, result, symbol, values);
	free(symbol);
	free(line);
	return r;
}

/* The same of a value and perhaps a number of 32 bits, which values names. */
static const char *call_on(struct spv *s, const char *result, const char *name, const struct element *e, const char *value, const char *number)
{
	char *letters = clc_format("%s%s", e->letter, number ? "j" : ""), *types = clc_format("%s%s", e->ir, number ? ", i32" : "");
	char *values = number ? clc_format("%s %s, i32 %s", e->ir, value, number) : clc_format("%s %s", e->ir, value);
	const char *r = call(s, result, name, letters, types, values);
	free(letters);
	free(types);
	free(values);
	return r;
}

static const char *widened(struct spv *s, const char *truth)
{
	const char *t = spv_temporary(s);
	spv_emit(s, "  %s = zext i1 %s to i32\n", t, truth);
	return t;
}

static const char *truth(struct spv *s, const char *word)
{
	const char *t = spv_temporary(s);
	spv_emit(s, "  %s = icmp ne i32 %s, 0\n", t, word);
	return t;
}

static bool is_bool(struct spv *s, uint32_t id)
{
	const struct spv_id *t = spv_type_of(s, id);
	return (t && t->kind == SPV_BOOL) || spv_fail(s, "a vote on what is no boolean");
}

/* ---- on each element ---- */
static bool each(struct spv *s, const char *name, enum sign sign, uint32_t value, const char *number)
{
	const uint32_t *w = s->at;
	struct spv_id *v = spv_id(s, value), *type = v ? spv_type(s, v->type) : NULL;
	struct element e;
	const char *whole = "undef";
	if (!type || v->type != w[1])
		return spv_fail(s, "an operation of a subgroup whose result is of another type");
	if (!element_of(s, type, sign, &e))
		return false;
	for (uint32_t i = 0; i < spv_lanes(type); i++) {
		const char *part = spv_value(s, value), *next = spv_temporary(s);
		if (type->kind == SPV_VECTOR) {
			part = spv_temporary(s);
			spv_emit(s, "  %s = extractelement %s %s, i32 %u\n", part, spv_ir(s, v->type), spv_value(s, value), i);
		}
		const char *r = call_on(s, e.ir, name, &e, e.is_bool ? widened(s, part) : part, number);
		r = e.is_bool ? truth(s, r) : r;
		if (type->kind != SPV_VECTOR)
			return spv_define(s, w[2], w[1], r);
		spv_emit(s, "  %s = insertelement %s %s, %s %s, i32 %u\n", next, spv_ir(s, v->type), whole, spv_ir(s, type->type), r, i);
		whole = next;
	}
	return spv_define(s, w[2], w[1], whole);
}

static bool all_equal(struct spv *s)
{
	const uint32_t *w = s->at;
	struct spv_id *v = spv_id(s, w[4]), *type = v ? spv_type(s, v->type) : NULL;
	struct element e;
	const char *all = NULL;
	if (!type || !element_of(s, type, AS_IT_IS, &e))
		return spv_fail(s, "a vote on nothing");
	for (uint32_t i = 0; i < spv_lanes(type); i++) {
		const char *part = spv_value(s, w[4]), *next = spv_temporary(s);
		if (type->kind == SPV_VECTOR) {
			part = spv_temporary(s);
			spv_emit(s, "  %s = extractelement %s %s, i32 %u\n", part, spv_ir(s, v->type), spv_value(s, w[4]), i);
		}
		const char *r = truth(s, call_on(s, "i32", "sub_group_non_uniform_all_equal", &e, e.is_bool ? widened(s, part) : part, NULL));
		if (all)
			spv_emit(s, "  %s = and i1 %s, %s\n", next, all, r);
		all = all ? next : r;
	}
	return spv_define(s, w[2], w[1], all);
}

/* ---- sums and the like ---- */
static const struct { uint16_t opcode; enum sign sign; const char *name; } arithmetic[] = {
	{ OP_GroupNonUniformIAdd, AS_IT_IS, "add" }, { OP_GroupNonUniformFAdd, AS_IT_IS, "add" }, { OP_GroupNonUniformIMul, AS_IT_IS, "mul" },
	{ OP_GroupNonUniformFMul, AS_IT_IS, "mul" }, { OP_GroupNonUniformSMin, SIGNED, "min" }, { OP_GroupNonUniformUMin, UNSIGNED, "min" },
	{ OP_GroupNonUniformFMin, AS_IT_IS, "min" }, { OP_GroupNonUniformSMax, SIGNED, "max" }, { OP_GroupNonUniformUMax, UNSIGNED, "max" },
	{ OP_GroupNonUniformFMax, AS_IT_IS, "max" }, { OP_GroupNonUniformBitwiseAnd, AS_IT_IS, "and" }, { OP_GroupNonUniformBitwiseOr, AS_IT_IS, "or" },
	{ OP_GroupNonUniformBitwiseXor, AS_IT_IS, "xor" }, { OP_GroupNonUniformLogicalAnd, AS_IT_IS, "logical_and" },
	{ OP_GroupNonUniformLogicalOr, AS_IT_IS, "logical_or" }, { OP_GroupNonUniformLogicalXor, AS_IT_IS, "logical_xor" },
};

static bool combined(struct spv *s, enum sign sign, const char *name)
{
	static const char *const operations[] = { [REDUCE] = "non_uniform_reduce", [INCLUSIVE_SCAN] = "non_uniform_scan_inclusive", [EXCLUSIVE_SCAN] = "non_uniform_scan_exclusive",
						  [CLUSTERED_REDUCE] = "clustered_reduce" };
	enum { LANES_MAX = 32 };
	const uint32_t *w = s->at, n = *w >> 16;
	if (w[4] > CLUSTERED_REDUCE)
		return spv_fail(s, "operation %u of a group is not supported", w[4]);
	char *function = clc_format("sub_group_%s_%s", operations[w[4]], name), *size = NULL;
	if (w[4] == CLUSTERED_REDUCE) {
		const struct spv_id *c = n > 6 ? spv_id(s, w[6]) : NULL;
		if (!c || !c->has_value || !c->value || c->value & (c->value - 1))
			return spv_fail(s, "the size of a cluster is no constant power of two");
		size = clc_format("%u", c->value > LANES_MAX ? LANES_MAX : (unsigned)c->value);
	}
	const bool ok = each(s, function, sign, w[5], size);
	free(function);
	free(size);
	return ok;
}

/* ---- ballots ---- */
static bool ballot_function(struct spv *s, const char *name, uint32_t ballot, const char *number)
{
	char *values = number ? clc_format("<4 x i32> %s, i32 %s", spv_value(s, ballot), number) : clc_format("<4 x i32> %s", spv_value(s, ballot));
	const char *r = call(s, "i32", name, number ? "Dv4_jj" : "Dv4_j", number ? "<4 x i32>, i32" : "<4 x i32>", values);
	const struct spv_id *t = spv_type(s, s->at[1]);
	free(values);
	return t && spv_define(s, s->at[2], s->at[1], t->kind == SPV_BOOL ? truth(s, r) : r);
}

static bool bit_count(struct spv *s)
{
	static const char *const names[] = { [REDUCE] = "sub_group_ballot_bit_count", [INCLUSIVE_SCAN] = "sub_group_ballot_inclusive_scan",
					     [EXCLUSIVE_SCAN] = "sub_group_ballot_exclusive_scan" };
	return s->at[4] < CLUSTERED_REDUCE ? ballot_function(s, names[s->at[4]], s->at[5], NULL) : spv_fail(s, "operation %u on a ballot is not supported", s->at[4]);
}

static bool vote(struct spv *s, const char *name, const char *result)
{
	const uint32_t *w = s->at;
	if (!is_bool(s, w[4]))
		return false;
	char *values = clc_format("i32 %s", widened(s, spv_value(s, w[4])));
	const char *r = call(s, result, name, "i", "i32", values);
	free(values);
	return spv_define(s, w[2], w[1], result[0] == 'i' ? truth(s, r) : r);
}

/* ---- other lanes ---- */
/* A number of a lane, or of how far it is. */
static const char *number_of(struct spv *s, uint32_t id)
{
	const struct spv_id *t = spv_type_of(s, id);
	if (!t || t->kind != SPV_INT || t->width != 32)
		spv_fail(s, "a number of an invocation that has not 32 bits");
	return spv_value(s, id);
}

/* Of four lanes: the one of a number, or the one across (1: beside, 2: below, 3: both). */
static bool quad(struct spv *s, bool swap)
{
	const uint32_t *w = s->at;
	const char *number, *lane = call(s, "i32", "get_sub_group_local_id", "v", "", ""), *first = spv_temporary(s), *which = spv_temporary(s);
	const struct spv_id *direction = spv_id(s, w[5]);
	if (swap) {
		if (!direction || !direction->has_value || direction->value > 2)
			return spv_fail(s, "the direction of a swap is no constant from 0 to 2");
		spv_emit(s, "  %s = xor i32 %s, %u\n", which, lane, (unsigned)direction->value + 1);
		return each(s, "sub_group_shuffle", AS_IT_IS, w[4], which);
	}
	number = number_of(s, w[5]);
	spv_emit(s, "  %s = and i32 %s, -4\n  %s = or i32 %s, %s\n", first, lane, which, first, number);
	return each(s, "sub_group_shuffle", AS_IT_IS, w[4], which);
}

bool spv_group(struct spv *s, uint16_t op, bool *known)
{
	const uint32_t *w = s->at;
	*known = op >= OP_GroupNonUniformElect && op <= OP_GroupNonUniformQuadSwap;
	if (!*known)
		return false;
	const struct spv_id *scope = spv_id(s, w[3]);
	if (!scope || !scope->has_value || scope->value != SCOPE_SUBGROUP)
		return spv_fail(s, "groups of another scope than subgroups are not supported");
	for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++)
		if (arithmetic[i].opcode == op)
			return combined(s, arithmetic[i].sign, arithmetic[i].name);
	switch (op) {
	case OP_GroupNonUniformElect: return spv_define(s, w[2], w[1], truth(s, call(s, "i32", "sub_group_elect", "v", "", "")));
	case OP_GroupNonUniformAll: return vote(s, "sub_group_non_uniform_all", "i32");
	case OP_GroupNonUniformAny: return vote(s, "sub_group_non_uniform_any", "i32");
	case OP_GroupNonUniformAllEqual: return all_equal(s);
	case OP_GroupNonUniformBallot: return vote(s, "sub_group_ballot", "<4 x i32>");
	case OP_GroupNonUniformInverseBallot: return ballot_function(s, "sub_group_inverse_ballot", w[4], NULL);
	case OP_GroupNonUniformBallotBitExtract: return ballot_function(s, "sub_group_ballot_bit_extract", w[4], number_of(s, w[5]));
	case OP_GroupNonUniformBallotBitCount: return bit_count(s);
	case OP_GroupNonUniformBallotFindLSB: return ballot_function(s, "sub_group_ballot_find_lsb", w[4], NULL);
	case OP_GroupNonUniformBallotFindMSB: return ballot_function(s, "sub_group_ballot_find_msb", w[4], NULL);
	case OP_GroupNonUniformBroadcast: return each(s, "sub_group_non_uniform_broadcast", AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformBroadcastFirst: return each(s, "sub_group_broadcast_first", AS_IT_IS, w[4], NULL);
	case OP_GroupNonUniformShuffle: return each(s, "sub_group_shuffle", AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformShuffleXor: return each(s, "sub_group_shuffle_xor", AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformShuffleUp: return each(s, "sub_group_shuffle_up", AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformShuffleDown: return each(s, "sub_group_shuffle_down", AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformQuadBroadcast: return quad(s, false);
	case OP_GroupNonUniformQuadSwap: return quad(s, true);
	}
	*known = false;
	return false;
}
