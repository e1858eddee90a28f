/* Rules of cl_khr_external_memory, cl_khr_semaphore and cl_khr_external_semaphore. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/opencl/spec.h"
#include "testbench/opencl/external.h"
#include <fcntl.h>
#include <sys/mman.h>

enum { BYTES = 8192 };
static cl_context second; /* of the first device */
static cl_command_queue there, other; /* of it, of the second device in cl.all */

static int heap(const char *name)
{
	const int fd = galena_heap_alloc(name, BYTES, 0);
	assert_true(fd >= 0);
	return fd;
}
static bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

/* ---- semaphores ---- */
#define TYPE CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR
#define MAKE_OF(context, ...) ext.clCreateSemaphoreWithPropertiesKHR((context), (const cl_semaphore_properties_khr[]){__VA_ARGS__, 0}, &error)
#define FD(fd) ((cl_semaphore_properties_khr)(fd))

static void creation(void **state)
{
	(void)state;
	const cl_semaphore_properties_khr device = (cl_semaphore_properties_khr)cl.device, foreign = (cl_semaphore_properties_khr)cl.devices[1];
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_CONTEXT", CL_INVALID_CONTEXT, MAKE_OF(NULL, TYPE));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_CONTEXT", CL_INVALID_CONTEXT, MAKE_OF((cl_context)cl.queue, TYPE));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_NULL", CL_INVALID_VALUE, ext.clCreateSemaphoreWithPropertiesKHR(cl.context, NULL, &error));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_UNTYPED", CL_INVALID_VALUE, MAKE_OF(cl.context, 0));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_UNTYPED", CL_INVALID_VALUE, MAKE_OF(cl.context, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, device, 0));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_TYPE", CL_INVALID_PROPERTY, MAKE_OF(cl.context, CL_SEMAPHORE_TYPE_KHR, 2));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_PROPERTY_NAME", CL_INVALID_PROPERTY, MAKE_OF(cl.context, TYPE, 0x7fff, 1));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_PROPERTY_NAME", CL_INVALID_PROPERTY, MAKE_OF(cl.context, TYPE, 0x2056 /* of another system */, 1));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_PROPERTY_TWICE", CL_INVALID_PROPERTY, MAKE_OF(cl.context, TYPE, TYPE));
	cl_semaphore_properties_khr *end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap((char *)end + 4096, 4096);
	end += 4096 / sizeof *end;
	end[-2] = CL_SEMAPHORE_TYPE_KHR;
	end[-1] = CL_SEMAPHORE_TYPE_BINARY_KHR;
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_PROPERTY_END", CL_INVALID_PROPERTY, ext.clCreateSemaphoreWithPropertiesKHR(cl.context, end - 2, &error));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_DEVICE", CL_INVALID_DEVICE, MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, foreign, 0));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_DEVICE", CL_INVALID_DEVICE,
		  MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, (cl_semaphore_properties_khr)cl.queue, 0));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_DEVICES", CL_INVALID_DEVICE, MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, 0));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_DEVICES", CL_INVALID_DEVICE,
		  MAKE_OF(cl.all, TYPE, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, device, foreign, 0));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_NO_DEVICE", CL_INVALID_PROPERTY, MAKE_OF(cl.all, TYPE));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_EXPORT_TYPES", CL_INVALID_VALUE,
		  MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_EXPORT_TYPE", CL_INVALID_PROPERTY,
		  MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, 0x2056, 0));
}

static void imports(void **state)
{
	(void)state;
	cl_semaphore_khr exported;
	MAKE(exported, MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0));
	const int fd = external_handle(exported, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR), memory = heap("system");
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_HANDLES", CL_INVALID_PROPERTY,
		  MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, FD(fd), CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, FD(-1)));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_IMPORT_EXPORT", CL_INVALID_OPERATION,
		  MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, FD(fd), CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
			  CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_FD", CL_INVALID_PROPERTY, MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, FD(memory)));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_FD", CL_INVALID_PROPERTY, MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, FD(-1)));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_FD", CL_INVALID_PROPERTY, MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, FD(9999)));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_FD", CL_INVALID_PROPERTY,
		  MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, FD(fd) + (1ull << 40) /* no int */));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_FD", CL_INVALID_PROPERTY,
		  MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, (1ull << 40) - 1));
	RULE_NULL("CL_CREATESEMAPHOREWITHPROPERTIESKHR_FD", CL_INVALID_PROPERTY, MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, FD(fd)));
	/* what was refused is the application's */
	assert_true(is_open(fd));
	assert_true(is_open(memory));
	close(fd);
	close(memory);
	CL_OK(ext.clReleaseSemaphoreKHR(exported));
}

