/* Buffers: creation, placement, read, write, copy, fill, rectangles, sub-buffers; every byte checked
 * against a copy that the host keeps. */
#include "testbench/opencl/cl_test.h"
#include "testbench/skip.h"

static cl_mem buffer(cl_context c, cl_mem_flags flags, size_t size, void *ptr)
{
	cl_int code;
	cl_mem m = clCreateBuffer(c, flags, size, ptr, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_non_null(m);
	return m;
}

static unsigned char *random_bytes(size_t n, uint64_t *seed)
{
	unsigned char *p = malloc(n);
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)splitmix64(seed);
	return p;
}

static void create_error(cl_int expected, cl_context c, cl_mem_flags flags, size_t size, void *ptr)
{
	cl_int code = 1;
	assert_null(clCreateBuffer(c, flags, size, ptr, &code));
	assert_int_equal(code, expected);
	assert_null(clCreateBuffer(c, flags, size, ptr, NULL));
}

static void create_errors(void **state)
{
	(void)state;
	char bytes[16];
	cl_ulong most;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
	create_error(CL_INVALID_BUFFER_SIZE, cl.context, 0, 0, NULL);
	create_error(CL_INVALID_BUFFER_SIZE, cl.context, 0, most + 1, NULL);
	create_error(CL_INVALID_VALUE, cl.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL);
	create_error(CL_INVALID_VALUE, cl.context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 16, NULL);
	create_error(CL_INVALID_VALUE, cl.context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, bytes);
	create_error(CL_INVALID_VALUE, cl.context, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 16, bytes);
	create_error(CL_INVALID_VALUE, cl.context, 1u << 30, 16, NULL);
	create_error(CL_INVALID_HOST_PTR, cl.context, CL_MEM_USE_HOST_PTR, 16, NULL);
	create_error(CL_INVALID_HOST_PTR, cl.context, CL_MEM_COPY_HOST_PTR, 16, NULL);
	create_error(CL_INVALID_HOST_PTR, cl.context, 0, 16, bytes);
	cl_int code;
	const cl_mem_properties bad[] = {0x1234, 1, 0};
	assert_null(clCreateBufferWithProperties(cl.context, bad, 0, 16, NULL, &code));
	assert_int_equal(code, CL_INVALID_PROPERTY);
	CL_FAILS(CL_INVALID_MEM_OBJECT, clReleaseMemObject(NULL));
}

static void queries(void **state)
{
	(void)state;
	cl_int code;
	const cl_mem_properties none[] = {0};
	cl_mem m = clCreateBufferWithProperties(cl.context, none, CL_MEM_READ_ONLY, 100, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	size_t size, n;
	cl_uint count;
	cl_mem_flags flags;
	cl_mem_object_type type;
	cl_context context;
	cl_mem parent;
	void *ptr;
	cl_bool svm;
	cl_mem_properties list[4] = {7};
	CL_OK(clGetMemObjectInfo(m, CL_MEM_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, CL_MEM_OBJECT_BUFFER);
	CL_OK(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
	assert_int_equal(flags, CL_MEM_READ_ONLY);
	CL_OK(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, &n));
	assert_int_equal(size, 100);
	assert_int_equal(n, sizeof size);
	CL_OK(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof ptr, &ptr, NULL));
	assert_null(ptr);
	CL_OK(clGetMemObjectInfo(m, CL_MEM_CONTEXT, sizeof context, &context, NULL));
	assert_ptr_equal(context, cl.context);
	CL_OK(clGetMemObjectInfo(m, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
	assert_null(parent);
	CL_OK(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof svm, &svm, NULL));
	assert_int_equal(svm, CL_FALSE);
	CL_OK(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, sizeof list, list, &n));
	assert_int_equal(n, sizeof *list);
	assert_int_equal(list[0], 0);
	CL_OK(clRetainMemObject(m));
	CL_OK(clGetMemObjectInfo(m, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
	assert_int_equal(count, 2);
	CL_FAILS(CL_INVALID_VALUE, clGetMemObjectInfo(m, CL_MEM_SIZE, 1, &size, NULL));
	CL_FAILS(CL_INVALID_VALUE, clGetMemObjectInfo(m, 0x1234, sizeof size, &size, NULL));
	CL_FAILS(CL_INVALID_MEM_OBJECT, clGetImageInfo(m, CL_IMAGE_WIDTH, sizeof size, &size, NULL));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseMemObject(m));
}

/* Sizes and alignments around the border between staged and pinned transfers. */
static void write_read(cl_context c, cl_command_queue q, cl_mem_flags flags)
{
	static const size_t sizes[] = {1, 3, 64, 4095, 4097, 65535, 65536, 65537, 200001, 1 << 20};
	uint64_t seed = cl_test_seed();
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t n = sizes[i], size = n + 333;
		unsigned char *expected = random_bytes(size, &seed), *mirror = malloc(size + 64), *out = mirror + splitmix64(&seed) % 64;
		cl_mem m = buffer(c, flags, size, NULL);
		CL_OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, size, expected, 0, NULL, NULL));
		size_t offset = splitmix64(&seed) % 333;
		unsigned char *part = random_bytes(n, &seed);
		CL_OK(clEnqueueWriteBuffer(q, m, CL_TRUE, offset, n, part, 0, NULL, NULL));
		memcpy(expected + offset, part, n);
		memset(part, 0xee, n); /* the application may use its memory again */
		memset(mirror, 0x55, size + 64);
		CL_OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, size, out, 0, NULL, NULL));
		assert_memory_equal(out, expected, size);
		for (unsigned char *p = mirror; p < mirror + size + 64; p++)
			if (p < out || p >= out + size)
				assert_int_equal(*p, 0x55);
		CL_OK(clReleaseMemObject(m));
		free(expected);
		free(part);
		free(mirror);
	}
}

