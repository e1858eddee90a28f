#include "traces/counter_bus.h"
#include "base/setting.h"
#include "traces/sender.h"
#include <stdlib.h>
#include <string.h>

struct counter_bus {
	struct bus bus;
	struct bus_ops ops; /* without what the inner bus has not */
	struct bus *inner;
	unsigned device;
};
#define INNER(b) (((struct counter_bus *)(b))->inner)

static void told(struct bus *b)
{
	struct message_counters m = { .device = ((struct counter_bus *)b)->device, .cycle = bus_cycle(INNER(b)) };
	if (bus_counters(INNER(b), &m.values))
		sender_put(MESSAGE_COUNTERS, &m, sizeof m, NULL, 0);
}

static uint32_t counter_read32(struct bus *b, uint32_t offset)
{
	uint32_t value = bus_read32(INNER(b), offset);
	told(b);
	return value;
}

/* Drivers read all counters in a row: whatever else happens meanwhile is told with the next access. */
static uint64_t counter_read64(struct bus *b, uint32_t offset)
{
	uint64_t value = bus_read64(INNER(b), offset);
	if (COUNTER_AT(offset) >= COUNTERS_MAX)
		told(b);
	return value;
}

static void counter_write32(struct bus *b, uint32_t offset, uint32_t value)
{
	bus_write32(INNER(b), offset, value);
	told(b);
}

static void counter_write64(struct bus *b, uint32_t offset, uint64_t value)
{
	bus_write64(INNER(b), offset, value);
	told(b);
}

static enum bus_wait counter_wait_irq(struct bus *b, uint64_t limit)
{
	enum bus_wait why = bus_wait_irq(INNER(b), limit);
	told(b);
	return why;
}

static uint64_t counter_cycle(struct bus *b) { return bus_cycle(INNER(b)); }
static void counter_note(struct bus *b, struct event *e) { bus_note(INNER(b), e); }
static bool counter_progress(struct bus *b, unsigned slot, struct bus_progress *p) { return bus_progress(INNER(b), slot, p); }
static bool counter_counters(struct bus *b, struct counter_values *v) { return bus_counters(INNER(b), v); }

static void counter_counted(struct bus *b, const struct bus_count *c)
{
	struct message_counted m = { .device = ((struct counter_bus *)b)->device, .cycles = c->cycles, .values = *c->values };
	sender_put(MESSAGE_COUNTED, &m, sizeof m, c->name, strlen(c->name) + 1);
}

static void counter_close(struct bus *b)
{
	told(b);
	bus_close(INNER(b));
	free(b);
}

bool counters_wanted(void) { return setting("GALENA_COUNTERS") != NULL; }

struct bus *counter_bus_open(struct bus *(*open)(const struct bus_params *, const char **error), const struct bus_params *params, const char **error)
{
	struct counter_bus *b = calloc(1, sizeof *b);
	*error = "the counters: out of memory";
	if (!b)
		return NULL;
	if (sender_open(MESSAGE_COUNTERS_OPEN, params, error) || !(b->inner = open(params, error)))
		goto err_free;
	b->ops = (struct bus_ops){
		counter_read32, counter_read64, counter_write32, counter_write64, counter_wait_irq, counter_cycle,
		b->inner->ops->note ? counter_note : NULL, counter_progress, counter_counters, counter_counted, counter_close,
	};
	b->bus.ops = &b->ops;
	b->device = params->index;
	return &b->bus;
err_free:
	free(b);
	return NULL;
}
