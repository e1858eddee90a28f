/* Three frames that another part of the system has allocated, filtered in place: a malloc'ed one, a dma-buf from a heap, and an Android
 * hardware buffer with two planes. No byte of them is copied; kernels work on the frames themselves.
 *
 *   galena run -- build/examples/import [DIRECTORY]
 *
 * Leaves before.ppm and after-*.ppm in the directory (the current one), for any viewer.
 *
 *   cc import.c $(pkg-config --cflags --libs galena-heap galena-android) -lOpenCL
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <android/hardware_buffer.h>
#include <galena/heap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WIDTH = 640, HEIGHT = 360, ROW = WIDTH * 4, FRAME = ROW * HEIGHT };

static const char source[] =
	"kernel void posterise(global uchar4 *p)\n" /* a frame of RGBA */
	"{\n"
	"	size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
	"	p[i] = (uchar4)((p[i] & (uchar4)0xc0).xyz | (uchar3)0x20, 255);\n"
	"}\n"
	"kernel void negative(global uchar *p, uint row)\n" /* a plane of luma */
	"{\n"
	"	p[get_global_id(1) * row + get_global_id(0)] ^= 0xff;\n"
	"}\n"
	"kernel void swap(global uchar2 *p, uint row)\n" /* a plane of chroma: blue for red */
	"{\n"
	"	size_t i = get_global_id(1) * row / 2 + get_global_id(0);\n"
	"	p[i] = p[i].yx;\n"
	"}\n";

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "import: %s failed with %d\n", what, error);
	exit(1);
}

static void need(int there, const char *what)
{
	if (there)
		return;
	perror(what);
	exit(1);
}

/* ---- pictures ---- */

/* A test card: a gradient with bars and a disc. */
static void draw(unsigned char *frame, int row)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			int bar = x * 8 / WIDTH, dx = x - WIDTH / 2, dy = y - HEIGHT / 2, disc = dx * dx + dy * dy < HEIGHT * HEIGHT / 9;
			unsigned char *p = frame + (size_t)y * row + (size_t)x * 4;
			p[0] = (unsigned char)(disc ? 255 - x * 255 / WIDTH : (bar & 1) * 160 + y * 95 / HEIGHT);
			p[1] = (unsigned char)(disc ? y * 255 / HEIGHT : (bar >> 1 & 1) * 160 + x * 95 / WIDTH);
			p[2] = (unsigned char)(disc ? 128 : (bar >> 2 & 1) * 160 + 40);
			p[3] = 255;
		}
}

/* One of RGBA. */
static void show(const char *directory, const char *name, const unsigned char *frame, int row)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.ppm", directory, name);
	FILE *f = fopen(path, "wb");
	need(f != NULL, path);
	fprintf(f, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			fwrite(frame + (size_t)y * row + (size_t)x * 4, 3, 1, f);
	need(!fclose(f), path);
	printf("%s\n", path);
}

static unsigned char clamp(int v) { return (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v); }

/* Between RGBA and planes of luma and chroma (ITU-R BT.601, whole range), of four pixels together. */
static void to_planes(const unsigned char *frame, const AHardwareBuffer_Planes *p)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			const unsigned char *c = frame + (size_t)y * ROW + (size_t)x * 4;
			size_t at = (size_t)(y / 2) * p->planes[1].rowStride + (size_t)(x / 2) * p->planes[1].pixelStride;
			((unsigned char *)p->planes[0].data)[(size_t)y * p->planes[0].rowStride + (size_t)x] =
				clamp((77 * c[0] + 150 * c[1] + 29 * c[2]) / 256);
			((unsigned char *)p->planes[1].data)[at] = clamp(128 + (-43 * c[0] - 85 * c[1] + 128 * c[2]) / 256);
			((unsigned char *)p->planes[2].data)[at] = clamp(128 + (128 * c[0] - 107 * c[1] - 21 * c[2]) / 256);
		}
}

static void from_planes(unsigned char *frame, const AHardwareBuffer_Planes *p)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			unsigned char *c = frame + (size_t)y * ROW + (size_t)x * 4;
			size_t at = (size_t)(y / 2) * p->planes[1].rowStride + (size_t)(x / 2) * p->planes[1].pixelStride;
			int luma = ((unsigned char *)p->planes[0].data)[(size_t)y * p->planes[0].rowStride + (size_t)x];
			int cb = ((unsigned char *)p->planes[1].data)[at] - 128, cr = ((unsigned char *)p->planes[2].data)[at] - 128;
			c[0] = clamp(luma + 359 * cr / 256);
			c[1] = clamp(luma - (88 * cb + 183 * cr) / 256);
			c[2] = clamp(luma + 454 * cb / 256);
			c[3] = 255;
		}
}

