/* The firmware alone, on a device behind a bus: what a driver that is careless or malicious would
 * see. The test is the host: it owns the pages and writes the registers. */
#include "testbench/driver/board.h"

/* ---- boot ---- */
static uint32_t boots_with(void (*change)(struct boot_params *))
{
	fresh();
	change(boot());
	return start();
}

static void other_version(struct boot_params *b) { b->version = 99; }
static void log_not_power(struct boot_params *b) { b->log_size = 3000; }
static void log_too_big(struct boot_params *b) { b->log_size = 8192; }
static void log_nowhere(struct boot_params *b) { b->log = PA(HOLES); }
static void log_in_tcm(struct boot_params *b) { b->log = 0; }
static void faults_nowhere(struct boot_params *b) { b->faults = PA(HOLES + 3); }
static void faults_none(struct boot_params *b) { b->fault_count = 0; }
static void faults_many(struct boot_params *b) { b->fault_count = 64; }
static void flags_set(struct boot_params *b) { b->flags = 1; }

static void handshake(void **state)
{
	(void)state;
	assert_int_equal(boots_with(other_version), FW_BAD_VERSION);
	assert_int_equal(bus_read32(bus, REG_HOST_FW_VERSION), FW_INTERFACE_VERSION);
	void (*const bad[])(struct boot_params *) = { log_not_power, log_too_big, log_nowhere, log_in_tcm,
						      faults_nowhere, faults_none, faults_many, flags_set };
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(boots_with(bad[i]), FW_BAD_PARAMS);
		/* it serves no queue, and does not crash over one */
		desc_fill(0, 1);
		map(0, desc_pa(0));
		settle();
		assert_int_equal(state_of(0), QUEUE_UNMAPPED);
		assert_false(bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_CP_CRASHED);
	}
	fresh();
	bus_write64(bus, REG_HOST_FW_BOOT, PA(HOLES));
	assert_int_equal(start(), FW_BAD_PARAMS);
	fresh();
	bus_write64(bus, REG_HOST_FW_BOOT, 0);
	assert_int_equal(start(), FW_BAD_PARAMS);
	fresh();
	assert_int_equal(start(), FW_READY);
	assert_non_null(strstr((char *)memory + LOG * 4096, "ready"));
	assert_true(boot()->log_written > 20);
	/* a reset, and it boots again */
	bus_write32(bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	assert_int_equal(bus_read32(bus, REG_HOST_FW_STATE), FW_OFF);
}

/* ---- descriptors ---- */
static void bad_descriptors(void **state)
{
	(void)state;
	struct { uint64_t pa; struct queue_desc d; } bad[14];
	unsigned count = 0;
	desc_fill(0, 1);
	struct queue_desc good = *desc(0), d = good;
	bad[count].pa = PA(HOLES), bad[count++].d = good;
	bad[count].pa = desc_pa(0) + 4, bad[count++].d = good;
	bad[count].pa = 0x100000000, bad[count++].d = good; /* DRAM */
	d = good, d.ring_size = 100, bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.ring_size = 0, bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.ring_size = 8192, bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.priority = 3, bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.asid = 0, bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.asid = 65536, bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.flags = 2, bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.ring = PA(HOLES - 1), bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.timeline = PA(HOLES), bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.read_index = 1ull << 48, bad[count].pa = desc_pa(0), bad[count++].d = d;
	d = good, d.failed = 256, bad[count].pa = desc_pa(0), bad[count++].d = d;
	assert_int_equal(count, 14);
	for (unsigned i = 0; i < count; i++) {
		*desc(0) = bad[i].d;
		uint64_t faults = boot()->faults_written;
		map(0, bad[i].pa);
		assert_true(settle() & REG_HOST_IRQ_STATUS_FAULT);
		assert_int_equal(state_of(0), QUEUE_ERROR);
		assert_int_equal(boot()->faults_written, faults + 1);
		assert_int_equal(last_fault()->code, FAULT_QUEUE);
		assert_int_equal(last_fault()->address, bad[i].pa);
		bell(0, 1); /* of no effect */
		assert_int_equal(settle(), 0);
	}
	*desc(0) = good;
	map(0, desc_pa(0));
	settle();
	assert_int_equal(state_of(0), QUEUE_IDLE);
	put(0, 0, packet_nop(), PACKET_END | PACKET_IRQ, 0);
	bell(0, 1);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(record(0)->done, 1);
	map(0, 0);
	settle();
	assert_int_equal(state_of(0), QUEUE_UNMAPPED);
}

