/* Shared virtual memory: what each entry point does and refuses, pointers that host and devices share, host threads and
 * kernels that talk through atomics. The rule of a check stands beside it. Usage: svm [seed] */
#include "testbench/opencl/cl_test.h"
#include "testbench/skip.h"
#include <pthread.h>
#include <stdatomic.h>

static const char source[] =
	"typedef struct node { int value; global struct node *next; } node;\n"
	/* each list: as many nodes as its head says, from a pool that all take from */
	"kernel void build(global node *heads, global node *pool, global atomic_int *taken, int length) {\n"
	"  size_t i = get_global_id(0); global node *at = heads + i; at->value = i; at->next = 0;\n"
	"  for (int k = 1; k < length; k++) {\n"
	"    global node *n = pool + atomic_fetch_add(taken, 1); n->value = i + k; n->next = 0; at->next = n; at = n; } }\n"
	"kernel void follow(global node *heads, global int *sums) {\n"
	"  size_t i = get_global_id(0); int sum = 0;\n"
	"  for (global node *n = heads + i; n; n = n->next) sum += n->value; sums[i] = sum; }\n"
	/* what it works on is not an argument, but behind one */
	"kernel void behind(global int *global *table) { table[get_global_id(0)][0] += 1; }\n"
	"kernel void where(global int *p, global ulong *out) { *out = (ulong)p; }\n"
	"kernel void kinds(global int *g, constant int *c, local int *l, int v) { if (l) g[0] = c[0] + v; }\n"
	"kernel void add(global int *p, int v) { p[get_global_id(0)] += v; }\n"
	/* 4 bytes: every operation that is one instruction, and one that is a loop */
	"kernel void count(global atomic_uint *sum, global atomic_ulong *wide, global atomic_uint *cas, int times) {\n"
	"  for (int k = 0; k < times; k++) {\n"
	"    atomic_fetch_add_explicit(sum, 1u, memory_order_relaxed, memory_scope_all_svm_devices);\n"
	"    atomic_fetch_add_explicit(wide, 0x100000001ul, memory_order_relaxed, memory_scope_all_svm_devices);\n"
	"    uint old = atomic_load_explicit(cas, memory_order_relaxed, memory_scope_all_svm_devices);\n"
	"    while (!atomic_compare_exchange_weak_explicit(cas, &old, old + 3, memory_order_seq_cst, memory_order_relaxed, memory_scope_all_svm_devices)) ; } }\n"
	/* takes turns with the host: it waits for odd numbers and answers with even ones */
	"kernel void answer(global atomic_uint *turn, global uint *mail, uint turns) {\n"
	"  for (uint k = 0; k < turns; k++) {\n"
	"    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_all_svm_devices) != 2 * k + 1) ;\n"
	"    mail[0] = mail[0] * 5 + k;\n"
	"    atomic_store_explicit(turn, 2 * k + 2, memory_order_release, memory_scope_all_svm_devices); } }\n";

static cl_program program;              /* of cl.all */
static cl_context foreign;              /* another context of the same devices */
static cl_command_queue queues[CL_TEST_DEVICES];
static bool fine;                       /* the devices are coherent */

static cl_kernel kernel(const char *name)
{
	cl_int code;
	cl_kernel k = clCreateKernel(program, name, &code);
	CL_OK(code);
	return k;
}

static void *shared(size_t size, cl_svm_mem_flags flags)
{
	void *p = clSVMAlloc(cl.all, flags, size, 0);
	assert_non_null(p);
	return p;
}

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
		unsigned at = cl_test_random(&seed) % LIVE;
		if (live[at]) {
			assert_int_equal(live[at][0], (char)at);
			assert_int_equal(live[at][size[at] - 1], (char)at);
			clSVMFree(cl.all, live[at]);
		}
		size[at] = 1 + cl_test_random(&seed) % 20000;
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
		plain[i] = (unsigned char)cl_test_random(&seed);
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

static int setup(void **state)
{
	const char *text = source;
	cl_device_svm_capabilities caps = 0;
	cl_int code = 0;
	if (cl_test_setup(state) || clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof caps, &caps, NULL))
		return -1;
	fine = caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	for (cl_uint i = 0; i < cl.num_devices && !code; i++)
		queues[i] = clCreateCommandQueue(cl.all, cl.devices[i], 0, &code);
	if (!code)
		foreign = clCreateContext(NULL, cl.num_devices, cl.devices, NULL, NULL, &code);
	if (!code)
		program = clCreateProgramWithSource(cl.all, 1, &text, NULL, &code);
	if (!code)
		code = clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL);
	if (code && program) {
		char log[4096] = "";
		clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fprintf(stderr, "setup: %d\n%s\n", code, log);
	}
	return code;
}

static int teardown(void **state)
{
	clReleaseProgram(program);
	clReleaseContext(foreign);
	for (cl_uint i = 0; i < cl.num_devices; i++)
		clReleaseCommandQueue(queues[i]);
	return cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capabilities),	   cmocka_unit_test(allocation),     cmocka_unit_test(allocation_errors),
		cmocka_unit_test(free_ignores),	   cmocka_unit_test(many),	     cmocka_unit_test(large),
		cmocka_unit_test(linked_lists),	   cmocka_unit_test(arguments),	     cmocka_unit_test(argument_errors),
		cmocka_unit_test(exec_info),	   cmocka_unit_test(copies),	     cmocka_unit_test(copy_errors),
		cmocka_unit_test(fills),	   cmocka_unit_test(fill_errors),    cmocka_unit_test(maps),
		cmocka_unit_test(map_errors),	   cmocka_unit_test(migration),	     cmocka_unit_test(free_in_turn),
		cmocka_unit_test(free_callback),   cmocka_unit_test(free_errors),    cmocka_unit_test(buffers),
		cmocka_unit_test(transfers_in_order), cmocka_unit_test(contexts),    cmocka_unit_test(counting_together),
		cmocka_unit_test(taking_turns),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
