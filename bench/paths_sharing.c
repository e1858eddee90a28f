/* paths: Vulkan beside OpenCL, where a Vulkan device has the UUID of the OpenCL device: a dispatch of each, and what it costs to hand a frame
 * from one to the other. */
#include "bench/paths.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { WIDTH = 1920, HEIGHT = 1080, FRAMES = 64 };

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice vulkan;
static VkQueue vk_queue;
static VkCommandPool pool;
static VkFence fence;

#define FUNCTIONS(F) F(clCreateSemaphoreWithPropertiesKHR) F(clReleaseSemaphoreKHR) F(clEnqueueWaitSemaphoresKHR) F(clEnqueueSignalSemaphoresKHR) \
	F(clEnqueueAcquireExternalMemObjectsKHR) F(clEnqueueReleaseExternalMemObjectsKHR)
#define MEMBER(name) __typeof__(name) *name;
static struct { FUNCTIONS(MEMBER) } ext;

static void vk_check(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	fprintf(stderr, "paths: %s: %s failed with Vulkan error %d\n", running, what, result);
	exit(EXIT_WRONG);
}
#define VK(call) vk_check(call, #call)

/* Is there a device of Vulkan with the OpenCL device's UUID? */
static int vulkan_there(void)
{
	const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2 };
	const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application };
	VkPhysicalDevice list[16];
	cl_uchar uuid[CL_UUID_SIZE_KHR];
	char extensions[8192] = "";
	uint32_t n = 16;

	check(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL), "clGetDeviceInfo");
	if (!strstr(extensions, "cl_khr_external_memory_opaque_fd") || !strstr(extensions, "cl_khr_external_semaphore_opaque_fd") ||
	    clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof(uuid), uuid, NULL) || vkCreateInstance(&info, NULL, &instance) ||
	    vkEnumeratePhysicalDevices(instance, &n, list) < 0)
		return 0;
	for (uint32_t i = 0; i < n && !physical; i++) {
		VkPhysicalDeviceIDProperties ids = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES };
		VkPhysicalDeviceProperties2 properties = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids };

		vkGetPhysicalDeviceProperties2(list[i], &properties);
		if (!memcmp(ids.deviceUUID, uuid, sizeof(uuid)))
			physical = list[i];
	}
	return physical != NULL;
}

static void vulkan_open(void)
{
	static const char *const names[] = { VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME };
	const float priority = 1;
	const VkDeviceQueueCreateInfo queues = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority };
	const VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queues,
					  .enabledExtensionCount = 2, .ppEnabledExtensionNames = names };
	const VkCommandPoolCreateInfo commands = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	const VkFenceCreateInfo fences = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	cl_platform_id platform;

	VK(vkCreateDevice(physical, &info, NULL, &vulkan));
	vkGetDeviceQueue(vulkan, 0, 0, &vk_queue);
	VK(vkCreateCommandPool(vulkan, &commands, NULL, &pool));
	VK(vkCreateFence(vulkan, &fences, NULL, &fence));
	check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL), "clGetDeviceInfo");
#define ADDRESS(name) ext.name = (__typeof__(ext.name))clGetExtensionFunctionAddressForPlatform(platform, #name);
	FUNCTIONS(ADDRESS)
}

static VkCommandBuffer commands_begin(void)
{
	const VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1 };
	const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	VkCommandBuffer c;

	VK(vkAllocateCommandBuffers(vulkan, &info, &c));
	VK(vkBeginCommandBuffer(c, &begin));
	return c;
}

static void submit(VkCommandBuffer c, VkSemaphore wait, VkSemaphore signal, VkFence f)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .waitSemaphoreCount = wait != NULL, .pWaitSemaphores = &wait,
				    .pWaitDstStageMask = &stage, .commandBufferCount = 1, .pCommandBuffers = &c,
				    .signalSemaphoreCount = signal != NULL, .pSignalSemaphores = &signal };

	VK(vkQueueSubmit(vk_queue, 1, &info, f));
}

static void fence_wait(void)
{
	VK(vkWaitForFences(vulkan, 1, &fence, VK_TRUE, UINT64_MAX));
	VK(vkResetFences(vulkan, 1, &fence));
}

