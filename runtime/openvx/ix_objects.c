/* Objects of an export: a record each, behind those of the objects that it is made of.
 *
 *   u32 type, u8 flags (enum ix_flag), u32 graph that it is virtual in or IX_NONE, text name; of a graph that is all.
 *   Meta data. u8 origin (enum ix_origin), and what that needs; of a container that is not there yet: what its items are like.
 *   Settings; data, if the flags say so.
 */
#include "runtime/openvx/clone.h"
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
static bool is_made_of_exemplar(vx_enum type) { return type == VX_TYPE_OBJECT_ARRAY || type == VX_TYPE_DELAY; }

static vx_reference first_part(vx_reference whole)
{
	const vx_reference *parts = NULL;
	ix_parts(whole, &parts);
	return parts[0];
}

static void put_meta_of(struct ix_writer *w, vx_reference ref)
{
	struct _vx_meta_format m = {.valid_rectangle = NULL};
	meta_describe(&m, ref);
	ix_put_meta(w, &m);
}

static void put_exemplar(struct ix_writer *w, vx_reference ref)
{
	ix_put_u32(w, (vx_uint32)ref->type);
	put_meta_of(w, ref);
	if (is_made_of_exemplar(ref->type))
		put_exemplar(w, first_part(ref));
}

static void put_starts(struct ix_writer *w, const struct _vx_tensor_t *t, size_t offset, vx_size num_dims)
{
	vx_size starts[TENSOR_DIMS_MAX];
	tensor_starts(t, offset, num_dims, starts);
	for (vx_size i = 0; i < num_dims; i++)
		ix_put_u64(w, starts[i]);
}

static enum ix_origin origin_of(const struct ix_item *item)
{
	const vx_reference ref = item->ref;
	if (item->whole != IX_NONE)
		return IX_PART;
	if (item->use == VX_IX_USE_APPLICATION_CREATE)
		return IX_OWN;
	if (item->parent != IX_NONE && ref->type == VX_TYPE_TENSOR)
		return IX_VIEW;
	if (item->parent != IX_NONE && ref->type == VX_TYPE_IMAGE && ((vx_image)ref)->parent)
		return image_channel((vx_image)ref) ? IX_CHANNEL : IX_REGION;
	if (item->parent != IX_NONE)
		return IX_IN_TENSOR;
	return ref->type == VX_TYPE_IMAGE && ((vx_image)ref)->is_uniform ? IX_UNIFORM : IX_OWN;
}

static void put_in_tensor(struct ix_writer *w, vx_reference ref, const struct _vx_tensor_t *t)
{
	const vx_reference *items = &ref;
	const vx_size count = ref->type == VX_TYPE_IMAGE ? 1 : ix_parts(ref, &items);
	for (vx_size i = 0; i < count; i++)
		put_starts(w, t, ((vx_image)items[i])->planes[0].offset - t->offset, t->num_dims);
}

static void put_origin(struct ix_writer *w, const struct ix_set *s, const struct ix_item *item)
{
	const enum ix_origin origin = origin_of(item);
	const struct _vx_image *image = (vx_image)item->ref;
	const struct _vx_tensor_t *tensor = (vx_tensor)item->ref;
	ix_put_u8(w, (vx_uint8)origin);
	if (origin == IX_PART) {
		ix_put_u32(w, s->items[item->whole].number);
		ix_put_u32(w, item->part);
		return;
	}
	/* what the application supplies is there as a whole */
	if (item->use != VX_IX_USE_APPLICATION_CREATE && is_made_of_exemplar(item->ref->type))
		put_exemplar(w, first_part(item->ref));
	if (origin != IX_OWN && origin != IX_UNIFORM)
		ix_put_u32(w, s->items[item->parent].number);
	switch (origin) {
	case IX_UNIFORM:
		ix_put_bytes(w, &image->uniform, sizeof image->uniform);
		break;
	case IX_REGION:
		ix_put_u32(w, image->region.start_x);
		ix_put_u32(w, image->region.start_y);
		ix_put_u32(w, image->region.end_x);
		ix_put_u32(w, image->region.end_y);
		break;
	case IX_CHANNEL:
		ix_put_u32(w, (vx_uint32)image_channel(image));
		break;
	case IX_VIEW:
		put_starts(w, tensor->parent, tensor->offset - tensor->parent->offset, tensor->num_dims);
		break;
	case IX_IN_TENSOR:
		put_in_tensor(w, item->ref, (vx_tensor)s->items[item->parent].ref);
		break;
	default:
		break;
	}
}

