#include "traces/replay_results.h"
#include "abi/bus.h"
#include "abi/registers.h"
#include "traces/replay_call.h"
#include "traces/replay_memory.h"
#include "traces/replay_registers.h"
#include "traces/replay_times.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* How much longer than then a device may take for what it has to come to, in times of the call and in cycles; how often it is asked
 * meanwhile. */
enum { LONGER = 64, LONGER_CYCLES = 1 << 20, TURNS = 1 << 16, TURN_CYCLES = 128 };

struct results {
	struct replayed {
		struct results *results;
		unsigned index;
		struct bus *bus;    /* NULL: it is not open */
		bool idle;          /* it was, when the host last waited, and has been told nothing since */
		bool cleared;       /* the host has cleared interrupts since all were idle: one may have stood for two */
		bool fewer;         /* one has: what the host then reads of them may be less */
		uint32_t interrupts; /* that the trace has had */
		uint64_t returned;  /* cycle of the last return, in the trace */
	} devices[TRACE_MAX_DEVICES];
	struct call_queue queue;
	struct replay_memory *memory;
	struct replay_times times;
	struct replay_result *result;
	const char *config, *error;
	struct call *call; /* that is made */
	uint64_t generation;
	bool tired;        /* what is waited for has not come: it will not be waited for again until all are idle */
};

static const char out_of_memory[] = "trace: out of memory";

static bool stopped(const struct results *r) { return r->error || r->result->difference[0]; }

__attribute__((format(printf, 3, 4))) static void differ(struct results *r, uint64_t record, const char *fmt, ...)
{
	va_list ap;
	if (stopped(r))
		return;
	r->result->record = record;
	va_start(ap, fmt);
	vsnprintf(r->result->difference, sizeof r->result->difference, fmt, ap);
	va_end(ap);
}

/* ---- what the trace says of memory ---- */

/* A PAGE record; once. */
static void page_take(struct results *r, struct call *c, struct call_access *a)
{
	struct memory_page *p = memory_page_add(r->memory, a->address);
	const bool taken = p && p->whole;
	if (taken)
		p->whole = false; /* it was taken before the first call */
	else if (!p || !memory_host_stores(r->memory, a->address, c->bytes + a->data, a->length))
		r->error = "trace: a page is damaged: record the trace again";
	a->length = 0;
}

static void rights_take(struct results *r, const struct call_access *a)
{
	struct memory_page *p = memory_page_add(r->memory, a->address);
	if (p && a->kind == TRACE_MEM_WRITE)
		p->unwritable = !a->ok;
	else if (p)
		p->unreadable = !a->ok;
}

/* All that the trace has of the call, before it is made; late: what the host stored while the device was at it. */
static void call_take_memory(struct results *r, struct call *c, bool late)
{
	replay_times_renew(&r->times);
	for (size_t i = 0; i < c->count && !r->error; i++) {
		struct call_access *a = &c->accesses[i];
		if (a->kind == TRACE_PAGE && a->length && a->late == late)
			page_take(r, c, a);
		if (a->kind == TRACE_PAGE || late)
			continue;
		rights_take(r, a);
		if (a->kind == TRACE_MEM_WRITE && a->ok && !memory_trace_writes(r->memory, a->address, c->bytes + a->data, a->length, a->record))
			r->error = out_of_memory;
	}
}

/* Whether the host tells the device of something new by the call. */
static bool announces(const struct call *c)
{
	return (c->head.kind == TRACE_WRITE32 || c->head.kind == TRACE_WRITE64) && c->head.a != REG_HOST_IRQ_STATUS && c->head.a != REG_HOST_IRQ_ENABLE;
}

/* The device touches a page earlier than in the trace: what the trace has of it at its next touch was there already, unless the host
 * told the device of something in between. */
