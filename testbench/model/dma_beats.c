/* Beat by beat: what an engine reads and writes in one go, and in which cycle, of random copies and fills in both directions,
 * against the rules of the manual. How long memory takes is asked of an L2 of the same configuration, line by line. */
#include "testbench/model/dma_world.h"
#include "testbench/model/event_log.h"

enum { LOOKAHEAD = 1024, BURST_CYCLES = 64, DRAM_PAGES = 96 };
#define SPARE 0x6000000000ull /* DRAM_PAGES pages of DRAM */

struct beats {
	struct world *w;
	struct event_log log;
	struct l2 *l2;  /* of the reference */
	unsigned at;    /* in the log: the next event of an access */
	unsigned fills; /* the same: of a translation */
	/* the box, as one that is gone through upwards or downwards */
	uint64_t src, dst, width, rows, slices, src_row, dst_row, src_slice, dst_slice, pattern_size;
	bool down;
	/* the engine */
	uint64_t taken, clock, arrived, page[2];
	uint64_t rate;
};

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- the box ---- */

static void box_of(struct beats *b, const union packet *p)
{
	bool fill = p->head.type == PACKET_CODE_fill;

	b->pattern_size = fill ? p->fill.pattern_size : 0;
	b->src = fill ? p->fill.pattern : p->copy.src;
	b->dst = fill ? p->fill.dst : p->copy.dst;
	b->width = fill ? p->fill.width : p->copy.width;
	b->rows = fill ? p->fill.height : p->copy.height;
	b->slices = fill ? p->fill.depth : p->copy.depth;
	b->dst_row = fill ? p->fill.dst_row : p->copy.dst_row;
	b->dst_slice = fill ? p->fill.dst_slice : p->copy.dst_slice;
	b->src_row = fill ? b->dst_row : p->copy.src_row;
	b->src_slice = fill ? b->dst_slice : p->copy.src_slice;
	/* the packets here have that only where source and destination share a byte */
	b->down = !fill && b->dst > b->src && b->dst - b->src < b->width && b->src_row == b->dst_row;
	/* rows without a gap are one row, then slices */
	if (b->rows > 1 && b->src_row == b->width && b->dst_row == b->width) {
		b->width *= b->rows;
		b->rows = 1;
	}
	if (b->slices > 1 && b->rows == 1 && b->src_slice == b->width && b->dst_slice == b->width) {
		b->width *= b->slices;
		b->slices = 1;
	}
}

/* ---- time ---- */

/* Physical address by the tables. */
static uint64_t physical(struct beats *b, uint64_t va)
{
	return pte_address(*table_entry(&b->w->h, b->w->contexts, ASID, va, 0)) + (va & 4095);
}

/* n bytes from pa on, in one page, issued at a cycle. */
static void stream(struct beats *b, uint64_t cycle, uint64_t pa, uint64_t n, bool write)
{
	uint64_t line = b->w->config.line_bytes;

	while (n) {
		uint64_t part = min(n, line - pa % line);

		b->arrived = max(b->arrived, l2_access(b->l2, cycle, pa, (uint32_t)part, write));
		pa += part;
		n -= part;
	}
}

/* The engine comes to another page of a side, for bytes that could be issued at a cycle: what its translation took is how much
 * later than that it was there. */
static void translate(struct beats *b, unsigned side, uint64_t cycle, uint64_t va)
{
	const struct event *e;
	unsigned at = b->fills;
	uint64_t took = 0;

	if (b->page[side] == va >> 12)
		return;
	b->page[side] = va >> 12;
	e = event_log_next(&b->log, &at, EVENT_TLB_FILL, UNIT_DMA);
	if (e && e->a == (va & ~0xfffull)) {
		b->fills = at;
		assert_true(e->cycle >= cycle);
		took = e->cycle - cycle;
	}
	b->clock = max(b->clock, (max(b->taken, cycle > LOOKAHEAD ? cycle - LOOKAHEAD : 0) + took) * b->rate);
}

static void expect(struct beats *b, enum event_kind kind, uint64_t x, uint64_t y, uint64_t n)
{
	const struct event *e;

	do
		assert_true(b->at < b->log.count);
	while (e = &b->log.event[b->at++], e->unit != UNIT_DMA || (e->kind != EVENT_READ && e->kind != EVENT_WRITE && e->kind != EVENT_DMA_BEAT));
	assert_int_equal(e->kind, kind);
	assert_int_equal(e->a, x);
	assert_int_equal(e->b, y);
	assert_int_equal(e->c, n);
	assert_int_equal(e->cycle, b->clock / b->rate);
}

