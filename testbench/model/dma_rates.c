/* Time: the bandwidth of one engine and of all is what the parameters say, within 5 %. */
#include "testbench/model/dma_world.h"
#include <time.h>

#define BIG 0x6000000000ull /* 64 MiB of DRAM in 2 MiB pages */
#define SCATTER 0x7000000000ull /* 4 MiB of system memory, page by page, in no order */
enum { BIG_BYTES = 64 << 20, SCATTER_PAGES = 1024 };

static void world_map_more(struct world *w)
{
	for (unsigned i = 0; i < BIG_BYTES >> 21; i++)
		*table_entry(&w->h, w->contexts, ASID, BIG + i * (2ull << 20), 1) =
			pte_make(DRAM_BASE + (i + 1) * (2ull << 20), PTE_RW);
	for (unsigned i = 0; i < SCATTER_PAGES; i++)
		table_map(&w->h, w->contexts, ASID, SCATTER + i * 389 % SCATTER_PAGES * 4096ull, host_page(&w->h), PTE_RW);
	mmu_check_generation(w->mmu);
}

static uint64_t rate_time;

/* Bytes a cycle of n transfers that start together. */
static double rate_run(struct world *w, const union packet *packets, unsigned n)
{
	uint64_t last = 0, bytes = 0;

	rate_time += 10000000;
	w->count = 0;
	for (unsigned i = 0; i < n; i++)
		dma_start(w->dma, &(struct dma_start){ .slot = i, .packet = packets[i], .space = ASID }, rate_time);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(w->done[i].r.code, FAULT_NONE);
		last = w->done[i].r.end > last ? w->done[i].r.end : last;
		bytes += w->done[i].r.progress;
	}
	return (double)bytes / (double)(last - rate_time);
}

/* Each transfer has its part of bytes; src 0: fills. */
static double rate_of(struct world *w, unsigned n, uint64_t src, uint64_t dst, uint64_t bytes)
{
	union packet p[DMA_MAX_ENGINES];
	uint64_t part = bytes / n;

	for (unsigned i = 0; i < n; i++)
		p[i] = src ? copy_packet(src + i * part, dst + i * part, (uint32_t)part, 1, 1) :
			     fill_packet(SRC, dst + i * part, (uint32_t)part, 64);
	return rate_run(w, p, n);
}

/* The same rows again and again, which fit the cache together. */
static double rate_in_l2(struct world *w, unsigned n, uint32_t l2_bytes)
{
	union packet p[DMA_MAX_ENGINES];
	uint32_t part = l2_bytes / 4 / n;

	for (unsigned i = 0; i < n; i++)
		p[i] = copy_packet(BIG + i * part, BIG + l2_bytes / 4 + i * part, part, (8u << 20) / part, 1);
	return rate_run(w, p, n);
}

static double least(double a, double b) { return a < b ? a : b; }

static void rate_check(const char *what, double rate, double want)
{
	printf("# %-44s %7.2f bytes a cycle, parameters say %7.2f\n", what, rate, want);
	if (rate < want * 0.95 || rate > want * 1.05)
		fail_msg("%s: %.2f bytes a cycle, parameters say %.2f", what, rate, want);
}

static void rates_run(const char *name)
{
	struct world *w = world_create(name, BUS_TIMED, false);
	const struct device_config *c = device_config_find(name);
	unsigned n = c->dma_engines;
	double one = c->dma_bytes_cycle, all = n * one, dram = c->dram_bytes_cycle, l2 = c->l2_bytes_cycle;
	double sys = c->sys_bytes_cycle;
	uint64_t mb = 1 << 20, half = BIG_BYTES / 2;

	world_map_more(w);
	rate_check("one engine, fill of DRAM", rate_of(w, 1, 0, BIG, 16 * mb), least(one, dram));
	rate_check("all engines, fill of DRAM", rate_of(w, n, 0, BIG, 16 * mb), least(all, dram));
	rate_check("one engine, DRAM to DRAM", rate_of(w, 1, BIG, BIG + half, 16 * mb), least(one, dram / 2));
	rate_check("all engines, DRAM to DRAM", rate_of(w, n, BIG, BIG + half, 16 * mb), least(all, dram / 2));
	rate_check("one engine, system memory to DRAM", rate_of(w, 1, SCATTER, BIG, 4 * mb), least(one, sys));
	rate_check("all engines, system memory to DRAM", rate_of(w, n, SCATTER, BIG, 4 * mb), least(all, sys));
	rate_check("one engine, DRAM to system memory", rate_of(w, 1, BIG, SCATTER, 4 * mb), least(one, sys));
	rate_check("one engine, unaligned system memory to DRAM", rate_of(w, 1, SCATTER + 77, BIG + 1000, 4 * mb - 4096),
		   least(one, sys));
	rate_check("one engine, in the L2", rate_in_l2(w, 1, c->l2_bytes), least(one, l2 / 2));
	rate_check("all engines, in the L2", rate_in_l2(w, n, c->l2_bytes), least(all, l2 / 2));
	world_destroy(w);
}

static void test_rates(void **state)
{
	(void)state;
	rates_run("full");
	rates_run("mini");
}

/* Engines that have the same to do are done at the same time: none is kept from memory by the others. */
static void test_fair(void **state)
{
	struct world *w = world_create("full", BUS_TIMED, false);
	unsigned n = w->config.dma_engines;
	uint64_t first = UINT64_MAX, last = 0;

	(void)state;
	world_map_more(w);
	rate_of(w, n, BIG, BIG + BIG_BYTES / 2, 16 << 20);
	for (unsigned i = 0; i < n; i++) {
		first = w->done[i].r.end < first ? w->done[i].r.end : first;
		last = w->done[i].r.end > last ? w->done[i].r.end : last;
	}
	assert_in_range((last - first) * 100, 0, last - rate_time); /* 1 % */
	world_destroy(w);
}

/* How fast the model copies, for who reads the log. */
static double seconds_since(const struct timespec *t0)
{
	struct timespec t1;

	clock_gettime(CLOCK_MONOTONIC, &t1);
	return (double)(t1.tv_sec - t0->tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0->tv_nsec);
}

static void test_host_speed(void **state)
{
	(void)state;
	for (unsigned s = 0; s < 2; s++) {
		struct world *w = world_create("full", s ? BUS_FUNCTIONAL : BUS_TIMED, false);
		union packet p = copy_packet(BIG, BIG + BIG_BYTES / 2, BIG_BYTES / 2, 1, 1);
		struct timespec t0;

		world_map_more(w);
		run(w, &p); /* touches the pages */
		clock_gettime(CLOCK_MONOTONIC, &t0);
		assert_int_equal(run_at(w, &p, 10000000).r.code, FAULT_NONE);
		printf("# %s: %.2f GB/s of host time\n", s ? "functional" : "timed",
		       (double)BIG_BYTES / 2 / seconds_since(&t0) * 1e-9);
		world_destroy(w);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_fair),
		cmocka_unit_test(test_host_speed),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
