/* Commands on shared virtual memory: copy, fill, map, unmap, migrate, free, what each does and refuses.
 * Usage: svm_commands [seed] */
#include "testbench/opencl/svm.h"
#include <pthread.h>
#include <stdatomic.h>

/* ---- copy and fill ---- */

/* Sizes through staging memory and by pinning, from and to memory of the host's own and shared one; each copy waits for
 * what has yet to be made, and nobody waits in between. */
static void copies(void **state)
{
	static const size_t sizes[] = {1, 4095, 60000, 300001};
	enum { MOST = 300001 };
	uint64_t seed = cl_test_seed();
	unsigned char *host[2] = {malloc(MOST), malloc(MOST)}, *svm[2] = {shared(MOST, 0), shared(MOST, 0)};
	unsigned char *plain = malloc(MOST);
	(void)state;
	for (unsigned i = 0; i < MOST; i++)
		plain[i] = (unsigned char)splitmix64(&seed);
	for (unsigned way = 0; way < 4; way++)
		for (unsigned s = 0; s < 4; s++) {
			size_t n = sizes[s];
			unsigned char *from = way & 1 ? svm[0] : host[0], *to = way & 2 ? svm[1] : host[1];
			memset(from, 0, n);
			memset(to, 0, n);
			CL_OK(clEnqueueSVMMemcpy(queues[0], CL_FALSE, from, plain, n, 0, NULL, NULL));
			CL_OK(clEnqueueSVMMemcpy(queues[0], CL_FALSE, to, from, n, 0, NULL, NULL));
			CL_OK(clEnqueueSVMMemcpy(queues[0], CL_TRUE, from, plain, 1, 0, NULL, NULL));
			assert_memory_equal(from, plain, n);
			assert_memory_equal(to, plain, n);
		}
	CL_OK(clEnqueueSVMMemcpy(queues[0], CL_TRUE, svm[0], svm[0], 0, 0, NULL, NULL)); /* nothing overlaps nothing */
	for (unsigned i = 0; i < 2; i++) {
		free(host[i]);
		clSVMFree(cl.all, svm[i]);
	}
	free(plain);
}

static void copy_errors(void **state)
{
	char *p = shared(100, 0), host[100];
	cl_int code;
	cl_event other = clCreateUserEvent(foreign, &code);
	(void)state;
	/* CL_ENQUEUESVMMEMCPY_QUEUE */
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemcpy((cl_command_queue)program, CL_TRUE, p, host, 1, 0, NULL, NULL));
	/* CL_ENQUEUESVMMEMCPY_DST_NULL, _SRC_NULL */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queues[0], CL_TRUE, NULL, host, 1, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, NULL, 1, 0, NULL, NULL));
	/* CL_ENQUEUESVMMEMCPY_OVERLAP */
	CL_FAILS(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, p, 1, 0, NULL, NULL));
	CL_FAILS(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queues[0], CL_TRUE, p + 9, p, 10, 0, NULL, NULL));
	CL_FAILS(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, p + 9, 10, 0, NULL, NULL));
	CL_FAILS(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queues[0], CL_TRUE, host + 1, host, 2, 0, NULL, NULL));
	CL_OK(clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, p + 10, 10, 0, NULL, NULL));
	/* beyond the allocation */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queues[0], CL_TRUE, p + 99, host, 2, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queues[0], CL_TRUE, host, p + 1, 100, 0, NULL, NULL));
	/* CL_ENQUEUESVMMEMCPY_WAIT_LIST_NULL, _COUNT, _EVENT, CL_ENQUEUESVMMEMCPY_EVENT_CONTEXT, CL_ENQUEUESVMMEMCPY_FAILED_EVENT */
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, host, 1, 1, NULL, NULL));
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, host, 1, 0, &other, NULL));
	CL_FAILS(CL_INVALID_CONTEXT, clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, host, 1, 1, &other, NULL));
	cl_event failed = clCreateUserEvent(cl.all, &code);
	CL_OK(clSetUserEventStatus(failed, -5));
	p[0] = 1;
	host[0] = 2;
	CL_FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, host, 1, 1, &failed, NULL));
	assert_int_equal(p[0], 1);
	CL_OK(clReleaseEvent(failed));
	CL_OK(clReleaseEvent(other));
	clSVMFree(cl.all, p);
}

