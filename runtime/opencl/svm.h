/* Shared virtual memory: the allocations of a context. All of them are pinned system memory at the address that the
 * host uses, in the context's address space, so on every device of it, from clSVMAlloc until they are freed; a kernel
 * may follow a pointer into any of them. */
#ifndef GALENA_RUNTIME_OPENCL_SVM_H
#define GALENA_RUNTIME_OPENCL_SVM_H
#include "runtime/opencl/objects.h"

enum svm_place {
	SVM_OUTSIDE, /* begins in none */
	SVM_INSIDE,  /* lies in one; of 0 bytes, also right behind its last byte */
	SVM_ACROSS,  /* begins in one and ends beyond it */
};
/* Where a range of host memory lies. context->lock must not be held. */
enum svm_place svm_place(struct _cl_context *, const void *ptr, size_t size);
/* Host threads may be talking to running kernels: an allocation with CL_MEM_SVM_ATOMICS exists in some context. */
bool svm_talking(void);
void svm_forked(void); /* in a forked child: its parent's do not count */

/* Takes an allocation away from the application; its memory, to be released, or NULL when ptr is not (or no longer)
 * what clSVMAlloc returned. Until svm_forget the allocation can still be used by commands. */
struct umd_bo *svm_claim(struct _cl_context *, const void *ptr);
/* Undoes svm_claim. */
void svm_unclaim(struct _cl_context *, const void *ptr, struct umd_bo *);
void svm_forget(struct _cl_context *, const void *ptr);
/* At the context's end: what the application has not freed. */
void svm_fini(struct _cl_context *);

#endif
