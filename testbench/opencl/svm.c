/* Shared virtual memory: allocations, pointers that host and devices share, buffers of them, host threads and kernels
 * that talk through atomics. Usage: svm [seed] */
#include "testbench/opencl/svm.h"
#include "testbench/skip.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static void run(cl_command_queue q, cl_kernel k, size_t items)
{
	CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
	CL_OK(clFinish(q));
}

/* ---- capabilities, allocation ---- */

static void capabilities(void **state)
{
	(void)state;
	for (cl_uint i = 0; i < cl.num_devices; i++) {
		cl_device_svm_capabilities caps = 0;
		CL_OK(clGetDeviceInfo(cl.devices[i], CL_DEVICE_SVM_CAPABILITIES, sizeof caps, &caps, NULL));
		assert_true(caps & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
		assert_int_equal(caps & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, 0);
		assert_int_equal(!(caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER), !(caps & CL_DEVICE_SVM_ATOMICS));
		/* fine grains are there exactly when caches agree */
		const char *config = getenv("GALENA_CONFIG");
		assert_int_equal(!(caps & CL_DEVICE_SVM_ATOMICS), config && strstr(config, "coherent=0"));
	}
}

static void allocation(void **state)
{
	static const cl_svm_mem_flags good[] = {0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
	static const cl_svm_mem_flags grains[] = {0, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS};
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		for (unsigned g = 0; g < 3; g++)
			for (cl_uint align = 0; align <= 128; align = align ? align * 2 : 1) {
				char *p = clSVMAlloc(cl.all, good[i] | grains[g], 1000, align);
				if (g && !fine) { /* CL_SVMALLOC_SUPPORT */
					assert_null(p);
					continue;
				}
				assert_non_null(p);
				assert_int_equal((uintptr_t)p % (align ? align : 128), 0);
				p[0] = p[999] = 1;
				clSVMFree(cl.all, p);
			}
}

static void allocation_errors(void **state)
{
	cl_ulong most;
	(void)state;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
	/* CL_SVMALLOC_CONTEXT */
	assert_null(clSVMAlloc((cl_context)cl.queue, CL_MEM_READ_WRITE, 64, 0));
	/* CL_SVMALLOC_FLAGS */
	assert_null(clSVMAlloc(cl.all, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0));
	assert_null(clSVMAlloc(cl.all, CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY, 64, 0));
	assert_null(clSVMAlloc(cl.all, CL_MEM_USE_HOST_PTR, 64, 0));
	assert_null(clSVMAlloc(cl.all, CL_MEM_READ_WRITE | 1ull << 40, 64, 0));
	/* CL_SVMALLOC_FLAGS_ATOMICS */
	assert_null(clSVMAlloc(cl.all, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, 64, 0));
	/* CL_SVMALLOC_SIZE */
	assert_null(clSVMAlloc(cl.all, CL_MEM_READ_WRITE, 0, 0));
	assert_null(clSVMAlloc(cl.all, CL_MEM_READ_WRITE, most + 1, 0));
	assert_null(clSVMAlloc(cl.all, CL_MEM_READ_WRITE, SIZE_MAX, 0));
	/* CL_SVMALLOC_ALIGN */
	assert_null(clSVMAlloc(cl.all, CL_MEM_READ_WRITE, 64, 3));
	assert_null(clSVMAlloc(cl.all, CL_MEM_READ_WRITE, 64, 96));
	assert_null(clSVMAlloc(cl.all, CL_MEM_READ_WRITE, 64, 256));
}

/* NULL, and what is no allocation (any more): nothing happens. */
static void free_ignores(void **state)
{
	char *p = shared(64, 0), *q = shared(64, 0);
	(void)state;
	q[0] = 42;
	clSVMFree(cl.all, NULL);
	clSVMFree(cl.all, p + 1);
	clSVMFree(foreign, p);
	clSVMFree((cl_context)cl.queue, p);
	clSVMFree(cl.all, p);
	clSVMFree(cl.all, p);
	assert_int_equal(q[0], 42);
	clSVMFree(cl.all, q);
}

/* Freed addresses come back, and memory of theirs is not kept: this is more than the host may have. */
static void many(void **state)
{
	enum { LIVE = 100, ROUNDS = 10000 };
	uint64_t seed = cl_test_seed();
	char *live[LIVE] = {NULL}, *lowest = (char *)UINTPTR_MAX, *highest = NULL;
	size_t size[LIVE];
	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned at = splitmix64(&seed) % LIVE;
		if (live[at]) {
			assert_int_equal(live[at][0], (char)at);
			assert_int_equal(live[at][size[at] - 1], (char)at);
			clSVMFree(cl.all, live[at]);
		}
		size[at] = 1 + splitmix64(&seed) % 20000;
		live[at] = shared(size[at], 0);
		for (unsigned k = 0; k < LIVE; k++)
			assert_true(k == at || !live[k] || live[k] + size[k] <= live[at] || live[at] + size[at] <= live[k]);
		assert_int_equal(live[at][size[at] / 2], 0);
		live[at][0] = live[at][size[at] - 1] = (char)at;
		lowest = live[at] < lowest ? live[at] : lowest;
		highest = live[at] > highest ? live[at] : highest;
	}
	assert_true((size_t)(highest - lowest) < 4 * LIVE * 24576);
	for (unsigned i = 0; i < LIVE; i++)
		clSVMFree(cl.all, live[i]);
}

/* A large one, in which the page tables have larger entries; each device writes a part of it. */
static void large(void **state)
{
	enum { BYTES = 9 << 20 };
	cl_kernel k = kernel("add");
	int *p = shared(BYTES, 0), five = 5, seven = 7;
	size_t items = 64;
	(void)state;
	for (unsigned i = 0; i < BYTES / 4; i += 1023)
		p[i] = (int)i;
	for (unsigned part = 0; part < 8; part++) {
		int *from = p + part * (BYTES / 4 / 8) + 1;
		CL_OK(clSetKernelArgSVMPointer(k, 0, from));
		CL_OK(clSetKernelArg(k, 1, 4, part % 2 ? &five : &seven));
		int before = from[40];
		run(queues[part % cl.num_devices], k, items);
		assert_int_equal(from[40], before + (part % 2 ? 5 : 7));
	}
	clSVMFree(cl.all, p);
	CL_OK(clReleaseKernel(k));
}

/* ---- kernels ---- */

struct node {
	int value;
	struct node *next;
};

/* Lists made by each device and by the host are followed by each device and by the host. */
static void linked_lists(void **state)
{
	enum { LISTS = 96, LENGTH = 20 };
	cl_kernel build = kernel("build"), follow = kernel("follow");
	struct node *heads = shared(LISTS * sizeof *heads, 0), *pool = shared(LISTS * LENGTH * sizeof *pool, 0);
	int *taken = shared(4, 0), *sums = shared(LISTS * 4, 0), length = LENGTH;
	void *reached[] = {pool + 7};
	(void)state;
	CL_OK(clSetKernelArgSVMPointer(build, 0, heads));
	CL_OK(clSetKernelArgSVMPointer(build, 1, pool));
	CL_OK(clSetKernelArgSVMPointer(build, 2, taken));
	CL_OK(clSetKernelArg(build, 3, sizeof length, &length));
	CL_OK(clSetKernelArgSVMPointer(follow, 0, heads));
	CL_OK(clSetKernelArgSVMPointer(follow, 1, sums));
	CL_OK(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
	for (cl_uint maker = 0; maker <= cl.num_devices; maker++)
		for (cl_uint reader = 0; reader <= cl.num_devices; reader++) {
			memset(heads, 0, LISTS * sizeof *heads);
			memset(sums, 0, LISTS * 4);
			*taken = 0;
			if (maker < cl.num_devices) {
				run(queues[maker], build, LISTS);
				assert_int_equal(*taken, LISTS * (LENGTH - 1));
			}
			for (int i = 0; maker == cl.num_devices && i < LISTS; i++) {
				struct node *at = &heads[i];
				*at = (struct node){i, NULL};
				for (int n = 1; n < LENGTH; n++) {
					struct node *fresh = &pool[(*taken)++];
					*fresh = (struct node){i + n, NULL};
					at->next = fresh;
					at = fresh;
				}
			}
			if (reader < cl.num_devices)
				run(queues[reader], follow, LISTS);
			for (int i = 0; i < LISTS; i++) {
				for (struct node *n = &heads[i]; reader == cl.num_devices && n; n = n->next)
					sums[i] += n->value;
				assert_int_equal(sums[i], LENGTH * i + LENGTH * (LENGTH - 1) / 2);
			}
		}
	clSVMFree(cl.all, heads);
	clSVMFree(cl.all, pool);
	clSVMFree(cl.all, taken);
	clSVMFree(cl.all, sums);
	CL_OK(clReleaseKernel(build));
	CL_OK(clReleaseKernel(follow));
}

/* Any address inside is an argument, so is one behind the end, which kernels compare with; the address is the host's.
 * A copy of the kernel has it, too; a buffer in its place takes it away. */
static void arguments(void **state)
{
	cl_kernel k = kernel("where"), copy;
	char *p = shared(100, 0);
	cl_ulong *out = shared(8, 0);
	cl_int code;
	(void)state;
	CL_OK(clSetKernelArgSVMPointer(k, 1, out));
	const size_t offsets[] = {0, 1, 60, 100};
	for (unsigned i = 0; i < 4; i++) {
		CL_OK(clSetKernelArgSVMPointer(k, 0, p + offsets[i]));
		run(queues[0], k, 1);
		assert_int_equal(*out, (uintptr_t)p + offsets[i]);
	}
	copy = clCloneKernel(k, &code);
	CL_OK(code);
	*out = 0;
	CL_OK(clSetKernelArgSVMPointer(k, 0, NULL));
	run(queues[0], copy, 1);
	assert_int_equal(*out, (uintptr_t)p + 100);
	run(queues[0], k, 1);
	assert_int_equal(*out, 0);
	CL_OK(clSetKernelArgSVMPointer(k, 0, p));
	cl_mem none = NULL;
	*out = 1;
	CL_OK(clSetKernelArg(k, 0, sizeof none, &none));
	run(queues[0], k, 1);
	assert_int_equal(*out, 0);
	clSVMFree(cl.all, p);
	clSVMFree(cl.all, out);
	CL_OK(clReleaseKernel(copy));
	CL_OK(clReleaseKernel(k));
}

static void argument_errors(void **state)
{
	cl_kernel k = kernel("kinds");
	char *p = shared(100, 0), *other = clSVMAlloc(foreign, 0, 100, 0), *gone = shared(100, 0);
	int here = 0;
	(void)state;
	clSVMFree(cl.all, gone);
	/* CL_SETKERNELARGSVMPOINTER_KERNEL */
	CL_FAILS(CL_INVALID_KERNEL, clSetKernelArgSVMPointer((cl_kernel)program, 0, p));
	/* CL_SETKERNELARGSVMPOINTER_INDEX */
	CL_FAILS(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(k, 4, p));
	/* CL_SETKERNELARGSVMPOINTER_VALUE */
	CL_FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 2, p));
	CL_FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 3, p));
	/* CL_SETKERNELARGSVMPOINTER_VALUE */
	CL_FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 0, &here));
	CL_FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 0, p + 101));
	CL_FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 0, p - 1));
	CL_FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 1, other));
	CL_FAILS(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(k, 0, gone));
	CL_OK(clSetKernelArgSVMPointer(k, 0, p));
	CL_OK(clSetKernelArgSVMPointer(k, 1, p));
	clSVMFree(cl.all, p);
	clSVMFree(foreign, other);
	CL_OK(clReleaseKernel(k));
}

