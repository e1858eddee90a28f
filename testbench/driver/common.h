/* What the driver's tests share: opening, and commands of one packet that are waited for. */
#ifndef GALENA_TESTBENCH_DRIVER_COMMON_H
#define GALENA_TESTBENCH_DRIVER_COMMON_H
#include "runtime/umd/umd.h"
#include "testbench/random.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the standard headers */
#include <cmocka.h>

static inline struct umd *open_driver(void)
{
	const char *error = NULL;
	struct umd *d = umd_open(&error);
	if (!d)
		fail_msg("driver_open: %s", error);
	return d;
}

/* Submits, waits, and returns the status. */
static inline int run(struct umd_queue *q, const union packet *packets, unsigned count)
{
	struct umd_command *c;
	struct completion done;
	assert_int_equal(umd_submit(q, packets, count, 0, NULL, NULL, &c), 0);
	assert_int_equal(umd_wait(c), 0);
	assert_true(umd_command_ended(c, &done));
	assert_int_equal(done.done, 1);
	assert_true(done.submit <= done.start && done.start <= done.end);
	umd_command_release(c);
	return done.status;
}

static inline union packet packet_nop(void) { return (union packet){ .head.type = PACKET_CODE_nop }; }

static inline union packet packet_copy_1d(uint64_t dst, uint64_t src, uint32_t bytes)
{
	return (union packet){ .copy = { .head.type = PACKET_CODE_copy, .src = src, .dst = dst, .width = bytes,
					 .height = 1, .depth = 1 } };
}

static inline struct umd_bo *make_bo(struct umd_space *s, unsigned device, uint64_t size, unsigned flags)
{
	struct umd_bo *bo = NULL;
	assert_int_equal(umd_bo_create(s, device, size, flags, &bo), 0);
	assert_non_null(bo);
	return bo;
}

#endif
