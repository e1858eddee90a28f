/* paths: measures what surrounds kernels on one OpenCL platform (launches, events, transfers, builds, memory,
 * program starts) and prints a row for each figure, as clbench does: name, value, unit, note, separated by tabs.
 * The clock is the host's and runs around API calls alone, so every platform is measured in the same way. Speeds of
 * transfers also come as a share of the speed of memcpy on the same bytes, measured in turns with them. A wrong result
 * ends the program with status 1. */
#include <CL/cl.h>
#include <errno.h>
#include <getopt.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_NO_PLATFORM = 3, RUNS_MAX = 64 };
/* the first result of a program that has just been started */
enum { FIRST_ITEMS = 1024 };

static const char *const source =
	"kernel void null_kernel(void) {}\n"
	"kernel void fill(global uint4 *out, uint seed) { size_t i = get_global_id(0); out[i] = (uint4)((uint)i ^ seed); }\n"
	"kernel void shade(global float4 *out, float t) {\n"
	"	size_t i = get_global_id(0);\n"
	"	float x = i * 0.001f, s = 0;\n"
	"	for (int k = 1; k < 8; k++)\n"
	"		s += native_recip((float)k) * sin(x * k + t) * exp(-x);\n"
	"	out[i] = (float4)(s, fabs(s), rsqrt(1 + s * s), convert_float(convert_uchar_sat(s * 255)));\n"
	"}\n";

static struct options {
	const char *platform;
	unsigned device;
	int small, runs;
} options = { .runs = 7 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static const char *running = "paths";   /* names the group in messages */

/* ---- helpers ---- */

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "paths: %s: %s failed with OpenCL error %d\n", running, what, error);
	exit(EXIT_WRONG);
}

static void wrong(const char *what)
{
	fprintf(stderr, "paths: %s: wrong result: %s\n", running, what);
	exit(EXIT_WRONG);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void row(const char *name, double value, const char *unit, const char *note)
{
	printf("%s.%s\t%.6g\t%s\t%s\n", running, name, value, unit, note);
	fflush(stdout);
}

/* A row for the median of `samples` seconds, which are put in order. */
static void row_median(const char *name, double *seconds, int samples, double scale, const char *unit, const char *what)
{
	char note[160];

	qsort(seconds, (size_t)samples, sizeof(*seconds), compare_doubles);
	snprintf(note, sizeof(note), "%s, median of %d, best %.3g, 99th %.3g", what, samples, seconds[0] * scale,
		 seconds[samples * 99 / 100] * scale);
	row(name, seconds[samples / 2] * scale, unit, note);
}

/* A row for the median rate of runs that took `seconds` for `count` each. */
static void row_rate(const char *name, double *seconds, int runs, int count, const char *what)
{
	char note[160];

	qsort(seconds, (size_t)runs, sizeof(*seconds), compare_doubles);
	snprintf(note, sizeof(note), "%s, %d of them, median of %d runs, best %.0f", what, count, runs, count / seconds[0]);
	row(name, count / seconds[runs / 2], "1/s", note);
}

/* Pages of their own, zeroed, not yet touched; for the life of the program. */
static void *pages(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		fprintf(stderr, "paths: %s: no memory for %zu bytes: %s\n", running, bytes, strerror(errno));
		exit(EXIT_WRONG);
	}
	return p;
}

/* Reproducible bytes (xorshift64*). */
static void scramble(void *p, size_t bytes, uint64_t seed)
{
	uint64_t *word = p, state = seed * 0x9e3779b97f4a7c15ull + 1;

	for (size_t i = 0; i < bytes / sizeof(*word); i++) {
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		word[i] = state * 0x2545f4914f6cdd1dull;
	}
}

static void platform_open(void)
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

static void context_open(void)
{
	cl_int error;

	platform_open();
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
	check(error, "clCreateCommandQueueWithProperties");
}

static cl_program program_build(const char *text)
{
	cl_int error;
	cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &error);

	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(p, 1, &device, "", NULL, NULL), "clBuildProgram");
	return p;
}

static cl_kernel kernel_create(cl_program p, const char *name)
{
	cl_int error;
	cl_kernel k = clCreateKernel(p, name, &error);

	check(error, "clCreateKernel");
	return k;
}

