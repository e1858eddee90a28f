/* Which engine has which transfer, what packets may hold, and what is told of transfers that are very long or stand. */
#include "testbench/model/dma_world.h"
#include "testbench/model/event_log.h"

static union packet bad_packet(void) { return copy_packet(SRC, DST, 0, 1, 1); }

/* The device has as many engines as the configuration says: so many transfers begin at once, on units of their own. */
static void test_engines(void **state)
{
	static const unsigned counts[] = { 1, 2, 3, 8 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		char config[64];
		snprintf(config, sizeof(config), "mini,dma_engines=%u", counts[i]);
		struct world *w = world_create(config, BUS_TIMED, false);
		union packet p = copy_packet(SRC, DST, 5000, 1, 1);
		struct event_log log;
		const struct event *e;
		unsigned at = 0, n = 0;

		event_log_init(&log);
		w->m.events = &log.sink;
		for (unsigned slot = 0; slot < DMA_SLOTS; slot++)
			dma_start(w->dma, &(struct dma_start){ .slot = slot, .packet = p, .space = ASID }, 1000);
		dma_tick(w->dma, UINT64_MAX - 1);
		for (; (e = event_log_next(&log, &at, EVENT_DMA_START, 0xffff)); n++) {
			assert_in_range(e->unit, UNIT_DMA, UNIT_DMA + counts[i] - 1);
			if (n < counts[i]) { /* the first ones, in order */
				assert_int_equal(e->unit, UNIT_DMA + n);
				assert_int_equal(e->queue, n);
				assert_int_equal(e->cycle, 1000);
			} else {
				assert_true(e->cycle > 1000);
			}
		}
		assert_int_equal(n, DMA_SLOTS);
		event_log_fini(&log);
		world_destroy(w);
	}
}

/* Engines that become free in one cycle: the one with the lowest number takes the transfer that has waited longest. */
static void test_free_together(void **state)
{
	struct world *w = world_create("mini,dma_engines=3", BUS_TIMED, false);
	static const unsigned order[] = { 7, 2, 9, 0, 5, 1, 8, 3 };
	union packet p = bad_packet();

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		dma_start(w->dma, &(struct dma_start){ .slot = order[i], .packet = p, .space = ASID }, 1000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 8);
	for (unsigned i = 0; i < 8; i++) {
		const struct done *d = w->done;

		while (d->slot != order[i])
			d++;
		assert_int_equal(d->r.code, FAULT_BAD_PACKET);
		assert_int_equal(d->r.unit, UNIT_DMA + i % 3);
		/* each takes as long as an engine needs to find that out */
		assert_int_equal(d->r.start, 1000 + i / 3 * w->config.dma_setup);
		assert_int_equal(d->r.end, d->r.start + w->config.dma_setup);
	}
	world_destroy(w);
}

static void test_reserved_words(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	union packet p = copy_packet(SRC, DST, 1000, 1, 1);

	(void)state;
	p.copy.reserved1 = UINT32_MAX;
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	memcpy(w->dst, w->src, 1000);
	check_contents(w);
	p = fill_packet(SRC + 5, DST + 2000, 64, 4);
	p.fill.reserved1 = UINT32_MAX;
	p.fill.reserved2 = UINT32_MAX;
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	for (unsigned i = 0; i < 64; i++)
		w->dst[2000 + i] = w->src[5 + i % 4];
	check_contents(w);
	world_destroy(w);
}

