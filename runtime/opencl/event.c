/* Events: creation, status, callbacks, queries. */
#include "runtime/opencl/queue.h"
#include <stdlib.h>

struct event_callback {
	struct event_callback *next;
	struct _cl_event *event; /* in use */
	cl_int at, status;
	void(CL_CALLBACK *fn)(cl_event, cl_int, void *);
	void *arg;
};

static void event_destroy(void *o)
{
	struct _cl_event *e = o;
	struct _cl_command_queue *q = e->queue;
	struct _cl_context *c = e->context;
	umd_command_release(e->command);
	umd_sem_release(e->sem);
	while (e->callbacks) { /* of a user event that was never set */
		struct event_callback *cb = e->callbacks;
		e->callbacks = cb->next;
		pthread_mutex_lock(&c->lock);
		c->watched--;
		pthread_mutex_unlock(&c->lock);
		free(cb);
	}
	if (e->state) {
		free(e->state->used);
		free(e->state->staging);
		free(e->state->hooks);
	}
	free(e);
	if (q && !q->internal)
		object_unuse(&q->object);
	object_unuse(&c->object);
}

struct _cl_event *event_create(struct _cl_context *c, struct _cl_command_queue *q, cl_command_type type)
{
	struct { struct _cl_event event; struct command_state state; } *both = calloc(1, q ? sizeof *both : sizeof both->event);
	if (!both)
		return NULL;
	struct _cl_event *e = &both->event;
	if (q) {
		e->state = &both->state;
		e->queued = umd_time(galena_platform.driver, q->device->index) * 1000 / q->device->info->clock_mhz;
		if (!q->internal)
			object_use(&q->object);
	}
	object_init(&e->object, MAGIC_EVENT, NULL, event_destroy);
	e->context = c;
	object_use(&c->object);
	e->queue = q;
	e->type = type;
	e->status = q ? CL_QUEUED : CL_SUBMITTED;
	return e;
}

static void callback_call(void *arg)
{
	struct event_callback *cb = arg;
	object_callback_ref(&cb->event->object);
	cb->fn(cb->event, cb->status, cb->arg);
	object_callback_unref(&cb->event->object);
	object_unuse(&cb->event->object);
	free(cb);
}

void event_set_status(struct _cl_event *e, cl_int status)
{
	e->status = status;
	for (struct event_callback **link = &e->callbacks; *link;) {
		struct event_callback *cb = *link;
		if (cb->at < status) {
			link = &cb->next;
			continue;
		}
		*link = cb->next;
		e->context->watched--;
		cb->status = status < 0 ? status : cb->at;
		object_use(&e->object);
		callback_post(callback_call, cb);
	}
	if (status <= CL_COMPLETE)
		pthread_cond_broadcast(&e->context->changed);
}

cl_event CL_API_CALL galena_clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
	/* CL_CREATEUSEREVENT_CONTEXT: a context */
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "not a context");
	struct _cl_event *e = event_create(context, NULL, CL_COMMAND_USER);
	FAIL_NULL_IF(!e, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for the event");
	e->gate.of[0] = e->outer.of[0] = gate_number(context);
	if (umd_sem_create(galena_platform.driver, 0, &e->sem)) {
		e->sem = NULL;
		object_unuse(&e->object);
		return FAIL_NULL(errcode_ret, CL_OUT_OF_RESOURCES, "no semaphore for the event");
	}
	return api_result(errcode_ret, CL_SUCCESS, e);
}

cl_int CL_API_CALL galena_clSetUserEventStatus(cl_event event, cl_int execution_status)
{
	/* CL_SETUSEREVENTSTATUS_EVENT: a user event */
	FAIL_IF(!EVENT_VALID(event) || event->queue, CL_INVALID_EVENT, "not a user event");
	/* CL_SETUSEREVENTSTATUS_STATUS, CL_SETUSEREVENTSTATUS_AGAIN: OpenCL 3.0, 5.11: CL_COMPLETE or negative, and only once */
	FAIL_IF(execution_status > CL_COMPLETE, CL_INVALID_VALUE, "status %d is neither CL_COMPLETE nor negative", (int)execution_status);
	struct _cl_context *c = event->context;
	pthread_mutex_lock(&c->lock);
	bool again = event->status <= CL_COMPLETE;
	if (!again) {
		umd_sem_signal(event->sem, execution_status);
		if (c->watched)
			umd_hurry(galena_platform.driver);
		event_set_status(event, execution_status);
	}
	pthread_mutex_unlock(&c->lock);
	FAIL_IF(again, CL_INVALID_OPERATION, "the status was set before");
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
	/* CL_WAITFOREVENTS_ZERO, CL_WAITFOREVENTS_NULL, CL_WAITFOREVENTS_EVENT, CL_WAITFOREVENTS_EVENT_CONTEXT: 5.11: events of one context */
	FAIL_IF(!num_events || !event_list, CL_INVALID_VALUE, "no events");
	for (cl_uint i = 0; i < num_events; i++) {
		FAIL_IF(!EVENT_VALID(event_list[i]), CL_INVALID_EVENT, "entry %u of the list is not an event", i);
		FAIL_IF(event_list[i]->context != event_list[0]->context, CL_INVALID_CONTEXT, "entry %u of the list is of another context", i);
	}
	struct _cl_context *c = event_list[0]->context;
	pthread_mutex_lock(&c->lock);
	for (cl_uint i = 0; i < num_events; i++)
		if (event_list[i]->queue)
			queue_flush(event_list[i]->queue);
	pthread_mutex_unlock(&c->lock);
	cl_int code = CL_SUCCESS;
	for (cl_uint i = 0; i < num_events; i++)
		if (event_wait(event_list[i]) < 0)
			code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	/* CL_WAITFOREVENTS_STATUS: 5.11: none has ended badly */
	FAIL_IF(code, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "a command of the list has failed");
	return CL_SUCCESS;
}

