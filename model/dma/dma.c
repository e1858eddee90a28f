/* Time. An engine issues at most dma_bytes_cycle bytes, and at most one piece, a cycle. It reads and
 * writes at once, and issues as far ahead of what has arrived as hides the latency of memory, and not
 * much farther, so that others do not queue behind it; how long memory takes, and that engines share
 * it, is up to l2. Addresses are translated LOOKAHEAD cycles before their bytes are issued, as many at
 * once as that takes, so that a TLB miss costs only what it lasts longer. */
#include "model/dma/dma.h"
#include "model/mem/cache.h"
#include "model/dma/dma_box.h"
#include "model/inject.h"
#include "model/perturb.h"
#include <stdlib.h>
#include <string.h>

enum {
	STEP_CYCLES = 64,  /* timed: what an engine issues before another has its turn */
	STEP_BYTES = 65536, /* functional: the same */
	STEP_PIECES = 1024,
	RUN_BYTES = 65536, /* what the host moves at once: more gains nothing */
	LOOKAHEAD = 1024,
};

/* One side of a transfer: the page last translated. */
struct side {
	struct tlb_entry entry;
	uint64_t epoch;
};

enum phase {
	IDLE,     /* no transfer */
	BEGIN,    /* takes its packet apart, or goes on with what another engine left */
	PATTERN,  /* reads the pattern of a fill */
	MOVE,     /* a step of the box is due */
	MAINTAIN, /* a step of cache maintenance is due */
	END,      /* the last bytes arrive */
};

/* All that is known of a transfer, whichever engine has it. */
struct transfer {
	union packet packet;
	uint64_t asked; /* cycle: no engine can take it before, whatever its own time is */
	uint32_t space;
	bool replay;
	bool stands;      /* at a page fault: no engine has it, until it is replayed */
	enum phase phase; /* what an engine that takes it goes on with; BEGIN: none has begun it */
	struct dma_box box;
	uint64_t x; /* bytes of the row, rows and slices that are done; x also of a pattern or range */
	uint32_t y, z;
	struct dma_result result;
	uint8_t pattern[GALENA_PAGE_SIZE + DMA_PATTERN_MAX]; /* repeated */
};

struct engine {
	enum phase phase;
	uint64_t next; /* when the phase goes on; UINT64_MAX: not by itself */
	unsigned unit, slot;
	struct transfer *t; /* the slot's */
	uint64_t taken;     /* cycle at which it took the transfer */
	uint64_t fresh;     /* cycle before which nothing was translated */
	uint64_t clock;     /* bytes issued since cycle 0, had it never paused */
	uint64_t arrived;   /* when all bytes issued so far are there */
	struct side src, dst;
	struct run {
		uint8_t *dst;
		const uint8_t *src;
		uint64_t bytes;
	} run; /* of a step: moved, but for the bytes themselves */
	uint8_t bounce[GALENA_PAGE_SIZE];
};

struct dma {
	struct dma_params env;
	bool timed;
	uint32_t rate;  /* bytes a cycle of one engine */
	uint64_t ahead; /* cycles that it issues ahead of what arrives */
	unsigned count;
	uint64_t next; /* the earliest of the engines */
	uint64_t bytes, busy_cycles;
	struct perturb perturb;
	struct transfer slots[DMA_SLOTS];
	uint32_t busy; /* one bit a slot */
	uint8_t fifo[DMA_SLOTS];
	unsigned waiting;
	bool reported; /* a transfer has ended or stands */
	bool alone;    /* memory is not looked at between the steps of the one engine that is busy */
	struct engine engines[DMA_MAX_ENGINES];
};

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }

struct dma *dma_create(const struct dma_params *p)
{
	struct dma *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->env = *p;
	d->timed = p->speed == BUS_TIMED;
	d->rate = p->config->dma_bytes_cycle;
	d->ahead = max(p->config->sys_latency, p->config->l2_latency + p->config->dram_latency) + 4 * STEP_CYCLES;
	d->count = p->config->dma_engines;
	perturb_init(&d->perturb, p->config->perturb, UNIT_DMA);
	dma_reset(d);
	return d;
}

