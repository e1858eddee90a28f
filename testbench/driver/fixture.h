/* What most of the driver's tests begin with, each afresh: a driver, an address space on it, a queue of that. */
#ifndef GALENA_TESTBENCH_DRIVER_FIXTURE_H
#define GALENA_TESTBENCH_DRIVER_FIXTURE_H
#include "testbench/driver/common.h"

static struct umd *d;
static struct umd_space *space;
static struct umd_queue *queue;

static int setup(void **state)
{
	(void)state;
	d = open_driver();
	assert_int_equal(umd_space_create(d, &space), 0);
	assert_int_equal(umd_queue_create(space, 0, 1, &queue), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	umd_queue_release(queue);
	umd_space_release(space);
	umd_close(d);
	return 0;
}

#endif
