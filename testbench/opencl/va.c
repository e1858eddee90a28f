/* cl_intel_va_api_media_sharing: displays and devices, images of surfaces, who has them, and in what order. */
#include "runtime/umd/umd.h"
#include "testbench/opencl/va.h"
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <va/va_drmcommon.h>

enum { WIDTH = 64, HEIGHT = 48 };

static cl_command_queue witness; /* in which nothing else is */

static void acquire(cl_command_queue q, cl_uint n, const cl_mem *list)
{
	CL_OK(va.clEnqueueAcquireVA_APIMediaSurfacesINTEL(q, n, list, 0, NULL, NULL));
}
static void release(cl_command_queue q, cl_uint n, const cl_mem *list) { CL_OK(va.clEnqueueReleaseVA_APIMediaSurfacesINTEL(q, n, list, 0, NULL, NULL)); }

/* Devices have done all that they can of what was flushed. */
static void devices_idle(void)
{
	CL_OK(clEnqueueMarkerWithWaitList(witness, 0, NULL, NULL));
	CL_OK(clFinish(witness));
}

static cl_int status_of(cl_event e)
{
	cl_int status;
	devices_idle();
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	return status;
}

/* ---- displays ---- */

static void extension(void **state)
{
	(void)state;
	const char *name = " cl_intel_va_api_media_sharing ";
	char text[8192], words[8200];
	CL_OK(clGetPlatformInfo(cl.platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL));
	snprintf(words, sizeof words, " %s ", text);
	assert_non_null(strstr(words, name));
	for (cl_uint i = 0; i < cl.num_devices; i++) {
		CL_OK(clGetDeviceInfo(cl.devices[i], CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
		snprintf(words, sizeof words, " %s ", text);
		assert_non_null(strstr(words, name));
	}
}

static void devices(void **state)
{
	(void)state;
	cl_device_id list[CL_TEST_DEVICES];
	cl_uint n = 0;
	/* the display itself, or a pointer to it */
	void *const adapters[] = {va.display, &va.display};
	for (unsigned i = 0; i < 2; i++) {
#define DEVICES(set, count, list, n) va.clGetDeviceIDsFromVA_APIMediaAdapterINTEL(cl.platform, CL_VA_API_DISPLAY_INTEL, adapters[i], (set), (count), (list), (n))
		CL_OK(DEVICES(CL_PREFERRED_DEVICES_FOR_VA_API_INTEL, 0, NULL, &n));
		assert_int_equal(n, 1);
		CL_OK(DEVICES(CL_PREFERRED_DEVICES_FOR_VA_API_INTEL, CL_TEST_DEVICES, list, NULL));
		assert_ptr_equal(list[0], cl.device);
		CL_OK(DEVICES(CL_ALL_DEVICES_FOR_VA_API_INTEL, CL_TEST_DEVICES, list, &n));
		assert_int_equal(n, cl.num_devices);
		assert_memory_equal(list, cl.devices, n * sizeof *list);
		/* no more than there is room for, and all are counted */
		list[1] = NULL;
		CL_OK(DEVICES(CL_ALL_DEVICES_FOR_VA_API_INTEL, 1, list, &n));
		assert_int_equal(n, cl.num_devices);
		assert_null(list[1]);
#undef DEVICES
	}
}

static void contexts(void **state)
{
	(void)state;
	cl_int code;
	cl_mem m;
	VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	/* by a pointer to the display; for all devices; for the user's synchronisation */
	const cl_context_properties pointer[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, CL_CONTEXT_VA_API_DISPLAY_INTEL,
						 (cl_context_properties)&va.display, 0};
	const cl_context_properties none[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, CL_CONTEXT_VA_API_DISPLAY_INTEL, 0, CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
	cl_context made[] = {va_context(va.display, CL_TRUE, cl.num_devices), va_context(va.display, CL_FALSE, 1),
			     clCreateContext(pointer, 1, &cl.device, NULL, NULL, &code), clCreateContextFromType(pointer, CL_DEVICE_TYPE_ALL, NULL, NULL, &code)};
	CL_OK(code);
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		m = va.clCreateFromVA_APIMediaSurfaceINTEL(made[i], 0, &s, 0, &code);
		CL_OK(code);
		CL_OK(clReleaseMemObject(m));
		CL_OK(clReleaseContext(made[i]));
	}
	/* no display is the default: such a context has no surfaces, and may be told so */
	cl_context plain = clCreateContext(none, 1, &cl.device, NULL, NULL, &code);
	CL_OK(code);
	assert_null(va.clCreateFromVA_APIMediaSurfaceINTEL(plain, 0, &s, 0, &code));
	assert_int_equal(code, CL_INVALID_CONTEXT);
	assert_null(va.clCreateFromVA_APIMediaSurfaceINTEL(plain, 0, &s, 0, NULL));
	CL_OK(clReleaseContext(plain));
	cl_context_properties got[8];
	size_t size;
	CL_OK(clGetContextInfo(va.context, CL_CONTEXT_PROPERTIES, sizeof got, got, &size));
	assert_int_equal(size, 7 * sizeof *got);
	assert_int_equal(got[2], CL_CONTEXT_VA_API_DISPLAY_INTEL);
	assert_ptr_equal((void *)got[3], va.display);
	VA_OK(vaDestroySurfaces(va.display, &s, 1));
}

/* ---- images ---- */

static void images(void **state)
{
	(void)state;
	static const struct { unsigned width, height; } sizes[] = {{WIDTH, HEIGHT}, {34, 18}, {33, 17}, {1, 1}};
	static const cl_mem_flags rights[] = {0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, sizes[i].width, sizes[i].height), *given;
		struct va_view v = va_view(va.display, s);
		for (cl_uint plane = 0; plane < 2; plane++) {
			cl_int code;
			cl_mem m = va.clCreateFromVA_APIMediaSurfaceINTEL(va.context, rights[i], &s, plane, &code);
			CL_OK(code);
			cl_image_format format;
			cl_mem_object_type type;
			cl_mem_flags flags;
			cl_uint of;
			size_t n[4];
			CL_OK(clGetImageInfo(m, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
			assert_int_equal(format.image_channel_order, plane ? CL_RG : CL_R);
			assert_int_equal(format.image_channel_data_type, CL_UNORM_INT8);
			CL_OK(clGetImageInfo(m, CL_IMAGE_WIDTH, sizeof *n, &n[0], NULL));
			CL_OK(clGetImageInfo(m, CL_IMAGE_HEIGHT, sizeof *n, &n[1], NULL));
			CL_OK(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof *n, &n[2], NULL));
			CL_OK(clGetImageInfo(m, CL_IMAGE_ELEMENT_SIZE, sizeof *n, &n[3], NULL));
			assert_int_equal(n[0], plane ? (sizes[i].width + 1) / 2 : sizes[i].width);
			assert_int_equal(n[1], plane ? (sizes[i].height + 1) / 2 : sizes[i].height);
			assert_int_equal(n[2], v.image.pitches[plane]);
			assert_int_equal(n[3], plane + 1);
			CL_OK(clGetMemObjectInfo(m, CL_MEM_TYPE, sizeof type, &type, NULL));
			assert_int_equal(type, CL_MEM_OBJECT_IMAGE2D);
			CL_OK(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
			assert_int_equal(flags, rights[i] ? rights[i] : CL_MEM_READ_WRITE);
			CL_OK(clGetMemObjectInfo(m, CL_MEM_VA_API_MEDIA_SURFACE_INTEL, sizeof given, &given, n));
			assert_ptr_equal(given, &s);
			assert_int_equal(*n, sizeof given);
			CL_OK(clGetImageInfo(m, CL_IMAGE_VA_API_PLANE_INTEL, sizeof of, &of, n));
			assert_int_equal(of, plane);
			assert_int_equal(*n, sizeof of);
			CL_OK(clReleaseMemObject(m));
		}
		va_view_end(va.display, &v);
		VA_OK(vaDestroySurfaces(va.display, &s, 1));
	}
}

static const char invert_source[] =
	"kernel void invert(read_only image2d_t from, write_only image2d_t to) {"
	" int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(to, at, 1 - read_imagef(from, at)); }";

static uint8_t pattern(unsigned frame, unsigned plane, unsigned x, unsigned y) { return (uint8_t)(x * 5 + y * 7 + plane * 101 + frame * 13); }

/* Every byte that VA-API has written is what a kernel reads, and the other way round; rows and planes are where they are; frame after frame. */
static void contents(void **state)
{
	(void)state;
	enum { W = 50, H = 22 };
	VASurfaceID s[2] = {va_surface(va.display, VA_FOURCC_NV12, W, H), va_surface(va.display, VA_FOURCC_NV12, W, H)};
	/* planes of the one, then of the other */
	cl_mem m[4] = {va_image(&s[0], 0), va_image(&s[0], 1), va_image(&s[1], 0), va_image(&s[1], 1)};
	cl_kernel k = kernel_build(va.context, invert_source, "invert");
	for (unsigned frame = 0; frame < 3; frame++) {
		struct va_view v = va_view(va.display, s[0]);
		for (unsigned plane = 0; plane < 2; plane++)
			for (unsigned y = 0; y < (plane ? H / 2 : H); y++)
				for (unsigned x = 0; x < W; x++)
					v.bytes[v.image.offsets[plane] + y * v.image.pitches[plane] + x] = pattern(frame, plane, x, y);
		va_view_end(va.display, &v);
		acquire(va.queue, 4, m);
		for (unsigned plane = 0; plane < 2; plane++) {
			const size_t items[2] = {plane ? W / 2 : W, plane ? H / 2 : H};
			CL_OK(clSetKernelArg(k, 0, sizeof *m, &m[plane]));
			CL_OK(clSetKernelArg(k, 1, sizeof *m, &m[2 + plane]));
			CL_OK(clEnqueueNDRangeKernel(va.queue, k, 2, NULL, items, NULL, 0, NULL, NULL));
		}
		release(va.queue, 4, m);
		v = va_view(va.display, s[1]); /* which waits for the surface, not for OpenCL's queue */
		for (unsigned plane = 0; plane < 2; plane++)
			for (unsigned y = 0; y < (plane ? H / 2 : H); y++)
				for (unsigned x = 0; x < W; x++)
					assert_int_equal(v.bytes[v.image.offsets[plane] + y * v.image.pitches[plane] + x], 255 - pattern(frame, plane, x, y));
		va_view_end(va.display, &v);
	}
	for (unsigned i = 0; i < 4; i++)
		CL_OK(clReleaseMemObject(m[i]));
	CL_OK(clReleaseKernel(k));
	VA_OK(vaDestroySurfaces(va.display, s, 2));
}

/* VA-API writes a surface, OpenCL reads it and writes another, VA-API reads that, all on the device; nothing of OpenCL is waited for. */
static void chain(void **state)
{
	(void)state;
	VASurfaceID s[2] = {va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT), va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT)};
	cl_mem m[2] = {va_image(&s[0], 0), va_image(&s[1], 0)};
	cl_kernel k = kernel_build(va.context, invert_source, "invert");
	VAImageFormat format = {.fourcc = VA_FOURCC_NV12};
	VAImage image;
	uint8_t *bytes;
	const size_t items[2] = {WIDTH, HEIGHT};
	VA_OK(vaCreateImage(va.display, &format, WIDTH, HEIGHT, &image));
	for (unsigned i = 0; i < 2; i++)
		CL_OK(clSetKernelArg(k, i, sizeof *m, &m[i]));
	for (unsigned frame = 0; frame < 5; frame++) {
		VA_OK(vaMapBuffer(va.display, image.buf, (void **)&bytes));
		for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
			bytes[image.offsets[0] + i / WIDTH * image.pitches[0] + i % WIDTH] = (uint8_t)(i + 5 * frame);
		VA_OK(vaUnmapBuffer(va.display, image.buf));
		VA_OK(vaPutImage(va.display, s[0], image.image_id, 0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT));
		acquire(va.unordered, 2, m);
		CL_OK(clEnqueueNDRangeKernel(va.unordered, k, 2, NULL, items, NULL, 0, NULL, NULL));
		release(va.unordered, 2, m);
		VA_OK(vaGetImage(va.display, s[1], 0, 0, WIDTH, HEIGHT, image.image_id));
		VA_OK(vaMapBuffer(va.display, image.buf, (void **)&bytes));
		for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
			assert_int_equal(bytes[image.offsets[0] + i / WIDTH * image.pitches[0] + i % WIDTH], 255 - (uint8_t)(i + 5 * frame));
		VA_OK(vaUnmapBuffer(va.display, image.buf));
	}
	VA_OK(vaDestroyImage(va.display, image.image_id));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseMemObject(m[0]));
	CL_OK(clReleaseMemObject(m[1]));
	VA_OK(vaDestroySurfaces(va.display, s, 2));
}