static void fills(void **state)
{
	unsigned char pattern[128], *p = shared(4096, 0), host[256];
	(void)state;
	for (unsigned i = 0; i < 128; i++)
		pattern[i] = (unsigned char)(i * 7 + 1);
	for (size_t n = 1; n <= 128; n *= 2) {
		memset(p, 0, 4096);
		CL_OK(clEnqueueSVMMemFill(queues[0], p + 128, pattern, n, 1024, 0, NULL, NULL));
		CL_OK(clFinish(queues[0]));
		for (unsigned i = 0; i < 4096; i++)
			assert_int_equal(p[i], i >= 128 && i < 1152 ? pattern[i % n] : 0);
	}
	/* memory of the host's own, and nothing at all */
	CL_OK(clEnqueueSVMMemFill(queues[0], host, pattern, 1, 256, 0, NULL, NULL));
	CL_OK(clEnqueueSVMMemFill(queues[0], p, pattern, 4, 0, 0, NULL, NULL));
	CL_OK(clFinish(queues[0]));
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(host[i], pattern[0]);
	clSVMFree(cl.all, p);
}

static void fill_errors(void **state)
{
	unsigned char pattern[256] = {0}, *p = shared(4096, 0);
	cl_event event;
	(void)state;
	/* CL_ENQUEUESVMMEMFILL_QUEUE */
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemFill(NULL, p, pattern, 4, 64, 0, NULL, NULL));
	/* CL_ENQUEUESVMMEMFILL_PTR_NULL */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queues[0], NULL, pattern, 4, 64, 0, NULL, NULL));
	/* CL_ENQUEUESVMMEMFILL_PATTERN_NULL, _ZERO, _POWER, _MAX */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queues[0], p, NULL, 4, 64, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queues[0], p, pattern, 0, 64, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queues[0], p, pattern, 12, 24, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queues[0], p, pattern, 256, 256, 0, NULL, NULL));
	/* CL_ENQUEUESVMMEMFILL_ALIGN, _SIZE */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queues[0], p + 2, pattern, 4, 64, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queues[0], p, pattern, 4, 66, 0, NULL, NULL));
	/* beyond the allocation */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queues[0], p + 4092, pattern, 4, 8, 0, NULL, NULL));
	/* CL_ENQUEUESVMMEMFILL_WAIT_LIST_NULL, _COUNT, _EVENT */
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemFill(queues[0], p, pattern, 4, 64, 1, NULL, NULL));
	event = (cl_event)program;
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemFill(queues[0], p, pattern, 4, 64, 1, &event, NULL));
	clSVMFree(cl.all, p);
}

/* ---- map, unmap, migrate ---- */

static cl_command_type type_of(cl_event event)
{
	cl_command_type type = 0;
	CL_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	CL_OK(clReleaseEvent(event));
	return type;
}

/* What a device has written the host sees in a map, and the other way around. */
static void maps(void **state)
{
	cl_kernel k = kernel("add");
	int *p = shared(256, 0), one = 1;
	cl_event event;
	(void)state;
	CL_OK(clSetKernelArgSVMPointer(k, 0, p));
	CL_OK(clSetKernelArg(k, 1, 4, &one));
	for (cl_uint i = 0; i < 2 * cl.num_devices; i++) {
		cl_command_queue q = queues[i % cl.num_devices];
		size_t items = 64;
		CL_OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p, 256, 0, NULL, &event));
		assert_int_equal(type_of(event), CL_COMMAND_SVM_MAP);
		for (int n = 0; n < 64; n++) {
			assert_int_equal(p[n], i ? (int)i * 100 + n + 1 : 0);
			p[n] = ((int)i + 1) * 100 + n;
		}
		CL_OK(clEnqueueSVMUnmap(q, p, 0, NULL, &event));
		assert_int_equal(type_of(event), CL_COMMAND_SVM_UNMAP);
		CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
		CL_OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, p + 8, 4, 0, NULL, NULL));
		CL_OK(clEnqueueSVMUnmap(q, p + 8, 0, NULL, NULL));
		CL_OK(clFinish(q));
	}
	clSVMFree(cl.all, p);
	CL_OK(clReleaseKernel(k));
}

