/* How each type of object is exported and imported: one row a type. */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/ix.h"
#include "runtime/openvx/user_data_object.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- made anew from meta data ---- */
#define CREATE(kind, plain, hidden)                                                                                                       \
	static vx_reference create_##kind(struct _vx_context *c, vx_graph g, const struct _vx_meta_format *m)                             \
	{                                                                                                                                 \
		return g ? (vx_reference)(hidden) : (vx_reference)(plain);                                                                \
	}
CREATE(image, vxCreateImage(c, m->image.width, m->image.height, m->image.format),
       vxCreateVirtualImage(g, m->image.width, m->image.height, m->image.format))
CREATE(array, vxCreateArray(c, m->array.item_type, m->array.capacity), vxCreateVirtualArray(g, m->array.item_type, m->array.capacity))
CREATE(pyramid, vxCreatePyramid(c, m->levels, m->scale, m->pyramid.width, m->pyramid.height, m->pyramid.format),
       vxCreateVirtualPyramid(g, m->levels, m->scale, m->pyramid.width, m->pyramid.height, m->pyramid.format))
CREATE(scalar, vxCreateScalar(c, m->scalar_type, NULL), vxCreateVirtualScalar(g, m->scalar_type))
CREATE(convolution, vxCreateConvolution(c, m->columns, m->rows), vxCreateVirtualConvolution(g, m->columns, m->rows))
CREATE(distribution, vxCreateDistribution(c, m->distribution.bins, m->distribution.offset, m->distribution.range),
       vxCreateVirtualDistribution(g, m->distribution.bins, m->distribution.offset, m->distribution.range))
CREATE(remap, vxCreateRemap(c, m->remap.source_width, m->remap.source_height, m->remap.width, m->remap.height),
       vxCreateVirtualRemap(g, m->remap.source_width, m->remap.source_height, m->remap.width, m->remap.height))
CREATE(lut, vxCreateLUT(c, m->lut.type, m->lut.count), vxCreateVirtualLUT(g, m->lut.type, m->lut.count))
CREATE(threshold, vxCreateThresholdForImage(c, m->threshold.type, m->threshold.input_format, m->threshold.output_format),
       vxCreateVirtualThresholdForImage(g, m->threshold.type, m->threshold.input_format, m->threshold.output_format))
CREATE(tensor, vxCreateTensor(c, m->tensor.num_dims, m->tensor.dims, m->tensor.type, m->tensor.position),
       vxCreateVirtualTensor(g, m->tensor.num_dims, m->tensor.dims, m->tensor.type, m->tensor.position))
CREATE(user_data, vxCreateUserDataObject(c, m->user_data.name, m->user_data.size, NULL),
       vxCreateVirtualUserDataObject(g, m->user_data.name, m->user_data.size))

static vx_reference create_matrix(struct _vx_context *c, vx_graph g, const struct _vx_meta_format *m)
{
	if (g)
		return (vx_reference)vxCreateVirtualMatrix(g, m->matrix.type, m->matrix.columns, m->matrix.rows);
	if (m->matrix.pattern == VX_PATTERN_OTHER)
		return (vx_reference)vxCreateMatrix(c, m->matrix.type, m->matrix.columns, m->matrix.rows);
	return (vx_reference)vxCreateMatrixFromPatternAndOrigin(c, m->matrix.pattern, m->matrix.columns, m->matrix.rows, m->matrix.origin.x,
								m->matrix.origin.y);
}

/* ---- settings ---- */
static void put_convolution(struct ix_writer *w, vx_reference ref) { ix_put_u32(w, ((vx_convolution)ref)->scale); }

static void get_convolution(struct ix_reader *r, vx_reference ref)
{
	const vx_uint32 scale = ix_u32(r);
	if (!r->status && ref && vxSetConvolutionAttribute((vx_convolution)ref, VX_CONVOLUTION_SCALE, &scale, sizeof scale))
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a scale of %u", scale);
}

/* ---- data ---- */
static vx_status put_array(struct ix_writer *w, vx_reference ref)
{
	vx_array a = (vx_array)ref;
	const vx_uint32 length = array_length(a);
	const size_t bytes = length * a->item_size;
	ix_put_u32(w, length);
	void *to = ix_put_room(w, bytes);
	return to && bytes ? store_read(ref->context, &a->items, 0, to, bytes) : VX_SUCCESS;
}

