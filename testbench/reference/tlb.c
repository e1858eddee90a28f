/* Numbers such as MMU-36 are those of docs/hardware/mmu.md. */
#include "testbench/reference/tlb.h"
#include "abi/pte.h"
#include <stdlib.h>
#include <string.h>

enum { SMALL_SHIFT = 12, LARGE_SHIFT = 21, ADDRESS_BITS = 47 };
enum { SCOPE_SPACE = 1, SCOPE_PAGE = 2 };

struct array {
	unsigned sets, shift;
	struct tlb_entry *entries; /* sets * TLB_WAYS */
	uint8_t *next;             /* the counter of each set */
};

struct tlb {
	unsigned l1_sets;
	struct array l1[TLB_UNITS]; /* made when the unit first asks */
	struct array small, large;
	struct tlb_counters counters;
	uint32_t parity_in; /* occasions to the parity error, 0 for none */
	unsigned parity_unit;
};

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* ---- one array ---- */

static bool array_create(struct array *a, unsigned sets, unsigned shift)
{
	a->sets = sets;
	a->shift = shift;
	a->entries = calloc((size_t)sets * TLB_WAYS, sizeof *a->entries);
	a->next = calloc(sets, sizeof *a->next);
	return a->entries && a->next;
}

static void array_destroy(struct array *a)
{
	free(a->entries);
	free(a->next);
}

/* MMU-36 */
static unsigned set_of(const struct array *a, uint64_t address)
{
	const uint64_t n = address >> a->shift;
	return (unsigned)((n ^ n >> 6 ^ n >> 12) % a->sets);
}

/* MMU-37 */
static bool is_for(const struct array *a, const struct tlb_entry *e, uint16_t asid, bool protected_job, uint64_t address)
{
	return e->valid && e->asid == asid && e->protected_job == protected_job && e->page == address >> a->shift;
}

static struct tlb_entry *array_find(const struct array *a, const struct tlb_key *key, unsigned *set, unsigned *way)
{
	*set = set_of(a, key->address);
	for (*way = 0; *way < TLB_WAYS; ++*way) {
		struct tlb_entry *e = &a->entries[*set * TLB_WAYS + *way];
		if (is_for(a, e, key->asid, key->protected_job, key->address))
			return e;
	}
	return NULL;
}

/* MMU-38. A page that the array has stays where it is. */
static void array_fill(struct array *a, const struct tlb_key *key, uint64_t leaf, bool large, unsigned *set, unsigned *way)
{
	if (!array_find(a, key, set, way)) {
		const struct tlb_entry *entries = &a->entries[*set * TLB_WAYS];
		*way = 0;
		while (*way < TLB_WAYS && entries[*way].valid)
			++*way;
		if (*way == TLB_WAYS) {
			*way = a->next[*set];
			a->next[*set] = (uint8_t)((*way + 1) % TLB_WAYS);
		}
	}
	a->entries[*set * TLB_WAYS + *way] = (struct tlb_entry){
		.valid = true,
		.protected_job = key->protected_job,
		.large = large,
		.asid = key->asid,
		.page = key->address >> a->shift,
		.leaf = leaf,
	};
}

/* ---- look-up and fill ---- */

static struct array *l1_of(struct tlb *t, unsigned unit)
{
	require(unit < TLB_UNITS);
	if (!t->l1[unit].entries)
		require(array_create(&t->l1[unit], t->l1_sets, SMALL_SHIFT));
	return &t->l1[unit];
}

static void drop(const struct array *a, const struct tlb_key *key, bool protected_job)
{
	struct tlb_key k = *key;
	unsigned set, way;
	k.protected_job = protected_job;
	struct tlb_entry *e = array_find(a, &k, &set, &way);
	if (e)
		memset(e, 0, sizeof *e);
}

