/* What invocations of a subgroup do together, in SPIR-V shaders: functions of the kernel library for subgroups, element by element. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>
#include <string.h>

enum { SCOPE_SUBGROUP = 3 };
enum operation { REDUCE, INCLUSIVE_SCAN, EXCLUSIVE_SCAN, CLUSTERED_REDUCE };

/* How the library takes an element; booleans are integers. */
struct element { const char *ir, *letter; bool is_bool; };

static bool element_of(struct spv *s, struct spv_id *type, enum spv_sign sign, struct element *out)
{
	const struct spv_id *t = type ? spv_scalar(s, type) : NULL;
	if (!t || !spv_is_scalar(t))
		return spv_fail(s, "an operation of a subgroup on what is no number");
	if (t->kind == SPV_BOOL)
		*out = (struct element){ "i32", "i", true };
	else
		*out = (struct element){ spv_ir(s, (uint32_t)(t - s->ids)), spv_letter(t, sign), false };
	return true;
}

/* Calls a function that the lanes come to together. types, values: what is in the parentheses. */
static const char *call(struct spv *s, const char *result, const char *name, const char *letters, const char *types, const char *values)
{
	char *symbol = clc_format("_Z%zu%s%s", strlen(name), name, letters);
	spv_declare(s, "declare %s @%s(%s) #2", result, symbol, types);
	const char *r = spv_let(s, "call %s @%s(%s) #2", result, symbol, values);
	free(symbol);
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

static const char *widened(struct spv *s, const char *truth) { return spv_let(s, "zext i1 %s to i32", truth); }
static const char *truth(struct spv *s, const char *word) { return spv_let(s, "icmp ne i32 %s, 0", word); }

static bool is_bool(struct spv *s, uint32_t id)
{
	const struct spv_id *t = spv_type_of(s, id);
	return (t && t->kind == SPV_BOOL) || spv_fail(s, "a vote on what is no boolean");
}

/* ---- on each element ---- */
/* Element i of a vector, or the scalar itself, as the library takes it. */
static const char *lane(struct spv *s, uint32_t value, const struct element *e, uint32_t i)
{
	const char *part = spv_value(s, value);
	if (spv_type_of(s, value)->kind == SPV_VECTOR)
		part = spv_extract(s, spv_id(s, value)->type, part, i);
	return e->is_bool ? widened(s, part) : part;
}

static bool each(struct spv *s, const char *name, enum spv_sign sign, uint32_t value, const char *number)
{
	struct spv_id *v = spv_id(s, value), *type = v ? spv_type(s, v->type) : NULL;
	struct element e;
	const char *whole = "undef";
	if (!type || v->type != s->at[1])
		return spv_fail(s, "an operation of a subgroup whose result is of another type");
	if (!element_of(s, type, sign, &e))
		return false;
	for (uint32_t i = 0; i < spv_lanes(type); i++) {
		const char *r = call_on(s, e.ir, name, &e, lane(s, value, &e, i), number);
		r = e.is_bool ? truth(s, r) : r;
		whole = type->kind == SPV_VECTOR ? spv_insert(s, v->type, whole, type->type, r, i) : r;
	}
	return spv_define(s, whole);
}

static bool all_equal(struct spv *s)
{
	const uint32_t value = s->at[4];
	struct spv_id *type = spv_type_of(s, value);
	struct element e;
	const char *all = NULL;
	if (!type || !element_of(s, type, SPV_AS_IT_IS, &e))
		return spv_fail(s, "a vote on nothing");
	for (uint32_t i = 0; i < spv_lanes(type); i++) {
		const char *r = truth(s, call_on(s, "i32", "sub_group_non_uniform_all_equal", &e, lane(s, value, &e, i), NULL));
		all = all ? spv_let(s, "and i1 %s, %s", all, r) : r;
	}
	return spv_define(s, all);
}

/* ---- sums and the like ---- */
static const struct { uint16_t opcode; enum spv_sign sign; const char *name; } arithmetic[] = {
	{ OP_GroupNonUniformIAdd, SPV_AS_IT_IS, "add" }, { OP_GroupNonUniformFAdd, SPV_AS_IT_IS, "add" }, { OP_GroupNonUniformIMul, SPV_AS_IT_IS, "mul" },
	{ OP_GroupNonUniformFMul, SPV_AS_IT_IS, "mul" }, { OP_GroupNonUniformSMin, SPV_SIGNED, "min" }, { OP_GroupNonUniformUMin, SPV_UNSIGNED, "min" },
	{ OP_GroupNonUniformFMin, SPV_AS_IT_IS, "min" }, { OP_GroupNonUniformSMax, SPV_SIGNED, "max" }, { OP_GroupNonUniformUMax, SPV_UNSIGNED, "max" },
	{ OP_GroupNonUniformFMax, SPV_AS_IT_IS, "max" }, { OP_GroupNonUniformBitwiseAnd, SPV_AS_IT_IS, "and" }, { OP_GroupNonUniformBitwiseOr, SPV_AS_IT_IS, "or" },
	{ OP_GroupNonUniformBitwiseXor, SPV_AS_IT_IS, "xor" }, { OP_GroupNonUniformLogicalAnd, SPV_AS_IT_IS, "logical_and" },
	{ OP_GroupNonUniformLogicalOr, SPV_AS_IT_IS, "logical_or" }, { OP_GroupNonUniformLogicalXor, SPV_AS_IT_IS, "logical_xor" },
};

static bool combined(struct spv *s, enum spv_sign sign, const char *name)
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
	return t && spv_define(s, t->kind == SPV_BOOL ? truth(s, r) : r);
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
	return spv_define(s, result[0] == 'i' ? truth(s, r) : r);
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
	const char *own = call(s, "i32", "get_sub_group_local_id", "v", "", ""), *which;
	const struct spv_id *direction = spv_id(s, w[5]);
	if (swap) {
		if (!direction || !direction->has_value || direction->value > 2)
			return spv_fail(s, "the direction of a swap is no constant from 0 to 2");
		which = spv_let(s, "xor i32 %s, %u", own, (unsigned)direction->value + 1);
	} else {
		which = spv_let(s, "or i32 %s, %s", spv_let(s, "and i32 %s, -4", own), number_of(s, w[5]));
	}
	return each(s, "sub_group_shuffle", SPV_AS_IT_IS, w[4], which);
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
	case OP_GroupNonUniformElect: return spv_define(s, truth(s, call(s, "i32", "sub_group_elect", "v", "", "")));
	case OP_GroupNonUniformAll: return vote(s, "sub_group_non_uniform_all", "i32");
	case OP_GroupNonUniformAny: return vote(s, "sub_group_non_uniform_any", "i32");
	case OP_GroupNonUniformAllEqual: return all_equal(s);
	case OP_GroupNonUniformBallot: return vote(s, "sub_group_ballot", "<4 x i32>");
	case OP_GroupNonUniformInverseBallot: return ballot_function(s, "sub_group_inverse_ballot", w[4], NULL);
	case OP_GroupNonUniformBallotBitExtract: return ballot_function(s, "sub_group_ballot_bit_extract", w[4], number_of(s, w[5]));
	case OP_GroupNonUniformBallotBitCount: return bit_count(s);
	case OP_GroupNonUniformBallotFindLSB: return ballot_function(s, "sub_group_ballot_find_lsb", w[4], NULL);
	case OP_GroupNonUniformBallotFindMSB: return ballot_function(s, "sub_group_ballot_find_msb", w[4], NULL);
	case OP_GroupNonUniformBroadcast: return each(s, "sub_group_non_uniform_broadcast", SPV_AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformBroadcastFirst: return each(s, "sub_group_broadcast_first", SPV_AS_IT_IS, w[4], NULL);
	case OP_GroupNonUniformShuffle: return each(s, "sub_group_shuffle", SPV_AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformShuffleXor: return each(s, "sub_group_shuffle_xor", SPV_AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformShuffleUp: return each(s, "sub_group_shuffle_up", SPV_AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformShuffleDown: return each(s, "sub_group_shuffle_down", SPV_AS_IT_IS, w[4], number_of(s, w[5]));
	case OP_GroupNonUniformQuadBroadcast: return quad(s, false);
	case OP_GroupNonUniformQuadSwap: return quad(s, true);
	}
	*known = false;
	return false;
}
