/* Compute units and DMA engines of a device that is not coherent with its host: stale bytes both ways
 * without the maintenance packet, right bytes with it; and what is not cached is never stale. */
#include "model/mem/cache.h"
#include "model/dma/dma.h"
#include "testbench/model/kernel.h"

enum { PAGE = 4096, WORDS = 64 };
static const uint64_t cached_va = 0x3000000000, uncached_va = 0x3100000000, copy_va = 0x3200000000;

/* The same system page mapped twice, a page for copies, and a DMA engine. */
struct table {
	struct bench b;
	struct dma *dma;
	uint32_t *host;
	struct dma_result result;
	bool ended;
};

static void ended(void *ctx, const struct dma_result *r, uint64_t cycle)
{
	struct table *t = ctx;

	(void)cycle;
	assert_int_equal(r->slot, 3);
	t->result = *r;
	t->ended = true;
}

static void table_open(struct table *t, const char *config, enum bus_speed speed, bool observed)
{
	struct rig *r = rig_create(config, speed, SIMD_AUTO, observed);
	struct dma_params p = { .config = r->config, .speed = speed, .mem = &r->mem, .mmu = r->mmu,
				.l2 = r->l2,	     .result = ended,  .ctx = t };

	*t = (struct table){ .b = bench_of(r) };
	t->host = (uint32_t *)(void *)(r->system + 5 * PAGE);
	rig_map(r, cached_va, SYSTEM_BASE + 5 * PAGE, PAGE, PTE_R | PTE_W);
	rig_map(r, uncached_va, SYSTEM_BASE + 5 * PAGE, PAGE, PTE_R | PTE_W | PTE_UNCACHED);
	rig_map(r, copy_va, rig_dram(r, PAGE), PAGE, PTE_R | PTE_W);
	t->dma = dma_create(&p);
	assert_non_null(t->dma);
}

static void table_close(struct table *t)
{
	dma_destroy(t->dma);
	rig_destroy(t->b.r);
}

static void packet_run(struct table *t, const union packet *p)
{
	t->ended = false;
	dma_start(t->dma, &(struct dma_start){ .slot = 3, .packet = *p, .space = RIG_ASID }, t->b.r->now);
	for (unsigned step = 0; !t->ended && step < 100000; step++) {
		t->b.r->now = dma_next(t->dma);
		dma_tick(t->dma, t->b.r->now);
	}
	assert_true(t->ended);
	assert_int_equal(t->result.code, FAULT_NONE);
}

static void maintain(struct table *t, uint64_t va, uint64_t size, unsigned op)
{
	packet_run(t, &(union packet){ .cache = { .head.type = PACKET_CODE_cache, .address = va, .size = size, .op = op } });
}

/* ---- the two kinds of masters: words of the page at va, read by the device and written by it ---- */

static void copy_words(struct table *t, uint64_t src, uint64_t dst)
{
	packet_run(t, &(union packet){ .copy = { .head.type = PACKET_CODE_copy, .src = src, .dst = dst, .width = WORDS * 4,
						 .height = 1, .depth = 1 } });
}

static void dma_words_read(struct table *t, uint64_t va, uint32_t *words)
{
	copy_words(t, va, copy_va);
	copy_words(t, copy_va, out_va);
	memcpy(words, t->b.out, WORDS * 4);
}

static void dma_words_write(struct table *t, uint64_t va, const uint32_t *words)
{
	memcpy(t->b.out, words, WORDS * 4);
	copy_words(t, out_va, va);
}

/* Runs a program for each word at va, with its copy in the output. Each is assembled once. */
static void kernel(struct table *t, uint64_t va, const char *text)
{
	static struct { const char *text; uint32_t *words; size_t n; } known[8];
	struct rig_range items = { .global = { WORDS, 1, 1 }, .local = { 16, 1, 1 }, .kernarg = arg_va };
	unsigned i = 0;

	while (known[i].text && known[i].text != text)
		i++;
	if (!known[i].text) {
		known[i].text = text;
		known[i].words = rig_assemble(text, &known[i].n);
	}
	t->b.arg[1] = va;
	assert_false(rig_run(t->b.r, rig_load(t->b.r, known[i].words, known[i].n), &items)->faulted);
}

