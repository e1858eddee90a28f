/* Accesses of units of this thread that wait for their charge, in blocks of the smallest line. */
#include "model/mem/charges.h"
#ifdef GALENA_DEBUG
#include "abi/codes.h"
#include "abi/device_config.h"
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 32 /* the least line_bytes */, UNITS = UNIT_CU + CONFIG_MOST_num_cu, MOST = 4096 };
enum { READS = 1, WRITES = 2 };

/* Reads that are charged before they are made, maybe by another thread. */
static const struct {
	unsigned unit;
	size_t len; /* of its accesses */
	const char *row;
} not_charged[] = {
	{ UNIT_SEM, 8, "sem: a read is charged when it is asked for, and made when the payload is there" },
	{ UNIT_CP, 64, "cp: a packet is charged when it is asked for, and read when it is there" },
};

struct waiting {
	uint64_t block;
	unsigned unit, kind;
};

static _Thread_local struct waiting waiting[MOST];
static _Thread_local unsigned num_waiting, by;
static _Thread_local uint64_t cycles[UNITS]; /* of each unit's last access */

static void fail(const struct waiting *w)
{
	fprintf(stderr, "galena: unit %u has %s physical address 0x%llx at cycle %llu, and nothing is charged for it\n", w->unit,
		w->kind == WRITES ? "written" : "read", (unsigned long long)w->block * BLOCK, (unsigned long long)cycles[w->unit]);
	abort();
}

void charges_by(unsigned unit, uint64_t cycle)
{
	for (unsigned i = 0; i < num_waiting && cycle > cycles[unit]; i++)
		if (waiting[i].unit == unit)
			fail(&waiting[i]);
	cycles[unit] = cycle;
	by = unit;
}

static bool excepted(size_t len, bool write)
{
	for (size_t i = 0; i < sizeof(not_charged) / sizeof(*not_charged); i++)
		if (!write && by == not_charged[i].unit && len == not_charged[i].len)
			return true;
	return false;
}

void charges_access(uint64_t pa, size_t len, bool write)
{
	if (!len || excepted(len, write))
		return;
	for (uint64_t block = pa / BLOCK; block <= (pa + len - 1) / BLOCK; block++) {
		if (num_waiting == MOST)
			fail(&waiting[0]);
		waiting[num_waiting++] = (struct waiting){ block, by, write ? WRITES : READS };
	}
}

/* Accesses of these kinds to the lines wait no more: those of the unit that has accessed last, or, where there are none, of any. */
static void forget(uint64_t pa, uint64_t bytes, uint32_t line_bytes, unsigned kinds)
{
	const uint64_t first = pa / line_bytes * (line_bytes / BLOCK), end = ((pa + bytes - 1) / line_bytes + 1) * (line_bytes / BLOCK);
	unsigned kept = 0;
	bool own = false;

	for (unsigned i = 0; i < num_waiting && !own; i++)
		own = waiting[i].unit == by && waiting[i].kind & kinds && waiting[i].block >= first && waiting[i].block < end;
	for (unsigned i = 0; i < num_waiting; i++)
		if (!(waiting[i].kind & kinds) || waiting[i].block < first || waiting[i].block >= end || (own && waiting[i].unit != by))
			waiting[kept++] = waiting[i];
	num_waiting = kept;
}

void charges_pay(uint64_t pa, uint64_t bytes, uint32_t line_bytes, bool write)
{
	forget(pa, bytes, line_bytes, write ? WRITES : READS);
}

void charges_waive(enum charges_waived row, uint64_t pa, uint64_t bytes, uint32_t line_bytes)
{
	forget(pa, bytes, line_bytes, row == CHARGES_FAULT ? READS | WRITES : READS);
}
#endif
