/* Parameters of node functions that are plain values: as the scalars and arrays that kernels take. Functions of the public API
 * alone, so that libvxu.so has them, too. */
#ifndef GALENA_RUNTIME_OPENVX_VALUES_H
#define GALENA_RUNTIME_OPENVX_VALUES_H
#include <VX/vx.h>
/* In the context of an object; NULL when that is none, or there is no value. */
vx_reference value_scalar(vx_reference of, vx_enum type, const void *value);
vx_reference value_array(vx_reference of, vx_enum item_type, const void *item, vx_size size); /* of one item */
void value_end(vx_reference *);
#endif
