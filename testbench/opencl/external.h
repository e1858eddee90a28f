/* The functions of cl_khr_semaphore, cl_khr_external_semaphore and cl_khr_external_memory, for tests. */
#ifndef GALENA_TESTBENCH_EXTERNAL_H
#define GALENA_TESTBENCH_EXTERNAL_H
#include "testbench/opencl/cl_test.h"
#include "runtime/opencl/external_names.h"
#include <sys/socket.h>

#define EXTERNAL_FUNCTIONS(F)                                                                                                   \
	F(clCreateSemaphoreWithPropertiesKHR) F(clEnqueueWaitSemaphoresKHR) F(clEnqueueSignalSemaphoresKHR) F(clGetSemaphoreInfoKHR) \
	F(clRetainSemaphoreKHR) F(clReleaseSemaphoreKHR) F(clGetSemaphoreHandleForTypeKHR) F(clEnqueueAcquireExternalMemObjectsKHR) \
	F(clEnqueueReleaseExternalMemObjectsKHR)
#define MEMBER(name) __typeof__(name) *name;
__attribute__((unused)) static struct external_api {
	EXTERNAL_FUNCTIONS(MEMBER)
	cl_int(CL_API_CALL *clReImportSemaphoreSyncFdKHR)(cl_semaphore_khr, cl_properties *, int);
} ext;
#undef MEMBER

__attribute__((unused)) static int external_setup(void **state)
{
	if (cl_test_setup(state))
		return -1;
#define ADDRESS(name) *(void **)&ext.name = clGetExtensionFunctionAddressForPlatform(cl.platform, #name);
	EXTERNAL_FUNCTIONS(ADDRESS)
	ADDRESS(clReImportSemaphoreSyncFdKHR)
#undef ADDRESS
	const void *const *all = (const void *const *)&ext;
	for (size_t i = 0; i < sizeof ext / sizeof *all; i++)
		if (!all[i])
			return -1;
	return 0;
}

/* A binary semaphore of cl.context; the list ends with 0 here. */
#define SEMAPHORE(...) external_semaphore(cl.context, (const cl_semaphore_properties_khr[]){CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, ##__VA_ARGS__, 0})
__attribute__((unused)) static cl_semaphore_khr external_semaphore(cl_context context, const cl_semaphore_properties_khr *list)
{
	cl_int code;
	cl_semaphore_khr s = ext.clCreateSemaphoreWithPropertiesKHR(context, list, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_non_null(s);
	return s;
}

__attribute__((unused)) static int external_handle(cl_semaphore_khr s, cl_external_semaphore_handle_type_khr type)
{
	int fd = -1;
	size_t size = 0;
	CL_OK(ext.clGetSemaphoreHandleForTypeKHR(s, cl.device, type, sizeof fd, &fd, &size));
	assert_int_equal(size, sizeof fd);
	assert_true(fd >= 0);
	return fd;
}

/* The payload, 0 or 1. The devices have gone as far as they can: one that a command behind another signals tells whether that has ended. */
__attribute__((unused)) static bool external_signalled(cl_semaphore_khr s)
{
	cl_semaphore_payload_khr payload = 7;
	size_t size;
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, &size));
	assert_int_equal(size, sizeof payload);
	assert_true(payload <= 1);
	return payload;
}

/* The descriptor through a socket, as one process gives it to another. */
__attribute__((unused)) static int external_sent(int fd)
{
	int ends[2];
	char byte = 0;
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof fd)]; } control = {.head = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	assert_int_equal(sendmsg(ends[0], &message, 0), 1);
	memset(&control, 0, sizeof control);
	assert_int_equal(recvmsg(ends[1], &message, 0), 1);
	memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
	close(ends[0]);
	close(ends[1]);
	return fd;
}

#endif
