/* Random transfers on several engines at once against a byte array: boxes of every kind, overlaps,
 * patterns, pages that are not there, not writable or not pinned, aborts and replays, also of more
 * transfers that stand than there are engines. Each transfer
 * has a stripe of the area to itself, so that its outcome does not depend on the others. */
#include "model/mem/cache.h"
#include "model/dma/dma.h"
#include "testbench/model/dma_predict.h"
#include "testbench/model/fixture.h"

enum { REPLAYS = 1, STANDS = 1 << 8 }; /* flags of a plan */
enum { STRIPES = 8, STRIPE_PAGES = 8, PAGES = STRIPES * STRIPE_PAGES, STRIPE = STRIPE_PAGES * 4096, ASID = 9 };
/* The last two stripes lie in a 2 MiB page. */
enum { HUGE_FIRST = 6 * STRIPE_PAGES };
#define AREA ((3ull << 30) - HUGE_FIRST * 4096)
#define HUGE_PA (DRAM_BASE + (2ull << 20))

enum page_state {
	PAGE_GOOD,
	PAGE_ABSENT,    /* PAGE_NOT_PRESENT */
	PAGE_CONSTANT,  /* not writable */
	PAGE_UNPINNED,  /* BUS_ERROR; a cache that holds lines tells later, so not there */
	PAGE_CACHED_STATES = PAGE_UNPINNED,
	PAGE_PIN_CONSTANT = PAGE_UNPINNED + 1, /* pinned for reading alone: BUS_ERROR on a write */
	PAGE_STATES,
};

struct expected {
	enum fault code;
	enum access access;
	uint64_t address;
};

/* A transfer, and how far the prediction of it has gone. */
struct plan {
	unsigned stripe, flags;
	bool running, refused, aborted;
	union packet packet;
	struct moves moves;
	uint8_t value[PREDICT_BYTES]; /* what each move writes */
	unsigned at;
};

/* What the events say that each engine does. */
struct watch {
	struct event_sink sink; /* first */
	int slot[DMA_MAX_ENGINES]; /* whose transfer it has, or -1 */
	unsigned ends;
};

struct world {
	struct host h;
	struct physmem m;
	struct l2 *l2;
	struct mmu *mmu;
	struct dma *dma;
	uint64_t contexts;
	uint64_t pa[PAGES];
	enum page_state state[PAGES];
	uint8_t bytes[PAGES * 4096];
	struct plan plan[DMA_SLOTS];
	unsigned running, standing;
	struct watch watch;
	uint64_t now, pace; /* cycles between what the test does */
	/* reached */
	unsigned done, faults, replays, aborts, refused, overlaps, parked, most_standing;
};

/* ---- pages ---- */

static bool page_is_system(const struct world *w, unsigned page) { return w->pa[page] >= SYSTEM_BASE; }

static uint8_t *page_bytes(struct world *w, unsigned page)
{
	return page_is_system(w, page) ? host_at(&w->h, w->pa[page]) : w->m.dram + (w->pa[page] - DRAM_BASE);
}

static void page_set(struct world *w, unsigned page, enum page_state state)
{
	uint64_t bits = state == PAGE_ABSENT ? 0 : state == PAGE_CONSTANT ? PTE_V | PTE_U | PTE_R : PTE_RW;
	enum host_rights rights = state == PAGE_UNPINNED ? HOST_UNPINNED : state == PAGE_PIN_CONSTANT ? HOST_READ : HOST_WRITE;

	if (page >= HUGE_FIRST) /* one entry for all */
		return;
	if (!page_is_system(w, page) && rights != HOST_WRITE)
		return;
	w->state[page] = state;
	table_map(&w->h, w->contexts, ASID, AREA + page * 4096ull, w->pa[page], bits);
	if (page_is_system(w, page))
		host_pin(&w->h, (w->pa[page] - SYSTEM_BASE) / 4096, rights);
	mmu_invalidate(w->mmu, MMU_PAGE, ASID, AREA + page * 4096ull);
	mmu_check_generation(w->mmu);
}

