#include "model/inject.h"
#include "testbench/model/fixture.h"
#include <sys/mman.h>
#include <sys/resource.h>

enum { DRAM_BYTES = 1 << 22 };

static void test_dram(void **state)
{
	struct host h;
	struct bus_memory sys = host_init(&h, false);
	struct physmem m;
	uint8_t a[9000], b[9000];

	(void)state;
	assert_int_equal(physmem_init(&m, DRAM_BYTES, &sys), 0);
	for (unsigned i = 0; i < sizeof(a); i++)
		a[i] = (uint8_t)(i * 7 + 1);
	assert_int_equal(physmem_write(&m, DRAM_BASE + 4000, a, sizeof(a)), FAULT_NONE);
	assert_int_equal(physmem_read(&m, DRAM_BASE + 4000, b, sizeof(b)), FAULT_NONE);
	assert_memory_equal(a, b, sizeof(a));
	assert_int_equal(physmem_read(&m, DRAM_BASE + DRAM_BYTES - 8, b, 8), FAULT_NONE);
	/* past the end, also by one byte, and where addition would wrap */
	assert_int_equal(physmem_read(&m, DRAM_BASE + DRAM_BYTES - 8, b, 9), FAULT_BUS_ERROR);
	assert_int_equal(physmem_write(&m, DRAM_BASE + DRAM_BYTES, b, 1), FAULT_BUS_ERROR);
	assert_int_equal(physmem_read(&m, UINT64_MAX - 3, b, 8), FAULT_BUS_ERROR);
	assert_int_equal(physmem_read(&m, DRAM_BASE - 1, b, 1), FAULT_BUS_ERROR);
	assert_int_equal(physmem_read(&m, DRAM_BASE, b, SIZE_MAX), FAULT_BUS_ERROR);
	assert_ptr_equal(physmem_page(&m, DRAM_BASE + 0x1234, true), m.dram + 0x1000);
	assert_null(physmem_page(&m, DRAM_BASE + DRAM_BYTES, false));
	physmem_fini(&m);
	host_fini(&h);
}

static void test_system_pinned_only(void **state)
{
	struct host h;
	struct bus_memory sys = host_init(&h, false);
	struct physmem m;
	uint64_t v = 0x1122334455667788, r = 0;

	(void)state;
	assert_int_equal(physmem_init(&m, DRAM_BYTES, &sys), 0);
	assert_int_equal(physmem_read(&m, SYSTEM_BASE + 0x5000, &r, 8), FAULT_BUS_ERROR);
	host_pin(&h, 5, HOST_READ);
	assert_int_equal(physmem_read(&m, SYSTEM_BASE + 0x5000, &r, 8), FAULT_NONE);
	assert_int_equal(physmem_write(&m, SYSTEM_BASE + 0x5000, &v, 8), FAULT_BUS_ERROR);
	assert_null(physmem_page(&m, SYSTEM_BASE + 0x5000, true));
	assert_non_null(physmem_page(&m, SYSTEM_BASE + 0x5000, false));
	host_pin(&h, 5, HOST_WRITE);
	assert_int_equal(physmem_write(&m, SYSTEM_BASE + 0x5ffc, &v, 4), FAULT_NONE);
	assert_memory_equal(h.bytes + 0x5ffc, &v, 4);
	/* across into page 6, not pinned; then pinned */
	assert_int_equal(physmem_write(&m, SYSTEM_BASE + 0x5ffc, &v, 8), FAULT_BUS_ERROR);
	host_pin(&h, 6, HOST_WRITE);
	assert_int_equal(physmem_write(&m, SYSTEM_BASE + 0x5ffc, &v, 8), FAULT_NONE);
	assert_memory_equal(h.bytes + 0x5ffc, &v, 8);
	assert_int_equal(physmem_read(&m, SYSTEM_BASE + SYSTEM_SIZE - 4, &r, 8), FAULT_BUS_ERROR);
	host_pin(&h, 5, HOST_UNPINNED);
	assert_int_equal(physmem_read(&m, SYSTEM_BASE + 0x5000, &r, 8), FAULT_BUS_ERROR);
	physmem_fini(&m);
	host_fini(&h);
}

/* Observed memory is reached by read and write alone. */
static void test_observed(void **state)
{
	struct host h;
	struct bus_memory sys = host_init(&h, true);
	struct physmem m;
	uint8_t buf[100] = { 1, 2, 3 };

	(void)state;
	assert_int_equal(physmem_init(&m, DRAM_BYTES, &sys), 0);
	host_pin(&h, 1, HOST_WRITE);
	host_pin(&h, 2, HOST_WRITE);
	assert_null(physmem_page(&m, SYSTEM_BASE + 0x1000, false));
	assert_int_equal(physmem_write(&m, SYSTEM_BASE + 0x2000 - 50, buf, 100), FAULT_NONE);
	assert_int_equal(physmem_read(&m, SYSTEM_BASE + 0x1000, buf, 10), FAULT_NONE);
	assert_true(h.calls >= 2);
	physmem_fini(&m);
	host_fini(&h);
}

