/* What tests of the media unit share: a range of virtual memory over shuffled pages of both kinds, and what it must hold. */
#ifndef GALENA_TESTBENCH_MODEL_MEDIA_WORLD_H
#define GALENA_TESTBENCH_MODEL_MEDIA_WORLD_H
#include "model/mem/cache.h"
#include "model/media/media.h"
#include "model/prot/protection.h"
#include "testbench/media_predict.h"
#include "testbench/model/fixture.h"

enum { PAGES = 512, AREA = PAGES * 4096, ASID = 9, GUARD = 64 /* unmapped pages on either side */ };
#define BASE 0x2000000000ull

struct done {
	unsigned slot;
	struct media_result r;
};

struct world {
	struct host h;
	struct physmem m;
	struct device_config config;
	struct prot prot;
	struct l2 *l2;
	struct mmu *mmu;
	struct media *media;
	uint64_t contexts;
	uint64_t pa[PAGES];
	struct done done[64];
	unsigned count;
	_Alignas(8) uint8_t bytes[AREA]; /* what it must hold */
};

__attribute__((unused)) static void on_done(void *ctx, const struct media_result *r, uint64_t cycle)
{
	struct world *w = ctx;

	(void)cycle;
	assert_true(w->count < 64);
	w->done[w->count++] = (struct done){ r->slot, *r };
}

__attribute__((unused)) static struct world *world_create(const char *config, enum bus_speed speed, bool observed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, observed);
	char error[256];
	bool failed;

	assert_int_equal(device_config_parse(config, &w->config, error, sizeof(error)), 0);
	assert_int_equal(physmem_init(&w->m, 80 << 20, &sys), 0);
	prot_init(&w->prot, &w->m, NULL);
	w->m.prot = &w->prot;
	w->m.cache = cache_create(&w->config, &w->m, NULL, &failed);
	assert_false(failed);
	w->l2 = l2_create(&w->config, speed);
	w->mmu = mmu_create(&w->config, &w->m, w->l2);
	w->media = media_create(&(struct media_params){ .config = &w->config, .speed = speed, .mem = &w->m, .mmu = w->mmu, .l2 = w->l2,
							.result = on_done, .ctx = w });
	w->contexts = host_page(&w->h);
	mmu_set_context_table(w->mmu, w->contexts);
	for (unsigned p = 0; p < PAGES; p++) {
		w->pa[p] = p % 3 ? DRAM_BASE + (p * 37ull % PAGES) * 4096 : host_page(&w->h);
		table_map(&w->h, w->contexts, ASID, BASE + p * 4096ull, w->pa[p], PTE_RW);
	}
	mmu_check_generation(w->mmu);
	return w;
}

__attribute__((unused)) static void world_destroy(struct world *w)
{
	media_destroy(w->media);
	mmu_destroy(w->mmu);
	l2_destroy(w->l2);
	cache_destroy(w->m.cache);
	physmem_fini(&w->m);
	host_fini(&w->h);
	free(w);
}

__attribute__((unused)) static void world_random(struct world *w)
{
	for (unsigned i = 0; i < AREA; i += 8) {
		const uint64_t v = random_next();

		memcpy(w->bytes + i, &v, 8);
	}
}

/* Memory becomes what it must be, or is compared with it. */
__attribute__((unused)) static void world_give(struct world *w)
{
	uint64_t bad;

	assert_int_equal(mmu_write(w->mmu, UNIT_HOST, ASID, BASE, w->bytes, AREA, &bad), FAULT_NONE);
}

__attribute__((unused)) static void world_check(struct world *w)
{
	static uint8_t got[AREA];
	uint64_t bad;

	assert_int_equal(mmu_read(w->mmu, UNIT_HOST, ASID, BASE, got, AREA, &bad), FAULT_NONE);
	for (unsigned i = 0; i < AREA; i++)
		if (got[i] != w->bytes[i])
			fail_msg("byte 0x%x is 0x%02x, not 0x%02x", i, got[i], w->bytes[i]);
}

__attribute__((unused)) static struct media_result run_packet(struct world *w, const union packet *p, uint32_t space, uint64_t cycle)
{
	w->count = 0;
	media_start(w->media, &(struct media_start){ .slot = 4, .packet = *p, .space = space }, cycle);
	assert_int_equal(media_busy(w->media), 1 << 4);
	media_tick(w->media, UINT64_MAX - 1);
	assert_int_equal(w->count, 1);
	assert_int_equal(w->done[0].slot, 4);
	assert_int_equal(media_busy(w->media), 0);
	assert_int_equal(media_next(w->media), UINT64_MAX);
	assert_int_equal(w->done[0].r.start, cycle);
	assert_true(w->done[0].r.end > cycle);
	return w->done[0].r;
}

__attribute__((unused)) static union packet packet_process(uint64_t job)
{
	return (union packet){ .process = { .head.type = PACKET_CODE_process, .job = job } };
}

__attribute__((unused)) static union packet packet_jpeg(uint64_t job)
{
	return (union packet){ .jpeg = { .head.type = PACKET_CODE_jpeg, .job = job } };
}

#endif
