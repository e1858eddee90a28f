/* The DMA engine: copies and fills boxes through the MMU. One engine serves 16 slots, first come,
 * first served. The bytes of a transfer move progressively, a step of at most 64 KiB at a time. */
#ifndef GALENA_MODEL_DMA_H
#define GALENA_MODEL_DMA_H
#include "abi/bus.h"
#include "abi/packets.h"
#include "model/l2.h"
#include "model/mmu.h"

enum { DMA_SLOTS = 16 };

struct dma_fault {
	enum fault code; /* BAD_PACKET: address is 0 */
	enum access access;
	uint64_t address;
};

struct dma_params {
	const struct device_config *config;
	enum bus_speed speed;
	struct physmem *mem;
	struct mmu *mmu;
	struct l2 *l2;
	/* A transfer has ended; fault is NULL when it went well, else a part of the box may have been
	 * written. Called from dma_run. */
	void (*done)(void *ctx, unsigned slot, uint64_t start, uint64_t end, const struct dma_fault *fault);
	void *ctx;
};

struct dma;
struct dma *dma_create(const struct dma_params *);
void dma_destroy(struct dma *);
/* Drops all transfers, silently; what is written is written. */
void dma_reset(struct dma *);
/* Queues the transfer of a copy or fill packet. False when the slot has one already: then nothing
 * happens. A malformed packet ends with BAD_PACKET when its turn comes. */
bool dma_start(struct dma *, unsigned slot, const union packet *, uint32_t space, uint64_t now);
/* One bit a slot that has a transfer. */
uint32_t dma_busy(const struct dma *);
/* Cycle of the engine's next step; UINT64_MAX when it is idle. */
uint64_t dma_next(const struct dma *);
/* Does every step that is due at or before cycle until. */
void dma_run(struct dma *, uint64_t until);
/* Bytes written since dma_create. */
uint64_t dma_bytes(const struct dma *);

#endif