void dma_destroy(struct dma *d) { free(d); }

void dma_reset(struct dma *d)
{
	d->busy = 0;
	d->waiting = 0;
	d->next = UINT64_MAX;
	for (unsigned i = 0; i < d->count; i++) {
		d->engines[i].phase = IDLE;
		d->engines[i].next = UINT64_MAX;
		d->engines[i].unit = UNIT_DMA + i;
	}
}

uint32_t dma_busy(const struct dma *d) { return d->busy; }
uint64_t dma_progress(const struct dma *d, unsigned slot) { return d->slots[slot].result.progress; }
uint64_t dma_begun(const struct dma *d, unsigned slot) { return d->slots[slot].asked; }
uint64_t dma_next(const struct dma *d) { return d->next; }
uint64_t dma_bytes(const struct dma *d) { return d->bytes; }

uint64_t dma_busy_cycles(const struct dma *d, uint64_t now)
{
	uint64_t cycles = d->busy_cycles;

	for (unsigned i = 0; i < d->count; i++) {
		const struct engine *e = &d->engines[i];

		if (e->phase != IDLE && e->taken < now)
			cycles += now - e->taken;
	}
	return cycles;
}

/* ---- slots and engines ---- */

/* The engine whose turn it is; of several the first. */
static struct engine *engine_first(struct dma *d)
{
	struct engine *first = d->engines;

	for (unsigned i = 1; i < d->count; i++)
		if (d->engines[i].next < first->next)
			first = &d->engines[i];
	d->next = first->next;
	return first;
}

static void fifo_remove(struct dma *d, unsigned at)
{
	d->waiting--;
	memmove(d->fifo + at, d->fifo + at + 1, d->waiting - at);
}

/* An engine that is free takes the transfer that has waited longest. */
static void engine_take(struct dma *d, struct engine *e, uint64_t now)
{
	e->phase = IDLE;
	e->next = UINT64_MAX;
	if (!d->waiting)
		return;
	e->slot = d->fifo[0];
	fifo_remove(d, 0);
	e->t = &d->slots[e->slot];
	e->phase = BEGIN;
	e->taken = e->next = max(now, e->t->asked);
	if (e->t->phase == BEGIN)
		e->t->result = (struct dma_result){ .slot = e->slot, .start = e->taken };
	e->t->result.unit = e->unit;
}

/* The slot's transfer waits for an engine from cycle now on, behind all that wait. */
static void fifo_add(struct dma *d, unsigned slot, uint64_t now)
{
	d->slots[slot].asked = now;
	d->fifo[d->waiting++] = (uint8_t)slot;
	for (unsigned i = 0; i < d->count && d->waiting; i++)
		if (d->engines[i].phase == IDLE)
			engine_take(d, &d->engines[i], now);
	engine_first(d);
}

void dma_start(struct dma *d, const struct dma_start *in, uint64_t cycle)
{
	struct transfer *t = &d->slots[in->slot];

	if (d->busy >> in->slot & 1)
		return;
	d->busy |= 1u << in->slot;
	t->packet = in->packet;
	t->space = in->space;
	t->replay = in->replay;
	t->stands = false;
	t->phase = BEGIN;
	t->result = (struct dma_result){ .slot = in->slot }; /* an engine that takes it says more */
	fifo_add(d, in->slot, cycle);
}

static struct engine *engine_of(struct dma *d, unsigned slot)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->engines[i].phase != IDLE && d->engines[i].slot == slot)
			return &d->engines[i];
	return NULL;
}

uint64_t dma_since(struct dma *d, unsigned slot) { return engine_of(d, slot) ? engine_of(d, slot)->taken : 0; }

/* The engine leaves its transfer at cycle now, and has another one if any waits. */
static void engine_leave(struct dma *d, struct engine *e, uint64_t now)
{
	d->busy_cycles += now - e->taken;
	engine_take(d, e, now);
	engine_first(d);
}

