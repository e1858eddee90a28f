/* Commands on shared virtual memory. Where it lies never changes, so mapping and migrating move nothing; in devices
 * that are not coherent the driver cleans caches around every command, so what a map shows is there. */
#include "runtime/opencl/enqueue.h"
#include "runtime/opencl/svm.h"
#include <stdlib.h>
#include <string.h>

/* OpenCL 3.0, 5.6.2 and on. Of each call: CL_INVALID_COMMAND_QUEUE; CL_INVALID_OPERATION would be for devices without
 * shared virtual memory, and there are none. */

/* The range lies in one allocation of the queue's context. */
static cl_int check_inside(cl_command_queue q, const void *ptr, size_t size)
{
	if (svm_place(q->context, ptr, size) != SVM_INSIDE)
		return FAIL(CL_INVALID_VALUE, "%zu bytes at %p do not lie in an SVM allocation of the queue's context", size, ptr);
	return CL_SUCCESS;
}

/* The range lies in one allocation, or in memory of the host's own: what begins in an allocation ends in it. */
static cl_int check_not_across(cl_command_queue q, const void *ptr, size_t size)
{
	if (svm_place(q->context, ptr, size) == SVM_ACROSS)
		return FAIL(CL_INVALID_VALUE, "%zu bytes at %p leave the SVM allocation that they begin in", size, ptr);
	return CL_SUCCESS;
}

/* A command that only takes its place in the order. */
static cl_int enqueue_nothing(cl_command_queue queue, cl_command_type type, bool blocking, EVENT_PARAMETERS)
{
	BEGIN_COMMAND(c, queue, type);
	return command_submit(&c, blocking, event);
}

/* ---- free ---- */

/* What clEnqueueSVMFree leaves until its command has ended. */
struct freeing {
	cl_command_queue queue; /* in use */
	void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void *[], void *); /* NULL: the memory is ours to free */
	void *arg;
	struct umd_bo **bo;     /* claimed; until the command has been submitted */
	cl_uint count;
	void *pointers[];
};

static void freeing_destroy(struct freeing *f)
{
	cl_command_queue queue = f->queue;
	free(f->bo);
	free(f);
	object_unuse(&queue->object);
}

static void freeing_call(void *arg)
{
	struct freeing *f = arg;
	f->fn(f->queue, f->count, f->pointers, f->arg);
	freeing_destroy(f);
}

/* The callback's part. One whose command was ended by an error is not called: nothing has been freed, and the
 * pointers are still the application's. */
static void freeing_callback(void *arg, cl_int status)
{
	if (status == CL_COMPLETE)
		callback_post(freeing_call, arg);
	else
		freeing_destroy(arg);
}

static struct freeing *freeing_create(cl_command_queue queue, cl_uint count, void *pointers[])
{
	struct freeing *f = calloc(1, sizeof *f + count * sizeof f->pointers[0]);
	struct umd_bo **bo = calloc(count ? count : 1, sizeof *bo);
	if (!f || !bo) {
		free(f);
		free(bo);
		return NULL;
	}
	object_use(&queue->object);
	f->queue = queue;
	f->bo = bo;
	f->count = count;
	if (count)
		memcpy(f->pointers, pointers, count * sizeof f->pointers[0]);
	return f;
}

static void unclaim(struct freeing *f, cl_uint count)
{
	for (cl_uint i = 0; i < count; i++)
		if (f->bo[i])
			svm_unclaim(f->queue->context, f->pointers[i], f->bo[i]);
}

/* 5.6.1: without a callback every pointer is what clSVMAlloc returned for the queue's context; NULL is ignored */
static cl_int claim(struct freeing *f)
{
	for (cl_uint i = 0; i < f->count; i++) {
		if (!f->pointers[i])
			continue;
		f->bo[i] = svm_claim(f->queue->context, f->pointers[i]);
		if (!f->bo[i]) {
			unclaim(f, i);
			return FAIL(CL_INVALID_VALUE, "entry %u, %p, is not an SVM allocation of the context, or is being freed", i,
				    f->pointers[i]);
		}
	}
	return CL_SUCCESS;
}

/* From now on the pointers mean nothing. */
static void freeing_forget(void *arg, cl_int status)
{
	struct freeing *f = arg;
	(void)status; /* a failure of what was waited for is the end of the allocations, too */
	for (cl_uint i = 0; i < f->count; i++)
		if (f->pointers[i])
			svm_forget(f->queue->context, f->pointers[i]);
	freeing_destroy(f);
}