static void write_read_device_memory(void **state)
{
	(void)state;
	write_read(cl.context, cl.queue, 0);
}

static void write_read_host_memory(void **state)
{
	(void)state;
	write_read(cl.context, cl.queue, CL_MEM_ALLOC_HOST_PTR);
}

static void write_read_unordered(void **state)
{
	(void)state;
	cl_int code;
	/* the two writes of write_read() overlap: an out-of-order queue needs its dependency */
	unsigned char a[1000], b[1000], out[1000];
	memset(a, 1, sizeof a);
	memset(b, 2, sizeof b);
	cl_mem m = buffer(cl.context, 0, 1000, NULL);
	cl_event first, second;
	code = clEnqueueWriteBuffer(cl.unordered, m, CL_FALSE, 0, 1000, a, 0, NULL, &first);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clEnqueueWriteBuffer(cl.unordered, m, CL_FALSE, 100, 800, b, 1, &first, &second));
	CL_OK(clEnqueueReadBuffer(cl.unordered, m, CL_TRUE, 0, 1000, out, 1, &second, NULL));
	for (int i = 0; i < 1000; i++)
		assert_int_equal(out[i], i >= 100 && i < 900 ? 2 : 1);
	CL_OK(clReleaseEvent(first));
	CL_OK(clReleaseEvent(second));
	CL_OK(clReleaseMemObject(m));
}

/* One context, two devices: what one writes the other reads. */
static void two_devices(void **state)
{
	(void)state;
	if (cl.num_devices < 2)
		SKIP("needs two devices (GALENA_DEVICES)");
	cl_int code;
	cl_command_queue q[2];
	uint64_t seed = cl_test_seed();
	for (int i = 0; i < 2; i++) {
		q[i] = clCreateCommandQueue(cl.all, cl.devices[i], 0, &code);
		assert_int_equal(code, CL_SUCCESS);
	}
	for (size_t n = 100; n < 300000; n *= 11) {
		unsigned char *data = random_bytes(n, &seed), *out = calloc(1, n);
		cl_mem a = buffer(cl.all, CL_MEM_COPY_HOST_PTR, n, data), b = buffer(cl.all, 0, n, NULL);
		cl_event copied;
		CL_OK(clEnqueueCopyBuffer(q[0], a, b, 0, 0, n, 0, NULL, &copied));
		CL_OK(clEnqueueReadBuffer(q[1], b, CL_TRUE, 0, n, out, 1, &copied, NULL));
		assert_memory_equal(out, data, n);
		CL_OK(clReleaseEvent(copied));
		CL_OK(clReleaseMemObject(a));
		CL_OK(clReleaseMemObject(b));
		free(data);
		free(out);
	}
	for (int i = 0; i < 2; i++)
		CL_OK(clReleaseCommandQueue(q[i]));
}

