/* Translation goes L1 TLB (one a unit) -> shared L2 TLB -> walker.
 *
 * All are set-associative and replace round robin. TLB entries are for 4 KiB; the L2 TLB also has a
 * small array of 2 MiB entries, from which 4 KiB pieces are cut on an L1 miss: what the protection
 * unit says may differ from piece to piece. An entry of the L2 TLB can be used from the cycle at which
 * its walk ends, so a unit that misses on the same page meanwhile waits for that walk and starts none.
 * Faults are never cached: software may make an invalid entry valid without a TLB invalidation, and
 * only that.
 *
 * Compute units run a quantum side by side, each with a view: what the L2 TLB and the walkers held when it
 * began, which does not change meanwhile, and what the unit itself has filled in since. Afterwards the L2 TLB and
 * the walkers take over what the views have, one view after the other. */
#include "model/mmu/mmu.h"
#include "abi/pte.h"
#include "model/mem/cache.h"
#include "model/inject.h"
#include "model/mmu/entries.h"
#include "model/prot/protection.h"
#include "model/mmu/walker.h"
#include <stdlib.h>
#include <string.h>

enum { WAYS = ARRAY_WAYS };

struct refusal {
	uint64_t key, now;
	enum access access;
};

/* What a unit has to itself, beside its L1 TLB: its last refused access, and its last that an armed fault let
 * through. It may ask twice for one access. */
struct asked {
	struct refusal refusal, opening;
	struct tlb_entry open; /* of the opening */
};

enum { VIEW_SMALL = 256, VIEW_HUGE = 32 };

struct view {
	struct l2 *l2;
	bool decoupled, walked;
	uint64_t now;
	struct mmu_counters counters;
	struct tlb small, huge; /* filled in by the unit in this quantum */
	uint64_t small_filled[VIEW_SMALL / 64], huge_filled[1]; /* one bit an entry */
	struct walker walker;   /* from the first walk on */
};

struct mmu {
	struct physmem *mem;
	struct walker walker;
	uint32_t l2_tlb_latency;
	uint64_t now;        /* the latest cycle heard of */
	uint64_t epoch;
	uint64_t generation; /* of the pin table, when host addresses were last looked up */
	struct mmu_counters counters;
	struct tlb l1[MMU_MAX_UNITS];
	uint64_t replaced[MMU_MAX_UNITS]; /* key of the entry that the last fill of the L1 TLB replaced; 0: it was empty */
	struct tlb l2_small, l2_huge;
	struct asked asked[MMU_MAX_UNITS];
	struct view *view[MMU_MAX_UNITS]; /* NULL for units that have none */
};

/* ---- one set-associative array ---- */

static bool tlb_init(struct tlb *t, unsigned entries, bool shared)
{
	t->sets = 1;
	while (t->sets * 2 * WAYS <= entries)
		t->sets *= 2;
	t->entries = calloc((size_t)t->sets * WAYS, sizeof(*t->entries));
	t->victim = calloc(t->sets, 1);
	t->ready = shared ? calloc((size_t)t->sets * WAYS, sizeof(*t->ready)) : NULL;
	return t->entries && t->victim && (t->ready || !shared);
}

static void tlb_fini(struct tlb *t)
{
	free(t->entries);
	free(t->ready);
	free(t->victim);
}

/* Page numbers are folded, so that power-of-two strides spread over the sets. */
static inline unsigned tlb_set(const struct tlb *t, uint64_t page)
{
	return (unsigned)(page ^ page >> 6 ^ page >> 12) & (t->sets - 1);
}

static inline struct tlb_entry *tlb_find(const struct tlb *t, uint64_t page, uint64_t key)
{
	struct tlb_entry *e = &t->entries[tlb_set(t, page) * WAYS];

	for (unsigned w = 0; w < WAYS; w++)
		if (e[w].key == key)
			return &e[w];
	return NULL;
}

/* The entry to fill for the page: an empty one, else the set's next victim. */
static struct tlb_entry *tlb_claim(struct tlb *t, uint64_t page)
{
	unsigned set = tlb_set(t, page);
	struct tlb_entry *e = &t->entries[set * WAYS];

