#define XXH_INLINE_ALL
#include "traces/replay.h"
#include "abi/bus.h"
#include "traces/replay_memory.h"
#include "traces/replay_results.h"
#include "traces/trace_reader.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static const char out_of_memory[] = "trace: out of memory";

struct replay {
	struct trace_reader *reader;
	struct replay_result *result;
	struct bus *buses[TRACE_MAX_DEVICES];
	struct device_memory {
		struct replay *replay;
		unsigned index;
		bool read;      /* system memory, in this call */
		uint64_t reads; /* hash of what */
	} memories[TRACE_MAX_DEVICES];
	struct replay_memory *memory; /* system memory as it was */
	uint64_t generation;
	const char *error; /* damaged trace */
	bool in_call;
	jmp_buf out;        /* of the call */
	struct bus *within; /* the device that is in the call in which the program died, and stays there */
};

__attribute__((format(printf, 2, 3))) static void differ(struct replay *r, const char *fmt, ...)
{
	va_list ap;
	if (r->result->difference[0])
		return;
	r->result->record = trace_reader_position(r->reader) - 1;
	va_start(ap, fmt);
	vsnprintf(r->result->difference, sizeof r->result->difference, fmt, ap);
	va_end(ap);
}

static bool stopped(const struct replay *r) { return r->error || r->result->difference[0]; }

/* After an access that gave rc: leaves the call when the program died in it and the device has done all that is recorded, for it
 * might go on for ever. */
static int leave_at_end(struct replay *r, int rc)
{
	if (r->in_call && !stopped(r) && trace_reader_ends(r->reader))
		longjmp(r->out, 1);
	return rc;
}

/* The next record that is no page: pages are taken into memory. As trace_reader_next(). */
static int record_next(struct replay *r, struct trace_record *rec)
{
	const char *error = NULL;
	int n;
	while ((n = trace_reader_next(r->reader, rec, &error)) > 0 && rec->kind == TRACE_PAGE)
		if (!memory_host_stores(r->memory, rec->a, rec->data, rec->b)) {
			r->error = "trace: a page is damaged: record the trace again";
			return -1;
		}
	if (n < 0)
		r->error = error;
	return n;
}

/* The next has to be a memory access of this kind, or the other: the device does what it did then. */
static int memory_expect(struct device_memory *m, enum trace_kind kind, enum trace_kind other, uint64_t address, size_t len,
			 struct trace_record *rec)
{
	struct replay *r = m->replay;
	if (stopped(r))
		return -1;
	int n = record_next(r, rec);
	if (n < 0)
		return -1;
	if (n == 0 && r->in_call)
		longjmp(r->out, 1); /* the program died when the page had been recorded */
	if (n == 0 || (rec->kind != kind && rec->kind != other) || rec->device != m->index || rec->a != address || rec->b != len) {
		differ(r, "device %u: %s of %zu bytes at bus address 0x%llx; the trace has %s 0x%llx, %llu", m->index,
		       trace_kind_name(kind), len, (unsigned long long)address,
		       n ? trace_kind_name(rec->kind) : "its end", (unsigned long long)rec->a,
		       (unsigned long long)rec->b);
		return -1;
	}
	return 0;
}

static int has_read(struct device_memory *m, uint64_t address, void *dst, size_t len)
{
	const size_t there = memory_expected(m->replay->memory, address, dst, len);
	if (there < len) {
		differ(m->replay, "device %u read at bus address 0x%llx, whose page the trace does not hold: record it again", m->index,
		       (unsigned long long)(address + there));
		return -1;
	}
	m->reads = XXH3_64bits_withSeed(dst, len, m->read ? m->reads : 0);
	m->read = true;
	return 0;
}

static int memory_read_next(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct trace_record rec;
	if (memory_expect(ctx, TRACE_MEM_READ, TRACE_MEM_READ, address, len, &rec) || !rec.ok)
		return -1;
	return has_read(ctx, address, dst, len);
}

