/* Rules on images and the commands on them. */
#include "testbench/opencl/spec.h"

static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
static cl_mem image, buffer;
static char host[1 << 16];
static const size_t zero[3], one[3] = {1, 1, 1};
enum { SIDE = 16 };

static size_t limit(cl_device_info what)
{
	size_t n = 0;
	CL_OK(api->clGetDeviceInfo(cl.device, what, sizeof n, &n, NULL));
	return n;
}

/* ---- creation ---- */

static cl_image_desc plane(void) { return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE}; }

static cl_mem create(bool with, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *ptr, cl_int *error)
{
	return with ? api->clCreateImageWithProperties(cl.context, NULL, flags, format, desc, ptr, error)
		    : api->clCreateImage(cl.context, flags, format, desc, ptr, error);
}
static bool with; /* which of the two */
#define IMAGE(what, code, flags, format, ptr, ...)                                                 \
	do {                                                                                       \
		cl_image_desc d = plane();                                                         \
		__VA_ARGS__;                                                                       \
		RULE_NULL(with ? "CL_CREATEIMAGEWITHPROPERTIES_" what : "CL_CREATEIMAGE_" what, code, create(with, (flags), (format), &d, (ptr), &error)); \
	} while (0)

static void flags_and_formats(void **state)
{
	(void)state;
	static const cl_image_format senseless = {CL_RGB, CL_UNORM_INT8}, unknown = {0x7fff, CL_UNORM_INT8};
	for (int w = 0; w < 2; w++) {
		with = w;
		IMAGE("FLAGS", CL_INVALID_VALUE, 1ull << 40, &rgba, NULL, (void)0);
		IMAGE("FLAGS", CL_INVALID_VALUE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba, NULL, (void)0);
		IMAGE("FLAGS", CL_INVALID_VALUE, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, &rgba, host, (void)0);
		IMAGE("FORMAT_NULL", CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, NULL, NULL, (void)0);
		IMAGE("FORMAT", CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &senseless, NULL, (void)0);
		IMAGE("FORMAT", CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &unknown, NULL, (void)0);
		IMAGE("HOST_PTR_NULL", CL_INVALID_HOST_PTR, CL_MEM_USE_HOST_PTR, &rgba, NULL, (void)0);
		IMAGE("HOST_PTR_NULL", CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, &rgba, NULL, (void)0);
		IMAGE("HOST_PTR_UNUSED", CL_INVALID_HOST_PTR, 0, &rgba, host, (void)0);
		RULE_NULL(with ? "CL_CREATEIMAGEWITHPROPERTIES_DESC_NULL" : "CL_CREATEIMAGE_DESC_NULL", CL_INVALID_IMAGE_DESCRIPTOR,
			  create(with, 0, &rgba, NULL, NULL, &error));
	}
	const cl_mem_properties list[] = {0x7fff, 1, 0};
	const cl_image_desc d = plane();
	RULE_NULL("CL_CREATEIMAGEWITHPROPERTIES_PROPERTY_NAME", CL_INVALID_PROPERTY,
		  api->clCreateImageWithProperties(cl.context, list, 0, &rgba, &d, NULL, &error));
}

/* A format that is valid and that no device lists; none if they list them all. */
static bool format_not_listed(cl_image_format *out)
{
	static const cl_channel_order orders[] = {CL_R,	     CL_A,	    CL_RG,   CL_RA,   CL_Rx, CL_RGx, CL_RGB, CL_RGBx, CL_RGBA, CL_BGRA,
						  CL_ARGB,   CL_INTENSITY, CL_LUMINANCE, CL_DEPTH, CL_sRGB, CL_sRGBx, CL_sRGBA, CL_sBGRA, CL_ABGR};
	static const cl_channel_type types[] = {CL_SNORM_INT8,  CL_UNORM_INT8,  CL_UNORM_INT16, CL_SNORM_INT16,	     CL_SIGNED_INT8,
						CL_HALF_FLOAT,  CL_FLOAT,	CL_UNORM_SHORT_565, CL_UNORM_INT_101010, CL_UNORM_INT_101010_2};
	const cl_image_desc d = plane();
	cl_uint n = 0;
	cl_image_format list[512];
	CL_OK(api->clGetSupportedImageFormats(cl.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 512, list, &n));
	assert_true(n && n <= 512);
	for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
		for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
			bool listed = false;
			cl_int error = 0;
			*out = (cl_image_format){orders[o], types[t]};
			for (cl_uint i = 0; i < n; i++)
				listed |= !memcmp(&list[i], out, sizeof *out);
			cl_mem m = api->clCreateImage(cl.context, CL_MEM_READ_ONLY, out, &d, NULL, &error);
			if (m)
				CL_OK(api->clReleaseMemObject(m));
			if (!listed && error == CL_IMAGE_FORMAT_NOT_SUPPORTED)
				return true;
		}
	return false;
}

