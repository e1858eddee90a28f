/* Tensors (OpenVX 1.3, vx_tensor). */
#include "runtime/openvx/tensor.h"
#include "runtime/openvx/check.h"
#include "runtime/openvx/choice.h"
#include "runtime/openvx/ix.h"
#include "runtime/openvx/overlap.h"
#include <string.h>

size_t tensor_element(const struct _vx_tensor_t *t) { return type_size(t->reference.context, t->data_type); }

vx_tensor tensor_root(vx_tensor t)
{
	while (t->parent)
		t = t->parent;
	return t;
}

/* ---- sizes ---- */
/* Bytes from the first element to behind the last; 0: elements overlap, or lie further apart than there is memory. */
size_t shape_bytes(vx_size num_dims, const vx_size *dims, const vx_size *strides, size_t element)
{
	size_t span = element, reach;
	for (vx_size i = 0; i < num_dims; i++) {
		if (!strides[i] || (dims[i] > 1 && strides[i] < span))
			return 0;
		if (__builtin_mul_overflow(strides[i], dims[i] - 1, &reach) || __builtin_add_overflow(span, reach, &span))
			return 0;
	}
	return span <= PTRDIFF_MAX ? span : 0;
}

size_t tensor_bytes(const struct _vx_tensor_t *t) { return shape_bytes(t->num_dims, t->dims, t->strides, tensor_element(t)); }

/* Of elements one behind the other. Bytes of all; SIZE_MAX: too many. */
static size_t pack(vx_size num_dims, const vx_size *dims, size_t element, vx_size *strides)
{
	size_t bytes = element;
	for (vx_size i = 0; i < num_dims; i++) {
		strides[i] = bytes;
		if (__builtin_mul_overflow(bytes, dims[i], &bytes) || bytes > PTRDIFF_MAX)
			return SIZE_MAX;
	}
	return bytes;
}

/* ---- memory ---- */
vx_status tensor_allocate(vx_tensor t)
{
	struct _vx_tensor_t *root = tensor_root(t);
	const size_t bytes = tensor_bytes(root);
	if (!root->mem && root->memory != VX_MEMORY_TYPE_NONE)
		return fail(t, VX_ERROR_NOT_ALLOCATED, "a tensor from a handle has no memory now: vxSwapTensorHandle");
	FAIL_IF(!bytes, t, VX_ERROR_NOT_ALLOCATED, "a virtual tensor has no size yet");
	if (!root->mem)
		root->mem = device_buffer(&t->reference.context->device, bytes);
	t->mem = root->mem;
	return t->mem ? VX_SUCCESS : fail(t, VX_ERROR_NO_MEMORY, "no memory for a tensor of %zu bytes", bytes);
}

/* ---- the class ---- */
vx_status tensor_prototype(struct _vx_context *c, vx_size num_dims, const vx_size *dims, vx_enum type, vx_int8 fixed_point_position,
			   struct _vx_tensor_t *out)
{
	*out = (struct _vx_tensor_t){.num_dims = num_dims, .data_type = type, .fixed_point_position = fixed_point_position};
	if (!num_dims || num_dims > TENSOR_DIMS_MAX)
		return VX_SUCCESS; /* for tensor_check() */
	FAIL_IF(!dims, c, VX_ERROR_INVALID_PARAMETERS, "a tensor without the sizes of its %zu dimensions", num_dims);
	memcpy(out->dims, dims, num_dims * sizeof *dims);
	return VX_SUCCESS;
}

