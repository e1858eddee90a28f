/* Buffer objects, imports, address spaces: addresses, rights, exhaustion, reuse. */
#define _GNU_SOURCE
#include "testbench/driver/fixture.h"
#include "abi/address_map.h"
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void *host_pages(unsigned count)
{
	void *p = mmap(NULL, count * 4096ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(p != MAP_FAILED);
	return p;
}

static void addresses_are_the_calls_own(void **state)
{
	(void)state;
	struct umd_bo *a = make_bo(space, 0, 1, 0), *b = make_bo(space, 0, 4097, 0), *c;
	uint64_t first = umd_bo_address(a);
	assert_true(first >= VA_HEAP_BASE && first < VA_HEAP_BASE + VA_HEAP_SIZE);
	assert_int_equal(first % 4096, 0);
	assert_int_equal(umd_bo_address(b), first + 8192);     /* a guard page in between */
	assert_int_equal(umd_bo_size(b), 4097);
	umd_bo_release(a);
	c = make_bo(space, 0, 4096, 0);
	assert_int_equal(umd_bo_address(c), first);            /* nothing was submitted: free at once */
	umd_bo_release(b);
	umd_bo_release(c);
}

/* Memory that a command may use is not reused before somebody has seen the command end. */
static void reuse_waits_for_cover(void **state)
{
	(void)state;
	struct umd_bo *a = make_bo(space, 0, 4096, 0);
	uint64_t address = umd_bo_address(a);
	union packet nop = packet_nop();
	struct umd_command *c;
	assert_int_equal(umd_submit(queue, &nop, 1, 0, NULL, NULL, &c), 0);
	umd_bo_release(a);
	struct umd_bo *b = make_bo(space, 0, 4096, 0);
	assert_int_not_equal(umd_bo_address(b), address);
	assert_int_equal(umd_wait(c), 0);
	struct umd_bo *e = make_bo(space, 0, 4096, 0);
	assert_int_equal(umd_bo_address(e), address);
	umd_command_release(c);
	umd_bo_release(b);
	umd_bo_release(e);
}

static void invalid_arguments(void **state)
{
	(void)state;
	struct umd_bo *bo = NULL;
	struct umd_queue *q;
	assert_int_equal(umd_bo_create(space, 0, 0, 0, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_create(space, 2, 4096, KMD_BO_DRAM, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_create(space, 0, 4096, 1u << 31, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_import(space, (void *)1, 0, 0, &bo), KMD_INVALID);
	assert_int_equal(umd_queue_create(space, 2, 1, &q), KMD_INVALID);
	assert_int_equal(umd_queue_create(space, 0, 3, &q), KMD_INVALID);
	assert_int_equal(umd_submit(queue, NULL, 0, 0, NULL, NULL, NULL), KMD_INVALID);
	union packet wait = { .sem_wait = { .head.type = PACKET_CODE_sem_wait, .semaphore = SYSTEM_BASE, .value = 1 } }; /* no fence */
	assert_int_equal(umd_submit(queue, &wait, 1, 0, NULL, NULL, NULL), KMD_BAD_HANDLE);
	assert_null(bo);
}

static void imports_are_the_memory_itself(void **state)
{
	(void)state;
	uint8_t *p = host_pages(4), *q = p + 4096 + 100;
	struct umd_bo *in, *out = make_bo(space, 0, 4096, 0);
	assert_int_equal(umd_bo_import(space, q, 5000, 0, &in), 0);
	assert_ptr_equal(umd_bo_cpu(in), q);
	assert_int_equal(umd_bo_address(in) % 4096, 100);
	memset(q, 7, 5000);
	union packet down = packet_copy_1d(umd_bo_address(out), umd_bo_address(in) + 4000, 1000);
	assert_int_equal(run(queue, &down, 1), 0);
	assert_memory_equal(umd_bo_cpu(out), q + 4000, 1000);
	memset(umd_bo_cpu(out), 9, 4096);
	union packet up = packet_copy_1d(umd_bo_address(in), umd_bo_address(out), 4096);
	assert_int_equal(run(queue, &up, 1), 0);
	assert_int_equal(q[0], 9);
	assert_int_equal(q[4095], 9);
	assert_int_equal(q[4096], 7);
	assert_int_equal(q[-1], 0);
	umd_bo_release(in);
	umd_bo_release(out);
	umd_sync(d);
	munmap(p, 4 * 4096);
}

static void imports_of_bad_memory(void **state)
{
	(void)state;
	uint8_t *p = host_pages(6);
	struct umd_bo *bo = NULL;
	memset(p, 1, 6 * 4096);
	mprotect(p + 4096, 4096, PROT_READ);
	mprotect(p + 3 * 4096, 4096, PROT_NONE);
	munmap(p + 5 * 4096, 4096);
	assert_int_equal(umd_bo_import(space, p, 2 * 4096, 0, &bo), KMD_BAD_ADDRESS);        /* read-only */
	assert_int_equal(umd_bo_import(space, p + 2 * 4096 + 4095, 2, 0, &bo), KMD_BAD_ADDRESS); /* no rights */
	assert_int_equal(umd_bo_import(space, p + 2 * 4096, 4097, KMD_BO_READ_ONLY, &bo), KMD_BAD_ADDRESS);
	assert_int_equal(umd_bo_import(space, p + 4 * 4096, 4097, 0, &bo), KMD_BAD_ADDRESS); /* not mapped */
	assert_int_equal(umd_bo_import(space, NULL, 1, 0, &bo), KMD_BAD_ADDRESS);
	assert_int_equal(umd_bo_import(space, (void *)(UINTPTR_MAX - 4096), 10, 0, &bo), KMD_BAD_ADDRESS);
	assert_null(bo);
	/* the read-only page can be imported as such, and only as such */
	assert_int_equal(umd_bo_import(space, p + 4096, 4096, KMD_BO_READ_ONLY, &bo), 0);
	struct umd_bo *out = make_bo(space, 0, 4096, 0);
	union packet get = packet_copy_1d(umd_bo_address(out), umd_bo_address(bo), 4096);
	union packet put = packet_copy_1d(umd_bo_address(bo), umd_bo_address(out), 4096);
	assert_int_equal(run(queue, &get, 1), 0);
	assert_memory_equal(umd_bo_cpu(out), p + 4096, 4096);
	assert_int_equal(run(queue, &put, 1), -FAULT_PAGE_WRITE);
	umd_bo_release(bo);
	umd_bo_release(out);
	umd_sync(d);
	munmap(p, 5 * 4096);
}

/* Ranges so large that the kernel is asked about mappings, not pages, are as good as their worst page. */
static void large_imports(void **state)
{
	(void)state;
	enum { PAGES = 1024, BAD = 700, GUARD_INSTALL = 102 };
	const uint64_t size = PAGES * 4096ull;
	FILE *file = tmpfile();
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), BAD * 4096), 0);
	for (int kind = 0; kind < 6; kind++) {
		uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | (kind == 5 ? 0 : MAP_ANONYMOUS),
				  kind == 5 ? fileno(file) : -1, 0);
		uint8_t *bad = p + BAD * 4096;
		struct umd_bo *bo = NULL;
		assert_ptr_not_equal(p, MAP_FAILED);
		for (int again = 0; again < 2; again++) { /* pages that nobody has touched, then pages that are there */
			if (kind == 5)
				break; /* not all of it is there */
			assert_int_equal(umd_bo_import(space, p, size, 0, &bo), 0);
			umd_bo_release(bo);
			umd_sync(d);
			memset(p, 3, size);
		}
		bo = NULL;
		bool readable = kind < 2;
		if (kind == 1)
			assert_int_equal(mprotect(bad, 4096, PROT_READ), 0);
		else if (kind == 2)
			assert_int_equal(mprotect(bad, 4096, PROT_NONE), 0);
		else if (kind == 3)
			assert_int_equal(munmap(bad, 4096), 0);
		else if (kind == 4 && madvise(bad, 4096, GUARD_INSTALL)) { /* Linux 6.13 */
			print_message("# skip: no guard pages: %s\n", strerror(errno));
			munmap(p, size);
			continue;
		}
		assert_int_equal(umd_bo_import(space, p, size, 0, &bo), kind ? KMD_BAD_ADDRESS : 0);
		umd_bo_release(bo);
		bo = NULL;
		assert_int_equal(umd_bo_import(space, p, size, KMD_BO_READ_ONLY, &bo), readable ? 0 : KMD_BAD_ADDRESS);
		if (bo) {
			struct umd_bo *out = make_bo(space, 0, size, 0);
			union packet get = packet_copy_1d(umd_bo_address(out), umd_bo_address(bo), (uint32_t)size);
			assert_int_equal(run(queue, &get, 1), 0);
			assert_memory_equal(umd_bo_cpu(out), p, size);
			umd_bo_release(out);
		}
		umd_bo_release(bo);
		umd_sync(d);
		munmap(p, size);
	}
	fclose(file);
}

