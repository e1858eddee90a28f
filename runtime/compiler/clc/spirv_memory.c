/* Memory of SPIR-V shaders: variables and the frame, access chains, loads and stores, atomics.
 *
 * The frame holds the address of the block, then variables of the classes Input and Private. Every function begins with the addresses of all
 * variables of the module; what it does not use goes with the optimiser. */
#include "runtime/compiler/clc/spirv.h"
#include "abi/spirv_block.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 4096, MOST_FRAME = 1 << 20 }; /* of a value that is loaded or stored as a whole; bytes of variables of the module */

static const char *temporary_gep(struct spv *s, const char *base, uint64_t offset)
{
	return offset ? spv_let(s, "getelementptr i8, ptr %s, i64 %llu", base, (unsigned long long)offset) : base;
}

/* ---- variables of the module ---- */
static bool in_frame(const struct spv_id *v) { return v->storage == SPV_INPUT || v->storage == SPV_PRIVATE; }

static bool is_descriptor(const struct spv_id *v)
{
	return v->storage == SPV_UNIFORM_CONSTANT || v->storage == SPV_UNIFORM || v->storage == SPV_STORAGE_BUFFER;
}

static bool is_handle(const struct spv_id *t) { return t->kind == SPV_IMAGE || t->kind == SPV_SAMPLER || t->kind == SPV_SAMPLED_IMAGE; }

static uint64_t local_words(struct spv *s, uint32_t type) { return (spv_size(s, type) + 3) / 4; }

static bool place(struct spv *s, uint32_t id)
{
	struct spv_id *v = &s->ids[id], *pointer = spv_type(s, v->type);
	if (!pointer || pointer->kind != SPV_POINTER || !spv_type(s, pointer->type))
		return spv_fail(s, "variable %u is of no pointer type", id);
	if (in_frame(v)) {
		if (spv_size(s, pointer->type) > MOST_FRAME)
			return spv_fail(s, "variable %u is larger than %d bytes", id, MOST_FRAME);
		v->frame = (s->frame_bytes + 15) / 16 * 16;
		s->frame_bytes = v->frame + (uint32_t)spv_size(s, pointer->type);
	} else if (v->storage == SPV_WORKGROUP) {
		const uint64_t words = local_words(s, pointer->type);
		const struct spv_id *begin = *v->words >> 16 > 4 ? spv_id(s, v->words[4]) : NULL;
		if (*v->words >> 16 > 4 && (!begin || begin->kind != SPV_CONSTANT || (uint16_t)*begin->words != OP_ConstantNull))
			return spv_fail(s, "variable %u of a work-group begins with something else than zeros", id);
		bytes_format(&s->globals, "@l%u = internal addrspace(3) global [%llu x i8] undef, align 16\n", id, (unsigned long long)words * 4);
	} else if (v->storage != SPV_PUSH_CONSTANT && !is_descriptor(v)) {
		return spv_fail(s, "storage class %d of variable %u is not supported", (int)v->storage, id);
	}
	return !s->failed;
}

bool spv_variables_place(struct spv *s)
{
	s->frame_bytes = 16;
	for (uint32_t id = 1; id < s->bound; id++)
		if (s->ids[id].kind == SPV_VARIABLE && !place(s, id))
			return false;
	return s->frame_bytes <= MOST_FRAME || spv_fail(s, "%u bytes of private variables", s->frame_bytes);
}

