#include "traces/trace_writer.h"
#include "traces/stream.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_HEAD = 128 };

const struct stream_kind trace_file_kind = { TRACE_MAGIC, TRACE_VERSION, "bus trace" };

struct trace_writer {
	struct stream_writer *out;
	uint64_t records;
};

const char *trace_kind_name(enum trace_kind kind)
{
	static const char *const names[TRACE_KINDS] = {
#define TRACE_RECORD(name, id, text, integers, a, b, doc) [id] = text,
#include "abi/trace_records.def"
#undef TRACE_RECORD
	};
	return kind < TRACE_KINDS && names[kind] ? names[kind] : "?";
}

static int kind_integers(enum trace_kind kind)
{
	static const uint8_t integers[TRACE_KINDS] = {
#define TRACE_RECORD(name, id, text, count, a, b, doc) [id] = (count),
#include "abi/trace_records.def"
#undef TRACE_RECORD
	};
	return integers[kind];
}

void trace_writer_record(struct trace_writer *w, enum trace_kind kind, unsigned device, uint64_t a, uint64_t b)
{
	uint8_t head[MAX_HEAD], *p = head;
	int n = kind_integers(kind);
	*p++ = (uint8_t)kind;
	*p++ = (uint8_t)device;
	if (n > 0)
		p = stream_varint(p, a);
	if (n > 1)
		p = stream_varint(p, b);
	w->records++;
	stream_put(w->out, head, (size_t)(p - head));
}

void trace_writer_memory(struct trace_writer *w, enum trace_kind kind, unsigned device, uint64_t address,
			 uint64_t length, int ok, const void *data)
{
	uint8_t head[MAX_HEAD], *p = head;
	*p++ = (uint8_t)kind;
	*p++ = (uint8_t)device;
	p = stream_varint(p, address);
	p = stream_varint(p, length);
	if (kind != TRACE_PAGE)
		*p++ = (uint8_t)ok;
	w->records++;
	void (*const put_bytes)(struct stream_writer *, const void *, size_t) = kind == TRACE_PAGE ? stream_put_beside : stream_put;
	put_bytes(w->out, head, (size_t)(p - head));
	if (kind != TRACE_MEM_READ)
		put_bytes(w->out, data, length);
}

void trace_writer_device(struct trace_writer *w, unsigned device, const char *name, const char *config,
			 unsigned speed)
{
	uint8_t head[MAX_HEAD + 32 + 1024], *p = head;
	*p++ = TRACE_OPEN;
	*p++ = (uint8_t)device;
	p = stream_text(p, name, 32);
	p = stream_text(p, config, 1024);
	p = stream_varint(p, speed);
	w->records++;
	stream_put(w->out, head, (size_t)(p - head));
}

uint64_t trace_writer_hash(struct trace_writer *w) { return stream_writer_hash(w->out); }

struct trace_writer *trace_writer_open(const char *path, const char **error)
{
	struct trace_writer *w = calloc(1, sizeof *w);
	*error = "trace: out of memory";
	if (w)
		w->out = stream_writer_open(path, &trace_file_kind, error);
	if (w && w->out)
		return w;
	free(w);
	return NULL;
}

int trace_writer_close(struct trace_writer *w, uint64_t how)
{
	int rc = stream_writer_end(w->out, TRACE_END, w->records, how);
	free(w);
	return rc;
}
