/* Queues: properties, order, overtaking, markers, barriers, flushing. */
#include "testbench/opencl/cl_test.h"
#include <stdatomic.h>

static void create_error(cl_int expected, cl_command_queue_properties p)
{
	cl_int code = 1;
	assert_null(clCreateCommandQueue(cl.context, cl.device, p, &code));
	assert_int_equal(code, expected);
}

static void create_list_error(cl_int expected, const cl_queue_properties *p)
{
	cl_int code = 1;
	assert_null(clCreateCommandQueueWithProperties(cl.context, cl.device, p, &code));
	assert_int_equal(code, expected);
}

static void create_errors(void **state)
{
	(void)state;
	create_error(CL_INVALID_VALUE, 1 << 20);
	create_error(CL_INVALID_VALUE, CL_QUEUE_ON_DEVICE);
	create_error(CL_INVALID_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	create_list_error(CL_INVALID_VALUE, (const cl_queue_properties[]){0x1234, 1, 0});
	create_list_error(CL_INVALID_VALUE, (const cl_queue_properties[]){CL_QUEUE_PROPERTIES, 1 << 20, 0});
	create_list_error(CL_INVALID_VALUE, (const cl_queue_properties[]){CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0});
	create_list_error(CL_INVALID_VALUE, (const cl_queue_properties[]){CL_QUEUE_SIZE, 100, 0});
	cl_int code;
	assert_null(clCreateCommandQueue(cl.context, NULL, 0, &code));
	assert_int_equal(code, CL_INVALID_DEVICE);
	if (cl.num_devices > 1) {
		assert_null(clCreateCommandQueue(cl.context, cl.devices[1], 0, &code));
		assert_int_equal(code, CL_INVALID_DEVICE);
	}
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clFinish(NULL));
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(NULL));
}

static void queries(void **state)
{
	(void)state;
	cl_int code;
	const cl_queue_properties p[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	cl_command_queue q = clCreateCommandQueueWithProperties(cl.context, cl.device, p, &code);
	assert_int_equal(code, CL_SUCCESS);
	cl_context context;
	cl_device_id device;
	cl_uint refs;
	cl_command_queue_properties properties;
	cl_queue_properties list[8];
	size_t size;
	CL_OK(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
	assert_ptr_equal(context, cl.context);
	CL_OK(clGetCommandQueueInfo(q, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
	assert_ptr_equal(device, cl.device);
	CL_OK(clRetainCommandQueue(q));
	CL_OK(clGetCommandQueueInfo(q, CL_QUEUE_REFERENCE_COUNT, sizeof refs, &refs, NULL));
	assert_int_equal(refs, 2);
	CL_OK(clReleaseCommandQueue(q));
	CL_OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
	assert_int_equal(properties, CL_QUEUE_PROFILING_ENABLE);
	CL_OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &size));
	assert_int_equal(size, sizeof p);
	assert_memory_equal(list, p, size);
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(q, CL_QUEUE_SIZE, sizeof refs, &refs, NULL));
	CL_FAILS(CL_INVALID_VALUE, clGetCommandQueueInfo(q, 0x1234, sizeof refs, &refs, NULL));
	CL_OK(clReleaseCommandQueue(q));
}

static cl_event user_event(void)
{
	cl_int code;
	cl_event e = clCreateUserEvent(cl.context, &code);
	assert_int_equal(code, CL_SUCCESS);
	return e;
}

static cl_int status(cl_event e)
{
	cl_int s = 99;
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, NULL));
	return s;
}

static cl_mem numbers(void)
{
	cl_int code;
	static const int zero[64];
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, sizeof zero, (void *)(uintptr_t)zero, &code);
	assert_int_equal(code, CL_SUCCESS);
	return m;
}

static cl_event store(cl_command_queue q, cl_mem m, int at, int v, cl_uint n, const cl_event *wait)
{
	cl_event e;
	CL_OK(clEnqueueFillBuffer(q, m, &v, 4, (size_t)at * 4, 4, n, wait, &e));
	return e;
}

static int load(cl_command_queue q, cl_mem m, int at)
{
	int v = -1;
	CL_OK(clEnqueueReadBuffer(q, m, CL_TRUE, (size_t)at * 4, 4, &v, 0, NULL, NULL));
	return v;
}