/* The slot's transfer, which has begun, ends with what its result says. */
static void transfer_end(struct dma *d, unsigned slot)
{
	struct transfer *t = &d->slots[slot];
	struct dma_result r = t->result;

	EVENT_SEND(d->env.mem->events, .cycle = r.end, .kind = EVENT_DMA_END, .unit = (uint16_t)r.unit,
		   .queue = (uint16_t)slot, .asid = (uint16_t)t->space, .a = r.progress, .b = r.code);
	d->busy &= ~(1u << slot);
	d->reported = true;
	d->env.result(d->env.ctx, &r, r.end);
}

static void fail(struct transfer *t, enum fault code, enum access access, uint64_t address)
{
	t->result.code = code;
	t->result.access = access;
	t->result.address = address;
}

void dma_abort(struct dma *d, const struct dma_abort *in, uint64_t now)
{
	const unsigned slot = in->slot;
	struct transfer *t = &d->slots[slot];
	struct engine *e;

	if (!(d->busy >> slot & 1))
		return;
	e = engine_of(d, slot);
	for (unsigned i = 0; i < d->waiting; i++)
		if (d->fifo[i] == slot)
			fifo_remove(d, i);
	if (t->phase == BEGIN && !e) { /* no engine has begun it */
		const struct dma_result r = { .slot = slot, .start = now, .end = now, .code = FAULT_ABORTED, .unit = UNIT_DMA };

		d->busy &= ~(1u << slot);
		d->env.result(d->env.ctx, &r, now);
		return;
	}
	fail(t, FAULT_ABORTED, ACCESS_READ, 0);
	t->result.end = max(now, e ? e->taken : t->result.end);
	if (e)
		engine_leave(d, e, t->result.end);
	transfer_end(d, slot);
}

bool dma_stands(const struct dma *d, unsigned slot) { return d->busy >> slot & 1 && d->slots[slot].stands; }

void dma_replay(struct dma *d, const struct dma_replay *in, uint64_t now)
{
	struct transfer *t = &d->slots[in->slot];

	if (!dma_stands(d, in->slot))
		return;
	t->stands = false;
	fail(t, FAULT_NONE, ACCESS_READ, 0);
	fifo_add(d, in->slot, max(now, t->result.end));
}

/* ---- pieces: bytes that lie in one page ---- */

static uint64_t page_offset(uint64_t va) { return va & (GALENA_PAGE_SIZE - 1); }
/* Bytes of the page from va on, and before va. */
static uint64_t page_after(uint64_t va) { return GALENA_PAGE_SIZE - page_offset(va); }
static uint64_t page_before(uint64_t va) { return page_offset(va - 1) + 1; }

/* Cycle at which the next byte is issued. */
static uint64_t issue_cycle(const struct dma *d, const struct engine *e)
{
	return d->timed ? e->clock / d->rate : e->next;
}

/* Makes the page of va that of this side, for bytes that could be issued at cycle issue; address is
 * what a fault tells. */
static bool page_get(struct dma *d, struct engine *e, struct side *s, uint64_t issue, uint64_t va, enum access access,
		     uint64_t address)
{
	const struct tlb_entry *entry = NULL;
	uint32_t cycles = 0;
	enum fault f;

	if (s->entry.key == tlb_key(va, e->t->space) && s->epoch == *mmu_epoch(d->env.mmu))
		return true;
	/* asked for now as far as others can tell: nothing happens in the past */
	f = mmu_translate(d->env.mmu, e->unit, e->t->space, va, access, issue, &entry, &cycles);
	if (d->timed)
		e->clock = max(e->clock, (max(e->fresh, issue > LOOKAHEAD ? issue - LOOKAHEAD : 0) + cycles) * d->rate);
	if (f) {
		fail(e->t, f, access, address);
		return false;
	}
	s->entry = *entry;
	s->epoch = *mmu_epoch(d->env.mmu);
	return true;
}

