#include "model/cu/icache.h"
#include "model/engine/superblocks.h"
#include "model/profile/profile.h"
#include <stdlib.h>
#include <string.h>

enum { HASH = 256 };

struct icache {
	struct icache_page *pages[HASH];
};

struct icache *icache_create(void)
{
	return calloc(1, sizeof(struct icache));
}

void icache_flush(struct icache *code)
{
	for (unsigned i = 0; i < HASH; i++)
		for (struct icache_page *p = code->pages[i], *next; p; p = next) {
			next = p->next;
			superblock_page_free(p);
			free(p);
		}
	memset(code->pages, 0, sizeof(code->pages));
}

void icache_destroy(struct icache *code)
{
	if (!code)
		return;
	icache_flush(code);
	free(code);
}

static struct icache_page **page_chain(const struct cu *cu, uint32_t space, uint64_t va)
{
	return &cu->icache->pages[(va >> 12 ^ va >> 20 ^ space * 7u) % HASH];
}

static void fetch_fault(struct warp *w, uint64_t pc, enum fault code)
{
	w->exit = LEAVE_FAULT;
	w->fault = (struct lane_fault){ code, ACCESS_EXEC, pc, pc, (unsigned)__builtin_ctz(w->mask) };
}

static struct uop page_end_op(const struct cu *cu)
{
	return (struct uop){ .fn = cu->engine->page_end, .rd = REG_SINK, .cls = CLASS_SYSTEM };
}

/* Reads the page's words and marks all as undecoded. */
static enum fault page_fill(struct cu *cu, struct icache_page *p, uint64_t pa)
{
	uint32_t words[PAGE_OPS];
	physmem_by(cu->mem, cu->unit, cu->now);
	enum fault f = physmem_read(cu->mem, pa, words, sizeof(words));
	if (f)
		return f;
	for (unsigned i = 0; i < PAGE_OPS; i++)
		p->ops[i] = (struct uop){ .fn = cu->engine->undecoded, .rd = REG_SINK, .flags = UOP_RAW, .word = words[i] };
	p->ops[PAGE_OPS] = page_end_op(cu);
	p->pa = pa;
	p->profile = cu->profile ? profile_code_page(cu, p->space, p->va, words) : NULL;
	p->link = NULL;
	superblock_page_free(p);
	return FAULT_NONE;
}

struct icache_page *icache_find(const struct cu *cu, uint32_t space, uint64_t va)
{
	struct icache_page *p = *page_chain(cu, space, va);
	while (p && (p->va != va || p->space != space))
		p = p->next;
	return p && p->epoch == *mmu_epoch(cu->mmu) ? p : NULL;
}

bool icache_at_page_end(const struct warp *w) { return w->op == &w->code->ops[PAGE_OPS]; }

void icache_page_end(struct warp *w, uint64_t pc)
{
	const uint64_t va = pc - GALENA_PAGE_SIZE;
	struct cu *cu = w->cu;
	struct icache_page **head = page_chain(cu, w->space, va), *p = *head;
	while (p && (p->va != va || p->space != w->space))
		p = p->next;
	if (!p) { /* one of which nothing is fetched */
		p = calloc(1, sizeof(*p));
		if (!p)
			abort();
		p->va = va;
		p->space = w->space;
		p->epoch = p->pa = UINT64_MAX;
		for (unsigned i = 0; i < PAGE_OPS; i++)
			p->ops[i].flags = UOP_RAW;
		p->ops[PAGE_OPS] = page_end_op(cu);
		p->next = *head;
		*head = p;
	}
	w->code = p;
	w->op = &p->ops[PAGE_OPS];
	w->stop = STOP_NONE;
	w->waits = false;
}

const struct uop *icache_fetch(struct warp *w, uint64_t pc)
{
	struct cu *cu = w->cu;
	uint64_t va = pc & ~(GALENA_PAGE_SIZE - 1), epoch = *mmu_epoch(cu->mmu);
	struct icache_page *p = w->code;
	if (pc & 3) {
		fetch_fault(w, pc, FAULT_MISALIGNED);
		return NULL;
	}
	if (p && (p->va != va || p->space != w->space))
		p = p->link && p->link->va == va && p->link->space == w->space ? p->link : NULL;
	if (p && p->epoch == epoch)
		goto found;

	struct icache_page **head = page_chain(cu, w->space, va);
	for (p = *head; p && (p->va != va || p->space != w->space);)
		p = p->next;
	if (!p || p->epoch != epoch) {
		const struct tlb_entry *e;
		uint32_t cycles;
		enum fault f = mmu_translate(cu->mmu, cu->unit, w->space, va, ACCESS_EXEC, cu->now, &e, &cycles);
		soft_tlb_follow(cu);
		if (f) {
			fetch_fault(w, pc, f);
			return NULL;
		}
		bool fresh = !p;
		if (fresh) {
			p = malloc(sizeof(*p));
			if (!p)
				abort();
			p->va = va;
			p->space = w->space;
			p->superblocks = NULL;
		}
		if (fresh || p->pa != e->pa) {
			f = page_fill(cu, p, e->pa);
			if (f) {
				if (fresh)
					free(p);
				fetch_fault(w, pc, f);
				return NULL;
			}
		}
		if (fresh) {
			p->next = *head;
			*head = p;
		}
		p->epoch = epoch;
		EVENT_SEND(cu->events, .cycle = cu->now, .kind = EVENT_FETCH, .unit = (uint16_t)cu->unit,
			   .queue = (uint16_t)w->group->slot, .asid = (uint16_t)w->space, .a = va, .b = p->pa,
			   .c = GALENA_PAGE_SIZE);
	}
	if (w->code && w->code != p)
		w->code->link = p;
	w->code = p;
found:
	w->code = p;
	return &p->ops[(pc & (GALENA_PAGE_SIZE - 1)) / 4];
}

void icache_visit(struct cu *cu, void (*visit)(const struct cu *, struct icache_page *, const struct uop *))
{
	for (unsigned i = 0; i < HASH; i++)
		for (struct icache_page *p = cu->icache->pages[i]; p; p = p->next)
			for (unsigned k = 0; k < PAGE_OPS; k++)
				if (!(p->ops[k].flags & UOP_RAW))
					visit(cu, p, &p->ops[k]);
}
