#define XXH_INLINE_ALL
#include "traces/recorder.h"
#include "base/fork.h"
#include "base/setting.h"
#include "traces/page_delta.h"
#include "traces/sender.h"
#include "traces/shadow.h"
#include "traces/trace_format.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct recorder {
	struct bus bus;
	struct bus *inner;
	struct bus_memory memory; /* the driver's own */
	unsigned index;
	bool pages;     /* the trace goes to a file: pages are in it */
	bool read;      /* the device has read system memory during this call */
	uint64_t reads; /* hash of what */
};

bool recorder_wanted(void) { return setting("GALENA_TRACE") || setting("GALENA_HASH"); }

/* What the trace knows of system memory is of all devices: it is held with the sender. */
static uint64_t calls; /* of the host, on any device */
AFTER_FORK(shadow_drop)

static void put(const struct recorder *r, enum trace_kind kind, uint64_t a, uint64_t b)
{
	struct message_record m = { kind, r->index, a, b };
	sender_put_held(MESSAGE_RECORD, &m, sizeof m, NULL, 0);
}

static void put_memory(const struct recorder *r, enum trace_kind kind, uint64_t address, size_t length, bool ok, const void *data)
{
	struct message_memory m = { kind, r->index, address, length, ok, 0 };
	sender_put_held(MESSAGE_MEMORY, &m, sizeof m, data, data ? length : 0);
}

static void call_begin(struct recorder *r, enum trace_kind kind, uint64_t a, uint64_t b)
{
	sender_hold();
	calls++;
	r->read = false;
	put(r, kind, a, b);
	sender_drop();
}

static void call_end(struct recorder *r, uint64_t value)
{
	const uint64_t cycle = bus_cycle(r->inner);
	sender_hold();
	if (r->read)
		put(r, TRACE_READS, r->reads, 0);
	put(r, TRACE_RETURN, value, cycle);
	sender_drop();
}

static uint64_t recorder_cycle(struct bus *b) { return bus_cycle(((struct recorder *)b)->inner); }

