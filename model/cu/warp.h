/* The state of a warp and of a work-group, shared by the blocks of the compute unit and the execution engines. */
#ifndef GALENA_MODEL_WARP_H
#define GALENA_MODEL_WARP_H
#include "abi/codes.h"
#include "model/cu/divergence.h"
#include "model/cu/icache.h"
#include "model/cu/scoreboard.h"

/* Why the execution loop was left. */
enum exit_reason {
	LEAVE_NONE,
	LEAVE_BRANCH,  /* a branch went both ways: split_mask to split_pc, the others to the next one */
	LEAVE_JUMP,    /* to jump_pc, looking at the other splits */
	LEAVE_COUNTER, /* reads cycle or instret */
	LEAVE_JALR,    /* jump to a different address in each lane */
	LEAVE_YIELD,   /* let the other splits of the warp run for a while */
	LEAVE_RECONVERGE, /* the lanes wait for the others of the warp */
	LEAVE_BARRIER,
	LEAVE_END,     /* the lanes end */
	LEAVE_FAULT,
	LEAVE_SUPERBLOCK, /* stands where translated code can take over: cu->superblock */
};

#define STOP_NONE ((const struct uop *)UINTPTR_MAX)

struct lane_fault {
	enum fault code;
	enum access access;
	uint64_t address, pc;
	unsigned lane;
};

struct group;
struct warp {
	/* what runs, and what the issue of an instruction looks at: one line of the host's cache */
	const struct uop *op;     /* its next instruction (when the loop is not running) */
	const struct uop *stop;   /* where the loop has to stop: here the best pending split stands */
	uint64_t retired;         /* warp instructions */
	struct cu *cu;
	struct icache_page *code; /* page of op */
	const struct uop *line;   /* timed: the first one of the line of code that it has; NULL: none */
	uint32_t unissued;        /* timed: how many instructions from op on are executed but have not issued */
	uint32_t mask;            /* lanes of the running split */
	union {
		struct {
			uint16_t num_pending; /* the other splits */
			bool frm_any; /* a lane's rounding mode is not nearest even */
			bool yielded; /* the running split is not the best one */
		};
		uint32_t unusual; /* one of these */
	};
	bool partial;             /* mask != live: results must be merged into their registers */
	uint8_t exit;             /* enum exit_reason */
	bool waits;               /* timed: op has been looked at; it can issue from the cycle in scheduler.wake[] on */
	struct scoreboard scoreboard __attribute__((aligned(64))); /* timed */
	uint32_t live;            /* lanes that have not ended */
	uint32_t slice;           /* instructions that retire until another split runs, while some are pending */
	/* registers */
	uint8_t encoding[REG_COUNT]; /* enum register_encoding */
	uint64_t base[REG_COUNT], stride[REG_COUNT];
	struct vreg *tmp;         /* four scratch registers, the CU's */
	uint32_t depth;           /* call depth of the running split */
	uint32_t space;
	uint8_t *lds;             /* the work-group's local memory */
	uint32_t local_bytes, private_bytes;
	uint64_t private_va;      /* backing of the warp's private memory; 0: none */
	/* the other splits, best last: deepest call, then lowest pc */
	uint16_t num_at_barrier, num_reconverging;
	uint32_t at_barrier_mask; /* lanes of at_barrier */
	uint32_t spin;            /* atomics done while other splits were pending */
	uint32_t yields;          /* rotations */
	/* arguments of the exit reason */
	uint32_t split_mask;
	uint64_t split_pc, jump_pc;
	struct lane_fault fault;
	/* position */
	struct group *group;
	uint32_t slot;            /* warp slot of the CU */
	uint32_t first_id;        /* linear local id of lane 0 */
	uint32_t number;          /* of the work-group's warps */
	uint32_t first_live;      /* live at the start */
	uint64_t born;            /* cycle at which it began */
	uint64_t retry;           /* stalled at a page fault: when the walk that found it is over */
	uint64_t counted;         /* timed: of the retired instructions, how many are in the counters */
	bool busy;                /* the slot is taken */
	bool replay;              /* page faults wait: exit is LEAVE_FAULT and it cannot run until cu_replay */
	bool unresolved;          /* op is gone: jump_pc tells */
	bool steps;               /* unresolved: it has yet to step to jump_pc from the page before */
	bool rotated;             /* a rotation chose the running split: it meets no other */
	uint32_t reserved;        /* lanes that have a reservation of lr */
	uint8_t frm[LANES];
	/* what follows needs no initial value; without timing, the scoreboard does not either */
	struct warp_split pending[LANES];
	struct warp_split at_barrier[LANES]; /* pc is the instruction after the barrier */
	struct warp_split reconverging[LANES]; /* the same, waiting for the warp */
	uint64_t reserved_at[LANES], reserved_value[LANES];
	struct vreg v[REG_COUNT];
};

struct group {
	bool busy;
	unsigned slot;            /* dispatch slot */
	bool hang;                /* its last warp does not end */
	uint64_t number;          /* of all groups of the dispatch */
	uint64_t begun;           /* cycle */
	uint32_t space;
	uint32_t id[3], size[3];
	uint32_t live_warps;
	uint32_t live_items, waiting_items;
	uint32_t num_warps;
	uint32_t lds_offset, lds_bytes;
	uint64_t kernarg;
};

/* Address of a uop of the page that the warp runs in. */
static inline uint64_t uop_pc(const struct warp *w, const struct uop *op)
{
	return w->code->va + (uint64_t)(op - w->code->ops) * 4;
}

#endif