static cl_mem buffer_create(cl_mem_flags flags, size_t bytes)
{
	cl_int error;
	cl_mem m = clCreateBuffer(context, flags, bytes, NULL, &error);

	check(error, "clCreateBuffer");
	return m;
}

static void finish(void) { check(clFinish(queue), "clFinish"); }

/* ---- launches and events ---- */

static cl_kernel null_kernel(void)
{
	static cl_kernel k;

	if (!k)
		k = kernel_create(program_build(source), "null_kernel");
	return k;
}

static void launch(cl_command_queue q, cl_uint waits, const cl_event *list, cl_event *event)
{
	static const size_t one = 1;

	check(clEnqueueNDRangeKernel(q, null_kernel(), 1, NULL, &one, &one, waits, list, event), "clEnqueueNDRangeKernel");
}

static void group_launch(void)
{
	int launches = options.small ? 100 : 1000, many = options.small ? 1000 : 10000;
	double *seconds = malloc((size_t)launches * sizeof(*seconds)), enqueue[RUNS_MAX], total[RUNS_MAX], drain[RUNS_MAX];
	cl_event gate, last;
	cl_int error;

	for (int i = -launches / 10; i < launches; i++) {
		double start = now_s();

		launch(queue, 0, NULL, NULL);
		finish();
		if (i >= 0)
			seconds[i] = now_s() - start;
	}
	row_median("null_us", seconds, launches, 1e6, "us", "a kernel that does nothing, enqueue to clFinish");
	for (int r = -1; r < options.runs; r++) {
		double start = now_s(), queued;

		for (int i = 0; i < many; i++)
			launch(queue, 0, NULL, NULL);
		queued = now_s() - start;
		finish();
		if (r < 0)
			continue;
		enqueue[r] = queued;
		total[r] = now_s() - start;
	}
	row_rate("enqueues_s", enqueue, options.runs, many, "enqueued without waiting");
	row_rate("throughput_s", total, options.runs, many, "enqueued and finished");
	for (int r = 0; r < options.runs; r++) {
		cl_int status = CL_QUEUED;
		double start;

		gate = clCreateUserEvent(context, &error);
		check(error, "clCreateUserEvent");
		launch(queue, 1, &gate, NULL);
		for (int i = 2; i < many; i++)
			launch(queue, 0, NULL, NULL);
		launch(queue, 0, NULL, &last);
		check(clFlush(queue), "clFlush");
		start = now_s();
		check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
		finish();
		drain[r] = now_s() - start;
		check(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), "clGetEventInfo");
		if (status != CL_COMPLETE)
			wrong("the last launch has not completed");
		clReleaseEvent(last);
		clReleaseEvent(gate);
	}
	row_rate("drained_s", drain, options.runs, many, "launches that stood behind a user event, from its end to clFinish");
	free(seconds);
}

static double called_at;
static atomic_int called;

static void CL_CALLBACK on_complete(cl_event e, cl_int status, void *arg)
{
	(void)e, (void)arg;
	called_at = now_s();
	atomic_store(&called, status == CL_COMPLETE ? 1 : -1);
}

static void event_poll(cl_event e)
{
	cl_int status = CL_QUEUED;

	while (status != CL_COMPLETE) {
		check(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), "clGetEventInfo");
		if (status < 0)
			wrong("a launch has failed");
	}
}

/* A launch and how its end becomes known: how = 0 by waiting, 1 by asking, 2 by a callback. */
static double event_once(int how)
{
	double start = now_s(), end;
	cl_event e;

	launch(queue, 0, NULL, &e);
	if (how == 0) {
		check(clWaitForEvents(1, &e), "clWaitForEvents");
	} else if (how == 1) {
		check(clFlush(queue), "clFlush");
		event_poll(e);
	} else {
		atomic_store(&called, 0);
		check(clSetEventCallback(e, CL_COMPLETE, on_complete, NULL), "clSetEventCallback");
		check(clFlush(queue), "clFlush");
		while (!atomic_load(&called))
			;
		if (atomic_load(&called) < 0)
			wrong("a callback came with an error");
	}
	end = how == 2 ? called_at : now_s();
	clReleaseEvent(e);
	return end - start;
}

