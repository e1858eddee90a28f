/* short: programs that run for a moment, with translation (the default) and interpreted alone. Each run is a process of
 * its own that launches one kernel of short.cl 1, 5 or 50 times, and its figure is the time from the first enqueue to the
 * end of the last launch. Both ways take turns, with a cache that has no translations yet and with one that has
 * what earlier runs have left there, long enough for all that is hot. A run is over when the translators that it started are;
 * what they took of the processors is counted too. Prints rows of name, value, unit, note, separated by tabs: each value is the
 * shortest of all rounds by default over the shortest interpreted; "again" is interpreted over interpreted, which shows how
 * exact that is. Results that differ end the program with status 1. Linux: it takes orphans in. */
#define _GNU_SOURCE
#include <CL/cl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, ROUNDS_MAX = 101, BUFFERS = 5, WARM_LAUNCHES = 200, WARM_RUNS = 2 };

static const char *platform_name, *kernels = "bench/kernels";
static const char *running = "short";

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "short: %s: %s: %s\n", running, what, why);
	exit(EXIT_WRONG);
}

static void check(cl_int error, const char *what)
{
	char text[32];

	snprintf(text, sizeof(text), "OpenCL error %d", error);
	if (error != CL_SUCCESS)
		fail(what, text);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Of the process's threads. */
static double cpu_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- a run's side: kernels and their arguments ---- */

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_kernel kernel[2];
static cl_mem buffer[BUFFERS];
static size_t buffer_bytes[BUFFERS];
static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint32_t draw(uint32_t below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)((seed * 0x2545f4914f6cdd1dull >> 32) % below);
}

static uint32_t *buffer_make(int i, size_t words)
{
	buffer_bytes[i] = words * 4;
	return calloc(words, 4);
}

/* The buffer, with these words, which are freed. */
static void buffer_fill(int i, uint32_t *words)
{
	cl_int error;

	buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, buffer_bytes[i], words, &error);
	check(error, "clCreateBuffer");
	free(words);
}

static void buffer_zero(int i, size_t words) { buffer_fill(i, buffer_make(i, words)); }

static void buffer_random(int i, size_t words, uint32_t below)
{
	uint32_t *w = buffer_make(i, words);

	for (size_t k = 0; k < words; k++)
		w[k] = draw(below);
	buffer_fill(i, w);
}

static void buffer_floats(int i, size_t words)
{
	uint32_t *w = buffer_make(i, words);

	for (size_t k = 0; k < words; k++) {
		float f = (float)draw(1 << 20) / (1 << 20);

		memcpy(&w[k], &f, 4);
	}
	buffer_fill(i, w);
}

/* Where the lists of n nodes begin, each of up to `most` entries, in buffer i; the entries, below n, in the next. */
static void buffer_lists(int i, uint32_t n, uint32_t most)
{
	uint32_t *first = buffer_make(i, n + 1);

	for (uint32_t k = 0; k < n; k++)
		first[k + 1] = first[k] + 1 + draw(most);
	buffer_random(i + 1, first[n], n);
	buffer_fill(i, first);
}

static void arg(int k, cl_uint index, size_t bytes, const void *value)
{
	check(clSetKernelArg(kernel[k], index, bytes, value), "clSetKernelArg");
}
static void arg_buffer(int k, cl_uint index, int i) { arg(k, index, sizeof(cl_mem), &buffer[i]); }
static void arg_buffers(int k, int n)
{
	for (int i = 0; i < n; i++)
		arg_buffer(k, (cl_uint)i, i);
}
static void arg_int(int k, cl_uint index, cl_uint value) { arg(k, index, sizeof(value), &value); }

static void enqueue(int k, size_t width, size_t height, size_t local_width, size_t local_height)
{
	size_t global[2] = { width, height }, local[2] = { local_width, local_height };

	check(clEnqueueNDRangeKernel(queue, kernel[k], height ? 2 : 1, NULL, global, local, 0, NULL, NULL),
	      "clEnqueueNDRangeKernel");
}

enum { KEYS = 1 << 14, LINE = 1 << 16, ROWS = 4096, ENTRIES = 32, GEMM = 128, IMAGE = 256, BODIES = 512, PICTURE = 128,
       WORD = 6, LEVELS = 7 };

static void bitonic_prepare(void)
{
	buffer_random(0, KEYS, UINT32_MAX);
	arg_buffers(0, 1);
}
static void bitonic_launch(void)
{
	for (cl_uint size = 2; size <= KEYS; size *= 2)
		for (cl_uint stride = size / 2; stride; stride /= 2) {
			arg_int(0, 1, size);
			arg_int(0, 2, stride);
			enqueue(0, KEYS / 2, 0, 256, 0);
		}
}

