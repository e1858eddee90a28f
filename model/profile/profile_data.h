/* What profile.c keeps, in memory that outlives the process (model/profile/profile_memory.h), and traces/profile_file.c makes a file of. */
#ifndef GALENA_MODEL_PROFILE_DATA_H
#define GALENA_MODEL_PROFILE_DATA_H
#include "model/profile/profile.h"
#include "model/profile/profile_memory.h"

/* A page of code, by what is in it: programs come and go, and addresses are used again. */
struct profile_code {
	struct profile_code *next;
	unsigned number;
	uint64_t va;
	uint32_t words[PAGE_OPS];
	handler *fn[PAGE_OPS]; /* what profile_insn calls; NULL: not decoded */
};

/* What a kernel did in one page of code. */
struct profile_place {
	struct profile_place *next;
	const struct profile_code *code;
	struct profile_counts counts[PAGE_OPS];
};

/* Dispatches with the same entry in the same code. */
struct profile_kernel {
	struct profile_kernel *next;
	unsigned number;
	const struct profile_code *code; /* of the entry; NULL: never fetched, or of a protected job */
	bool protected_job;
	uint64_t entry;
	uint64_t launches, failed, cycles;
	uint64_t host_ns;               /* of the turns of units that last ran it */
	struct profile_place *places;
	struct profile_counts sum; /* of what has no place: the instructions of protected jobs */
};

struct profile_warp {
	struct profile_kernel *kernel;
	struct profile_place *place;    /* of code; NULL: look it up */
	const struct profile_code *code;
	uint64_t at;                    /* cycle up to which its time is charged */
	struct profile_counts *last;    /* issued in cycle at, which is not charged yet; NULL: nothing has */
	uint8_t last_class, last_op;
	struct profile_counts *writer[REG_COUNT]; /* what last wrote a register; NULL: nothing in this warp */
	uint8_t writer_wait[REG_COUNT];           /* enum profile_wait */
};

/* Counters of the memory system, to see what one access adds. */
struct memory_counts { uint64_t of[PROFILE_LDS_CONFLICTS - PROFILE_L1_HIT + 1]; };

struct profile_cu {
	struct profile *owner;
	struct profile_warp warp[MAX_WARPS];
	uint64_t at;                    /* as of a warp */
	struct profile_counts *last;
	uint64_t busy_end;
	struct profile_kernel *kernel;  /* of the last instruction */
	uint64_t turn_ns;               /* host time at which the turn began */
	struct profile_counts *access;  /* the memory instruction in progress */
	struct memory_counts before;    /* what the counters showed when it began */
};

struct profile {
	bool timed;
	const struct device_config *config;
	struct profile_memory *memory;
	struct profile_code *codes, **codes_tail;
	struct profile_code *protected_codes; /* in the process's own memory */
	unsigned num_codes;
	struct profile_kernel *kernels, **kernels_tail;
	unsigned num_kernels;
	struct profile_kernel *slots[COMPUTE_SLOTS];
	struct profile_counts lost;     /* what there was no memory to count by itself, and turns without a warp */
	uint64_t cp_busy;
	uint64_t host_ns[PROFILE_BLOCKS], host_at;
	enum profile_block host_block;
	struct device *device;          /* whose counters are kept, too; NULL: none */
	uint64_t kept_ns;               /* when they were, last */
	unsigned num_cus;
	struct profile_cu cus[];
};

/* Charges a compute unit's time up to cycle t: that of its last instruction, and what follows as a wait. */
static inline void profile_cu_charge(struct profile_cu *pc, struct profile_counts *last, struct profile_counts *waited_for,
				     enum profile_wait why, uint64_t t)
{
	if (last && pc->at < t) {
		last->of[PROFILE_CU + PROFILE_ISSUE]++;
		pc->at++;
	}
	if (pc->at < t) {
		waited_for->of[PROFILE_CU + why] += t - pc->at;
		pc->at = t;
	}
}

#endif
