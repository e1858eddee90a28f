/* The dispatch table that every object of ours points at, from the list of entry points. */
#include "runtime/opencl/api.h"

#define ENTRY(name) .name = galena_##name,
#define ENTRY_VOID(type, name) .name = (void *)galena_##name,
/* cl_khr_icd 2.0: the loader knows by the tag that objects have dispatch data behind the table */
#define ENTRY_TAGGED(slot) .slot = (__typeof__(galena_##slot) *)CL_ICD2_TAG_KHR,
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
