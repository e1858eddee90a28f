/* The engines and what stands beside memory: protection, caches that are not coherent, memory errors,
 * and who looks at events. */
#include "testbench/model/dma_world.h"

/* ---- protection ---- */

static void test_protected(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	uint64_t dst = 0x6000000000ull;
	union packet p = copy_packet(SRC, dst, 3 * 4096, 1, 1);
	uint8_t *bytes = w->m.dram + (64 << 20);
	struct done d;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		table_map(&w->h, w->contexts, ASID, dst + i * 4096, DRAM_BASE + (64 << 20) + i * 4096, PTE_RW);
	assert_true(prot_region_set(&w->prot, 0, DRAM_BASE + (64 << 20) + 4096, DRAM_BASE + (64 << 20) + 3 * 4096, NULL, 0));
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	/* a job that is not protected stops at the first protected byte, on either side */
	d = run(w, &p);
	assert_int_equal(d.r.code, FAULT_PROTECTED);
	assert_int_equal(d.r.access, ACCESS_WRITE);
	assert_int_equal(d.r.address, dst + 4096);
	assert_int_equal(d.r.progress, 4096);
	assert_memory_equal(bytes, w->src, 4096);
	for (unsigned i = 4096; i < 3 * 4096; i++)
		assert_int_equal(bytes[i], 0);
	p = copy_packet(dst + 4096 - 7, DST, 100, 1, 1);
	d = run(w, &p);
	assert_int_equal(d.r.code, FAULT_PROTECTED);
	assert_int_equal(d.r.access, ACCESS_READ);
	assert_int_equal(d.r.address, dst + 4096);
	assert_int_equal(d.r.progress, 7);
	/* a protected one reads everything and writes protected memory only */
	p = copy_packet(SRC, dst + 4096, 2 * 4096, 1, 1);
	w->count = 0;
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID | SPACE_PROTECTED }, 2000000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->done[0].r.code, FAULT_NONE);
	assert_memory_equal(bytes + 4096, w->src, 2 * 4096);
	p = copy_packet(dst + 4096, DST, 1, 1, 1);
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID | SPACE_PROTECTED, .replay = true }, 3000000); /* no page fault: it ends */
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->done[1].r.code, FAULT_PROTECTED);
	assert_int_equal(w->done[1].r.access, ACCESS_WRITE);
	world_destroy(w);
}

/* ---- memory errors ---- */

static void test_memory_errors(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	static struct inject inject;
	union packet p = copy_packet(SRC, DST, BYTES, 1, 1);
	struct done d;

	(void)state;
	inject_init(&inject, NULL);
	w->m.inject = &inject;
	inject_arm(&inject, INJECT_BUS_ERROR, 3, UNIT_DMA, 0, 0);
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	d = run(w, &p);
	assert_int_equal(d.r.code, FAULT_BUS_ERROR);
	assert_int_equal(inject.happened, 1);
	assert_in_range(d.r.progress, 1, BYTES - 1);
	assert_int_equal(d.r.address - (d.r.access == ACCESS_READ ? SRC : DST), d.r.progress);
	inject_arm(&inject, INJECT_ECC_DOUBLE, 5, UNIT_DMA, 0, 0);
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	d = run_at(w, &p, 10000000);
	assert_int_equal(d.r.code, FAULT_ECC);
	assert_int_equal(d.r.access, ACCESS_READ);
	assert_int_equal(d.r.address - SRC, d.r.progress);
	assert_int_equal(inject.happened, 2);
	assert_int_equal(run_at(w, &p, 20000000).r.code, FAULT_NONE); /* and all is well again */
	memcpy(w->dst, w->src, BYTES);
	check_contents(w);
	world_destroy(w);
}

/* ---- caches ---- */

static union packet cache_packet(uint64_t address, uint64_t size, uint32_t op)
{
	return (union packet){ .cache = { .head.type = PACKET_CODE_cache, .address = address, .size = size, .op = op } };
}

static void test_cache_coherent(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	union packet p;

	(void)state;
	for (unsigned op = 0; op < 6; op++) {
		p = cache_packet(0x123456789000, UINT64_MAX, op); /* not even mapped: there is nothing to do */
		assert_int_equal(run(w, &p).r.code, op >= 1 && op <= 3 ? FAULT_NONE : FAULT_BAD_PACKET);
	}
	p = cache_packet(SRC, 4096, 1);
	p.cache.reserved1 = 1;
	assert_int_equal(run(w, &p).r.code, FAULT_BAD_PACKET);
	assert_int_equal(dma_bytes(w->dma), 0);
	check_contents(w);
	world_destroy(w);
}

/* A page of system memory: every third is. */
static uint8_t *host_of(struct world *w, uint64_t va)
{
	return host_at(&w->h, pte_address(*table_entry(&w->h, w->contexts, ASID, va, 0)));
}