#define ACCESSES(bits)                                                                             \
	static uint##bits##_t recorder_read##bits(struct bus *b, uint32_t offset)                  \
	{                                                                                          \
		struct recorder *r = (struct recorder *)b;                                         \
		call_begin(r, TRACE_READ##bits, offset, 0);                                             \
		uint##bits##_t v = bus_read##bits(r->inner, offset);                               \
		call_end(r, v);                                      \
		return v;                                                                          \
	}                                                                                          \
	static void recorder_write##bits(struct bus *b, uint32_t offset, uint##bits##_t value)     \
	{                                                                                          \
		struct recorder *r = (struct recorder *)b;                                         \
		call_begin(r, TRACE_WRITE##bits, offset, value);                                          \
		bus_write##bits(r->inner, offset, value);                                          \
		call_end(r, 0);                                      \
	}
ACCESSES(32)
ACCESSES(64)

static enum bus_wait recorder_wait_irq(struct bus *b, uint64_t limit)
{
	struct recorder *r = (struct recorder *)b;
	call_begin(r, TRACE_WAIT, limit, 0);
	enum bus_wait w = bus_wait_irq(r->inner, limit);
	call_end(r, w);
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
	call_begin(r, TRACE_CLOSE, 0, 0);
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

/* ---- system memory; the sender is held ---- */
/* Bytes of the page are these, or are not known yet: the trace gets what differs. */
static __attribute__((noinline)) void page_differs(const struct recorder *r, struct shadow_page *p, size_t at, const void *bytes, size_t length,
						    bool unknown)
{
	uint8_t delta[DELTA_BYTES_MAX];
	const size_t size = delta_make(delta, p->bytes, bytes, at, length, unknown);
	struct message_memory m = { TRACE_PAGE, r->index, p->number * GALENA_PAGE_SIZE, size, true, 0 };
	if (size)
		sender_put_held(MESSAGE_MEMORY, &m, sizeof m, delta, size);
}

/* What the host has changed in the page since the trace last knew it. Once a call: what the host changes meanwhile shows in what is read. */
static __attribute__((noinline)) void page_look(const struct recorder *r, uint64_t number, struct shadow_page *p)
{
	uint8_t copy[GALENA_PAGE_SIZE];
	const bool unknown = !p;
	const void *host = r->memory.page(r->memory.ctx, number, false);
	if (!host && !r->memory.read(r->memory.ctx, number * GALENA_PAGE_SIZE, copy, sizeof copy))
		host = copy;
	if (!host || (!p && !(p = shadow_add(number))))
		return;
	p->call = calls;
	page_differs(r, p, 0, host, GALENA_PAGE_SIZE, unknown);
}

static void pages_look(const struct recorder *r, uint64_t address, size_t length, bool write)
{
	const uint64_t first = address / GALENA_PAGE_SIZE, last = (address + length - 1) / GALENA_PAGE_SIZE;
	if (!r->pages || !length)
		return;
	for (uint64_t n = first; n <= last; n++) {
		struct shadow_page *p = shadow_find(n);
		if ((!p || p->call != calls) &&
		    (!write || (n == first && address % GALENA_PAGE_SIZE) || (n == last && (address + length) % GALENA_PAGE_SIZE)))
			page_look(r, n, p);
	}
}

static inline bool same(const uint8_t *a, const uint8_t *b, size_t n)
{
	uint64_t x = 0, y = 0;
	if (n > sizeof x)
		return !memcmp(a, b, n);
	if (n == 4 || n == 8) { /* nearly all */
		memcpy(&x, a, n == 4 ? 4 : 8);
		memcpy(&y, b, n == 4 ? 4 : 8);
		return x == y;
	}
	while (n && a[n - 1] == b[n - 1])
		n--;
	return !n;
}

/* The device has read or written these bytes: the trace knows them. What a read found that a thread of the host has stored since the look is
 * recorded. */
static void pages_know(const struct recorder *r, uint64_t address, const uint8_t *data, size_t length, bool write)
{
	for (size_t n; r->pages && length; address += n, data += n, length -= n) {
		const uint64_t at = address % GALENA_PAGE_SIZE, number = address / GALENA_PAGE_SIZE;
		n = length < GALENA_PAGE_SIZE - at ? length : GALENA_PAGE_SIZE - at;
		struct shadow_page *p = shadow_find(number);
		if (!p && write && n == GALENA_PAGE_SIZE)
			p = shadow_add(number);
		if (!p || same(p->bytes + at, data, n))
			continue;
		if (write)
			memcpy(p->bytes + at, data, n);
		else
			page_differs(r, p, at, data, n, false);
	}
}

static void has_read(struct recorder *r, uint64_t address, const void *data, size_t len, bool ok)
{
	if (ok) {
		pages_know(r, address, data, len, false);
		r->reads = XXH3_64bits_withSeed(data, len, r->read ? r->reads : 0);
		r->read = true;
	}
	put_memory(r, TRACE_MEM_READ, address, len, ok, NULL);
}

static void has_written(struct recorder *r, uint64_t address, const void *data, size_t len, bool ok)
{
	if (ok)
		pages_know(r, address, data, len, true);
	put_memory(r, TRACE_MEM_WRITE, address, len, ok, data);
}

static int memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct recorder *r = ctx;
	sender_hold();
	pages_look(r, address, len, false);
	int rc = r->memory.read(r->memory.ctx, address, dst, len);
	has_read(r, address, dst, len, rc == 0);
	sender_drop();
	return rc;
}

static int memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	struct recorder *r = ctx;
	sender_hold();
	pages_look(r, address, len, true);
	int rc = r->memory.write(r->memory.ctx, address, src, len);
	has_written(r, address, src, len, rc == 0);
	sender_drop();
	return rc;
}

/* Recorded as what it comes to: a write, or a read of what another thread had stored meanwhile. */
static int memory_exchange(void *ctx, uint64_t address, void *seen, const void *desired, size_t len)
{
	struct recorder *r = ctx;
	sender_hold();
	pages_look(r, address, len, true);
	int rc = r->memory.exchange(r->memory.ctx, address, seen, desired, len);
	if (rc)
		has_written(r, address, desired, len, rc > 0);
	else
		has_read(r, address, seen, len, true);
	sender_drop();
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
	r->pages = setting("GALENA_TRACE");
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
