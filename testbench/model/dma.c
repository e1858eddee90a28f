/* The engines: what they move, in which order, and what becomes of a transfer that does not end well. */
#include "testbench/model/dma_world.h"

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
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID + 1 }, 0);
	dma_tick(w->dma, UINT64_MAX - 1);
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
		dma_start(w->dma, &(struct dma_start){ .slot = order[i].slot, .packet = p, .space = ASID }, 100 + i);
	}
	dma_start(w->dma, &(struct dma_start){ .slot = 15, .packet = p, .space = ASID }, 104); /* the slot is taken */
	assert_int_equal(dma_busy(w->dma), 1 << 3 | 1 << 15 | 1 << 0 | 1 << 7 | 1 << 1);
	assert_int_equal(dma_next(w->dma), 100);
	dma_tick(w->dma, 99);
	assert_int_equal(w->count, 0);
	while (dma_next(w->dma) != UINT64_MAX)
		dma_tick(w->dma, dma_next(w->dma));
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
	dma_start(w->dma, &(struct dma_start){ .slot = 1, .packet = p, .space = ASID }, 200000);
	dma_reset(w->dma);
	dma_tick(w->dma, UINT64_MAX - 1);
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
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID }, 0);
	dma_tick(w->dma, 100000);
	assert_int_equal(w->count, 0);
	assert_in_range(dma_next(w->dma), 100001, 200000);
	assert_true(dma_bytes(w->dma) > 0);
	world_destroy(w);
}



/* ---- faults in the middle ---- */

static void page_unmap(struct world *w, uint64_t va)
{
	*table_entry(&w->h, w->contexts, ASID, va, 0) = 0;
	mmu_invalidate(w->mmu, MMU_PAGE, ASID, va);
}

/* Bytes written before a fault, and where it was; forward, backward, and on either side. */
static void test_progress(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	union packet p = copy_packet(SRC + 100, DST + 300, 3000, 5, 2);
	struct done d;

	(void)state;
	page_unmap(w, DST + 5 * 4096);
	p.copy.src_row = p.copy.dst_row = 3500;
	p.copy.src_slice = p.copy.dst_slice = 5 * 3500;
	d = run(w, &p);
	/* rows begin at 300 + 3500 n: the sixth at 17800, and 20480 is 2680 bytes on */
	assert_int_equal(d.r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(d.r.access, ACCESS_WRITE);
	assert_int_equal(d.r.address, DST + 5 * 4096);
	assert_int_equal(d.r.progress, 5 * 3000 + 2680);
	assert_int_equal(d.r.unit, UNIT_DMA);
	/* a copy upwards within one buffer goes from its end: the first byte that it cannot reach is the last
	 * of the page */
	p = copy_packet(DST + 100, DST + 200, 7 * 4096, 1, 1);
	d = run(w, &p);
	assert_int_equal(d.r.access, ACCESS_READ);
	assert_int_equal(d.r.address, DST + 6 * 4096 - 1);
	assert_int_equal(d.r.progress, 7 * 4096 + 100 - 6 * 4096);
	p = copy_packet(DST + 6 * 4096, DST + 6 * 4096 - 50, 200, 1, 1); /* and downwards */
	d = run(w, &p);
	assert_int_equal(d.r.access, ACCESS_WRITE);
	assert_int_equal(d.r.address, DST + 6 * 4096 - 50);
	assert_int_equal(d.r.progress, 0);
	world_destroy(w);
}

/* What a slot shows of a transfer that no engine has taken has nothing of the one before. */
static void test_progress_waiting(void **state)
{
	struct world *w = world_create("mini,dma_engines=1", BUS_TIMED, false);
	union packet p = copy_packet(SRC, DST, 4 * 4096, 1, 1);

	(void)state;
	assert_int_equal(run(w, &p).r.progress, 4 * 4096); /* in slot 0 */
	w->count = 0;
	dma_start(w->dma, &(struct dma_start){ .slot = 1, .packet = p, .space = ASID }, 100000);
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID }, 100000);
	assert_int_equal(dma_progress(w->dma, 0), 0);
	while (!w->count) {
		assert_int_equal(dma_progress(w->dma, 0), 0);
		dma_tick(w->dma, dma_next(w->dma));
	}
	assert_int_equal(w->done[0].slot, 1);
	while (w->count < 2 && !dma_progress(w->dma, 0))
		dma_tick(w->dma, dma_next(w->dma));
	assert_int_equal(w->count, 1); /* and so far, once an engine has it */
	assert_in_range(dma_progress(w->dma, 0), 1, 4 * 4096);
	world_destroy(w);
}

