/* What a SPIR-V module declares: types, constants, decorations, the entry point; how types lie in memory. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>
#include <string.h>

struct spv_id *spv_id(struct spv *s, uint32_t id)
{
	if (id && id < s->bound)
		return &s->ids[id];
	spv_fail(s, "there is no id %u", id);
	return NULL;
}

static bool is_type(const struct spv_id *i) { return i && i->kind >= SPV_VOID && i->kind <= SPV_SAMPLED_IMAGE; }

struct spv_id *spv_type(struct spv *s, uint32_t id)
{
	struct spv_id *i = spv_id(s, id);
	if (is_type(i))
		return i;
	spv_fail(s, "id %u is not a type", id);
	return NULL;
}

struct spv_id *spv_type_of(struct spv *s, uint32_t value)
{
	struct spv_id *i = spv_id(s, value);
	return i ? spv_type(s, i->type) : NULL;
}

struct spv_id *spv_pointee(struct spv *s, uint32_t value)
{
	const struct spv_id *t = spv_type_of(s, value);
	return t && t->kind == SPV_POINTER ? spv_type(s, t->type) : NULL;
}

const char *spv_value(struct spv *s, uint32_t id)
{
	struct spv_id *i = spv_id(s, id);
	if (!i || is_type(i) || i->kind == SPV_STRING || i->kind == SPV_LABEL) {
		spv_fail(s, "id %u is not a value", id);
		return "undef";
	}
	if (!i->text)
		i->text = clc_format("%%v%u", id);
	return i->text;
}

struct spv_id *spv_scalar(struct spv *s, struct spv_id *type)
{
	while (type && type->kind == SPV_VECTOR)
		type = spv_type(s, type->type);
	return type;
}

/* ---- types ---- */
const char *spv_ir(struct spv *s, uint32_t type)
{
	struct spv_id *t = spv_type(s, type);
	struct bytes text = { 0 };
	if (!t)
		return "void";
	if (t->text)
		return t->text;
	switch (t->kind) {
	case SPV_VOID: return t->text = clc_format("void");
	case SPV_BOOL: return t->text = clc_format("i1");
	case SPV_INT: return t->text = clc_format("i%u", t->width);
	case SPV_FLOAT: return t->text = clc_format("%s", t->width == 16 ? "half" : t->width == 32 ? "float" : "double");
	case SPV_VECTOR: return t->text = clc_format("<%u x %s>", t->count, spv_ir(s, t->type));
	case SPV_MATRIX: case SPV_ARRAY: return t->text = clc_format("[%u x %s]", t->count, spv_ir(s, t->type));
	case SPV_STRUCT:
		bytes_text(&text, "{ ");
		for (uint32_t i = 0; i < t->num_members; i++) {
			bytes_text(&text, i ? ", " : "");
			bytes_text(&text, spv_ir(s, t->members[i].type));
		}
		bytes_text(&text, " }");
		bytes_add(&text, "", 1);
		return t->text = text.data;
	case SPV_SAMPLER: return t->text = clc_format("i64");
	case SPV_SAMPLED_IMAGE: return t->text = clc_format("{ ptr, i64 }");
	default: return t->text = clc_format("ptr");
	}
}

uint64_t spv_align(struct spv *s, uint32_t type)
{
	struct spv_id *t = spv_type(s, type);
	uint64_t most = 1;
	if (!t)
		return 1;
	switch (t->kind) {
	case SPV_BOOL: return 1;
	case SPV_INT: case SPV_FLOAT: return t->width / 8;
	case SPV_VECTOR: case SPV_MATRIX: case SPV_ARRAY: case SPV_RUNTIME_ARRAY: return spv_align(s, t->type);
	case SPV_STRUCT:
		for (uint32_t i = 0; i < t->num_members; i++) {
			const uint64_t align = spv_align(s, t->members[i].type);
			most = align > most ? align : most;
		}
		return most;
	default: return 8;
	}
}

uint64_t spv_stride(struct spv *s, uint32_t array)
{
	struct spv_id *t = spv_type(s, array);
	if (!t)
		return 0;
	if (t->array_stride)
		return t->array_stride;
	const uint64_t align = spv_align(s, t->type);
	return (spv_size(s, t->type) + align - 1) / align * align;
}

