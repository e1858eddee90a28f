/* vx_khr_pipelining: functions of the application's in graphs with queues, many threads, and ends while executions are in flight. */
#include "testbench/openvx/pipelines.h"
#include <sched.h>
#include <signal.h>

/* ---- functions of the application's ---- */
/* A kernel on the host; a frame that begins with 0xee fails. */
static vx_status VX_CALLBACK add_one(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	uint8_t bytes[PIXELS];
	(void)node;
	(void)num;
	vx_status status = copy_frame((vx_image)parameters[0], bytes, VX_READ_ONLY);
	for (int i = 0; i < PIXELS; i++)
		bytes[i]++;
	if (!status && bytes[0] == 0xef)
		status = VX_ERROR_INVALID_VALUE;
	return status ? status : copy_frame((vx_image)parameters[1], bytes, VX_WRITE_ONLY);
}

static struct {
	pthread_mutex_t lock;
	vx_graph graph;
	unsigned calls, abandon; /* the call that abandons */
} called = {.lock = PTHREAD_MUTEX_INITIALIZER};

static vx_action VX_CALLBACK completed(vx_node node)
{
	(void)node;
	pthread_mutex_lock(&called.lock);
	const bool abandons = ++called.calls == called.abandon;
	pthread_mutex_unlock(&called.lock);
	return abandons ? VX_ACTION_ABANDON : VX_ACTION_CONTINUE;
}

/* References come back from an execution that fails, and the others are as if it had not been. */
static void failures(void **state)
{
	(void)state;
	uint8_t in[REFS_MAX][PIXELS], expected[PIXELS];
	now_testing("failures");
	vx_kernel kernel = add_kernel("galena.test.add_one", add_one, 2, vx_false_e);
	struct pipe p = pipe_through(REFS_MAX, kernel);
	pipe_queues(&p, AUTO);
	RAN(vxVerifyGraph(p.graph));
	RAN(vxAssignNodeCallback(p.second, completed));
	called.calls = 0;
	called.abandon = 3;
	for (int i = 0; i < REFS_MAX; i++) {
		random_frame(in[i]);
		in[i][0] = i == 1 ? 0xee : 0x11;
		RAN(copy_frame(p.in[i], in[i], VX_WRITE_ONLY));
		enqueue(p.graph, 0, p.in[i]);
		enqueue(p.graph, 1, p.out[i]);
	}
	for (int i = 0; i < REFS_MAX; i++) {
		assert_ptr_equal(dequeue(p.graph, 0), p.in[i]);
		assert_ptr_equal(dequeue(p.graph, 1), p.out[i]);
		for (int k = 0; k < PIXELS; k++)
			expected[k] = (uint8_t)~(in[i][k] + 1);
		if (i != 1)
			expect_frame(p.out[i], expected);
	}
	/* the first error since the last time, and only once */
	REFUSED(VX_ERROR_INVALID_VALUE, vxWaitGraph(p.graph));
	assert_int_equal(called.calls, REFS_MAX - 1);
	assert_int_equal(state_of(p.graph), VX_GRAPH_STATE_COMPLETED);
	RAN(vxWaitGraph(p.graph));
	called.abandon = called.calls + 1;
	enqueue(p.graph, 0, p.in[0]);
	enqueue(p.graph, 1, p.out[0]);
	REFUSED(VX_ERROR_GRAPH_ABANDONED, vxWaitGraph(p.graph));
	assert_int_equal(state_of(p.graph), VX_GRAPH_STATE_ABANDONED);
	assert_ptr_equal(dequeue(p.graph, 1), p.out[0]);
	pipe_close(&p);
	RAN(vxRemoveKernel(kernel));
}

/* What would wait for itself does not. */
struct waiter { vx_graph graph; vx_status status; };

static struct { vx_graph graph; bool schedules; vx_status wait, dequeue, process, schedule, verify, stop, context; } tried;