static double user_event_once(void)
{
	double start, end;
	cl_event gate, done;
	cl_int error;

	gate = clCreateUserEvent(context, &error);
	check(error, "clCreateUserEvent");
	launch(queue, 1, &gate, &done);
	check(clFlush(queue), "clFlush");
	start = now_s();
	check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
	check(clWaitForEvents(1, &done), "clWaitForEvents");
	end = now_s();
	clReleaseEvent(gate);
	clReleaseEvent(done);
	return end - start;
}

/* Launches that each wait for the one before, on an out-of-order queue; seconds for each. */
static double chain_once(cl_command_queue q, int links)
{
	double start = now_s();
	cl_event before = NULL, e;

	for (int i = 0; i < links; i++) {
		launch(q, before ? 1 : 0, before ? &before : NULL, &e);
		if (before)
			clReleaseEvent(before);
		before = e;
	}
	check(clWaitForEvents(1, &before), "clWaitForEvents");
	clReleaseEvent(before);
	return (now_s() - start) / links;
}

static void group_event(void)
{
	static const char *const names[] = { "wait_us", "poll_us", "callback_us" };
	static const char *const what[] = { "a launch and clWaitForEvents", "a launch and clGetEventInfo until it is complete",
					    "a launch to its callback" };
	cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
	int samples = options.small ? 50 : 500;
	double *seconds = malloc((size_t)samples * sizeof(*seconds));
	cl_command_queue unordered;
	cl_int error;

	for (int how = 0; how < 3; how++) {
		for (int i = -samples / 10; i < samples; i++) {
			double s = event_once(how);

			if (i >= 0)
				seconds[i] = s;
		}
		row_median(names[how], seconds, samples, 1e6, "us", what[how]);
	}
	for (int i = -samples / 10; i < samples; i++) {
		double s = user_event_once();

		if (i >= 0)
			seconds[i] = s;
	}
	row_median("user_us", seconds, samples, 1e6, "us", "the end of a user event to that of the launch behind it");
	unordered = clCreateCommandQueueWithProperties(context, device, properties, &error);
	check(error, "clCreateCommandQueueWithProperties");
	for (int r = -1; r < options.runs; r++) {
		double s = chain_once(unordered, options.small ? 100 : 1000);

		if (r >= 0)
			seconds[r] = s;
	}
	row_median("chain_us", seconds, options.runs, 1e6, "us", "a launch that waits for the one before it, out-of-order queue");
	clReleaseCommandQueue(unordered);
	free(seconds);
}

/* ---- transfers ---- */

/* What transfers work on; bytes = width * height, images have texels of 4 bytes. */
static struct transfers {
	size_t bytes, width, height;
	char *host, *other;   /* pageable */
	char *pinned;         /* host memory of `pinned_mem` */
	cl_mem pinned_mem, a, b, image, image2;
} t;

static const size_t origin[3];
static size_t box[3], texels[3];

static void do_write(void) { check(clEnqueueWriteBuffer(queue, t.a, CL_TRUE, 0, t.bytes, t.host, 0, NULL, NULL), "clEnqueueWriteBuffer"); }
static void do_read(void) { check(clEnqueueReadBuffer(queue, t.a, CL_TRUE, 0, t.bytes, t.other, 0, NULL, NULL), "clEnqueueReadBuffer"); }

static void do_write_async(void)
{
	check(clEnqueueWriteBuffer(queue, t.a, CL_FALSE, 0, t.bytes, t.host, 0, NULL, NULL), "clEnqueueWriteBuffer");
	finish();
}

static void do_read_async(void)
{
	check(clEnqueueReadBuffer(queue, t.a, CL_FALSE, 0, t.bytes, t.other, 0, NULL, NULL), "clEnqueueReadBuffer");
	finish();
}

static void do_write_pinned(void)
{
	check(clEnqueueWriteBuffer(queue, t.a, CL_TRUE, 0, t.bytes, t.pinned, 0, NULL, NULL), "clEnqueueWriteBuffer");
}