static vx_status put_object(struct ix_writer *w, const struct ix_set *s, const struct ix_item *item)
{
	const vx_reference ref = item->ref;
	const struct ix_kind *k = ix_kind_of(ref->type);
	const bool values = ix_has_values(s, item), supplied = item->use == VX_IX_USE_APPLICATION_CREATE;
	const int flags = (ref->is_virtual ? IX_VIRTUAL : 0) | (values ? IX_VALUES : 0) | (supplied ? IX_SUPPLIED : 0);
	ix_put_u32(w, (vx_uint32)ref->type);
	ix_put_u8(w, (vx_uint8)flags);
	ix_put_u32(w, ref->is_virtual ? ix_number(s, ref->scope) : IX_NONE);
	ix_put_text(w, ref->name);
	if (ref->type == VX_TYPE_GRAPH)
		return VX_SUCCESS;
	put_meta_of(w, ref);
	put_origin(w, s, item);
	if (k->put_settings)
		k->put_settings(w, ref);
	return values ? ix_put_values(w, k, ref) : VX_SUCCESS;
}

vx_status ix_put_objects(struct ix_writer *w, const struct ix_set *s)
{
	vx_status status = VX_SUCCESS;
	ix_section(w, IX_OBJECTS);
	ix_put_u32(w, s->count);
	for (vx_uint32 i = 0; !status && i < s->count; i++)
		status = put_object(w, s, &s->items[s->order[i]]);
	return status;
}

/* ---- in: what others are made of ---- */
/* What a function of the application's has made; NULL: nothing, and the log says why. */
static vx_reference made(struct ix_reader *r, void *object, const char *what)
{
	const vx_status status = vxGetStatus(object);
	if (!status)
		return object;
	ix_refuse(r, status, "%s cannot be made", what);
	return NULL;
}

/* An object that has been read before this one, of a type. */
static vx_reference earlier(struct ix_import *im, vx_uint32 before, vx_enum type)
{
	struct ix_reader *r = &im->reader;
	const vx_uint32 number = ix_below(r, before, "objects that come before");
	vx_reference ref = r->status ? NULL : im->objects[number].ref;
	if (ref && ref->type != type) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "object %u is %s, not %s", number, type_name(ref->type), type_name(type));
		return NULL;
	}
	return ref;
}

/* Parts of a container; 1 of what is none. */
static vx_size parts_in(vx_enum type, const struct _vx_meta_format *m)
{
	const vx_size parts = type == VX_TYPE_PYRAMID ? m->levels : type == VX_TYPE_OBJECT_ARRAY ? m->object_array.count :
			      type == VX_TYPE_DELAY ? m->delay.count : 1;
	return parts ? parts : 1;
}

/* times: there will be so many objects like it. */
static void get_meta(struct ix_import *im, vx_enum type, struct _vx_meta_format *m, vx_size times)
{
	struct ix_reader *r = &im->reader;
	ix_get_meta(r, type, m);
	if (type == VX_TYPE_ARRAY)
		m->array.item_type = ix_type_here(im, m->array.item_type);
	if (type == VX_TYPE_SCALAR)
		m->scalar_type = ix_type_here(im, m->scalar_type);
	/* all parts have a record of their own: there cannot be more than records */
	const vx_size parts = parts_in(type, m), records = (r->end - r->at) / RECORD_BYTES;
	if (!r->status && parts > 1 && parts > records / times)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%zu times %s of %zu parts, which are more than there are objects", times, type_name(type),
			  parts);
}

