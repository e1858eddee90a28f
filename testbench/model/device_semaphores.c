/* Waits and signals as registers show them: what a new wait leaves of the one before, in which cycles a signal is stored and its waiters
 * are looked at, which accesses wait for the unit, and which faults are counted. */
#include "testbench/model/device_world.h"

static uint64_t faults(struct world *w) { return bus_read64(w->bus, REG_HOST_CNT_FAULTS); }

/* A write to SEM_WAIT forgets the status, and leaves SEM_WOKEN. */
static void test_status_of_the_wait_before(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t page, gone = SYSTEM_BASE + 0xfff000;

	(void)state;
	monitor_start(w);
	page = host_page(&w->h);
	for (unsigned again = 0; again < 2; again++) {
		monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT) + 8 * 3, gone);
		monitor_add(w, MONITOR_READ32, CP_REG(SEM_STATUS) + 4 * 3, 0);
		monitor_add(w, MONITOR_READ32, CP_REG(SEM_WOKEN), 0);
		monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT_VALUE) + 8 * 3, 5);
		monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT) + 8 * 3, again ? 0 : page); /* not over */
		monitor_add(w, MONITOR_READ32, CP_REG(SEM_STATUS) + 4 * 3, 0);
		monitor_add(w, MONITOR_READ32, CP_REG(SEM_WOKEN), 0);
		monitor_run(w);
		assert_int_equal(w->box->command[1].value, FAULT_BUS_ERROR);
		assert_int_equal(w->box->command[2].value, 1 << 3);
		assert_int_equal(w->box->command[5].value, 0);
		assert_int_equal(w->box->command[6].value, 1 << 3);
	}
	world_close(w);
}

/* Of a payload in system memory, over an idle bus. */
static uint64_t read_takes(void)
{
	const struct device_config *c = device_config_find("mini");

	return c->sys_latency + (8 + c->sys_bytes_cycle - 1) / c->sys_bytes_cycle;
}

/* The bus is busy with a store before that. */
static uint64_t store_takes(void)
{
	return (8 + device_config_find("mini")->sys_bytes_cycle - 1) / device_config_find("mini")->sys_bytes_cycle;
}

/* The value is there in the cycle of the register write, the host's and the command processor's; its waiter wakes when the payload has
 * been read. */
static void test_cycle_of_a_signal(void **state)
{
	struct world *w = world_open_observed("mini");
	const struct event *wake, *signal;
	uint64_t page, cycle = 0;

	(void)state;
	monitor_start(w);
	page = host_page(&w->h);
	bus_write64(w->bus, REG_HOST_HOST_WAIT_VALUE + 8 * 2, 7);
	bus_write64(w->bus, REG_HOST_HOST_WAIT + 8 * 2, page);
	bus_write64(w->bus, REG_HOST_SEM_VALUE, 7);
	w->num_events = 0;
	bus_write64(w->bus, REG_HOST_SEM_SIGNAL, page);
	assert_int_equal(bus_read32(w->bus, REG_HOST_HOST_WOKEN), 1 << 2);
	assert_int_equal(*(uint64_t *)host_at(&w->h, page), 7);
	for (unsigned i = 0; i < w->num_events; i++)
		if (w->events[i].kind == EVENT_MMIO_WRITE && w->events[i].a == REG_HOST_SEM_SIGNAL)
			cycle = w->events[i].cycle;
	signal = event_find(w, EVENT_SEM_SIGNAL, 0);
	wake = event_find(w, EVENT_SEM_WAKE, 0);
	assert_non_null(signal);
	assert_non_null(wake);
	assert_int_equal(signal->cycle, cycle);
	assert_int_equal(wake->cycle, cycle + store_takes() + read_takes());
	/* between two readings of the command processor's clock, with one load of a register in front of the second */
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT_VALUE), 9);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT), page);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_STORE_VALUE), 9);
	monitor_add(w, MONITOR_CYCLE, 0, 0);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_STORE), page);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_WOKEN), 0);
	monitor_add(w, MONITOR_CYCLE, 0, 0);
	w->num_events = 0;
	monitor_run(w);
	wake = event_find(w, EVENT_SEM_WAKE, 0);
	assert_non_null(wake);
	assert_in_range(wake->cycle, w->box->command[3].value, w->box->command[6].value);
	assert_int_equal(wake->cycle, event_find(w, EVENT_SEM_SIGNAL, 0)->cycle + store_takes() + read_takes());
	assert_int_equal(w->box->command[5].value, 1);
	world_close(w);
}

/* Cycle at which the interrupt of a host wait comes. */
static uint64_t interrupt_at(struct world *w)
{
	assert_int_equal(bus_wait_irq(w->bus, LONG), BUS_WAIT_IRQ);
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, REG_HOST_IRQ_STATUS_SEM);
	return bus_cycle(w->bus) - device_config_find("mini")->mmio_write_cycles;
}

