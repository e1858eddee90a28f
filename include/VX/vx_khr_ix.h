/* vx_khr_ix 1.1: objects and graphs that are written to memory, and made anew from it. */
#ifndef OPENVX_VX_KHR_IX_H
#define OPENVX_VX_KHR_IX_H
#include "vx_import.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OPENVX_KHR_IX "vx_khr_ix"

VX_API_ENTRY vx_status VX_API_CALL vxExportObjectsToMemory(vx_context context, vx_size numrefs, const vx_reference *refs, const vx_enum *uses, const vx_uint8 **ptr, vx_size *length);
VX_API_ENTRY vx_status VX_API_CALL vxReleaseExportedMemory(vx_context context, const vx_uint8 **ptr);

#ifdef __cplusplus
}
#endif
#endif