static void copy_host_ptr(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	static const size_t sizes[] = {1, 1000, 65536, 65537, 1 << 20};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t n = sizes[i];
		unsigned char *data = random_bytes(n, &seed), *copy = malloc(n), *out = malloc(n);
		memcpy(copy, data, n);
		cl_mem m = buffer(cl.context, CL_MEM_COPY_HOST_PTR, n, copy);
		memset(copy, 0, n); /* contents are those at creation */
		free(copy);
		/* from any queue, and though nothing waited for the copying */
		CL_OK(clEnqueueReadBuffer(i & 1 ? cl.queue : cl.unordered, m, CL_TRUE, 0, n, out, 0, NULL, NULL));
		assert_memory_equal(out, data, n);
		CL_OK(clReleaseMemObject(m));
		free(data);
		free(out);
	}
}

static void use_host_ptr(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	size_t n = 100000;
	unsigned char *memory = random_bytes(n, &seed), *out = malloc(n), *expected = malloc(n);
	memcpy(expected, memory, n);
	cl_mem m = buffer(cl.context, CL_MEM_USE_HOST_PTR, n - 7, memory + 7);
	void *ptr;
	CL_OK(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof ptr, &ptr, NULL));
	assert_ptr_equal(ptr, memory + 7);
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, n - 7, out, 0, NULL, NULL));
	assert_memory_equal(out, expected + 7, n - 7);
	const unsigned char pattern[4] = {9, 8, 7, 6};
	CL_OK(clEnqueueFillBuffer(cl.queue, m, pattern, 4, 40, 400, 0, NULL, NULL));
	for (size_t i = 0; i < 400; i++)
		expected[7 + 40 + i] = pattern[i % 4];
	cl_int code;
	unsigned char *mapped = clEnqueueMapBuffer(cl.queue, m, CL_TRUE, CL_MAP_READ, 30, 1000, 0, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_ptr_equal(mapped, memory + 7 + 30);
	assert_memory_equal(memory, expected, n);
	CL_OK(clEnqueueUnmapMemObject(cl.queue, m, mapped, 0, NULL, NULL));
	CL_OK(clFinish(cl.queue));
	CL_OK(clReleaseMemObject(m));
	free(memory);
	free(out);
	free(expected);
}

/* Host memory that one command writes and the next one reads, with nobody waiting in between. */
static void host_memory_chain(cl_command_queue q, size_t n, size_t first, size_t second)
{
	uint64_t seed = cl_test_seed() + n;
	cl_int code;
	unsigned char *data = random_bytes(n, &seed), *between = calloc(1, n), *out = calloc(1, n);
	cl_mem a = buffer(cl.context, CL_MEM_COPY_HOST_PTR, n, data), b = buffer(cl.context, 0, n, NULL);
	cl_event gate = clCreateUserEvent(cl.context, &code), read[2], written[2];
	assert_int_equal(code, CL_SUCCESS);
	/* in two parts each, cut at different places */
	CL_OK(clEnqueueReadBuffer(q, a, CL_FALSE, 0, first, between, 1, &gate, &read[0]));
	CL_OK(clEnqueueReadBuffer(q, a, CL_FALSE, first, n - first, between + first, 1, &gate, &read[1]));
	CL_OK(clEnqueueWriteBuffer(q, b, CL_FALSE, 0, second, between, 2, read, &written[0]));
	CL_OK(clEnqueueWriteBuffer(q, b, CL_FALSE, second, n - second, between + second, 2, read, &written[1]));
	CL_OK(clFlush(q));
	assert_int_equal(between[0] | between[n - 1], 0);
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_OK(clEnqueueReadBuffer(q, b, CL_TRUE, 0, n, out, 2, written, NULL));
	assert_memory_equal(between, data, n);
	assert_memory_equal(out, data, n);
	for (int i = 0; i < 2; i++) {
		CL_OK(clReleaseEvent(read[i]));
		CL_OK(clReleaseEvent(written[i]));
	}
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
	free(data);
	free(between);
	free(out);
}

