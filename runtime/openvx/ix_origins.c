/* Objects of exports that are made from others: uniform images, regions and channels of images, views of tensors, images in tensors. */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/ix.h"

/* ---- places in other objects ---- */
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

static void put_starts(struct ix_writer *w, const struct _vx_tensor_t *t, size_t offset, vx_size num_dims)
{
	vx_size starts[TENSOR_DIMS_MAX];
	tensor_starts(t, offset, num_dims, starts);
	ix_put_bytes(w, starts, num_dims * sizeof *starts);
}

/* ---- images of one value ---- */
static void put_uniform(struct ix_writer *w, vx_reference ref)
{
	const struct _vx_image *image = (vx_image)ref;
	ix_put_bytes(w, &image->uniform, sizeof image->uniform);
}

static vx_reference get_uniform(struct ix_import *im, vx_uint32 number, const struct object_class *k, const struct prototype *p)
{
	struct ix_reader *r = &im->reader;
	const struct _vx_image *like = (const struct _vx_image *)p;
	vx_pixel_value_t value;
	(void)number;
	(void)k;
	ix_copy(r, &value, sizeof value);
	return r->status ? NULL : ix_made(r, vxCreateUniformImage(im->context, like->width, like->height, like->format, &value), "a uniform image");
}

/* ---- regions and channels ---- */
static void put_region(struct ix_writer *w, vx_reference ref)
{
	ix_put_bytes(w, &((vx_image)ref)->region, sizeof(vx_rectangle_t));
}

static vx_reference get_region(struct ix_import *im, vx_uint32 number, const struct object_class *k, const struct prototype *p)
{
	struct ix_reader *r = &im->reader;
	vx_reference parent = earlier(im, number, VX_TYPE_IMAGE);
	vx_rectangle_t rect;
	(void)k;
	(void)p;
	ix_copy(r, &rect, sizeof rect);
	return r->status ? NULL : ix_made(r, vxCreateImageFromROI((vx_image)parent, &rect), "a region");
}

static void put_channel(struct ix_writer *w, vx_reference ref) { ix_put_u32(w, (vx_uint32)image_channel((vx_image)ref)); }

static vx_reference get_channel(struct ix_import *im, vx_uint32 number, const struct object_class *k, const struct prototype *p)
{
	struct ix_reader *r = &im->reader;
	vx_reference parent = earlier(im, number, VX_TYPE_IMAGE);
	const vx_enum channel = (vx_enum)ix_u32(r);
	(void)k;
	(void)p;
	return r->status ? NULL : ix_made(r, vxCreateImageFromChannel((vx_image)parent, channel), "an image of a channel");
}

/* ---- views of tensors ---- */
static void put_view(struct ix_writer *w, vx_reference ref)
{
	const struct _vx_tensor_t *t = (vx_tensor)ref, *of = t->parent;
	put_starts(w, of, t->offset - of->offset, t->num_dims);
}

static vx_reference get_view(struct ix_import *im, vx_uint32 number, const struct object_class *k, const struct prototype *p)
{
	struct ix_reader *r = &im->reader;
	const struct _vx_tensor_t *like = (const struct _vx_tensor_t *)p;
	vx_reference parent = earlier(im, number, VX_TYPE_TENSOR);
	vx_size starts[TENSOR_DIMS_MAX], ends[TENSOR_DIMS_MAX];
	(void)k;
	ix_copy(r, starts, like->num_dims * sizeof *starts);
	for (vx_size i = 0; !r->status && i < like->num_dims; i++)
		if (__builtin_add_overflow(starts[i], like->dims[i], &ends[i]))
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a view from element %zu on, of %zu", starts[i], like->dims[i]);
	return r->status ? NULL : ix_made(r, vxCreateTensorFromView((vx_tensor)parent, like->num_dims, starts, ends), "a view of a tensor");
}

/* ---- images in tensors, and object arrays of them ---- */
static void put_in_tensor(struct ix_writer *w, vx_reference ref)
{
	const struct _vx_tensor_t *t = (vx_tensor)ref->class->parent(ref);
	const vx_reference *items;
	const vx_size count = all_parts_of(ref, &items);
	for (vx_size i = 0; i < (count ? count : 1); i++)
		put_starts(w, t, ((vx_image)(count ? items[i] : ref))->planes[0].offset - t->offset, t->num_dims);
}