/* The next beat of a row of which done bytes are done. */
static uint64_t beat(struct beats *b, uint64_t row_src, uint64_t row_dst, uint64_t done)
{
	uint64_t n = min(b->width - done, BURST_CYCLES * b->rate), left = b->width - done, cycle = b->clock / b->rate;
	uint64_t src = row_src + done, dst = row_dst + done;

	if (b->down) { /* ends where a page begins */
		n = min(n, min(((row_src + left - 1) & 4095) + 1, ((row_dst + left - 1) & 4095) + 1));
		src = row_src + left - n;
		dst = row_dst + left - n;
	} else {
		n = min(n, 4096 - (dst & 4095));
		if (!b->pattern_size)
			n = min(n, 4096 - (src & 4095));
	}
	if (!b->pattern_size)
		translate(b, 0, cycle, src);
	translate(b, 1, cycle, dst);
	if (b->pattern_size) {
		src = b->src;
	} else {
		expect(b, EVENT_READ, src, physical(b, src), n);
		stream(b, b->clock / b->rate, physical(b, src), n, false);
	}
	expect(b, EVENT_WRITE, dst, physical(b, dst), n);
	stream(b, b->clock / b->rate, physical(b, dst), n, true);
	expect(b, EVENT_DMA_BEAT, src, dst, n);
	b->clock += max(n, b->rate);
	return n;
}

static uint64_t rounded_up(const struct beats *b) { return (b->clock + b->rate - 1) / b->rate; }

static void pattern(struct beats *b)
{
	for (uint64_t done = 0, n; done < b->pattern_size; done += n) {
		uint64_t va = b->src + done;

		n = min(b->pattern_size - done, 4096 - (va & 4095));
		translate(b, 0, b->clock / b->rate, va);
		expect(b, EVENT_READ, va, physical(b, va), n);
		stream(b, b->clock / b->rate, physical(b, va), n, false);
	}
	b->clock = max(rounded_up(b), b->arrived) * b->rate;
}

/* Compares all beats of the transfer that has run; the cycle at which it has to end. */
static uint64_t transfer(struct beats *b, const union packet *p, uint64_t taken)
{
	const struct device_config *c = &b->w->config;
	uint64_t ahead = max(c->sys_latency, c->l2_latency + c->dram_latency) + 256, from;

	box_of(b, p);
	b->taken = b->arrived = taken;
	b->clock = (taken + c->dma_setup) * b->rate;
	b->page[0] = b->page[1] = 0;
	if (b->pattern_size)
		pattern(b);
	from = b->clock;
	for (uint64_t i = 0; i < b->rows * b->slices; i++) {
		uint64_t k = b->down ? b->rows * b->slices - 1 - i : i, y = k % b->rows, z = k / b->rows;

		for (uint64_t done = 0; done < b->width;) {
			if (b->clock - from >= BURST_CYCLES * b->rate) {
				uint64_t next = max(rounded_up(b), b->arrived > ahead ? b->arrived - ahead : 0);

				b->clock = from = next * b->rate;
			}
			done += beat(b, b->src + z * b->src_slice + y * b->src_row, b->dst + z * b->dst_slice + y * b->dst_row, done);
		}
	}
	return max(rounded_up(b), b->arrived);
}

/* ---- random transfers ---- */

static void beats_create(struct beats *b, const char *config)
{
	*b = (struct beats){ .w = world_create(config, BUS_TIMED, false) };
	event_log_init(&b->log);
	for (unsigned p = 0; p < DRAM_PAGES; p++)
		table_map(&b->w->h, b->w->contexts, ASID, SPARE + p * 4096ull, DRAM_BASE + (32 << 20) + p * 37 % DRAM_PAGES * 4096, PTE_RW);
	b->l2 = l2_create(&b->w->config, BUS_TIMED);
	b->rate = b->w->config.dma_bytes_cycle;
	b->w->m.events = &b->log.sink;
}

static void beats_destroy(struct beats *b)
{
	l2_destroy(b->l2);
	event_log_fini(&b->log);
	world_destroy(b->w);
}

/* Within bytes of memory from src and from dst on. */
static union packet random_packet(uint64_t src, uint64_t dst, uint32_t bytes)
{
	uint32_t depth = 1 + (uint32_t)random_below(3), height = 1 + (uint32_t)random_below(20), most = bytes / 2 / depth / height;
	uint32_t width = 1 + (uint32_t)random_below(random_below(2) ? 40 : most), row = width, slice, by = (uint32_t)random_below(bytes / 4);
	union packet p;