	if (!t->used) /* its line may be shared with the next unit, which only reads */
		t->used = true;
	for (unsigned w = 0; w < WAYS; w++)
		if (!e[w].key)
			return &e[w];
	return &e[t->victim[set]++ % WAYS];
}

/* Drops the pieces of the 2 MiB page that va is in. */
static void tlb_drop_pieces(struct tlb *t, uint16_t asid, uint64_t va)
{
	uint64_t first = tlb_key(va >> HUGE_SHIFT << HUGE_SHIFT, asid);

	for (unsigned i = 0; t->pieces && i < t->sets * WAYS; i++) {
		struct tlb_entry *e = &t->entries[i];

		if (e->huge && !((e->key ^ first) >> (17 + HUGE_SHIFT - 12)) && (uint16_t)e->key == asid)
			e->key = 0;
	}
}

static void tlb_drop_one(struct tlb *t, uint64_t page, uint64_t key)
{
	struct tlb_entry *e = t->used ? tlb_find(t, page, key) : NULL;

	if (e)
		e->key = 0;
}

static void tlb_drop(struct tlb *t, enum mmu_scope scope, uint16_t asid, uint64_t page, uint64_t key)
{
	if (!t->used)
		return;
	switch (scope) {
	case MMU_ALL:
		memset(t->entries, 0, (size_t)t->sets * WAYS * sizeof(*t->entries));
		t->used = t->pieces = false;
		break;
	case MMU_ASID:
		for (unsigned i = 0; i < t->sets * WAYS; i++)
			if ((uint16_t)t->entries[i].key == asid)
				t->entries[i].key = 0;
		break;
	case MMU_PAGE:
		tlb_drop_one(t, page, key); /* for jobs that are protected and for those that are not */
		tlb_drop_one(t, page, key | SPACE_PROTECTED);
		break;
	}
}

static void tlb_refresh(const struct mmu *m, struct tlb *t)
{
	for (unsigned i = 0; t->used && i < t->sets * WAYS; i++)
		if (t->entries[i].key)
			entry_refresh(m->mem, &t->entries[i]);
}

/* ---- life ---- */

static void view_close(struct view *v)
{
	if (!v)
		return;
	tlb_fini(&v->small);
	tlb_fini(&v->huge);
	free(v);
}

struct mmu *mmu_create(const struct device_config *config, struct physmem *mem, struct l2 *l2)
{
	struct mmu *m = calloc(1, sizeof(*m));
	bool ok;

	if (!m)
		return NULL;
	m->mem = mem;
	m->l2_tlb_latency = config->tlb_l2_latency;
	m->generation = mem->sys.generation ? *mem->sys.generation : 0;
	walker_init(&m->walker, config, mem, l2);
	ok = tlb_init(&m->l2_small, config->l2_tlb_entries, true) &&
	     tlb_init(&m->l2_huge, config->l2_tlb_entries / 8, true);
	for (unsigned u = 0; u < MMU_MAX_UNITS; u++)
		ok = ok && tlb_init(&m->l1[u], config->l1_tlb_entries, false);
	if (!ok) {
		mmu_destroy(m);
		return NULL;
	}
	return m;
}

void mmu_destroy(struct mmu *m)
{
	if (!m)
		return;
	for (unsigned u = 0; u < MMU_MAX_UNITS; u++) {
		tlb_fini(&m->l1[u]);
		view_close(m->view[u]);
	}
	tlb_fini(&m->l2_small);
	tlb_fini(&m->l2_huge);
	free(m);
}

const uint64_t *mmu_epoch(const struct mmu *m) { return &m->epoch; }
uint64_t mmu_replaced(const struct mmu *m, unsigned unit) { return m->replaced[unit]; }

const struct tlb *mmu_tlb(const struct mmu *m, enum mmu_array array, unsigned unit)
{
	return array == MMU_L1 ? &m->l1[unit] : array == MMU_L2_SMALL ? &m->l2_small : &m->l2_huge;
}

const struct mmu_counters *mmu_counters(const struct mmu *m) { return &m->counters; }

