/* Objects of an export: a record each, behind those of the objects that it is made of.
 *
 *   u32 type, u8 flags (enum ix_flag), u32 graph that it is virtual in or IX_NONE, text name; of a graph that is all.
 *   Meta data. u8 origin (enum ix_origin), and what that needs; of a container that is not there yet: what its items are like.
 *   Settings; data, if the flags say so.
 */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/ix.h"
#include <stdlib.h>
#include <string.h>

enum {
	RECORD_BYTES = 11, /* at least */
	NESTED_MAX = 3,    /* delays of object arrays of what is no container of exemplars */
};

int ix_flags_of_use(vx_enum use)
{
	return use == VX_IX_USE_EXPORT_VALUES ? IX_VALUES : use == VX_IX_USE_APPLICATION_CREATE ? IX_SUPPLIED : use == VX_IX_USE_NO_EXPORT_VALUES ? 0 : -1;
}

/* ---- out ---- */
/* What the first part is like, from which the others are made. */
static void put_exemplar(struct ix_writer *w, vx_reference container)
{
	const vx_reference *parts;
	if (!container->class->of_exemplar || !all_parts_of(container, &parts))
		return;
	ix_put_u32(w, (vx_uint32)parts[0]->type);
	ix_put_meta(w, parts[0]);
	put_exemplar(w, parts[0]);
}

static void put_origin(struct ix_writer *w, const struct ix_set *s, const struct ix_item *item)
{
	const enum ix_origin origin = ix_origin_of(item);
	ix_put_u8(w, (vx_uint8)origin);
	if (origin == IX_PART) {
		ix_put_u32(w, s->items[item->whole].number);
		ix_put_u32(w, item->part);
		return;
	}
	/* what the application supplies is there as a whole */
	if (item->use != VX_IX_USE_APPLICATION_CREATE)
		put_exemplar(w, item->ref);
	ix_put_origin(w, s, item, origin);
}

static vx_status put_object(struct ix_writer *w, const struct ix_set *s, const struct ix_item *item)
{
	const vx_reference ref = item->ref;
	const bool values = ix_has_values(s, item), supplied = item->use == VX_IX_USE_APPLICATION_CREATE;
	const int flags = (ref->is_virtual ? IX_VIRTUAL : 0) | (values ? IX_VALUES : 0) | (supplied ? IX_SUPPLIED : 0);
	ix_put_u32(w, (vx_uint32)ref->type);
	ix_put_u8(w, (vx_uint8)flags);
	ix_put_u32(w, ref->is_virtual ? ix_number(s, ref->scope) : IX_NONE);
	ix_put_text(w, ref->name);
	if (ref->type == VX_TYPE_GRAPH)
		return VX_SUCCESS;
	ix_put_meta(w, ref);
	put_origin(w, s, item);
	ix_put_settings(w, ref);
	return values ? ix_put_values(w, ref) : VX_SUCCESS;
}

vx_status ix_put_objects(struct ix_writer *w, const struct ix_set *s)
{
	ix_section(w, IX_OBJECTS);
	ix_put_u32(w, s->count);
	for (vx_uint32 i = 0; i < s->count; i++)
		TRY(put_object(w, s, &s->items[s->order[i]]));
	return VX_SUCCESS;
}

/* ---- in: what others are made of ---- */
vx_reference ix_made(struct ix_reader *r, void *object, const char *what)
{
	const vx_status status = vxGetStatus(object);
	if (!status)
		return object;
	ix_refuse(r, status, "%s cannot be made", what);
	return NULL;
}

/* times: there will be so many objects like it. */
void ix_get_prototype(struct ix_import *im, const struct object_class *k, struct prototype *p, vx_size times)
{
	struct ix_reader *r = &im->reader;
	ix_get_meta(r, k, p);
	for (unsigned i = 0; i < k->num_attributes; i++) {
		vx_enum *type = (vx_enum *)(void *)(p->bytes + k->attributes[i].offset);
		if (k->attributes[i].names_type)
			*type = ix_type_here(im, *type);
	}
	/* all parts have a record of their own: there cannot be more than records */
	const vx_size parts = prototype_parts(k, p), records = (r->end - r->at) / RECORD_BYTES;
	if (!r->status && parts > 1 && parts > records / times)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%zu times %s of %zu parts, which are more than there are objects", times, k->name, parts);
}

