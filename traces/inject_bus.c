#include "traces/inject_bus.h"
#include "abi/events.h"
#include "abi/injection.h"
#include "abi/registers.h"
#include "traces/sender.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct inject_bus {
	struct bus bus;
	struct bus *inner;
	struct event_sink told;
	unsigned device;
	bool booted, report;
	uint32_t left; /* kinds that are asked for and have not happened */
	struct injection_request request[INJECT_KINDS];
};

static struct inject_bus *self(struct bus *b) { return (struct inject_bus *)b; }

static void arm(struct inject_bus *b)
{
	b->booted = true;
	for (unsigned k = 1; k < INJECT_KINDS; k++) {
		const struct injection_request *r = &b->request[k];
		if (!(b->left >> k & 1))
			continue;
		bus_write32(b->inner, REG_HOST_INJECT_NTH, r->nth);
		bus_write32(b->inner, REG_HOST_INJECT_UNIT, r->unit);
		bus_write64(b->inner, REG_HOST_INJECT_ARG, r->arg);
		bus_write32(b->inner, REG_HOST_INJECT, r->kind);
	}
}

static void told(struct event_sink *s, const struct event *e)
{
	struct inject_bus *b = (struct inject_bus *)((char *)s - offsetof(struct inject_bus, told));
	struct message_event m = { b->device, *e };
	if (e->a >= INJECT_KINDS || !(b->left >> e->a & 1))
		return; /* armed by the driver */
	if (e->kind == EVENT_INJECTED)
		b->left &= ~(1u << e->a);
	if (b->report)
		sender_put(MESSAGE_INJECTION, &m, sizeof m, NULL, 0);
}

static void was_read(struct inject_bus *b, uint32_t offset, uint64_t value)
{
	if (offset == REG_HOST_FW_STATE && (uint32_t)value == FW_READY && !b->booted)
		arm(b);
}

static void before_write(struct inject_bus *b, uint32_t offset)
{
	if (offset - REG_HOST_DOORBELL < 8 * REG_QUEUES && !b->booted)
		arm(b);
}

static void was_written(struct inject_bus *b, uint32_t offset, uint64_t value)
{
	if (offset == REG_HOST_CTRL && value & REG_HOST_CTRL_RESET)
		b->booted = false;
}

#define ACCESSES(bits)                                                                             \
	static uint##bits##_t inject_read##bits(struct bus *b, uint32_t offset)                    \
	{                                                                                          \
		uint##bits##_t value = bus_read##bits(self(b)->inner, offset);                     \
		was_read(self(b), offset, value);                                                  \
		return value;                                                                      \
	}                                                                                          \
	static void inject_write##bits(struct bus *b, uint32_t offset, uint##bits##_t value)       \
	{                                                                                          \
		before_write(self(b), offset);                                                     \
		bus_write##bits(self(b)->inner, offset, value);                                    \
		was_written(self(b), offset, value);                                               \
	}
ACCESSES(32)
ACCESSES(64)

static enum bus_wait inject_wait_irq(struct bus *b, uint64_t limit) { return bus_wait_irq(self(b)->inner, limit); }
static uint64_t inject_cycle(struct bus *b) { return bus_cycle(self(b)->inner); }

static bool inject_progress(struct bus *b, unsigned slot, struct bus_progress *p) { return bus_progress(self(b)->inner, slot, p); }
static bool inject_counters(struct bus *b, struct counter_values *v) { return bus_counters(self(b)->inner, v); }

static void inject_close(struct bus *b)
{
	bus_close(self(b)->inner);
	free(b);
}

static const struct bus_ops inject_bus_ops = {
	.read32 = inject_read32,
	.read64 = inject_read64,
	.write32 = inject_write32,
	.write64 = inject_write64,
	.wait_irq = inject_wait_irq,
	.cycle = inject_cycle,
	.progress = inject_progress,
	.counters = inject_counters,
	.close = inject_close,
};

/* The faults of this device. 0, or -1 with *error. */
static int requests_read(struct inject_bus *b, const char *text, const char **error)
{
	static char message[320];
	struct injection_request r;
	const char *wrong = injection_wrong(text);
	if (wrong) {
		snprintf(message, sizeof message, "GALENA_INJECT: %s", wrong);
		*error = message;
		return -1;
	}
	while (injection_next(&text, &r, error) > 0)
		if (r.device == b->device) {
			b->request[r.kind] = r;
			b->left |= 1u << r.kind;
		}
	return 0;
}

/* Tells the recorder what the device is asked for. */
static int announce(unsigned device, const char *text, const char **error)
{
	const size_t length = strlen(text) + 1;
	struct message_injections *m = calloc(1, sizeof *m + length);
	*error = "injection: out of memory";
	if (!m)
		return -1;
	m->device = device;
	memcpy(m->text, text, length);
	int rc = sender_request(MESSAGE_INJECT_OPEN, m, sizeof *m + length, error);
	free(m);
	return rc;
}

bool inject_wanted(void)
{
	const char *text = getenv("GALENA_INJECT");
	return text && text[strspn(text, " \t\n")];
}

struct bus *inject_bus_open(struct bus *(*open)(const struct bus_params *, const char **error), const struct bus_params *params,
			    bool report, const char **error)
{
	const char *text = getenv("GALENA_INJECT");
	struct bus_params p = *params;
	struct inject_bus *b = calloc(1, sizeof *b);
	*error = "injection: out of memory";
	if (!b)
		return NULL;
	b->bus.ops = &inject_bus_ops;
	b->told.event = told;
	b->device = params->index;
	b->report = report;
	if (!requests_read(b, text, error) && !(report && announce(b->device, text, error))) {
		p.injections = &b->told;
		b->inner = open(&p, error);
	}
	if (b->inner)
		return &b->bus;
	free(b);
	return NULL;
}
