/* The media unit: video processing and JPEG through the MMU. Jobs of 16 slots wait for the one unit, first come, first served. A job moves
 * row by row. A page fault ends it: there is no replay. */
#ifndef GALENA_MODEL_MEDIA_H
#define GALENA_MODEL_MEDIA_H
#include "abi/bus.h"
#include "abi/constants.h"
#include "abi/packets.h"
#include "model/mem/l2.h"
#include "model/mmu/mmu.h"

enum { MEDIA_SLOTS = REG_QUEUES };

/* How a job has ended. */
struct media_result {
	uint64_t start, end; /* cycles; both the same for one that was not begun */
	uint64_t progress;   /* bytes written */
	enum fault code;     /* FAULT_NONE: all is done */
	enum access access;
	uint64_t address;    /* what could not be accessed, or what is malformed; 0 for ABORTED and for a protected job */
};

struct media_params {
	const struct device_config *config;
	enum bus_speed speed;
	struct physmem *mem;
	struct mmu *mmu;
	struct l2 *l2;
	/* A job has ended. Called from media_run and media_abort. */
	void (*done)(void *ctx, unsigned slot, const struct media_result *);
	void *ctx;
};

struct media;
/* NULL when memory is short. */
struct media *media_create(const struct media_params *);
void media_destroy(struct media *);
/* Drops all jobs, silently; what is written is written. */
void media_reset(struct media *);
/* Queues the job of a packet. False when the slot has one already: then nothing happens. A malformed packet or job ends with
 * BAD_PACKET when its turn comes. */
bool media_start(struct media *, unsigned slot, const union packet *, uint32_t space, uint64_t now);
/* Ends the slot's job, in progress or waiting, with ABORTED. Nothing when it has none. */
void media_abort(struct media *, unsigned slot, uint64_t now);
/* One bit a slot that has a job. */
uint32_t media_busy(const struct media *);
/* Of a busy slot: bytes written so far, and the cycle at which it was started. */
uint64_t media_progress(const struct media *, unsigned slot);
uint64_t media_begun(const struct media *, unsigned slot);
/* Cycle at which the unit took the slot's job; 0: it has another one, or none. */
uint64_t media_since(const struct media *, unsigned slot);
/* Cycle of the next step; UINT64_MAX when nothing moves. */
uint64_t media_next(const struct media *);
/* Does every step that is due at or before cycle until. */
void media_run(struct media *, uint64_t until);
/* Bytes written since media_create. */
uint64_t media_bytes(const struct media *);
/* Cycles in which the unit had a job, up to cycle now. */
uint64_t media_busy_cycles(const struct media *, uint64_t now);

#endif
