/* Shared virtual memory: clSVMAlloc, clSVMFree, and which allocations a context has (svm.h). */
#include "runtime/opencl/svm.h"
#include <stdlib.h>
#include <string.h>

struct svm_allocation {
	char *ptr;
	size_t size;
	cl_svm_mem_flags flags;
	struct umd_bo *bo; /* NULL: a command frees it */
};

/* Fine grains need caches that agree with the host's: without them the driver maintains the devices' around each
 * command, which is what coarse grains ask for and no more. */
cl_device_svm_capabilities svm_capabilities(const struct _cl_device_id *device)
{
	return CL_DEVICE_SVM_COARSE_GRAIN_BUFFER |
	       (device->info->coherent ? CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS : 0);
}

/* Allocations with CL_MEM_SVM_ATOMICS. */
static atomic_uint num_atomics;

bool svm_talking(void) { return atomic_load_explicit(&num_atomics, memory_order_relaxed); }
void svm_forked(void) { atomic_store(&num_atomics, 0); }

/* ---- the table: by address; context->lock ---- */

/* The number of allocations that begin at ptr or before. */
static unsigned before(const struct svm_table *t, const void *ptr)
{
	unsigned low = 0, high = t->count;
	while (low < high) {
		unsigned mid = (low + high) / 2;
		if (t->list[mid].ptr <= (const char *)ptr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct svm_allocation *exactly(const struct svm_table *t, const void *ptr)
{
	unsigned n = before(t, ptr);
	return n && t->list[n - 1].ptr == ptr ? &t->list[n - 1] : NULL;
}

static bool table_add(struct svm_table *t, struct svm_allocation a)
{
	if (t->count == t->capacity) {
		unsigned capacity = t->capacity ? 2 * t->capacity : 16;
		struct svm_allocation *grown = realloc(t->list, capacity * sizeof *grown);
		if (!grown)
			return false;
		t->list = grown;
		t->capacity = capacity;
	}
	unsigned at = before(t, a.ptr);
	memmove(&t->list[at + 1], &t->list[at], (t->count - at) * sizeof a);
	t->list[at] = a;
	atomic_fetch_add(&t->count, 1);
	if (a.flags & CL_MEM_SVM_ATOMICS)
		atomic_fetch_add(&num_atomics, 1);
	return true;
}

static void table_remove(struct svm_table *t, struct svm_allocation *a)
{
	if (a->flags & CL_MEM_SVM_ATOMICS)
		atomic_fetch_sub(&num_atomics, 1);
	atomic_fetch_sub(&t->count, 1);
	memmove(a, a + 1, (size_t)(&t->list[t->count] - a) * sizeof *a);
}

enum svm_place svm_place(struct _cl_context *c, const void *ptr, size_t size)
{
	enum svm_place place = SVM_OUTSIDE;
	const uintptr_t at = (uintptr_t)ptr;
	if (!atomic_load_explicit(&c->svm.count, memory_order_relaxed))
		return place;
	HOLDING(&c->lock);
	unsigned n = before(&c->svm, ptr);
	if (n) {
		const struct svm_allocation *a = &c->svm.list[n - 1];
		size_t offset = at - (uintptr_t)a->ptr;
		if (offset <= a->size && size <= a->size - offset)
			place = SVM_INSIDE;
		else if (offset < a->size)
			place = SVM_ACROSS;
	}
	return place;
}

struct umd_bo *svm_claim(struct _cl_context *c, const void *ptr)
{
	struct umd_bo *bo = NULL;
	HOLDING(&c->lock);
	struct svm_allocation *a = exactly(&c->svm, ptr);
	if (a) {
		bo = a->bo;
		a->bo = NULL;
	}
	return bo;
}

void svm_unclaim(struct _cl_context *c, const void *ptr, struct umd_bo *bo)
{
	HOLDING(&c->lock);
	exactly(&c->svm, ptr)->bo = bo;
}

void svm_forget(struct _cl_context *c, const void *ptr)
{
	HOLDING(&c->lock);
	table_remove(&c->svm, exactly(&c->svm, ptr));
}

void svm_fini(struct _cl_context *c)
{
	while (c->svm.count) {
		umd_bo_release(c->svm.list[c->svm.count - 1].bo);
		table_remove(&c->svm, &c->svm.list[c->svm.count - 1]);
	}
	free(c->svm.list);
}

/* ---- the API ---- */

/* OpenCL 3.0, 5.6.1, table of SVM memory flags */
static cl_int check_flags(const struct _cl_context *c, cl_svm_mem_flags flags)
{
	const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
	const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
	/* CL_SVMALLOC_FLAGS: only flags of the table, and at most one kind of access */
	if (flags & ~(access | fine) || __builtin_popcountll(flags & access) > 1)
		return FAIL(CL_INVALID_VALUE, "flags 0x%llx", (unsigned long long)flags);
	/* CL_SVMALLOC_FLAGS_ATOMICS: atomics are of fine-grain allocations only */
	FAIL_IF((flags & fine) == CL_MEM_SVM_ATOMICS, CL_INVALID_VALUE, "CL_MEM_SVM_ATOMICS without CL_MEM_SVM_FINE_GRAIN_BUFFER");
	/* CL_SVMALLOC_SUPPORT: fine grains that a device of the context does not have */
	for (unsigned i = 0; i < c->num_devices; i++)
		if (flags & fine && !(svm_capabilities(c->devices[i]) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
			return FAIL(CL_INVALID_OPERATION, "%s is not coherent, so has no fine-grain shared memory", c->devices[i]->name);
	return CL_SUCCESS;
}

/* The size of long16, the largest type. */
enum { ALIGNMENT_MAX = 128 };

CL_API_ENTRY void *CL_API_CALL galena_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	/* CL_SVMALLOC_CONTEXT: 5.6.1: NULL unless the context is one */
	FAIL_NULL_IF(!CONTEXT_VALID(context), NULL, CL_INVALID_CONTEXT, "not a context");
	TRY_NULL(NULL, check_flags(context, flags));
	/* CL_SVMALLOC_SIZE: 5.6.1: 0, or more than some device of the context can have */
	for (unsigned i = 0; i < context->num_devices; i++)
		if (!size || size > device_max_alloc(context->devices[i]))
			return FAIL_NULL(NULL, CL_INVALID_BUFFER_SIZE, "%zu bytes, CL_DEVICE_MAX_MEM_ALLOC_SIZE is %llu", size,
					 (unsigned long long)device_max_alloc(context->devices[i]));
	/* CL_SVMALLOC_ALIGN: 5.6.1: a power of two up to the largest type's size; 0 stands for that */
	if (alignment & (alignment - 1) || alignment > ALIGNMENT_MAX)
		return FAIL_NULL(NULL, CL_INVALID_VALUE, "alignment %u is not a power of two up to %d", alignment, ALIGNMENT_MAX);
	struct umd_bo *bo;
	int error = umd_bo_create(context->space, 0, size, KMD_BO_SVM, &bo); /* aligned to pages */
	if (error) {
		log_write(LOG_INFO, "clSVMAlloc: no shared memory of %zu bytes (%d)", size, error);
		return NULL;
	}
	char *ptr = umd_bo_cpu(bo);
	pthread_mutex_lock(&context->lock);
	bool ok = table_add(&context->svm, (struct svm_allocation){ptr, size, flags, bo});
	pthread_mutex_unlock(&context->lock);
	if (ok)
		return ptr;
	umd_bo_release(bo);
	log_write(LOG_INFO, "clSVMAlloc: no host memory");
	return NULL;
}

/* Waits for nothing: the memory is used anew once all commands that were enqueued before have ended. */
CL_API_ENTRY void CL_API_CALL galena_clSVMFree(cl_context context, void *svm_pointer)
{
	/* 5.6.1: NULL is ignored; anything else has to come from clSVMAlloc, and only once */
	if (!svm_pointer)
		return;
	struct umd_bo *bo = CONTEXT_VALID(context) ? svm_claim(context, svm_pointer) : NULL;
	if (!bo) {
		log_write(LOG_ERROR, "clSVMFree: %p is not an SVM allocation of the context, or has been freed: ignored", svm_pointer);
		return;
	}
	svm_forget(context, svm_pointer);
	umd_bo_release(bo);
}
