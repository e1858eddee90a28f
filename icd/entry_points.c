/* What the ICD loader finds in the library: cl_khr_icd 2.0, and 1.0 for loaders that do not know it. Those call everything else
 * through the dispatch table, others through a table of their own, for which they ask for functions by name. */
#include "runtime/opencl/external.h"
#include "runtime/opencl/va.h"
#include <CL/cl_ext.h>
#include <string.h>

__typeof__(galena_clCreateCommandQueueWithProperties) galena_clCreateCommandQueueWithPropertiesKHR;
/* functions of extensions */
#define EXTENSION_FUNCTIONS(F)                     \
	F(clGetKernelSuggestedLocalWorkSizeKHR)    \
	F(clImportMemoryARM)                       \
	F(clCreateSemaphoreWithPropertiesKHR)      \
	F(clEnqueueWaitSemaphoresKHR)              \
	F(clEnqueueSignalSemaphoresKHR)            \
	F(clGetSemaphoreInfoKHR)                   \
	F(clRetainSemaphoreKHR)                    \
	F(clReleaseSemaphoreKHR)                   \
	F(clGetSemaphoreHandleForTypeKHR)          \
	F(clReImportSemaphoreSyncFdKHR)            \
	F(clEnqueueAcquireExternalMemObjectsKHR)   \
	F(clEnqueueReleaseExternalMemObjectsKHR)   \
	F(clGetDeviceIDsFromVA_APIMediaAdapterINTEL) \
	F(clCreateFromVA_APIMediaSurfaceINTEL)     \
	F(clEnqueueAcquireVA_APIMediaSurfacesINTEL) \
	F(clEnqueueReleaseVA_APIMediaSurfacesINTEL)
#define DECLARED(name) __typeof__(name) galena_##name;
EXTENSION_FUNCTIONS(DECLARED)

/* cl_khr_icd: the platforms of this library alone; clGetPlatformIDs with another error code */
static cl_int CL_API_CALL icd_platform_ids(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	return galena_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

static void *CL_API_CALL icd_function_address(cl_platform_id platform, const char *name)
{
	return PLATFORM_VALID(platform) ? galena_entry_address(name) : NULL;
}

static cl_int CL_API_CALL icd_set_dispatch_data(cl_platform_id platform, void *data) { return platform_set_dispatch_data(platform, data); }

struct function {
	const char *name;
	void *address;
};

/* of the table */
#define ENTRY(name) {#name, (void *)galena_##name},
#define ENTRY_VOID(type, name) ENTRY(name)
static const struct function entries[] = {
#include "icd/entry_points.def"
};
#undef ENTRY
#undef ENTRY_VOID

/* of extensions, and what loaders look for */
static const struct function functions[] = {
	{"clIcdGetPlatformIDsKHR", (void *)icd_platform_ids},
	{"clIcdGetFunctionAddressForPlatformKHR", (void *)icd_function_address},
	{"clIcdSetPlatformDispatchDataKHR", (void *)icd_set_dispatch_data},
	{"clGetPlatformInfo", (void *)galena_clGetPlatformInfo},
	{"clGetExtensionFunctionAddress", (void *)galena_clGetExtensionFunctionAddress},
	{"clCreateCommandQueueWithPropertiesKHR", (void *)galena_clCreateCommandQueueWithPropertiesKHR},
#define ADDRESS(name) {#name, (void *)galena_##name},
	EXTENSION_FUNCTIONS(ADDRESS)
};

static void *find(const struct function *f, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++)
		if (!strcmp(f[i].name, name))
			return f[i].address;
	return NULL;
}

void *galena_function_address(const char *name) { return find(functions, sizeof functions / sizeof *functions, name); }

void *galena_entry_address(const char *name) { return find(entries, sizeof entries / sizeof *entries, name); }

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
void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *func_name);
cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data);

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

void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *func_name)
{
	return icd_function_address(platform, func_name);
}

cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data)
{
	return icd_set_dispatch_data(platform, dispatch_data);
}

#pragma GCC visibility pop
