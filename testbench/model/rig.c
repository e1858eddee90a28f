#include "testbench/model/rig.h"
#include "model/mem/cache.h"
#include "model/profile/profile_data.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "rig: %s\n", what);
	abort();
}

/* ---- system memory ---- */

/* Whether all of the bytes are in pages that are pinned so. */
static bool pinned(const struct rig *r, uint64_t address, size_t len, enum rig_pin pin)
{
	if (address + len > (uint64_t)RIG_SYSTEM_PAGES * 4096)
		return false;
	for (uint64_t page = address >> 12; len && page <= (address + len - 1) >> 12; page++)
		if (r->pin[page] < pin)
			return false;
	return true;
}

void rig_pin(struct rig *r, unsigned page, enum rig_pin pin)
{
	r->pin[page] = (uint8_t)pin;
	r->generation++;
	mmu_check_generation(r->mmu);
}

static int system_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct rig *r = ctx;
	if (!pinned(r, address, len, RIG_READ_ONLY))
		return -1;
	memcpy(dst, r->system + address, len);
	r->sys_reads++;
	r->sys_bytes += len;
	return 0;
}

static int system_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	struct rig *r = ctx;
	if (!pinned(r, address, len, RIG_PINNED))
		return -1;
	memcpy(r->system + address, src, len);
	r->sys_writes++;
	r->sys_bytes += len;
	return 0;
}

static void *system_page(void *ctx, uint64_t number, bool write)
{
	struct rig *r = ctx;
	return r->observed || !pinned(r, number * 4096, 4096, write ? RIG_PINNED : RIG_READ_ONLY) ? NULL : r->system + number * 4096;
}

/* ---- tables ---- */

uint64_t rig_dram(struct rig *r, uint64_t bytes)
{
	uint64_t pa = r->free_pa;
	r->free_pa += (bytes + 4095) & ~4095ull;
	if (r->free_pa > DRAM_BASE + r->mem.dram_size)
		die("out of DRAM");
	return pa;
}

void *rig_host(struct rig *r, uint64_t pa)
{
	if (pa >= SYSTEM_BASE)
		return r->system + (pa - SYSTEM_BASE);
	return r->mem.dram + (pa - DRAM_BASE);
}

static uint64_t *leaf(struct rig *r, uint64_t va)
{
	uint64_t table = r->root;
	for (unsigned level = PT_LEVELS - 1; level; level--) {
		uint64_t *e = (uint64_t *)rig_host(r, table) + PT_INDEX(va, level);
		if (!(*e & PTE_V))
			*e = pte_make(rig_dram(r, 4096), PTE_V);
		table = pte_address(*e);
	}
	return (uint64_t *)rig_host(r, table) + PT_INDEX(va, 0);
}

void rig_map(struct rig *r, uint64_t va, uint64_t pa, uint64_t bytes, uint64_t bits)
{
	for (uint64_t o = 0; o < bytes; o += 4096)
		*leaf(r, va + o) = pte_make(pa + o, bits | PTE_V | PTE_U);
}

void rig_unmap(struct rig *r, uint64_t va)
{
	*leaf(r, va) = 0;
	mmu_invalidate(r->mmu, MMU_PAGE, RIG_ASID, va);
}

void *rig_buffer(struct rig *r, uint64_t va, uint64_t bytes)
{
	uint64_t pa = rig_dram(r, bytes);
	rig_map(r, va, pa, bytes, PTE_R | PTE_W);
	return rig_host(r, pa);
}

/* ---- life ---- */

static void result(void *ctx, const struct compute_result *result, uint64_t cycle)
{
	struct rig *r = ctx;
	struct rig_end *e = &r->ends[result->slot];
	if (result->stalled) {
		e->stalls++;
		e->stalled = cycle;
		e->stall = result->fault;
	} else if (result->fault.code == FAULT_BAD_DISPATCH) {
		r->refused = true;
	} else {
		*e = (struct rig_end){ true, result->start, result->end, result->fault.code != FAULT_NONE, result->fault, e->stalls,
				       e->stalled, e->stall };
	}
}