static enum fault page_access(const struct world *w, uint64_t va, enum access access)
{
	switch (w->state[(va - AREA) / 4096]) {
	case PAGE_ABSENT:
		return FAULT_PAGE_NOT_PRESENT;
	case PAGE_CONSTANT:
		return access == ACCESS_WRITE ? FAULT_PAGE_WRITE : FAULT_NONE;
	case PAGE_UNPINNED:
		return FAULT_BUS_ERROR;
	case PAGE_PIN_CONSTANT:
		return access == ACCESS_WRITE ? FAULT_BUS_ERROR : FAULT_NONE;
	default:
		return FAULT_NONE;
	}
}

/* ---- prediction ---- */

/* Goes on with the plan until a fault, its end, or limit bytes written in all. */
static struct expected plan_run(struct world *w, struct plan *p, uint64_t limit)
{
	const struct packet_fill *fill = &p->packet.fill;
	bool is_fill = p->packet.head.type == PACKET_CODE_fill;

	if (p->refused)
		return (struct expected){ FAULT_BAD_PACKET, ACCESS_READ, 0 };
	for (unsigned i = 0; is_fill && !p->at && limit && i < fill->pattern_size; i++)
		if (page_access(w, fill->pattern + i, ACCESS_READ))
			return (struct expected){ page_access(w, fill->pattern + i, ACCESS_READ), ACCESS_READ,
						  fill->pattern + i };
	for (; p->at < p->moves.count && p->at < limit; p->at++) {
		const struct move *m = &p->moves.move[p->at];
		enum fault r = is_fill ? FAULT_NONE : page_access(w, m->src, ACCESS_READ);
		enum fault f = page_access(w, m->dst, ACCESS_WRITE);

		/* an access in memory's own order: translations of both sides come before it */
		if (r && r != FAULT_BUS_ERROR)
			return (struct expected){ r, ACCESS_READ, m->src };
		if (f && f != FAULT_BUS_ERROR)
			return (struct expected){ f, ACCESS_WRITE, m->dst };
		if (r)
			return (struct expected){ r, ACCESS_READ, m->src };
		if (f)
			return (struct expected){ f, ACCESS_WRITE, m->dst };
		w->bytes[m->dst - AREA] = p->value[p->at];
	}
	return (struct expected){ FAULT_NONE, ACCESS_READ, 0 };
}

/* ---- transfers ---- */

static uint64_t box_extent(uint32_t width, uint32_t rows, uint32_t row, uint32_t slices, uint32_t slice)
{
	return (uint64_t)(slices - 1) * slice + (uint64_t)(rows - 1) * row + width;
}

static void random_pitches(uint32_t width, uint32_t rows, uint32_t *row, uint32_t *slice)
{
	*row = random_below(6) ? width + (uint32_t)random_below(100) : (uint32_t)random_below(width + 1);
	*slice = random_below(6) ? *row * rows + (uint32_t)random_below(300) : (uint32_t)random_below(*row * rows + 1);
	if (!random_below(8)) { /* planes line by line */
		*slice = width + (uint32_t)random_below(50);
		*row = *slice * 4;
	}
}