/* Each look takes a read of the payload, one after the other; the interrupt comes with the wake-up, and not before. */
static void test_looks_take_time(void **state)
{
	struct world *w = world_open_observed("mini");
	uint64_t page = host_page(&w->h), begin;

	(void)state;
	bus_write32(w->bus, REG_HOST_IRQ_ENABLE, REG_HOST_IRQ_STATUS_SEM);
	*(uint64_t *)host_at(&w->h, page) = 5;
	bus_write64(w->bus, REG_HOST_HOST_WAIT_VALUE, 5);
	bus_write64(w->bus, REG_HOST_HOST_WAIT, page);
	begin = bus_cycle(w->bus);
	assert_int_equal(interrupt_at(w), begin + read_takes());
	for (unsigned n = 1; n < 4; n++) {
		bus_write64(w->bus, REG_HOST_HOST_WAIT_VALUE + 8 * n, 9);
		bus_write64(w->bus, REG_HOST_HOST_WAIT + 8 * n, page);
	}
	bus_write64(w->bus, REG_HOST_SEM_VALUE, 9);
	w->num_events = 0;
	bus_write64(w->bus, REG_HOST_SEM_SIGNAL, page);
	begin = bus_cycle(w->bus) + store_takes();
	assert_int_equal(interrupt_at(w), begin + read_takes());
	assert_int_equal(bus_read32(w->bus, REG_HOST_HOST_WOKEN), 0xf);
	for (unsigned n = 0; n < 3; n++)
		assert_int_equal(event_find(w, EVENT_SEM_WAKE, n)->cycle, begin + (n + 1) * read_takes());
	/* an address that is none, and one at which there is no memory: a cycle */
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, REG_HOST_IRQ_STATUS_SEM);
	bus_write64(w->bus, REG_HOST_HOST_WAIT, page + 4);
	begin = bus_cycle(w->bus);
	assert_int_equal(interrupt_at(w), begin + 1);
	bus_write64(w->bus, REG_HOST_HOST_WAIT, 0x8000);
	begin = bus_cycle(w->bus);
	assert_int_equal(interrupt_at(w), begin + 1);
	world_close(w);
}

/* An access of a register of the unit waits until it is free; one of another register does not. */
static void test_accesses_wait(void **state)
{
	static const uint32_t waits[] = { REG_HOST_HOST_WOKEN, REG_HOST_SEM_VALUE, REG_HOST_HOST_WAIT + 8 * 15, REG_HOST_HOST_WAIT_VALUE };
	static const uint32_t others[] = { REG_HOST_IRQ_STATUS, REG_HOST_FEATURES, REG_HOST_QUEUE_CTRL + 4 * 15, REG_HOST_CNT_FAULTS };
	struct world *w = world_open("mini", BUS_TIMED, false);
	const uint64_t read = device_config_find("mini")->mmio_read_cycles, write = device_config_find("mini")->mmio_write_cycles;
	uint64_t page = host_page(&w->h), begin;

	(void)state;
	bus_write64(w->bus, REG_HOST_HOST_WAIT_VALUE, 5);
	for (unsigned i = 0; i < 4; i++) {
		bus_write64(w->bus, REG_HOST_HOST_WAIT, page);
		begin = bus_cycle(w->bus);
		bus_read32(w->bus, others[i]);
		assert_int_equal(bus_cycle(w->bus), begin + read);
		bus_read32(w->bus, waits[i]);
		assert_int_equal(bus_cycle(w->bus), begin + read_takes());
		bus_read32(w->bus, waits[i]);
		assert_int_equal(bus_cycle(w->bus), begin + read_takes() + read);
	}
	bus_write64(w->bus, REG_HOST_HOST_WAIT, page);
	begin = bus_cycle(w->bus);
	bus_write32(w->bus, REG_HOST_HOST_WOKEN, 1);
	assert_int_equal(bus_cycle(w->bus), begin + read_takes());
	bus_write64(w->bus, REG_HOST_SEM_NOTIFY, page); /* looks at the waiter once more */
	assert_int_equal(bus_cycle(w->bus), begin + read_takes() + write);
	bus_read64(w->bus, REG_HOST_HOST_WAIT);
	assert_int_equal(bus_cycle(w->bus), begin + 2 * read_takes() + write);
	world_close(w);
}

/* Each wait and each signal that ends with a fault counts. */
static void test_faults_are_counted(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t page, gone = SYSTEM_BASE + 0xfff000, before;

	(void)state;
	monitor_start(w);
	page = host_page(&w->h);
	before = faults(w);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT), gone);
	monitor_run(w);
	assert_int_equal(faults(w), ++before);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT) + 8, page + 4);
	monitor_run(w);
	assert_int_equal(faults(w), ++before);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_STORE), gone);
	monitor_run(w);
	assert_int_equal(faults(w), ++before);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_STORE), page + 2);
	monitor_run(w);
	assert_int_equal(faults(w), ++before);
	bus_write64(w->bus, REG_HOST_HOST_WAIT, gone);
	bus_read32(w->bus, REG_HOST_HOST_WOKEN); /* waits for the unit */
	assert_int_equal(faults(w), ++before);
	bus_write64(w->bus, REG_HOST_SEM_SIGNAL, gone);
	assert_int_equal(faults(w), ++before);
	bus_write64(w->bus, REG_HOST_SEM_SIGNAL, page + 1);
	assert_int_equal(faults(w), ++before);
	/* found by a notification */
	bus_write64(w->bus, REG_HOST_HOST_WAIT_VALUE + 8, 5);
	bus_write64(w->bus, REG_HOST_HOST_WAIT + 8, page);
	assert_int_equal(faults(w), before);
	host_pin(&w->h, (page - SYSTEM_BASE) >> 12, HOST_UNPINNED);
	bus_write64(w->bus, REG_HOST_SEM_NOTIFY, page);
	bus_read32(w->bus, REG_HOST_HOST_WOKEN);
	assert_int_equal(faults(w), ++before);
	/* none that goes well */
	host_pin(&w->h, (page - SYSTEM_BASE) >> 12, HOST_WRITE);
	bus_write64(w->bus, REG_HOST_SEM_SIGNAL, page);
	bus_write64(w->bus, REG_HOST_SEM_NOTIFY, page);
	assert_int_equal(faults(w), before);
	world_close(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_of_the_wait_before),
		cmocka_unit_test(test_cycle_of_a_signal),
		cmocka_unit_test(test_looks_take_time),
		cmocka_unit_test(test_accesses_wait),
		cmocka_unit_test(test_faults_are_counted),
	};

	(void)argc;
	monitor_find(argv[0]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
