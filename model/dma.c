#include "model/dma.h"
#include <stdlib.h>
#include <string.h>

enum {
	STEP_BYTES = 65536,
	STEP_PIECES = 1024, /* a piece is what lies in one row and one page on both sides */
	PATTERN_MAX = 128,
};

/* A page as the engine last translated it. */
struct page {
	struct tlb_entry entry;
	uint64_t epoch;
};

enum phase {
	IDLE,  /* nothing queued */
	FETCH, /* takes the next transfer of the queue */
	MOVE,  /* a step of the transfer is due */
	END,   /* the last bytes arrive */
};

struct transfer {
	union packet packet;
	uint32_t space;
};

/* A box, from a copy or from a fill packet. */
struct box {
	uint64_t src, dst;
	uint32_t width, height, depth;
	uint32_t src_row, src_slice, dst_row, dst_slice;
	uint32_t pattern_size; /* 0: copy */
};

struct dma {
	struct dma_params env;
	bool timed;
	uint64_t bytes;
	/* queue */
	struct transfer slots[DMA_SLOTS];
	uint32_t busy; /* one bit a slot */
	uint8_t fifo[DMA_SLOTS];
	unsigned fifo_first, fifo_count;
	/* the transfer in progress */
	enum phase phase;
	uint64_t next; /* when the phase goes on */
	unsigned slot;
	uint32_t space;
	struct box box;
	uint32_t x, y, z;
	uint64_t start;
	uint64_t data_end;     /* when the data of the steps so far is there */
	uint64_t previous_end; /* the same without the last step: two steps are in flight at most */
	struct page src_page, dst_page;
	struct dma_fault fault;
	uint8_t pattern[GALENA_PAGE_SIZE + PATTERN_MAX]; /* repeated */
	uint8_t bounce[GALENA_PAGE_SIZE];
};

struct dma *dma_create(const struct dma_params *p)
{
	struct dma *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->env = *p;
	d->timed = p->speed == BUS_TIMED;
	dma_reset(d);
	return d;
}

void dma_destroy(struct dma *d) { free(d); }

void dma_reset(struct dma *d)
{
	d->busy = 0;
	d->fifo_count = 0;
	d->phase = IDLE;
	d->next = UINT64_MAX;
}

uint32_t dma_busy(const struct dma *d) { return d->busy; }
uint64_t dma_next(const struct dma *d) { return d->next; }
uint64_t dma_bytes(const struct dma *d) { return d->bytes; }

bool dma_start(struct dma *d, unsigned slot, const union packet *packet, uint32_t space, uint64_t now)
{
	if (slot >= DMA_SLOTS || d->busy >> slot & 1)
		return false;
	d->busy |= 1u << slot;
	d->slots[slot].packet = *packet;
	d->slots[slot].space = space;
	d->fifo[(d->fifo_first + d->fifo_count++) % DMA_SLOTS] = (uint8_t)slot;
	if (d->phase == IDLE) {
		d->phase = FETCH;
		d->next = now;
	}
	return true;
}

/* ---- one transfer ---- */

static void fail(struct dma *d, enum fault code, enum access access, uint64_t address)
{
	d->fault = (struct dma_fault){ .code = code, .access = access, .address = address };
}

static bool box_from_packet(struct box *b, const union packet *p)
{
	switch (p->head.type) {
	case PACKET_CODE_copy:
		*b = (struct box){ .src = p->copy.src,
				   .dst = p->copy.dst,
				   .width = p->copy.width,
				   .height = p->copy.height,
				   .depth = p->copy.depth,
				   .src_row = p->copy.src_row,
				   .src_slice = p->copy.src_slice,
				   .dst_row = p->copy.dst_row,
				   .dst_slice = p->copy.dst_slice };
		break;
	case PACKET_CODE_fill:
		*b = (struct box){ .src = p->fill.pattern,
				   .dst = p->fill.dst,
				   .width = p->fill.width,
				   .height = p->fill.height,
				   .depth = p->fill.depth,
				   .dst_row = p->fill.dst_row,
				   .dst_slice = p->fill.dst_slice,
				   .pattern_size = p->fill.pattern_size };
		if (b->pattern_size < 1 || b->pattern_size > PATTERN_MAX || b->width % b->pattern_size)
			return false;
		break;
	default:
		return false;
	}
	return b->width && b->height && b->depth;
}

static void pattern_load(struct dma *d)
{
	uint64_t bad = 0;
	unsigned n = d->box.pattern_size;
	enum fault f = mmu_read(d->env.mmu, UNIT_DMA, d->space, d->box.src, d->pattern, n, &bad);

	if (f) {
		fail(d, f, ACCESS_READ, bad);
		return;
	}
	for (unsigned i = n; i < sizeof(d->pattern); i++)
		d->pattern[i] = d->pattern[i - n];
}

static void begin(struct dma *d)
{
	d->slot = d->fifo[d->fifo_first];
	d->fifo_first = (d->fifo_first + 1) % DMA_SLOTS;
	d->fifo_count--;
	d->space = d->slots[d->slot].space;
	d->start = d->data_end = d->previous_end = d->next;
	d->x = d->y = d->z = 0;
	d->src_page.entry.key = d->dst_page.entry.key = 0;
	d->fault = (struct dma_fault){ .code = FAULT_NONE };
	d->phase = MOVE;
	d->next += d->timed ? d->env.config->dma_setup : 1;
	if (!box_from_packet(&d->box, &d->slots[d->slot].packet))
		fail(d, FAULT_BAD_PACKET, ACCESS_READ, 0);
	else if (d->box.pattern_size)
		pattern_load(d);
	if (d->fault.code)
		d->phase = END;
}

