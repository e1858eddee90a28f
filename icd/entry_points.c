/* What the ICD loader finds in the library: cl_khr_icd 2.0, and 1.0 for loaders that do not know it. Those call everything else
 * through the dispatch table, others through a table of their own, for which they ask for functions by name. */
#include "runtime/opencl/objects.h"
#include <string.h>

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

static void *find(const struct function *f, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++)
		if (!strcmp(f[i].name, name))
			return f[i].address;
	return NULL;
}

static void *CL_API_CALL icd_function_address(cl_platform_id platform, const char *name)
{
	return PLATFORM_VALID(platform) ? find(entries, sizeof entries / sizeof *entries, name) : NULL;
}

/* of extensions, and what loaders look for; the platforms of cl_khr_icd are those of this library alone */
static const struct function functions[] = {
	{"clIcdGetPlatformIDsKHR", (void *)galena_clGetPlatformIDs},
	{"clIcdGetFunctionAddressForPlatformKHR", (void *)icd_function_address},
	{"clIcdSetPlatformDispatchDataKHR", (void *)platform_set_dispatch_data},
	{"clGetPlatformInfo", (void *)galena_clGetPlatformInfo},
	{"clGetExtensionFunctionAddress", (void *)galena_clGetExtensionFunctionAddress},
#define ENTRY(name)
#define ENTRY_VOID(type, name)
#define EXTENSION_ENTRY(name) {#name, (void *)galena_##name},
#include "icd/entry_points.def"
};

void *CL_API_CALL galena_clGetExtensionFunctionAddress(const char *name) { return find(functions, sizeof functions / sizeof *functions, name); }

void *CL_API_CALL galena_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
	return PLATFORM_VALID(platform) ? galena_clGetExtensionFunctionAddress(name) : NULL;
}

/* ---- exported (icd/libgalena-opencl.map) ---- */

#pragma GCC visibility push(default)

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name);
cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size, void *param_value,
				     size_t *param_value_size_ret);
cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);
void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *func_name);
cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data);

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) { return galena_clGetExtensionFunctionAddress(name); }

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size, void *param_value,
				     size_t *param_value_size_ret)
{
	return galena_clGetPlatformInfo(platform, param_name, param_value_size, param_value, param_value_size_ret);
}

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	return galena_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *func_name)
{
	return icd_function_address(platform, func_name);
}

cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data)
{
	return platform_set_dispatch_data(platform, dispatch_data);
}

#pragma GCC visibility pop
