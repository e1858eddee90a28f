/* Every access of random jobs of the media unit, in its order and its cycle, against the prediction of media_steps.h. */
#include "testbench/model/media_random.h"
#include "testbench/model/media_steps.h"

enum { TAKEN = 100000, JPEG = 1024, STREAM = 32 << 10 };

struct seen {
	struct event_sink sink;
	unsigned count, walks;
	struct piece *piece;
	uint64_t walk_end[8];
};

static struct seen seen;

static void on_event(struct event_sink *s, const struct event *e)
{
	(void)s;
	if (e->kind == EVENT_WALK_END && seen.walks < 8)
		seen.walk_end[seen.walks++] = e->cycle;
	if (e->unit != UNIT_MEDIA)
		return;
	if (e->kind == EVENT_READ || e->kind == EVENT_WRITE) {
		assert_true(seen.count < PIECES_MAX);
		seen.piece[seen.count++] = (struct piece){ e->kind == EVENT_WRITE, e->a, e->c, e->cycle };
	}
}

/* All pages in system memory; the unit's TLBs hold them when a job has run once. */
static struct world *world_new(const char *config)
{
	struct world *w = world_create(config, BUS_TIMED, false);

	for (unsigned p = 0; p < PAGES; p++) {
		w->pa[p] = host_page(&w->h);
		table_map(&w->h, w->contexts, ASID, BASE + p * 4096ull, w->pa[p], PTE_RW);
	}
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	mmu_check_generation(w->mmu);
	seen.sink.event = on_event;
	w->m.events = &seen.sink;
	world_random(w);
	return w;
}

static void compare(const struct steps *s, uint64_t end, const struct media_result *r)
{
	for (unsigned i = 0; i < s->count && i < seen.count; i++) {
		const struct piece *a = &s->piece[i], *b = &seen.piece[i];

		if (a->write != b->write || a->va != b->va || a->bytes != b->bytes || a->cycle != b->cycle)
			fail_msg("access %u of %u: %s of %llu bytes at %#llx in cycle %llu, not %s of %llu at %#llx in %llu", i, s->count,
				 b->write ? "write" : "read", (unsigned long long)b->bytes, (unsigned long long)b->va,
				 (unsigned long long)b->cycle, a->write ? "write" : "read", (unsigned long long)a->bytes,
				 (unsigned long long)a->va, (unsigned long long)a->cycle);
	}
	assert_int_equal(seen.count, s->count);
	assert_int_equal(r->end, end);
}

/* Runs the job until the TLBs know all its pages, then once more from an idle bus. */
static struct media_result run_warm(struct world *w, const union packet *p, uint64_t *taken)
{
	struct media_result r = { 0 };

	for (unsigned i = 0; i < 2; i++) {
		seen.count = 0;
		r = run_packet(w, p, ASID, *taken);
		*taken = r.end + TAKEN;
	}
	*taken = r.start;
	return r;
}

/* Components beside the one before at every distance: within its cells, across their ends, over its bytes, below it. */
static void move_together(struct media_surface *s)
{
	for (unsigned i = 1; i < 4; i++) {
		struct media_component *c = &s->component[i];
		const uint8_t bits = c->bits;

		if (!bits || !c[-1].bits || below(2))
			continue;
		*c = c[-1];
		c->address += below(19);
		c->address -= 9;
		c->bits = c->step > 1 ? bits : c->bits;
	}
}

/* The widths of port, filters and bus in each proportion to each other; with and without blending. */
static void test_process(void **state)
{
	static const char *const configs[] = {
		"full", "full,sys_bytes_cycle=1", "full,media_samples_cycle=1", "full,media_bytes_cycle=2", "full,sys_latency=20,media_bytes_cycle=1",
		"full,media_setup=200,media_samples_cycle=3",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(configs) / sizeof(*configs); i++) {
		struct world *w = world_new(configs[i]);
		struct steps s = { .c = &w->config, .m = { w->bytes, BASE }, .piece = calloc(PIECES_MAX, sizeof(struct piece)) };
		uint64_t taken = TAKEN;

		seen.piece = calloc(PIECES_MAX, sizeof(struct piece));
		for (unsigned n = 0; n < (check_long() ? 800 : 40); n++) {
			const uint32_t at = JOB + 8 * below(400);
			const union packet p = packet_process(BASE + at);
			struct media_process j = random_job(w);

			if (n % 4 == 0)
				memset(&j.src, 0, sizeof(j.src)), j.src = j.dst, j.flags = 0;
			for (unsigned c = 0; n % 4 == 0 && c < 4; c++) /* the layouts of the destination in the source, too */
				j.src.component[c].address += j.src.component[c].address ? SRC - DST : 0;
			if (n % 4 == 3) {
				move_together(&j.src);
				move_together(&j.dst);
			}
			memcpy(w->bytes + at, &j, sizeof(j));
			world_give(w);
			const struct media_result r = run_warm(w, &p, &taken);
			assert_int_equal(r.code, FAULT_NONE);
			steps_begin(&s, taken);
			const uint64_t end = steps_process(&s, BASE + at);
			compare(&s, end, &r);
			taken = r.end + TAKEN;
		}
		free(s.piece);
		free(seen.piece);
		world_destroy(w);
	}
}