static void handles(void **state)
{
	(void)state;
	int fd = -1;
	char little;
	cl_semaphore_khr exported, plain, sync;
	MAKE(exported, MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0));
	MAKE(plain, MAKE_OF(cl.context, TYPE));
	MAKE(sync, MAKE_OF(cl.context, TYPE, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, FD(-1)));
#define HANDLE(semaphore, device, type, size, at) ext.clGetSemaphoreHandleForTypeKHR((semaphore), (device), (type), (size), (at), NULL)
	RULE("CL_GETSEMAPHOREHANDLEFORTYPEKHR_SEMAPHORE", CL_INVALID_SEMAPHORE_KHR,
	     HANDLE((cl_semaphore_khr)cl.queue, cl.device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd));
	RULE("CL_GETSEMAPHOREHANDLEFORTYPEKHR_DEVICE", CL_INVALID_DEVICE,
	     HANDLE(exported, (cl_device_id)cl.queue, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd));
	RULE("CL_GETSEMAPHOREHANDLEFORTYPEKHR_DEVICE_FOREIGN", CL_INVALID_DEVICE,
	     HANDLE(exported, cl.devices[1], CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd));
	RULE("CL_GETSEMAPHOREHANDLEFORTYPEKHR_TYPE", CL_INVALID_VALUE, HANDLE(exported, cl.device, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, sizeof fd, &fd));
	RULE("CL_GETSEMAPHOREHANDLEFORTYPEKHR_TYPE", CL_INVALID_VALUE, HANDLE(plain, cl.device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd));
	RULE("CL_GETSEMAPHOREHANDLEFORTYPEKHR_SIZE", CL_INVALID_VALUE, HANDLE(exported, cl.device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 1, &little));
	assert_int_equal(fd, -1);
	RULE("CL_REIMPORTSEMAPHORESYNCFDKHR_SEMAPHORE", CL_INVALID_SEMAPHORE_KHR, ext.clReImportSemaphoreSyncFdKHR(NULL, NULL, -1));
	RULE("CL_REIMPORTSEMAPHORESYNCFDKHR_KIND", CL_INVALID_SEMAPHORE_KHR, ext.clReImportSemaphoreSyncFdKHR(plain, NULL, -1));
	RULE("CL_REIMPORTSEMAPHORESYNCFDKHR_FD", CL_INVALID_VALUE, ext.clReImportSemaphoreSyncFdKHR(sync, NULL, 9999));
	cl_properties unknown[] = {0x7fff, 1, 0};
	RULE("CL_REIMPORTSEMAPHORESYNCFDKHR_PROPERTIES", CL_INVALID_VALUE, ext.clReImportSemaphoreSyncFdKHR(sync, unknown, -1));
	RULE_INFO("CL_GETSEMAPHOREINFOKHR", CL_SEMAPHORE_CONTEXT_KHR, ext.clGetSemaphoreInfoKHR(plain, name, size, value, NULL));
	cl_context context;
	RULE("CL_GETSEMAPHOREINFOKHR_SEMAPHORE", CL_INVALID_SEMAPHORE_KHR,
	     ext.clGetSemaphoreInfoKHR((cl_semaphore_khr)cl.context, CL_SEMAPHORE_CONTEXT_KHR, sizeof context, &context, NULL));
	RULE("CL_RETAINSEMAPHOREKHR_SEMAPHORE", CL_INVALID_SEMAPHORE_KHR, ext.clRetainSemaphoreKHR((cl_semaphore_khr)cl.context));
	CL_OK(ext.clReleaseSemaphoreKHR(exported));
	CL_OK(ext.clReleaseSemaphoreKHR(sync));
	CL_OK(ext.clReleaseSemaphoreKHR(plain));
	RULE("CL_RELEASESEMAPHOREKHR_SEMAPHORE", CL_INVALID_SEMAPHORE_KHR, ext.clReleaseSemaphoreKHR(plain));
}

static cl_event failed_event(void)
{
	cl_event event;
	MAKE(event, api->clCreateUserEvent(cl.context, &error));
	CL_OK(api->clSetUserEventStatus(event, -1));
	return event;
}

