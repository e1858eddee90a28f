/* OpenCL paints an image that Vulkan owns. The image and two semaphores are Vulkan's and go to OpenCL by descriptor; frame after frame the devices
 * wait for each other, without the host and without a copy. Every frame is checked. The frames become an animation.
 *
 *   galena run -- build/examples/cl_vk_interop [-n FRAMES] [-o FILE.gif]
 *
 * Or the two APIs are two processes, on the devices of `galena serve`. The descriptors cross a Unix socket:
 *
 *   GALENA_DEVICE=remote galena run -- build/examples/cl_vk_interop -v SOCKET [-n FRAMES] [-o FILE.gif]
 *   GALENA_DEVICE=remote galena run -- build/examples/cl_vk_interop -c SOCKET
 *
 *   cc cl_vk_interop.c -lOpenCL -lvulkan
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

enum { SIZE = 64, BYTES = SIZE * SIZE * 4, READBACKS = 4 };

static const char source[] =
	"kernel void paint(write_only image2d_t image, uint time)\n"
	"{\n"
	"	const int x = get_global_id(0), y = get_global_id(1);\n"
	"	write_imageui(image, (int2)(x, y), (uint4)((x * 4 + time * 4) & 255, (y * 4 + time * 2) & 255, (x * y / 16 + time * 8) & 255, 255));\n"
	"}\n";

static void pixel(unsigned x, unsigned y, unsigned time, unsigned char out[4])
{
	out[0] = (unsigned char)(x * 4 + time * 4);
	out[1] = (unsigned char)(y * 4 + time * 2);
	out[2] = (unsigned char)(x * y / 16 + time * 8);
	out[3] = 255;
}

static void check(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "cl_vk_interop: %s failed with %d\n", what, error);
	exit(1);
}
#define CHECK(call) check(call, #call)

/* ---- Vulkan ---- */
static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static VkImage image;
static VkDeviceMemory image_memory;
static VkSemaphore painted, taken; /* signalled by OpenCL; by Vulkan */
static struct readback {
	VkBuffer buffer;
	VkDeviceMemory memory;
	const unsigned char *pixels;
	VkCommandBuffer commands;
	VkFence fence;
} readbacks[READBACKS];

/* The device of Vulkan's that OpenCL has, too. */
static void device_find(const unsigned char uuid[VK_UUID_SIZE])
{
	const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
	VkPhysicalDevice list[16];
	uint32_t n = 16;
	CHECK(vkCreateInstance(&info, NULL, &instance));
	CHECK(vkEnumeratePhysicalDevices(instance, &n, list));
	for (uint32_t i = 0; i < n && !physical; i++) {
		VkPhysicalDeviceIDProperties ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
		VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids};
		vkGetPhysicalDeviceProperties2(list[i], &properties);
		if (!memcmp(ids.deviceUUID, uuid, VK_UUID_SIZE))
			physical = list[i];
	}
	if (!physical) {
		fprintf(stderr, "cl_vk_interop: Vulkan does not have the device of OpenCL; start it with `galena run -- cl_vk_interop`\n");
		exit(1);
	}
}

static void device_open(void)
{
	static const char *const extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queues,
					 .enabledExtensionCount = 2, .ppEnabledExtensionNames = extensions};
	const VkCommandPoolCreateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	CHECK(vkCreateDevice(physical, &info, NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queue);
	CHECK(vkCreateCommandPool(device, &commands, NULL, &pool));
}

/* A memory type with these properties. */
static uint32_t memory_type(uint32_t bits, VkMemoryPropertyFlags flags)
{
	VkPhysicalDeviceMemoryProperties memory;
	vkGetPhysicalDeviceMemoryProperties(physical, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
		if (bits >> i & 1 && (memory.memoryTypes[i].propertyFlags & flags) == flags)
			return i;
	check(-1, "a memory type");
	return 0;
}

static void image_create(void)
{
	const VkExternalMemoryImageCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
							  .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .pNext = &external, .imageType = VK_IMAGE_TYPE_2D,
					.format = VK_FORMAT_R8G8B8A8_UNORM, .extent = {SIZE, SIZE, 1}, .mipLevels = 1, .arrayLayers = 1,
					.samples = VK_SAMPLE_COUNT_1_BIT, .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
	const VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = external.handleTypes};
	VkMemoryRequirements needs;
	CHECK(vkCreateImage(device, &info, NULL, &image));
	vkGetImageMemoryRequirements(device, image, &needs);
	const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &exported, .allocationSize = needs.size,
					       .memoryTypeIndex = memory_type(needs.memoryTypeBits, 0)};
	CHECK(vkAllocateMemory(device, &allocate, NULL, &image_memory));
	CHECK(vkBindImageMemory(device, image, image_memory, 0));
}

