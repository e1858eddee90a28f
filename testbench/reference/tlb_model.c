/* The reference of the TLBs and the model's, behind one page table that changes: random look-ups of several units, spaces and kinds of
 * job, pages of both sizes, invalidations of all scopes, bad parity. Of each look-up address, rights, fault, counters and what it fills
 * in are the same, and so is what each way of each array holds. Usage: tlb_model [seed [steps]]. */
#include "testbench/reference/tlb.h"
#define tlb mmu_array_of /* the model's, which have the same names */
#define tlb_entry mmu_tlb_entry
#include "model/inject.h"
#include "model/mmu/entries.h"
#undef tlb
#undef tlb_entry
#include "testbench/model/fixture.h"

enum { STEPS = 100000, STEPS_LONG = 1000000, UNITS = 4, SPACES = 3, GIBS = 3, REGIONS = 4, PAGES = 64, RECENT = 8, EVENTS = 64 };

/* 2 MiB of an address space: no page, one page, or pages of 4 KiB. */
struct region {
	uint64_t table; /* the word of level 1 that points to the table of level 0 */
	uint64_t *word; /* where that word lies */
	uint64_t *leaves;
};

struct world {
	struct event_sink sink; /* first member */
	struct event fill[EVENTS];
	unsigned fills;
	struct host host;
	struct physmem mem;
	struct inject inject;
	struct device_config config;
	struct l2 *l2;
	struct mmu *mmu;
	struct tlb *reference;
	uint64_t contexts, now, filled; /* when all that was brought in so far is there */
	struct region region[SPACES][GIBS][REGIONS];
	struct tlb_key recent[RECENT];
	unsigned steps;
	bool planted, whole; /* whole: all arrays are to be compared */
};

static const unsigned units[UNITS] = { UNIT_CU, UNIT_CU + 3, UNIT_DMA, UNIT_MEDIA };
static const uint16_t asids[SPACES] = { 1, 2, 18 };
static const uint64_t gibs[GIBS] = { 0, 1, 0x1ffff }, regions[REGIONS] = { 0, 1, 33, 64 };

/* ---- the tables ---- */

static uint64_t random_leaf(bool large)
{
	static const uint64_t rights[] = { PTE_R, PTE_R | PTE_W, PTE_X, PTE_R | PTE_X, PTE_R | PTE_W | PTE_X };
	uint64_t pa = DRAM_BASE + (large ? random_below(32) << 21 : random_below(16384) << 12);
	uint64_t bits = PTE_V | PTE_U | rights[random_below(5)] | (random_below(8) ? 0 : PTE_UNCACHED) | (random_below(4) ? 0 : PTE_A | PTE_D);

	switch (random_below(32)) {
	case 0: return 0;
	case 1: return pte_make(pa, bits & ~PTE_V);
	case 2: return pte_make(pa, bits & ~PTE_U);
	case 3: return pte_make(pa, PTE_V | PTE_U | PTE_W);
	case 4: return pte_make(pa, bits | 1ull << 60);
	case 5: return pte_make(pa + (large ? 0x1000 : 0), bits);
	default: return pte_make(pa, bits);
	}
}

static struct region *region_of(struct world *w, const struct tlb_key *key)
{
	for (unsigned s = 0; s < SPACES; s++)
		for (unsigned g = 0; g < GIBS; g++)
			for (unsigned r = 0; r < REGIONS; r++)
				if (asids[s] == key->asid && gibs[g] == key->address >> 30 && regions[r] == (key->address >> 21 & 511))
					return &w->region[s][g][r];
	return NULL;
}

/* What a walk finds, by the chapter: rights are not looked at. */
static enum fault table_walk(struct world *w, const struct tlb_key *key, uint64_t *leaf, bool *large)
{
	const struct region *r = region_of(w, key);

	*large = *r->word != r->table;
	*leaf = *large ? *r->word : r->leaves[key->address >> 12 & 511];
	if (!(*leaf & PTE_V))
		return FAULT_PAGE_NOT_PRESENT;
	if (*leaf >> 54 || (*leaf & PTE_W && !(*leaf & PTE_R)) || !(*leaf & (PTE_R | PTE_X)))
		return FAULT_PAGE_TABLE;
	return *large && pte_address(*leaf) & 0x1fffff ? FAULT_PAGE_TABLE : FAULT_NONE;
}

