/* What a profile counts, from profile.def: the places of the counts in one array. */
#ifndef GALENA_ABI_PROFILE_H
#define GALENA_ABI_PROFILE_H
#include <stdint.h>

#define PROFILE_COUNT(name, key, doc)
#define PROFILE_WAIT(name, key, doc) PROFILE_##name,
enum profile_wait {
#include "abi/profile.def"
	PROFILE_WAITS
};
#undef PROFILE_COUNT
#undef PROFILE_WAIT

#define PROFILE_COUNT(name, key, doc) PROFILE_##name,
#define PROFILE_WAIT(name, key, doc)
enum profile_count {
#include "abi/profile.def"
	PROFILE_CU,                              /* + enum profile_wait: cycles of the compute unit */
	PROFILE_WARP = PROFILE_CU + PROFILE_WAITS, /* the same: cycles of the warp */
	PROFILE_COUNTS = PROFILE_WARP + PROFILE_WAITS
};
#undef PROFILE_COUNT
#undef PROFILE_WAIT

struct profile_counts { uint64_t of[PROFILE_COUNTS]; };

/* First line of the file that a device leaves (model/profile/profile_file.c says what follows). */
#define PROFILE_FILE_HEAD "galena-profile 1"
/* Names: PID-deviceN.counts; PID-deviceN.live while the program runs (model/profile/profile_memory.h). */
#define PROFILE_FILE_ENDING ".counts"
#define PROFILE_MEMORY_ENDING ".live"

#endif
