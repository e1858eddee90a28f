/* One device and one buffer in three hands: two OpenCL contexts, and a client of the kernel-mode driver (galena/kmd.h), which submits packets of
 * its own. The buffer is the client's and goes to the contexts by descriptor; no byte of it is copied on the way. The client's last command waits
 * for a fence that another file of the driver signals, which has it by descriptor, too.
 *
 *   galena run -- build/examples/share
 *
 *   cc share.c $(pkg-config --cflags --libs galena-kmd) -lOpenCL
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <galena/kmd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 1024, BYTES = ITEMS * sizeof(uint32_t) };

static const char source[] =
	"kernel void count(global uint *p) { p[get_global_id(0)] = get_global_id(0); }\n"
	"kernel void triple(global uint *p) { p[get_global_id(0)] *= 3; }\n";

static void check(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "share: %s failed with %d\n", what, error);
	exit(1);
}

/* ---- a context of OpenCL ---- */
static cl_platform_id platform;
static cl_device_id device;

/* The first device whose platform imports dma-bufs. */
static void device_find(void)
{
	cl_platform_id platforms[16];
	cl_uint n = 0;
	if (clGetPlatformIDs(16, platforms, &n))
		n = 0;
	for (cl_uint i = 0; i < n && i < 16 && !platform; i++) {
		char extensions[8192] = "";
		if (!clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) &&
		    !clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL) &&
		    strstr(extensions, "cl_arm_import_memory_dma_buf"))
			platform = platforms[i];
	}
	if (!platform) {
		fprintf(stderr, "share: no device imports memory; start it with `galena run -- share`\n");
		exit(1);
	}
}

/* Runs the kernel over the buffer in a context of its own. */
static void run(const char *name, int fd)
{
	const cl_import_properties_arm dma_buf[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM,
						    CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, CL_TRUE, 0};
	__typeof__(clImportMemoryARM) *import_memory =
		(__typeof__(clImportMemoryARM) *)clGetExtensionFunctionAddressForPlatform(platform, "clImportMemoryARM");
	const char *text = source;
	const size_t items = ITEMS;
	cl_int error;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
	check(error, "clCreateCommandQueueWithProperties");
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
	cl_kernel kernel = clCreateKernel(program, name, &error);
	check(error, "clCreateKernel");
	cl_mem memory = import_memory(context, CL_MEM_READ_WRITE, dma_buf, &fd, BYTES, &error);
	check(error, "clImportMemoryARM");
	check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clFinish(queue), "clFinish");
	clReleaseMemObject(memory);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
}

/* ---- a client of the driver ---- */
static int open_driver(void)
{
	const char *message;
	const int file = kmd_open(&message);
	if (file < 0)
		fprintf(stderr, "share: %s\n", message);
	check(file < 0 ? file : 0, "kmd_open");
	return file;
}

static int wait_for(int file, struct kmd_wait *w)
{
	struct kmd_event events[KMD_EVENTS_MAX];
	int result;
	w->events = (uintptr_t)events;
	while ((result = kmd_ioctl(file, KMD_WAIT, w)) == KMD_EVENTS)
		for (unsigned i = 0; i < w->num_events; i++)
			check(events[i].completion.status, "a command");
	return result;
}

/* Dispatches that the device has run so far, of all programs. */
static uint64_t dispatches(int file)
{
	struct kmd_counters c = {0};
	int error;
	while ((error = kmd_ioctl(file, KMD_COUNTERS, &c)) == KMD_AGAIN)
		check(wait_for(file, &(struct kmd_wait){.flags = KMD_WAIT_TICKET, .value = c.ticket}), "KMD_WAIT");
	check(error, "KMD_COUNTERS");
	return c.values.dispatches;
}

int main(void)
{
	device_find();
	const int file = open_driver(), other = open_driver();
	struct kmd_vm vm = {0};
	check(kmd_ioctl(file, KMD_VM_CREATE, &vm), "KMD_VM_CREATE");
	struct kmd_queue_create queue = {.vm = vm.vm};
	check(kmd_ioctl(file, KMD_QUEUE_CREATE, &queue), "KMD_QUEUE_CREATE");
	struct kmd_bo_create bo = {.vm = vm.vm, .size = 2 * BYTES, .flags = KMD_BO_SHARED};
	check(kmd_ioctl(file, KMD_BO_CREATE, &bo), "KMD_BO_CREATE");
	struct kmd_bo_export buffer = {.bo = bo.bo};
	check(kmd_ioctl(file, KMD_BO_EXPORT, &buffer), "KMD_BO_EXPORT");

	/* the contexts have the buffer by its descriptor, and run on the device that the client sees */
	const uint64_t before = dispatches(file);
	run("count", buffer.fd);
	run("triple", buffer.fd);
	printf("dispatches of the two contexts, as the client counts them: %llu\n", (unsigned long long)(dispatches(file) - before));

	/* the client copies what they have left there, when the fence says so */
	struct kmd_fence fence = {.flags = KMD_FENCE_SHARED};
	check(kmd_ioctl(file, KMD_FENCE_CREATE, &fence), "KMD_FENCE_CREATE");
	struct kmd_fence_fd shared = {.fence = fence.fence, .kind = KMD_FENCE_OPAQUE};
	check(kmd_ioctl(file, KMD_FENCE_EXPORT, &shared), "KMD_FENCE_EXPORT");
	check(kmd_ioctl(other, KMD_FENCE_IMPORT, &shared), "KMD_FENCE_IMPORT");
	const union galena_packet packets[] = {
		{.copy = {.head.type = GALENA_PACKET_COPY, .src = bo.va, .dst = bo.va + BYTES, .width = BYTES, .height = 1, .depth = 1}},
		{.cache = {.head.type = GALENA_PACKET_CACHE, .address = bo.va + BYTES, .size = BYTES, .op = GALENA_CACHE_CLEAN}},
	};
	const struct kmd_point begin = {.fence = fence.fence, .value = 1}, end = {.fence = fence.fence, .value = 2};
	struct kmd_submit submit = {.queue = queue.queue, .num_packets = 2, .packets = (uintptr_t)packets, .num_waits = 1,
				    .waits = (uintptr_t)&begin, .num_signals = 1, .signals = (uintptr_t)&end};
	check(kmd_ioctl(file, KMD_SUBMIT, &submit), "KMD_SUBMIT");
	check(kmd_ioctl(file, KMD_FLUSH, &(struct kmd_flush){.queues = (uintptr_t)&queue.queue, .num_queues = 1}), "KMD_FLUSH");
	check(kmd_ioctl(other, KMD_FENCE_SIGNAL, &(struct kmd_signal){.fence = shared.fence, .value = 1}), "KMD_FENCE_SIGNAL");
	check(wait_for(file, &(struct kmd_wait){.flags = KMD_WAIT_POINT, .fence = fence.fence, .value = 2}), "KMD_WAIT");

	const uint32_t *words = (const uint32_t *)(uintptr_t)bo.cpu;
	for (uint32_t i = 0; i < ITEMS; i++)
		check(words[ITEMS + i] != 3 * i, "the comparison of a word");
	printf("words that are right: %d\n", ITEMS);
	close(shared.fd);
	close(buffer.fd);
	kmd_close(other);
	kmd_close(file);
	return 0;
}