static void test_cache(void **state)
{
	struct world *w = world_create("mini,coherent=0", BUS_TIMED, false);
	uint64_t src = SRC, dst = SRC + 3 * 4096; /* both system memory */
	uint8_t *from = host_of(w, src), *to = host_of(w, dst), old[256];
	union packet copy = copy_packet(src, dst, 256, 1, 1), p;

	(void)state;
	p = cache_packet(0, 0, 3); /* what filling in the contents left there */
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	memcpy(old, to, 256);
	assert_memory_equal(from, w->src, 256);
	/* what it writes stays in the device until it is cleaned */
	assert_int_equal(run(w, &copy).r.code, FAULT_NONE);
	assert_memory_equal(to, old, 256);
	p = cache_packet(dst, 64, 1); /* one line */
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	assert_memory_equal(to, from, 64);
	assert_memory_equal(to + 64, old + 64, 192);
	p = cache_packet(dst, 256, 1);
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	assert_memory_equal(to, from, 256);
	/* what it has read is stale until it is invalidated */
	memset(from, 0x5a, 256);
	assert_int_equal(run(w, &copy).r.code, FAULT_NONE);
	p = cache_packet(dst, 256, 1);
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	assert_memory_equal(to, w->src, 256);
	p = cache_packet(src, 256, 2);
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	assert_int_equal(run(w, &copy).r.code, FAULT_NONE);
	/* invalidating drops what was not cleaned; both together, of everything, do not */
	p = cache_packet(dst, 128, 2);
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	p = cache_packet(0, 0, 3);
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	assert_memory_equal(to, w->src, 128);
	assert_memory_equal(to + 128, from + 128, 128);
	/* a range ends where nothing is mapped; it may be replayed */
	p = cache_packet(SRC + BYTES - 4096, 8192, 1);
	assert_int_equal(run(w, &p).r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->done[0].r.address, SRC + BYTES);
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID, .replay = true }, 5000000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->stalls, 1);
	table_map(&w->h, w->contexts, ASID, SRC + BYTES, DRAM_BASE, PTE_RW);
	dma_replay(w->dma, &(struct dma_replay){ 0 }, 6000000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->done[1].r.code, FAULT_NONE);
	world_destroy(w);
}

/* ---- events ---- */

struct watcher {
	struct event_sink sink;
	struct event event[4096];
	unsigned count;
};

static void watcher_event(struct event_sink *s, const struct event *e)
{
	struct watcher *watch = (struct watcher *)s;

	assert_true(watch->count < 4096);
	watch->event[watch->count++] = *e;
}

static void test_events(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	static struct watcher watch;
	union packet p = copy_packet(SRC + 100, DST + 50, 9000, 1, 1);
	uint64_t beats = 0, read = 0, written = 0, last = 0;
	unsigned starts = 0, ends = 0, faults = 0;
	struct done d;

	(void)state;
	watch = (struct watcher){ .sink.event = watcher_event };
	w->m.events = &watch.sink;
	*table_entry(&w->h, w->contexts, ASID, DST + 2 * 4096, 0) = 0;
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	watch.count = 0;
	d = run(w, &p);
	assert_int_equal(d.r.code, FAULT_PAGE_NOT_PRESENT);
	for (unsigned i = 0; i < watch.count; i++) {
		const struct event *e = &watch.event[i];

		if (e->unit == UNIT_MMU) /* walks */
			continue;
		if (e->kind != EVENT_DMA_START && e->kind != EVENT_DMA_BEAT && e->kind != EVENT_DMA_END &&
		    e->kind != EVENT_READ && e->kind != EVENT_WRITE && e->kind != EVENT_FAULT)
			continue;
		assert_int_equal(e->unit, UNIT_DMA);
		assert_int_equal(e->queue, 4);
		assert_int_equal(e->asid, ASID);
		assert_true(e->cycle >= last); /* in order */
		last = e->cycle;
		assert_int_equal(starts, e->kind != EVENT_DMA_START); /* the first, once */
		assert_int_equal(ends, 0);                           /* nothing after the end */
		switch (e->kind) {
		case EVENT_DMA_START:
			starts++;
			assert_int_equal(e->cycle, d.r.start);
			assert_int_equal(e->a, SRC + 100);
			assert_int_equal(e->b, DST + 50);
			assert_int_equal(e->c, 9000);
			break;
		case EVENT_READ:
			assert_int_equal(e->a, SRC + 100 + read);
			assert_int_equal(e->b & 4095, e->a & 4095);
			read += e->c;
			break;
		case EVENT_WRITE:
			assert_int_equal(e->a, DST + 50 + written);
			written += e->c;
			break;
		case EVENT_DMA_BEAT:
			assert_int_equal(e->a, SRC + 100 + beats);
			assert_int_equal(e->b, DST + 50 + beats);
			beats += e->c;
			assert_int_equal(beats, written);
			assert_int_equal(beats, read);
			break;
		case EVENT_FAULT:
			faults++;
			assert_int_equal(e->a, DST + 2 * 4096);
			assert_int_equal(e->b, FAULT_PAGE_NOT_PRESENT);
			assert_int_equal(e->c, ACCESS_WRITE);
			break;
		case EVENT_DMA_END:
			ends++;
			assert_int_equal(e->cycle, d.r.end);
			assert_int_equal(e->a, beats);
			assert_int_equal(e->b, FAULT_PAGE_NOT_PRESENT);
			break;
		}
	}
	assert_int_equal(ends, 1);
	assert_int_equal(faults, 1);
	assert_int_equal(beats, 2 * 4096 - 50);
	assert_int_equal(d.r.progress, beats);
	world_destroy(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_protected),	cmocka_unit_test(test_memory_errors),
		cmocka_unit_test(test_cache_coherent), cmocka_unit_test(test_cache),
		cmocka_unit_test(test_events),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
