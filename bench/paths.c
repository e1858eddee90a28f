/* paths: measures what surrounds kernels on one OpenCL platform (launches, events, transfers, builds, memory,
 * program starts) and prints a row for each figure, as clbench does: name, value, unit, note, separated by tabs.
 * The clock is the host's and runs around API calls alone, so every platform is measured in the same way. Speeds of
 * transfers also come as a share of the speed of memcpy on the same bytes, measured in turns with them. A wrong result
 * ends the program with status 1. */
#include "bench/paths.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

const char *const source =
	"kernel void null_kernel(void) {}\n"
	"kernel void fill(global uint4 *out, uint seed) { size_t i = get_global_id(0); out[i] = (uint4)((uint)i ^ seed); }\n"
	"kernel void shade(global float4 *out, float t) {\n"
	"	size_t i = get_global_id(0);\n"
	"	float x = i * 0.001f, s = 0;\n"
	"	for (int k = 1; k < 8; k++)\n"
	"		s += native_recip((float)k) * sin(x * k + t) * exp(-x);\n"
	"	out[i] = (float4)(s, fabs(s), rsqrt(1 + s * s), convert_float(convert_uchar_sat(s * 255)));\n"
	"}\n";

struct path_options options = { .runs = 7 };

cl_context context;
cl_device_id device;
cl_command_queue queue;
const char *running = "paths";

void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "paths: %s: %s failed with OpenCL error %d\n", running, what, error);
	exit(EXIT_WRONG);
}

void wrong(const char *what)
{
	fprintf(stderr, "paths: %s: wrong result: %s\n", running, what);
	exit(EXIT_WRONG);
}

double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void row(const char *name, double value, const char *unit, const char *note)
{
	printf("%s.%s\t%.6g\t%s\t%s\n", running, name, value, unit, note);
	fflush(stdout);
}

void row_median(const char *name, double *seconds, int samples, double scale, const char *unit, const char *what)
{
	char note[160];

	qsort(seconds, (size_t)samples, sizeof(*seconds), compare_doubles);
	snprintf(note, sizeof(note), "%s, median of %d, best %.3g, 99th %.3g", what, samples, seconds[0] * scale,
		 seconds[samples * 99 / 100] * scale);
	row(name, seconds[samples / 2] * scale, unit, note);
}

void row_rate(const char *name, double *seconds, int runs, int count, const char *what)
{
	char note[160];

	qsort(seconds, (size_t)runs, sizeof(*seconds), compare_doubles);
	snprintf(note, sizeof(note), "%s, %d of them, median of %d runs, best %.0f", what, count, runs, count / seconds[0]);
	row(name, count / seconds[runs / 2], "1/s", note);
}

void *pages(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		fprintf(stderr, "paths: %s: no memory for %zu bytes: %s\n", running, bytes, strerror(errno));
		exit(EXIT_WRONG);
	}
	return p;
}

/* xorshift64* */
void scramble(void *p, size_t bytes, uint64_t seed)
{
	uint64_t *word = p, state = seed * 0x9e3779b97f4a7c15ull + 1;

	for (size_t i = 0; i < bytes / sizeof(*word); i++) {
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		word[i] = state * 0x2545f4914f6cdd1dull;
	}
}

void platform_open(void)
{
	cl_platform_id ids[16], platform = NULL;
	cl_device_id devices[16];
	cl_uint n = 0;

	if (clGetPlatformIDs(16, ids, &n) != CL_SUCCESS)
		n = 0;
	for (cl_uint i = 0; i < n && i < 16 && !platform; i++) {
		char text[256] = "";

		clGetPlatformInfo(ids[i], CL_PLATFORM_NAME, sizeof(text), text, NULL);
		if (!options.platform || strstr(text, options.platform))
			platform = ids[i];
	}
	if (!platform) {
		fprintf(stderr, "paths: no OpenCL platform named %s among %u\n",
			options.platform ? options.platform : "(any)", n);
		exit(EXIT_NO_PLATFORM);
	}
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &n), "clGetDeviceIDs");
	if (options.device >= n) {
		fprintf(stderr, "paths: device %u asked for, the platform has %u\n", options.device, n);
		exit(EXIT_NO_PLATFORM);
	}
	device = devices[options.device];
}

void context_open(void)
{
	cl_int error;

	platform_open();
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
	check(error, "clCreateCommandQueueWithProperties");
}

cl_program program_build(const char *text)
{
	cl_int error;
	cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &error);

	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(p, 1, &device, "", NULL, NULL), "clBuildProgram");
	return p;
}

