/* Clones of exemplars: what delays and object arrays are filled with. */
#include "runtime/openvx/clone.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/image.h"
#include "runtime/openvx/user_data_object.h"

/* ---- each type: what its meta data are ---- */
static vx_reference clone_image(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_image *e = (vx_image)exemplar;
	vx_image image = image_create(c, scope, e->width, e->height, e->format, is_virtual);
	if (image) {
		image->space = e->space;
		image->range = e->range;
	}
	return (vx_reference)image;
}

static vx_reference clone_array(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_array *e = (vx_array)exemplar;
	return (vx_reference)array_create(c, scope, e->item_type, e->capacity, is_virtual);
}

static vx_reference clone_pyramid(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_pyramid *e = (vx_pyramid)exemplar;
	return (vx_reference)pyramid_create(c, scope, e->num_levels, e->scale, e->width, e->height, e->format, is_virtual);
}

static vx_reference clone_scalar(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_scalar *e = (vx_scalar)exemplar;
	return (vx_reference)scalar_create(c, scope, e->data_type, e->store.size, is_virtual);
}

static vx_reference clone_matrix(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_matrix *e = (vx_matrix)exemplar;
	vx_matrix m = matrix_create(c, scope, e->data_type, e->columns, e->rows, e->pattern, is_virtual);
	if (m)
		m->origin = e->origin;
	return (vx_reference)m;
}

static vx_reference clone_convolution(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_convolution *e = (vx_convolution)exemplar;
	vx_convolution conv = convolution_create(c, scope, e->columns, e->rows, is_virtual);
	if (conv)
		conv->scale = e->scale;
	return (vx_reference)conv;
}

static vx_reference clone_distribution(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_distribution *e = (vx_distribution)exemplar;
	return (vx_reference)distribution_create(c, scope, e->bins, e->offset, e->range, is_virtual);
}

static vx_reference clone_remap(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_remap *e = (vx_remap)exemplar;
	return (vx_reference)remap_create(c, scope, e->source_width, e->source_height, e->width, e->height, is_virtual);
}

static vx_reference clone_lut(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_lut *e = (vx_lut)exemplar;
	return (vx_reference)lut_create(c, scope, e->data_type, e->count, is_virtual);
}

static vx_reference clone_threshold(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_threshold *e = (vx_threshold)exemplar;
	return (vx_reference)threshold_create(c, scope, e->threshold_type, e->input_format, e->output_format, is_virtual);
}

static vx_reference clone_tensor(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_tensor_t *e = (vx_tensor)exemplar;
	return (vx_reference)tensor_create(c, scope, e->num_dims, e->dims, e->data_type, e->fixed_point_position, is_virtual);
}

static vx_reference clone_user_data_object(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar,
					   bool is_virtual)
{
	const struct _vx_user_data_object *e = (vx_user_data_object)exemplar;
	return (vx_reference)user_data_object_create(c, scope, e->type_name, e->store.size, is_virtual);
}

static vx_reference clone_object_array(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct _vx_object_array *e = (vx_object_array)exemplar;
	return (vx_reference)object_array_of(c, scope, e->items[0], e->count, is_virtual);
}

/* ---- virtual ones that verification has still to give something ---- */
static bool image_open(vx_reference ref) { return !((vx_image)ref)->info || !((vx_image)ref)->width || !((vx_image)ref)->height; }
static bool array_open(vx_reference ref) { return ((vx_array)ref)->item_type == VX_TYPE_INVALID || !((vx_array)ref)->capacity; }
static bool pyramid_open(vx_reference ref)
{
	const struct _vx_pyramid *p = (vx_pyramid)ref;
	return !p->width || !p->height || p->format == VX_DF_IMAGE_VIRT;
}

static bool tensor_open(vx_reference ref)
{
	const struct _vx_tensor_t *t = (vx_tensor)ref;
	bool open = !t->num_dims || t->data_type == VX_TYPE_INVALID;
	for (vx_size i = 0; i < t->num_dims; i++)
		open = open || !t->dims[i];
	return open;
}

static const struct kind {
	vx_enum type;
	vx_reference (*clone)(struct _vx_context *, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual);
	bool (*is_open)(vx_reference); /* NULL: never */
} kinds[] = {
	{VX_TYPE_IMAGE, clone_image, image_open},
	{VX_TYPE_ARRAY, clone_array, array_open},
	{VX_TYPE_PYRAMID, clone_pyramid, pyramid_open},
	{VX_TYPE_SCALAR, clone_scalar, NULL},
	{VX_TYPE_MATRIX, clone_matrix, NULL},
	{VX_TYPE_CONVOLUTION, clone_convolution, NULL},
	{VX_TYPE_DISTRIBUTION, clone_distribution, NULL},
	{VX_TYPE_REMAP, clone_remap, NULL},
	{VX_TYPE_LUT, clone_lut, NULL},
	{VX_TYPE_THRESHOLD, clone_threshold, NULL},
	{VX_TYPE_TENSOR, clone_tensor, tensor_open},
	{VX_TYPE_USER_DATA_OBJECT, clone_user_data_object, NULL},
	{VX_TYPE_OBJECT_ARRAY, clone_object_array, NULL},
};

static const struct kind *kind_of(vx_reference ref)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].type == ref->type)
			return &kinds[i];
	return NULL;
}

vx_status clone_check(struct _vx_context *c, vx_reference exemplar)
{
	/* vxCreateDelay, vxCreateObjectArray: a data object of the context */
	if (!object_usable(exemplar) || exemplar->context != c)
		return fail(c, VX_ERROR_INVALID_REFERENCE, "the exemplar is not an object of the context");
	const struct kind *k = kind_of(exemplar);
	if (!k)
		return fail(c, VX_ERROR_INVALID_REFERENCE, "%s cannot be an exemplar", type_name(exemplar->type));
	/* vxCreateObjectArray: one whose meta data will not change any more */
	if (k->is_open && k->is_open(exemplar))
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "the exemplar, %s, has no size or no format yet",
			    type_name(exemplar->type));
	return VX_SUCCESS;
}

vx_reference clone_create(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	return kind_of(exemplar)->clone(c, scope, exemplar, is_virtual);
}

/* ---- parts ---- */
void part_adopt(vx_reference part)
{
	vx_reference mine = part;
	object_use(part);
	object_release(&mine, part->type);
}

void part_drop(vx_reference part)
{
	/* at the end of a context parts may have gone before what they are parts of */
	if (!object_known(part))
		return;
	part->delay = NULL;
	object_unuse(part);
}
