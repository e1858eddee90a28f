/* SPIR-V's composites: vectors, matrices, arrays and structures that are taken apart and put together. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>

enum { MOST_DEPTH = 16 };

/* The type of part i, 0: it has none. */
static uint32_t part_type(struct spv *s, uint32_t type, uint32_t i)
{
	const struct spv_id *t = spv_type(s, type);
	if (!t || t->kind < SPV_VECTOR || t->kind > SPV_STRUCT || t->kind == SPV_RUNTIME_ARRAY || i >= t->count) {
		spv_fail(s, "part %u of what has none such", i);
		return 0;
	}
	return t->kind == SPV_STRUCT ? t->members[i].type : t->type;
}

const char *spv_extract(struct spv *s, uint32_t type, const char *value, uint32_t i)
{
	const struct spv_id *t = spv_type(s, type);
	if (t && t->kind == SPV_VECTOR)
		return spv_let(s, "extractelement %s %s, i32 %u", spv_ir(s, type), value, i);
	return spv_let(s, "extractvalue %s %s, %u", spv_ir(s, type), value, i);
}

const char *spv_insert(struct spv *s, uint32_t type, const char *whole, uint32_t part, const char *value, uint32_t i)
{
	const struct spv_id *t = spv_type(s, type);
	if (t && t->kind == SPV_VECTOR)
		return spv_let(s, "insertelement %s %s, %s %s, i32 %u", spv_ir(s, type), whole, spv_ir(s, part), value, i);
	return spv_let(s, "insertvalue %s %s, %s %s, %u", spv_ir(s, type), whole, spv_ir(s, part), value, i);
}

static bool construct(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	const struct spv_id *t = spv_type(s, w[1]);
	const char *whole = "undef";
	uint32_t filled = 0;
	if (!t)
		return false;
	for (uint32_t i = 3; i < n && !s->failed; i++) {
		const struct spv_id *c = spv_id(s, w[i]), *ct = c ? spv_type(s, c->type) : NULL;
		if (!ct)
			return false;
		if (t->kind != SPV_VECTOR || ct->kind != SPV_VECTOR) {
			const uint32_t part = part_type(s, w[1], filled);
			if (part)
				whole = spv_insert(s, w[1], whole, part, spv_value(s, w[i]), filled++);
			continue;
		}
		for (uint32_t k = 0; k < ct->count && !s->failed; k++) { /* vectors go into vectors by their elements */
			const char *e = spv_extract(s, c->type, spv_value(s, w[i]), k);
			if (part_type(s, w[1], filled))
				whole = spv_insert(s, w[1], whole, t->type, e, filled++);
		}
	}
	if (filled != t->count)
		return spv_fail(s, "%u parts where there are %u", filled, t->count);
	return spv_define(s, whole);
}

static bool extract_path(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	const struct spv_id *c = spv_id(s, w[3]);
	uint32_t type = c ? c->type : 0;
	const char *value = spv_value(s, w[3]);
	for (uint32_t i = 4; i < n && !s->failed; i++) {
		const uint32_t part = part_type(s, type, w[i]);
		value = part ? spv_extract(s, type, value, w[i]) : value;
		type = part;
	}
	return !s->failed && spv_define(s, value);
}

/* The object goes into the composite at the end of the path. */
static const char *insert_path(struct spv *s, uint32_t type, const char *whole, const char *object, const uint32_t *path, uint32_t count)
{
	if (!count)
		return object;
	const uint32_t part = part_type(s, type, *path);
	if (!part || count > MOST_DEPTH) {
		spv_fail(s, "a path of %u parts", count);
		return whole;
	}
	const char *inner = count > 1 ? insert_path(s, part, spv_extract(s, type, whole, *path), object, path + 1, count - 1) : object;
	return spv_insert(s, type, whole, part, inner, *path);
}

static bool shuffle(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16, undefined = UINT32_MAX;
	const struct spv_id *a = spv_type_of(s, w[3]), *b = spv_type_of(s, w[4]), *t = spv_type(s, w[1]);
	const char *whole = "undef";
	if (!a || !b || !t || a->kind != SPV_VECTOR || b->kind != SPV_VECTOR || t->kind != SPV_VECTOR || t->count != n - 5)
		return spv_fail(s, "a shuffle of what are no vectors");
	for (uint32_t i = 5; i < n; i++) {
		if (w[i] == undefined)
			continue;
		if (w[i] >= a->count + b->count)
			return spv_fail(s, "element %u of %u", w[i], a->count + b->count);
		const bool first = w[i] < a->count;
		const char *e = spv_extract(s, spv_id(s, w[first ? 3 : 4])->type, spv_value(s, w[first ? 3 : 4]), first ? w[i] : w[i] - a->count);
		whole = spv_insert(s, w[1], whole, t->type, e, i - 5);
	}
	return spv_define(s, whole);
}

static bool dynamic(struct spv *s, bool inserts)
{
	const uint32_t *w = s->at;
	const struct spv_id *v = spv_id(s, w[3]), *t = v ? spv_type(s, v->type) : NULL, *index = spv_id(s, w[inserts ? 5 : 4]);
	if (!t || t->kind != SPV_VECTOR || !index)
		return spv_fail(s, "an element of what is no vector");
	const char *at = spv_value(s, w[inserts ? 5 : 4]), *ir = spv_ir(s, index->type);
	if (inserts)
		return spv_result(s, "insertelement %s %s, %s %s, %s %s", spv_ir(s, v->type), spv_value(s, w[3]), spv_ir(s, t->type), spv_value(s, w[4]), ir, at);
	return spv_result(s, "extractelement %s %s, %s %s", spv_ir(s, v->type), spv_value(s, w[3]), ir, at);
}

bool spv_composite(struct spv *s, uint16_t op, bool *known)
{
	const uint32_t *w = s->at, n = *w >> 16;
	*known = op == OP_Undef || (op >= OP_VectorExtractDynamic && op <= OP_CopyObject) || op == OP_CopyLogical;
	if (!*known)
		return false;
	struct spv_id *from = n > 3 ? spv_id(s, w[3]) : NULL, *result = spv_id(s, w[2]);
	if (!result)
		return false;
	switch (op) {
	case OP_Undef: return spv_define(s, "undef");
	case OP_VectorExtractDynamic: return dynamic(s, false);
	case OP_VectorInsertDynamic: return dynamic(s, true);
	case OP_VectorShuffle: return shuffle(s);
	case OP_CompositeConstruct: return construct(s);
	case OP_CompositeExtract: return extract_path(s);
	case OP_CompositeInsert: return spv_define(s, insert_path(s, spv_id(s, w[4]) ? spv_id(s, w[4])->type : 0, spv_value(s, w[4]), spv_value(s, w[3]), w + 5, n - 5));
	}
	if (from)
		result->place = from->place;
	return spv_define(s, spv_value(s, w[3]));
}
