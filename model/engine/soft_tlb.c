/* What entries say and how they are used stands in soft_tlb.h. Without timing and observers they are long extents: the
 * contiguous range around a translated page, as far as one entry can describe it (mmu_run), joined with the extents on either
 * side. A large buffer then is one extent, and entry[] holds a copy of it. */
#include "model/cu/cu.h"
#include <string.h>

enum { GRAIN_PAGES = GALENA_PAGE_SHIFT, GRAIN_EXTENTS = 16 };

void soft_tlb_init(struct cu *cu)
{
	cu->tlb.pages = cu->timed || cu->events;
	cu->tlb.grain = cu->tlb.pages ? GRAIN_PAGES : GRAIN_EXTENTS;
}

void soft_tlb_flush(struct cu *cu)
{
	memset(cu->tlb.entry, 0, sizeof(cu->tlb.entry));
	memset(cu->tlb.extent, 0, sizeof(cu->tlb.extent));
}

/* With observers: records which page the instruction in progress has asked for. */
COLD void page_asked(struct cu *cu, uint64_t va, uint64_t pa)
{
	va &= ~(GALENA_PAGE_SIZE - 1);
	if (cu->tlb.num_asked == ACCESS_PAGES)
		return;
	for (uint32_t i = cu->tlb.num_asked; i-- > 0;)
		if (cu->tlb.asked[i].va == va)
			return;
	cu->tlb.asked[cu->tlb.num_asked].va = va;
	cu->tlb.asked[cu->tlb.num_asked++].pa = pa;
}

void soft_tlb_follow(struct cu *cu)
{
	const uint64_t key = mmu_replaced(cu->mmu, cu->unit), va = (key & ~TLB_VALID) >> 17 << GALENA_PAGE_SHIFT;
	struct soft_tlb_entry *l = &cu->tlb.entry[soft_tlb_index(&cu->tlb, va)];
	if (cu->timed && key && l->first == soft_tlb_key((uint32_t)(key & (SPACE_PROTECTED | (SPACE_PROTECTED - 1))), va))
		*l = (struct soft_tlb_entry){ 0 };
}

static bool holds(const struct soft_tlb_entry *l, uint64_t address, uint8_t direct)
{
	return address - l->first < l->bytes && l->direct & direct;
}

/* Whether b goes on where a ends, here as there. */
static bool follows(const struct soft_tlb_entry *a, const struct soft_tlb_entry *b)
{
	return a->bytes && a->first + a->bytes == b->first && a->host + a->bytes == b->host &&
	       a->pa + a->bytes == b->pa && a->direct == b->direct;
}

/* Keeps an extent that was found: with the neighbours that go on from it, as one. */
static void extent_add(struct cu *cu, struct soft_tlb_entry *l)
{
	struct soft_tlb_entry *at = NULL;
	for (unsigned i = 0; i < SOFT_TLB_EXTENTS; i++) {
		struct soft_tlb_entry *r = &cu->tlb.extent[i];
		bool before = follows(r, l), after = follows(l, r);
		if (!before && !after)
			continue;
		if (before) {
			l->first = r->first;
			l->host = r->host;
			l->pa = r->pa;
		}
		l->bytes += r->bytes;
		*r = (struct soft_tlb_entry){ 0 };
		at = r;
	}
	if (!at)
		at = &cu->tlb.extent[cu->tlb.next_extent++ % SOFT_TLB_EXTENTS];
	l->read = l->direct & DIRECT_READ ? l->bytes : 0;
	l->write = l->direct & DIRECT_WRITE ? l->bytes : 0;
	*at = *l;
}

static const struct soft_tlb_entry *extent_find(const struct cu *cu, uint64_t address, uint8_t direct)
{
	for (unsigned i = 0; i < SOFT_TLB_EXTENTS; i++)
		if (holds(&cu->tlb.extent[i], address, direct))
			return &cu->tlb.extent[i];
	return NULL;
}

/* Engines and translated code prefetch the entry for what an instruction accesses, and leave it to the next, slower way when they
 * may not have it. That is one look-up, however often it is asked for. */
static bool refused(const struct cu *cu, uint32_t space, uint64_t va, enum access access)
{
	return cu->tlb.refused.fault && cu->tlb.refused.va == va && cu->tlb.refused.now == cu->now && cu->tlb.refused.space == space &&
	       cu->tlb.refused.access == access;
}