static void bad_write_index(void **state)
{
	(void)state;
	static const uint64_t bad[] = { 257, 1000, UINT64_MAX, 1ull << 32 };
	for (unsigned i = 0; i < 4; i++) {
		desc_fill(2, 1);
		map(2, desc_pa(2));
		bell(2, bad[i]);
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_FAULT | REG_HOST_IRQ_STATUS_LOG);
		assert_int_equal(state_of(2), QUEUE_ERROR);
		assert_int_equal(last_fault()->code, FAULT_QUEUE);
		assert_int_equal(last_fault()->address, bad[i]);
		assert_int_equal(last_fault()->queue, 2);
	}
	/* backwards */
	desc_fill(2, 1);
	map(2, desc_pa(2));
	for (unsigned i = 0; i < 4; i++)
		put(2, i, packet_nop(), PACKET_END, i);
	bell(2, 4);
	settle();
	bell(2, 3);
	settle();
	assert_int_equal(state_of(2), QUEUE_ERROR);
	/* a whole ring at once is fine */
	desc_fill(2, 1);
	map(2, desc_pa(2));
	for (unsigned i = 0; i < 256; i++)
		put(2, i, packet_nop(), PACKET_END, i % 100);
	bell(2, 256);
	settle();
	assert_int_equal(state_of(2), QUEUE_IDLE);
	assert_int_equal(desc(2)->read_index, 256);
	map(2, 0);
	settle();
}

/* ---- commands ---- */
static void what_a_command_writes(void **state)
{
	(void)state;
	desc_fill(1, 1);
	desc(1)->read_index = 1000;
	*payload(TIMELINES + 1) = 50;
	map(1, desc_pa(1));
	settle();
	uint64_t before = bus_cycle(bus);
	put(1, 1000, packet_nop(), 0, 0);
	put(1, 1001, packet_nop(), PACKET_END, 1);
	bell(1, 1002);
	assert_int_equal(settle(), 0); /* no IRQ flag, no interrupt */
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(record(1)->status, 0);
	assert_true(record(1)->submit > before && record(1)->submit <= record(1)->start);
	assert_true(record(1)->start <= record(1)->end && record(1)->end < bus_cycle(bus));
	assert_int_equal(*payload(TIMELINES + 1), 51);
	assert_int_equal(desc(1)->read_index, 1002);
	/* a command without a record */
	put(1, 1002, packet_nop(), PACKET_END | PACKET_IRQ, 2);
	ring(1)[1002 % 256].head.completion = 0;
	bell(1, 1003);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(*payload(TIMELINES + 1), 52);
	map(1, 0);
	settle();
}

/* Queues that wake together are served by priority, and in turns within one. */
static void priorities(void **state)
{
	(void)state;
	enum { EACH = 4 };
	static const unsigned priority[6] = { 0, 2, 1, 2, 0, 1 };
	*payload(0) = 0;
	for (unsigned n = 0; n < 6; n++) {
		desc_fill(n, priority[n]);
		map(n, desc_pa(n));
		settle();
		ring(n)[0] = wait_for(payload_pa(0), 1, 0);
		for (unsigned i = 0; i < EACH; i++)
			put(n, 1 + i, packet_nop(), PACKET_END, n * EACH + i);
		bell(n, 1 + EACH);
		settle();
		assert_int_equal(state_of(n), QUEUE_PARKED);
	}
	bus_write64(bus, REG_HOST_SEM_VALUE, 1);
	bus_write64(bus, REG_HOST_SEM_SIGNAL, payload_pa(0));
	settle();
	assert_int_equal(*payload(0), 1);
	for (unsigned a = 0; a < 6; a++) {
		for (unsigned b = 0; b < 6; b++) {
			struct completion *first = record(a * EACH), *last = record(b * EACH + EACH - 1);
			assert_int_equal(last->done, 1);
			if (priority[a] < priority[b])
				assert_true(first->end > last->end);
			else if (a != b && priority[a] == priority[b])
				assert_true(record(a * EACH)->end < record(b * EACH + 1)->end);
		}
		map(a, 0);
	}
	settle();
}