static void page_prefetch(struct results *r, struct memory_page *p)
{
	enum { CALLS = 64 };
	const char *error;
	struct call *c = NULL;
	if (p->asked == r->call->record || call_touches(r->call, p->number))
		return;
	p->asked = r->call->record;
	for (unsigned n = 0; n < CALLS && (c = call_after(&r->queue, c, &error)) && c->head.kind != TRACE_OPEN && !announces(c); n++) {
		if (!call_touches(c, p->number))
			continue;
		for (size_t i = 0; i < c->count && !r->error; i++) {
			struct call_access *a = &c->accesses[i];
			if (a->kind == TRACE_PAGE && a->address / GALENA_PAGE_SIZE == p->number && a->length && !a->late)
				page_take(r, c, a);
		}
		return;
	}
}

/* ---- what the device does to it ---- */
static struct memory_page *page_reach(struct replayed *d, uint64_t address, bool write)
{
	struct results *r = d->results;
	struct memory_page *p = memory_page_find(r->memory, address);
	if (stopped(r))
		return NULL;
	if (!p || !(p->held || p->unreadable || p->unwritable)) {
		differ(r, r->call ? r->call->record : 0, "device %u %s at bus address 0x%llx, in a page that the trace does not hold: record the program on the "
		       "configuration that is to replay it", d->index, write ? "wrote" : "read", (unsigned long long)address);
		return NULL;
	}
	if (r->call)
		page_prefetch(r, p);
	return (write ? p->unwritable : p->unreadable || !p->held) ? NULL : p;
}

static bool pages_reach(struct replayed *d, uint64_t address, size_t len, bool write)
{
	for (size_t n, done = 0; done < len; done += n) {
		if (!page_reach(d, address + done, write))
			return false;
		n = page_part(address + done, len - done);
	}
	return true;
}

static int memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct replayed *d = ctx;
	if (!pages_reach(d, address, len, false))
		return -1;
	for (size_t n, done = 0; done < len; done += n) {
		n = page_part(address + done, len - done);
		memcpy((uint8_t *)dst + done, memory_page_find(d->results->memory, address + done)->actual + (address + done) % GALENA_PAGE_SIZE, n);
	}
	return 0;
}

static int memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	struct replayed *d = ctx;
	if (!pages_reach(d, address, len, true))
		return -1;
	memory_device_writes(d->results->memory, address, src, len);
	return 0;
}

static int memory_exchange(void *ctx, uint64_t address, void *seen, const void *desired, size_t len)
{
	uint64_t there;
	if (memory_read(ctx, address, &there, len) || !pages_reach(ctx, address, len, true))
		return -1;
	if (memcmp(&there, seen, len)) {
		memcpy(seen, &there, len);
		return 0;
	}
	return memory_write(ctx, address, desired, len) ? -1 : 1;
}

static void *memory_page_host(void *ctx, uint64_t page_number, bool write)
{
	(void)ctx;
	(void)page_number;
	(void)write;
	return NULL;
}

/* ---- comparing ---- */

/* Whether the byte is not yet as the device left it in the trace. */
static bool byte_open(struct results *r, const struct memory_page *p, size_t at, bool all)
{
	return p->actual[at] != p->expected[at] && !replay_times_holds(&r->times, r->memory, p->number * GALENA_PAGE_SIZE + at, all);
}

static bool access_open(struct results *r, const struct call_access *a)
{
	for (uint64_t at = a->address; at < a->address + a->length; at++) {
		struct memory_page *p = memory_page_find(r->memory, at);
		const size_t i = at % GALENA_PAGE_SIZE;
		if (!page_bit(p->led, i) && byte_open(r, p, i, false))
			return true;
		if (p->actual[i] == p->expected[i])
			page_bit_set(p->ahead, i, false);
	}
	return false;
}

/* The first of the call's writes, from one on, that the device has not come to. */
static size_t writes_open(struct results *r, const struct call *c, size_t from)
{
	while (from < c->count && !(c->accesses[from].kind == TRACE_MEM_WRITE && c->accesses[from].ok && access_open(r, &c->accesses[from])))
		from++;
	return from;
}

