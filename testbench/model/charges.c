/* What debug builds assert: a unit whose access was not charged when its time goes on is stopped. The sources are those of the model,
 * as a debug build has them. */
#ifndef GALENA_DEBUG
#define GALENA_DEBUG
#endif
#define _GNU_SOURCE
#include "model/mem/charges.c"
#include "model/mem/l2.c"
#include "model/mem/physmem.c"
#include "testbench/model/fixture.h"
#include <signal.h>
#include <sys/wait.h>

enum { DRAM_BYTES = 1 << 20 };

struct bench {
	struct host host;
	struct physmem mem;
	struct l2 *l2;
	uint64_t system;
};

static void bench_open(struct bench *b)
{
	struct bus_memory sys = host_init(&b->host, false);

	assert_int_equal(physmem_init(&b->mem, DRAM_BYTES, &sys), 0);
	b->l2 = l2_create(device_config_find("mini"), BUS_TIMED);
	b->system = host_page(&b->host);
	b->mem.charged = true;
}

static void bench_close(struct bench *b)
{
	l2_destroy(b->l2);
	physmem_fini(&b->mem);
	host_fini(&b->host);
}

enum what { LOAD = 1, STORE = 2, CHARGE_READ = 4, CHARGE_WRITE = 8, CHARGE_NEXT_LINE = 16 };

/* One access of a unit, with or without its charge, and another one a cycle later. */
static void accesses(struct bench *b, unsigned unit, uint64_t pa, size_t bytes, unsigned what)
{
	uint8_t data[256] = { 0 };

	if (what & LOAD)
		assert_int_equal(physmem_load(&b->mem, unit, pa, data, bytes, 100), FAULT_NONE);
	if (what & STORE)
		assert_int_equal(physmem_store(&b->mem, unit, pa, data, bytes, 100), FAULT_NONE);
	if (what & CHARGE_READ)
		l2_access(b->l2, 100, pa, 4, false);
	if (what & CHARGE_WRITE)
		l2_access(b->l2, 100, pa, 4, true);
	if (what & CHARGE_NEXT_LINE)
		l2_access(b->l2, 100, pa + 64, 4, false);
	physmem_load(&b->mem, unit, pa, data, bytes, 101);
}

static bool aborts(unsigned unit, uint64_t offset, bool dram, size_t bytes, unsigned what)
{
	struct bench b;
	pid_t child;
	int status;

	bench_open(&b);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		signal(SIGABRT, SIG_DFL);
		accesses(&b, unit, (dram ? DRAM_BASE : b.system) + offset, bytes, what);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	bench_close(&b);
	if (WIFSIGNALED(status))
		assert_int_equal(WTERMSIG(status), SIGABRT);
	else
		assert_int_equal(WEXITSTATUS(status), 0);
	return WIFSIGNALED(status);
}

static void what_is_not_charged_is_found(void **state)
{
	(void)state;
	for (unsigned dram = 0; dram < 2; dram++) {
		assert_true(aborts(UNIT_CP, 8, dram, 8, LOAD));
		assert_true(aborts(UNIT_CP, 8, dram, 8, STORE));
		assert_true(aborts(UNIT_MMU, 8, dram, 8, LOAD));
		assert_true(aborts(UNIT_DMA + 1, 8, dram, 8, LOAD));
		assert_true(aborts(UNIT_CU, 8, dram, 8, LOAD));
		assert_true(aborts(UNIT_CU + 1, 8, dram, 8, STORE));
		assert_true(aborts(UNIT_CP, 0, dram, 64, STORE));
		assert_true(aborts(UNIT_SEM, 8, dram, 8, STORE));
		assert_true(aborts(UNIT_CP, 8, dram, 8, LOAD | CHARGE_WRITE));
		assert_true(aborts(UNIT_CP, 8, dram, 8, STORE | CHARGE_READ));
		assert_true(aborts(UNIT_CP, 8, dram, 8, LOAD | STORE | CHARGE_READ));
		assert_true(aborts(UNIT_CP, 60, dram, 8, LOAD | CHARGE_READ)); /* of two lines one */
		assert_true(aborts(UNIT_CP, 8, dram, 8, LOAD | CHARGE_NEXT_LINE));
	}
}

/* A charge may cover more than was accessed: its whole line. What is excepted passes. */
static void what_is_charged_passes(void **state)
{
	(void)state;
	for (unsigned dram = 0; dram < 2; dram++) {
		assert_false(aborts(UNIT_CP, 8, dram, 8, LOAD | CHARGE_READ));
		assert_false(aborts(UNIT_CP, 40, dram, 8, STORE | CHARGE_WRITE));
		assert_false(aborts(UNIT_CP, 60, dram, 8, LOAD | CHARGE_READ | CHARGE_NEXT_LINE));
		assert_false(aborts(UNIT_CU, 60, dram, 8, LOAD | CHARGE_READ | CHARGE_NEXT_LINE));
		assert_false(aborts(UNIT_CP, 0, dram, 64, LOAD)); /* a packet */
		assert_false(aborts(UNIT_SEM, 8, dram, 8, LOAD)); /* a payload */
	}
}

/* Where a debug build looks, no page is handed out to be used directly. */
static void every_access_is_seen(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b);
	assert_null(physmem_page(&b.mem, DRAM_BASE, false));
	b.mem.charged = false;
	assert_non_null(physmem_page(&b.mem, DRAM_BASE, false));
	bench_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_charged_is_found),
		cmocka_unit_test(what_is_charged_passes),
		cmocka_unit_test(every_access_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