static void map_errors(void **state)
{
	char *p = shared(100, 0), here;
	cl_int code;
	cl_event failed = clCreateUserEvent(cl.all, &code);
	(void)state;
	/* CL_ENQUEUESVMMAP_QUEUE */
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMap(NULL, CL_TRUE, CL_MAP_READ, p, 100, 0, NULL, NULL));
	/* CL_ENQUEUESVMMAP_PTR_NULL, and no allocation */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, NULL, 100, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, &here, 1, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, p + 1, 100, 0, NULL, NULL));
	/* CL_ENQUEUESVMMAP_SIZE_ZERO */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, p, 0, 0, NULL, NULL));
	/* CL_ENQUEUESVMMAP_FLAGS */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queues[0], CL_TRUE, 1 << 9, p, 100, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, p, 100, 0, NULL, NULL));
	/* CL_ENQUEUESVMMAP_WAIT_LIST_NULL, _COUNT, _EVENT, CL_ENQUEUESVMMAP_FAILED_EVENT */
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, p, 100, 1, NULL, NULL));
	CL_OK(clSetUserEventStatus(failed, -1));
	CL_FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, p, 100, 1, &failed, NULL));
	/* CL_ENQUEUESVMUNMAP_QUEUE, _PTR_NULL, _WAIT_LIST_NULL, and no allocation */
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(NULL, p, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMUnmap(queues[0], NULL, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMUnmap(queues[0], &here, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMUnmap(queues[0], p, 1, NULL, NULL));
	CL_OK(clReleaseEvent(failed));
	clSVMFree(cl.all, p);
}

static void migration(void **state)
{
	char *p = shared(100, 0), *q = shared(100, 0);
	const void *list[] = {p, q + 99, p + 3}, *bad[] = {p, &list};
	const size_t sizes[] = {100, 1, 0}, beyond[] = {100, 2, 0};
	cl_event event;
	(void)state;
	p[50] = 5;
	for (cl_uint i = 0; i < cl.num_devices; i++) {
		CL_OK(clEnqueueSVMMigrateMem(queues[i], 3, list, sizes, 0, 0, NULL, &event));
		assert_int_equal(type_of(event), CL_COMMAND_SVM_MIGRATE_MEM);
		CL_OK(clEnqueueSVMMigrateMem(queues[i], 3, list, NULL, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
		CL_OK(clFinish(queues[i]));
	}
	assert_int_equal(p[50], 5);
	/* CL_ENQUEUESVMMIGRATEMEM_QUEUE */
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMigrateMem(NULL, 3, list, sizes, 0, 0, NULL, NULL));
	/* CL_ENQUEUESVMMIGRATEMEM_LIST_ZERO, _LIST_NULL */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queues[0], 0, list, sizes, 0, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queues[0], 3, NULL, sizes, 0, 0, NULL, NULL));
	/* CL_ENQUEUESVMMIGRATEMEM_FLAGS */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queues[0], 3, list, sizes, 4, 0, NULL, NULL));
	/* CL_ENQUEUESVMMIGRATEMEM_RANGE */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queues[0], 3, list, beyond, 0, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queues[0], 2, bad, NULL, 0, 0, NULL, NULL));
	/* CL_ENQUEUESVMMIGRATEMEM_WAIT_LIST_NULL, _COUNT, _EVENT */
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMigrateMem(queues[0], 3, list, sizes, 0, 1, NULL, NULL));
	clSVMFree(cl.all, p);
	clSVMFree(cl.all, q);
}

/* ---- free by a command ---- */

struct freed {
	cl_command_queue queue;
	cl_uint count;
	void *pointers[4];
	pthread_t thread;
	atomic_int called;
};

static void CL_CALLBACK on_free(cl_command_queue queue, cl_uint count, void *pointers[], void *arg)
{
	struct freed *f = arg;
	cl_context context = NULL;
	f->queue = queue;
	f->count = count;
	f->thread = pthread_self();
	if (clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL))
		return;
	for (cl_uint i = 0; i < count && i < 4; i++) {
		f->pointers[i] = pointers[i];
		clSVMFree(context, pointers[i]);
	}
	atomic_store(&f->called, 1);
}

