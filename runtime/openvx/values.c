/* Plain values as parameters of nodes. */
#include "runtime/openvx/values.h"

vx_reference value_scalar(vx_reference of, vx_enum type, const void *value)
{
	vx_context context = vxGetContext(of);
	return context && value ? (vx_reference)vxCreateScalar(context, type, value) : NULL;
}

vx_reference value_array(vx_reference of, vx_enum item_type, const void *item, vx_size size)
{
	vx_context context = vxGetContext(of);
	vx_array array = context && item ? vxCreateArray(context, item_type, 1) : NULL;
	if (array && !vxGetStatus((vx_reference)array))
		vxAddArrayItems(array, 1, item, size);
	return (vx_reference)array;
}

void value_end(vx_reference *value)
{
	if (*value && !vxGetStatus(*value))
		vxReleaseReference(value);
}