static bool descriptor_begin(struct spv *s, uint32_t id, struct spv_id *v, const struct spv_id *type)
{
	const struct spv_binding *b = NULL;
	for (size_t i = 0; i < s->num_bindings; i++)
		if (s->bindings[i].set == v->set && s->bindings[i].binding == v->binding)
			b = &s->bindings[i];
	if (!b || v->set >= SPIRV_SETS || !v->has_binding) {
		/* the module may declare what the entry point does not use */
		spv_emit(s, "  %%v%u = inttoptr i64 0 to ptr\n", id);
		v->place = (struct spv_place){ .descriptors = true };
		return true;
	}
	const bool single = type->kind == SPV_STRUCT;
	const char *set = spv_let(s, "getelementptr i8, ptr %%block, i64 %u", v->set * 8);
	const char *address = spv_let(s, "inttoptr i64 %s to ptr", spv_let(s, "load i64, ptr %s, align 8", set));
	spv_emit(s, "  %%v%u%s = getelementptr i8, ptr %s, i64 %u\n", id, single ? ".d" : "", address, b->offset);
	v->place = (struct spv_place){ .descriptors = !single };
	if (!single)
		return true;
	spv_emit(s, "  %%v%u = load ptr, ptr %%v%u.d, align 8\n", id, id);
	spv_emit(s, "  %%v%u.p = getelementptr i8, ptr %%v%u.d, i64 8\n  %%v%u.range = load i64, ptr %%v%u.p, align 8\n", id, id, id, id);
	v->place.root = clc_format("%%v%u", id);
	v->place.range = clc_format("%%v%u.range", id);
	return true;
}

bool spv_function_begin(struct spv *s)
{
	spv_emit(s, "  %%block = load ptr, ptr %%frame, align 8\n");
	for (uint32_t id = 1; id < s->bound; id++) {
		struct spv_id *v = &s->ids[id];
		if (v->kind != SPV_VARIABLE)
			continue;
		const struct spv_id *pointer = spv_type(s, v->type), *type = pointer ? spv_type(s, pointer->type) : NULL;
		if (!type)
			return false;
		if (in_frame(v))
			spv_emit(s, "  %%v%u = getelementptr i8, ptr %%frame, i64 %u\n", id, v->frame);
		else if (v->storage == SPV_WORKGROUP)
			spv_emit(s, "  %%v%u = bitcast ptr @l%u to ptr\n", id, id);
		else if (v->storage == SPV_PUSH_CONSTANT)
			spv_emit(s, "  %%v%u = getelementptr i8, ptr %%block, i64 %zu\n", id, offsetof(struct spirv_block, push));
		else if (!descriptor_begin(s, id, v, type))
			return false;
	}
	return !s->failed;
}

/* ---- the kernel ---- */
static void number(struct spv *s, const char *at, const char *function, unsigned dimension, bool group)
{
	const char *to = temporary_gep(s, at, 4 * dimension);
	spv_declare(s, "declare i64 @%s(i32)", function);
	const char *n = spv_let(s, "trunc i64 %s to i32", spv_let(s, "call i64 @%s(i32 %u)", function, dimension));
	if (group) { /* the block says where the numbers begin */
		const char *base = spv_let(s, "load i32, ptr %s, align 4", temporary_gep(s, "%block", offsetof(struct spirv_block, base) + 4 * dimension));
		if (strstr(function, "global_id"))
			base = spv_let(s, "mul i32 %s, %u", base, s->local_size[dimension]);
		n = spv_let(s, "add i32 %s, %s", n, base);
	}
	spv_emit(s, "  store i32 %s, ptr %s, align 4\n", n, to);
}