/* MMU-77 to MMU-80: an entry was found; whether its parity is bad, with which it is dropped */
static bool parity_error(struct tlb *t, const struct tlb_key *key)
{
	if (!t->parity_in || (t->parity_unit != TLB_ANY_UNIT && t->parity_unit != key->unit) || --t->parity_in)
		return false;
	t->counters.parity++;
	drop(l1_of(t, key->unit), key, key->protected_job);
	drop(&t->small, key, key->protected_job);
	drop(&t->large, key, key->protected_job);
	return true;
}

static uint64_t physical_of(uint64_t leaf, bool large, uint64_t address)
{
	const uint64_t within = (1ull << (large ? LARGE_SHIFT : SMALL_SHIFT)) - 1;
	return (pte_address(leaf) & ~within) | (address & within);
}

static void found(struct tlb_result *r, enum tlb_answer answer, const struct tlb_entry *e, uint64_t address)
{
	r->answer = answer;
	r->leaf = e->leaf;
	r->large = e->large;
	r->physical = physical_of(e->leaf, e->large, address);
}

static void fill_l1(struct tlb *t, const struct tlb_key *key, struct tlb_result *r)
{
	r->fills_l1 = true;
	array_fill(l1_of(t, key->unit), key, r->leaf, r->large, &r->l1_set, &r->l1_way);
}

static const struct tlb_entry *look_in(struct tlb *t, const struct array *a, const struct tlb_key *key, struct tlb_result *r)
{
	const struct tlb_entry *e = array_find(a, key, &r->set, &r->way);
	if (e && parity_error(t, key)) {
		r->parity = true;
		return NULL;
	}
	return e;
}

void tlb_look_up(struct tlb *t, const struct tlb_key *key, struct tlb_result *r)
{
	const struct tlb_entry *e;
	memset(r, 0, sizeof *r);
	r->answer = TLB_BEYOND;
	if (key->address >> ADDRESS_BITS)
		return; /* MMU-3, MMU-4 */
	if ((e = look_in(t, l1_of(t, key->unit), key, r))) { /* MMU-45 */
		found(r, TLB_L1, e, key->address);
		return;
	}
	t->counters.l1_misses++; /* MMU-83 */
	/* MMU-40: both at once, of which 4 KiB counts; MMU-77 has the order */
	if ((e = look_in(t, &t->small, key, r))) {
		found(r, TLB_L2_4K, e, key->address);
	} else if ((e = look_in(t, &t->large, key, r))) {
		found(r, TLB_L2_2M, e, key->address);
	} else {
		r->answer = TLB_WALK;
		r->set = r->way = 0;
		t->counters.walks++; /* MMU-84 */
		return;
	}
	fill_l1(t, key, r); /* MMU-41 */
}

void tlb_fill(struct tlb *t, const struct tlb_key *key, uint64_t leaf, bool large, struct tlb_result *r)
{
	require(!(key->address >> ADDRESS_BITS));
	memset(r, 0, sizeof *r);
	r->answer = TLB_WALK;
	r->leaf = leaf;
	r->large = large;
	r->physical = physical_of(leaf, large, key->address);
	r->fills_l2 = true; /* MMU-41; MMU-44: whatever becomes of the access */
	array_fill(large ? &t->large : &t->small, key, leaf, large, &r->l2_set, &r->l2_way);
	fill_l1(t, key, r);
}

/* ---- invalidation ---- */

/* Whether scope concerns the entry: MMU-66 to MMU-70 */
static bool concerns(const struct array *a, const struct tlb_entry *e, unsigned scope, uint16_t asid, uint64_t address)
{
	if (scope != SCOPE_SPACE && scope != SCOPE_PAGE)
		return true;
	if (e->asid != asid || scope == SCOPE_SPACE)
		return e->asid == asid;
	return e->page == address >> a->shift || (e->large && (e->page << a->shift) >> LARGE_SHIFT == address >> LARGE_SHIFT);
}