static VkSemaphore semaphore_create(void)
{
	const VkExportSemaphoreCreateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
						      .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &exported};
	VkSemaphore s;
	CHECK(vkCreateSemaphore(device, &info, NULL, &s));
	return s;
}

/* Barriers of the whole image. */
static void barrier(VkCommandBuffer c, VkImageLayout from, VkImageLayout to, VkAccessFlags before, VkAccessFlags after, uint32_t from_family, uint32_t to_family)
{
	const VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = before, .dstAccessMask = after, .oldLayout = from,
					.newLayout = to, .srcQueueFamilyIndex = from_family, .dstQueueFamilyIndex = to_family, .image = image,
					.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

/* Commands that take the image from OpenCL, copy it for the host, and give it back. */
static void readback_record(struct readback *r)
{
	const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkBufferImageCopy all = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {SIZE, SIZE, 1}};
	CHECK(vkBeginCommandBuffer(r->commands, &begin));
	barrier(r->commands, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, 0, VK_ACCESS_TRANSFER_READ_BIT, VK_QUEUE_FAMILY_EXTERNAL, 0);
	vkCmdCopyImageToBuffer(r->commands, image, VK_IMAGE_LAYOUT_GENERAL, r->buffer, 1, &all);
	barrier(r->commands, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_READ_BIT, 0, 0, VK_QUEUE_FAMILY_EXTERNAL);
	CHECK(vkEndCommandBuffer(r->commands));
}

static void readback_create(struct readback *r)
{
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = BYTES, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkMemoryRequirements needs;
	void *pixels;
	CHECK(vkCreateBuffer(device, &info, NULL, &r->buffer));
	vkGetBufferMemoryRequirements(device, r->buffer, &needs);
	const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size,
					       .memoryTypeIndex = memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
													    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
	CHECK(vkAllocateMemory(device, &allocate, NULL, &r->memory));
	CHECK(vkBindBufferMemory(device, r->buffer, r->memory, 0));
	CHECK(vkMapMemory(device, r->memory, 0, VK_WHOLE_SIZE, 0, &pixels));
	r->pixels = pixels;
	CHECK(vkAllocateCommandBuffers(device, &commands, &r->commands));
	CHECK(vkCreateFence(device, &fence, NULL, &r->fence));
	readback_record(r);
}

/* Gives the image to OpenCL for the first time: nothing is there to wait for. */
static void first_submit(void)
{
	const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
	const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkCommandBuffer c;
	CHECK(vkAllocateCommandBuffers(device, &info, &c));
	CHECK(vkBeginCommandBuffer(c, &begin));
	barrier(c, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0, 0, 0, VK_QUEUE_FAMILY_EXTERNAL);
	CHECK(vkEndCommandBuffer(c));
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c, .signalSemaphoreCount = 1,
				     .pSignalSemaphores = &taken};
	CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
}

static void frame_submit(const struct readback *r)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .waitSemaphoreCount = 1, .pWaitSemaphores = &painted, .pWaitDstStageMask = &stage,
				     .commandBufferCount = 1, .pCommandBuffers = &r->commands, .signalSemaphoreCount = 1, .pSignalSemaphores = &taken};
	CHECK(vkQueueSubmit(queue, 1, &submit, r->fence));
}

/* ---- descriptors ---- */
static int semaphore_fd(VkSemaphore s)
{
	PFN_vkGetSemaphoreFdKHR get = (PFN_vkGetSemaphoreFdKHR)vkGetDeviceProcAddr(device, "vkGetSemaphoreFdKHR");
	const VkSemaphoreGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, .semaphore = s,
					      .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	int fd = -1;
	CHECK(get(device, &info, &fd));
	return fd;
}

static int image_fd(void)
{
	PFN_vkGetMemoryFdKHR get = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR");
	const VkMemoryGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = image_memory,
					   .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	int fd = -1;
	CHECK(get(device, &info, &fd));
	return fd;
}

/* What Vulkan shares. */
enum { IMAGE, PAINTED, TAKEN, SHARED };
static void descriptors(int fds[SHARED])
{
	fds[IMAGE] = image_fd();
	fds[PAINTED] = semaphore_fd(painted);
	fds[TAKEN] = semaphore_fd(taken);
}