static void exec_info(void **state)
{
	cl_kernel k = kernel("behind");
	int **table = shared(3 * sizeof *table, 0);
	void *list[3];
	cl_bool yes = CL_TRUE, no = CL_FALSE;
	(void)state;
	for (int i = 0; i < 3; i++) {
		list[i] = table[i] = shared(64 << i, 0);
		table[i][0] = 10 * i;
	}
	CL_OK(clSetKernelArgSVMPointer(k, 0, table));
	CL_OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list));
	run(queues[cl.num_devices - 1], k, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(table[i][0], 10 * i + 1);
	CL_OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
	CL_OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
	/* CL_SETKERNELEXECINFO_KERNEL */
	CL_FAILS(CL_INVALID_KERNEL, clSetKernelExecInfo((cl_kernel)program, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list));
	/* CL_SETKERNELEXECINFO_PARAM_SIZE, _VALUE_NULL */
	CL_FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, list));
	CL_FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, NULL));
	CL_FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &no));
	CL_FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, NULL));
	/* CL_SETKERNELEXECINFO_SYSTEM */
	CL_FAILS(CL_INVALID_OPERATION, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
	/* CL_SETKERNELEXECINFO_PARAM_NAME */
	CL_FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(k, CL_KERNEL_ARG_NAME, sizeof list, list));
	/* and pointers into no allocation */
	list[1] = &yes;
	CL_FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list));
	for (int i = 0; i < 3; i++)
		clSVMFree(cl.all, table[i]);
	clSVMFree(cl.all, table);
	CL_OK(clReleaseKernel(k));
}

