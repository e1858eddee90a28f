/* printf of kernels, against text written by hand and the host's own printf. */
#include "testbench/opencl/cl_test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what goes to standard output while a function runs ---- */

static char captured[1 << 20];
static int saved = -1;
static FILE *file;

static void capture_begin(void)
{
	fflush(stdout);
	file = tmpfile();
	assert_non_null(file);
	saved = dup(1);
	assert_true(saved >= 0 && dup2(fileno(file), 1) == 1);
}

static void capture_end(void)
{
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	rewind(file);
	size_t n = fread(captured, 1, sizeof captured - 1, file);
	captured[n] = 0;
	fclose(file);
}

/* Runs kernel "p" of the source with work-items in work-groups of `local`; what it printed. Only
 * the event is waited for: its completion promises the output (OpenCL C 6.15.14). */
static const char *printed(const char *source, size_t global, size_t local)
{
	cl_int code;
	cl_event e;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	code = clBuildProgram(p, 0, NULL, NULL, NULL, NULL);
	if (code) {
		char log[2000];
		clGetProgramBuildInfo(p, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fail_msg("%s", log);
	}
	cl_kernel k = clCreateKernel(p, "p", &code);
	assert_int_equal(code, CL_SUCCESS);
	capture_begin();
	code = clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &global, &local, 0, NULL, &e);
	if (!code)
		code = clWaitForEvents(1, &e);
	capture_end();
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseProgram(p));
	return captured;
}

/* The body of a kernel that one work-item runs. */
static const char *prints(const char *body)
{
	static char source[4096];
	snprintf(source, sizeof source, "kernel void p(void) { %s }", body);
	return printed(source, 1, 1);
}

/* The same call on the device and on the host. */
#define SAME_AS_HOST(...)                                                                          \
	do {                                                                                       \
		char want[512];                                                                    \
		snprintf(want, sizeof want, __VA_ARGS__);                                          \
		assert_string_equal(prints("printf(" #__VA_ARGS__ ");"), want);                    \
	} while (0)

static void integers(void **state)
{
	(void)state;
	SAME_AS_HOST("%d %i %u %x %X %o|", -5, 17, 4000000000u, 0xbeefu, 0xbeefu, 0755u);
	SAME_AS_HOST("%5d|%-5d|%05d|%+d|% d|%.4d|%8.4d|", 42, 42, 42, 42, 42, 42, 42);
	SAME_AS_HOST("%#x %#o %#X|%x|", 255u, 8u, 255u, 0u);
	SAME_AS_HOST("%ld %lu %lx|", -9000000000000L, 18000000000000000000UL, 0x123456789abcdefUL);
	SAME_AS_HOST("%hhd %hhu %hd %hu|", 200, 300, 40000, 70000);
	SAME_AS_HOST("%d%%|%c|%5c|%-3c|", 7, 'a', 'b', 'c');
}

static void reals(void **state)
{
	(void)state;
	SAME_AS_HOST("%f %F %e %E %g %G|", 1.5, 2.25, 12345.678, 0.00012, 1e10, 1e-10);
	SAME_AS_HOST("%.0f|%.3f|%10.2f|%-10.2f|%+.1f|%010.3f|%#.0f|", 2.5, 3.14159, 2.5, 2.5, 2.5, -2.5, 3.0);
	SAME_AS_HOST("%a %A|", 1.0, 0.1);
	assert_string_equal(prints("printf(\"%f %f %F %5f\\n\", INFINITY, -INFINITY, INFINITY, nan(0u));"), "inf -inf INF   nan\n");
	assert_string_equal(prints("printf(\"%f %e %g\\n\", nan(0ul), nan(1ul), nan((ulong2)(0ul, 7ul)).x);"), "nan nan nan\n");
	/* a float is passed as it is, without a double's digits */
	assert_string_equal(prints("float x = 0.1f; printf(\"%.12f|%g\", x, x);"), "0.100000001490|0.1");
}

static void strings_and_pointers(void **state)
{
	(void)state;
	SAME_AS_HOST("%s|%8s|%-8s|%.2s|", "abc", "abc", "abc", "abc");
	assert_string_equal(prints("printf(\"\");"), "");
	assert_string_equal(prints("printf(\"plain\\n\");"), "plain\n");
	assert_string_equal(prints("printf(\"%s\\n\", \"%d is not a conversion here\");"), "%d is not a conversion here\n");
	assert_string_equal(prints("printf(\"%p\", (global int *)0x1234);"), "0x1234");
}

static void vectors(void **state)
{
	(void)state;
	assert_string_equal(prints("printf(\"%v4hld\", (int4)(1, -2, 3, -4));"), "1,-2,3,-4");
	assert_string_equal(prints("printf(\"%v2hld|%v3hlu\", (int2)(-1, 5), (uint3)(1, 2, 4000000000u));"), "-1,5|1,2,4000000000");
	assert_string_equal(prints("printf(\"%v4hlf\", (float4)(1.0f, 2.5f, -3.25f, 4.0f));"), "1.000000,2.500000,-3.250000,4.000000");
	assert_string_equal(prints("printf(\"%#v4hx\", (ushort4)(0xab, 0xcd, 0, 0xffff));"), "0xab,0xcd,0,0xffff");
	assert_string_equal(prints("printf(\"%v4hhx|%v4hhd\", (uchar4)(0xfa, 0xfb, 0xfc, 0xfd), (char4)(-1, 2, -3, 4));"), "fa,fb,fc,fd|-1,2,-3,4");
	assert_string_equal(prints("printf(\"%v2ld|%v2lx\", (long2)(-5000000000L, 7), (ulong2)(0x123456789aUL, 1));"), "-5000000000,7|123456789a,1");
	assert_string_equal(prints("printf(\"%v2lf %v2lg\", (double2)(1.5, -2.5), (double2)(1e100, 3));"), "1.500000,-2.500000 1e+100,3");
	assert_string_equal(prints("printf(\"[%5.1v4hlf]\", (float4)(1, 2, 3, 4));"), "[  1.0,  2.0,  3.0,  4.0]");
	assert_string_equal(prints("printf(\"%v8hd\", (short8)(1, 2, 3, 4, 5, 6, 7, 8));"), "1,2,3,4,5,6,7,8");
	assert_string_equal(prints("printf(\"%v16hhu\", (uchar16)(9));"), "9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9");
	assert_string_equal(prints("\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nhalf h = 1.5h; printf(\"%f %g|%v4hf|%v3hg\", h, -h * 2.0h,"
				   " (half4)(1, 2.5h, -3, 0.25h), (half3)(65504, 0x1p-24h, INFINITY));"),
			    "1.500000 -3|1.000000,2.500000,-3.000000,0.250000|65504,5.96046e-08,inf");
	assert_string_equal(prints("printf(\"%d %v2hld %s\", 1, (int2)(2, 3), \"end\");"), "1 2,3 end");
}

static void result(void **state)
{
	(void)state;
	assert_string_equal(prints("int a = printf(\"x\"); printf(\"%d\", a);"), "x0");
}

/* Each work-item prints once, whole lines, those of one work-item in order. */
static void many_work_items(void **state)
{
	const char *text = printed("kernel void p(void) { int i = get_global_id(0); printf(\"a%d.\\n\", i); if (i & 1) printf(\"b%d.\\n\", i); }", 64, 16);
	unsigned seen[2][64] = {{0}}, lines = 0, i;
	char letter;
	(void)state;
	for (const char *p = text; *p; p = strchr(p, '\n') + 1, lines++) {
		assert_int_equal(sscanf(p, "%c%u.\n", &letter, &i), 2);
		assert_true(i < 64 && (letter == 'a' || letter == 'b'));
		assert_int_equal(seen[letter - 'a'][i]++, 0);
		if (letter == 'b')
			assert_int_equal(seen[0][i], 1);
	}
	assert_int_equal(lines, 96);
}

/* More than the buffer holds: what fits is printed whole, calls that do not fit return -1. */
static void overflow(void **state)
{
	cl_int code;
	cl_uint failed = 0;
	static const char source[] = "kernel void p(global uint *failed) { for (int i = 0; i < 1000; i++)"
				     " if (printf(\"%v8ld\\n\", (long8)(i)) < 0) atomic_inc(failed); }";
	const char *text = source;
	const size_t global = 16;
	(void)state;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, "p", &code);
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, sizeof failed, &failed, &code);
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	capture_begin();
	code = clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &global, &global, 0, NULL, NULL);
	cl_int finished = clFinish(cl.queue);
	capture_end();
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(finished, CL_SUCCESS);
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof failed, &failed, 0, NULL, NULL));
	unsigned lines = 0;
	for (const char *c = captured; (c = strchr(c, '\n')); c++)
		lines++;
	assert_true(failed > 0);
	assert_int_equal(lines + failed, 16000);
	/* records of 72 bytes: 16 of the buffer's are its head */
	assert_int_equal(lines, ((1 << 20) - 16) / 72);
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseProgram(p));
}

