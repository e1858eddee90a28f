/* Tensors: what the files of the type have in common. */
#ifndef GALENA_RUNTIME_OPENVX_TENSOR_H
#define GALENA_RUNTIME_OPENVX_TENSOR_H
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/map.h"

struct place;

/* ---- sizes ---- */
size_t tensor_element(const struct _vx_tensor_t *); /* bytes */
size_t tensor_bytes(const struct _vx_tensor_t *);   /* from the first element to behind the last; 0: a size is not known */
/* The same of a shape; 0: elements overlap, or lie further apart than there is memory. */
size_t shape_bytes(vx_size num_dims, const vx_size *dims, const vx_size *strides, size_t element);
/* A prototype for tensor_class.check(). VX_SUCCESS, or the status of a log entry: there are no dims. */
vx_status tensor_prototype(struct _vx_context *, vx_size num_dims, const vx_size *dims, vx_enum type, vx_int8 fixed_point_position,
			   struct _vx_tensor_t *out);

/* ---- parts ---- */
/* vxCopyTensorPatch, vxMapTensorPatch, vxCreateTensorFromView: dimensions of the tensor, in each a range that is not empty. Of
 * higher dimensions it is the first element. */
vx_status tensor_check_range(vx_tensor, const char *function, vx_size num_dims, const vx_size *start, const vx_size *end);
struct block tensor_block(const struct _vx_tensor_t *, vx_size num_dims, const vx_size *start, const vx_size *end);
vx_reference tensor_parent(const void *tensor);
void tensor_place(const void *tensor, struct place *);

/* ---- handles ---- */
/* What the device has written is in the application's memory once the buffer has been mapped; waits. */
vx_status tensor_give_back(vx_tensor);
#endif