/* The memory is there until the command's turn comes: what is enqueued behind it and runs before it may use it. */
static void free_in_turn(void **state)
{
	cl_kernel k = kernel("add");
	int *p = shared(256, 0), three = 3;
	void *list[] = {p, NULL};
	size_t items = 64;
	cl_int code;
	cl_event gate = clCreateUserEvent(cl.all, &code), event;
	(void)state;
	CL_OK(clSetKernelArgSVMPointer(k, 0, p));
	CL_OK(clSetKernelArg(k, 1, 4, &three));
	CL_OK(clEnqueueSVMFree(queues[0], 2, list, NULL, NULL, 1, &gate, &event));
	/* another queue: behind the free, but not held up by it */
	cl_command_queue other = clCreateCommandQueue(cl.all, cl.devices[0], 0, &code);
	CL_OK(code);
	CL_OK(clEnqueueNDRangeKernel(other, k, 1, NULL, &items, NULL, 0, NULL, NULL));
	CL_OK(clFinish(other));
	assert_int_equal(p[63], 3);
	int *q = shared(256, 0);
	assert_ptr_not_equal(p, q);
	/* twice is once too often */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMFree(other, 1, list, NULL, NULL, 0, NULL, NULL));
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &event));
	assert_int_equal(type_of(event), CL_COMMAND_SVM_FREE);
	/* gone, and its address is free */
	CL_FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 0, p));
	int *r = shared(256, 0);
	assert_ptr_equal(r, p);
	assert_int_equal(r[63], 0);
	clSVMFree(cl.all, q);
	clSVMFree(cl.all, r);
	CL_OK(clReleaseCommandQueue(other));
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseKernel(k));
}

static void free_callback(void **state)
{
	struct freed f = {0};
	void *list[] = {shared(10, 0), shared(20, 0), shared(30, 0)}, *copy[3];
	cl_int code;
	cl_event gate = clCreateUserEvent(cl.all, &code), failed = clCreateUserEvent(cl.all, &code);
	(void)state;
	memcpy(copy, list, sizeof list);
	/* a command that fails frees nothing, so nobody is called */
	CL_OK(clSetUserEventStatus(failed, -1));
	CL_OK(clEnqueueSVMFree(queues[0], 3, list, on_free, &f, 1, &failed, NULL));
	CL_OK(clFinish(queues[0]));
	CL_OK(clEnqueueSVMFree(queues[0], 3, list, on_free, &f, 1, &gate, NULL));
	memset(list, 0, sizeof list); /* the list is the caller's again */
	CL_OK(clFlush(queues[0]));
	assert_int_equal(atomic_load(&f.called), 0);
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_OK(clFinish(queues[0]));
	while (!atomic_load(&f.called))
		usleep(100);
	assert_ptr_equal(f.queue, queues[0]);
	assert_int_equal(f.count, 3);
	assert_memory_equal(f.pointers, copy, sizeof copy);
	assert_false(pthread_equal(f.thread, pthread_self()));
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseEvent(failed));
}

static void free_errors(void **state)
{
	char *p = shared(10, 0), *q = shared(10, 0), here;
	void *list[] = {p, q}, *inner[] = {p, q + 1}, *none[] = {&here};
	(void)state;
	/* CL_ENQUEUESVMFREE_QUEUE */
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMFree(NULL, 2, list, NULL, NULL, 0, NULL, NULL));
	/* CL_ENQUEUESVMFREE_LIST_COUNT, _LIST_NULL */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMFree(queues[0], 0, list, NULL, NULL, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMFree(queues[0], 2, NULL, NULL, NULL, 0, NULL, NULL));
	CL_OK(clEnqueueSVMFree(queues[0], 0, NULL, NULL, NULL, 0, NULL, NULL));
	/* no allocation: none of the list is freed */
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMFree(queues[0], 2, inner, NULL, NULL, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMFree(queues[0], 1, none, NULL, NULL, 0, NULL, NULL));
	/* CL_ENQUEUESVMFREE_WAIT_LIST_NULL, _COUNT, _EVENT */
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMFree(queues[0], 2, list, NULL, NULL, 1, NULL, NULL));
	p[9] = q[9] = 1;
	CL_OK(clEnqueueSVMMemcpy(queues[0], CL_TRUE, p, q, 10, 0, NULL, NULL));
	CL_OK(clEnqueueSVMFree(queues[0], 2, list, NULL, NULL, 0, NULL, NULL));
	CL_OK(clFinish(queues[0]));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, p, 10, 0, NULL, NULL));
}

SVM_MAIN(((const struct CMUnitTest[]){
	cmocka_unit_test(copies), cmocka_unit_test(copy_errors), cmocka_unit_test(fills), cmocka_unit_test(fill_errors),
	cmocka_unit_test(maps), cmocka_unit_test(map_errors), cmocka_unit_test(migration), cmocka_unit_test(free_in_turn),
	cmocka_unit_test(free_callback), cmocka_unit_test(free_errors),
}))
