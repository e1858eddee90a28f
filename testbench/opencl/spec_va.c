/* Rules of cl_intel_va_api_media_sharing. */
#include "testbench/opencl/spec.h"
#include "testbench/opencl/va.h"
#include <sys/mman.h>

enum { WIDTH = 64, HEIGHT = 48 };
static VADisplay other_display;
static cl_context other_context; /* of it */
static cl_command_queue elsewhere;
static VASurfaceID nv12, another, elsewhere_surface, rgb;

/* Nothing can be read there, or before it all is 0. */
static char *edge(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	munmap(p + 4096, 4096);
	return p + 4096;
}

static void devices(void **state)
{
	(void)state;
	cl_device_id list[CL_TEST_DEVICES];
	cl_uint n;
	VADisplay closed = va_display_new();
#define DEVICES(platform, type, display, set, count, list, n) \
	va.clGetDeviceIDsFromVA_APIMediaAdapterINTEL((platform), (type), (display), (set), (count), (list), (n))
#define ENTRY "CL_GETDEVICEIDSFROMVA_APIMEDIAADAPTERINTEL_"
	const cl_va_api_device_source_intel type = CL_VA_API_DISPLAY_INTEL;
	const cl_va_api_device_set_intel all = CL_ALL_DEVICES_FOR_VA_API_INTEL, preferred = CL_PREFERRED_DEVICES_FOR_VA_API_INTEL;
	RULE(ENTRY "PLATFORM", CL_INVALID_PLATFORM, DEVICES(NULL, type, va.display, all, 1, list, &n));
	RULE(ENTRY "PLATFORM", CL_INVALID_PLATFORM, DEVICES((cl_platform_id)cl.device, 0, NULL, 0, 0, list, NULL)); /* the first of many errors */
	RULE(ENTRY "TYPE", CL_INVALID_VALUE, DEVICES(cl.platform, 0, va.display, all, 1, list, &n));
	RULE(ENTRY "TYPE", CL_INVALID_VALUE, DEVICES(cl.platform, CL_PREFERRED_DEVICES_FOR_VA_API_INTEL, NULL, all, 1, list, &n));
	RULE(ENTRY "SET", CL_INVALID_VALUE, DEVICES(cl.platform, type, va.display, 0, 1, list, &n));
	RULE(ENTRY "SET", CL_INVALID_VALUE, DEVICES(cl.platform, type, NULL, CL_VA_API_DISPLAY_INTEL, 1, list, &n));
	RULE(ENTRY "ENTRIES_ZERO", CL_INVALID_VALUE, DEVICES(cl.platform, type, va.display, all, 0, list, &n));
	RULE(ENTRY "ENTRIES_ZERO", CL_INVALID_VALUE, DEVICES(cl.platform, type, NULL, preferred, 0, list, &n));
	RULE(ENTRY "NOTHING_ASKED", CL_INVALID_VALUE, DEVICES(cl.platform, type, va.display, preferred, 1, NULL, NULL));
	/* what is no display: nothing, what cannot be read, what is something else, one that is not open */
	void *const wrong[] = {NULL, (void *)1, edge() - 4, cl.device, list, closed, &closed};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		RULE(ENTRY "NOT_FOUND", CL_DEVICE_NOT_FOUND, DEVICES(cl.platform, type, wrong[i], all, 1, list, &n));
		RULE(ENTRY "NOT_FOUND", CL_DEVICE_NOT_FOUND, DEVICES(cl.platform, type, wrong[i], preferred, 0, NULL, &n));
	}
	VA_OK(vaTerminate(closed));
#undef ENTRY
}

