/* A compute unit: its blocks, its resident work-groups, and what it shows to the dispatcher. Internal to the compute units:
 * nothing outside model/ includes it. */
#ifndef GALENA_MODEL_CU_H
#define GALENA_MODEL_CU_H
#include "abi/events.h"
#include "model/cu/coalescer.h"
#include "model/cu/compute.h"
#include "model/cu/csr.h"
#include "model/cu/l1.h"
#include "model/cu/lds.h"
#include "model/cu/scheduler.h"
#include "model/cu/warp.h"
#include "model/engine/engine.h"
#include "model/engine/soft_tlb.h"
#include "model/mem/physmem.h"
#include "model/perturb.h"

enum { HOST_LINES = 128 }; /* bytes that host caches fetch together */

struct cu {
	struct compute *owner;
	struct mmu *mmu;
	struct physmem *mem;
	struct l2 *l2;            /* its local view */
	struct icache *icache;
	bool ordered;             /* it has done atomics in memory in this quantum: units of lower numbers have ended theirs */
	const struct device_config *config;
	const struct engine *engine;
	struct superblocks *superblocks;   /* translated code, of all units; NULL: interpreted */
	struct superblock_variant *superblock; /* of LEAVE_SUPERBLOCK */
	unsigned index, unit;
	bool timed;
	uint8_t line_shift;       /* logarithm of the bytes that the uops of a line take */
	bool exact;               /* timed: in each cycle it is where the other blocks are */
	bool stores_seen;         /* by reservations: where stores of one unit and another come in an order */
	uint64_t now;             /* cycle that it has reached */
	struct event_sink *events; /* NULL: events are not observed */
	struct profile_cu *profile; /* NULL: the device is not profiled */
	uint64_t epoch;           /* of the MMU, for tlb */
	struct soft_tlb tlb;
	struct vreg tmp[4];
	uint64_t targets[LANES];   /* of LEAVE_JALR */
	/* residents */
	struct warp *warps;       /* config->warps_per_cu */
	struct group groups[MAX_WARPS];
	struct scheduler scheduler;
	unsigned live_warps;
	struct icache_page *entry_page; /* where the last warp started; NULL: nowhere that is still known */
	struct local_ids ids[MAX_WARPS];
	bool blocked;             /* holds warps, none of which can run */
	bool room;                /* a group may fit that did not */
	bool stops;               /* exact: warps or a dispatch have ended, which the dispatcher has yet to see */
	/* groups that the dispatcher has given it, one range a slot */
	struct { uint64_t next, end; } work[COMPUTE_SLOTS];
	uint32_t given;            /* slots that it has groups of yet to start */
	unsigned next_slot;
	/* what ended in this quantum */
	struct { uint64_t groups_done, end; bool faulted, stalled; uint64_t fault_cycle; struct compute_fault fault; } ended[COMPUTE_SLOTS];
	uint32_t ended_slots;      /* of which there is anything in ended[] */
	/* the load-store unit, and the memory access in progress */
	struct coalescer coalescer;
	struct { uint32_t tlb_cycles, atomic_lanes, next; uint64_t free, begin[MAX_WARPS], room; bool atomic; /* of private memory, in parts */ } lsu;
	struct perturb perturb;
	struct l1 l1;
	struct lds lds;
	/* counters, added up by compute_counters */
	struct compute_counters counters;
	/* What the dispatcher looks at between quanta, in a line of its own: all else stays in the caches of the host thread
	 * that runs the unit. */
	struct {
		uint64_t now;
		uint64_t next;     /* the first cycle at which it goes on by itself */
		uint32_t given, ended_slots;
		bool busy, ordered, stops;
		bool merge;        /* its views have something for the others */
		bool walked;       /* in that, what an L1 TLB did not have */
	} shown __attribute__((aligned(HOST_LINES)));
	struct reservations local_reservations; /* addresses are those of lds */
	uint32_t reserved_version[MAX_WARPS][LANES]; /* of the reservations of each lane; in struct warp it costs timed runs 4 % */
};

bool cu_init(struct cu *, struct compute *, const struct compute_params *, const struct engine *, unsigned index);
void cu_fini(struct cu *);
/* No dispatch is left in it: it searches from where it did at first, and local memory is empty. */
void cu_reset(struct cu *);
/* Lets its cycles up to until pass, starting work-groups of its ranges as there is room. decoupled: side by side with others, on any
 * thread; then, when all have, cu_merge for each with shown.merge, one after the other. */
void cu_tick(struct cu *, uint64_t until, bool decoupled);
void cu_merge(struct cu *);
/* The warp in the slot goes on until an instruction of it retires. False: it does not get there. Without timing. */
bool cu_step(struct cu *, unsigned slot);
/* Its port (abi/ports.def). */
void cu_give(struct cu *, const struct cu_give *, uint64_t cycle);
/* What ended was seen. */
void cu_ended(struct cu *, unsigned slot);
/* Brings shown up to date. */
void cu_show(struct cu *);
/* Exact: it comes to cycle now, in which something is done to it. */
void cu_advance(struct cu *, uint64_t now);
/* Something may run again, at the earliest in cycle now. */
void cu_unblock(struct cu *, uint64_t now);
/* Adds what the unit has counted, resident warps included. */
void cu_counters_add(const struct cu *, struct compute_counters *sum);
/* Counts what its warps have done so far, where the device is profiled. */
void cu_profile_end(struct cu *);
/* In cycle now, drops decoded instructions: the warps remember their pc and find it again when they run. */
void cu_unresolve(struct cu *, uint64_t now);
/* Takes the warp to pc, where it stands, in the pages as they are now. */
void cu_refetch(struct warp *, uint64_t pc);
/* What the unit reports of a work-group. */
void cu_group_event(const struct cu *, enum event_kind, const struct group *, uint64_t a, uint64_t b, uint64_t c);

/* Timed: adds the instructions that have issued and are not in the counters yet. */
static inline void warp_count_issued(const struct warp *w, struct compute_counters *counters)
{
	uint64_t n = w->retired - w->counted - w->unissued;
	counters->warp_insns += n;
	counters->lane_insns += n * (uint32_t)__builtin_popcount(w->mask);
}
/* Timed: has the counters up to date, before the running lanes change. */
static inline void warp_count(struct warp *w)
{
	warp_count_issued(w, &w->cu->counters);
	w->counted = w->retired;
}
/* Takes back the instruction in progress, which the run loop will count as retired, and of its slice. */
static inline void insn_uncount(struct warp *w)
{
	w->retired--;
	w->slice += w->num_pending != 0;
	if (!w->cu->timed)
		w->cu->counters.lane_insns -= (uint32_t)__builtin_popcount(w->mask);
}

#endif