static void do_read_pinned(void)
{
	check(clEnqueueReadBuffer(queue, t.a, CL_TRUE, 0, t.bytes, t.pinned, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static char *map(cl_mem m, cl_map_flags flags)
{
	cl_int error;
	char *p = clEnqueueMapBuffer(queue, m, CL_TRUE, flags, 0, t.bytes, 0, NULL, NULL, &error);

	check(error, "clEnqueueMapBuffer");
	return p;
}

static void unmap(cl_mem m, void *p)
{
	check(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL), "clEnqueueUnmapMemObject");
	finish();
}

static void do_map_write(void)
{
	char *p = map(t.a, CL_MAP_WRITE_INVALIDATE_REGION);

	memcpy(p, t.host, t.bytes);
	unmap(t.a, p);
}

static void do_map_read(void)
{
	char *p = map(t.a, CL_MAP_READ);

	memcpy(t.other, p, t.bytes);
	unmap(t.a, p);
}

static void do_write_rect(void)
{
	check(clEnqueueWriteBufferRect(queue, t.a, CL_TRUE, origin, origin, box, 2 * box[0], 0, 2 * box[0], 0, t.host, 0, NULL,
				       NULL), "clEnqueueWriteBufferRect");
}

static void do_read_rect(void)
{
	check(clEnqueueReadBufferRect(queue, t.a, CL_TRUE, origin, origin, box, 2 * box[0], 0, 2 * box[0], 0, t.other, 0, NULL,
				      NULL), "clEnqueueReadBufferRect");
}

static void do_copy(void)
{
	check(clEnqueueCopyBuffer(queue, t.a, t.b, 0, 0, t.bytes, 0, NULL, NULL), "clEnqueueCopyBuffer");
	finish();
}

static void do_copy_rect(void)
{
	check(clEnqueueCopyBufferRect(queue, t.a, t.b, origin, origin, box, 2 * box[0], 0, 2 * box[0], 0, 0, NULL, NULL),
	      "clEnqueueCopyBufferRect");
	finish();
}

static void do_fill(void)
{
	static const uint32_t pattern = 0x5ca1ab1e;

	check(clEnqueueFillBuffer(queue, t.b, &pattern, sizeof(pattern), 0, t.bytes, 0, NULL, NULL), "clEnqueueFillBuffer");
	finish();
}

static void do_image_write(void)
{
	check(clEnqueueWriteImage(queue, t.image, CL_TRUE, origin, texels, 0, 0, t.host, 0, NULL, NULL), "clEnqueueWriteImage");
}

static void do_image_read(void)
{
	check(clEnqueueReadImage(queue, t.image, CL_TRUE, origin, texels, 0, 0, t.other, 0, NULL, NULL), "clEnqueueReadImage");
}

static void do_image_copy(void)
{
	check(clEnqueueCopyImage(queue, t.image, t.image2, origin, origin, texels, 0, NULL, NULL), "clEnqueueCopyImage");
	finish();
}

static void do_image_fill(void)
{
	static const cl_uint color[4] = { 1, 2, 3, 4 };

	check(clEnqueueFillImage(queue, t.image2, color, origin, texels, 0, NULL, NULL), "clEnqueueFillImage");
	finish();
}

/* What a transfer leaves behind is looked at after the last run. */
static void *look(cl_mem m)
{
	static char *seen;

	if (!seen)
		seen = pages(t.bytes);
	memset(seen, 0, t.bytes);
	if (m == t.image || m == t.image2)
		check(clEnqueueReadImage(queue, m, CL_TRUE, origin, texels, 0, 0, seen, 0, NULL, NULL), "clEnqueueReadImage");
	else
		check(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, t.bytes, seen, 0, NULL, NULL), "clEnqueueReadBuffer");
	return seen;
}

static void same(const char *a, const char *b, const char *what)
{
	if (memcmp(a, b, t.bytes))
		wrong(what);
}

/* Every other half row, which is what the rectangles cover. */
static void same_rect(const char *a, const char *b, const char *what)
{
	for (size_t y = 0; y < box[1]; y++)
		if (memcmp(a + 2 * box[0] * y, b + 2 * box[0] * y, box[0]))
			wrong(what);
}

static void all_words(const void *p, uint32_t word, const char *what)
{
	const uint32_t *w = p;

	for (size_t i = 0; i < t.bytes / sizeof(*w); i++)
		if (w[i] != word)
			wrong(what);
}

static void saw_a(void) { same(look(t.a), t.host, "a buffer written"); }
static void saw_a_pinned(void) { same(look(t.a), t.pinned, "a buffer written"); }
static void saw_a_rect(void) { same_rect(look(t.a), t.host, "a rectangle written"); }
static void saw_b(void) { char *b = pages(t.bytes); memcpy(b, look(t.b), t.bytes); same(look(t.a), b, "a buffer copied"); munmap(b, t.bytes); }
static void saw_b_rect(void) { char *b = pages(t.bytes); memcpy(b, look(t.b), t.bytes); same_rect(look(t.a), b, "a rectangle copied"); munmap(b, t.bytes); }
static void saw_b_fill(void) { all_words(look(t.b), 0x5ca1ab1e, "a buffer filled"); }
static void saw_other(void) { same(look(t.a), t.other, "a buffer read"); }
static void saw_other_rect(void) { same_rect(look(t.a), t.other, "a rectangle read"); }
static void saw_pinned(void) { same(look(t.a), t.pinned, "a buffer read"); }
static void saw_image(void) { same(look(t.image), t.host, "an image written"); }
static void saw_image_read(void) { same(look(t.image), t.other, "an image read"); }
static void saw_image2(void) { same(look(t.image2), t.host, "an image copied"); }
static void saw_image_fill(void) { all_words(look(t.image2), 0x04030201, "an image filled"); }

static const struct transfer {
	const char *name, *what;
	void (*run)(void), (*verify)(void);
	int half;   /* covers half of the bytes */
} transfer_list[] = {
	{ "write", "blocking, pageable memory", do_write, saw_a, 0 },
	{ "write_async", "not blocking and clFinish, pageable memory", do_write_async, saw_a, 0 },
	{ "write_pinned", "blocking, memory of a mapped CL_MEM_ALLOC_HOST_PTR buffer", do_write_pinned, saw_a_pinned, 0 },
	{ "read", "blocking, pageable memory", do_read, saw_other, 0 },
	{ "read_async", "not blocking and clFinish, pageable memory", do_read_async, saw_other, 0 },
	{ "read_pinned", "blocking, memory of a mapped CL_MEM_ALLOC_HOST_PTR buffer", do_read_pinned, saw_pinned, 0 },
	{ "map_write", "map to overwrite, memcpy into it, unmap", do_map_write, saw_a, 0 },
	{ "map_read", "map to read, memcpy from it, unmap", do_map_read, saw_other, 0 },
	{ "write_rect", "blocking, every other half row", do_write_rect, saw_a_rect, 1 },
	{ "read_rect", "blocking, every other half row", do_read_rect, saw_other_rect, 1 },
	{ "copy", "buffer to buffer and clFinish", do_copy, saw_b, 0 },
	{ "copy_rect", "buffer to buffer and clFinish, every other half row", do_copy_rect, saw_b_rect, 1 },
	{ "fill", "buffer, pattern of 4 bytes, and clFinish", do_fill, saw_b_fill, 0 },
	{ "image_write", "blocking, 4 bytes a texel", do_image_write, saw_image, 0 },
	{ "image_read", "blocking, 4 bytes a texel", do_image_read, saw_image_read, 0 },
	{ "image_copy", "and clFinish", do_image_copy, saw_image2, 0 },
	{ "image_fill", "and clFinish", do_image_fill, saw_image_fill, 0 },
};

static double memcpy_once(char *to, const char *from)
{
	double start = now_s();

	memcpy(to, from, t.bytes);
	__asm__ volatile("" : : "r"(to) : "memory");
	return now_s() - start;
}

static void transfer_row(const char *name, const char *what, double bytes, double *run, int runs, double memcpy_s)
{
	char full[64], note[200];

	qsort(run, (size_t)runs, sizeof(*run), compare_doubles);
	snprintf(full, sizeof(full), "%s_gbs", name);
	snprintf(note, sizeof(note), "%.3g MiB, %s, best of %d, median %.3g", bytes / (1 << 20), what, runs,
		 bytes / run[runs / 2] * 1e-9);
	row(full, bytes / run[0] * 1e-9, "GB/s", note);
	snprintf(full, sizeof(full), "%s_vs_memcpy", name);
	snprintf(note, sizeof(note), "share of memcpy's speed: %.3g ms for the bytes of memcpy's %.3g ms", run[0] * 1e3,
		 memcpy_s * bytes / (double)t.bytes * 1e3);
	row(full, bytes / run[0] / ((double)t.bytes / memcpy_s), "x", note);
}

static void transfer_measure(const struct transfer *x)
{
	double run[RUNS_MAX], copy = 1e9, start;

	for (int r = -1; r < options.runs; r++) {
		double c = memcpy_once(t.other, t.host);

		if (c < copy)
			copy = c;
		start = now_s();
		x->run();
		if (r >= 0)
			run[r] = now_s() - start;
	}
	memset(t.other, 0, t.bytes);
	x->run();
	x->verify();
	transfer_row(x->name, x->what, (double)t.bytes / (x->half ? 2 : 1), run, options.runs, copy);
}

static cl_mem image_create(void)
{
	cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = texels[0], .image_height = texels[1] };
	cl_int error;
	cl_mem m = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);

	check(error, "clCreateImage");
	return m;
}

