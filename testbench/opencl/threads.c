/* Compute units on several host threads, seen by an application: a program that is run with each number of them
 * prints the same results, device times and counters. What its work-groups tell each other goes by OpenCL's atomics,
 * so there is one right result, which is checked here, too. Usage: threads [seed], or threads --program */
#include "testbench/opencl/cl_test.h"

enum { GROUPS = 24, LOCAL = 64, ITEMS = GROUPS * LOCAL, BINS = 64 };

static const char source[] =
	"#pragma OPENCL EXTENSION cl_khr_fp64 : disable\n"
	/* each group waits for the one before it, takes over what that has written, and passes it on */
	"kernel void chain(global int *data, global atomic_int *flags) {\n"
	"  int g = get_group_id(0), l = get_local_id(0), n = get_local_size(0);\n"
	"  if (g && !l) while (!atomic_load_explicit(flags + g - 1, memory_order_acquire, memory_scope_device)) ;\n"
	"  work_group_barrier(CLK_GLOBAL_MEM_FENCE);\n"
	"  data[g * n + l] = (g ? data[(g - 1) * n + (l + 1) % n] : 0) * 3 + l + g;\n"
	"  work_group_barrier(CLK_GLOBAL_MEM_FENCE);\n"
	"  if (!l) atomic_store_explicit(flags + g, 1, memory_order_release, memory_scope_device); }\n"
	/* places in a list, in the order in which they come, and how often each value was there */
	"kernel void list(global int *data, global atomic_int *counts) {\n"
	"  int i = get_global_id(0), v = (i * 2654435761u) >> 26;\n"
	"  for (int k = 0; k < 20; k++) { data[i] = atomic_fetch_add(counts + (v + k) % 64, 1) * 100 + k; } }\n"
	/* divergent, with a table that all read, and local memory */
	"kernel void walk(global int *data, global int *table) {\n"
	"  local int part[64]; int i = get_global_id(0), l = get_local_id(0), x = i, n = 0;\n"
	"  for (; x != 1 && n < 400; n++) x = x & 1 ? 3 * x + 1 : x / 2 + (x == 0);\n"
	"  part[l] = n + table[(n * 7 + i) & 63]; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  for (int s = 32; s; s /= 2) { if (l < s) part[l] += part[l + s]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
	"  data[i] = n + part[0]; }\n";

static uint64_t hash(uint64_t h, const int32_t *data, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		h = (h ^ (uint32_t)data[i]) * 0x100000001b3;
	return h;
}

static void launch(cl_program program, const char *name, int32_t *data, int32_t *extra)
{
	cl_int code;
	cl_event event;
	cl_ulong start, end;
	size_t global = ITEMS, local = LOCAL;
	cl_kernel kernel = clCreateKernel(program, name, &code);
	cl_mem a = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, ITEMS * 4, NULL, &code);
	cl_mem b = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BINS * 4, extra, &code);

	CL_OK(code);
	CL_OK(clSetKernelArg(kernel, 0, sizeof a, &a));
	CL_OK(clSetKernelArg(kernel, 1, sizeof b, &b));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &local, 0, NULL, &event));
	CL_OK(clEnqueueReadBuffer(cl.queue, a, CL_TRUE, 0, ITEMS * 4, data, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, b, CL_TRUE, 0, BINS * 4, extra, 0, NULL, NULL));
	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
	CL_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
	printf("%s: %016llx %016llx, %llu ns\n", name, (unsigned long long)hash(1, data, ITEMS),
	       (unsigned long long)hash(1, extra, BINS), (unsigned long long)(end - start));
	CL_OK(clReleaseEvent(event));
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
	CL_OK(clReleaseKernel(kernel));
}

static void program(void **state)
{
	(void)state;
	cl_int code;
	const char *text = source;
	static int32_t data[ITEMS], extra[BINS], before[LOCAL];
	cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);

	CL_OK(code);
	CL_OK(clBuildProgram(p, 1, &cl.device, "-cl-std=CL3.0", NULL, NULL));
	memset(extra, 0, sizeof extra);
	launch(p, "chain", data, extra);
	for (int g = 0; g < GROUPS; g++) {
		assert_int_equal(extra[g], 1);
		for (int l = 0; l < LOCAL; l++)
			assert_int_equal(data[g * LOCAL + l],
					 (int32_t)((g ? (uint32_t)before[(l + 1) % LOCAL] : 0) * 3 + (uint32_t)(l + g)));
		memcpy(before, data + g * LOCAL, sizeof before);
	}
	memset(extra, 0, sizeof extra);
	launch(p, "list", data, extra);
	int all = 0;
	for (unsigned i = 0; i < BINS; i++)
		all += extra[i];
	assert_int_equal(all, ITEMS * 20);
	for (unsigned i = 0; i < BINS; i++)
		extra[i] = (int32_t)(i * i);
	for (unsigned i = 0; i < 20; i++)
		launch(p, "walk", data, extra);
	CL_OK(clReleaseProgram(p));
}

/* ---- with each number of threads ---- */

static char self[PATH_MAX];

static void output_of(unsigned threads, const char *speed, char *out, size_t size)
{
	char command[8400];
	size_t n;
	FILE *f;

	snprintf(command, sizeof command, "GALENA_HOST_THREADS=%u GALENA_SPEED=%s GALENA_COUNTERS=1 '%s' --program 2>&1",
		 threads, speed, self);
	f = popen(command, "r");
	assert_non_null(f);
	n = fread(out, 1, size - 1, f);
	out[n] = 0;
	if (pclose(f))
		fail_msg("%s:\n%s", command, out);
	assert_true(n < size - 1);
	assert_non_null(strstr(out, "walk: "));
}

static void same_for_any_number(void **state)
{
	static const char *const speeds[] = { "timed", "functional" };
	static char one[1 << 16], more[1 << 16];

	(void)state;
	for (unsigned s = 0; s < 2; s++) {
		output_of(1, speeds[s], one, sizeof one);
		for (unsigned threads = 2; threads <= 4; threads++) {
			output_of(threads, speeds[s], more, sizeof more);
			assert_string_equal(more, one);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest inner[] = { cmocka_unit_test(program) }, tests[] = { cmocka_unit_test(same_for_any_number) };

	program_path(self, 0);
	if (argc > 1 && !strcmp(argv[1], "--program")) {
		cl_test_init(1, argv);
		return cmocka_run_group_tests(inner, cl_test_setup, cl_test_teardown);
	}
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