static void line_prepare(void)
{
	buffer_random(0, LINE, 1000);
	buffer_zero(1, LINE);
	arg_buffers(0, 2);
}
static void line_launch(void) { enqueue(0, LINE, 0, 256, 0); }

static void spmv_prepare(void)
{
	buffer_lists(0, ROWS, ENTRIES);
	buffer_floats(2, buffer_bytes[1] / 4);
	buffer_floats(3, ROWS);
	buffer_zero(4, ROWS);
	arg_buffers(0, 5);
}
static void spmv_launch(void) { enqueue(0, ROWS, 0, 64, 0); }

static void gemm_prepare(void)
{
	buffer_floats(0, GEMM * GEMM);
	buffer_floats(1, GEMM * GEMM);
	buffer_zero(2, GEMM * GEMM);
	arg_buffers(0, 3);
	arg_int(0, 3, GEMM);
}
static void gemm_launch(void) { enqueue(0, GEMM, GEMM, 16, 16); }

static void image_prepare(void)
{
	buffer_floats(0, IMAGE * IMAGE);
	buffer_zero(1, IMAGE * IMAGE);
	arg_buffers(0, 2);
	arg_int(0, 2, IMAGE);
}
static void image_launch(void) { enqueue(0, IMAGE, IMAGE, 16, 16); }

static void nbody_prepare(void)
{
	buffer_floats(0, BODIES * 4);
	buffer_zero(1, BODIES * 4);
	arg_buffers(0, 2);
	arg_int(0, 2, BODIES);
}
static void nbody_launch(void) { enqueue(0, BODIES, 0, 64, 0); }

static void mandelbrot_prepare(void)
{
	buffer_zero(0, PICTURE * PICTURE);
	arg_buffers(0, 1);
	arg_int(0, 1, PICTURE);
	arg_int(0, 2, 200);
}
static void mandelbrot_launch(void) { enqueue(0, PICTURE, PICTURE, 16, 16); }

/* Letters a to d, four in a word. */
static void letters(int i, size_t words)
{
	uint32_t *w = buffer_make(i, words);

	for (size_t k = 0; k < words; k++)
		w[k] = 0x61616161u + draw(4) * 0x01000001u + draw(4) * 0x00010100u;
	buffer_fill(i, w);
}
static void search_prepare(void)
{
	letters(0, LINE / 4 + 2);
	letters(1, (WORD + 3) / 4);
	buffer_zero(2, 1);
	arg_buffers(0, 2);
	arg_int(0, 2, WORD);
	arg_buffer(0, 3, 2);
}
static void search_launch(void) { enqueue(0, LINE, 0, 128, 0); }

static void bfs_prepare(void)
{
	buffer_lists(0, ROWS, 6);
	buffer_zero(2, ROWS);
	arg_buffers(0, 3);
	arg_buffer(1, 0, 2);
}
static void bfs_launch(void)
{
	enqueue(1, ROWS, 0, 64, 0);
	for (cl_uint level = 0; level < LEVELS; level++) {
		arg_int(0, 3, level);
		enqueue(0, ROWS, 0, 64, 0);
	}
}

static const struct workload {
	const char *name, *second; /* of its kernels */
	void (*prepare)(void), (*launch)(void);
	int result;                /* the buffer with it */
} workloads[] = {
	{ "bitonic", NULL, bitonic_prepare, bitonic_launch, 0 },
	{ "scan", NULL, line_prepare, line_launch, 1 },
	{ "spmv", NULL, spmv_prepare, spmv_launch, 4 },
	{ "gemm", NULL, gemm_prepare, gemm_launch, 2 },
	{ "histogram", NULL, line_prepare, line_launch, 1 },
	{ "stencil", NULL, image_prepare, image_launch, 1 },
	{ "nbody", NULL, nbody_prepare, nbody_launch, 1 },
	{ "transpose", NULL, image_prepare, image_launch, 1 },
	{ "reduction", NULL, line_prepare, line_launch, 1 },
	{ "mandelbrot", NULL, mandelbrot_prepare, mandelbrot_launch, 0 },
	{ "search", NULL, search_prepare, search_launch, 2 },
	{ "bfs", "bfs_start", bfs_prepare, bfs_launch, 2 },
};
enum { WORKLOADS = sizeof(workloads) / sizeof(*workloads) };

