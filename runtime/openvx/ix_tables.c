/* Tables of an export: types that the application has registered, kernels, and the programs that the device runs for them. */
#include "runtime/openvx/image_patch.h"
#include "runtime/openvx/ix.h"
#include <stdlib.h>
#include <string.h>

enum {
	STRUCT_BYTES = 14, /* of an entry without the characters of its texts */
	KERNEL_BYTES = 10,
	PROGRAM_BYTES = 20,
	OPTIONS_MAX = 1024,
};

/* ---- types ---- */
static bool is_registered(vx_enum type) { return type >= VX_TYPE_USER_STRUCT_START && type <= VX_TYPE_USER_STRUCT_END; }

static bool object_uses_type(vx_reference ref, vx_enum type)
{
	const struct object_class *k = ref->class;
	for (unsigned i = 0; k && i < k->num_attributes; i++)
		if (k->attributes[i].names_type && *(const vx_enum *)((const char *)ref + k->attributes[i].offset) == type)
			return true;
	return false;
}

static bool uses_type(const struct ix_set *s, vx_enum type)
{
	vx_uint32 i = 0;
	while (i < s->count && !object_uses_type(s->items[i].ref, type))
		i++;
	return i < s->count;
}

static void put_structs(struct ix_writer *w, const struct ix_set *s)
{
	const struct _vx_context *c = s->context;
	vx_uint32 count = 0;
	for (vx_uint32 i = 0; i < c->num_structs; i++)
		count += uses_type(s, c->structs[i].type);
	ix_section(w, IX_STRUCTS);
	ix_put_u32(w, count);
	for (vx_uint32 i = 0; i < c->num_structs; i++) {
		if (!uses_type(s, c->structs[i].type))
			continue;
		ix_put_u32(w, (vx_uint32)c->structs[i].type);
		ix_put_u64(w, c->structs[i].size);
		ix_put_text(w, c->structs[i].name);
	}
}

/* A type with a name is found by it; one without has the number that it had, if that is one of the same size here. */
static const struct user_struct *struct_like(const struct _vx_context *c, vx_enum said, vx_uint64 size, const char *name)
{
	for (vx_uint32 i = 0; i < c->num_structs; i++) {
		const struct user_struct *s = &c->structs[i];
		if (*name ? !strcmp(s->name, name) : s->type == said && !*s->name && s->size == size)
			return s;
	}
	return NULL;
}

static void get_struct(struct ix_import *im, struct ix_struct *out)
{
	struct ix_reader *r = &im->reader;
	vx_char name[VX_MAX_REFERENCE_NAME];
	out->said = (vx_enum)ix_u32(r);
	const vx_uint64 size = ix_u64(r);
	ix_text(r, name, sizeof name);
	if (r->status)
		return;
	if (!is_registered(out->said)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "type 0x%x is not one that an application registers", out->said);
		return;
	}
	const struct user_struct *s = struct_like(im->context, out->said, size, name);
	if (s && s->size != size)
		ix_refuse(r, VX_ERROR_NOT_COMPATIBLE, "type %s of %llu bytes is registered here with %zu", name, (unsigned long long)size, s->size);
	else if (s)
		out->is = s->type;
	else
		out->is = *name ? vxRegisterUserStructWithName(im->context, size, name) : vxRegisterUserStruct(im->context, size);
	if (!r->status && out->is == VX_TYPE_INVALID)
		ix_refuse(r, VX_ERROR_NO_RESOURCES, "type %s of %llu bytes cannot be registered", name, (unsigned long long)size);
}

static vx_status get_structs(struct ix_import *im)
{
	struct ix_reader *r = &im->reader;
	ix_enter(r, IX_STRUCTS);
	const vx_uint32 count = ix_count(r, STRUCT_BYTES, "types");
	im->structs = calloc(count ? count : 1, sizeof *im->structs);
	if (!im->structs)
		return ix_refuse(r, VX_ERROR_NO_MEMORY, "no memory for %u types", count);
	for (im->num_structs = 0; !r->status && im->num_structs < count; im->num_structs++)
		get_struct(im, &im->structs[im->num_structs]);
	im->structs_behind = im->context->num_structs;
	return ix_leave(r);
}