/* ---- translations, and jobs that are none ---- */

/* A record over two pages that the TLBs do not know: what a walk takes longer than the unit sees ahead delays its access. */
static void test_translations(void **state)
{
	static const struct { const char *config; bool first_waits, second_waits; } cases[] = {
		{ "full", true, true }, { "full,sys_latency=2000", true, true }, { "full,media_setup=8000,sys_latency=100", false, false },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct world *w = world_new(cases[i].config);
		const uint64_t setup = w->config.media_setup;
		const union packet p = packet_process(BASE - 104); /* its two pages share the root table alone */

		seen.piece = calloc(PIECES_MAX, sizeof(struct piece));
		table_map(&w->h, w->contexts, ASID, BASE - 4096, host_page(&w->h), PTE_RW);
		memset(w->bytes, 0, sizeof(struct media_process)); /* malformed: the record is all that is read */
		world_give(w);
		mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
		seen.count = seen.walks = 0;
		assert_int_equal(run_packet(w, &p, ASID, TAKEN).code, FAULT_BAD_PACKET);
		assert_int_equal(seen.count, 2);
		assert_int_equal(seen.walks, 2);
		const uint64_t c0 = TAKEN + setup, t0 = seen.walk_end[0] - c0;
		const uint64_t c1 = seen.piece[0].cycle + quotient(104, w->config.media_bytes_cycle), t1 = seen.walk_end[1] - c1;
		assert_int_equal(seen.piece[0].cycle, most(c0, most(TAKEN, c0 - (c0 < 1024 ? c0 : 1024)) + t0));
		assert_int_equal(seen.piece[1].cycle, most(c1, most(TAKEN, c1 - 1024) + t1));
		assert_int_equal(seen.piece[0].cycle > c0, cases[i].first_waits);
		assert_int_equal(seen.piece[1].cycle > c1, cases[i].second_waits);
		free(seen.piece);
		world_destroy(w);
	}
}

/* A packet of another type takes as long as the unit needs to begin; a malformed record until it is there. */
static void test_refused(void **state)
{
	struct world *w = world_new("full,media_setup=77");
	struct steps s = { .c = &w->config, .m = { w->bytes, BASE }, .piece = calloc(PIECES_MAX, sizeof(struct piece)) };
	union packet p = packet_process(BASE + JOB);
	uint64_t taken = TAKEN;

	(void)state;
	seen.piece = calloc(PIECES_MAX, sizeof(struct piece));
	memset(w->bytes + JOB, 0, sizeof(struct media_process));
	world_give(w);
	struct media_result r = run_warm(w, &p, &taken);
	assert_int_equal(r.code, FAULT_BAD_PACKET);
	steps_begin(&s, taken);
	step_begin(&s);
	access_make(&s, false, BASE + JOB, sizeof(struct media_process));
	compare(&s, s.arrived, &r);
	p.head.type = PACKET_CODE_copy;
	taken += TAKEN;
	r = run_warm(w, &p, &taken);
	assert_int_equal(r.end - r.start, 77);
	assert_int_equal(seen.count, 0);
	/* records that are refused unread */
	for (unsigned i = 0; i < 4; i++) {
		p = i < 2 ? packet_process(BASE + JOB) : packet_jpeg(BASE + JPEG);
		if (i & 1)
			p.process.reserved1[below(5)] = 1ull << below(64);
		else
			p.process.job += 1 + below(7);
		taken += TAKEN;
		r = run_warm(w, &p, &taken);
		assert_int_equal(r.code, FAULT_BAD_PACKET);
		assert_int_equal(r.address, p.process.job);
		assert_int_equal(seen.count, 0);
	}
	/* a picture that is malformed: its record alone */
	p = packet_jpeg(BASE + JPEG);
	memset(w->bytes + JPEG, 0, sizeof(struct media_jpeg));
	world_give(w);
	taken += TAKEN;
	r = run_warm(w, &p, &taken);
	assert_int_equal(r.code, FAULT_BAD_PACKET);
	steps_begin(&s, taken);
	step_begin(&s);
	access_make(&s, false, BASE + JPEG, sizeof(struct media_jpeg));
	compare(&s, s.arrived, &r);
	free(s.piece);
	free(seen.piece);
	world_destroy(w);
}

