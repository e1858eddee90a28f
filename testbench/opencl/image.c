/* Images without kernels: formats, descriptors, all kinds, read, write, copy, fill, buffers; every
 * byte checked against a copy that the host keeps. */
#include "testbench/opencl/cl_test.h"
#include <math.h>

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};

struct kind {
	cl_mem_object_type type;
	unsigned dims; /* places of the region that count */
	bool array, lines;
};
static const struct kind kinds[] = {
	{CL_MEM_OBJECT_IMAGE1D, 1, false, false},      {CL_MEM_OBJECT_IMAGE1D_ARRAY, 2, true, true},
	{CL_MEM_OBJECT_IMAGE2D, 2, false, false},      {CL_MEM_OBJECT_IMAGE2D_ARRAY, 3, true, false},
	{CL_MEM_OBJECT_IMAGE3D, 3, false, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static cl_image_desc describe(const struct kind *k, const size_t size[3])
{
	cl_image_desc d = {.image_type = k->type, .image_width = size[0]};
	if (k->lines)
		d.image_array_size = size[1];
	else if (k->dims > 1)
		d.image_height = size[1];
	if (k->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
		d.image_array_size = size[2];
	if (k->type == CL_MEM_OBJECT_IMAGE3D)
		d.image_depth = size[2];
	return d;
}

static cl_mem image(cl_mem_flags flags, const cl_image_format *f, const cl_image_desc *d, void *ptr)
{
	cl_int code;
	cl_mem m = clCreateImage(cl.context, flags, f, d, ptr, &code);
	assert_int_equal(code, CL_SUCCESS);
	return m;
}

static size_t size_of(cl_mem m, cl_image_info what)
{
	size_t v = 77;
	CL_OK(clGetImageInfo(m, what, sizeof v, &v, NULL));
	return v;
}

static void formats(void **state)
{
	(void)state;
	for (size_t k = 0; k < KINDS; k++) {
		cl_image_format list[200];
		cl_uint n, again;
		CL_OK(clGetSupportedImageFormats(cl.context, CL_MEM_READ_WRITE, kinds[k].type, 200, list, &n));
		CL_OK(clGetSupportedImageFormats(cl.context, CL_MEM_READ_WRITE, kinds[k].type, 0, NULL, &again));
		assert_int_equal(n, again);
		/* OpenCL 3.0, 5.3.2: the least that there is for reading and writing */
		static const cl_image_format least[] = {
			{CL_RGBA, CL_UNORM_INT8},     {CL_RGBA, CL_UNORM_INT16},    {CL_RGBA, CL_SIGNED_INT8},   {CL_RGBA, CL_SIGNED_INT16},
			{CL_RGBA, CL_SIGNED_INT32},   {CL_RGBA, CL_UNSIGNED_INT8},  {CL_RGBA, CL_UNSIGNED_INT16}, {CL_RGBA, CL_UNSIGNED_INT32},
			{CL_RGBA, CL_HALF_FLOAT},     {CL_RGBA, CL_FLOAT},          {CL_BGRA, CL_UNORM_INT8},
		};
		for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
			bool found = false;
			for (cl_uint j = 0; j < n; j++)
				found |= !memcmp(&list[j], &least[i], sizeof *list);
			assert_true(found);
		}
		/* each one listed makes an image, and has the element size that its name says */
		for (cl_uint j = 0; j < n; j++) {
			cl_image_desc d = describe(&kinds[k], (const size_t[3]){5, 4, 3});
			cl_mem m = image(0, &list[j], &d, NULL);
			cl_image_format back;
			CL_OK(clGetImageInfo(m, CL_IMAGE_FORMAT, sizeof back, &back, NULL));
			assert_memory_equal(&back, &list[j], sizeof back);
			assert_int_equal(size_of(m, CL_IMAGE_ROW_PITCH), 5 * size_of(m, CL_IMAGE_ELEMENT_SIZE));
			CL_OK(clReleaseMemObject(m));
		}
	}
	cl_uint n;
	cl_image_format f;
	CL_FAILS(CL_INVALID_VALUE, clGetSupportedImageFormats(cl.context, 0, CL_MEM_OBJECT_BUFFER, 1, &f, &n));
	CL_FAILS(CL_INVALID_VALUE, clGetSupportedImageFormats(cl.context, 0, CL_MEM_OBJECT_IMAGE2D, 0, &f, &n));
	CL_FAILS(CL_INVALID_VALUE, clGetSupportedImageFormats(cl.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 1, &f, &n));
	CL_FAILS(CL_INVALID_CONTEXT, clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 1, &f, &n));
}

static void create_error(cl_int expected, cl_mem_flags flags, const cl_image_format *f, cl_image_desc d, void *ptr)
{
	cl_int code = 1;
	assert_null(clCreateImage(cl.context, flags, f, &d, ptr, &code));
	assert_int_equal(code, expected);
}

static void create_errors(void **state)
{
	(void)state;
	char bytes[4096];
	const cl_image_format senseless = {CL_RGB, CL_FLOAT}, unknown = {0x1234, CL_FLOAT}, missing = {CL_RA, CL_FLOAT};
	const cl_image_desc good = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
#define WITH(...) ((cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8, __VA_ARGS__})
	cl_int code;
	assert_null(clCreateImage(cl.context, 0, &rgba8, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_IMAGE_DESCRIPTOR);
	create_error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, NULL, good, NULL);
	create_error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &senseless, good, NULL);
	create_error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &unknown, good, NULL);
	create_error(CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, &missing, good, NULL);
	create_error(CL_INVALID_IMAGE_SIZE, 0, &rgba8, (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8}, NULL);
	create_error(CL_INVALID_IMAGE_SIZE, 0, &rgba8,
		     (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1 << 20, .image_height = 1}, NULL);
	create_error(CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba8, WITH(.image_row_pitch = 64), NULL);
	create_error(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &rgba8, WITH(.image_row_pitch = 31), bytes);
	create_error(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &rgba8, WITH(.image_row_pitch = 34), bytes);
	create_error(CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba8, WITH(.num_mip_levels = 1), NULL);
	create_error(CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba8, WITH(.num_samples = 2), NULL);
	create_error(CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba8, (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 8}, NULL);
	create_error(CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba8, (cl_image_desc){.image_type = CL_MEM_OBJECT_BUFFER, .image_width = 8}, NULL);
	create_error(CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, &rgba8, good, NULL);
	create_error(CL_INVALID_HOST_PTR, 0, &rgba8, good, bytes);
	create_error(CL_INVALID_VALUE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, good, NULL);
