/* The media unit as a block: what is malformed, faults and what was written before them, protection, the order of jobs, aborts and resets,
 * time. The samples themselves are media_process.c's and media_jpeg.c's. */
#include "testbench/model/media_world.h"
#include "model/inject.h"

enum { JOB = 64, JPEG = 1024, TABLES = 8192, STREAM = 32 << 10, SRC = 64 << 10, DST = 256 << 10 };

/* NV12 of twice the size into NV12 at SRC and DST. */
static struct media_process *halve(struct world *w, uint32_t width, uint32_t height)
{
	struct media_process *j = (struct media_process *)(w->bytes + JOB);
	const struct media_filter f = { BASE + TABLES, 2, 0 };

	predict_table_box(w->bytes + TABLES, width > height ? width : height, 2, 2);
	memset(j, 0, sizeof(*j));
	j->src = predict_nv12(BASE + SRC, 2 * width, 2 * height, 2 * width);
	j->dst = predict_nv12(BASE + DST, width, height, width + 32);
	j->width = width;
	j->height = height;
	for (unsigned i = 0; i < 2; i++)
		j->filter_x[i][i] = j->filter_y[i][i] = f;
	return j;
}

/* A gray picture of zeros: with one code of one bit for a difference of 0 and for the end of a block, each block is two bits. */
static struct media_jpeg *gray(struct world *w, uint32_t width, uint32_t height)
{
	struct media_jpeg *j = (struct media_jpeg *)(w->bytes + JPEG);

	memset(j, 0, sizeof(*j));
	memset(w->bytes + STREAM, 0, SRC - STREAM);
	j->stream = BASE + STREAM;
	j->stream_bytes = SRC - STREAM;
	j->width = width;
	j->height = height;
	j->components = 1;
	j->component[0].h = j->component[0].v = 1;
	j->dc[0].counts[0] = j->ac[0].counts[0] = 1;
	j->dst = (struct media_surface){ width, height, 0, { { BASE + DST, width + 8, 1, 0, 0, 8 } } };
	return j;
}

static void expect_gray(struct world *w, const struct media_jpeg *j, uint32_t rows)
{
	for (uint32_t y = 0; y < rows; y++)
		memset(w->bytes + DST + y * j->dst.component[0].pitch, 128, j->width);
}

static struct world *world_new(const char *config)
{
	struct world *w = world_create(config, BUS_TIMED, false);

	world_random(w);
	return w;
}

static void ends(struct world *w, const union packet *p, uint32_t space, enum fault code, enum access access, uint64_t address)
{
	struct media_result r;

	world_give(w);
	r = run_packet(w, p, space, 5000);
	assert_int_equal(r.code, code);
	assert_int_equal(r.access, access);
	assert_int_equal(r.address, address);
}

/* ---- malformed ---- */

