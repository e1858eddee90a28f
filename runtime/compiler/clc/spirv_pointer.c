/* Pointers of SPIR-V shaders as values: to and from integers, chosen, compared; and what a shader orders as it loads and stores through them. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>

static bool is_pointer(struct spv *s, uint32_t type)
{
	const struct spv_id *t = spv_type(s, type);
	return t && t->kind == SPV_POINTER;
}

/* ---- robust access: the buffer of a pointer that is not known before the shader runs ---- */
static bool tracked(struct spv *s, uint32_t type)
{
	const struct spv_id *t = spv_type(s, type);
	return s->robust && t && t->kind == SPV_POINTER && t->storage == SPV_STORAGE_BUFFER;
}

void spv_pointer_track(struct spv *s, uint32_t id)
{
	struct spv_id *v = spv_id(s, id);
	if (!v || !tracked(s, v->type))
		return;
	/* without a buffer any access is within */
	spv_emit(s, "  %%r%u = getelementptr i8, ptr %s, i64 0\n  %%n%u = add i64 %s, 0\n", id, v->place.range ? v->place.root : "null", id, v->place.range ? v->place.range : "-1");
	v->place.root = clc_format("%%r%u", id);
	v->place.range = clc_format("%%n%u", id);
}

/* What a value has of that by the time that it is chosen. It may come later. */
static char *tracked_name(struct spv *s, uint32_t id, bool root)
{
	const struct spv_id *v = spv_id(s, id);
	if (v && v->kind == SPV_VARIABLE && v->place.range)
		return clc_format("%s", root ? v->place.root : v->place.range);
	if (!v || v->kind == SPV_CONSTANT || v->kind == SPV_VARIABLE || v->is_parameter)
		return clc_format("%s", root ? "null" : "-1");
	return clc_format("%%%c%u", root ? 'r' : 'n', id);
}

void spv_pointer_phi(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	struct spv_id *v = spv_id(s, w[2]);
	if (!v || !tracked(s, w[1]))
		return;
	for (unsigned root = 0; root < 2; root++) {
		spv_emit(s, "  %%%c%u = phi %s", root ? 'r' : 'n', w[2], root ? "ptr" : "i64");
		for (uint32_t i = 3; i < n; i += 2) {
			char *name = tracked_name(s, w[i], root);
			spv_emit(s, "%s [ %s, %%b%u ]", i > 3 ? "," : "", name, w[i + 1]);
			free(name);
		}
		spv_emit(s, "\n");
	}
	v->place = (struct spv_place){ .root = clc_format("%%r%u", w[2]), .range = clc_format("%%n%u", w[2]) };
}

/* ---- values ---- */
static bool choose(struct spv *s)
{
	const uint32_t *w = s->at;
	struct spv_id *r = spv_id(s, w[2]);
	if (!r || !spv_type_of(s, w[3]))
		return false;
	if (!spv_becomes(s, r, w[1]))
		return false;
	spv_emit(s, "  %s = select i1 %s, ptr %s, ptr %s\n", spv_value(s, w[2]), spv_value(s, w[3]), spv_value(s, w[4]), spv_value(s, w[5]));
	for (unsigned root = 0; tracked(s, w[1]) && root < 2; root++) {
		char *a = tracked_name(s, w[4], root), *b = tracked_name(s, w[5], root);
		spv_emit(s, "  %%%c%u = select i1 %s, %s %s, %s %s\n", root ? 'r' : 'n', w[2], spv_value(s, w[3]), root ? "ptr" : "i64", a, root ? "ptr" : "i64", b);
		free(a);
		free(b);
		if (root)
			r->place = (struct spv_place){ .root = clc_format("%%r%u", w[2]), .range = clc_format("%%n%u", w[2]) };
	}
	return !s->failed;
}

/* To an integer of 64 bits, or two of 32. */
static bool to_number(struct spv *s)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_type(s, w[1]);
	if (!t)
		return false;
	const char *whole = spv_let(s, "ptrtoint ptr %s to i64", spv_value(s, w[3]));
	return spv_result(s, "%s i64 %s to %s", t->kind == SPV_INT && t->width < 64 ? "trunc" : "bitcast", whole, spv_ir(s, w[1]));
}