/* Two imports share a page: what one may not write, the other may; giving one up leaves the other. */
static void pages_are_shared(void **state)
{
	(void)state;
	uint8_t *p = host_pages(2);
	struct umd_bo *ro, *rw, *src = make_bo(space, 0, 4096, 0);
	memset(umd_bo_cpu(src), 0x77, 4096);
	assert_int_equal(umd_bo_import(space, p, 4096, KMD_BO_READ_ONLY, &ro), 0);
	assert_int_equal(umd_bo_import(space, p + 64, 5000, 0, &rw), 0);
	union packet to_ro = packet_copy_1d(umd_bo_address(ro), umd_bo_address(src), 16);
	union packet to_rw = packet_copy_1d(umd_bo_address(rw), umd_bo_address(src), 16);
	assert_int_equal(run(queue, &to_ro, 1), -FAULT_PAGE_WRITE);
	assert_int_equal(run(queue, &to_rw, 1), 0);
	assert_int_equal(p[64], 0x77);
	uint64_t gone = umd_bo_address(rw);
	umd_bo_release(rw);
	union packet from_ro = packet_copy_1d(umd_bo_address(src), umd_bo_address(ro), 4096);
	assert_int_equal(run(queue, &from_ro, 1), 0);
	assert_int_equal(((uint8_t *)umd_bo_cpu(src))[64], 0x77);
	union packet to_gone = packet_copy_1d(gone, umd_bo_address(src), 16);
	assert_int_equal(run(queue, &to_gone, 1), -FAULT_PAGE_NOT_PRESENT);
	umd_bo_release(ro);
	umd_bo_release(src);
	umd_sync(d);
	munmap(p, 2 * 4096);
}