static void context_open(void)
{
	cl_platform_id ids[16], platform = NULL;
	cl_uint n = 0;
	cl_int error;

	if (clGetPlatformIDs(16, ids, &n) != CL_SUCCESS)
		n = 0;
	for (cl_uint i = 0; i < n && i < 16 && !platform; i++) {
		char text[256] = "";

		clGetPlatformInfo(ids[i], CL_PLATFORM_NAME, sizeof(text), text, NULL);
		if (!platform_name || strstr(text, platform_name))
			platform = ids[i];
	}
	if (!platform)
		fail("no OpenCL platform named", platform_name ? platform_name : "anything");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
	check(error, "clCreateCommandQueueWithProperties");
}

static cl_program program_build(void)
{
	static char text[1 << 16];
	const char *source = text;
	char path[4096];
	cl_int error;
	FILE *f;

	snprintf(path, sizeof(path), "%s/short.cl", kernels);
	f = fopen(path, "r");
	if (!f)
		fail(path, strerror(errno));
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
	check(error, "clCreateProgramWithSource");
	error = clBuildProgram(p, 1, &device, "", NULL, NULL);
	if (error != CL_SUCCESS) {
		static char log[8192];
		clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
		fprintf(stderr, "%s\n", log);
	}
	check(error, "clBuildProgram");
	return p;
}

/* What a run tells the one that started it. */
struct told {
	double seconds, cpu; /* of the launches; of its threads meanwhile */
	uint64_t result;
};

static void run_child(const struct workload *w, int launches, int to)
{
	struct told t = { .result = 14695981039346656037ull };
	cl_int error;

	context_open();
	cl_program p = program_build();
	for (int k = 0; k < (w->second ? 2 : 1); k++) {
		kernel[k] = clCreateKernel(p, k ? w->second : w->name, &error);
		check(error, "clCreateKernel");
	}
	w->prepare();
	check(clFinish(queue), "clFinish");
	double start = now_s(), used = cpu_now_s();
	for (int i = 0; i < launches; i++) {
		w->launch();
		check(clFinish(queue), "clFinish");
	}
	t.seconds = now_s() - start;
	t.cpu = cpu_now_s() - used;
	uint8_t *bytes = malloc(buffer_bytes[w->result]);
	check(clEnqueueReadBuffer(queue, buffer[w->result], CL_TRUE, 0, buffer_bytes[w->result], bytes, 0, NULL, NULL),
	      "clEnqueueReadBuffer");
	for (size_t i = 0; i < buffer_bytes[w->result]; i++)
		t.result = (t.result ^ bytes[i]) * 1099511628211ull;
	if (write(to, &t, sizeof(t)) != sizeof(t))
		fail("cannot tell the time", strerror(errno));
	exit(0); /* as programs end that release nothing */
}

/* ---- the side that measures ---- */

struct figures {
	struct told told;
	double process, cpu; /* seconds: start to exit; of all processes */
};

static double cpu_s(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) + (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
}

static struct figures run(const struct workload *w, int launches, const char *engine, const char *cache)
{
	char path[4096], number[16], to[16];
	struct figures f;
	struct rusage used;
	int ends[2], status;

