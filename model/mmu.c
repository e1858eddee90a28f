/* Translation goes L1 TLB (one a unit) -> shared L2 TLB -> walker.
 *
 * All three are set-associative and replace round robin. TLB entries are for 4 KiB; the L2 TLB
 * also has a small array of 2 MiB entries, from which 4 KiB pieces are cut on an L1 miss. The
 * walker keeps the last tables it went through (walk cache) and reads tables a line at a time, so
 * that neighbouring pages cost a fraction of a read each. Faults are never cached: software may make an invalid entry valid without a
 * TLB invalidation, and only that. */
#include "model/mmu.h"
#include "abi/pte.h"
#include <stdlib.h>
#include <string.h>

enum {
	WAYS = 4,
	HUGE_SHIFT = 21, /* 2 MiB */
	WALK_SETS = 32,  /* walk cache: direct mapped, per kind of table */
	CONTEXTS = 16,   /* roots of address spaces, direct mapped */
	LINES = 8,       /* lines of tables last read, direct mapped */
};

struct tlb {
	struct tlb_entry *entries; /* sets * WAYS */
	uint8_t *victim;           /* next way to replace, per set */
	unsigned sets;             /* power of two */
	bool used;                 /* something was ever filled in: most units have no memory port */
};

/* A table that the walker has found: key as tlb_key, of the first page that the table maps. */
struct walk_entry {
	uint64_t key, table;
};

struct mmu {
	struct physmem *mem;
	struct l2 *l2;
	uint32_t l2_tlb_latency, line_bytes;
	uint64_t context_table;
	uint64_t epoch;
	uint64_t generation; /* of the pin table, when host addresses were last looked up */
	struct mmu_counters counters;
	struct tlb l1[MMU_MAX_UNITS];
	struct tlb l2_small, l2_huge;
	struct walk_entry level0[WALK_SETS]; /* tables of 4 KiB pages */
	struct walk_entry level1[WALK_SETS]; /* tables of 2 MiB pages */
	struct walk_entry context[CONTEXTS];
	uint64_t line[LINES]; /* line number + 1: what costs no read; data is always read anew */
};

/* ---- one set-associative array ---- */

static bool tlb_init(struct tlb *t, unsigned entries)
{
	t->sets = 1;
	while (t->sets * 2 * WAYS <= entries)
		t->sets *= 2;
	t->entries = calloc((size_t)t->sets * WAYS, sizeof(*t->entries));
	t->victim = calloc(t->sets, 1);
	return t->entries && t->victim;
}

static void tlb_fini(struct tlb *t)
{
	free(t->entries);
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

	t->used = true;
	for (unsigned w = 0; w < WAYS; w++)
		if (!e[w].key)
			return &e[w];
	return &e[t->victim[set]++ % WAYS];
}

static void tlb_drop(struct tlb *t, enum mmu_scope scope, uint16_t asid, uint64_t page, uint64_t key)
{
	struct tlb_entry *e;

	if (!t->used)
		return;
	switch (scope) {
	case MMU_ALL:
		memset(t->entries, 0, (size_t)t->sets * WAYS * sizeof(*t->entries));
		t->used = false;
		break;
	case MMU_ASID:
		for (unsigned i = 0; i < t->sets * WAYS; i++)
			if ((uint16_t)t->entries[i].key == asid)
				t->entries[i].key = 0;
		break;
	case MMU_PAGE:
		for (unsigned p = 0; p < 2; p++) { /* for jobs that are protected and for those that are not */
			e = tlb_find(t, page, key | (p ? SPACE_PROTECTED : 0));
			if (e)
				e->key = 0;
		}
		break;
	}
}

/* Looks host addresses of system pages up again. */
static void tlb_refresh(struct tlb *t, struct physmem *mem)
{
	for (unsigned i = 0; t->used && i < t->sets * WAYS; i++) {
		struct tlb_entry *e = &t->entries[i];

		if (!e->key || e->pa < SYSTEM_BASE)
			continue;
		e->read = physmem_page(mem, e->pa, false);
		e->write = e->perm & 1 << ACCESS_WRITE ? physmem_page(mem, e->pa, true) : NULL;
	}
}

