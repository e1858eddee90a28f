/* Kernels of tensors: arithmetic, tables, transposition, conversion, matrices. */
#include "runtime/openvx/vision_tensor.h"
#include <float.h>
#include <stdio.h>

/* ---- types ---- */
/* What the elements of a tensor may be (vxTensorAddNode and the others): words with 8 bits behind the point, and bytes. */
static const struct element {
	vx_enum type;
	vx_int8 position;
	const char *name; /* in tensor.cl */
} elements[] = {
	{VX_TYPE_INT16, 8, "short"},
	{VX_TYPE_UINT8, 0, "uchar"},
	{VX_TYPE_INT8, 0, "char"},
};
enum { WORDS, BYTES }; /* in elements */

static const struct element *element_of(vx_tensor t)
{
	for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
		if (elements[i].type == t->data_type && elements[i].position == t->fixed_point_position)
			return &elements[i];
	return NULL;
}

static float one_of(vx_tensor t) { return (float)(1 << t->fixed_point_position); }

static vx_status want_element(struct check *c, unsigned index, vx_tensor t)
{
	if (!element_of(t))
		return refuse(c, index, VX_ERROR_INVALID_TYPE, "a tensor of %s with %d bits behind the point, which the kernel does not take",
			      type_name(t->data_type), t->fixed_point_position);
	return VX_SUCCESS;
}

/* An input of one of the kinds, whose sizes are known. */
static vx_status want_input(struct check *c, unsigned index, vx_tensor t)
{
	TRY(want_element(c, index, t));
	return want_sizes(c, index);
}

static vx_status want_same_element(struct check *c, unsigned index, vx_tensor t, vx_tensor like)
{
	if (t->data_type == like->data_type && t->fixed_point_position == like->fixed_point_position)
		return VX_SUCCESS;
	return refuse(c, index, VX_ERROR_INVALID_TYPE, "a tensor of %s, where one of %s is needed", type_name(t->data_type),
		      type_name(like->data_type));
}

/* ---- launches ---- */
static void begin(struct launch *l, const char *what, const char *type)
{
	char name[64];
	snprintf(name, sizeof name, "%s_%s", what, type);
	launch_kernel(l, "tensor", TENSOR_OPTIONS, name);
}

/* A walk over all elements of tensors whose shapes go together, in bytes. Dimensions that lie one behind the other in all of them
 * are one, so most walks have a single one. Twin of walk_t in tensor.cl. */
enum { OPERANDS_MAX = 3, RUN = 8 /* elements of the first dimension that a work-item does */ };
struct walk {
	cl_uint rank, size[TENSOR_DIMS_MAX];
	cl_int stride[OPERANDS_MAX][TENSOR_DIMS_MAX];
	cl_uint offset[OPERANDS_MAX];
};

/* An element that stands for all of its dimension is not left. */
static cl_int stride_in(const struct _vx_tensor_t *t, const struct _vx_tensor_t *out, vx_size d)
{
	return t->dims[d] == 1 && out->dims[d] != 1 ? 0 : (cl_int)t->strides[d];
}

/* The last tensor has the shape of the walk. */
static struct walk walk_over(const struct _vx_tensor_t *const *tensors, unsigned count)
{
	const struct _vx_tensor_t *out = tensors[count - 1];
	struct walk w = {.rank = 0};
	for (unsigned i = 0; i < count; i++)
		w.offset[i] = (cl_uint)tensors[i]->offset;
	for (vx_size d = 0; d < out->num_dims; d++) {
		bool joins = w.rank > 0;
		if (out->dims[d] == 1)
			continue;
		for (unsigned i = 0; i < count && joins; i++)
			joins = stride_in(tensors[i], out, d) == w.stride[i][w.rank - 1] * (cl_int)w.size[w.rank - 1];
		if (joins) {
			w.size[w.rank - 1] *= (cl_uint)out->dims[d];
			continue;
		}
		for (unsigned i = 0; i < count; i++)
			w.stride[i][w.rank] = stride_in(tensors[i], out, d);
		w.size[w.rank++] = (cl_uint)out->dims[d];
	}
	if (!w.rank)
		w.size[w.rank++] = 1;
	return w;
}

/* A tensor by itself, with its walk. */
void arg_walked(struct launch *l, vx_tensor t)
{
	const struct walk w = t ? walk_over((const struct _vx_tensor_t *const[]){t}, 1) : (struct walk){.rank = 1, .size = {1}};
	args(l, TENSOR(t), STRUCT(w));
}

/* Whole warps, since a number that nothing divides would make groups of one; a work-item without an element does nothing. */
static vx_status launch_walk(struct launch *l, const struct walk *w)
{
	size_t items = (w->size[0] + RUN - 1) / RUN;
	for (cl_uint d = 1; d < w->rank; d++)
		items *= w->size[d];
	return launch_1d(l, whole_warps(items));
}

