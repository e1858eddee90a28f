#include "traces/event_file.h"
#include <stdlib.h>
#include <string.h>

const struct stream_kind event_file_kind = { "GALEVENT", 2, "event file" };

struct event_writer {
	struct stream_writer *out;
	uint64_t records;
	uint64_t cycle[EVENT_FILE_DEVICES];
	uint64_t last[EVENT_FILE_DEVICES][EVENT_KINDS][3];
};

struct event_writer *event_writer_open(const char *path, const char **error)
{
	struct event_writer *w = calloc(1, sizeof *w);
	*error = "trace: out of memory";
	if (w)
		w->out = stream_writer_open(path, &event_file_kind, error);
	if (w && w->out)
		return w;
	free(w);
	return NULL;
}

void event_writer_device(struct event_writer *w, unsigned device, const char *name, const char *config, unsigned speed)
{
	uint8_t bytes[1200], *p = bytes;
	*p++ = EVENT_FILE_OPEN;
	*p++ = (uint8_t)device;
	p = stream_text(p, name, sizeof((struct event_record *)0)->name);
	p = stream_text(p, config, sizeof((struct event_record *)0)->config);
	p = stream_varint(p, speed);
	w->records++;
	stream_put(w->out, bytes, (size_t)(p - bytes));
}

/* Differences of either sign: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static uint8_t *difference_put(uint8_t *p, uint64_t *last, uint64_t v)
{
	uint64_t d = v - *last;
	*last = v;
	return stream_varint(p, d << 1 ^ (uint64_t)((int64_t)d >> 63));
}

void event_writer_event(struct event_writer *w, unsigned device, const struct event *e)
{
	uint8_t bytes[64], *p = bytes;
	uint64_t *last = w->last[device][e->kind];
	*p++ = (uint8_t)e->kind;
	*p++ = (uint8_t)device;
	p = difference_put(p, &w->cycle[device], e->cycle);
	p = stream_varint(p, e->unit);
	p = stream_varint(p, (uint16_t)(e->queue + 1));
	p = stream_varint(p, e->asid);
	p = difference_put(p, &last[0], e->a);
	p = difference_put(p, &last[1], e->b);
	p = difference_put(p, &last[2], e->c);
	w->records++;
	stream_put(w->out, bytes, (size_t)(p - bytes));
}

int event_writer_close(struct event_writer *w, uint64_t how)
{
	int rc = stream_writer_end(w->out, EVENT_FILE_END, w->records, how);
	free(w);
	return rc;
}