/* Memory is given to the driver when the command is submitted, not when it runs: it lives until everything before and
 * the command itself have ended, and where it is used anew depends on the calls alone. */
static cl_int free_without_callback(struct command *c, struct freeing *f, cl_event *event)
{
	cl_uint count = f->count;
	struct umd_bo **bo = f->bo;
	cl_int code = claim(f);
	if (code) {
		command_abort(c);
		freeing_destroy(f);
		return code;
	}
	/* the hook may run as soon as the command is submitted, and then f is gone */
	f->bo = NULL;
	command_hook(c, freeing_forget, f);
	code = command_submit(c, false, event);
	for (cl_uint i = 0; i < count; i++)
		umd_bo_release(bo[i]);
	free(bo);
	return code;
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMFree(cl_command_queue queue, cl_uint num_pointers, void *pointers[],
							void(CL_CALLBACK *free_func)(cl_command_queue, cl_uint, void *[], void *),
							void *user_data, EVENT_PARAMETERS)
{
	/* CL_ENQUEUESVMFREE_QUEUE */
	NEED_QUEUE(queue);
	/* CL_ENQUEUESVMFREE_LIST_COUNT, CL_ENQUEUESVMFREE_LIST_NULL: 5.6.1: CL_INVALID_VALUE for a list without entries, or entries without a list */
	FAIL_IF(!num_pointers != !pointers, CL_INVALID_VALUE, "%u pointers in list %p", num_pointers, (void *)pointers);
	/* CL_ENQUEUESVMFREE_WAIT_LIST_NULL, _COUNT, _EVENT */
	BEGIN_COMMAND(c, queue, CL_COMMAND_SVM_FREE);
	struct freeing *f = freeing_create(queue, num_pointers, pointers);
	if (!f) {
		command_abort(&c);
		return FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the list of %u pointers", num_pointers);
	}
	if (!free_func)
		return free_without_callback(&c, f, event);
	f->fn = free_func;
	f->arg = user_data;
	command_hook(&c, freeing_callback, f);
	return command_submit(&c, false, event);
}

/* ---- copy and fill ---- */

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *dst, const void *src, size_t size,
							  EVENT_PARAMETERS)
{
	/* CL_ENQUEUESVMMEMCPY_QUEUE */
	NEED_QUEUE(queue);
	/* CL_ENQUEUESVMMEMCPY_DST_NULL, CL_ENQUEUESVMMEMCPY_SRC_NULL: 5.6.2: CL_INVALID_VALUE */
	FAIL_IF(!dst || !src, CL_INVALID_VALUE, "no %s", dst ? "source" : "destination");
	/* CL_ENQUEUESVMMEMCPY_OVERLAP: 5.6.2: CL_MEM_COPY_OVERLAP if both share a byte */
	const uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
	FAIL_IF((d > s ? d - s : s - d) < size, CL_MEM_COPY_OVERLAP, "%zu bytes at %p and %p", size, src, dst);
	TRY(check_not_across(queue, dst, size));
	TRY(check_not_across(queue, src, size));
	/* CL_ENQUEUESVMMEMCPY_WAIT_LIST_NULL, _COUNT, _EVENT */
	BEGIN_COMMAND(c, queue, CL_COMMAND_SVM_MEMCPY);
	const size_t region[3] = {size, 1, 1};
	if (size) {
		struct box from = command_host_source(&c, src, 0, 0, region);
		command_copy(&c, from, command_host_target(&c, dst, 0, 0, region), region);
	}
	return command_submit(&c, blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMMemFill(cl_command_queue queue, void *svm_pointer, const void *pattern, size_t pattern_size,
							   size_t size, EVENT_PARAMETERS)
{
	/* CL_ENQUEUESVMMEMFILL_QUEUE */
	NEED_QUEUE(queue);
	/* CL_ENQUEUESVMMEMFILL_PTR_NULL: 5.6.2: CL_INVALID_VALUE */
	FAIL_IF(!svm_pointer, CL_INVALID_VALUE, "no memory to fill");
	/* CL_ENQUEUESVMMEMFILL_PATTERN_*: 5.6.2: CL_INVALID_VALUE unless it is as large as a scalar or vector */
	if (!pattern || !pattern_size || pattern_size > 128 || (pattern_size & (pattern_size - 1)))
		return FAIL(CL_INVALID_VALUE, "no pattern, or a pattern of %zu bytes", pattern_size);
	/* CL_ENQUEUESVMMEMFILL_ALIGN, CL_ENQUEUESVMMEMFILL_SIZE: 5.6.2: CL_INVALID_VALUE unless pointer and size are multiples of it */
	if ((uintptr_t)svm_pointer % pattern_size || size % pattern_size)
		return FAIL(CL_INVALID_VALUE, "%zu bytes at %p with a pattern of %zu", size, svm_pointer, pattern_size);
	TRY(check_not_across(queue, svm_pointer, size));
	/* CL_ENQUEUESVMMEMFILL_WAIT_LIST_NULL, _COUNT, _EVENT */
	BEGIN_COMMAND(c, queue, CL_COMMAND_SVM_MEMFILL);
	const size_t region[3] = {size, 1, 1};
	if (size)
		command_fill(&c, pattern, pattern_size, command_host_target(&c, svm_pointer, 0, 0, region), region);
	return command_submit(&c, false, event);
}

/* ---- map, unmap, migrate ---- */

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *svm_pointer,
						       size_t size, EVENT_PARAMETERS)
{
	/* CL_ENQUEUESVMMAP_QUEUE */
	NEED_QUEUE(queue);
	/* CL_ENQUEUESVMMAP_PTR_NULL, CL_ENQUEUESVMMAP_SIZE_ZERO: 5.6.2: CL_INVALID_VALUE */
	FAIL_IF(!svm_pointer || !size, CL_INVALID_VALUE, "%zu bytes at %p", size, svm_pointer);
	/* CL_ENQUEUESVMMAP_FLAGS: 5.6.2: CL_INVALID_VALUE */
	TRY(check_map_flags(flags));
	/* memory that is not shared cannot be mapped: no device has fine-grain system memory */
	TRY(check_inside(queue, svm_pointer, size));
	/* CL_ENQUEUESVMMAP_WAIT_LIST_NULL, _COUNT, _EVENT */
	return enqueue_nothing(queue, CL_COMMAND_SVM_MAP, blocking, EVENT_ARGUMENTS);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMUnmap(cl_command_queue queue, void *svm_pointer, EVENT_PARAMETERS)
{
	/* CL_ENQUEUESVMUNMAP_QUEUE */
	NEED_QUEUE(queue);
	/* CL_ENQUEUESVMUNMAP_PTR_NULL: 5.6.2: CL_INVALID_VALUE */
	FAIL_IF(!svm_pointer, CL_INVALID_VALUE, "no memory to unmap");
	TRY(check_inside(queue, svm_pointer, 1));
	/* CL_ENQUEUESVMUNMAP_WAIT_LIST_NULL, _COUNT, _EVENT */
	return enqueue_nothing(queue, CL_COMMAND_SVM_UNMAP, false, EVENT_ARGUMENTS);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint num_pointers, const void **pointers,
							      const size_t *sizes, cl_mem_migration_flags flags, EVENT_PARAMETERS)
{
	/* CL_ENQUEUESVMMIGRATEMEM_QUEUE */
	NEED_QUEUE(queue);
	/* CL_ENQUEUESVMMIGRATEMEM_LIST_ZERO, CL_ENQUEUESVMMIGRATEMEM_LIST_NULL: 5.6.2: CL_INVALID_VALUE */
	FAIL_IF(!num_pointers || !pointers, CL_INVALID_VALUE, "%u pointers in list %p", num_pointers, (void *)pointers);
	/* CL_ENQUEUESVMMIGRATEMEM_FLAGS: 5.6.2: CL_INVALID_VALUE */
	if (flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
		return FAIL(CL_INVALID_VALUE, "migration flags 0x%llx", (unsigned long long)flags);
	/* CL_ENQUEUESVMMIGRATEMEM_RANGE: 5.6.2: CL_INVALID_VALUE unless each range lies in an allocation; without
	 * a size the pointer does */
	for (cl_uint i = 0; i < num_pointers; i++)
		TRY(check_inside(queue, pointers[i], sizes && sizes[i] ? sizes[i] : 1));
	/* CL_ENQUEUESVMMIGRATEMEM_WAIT_LIST_NULL, _COUNT, _EVENT */
	return enqueue_nothing(queue, CL_COMMAND_SVM_MIGRATE_MEM, false, EVENT_ARGUMENTS);
}