/* In a context of several devices each of them uses the image, those that are not the display's, too. */
static void all_devices(void **state)
{
	(void)state;
	VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	cl_context context = va_context(va.display, CL_FALSE, cl.num_devices);
	cl_int code;
	const size_t origin[3] = {0}, region[3] = {WIDTH / 2, HEIGHT / 2, 1};
	cl_mem m = va.clCreateFromVA_APIMediaSurfaceINTEL(context, CL_MEM_READ_WRITE, &s, 1, &code);
	CL_OK(code);
	for (cl_uint i = 0; i < cl.num_devices; i++) {
		cl_command_queue q = clCreateCommandQueue(context, cl.devices[i], 0, &code);
		CL_OK(code);
		const float color[4] = {(float)(i + 1) / 255, (float)(i + 2) / 255};
		acquire(q, 1, &m);
		CL_OK(clEnqueueFillImage(q, m, color, origin, region, 0, NULL, NULL));
		release(q, 1, &m);
		struct va_view v = va_view(va.display, s);
		assert_int_equal(v.bytes[v.image.offsets[1] + 2], i + 1);
		assert_int_equal(v.bytes[v.image.offsets[1] + 3], i + 2);
		va_view_end(va.display, &v);
		CL_OK(clReleaseCommandQueue(q));
	}
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseContext(context));
	VA_OK(vaDestroySurfaces(va.display, &s, 1));
}