static vx_status tensor_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_tensor_t *p = prototype;
	struct _vx_context *c = scope->context;
	vx_size strides[TENSOR_DIMS_MAX];
	/* vxCreateVirtualTensor: sizes, and the type, may be left open */
	const bool may_be_open = scope->type == VX_TYPE_GRAPH;
	/* vxCreateTensor: as many dimensions as VX_CONTEXT_MAX_TENSOR_DIMS allows, none of them empty */
	if (p->num_dims > TENSOR_DIMS_MAX || (!p->num_dims && !may_be_open))
		return fail(c, VX_ERROR_INVALID_DIMENSION, "a tensor of %zu dimensions", p->num_dims);
	for (vx_size i = 0; i < p->num_dims; i++)
		FAIL_IF(!p->dims[i] && !may_be_open, c, VX_ERROR_INVALID_DIMENSION, "a tensor whose dimension %zu is empty", i);
	/* vxCreateTensor: numbers that kernels of tensors know */
	if (p->data_type != VX_TYPE_UINT8 && p->data_type != VX_TYPE_INT8 && p->data_type != VX_TYPE_INT16 &&
	    (p->data_type != VX_TYPE_INVALID || !may_be_open))
		return fail(c, VX_ERROR_INVALID_TYPE, "a tensor of type 0x%x", p->data_type);
	if (pack(p->num_dims, p->dims, type_size(c, p->data_type), strides) == SIZE_MAX)
		return fail(c, VX_ERROR_INVALID_DIMENSION, "a tensor of more bytes than there is memory");
	return VX_SUCCESS;
}

static bool tensor_init(void *object)
{
	struct _vx_tensor_t *t = object;
	memset(t->dims + t->num_dims, 0, (TENSOR_DIMS_MAX - t->num_dims) * sizeof *t->dims);
	pack(t->num_dims, t->dims, tensor_element(t), t->strides);
	t->memory = VX_MEMORY_TYPE_NONE;
	return true;
}

static void tensor_destroy(void *object)
{
	struct _vx_tensor_t *t = object;
	if (t->parent) {
		if (object_known(t->parent)) {
			maps_drop(&t->reference, &tensor_root(t)->maps);
			object_unuse(&t->parent->reference);
		}
		return;
	}
	maps_drop(&t->reference, &t->maps);
	if (t->memory == VX_MEMORY_TYPE_HOST)
		tensor_give_back(t); /* the application may free what it gave */
	device_release(&t->reference.context->device, t->mem);
}

/* ---- what verification finds ---- */
static bool tensor_is_open(const void *object)
{
	const struct _vx_tensor_t *t = object;
	bool open = !t->num_dims || t->data_type == VX_TYPE_INVALID;
	for (vx_size i = 0; i < t->num_dims; i++)
		open = open || !t->dims[i];
	return open;
}

/* What differs is refused where it is compared. */
static vx_status tensor_define(void *object, const void *prototype)
{
	struct _vx_tensor_t *t = object;
	const struct _vx_tensor_t *p = prototype;
	if (!t->reference.is_virtual || t->parent || t->mem)
		return VX_SUCCESS;
	if (t->data_type == VX_TYPE_INVALID) {
		t->data_type = p->data_type;
		t->fixed_point_position = p->fixed_point_position;
	}
	if (!t->num_dims)
		t->num_dims = p->num_dims;
	for (vx_size i = 0; i < t->num_dims && i < p->num_dims; i++)
		if (!t->dims[i])
			t->dims[i] = p->dims[i];
	pack(t->num_dims, t->dims, tensor_element(t), t->strides);
	return VX_SUCCESS;
}

static bool has_views(const struct _vx_tensor_t *t)
{
	const struct _vx_reference *ref = LIST_FIRST(&t->reference.context->objects);
	while (ref && (ref->type != VX_TYPE_TENSOR || ((const struct _vx_tensor_t *)ref)->parent != t))
		ref = LIST_NEXT(ref, of_context);
	return ref != NULL;
}

static void tensor_undefine(void *object)
{
	struct _vx_tensor_t *t = object;
	if (t->parent || has_views(t) || !meta_restore(&t->reference))
		return;
	device_release(&t->reference.context->device, t->mem);
	t->mem = NULL;
	pack(t->num_dims, t->dims, tensor_element(t), t->strides);
}

static vx_status tensor_gives(struct check *c, unsigned index, const void *like, const void *output)
{
	(void)output;
	return gives_tensor(c, index, like);
}

