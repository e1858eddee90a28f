/* Nodes that copy data objects of any type: copy, select. */
#include "runtime/openvx/check_node.h"
#include "runtime/openvx/check.h"
#include "runtime/openvx/choice.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/pixel.h"

/* ---- one of two data objects, by a condition that the device reads ---- */
/* The last arguments of select_rows, and its launch: rows of so many bytes, of pixels of so many. */
static vx_status launch_rows(struct launch *l, const struct choice *c, unsigned pixel, size_t row, size_t rows)
{
	args(l, READ_SCALAR((vx_reference)c->condition), INT(pixel));
	return launch_2d(l, (row + 15) / 16, rows);
}

/* Images: plane by plane. */
static vx_status choose_plane(struct launch *l, const struct choice *c, unsigned plane)
{
	vx_image out = (vx_image)c->out;
	const unsigned bits = out->info->plane[plane].bits;
	const struct plane *p = &out->planes[plane];
	launch_kernel(l, "pixelwise", "-DSELECT", bits == 1 ? "select_bits" : "select_rows", PLANE((vx_image)c->a, plane),
		      PLANE((vx_image)c->b, plane), PLANE(out, plane));
	if (bits > 1)
		return launch_rows(l, c, bits / 8, (size_t)p->width * bits / 8, p->height);
	args(l, READ_SCALAR((vx_reference)c->condition));
	return launch_2d(l, (p->width + 7) / 8, p->height);
}

vx_status choose_image(struct launch *l, const struct choice *c)
{
	for (unsigned i = 0; i < ((vx_image)c->out)->info->planes; i++)
		TRY(choose_plane(l, c, i));
	return VX_SUCCESS;
}

/* What lies in stores: store by store, each a row of bytes. */
static vx_status choose_store(struct launch *l, const struct choice *c, unsigned i)
{
	struct store *of_a[STORES_MAX], *of_b[STORES_MAX], *of_out[STORES_MAX];
	stores_of(c->a, of_a);
	stores_of(c->b, of_b);
	stores_of(c->out, of_out);
	struct store *a = of_a[i], *b = of_b[i], *out = of_out[i];
	const size_t bytes = a->size < out->size ? a->size : out->size;
	const struct plane_arg row = {.width = (cl_int)bytes, .height = 1, .stride_x = 1, .stride_y = (cl_int)bytes};
	if (!bytes)
		return l->status;
	launch_kernel(l, "pixelwise", "-DSELECT", "select_rows", READ(a), STRUCT(row), READ(b), STRUCT(row), WRITTEN(out), STRUCT(row));
	return launch_rows(l, c, 1, bytes, 1);
}

static vx_status choose_stores(struct launch *l, const struct choice *c)
{
	struct store *stores[STORES_MAX];
	const unsigned count = stores_of(c->out, stores);
	for (unsigned i = 0; i < count; i++)
		TRY(choose_store(l, c, i));
	return VX_SUCCESS;
}

/* Tensors: all bytes at once where they lie together; else rows of dimension 0, as many as dimension 1 has, for each index of the
 * others. */
static bool is_packed(const struct _vx_tensor_t *t, size_t element)
{
	size_t stride = element;
	for (vx_size i = 0; i < t->num_dims; i++) {
		if (t->strides[i] != stride)
			return false;
		stride *= t->dims[i];
	}
	return true;
}

static size_t product(const vx_size *dims, vx_size from, vx_size to)
{
	size_t n = 1;
	for (vx_size i = from; i < to; i++)
		n *= dims[i];
	return n;
}

static void arg_slice(struct launch *l, vx_tensor t, size_t slice, size_t row, size_t rows)
{
	struct plane_arg at = {.width = (cl_int)row, .height = (cl_int)rows, .stride_x = 1};
	if (t->num_dims > 1)
		at.stride_y = (cl_int)t->strides[1];
	size_t offset = t->offset;
	for (vx_size i = 2; i < t->num_dims; i++) {
		offset += slice % t->dims[i] * t->strides[i];
		slice /= t->dims[i];
	}
	at.offset = (cl_uint)offset;
	args(l, TENSOR(t), STRUCT(at));
}