static void random_transfer(struct world *w, struct plan *p)
{
	uint64_t base = AREA + (uint64_t)p->stripe * STRIPE, src_size, dst_size;
	uint32_t width, rows, slices, src_row, src_slice, dst_row, dst_slice, pattern = 0;
	enum predicted predicted = PREDICT_IN_ORDER;

	do {
		width = 1 + (uint32_t)random_below(random_below(3) ? 300 : 20000);
		rows = random_below(3) ? 1 + (uint32_t)random_below(12) : 1;
		slices = random_below(3) ? 1 + (uint32_t)random_below(4) : 1;
		random_pitches(width, rows, &dst_row, &dst_slice);
		src_row = dst_row;
		src_slice = dst_slice;
		if (!random_below(4))
			random_pitches(width, rows, &src_row, &src_slice);
		src_size = box_extent(width, rows, src_row, slices, src_slice);
		dst_size = box_extent(width, rows, dst_row, slices, dst_slice);
	} while (src_size > STRIPE || dst_size > STRIPE || (uint64_t)width * rows * slices > PREDICT_BYTES);
	if (!random_below(4)) {
		pattern = 1 + (uint32_t)random_below(128);
		width = width / pattern * pattern;
		if (!width)
			width = pattern = 1;
	}
	p->packet = (union packet){ .copy = { .head.type = PACKET_CODE_copy,
					      .src = base + random_below(STRIPE - src_size + 1),
					      .dst = base + random_below(STRIPE - dst_size + 1),
					      .width = width,
					      .height = rows,
					      .depth = slices,
					      .src_row = src_row,
					      .src_slice = src_slice,
					      .dst_row = dst_row,
					      .dst_slice = dst_slice } };
	if (!random_below(3)) /* near by */
		p->packet.copy.dst = p->packet.copy.src + random_below(dst_size / 8 + 1);
	if (p->packet.copy.dst + dst_size > base + STRIPE)
		p->packet.copy.dst = base;
	if (pattern) {
		uint64_t dst = p->packet.copy.dst;

		p->packet = (union packet){ .fill = { .head.type = PACKET_CODE_fill,
						      .pattern = base + random_below(STRIPE - pattern),
						      .dst = dst,
						      .width = width,
						      .height = rows,
						      .depth = slices,
						      .pattern_size = pattern,
						      .dst_row = dst_row,
						      .dst_slice = dst_slice } };
		moves_of_fill(&p->moves, &p->packet.fill);
	} else {
		predicted = copy_predict(&p->moves, &p->packet.copy);
	}
	p->refused = predicted == PREDICT_REFUSED;
	w->overlaps += predicted == PREDICT_ASCENDING || predicted == PREDICT_DESCENDING;
	p->at = 0;
	p->aborted = false;
	for (unsigned i = 0; i < p->moves.count && !p->refused; i++)
		p->value[i] = w->bytes[p->moves.move[i].src - AREA];
}

static void compare(const struct dma_result *r, struct expected e, const struct plan *p)
{
	if (r->code != e.code || r->access != e.access || r->address != e.address ||
	    r->progress != (p->refused ? 0 : p->at))
		fail_msg("fault %d access %d address %lx progress %lu, expected %d %d %lx %u", r->code, r->access, r->address,
			 r->progress, e.code, e.access, e.address, p->at);
}

/* ---- events ---- */

/* An engine begins what it goes on with, moves bytes of that alone, and is free at a fault or the end;
 * the end of what stands or waits again is told under the engine that had it last. */
static void watch_event(struct event_sink *s, const struct event *e)
{
	struct watch *w = (struct watch *)s;
	int *has;

	if (e->unit < UNIT_DMA || e->unit >= UNIT_DMA + DMA_MAX_ENGINES)
		return;
	has = &w->slot[e->unit - UNIT_DMA];
	switch (e->kind) {
	case EVENT_DMA_START:
		assert_int_equal(*has, -1);
		for (unsigned i = 0; i < DMA_MAX_ENGINES; i++)
			assert_int_not_equal(w->slot[i], e->queue);
		*has = e->queue;
		break;
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_DMA_BEAT:
		assert_int_equal(*has, e->queue);
		break;
	case EVENT_FAULT:
		assert_true(*has == e->queue || (*has == -1 && e->b == FAULT_BAD_PACKET));
		*has = -1;
		break;
	case EVENT_DMA_END:
		for (unsigned i = 0; i < DMA_MAX_ENGINES; i++)
			if (w->slot[i] == e->queue)
				assert_ptr_equal(&w->slot[i], has);
		if (*has == e->queue)
			*has = -1;
		w->ends++;
		break;
	}
}

static void ended(struct world *w, struct plan *p, const struct dma_result *r)
{
	assert_true(p->running);
	assert_true(r->end >= r->start && r->unit >= UNIT_DMA && r->unit < UNIT_DMA + DMA_MAX_ENGINES);
	if (p->aborted) {
		assert_int_equal(r->code, FAULT_ABORTED);
		assert_int_equal(r->address, 0);
		if (!p->refused)
			assert_int_equal(plan_run(w, p, r->progress).code, FAULT_NONE);
		assert_int_equal(r->progress, p->refused ? 0 : p->at);
		w->aborts++;
		w->parked += p->flags / STANDS;
		w->standing -= p->flags / STANDS;
	} else {
		struct expected e = plan_run(w, p, UINT64_MAX);

		compare(r, e, p);
		w->faults += e.code != FAULT_NONE;
		w->refused += p->refused;
	}
	p->running = false;
	w->running--;
	w->done++;
}