/* Every device has come to its end: what they have written is compared. */
static void memory_compare(struct results *r, bool idle)
{
	for (struct memory_page *p; (p = memory_changed(r->memory));) {
		const bool same = !memcmp(p->actual, p->expected, GALENA_PAGE_SIZE);
		for (size_t i = 0; i < GALENA_PAGE_SIZE && !same; i++)
			if ((idle || !page_bit(p->ahead, i)) && byte_open(r, p, i, true)) {
				differ(r, p->record, "bus address 0x%llx is 0x%02x where the trace has 0x%02x, in a page that record %llu wrote last; compared at record %llu",
				       (unsigned long long)(p->number * GALENA_PAGE_SIZE + i), p->actual[i], p->expected[i], (unsigned long long)p->record,
				       (unsigned long long)(r->call ? r->call->record : r->result->records));
				return;
			}
		memset(p->ahead, 0, sizeof p->ahead);
		memset(p->led, 0, sizeof p->led);
		memcpy(p->actual, p->expected, GALENA_PAGE_SIZE); /* cycles: as the host has read them */
	}
}

static bool all_idle(const struct results *r)
{
	for (unsigned i = 0; i < TRACE_MAX_DEVICES; i++)
		if (r->devices[i].bus && !r->devices[i].idle)
			return false;
	return true;
}

static void device_idle(struct replayed *d)
{
	struct results *r = d->results;
	d->idle = true;
	if (!all_idle(r))
		return;
	memory_compare(r, true);
	r->tired = false;
	for (unsigned i = 0; i < TRACE_MAX_DEVICES; i++)
		r->devices[i].cleared = r->devices[i].fewer = false;
}

/* ---- time ---- */
struct patience { uint64_t until, turns; };

static struct patience patience_begin(const struct replayed *d, const struct call *c)
{
	const uint64_t then = c->returned && c->cycle > d->returned ? c->cycle - d->returned : 0;
	return (struct patience){ .until = bus_cycle(d->bus) + LONGER * then + LONGER_CYCLES };
}

static bool patience_left(const struct replayed *d, struct patience *p) { return ++p->turns < TURNS && bus_cycle(d->bus) < p->until; }

/* Lets some time pass, also where an interrupt is pending. False: the device is idle. */
static bool time_pass(struct replayed *d, const struct patience *p)
{
	const uint64_t cycles = TURN_CYCLES << (p->turns / 64 < 8 ? p->turns / 64 : 8);
	enum bus_wait why = bus_wait_irq(d->bus, cycles);
	if (why == BUS_WAIT_IRQ) {
		const uint32_t enabled = bus_read32(d->bus, REG_HOST_IRQ_ENABLE);
		bus_write32(d->bus, REG_HOST_IRQ_ENABLE, 0);
		why = bus_wait_irq(d->bus, cycles);
		bus_write32(d->bus, REG_HOST_IRQ_ENABLE, enabled);
	}
	return why != BUS_WAIT_IDLE;
}

/* Until the device has written what it wrote in the call. */
static void writes_wait(struct replayed *d, const struct call *c)
{
	struct results *r = d->results;
	struct patience p = patience_begin(d, c);
	size_t at = writes_open(r, c, 0);
	while (at < c->count && !stopped(r) && !r->tired) {
		if (!time_pass(d, &p)) {
			if (writes_open(r, c, at) < c->count)
				r->tired = true;
			return;
		}
		if (!patience_left(d, &p))
			r->tired = true;
		at = writes_open(r, c, at);
	}
}

/* ---- calls ---- */

/* The device is to be idle, but has an interrupt that came together with another in the trace: cleared as the host has cleared that. */
static bool interrupt_extra(struct replayed *d, const struct call *c)
{
	const uint32_t bits = bus_read32(d->bus, REG_HOST_IRQ_STATUS);
	if (bits & ~d->interrupts || !d->cleared)
		differ(d->results, c->record, "device %u has interrupt 0x%x; in the trace it is idle", d->index, bits);
	else
		bus_write32(d->bus, REG_HOST_IRQ_STATUS, bits);
	return !stopped(d->results);
}

