/* What profile.c keeps and profile_file.c writes. */
#ifndef GALENA_MODEL_PROFILE_DATA_H
#define GALENA_MODEL_PROFILE_DATA_H
#include "base/keep.h"
#include "model/profile.h"

/* A page of code, by what is in it: programs come and go, and addresses are used again. */
struct profile_code {
	struct profile_code *next;
	unsigned number;
	uint64_t va;
	bool protected_job; /* its words are nobody's business */
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
	struct profile_code *codes, **codes_tail;
	unsigned num_codes;
	struct profile_kernel *kernels, **kernels_tail;
	unsigned num_kernels;
	struct profile_kernel *slots[COMPUTE_SLOTS];
	struct profile_counts lost;     /* what nobody had the memory to count apart, and turns without a warp */
	uint64_t cp_busy;
	uint64_t host_ns[PROFILE_BLOCKS], host_at;
	enum profile_block host_block;
	struct keep keep;
	struct device *kept_of;         /* NULL: nothing is kept */
	const char *kept_in;
	struct profile_cu cus[];
};

/* Charges what the units' last instructions have left open. */
void profile_finish(struct profile *);
/* Writes the file anew. */
void profile_kept(struct profile *);

#endif