/* ---- tensor_add, tensor_subtract, tensor_multiply ---- */
/* Two inputs and an output; in each dimension the inputs have the same size, or one has 1, which stands for any. */
static vx_status arithmetic_check(struct check *c, const vx_reference *p, unsigned out)
{
	vx_tensor a = (vx_tensor)p[0], b = (vx_tensor)p[1];
	/* vxTensorAddNode, vxTensorSubtractNode, vxTensorMultiplyNode: types, the same for both inputs */
	TRY(want_input(c, 0, a));
	TRY(want_input(c, 1, b));
	TRY(want_same_element(c, 1, b, a));
	/* the same: shapes that go together */
	struct _vx_tensor_t m = *a;
	if (b->num_dims != a->num_dims)
		return refuse(c, 1, VX_ERROR_INVALID_DIMENSION, "a tensor of %zu dimensions, where the other has %zu", b->num_dims,
			      a->num_dims);
	for (vx_size d = 0; d < m.num_dims; d++) {
		if (a->dims[d] != b->dims[d] && a->dims[d] != 1 && b->dims[d] != 1)
			return refuse(c, 1, VX_ERROR_INVALID_DIMENSION, "dimension %zu is %zu, where the other's is %zu", d, b->dims[d], a->dims[d]);
		m.dims[d] = a->dims[d] == 1 ? b->dims[d] : a->dims[d];
	}
	return gives_tensor(c, out, &m);
}

static struct walk begin_arithmetic(struct launch *l, const vx_reference *p, const char *what, unsigned out)
{
	vx_tensor t[OPERANDS_MAX] = {(vx_tensor)p[0], (vx_tensor)p[1], (vx_tensor)p[out]};
	const struct walk w = walk_over((const struct _vx_tensor_t *const[]){t[0], t[1], t[2]}, OPERANDS_MAX);
	begin(l, what, element_of(t[0])->name);
	args(l, TENSOR(t[0]), TENSOR(t[1]), TENSOR(t[2]), STRUCT(w));
	return w;
}

static vx_status additive_check(struct check *c, const vx_reference *p)
{
	/* vxTensorAddNode, vxTensorSubtractNode: a policy for what does not fit */
	TRY(want_enum(c, 2, VX_CONVERT_POLICY_WRAP, VX_CONVERT_POLICY_SATURATE));
	return arithmetic_check(c, p, 3);
}

static vx_status additive_run(struct launch *l, const vx_reference *p, const char *what)
{
	const struct walk w = begin_arithmetic(l, p, what, 3);
	args(l, INT(scalar_int((vx_scalar)p[2])));
	return launch_walk(l, &w);
}

static vx_status add_run(struct launch *l, const vx_reference *p) { return additive_run(l, p, "add"); }
static vx_status subtract_run(struct launch *l, const vx_reference *p) { return additive_run(l, p, "subtract"); }

const struct vision_kernel vision_tensor_add = {.check = additive_check, .run = add_run};
const struct vision_kernel vision_tensor_subtract = {.check = additive_check, .run = subtract_run};

static vx_status multiply_check(struct check *c, const vx_reference *p)
{
	/* vxTensorMultiplyNode: a scale that is not negative, and policies for what does not fit and for what lies behind the point */
	TRY(want_float(c, 2, 0.0f, FLT_MAX));
	TRY(want_enum(c, 3, VX_CONVERT_POLICY_WRAP, VX_CONVERT_POLICY_SATURATE));
	TRY(want_enum(c, 4, VX_ROUND_POLICY_TO_ZERO, VX_ROUND_POLICY_TO_NEAREST_EVEN));
	return arithmetic_check(c, p, 5);
}

static vx_status multiply_run(struct launch *l, const vx_reference *p)
{
	const struct walk w = begin_arithmetic(l, p, "multiply", 5);
	args(l, INT(scalar_int((vx_scalar)p[3])), FLOAT(scalar_float((vx_scalar)p[2])), INT(scalar_int((vx_scalar)p[4])),
	     INT(1 << ((vx_tensor)p[0])->fixed_point_position));
	return launch_walk(l, &w);
}

const struct vision_kernel vision_tensor_multiply = {.check = multiply_check, .run = multiply_run};

/* ---- from one tensor to another ---- */
static struct walk begin_conversion(struct launch *l, const char *what, vx_tensor in, vx_tensor out)
{
	char types[32];
	snprintf(types, sizeof types, "%s_%s", element_of(in)->name, element_of(out)->name);
	const struct walk w = walk_over((const struct _vx_tensor_t *const[]){in, out}, 2);
	begin(l, what, types);
	args(l, TENSOR(in), TENSOR(out), STRUCT(w));
	return w;
}