/* Memory that nobody has touched: a new buffer is written from new host memory, and read to new host memory, beside
 * memcpy into such. */
static void first_touch(void)
{
	char *to = pages(t.bytes), *to2 = pages(t.bytes);
	double copy = memcpy_once(to, t.host), write = now_s(), read;
	cl_mem m = buffer_create(CL_MEM_READ_WRITE, t.bytes);

	check(clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, t.bytes, t.host, 0, NULL, NULL), "clEnqueueWriteBuffer");
	write = now_s() - write;
	read = now_s();
	check(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, t.bytes, to2, 0, NULL, NULL), "clEnqueueReadBuffer");
	read = now_s() - read;
	same(t.host, to2, "a buffer written and read once");
	transfer_row("first_write", "a buffer created and written once, beside memcpy to untouched memory", (double)t.bytes, &write, 1, copy);
	transfer_row("first_read", "into untouched memory, beside memcpy to such", (double)t.bytes, &read, 1, copy);
	clReleaseMemObject(m);
	munmap(to, t.bytes);
	munmap(to2, t.bytes);
}

static void small_transfers(void)
{
	int samples = options.small ? 50 : 500;
	double *write = malloc((size_t)samples * sizeof(*write)), *read = malloc((size_t)samples * sizeof(*read));

	for (int i = 0; i < samples; i++) {
		double start = now_s();

		scramble(t.host, 64, (uint64_t)i);
		check(clEnqueueWriteBuffer(queue, t.a, CL_TRUE, 0, 4096, t.host, 0, NULL, NULL), "clEnqueueWriteBuffer");
		write[i] = now_s() - start;
		start = now_s();
		check(clEnqueueReadBuffer(queue, t.a, CL_TRUE, 0, 4096, t.other, 0, NULL, NULL), "clEnqueueReadBuffer");
		read[i] = now_s() - start;
		if (memcmp(t.host, t.other, 4096))
			wrong("4 KiB written and read");
	}
	row_median("write4k_us", write, samples, 1e6, "us", "4 KiB, blocking");
	row_median("read4k_us", read, samples, 1e6, "us", "4 KiB, blocking");
	free(write);
	free(read);
}