/* An in-order queue stands still behind a user event; another queue does not. */
static void in_order(void **state)
{
	(void)state;
	cl_mem m = numbers();
	cl_event u = user_event(), a = store(cl.queue, m, 0, 1, 1, &u), b = store(cl.queue, m, 0, 2, 0, NULL);
	CL_OK(clFlush(cl.queue));
	assert_true(status(b) > CL_RUNNING);
	assert_int_equal(load(cl.unordered, m, 0), 0);
	CL_OK(clSetUserEventStatus(u, CL_COMPLETE));
	assert_int_equal(load(cl.queue, m, 0), 2);
	assert_int_equal(status(a), CL_COMPLETE);
	CL_OK(clReleaseEvent(u));
	CL_OK(clReleaseEvent(a));
	CL_OK(clReleaseEvent(b));
	CL_OK(clReleaseMemObject(m));
}

/* In an out-of-order queue, what does not depend on the user event overtakes what does. */
static void overtaking(void **state)
{
	(void)state;
	enum { BLOCKED = 40 };
	cl_mem m = numbers();
	cl_event u[BLOCKED], b[BLOCKED], tail[BLOCKED];
	for (int i = 0; i < BLOCKED; i++) {
		u[i] = user_event();
		b[i] = store(cl.unordered, m, i, 100 + i, 1, &u[i]);
		tail[i] = store(cl.unordered, m, i, 200 + i, 1, &b[i]);
		cl_event free_ = store(cl.unordered, m, 63, i, 0, NULL);
		CL_OK(clWaitForEvents(1, &free_));
		assert_int_equal(status(free_), CL_COMPLETE);
		CL_OK(clReleaseEvent(free_));
		assert_int_equal(load(cl.unordered, m, 63), i);
	}
	/* set in the reverse order: each lets its own two run and no others */
	for (int i = BLOCKED - 1; i >= 0; i--) {
		for (int k = 0; k < BLOCKED; k += 13)
			assert_int_equal(status(tail[k]) == CL_COMPLETE, k > i);
		CL_OK(clSetUserEventStatus(u[i], CL_COMPLETE));
		CL_OK(clWaitForEvents(1, &tail[i]));
		assert_int_equal(load(cl.unordered, m, i), 200 + i);
	}
	CL_OK(clFinish(cl.unordered));
	for (int i = 0; i < BLOCKED; i++) {
		CL_OK(clReleaseEvent(u[i]));
		CL_OK(clReleaseEvent(b[i]));
		CL_OK(clReleaseEvent(tail[i]));
	}
	CL_OK(clReleaseMemObject(m));
}

/* Diamonds: one that waits for several, of several streams. */
static void diamonds(void **state)
{
	(void)state;
	cl_mem m = numbers();
	for (int round = 0; round < 20; round++) {
		cl_event u = user_event(), left = store(cl.unordered, m, 0, round, 1, &u), right = store(cl.unordered, m, 1, round, 1, &u);
		cl_event free_ = store(cl.unordered, m, 2, round, 0, NULL);
		cl_event all[3] = {left, right, free_}, bottom, low;
		CL_OK(clEnqueueCopyBuffer(cl.unordered, m, m, 0, 40, 12, 3, all, &bottom));
		int out[3] = {-1, -1, -1};
		CL_OK(clEnqueueReadBuffer(cl.unordered, m, CL_FALSE, 40, 12, out, 1, &bottom, &low));
		CL_OK(clFlush(cl.unordered));
		assert_true(status(bottom) > CL_RUNNING);
		CL_OK(clWaitForEvents(1, &free_));
		assert_true(status(bottom) > CL_RUNNING);
		CL_OK(clSetUserEventStatus(u, CL_COMPLETE));
		CL_OK(clWaitForEvents(1, &low));
		for (int i = 0; i < 3; i++)
			assert_int_equal(out[i], round);
		const cl_event used[] = {u, left, right, free_, bottom, low};
		for (int i = 0; i < 6; i++)
			CL_OK(clReleaseEvent(used[i]));
	}
	CL_OK(clReleaseMemObject(m));
}

