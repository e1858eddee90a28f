#include "traces/replay_call.h"
#include "abi/address_map.h"
#include <stdlib.h>
#include <string.h>

static const char out_of_memory[] = "trace: out of memory";

void call_free(struct call *c)
{
	if (!c)
		return;
	free(c->accesses);
	free(c->bytes);
	table_free(&c->touched);
	free(c);
}

static bool in_page(const struct call_access *a, uint64_t page)
{
	return a->address / GALENA_PAGE_SIZE <= page && (a->address + a->length - 1) / GALENA_PAGE_SIZE >= page;
}

bool call_touches(const struct call *c, uint64_t page) { return table_find(&c->touched, page + 1); }

/* A read that only touches the page of the one before says nothing new. */
static bool same_page(const struct call *c, const struct trace_record *rec)
{
	const struct call_access *last = c->count ? &c->accesses[c->count - 1] : NULL;
	return last && rec->kind == TRACE_MEM_READ && last->kind == TRACE_MEM_READ && last->ok == (bool)rec->ok && rec->b &&
	       in_page(last, rec->a / GALENA_PAGE_SIZE) && in_page(last, (rec->a + rec->b - 1) / GALENA_PAGE_SIZE);
}

static bool access_add(struct call *c, const struct trace_record *rec, uint64_t record)
{
	const size_t bytes = rec->data ? rec->b : 0;
	if (same_page(c, rec))
		return true;
	if (c->count == c->room) {
		const size_t room = c->room ? 2 * c->room : 16;
		struct call_access *grown = realloc(c->accesses, room * sizeof *grown);
		if (!grown)
			return false;
		c->accesses = grown;
		c->room = room;
	}
	if (c->used + bytes > c->size) {
		const size_t size = 2 * (c->used + bytes);
		uint8_t *grown = realloc(c->bytes, size);
		if (!grown)
			return false;
		c->bytes = grown;
		c->size = size;
	}
	if (bytes)
		memcpy(c->bytes + c->used, rec->data, bytes);
	const struct call_access a = {
		.kind = rec->kind, .ok = rec->ok, .address = rec->a, .length = (uint32_t)(rec->kind == TRACE_PAGE ? bytes : rec->b),
		.data = c->used, .record = record, .late = rec->kind == TRACE_PAGE && call_touches(c, rec->a / GALENA_PAGE_SIZE),
	};
	c->accesses[c->count++] = a;
	c->used += bytes;
	for (uint64_t n = a.address / GALENA_PAGE_SIZE; a.kind != TRACE_PAGE && a.length && n <= (a.address + a.length - 1) / GALENA_PAGE_SIZE; n++)
		if (!table_add(&c->touched, n + 1, sizeof(uint64_t)))
			return false;
	return true;
}

/* The records of a call after its first, up to RETURN. */
static bool call_fill(struct call_queue *q, struct call *c, const char **error)
{
	struct trace_record rec;
	int n;
	while ((n = trace_reader_next(q->reader, &rec, error)) > 0 && rec.kind != TRACE_RETURN) {
		const bool of_call = rec.device == c->head.device && (rec.kind == TRACE_MEM_READ || rec.kind == TRACE_MEM_WRITE || rec.kind == TRACE_PAGE);
		if (rec.kind == TRACE_READS && rec.device == c->head.device)
			continue;
		if (!of_call)
			*error = "trace: two devices were in calls at once: it replays only on the configuration that recorded it";
		else if (!access_add(c, &rec, trace_reader_position(q->reader) - 1))
			*error = out_of_memory;
		if (*error)
			return false;
	}
	if (n < 0)
		return false;
	c->returned = n > 0;
	c->value = rec.a;
	c->cycle = rec.b;
	q->over = !n;
	return true;
}

static struct call *call_read(struct call_queue *q, const char **error)
{
	struct call *c = calloc(1, sizeof *c);
	int n = -1;
	*error = c ? NULL : out_of_memory;
	/* what a device did after CLOSE belongs to no call */
	while (c && (n = trace_reader_next(q->reader, &c->head, error)) > 0 && c->head.kind >= TRACE_RETURN && c->head.kind != TRACE_CLOSE)
		;
	if (n > 0) {
		c->record = trace_reader_position(q->reader) - 1;
		c->head.data = NULL;
		if (c->head.kind == TRACE_OPEN || c->head.kind == TRACE_CLOSE || call_fill(q, c, error))
			return c;
	}
	q->over = true;
	call_free(c);
	return NULL;
}

struct call *call_after(struct call_queue *q, struct call *after, const char **error)
{
	struct call *c = after ? after->next : q->first;
	*error = NULL;
	if (c || q->over)
		return c;
	c = call_read(q, error);
	if (!c)
		return NULL;
	if (q->last)
		q->last->next = c;
	else
		q->first = c;
	q->last = c;
	return c;
}

struct call *call_take(struct call_queue *q, const char **error)
{
	struct call *c = call_after(q, NULL, error);
	if (!c)
		return NULL;
	q->first = c->next;
	if (!q->first)
		q->last = NULL;
	c->next = NULL;
	return c;
}

void call_queue_close(struct call_queue *q)
{
	for (struct call *c = q->first, *next; c; c = next) {
		next = c->next;
		call_free(c);
	}
	q->first = q->last = NULL;
}