/* ---- life ---- */

struct mmu *mmu_create(const struct device_config *config, struct physmem *mem, struct l2 *l2)
{
	struct mmu *m = calloc(1, sizeof(*m));
	bool ok;

	if (!m)
		return NULL;
	m->mem = mem;
	m->l2 = l2;
	m->l2_tlb_latency = config->tlb_l2_latency;
	m->line_bytes = config->line_bytes;
	m->generation = mem->sys.generation ? *mem->sys.generation : 0;
	ok = tlb_init(&m->l2_small, config->l2_tlb_entries) && tlb_init(&m->l2_huge, config->l2_tlb_entries / 8);
	for (unsigned u = 0; u < MMU_MAX_UNITS; u++)
		ok = ok && tlb_init(&m->l1[u], config->l1_tlb_entries);
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
	for (unsigned u = 0; u < MMU_MAX_UNITS; u++)
		tlb_fini(&m->l1[u]);
	tlb_fini(&m->l2_small);
	tlb_fini(&m->l2_huge);
	free(m);
}

const uint64_t *mmu_epoch(const struct mmu *m) { return &m->epoch; }
const struct mmu_counters *mmu_counters(const struct mmu *m) { return &m->counters; }

void mmu_set_context_table(struct mmu *m, uint64_t pa)
{
	m->context_table = pa;
	mmu_invalidate(m, MMU_ALL, 0, 0);
}

static void walk_drop(struct walk_entry *e, unsigned n, enum mmu_scope scope, uint16_t asid)
{
	for (unsigned i = 0; i < n; i++)
		if (scope == MMU_ALL || (uint16_t)e[i].key == asid)
			e[i].key = 0;
}

/* An unknown scope is taken as all: dropping too much is never wrong. */
void mmu_invalidate(struct mmu *m, enum mmu_scope scope, uint16_t asid, uint64_t va)
{
	uint64_t key = tlb_key(va, asid);
	uint64_t huge_key = tlb_key(va >> HUGE_SHIFT << HUGE_SHIFT, asid);

	if (scope != MMU_ASID && scope != MMU_PAGE)
		scope = MMU_ALL;
	for (unsigned u = 0; u < MMU_MAX_UNITS; u++)
		tlb_drop(&m->l1[u], scope, asid, va >> 12, key);
	tlb_drop(&m->l2_small, scope, asid, va >> 12, key);
	tlb_drop(&m->l2_huge, scope, asid, va >> HUGE_SHIFT, huge_key);
	/* a page's translation may have moved to another table: drop every table of the space */
	walk_drop(m->level0, WALK_SETS, scope, asid);
	walk_drop(m->level1, WALK_SETS, scope, asid);
	walk_drop(m->context, CONTEXTS, scope, asid);
	memset(m->line, 0, sizeof(m->line));
	m->epoch++;
}

void mmu_check_generation(struct mmu *m)
{
	if (!m->mem->sys.generation || *m->mem->sys.generation == m->generation)
		return;
	m->generation = *m->mem->sys.generation;
	for (unsigned u = 0; u < MMU_MAX_UNITS; u++)
		tlb_refresh(&m->l1[u], m->mem);
	tlb_refresh(&m->l2_small, m->mem);
	m->epoch++;
}

/* ---- the walker ---- */

/* Reads one word of a table at *now, which advances to when it is there. */
static enum fault walk_read(struct mmu *m, uint64_t pa, uint64_t *word, uint64_t *now)
{
	uint64_t line = pa / m->line_bytes, *seen = &m->line[line % LINES];

	if (physmem_read(m->mem, pa, word, sizeof(*word)))
		return FAULT_PAGE_TABLE;
	if (*seen != line + 1)
		*now = l2_access(m->l2, *now, line * m->line_bytes, m->line_bytes, false);
	*seen = line + 1;
	return FAULT_NONE;
}

