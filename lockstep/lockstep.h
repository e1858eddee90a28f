/* Lockstep: two devices are given the same work, and what they do is compared as it happens, one architectural event after the other.
 *
 * A side is an event sink of a device. What is architectural is split into streams, within which the order is that of the architecture
 * and does not depend on the schedule: one of each warp of a dispatch (its retired instructions, with what their lanes access and
 * write), and of each queue or slot one of its packets, transfers and waits; of each payload one of its signals. A warp is known by its dispatch, work-group and
 * number, whichever unit and slot it runs in. Cycles are no part of it. The sides may be ahead of each other by as much as there is
 * memory for; they are used by one thread at a time.
 *
 * The first mismatch of a stream ends it; the first of all is kept. A digest of each side, of all that its streams held, in any order of
 * streams, says the same in 8 bytes, for devices that do not run in one process. */
#ifndef GALENA_LOCKSTEP_H
#define GALENA_LOCKSTEP_H
#include "abi/events.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum lockstep_stream { LOCKSTEP_WARP, LOCKSTEP_QUEUE, LOCKSTEP_TRANSFER, LOCKSTEP_WAIT, LOCKSTEP_PAYLOAD, LOCKSTEP_STREAMS };

/* Which stream. */
struct lockstep_key {
	uint16_t stream;    /* enum lockstep_stream */
	uint16_t queue;     /* or slot, or the waiter's name; of a payload 0 */
	uint32_t number;    /* of a warp in its work-group */
	uint64_t dispatch;  /* of a warp: counts those of the slot; of a payload its address */
	uint64_t group;
};

/* An architectural event as one side saw it. */
struct lockstep_record {
	uint16_t kind;      /* enum event_kind */
	uint16_t unit;
	uint32_t warp;      /* slot of the unit; of a warp's stream */
	uint64_t cycle;
	uint64_t a, b;      /* of the event; of a warp's stream pc, and instruction | mask << 32 */
	unsigned count;
	uint64_t words[EVENT_LANES_WORDS];
};

struct lockstep_mismatch {
	struct lockstep_key key;
	uint64_t ordinal;   /* records of the stream before it; of a warp: instructions */
	bool there[2];      /* whether the side has a record: false where its stream ended */
	struct lockstep_record record[2];
};

struct lockstep;
/* NULL without memory. */
struct lockstep *lockstep_create(void);
void lockstep_destroy(struct lockstep *);
/* The sink of side 0 or 1, for the device's opener; lives as long as the lockstep. */
struct event_sink *lockstep_side(struct lockstep *, unsigned side);
/* Both devices have come to rest: what one side alone has is a mismatch. True: there is none, of anything so far. Streams of warps begin
 * anew. */
bool lockstep_settled(struct lockstep *);
/* The first mismatch; NULL: none. */
const struct lockstep_mismatch *lockstep_mismatch(const struct lockstep *);
/* Says where the sides differ: stream, unit, warp, pc, instruction, lane. Nothing if they do not. */
void lockstep_print(const struct lockstep *, FILE *);
/* Of everything that the side has done. */
uint64_t lockstep_digest(const struct lockstep *, unsigned side);
/* Instructions of warps, and records of all streams, that were compared and equal. */
uint64_t lockstep_instructions(const struct lockstep *);
uint64_t lockstep_compared(const struct lockstep *);

#endif