static void get_array(struct ix_reader *r, vx_reference ref)
{
	vx_array a = (vx_array)ref;
	const vx_uint32 length = ix_u32(r);
	if (!r->status && length > a->capacity)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%u items in an array of %zu", length, a->capacity);
	const void *items = ix_bytes(r, length * a->item_size);
	if (r->status)
		return;
	vx_status status = length ? store_write(ref->context, &a->items, 0, items, length * a->item_size) : VX_SUCCESS;
	if (!status)
		status = store_write(ref->context, &a->count, 0, &length, sizeof length);
	if (status)
		ix_refuse(r, status, "%u items cannot be written", length);
}

static vx_status put_threshold(struct ix_writer *w, vx_reference ref)
{
	const struct threshold_values *v = threshold_values((vx_threshold)ref);
	ix_put_bytes(w, v, v ? sizeof *v : 0);
	return v ? VX_SUCCESS : VX_FAILURE;
}

static void get_threshold(struct ix_reader *r, vx_reference ref)
{
	const void *values = ix_bytes(r, sizeof(struct threshold_values));
	const vx_status status = values ? store_write(ref->context, &((vx_threshold)ref)->store, 0, values, sizeof(struct threshold_values)) : VX_SUCCESS;
	if (status)
		ix_refuse(r, status, "the values of a threshold cannot be written");
}

/* All elements of a tensor, or of a view: one behind the other. */
static size_t tensor_packed(vx_tensor t, vx_size *strides)
{
	size_t bytes = type_size(t->reference.context, t->data_type);
	for (vx_size i = 0; i < t->num_dims; i++) {
		strides[i] = bytes;
		bytes *= t->dims[i];
	}
	return bytes;
}

static const vx_size first_element[TENSOR_DIMS_MAX];

static vx_status put_tensor(struct ix_writer *w, vx_reference ref)
{
	vx_tensor t = (vx_tensor)ref;
	vx_size strides[TENSOR_DIMS_MAX];
	void *to = ix_put_room(w, tensor_packed(t, strides));
	return to ? vxCopyTensorPatch(t, t->num_dims, first_element, t->dims, strides, to, VX_READ_ONLY, VX_MEMORY_TYPE_HOST) : VX_SUCCESS;
}

static void get_tensor(struct ix_reader *r, vx_reference ref)
{
	vx_tensor t = (vx_tensor)ref;
	vx_size strides[TENSOR_DIMS_MAX];
	const void *from = ix_bytes(r, tensor_packed(t, strides));
	const vx_status status = from ? vxCopyTensorPatch(t, t->num_dims, first_element, t->dims, strides, (void *)(uintptr_t)from, VX_WRITE_ONLY,
							  VX_MEMORY_TYPE_HOST)
				      : VX_SUCCESS;
	if (status)
		ix_refuse(r, status, "the elements of a tensor cannot be written");
}

/* ---- the types ---- */
static const struct ix_kind kinds[] = {
	{.type = VX_TYPE_IMAGE, .create = create_image, .put_settings = ix_image_put_settings, .get_settings = ix_image_get_settings,
	 .put_values = ix_image_put_values, .get_values = ix_image_get_values},
	{.type = VX_TYPE_TENSOR, .create = create_tensor, .put_values = put_tensor, .get_values = get_tensor},
	{.type = VX_TYPE_ARRAY, .create = create_array, .put_values = put_array, .get_values = get_array},
	{.type = VX_TYPE_THRESHOLD, .create = create_threshold, .put_values = put_threshold, .get_values = get_threshold},
	{.type = VX_TYPE_CONVOLUTION, .create = create_convolution, .put_settings = put_convolution, .get_settings = get_convolution,
	 .store = offsetof(struct _vx_convolution, store)},
	{.type = VX_TYPE_SCALAR, .create = create_scalar, .store = offsetof(struct _vx_scalar, store)},
	{.type = VX_TYPE_MATRIX, .create = create_matrix, .store = offsetof(struct _vx_matrix, store)},
	{.type = VX_TYPE_LUT, .create = create_lut, .store = offsetof(struct _vx_lut, store)},
	{.type = VX_TYPE_DISTRIBUTION, .create = create_distribution, .store = offsetof(struct _vx_distribution, store)},
	{.type = VX_TYPE_REMAP, .create = create_remap, .store = offsetof(struct _vx_remap, store)},
	{.type = VX_TYPE_USER_DATA_OBJECT, .create = create_user_data, .store = offsetof(struct _vx_user_data_object, store)},
	{.type = VX_TYPE_PYRAMID, .create = create_pyramid},
	/* made from what they are made of: ix_objects.c */
	{.type = VX_TYPE_OBJECT_ARRAY, .create = NULL},
	{.type = VX_TYPE_DELAY, .create = NULL},
};

