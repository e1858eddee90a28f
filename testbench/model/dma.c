#include "model/dma.h"
#include "testbench/model/fixture.h"
#include <time.h>

/* Two ranges of virtual memory over shuffled pages, half in DRAM, half in system memory. */
enum { PAGES = 64, BYTES = PAGES * 4096, ASID = 9 };
#define SRC 0x2000000000ull
#define DST 0x5000000000ull

struct done {
	unsigned slot;
	struct dma_result r;
};

struct world {
	struct host h;
	struct physmem m;
	struct l2 *l2;
	struct mmu *mmu;
	struct dma *dma;
	uint64_t contexts;
	struct done done[256];
	unsigned count;
	uint8_t src[BYTES], dst[BYTES]; /* what they must hold */
};

static void on_done(void *ctx, unsigned slot, const struct dma_result *r)
{
	struct world *w = ctx;

	assert_true(w->count < 256);
	w->done[w->count++] = (struct done){ slot, *r };
}

static struct world *world_create(const char *config, enum bus_speed speed, bool observed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, observed);
	const struct device_config *c = device_config_find(config);
	uint64_t bad;

	assert_int_equal(physmem_init(&w->m, 16 << 20, &sys), 0);
	w->l2 = l2_create(c, speed);
	w->mmu = mmu_create(c, &w->m, w->l2);
	w->dma = dma_create(&(struct dma_params){ .config = c,
						  .speed = speed,
						  .mem = &w->m,
						  .mmu = w->mmu,
						  .l2 = w->l2,
						  .done = on_done,
						  .ctx = w });
	w->contexts = host_page(&w->h);
	mmu_set_context_table(w->mmu, w->contexts);
	for (unsigned p = 0; p < 2 * PAGES; p++) {
		uint64_t pa = p % 3 ? DRAM_BASE + (p * 37ull % (2 * PAGES)) * 4096 : host_page(&w->h);

		table_map(&w->h, w->contexts, ASID, p < PAGES ? SRC + p * 4096ull : DST + (p - PAGES) * 4096ull, pa,
			  PTE_RW);
	}
	mmu_check_generation(w->mmu);
	for (unsigned i = 0; i < BYTES; i++) {
		w->src[i] = (uint8_t)random_next();
		w->dst[i] = (uint8_t)random_next();
	}
	assert_int_equal(mmu_write(w->mmu, UNIT_HOST, ASID, SRC, w->src, BYTES, &bad), FAULT_NONE);
	assert_int_equal(mmu_write(w->mmu, UNIT_HOST, ASID, DST, w->dst, BYTES, &bad), FAULT_NONE);
	return w;
}

static void world_destroy(struct world *w)
{
	dma_destroy(w->dma);
	mmu_destroy(w->mmu);
	l2_destroy(w->l2);
	physmem_fini(&w->m);
	host_fini(&w->h);
	free(w);
}

static void check_contents(struct world *w)
{
	static uint8_t got[BYTES];
	uint64_t bad;

	assert_int_equal(mmu_read(w->mmu, UNIT_HOST, ASID, SRC, got, BYTES, &bad), FAULT_NONE);
	assert_memory_equal(got, w->src, BYTES);
	assert_int_equal(mmu_read(w->mmu, UNIT_HOST, ASID, DST, got, BYTES, &bad), FAULT_NONE);
	assert_memory_equal(got, w->dst, BYTES);
}

static struct done run_at(struct world *w, const union packet *p, uint64_t cycle)
{
	w->count = 0;
	assert_true(dma_start(w->dma, 4, p, ASID, 0, cycle));
	assert_int_equal(dma_busy(w->dma), 1 << 4);
	dma_run(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 1);
	assert_int_equal(w->done[0].slot, 4);
	assert_int_equal(dma_busy(w->dma), 0);
	assert_int_equal(dma_next(w->dma), UINT64_MAX);
	return w->done[0];
}

static struct done run(struct world *w, const union packet *p) { return run_at(w, p, 1000); }

static union packet copy_packet(uint64_t src, uint64_t dst, uint32_t width, uint32_t height, uint32_t depth)
{
	return (union packet){ .copy = { .head.type = PACKET_CODE_copy,
					 .src = src,
					 .dst = dst,
					 .width = width,
					 .height = height,
					 .depth = depth } };
}