static vx_status try_all(vx_node node, vx_reference *parameters)
{
	vx_reference ref = NULL;
	vx_uint32 count = 7;
	vx_context c = context;
	tried.wait = vxWaitGraph(tried.graph);
	tried.dequeue = vxGraphParameterDequeueDoneRef(tried.graph, 1, &ref, 1, &count);
	tried.process = vxProcessGraph(tried.graph);
	if (tried.schedules)
		tried.schedule = vxScheduleGraph(tried.graph);
	tried.verify = vxVerifyGraph(tried.graph);
	tried.stop = vxStopGraphStreaming(tried.graph);
	tried.context = vxReleaseContext(&c);
	return copy_in_queue(node, (vx_image)parameters[0], (vx_image)parameters[1]);
}

static void inside(void **state)
{
	(void)state;
	now_testing("inside");
	struct pipe p = pipe_copied(1, true);
	pipe_queues(&p, AUTO);
	RAN(vxVerifyGraph(p.graph));
	tried.graph = p.graph;
	tried.schedules = true;
	copier.inside = try_all;
	enqueue(p.graph, 0, p.in[0]);
	enqueue(p.graph, 1, p.out[0]);
	RAN(vxWaitGraph(p.graph));
	REFUSED(VX_FAILURE, tried.wait);
	REFUSED(VX_FAILURE, tried.dequeue);
	REFUSED(VX_FAILURE, tried.process);
	REFUSED(VX_FAILURE, tried.schedule);
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, tried.verify);
	REFUSED(VX_FAILURE, tried.stop);
	REFUSED(VX_FAILURE, tried.context);
	pipe_close(&p);
	/* without queues: in vxProcessGraph, and in the thread of vxScheduleGraph */
	tried.schedules = false;
	p = pipe_copied(1, true);
	tried.graph = p.graph;
	RAN(vxProcessGraph(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, tried.process);
	REFUSED(VX_FAILURE, tried.wait);
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, tried.verify);
	RAN(vxScheduleGraph(p.graph));
	RAN(vxWaitGraph(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, tried.process);
	REFUSED(VX_FAILURE, tried.wait);
	copier.inside = NULL;
	pipe_close(&p);
}

/* A kernel may wait for what another thread does with the same context. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool entered, goes_on;
} door = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static vx_status wait_at_door(vx_node node, vx_reference *parameters)
{
	pthread_mutex_lock(&door.lock);
	door.entered = true;
	pthread_cond_broadcast(&door.changed);
	while (!door.goes_on)
		pthread_cond_wait(&door.changed, &door.lock);
	pthread_mutex_unlock(&door.lock);
	return copy_in_queue(node, (vx_image)parameters[0], (vx_image)parameters[1]);
}

static vx_action VX_CALLBACK called_at_door(vx_node node)
{
	(void)node;
	pthread_mutex_lock(&door.lock);
	door.entered = true;
	pthread_cond_broadcast(&door.changed);
	while (!door.goes_on)
		pthread_cond_wait(&door.changed, &door.lock);
	pthread_mutex_unlock(&door.lock);
	return VX_ACTION_CONTINUE;
}

static void *process(void *arg)
{
	struct waiter *w = arg;
	w->status = vxProcessGraph(w->graph);
	return NULL;
}

/* What needs the context, from another thread than the one that is in a kernel of the graph. */
static void use_context(struct pipe *plain, const struct pipe *busy)
{
	uint8_t in[PIXELS], out[PIXELS];
	assert_int_equal(vxIsGraphVerified(busy->graph), vx_true_e);
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxVerifyGraph(busy->graph));
	random_frame(in);
	predict(plain, in, out);
	RAN(copy_frame(plain->in[0], in, VX_WRITE_ONLY));
	RAN(vxProcessGraph(plain->graph));
	expect_frame(plain->out[0], out);
}

static void await_door(void)
{
	pthread_mutex_lock(&door.lock);
	while (!door.entered)
		pthread_cond_wait(&door.changed, &door.lock);
	pthread_mutex_unlock(&door.lock);
}

static void open_door(void)
{
	pthread_mutex_lock(&door.lock);
	door.goes_on = true;
	pthread_cond_broadcast(&door.changed);
	pthread_mutex_unlock(&door.lock);
}