/* ---- buffers ---- */

static cl_bool uses_svm(cl_mem m)
{
	cl_bool uses = 2;
	CL_OK(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
	return uses;
}

static void buffers(void **state)
{
	cl_kernel k = kernel("where");
	char *p = shared(1000, 0), *mapped, other[512];
	cl_ulong *out = shared(8, 0);
	cl_int code;
	(void)state;
	cl_mem m = clCreateBuffer(cl.all, CL_MEM_USE_HOST_PTR, 1000, p, &code), part, plain;
	CL_OK(code);
	part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){256, 256}, &code);
	CL_OK(code);
	plain = clCreateBuffer(cl.all, CL_MEM_USE_HOST_PTR, sizeof other, other, &code);
	CL_OK(code);
	assert_int_equal(uses_svm(m), CL_TRUE);
	assert_int_equal(uses_svm(part), CL_TRUE);
	assert_int_equal(uses_svm(plain), CL_FALSE);
	CL_OK(clSetKernelArg(k, 0, sizeof part, &part));
	CL_OK(clSetKernelArgSVMPointer(k, 1, out));
	run(queues[0], k, 1);
	assert_int_equal(*out, (uintptr_t)p + 256);
	mapped = clEnqueueMapBuffer(queues[0], m, CL_TRUE, CL_MAP_WRITE, 10, 100, 0, NULL, NULL, &code);
	CL_OK(code);
	assert_ptr_equal(mapped, p + 10);
	mapped[5] = 77;
	CL_OK(clEnqueueUnmapMemObject(queues[0], m, mapped, 0, NULL, NULL));
	CL_OK(clEnqueueCopyBuffer(queues[0], m, part, 0, 0, 256, 0, NULL, NULL));
	CL_OK(clFinish(queues[0]));
	assert_int_equal(p[256 + 15], 77);
	/* CL_CREATEBUFFER_SIZE_SVM: no more than the allocation has */
	assert_null(clCreateBuffer(cl.all, CL_MEM_USE_HOST_PTR, 1001, p, &code));
	assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
	assert_null(clCreateBuffer(cl.all, CL_MEM_COPY_HOST_PTR, 2000, p, &code));
	assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
	assert_null(clCreateBuffer(cl.all, CL_MEM_USE_HOST_PTR, 1000, p + 1, &code));
	assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
	CL_OK(clReleaseMemObject(plain));
	CL_OK(clReleaseMemObject(part));
	CL_OK(clReleaseMemObject(m));
	p[0] = 1; /* still the application's */
	clSVMFree(cl.all, p);
	clSVMFree(cl.all, out);
	CL_OK(clReleaseKernel(k));
}