void mmu_set_time(struct mmu *m, uint64_t now) { m->now = now; }

void mmu_set_context_table(struct mmu *m, uint64_t pa)
{
	m->walker.context_table = pa;
	EVENT_SEND(m->mem->events, .cycle = m->now, .kind = EVENT_CONTEXT_TABLE, .unit = UNIT_MMU,
		   .queue = EVENT_NO_QUEUE, .a = pa);
	mmu_invalidate(m, MMU_ALL, 0, 0);
}

/* An unknown scope is taken as all: dropping too much is never wrong. */
void mmu_invalidate(struct mmu *m, enum mmu_scope scope, uint16_t asid, uint64_t va)
{
	uint64_t key = tlb_key(va, asid), huge_key = tlb_key(va >> HUGE_SHIFT << HUGE_SHIFT, asid);

	if (scope != MMU_ASID && scope != MMU_PAGE)
		scope = MMU_ALL;
	for (unsigned u = 0; u < MMU_MAX_UNITS; u++) {
		tlb_drop(&m->l1[u], scope, asid, va >> 12, key);
		if (scope == MMU_PAGE)
			tlb_drop_pieces(&m->l1[u], asid, va);
	}
	tlb_drop(&m->l2_small, scope, asid, va >> 12, key);
	tlb_drop(&m->l2_huge, scope, asid, va >> HUGE_SHIFT, huge_key);
	/* a page's translation may have moved to another table: forget every table of the space */
	if (scope == MMU_ALL)
		walker_drop_all(&m->walker);
	else
		walker_drop_space(&m->walker, asid);
	for (unsigned u = 0; u < MMU_MAX_UNITS; u++)
		m->asked[u].opening.key = 0;
	m->epoch++;
	EVENT_SEND(m->mem->events, .cycle = m->now, .kind = EVENT_TLB_INVALIDATE, .unit = UNIT_MMU,
		   .queue = EVENT_NO_QUEUE, .asid = asid, .a = scope == MMU_PAGE ? va : 0, .b = scope);
}

uint32_t mmu_l2_sets(const struct mmu *m) { return m->l2_small.sets; }

void mmu_refresh(struct mmu *m)
{
	for (unsigned u = 0; u < MMU_MAX_UNITS; u++)
		tlb_refresh(m, &m->l1[u]);
	tlb_refresh(m, &m->l2_small);
	m->epoch++;
}

void mmu_check_generation(struct mmu *m)
{
	if (!m->mem->sys.generation || *m->mem->sys.generation == m->generation)
		return;
	m->generation = *m->mem->sys.generation;
	mmu_refresh(m);
}

/* ---- translation ---- */

static enum fault rights_fault(uint8_t perm, enum access access)
{
	switch (access) {
	case ACCESS_READ:
		return FAULT_PAGE_READ;
	case ACCESS_WRITE:
		return FAULT_PAGE_WRITE;
	case ACCESS_EXEC:
		return FAULT_PAGE_EXEC;
	case ACCESS_ATOMIC:
		break;
	}
	return perm & 1 << ACCESS_READ ? FAULT_PAGE_WRITE : FAULT_PAGE_READ;
}

/* The view of a unit that runs a decoupled quantum, else NULL. */
static inline struct view *view_apart(const struct mmu *m, unsigned unit)
{
	struct view *v = m->view[unit];

	return v && v->decoupled ? v : NULL;
}

/* The entry has bad parity (an injected fault): it may not be used, nor what it came from. */
static bool parity_drop(struct mmu *m, unsigned unit, uint32_t space, uint64_t va, uint64_t now)
{
	struct view *v = view_apart(m, unit);

	if (!m->mem->inject || !inject_fires(m->mem->inject, INJECT_TLB_PARITY, unit, va, now))
		return false;
	m->counters.parity++;
	tlb_drop_one(&m->l1[unit], va >> 12, tlb_key(va, space));
	tlb_drop_one(&m->l2_small, va >> 12, tlb_key(va, space));
	tlb_drop_one(&m->l2_huge, va >> HUGE_SHIFT, tlb_key(va >> HUGE_SHIFT << HUGE_SHIFT, space));
	if (v) {
		tlb_drop_one(&v->small, va >> 12, tlb_key(va, space));
		tlb_drop_one(&v->huge, va >> HUGE_SHIFT, tlb_key(va >> HUGE_SHIFT << HUGE_SHIFT, space));
	}
	m->epoch++;
	return true;
}

