/* vx_khr_ix 1.1, the part that imports: objects that another process, or this one, has exported. */
#ifndef OPENVX_VX_IMPORT_H
#define OPENVX_VX_IMPORT_H
#include "vx.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VX_ENUM_IX_USE 0x18
#define VX_IX_USE_APPLICATION_CREATE 0x00018000
#define VX_IX_USE_EXPORT_VALUES 0x00018001
#define VX_IX_USE_NO_EXPORT_VALUES 0x00018002
#define VX_TYPE_IMPORT 0x00000814

typedef struct _vx_import *vx_import;

VX_API_ENTRY vx_import VX_API_CALL vxImportObjectsFromMemory(vx_context context, vx_size numrefs, vx_reference *refs, const vx_enum *uses, const vx_uint8 *ptr, vx_size length);
VX_API_ENTRY vx_status VX_API_CALL vxReleaseImport(vx_import *import);
VX_API_ENTRY vx_reference VX_API_CALL vxGetImportReferenceByName(vx_import import, const vx_char *name);

#ifdef __cplusplus
}
#endif
#endif