static bool page_fault(enum fault f) { return f == FAULT_PAGE_NOT_PRESENT || f == FAULT_PAGE_READ || f == FAULT_PAGE_WRITE; }

/* Mends the page; the transfer goes on later, in round_run. */
static void stood(struct world *w, struct plan *p, const struct dma_result *r)
{
	struct expected e = plan_run(w, p, UINT64_MAX);

	assert_true(p->running && p->flags & REPLAYS && page_fault(e.code));
	compare(r, e, p);
	page_set(w, (unsigned)((e.address - AREA) / 4096), PAGE_GOOD);
	w->replays++;
	p->flags |= STANDS;
	if (++w->standing > w->most_standing)
		w->most_standing = w->standing;
}

static void on_result(void *ctx, const struct dma_result *r, uint64_t cycle)
{
	struct world *w = ctx;

	(void)cycle;
	(r->stands ? stood : ended)(w, &w->plan[r->slot], r);
}

/* ---- rounds ---- */

/* What the device holds goes to memory first; every page is dropped, too, half of the time. */
static void contents_check(struct world *w)
{
	if (w->m.cache)
		assert_int_equal(cache_maintain(w->m.cache, 0, 0, random_below(2) ? CACHE_CLEAN : CACHE_CLEAN | CACHE_INVALIDATE,
						w->now), FAULT_NONE);
	for (unsigned p = 0; p < PAGES; p++)
		assert_memory_equal(page_bytes(w, p), w->bytes + p * 4096, 4096);
}

/* In a storm all transfers stand again and again, and mending takes its time. */
static void round_run(struct world *w)
{
	bool storm = !random_below(4);
	unsigned count = storm ? STRIPES : 1 + (unsigned)random_below(STRIPES), patience = storm ? 30 : 2;

	for (unsigned page = 0; page < HUGE_FIRST; page++) {
		enum page_state bad = storm ? PAGE_ABSENT + (enum page_state)random_below(2) :
					      (enum page_state)random_below(w->m.cache ? PAGE_CACHED_STATES : PAGE_STATES);

		page_set(w, page, random_below(storm ? 3 : 8) ? PAGE_GOOD : bad);
	}
	for (unsigned s = 0; s < count; s++) {
		unsigned slot = (unsigned)random_below(DMA_SLOTS);
		struct plan *p;

		while (w->plan[slot].running)
			slot = (slot + 1) % DMA_SLOTS;
		p = &w->plan[slot];
		p->stripe = s;
		p->flags = storm || random_below(2) ? REPLAYS : 0;
		random_transfer(w, p);
		p->running = true;
		w->running++;
		dma_start(w->dma, &(struct dma_start){ .slot = slot, .packet = p->packet, .space = ASID, .replay = p->flags & REPLAYS }, w->now);
		dma_start(w->dma, &(struct dma_start){ .slot = slot, .packet = p->packet, .space = ASID, .replay = p->flags & REPLAYS }, w->now);
		w->now += random_below(w->pace);
		dma_tick(w->dma, w->now);
	}
	while (w->running) {
		unsigned slot = (unsigned)random_below(DMA_SLOTS);
		struct plan *p = &w->plan[slot];

		if (!p->running)
			continue;
		w->now += random_below(w->pace);
		dma_tick(w->dma, w->now);
		if (p->flags & STANDS && p->running && !random_below(patience)) {
			p->flags = REPLAYS;
			w->standing--;
			dma_replay(w->dma, &(struct dma_replay){ slot }, w->now);
		} else if (p->running && !random_below(p->flags >> 8 ? 4 * patience : w->pace / 10 + 8)) {
			p->aborted = true;
			dma_abort(w->dma, &(struct dma_abort){ slot }, w->now);
			assert_false(p->running);
		} else if (!random_below(20)) {
			mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
		} else if (!(p->flags >> 8)) {
			dma_replay(w->dma, &(struct dma_replay){ slot }, w->now); /* it does not stand: nothing */
		}
	}
	assert_int_equal(dma_busy(w->dma), 0);
	contents_check(w);
}