/* Two virtual addresses of one page are no overlap: the copy goes upwards, beat by beat, over its own source. */
static void test_two_mappings(void **state)
{
	enum { N = 3000, BEAT = 64 * 8 };
	struct world *w = world_create("mini", BUS_TIMED, false);
	union packet p = copy_packet(SRC, 0x6000000001, N, 1, 1);
	uint8_t expected[4096], got[4096];
	uint64_t bad;

	(void)state;
	table_map(&w->h, w->contexts, ASID, 0x6000000000, pte_address(*table_entry(&w->h, w->contexts, ASID, SRC, 0)), PTE_RW);
	memcpy(expected, w->src, 4096);
	for (unsigned done = 0, n; done < N; done += n) {
		n = N - done < BEAT ? N - done : BEAT;
		memmove(expected + 1 + done, expected + done, n);
	}
	assert_memory_not_equal(expected + 1, w->src, N); /* not what the source held */
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	assert_int_equal(mmu_read(w->mmu, UNIT_HOST, ASID, SRC, got, 4096, &bad), FAULT_NONE);
	assert_memory_equal(got, expected, 4096);
	/* the other address below the source, and the same bytes */
	p = copy_packet(SRC + 100, 0x6000000000, 64, 1, 1);
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	p = copy_packet(SRC + 100, 0x6000000000 + 100, 64, 1, 1);
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	world_destroy(w);
}

/* A protected job stands at a page that is not there, as another one does, and goes on. */
static void test_protected_replay(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	uint64_t dst = 0x6000000000, pa = DRAM_BASE + (64 << 20);
	union packet p = copy_packet(SRC, dst, 2 * 4096, 1, 1);

	(void)state;
	assert_true(prot_region_set(&w->prot, 0, pa, pa + 2 * 4096, NULL, 0));
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	table_map(&w->h, w->contexts, ASID, dst, pa, PTE_RW);
	dma_start(w->dma, &(struct dma_start){ .slot = 3, .packet = p, .space = ASID | SPACE_PROTECTED, .replay = true }, 1000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 0);
	assert_int_equal(w->stalls, 1);
	assert_int_equal(w->stall.r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->stall.r.progress, 4096);
	table_map(&w->h, w->contexts, ASID, dst + 4096, pa + 4096, PTE_RW);
	dma_replay(w->dma, &(struct dma_replay){ 3 }, 100000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 1);
	assert_int_equal(w->done[0].r.code, FAULT_NONE);
	assert_memory_equal(w->m.dram + (64 << 20), w->src, 2 * 4096);
	world_destroy(w);
}

/* More bytes than 64 bits count, before a replay and after it. */
static void test_bytes_beyond_counting(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	uint64_t dst = 0x6000000000;
	union packet p = copy_packet(SRC, dst, UINT32_MAX, UINT32_MAX, UINT32_MAX);
	struct event_log log;
	const struct event *e;
	unsigned at = 0;

	(void)state;
	event_log_init(&log);
	w->m.events = &log.sink;
	table_map(&w->h, w->contexts, ASID, dst, DRAM_BASE + (64 << 20), PTE_RW);
	dma_start(w->dma, &(struct dma_start){ .slot = 3, .packet = p, .space = ASID, .replay = true }, 1000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->stalls, 1);
	assert_int_equal(w->stall.r.address, dst + 4096);
	table_map(&w->h, w->contexts, ASID, dst + 4096, DRAM_BASE + (65 << 20), PTE_RW);
	dma_replay(w->dma, &(struct dma_replay){ 3 }, 1000000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->stalls, 2);
	for (unsigned i = 0; i < 2; i++) {
		e = event_log_next(&log, &at, EVENT_DMA_START, UNIT_DMA);
		assert_non_null(e);
		assert_int_equal(e->a, SRC);
		assert_int_equal(e->b, dst);
		assert_int_equal(e->c, UINT64_MAX);
	}
	dma_abort(w->dma, &(struct dma_abort){ 3 }, 2000000);
	assert_int_equal(w->done[0].r.progress, 2 * 4096);
	event_log_fini(&log);
	world_destroy(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_engines),		 cmocka_unit_test(test_free_together),
		cmocka_unit_test(test_reserved_words),	 cmocka_unit_test(test_two_mappings),
		cmocka_unit_test(test_protected_replay), cmocka_unit_test(test_bytes_beyond_counting),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
