/* A layer, as a loader puts between an application and the drivers (OPENCL_LAYERS): says which calls of three functions go
 * through it, and passes them on. */
#define CL_TARGET_OPENCL_VERSION 300
#include "include/galena/api.h"
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <stdio.h>
#include <string.h>

static const struct _cl_icd_dispatch *below;
static struct _cl_icd_dispatch table;

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
	fprintf(stderr, "layer: clCreateBuffer\n");
	return below->clCreateBuffer(context, flags, size, host, code);
}

static cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
				  const size_t *local, cl_uint count, const cl_event *wait, cl_event *event)
{
	fprintf(stderr, "layer: clEnqueueNDRangeKernel\n");
	return below->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, wait, event);
}

static void *CL_API_CALL address(cl_platform_id platform, const char *name)
{
	fprintf(stderr, "layer: clGetExtensionFunctionAddressForPlatform\n");
	return below->clGetExtensionFunctionAddressForPlatform(platform, name);
}

GALENA_API cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *size_ret)
{
	static const char name[] = "calls";
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	const void *answer = what == CL_LAYER_API_VERSION ? (const void *)&version : name;
	const size_t bytes = what == CL_LAYER_API_VERSION ? sizeof version : sizeof name;
	if ((what != CL_LAYER_API_VERSION && what != CL_LAYER_NAME) || (value && size < bytes))
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, answer, bytes);
	if (size_ret)
		*size_ret = bytes;
	return CL_SUCCESS;
}

GALENA_API cl_int CL_API_CALL clInitLayer(cl_uint count, const struct _cl_icd_dispatch *target, cl_uint *count_ret,
					    const struct _cl_icd_dispatch **ours)
{
	if (!target || !count_ret || !ours || count < sizeof table / sizeof(void *))
		return CL_INVALID_VALUE;
	below = target;
	table = *target;
	table.clCreateBuffer = create_buffer;
	table.clEnqueueNDRangeKernel = enqueue;
	table.clGetExtensionFunctionAddressForPlatform = address;
	*ours = &table;
	*count_ret = sizeof table / sizeof(void *);
	return CL_SUCCESS;
}

/* As loaders have it that also take their layers down again. */
cl_int CL_API_CALL clInitLayerWithProperties(cl_uint, const struct _cl_icd_dispatch *, cl_uint *, const struct _cl_icd_dispatch **,
					     const cl_properties *);
GALENA_API cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count, const struct _cl_icd_dispatch *target, cl_uint *count_ret,
							const struct _cl_icd_dispatch **ours, const cl_properties *properties)
{
	(void)properties;
	return clInitLayer(count, target, count_ret, ours);
}
