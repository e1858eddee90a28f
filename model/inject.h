/* Faults that the device injects into itself: which are armed, and when they happen. Every block
 * asks at the place where its fault could happen; with nothing armed that is one test. */
#ifndef GALENA_MODEL_INJECT_H
#define GALENA_MODEL_INJECT_H
#include "abi/codes.h"
#include "abi/constants.h"
#include "abi/events.h"
#include <stdbool.h>
#include <stdint.h>

enum { INJECT_ANY_UNIT = REG_INJECT_ANY };

struct inject {
	struct event_sink *events, *asked; /* asked: told of faults alone, NULL after inject_init */
	uint32_t armed; /* one bit a kind */
	uint32_t happened;
	struct {
		uint32_t left; /* occasions until it happens */
		uint32_t unit;
		uint64_t arg;
	} kind[INJECT_KINDS];
};

void inject_init(struct inject *, struct event_sink *);
/* Disarms all; happened goes back to 0. */
void inject_reset(struct inject *);
/* Arms a kind in place of what was armed of it; an unknown kind is ignored, 0 disarms all. nth 0 is
 * taken as 1. */
void inject_arm(struct inject *, uint32_t kind, uint32_t nth, uint32_t unit, uint64_t arg, uint64_t cycle);
/* inject_fires for the kinds that are armed. */
bool inject_count(struct inject *, enum injection, unsigned unit, uint64_t address, uint64_t cycle);
/* An occasion for the fault in this unit: true when it has to happen now. */
static inline bool inject_fires(struct inject *i, enum injection kind, unsigned unit, uint64_t address, uint64_t cycle)
{
	return __builtin_expect(i->armed >> kind & 1, 0) && inject_count(i, kind, unit, address, cycle);
}
/* An armed fault happens now, whatever its count. */
void inject_now(struct inject *, enum injection, unsigned unit, uint64_t address, uint64_t cycle);
/* Its argument, once it has fired. */
static inline uint64_t inject_arg(const struct inject *i, enum injection kind) { return i->kind[kind].arg; }

#endif