cl_kernel kernel_create(cl_program p, const char *name)
{
	cl_int error;
	cl_kernel k = clCreateKernel(p, name, &error);

	check(error, "clCreateKernel");
	return k;
}

cl_mem buffer_create(cl_mem_flags flags, size_t bytes)
{
	cl_int error;
	cl_mem m = clCreateBuffer(context, flags, bytes, NULL, &error);

	check(error, "clCreateBuffer");
	return m;
}

void finish(void) { check(clFinish(queue), "clFinish"); }

/* ---- main ---- */

static const struct group {
	const char *name, *what;
	void (*run)(void);
	int open;   /* needs a context */
} groups[] = {
	{ "memory", "idle_mib, busy_extra_mib, peak_mib: resident memory of a process", group_memory, 0 },
	{ "start", "list_ms, first_result_ms, clinfo_ms: whole processes", group_start, 0 },
	{ "launch", "null_us, enqueues_s, throughput_s, drained_s: launches of an empty kernel", group_launch, 1 },
	{ "event", "wait_us, poll_us, callback_us, user_us, chain_us: how the end of a launch becomes known", group_event, 1 },
	{ "transfer", "memcpy_gbs, NAME_gbs and NAME_vs_memcpy of each kind of transfer of 64 MiB, use_host_ptr_ms,\n"
		      "            write4k_us, read4k_us", group_transfer, 1 },
	{ "import", "large_us, vs_memcpy; cost, slow, over, late, always, call of page_ and of pages_: imports of host memory, where there are such", group_import, 1 },
	{ "sharing", "vulkan_us, opencl_us, dispatch_vs_opencl, handover_us: Vulkan on the same device, where it is there", group_sharing, 1 },
	{ "build", "cold_ms, cold_result_ms, cached_ms: clBuildProgram", group_build, 1 },
}, children[] = {
	{ "memory", "", child_memory, 0 },
	{ "list", "", child_list, 0 },
	{ "result", "", child_result, 0 },
	{ "imports", "", child_imports, 0 },
	{ "calls", "", child_calls, 0 },
};
enum { GROUPS = sizeof(groups) / sizeof(*groups), CHILDREN = sizeof(children) / sizeof(*children) };

static int usage(FILE *f, int status)
{
	fputs("usage: paths [--platform NAME] [--device N] [--small] [--runs N] [GROUP...]\n"
	      "Measures what surrounds kernels; prints rows of name, value, unit, note, separated by tabs; a name is\n"
	      "GROUP.FIGURE. Without a GROUP all are run. NAME is a part of CL_PLATFORM_NAME.\n", f);
	for (int i = 0; i < GROUPS; i++)
		fprintf(f, "  %-8s  %s\n", groups[i].name, groups[i].what);
	fputs("_us, _ms, _mib: less is better; _s (a second), _gbs, _vs_memcpy: more.\n", f);
	return status;
}

static void group_run(const struct group *g)
{
	running = g->name;
	if (g->open && !context)
		context_open();
	g->run();
}

static int run_named(const char *name, const struct group *list, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(name, list[i].name)) {
			group_run(&list[i]);
			return 0;
		}
	return usage(stderr, EXIT_USAGE);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "platform", required_argument, NULL, 'p' }, { "device", required_argument, NULL, 'd' },
		{ "small", no_argument, NULL, 's' },	      { "runs", required_argument, NULL, 'n' },
		{ "child", required_argument, NULL, 'c' },    { "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *child = NULL;
	int c, status = 0;

	while ((c = getopt_long(argc, argv, "p:d:sn:h", longs, NULL)) != -1)
		switch (c) {
		case 'p': options.platform = optarg; break;
		case 'd': options.device = (unsigned)atoi(optarg); break;
		case 's': options.small = 1; break;
		case 'n': options.runs = atoi(optarg); break;
		case 'c': child = optarg; break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, EXIT_USAGE);
		}
	if (options.runs < 1 || options.runs > RUNS_MAX)
		return usage(stderr, EXIT_USAGE);
	if (child)
		status = run_named(child, children, CHILDREN);
	for (int i = 0; !child && optind == argc && i < GROUPS; i++)
		group_run(&groups[i]);
	for (int i = optind; !child && i < argc && !status; i++)
		status = run_named(argv[i], groups, GROUPS);
	if (queue)
		clReleaseCommandQueue(queue);
	if (context)
		clReleaseContext(context);
	return status;
}