static bool from_number(struct spv *s)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_type_of(s, w[3]);
	if (!t || !is_pointer(s, w[1]))
		return spv_fail(s, "a pointer that is made of no number");
	const char *whole = spv_let(s, "%s %s %s to i64", t->kind == SPV_INT && t->width < 64 ? "zext" : "bitcast", spv_ir(s, spv_id(s, w[3])->type), spv_value(s, w[3]));
	return spv_result(s, "inttoptr i64 %s to ptr", whole);
}

static bool bitcast(struct spv *s)
{
	const uint32_t *w = s->at;
	const struct spv_id *from = spv_id(s, w[3]);
	if (!from)
		return false;
	if (!is_pointer(s, from->type))
		return from_number(s);
	return is_pointer(s, w[1]) ? spv_define(s, spv_value(s, w[3])) : to_number(s);
}

/* Equal or not; how many elements lie between them. */
static bool compare(struct spv *s, uint16_t op)
{
	const uint32_t *w = s->at;
	const struct spv_id *a = spv_id(s, w[3]);
	const char *t[2];
	if (!a || !is_pointer(s, a->type))
		return spv_fail(s, "a comparison of what are no pointers");
	if (op != OP_PtrDiff)
		return spv_result(s, "icmp %s ptr %s, %s", op == OP_PtrEqual ? "eq" : "ne", spv_value(s, w[3]), spv_value(s, w[4]));
	const struct spv_id *type = spv_type(s, w[1]);
	const uint64_t stride = spv_pointer_stride(s, a->type);
	if (!type || type->kind != SPV_INT || !stride)
		return spv_fail(s, "a difference that is no integer, or of elements of no size");
	for (unsigned i = 0; i < 2; i++)
		t[i] = spv_let(s, "ptrtoint ptr %s to i64", spv_value(s, w[3 + i]));
	const char *elements = spv_let(s, "sdiv i64 %s, %llu", spv_let(s, "sub i64 %s, %s", t[0], t[1]), (unsigned long long)stride);
	return type->width == 64 ? spv_define(s, elements) : spv_result(s, "trunc i64 %s to %s", elements, spv_ir(s, w[1]));
}

uint64_t spv_pointer_stride(struct spv *s, uint32_t type)
{
	const struct spv_id *t = spv_type(s, type);
	return !t ? 0 : t->array_stride ? t->array_stride : spv_size(s, t->type);
}

bool spv_pointer(struct spv *s, uint16_t op, bool *known)
{
	const uint32_t *w = s->at;
	switch (op) {
	case OP_Select: case OP_Bitcast:
		/* of numbers they are arithmetic */
		*known = is_pointer(s, w[1]) || (op == OP_Bitcast && spv_id(s, w[3]) && is_pointer(s, spv_id(s, w[3])->type));
		return *known && (op == OP_Select ? choose(s) : bitcast(s));
	case OP_ConvertPtrToU: return to_number(s);
	case OP_ConvertUToPtr: return from_number(s);
	case OP_PtrEqual: case OP_PtrNotEqual: case OP_PtrDiff: return compare(s, op);
	}
	*known = false;
	return false;
}

/* ---- memory operands ---- */
enum { VOLATILE = 1, ALIGNED = 2, AVAILABLE = 8, VISIBLE = 16 };

/* What others have written before is read; at: the word of the mask. Volatile is not left out, and not done earlier. */
void spv_order_before(struct spv *s, uint32_t at)
{
	if (*s->at >> 16 > at && s->at[at] & (VOLATILE | VISIBLE))
		spv_fence(s);
}

/* What is written is there for others to read. */
void spv_order_after(struct spv *s, uint32_t at)
{
	if (*s->at >> 16 > at && s->at[at] & (VOLATILE | AVAILABLE))
		spv_fence(s);
}