static void contexts(void **state)
{
	(void)state;
	VADisplay closed = va_display_new();
	const cl_context_properties name = CL_CONTEXT_VA_API_DISPLAY_INTEL, right = (cl_context_properties)va.display;
	/* objects of other APIs: OpenGL, EGL, GLX, WGL, CGL, Direct3D 9, 10 and 11, DXVA */
	static const cl_context_properties others[] = {0x2008, 0x2009, 0x200a, 0x200b, 0x200c, 0x2025, 0x2026, 0x2027, 0x4014, 0x401d, 0x4026, 0x4072, 0x4073};
#define OF(...) api->clCreateContext((const cl_context_properties[]){__VA_ARGS__, 0}, 1, &cl.device, NULL, NULL, &error)
#define OF_TYPE(...) api->clCreateContextFromType((const cl_context_properties[]){__VA_ARGS__, 0}, CL_DEVICE_TYPE_ALL, NULL, NULL, &error)
#define BOTH(what, code, ...)                                                              \
	RULE_NULL("CL_CREATECONTEXT_" what, code, OF(__VA_ARGS__));        \
	RULE_NULL("CL_CREATECONTEXTFROMTYPE_" what, code, OF_TYPE(__VA_ARGS__))
	BOTH("VA_DISPLAY", CL_INVALID_VA_API_MEDIA_ADAPTER_INTEL, name, 1);
	BOTH("VA_DISPLAY", CL_INVALID_VA_API_MEDIA_ADAPTER_INTEL, name, (cl_context_properties)cl.device);
	BOTH("VA_DISPLAY", CL_INVALID_VA_API_MEDIA_ADAPTER_INTEL, name, (cl_context_properties)closed);
	BOTH("VA_DISPLAY", CL_INVALID_VA_API_MEDIA_ADAPTER_INTEL, name, (cl_context_properties)closed, 0x2008, 1);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		BOTH("VA_OTHER", CL_INVALID_OPERATION, name, right, others[i], 1);
		BOTH("VA_OTHER", CL_INVALID_OPERATION, others[i], 1, name, right);
		BOTH("PROPERTY_NAME", CL_INVALID_PROPERTY, others[i], 1);
		BOTH("PROPERTY_NAME", CL_INVALID_PROPERTY, name, right, others[i], 0);
	}
	BOTH("PROPERTY_TWICE", CL_INVALID_PROPERTY, name, right, name, right);
	BOTH("PROPERTY_VALUE", CL_INVALID_PROPERTY, name, right, CL_CONTEXT_INTEROP_USER_SYNC, 2);
	VA_OK(vaTerminate(closed));
#undef BOTH
}

static void creation(void **state)
{
	(void)state;
	cl_mem first;
	VASurfaceID no_surface = VA_INVALID_SURFACE;
#define CREATE(context, flags, surface, plane) va.clCreateFromVA_APIMediaSurfaceINTEL((context), (flags), (surface), (plane), &error)
#define ENTRY "CL_CREATEFROMVA_APIMEDIASURFACEINTEL_"
	RULE_NULL(ENTRY "CONTEXT", CL_INVALID_CONTEXT, CREATE(NULL, 0, &nv12, 0));
	RULE_NULL(ENTRY "CONTEXT", CL_INVALID_CONTEXT, CREATE((cl_context)cl.queue, CL_MEM_HOST_NO_ACCESS, NULL, 7));
	RULE_NULL(ENTRY "CONTEXT", CL_INVALID_CONTEXT, CREATE(cl.context, 0, &nv12, 0)); /* of no display */
	static const cl_mem_flags wrong[] = {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR,
					     CL_MEM_COPY_HOST_PTR, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS, (cl_mem_flags)1 << 40};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		RULE_NULL(ENTRY "FLAGS", CL_INVALID_VALUE, CREATE(va.context, wrong[i], &nv12, 0));
		RULE_NULL(ENTRY "FLAGS", CL_INVALID_VALUE, CREATE(va.context, wrong[i], NULL, 9)); /* the first of many errors */
	}
	RULE_NULL(ENTRY "PLANE", CL_INVALID_VALUE, CREATE(va.context, 0, &nv12, 2));
	RULE_NULL(ENTRY "PLANE", CL_INVALID_VALUE, CREATE(va.context, 0, &nv12, UINT32_MAX));
	RULE_NULL(ENTRY "PLANE", CL_INVALID_VALUE, CREATE(va.context, 0, &rgb, 1));
	RULE_NULL(ENTRY "SURFACE", CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, CREATE(va.context, 0, NULL, 0));
	RULE_NULL(ENTRY "SURFACE", CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, CREATE(va.context, 0, (VASurfaceID *)8, 0));
	RULE_NULL(ENTRY "SURFACE", CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, CREATE(va.context, 0, &no_surface, 0));
	no_surface = nv12 ^ 0x00400000;
	RULE_NULL(ENTRY "SURFACE", CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, CREATE(va.context, 0, &no_surface, 0));
	RULE_NULL(ENTRY "DISPLAY", CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, CREATE(va.context, 0, &elsewhere_surface, 0));
	RULE_NULL(ENTRY "FORMAT", CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CREATE(va.context, 0, &rgb, 0));
	MAKE(first, CREATE(va.context, 0, &nv12, 0));
	VASurfaceID same = nv12;
	RULE_NULL(ENTRY "TWICE", CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, CREATE(va.context, 0, &nv12, 0));
	RULE_NULL(ENTRY "TWICE", CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, CREATE(va.context, CL_MEM_READ_ONLY, &same, 0));
	CL_OK(api->clReleaseMemObject(first));
	MAKE(first, CREATE(va.context, 0, &nv12, 0)); /* the plane is free again */
	CL_OK(api->clReleaseMemObject(first));