/* The write of a record, which has to be of the same bytes. */
static int memory_same(struct device_memory *m, const struct trace_record *rec, uint64_t address, const void *src, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (rec->data[i] != ((const uint8_t *)src)[i]) {
			differ(m->replay, "device %u wrote 0x%02x at bus address 0x%llx; the trace has 0x%02x",
			       m->index, ((const uint8_t *)src)[i], (unsigned long long)(address + i), rec->data[i]);
			return -1;
		}
	if (!rec->ok)
		return -1;
	if (memory_trace_writes(m->replay->memory, address, src, len, trace_reader_position(m->replay->reader) - 1))
		return 0;
	m->replay->error = out_of_memory;
	return -1;
}

static int memory_write_next(void *ctx, uint64_t address, const void *src, size_t len)
{
	struct trace_record rec;
	if (memory_expect(ctx, TRACE_MEM_WRITE, TRACE_MEM_WRITE, address, len, &rec))
		return -1;
	return memory_same(ctx, &rec, address, src, len);
}

static int memory_exchange_next(void *ctx, uint64_t address, void *seen, const void *desired, size_t len)
{
	struct trace_record rec;
	if (memory_expect(ctx, TRACE_MEM_WRITE, TRACE_MEM_READ, address, len, &rec))
		return -1;
	if (rec.kind == TRACE_MEM_WRITE)
		return memory_same(ctx, &rec, address, desired, len) ? -1 : 1;
	return has_read(ctx, address, seen, len);
}

static int memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	return leave_at_end(((struct device_memory *)ctx)->replay, memory_read_next(ctx, address, dst, len));
}

static int memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	return leave_at_end(((struct device_memory *)ctx)->replay, memory_write_next(ctx, address, src, len));
}

static int memory_exchange(void *ctx, uint64_t address, void *seen, const void *desired, size_t len)
{
	return leave_at_end(((struct device_memory *)ctx)->replay, memory_exchange_next(ctx, address, seen, desired, len));
}

static void *memory_page(void *ctx, uint64_t page_number, bool write)
{
	(void)ctx;
	(void)page_number;
	(void)write;
	return NULL;
}

static int device_open(struct replay *r, const struct trace_record *rec)
{
	struct device_memory *m = &r->memories[rec->device];
	struct bus_params p = {
		.device = rec->name,
		.config = rec->config,
		.speed = rec->a ? BUS_FUNCTIONAL : BUS_TIMED,
		.index = rec->device,
		.memory = { m, memory_read, memory_write, memory_exchange, memory_page, &r->generation, true },
	};
	m->replay = r;
	m->index = rec->device;
	if (r->buses[rec->device]) {
		r->error = "trace: a device is opened twice";
		return -1;
	}
	r->buses[rec->device] = bus_open(&p, &r->error);
	return r->buses[rec->device] ? 0 : -1;
}

/* Makes a call; whether it came back. */
static bool call_make(struct replay *r, struct bus *b, const struct trace_record *call, uint64_t *value)
{
	r->in_call = true;
	r->memories[call->device].read = false;
	if (setjmp(r->out)) {
		r->within = b;
		return false;
	}
	*value = 0;
	switch (call->kind) {
	case TRACE_READ32: *value = bus_read32(b, (uint32_t)call->a); break;
	case TRACE_READ64: *value = bus_read64(b, (uint32_t)call->a); break;
	case TRACE_WRITE32: bus_write32(b, (uint32_t)call->a, (uint32_t)call->b); break;
	case TRACE_WRITE64: bus_write64(b, (uint32_t)call->a, call->b); break;
	default: *value = bus_wait_irq(b, call->a); break;
	}
	r->in_call = false;
	return true;
}

/* What the device has read in the call that ends here: as pages give it, which may have been changed since they were recorded. */
static void reads_compare(struct replay *r, const struct trace_record *call, const struct trace_record *reads)
{
	const struct device_memory *m = &r->memories[call->device];
	if (reads->device != call->device || !m->read || m->reads != reads->a)
		differ(r, "device %u: what it read of system memory during %s 0x%llx is not what it read then: pages of the trace have been changed",
		       call->device, trace_kind_name(call->kind), (unsigned long long)call->a);
}