/* A page that is taken away while a transfer is at it is not touched any more. */
static void test_invalidation(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	union packet p = copy_packet(SRC, DST, 100, UINT32_MAX, 1); /* one row, again and again */
	uint64_t written;

	(void)state;
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID }, 1000);
	dma_tick(w->dma, 50000);
	written = dma_bytes(w->dma);
	assert_true(written > 0 && !w->count);
	page_unmap(w, DST);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->done[0].r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->done[0].r.address, DST + written % 100);
	assert_int_equal(w->done[0].r.progress, written);
	assert_int_equal(dma_bytes(w->dma), written);
	world_destroy(w);
}

/* ---- aborts, stalls, replays ---- */

static struct inject *world_inject(struct world *w)
{
	static struct inject inject;

	inject_init(&inject, NULL);
	w->m.inject = &inject;
	return &inject;
}

static void test_abort(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	union packet p = copy_packet(SRC, DST, BYTES, 1, 1);
	uint64_t written;

	(void)state;
	for (unsigned s = 0; s < 4; s++) /* two run, two wait */
		dma_start(w->dma, &(struct dma_start){ .slot = s, .packet = p, .space = ASID }, 1000);
	dma_tick(w->dma, 20000);
	written = dma_bytes(w->dma);
	dma_abort(w->dma, &(struct dma_abort){ 2 }, 20100); /* waits */
	assert_int_equal(w->count, 1);
	assert_int_equal(w->done[0].slot, 2);
	assert_int_equal(w->done[0].r.code, FAULT_ABORTED);
	assert_int_equal(w->done[0].r.progress, 0);
	assert_int_equal(w->done[0].r.end, 20100);
	dma_abort(w->dma, &(struct dma_abort){ 2 }, 20100);
	dma_abort(w->dma, &(struct dma_abort){ 9 }, 20100);
	assert_int_equal(w->count, 1);
	dma_abort(w->dma, &(struct dma_abort){ 1 }, 20200); /* runs: its engine goes to the one that waits */
	assert_int_equal(w->done[1].slot, 1);
	assert_int_equal(w->done[1].r.code, FAULT_ABORTED);
	assert_int_equal(w->done[1].r.unit, UNIT_DMA + 1);
	assert_int_equal(w->done[1].r.end, 20200);
	assert_in_range(w->done[1].r.progress, 1, BYTES - 1);
	assert_int_equal(dma_busy(w->dma), 1 << 0 | 1 << 3);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 4);
	assert_int_equal(w->done[2].slot, 0);
	assert_int_equal(w->done[3].slot, 3);
	assert_int_equal(w->done[3].r.start, 20200);
	assert_int_equal(w->done[3].r.code, FAULT_NONE);
	assert_int_equal(dma_bytes(w->dma), 2ull * BYTES + w->done[1].r.progress);
	assert_true(written < dma_bytes(w->dma));
	memcpy(w->dst, w->src, BYTES);
	check_contents(w);
	world_destroy(w);
}

