/* The protection unit by itself: every unit, job, access and state of a region; regions that change,
 * lock, reset; memory that is cleared when it stops being protected. */
#include "model/prot/protection.h"
#include "model/inject.h"
#include "testbench/model/fixture.h"

enum { PAGE = 4096, EVENTS = 64, DRAM_PAGES = 4096 };

struct world {
	struct event_sink sink; /* first member */
	struct event event[EVENTS];
	unsigned events;
	struct physmem m;
	struct prot p;
};

static void record(struct event_sink *s, const struct event *e)
{
	struct world *w = (struct world *)s;

	assert_true(w->events < EVENTS);
	w->event[w->events++] = *e;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory none = { 0 };

	w->sink.event = record;
	assert_int_equal(physmem_init(&w->m, (uint64_t)DRAM_PAGES * PAGE, &none), 0);
	prot_init(&w->p, &w->m, &w->sink);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	physmem_fini(&w->m);
	free(w);
	return 0;
}

/* Every byte of these pages of DRAM. */
static void fill(struct world *w, unsigned first, unsigned pages, int value)
{
	memset(w->m.dram + (size_t)first * PAGE, value, (size_t)pages * PAGE);
}

static bool all(const struct world *w, unsigned first, unsigned pages, int value)
{
	const uint8_t *at = w->m.dram + (size_t)first * PAGE;

	for (size_t i = 0; i < (size_t)pages * PAGE; i++)
		if (at[i] != value)
			return false;
	return true;
}

static bool set(struct world *w, unsigned n, unsigned first, unsigned end)
{
	return prot_region_set(&w->p, n, DRAM_BASE + (uint64_t)first * PAGE, DRAM_BASE + (uint64_t)end * PAGE, NULL, 7);
}

/* ---- the rules ---- */

static const unsigned masters[] = { UNIT_HOST,	 UNIT_CP,      UNIT_MEDIA,   UNIT_MMU,	   UNIT_SEM,
				    UNIT_DMA,	 UNIT_DMA + 3, UNIT_DMA + 7, UNIT_CU,	   UNIT_CU + 1,
				    UNIT_CU + 3, UNIT_CU + 15 };

/* States of a region, in the order in which one can go through them. */
enum state { NONE, COVERS, PARTIAL, OUTSIDE, LOCKED, REMOVED, STATES };

/* Where the access lies: pages 16 to 18, all in a region, partly, or beside it. */
static void state_enter(struct world *w, enum state s)
{
	memset(&w->p.region, 0, sizeof(w->p.region));
	w->p.locked = false;
	switch (s) {
	case NONE:
		break;
	case COVERS:
		assert_true(set(w, 3, 16, 18));
		break;
	case PARTIAL:
		assert_true(set(w, 3, 17, 24));
		break;
	case OUTSIDE:
		assert_true(set(w, 3, 18, 24));
		assert_true(set(w, 4, 8, 16));
		break;
	case LOCKED: /* what is locked stays */
		assert_true(set(w, 3, 16, 18));
		w->p.locked = true;
		assert_false(set(w, 3, 0, 0));
		assert_false(set(w, 3, 18, 20));
		assert_false(set(w, 5, 0, 1));
		break;
	default:
		assert_true(set(w, 3, 16, 18));
		assert_true(set(w, 3, 0, 0));
	}
}

/* The rules, written down once more: a job that is not protected stays out of protected memory; a
 * protected one writes nowhere else. */
static bool allowed(enum state s, bool protected_job, enum access a)
{
	bool some = s == COVERS || s == LOCKED || s == PARTIAL, whole = s == COVERS || s == LOCKED;
	bool writes = a == ACCESS_WRITE || a == ACCESS_ATOMIC;

	if (!protected_job)
		return !some;
	return !writes || whole;
}