static void run_out(const char *id, int how)
{
	cl_mem taken[256];
	int n = 0;
	cl_int error = 0;
	const size_t side = limit(CL_DEVICE_IMAGE2D_MAX_WIDTH), deep = limit(CL_DEVICE_IMAGE3D_MAX_WIDTH), high = ((size_t)128 << 20) / 4 / side,
		     thick = ((size_t)128 << 20) / 4 / deep / 64;
	cl_image_desc d = plane();
	d.image_width = side;
	d.image_height = high;
	while (n < 256 && (taken[n] = how == 3   ? api->clCreateImage3D(cl.context, 0, &rgba, deep, 64, thick, 0, 0, NULL, &error)
				      : how == 2 ? api->clCreateImage2D(cl.context, 0, &rgba, side, high, 0, NULL, &error)
						 : create(how, 0, &rgba, &d, NULL, &error)))
		n++;
	while (n--)
		CL_OK(api->clReleaseMemObject(taken[n]));
	RULE(id, CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
}

static void descriptors(void **state)
{
	(void)state;
	cl_image_format rare;
	const bool have_rare = format_not_listed(&rare);
	assert_true(have_rare);
	for (int w = 0; w < 2; w++) {
		with = w;
#define DESC(...) IMAGE("DESC", CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba, NULL, __VA_ARGS__)
		DESC(d.image_type = 0x7fff);
		DESC(d.image_type = CL_MEM_OBJECT_BUFFER);
		DESC(d.num_mip_levels = 1);
		DESC(d.num_samples = 1);
		DESC(d.image_row_pitch = 4 * SIDE); /* without host memory */
		DESC(d.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER);
		DESC(d.image_type = CL_MEM_OBJECT_IMAGE3D; d.image_depth = 2; d.mem_object = buffer);
		DESC(d.mem_object = (cl_mem)cl.context);
		IMAGE("DESC", CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &rgba, host, d.image_row_pitch = 4 * SIDE - 4);
		IMAGE("DESC", CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &rgba, host, d.image_row_pitch = 4 * SIDE + 2);
		IMAGE("SIZE", CL_INVALID_IMAGE_SIZE, 0, &rgba, NULL, d.image_width = 0);
		IMAGE("SIZE", CL_INVALID_IMAGE_SIZE, 0, &rgba, NULL, d.image_height = 0);
		IMAGE("SIZE", CL_INVALID_IMAGE_SIZE, 0, &rgba, NULL, d.image_width = limit(CL_DEVICE_IMAGE2D_MAX_WIDTH) + 1);
		IMAGE("SIZE", CL_INVALID_IMAGE_SIZE, 0, &rgba, NULL, d.image_height = limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT) + 1);
		IMAGE("SIZE", CL_INVALID_IMAGE_SIZE, 0, &rgba, NULL, d.image_type = CL_MEM_OBJECT_IMAGE3D;
		      d.image_depth = limit(CL_DEVICE_IMAGE3D_MAX_DEPTH) + 1);
		IMAGE("SIZE", CL_INVALID_IMAGE_SIZE, 0, &rgba, NULL, d.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
		      d.image_array_size = limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE) + 1);
		IMAGE("FORMAT_SUPPORT", CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, &rare, NULL, (void)0);
		run_out(w ? "CL_CREATEIMAGEWITHPROPERTIES_MEMORY" : "CL_CREATEIMAGE_MEMORY", w);
	}
	run_out("CL_CREATEIMAGE2D_MEMORY", 2);
	run_out("CL_CREATEIMAGE3D_MEMORY", 3);
	RULE_NULL("CL_CREATEIMAGE2D_FORMAT_SUPPORT", CL_IMAGE_FORMAT_NOT_SUPPORTED, api->clCreateImage2D(cl.context, 0, &rare, 4, 4, 0, NULL, &error));
	RULE_NULL("CL_CREATEIMAGE3D_FORMAT_SUPPORT", CL_IMAGE_FORMAT_NOT_SUPPORTED,
		  api->clCreateImage3D(cl.context, 0, &rare, 4, 4, 4, 0, 0, NULL, &error));
}

