/* Events, from events.def: what blocks and driver report to an observer, and the sink that takes
 * them. No sink, no cost but a test of a pointer. */
#ifndef GALENA_ABI_EVENTS_H
#define GALENA_ABI_EVENTS_H
#include "abi/constants.h"
#include "abi/values.h"
#include <stdint.h>

enum event_kind {
#define EVENT(name, id, block, text, a, b, c, doc) EVENT_##name = (id),
#include "abi/events.def"
#undef EVENT
	EVENT_KINDS
};

struct event {
	uint64_t cycle;
	uint16_t kind;  /* enum event_kind */
	uint16_t unit;  /* enum galena_unit */
	uint16_t queue; /* hardware queue or slot, EVENT_NO_QUEUE if none */
	uint16_t asid;
	uint64_t a, b, c;
};
_Static_assert(sizeof(struct event) == 40, "struct event");

/* Takes events, one at a time, from one thread. */
struct event_sink {
	void (*event)(struct event_sink *, const struct event *);
	/* Every event of a cycle before this one has been reported. May be NULL. */
	void (*complete)(struct event_sink *, uint64_t cycle);
	/* An event of block retire, and its words (events.def), which stay the sender's. NULL: they are not wanted, and cost nothing. Set
	 * before the device is opened. */
	void (*lanes)(struct event_sink *, const struct event *, const uint64_t *words, unsigned count);
};
enum { EVENT_LANES_WORDS = 3 * 32 }; /* of an event, at most */

/* Apart from the code that runs without an observer, and all in registers: it needs no space on that code's stack. */
__attribute__((cold, noinline, unused)) static void event_send(struct event_sink *sink, uint64_t cycle, uint64_t where, uint64_t a,
								uint64_t b, uint64_t c)
{
	const struct event e = { cycle, (uint16_t)where, (uint16_t)(where >> 16), (uint16_t)(where >> 32), (uint16_t)(where >> 48),
				 a, b, c };
	sink->event(sink, &e);
}

/* Whether there is an observer. A build with GALENA_NO_EVENTS has no events at all: what `make bench` measures the
 * cost of events against that are compiled in, but off. */
#ifdef GALENA_NO_EVENTS
#define EVENT_WANTED(sink) ((void)(sink), 0)
#else
#define EVENT_WANTED(sink) __builtin_expect((sink) != 0, 0)
#endif

#define EVENT_SEND(sink, ...)                                                                      \
	do {                                                                                       \
		struct event_sink *s_ = (sink);                                                    \
		if (EVENT_WANTED(s_)) {                                                            \
			const struct event e_ = { __VA_ARGS__ };                                   \
			event_send(s_, e_.cycle,                                                   \
				   e_.kind | (uint64_t)e_.unit << 16 | (uint64_t)e_.queue << 32 |   \
					   (uint64_t)e_.asid << 48,                                \
				   e_.a, e_.b, e_.c);                                              \
		}                                                                                  \
	} while (0)

/* The rows of the table; NULL for an id that is in none. */
struct event_row {
	const char *name, *block, *text, *a, *b, *c;
};
const struct event_row *event_row(unsigned kind);

#endif