static void faults_of_waits(void **state)
{
	(void)state;
	struct { union packet p; enum fault code; } cases[] = {
		{ wait_for(payload_pa(0) + 4, 1, 0), FAULT_BAD_PACKET },
		{ wait_for(0, 1, 0), FAULT_BAD_PACKET },
		{ wait_for(PA(HOLES), 1, 0), FAULT_BUS_ERROR },
		{ wait_for(payload_pa(0), 0, PA(HOLES)), FAULT_BUS_ERROR },
		{ wait_for(payload_pa(0), 0, record_pa(50)), FAULT_DEPENDENCY },
		{ { .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = PA(HOLES) } }, FAULT_BUS_ERROR },
		{ { .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = 4 } }, FAULT_BAD_PACKET },
		{ { .head.type = PACKET_CODE_jpeg + 1 }, FAULT_BAD_PACKET },
		{ { .head.type = 255 }, FAULT_BAD_PACKET },
	};
	desc_fill(0, 1);
	map(0, desc_pa(0));
	settle();
	*record(50) = (struct completion){ .status = -FAULT_EBREAK, .done = 1 };
	unsigned count = sizeof cases / sizeof cases[0];
	for (unsigned i = 0; i < count; i++) {
		uint64_t faults = boot()->faults_written;
		put(0, 2 * i, cases[i].p, PACKET_END | PACKET_IRQ, i);
		put(0, 2 * i + 1, packet_nop(), PACKET_END, 60);
		bell(0, 2 * i + 2);
		settle();
		assert_int_equal(record(i)->done, 1);
		assert_int_equal(record(i)->status, -(int)cases[i].code);
		assert_int_equal(record(60)->done, 1);
		assert_int_equal(record(60)->status, 0);
		/* a failed dependency has its record where the first failure was */
		assert_int_equal(boot()->faults_written, faults + (cases[i].code != FAULT_DEPENDENCY));
		if (cases[i].code != FAULT_DEPENDENCY) {
			assert_int_equal(last_fault()->code, cases[i].code);
			assert_int_equal(last_fault()->packet, 2 * i);
			assert_int_equal(last_fault()->sequence, boot()->faults_written);
		}
	}
	map(0, 0);
	settle();
}

/* Unmapped while blocked, in the middle of a command: mapped again in another slot, it goes on, with
 * the stamps that it had. */
static void parked_queues_move(void **state)
{
	(void)state;
	*payload(3) = 0;
	desc_fill(4, 1);
	map(4, desc_pa(4));
	settle();
	put(4, 0, packet_nop(), 0, 0);
	ring(4)[1] = wait_for(payload_pa(3), 9, 0);
	put(4, 2, packet_nop(), PACKET_END | PACKET_IRQ, 1);
	bell(4, 3);
	settle();
	assert_int_equal(state_of(4), QUEUE_PARKED);
	uint64_t blocked = bus_cycle(bus);
	map(4, 0);
	settle();
	assert_int_equal(state_of(4), QUEUE_UNMAPPED);
	assert_int_equal(desc(4)->read_index, 1);
	/* nobody waits any more */
	bus_write64(bus, REG_HOST_SEM_VALUE, 9);
	bus_write64(bus, REG_HOST_SEM_SIGNAL, payload_pa(3));
	assert_int_equal(settle(), 0);
	assert_int_equal(record(1)->done, 0);
	map(11, desc_pa(4));
	bell(11, 3);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(record(1)->done, 1);
	assert_true(record(1)->submit < blocked && record(1)->start < blocked && record(1)->end > blocked);
	assert_int_equal(desc(4)->submit, 0);
	map(11, 0);
	settle();
}

/* Resetting a queue in the middle of a transfer: the transfer ends, the rest of the command does
 * not run, and says so. */
static void reset_of_a_busy_queue(void **state)
{
	(void)state;
	desc_fill(5, 1);
	map(5, desc_pa(5));
	settle();
	memset(memory + DATA * 4096, 1, 4096);
	memset(memory + (DATA + 100) * 4096, 0, 300 * 4);
	put(5, 0, packet_copy_1d(VA(DATA + 100), VA(DATA), 90 * 4096), 0, 0);
	put(5, 1, packet_copy_1d(VA(DATA + 250), VA(DATA), 4096), PACKET_END | PACKET_IRQ, 1);
	bell(5, 2);
	while (!(bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_BUSY))
		bus_wait_irq(bus, 10);
	bus_wait_irq(bus, 4000); /* its packet is fetched, its first pages are written */
	map(5, 0);
	settle();
	assert_int_equal(state_of(5), QUEUE_UNMAPPED);
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(record(1)->status, -FAULT_ABORTED);
	assert_int_equal(memory[(DATA + 100) * 4096], 1);
	assert_int_equal(memory[(DATA + 250) * 4096], 0);
	assert_int_equal(desc(5)->read_index, 2);
}

/* The log keeps the last page of what was written. */
static void log_wraps(void **state)
{
	(void)state;
	uint64_t before = boot()->log_written;
	desc_fill(0, 1);
	map(0, desc_pa(0));
	settle();
	for (unsigned i = 0; i < 200; i++)
		put(0, i, (union packet){ .head.type = 99 }, PACKET_END, i % 100);
	bell(0, 200);
	settle();
	assert_true(boot()->log_written > before + 200 * 20);
	const char *log = (const char *)memory + LOG * 4096;
	assert_int_equal(log[(boot()->log_written - 1) % 4096], '\n');
	map(0, 0);
	settle();
}

/* Where a completion record cannot be: the host is told, the queue goes on. So it does when the page
 * goes that holds the ring, but for that queue. */