/* Reads and writes of buffers from and to shared memory happen on the device, in order with kernels that use it. */
static void transfers_in_order(void **state)
{
	cl_kernel k = kernel("add");
	int *p = shared(4096, 0), two = 2, result[1024];
	size_t items = 1024;
	cl_int code;
	(void)state;
	for (int i = 0; i < 1024; i++)
		result[i] = i;
	cl_mem m = clCreateBuffer(cl.all, CL_MEM_COPY_HOST_PTR, 4096, result, &code);
	CL_OK(code);
	CL_OK(clSetKernelArgSVMPointer(k, 0, p));
	CL_OK(clSetKernelArg(k, 1, 4, &two));
	for (int round = 0; round < 3; round++) {
		CL_OK(clEnqueueReadBuffer(queues[0], m, CL_FALSE, 0, 4096, p, 0, NULL, NULL));
		CL_OK(clEnqueueNDRangeKernel(queues[0], k, 1, NULL, &items, NULL, 0, NULL, NULL));
		CL_OK(clEnqueueWriteBuffer(queues[0], m, CL_FALSE, 0, 4096, p, 0, NULL, NULL));
	}
	CL_OK(clEnqueueReadBuffer(queues[0], m, CL_TRUE, 0, 4096, result, 0, NULL, NULL));
	for (int i = 0; i < 1024; i++)
		assert_int_equal(result[i], i + 6);
	CL_OK(clReleaseMemObject(m));
	clSVMFree(cl.all, p);
	CL_OK(clReleaseKernel(k));
}