static void test_rules(void **state)
{
	struct world *w = *state;
	uint64_t refused = 0, pa = DRAM_BASE + 16 * PAGE;

	for (unsigned s = 0; s < STATES; s++) {
		state_enter(w, (enum state)s);
		for (unsigned m = 0; m < sizeof(masters) / sizeof(*masters); m++)
			for (unsigned job = 0; job < 2; job++)
				for (unsigned a = ACCESS_READ; a <= ACCESS_ATOMIC; a++) {
					bool ok = allowed((enum state)s, job, (enum access)a);

					w->events = 0;
					assert_int_equal(prot_check(&w->p, masters[m], job, pa, 2 * PAGE, (enum access)a,
								    1234),
							 ok ? FAULT_NONE : FAULT_PROTECTED);
					refused += !ok;
					assert_int_equal(w->p.refused, refused);
					assert_int_equal(prot_refused(&w->p, job, pa, 2 * PAGE) >> a & 1, !ok);
					assert_int_equal(w->events, !ok);
					if (ok)
						continue;
					/* the record says who, where and how, and no data */
					assert_int_equal(w->event[0].kind, EVENT_VIOLATION);
					assert_int_equal(w->event[0].unit, masters[m]);
					assert_int_equal(w->event[0].cycle, 1234);
					assert_int_equal(w->event[0].a, pa);
					assert_int_equal(w->event[0].b, a);
					assert_int_equal(w->event[0].c, job);
				}
	}
	assert_true(refused > 0);
}

/* To the byte, at both ends. */
static void test_edges(void **state)
{
	struct world *w = *state;
	uint64_t base = DRAM_BASE + 16 * PAGE, limit = DRAM_BASE + 18 * PAGE;

	assert_true(set(w, 0, 16, 18));
	assert_false(prot_covers(&w->p, base - 1, 1));
	assert_true(prot_covers(&w->p, base - 1, 2));
	assert_true(prot_covers(&w->p, base, 1));
	assert_true(prot_covers(&w->p, limit - 1, 1));
	assert_false(prot_covers(&w->p, limit, 1));
	assert_true(prot_covers(&w->p, base - 64, 3 * PAGE));
	assert_false(prot_covers(&w->p, base - 64, 0));
	assert_true(prot_contains(&w->p, base, 2 * PAGE));
	assert_false(prot_contains(&w->p, base - 1, 2));
	assert_false(prot_contains(&w->p, limit - 1, 2));
	assert_false(prot_contains(&w->p, base, 0));
	/* two regions side by side, set in either order, are one for whoever writes across */
	assert_true(set(w, 7, 14, 16));
	assert_true(set(w, 1, 18, 19));
	assert_true(prot_contains(&w->p, base - 2 * PAGE, 5 * PAGE));
	assert_false(prot_contains(&w->p, base - 2 * PAGE, 5 * PAGE + 1));
	/* the end of the address space is not the beginning */
	assert_false(prot_covers(&w->p, UINT64_MAX - 7, 8));
	assert_false(prot_contains(&w->p, UINT64_MAX - 7, 16));
	assert_int_equal(prot_check(&w->p, UNIT_CP, false, UINT64_MAX - 7, 8, ACCESS_READ, 0), FAULT_NONE);
	assert_int_equal(prot_check(&w->p, UNIT_CU, true, UINT64_MAX - 7, 8, ACCESS_WRITE, 0), FAULT_PROTECTED);
}

/* ---- regions ---- */

