/* Semaphores: order between queues, contexts and files of the devices without the host, opaque descriptors, sync files. */
#include "testbench/opencl/external.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

enum { ITEMS = 64 };

static cl_command_queue queue_of(cl_context context, cl_command_queue_properties properties)
{
	cl_int code;
	cl_command_queue q = clCreateCommandQueue(context, cl.device, properties, &code);
	CL_OK(code);
	return q;
}

static cl_mem buffer(void)
{
	cl_int code;
	const cl_uint zero[ITEMS] = {0};
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, sizeof zero, (void *)zero, &code);
	CL_OK(code);
	return m;
}

static void launch(cl_command_queue q, cl_kernel k, cl_mem m, cl_uint value)
{
	const size_t items = ITEMS;
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	CL_OK(clSetKernelArg(k, 1, sizeof value, &value));
	CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
}

static void signal_(cl_command_queue q, cl_semaphore_khr s) { CL_OK(ext.clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL)); }
static void wait_(cl_command_queue q, cl_semaphore_khr s) { CL_OK(ext.clEnqueueWaitSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL)); }

static void expect(cl_mem m, cl_uint value)
{
	cl_uint got[ITEMS];
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
	for (unsigned i = 0; i < ITEMS; i++)
		assert_int_equal(got[i], value + i);
}

static const char steps[] = "kernel void step(global uint *p, uint n) { uint i = get_global_id(0); p[i] = p[i] * 3 + n + (n == 1 ? i : 0); }";

/* Two queues take turns: neither waits in the host, and each finds what the other has made. In the second round both are out of order. */
static void turns(void **state)
{
	(void)state;
	for (unsigned order = 0; order < 2; order++) {
		const cl_command_queue_properties properties = order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
		cl_command_queue q[2] = {queue_of(cl.context, properties), queue_of(cl.context, properties)};
		cl_semaphore_khr to[2] = {SEMAPHORE(), SEMAPHORE()};
		cl_kernel k = kernel_build(cl.context, "kernel void add(global uint *p, uint n) { uint i = get_global_id(0); p[i] = p[i] == n ? n + 1 : 1000000; }", "add");
		cl_mem m = buffer();
		enum { TURNS = 200 };
		for (cl_uint n = 0; n < TURNS; n++) {
			cl_command_queue at = q[n & 1];
			if (n)
				wait_(at, to[n & 1]);
			if (order)
				CL_OK(clEnqueueBarrierWithWaitList(at, 0, NULL, NULL));
			launch(at, k, m, n);
			if (order)
				CL_OK(clEnqueueBarrierWithWaitList(at, 0, NULL, NULL));
			signal_(at, to[!(n & 1)]);
		}
		wait_(q[TURNS & 1], to[TURNS & 1]);
		CL_OK(clFinish(q[TURNS & 1]));
		cl_uint got[ITEMS];
		CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
		for (unsigned i = 0; i < ITEMS; i++)
			assert_int_equal(got[i], TURNS);
		assert_false(external_signalled(to[0]));
		assert_false(external_signalled(to[1]));
		for (unsigned i = 0; i < 2; i++) {
			CL_OK(ext.clReleaseSemaphoreKHR(to[i]));
			CL_OK(clReleaseCommandQueue(q[i]));
		}
		CL_OK(clReleaseMemObject(m));
		CL_OK(clReleaseKernel(k));
	}
}

/* A wait that is there before its signal holds up its own queue alone, and in a queue that is out of order nothing but what depends on it. */
static void waits_first(void **state)
{
	(void)state;
	cl_command_queue held = queue_of(cl.context, 0);
	cl_semaphore_khr s = SEMAPHORE(), other = SEMAPHORE();
	cl_kernel k = kernel_build(cl.context, steps, "step");
	cl_mem m = buffer(), free_ = buffer();
	cl_event waited;
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(held, 1, &s, NULL, 0, NULL, NULL));
	launch(held, k, m, 1);
	CL_OK(clFlush(held));
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(cl.unordered, 1, &other, NULL, 0, NULL, &waited));
	launch(cl.unordered, k, free_, 1);
	cl_event done;
	CL_OK(clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &done));
	CL_OK(clWaitForEvents(1, &done));
	CL_OK(clReleaseEvent(done));
	cl_int status;
	CL_OK(clGetEventInfo(waited, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_true(status > CL_COMPLETE);
	cl_command_type type;
	CL_OK(clGetEventInfo(waited, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, CL_COMMAND_SEMAPHORE_WAIT_KHR);
	signal_(cl.queue, s);
	signal_(cl.queue, other);
	CL_OK(clFinish(held));
	CL_OK(clFinish(cl.unordered));
	expect(m, 1);
	expect(free_, 1);
	CL_OK(clReleaseEvent(waited));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseMemObject(free_));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseCommandQueue(held));
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	CL_OK(ext.clReleaseSemaphoreKHR(other));
}