/* The status as it is, without waiting: a query flushes, so that a thread that polls makes progress. An end that has been seen
 * counts as waited for: what a program does after it does not depend on how often it asked. */
static cl_int event_status(struct _cl_event *e)
{
	struct _cl_context *c = e->context;
	pthread_mutex_lock(&c->lock);
	cl_int status = e->status;
	const bool ended = status <= CL_COMPLETE, known = !e->queue || e->number <= e->stream->covered;
	if (!ended && e->queue)
		queue_flush(e->queue);
	pthread_mutex_unlock(&c->lock);
	if (ended && !known)
		return event_wait(e);
	if (!ended && !umd_hurry(galena_platform.driver))
		umd_sync(galena_platform.driver); /* no thread could be had that goes on with it */
	return status;
}

cl_int CL_API_CALL galena_clGetEventInfo(cl_event event, cl_event_info param_name, INFO_PARAMETERS)
{
	/* CL_GETEVENTINFO_EVENT: an event */
	NEED_EVENT(event);
	switch (param_name) {
	case CL_EVENT_COMMAND_QUEUE: return INFO(cl_command_queue, event->queue);
	case CL_EVENT_CONTEXT: return INFO(cl_context, event->context);
	case CL_EVENT_COMMAND_TYPE: return INFO(cl_command_type, event->type);
	case CL_EVENT_COMMAND_EXECUTION_STATUS: return INFO(cl_int, event_status(event));
	case CL_EVENT_REFERENCE_COUNT: return INFO(cl_uint, object_refs(&event->object));
	}
	/* CL_GETEVENTINFO_PARAM_NAME: a query that there is */
	return FAIL(CL_INVALID_VALUE, "unknown event query 0x%x", param_name);
}

/* CL_RETAINEVENT_EVENT: an event */
/* CL_RELEASEEVENT_EVENT: one that the application has a reference to */
OBJECT_REFERENCES(galena_clRetainEvent, galena_clReleaseEvent, cl_event, MAGIC_EVENT, CL_INVALID_EVENT, "not an event")

cl_int CL_API_CALL galena_clSetEventCallback(cl_event event, cl_int type, void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *),
					     void *user_data)
{
	NEED_EVENT(event);
	/* CL_SETEVENTCALLBACK_EVENT, CL_SETEVENTCALLBACK_NOTIFY, CL_SETEVENTCALLBACK_TYPE: 5.11: an event, a function, a status to wait for */
	FAIL_IF(!pfn_notify, CL_INVALID_VALUE, "no callback");
	if (type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE)
		return FAIL(CL_INVALID_VALUE, "status %d is not one that callbacks can have", (int)type);
	struct event_callback *cb = malloc(sizeof *cb);
	FAIL_IF(!cb, CL_OUT_OF_HOST_MEMORY, "no memory for the callback");
	*cb = (struct event_callback){.event = event, .at = type, .fn = pfn_notify, .arg = user_data};
	struct _cl_context *c = event->context;
	HOLDING(&c->lock);
	struct event_callback **link = &event->callbacks;
	while (*link)
		link = &(*link)->next;
	*link = cb;
	c->watched++;
	event_set_status(event, event->status); /* it may be there already */
	if (event->queue)
		queue_flush(event->queue);
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name, INFO_PARAMETERS)
{
	NEED_EVENT(event);
	/* CL_GETEVENTPROFILINGINFO_EVENT: an event */
	/* CL_GETEVENTPROFILINGINFO_QUEUE, CL_GETEVENTPROFILINGINFO_USER, CL_GETEVENTPROFILINGINFO_INCOMPLETE: 5.14: user events, queues without profiling, commands that have not ended well */
	if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE))
		return FAIL(CL_PROFILING_INFO_NOT_AVAILABLE, "no profiling for this event");
	FAIL_IF(event_status(event) != CL_COMPLETE, CL_PROFILING_INFO_NOT_AVAILABLE, "the command has not completed");
	switch (param_name) {
	case CL_PROFILING_COMMAND_QUEUED: return INFO(cl_ulong, event->queued);
	case CL_PROFILING_COMMAND_SUBMIT: return INFO(cl_ulong, event->submit);
	case CL_PROFILING_COMMAND_START: return INFO(cl_ulong, event->start);
	case CL_PROFILING_COMMAND_END:
	case CL_PROFILING_COMMAND_COMPLETE: return INFO(cl_ulong, event->end);
	}
	/* CL_GETEVENTPROFILINGINFO_PARAM_NAME: a query that there is */
	return FAIL(CL_INVALID_VALUE, "unknown profiling query 0x%x", param_name);
}