/* ---- tensor_table_lookup ---- */
static vx_status look_up_check(struct check *c, const vx_reference *p)
{
	vx_tensor in = (vx_tensor)p[0];
	const struct _vx_lut *table = (vx_lut)p[1];
	const size_t kind = table->data_type == VX_TYPE_INT16 ? WORDS : BYTES;
	struct _vx_tensor_t m = *in;
	/* vxTensorTableLookupNode: words or unsigned bytes */
	TRY(want_input(c, 0, in));
	REFUSE_IF(in->data_type == VX_TYPE_INT8, c, 0, VX_ERROR_INVALID_TYPE, "a tensor of signed bytes");
	/* vxTensorTableLookupNode: what comes out is of the table's type */
	m.data_type = elements[kind].type;
	m.fixed_point_position = elements[kind].position;
	return gives_tensor(c, 2, &m);
}

static vx_status look_up_run(struct launch *l, const vx_reference *p)
{
	vx_lut table = (vx_lut)p[1];
	const struct walk w = begin_conversion(l, "look_up", (vx_tensor)p[0], (vx_tensor)p[2]);
	args(l, READ(&table->store), INT(table->count), INT(table->offset));
	return launch_walk(l, &w);
}

const struct vision_kernel vision_tensor_table_lookup = {.check = look_up_check, .run = look_up_run};

/* ---- tensor_transpose ---- */
static void exchange(vx_size *values, vx_size a, vx_size b)
{
	const vx_size kept = values[a];
	values[a] = values[b];
	values[b] = kept;
}

static vx_status transpose_check(struct check *c, const vx_reference *p)
{
	vx_tensor in = (vx_tensor)p[0];
	struct _vx_tensor_t m = *in;
	/* vxTensorTransposeNode: types */
	TRY(want_input(c, 0, in));
	for (unsigned i = 1; i < 3; i++) {
		/* vxTensorTransposeNode: two of the tensor's dimensions, counted from 0 */
		TRY(want_scalar(c, i, VX_TYPE_SIZE));
		if (scalar_size((vx_scalar)p[i]) >= in->num_dims)
			return refuse(c, i, VX_ERROR_INVALID_VALUE, "dimension %zu of a tensor of %zu", scalar_size((vx_scalar)p[i]), in->num_dims);
	}
	exchange(m.dims, scalar_size((vx_scalar)p[1]), scalar_size((vx_scalar)p[2]));
	return gives_tensor(c, 3, &m);
}

static vx_status transpose_run(struct launch *l, const vx_reference *p)
{
	vx_tensor in = (vx_tensor)p[0], out = (vx_tensor)p[3];
	const vx_size a = scalar_size((vx_scalar)p[1]), b = scalar_size((vx_scalar)p[2]);
	struct _vx_tensor_t turned = *in;
	exchange(turned.dims, a, b);
	exchange(turned.strides, a, b);
	const struct walk w = walk_over((const struct _vx_tensor_t *const[]){&turned, out}, 2);
	begin(l, "transpose", element_of(in)->name);
	args(l, TENSOR(in), TENSOR(out), STRUCT(w));
	return launch_walk(l, &w);
}

const struct vision_kernel vision_tensor_transpose = {.check = transpose_check, .run = transpose_run};

/* ---- tensor_convert_depth ---- */
static vx_status depth_check(struct check *c, const vx_reference *p)
{
	vx_tensor in = (vx_tensor)p[0], out = (vx_tensor)p[4];
	struct _vx_tensor_t m = *in;
	/* vxTensorConvertDepthNode: types, of which the output says its own */
	TRY(want_input(c, 0, in));
	TRY(want_element(c, 4, out));
	m.data_type = out->data_type;
	m.fixed_point_position = out->fixed_point_position;
	/* vxTensorConvertDepthNode: a policy for what does not fit; norm and offset are floats */
	TRY(want_enum(c, 1, VX_CONVERT_POLICY_WRAP, VX_CONVERT_POLICY_SATURATE));
	TRY(want_scalar(c, 2, VX_TYPE_FLOAT32));
	TRY(want_scalar(c, 3, VX_TYPE_FLOAT32));
	return gives_tensor(c, 4, &m);
}

static vx_status depth_run(struct launch *l, const vx_reference *p)
{
	vx_tensor in = (vx_tensor)p[0], out = (vx_tensor)p[4];
	const struct walk w = begin_conversion(l, "convert_depth", in, out);
	args(l, INT(scalar_int((vx_scalar)p[1])), FLOAT(scalar_float((vx_scalar)p[3])), FLOAT(scalar_float((vx_scalar)p[2])),
	     FLOAT(one_of(in)), FLOAT(one_of(out)));
	return launch_walk(l, &w);
}