static void of_buffers(void **state)
{
	(void)state;
	static const struct {
		const char *ids[2];
		cl_mem_flags parent, flags;
	} pairs[] = {
		{{"CL_CREATEIMAGE_PARENT_WRITE_ONLY", "CL_CREATEIMAGEWITHPROPERTIES_PARENT_WRITE_ONLY"}, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
		{{"CL_CREATEIMAGE_PARENT_WRITE_ONLY", "CL_CREATEIMAGEWITHPROPERTIES_PARENT_WRITE_ONLY"}, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
		{{"CL_CREATEIMAGE_PARENT_READ_ONLY", "CL_CREATEIMAGEWITHPROPERTIES_PARENT_READ_ONLY"}, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
		{{"CL_CREATEIMAGE_PARENT_READ_ONLY", "CL_CREATEIMAGEWITHPROPERTIES_PARENT_READ_ONLY"}, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
		{{"CL_CREATEIMAGE_PARENT_HOST_PTR", "CL_CREATEIMAGEWITHPROPERTIES_PARENT_HOST_PTR"}, 0, CL_MEM_ALLOC_HOST_PTR},
		{{"CL_CREATEIMAGE_PARENT_HOST_WRITE_ONLY", "CL_CREATEIMAGEWITHPROPERTIES_PARENT_HOST_WRITE_ONLY"}, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
		{{"CL_CREATEIMAGE_PARENT_HOST_READ_ONLY", "CL_CREATEIMAGEWITHPROPERTIES_PARENT_HOST_READ_ONLY"}, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
		{{"CL_CREATEIMAGE_PARENT_HOST_NO_ACCESS", "CL_CREATEIMAGEWITHPROPERTIES_PARENT_HOST_NO_ACCESS"}, CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},
		{{"CL_CREATEIMAGE_PARENT_HOST_NO_ACCESS", "CL_CREATEIMAGEWITHPROPERTIES_PARENT_HOST_NO_ACCESS"}, CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
	};
	cl_uint align = 0;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof align, &align, NULL));
	for (int w = 0; w < 2; w++) {
		for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
			cl_mem parent;
			cl_image_desc d = plane();
			MAKE(parent, api->clCreateBuffer(cl.context, pairs[i].parent, sizeof host, NULL, &error));
			d.mem_object = parent;
			RULE_NULL(pairs[i].ids[w], CL_INVALID_VALUE, create(w, pairs[i].flags, &rgba, &d, NULL, &error));
			CL_OK(api->clReleaseMemObject(parent));
		}
		with = w;
		/* a row that is no whole number of elements is aligned for no device */
		IMAGE("BUFFER_PITCH", CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &rgba, NULL, d.mem_object = buffer;
		      d.image_row_pitch = 4 * SIDE + (align > 1 ? 4 : 2));
	}
}

static void old_ways(void **state)
{
	(void)state;
	static const cl_image_format senseless = {CL_RGB, CL_UNORM_INT8};
#define OLD2(flags, format, width, height, row, ptr) api->clCreateImage2D(cl.context, (flags), (format), (width), (height), (row), (ptr), &error)
#define OLD3(flags, format, width, height, depth, row, slice, ptr) \
	api->clCreateImage3D(cl.context, (flags), (format), (width), (height), (depth), (row), (slice), (ptr), &error)
	RULE_NULL("CL_CREATEIMAGE2D_FLAGS", CL_INVALID_VALUE, OLD2(1ull << 40, &rgba, 4, 4, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE2D_FORMAT_NULL", CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, OLD2(0, NULL, 4, 4, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE2D_FORMAT", CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, OLD2(0, &senseless, 4, 4, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE2D_SIZE", CL_INVALID_IMAGE_SIZE, OLD2(0, &rgba, 0, 4, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE2D_SIZE", CL_INVALID_IMAGE_SIZE, OLD2(0, &rgba, 4, limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT) + 1, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE2D_PITCH", CL_INVALID_IMAGE_SIZE, OLD2(0, &rgba, 4, 4, 16, NULL));
	RULE_NULL("CL_CREATEIMAGE2D_PITCH", CL_INVALID_IMAGE_SIZE, OLD2(CL_MEM_COPY_HOST_PTR, &rgba, 4, 4, 12, host));
	RULE_NULL("CL_CREATEIMAGE2D_PITCH", CL_INVALID_IMAGE_SIZE, OLD2(CL_MEM_COPY_HOST_PTR, &rgba, 4, 4, 18, host));
	RULE_NULL("CL_CREATEIMAGE2D_HOST_PTR_NULL", CL_INVALID_HOST_PTR, OLD2(CL_MEM_COPY_HOST_PTR, &rgba, 4, 4, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE2D_HOST_PTR_UNUSED", CL_INVALID_HOST_PTR, OLD2(0, &rgba, 4, 4, 0, host));
	RULE_NULL("CL_CREATEIMAGE3D_FLAGS", CL_INVALID_VALUE, OLD3(1ull << 40, &rgba, 4, 4, 4, 0, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE3D_FORMAT_NULL", CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, OLD3(0, NULL, 4, 4, 4, 0, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE3D_FORMAT", CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, OLD3(0, &senseless, 4, 4, 4, 0, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE3D_SIZE", CL_INVALID_IMAGE_SIZE, OLD3(0, &rgba, 4, 4, 1, 0, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE3D_SIZE", CL_INVALID_IMAGE_SIZE, OLD3(0, &rgba, 4, 0, 4, 0, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE3D_PITCH", CL_INVALID_IMAGE_SIZE, OLD3(0, &rgba, 4, 4, 4, 16, 64, NULL));
	RULE_NULL("CL_CREATEIMAGE3D_PITCH", CL_INVALID_IMAGE_SIZE, OLD3(CL_MEM_COPY_HOST_PTR, &rgba, 4, 4, 4, 12, 0, host));
	RULE_NULL("CL_CREATEIMAGE3D_PITCH", CL_INVALID_IMAGE_SIZE, OLD3(CL_MEM_COPY_HOST_PTR, &rgba, 4, 4, 4, 16, 72, host));
	RULE_NULL("CL_CREATEIMAGE3D_HOST_PTR_NULL", CL_INVALID_HOST_PTR, OLD3(CL_MEM_COPY_HOST_PTR, &rgba, 4, 4, 4, 0, 0, NULL));
	RULE_NULL("CL_CREATEIMAGE3D_HOST_PTR_UNUSED", CL_INVALID_HOST_PTR, OLD3(0, &rgba, 4, 4, 4, 0, 0, host));
}

static void queries(void **state)
{
	(void)state;
	cl_image_format list[1];
#define FORMATS(flags, type, room, out) api->clGetSupportedImageFormats(cl.context, (flags), (type), (room), (out), NULL)
	RULE("CL_GETSUPPORTEDIMAGEFORMATS_FLAGS", CL_INVALID_VALUE, FORMATS(1ull << 40, CL_MEM_OBJECT_IMAGE2D, 1, list));
	RULE("CL_GETSUPPORTEDIMAGEFORMATS_TYPE", CL_INVALID_VALUE, FORMATS(CL_MEM_READ_WRITE, CL_MEM_OBJECT_BUFFER, 1, list));
	RULE("CL_GETSUPPORTEDIMAGEFORMATS_TYPE", CL_INVALID_VALUE, FORMATS(CL_MEM_READ_WRITE, 0x7fff, 1, list));
	RULE("CL_GETSUPPORTEDIMAGEFORMATS_ENTRIES_ZERO", CL_INVALID_VALUE, FORMATS(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, list));
	RULE_INFO("CL_GETIMAGEINFO", CL_IMAGE_WIDTH, api->clGetImageInfo(image, name, size, value, NULL));
}

/* ---- commands: one call each of an image and a region, and what is particular to it ---- */

struct command_args {
	cl_mem image, other;
	const size_t *origin, *region;
	size_t row, slice;
	void *ptr;
	cl_map_flags flags;
	size_t *row_ret, *slice_ret;
	cl_event wait;
};
static size_t row_ret, slice_ret;
static struct command_args right_command(void)
{
	return (struct command_args){image, buffer, zero, one, 0, 0, host, CL_MAP_READ, &row_ret, &slice_ret, NULL};
}
#define LIST a->wait != NULL, a->wait ? &a->wait : NULL, NULL
static cl_int read_image(const struct command_args *a)
{
	return api->clEnqueueReadImage(cl.queue, a->image, CL_TRUE, a->origin, a->region, a->row, a->slice, a->ptr, LIST);
}
static cl_int write_image(const struct command_args *a)
{
	return api->clEnqueueWriteImage(cl.queue, a->image, CL_TRUE, a->origin, a->region, a->row, a->slice, a->ptr, LIST);
}
static cl_int fill_image(const struct command_args *a) { return api->clEnqueueFillImage(cl.queue, a->image, a->ptr, a->origin, a->region, LIST); }
static cl_int copy_to_buffer(const struct command_args *a)
{
	return api->clEnqueueCopyImageToBuffer(cl.queue, a->image, a->other, a->origin, a->region, a->row, LIST);
}
static cl_int copy_from_buffer(const struct command_args *a)
{
	return api->clEnqueueCopyBufferToImage(cl.queue, a->other, a->image, a->row, a->origin, a->region, LIST);
}
static cl_int map_image(const struct command_args *a)
{
	cl_int error = 1;
	void *p = api->clEnqueueMapImage(cl.queue, a->image, CL_TRUE, a->flags, a->origin, a->region, a->row_ret, a->slice_ret, LIST, &error);
	if (p)
		CL_OK(api->clEnqueueUnmapMemObject(cl.queue, a->image, p, 0, NULL, NULL));
	assert_int_equal(!p, error != CL_SUCCESS);
	return error;
}
static const struct {
	const char *entry;
	cl_int (*call)(const struct command_args *);
} commands[] = {
	{"CL_ENQUEUEREADIMAGE", read_image},	      {"CL_ENQUEUEWRITEIMAGE", write_image},	     {"CL_ENQUEUEFILLIMAGE", fill_image},
	{"CL_ENQUEUECOPYIMAGETOBUFFER", copy_to_buffer}, {"CL_ENQUEUECOPYBUFFERTOIMAGE", copy_from_buffer}, {"CL_ENQUEUEMAPIMAGE", map_image},
};
enum { READ, WRITE, FILL, TO_BUFFER, FROM_BUFFER, MAP, COMMANDS };
/* Command c with something changed. */
#define COMMAND(c, what, code, ...)                                                                \
	do {                                                                                       \
		char id[128];                                                                      \
		struct command_args a = right_command();                                           \
		__VA_ARGS__;                                                                       \
		snprintf(id, sizeof id, "%s_%s", commands[c].entry, what);                         \
		RULE(id, code, commands[c].call(&a));                                              \
	} while (0)

static cl_mem make(cl_mem_flags flags, cl_mem_object_type type)
{
	cl_mem m;
	cl_image_desc d = plane();
	d.image_type = type;
	d.image_depth = d.image_array_size = 4;
	MAKE(m, api->clCreateImage(cl.context, flags, &rgba, &d, NULL, &error));
	return m;
}

static void regions(void **state)
{
	(void)state;
	static const size_t far[3] = {SIDE, 0, 0}, huge[3] = {SIZE_MAX, 0, 0}, wide[3] = {SIDE + 1, 1, 1}, deep_origin[3] = {0, 0, 1}, deep[3] = {1, 1, 2};
	cl_mem line = make(0, CL_MEM_OBJECT_IMAGE1D);
	for (int c = 0; c < COMMANDS; c++) {
		const struct command_args right = right_command();
		CL_OK(commands[c].call(&right));
		COMMAND(c, "ORIGIN_NULL", CL_INVALID_VALUE, a.origin = NULL);
		COMMAND(c, "REGION_NULL", CL_INVALID_VALUE, a.region = NULL);
		COMMAND(c, "BOUNDS", CL_INVALID_VALUE, a.origin = far);
		COMMAND(c, "BOUNDS", CL_INVALID_VALUE, a.origin = huge);
		COMMAND(c, "BOUNDS", CL_INVALID_VALUE, a.region = wide);
		for (int i = 0; i < 3; i++) {
			size_t empty[3] = {1, 1, 1};
			empty[i] = 0;
			COMMAND(c, "REGION_ZERO", CL_INVALID_VALUE, a.region = empty);
		}
		COMMAND(c, "DIMENSIONS", CL_INVALID_VALUE, a.origin = deep_origin);
		COMMAND(c, "DIMENSIONS", CL_INVALID_VALUE, a.region = deep);
		static const size_t second_row[3] = {0, 1, 0};
		COMMAND(c, "DIMENSIONS", CL_INVALID_VALUE, a.image = line; a.origin = second_row);
	}
	CL_OK(api->clReleaseMemObject(line));
}

static void transfers(void **state)
{
	(void)state;
	static const size_t four[3] = {4, 4, 2};
	cl_event failed;
	cl_mem volume = make(0, CL_MEM_OBJECT_IMAGE3D);
	MAKE(failed, api->clCreateUserEvent(cl.context, &error));
	CL_OK(api->clSetUserEventStatus(failed, -9));
	for (int c = READ; c <= WRITE; c++) {
		COMMAND(c, "PTR_NULL", CL_INVALID_VALUE, a.ptr = NULL);
		COMMAND(c, "ROW", CL_INVALID_VALUE, a.row = 3);
		COMMAND(c, "SLICE", CL_INVALID_VALUE, a.image = volume; a.region = four; a.slice = 32);
		COMMAND(c, "SLICE_UNUSED", CL_INVALID_VALUE, a.slice = 64);
		for (int i = 0; i < 2; i++) {
			cl_mem closed = make(i ? CL_MEM_HOST_NO_ACCESS : c == WRITE ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D);
			COMMAND(c, "HOST_ACCESS", CL_INVALID_OPERATION, a.image = closed);
			CL_OK(api->clReleaseMemObject(closed));
		}
		COMMAND(c, "FAILED_EVENT", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, a.wait = failed);
	}
	COMMAND(MAP, "FAILED_EVENT", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, a.wait = failed);
	COMMAND(FILL, "COLOR_NULL", CL_INVALID_VALUE, a.ptr = NULL);
	CL_OK(api->clReleaseMemObject(volume));
	CL_OK(api->clReleaseEvent(failed));
}

static void with_buffers(void **state)
{
	(void)state;
	cl_mem line;
	const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .mem_object = buffer};
	MAKE(line, api->clCreateImage(cl.context, 0, &rgba, &d, NULL, &error));
	for (int c = TO_BUFFER; c <= FROM_BUFFER; c++) {
		COMMAND(c, "BUFFER_BOUNDS", CL_INVALID_VALUE, a.row = sizeof host - 3);
		COMMAND(c, "BUFFER_BOUNDS", CL_INVALID_VALUE, a.row = SIZE_MAX - 2);
		COMMAND(c, "IMAGE_OF_BUFFER", CL_INVALID_MEM_OBJECT, a.image = line);
	}
	CL_OK(api->clReleaseMemObject(line));
}

static void maps(void **state)
{
	(void)state;
	static const size_t four[3] = {4, 4, 1}, beside[3] = {4, 0, 0}, third[3] = {3, 3, 0};
	size_t row;
	COMMAND(MAP, "FLAGS", CL_INVALID_VALUE, a.flags = 1u << 20);
	COMMAND(MAP, "FLAGS", CL_INVALID_VALUE, a.flags = CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION);
	COMMAND(MAP, "ROW_NULL", CL_INVALID_VALUE, a.row_ret = NULL);
	static const cl_mem_object_type layered[] = {CL_MEM_OBJECT_IMAGE3D, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D_ARRAY};
	for (int i = 0; i < 3; i++) {
		cl_mem m = make(0, layered[i]);
		COMMAND(MAP, "SLICE_NULL", CL_INVALID_VALUE, a.image = m; a.slice_ret = NULL);
		CL_OK(api->clReleaseMemObject(m));
	}
	static const struct {
		const char *what;
		cl_mem_flags mem;
		cl_map_flags map;
	} closed[] = {
		{"HOST_READ", CL_MEM_HOST_WRITE_ONLY, CL_MAP_READ},	       {"HOST_READ", CL_MEM_HOST_NO_ACCESS, CL_MAP_READ},
		{"HOST_WRITE", CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE},	       {"HOST_WRITE", CL_MEM_HOST_NO_ACCESS, CL_MAP_WRITE},
		{"HOST_WRITE", CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE_INVALIDATE_REGION},
	};
	for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
		cl_mem m = make(closed[i].mem, CL_MEM_OBJECT_IMAGE2D);
		COMMAND(MAP, closed[i].what, CL_INVALID_OPERATION, a.image = m; a.flags = closed[i].map);
		CL_OK(api->clReleaseMemObject(m));
	}
	void *p;
	MAKE(p, api->clEnqueueMapImage(cl.queue, image, CL_TRUE, CL_MAP_WRITE, zero, four, &row, NULL, 0, NULL, NULL, &error));
	COMMAND(MAP, "OVERLAP", CL_INVALID_OPERATION, a.flags = CL_MAP_WRITE; a.origin = third);
	struct command_args apart = right_command();
	apart.flags = CL_MAP_WRITE;
	apart.origin = beside;
	apart.region = four;
	CL_OK(map_image(&apart));
	CL_OK(api->clEnqueueUnmapMemObject(cl.queue, image, p, 0, NULL, NULL));
}

#define COPY(what, code, ...)                                                                      \
	do {                                                                                       \
		struct {                                                                           \
			cl_mem src, dst;                                                           \
			const size_t *from, *to, *region;                                          \
		} a = {image, second, zero, zero, one};                                            \
		__VA_ARGS__;                                                                       \
		RULE("CL_ENQUEUECOPYIMAGE_" what, code, api->clEnqueueCopyImage(cl.queue, a.src, a.dst, a.from, a.to, a.region, 0, NULL, NULL)); \
	} while (0)

static void copies(void **state)
{
	(void)state;
	static const size_t far[3] = {SIDE, 0, 0}, deep[3] = {0, 0, 1}, four[3] = {4, 4, 1}, beside[3] = {3, 3, 0};
	static const cl_image_format other_format = {CL_RGBA, CL_SIGNED_INT8};
	const cl_image_desc d = plane();
	cl_mem second = make(0, CL_MEM_OBJECT_IMAGE2D), other;
	MAKE(other, api->clCreateImage(cl.context, 0, &other_format, &d, NULL, &error));
	COPY("MISMATCH", CL_IMAGE_FORMAT_MISMATCH, a.dst = other);
	COPY("SRC_ORIGIN_NULL", CL_INVALID_VALUE, a.from = NULL);
	COPY("DST_ORIGIN_NULL", CL_INVALID_VALUE, a.to = NULL);
	COPY("REGION_NULL", CL_INVALID_VALUE, a.region = NULL);
	COPY("SRC_BOUNDS", CL_INVALID_VALUE, a.from = far);
	COPY("DST_BOUNDS", CL_INVALID_VALUE, a.to = far);
	COPY("DIMENSIONS", CL_INVALID_VALUE, a.from = deep);
	COPY("DIMENSIONS", CL_INVALID_VALUE, a.to = deep);
	COPY("REGION_ZERO", CL_INVALID_VALUE, a.region = zero);
	COPY("OVERLAP", CL_MEM_COPY_OVERLAP, a.dst = image; a.to = beside; a.region = four);
	CL_OK(api->clReleaseMemObject(second));
	CL_OK(api->clReleaseMemObject(other));
}

static int setup(void **state)
{
	if (spec_setup(state))
		return -1;
	const cl_image_desc d = plane();
	image = api->clCreateImage(cl.context, 0, &rgba, &d, NULL, NULL);
	buffer = api->clCreateBuffer(cl.context, 0, sizeof host, NULL, NULL);
	return !image || !buffer;
}

static int teardown(void **state)
{
	return clFinish(cl.queue) || clReleaseMemObject(image) || clReleaseMemObject(buffer) || cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_and_formats), cmocka_unit_test(descriptors),  cmocka_unit_test(of_buffers),
		cmocka_unit_test(old_ways),	     cmocka_unit_test(queries),	     cmocka_unit_test(regions),
		cmocka_unit_test(transfers),	     cmocka_unit_test(with_buffers), cmocka_unit_test(maps),
		cmocka_unit_test(copies),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