static void test_regions(void **state)
{
	struct world *w = *state;
	uint64_t end = DRAM_BASE + (uint64_t)DRAM_PAGES * PAGE;

	/* whole pages */
	assert_true(prot_region_set(&w->p, 0, DRAM_BASE + 3 * PAGE + 5, DRAM_BASE + 6 * PAGE + 4095, NULL, 0));
	assert_int_equal(w->p.region[0].base, DRAM_BASE + 3 * PAGE);
	assert_int_equal(w->p.region[0].limit, DRAM_BASE + 6 * PAGE);
	assert_int_equal(w->event[0].kind, EVENT_REGION);
	assert_int_equal(w->event[0].a, DRAM_BASE + 3 * PAGE);
	assert_int_equal(w->event[0].b, DRAM_BASE + 6 * PAGE);
	assert_int_equal(w->event[0].c, 0);
	/* the same once more changes nothing */
	w->events = 0;
	assert_false(prot_region_set(&w->p, 0, DRAM_BASE + 3 * PAGE, DRAM_BASE + 6 * PAGE, NULL, 0));
	assert_int_equal(w->events, 0);
	/* nothing but DRAM */
	assert_true(prot_region_set(&w->p, 1, 0, DRAM_BASE + PAGE, NULL, 0));
	assert_int_equal(w->p.region[1].base, DRAM_BASE);
	assert_true(prot_region_set(&w->p, 1, end - PAGE, UINT64_MAX, NULL, 0));
	assert_int_equal(w->p.region[1].limit, end);
	assert_false(prot_covers(&w->p, end, PAGE));
	/* none: empty, backwards, outside of DRAM */
	assert_true(prot_region_set(&w->p, 1, DRAM_BASE + PAGE, DRAM_BASE + PAGE, NULL, 0));
	assert_false(prot_region_set(&w->p, 1, DRAM_BASE + 2 * PAGE, DRAM_BASE + PAGE, NULL, 0));
	assert_false(prot_region_set(&w->p, 1, SYSTEM_BASE, SYSTEM_BASE + PAGE, NULL, 0));
	assert_int_equal(w->p.region[1].base, 0);
	assert_int_equal(w->p.region[1].limit, 0);
}

static void test_lock_and_reset(void **state)
{
	struct world *w = *state;

	fill(w, 0, 32, 0xaa);
	for (unsigned n = 0; n < PROT_REGIONS; n++)
		assert_true(set(w, n, n * 2, n * 2 + 3)); /* they overlap */
	w->p.locked = true;
	for (unsigned n = 0; n < PROT_REGIONS; n++)
		assert_false(set(w, n, 0, 0));
	assert_true(all(w, 0, 32, 0xaa));
	assert_int_equal(prot_check(&w->p, UNIT_CU, false, DRAM_BASE, 4, ACCESS_READ, 0), FAULT_PROTECTED);
	w->events = 0;
	prot_reset(&w->p, 99);
	assert_false(w->p.locked);
	assert_int_equal(w->p.refused, 0);
	assert_true(all(w, 0, 17, 0));
	assert_true(all(w, 17, 15, 0xaa));
	assert_false(prot_covers(&w->p, DRAM_BASE, (size_t)DRAM_PAGES * PAGE));
	assert_int_equal(w->event[0].cycle, 99);
	assert_true(set(w, 0, 1, 2)); /* it can be set again */
}

/* ---- scrubbing ---- */

/* Exactly what no region covers any more is cleared, as soon as it is not covered. */
static void test_scrub(void **state)
{
	struct world *w = *state;
	unsigned scrubs = 0;

	fill(w, 0, 64, 0x5a);
	assert_true(set(w, 0, 10, 30));
	assert_true(set(w, 1, 20, 25)); /* inside of it */
	assert_true(set(w, 2, 28, 40)); /* over its end */
	assert_true(all(w, 0, 64, 0x5a));
	w->events = 0;
	assert_true(set(w, 0, 12, 29)); /* shrinks at both ends: 10, 11 are free; 29 is region 2's */
	assert_true(all(w, 0, 10, 0x5a) && all(w, 10, 2, 0) && all(w, 12, 52, 0x5a));
	assert_true(set(w, 0, 0, 0)); /* goes; 20 to 25 and 28 on stay protected */
	assert_true(all(w, 12, 8, 0) && all(w, 20, 5, 0x5a) && all(w, 25, 3, 0) && all(w, 28, 36, 0x5a));
	assert_true(set(w, 2, 30, 50)); /* moves: 28, 29 are free, 40 to 50 are new */
	assert_true(all(w, 28, 2, 0) && all(w, 30, 34, 0x5a));
	assert_true(set(w, 1, 0, 0));
	assert_true(all(w, 20, 5, 0));
	assert_true(set(w, 2, 0, 0));
	assert_true(all(w, 30, 20, 0) && all(w, 50, 14, 0x5a));
	for (unsigned i = 0; i < w->events; i++)
		scrubs += w->event[i].kind == EVENT_SCRUB;
	assert_int_equal(scrubs, 6);
}