static void read_only_objects(void **state)
{
	(void)state;
	struct umd_bo *ro = make_bo(space, 0, 4096, KMD_BO_READ_ONLY), *rw = make_bo(space, 0, 4096, 0);
	memset(umd_bo_cpu(ro), 3, 4096);
	union packet get = packet_copy_1d(umd_bo_address(rw), umd_bo_address(ro), 4096);
	union packet put = packet_copy_1d(umd_bo_address(ro), umd_bo_address(rw), 4096);
	assert_int_equal(run(queue, &get, 1), 0);
	assert_int_equal(((uint8_t *)umd_bo_cpu(rw))[4095], 3);
	assert_int_equal(run(queue, &put, 1), -FAULT_PAGE_WRITE);
	umd_bo_release(ro);
	umd_bo_release(rw);
}

static void device_memory_runs_out(void **state)
{
	(void)state;
	struct umd_bo *bo[32] = { 0 }, *more;
	unsigned n = 0;
	while (n < 32 && !umd_bo_create(space, 1, 100ull << 20, KMD_BO_DRAM, &bo[n]))
		n++;
	assert_int_equal(n, 20); /* 2048 MiB in pieces of 100 */
	assert_int_equal(umd_bo_create(space, 1, 100ull << 20, KMD_BO_DRAM, &more), KMD_NO_DEVICE_MEMORY);
	assert_int_equal(umd_bo_create(space, 0, 100ull << 20, KMD_BO_DRAM, &more), 0); /* the other device */
	umd_bo_release(more);
	umd_bo_release(bo[7]);
	bo[7] = make_bo(space, 1, 100ull << 20, KMD_BO_DRAM);
	for (unsigned i = 0; i < n; i++)
		umd_bo_release(bo[i]);
	more = make_bo(space, 1, 2047ull << 20, KMD_BO_DRAM);
	umd_bo_release(more);
	assert_int_equal(umd_bo_create(space, 1, 3ull << 30, KMD_BO_DRAM, &more), KMD_NO_DEVICE_MEMORY);
	assert_int_equal(umd_bo_create(space, 1, VA_HEAP_SIZE, 0, &more), KMD_NO_MEMORY);
}

