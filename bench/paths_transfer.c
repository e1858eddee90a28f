/* paths: transfers, beside memcpy of the same bytes. */
#include "bench/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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
	int own;    /* the application copies the bytes itself in between */
} transfer_list[] = {
	{ "write", "blocking, pageable memory", do_write, saw_a, 0, 0 },
	{ "write_async", "not blocking and clFinish, pageable memory", do_write_async, saw_a, 0, 0 },
	{ "write_pinned", "blocking, memory of a mapped CL_MEM_ALLOC_HOST_PTR buffer", do_write_pinned, saw_a_pinned, 0, 0 },
	{ "read", "blocking, pageable memory", do_read, saw_other, 0, 0 },
	{ "read_async", "not blocking and clFinish, pageable memory", do_read_async, saw_other, 0, 0 },
	{ "read_pinned", "blocking, memory of a mapped CL_MEM_ALLOC_HOST_PTR buffer", do_read_pinned, saw_pinned, 0, 0 },
	{ "map_write", "map to overwrite, memcpy into it, unmap; without the best time of that memcpy", do_map_write, saw_a, 0, 1 },
	{ "map_read", "map to read, memcpy from it, unmap; without the best time of that memcpy", do_map_read, saw_other, 0, 1 },
	{ "write_rect", "blocking, every other half row", do_write_rect, saw_a_rect, 1, 0 },
	{ "read_rect", "blocking, every other half row", do_read_rect, saw_other_rect, 1, 0 },
	{ "copy", "buffer to buffer and clFinish", do_copy, saw_b, 0, 0 },
	{ "copy_rect", "buffer to buffer and clFinish, every other half row", do_copy_rect, saw_b_rect, 1, 0 },
	{ "fill", "buffer, pattern of 4 bytes, and clFinish", do_fill, saw_b_fill, 0, 0 },
	{ "image_write", "blocking, 4 bytes a texel", do_image_write, saw_image, 0, 0 },
	{ "image_read", "blocking, 4 bytes a texel", do_image_read, saw_image_read, 0, 0 },
	{ "image_copy", "and clFinish", do_image_copy, saw_image2, 0, 0 },
	{ "image_fill", "and clFinish", do_image_fill, saw_image_fill, 0, 0 },
};

static double memcpy_once(char *to, const char *from)
{
	double start = now_s();

	memcpy(to, from, t.bytes);
	__asm__ volatile("" : : "r"(to) : "memory");
	return now_s() - start;
}

/* The same of what the rectangles cover. */
static double memcpy_rect_once(char *to, const char *from)
{
	double start = now_s();

	for (size_t y = 0; y < box[1]; y++)
		memcpy(to + 2 * box[0] * y, from + 2 * box[0] * y, box[0]);
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
	snprintf(note, sizeof(note), "share of memcpy's speed: %.3g ms where memcpy takes %.3g ms", run[0] * 1e3, memcpy_s * 1e3);
	row(full, memcpy_s / run[0], "x", note);
}

static void transfer_measure(const struct transfer *x)
{
	double run[RUNS_MAX], copy = 1e9, start;

	for (int r = -1; r < options.runs; r++) {
		double c = x->half ? memcpy_rect_once(t.other, t.host) : memcpy_once(t.other, t.host);

		copy = c < copy ? c : copy;
		start = now_s();
		x->run();
		if (r >= 0)
			run[r] = now_s() - start;
	}
	for (int r = 0; x->own && r < options.runs; r++) /* what lies between is not the platform's time */
		run[r] = run[r] > 1.1 * copy ? run[r] - copy : 0.1 * copy;
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

/* Memory that was never touched: a new buffer is written from new host memory, and read to new host memory, beside
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

void group_transfer(void)
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