	if (pipe(ends))
		fail("pipe", strerror(errno));
	snprintf(number, sizeof(number), "%d", launches);
	snprintf(to, sizeof(to), "%d", ends[1]);
	double start = now_s();
	pid_t pid = fork();
	if (pid == 0) {
		setenv("GALENA_SPEED", "functional", 1);
		setenv("GALENA_ENGINE", engine, 1);
		setenv("GALENA_CACHE_DIR", cache, 1);
		execl("/proc/self/exe", "short", "--child", w->name, "--launches", number, "--to", to, "--kernels", kernels,
		      platform_name ? "--platform" : NULL, platform_name, NULL);
		_exit(126);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		fail("cannot run", strerror(errno));
	f.process = now_s() - start;
	close(ends[1]);
	if (read(ends[0], &f.told, sizeof(f.told)) != sizeof(f.told) || status) {
		snprintf(path, sizeof(path), "%s, %d launches", engine, launches);
		fail(path, "the run has failed");
	}
	close(ends[0]);
	f.cpu = cpu_s(&used);
	/* translators become ours when their parent is gone */
	while (wait4(-1, &status, 0, &used) > 0 || errno == EINTR)
		f.cpu += cpu_s(&used);
	return f;
}

/* A directory with the build cache's files of another, but without translations. */
static void cache_fresh(const char *directory, const char *from)
{
	DIR *d = opendir(directory);

	for (struct dirent *e; d && (e = readdir(d));)
		if (*e->d_name != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	else if (mkdir(directory, 0777))
		fail(directory, strerror(errno));
	d = opendir(from);
	int to = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (struct dirent *e; d && (e = readdir(d));)
		if (*e->d_name != '.' && !strstr(e->d_name, ".region") && linkat(dirfd(d), e->d_name, to, e->d_name, 0))
			fail(e->d_name, strerror(errno));
	if (d)
		closedir(d);
	close(to);
}

/* The shortest of n times: what others on the machine do only ever makes one longer. */
static double best(const double *list, int n)
{
	double least = list[0];

	for (int i = 1; i < n; i++)
		least = list[i] < least ? list[i] : least;
	return least;
}

static const int counts[] = { 1, 5, 50 };
/* AGAIN: interpreted once more, which shows how far two runs of the same thing are apart. */
enum { COUNTS = sizeof(counts) / sizeof(*counts), EMPTY = 0, WARM, AGAIN, WAYS };
static const char *const way_names[WAYS] = { "empty", "warm", "again" };
static const char *const way_notes[WAYS] = { "empty cache, default / interp", "warm cache, default / interp", "interp / interp" };

/* Samples of a workload and a number of launches: interpreted and in each way. */
struct samples {
	double launches[ROUNDS_MAX], threads[ROUNDS_MAX], process[ROUNDS_MAX], cpu[ROUNDS_MAX];
};

static double ratio(const double *over, const double *under, int n) { return best(over, n) / best(under, n); }

static void take(struct samples *s, int round, const struct figures *f)
{
	s->launches[round] = f->told.seconds;
	s->threads[round] = f->told.cpu;
	s->process[round] = f->process;
	s->cpu[round] = f->cpu;
}

static void row(const char *name, double value, const char *note) { printf("short.%s\t%.4g\tx\t%s\n", name, value, note); }

/* The workload whose ratio is largest. */
struct furthest {
	double ratio;
	const char *name;
};

/* Prints the workload's rows for so many launches, and adds to the logarithms' sums: launches, process, cpu. */
static void measure(const struct workload *w, int count, int rounds, const char *base, double sum[WAYS][3],
		    struct furthest worst[WAYS])
{
	static struct samples alone, with[WAYS];
	char fresh[4096], warm[4096], name[64], note[256];

	snprintf(fresh, sizeof(fresh), "%s/fresh", base);
	snprintf(warm, sizeof(warm), "%s/warm", base);
	for (int r = 0; r < rounds; r++) {
		struct figures f[1 + WAYS];

		for (int i = 0; i < 1 + WAYS; i++) {
			int which = (i + r) % (1 + WAYS); /* 0: interpreted */

			if (which == 1 + EMPTY)
				cache_fresh(fresh, warm);
			f[which] = run(w, count, which && which != 1 + AGAIN ? "translate" : "interp", which == 1 + EMPTY ? fresh : warm);
		}
		take(&alone, r, &f[0]);
		for (int c = 0; c < WAYS; c++) {
			take(&with[c], r, &f[1 + c]);
			if (f[1 + c].told.result != f[0].told.result)
				fail(way_names[c], "the result is not the interpreter's");
		}
	}
	for (int c = 0; c < WAYS; c++) {
		double x = ratio(with[c].launches, alone.launches, rounds), p = ratio(with[c].process, alone.process, rounds),
		       u = ratio(with[c].cpu, alone.cpu, rounds);

		snprintf(name, sizeof(name), "%s.%d.%s", way_names[c], count, w->name);
		snprintf(note, sizeof(note), "%.2f ms / %.2f ms; its threads %.2f; process %.1f ms, %.2f; processors' time of all %.1f ms, %.2f; best of %d",
			 best(with[c].launches, rounds) * 1e3, best(alone.launches, rounds) * 1e3, ratio(with[c].threads, alone.threads, rounds),
			 best(with[c].process, rounds) * 1e3, p, best(with[c].cpu, rounds) * 1e3, u, rounds);
		row(name, x, note);
		sum[c][0] += log(x);
		sum[c][1] += log(p);
		sum[c][2] += log(u);
		if (x > worst[c].ratio)
			worst[c] = (struct furthest){ x, w->name };
	}
	fflush(stdout);
}

static void warm_up(const struct workload *w, const char *base)
{
	char warm[4096];

	snprintf(warm, sizeof(warm), "%s/warm", base);
	mkdir(warm, 0777);
	setenv("GALENA_TRANSLATE_HOT", "5000", 1); /* fewer launches do, then */
	for (int i = 0; i < WARM_RUNS; i++)
		run(w, WARM_LAUNCHES, "translate", warm);
	unsetenv("GALENA_TRANSLATE_HOT");
}

static int usage(FILE *f, int status)
{
	fputs("usage: short [--platform NAME] [--kernels DIR] [--rounds N] [WORKLOAD...]\n"
	      "Measures short programs, by default and with GALENA_ENGINE=interp, in turns; prints name, value, unit, note.\n"
	      "Caches are made in $GALENA_CACHE_DIR, or below /tmp. Workloads:", f);
	for (int i = 0; i < WORKLOADS; i++)
		fprintf(f, " %s", workloads[i].name);
	fputc('\n', f);
	return status;
}

static const struct workload *workload_find(const char *name)
{
	for (int i = 0; i < WORKLOADS; i++)
		if (!strcmp(workloads[i].name, name))
			return &workloads[i];
	exit(usage(stderr, EXIT_USAGE));
}

static int measure_all(char *const *names, int num, int rounds)
{
	const char *directory = getenv("GALENA_CACHE_DIR");
	char base[4000] = "/tmp/galena-short-XXXXXX", name[64], note[128];
	double largest = 0, largest_cpu = 0;
	struct furthest most = { 0, "none" }, apart = most;

	if (directory && *directory)
		snprintf(base, sizeof(base), "%s", directory);
	else if (!mkdtemp(base))
		fail(base, strerror(errno));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < num; i++)
		warm_up(workload_find(names[i]), base);
	for (int k = 0; k < COUNTS; k++) {
		double sum[WAYS][3] = { 0 };
		struct furthest worst[WAYS] = { 0 };

		for (int i = 0; i < num; i++) {
			running = names[i];
			measure(workload_find(names[i]), counts[k], rounds, base, sum, worst);
		}
		for (int c = 0; c < WAYS; c++) {
			double mean = exp(sum[c][0] / num), cpu = exp(sum[c][2] / num);

			snprintf(name, sizeof(name), "%s.%d.geomean", way_names[c], counts[k]);
			snprintf(note, sizeof(note), "%d launches, %s, %d workloads; whole process %.3f, processors' time of all %.3f",
				 counts[k], way_notes[c], num, exp(sum[c][1] / num), cpu);
			row(name, mean, note);
			snprintf(name, sizeof(name), "%s.%d.worst", way_names[c], counts[k]);
			row(name, worst[c].ratio, worst[c].name);
			if (c == AGAIN) {
				apart = worst[c].ratio > apart.ratio ? worst[c] : apart;
				continue;
			}
			largest = mean > largest ? mean : largest;
			most = worst[c].ratio > most.ratio ? worst[c] : most;
			largest_cpu = cpu > largest_cpu ? cpu : largest_cpu;
		}
	}
	row("geomean", largest, "the largest geometric mean of 1, 5 and 50 launches, empty and warm cache");
	row("worst", most.ratio, most.name);
	snprintf(note, sizeof(note), "interp / interp, the workload that is furthest from itself: %s", apart.name);
	row("again", apart.ratio, note);
	row("cpu", largest_cpu, "processors' time of all processes, the largest geometric mean");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "platform", required_argument, NULL, 'p' }, { "kernels", required_argument, NULL, 'k' },
		{ "rounds", required_argument, NULL, 'r' },   { "child", required_argument, NULL, 'c' },
		{ "launches", required_argument, NULL, 'n' }, { "to", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },	      { 0 },
	};
	const char *child = NULL;
	char *all[WORKLOADS];
	int c, rounds = 15, launches = 1, to = STDOUT_FILENO;

	while ((c = getopt_long(argc, argv, "p:k:r:h", longs, NULL)) != -1)
		switch (c) {
		case 'p': platform_name = optarg; break;
		case 'k': kernels = optarg; break;
		case 'r': rounds = atoi(optarg); break;
		case 'c': child = optarg; break;
		case 'n': launches = atoi(optarg); break;
		case 't': to = atoi(optarg); break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, EXIT_USAGE);
		}
	if (rounds < 1 || rounds > ROUNDS_MAX)
		return usage(stderr, EXIT_USAGE);
	if (child) {
		running = child;
		run_child(workload_find(child), launches, to);
	}
	for (int i = 0; i < WORKLOADS; i++)
		all[i] = (char *)(uintptr_t)workloads[i].name;
	return optind < argc ? measure_all(argv + optind, argc - optind, rounds) : measure_all(all, WORKLOADS, rounds);
}
