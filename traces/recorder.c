#include "traces/recorder.h"
#include "traces/output_name.h"
#include "traces/trace_writer.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct recorder {
	struct bus bus;
	struct bus *inner;
	struct bus_memory memory; /* the driver's own */
	unsigned index;
};

/* The process's one trace. The lock orders the end of the process against a pump still at work. */
static struct {
	pthread_mutex_t lock;
	struct trace_writer *writer;
	unsigned devices;
	const char *path, *hash_path; /* NULL: none */
	pid_t owner; /* the end of a forked child is not the end of it */
	bool exit_registered;
} trace = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const char *setting(const char *name)
{
	const char *s = getenv(name);
	return s && *s && strcmp(s, "0") ? s : NULL;
}

bool recorder_wanted(void) { return setting("GALENA_TRACE") || setting("GALENA_HASH"); }

static void trace_finish(void)
{
	const char *to = setting("GALENA_HASH");
	if (!trace.writer)
		return;
	if (to) {
		FILE *f = trace.hash_path ? fopen(trace.hash_path, "we") : stderr;
		if (f)
			fprintf(f, "bus hash %016llx\n", (unsigned long long)trace_writer_hash(trace.writer));
		else
			fprintf(stderr, "galena: cannot write %s: %s\n", trace.hash_path, strerror(errno));
		if (f && f != stderr)
			fclose(f);
	}
	if (trace_writer_close(trace.writer))
		fprintf(stderr, "galena: the trace %s is not complete: %s\n", trace.path, strerror(errno));
	trace.writer = NULL;
}

static void trace_exit(void)
{
	if (trace.owner != getpid())
		return;
	pthread_mutex_lock(&trace.lock);
	trace_finish();
	pthread_mutex_unlock(&trace.lock);
}

/* Recording stops when the process has begun to exit: the file is closed then. */
#define RECORD(call)                                                                               \
	do {                                                                                       \
		pthread_mutex_lock(&trace.lock);                                                   \
		if (trace.writer)                                                                  \
			call;                                                                      \
		pthread_mutex_unlock(&trace.lock);                                                 \
	} while (0)

static void put(struct recorder *r, enum trace_kind kind, uint64_t a, uint64_t b)
{
	RECORD(trace_writer_record(trace.writer, kind, r->index, a, b));
}

static uint64_t recorder_cycle(struct bus *b) { return bus_cycle(((struct recorder *)b)->inner); }

static uint32_t recorder_read32(struct bus *b, uint32_t offset)
{
	struct recorder *r = (struct recorder *)b;
	put(r, TRACE_READ32, offset, 0);
	uint32_t v = bus_read32(r->inner, offset);
	put(r, TRACE_RETURN, v, bus_cycle(r->inner));
	return v;
}

static uint64_t recorder_read64(struct bus *b, uint32_t offset)
{
	struct recorder *r = (struct recorder *)b;
	put(r, TRACE_READ64, offset, 0);
	uint64_t v = bus_read64(r->inner, offset);
	put(r, TRACE_RETURN, v, bus_cycle(r->inner));
	return v;
}

static void recorder_write32(struct bus *b, uint32_t offset, uint32_t value)
{
	struct recorder *r = (struct recorder *)b;
	put(r, TRACE_WRITE32, offset, value);
	bus_write32(r->inner, offset, value);
	put(r, TRACE_RETURN, 0, bus_cycle(r->inner));
}

static void recorder_write64(struct bus *b, uint32_t offset, uint64_t value)
{
	struct recorder *r = (struct recorder *)b;
	put(r, TRACE_WRITE64, offset, value);
	bus_write64(r->inner, offset, value);
	put(r, TRACE_RETURN, 0, bus_cycle(r->inner));
}

static enum bus_wait recorder_wait_irq(struct bus *b, uint64_t limit)
{
	struct recorder *r = (struct recorder *)b;
	put(r, TRACE_WAIT, limit, 0);
	enum bus_wait w = bus_wait_irq(r->inner, limit);
	put(r, TRACE_RETURN, w, bus_cycle(r->inner));
	return w;
}

static void recorder_close(struct bus *b)
{
	struct recorder *r = (struct recorder *)b;
	put(r, TRACE_CLOSE, 0, 0);
	bus_close(r->inner);
	pthread_mutex_lock(&trace.lock);
	if (--trace.devices == 0)
		trace_finish();
	pthread_mutex_unlock(&trace.lock);
	free(r);
}

static const struct bus_ops recorder_ops = {
	.read32 = recorder_read32,
	.read64 = recorder_read64,
	.write32 = recorder_write32,
	.write64 = recorder_write64,
	.wait_irq = recorder_wait_irq,
	.cycle = recorder_cycle,
	.close = recorder_close,
};

static int memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct recorder *r = ctx;
	int rc = r->memory.read(r->memory.ctx, address, dst, len);
	RECORD(trace_writer_memory(trace.writer, TRACE_MEM_READ, r->index, address, len, rc == 0, dst));
	return rc;
}

static int memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	struct recorder *r = ctx;
	int rc = r->memory.write(r->memory.ctx, address, src, len);
	RECORD(trace_writer_memory(trace.writer, TRACE_MEM_WRITE, r->index, address, len, rc == 0, src));
	return rc;
}

/* Recorded as what it comes to: a write, or a read of what somebody else had stored meanwhile. */
static int memory_exchange(void *ctx, uint64_t address, void *seen, const void *desired, size_t len)
{
	struct recorder *r = ctx;
	int rc = r->memory.exchange(r->memory.ctx, address, seen, desired, len);
	RECORD(trace_writer_memory(trace.writer, rc ? TRACE_MEM_WRITE : TRACE_MEM_READ, r->index, address, len, rc >= 0,
				   rc ? desired : seen));
	return rc;
}

static void *memory_page(void *ctx, uint64_t page_number, bool write)
{
	(void)ctx;
	(void)page_number;
	(void)write;
	return NULL; /* observed: every access goes through read and write */
}

/* The files that are asked for; lock held. False with *error. */
static bool files_claim(const char **error)
{
	const char *path = setting("GALENA_TRACE"), *hash = setting("GALENA_HASH");
	if (hash && !strcmp(hash, "1"))
		hash = NULL;
	return (!path || (trace.path = output_name(path, error))) && (!hash || (trace.hash_path = output_name(hash, error)));
}

struct bus *recorder_open(bus_open_fn open, const struct bus_params *params, const char **error)
{
	struct recorder *r = calloc(1, sizeof *r);
	struct bus_params p = *params;
	if (!r) {
		*error = "trace: out of memory";
		return NULL;
	}
	pthread_mutex_lock(&trace.lock);
	if (!trace.writer && trace.devices == 0 && files_claim(error))
		trace.writer = trace_writer_open(trace.path, error);
	if (!trace.writer) {
		pthread_mutex_unlock(&trace.lock);
		free(r);
		return NULL;
	}
	trace.owner = getpid();
	if (!trace.exit_registered)
		trace.exit_registered = !atexit(trace_exit);
	trace.devices++;
	trace_writer_device(trace.writer, params->index, params->device, params->config, params->speed);
	pthread_mutex_unlock(&trace.lock);

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
	if (!r->inner) {
		pthread_mutex_lock(&trace.lock);
		if (--trace.devices == 0)
			trace_finish();
		pthread_mutex_unlock(&trace.lock);
		free(r);
		return NULL;
	}
	return &r->bus;
}