static void wait_replay(struct replayed *d, struct call *c, bool was_there)
{
	struct results *r = d->results;
	struct patience p = patience_begin(d, c);
	enum bus_wait why = bus_wait_irq(d->bus, c->head.a);
	call_take_memory(r, c, true);
	if (!c->returned || c->value == BUS_WAIT_LIMIT)
		return;
	while (!stopped(r) && why != c->value) {
		if (c->value == BUS_WAIT_IRQ && why == BUS_WAIT_IDLE) {
			d->fewer = was_there && d->cleared;
			if (!d->fewer)
				differ(r, c->record, "device %u is idle without the interrupt that the trace has", d->index);
			return;
		}
		if (c->value == BUS_WAIT_IDLE && why == BUS_WAIT_IRQ && !interrupt_extra(d, c))
			return;
		if (!patience_left(d, &p)) {
			differ(r, c->record, "device %u: %s is not reached in cycle %llu; the trace has it at %llu", d->index,
			       c->value == BUS_WAIT_IRQ ? "an interrupt" : "idleness", (unsigned long long)bus_cycle(d->bus), (unsigned long long)c->cycle);
			return;
		}
		why = bus_wait_irq(d->bus, c->head.a);
	}
}

static uint64_t register_read(struct replayed *d, const struct call *c)
{
	return c->head.kind == TRACE_READ32 ? bus_read32(d->bus, (uint32_t)c->head.a) : bus_read64(d->bus, (uint32_t)c->head.a);
}

static bool register_reached(enum register_class class, uint64_t value, uint64_t then)
{
	return class == REGISTER_FREE || (class == REGISTER_BITS ? (value & then) == then : value == then);
}

static void read_replay(struct replayed *d, struct call *c)
{
	struct results *r = d->results;
	const enum register_class class = register_class((uint32_t)c->head.a);
	struct patience p = patience_begin(d, c);
	uint64_t value = register_read(d, c);
	call_take_memory(r, c, true);
	if (c->head.a == REG_HOST_IRQ_STATUS)
		d->interrupts |= (uint32_t)c->value;
	if (!c->returned)
		return;
	while (!register_reached(class, value, c->value) && class != REGISTER_SAME && !(class == REGISTER_BITS && d->fewer) && !stopped(r)) {
		const bool goes_on = time_pass(d, &p) && patience_left(d, &p);
		value = register_read(d, c);
		if (!goes_on)
			break;
	}
	const bool passed = class == REGISTER_PROGRESS || (class == REGISTER_BITS && d->fewer);
	if (!register_reached(class, value, c->value) && !passed)
		differ(r, c->record, "device %u: %s 0x%llx gave 0x%llx; the trace has 0x%llx", d->index, trace_kind_name(c->head.kind),
		       (unsigned long long)c->head.a, (unsigned long long)value, (unsigned long long)c->value);
}

static void write_replay(struct replayed *d, struct call *c)
{
	const unsigned bits = c->head.kind == TRACE_WRITE32 ? 32 : 64;
	replay_times_write(&d->results->times, (uint32_t)c->head.a, c->head.b, bits);
	d->idle = false;
	if (c->head.a == REG_HOST_IRQ_STATUS)
		d->cleared = true;
	if (bits == 32)
		bus_write32(d->bus, (uint32_t)c->head.a, (uint32_t)c->head.b);
	else
		bus_write64(d->bus, (uint32_t)c->head.a, c->head.b);
	call_take_memory(d->results, c, true);
}

static void call_replay(struct results *r, struct call *c)
{
	struct replayed *d = &r->devices[c->head.device];
	if (!d->bus) {
		r->error = "trace: a call to a device that is not open";
		return;
	}
	call_take_memory(r, c, false);
	if (r->error)
		return;
	if (c->head.kind == TRACE_WAIT)
		wait_replay(d, c, writes_open(r, c, 0) == c->count);
	else if (c->head.kind == TRACE_READ32 || c->head.kind == TRACE_READ64)
		read_replay(d, c);
	else
		write_replay(d, c);
	writes_wait(d, c);
	if (c->head.kind == TRACE_WAIT && c->returned && c->value == BUS_WAIT_IDLE && !stopped(r))
		device_idle(d);
	d->returned = c->cycle;
}

