/* A timed rig all of whose events are kept: for the tests of what happens in which cycle. */
#ifndef GALENA_TESTBENCH_MODEL_SEEN_H
#define GALENA_TESTBENCH_MODEL_SEEN_H
#include "testbench/model/event_log.h"
#include "testbench/model/kernel.h"

static struct event_log seen;

static inline struct bench open_seen(const char *config)
{
	event_log_init(&seen);
	return bench_of(rig_create_events(config, BUS_TIMED, SIMD_AUTO, false, &seen.sink));
}

static inline void close_seen(struct bench *b)
{
	rig_destroy(b->r);
	event_log_fini(&seen);
}

#endif