/* ---- memory ---- */
static bool tensor_extent(const void *object, unsigned index, struct extent *out)
{
	const struct _vx_tensor_t *t = tensor_root((vx_tensor)(uintptr_t)object);
	size_t bytes = 0;
	for (vx_size i = 0; i < t->num_dims; i++)
		bytes = bytes > t->dims[i] * t->strides[i] ? bytes : t->dims[i] * t->strides[i];
	*out = (struct extent){.owner = t, .memory = t->memory, .mem = t->mem, .host = t->host, .offset = t->offset, .bytes = bytes};
	return !index;
}

static size_t tensor_elements(const void *object)
{
	const struct _vx_tensor_t *t = object;
	size_t elements = 1;
	for (vx_size i = 0; i < t->num_dims; i++)
		elements *= t->dims[i];
	return elements;
}

static void tensor_target(void *object, struct map_target *out)
{
	struct _vx_tensor_t *root = tensor_root(object);
	*out = (struct map_target){object, root->mem, tensor_bytes(root), &root->maps};
}

static vx_status allocate(void *object) { return tensor_allocate(object); }

/* ---- exports: all elements, one behind the other ---- */
static const vx_size first_element[TENSOR_DIMS_MAX];

static unsigned tensor_origin(const void *object) { return ((const struct _vx_tensor_t *)object)->parent ? IX_VIEW : IX_OWN; }

static vx_status tensor_put_values(struct ix_writer *w, void *object)
{
	struct _vx_tensor_t *t = object;
	vx_size strides[TENSOR_DIMS_MAX];
	/* without a buffer nothing has been written */
	void *to = tensor_root(t)->mem ? ix_put_room(w, pack(t->num_dims, t->dims, tensor_element(t), strides)) : NULL;
	return to ? vxCopyTensorPatch(t, t->num_dims, first_element, t->dims, strides, to, VX_READ_ONLY, VX_MEMORY_TYPE_HOST) : VX_SUCCESS;
}

static void tensor_get_values(struct ix_reader *r, void *object)
{
	struct _vx_tensor_t *t = object;
	vx_size strides[TENSOR_DIMS_MAX];
	void *from = (void *)(uintptr_t)ix_bytes(r, pack(t->num_dims, t->dims, tensor_element(t), strides));
	const vx_status status =
		from ? vxCopyTensorPatch(t, t->num_dims, first_element, t->dims, strides, from, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST) : VX_SUCCESS;
	if (status)
		ix_refuse(r, status, "the elements of a tensor cannot be written");
}

static void tensor_accept(struct ix_reader *r, void *prototype)
{
	const vx_size num_dims = ((const struct _vx_tensor_t *)prototype)->num_dims;
	if (num_dims > TENSOR_DIMS_MAX)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a tensor of %zu dimensions", num_dims);
}

static const struct object_attribute attributes[] = {
	{META(VX_TENSOR_NUMBER_OF_DIMS, _vx_tensor_t, num_dims, DIMENSION)},
	{META(VX_TENSOR_DIMS, _vx_tensor_t, dims, DIMENSION), .count = TENSOR_DIMS_MAX, .used = offsetof(struct _vx_tensor_t, num_dims)},
	{META(VX_TENSOR_DATA_TYPE, _vx_tensor_t, data_type, TYPE)},
	{META(VX_TENSOR_FIXED_POINT_POSITION, _vx_tensor_t, fixed_point_position, TYPE)},
};

const struct object_class tensor_class = {
	.type = VX_TYPE_TENSOR, .name = "a tensor", .size = OBJECT_SIZE(_vx_tensor_t), ATTRIBUTES(attributes),
	.check = tensor_check, .init = tensor_init, .destroy = tensor_destroy,
	.is_open = tensor_is_open, .define = tensor_define, .undefine = tensor_undefine,
	.allocate = allocate, .target = tensor_target, .extent = tensor_extent, .place = tensor_place, .elements = tensor_elements,
	.parent = tensor_parent,
	.gives = tensor_gives, .choose = choose_tensor,
	.origin = tensor_origin, .put_values = tensor_put_values, .get_values = tensor_get_values, .accept = tensor_accept,
};