static uint64_t matrix_size(struct spv *s, const struct spv_id *t, const struct spv_member *m)
{
	struct spv_id *column = spv_type(s, t->type);
	if (m && m->matrix_stride)
		return (uint64_t)m->matrix_stride * (m->row_major && column ? column->count : t->count);
	return spv_size(s, t->type) * t->count;
}

uint64_t spv_size(struct spv *s, uint32_t type)
{
	struct spv_id *t = spv_type(s, type);
	uint64_t end = 0, size;
	if (!t)
		return 0;
	switch (t->kind) {
	case SPV_BOOL: return 1;
	case SPV_INT: case SPV_FLOAT: return t->width / 8;
	case SPV_VECTOR: return spv_size(s, t->type) * t->count;
	case SPV_MATRIX: return matrix_size(s, t, NULL);
	case SPV_ARRAY: return spv_stride(s, type) * t->count;
	case SPV_RUNTIME_ARRAY: return 0;
	case SPV_STRUCT:
		for (uint32_t i = 0; i < t->num_members; i++) {
			struct spv_id *m = spv_type(s, t->members[i].type);
			size = m && m->kind == SPV_MATRIX ? matrix_size(s, m, &t->members[i]) : spv_size(s, t->members[i].type);
			size += spv_member_offset(s, t, i);
			end = size > end ? size : end;
		}
		return end;
	case SPV_SAMPLED_IMAGE: return 16;
	default: return 8;
	}
}

uint64_t spv_member_offset(struct spv *s, const struct spv_id *t, uint32_t member)
{
	uint64_t at = 0;
	if (member >= t->num_members)
		return spv_fail(s, "member %u of a structure of %u", member, t->num_members);
	if (t->members[member].has_offset)
		return t->members[member].offset;
	for (uint32_t i = 0; i <= member; i++) {
		const uint64_t align = spv_align(s, t->members[i].type);
		at = (at + align - 1) / align * align;
		if (i < member)
			at += spv_size(s, t->members[i].type);
	}
	return at;
}

/* ---- declarations ---- */
static struct spv_id *declare(struct spv *s, uint32_t id, enum spv_kind kind, const uint32_t *w)
{
	struct spv_id *i = spv_id(s, id);
	if (i && i->kind != SPV_NONE) {
		spv_fail(s, "id %u is there twice", id);
		return NULL;
	}
	if (i) {
		i->kind = kind;
		i->words = w;
	}
	return i;
}

static bool number_type(struct spv *s, const uint32_t *w, bool is_float)
{
	struct spv_id *t = declare(s, w[1], is_float ? SPV_FLOAT : SPV_INT, w);
	if (!t)
		return false;
	t->width = w[2];
	t->is_signed = !is_float && w[3];
	if (is_float ? w[2] != 16 && w[2] != 32 && w[2] != 64 : w[2] != 8 && w[2] != 16 && w[2] != 32 && w[2] != 64)
		return spv_fail(s, "a number of %u bits", w[2]);
	return true;
}

static bool aggregate_type(struct spv *s, const uint32_t *w, enum spv_kind kind)
{
	enum { MOST_BYTES = 1 << 30 }; /* as maxStorageBufferRange says */
	struct spv_id *of = spv_type(s, w[2]), *t = of ? declare(s, w[1], kind, w) : NULL;
	if (!t)
		return false;
	t->type = w[2];
	t->count = kind == SPV_RUNTIME_ARRAY ? 0 : w[3];
	if (kind == SPV_ARRAY) {
		const struct spv_id *length = spv_id(s, w[3]);
		if (!length || !length->has_value || !length->value || length->value > MOST_BYTES)
			return spv_fail(s, "the length of an array is no constant from 1 to %d", MOST_BYTES);
		t->count = (uint32_t)length->value;
		if (spv_size(s, w[1]) > MOST_BYTES)
			return spv_fail(s, "an array of more than %d bytes", MOST_BYTES);
	}
	if (kind == SPV_VECTOR ? !spv_is_scalar(of) || t->count < 2 || t->count > 4 : kind == SPV_MATRIX && (of->kind != SPV_VECTOR || t->count < 2 || t->count > 4))
		return spv_fail(s, "a vector or matrix of %u elements", t->count);
	return true;
}