static void device_open(struct results *r, const struct call *c)
{
	struct replayed *d = &r->devices[c->head.device];
	struct bus_params p = {
		.device = c->head.name,
		.config = r->config,
		.speed = c->head.a ? BUS_FUNCTIONAL : BUS_TIMED,
		.index = c->head.device,
		.memory = { d, memory_read, memory_write, memory_exchange, memory_page_host, &r->generation, true },
	};
	if (d->bus) {
		r->error = "trace: a device is opened twice";
		return;
	}
	r->error = replay_config_refused(c->head.config, r->config);
	if (r->error)
		return;
	*d = (struct replayed){ .results = r, .index = c->head.device };
	d->bus = bus_open(&p, &r->error);
}

static void device_close(struct replayed *d)
{
	if (d->bus)
		bus_close(d->bus);
	d->bus = NULL;
}

/* ---- the whole ---- */

/* The pages that the trace has whole, before the first call: there is nothing that a device could want of them earlier. */
static bool pages_take(struct results *r, const char *path)
{
	struct trace_record rec;
	struct trace_reader *reader = trace_reader_open(path, &r->error);
	int n = -1;
	while (reader && !r->error && (n = trace_reader_next(reader, &rec, &r->error)) > 0) {
		if (rec.kind != TRACE_PAGE && !(rec.kind == TRACE_MEM_WRITE && rec.ok))
			continue;
		struct memory_page *p = memory_page_find(r->memory, rec.a);
		if (p && p->held)
			continue;
		p = memory_page_add(r->memory, rec.a);
		if (!p || (rec.kind == TRACE_PAGE && !memory_host_stores(r->memory, rec.a, rec.data, rec.b)))
			r->error = "trace: a page is damaged: record the trace again";
		else
			p->whole = rec.kind == TRACE_PAGE;
		if (p)
			p->held = true;
	}
	trace_reader_close(reader);
	return n == 0 && !r->error;
}

static void calls_replay(struct results *r, const struct replay_options *options)
{
	while (!stopped(r) && (r->call = call_take(&r->queue, &r->error))) {
		struct call *c = r->call;
		if (options->progress)
			options->progress(trace_reader_progress(r->queue.reader), options->arg);
		if (c->head.kind == TRACE_OPEN)
			device_open(r, c);
		else if (c->head.kind == TRACE_CLOSE)
			device_close(&r->devices[c->head.device]);
		else if (c->returned)
			call_replay(r, c);
		r->call = NULL;
		call_free(c);
	}
}

int replay_results_run(const char *path, const struct replay_options *options, struct replay_result *result, const char **error)
{
	struct results r = { .result = result, .config = options->config, .memory = replay_memory_open() };
	memset(result, 0, sizeof *result);
	r.error = r.memory ? NULL : out_of_memory;
	if (r.memory && pages_take(&r, path))
		r.queue.reader = trace_reader_open(path, &r.error);
	if (r.queue.reader) {
		calls_replay(&r, options);
		result->records = trace_reader_position(r.queue.reader);
		result->hash = trace_reader_hash(r.queue.reader);
		result->end = trace_reader_end(r.queue.reader);
		if (!stopped(&r))
			memory_compare(&r, all_idle(&r));
	}
	for (unsigned i = 0; i < TRACE_MAX_DEVICES; i++)
		device_close(&r.devices[i]);
	call_queue_close(&r.queue);
	trace_reader_close(r.queue.reader);
	replay_memory_close(r.memory);
	replay_times_free(&r.times);
	*error = r.error;
	return r.error ? -1 : result->difference[0] ? 1 : 0;
}
