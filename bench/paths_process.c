/* paths: builds, resident memory, and whole processes. */
#include "bench/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* the first result of a program that has just been started */
enum { FIRST_ITEMS = 1024 };

/* ---- builds ---- */

static void shade_once(cl_program p)
{
	size_t items = FIRST_ITEMS;
	cl_mem out = buffer_create(CL_MEM_READ_WRITE, items * 16);
	cl_kernel k = kernel_create(p, "shade");
	float time = 0, first[4];

	check(clSetKernelArg(k, 0, sizeof(out), &out), "clSetKernelArg");
	check(clSetKernelArg(k, 1, sizeof(time), &time), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(first), first, 0, NULL, NULL), "clEnqueueReadBuffer");
	if (first[0] != 0 || first[2] != 1) /* work-item 0: sin(0), rsqrt(1) */
		wrong("the first work-item's result");
	clReleaseKernel(k);
	clReleaseMemObject(out);
}

void group_build(void)
{
	double cold[RUNS_MAX], cached[RUNS_MAX], result[RUNS_MAX];
	int runs = options.small ? 1 : options.runs;

	for (int r = 0; r < runs; r++) {
		char text[2048];
		double start;
		cl_program p;

		/* a text that was never built before */
		snprintf(text, sizeof(text), "#define BUILD_%d_%d %.0f\n%s", (int)getpid(), r, now_s() * 1e9, source);
		start = now_s();
		p = program_build(text);
		cold[r] = now_s() - start;
		shade_once(p);
		result[r] = now_s() - start;
		clReleaseProgram(p);
		start = now_s();
		p = program_build(text);
		cached[r] = now_s() - start;
		clReleaseProgram(p);
	}
	row_median("cold_ms", cold, runs, 1e3, "ms", "clBuildProgram of a text never built before");
	row_median("cold_result_ms", result, runs, 1e3, "ms", "the same to a kernel's result on the host, with what is compiled late");
	row_median("cached_ms", cached, runs, 1e3, "ms", "clBuildProgram of a text built before");
}

/* ---- memory ---- */

/* A line of /proc/self/status, in MiB. */
static double status_mib(const char *field)
{
	char line[256];
	double kib = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, field, strlen(field)))
			kib = strtod(line + strlen(field) + 1, NULL);
	if (f)
		fclose(f);
	if (kib < 0) {
		fprintf(stderr, "paths: %s: /proc/self/status has no %s\n", running, field);
		exit(EXIT_WRONG);
	}
	return kib / 1024;
}

/* In a process of its own: what is resident before the platform is used, with a context and a queue, and after kernels
 * have written buffers. */
void child_memory(void)
{
	enum { BUFFERS = 4 };
	size_t bytes = options.small ? 4 << 20 : 64 << 20, items = bytes / 16;
	double before = status_mib("VmRSS"), idle, busy;
	cl_mem buffer[BUFFERS];
	cl_program p;
	cl_kernel k;
	char note[160];

	context_open();
	finish();
	idle = status_mib("VmRSS");
	snprintf(note, sizeof(note), "resident with a context and a queue, without the %.1f MiB before", before);
	row("idle_mib", idle - before, "MiB", note);
	p = program_build(source);
	k = kernel_create(p, "fill");
	for (cl_uint i = 0; i < BUFFERS; i++) {
		buffer[i] = buffer_create(CL_MEM_READ_WRITE, bytes);
		check(clSetKernelArg(k, 0, sizeof(cl_mem), &buffer[i]), "clSetKernelArg");
		check(clSetKernelArg(k, 1, sizeof(i), &i), "clSetKernelArg");
		check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	}
	finish();
	for (cl_uint i = 0; i < BUFFERS; i++) {
		uint32_t last = 0;

		check(clEnqueueReadBuffer(queue, buffer[i], CL_TRUE, bytes - 4, 4, &last, 0, NULL, NULL), "clEnqueueReadBuffer");
		if (last != ((uint32_t)(items - 1) ^ i))
			wrong("a buffer that a kernel wrote");
	}
	busy = status_mib("VmRSS");
	snprintf(note, sizeof(note), "resident after kernels wrote %zu MiB of buffers, without these and the %.1f MiB before",
		 BUFFERS * bytes >> 20, before);
	row("busy_extra_mib", busy - before - (double)(BUFFERS * bytes >> 20), "MiB", note);
	snprintf(note, sizeof(note), "the most that was resident, all counted, buffers of %zu MiB", BUFFERS * bytes >> 20);
	row("peak_mib", status_mib("VmHWM"), "MiB", note);
	for (cl_uint i = 0; i < BUFFERS; i++)
		clReleaseMemObject(buffer[i]);
	clReleaseKernel(k);
	clReleaseProgram(p);
}

/* ---- program starts ---- */

/* Runs a program to its end, with its output to a file or where ours goes (NULL); seconds. Negative when it is not there. */
static double run_program(char *const argv[], FILE *output)
{
	double start = now_s();
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (output && dup2(fileno(output), STDOUT_FILENO) < 0)
			_exit(126);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status)) {
		fprintf(stderr, "paths: %s: cannot run %s, or it did not exit\n", running, argv[0]);
		exit(EXIT_WRONG);
	}
	if (WEXITSTATUS(status) == 127)
		return -1;
	if (WEXITSTATUS(status)) {
		fprintf(stderr, "paths: %s: %s ended with status %d\n", running, argv[0], WEXITSTATUS(status));
		exit(EXIT_WRONG);
	}
	return now_s() - start;
}

double run_self(const char *group, FILE *output)
{
	char number[16];
	char *argv[] = { "/proc/self/exe", "--device", number, options.small ? "--small" : "--runs", options.small ? "--" : "1",
			 "--child", (char *)(uintptr_t)group, "--platform", (char *)(uintptr_t)options.platform, NULL };

	if (options.small)
		argv[4] = "--small";
	if (!options.platform)
		argv[7] = NULL;
	snprintf(number, sizeof(number), "%u", options.device);
	return run_program(argv, output);
}

void child_list(void)
{
	char name[256];

	platform_open();
	check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL), "clGetDeviceInfo");
}

void child_result(void)
{
	cl_program p;

	context_open();
	p = program_build(source);
	shade_once(p);
	clReleaseProgram(p);
}

void group_start(void)
{
	char *clinfo[] = { "clinfo", NULL };
	double list[RUNS_MAX], result[RUNS_MAX], info[RUNS_MAX];
	FILE *nowhere = fopen("/dev/null", "w");

	for (int r = -1; r < options.runs; r++) {
		double l = run_self("list", NULL), f = run_self("result", NULL), i = run_program(clinfo, nowhere);

		if (r < 0)
			continue;
		list[r] = l;
		result[r] = f;
		info[r] = i;
	}
	if (nowhere)
		fclose(nowhere);
	row_median("list_ms", list, options.runs, 1e3, "ms", "a program that asks for the device's name, start to exit");
	row_median("first_result_ms", result, options.runs, 1e3, "ms",
		   "a program that builds a cached text, runs a kernel and reads its result, start to exit");
	if (info[0] < 0)
		fprintf(stderr, "paths: start: no clinfo on PATH, its row is left out\n");
	else
		row_median("clinfo_ms", info, options.runs, 1e3, "ms", "clinfo, start to exit, on the platforms the loader sees");
}

void group_memory(void) { run_self("memory", NULL); }

