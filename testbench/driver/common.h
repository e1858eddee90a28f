/* What the driver's tests share: opening, and commands of one packet that are waited for. */
#ifndef GALENA_TESTBENCH_DRIVER_COMMON_H
#define GALENA_TESTBENCH_DRIVER_COMMON_H
#include "runtime/driver/driver.h"
#include "testbench/random.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the standard headers */
#include <cmocka.h>

static inline struct driver *open_driver(void)
{
	const char *error = NULL;
	struct driver *d = driver_open(&error);
	if (!d)
		fail_msg("driver_open: %s", error);
	return d;
}

/* Submits, waits, and returns the status. */
static inline int run(struct drv_queue *q, const union packet *packets, unsigned count)
{
	struct drv_command *c;
	struct completion done;
	assert_int_equal(drv_submit(q, packets, count, 0, NULL, NULL, &c), 0);
	assert_int_equal(drv_wait(c), 0);
	assert_true(drv_command_ended(c, &done));
	assert_int_equal(done.done, 1);
	assert_true(done.submit <= done.start && done.start <= done.end);
	drv_command_release(c);
	return done.status;
}

static inline union packet packet_nop(void) { return (union packet){ .head.type = PACKET_CODE_nop }; }

static inline union packet packet_copy_1d(uint64_t dst, uint64_t src, uint32_t bytes)
{
	return (union packet){ .copy = { .head.type = PACKET_CODE_copy, .src = src, .dst = dst, .width = bytes,
					 .height = 1, .depth = 1 } };
}

static inline struct drv_bo *make_bo(struct drv_space *s, unsigned device, uint64_t size, unsigned flags)
{
	struct drv_bo *bo = NULL;
	assert_int_equal(drv_bo_create(s, device, size, flags, &bo), 0);
	assert_non_null(bo);
	return bo;
}

#endif
