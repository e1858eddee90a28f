/* Streams: which driver queue a command goes to.
 *
 * An in-order queue has one stream. In an out-of-order queue, a command that waits for nothing
 * goes to the base stream, which never holds a wait on anything outside itself (but for a barrier,
 * behind which everything stands anyway), so that it cannot be held up. A command with
 * dependencies goes behind one of them if that is the last of its stream, and otherwise to a
 * stream of its own. So independent commands overtake one another, and what waits for a user event
 * holds up nothing that does not depend on it. */
#include "runtime/opencl/queue.h"
#include "runtime/opencl/staging.h"
#include <stdlib.h>
#include <string.h>

enum { FLUSH_AFTER = 64 };

int stream_create(struct _cl_command_queue *q, struct stream **out)
{
	struct stream *s = calloc(1, sizeof *s);
	if (!s)
		return DRV_NO_MEMORY;
	int error = drv_queue_create(q->context->space, q->device->index, 1, &s->queue);
	if (error) {
		free(s);
		return error;
	}
	s->next = q->streams;
	q->streams = s;
	*out = s;
	return DRV_OK;
}

/* A stream in which nothing is under way. */
static int stream_idle(struct _cl_command_queue *q, struct stream **out)
{
	if (!q->idle)
		return stream_create(q, out);
	*out = q->idle;
	q->idle = (*out)->next_idle;
	(*out)->idle = false;
	return DRV_OK;
}

static void stream_retire(struct _cl_command_queue *q, struct stream *s)
{
	if (s == q->base || s->idle || s->covered != s->submitted)
		return;
	s->idle = true;
	s->next_idle = q->idle;
	q->idle = s;
}

static void state_free_staging(struct _cl_event *e)
{
	struct command_state *state = e->state;
	for (unsigned i = 0; i < state->num_staging; i++)
		staging_free(e->context->staging, &state->staging[i]);
	state->num_staging = 0;
}

void stream_cover(struct stream *s, uint64_t number, struct _cl_event **ended)
{
	struct _cl_command_queue *q = s->first ? s->first->queue : NULL;
	while (s->first && s->first->number <= number) {
		struct _cl_event *e = s->first;
		s->first = e->next;
		if (!s->first)
			s->last = NULL;
		if (s->unflushed == e)
			s->unflushed = e->next;
		s->covered = e->number;
		state_free_staging(e);
		q->host_writers -= e->state->host_begin != NULL;
		if (q->barrier == e) {
			q->barrier = NULL;
			object_unuse(&e->object); /* not the last one: *ended has one */
		}
		struct _cl_command_queue *transfers = e->context->transfers;
		if (e->transfer && transfers->base->covered < e->transfer)
			stream_cover(transfers->base, e->transfer, ended);
		e->next = *ended;
		*ended = e;
	}
	if (q)
		stream_retire(q, s);
}

void events_let_go(struct _cl_event *ended)
{
	while (ended) {
		struct _cl_event *e = ended;
		ended = e->next;
		object_unuse(&e->object);
	}
}

static void mark_dirty(struct _cl_command_queue *q, struct stream *s)
{
	if (s->dirty)
		return;
	s->dirty = true;
	s->next_dirty = NULL;
	if (q->last_dirty)
		q->last_dirty->next_dirty = s;
	else
		q->dirty = s;
	q->last_dirty = s;
}

void queue_flush(struct _cl_command_queue *q)
{
	while (q->dirty) {
		struct stream *s = q->dirty;
		q->dirty = s->next_dirty;
		s->dirty = false;
		drv_flush(s->queue);
		for (; s->unflushed; s->unflushed = s->unflushed->next)
			if (s->unflushed->status == CL_QUEUED)
				event_set_status(s->unflushed, CL_SUBMITTED);
	}
	q->last_dirty = NULL;
	q->unflushed = 0;
	/* the application may do nothing but wait for its callback */
	if (q->context->watched)
		drv_hurry(galena_platform.driver);
}

/* ---- submission ---- */

/* The packets that stand before the command's own. */
struct waits {
	union packet *packets;
	unsigned count;
	bool foreign; /* one of them is for something outside the base stream */
};

static bool covered(const struct _cl_event *e) { return e->stream && e->number <= e->stream->covered; }

/* What is known to have ended well needs no wait; known means covered, not merely ended, so that
 * the packets do not depend on how fast the device's thread is. */
static bool wait_needed(const struct _cl_event *e)
{
	return !(e->status == CL_COMPLETE && (!e->queue || covered(e)));
}

static void wait_for_event(struct waits *w, const struct _cl_event *e)
{
	union packet *p = &w->packets[w->count++];
	memset(p, 0, sizeof *p);
	if (e->queue)
		drv_command_wait_packet(e->command, p);
	else
		drv_sem_wait_packet(e->sem, p);
}

/* Only the order: a failure of what is waited for is not passed on. */
static void wait_in_order(struct waits *w, const struct _cl_event *e)
{
	wait_for_event(w, e);
	w->packets[w->count - 1].sem_wait.status = 0;
}

static void wait_list(struct waits *w, const struct command *c)
{
	for (cl_uint i = 0; i < c->num_waits; i++) {
		const struct _cl_event *e = c->wait_list[i];
		if (!wait_needed(e))
			continue;
		wait_for_event(w, e);
		if (e->stream != c->queue->base || covered(e))
			w->foreign = true;
	}
}

