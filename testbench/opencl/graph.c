/* Out-of-order queues: independent commands run side by side in device time, nothing is held up by what it does not
 * depend on, and graphs of very many events take neither recursion nor quadratic time. */
#include "testbench/opencl/cl_test.h"

enum { DEEP = 100000 };

static cl_command_queue unordered(cl_context c)
{
	cl_int code;
	cl_command_queue q = clCreateCommandQueue(c, cl.device, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
	CL_OK(code);
	return q;
}

static cl_ulong stamp(cl_event e, cl_profiling_info which)
{
	cl_ulong t = 0;
	CL_OK(clGetEventProfilingInfo(e, which, sizeof t, &t, NULL));
	return t;
}

static bool overlap(cl_event a, cl_event b)
{
	return stamp(a, CL_PROFILING_COMMAND_START) < stamp(b, CL_PROFILING_COMMAND_END) &&
	       stamp(b, CL_PROFILING_COMMAND_START) < stamp(a, CL_PROFILING_COMMAND_END);
}

static void release(cl_event *events, size_t n)
{
	while (n)
		CL_OK(clReleaseEvent(events[--n]));
}

/* The stamps are device cycles: they say what ran when, whatever the host's speed. */
static void independent_commands_overlap(void **state)
{
	(void)state;
	cl_int code;
	cl_uint out[4] = {0};
	size_t one = 1;
	cl_event e[4], chain[2];
	cl_kernel k = kernel_build(cl.context, "kernel void spin(global uint *p, uint at) {\n"
				"	uint v = at; for (uint i = 0; i < 40000; i++) v = v * 1664525u + 1013904223u;\n"
				"	p[at] = v; }\n", "spin");
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, sizeof out, out, &code);
	CL_OK(code);
	cl_command_queue q = unordered(cl.context);
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	for (cl_uint i = 0; i < 4; i++) {
		CL_OK(clSetKernelArg(k, 1, sizeof i, &i));
		CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 0, NULL, &e[i]));
	}
	CL_OK(clFinish(q));
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			assert_true(overlap(e[i], e[j]));
	CL_OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
	for (cl_uint i = 0; i < 4; i++) {
		cl_uint v = i;
		for (int n = 0; n < 40000; n++)
			v = v * 1664525u + 1013904223u;
		assert_int_equal(out[i], v);
	}
	release(e, 4);
	/* dependent ones do not */
	CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 0, NULL, &chain[0]));
	CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 1, &chain[0], &chain[1]));
	CL_OK(clFinish(q));
	assert_true(stamp(chain[1], CL_PROFILING_COMMAND_START) >= stamp(chain[0], CL_PROFILING_COMMAND_END));
	release(chain, 2);
	/* nor those of an in-order queue */
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &one, &one, 0, NULL, &chain[0]));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &one, &one, 0, NULL, &chain[1]));
	CL_OK(clFinish(cl.queue));
	assert_true(stamp(chain[1], CL_PROFILING_COMMAND_START) >= stamp(chain[0], CL_PROFILING_COMMAND_END));
	release(chain, 2);
	CL_OK(clReleaseCommandQueue(q));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseMemObject(m));
}

