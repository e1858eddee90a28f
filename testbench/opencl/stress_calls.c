/* Queues, events, gates and callbacks of random programs. */
#define _GNU_SOURCE
#include "testbench/opencl/stress.h"
#include <sched.h>
#include <string.h>
#include <unistd.h>

static _Atomic unsigned queue_numbers;

/* ---- gates: user events ---- */
struct gate {
	cl_event event;
	cl_int status; /* that it gets */
};

static void gate_open(struct gate *g)
{
	MUST(clSetUserEventStatus(g->event, g->status));
	MUST(clReleaseEvent(g->event));
	free(g);
}

void gates_open(struct thread *t)
{
	const unsigned first = below(&t->random, MAX_GATES);
	for (unsigned i = 0; i < MAX_GATES; i++) {
		struct gate **g = &t->gates[(first + i) % MAX_GATES];
		if (*g)
			gate_open(*g);
		*g = NULL;
	}
}

static void CL_CALLBACK gate_opens(cl_event e, cl_int status, void *arg)
{
	(void)e, (void)status;
	gate_open(arg);
	callbacks_done++;
}

static void *gate_thread(void *arg)
{
	usleep((useconds_t)(program_seed % 1500));
	gate_open(arg);
	callbacks_done++;
	return NULL;
}

/* Opened by this thread when it has to, by another one soon, or by a callback of a queue that nothing holds up. The event is the
 * caller's, too. */
static struct gate gate_make(struct thread *t)
{
	cl_int code;
	struct gate *g = malloc(sizeof *g);
	*g = (struct gate){clCreateUserEvent(t->place->context, &code), one_in(&t->random, 8) ? -5 : CL_COMPLETE};
	MUST(code);
	MUST(clRetainEvent(g->event));
	const struct gate told = *g;
	const unsigned slot = below(&t->random, MAX_GATES), how = below(&t->random, 3);
	if (how == 0 && !t->gates[slot]) {
		t->gates[slot] = g;
	} else if (how == 1) {
		pthread_t thread;
		pthread_attr_t attributes;
		pthread_attr_init(&attributes);
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		callbacks_due++;
		EXPECT(!pthread_create(&thread, &attributes, gate_thread, g), "no thread");
		pthread_attr_destroy(&attributes);
	} else {
		cl_event e;
		cl_command_queue q = clCreateCommandQueueWithProperties(t->place->context, t->place->devices[0], NULL, &code);
		MUST(code);
		MUST(clEnqueueMarkerWithWaitList(q, 0, NULL, &e));
		callbacks_due++;
		MUST(clSetEventCallback(e, CL_COMPLETE, gate_opens, g));
		MUST(clReleaseEvent(e));
		MUST(clFlush(q));
		MUST(clReleaseCommandQueue(q));
	}
	return told;
}

/* ---- what callbacks do ---- */
struct compared {
	uint32_t *seen, *expect;
	unsigned words;
	const char *what;
};

static void CL_CALLBACK compares(cl_event e, cl_int status, void *arg)
{
	struct compared *c = arg;
	(void)e;
	for (unsigned i = 0; status == CL_COMPLETE && i < c->words; i++)
		EXPECT(c->seen[i] == c->expect[i], "%s: word %u of %u is %u, not %u", c->what, i, c->words, c->seen[i], c->expect[i]);
	free(c->seen);
	free(c->expect);
	free(c);
	callbacks_done++;
}

void compare_after(cl_event e, uint32_t *seen, uint32_t *expect, unsigned words, const char *what)
{
	struct compared *c = malloc(sizeof *c);
	*c = (struct compared){seen, expect, words, what};
	callbacks_due++;
	MUST(clSetEventCallback(e, CL_COMPLETE, compares, c));
}

void free_after(cl_event e, void *p) { compare_after(e, p, NULL, 0, "written"); }

static void CL_CALLBACK destroyed(cl_mem m, void *p)
{
	(void)m;
	free(p);
	callbacks_done++;
}