#undef WITH
}

struct host {
	unsigned char *bytes;
	size_t size[3], element, row, slice;
};

static unsigned char *texel(const struct host *h, size_t x, size_t y, size_t z) { return h->bytes + z * h->slice + y * h->row + x * h->element; }

static void random_region(uint64_t *seed, const size_t size[3], size_t origin[3], size_t region[3])
{
	for (int i = 0; i < 3; i++) {
		region[i] = 1 + splitmix64(seed) % size[i];
		origin[i] = splitmix64(seed) % (size[i] - region[i] + 1);
	}
}

/* Reads all of the image and compares. */
static void check_all(cl_command_queue q, cl_mem m, const struct host *h)
{
	size_t n = h->slice * h->size[2];
	unsigned char *out = malloc(n);
	const size_t zero[3] = {0};
	memset(out, 0x5a, n);
	CL_OK(clEnqueueReadImage(q, m, CL_TRUE, zero, h->size, 0, 0, out, 0, NULL, NULL));
	assert_memory_equal(out, h->bytes, n);
	free(out);
}

static void read_write_copy_fill(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	static const cl_image_format list[] = {{CL_R, CL_UNORM_INT8}, {CL_RG, CL_HALF_FLOAT}, {CL_RGBA, CL_UNORM_INT8}, {CL_RGBA, CL_FLOAT}, {CL_BGRA, CL_UNORM_INT8}};
	for (int round = 0; round < 60; round++) {
		const struct kind *k = &kinds[(size_t)round % KINDS];
		const cl_image_format *f = &list[splitmix64(&seed) % 5];
		struct host h = {.size = {1, 1, 1}};
		for (unsigned i = 0; i < k->dims; i++)
			h.size[i] = 1 + splitmix64(&seed) % (i ? 23 : round % 6 ? 40 : 400);
		cl_image_desc d = describe(k, h.size);
		cl_mem m = image(0, f, &d, NULL);
		h.element = size_of(m, CL_IMAGE_ELEMENT_SIZE);
		h.row = h.size[0] * h.element;
		h.slice = h.row * h.size[1];
		size_t n = h.slice * h.size[2];
		h.bytes = malloc(n);
		for (size_t i = 0; i < n; i++)
			h.bytes[i] = (unsigned char)splitmix64(&seed);
		const size_t zero[3] = {0};
		CL_OK(clEnqueueWriteImage(cl.queue, m, CL_FALSE, zero, h.size, 0, 0, h.bytes, 0, NULL, NULL));
		check_all(cl.queue, m, &h);

		/* a part, with pitches of the host's */
		size_t origin[3], region[3];
		random_region(&seed, h.size, origin, region);
		size_t row = (region[0] + splitmix64(&seed) % 5) * h.element, slice = k->lines ? row * (1 + splitmix64(&seed) % 2) : row * (region[1] + splitmix64(&seed) % 3);
		bool has_slices = k->dims == 3 || k->lines;
		size_t step = k->lines ? slice : row;
		size_t bytes = (k->lines ? slice * region[1] : slice * region[2]) + row;
		unsigned char *part = malloc(bytes), *back = malloc(bytes);
		for (size_t i = 0; i < bytes; i++)
			part[i] = (unsigned char)splitmix64(&seed);
		CL_OK(clEnqueueWriteImage(cl.queue, m, CL_FALSE, origin, region, row, has_slices ? slice : 0, part, 0, NULL, NULL));
		memset(back, 0x11, bytes);
		CL_OK(clEnqueueReadImage(cl.queue, m, CL_TRUE, origin, region, row, has_slices ? slice : 0, back, 0, NULL, NULL));
		for (size_t z = 0; z < region[2]; z++)
			for (size_t y = 0; y < region[1]; y++) {
				size_t at = z * slice + y * step;
				assert_memory_equal(back + at, part + at, region[0] * h.element);
				memcpy(texel(&h, origin[0], origin[1] + y, origin[2] + z), part + at, region[0] * h.element);
			}
		check_all(cl.queue, m, &h);

		/* a copy to a second image, to a buffer and back */
		cl_int code;
		cl_mem second = image(0, f, &d, NULL), buffer = clCreateBuffer(cl.context, 0, n + 64, NULL, &code);
		size_t to[3];
		random_region(&seed, h.size, origin, region);
		for (int i = 0; i < 3; i++)
			to[i] = splitmix64(&seed) % (h.size[i] - region[i] + 1);
		CL_OK(clEnqueueCopyImage(cl.queue, m, second, zero, zero, h.size, 0, NULL, NULL));
		CL_OK(clEnqueueCopyImageToBuffer(cl.queue, m, buffer, origin, region, 16, 0, NULL, NULL));
		CL_OK(clEnqueueCopyBufferToImage(cl.queue, buffer, second, 16, to, region, 0, NULL, NULL));
		struct host copy = h;
		copy.bytes = malloc(n);
		memcpy(copy.bytes, h.bytes, n);
		for (size_t z = 0; z < region[2]; z++)
			for (size_t y = 0; y < region[1]; y++)
				memcpy(texel(&copy, to[0], to[1] + y, to[2] + z), texel(&h, origin[0], origin[1] + y, origin[2] + z), region[0] * h.element);
		check_all(cl.queue, second, &copy);

		/* fill with ones in every component: all formats here have known bits for it */
		const float ones[4] = {1.0f, 1.0f, 1.0f, 1.0f};
		random_region(&seed, h.size, origin, region);
		CL_OK(clEnqueueFillImage(cl.queue, m, ones, origin, region, 0, NULL, NULL));
		for (size_t z = 0; z < region[2]; z++)
			for (size_t y = 0; y < region[1]; y++)
				for (size_t x = 0; x < region[0]; x++) {
					unsigned char *t = texel(&h, origin[0] + x, origin[1] + y, origin[2] + z);
					for (size_t i = 0; i < h.element; i++)
						t[i] = f->image_channel_data_type == CL_UNORM_INT8    ? 0xff
						       : f->image_channel_data_type == CL_HALF_FLOAT ? (unsigned char[]){0x00, 0x3c}[i % 2]
												     : (unsigned char[]){0, 0, 0x80, 0x3f}[i % 4];
				}
		check_all(cl.queue, m, &h);
		CL_OK(clReleaseMemObject(m));
		CL_OK(clReleaseMemObject(second));
		CL_OK(clReleaseMemObject(buffer));
		free(h.bytes);
		free(copy.bytes);
		free(part);
		free(back);
	}
}