/* Barriers and markers keep their order with what may overlap. */
static void barriers_part_what_overlaps(void **state)
{
	(void)state;
	cl_int code;
	size_t one = 1;
	cl_event before[6], after[6], marker, barrier;
	cl_kernel k = kernel_build(cl.context, "kernel void spin(global uint *p) { uint v = 1; for (uint i = 0; i < 500; i++) v *= 77u; *p = v; }\n", "spin");
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 4, NULL, &code);
	CL_OK(code);
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	cl_command_queue q = unordered(cl.context);
	for (int i = 0; i < 6; i++)
		CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 0, NULL, &before[i]));
	CL_OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
	CL_OK(clEnqueueBarrierWithWaitList(q, 0, NULL, &barrier));
	for (int i = 0; i < 6; i++)
		CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 0, NULL, &after[i]));
	CL_OK(clFinish(q));
	for (int i = 0; i < 6; i++) {
		assert_true(stamp(before[i], CL_PROFILING_COMMAND_END) <= stamp(marker, CL_PROFILING_COMMAND_END));
		assert_true(stamp(before[i], CL_PROFILING_COMMAND_END) <= stamp(barrier, CL_PROFILING_COMMAND_END));
		assert_true(stamp(after[i], CL_PROFILING_COMMAND_START) >= stamp(barrier, CL_PROFILING_COMMAND_END));
	}
	release(before, 6);
	release(after, 6);
	release(&marker, 1);
	release(&barrier, 1);
	/* one with a list lets what is before it run on, and holds up what comes */
	cl_event user = clCreateUserEvent(cl.context, &code);
	CL_OK(code);
	CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 0, NULL, &before[0]));
	CL_OK(clEnqueueBarrierWithWaitList(q, 1, &user, &barrier));
	CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, &one, 0, NULL, &after[0]));
	CL_OK(clWaitForEvents(1, before));
	cl_int status = 0;
	CL_OK(clGetEventInfo(after[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_true(status > CL_COMPLETE);
	CL_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, after));
	release(before, 1);
	release(after, 1);
	release(&barrier, 1);
	release(&user, 1);
	CL_OK(clReleaseCommandQueue(q));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseMemObject(m));
}

