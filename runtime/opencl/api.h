/* Prototypes of the API functions, galena_clCreateBuffer and so on, from the list of the ICD's
 * entry points. Applications reach them through the dispatch table only. */
#ifndef GALENA_RUNTIME_OPENCL_API_H
#define GALENA_RUNTIME_OPENCL_API_H
/* the table has the entries of every version */
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>
#include <CL/cl_va_api_media_sharing_intel.h>

/* cl_khr_external_semaphore_sync_fd */
cl_int CL_API_CALL clReImportSemaphoreSyncFdKHR(cl_semaphore_khr, cl_properties *reimport_props, int fd);

#define ENTRY(name) __typeof__(*(cl_api_##name)0) galena_##name;
#define ENTRY_VOID(type, name) type CL_API_CALL galena_##name(void);
#define EXTENSION_ENTRY(name) __typeof__(name) galena_##name;
#include "icd/entry_points.def"
#undef ENTRY
#undef ENTRY_VOID

/* cl_khr_icd 2.0, for headers before it */
#ifndef CL_ICD2_TAG_KHR
#define CL_ICD2_TAG_KHR ((intptr_t)0x4F50454E434C3331)
#endif

/* The one dispatch table: the first member of every object points at it (icd/dispatch.c). */
extern const struct _cl_icd_dispatch galena_dispatch;

#endif
