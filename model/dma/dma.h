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
#include "abi/ports.h"
#include "model/mem/l2.h"
#include "model/mmu/mmu.h"

enum { DMA_SLOTS = REG_QUEUES, DMA_MAX_ENGINES = CONFIG_MOST_dma_engines };

struct dma_params {
	const struct device_config *config;
	enum bus_speed speed;
	struct physmem *mem;
	struct mmu *mmu;
	struct l2 *l2;
	/* Called from dma_tick and dma_abort. */
	void (*result)(void *ctx, const struct dma_result *, uint64_t cycle);
	void *ctx;
};

struct dma;
struct dma *dma_create(const struct dma_params *);
void dma_destroy(struct dma *);
/* Drops all transfers, silently; what is written is written. */
void dma_reset(struct dma *);
/* Its ports (abi/ports.def). A malformed packet ends with BAD_PACKET when its turn comes. */
void dma_start(struct dma *, const struct dma_start *, uint64_t cycle);
void dma_abort(struct dma *, const struct dma_abort *, uint64_t cycle);
void dma_replay(struct dma *, const struct dma_replay *, uint64_t cycle);
/* Whether the slot has a transfer that stands at a page fault. */
bool dma_stands(const struct dma *, unsigned slot);
/* One bit a slot that has a transfer. */
uint32_t dma_busy(const struct dma *);
/* Of a busy slot: bytes written so far, and the cycle at which it was started. */
uint64_t dma_progress(const struct dma *, unsigned slot);
uint64_t dma_begun(const struct dma *, unsigned slot);
/* Cycle at which an engine took the slot's transfer, the last time; 0: none has it. */
uint64_t dma_since(struct dma *, unsigned slot);
/* Cycle of the next step of any engine; UINT64_MAX when nothing moves. */
uint64_t dma_next(const struct dma *);
/* Lets its cycles pass, up to this one. */
void dma_tick(struct dma *, uint64_t cycle);
/* The same, and on in slices of a cycle from each step, while no transfer ends or stands and the next slice ends before
 * cycle limit, for a device in which nothing else has anything to do and no event is observed. Returns the cycle at which the
 * last slice ended. */
uint64_t dma_tick_alone(struct dma *, uint64_t until, uint64_t limit);
/* Bytes written since dma_create. */
uint64_t dma_bytes(const struct dma *);
/* Cycles in which engines had transfers (none has one that stands), up to cycle now, added up over engines. */
uint64_t dma_busy_cycles(const struct dma *, uint64_t now);

#endif
