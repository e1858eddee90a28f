/* Displays and surfaces of VA-API on the Galena device, and the functions of cl_intel_va_api_media_sharing, for tests. */
#ifndef GALENA_TESTBENCH_VA_H
#define GALENA_TESTBENCH_VA_H
#include "testbench/opencl/cl_test.h"
#include <CL/cl_va_api_media_sharing_intel.h>
#include <fcntl.h>
#include <va/va.h>
#include <va/va_drm.h>

static char va_node[PATH_MAX + 64]; /* the file that stands for a render node */

/* The driver and the node of the build tree; before the first call of libva. */
__attribute__((unused)) static void va_test_init(void)
{
	char build[PATH_MAX], path[PATH_MAX + 8];
	const char *given = getenv("GALENA_BUILD");
	if (!given)
		program_path(build, 3);
	snprintf(path, sizeof path, "%s/lib", given ? given : build);
	snprintf(va_node, sizeof va_node, "%s/share/galena/renderD128", given ? given : build);
	setenv("LIBVA_DRIVERS_PATH", path, 1);
	unsetenv("LIBVA_DRIVER_NAME");
	setenv("LIBVA_MESSAGING_LEVEL", "1", 0);
}

/* One that is not open. */
__attribute__((unused)) static VADisplay va_display_new(void)
{
	static int node;
	if (!node)
		node = open(va_node, O_RDWR | O_CLOEXEC);
	assert_true(node > 0);
	VADisplay d = vaGetDisplayDRM(node);
	assert_non_null(d);
	return d;
}

__attribute__((unused)) static VADisplay va_display_open(void)
{
	int major, minor;
	VADisplay d = va_display_new();
	assert_int_equal(vaInitialize(d, &major, &minor), VA_STATUS_SUCCESS);
	return d;
}

#define VA_OK(call) assert_int_equal((call), VA_STATUS_SUCCESS)

__attribute__((unused)) static VASurfaceID va_surface(VADisplay d, uint32_t fourcc, unsigned width, unsigned height)
{
	VASurfaceID s = VA_INVALID_SURFACE;
	VASurfaceAttrib a = {.type = VASurfaceAttribPixelFormat, .flags = VA_SURFACE_ATTRIB_SETTABLE,
			     .value = {.type = VAGenericValueTypeInteger, .value.i = (int)fourcc}};
	const unsigned rt = fourcc == VA_FOURCC_NV12 ? VA_RT_FORMAT_YUV420 : fourcc == VA_FOURCC_P010 ? VA_RT_FORMAT_YUV420_10 : VA_RT_FORMAT_RGB32;
	VA_OK(vaCreateSurfaces(d, rt, width, height, &s, 1, &a, 1));
	return s;
}

/* What the host sees of a surface, in its own memory (vaDeriveImage). */
struct va_view {
	VAImage image;
	uint8_t *bytes;
};
__attribute__((unused)) static struct va_view va_view(VADisplay d, VASurfaceID s)
{
	struct va_view v;
	VA_OK(vaSyncSurface(d, s));
	VA_OK(vaDeriveImage(d, s, &v.image));
	VA_OK(vaMapBuffer(d, v.image.buf, (void **)&v.bytes));
	return v;
}
__attribute__((unused)) static void va_view_end(VADisplay d, struct va_view *v)
{
	VA_OK(vaUnmapBuffer(d, v->image.buf));
	VA_OK(vaDestroyImage(d, v->image.image_id));
}

#define VA_FUNCTIONS(F)                                                                                       \
	F(clGetDeviceIDsFromVA_APIMediaAdapterINTEL) F(clCreateFromVA_APIMediaSurfaceINTEL) \
	F(clEnqueueAcquireVA_APIMediaSurfacesINTEL) F(clEnqueueReleaseVA_APIMediaSurfacesINTEL)
/* Of a display, a context and its queues. */
__attribute__((unused)) static struct va_test {
#define MEMBER(name) __typeof__(name) *name;
	VA_FUNCTIONS(MEMBER)
#undef MEMBER
	VADisplay display;
	cl_context context;
	cl_command_queue queue, unordered;
} va;

__attribute__((unused)) static cl_context va_context(VADisplay d, cl_bool user_sync, cl_uint num_devices)
{
	cl_int code;
	const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, CL_CONTEXT_VA_API_DISPLAY_INTEL,
					      (cl_context_properties)d, CL_CONTEXT_INTEROP_USER_SYNC, user_sync, 0};
	cl_context c = clCreateContext(list, num_devices, cl.devices, NULL, NULL, &code);
	CL_OK(code);
	return c;
}

__attribute__((unused)) static cl_mem va_image(VASurfaceID *s, cl_uint plane)
{
	cl_int code;
	cl_mem m = va.clCreateFromVA_APIMediaSurfaceINTEL(va.context, CL_MEM_READ_WRITE, s, plane, &code);
	CL_OK(code);
	return m;
}

__attribute__((unused)) static int va_setup(void **state)
{
	cl_int code;
	if (cl_test_setup(state))
		return -1;
#define ADDRESS(name)                                                                                           \
	if (!(*(void **)&va.name = clGetExtensionFunctionAddressForPlatform(cl.platform, #name))) \
		return -1;
	VA_FUNCTIONS(ADDRESS)
#undef ADDRESS
	va.display = va_display_open();
	va.context = va_context(va.display, CL_FALSE, 1);
	va.queue = clCreateCommandQueue(va.context, cl.device, 0, &code);
	if (code)
		return -1;
	va.unordered = clCreateCommandQueue(va.context, cl.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
	return code ? -1 : 0;
}

__attribute__((unused)) static int va_teardown(void **state)
{
	return clReleaseCommandQueue(va.queue) || clReleaseCommandQueue(va.unordered) || clReleaseContext(va.context) || vaTerminate(va.display) ||
	       cl_test_teardown(state);
}

#endif
