/* Image formats and kernels: what clGetSupportedImageFormats lists for a type of image, kernels read
 * and write. For each type and format: a texel that clEnqueueFillImage has made reads as its colour,
 * a kernel's write makes the same bytes, and a kernel that may do both sees the one and makes the
 * other. Then images seen through another format, pitches, and arguments of depth images. */
#include "testbench/opencl/cl_test.h"
#include <CL/cl_half.h>
#include <math.h>

/* ---- kernels ---- */

#define COMMON                                                                                     \
	"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"                                          \
	"#define K(id, image, at, t, vec, fn)\\\n"                                                 \
	"kernel void read_##id##_##t(read_only image img, global vec *v, int4 c) { v[0] = read_image##fn(img, at); }\\\n" \
	"kernel void write_##id##_##t(write_only image img, global vec *v, int4 c) { write_image##fn(img, at, v[0]); }\\\n" \
	"kernel void both_##id##_##t(read_write image img, global vec *v, int4 c)\\\n"             \
	"{ vec new = v[0]; v[0] = read_image##fn(img, at); write_image##fn(img, at, new); }\n"     \
	"#define KIND(id, image, at) K(id, image, at, f, float4, f) K(id, image, at, i, int4, i) K(id, image, at, u, uint4, ui) K(id, image, at, h, half4, h)\n" \
	"KIND(1d, image1d_t, c.x) KIND(1db, image1d_buffer_t, c.x) KIND(1da, image1d_array_t, c.xy)\n" \
	"KIND(2d, image2d_t, c.xy) KIND(2da, image2d_array_t, c) KIND(3d, image3d_t, c)\n"          \
	"K(2d_depth, image2d_depth_t, c.xy, f, float, f) K(2da_depth, image2d_array_depth_t, c, f, float, f)\n"