	if (random_below(2))
		row = most;
	slice = height * row + (random_below(2) ? (uint32_t)random_below(64) : 0);
	if (!random_below(3)) {
		uint32_t pattern = 1 + (uint32_t)random_below(width < 128 ? width : 128);

		p = fill_packet(src + 4000 + random_below(200), dst + by, width / pattern * pattern, pattern);
		p.fill.height = height;
		p.fill.depth = depth;
		p.fill.dst_row = random_below(2) ? p.fill.width : row;
		p.fill.dst_slice = slice;
		return p;
	}
	p = copy_packet(src + by, dst + random_below(bytes / 4), width, height, depth);
	if (!random_below(3)) /* onto itself, upwards or downwards */
		p = copy_packet(dst + random_below(width), dst + random_below(width), width, 1, 1);
	p.copy.src_row = p.copy.dst_row = row;
	p.copy.src_slice = p.copy.dst_slice = slice;
	if (random_below(3) == 0 && src != dst && p.copy.src < dst)
		p.copy.src_row = width;
	return p;
}

static void transfers_run(const char *config, uint64_t src, uint64_t dst, uint32_t bytes, unsigned count, bool warm)
{
	struct beats b;
	uint64_t now = 10000000;

	beats_create(&b, config);
	for (unsigned i = 0; i < count; i++, now += 10000000) {
		union packet p = random_packet(src, dst, bytes);
		struct done d;
		unsigned at = 0;

		if (!warm)
			mmu_invalidate(b.w->mmu, MMU_ASID, ASID, 0);
		else if (!i)
			check_contents(b.w); /* all pages are in the L2 TLB then */
		b.log.count = b.at = b.fills = 0;
		d = run_at(b.w, &p, now);
		assert_int_equal(d.r.code, FAULT_NONE);
		assert_int_equal(d.r.start, now);
		assert_int_equal(d.r.end, transfer(&b, &p, now));
		assert_int_equal(event_log_next(&b.log, &at, EVENT_DMA_END, UNIT_DMA)->cycle, d.r.end);
		at = b.at;
		assert_null(event_log_next(&b.log, &at, EVENT_DMA_BEAT, UNIT_DMA));
	}
	beats_destroy(&b);
}

/* In both kinds of memory, with all translations in the L2 TLB. */
static void test_beats(void **state)
{
	(void)state;
	transfers_run("mini,l2_tlb_entries=1024", SRC, DST, BYTES, 60, true);
	transfers_run("full", SRC, DST, BYTES, 60, true);
	/* a bus and a DRAM that are slower than an engine, an engine whose rate is odd */
	transfers_run("mini,l2_tlb_entries=1024,sys_bytes_cycle=2,dram_bytes_cycle=4", SRC, DST, BYTES, 40, true);
	transfers_run("mini,l2_tlb_entries=1024,dma_bytes_cycle=7", SRC, DST, BYTES, 40, true);
}

/* In DRAM, with a walk in system memory for each page. */
static void test_translations(void **state)
{
	(void)state;
	transfers_run("mini", SPARE, SPARE + DRAM_PAGES / 2 * 4096, DRAM_PAGES / 2 * 4096, 60, false);
	transfers_run("mini,sys_latency=1500,dma_bytes_cycle=64,l2_bytes_cycle=256,dram_bytes_cycle=128", SPARE,
		      SPARE + DRAM_PAGES / 2 * 4096, DRAM_PAGES / 2 * 4096, 60, false);
}

/* Rows of a byte, and beats of a byte less than a burst. */
static void test_bursts(void **state)
{
	static const uint32_t widths[] = { 1, 2, 64 * 8 - 1, 64 * 8, 64 * 8 + 1 };
	struct beats b;
	uint64_t now = 10000000;

	(void)state;
	beats_create(&b, "mini,l2_tlb_entries=1024,dma_bytes_cycle=64");
	check_contents(b.w);
	for (unsigned i = 0; i < sizeof(widths) / sizeof(*widths); i++, now += 10000000) {
		union packet p = copy_packet(SRC, DST, widths[i], i < 2 ? 3000 : 200, 1);
		struct done d;

		p.copy.src_row = widths[i] + 1;
		p.copy.dst_row = widths[i] + 2;
		b.log.count = b.at = b.fills = 0;
		d = run_at(b.w, &p, now);
		assert_int_equal(d.r.end, transfer(&b, &p, now));
	}
	beats_destroy(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_beats),
		cmocka_unit_test(test_translations),
		cmocka_unit_test(test_bursts),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
