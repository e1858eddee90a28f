/* An execution engine: an implementation of the vector operations (exec*.inc), compiled for one kind of host. */
#ifndef GALENA_MODEL_ENGINE_H
#define GALENA_MODEL_ENGINE_H
#include "model/cu/compute.h"
#include "model/engine/uop.h"

struct cu;
struct engine {
	const char *name;
	enum compute_simd simd;
	handler *fn[OP_COUNT];        /* rounding mode nearest even or dynamic, targets in the page */
	handler *mode_fn[5][OP_COUNT]; /* static rounding modes; NULL: soft */
	handler *far_fn[OP_COUNT];    /* branches and jal out of the page */
	handler *undecoded, *page_end, *nop, *move, *soft, *csr_read, *csr_fp;
	/* Without timing: runs the warp from w->op, at most limit instructions; returns how many. */
	uint64_t (*run)(struct warp *, uint64_t limit);
	/* The same where there may be translated code. */
	uint64_t (*run_superblocks)(struct warp *, uint64_t limit);
	/* With timing: runs the unit from cu->now until a warp needs the scheduler (returned, w->exit says
	 * why) or nothing can issue before cycle until (NULL). */
	struct warp *(*run_timed)(struct cu *, uint64_t until);
};

/* The engine of this kind; NULL when this host cannot run it. */
const struct engine *engine_of(enum compute_simd);
/* The engine asked for, GALENA_SIMD first, as far as the host has it. */
const struct engine *engine_choose(enum compute_simd);

#endif