static struct tlb_key random_key(void)
{
	return (struct tlb_key){
		.unit = units[random_below(UNITS)],
		.asid = asids[random_below(SPACES)],
		.protected_job = !random_below(4),
		.address = gibs[random_below(GIBS)] << 30 | regions[random_below(REGIONS)] << 21 | random_below(PAGES) << 12 | random_below(4096),
	};
}

/* ---- steps ---- */

static uint32_t space_of(const struct tlb_key *key) { return key->asid | (key->protected_job ? SPACE_PROTECTED : 0); }

static void drop(struct world *w, unsigned scope, uint16_t asid, uint64_t address)
{
	const bool other = w->planted && w->steps > 1000 && scope == MMU_PAGE;

	mmu_invalidate(w->mmu, (enum mmu_scope)(other ? MMU_ASID : scope), asid, address);
	tlb_invalidate(w->reference, scope, asid, address);
	w->whole = true;
}

static void step_drop(struct world *w)
{
	const struct tlb_key *recent = &w->recent[random_below(RECENT)];
	const uint64_t address = random_below(32) ? recent->address ^ random_below(4) << 12 : recent->address | 1ull << (47 + random_below(17));

	if (random_below(32))
		drop(w, random_below(6) ? MMU_PAGE : random_below(8) ? MMU_ASID : random_below(2) ? 3 : MMU_ALL, recent->asid, address);
	else { /* a write of CTX_TABLE is an invalidation of all */
		mmu_set_context_table(w->mmu, w->contexts);
		tlb_invalidate(w->reference, 0, 0, 0);
		w->whole = true;
	}
}

/* A leaf changes. What was valid is invalidated, at once or, for another of its level, with the next random invalidation. */
static void step_change(struct world *w)
{
	const struct tlb_key key = random_below(2) ? w->recent[random_below(RECENT)] : random_key();
	struct region *r = region_of(w, &key);
	const bool large = *r->word != r->table, other = !random_below(8);
	const uint64_t old = large ? *r->word : r->leaves[key.address >> 12 & 511];

	if (!large != other)
		r->leaves[key.address >> 12 & 511] = random_leaf(false);
	else
		*r->word = random_leaf(true);
	if (large && other)
		*r->word = r->table;
	if (other || (old & PTE_V && random_below(4)))
		drop(w, other || random_below(4) ? MMU_PAGE : MMU_ASID, key.asid, key.address);
}

static void step_parity(struct world *w)
{
	const uint32_t nth = (uint32_t)random_below(6);
	const unsigned unit = random_below(2) ? TLB_ANY_UNIT : units[random_below(UNITS)];

	inject_arm(&w->inject, INJECT_TLB_PARITY, nth, unit, 0, w->now);
	tlb_inject_parity(w->reference, nth, unit);
}

/* ---- the comparison ---- */

static bool entry_same(const struct tlb_entry *r, const struct mmu_tlb_entry *m, unsigned shift)
{
	uint64_t pa;

	if (!r->valid)
		return !m->key;
	if (m->key != tlb_key(r->page << shift, r->asid | (r->protected_job ? SPACE_PROTECTED : 0)))
		return false;
	pa = pte_address(r->leaf) + (r->large && shift == 12 ? (r->page & 511) << 12 : 0);
	for (enum access a = ACCESS_READ; a <= ACCESS_ATOMIC; a++)
		if ((tlb_rights(r->leaf, a) == FAULT_NONE) != (m->perm >> a & 1))
			return false;
	return m->pa == pa && m->huge == r->large && m->pte == (r->leaf & 0x3ff) && !m->uncached == !(r->leaf & PTE_UNCACHED);
}

static const enum mmu_array arrays[] = { [TLB_ARRAY_L1] = MMU_L1, [TLB_ARRAY_4K] = MMU_L2_SMALL, [TLB_ARRAY_2M] = MMU_L2_HUGE };

static bool set_same(const struct world *w, enum tlb_array array, unsigned unit, unsigned set)
{
	const struct mmu_tlb_entry *m = mmu_tlb(w->mmu, arrays[array], unit)->entries + (size_t)set * ARRAY_WAYS;

	for (unsigned way = 0; way < TLB_WAYS; way++) {
		const struct tlb_entry r = tlb_entry(w->reference, array, unit, set, way);

		if (!entry_same(&r, m + way, array == TLB_ARRAY_2M ? 21 : 12))
			return false;
	}
	return true;
}

