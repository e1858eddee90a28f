/* Verification of nodes of built-in kernels (check.h). */
#include "runtime/openvx/check.h"
#include "runtime/openvx/check_node.h"
#include "runtime/openvx/data_objects.h"
#include <stdarg.h>
#include <stdio.h>

static vx_reference parameter(const struct check *c, unsigned index) { return c->parameters[index]; }
static vx_image image_of(const struct check *c, unsigned index) { return (vx_image)parameter(c, index); }

vx_status refuse(struct check *c, unsigned index, vx_status status, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return fail(c->node, status, "node of %s, parameter %u: %s", c->node->kernel->name, index, text);
}

/* ---- inputs ---- */
vx_status want_format_of(struct check *c, unsigned index, const vx_df_image *formats)
{
	const vx_image image = image_of(c, index);
	if (!image)
		return VX_SUCCESS;
	REFUSE_IF(!image->info, c, index, VX_ERROR_INVALID_FORMAT, "a virtual image that no node gives a format");
	REFUSE_IF(!image->width || !image->height, c, index, VX_ERROR_INVALID_DIMENSION, "a virtual image that no node gives a size");
	for (const vx_df_image *f = formats; *f; f++)
		if (*f == image->format)
			return VX_SUCCESS;
	return refuse(c, index, VX_ERROR_INVALID_FORMAT, "images of format %.4s are not what the kernel takes", (const char *)&image->format);
}

vx_status want_same_size(struct check *c, unsigned a, unsigned b)
{
	const vx_image x = image_of(c, a), y = image_of(c, b);
	if (!x || !y || (x->width == y->width && x->height == y->height))
		return VX_SUCCESS;
	return refuse(c, b, VX_ERROR_INVALID_DIMENSION, "%u x %u pixels, where parameter %u has %u x %u", y->width, y->height, a, x->width, x->height);
}

vx_status want_same_format(struct check *c, unsigned a, unsigned b)
{
	const vx_image x = image_of(c, a), y = image_of(c, b);
	if (!x || !y || x->format == y->format)
		return VX_SUCCESS;
	return refuse(c, b, VX_ERROR_INVALID_FORMAT, "format %.4s, where parameter %u has %.4s", (const char *)&y->format, a, (const char *)&x->format);
}

vx_status want_scalar(struct check *c, unsigned index, vx_enum type)
{
	const vx_scalar s = (vx_scalar)parameter(c, index);
	if (!s || s->data_type == type)
		return VX_SUCCESS;
	return refuse(c, index, VX_ERROR_INVALID_TYPE, "a scalar of %s, where one of %s is needed", type_name(s->data_type), type_name(type));
}

bool value_known(const struct check *c, unsigned index)
{
	const struct _vx_scalar *s = (vx_scalar)parameter(c, index);
	const struct _vx_graph *g = c->node->graph;
	const bool settable = g && g->imported && !c->node->kernel->parameters[index].fixed;
	return !s->reference.is_virtual && s->store.host_valid && !settable;
}

vx_status want_float(struct check *c, unsigned index, vx_float32 low, vx_float32 high)
{
	const vx_scalar s = (vx_scalar)parameter(c, index);
	TRY(want_scalar(c, index, VX_TYPE_FLOAT32));
	if (!s || !value_known(c, index))
		return VX_SUCCESS;
	const vx_float32 value = scalar_float(s);
	if (!(value >= low && value <= high))
		return refuse(c, index, VX_ERROR_INVALID_VALUE, "%g is not from %g to %g", (double)value, (double)low, (double)high);
	return VX_SUCCESS;
}

vx_status want_enum_of(struct check *c, unsigned index, const vx_enum *values, unsigned count)
{
	const vx_scalar s = (vx_scalar)parameter(c, index);
	if (!s)
		return VX_SUCCESS;
	TRY(want_scalar(c, index, VX_TYPE_ENUM));
	const vx_enum value = scalar_int(s);
	for (unsigned i = 0; i < count; i++)
		if (values[i] == value)
			return VX_SUCCESS;
	return refuse(c, index, VX_ERROR_INVALID_VALUE, "value 0x%x is not one that the kernel knows", value);
}