/* Random regions against a count per page: what is protected, and that what lost its last region is
 * clear while all else is as it was. */
enum { RANDOM_PAGES = 96 };

static void test_random(void **state)
{
	struct world *w = *state;
	unsigned first[PROT_REGIONS] = { 0 }, end[PROT_REGIONS] = { 0 };
	bool before[RANDOM_PAGES], after[RANDOM_PAGES];
	uint8_t mark[RANDOM_PAGES];

	for (unsigned i = 0; i < RANDOM_PAGES; i++)
		fill(w, i, 1, mark[i] = (uint8_t)(i + 1));
	memset(before, 0, sizeof(before));
	for (unsigned n = 0; n < 4000; n++) {
		unsigned r = (unsigned)random_below(PROT_REGIONS), a = (unsigned)random_below(RANDOM_PAGES);
		unsigned b = (unsigned)random_below(RANDOM_PAGES), i;

		w->events = 0;
		first[r] = a;
		end[r] = b;
		set(w, r, a, b);
		memset(after, 0, sizeof(after));
		for (unsigned k = 0; k < PROT_REGIONS; k++)
			for (i = first[k]; i < end[k]; i++)
				after[i] = true;
		for (i = 0; i < RANDOM_PAGES; i++) {
			if (before[i] && !after[i])
				mark[i] = 0;
			assert_int_equal(prot_covers(&w->p, DRAM_BASE + (uint64_t)i * PAGE, PAGE), after[i]);
			assert_int_equal(w->m.dram[(size_t)i * PAGE + random_below(PAGE)], mark[i]);
		}
		i = (unsigned)random_below(RANDOM_PAGES); /* somebody writes it */
		fill(w, i, 1, mark[i] = (uint8_t)(1 + random_below(255)));
		memcpy(before, after, sizeof(before));
		/* a range of pages */
		a = (unsigned)random_below(RANDOM_PAGES);
		b = a + 1 + (unsigned)random_below(RANDOM_PAGES - a);
		bool some = false, whole = true;
		for (i = a; i < b; i++) {
			some |= after[i];
			whole &= after[i];
		}
		assert_int_equal(prot_covers(&w->p, DRAM_BASE + (uint64_t)a * PAGE, (size_t)(b - a) * PAGE), some);
		assert_int_equal(prot_contains(&w->p, DRAM_BASE + (uint64_t)a * PAGE, (size_t)(b - a) * PAGE), whole);
	}
}

/* ---- who uses physical addresses ---- */

