/* The warp scheduler: which warp of a compute unit issues next.
 *
 * Timed: one instruction a cycle and unit. A warp issues in order, when the scoreboard says that its operands and its
 * destination are ready. It goes on while it can; then the next slot whose warp can issue takes over, round robin.
 * After a branch the warp waits for the branch's latency, after a store until the store is accepted. Functional: each
 * warp runs TURN instructions, round robin. */
#ifndef GALENA_MODEL_SCHEDULER_H
#define GALENA_MODEL_SCHEDULER_H
#include "abi/device_config.h"
#include "model/engine/uop.h"

enum { MAX_WARPS = CONFIG_MOST_warps_per_cu };

struct scheduler {
	/* by warp slot: first cycle at which its warp can issue; UINT64_MAX: it cannot run */
	uint64_t wake[MAX_WARPS] __attribute__((aligned(64)));
	/* Timed, by warp slot: all ones: its next instruction goes to the load-store unit, so wake[] is no earlier than that has room;
	 * else 0 */
	uint64_t memory[MAX_WARPS] __attribute__((aligned(64)));
	uint32_t next; /* slot that is looked at first */
	/* Timed, by warp slot: the last one that was not executed ahead lets the warp issue again from this cycle on (CU-71) */
	uint64_t reissue[MAX_WARPS];
};

/* wake: as in struct scheduler. The first slot from this one on whose warp can issue at cycle now; MAX_WARPS: none. */
INLINE unsigned scheduler_pick(const uint64_t *wake, unsigned slot, uint64_t now)
{
	for (unsigned i = 0; i < MAX_WARPS; i++, slot = (slot + 1) % MAX_WARPS)
		if (wake[slot] <= now)
			return slot;
	return MAX_WARPS;
}

/* The first cycle at which a warp can issue. */
COLD uint64_t scheduler_wake(const uint64_t *wake)
{
	uint64_t first = UINT64_MAX;
	for (unsigned i = 0; i < MAX_WARPS; i++)
		first = wake[i] < first ? wake[i] : first;
	return first;
}

/* The load-store unit has no room before this cycle. */
COLD void scheduler_hold(struct scheduler *s, uint64_t room)
{
	for (unsigned i = 0; i < MAX_WARPS; i++) {
		const uint64_t held = room & s->memory[i];
		s->wake[i] = held > s->wake[i] ? held : s->wake[i];
	}
}

/* An instruction of this class has issued at cycle now, and its result is there at done: the first cycle at which its warp can issue
 * again. */
INLINE uint64_t scheduler_reissue(unsigned cls, uint64_t now, uint64_t done)
{
	if (cls == CLASS_STORE) /* back pressure: waits until it is accepted */
		return done > now + 1 ? done : now + 1;
	return cls - CLASS_BRANCH <= CLASS_JUMP - CLASS_BRANCH ? done : now + 1;
}

struct cu;
struct warp;
/* Runs the unit's warps from cu->now until cycle until, or until none can issue before it. */
void scheduler_run(struct cu *, uint64_t until);
/* Runs one warp until an instruction of it retires. False: it faults, or cannot run. Without timing. */
bool scheduler_step(struct cu *, struct warp *);

#endif