static void access_report(struct dma *d, const struct engine *e, enum event_kind kind, uint64_t va, uint64_t pa,
			  uint64_t n)
{
	EVENT_SEND(d->env.mem->events, .cycle = issue_cycle(d, e), .kind = (uint16_t)kind, .unit = (uint16_t)e->unit,
		   .queue = (uint16_t)e->slot, .asid = (uint16_t)e->t->space, .a = va, .b = pa, .c = n);
}

/* Pieces that lie side by side on the host, on both sides, are moved together: at the end of the step at the latest
 * (of the last one, when an engine is alone), before anybody else can look, and before any other access of the engine. */
static void run_flush(struct engine *e)
{
	if (e->run.bytes)
		memcpy(e->run.dst, e->run.src, e->run.bytes);
	e->run.bytes = 0;
}

static bool apart(const uint8_t *a, const uint8_t *b, uint64_t n)
{
	return (a < b ? (uint64_t)(b - a) : (uint64_t)(a - b)) >= n;
}

static void run_add(struct engine *e, uint8_t *dst, const uint8_t *src, uint64_t n)
{
	struct run *r = &e->run;

	if (r->bytes && r->bytes < RUN_BYTES && r->dst + r->bytes == dst && r->src + r->bytes == src && apart(r->dst, r->src, r->bytes + n)) {
		r->bytes += n;
		return;
	}
	run_flush(e);
	if (apart(dst, src, n))
		*r = (struct run){ dst, src, n };
	else
		memmove(dst, src, n);
}

/* n bytes at va, in the source's page, where they can be read; NULL on a fault, of which address
 * tells. */
static const uint8_t *piece_read(struct dma *d, struct engine *e, uint64_t va, uint64_t n, uint64_t address)
{
	const struct tlb_entry *t = &e->src.entry;
	uint64_t pa = t->pa + page_offset(va);
	enum fault f;

	if (t->read) {
		access_report(d, e, EVENT_READ, va, pa, n);
		return t->read + page_offset(va);
	}
	run_flush(e);
	physmem_by(d->env.mem, e->unit, issue_cycle(d, e));
	f = t->cached ? cache_read(d->env.mem->cache, pa, e->bounce, n, issue_cycle(d, e))
		      : physmem_read(d->env.mem, pa, e->bounce, n);
	if (f) {
		fail(e->t, f, ACCESS_READ, address);
		return NULL;
	}
	access_report(d, e, EVENT_READ, va, pa, n);
	return e->bounce;
}

/* data: the source's page itself, the bounce buffer or the pattern, which stay as they are for this call only. */
static bool piece_write(struct dma *d, struct engine *e, uint64_t va, const uint8_t *data, uint64_t n, uint64_t address)
{
	const struct tlb_entry *t = &e->dst.entry;
	uint64_t pa = t->pa + page_offset(va);
	enum fault f = FAULT_NONE;

	physmem_by(d->env.mem, e->unit, issue_cycle(d, e));
	if (t->write && !e->t->box.pattern_size && e->src.entry.read) {
		run_add(e, t->write + page_offset(va), data, n);
	} else if (t->write) {
		memcpy(t->write + page_offset(va), data, n);
	} else {
		run_flush(e);
		f = t->cached ? cache_write(d->env.mem->cache, pa, data, n, issue_cycle(d, e))
			      : physmem_write(d->env.mem, pa, data, n);
	}
	if (f) {
		fail(e->t, f, ACCESS_WRITE, address);
		return false;
	}
	access_report(d, e, EVENT_WRITE, va, pa, n);
	return true;
}

/* The time that a piece takes on memory's side. */
static void piece_stream(struct dma *d, struct engine *e, const struct side *s, uint64_t va, uint64_t n, bool write)
{
	if (d->timed)
		e->arrived = max(e->arrived, l2_stream(d->env.l2, e->clock / d->rate,
						       s->entry.pa + page_offset(va), n, write));
}

/* ---- phases of a transfer ---- */