/* A random box with pitches that keep it within n bytes; may leave gaps, may overlap its own rows
 * on the source side only. */
static void random_box(uint32_t *width, uint32_t *height, uint32_t *depth, uint32_t *row, uint32_t *slice, uint32_t n)
{
	*width = 1 + (uint32_t)random_below(random_below(3) ? 300 : 20000);
	*height = 1 + (uint32_t)random_below(12);
	*depth = 1 + (uint32_t)random_below(4);
	for (;;) {
		*row = *width + (uint32_t)random_below(200);
		*slice = *row * *height + (uint32_t)random_below(500);
		if ((uint64_t)*slice * *depth <= n)
			return;
		*width = *width / 2 + 1;
		*height = *height / 2 + 1;
	}
}

static void random_copy(struct world *w)
{
	uint32_t width, height, depth, row, slice, src_row, src_slice;
	uint64_t s, d;
	union packet p;

	random_box(&width, &height, &depth, &row, &slice, BYTES);
	src_row = random_below(4) ? row : (uint32_t)random_below(row + 1);
	src_slice = random_below(4) ? slice : (uint32_t)random_below(slice + 1);
	d = random_below(BYTES - (uint64_t)slice * depth + 1);
	s = random_below(BYTES - ((uint64_t)src_slice * (depth - 1) + (uint64_t)src_row * (height - 1) + width) + 1);
	p = copy_packet(SRC + s, DST + d, width, height, depth);
	p.copy.src_row = src_row;
	p.copy.src_slice = src_slice;
	p.copy.dst_row = row;
	p.copy.dst_slice = slice;
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	for (uint32_t z = 0; z < depth; z++)
		for (uint32_t y = 0; y < height; y++)
			memcpy(w->dst + d + (uint64_t)z * slice + (uint64_t)y * row,
			       w->src + s + (uint64_t)z * src_slice + (uint64_t)y * src_row, width);
}

static void random_fill(struct world *w)
{
	uint32_t width, height, depth, row, slice, pattern = 1 + (uint32_t)random_below(128);
	uint64_t d, s = random_below(BYTES - pattern);
	union packet p;

	random_box(&width, &height, &depth, &row, &slice, BYTES);
	width = (width / pattern) * pattern;
	if (!width) {
		pattern = 1;
		width = 1;
	}
	d = random_below(BYTES - (uint64_t)slice * depth + 1);
	p = (union packet){ .fill = { .head.type = PACKET_CODE_fill,
				      .pattern = SRC + s,
				      .dst = DST + d,
				      .width = width,
				      .height = height,
				      .depth = depth,
				      .pattern_size = pattern,
				      .dst_row = row,
				      .dst_slice = slice } };
	assert_int_equal(run(w, &p).r.code, FAULT_NONE);
	for (uint32_t z = 0; z < depth; z++)
		for (uint32_t y = 0; y < height; y++)
			for (uint32_t x = 0; x < width; x++)
				w->dst[d + (uint64_t)z * slice + (uint64_t)y * row + x] = w->src[s + x % pattern];
}

static void random_run(const char *config, enum bus_speed speed, bool observed)
{
	struct world *w = world_create(config, speed, observed);

	for (unsigned n = 0; n < 300; n++) {
		if (random_below(3))
			random_copy(w);
		else
			random_fill(w);
		if (n % 10 == 9)
			check_contents(w);
	}
	world_destroy(w);
}

static void test_random(void **state)
{
	(void)state;
	random_run("full", BUS_FUNCTIONAL, false);
	random_run("full", BUS_TIMED, false);
	random_run("mini", BUS_TIMED, true);
}

