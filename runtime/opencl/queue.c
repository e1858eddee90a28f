/* Command queues. */
#include "base/list.h"
#include "runtime/opencl/queue.h"
#include <stdlib.h>

static void streams_free(struct stream *s)
{
	while (s) {
		struct stream *next = s->next;
		umd_queue_release(s->queue);
		free(s);
		s = next;
	}
}

void queue_destroy(void *o)
{
	struct _cl_command_queue *q = o;
	struct _cl_context *c = q->context;
	pthread_mutex_lock(&c->lock);
	LIST_TAKE(c->queues, q, next);
	if (q->orphan)
		c->orphans--;
	pthread_mutex_unlock(&c->lock);
	streams_free(q->streams);
	free(q->list.list);
	bool internal = q->internal;
	free(q);
	if (!internal)
		object_unuse(&c->object);
}

/* OpenCL 3.0, 5.1: the release of a queue flushes it */
static void queue_dropped(void *o)
{
	struct _cl_command_queue *q = o;
	struct _cl_context *c = q->context;
	pthread_mutex_lock(&c->lock);
	queue_flush(q);
	for (struct stream *s = q->streams; s && !q->orphan; s = s->next)
		q->orphan = s->first;
	if (q->orphan)
		c->orphans++;
	pthread_mutex_unlock(&c->lock);
	context_reap(c);
}

static cl_int queue_create(struct _cl_context *context, struct _cl_device_id *device, cl_command_queue_properties properties,
			   const cl_queue_properties *list, size_t num_list, bool internal, struct _cl_command_queue **out)
{
	struct _cl_command_queue *q = calloc(1, sizeof *q);
	FAIL_IF(!q, CL_OUT_OF_HOST_MEMORY, "no memory for the queue");
	q->context = context;
	q->device = device;
	q->properties = properties;
	q->internal = internal;
	int error = given_list_keep(&q->list, list, num_list * sizeof *list) ? stream_create(q, &q->base) : KMD_NO_MEMORY;
	if (error) {
		free(q->list.list);
		free(q);
		return error == KMD_NO_MEMORY ? FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the queue")
					      : FAIL(CL_OUT_OF_RESOURCES, "the driver has no queue (%d)", error);
	}
	object_init(&q->object, MAGIC_QUEUE, queue_dropped, queue_destroy);
	q->base->open = true;
	if (!internal)
		object_use(&context->object);
	*out = q;
	return CL_SUCCESS;
}

static void queue_link(struct _cl_command_queue *q)
{
	q->next = q->context->queues;
	q->context->queues = q;
}

struct _cl_command_queue *context_transfers(struct _cl_context *c)
{
	HOLDING(&c->lock);
	if (!c->transfers && !queue_create(c, c->devices[0], 0, NULL, 0, true, &c->transfers))
		queue_link(c->transfers);
	return c->transfers;
}

static cl_command_queue queue_make(cl_context context, cl_device_id device, cl_command_queue_properties properties,
				   const cl_queue_properties *list, size_t num_list, cl_int *errcode_ret)
{
	struct _cl_command_queue *q = NULL;
	TRY_NULL(errcode_ret, queue_create(context, device, properties, list, num_list, false, &q));
	pthread_mutex_lock(&context->lock);
	queue_link(q);
	pthread_mutex_unlock(&context->lock);
	return api_result(errcode_ret, CL_SUCCESS, q);
}

/* OpenCL 3.0, 5.1 */
static cl_int check_context_device(cl_context context, cl_device_id device)
{
	/* CL_CREATECOMMANDQUEUE*_CONTEXT: a context */
	NEED_CONTEXT(context);
	/* CL_CREATECOMMANDQUEUE*_DEVICE, CL_CREATECOMMANDQUEUE*_DEVICE_FOREIGN: a device that the context does not have is as wrong as none */
	FAIL_IF(!DEVICE_VALID(device) || !context_has_device(context, device), CL_INVALID_DEVICE, "not a device of the context");
	return CL_SUCCESS;
}

static cl_int check_properties(cl_command_queue_properties p)
{
	const cl_command_queue_properties known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE |
						  CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
	const cl_command_queue_properties on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	/* CL_CREATECOMMANDQUEUE*_PROPERTIES: 5.1: values that mean nothing are not valid, nor is a default queue that is not on the device */
	FAIL_IF(p & ~known, CL_INVALID_VALUE, "queue properties 0x%llx", (unsigned long long)p);
	FAIL_IF((p & CL_QUEUE_ON_DEVICE) && (p & on_device) != on_device, CL_INVALID_VALUE, "an on-device queue has to be out-of-order");
	FAIL_IF((p & CL_QUEUE_ON_DEVICE_DEFAULT) && !(p & CL_QUEUE_ON_DEVICE), CL_INVALID_VALUE, "a default queue has to be on the device");
	/* CL_CREATECOMMANDQUEUE*_SUPPORT: valid, but the device does not have them */
	FAIL_IF(p & CL_QUEUE_ON_DEVICE, CL_INVALID_QUEUE_PROPERTIES, "the device has no on-device queues");
	return CL_SUCCESS;
}

cl_command_queue CL_API_CALL galena_clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
							 cl_int *errcode_ret)
{
	TRY_NULL(errcode_ret, check_context_device(context, device));
	TRY_NULL(errcode_ret, check_properties(properties));
	return queue_make(context, device, properties, NULL, 0, errcode_ret);
}