static void unlocked(void **state)
{
	(void)state;
	pthread_t thread;
	now_testing("kernels without the lock");
	struct pipe plain = pipe_make(1);
	RAN(vxVerifyGraph(plain.graph));
	for (int round = 0; round < 4; round++) {
		const bool queued = round & 1, callback = round & 2;
		struct pipe p = pipe_copied(1, true);
		struct waiter w = {.graph = p.graph, .status = VX_FAILURE};
		door.entered = door.goes_on = false;
		copier.inside = callback ? NULL : wait_at_door;
		if (callback)
			RAN(vxAssignNodeCallback(p.first, called_at_door));
		if (queued)
			pipe_queues(&p, AUTO);
		RAN(vxVerifyGraph(p.graph));
		if (queued) {
			enqueue(p.graph, 0, p.in[0]);
			enqueue(p.graph, 1, p.out[0]);
		} else {
			assert_int_equal(pthread_create(&thread, NULL, process, &w), 0);
		}
		await_door();
		use_context(&plain, &p);
		open_door();
		if (queued)
			RAN(vxWaitGraph(p.graph));
		else
			pthread_join(thread, NULL);
		REFUSED(queued ? VX_FAILURE : VX_SUCCESS, w.status);
		copier.inside = NULL;
		pipe_close(&p);
	}
	/* nor does who waits for the device have it */
	struct pipe p = pipe_copied(1, true);
	struct waiter w = {.graph = p.graph, .status = VX_FAILURE};
	RAN(vxVerifyGraph(p.graph));
	cl_event gate = shut_queue();
	assert_int_equal(pthread_create(&thread, NULL, process, &w), 0);
	copier_await(1);
	for (int i = 0; i < 300; i++) { /* sooner or later it is the other one's turn */
		vx_image image = new_image();
		RAN(vxReleaseImage(&image));
		sched_yield();
	}
	open_queue(gate);
	pthread_join(thread, NULL);
	RAN(w.status);
	pipe_close(&p);
	pipe_close(&plain);
}

/* A graph is scheduled while vxProcessGraph is at it, which waits for its own execution alone: the other one waits for it. */
static void *schedule(void *arg)
{
	struct waiter *w = arg;
	w->status = vxScheduleGraph(w->graph);
	return NULL;
}

static struct waiter scheduler;

static vx_status have_scheduled(vx_node node, vx_reference *parameters)
{
	pthread_t thread;
	if (scheduler.graph) {
		if (pthread_create(&thread, NULL, schedule, &scheduler))
			return VX_FAILURE;
		pthread_join(thread, NULL);
		scheduler.graph = NULL; /* once */
	}
	return copy_in_queue(node, (vx_image)parameters[0], (vx_image)parameters[1]);
}

static void scheduled_meanwhile(void **state)
{
	(void)state;
	vx_event_t event;
	now_testing("scheduled meanwhile");
	RAN(vxEnableEvents(context));
	for (vx_uint32 told = 0; told < 2; told++) {
		struct pipe p = pipe_copied(1, true);
		if (told)
			RAN(vxRegisterEvent((vx_reference)p.graph, VX_EVENT_GRAPH_COMPLETED, 0, 1));
		RAN(vxVerifyGraph(p.graph));
		scheduler = (struct waiter){.graph = p.graph, .status = VX_FAILURE};
		copier.inside = have_scheduled;
		copier.calls = 0;
		RAN(vxProcessGraph(p.graph));
		RAN(scheduler.status);
		RAN(vxWaitGraph(p.graph));
		assert_int_equal(copier_calls(), 2);
		copier.inside = NULL;
		for (vx_uint32 i = 0; i < 2 * told; i++) {
			RAN(vxWaitEvent(context, &event, vx_true_e));
			assert_int_equal(event.type, VX_EVENT_GRAPH_COMPLETED);
		}
		REFUSED(VX_FAILURE, vxWaitEvent(context, &event, vx_true_e));
		pipe_close(&p);
	}
	RAN(vxDisableEvents(context));
}

/* Threads of the library's take no signals that are for the application, but a function of the application's may fault there, and
 * have a handler for that. */
static sigset_t blocked;

static vx_status look_at_signals(vx_node node, vx_reference *parameters)
{
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	return copy_in_queue(node, (vx_image)parameters[0], (vx_image)parameters[1]);
}