/* Looks a page up in an array of the L2 TLB. An entry that is still being walked for is waited for. */
static struct tlb_entry *shared_find(const struct tlb *t, uint64_t page, uint64_t key, uint64_t *now)
{
	struct tlb_entry *e = tlb_find(t, page, key);

	if (e && *now < t->ready[e - t->entries])
		*now = t->ready[e - t->entries];
	return e;
}

static struct tlb_entry *shared_claim(struct tlb *t, uint64_t page, uint64_t ready)
{
	struct tlb_entry *e = tlb_claim(t, page);

	t->ready[e - t->entries] = ready;
	return e;
}

static struct tlb_entry *view_claim(struct tlb *t, uint64_t *filled, uint64_t page, uint64_t ready)
{
	struct tlb_entry *e = shared_claim(t, page, ready);

	filled[(e - t->entries) / 64] |= 1ull << (e - t->entries) % 64;
	return e;
}

static struct tlb_entry *small_find(const struct mmu *m, const struct view *v, uint64_t va, uint64_t key, uint64_t *now)
{
	struct tlb_entry *e = v && v->walked ? shared_find(&v->small, va >> 12, key, now) : NULL;

	return e ? e : shared_find(&m->l2_small, va >> 12, key, now);
}

static struct tlb_entry *huge_find(const struct mmu *m, const struct view *v, uint64_t va, uint64_t key, uint64_t *now)
{
	struct tlb_entry *e = v && v->walked ? shared_find(&v->huge, va >> HUGE_SHIFT, key, now) : NULL;

	return e ? e : shared_find(&m->l2_huge, va >> HUGE_SHIFT, key, now);
}

static struct walker *view_walker(struct mmu *m, struct view *v)
{
	if (!v)
		return &m->walker;
	if (!v->walked)
		walker_follow(&v->walker, &m->walker, v->l2);
	v->walked = true;
	return &v->walker;
}

/* The entry of the L2 TLB that has the page, from there or by a walk. */
static enum fault l2_find(struct mmu *m, const struct tlb_entry **e, unsigned unit, uint64_t va, uint32_t space, uint64_t key, uint64_t *now)
{
	uint64_t huge_key = tlb_key(va >> HUGE_SHIFT << HUGE_SHIFT, space);
	struct view *v = view_apart(m, unit);
	struct tlb_entry *shared;
	unsigned level = 0;
	uint64_t pte = 0;
	enum fault f;

	*now += m->l2_tlb_latency;
	shared = small_find(m, v, va, key, now);
	if (shared && !parity_drop(m, unit, space, va, *now)) {
		*e = shared;
		return FAULT_NONE;
	}
	shared = huge_find(m, v, va, huge_key, now);
	if (!shared || parity_drop(m, unit, space, va, *now)) {
		(v ? &v->counters : &m->counters)->l2_miss++;
		f = walker_walk(view_walker(m, v), unit, space, va, &pte, &level, now);
		if (!v)
			m->counters.walk_reads = m->walker.reads;
		if (f)
			return f;
		if (level == 0) {
			shared = v ? view_claim(&v->small, v->small_filled, va >> 12, *now) :
				     shared_claim(&m->l2_small, va >> 12, *now);
			*shared = entry_small(m->mem, key, space, pte_address(pte), pte);
		} else {
			shared = v ? view_claim(&v->huge, v->huge_filled, va >> HUGE_SHIFT, *now) :
				     shared_claim(&m->l2_huge, va >> HUGE_SHIFT, *now);
			*shared = entry_huge(m->mem, huge_key, space, pte_address(pte), pte);
		}
	}
	*e = shared;
	return FAULT_NONE;
}

