/* vxImportObjectsFromMemory, and what an import is afterwards (vx_khr_ix). */
#include "runtime/openvx/ix.h"
#include <stdlib.h>
#include <string.h>

static const char function[] = "vxImportObjectsFromMemory";
enum { REF_BYTES = 8 };

struct _vx_import {
	struct _vx_reference reference;
	vx_size count;
	vx_reference *refs; /* the list, each used */
};

/* ---- the list ---- */
static vx_status get_refs(struct ix_import *im)
{
	struct ix_reader *r = &im->reader;
	ix_enter(r, IX_REFS);
	const vx_uint32 count = ix_count(r, REF_BYTES, "references");
	/* vxImportObjectsFromMemory: as many references as were exported, for the same uses */
	if (!r->status && count != im->numrefs)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%u references were exported, %zu are given", count, im->numrefs);
	im->numbers = calloc(count ? count : 1, sizeof *im->numbers);
	im->names = calloc(count ? count : 1, sizeof *im->names);
	if (!im->numbers || !im->names)
		return ix_refuse(r, VX_ERROR_NO_MEMORY, "no memory for %u references", count);
	for (vx_uint32 i = 0; !r->status && i < count; i++) {
		im->numbers[i] = ix_u32(r);
		const vx_enum use = (vx_enum)ix_u32(r);
		if (!r->status && use != im->uses[i])
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "reference %u was exported for the use 0x%x, not 0x%x", i, use, im->uses[i]);
	}
	return ix_leave(r);
}

static struct ix_made *object_of(const struct ix_import *im, vx_size i) { return &im->objects[im->numbers[i]]; }

/* A name that the application has given goes before the one that was exported. */
static const vx_char *name_of(const struct ix_import *im, vx_size i)
{
	const vx_char *given = object_of(im, i)->ref->name;
	return *given ? given : im->names[i];
}

static vx_status check_names(const struct ix_import *im)
{
	for (vx_size i = 0; i < im->numrefs; i++)
		for (vx_size k = i + 1; k < im->numrefs; k++)
			/* vxImportObjectsFromMemory: names are of one object each */
			if (im->numbers[i] != im->numbers[k] && *name_of(im, i) && !strcmp(name_of(im, i), name_of(im, k)))
				return fail(object_of(im, k)->ref, VX_ERROR_INVALID_PARAMETERS, "%s: references %zu and %zu have one name: %s", function, i, k,
					    name_of(im, i));
	return VX_SUCCESS;
}

/* ---- the import ---- */
static void import_destroy(struct _vx_reference *ref)
{
	struct _vx_import *import = (struct _vx_import *)ref;
	for (vx_size i = 0; i < import->count; i++)
		object_unuse(import->refs[i]);
	free(import->refs);
}

static vx_import import_create(const struct ix_import *im)
{
	struct _vx_context *c = im->context;
	vx_reference *refs = calloc(im->numrefs ? im->numrefs : 1, sizeof *refs);
	struct _vx_import *import = refs ? object_create(c, VX_TYPE_IMPORT, sizeof *import, &c->reference, import_destroy) : NULL;
	if (!import) {
		free(refs);
		return NULL;
	}
	import->refs = refs;
	import->count = im->numrefs;
	for (vx_size i = 0; i < im->numrefs; i++) {
		refs[i] = object_of(im, i)->ref;
		object_use(refs[i]);
	}
	return import;
}

/* ---- all of it ---- */
static vx_status read_blob(struct ix_import *im, const vx_uint8 *ptr, vx_size length)
{
	TRY(ix_open(&im->reader, im->context, ptr, length));
	TRY(get_refs(im));
	TRY(ix_get_tables(im));
	TRY(ix_get_objects(im));
	TRY(ix_get_graphs(im));
	return check_names(im);
}

