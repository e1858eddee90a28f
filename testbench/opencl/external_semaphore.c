/* Semaphores by descriptor: what a descriptor is, what an import shares and what it copies, and the same semaphore imported anew. */
#define _GNU_SOURCE
#include "testbench/opencl/external.h"
#include <fcntl.h>
#include <poll.h>

enum { OPAQUE = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, SYNC = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR };

static void signal_(cl_semaphore_khr s)
{
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(cl.queue, 1, &s, NULL, 0, NULL, NULL));
	CL_OK(clFinish(cl.queue));
}

static void wait_(cl_semaphore_khr s)
{
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(cl.queue, 1, &s, NULL, 0, NULL, NULL));
	CL_OK(clFinish(cl.queue));
}

static bool closed(int fd) { return fcntl(fd, F_GETFD) < 0; }
static cl_semaphore_khr imported(int type, int fd) { return SEMAPHORE((cl_semaphore_properties_khr)type, (cl_semaphore_properties_khr)fd); }
static cl_semaphore_khr exporting(int type) { return SEMAPHORE(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, (cl_semaphore_properties_khr)type, 0); }

/* A descriptor is copied, sent and closed as any other, and keeps what it stands for. All imports in one context are semaphores of their own with
 * one payload, also after the one that was exported has gone. */
static void descriptors(void **state)
{
	(void)state;
	enum { COPIES = 5 };
	cl_semaphore_khr s = exporting(OPAQUE), all[COPIES];
	const int fd = external_handle(s, OPAQUE), second = dup(0), third = dup(0), closed_ = dup(fd);
	assert_true(second >= 0 && third >= 0);
	const int fds[COPIES] = {dup(fd), dup2(fd, second), dup3(fd, third, O_CLOEXEC), external_sent(fd), fd};
	assert_int_equal(close(closed_), 0);
	signal_(s);
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	for (unsigned i = 0; i < COPIES; i++) {
		all[i] = imported(OPAQUE, fds[i]);
		assert_true(closed(fds[i])); /* it is the library's */
		for (unsigned k = 0; k < i; k++)
			assert_ptr_not_equal(all[k], all[i]);
	}
	for (unsigned i = 0; i < COPIES; i++) {
		for (unsigned k = 0; k < COPIES; k++)
			assert_true(external_signalled(all[k]));
		wait_(all[i]);
		for (unsigned k = 0; k < COPIES; k++)
			assert_false(external_signalled(all[k]));
		signal_(all[(i + 2) % COPIES]);
	}
	for (unsigned i = 0; i < COPIES; i++)
		CL_OK(ext.clReleaseSemaphoreKHR(all[i]));
}

/* Each export is a descriptor of the application's; where the handle is not asked for none is made. */
static void exports(void **state)
{
	(void)state;
	cl_semaphore_khr s = exporting(OPAQUE), sync = exporting(SYNC);
	const int first = external_handle(s, OPAQUE), second = external_handle(s, OPAQUE);
	struct { int fd, guard; } room = {-1, 77};
	size_t size = 0;
	assert_int_not_equal(first, second);
	assert_int_equal(close(first), 0);
	assert_false(closed(second));
	assert_int_equal(close(second), 0);
	signal_(sync);
	CL_OK(ext.clGetSemaphoreHandleForTypeKHR(sync, cl.device, SYNC, 0, NULL, &size));
	assert_int_equal(size, sizeof(int));
	assert_true(external_signalled(sync)); /* nothing was exported */
	CL_OK(ext.clGetSemaphoreHandleForTypeKHR(sync, cl.device, SYNC, 0, NULL, NULL));
	assert_true(external_signalled(sync));
	CL_OK(ext.clGetSemaphoreHandleForTypeKHR(sync, cl.device, SYNC, sizeof room, &room, NULL));
	assert_true(room.fd >= 0);
	assert_int_equal(room.guard, 77);
	assert_false(external_signalled(sync)); /* as after a wait */
	assert_int_equal(close(room.fd), 0);
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	CL_OK(ext.clReleaseSemaphoreKHR(sync));
}

/* An import of a sync file is a copy: what is done to it is done to it alone, and nothing that is done to the semaphore which was exported, or to
 * another copy, changes it. */