static void signals(void **state)
{
	(void)state;
	static const int of_application[] = {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1}, of_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	now_testing("signals");
	struct pipe p = pipe_copied(1, true);
	RAN(vxVerifyGraph(p.graph));
	copier.inside = look_at_signals;
	RAN(vxScheduleGraph(p.graph));
	RAN(vxWaitGraph(p.graph));
	copier.inside = NULL;
	for (size_t i = 0; i < COUNT(of_application); i++)
		assert_int_equal(sigismember(&blocked, of_application[i]), 1);
	for (size_t i = 0; i < COUNT(of_faults); i++)
		assert_int_equal(sigismember(&blocked, of_faults[i]), 0);
	pipe_close(&p);
}

/* ---- threads ---- */
enum { THREAD_FRAMES = 120 };
struct worker {
	struct pipe p;
	pthread_t producer, consumer;
	uint8_t first[THREAD_FRAMES];
	vx_status produced, consumed;
	int wrong;
};

static void *produce(void *arg)
{
	struct worker *w = arg;
	uint8_t bytes[PIXELS];
	vx_status status = VX_SUCCESS;
	for (int i = 0; i < THREAD_FRAMES && !status; i++) {
		vx_reference ref = i < (int)w->p.count ? (vx_reference)w->p.in[i] : NULL;
		vx_uint32 count = 1;
		if (!ref)
			status = vxGraphParameterDequeueDoneRef(w->p.graph, 0, &ref, 1, &count);
		memset(bytes, w->first[i], sizeof bytes);
		if (!status)
			status = copy_frame((vx_image)ref, bytes, VX_WRITE_ONLY);
		if (!status)
			status = vxGraphParameterEnqueueReadyRef(w->p.graph, 0, &ref, 1);
	}
	w->produced = status;
	return NULL;
}

static void *consume(void *arg)
{
	struct worker *w = arg;
	uint8_t bytes[PIXELS];
	vx_status status = VX_SUCCESS;
	for (int i = 0; i < THREAD_FRAMES && !status; i++) {
		vx_reference ref = NULL;
		vx_uint32 count = 0;
		status = vxGraphParameterDequeueDoneRef(w->p.graph, 1, &ref, 1, &count);
		if (!status)
			status = copy_frame((vx_image)ref, bytes, VX_READ_ONLY);
		for (int k = 0; !status && k < PIXELS; k++)
			w->wrong += bytes[k] != (uint8_t)(~w->first[i] ^ w->p.key_pixels[k]);
		if (!status)
			status = vxGraphParameterEnqueueReadyRef(w->p.graph, 1, &ref, 1);
	}
	w->consumed = status;
	return NULL;
}

/* Producers and consumers of three graphs, and a thread that processes a fourth one. */
static void threads(void **state)
{
	(void)state;
	enum { WORKERS = 3 };
	static struct worker workers[WORKERS];
	uint8_t in[PIXELS], out[PIXELS];
	now_testing("threads");
	struct pipe plain = pipe_make(1);
	RAN(vxVerifyGraph(plain.graph));
	for (int i = 0; i < WORKERS; i++) {
		struct worker *w = &workers[i];
		*w = (struct worker){.p = pipe_open(1 + random_below(4), AUTO)};
		random_frame(w->first);
		for (int k = PIXELS; k < THREAD_FRAMES; k++)
			w->first[k] = (uint8_t)k;
		for (vx_uint32 k = 0; k < w->p.count; k++)
			enqueue(w->p.graph, 1, w->p.out[k]);
		assert_int_equal(pthread_create(&w->producer, NULL, produce, w), 0);
		assert_int_equal(pthread_create(&w->consumer, NULL, consume, w), 0);
	}
	for (int i = 0; i < 20; i++) {
		random_frame(in);
		predict(&plain, in, out);
		RAN(copy_frame(plain.in[0], in, VX_WRITE_ONLY));
		RAN(vxProcessGraph(plain.graph));
		expect_frame(plain.out[0], out);
	}
	for (int i = 0; i < WORKERS; i++) {
		struct worker *w = &workers[i];
		pthread_join(w->producer, NULL);
		pthread_join(w->consumer, NULL);
		RAN(w->produced);
		RAN(w->consumed);
		assert_int_equal(w->wrong, 0);
		RAN(vxWaitGraph(w->p.graph));
		pipe_close(&w->p);
	}
	pipe_close(&plain);
}