cl_command_queue CL_API_CALL galena_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
								       const cl_queue_properties *list, cl_int *errcode_ret)
{
	TRY_NULL(errcode_ret, check_context_device(context, device));
	cl_command_queue_properties properties = 0;
	bool seen = false, size = false;
	size_t n = 0;
	for (; list && list[n]; n += 2) {
		if (list[n] == CL_QUEUE_PROPERTIES && !seen) {
			properties = list[n + 1];
			seen = true;
		} else if (list[n] == CL_QUEUE_SIZE && !size) {
			size = true;
		} else { /* 5.1: names that mean nothing, or stand twice */
			return FAIL_NULL(errcode_ret, CL_INVALID_VALUE, "queue property 0x%llx is unknown or given twice",
					 (unsigned long long)list[n]);
		}
	}
	TRY_NULL(errcode_ret, check_properties(properties));
	/* 5.1: a size is for queues on the device */
	FAIL_NULL_IF(size, errcode_ret, CL_INVALID_VALUE, "CL_QUEUE_SIZE for a queue on the host");
	return queue_make(context, device, properties, list, list ? n + 1 : 0, errcode_ret);
}

cl_command_queue CL_API_CALL galena_clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
									  const cl_queue_properties *list, cl_int *errcode_ret)
{
	return galena_clCreateCommandQueueWithProperties(context, device, list, errcode_ret);
}

cl_int CL_API_CALL galena_clRetainCommandQueue(cl_command_queue queue)
{
	/* CL_RETAINCOMMANDQUEUE_QUEUE: a queue */
	NEED_QUEUE(queue);
	if (object_retain(&queue->object)) { /* an event has handed it out again */
		pthread_mutex_lock(&queue->context->lock);
		queue->context->orphans -= queue->orphan;
		queue->orphan = false;
		pthread_mutex_unlock(&queue->context->lock);
	}
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clReleaseCommandQueue(cl_command_queue queue)
{
	/* CL_RELEASECOMMANDQUEUE_QUEUE: one that the application has a reference to */
	FAIL_IF(!object_held(queue, MAGIC_QUEUE), CL_INVALID_COMMAND_QUEUE, "not a command queue");
	object_release(&queue->object);
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name, INFO_PARAMETERS)
{
	NEED_QUEUE(queue);
	switch (param_name) {
	case CL_QUEUE_CONTEXT: return INFO(cl_context, queue->context);
	case CL_QUEUE_DEVICE: return INFO(cl_device_id, queue->device);
	case CL_QUEUE_REFERENCE_COUNT: return INFO(cl_uint, object_refs(&queue->object));
	case CL_QUEUE_PROPERTIES: return INFO(cl_command_queue_properties, queue->properties);
	case CL_QUEUE_PROPERTIES_ARRAY: return INFO_GIVEN(queue->list);
	case CL_QUEUE_DEVICE_DEFAULT: return INFO(cl_command_queue, NULL);
	case CL_QUEUE_SIZE: /* 5.1: not valid for a queue on the host */
		/* CL_GETCOMMANDQUEUEINFO_QUEUE_KIND: what queues of the kind have */
		return FAIL(CL_INVALID_COMMAND_QUEUE, "CL_QUEUE_SIZE of a queue on the host");
	}
	/* CL_GETCOMMANDQUEUEINFO_PARAM_NAME: a query that there is */
	return FAIL(CL_INVALID_VALUE, "unknown queue query 0x%x", param_name);
}

/* Deprecated since 1.1, where it became optional. */
cl_int CL_API_CALL galena_clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties, cl_bool enable,
						    cl_command_queue_properties *old_properties)
{
	(void)properties, (void)enable;
	NEED_QUEUE(queue);
	if (old_properties)
		*old_properties = queue->properties;
	/* CL_SETCOMMANDQUEUEPROPERTY_SUPPORT: a device that allows it */
	return FAIL(CL_INVALID_OPERATION, "properties of a queue cannot be changed");
}

cl_int CL_API_CALL galena_clFlush(cl_command_queue queue)
{
	NEED_QUEUE(queue);
	HOLDING(&queue->context->lock);
	queue_flush(queue);
	return CL_SUCCESS;
}

/* OpenCL 3.0, 5.15: waits until everything enqueued before has ended, well or not */
cl_int CL_API_CALL galena_clFinish(cl_command_queue queue)
{
	NEED_QUEUE(queue);
	struct _cl_context *c = queue->context;
	pthread_mutex_lock(&c->lock);
	queue_flush(queue);
	size_t count = 0, n = 0;
	for (struct stream *s = queue->streams; s; s = s->next)
		count += s->last != NULL;
	struct _cl_event **last = count ? malloc(count * sizeof *last) : NULL;
	for (struct stream *s = queue->streams; last && s; s = s->next)
		if (s->last) {
			last[n++] = s->last;
			object_use(&s->last->object);
		}
	pthread_mutex_unlock(&c->lock);
	cl_int lost = CL_SUCCESS;
	for (size_t i = 0; i < n; i++) {
		const cl_int code = event_wait(last[i]);
		pthread_mutex_lock(&c->lock);
		if (last[i]->status > CL_COMPLETE) /* it will never end; how one that did has ended is the event's business */
			lost = code;
		pthread_mutex_unlock(&c->lock);
		object_unuse(&last[i]->object);
	}
	free(last);
	if (lost)
		return lost;
	FAIL_IF(n != count, CL_OUT_OF_HOST_MEMORY, "no memory for %zu events", count);
	return CL_SUCCESS;
}