vx_enum ix_type_here(struct ix_import *im, vx_enum type)
{
	for (vx_uint32 i = 0; i < im->num_structs; i++)
		if (im->structs[i].said == type)
			return im->structs[i].is;
	if (is_registered(type))
		ix_refuse(&im->reader, VX_ERROR_INVALID_PARAMETERS, "type 0x%x is none of the export's", type);
	return type;
}

/* ---- kernels ---- */
vx_uint32 ix_kernel_number(const vx_kernel *kernels, vx_uint32 count, const struct _vx_kernel *k)
{
	vx_uint32 i = 0;
	while (i < count && kernels[i] != k)
		i++;
	return i;
}

static vx_status list_kernels(const struct ix_set *s, vx_kernel **kernels, vx_uint32 *count)
{
	for (vx_uint32 i = 0; i < s->count; i++) {
		if (s->items[i].ref->type != VX_TYPE_GRAPH)
			continue;
		for (const struct _vx_node *n = ((vx_graph)s->items[i].ref)->first; n; n = n->next) {
			if (ix_kernel_number(*kernels, *count, n->kernel) < *count)
				continue;
			vx_kernel *grown = realloc(*kernels, (*count + 1) * sizeof *grown);
			FAIL_IF(!grown, s->context, VX_ERROR_NO_MEMORY, "no memory for a list of %u kernels", *count + 1);
			*kernels = grown;
			grown[(*count)++] = n->kernel;
		}
	}
	return VX_SUCCESS;
}

static void put_kernels(struct ix_writer *w, const vx_kernel *kernels, vx_uint32 count)
{
	ix_section(w, IX_KERNELS);
	ix_put_u32(w, count);
	for (vx_uint32 i = 0; i < count; i++) {
		const struct _vx_kernel *k = kernels[i];
		ix_put_text(w, k->name);
		ix_put_u32(w, (vx_uint32)k->enumeration);
		ix_put_u32(w, k->num_parameters);
		for (vx_uint32 p = 0; p < k->num_parameters; p++) {
			ix_put_u32(w, (vx_uint32)k->parameters[p].direction);
			ix_put_u32(w, (vx_uint32)k->parameters[p].type);
			ix_put_u32(w, (vx_uint32)k->parameters[p].state);
		}
	}
}

static vx_kernel get_kernel(struct ix_import *im)
{
	struct ix_reader *r = &im->reader;
	vx_char name[VX_MAX_KERNEL_NAME];
	ix_text(r, name, sizeof name);
	const vx_uint32 enumeration = ix_u32(r), count = ix_u32(r);
	if (r->status)
		return NULL;
	vx_kernel k = kernel_by_name(im->context, name);
	if (!k || !k->finalized) {
		ix_refuse(r, VX_ERROR_NOT_SUPPORTED,
			  "there is no kernel %s (0x%x) in this context: load its module, or add it and finalize it, before the import", name,
			  enumeration);
		return NULL;
	}
	bool same = count == k->num_parameters;
	for (vx_uint32 p = 0; same && p < count; p++) {
		const struct kernel_parameter *is = &k->parameters[p];
		const vx_enum direction = (vx_enum)ix_u32(r), type = (vx_enum)ix_u32(r), state = (vx_enum)ix_u32(r);
		same = is->direction == direction && is->type == type && is->state == state;
	}
	if (!same)
		ix_refuse(r, VX_ERROR_NOT_COMPATIBLE, "kernel %s has other parameters here than where it was exported", name);
	return k;
}