const struct ix_kind *ix_kind_of(vx_enum type)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

/* ---- data of any type ---- */
static struct store *store_of(const struct ix_kind *k, vx_reference ref)
{
	return k->store ? (struct store *)(void *)((char *)ref + k->store) : NULL;
}

static vx_status put_store(struct ix_writer *w, struct store *s, vx_reference ref)
{
	void *to = ix_put_room(w, s->size);
	return to ? store_read(ref->context, s, 0, to, s->size) : VX_SUCCESS;
}

/* Whether there is anything but zeros: somebody has written, or could have. */
static bool written(const struct ix_kind *k, vx_reference ref)
{
	const struct store *s = store_of(k, ref);
	if (s)
		return s->mem || s->host;
	if (ref->type == VX_TYPE_TENSOR)
		return tensor_root((vx_tensor)ref)->mem;
	return k->put_values;
}

vx_status ix_put_values(struct ix_writer *w, const struct ix_kind *k, vx_reference ref)
{
	const size_t at = w->size;
	struct store *s = store_of(k, ref);
	vx_status status = VX_SUCCESS;
	ix_put_u64(w, 0);
	if (written(k, ref))
		status = s ? put_store(w, s, ref) : k->put_values(w, ref);
	/* now the length is known */
	const size_t end = w->size;
	w->size = at;
	if (!w->failed)
		ix_put_u64(w, end - at - sizeof(vx_uint64));
	w->size = end;
	return status;
}

void ix_get_values(struct ix_reader *r, const struct ix_kind *k, vx_reference ref)
{
	const vx_uint64 length = ix_u64(r);
	struct store *s = store_of(k, ref);
	if (r->status || !length)
		return;
	const size_t begin = r->at;
	if (s) {
		const void *from = length == s->size ? ix_bytes(r, length) : NULL;
		const vx_status status = from ? store_write(ref->context, s, 0, from, s->size) : VX_SUCCESS;
		if (status)
			ix_refuse(r, status, "%zu bytes of data cannot be written", s->size);
	} else if (k->get_values) {
		k->get_values(r, ref);
	}
	if (!r->status && r->at - begin != length)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%llu bytes of data of %s, which has not so many", (unsigned long long)length,
			  type_name(ref->type));
}

/* ---- meta data ---- */
void ix_put_meta(struct ix_writer *w, const struct _vx_meta_format *m)
{
	const struct meta_field *f;
	for (unsigned i = 0; (f = meta_field(m->type, i)); i++) {
		ix_put_u32(w, (vx_uint32)f->attribute);
		for (unsigned k = 0; k < f->count; k++)
			ix_put_integer(w, (const char *)m + f->offset + k * (f->size / f->count), f->size / f->count);
	}
}

void ix_get_meta(struct ix_reader *r, vx_enum type, struct _vx_meta_format *m)
{
	const struct meta_field *f;
	*m = (struct _vx_meta_format){.type = type};
	for (unsigned i = 0; (f = meta_field(type, i)) && !r->status; i++) {
		const vx_uint32 attribute = ix_u32(r);
		if (attribute != (vx_uint32)f->attribute)
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "attribute 0x%x of %s, where 0x%x follows", attribute, type_name(type),
				  (vx_uint32)f->attribute);
		for (unsigned k = 0; k < f->count; k++)
			ix_integer(r, (char *)m + f->offset + k * (f->size / f->count), f->size / f->count);
	}
	if (type == VX_TYPE_USER_DATA_OBJECT)
		m->user_data.name[sizeof m->user_data.name - 1] = 0;
	if (type == VX_TYPE_TENSOR && m->tensor.num_dims > TENSOR_DIMS_MAX)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a tensor of %zu dimensions", m->tensor.num_dims);
}