static bool struct_type(struct spv *s, const uint32_t *w, uint32_t n)
{
	struct spv_id *t = declare(s, w[1], SPV_STRUCT, w);
	if (!t)
		return false;
	if (t->num_members > n - 2)
		return spv_fail(s, "a decoration of member %u of a structure of %u", t->num_members - 1, n - 2);
	t->members = clc_realloc(t->members, (n - 1) * sizeof *t->members);
	for (uint32_t i = t->num_members; i < n - 2; i++)
		t->members[i] = (struct spv_member){ 0 };
	t->num_members = t->count = n - 2;
	for (uint32_t i = 0; i < n - 2; i++) {
		t->members[i].type = w[2 + i];
		if (!spv_type(s, w[2 + i]))
			return false;
	}
	return true;
}

/* forward: what it points at comes later. */
static bool pointer_type(struct spv *s, const uint32_t *w, bool forward)
{
	struct spv_id *t = spv_id(s, w[1]);
	if (!forward && t && t->kind == SPV_POINTER && t->forward)
		t->words = w;
	else
		t = declare(s, w[1], SPV_POINTER, w);
	if (!t)
		return false;
	t->storage = (enum spv_storage)w[2];
	t->type = forward ? 0 : w[3];
	t->forward = forward;
	return true;
}

/* ---- constants ---- */
static void integer_text(struct spv_id *c, const struct spv_id *type, uint64_t value)
{
	const unsigned bits = type->kind == SPV_BOOL ? 1 : type->width;
	c->value = bits < 64 ? value & ((1ull << bits) - 1) : value;
	c->has_value = true;
	c->text = type->kind == SPV_BOOL ? clc_format("%s", c->value ? "true" : "false") :
					   clc_format("%lld", (long long)(bits == 64 ? (int64_t)value : (int64_t)(value << (64 - bits)) >> (64 - bits)));
}

static void float_text(struct spv_id *c, const struct spv_id *type, uint64_t bits)
{
	union { double d; uint64_t u; } wide = { 0 };
	union { float f; uint32_t u; } word = { .u = (uint32_t)bits };
	if (type->width == 16) {
		c->text = clc_format("0xH%04X", (unsigned)bits & 0xffff);
		return;
	}
	wide.u = bits;
	if (type->width == 32)
		wide.d = (double)word.f;
	c->text = clc_format("0x%016llX", (unsigned long long)wide.u);
}

/* An id of a type. */
static struct spv_id *typed(struct spv *s, enum spv_kind kind, const uint32_t *w)
{
	struct spv_id *i = spv_type(s, w[1]) ? declare(s, w[2], kind, w) : NULL;
	if (i)
		i->type = w[1];
	return i;
}

/* The value that the pipeline gives a specialisation constant. */
static uint64_t special(const struct spv *s, const struct spv_id *c, uint64_t otherwise)
{
	for (size_t i = 0; c->has_spec_id && i < s->num_specials; i++)
		if (s->specials[i].id == c->spec_id)
			return s->specials[i].value;
	return otherwise;
}

static bool scalar_constant(struct spv *s, const uint32_t *w, uint32_t n, bool is_special)
{
	struct spv_id *c = typed(s, SPV_CONSTANT, w), *t = c ? spv_type(s, w[1]) : NULL;
	if (!t)
		return false;
	if (t->kind != SPV_INT && t->kind != SPV_FLOAT)
		return spv_fail(s, "a constant of a type that is no number");
	uint64_t bits = w[3] | (n > 4 ? (uint64_t)w[4] << 32 : 0);
	if (is_special)
		bits = special(s, c, bits);
	if (t->kind == SPV_INT)
		integer_text(c, t, bits);
	else
		float_text(c, t, bits);
	return true;
}

static bool bool_constant(struct spv *s, const uint32_t *w, bool value, bool is_special)
{
	struct spv_id *c = typed(s, SPV_CONSTANT, w), *t = c ? spv_type(s, w[1]) : NULL;
	if (!t)
		return false;
	if (t->kind != SPV_BOOL)
		return spv_fail(s, "true or false of another type");
	integer_text(c, t, is_special ? special(s, c, value) != 0 : value);
	return true;
}