static vx_image get_image_in(struct ix_reader *r, vx_tensor t, const struct _vx_image *like)
{
	vx_size starts[TENSOR_DIMS_MAX];
	ix_copy(r, starts, t->num_dims * sizeof *starts);
	if (r->status)
		return NULL;
	vx_image image = tensor_image(t, starts, like->width, like->height, like->format);
	if (!image)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "an image in a tensor cannot be made");
	return image;
}

static vx_reference get_images_in(struct ix_import *im, vx_tensor t, const struct _vx_image *like, const struct _vx_object_array *prototype)
{
	vx_object_array a = data_create(&im->context->reference, &object_array_class, prototype, false);
	if (!a)
		ix_refuse(&im->reader, VX_ERROR_NO_MEMORY, "no memory for %zu images", prototype->count);
	for (vx_size i = 0; a && i < a->count; i++) {
		a->items[i] = (vx_reference)get_image_in(&im->reader, t, like);
		if (!a->items[i])
			return undone(a);
		part_adopt(a->items[i]);
	}
	return (vx_reference)a;
}

static vx_reference get_in_tensor(struct ix_import *im, vx_uint32 number, const struct object_class *k, const struct prototype *p)
{
	struct ix_reader *r = &im->reader;
	const struct _vx_object_array array = {.item_type = VX_TYPE_IMAGE, .count = prototype_parts(k, p)};
	struct prototype item = *p;
	bool of_images = !k->parts;
	if (k->parts && ix_u32(r) == VX_TYPE_IMAGE) {
		ix_get_prototype(im, &image_class, &item, 1);
		of_images = true;
	}
	vx_tensor t = (vx_tensor)earlier(im, number, VX_TYPE_TENSOR);
	if (r->status)
		return NULL;
	if (!of_images || t->parent || t->reference.is_virtual || (k->parts && !array.count)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s in a tensor that cannot have it", k->name);
		return NULL;
	}
	const struct _vx_image *like = (const struct _vx_image *)&item;
	return k->parts ? get_images_in(im, t, like, &array) : (vx_reference)get_image_in(r, t, like);
}

/* ---- all of them ---- */
static const struct {
	vx_enum types[2]; /* of objects that can come from there; none: any */
	const char *name;
	void (*put)(struct ix_writer *, vx_reference);
	vx_reference (*get)(struct ix_import *, vx_uint32 number, const struct object_class *, const struct prototype *);
	bool has_parent;
} origins[IX_ORIGINS] = {
	[IX_OWN] = {{0}, "itself", NULL, NULL, false},
	[IX_PART] = {{0}, "a whole", NULL, NULL, false},
	[IX_UNIFORM] = {{VX_TYPE_IMAGE}, "a value", put_uniform, get_uniform, false},
	[IX_REGION] = {{VX_TYPE_IMAGE}, "an image", put_region, get_region, true},
	[IX_CHANNEL] = {{VX_TYPE_IMAGE}, "an image", put_channel, get_channel, true},
	[IX_VIEW] = {{VX_TYPE_TENSOR}, "a tensor", put_view, get_view, true},
	[IX_IN_TENSOR] = {{VX_TYPE_IMAGE, VX_TYPE_OBJECT_ARRAY}, "a tensor", put_in_tensor, get_in_tensor, true},
};

enum ix_origin ix_origin_of(const struct ix_item *item)
{
	const struct object_class *k = item->ref->class;
	if (item->whole != IX_NONE)
		return IX_PART;
	return item->use == VX_IX_USE_APPLICATION_CREATE || !k->origin ? IX_OWN : k->origin(item->ref);
}

void ix_put_origin(struct ix_writer *w, const struct ix_set *s, const struct ix_item *item, enum ix_origin origin)
{
	if (origins[origin].has_parent)
		ix_put_u32(w, s->items[item->parent].number);
	if (origins[origin].put)
		origins[origin].put(w, item->ref);
}

enum ix_origin ix_get_origin(struct ix_reader *r, const struct object_class *k)
{
	const vx_uint8 origin = ix_u8(r);
	bool can = origin < IX_ORIGINS;
	if (can && *origins[origin].types)
		can = origins[origin].types[0] == k->type || origins[origin].types[1] == k->type;
	if (!r->status && !can)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%s from %s", k->name, origin < IX_ORIGINS ? origins[origin].name : "nowhere");
	return origin;
}

vx_reference ix_get_created(struct ix_import *im, vx_uint32 number, enum ix_origin origin, const struct object_class *k, const struct prototype *p)
{
	return origins[origin].get(im, number, k, p);
}
