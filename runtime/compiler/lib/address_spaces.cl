/* What a generic pointer points into (OpenCL C 3.0, 6.15.15 address space qualifier functions): local and
 * private memory are apertures of the flat address space, all else is global. */
#include "builtins.h"

#define WINDOW(name, space, base, size, doc)                                                       \
	INLINE bool in_##name(const generic void *p) { return (ulong)p - base < size; }
#include "../../../abi/address_map.def"
#undef WINDOW

/* The names that the front end calls for to_global, to_local, to_private. */
global void *__to_global(generic void *p);
global void *__to_global(generic void *p) { return in_VA_LOCAL(p) || in_VA_PRIVATE(p) ? 0 : (global void *)p; }
local void *__to_local(generic void *p);
local void *__to_local(generic void *p) { return in_VA_LOCAL(p) ? (local void *)p : 0; }
private void *__to_private(generic void *p);
private void *__to_private(generic void *p) { return in_VA_PRIVATE(p) ? (private void *)p : 0; }

OVERLOAD cl_mem_fence_flags get_fence(const generic void *p) { return in_VA_LOCAL(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE; }
OVERLOAD cl_mem_fence_flags get_fence(generic void *p) { return in_VA_LOCAL(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE; }