/* A stream of which a dependency of the command's is the last. */
static struct stream *stream_behind(const struct command *c, const struct waits *w)
{
	for (cl_uint i = 0; i < c->num_waits; i++) {
		const struct _cl_event *e = c->wait_list[i];
		if (e->queue != c->queue || covered(e) || e->stream->submitted != e->number)
			continue;
		if (e->stream != c->queue->base || !w->foreign)
			return e->stream;
	}
	return NULL;
}

static bool only_base_active(const struct _cl_command_queue *q)
{
	for (const struct stream *s = q->streams; s; s = s->next)
		if (s != q->base && s->covered != s->submitted)
			return false;
	return true;
}

/* Out-of-order queues: chooses the stream and adds the waits that barriers ask for. */
static int choose_stream(const struct command *c, struct waits *w, struct stream **out)
{
	struct _cl_command_queue *q = c->queue;
	bool all = c->after_all && !only_base_active(q);
	struct stream *s = q->base;
	if (all || w->count) {
		s = all || c->barrier ? NULL : stream_behind(c, w);
		int error = s ? DRV_OK : stream_idle(q, &s);
		if (error)
			return error;
	}
	for (struct stream *t = q->streams; all && t; t = t->next)
		if (t->covered != t->submitted && t != s)
			wait_in_order(w, t->last);
	if (s != q->base && s->barrier != q->barriers && q->barrier)
		wait_in_order(w, q->barrier);
	*out = s;
	return DRV_OK;
}

static unsigned count_streams(const struct _cl_command_queue *q)
{
	unsigned n = 0;
	for (const struct stream *s = q->streams; s; s = s->next)
		n++;
	return n;
}

/* Buffers filled at their creation: wait until they are. */
static void wait_transfer(struct waits *w, const struct command *c)
{
	struct _cl_command_queue *transfers = c->queue->context->transfers;
	if (!c->transfer || c->transfer <= transfers->base->covered || transfers == c->queue)
		return;
	for (const struct _cl_event *e = transfers->base->first; e; e = e->next)
		if (e->number == c->transfer) {
			wait_for_event(w, e);
			c->event->transfer = c->transfer;
			return;
		}
}

static void stream_append(struct _cl_command_queue *q, struct stream *s, struct _cl_event *e)
{
	e->stream = s;
	e->number = ++s->submitted;
	e->next = NULL;
	if (s->last)
		s->last->next = e;
	else
		s->first = e;
	s->last = e;
	if (!s->unflushed)
		s->unflushed = e;
	mark_dirty(q, s);
}

static void barrier_set(struct _cl_command_queue *q, struct stream *s, struct _cl_event *e)
{
	struct stream *base = q->base;
	object_use(&e->object);
	if (q->barrier)
		object_unuse(&q->barrier->object); /* its stream has it too: not the last one */
	q->barrier = e;
	s->barrier = ++q->barriers;
	q->base = s;
	stream_retire(q, base);
}

cl_int stream_submit(struct command *c)
{
	struct _cl_command_queue *q = c->queue;
	struct _cl_event *e = c->event;
	struct stream *s = q->base;
	struct waits w = {0};
	unsigned max_waits = c->num_waits + 2 + (c->after_all ? count_streams(q) : 0);
	w.packets = malloc((max_waits + c->num_packets + 1) * sizeof *w.packets);
	if (!w.packets)
		return FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for %u packets", c->num_packets);
	wait_list(&w, c);
	int error = DRV_OK;
	if (queue_out_of_order(q))
		error = choose_stream(c, &w, &s);
	if (error) {
		free(w.packets);
		return FAIL(CL_OUT_OF_RESOURCES, "no driver queue for the command (%d)", error);
	}
	wait_transfer(&w, c);
	unsigned n = w.count;
	if (c->num_packets)
		memcpy(w.packets + n, c->packets, c->num_packets * sizeof *w.packets);
	n += c->num_packets;
	if (!c->num_packets) {
		memset(&w.packets[n], 0, sizeof *w.packets);
		w.packets[n++].head.type = PACKET_CODE_nop;
	}
	object_use(&e->object); /* the stream's */
	object_use(&e->object); /* event_done()'s */
	error = drv_submit(s->queue, w.packets, n, c->private_bytes, event_done, e, &e->command);
	free(w.packets);
	if (error) {
		object_unuse(&e->object);
		object_unuse(&e->object);
		stream_retire(q, s);
		return error == DRV_NO_MEMORY ? FAIL(CL_OUT_OF_HOST_MEMORY, "no memory to submit the command")
					      : FAIL(CL_OUT_OF_RESOURCES, "the driver refused the command (%d)", error);
	}
	stream_append(q, s, e);
	q->host_writers += e->state->host_begin != NULL;
	if (queue_out_of_order(q) && c->barrier)
		barrier_set(q, s, e);
	else
		s->barrier = q->barriers;
	for (unsigned i = 0; i < c->num_release; i++)
		drv_bo_release(c->release[i]);
	c->num_release = 0;
	if (++q->unflushed >= FLUSH_AFTER)
		queue_flush(q);
	return CL_SUCCESS;
}
