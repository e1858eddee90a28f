/* The media unit: video processing and JPEG through the MMU. Jobs of 16 slots wait for the one unit, first come, first served. A job moves
 * row by row. A page fault ends it: there is no replay. */
#ifndef GALENA_MODEL_MEDIA_H
#define GALENA_MODEL_MEDIA_H
#include "abi/bus.h"
#include "abi/constants.h"
#include "abi/ports.h"
#include "model/mem/l2.h"
#include "model/mmu/mmu.h"

enum { MEDIA_SLOTS = REG_QUEUES };

struct media_params {
	const struct device_config *config;
	enum bus_speed speed;
	struct physmem *mem;
	struct mmu *mmu;
	struct l2 *l2;
	/* Called from media_tick and media_abort. */
	void (*result)(void *ctx, const struct media_result *, uint64_t cycle);
	void *ctx;
};

struct media;
/* NULL when memory is short. */
struct media *media_create(const struct media_params *);
void media_destroy(struct media *);
/* Drops all jobs, silently; what is written is written. */
void media_reset(struct media *);
/* Its ports (abi/ports.def). A malformed packet or job ends with BAD_PACKET when its turn comes. */
void media_start(struct media *, const struct media_start *, uint64_t cycle);
void media_abort(struct media *, const struct media_abort *, uint64_t cycle);
/* One bit a slot that has a job. */
uint32_t media_busy(const struct media *);
/* Of a busy slot: bytes written so far, and the cycle at which it was started. */
uint64_t media_progress(const struct media *, unsigned slot);
uint64_t media_begun(const struct media *, unsigned slot);
/* Cycle at which the unit took the slot's job; 0: it has another one, or none. */
uint64_t media_since(const struct media *, unsigned slot);
/* Cycle of the next step; UINT64_MAX when nothing moves. */
uint64_t media_next(const struct media *);
/* Lets its cycles pass, up to this one. */
void media_tick(struct media *, uint64_t cycle);
/* Bytes written since media_create. */
uint64_t media_bytes(const struct media *);
/* Cycles in which the unit had a job, up to cycle now. */
uint64_t media_busy_cycles(const struct media *, uint64_t now);

#endif
