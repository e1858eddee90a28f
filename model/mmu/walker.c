/* Walks take place in the order in which they are asked for; what overlaps is their time. Each
 * walker has its own: a walk begins when one is free, and waits for every entry that it reads from
 * memory. What walks share (lines of tables, tables gone through) another walk finds only when it
 * is there. */
#include "model/mmu/walker.h"
#include "abi/pte.h"
#include "model/inject.h"
#include "model/mmu/mmu.h"
#include <string.h>


/* One walk: who asked for what and when, and how far in time it is. */
struct walk {
	unsigned unit;
	uint32_t space;
	uint64_t va;
	uint64_t asked, now;
};

void walker_init(struct walker *w, const struct device_config *config, struct physmem *mem, struct l2 *l2)
{
	memset(w, 0, sizeof(*w));
	w->mem = mem;
	w->l2 = l2;
	w->line_bytes = config->line_bytes;
	w->count = config->mmu_walkers < WALKERS_MAX ? config->mmu_walkers : WALKERS_MAX;
	if (!w->count)
		w->count = 1;
}

static void drop(struct walk_table *t, unsigned n, uint16_t asid)
{
	for (unsigned i = 0; i < n; i++)
		if ((uint16_t)t[i].key == asid)
			t[i].key = 0;
}

void walker_drop_space(struct walker *w, uint16_t asid)
{
	drop(w->level0, WALK_SETS, asid);
	drop(w->level1, WALK_SETS, asid);
	drop(w->context, WALK_CONTEXTS, asid);
	memset(w->line, 0, sizeof(w->line));
}

void walker_drop_all(struct walker *w)
{
	memset(w->level0, 0, sizeof(w->level0));
	memset(w->level1, 0, sizeof(w->level1));
	memset(w->context, 0, sizeof(w->context));
	memset(w->line, 0, sizeof(w->line));
}

static void wait_until(struct walk *k, uint64_t cycle)
{
	if (k->now < cycle)
		k->now = cycle;
}

/* Reads one entry of a table: the walk goes on when it is there. */
static enum fault entry_read(struct walker *w, struct walk *k, uint64_t pa, unsigned level, uint64_t *word)
{
	uint64_t line = pa / w->line_bytes;
	unsigned slot = line % WALK_LINES;
	enum fault f;

	w->reads++;
	f = physmem_load(w->mem, UNIT_MMU, pa, word, sizeof(*word), k->now);
	if (f) /* tables never lie in protected memory */
		return f == FAULT_ECC ? f : FAULT_PAGE_TABLE;
	if (w->line[slot].number != line + 1) {
		wait_until(k, l2_access_ahead(w->l2, k->asked, k->now, line * w->line_bytes, w->line_bytes));
		w->line[slot].number = line + 1;
		w->line[slot].ready = k->now;
		w->line_set |= 1u << slot;
	}
	charges_pay(pa, sizeof(*word), w->line_bytes, false); /* also of a line that is kept: it was read when it was brought in */
	wait_until(k, w->line[slot].ready);
	EVENT_SEND(w->mem->events, .cycle = k->now, .kind = EVENT_WALK_READ, .unit = (uint16_t)k->unit,
		   .queue = EVENT_NO_QUEUE, .asid = (uint16_t)k->space, .a = pa, .b = *word, .c = level);
	if (w->mem->inject && inject_fires(w->mem->inject, INJECT_WALK_ERROR, k->unit, pa, k->now))
		return FAULT_PAGE_TABLE;
	return FAULT_NONE;
}

static enum fault root_find(struct walker *w, struct walk *k, uint64_t *table)
{
	struct walk_table *t = &w->context[k->space % WALK_CONTEXTS];
	uint64_t key = tlb_key(0, k->space), word;
	enum fault f;

	if (t->key != key) {
		f = entry_read(w, k, w->context_table + (uint16_t)k->space * 8ull, PT_LEVELS, &word);
		if (f)
			return f;
		if (!(word & CONTEXT_VALID))
			return FAULT_PAGE_NOT_PRESENT;
		*t = (struct walk_table){ key, word & CONTEXT_ROOT, k->now };
		w->context_set |= 1u << (t - w->context);
	}
	wait_until(k, t->ready);
	*table = t->table;
	return FAULT_NONE;
}

static struct walk_table *table_slot(struct walker *w, unsigned level, uint64_t va)
{
	return level == 0 ? &w->level0[(va >> 21) % WALK_SETS] : &w->level1[(va >> 30) % WALK_SETS];
}

static void table_keep(struct walker *w, unsigned level, uint64_t va, struct walk_table t)
{
	struct walk_table *slot = table_slot(w, level, va);

	*slot = t;
	if (level == 0)
		w->level0_set |= 1u << (slot - w->level0);
	else
		w->level1_set |= 1u << (slot - w->level1);
}

static uint64_t table_key(unsigned level, uint64_t va, uint32_t space)
{
	unsigned shift = level == 0 ? 21 : 30;

	return tlb_key(va >> shift << shift, space);
}

