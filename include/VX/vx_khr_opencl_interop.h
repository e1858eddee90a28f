/* vx_khr_opencl_interop 1.0: contexts, queues and buffers that OpenVX and OpenCL share. */
#ifndef OPENVX_VX_KHR_OPENCL_INTEROP_H
#define OPENVX_VX_KHR_OPENCL_INTEROP_H
#include "vx.h"
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name of the extension, as VX_CONTEXT_EXTENSIONS lists it */
#define OPENVX_KHR_OPENCL_INTEROP "vx_khr_opencl_interop"

#define VX_MEMORY_TYPE_OPENCL_BUFFER 0x0000E002
#define VX_CONTEXT_CL_CONTEXT 0x0008010F
#define VX_CONTEXT_CL_COMMAND_QUEUE 0x00080110
#define VX_NODE_CL_COMMAND_QUEUE 0x00080309
#define VX_KERNEL_USE_OPENCL 0x00080404

VX_API_ENTRY vx_context VX_API_CALL vxCreateContextFromCL(cl_context opencl_context, cl_command_queue opencl_command_queue);

#ifdef __cplusplus
}
#endif
#endif
