/* Random translations of several units, spaces and kinds of job, of pages of both sizes and of pages that are not there,
 * against a reference of the TLBs, of the walkers and of the tables that these keep: what is counted after each of them is
 * what sets, ways, replacement and kept tables of the manual give. */
#include "testbench/model/mmu_world.h"

enum { WAYS = 4, MAX_SETS = 256, UNITS = 3, GIBS = 5, REGIONS = 6, PAGES = 12, SPACES = 3, ROUNDS = 20000 };

/* ---- the reference ---- */

struct ref_entry {
	bool valid;
	uint64_t number; /* of the page */
	uint32_t space;
	bool huge;       /* from a leaf of 2 MiB */
};

struct ref_tlb {
	unsigned sets;
	struct ref_entry entry[MAX_SETS][WAYS];
	unsigned counter[MAX_SETS];
};

struct ref {
	struct ref_tlb l1[UNITS], small, large;
	struct ref_entry root[16], level1[32], level0[32]; /* what is kept */
	uint64_t l1_miss, l2_miss, reads;
	uint64_t free_at[2]; /* each walker */
	bool walked;
	unsigned walker;
	uint64_t begin;
};

static bool ref_is(const struct ref_entry *e, uint64_t number, uint32_t space)
{
	return e->valid && e->number == number && e->space == space;
}

static unsigned ref_set(const struct ref_tlb *t, uint64_t n) { return (unsigned)((n ^ n >> 6 ^ n >> 12) % t->sets); }

static bool ref_has(const struct ref_tlb *t, uint64_t n, uint32_t space)
{
	for (unsigned way = 0; way < WAYS; way++)
		if (ref_is(&t->entry[ref_set(t, n)][way], n, space))
			return true;
	return false;
}

static void ref_fill(struct ref_tlb *t, uint64_t n, uint32_t space, bool huge)
{
	unsigned set = ref_set(t, n), way = 0;

	while (way < WAYS && t->entry[set][way].valid)
		way++;
	if (way == WAYS) {
		way = t->counter[set];
		t->counter[set] = (way + 1) % WAYS;
	}
	t->entry[set][way] = (struct ref_entry){ true, n, space, huge };
}

static bool ref_keeps(const struct ref_entry *kept, uint64_t number, unsigned size, uint32_t space)
{
	return ref_is(&kept[number % size], number, space);
}

/* What kind of page an address has, and where it lies. */
enum kind { SMALL, READ_ONLY, LARGE, NO_LEAF, NO_TABLE };

struct page {
	uint64_t va, pa;
	enum kind kind;
};

static void ref_walk(struct ref *r, const struct page *p, uint32_t space)
{
	bool level0 = ref_keeps(r->level0, p->va >> 21, 32, space), level1 = ref_keeps(r->level1, p->va >> 30, 32, space);
	bool root = ref_keeps(r->root, space & 0xffff, 16, space);

	r->l2_miss++;
	r->reads += level0 ? 1 : level1 ? 2 : root ? 4 : 5;
	if (p->kind == LARGE || p->kind == NO_TABLE) /* the word of level 1 is the last */
		r->reads--;
	if (!level0 && !level1) {
		r->root[(space & 0xffff) % 16] = (struct ref_entry){ true, space & 0xffff, space, false };
		r->level1[(p->va >> 30) % 32] = (struct ref_entry){ true, p->va >> 30, space, false };
	}
	if (!level0 && p->kind != LARGE && p->kind != NO_TABLE)
		r->level0[(p->va >> 21) % 32] = (struct ref_entry){ true, p->va >> 21, space, false };
}

static void ref_look(struct ref *r, unsigned unit, const struct page *p, uint32_t space, uint64_t asked)
{
	uint64_t n = p->va >> 12;

	r->walked = false;
	if (ref_has(&r->l1[unit], n, space))
		return;
	r->l1_miss++;
	if (!ref_has(&r->small, n, space) && !ref_has(&r->large, p->va >> 21, space)) {
		r->walked = true;
		r->walker = r->free_at[1] < r->free_at[0];
		r->begin = asked > r->free_at[r->walker] ? asked : r->free_at[r->walker];
		ref_walk(r, p, space);
		if (p->kind == NO_LEAF || p->kind == NO_TABLE)
			return;
		if (p->kind == LARGE)
			ref_fill(&r->large, p->va >> 21, space, true);
		else
			ref_fill(&r->small, n, space, false);
	}
	ref_fill(&r->l1[unit], n, space, p->kind == LARGE);
}

