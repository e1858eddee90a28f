/* Many queues at random: what the host may do to them, and whatever else it does. */
#include "testbench/driver/board.h"

static uint64_t seed;

/* What one queue of the storm has been given. */
struct flood {
	uint64_t write;
	unsigned commands;
};

static const uint64_t flood_page = VA(DATA + 150);

/* The page that some packets need. */
static void flood_map(bool there)
{
	board_map(1, flood_page, there ? PA(DATA + 150) : 0, there ? BOARD_PTE : 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
}

/* A command of one to three packets, and the record that it will fill. */
static void flood_add(struct flood *f, unsigned n)
{
	unsigned count = 1 + (unsigned)(splitmix64(&seed) % 3);
	for (unsigned i = 0; i < count; i++) {
		union packet p = packet_nop();
		switch (splitmix64(&seed) % 8) {
		case 0: p = launch(KERNEL_EXIT, 0); break;
		case 1: p = launch(KERNEL_SPIN, 0); break; /* until it is reset */
		case 2: p = packet_copy_1d(VA(DATA + 10 * n), VA(DATA), 1 + (uint32_t)(splitmix64(&seed) % 20000)); break;
		case 3: p = wait_for(payload_pa(n), splitmix64(&seed) % 3, 0); break;
		case 4: p = launch(KERNEL_STORE, 0); break; /* to the page that comes and goes */
		case 5: p = packet_copy_1d(flood_page - 64, VA(DATA), 128); break;
		}
		put(n, f->write++, p, i + 1 == count ? LAST : 0, 12 * n + f->commands % 12);
	}
	f->commands++;
}

/* Random requests at random times, and a page that comes and goes: every command ends once, in order,
 * well or aborted, or with its page fault where that is not replayable; nothing else happens. */
static void storm(void **state)
{
	(void)state;
	enum { QUEUES = 8 };
	struct flood f[QUEUES] = { 0 };
	unsigned replays = 0;
	for (unsigned n = 0; n < QUEUES; n++)
		queue_up(n, n % 3, n & 1);
	args(0)[0] = flood_page;
	for (unsigned step = 0; step < 30000; step++) {
		unsigned n = (unsigned)(splitmix64(&seed) % QUEUES);
		switch (splitmix64(&seed) % 7) {
		case 0:
		case 1:
			if (f[n].commands - timeline(n) < 12) {
				flood_add(&f[n], n);
				bell(n, f[n].write);
			}
			break;
		case 2:
			if (state_of(n) == QUEUE_FAULTED && splitmix64(&seed) % 4) {
				flood_map(true);
				control(n, QUEUE_CTRL_REPLAY);
				replays++;
			} else {
				control(n, (enum queue_ctrl)(1 + splitmix64(&seed) % 4));
			}
			break;
		case 3:
			*payload(n) = 0;
			signal_payload(n, splitmix64(&seed) % 3);
			break;
		case 4:
			flood_map(splitmix64(&seed) % 2);
			break;
		case 5:
			if (splitmix64(&seed) % 16 == 0) { /* taken off its slot, whatever it does, and put on again */
				map(n, desc_pa(n));
				bell(n, f[n].write);
			}
			break;
		default:
			bus_wait_irq(bus, splitmix64(&seed) % 4000);
		}
		bus_write32(bus, REG_HOST_IRQ_STATUS, 0xff);
	}
	/* the host makes peace: nothing hangs for good */
	flood_map(true);
	for (unsigned n = 0; n < QUEUES; n++) {
		control(n, QUEUE_CTRL_RESUME);
		signal_payload(n, 2);
		for (unsigned left = 200; timeline(n) < f[n].commands; left--) {
			uint64_t before = timeline(n);
			assert_true(left);
			for (unsigned i = 0; i < 300; i++)
				bus_read32(bus, REG_HOST_ID);
			bus_write32(bus, REG_HOST_IRQ_STATUS, 0xff);
			if (timeline(n) == before)
				control(n, state_of(n) == QUEUE_FAULTED ? QUEUE_CTRL_REPLAY : QUEUE_CTRL_RESET);
		}
		assert_int_equal(timeline(n), f[n].commands);
	}
	settle();
	unsigned aborted = 0, well = 0, faulted = 0;
	for (unsigned n = 0; n < QUEUES; n++) {
		assert_int_equal(state_of(n), QUEUE_IDLE);
		assert_int_equal(requested(n), 0);
		assert_int_equal(desc(n)->read_index, f[n].write);
		for (unsigned i = 0; i < f[n].commands && i < 12; i++) {
			const struct completion *r = record(12 * n + i);
			assert_int_equal(r->done, 1);
			assert_true(r->status == 0 || r->status == -FAULT_ABORTED ||
				    (r->status == -FAULT_PAGE_NOT_PRESENT && !(n & 1)));
			aborted += r->status == -FAULT_ABORTED;
			faulted += r->status == -FAULT_PAGE_NOT_PRESENT;
			well += r->status == 0;
			if (r->submit > r->start || r->start > r->end)
				fail_msg("queue %u command %u, status %d: submit %" PRIu64 " start %" PRIu64 " end %" PRIu64, n, i,
					 r->status, r->submit, r->start, r->end);
		}
	}
	assert_true(aborted && well && replays);
	printf("# %u commands well, %u aborted, %u faulted among the last; %u replays\n", well, aborted, faulted,
	       replays);
	assert_false(bus_read32(bus, REG_HOST_STATUS) & (REG_HOST_STATUS_BUSY | REG_HOST_STATUS_CP_CRASHED));
}

static uint64_t careless_value(void)
{
	uint64_t r = splitmix64(&seed);
	switch (r & 7) {
	case 0: return r >> 8 & 15;
	case 1: return 1ull << (r >> 8 & 63);
	case 2: return desc_pa(r >> 8 & 15);
	case 3: return payload_pa(r >> 8 & 255);
	case 4: return PA(r >> 8 & (PAGES - 1)) + (r >> 32 & 0xff8);
	case 5: return DRAM_BASE + (r >> 8 & 0xfffff8);
	}
	return r;
}

/* Any write to any register at any time, with queues at work: the device takes it, nothing outside
 * it breaks, and after a reset it is as new. */
static void careless_host(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		struct flood f[8] = { 0 };
		for (unsigned n = 0; n < 8; n++)
			queue_up(n, n % 3, n & 1);
		for (unsigned n = 0; n < 8; n++) {
			for (unsigned i = 0; i < 10; i++)
				flood_add(&f[n], n);
			bell(n, f[n].write);
		}
		for (unsigned i = 0; i < 3000; i++) {
			uint64_t r = splitmix64(&seed);
			uint32_t offset = r & 1 ? (uint32_t)(r >> 8) & 0x21fc : (uint32_t)(r >> 8) & 0x10fc;
			if ((r >> 40 & 63) == 0)
				offset = (uint32_t)(r >> 8);
			/* every other round keeps the firmware alive for a while */
			if (round % 2 && (offset & ~7u) >= REG_HOST_CTRL && offset <= REG_HOST_CP_ENTRY + 4 && i < 2900)
				continue;
			if (round % 2 && (offset & ~7u) == REG_HOST_INJECT && r >> 48 & 15)
				continue;
			if (r & 2)
				bus_write32(bus, offset, (uint32_t)careless_value());
			else
				bus_write64(bus, offset, careless_value());
			if ((r >> 50 & 7) == 0)
				bus_wait_irq(bus, r >> 53);
		}
		again();
		assert_int_equal(settle(), 0);
		assert_int_equal(bus_read32(bus, REG_HOST_STATUS), 0);
		assert_int_equal(start(), FW_READY);
		queue_up(0, 1, 0);
		args(0)[0] = VA(DATA), args(0)[1] = round + 1;
		put(0, 0, launch(KERNEL_STORE, 0), 0, 0);
		put(0, 1, packet_copy_1d(VA(DATA) + 8, VA(DATA), 8), LAST, 0);
		bell(0, 2);
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE);
		assert_int_equal(record(0)->status, 0);
		assert_int_equal(*(uint64_t *)(memory + DATA * 4096 + 8), round + 1);
		map(0, 0);
		settle();
	}
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(storm, board_setup),
		cmocka_unit_test_setup(careless_host, board_setup),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