static void test_stall(void **state)
{
	struct world *w = world_create("full", BUS_TIMED, false);
	struct inject *inject = world_inject(w);
	union packet p = copy_packet(SRC, DST, 64, 1, 1);
	uint64_t plain, stalled;

	(void)state;
	run_at(w, &p, 1000);
	plain = run_at(w, &p, 10000).r.end - 10000;
	inject_arm(inject, INJECT_DMA_STALL, 2, 4, 5000, 0);
	assert_int_equal(run_at(w, &p, 20000).r.end, 20000 + plain); /* the second occasion */
	stalled = run_at(w, &p, 30000).r.end - 30000;
	assert_int_equal(stalled, plain + 5000);
	assert_int_equal(run_at(w, &p, 40000).r.end, 40000 + plain); /* once */
	/* for ever, in slot 6 alone; others go on */
	inject_arm(inject, INJECT_DMA_STALL, 1, 6, 0, 0);
	dma_start(w->dma, &(struct dma_start){ .slot = 6, .packet = p, .space = ASID }, 50000);
	w->count = 0;
	dma_tick(w->dma, 50001);
	assert_int_equal(dma_next(w->dma), UINT64_MAX);
	dma_start(w->dma, &(struct dma_start){ .slot = 7, .packet = p, .space = ASID }, 60000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 1);
	assert_int_equal(w->done[0].slot, 7);
	assert_int_equal(dma_busy(w->dma), 1 << 6);
	dma_abort(w->dma, &(struct dma_abort){ 6 }, 70000);
	assert_int_equal(w->done[1].r.code, FAULT_ABORTED);
	assert_int_equal(w->done[1].r.progress, 0);
	assert_int_equal(inject->happened, 2);
	assert_int_equal(run_at(w, &p, 80000).r.unit, UNIT_DMA);
	world_destroy(w);
}

static void test_replay(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false);
	union packet p = copy_packet(SRC, DST, 5 * 4096, 1, 1), other = copy_packet(SRC + BYTES / 2, DST + BYTES / 2, 999, 1, 1);
	uint64_t pte = *table_entry(&w->h, w->contexts, ASID, DST + 2 * 4096, 0);

	(void)state;
	page_unmap(w, DST + 2 * 4096);
	w->count = 0;
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID, .replay = true }, 1000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 0);
	assert_int_equal(w->stalls, 1);
	assert_int_equal(w->stall.slot, 0);
	assert_int_equal(w->stall.r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->stall.r.access, ACCESS_WRITE);
	assert_int_equal(w->stall.r.address, DST + 2 * 4096);
	assert_int_equal(w->stall.r.progress, 2 * 4096);
	assert_int_equal(dma_busy(w->dma), 1);
	assert_int_equal(dma_next(w->dma), UINT64_MAX);
	/* its engine is free */
	dma_start(w->dma, &(struct dma_start){ .slot = 1, .packet = other, .space = ASID }, 100000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->done[0].slot, 1);
	assert_int_equal(w->done[0].r.unit, UNIT_DMA);
	/* too early: it stands at the same byte again */
	dma_replay(w->dma, &(struct dma_replay){ 0 }, 200000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->stalls, 2);
	assert_int_equal(w->stall.r.progress, 2 * 4096);
	assert_true(w->stall.r.end >= 200000);
	*table_entry(&w->h, w->contexts, ASID, DST + 2 * 4096, 0) = pte;
	dma_replay(w->dma, &(struct dma_replay){ 0 }, 300000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->stalls, 2);
	assert_int_equal(w->done[1].slot, 0);
	assert_int_equal(w->done[1].r.code, FAULT_NONE);
	assert_int_equal(w->done[1].r.progress, 5 * 4096);
	memcpy(w->dst, w->src, 5 * 4096);
	memcpy(w->dst + BYTES / 2, w->src + BYTES / 2, 999);
	check_contents(w);
	/* the pattern of a fill stands, too */
	pte = *table_entry(&w->h, w->contexts, ASID, SRC + 4096, 0);
	page_unmap(w, SRC + 4096);
	p = (union packet){ .fill = { .head.type = PACKET_CODE_fill, .pattern = SRC + 4096 - 3, .dst = DST, .width = 80,
				      .height = 1, .depth = 1, .pattern_size = 8 } };
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID, .replay = true }, 400000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->stall.r.address, SRC + 4096);
	*table_entry(&w->h, w->contexts, ASID, SRC + 4096, 0) = pte;
	dma_replay(w->dma, &(struct dma_replay){ 0 }, 500000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 3);
	for (unsigned i = 0; i < 80; i++)
		w->dst[i] = w->src[4096 - 3 + i % 8];
	check_contents(w);
	/* what no replay can cure ends it */
	table_map(&w->h, w->contexts, ASID, DST, DRAM_BASE + (1ull << 36), PTE_RW);
	mmu_invalidate(w->mmu, MMU_PAGE, ASID, DST);
	dma_start(w->dma, &(struct dma_start){ .slot = 0, .packet = p, .space = ASID, .replay = true }, 600000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->done[3].r.code, FAULT_BUS_ERROR);
	assert_int_equal(w->stalls, 3);
	world_destroy(w);
}