/* Output comes in the order of the commands. */
static void commands_in_order(void **state)
{
	static const char source[] = "kernel void p(int i) { printf(\"%d;\", i); }";
	const char *text = source;
	const size_t one = 1;
	char want[400] = "";
	cl_int code, status = 0;
	(void)state;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, "p", &code);
	capture_begin();
	for (int i = 0; i < 50; i++) {
		status |= clSetKernelArg(k, 0, sizeof i, &i);
		status |= clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL);
		sprintf(want + strlen(want), "%d;", i);
	}
	status |= clFinish(cl.queue);
	capture_end();
	assert_int_equal(status, CL_SUCCESS);
	assert_string_equal(captured, want);
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseProgram(p));
}

/* A kernel that faults: what it had printed is not lost, what it had not is not made up. */
static void before_a_fault(void **state)
{
	static const char source[] = "kernel void p(void) { printf(\"before %d\\n\", 1); *(volatile global int *)0x123456789000 = 1; printf(\"after\\n\"); }";
	const char *text = source;
	const size_t one = 1;
	cl_int code;
	cl_event e = NULL;
	(void)state;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, "p", &code);
	capture_begin();
	code = clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &one, NULL, 0, NULL, &e);
	cl_int waited = e ? clWaitForEvents(1, &e) : CL_SUCCESS;
	capture_end();
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(waited, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	assert_string_equal(captured, "before 1\n");
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseProgram(p));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers), cmocka_unit_test(reals),	       cmocka_unit_test(strings_and_pointers),
		cmocka_unit_test(vectors),  cmocka_unit_test(result),	       cmocka_unit_test(many_work_items),
		cmocka_unit_test(overflow), cmocka_unit_test(commands_in_order),
		cmocka_unit_test(before_a_fault),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
