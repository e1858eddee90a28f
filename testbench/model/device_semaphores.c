/* Waits and signals as registers show them: what a new wait leaves of the one before, in which cycle a signal takes effect, and which
 * faults are counted. */
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

/* In the cycle of the register write: the host's, and the command processor's. */
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
	assert_int_equal(wake->cycle, cycle);
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
	assert_int_equal(wake->cycle, event_find(w, EVENT_SEM_SIGNAL, 0)->cycle);
	assert_int_equal(w->box->command[5].value, 1);
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
		cmocka_unit_test(test_faults_are_counted),
	};

	(void)argc;
	monitor_find(argv[0]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
