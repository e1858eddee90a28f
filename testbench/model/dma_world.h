/* What tests of the DMA engines share: two ranges of virtual memory, and what they must hold. */
#ifndef GALENA_TESTBENCH_MODEL_DMA_WORLD_H
#define GALENA_TESTBENCH_MODEL_DMA_WORLD_H
#include "model/mem/cache.h"
#include "model/dma/dma.h"
#include "model/inject.h"
#include "model/prot/protection.h"
#include "testbench/model/fixture.h"

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
	struct device_config config;
	struct prot prot;
	struct l2 *l2;
	struct mmu *mmu;
	struct dma *dma;
	uint64_t contexts;
	struct done done[256];
	struct done stall; /* the last */
	unsigned stalls;
	unsigned count;
	uint8_t src[BYTES], dst[BYTES]; /* what they must hold */
};

__attribute__((unused)) static void on_result(void *ctx, const struct dma_result *r, uint64_t cycle)
{
	struct world *w = ctx;

	(void)cycle;
	if (r->stands) {
		w->stall = (struct done){ r->slot, *r };
		w->stalls++;
		return;
	}
	assert_true(w->count < 256);
	w->done[w->count++] = (struct done){ r->slot, *r };
}

__attribute__((unused)) static struct world *world_create(const char *config, enum bus_speed speed, bool observed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, observed);
	struct device_config *c = &w->config;
	char error[256];
	uint64_t bad;
	bool failed;

	assert_int_equal(device_config_parse(config, c, error, sizeof(error)), 0);
	assert_int_equal(physmem_init(&w->m, 80 << 20, &sys), 0);
	prot_init(&w->prot, &w->m, NULL);
	w->m.prot = &w->prot;
	w->m.cache = cache_create(c, &w->m, NULL, &failed);
	assert_false(failed);
	w->l2 = l2_create(c, speed);
	if (w->m.cache)
		cache_charge(w->m.cache, w->l2);
	w->mmu = mmu_create(c, &w->m, w->l2);
	w->dma = dma_create(&(struct dma_params){ .config = c,
						  .speed = speed,
						  .mem = &w->m,
						  .mmu = w->mmu,
						  .l2 = w->l2,
						  .result = on_result,
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

__attribute__((unused)) static void world_destroy(struct world *w)
{
	dma_destroy(w->dma);
	mmu_destroy(w->mmu);
	l2_destroy(w->l2);
	cache_destroy(w->m.cache);
	physmem_fini(&w->m);
	host_fini(&w->h);
	free(w);
}

__attribute__((unused)) static void check_contents(struct world *w)
{
	static uint8_t got[BYTES];
	uint64_t bad;

	assert_int_equal(mmu_read(w->mmu, UNIT_HOST, ASID, SRC, got, BYTES, &bad), FAULT_NONE);
	assert_memory_equal(got, w->src, BYTES);
	assert_int_equal(mmu_read(w->mmu, UNIT_HOST, ASID, DST, got, BYTES, &bad), FAULT_NONE);
	assert_memory_equal(got, w->dst, BYTES);
}

__attribute__((unused)) static struct done run_at(struct world *w, const union packet *p, uint64_t cycle)
{
	w->count = 0;
	dma_start(w->dma, &(struct dma_start){ .slot = 4, .packet = *p, .space = ASID }, cycle);
	assert_int_equal(dma_busy(w->dma), 1 << 4);
	dma_tick(w->dma, UINT64_MAX - 1);
	assert_int_equal(w->count, 1);
	assert_int_equal(w->done[0].slot, 4);
	assert_int_equal(dma_busy(w->dma), 0);
	assert_int_equal(dma_next(w->dma), UINT64_MAX);
	return w->done[0];
}

__attribute__((unused)) static struct done run(struct world *w, const union packet *p) { return run_at(w, p, 1000); }

__attribute__((unused)) static union packet copy_packet(uint64_t src, uint64_t dst, uint32_t width, uint32_t height, uint32_t depth)
{
	return (union packet){ .copy = { .head.type = PACKET_CODE_copy,
					 .src = src,
					 .dst = dst,
					 .width = width,
					 .height = height,
					 .depth = depth } };
}

__attribute__((unused)) static union packet fill_packet(uint64_t pattern, uint64_t dst, uint32_t width, uint32_t size)
{
	return (union packet){ .fill = { .head.type = PACKET_CODE_fill,
					 .pattern = pattern,
					 .dst = dst,
					 .width = width,
					 .height = 1,
					 .depth = 1,
					 .pattern_size = size } };
}

#endif
