/* Between queues, streams, commands and events: how commands get their place and how they are
 * found to have ended. */
#ifndef GALENA_RUNTIME_OPENCL_QUEUE_H
#define GALENA_RUNTIME_OPENCL_QUEUE_H
#include "runtime/opencl/command.h"

/* The queue's streams hold nothing. */
void queue_destroy(void *queue);

/* Chooses the stream, puts the waits in front, submits; the event has its command then.
 * context->lock is held. Nothing has changed when it returns an error (a CL code), or STREAM_AGAIN: no memory, but there
 * may be some after a context_sync(), which needs the lock. */
enum { STREAM_AGAIN = 1 };
cl_int stream_submit(struct command *, bool again);
/* A number that no gate of the context has had. */
uint64_t gate_number(struct _cl_context *);
/* How many it has. context->lock is held. */
unsigned queue_num_streams(const struct _cl_command_queue *);
/* The first stream of a new queue. context->lock need not be held. 0 or a negative kmd_error. */
int stream_create(struct _cl_command_queue *, struct stream **);
/* Commands of the stream up to the number are known to have ended: gives back their staging memory
 * and moves their events to *ended, to be let go by events_let_go() once the lock is released.
 * context->lock is held. */
void stream_cover(struct stream *, uint64_t number, struct _cl_event **ended);
void events_let_go(struct _cl_event *ended);
/* Releases what has ended in queues without a waiter, if the context is one
 * that the application cannot use any more. */
void context_reap(struct _cl_context *);

/* event.c */
struct _cl_event *event_create(struct _cl_context *, struct _cl_command_queue *, cl_command_type);
/* Sets a status, posts the callbacks that wait for it. context->lock is held. */
void event_set_status(struct _cl_event *, cl_int status);
/* umd_done_fn: the command of event arg has ended. (complete.c) */
void event_done(void *arg, const struct completion *);

#endif