static enum fault walk_root(struct mmu *m, uint32_t space, uint64_t *table, uint64_t *now)
{
	struct walk_entry *e = &m->context[space % CONTEXTS];
	uint64_t key = tlb_key(0, space), word;
	enum fault f;

	if (e->key != key) {
		f = walk_read(m, m->context_table + (uint16_t)space * 8ull, &word, now);
		if (f)
			return f;
		if (!(word & 1))
			return FAULT_PAGE_NOT_PRESENT;
		*e = (struct walk_entry){ key, word & ~(GALENA_PAGE_SIZE - 1) };
	}
	*table = e->table;
	return FAULT_NONE;
}

static struct walk_entry *walk_slot(struct mmu *m, unsigned level, uint64_t va)
{
	return level == 0 ? &m->level0[(va >> 21) % WALK_SETS] : &m->level1[(va >> 30) % WALK_SETS];
}

static uint64_t walk_key(unsigned level, uint64_t va, uint32_t space)
{
	unsigned shift = level == 0 ? 21 : 30;

	return tlb_key(va >> shift << shift, space);
}

/* Where to begin: the deepest table that the walk cache knows. */
static enum fault walk_begin(struct mmu *m, uint64_t va, uint32_t space, unsigned *level, uint64_t *table,
			     uint64_t *now)
{
	for (unsigned l = 0; l < 2; l++) {
		const struct walk_entry *e = walk_slot(m, l, va);

		if (e->key == walk_key(l, va, space)) {
			*level = l;
			*table = e->table;
			return FAULT_NONE;
		}
	}
	*level = PT_LEVELS - 1;
	return walk_root(m, space, table, now);
}

#define PTE_RESERVED (~0ull << 54)

static enum fault walk(struct mmu *m, uint64_t va, uint32_t space, uint64_t *leaf, unsigned *level, uint64_t *now)
{
	uint64_t table = 0, pte;
	enum fault f = walk_begin(m, va, space, level, &table, now);

	if (f)
		return f;
	for (;; --*level) {
		f = walk_read(m, table + PT_INDEX(va, *level) * 8, &pte, now);
		if (f)
			return f;
		if (!(pte & PTE_V))
			return FAULT_PAGE_NOT_PRESENT;
		if (pte & PTE_RESERVED || (pte & PTE_W && !(pte & PTE_R)))
			return FAULT_PAGE_TABLE;
		if (pte & (PTE_R | PTE_X))
			break;
		if (*level == 0)
			return FAULT_PAGE_TABLE;
		table = pte_address(pte);
		if (*level <= 2)
			*walk_slot(m, *level - 1, va) =
				(struct walk_entry){ walk_key(*level - 1, va, space), table };
	}
	if (*level > 1 || (*level == 1 && pte_address(pte) & ((1ull << HUGE_SHIFT) - 1)))
		return FAULT_PAGE_TABLE;
	*leaf = pte;
	return FAULT_NONE;
}

static uint8_t leaf_rights(uint64_t pte)
{
	uint8_t perm = 0;

	if (!(pte & PTE_U))
		return 0;
	if (pte & PTE_R)
		perm |= 1 << ACCESS_READ;
	if (pte & PTE_W)
		perm |= 1 << ACCESS_WRITE;
	if (pte & PTE_X)
		perm |= 1 << ACCESS_EXEC;
	if ((pte & PTE_R) && (pte & PTE_W))
		perm |= 1 << ACCESS_ATOMIC;
	return perm;
}

