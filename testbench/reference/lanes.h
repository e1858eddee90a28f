/* The lanes of one warp: program counters, call depths, splits, the slices in which splits take turns, and what waits at barriers
 * and at sg_sync. Written from docs/hardware/cu.md (Divergence; Barrier, sg_sync and exit; Instruction fetch) alone, to be compared
 * with a device step by step: lanes_next says what issues, one of lanes_retire, lanes_page_step and lanes_stall says what came of it.
 *
 * Masks have bit l for lane l. Depths count calls, modulo 2^32. No time is kept: what issues in which cycle is another unit's.
 * A call that the warp's state does not allow (a step of a warp that has nothing to issue) is an error of the caller and aborts.
 * One thread at a time uses a warp. Nothing is allocated; a warp may be copied and compared as a struct. */
#ifndef GALENA_TESTBENCH_REFERENCE_LANES_H
#define GALENA_TESTBENCH_REFERENCE_LANES_H
#include <stdbool.h>
#include <stdint.h>

enum { LANES_MAX = 32, LANES_SLICE = 4096, LANES_BORROWED = 512, LANES_ATOMICS = 32 };

/* Lanes that stand at one program counter and one call depth. */
struct lanes_split {
	uint64_t pc;
	uint32_t depth;
	uint32_t mask;
};

/* Splits, the best first. */
struct lanes_splits {
	struct lanes_split at[LANES_MAX];
	unsigned count;
};

struct lanes {
	uint32_t begun; /* lanes with which the warp began */
	uint32_t ended;
	bool runs;                     /* there is a running split */
	struct lanes_split running;    /* with the program counter of its next instruction */
	struct lanes_splits pending;
	struct lanes_splits at_barrier; /* with the program counter behind the barrier */
	struct lanes_splits at_sync;    /* with the program counter behind the sg_sync */
	bool meets;                    /* the running split may come to a pending one, */
	uint64_t meeting;              /* which stands here */
	bool steps;                    /* the running split steps to the next page before its next instruction */
	bool stalled;                  /* at a page fault, until a replay */
	uint32_t slice;                /* S of CU-90 */
	bool borrowed;                 /* B of CU-90 */
	uint32_t rotations;            /* R of CU-93 */
	uint32_t atomics;              /* the counter of CU-95 */
	uint64_t retired;              /* what instret counts: CU-53 */
};

/* What a warp does next. */
enum lanes_state {
	LANES_ISSUES,  /* the instruction at pc, for the lanes of mask */
	LANES_STEPS,   /* takes an issue cycle to step to the page of pc, without an instruction */
	LANES_WAITS,   /* nothing: its lanes wait at a barrier */
	LANES_STALLED, /* nothing before a replay */
	LANES_ENDED    /* nothing any more */
};

/* What the running split's instruction has done. */
struct lanes_outcome {
	uint32_t word;           /* the instruction */
	uint32_t taken;          /* of a branch: the lanes that take it; others than running ones are ignored */
	const uint64_t *targets; /* of a jalr: where each lane goes, at its number; not looked at for others */
};

/* A warp of which the lanes of mask begin at entry. mask is not 0. */
void lanes_begin(struct lanes *, uint32_t mask, uint64_t entry);
/* Changes nothing. *split is the running split with LANES_ISSUES and LANES_STEPS, else it is left alone. */
enum lanes_state lanes_next(const struct lanes *, struct lanes_split *split);
/* The instruction has issued and retired. */
void lanes_retire(struct lanes *, const struct lanes_outcome *);
/* The step to the next page has issued. */
void lanes_page_step(struct lanes *);
/* The warp stalls at a page fault that may be replayed: of its instruction, or of fetching it. */
void lanes_stall(struct lanes *);
/* REPLAY was written for the warp's dispatch. A warp that is not stalled is left alone. */
void lanes_replay(struct lanes *);
/* The lanes that have not ended, and those of them that wait at a barrier. */
uint32_t lanes_live(const struct lanes *);
uint32_t lanes_at_barrier(const struct lanes *);
/* Opens the barrier of a work-group, if all of its work-items that have not ended wait: whether it did. To be called behind each
 * barrier and exit with all warps of the work-group, those that have ended too or not. */
bool lanes_barrier_opens(struct lanes *const *warps, unsigned count);

#endif