static void test_malformed(void **state)
{
	struct world *w = world_new("mini");
	const union packet p = packet_process(BASE + JOB);
	union packet wrong = p;
	struct media_process *j = halve(w, 32, 16), sound = *j;

	(void)state;
#define REFUSED(change) do { *j = sound; change; ends(w, &p, ASID, FAULT_BAD_PACKET, ACCESS_READ, BASE + JOB); world_check(w); } while (0)
	REFUSED(j->src.width = 0);
	REFUSED(j->dst.height = MEDIA_SIZE_MAX + 1);
	REFUSED(j->src.reserved = 1);
	REFUSED(j->dst.component[0].bits = 9);
	REFUSED(j->dst.component[2].step = 0);
	REFUSED(j->src.component[1].step = MEDIA_STEP_MAX + 1);
	REFUSED((j->src.component[0].bits = 10, j->src.component[0].step = 1));
	REFUSED(j->dst.component[1].shift_x = 3);
	REFUSED(j->src.component[1].bits = 0);
	REFUSED((memset(j->dst.component, 0, sizeof(j->dst.component))));
	REFUSED(j->width = 0);
	REFUSED(j->width = 33);
	REFUSED(j->x = 1);
	REFUSED((j->x = 2, j->width = 29));
	REFUSED((j->y = 0x80000000u, j->height = 0x80000000u));
	REFUSED(j->alpha = 256);
	REFUSED(j->flags = 8);
	REFUSED(j->flags = MEDIA_SOURCE_ALPHA);
	REFUSED(j->flags = MEDIA_SOURCE_ALPHA | MEDIA_BLEND);
	REFUSED(j->reserved = 1);
	REFUSED(j->filter_x[1][1].taps = 0);
	REFUSED(j->filter_y[0][0].taps = MEDIA_TAPS_MAX + 1);
	REFUSED(j->filter_y[1][1].reserved = 1);
	REFUSED(j->filter_x[0][0].table++);
#undef REFUSED
	*j = sound;
	wrong.process.job += 4;
	ends(w, &wrong, ASID, FAULT_BAD_PACKET, ACCESS_READ, BASE + JOB + 4);
	wrong = p;
	wrong.process.reserved1[4] = 1;
	ends(w, &wrong, ASID, FAULT_BAD_PACKET, ACCESS_READ, BASE + JOB);
	wrong.head.type = PACKET_CODE_copy;
	ends(w, &wrong, ASID, FAULT_BAD_PACKET, ACCESS_READ, 0);
	/* an entry of a table, after the first rows could have been made */
	w->bytes[TABLES + 15 * 8 + 4]++;
	ends(w, &p, ASID, FAULT_BAD_PACKET, ACCESS_READ, BASE + TABLES + 15 * 8);
	world_check(w);
	w->bytes[TABLES + 15 * 8 + 4]--;
	/* filters that nobody needs, and components, may be anything */
	memset(&j->filter_x[0][1], 0xff, sizeof(j->filter_x[0][1]));
	memset(&j->src.component[3], 0xff, sizeof(j->src.component[3]));
	predict_process(&(struct predict_memory){ w->bytes, BASE }, &sound);
	j->src.component[3].bits = 0;
	ends(w, &p, ASID, FAULT_NONE, ACCESS_READ, 0);
	world_destroy(w);
}

static void test_malformed_pictures(void **state)
{
	struct world *w = world_new("mini");
	const union packet p = packet_jpeg(BASE + JPEG);
	struct media_jpeg *j = gray(w, 40, 20), sound = *j;

	(void)state;
#define REFUSED(change) do { *j = sound; change; ends(w, &p, ASID, FAULT_BAD_PACKET, ACCESS_READ, BASE + JPEG); world_check(w); } while (0)
	REFUSED(j->components = 2);
	REFUSED(j->width = 0);
	REFUSED(j->height = 21);
	REFUSED(j->reserved = 1);
	REFUSED(j->component[0].h = 5);
	REFUSED(j->component[0].v = 0);
	REFUSED(j->component[0].quant = 4);
	REFUSED(j->component[0].dc = 2);
	REFUSED(j->component[0].ac = 2);
	REFUSED(j->component[0].reserved[2] = 1);
	REFUSED(j->dc[0].counts[0] = 2); /* the second one is all ones */
	REFUSED(j->ac[0].counts[1] = 3);
	REFUSED((memset(j->ac[0].counts + 8, 200, 8)));
	REFUSED(j->dst.component[0].shift_x = 1);
	REFUSED(j->dst.component[0].bits = 10);
	REFUSED(j->dst.component[0].bits = 0);
	REFUSED((j->components = 3, j->component[1] = j->component[2] = j->component[0], j->component[1].h = 3));
#undef REFUSED
	*j = sound;
	expect_gray(w, j, 20);
	ends(w, &p, ASID, FAULT_NONE, ACCESS_READ, 0);
	world_check(w);
	world_destroy(w);
}

/* ---- broken streams ---- */

