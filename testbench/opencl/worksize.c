/* The choice of a work-group size: always legal, and good where it matters. */
#include "testbench/random.h"
#include "runtime/opencl/worksize.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static const struct worksize_limits full = {.lanes = 32, .max_items = 512, .num_cu = 4};
static const struct worksize_limits mini = {.lanes = 4, .max_items = 16, .num_cu = 1};
static uint64_t seed;

static uint64_t next(void) { return splitmix64(&seed); }

static void check(const struct worksize_limits *limits, const size_t global[3])
{
	size_t local[3];
	worksize_choose(limits, global, local);
	for (int d = 0; d < 3; d++) {
		assert_true(local[d] >= 1);
		assert_int_equal(global[d] % local[d], 0);
	}
	assert_true(local[0] * local[1] * local[2] <= limits->max_items);
}

static void random_sizes_are_legal(void **state)
{
	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < 3000; i++) {
		const size_t bound = (size_t)1 << (1 + next() % 20);
		const size_t global[3] = {1 + next() % bound, 1 + (next() & 1 ? next() % 300 : 0), 1 + (next() & 1 ? next() % 70 : 0)};
		check(&full, global);
		check(&mini, global);
	}
	check(&full, (const size_t[3]){UINT32_MAX, UINT32_MAX, UINT32_MAX});
	check(&full, (const size_t[3]){1, 1, 1});
}

static size_t items(const struct worksize_limits *limits, size_t x, size_t y, size_t z, size_t local[3])
{
	worksize_choose(limits, (const size_t[3]){x, y, z}, local);
	return local[0] * local[1] * local[2];
}

static void choices_are_good(void **state)
{
	size_t local[3];
	(void)state;
	/* large ranges: whole warps, and as many as a group is to have */
	assert_int_equal(items(&full, 1 << 20, 1, 1, local), 256);
	assert_int_equal(items(&full, 1920, 1080, 1, local), 256);
	assert_int_equal(local[0] % 32, 0);
	assert_int_equal(items(&full, 128, 128, 128, local), 256);
	assert_int_equal(local[0] % 32, 0);
	/* a width that warps do not divide: the other dimension fills them */
	items(&full, 33, 64, 1, local);
	assert_int_equal(local[0] * local[1] % 32, 0);
	/* one row: whole warps if a divisor gives them, else the divisor that wastes fewest lanes */
	assert_int_equal(items(&full, 100000, 1, 1, local) % 32, 0);
	assert_int_equal(items(&full, 94 * 10007, 1, 1, local), 94);
	/* few items: a group for every unit rather than one large one */
	assert_int_equal(items(&full, 512, 1, 1, local), 32);
	assert_int_equal(items(&mini, 512, 1, 1, local), 16);
	/* less than a warp */
	assert_int_equal(items(&full, 7, 1, 1, local), 7);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_sizes_are_legal), cmocka_unit_test(choices_are_good)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