/* Where to begin: the deepest table that is known. */
static enum fault begin(struct walker *w, struct walk *k, unsigned *level, uint64_t *table)
{
	for (unsigned l = 0; l < 2; l++) {
		const struct walk_table *t = table_slot(w, l, k->va);

		if (t->key == table_key(l, k->va, k->space)) {
			wait_until(k, t->ready);
			*level = l;
			*table = t->table;
			return FAULT_NONE;
		}
	}
	*level = PT_LEVELS - 1;
	return root_find(w, k, table);
}

static enum fault descend(struct walker *w, struct walk *k, uint64_t *leaf, unsigned *level)
{
	uint64_t table = 0, pte;
	enum fault f = begin(w, k, level, &table);

	if (f)
		return f;
	for (;; --*level) {
		f = entry_read(w, k, table + PT_INDEX(k->va, *level) * 8, *level, &pte);
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
			table_keep(w, *level - 1, k->va, (struct walk_table){ table_key(*level - 1, k->va, k->space), table, k->now });
	}
	if (*level > 1 || (*level == 1 && pte_address(pte) & ((1ull << HUGE_SHIFT) - 1)))
		return FAULT_PAGE_TABLE;
	*leaf = pte;
	return FAULT_NONE;
}

enum fault walker_walk(struct walker *w, unsigned unit, uint32_t space, uint64_t va, uint64_t *leaf, unsigned *level,
		       uint64_t *now)
{
	struct walk k = { .unit = unit, .space = space, .va = va & ~(GALENA_PAGE_SIZE - 1), .asked = *now, .now = *now };
	unsigned number = 0;
	uint64_t pa = 0;
	enum fault f;

	for (unsigned i = 1; i < w->count; i++)
		if (w->busy[i] < w->busy[number])
			number = i;
	wait_until(&k, w->busy[number]);
	EVENT_SEND(w->mem->events, .cycle = k.now, .kind = EVENT_WALK, .unit = (uint16_t)unit, .queue = EVENT_NO_QUEUE,
		   .asid = (uint16_t)space, .a = k.va, .b = number);
	f = descend(w, &k, leaf, level);
	if (!f)
		pa = pte_address(*leaf) | (*level ? k.va & ((1ull << HUGE_SHIFT) - 1) : 0);
	w->worked[number] += k.now - (w->busy[number] > *now ? w->busy[number] : *now);
	w->busy[number] = *now = k.now;
	EVENT_SEND(w->mem->events, .cycle = k.now, .kind = EVENT_WALK_END, .unit = (uint16_t)unit,
		   .queue = EVENT_NO_QUEUE, .asid = (uint16_t)space, .a = k.va, .b = pa, .c = f);
	return f;
}

/* A table, or the context table's entries, on the host; tables may lie anywhere that physmem_look knows. */
static const uint64_t *table_host(struct physmem *mem, uint64_t pa)
{
	const uint8_t *page = physmem_look(mem, pa);

	return page ? (const uint64_t *)(const void *)(page + (pa & (GALENA_PAGE_SIZE - 1))) : NULL;
}

const uint64_t *walker_leaves(const struct walker *w, uint32_t space, uint64_t va, unsigned *level)
{
	const uint64_t *word = table_host(w->mem, w->context_table + (uint16_t)space * 8ull);
	uint64_t pa;

	if (!word || !(*word & CONTEXT_VALID))
		return NULL;
	pa = *word & CONTEXT_ROOT;
	for (*level = PT_LEVELS - 1;; --*level) {
		const uint64_t *table = table_host(w->mem, pa);
		uint64_t pte;

		if (!table || *level == 0)
			return table;
		pte = table[PT_INDEX(va, *level)];
		if (!(pte & PTE_V) || pte & PTE_RESERVED)
			return NULL;
		if (pte & (PTE_R | PTE_W | PTE_X))
			return *level == 1 ? table : NULL;
		pa = pte_address(pte);
	}
}

/* ---- decoupled quanta ---- */

void walker_follow(struct walker *w, const struct walker *of, struct l2 *view)
{
	*w = *of;
	w->l2 = view;
	w->reads = 0;
	w->level0_set = w->level1_set = w->context_set = w->line_set = 0;
	memset(w->worked, 0, sizeof(w->worked));
}

static void tables_take(struct walk_table *to, const struct walk_table *from, uint32_t set)
{
	for (; set; set &= set - 1)
		to[__builtin_ctz(set)] = from[__builtin_ctz(set)];
}

void walker_merge(struct walker *of, const struct walker *w)
{
	of->reads += w->reads;
	tables_take(of->level0, w->level0, w->level0_set);
	tables_take(of->level1, w->level1, w->level1_set);
	tables_take(of->context, w->context, w->context_set);
	for (uint32_t m = w->line_set; m; m &= m - 1)
		of->line[__builtin_ctz(m)] = w->line[__builtin_ctz(m)];
	for (unsigned i = 0; i < w->count; i++) {
		unsigned number = 0;

		if (!w->worked[i])
			continue;
		for (unsigned n = 1; n < of->count; n++)
			if (of->busy[n] < of->busy[number])
				number = n;
		of->busy[number] += w->worked[i];
		if (of->busy[number] < w->busy[i])
			of->busy[number] = w->busy[i];
	}
}