static void test_broken_streams(void **state)
{
	struct world *w = world_new("mini");
	const union packet p = packet_jpeg(BASE + JPEG);
	struct media_jpeg *j = gray(w, 64, 64), sound = *j; /* 16 bits a row of MCUs */

	(void)state;
	/* bytes for three rows, and a half */
	j->stream_bytes = 7;
	expect_gray(w, j, 24);
	ends(w, &p, ASID, FAULT_BAD_STREAM, ACCESS_READ, BASE + STREAM + 7);
	assert_int_equal(w->done[0].r.progress, 24 * 64);
	world_check(w);
	/* a marker, too, is the end; a stuffed byte is none, and has no code */
	*j = sound;
	w->bytes[STREAM + 4] = 0xff;
	w->bytes[STREAM + 5] = 0xd9;
	ends(w, &p, ASID, FAULT_BAD_STREAM, ACCESS_READ, BASE + STREAM + 4);
	w->bytes[STREAM + 5] = 0;
	ends(w, &p, ASID, FAULT_BAD_STREAM, ACCESS_READ, BASE + STREAM + 4);
	assert_int_equal(w->done[0].r.progress, 16 * 64);
	/* restart markers: each is there, one is missing, one has another number */
	memset(w->bytes + STREAM, 0, 64);
	j->restart_interval = 8;
	for (unsigned i = 0; i < 8; i++) {
		w->bytes[STREAM + 4 * i + 2] = 0xff;
		w->bytes[STREAM + 4 * i + 3] = (uint8_t)(0xd0 + i);
	}
	expect_gray(w, j, 64);
	ends(w, &p, ASID, FAULT_NONE, ACCESS_READ, 0);
	world_check(w);
	w->bytes[STREAM + 4 * 2 + 3] = 0xd0;
	ends(w, &p, ASID, FAULT_BAD_STREAM, ACCESS_READ, BASE + STREAM + 4 * 2 + 2);
	assert_int_equal(w->done[0].r.progress, 24 * 64);
	w->bytes[STREAM + 4 * 2 + 2] = 0;
	ends(w, &p, ASID, FAULT_BAD_STREAM, ACCESS_READ, BASE + STREAM + 4 * 2 + 2);
	/* of a protected job the host is told nothing; it cannot write here, but the first row is what is broken */
	j->stream_bytes = 1;
	ends(w, &p, ASID | SPACE_PROTECTED, FAULT_BAD_STREAM, ACCESS_READ, 0);
	world_destroy(w);
}

/* ---- faults ---- */

static void map(struct world *w, unsigned page, uint64_t bits)
{
	table_map(&w->h, w->contexts, ASID, BASE + page * 4096ull, w->pa[page], bits);
	mmu_invalidate(w->mmu, MMU_PAGE, ASID, BASE + page * 4096ull);
	mmu_check_generation(w->mmu);
}

static void test_page_faults(void **state)
{
	struct world *w = world_new("mini");
	const union packet p = packet_process(BASE + JOB), jpeg = packet_jpeg(BASE + JPEG);
	const struct media_process *j = halve(w, 128, 100);
	static uint8_t all[AREA];
	uint64_t rows;

	(void)state;
	/* the record, a table, the source's second page (of rows 16 to 31), the destination's second */
	world_give(w);
	map(w, 0, 0);
	assert_int_equal(run_packet(w, &p, ASID, 5000).code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->done[0].r.address, BASE + JOB);
	map(w, 0, PTE_RW);
	map(w, TABLES / 4096, PTE_V | PTE_U | PTE_X);
	assert_int_equal(run_packet(w, &p, ASID, 5000).code, FAULT_PAGE_READ);
	assert_int_equal(w->done[0].r.address, BASE + TABLES);
	map(w, TABLES / 4096, PTE_RW);
	world_check(w);
	/* rows of the destination before a fault are written, and none after */
	memcpy(all, w->bytes, AREA);
	predict_process(&(struct predict_memory){ all, BASE }, j);
	map(w, SRC / 4096 + 1, 0);
	assert_int_equal(run_packet(w, &p, ASID, 5000).code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->done[0].r.address, BASE + SRC + 4096);
	assert_int_equal(w->done[0].r.access, ACCESS_READ);
	rows = w->done[0].r.progress / 128;
	assert_int_equal(rows, 8);
	for (unsigned y = 0; y < rows; y++)
		memcpy(w->bytes + DST + y * 160, all + DST + y * 160, 128);
	map(w, SRC / 4096 + 1, PTE_RW);
	world_check(w);
	map(w, DST / 4096 + 1, PTE_V | PTE_U | PTE_R);
	assert_int_equal(run_packet(w, &p, ASID, 5000).code, FAULT_PAGE_WRITE);
	assert_int_equal(w->done[0].r.access, ACCESS_WRITE);
	assert_int_equal(w->done[0].r.address, BASE + DST + 4096);
	assert_int_equal(w->done[0].r.progress, 25 * 128 + 4096 - 25 * 160);
	map(w, DST / 4096 + 1, PTE_RW);
	/* the stream of a picture */
	gray(w, 64, 64);
	world_give(w);
	map(w, STREAM / 4096, 0);
	assert_int_equal(run_packet(w, &jpeg, ASID, 5000).code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->done[0].r.address, BASE + STREAM);
	world_destroy(w);
}

