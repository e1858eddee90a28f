/* What the ICD loader finds in the library: cl_khr_icd 1.0. Everything else goes through the
 * dispatch table. */
#include "runtime/opencl/objects.h"
#include <CL/cl_ext.h>
#include <string.h>

__typeof__(galena_clCreateCommandQueueWithProperties) galena_clCreateCommandQueueWithPropertiesKHR;
__typeof__(clGetKernelSuggestedLocalWorkSizeKHR) galena_clGetKernelSuggestedLocalWorkSizeKHR;
__typeof__(clImportMemoryARM) galena_clImportMemoryARM;

/* cl_khr_icd: the platforms of this library alone; clGetPlatformIDs with another error code */
static cl_int CL_API_CALL icd_platform_ids(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	return galena_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

static const struct {
	const char *name;
	void *address;
} functions[] = {
	{"clIcdGetPlatformIDsKHR", (void *)icd_platform_ids},
	{"clGetPlatformInfo", (void *)galena_clGetPlatformInfo},
	{"clGetExtensionFunctionAddress", (void *)galena_clGetExtensionFunctionAddress},
	{"clCreateCommandQueueWithPropertiesKHR", (void *)galena_clCreateCommandQueueWithPropertiesKHR},
	{"clGetKernelSuggestedLocalWorkSizeKHR", (void *)galena_clGetKernelSuggestedLocalWorkSizeKHR},
	{"clImportMemoryARM", (void *)galena_clImportMemoryARM},
};

void *galena_function_address(const char *name)
{
	for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].address;
	return NULL;
}

void *CL_API_CALL galena_clGetExtensionFunctionAddress(const char *name) { return galena_function_address(name); }

void *CL_API_CALL galena_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
	return PLATFORM_VALID(platform) ? galena_function_address(name) : NULL;
}

/* ---- exported (icd/libgalena-opencl.map) ---- */

#pragma GCC visibility push(default)

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name);
cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size, void *param_value,
				     size_t *param_value_size_ret);
cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) { return galena_function_address(name); }

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size, void *param_value,
				     size_t *param_value_size_ret)
{
	return galena_clGetPlatformInfo(platform, param_name, param_value_size, param_value, param_value_size_ret);
}

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	return icd_platform_ids(num_entries, platforms, num_platforms);
}

#pragma GCC visibility pop