#undef ENTRY
}

static void queries(void **state)
{
	(void)state;
	const cl_image_format format = {CL_R, CL_UNORM_INT8};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
	cl_mem buffer, image;
	char out[16];
	MAKE(buffer, api->clCreateBuffer(va.context, 0, 64, NULL, &error));
	MAKE(image, api->clCreateImage(va.context, 0, &format, &desc, NULL, &error));
	for (unsigned i = 0; i < 2; i++)
		RULE("CL_GETMEMOBJECTINFO_VA_SURFACE", CL_INVALID_VA_API_MEDIA_SURFACE_INTEL,
		     api->clGetMemObjectInfo(i ? image : buffer, CL_MEM_VA_API_MEDIA_SURFACE_INTEL, sizeof out, out, NULL));
	RULE("CL_GETIMAGEINFO_VA_PLANE", CL_INVALID_VA_API_MEDIA_SURFACE_INTEL,
	     api->clGetImageInfo(image, CL_IMAGE_VA_API_PLANE_INTEL, sizeof out, out, NULL));
	CL_OK(api->clReleaseMemObject(buffer));
	CL_OK(api->clReleaseMemObject(image));
}

typedef __typeof__(clEnqueueAcquireVA_APIMediaSurfacesINTEL) enqueue_surfaces;

static void ownership(void **state)
{
	(void)state;
	static const char *const names[2][8] = {
#define NAMES(f) {f "_LIST", f "_MEM", f "_QUEUE", f "_CONTEXT", f "_WAIT_LIST_NULL", f "_WAIT_LIST_COUNT", f "_WAIT_LIST_EVENT", f "_EVENT_CONTEXT"}
		NAMES("CL_ENQUEUEACQUIREVA_APIMEDIASURFACESINTEL"), NAMES("CL_ENQUEUERELEASEVA_APIMEDIASURFACESINTEL")};
	enqueue_surfaces *const calls[2] = {va.clEnqueueAcquireVA_APIMediaSurfacesINTEL, va.clEnqueueReleaseVA_APIMediaSurfacesINTEL};
	const cl_event no_event = (cl_event)cl.queue;
	const cl_mem no_mem = (cl_mem)cl.queue;
	cl_mem y, uv, plain;
	cl_event foreign;
	MAKE(y, CREATE(va.context, 0, &nv12, 0));
	MAKE(uv, CREATE(va.context, 0, &nv12, 1));
	MAKE(plain, api->clCreateBuffer(va.context, 0, 64, NULL, &error));
	MAKE(foreign, api->clCreateUserEvent(cl.context, &error));
	const cl_mem both[] = {y, uv}, twice[] = {y, y}, mixed[] = {y, plain};
	for (unsigned i = 0; i < 2; i++) {
		const cl_command_queue no_queue = (cl_command_queue)cl.context;
		RULE(names[i][0], CL_INVALID_VALUE, calls[i](va.queue, 0, &y, 0, NULL, NULL));
		RULE(names[i][0], CL_INVALID_VALUE, calls[i](no_queue, 1, NULL, 1, NULL, NULL)); /* the first of many errors */
		RULE(names[i][1], CL_INVALID_MEM_OBJECT, calls[i](va.queue, 1, &plain, 0, NULL, NULL));
		RULE(names[i][1], CL_INVALID_MEM_OBJECT, calls[i](va.queue, 2, mixed, 0, NULL, NULL));
		RULE(names[i][1], CL_INVALID_MEM_OBJECT, calls[i](no_queue, 1, &no_mem, 1, NULL, NULL));
		RULE(names[i][2], CL_INVALID_COMMAND_QUEUE, calls[i](NULL, 1, &y, 0, NULL, NULL));
		RULE(names[i][2], CL_INVALID_COMMAND_QUEUE, calls[i](no_queue, 1, &y, 1, NULL, NULL));
		RULE(names[i][3], CL_INVALID_CONTEXT, calls[i](cl.queue, 1, &y, 1, NULL, NULL));
		RULE(names[i][3], CL_INVALID_CONTEXT, calls[i](elsewhere, 1, &y, 0, NULL, NULL));
		if (i) {
			/* both have been acquired by now; one is released */
			CL_OK(calls[1](va.queue, 1, &y, 0, NULL, NULL));
			RULE("CL_ENQUEUERELEASEVA_APIMEDIASURFACESINTEL_RELEASED", CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL,
			     calls[1](va.queue, 2, both, 1, NULL, NULL));
			RULE("CL_ENQUEUERELEASEVA_APIMEDIASURFACESINTEL_RELEASED", CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL,
			     calls[1](va.unordered, 1, &y, 0, NULL, NULL));
		}
		const cl_mem one = i ? uv : y;
		RULE(names[i][4], CL_INVALID_EVENT_WAIT_LIST, calls[i](va.queue, 1, &one, 1, NULL, NULL));
		RULE(names[i][5], CL_INVALID_EVENT_WAIT_LIST, calls[i](va.queue, 1, &one, 0, &foreign, NULL));
		RULE(names[i][6], CL_INVALID_EVENT_WAIT_LIST, calls[i](va.queue, 1, &one, 1, &no_event, NULL));
		RULE(names[i][7], CL_INVALID_CONTEXT, calls[i](va.queue, 1, &one, 1, &foreign, NULL));
		/* nothing is no error, whatever else is wrong */
		CL_OK(calls[i](NULL, 0, NULL, 1, NULL, NULL));
		if (i) {
			CL_OK(calls[1](va.unordered, 1, &uv, 0, NULL, NULL)); /* refused calls have changed nothing */
			continue;
		}
		RULE("CL_ENQUEUERELEASEVA_APIMEDIASURFACESINTEL_RELEASED", CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL, calls[1](va.queue, 1, &y, 0, NULL, NULL));
		RULE("CL_ENQUEUEACQUIREVA_APIMEDIASURFACESINTEL_ACQUIRED", CL_VA_API_MEDIA_SURFACE_ALREADY_ACQUIRED_INTEL,
		     calls[0](va.queue, 2, twice, 0, NULL, NULL));
		CL_OK(calls[0](va.queue, 1, &y, 0, NULL, NULL));
		RULE("CL_ENQUEUEACQUIREVA_APIMEDIASURFACESINTEL_ACQUIRED", CL_VA_API_MEDIA_SURFACE_ALREADY_ACQUIRED_INTEL,
		     calls[0](va.unordered, 2, (const cl_mem[]){uv, y}, 1, NULL, NULL));
		CL_OK(calls[0](va.queue, 1, &uv, 0, NULL, NULL)); /* the list that was refused has changed nothing */
	}
	CL_OK(api->clFinish(va.queue));
	CL_OK(api->clFinish(va.unordered));
	CL_OK(api->clReleaseEvent(foreign));
	CL_OK(api->clReleaseMemObject(y));
	CL_OK(api->clReleaseMemObject(uv));
	CL_OK(api->clReleaseMemObject(plain));
}

