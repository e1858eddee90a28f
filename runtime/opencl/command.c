/* Making commands: packets, what they hold on to, submission. */
#include "runtime/kmd/profile.h"
#include "runtime/opencl/queue.h"
#include "runtime/opencl/staging.h"
#include "runtime/opencl/svm.h"
#include <stdlib.h>
#include <string.h>

/* Room for one more; NULL (and c->error) when there is no memory. */
static void *grow(struct command *c, void *list, unsigned count, unsigned *cap, size_t size)
{
	if (count < *cap)
		return list;
	unsigned n = *cap ? *cap * 2 : 4;
	void *bigger = realloc(list, n * size);
	if (!bigger) {
		c->error = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the command");
		return NULL;
	}
	*cap = n;
	return bigger;
}

cl_int command_begin(struct command *c, cl_command_queue q, cl_command_type type, cl_uint num_events, const cl_event *wait_list)
{
	/* OpenCL 3.0, 5.2 and on, every enqueue call: list and count have to agree, entries to be events */
	/* CL_ENQUEUE*_WAIT_LIST_NULL, CL_ENQUEUE*_WAIT_LIST_COUNT: a list with a length */
	FAIL_IF(!wait_list != !num_events, CL_INVALID_EVENT_WAIT_LIST, "a wait list without events, or events without a list");
	for (cl_uint i = 0; i < num_events; i++) {
		/* CL_ENQUEUE*_WAIT_LIST_EVENT: of events */
		FAIL_IF(!EVENT_VALID(wait_list[i]), CL_INVALID_EVENT_WAIT_LIST, "entry %u of the wait list is not an event", i);
		/* CL_ENQUEUE*_EVENT_CONTEXT: queue and events have to be of one context */
		FAIL_IF(wait_list[i]->context != q->context, CL_INVALID_CONTEXT, "entry %u of the wait list is of another context", i);
	}
	*c = (struct command){.queue = q, .wait_list = wait_list, .num_waits = num_events};
	c->event = event_create(q->context, q, type);
	FAIL_IF(!c->event, CL_OUT_OF_HOST_MEMORY, "no memory for the command");
	c->state = c->event->state;
	return CL_SUCCESS;
}

