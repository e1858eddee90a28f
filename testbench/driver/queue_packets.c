/* Packets of a ring: when they are read, and what in them is not looked at. */
#include "testbench/driver/queue_board.h"
#include "testbench/random.h"

/* A packet that is changed behind its doorbell, while its queue is parked before it: the firmware reads it when its turn comes. */
static void changed_behind_the_doorbell(void **state)
{
	(void)state;
	*payload(0) = 0;
	queue_up(0, 1, 0);
	args(0)[0] = VA(DATA), args(0)[1] = 1;
	args(1)[0] = VA(DATA) + 8, args(1)[1] = 2;
	put(0, 0, wait_for(payload_pa(0), 1, 0), 0, 0);
	put(0, 1, launch(KERNEL_STORE, 0), LAST, 0);
	put(0, 2, (union packet){ .head.type = 99 }, LAST, 1);
	bell(0, 3);
	settle();
	assert_int_equal(state_of(0), QUEUE_PARKED);
	put(0, 1, launch(KERNEL_STORE, 1), LAST, 0);
	put(0, 2, packet_nop(), LAST, 1);
	signal_payload(0, 1);
	settle();
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(record(1)->status, 0);
	assert_int_equal(((uint64_t *)(memory + DATA * 4096))[0], 0);
	assert_int_equal(((uint64_t *)(memory + DATA * 4096))[1], 2);
	assert_int_equal(boot()->faults_written, 0);
}

enum { KINDS = 8, ROUNDS = 12 };
static uint64_t first_seed;

/* Of each type one that can be seen to have worked, and how many of its bytes have a meaning. */
static union packet sound(unsigned kind, unsigned *bytes)
{
	*bytes = 64;
	switch (kind) {
	case 0: *bytes = 16; return packet_nop();
	case 1: return launch(KERNEL_STORE, 0);
	case 2: return packet_copy_1d(VA(DATA + 1), VA(DATA), 64);
	case 3:
		return (union packet){ .fill = { .head.type = PACKET_CODE_fill, .pattern = VA(DATA), .dst = VA(DATA + 1), .width = 64, .height = 1,
						 .depth = 1, .pattern_size = 8 } };
	case 4: *bytes = 44; return wait_for(payload_pa(0), 5, record_pa(60));
	case 5:
		*bytes = 32;
		return (union packet){ .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = payload_pa(1), .value = 9 } };
	case 6:
		*bytes = 32;
		return (union packet){ .tlb_invalidate = { .head.type = PACKET_CODE_tlb_invalidate, .address = VA(DATA), .scope = 2, .asid = 1 } };
	default:
		*bytes = 40;
		return (union packet){ .cache = { .head.type = PACKET_CODE_cache, .address = VA(DATA), .size = 64, .op = CACHE_CLEAN } };
	}
}

static void worked(unsigned kind)
{
	const uint64_t *from = (const uint64_t *)(memory + DATA * 4096), *to = (const uint64_t *)(memory + (DATA + 1) * 4096);

	switch (kind) {
	case 1: assert_int_equal(*from, 0x1122334455667788); break;
	case 2: assert_memory_equal(to, from, 64); break;
	case 3:
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(to[i], from[0]);
		break;
	case 5: assert_int_equal(*payload(1), 9); break;
	case 6: assert_int_equal(events_at(event_place(EVENT_TLB_INVALIDATE, EVENT_NO_QUEUE, VA(DATA), 2, 0))->asid, 1); break;
	}
}

/* Random tags, bytes that are to be zero, flags that there are not, bytes behind the last field: the same happens. */
static void what_is_not_looked_at(void **state)
{
	uint64_t seed = first_seed, index = 0;

	(void)state;
	queue_up(0, 1, 0);
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (unsigned round = 0; round < ROUNDS; round++) {
			unsigned bytes;
			union packet p = sound(kind, &bytes);

			*payload(0) = 5;
			*payload(1) = 0;
			args(0)[0] = VA(DATA), args(0)[1] = 0x1122334455667788;
			for (unsigned i = 0; i < 512; i++) {
				((uint64_t *)(memory + DATA * 4096))[i] = splitmix64(&seed);
				((uint64_t *)(memory + (DATA + 1) * 4096))[i] = 0;
			}
			p.head.tag = (uint32_t)splitmix64(&seed);
			p.head.reserved = (uint16_t)splitmix64(&seed);
			for (unsigned i = bytes; i < 64; i++)
				((uint8_t *)&p)[i] = (uint8_t)splitmix64(&seed);
			put(0, index, p, LAST | (uint8_t)(splitmix64(&seed) << 4), 0);
			const uint64_t before = bus_cycle(bus);
			bell(0, ++index);
			assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE);
			assert_int_equal(record(0)->done, 1);
			if (record(0)->status)
				fail_msg("type %u: status %d", p.head.type, record(0)->status);
			assert_in_range(record(0)->submit, before, record(0)->start);
			assert_in_range(record(0)->end, record(0)->start, bus_cycle(bus));
			worked(kind);
			assert_int_equal(boot()->faults_written, 0);
			assert_int_equal(desc(0)->read_index, index);
		}
	/* and of a packet that fails, whatever they are, the record says the same */
	for (unsigned round = 0; round < ROUNDS; round++) {
		union packet p = { .head.type = 99 };

		for (unsigned i = 4; i < 64; i++)
			((uint8_t *)&p)[i] = (uint8_t)splitmix64(&seed);
		put(0, index, p, LAST | (uint8_t)(splitmix64(&seed) << 4), 0);
		bell(0, ++index);
		settle();
		struct fault_record *f = last_fault();
		assert_int_equal(record(0)->status, -FAULT_BAD_PACKET);
		assert_int_equal(boot()->faults_written, round + 1);
		assert_int_equal(f->code, FAULT_BAD_PACKET);
		assert_int_equal(f->unit, UNIT_CP);
		assert_int_equal(f->address, PA(RINGS) + (index - 1) * 64);
		assert_int_equal(f->pc | f->access | f->entry | f->progress | f->group_id[0] | f->local_id[0], 0);
	}
}

int main(int argc, char **argv)
{
	first_seed = seed_take(argc, argv);
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(changed_behind_the_doorbell, board_setup),
		cmocka_unit_test_setup(what_is_not_looked_at, board_setup),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