/* An engine begins, or goes on: n bytes are left. */
static void transfer_report(struct dma *d, const struct engine *e, uint64_t src, uint64_t dst, uint64_t n)
{
	EVENT_SEND(d->env.mem->events, .cycle = e->taken, .kind = EVENT_DMA_START, .unit = (uint16_t)e->unit,
		   .queue = (uint16_t)e->slot, .asid = (uint16_t)e->t->space, .a = src, .b = dst, .c = n);
}

static void maintain_begin(struct dma *d, struct engine *e)
{
	const struct packet_cache *p = &e->t->packet.cache;

	if (p->op < CACHE_CLEAN || p->op > (CACHE_CLEAN | CACHE_INVALIDATE) || p->reserved1) {
		fail(e->t, FAULT_BAD_PACKET, ACCESS_READ, 0);
		e->phase = END;
		return;
	}
	transfer_report(d, e, p->address, 0, 0);
	EVENT_SEND(d->env.mem->events, .cycle = e->taken, .kind = EVENT_MAINTAIN, .unit = (uint16_t)e->unit,
		   .queue = (uint16_t)e->slot, .asid = (uint16_t)e->t->space, .a = p->address, .b = p->size, .c = p->op);
	e->phase = d->env.mem->cache ? MAINTAIN : END;
}

/* An injected stall: before the first byte, or the first behind a replay. */
static void hold(struct dma *d, struct engine *e)
{
	struct inject *inject = d->env.mem->inject;
	uint64_t cycles;

	if (!inject || !inject_fires(inject, INJECT_DMA_STALL, e->slot, 0, e->taken))
		return;
	cycles = inject_arg(inject, INJECT_DMA_STALL);
	e->next = cycles && cycles < UINT64_MAX - e->next ? e->next + cycles : UINT64_MAX;
}

static void begin(struct dma *d, struct engine *e)
{
	struct transfer *t = e->t;

	t->x = t->y = t->z = 0;
	if (t->packet.head.type == PACKET_CODE_cache) {
		maintain_begin(d, e);
	} else if (!dma_box_make(&t->box, &t->packet)) {
		fail(t, FAULT_BAD_PACKET, ACCESS_READ, 0);
		e->phase = END;
	} else {
		e->phase = t->box.pattern_size ? PATTERN : MOVE;
		transfer_report(d, e, t->box.src, t->box.dst, dma_box_bytes(&t->box));
	}
}

/* With the piece that faulted. */
static void resume(struct dma *d, struct engine *e)
{
	const struct transfer *t = e->t;
	uint64_t bytes;

	e->phase = t->phase;
	if (t->phase == MAINTAIN) {
		transfer_report(d, e, t->packet.cache.address, 0, 0);
		return;
	}
	bytes = dma_box_bytes(&t->box);
	if (bytes != UINT64_MAX) /* more than can be counted stays so */
		bytes -= t->result.progress;
	transfer_report(d, e, t->box.src, t->box.dst, bytes);
}

/* An engine knows nothing of what another, or it before, has translated for the transfer. */
static void prepare(struct dma *d, struct engine *e)
{
	e->src.entry.key = e->dst.entry.key = 0;
	e->fresh = e->arrived = e->next;
	e->next += (d->timed ? d->env.config->dma_setup : 1) + perturb_stall(&d->perturb, 2000);
	e->clock = 0;
	if (e->t->phase == BEGIN)
		begin(d, e);
	else
		resume(d, e);
	hold(d, e);
}

/* After a fault: what is under way arrives, then it ends or stands. */
static void stop(struct engine *e)
{
	e->t->phase = e->phase;
	e->phase = END;
	e->next = max(e->next, e->arrived);
}

static void clock_begin(struct dma *d, struct engine *e)
{
	if (d->timed)
		e->clock = max(e->clock, e->next * d->rate);
}

static uint64_t clock_cycle(const struct dma *d, const struct engine *e)
{
	return d->timed ? (e->clock + d->rate - 1) / d->rate : e->next + 1;
}