static void markers(void **state)
{
	(void)state;
	cl_mem m = numbers();
	cl_event u = user_event(), a = store(cl.unordered, m, 0, 1, 1, &u), marker, listed;
	/* without a list: waits for all before it, and holds up nothing after it */
	CL_OK(clEnqueueMarkerWithWaitList(cl.unordered, 0, NULL, &marker));
	cl_event b = store(cl.unordered, m, 1, 2, 0, NULL);
	CL_OK(clEnqueueMarkerWithWaitList(cl.unordered, 1, &b, &listed));
	CL_OK(clWaitForEvents(1, &listed));
	assert_int_equal(status(b), CL_COMPLETE);
	assert_true(status(marker) > CL_RUNNING);
	CL_OK(clSetUserEventStatus(u, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &marker));
	assert_int_equal(status(a), CL_COMPLETE);
	/* the deprecated form */
	cl_event old;
	CL_OK(clEnqueueMarker(cl.unordered, &old));
	CL_OK(clWaitForEvents(1, &old));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueMarker(cl.unordered, NULL));
	const cl_event used[] = {u, a, b, marker, listed, old};
	for (int i = 0; i < 6; i++)
		CL_OK(clReleaseEvent(used[i]));
	CL_OK(clReleaseMemObject(m));
}

static void barriers(void **state)
{
	(void)state;
	cl_mem m = numbers();
	/* without a list: what comes after waits for all before */
	cl_event u = user_event(), a = store(cl.unordered, m, 0, 1, 1, &u), barrier;
	CL_OK(clEnqueueBarrierWithWaitList(cl.unordered, 0, NULL, &barrier));
	cl_event b = store(cl.unordered, m, 0, 2, 0, NULL), c = store(cl.unordered, m, 1, 3, 1, &b);
	CL_OK(clFlush(cl.unordered));
	assert_true(status(barrier) > CL_RUNNING);
	assert_true(status(b) > CL_RUNNING);
	CL_OK(clSetUserEventStatus(u, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &c));
	assert_int_equal(status(a), CL_COMPLETE);
	assert_int_equal(load(cl.unordered, m, 0), 2);

	/* with a list: what comes after waits for the list, not for the rest before */
	cl_event u2 = user_event(), u3 = user_event(), slow = store(cl.unordered, m, 2, 5, 1, &u2), with;
	CL_OK(clEnqueueBarrierWithWaitList(cl.unordered, 1, &u3, &with));
	cl_event d = store(cl.unordered, m, 3, 6, 0, NULL), e = store(cl.unordered, m, 4, 7, 1, &slow);
	CL_OK(clFlush(cl.unordered));
	assert_true(status(d) > CL_RUNNING);
	CL_OK(clSetUserEventStatus(u3, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &d));
	assert_true(status(slow) > CL_RUNNING);
	assert_true(status(e) > CL_RUNNING);
	CL_OK(clSetUserEventStatus(u2, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &e));
	assert_int_equal(load(cl.unordered, m, 4), 7);

	/* one barrier after the other; a failed list fails the barrier, not what comes after it */
	cl_event u4 = user_event(), bad, f;
	CL_OK(clEnqueueBarrierWithWaitList(cl.unordered, 1, &u4, &bad));
	CL_OK(clEnqueueBarrier(cl.unordered));
	f = store(cl.unordered, m, 5, 8, 0, NULL);
	CL_OK(clFlush(cl.unordered));
	assert_true(status(f) > CL_RUNNING);
	CL_OK(clSetUserEventStatus(u4, -3));
	CL_OK(clWaitForEvents(1, &f));
	assert_int_equal(status(bad), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CL_OK(clFinish(cl.unordered));
	const cl_event used[] = {u, a, barrier, b, c, u2, u3, slow, with, d, e, u4, bad, f};
	for (size_t i = 0; i < sizeof used / sizeof *used; i++)
		CL_OK(clReleaseEvent(used[i]));
	CL_OK(clReleaseMemObject(m));
}

/* Random graphs in an out-of-order queue: no command before its dependencies, everything ends. */
static void random_graphs(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	enum { COMMANDS = 300, USERS = 6 };
	for (int round = 0; round < 8; round++) {
		cl_event u[USERS], e[COMMANDS];
		cl_mem m = numbers();
		bool waits[COMMANDS][COMMANDS] = {{false}};
		int barrier = -1; /* the last one */
		for (int i = 0; i < USERS; i++)
			u[i] = user_event();
		for (int i = 0; i < COMMANDS; i++) {
			cl_event list[4];
			cl_uint n = 0;
			unsigned kind = splitmix64(&seed) % 16;
			for (unsigned k = splitmix64(&seed) % 4; kind > 1 && i && k; k--) {
				int d = (int)(splitmix64(&seed) % (uint64_t)i);
				list[n++] = e[d];
				waits[i][d] = true;
			}
			if (kind > 1 && splitmix64(&seed) % 10 == 0)
				list[n++] = u[splitmix64(&seed) % USERS];
			if (kind == 0)
				CL_OK(clEnqueueBarrierWithWaitList(cl.unordered, 0, NULL, &e[i]));
			else if (kind == 1)
				CL_OK(clEnqueueMarkerWithWaitList(cl.unordered, 0, NULL, &e[i]));
			else
				e[i] = store(cl.unordered, m, i % 64, i, n, n ? list : NULL);
			for (int d = 0; d < i; d++)
				if (kind <= 1 || (barrier >= 0 && d <= barrier))
					waits[i][d] = true;
			if (kind == 0)
				barrier = i;
		}
		CL_OK(clFlush(cl.unordered));
		for (int i = USERS - 1; i >= 0; i--)
			CL_OK(clSetUserEventStatus(u[i], CL_COMPLETE));
		CL_OK(clFinish(cl.unordered));
		cl_ulong start[COMMANDS], end[COMMANDS];
		for (int i = 0; i < COMMANDS; i++) {
			assert_int_equal(status(e[i]), CL_COMPLETE);
			CL_OK(clGetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_START, sizeof start[i], &start[i], NULL));
			CL_OK(clGetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_END, sizeof end[i], &end[i], NULL));
			for (int d = 0; d < i; d++)
				if (waits[i][d])
					assert_true(start[i] >= end[d]);
		}
		for (int i = 0; i < COMMANDS; i++)
			CL_OK(clReleaseEvent(e[i]));
		for (int i = 0; i < USERS; i++)
			CL_OK(clReleaseEvent(u[i]));
		CL_OK(clReleaseMemObject(m));
	}
}