static void host_memory_chains(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		cl_command_queue q = k ? cl.unordered : cl.queue;
		host_memory_chain(q, 1000, 300, 600);
		host_memory_chain(q, 1000, 600, 300);
		host_memory_chain(q, 300000, 100, 200000);   /* staged, pinned; pinned, pinned */
		host_memory_chain(q, 300000, 299900, 200000);
		host_memory_chain(q, 300000, 200000, 299990);
	}
	/* and on and on, in order, without events */
	int v[64] = {0}, out = 0;
	cl_mem m = buffer(cl.context, CL_MEM_COPY_HOST_PTR, 8, (int[]){1, 0});
	for (int i = 0; i < 63; i++) {
		CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_FALSE, 0, 4, &v[i], 0, NULL, NULL));
		CL_OK(clEnqueueWriteBuffer(cl.queue, m, CL_FALSE, 4, 4, &v[i], 0, NULL, NULL));
		CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_FALSE, 4, 4, &v[i + 1], 0, NULL, NULL));
		CL_OK(clEnqueueWriteBuffer(cl.queue, m, CL_FALSE, 0, 4, &v[i + 1], 0, NULL, NULL));
	}
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, 4, &out, 0, NULL, NULL));
	assert_int_equal(out, 1);
	assert_int_equal(v[63], 1);
	CL_OK(clReleaseMemObject(m));
}

static void fills(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	unsigned char expected[8192], out[8192], pattern[128];
	for (size_t p = 1; p <= 128; p *= 2) {
		cl_mem m = buffer(cl.context, 0, sizeof out, NULL);
		memset(expected, 0xaa, sizeof expected);
		CL_OK(clEnqueueWriteBuffer(cl.queue, m, CL_FALSE, 0, sizeof expected, expected, 0, NULL, NULL));
		for (size_t i = 0; i < p; i++)
			pattern[i] = (unsigned char)splitmix64(&seed);
		size_t offset = p * (splitmix64(&seed) % 8), n = p * (1 + splitmix64(&seed) % 50);
		CL_OK(clEnqueueFillBuffer(cl.queue, m, pattern, p, offset, n, 0, NULL, NULL));
		for (size_t i = 0; i < n; i++)
			expected[offset + i] = pattern[i % p];
		CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
		assert_memory_equal(out, expected, sizeof out);
		CL_FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(cl.queue, m, pattern, p, p * 8192, p, 0, NULL, NULL));
		CL_FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(cl.queue, m, pattern, 3, 0, 3, 0, NULL, NULL));
		CL_FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(cl.queue, m, pattern, 256, 0, 256, 0, NULL, NULL));
		CL_FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(cl.queue, m, NULL, p, 0, p, 0, NULL, NULL));
		if (p > 1)
			CL_FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(cl.queue, m, pattern, p, 1, p, 0, NULL, NULL));
		CL_OK(clReleaseMemObject(m));
	}
}

