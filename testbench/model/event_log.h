/* An observer that keeps all events that it is told of. */
#ifndef GALENA_TESTBENCH_MODEL_EVENT_LOG_H
#define GALENA_TESTBENCH_MODEL_EVENT_LOG_H
#include "abi/events.h"
#include <stdlib.h>

struct event_log {
	struct event_sink sink; /* first member */
	struct event *event;
	unsigned count, room;
};

static inline void event_log_add(struct event_sink *s, const struct event *e)
{
	struct event_log *log = (struct event_log *)s;

	if (log->count == log->room) {
		log->room = log->room ? 2 * log->room : 1024;
		log->event = realloc(log->event, log->room * sizeof(*log->event));
		if (!log->event)
			abort();
	}
	log->event[log->count++] = *e;
}

static inline void event_log_init(struct event_log *log) { *log = (struct event_log){ .sink.event = event_log_add }; }
static inline void event_log_fini(struct event_log *log) { free(log->event); }

/* The next event of the kind from *at on, which then stands behind it; NULL: there is none. unit 0xffff: of any unit. */
static inline const struct event *event_log_next(const struct event_log *log, unsigned *at, enum event_kind kind, unsigned unit)
{
	while (*at < log->count) {
		const struct event *e = &log->event[(*at)++];

		if (e->kind == kind && (unit == 0xffff || e->unit == unit))
			return e;
	}
	return NULL;
}

static inline unsigned event_log_of(const struct event_log *log, enum event_kind kind, unsigned unit)
{
	unsigned at = 0, n = 0;

	while (event_log_next(log, &at, kind, unit))
		n++;
	return n;
}

#endif