void free_with(cl_mem m, void *p)
{
	callbacks_due++;
	MUST(clSetMemObjectDestructorCallback(m, destroyed, p));
}

struct chain { /* a callback that calls back */
	uint64_t random;
	struct place *place;
	unsigned depth;
	cl_event event;          /* references of its own; NULL: none */
	cl_mem memory;
	cl_command_queue queue;
};

static void chain_start(uint64_t *random, struct place *, unsigned depth, cl_event, cl_int when);

static void chain_enqueue(struct chain *c, cl_command_queue q)
{
	cl_event e = NULL;
	const cl_uint value = below(&c->random, 100);
	cl_mem a = c->place->scratch[0], b = c->place->scratch[1];
	switch (below(&c->random, 4)) {
	case 0: MUST(clEnqueueFillBuffer(q, a, &value, 4, 0, SCRATCH_WORDS * 4, 0, NULL, &e)); break;
	case 1: MUST(clEnqueueCopyBuffer(q, a, b, 0, 0, SCRATCH_WORDS * 4, 0, NULL, &e)); break;
	case 2: MUST(clEnqueueBarrierWithWaitList(q, 0, NULL, &e)); break;
	default: {
		cl_kernel k = kernel_make(c->place->program, "add");
		MUST(clSetKernelArg(k, 0, sizeof a, &a));
		MUST(clSetKernelArg(k, 1, sizeof value, &value));
		MUST(clEnqueueNDRangeKernel(q, k, 1, NULL, (size_t[]){SCRATCH_WORDS}, NULL, 0, NULL, &e));
		MUST(clReleaseKernel(k));
	}
	}
	if (c->depth && one_in(&c->random, 2))
		chain_start(&c->random, c->place, c->depth - 1, e, CL_COMPLETE);
	MUST(clReleaseEvent(e));
	if (one_in(&c->random, 2))
		MUST(clFlush(q));
}

static void CL_CALLBACK chain_called(cl_event e, cl_int status, void *arg)
{
	struct chain *c = arg;
	cl_int code;
	cl_uint number;
	size_t size;
	(void)status;
	for (unsigned n = below(&c->random, 5); n--;)
		switch (below(&c->random, 7)) {
		case 0: chain_enqueue(c, c->place->queues[below(&c->random, 2)]); break;
		case 1: MUST(clGetEventInfo(c->event ? c->event : e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof code, &code, NULL)); break;
		case 2: MUST(clGetMemObjectInfo(c->place->scratch[0], CL_MEM_SIZE, sizeof size, &size, NULL)); break;
		case 3: MUST(clGetContextInfo(c->place->context, CL_CONTEXT_REFERENCE_COUNT, sizeof number, &number, NULL)); break;
		case 4: MUST(clFlush(c->place->queues[below(&c->random, 2)])); break;
		case 5: {
			cl_mem m = clCreateBuffer(c->place->context, 0, 4096, NULL, &code);
			MUST(code);
			MUST(clReleaseMemObject(m));
			break;
		}
		case 6:
			if (c->queue)
				chain_enqueue(c, c->queue);
			break;
		}
	if (c->event)
		MUST(clReleaseEvent(c->event));
	if (c->queue)
		MUST(clReleaseCommandQueue(c->queue));
	if (c->memory)
		MUST(clReleaseMemObject(c->memory));
	free(c);
	callbacks_done++;
}

/* It is not ordered when the callbacks of one event are called, so each has references of its own. */
static void chain_start(uint64_t *random, struct place *place, unsigned depth, cl_event e, cl_int when)
{
	cl_int code;
	struct chain *c = calloc(1, sizeof *c);
	*c = (struct chain){.random = splitmix64(random), .place = place, .depth = depth};
	if (one_in(random, 2)) {
		MUST(clRetainEvent(e));
		c->event = e;
	}
	if (one_in(random, 3)) {
		c->memory = clCreateBuffer(place->context, 0, 8192, NULL, &code);
		MUST(code);
	}
	if (one_in(random, 3)) {
		c->queue = place->queues[below(random, 2)];
		MUST(clRetainCommandQueue(c->queue));
	}
	callbacks_due++;
	MUST(clSetEventCallback(e, when, chain_called, c));
}