static void coming_add(struct cu *cu, uint64_t page, uint64_t there)
{
	if (cu->exact)
		return;
	cu->tlb.coming[page % COMING_PAGES].page = page;
	cu->tlb.coming[page % COMING_PAGES].there = there;
	if (cu->tlb.coming_until < there)
		cu->tlb.coming_until = there;
}

void soft_tlb_wait(struct cu *cu, uint64_t issue)
{
	const uint32_t lines = cu->coalescer.num_lines, shift = GALENA_PAGE_SHIFT - cu->coalescer.line_shift;
	uint64_t there = issue + cu->lsu.tlb_cycles, last = UINT64_MAX;
	for (uint32_t i = 0; i < lines; i++) {
		const uint64_t page = cu->coalescer.lines[i] >> shift, n = page % COMING_PAGES;
		if (page == last)
			continue;
		last = page;
		if (cu->tlb.coming[n].page == page && cu->tlb.coming[n].there > there)
			there = cu->tlb.coming[n].there;
	}
	cu->lsu.tlb_cycles = (uint32_t)(there - issue);
}

const struct soft_tlb_entry *soft_tlb_get(struct cu *cu, uint32_t space, uint64_t va, enum access access, enum fault *fault)
{
	struct soft_tlb_entry *l = &cu->tlb.entry[soft_tlb_index(&cu->tlb, va)];
	uint8_t direct = access == ACCESS_READ ? DIRECT_READ : DIRECT_WRITE;
	uint64_t address = soft_tlb_key(space, va), page = address & ~(GALENA_PAGE_SIZE - 1);
	bool usual = !(va >> 47); /* others look like those of another space, and fault */
	if (usual && holds(l, address, direct) && !cu->exact) {
		if (EVENT_WANTED(cu->events))
			page_asked(cu, va, l->pa);
		return l;
	}
	const struct soft_tlb_entry *run = usual && !cu->tlb.pages ? extent_find(cu, address, direct) : NULL;
	if (run) {
		*l = *run;
		return l;
	}
	if (refused(cu, space, va, access)) {
		*fault = cu->tlb.refused.fault;
		return NULL;
	}
	const struct tlb_entry *e;
	uint32_t cycles;
	*fault = mmu_translate(cu->mmu, cu->unit, space, va, access, cu->now, &e, &cycles);
	soft_tlb_follow(cu);
	if (cu->lsu.tlb_cycles < cycles) /* translations of one access overlap */
		cu->lsu.tlb_cycles = cycles;
	cu->tlb.refused.fault = *fault;
	if (*fault) {
		cu->tlb.refused.va = va;
		cu->tlb.refused.now = cu->now;
		cu->tlb.refused.space = space;
		cu->tlb.refused.access = access;
		return NULL;
	}
	if (EVENT_WANTED(cu->events))
		page_asked(cu, va, e->pa);
	*l = (struct soft_tlb_entry){ .first = page, .bytes = GALENA_PAGE_SIZE, .host = e->read, .pa = e->pa, .cached = e->cached };
	if (cu->l1.data && e->pa < SYSTEM_BASE)
		return l; /* lane by lane, through the L1 */
	if (e->perm & 1 << ACCESS_READ && e->read)
		l->direct = DIRECT_READ;
	if (e->perm & 1 << ACCESS_WRITE && e->write && e->write == e->read)
		l->direct |= DIRECT_WRITE;
	if (__builtin_expect(cycles > cu->config->tlb_l2_latency, 0))
		coming_add(cu, e->pa / GALENA_PAGE_SIZE, cu->now + cycles);
	if (cu->tlb.pages || !l->direct || va >= VA_LOCAL_BASE) {
		const bool asks = cu->events || cu->exact;
		l->read = l->direct & DIRECT_READ && !asks ? GALENA_PAGE_SIZE : 0;
		l->write = l->direct & DIRECT_WRITE && !asks ? GALENA_PAGE_SIZE : 0;
		return l;
	}
	uint64_t before = mmu_run(cu->mmu, space, va, e, &l->bytes);
	l->first -= before;
	l->host -= before;
	l->pa -= before;
	extent_add(cu, l);
	return l;
}