static void test_random(void **state)
{
	struct host h;
	struct bus_memory sys = host_init(&h, false);
	struct physmem m;
	static uint8_t dram[65536], mem[65536], buf[10000], back[10000];

	(void)state;
	assert_int_equal(physmem_init(&m, DRAM_BYTES, &sys), 0);
	for (unsigned p = 0; p < 16; p++)
		host_pin(&h, p, HOST_WRITE);
	for (unsigned i = 0; i < 20000; i++) {
		bool system = random_below(2);
		size_t len = random_below(i % 4 ? 20 : sizeof(buf));
		uint64_t at = random_below(65536 - len), base = system ? SYSTEM_BASE : DRAM_BASE;
		uint8_t *shadow = system ? mem : dram;

		if (random_below(2)) {
			for (size_t b = 0; b < len; b++)
				buf[b] = (uint8_t)random_next();
			assert_int_equal(physmem_write(&m, base + at, buf, len), FAULT_NONE);
			memcpy(shadow + at, buf, len);
		} else {
			assert_int_equal(physmem_read(&m, base + at, back, len), FAULT_NONE);
			assert_memory_equal(back, shadow + at, len);
		}
	}
	physmem_fini(&m);
	host_fini(&h);
}

/* Armed faults: the n-th access of the unit, and none before or after; meanwhile there are no pointers. */
static void test_injection(void **state)
{
	struct host h;
	struct bus_memory sys = host_init(&h, false);
	struct inject inject;
	struct physmem m;
	uint64_t v = 0, page;

	(void)state;
	assert_int_equal(physmem_init(&m, DRAM_BYTES, &sys), 0);
	inject_init(&inject, NULL);
	m.inject = &inject;
	page = host_page(&h);
	for (unsigned nth = 1; nth < 5; nth++) {
		inject_arm(&inject, INJECT_ECC_SINGLE, nth, INJECT_ANY_UNIT, 0, 0);
		inject_arm(&inject, INJECT_ECC_DOUBLE, nth + 1, INJECT_ANY_UNIT, 0, 0);
		inject_arm(&inject, INJECT_BUS_ERROR, 2 * nth, INJECT_ANY_UNIT, 0, 0);
		assert_null(physmem_page(&m, DRAM_BASE, false));
		assert_null(physmem_page(&m, page, true));
		for (unsigned i = 1; i < 10; i++) {
			/* writes are no occasion for ECC, accesses of other memory none for either */
			assert_int_equal(physmem_write(&m, DRAM_BASE + 64, &(uint64_t){ i }, 8), FAULT_NONE);
			assert_int_equal(physmem_read(&m, DRAM_BASE + 64, &v, 8), i == nth + 1 ? FAULT_ECC : FAULT_NONE);
			assert_int_equal(v, i == nth + 1 ? i - 1 : i);
			assert_int_equal(physmem_write(&m, page, &(uint64_t){ i }, 8), FAULT_NONE);
			assert_int_equal(physmem_read(&m, page, &v, 8), i == nth ? FAULT_BUS_ERROR : FAULT_NONE);
			assert_int_equal(m.ecc_corrected, i < nth ? nth - 1 : nth);
			assert_int_equal(m.ecc_uncorrected, i < nth + 1 ? nth - 1 : nth);
		}
		assert_ptr_equal(physmem_page(&m, DRAM_BASE, false), m.dram);
		assert_non_null(physmem_page(&m, page, true));
	}
	assert_int_equal(inject.happened, 12);
	/* of one unit alone */
	inject_arm(&inject, INJECT_ECC_DOUBLE, 2, UNIT_DMA, 0, 0);
	inject_arm(&inject, INJECT_BUS_ERROR, 1, UNIT_CU + 1, 0, 0);
	physmem_by(&m, UNIT_CU, 0);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(physmem_read(&m, DRAM_BASE, &v, 8), FAULT_NONE);
		assert_int_equal(physmem_read(&m, page, &v, 8), FAULT_NONE);
	}
	assert_int_equal(physmem_load(&m, UNIT_DMA, DRAM_BASE, &v, 8, 0), FAULT_NONE);
	assert_int_equal(physmem_load(&m, UNIT_DMA, DRAM_BASE, &v, 8, 0), FAULT_ECC);
	physmem_by(&m, UNIT_CU + 1, 0);
	assert_int_equal(physmem_write(&m, page, &v, 8), FAULT_BUS_ERROR);
	assert_int_equal(physmem_write(&m, page, &v, 8), FAULT_NONE);
	physmem_fini(&m);
	host_fini(&h);
}

/* Where a file may not be so large, DRAM has none, and is the same otherwise. */
static void test_no_file(void **state)
{
	enum { PAGES = 4 };
	struct host h;
	struct bus_memory sys = host_init(&h, false);
	struct physmem m;
	struct rlimit now, none = { 0 };
	unsigned char there[PAGES];
	uint64_t v = 0x1122334455667788, r = 1;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
	none.rlim_max = now.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(physmem_init(&m, DRAM_BYTES, &sys), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	assert_true(m.dram_fd < 0);
	for (unsigned i = 0; i < PAGES; i++)
		assert_int_equal(physmem_write(&m, DRAM_BASE + i * GALENA_PAGE_SIZE, &v, 8), FAULT_NONE);
	physmem_clear(&m, DRAM_BASE + GALENA_PAGE_SIZE, 2 * GALENA_PAGE_SIZE);
	assert_int_equal(mincore(m.dram, PAGES * GALENA_PAGE_SIZE, there), 0);
	for (unsigned i = 0; i < PAGES; i++) {
		bool cleared = i == 1 || i == 2;
		assert_int_equal(there[i] & 1, !cleared); /* its memory is the system's again */
		assert_int_equal(physmem_read(&m, DRAM_BASE + i * GALENA_PAGE_SIZE, &r, 8), FAULT_NONE);
		assert_int_equal(r, cleared ? 0 : v);
	}
	physmem_fini(&m);
	host_fini(&h);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dram),
		cmocka_unit_test(test_system_pinned_only),
		cmocka_unit_test(test_observed),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_injection),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