/* A pattern lies in two pages at most. */
static void pattern_load(struct dma *d, struct engine *e)
{
	uint64_t size = e->t->box.pattern_size;

	clock_begin(d, e);
	while (e->t->x < size) {
		uint64_t va = e->t->box.src + e->t->x, n = min(size - e->t->x, page_after(va));
		const uint8_t *data;

		data = page_get(d, e, &e->src, issue_cycle(d, e), va, ACCESS_READ, va) ? piece_read(d, e, va, n, va) : NULL;
		if (!data) {
			e->next = clock_cycle(d, e);
			stop(e);
			return;
		}
		memcpy(e->t->pattern + e->t->x, data, n);
		piece_stream(d, e, &e->src, va, n, false);
		e->t->x += n;
	}
	for (uint64_t i = size; i < sizeof(e->t->pattern); i++)
		e->t->pattern[i] = e->t->pattern[i - size];
	e->t->x = 0;
	e->phase = MOVE;
	e->next = max(clock_cycle(d, e), e->arrived);
}

/* Moves the next piece. Returns its bytes, 0 on a fault. */
static uint64_t piece_move(struct dma *d, struct engine *e, uint64_t limit)
{
	const struct dma_box *b = &e->t->box;
	uint64_t y = b->backward ? b->rows - 1 - e->t->y : e->t->y, z = b->backward ? b->slices - 1 - e->t->z : e->t->z;
	uint64_t src = b->src + z * b->src_slice + y * b->src_row;
	uint64_t dst = b->dst + z * b->dst_slice + y * b->dst_row;
	uint64_t n = min(b->width - e->t->x, limit), issue = issue_cycle(d, e);
	uint64_t last = 0; /* from the piece's begin to its first byte in order */
	const uint8_t *data;

	if (b->backward) {
		uint64_t top = b->width - e->t->x;

		n = min(n, min(page_before(src + top), page_before(dst + top)));
		last = n - 1;
		src += top - n;
		dst += top - n;
	} else {
		src += e->t->x;
		dst += e->t->x;
		n = min(n, page_after(dst));
		if (!b->pattern_size)
			n = min(n, page_after(src));
	}
	if (b->pattern_size) {
		src = b->src;
		data = e->t->pattern + e->t->x % b->pattern_size;
		if (!page_get(d, e, &e->dst, issue, dst, ACCESS_WRITE, dst))
			return 0;
	} else {
		if (!page_get(d, e, &e->src, issue, src, ACCESS_READ, src + last) ||
		    !page_get(d, e, &e->dst, issue, dst, ACCESS_WRITE, dst + last))
			return 0;
		data = piece_read(d, e, src, n, src + last);
		if (!data)
			return 0;
		piece_stream(d, e, &e->src, src, n, false);
	}
	if (!piece_write(d, e, dst, data, n, dst + last))
		return 0;
	piece_stream(d, e, &e->dst, dst, n, true);
	EVENT_SEND(d->env.mem->events, .cycle = issue_cycle(d, e), .kind = EVENT_DMA_BEAT, .unit = (uint16_t)e->unit,
		   .queue = (uint16_t)e->slot, .asid = (uint16_t)e->t->space, .a = src, .b = dst, .c = n);
	e->clock += max(n, d->rate);
	e->t->result.progress += n;
	d->bytes += n;
	return n;
}

/* To the next piece; false when the box is done. */
static bool advance(struct engine *e, uint64_t n)
{
	e->t->x += n;
	if (e->t->x < e->t->box.width)
		return true;
	e->t->x = 0;
	if (++e->t->y < e->t->box.rows)
		return true;
	e->t->y = 0;
	return ++e->t->z < e->t->box.slices;
}

/* Pieces up to the end of the step. False on a fault; *more: the box is not done. */
static bool move_pieces(struct dma *d, struct engine *e, uint64_t limit, bool *more)
{
	uint64_t from = e->clock;

	for (unsigned i = 0; *more && i < STEP_PIECES && e->clock - from < limit; i++) {
		uint64_t n = piece_move(d, e, limit);

		if (!n)
			return false;
		*more = advance(e, n);
	}
	return true;
}