static bool array_same(const struct world *w, enum tlb_array array, unsigned unit)
{
	const unsigned sets = mmu_tlb(w->mmu, arrays[array], unit)->sets;

	if (sets != tlb_sets(w->reference, array))
		return false;
	for (unsigned set = 0; set < sets; set++)
		if (!set_same(w, array, unit, set))
			return false;
	return true;
}

static const char *arrays_differ(const struct world *w)
{
	for (unsigned u = 0; u < UNITS; u++)
		if (!array_same(w, TLB_ARRAY_L1, units[u]))
			return "an L1 TLB";
	if (!array_same(w, TLB_ARRAY_4K, 0))
		return "the array for 4 KiB";
	return array_same(w, TLB_ARRAY_2M, 0) ? NULL : "the array for 2 MiB";
}

static bool fill_same(const struct world *w, const struct tlb_key *key, const struct tlb_result *r)
{
	const struct event *e = &w->fill[0];

	if (!r->fills_l1)
		return !w->fills;
	return w->fills == 1 && e->unit == key->unit && e->asid == key->asid && e->a == (key->address & ~0xfffull) &&
	       e->b == (r->physical & ~0xfffull) && e->c == ((r->leaf & 0x3ff) | r->l1_way << EVENT_TLB_WAY | (uint64_t)r->large << 63);
}

/* One look-up of both; what differs, or NULL. */
static const char *step_look(struct world *w)
{
	struct tlb_key key = random_below(8) < 5 ? w->recent[random_below(RECENT)] : random_key();
	const enum access access = (enum access)random_below(4);
	const struct mmu_tlb_entry *e = NULL;
	enum fault seen, expected = FAULT_NONE;
	struct tlb_result r;
	uint32_t cycles;

	key.unit = units[random_below(UNITS)];
	key.address ^= random_below(4) ? 0 : random_below(8) << 12;
	w->recent[random_below(RECENT)] = key;
	if (!random_below(64))
		key.address |= 1ull << (47 + random_below(17));
	w->fills = 0;
	seen = mmu_translate(w->mmu, key.unit, space_of(&key), key.address, access, w->now, &e, &cycles);
	tlb_look_up(w->reference, &key, &r);
	if (r.answer == TLB_BEYOND) {
		expected = FAULT_PAGE_NOT_PRESENT;
	} else if (r.answer == TLB_WALK) {
		uint64_t leaf;
		bool large;

		expected = table_walk(w, &key, &leaf, &large);
		if (!expected)
			tlb_fill(w->reference, &key, leaf, large, &r);
	}
	if (!expected)
		expected = r.answer == TLB_BEYOND ? FAULT_NONE : tlb_rights(r.leaf, access);
	w->whole |= r.parity;
	if (seen != expected)
		return "the fault";
	if (!seen && (e->pa | (key.address & 0xfff)) != r.physical)
		return "the physical address";
	if (r.answer == TLB_L1 && cycles && w->now + cycles > w->filled)
		return "the time of a hit";
	w->filled = w->now + cycles > w->filled ? w->now + cycles : w->filled;
	if ((r.answer == TLB_L2_4K || r.answer == TLB_L2_2M) && cycles < w->config.tlb_l2_latency)
		return "the time of a miss";
	if (!fill_same(w, &key, &r))
		return "the fill";
	if (!set_same(w, TLB_ARRAY_L1, key.unit, r.fills_l1 ? r.l1_set : 0) || (r.fills_l2 && !set_same(w, r.large ? TLB_ARRAY_2M : TLB_ARRAY_4K, 0, r.l2_set)))
		return "the set that was filled";
	return NULL;
}

static const char *step(struct world *w)
{
	const struct tlb_counters expected = tlb_counters(w->reference);
	const struct mmu_counters *seen = mmu_counters(w->mmu);
	const unsigned kind = (unsigned)random_below(128);
	const char *what = NULL;

	w->whole = ++w->steps % 64 == 0;
	w->now += random_below(4) ? 0 : random_below(1000000);
	if (seen->l1_miss != expected.l1_misses || seen->l2_miss != expected.walks || seen->parity != expected.parity)
		return "the counters";
	if (kind < 5)
		step_drop(w);
	else if (kind < 9)
		step_change(w);
	else if (kind < 11)
		step_parity(w);
	else
		what = step_look(w);
	return what ? what : w->whole ? arrays_differ(w) : NULL;
}