static bool builtin(struct spv *s, uint32_t id, const struct spv_id *v)
{
	enum { NUM_WORKGROUPS = 24, WORKGROUP_ID = 26, LOCAL_ID = 27, GLOBAL_ID = 28, LOCAL_INDEX = 29, SUBGROUP_SIZE = 36,
	       NUM_SUBGROUPS = 38, SUBGROUP_ID = 40, SUBGROUP_LANE = 41, SUBGROUP_MASKS = 4416 };
	static const char *const masks[] = { "eq", "ge", "gt", "le", "lt" };
	static const struct { uint32_t builtin; const char *function; } scalars[] = {
		{ SUBGROUP_SIZE, "_Z22get_max_sub_group_sizev" }, { NUM_SUBGROUPS, "_Z18get_num_sub_groupsv" },
		{ SUBGROUP_ID, "_Z16get_sub_group_idv" }, { SUBGROUP_LANE, "_Z22get_sub_group_local_idv" },
	};
	char *at = clc_format("%%v%u", id);
	spv_emit(s, "  %s = getelementptr i8, ptr %%frame, i64 %u\n", at, v->frame);
	const char *function = v->builtin == NUM_WORKGROUPS ? "_Z14get_num_groupsj" : v->builtin == WORKGROUP_ID ? "_Z12get_group_idj" :
			       v->builtin == LOCAL_ID ? "_Z12get_local_idj" : v->builtin == GLOBAL_ID ? "_Z13get_global_idj" : NULL;
	for (unsigned d = 0; function && d < 3; d++)
		number(s, at, function, d, v->builtin == WORKGROUP_ID || v->builtin == GLOBAL_ID);
	for (unsigned d = 0; v->builtin == SPV_WORKGROUP_SIZE && d < 3; d++)
		spv_emit(s, "  store i32 %u, ptr %s, align 4\n", s->local_size[d], temporary_gep(s, at, 4 * d));
	bool known = function || v->builtin == SPV_WORKGROUP_SIZE;
	if (v->builtin >= SUBGROUP_MASKS && v->builtin < SUBGROUP_MASKS + sizeof masks / sizeof *masks) {
		const char *name = masks[v->builtin - SUBGROUP_MASKS];
		spv_declare(s, "declare <4 x i32> @_Z21get_sub_group_%s_maskv()", name);
		spv_emit(s, "  store <4 x i32> %s, ptr %s, align 4\n", spv_let(s, "call <4 x i32> @_Z21get_sub_group_%s_maskv()", name), at);
		known = true;
	}
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
		if (scalars[i].builtin != v->builtin)
			continue;
		spv_declare(s, "declare i32 @%s() #2", scalars[i].function);
		spv_emit(s, "  store i32 %s, ptr %s, align 4\n", spv_let(s, "call i32 @%s()", scalars[i].function), at);
		known = true;
	}
	if (v->builtin == LOCAL_INDEX) {
		spv_declare(s, "declare i64 @_Z19get_local_linear_idv()");
		spv_emit(s, "  store i32 %s, ptr %s, align 4\n", spv_let(s, "trunc i64 %s to i32", spv_let(s, "call i64 @_Z19get_local_linear_idv()")), at);
		known = true;
	}
	free(at);
	return known || spv_fail(s, "built-in variable %u is not supported", v->builtin);
}

/* Memory of the work-group that begins with zeros: each invocation stores some of them. */
static void local_fill(struct spv *s)
{
	bool any = false;
	for (uint32_t id = 1; id < s->bound; id++) {
		struct spv_id *v = &s->ids[id];
		const struct spv_id *pointer = v->kind == SPV_VARIABLE ? spv_type(s, v->type) : NULL;
		if (!pointer || v->storage != SPV_WORKGROUP || *v->words >> 16 <= 4)
			continue;
		spv_declare(s, "declare void @shader_zero_words(ptr, i64)");
		spv_emit(s, "  call void @shader_zero_words(ptr @l%u, i64 %llu)\n", id, (unsigned long long)local_words(s, pointer->type));
		any = true;
	}
	if (any) {
		spv_declare(s, "declare void @_Z7barrierj(i32) #2");
		spv_emit(s, "  call void @_Z7barrierj(i32 1) #2\n");
	}
}

static void store_value(struct spv *, uint32_t type, const char *value, const char *at, struct spv_place);

bool spv_frame_fill(struct spv *s)
{
	s->at = NULL;
	spv_emit(s, "  %%frame = alloca [%u x i8], align 16\n  store ptr %%block, ptr %%frame, align 8\n", s->frame_bytes);
	for (uint32_t id = 1; id < s->bound; id++) {
		struct spv_id *v = &s->ids[id];
		if (v->kind != SPV_VARIABLE || !in_frame(v))
			continue;
		const struct spv_id *pointer = spv_type(s, v->type);
		if (v->storage == SPV_INPUT) {
			if (!v->has_builtin)
				return spv_fail(s, "input variable %u is no built-in one", id);
			if (!builtin(s, id, v))
				return false;
		} else if (*v->words >> 16 > 4 && pointer) {
			const char *at = temporary_gep(s, "%frame", v->frame);
			store_value(s, pointer->type, spv_value(s, v->words[4]), at, (struct spv_place){ 0 });
		}
	}
	local_fill(s);
	spv_emit(s, "  call void @f%u(ptr %%frame)\n  ret void\n", s->entry);
	return !s->failed;
}

