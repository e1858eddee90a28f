/* How jobs of the media unit end: records that change while they wait, streams that break or stop, and the events that tell of it. */
#include "testbench/model/media_world.h"

enum { JOB = 64, JOB2 = 1024, JPEG = 2048, TABLES = 8192, STREAM = 32 << 10, SRC = 64 << 10, DST = 256 << 10 };

static struct { struct event_sink sink; unsigned count; struct event event[32]; } seen;

static void on_event(struct event_sink *s, const struct event *e)
{
	(void)s;
	if (e->unit != UNIT_MEDIA || (e->kind != EVENT_MEDIA_START && e->kind != EVENT_MEDIA_END && e->kind != EVENT_FAULT))
		return;
	assert_true(seen.count < 32);
	seen.event[seen.count++] = *e;
}

static struct world *world_new(void)
{
	struct world *w = world_create("mini", BUS_TIMED, false);

	seen.sink.event = on_event;
	seen.count = 0;
	w->m.events = &seen.sink;
	world_random(w);
	return w;
}

static void unmap(struct world *w, unsigned page)
{
	table_map(&w->h, w->contexts, ASID, BASE + page * 4096ull, w->pa[page], 0);
	mmu_invalidate(w->mmu, MMU_PAGE, ASID, BASE + page * 4096ull);
	mmu_check_generation(w->mmu);
}

/* A copy of size by size samples from SRC to dst, whose record lies at `at`. */
static struct media_process *same(struct world *w, uint32_t at, uint32_t size, uint32_t dst)
{
	struct media_process *j = (struct media_process *)(w->bytes + at);

	predict_table_box(w->bytes + TABLES, 512, 1, 1);
	*j = (struct media_process){ .src = { size, size, 0, { { BASE + SRC, size, 1, 0, 0, 8 } } },
				     .dst = { size, size, 0, { { BASE + dst, size, 1, 0, 0, 8 } } }, .width = size, .height = size };
	j->filter_x[0][0] = j->filter_y[0][0] = (struct media_filter){ BASE + TABLES, 1, 0 };
	return j;
}

/* A gray picture whose stream begins at `stream`: each block is a bit 0 for the difference, and a bit 0 for its end. */
static struct media_jpeg *gray(struct world *w, uint32_t width, uint32_t height, uint32_t stream)
{
	struct media_jpeg *j = (struct media_jpeg *)(w->bytes + JPEG);