static const struct kind {
	cl_mem_object_type type;
	const char *name;
	size_t size[3]; /* in the terms of regions */
} kinds[] = {
	{CL_MEM_OBJECT_IMAGE1D, "1d", {7, 1, 1}},        {CL_MEM_OBJECT_IMAGE1D_BUFFER, "1db", {6, 1, 1}}, {CL_MEM_OBJECT_IMAGE1D_ARRAY, "1da", {5, 3, 1}},
	{CL_MEM_OBJECT_IMAGE2D, "2d", {4, 3, 1}},        {CL_MEM_OBJECT_IMAGE2D_ARRAY, "2da", {3, 2, 3}},  {CL_MEM_OBJECT_IMAGE3D, "3d", {3, 3, 2}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static cl_program program;

static void build(void)
{
	if (program)
		return;
	const char *source = COMMON;
	cl_int code;
	program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	code = clBuildProgram(program, 1, &cl.device, "-cl-std=CL3.0", NULL, NULL);
	if (code) {
		char log[4096] = "";
		clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fail_msg("build: %d\n%s", code, log);
	}
}

/* ---- formats ---- */

union colour { float f[4]; int32_t i[4]; uint32_t u[4]; };

static bool is_signed(cl_channel_type t) { return t == CL_SIGNED_INT8 || t == CL_SIGNED_INT16 || t == CL_SIGNED_INT32; }
static bool is_unsigned(cl_channel_type t) { return t == CL_UNSIGNED_INT8 || t == CL_UNSIGNED_INT16 || t == CL_UNSIGNED_INT32; }

/* Half of the distance between neighbours of a type's values in [0, 1]: what a colour may be changed by. */
static float half_step(cl_channel_type t)
{
	switch (t) {
	case CL_UNORM_INT8: return 0.5001f / 255;
	case CL_UNORM_INT16: return 0.5001f / 65535;
	case CL_SNORM_INT8: return 0.5001f / 127;
	case CL_SNORM_INT16: return 0.5001f / 32767;
	case CL_UNORM_SHORT_565:
	case CL_UNORM_SHORT_555: return 0.5001f / 31;
	case CL_UNORM_INT_101010: return 0.5001f / 1023;
	case CL_UNORM_INT_101010_2: return 0.5001f / 3; /* of alpha */
	case CL_HALF_FLOAT: return 0x1p-12f;
	}
	return 0;
}

/* The components that a read returns: letters name those of the colour written, the first one's letter for
 * those that stand for several, digits are constants (OpenCL C 3.0, 6.15.15). */
static const char *components(cl_channel_order o)
{
	switch (o) {
	case CL_R: return "r001";
	case CL_A: return "000a";
	case CL_RG: return "rg01";
	case CL_RGB: return "rgb1";
	case CL_RGBA:
	case CL_BGRA:
	case CL_ARGB:
	case CL_sRGBA:
	case CL_sBGRA: return "rgba";
	case CL_INTENSITY: return "rrrr";
	case CL_LUMINANCE: return "rrr1";
	case CL_DEPTH: return "r";
	}
	return NULL;
}

static bool is_srgb(cl_channel_order o) { return o == CL_sRGBA || o == CL_sBGRA; }
static double srgb(double c) { return c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055; }

/* A colour that the format can hold up to half_step. */
static union colour random_colour(const cl_image_format *f, uint64_t *seed)
{
	union colour c;
	for (int k = 0; k < 4; k++) {
		uint64_t r = splitmix64(seed);
		cl_channel_type t = f->image_channel_data_type;
		if (is_signed(t))
			c.i[k] = t == CL_SIGNED_INT8 ? (int8_t)r : t == CL_SIGNED_INT16 ? (int16_t)r : (int32_t)r;
		else if (is_unsigned(t))
			c.u[k] = t == CL_UNSIGNED_INT8 ? (uint8_t)r : t == CL_UNSIGNED_INT16 ? (uint16_t)r : (uint32_t)r;
		else
			c.f[k] = (float)(r >> 40) * 0x1p-24f;
	}
	return c;
}

static void check_colour(const char *what, const struct kind *k, const cl_image_format *f, const union colour *wrote, const union colour *read)
{
	const char *map = components(f->image_channel_order);
	bool ints = is_signed(f->image_channel_data_type) || is_unsigned(f->image_channel_data_type);
	assert_non_null(map);
	for (int j = 0; map[j]; j++) {
		const char *place = strchr("rgba", map[j]);
		bool ok;
		if (!place) {
			ok = ints ? read->i[j] == map[j] - '0' : read->f[j] == (float)(map[j] - '0');
		} else if (ints) {
			ok = read->i[j] == wrote->i[place - "rgba"];
		} else {
			double is = (double)read->f[j], was = (double)wrote->f[place - "rgba"];
			if (is_srgb(f->image_channel_order) && j < 3) /* codes are what has steps; 8.3.1.4 allows 0.6 of one */
				ok = fabs(srgb(is) - srgb(was)) * 255 <= 0.6;
			else
				ok = fabs(is - was) <= (double)half_step(f->image_channel_data_type);
		}
		if (!ok)
			fail_msg("%s, %s, order 0x%x, type 0x%x: component %d of (%g %g %g %g | %d %d %d %d) is %g | %d", what, k->name,
				 f->image_channel_order, f->image_channel_data_type, j, (double)wrote->f[0], (double)wrote->f[1],
				 (double)wrote->f[2], (double)wrote->f[3], wrote->i[0], wrote->i[1], wrote->i[2], wrote->i[3],
				 (double)read->f[j], read->i[j]);
	}
}

/* ---- images ---- */

/* With a 1D buffer comes its buffer, which the image keeps. */
static cl_mem make(const struct kind *k, const cl_image_format *f)
{
	cl_image_desc d = {.image_type = k->type, .image_width = k->size[0], .image_height = k->size[1], .image_depth = k->size[2]};
	cl_int code;
	if (k->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
		d.image_array_size = k->size[1];
	if (k->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
		d.image_array_size = k->size[2];
	if (k->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
		d.buffer = clCreateBuffer(cl.context, 0, k->size[0] * 16, NULL, &code);
		assert_int_equal(code, CL_SUCCESS);
	}
	cl_mem m = clCreateImage(cl.context, 0, f, &d, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	if (d.buffer)
		CL_OK(clReleaseMemObject(d.buffer));
	return m;
}

/* The suffix of the builtins that go with a format. */
static const char *suffix(const cl_image_format *f)
{
	return is_signed(f->image_channel_data_type) ? "i" : is_unsigned(f->image_channel_data_type) ? "u" : "f";
}

static void run_with(const char *with, const char *how, const struct kind *k, const cl_image_format *f, cl_mem m, cl_mem values, const size_t at[3])
{
	char name[64];
	cl_int code;
	const cl_int c[4] = {(cl_int)at[0], (cl_int)at[1], (cl_int)at[2], 0};
	const size_t one = 1;
	snprintf(name, sizeof name, "%s_%s%s_%s", how, k->name, f->image_channel_order == CL_DEPTH ? "_depth" : "", with);
	cl_kernel kernel = clCreateKernel(program, name, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clSetKernelArg(kernel, 0, sizeof m, &m));
	CL_OK(clSetKernelArg(kernel, 1, sizeof values, &values));
	CL_OK(clSetKernelArg(kernel, 2, sizeof c, c));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
	CL_OK(clReleaseKernel(kernel));
}

static size_t get(const struct kind *k, cl_mem m, unsigned char *bytes)
{
	const size_t zero[3] = {0};
	size_t element;
	CL_OK(clGetImageInfo(m, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
	CL_OK(clEnqueueReadImage(cl.queue, m, CL_TRUE, zero, k->size, 0, 0, bytes, 0, NULL, NULL));
	return element * k->size[0] * k->size[1] * k->size[2];
}

static void same_bytes(const char *what, const struct kind *k, const cl_image_format *f, cl_mem a, cl_mem b)
{
	unsigned char x[1024], y[1024];
	size_t n = get(k, a, x);
	assert_int_equal(get(k, b, y), n);
	for (size_t i = 0; i < n; i++)
		if (abs(x[i] - y[i]) > is_srgb(f->image_channel_order)) /* 8.3.1.4 rounds by up to 0.6 */
			fail_msg("%s, %s, order 0x%x, type 0x%x: byte %zu is 0x%02x, filled 0x%02x", what, k->name, f->image_channel_order,
				 f->image_channel_data_type, i, y[i], x[i]);
}

static void run(const char *how, const struct kind *k, const cl_image_format *f, cl_mem m, cl_mem values, const size_t at[3])
{
	run_with(suffix(f), how, k, f, m, values, at);
}

/* read_imageh and write_imageh: a texel is the half nearest to what read_imagef gives of it, or the one beside it, and a
 * colour of halves is written as the same colour of floats. */
static void check_half(const struct kind *k, const cl_image_format *f, cl_mem filled, cl_mem written, cl_mem values, union colour *colour, uint64_t *seed)
{
	const size_t zero[3] = {0};
	cl_half halves[4];
	float floats[4];
	run_with("f", "read", k, f, filled, values, zero);
	CL_OK(clEnqueueReadBuffer(cl.queue, values, CL_TRUE, 0, sizeof floats, floats, 0, NULL, NULL));
	run_with("h", "read", k, f, filled, values, zero);
	CL_OK(clEnqueueReadBuffer(cl.queue, values, CL_TRUE, 0, sizeof halves, halves, 0, NULL, NULL));
	for (int j = 0; j < 4; j++)
		if (abs(halves[j] - cl_half_from_float(floats[j], CL_HALF_RTE)) > 1)
			fail_msg("read_imageh, %s, order 0x%x, type 0x%x: component %d is %g, of a float %g", k->name, f->image_channel_order,
				 f->image_channel_data_type, j, (double)cl_half_to_float(halves[j]), (double)floats[j]);
	*colour = random_colour(f, seed);
	for (int j = 0; j < 4; j++) {
		halves[j] = cl_half_from_float(colour->f[j], CL_HALF_RTE);
		colour->f[j] = cl_half_to_float(halves[j]);
	}
	CL_OK(clEnqueueFillImage(cl.queue, filled, colour, zero, k->size, 0, NULL, NULL));
	CL_OK(clEnqueueFillImage(cl.queue, written, colour, zero, k->size, 0, NULL, NULL));
	union colour black = { { 0 } };
	CL_OK(clEnqueueFillImage(cl.queue, written, &black, zero, (size_t[3]){1, 1, 1}, 0, NULL, NULL));
	CL_OK(clEnqueueWriteBuffer(cl.queue, values, CL_TRUE, 0, sizeof halves, halves, 0, NULL, NULL));
	run_with("h", "write", k, f, written, values, zero);
	same_bytes("written as half", k, f, filled, written);
}

static void check_format(const struct kind *k, const cl_image_format *f, uint64_t *seed)
{
	const size_t zero[3] = {0}, one[3] = {1, 1, 1};
	union colour back = random_colour(f, seed), texel = random_colour(f, seed), other = random_colour(f, seed), read;
	cl_int code;
	size_t at[3];
	for (int i = 0; i < 3; i++)
		at[i] = splitmix64(seed) % k->size[i];
	cl_mem filled = make(k, f), written = make(k, f), values = clCreateBuffer(cl.context, 0, sizeof read, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clEnqueueFillImage(cl.queue, filled, &back, zero, k->size, 0, NULL, NULL));
	CL_OK(clEnqueueFillImage(cl.queue, written, &back, zero, k->size, 0, NULL, NULL));
	CL_OK(clEnqueueFillImage(cl.queue, filled, &texel, at, one, 0, NULL, NULL));
	run("read", k, f, filled, values, at);
	CL_OK(clEnqueueReadBuffer(cl.queue, values, CL_TRUE, 0, sizeof read, &read, 0, NULL, NULL));
	check_colour("read", k, f, &texel, &read);

	CL_OK(clEnqueueWriteBuffer(cl.queue, values, CL_TRUE, 0, sizeof texel, &texel, 0, NULL, NULL));
	run("write", k, f, written, values, at);
	same_bytes("written", k, f, filled, written);

	CL_OK(clEnqueueWriteBuffer(cl.queue, values, CL_TRUE, 0, sizeof other, &other, 0, NULL, NULL));
	run("both", k, f, written, values, at);
	CL_OK(clEnqueueReadBuffer(cl.queue, values, CL_TRUE, 0, sizeof read, &read, 0, NULL, NULL));
	check_colour("read and written", k, f, &texel, &read);
	CL_OK(clEnqueueFillImage(cl.queue, filled, &other, at, one, 0, NULL, NULL));
	same_bytes("read and written", k, f, filled, written);
	if (!strcmp(suffix(f), "f") && f->image_channel_order != CL_DEPTH)
		check_half(k, f, filled, written, values, &other, seed);
	CL_OK(clReleaseMemObject(filled));
	CL_OK(clReleaseMemObject(written));
	CL_OK(clReleaseMemObject(values));
}

static void every_listed_format(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	build();
	for (size_t k = 0; k < KINDS; k++) {
		cl_image_format list[200], other[200];
		cl_uint n, m;
		CL_OK(clGetSupportedImageFormats(cl.context, CL_MEM_READ_WRITE, kinds[k].type, 200, list, &n));
		assert_in_range(n, 11, 200);
		static const cl_mem_flags flags[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_KERNEL_READ_AND_WRITE};
		for (size_t i = 0; i < 3; i++) {
			CL_OK(clGetSupportedImageFormats(cl.context, flags[i], kinds[k].type, 200, other, &m));
			assert_int_equal(m, n);
			assert_memory_equal(list, other, n * sizeof *list);
		}
		for (cl_uint i = 0; i < n; i++) {
			bool plane = kinds[k].type == CL_MEM_OBJECT_IMAGE2D || kinds[k].type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
			assert_true(list[i].image_channel_order != CL_DEPTH || plane);
			check_format(&kinds[k], &list[i], &seed);
		}
	}
	/* and what is not listed cannot be made */
	const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
	cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 4};
	cl_int code;
	assert_null(clCreateImage(cl.context, 0, &depth, &d, NULL, &code));
	assert_int_equal(code, CL_IMAGE_FORMAT_NOT_SUPPORTED);
}

/* ---- depth images ---- */

static void depth_images(void **state)
{
	(void)state;
	build();
	const struct kind *plane = &kinds[3];
	const cl_image_format depth = {CL_DEPTH, CL_FLOAT}, red = {CL_R, CL_FLOAT};
	const size_t zero[3] = {0};
	cl_int code;
	cl_mem d = make(plane, &depth), r = make(plane, &red);
	/* 5.3.4: a depth image's colour is one float, and no more is read of it */
	float *value = malloc(sizeof *value), out[12];
	*value = 0.75f;
	CL_OK(clEnqueueFillImage(cl.queue, d, value, zero, plane->size, 0, NULL, NULL));
	free(value);
	CL_OK(clEnqueueReadImage(cl.queue, d, CL_TRUE, zero, plane->size, 0, 0, out, 0, NULL, NULL));
	for (int i = 0; i < 12; i++)
		assert_true(out[i] == 0.75f);
	/* arguments: depth images for depth_t, no others */
	cl_kernel for_depth = clCreateKernel(program, "read_2d_depth_f", &code), for_colour;
	assert_int_equal(code, CL_SUCCESS);
	for_colour = clCreateKernel(program, "read_2d_f", &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clSetKernelArg(for_depth, 0, sizeof d, &d));
	CL_OK(clSetKernelArg(for_colour, 0, sizeof r, &r));
	CL_FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(for_depth, 0, sizeof r, &r));
	CL_FAILS(CL_INVALID_MEM_OBJECT, clSetKernelArg(for_colour, 0, sizeof d, &d));
	CL_OK(clReleaseKernel(for_depth));
	CL_OK(clReleaseKernel(for_colour));
	CL_OK(clReleaseMemObject(d));
	CL_OK(clReleaseMemObject(r));
}

/* ---- images made from images ---- */

static void views(void **state)
{
	(void)state;
	build();
	static const struct { cl_image_format of, as; cl_int code; } cases[] = {
		{{CL_RGBA, CL_UNORM_INT8}, {CL_sRGBA, CL_UNORM_INT8}, CL_SUCCESS},
		{{CL_sRGBA, CL_UNORM_INT8}, {CL_RGBA, CL_UNORM_INT8}, CL_SUCCESS},
		{{CL_BGRA, CL_UNORM_INT8}, {CL_sBGRA, CL_UNORM_INT8}, CL_SUCCESS},
		{{CL_sBGRA, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8}, CL_SUCCESS},
		{{CL_R, CL_FLOAT}, {CL_DEPTH, CL_FLOAT}, CL_SUCCESS},
		{{CL_R, CL_UNORM_INT16}, {CL_DEPTH, CL_UNORM_INT16}, CL_SUCCESS},
		{{CL_RG, CL_FLOAT}, {CL_RG, CL_FLOAT}, CL_SUCCESS},
		/* OpenCL 3.0, 5.3.1.2: no other orders, no other types, no other sizes */
		{{CL_DEPTH, CL_FLOAT}, {CL_R, CL_FLOAT}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
		{{CL_RGBA, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
		{{CL_RGBA, CL_UNORM_INT8}, {CL_sBGRA, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
		{{CL_RGBA, CL_UNORM_INT8}, {CL_RGBA, CL_UNSIGNED_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
	};
	const struct kind *plane = &kinds[3];
	const size_t zero[3] = {0}, at[3] = {2, 1, 0};
	uint64_t seed = cl_test_seed();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cl_int code;
		cl_mem of = make(plane, &cases[i].of), parent;
		cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = plane->size[0], .image_height = plane->size[1], .mem_object = of};
		cl_mem as = clCreateImage(cl.context, 0, &cases[i].as, &d, NULL, &code);
		assert_int_equal(code, cases[i].code);
		assert_true(!as == !!code);
		d.image_width--;
		assert_null(clCreateImage(cl.context, 0, &cases[i].of, &d, NULL, &code));
		assert_int_equal(code, CL_INVALID_IMAGE_DESCRIPTOR);
		if (!as) {
			CL_OK(clReleaseMemObject(of));
			continue;
		}
		CL_OK(clGetMemObjectInfo(as, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
		assert_ptr_equal(parent, of);
		/* what is filled through one is read through the other, by the other's rules */
		union colour c = random_colour(&cases[i].of, &seed), read;
		cl_mem values = clCreateBuffer(cl.context, 0, sizeof read, NULL, &code);
		CL_OK(clEnqueueFillImage(cl.queue, of, &c, zero, plane->size, 0, NULL, NULL));
		run("read", plane, &cases[i].as, as, values, at);
		CL_OK(clEnqueueReadBuffer(cl.queue, values, CL_TRUE, 0, sizeof read, &read, 0, NULL, NULL));
		for (int k = 0; k < (cases[i].of.image_channel_data_type == CL_UNORM_INT8 ? 3 : 1); k++) {
			double code_read = is_srgb(cases[i].as.image_channel_order) ? srgb((double)read.f[k]) : (double)read.f[k];
			double code_filled = is_srgb(cases[i].of.image_channel_order) ? srgb((double)c.f[k]) : (double)c.f[k];
			assert_true(fabs(code_read - code_filled) <= 0.6 / 255);
		}
		/* the texels live as long as either of the two */
		CL_OK(clReleaseMemObject(of));
		CL_OK(clEnqueueFillImage(cl.queue, as, &c, zero, plane->size, 0, NULL, NULL));
		run("read", plane, &cases[i].as, as, values, at);
		CL_OK(clEnqueueReadBuffer(cl.queue, values, CL_TRUE, 0, sizeof read, &read, 0, NULL, NULL));
		check_colour("through a view", plane, &cases[i].as, &c, &read);
		CL_OK(clReleaseMemObject(values));
		CL_OK(clReleaseMemObject(as));
	}
}

/* ---- pitches of what is copied at creation ---- */

static void pitches(void **state)
{
	(void)state;
	build();
	const cl_image_format f = {CL_RG, CL_UNSIGNED_INT16};
	enum { ELEMENT = 4, ROW = 48, SLICE = 4 * ROW };
	uint64_t seed = cl_test_seed();
	unsigned char bytes[SLICE * 4];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)splitmix64(&seed);
	for (size_t i = 0; i < KINDS; i++) {
		const struct kind *k = &kinds[i];
		bool lines = k->type == CL_MEM_OBJECT_IMAGE1D_ARRAY, layered = lines || k->size[2] > 1;
		if (k->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
			continue; /* it has its buffer's memory */
		cl_image_desc d = {.image_type = k->type, .image_width = k->size[0], .image_height = k->size[1], .image_depth = k->size[2],
				   .image_array_size = lines ? k->size[1] : k->size[2], .image_row_pitch = ROW, .image_slice_pitch = layered ? SLICE : 0};
		cl_int code;
		cl_mem m = clCreateImage(cl.context, CL_MEM_COPY_HOST_PTR, &f, &d, bytes, &code), values;
		assert_int_equal(code, CL_SUCCESS);
		size_t row = 0, slice = 1;
		CL_OK(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof row, &row, NULL));
		CL_OK(clGetImageInfo(m, CL_IMAGE_SLICE_PITCH, sizeof slice, &slice, NULL));
		assert_int_equal(row, ROW);
		assert_int_equal(slice, layered ? SLICE : 0);
		values = clCreateBuffer(cl.context, 0, 16, NULL, &code);
		size_t at[3];
		for (at[2] = 0; at[2] < k->size[2]; at[2]++)
			for (at[1] = 0; at[1] < k->size[1]; at[1]++)
				for (at[0] = 0; at[0] < k->size[0]; at[0]++) {
					uint16_t want[2];
					union colour read;
					memcpy(want, bytes + at[2] * SLICE + at[1] * (lines ? SLICE : ROW) + at[0] * ELEMENT, ELEMENT);
					run("read", k, &f, m, values, at);
					CL_OK(clEnqueueReadBuffer(cl.queue, values, CL_TRUE, 0, sizeof read, &read, 0, NULL, NULL));
					assert_int_equal(read.u[0], want[0]);
					assert_int_equal(read.u[1], want[1]);
					assert_int_equal(read.u[2], 0);
					assert_int_equal(read.u[3], 1);
				}
		CL_OK(clReleaseMemObject(values));
		CL_OK(clReleaseMemObject(m));
	}
}

static int teardown(void **state)
{
	return (program && clReleaseProgram(program)) || cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	cl_test_init(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_listed_format), cmocka_unit_test(depth_images), cmocka_unit_test(views), cmocka_unit_test(pitches),
	};
	return cmocka_run_group_tests(tests, cl_test_setup, teardown);
}