/* Every command that takes an image: not of a surface that is not acquired. */
static void use(void **state)
{
	(void)state;
	cl_mem y, view, image, buffer;
	MAKE(y, CREATE(va.context, 0, &another, 0));
	const cl_image_format format = {CL_R, CL_UNORM_INT8};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
	MAKE(image, api->clCreateImage(va.context, 0, &format, &desc, NULL, &error));
	MAKE(buffer, api->clCreateBuffer(va.context, 0, WIDTH * HEIGHT, NULL, &error));
	const size_t origin[3] = {0}, region[3] = {8, 8, 1}, one = 1;
	const float color[4] = {0.5f};
	size_t row;
	unsigned char host[64];
	cl_program p = spec_program(va.context, "kernel void f(write_only image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(1)); }");
	cl_kernel k = spec_kernel(p, "f");
	CL_OK(va.clEnqueueAcquireVA_APIMediaSurfacesINTEL(va.queue, 1, &y, 0, NULL, NULL));
	cl_int code;
	void *mapped = api->clEnqueueMapImage(va.queue, y, CL_TRUE, CL_MAP_READ, origin, region, &row, NULL, 0, NULL, NULL, &code);
	CL_OK(code);
	CL_OK(va.clEnqueueReleaseVA_APIMediaSurfacesINTEL(va.queue, 1, &y, 0, NULL, NULL));
	/* what is made from the image is of the surface, too */
	const cl_image_format same = format;
	desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT, .mem_object = y};
	view = api->clCreateImage(va.context, 0, &same, &desc, NULL, &code);
	const cl_mem of[] = {y, view};
	const cl_int refused = CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL;
	for (unsigned i = 0; i < 1 + (code == CL_SUCCESS); i++) {
		const cl_mem m = of[i];
#define UNTIL(entry, call) RULE("CL_ENQUEUE" entry "_VA_ACQUIRED", refused, call)
		UNTIL("READIMAGE", api->clEnqueueReadImage(va.queue, m, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
		UNTIL("WRITEIMAGE", api->clEnqueueWriteImage(va.queue, m, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
		UNTIL("COPYIMAGE", api->clEnqueueCopyImage(va.queue, m, image, origin, origin, region, 0, NULL, NULL));
		UNTIL("COPYIMAGE", api->clEnqueueCopyImage(va.queue, image, m, origin, origin, region, 0, NULL, NULL));
		UNTIL("COPYIMAGETOBUFFER", api->clEnqueueCopyImageToBuffer(va.queue, m, buffer, origin, region, 0, 0, NULL, NULL));
		UNTIL("COPYBUFFERTOIMAGE", api->clEnqueueCopyBufferToImage(va.queue, buffer, m, 0, origin, region, 0, NULL, NULL));
		UNTIL("FILLIMAGE", api->clEnqueueFillImage(va.queue, m, color, origin, region, 0, NULL, NULL));
		UNTIL("MIGRATEMEMOBJECTS", api->clEnqueueMigrateMemObjects(va.queue, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
		CL_OK(api->clSetKernelArg(k, 0, sizeof m, &m));
		UNTIL("NDRANGEKERNEL", api->clEnqueueNDRangeKernel(va.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
		UNTIL("TASK", api->clEnqueueTask(va.queue, k, 0, NULL, NULL));
		RULE_NULL("CL_ENQUEUEMAPIMAGE_VA_ACQUIRED", refused,
			  api->clEnqueueMapImage(va.queue, m, CL_TRUE, CL_MAP_READ, origin, region, &row, NULL, 0, NULL, NULL, &error));
	}
	UNTIL("UNMAPMEMOBJECT", api->clEnqueueUnmapMemObject(va.queue, y, mapped, 0, NULL, NULL));
	/* all of them are commands that work on it once it is acquired */
	CL_OK(va.clEnqueueAcquireVA_APIMediaSurfacesINTEL(va.queue, 1, &y, 0, NULL, NULL));
	CL_OK(api->clEnqueueUnmapMemObject(va.queue, y, mapped, 0, NULL, NULL));
	CL_OK(api->clEnqueueFillImage(va.queue, y, color, origin, region, 0, NULL, NULL));
	CL_OK(api->clEnqueueReadImage(va.queue, y, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
	assert_in_range(host[63], 127, 128);
	CL_OK(api->clSetKernelArg(k, 0, sizeof y, &y));
	CL_OK(api->clEnqueueNDRangeKernel(va.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
	CL_OK(va.clEnqueueReleaseVA_APIMediaSurfacesINTEL(va.queue, 1, &y, 0, NULL, NULL));
	CL_OK(api->clFinish(va.queue));
	CL_OK(api->clReleaseKernel(k));
	CL_OK(api->clReleaseProgram(p));
	if (view)
		CL_OK(api->clReleaseMemObject(view));
	CL_OK(api->clReleaseMemObject(y));
	CL_OK(api->clReleaseMemObject(image));
	CL_OK(api->clReleaseMemObject(buffer));
}

static int setup(void **state)
{
	cl_int error;
	if (va_setup(state) || cl.num_devices < 2)
		return -1;
	api = *(struct _cl_icd_dispatch *const *)cl.platform;
	other_display = va_display_open();
	other_context = va_context(other_display, CL_TRUE, 1);
	elsewhere = api->clCreateCommandQueue(other_context, cl.device, 0, &error);
	nv12 = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	another = va_surface(va.display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	rgb = va_surface(va.display, VA_FOURCC_RGBA, WIDTH, HEIGHT);
	elsewhere_surface = va_surface(other_display, VA_FOURCC_NV12, WIDTH, HEIGHT);
	return error ? -1 : 0;
}

static int teardown(void **state)
{
	return api->clReleaseCommandQueue(elsewhere) || api->clReleaseContext(other_context) || vaTerminate(other_display) || va_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(devices), cmocka_unit_test(contexts),  cmocka_unit_test(creation),
					   cmocka_unit_test(queries), cmocka_unit_test(ownership), cmocka_unit_test(use)};
	cl_test_init(argc, argv);
	va_test_init();
	return cmocka_run_group_tests(tests, setup, teardown);
}