vx_status want_int_of(struct check *c, unsigned index, vx_enum type, const char *what, const char *unit, const vx_int32 *values, unsigned count)
{
	const vx_scalar s = (vx_scalar)parameter(c, index);
	char known[64];
	TRY(want_scalar(c, index, type));
	const vx_int32 value = s ? scalar_int(s) : values[0];
	for (unsigned i = 0, at = 0; i < count; i++) {
		if (values[i] == value)
			return VX_SUCCESS;
		at += (unsigned)snprintf(known + at, sizeof known - at, !i ? "%d" : i + 1 < count ? ", %d" : " and %d", values[i]);
	}
	return refuse(c, index, VX_ERROR_INVALID_VALUE, "%s %d%s: %s are known", what, value, unit, known);
}

vx_status want_sizes(struct check *c, unsigned index)
{
	const vx_tensor t = (vx_tensor)parameter(c, index);
	for (vx_size d = 0; t && d < t->num_dims; d++)
		REFUSE_IF(!t->dims[d], c, index, VX_ERROR_INVALID_DIMENSION, "a virtual tensor that no node gives a size in dimension %zu", d);
	return VX_SUCCESS;
}

vx_status want_tensor(struct check *c, unsigned index, const struct _vx_tensor_t *m)
{
	const vx_tensor t = (vx_tensor)parameter(c, index);
	if (!t)
		return VX_SUCCESS;
	if (t->data_type != m->data_type || t->fixed_point_position != m->fixed_point_position)
		return refuse(c, index, VX_ERROR_INVALID_TYPE, "a tensor of %s with %d bits behind the point, where %s with %d are needed",
			      type_name(t->data_type), t->fixed_point_position, type_name(m->data_type), m->fixed_point_position);
	if (t->num_dims != m->num_dims)
		return refuse(c, index, VX_ERROR_INVALID_DIMENSION, "a tensor of %zu dimensions, where %zu are needed", t->num_dims, m->num_dims);
	for (vx_size d = 0; d < m->num_dims; d++)
		if (t->dims[d] != m->dims[d])
			return refuse(c, index, VX_ERROR_INVALID_DIMENSION, "dimension %zu is %zu, where %zu is needed", d, t->dims[d], m->dims[d]);
	return VX_SUCCESS;
}

/* ---- outputs ---- */
vx_status gives(struct check *c, unsigned index, const void *prototype)
{
	vx_reference ref = parameter(c, index);
	const vx_status status = ref->class->define(ref, prototype);
	return status ? refuse(c, index, status, "an object that cannot be what the kernel gives") : VX_SUCCESS;
}

vx_status gives_image(struct check *c, unsigned index, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	return gives_image_of(c, index, width, height, (const vx_df_image[]){format, 0});
}

vx_status gives_image_of(struct check *c, unsigned index, vx_uint32 width, vx_uint32 height, const vx_df_image *formats)
{
	const vx_image image = image_of(c, index);
	if (!image)
		return VX_SUCCESS;
	const vx_df_image *f = formats;
	while (image->info && *f && *f != image->format)
		f++;
	REFUSE_IF(!*f, c, index, VX_ERROR_INVALID_FORMAT, "the kernel does not give images of format %.4s", (const char *)&image->format);
	REFUSE_IF(!width || !height, c, index, VX_ERROR_INVALID_DIMENSION, "the input has no size that one could come from");
	return gives(c, index, &(struct _vx_image){.width = width, .height = height, .format = *f});
}

vx_status gives_scalar(struct check *c, unsigned index, vx_enum type)
{
	const vx_scalar s = (vx_scalar)parameter(c, index);
	if (s && s->reference.is_virtual && s->data_type == VX_TYPE_INVALID)
		s->data_type = type;
	return want_scalar(c, index, type);
}

vx_status gives_array(struct check *c, unsigned index, vx_enum item_type, vx_size capacity_of_virtual)
{
	const vx_array a = (vx_array)parameter(c, index);
	if (!a)
		return VX_SUCCESS;
	TRY(gives(c, index, &(struct _vx_array){.item_type = item_type, .capacity = capacity_of_virtual}));
	if (a->item_type != item_type)
		return refuse(c, index, VX_ERROR_INVALID_TYPE, "an array of %s, where the kernel gives %s", type_name(a->item_type), type_name(item_type));
	return VX_SUCCESS;
}

