#include "traces/event_bus.h"
#include "base/setting.h"
#include "abi/codes.h"
#include <stdlib.h>

struct event_bus {
	struct bus bus;
	struct bus *inner;
	struct event_sink fan; /* to all the sinks, in their order */
	unsigned count;
	struct { struct event_sink *sink; void (*close)(struct event_sink *); /* NULL: the opener of the bus does */ } to[EVENT_OBSERVERS_MAX + 1];
};
#define BUS(b) (((struct event_bus *)(b))->inner)

static struct event_bus *bus_of_fan(struct event_sink *s)
{
	return (struct event_bus *)((char *)s - offsetof(struct event_bus, fan));
}

static void fan_event(struct event_sink *s, const struct event *e)
{
	struct event_bus *b = bus_of_fan(s);
	for (unsigned i = 0; i < b->count; i++)
		b->to[i].sink->event(b->to[i].sink, e);
}

static void fan_complete(struct event_sink *s, uint64_t cycle)
{
	struct event_bus *b = bus_of_fan(s);
	for (unsigned i = 0; i < b->count; i++)
		if (b->to[i].sink->complete)
			b->to[i].sink->complete(b->to[i].sink, cycle);
}

static void fan_lanes(struct event_sink *s, const struct event *e, const uint64_t *words, unsigned count)
{
	struct event_bus *b = bus_of_fan(s);
	for (unsigned i = 0; i < b->count; i++)
		if (b->to[i].sink->lanes)
			b->to[i].sink->lanes(b->to[i].sink, e, words, count);
}

static uint32_t event_bus_read32(struct bus *b, uint32_t offset) { return bus_read32(BUS(b), offset); }
static uint64_t event_bus_read64(struct bus *b, uint32_t offset) { return bus_read64(BUS(b), offset); }
static void event_bus_write32(struct bus *b, uint32_t offset, uint32_t v) { bus_write32(BUS(b), offset, v); }
static void event_bus_write64(struct bus *b, uint32_t offset, uint64_t v) { bus_write64(BUS(b), offset, v); }
static enum bus_wait event_bus_wait_irq(struct bus *b, uint64_t limit) { return bus_wait_irq(BUS(b), limit); }
static uint64_t event_bus_cycle(struct bus *b) { return bus_cycle(BUS(b)); }
static bool event_bus_counters(struct bus *b, struct counter_values *v) { return bus_counters(BUS(b), v); }
static bool event_bus_progress(struct bus *b, unsigned slot, struct bus_progress *p) { return bus_progress(BUS(b), slot, p); }

static void event_bus_note(struct bus *b, struct event *e)
{
	struct event_bus *eb = (struct event_bus *)b;
	e->cycle = bus_cycle(eb->inner);
	e->unit = UNIT_HOST;
	fan_event(&eb->fan, e);
}

static void sinks_close(struct event_bus *b)
{
	while (b->count--)
		if (b->to[b->count].close)
			b->to[b->count].close(b->to[b->count].sink);
	free(b);
}

static void event_bus_close(struct bus *b)
{
	bus_close(BUS(b));
	sinks_close((struct event_bus *)b);
}

static const struct bus_ops event_bus_ops = {
	.read32 = event_bus_read32,
	.read64 = event_bus_read64,
	.write32 = event_bus_write32,
	.write64 = event_bus_write64,
	.wait_irq = event_bus_wait_irq,
	.cycle = event_bus_cycle,
	.note = event_bus_note,
	.progress = event_bus_progress,
	.counters = event_bus_counters,
	.close = event_bus_close,
};

struct bus *event_bus_open(struct bus *(*open)(const struct bus_params *, const char **error),
			   const struct event_observer *observers, unsigned count, const struct bus_params *params,
			   const char **error)
{
	struct bus_params p = *params;
	bool wanted = params->events != NULL;
	for (unsigned i = 0; i < count; i++)
		wanted |= !observers[i].variable || setting(observers[i].variable);
	if (!wanted)
		return open(params, error);
	struct event_bus *b = calloc(1, sizeof *b);
	if (!b) {
		*error = "events: out of memory";
		return NULL;
	}
	for (unsigned i = 0; i < count; i++) {
		const char *s = observers[i].variable ? setting(observers[i].variable) : "";
		if (!s)
			continue;
		struct event_sink *sink = observers[i].open(s, params, error);
		if (!sink)
			goto err_close;
		b->to[b->count].close = observers[i].close;
		b->to[b->count++].sink = sink;
	}
	if (params->events)
		b->to[b->count++].sink = params->events;
	b->bus.ops = &event_bus_ops;
	b->fan = (struct event_sink){ .event = fan_event, .complete = fan_complete };
	for (unsigned i = 0; i < b->count; i++)
		if (b->to[i].sink->lanes)
			b->fan.lanes = fan_lanes;
	p.events = b->count == 1 ? b->to[0].sink : &b->fan;
	b->inner = open(&p, error);
	if (b->inner)
		return &b->bus;
err_close:
	sinks_close(b);
	return NULL;
}