struct rig *rig_create(const char *config, enum bus_speed speed, enum compute_simd simd, bool observed)
{
	return rig_create_events(config, speed, simd, observed, NULL);
}

struct rig *rig_create_events(const char *config, enum bus_speed speed, enum compute_simd simd, bool observed,
			      struct event_sink *events)
{
	struct rig *r = calloc(1, sizeof(*r));
	if (!r)
		die("out of memory");
	char error[256];
	bool failed;
	if (device_config_parse(config, &r->config_copy, error, sizeof(error)))
		die(error);
	r->config = &r->config_copy;
	r->observed = observed;
	r->system = aligned_alloc(4096, (size_t)RIG_SYSTEM_PAGES * 4096);
	memset(r->system, 0, (size_t)RIG_SYSTEM_PAGES * 4096);
	memset(r->pin, RIG_PINNED, sizeof(r->pin));
	struct bus_memory sys = { .ctx = r, .read = system_read, .write = system_write, .page = system_page,
				  .generation = &r->generation, .observed = observed };
	if (physmem_init(&r->mem, 512ull << 20, &sys))
		die("no memory for the DRAM");
	reservations_init(&r->mem.reservations, r->config);
	inject_init(&r->inject, events);
	r->mem.inject = &r->inject;
	r->mem.events = events;
	r->mem.cache = r->cache = cache_create(r->config, &r->mem, events, &failed);
	if (failed)
		die("no memory for the cache");
	/* neither are write-backs charged here, nor what a profile looks at */
	r->mem.charged = speed == BUS_TIMED && !r->cache && !rig_profiled;
	r->l2 = l2_create(r->config, speed);
	r->mmu = mmu_create(r->config, &r->mem, r->l2);
	r->free_pa = DRAM_BASE;
	uint64_t contexts = rig_dram(r, 65536 * 8);
	r->root = rig_dram(r, 4096);
	((uint64_t *)rig_host(r, contexts))[RIG_ASID] = r->root | 1;
	mmu_set_context_table(r->mmu, contexts);
	struct compute_params p = { .config = r->config, .speed = speed, .simd = simd, .mmu = r->mmu,
				    .mem = &r->mem, .l2 = r->l2, .result = result,
				    .ctx = r };
	if (rig_profiled)
		p.profile = r->profile = profile_create(r->config, speed, NULL);
	r->compute = compute_create(&p);
	r->code_va = 0x10000000000 - (1 << 20);
	r->scratch = 0x18000000000;
	r->scratch_size = (uint64_t)r->config->num_cu * r->config->warps_per_cu * r->config->lanes * 1024;
	rig_buffer(r, r->scratch, r->scratch_size);
	return r;
}

/* ---- profiles ---- */

bool rig_profiled;

void rig_profile_sum(struct rig *r, struct profile_counts *sum)
{
	compute_profile_end(r->compute);
	profile_finish(r->profile);
	*sum = r->profile->lost;
	for (const struct profile_kernel *k = r->profile->kernels; k; k = k->next) {
		for (unsigned c = 0; c < PROFILE_COUNTS; c++)
			sum->of[c] += k->sum.of[c];
		for (const struct profile_place *at = k->places; at; at = at->next)
			for (unsigned i = 0; i < PAGE_OPS; i++)
				for (unsigned c = 0; c < PROFILE_COUNTS; c++)
					sum->of[c] += at->counts[i].of[c];
	}
}

static void expect_sum(const char *what, uint64_t sum, uint64_t counter)
{
	if (sum == counter)
		return;
	fprintf(stderr, "rig: profile: %s: instructions %" PRIu64 ", counter %" PRIu64 "\n", what, sum, counter);
	abort();
}