static void copies(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	size_t n = 70000;
	unsigned char *expected = random_bytes(n, &seed), *out = malloc(n);
	cl_mem a = buffer(cl.context, CL_MEM_COPY_HOST_PTR, n, expected);
	for (int i = 0; i < 20; i++) {
		size_t size = 1 + splitmix64(&seed) % 30000, from = splitmix64(&seed) % (n - size), to = splitmix64(&seed) % (n - size);
		bool overlap = from < to + size && to < from + size;
		CL_FAILS(overlap ? CL_MEM_COPY_OVERLAP : CL_SUCCESS, clEnqueueCopyBuffer(cl.queue, a, a, from, to, size, 0, NULL, NULL));
		if (!overlap)
			memcpy(expected + to, expected + from, size);
	}
	CL_OK(clEnqueueReadBuffer(cl.queue, a, CL_TRUE, 0, n, out, 0, NULL, NULL));
	assert_memory_equal(out, expected, n);
	CL_FAILS(CL_INVALID_VALUE, clEnqueueCopyBuffer(cl.queue, a, a, n - 10, 0, 20, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueCopyBuffer(cl.queue, a, a, 0, n - 10, 20, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueCopyBuffer(cl.queue, a, a, 0, 1, 0, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(cl.queue, a, NULL, 0, 1, 1, 0, NULL, NULL));
	CL_OK(clReleaseMemObject(a));
	free(expected);
	free(out);
}

struct box { size_t origin[3], row, slice; };

static struct box random_box(uint64_t *seed, const size_t region[3], size_t *bytes)
{
	struct box b;
	b.row = region[0] + splitmix64(seed) % 20;
	b.slice = b.row * (region[1] + splitmix64(seed) % 4);
	b.origin[0] = splitmix64(seed) % 9;
	b.origin[1] = splitmix64(seed) % 4;
	b.origin[2] = splitmix64(seed) % 3;
	*bytes = (b.origin[2] + region[2]) * b.slice + (b.origin[1] + region[1]) * b.row + b.origin[0] + region[0];
	return b;
}

static size_t at(const struct box *b, size_t x, size_t y, size_t z)
{
	return (b->origin[2] + z) * b->slice + (b->origin[1] + y) * b->row + b->origin[0] + x;
}

static void rectangles(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	for (int i = 0; i < 40; i++) {
		/* every eighth is above the size at which host memory is pinned */
		size_t scale = i % 8 ? 1 : 20;
		const size_t region[3] = {1 + splitmix64(&seed) % (50 * scale), 1 + splitmix64(&seed) % (10 * scale), 1 + splitmix64(&seed) % 5};
		size_t na, nb, nh;
		struct box a = random_box(&seed, region, &na), b = random_box(&seed, region, &nb), h = random_box(&seed, region, &nh);
		unsigned char *host = random_bytes(nh, &seed), *ra = random_bytes(na, &seed), *rb = random_bytes(nb, &seed), *back = random_bytes(nh, &seed);
		cl_mem ma = buffer(cl.context, CL_MEM_COPY_HOST_PTR, na, ra), mb = buffer(cl.context, CL_MEM_COPY_HOST_PTR, nb, rb);
		CL_OK(clEnqueueWriteBufferRect(cl.queue, ma, CL_FALSE, a.origin, h.origin, region, a.row, a.slice, h.row, h.slice, host, 0, NULL, NULL));
		CL_OK(clEnqueueCopyBufferRect(cl.queue, ma, mb, a.origin, b.origin, region, a.row, a.slice, b.row, b.slice, 0, NULL, NULL));
		unsigned char *expected = malloc(nh);
		memcpy(expected, back, nh);
		CL_OK(clEnqueueReadBufferRect(cl.queue, mb, CL_FALSE, b.origin, h.origin, region, b.row, b.slice, h.row, h.slice, back, 0, NULL, NULL));
		for (size_t z = 0; z < region[2]; z++)
			for (size_t y = 0; y < region[1]; y++)
				for (size_t x = 0; x < region[0]; x++) {
					unsigned char v = host[at(&h, x, y, z)];
					ra[at(&a, x, y, z)] = rb[at(&b, x, y, z)] = expected[at(&h, x, y, z)] = v;
				}
		unsigned char *out = malloc(na > nb ? na : nb);
		CL_OK(clEnqueueReadBuffer(cl.queue, ma, CL_TRUE, 0, na, out, 0, NULL, NULL));
		assert_memory_equal(back, expected, nh);
		assert_memory_equal(out, ra, na);
		CL_OK(clEnqueueReadBuffer(cl.queue, mb, CL_TRUE, 0, nb, out, 0, NULL, NULL));
		assert_memory_equal(out, rb, nb);
		CL_OK(clReleaseMemObject(ma));
		CL_OK(clReleaseMemObject(mb));
		free(host);
		free(ra);
		free(rb);
		free(back);
		free(expected);
		free(out);
	}
}

/* Overlap in one buffer, compared with a count of the bytes that both regions have. */
static void rectangle_overlap(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	enum { SIZE = 4000 };
	cl_int error;
	unsigned char *expected = random_bytes(SIZE, &seed), out[SIZE];
	cl_mem m = buffer(cl.context, CL_MEM_COPY_HOST_PTR, SIZE, expected);
	/* parts of it may have different layouts */
	const cl_buffer_region all = {0, SIZE};
	cl_mem one = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &all, &error), two;
	assert_int_equal(error, CL_SUCCESS);
	two = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &all, &error);
	assert_int_equal(error, CL_SUCCESS);
	int overlaps[2] = {0}, accepted[2] = {0};
	for (int i = 0; i < 2000; i++) {
		size_t region[3] = {1 + splitmix64(&seed) % 12, 1 + splitmix64(&seed) % 6, 1 + splitmix64(&seed) % 3};
		size_t row = region[0] + splitmix64(&seed) % 12, slice = row * (region[1] + splitmix64(&seed) % 6);
		struct box s = {.row = row, .slice = slice}, d = s;
		const int parts = i & 1;
		cl_event done;
		if (parts) {
			d.row = region[0] + splitmix64(&seed) % 30;
			d.slice = d.row * (region[1] + splitmix64(&seed) % 6);
		}
		for (int k = 0; k < 3; k++) {
			s.origin[k] = splitmix64(&seed) % 10;
			d.origin[k] = splitmix64(&seed) % 10;
		}
		unsigned char mark[SIZE] = {0};
		bool both = false, inside = at(&s, region[0], region[1] - 1, region[2] - 1) <= SIZE && at(&d, region[0], region[1] - 1, region[2] - 1) <= SIZE;
		for (int pass = 0; pass < 2 && inside; pass++)
			for (size_t z = 0; z < region[2]; z++)
				for (size_t y = 0; y < region[1]; y++)
					for (size_t x = 0; x < region[0]; x++)
						both |= pass ? mark[at(&d, x, y, z)] : !(mark[at(&s, x, y, z)] = 1);
		cl_int code = clEnqueueCopyBufferRect(cl.queue, parts ? one : m, parts ? two : m, s.origin, d.origin, region, row, slice, d.row, d.slice, 0,
						      NULL, &done);
		assert_int_equal(code, !inside ? CL_INVALID_VALUE : both ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
		if (!code) {
			CL_OK(clWaitForEvents(1, &done));
			CL_OK(clReleaseEvent(done));
			for (size_t z = 0; z < region[2]; z++)
				for (size_t y = 0; y < region[1]; y++)
					memcpy(expected + at(&d, 0, y, z), expected + at(&s, 0, y, z), region[0]);
		}
		overlaps[parts] += inside && both;
		accepted[parts] += inside && !both;
	}
	for (int parts = 0; parts < 2; parts++)
		assert_true(overlaps[parts] > 100 && accepted[parts] > 100);
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, SIZE, out, 0, NULL, NULL));
	assert_memory_equal(out, expected, SIZE);
	free(expected);
	CL_OK(clReleaseMemObject(one));
	CL_OK(clReleaseMemObject(two));
	CL_OK(clReleaseMemObject(m));
}