/* ---- local variables ---- */
bool spv_variable_local(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	struct spv_id *v = n >= 4 ? spv_id(s, w[2]) : NULL, *pointer = v ? spv_type(s, w[1]) : NULL;
	if (!pointer || pointer->kind != SPV_POINTER || w[3] != SPV_FUNCTION_STORAGE)
		return spv_fail(s, "a variable in a function that is not its own");
	const uint64_t size = spv_size(s, pointer->type);
	if (!spv_result(s, "alloca [%llu x i8], align 16", (unsigned long long)(size ? size : 1)))
		return false;
	if (n > 4)
		store_value(s, pointer->type, spv_value(s, w[4]), spv_value(s, w[2]), (struct spv_place){ 0 });
	return !s->failed;
}

/* ---- access chains ---- */
struct chain {
	uint32_t type;      /* of what is pointed at */
	const char *base;
	uint64_t offset;
	struct spv_place place;
};

/* An index times a stride is added to the address. */
static bool chain_index(struct spv *s, struct chain *c, uint32_t index, uint64_t stride)
{
	const struct spv_id *i = spv_id(s, index), *type = i ? spv_type(s, i->type) : NULL;
	if (!type || type->kind != SPV_INT)
		return spv_fail(s, "index %u is no integer", index);
	if (i->kind == SPV_CONSTANT && i->has_value) {
		c->offset += i->value * stride;
		return true;
	}
	const char *wide = spv_value(s, index);
	if (type->width < 64)
		wide = spv_let(s, "%s i%u %s to i64", type->is_signed ? "sext" : "zext", type->width, wide);
	c->base = spv_let(s, "getelementptr i8, ptr %s, i64 %s", c->base, spv_let(s, "mul i64 %s, %llu", wide, (unsigned long long)stride));
	return true;
}

/* The descriptor that is pointed at is of a buffer: from there on, what that holds. */
static void chain_follow(struct spv *s, struct chain *c)
{
	const char *at = temporary_gep(s, c->base, c->offset), *address = spv_let(s, "load ptr, ptr %s, align 8", at);
	const char *range = spv_let(s, "load i64, ptr %s, align 8", temporary_gep(s, at, 8));
	*c = (struct chain){ .type = c->type, .base = address, .place = { .root = address, .range = range } };
}

static bool chain_step(struct spv *s, struct chain *c, uint32_t index)
{
	const struct spv_id *t = spv_type(s, c->type), *i = spv_id(s, index);
	if (!t || !i)
		return false;
	const struct spv_place place = c->place;
	c->place = (struct spv_place){ .root = place.root, .range = place.range };
	switch (t->kind) {
	case SPV_STRUCT:
		if (!i->has_value || i->value >= t->num_members)
			return spv_fail(s, "member %llu of a structure of %u", (unsigned long long)i->value, t->num_members);
		c->offset += spv_member_offset(s, t, (uint32_t)i->value);
		c->place.matrix_stride = t->members[i->value].matrix_stride;
		c->place.row_major = t->members[i->value].row_major;
		c->type = t->members[i->value].type;
		return true;
	case SPV_ARRAY: case SPV_RUNTIME_ARRAY:
		c->place = place;
		if (!chain_index(s, c, index, place.descriptors ? sizeof(struct spirv_descriptor) : spv_stride(s, c->type)))
			return false;
		c->type = t->type;
		t = spv_type(s, c->type);
		if (place.descriptors && t && t->kind == SPV_STRUCT)
			chain_follow(s, c);
		return t;
	case SPV_MATRIX:
		c->type = t->type;
		c->place.matrix_stride = place.matrix_stride;
		c->place.strided = place.row_major;
		return chain_index(s, c, index, place.row_major ? spv_size(s, spv_scalar(s, spv_type(s, t->type)) ? spv_type(s, t->type)->type : 0) :
							      place.matrix_stride ? place.matrix_stride : spv_size(s, t->type));
	case SPV_VECTOR:
		c->type = t->type;
		return chain_index(s, c, index, place.strided ? place.matrix_stride : spv_size(s, t->type));
	default: return spv_fail(s, "an index into what has no parts");
	}
}