/* What has been read is what has been made; it may be the application's. */
static void check_meta(struct ix_reader *r, vx_reference ref, const struct _vx_meta_format *m, bool theirs)
{
	struct _vx_meta_format is = {.valid_rectangle = NULL};
	if (r->status)
		return;
	meta_describe(&is, ref);
	const vx_enum attribute = meta_difference(m, &is);
	if (attribute && theirs)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS,
			  "%s that the application has created has another attribute 0x%x than the one that was exported", type_name(ref->type),
			  attribute);
	else if (attribute)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s cannot be made with the attribute 0x%x that is written", type_name(ref->type),
			  attribute);
}

static vx_reference get_exemplar(struct ix_import *im, unsigned depth, vx_size times);

/* An object array or a delay, of the exemplar that follows. */
static vx_reference get_container(struct ix_import *im, vx_graph g, vx_enum type, const struct _vx_meta_format *m, unsigned depth,
				  vx_size times)
{
	struct ix_reader *r = &im->reader;
	vx_reference exemplar = get_exemplar(im, depth + 1, times * parts_in(type, m)), found = NULL;
	if (!exemplar)
		return NULL;
	if (type == VX_TYPE_DELAY)
		found = (vx_reference)vxCreateDelay(im->context, exemplar, m->delay.count);
	else if (g)
		found = (vx_reference)vxCreateVirtualObjectArray(g, exemplar, m->object_array.count);
	else
		found = (vx_reference)vxCreateObjectArray(im->context, exemplar, m->object_array.count);
	object_release(&exemplar, VX_TYPE_REFERENCE);
	return made(r, found, type_name(type));
}

/* An object with these meta data. */
static vx_reference get_own(struct ix_import *im, vx_graph g, vx_enum type, const struct _vx_meta_format *m, unsigned depth,
				  vx_size times)
{
	struct ix_reader *r = &im->reader;
	const struct ix_kind *k = ix_kind_of(type);
	if (r->status)
		return NULL;
	return k->create ? made(r, k->create(im->context, g, m), type_name(type)) : get_container(im, g, type, m, depth, times);
}

/* Only to make others from. */
static vx_reference get_exemplar(struct ix_import *im, unsigned depth, vx_size times)
{
	struct ix_reader *r = &im->reader;
	struct _vx_meta_format m;
	const vx_enum type = (vx_enum)ix_u32(r);
	if (!r->status && (depth >= NESTED_MAX || !ix_kind_of(type)))
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "an exemplar of type 0x%x, %u deep", type, depth);
	if (r->status)
		return NULL;
	get_meta(im, type, &m, times);
	return get_own(im, NULL, type, &m, depth, times);
}

/* ---- in: places in other objects ---- */
static void get_starts(struct ix_reader *r, vx_size num_dims, vx_size *starts)
{
	for (vx_size i = 0; i < num_dims; i++)
		starts[i] = ix_u64(r);
}

static vx_reference get_part(struct ix_import *im, vx_uint32 number, struct ix_made *out)
{
	struct ix_reader *r = &im->reader;
	const vx_reference *parts = NULL;
	const vx_uint32 whole = ix_below(r, number, "objects that come before"), part = ix_u32(r);
	if (r->status)
		return NULL;
	const struct ix_made *of = &im->objects[whole];
	if (of->ref->type == VX_TYPE_GRAPH || part >= ix_parts(of->ref, &parts)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "object %u, %s, has no part %u", whole, type_name(of->ref->type), part);
		return NULL;
	}
	out->theirs = of->theirs;
	return parts[part];
}