/* ---- pictures ---- */

static void put_bit(uint8_t *stream, unsigned at, unsigned bit) { stream[at / 8] = (uint8_t)((stream[at / 8] & ~(128 >> at % 8)) | bit << (7 - at % 8)); }

/* A picture of zeros at JPEG: gray, or 4:2:0 in NV12; AC code 0 ends a block, 10 is sixteen coefficients of 0. Its stream begins at
 * `stream`. Returns the bytes of the stream. */
static uint32_t picture(struct world *w, uint32_t width, uint32_t height, bool colours, uint32_t stream, const uint8_t *runs, unsigned num_runs)
{
	struct media_jpeg *j = (struct media_jpeg *)(w->bytes + JPEG);
	const uint32_t mcu = colours ? 16 : 8;
	const uint64_t blocks = quotient(width, mcu) * quotient(height, mcu) * (colours ? 6 : 1);
	unsigned at = 0;

	memset(j, 0, sizeof(*j));
	memset(w->bytes + stream, 0, SRC - STREAM - 4096);
	j->stream = BASE + stream;
	j->width = width;
	j->height = height;
	j->components = colours ? 3 : 1;
	for (unsigned i = 0; i < j->components; i++)
		j->component[i].h = j->component[i].v = colours && !i ? 2 : 1;
	j->dc[0].counts[0] = j->ac[0].counts[0] = j->ac[0].counts[1] = 1;
	j->ac[0].symbols[1] = 0xf0;
	j->dst = colours ? predict_nv12(BASE + DST, width, height, width + 5) : (struct media_surface){ width, height, 0, { { BASE + DST, width + 8, 1, 0, 0, 8 } } };
	for (uint64_t n = 0; n < blocks; n++) {
		put_bit(w->bytes + stream, at++, 0);
		for (unsigned k = 0; k < runs[n % num_runs]; k++) {
			put_bit(w->bytes + stream, at++, 1);
			put_bit(w->bytes + stream, at++, 0);
		}
		put_bit(w->bytes + stream, at++, 0);
	}
	j->stream_bytes = (at + 7) / 8;
	return j->stream_bytes;
}

static void test_pictures(void **state)
{
	static const char *const configs[] = { "full", "full,media_block_cycles=1", "full,media_block_cycles=1,sys_bytes_cycle=1", "full,media_bytes_cycle=1" };

	(void)state;
	for (unsigned i = 0; i < sizeof(configs) / sizeof(*configs); i++) {
		struct world *w = world_new(configs[i]);
		struct steps s = { .c = &w->config, .m = { w->bytes, BASE }, .piece = calloc(PIECES_MAX, sizeof(struct piece)) };
		const union packet p = packet_jpeg(BASE + JPEG);
		uint64_t taken = TAKEN;

		seen.piece = calloc(PIECES_MAX, sizeof(struct piece));
		for (unsigned n = 0; n < 30; n++) {
			struct media_jpeg *j = (struct media_jpeg *)(w->bytes + JPEG);
			uint8_t runs[7];

			for (unsigned k = 0; k < 7; k++)
				runs[k] = (uint8_t)below(4);
			picture(w, 1 + below(n % 3 ? 80 : 300), 1 + below(n % 3 ? 80 : 300), n & 1, STREAM + below(4096), runs, 7);
			j->stream_bytes += below(3) ? 0 : below(2000); /* bytes behind the picture may be read ahead */
			world_give(w);
			const struct media_result r = run_warm(w, &p, &taken);
			assert_int_equal(r.code, FAULT_NONE);
			steps_begin(&s, taken);
			const uint64_t end = steps_jpeg(&s, BASE + JPEG, runs, 7);
			compare(&s, end, &r);
			taken = r.end + TAKEN;
		}
		free(s.piece);
		free(seen.piece);
		world_destroy(w);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_translations),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_pictures),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