bool spv_access_chain(struct spv *s, bool of_array)
{
	const uint32_t *w = s->at, n = *w >> 16;
	struct spv_id *result = spv_id(s, w[2]), *base = result ? spv_id(s, w[3]) : NULL, *pointer = base ? spv_type(s, base->type) : NULL;
	if (!pointer || pointer->kind != SPV_POINTER)
		return spv_fail(s, "the base of an access is no pointer");
	struct chain c = { .type = pointer->type, .base = spv_value(s, w[3]), .place = base->place };
	if (of_array && !chain_index(s, &c, w[4], spv_pointer_stride(s, base->type)))
		return false;
	for (uint32_t i = of_array ? 5 : 4; i < n; i++)
		if (!chain_step(s, &c, w[i]))
			return false;
	result->place = c.place;
	return spv_result(s, "getelementptr i8, ptr %s, i64 %llu", c.base, (unsigned long long)c.offset);
}

/* ---- loads and stores ---- */
/* The address of an access of so many bytes: of the sink where it would leave the buffer. */
static const char *bounded(struct spv *s, const char *at, uint64_t size, struct spv_place place, bool reads)
{
	enum { SINK_WRITES = SPIRV_SINK_BYTES / 2 };
	if (!s->robust || !place.range)
		return at;
	const char *address = spv_let(s, "ptrtoint ptr %s to i64", at), *root = spv_let(s, "ptrtoint ptr %s to i64", place.root);
	const char *begin = spv_let(s, "sub i64 %s, %s", address, root), *end = spv_let(s, "add i64 %s, %llu", begin, (unsigned long long)size);
	const char *begins = spv_let(s, "icmp ult i64 %s, %s", begin, place.range), *ends = spv_let(s, "icmp ule i64 %s, %s", end, place.range);
	const char *within = spv_let(s, "and i1 %s, %s", begins, ends);
	const char *sink = spv_let(s, "load ptr, ptr %s, align 8", temporary_gep(s, "%block", offsetof(struct spirv_block, sink)));
	return spv_let(s, "select i1 %s, ptr %s, ptr %s", within, at, temporary_gep(s, sink, reads ? 0 : SINK_WRITES));
}

static const char *load_scalar(struct spv *s, uint32_t type, const char *at, struct spv_place place)
{
	const struct spv_id *t = spv_type(s, type);
	at = bounded(s, at, spv_size(s, type), place, true);
	if (t && t->kind == SPV_BOOL)
		return spv_let(s, "trunc i8 %s to i1", spv_let(s, "load i8, ptr %s, align 1", at));
	return spv_let(s, "load %s, ptr %s, align %llu", spv_ir(s, type), at, (unsigned long long)spv_align(s, type));
}

static void store_scalar(struct spv *s, uint32_t type, const char *value, const char *at, struct spv_place place)
{
	const struct spv_id *t = spv_type(s, type);
	at = bounded(s, at, spv_size(s, type), place, false);
	if (t && t->kind == SPV_BOOL)
		spv_emit(s, "  store i8 %s, ptr %s, align 1\n", spv_let(s, "zext i1 %s to i8", value), at);
	else
		spv_emit(s, "  store %s %s, ptr %s, align %llu\n", spv_ir(s, type), value, at, (unsigned long long)spv_align(s, type));
}

/* Part i of a value in memory: its type, where it begins, how it lies. */
static uint32_t part_of(struct spv *s, uint32_t type, uint32_t i, const struct spv_place *whole, uint64_t *offset, struct spv_place *place)
{
	const struct spv_id *t = spv_type(s, type), *column;
	*place = (struct spv_place){ .root = whole->root, .range = whole->range };
	switch (t->kind) {
	case SPV_VECTOR:
		*offset = i * (whole->strided ? whole->matrix_stride : spv_size(s, t->type));
		return t->type;
	case SPV_MATRIX:
		column = spv_type(s, t->type);
		place->matrix_stride = whole->matrix_stride;
		place->strided = whole->row_major;
		*offset = i * (whole->row_major && column ? spv_size(s, column->type) : whole->matrix_stride ? whole->matrix_stride : spv_size(s, t->type));
		return t->type;
	case SPV_ARRAY:
		*offset = i * spv_stride(s, type);
		place->matrix_stride = whole->matrix_stride;
		place->row_major = whole->row_major;
		return t->type;
	default:
		*offset = spv_member_offset(s, t, i);
		place->matrix_stride = t->members[i].matrix_stride;
		place->row_major = t->members[i].row_major;
		return t->members[i].type;
	}
}