/* ---- queues ---- */
static void queue_open(struct thread *t, struct queue *q)
{
	cl_int code;
	cl_command_queue_properties flags = one_in(&t->random, 2) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
	const bool ordered = !flags;
	flags |= one_in(&t->random, 3) ? CL_QUEUE_PROFILING_ENABLE : 0;
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, 0};
	*q = (struct queue){.number = ++queue_numbers, .ordered = ordered};
	q->queue = clCreateCommandQueueWithProperties(t->place->context, t->place->devices[below(&t->random, t->place->num_devices)], list, &code);
	MUST(code);
}

struct queue *queue_any(struct thread *t)
{
	struct queue *q = &t->queues[below(&t->random, MAX_QUEUES)];
	if (!q->number)
		queue_open(t, q);
	return q;
}

void queues_flush(struct thread *t)
{
	for (unsigned i = 0; i < MAX_QUEUES; i++)
		if (t->queues[i].number)
			MUST(clFlush(t->queues[i].queue));
}

/* ---- commands ---- */
struct command command_begin(struct thread *t, struct data *a, struct data *b, bool blocking)
{
	struct command c = {.queue = queue_any(t), .data = {a, b}, .num_data = b && b != a ? 2 : 1};
	c.poisoned = c.queue->ordered && c.queue->poisoned;
	for (unsigned i = 0; i < c.num_data; i++) {
		struct data *d = c.data[i];
		c.poisoned |= d->poisoned;
		if (!d->last || (c.queue->ordered && d->last_queue == c.queue->number && one_in(&t->random, 2)))
			continue;
		MUST(clRetainEvent(d->last));
		c.waits[c.num_waits++] = d->last;
	}
	queues_flush(t); /* a queue's events are waited for in another */
	if (one_in(&t->random, 10)) {
		const struct gate g = gate_make(t);
		c.poisoned |= g.status < 0;
		c.waits[c.num_waits++] = g.event;
	}
	if (one_in(&t->random, 12)) { /* the last command of a queue that is gone by then */
		cl_int code;
		cl_command_queue fresh = clCreateCommandQueueWithProperties(t->place->context, t->place->devices[0], NULL, &code);
		MUST(code);
		MUST(clEnqueueMarkerWithWaitList(fresh, 0, NULL, &c.waits[c.num_waits++]));
		MUST(clReleaseCommandQueue(fresh));
	}
	if (blocking)
		gates_open(t);
	return c;
}

bool command_end(struct thread *t, struct command *c, cl_int code)
{
	const bool good = code == CL_SUCCESS;
	EXPECT(good || (c->poisoned && code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST), "a command: %d%s", code, c->poisoned ? ", poisoned" : "");
	for (unsigned i = 0; i < c->num_waits; i++)
		MUST(clReleaseEvent(c->waits[i]));
	c->queue->poisoned |= c->poisoned;
	for (unsigned i = 0; i < c->num_data; i++) {
		struct data *d = c->data[i];
		d->poisoned |= c->poisoned;
		if (!c->event)
			continue;
		if (d->last)
			MUST(clReleaseEvent(d->last));
		MUST(clRetainEvent(c->event));
		d->last = c->event;
		d->last_queue = c->queue->number;
	}
	if (!c->event)
		return good;
	if (one_in(&t->random, 4))
		chain_start(&t->random, t->place, 3, c->event, one_in(&t->random, 3) ? (one_in(&t->random, 2) ? CL_SUBMITTED : CL_RUNNING) : CL_COMPLETE);
	if (one_in(&t->random, 3))
		MUST(clFlush(c->queue->queue));
	MUST(clReleaseEvent(c->event));
	return good;
}

cl_kernel kernel_make(cl_program p, const char *name)
{
	cl_int code;
	cl_kernel k = clCreateKernel(p, name, &code);
	MUST(code);
	return k;
}