/* Contexts do not see one another's; no two allocations have one address. */
static void contexts(void **state)
{
	char *mine = shared(100, 0), *theirs = clSVMAlloc(foreign, 0, 100, 0), *left;
	cl_int code;
	(void)state;
	assert_non_null(theirs);
	assert_ptr_not_equal(mine, theirs);
	cl_context brief = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
	CL_OK(code);
	left = clSVMAlloc(brief, 0, 100, 0);
	assert_non_null(left);
	CL_OK(clReleaseContext(brief)); /* with all that it has */
	char *again = shared(100, 0);
	assert_ptr_equal(again, left);
	clSVMFree(cl.all, again);
	clSVMFree(cl.all, mine);
	clSVMFree(foreign, theirs);
}

/* ---- host threads and kernels ---- */

enum { DEVICE_TIMES = 300, DEVICE_ITEMS = 256 };

/* What both sides count, and how often the host has: from the first sign of a device to the end of the last. */
struct counters {
	_Atomic uint32_t sum;
	_Atomic uint32_t cas;
	_Atomic uint64_t wide;
	atomic_bool stop;
	uint32_t times;
};

static void *count_along(void *arg)
{
	struct counters *c = arg;
	while (!atomic_load(&c->sum))
		;
	for (; !atomic_load(&c->stop); c->times++) {
		atomic_fetch_add(&c->sum, 1);
		atomic_fetch_add(&c->wide, 0x100000001ull);
		uint32_t old = atomic_load(&c->cas);
		while (!atomic_compare_exchange_weak(&c->cas, &old, old + 3))
			;
	}
	return NULL;
}