static bool ref_dropped(const struct ref_entry *e, bool pieces, enum mmu_scope scope, uint16_t asid, uint64_t number)
{
	if (scope == MMU_ALL || (uint16_t)e->space != asid)
		return scope == MMU_ALL;
	return scope == MMU_ASID || e->number == number || (pieces && e->huge && e->number >> 9 == number >> 9);
}

static void ref_tlb_drop(struct ref_tlb *t, bool pieces, enum mmu_scope scope, uint16_t asid, uint64_t va, unsigned shift)
{
	for (unsigned set = 0; set < t->sets; set++)
		for (unsigned way = 0; way < WAYS; way++)
			if (ref_dropped(&t->entry[set][way], pieces, scope, asid, va >> shift))
				t->entry[set][way].valid = false;
}

static void ref_kept_drop(struct ref_entry *kept, unsigned size, enum mmu_scope scope, uint16_t asid)
{
	for (unsigned i = 0; i < size; i++)
		if (scope == MMU_ALL || (uint16_t)kept[i].space == asid)
			kept[i].valid = false;
}

static void ref_drop(struct ref *r, enum mmu_scope scope, uint16_t asid, uint64_t va)
{
	for (unsigned unit = 0; unit < UNITS; unit++)
		ref_tlb_drop(&r->l1[unit], true, scope, asid, va, 12);
	ref_tlb_drop(&r->small, false, scope, asid, va, 12);
	ref_tlb_drop(&r->large, false, scope, asid, va, 21);
	ref_kept_drop(r->root, 16, scope, asid);
	ref_kept_drop(r->level1, 32, scope, asid);
	ref_kept_drop(r->level0, 32, scope, asid);
}

/* ---- the tables ---- */

static const unsigned units[UNITS] = { UNIT_CU, UNIT_CU + 3, UNIT_DMA };
static const uint16_t asids[SPACES] = { 1, 2, 17 }; /* two with one place for their root tables */
/* numbers that share places among the kept tables, and such that do not */
static const uint64_t gibs[GIBS] = { 0, 1, 32, 33, 64 }, regions[REGIONS] = { 0, 1, 32, 33, 70, 96 };
static const unsigned numbers[PAGES] = { 0, 1, 2, 3, 8, 16, 17, 64, 72, 128, 200, 511 };

static struct page page_of(unsigned gib, unsigned region, unsigned number)
{
	unsigned which = gib * REGIONS + region;
	struct page p = { .va = gibs[gib] << 30 | regions[region] << 21 | (uint64_t)numbers[number] << 12, .kind = SMALL };

	p.pa = DRAM_BASE + (which * 97 + number * 11) % 8192 * 4096ull;
	if (which % 4 == 2) {
		p.kind = LARGE;
		p.pa = DRAM_BASE + which * (2ull << 20) % (64 << 20) + numbers[number] * 4096ull;
	} else if (which % 4 == 3) {
		p.kind = NO_TABLE;
	} else if (number % 4 == 3) {
		p.kind = number % 8 == 3 ? READ_ONLY : NO_LEAF;
	}
	return p;
}

static void page_map(struct world *w, uint16_t asid, const struct page *p)
{
	switch (p->kind) {
	case SMALL: table_map(&w->h, w->contexts, asid, p->va, p->pa, PTE_RW | PTE_X); break;
	case READ_ONLY: table_map(&w->h, w->contexts, asid, p->va, p->pa, PTE_V | PTE_U | PTE_R); break;
	case NO_LEAF: *table_entry(&w->h, w->contexts, asid, p->va, 0) = 0; break;
	case LARGE:
		*table_entry(&w->h, w->contexts, asid, p->va, 1) = pte_make(p->pa & ~((2ull << 20) - 1), PTE_RW | PTE_X);
		break;
	case NO_TABLE: *table_entry(&w->h, w->contexts, asid, p->va, 1) = 0; break;
	}
}

static enum fault page_fault(const struct page *p, enum access a)
{
	if (p->kind == NO_LEAF || p->kind == NO_TABLE)
		return FAULT_PAGE_NOT_PRESENT;
	if (p->kind != READ_ONLY || a == ACCESS_READ)
		return FAULT_NONE;
	return a == ACCESS_EXEC ? FAULT_PAGE_EXEC : FAULT_PAGE_WRITE;
}