/* ---- actions ---- */
static void act_finish(struct thread *t)
{
	gates_open(t);
	MUST(clFinish(one_in(&t->random, 4) ? t->place->queues[below(&t->random, 2)] : queue_any(t)->queue));
}

static void act_flush(struct thread *t)
{
	MUST(clFlush(one_in(&t->random, 4) ? t->place->queues[below(&t->random, 2)] : queue_any(t)->queue));
}

/* Commands under way stay so, and what waits for their events goes on waiting. */
static void act_queue_release(struct thread *t)
{
	struct queue *q = &t->queues[below(&t->random, MAX_QUEUES)];
	if (!q->number)
		return;
	MUST(clReleaseCommandQueue(q->queue));
	q->number = 0;
}

/* Markers and barriers on the shared queues, behind gates, with waits for each other in any order. */
static void act_shared(struct thread *t)
{
	cl_event e[4];
	unsigned n = 0;
	struct chain c = {.random = splitmix64(&t->random), .place = t->place, .depth = 2};
	for (unsigned i = 0; i < 3; i++) {
		cl_command_queue q = t->place->queues[below(&t->random, 2)];
		const bool barrier = one_in(&t->random, 2);
		if (one_in(&t->random, 3)) {
			e[n++] = gate_make(t).event;
		} else {
			MUST((barrier ? clEnqueueBarrierWithWaitList : clEnqueueMarkerWithWaitList)(q, n, n ? e : NULL, &e[n]));
			n++;
			MUST(clFlush(q));
		}
		if (one_in(&t->random, 2))
			chain_start(&t->random, t->place, 2, e[n - 1], CL_COMPLETE);
		if (one_in(&t->random, 3))
			chain_enqueue(&c, q);
	}
	if (one_in(&t->random, 2)) {
		gates_open(t);
		const cl_int code = clWaitForEvents(n, e);
		EXPECT(!code || code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "clWaitForEvents: %d", code);
	}
	for (unsigned first = below(&t->random, n), i = 0; i < n; i++)
		MUST(clReleaseEvent(e[(first + i) % n]));
}

/* ---- programs ---- */
static const char variant_source[] = "kernel void plus(global uint *p, uint n) { p[get_global_id(0)] += n * V; }\n";

