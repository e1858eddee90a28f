/* vx_khr_ix: export of objects to memory. */
#ifndef OPENVX_VX_KHR_IX_H
#define OPENVX_VX_KHR_IX_H
#include "vx.h"
#include "vx_import.h"

#ifdef __cplusplus
extern "C" {
#endif

VX_API_ENTRY vx_status VX_API_CALL vxExportObjectsToMemory(vx_context context, vx_size numrefs, const vx_reference *refs, const vx_enum *uses, const vx_uint8 **ptr, vx_size *length);
VX_API_ENTRY vx_status VX_API_CALL vxReleaseExportedMemory(vx_context context, const vx_uint8 **ptr);

#ifdef __cplusplus
}
#endif
#endif
