#include "traces/recorder.h"
#include "base/setting.h"
#include "traces/sender.h"
#include "traces/trace_format.h"
#include <stdlib.h>

struct recorder {
	struct bus bus;
	struct bus *inner;
	struct bus_memory memory; /* the driver's own */
	unsigned index;
};

bool recorder_wanted(void) { return setting("GALENA_TRACE") || setting("GALENA_HASH"); }

static void put(struct recorder *r, enum trace_kind kind, uint64_t a, uint64_t b)
{
	struct message_record m = { kind, r->index, a, b };
	sender_put(MESSAGE_RECORD, &m, sizeof m, NULL, 0);
}

static void put_memory(struct recorder *r, enum trace_kind kind, uint64_t address, size_t length, bool ok, const void *data)
{
	struct message_memory m = { kind, r->index, address, length, ok, 0 };
	sender_put(MESSAGE_MEMORY, &m, sizeof m, data, ok || kind == TRACE_MEM_WRITE ? length : 0);
}

static uint64_t recorder_cycle(struct bus *b) { return bus_cycle(((struct recorder *)b)->inner); }

#define ACCESSES(bits)                                                                             \
	static uint##bits##_t recorder_read##bits(struct bus *b, uint32_t offset)                  \
	{                                                                                          \
		struct recorder *r = (struct recorder *)b;                                         \
		put(r, TRACE_READ##bits, offset, 0);                                               \
		uint##bits##_t v = bus_read##bits(r->inner, offset);                               \
		put(r, TRACE_RETURN, v, bus_cycle(r->inner));                                      \
		return v;                                                                          \
	}                                                                                          \
	static void recorder_write##bits(struct bus *b, uint32_t offset, uint##bits##_t value)     \
	{                                                                                          \
		struct recorder *r = (struct recorder *)b;                                         \
		put(r, TRACE_WRITE##bits, offset, value);                                          \
		bus_write##bits(r->inner, offset, value);                                          \
		put(r, TRACE_RETURN, 0, bus_cycle(r->inner));                                      \
	}
ACCESSES(32)
ACCESSES(64)

static enum bus_wait recorder_wait_irq(struct bus *b, uint64_t limit)
{
	struct recorder *r = (struct recorder *)b;
	put(r, TRACE_WAIT, limit, 0);
	enum bus_wait w = bus_wait_irq(r->inner, limit);
	put(r, TRACE_RETURN, w, bus_cycle(r->inner));
	return w;
}

static bool recorder_progress(struct bus *b, unsigned slot, struct bus_progress *p)
{
	return bus_progress(((struct recorder *)b)->inner, slot, p);
}

static bool recorder_counters(struct bus *b, struct counter_values *v) { return bus_counters(((struct recorder *)b)->inner, v); }

static void trace_closed(const struct recorder *r)
{
	struct message_close m = { r->index };
	const char *error;
	sender_request(MESSAGE_TRACE_CLOSE, &m, sizeof m, &error);
}

static void recorder_close(struct bus *b)
{
	struct recorder *r = (struct recorder *)b;
	put(r, TRACE_CLOSE, 0, 0);
	bus_close(r->inner);
	trace_closed(r);
	free(r);
}

static const struct bus_ops recorder_ops = {
	.read32 = recorder_read32,
	.read64 = recorder_read64,
	.write32 = recorder_write32,
	.write64 = recorder_write64,
	.wait_irq = recorder_wait_irq,
	.cycle = recorder_cycle,
	.progress = recorder_progress,
	.counters = recorder_counters,
	.close = recorder_close,
};

static int memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct recorder *r = ctx;
	int rc = r->memory.read(r->memory.ctx, address, dst, len);
	put_memory(r, TRACE_MEM_READ, address, len, rc == 0, dst);
	return rc;
}

static int memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	struct recorder *r = ctx;
	int rc = r->memory.write(r->memory.ctx, address, src, len);
	put_memory(r, TRACE_MEM_WRITE, address, len, rc == 0, src);
	return rc;
}

/* Recorded as what it comes to: a write, or a read of what another thread had stored meanwhile. */
static int memory_exchange(void *ctx, uint64_t address, void *seen, const void *desired, size_t len)
{
	struct recorder *r = ctx;
	int rc = r->memory.exchange(r->memory.ctx, address, seen, desired, len);
	put_memory(r, rc ? TRACE_MEM_WRITE : TRACE_MEM_READ, address, len, rc >= 0, rc ? desired : seen);
	return rc;
}

static void *memory_page(void *ctx, uint64_t page_number, bool write)
{
	(void)ctx;
	(void)page_number;
	(void)write;
	return NULL; /* observed: every access goes through read and write */
}

struct bus *recorder_open(bus_open_fn open, const struct bus_params *params, const char **error)
{
	struct recorder *r = calloc(1, sizeof *r);
	struct bus_params p = *params;
	if (!r) {
		*error = "trace: out of memory";
		return NULL;
	}
	if (sender_open(MESSAGE_TRACE_OPEN, params, error))
		goto err_free;
	r->bus.ops = &recorder_ops;
	r->memory = params->memory;
	r->index = params->index;
	p.memory.ctx = r;
	p.memory.read = memory_read;
	p.memory.write = memory_write;
	p.memory.exchange = params->memory.exchange ? memory_exchange : NULL;
	p.memory.page = memory_page;
	p.memory.observed = true;
	r->inner = open(&p, error);
	if (r->inner)
		return &r->bus;
	trace_closed(r);
err_free:
	free(r);
	return NULL;
}