/* ---- a dispatch of a kernel that does nothing ---- */
static VkCommandBuffer dispatch_record(void)
{
	/* void main() {} with one invocation a work-group: capability, memory model, entry point, mode, types, function */
	static const uint32_t words[] = { 0x07230203, 0x00010000, 0, 5, 0, 0x00020011, 1, 0x0003000e, 0, 1, 0x0005000f, 5, 1, 0x6e69616d, 0,
					  0x00060010, 1, 17, 1, 1, 1, 0x00020013, 2, 0x00030021, 3, 2, 0x00050036, 2, 1, 0, 3,
					  0x000200f8, 4, 0x000100fd, 0x00010038 };
	const VkShaderModuleCreateInfo code = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(words), .pCode = words };
	const VkPipelineLayoutCreateInfo layout_info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO };
	VkComputePipelineCreateInfo info = { .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
					     .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .pName = "main" } };
	VkPipeline pipeline;

	VK(vkCreateShaderModule(vulkan, &code, NULL, &info.stage.module));
	VK(vkCreatePipelineLayout(vulkan, &layout_info, NULL, &info.layout));
	VK(vkCreateComputePipelines(vulkan, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	VkCommandBuffer c = commands_begin();
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdDispatch(c, 1, 1, 1);
	VK(vkEndCommandBuffer(c));
	return c;
}

static void dispatches(void)
{
	const VkCommandBuffer c = dispatch_record();
	const cl_kernel k = kernel_create(program_build(source), "null_kernel");
	const int runs = options.small ? 100 : 1000;
	const size_t one = 1;
	double *vk = malloc((size_t)runs * sizeof(*vk)), *cl = malloc((size_t)runs * sizeof(*cl)), *ratio = malloc((size_t)runs * sizeof(*ratio));

	for (int i = -runs / 10; i < runs; i++) {
		const double begin = now_s();

		submit(c, NULL, NULL, fence);
		fence_wait();
		const double half = now_s();

		check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, &one, 0, NULL, NULL), "clEnqueueNDRangeKernel");
		finish();
		const double end = now_s();

		if (i < 0)
			continue;
		vk[i] = half - begin;
		cl[i] = end - half;
		ratio[i] = vk[i] / cl[i];
	}
	row_median("vulkan_us", vk, runs, 1e6, "us", "a dispatch that does nothing, vkQueueSubmit to the end of vkWaitForFences");
	row_median("opencl_us", cl, runs, 1e6, "us", "the same in OpenCL, in turns with it, enqueue to clFinish");
	row_median("dispatch_vs_opencl", ratio, runs, 1, "x", "time, Vulkan / OpenCL");
	free(vk);
	free(cl);
	free(ratio);
}

/* ---- a frame of 1080p ---- */
static VkSemaphore semaphore_create(cl_semaphore_khr *other)
{
	const VkExportSemaphoreCreateInfo exported = { .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
						       .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT };
	const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &exported };
	const PFN_vkGetSemaphoreFdKHR get = (PFN_vkGetSemaphoreFdKHR)vkGetDeviceProcAddr(vulkan, "vkGetSemaphoreFdKHR");
	VkSemaphoreGetFdInfoKHR handle = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, .handleType = exported.handleTypes };
	cl_semaphore_properties_khr list[] = { CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0, 0 };
	cl_int error;
	int fd;

	VK(vkCreateSemaphore(vulkan, &info, NULL, &handle.semaphore));
	VK(get(vulkan, &handle, &fd));
	list[3] = (cl_semaphore_properties_khr)fd;
	*other = ext.clCreateSemaphoreWithPropertiesKHR(context, list, &error);
	check(error, "clCreateSemaphoreWithPropertiesKHR");
	return handle.semaphore;
}