/* What has been read is what has been made; it may be the application's. */
static void check_meta(struct ix_reader *r, vx_reference ref, const struct prototype *p, bool theirs)
{
	if (r->status)
		return;
	const struct object_attribute *a = meta_difference(ref->class, p, ref, false);
	if (a && theirs)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s that the application has created has another attribute 0x%x than the one that was exported",
			  ref->class->name, a->attribute);
	else if (a)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s cannot be made with the attribute 0x%x that is written", ref->class->name, a->attribute);
}

static vx_reference get_own(struct ix_import *im, vx_graph g, const struct object_class *k, struct prototype *p, unsigned depth, vx_size times);

/* Only to make others from. */
static vx_reference get_exemplar(struct ix_import *im, unsigned depth, vx_size times)
{
	struct ix_reader *r = &im->reader;
	struct prototype p;
	const vx_enum type = (vx_enum)ix_u32(r);
	const struct object_class *k = class_find(type);
	if (!r->status && (depth >= NESTED_MAX || !k))
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "an exemplar of type 0x%x, %u deep", type, depth);
	if (r->status)
		return NULL;
	ix_get_prototype(im, k, &p, times);
	return get_own(im, NULL, k, &p, depth, times);
}

/* An object with these meta data, made as applications make them; of an object array or a delay the exemplar follows. */
static vx_reference get_own(struct ix_import *im, vx_graph g, const struct object_class *k, struct prototype *p, unsigned depth, vx_size times)
{
	struct ix_reader *r = &im->reader;
	const vx_size parts = prototype_parts(k, p);
	vx_reference exemplar = NULL, **list = (vx_reference **)(void *)(p->bytes + k->parts);
	if (r->status)
		return NULL;
	if (k->of_exemplar) {
		exemplar = get_exemplar(im, depth + 1, times * (parts ? parts : 1));
		*list = &exemplar;
	}
	vx_reference ref = r->status ? NULL : ix_made(r, g ? data_new_virtual(g, k, p) : data_new(im->context, k, p), k->name);
	if (exemplar) {
		*list = NULL;
		object_release(&exemplar, VX_TYPE_REFERENCE);
	}
	return ref;
}

static vx_reference get_part(struct ix_import *im, vx_uint32 number, struct ix_made *out)
{
	struct ix_reader *r = &im->reader;
	const vx_reference *parts;
	const vx_uint32 whole = ix_below(r, number, "objects that come before"), part = ix_u32(r);
	if (r->status)
		return NULL;
	const struct ix_made *of = &im->objects[whole];
	if (part >= all_parts_of(of->ref, &parts)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "object %u, %s, has no part %u", whole, type_name(of->ref->type), part);
		return NULL;
	}
	out->theirs = of->theirs;
	return parts[part];
}

/* ---- in: objects ---- */
/* An object of the list is what its use says: what it has, whose it is, and that the application can reach it. */
static void check_uses(struct ix_import *im, vx_uint32 number, vx_enum type, vx_uint8 flags)
{
	for (vx_size i = 0; i < im->numrefs; i++)
		if (im->numbers[i] == number && ix_flags_of_use(im->uses[i]) != flags)
			ix_refuse(&im->reader, VX_ERROR_INVALID_PARAMETERS, "%s with flags 0x%x, where reference %zu of the list is of use 0x%x", type_name(type), flags,
				  i, im->uses[i]);
}

/* What the application has given for an object: each time that it stands in the list. NULL: a log entry says why. */
static vx_reference supplied(struct ix_import *im, vx_uint32 number, vx_enum type)
{
	struct ix_reader *r = &im->reader;
	vx_reference ref = NULL;
	for (vx_size i = 0; !r->status && i < im->numrefs; i++) {
		if (im->numbers[i] != number)
			continue;
		const vx_reference given = im->refs[i];
		/* vxImportObjectsFromMemory: the application creates the object, and supplies the reference */
		if (!object_usable(given) || given->context != im->context)
			ix_refuse(r, VX_ERROR_INVALID_REFERENCE, "reference %zu of the list is no object of the context, which the application has to create", i);
		else if (given->type != type || given->is_virtual)
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "reference %zu of the list is %s%s, where %s was exported", i,
				  given->is_virtual ? "virtual, " : "", type_name(given->type), type_name(type));
		else if (ref && ref != given)
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "reference %zu of the list is another object than before, where one was exported twice", i);
		ref = given;
	}
	if (!ref)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "object %u is not in the list", number);
	return r->status ? NULL : ref;
}

