/* The compute units and the dispatcher in front of them: what the rest of the device sees of model/cu. */
#ifndef GALENA_MODEL_COMPUTE_H
#define GALENA_MODEL_COMPUTE_H
#include "abi/bus.h"
#include "abi/codes.h"
#include "abi/constants.h"
#include "abi/device_config.h"
#include "abi/ports.h"
#include "model/mem/l2.h"
#include "model/mmu/mmu.h"

enum { COMPUTE_SLOTS = REG_QUEUES };

struct compute_counters {
	uint64_t lane_insns, warp_insns, busy_cycles, l1_hit, l1_miss, dispatches, work_groups;
	uint64_t lds_conflicts, warp_cycles; /* cycles; 0 without timing */
};

/* Which implementation of the vector operations runs. */
enum compute_simd { SIMD_AUTO, SIMD_PORTABLE, SIMD_AVX2, SIMD_AVX512 };

struct profile;
struct compute_params {
	const struct device_config *config;
	enum bus_speed speed;
	enum compute_simd simd;      /* SIMD_AUTO: the widest that the host has; GALENA_SIMD overrides */
	struct mmu *mmu;
	struct physmem *mem;
	struct l2 *l2;
	struct profile *profile;     /* NULL: the device is not profiled */
	/* Called from compute_start, compute_tick and compute_abort. */
	void (*result)(void *ctx, const struct compute_result *, uint64_t cycle);
	/* Physical memory that is private to the work-items of a dispatch that begins. NULL: not told. */
	void (*private_memory)(void *ctx, uint64_t pa, uint64_t bytes);
	void *ctx;
};

struct compute;
struct compute *compute_create(const struct compute_params *);
void compute_destroy(struct compute *);
/* Its ports (abi/ports.def). Dispatches of several slots share the units. With replay PAGE_NOT_PRESENT, PAGE_READ, PAGE_WRITE and
 * PAGE_EXEC do not end a dispatch: the warp that meets one stalls at the instruction, none of whose effects is visible; the others go on.
 * Not those of protected jobs: a replay needs the address, which is not told. */
void compute_start(struct compute *, const struct compute_start *, uint64_t cycle);
void compute_abort(struct compute *, const struct compute_abort *, uint64_t cycle);
void compute_replay(struct compute *, const struct compute_replay *, uint64_t cycle);
void compute_forget(struct compute *, const struct compute_forget *, uint64_t cycle);
/* Aborts all dispatches, and forgets them: as after compute_create, apart from counters. */
void compute_reset(struct compute *, uint64_t now);
/* Cycle at which the last begun of the slot's work-groups that are in a unit began; 0: none is. */
uint64_t compute_since(const struct compute *, unsigned slot);
/* Earliest cycle at which a unit has something to do; UINT64_MAX when all are idle, or wait for a replay
 * or an abort. */
uint64_t compute_next(const struct compute *);
/* Lets the cycles of every unit up to until pass; stops early (returns the cycle reached) after the quantum in
 * which a dispatch ended, so that the command processor sees it in time. */
uint64_t compute_tick(struct compute *, uint64_t until);
/* model/cu/follow.c, in place of compute_tick and without timing: the schedule is a twin's, as its events say it. A work-group of the slot begins
 * on the unit, in the first free warp slots; false: it cannot. */
bool compute_follow_group(struct compute *, unsigned unit, unsigned slot, uint64_t group);
/* The warp in this warp slot of the unit goes on until an instruction of it retires; false: it faults or stands before. */
bool compute_follow_step(struct compute *, unsigned unit, unsigned warp);
/* The twin has told of the end of a dispatch, or of a page fault: so do the units. False: there is nothing to tell. */
bool compute_follow_end(struct compute *);
const struct compute_counters *compute_counters(const struct compute *);
/* With a profile: counts what resident warps have done so far. Before the profile is written. */
void compute_profile_end(struct compute *);
/* "portable", "avx2", "avx512": what runs. */
const char *compute_simd_name(const struct compute *);
/* Translated code of the units; NULL: this device interprets. */
struct superblocks *compute_superblocks(struct compute *);
/* CU-61: drops all instructions in cycle now; those that issue in it are looked up again. */
void compute_flush_code(struct compute *, uint64_t now);

#endif