static void rectangle_errors(void **state)
{
	(void)state;
	char host[4096];
	cl_mem m = buffer(cl.context, 0, 4096, NULL);
	const size_t zero[3] = {0}, region[3] = {16, 4, 2}, empty[3] = {16, 0, 1}, beyond[3] = {0, 0, 100};
#define READ(origin, r, row, slice) clEnqueueReadBufferRect(cl.queue, m, CL_TRUE, origin, zero, r, row, slice, 0, 0, host, 0, NULL, NULL)
	CL_OK(READ(zero, region, 0, 0));
	CL_FAILS(CL_INVALID_VALUE, READ(zero, empty, 0, 0));
	CL_FAILS(CL_INVALID_VALUE, READ(beyond, region, 0, 0));
	CL_FAILS(CL_INVALID_VALUE, READ(zero, region, 15, 0));
	CL_FAILS(CL_INVALID_VALUE, READ(zero, region, 16, 63));
	CL_FAILS(CL_INVALID_VALUE, READ(zero, region, 16, 65));
	CL_FAILS(CL_INVALID_VALUE, READ(zero, NULL, 0, 0));
	CL_OK(READ(zero, region, 16, 80));
#undef READ
	CL_OK(clReleaseMemObject(m));
}

static void host_access_flags(void **state)
{
	(void)state;
	char host[16] = "";
	cl_mem r = buffer(cl.context, CL_MEM_HOST_READ_ONLY, 16, NULL), w = buffer(cl.context, CL_MEM_HOST_WRITE_ONLY, 16, NULL),
	       n = buffer(cl.context, CL_MEM_HOST_NO_ACCESS, 16, NULL);
	CL_FAILS(CL_INVALID_OPERATION, clEnqueueWriteBuffer(cl.queue, r, CL_TRUE, 0, 16, host, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, r, CL_TRUE, 0, 16, host, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_OPERATION, clEnqueueReadBuffer(cl.queue, w, CL_TRUE, 0, 16, host, 0, NULL, NULL));
	CL_OK(clEnqueueWriteBuffer(cl.queue, w, CL_TRUE, 0, 16, host, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_OPERATION, clEnqueueReadBuffer(cl.queue, n, CL_TRUE, 0, 16, host, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_OPERATION, clEnqueueWriteBuffer(cl.queue, n, CL_TRUE, 0, 16, host, 0, NULL, NULL));
	cl_int code;
	assert_null(clEnqueueMapBuffer(cl.queue, n, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_OPERATION);
	CL_OK(clReleaseMemObject(r));
	CL_OK(clReleaseMemObject(w));
	CL_OK(clReleaseMemObject(n));
}

static void transfer_errors(void **state)
{
	(void)state;
	char host[16];
	cl_event wait[1] = {NULL};
	cl_mem m = buffer(cl.context, 0, 16, NULL), foreign = buffer(cl.all, 0, 16, NULL);
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(NULL, m, CL_TRUE, 0, 16, host, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(cl.queue, NULL, CL_TRUE, 0, 16, host, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_CONTEXT, clEnqueueReadBuffer(cl.queue, foreign, CL_TRUE, 0, 16, host, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, 17, host, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadBuffer(cl.queue, m, CL_TRUE, SIZE_MAX, 2, host, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, 16, NULL, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, 16, host, 1, NULL, NULL));
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, 16, host, 0, wait, NULL));
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, 16, host, 1, wait, NULL));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseMemObject(foreign));
}

static void sub_buffers(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	cl_int code;
	unsigned char *data = random_bytes(4096, &seed), out[4096];
	cl_mem m = buffer(cl.context, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, 4096, data);
	cl_buffer_region r = {512, 1024};
	cl_mem sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &code);
	assert_int_equal(code, CL_SUCCESS);
	size_t offset, size;
	cl_mem parent;
	cl_mem_flags flags;
	CL_OK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
	CL_OK(clGetMemObjectInfo(sub, CL_MEM_SIZE, sizeof size, &size, NULL));
	CL_OK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
	CL_OK(clGetMemObjectInfo(sub, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
	assert_int_equal(offset, 512);
	assert_int_equal(size, 1024);
	assert_ptr_equal(parent, m);
	assert_int_equal(flags, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY);
	CL_OK(clEnqueueReadBuffer(cl.queue, sub, CL_TRUE, 10, 1000, out, 0, NULL, NULL));
	assert_memory_equal(out, data + 522, 1000);
	const unsigned char one = 1;
	CL_OK(clEnqueueFillBuffer(cl.queue, sub, &one, 1, 0, 1024, 0, NULL, NULL));
	memset(data + 512, 1, 1024);
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, 4096, out, 0, NULL, NULL));
	assert_memory_equal(out, data, 4096);
	/* parts of one buffer overlap where their bytes do */
	cl_buffer_region r2 = {1024, 1024};
	cl_mem sub2 = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r2, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(cl.queue, sub, sub2, 512, 0, 16, 0, NULL, NULL));
	CL_OK(clEnqueueCopyBuffer(cl.queue, sub, sub2, 0, 512, 512, 0, NULL, NULL));