static bool composite_constant(struct spv *s, const uint32_t *w, uint32_t n)
{
	struct spv_id *c = typed(s, SPV_CONSTANT, w), *t = c ? spv_type(s, w[1]) : NULL;
	struct bytes text = { 0 };
	if (!t)
		return false;
	const char *open = t->kind == SPV_VECTOR ? "<" : t->kind == SPV_STRUCT ? "{ " : "[", *close = t->kind == SPV_VECTOR ? ">" : t->kind == SPV_STRUCT ? " }" : "]";
	if ((t->kind != SPV_VECTOR && t->kind != SPV_STRUCT && t->kind != SPV_ARRAY && t->kind != SPV_MATRIX) || t->count != n - 3)
		return spv_fail(s, "%u parts of a constant", n - 3);
	bytes_text(&text, open);
	for (uint32_t i = 3; i < n; i++) {
		const struct spv_id *part = spv_id(s, w[i]);
		if (!part || part->kind != SPV_CONSTANT)
			return spv_fail(s, "part %u of a constant is none", i - 3);
		bytes_text(&text, i > 3 ? ", " : "");
		bytes_text(&text, spv_ir(s, part->type));
		bytes_text(&text, " ");
		bytes_text(&text, spv_value(s, w[i]));
	}
	bytes_text(&text, close);
	bytes_add(&text, "", 1);
	c->text = text.data;
	return !s->failed;
}

static bool null_constant(struct spv *s, const uint32_t *w, const char *text)
{
	struct spv_id *c = typed(s, SPV_CONSTANT, w), *t = c ? spv_type(s, w[1]) : NULL;
	if (!t)
		return false;
	c->text = clc_format("%s", text);
	c->has_value = t->kind == SPV_INT || t->kind == SPV_BOOL;
	if (c->has_value)
		integer_text(c, t, 0);
	else if (t->kind == SPV_FLOAT)
		float_text(c, t, 0);
	return true;
}

/* A part of a composite constant is that part. */
static bool special_part(struct spv *s, const uint32_t *w, uint32_t n, struct spv_id *c)
{
	uint32_t id = w[4];
	for (uint32_t i = 5; i < n; i++) {
		const struct spv_id *of = spv_id(s, id);
		const uint16_t op = of && of->kind == SPV_CONSTANT ? (uint16_t)*of->words : 0;
		if ((op != OP_ConstantComposite && op != OP_SpecConstantComposite) || 3 + w[i] >= *of->words >> 16)
			return spv_fail(s, "no part %u of a constant", w[i]);
		id = of->words[3 + w[i]];
	}
	const struct spv_id *part = spv_id(s, id);
	if (!part || part->kind != SPV_CONSTANT || part->type != c->type)
		return spv_fail(s, "a part of a constant of another type");
	c->text = clc_format("%s", part->text);
	c->value = part->value;
	c->has_value = part->has_value;
	return true;
}