/* ---- more transfers that stand than there are engines ---- */

enum { PARKED = 5, PARKED_BYTES = 3 * 4096 };

/* Slot s copies three pages, of which the third cannot be written. */
static uint64_t parked_page(unsigned s) { return DST + (s * 4 + 2) * 4096ull; }

static void parked_start(struct world *w, uint64_t pte[PARKED])
{
	for (unsigned s = 0; s < PARKED; s++) {
		union packet p = copy_packet(SRC + s * 4 * 4096ull, DST + s * 4 * 4096ull, PARKED_BYTES, 1, 1);

		pte[s] = *table_entry(&w->h, w->contexts, ASID, parked_page(s), 0);
		page_unmap(w, parked_page(s));
		dma_start(w->dma, &(struct dma_start){ .slot = s, .packet = p, .space = ASID, .replay = true }, 1000);
		memcpy(w->dst + s * 4 * 4096, w->src + s * 4 * 4096, PARKED_BYTES);
	}
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 0);
	assert_int_equal(w->stalls, PARKED);
	assert_int_equal(dma_busy(w->dma), (1 << PARKED) - 1);
	assert_int_equal(dma_next(w->dma), UINT64_MAX);
}

static void mend(struct world *w, unsigned s, uint64_t pte)
{
	*table_entry(&w->h, w->contexts, ASID, parked_page(s), 0) = pte;
}

/* What stands keeps no engine, and counts for none; it is replayed in any order, also several at once. */
static void test_parked(void **state)
{
	struct world *w = world_create("mini", BUS_TIMED, false); /* two engines */
	static const unsigned order[PARKED] = { 3, 0, 4, 2, 1 };
	union packet other = copy_packet(SRC + BYTES / 2, DST + BYTES / 2, 9999, 1, 1);
	uint64_t pte[PARKED], busy, start;

	(void)state;
	parked_start(w, pte);
	busy = dma_busy_cycles(w->dma, 100000);
	assert_int_equal(dma_busy_cycles(w->dma, 900000), busy);
	for (unsigned i = 0; i < 2; i++)
		dma_start(w->dma, &(struct dma_start){ .slot = 8 + i, .packet = other, .space = ASID }, 100000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 2); /* side by side */
	assert_int_equal(w->done[0].r.start, 100000);
	assert_int_equal(w->done[1].r.start, 100000);
	assert_int_equal(w->done[0].r.unit + w->done[1].r.unit, 2 * UNIT_DMA + 1);
	memcpy(w->dst + BYTES / 2, w->src + BYTES / 2, 9999);
	busy += w->done[0].r.end - 100000 + w->done[1].r.end - 100000;
	assert_int_equal(dma_busy_cycles(w->dma, 900000), busy);
	/* the first alone, then all others at once: two go on, two wait behind a transfer that came before */
	mend(w, order[0], pte[order[0]]);
	dma_replay(w->dma, &(struct dma_replay){ order[0] }, 200000);
	dma_replay(w->dma, &(struct dma_replay){ order[0] }, 200000); /* it does not stand any more */
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 3);
	assert_int_equal(w->done[2].slot, order[0]);
	start = w->done[2].r.start;
	assert_true(start >= 1000 && start < 100000); /* when it began first */
	assert_in_range(w->done[2].r.end, 200000, 300000);
	busy += w->done[2].r.end - 200000;
	assert_int_equal(dma_busy_cycles(w->dma, 900000), busy);
	for (unsigned i = 1; i < PARKED; i++) {
		mend(w, order[i], pte[order[i]]);
		dma_replay(w->dma, &(struct dma_replay){ order[i] }, 300000);
		if (i == 2)
			dma_start(w->dma, &(struct dma_start){ .slot = 9, .packet = other, .space = ASID }, 300000);
	}
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 3 + 1 + PARKED - 1);
	for (unsigned i = 1; i < PARKED; i++) {
		const struct done *d = w->done + 3;

		while (d->slot != order[i])
			d++;
		assert_int_equal(d->r.code, FAULT_NONE);
		assert_int_equal(d->r.progress, PARKED_BYTES);
		/* the order of replay is that of the ends: order[1] and [2], slot 9, which takes longer, [3], [4] */
		if (i > 1) {
			const struct done *before = w->done + 3;

			while (before->slot != order[i - 1])
				before++;
			assert_true(before < d);
		}
	}
	assert_int_equal(w->stalls, PARKED);
	assert_int_equal(dma_busy(w->dma), 0);
	assert_int_equal(dma_bytes(w->dma), PARKED * PARKED_BYTES + 3 * 9999);
	check_contents(w);
	world_destroy(w);
}