/* ---- runs ---- */

static void fill_add(struct event_sink *s, const struct event *e)
{
	struct world *w = (struct world *)s;

	if (e->kind != EVENT_TLB_FILL)
		return;
	assert_true(w->fills < EVENTS);
	w->fill[w->fills++] = *e;
}

static void region_map(struct world *w, unsigned s, unsigned g, unsigned r)
{
	struct region *region = &w->region[s][g][r];
	const uint64_t va = gibs[g] << 30 | regions[r] << 21;

	region->leaves = table_entry(&w->host, w->contexts, asids[s], va, 0);
	region->word = table_entry(&w->host, w->contexts, asids[s], va, 1);
	region->table = *region->word;
	for (unsigned i = 0; i < PAGES + 8; i++) /* some pages of each are not there */
		region->leaves[i] = random_leaf(false);
	if (random_below(3) == 0)
		*region->word = random_leaf(true);
}

static struct world *world_create(const char *config)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys;
	char error[256];

	assert_non_null(w);
	sys = host_init(&w->host, false);
	assert_int_equal(device_config_parse(config, &w->config, error, sizeof(error)), 0);
	assert_int_equal(physmem_init(&w->mem, 64 << 20, &sys), 0);
	w->sink.event = fill_add;
	inject_init(&w->inject, NULL);
	w->mem.inject = &w->inject;
	w->mem.events = &w->sink;
	w->l2 = l2_create(&w->config, BUS_TIMED);
	w->mmu = mmu_create(&w->config, &w->mem, w->l2);
	w->reference = tlb_create(w->config.l1_tlb_entries, w->config.l2_tlb_entries);
	assert_true(w->l2 && w->mmu && w->reference);
	w->contexts = host_page(&w->host);
	mmu_set_context_table(w->mmu, w->contexts);
	for (unsigned i = 0; i < SPACES * GIBS * REGIONS; i++)
		region_map(w, i / REGIONS / GIBS, i / REGIONS % GIBS, i % REGIONS);
	for (unsigned i = 0; i < RECENT; i++)
		w->recent[i] = random_key();
	return w;
}

/* Steps until something differs, at most so many; returns what, and the step in *at. */
static const char *run(const char *config, unsigned steps, bool planted, unsigned *at)
{
	struct world *w = world_create(config);
	const char *what = NULL;

	w->planted = planted;
	for (*at = 0; *at < steps && !what; ++*at)
		what = step(w);
	if (!what && !planted) { /* nothing of it was idle */
		const struct mmu_counters *c = mmu_counters(w->mmu);

		print_message("%s: %u steps agree; L1 misses %llu, walks %llu, parity %llu\n", config, steps, (unsigned long long)c->l1_miss,
			      (unsigned long long)c->l2_miss, (unsigned long long)c->parity);
		assert_true(c->l2_miss && c->l2_miss < c->l1_miss && c->l1_miss < steps && c->parity);
	}
	tlb_destroy(w->reference);
	mmu_destroy(w->mmu);
	l2_destroy(w->l2);
	physmem_fini(&w->mem);
	host_fini(&w->host);
	free(w);
	return what;
}

static unsigned steps;

static void agrees(const char *config)
{
	unsigned at;
	const char *what = run(config, steps, false, &at);

	if (what)
		fail_msg("%s: %s: not the same in step %u", config, what, at);
}

static void test_mini(void **state)
{
	(void)state;
	agrees("mini");
}

static void test_full(void **state)
{
	(void)state;
	agrees("full");
}

static void test_other_sizes(void **state)
{
	(void)state;
	agrees("mini,l1_tlb_entries=4,l2_tlb_entries=32");
	agrees("mini,l1_tlb_entries=32,l2_tlb_entries=64,mmu_walkers=1");
	agrees("mini,l1_tlb_entries=128,l2_tlb_entries=256,mmu_walkers=7");
}

static void test_a_planted_difference_is_found(void **state)
{
	unsigned at;

	(void)state;
	assert_non_null(run("mini", STEPS, true, &at));
	assert_in_range(at, 1001, 10000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mini),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_other_sizes),
		cmocka_unit_test(test_a_planted_difference_is_found),
	};

	random_seed(argc, argv);
	steps = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : check_long() ? STEPS_LONG : STEPS;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