/* A plane has an image until that, and what was made from it, is gone; of whichever context. */
static void lifetime(void **state)
{
	(void)state;
	cl_int code;
	VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT), other = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	cl_context second = va_context(va.display, CL_TRUE, 1);
	cl_mem y = va_image(&s, 0), uv = va_image(&s, 1), of_other = va_image(&other, 0);
	assert_null(va.clCreateFromVA_APIMediaSurfaceINTEL(second, 0, &s, 0, &code));
	assert_int_equal(code, CL_INVALID_VA_API_MEDIA_SURFACE_INTEL);
	CL_OK(clRetainMemObject(y));
	CL_OK(clReleaseMemObject(y));
	assert_null(va.clCreateFromVA_APIMediaSurfaceINTEL(va.context, 0, &s, 0, &code));
	/* released while it is acquired, and while commands use it */
	const float color[4] = {1};
	const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
	acquire(va.queue, 1, &y);
	CL_OK(clEnqueueFillImage(va.queue, y, color, origin, region, 0, NULL, NULL));
	release(va.queue, 1, &y);
	CL_OK(clReleaseMemObject(y));
	y = va.clCreateFromVA_APIMediaSurfaceINTEL(second, 0, &s, 0, &code);
	CL_OK(code);
	CL_OK(clReleaseMemObject(y));
	CL_OK(clReleaseMemObject(uv));
	CL_OK(clReleaseContext(second));
	struct va_view v = va_view(va.display, s);
	assert_int_equal(v.bytes[v.image.offsets[0] + (HEIGHT - 1) * v.image.pitches[0] + WIDTH - 1], 255);
	va_view_end(va.display, &v);
	/* the surface goes first: its image is not used any more, and can be released */
	VA_OK(vaDestroySurfaces(va.display, &other, 1));
	CL_OK(clReleaseMemObject(of_other));
	CL_OK(clFinish(va.queue));
	VA_OK(vaDestroySurfaces(va.display, &s, 1));
}