const struct vision_kernel vision_tensor_convert_depth = {.check = depth_check, .run = depth_run};

/* ---- tensor_matrix_multiply ---- */
/* Twin of matrices_t in tensor.cl. */
struct matrices {
	cl_int rows, columns, common;
	cl_uint a, b, c, out;
	cl_int a_row, a_column, b_row, b_column, c_row, c_column, out_row, out_column;
	cl_int position;
};
static size_t tile_of(const struct launch *l) { return items_max(l) < 64 ? 4 : items_max(l) < 256 ? 8 : 16; }

/* The first dimension of a tensor is along rows: its size is the number of columns. */
static vx_size columns_of(vx_tensor t, bool turned) { return t->dims[turned]; }
static vx_size rows_of(vx_tensor t, bool turned) { return t->dims[!turned]; }
static cl_int column_stride(vx_tensor t, bool turned) { return (cl_int)t->strides[turned]; }
static cl_int row_stride(vx_tensor t, bool turned) { return (cl_int)t->strides[!turned]; }

static bool is_turned(const vx_reference *p, unsigned input) { return scalar_int((vx_scalar)p[3 + input]) != 0; }

static vx_status product_check(struct check *c, const vx_reference *p)
{
	vx_tensor in[3] = {(vx_tensor)p[0], (vx_tensor)p[1], (vx_tensor)p[2]};
	bool turned[3];
	/* vxTensorMatrixMultiplyNode: types, the same for all; matrices, each of which may be transposed first, the third left out */
	for (unsigned i = 0; i < 3; i++) {
		TRY(want_scalar(c, 3 + i, VX_TYPE_BOOL));
		turned[i] = is_turned(p, i);
		if (!in[i])
			continue;
		TRY(want_input(c, i, in[i]));
		TRY(want_same_element(c, i, in[i], in[0]));
		REFUSE_IF(in[i]->num_dims != 2, c, i, VX_ERROR_INVALID_DIMENSION, "a tensor of %zu dimensions is no matrix", in[i]->num_dims);
	}
	/* the same: sizes that can be multiplied, and added */
	struct _vx_tensor_t m = *in[0];
	m.dims[0] = columns_of(in[1], turned[1]);
	m.dims[1] = rows_of(in[0], turned[0]);
	if (columns_of(in[0], turned[0]) != rows_of(in[1], turned[1]))
		return refuse(c, 1, VX_ERROR_INVALID_DIMENSION, "%zu rows, where the first matrix has %zu columns", rows_of(in[1], turned[1]),
			      columns_of(in[0], turned[0]));
	if (in[2] && (columns_of(in[2], turned[2]) != m.dims[0] || rows_of(in[2], turned[2]) != m.dims[1]))
		return refuse(c, 2, VX_ERROR_INVALID_DIMENSION, "a matrix of another size than the product's, %zu x %zu", m.dims[0], m.dims[1]);
	return gives_tensor(c, 6, &m);
}

static vx_status product_run(struct launch *l, const vx_reference *p)
{
	vx_tensor a = (vx_tensor)p[0], b = (vx_tensor)p[1], c = (vx_tensor)p[2], out = (vx_tensor)p[6];
	const bool ta = is_turned(p, 0), tb = is_turned(p, 1), tc = is_turned(p, 2);
	const struct matrices m = {
		.rows = (cl_int)out->dims[1],
		.columns = (cl_int)out->dims[0],
		.common = (cl_int)columns_of(a, ta),
		.a = (cl_uint)a->offset,
		.b = (cl_uint)b->offset,
		.c = c ? (cl_uint)c->offset : 0,
		.out = (cl_uint)out->offset,
		.a_row = row_stride(a, ta),
		.a_column = column_stride(a, ta),
		.b_row = row_stride(b, tb),
		.b_column = column_stride(b, tb),
		.c_row = c ? row_stride(c, tc) : 0,
		.c_column = c ? column_stride(c, tc) : 0,
		.out_row = row_stride(out, false),
		.out_column = column_stride(out, false),
		.position = a->fixed_point_position,
	};
	begin(l, "matrix_multiply", element_of(a)->name);
	args(l, TENSOR(a), TENSOR(b), TENSOR(c), TENSOR(out), STRUCT(m));
	const size_t tile = tile_of(l);
	return launch_groups(l, 2, (size_t[]){(out->dims[0] + tile - 1) / tile * tile, (out->dims[1] + tile - 1) / tile * tile},
			     (size_t[]){tile, tile});
}

const struct vision_kernel vision_tensor_matrix_multiply = {.check = product_check, .run = product_run};