/* Units without a job of their own are stopped before any byte moves. */
static void test_physical_access(void **state)
{
	static const unsigned units[] = { UNIT_CP, UNIT_SEM, UNIT_MMU, UNIT_HOST };
	struct world *w = *state;
	uint64_t v, secret = 0x5ec2e75ec2e75ec2;

	w->m.prot = &w->p;
	memcpy(w->m.dram + 16 * PAGE, &secret, 8);
	assert_true(set(w, 0, 16, 18));
	for (unsigned u = 0; u < 4; u++) {
		v = 42;
		assert_int_equal(physmem_load(&w->m, units[u], DRAM_BASE + 16 * PAGE, &v, 8, 5), FAULT_PROTECTED);
		assert_int_equal(v, 42);
		assert_int_equal(physmem_load(&w->m, units[u], DRAM_BASE + 16 * PAGE - 4, &v, 8, 5), FAULT_PROTECTED);
		assert_int_equal(v, 42);
		assert_int_equal(physmem_store(&w->m, units[u], DRAM_BASE + 16 * PAGE, &v, 8, 5), FAULT_PROTECTED);
		assert_memory_equal(w->m.dram + 16 * PAGE, &secret, 8);
		assert_int_equal(physmem_store(&w->m, units[u], DRAM_BASE + 18 * PAGE, &v, 8, 5), FAULT_NONE);
		assert_int_equal(physmem_load(&w->m, units[u], DRAM_BASE + 18 * PAGE, &v, 8, 5), FAULT_NONE);
	}
	assert_int_equal(w->p.refused, 12);
	/* but for an armed fault, once */
	struct inject inject;

	inject_init(&inject, NULL);
	w->m.inject = &inject;
	inject_arm(&inject, INJECT_PROT_OPEN, 2, UNIT_CP, 0, 0);
	assert_int_equal(physmem_load(&w->m, UNIT_SEM, DRAM_BASE + 16 * PAGE, &v, 8, 5), FAULT_PROTECTED);
	assert_int_equal(physmem_load(&w->m, UNIT_CP, DRAM_BASE + 16 * PAGE, &v, 8, 5), FAULT_PROTECTED);
	assert_int_equal(physmem_load(&w->m, UNIT_CP, DRAM_BASE + 18 * PAGE, &v, 8, 5), FAULT_NONE); /* allowed */
	assert_int_equal(physmem_load(&w->m, UNIT_CP, DRAM_BASE + 16 * PAGE, &v, 8, 5), FAULT_NONE);
	assert_int_equal(v, secret);
	assert_int_equal(physmem_load(&w->m, UNIT_CP, DRAM_BASE + 16 * PAGE, &v, 8, 5), FAULT_PROTECTED);
	assert_int_equal(w->p.refused, 15);
	assert_int_equal(inject.happened, 1);
	w->m.inject = NULL;
}

/* A page that is being cleared is refused to jobs of both kinds, until it has been; pages that another region covers go on. */
static void test_refused_while_cleared(void **state)
{
	struct world *w = *state;
	uint64_t cleared = 0;

	assert_true(prot_region_set(&w->p, 0, DRAM_BASE, DRAM_BASE + 8 * PAGE, &cleared, 0));
	assert_true(prot_region_set(&w->p, 1, DRAM_BASE + 6 * PAGE, DRAM_BASE + 9 * PAGE, &cleared, 0));
	assert_int_equal(cleared, 0);
	assert_false(prot_cleared(&w->p));
	assert_true(prot_region_set(&w->p, 0, DRAM_BASE, DRAM_BASE + 2 * PAGE, &cleared, 0));
	assert_int_equal(cleared, 4 * PAGE);
	for (unsigned again = 0; again < 2; again++) {
		for (unsigned i = 0; i < 10; i++) {
			const uint64_t pa = DRAM_BASE + i * (uint64_t)PAGE;
			const bool region = i < 2 || (i >= 6 && i < 9), busy = !again && i >= 2 && i < 6;

			assert_int_equal(prot_refused(&w->p, false, pa, 8), region || busy ? PROT_ALL_ACCESSES : 0);
			assert_int_equal(prot_refused(&w->p, true, pa, 8),
					 busy ? PROT_ALL_ACCESSES : region ? 0 : 1 << ACCESS_WRITE | 1 << ACCESS_ATOMIC);
		}
		assert_int_equal(prot_cleared(&w->p), !again);
	}
	assert_int_equal(prot_reset(&w->p, 0), 5 * PAGE);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rules, setup, teardown),
		cmocka_unit_test_setup_teardown(test_edges, setup, teardown),
		cmocka_unit_test_setup_teardown(test_regions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lock_and_reset, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scrub, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_while_cleared, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random, setup, teardown),
		cmocka_unit_test_setup_teardown(test_physical_access, setup, teardown),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
