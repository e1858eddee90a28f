/* Accesses of units of this thread that wait for their charge, in blocks of the smallest line. */
#include "model/mem/charges.h"
#ifdef GALENA_DEBUG
#include "abi/codes.h"
#include "abi/device_config.h"
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 32 /* the least line_bytes */, UNITS = UNIT_CU + CONFIG_MOST_num_cu, MOST = 4096 };

/* Rows of docs/exactness.md. The list shrinks. */
static const struct {
	unsigned first, last; /* units */
	size_t len;           /* of their accesses; 0: any */
	const char *row;
} not_charged[] = {
	{ UNIT_CU, UNIT_CU + CONFIG_MOST_num_cu - 1, 0, "cu: instructions, loads and stores are charged in the caches of the unit, which do not report here yet" },
	{ UNIT_SEM, UNIT_SEM, 0, "sem: a read is charged when it is asked for, and made when the payload is there" },
	{ UNIT_CP, UNIT_CP, 64, "cp: a packet is charged when it is asked for, and read when it is there" },
};

struct waiting {
	uint64_t block;
	bool write;
};

static _Thread_local struct unit {
	uint64_t cycle;
	unsigned count;
	struct waiting waiting[MOST];
} units[UNITS];
static _Thread_local unsigned by;

static void fail(unsigned unit, const struct waiting *w)
{
	fprintf(stderr, "galena: unit %u has %s physical address 0x%llx at cycle %llu, and nothing is charged for it\n", unit,
		w->write ? "written" : "read", (unsigned long long)w->block * BLOCK, (unsigned long long)units[unit].cycle);
	abort();
}

void charges_by(unsigned unit, uint64_t cycle)
{
	struct unit *u = &units[unit];

	if (u->count && cycle > u->cycle)
		fail(unit, &u->waiting[0]);
	u->cycle = cycle;
	by = unit;
}

static bool excepted(size_t len)
{
	for (size_t i = 0; i < sizeof(not_charged) / sizeof(*not_charged); i++)
		if (by >= not_charged[i].first && by <= not_charged[i].last && (!not_charged[i].len || len == not_charged[i].len))
			return true;
	return false;
}

void charges_access(uint64_t pa, size_t len, bool write)
{
	struct unit *u = &units[by];

	if (!len || excepted(len))
		return;
	for (uint64_t block = pa / BLOCK; block <= (pa + len - 1) / BLOCK; block++) {
		if (u->count == MOST)
			fail(by, &u->waiting[0]);
		u->waiting[u->count++] = (struct waiting){ block, write };
	}
}

void charges_pay(uint64_t pa, uint64_t bytes, uint32_t line_bytes, bool write)
{
	uint64_t first = pa / line_bytes * (line_bytes / BLOCK), end = ((pa + bytes - 1) / line_bytes + 1) * (line_bytes / BLOCK);

	for (struct unit *u = units; u < units + UNITS; u++) {
		unsigned kept = 0;

		for (unsigned i = 0; i < u->count; i++)
			if (u->waiting[i].write != write || u->waiting[i].block < first || u->waiting[i].block >= end)
				u->waiting[kept++] = u->waiting[i];
		u->count = kept;
	}
}
#endif