static unsigned descriptors(void)
{
	unsigned n = 0;
	DIR *d = opendir("/proc/self/fd");
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Frame after frame, as programs map them; nothing is left behind. */
static void frames(void **state)
{
	(void)state;
	VASurfaceID s[3], none = VA_INVALID_SURFACE;
	for (unsigned i = 0; i < 3; i++)
		s[i] = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	unsigned before = 0;
	cl_int code;
	for (unsigned i = 0; i < 120; i++) {
		cl_event e;
		cl_mem m[2] = {va_image(&s[i % 3], 0), va_image(&s[i % 3], 1)};
		assert_null(va.clCreateFromVA_APIMediaSurfaceINTEL(va.context, 0, &s[i % 3], i % 2 ? 2 : 0, &code));
		assert_null(va.clCreateFromVA_APIMediaSurfaceINTEL(va.context, 0, &none, 0, &code));
		acquire(va.queue, 2, m);
		const float color[4] = {(float)i / 255, (float)i / 255};
		const size_t origin[3] = {0}, region[3] = {WIDTH / 2, HEIGHT / 2, 1};
		CL_OK(clEnqueueFillImage(va.queue, m[1], color, origin, region, 0, NULL, NULL));
		CL_OK(va.clEnqueueReleaseVA_APIMediaSurfacesINTEL(va.queue, 2, m, 0, NULL, &e));
		CL_OK(clWaitForEvents(1, &e));
		CL_OK(clReleaseEvent(e));
		CL_OK(clReleaseMemObject(m[0]));
		CL_OK(clReleaseMemObject(m[1]));
		struct va_view v = va_view(va.display, s[i % 3]);
		assert_int_equal(v.bytes[v.image.offsets[1] + 5], i);
		va_view_end(va.display, &v);
		if (i == 5)
			before = descriptors();
	}
	assert_int_equal(descriptors(), before);
	VA_OK(vaDestroySurfaces(va.display, s, 3));
}

/* ---- who has it ---- */

static void commands(void **state)
{
	(void)state;
	VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	cl_mem m = va_image(&s, 0);
	cl_event e[3];
	cl_int code;
	CL_OK(va.clEnqueueAcquireVA_APIMediaSurfacesINTEL(va.queue, 1, &m, 0, NULL, &e[0]));
	/* all queues of the context have it, and any of them gives it back */
	const float color[4] = {1};
	const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
	CL_OK(clEnqueueFillImage(va.unordered, m, color, origin, region, 1, &e[0], &e[1]));
	cl_event user = clCreateUserEvent(va.context, &code);
	CL_OK(code);
	const cl_event both[] = {e[1], user};
	CL_OK(va.clEnqueueReleaseVA_APIMediaSurfacesINTEL(va.unordered, 1, &m, 2, both, &e[2]));
	static const cl_command_type types[] = {CL_COMMAND_ACQUIRE_VA_API_MEDIA_SURFACES_INTEL, CL_COMMAND_FILL_IMAGE, CL_COMMAND_RELEASE_VA_API_MEDIA_SURFACES_INTEL};
	for (unsigned i = 0; i < 3; i++) {
		cl_command_type type;
		CL_OK(clGetEventInfo(e[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
		assert_int_equal(type, types[i]);
	}
	/* events are points to wait for */
	CL_OK(clFlush(va.unordered));
	assert_int_not_equal(status_of(e[2]), CL_COMPLETE);
	CL_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &e[2]));
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(status_of(e[i]), CL_COMPLETE);
		CL_OK(clReleaseEvent(e[i]));
	}
	CL_OK(clReleaseEvent(user));
	CL_OK(clReleaseMemObject(m));
	VA_OK(vaDestroySurfaces(va.display, &s, 1));
}

struct race {
	cl_mem m;
	pthread_barrier_t at;
	atomic_uint acquired, released;
};

static void *race_run(void *arg)
{
	struct race *r = arg;
	for (unsigned i = 0; i < 40; i++) {
		pthread_barrier_wait(&r->at);
		cl_int code = va.clEnqueueAcquireVA_APIMediaSurfacesINTEL(va.queue, 1, &r->m, 0, NULL, NULL);
		atomic_fetch_add(&r->acquired, code == CL_SUCCESS);
		if (code != CL_SUCCESS && code != CL_VA_API_MEDIA_SURFACE_ALREADY_ACQUIRED_INTEL)
			abort();
		pthread_barrier_wait(&r->at);
		code = va.clEnqueueReleaseVA_APIMediaSurfacesINTEL(va.queue, 1, &r->m, 0, NULL, NULL);
		atomic_fetch_add(&r->released, code == CL_SUCCESS);
		if (code != CL_SUCCESS && code != CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL)
			abort();
	}
	return NULL;
}

/* Of threads that acquire a surface at the same time, one does. */
static void threads(void **state)
{
	(void)state;
	VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	struct race r = {.m = va_image(&s, 0)};
	pthread_t t[3];
	pthread_barrier_init(&r.at, NULL, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&t[i], NULL, race_run, &r), 0);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(r.acquired, 40);
	assert_int_equal(r.released, 40);
	pthread_barrier_destroy(&r.at);
	CL_OK(clFinish(va.queue));
	CL_OK(clReleaseMemObject(r.m));
	VA_OK(vaDestroySurfaces(va.display, &s, 1));
}

