/* What the tests of shared virtual memory share: kernels, allocations, one queue a device. The rule of a check stands
 * beside it. */
#ifndef GALENA_TESTBENCH_SVM_H
#define GALENA_TESTBENCH_SVM_H
#include "testbench/opencl/cl_test.h"

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

#define SVM_MAIN(tests)                                                                            \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		cl_test_init(argc, argv);                                                          \
		return cmocka_run_group_tests(tests, setup, teardown);                             \
	}

#endif