/* Buffers made from the application's own memory and given back: pages are pinned, mapped, unpinned. */
static void imports(void)
{
	double seconds[RUNS_MAX];
	static const uint32_t pattern = 0xfeedbead;
	cl_int error;

	for (int r = -1; r < options.runs; r++) {
		double start = now_s();
		cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, t.bytes, t.other, &error);

		check(error, "clCreateBuffer");
		check(clEnqueueFillBuffer(queue, m, &pattern, sizeof(pattern), 0, 4096, 0, NULL, NULL), "clEnqueueFillBuffer");
		unmap(m, map(m, CL_MAP_READ));
		clReleaseMemObject(m);
		if (r >= 0)
			seconds[r] = now_s() - start;
	}
	if (*(uint32_t *)(void *)t.other != pattern)
		wrong("memory of a CL_MEM_USE_HOST_PTR buffer");
	row_median("use_host_ptr_ms", seconds, options.runs, 1e3, "ms",
		   "a buffer on the application's memory: created, 4 KiB filled, mapped whole, unmapped, released");
}

static void group_transfer(void)
{
	double copy = 1e9;

	t.width = options.small ? 4096 : 16384;
	t.height = options.small ? 1024 : 4096;
	t.bytes = t.width * t.height;
	box[0] = t.width / 2, box[1] = t.height, box[2] = 1;
	texels[0] = t.width / 4, texels[1] = t.height, texels[2] = 1;
	t.host = pages(t.bytes);
	t.other = pages(t.bytes);
	scramble(t.host, t.bytes, 1);
	memset(t.other, 0, t.bytes);
	first_touch();
	t.a = buffer_create(CL_MEM_READ_WRITE, t.bytes);
	t.b = buffer_create(CL_MEM_READ_WRITE, t.bytes);
	t.image = image_create();
	t.image2 = image_create();
	t.pinned_mem = buffer_create(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, t.bytes);
	t.pinned = map(t.pinned_mem, CL_MAP_READ | CL_MAP_WRITE);
	scramble(t.pinned, t.bytes, 2);
	for (int r = 0; r <= options.runs; r++) {
		double c = memcpy_once(t.other, t.host);

		copy = c < copy ? c : copy;
	}
	row("memcpy_gbs", (double)t.bytes / copy * 1e-9, "GB/s", "the host's memcpy of the same bytes, best");
	for (unsigned i = 0; i < sizeof(transfer_list) / sizeof(*transfer_list); i++)
		transfer_measure(&transfer_list[i]);
	imports();
	small_transfers();
	unmap(t.pinned_mem, t.pinned);
	clReleaseMemObject(t.pinned_mem);
	clReleaseMemObject(t.a);
	clReleaseMemObject(t.b);
	clReleaseMemObject(t.image);
	clReleaseMemObject(t.image2);
	munmap(t.host, t.bytes);
	munmap(t.other, t.bytes);
}

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

