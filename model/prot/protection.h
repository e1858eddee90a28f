/* The protection unit: regions of DRAM that only protected jobs may touch. A job that is not
 * protected faults on any access to a protected page; a protected one reads everything and writes
 * protected pages only. Checked where a translation is filled in (mmu), and on every physical
 * access of units that run no protected job (command processor, semaphore unit, walker). Memory that
 * stops being protected is cleared first. */
#ifndef GALENA_MODEL_PROTECTION_H
#define GALENA_MODEL_PROTECTION_H
#include "abi/codes.h"
#include "abi/events.h"
#include "abi/registers.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROT_REGIONS = REG_REGIONS,
	PROT_ALL_ACCESSES = 1 << ACCESS_READ | 1 << ACCESS_WRITE | 1 << ACCESS_EXEC | 1 << ACCESS_ATOMIC,
};

struct physmem;
struct prot {
	struct physmem *mem;
	struct event_sink *events;
	uint64_t refused; /* accesses */
	bool locked;
	unsigned regions; /* that are valid */
	/* base < limit, page aligned; else none. The last one was a region, and its pages that lie in none are being cleared. */
	struct { uint64_t base, limit; } region[PROT_REGIONS + 1];
};

void prot_init(struct prot *, struct physmem *, struct event_sink *);
/* No regions; what was protected is cleared: so many bytes. */
uint64_t prot_reset(struct prot *, uint64_t cycle);
/* Sets a region; false when that changed nothing (locked, or the same pages as before), so that no
 * translation needs to be dropped. Pages outside DRAM are not protected. cleared: how many bytes
 * have to be cleared; until prot_cleared they are refused to everyone. NULL: that takes no time. */
bool prot_region_set(struct prot *, unsigned n, uint64_t base, uint64_t limit, uint64_t *cleared, uint64_t cycle);
/* What was to be cleared has been; false: nothing was. */
bool prot_cleared(struct prot *);
/* Whether any byte of [pa, pa + size) is protected; whether every byte is. */
bool prot_covers(const struct prot *, uint64_t pa, size_t size);
bool prot_contains(const struct prot *, uint64_t pa, size_t size);
/* What a job may not do there: 1 << enum access for each. A write has to lie in protected memory whole. */
uint8_t prot_refused(const struct prot *, bool protected_job, uint64_t pa, size_t size);
/* An access that is not allowed: counted and reported; false when an armed fault lets it through. */
__attribute__((cold, noinline)) bool prot_refuse(struct prot *, unsigned unit, bool protected_job, uint64_t pa,
						enum access, uint64_t cycle);
/* FAULT_NONE or FAULT_PROTECTED for a unit's access; a refusal is counted and reported. */
enum fault prot_check(struct prot *, unsigned unit, bool protected_job, uint64_t pa, size_t size, enum access,
		      uint64_t cycle);

#endif