/* Bytes of the stream that are read ahead, and that no code needs, may be missing; those that one needs may not. */
static void test_stream_over_the_edge(void **state)
{
	enum { BYTES = 16, EDGE = STREAM + 4096 }; /* 16 bits a row of MCUs */
	struct world *w = world_new("mini");
	const union packet p = packet_jpeg(BASE + JPEG);
	struct media_jpeg *j = gray(w, 64, 64);

	(void)state;
	j->stream = BASE + EDGE - BYTES;
	expect_gray(w, j, 64);
	world_give(w);
	map(w, EDGE / 4096, 0);
	assert_int_equal(run_packet(w, &p, ASID, 5000).code, FAULT_NONE);
	assert_int_equal(w->done[0].r.progress, 64 * 64);
	j->stream++;
	map(w, EDGE / 4096, PTE_RW);
	world_give(w);
	map(w, EDGE / 4096, 0);
	assert_int_equal(run_packet(w, &p, ASID, 5000).code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->done[0].r.address, BASE + EDGE);
	assert_int_equal(w->done[0].r.access, ACCESS_READ);
	assert_int_equal(w->done[0].r.progress, 56 * 64);
	/* and where a restart marker has to be */
	j->restart_interval = 8;
	j->stream = BASE + EDGE - 2;
	map(w, EDGE / 4096, PTE_RW);
	world_give(w);
	map(w, EDGE / 4096, 0);
	assert_int_equal(run_packet(w, &p, ASID, 5000).code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->done[0].r.address, BASE + EDGE);
	assert_int_equal(w->done[0].r.progress, 8 * 64);
	map(w, EDGE / 4096, PTE_RW);
	world_check(w);
	world_destroy(w);
}

/* A protected job reads anything, and writes where only protected jobs may; its faults have no address. */
static void test_protection(void **state)
{
	struct world *w = world_new("mini");
	const union packet p = packet_process(BASE + JOB);
	const struct media_process *j = halve(w, 64, 40);

	(void)state;
	world_give(w);
	assert_int_equal(run_packet(w, &p, ASID | SPACE_PROTECTED, 5000).code, FAULT_PROTECTED);
	assert_int_equal(w->done[0].r.access, ACCESS_WRITE);
	assert_int_equal(w->done[0].r.address, 0);
	assert_int_equal(w->done[0].r.progress, 0);
	world_check(w);
	for (unsigned i = 0; i < 64; i++) /* the destination's pages move to DRAM that is protected */
		w->pa[DST / 4096 + i] = DRAM_BASE + (40ull << 20) + i * 4096;
	for (unsigned i = 0; i < 64; i++)
		map(w, DST / 4096 + i, PTE_RW);
	world_give(w);
	prot_region_set(&w->prot, 0, DRAM_BASE + (40ull << 20), DRAM_BASE + (41ull << 20), NULL, 0);
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	assert_int_equal(run_packet(w, &p, ASID, 5000).code, FAULT_PROTECTED);
	assert_int_equal(w->done[0].r.address, BASE + DST);
	assert_int_equal(run_packet(w, &p, ASID | SPACE_PROTECTED, 5000).code, FAULT_NONE);
	predict_process(&(struct predict_memory){ w->bytes, BASE }, j);
	for (unsigned y = 0; y < 40; y++)
		assert_memory_equal(w->m.dram + (40ull << 20) + y * 96, w->bytes + DST + y * 96, 64);
	world_destroy(w);
}

/* ---- jobs ---- */

