#include "model/protection.h"
#include "abi/address_map.h"
#include "model/physmem.h"
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
	for (unsigned i = 0; i < PROT_REGIONS; i++)
		if (p->region[i].base < p->region[i].limit && pa < p->region[i].limit && pa + size > p->region[i].base)
			return true;
	return false;
}

/* Clears the pages of a former region that no region covers any more, in runs. */
static void scrub(struct prot *p, uint64_t base, uint64_t limit, uint64_t cycle)
{
	uint64_t end = DRAM_BASE + p->mem->dram_size;

	if (limit > end)
		limit = end;
	for (uint64_t from = base; from < limit;) {
		uint64_t to = from;

		while (to < limit && !prot_covers(p, to, PAGE))
			to += PAGE;
		if (to > from) {
			physmem_clear(p->mem, from, to - from);
			EVENT_SEND(p->events, .cycle = cycle, .kind = EVENT_SCRUB, .unit = UNIT_PROT,
				   .queue = EVENT_NO_QUEUE, .a = from, .b = to);
		}
		from = to + PAGE;
	}
}

bool prot_region_set(struct prot *p, unsigned n, uint64_t base, uint64_t limit, uint64_t cycle)
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
	p->region[n].base = base;
	p->region[n].limit = limit;
	EVENT_SEND(p->events, .cycle = cycle, .kind = EVENT_REGION, .unit = UNIT_PROT, .queue = EVENT_NO_QUEUE,
		   .a = base, .b = limit, .c = n);
	if (old_base < old_limit)
		scrub(p, old_base, old_limit, cycle);
	return true;
}

void prot_reset(struct prot *p, uint64_t cycle)
{
	p->locked = false;
	for (unsigned i = 0; i < PROT_REGIONS; i++)
		prot_region_set(p, i, 0, 0, cycle);
	p->refused = 0;
}

enum fault prot_check(struct prot *p, unsigned unit, bool protected_job, uint64_t pa, size_t size, enum access access,
		      uint64_t cycle)
{
	bool writes = access == ACCESS_WRITE || access == ACCESS_ATOMIC;
	bool inside = prot_covers(p, pa, size);
	bool ok = protected_job ? !writes || inside : !inside;

	if (ok)
		return FAULT_NONE;
	p->refused++;
	EVENT_SEND(p->events, .cycle = cycle, .kind = EVENT_VIOLATION, .unit = (uint16_t)unit, .queue = EVENT_NO_QUEUE,
		   .a = pa, .b = access, .c = protected_job);
	return FAULT_PROTECTED;
}
