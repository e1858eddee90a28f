/* What most of the driver's tests begin with, each afresh: a driver, an address space on it, a queue of that. */
#ifndef GALENA_TESTBENCH_DRIVER_FIXTURE_H
#define GALENA_TESTBENCH_DRIVER_FIXTURE_H
#include "testbench/driver/common.h"

static struct driver *d;
static struct drv_space *space;
static struct drv_queue *queue;

static int setup(void **state)
{
	(void)state;
	d = open_driver();
	assert_int_equal(drv_space_create(d, &space), 0);
	assert_int_equal(drv_queue_create(space, 0, 1, &queue), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	drv_queue_release(queue);
	drv_space_release(space);
	driver_close(d);
	return 0;
}

#endif