/* Random graphs with user events: whatever does not depend on one that is not set can be waited for. */
static void nothing_is_held_up(void **state)
{
	(void)state;
	enum { USERS = 12, NODES = 400 };
	uint64_t seed = cl_test_seed();
	for (int round = 0; round < 4; round++) {
		cl_int code;
		cl_event users[USERS], node[NODES];
		uint32_t needs[NODES]; /* user events that it depends on */
		cl_command_queue q = unordered(cl.context), other = unordered(cl.context);
		uint32_t passed = 0, set = 0; /* barriers: user events that everything waits for */
		for (int u = 0; u < USERS; u++) {
			users[u] = clCreateUserEvent(cl.context, &code);
			CL_OK(code);
		}
		for (int n = 0; n < NODES; n++) {
			cl_event list[4];
			cl_uint count = 0;
			bool foreign = splitmix64(&seed) % 8 == 0, barrier = !foreign && splitmix64(&seed) % 100 == 0;
			needs[n] = foreign ? 0 : passed;
			for (int w = (int)(splitmix64(&seed) % 4); w; w--) {
				int on = (int)(splitmix64(&seed) % (n ? n : 1));
				if (n && splitmix64(&seed) % 8) {
					list[count++] = node[on];
					needs[n] |= needs[on];
				} else {
					int u = (int)(splitmix64(&seed) % USERS);
					list[count++] = users[u];
					needs[n] |= 1u << u;
				}
			}
			if (barrier && !count)
				barrier = false;
			if (barrier)
				CL_OK(clEnqueueBarrierWithWaitList(q, count, list, &node[n]));
			else if (count)
				CL_OK(clEnqueueMarkerWithWaitList(foreign ? other : q, count, list, &node[n]));
			else
				CL_OK(clEnqueueMigrateMemObjects(foreign ? other : q, 1, (const cl_mem *)*state, 0, 0, NULL, &node[n]));
			if (barrier)
				passed |= needs[n];
		}
		for (int u = 0; u <= USERS; u++) {
			/* all that can have ended is waited for, and nothing else has */
			for (int n = 0; n < NODES; n++) {
				cl_int status = 99;
				if (!(needs[n] & ~set)) {
					CL_OK(clWaitForEvents(1, &node[n]));
					continue;
				}
				if (n % 16)
					continue;
				CL_OK(clGetEventInfo(node[n], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
				assert_true(status > CL_COMPLETE);
			}
			if (u < USERS) {
				CL_OK(clSetUserEventStatus(users[u], CL_COMPLETE));
				set |= 1u << u;
			}
		}
		release(node, NODES);
		release(users, USERS);
		CL_OK(clReleaseCommandQueue(q));
		CL_OK(clReleaseCommandQueue(other));
	}
}

static int memory_setup(void **state)
{
	cl_int code;
	cl_mem *m = malloc(sizeof *m);
	*m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 64, NULL, &code);
	*state = m;
	return code;
}

static int memory_teardown(void **state)
{
	cl_mem *m = *state;
	cl_int code = clReleaseMemObject(*m);
	free(m);
	return code;
}

/* How node n of a graph of DEEP depends on earlier ones. */
enum shape { CHAIN, FAN_OUT, TREE, LADDER, RANDOM, SHAPES };

static cl_uint dependencies(enum shape shape, size_t n, uint64_t *seed, size_t out[2])
{
	switch (shape) {
	case CHAIN: out[0] = n - 1; return 1;
	case FAN_OUT: out[0] = 0; return 1;
	case TREE: out[0] = (n - 1) / 2; return 1;
	case LADDER: out[0] = n - 1; out[1] = n > 2 ? n - 2 : 0; return 2;
	default:
		out[0] = splitmix64(seed) % n;
		out[1] = splitmix64(seed) % n;
		return 2;
	}
}

static void deep_graphs(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	cl_event *node = malloc(DEEP * sizeof *node);
	assert_non_null(node);
	for (int shape = 0; shape < SHAPES; shape++) {
		cl_int code;
		/* two queues: one unordered, and an in-order one that every tenth node goes to */
		cl_command_queue q = unordered(cl.context);
		node[0] = clCreateUserEvent(cl.context, &code);
		CL_OK(code);
		for (size_t n = 1; n < DEEP; n++) {
			size_t on[2];
			cl_event list[2];
			cl_uint count = dependencies(shape, n, &seed, on);
			for (cl_uint i = 0; i < count; i++)
				list[i] = node[on[i]];
			CL_OK(clEnqueueMarkerWithWaitList(n % 10 ? q : cl.queue, count, list, &node[n]));
		}
		CL_OK(clSetUserEventStatus(node[0], CL_COMPLETE));
		CL_OK(clFinish(q));
		CL_OK(clFinish(cl.queue));
		for (size_t n = 0; n < DEEP; n += 997) {
			cl_int status = 99;
			CL_OK(clGetEventInfo(node[n], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
			assert_int_equal(status, CL_COMPLETE);
		}
		release(node, DEEP);
		CL_OK(clReleaseCommandQueue(q));
	}
	free(node);
}

/* One command that waits for very many, and a failure that goes through a long chain. */
static void wide_and_failing(void **state)
{
	(void)state;
	enum { WIDE = 20000 };
	cl_int code, status = 99;
	cl_event *node = malloc((WIDE + 1) * sizeof *node), last;
	assert_non_null(node);
	cl_command_queue q = unordered(cl.context);
	cl_event user = clCreateUserEvent(cl.context, &code);
	CL_OK(code);
	for (size_t n = 0; n < WIDE; n++)
		CL_OK(clEnqueueMarkerWithWaitList(q, 1, &user, &node[n]));
	CL_OK(clEnqueueMarkerWithWaitList(q, WIDE, node, &last));
	CL_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &last));
	release(node, WIDE);
	release(&user, 1);
	release(&last, 1);
	user = clCreateUserEvent(cl.context, &code);
	CL_OK(code);
	node[0] = user;
	for (size_t n = 1; n <= WIDE; n++)
		CL_OK(clEnqueueMarkerWithWaitList(q, 1, &node[n - 1], &node[n]));
	CL_OK(clSetUserEventStatus(user, -5));
	CL_FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &node[WIDE]));
	CL_OK(clGetEventInfo(node[WIDE], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_true(status < 0);
	release(node, WIDE + 1);
	CL_OK(clReleaseCommandQueue(q));
	free(node);
}

int main(int argc, char **argv)
{
	cl_test_init(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(independent_commands_overlap),
		cmocka_unit_test(barriers_part_what_overlaps),
		cmocka_unit_test_setup_teardown(nothing_is_held_up, memory_setup, memory_teardown),
		cmocka_unit_test(deep_graphs),
		cmocka_unit_test(wide_and_failing),
	};
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