static enum fault l1_miss(struct mmu *m, struct tlb_entry **e, unsigned unit, uint64_t va, uint32_t space,
			  uint64_t now, uint32_t *cycles)
{
	struct view *v = view_apart(m, unit);
	uint64_t *latest = v ? &v->now : &m->now;
	uint64_t end = now, key = tlb_key(va, space);
	const struct tlb_entry *shared;
	struct tlb_entry *filled;
	enum fault f;

	(v ? &v->counters : &m->counters)->l1_miss++;
	if (*latest < now)
		*latest = now;
	f = l2_find(m, &shared, unit, va, space, key, &end);
	*cycles = (uint32_t)(end - now);
	if (f)
		return f;
	*e = filled = tlb_claim(&m->l1[unit], va >> 12);
	m->replaced[unit] = filled->key;
	if (shared->huge)
		entry_piece(m->mem, filled, shared, key, space, va & ((1ull << HUGE_SHIFT) - GALENA_PAGE_SIZE));
	else
		*filled = *shared;
	filled->there = end;
	if (filled->huge && !m->l1[unit].pieces)
		m->l1[unit].pieces = true;
	EVENT_SEND(m->mem->events, .cycle = end, .kind = EVENT_TLB_FILL, .unit = (uint16_t)unit,
		   .queue = EVENT_NO_QUEUE, .asid = (uint16_t)space, .a = va & ~(GALENA_PAGE_SIZE - 1), .b = filled->pa,
		   .c = filled->pte | (uint64_t)((filled - m->l1[unit].entries) % WAYS) << EVENT_TLB_WAY | (filled->huge ? 1ull << 63 : 0));
	return FAULT_NONE;
}

/* The same access as before: its answer is the same. */
static bool refusal_is(const struct refusal *a, const struct refusal *b)
{
	return a->key == b->key && a->now == b->now && a->access == b->access;
}

/* What the page's rights allow and the protection unit does not. An armed fault lets it through, and the
 * unit's entry stays as it is: the next access is refused. */
static enum fault entry_refuse(struct mmu *m, unsigned unit, const struct tlb_entry *e, uint64_t va, enum access access,
			       uint64_t now, const struct tlb_entry **out)
{
	struct refusal r = { e->key, now, access };
	struct asked *asked = &m->asked[unit];
	uint64_t pa = e->pa | (va & (GALENA_PAGE_SIZE - 1));

	if (!refusal_is(&asked->opening, &r)) {
		if (refusal_is(&asked->refusal, &r) || !m->mem->prot ||
		    prot_refuse(m->mem->prot, unit, e->key & SPACE_PROTECTED, pa, access, now)) {
			asked->refusal = r;
			return FAULT_PROTECTED;
		}
		asked->opening = r;
	}
	asked->open = *e; /* its host addresses are of what is allowed */
	*out = &asked->open;
	return FAULT_NONE;
}

/* Whatever is not a hit that goes well; e is what the unit's L1 has. */
static __attribute__((noinline)) enum fault translate_slow(struct mmu *m, struct tlb_entry *e, unsigned unit,
							   uint32_t space, uint64_t va, enum access access,
							   uint64_t now, const struct tlb_entry **out, uint32_t *cycles)
{
	enum fault f;

	if (!(tlb_key(va, space) & TLB_VALID))
		return FAULT_PAGE_NOT_PRESENT;
	if (!e || parity_drop(m, unit, space, va, now)) {
		f = l1_miss(m, &e, unit, va, space, now, cycles);
		if (f)
			return f;
	}
	/* the page's rights come first: only an access that they allow gets to the protection unit */
	if (!(e->perm & 1 << access))
		return rights_fault(e->perm, access);
	if (e->refused & 1 << access)
		return entry_refuse(m, unit, e, va, access, now, out);
	*out = e;
	return FAULT_NONE;
}

static inline bool parity_armed(const struct mmu *m)
{
	return m->mem->inject && m->mem->inject->armed & 1 << INJECT_TLB_PARITY;
}