#define SUB_FAILS(expected, of, f, t, ...)                                                         \
	do {                                                                                       \
		cl_buffer_region region_ = {__VA_ARGS__};                                          \
		assert_null(clCreateSubBuffer(of, f, t, &region_, &code));                         \
		assert_int_equal(code, expected);                                                  \
	} while (0)
	SUB_FAILS(CL_INVALID_MEM_OBJECT, sub, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 16);
	SUB_FAILS(CL_INVALID_VALUE, m, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, 0, 16);
	SUB_FAILS(CL_INVALID_VALUE, m, CL_MEM_COPY_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, 0, 16);
	SUB_FAILS(CL_INVALID_VALUE, m, 0, 7, 0, 16);
	SUB_FAILS(CL_INVALID_VALUE, m, 0, CL_BUFFER_CREATE_TYPE_REGION, 4096, 128);
	SUB_FAILS(CL_INVALID_BUFFER_SIZE, m, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 0);
	SUB_FAILS(CL_MISALIGNED_SUB_BUFFER_OFFSET, m, 0, CL_BUFFER_CREATE_TYPE_REGION, 1, 16);

	/* a part outlives what it is a part of */
	CL_OK(clFinish(cl.queue));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseMemObject(sub2));
	CL_OK(clEnqueueReadBuffer(cl.queue, sub, CL_TRUE, 0, 512, out, 0, NULL, NULL));
	assert_memory_equal(out, data + 512, 512);
	CL_OK(clReleaseMemObject(sub));
	free(data);
}

