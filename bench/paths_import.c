/* paths: imports of the application's own memory (cl_arm_import_memory), where the platform has them. */
#include "bench/paths.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, LIVE = 10000, LAST = 1000 };

static __typeof__(clImportMemoryARM) *import_memory;

static cl_mem import(void *p, size_t bytes)
{
	cl_int error;
	cl_mem m = import_memory(context, CL_MEM_READ_WRITE, NULL, p, bytes, &error);

	check(error, "clImportMemoryARM");
	return m;
}

/* 64 MiB that are there, beside a copy of them. */
static void large(void)
{
	const size_t bytes = (options.small ? 4u : 64u) << 20;
	char *from = pages(bytes), *to = pages(bytes);
	double imports[RUNS_MAX], copies[RUNS_MAX], ratios[RUNS_MAX];

	scramble(from, bytes, 1);
	memset(to, 1, bytes);
	for (int i = -1; i < options.runs; i++) {
		double begin = now_s();
		cl_mem m = import(from, bytes);
		double end = now_s();

		check(clReleaseMemObject(m), "clReleaseMemObject");
		finish();
		double copy = now_s();

		memcpy(to, from, bytes);
		double copied = now_s();

		if (i < 0) /* the first one warms up */
			continue;
		imports[i] = end - begin;
		copies[i] = copied - copy;
		ratios[i] = copies[i] / imports[i];
	}
	row_median("large_us", imports, options.runs, 1e6, "us", "import of 64 MiB of populated memory");
	row_median("memcpy_us", copies, options.runs, 1e6, "us", "a copy of them");
	row_median("vs_memcpy", ratios, options.runs, 1, "x", "times faster than the copy");
}

/* How often in so long a loop that does nothing is late by more than that: what the machine itself does to an import. */
static int machine_late(double duration, double late)
{
	const double end = now_s() + duration;
	int count = 0;

	for (double now = now_s(), next; now < end; now = next) {
		next = now_s();
		count += next - now > late;
	}
	return count;
}

/* Imports of so many pages each, none of them released: what the last ones cost, as a share of 5 us and 0.1 us a page; the
 * slowest but one in a hundred of them; and how many of all take longer than that, beside what the machine is late by itself. */
static void many(unsigned pages_each, const char *name)
{
	const size_t bytes = (size_t)pages_each * PAGE;
	const int live = options.small ? LIVE / 10 : LIVE, last = options.small ? LAST / 10 : LAST;
	char *area = pages(bytes * (size_t)live);
	cl_mem *m = malloc((size_t)live * sizeof(*m));
	double *seconds = malloc((size_t)live * sizeof(*seconds)), *of_last = seconds + (live - last);
	const double allowed = 5e-6 + 0.1e-6 * pages_each;
	char what[80], row_name[40];
	double total = 0;
	int over = 0;

	if (!m || !seconds)
		wrong("no memory for the list of imports");
	for (size_t at = 0; at < bytes * (size_t)live; at += PAGE)
		area[at] = 1;
	for (int i = 0; i < live; i++) {
		double begin = now_s();

		m[i] = import(area + (size_t)i * bytes, bytes);
		seconds[i] = now_s() - begin;
		total += seconds[i];
		over += seconds[i] > allowed;
	}
	for (int i = 0; i < live; i++)
		check(clReleaseMemObject(m[i]), "clReleaseMemObject");
	finish();
	snprintf(what, sizeof(what), "one of %u pages beside %d others, over 5 us and 0.1 us a page", pages_each, live - 1);
	snprintf(row_name, sizeof(row_name), "%s_cost", name);
	row_median(row_name, of_last, last, 1 / allowed, "x", what);
	snprintf(row_name, sizeof(row_name), "%s_slow", name);
	row(row_name, of_last[last * 99 / 100] / allowed, "x", "the same, of a hundred imports the slowest but one");
	snprintf(row_name, sizeof(row_name), "%s_over", name);
	row(row_name, over * 100.0 / live, "%", "of all of them, those that took longer than that");
	snprintf(row_name, sizeof(row_name), "%s_late", name);
	row(row_name, machine_late(total, allowed - of_last[last / 2]) * 100.0 / live, "%",
	    "how often a loop that does nothing was so late, in the time that they took");
	free(seconds);
	free(m);
}

void group_import(void)
{
	char extensions[8192] = "";
	cl_platform_id platform;

	check(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL), "clGetDeviceInfo");
	if (!strstr(extensions, "cl_arm_import_memory_host"))
		return;
	check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL), "clGetDeviceInfo");
	import_memory = (__typeof__(clImportMemoryARM) *)clGetExtensionFunctionAddressForPlatform(platform, "clImportMemoryARM");
	large();
	many(1, "page");
	many(64, "pages");
}
