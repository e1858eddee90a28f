/* What goes wrong on the device: records, statuses, and that the next command works. */
#define _GNU_SOURCE
#include "testbench/driver/fixture.h"
#include "abi/address_map.h"
#include "abi/registers.h"

static struct umd_bo *bo;

static int setup_bo(void **state)
{
	setup(state);
	bo = make_bo(space, 0, 4096, 0);
	return 0;
}

static int teardown_bo(void **state)
{
	umd_bo_release(bo);
	return teardown(state);
}

static void next_command_works(void)
{
	uint32_t *words = umd_bo_cpu(bo);
	words[0] = words[512] ^ 0x12345678;
	union packet p = packet_copy_1d(umd_bo_address(bo) + 2048, umd_bo_address(bo), 4);
	assert_int_equal(run(queue, &p, 1), 0);
	assert_int_equal(words[512], words[0]);
}

/* Runs a command that must fail with a code; its record, of which the caller has one reference. */
static struct fault_record fails_with(const union packet *p, unsigned count, enum fault code)
{
	struct umd_command *c;
	struct completion done;
	assert_int_equal(umd_submit(queue, p, count, 0, NULL, NULL, &c), 0);
	assert_int_equal(umd_wait(c), 0);
	assert_true(umd_command_ended(c, &done));
	assert_int_equal(done.status, -(int)code);
	assert_true(done.submit <= done.start && done.start <= done.end);
	assert_non_null(umd_command_fault(c));
	struct fault_record r = *umd_command_fault(c);
	umd_command_release(c);
	assert_int_equal(r.code, code);
	assert_int_equal(r.progress >> 63, 0); /* the queue does not wait for a replay */
	assert_true(r.cycle >= done.submit && r.cycle <= done.end);
	assert_true(r.asid > 0);
	assert_true(r.queue < REG_QUEUES);
	next_command_works();
	return r;
}

static void unmapped_addresses(void **state)
{
	(void)state;
	uint64_t a = umd_bo_address(bo), sequence = 0;
	static const uint64_t wild[] = { 0, 0x10, 0x7fffffffffff, 0x0000123456789abc, 0xffff800000000000, UINT64_MAX - 64 };
	for (unsigned i = 0; i < sizeof wild / sizeof wild[0]; i++) {
		union packet from = packet_copy_1d(a, wild[i], 32), to = packet_copy_1d(wild[i], a, 32);
		struct fault_record r = fails_with(&from, 1, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(r.address, wild[i]);
		assert_int_equal(r.access, ACCESS_READ);
		assert_int_equal(r.unit, UNIT_DMA);
		assert_int_equal(r.entry, 0);
		assert_true(r.sequence > sequence);
		sequence = r.sequence;
		r = fails_with(&to, 1, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(r.address, wild[i]);
		assert_int_equal(r.access, ACCESS_WRITE);
		assert_int_equal(r.sequence, sequence + 1);
		sequence++;
	}
	/* running over the end of an object: the guard page */
	union packet over = packet_copy_1d(a + 4000, a, 97);
	assert_int_equal(fails_with(&over, 1, FAULT_PAGE_NOT_PRESENT).address, a + 4096);
}

/* What follows the packet that failed, in its command, is not done. */
static void rest_is_skipped(void **state)
{
	(void)state;
	uint64_t a = umd_bo_address(bo);
	uint8_t *bytes = umd_bo_cpu(bo);
	memset(bytes, 0, 4096);
	bytes[0] = 42;
	union packet p[3] = { packet_copy_1d(a + 100, a, 1), packet_copy_1d(0, a, 1), packet_copy_1d(a + 200, a, 1) };
	fails_with(p, 3, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(bytes[100], 42);
	assert_int_equal(bytes[200], 0);
}

static void bad_packets(void **state)
{
	(void)state;
	union packet p = { .head.type = 200 };
	struct fault_record r = fails_with(&p, 1, FAULT_BAD_PACKET);
	assert_int_equal(r.unit, UNIT_CP);
	p = packet_copy_1d(umd_bo_address(bo), umd_bo_address(bo) + 64, 0); /* no width */
	fails_with(&p, 1, FAULT_BAD_PACKET);
	p = (union packet){ .tlb_invalidate = { .head.type = PACKET_CODE_tlb_invalidate, .scope = 9 } };
	fails_with(&p, 1, FAULT_BAD_PACKET);
	p = (union packet){ .fill = { .head.type = PACKET_CODE_fill, .pattern = umd_bo_address(bo),
				      .dst = umd_bo_address(bo), .width = 16, .height = 1, .depth = 1, .pattern_size = 0 } };
	fails_with(&p, 1, FAULT_BAD_PACKET);
	p = (union packet){ .dispatch = { .head.type = PACKET_CODE_dispatch, .entry = 0x1234, .kernarg = 0 } };
	r = fails_with(&p, 1, FAULT_BAD_DISPATCH); /* no work-items */
	assert_int_equal(r.entry, 0x1234);
	p = (union packet){ .tlb_invalidate = { .head.type = PACKET_CODE_tlb_invalidate, .scope = 0 } };
	assert_int_equal(run(queue, &p, 1), 0);
}

/* More failures at once than the ring of records holds: all statuses are right. */
static void many_faults(void **state)
{
	(void)state;
	enum { N = 200 };
	struct umd_command *c[N];
	unsigned records = 0;
	for (unsigned i = 0; i < N; i++) {
		union packet p = packet_copy_1d(0x1000 + i, umd_bo_address(bo), 1);
		assert_int_equal(umd_submit(queue, &p, 1, 0, NULL, NULL, &c[i]), 0);
	}
	assert_int_equal(umd_wait(c[N - 1]), 0);
	for (unsigned i = 0; i < N; i++) {
		struct completion done;
		assert_true(umd_command_ended(c[i], &done));
		assert_int_equal(done.status, -FAULT_PAGE_NOT_PRESENT);
		const struct fault_record *r = umd_command_fault(c[i]);
		if (r) {
			assert_int_equal(r->address, 0x1000 + i);
			records++;
		}
		umd_command_release(c[i]);
	}
	assert_int_equal(records, N);
	char *log = umd_firmware_log(d, 0);
	assert_non_null(strstr(log, "fault"));
	free(log);
	next_command_works();
}

/* A fault of one queue does not touch its neighbours. */
static void others_go_on(void **state)
{
	(void)state;
	struct umd_queue *q[8];
	struct umd_command *c[8];
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(umd_queue_create(space, 0, i % 3, &q[i]), 0);
		union packet p = packet_copy_1d(i % 2 ? 0 : umd_bo_address(bo) + 512 + i, umd_bo_address(bo), 1);
		assert_int_equal(umd_submit(q[i], &p, 1, 0, NULL, NULL, &c[i]), 0);
		umd_flush(q[i]);
	}
	for (unsigned i = 0; i < 8; i++) {
		struct completion done;
		assert_int_equal(umd_wait(c[i]), 0);
		assert_true(umd_command_ended(c[i], &done));
		assert_int_equal(done.status, i % 2 ? -FAULT_PAGE_NOT_PRESENT : 0);
		assert_int_equal(umd_command_fault(c[i]) != NULL, i % 2);
		umd_command_release(c[i]);
		umd_queue_release(q[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unmapped_addresses),
		cmocka_unit_test(rest_is_skipped),
		cmocka_unit_test(bad_packets),
		cmocka_unit_test(many_faults),
		cmocka_unit_test(others_go_on),
	};
	return cmocka_run_group_tests(tests, setup_bo, teardown_bo);
}