/* Nothing that either side adds is lost. */
static void counting_together(void **state)
{
	cl_kernel k = kernel("count");
	struct counters *c;
	int times = DEVICE_TIMES;
	size_t items = DEVICE_ITEMS;
	pthread_t thread;
	(void)state;
	if (!fine)
		SKIP("the devices are not coherent, so have no fine-grain shared memory");
	c = shared(sizeof *c, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
	CL_OK(clSetKernelArgSVMPointer(k, 0, &c->sum));
	CL_OK(clSetKernelArgSVMPointer(k, 1, &c->wide));
	CL_OK(clSetKernelArgSVMPointer(k, 2, &c->cas));
	CL_OK(clSetKernelArg(k, 3, sizeof times, &times));
	for (cl_uint i = 0; i < cl.num_devices; i++) {
		CL_OK(clEnqueueNDRangeKernel(queues[i], k, 1, NULL, &items, NULL, 0, NULL, NULL));
		CL_OK(clFlush(queues[i]));
	}
	assert_int_equal(pthread_create(&thread, NULL, count_along, c), 0);
	for (cl_uint i = 0; i < cl.num_devices; i++)
		CL_OK(clFinish(queues[i]));
	atomic_store(&c->stop, true);
	pthread_join(thread, NULL);
	const uint32_t all = c->times + cl.num_devices * DEVICE_TIMES * DEVICE_ITEMS;
	assert_int_equal(atomic_load(&c->sum), all);
	assert_int_equal(atomic_load(&c->cas), 3 * all);
	assert_int_equal(atomic_load(&c->wide), all * 0x100000001ull);
	clSVMFree(cl.all, c);
	CL_OK(clReleaseKernel(k));
}

/* A kernel that waits for the host, and a host that waits for the kernel, one thread in all: it also asks what has
 * become of the kernel, and must be told without waiting for its end. */
static void taking_turns(void **state)
{
	enum { TURNS = 50 };
	struct mail {
		_Atomic uint32_t turn;
		uint32_t mail;
	} *m;
	cl_kernel k = kernel("answer");
	uint32_t turns = TURNS, expected = 1;
	size_t items = 1;
	cl_event event;
	cl_int status = -1;
	(void)state;
	if (!fine)
		SKIP("the devices are not coherent, so have no fine-grain shared memory");
	m = shared(sizeof *m, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
	m->mail = 1;
	CL_OK(clSetKernelArgSVMPointer(k, 0, &m->turn));
	CL_OK(clSetKernelArgSVMPointer(k, 1, &m->mail));
	CL_OK(clSetKernelArg(k, 2, sizeof turns, &turns));
	CL_OK(clEnqueueNDRangeKernel(queues[0], k, 1, NULL, &items, NULL, 0, NULL, &event));
	CL_OK(clFlush(queues[0]));
	for (uint32_t i = 0; i < TURNS; i++) {
		CL_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
		assert_true(status > CL_COMPLETE);
		m->mail += i;
		atomic_store_explicit(&m->turn, 2 * i + 1, memory_order_release);
		while (atomic_load_explicit(&m->turn, memory_order_acquire) != 2 * i + 2)
			;
		expected = (expected + i) * 5 + i;
		assert_int_equal(m->mail, expected);
	}
	while (status != CL_COMPLETE) {
		CL_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
		assert_true(status >= CL_COMPLETE);
	}
	CL_OK(clReleaseEvent(event));
	clSVMFree(cl.all, m);
	CL_OK(clReleaseKernel(k));
}

/* A kernel waits for the host as long as that takes: the device's clock says nothing of it. */
static void host_takes_its_time(void **state)
{
	struct mail {
		_Atomic uint32_t turn;
		uint32_t mail;
	} *m;
	cl_kernel k = kernel("answer");
	uint32_t turns = 1;
	size_t items = 1;
	(void)state;
	if (!fine)
		SKIP("the devices are not coherent, so have no fine-grain shared memory");
	if (getenv("GALENA_WATCHDOG"))
		SKIP("GALENA_WATCHDOG is set, which every kernel is under");
	m = shared(sizeof *m, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
	CL_OK(clSetKernelArgSVMPointer(k, 0, &m->turn));
	CL_OK(clSetKernelArgSVMPointer(k, 1, &m->mail));
	CL_OK(clSetKernelArg(k, 2, sizeof turns, &turns));
	CL_OK(clEnqueueNDRangeKernel(queues[0], k, 1, NULL, &items, NULL, 0, NULL, NULL));
	CL_OK(clFlush(queues[0]));
	sleep(2); /* a device gets through the watchdog's default in less */
	m->mail = 1;
	atomic_store_explicit(&m->turn, 1, memory_order_release);
	CL_OK(clFinish(queues[0]));
	assert_int_equal(atomic_load(&m->turn), 2);
	assert_int_equal(m->mail, 5);
	clSVMFree(cl.all, m);
	CL_OK(clReleaseKernel(k));
}

SVM_MAIN(((const struct CMUnitTest[]){
	cmocka_unit_test(capabilities), cmocka_unit_test(allocation), cmocka_unit_test(allocation_errors),
	cmocka_unit_test(free_ignores), cmocka_unit_test(many), cmocka_unit_test(large),
	cmocka_unit_test(linked_lists), cmocka_unit_test(arguments), cmocka_unit_test(argument_errors),
	cmocka_unit_test(exec_info), cmocka_unit_test(buffers), cmocka_unit_test(transfers_in_order),
	cmocka_unit_test(contexts), cmocka_unit_test(counting_together), cmocka_unit_test(taking_turns), cmocka_unit_test(host_takes_its_time),
}))