#define ADDRESSES ITEM "ld a1, 0(a0)\n ld a2, 8(a0)\n sh2add a2, s0, a2\n sh2add a1, s0, a1\n"

static void cu_words_read(struct table *t, uint64_t va, uint32_t *words)
{
	static const char text[] = ADDRESSES "lw t0, 0(a2)\n sw t0, 0(a1)\n" EXIT;

	kernel(t, va, text);
	memcpy(words, t->b.out, WORDS * 4);
}

static void cu_words_write(struct table *t, uint64_t va, const uint32_t *words)
{
	static const char text[] = ADDRESSES "lw t0, 0(a1)\n sw t0, 0(a2)\n" EXIT;

	memcpy(t->b.out, words, WORDS * 4);
	kernel(t, va, text);
}

/* The same words by an atomic or with 0, and by compare-and-swap. */
static void atomic_words_read(struct table *t, uint64_t va, uint32_t *words)
{
	static const char text[] = ADDRESSES "amoor.w t0, x0, (a2)\n sw t0, 0(a1)\n" EXIT;

	kernel(t, va, text);
	memcpy(words, t->b.out, WORDS * 4);
}

static void atomic_words_write(struct table *t, uint64_t va, const uint32_t *words)
{
	static const char text[] = ADDRESSES "lw t0, 0(a1)\n lw t1, 0(a2)\n amocas.w t1, t0, (a2)\n" EXIT;

	memcpy(t->b.out, words, WORDS * 4);
	kernel(t, va, text);
}

/* Bytes that lie apart, one a lane: the lane-by-lane path. */
static void byte_words_read(struct table *t, uint64_t va, uint32_t *words)
{
	static const char text[] = ADDRESSES "lbu t0, 0(a2)\n sb t0, 0(a1)\n lbu t0, 1(a2)\n sb t0, 1(a1)\n"
				     "lbu t0, 2(a2)\n sb t0, 2(a1)\n lbu t0, 3(a2)\n sb t0, 3(a1)\n" EXIT;

	kernel(t, va, text);
	memcpy(words, t->b.out, WORDS * 4);
}

static void byte_words_write(struct table *t, uint64_t va, const uint32_t *words)
{
	static const char text[] = ADDRESSES "lbu t0, 0(a1)\n sb t0, 0(a2)\n lbu t0, 1(a1)\n sb t0, 1(a2)\n"
				     "lbu t0, 2(a1)\n sb t0, 2(a2)\n lbu t0, 3(a1)\n sb t0, 3(a2)\n" EXIT;

	memcpy(t->b.out, words, WORDS * 4);
	kernel(t, va, text);
}

static const struct master {
	const char *name;
	void (*read)(struct table *, uint64_t va, uint32_t *words);
	void (*write)(struct table *, uint64_t va, const uint32_t *words);
} masters[] = {
	{ "DMA", dma_words_read, dma_words_write },
	{ "words", cu_words_read, cu_words_write },
	{ "atomics", atomic_words_read, atomic_words_write },
	{ "bytes", byte_words_read, byte_words_write },
};
enum { MASTERS = sizeof(masters) / sizeof(*masters) };

static void fill(uint32_t *words, uint32_t first)
{
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = first + i;
}

static const struct {
	const char *config;
	enum bus_speed speed;
	bool observed;
} tables[] = {
	{ "full,coherent=0", BUS_FUNCTIONAL, false }, { "full,coherent=0", BUS_TIMED, false },
	{ "mini,coherent=0", BUS_FUNCTIONAL, false }, { "mini,coherent=0", BUS_TIMED, true },
};
#define FOR_TABLES_AND_MASTERS for (unsigned n = 0; n < 4 * MASTERS; n++)
#define TABLE tables[n / MASTERS]
#define MASTER (&masters[n % MASTERS])