static void test_order(void **state)
{
	struct world *w = world_new("full");
	const union packet p = packet_process(BASE + JOB);
	uint64_t now = 0;

	(void)state;
	halve(w, 64, 40);
	world_give(w);
	for (unsigned i = 0; i < MEDIA_SLOTS; i++)
		media_start(w->media, &(struct media_start){ .slot = (i * 5 + 3) % MEDIA_SLOTS, .packet = p, .space = ASID }, 1000 + i);
	media_start(w->media, &(struct media_start){ .slot = 3, .packet = p, .space = ASID }, 1020);
	assert_int_equal(media_busy(w->media), 0xffff);
	media_abort(w->media, &(struct media_abort){ 8 }, 1030); /* the second, which waits */
	assert_int_equal(w->count, 1);
	assert_int_equal(w->done[0].r.code, FAULT_ABORTED);
	assert_int_equal(w->done[0].r.start, 1030);
	while (!media_progress(w->media, 3))
		media_tick(w->media, now = media_next(w->media));
	assert_int_equal(media_begun(w->media, 3), 1000);
	assert_true(media_progress(w->media, 3) < 64 * 60);
	assert_int_equal(media_progress(w->media, 13), 0);
	media_abort(w->media, &(struct media_abort){ 3 }, now + 1); /* the first, which runs */
	assert_int_equal(w->done[1].r.code, FAULT_ABORTED);
	assert_int_equal(w->done[1].r.end, now + 1);
	assert_int_equal(w->done[1].r.address, 0);
	media_tick(w->media, UINT64_MAX - 1);
	assert_int_equal(w->count, MEDIA_SLOTS);
	for (unsigned i = 2; i < MEDIA_SLOTS; i++) {
		assert_int_equal(w->done[i].slot, (i * 5 + 3) % MEDIA_SLOTS);
		assert_int_equal(w->done[i].r.code, FAULT_NONE);
		assert_int_equal(w->done[i].r.progress, 64 * 60);
		assert_int_equal(w->done[i].r.start, w->done[i - 1].r.end);
	}
	assert_int_equal(media_busy_cycles(w->media, UINT64_MAX), w->done[15].r.end - 1000);
	assert_int_equal(media_bytes(w->media), 14 * 64 * 60 + w->done[1].r.progress);
	/* reset drops all, silently */
	media_start(w->media, &(struct media_start){ .slot = 1, .packet = p, .space = ASID }, 1 << 20);
	media_start(w->media, &(struct media_start){ .slot = 2, .packet = p, .space = ASID }, 1 << 20);
	media_tick(w->media, (1 << 20) + 100);
	media_reset(w->media);
	assert_int_equal(media_busy(w->media), 0);
	assert_int_equal(media_next(w->media), UINT64_MAX);
	assert_int_equal(w->count, MEDIA_SLOTS);
	predict_process(&(struct predict_memory){ w->bytes, BASE }, (struct media_process *)(w->bytes + JOB));
	assert_int_equal(run_packet(w, &p, ASID, 2 << 20).code, FAULT_NONE);
	world_check(w);
	world_destroy(w);
}

static uint64_t cycles_of(const char *config, uint32_t width, uint32_t height)
{
	struct world *w = world_new(config);
	const union packet p = packet_process(BASE + JOB);
	struct media_result r;

	halve(w, width, height);
	world_give(w);
	r = run_packet(w, &p, ASID, 1000);
	assert_int_equal(r.code, FAULT_NONE);
	world_destroy(w);
	return r.end - r.start;
}

/* The same job takes the same cycles; sixteen times the samples take more, and never fewer than the filters need. */
static void test_cycles(void **state)
{
	static const char *const configs[] = { "full", "mini" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct device_config *c = device_config_find(configs[i]);
		const uint64_t small = cycles_of(configs[i], 64, 32), large = cycles_of(configs[i], 256, 128);

		assert_int_equal(cycles_of(configs[i], 256, 128), large);
		assert_in_range(large, 2 * small, 20 * small);
		assert_true(large >= 2 * 256 * 128 * 3 / 2 / c->media_samples_cycle); /* two rows of the source for each of the destination */
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_malformed), cmocka_unit_test(test_malformed_pictures), cmocka_unit_test(test_broken_streams),
		cmocka_unit_test(test_stream_over_the_edge),
		cmocka_unit_test(test_page_faults), cmocka_unit_test(test_protection), cmocka_unit_test(test_order), cmocka_unit_test(test_cycles),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
