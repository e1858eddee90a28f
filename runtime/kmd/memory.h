/* The driver's own pinned memory: pages, slots of 32 bytes, blocks for queues. */
#ifndef GALENA_RUNTIME_KMD_MEMORY_H
#define GALENA_RUNTIME_KMD_MEMORY_H
#include "abi/packets.h"
#include "abi/records.h"
#include "runtime/kmd/pin.h"

struct slot { /* 32 bytes that the device sees */
	void *host;
	struct slab_page *page;
	uint64_t pa;
};
struct page { /* a pinned page for the driver's own use */
	uint8_t *host;
	uint32_t number;
	bool dirty; /* was used before: the work item of its first use clears it */
};
struct arena_room;
struct arena_chunk;
struct slab_page;
struct memory {
	struct arena_room *rooms; /* what is mapped; of the first, pages from free_from on are not handed out yet */
	uint64_t free_from;
	struct arena_chunk *chunks;
	struct page *free_pages;
	unsigned num_free, cap_free;
	struct slab_page *slabs, *slabs_with_room;
	struct queue_block *free_blocks, *all_blocks;
};
int memory_page_alloc(struct driver *, struct page *);
void memory_page_free(struct driver *, struct page);
int memory_slot_alloc(struct driver *, struct slot *);
void memory_slot_free(struct driver *, struct slot);
void memory_fini(struct driver *);
/* Maps zeroed host pages and pins them with contiguous page frame numbers, at once (boot) or by a work item. */
uint8_t *memory_pin_fresh(struct driver *, uint64_t pages, uint32_t *first_number);

/* Memory of one hardware-visible queue: ring, then a page with descriptor and timeline. */
struct queue_block {
	struct queue_block *next_free, *next;
	uint8_t *host;
	uint64_t pa;
};
enum { BLOCK_RING_PAGES = RING_PACKETS * PACKET_SIZE / 4096, BLOCK_PAGES = BLOCK_RING_PAGES + 1, BLOCK_TIMELINE = 128 };
static inline uint64_t queue_block_desc(const struct queue_block *b)
{
	return b->pa + BLOCK_RING_PAGES * GALENA_PAGE_SIZE;
}
static inline uint64_t queue_block_timeline(const struct queue_block *b)
{
	return queue_block_desc(b) + BLOCK_TIMELINE;
}
struct queue_block *memory_block_alloc(struct driver *);
void memory_block_free(struct driver *, struct queue_block *);

#endif