static bool one_access(struct spv *s, const struct spv_id *t, struct spv_place place)
{
	const struct spv_id *scalar = t->kind == SPV_VECTOR ? spv_type(s, t->type) : t;
	return spv_is_scalar(t) || t->kind == SPV_POINTER || (t->kind == SPV_VECTOR && !place.strided && scalar && scalar->kind != SPV_BOOL);
}

static bool has_parts(const struct spv_id *t) { return t->kind == SPV_VECTOR || t->kind == SPV_MATRIX || t->kind == SPV_ARRAY || t->kind == SPV_STRUCT; }

static const char *load_value(struct spv *s, uint32_t type, const char *at, struct spv_place place)
{
	const struct spv_id *t = spv_type(s, type);
	if (!t || t->count > MOST_PARTS || is_handle(t) || !(one_access(s, t, place) || has_parts(t))) {
		spv_fail(s, "a load of a type that is not loaded");
		return "undef";
	}
	if (one_access(s, t, place))
		return load_scalar(s, type, at, place);
	const char *whole = "undef";
	for (uint32_t i = 0; i < t->count && !s->failed; i++) {
		uint64_t offset;
		struct spv_place of;
		const uint32_t part = part_of(s, type, i, &place, &offset, &of);
		whole = spv_insert(s, type, whole, part, load_value(s, part, temporary_gep(s, at, offset), of), i);
	}
	return whole;
}

static void store_value(struct spv *s, uint32_t type, const char *value, const char *at, struct spv_place place)
{
	const struct spv_id *t = spv_type(s, type);
	if (!t || t->count > MOST_PARTS || is_handle(t) || !(one_access(s, t, place) || has_parts(t))) {
		spv_fail(s, "a store of a type that is not stored");
		return;
	}
	if (one_access(s, t, place)) {
		store_scalar(s, type, value, at, place);
		return;
	}
	for (uint32_t i = 0; i < t->count && !s->failed; i++) {
		uint64_t offset;
		struct spv_place of;
		const uint32_t part = part_of(s, type, i, &place, &offset, &of);
		const char *v = spv_extract(s, type, value, i);
		store_value(s, part, v, temporary_gep(s, at, offset), of);
	}
}

/* What a descriptor says of an image, a sampler, or both. */
static const char *load_handle(struct spv *s, uint32_t type, const char *at)
{
	const struct spv_id *t = spv_type(s, type);
	if (t->kind == SPV_IMAGE)
		return spv_let(s, "load ptr, ptr %s, align 8", at);
	const char *p = temporary_gep(s, at, 8);
	if (t->kind == SPV_SAMPLER)
		return spv_let(s, "load i64, ptr %s, align 8", p);
	const char *image = spv_let(s, "load ptr, ptr %s, align 8", at), *bits = spv_let(s, "load i64, ptr %s, align 8", p);
	const char *half = spv_let(s, "insertvalue %s undef, ptr %s, 0", spv_ir(s, type), image);
	return spv_let(s, "insertvalue %s %s, i64 %s, 1", spv_ir(s, type), half, bits);
}

bool spv_load(struct spv *s)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_pointee(s, w[3]);
	if (!t || t != spv_type(s, w[1]))
		return spv_fail(s, "a load through what is no pointer to that type");
	if (is_handle(t))
		return spv_define(s, load_handle(s, w[1], spv_value(s, w[3])));
	spv_order_before(s, 4);
	return spv_define(s, load_value(s, w[1], spv_value(s, w[3]), spv_id(s, w[3])->place));
}