static void copies(void **state)
{
	(void)state;
	cl_semaphore_khr s = exporting(SYNC);
	signal_(s);
	const int fd = external_handle(s, SYNC), third = dup(0);
	const int fds[3] = {dup(fd), external_sent(fd), dup3(fd, third, O_CLOEXEC)};
	cl_semaphore_khr copy[3];
	for (unsigned i = 0; i < 3; i++) {
		copy[i] = imported(SYNC, fds[i]);
		assert_true(closed(fds[i]));
		assert_true(external_signalled(copy[i]));
	}
	signal_(s);
	wait_(copy[0]);
	assert_true(external_signalled(s));
	assert_false(external_signalled(copy[0]));
	assert_true(external_signalled(copy[1]));
	wait_(s);
	assert_false(external_signalled(s));
	assert_true(external_signalled(copy[1]));
	signal_(copy[0]);
	assert_true(external_signalled(copy[0]));
	assert_false(external_signalled(s));
	CL_OK(ext.clReleaseSemaphoreKHR(s)); /* the descriptor and the copies keep it */
	wait_(copy[1]);
	wait_(copy[2]);
	wait_(copy[0]);
	assert_int_equal(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0), 1);
	s = imported(SYNC, fd);
	wait_(s);
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	for (unsigned i = 0; i < 3; i++)
		CL_OK(ext.clReleaseSemaphoreKHR(copy[i]));
}

/* A payload that is imported before its signal is there is not signalled. */
static void pending(void **state)
{
	(void)state;
	cl_int code;
	cl_semaphore_khr s = exporting(SYNC);
	cl_event gate = clCreateUserEvent(cl.context, &code), signal;
	CL_OK(code);
	signal_(s); /* the payload of one that has been signalled before */
	wait_(s);
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(cl.unordered, 1, &s, NULL, 1, &gate, &signal));
	cl_semaphore_khr copy = imported(SYNC, external_handle(s, SYNC));
	assert_false(external_signalled(copy));
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &signal));
	assert_true(external_signalled(copy));
	wait_(copy);
	assert_false(external_signalled(copy));
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseEvent(signal));
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	CL_OK(ext.clReleaseSemaphoreKHR(copy));
}

/* A semaphore that imports anew is as one that was just created: of what was before nothing is left but the handle and the properties. */
static void reimport(void **state)
{
	(void)state;
	cl_semaphore_properties_khr before[8], after[8];
	cl_properties none[] = {0};
	size_t size;
	cl_semaphore_khr s = exporting(SYNC), copy = imported(SYNC, -1);
	CL_OK(ext.clGetSemaphoreInfoKHR(copy, CL_SEMAPHORE_PROPERTIES_KHR, sizeof before, before, &size));
	assert_int_equal(size, 5 * sizeof *before);
	wait_(copy);
	signal_(copy); /* a payload of its own */
	signal_(s);
	const int fd = external_handle(s, SYNC);
	CL_OK(ext.clReImportSemaphoreSyncFdKHR(copy, none, fd));
	assert_true(closed(fd));
	wait_(copy); /* takes what was imported */
	assert_false(external_signalled(copy));
	signal_(copy);
	wait_(copy);
	/* what is under way with the one before goes on with that */
	cl_int code;
	cl_event gate = clCreateUserEvent(cl.context, &code);
	CL_OK(code);
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(cl.unordered, 1, &copy, NULL, 1, &gate, NULL));
	CL_OK(ext.clReImportSemaphoreSyncFdKHR(copy, NULL, -1));
	wait_(copy);
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_OK(clFinish(cl.unordered));
	assert_false(external_signalled(copy));
	CL_OK(ext.clGetSemaphoreInfoKHR(copy, CL_SEMAPHORE_PROPERTIES_KHR, sizeof after, after, &size));
	assert_int_equal(size, 5 * sizeof *after);
	assert_memory_equal(before, after, size);
	CL_OK(clReleaseEvent(gate));
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	CL_OK(ext.clReleaseSemaphoreKHR(copy));
}

/* In a context of several devices: of one of them, exported for it and imported for it. */
static void for_a_device(void **state)
{
	(void)state;
	cl_int code;
	cl_device_id d = cl.devices[cl.num_devices - 1];
	cl_command_queue q = clCreateCommandQueue(cl.all, d, 0, &code);
	CL_OK(code);
	int fd = -1;
	const cl_semaphore_properties_khr device = (cl_semaphore_properties_khr)d;
	const cl_semaphore_properties_khr exports[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE, 0,
						       CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, device, 0, 0};
	cl_semaphore_khr s = external_semaphore(cl.all, exports);
	CL_OK(ext.clGetSemaphoreHandleForTypeKHR(s, d, OPAQUE, sizeof fd, &fd, NULL));
	const cl_semaphore_properties_khr imports[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, OPAQUE, (cl_semaphore_properties_khr)fd,
						       CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, device, 0, 0};
	cl_semaphore_khr other = external_semaphore(cl.all, imports);
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL));
	CL_OK(clFinish(q));
	assert_true(external_signalled(other));
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(q, 1, &other, NULL, 0, NULL, NULL));
	CL_OK(clFinish(q));
	assert_false(external_signalled(s));
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	CL_OK(ext.clReleaseSemaphoreKHR(other));
	CL_OK(clReleaseCommandQueue(q));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(descriptors), cmocka_unit_test(exports), cmocka_unit_test(copies), cmocka_unit_test(pending),
					   cmocka_unit_test(reimport), cmocka_unit_test(for_a_device)};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, external_setup, cl_test_teardown);
}
