/* paths: imports of the application's own memory (cl_arm_import_memory), where the platform has them. */
#include "bench/paths.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

static int live(void) { return options.small ? LIVE / 10 : LIVE; }
static double allowed(unsigned pages_each) { return 5e-6 + 0.1e-6 * pages_each; }

/* Of so many bytes for each import, which are in memory: not zeros, which a compiler leaves to calloc(). */
static void *list_of(size_t bytes)
{
	void *list = malloc((size_t)live() * bytes);

	if (!list)
		wrong("no memory for the list of imports");
	return memset(list, 1, (size_t)live() * bytes);
}

static double *list_of_seconds(void) { return list_of(sizeof(double)); }

/* What is imported: so many pages for each import, which are there. */
static char *populated(unsigned pages_each)
{
	const size_t bytes = (size_t)pages_each * PAGE * (size_t)live();
	char *area = pages(bytes);

	for (size_t at = 0; at < bytes; at += PAGE)
		area[at] = 1;
	return area;
}

/* Imports of so many pages each, none of them released until all are there: how long each took. */
static void many(unsigned pages_each, double *seconds)
{
	const size_t bytes = (size_t)pages_each * PAGE;
	cl_mem *m = list_of(sizeof(*m));
	char *area = populated(pages_each);

	for (int i = 0; i < live(); i++) {
		double begin = now_s();

		m[i] = import(area + (size_t)i * bytes, bytes);
		seconds[i] = now_s() - begin;
	}
	for (int i = 0; i < live(); i++)
		check(clReleaseMemObject(m[i]), "clReleaseMemObject");
	finish();
	free(m);
}

/* What the last of many imports cost, as a share of 5 us and 0.1 us a page; the slowest but one in a hundred of them; and how
 * many of all take longer than that, beside what the machine is late by itself. */
static void last_of_many(unsigned pages_each, const char *name)
{
	const int last = options.small ? LAST / 10 : LAST;
	double *seconds = list_of_seconds(), *of_last = seconds + (live() - last);
	char what[80], row_name[40];
	double total = 0;
	int over = 0;

	many(pages_each, seconds);
	for (int i = 0; i < live(); i++) {
		total += seconds[i];
		over += seconds[i] > allowed(pages_each);
	}
	snprintf(what, sizeof(what), "one of %u pages beside %d others, over 5 us and 0.1 us a page", pages_each, live() - 1);
	snprintf(row_name, sizeof(row_name), "%s_cost", name);
	row_median(row_name, of_last, last, 1 / allowed(pages_each), "x", what);
	snprintf(row_name, sizeof(row_name), "%s_slow", name);
	row(row_name, of_last[last * 99 / 100] / allowed(pages_each), "x", "the same, of a hundred imports the slowest but one");
	snprintf(row_name, sizeof(row_name), "%s_over", name);
	row(row_name, over * 100.0 / live(), "%", "of all of them, those that took longer than that");
	snprintf(row_name, sizeof(row_name), "%s_late", name);
	row(row_name, machine_late(total, allowed(pages_each) - of_last[last / 2]) * 100.0 / live(), "%",
	    "how often a loop that does nothing was so late, in the time that they took");
	free(seconds);
}

static const struct size {
	unsigned pages_each;
	const char *name;
} sizes[] = { { 1, "page" }, { 64, "pages" } };
enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

static int imports_there(void)
{
	char extensions[8192] = "";
	cl_platform_id platform;

	check(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL), "clGetDeviceInfo");
	if (!strstr(extensions, "cl_arm_import_memory_host"))
		return 0;
	check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL), "clGetDeviceInfo");
	import_memory = (__typeof__(clImportMemoryARM) *)clGetExtensionFunctionAddressForPlatform(platform, "clImportMemoryARM");
	return 1;
}

/* In a process of its own: the seconds of each import, of each size, as they are in memory. */
void child_imports(void)
{
	double *seconds = list_of_seconds();

	context_open();
	for (int s = 0; s < SIZES && imports_there(); s++) {
		many(sizes[s].pages_each, seconds);
		if (fwrite(seconds, sizeof(*seconds), (size_t)live(), stdout) != (size_t)live())
			wrong("cannot write the list of imports");
	}
	free(seconds);
}

/* The same, of each size the first system call that an import makes alone: it asks for the pages, all of which are there. */
void child_calls(void)
{
	context_open();
	for (int s = 0; s < SIZES && imports_there(); s++) {
		char *area = populated(sizes[s].pages_each);
		double begin = now_s(), seconds;

		madvise(area, (size_t)sizes[s].pages_each * PAGE, MADV_POPULATE_WRITE);
		seconds = now_s() - begin;
		if (fwrite(&seconds, sizeof(seconds), 1, stdout) != 1)
			wrong("cannot write how long a call took");
	}
}

/* What a process of ours writes: so many numbers for each size. */
static FILE *numbers_of(const char *child)
{
	FILE *output = tmpfile();

	if (!output)
		wrong("no temporary file");
	run_self(child, output);
	rewind(output);
	return output;
}

static void read_numbers(FILE *output, double *seconds, int count)
{
	if (fread(seconds, sizeof(*seconds), (size_t)count, output) != (size_t)count)
		wrong("the list of imports of another process");
}

/* What a machine does to an import happens to another one in the next process; what the import itself does, to the same one. Of
 * all imports of a process those that are late in every process, by their place. */
static void late_always(void)
{
	double *least[SIZES], *seconds = list_of_seconds(), calls[SIZES][RUNS_MAX];

	for (int s = 0; s < SIZES; s++)
		least[s] = list_of_seconds();
	for (int r = 0; r < options.runs; r++) {
		FILE *imports = numbers_of("imports"), *of_calls = numbers_of("calls");

		for (int s = 0; s < SIZES; s++) {
			read_numbers(imports, seconds, live());
			for (int i = 0; i < live(); i++)
				least[s][i] = r && least[s][i] < seconds[i] ? least[s][i] : seconds[i];
			read_numbers(of_calls, &calls[s][r], 1);
		}
		fclose(imports);
		fclose(of_calls);
	}
	for (int s = 0; s < SIZES; s++) {
		char row_name[40], note[160];
		int late = 0, worst = 0;

		for (int i = 0; i < live(); i++) {
			late += least[s][i] > allowed(sizes[s].pages_each);
			worst = least[s][i] > least[s][worst] ? i : worst;
		}
		snprintf(row_name, sizeof(row_name), "%s_always", sizes[s].name);
		snprintf(note, sizeof(note), "of %d imports those that took longer in each of %d processes; the worst, number %d, took %.3g x", live(),
			 options.runs, worst + 1, least[s][worst] / allowed(sizes[s].pages_each));
		row(row_name, late, "", note);
		snprintf(row_name, sizeof(row_name), "%s_call", sizes[s].name);
		row_median(row_name, calls[s], options.runs, 1 / allowed(sizes[s].pages_each), "x",
			   "in place of import number 1 madvise() alone, which asks for its pages");
		free(least[s]);
	}
	free(seconds);
}

void group_import(void)
{
	if (!imports_there())
		return;
	large();
	for (int s = 0; s < SIZES; s++)
		last_of_many(sizes[s].pages_each, sizes[s].name);
	late_always();
}
