#include "traces/trace_reader.h"
#include "traces/page_delta.h"
#include "traces/stream.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DATA = 1 << 30 };

struct trace_reader {
	struct stream_reader *in;
	uint64_t records, end_hash, how;
	bool ended, peeked;
	uint8_t next_kind; /* of the record that comes next, when peeked */
	uint8_t *data;
	size_t data_size;
};

struct trace_reader *trace_reader_open(const char *path, const char **error)
{
	struct trace_reader *r = calloc(1, sizeof *r);
	*error = "trace: out of memory";
	if (r)
		r->in = stream_reader_open(path, &trace_file_kind, error);
	if (r && r->in)
		return r;
	free(r);
	return NULL;
}

void trace_reader_close(struct trace_reader *r)
{
	if (!r)
		return;
	stream_reader_close(r->in);
	free(r->data);
	free(r);
}

static int data_get(struct trace_reader *r, struct trace_record *rec)
{
	if (rec->b > (rec->kind == TRACE_PAGE ? DELTA_BYTES_MAX : MAX_DATA))
		return -1;
	if (rec->b > r->data_size) {
		uint8_t *p = realloc(r->data, rec->b);
		if (!p)
			return -1;
		r->data = p;
		r->data_size = rec->b;
	}
	if (rec->kind == TRACE_PAGE ? stream_get_beside(r->in, r->data, rec->b) : stream_get(r->in, r->data, rec->b))
		return -1;
	rec->data = r->data;
	return 0;
}

static int fields_get(struct trace_reader *r, struct trace_record *rec)
{
	struct stream_reader *in = r->in;
	uint8_t ok;
	switch (rec->kind) {
	case TRACE_OPEN:
		return stream_string(in, rec->name, sizeof(rec->name)) || stream_string(in, rec->config, sizeof(rec->config)) || stream_integer(in, &rec->a) ? -1 : 0;
	case TRACE_READ32:
	case TRACE_READ64:
	case TRACE_WAIT:
	case TRACE_READS:
		return stream_integer(in, &rec->a);
	case TRACE_WRITE32:
	case TRACE_WRITE64:
	case TRACE_RETURN:
		return stream_integer(in, &rec->a) || stream_integer(in, &rec->b) ? -1 : 0;
	case TRACE_MEM_READ:
	case TRACE_MEM_WRITE:
		if (stream_integer(in, &rec->a) || stream_integer(in, &rec->b) || stream_byte(in, &ok) || ok > 1)
			return -1;
		rec->ok = ok;
		return rec->kind == TRACE_MEM_WRITE ? data_get(r, rec) : 0;
	case TRACE_PAGE:
		if (stream_integer(in, &rec->a) || stream_integer(in, &rec->b) || rec->a % GALENA_PAGE_SIZE)
			return -1;
		stream_beside(in);
		return data_get(r, rec);
	case TRACE_CLOSE:
		return 0;
	default:
		return -1;
	}
}

static int damaged(struct trace_reader *r, const char **error)
{
	*error = stream_damaged(r->records);
	return -1;
}

static int kind_get(struct trace_reader *r, uint8_t *kind)
{
	if (!r->peeked)
		return stream_byte(r->in, kind);
	*kind = r->next_kind;
	r->peeked = false;
	return 0;
}

bool trace_reader_ends(struct trace_reader *r)
{
	if (!r->ended && !r->peeked)
		r->peeked = !stream_byte(r->in, &r->next_kind);
	return r->ended || (r->peeked && r->next_kind == TRACE_END);
}

int trace_reader_next(struct trace_reader *r, struct trace_record *rec, const char **error)
{
	uint8_t kind, device;
	if (r->ended)
		return 0;
	memset(rec, 0, sizeof *rec);
	if (kind_get(r, &kind) || stream_byte(r->in, &device) || kind == 0 || kind >= TRACE_KINDS ||
	    device >= TRACE_MAX_DEVICES)
		return damaged(r, error);
	rec->kind = kind;
	rec->device = device;
	if (kind == TRACE_END) {
		if (stream_end_get(r->in, r->records, &r->how, &r->end_hash))
			return damaged(r, error);
		r->ended = true;
		return 0;
	}
	if (fields_get(r, rec))
		return damaged(r, error);
	stream_commit(r->in);
	r->records++;
	return 1;
}

uint64_t trace_reader_position(const struct trace_reader *r) { return r->records; }
uint64_t trace_reader_hash(const struct trace_reader *r) { return r->end_hash; }
uint64_t trace_reader_end(const struct trace_reader *r) { return r->how; }
double trace_reader_progress(const struct trace_reader *r) { return stream_progress(r->in); }
