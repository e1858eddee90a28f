/* Host memory that is kept for objects to come: given out by size, the oldest given up first, bounded. */
#include "testbench/driver/common.h"
#include "runtime/kmd/driver.h"
#include <sys/mman.h>

static uint8_t *fresh(uint64_t pages)
{
	uint8_t *p = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static void taken_by_size(void **state)
{
	(void)state;
	struct bo_cache s = { 0 };
	uint8_t *a = fresh(20), *b = fresh(30), *c = fresh(20);
	assert_null(bo_cache_take(&s, 20));
	assert_true(bo_cache_keep(&s, a, 20));
	assert_true(bo_cache_keep(&s, b, 30));
	assert_true(bo_cache_keep(&s, c, 20));
	assert_int_equal(s.bytes, 70 * 4096);
	assert_null(bo_cache_take(&s, 21));
	assert_ptr_equal(bo_cache_take(&s, 20), c); /* the one used last is the likeliest in the host's caches */
	assert_ptr_equal(bo_cache_take(&s, 30), b);
	assert_ptr_equal(bo_cache_take(&s, 20), a);
	assert_null(bo_cache_take(&s, 20));
	assert_int_equal(s.bytes, 0);
	munmap(a, 20 * 4096);
	munmap(b, 30 * 4096);
	munmap(c, 20 * 4096);
}

static void bounded(void **state)
{
	(void)state;
	enum { MIB = 256 }; /* pages */
	struct bo_cache s = { 0 };
	uint8_t *small = fresh(1), *large = fresh(1024 * MIB);
	assert_false(bo_cache_keep(&s, small, 1));
	assert_false(bo_cache_keep(&s, large, 1024 * MIB));
	for (unsigned i = 0; i < 100; i++) {
		uint64_t pages = i % 7 ? 16 + i : 40 * MIB;
		uint8_t *p = fresh(pages);
		assert_true(bo_cache_keep(&s, p, pages));
		assert_true(s.count <= BO_CACHE_MAX);
		assert_true(s.bytes <= 128 << 20);
		assert_ptr_equal(bo_cache_take(&s, pages), p); /* the newest is there */
		assert_true(bo_cache_keep(&s, p, pages));
	}
	bo_cache_fini(&s);
	assert_int_equal(s.count, 0);
	assert_int_equal(s.bytes, 0);
	munmap(small, 4096);
	munmap(large, 1024ull * MIB * 4096);
}

static struct umd *d;
static struct umd_space *space;

/* Objects get memory that others had: zeroed, unless they say that they do not mind. */
static void objects_are_zeroed(void **state)
{
	(void)state;
	enum { BYTES = 64 * 4096 };
	static const uint8_t zero[BYTES];
	void *first = NULL;
	for (unsigned i = 0; i < 4; i++) {
		struct umd_bo *bo;
		assert_int_equal(umd_bo_create(space, 0, BYTES, i % 2 ? KMD_BO_UNDEFINED : 0, &bo), 0);
		if (i % 2 == 0)
			assert_memory_equal(umd_bo_cpu(bo), zero, BYTES);
		if (!first)
			first = umd_bo_cpu(bo);
		assert_ptr_equal(umd_bo_cpu(bo), first);
		memset(umd_bo_cpu(bo), 0xee, BYTES);
		umd_bo_release(bo);
		umd_sync(d);
	}
}

static int setup(void **state)
{
	(void)state;
	d = open_driver();
	return umd_space_create(d, &space);
}

static int teardown(void **state)
{
	(void)state;
	umd_space_release(space);
	umd_close(d);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken_by_size),
		cmocka_unit_test(bounded),
		cmocka_unit_test(objects_are_zeroed),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
