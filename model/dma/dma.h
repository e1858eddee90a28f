/* The DMA engines: copy and fill boxes through the MMU, and maintain caches. Transfers of 16 slots
 * go, first come, first served, to the first engine that is free (of several the one with the lowest
 * number). The bytes of a transfer move progressively, some 64 cycles' worth at a time.
 *
 * A transfer that stands at a page fault has no engine. Replayed, it is served as if it had come
 * then, behind all that wait: any engine goes on with it, with the piece that faulted. */
#ifndef GALENA_MODEL_DMA_H
#define GALENA_MODEL_DMA_H
#include "abi/bus.h"
#include "abi/constants.h"
#include "abi/packets.h"
#include "model/mem/l2.h"
#include "model/mmu/mmu.h"

enum { DMA_SLOTS = REG_QUEUES, DMA_MAX_ENGINES = CONFIG_MOST_dma_engines };

/* How a transfer has ended, or where it stands. */
struct dma_result {
	uint64_t start, end; /* cycles; both the same for one that no engine had begun */
	uint64_t progress;   /* bytes written, in the order of the transfer */
	enum fault code;     /* FAULT_NONE: all is done */
	unsigned unit;       /* UNIT_DMA + the engine that had it last; engine 0 if none had begun */
	enum access access;
	uint64_t address;    /* first byte, in the order of the transfer, that could not be accessed; 0 for
	                      * BAD_PACKET and ABORTED */
};

enum dma_flags {
	DMA_REPLAY = 1, /* a page fault waits for dma_replay */
};

struct dma_params {
	const struct device_config *config;
	enum bus_speed speed;
	struct physmem *mem;
	struct mmu *mmu;
	struct l2 *l2;
	/* A transfer has ended. Called from dma_run and dma_abort. */
	void (*done)(void *ctx, unsigned slot, const struct dma_result *);
	/* A transfer stands at a page fault until dma_replay or dma_abort; its engine has been left.
	 * Called from dma_run; may be NULL when DMA_REPLAY is not used. */
	void (*stalled)(void *ctx, unsigned slot, const struct dma_result *);
	void *ctx;
};

struct dma;
struct dma *dma_create(const struct dma_params *);
void dma_destroy(struct dma *);
/* Drops all transfers, silently; what is written is written. */
void dma_reset(struct dma *);
/* Queues the transfer of a copy, fill or cache packet; flags is of enum dma_flags. False when the
 * slot has one already: then nothing happens. A malformed packet ends with BAD_PACKET when its turn
 * comes. */
bool dma_start(struct dma *, unsigned slot, const union packet *, uint32_t space, unsigned flags, uint64_t now);
/* Ends the slot's transfer, in progress, waiting or standing, with ABORTED. Nothing when it has none. */
void dma_abort(struct dma *, unsigned slot, uint64_t now);
/* A transfer that stands at a page fault goes on with the access that faulted,
 * when an engine is free. Nothing for others, and false. */
bool dma_replay(struct dma *, unsigned slot, uint64_t now);
/* One bit a slot that has a transfer. */
uint32_t dma_busy(const struct dma *);
/* Of a busy slot: bytes written so far, and the cycle at which it was started. */
uint64_t dma_progress(const struct dma *, unsigned slot);
uint64_t dma_begun(const struct dma *, unsigned slot);
/* Cycle at which an engine took the slot's transfer, the last time; 0: none has it. */
uint64_t dma_since(struct dma *, unsigned slot);
/* Cycle of the next step of any engine; UINT64_MAX when nothing moves. */
uint64_t dma_next(const struct dma *);
/* Does every step that is due at or before cycle until. */
void dma_run(struct dma *, uint64_t until);
/* The same, and on in slices of a cycle from each step, while no transfer ends or stands and the next slice ends before
 * cycle limit, for a device in which nothing else has anything to do and no event is observed. Returns the cycle at which the
 * last slice ended. */
uint64_t dma_run_alone(struct dma *, uint64_t until, uint64_t limit);
/* Bytes written since dma_create. */
uint64_t dma_bytes(const struct dma *);
/* Cycles in which engines had transfers (none has one that stands), up to cycle now, added up over engines. */
uint64_t dma_busy_cycles(const struct dma *, uint64_t now);

#endif