static void test_malformed(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	union packet good = copy_packet(SRC, DST, 8, 1, 1), p;
	static const uint32_t pattern_sizes[] = { 0, 129, 5, UINT32_MAX };

	(void)state;
#define EXPECT_BAD(change)                                                                         \
	do {                                                                                       \
		p = good;                                                                          \
		change;                                                                            \
		assert_int_equal(run(w, &p).r.code, FAULT_BAD_PACKET);                         \
	} while (0)
	EXPECT_BAD(p.copy.width = 0);
	EXPECT_BAD(p.copy.height = 0);
	EXPECT_BAD(p.copy.depth = 0);
	EXPECT_BAD(p.head.type = PACKET_CODE_dispatch);
	EXPECT_BAD(p.head.type = 0xff);
	good = (union packet){ .fill = { .head.type = PACKET_CODE_fill,
					 .pattern = SRC,
					 .dst = DST,
					 .width = 8,
					 .height = 1,
					 .depth = 1,
					 .pattern_size = 8 } };
	for (unsigned i = 0; i < 4; i++)
		EXPECT_BAD(p.fill.pattern_size = pattern_sizes[i]);
	EXPECT_BAD(p.fill.width = 0);
	EXPECT_BAD(p.fill.depth = 0);
	check_contents(w); /* nothing was written */
	assert_int_equal(dma_bytes(w->dma), 0);
	assert_int_equal(run(w, &good).r.code, FAULT_NONE);
	assert_int_equal(dma_bytes(w->dma), 8);
	world_destroy(w);
}