static void memory_that_is_not_there(void **state)
{
	(void)state;
	static const struct { uint64_t record; unsigned code; } bad[] = {
		{ PA(HOLES + 1), FAULT_BUS_ERROR }, { PA(HOLES) + 4, FAULT_BAD_PACKET }, { 0x8000, FAULT_BAD_PACKET },
		{ CP_MMIO_BASE + REG_HOST_CTRL, FAULT_BAD_PACKET }, { 0x6665646362613938, FAULT_BUS_ERROR },
	};
	desc_fill(0, 1);
	map(0, desc_pa(0));
	settle();
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		uint64_t faults = boot()->faults_written;
		put(0, 2 * i, packet_nop(), PACKET_END, 0);
		ring(0)[2 * i].head.completion = bad[i].record;
		put(0, 2 * i + 1, packet_nop(), PACKET_END | PACKET_IRQ, 1);
		bell(0, 2 * i + 2);
		uint32_t seen = settle();
		assert_false(seen & REG_HOST_IRQ_STATUS_CRASH);
		assert_true(seen & REG_HOST_IRQ_STATUS_COMPLETE);
		assert_int_equal(boot()->faults_written, faults + 1);
		assert_int_equal(last_fault()->code, bad[i].code);
		assert_int_equal(last_fault()->packet, 2 * i);
		assert_int_equal(record(1)->done, 1);
		assert_int_equal(record(1)->status, 0);
	}
	/* the page of a ring is no longer pinned: its queue is in error, another goes on */
	for (unsigned q = 1; q < 3; q++) {
		desc_fill(q, 1);
		map(q, desc_pa(q));
		put(q, 0, packet_nop(), PACKET_END | PACKET_IRQ, q);
	}
	settle();
	uint64_t faults = boot()->faults_written;
	board_unpin(RINGS + 4);
	bell(1, 1);
	bell(2, 1);
	assert_true(settle() & REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(boot()->faults_written, faults + 1);
	assert_int_equal(last_fault()->code, FAULT_QUEUE);
	assert_int_equal(last_fault()->address, PA(RINGS + 4));
	assert_int_equal(state_of(1), QUEUE_ERROR);
	assert_int_equal(record(1)->done, 0);
	assert_int_equal(record(2)->done, 1);
	assert_false(bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_CP_CRASHED);
	board_unpin(HOLES);
}

/* A queue gives its slot up in the middle of a command, of which the rest is lost with the ring: the one that comes is mapped. */
static void lost_ring_gives_way(void **state)
{
	(void)state;
	desc_fill(0, 1);
	map(0, desc_pa(0));
	put(0, 0, launch(KERNEL_SPIN, 0), 0, 0);
	put(0, 1, packet_nop(), LAST, 0);
	bell(0, 2);
	RUN_UNTIL(device_busy());
	uint64_t faults = boot()->faults_written;
	board_unpin(RINGS);
	desc_fill(1, 1); /* for slot 0 */
	put(1, 0, packet_nop(), LAST, 1);
	bus_write64(bus, REG_HOST_DOORBELL, 0);
	map(0, desc_pa(1));
	bell(0, 1);
	settle();
	/* the kernel was aborted; the packet behind it could not be read */
	assert_int_equal(boot()->faults_written, faults + 2);
	assert_int_equal(last_fault()->code, FAULT_QUEUE);
	assert_int_equal(last_fault()->address, PA(RINGS) + 64);
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(record(1)->status, 0);
	assert_int_equal(state_of(0), QUEUE_IDLE);
	board_unpin(HOLES);
}

/* A crash of the firmware, injected: the device says where. Last: nothing works after it. */
static void crash(void **state)
{
	(void)state;
	bus_write64(bus, REG_HOST_INJECT_ARG, 10);
	bus_write32(bus, REG_HOST_INJECT, INJECT_CP_CRASH);
	desc_fill(0, 1);
	map(0, desc_pa(0));
	assert_true(settle() & REG_HOST_IRQ_STATUS_CRASH);
	uint32_t status = bus_read32(bus, REG_HOST_STATUS);
	assert_true(status & REG_HOST_STATUS_CP_CRASHED);
	assert_false(status & REG_HOST_STATUS_CP_RUNNING);
	assert_true(bus_read64(bus, REG_HOST_CRASH_PC) < 0x10000);
	bell(0, 2);
	assert_int_equal(settle(), 0);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handshake),
		cmocka_unit_test_setup(bad_descriptors, board_setup),
		cmocka_unit_test(bad_write_index),
		cmocka_unit_test(what_a_command_writes),
		cmocka_unit_test(priorities),
		cmocka_unit_test(faults_of_waits),
		cmocka_unit_test(parked_queues_move),
		cmocka_unit_test(reset_of_a_busy_queue),
		cmocka_unit_test(log_wraps),
		cmocka_unit_test(memory_that_is_not_there),
		cmocka_unit_test_setup(lost_ring_gives_way, board_setup),
		cmocka_unit_test(crash),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