vx_status choose_tensor(struct launch *l, const struct choice *c)
{
	vx_tensor a = (vx_tensor)c->a, b = (vx_tensor)c->b, out = (vx_tensor)c->out;
	const size_t element = type_size(l->context, out->data_type);
	const bool together = is_packed(a, element) && is_packed(b, element) && is_packed(out, element);
	const size_t row = element * (together ? product(out->dims, 0, out->num_dims) : out->dims[0]);
	const size_t rows = together || out->num_dims < 2 ? 1 : out->dims[1];
	const size_t slices = together ? 1 : product(out->dims, 2, out->num_dims);
	for (size_t i = 0; i < slices; i++) {
		launch_kernel(l, "pixelwise", "-DSELECT", "select_rows");
		arg_slice(l, a, i, row, rows);
		arg_slice(l, b, i, row, rows);
		arg_slice(l, out, i, row, rows);
		TRY(launch_rows(l, c, 1, row, rows));
	}
	return VX_SUCCESS;
}

/* Enqueues what copies a or b to out, for objects of the same class (object_class.h). */
static vx_status choose(struct launch *l, const struct choice *c)
{
	const vx_reference *a, *b, *out;
	const vx_size parts = all_parts_of(c->out, &out);
	if (c->out->class->choose)
		return c->out->class->choose(l, c);
	all_parts_of(c->a, &a);
	all_parts_of(c->b, &b);
	for (vx_size i = 0; i < parts; i++)
		TRY(choose(l, &(struct choice){c->condition, a[i], b[i], out[i]}));
	return choose_stores(l, c);
}

/* ---- verification ---- */
/* Parameter out becomes, or is, what parameter like is. */
static vx_status gives_copy(struct check *c, const vx_reference *p, unsigned like, unsigned out)
{
	const struct object_class *k = p[like]->class;
	REFUSE_IF(k->rotates, c, like, VX_ERROR_NOT_SUPPORTED, "objects of type %s are not copied", type_name(p[like]->type));
	/* vxCopyNode, vxSelectNode: objects of the same type */
	if (p[out]->type != p[like]->type)
		return refuse(c, out, VX_ERROR_INVALID_TYPE, "%s is not copied to %s", type_name(p[like]->type),
			      type_name(p[out]->type));
	return k->gives ? k->gives(c, out, p[like], p[out]) : gives_alike(c, out, p[like], p[out]);
}

/* ---- copy: input, output ---- */
static vx_status check_copy(struct check *c, const vx_reference *p) { return gives_copy(c, p, 0, 1); }
static vx_status run_copy(struct launch *l, const vx_reference *p) { return choose(l, &(struct choice){NULL, p[0], p[0], p[1]}); }

/* A choice between images, where their pixels are values. */
static void choose_pixels(const struct choice *c, struct pixel_operation *o)
{
	if (c->out->type != VX_TYPE_IMAGE || !pixel_format_known(((vx_image)c->out)->format))
		return;
	*o = (struct pixel_operation){
		.name = c->condition ? "select" : "copy",
		.in = {(vx_image)c->a, c->condition ? (vx_image)c->b : NULL}, .out = (vx_image)c->out,
		.store = c->condition ? &c->condition->store : NULL,
		.args = {.policy = VX_CONVERT_POLICY_WRAP},
	};
}

static void pixel_copy(const vx_reference *p, struct pixel_operation *o)
{
	choose_pixels(&(struct choice){NULL, p[0], p[0], p[1]}, o);
}

/* ---- select: condition, true_value, false_value, output ---- */
static vx_status check_select(struct check *c, const vx_reference *p)
{
	/* vxSelectNode: a boolean condition */
	TRY(want_scalar(c, 0, VX_TYPE_BOOL));
	TRY(gives_copy(c, p, 1, 3));
	/* vxSelectNode: objects of the same type, with the same meta data */
	if (p[1]->type != p[2]->type)
		return refuse(c, 2, VX_ERROR_INVALID_TYPE, "%s, where the other value is %s", type_name(p[2]->type), type_name(p[1]->type));
	if (p[1]->type == VX_TYPE_IMAGE) {
		TRY(want_same_format(c, 1, 2));
		TRY(want_same_size(c, 1, 2));
	}
	REFUSE_IF(meta_same(p[1], p[2], true, c->node), c, 2, VX_ERROR_INVALID_PARAMETERS, "its meta data are not those of the other value");
	return VX_SUCCESS;
}

static vx_status run_select(struct launch *l, const vx_reference *p)
{
	return choose(l, &(struct choice){(vx_scalar)p[0], p[1], p[2], p[3]});
}

static void pixel_select(const vx_reference *p, struct pixel_operation *o)
{
	choose_pixels(&(struct choice){(vx_scalar)p[0], p[1], p[2], p[3]}, o);
}

const struct vision_kernel vision_copy = {.check = check_copy, .run = run_copy, .pixel = pixel_copy, .any_border = true};
const struct vision_kernel vision_select = {.check = check_select, .run = run_select, .pixel = pixel_select, .any_border = true};