static VkImage image_create(cl_mem *other)
{
	const VkExternalMemoryImageCreateInfo external = { .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
							   .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT };
	const VkImageCreateInfo info = { .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .pNext = &external, .imageType = VK_IMAGE_TYPE_2D,
					 .format = VK_FORMAT_R8G8B8A8_UNORM, .extent = { WIDTH, HEIGHT, 1 }, .mipLevels = 1, .arrayLayers = 1,
					 .samples = VK_SAMPLE_COUNT_1_BIT, .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT };
	const VkExportMemoryAllocateInfo exported = { .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = external.handleTypes };
	const PFN_vkGetMemoryFdKHR get = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(vulkan, "vkGetMemoryFdKHR");
	VkMemoryGetFdInfoKHR handle = { .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .handleType = external.handleTypes };
	VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &exported };
	const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT };
	VkMemoryRequirements needs;
	VkImage image;
	cl_int error;
	int fd;

	VK(vkCreateImage(vulkan, &info, NULL, &image));
	vkGetImageMemoryRequirements(vulkan, image, &needs);
	allocate.allocationSize = needs.size;
	while (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1))
		allocate.memoryTypeIndex++;
	VK(vkAllocateMemory(vulkan, &allocate, NULL, &handle.memory));
	VK(vkBindImageMemory(vulkan, image, handle.memory, 0));
	VK(get(vulkan, &handle, &fd));
	const cl_mem_properties list[] = { CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd, 0 };
	*other = clCreateImageWithProperties(context, list, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
	check(error, "clCreateImageWithProperties");
	return image;
}

/* Commands that take the image from OpenCL, or (first) have it from nowhere, and give it to OpenCL. */
static VkCommandBuffer ownership(VkImage image, int first)
{
	VkImageMemoryBarrier b = { .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .oldLayout = VK_IMAGE_LAYOUT_GENERAL, .newLayout = VK_IMAGE_LAYOUT_GENERAL,
				   .srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL, .image = image,
				   .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };
	const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkCommandBuffer c = commands_begin();

	if (!first)
		vkCmdPipelineBarrier(c, all, all, 0, 0, NULL, 0, NULL, 1, &b);
	b.oldLayout = first ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_GENERAL;
	b.srcQueueFamilyIndex = 0;
	b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
	vkCmdPipelineBarrier(c, all, all, 0, 0, NULL, 0, NULL, 1, &b);
	VK(vkEndCommandBuffer(c));
	return c;
}

/* Vulkan gives the frame to OpenCL and takes it again, FRAMES times, and the host waits for the last. No command touches the pixels. */
static void handovers(void)
{
	double seconds[RUNS_MAX];
	cl_semaphore_khr cl_given, cl_back;
	cl_mem cl_image;
	const VkSemaphore given = semaphore_create(&cl_given), back = semaphore_create(&cl_back);
	const VkImage image = image_create(&cl_image);
	const VkCommandBuffer first = ownership(image, 1), again = ownership(image, 0);

	for (int r = -1; r < options.runs; r++) {
		const double begin = now_s();

		for (int i = 0; i <= FRAMES; i++) {
			const int last = i == FRAMES;

			submit(i || r >= 0 ? again : first, i ? back : NULL, last ? NULL : given, last ? fence : VK_NULL_HANDLE);
			if (last)
				break;
			check(ext.clEnqueueWaitSemaphoresKHR(queue, 1, &cl_given, NULL, 0, NULL, NULL), "clEnqueueWaitSemaphoresKHR");
			check(ext.clEnqueueAcquireExternalMemObjectsKHR(queue, 1, &cl_image, 0, NULL, NULL), "clEnqueueAcquireExternalMemObjectsKHR");
			check(ext.clEnqueueReleaseExternalMemObjectsKHR(queue, 1, &cl_image, 0, NULL, NULL), "clEnqueueReleaseExternalMemObjectsKHR");
			check(ext.clEnqueueSignalSemaphoresKHR(queue, 1, &cl_back, NULL, 0, NULL, NULL), "clEnqueueSignalSemaphoresKHR");
			check(clFlush(queue), "clFlush");
		}
		fence_wait();
		if (r >= 0)
			seconds[r] = (now_s() - begin) / (2 * FRAMES);
	}
	finish();
	row_median("handover_us", seconds, options.runs, 1e6, "us", "a shared image of 1920 by 1080 from Vulkan to OpenCL or back");
	ext.clReleaseSemaphoreKHR(cl_given);
	ext.clReleaseSemaphoreKHR(cl_back);
	clReleaseMemObject(cl_image);
}

void group_sharing(void)
{
	if (!vulkan_there())
		return;
	vulkan_open();
	dispatches();
	handovers();
}
