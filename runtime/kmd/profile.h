/* GALENA_PROFILE, the host's part: what each thread spends its time on, and the kernel objects that ran.
 * The devices leave their part themselves; `galena profile` puts them together. */
#ifndef GALENA_RUNTIME_DRIVER_PROFILE_H
#define GALENA_RUNTIME_DRIVER_PROFILE_H
#include "abi/bus.h"
#include <stdbool.h>
#include <stddef.h>

enum phase {
#define PHASE(name, key, doc) PHASE_##name,
#include "runtime/kmd/profile.def"
#undef PHASE
	PHASES
};

extern __attribute__((visibility("default"))) bool profile_on; /* set before the first device is opened, once */
/* Looks at the environment, in the thread that opens the devices. */
void profile_open(void);
/* Keeps a kernel object; the same one once. */
__attribute__((visibility("default"))) void profile_object(const void *data, size_t size);
/* A bus whose calls are phase DEVICE; it owns the inner one. The inner one itself without a profile, or
 * without memory. */
struct bus *profile_bus(struct bus *inner);
/* PID.host in the directory has lines "THREAD;PHASE;PHASE... calls nanoseconds" from profile_open on, which are true up to the last change
 * of a thread's phase, however the process ends. A message when they could not be written. Once, at the end. */
void profile_close(void);

struct phase_node;
__attribute__((visibility("default"))) struct phase_node *phase_enter(enum phase); /* returns what phase_leave takes */
__attribute__((visibility("default"))) void phase_leave(struct phase_node *);

static inline struct phase_node *phase_begin(enum phase p) { return __builtin_expect(profile_on, 0) ? phase_enter(p) : NULL; }
static inline void phase_end(struct phase_node **before)
{
	if (__builtin_expect(*before != NULL, 0))
		phase_leave(*before);
}
/* From here to the end of the block the thread's time is this phase's. */
#define PHASE_HERE(name) __attribute__((cleanup(phase_end), unused)) struct phase_node *phase_before_ = phase_begin(PHASE_##name)

#endif