static void CL_CALLBACK built(cl_program p, void *arg)
{
	cl_kernel kernels[2];
	cl_uint n = 0;
	cl_build_status status;
	cl_device_id devices[2];
	MUST(clGetProgramInfo(p, CL_PROGRAM_DEVICES, sizeof devices, devices, NULL));
	MUST(clGetProgramBuildInfo(p, devices[0], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
	EXPECT(status == CL_BUILD_SUCCESS, "in its callback a program's build status is %d", status);
	MUST(clCreateKernelsInProgram(p, 1, kernels, &n));
	EXPECT(n == 1, "%u kernels", n);
	MUST(clReleaseKernel(kernels[0]));
	atomic_store((_Atomic bool *)arg, true);
	callbacks_done++;
}

static void act_build(struct thread *t)
{
	const char *text = variant_source;
	char options[64];
	const unsigned v = 1 + below(&t->random, 3), how = below(&t->random, 4);
	_Atomic bool done = false;
	cl_int code;
	cl_device_id *const devices = t->place->devices; /* of those the thread's context has */
	struct place *p = t->place;
	snprintf(options, sizeof options, "-D V=%u", v);
	cl_program made = clCreateProgramWithSource(p->context, 1, &text, NULL, &code);
	MUST(code);
	callbacks_due += how < 2;
	if (how == 0) {
		MUST(clBuildProgram(made, 0, NULL, options, built, &done));
	} else if (how == 1) {
		MUST(clCompileProgram(made, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
		cl_program linked = clLinkProgram(p->context, 0, NULL, "", 1, &made, built, &done, &code);
		MUST(code);
		MUST(clReleaseProgram(made));
		made = linked;
	} else {
		MUST(clBuildProgram(made, 0, NULL, options, NULL, NULL));
	}
	if (how == 3) { /* once more, of its binaries */
		size_t sizes[2] = {0, 0};
		unsigned char *binaries[2];
		cl_int status[2];
		MUST(clGetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
		for (unsigned i = 0; i < p->num_devices; i++)
			binaries[i] = malloc(sizes[i]);
		MUST(clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
		MUST(clReleaseProgram(made));
		made = clCreateProgramWithBinary(p->context, p->num_devices, devices, sizes, (const unsigned char **)binaries, status, &code);
		MUST(code);
		for (unsigned i = 0; i < p->num_devices; i++)
			free(binaries[i]);
		MUST(clBuildProgram(made, 0, NULL, NULL, NULL, NULL));
	}
	if (how == 0 && one_in(&t->random, 3)) { /* given up while it is built; done must stay */
		MUST(clReleaseProgram(made));
		while (!done)
			usleep(200);
		return;
	}
	while (how < 2 && !done)
		usleep(200);
	memory_add(t, made, "plus", v);
	MUST(clReleaseProgram(made));
}

/* A context of its own, and a queue and a buffer, released in any order. */
static void CL_CALLBACK context_gone(cl_context c, void *unused)
{
	(void)c, (void)unused;
	contexts_done++;
}

static void act_context(struct thread *t)
{
	cl_int code;
	const cl_uint word = 3;
	cl_event e;
	cl_context c = clCreateContext(NULL, 1, t->place->devices, NULL, NULL, &code);
	MUST(code);
	contexts_due++;
	MUST(clSetContextDestructorCallback(c, context_gone, NULL));
	cl_command_queue q = clCreateCommandQueueWithProperties(c, t->place->devices[0], NULL, &code);
	MUST(code);
	cl_mem m = clCreateBuffer(c, 0, 4096, NULL, &code);
	MUST(code);
	MUST(clEnqueueFillBuffer(q, m, &word, 4, 0, 4096, 0, NULL, &e));
	for (unsigned first = below(&t->random, 4), i = 0; i < 4; i++)
		switch ((first + i) % 4) {
		case 0: MUST(clReleaseContext(c)); break;
		case 1: MUST(clReleaseCommandQueue(q)); break;
		case 2: MUST(clReleaseMemObject(m)); break;
		case 3: MUST(clReleaseEvent(e)); break;
		}
}

/* So many commands behind a gate that the thread opens only then. */
static void act_many(struct thread *t)
{
	const cl_event gate = gate_make(t).event;
	cl_command_queue q = t->place->queues[1];
	MUST(clEnqueueMarkerWithWaitList(q, 1, &gate, NULL));
	for (unsigned i = 0; i < 100; i++)
		MUST(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
	MUST(clReleaseEvent(gate));
}

static void act_yield(struct thread *t)
{
	if (one_in(&t->random, 2))
		sched_yield();
	else
		usleep(below(&t->random, 500));
}

const struct action call_actions[] = {
	{"finish", act_finish, 3},   {"flush", act_flush, 3}, {"queue release", act_queue_release, 2}, {"shared", act_shared, 5},
	{"build", act_build, 1},     {"context", act_context, 1}, {"many", act_many, 1},               {"yield", act_yield, 2},
	{NULL, NULL, 0},
};

/* ---- a thread's life ---- */
void thread_begin(struct thread *t)
{
	for (unsigned i = 0; i < MAX_QUEUES; i++)
		if (one_in(&t->random, 2))
			queue_open(t, &t->queues[i]);
}

static void queues_close(struct thread *t)
{
	for (unsigned i = 0; i < MAX_QUEUES; i++)
		if (t->queues[i].number)
			MUST(clReleaseCommandQueue(t->queues[i].queue));
	memset(t->queues, 0, sizeof t->queues);
}

void thread_end(struct thread *t)
{
	gates_open(t);
	if (one_in(&t->random, 2))
		queues_close(t);
	memory_release_all(t); /* it may open queues, and make gates */
	if (one_in(&t->random, 2))
		gates_open(t);
	queues_close(t);
	gates_open(t);
}
