/* Streams: which driver queue a command goes to.
 *
 * An in-order queue has one stream. In an out-of-order queue, commands that do not depend on each other go to
 * several, so that they run side by side, and what waits for a user event holds up nothing that does not depend on
 * it. What a command stands behind without need must therefore be sure to end when the command itself can run:
 * that is told by gates: the user events that are at the bottom of all that a command waits for. Commands share a stream when
 *  - one depends on the last of the stream, or
 *  - neither has a gate, or
 *  - what has come first has no gate that the other does not have.
 * So the number of streams stays small, however many commands there are and in whatever way they depend on each
 * other, but for such as have user events of their own. Barriers stand in the base stream, all else behind them. */
#include "runtime/opencl/queue.h"
#include "runtime/opencl/staging.h"
#include <stdlib.h>
#include <string.h>

enum { FLUSH_AFTER = 64 };

/* ---- gates ---- */

uint64_t gate_number(struct _cl_context *c) { return atomic_fetch_add(&c->gates, 1) + 1; }

static bool gate_open(const struct gate *g) { return !g->of[0]; }

/* Does the gate have all that the part has? */
static bool gate_has(const struct gate *g, const struct gate *part)
{
	unsigned i = 0;
	for (unsigned k = 0; k < 3 && part->of[k]; k++) {
		while (i < 3 && g->of[i] && g->of[i] < part->of[k])
			i++;
		if (i == 3 || g->of[i] != part->of[k])
			return false;
	}
	return true;
}

static void gate_add(struct gate *g, const struct gate *more, struct _cl_context *c)
{
	struct gate sum = {0};
	unsigned i = 0, k = 0, n = 0;
	if (gate_has(g, more))
		return;
	while ((i < 3 && g->of[i]) || (k < 3 && more->of[k])) {
		uint64_t a = i < 3 && g->of[i] ? g->of[i] : UINT64_MAX, b = k < 3 && more->of[k] ? more->of[k] : UINT64_MAX;
		if (n == 3) {
			*g = (struct gate){{gate_number(c)}};
			return;
		}
		sum.of[n++] = a < b ? a : b;
		i += a <= b;
		k += b <= a;
	}
	*g = sum;
}

/* ---- streams ---- */

int stream_create(struct _cl_command_queue *q, struct stream **out)
{
	struct stream *s = calloc(1, sizeof *s);
	if (!s)
		return KMD_NO_MEMORY;
	int error = umd_queue_create(q->context->space, q->device->index, 1, &s->queue);
	if (error) {
		free(s);
		return error;
	}
	s->next = q->streams;
	q->streams = s;
	*out = s;
	return KMD_OK;
}

static bool stream_active(const struct stream *s) { return s->covered != s->submitted; }

/* A stream in which nothing is under way, and which no other queue takes. */
static int stream_idle(struct _cl_command_queue *q, struct stream **out)
{
	if (!q->idle)
		return stream_create(q, out);
	*out = q->idle;
	q->idle = (*out)->next_idle;
	(*out)->idle = false;
	return KMD_OK;
}

static void stream_retire(struct _cl_command_queue *q, struct stream *s)
{
	if (stream_active(s))
		return;
	s->gate = (struct gate){0};
	if (s == q->base || s->idle || s->placed)
		return;
	s->open = false;
	s->idle = true;
	s->next_idle = q->idle;
	q->idle = s;
}

/* The stream of a place, an idle one if the place is free. */
static int stream_place(struct _cl_command_queue *q, struct stream **place, bool open, struct stream **out)
{
	int error = *place ? KMD_OK : stream_idle(q, place);
	*out = *place;
	if (error)
		return error;
	(*place)->placed = true;
	(*place)->open = open;
	return KMD_OK;
}

/* The owner of the stream keeps it until it is idle. */
static void place_leave(struct _cl_command_queue *q, struct stream **place)
{
	struct stream *s = *place;
	*place = NULL;
	s->placed = false;
	stream_retire(q, s);
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
		if (e->status == CL_COMPLETE) {
			e->state->over = e->command;
			e->command = NULL;
		}
		if (q->barrier == e) {
			q->barrier = NULL;
			q->barrier_gate = (struct gate){0};
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
		/* here, and not with the event, which a callback may keep for a while: addresses of the driver depend on when this is */
		umd_command_release(e->state->over);
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
	enum { TOGETHER = 64 };
	/* what the streams hold reaches the device together: it runs side by side */
	while (q->dirty) {
		struct umd_queue *queues[TOGETHER];
		struct stream *first = q->dirty, *s = first;
		unsigned n = 0;
		for (; s && n < TOGETHER; s = s->next_dirty)
			queues[n++] = s->queue;
		umd_flush_all(queues, n);
		for (s = first; n--; s = s->next_dirty) {
			s->dirty = false;
			q->dirty = s->next_dirty;
			for (; s->unflushed; s->unflushed = s->unflushed->next)
				if (s->unflushed->status == CL_QUEUED)
					event_set_status(s->unflushed, CL_SUBMITTED);
		}
	}
	q->last_dirty = NULL;
	q->unflushed = 0;
	/* the application may do nothing but wait for its callback */
	if (q->context->watched)
		umd_hurry(galena_platform.driver);
}

/* ---- submission ---- */

/* The packets that stand before the command's own. */
struct waits {
	union packet *packets;
	unsigned count;
	struct gate gate; /* of what it waits for */
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
		umd_command_wait_packet(e->command, p);
	else
		umd_sem_wait_packet(e->sem, p);
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
		if (e->queue ? covered(e) : e->status <= CL_COMPLETE)
			continue; /* it has failed: nothing to wait for */
		gate_add(&w->gate, e->queue == c->queue ? &e->gate : &e->outer, c->queue->context);
	}
}

