/* Memory at one address for host and devices: where it lies, that nothing else lies there, and that nothing of it is left. */
#define _GNU_SOURCE
#include "testbench/driver/fixture.h"
#include "runtime/kmd/driver.h"
#include <sys/mman.h>

/* The device copies from one to the other, at the host's addresses. */
static void device_copies(struct umd_space *s, struct umd_queue *q, uint64_t bytes)
{
	struct umd_bo *a = make_bo(s, 0, bytes, KMD_BO_SVM), *b = make_bo(s, 0, bytes, KMD_BO_SVM);
	uint8_t *from = umd_bo_cpu(a), *to = umd_bo_cpu(b);
	assert_int_equal(umd_bo_address(a), (uintptr_t)from);
	assert_int_equal(umd_bo_address(b), (uintptr_t)to);
	for (uint64_t i = 0; i < bytes; i += 509) {
		assert_int_equal(to[i], 0);
		from[i] = (uint8_t)(i >> 3 | 1);
	}
	union packet copy = packet_copy_1d((uintptr_t)to, (uintptr_t)from, (uint32_t)bytes);
	assert_int_equal(run(q, &copy, 1), 0);
	assert_memory_equal(from, to, bytes);
	/* the page behind is nobody's */
	copy.copy.dst = (uintptr_t)to + page_round(bytes);
	copy.copy.width = 1;
	assert_int_equal(run(q, &copy, 1), -FAULT_PAGE_NOT_PRESENT);
	umd_bo_release(a);
	umd_bo_release(b);
}

static void one_address(void **state)
{
	(void)state;
	struct umd_bo *bo = make_bo(space, 0, 1, KMD_BO_SVM);
	/* the same in every process */
	assert_int_equal(umd_bo_address(bo), SVM_BASE);
	umd_bo_release(bo);
	device_copies(space, queue, 5000);
	device_copies(space, queue, (2 << 20) + 4096); /* entries for 2 MiB and for pages */
}

static void nothing_else_lies_there(void **state)
{
	(void)state;
	struct umd_space *other;
	struct umd_bo *bo[40];
	assert_int_equal(umd_space_create(d, &other), 0);
	for (unsigned i = 0; i < 40; i++)
		bo[i] = make_bo(i % 2 ? space : other, 0, 1 + i * 1000, KMD_BO_SVM);
	for (unsigned i = 0; i < 40; i++)
		for (unsigned k = 0; k < i; k++)
			assert_true(umd_bo_address(bo[i]) + umd_bo_size(bo[i]) <= umd_bo_address(bo[k]) ||
				    umd_bo_address(bo[k]) + umd_bo_size(bo[k]) <= umd_bo_address(bo[i]));
	for (unsigned i = 0; i < 40; i++)
		umd_bo_release(bo[i]);
	umd_space_release(other);
}

/* Memory that a command may still use is kept; afterwards its address comes back, with zeros. */
static void reuse_waits(void **state)
{
	(void)state;
	struct umd_bo *a = make_bo(space, 0, 4096, KMD_BO_SVM), *b, *c;
	uint64_t address = umd_bo_address(a);
	union packet nop = packet_nop();
	struct umd_command *command;
	memset(umd_bo_cpu(a), 1, 4096);
	assert_int_equal(umd_submit(queue, &nop, 1, 0, NULL, NULL, &command), 0);
	umd_bo_release(a);
	b = make_bo(space, 0, 4096, KMD_BO_SVM);
	assert_int_not_equal(umd_bo_address(b), address);
	assert_int_equal(umd_wait(command), 0);
	c = make_bo(space, 0, 4096, KMD_BO_SVM);
	assert_int_equal(umd_bo_address(c), address);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(((uint8_t *)umd_bo_cpu(c))[i], 0);
	umd_command_release(command);
	umd_bo_release(b);
	umd_bo_release(c);
}

/* Ten thousand come and go, and no pin, no address and no page of the host's is left of them. */
static void no_leaks(void **state)
{
	enum { LIVE = 64, ROUNDS = 10000 };
	struct umd_bo *live[LIVE] = { NULL };
	uint64_t highest = 0;
	(void)state;
	umd_sync(d);
	uint32_t pinned = pins_count(&driver_of_process()->pins);
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned at = i * 37 % LIVE;
		umd_bo_release(live[at]);
		live[at] = make_bo(space, 0, 4096 * (1 + i % 3), KMD_BO_SVM);
		memset(umd_bo_cpu(live[at]), 1, umd_bo_size(live[at]));
		uint64_t end = umd_bo_address(live[at]) + umd_bo_size(live[at]);
		highest = end > highest ? end : highest;
	}
	for (unsigned i = 0; i < LIVE; i++)
		umd_bo_release(live[i]);
	umd_sync(d);
	assert_int_equal(pins_count(&driver_of_process()->pins), pinned);
	assert_int_equal(driver_of_process()->svm.va.used, 0);
	assert_true(highest - SVM_BASE <= 2 * LIVE * 4 * 4096);
	unsigned char there[2 * LIVE * 4];
	assert_int_equal(mincore((void *)(uintptr_t)SVM_BASE, sizeof there * 4096, there), 0);
	for (unsigned i = 0; i < sizeof there; i++)
		assert_int_equal(there[i] & 1, 0);
}

static void errors(void **state)
{
	(void)state;
	struct umd_bo *bo = NULL;
	struct kmd_part part = { 0, 4096, KMD_BO_SVM };
	char here[64];
	assert_int_equal(umd_bo_create(space, 0, 4096, KMD_BO_SVM | KMD_BO_DRAM, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_import(space, here, sizeof here, KMD_BO_SVM, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_create_parts(space, 4096, &part, 1, &bo), KMD_INVALID);
	/* more than there are pages */
	assert_int_equal(umd_bo_create(space, 0, 1ull << 40, KMD_BO_SVM, &bo), KMD_NO_MEMORY);
	assert_null(bo);
	device_copies(space, queue, 4096);
}

/* Somebody else has the addresses: the next do, the same ones every time. */
static void range_taken(void **state)
{
	enum { TAKEN = 2 };
	const uint64_t range = (uint64_t)PIN_WINDOW * GALENA_PAGE_SIZE;
	void *taken[TAKEN];
	teardown(state);
	for (unsigned i = 0; i < TAKEN; i++)
		taken[i] = mmap((void *)(uintptr_t)(SVM_BASE + i * range + (1ull << 30)), 4096, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	setup(state);
	struct umd_bo *bo = make_bo(space, 0, 4096, KMD_BO_SVM);
	assert_int_equal(umd_bo_address(bo), SVM_BASE + TAKEN * range);
	umd_bo_release(bo);
	device_copies(space, queue, (4 << 20) + 1);
	for (unsigned i = 0; i < TAKEN; i++)
		if (taken[i] != MAP_FAILED)
			munmap(taken[i], 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_address), cmocka_unit_test(nothing_else_lies_there), cmocka_unit_test(reuse_waits),
		cmocka_unit_test(no_leaks),    cmocka_unit_test(errors),		  cmocka_unit_test(range_taken),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