static void entry_fill(struct mmu *m, struct tlb_entry *e, uint64_t key, uint64_t pa, uint8_t perm)
{
	*e = (struct tlb_entry){ .key = key, .pa = pa, .perm = perm };
	e->read = physmem_page(m->mem, pa, false);
	e->write = perm & 1 << ACCESS_WRITE ? physmem_page(m->mem, pa, true) : NULL;
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

/* Fills *e, an L1 entry, from the L2 TLB or by a walk. */
static enum fault l1_refill(struct mmu *m, struct tlb_entry *e, uint64_t va, uint32_t space, uint64_t key,
			    uint64_t *now)
{
	uint64_t offset = va & ((1ull << HUGE_SHIFT) - GALENA_PAGE_SIZE);
	uint64_t huge_key = tlb_key(va >> HUGE_SHIFT << HUGE_SHIFT, space);
	struct tlb_entry *shared;
	unsigned level = 0;
	uint64_t pte = 0;
	enum fault f;

	m->counters.l1_miss++;
	*now += m->l2_tlb_latency;
	shared = tlb_find(&m->l2_small, va >> 12, key);
	if (shared) {
		*e = *shared;
		return FAULT_NONE;
	}
	shared = tlb_find(&m->l2_huge, va >> HUGE_SHIFT, huge_key);
	if (!shared) {
		m->counters.l2_miss++;
		f = walk(m, va, space, &pte, &level, now);
		if (f)
			return f;
		if (level == 0) {
			shared = tlb_claim(&m->l2_small, va >> 12);
			entry_fill(m, shared, key, pte_address(pte), leaf_rights(pte));
			*e = *shared;
			return FAULT_NONE;
		}
		shared = tlb_claim(&m->l2_huge, va >> HUGE_SHIFT);
		*shared = (struct tlb_entry){ .key = huge_key, .pa = pte_address(pte), .perm = leaf_rights(pte) };
	}
	entry_fill(m, e, key, shared->pa + offset, shared->perm);
	return FAULT_NONE;
}

enum fault mmu_translate(struct mmu *m, unsigned unit, uint32_t space, uint64_t va, enum access access, uint64_t now,
			 const struct tlb_entry **out, uint32_t *cycles)
{
	struct tlb *l1 = &m->l1[unit];
	uint64_t key = tlb_key(va, space), end = now;
	struct tlb_entry *e, filled;
	enum fault f;

	*cycles = 0;
	if (!(key & TLB_VALID))
		return FAULT_PAGE_NOT_PRESENT;
	e = tlb_find(l1, va >> 12, key);
	if (!e) {
		f = l1_refill(m, &filled, va, space, key, &end);
		*cycles = (uint32_t)(end - now);
		if (f)
			return f;
		e = tlb_claim(l1, va >> 12);
		*e = filled;
	}
	if (!(e->perm & 1 << access))
		return rights_fault(e->perm, access);
	*out = e;
	return FAULT_NONE;
}

/* ---- copies ---- */

enum fault mmu_read(struct mmu *m, unsigned unit, uint32_t space, uint64_t va, void *dst, size_t len, uint64_t *bad)
{
	uint8_t *out = dst;

	while (len) {
		uint64_t off = va & (GALENA_PAGE_SIZE - 1);
		size_t n = len < GALENA_PAGE_SIZE - off ? len : GALENA_PAGE_SIZE - off;
		const struct tlb_entry *e = NULL;
		uint32_t cycles;
		enum fault f = mmu_translate(m, unit, space, va, ACCESS_READ, 0, &e, &cycles);

		*bad = va;
		if (f)
			return f;
		if (e->read)
			memcpy(out, e->read + off, n);
		else if (physmem_read(m->mem, e->pa + off, out, n))
			return FAULT_BUS_ERROR;
		out += n;
		va += n;
		len -= n;
	}
	return FAULT_NONE;
}

enum fault mmu_write(struct mmu *m, unsigned unit, uint32_t space, uint64_t va, const void *src, size_t len,
		     uint64_t *bad)
{
	const uint8_t *in = src;

	while (len) {
		uint64_t off = va & (GALENA_PAGE_SIZE - 1);
		size_t n = len < GALENA_PAGE_SIZE - off ? len : GALENA_PAGE_SIZE - off;
		const struct tlb_entry *e = NULL;
		uint32_t cycles;
		enum fault f = mmu_translate(m, unit, space, va, ACCESS_WRITE, 0, &e, &cycles);

		*bad = va;
		if (f)
			return f;
		if (e->write)
			memcpy(e->write + off, in, n);
		else if (physmem_write(m->mem, e->pa + off, in, n))
			return FAULT_BUS_ERROR;
		in += n;
		va += n;
		len -= n;
	}
	return FAULT_NONE;
}