/* Of integers and booleans: what lengths of arrays and sizes of work-groups are made of. */
static bool special_operation(struct spv *s, const uint32_t *w, uint32_t n)
{
	struct spv_id *c = typed(s, SPV_CONSTANT, w), *t = c ? spv_type(s, w[1]) : NULL;
	uint64_t v[3] = { 0 };
	if (c && w[3] == OP_CompositeExtract)
		return n > 4 && special_part(s, w, n, c);
	if (!t || (t->kind != SPV_INT && t->kind != SPV_BOOL))
		return spv_fail(s, "an operation on constants that are no integers");
	for (uint32_t i = 4; i < n && i < 7; i++) {
		const struct spv_id *operand = spv_id(s, w[i]);
		if (!operand || !operand->has_value)
			return spv_fail(s, "operand %u of an operation on constants is no integer", i - 4);
		v[i - 4] = operand->value;
	}
	const int64_t a = (int64_t)v[0], b = (int64_t)v[1];
	const unsigned bits = t->kind == SPV_INT ? t->width : 1, shift = (unsigned)v[1] & 63;
	const int64_t sa = bits < 64 ? (int64_t)((uint64_t)a << (64 - bits)) >> (64 - bits) : a, sb = bits < 64 ? (int64_t)((uint64_t)b << (64 - bits)) >> (64 - bits) : b;
	switch (w[3]) {
	case OP_UConvert: case OP_SConvert: v[0] = w[3] == OP_SConvert ? (uint64_t)sa : v[0]; break; /* conversions of the width */
	case OP_SNegate: v[0] = 0 - v[0]; break;
	case OP_IAdd: v[0] += v[1]; break;
	case OP_ISub: v[0] -= v[1]; break;
	case OP_IMul: v[0] *= v[1]; break;
	case OP_UDiv: v[0] = v[1] ? v[0] / v[1] : 0; break;
	case OP_SDiv: v[0] = sb && !(sa == INT64_MIN && sb == -1) ? (uint64_t)(sa / sb) : 0; break;
	case OP_UMod: v[0] = v[1] ? v[0] % v[1] : 0; break;
	case OP_SRem: v[0] = sb && sb != -1 ? (uint64_t)(sa % sb) : 0; break;
	case OP_LogicalEqual: v[0] = v[0] == v[1]; break;
	case OP_LogicalNotEqual: v[0] = v[0] != v[1]; break;
	case OP_LogicalOr: v[0] = v[0] || v[1]; break;
	case OP_LogicalAnd: v[0] = v[0] && v[1]; break;
	case OP_LogicalNot: v[0] = !v[0]; break;
	case OP_Select: v[0] = v[0] ? v[1] : v[2]; break;
	case OP_IEqual: v[0] = v[0] == v[1]; break;
	case OP_INotEqual: v[0] = v[0] != v[1]; break;
	case OP_UGreaterThan: v[0] = v[0] > v[1]; break;
	case OP_SGreaterThan: v[0] = sa > sb; break;
	case OP_UGreaterThanEqual: v[0] = v[0] >= v[1]; break;
	case OP_SGreaterThanEqual: v[0] = sa >= sb; break;
	case OP_ULessThan: v[0] = v[0] < v[1]; break;
	case OP_SLessThan: v[0] = sa < sb; break;
	case OP_ULessThanEqual: v[0] = v[0] <= v[1]; break;
	case OP_SLessThanEqual: v[0] = sa <= sb; break;
	case OP_ShiftRightLogical: v[0] >>= shift; break;
	case OP_ShiftRightArithmetic: v[0] = (uint64_t)(sa >> shift); break;
	case OP_ShiftLeftLogical: v[0] <<= shift; break;
	case OP_BitwiseOr: v[0] |= v[1]; break;
	case OP_BitwiseXor: v[0] ^= v[1]; break;
	case OP_BitwiseAnd: v[0] &= v[1]; break;
	case OP_Not: v[0] = ~v[0]; break;
	default: return spv_fail(s, "operation %u on constants is not supported", w[3]);
	}
	integer_text(c, t, v[0]);
	return true;
}

/* ---- decorations ---- */
enum { SPEC_ID = 1, ROW_MAJOR = 4, ARRAY_STRIDE = 6, MATRIX_STRIDE = 7, BUILT_IN = 11, BINDING = 33, DESCRIPTOR_SET = 34, OFFSET = 35 };
static bool decorate(struct spv *s, const uint32_t *w, uint32_t n)
{
	struct spv_id *i = spv_id(s, w[1]);
	if (!i)
		return false;
	const uint32_t value = n > 3 ? w[3] : 0;
	switch (w[2]) {
	case SPEC_ID: i->spec_id = value; i->has_spec_id = true; break;
	case ARRAY_STRIDE: i->array_stride = value; break;
	case BUILT_IN: i->builtin = value; i->has_builtin = true; break;
	case BINDING: i->binding = value; i->has_binding = true; break;
	case DESCRIPTOR_SET: i->set = value; break;
	}
	return true;
}

static bool decorate_member(struct spv *s, const uint32_t *w, uint32_t n)
{
	enum { MOST_MEMBERS = 1 << 14 };
	struct spv_id *i = spv_id(s, w[1]);
	if (!i || w[2] >= MOST_MEMBERS)
		return spv_fail(s, "a decoration of member %u", w[2]);
	if (w[2] >= i->num_members) { /* the structure comes later */
		i->members = clc_realloc(i->members, (w[2] + 1) * sizeof *i->members);
		memset(i->members + i->num_members, 0, (w[2] + 1 - i->num_members) * sizeof *i->members);
		i->num_members = w[2] + 1;
	}
	struct spv_member *m = &i->members[w[2]];
	switch (w[3]) {
	case ROW_MAJOR: m->row_major = true; break;
	case MATRIX_STRIDE: m->matrix_stride = n > 4 ? w[4] : 0; break;
	case OFFSET: m->offset = n > 4 ? w[4] : 0; m->has_offset = n > 4; break;
	}
	return true;
}

/* ---- the module ---- */
static bool same_text(const uint32_t *w, uint32_t n, const char *text)
{
	const size_t room = n * sizeof *w, length = strnlen((const char *)w, room);
	return length < room && length == strlen(text) && !memcmp(w, text, length);
}