static void test_faults(void **state)
{
	struct world *w = world_create("mini", BUS_FUNCTIONAL, false);
	union packet p;
	struct done d;

	(void)state;
	/* source ends in the third page; what came before is there */
	p = copy_packet(SRC + BYTES - 5000, DST, 10000, 1, 1);
	d = run(w, &p);
	assert_int_equal(d.r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(d.r.access, ACCESS_READ);
	assert_int_equal(d.r.address, SRC + BYTES);
	memcpy(w->dst, w->src + BYTES - 5000, 5000);
	check_contents(w);
	/* destination */
	p = copy_packet(SRC, DST + BYTES - 10, 11, 1, 1);
	d = run(w, &p);
	assert_int_equal(d.r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(d.r.access, ACCESS_WRITE);
	assert_int_equal(d.r.address, DST + BYTES);
	memcpy(w->dst + BYTES - 10, w->src, 10);
	/* not writable, not populated, not in the address space */
	table_map(&w->h, w->contexts, ASID, DST, DRAM_BASE, PTE_V | PTE_U | PTE_R);
	mmu_invalidate(w->mmu, MMU_PAGE, ASID, DST);
	p = copy_packet(SRC, DST, 1, 1, 1);
	assert_int_equal(run(w, &p).r.code, FAULT_PAGE_WRITE);
	table_map(&w->h, w->contexts, ASID, DST, DRAM_BASE + (1ull << 36), PTE_RW);
	mmu_invalidate(w->mmu, MMU_PAGE, ASID, DST);
	d = run(w, &p);
	assert_int_equal(d.r.code, FAULT_BUS_ERROR);
	assert_int_equal(d.r.access, ACCESS_WRITE);
	p = copy_packet(DST, SRC, 1, 1, 1);
	d = run(w, &p);
	assert_int_equal(d.r.code, FAULT_BUS_ERROR);
	assert_int_equal(d.r.access, ACCESS_READ);
	p = copy_packet(UINT64_MAX - 3, DST + 4096, 16, 1, 1);
	assert_int_equal(run(w, &p).r.code, FAULT_PAGE_NOT_PRESENT);
	/* the pattern of a fill */
	p = (union packet){ .fill = { .head.type = PACKET_CODE_fill,
				      .pattern = SRC + BYTES - 4,
				      .dst = DST + 4096,
				      .width = 8,
				      .height = 1,
				      .depth = 1,
				      .pattern_size = 8 } };
	d = run(w, &p);
	assert_int_equal(d.r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(d.r.address, SRC + BYTES);
	/* another address space */
	w->count = 0;
	p = copy_packet(SRC, DST + 4096, 1, 1, 1);
	assert_true(dma_start(w->dma, 0, &p, ASID + 1, 0, 0));
	dma_run(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->done[0].r.code, FAULT_PAGE_NOT_PRESENT);
	world_destroy(w);
}

/* The engines take transfers in the order in which they were started, the lowest free one first; one
 * that is free again takes the one that waited longest. */
static void test_order(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false); /* two engines */
	static const struct {
		unsigned slot;
		uint32_t bytes;
	} order[] = { { 3, 20000 }, { 15, 10000 }, { 0, 20000 }, { 7, 1000 }, { 1, 1000 } };
	uint64_t free_at[2] = { 0, 0 }, busy = 0;
	union packet p;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		p = copy_packet(SRC + i * 20000, DST + i * 20000, order[i].bytes, 1, 1);
		memcpy(w->dst + i * 20000, w->src + i * 20000, order[i].bytes);
		assert_true(dma_start(w->dma, order[i].slot, &p, ASID, 0, 100 + i));
	}
	assert_false(dma_start(w->dma, 15, &p, ASID, 0, 104)); /* the slot is taken */
	assert_false(dma_start(w->dma, 16, &p, ASID, 0, 104));
	assert_int_equal(dma_busy(w->dma), 1 << 3 | 1 << 15 | 1 << 0 | 1 << 7 | 1 << 1);
	assert_int_equal(dma_next(w->dma), 100);
	dma_run(w->dma, 99);
	assert_int_equal(w->count, 0);
	while (dma_next(w->dma) != UINT64_MAX)
		dma_run(w->dma, dma_next(w->dma));
	assert_int_equal(w->count, 5);
	for (unsigned i = 0; i < 5; i++) {
		const struct done *d = w->done;
		unsigned engine = free_at[1] < free_at[0];

		while (d->slot != order[i].slot)
			d++;
		assert_int_equal(d->r.code, FAULT_NONE);
		assert_int_equal(d->r.progress, order[i].bytes);
		assert_int_equal(d->r.unit, UNIT_DMA + engine);
		assert_int_equal(d->r.start, i < 2 ? 100 + i : free_at[engine]);
		assert_true(d->r.end > d->r.start);
		free_at[engine] = d->r.end;
		busy += d->r.end - d->r.start;
	}
	assert_int_equal(dma_busy_cycles(w->dma, 1000000), busy);
	check_contents(w);
	/* reset forgets everything */
	dma_start(w->dma, 1, &p, ASID, 0, 200000);
	dma_reset(w->dma);
	dma_run(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 5);
	assert_int_equal(dma_busy(w->dma), 0);
	world_destroy(w);
}

/* A transfer of 2^96 bytes does not keep the device from going on. */
static void test_endless(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	union packet p = copy_packet(SRC, DST, 4096, UINT32_MAX, UINT32_MAX);

	(void)state;
	assert_true(dma_start(w->dma, 0, &p, ASID, 0, 0));
	dma_run(w->dma, 100000);
	assert_int_equal(w->count, 0);
	assert_in_range(dma_next(w->dma), 100001, 200000);
	assert_true(dma_bytes(w->dma) > 0);
	world_destroy(w);
}

/* Time: setup, then not faster than the DRAM and not slower than a third of it in a large copy. */
static double seconds_since(const struct timespec *t0)
{
	struct timespec t1;

	clock_gettime(CLOCK_MONOTONIC, &t1);
	return (double)(t1.tv_sec - t0->tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0->tv_nsec);
}

static void bandwidth_run(enum bus_speed speed)
{
	struct world *w = world_create("full", speed, false);
	const struct device_config *c = device_config_find("full");
	uint64_t base = 0x40000000ull, bytes = 4 << 20, cycles;
	union packet p = copy_packet(base, base + bytes, (uint32_t)bytes, 1, 1);
	struct timespec t0;
	struct done d;

	for (unsigned i = 0; i < 4; i++)
		*table_entry(&w->h, w->contexts, ASID, base + i * (2ull << 20), 1) =
			pte_make(DRAM_BASE + i * (2ull << 20), PTE_RW);
	run(w, &p); /* touches the pages */
	clock_gettime(CLOCK_MONOTONIC, &t0);
	d = run_at(w, &p, 1000000);
	assert_int_equal(d.r.code, FAULT_NONE);
	cycles = d.r.end - d.r.start;
	printf("# %s: %.1f bytes a cycle, %.2f GB/s of host time\n", speed == BUS_TIMED ? "timed" : "functional",
	       (double)bytes / (double)cycles, (double)bytes / seconds_since(&t0) * 1e-9);
	world_destroy(w);
	if (speed == BUS_FUNCTIONAL)
		return;
	assert_true(cycles > c->dma_setup + 2 * bytes / c->dram_bytes_cycle / 2);
	assert_true(cycles < 2 * 3 * bytes / c->dram_bytes_cycle);
}

static void test_bandwidth(void **state)
{
	(void)state;
	bandwidth_run(BUS_FUNCTIONAL);
	bandwidth_run(BUS_TIMED);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),	  cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_faults),	  cmocka_unit_test(test_order),
		cmocka_unit_test(test_endless), cmocka_unit_test(test_bandwidth),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