static int order[8], calls;
static void CL_CALLBACK destroyed(cl_mem m, void *arg)
{
	(void)m;
	order[calls++] = (int)(intptr_t)arg;
}

static void destructor_callbacks(void **state)
{
	(void)state;
	calls = 0;
	char *memory = calloc(1, 5000);
	cl_mem m = buffer(cl.context, CL_MEM_USE_HOST_PTR, 5000, memory);
	CL_FAILS(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(m, NULL, NULL));
	for (intptr_t i = 1; i <= 3; i++)
		CL_OK(clSetMemObjectDestructorCallback(m, destroyed, (void *)i));
	CL_OK(clRetainMemObject(m));
	CL_OK(clReleaseMemObject(m));
	assert_int_equal(calls, 0);
	CL_OK(clReleaseMemObject(m));
	assert_int_equal(calls, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(order[i], 3 - i);
	free(memory);
}

/* Memory comes back: much more in total than the device has. */
static void memory_is_reused(void **state)
{
	(void)state;
	cl_ulong total;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof total, &total, NULL));
	size_t each = total / 4;
	const char contents[5000] = { 1 };
	CL_OK(clReleaseMemObject(buffer(cl.context, CL_MEM_COPY_HOST_PTR, sizeof contents, (void *)(uintptr_t)contents))); /* that nobody waits for */
	for (int i = 0; i < 20; i++) {
		const int v = i;
		int out = -1;
		cl_mem m = buffer(cl.context, 0, each, NULL);
		CL_OK(clEnqueueFillBuffer(cl.queue, m, &v, sizeof v, each - 64, 64, 0, NULL, NULL));
		CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, each - sizeof out, sizeof out, &out, 0, NULL, NULL));
		assert_int_equal(out, i);
		CL_OK(clReleaseMemObject(m));
	}
	/* and when there is not enough, it says so */
	cl_mem held[16];
	int n = 0;
	cl_int code = CL_SUCCESS;
	while (n < 16) {
		held[n] = clCreateBuffer(cl.context, 0, total / 2, NULL, &code);
		if (code)
			break;
		n++;
	}
	assert_int_equal(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
	while (n)
		CL_OK(clReleaseMemObject(held[--n]));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(create_errors),
		cmocka_unit_test(queries),
		cmocka_unit_test(write_read_device_memory),
		cmocka_unit_test(write_read_host_memory),
		cmocka_unit_test(write_read_unordered),
		cmocka_unit_test(two_devices),
		cmocka_unit_test(copy_host_ptr),
		cmocka_unit_test(use_host_ptr),
		cmocka_unit_test(host_memory_chains),
		cmocka_unit_test(fills),
		cmocka_unit_test(copies),
		cmocka_unit_test(rectangles),
		cmocka_unit_test(rectangle_overlap),
		cmocka_unit_test(rectangle_errors),
		cmocka_unit_test(host_access_flags),
		cmocka_unit_test(transfer_errors),
		cmocka_unit_test(sub_buffers),
		cmocka_unit_test(destructor_callbacks),
		cmocka_unit_test(memory_is_reused),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