static vx_reference get_uniform(struct ix_import *im, const struct _vx_meta_format *m)
{
	struct ix_reader *r = &im->reader;
	vx_pixel_value_t value;
	const void *bytes = ix_bytes(r, sizeof value);
	if (!bytes)
		return NULL;
	memcpy(&value, bytes, sizeof value);
	return made(r, vxCreateUniformImage(im->context, m->image.width, m->image.height, m->image.format, &value), "a uniform image");
}

static vx_reference get_region(struct ix_import *im, vx_uint32 number)
{
	struct ix_reader *r = &im->reader;
	vx_reference parent = earlier(im, number, VX_TYPE_IMAGE);
	vx_rectangle_t rect;
	rect.start_x = ix_u32(r);
	rect.start_y = ix_u32(r);
	rect.end_x = ix_u32(r);
	rect.end_y = ix_u32(r);
	return r->status ? NULL : made(r, vxCreateImageFromROI((vx_image)parent, &rect), "a region");
}

static vx_reference get_channel(struct ix_import *im, vx_uint32 number)
{
	struct ix_reader *r = &im->reader;
	vx_reference parent = earlier(im, number, VX_TYPE_IMAGE);
	const vx_enum channel = (vx_enum)ix_u32(r);
	return r->status ? NULL : made(r, vxCreateImageFromChannel((vx_image)parent, channel), "an image of a channel");
}

static vx_reference get_view(struct ix_import *im, vx_uint32 number, const struct _vx_meta_format *m)
{
	struct ix_reader *r = &im->reader;
	vx_reference parent = earlier(im, number, VX_TYPE_TENSOR);
	vx_size starts[TENSOR_DIMS_MAX], ends[TENSOR_DIMS_MAX];
	get_starts(r, m->tensor.num_dims, starts);
	for (vx_size i = 0; !r->status && i < m->tensor.num_dims; i++)
		if (__builtin_add_overflow(starts[i], m->tensor.dims[i], &ends[i]))
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a view from element %zu on, of %zu", starts[i], m->tensor.dims[i]);
	return r->status ? NULL : made(r, vxCreateTensorFromView((vx_tensor)parent, m->tensor.num_dims, starts, ends), "a view of a tensor");
}

static vx_image get_image_in(struct ix_reader *r, vx_tensor t, const struct _vx_meta_format *m)
{
	vx_size starts[TENSOR_DIMS_MAX];
	get_starts(r, t->num_dims, starts);
	if (r->status)
		return NULL;
	vx_image image = tensor_image(t, starts, m->image.width, m->image.height, m->image.format);
	if (!image)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "an image in a tensor cannot be made");
	return image;
}

static vx_reference get_images_in(struct ix_import *im, vx_tensor t, const struct _vx_meta_format *m, vx_size count)
{
	struct _vx_context *c = im->context;
	vx_object_array a = object_array_create(c, &c->reference, VX_TYPE_IMAGE, count, false);
	if (!a)
		ix_refuse(&im->reader, VX_ERROR_NO_MEMORY, "no memory for %zu images", count);
	for (vx_size i = 0; a && i < count; i++) {
		a->items[i] = (vx_reference)get_image_in(&im->reader, t, m);
		if (!a->items[i])
			return undone(a);
		part_adopt(a->items[i]);
	}
	return (vx_reference)a;
}

static vx_reference get_in_tensor(struct ix_import *im, vx_uint32 number, vx_enum type, const struct _vx_meta_format *m)
{
	struct ix_reader *r = &im->reader;
	struct _vx_meta_format item = *m;
	const bool array = type == VX_TYPE_OBJECT_ARRAY;
	if (array && ix_u32(r) == VX_TYPE_IMAGE)
		get_meta(im, VX_TYPE_IMAGE, &item, 1);
	vx_tensor t = (vx_tensor)earlier(im, number, VX_TYPE_TENSOR);
	if (r->status)
		return NULL;
	if (item.type != VX_TYPE_IMAGE || t->parent || t->reference.is_virtual || (array && !m->object_array.count)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s in a tensor that cannot have it", type_name(type));
		return NULL;
	}
	return array ? get_images_in(im, t, &item, m->object_array.count) : (vx_reference)get_image_in(r, t, &item);
}