typedef __typeof__(clEnqueueWaitSemaphoresKHR) enqueue_semaphores;
static void semaphore_commands(void **state)
{
	(void)state;
	static const char *const names[2][11] = {
#define NAMES(f)                                                                                                                                        \
	{f "_QUEUE", f "_ZERO", f "_NULL", f "_SEMAPHORE", f "_CONTEXT", f "_DEVICE", f "_WAIT_LIST_NULL", f "_WAIT_LIST_COUNT", f "_WAIT_LIST_EVENT", \
	 f "_EVENT_CONTEXT", f "_FAILED_EVENT"}
		NAMES("CL_ENQUEUEWAITSEMAPHORESKHR"), NAMES("CL_ENQUEUESIGNALSEMAPHORESKHR")};
	enqueue_semaphores *const calls[2] = {ext.clEnqueueWaitSemaphoresKHR, (enqueue_semaphores *)ext.clEnqueueSignalSemaphoresKHR};
	cl_semaphore_khr plain, of_second;
	MAKE(plain, MAKE_OF(cl.context, TYPE));
	MAKE(of_second, MAKE_OF(cl.all, TYPE, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, (cl_semaphore_properties_khr)cl.device, 0));
	const cl_semaphore_khr wrong = (cl_semaphore_khr)cl.queue;
	const cl_event no_event = (cl_event)cl.queue;
	const cl_event failed = failed_event();
	cl_event foreign, event = NULL;
	MAKE(foreign, api->clCreateUserEvent(second, &error));
	for (unsigned i = 0; i < 2; i++) {
		RULE(names[i][0], CL_INVALID_COMMAND_QUEUE, calls[i]((cl_command_queue)cl.context, 1, &plain, NULL, 0, NULL, NULL));
		RULE(names[i][1], CL_INVALID_VALUE, calls[i](cl.queue, 0, &plain, NULL, 0, NULL, NULL));
		RULE(names[i][2], CL_INVALID_VALUE, calls[i](cl.queue, 1, NULL, NULL, 0, NULL, NULL));
		RULE(names[i][3], CL_INVALID_SEMAPHORE_KHR, calls[i](cl.queue, 1, &wrong, NULL, 0, NULL, NULL));
		RULE(names[i][4], CL_INVALID_CONTEXT, calls[i](there, 1, &plain, NULL, 0, NULL, NULL));
		RULE(names[i][5], CL_INVALID_COMMAND_QUEUE, calls[i](other, 1, &of_second, NULL, 0, NULL, NULL));
		RULE(names[i][5], CL_INVALID_COMMAND_QUEUE, calls[i](other, 1, &plain, NULL, 0, NULL, NULL)); /* its context has not this device */
		RULE(names[i][6], CL_INVALID_EVENT_WAIT_LIST, calls[i](cl.queue, 1, &plain, NULL, 1, NULL, NULL));
		RULE(names[i][7], CL_INVALID_EVENT_WAIT_LIST, calls[i](cl.queue, 1, &plain, NULL, 0, &foreign, NULL));
		RULE(names[i][8], CL_INVALID_EVENT_WAIT_LIST, calls[i](cl.queue, 1, &plain, NULL, 1, &no_event, NULL));
		RULE(names[i][9], CL_INVALID_CONTEXT, calls[i](cl.queue, 1, &plain, NULL, 1, &foreign, NULL));
		RULE(names[i][10], CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, calls[i](cl.queue, 1, &plain, NULL, 1, &failed, &event));
		assert_null(event);
	}
	cl_semaphore_payload_khr payload = 1;
	CL_OK(ext.clGetSemaphoreInfoKHR(plain, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, NULL));
	assert_int_equal(payload, 0); /* what was refused has not signalled */
	CL_OK(api->clReleaseEvent(failed));
	CL_OK(api->clReleaseEvent(foreign));
	CL_OK(ext.clReleaseSemaphoreKHR(plain));
	CL_OK(ext.clReleaseSemaphoreKHR(of_second));
}

/* ---- memory ---- */
#define BUFFER(context, flags, size, host, ...) \
	api->clCreateBufferWithProperties((context), (const cl_mem_properties[]){__VA_ARGS__, 0}, (flags), (size), (host), &error)
#define OPAQUE(fd) CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)(fd)

static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
static cl_mem image(cl_mem_flags flags, size_t height, void *host, const cl_mem_properties *list, cl_int *error)
{
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = height};
	return api->clCreateImageWithProperties(cl.context, list, flags, &format, &desc, host, error);
}
#define IMAGE(flags, height, host, ...) image((flags), (height), (host), (const cl_mem_properties[]){__VA_ARGS__, 0}, &error)

