/* What a recorder knows of pages is bounded: those that were not touched for a while are forgotten, the others are kept, each with its
 * own bytes. Usage: shadow [seed] */
#include "abi/address_map.h"
#include "testbench/random.h"
#include "traces/shadow.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above */
#include <cmocka.h>

static uint64_t seed;

/* Distinct numbers, wherever pages may lie. */
static uint64_t number_of(uint64_t i) { return i * 0x9e3779b9 % (1u << 30) * 4 + i % 4; }

static struct shadow_page *known(uint64_t i)
{
	struct shadow_page *p = shadow_find(number_of(i));
	if (p) {
		assert_int_equal(p->number, number_of(i));
		assert_memory_equal(p->bytes, &i, sizeof i);
		assert_memory_equal(p->bytes + GALENA_PAGE_SIZE - sizeof i, &i, sizeof i);
	}
	return p;
}

static void page_new(uint64_t i)
{
	assert_null(shadow_find(number_of(i)));
	struct shadow_page *p = shadow_add(number_of(i));
	assert_non_null(p);
	memcpy(p->bytes, &i, sizeof i);
	memcpy(p->bytes + GALENA_PAGE_SIZE - sizeof i, &i, sizeof i);
}

static void bounded(void **state)
{
	(void)state;
	enum { KEPT = 1000, ALL = 3 * SHADOW_PAGES };
	unsigned there = 0;
	for (uint64_t i = 0; i < ALL; i++) {
		page_new(i);
		/* the first thousand are touched again and again */
		if (i >= KEPT && i % 16 == 0)
			for (uint64_t k = 0; k < KEPT; k += 1 + seed % 3)
				assert_non_null(known(k));
	}
	for (uint64_t i = 0; i < ALL; i++)
		there += known(i) != NULL;
	assert_int_equal(there, SHADOW_PAGES);
	assert_non_null(known(ALL - 1));
	assert_null(known(KEPT + 1)); /* long ago */
	page_new(KEPT + 1);
	assert_non_null(known(KEPT + 1));
}

static void dropped(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		page_new(4 * SHADOW_PAGES + i);
	shadow_drop();
	for (uint64_t i = 0; i < 5 * SHADOW_PAGES; i++)
		assert_null(shadow_find(number_of(i)));
	page_new(7);
	assert_non_null(known(7));
	shadow_drop();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bounded), cmocka_unit_test(dropped) };
	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