/* ---- the end of what is under way ---- */
static void *wait_done(void *arg)
{
	struct waiter *w = arg;
	vx_reference ref = NULL;
	vx_uint32 count = 0;
	w->status = vxGraphParameterDequeueDoneRef(w->graph, 1, &ref, 1, &count);
	return NULL;
}

/* Graphs and objects can be released while executions are in flight; who waits for them is told. */
static void released(void **state)
{
	(void)state;
	uint8_t bytes[PIXELS] = {0};
	vx_uint32 before = 0, after = 0;
	pthread_t thread;
	now_testing("released in flight");
	RAN(vxQueryContext(context, VX_CONTEXT_REFERENCES, &before, sizeof before));
	for (int round = 0; round < 4; round++) {
		struct pipe p = pipe_copied(3, true);
		pipe_queues(&p, AUTO);
		RAN(vxVerifyGraph(p.graph));
		cl_event gate = shut_queue();
		for (int i = 0; i < 2; i++) {
			enqueue(p.graph, 0, p.in[i]);
			enqueue(p.graph, 1, p.out[i]);
		}
		enqueue(p.graph, 0, p.in[2]); /* which is for no execution */
		copier_await(1); /* which holds the graph until the queue is open */
		struct waiter w = {.graph = p.graph};
		assert_int_equal(pthread_create(&thread, NULL, wait_done, &w), 0);
		RAN(vxReleaseNode(&p.first));
		RAN(vxReleaseNode(&p.second));
		RAN(vxReleaseGraph(&p.graph));
		REFUSED(VX_ERROR_GRAPH_SCHEDULED, copy_frame(p.out[0], bytes, VX_WRITE_ONLY));
		RAN(copy_frame(p.in[2], bytes, VX_WRITE_ONLY));
		pipe_release_images(&p);
		pthread_join(thread, NULL);
		REFUSED(VX_FAILURE, w.status);
		open_queue(gate);
		copier_await(2); /* both executions: the next graph counts anew */
		RAN(vxQueryContext(context, VX_CONTEXT_REFERENCES, &after, sizeof after));
		assert_int_equal(after, before);
	}
}

static void *release_context(void *arg)
{
	*(vx_status *)arg = vxReleaseContext(&context);
	return NULL;
}

/* A context ends when what is under way in it has; also with graphs of which nothing has been dequeued. */
static void ended(void **state)
{
	(void)state;
	static const vx_enum queueing[] = {AUTO, MANUAL, NORMAL};
	now_testing("end of a context");
	for (size_t m = 0; m < COUNT(queueing); m++) {
		vx_context kept = context;
		cl_context kept_cl = cl;
		cl_command_queue kept_queue = queue;
		vx_kernel kept_kernel = copier_kernel;
		pthread_t thread;
		vx_status status = VX_FAILURE;
		assert_int_equal(open_with_copier(state), 0);
		struct pipe p = pipe_copied(2, true), idle = pipe_make(2);
		if (queueing[m] != NORMAL)
			pipe_queues(&p, queueing[m]);
		RAN(vxVerifyGraph(p.graph));
		cl_event gate = shut_queue();
		for (int i = 0; i < 2 && queueing[m] != NORMAL; i++) {
			enqueue(p.graph, 0, p.in[i]);
			enqueue(p.graph, 1, p.out[i]);
		}
		if (queueing[m] != AUTO)
			RAN(vxScheduleGraph(p.graph));
		copier_await(1);
		assert_int_equal(pthread_create(&thread, NULL, release_context, &status), 0);
		open_queue(gate);
		pthread_join(thread, NULL);
		RAN(status);
		assert_null(context);
		(void)idle;
		context = kept;
		cl = kept_cl;
		queue = kept_queue;
		copier_kernel = kept_kernel;
	}
}

int main(int argc, char **argv)
{
	build_tree_loader();
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failures), cmocka_unit_test(inside), cmocka_unit_test(unlocked),
		cmocka_unit_test(scheduled_meanwhile), cmocka_unit_test(signals),
		cmocka_unit_test(threads), cmocka_unit_test(released), cmocka_unit_test(ended),
	};
	return cmocka_run_group_tests(tests, open_with_copier, close_context);
}