static void migration(void **state)
{
	(void)state;
	cl_mem m = numbers(), foreign;
	cl_int code;
	foreign = clCreateBuffer(cl.all, 0, 16, NULL, &code);
	cl_event e;
	CL_OK(clEnqueueMigrateMemObjects(cl.queue, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &e));
	CL_OK(clWaitForEvents(1, &e));
	cl_command_type type;
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, CL_COMMAND_MIGRATE_MEM_OBJECTS);
	CL_FAILS(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(cl.queue, 0, NULL, 0, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(cl.queue, 1, &m, 8, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_CONTEXT, clEnqueueMigrateMemObjects(cl.queue, 1, &foreign, 0, 0, NULL, NULL));
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseMemObject(foreign));
}

/* Nobody waits: commands go on being taken, and ended ones are seen on the way. */
static void endless(void **state)
{
	(void)state;
	enum { N = 50000 };
	cl_int code;
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 64, NULL, &code);
	CL_OK(code);
	for (int i = 0; i < N; i++)
		CL_OK(clEnqueueFillBuffer(cl.queue, m, &(cl_uchar){(cl_uchar)i}, 1, 0, 64, 0, NULL, NULL));
	cl_uchar last = 0;
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 63, 1, &last, 0, NULL, NULL));
	assert_int_equal(last, (cl_uchar)(N - 1));
	CL_OK(clReleaseMemObject(m));
}

static void CL_CALLBACK note(cl_event e, cl_int status, void *flag)
{
	(void)e;
	(void)status;
	*(atomic_bool *)flag = true;
}