/* Aborted while it stands, and while it waits again behind another; a reset forgets what stands. */
static void test_parked_abort(void **state)
{
	struct world *w = world_create("mini,dma_engines=1", BUS_TIMED, false);
	union packet other = copy_packet(SRC + BYTES / 2, DST + BYTES / 2, 9999, 1, 1);
	uint64_t pte[PARKED];

	(void)state;
	parked_start(w, pte);
	dma_abort(w->dma, &(struct dma_abort){ 2 }, 100000);
	assert_int_equal(w->count, 1);
	assert_int_equal(w->done[0].slot, 2);
	assert_int_equal(w->done[0].r.code, FAULT_ABORTED);
	assert_int_equal(w->done[0].r.address, 0);
	assert_int_equal(w->done[0].r.progress, 2 * 4096);
	assert_int_equal(w->done[0].r.end, 100000);
	assert_int_equal(dma_busy(w->dma), 0x1b);
	dma_replay(w->dma, &(struct dma_replay){ 2 }, 100000); /* it is over */
	dma_abort(w->dma, &(struct dma_abort){ 2 }, 100000);
	assert_int_equal(w->count, 1);
	assert_int_equal(dma_next(w->dma), UINT64_MAX);
	/* waits again */
	dma_start(w->dma, &(struct dma_start){ .slot = 8, .packet = other, .space = ASID }, 200000);
	dma_replay(w->dma, &(struct dma_replay){ 4 }, 200000);
	dma_replay(w->dma, &(struct dma_replay){ 0 }, 200000);
	dma_abort(w->dma, &(struct dma_abort){ 4 }, 200100);
	assert_int_equal(w->done[1].slot, 4);
	assert_int_equal(w->done[1].r.code, FAULT_ABORTED);
	assert_int_equal(w->done[1].r.progress, 2 * 4096);
	assert_int_equal(w->done[1].r.end, 200100);
	mend(w, 0, pte[0]);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 4);
	assert_int_equal(w->done[2].slot, 8);
	assert_int_equal(w->done[3].slot, 0);
	assert_int_equal(w->done[3].r.code, FAULT_NONE);
	/* on the engine again: it is free when that is aborted */
	mend(w, 3, pte[3]);
	dma_replay(w->dma, &(struct dma_replay){ 3 }, 300000);
	dma_tick(w->dma, 300001);
	dma_start(w->dma, &(struct dma_start){ .slot = 8, .packet = other, .space = ASID }, 300002);
	dma_abort(w->dma, &(struct dma_abort){ 3 }, 300002);
	assert_int_equal(w->done[4].slot, 3);
	assert_int_equal(w->done[4].r.progress, 2 * 4096);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->done[5].slot, 8);
	assert_int_equal(w->done[5].r.start, 300002);
	assert_int_equal(dma_busy(w->dma), 1 << 1);
	dma_reset(w->dma);
	assert_int_equal(dma_busy(w->dma), 0);
	dma_replay(w->dma, &(struct dma_replay){ 1 }, 400000);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 6);
	world_destroy(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),	  cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_faults),	  cmocka_unit_test(test_order),
		cmocka_unit_test(test_progress),	  cmocka_unit_test(test_progress_waiting),
		cmocka_unit_test(test_invalidation),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_stall),	  cmocka_unit_test(test_replay),
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_parked),	  cmocka_unit_test(test_parked_abort),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
