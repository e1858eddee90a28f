/* Sv48 page tables in pinned system memory. The software state decides which table pages exist; work items
 * writes entries, and links a table page the first time that something is mapped through it. */
#include "abi/events.h"
#include "runtime/kmd/observe.h"
#include <stdlib.h>
#include <string.h>

enum { PT_ENTRIES = 1 << PT_INDEX_BITS, PT_TOP = PT_LEVELS - 1 };

static struct pt_node *node_create(struct driver *d, int level)
{
	struct pt_node *n = calloc(1, sizeof *n);
	if (!n)
		return NULL;
	if (level && !(n->child = calloc(PT_ENTRIES, sizeof *n->child)))
		goto err_free;
	if (memory_page_alloc(d, &n->page))
		goto err_free;
	return n;
err_free:
	free(n->child);
	free(n);
	return NULL;
}

void pagetable_give_back(struct driver *d, struct pt_node *n, int level)
{
	if (!n)
		return;
	for (unsigned i = 0; level && i < PT_ENTRIES; i++)
		pagetable_give_back(d, n->child[i], level - 1);
	memory_page_free(d, n->page);
}

void pagetable_free(struct pt_node *n, int level)
{
	if (!n)
		return;
	for (unsigned i = 0; level && i < PT_ENTRIES; i++)
		pagetable_free(n->child[i], level - 1);
	free(n->child);
	free(n);
}

/* A 2 MiB leaf begins at va. */
static bool huge_at(uint64_t va, uint64_t end, bool huge) { return huge && !(va % HUGE_SIZE) && end - va >= HUGE_SIZE; }

int pagetable_prepare(struct driver *d, struct vm *s, uint64_t va, uint64_t size, bool huge)
{
	uint64_t end = va + size;
	if (!s->root && !(s->root = node_create(d, PT_TOP)))
		return KMD_NO_MEMORY;
	while (va < end) {
		int lowest = huge_at(va, end, huge) ? 1 : 0;
		struct pt_node *n = s->root;
		for (int level = PT_TOP; level > lowest; level--) {
			struct pt_node **child = &n->child[PT_INDEX(va, level)];
			if (!*child && !(*child = node_create(d, level - 1)))
				return KMD_NO_MEMORY;
			n = *child;
		}
		va = (va + HUGE_SIZE) & ~(HUGE_SIZE - 1);
	}
	return 0;
}

static void node_clear(struct pt_node *n)
{
	if (n->page.dirty)
		memset(n->page.host, 0, GALENA_PAGE_SIZE);
	n->linked = true;
}

/* The entry of va at a level, linking the tables above it. */
static volatile uint64_t *entry_of(struct vm *s, uint64_t va, int lowest)
{
	struct pt_node *n = s->root;
	if (!n->linked)
		node_clear(n);
	for (int level = PT_TOP; level > lowest; level--) {
		struct pt_node *child = n->child[PT_INDEX(va, level)];
		if (!child->linked)
			node_clear(child);
		volatile uint64_t *entry = (volatile uint64_t *)n->page.host + PT_INDEX(va, level);
		uint64_t link = pte_make(pin_pa(child->page.number), PTE_V);
		if (*entry != link)
			*entry = link;
		n = child;
	}
	return (volatile uint64_t *)n->page.host + PT_INDEX(va, lowest);
}

void pagetable_map(struct vm *s, uint64_t va, uint64_t size, bool huge,
		   uint64_t (*pa_of)(void *ctx, uint64_t offset), void *ctx, uint64_t bits)
{
	bool noted = tracepoints_wanted(s->driver);
	volatile uint64_t *entry = NULL;
	for (uint64_t at = va, end = va + size; at < end;) {
		bool leaf = huge_at(at, end, huge);
		if (noted)
			tracepoint_all(s->driver, EVENT_MAP, s->asid, at, pa_of(ctx, at - va), bits | (uint64_t)leaf << 63);
		if (leaf) {
			*entry_of(s, at, 1) = pte_make(pa_of(ctx, at - va), bits);
			at += HUGE_SIZE;
			entry = NULL;
			continue;
		}
		entry = entry && PT_INDEX(at, 0) ? entry + 1 : entry_of(s, at, 0);
		*entry = pte_make(pa_of(ctx, at - va), bits);
		at += GALENA_PAGE_SIZE;
	}
}

void pagetable_unmap(struct vm *s, uint64_t va, uint64_t size, bool huge)
{
	volatile uint64_t *entry = NULL;
	for (uint64_t at = va, end = va + size; at < end;) {
		if (huge_at(at, end, huge)) {
			*entry_of(s, at, 1) = 0;
			at += HUGE_SIZE;
			entry = NULL;
			continue;
		}
		entry = entry && PT_INDEX(at, 0) ? entry + 1 : entry_of(s, at, 0);
		*entry = 0;
		at += GALENA_PAGE_SIZE;
	}
	if (tracepoints_wanted(s->driver))
		tracepoint_all(s->driver, EVENT_UNMAP, s->asid, va, size, 0);
}