	memset(j, 0, sizeof(*j));
	memset(w->bytes + STREAM, 0, SRC - STREAM);
	j->stream = BASE + stream;
	j->stream_bytes = 4096;
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

/* ---- jobs that wait ---- */

/* Record and table of a job that waits are changed behind its start: it does what they say when the unit takes it. */
static void test_record_changed(void **state)
{
	struct world *w = world_new();
	const union packet first = packet_process(BASE + JOB), second = packet_process(BASE + JOB2);
	uint64_t bad;

	(void)state;
	same(w, JOB, 128, DST);
	struct media_process *j = same(w, JOB2, 64, DST + (64 << 10));
	world_give(w);
	media_start(w->media, &(struct media_start){ .slot = 1, .packet = first, .space = ASID }, 1000);
	media_start(w->media, &(struct media_start){ .slot = 2, .packet = second, .space = ASID }, 1000);
	media_tick(w->media, 3000);
	assert_int_equal(w->count, 0);
	j->dst.component[0].address = BASE + DST + (96 << 10);
	j->height = 32;
	j->filter_y[0][0].table = BASE + TABLES + 8 * 8; /* from row 8 on */
	assert_int_equal(mmu_write(w->mmu, UNIT_HOST, ASID, BASE + JOB2, j, sizeof(*j), &bad), FAULT_NONE);
	media_tick(w->media, UINT64_MAX - 1);
	assert_int_equal(w->count, 2);
	assert_int_equal(w->done[1].slot, 2);
	assert_int_equal(w->done[1].r.code, FAULT_NONE);
	assert_int_equal(w->done[1].r.progress, 64 * 32);
	memcpy(w->bytes + DST, w->bytes + SRC, 128 * 128);
	memcpy(w->bytes + DST + (96 << 10), w->bytes + SRC + 8 * 64, 64 * 32);
	world_check(w);
	world_destroy(w);
}

/* ---- streams ---- */

/* A stream of which nine bytes lie before a page that is not there: rows of MCUs that are complete are written. */
static void test_stream_stops(void **state)
{
	struct world *w = world_new();
	const union packet p = packet_jpeg(BASE + JPEG);

	(void)state;
	for (unsigned there = 1; there < 14; there++) {
		const struct media_jpeg *j = gray(w, 64, 64, STREAM + 4096 - there); /* two bytes a row of MCUs */

		world_random(w);
		j = gray(w, 64, 64, STREAM + 4096 - there);
		world_give(w);
		unmap(w, STREAM / 4096 + 1);
		seen.count = 0;
		const struct media_result r = run_packet(w, &p, ASID, 5000);
		assert_int_equal(r.code, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(r.access, ACCESS_READ);
		assert_int_equal(r.address, BASE + STREAM + 4096);
		assert_int_equal(r.progress, there / 2 * 8 * 64);
		expect_gray(w, j, there / 2 * 8);
		table_map(&w->h, w->contexts, ASID, BASE + STREAM + 4096, w->pa[STREAM / 4096 + 1], PTE_RW);
		mmu_check_generation(w->mmu);
		world_check(w);
	}
	world_destroy(w);
}

/* The same, with a code that no table has in each of its bits: up to the 49th it is met before the page is asked for, and told; behind that
 * the page comes first. */
static void test_first_of_two_faults(void **state)
{
	enum { THERE = 9, TAKEN_FIRST = 64 - 16 };
	struct world *w = world_new();
	const union packet p = packet_jpeg(BASE + JPEG);

	(void)state;
	for (unsigned bit = 0; bit < 8 * THERE; bit++) {
		const bool first = bit <= TAKEN_FIRST;
		uint8_t *stream = w->bytes + STREAM + 4096 - THERE;

		gray(w, 64, 64, STREAM + 4096 - THERE);
		stream[bit / 8] |= (uint8_t)(128 >> bit % 8);
		world_give(w);
		unmap(w, STREAM / 4096 + 1);
		seen.count = 0;
		const struct media_result r = run_packet(w, &p, ASID, 5000);
		assert_int_equal(r.code, first ? FAULT_BAD_STREAM : FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(r.address, first ? BASE + STREAM + 4096 - THERE + bit / 8 : BASE + STREAM + 4096);
		assert_int_equal(r.progress, bit / 16 * 8 * 64);
		table_map(&w->h, w->contexts, ASID, BASE + STREAM + 4096, w->pa[STREAM / 4096 + 1], PTE_RW);
		mmu_check_generation(w->mmu);
	}
	world_destroy(w);
}

/* Codes 0x00 to 0xe0 end a block, each: the stream has not a bit more than they need. */
static void test_ends_of_blocks(void **state)
{
	enum { CODES = 15, BITS = 1 + 5, ROWS = 2 };
	struct world *w = world_new();
	const union packet p = packet_jpeg(BASE + JPEG);
	struct media_jpeg *j = gray(w, 8 * CODES, 8 * ROWS, STREAM);
	unsigned at = 0;

	(void)state;
	j->ac[0].counts[0] = 0;
	j->ac[0].counts[4] = 16;
	for (unsigned i = 0; i < 16; i++)
		j->ac[0].symbols[i] = (uint8_t)(i << 4);
	for (unsigned n = 0; n < CODES * ROWS; n++)
		for (unsigned b = 0; b < BITS; b++, at++)
			if (b && n % CODES >> (BITS - 1 - b) & 1)
				w->bytes[STREAM + at / 8] |= (uint8_t)(128 >> at % 8);
	j->stream_bytes = (at + 7) / 8;
	world_give(w);
	assert_int_equal(run_packet(w, &p, ASID, 5000).code, FAULT_NONE);
	expect_gray(w, j, 8 * ROWS);
	world_check(w);
	world_destroy(w);
}

/* Record and destination of a picture: the part of an access in the page before the one that is missing is done. */
static void test_picture_faults(void **state)
{
	struct world *w = world_new();
	const union packet p = packet_jpeg(BASE + 4096 - 8);
	struct media_result r;

	(void)state;
	/* a record over two pages, of which the second is missing */
	world_give(w);
	unmap(w, 1);
	seen.count = 0;
	r = run_packet(w, &p, ASID, 5000);
	assert_int_equal(r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(r.access, ACCESS_READ);
	assert_int_equal(r.address, BASE + 4096);
	assert_int_equal(r.progress, 0);
	table_map(&w->h, w->contexts, ASID, BASE + 4096, w->pa[1], PTE_RW);
	/* a destination whose second page cannot be written: rows of 64 bytes with a pitch of 72, 56 of them and 44 bytes of the next */
	const union packet q = packet_jpeg(BASE + JPEG);
	struct media_jpeg *j = gray(w, 64, 64, STREAM);
	j->dst.component[0].address += 20;
	world_give(w);
	unmap(w, DST / 4096 + 1);
	seen.count = 0;
	r = run_packet(w, &q, ASID, 500000);
	assert_int_equal(r.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(r.access, ACCESS_WRITE);
	assert_int_equal(r.address, BASE + DST + 4096);
	assert_int_equal(r.progress, 56 * 64 + 44);
	for (unsigned y = 0; y <= 56; y++)
		memset(w->bytes + DST + 20 + 72 * y, 128, y < 56 ? 64 : 44);
	table_map(&w->h, w->contexts, ASID, BASE + DST + 4096, w->pa[DST / 4096 + 1], PTE_RW);
	mmu_check_generation(w->mmu);
	world_check(w);
	world_destroy(w);
}

/* ---- events ---- */

static void expect_event(unsigned i, enum event_kind kind, uint64_t a, uint64_t b, uint64_t c)
{
	assert_true(i < seen.count);
	assert_int_equal(seen.event[i].kind, kind);
	assert_int_equal(seen.event[i].queue, 4);
	assert_int_equal(seen.event[i].asid, ASID);
	assert_int_equal(seen.event[i].a, a);
	assert_int_equal(seen.event[i].b, b);
	assert_int_equal(seen.event[i].c, c);
}

static struct media_result run(struct world *w, const union packet *p)
{
	seen.count = 0;
	world_give(w);
	return run_packet(w, p, ASID, 5000);
}

static void test_events(void **state)
{
	struct world *w = world_new();
	union packet p = packet_process(BASE + JOB);
	const union packet jpeg = packet_jpeg(BASE + JPEG);

	(void)state;
	/* sound, into a format whose component 0 is not the lowest */
	struct media_process *j = same(w, JOB, 16, DST);
	for (unsigned i = 0; i < 3; i++)
		j->dst.component[i] = (struct media_component){ BASE + DST + 2 - i, 64, 4, 0, 0, 8 };
	for (unsigned i = 0; i < 3; i++)
		j->src.component[i] = j->src.component[0];
	assert_int_equal(run(w, &p).code, FAULT_NONE);
	assert_int_equal(seen.count, 2);
	expect_event(0, EVENT_MEDIA_START, BASE + JOB, BASE + DST, PACKET_CODE_process);
	expect_event(1, EVENT_MEDIA_END, 3 * 16 * 16, FAULT_NONE, 0);
	assert_int_equal(seen.event[1].cycle, w->done[0].r.end);
	/* malformed, and refused unread */
	j->alpha = 256;
	assert_int_equal(run(w, &p).code, FAULT_BAD_PACKET);
	assert_int_equal(seen.count, 3);
	expect_event(0, EVENT_MEDIA_START, BASE + JOB, 0, PACKET_CODE_process);
	expect_event(1, EVENT_FAULT, BASE + JOB, FAULT_BAD_PACKET, ACCESS_READ);
	expect_event(2, EVENT_MEDIA_END, 0, FAULT_BAD_PACKET, 0);
	p.process.job += 4;
	run(w, &p);
	assert_int_equal(seen.count, 3);
	expect_event(0, EVENT_MEDIA_START, BASE + JOB + 4, 0, PACKET_CODE_process);
	expect_event(1, EVENT_FAULT, BASE + JOB + 4, FAULT_BAD_PACKET, ACCESS_READ);
	/* another type: no begin */
	p.head.type = PACKET_CODE_copy;
	run(w, &p);
	assert_int_equal(seen.count, 2);
	expect_event(0, EVENT_FAULT, 0, FAULT_BAD_PACKET, ACCESS_READ);
	expect_event(1, EVENT_MEDIA_END, 0, FAULT_BAD_PACKET, 0);
	/* a picture, and one that breaks in its second row of MCUs */
	gray(w, 64, 16, STREAM);
	assert_int_equal(run(w, &jpeg).code, FAULT_NONE);
	assert_int_equal(seen.count, 2);
	expect_event(0, EVENT_MEDIA_START, BASE + JPEG, BASE + DST, PACKET_CODE_jpeg);
	expect_event(1, EVENT_MEDIA_END, 64 * 16, FAULT_NONE, 0);
	gray(w, 64, 16, STREAM)->stream_bytes = 3;
	run(w, &jpeg);
	assert_int_equal(seen.count, 3);
	expect_event(1, EVENT_FAULT, BASE + STREAM + 3, FAULT_BAD_STREAM, ACCESS_READ);
	expect_event(2, EVENT_MEDIA_END, 64 * 8, FAULT_BAD_STREAM, 0);
	/* aborted in the unit, and while it waits */
	p = packet_process(BASE + JOB);
	same(w, JOB, 128, DST);
	world_give(w);
	seen.count = w->count = 0;
	media_start(w->media, &(struct media_start){ .slot = 4, .packet = p, .space = ASID }, 1000);
	media_start(w->media, &(struct media_start){ .slot = 5, .packet = p, .space = ASID }, 1000);
	while (!media_progress(w->media, 4))
		media_tick(w->media, media_next(w->media));
	const uint64_t progress = media_progress(w->media, 4), now = media_next(w->media);
	media_abort(w->media, &(struct media_abort){ 5 }, now);
	assert_int_equal(seen.count, 1);
	media_abort(w->media, &(struct media_abort){ 4 }, now);
	assert_int_equal(seen.count, 2);
	expect_event(1, EVENT_MEDIA_END, progress, FAULT_ABORTED, 0);
	/* a record that is not there: no begin */
	unmap(w, 0);
	seen.count = 0;
	run_packet(w, &p, ASID, now + 5000);
	assert_int_equal(seen.count, 2);
	expect_event(0, EVENT_FAULT, BASE + JOB, FAULT_PAGE_NOT_PRESENT, ACCESS_READ);
	expect_event(1, EVENT_MEDIA_END, 0, FAULT_PAGE_NOT_PRESENT, 0);
	world_destroy(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_changed), cmocka_unit_test(test_stream_stops), cmocka_unit_test(test_first_of_two_faults),
		cmocka_unit_test(test_ends_of_blocks), cmocka_unit_test(test_picture_faults), cmocka_unit_test(test_events),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