static void find_object(struct ix_import *im, vx_uint32 number, struct ix_made *out, vx_uint8 flags, vx_graph g, const struct object_class *k,
			struct prototype *p)
{
	struct ix_reader *r = &im->reader;
	const enum ix_origin origin = ix_get_origin(r, k);
	if (r->status)
		return;
	vx_reference given = flags & IX_SUPPLIED ? supplied(im, number, k->type) : NULL;
	if (r->status)
		return;
	if (origin == IX_PART) {
		out->ref = get_part(im, number, out);
		if (out->ref && given && given != out->ref)
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s that the application has created is not the part that it has to be", k->name);
	} else if (given) {
		out->ref = given;
		out->theirs = true;
	} else {
		out->ref = origin == IX_OWN ? get_own(im, g, k, p, 0, 1) : ix_get_created(im, number, origin, k, p);
		out->created = out->ref;
	}
	if (!r->status && (out->ref->class != k || out->ref->is_virtual != !!(flags & IX_VIRTUAL)))
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s, where %s%s is written", type_name(out->ref->type), flags & IX_VIRTUAL ? "virtual, " : "", k->name);
	check_meta(r, out->ref, p, out->theirs);
}

/* vxImportObjectsFromMemory: the application's names stay; what has none gets the one that was exported, once all is well. */
static void keep_name(struct ix_import *im, vx_uint32 number, const struct ix_made *object, const vx_char *name)
{
	if (!object->theirs)
		strcpy(object->ref->name, name);
	for (vx_size i = 0; i < im->numrefs; i++)
		if (im->numbers[i] == number)
			strcpy(im->names[i], name);
}

static void get_graph(struct ix_import *im, struct ix_made *out, vx_uint8 flags)
{
	struct ix_reader *r = &im->reader;
	if (flags)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a graph with flags 0x%x", flags);
	if (r->status)
		return;
	out->ref = ix_made(r, vxCreateGraph(im->context), "a graph");
	out->created = out->ref;
}

static void get_object(struct ix_import *im, vx_uint32 number)
{
	struct ix_reader *r = &im->reader;
	struct ix_made *out = &im->objects[number];
	struct prototype p;
	vx_char name[VX_MAX_REFERENCE_NAME];
	ix_where(r, "object %u", number);
	const vx_enum type = (vx_enum)ix_u32(r);
	const vx_uint8 flags = ix_u8(r);
	const vx_uint32 scope = ix_u32(r);
	const struct object_class *k = class_find(type);
	ix_text(r, name, sizeof name);
	if (r->status)
		return;
	if (type == VX_TYPE_GRAPH) {
		get_graph(im, out, flags);
	} else if (!k) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "type 0x%x is not one that is exported", type);
	} else if (flags > (IX_VIRTUAL | IX_VALUES | IX_SUPPLIED) || ((flags & IX_VIRTUAL) && flags != IX_VIRTUAL) ||
		   (flags & IX_VALUES && flags & IX_SUPPLIED)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s with flags 0x%x", type_name(type), flags);
	} else if (flags & IX_VIRTUAL && (scope >= number || im->objects[scope].ref->type != VX_TYPE_GRAPH)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s is virtual in object %u, which is no graph", type_name(type), scope);
	} else {
		ix_where(r, "object %u, %s%s%s", number, type_name(type), *name ? ", named " : "", name);
		check_uses(im, number, type, flags);
		ix_get_prototype(im, k, &p, 1);
		find_object(im, number, out, flags, flags & IX_VIRTUAL ? (vx_graph)im->objects[scope].ref : NULL, k, &p);
		if (!r->status)
			ix_get_settings(r, k, out->theirs ? NULL : out->ref);
		if (!r->status && flags & IX_VALUES)
			ix_get_values(r, out->ref);
	}
	if (!r->status)
		keep_name(im, number, out, name);
}

vx_status ix_get_objects(struct ix_import *im)
{
	struct ix_reader *r = &im->reader;
	ix_enter(r, IX_OBJECTS);
	const vx_uint32 count = ix_count(r, RECORD_BYTES, "objects");
	im->objects = calloc(count ? count : 1, sizeof *im->objects);
	if (!im->objects)
		return ix_refuse(r, VX_ERROR_NO_MEMORY, "no memory for %u objects", count);
	for (vx_size i = 0; !r->status && i < im->numrefs; i++)
		if (im->numbers[i] >= count)
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "reference %zu of the list is object %u of %u", i, im->numbers[i], count);
	for (im->num_objects = 0; !r->status && im->num_objects < count; im->num_objects++)
		get_object(im, im->num_objects);
	return ix_leave(r);
}