/* ---- the device ---- */

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static __typeof__(clImportMemoryARM) *import_memory; /* an extension's function: asked for */

static void device_open(void)
{
	cl_platform_id platforms[16];
	cl_uint n = 0;
	cl_int error;
	const char *text = source;
	if (clGetPlatformIDs(16, platforms, &n))
		n = 0;
	for (cl_uint i = 0; i < n && i < 16 && !import_memory; i++) {
		cl_device_id device;
		char extensions[8192] = "";
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) ||
		    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL) ||
		    !strstr(extensions, "cl_arm_import_memory_android_hardware_buffer"))
			continue;
		import_memory = (__typeof__(clImportMemoryARM) *)clGetExtensionFunctionAddressForPlatform(platforms[i], "clImportMemoryARM");
		context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
		check(error, "clCreateContext");
		queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
		check(error, "clCreateCommandQueueWithProperties");
	}
	if (!import_memory) {
		fprintf(stderr, "import: no device imports memory; start it with `galena run -- import`\n");
		exit(1);
	}
	program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
}

/* Imports the memory, runs the kernel over it, and lets it go. row: bytes, a second argument, or 0. */
static void filter(const char *name, const cl_import_properties_arm *properties, void *memory, size_t size, cl_uint row, size_t width,
		   size_t height)
{
	cl_int error;
	const size_t items[2] = {width, height};
	cl_mem m = import_memory(context, CL_MEM_READ_WRITE, properties, memory, size, &error);
	check(error, "clImportMemoryARM");
	cl_kernel k = clCreateKernel(program, name, &error);
	check(error, "clCreateKernel");
	check(clSetKernelArg(k, 0, sizeof m, &m), "clSetKernelArg");
	if (row)
		check(clSetKernelArg(k, 1, sizeof row, &row), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, k, 2, NULL, items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clFinish(queue), "clFinish");
	clReleaseKernel(k);
	clReleaseMemObject(m);
}

static void plane(const char *name, AHardwareBuffer *b, cl_import_properties_arm index, cl_uint row)
{
	const cl_import_properties_arm properties[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM,
						       CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM, index, 0};
	filter(name, properties, b, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, row, WIDTH >> index, HEIGHT >> index);
}

int main(int argc, char **argv)
{
	const char *directory = argc > 1 ? argv[1] : ".";
	const uint64_t access = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
	device_open();

	/* 1. memory of the process, as any library would hand it over */
	unsigned char *frame = aligned_alloc(4096, FRAME);
	need(frame != NULL, "aligned_alloc");
	draw(frame, ROW);
	show(directory, "before", frame, ROW);
	filter("posterise", NULL, frame, FRAME, 0, WIDTH, HEIGHT);
	show(directory, "after-host", frame, ROW);

	/* 2. a dma-buf, which a camera's driver would fill; the runtime keeps what host and device see the same */
	const cl_import_properties_arm dma_buf[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM,
						    CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, CL_TRUE, 0};
	int fd = galena_heap_alloc("system", FRAME, 0);
	need(fd >= 0, "galena_heap_alloc");
	unsigned char *mapped = mmap(NULL, FRAME, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(mapped != MAP_FAILED, "mmap");
	draw(mapped, ROW);
	filter("posterise", dma_buf, &fd, FRAME, 0, WIDTH, HEIGHT);
	show(directory, "after-dma-buf", mapped, ROW);
	munmap(mapped, FRAME);
	close(fd);

	/* 3. the two planes of a hardware buffer, each by itself */
	AHardwareBuffer *buffer;
	AHardwareBuffer_Planes planes;
	const AHardwareBuffer_Desc desc = {WIDTH, HEIGHT, 1, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, access, 0, 0, 0};
	check(AHardwareBuffer_allocate(&desc, &buffer), "AHardwareBuffer_allocate");
	check(AHardwareBuffer_lockPlanes(buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &planes), "AHardwareBuffer_lockPlanes");
	draw(frame, ROW);
	to_planes(frame, &planes);
	check(AHardwareBuffer_unlock(buffer, NULL), "AHardwareBuffer_unlock");
	plane("negative", buffer, 0, planes.planes[0].rowStride);
	plane("swap", buffer, 1, planes.planes[1].rowStride);
	check(AHardwareBuffer_lockPlanes(buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &planes), "AHardwareBuffer_lockPlanes");
	from_planes(frame, &planes);
	check(AHardwareBuffer_unlock(buffer, NULL), "AHardwareBuffer_unlock");
	show(directory, "after-planes", frame, ROW);
	AHardwareBuffer_release(buffer);

	free(frame);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return 0;
}
