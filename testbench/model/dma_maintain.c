/* Packets that maintain caches: how long they take, what they report, and where one stops at a page that takes no bytes. */
#include "testbench/model/dma_world.h"
#include "testbench/model/event_log.h"

#define PAGES_VA 0x6000000000ull
enum { MAINTAINED = 3 };

static union packet cache_packet(uint64_t address, uint64_t size, uint32_t op)
{
	return (union packet){ .cache = { .head.type = PACKET_CODE_cache, .address = address, .size = size, .op = op } };
}

/* Pages of system memory side by side; the first one's physical address. */
static uint64_t pages_map(struct world *w)
{
	uint64_t first = host_page(&w->h);

	for (unsigned i = 1; i < MAINTAINED; i++)
		assert_int_equal(host_page(&w->h), first + i * 4096);
	for (unsigned i = 0; i < MAINTAINED; i++)
		table_map(&w->h, w->contexts, ASID, PAGES_VA + i * 4096, first + i * 4096, PTE_RW);
	mmu_check_generation(w->mmu);
	return first;
}

static void test_time(void **state)
{
	static const struct { uint64_t address, size, lines; } cases[] = {
		{ PAGES_VA, 4096, 64 },	    { PAGES_VA, 2 * 4096, 128 }, { PAGES_VA + 2048, 4096 + 2048, 96 }, { PAGES_VA, 64 * 5, 5 },
		{ PAGES_VA + 60, 100, 3 }, { PAGES_VA + 4090, 70, 2 },   { 0, 0, 8192 / 64 },
	};
	struct world *w = world_create("mini,coherent=0", BUS_TIMED, false);
	struct world *coherent = world_create("mini", BUS_TIMED, false);

	(void)state;
	pages_map(w);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		union packet p = cache_packet(cases[i].address, cases[i].size, CACHE_CLEAN);
		struct done d;

		run_at(w, &p, 1000000 * (2 * i + 1)); /* the translations are there then */
		d = run_at(w, &p, 1000000 * (2 * i + 2));
		assert_int_equal(d.r.code, FAULT_NONE);
		assert_int_equal(d.r.end - d.r.start, w->config.dma_setup + cases[i].lines);
		/* in a coherent device nothing is there to do, nor translated */
		d = run_at(coherent, &p, 1000000 * (2 * i + 2));
		assert_int_equal(d.r.code, FAULT_NONE);
		assert_int_equal(d.r.end - d.r.start, coherent->config.dma_setup);
	}
	world_destroy(coherent);
	world_destroy(w);
}

/* A packet ends when the bus has accepted what it writes back, page by page. */
static void test_time_of_write_backs(void **state)
{
	struct world *w = world_create("mini,coherent=0,sys_latency=100", BUS_TIMED, false);
	const uint64_t page = 4096 / w->config.sys_bytes_cycle - w->config.sys_latency;
	union packet p = cache_packet(PAGES_VA, 4096, CACHE_CLEAN);
	static uint8_t bytes[4096];
	uint64_t bad, written;
	struct done d;

	(void)state;
	pages_map(w);
	run_at(w, &p, 100000); /* the translation is there then */
	assert_int_equal(mmu_write(w->mmu, UNIT_HOST, ASID, PAGES_VA, bytes, sizeof(bytes), &bad), FAULT_NONE);
	written = l2_counters(w->l2)->sys_written;
	d = run_at(w, &p, 1000000);
	assert_int_equal(d.r.end - d.r.start, w->config.dma_setup + 64 + page);
	assert_int_equal(l2_counters(w->l2)->sys_written - written, 4096);
	d = run_at(w, &p, 2000000); /* the lines are clean */
	assert_int_equal(d.r.end - d.r.start, w->config.dma_setup + 64);
	assert_int_equal(l2_counters(w->l2)->sys_written - written, 4096);
	world_destroy(w);
}

static void test_report(void **state)
{
	static const char *const configs[] = { "mini", "mini,coherent=0" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct world *w = world_create(configs[i], BUS_TIMED, false);
		struct event_log log;

		pages_map(w);
		event_log_init(&log);
		w->m.events = &log.sink;
		for (uint32_t op = 0; op < 6; op++) {
			union packet p = cache_packet(op == 2 ? 0 : PAGES_VA + 100, op == 2 ? 0 : 5000, op);
			const struct event *start = NULL, *e;
			unsigned at = 0, before = 0;

			log.count = 0;
			run_at(w, &p, 1000000 * (op + 1));
			e = event_log_next(&log, &at, EVENT_MAINTAIN, 0xffff);
			if (op < 1 || op > 3) { /* not in order */
				assert_null(e);
				continue;
			}
			assert_non_null(e);
			assert_int_equal(e->a, p.cache.address);
			assert_int_equal(e->b, p.cache.size);
			assert_int_equal(e->c, op);
			assert_int_equal(e->unit, UNIT_DMA);
			assert_int_equal(e->queue, 4);
			start = event_log_next(&log, &before, EVENT_DMA_START, 0xffff);
			assert_non_null(start);
			assert_int_equal(before, at - 1); /* right behind it */
			assert_int_equal(start->a, p.cache.address);
			assert_null(event_log_next(&log, &at, EVENT_MAINTAIN, 0xffff));
		}
		event_log_fini(&log);
		world_destroy(w);
	}
}

/* Three dirty pages, of which the second one is gone: the first one is clean, the third one as it was. */
static void test_page_that_is_gone(void **state)
{
	struct world *w = world_create("mini,coherent=0,l2_bytes=65536", BUS_TIMED, false);
	uint64_t pa = pages_map(w);
	union packet p = cache_packet(0, 0, 3), fill = fill_packet(SRC, PAGES_VA, MAINTAINED * 4096, 1);
	uint8_t *host = host_at(&w->h, pa);
	struct done d;

	(void)state;
	run_at(w, &p, 1000000);
	memset(host, w->src[0] ^ 0xff, MAINTAINED * 4096);
	assert_int_equal(run_at(w, &fill, 2000000).r.code, FAULT_NONE);
	host_pin(&w->h, (pa - SYSTEM_BASE) / 4096 + 1, HOST_READ);
	mmu_check_generation(w->mmu);
	p = cache_packet(PAGES_VA + 64, MAINTAINED * 4096 - 64, CACHE_CLEAN);
	d = run_at(w, &p, 3000000);
	assert_int_equal(d.r.code, FAULT_BUS_ERROR);
	assert_int_equal(d.r.access, ACCESS_WRITE);
	assert_int_equal(d.r.address, PAGES_VA + 4096);
	for (unsigned i = 0; i < MAINTAINED * 4096; i++)
		assert_int_equal(host[i], i >= 64 && i < 4096 ? w->src[0] : w->src[0] ^ 0xff);
	/* the third page is dirty, and the second one's bytes are lost */
	host_pin(&w->h, (pa - SYSTEM_BASE) / 4096 + 1, HOST_WRITE);
	mmu_check_generation(w->mmu);
	assert_int_equal(run_at(w, &p, 4000000).r.code, FAULT_NONE);
	for (unsigned i = 0; i < MAINTAINED * 4096; i++)
		assert_int_equal(host[i], i >= 64 && i / 4096 != 1 ? w->src[0] : w->src[0] ^ 0xff);
	world_destroy(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_time_of_write_backs),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_page_that_is_gone),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