static void array_invalidate(struct array *a, unsigned scope, uint16_t asid, uint64_t address)
{
	for (unsigned i = 0; a->entries && i < a->sets * TLB_WAYS; i++)
		if (a->entries[i].valid && concerns(a, &a->entries[i], scope, asid, address))
			memset(&a->entries[i], 0, sizeof a->entries[i]); /* MMU-39: the counters stay */
}

void tlb_invalidate(struct tlb *t, unsigned scope, uint16_t asid, uint64_t address)
{
	for (unsigned unit = 0; unit < TLB_UNITS; unit++)
		array_invalidate(&t->l1[unit], scope, asid, address);
	array_invalidate(&t->small, scope, asid, address);
	array_invalidate(&t->large, scope, asid, address);
}

/* ---- the rest ---- */

void tlb_inject_parity(struct tlb *t, uint32_t nth, unsigned unit)
{
	t->parity_in = nth ? nth : 1;
	t->parity_unit = unit;
}

void tlb_reset(struct tlb *t)
{
	tlb_invalidate(t, 0, 0, 0);
	t->parity_in = 0;
	memset(&t->counters, 0, sizeof t->counters);
}

struct tlb_counters tlb_counters(const struct tlb *t) { return t->counters; }

static const struct array *array_of(const struct tlb *t, enum tlb_array array, unsigned unit)
{
	require(array != TLB_ARRAY_L1 || unit < TLB_UNITS);
	return array == TLB_ARRAY_L1 ? &t->l1[unit] : array == TLB_ARRAY_4K ? &t->small : &t->large;
}

struct tlb_entry tlb_entry(const struct tlb *t, enum tlb_array array, unsigned unit, unsigned set, unsigned way)
{
	const struct array *a = array_of(t, array, unit);
	require(set < tlb_sets(t, array) && way < TLB_WAYS);
	return a->entries ? a->entries[set * TLB_WAYS + way] : (struct tlb_entry){ 0 };
}

unsigned tlb_sets(const struct tlb *t, enum tlb_array array)
{
	return array == TLB_ARRAY_L1 ? t->l1_sets : array_of(t, array, 0)->sets;
}

struct tlb *tlb_create(uint32_t l1_tlb_entries, uint32_t l2_tlb_entries)
{
	struct tlb *t = calloc(1, sizeof *t);
	const unsigned small = l2_tlb_entries / 4, large = l2_tlb_entries / 32; /* MMU-35 */
	if (!t)
		return NULL;
	t->l1_sets = l1_tlb_entries / 4; /* MMU-33 */
	t->parity_unit = TLB_ANY_UNIT;
	if (!t->l1_sets || !small || !large || !array_create(&t->small, small, SMALL_SHIFT) ||
	    !array_create(&t->large, large, LARGE_SHIFT)) {
		tlb_destroy(t);
		return NULL;
	}
	return t;
}

void tlb_destroy(struct tlb *t)
{
	if (!t)
		return;
	for (unsigned unit = 0; unit < TLB_UNITS; unit++)
		array_destroy(&t->l1[unit]);
	array_destroy(&t->small);
	array_destroy(&t->large);
	free(t);
}

enum fault tlb_rights(uint64_t leaf, enum access access)
{
	const bool user = leaf & PTE_U; /* MMU-25 */
	const bool read = user && leaf & PTE_R, write = user && leaf & PTE_W, execute = user && leaf & PTE_X; /* MMU-26 */
	switch (access) { /* MMU-28 */
	case ACCESS_READ:
		return read ? FAULT_NONE : FAULT_PAGE_READ;
	case ACCESS_WRITE:
		return write ? FAULT_NONE : FAULT_PAGE_WRITE;
	case ACCESS_EXEC:
		return execute ? FAULT_NONE : FAULT_PAGE_EXEC;
	case ACCESS_ATOMIC:
		return !read ? FAULT_PAGE_READ : write ? FAULT_NONE : FAULT_PAGE_WRITE;
	}
	abort();
}