static bool entry_point(struct spv *s, const uint32_t *w, uint32_t n)
{
	enum { GL_COMPUTE = 5 };
	if (w[1] == GL_COMPUTE && same_text(w + 3, n - 3, s->entry_name))
		s->entry = w[2];
	return true;
}

static bool ext_set(struct spv *s, const uint32_t *w, uint32_t n)
{
	static const char no_meaning[] = "NonSemantic.";
	struct spv_id *i = declare(s, w[1], SPV_EXT_SET, w);
	if (!i)
		return false;
	i->value = same_text(w + 2, n - 2, "GLSL.std.450") ? SPV_GLSL_STD_450 :
		   (n - 2) * sizeof *w >= sizeof no_meaning && !memcmp(w + 2, no_meaning, sizeof no_meaning - 1) ? SPV_NON_SEMANTIC : SPV_UNKNOWN_SET;
	return true;
}

static bool memory_model(uint32_t addressing, uint32_t memory)
{
	enum { LOGICAL = 0, PHYSICAL_STORAGE_BUFFER_64 = 5348, GLSL_450 = 1, VULKAN = 3 };
	return (addressing == LOGICAL || addressing == PHYSICAL_STORAGE_BUFFER_64) && (memory == GLSL_450 || memory == VULKAN);
}

static bool execution_mode(struct spv *s, const uint32_t *w, uint32_t n)
{
	enum { LOCAL_SIZE = 17, LOCAL_SIZE_ID = 38 };
	if (w[1] != s->entry || n < 6)
		return true;
	for (unsigned i = 0; i < 3; i++)
		if (w[2] == LOCAL_SIZE)
			s->local_size[i] = w[3 + i];
		else if (w[2] == LOCAL_SIZE_ID)
			s->local_size_ids[i] = w[3 + i];
	return true;
}

static bool capability(struct spv *s, uint32_t c)
{
	switch (c) {
#define CAPABILITY(name, number) case number:
#include "runtime/compiler/clc/spirv_capabilities.def"
#undef CAPABILITY
		return true;
	}
	return spv_fail(s, "capability %u is not supported", c);
}

static const struct opcode { const char *name; uint16_t number; uint8_t words; } opcodes[] = {
#define OPCODE(name, number, words) { #name, number, words },
#include "runtime/compiler/clc/spirv_opcodes.def"
#undef OPCODE
};

static const struct opcode *opcode_find(uint16_t op)
{
	for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
		if (opcodes[i].number == op)
			return &opcodes[i];
	return NULL;
}

const char *spv_opcode_name(uint16_t op)
{
	const struct opcode *o = opcode_find(op);
	return o ? o->name : NULL;
}

bool spv_words(struct spv *s, size_t left)
{
	const uint32_t n = *s->at >> 16;
	const struct opcode *o = opcode_find((uint16_t)*s->at);
	if (!n || n > left)
		return spv_fail(s, "%u words where %zu are left", n, left);
	return !o || n >= o->words || spv_fail(s, "%u words are too few", n);
}