static void move(struct dma *d, struct engine *e)
{
	uint64_t limit = d->timed ? (uint64_t)STEP_CYCLES * d->rate : STEP_BYTES;
	bool more = true, ok;

	clock_begin(d, e);
	ok = move_pieces(d, e, limit, &more);
	if (!d->alone || !ok || !more)
		run_flush(e);
	e->next = clock_cycle(d, e);
	if (!ok) {
		stop(e);
		return;
	}
	if (!more) {
		e->phase = END;
		e->next = max(e->next, e->arrived);
		return;
	}
	e->next = max(e->next, e->arrived > d->ahead ? e->arrived - d->ahead : 0);
}

/* A page of the range, or the whole cache. A line takes a cycle. */
static void maintain(struct dma *d, struct engine *e)
{
	const struct packet_cache *p = &e->t->packet.cache;
	const struct device_config *c = d->env.config;
	uint64_t va = p->address + e->t->x, n = min(p->size - e->t->x, page_after(va)), lines;
	uint64_t pa = 0;
	enum fault f;

	clock_begin(d, e);
	if (p->size) {
		if (!page_get(d, e, &e->src, issue_cycle(d, e), va, ACCESS_READ, va)) {
			e->next = clock_cycle(d, e);
			stop(e);
			return;
		}
		pa = e->src.entry.pa + page_offset(va);
	}
	lines = p->size ? (va + n - 1) / c->line_bytes - va / c->line_bytes + 1 : c->l2_bytes / c->line_bytes;
	e->next = clock_cycle(d, e) + (d->timed ? lines : 0);
	physmem_by(d->env.mem, e->unit, e->next);
	f = cache_maintain(d->env.mem->cache, pa, p->size ? n : 0, p->op, e->next);
	if (d->timed)
		e->next = max(e->next, cache_written(d->env.mem->cache));
	e->t->x += n;
	if (f)
		fail(e->t, f, ACCESS_WRITE, p->size ? va : 0);
	if (f || e->t->x == p->size)
		e->phase = END;
}

static bool replayable(enum fault f)
{
	return f == FAULT_PAGE_NOT_PRESENT || f == FAULT_PAGE_READ || f == FAULT_PAGE_WRITE;
}

static void end(struct dma *d, struct engine *e)
{
	struct transfer *t = e->t;
	unsigned slot = e->slot;
	struct dma_result r;

	t->result.end = e->next;
	r = t->result;
	if (r.code)
		EVENT_SEND(d->env.mem->events, .cycle = r.end, .kind = EVENT_FAULT, .unit = (uint16_t)e->unit,
			   .queue = (uint16_t)slot, .asid = (uint16_t)t->space, .a = r.address, .b = r.code,
			   .c = r.access);
	engine_leave(d, e, r.end);
	r.stands = t->stands = t->replay && replayable(r.code);
	d->reported = true;
	if (t->stands)
		d->env.result(d->env.ctx, &r, r.end);
	else
		transfer_end(d, slot);
}

void dma_tick(struct dma *d, uint64_t until)
{
	struct engine *e;

	while ((e = engine_first(d))->next <= until) {
		switch (e->phase) {
		case BEGIN:
			prepare(d, e);
			break;
		case PATTERN:
			pattern_load(d, e);
			break;
		case MOVE:
			move(d, e);
			break;
		case MAINTAIN:
			maintain(d, e);
			break;
		case END:
			end(d, e);
			break;
		case IDLE:
			return;
		}
	}
}

static unsigned engines_busy(const struct dma *d)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->count; i++)
		n += d->engines[i].phase != IDLE;
	return n;
}

uint64_t dma_tick_alone(struct dma *d, uint64_t until, uint64_t limit)
{
	d->reported = false;
	d->alone = engines_busy(d) == 1 && !d->waiting;
	for (;;) {
		uint64_t next;

		dma_tick(d, until);
		next = max(d->next, until);
		if (d->reported || next >= limit - 1)
			break;
		until = next + 1;
	}
	d->alone = false;
	for (unsigned i = 0; i < d->count; i++)
		run_flush(&d->engines[i]);
	return until;
}