/* The application gets a reference for each place of the list that it has not filled itself. */
static void give_out(const struct ix_import *im, vx_reference *refs)
{
	for (vx_size i = 0; i < im->numrefs; i++) {
		const vx_reference ref = object_of(im, i)->ref;
		if (!*ref->name)
			strcpy(ref->name, im->names[i]);
		if (refs[i] == ref && im->uses[i] == VX_IX_USE_APPLICATION_CREATE && ref->type != VX_TYPE_GRAPH)
			continue;
		refs[i] = ref;
		vxRetainReference(ref);
	}
}

/* Objects without another reference end. A refused import leaves nothing behind, in the context either. */
static void close_import(struct ix_import *im, bool refused)
{
	struct _vx_context *c = im->context;
	for (vx_uint32 i = im->objects ? im->num_objects : 0; i--;)
		if (im->objects[i].created)
			object_release(&im->objects[i].ref, VX_TYPE_REFERENCE);
	/* a function of the application's may have registered more: then they stay */
	if (refused && c->num_structs == im->structs_behind)
		user_structs_forget(c, im->structs_before);
	if (refused)
		programs_forget(&c->device, im->programs_before);
	for (vx_uint32 i = 0; i < im->num_kernels; i++)
		object_unuse(&im->kernels[i]->reference);
	free(im->objects);
	free(im->kernels);
	free(im->structs);
	free(im->names);
	free(im->numbers);
}

VX_API_ENTRY VX_EXPORT vx_import VX_API_CALL vxImportObjectsFromMemory(vx_context c, vx_size numrefs, vx_reference *refs, const vx_enum *uses,
									const vx_uint8 *ptr, vx_size length)
{
	vx_import import = NULL;
	ENTER_OR_NULL(c, VX_TYPE_CONTEXT);
	/* vxImportObjectsFromMemory: no parameter may be NULL */
	if (!refs || !uses || !ptr)
		return (vx_import)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "%s: no references, no uses, or no export", function));
	struct ix_import im = {.context = c, .numrefs = numrefs, .refs = refs, .uses = uses, .structs_before = c->num_structs, .structs_behind = c->num_structs,
			       .programs_before = c->device.programs};
	/* A few bytes can speak of objects of any size. As much as the device has is enough for all that belongs to one export. */
	struct device *d = &c->device;
	const size_t left = d->memory_left, most = device_memory(d);
	d->memory_left = left < most ? left : most;
	vx_status status = read_blob(&im, ptr, length);
	d->memory_left = left;
	if (!status) {
		import = import_create(&im);
		status = import ? VX_SUCCESS : fail(c, VX_ERROR_NO_MEMORY, "%s: no memory for an import of %zu references", function, numrefs);
	}
	if (!status)
		give_out(&im, refs);
	close_import(&im, status);
	return status ? (vx_import)object_error(c, status) : import;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseImport(vx_import *import) { return object_release((vx_reference *)import, VX_TYPE_IMPORT); }

VX_API_ENTRY VX_EXPORT vx_reference VX_API_CALL vxGetImportReferenceByName(vx_import import, const vx_char *name)
{
	vx_reference found = NULL;
	ENTER_OR_NULL(import, VX_TYPE_IMPORT);
	struct _vx_context *c = import->reference.context;
	/* vxGetImportReferenceByName: a name, shorter than VX_MAX_REFERENCE_NAME */
	if (!name || !*name || strnlen(name, VX_MAX_REFERENCE_NAME) == VX_MAX_REFERENCE_NAME)
		return object_error(c, fail(import, VX_ERROR_INVALID_PARAMETERS, "vxGetImportReferenceByName: no name of 1 to %d characters",
					    VX_MAX_REFERENCE_NAME - 1));
	for (vx_size i = 0; i < import->count; i++) {
		const vx_reference ref = import->refs[i];
		if (strcmp(ref->name, name) || ref == found)
			continue;
		/* ... that one reference has */
		if (found)
			return object_error(c, fail(import, VX_ERROR_INVALID_PARAMETERS, "vxGetImportReferenceByName: more than one object is named %s", name));
		found = ref;
	}
	if (!found)
		return object_error(c, fail(import, VX_ERROR_INVALID_PARAMETERS, "vxGetImportReferenceByName: no object is named %s", name));
	vxRetainReference(found);
	return found;
}
