/* The functions of vxu.h: those that the table of kernels gives, and one that has something to give back. */
#include "runtime/openvx/values.h"
#include "runtime/vxu/immediate.h"
#include <VX/vxu.h>
#include "vxu_functions.inc"

VX_API_ENTRY vx_status VX_API_CALL vxuMeanStdDev(vx_context c, vx_image input, vx_float32 *mean, vx_float32 *stddev)
{
	const vx_float32 none = 0;
	/* what is left out, the kernel has no parameter for: it may be the deviation */
	vx_reference m = value_scalar((vx_reference)c, VX_TYPE_FLOAT32, mean ? &none : NULL), s = value_scalar((vx_reference)c, VX_TYPE_FLOAT32, stddev ? &none : NULL);
	vx_status status = immediate(c, VX_KERNEL_MEAN_STDDEV, (const vx_reference[]){(vx_reference)input, m, s}, 3);
	if (!status)
		status = vxCopyScalar((vx_scalar)m, mean, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
	if (!status && stddev)
		status = vxCopyScalar((vx_scalar)s, stddev, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
	value_end(&m);
	value_end(&s);
	return status;
}