/* One texel filled with a colour, in every format: order of components and conversion. */
static void fill_colors(void **state)
{
	(void)state;
	static const struct { cl_image_format f; float color[4]; unsigned char bytes[16]; size_t n; } cases[] = {
		{{CL_RGBA, CL_UNORM_INT8}, {0, 0.5f, 1, 2}, {0, 128, 255, 255}, 4},
		{{CL_BGRA, CL_UNORM_INT8}, {0.2f, 0.4f, 0.6f, -1}, {153, 102, 51, 0}, 4},
		{{CL_ARGB, CL_UNORM_INT8}, {0.2f, 0.4f, 0.6f, 1}, {255, 51, 102, 153}, 4},
		{{CL_R, CL_UNORM_INT8}, {NAN, 1, 1, 1}, {0}, 1},
		{{CL_RG, CL_UNORM_INT16}, {1, 0.25f, 0, 0}, {255, 255, 0, 64}, 4},
		{{CL_RG, CL_SNORM_INT8}, {-1, 1, 0, 0}, {0x81, 0x7f}, 2},
		{{CL_RG, CL_SNORM_INT16}, {-1, 0.5f, 0, 0}, {0x01, 0x80, 0x00, 0x40}, 4},
		{{CL_RG, CL_HALF_FLOAT}, {65504, 5.9604645e-8f, 0, 0}, {0xff, 0x7b, 0x01, 0x00}, 4},
		{{CL_RG, CL_HALF_FLOAT}, {70000, -0.33333f, 0, 0}, {0x00, 0x7c, 0x55, 0xb5}, 4},
		{{CL_R, CL_FLOAT}, {-1.5f}, {0, 0, 0xc0, 0xbf}, 4},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 3, .image_height = 2};
		cl_mem m = image(0, &cases[i].f, &d, NULL);
		const size_t origin[3] = {1, 1, 0}, region[3] = {1, 1, 1};
		unsigned char out[16] = {0};
		CL_OK(clEnqueueFillImage(cl.queue, m, cases[i].color, origin, region, 0, NULL, NULL));
		CL_OK(clEnqueueReadImage(cl.queue, m, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
		assert_memory_equal(out, cases[i].bytes, cases[i].n);
		CL_OK(clReleaseMemObject(m));
	}
	static const struct { cl_image_format f; int32_t color[4]; unsigned char bytes[16]; size_t n; } integers[] = {
		{{CL_RGBA, CL_SIGNED_INT8}, {-200, -1, 1, 200}, {0x80, 0xff, 1, 0x7f}, 4},
		{{CL_RGBA, CL_UNSIGNED_INT8}, {0, 1, 255, 300}, {0, 1, 255, 255}, 4},
		{{CL_RG, CL_SIGNED_INT16}, {-40000, 40000, 0, 0}, {0, 0x80, 0xff, 0x7f}, 4},
		{{CL_RG, CL_UNSIGNED_INT16}, {70000, 258, 0, 0}, {0xff, 0xff, 2, 1}, 4},
		{{CL_RG, CL_SIGNED_INT32}, {-2, 0x01020304, 0, 0}, {0xfe, 0xff, 0xff, 0xff, 4, 3, 2, 1}, 8},
		{{CL_R, CL_UNSIGNED_INT32}, {-1, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff}, 4},
	};
	for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
		cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 3};
		cl_mem m = image(0, &integers[i].f, &d, NULL);
		const size_t origin[3] = {2, 0, 0}, region[3] = {1, 1, 1};
		unsigned char out[16] = {0};
		CL_OK(clEnqueueFillImage(cl.queue, m, integers[i].color, origin, region, 0, NULL, NULL));
		CL_OK(clEnqueueReadImage(cl.queue, m, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
		assert_memory_equal(out, integers[i].bytes, integers[i].n);
		CL_OK(clReleaseMemObject(m));
	}
}

/* The host's own pitches: copied at creation, kept when the memory is the application's. */
static void host_pointers(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	enum { W = 13, H = 7, D = 4, ROW = 80, SLICE = ROW * 9 };
	unsigned char *memory = malloc(SLICE * D);
	for (int i = 0; i < SLICE * D; i++)
		memory[i] = (unsigned char)splitmix64(&seed);
	cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = W, .image_height = H, .image_depth = D, .image_row_pitch = ROW, .image_slice_pitch = SLICE};
	const size_t zero[3] = {0}, all[3] = {W, H, D}, one[3] = {1, 1, 1};
	unsigned char out[W * H * D * 4];
	for (int pass = 0; pass < 2; pass++) {
		cl_mem m = image(pass ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, &rgba8, &d, memory);
		CL_OK(clEnqueueReadImage(cl.queue, m, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
		for (int z = 0; z < D; z++)
			for (int y = 0; y < H; y++)
				assert_memory_equal(out + (z * H + y) * W * 4, memory + z * SLICE + y * ROW, W * 4);
		if (pass) {
			assert_int_equal(size_of(m, CL_IMAGE_ROW_PITCH), ROW);
			assert_int_equal(size_of(m, CL_IMAGE_SLICE_PITCH), SLICE);
			const float red[4] = {1, 0, 0, 0};
			CL_OK(clEnqueueFillImage(cl.queue, m, red, zero, one, 0, NULL, NULL));
			size_t row, slice;
			cl_int code;
			unsigned char *p = clEnqueueMapImage(cl.queue, m, CL_TRUE, CL_MAP_READ, zero, all, &row, &slice, 0, NULL, NULL, &code);
			assert_int_equal(code, CL_SUCCESS);
			assert_ptr_equal(p, memory);
			assert_int_equal(row, ROW);
			assert_int_equal(slice, SLICE);
			assert_memory_equal(p, "\xff\0\0\0", 4);
			CL_OK(clEnqueueUnmapMemObject(cl.queue, m, p, 0, NULL, NULL));
			CL_OK(clFinish(cl.queue));
		}
		CL_OK(clReleaseMemObject(m));
	}
	free(memory);
}

static void images_of_buffers(void **state)
{
	(void)state;
	cl_int code;
	unsigned char data[1024], out[64];
	for (int i = 0; i < 1024; i++)
		data[i] = (unsigned char)(i * 7);
	cl_mem b = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, sizeof data, data, &code), parent;
	cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 256, .buffer = b};
	cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 10, .image_height = 8, .image_row_pitch = 64, .mem_object = b};
	cl_mem l = image(0, &rgba8, &line, NULL), p = image(0, &rgba8, &plane, NULL);
	CL_OK(clGetImageInfo(l, CL_IMAGE_BUFFER, sizeof parent, &parent, NULL));
	assert_ptr_equal(parent, b);
	CL_OK(clGetMemObjectInfo(p, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
	assert_ptr_equal(parent, b);
	const size_t at_l[3] = {100, 0, 0}, n_l[3] = {16, 1, 1}, at_p[3] = {3, 5, 0}, n_p[3] = {4, 2, 1};
	CL_OK(clEnqueueReadImage(cl.queue, l, CL_TRUE, at_l, n_l, 0, 0, out, 0, NULL, NULL));
	assert_memory_equal(out, data + 400, 64);
	CL_OK(clEnqueueReadImage(cl.queue, p, CL_TRUE, at_p, n_p, 0, 0, out, 0, NULL, NULL));
	assert_memory_equal(out, data + 5 * 64 + 12, 16);
	assert_memory_equal(out + 16, data + 6 * 64 + 12, 16);
	/* what is written to the image stands in the buffer */
	CL_OK(clEnqueueWriteImage(cl.queue, p, CL_TRUE, at_p, n_p, 0, 0, data, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, b, CL_TRUE, 6 * 64 + 12, 16, out, 0, NULL, NULL));
	assert_memory_equal(out, data + 16, 16);
	plane.image_height = 17;
	create_error(CL_INVALID_IMAGE_SIZE, 0, &rgba8, plane, NULL);
	line.image_width = 257;
	create_error(CL_INVALID_IMAGE_SIZE, 0, &rgba8, line, NULL);
	plane.image_height = 8;
	create_error(CL_INVALID_VALUE, CL_MEM_WRITE_ONLY, &rgba8, plane, NULL);
	plane.image_row_pitch = 39;
	create_error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &rgba8, plane, NULL);
	CL_OK(clReleaseMemObject(b)); /* the images keep it */
	CL_OK(clEnqueueReadImage(cl.queue, l, CL_TRUE, at_l, n_l, 0, 0, out, 0, NULL, NULL));
	CL_OK(clReleaseMemObject(l));
	CL_OK(clReleaseMemObject(p));
}