/* ---- OpenCL ---- */
static cl_platform_id platform;
static cl_device_id cl_device;
static cl_context context;
static cl_command_queue commands;
static cl_kernel kernel;
static cl_mem cl_image;
static cl_semaphore_khr cl_painted, cl_taken;
#define FUNCTIONS(F) \
	F(clCreateSemaphoreWithPropertiesKHR) F(clReleaseSemaphoreKHR) F(clEnqueueWaitSemaphoresKHR) F(clEnqueueSignalSemaphoresKHR) \
	F(clEnqueueAcquireExternalMemObjectsKHR) F(clEnqueueReleaseExternalMemObjectsKHR)
#define MEMBER(name) __typeof__(name) *name;
static struct { FUNCTIONS(MEMBER) } cl;

/* The first device that takes memory and semaphores by descriptor, and its UUID. */
static void cl_find(unsigned char uuid[CL_UUID_SIZE_KHR])
{
	cl_platform_id platforms[16];
	cl_uint n = 0;
	if (clGetPlatformIDs(16, platforms, &n))
		n = 0;
	for (cl_uint i = 0; i < n && i < 16 && !platform; i++) {
		char extensions[8192] = "";
		if (!clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &cl_device, NULL) &&
		    !clGetDeviceInfo(cl_device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL) &&
		    strstr(extensions, "cl_khr_external_memory_opaque_fd") && strstr(extensions, "cl_khr_external_semaphore_opaque_fd"))
			platform = platforms[i];
	}
	if (!platform) {
		fprintf(stderr, "cl_vk_interop: no device of OpenCL shares memory and semaphores; start it with `galena run -- cl_vk_interop`\n");
		exit(1);
	}
	CHECK(clGetDeviceInfo(cl_device, CL_DEVICE_UUID_KHR, CL_UUID_SIZE_KHR, uuid, NULL));
#define ADDRESS(name) cl.name = (__typeof__(cl.name))clGetExtensionFunctionAddressForPlatform(platform, #name);
	FUNCTIONS(ADDRESS)
}

static cl_semaphore_khr cl_semaphore(int fd)
{
	const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
							  (cl_semaphore_properties_khr)fd, 0};
	cl_int error;
	cl_semaphore_khr out = cl.clCreateSemaphoreWithPropertiesKHR(context, properties, &error);
	check(error, "clCreateSemaphoreWithPropertiesKHR");
	return out;
}

static void cl_open(const int fds[SHARED])
{
	const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fds[IMAGE], 0};
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIZE, .image_height = SIZE};
	const char *text = source;
	cl_int error;
	context = clCreateContext(NULL, 1, &cl_device, NULL, NULL, &error);
	check(error, "clCreateContext");
	commands = clCreateCommandQueueWithProperties(context, cl_device, NULL, &error);
	check(error, "clCreateCommandQueueWithProperties");
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	check(error, "clCreateProgramWithSource");
	CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	kernel = clCreateKernel(program, "paint", &error);
	check(error, "clCreateKernel");
	clReleaseProgram(program);
	cl_image = clCreateImageWithProperties(context, properties, CL_MEM_READ_WRITE, &format, &description, NULL, &error);
	check(error, "clCreateImageWithProperties");
	CHECK(clSetKernelArg(kernel, 0, sizeof cl_image, &cl_image));
	cl_painted = cl_semaphore(fds[PAINTED]);
	cl_taken = cl_semaphore(fds[TAKEN]);
}