/* The host writes; the device reads what it read before until it invalidates. */
static void device_reads_stale(void **state)
{
	(void)state;
	FOR_TABLES_AND_MASTERS {
		uint32_t before[WORDS], after[WORDS], got[WORDS];
		struct table t;

		table_open(&t, TABLE.config, TABLE.speed, TABLE.observed);
		fill(before, 1000);
		fill(after, 5000);
		memcpy(t.host, before, sizeof(before));
		MASTER->read(&t, cached_va, got);
		assert_memory_equal(got, before, sizeof(got));
		memcpy(t.host, after, sizeof(after));
		MASTER->read(&t, cached_va, got);
		assert_memory_equal(got, before, sizeof(got)); /* stale */
		MASTER->read(&t, uncached_va, got);
		assert_memory_equal(got, after, sizeof(got));
		maintain(&t, cached_va, sizeof(after), CACHE_INVALIDATE);
		MASTER->read(&t, cached_va, got);
		assert_memory_equal(got, after, sizeof(got));
		table_close(&t);
	}
}

/* The device writes; the host reads what was there until the device cleans. */
static void host_reads_stale(void **state)
{
	(void)state;
	FOR_TABLES_AND_MASTERS {
		uint32_t before[WORDS], after[WORDS], got[WORDS];
		struct table t;

		table_open(&t, TABLE.config, TABLE.speed, TABLE.observed);
		fill(before, 1000);
		fill(after, 5000);
		memcpy(t.host, before, sizeof(before));
		t.host[WORDS] = 1; /* beside, in the last line or the next one */
		MASTER->write(&t, cached_va, after);
		assert_memory_equal(t.host, before, sizeof(before)); /* stale */
		MASTER->read(&t, cached_va, got);
		assert_memory_equal(got, after, sizeof(got));
		t.host[WORDS] = 2;
		maintain(&t, 0, 0, CACHE_CLEAN);
		assert_memory_equal(t.host, after, sizeof(after));
		assert_int_equal(t.host[WORDS], 2);
		MASTER->write(&t, uncached_va, before);
		assert_memory_equal(t.host, before, sizeof(before));
		table_close(&t);
	}
}

/* What one master wrote the others read: they share the cache. */
static void masters_agree(void **state)
{
	(void)state;
	for (unsigned w = 0; w < MASTERS; w++) {
		uint32_t words[WORDS], got[WORDS];
		struct table t;

		table_open(&t, "mini,coherent=0", BUS_TIMED, false);
		fill(words, 7000);
		masters[w].write(&t, cached_va, words);
		for (unsigned r = 0; r < MASTERS; r++) {
			masters[r].read(&t, cached_va, got);
			assert_memory_equal(got, words, sizeof(got));
		}
		table_close(&t);
	}
}

/* The coherent device never shows anything stale, and takes the packet for nothing. */
static void coherent(void **state)
{
	const char *const configs[] = { "full", "mini" };

	(void)state;
	for (unsigned n = 0; n < 2 * MASTERS; n++) {
		const struct master *m = &masters[n / 2];
		uint32_t before[WORDS], after[WORDS], got[WORDS];
		struct table t;

		table_open(&t, configs[n % 2], BUS_TIMED, false);
		assert_null(t.b.r->cache);
		fill(before, 1000);
		fill(after, 5000);
		memcpy(t.host, before, sizeof(before));
		m->read(&t, cached_va, got);
		memcpy(t.host, after, sizeof(after));
		m->read(&t, cached_va, got);
		assert_memory_equal(got, after, sizeof(got));
		m->write(&t, cached_va, before);
		assert_memory_equal(t.host, before, sizeof(before));
		maintain(&t, cached_va, PAGE, CACHE_CLEAN | CACHE_INVALIDATE);
		assert_memory_equal(t.host, before, sizeof(before));
		table_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_reads_stale),
		cmocka_unit_test(host_reads_stale),
		cmocka_unit_test(masters_agree),
		cmocka_unit_test(coherent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