static void queries(void **state)
{
	(void)state;
	for (size_t k = 0; k < KINDS; k++) {
		const size_t size[3] = {6, kinds[k].dims > 1 ? 5 : 1, kinds[k].dims > 2 ? 4 : 1};
		cl_image_desc d = describe(&kinds[k], size);
		cl_mem m = image(0, &rgba8, &d, NULL);
		bool tall = kinds[k].dims > 1 && !kinds[k].lines;
		assert_int_equal(size_of(m, CL_IMAGE_WIDTH), 6);
		assert_int_equal(size_of(m, CL_IMAGE_HEIGHT), tall ? 5 : 0);
		assert_int_equal(size_of(m, CL_IMAGE_DEPTH), kinds[k].type == CL_MEM_OBJECT_IMAGE3D ? 4 : 0);
		assert_int_equal(size_of(m, CL_IMAGE_ARRAY_SIZE), kinds[k].lines ? 5 : kinds[k].array ? 4 : 0);
		assert_int_equal(size_of(m, CL_IMAGE_SLICE_PITCH), kinds[k].lines ? 24 : kinds[k].dims == 3 ? 120 : 0);
		cl_uint levels;
		CL_OK(clGetImageInfo(m, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL));
		assert_int_equal(levels, 0);
		CL_FAILS(CL_INVALID_VALUE, clGetImageInfo(m, 0x1234, sizeof levels, &levels, NULL));
		CL_OK(clReleaseMemObject(m));
	}
	cl_int code;
	cl_mem old = clCreateImage2D(cl.context, 0, &rgba8, 9, 3, 0, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(size_of(old, CL_IMAGE_HEIGHT), 3);
	CL_OK(clReleaseMemObject(old));
}

static void command_errors(void **state)
{
	(void)state;
	char bytes[4096];
	cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
	const cl_image_format r = {CL_R, CL_FLOAT};
	cl_int code;
	cl_mem m = image(0, &rgba8, &d, NULL), other = image(0, &r, &d, NULL), b = clCreateBuffer(cl.context, 0, 255, NULL, &code);
	const size_t zero[3] = {0}, all[3] = {8, 8, 1}, deep[3] = {8, 8, 2}, none[3] = {8, 0, 1}, at[3] = {1, 0, 0}, at_z[3] = {0, 0, 1}, half[3] = {4, 8, 1}, at_half[3] = {3, 0, 0};
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadImage(cl.queue, m, CL_TRUE, at, all, 0, 0, bytes, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadImage(cl.queue, m, CL_TRUE, zero, deep, 0, 0, bytes, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadImage(cl.queue, m, CL_TRUE, zero, none, 0, 0, bytes, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadImage(cl.queue, m, CL_TRUE, at_z, all, 0, 0, bytes, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadImage(cl.queue, m, CL_TRUE, zero, all, 31, 0, bytes, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadImage(cl.queue, m, CL_TRUE, zero, all, 0, 256, bytes, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueReadImage(cl.queue, m, CL_TRUE, zero, all, 0, 0, NULL, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(cl.queue, b, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, 1, bytes, 0, NULL, NULL));
	CL_FAILS(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(cl.queue, m, other, zero, zero, all, 0, NULL, NULL));
	CL_FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(cl.queue, m, m, zero, at_half, half, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(cl.queue, m, b, zero, all, 0, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clEnqueueFillImage(cl.queue, m, NULL, zero, all, 0, NULL, NULL));
	size_t row;
	assert_null(clEnqueueMapImage(cl.queue, m, CL_TRUE, CL_MAP_READ, zero, all, NULL, NULL, 0, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clEnqueueMapImage(cl.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, zero, all, &row, NULL, 0, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseMemObject(other));
	CL_OK(clReleaseMemObject(b));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats),       cmocka_unit_test(create_errors),     cmocka_unit_test(read_write_copy_fill),
		cmocka_unit_test(fill_colors),   cmocka_unit_test(host_pointers),     cmocka_unit_test(images_of_buffers),
		cmocka_unit_test(queries),       cmocka_unit_test(command_errors),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
