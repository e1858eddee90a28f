/* How commands end, and how that becomes known: at the device's end of a command (event_done), at
 * the waits and status queries of the application. */
#include "base/cancel.h"
#include "runtime/opencl/fault_text.h"
#include "runtime/opencl/program.h"
#include "runtime/opencl/queue.h"
#include "runtime/opencl/svm.h"
#include "abi/codes.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the end of a command ---- */

static void report_fault(struct _cl_event *e, int fault, const struct umd_command *command, const struct completion *c)
{
	const struct fault_record *r = umd_command_fault(command);
	char text[1024], place[256];
	const struct command_state *s = e->state;
	bool placed = r && r->pc && r->entry && s->code && program_place(s->program, s->code, r->pc - s->code_address, place, sizeof place);
	const struct fault_told told = {
		.place = placed ? place : NULL,
		.kernel = e->state->kernel_name, .is_protected = e->state->is_protected, .code = fault, .record = r, .import = umd_command_import(command),
		.watchdog = umd_watchdog(galena_platform.driver), .cycles = c->end - c->start,
	};
	fault_describe(text, sizeof text, &told);
	context_report(e->context, text);
}

/* OpenCL 3.0, 5.11: a negative status says that the command was abnormally terminated; which one
 * is ours to say but for the one of a failed dependency. */
static cl_int status_of(int32_t device_status)
{
	if (!device_status)
		return CL_COMPLETE;
	return device_status == -FAULT_DEPENDENCY ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_OUT_OF_RESOURCES;
}

static cl_ulong at_least(cl_ulong v, cl_ulong least) { return v < least ? least : v; }

static void set_times(struct _cl_event *e, const struct completion *c)
{
	const cl_ulong mhz = e->queue->device->info->clock_mhz;
	e->submit = at_least(c->submit * 1000 / mhz, e->queued);
	e->start = at_least(c->start * 1000 / mhz, e->submit);
	e->end = at_least(c->end * 1000 / mhz, e->start);
}

void event_done(void *arg, const struct completion *completion)
{
	struct _cl_event *e = arg;
	struct _cl_context *c = e->context;
	struct command_state *state = e->state;
	cl_int status = status_of(completion->status);
	callback_deferred++;
	if (completion->status && completion->status != -FAULT_DEPENDENCY) {
		pthread_mutex_lock(&c->lock); /* submission holds it until e->command is set */
		struct umd_command *command = e->command;
		pthread_mutex_unlock(&c->lock);
		report_fault(e, -completion->status, command, completion);
	}
	for (unsigned i = 0; i < state->num_hooks; i++)
		state->hooks[i].fn(state->hooks[i].arg, status);
	state->num_hooks = 0;
	set_times(e, completion);
	pthread_mutex_lock(&c->lock);
	struct late_copy *late = state->late;
	state->late = NULL;
	state->delivered = true;
	if (late) { /* before anybody can know that the command has ended */
		pthread_mutex_unlock(&c->lock);
		late_run(late);
		pthread_mutex_lock(&c->lock);
	}
	event_set_status(e, status);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < state->num_used; i++)
		object_unuse(state->used[i]);
	state->num_used = 0;
	context_reap(c);
	object_unuse(&e->object);
	callback_deferred--;
}

/* ---- waiting and asking ---- */

/* While host threads may talk to running kernels through memory, who asks must not wait for a kernel that waits for
 * him: then what has ended by itself is noted, and the driver's thread goes on with the rest. That depends on the
 * host's speed, as everything does that such a program sees. */
void context_sync(struct _cl_context *c)
{
	NOT_CANCELLED;
	struct _cl_event *ended = NULL;
	const bool wait = !svm_talking();
	if (wait)
		umd_sync(galena_platform.driver);
	else
		umd_hurry(galena_platform.driver);
	pthread_mutex_lock(&c->lock);
again:
	for (struct _cl_command_queue *q = c->queues; q; q = q->next)
		for (struct stream *s = q->streams; s; s = s->next)
			while (s->first) {
				struct completion ignored;
				struct _cl_event *e = s->first;
				if (!umd_command_ended(e->command, &ignored))
					break;
				/* event_done() is about to say so, or has */
				if (e->status > CL_COMPLETE) {
					if (!wait)
						break;
					pthread_cond_wait(&c->changed, &c->lock);
					goto again;
				}
				stream_cover(s, e->number, &ended);
			}
	pthread_mutex_unlock(&c->lock);
	events_let_go(ended);
}

void context_reap(struct _cl_context *c)
{
	struct _cl_event *ended = NULL;
	if (object_refs(&c->object))
		return;
	pthread_mutex_lock(&c->lock);
	for (struct _cl_command_queue *q = c->queues; q; q = q->next)
		for (struct stream *s = q->streams; s && (q->internal || !object_refs(&q->object)); s = s->next)
			while (s->first && s->first->status <= CL_COMPLETE)
				stream_cover(s, s->first->number, &ended);
	pthread_mutex_unlock(&c->lock);
	events_let_go(ended);
}

cl_int event_wait(struct _cl_event *e)
{
	NOT_CANCELLED;
	struct _cl_context *c = e->context;
	struct _cl_event *ended = NULL;
	pthread_mutex_lock(&c->lock);
	if (!e->queue) { /* a user event: the application sets it */
		while (e->status > CL_COMPLETE)
			pthread_cond_wait(&c->changed, &c->lock);
		cl_int status = e->status;
		pthread_mutex_unlock(&c->lock);
		return status;
	}
	bool known = e->number <= e->stream->covered;
	cl_int status = e->status;
	struct umd_command *command = known ? NULL : e->command; /* which another thread's wait may take from the event */
	if (!known) {
		umd_command_retain(command);
		queue_flush(e->queue);
	}
	pthread_mutex_unlock(&c->lock);
	if (known)
		return status;
	int error = umd_wait(command);
	pthread_mutex_lock(&c->lock);
	if (error && e->status > CL_COMPLETE) { /* the device is gone */
		pthread_mutex_unlock(&c->lock);
		umd_command_release(command);
		return FAIL(CL_OUT_OF_RESOURCES, "waiting for a command: driver error %d", error);
	}
	while (e->status > CL_COMPLETE)
		pthread_cond_wait(&c->changed, &c->lock);
	status = e->status;
	stream_cover(e->stream, e->number, &ended);
	bool orphans = c->orphans;
	pthread_mutex_unlock(&c->lock);
	umd_command_release(command);
	events_let_go(ended);
	if (orphans)
		context_sync(c);
	return status;
}