static void memory(void **state)
{
	(void)state;
	const int fd = heap("system"), protected_ = heap("protected");
	char host[BYTES];
	const cl_mem_properties foreign = (cl_mem_properties)cl.devices[1], list = CL_MEM_DEVICE_HANDLE_LIST_KHR;
	cl_mem_properties *end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap((char *)end + 4096, 4096);
	end += 4096 / sizeof *end;
	end[-1] = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR;
#define BOTH(what, code, of_buffer, of_image)                            \
	RULE_NULL("CL_CREATEBUFFERWITHPROPERTIES_" what, code, of_buffer); \
	RULE_NULL("CL_CREATEIMAGEWITHPROPERTIES_" what, code, of_image)
	BOTH("PROPERTY_END", CL_INVALID_PROPERTY, api->clCreateBufferWithProperties(cl.context, end - 1, 0, 64, NULL, &error),
	     image(0, 8, NULL, end - 1, &error));
	BOTH("PROPERTY_TWICE", CL_INVALID_PROPERTY, BUFFER(cl.context, 0, 64, NULL, OPAQUE(fd), OPAQUE(fd)), IMAGE(0, 8, NULL, OPAQUE(fd), OPAQUE(fd)));
	BOTH("PROPERTY_VALUE", CL_INVALID_PROPERTY, BUFFER(cl.context, 0, 64, NULL, OPAQUE(9999)), IMAGE(0, 8, NULL, OPAQUE(-1)));
	const cl_mem_properties large = (cl_mem_properties)fd + (1ull << 40); /* no int */
	BOTH("PROPERTY_VALUE", CL_INVALID_PROPERTY, BUFFER(cl.context, 0, 64, NULL, OPAQUE(large)), IMAGE(0, 8, NULL, OPAQUE(large)));
	BOTH("HANDLES", CL_INVALID_PROPERTY, BUFFER(cl.context, 0, 64, NULL, OPAQUE(fd), CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd),
	     IMAGE(0, 8, NULL, OPAQUE(fd), CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd));
	BOTH("DEVICE", CL_INVALID_DEVICE, BUFFER(cl.context, 0, 64, NULL, OPAQUE(fd), list, foreign, 0), IMAGE(0, 8, NULL, OPAQUE(fd), list, foreign, 0));
	BOTH("DEVICES_ALONE", CL_INVALID_PROPERTY, BUFFER(cl.context, 0, 64, NULL, list, (cl_mem_properties)cl.device, 0),
	     IMAGE(0, 8, NULL, list, (cl_mem_properties)cl.device, 0));
	BOTH("EXTERNAL_FLAGS", CL_INVALID_VALUE, BUFFER(cl.context, CL_MEM_COPY_HOST_PTR, 64, host, OPAQUE(fd)),
	     IMAGE(CL_MEM_ALLOC_HOST_PTR, 8, NULL, OPAQUE(fd)));
	BOTH("EXTERNAL_HOST_PTR", CL_INVALID_HOST_PTR, BUFFER(cl.context, 0, 64, host, OPAQUE(fd)), IMAGE(0, 8, host, OPAQUE(fd)));
	BOTH("PROTECTED", CL_INVALID_OPERATION, BUFFER(cl.context, 0, 64, NULL, OPAQUE(protected_)), IMAGE(0, 8, NULL, OPAQUE(protected_)));
	RULE_NULL("CL_CREATEBUFFERWITHPROPERTIES_FD_SIZE", CL_INVALID_BUFFER_SIZE, BUFFER(cl.context, 0, BYTES + 1, NULL, OPAQUE(fd)));
	RULE_NULL("CL_CREATEIMAGEWITHPROPERTIES_FD_SIZE", CL_INVALID_IMAGE_SIZE, IMAGE(0, BYTES / 256 + 1, NULL, OPAQUE(fd)));
	assert_true(is_open(fd)); /* what was refused is the application's */
	assert_true(is_open(protected_));
	close(fd);
	close(protected_);
}