enum fault mmu_translate(struct mmu *m, unsigned unit, uint32_t space, uint64_t va, enum access access, uint64_t now,
			 const struct tlb_entry **out, uint32_t *cycles)
{
	struct tlb_entry *e = tlb_find(&m->l1[unit], va >> 12, tlb_key(va, space));

	*cycles = e && e->there > now ? (uint32_t)(e->there - now) : 0;
	if (__builtin_expect(!e || !(e->perm & ~e->refused & 1 << access) || parity_armed(m), 0))
		return translate_slow(m, e, unit, space, va, access, now, out, cycles);
	*out = e;
	return FAULT_NONE;
}

/* ---- runs of pages ---- */

/* Whether a page is to e as its place in a run demands: delta bytes from it everywhere. */
static bool run_goes_on(const struct mmu *m, const struct tlb_entry *e, uint64_t pte, int64_t delta)
{
	uint64_t pa = e->pa + (uint64_t)delta;

	if ((pte & 0x3ff) != e->pte || pte & PTE_RESERVED || pte_address(pte) != pa)
		return false;
	if (pa - DRAM_BASE < m->mem->dram_size && e->pa - DRAM_BASE < m->mem->dram_size)
		return true; /* one block on the host */
	return physmem_page(m->mem, pa, false) == e->read + delta &&
	       physmem_page(m->mem, pa, true) == (e->write ? e->write + delta : NULL);
}

uint64_t mmu_run(const struct mmu *m, uint32_t space, uint64_t va, const struct tlb_entry *e, uint64_t *bytes)
{
	enum { PAGES = 1 << (HUGE_SHIFT - GALENA_PAGE_SHIFT) };
	unsigned at = va >> GALENA_PAGE_SHIFT & (PAGES - 1), first = at, end = at + 1;
	unsigned level;
	const uint64_t *pte;

	*bytes = GALENA_PAGE_SIZE;
	if ((m->mem->inject && m->mem->inject->armed) || e->refused)
		return 0;
	if (e->huge) {
		uint64_t pa = e->pa - at * GALENA_PAGE_SIZE;

		if (pa < DRAM_BASE || pa - DRAM_BASE + (PAGES * GALENA_PAGE_SIZE) > m->mem->dram_size)
			return 0;
		first = 0;
		end = PAGES;
	} else {
		pte = walker_leaves(&m->walker, space, va, &level);
		if (!pte || level || !run_goes_on(m, e, pte[at], 0))
			return 0;
		while (first > 0 && run_goes_on(m, e, pte[first - 1], -(int64_t)((at - first + 1) * GALENA_PAGE_SIZE)))
			first--;
		while (end < PAGES && run_goes_on(m, e, pte[end], (int64_t)((end - at) * GALENA_PAGE_SIZE)))
			end++;
	}
	/* protection has a say in each page: it has to be the same for all */
	if (m->mem->prot && prot_refused(m->mem->prot, space & SPACE_PROTECTED, e->pa - (at - first) * GALENA_PAGE_SIZE,
					 (end - first) * GALENA_PAGE_SIZE))
		return 0;
	*bytes = (end - first) * GALENA_PAGE_SIZE;
	return (at - first) * GALENA_PAGE_SIZE;
}

uint64_t mmu_peek(const struct mmu *m, uint32_t space, uint64_t va, uint64_t *bytes)
{
	unsigned level;
	const uint64_t *leaves = walker_leaves(&m->walker, space, va, &level);
	uint64_t pte = leaves ? leaves[PT_INDEX(va, level)] : 0, size = GALENA_PAGE_SIZE << 9 * (leaves ? level : 0);

	*bytes = size - (va & (size - 1));
	return pte & PTE_V ? pte_address(pte) + (va & (size - 1)) : UINT64_MAX;
}

/* ---- views ---- */

bool mmu_view_open(struct mmu *m, unsigned unit, struct l2 *l2)
{
	struct view *v;

	view_close(m->view[unit]);
	m->view[unit] = NULL;
	v = calloc(1, sizeof(*v));
	if (!v)
		return false;
	m->view[unit] = v;
	v->l2 = l2;
	return tlb_init(&v->small, VIEW_SMALL, true) && tlb_init(&v->huge, VIEW_HUGE, true);
}

struct mmu_counters mmu_unit_counters(const struct mmu *m, unsigned unit)
{
	const struct view *v = view_apart(m, unit);
	struct mmu_counters sum = m->counters;

