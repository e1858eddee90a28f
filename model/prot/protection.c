#include "model/prot/protection.h"
#include "abi/address_map.h"
#include "model/inject.h"
#include "model/mem/physmem.h"
#include <string.h>

enum { PAGE = 4096 };

void prot_init(struct prot *p, struct physmem *mem, struct event_sink *events)
{
	memset(p, 0, sizeof(*p));
	p->mem = mem;
	p->events = events;
}

bool prot_covers(const struct prot *p, uint64_t pa, size_t size)
{
	if (!p->regions) /* as nearly always */
		return false;
	for (unsigned i = 0; i <= PROT_REGIONS; i++)
		if (pa < p->region[i].limit && size > (pa < p->region[i].base ? p->region[i].base - pa : 0))
			return true;
	return false;
}

/* Regions may lie side by side: from each the search goes on at its end. */
bool prot_contains(const struct prot *p, uint64_t pa, size_t size)
{
	uint64_t end = pa + size, at = pa;

	while (at < end) {
		uint64_t from = at;

		for (unsigned i = 0; i < PROT_REGIONS; i++)
			if (at >= p->region[i].base && at < p->region[i].limit)
				at = p->region[i].limit;
		if (at == from)
			return false;
	}
	return size && end > pa;
}

/* Clears the pages of a former region that no region covers any more, in runs; returns how many bytes. */
static uint64_t scrub(struct prot *p, uint64_t base, uint64_t limit, uint64_t cycle)
{
	uint64_t end = DRAM_BASE + p->mem->dram_size, bytes = 0;

	if (limit > end)
		limit = end;
	for (uint64_t from = base; from < limit;) {
		uint64_t to = from;

		while (to < limit && !prot_covers(p, to, PAGE))
			to += PAGE;
		if (to > from) {
			physmem_clear(p->mem, from, to - from);
			bytes += to - from;
			EVENT_SEND(p->events, .cycle = cycle, .kind = EVENT_SCRUB, .unit = UNIT_PROT,
				   .queue = EVENT_NO_QUEUE, .a = from, .b = to);
		}
		from = to + PAGE;
	}
	return bytes;
}

bool prot_region_set(struct prot *p, unsigned n, uint64_t base, uint64_t limit, uint64_t *cleared, uint64_t cycle)
{
	uint64_t old_base = p->region[n].base, old_limit = p->region[n].limit;

	base &= ~(uint64_t)(PAGE - 1);
	limit &= ~(uint64_t)(PAGE - 1);
	if (base < DRAM_BASE)
		base = DRAM_BASE;
	if (limit > DRAM_BASE + p->mem->dram_size)
		limit = DRAM_BASE + p->mem->dram_size;
	if (base >= limit)
		base = limit = 0;
	if (p->locked || (base == old_base && limit == old_limit))
		return false;
	p->regions += (base < limit) - (old_base < old_limit);
	p->region[n].base = base;
	p->region[n].limit = limit;
	EVENT_SEND(p->events, .cycle = cycle, .kind = EVENT_REGION, .unit = UNIT_PROT, .queue = EVENT_NO_QUEUE,
		   .a = base, .b = limit, .c = n);
	const uint64_t bytes = old_base < old_limit ? scrub(p, old_base, old_limit, cycle) : 0;

	if (!cleared || !bytes)
		return true;
	*cleared = bytes;
	p->region[PROT_REGIONS].base = old_base;
	p->region[PROT_REGIONS].limit = old_limit;
	p->regions++;
	return true;
}

bool prot_cleared(struct prot *p)
{
	if (!p->region[PROT_REGIONS].limit)
		return false;
	p->region[PROT_REGIONS].base = p->region[PROT_REGIONS].limit = 0;
	p->regions--;
	return true;
}

uint64_t prot_reset(struct prot *p, uint64_t cycle)
{
	uint64_t all = 0, bytes;

	p->locked = false;
	prot_cleared(p);
	for (unsigned i = 0; i < PROT_REGIONS; i++) {
		bytes = 0;
		prot_region_set(p, i, 0, 0, &bytes, cycle);
		prot_cleared(p);
		all += bytes;
	}
	p->refused = 0;
	return all;
}

/* A page of it is being cleared. */
static bool is_cleared(const struct prot *p, uint64_t pa, size_t size)
{
	return p->region[PROT_REGIONS].limit && pa < p->region[PROT_REGIONS].limit && pa + size > p->region[PROT_REGIONS].base &&
	       !prot_contains(p, pa, size);
}

uint8_t prot_refused(const struct prot *p, bool protected_job, uint64_t pa, size_t size)
{
	if (is_cleared(p, pa, size))
		return PROT_ALL_ACCESSES;
	if (protected_job)
		return prot_contains(p, pa, size) ? 0 : 1 << ACCESS_WRITE | 1 << ACCESS_ATOMIC;
	return prot_covers(p, pa, size) ? PROT_ALL_ACCESSES : 0;
}

bool prot_refuse(struct prot *p, unsigned unit, bool protected_job, uint64_t pa, enum access access, uint64_t cycle)
{
	if (p->mem->inject && inject_fires(p->mem->inject, INJECT_PROT_OPEN, unit, pa, cycle))
		return false;
	__atomic_fetch_add(&p->refused, 1, __ATOMIC_RELAXED); /* compute units run at the same time */
	EVENT_SEND(p->events, .cycle = cycle, .kind = EVENT_VIOLATION, .unit = (uint16_t)unit, .queue = EVENT_NO_QUEUE,
		   .a = pa, .b = access, .c = protected_job);
	return true;
}

enum fault prot_check(struct prot *p, unsigned unit, bool protected_job, uint64_t pa, size_t size, enum access access,
		      uint64_t cycle)
{
	if (!(prot_refused(p, protected_job, pa, size) & 1 << access))
		return FAULT_NONE;
	return prot_refuse(p, unit, protected_job, pa, access, cycle) ? FAULT_PROTECTED : FAULT_NONE;
}
