/* The time of a read by physical address, of a unit that has no cache: semaphore unit, fetch of packets. */
#ifndef GALENA_MODEL_ACCESS_TIME_H
#define GALENA_MODEL_ACCESS_TIME_H
#include "model/mem/l2.h"
#include "model/mem/physmem.h"
#include "model/prot/protection.h"

/* Cycle at which the bytes of a read that is issued at cycle now are there. It takes its part of the L2, the DRAM and the bus, line by line.
 * A read that the protection unit refuses, or of a place at which there is no memory, does not get there: it takes no time. */
static inline uint64_t access_time_read(struct l2 *l2, const struct physmem *m, uint64_t now, uint64_t pa, uint32_t bytes, uint32_t line)
{
	const bool system = pa >= SYSTEM_BASE;
	const uint64_t end = system ? SYSTEM_BASE + SYSTEM_SIZE : DRAM_BASE + m->dram_size;
	uint64_t there = now;

	if (!l2 || (!system && pa < DRAM_BASE) || pa >= end || bytes > end - pa || (m->prot && prot_covers(m->prot, pa, bytes)))
		return now;
	while (bytes) {
		uint32_t n = system || bytes < line - pa % line ? bytes : line - (uint32_t)(pa % line);
		uint64_t t = l2_access(l2, now, pa, n, false);

		there = t > there ? t : there;
		pa += n;
		bytes -= n;
	}
	return there;
}

#endif
