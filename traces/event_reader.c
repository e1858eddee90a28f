#include "traces/event_file.h"
#include <stdlib.h>
#include <string.h>

struct event_reader {
	struct stream_reader *in;
	uint64_t records, how;
	bool ended;
	uint64_t cycle[EVENT_FILE_DEVICES];
	uint64_t last[EVENT_FILE_DEVICES][EVENT_KINDS][3];
};

struct event_reader *event_reader_open(const char *path, const char **error)
{
	struct event_reader *r = calloc(1, sizeof *r);
	*error = "trace: out of memory";
	if (r)
		r->in = stream_reader_open(path, &event_file_kind, error);
	if (r && r->in)
		return r;
	free(r);
	return NULL;
}

void event_reader_close(struct event_reader *r)
{
	if (!r)
		return;
	stream_reader_close(r->in);
	free(r);
}

static int difference_get(struct stream_reader *in, uint64_t *last)
{
	uint64_t d;
	if (stream_integer(in, &d))
		return -1;
	*last += d >> 1 ^ -(d & 1);
	return 0;
}

static int event_get(struct event_reader *r, unsigned device, struct event *e)
{
	uint64_t unit, queue, asid, *last = r->last[device][e->kind];
	if (difference_get(r->in, &r->cycle[device]) || stream_integer(r->in, &unit) || stream_integer(r->in, &queue) ||
	    stream_integer(r->in, &asid) || difference_get(r->in, &last[0]) || difference_get(r->in, &last[1]) ||
	    difference_get(r->in, &last[2]) || unit > 0xffff || queue > 0xffff || asid > 0xffff)
		return -1;
	e->cycle = r->cycle[device];
	e->unit = (uint16_t)unit;
	e->queue = (uint16_t)(queue - 1);
	e->asid = (uint16_t)asid;
	e->a = last[0];
	e->b = last[1];
	e->c = last[2];
	return 0;
}

/* 1, 0 at the end, -1. */
static int record_get(struct event_reader *r, struct event_record *rec)
{
	uint8_t kind, device;
	uint64_t n;
	if (stream_byte(r->in, &kind) || stream_byte(r->in, &device))
		return -1;
	if (kind == EVENT_FILE_END) {
		if (device || stream_end_get(r->in, r->records, &r->how, &n))
			return -1;
		r->ended = true;
		return 0;
	}
	if (device >= EVENT_FILE_DEVICES)
		return -1;
	rec->device = device;
	rec->opened = kind == EVENT_FILE_OPEN;
	rec->event.kind = kind;
	if (rec->opened) {
		if (stream_string(r->in, rec->name, sizeof rec->name) ||
		    stream_string(r->in, rec->config, sizeof rec->config) || stream_integer(r->in, &n) || n > 1)
			return -1;
		rec->speed = (unsigned)n;
	} else if (!event_row(kind) || event_get(r, device, &rec->event))
		return -1;
	stream_commit(r->in);
	r->records++;
	return 1;
}

int event_reader_next(struct event_reader *r, struct event_record *rec, const char **error)
{
	int n = r->ended ? 0 : record_get(r, rec);
	if (n < 0)
		*error = stream_damaged(r->records);
	return n;
}

uint64_t event_reader_end(const struct event_reader *r) { return r->how; }
double event_reader_progress(const struct event_reader *r) { return stream_progress(r->in); }