/* Makes a call and compares what comes back with the RETURN record that follows. */
static void call_replay(struct replay *r, const struct trace_record *call, bool check_cycles)
{
	struct bus *b = r->buses[call->device];
	struct trace_record ret;
	uint64_t value;
	if (trace_reader_ends(r->reader))
		return; /* the program died before the device did anything in this call */
	if (!call_make(r, b, call, &value) || stopped(r))
		return;
	int n = record_next(r, &ret);
	if (n > 0 && ret.kind == TRACE_READS) {
		reads_compare(r, call, &ret);
		if (stopped(r) || trace_reader_ends(r->reader))
			return;
		n = record_next(r, &ret);
	}
	if (n < 0)
		return;
	if (n == 0 || ret.kind != TRACE_RETURN || ret.device != call->device)
		differ(r, "device %u: %s 0x%llx returned; in the trace the device went on with %s", call->device,
		       trace_kind_name(call->kind), (unsigned long long)call->a,
		       n ? trace_kind_name(ret.kind) : "the end");
	else if (ret.a != value)
		differ(r, "device %u: %s 0x%llx gave 0x%llx; the trace has 0x%llx", call->device,
		       trace_kind_name(call->kind), (unsigned long long)call->a, (unsigned long long)value,
		       (unsigned long long)ret.a);
	else if (check_cycles && ret.b != bus_cycle(b))
		differ(r, "device %u: %s 0x%llx returned at cycle %llu; in the trace at %llu", call->device,
		       trace_kind_name(call->kind), (unsigned long long)call->a, (unsigned long long)bus_cycle(b),
		       (unsigned long long)ret.b);
}

int replay_run(const char *path, const struct replay_options *options, struct replay_result *result,
	       const char **error)
{
	struct replay r = { .result = result };
	struct trace_record rec;
	if (options->config)
		return replay_results_run(path, options, result, error);
	memset(result, 0, sizeof *result);
	r.memory = replay_memory_open();
	*error = out_of_memory;
	r.reader = r.memory ? trace_reader_open(path, error) : NULL;
	if (!r.reader) {
		replay_memory_close(r.memory);
		return -1;
	}
	while (!stopped(&r) && record_next(&r, &rec) > 0) {
		if (options->progress)
			options->progress(trace_reader_progress(r.reader), options->arg);
		if (rec.kind == TRACE_OPEN)
			device_open(&r, &rec);
		else if (!r.buses[rec.device])
			r.error = "trace: a call to a device that is not open";
		else if (rec.kind == TRACE_CLOSE) {
			bus_close(r.buses[rec.device]);
			r.buses[rec.device] = NULL;
		} else if (rec.kind >= TRACE_READ32 && rec.kind <= TRACE_WAIT)
			call_replay(&r, &rec, options->check_cycles);
		else
			differ(&r, "device %u did nothing where the trace has %s 0x%llx", rec.device,
			       trace_kind_name(rec.kind), (unsigned long long)rec.a);
	}
	result->records = trace_reader_position(r.reader);
	result->hash = trace_reader_hash(r.reader);
	result->end = trace_reader_end(r.reader);
	/* Nothing more is compared: closing must not be told apart from what the program did. */
	if (!stopped(&r))
		r.error = NULL;
	for (unsigned i = 0; i < TRACE_MAX_DEVICES; i++)
		if (r.buses[i] && r.buses[i] != r.within) {
			const char *keep = r.error;
			if (!keep)
				r.error = "closing";
			bus_close(r.buses[i]);
			r.error = keep;
		}
	trace_reader_close(r.reader);
	replay_memory_close(r.memory);
	if (r.error) {
		*error = r.error;
		return -1;
	}
	return result->difference[0] ? 1 : 0;
}