vx_status gives_pyramid(struct check *c, unsigned index, vx_size levels, vx_float32 scale, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	const vx_pyramid p = (vx_pyramid)parameter(c, index);
	if (!p)
		return VX_SUCCESS;
	if (p->num_levels != levels || p->scale != scale)
		return refuse(c, index, VX_ERROR_INVALID_VALUE, "%zu levels of scale %g, where the kernel gives %zu of %g", p->num_levels, (double)p->scale, levels,
			      (double)scale);
	return gives(c, index, &(struct _vx_pyramid){.width = width, .height = height, .format = format});
}

vx_status gives_tensor(struct check *c, unsigned index, const struct _vx_tensor_t *m)
{
	if (parameter(c, index))
		TRY(gives(c, index, m));
	return want_tensor(c, index, m);
}

vx_status gives_alike(struct check *c, unsigned index, const void *like, const void *output)
{
	if (meta_same((vx_reference)(uintptr_t)like, (vx_reference)(uintptr_t)output, true, c->node))
		return refuse(c, index, VX_ERROR_INVALID_PARAMETERS, "its meta data are not those of the input");
	return VX_SUCCESS;
}

/* ---- valid regions ---- */
void valid_shrinks(struct check *c, unsigned left, unsigned top, unsigned right, unsigned bottom)
{
	c->shrinks = (vx_rectangle_t){left, top, right, bottom};
}

void valid_whole(struct check *c, unsigned index) { c->whole |= 1ull << index; }

static void set_valid(vx_image image, vx_rectangle_t v)
{
	if (v.start_x > v.end_x || v.start_y > v.end_y)
		v = (vx_rectangle_t){0, 0, 0, 0};
	image->valid = v;
}

void valid_is(struct check *c, unsigned index, const vx_rectangle_t *v)
{
	set_valid(image_of(c, index), *v);
	c->given_valid |= 1ull << index;
}

static vx_uint32 add_up(vx_uint32 a, vx_uint32 b) { return a + b < a ? UINT32_MAX : a + b; }
static vx_uint32 take_off(vx_uint32 a, vx_uint32 b) { return a > b ? a - b : 0; }

static void regions(const struct check *c)
{
	const struct _vx_kernel *k = c->node->kernel;
	vx_rectangle_t valid = {0, 0, UINT32_MAX, UINT32_MAX};
	const bool shrinks = c->node->border.mode == VX_BORDER_UNDEFINED;
	for (vx_uint32 i = 0; i < k->num_parameters; i++) {
		const vx_image image = image_of(c, i);
		if (!image || image->reference.type != VX_TYPE_IMAGE || k->parameters[i].direction != VX_INPUT)
			continue;
		const vx_rectangle_t *v = &image->valid;
		valid.start_x = v->start_x > valid.start_x ? v->start_x : valid.start_x;
		valid.start_y = v->start_y > valid.start_y ? v->start_y : valid.start_y;
		valid.end_x = v->end_x < valid.end_x ? v->end_x : valid.end_x;
		valid.end_y = v->end_y < valid.end_y ? v->end_y : valid.end_y;
	}
	if (shrinks)
		valid = (vx_rectangle_t){add_up(valid.start_x, c->shrinks.start_x), add_up(valid.start_y, c->shrinks.start_y), take_off(valid.end_x, c->shrinks.end_x),
					 take_off(valid.end_y, c->shrinks.end_y)};
	for (vx_uint32 i = 0; i < k->num_parameters; i++) {
		const vx_image image = image_of(c, i);
		if (!image || image->reference.type != VX_TYPE_IMAGE || k->parameters[i].direction == VX_INPUT || c->given_valid >> i & 1)
			continue;
		vx_rectangle_t v = {0, 0, image->width, image->height};
		if (!(c->whole >> i & 1) && valid.end_x <= image->width && valid.end_y <= image->height)
			v = valid;
		set_valid(image, v);
	}
}

vx_status check_node(struct _vx_node *n)
{
	struct check c = {.node = n, .parameters = n->parameters};
	TRY(n->kernel->vision->check(&c, n->parameters));
	if (n->border.mode != VX_BORDER_UNDEFINED && !n->kernel->vision->any_border)
		return fail(n, VX_ERROR_NOT_SUPPORTED, "node of %s: the kernel has no border mode 0x%x", n->kernel->name, n->border.mode);
	regions(&c);
	return VX_SUCCESS;
}