/* ---- the comparison ---- */

/* The walk that was reported is the one of the reference, by walker and cycle; takes over when it ended. */
static void walk_check(struct world *w, struct ref *r)
{
	unsigned begun = 0;

	for (unsigned i = 0; i < w->events; i++) {
		const struct event *e = &w->event[i];

		if (e->kind == EVENT_WALK) {
			begun++;
			assert_true(r->walked);
			assert_int_equal(e->b, r->walker);
			assert_int_equal(e->cycle, r->begin);
		}
		if (e->kind == EVENT_WALK_END)
			r->free_at[r->walker] = e->cycle;
	}
	assert_int_equal(begun, r->walked);
}

static void look_once(struct world *w, struct ref *r, unsigned unit, uint64_t now)
{
	struct page p = page_of((unsigned)random_below(GIBS), (unsigned)random_below(REGIONS), (unsigned)random_below(PAGES));
	uint32_t space = asids[random_below(SPACES)] | (random_below(4) ? 0 : SPACE_PROTECTED), cycles;
	enum access a = (enum access)random_below(4);
	const struct tlb_entry *e = NULL;
	enum fault f;

	w->events = 0;
	f = mmu_translate(w->mmu, units[unit], space, p.va + random_below(4096), a, now, &e, &cycles);
	ref_look(r, unit, &p, space, now + w->config.tlb_l2_latency);
	/* a protected job may not write here: the translation is kept all the same */
	if (f == FAULT_PROTECTED) {
		assert_true(space & SPACE_PROTECTED && (a == ACCESS_WRITE || a == ACCESS_ATOMIC));
		assert_int_equal(page_fault(&p, a), FAULT_NONE);
	} else {
		assert_int_equal(f, page_fault(&p, a));
	}
	if (!f)
		assert_int_equal(e->pa, p.pa);
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, r->l1_miss);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, r->l2_miss);
	assert_int_equal(mmu_counters(w->mmu)->walk_reads, r->reads);
	walk_check(w, r);
}

static void drop_once(struct world *w, struct ref *r)
{
	struct page p = page_of((unsigned)random_below(GIBS), (unsigned)random_below(REGIONS), (unsigned)random_below(PAGES));
	uint16_t asid = asids[random_below(SPACES)];
	enum mmu_scope scope = random_below(20) ? MMU_PAGE : random_below(3) ? MMU_ASID : MMU_ALL;
	uint64_t low = random_below(4096); /* does not matter */

	mmu_invalidate(w->mmu, scope, asid, p.va + low);
	ref_drop(r, scope, asid, p.va);
}

static void run(const char *config)
{
	struct world *w = world_create_of(config, 2);
	static struct ref r;
	uint64_t now = 1000, used;
	uint8_t *tables;

	r = (struct ref){ .small.sets = w->config.l2_tlb_entries / 4, .large.sets = w->config.l2_tlb_entries / 32 };
	for (unsigned unit = 0; unit < UNITS; unit++)
		r.l1[unit].sets = w->config.l1_tlb_entries / 4;
	for (unsigned s = 0; s < SPACES; s++)
		for (unsigned i = 0; i < GIBS * REGIONS * PAGES; i++) {
			struct page p = page_of(i / PAGES / REGIONS, i / PAGES % REGIONS, i % PAGES);

			page_map(w, asids[s], &p);
		}
	used = w->h.next * 4096;
	tables = malloc(used);
	assert_non_null(tables);
	memcpy(tables, w->h.bytes, used);
	w->m.events = &w->sink;
	for (unsigned n = 0; n < ROUNDS; n++) {
		for (unsigned unit = 0; unit < UNITS; unit++) /* at one cycle: misses that are under way together */
			look_once(w, &r, unit, now);
		if (!random_below(4))
			drop_once(w, &r);
		w->events = 0;
		now += random_below(4) ? 20000 : 1000000;
	}
	assert_memory_equal(w->h.bytes, tables, used); /* nothing was written into them, A and D neither */
	free(tables);
	world_destroy(w);
}

static void test_mini(void **state)
{
	(void)state;
	run("mini");
}

static void test_full(void **state)
{
	(void)state;
	run("full");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mini),
		cmocka_unit_test(test_full),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
