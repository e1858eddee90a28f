/* The functions of vxu.h: those that the table of kernels gives, and those whose parameters differ from their kernel's. */
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

VX_API_ENTRY vx_status VX_API_CALL vxuMultiply(vx_context c, vx_image in1, vx_image in2, vx_float32 scale, vx_enum overflow_policy, vx_enum rounding_policy,
							  vx_image out)
{
	vx_reference s = value_scalar((vx_reference)c, VX_TYPE_FLOAT32, &scale), o = value_scalar((vx_reference)c, VX_TYPE_ENUM, &overflow_policy),
		     r = value_scalar((vx_reference)c, VX_TYPE_ENUM, &rounding_policy);
	const vx_status status = immediate(c, VX_KERNEL_MULTIPLY, (const vx_reference[]){(vx_reference)in1, (vx_reference)in2, s, o, r, (vx_reference)out}, 6);
	value_end(&s);
	value_end(&o);
	value_end(&r);
	return status;
}

VX_API_ENTRY vx_status VX_API_CALL vxuConvertDepth(vx_context c, vx_image input, vx_image output, vx_enum policy, vx_int32 shift)
{
	vx_reference p = value_scalar((vx_reference)c, VX_TYPE_ENUM, &policy), s = value_scalar((vx_reference)c, VX_TYPE_INT32, &shift);
	const vx_status status = immediate(c, VX_KERNEL_CONVERTDEPTH, (const vx_reference[]){(vx_reference)input, (vx_reference)output, p, s}, 4);
	value_end(&p);
	value_end(&s);
	return status;
}

VX_API_ENTRY vx_status VX_API_CALL vxuTensorTranspose(vx_context c, vx_tensor input, vx_tensor output, vx_size dimension1, vx_size dimension2)
{
	vx_reference a = value_scalar((vx_reference)c, VX_TYPE_SIZE, &dimension1), b = value_scalar((vx_reference)c, VX_TYPE_SIZE, &dimension2);
	const vx_status status = immediate(c, VX_KERNEL_TENSOR_TRANSPOSE, (const vx_reference[]){(vx_reference)input, a, b, (vx_reference)output}, 4);
	value_end(&a);
	value_end(&b);
	return status;
}

VX_API_ENTRY vx_status VX_API_CALL vxuTensorMatrixMultiply(vx_context c, vx_tensor input1, vx_tensor input2, vx_tensor input3,
								      const vx_tensor_matrix_multiply_params_t *params, vx_tensor output)
{
	vx_reference t1 = value_scalar((vx_reference)c, VX_TYPE_BOOL, params ? &params->transpose_input1 : NULL),
		     t2 = value_scalar((vx_reference)c, VX_TYPE_BOOL, params ? &params->transpose_input2 : NULL),
		     t3 = value_scalar((vx_reference)c, VX_TYPE_BOOL, params ? &params->transpose_input3 : NULL);
	const vx_status status = immediate(c, VX_KERNEL_TENSOR_MATRIX_MULTIPLY,
					   (const vx_reference[]){(vx_reference)input1, (vx_reference)input2, (vx_reference)input3, t1, t2, t3, (vx_reference)output}, 7);
	value_end(&t1);
	value_end(&t2);
	value_end(&t3);
	return status;
}

/* As vxHOGFeaturesNode(). */
VX_API_ENTRY vx_status VX_API_CALL vxuHOGFeatures(vx_context c, vx_image input, vx_tensor magnitudes, vx_tensor bins, const vx_hog_t *params,
							     vx_size hog_param_size, vx_tensor features)
{
	(void)hog_param_size;
	vx_reference item = value_array((vx_reference)c, VX_TYPE_HOG_PARAMS, params, sizeof *params);
	const vx_status status = immediate(c, VX_KERNEL_HOG_FEATURES,
					   (const vx_reference[]){(vx_reference)input, (vx_reference)magnitudes, (vx_reference)bins, item, (vx_reference)features}, 5);
	value_end(&item);
	return status;
}