/* ---- the API ---- */
VX_API_ENTRY VX_EXPORT vx_tensor VX_API_CALL vxCreateTensor(vx_context c, vx_size number_of_dims, const vx_size *dims, vx_enum data_type,
							    vx_int8 fixed_point_position)
{
	struct _vx_tensor_t prototype;
	if (!object_is(c, VX_TYPE_CONTEXT))
		return NULL;
	const vx_status status = tensor_prototype(c, number_of_dims, dims, data_type, fixed_point_position, &prototype);
	return status ? refused(c, status) : data_new(c, &tensor_class, &prototype);
}

VX_API_ENTRY VX_EXPORT vx_tensor VX_API_CALL vxCreateVirtualTensor(vx_graph graph, vx_size number_of_dims, const vx_size *dims, vx_enum data_type,
								   vx_int8 fixed_point_position)
{
	struct _vx_tensor_t prototype;
	if (!object_is(graph, VX_TYPE_GRAPH))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	const vx_status status = tensor_prototype(c, number_of_dims, dims, data_type, fixed_point_position, &prototype);
	return status ? refused(c, status) : data_new_virtual(graph, &tensor_class, &prototype);
}

CLASS_RELEASE(vxReleaseTensor, tensor)
CLASS_QUERY(vxQueryTensor, tensor)

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyTensorPatch(vx_tensor t, vx_size number_of_dims, const vx_size *view_start,
							       const vx_size *view_end, const vx_size *user_stride,
							       void *user_ptr, vx_enum usage, vx_enum user_memory_type)
{
	ENTER(t, VX_TYPE_TENSOR);
	TRY(copy_check(&t->reference, "vxCopyTensorPatch", user_ptr, usage, user_memory_type));
	FAIL_IF(!view_start || !view_end || !user_stride, t, VX_ERROR_INVALID_PARAMETERS, "vxCopyTensorPatch: no range, or no strides");
	TRY(tensor_check_range(t, "vxCopyTensorPatch", number_of_dims, view_start, view_end));
	/* vxCopyTensorPatch: elements of the application's lie side by side */
	if (user_stride[0] != tensor_element(t))
		return fail(t, VX_ERROR_INVALID_PARAMETERS,
			      "vxCopyTensorPatch: a first stride of %zu bytes, where an element has %zu", user_stride[0],
			      tensor_element(t));
	const struct block block = tensor_block(t, number_of_dims, view_start, view_end);
	return data_copy(&t->reference, &block, user_stride, user_ptr, usage, user_memory_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapTensorPatch(vx_tensor t, vx_size number_of_dims, const vx_size *view_start,
							      const vx_size *view_end, vx_map_id *map_id, vx_size *stride,
							      void **ptr, vx_enum usage, vx_enum mem_type)
{
	ENTER(t, VX_TYPE_TENSOR);
	/* vxMapTensorPatch: without a range it is all of the tensor */
	const vx_size *start = view_start ? view_start : first_element, *end = view_end ? view_end : t->dims;
	TRY(map_check(&t->reference, "vxMapTensorPatch", map_id, ptr, usage, mem_type));
	FAIL_IF(!stride, t, VX_ERROR_INVALID_PARAMETERS, "vxMapTensorPatch: no room for strides");
	TRY(tensor_check_range(t, "vxMapTensorPatch", number_of_dims, start, end));
	const struct block block = tensor_block(t, number_of_dims, start, end);
	TRY(data_map(&t->reference, &block, usage, mem_type, map_id, ptr));
	map_strides(&block, mem_type, stride);
	return VX_SUCCESS;
}

CLASS_UNMAP(vxUnmapTensorPatch, tensor)
