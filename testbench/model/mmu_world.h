/* What tests of the MMU share: tables in host memory, walkers, and what they report. */
#ifndef GALENA_TESTBENCH_MODEL_MMU_WORLD_H
#define GALENA_TESTBENCH_MODEL_MMU_WORLD_H
#include "model/inject.h"
#include "model/mmu/mmu.h"
#include "model/prot/protection.h"
#include "testbench/model/fixture.h"

enum { EVENTS = 64, LATENCY = 12, READ = 600 + 64 / 8, COLD = LATENCY + 5 * READ }; /* of mini */

struct world {
	struct event_sink sink; /* first member */
	struct event event[EVENTS];
	unsigned events;
	struct host h;
	struct physmem m;
	struct prot prot;
	struct inject inject;
	struct device_config config;
	struct l2 *l2;
	struct mmu *mmu;
	uint64_t contexts;
};

__attribute__((unused)) static void record(struct event_sink *s, const struct event *e)
{
	struct world *w = (struct world *)s;

	assert_true(w->events < EVENTS);
	w->event[w->events++] = *e;
}

__attribute__((unused)) static struct world *world_create_of(const char *config, unsigned walkers)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, false);

	w->sink.event = record;
	w->config = *device_config_find(config);
	w->config.mmu_walkers = walkers;
	assert_int_equal(physmem_init(&w->m, 64 << 20, &sys), 0);
	prot_init(&w->prot, &w->m, NULL);
	inject_init(&w->inject, NULL);
	w->m.prot = &w->prot;
	w->m.inject = &w->inject;
	w->l2 = l2_create(&w->config, BUS_TIMED);
	w->mmu = mmu_create(&w->config, &w->m, w->l2);
	assert_non_null(w->mmu);
	w->contexts = host_page(&w->h);
	mmu_set_context_table(w->mmu, w->contexts);
	return w;
}

__attribute__((unused)) static struct world *world_create(unsigned walkers) { return world_create_of("mini", walkers); }

__attribute__((unused)) static void world_destroy(struct world *w)
{
	mmu_destroy(w->mmu);
	l2_destroy(w->l2);
	physmem_fini(&w->m);
	host_fini(&w->h);
	free(w);
}

/* What a translation for reading costs, which has to go well. */
__attribute__((unused)) static uint32_t cost(struct world *w, unsigned unit, uint32_t space, uint64_t va, uint64_t now)
{
	const struct tlb_entry *e = NULL;
	uint32_t cycles = 0;

	assert_int_equal(mmu_translate(w->mmu, unit, space, va, ACCESS_READ, now, &e, &cycles), FAULT_NONE);
	return cycles;
}

__attribute__((unused)) static enum fault look(struct world *w, unsigned unit, uint32_t space, uint64_t va, enum access a, uint64_t *pa)
{
	const struct tlb_entry *e = NULL;
	uint32_t cycles;
	enum fault f = mmu_translate(w->mmu, unit, space, va, a, 0, &e, &cycles);

	if (!f && pa)
		*pa = e->pa;
	return f;
}

#define VA 0x1234567000ull

#endif