/* ---- in: objects ---- */
static const struct {
	vx_enum type; /* of objects that can come from there; 0: any */
	const char *name;
} origins[IX_ORIGINS] = {
	[IX_OWN] = {0, "itself"},
	[IX_PART] = {0, "a whole"},
	[IX_UNIFORM] = {VX_TYPE_IMAGE, "a value"},
	[IX_REGION] = {VX_TYPE_IMAGE, "an image"},
	[IX_CHANNEL] = {VX_TYPE_IMAGE, "an image"},
	[IX_VIEW] = {VX_TYPE_TENSOR, "a tensor"},
	[IX_IN_TENSOR] = {0, "a tensor"},
};

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

static vx_reference get_created(struct ix_import *im, vx_uint32 number, enum ix_origin origin, vx_graph g, vx_enum type,
				const struct _vx_meta_format *m)
{
	switch (origin) {
	case IX_UNIFORM:
		return get_uniform(im, m);
	case IX_REGION:
		return get_region(im, number);
	case IX_CHANNEL:
		return get_channel(im, number);
	case IX_VIEW:
		return get_view(im, number, m);
	case IX_IN_TENSOR:
		return get_in_tensor(im, number, type, m);
	default:
		return get_own(im, g, type, m, 0, 1);
	}
}

static void find_object(struct ix_import *im, vx_uint32 number, struct ix_made *out, vx_uint8 flags, vx_graph g, vx_enum type,
			const struct _vx_meta_format *m)
{
	struct ix_reader *r = &im->reader;
	const vx_uint8 origin = ix_u8(r);
	if (!r->status && (origin >= IX_ORIGINS || (origins[origin].type && origins[origin].type != type)))
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s from %s", type_name(type), origin < IX_ORIGINS ? origins[origin].name : "nowhere");
	if (r->status)
		return;
	vx_reference given = flags & IX_SUPPLIED ? supplied(im, number, type) : NULL;
	if (r->status)
		return;
	if (origin == IX_PART) {
		out->ref = get_part(im, number, out);
		if (out->ref && given && given != out->ref)
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s that the application has created is not the part that it has to be",
				  type_name(type));
	} else if (given) {
		out->ref = given;
		out->theirs = true;
	} else {
		out->ref = get_created(im, number, origin, g, type, m);
		out->created = out->ref;
	}
	if (!r->status && (out->ref->type != type || out->ref->is_virtual != !!(flags & IX_VIRTUAL)))
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s, where %s%s is written", type_name(out->ref->type),
			  flags & IX_VIRTUAL ? "virtual, " : "", type_name(type));
	check_meta(r, out->ref, m, out->theirs);
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
	out->ref = made(r, vxCreateGraph(im->context), "a graph");
	out->created = out->ref;
}

static void get_object(struct ix_import *im, vx_uint32 number)
{
	struct ix_reader *r = &im->reader;
	struct ix_made *out = &im->objects[number];
	struct _vx_meta_format m;
	vx_char name[VX_MAX_REFERENCE_NAME];
	ix_where(r, "object %u", number);
	const vx_enum type = (vx_enum)ix_u32(r);
	const vx_uint8 flags = ix_u8(r);
	const vx_uint32 scope = ix_u32(r);
	const struct ix_kind *k = ix_kind_of(type);
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
		get_meta(im, type, &m, 1);
		find_object(im, number, out, flags, flags & IX_VIRTUAL ? (vx_graph)im->objects[scope].ref : NULL, type, &m);
		if (!r->status && k->get_settings)
			k->get_settings(r, out->theirs ? NULL : out->ref);
		if (!r->status && flags & IX_VALUES)
			ix_get_values(r, k, out->ref);
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