/* ---- in what order ---- */

/* Another user of a surface's memory, as a driver of VA-API's is: a client of the kernel-mode driver that takes its turns. */
static struct other {
	struct umd *umd;
	struct umd_space *space;
	struct umd_queue *queue;
	struct umd_bo *bo;
	struct umd_sem *users;
} other;

static void other_begin(VASurfaceID s)
{
	const char *error;
	VADRMPRIMESurfaceDescriptor d;
	struct kmd_dmabuf b;
	VA_OK(vaExportSurfaceHandle(va.display, s, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, VA_EXPORT_SURFACE_READ_WRITE | VA_EXPORT_SURFACE_COMPOSED_LAYERS, &d));
	other.umd = umd_open(&error);
	assert_non_null(other.umd);
	assert_int_equal(umd_space_create(other.umd, &other.space), 0);
	assert_int_equal(umd_queue_create(other.space, 0, 1, &other.queue), 0);
	assert_int_equal(umd_dmabuf_query(d.objects[0].fd, &b), 0);
	assert_int_equal(umd_bo_import_dmabuf(other.space, d.objects[0].fd, 0, b.size, KMD_BO_SHARED, &other.bo), 0);
	assert_int_equal(umd_bo_users(other.bo, &other.users), 0);
	close(d.objects[0].fd);
}