typedef __typeof__(clEnqueueAcquireExternalMemObjectsKHR) enqueue_memory;
static void memory_commands(void **state)
{
	(void)state;
	static const char *const names[2][9] = {
#undef NAMES
#define NAMES(f)                                                                                                                                  \
	{f "_QUEUE", f "_LIST", f "_MEM", f "_MEM_QUEUE", f "_WAIT_LIST_NULL", f "_WAIT_LIST_COUNT", f "_WAIT_LIST_EVENT", f "_EVENT_CONTEXT", \
	 f "_FAILED_EVENT"}
		NAMES("CL_ENQUEUEACQUIREEXTERNALMEMOBJECTSKHR"), NAMES("CL_ENQUEUERELEASEEXTERNALMEMOBJECTSKHR")};
	enqueue_memory *const calls[2] = {ext.clEnqueueAcquireExternalMemObjectsKHR, (enqueue_memory *)ext.clEnqueueReleaseExternalMemObjectsKHR};
	cl_mem external, plain, of_first;
	MAKE(external, BUFFER(cl.context, 0, 64, NULL, OPAQUE(heap("system"))));
	MAKE(of_first, BUFFER(cl.all, 0, 64, NULL, OPAQUE(heap("system")), CL_MEM_DEVICE_HANDLE_LIST_KHR, (cl_mem_properties)cl.device, 0));
	MAKE(plain, api->clCreateBuffer(cl.context, 0, 64, NULL, &error));
	const cl_event no_event = (cl_event)cl.queue;
	const cl_mem no_mem = (cl_mem)cl.queue;
	const cl_event failed = failed_event();
	cl_event foreign;
	MAKE(foreign, api->clCreateUserEvent(second, &error));
	for (unsigned i = 0; i < 2; i++) {
		RULE(names[i][0], CL_INVALID_COMMAND_QUEUE, calls[i]((cl_command_queue)cl.context, 1, &external, 0, NULL, NULL));
		RULE(names[i][1], CL_INVALID_VALUE, calls[i](cl.queue, 0, &external, 0, NULL, NULL));
		RULE(names[i][1], CL_INVALID_VALUE, calls[i](cl.queue, 1, NULL, 0, NULL, NULL));
		RULE(names[i][2], CL_INVALID_MEM_OBJECT, calls[i](cl.queue, 1, &plain, 0, NULL, NULL));
		RULE(names[i][2], CL_INVALID_MEM_OBJECT, calls[i](cl.queue, 1, &no_mem, 0, NULL, NULL));
		RULE(names[i][3], CL_INVALID_COMMAND_QUEUE, calls[i](there, 1, &external, 0, NULL, NULL));
		RULE(names[i][3], CL_INVALID_COMMAND_QUEUE, calls[i](other, 1, &of_first, 0, NULL, NULL));
		RULE(names[i][4], CL_INVALID_EVENT_WAIT_LIST, calls[i](cl.queue, 1, &external, 1, NULL, NULL));
		RULE(names[i][5], CL_INVALID_EVENT_WAIT_LIST, calls[i](cl.queue, 1, &external, 0, &foreign, NULL));
		RULE(names[i][6], CL_INVALID_EVENT_WAIT_LIST, calls[i](cl.queue, 1, &external, 1, &no_event, NULL));
		RULE(names[i][7], CL_INVALID_CONTEXT, calls[i](cl.queue, 1, &external, 1, &foreign, NULL));
		RULE(names[i][8], CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, calls[i](cl.queue, 1, &external, 1, &failed, NULL));
		CL_OK(calls[i](cl.queue, 0, NULL, 0, NULL, NULL)); /* nothing is no error */
	}
	CL_OK(api->clFinish(cl.queue));
	CL_OK(api->clReleaseEvent(foreign));
	CL_OK(api->clReleaseEvent(failed));
	CL_OK(api->clReleaseMemObject(external));
	CL_OK(api->clReleaseMemObject(of_first));
	CL_OK(api->clReleaseMemObject(plain));
}

static int setup(void **state)
{
	cl_int error;
	if (external_setup(state) || cl.num_devices < 2)
		return -1;
	api = *(struct _cl_icd_dispatch *const *)cl.platform;
	second = api->clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error);
	if (error)
		return -1;
	there = api->clCreateCommandQueue(second, cl.device, 0, &error);
	if (error)
		return -1;
	other = api->clCreateCommandQueue(cl.all, cl.devices[1], 0, &error);
	return error ? -1 : 0;
}

static int teardown(void **state)
{
	return api->clReleaseCommandQueue(there) || api->clReleaseCommandQueue(other) || api->clReleaseContext(second) || cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(creation),	 cmocka_unit_test(imports), cmocka_unit_test(handles),
					   cmocka_unit_test(semaphore_commands), cmocka_unit_test(memory), cmocka_unit_test(memory_commands)};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