/* Nobody waits, and host memory is released while commands use it: what commands need beside it is still found. */
static void endless_releases(void **state)
{
	(void)state;
	enum { N = 100, HELD = 300 << 20, PIECE = 60 << 10 };
	static cl_uchar from[PIECE], to[PIECE];
	cl_int code;
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, PIECE, NULL, &code);
	CL_OK(code);
	cl_mem held = clCreateBuffer(cl.context, CL_MEM_ALLOC_HOST_PTR, HELD, NULL, &code);
	CL_OK(code);
	cl_event filled;
	atomic_bool ended = false;
	CL_OK(clEnqueueFillBuffer(cl.queue, held, &(cl_uchar){1}, 1, 0, 64, 0, NULL, &filled));
	CL_OK(clSetEventCallback(filled, CL_COMPLETE, note, &ended));
	CL_OK(clReleaseMemObject(held));
	CL_OK(clFlush(cl.queue));
	while (!ended) /* its memory is given back with the next look at what has ended */
		usleep(1000);
	CL_OK(clReleaseEvent(filled));
	memset(from, 7, sizeof from);
	for (int i = 0; i < N; i++) {
		CL_OK(clEnqueueWriteBuffer(cl.queue, m, CL_FALSE, 0, PIECE, from, 0, NULL, NULL));
		CL_OK(clFlush(cl.queue));
	}
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, PIECE, to, 0, NULL, NULL));
	assert_memory_equal(to, from, PIECE);
	CL_OK(clReleaseMemObject(m));
}

/* All of the device's memory is held by buffers that are released and wait for their commands: a kernel that needs more private
 * memory than any before it gets theirs. */
static void private_memory_when_full(void **state)
{
	(void)state;
	static const char source[] = "kernel void deep(global uint *out, uint n) {\n"
				     "	uint a[1024];\n"
				     "	for (uint i = 0; i < 1024; i++) a[i] = i * n;\n"
				     "	uint at = n, sum = 0;\n"
				     "	for (uint i = 0; i < 100; i++) { at = (a[at % 1024] + 7) % 1024; sum += at; a[at] ^= sum; }\n"
				     "	*out = sum;\n"
				     "}\n";
	enum { MANY = 64, PAGE = 4096, N = 5 };
	cl_int code;
	cl_mem held[MANY], out = clCreateBuffer(cl.context, CL_MEM_ALLOC_HOST_PTR, sizeof(cl_uint), NULL, &code);
	CL_OK(code);
	cl_program p = clCreateProgramWithSource(cl.context, 1, (const char *[]){source}, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, "deep", &code);
	CL_OK(code);
	cl_ulong size;
	unsigned n = 0;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof size, &size, NULL));
	for (; size >= PAGE && n < MANY; size /= 2) {
		while (n < MANY) {
			cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, size, NULL, &code);
			if (code)
				break;
			held[n++] = m;
		}
	}
	assert_in_range(n, 2, MANY - 1);
	for (unsigned i = 0; i < n; i++)
		CL_OK(clEnqueueFillBuffer(cl.queue, held[i], &(cl_uchar){1}, 1, 0, 64, 0, NULL, NULL));
	CL_OK(clFlush(cl.queue));
	for (unsigned i = 0; i < n; i++)
		CL_OK(clReleaseMemObject(held[i]));
	CL_OK(clSetKernelArg(k, 0, sizeof out, &out));
	CL_OK(clSetKernelArg(k, 1, sizeof(cl_uint), &(cl_uint){N}));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, (const size_t[]){1}, NULL, 0, NULL, NULL));
	cl_uint sum = 0, a[1024], at = N, expected = 0;
	CL_OK(clEnqueueReadBuffer(cl.queue, out, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
	for (cl_uint i = 0; i < 1024; i++)
		a[i] = i * N;
	for (cl_uint i = 0; i < 100; i++) {
		at = (a[at % 1024] + 7) % 1024;
		expected += at;
		a[at] ^= expected;
	}
	assert_int_equal(sum, expected);
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseProgram(p));
	CL_OK(clReleaseMemObject(out));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(create_errors), cmocka_unit_test(queries),  cmocka_unit_test(in_order),
		cmocka_unit_test(overtaking),    cmocka_unit_test(diamonds), cmocka_unit_test(markers),
		cmocka_unit_test(barriers),      cmocka_unit_test(random_graphs), cmocka_unit_test(migration),
		cmocka_unit_test(endless), cmocka_unit_test(endless_releases), cmocka_unit_test(private_memory_when_full),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