static bool declaration(struct spv *s, uint16_t op, const uint32_t *w, uint32_t n)
{
	struct spv_id *i;
	switch (op) {
	case OP_ExtInstImport: return ext_set(s, w, n);
	case OP_MemoryModel: return memory_model(w[1], w[2]) || spv_fail(s, "addressing model %u with memory model %u", w[1], w[2]);
	case OP_EntryPoint: return entry_point(s, w, n);
	case OP_ExecutionMode: case OP_ExecutionModeId: return execution_mode(s, w, n);
	case OP_Capability: return capability(s, w[1]);
	case OP_TypeVoid: return declare(s, w[1], SPV_VOID, w);
	case OP_TypeBool: return declare(s, w[1], SPV_BOOL, w);
	case OP_TypeInt: return number_type(s, w, false);
	case OP_TypeFloat: return number_type(s, w, true);
	case OP_TypeVector: return aggregate_type(s, w, SPV_VECTOR);
	case OP_TypeMatrix: return aggregate_type(s, w, SPV_MATRIX);
	case OP_TypeImage: return declare(s, w[1], SPV_IMAGE, w);
	case OP_TypeSampler: return declare(s, w[1], SPV_SAMPLER, w);
	case OP_TypeSampledImage: return (i = declare(s, w[1], SPV_SAMPLED_IMAGE, w)) && (i->type = w[2], spv_type(s, w[2]));
	case OP_TypeArray: return aggregate_type(s, w, SPV_ARRAY);
	case OP_TypeRuntimeArray: return aggregate_type(s, w, SPV_RUNTIME_ARRAY);
	case OP_TypeStruct: return struct_type(s, w, n);
	case OP_TypePointer: return pointer_type(s, w, false);
	case OP_TypeFunction: return (i = declare(s, w[1], SPV_FUNCTION_TYPE, w)) && (i->type = w[2], i->count = n - 3, true);
	case OP_TypeForwardPointer: return pointer_type(s, w, true);
	case OP_ConstantTrue: case OP_ConstantFalse: return bool_constant(s, w, op == OP_ConstantTrue, false);
	case OP_Constant: return scalar_constant(s, w, n, false);
	case OP_ConstantComposite: case OP_SpecConstantComposite: return composite_constant(s, w, n);
	case OP_ConstantNull: return null_constant(s, w, "zeroinitializer");
	case OP_SpecConstantTrue: case OP_SpecConstantFalse: return bool_constant(s, w, op == OP_SpecConstantTrue, true);
	case OP_SpecConstant: return scalar_constant(s, w, n, true);
	case OP_SpecConstantOp: return special_operation(s, w, n);
	case OP_Undef: return null_constant(s, w, "undef");
	case OP_Variable:
		i = typed(s, SPV_VARIABLE, w);
		if (i)
			i->storage = (enum spv_storage)w[3];
		return i;
	case OP_Decorate: return decorate(s, w, n);
	case OP_MemberDecorate: return decorate_member(s, w, n);
	}
	return true; /* names, sources, extensions, lines: nothing follows from them */
}

static bool local_size(struct spv *s)
{
	for (unsigned i = 0; i < 3; i++) {
		const struct spv_id *c = s->local_size_ids[i] ? spv_id(s, s->local_size_ids[i]) : NULL;
		if (c && c->has_value)
			s->local_size[i] = (uint32_t)c->value;
	}
	/* a constant that is decorated so goes before the execution mode */
	for (uint32_t id = 1; id < s->bound; id++) {
		const struct spv_id *c = &s->ids[id];
		if (c->kind != SPV_CONSTANT || !c->has_builtin || c->builtin != SPV_WORKGROUP_SIZE)
			continue;
		for (unsigned i = 0; i < 3 && 3 + i < *c->words >> 16; i++) {
			const struct spv_id *part = spv_id(s, c->words[3 + i]);
			if (part && part->has_value)
				s->local_size[i] = (uint32_t)part->value;
		}
	}
	if (!s->local_size[0] || !s->local_size[1] || !s->local_size[2])
		return spv_fail(s, "the entry point has no size of work-groups");
	return true;
}

bool spv_read_module(struct spv *s)
{
	for (size_t at = SPIRV_HEADER_WORDS; at < s->num_words;) {
		const uint32_t *w = s->words + at, n = *w >> 16;
		const uint16_t op = (uint16_t)*w;
		s->at = w;
		if (!spv_words(s, s->num_words - at))
			return false;
		if (op == OP_Function)
			break;
		if (!declaration(s, op, w, n) || s->failed)
			return false;
		at += n;
	}
	s->at = NULL;
	if (!s->entry)
		return spv_fail(s, "there is no compute entry point of the name %s", s->entry_name);
	return local_size(s);
}

bool spv_becomes(struct spv *s, struct spv_id *i, uint32_t type)
{
	if (i->kind != SPV_NONE && i->kind != SPV_VALUE) /* a value: a phi before it has named it */
		return spv_fail(s, "id %u is there twice", (uint32_t)(i - s->ids));
	i->kind = SPV_VALUE;
	i->type = type;
	return true;
}

bool spv_define(struct spv *s, const char *operand)
{
	const uint32_t type = s->at[1], id = s->at[2];
	struct spv_id *i = spv_id(s, id);
	if (!i || s->failed || !spv_becomes(s, i, type))
		return false;
	if (!i->text)
		i->text = clc_format("%s", operand);
	else if (strcmp(i->text, operand)) /* a phi before it has named it */
		spv_emit(s, "  %s = freeze %s %s\n", i->text, spv_ir(s, type), operand);
	spv_pointer_track(s, id);
	return true;
}
