/* OpenVX 1.3. */
#ifndef OPENVX_VX_H
#define OPENVX_VX_H
#define VX_MAX_IMPLEMENTATION_NAME 0x00000040
#define VX_MAX_KERNEL_NAME 0x00000100
#define VX_MAX_LOG_MESSAGE_LEN 0x00000400
#define VX_MAX_REFERENCE_NAME 0x00000040
#define VX_VERSION_1_0 0x00000100
#define VX_VERSION_1_1 0x00000101
#define VX_VERSION_1_2 0x00000102
#define VX_VERSION_1_3 0x00000103
#define VX_VERSION 0x00000103

#include "vx_vendors.h"
#include "vx_types.h"
#include "vx_kernels.h"
#include "vx_api.h"
#include "vx_nodes.h"
#endif