/* A stream of which a dependency of the command's is the last. */
static struct stream *stream_behind(const struct command *c, const struct waits *w)
{
	for (cl_uint i = 0; i < c->num_waits; i++) {
		const struct _cl_event *e = c->wait_list[i];
		if (e->queue != c->queue || covered(e) || e->stream->submitted != e->number)
			continue;
		if (!e->stream->open || gate_open(&w->gate))
			return e->stream;
	}
	return NULL;
}

/* A stream by the gate alone: an inactive one if there is one, otherwise they take turns. */
static int stream_beside(struct _cl_command_queue *q, const struct gate *g, struct stream **out)
{
	const bool open = gate_open(g);
	struct stream **row = q->places[open ? 0 : 1 + (g->of[0] + 3 * g->of[1] + 5 * g->of[2]) % STREAM_GATES];
	unsigned i = 0;
	if (open)
		row[0] = q->base;
	while (i < STREAM_PLACES && row[i] && stream_active(row[i]))
		i++;
	if (i == STREAM_PLACES)
		i = q->turn++ % STREAM_PLACES;
	/* behind another's gate it might be held up for ever */
	if (row[i] && stream_active(row[i]) && !gate_has(g, &row[i]->gate))
		place_leave(q, &row[i]);
	return stream_place(q, &row[i], open, out);
}

static bool only_base_active(const struct _cl_command_queue *q)
{
	for (const struct stream *s = q->streams; s; s = s->next)
		if (s != q->base && stream_active(s))
			return false;
	return true;
}

/* Out-of-order queues: chooses the stream and adds the waits that barriers ask for. */
static int choose_stream(const struct command *c, struct waits *w, struct stream **out)
{
	struct _cl_command_queue *q = c->queue;
	bool all = c->after_all && !only_base_active(q);
	struct stream *s = NULL;
	int error = KMD_OK;
	/* a marker stands behind the one before it, which waits for less; all later commands behind a barrier */
	if (c->barrier || (c->after_all && !all))
		s = q->base;
	else if (all)
		error = stream_place(q, &q->marks, false, &s);
	else if (!(s = stream_behind(c, w)))
		error = stream_beside(q, &w->gate, &s);
	if (error)
		return error;
	for (struct stream *t = q->streams; all && t; t = t->next)
		if (stream_active(t) && t != s) {
			wait_in_order(w, t->last);
			gate_add(&w->gate, &t->gate, q->context);
		}
	if (s != q->base && s->barrier != q->barriers && q->barrier)
		wait_in_order(w, q->barrier);
	c->event->outer = w->gate;
	gate_add(&c->event->outer, &q->barrier_gate, q->context);
	if (c->barrier) { /* whatever comes waits for it anyway */
		q->barrier_gate = c->event->outer;
		w->gate = (struct gate){0};
	}
	if (!gate_open(&w->gate))
		s->gate = w->gate;
	c->event->gate = w->gate;
	*out = s;
	return KMD_OK;
}

/* In-order queues: what is behind a command is behind all after it. */
static void in_order_gate(const struct command *c, struct waits *w)
{
	struct stream *s = c->queue->base;
	gate_add(&w->gate, &s->gate, c->queue->context);
	s->gate = c->event->gate = c->event->outer = w->gate;
}

unsigned queue_num_streams(const struct _cl_command_queue *q)
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

static void barrier_set(struct _cl_command_queue *q, struct _cl_event *e)
{
	object_use(&e->object);
	if (q->barrier)
		object_unuse(&q->barrier->object); /* its stream has it too: not the last one */
	q->barrier = e;
	q->base->barrier = ++q->barriers;
}

cl_int stream_submit(struct command *c, bool again)
{
	enum { FEW = 16 };
	struct _cl_command_queue *q = c->queue;
	struct _cl_event *e = c->event;
	struct stream *s = q->base;
	union packet few[FEW];
	struct waits w = {0};
	const unsigned most = c->num_waits + 2 + (c->after_all ? queue_num_streams(q) : 0) + c->num_packets + 1;
	w.packets = most > FEW ? malloc(most * sizeof *w.packets) : few;
	FAIL_IF(!w.packets, CL_OUT_OF_HOST_MEMORY, "no memory for %u packets", c->num_packets);
	wait_list(&w, c);
	if (c->waits_outside)
		gate_add(&w.gate, &(struct gate){{gate_number(q->context)}}, q->context);
	int error = KMD_OK;
	if (queue_out_of_order(q))
		error = choose_stream(c, &w, &s);
	else
		in_order_gate(c, &w);
	if (error) {
		if (w.packets != few)
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
	error = umd_submit(s->queue, w.packets, n, c->private_bytes, event_done, e, &e->command);
	if (w.packets != few)
		free(w.packets);
	if (error) {
		object_unuse(&e->object);
		object_unuse(&e->object);
		stream_retire(q, s);
		if (!again && (error == KMD_NO_MEMORY || error == KMD_NO_DEVICE_MEMORY))
			return STREAM_AGAIN;
		return error == KMD_NO_MEMORY ? FAIL(CL_OUT_OF_HOST_MEMORY, "no memory to submit the command")
					      : FAIL(CL_OUT_OF_RESOURCES, "the driver refused the command (%d)", error);
	}
	stream_append(q, s, e);
	q->host_writers += e->state->host_begin != NULL;
	if (queue_out_of_order(q) && c->barrier)
		barrier_set(q, e);
	else
		s->barrier = q->barriers;
	for (unsigned i = 0; i < c->num_release; i++)
		umd_bo_release(c->release[i]);
	c->num_release = 0;
	if (++q->unflushed >= FLUSH_AFTER)
		queue_flush(q);
	return CL_SUCCESS;
}