/* Makes *p the page of va. Adds the cost of the translation to *walk. */
static bool page_get(struct dma *d, struct page *p, uint64_t va, enum access access, uint64_t *walk)
{
	const struct tlb_entry *e = NULL;
	uint32_t cycles = 0;
	enum fault f;

	if (p->entry.key == tlb_key(va, d->space) && p->epoch == *mmu_epoch(d->env.mmu))
		return true;
	f = mmu_translate(d->env.mmu, UNIT_DMA, d->space, va, access, d->next + *walk, &e, &cycles);
	*walk += cycles;
	if (f) {
		fail(d, f, access, va);
		return false;
	}
	p->entry = *e;
	p->epoch = *mmu_epoch(d->env.mmu);
	return true;
}

/* n bytes of the source piece, where they can be read; NULL on a bus error. */
static const uint8_t *piece_read(struct dma *d, uint64_t va, uint32_t n)
{
	uint64_t off = va & (GALENA_PAGE_SIZE - 1);
	const struct tlb_entry *e = &d->src_page.entry;

	if (d->box.pattern_size)
		return d->pattern + d->x % d->box.pattern_size;
	if (e->read)
		return e->read + off;
	if (physmem_read(d->env.mem, e->pa + off, d->bounce, n)) {
		fail(d, FAULT_BUS_ERROR, ACCESS_READ, va);
		return NULL;
	}
	return d->bounce;
}

static bool piece_write(struct dma *d, uint64_t va, const uint8_t *data, uint32_t n)
{
	uint64_t off = va & (GALENA_PAGE_SIZE - 1);
	const struct tlb_entry *e = &d->dst_page.entry;

	if (e->write) {
		memmove(e->write + off, data, n);
		return true;
	}
	if (physmem_write(d->env.mem, e->pa + off, data, n)) {
		fail(d, FAULT_BUS_ERROR, ACCESS_WRITE, va);
		return false;
	}
	return true;
}

static uint32_t page_rest(uint64_t va) { return (uint32_t)(GALENA_PAGE_SIZE - (va & (GALENA_PAGE_SIZE - 1))); }

/* Moves the next piece. Returns its bytes, 0 on a fault. */
static uint32_t piece_move(struct dma *d, uint64_t *walk, uint64_t *end)
{
	const struct box *b = &d->box;
	uint64_t src = b->src + (uint64_t)d->z * b->src_slice + (uint64_t)d->y * b->src_row + d->x;
	uint64_t dst = b->dst + (uint64_t)d->z * b->dst_slice + (uint64_t)d->y * b->dst_row + d->x;
	uint32_t n = b->width - d->x;
	const uint8_t *data;
	uint64_t t;

	if (n > page_rest(dst))
		n = page_rest(dst);
	if (!b->pattern_size) {
		if (n > page_rest(src))
			n = page_rest(src);
		if (!page_get(d, &d->src_page, src, ACCESS_READ, walk))
			return 0;
	}
	if (!page_get(d, &d->dst_page, dst, ACCESS_WRITE, walk))
		return 0;
	data = piece_read(d, src, n);
	if (!data || !piece_write(d, dst, data, n))
		return 0;
	d->bytes += n;
	if (d->timed) {
		/* the write stream follows the read stream; both are in flight at once */
		if (!b->pattern_size) {
			t = l2_stream(d->env.l2, d->next + *walk,
				      d->src_page.entry.pa + (src & (GALENA_PAGE_SIZE - 1)), n, false);
			*end = *end < t ? t : *end;
		}
		t = l2_stream(d->env.l2, d->next + *walk, d->dst_page.entry.pa + (dst & (GALENA_PAGE_SIZE - 1)), n,
			      true);
		*end = *end < t ? t : *end;
	}
	return n;
}

/* To the next piece; false when the box is done. */
static bool advance(struct dma *d, uint32_t n)
{
	d->x += n;
	if (d->x < d->box.width)
		return true;
	d->x = 0;
	if (++d->y < d->box.height)
		return true;
	d->y = 0;
	return ++d->z < d->box.depth;
}

static void move(struct dma *d)
{
	uint64_t walk = 0, end = d->data_end, issue;
	uint32_t moved = 0, n = 0;
	bool more = true;

	for (unsigned i = 0; more && i < STEP_PIECES && moved < STEP_BYTES; i++) {
		n = piece_move(d, &walk, &end);
		if (!n)
			break;
		moved += n;
		more = advance(d, n);
	}
	if (!d->timed) {
		d->next++;
		d->phase = more && n ? MOVE : END;
		return;
	}
	issue = moved / d->env.config->dram_bytes_cycle + 1;
	issue = d->next + (issue > walk ? issue : walk);
	d->previous_end = d->data_end;
	d->data_end = end;
	if (more && n) {
		d->next = issue > d->previous_end ? issue : d->previous_end;
		return;
	}
	d->phase = END;
	d->next = issue > end ? issue : end;
}

static void finish(struct dma *d)
{
	uint64_t end = d->next;
	unsigned slot = d->slot;

	d->busy &= ~(1u << slot);
	d->phase = d->fifo_count ? FETCH : IDLE;
	d->next = d->fifo_count ? end : UINT64_MAX;
	d->env.done(d->env.ctx, slot, d->start, end, d->fault.code ? &d->fault : NULL);
}

void dma_run(struct dma *d, uint64_t until)
{
	while (d->next <= until) {
		switch (d->phase) {
		case FETCH:
			begin(d);
			break;
		case MOVE:
			move(d);
			break;
		case END:
			finish(d);
			break;
		case IDLE:
			return;
		}
	}
}
