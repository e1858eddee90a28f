/* What the kernels of tensor.cl have in common. */
#ifndef GALENA_RUNTIME_OPENVX_VISION_TENSOR_H
#define GALENA_RUNTIME_OPENVX_VISION_TENSOR_H
#include "runtime/openvx/check.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/launch.h"

#define TENSOR_OPTIONS "-cl-fp32-correctly-rounded-divide-sqrt" /* of the build of tensor.cl */

/* A tensor with what its kernel needs to walk over all elements: two arguments. */
void arg_walked(struct launch *, vx_tensor);

/* ---- parameters that are the item of an array ---- */
vx_status want_item(struct check *, unsigned index, vx_array, vx_enum type);
vx_status item_read(vx_array, void *to, size_t size);
#endif