/* Signalled until a wait takes that; kept by commands that use it. */
static void life(void **state)
{
	(void)state;
	cl_semaphore_khr s = SEMAPHORE();
	cl_uint refs;
	cl_context context;
	cl_semaphore_type_khr type;
	cl_semaphore_properties_khr list[8];
	cl_device_id device;
	cl_bool exportable;
	size_t size;
	assert_false(external_signalled(s));
	signal_(cl.queue, s);
	CL_OK(clFinish(cl.queue));
	assert_true(external_signalled(s));
	wait_(cl.queue, s);
	CL_OK(clFinish(cl.queue));
	assert_false(external_signalled(s));
	CL_OK(ext.clRetainSemaphoreKHR(s));
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_REFERENCE_COUNT_KHR, sizeof refs, &refs, &size));
	assert_int_equal(refs, 2);
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_CONTEXT_KHR, sizeof context, &context, NULL));
	assert_ptr_equal(context, cl.context);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_TYPE_KHR, sizeof type, &type, NULL));
	assert_int_equal(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PROPERTIES_KHR, sizeof list, list, &size));
	assert_int_equal(size, 3 * sizeof *list);
	assert_int_equal(list[0], CL_SEMAPHORE_TYPE_KHR);
	assert_int_equal(list[2], 0);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof device, &device, &size));
	assert_int_equal(size, sizeof device);
	assert_ptr_equal(device, cl.device);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, 0, NULL, &size));
	assert_int_equal(size, 0);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_EXPORTABLE_KHR, sizeof exportable, &exportable, NULL));
	assert_int_equal(exportable, CL_FALSE);
	/* released with commands outstanding */
	cl_command_queue q = queue_of(cl.context, 0);
	signal_(cl.queue, s);
	wait_(q, s);
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	CL_OK(clFinish(q));
	CL_OK(clReleaseCommandQueue(q));
}

/* The same semaphore in two contexts. */
static void opaque(void **state)
{
	(void)state;
	cl_int code;
	cl_context second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
	CL_OK(code);
	cl_command_queue q = queue_of(second, 0);
	cl_semaphore_khr there[2], here[2];
	for (unsigned i = 0; i < 2; i++) {
		here[i] = SEMAPHORE(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0);
		const int fd = external_handle(here[i], CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
		const cl_semaphore_properties_khr list[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
							    (cl_semaphore_properties_khr)fd, 0};
		there[i] = external_semaphore(second, list);
		assert_int_equal(fcntl(fd, F_GETFD), -1); /* it is the library's */
		assert_int_equal(errno, EBADF);
	}
	for (unsigned n = 0; n < 100; n++) {
		signal_(cl.queue, here[0]);
		wait_(q, there[0]);
		signal_(q, there[1]);
		wait_(cl.queue, here[1]);
	}
	CL_OK(clFinish(cl.queue));
	CL_OK(clFinish(q));
	signal_(q, there[0]);
	CL_OK(clFinish(q));
	assert_true(external_signalled(here[0]));
	wait_(cl.queue, here[0]);
	CL_OK(clFinish(cl.queue));
	assert_false(external_signalled(there[0]));
	for (unsigned i = 0; i < 2; i++) {
		CL_OK(ext.clReleaseSemaphoreKHR(here[i]));
		CL_OK(ext.clReleaseSemaphoreKHR(there[i]));
	}
	CL_OK(clReleaseCommandQueue(q));
	CL_OK(clReleaseContext(second));
}

static int polls(int fd) { return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0); }

/* A copy of what will signal it: taken before the signal is there, waited for by poll(2) and by commands; -1 has been signalled. */
static void sync_file(void **state)
{
	(void)state;
	cl_semaphore_khr s = SEMAPHORE(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0);
	cl_int code;
	cl_event gate = clCreateUserEvent(cl.context, &code);
	CL_OK(code);
	cl_command_queue q = queue_of(cl.context, 0);
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 1, &gate, NULL));
	const int fd = external_handle(s, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR), copy = dup(fd);
	cl_semaphore_khr imported = SEMAPHORE(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, (cl_semaphore_properties_khr)fd);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	cl_event waited;
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(cl.queue, 1, &imported, NULL, 0, NULL, &waited));
	CL_OK(clFlush(cl.queue));
	assert_int_equal(polls(copy), 0);
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &waited));
	assert_int_equal(polls(copy), 1);
	/* the descriptor has taken the signal */
	CL_OK(clFinish(q));
	assert_false(external_signalled(s));
	/* another one into the same semaphore, and one that has been signalled */
	signal_(q, s);
	CL_OK(ext.clReImportSemaphoreSyncFdKHR(imported, NULL, external_handle(s, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR)));
	wait_(cl.queue, imported);
	CL_OK(clFinish(cl.queue));
	CL_OK(ext.clReImportSemaphoreSyncFdKHR(imported, NULL, -1));
	assert_true(external_signalled(imported));
	wait_(cl.queue, imported);
	CL_OK(clFinish(cl.queue));
	assert_false(external_signalled(imported));
	/* its own payload is still there */
	signal_(q, imported);
	wait_(cl.queue, imported);
	CL_OK(clFinish(cl.queue));
	close(copy);
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseEvent(waited));
	CL_OK(clReleaseCommandQueue(q));
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	CL_OK(ext.clReleaseSemaphoreKHR(imported));
}

/* A command that fails fails what waits for its signal. */
static void failure(void **state)
{
	(void)state;
	cl_semaphore_khr s = SEMAPHORE();
	cl_int code, status;
	cl_event gate = clCreateUserEvent(cl.context, &code), waited;
	CL_OK(code);
	cl_command_queue q = queue_of(cl.context, 0);
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 1, &gate, NULL));
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(cl.queue, 1, &s, NULL, 0, NULL, &waited));
	CL_OK(clFlush(cl.queue));
	CL_OK(clSetUserEventStatus(gate, -1));
	CL_FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &waited));
	CL_OK(clGetEventInfo(waited, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_true(status < 0);
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseEvent(waited));
	CL_OK(clReleaseCommandQueue(q));
	CL_OK(ext.clReleaseSemaphoreKHR(s));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(turns),  cmocka_unit_test(waits_first), cmocka_unit_test(life),
					   cmocka_unit_test(opaque), cmocka_unit_test(sync_file),  cmocka_unit_test(failure)};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, external_setup, cl_test_teardown);
}