static void other_end(void)
{
	umd_sem_release(other.users);
	umd_bo_release(other.bo);
	umd_queue_release(other.queue);
	umd_space_release(other.space);
	umd_close(other.umd);
}

/* Copies a byte of the surface in a turn of its own, not before the fence that the host holds, if there is one. */
static struct umd_command *other_copy(uint64_t to, uint64_t from, const struct umd_sem *held)
{
	union packet p[6] = {0};
	unsigned n = 0;
	struct umd_command *c;
	if (held)
		umd_sem_wait_packet(held, &p[n++]);
	umd_turn_packets(other.users, &p[n]);
	n += 2;
	const uint64_t line = umd_bo_address(other.bo);
	const struct packet_cache cache = {.head.type = PACKET_CODE_cache, .address = line, .size = umd_bo_size(other.bo), .op = CACHE_CLEAN | CACHE_INVALIDATE};
	p[n++].cache = cache;
	p[n++].copy = (struct packet_copy){.head.type = PACKET_CODE_copy, .src = line + from, .dst = line + to, .width = 1, .height = 1, .depth = 1};
	p[n++].cache = cache;
	assert_int_equal(umd_submit(other.queue, p, n, 0, NULL, NULL, &c), 0);
	umd_flush(other.queue);
	return c;
}