static void random_run(const char *spec, enum bus_speed speed, bool observed, unsigned rounds)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, observed);
	struct device_config c;
	char error[256];
	bool failed;

	assert_int_equal(device_config_parse(spec, &c, error, sizeof(error)), 0);
	assert_int_equal(physmem_init(&w->m, 16 << 20, &sys), 0);
	w->m.cache = cache_create(&c, &w->m, NULL, &failed);
	assert_false(failed);
	w->l2 = l2_create(&c, speed);
	w->mmu = mmu_create(&c, &w->m, w->l2);
	for (unsigned i = 0; i < DMA_MAX_ENGINES; i++)
		w->watch.slot[i] = -1;
	w->watch.sink.event = watch_event;
	if (c.dma_engines <= 2)
		w->m.events = &w->watch.sink;
	w->dma = dma_create(&(struct dma_params){ .config = &c,
						  .speed = speed,
						  .mem = &w->m,
						  .mmu = w->mmu,
						  .l2 = w->l2,
						  .result = on_result,
						  .ctx = w });
	w->contexts = host_page(&w->h);
	mmu_set_context_table(w->mmu, w->contexts);
	*table_entry(&w->h, w->contexts, ASID, AREA + HUGE_FIRST * 4096ull, 1) = pte_make(HUGE_PA, PTE_RW);
	for (unsigned p = 0; p < PAGES; p++) {
		w->pa[p] = p >= HUGE_FIRST ? HUGE_PA + (p - HUGE_FIRST) * 4096ull :
			   p % 2 ? DRAM_BASE + (p * 37ull % PAGES) * 4096 :
				   host_page(&w->h);
		page_set(w, p, PAGE_GOOD);
		for (unsigned i = 0; i < 4096; i++)
			w->bytes[p * 4096 + i] = page_bytes(w, p)[i] = (uint8_t)random_next();
	}
	w->now = 1000;
	w->pace = speed == BUS_TIMED ? 500 : 3;
	for (unsigned i = 0; i < rounds; i++)
		round_run(w);
	printf("# %s %s: %u transfers, %u overlap, %u faults, %u refused, %u replays, %u aborts, %u of them parked, %u stood at once\n", spec,
	       speed == BUS_TIMED ? "timed" : "functional", w->done, w->overlaps, w->faults, w->refused, w->replays,
	       w->aborts, w->parked, w->most_standing);
	assert_true(w->overlaps > rounds / 4 && w->faults > rounds / 4 && w->refused > rounds / 20 &&
		    w->replays > rounds / 20 && w->aborts > rounds / 20 &&
		    w->parked && (c.dma_engines > 2 || w->most_standing > c.dma_engines));
	assert_int_equal(!w->m.events, !w->watch.ends);
	dma_destroy(w->dma);
	mmu_destroy(w->mmu);
	l2_destroy(w->l2);
	cache_destroy(w->m.cache);
	physmem_fini(&w->m);
	host_fini(&w->h);
	free(w);
}

static void test_functional(void **state)
{
	(void)state;
	random_run("full", BUS_FUNCTIONAL, false, 1000);
}

static void test_timed(void **state)
{
	(void)state;
	random_run("full", BUS_TIMED, false, 1000);
	random_run("mini", BUS_TIMED, true, 1000);
}

static void test_not_coherent(void **state)
{
	(void)state;
	random_run("mini,coherent=0", BUS_TIMED, false, 500);
	random_run("full,coherent=0", BUS_FUNCTIONAL, false, 500);
}

static void test_other_engines(void **state)
{
	(void)state;
	random_run("full,dma_engines=8,dma_bytes_cycle=24", BUS_TIMED, false, 500);
	random_run("mini,dma_engines=1", BUS_TIMED, false, 500);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functional),
		cmocka_unit_test(test_timed),
		cmocka_unit_test(test_not_coherent),
		cmocka_unit_test(test_other_engines),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