	if (v) {
		sum.l1_miss += v->counters.l1_miss;
		sum.l2_miss += v->counters.l2_miss;
	}
	return sum;
}

void mmu_view_begin(struct mmu *m, unsigned unit)
{
	m->view[unit]->decoupled = true;
	m->view[unit]->now = m->now;
}

/* Entries that the L2 TLB has got from another view meanwhile stay as they are. */
static void fills_merge(struct tlb *to, struct tlb *from, uint64_t *filled, unsigned words, unsigned shift)
{
	for (unsigned i = 0; i < words; i++)
		for (; filled[i]; filled[i] &= filled[i] - 1) {
			unsigned n = i * 64 + (unsigned)__builtin_ctzll(filled[i]);
			struct tlb_entry *e = &from->entries[n];
			uint64_t page = (e->key & ~TLB_VALID) >> 17 >> (shift - 12);

			if (e->key && !tlb_find(to, page, e->key))
				*shared_claim(to, page, from->ready[n]) = *e;
			e->key = 0;
		}
}

bool mmu_view_leave(struct mmu *m, unsigned unit)
{
	m->view[unit]->decoupled = false;
	return m->view[unit]->counters.l1_miss != 0;
}

void mmu_view_end(struct mmu *m, unsigned unit)
{
	struct view *v = m->view[unit];

	if (m->now < v->now)
		m->now = v->now;
	m->counters.l1_miss += v->counters.l1_miss;
	m->counters.l2_miss += v->counters.l2_miss;
	memset(&v->counters, 0, sizeof(v->counters));
	if (!v->walked)
		return;
	v->walked = false;
	walker_merge(&m->walker, &v->walker);
	m->counters.walk_reads = m->walker.reads;
	fills_merge(&m->l2_small, &v->small, v->small_filled, VIEW_SMALL / 64, 12);
	fills_merge(&m->l2_huge, &v->huge, v->huge_filled, 1, HUGE_SHIFT);
}

/* ---- copies ---- */

/* One piece in one page. */
static enum fault page_copy(struct mmu *m, const struct tlb_entry *e, uint64_t off, void *data, size_t n, bool write)
{
	uint64_t pa = e->pa + off;
	uint8_t *host = write ? e->write : e->read;

	if (e->cached)
		return write ? cache_write(m->mem->cache, pa, data, n, m->now) :
			       cache_read(m->mem->cache, pa, data, n, m->now);
	if (!host)
		return write ? physmem_write(m->mem, pa, data, n) : physmem_read(m->mem, pa, data, n);
	if (write)
		memcpy(host + off, data, n);
	else
		memcpy(data, host + off, n);
	return FAULT_NONE;
}

static enum fault copy(struct mmu *m, unsigned unit, uint32_t space, uint64_t va, void *data, size_t len, bool write,
		       uint64_t *bad)
{
	uint8_t *at = data;

	while (len) {
		uint64_t off = va & (GALENA_PAGE_SIZE - 1);
		size_t n = len < GALENA_PAGE_SIZE - off ? len : GALENA_PAGE_SIZE - off;
		const struct tlb_entry *e = NULL;
		uint32_t cycles;
		enum fault f;

		*bad = va;
		f = mmu_translate(m, unit, space, va, write ? ACCESS_WRITE : ACCESS_READ, m->now, &e, &cycles);
		if (f)
			return f;
		physmem_by(m->mem, unit, m->now);
		f = page_copy(m, e, off, at, n, write);
		if (f)
			return f;
		at += n;
		va += n;
		len -= n;
	}
	return FAULT_NONE;
}

enum fault mmu_read(struct mmu *m, unsigned unit, uint32_t space, uint64_t va, void *dst, size_t len, uint64_t *bad)
{
	return copy(m, unit, space, va, dst, len, false, bad);
}

enum fault mmu_write(struct mmu *m, unsigned unit, uint32_t space, uint64_t va, const void *src, size_t len,
		     uint64_t *bad)
{
	return copy(m, unit, space, va, (void *)(uintptr_t)src, len, true, bad);
}