bool spv_store_value(struct spv *s, uint32_t id, const char *value)
{
	if (!spv_pointee(s, id))
		return spv_fail(s, "a store through what is no pointer");
	store_value(s, spv_type_of(s, id)->type, value, spv_value(s, id), spv_id(s, id)->place);
	return !s->failed;
}

bool spv_store(struct spv *s)
{
	const bool ok = spv_store_value(s, s->at[1], spv_value(s, s->at[2]));
	spv_order_after(s, 3);
	return ok;
}

bool spv_copy_memory(struct spv *s)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_pointee(s, w[1]);
	if (!t || t != spv_pointee(s, w[2]))
		return spv_fail(s, "a copy between pointers that differ");
	const uint32_t type = (uint32_t)(t - s->ids);
	spv_order_before(s, 3);
	store_value(s, type, load_value(s, type, spv_value(s, w[2]), spv_id(s, w[2])->place), spv_value(s, w[1]), spv_id(s, w[1])->place);
	spv_order_after(s, 3);
	return !s->failed;
}

bool spv_array_length(struct spv *s)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_pointee(s, w[3]);
	const char *range = t ? spv_id(s, w[3])->place.range : NULL;
	if (!range || t->kind != SPV_STRUCT || w[4] >= t->num_members)
		return spv_fail(s, "the length of what is no array at the end of a buffer");
	const uint64_t offset = spv_member_offset(s, t, w[4]), stride = spv_stride(s, t->members[w[4]].type);
	const char *bytes = spv_let(s, "sub i64 %s, %llu", range, (unsigned long long)offset);
	return spv_result(s, "trunc i64 %s to i32", spv_let(s, "udiv i64 %s, %llu", bytes, (unsigned long long)(stride ? stride : 1)));
}

/* ---- atomics ---- */
static const char *const atomic_names[] = {
	[OP_AtomicExchange] = "xchg", [OP_AtomicIIncrement] = "add", [OP_AtomicIDecrement] = "sub", [OP_AtomicIAdd] = "add", [OP_AtomicISub] = "sub",
	[OP_AtomicSMin] = "min", [OP_AtomicUMin] = "umin", [OP_AtomicSMax] = "max", [OP_AtomicUMax] = "umax", [OP_AtomicAnd] = "and", [OP_AtomicOr] = "or",
	[OP_AtomicXor] = "xor",
};

/* w: where the pointer stands */
static const char *atomic_at(struct spv *s, uint32_t id, const struct spv_id *type)
{
	if (!type || type->kind != SPV_INT || type->width < 32) {
		spv_fail(s, "an atomic operation on what is no integer of 32 or 64 bits");
		return "undef";
	}
	return bounded(s, spv_value(s, id), type->width / 8, spv_id(s, id)->place, false);
}

bool spv_atomic(struct spv *s)
{
	const uint32_t *w = s->at;
	const uint16_t op = (uint16_t)*w;
	const uint32_t id = w[op == OP_AtomicStore ? 1 : 3];
	const struct spv_id *type = spv_pointee(s, id);
	const char *at = atomic_at(s, id, type);
	if (s->failed)
		return false;
	const unsigned align = type->width / 8;
	const char *ir = spv_ir(s, (uint32_t)(type - s->ids));
	if (op == OP_AtomicStore) {
		spv_emit(s, "  store atomic %s %s, ptr %s release, align %u\n", ir, spv_value(s, w[4]), at, align);
		return !s->failed;
	}
	if (op == OP_AtomicLoad)
		return spv_result(s, "load atomic %s, ptr %s acquire, align %u", ir, at, align);
	if (op == OP_AtomicCompareExchange || op == OP_AtomicCompareExchangeWeak) {
		const char *pair = spv_let(s, "cmpxchg ptr %s, %s %s, %s %s acq_rel acquire, align %u", at, ir, spv_value(s, w[8]), ir, spv_value(s, w[7]), align);
		return spv_result(s, "extractvalue { %s, i1 } %s, 0", ir, pair);
	}
	return spv_result(s, "atomicrmw %s ptr %s, %s %s acq_rel, align %u", atomic_names[op], at, ir,
			  op == OP_AtomicIIncrement || op == OP_AtomicIDecrement ? "1" : spv_value(s, w[6]), align);
}