/* Memory held by a command that ended without anybody waiting is found when it is needed. */
static void exhaustion_looks_again(void **state)
{
	(void)state;
	struct umd_bo *bo = make_bo(space, 1, 2000ull << 20, KMD_BO_DRAM), *again;
	union packet nop = packet_nop();
	assert_int_equal(umd_submit(queue, &nop, 1, 0, NULL, NULL, NULL), 0);
	umd_flush(queue);
	umd_bo_release(bo);
	assert_int_equal(umd_bo_create(space, 1, 2000ull << 20, KMD_BO_DRAM, &again), 0);
	umd_bo_release(again);
}

static void many_spaces(void **state)
{
	(void)state;
	enum { N = 600 };
	struct umd_space *s[N];
	struct umd_bo *bo[N], *out[N];
	struct umd_queue *q[N];
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < N; i++) {
			assert_int_equal(umd_space_create(d, &s[i]), 0);
			bo[i] = make_bo(s[i], 0, 4096, 0);
			out[i] = make_bo(s[i], 0, 4096, 0);
			assert_int_equal(umd_bo_address(bo[i]), umd_bo_address(bo[0])); /* each starts afresh */
			memset(umd_bo_cpu(bo[i]), (int)(i * 7 + round), 4096);
			assert_int_equal(umd_queue_create(s[i], i % 2, i % 3, &q[i]), 0);
		}
		for (unsigned i = 0; i < N; i++) {
			union packet p = packet_copy_1d(umd_bo_address(out[i]), umd_bo_address(bo[i]), 4096);
			assert_int_equal(run(q[i], &p, 1), 0);
			assert_memory_equal(umd_bo_cpu(out[i]), umd_bo_cpu(bo[i]), 4096);
		}
		for (unsigned i = 0; i < N; i++) {
			umd_space_release(s[i]); /* lives on for its objects */
			umd_queue_release(q[i]);
			umd_bo_release(bo[i]);
			umd_bo_release(out[i]);
		}
	}
}

/* What one space maps, another does not see. */
static void spaces_are_apart(void **state)
{
	(void)state;
	struct umd_space *other;
	assert_int_equal(umd_space_create(d, &other), 0);
	struct umd_bo *here = make_bo(space, 0, 4096, 0);
	struct umd_bo *far_away[8];
	for (unsigned i = 0; i < 8; i++)
		far_away[i] = make_bo(other, 0, 1 << 20, 0);
	union packet p = packet_copy_1d(umd_bo_address(here), umd_bo_address(far_away[7]), 16);
	assert_int_equal(run(queue, &p, 1), -FAULT_PAGE_NOT_PRESENT);
	for (unsigned i = 0; i < 8; i++)
		umd_bo_release(far_away[i]);
	umd_bo_release(here);
	umd_space_release(other);
}

/* Addresses that are used anew show the new memory: nothing stale is left in a TLB. */
static void reused_addresses_are_fresh(void **state)
{
	(void)state;
	struct umd_bo *out = make_bo(space, 0, 64 << 10, 0);
	uint64_t address = 0;
	for (unsigned i = 0; i < 100; i++) {
		uint32_t size = i % 2 ? 4096 : 64 << 10; /* page by page, and the whole space */
		struct umd_bo *in = make_bo(space, 0, size, 0);
		if (!address)
			address = umd_bo_address(in);
		assert_int_equal(umd_bo_address(in), address);
		memset(umd_bo_cpu(in), (int)i + 1, size);
		union packet p = packet_copy_1d(umd_bo_address(out), umd_bo_address(in), size);
		assert_int_equal(run(queue, &p, 1), 0);
		assert_memory_equal(umd_bo_cpu(out), umd_bo_cpu(in), size);
		umd_bo_release(in);
	}
	umd_bo_release(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_the_calls_own),
		cmocka_unit_test(reuse_waits_for_cover),
		cmocka_unit_test(invalid_arguments),
		cmocka_unit_test(imports_are_the_memory_itself),
		cmocka_unit_test(imports_of_bad_memory),
		cmocka_unit_test(large_imports),
		cmocka_unit_test(pages_are_shared),
		cmocka_unit_test(read_only_objects),
		cmocka_unit_test(device_memory_runs_out),
		cmocka_unit_test(exhaustion_looks_again),
		cmocka_unit_test(many_spaces),
		cmocka_unit_test(spaces_are_apart),
		cmocka_unit_test(reused_addresses_are_fresh),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
