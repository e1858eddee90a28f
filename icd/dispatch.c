/* The dispatch table that every object of ours points at, from the list of entry points. */
#include "runtime/opencl/api.h"

#define ENTRY(name) .name = galena_##name,
#define ENTRY_VOID(type, name) .name = (void *)galena_##name,
const struct _cl_icd_dispatch galena_dispatch = {
#include "icd/entry_points.def"
};
#undef ENTRY
#undef ENTRY_VOID

#define ENTRY(name) +1
#define ENTRY_VOID(type, name) +1
enum { ENTRIES = 0
#include "icd/entry_points.def"
};
_Static_assert(ENTRIES * sizeof(void *) == sizeof(struct _cl_icd_dispatch), "every slot of the dispatch table is in icd/entry_points.def");