cl_int command_check_events(struct command *c)
{
	bool failed = false;
	{
		HOLDING(&c->queue->context->lock);
		for (cl_uint i = 0; i < c->num_waits; i++)
			failed |= c->wait_list[i]->status < 0;
	}
	if (failed)
		command_abort(c);
	FAIL_IF(failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event of the wait list has failed");
	return CL_SUCCESS;
}

void command_use(struct command *c, struct object *o)
{
	struct command_state *s = c->state;
	struct object **used = grow(c, s->used, s->num_used, &s->cap_used, sizeof *used);
	if (!used)
		return;
	s->used = used;
	s->used[s->num_used++] = o;
	object_use(o);
}

/* It uses protected memory. */
static void protect(struct command *c)
{
	c->is_protected = true;
	/* CL_ENQUEUE*_PROTECTED_PROFILING: cl_arm_import_memory: in a queue that does not tell how long it took */
	if (c->queue->properties & CL_QUEUE_PROFILING_ENABLE && !c->error)
		c->error = FAIL(CL_INVALID_OPERATION, "protected memory is not used in a queue with CL_QUEUE_PROFILING_ENABLE");
}

static void maintain(struct command *c, struct _cl_mem *root)
{
	for (unsigned i = 0; i < c->num_maintained; i++)
		if (c->maintained[i] == root)
			return;
	struct _cl_mem **list = grow(c, c->maintained, c->num_maintained, &c->cap_maintained, sizeof *list);
	if (!list)
		return;
	c->maintained = list;
	c->maintained[c->num_maintained++] = root;
}

static union packet cache_packet(const struct _cl_mem *m, unsigned op)
{
	return (union packet){.cache = {.head.type = PACKET_CODE_cache, .address = m->address, .size = m->size, .op = op}};
}

static void put_protection(struct command *c)
{
	c->state->is_protected = c->is_protected;
	for (unsigned i = 0; c->is_protected && i < c->num_packets; i++) {
		struct packet_head *h = &c->packets[i].head;
		if (h->type == PACKET_CODE_dispatch || h->type == PACKET_CODE_copy || h->type == PACKET_CODE_fill)
			h->flags |= PACKET_PROTECTED;
	}
}

/* A kernel that looks at a word of the host's makes millions of cycles in the time that the host is not scheduled. */
static void put_patience(struct command *c)
{
	if (!svm_talking() || umd_watchdog_given(galena_platform.driver))
		return;
	for (unsigned i = 0; i < c->num_packets; i++)
		if (c->packets[i].head.type == PACKET_CODE_dispatch)
			c->packets[i].head.flags |= PACKET_PATIENT;
}

/* Before the command devices forget what they hold of the memory, so that they read what the host wrote; after it, what they
 * wrote goes to memory. */
static void put_maintenance(struct command *c)
{
	const unsigned n = c->num_maintained, count = c->num_packets + 2 * n;
	if (!n || c->error)
		return;
	union packet *list = malloc(count * sizeof *list);
	if (!list) {
		c->error = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the command");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		list[i] = cache_packet(c->maintained[i], CACHE_CLEAN | CACHE_INVALIDATE);
		list[count - n + i] = cache_packet(c->maintained[i], CACHE_CLEAN);
	}
	for (unsigned i = 0; i < c->num_packets; i++)
		list[n + i] = c->packets[i];
	free(c->packets);
	c->packets = list;
	c->num_packets = c->cap_packets = count;
}

void command_use_mem(struct command *c, struct _cl_mem *mem)
{
	struct _cl_mem *root = mem;
	while (root->parent)
		root = root->parent;
	if (root->transfer > c->transfer)
		c->transfer = root->transfer;
	if (root->maintained)
		maintain(c, root);
	if (root->is_protected)
		protect(c);
	command_use(c, &mem->object);
}

cl_int command_staging(struct command *c, size_t size, size_t align, struct staging *out)
{
	struct command_state *s = c->state;
	*out = (struct staging){0};
	if (c->error)
		return c->error;
	struct staging *list = grow(c, s->staging, s->num_staging, &s->cap_staging, sizeof *list);
	if (!list)
		return c->error;
	s->staging = list;
	struct _cl_context *context = c->queue->context;
	pthread_mutex_lock(&context->lock);
	while (!staging_alloc(context->staging, size, align, out)) {
		pthread_mutex_unlock(&context->lock);
		int error = staging_grow(context->staging, size);
		if (error)
			return c->error = FAIL(CL_OUT_OF_RESOURCES, "no staging memory of %zu bytes (%d)", size, error);
		pthread_mutex_lock(&context->lock);
	}
	pthread_mutex_unlock(&context->lock);
	s->staging[s->num_staging++] = *out;
	return CL_SUCCESS;
}

void command_release_bo(struct command *c, struct umd_bo *bo)
{
	struct umd_bo **list = grow(c, c->release, c->num_release, &c->cap_release, sizeof *list);
	if (!list) {
		umd_bo_release(bo); /* the command will not be submitted */
		return;
	}
	c->release = list;
	c->release[c->num_release++] = bo;
}

union packet *command_packet(struct command *c)
{
	static _Thread_local union packet dummy;
	union packet *list = grow(c, c->packets, c->num_packets, &c->cap_packets, sizeof *list);
	if (!list)
		return &dummy;
	c->packets = list;
	union packet *p = &list[c->num_packets++];
	memset(p, 0, sizeof *p);
	return p;
}

void command_maintain(struct command *c, const struct _cl_mem *m, unsigned op)
{
	if (!c->queue->device->info->coherent)
		*command_packet(c) = cache_packet(m, op);
}

void command_hook(struct command *c, command_done_fn fn, void *arg)
{
	struct command_state *s = c->state;
	struct command_hook *list = grow(c, s->hooks, s->num_hooks, &s->cap_hooks, sizeof *list);
	if (!list) {
		fn(arg, CL_OUT_OF_RESOURCES);
		return;
	}
	s->hooks = list;
	s->hooks[s->num_hooks++] = (struct command_hook){fn, arg};
}

static void command_free(struct command *c)
{
	for (unsigned i = 0; i < c->num_release; i++)
		umd_bo_release(c->release[i]);
	free(c->release);
	free(c->maintained);
	free(c->packets);
}

void command_abort(struct command *c)
{
	struct command_state *s = c->state;
	for (unsigned i = 0; i < s->num_hooks; i++)
		s->hooks[i].fn(s->hooks[i].arg, CL_OUT_OF_RESOURCES);
	pthread_mutex_lock(&c->queue->context->lock);
	for (unsigned i = 0; i < s->num_staging; i++)
		staging_free(c->queue->context->staging, &s->staging[i]);
	pthread_mutex_unlock(&c->queue->context->lock);
	for (unsigned i = 0; i < s->num_used; i++)
		object_unuse(s->used[i]);
	late_drop(c->late);
	command_free(c);
	object_release(&c->event->object);
}

static cl_int submit(struct command *c, bool again)
{
	HOLDING(&c->queue->context->lock);
	return stream_submit(c, again);
}

cl_int command_submit(struct command *c, bool blocking, cl_event *event)
{
	PHASE_HERE(ENQUEUE);
	struct _cl_event *e = c->event;
	put_protection(c);
	put_patience(c);
	put_maintenance(c);
	if (c->error) {
		cl_int code = c->error;
		command_abort(c);
		return code;
	}
	umd_throttle(c->queue->context->space); /* event_done() takes the lock */
	cl_int code = submit(c, false);
	if (code == STREAM_AGAIN) { /* released objects may have it, and wait for their commands */
		queue_flush(c->queue);
		context_sync(c->queue->context);
		code = submit(c, true);
	}
	if (code) {
		command_abort(c);
		return code;
	}
	late_submit(c->late);
	command_free(c);
	if (blocking)
		code = event_wait(e);
	if (event && !code)
		*event = e;
	else
		object_release(&e->object);
	/* CL_ENQUEUE*_FAILED_EVENT: OpenCL 3.0, 5.2 and on: how a blocking command fails */
	if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		return FAIL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "a command that this one waited for has failed");
	return code;
}