/* Whatever has run: what its instructions are charged adds up to the counters. */
static void profile_check(struct rig *r)
{
	const struct compute_counters *c = compute_counters(r->compute);
	struct profile_counts sum;
	uint64_t cu = 0, warp = 0;
	rig_profile_sum(r, &sum);
	for (unsigned w = 0; w < PROFILE_WAITS; w++) {
		cu += sum.of[PROFILE_CU + w];
		warp += sum.of[PROFILE_WARP + w];
	}
	expect_sum("warp instructions", sum.of[PROFILE_INSNS], c->warp_insns);
	expect_sum("lane instructions", sum.of[PROFILE_LANES], c->lane_insns);
	expect_sum("L1 hits", sum.of[PROFILE_L1_HIT], c->l1_hit);
	expect_sum("L1 misses", sum.of[PROFILE_L1_MISS], c->l1_miss);
	expect_sum("bank conflicts", sum.of[PROFILE_LDS_CONFLICTS], c->lds_conflicts);
	expect_sum("cycles of warps", warp, c->warp_cycles);
	if (r->profile->timed)
		expect_sum("cycles of units", cu, c->busy_cycles);
}

void rig_destroy(struct rig *r)
{
	if (r->profile)
		profile_check(r);
	compute_destroy(r->compute);
	mmu_destroy(r->mmu);
	cache_destroy(r->cache);
	l2_destroy(r->l2);
	profile_destroy(r->profile);
	physmem_fini(&r->mem);
	free(r->system);
	free(r);
}

/* ---- programs ---- */

uint64_t rig_load(struct rig *r, const uint32_t *words, size_t num_words)
{
	uint64_t bytes = (num_words * 4 + 4095) & ~4095ull, va = r->code_va, pa = rig_dram(r, bytes);
	memcpy(rig_host(r, pa), words, num_words * 4);
	rig_map(r, va, pa, bytes, PTE_R | PTE_X);
	r->code_va += bytes + 4096;
	return va;
}

uint64_t rig_load_text(struct rig *r, const char *text)
{
	size_t n;
	uint32_t *words = rig_assemble(text, &n);
	uint64_t va = rig_load(r, words, n);
	free(words);
	return va;
}

/* ---- dispatches ---- */

enum fault rig_dispatch(struct rig *r, const struct compute_start *start)
{
	r->refused = false;
	compute_start(r->compute, start, r->now);
	return r->refused ? FAULT_BAD_DISPATCH : FAULT_NONE;
}

enum fault rig_start(struct rig *r, unsigned slot, uint64_t entry, const struct rig_range *range)
{
	struct packet_dispatch p = { .entry = entry, .kernarg = range->kernarg,
				     .local_bytes = range->local_bytes, .private_bytes = range->private_bytes,
				     .units = range->units };
	for (unsigned i = 0; i < 3; i++) {
		p.global_size[i] = range->global[i] ? range->global[i] : 1;
		p.local_size[i] = range->local[i] ? range->local[i] : 1;
	}
	r->ends[slot] = (struct rig_end){ 0 };
	return rig_dispatch(r, &(struct compute_start){ .slot = slot, .packet = p, .scratch = r->scratch, .scratch_size = r->scratch_size,
							.space = range->space ? range->space : RIG_ASID, .replay = range->replay });
}

bool rig_finish(struct rig *r, uint64_t limit)
{
	uint64_t until = r->now + limit;
	while (compute_next(r->compute) < until)
		r->now = compute_tick(r->compute, until);
	return compute_next(r->compute) == UINT64_MAX;
}

const struct rig_end *rig_run(struct rig *r, uint64_t entry, const struct rig_range *range)
{
	enum fault f = rig_start(r, 0, entry, range);
	if (f) {
		r->ends[0] = (struct rig_end){ .ended = true, .faulted = true, .fault.code = f };
		return &r->ends[0];
	}
	if (!rig_finish(r, 1ull << 40))
		die("the dispatch does not end");
	return &r->ends[0];
}