static bool other_ended(struct umd_command *c)
{
	struct completion done;
	devices_idle();
	umd_sync(other.umd);
	return umd_command_ended(c, &done);
}

static void other_finish(struct umd_command *c)
{
	assert_int_equal(umd_wait(c), 0);
	umd_command_release(c);
}

static cl_mem watched; /* a buffer that commands after an acquire write */

static cl_event fill_buffer(cl_command_queue q, cl_uint value)
{
	cl_event e;
	CL_OK(clEnqueueFillBuffer(q, watched, &value, sizeof value, 0, sizeof value, 0, NULL, &e));
	CL_OK(clFlush(q));
	return e;
}

static void fill_pixel(cl_command_queue q, cl_mem m, size_t x, unsigned value)
{
	const float color[4] = {(float)value / 255};
	const size_t origin[3] = {x}, region[3] = {1, 1, 1};
	CL_OK(clEnqueueFillImage(q, m, color, origin, region, 0, NULL, NULL));
}

/* An acquire waits for what was submitted with the surface before, and all that is enqueued behind it waits for the acquire. The host waits
 * for nothing: what holds the other user is let go only afterwards. */
static void acquire_waits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		cl_command_queue q = i ? va.unordered : va.queue;
		VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
		cl_mem m[2] = {va_image(&s, 0), va_image(&s, 1)};
		cl_event acquired, behind;
		struct umd_sem *held;
		unsigned char got = 0;
		const size_t origin[3] = {1, 0, 0}, region[3] = {1, 1, 1};
		other_begin(s);
		acquire(q, 1, m);
		fill_pixel(q, m[0], 0, 77 + i);
		release(q, 1, m);
		assert_int_equal(umd_sem_create(other.umd, 0, &held), 0);
		struct umd_command *c = other_copy(1, 0, held);
		CL_OK(va.clEnqueueAcquireVA_APIMediaSurfacesINTEL(q, 2, m, 0, NULL, &acquired));
		behind = fill_buffer(q, 5);
		assert_int_not_equal(status_of(acquired), CL_COMPLETE);
		assert_int_not_equal(status_of(behind), CL_COMPLETE);
		assert_false(other_ended(c));
		umd_sem_signal(held, 0);
		CL_OK(clWaitForEvents(1, &acquired));
		assert_true(other_ended(c)); /* the acquire's end says so */
		CL_OK(clEnqueueReadImage(q, m[0], CL_TRUE, origin, region, 0, 0, &got, 0, NULL, NULL));
		assert_int_equal(got, 77 + i);
		release(q, 2, m);
		CL_OK(clFinish(q));
		other_finish(c);
		umd_sem_release(held);
		other_end();
		CL_OK(clReleaseEvent(acquired));
		CL_OK(clReleaseEvent(behind));
		CL_OK(clReleaseMemObject(m[0]));
		CL_OK(clReleaseMemObject(m[1]));
		VA_OK(vaDestroySurfaces(va.display, &s, 1));
	}
}

/* What is submitted with the surface after a release waits for what was enqueued before it, and for its events; nothing has to be flushed. */
static void release_is_waited_for(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		cl_command_queue q = i ? va.unordered : va.queue;
		VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
		cl_mem m = va_image(&s, 0);
		cl_int code;
		cl_event gate = clCreateUserEvent(va.context, &code);
		CL_OK(code);
		other_begin(s);
		acquire(q, 1, &m);
		fill_pixel(q, m, 0, 33 + i);
		/* work of the queue that stands still, or an event that the release waits for */
		if (i < 2)
			CL_OK(clEnqueueMarkerWithWaitList(q, 1, &gate, NULL));
		CL_OK(va.clEnqueueReleaseVA_APIMediaSurfacesINTEL(q, 1, &m, i == 2, i == 2 ? &gate : NULL, NULL));
		struct umd_command *c = other_copy(2, 0, NULL);
		assert_false(other_ended(c));
		CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
		other_finish(c);
		struct va_view v = va_view(va.display, s);
		assert_int_equal(v.bytes[v.image.offsets[0] + 2], 33 + i);
		va_view_end(va.display, &v);
		other_end();
		CL_OK(clFinish(q));
		CL_OK(clReleaseEvent(gate));
		CL_OK(clReleaseMemObject(m));
		VA_OK(vaDestroySurfaces(va.display, &s, 1));
	}
}

