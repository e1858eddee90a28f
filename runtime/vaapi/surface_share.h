/* Surfaces in memory of others, and by descriptors for others. */
#ifndef GALENA_RUNTIME_VAAPI_SURFACE_SHARE_H
#define GALENA_RUNTIME_VAAPI_SURFACE_SHARE_H
#include "runtime/vaapi/objects.h"
#include <va/va_drmcommon.h>

enum { SURFACE_MEMORY_TYPES = VA_SURFACE_ATTRIB_MEM_TYPE_VA | VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME | VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2 };
/* What vaCreateSurfaces is asked for. */
struct surface_info {
	uint32_t rt, width, height, memory_type;
	const struct format *format;
	const void *external;                     /* as the memory type has it */
	const VADRMFormatModifierList *modifiers; /* NULL: any */
};
bool modifiers_have_linear(const VADRMFormatModifierList *);
/* Layout and memory of surface index of count. */
VAStatus surface_import(struct display *, const struct surface_info *, unsigned index, unsigned count, struct surface *);

#endif