static void group_build(void)
{
	double cold[RUNS_MAX], cached[RUNS_MAX], result[RUNS_MAX];
	int runs = options.small ? 1 : options.runs;

	for (int r = 0; r < runs; r++) {
		char text[2048];
		double start;
		cl_program p;

		/* a text that nobody has built before */
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
static void child_memory(void)
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

/* Runs a program to its end; seconds. Negative when it is not there. */
static double run_program(char *const argv[], int quiet)
{
	double start = now_s();
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (quiet && !freopen("/dev/null", "w", stdout))
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

/* This program again, as the child `group`. */
static double run_self(const char *group)
{
	char number[16];
	char *argv[] = { "/proc/self/exe", "--device", number, options.small ? "--small" : "--runs", options.small ? "--" : "1",
			 "--child", (char *)(uintptr_t)group, "--platform", (char *)(uintptr_t)options.platform, NULL };

	if (options.small)
		argv[4] = "--small";
	if (!options.platform)
		argv[7] = NULL;
	snprintf(number, sizeof(number), "%u", options.device);
	return run_program(argv, 0);
}

static void child_list(void)
{
	char name[256];

	platform_open();
	check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL), "clGetDeviceInfo");
}

static void child_result(void)
{
	cl_program p;

	context_open();
	p = program_build(source);
	shade_once(p);
	clReleaseProgram(p);
}

static void group_start(void)
{
	char *clinfo[] = { "clinfo", NULL };
	double list[RUNS_MAX], result[RUNS_MAX], info[RUNS_MAX];

	for (int r = -1; r < options.runs; r++) {
		double l = run_self("list"), f = run_self("result"), i = run_program(clinfo, 1);

		if (r < 0)
			continue;
		list[r] = l;
		result[r] = f;
		info[r] = i;
	}
	row_median("list_ms", list, options.runs, 1e3, "ms", "a program that asks for the device's name, start to exit");
	row_median("first_result_ms", result, options.runs, 1e3, "ms",
		   "a program that builds a cached text, runs a kernel and reads its result, start to exit");
	if (info[0] < 0)
		fprintf(stderr, "paths: start: no clinfo on PATH, its row is left out\n");
	else
		row_median("clinfo_ms", info, options.runs, 1e3, "ms", "clinfo, start to exit, on the platforms the loader sees");
}

static void group_memory(void) { run_self("memory"); }

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
	{ "build", "cold_ms, cold_result_ms, cached_ms: clBuildProgram", group_build, 1 },
}, children[] = {
	{ "memory", "", child_memory, 0 },
	{ "list", "", child_list, 0 },
	{ "result", "", child_result, 0 },
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