/* With CL_CONTEXT_INTEROP_USER_SYNC nothing waits for anything. */
static void user_sync(void **state)
{
	(void)state;
	cl_int code;
	VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	cl_context context = va_context(va.display, CL_TRUE, 1);
	cl_command_queue q = clCreateCommandQueue(context, cl.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
	CL_OK(code);
	cl_mem m = va.clCreateFromVA_APIMediaSurfaceINTEL(context, 0, &s, 0, &code);
	CL_OK(code);
	cl_event gate = clCreateUserEvent(context, &code), released;
	CL_OK(code);
	struct umd_sem *held;
	other_begin(s);
	assert_int_equal(umd_sem_create(other.umd, 0, &held), 0);
	struct umd_command *first = other_copy(1, 0, held);
	acquire(q, 1, &m);
	CL_OK(clEnqueueMarkerWithWaitList(q, 1, &gate, NULL));
	CL_OK(va.clEnqueueReleaseVA_APIMediaSurfacesINTEL(q, 1, &m, 0, NULL, &released));
	CL_OK(clWaitForEvents(1, &released));
	assert_false(other_ended(first));
	umd_sem_signal(held, 0);
	other_finish(first);
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_OK(clFinish(q));
	umd_sem_release(held);
	other_end();
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseEvent(released));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseCommandQueue(q));
	CL_OK(clReleaseContext(context));
	VA_OK(vaDestroySurfaces(va.display, &s, 1));
}

/* A release that fails, for what it waits for has failed, lets others have the surface. */
static void failed_release(void **state)
{
	(void)state;
	cl_int code;
	VASurfaceID s = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	cl_mem m = va_image(&s, 0);
	cl_event gate = clCreateUserEvent(va.context, &code), released;
	CL_OK(code);
	other_begin(s);
	acquire(va.unordered, 1, &m);
	fill_pixel(va.unordered, m, 0, 9);
	CL_OK(va.clEnqueueReleaseVA_APIMediaSurfacesINTEL(va.unordered, 1, &m, 1, &gate, &released));
	struct umd_command *c = other_copy(2, 0, NULL);
	assert_false(other_ended(c));
	CL_OK(clSetUserEventStatus(gate, -7));
	other_finish(c);
	assert_int_equal(clWaitForEvents(1, &released), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	acquire(va.unordered, 1, &m);
	release(va.unordered, 1, &m);
	CL_OK(clFinish(va.unordered));
	other_end();
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseEvent(released));
	CL_OK(clReleaseMemObject(m));
	VA_OK(vaDestroySurfaces(va.display, &s, 1));
}

static int setup(void **state)
{
	cl_int code;
	if (va_setup(state))
		return -1;
	watched = clCreateBuffer(va.context, 0, 64, NULL, &code);
	if (code)
		return -1;
	witness = clCreateCommandQueue(va.context, cl.device, 0, &code);
	return code ? -1 : 0;
}

static int teardown(void **state) { return clReleaseCommandQueue(witness) || clReleaseMemObject(watched) || va_teardown(state); }

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extension),	 cmocka_unit_test(devices),		cmocka_unit_test(contexts),  cmocka_unit_test(images),
		cmocka_unit_test(contents),	 cmocka_unit_test(chain),			cmocka_unit_test(all_devices),		cmocka_unit_test(lifetime),		cmocka_unit_test(frames),    cmocka_unit_test(commands),
		cmocka_unit_test(threads),	 cmocka_unit_test(acquire_waits),	cmocka_unit_test(release_is_waited_for),
		cmocka_unit_test(user_sync),	 cmocka_unit_test(failed_release),
	};
	cl_test_init(argc, argv);
	va_test_init();
	return cmocka_run_group_tests(tests, setup, teardown);
}