static vx_status get_kernels(struct ix_import *im)
{
	struct ix_reader *r = &im->reader;
	ix_enter(r, IX_KERNELS);
	const vx_uint32 count = ix_count(r, KERNEL_BYTES, "kernels");
	im->kernels = calloc(count ? count : 1, sizeof *im->kernels);
	if (!im->kernels)
		return ix_refuse(r, VX_ERROR_NO_MEMORY, "no memory for %u kernels", count);
	while (!r->status && im->num_kernels < count) {
		vx_kernel k = get_kernel(im);
		if (r->status)
			break;
		object_use(&k->reference);
		im->kernels[im->num_kernels++] = k;
	}
	return ix_leave(r);
}

/* ---- programs ---- */
static vx_status ask_for_programs(const struct ix_set *s)
{
	vx_status status = VX_SUCCESS;
	programs_watch(&s->context->device);
	for (vx_uint32 i = 0; !status && i < s->count; i++) {
		const vx_reference ref = s->items[i].ref;
		if (ref->type == VX_TYPE_GRAPH)
			status = graph_rehearse((vx_graph)ref);
		else if (ref->type == VX_TYPE_IMAGE && ((vx_image)ref)->is_uniform && s->items[i].use != VX_IX_USE_APPLICATION_CREATE)
			status = image_rehearse_fill((vx_image)ref);
	}
	return status;
}

static vx_status put_program(struct ix_writer *w, struct _vx_context *c, const struct device_program *p)
{
	size_t bytes = 0;
	bool there = program_binary(&c->device, p, NULL, &bytes);
	ix_put_text(w, program_source(p));
	ix_put_text(w, program_options(p));
	ix_put_u64(w, strlen(program_text(p)) + 1);
	ix_put_bytes(w, program_text(p), strlen(program_text(p)) + 1);
	ix_put_u64(w, program_hash(program_source(p)));
	ix_put_u64(w, bytes);
	void *to = there ? ix_put_room(w, bytes) : NULL;
	if (to)
		there = program_binary(&c->device, p, to, &bytes);
	return there ? VX_SUCCESS : fail(c, VX_FAILURE, "the binary of %s.cl with \"%s\" cannot be had", program_source(p), program_options(p));
}

static vx_status put_programs(struct ix_writer *w, const struct ix_set *s)
{
	const struct device *d = &s->context->device;
	vx_uint32 count = 0;
	vx_status status = ask_for_programs(s);
	for (const struct device_program *p = NULL; (p = program_asked(d, p));)
		count++;
	ix_section(w, IX_PROGRAMS);
	ix_put_u32(w, count);
	for (const struct device_program *p = NULL; !status && (p = program_asked(d, p));)
		status = put_program(w, s->context, p);
	return status;
}

static vx_status get_programs(struct ix_import *im)
{
	struct ix_reader *r = &im->reader;
	char source[64], options[OPTIONS_MAX];
	ix_enter(r, IX_PROGRAMS);
	const vx_uint32 count = ix_count(r, PROGRAM_BYTES, "programs");
	for (vx_uint32 i = 0; !r->status && i < count; i++) {
		ix_text(r, source, sizeof source);
		ix_text(r, options, sizeof options);
		const vx_uint64 length = ix_u64(r);
		const char *text = ix_bytes(r, length);
		if (text && (!length || text[length - 1])) {
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a text of %llu bytes without its end", (unsigned long long)length);
			break;
		}
		const vx_uint64 hash = ix_u64(r), size = ix_u64(r);
		const void *binary = ix_bytes(r, size);
		/* one that does not fit is built from its text when it is needed: the log says so */
		if (binary)
			program_load(im->context, source, options, text, hash, binary, (size_t)size);
	}
	return ix_leave(r);
}

/* ---- all of them ---- */
vx_status ix_put_tables(struct ix_writer *w, const struct ix_set *s, vx_kernel **kernels, vx_uint32 *num_kernels)
{
	put_structs(w, s);
	const vx_status status = list_kernels(s, kernels, num_kernels);
	put_kernels(w, *kernels, *num_kernels);
	return status ? status : put_programs(w, s);
}

vx_status ix_get_tables(struct ix_import *im)
{
	TRY(get_structs(im));
	TRY(get_kernels(im));
	return get_programs(im);
}