/* Waits on the device until Vulkan has given the image, paints it, gives it to Vulkan. */
static void cl_paint(cl_uint time)
{
	const size_t size[2] = {SIZE, SIZE};
	CHECK(cl.clEnqueueWaitSemaphoresKHR(commands, 1, &cl_taken, NULL, 0, NULL, NULL));
	CHECK(cl.clEnqueueAcquireExternalMemObjectsKHR(commands, 1, &cl_image, 0, NULL, NULL));
	CHECK(clSetKernelArg(kernel, 1, sizeof time, &time));
	CHECK(clEnqueueNDRangeKernel(commands, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
	CHECK(cl.clEnqueueReleaseExternalMemObjectsKHR(commands, 1, &cl_image, 0, NULL, NULL));
	CHECK(cl.clEnqueueSignalSemaphoresKHR(commands, 1, &cl_painted, NULL, 0, NULL, NULL));
	CHECK(clFlush(commands));
}

/* ---- the other process ---- */
static int other = -1;

/* A frame has been submitted on this side; the devices do the rest. Nothing to do where one process has both sides. */
static void tell(void)
{
	if (other != -1 && send(other, "", 1, MSG_NOSIGNAL) != 1) {
		fprintf(stderr, "cl_vk_interop: the other process has ended\n");
		exit(2);
	}
}

/* Waits for the other side's submission, not for its end: a wait for a binary semaphore comes after what signals it. */
static void hear(void)
{
	char byte;
	if (other != -1 && recv(other, &byte, 1, 0) != 1) {
		fprintf(stderr, "cl_vk_interop: the other process has ended\n");
		exit(2);
	}
}

/* One message with descriptors, or without. */
static void message(int (*call)(struct msghdr *), void *data, size_t bytes, int *fds)
{
	struct iovec part = {data, bytes};
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(SHARED * sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(SHARED * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = fds ? &control : NULL, .msg_controllen = fds ? sizeof control : 0};
	if (fds)
		memcpy(CMSG_DATA(&control.header), fds, SHARED * sizeof(int));
	if (call(&m) != (int)bytes || (fds && m.msg_controllen < CMSG_LEN(SHARED * sizeof(int)))) {
		fprintf(stderr, "cl_vk_interop: the other process has ended\n");
		exit(2);
	}
	if (fds)
		memcpy(fds, CMSG_DATA(&control.header), SHARED * sizeof(int));
}
static int give(struct msghdr *m) { return (int)sendmsg(other, m, MSG_NOSIGNAL); }
static int take(struct msghdr *m) { return (int)recvmsg(other, m, MSG_WAITALL); }

static void meet(const char *path, int listens)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
	if (listens) {
		if (bind(fd, (struct sockaddr *)&name, sizeof name) || listen(fd, 1) || (other = accept(fd, NULL, NULL)) < 0) {
			perror(path);
			exit(1);
		}
		close(fd);
		unlink(path);
	} else if (connect(other = fd, (struct sockaddr *)&name, sizeof name)) {
		perror(path);
		exit(1);
	}
}

/* ---- the animation: a GIF of 216 colours whose codes all have 8 bits and one more ---- */
static FILE *gif;
static unsigned char block[255];
static unsigned block_bytes, bits, num_bits;

static void gif_byte(unsigned char byte)
{
	block[block_bytes++] = byte;
	if (block_bytes < sizeof block)
		return;
	fputc((int)block_bytes, gif);
	fwrite(block, 1, block_bytes, gif);
	block_bytes = 0;
}

static void gif_code(unsigned code)
{
	bits |= code << num_bits;
	for (num_bits += 9; num_bits >= 8; num_bits -= 8, bits >>= 8)
		gif_byte((unsigned char)bits);
}

static void gif_word(unsigned value)
{
	fputc((int)(value & 255), gif);
	fputc((int)(value >> 8), gif);
}

static void gif_open(const char *path)
{
	gif = fopen(path, "wb");
	if (!gif) {
		perror(path);
		exit(1);
	}
	fputs("GIF89a", gif);
	gif_word(SIZE);
	gif_word(SIZE);
	fwrite("\xf7\0\0", 1, 3, gif); /* a table of 256 colours */
	for (unsigned i = 0; i < 256; i++) {
		fputc((int)(i < 216 ? i / 36 * 51 : 0), gif);
		fputc((int)(i < 216 ? i / 6 % 6 * 51 : 0), gif);
		fputc((int)(i < 216 ? i % 6 * 51 : 0), gif);
	}
	fwrite("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 1, 19, gif); /* for ever */
}

static void gif_frame(const unsigned char *pixels)
{
	enum { CLEAR = 256, END = 257, CODES = 250 };
	fwrite("\x21\xf9\x04\0\x04\0\0\0\x2c\0\0\0\0", 1, 13, gif);
	gif_word(SIZE);
	gif_word(SIZE);
	fwrite("\0\x08", 1, 2, gif);
	for (unsigned i = 0; i < SIZE * SIZE; i++) {
		const unsigned char *p = pixels + i * 4;
		if (i % CODES == 0)
			gif_code(CLEAR); /* so that codes stay as they are */
		gif_code((p[0] + 25u) / 51 * 36 + (p[1] + 25u) / 51 * 6 + (p[2] + 25u) / 51);
	}
	gif_code(END);
	if (num_bits)
		gif_byte((unsigned char)bits);
	bits = num_bits = 0;
	if (block_bytes) {
		fputc((int)block_bytes, gif);
		fwrite(block, 1, block_bytes, gif);
	}
	block_bytes = 0;
	fputc(0, gif);
}

/* ---- frames ---- */
/* Waits for a frame that Vulkan has read, and checks it. */
static void frame_check(struct readback *r, unsigned time)
{
	CHECK(vkWaitForFences(device, 1, &r->fence, VK_TRUE, UINT64_MAX));
	CHECK(vkResetFences(device, 1, &r->fence));
	for (unsigned i = 0; i < SIZE * SIZE; i++) {
		unsigned char expected[4];
		pixel(i % SIZE, i / SIZE, time, expected);
		if (!memcmp(r->pixels + i * 4, expected, 4))
			continue;
		fprintf(stderr, "cl_vk_interop: frame %u is wrong at %u,%u\n", time, i % SIZE, i / SIZE);
		exit(1);
	}
	if (gif)
		gif_frame(r->pixels);
}

/* One process, or Vulkan's: paint is NULL where the other paints. */
static void run(unsigned frames, void (*paint)(cl_uint time))
{
	first_submit();
	tell();
	for (unsigned i = 0; i < frames + READBACKS; i++) {
		struct readback *r = &readbacks[i % READBACKS];
		if (i >= READBACKS) /* frames that come after it are on their way */
			frame_check(r, i - READBACKS);
		if (i >= frames)
			continue;
		if (paint)
			paint(i);
		hear();
		frame_submit(r);
		if (i + 1 < frames)
			tell();
	}
}

static void cl_finish(void)
{
	CHECK(clFinish(commands));
	cl.clReleaseSemaphoreKHR(cl_painted);
	cl.clReleaseSemaphoreKHR(cl_taken);
	clReleaseMemObject(cl_image);
	clReleaseKernel(kernel);
	clReleaseCommandQueue(commands);
	clReleaseContext(context);
}

static void vk_finish(void)
{
	CHECK(vkDeviceWaitIdle(device));
	for (unsigned i = 0; i < READBACKS; i++) {
		vkDestroyFence(device, readbacks[i].fence, NULL);
		vkDestroyBuffer(device, readbacks[i].buffer, NULL);
		vkFreeMemory(device, readbacks[i].memory, NULL);
	}
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroySemaphore(device, painted, NULL);
	vkDestroySemaphore(device, taken, NULL);
	vkDestroyImage(device, image, NULL);
	vkFreeMemory(device, image_memory, NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
}

/* All of Vulkan's that is for the device of OpenCL's. */
static void vk_open(const unsigned char uuid[VK_UUID_SIZE], int fds[SHARED])
{
	device_find(uuid);
	device_open();
	image_create();
	painted = semaphore_create();
	taken = semaphore_create();
	for (unsigned i = 0; i < READBACKS; i++)
		readback_create(&readbacks[i]);
	descriptors(fds);
}

static void both(unsigned frames)
{
	unsigned char uuid[CL_UUID_SIZE_KHR];
	int fds[SHARED];
	cl_find(uuid);
	vk_open(uuid, fds);
	cl_open(fds);
	run(frames, cl_paint);
	cl_finish();
	vk_finish();
}

/* Vulkan's process gives the other what it shares; the copies here are closed. */
static void vk_side(const char *path, unsigned frames)
{
	unsigned char uuid[CL_UUID_SIZE_KHR];
	int fds[SHARED];
	meet(path, 1);
	message(take, uuid, sizeof uuid, NULL);
	vk_open(uuid, fds);
	message(give, &frames, sizeof frames, fds);
	for (unsigned i = 0; i < SHARED; i++)
		close(fds[i]);
	run(frames, NULL);
	vk_finish();
}

static void cl_side(const char *path)
{
	unsigned char uuid[CL_UUID_SIZE_KHR];
	int fds[SHARED] = {0};
	unsigned frames = 0;
	cl_find(uuid);
	meet(path, 0);
	message(give, uuid, sizeof uuid, NULL);
	message(take, &frames, sizeof frames, fds);
	cl_open(fds);
	for (unsigned i = 0; i < frames; i++) {
		hear();
		cl_paint(i);
		tell();
	}
	cl_finish();
	printf("cl_vk_interop: %u frames painted\n", frames);
}

int main(int argc, char **argv)
{
	const char *vk = NULL, *cl_ = NULL;
	unsigned frames = 60;
	for (int o; (o = getopt(argc, argv, "n:o:v:c:")) != -1;) {
		switch (o) {
		case 'n': frames = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'o': gif_open(optarg); break;
		case 'v': vk = optarg; break;
		case 'c': cl_ = optarg; break;
		default: fprintf(stderr, "usage: cl_vk_interop [-n FRAMES] [-o FILE.gif] [-v SOCKET|-c SOCKET]\n"); return 64;
		}
	}
	if (cl_) {
		cl_side(cl_);
		return 0;
	}
	if (vk)
		vk_side(vk, frames);
	else
		both(frames);
	if (gif) {
		fputc(0x3b, gif);
		check(fclose(gif), "writing the animation");
	}
	printf("cl_vk_interop: %u frames that OpenCL painted and Vulkan read are right\n", frames);
	return 0;
}
