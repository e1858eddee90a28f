#include "testbench/vulkan/vk_test.h"

struct vk_test vk;

/* ---- the validation layer ---- */
static VKAPI_ATTR VkBool32 VKAPI_CALL say(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
					  const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	(void)severity, (void)types, (void)user;
	if (vk.allowed && data->pMessageIdName && !strcmp(vk.allowed, data->pMessageIdName))
		return VK_FALSE;
	fprintf(stderr, "validation: %s\n", data->pMessage);
	vk.messages++;
	return VK_FALSE;
}

static const VkDebugUtilsMessengerCreateInfoEXT messenger = {
	.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
	.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
	.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, /* not what the loader says, nor what may be faster */
	.pfnUserCallback = say,
};

/* With sanitizers it is left out: what it leaks, and races in it, are not ours. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { WITH_LAYER = false };
#else
enum { WITH_LAYER = true };
#endif

static bool layer_installed(void)
{
	VkLayerProperties layers[64];
	uint32_t n = 64;
	if (vkEnumerateInstanceLayerProperties(&n, layers) < 0)
		return false;
	for (uint32_t i = 0; WITH_LAYER && i < n; i++)
		if (!strcmp(layers[i].layerName, "VK_LAYER_KHRONOS_validation"))
			return true;
	static bool said;
	if (!said)
		printf("# without the validation layer\n");
	said = true;
	return false;
}

int vk_test_quiet(void **state)
{
	const unsigned messages = vk.messages;
	(void)state;
	vk.messages = 0;
	return messages ? -1 : 0;
}

/* ---- instance and device ---- */
void vk_test_init(int argc, char **argv)
{
	char build[PATH_MAX], file[PATH_MAX + 64];
	const char *given = getenv("GALENA_BUILD");
	cmocka_set_test_filter(getenv("TEST_FILTER"));
	if (!given)
		program_path(build, 3);
	snprintf(file, sizeof file, "%s/share/vulkan/icd.d/galena.json", given ? given : build);
	setenv("VK_DRIVER_FILES", file, 1);
	setenv("VK_ICD_FILENAMES", file, 1);
	build_tree_loader();
	vk.seed = seed_take(argc, argv);
}

VkInstance vk_instance(void)
{
	static const char *const layers[] = {"VK_LAYER_KHRONOS_validation"}, *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
	static const VkValidationFeatureEnableEXT more[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
	const VkValidationFeaturesEXT features = {VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, &messenger, 1, more, 0, NULL};
	const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	const bool layer = layer_installed();
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pNext = layer ? (const void *)&features : &messenger,
					   .pApplicationInfo = &application, .enabledLayerCount = layer, .ppEnabledLayerNames = layers,
					   .enabledExtensionCount = 1, .ppEnabledExtensionNames = extensions};
	VkInstance instance;
	return vkCreateInstance(&info, NULL, &instance) ? NULL : instance;
}

VkDevice vk_device(VkPhysicalDevice p)
{
	VkPhysicalDeviceVulkan13Features f13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .privateData = VK_TRUE, .synchronization2 = VK_TRUE, .maintenance4 = VK_TRUE};
	VkPhysicalDeviceVulkan12Features f12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f13, .hostQueryReset = VK_TRUE,
						.timelineSemaphore = VK_TRUE};
	static const char *const extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
						 VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
						 VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME};
	const float priorities[VK_TEST_QUEUES] = {1, 1, 0};
	const VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = VK_TEST_QUEUES, .pQueuePriorities = priorities};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f12, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queues,
					 .enabledExtensionCount = sizeof extensions / sizeof *extensions, .ppEnabledExtensionNames = extensions};
	VkDevice device;
	return vkCreateDevice(p, &info, NULL, &device) ? NULL : device;
}

bool vk_test_instance(void)
{
	vk.instance = vk_instance();
	vk.num_physical = 16;
	if (!vk.instance || vkEnumeratePhysicalDevices(vk.instance, &vk.num_physical, vk.physical) || !vk.num_physical)
		return false;
	PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(vk.instance, "vkCreateDebugUtilsMessengerEXT");
	if (!create || create(vk.instance, &messenger, NULL, &vk.messenger))
		return false;
	vkGetPhysicalDeviceMemoryProperties(vk.physical[0], &vk.memory);
	return true;
}

int vk_test_commands(void **state)
{
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
	return vkCreateCommandPool(vk.device, &pool, NULL, &vk.pool) ? -1 : vk_test_quiet(state);
}

int vk_test_setup(void **state)
{
	if (!vk_test_instance())
		return -1;
	vk.device = vk_device(vk.physical[0]);
	if (!vk.device)
		return -1;
	for (unsigned i = 0; i < VK_TEST_QUEUES; i++)
		vkGetDeviceQueue(vk.device, 0, i, &vk.queues[i]);
	vk.queue = vk.queues[0];
#define ADDRESS(name) \
	if (!(vk.name = (PFN_##name)vkGetDeviceProcAddr(vk.device, #name))) \
		return -1;
	VK_TEST_FUNCTIONS(ADDRESS)
#undef ADDRESS
	return vk_test_commands(state);
}

int vk_test_teardown(void **state)
{
	vkDestroyCommandPool(vk.device, vk.pool, NULL);
	vkDestroyDevice(vk.device, NULL);
	((PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(vk.instance, "vkDestroyDebugUtilsMessengerEXT"))(vk.instance, vk.messenger, NULL);
	vkDestroyInstance(vk.instance, NULL);
	return vk_test_quiet(state);
}

/* ---- memory, buffers, images ---- */
uint32_t vk_memory_type(uint32_t bits, VkMemoryPropertyFlags properties)
{
	for (uint32_t i = 0; i < vk.memory.memoryTypeCount; i++)
		if (bits >> i & 1 && (vk.memory.memoryTypes[i].propertyFlags & properties) == properties)
			return i;
	fail_msg("no memory type of 0x%x has the properties 0x%x", bits, properties);
	return 0;
}

VkDeviceMemory vk_memory(VkDeviceSize size, uint32_t bits, VkMemoryPropertyFlags properties, const void *extras)
{
	VkDeviceMemory m;
	const VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, extras, size, vk_memory_type(bits, properties)};
	VK_OK(vkAllocateMemory(vk.device, &info, NULL, &m));
	return m;
}

struct vk_buffer vk_buffer(VkDeviceSize size, enum vk_place place)
{
	struct vk_buffer b = {.size = size};
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
					 .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkMemoryRequirements needs;
	VK_OK(vkCreateBuffer(vk.device, &info, NULL, &b.buffer));
	vkGetBufferMemoryRequirements(vk.device, b.buffer, &needs);
	assert_true(needs.size >= size);
	b.memory = vk_memory(needs.size, needs.memoryTypeBits, (VkMemoryPropertyFlags)place, NULL);
	VK_OK(vkBindBufferMemory(vk.device, b.buffer, b.memory, 0));
	if (place == VK_ON_HOST)
		VK_OK(vkMapMemory(vk.device, b.memory, 0, VK_WHOLE_SIZE, 0, (void **)&b.host));
	return b;
}

void vk_buffer_free(struct vk_buffer *b)
{
	vkDestroyBuffer(vk.device, b->buffer, NULL);
	vkFreeMemory(vk.device, b->memory, NULL);
}

struct vk_image vk_image(VkImageType type, VkFormat format, VkExtent3D extent, uint32_t layers, uint32_t levels, VkImageTiling tiling)
{
	struct vk_image m = {.info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = type, .format = format, .extent = extent, .mipLevels = levels,
				      .arrayLayers = layers, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = tiling,
				      .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT}};
	VkMemoryRequirements needs;
	VK_OK(vkCreateImage(vk.device, &m.info, NULL, &m.image));
	vkGetImageMemoryRequirements(vk.device, m.image, &needs);
	m.memory = vk_memory(needs.size, needs.memoryTypeBits, VK_ON_DEVICE, NULL);
	VK_OK(vkBindImageMemory(vk.device, m.image, m.memory, 0));
	return m;
}

void vk_image_free(struct vk_image *m)
{
	vkDestroyImage(vk.device, m->image, NULL);
	vkFreeMemory(vk.device, m->memory, NULL);
}

/* ---- commands ---- */
VkCommandBuffer vk_begin(void)
{
	VkCommandBuffer c;
	const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = vk.pool, .commandBufferCount = 1};
	const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	VK_OK(vkAllocateCommandBuffers(vk.device, &info, &c));
	VK_OK(vkBeginCommandBuffer(c, &begin));
	return c;
}

void vk_run(VkQueue queue, VkCommandBuffer c)
{
	VkFence fence;
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	VK_OK(vkCreateFence(vk.device, &info, NULL, &fence));
	VK_OK(vkEndCommandBuffer(c));
	VK_OK(vkQueueSubmit(queue, 1, &submit, fence));
	VK_OK(vkWaitForFences(vk.device, 1, &fence, VK_TRUE, UINT64_MAX));
	VK_OK(vkGetFenceStatus(vk.device, fence));
	vkDestroyFence(vk.device, fence, NULL);
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &c);
}

void vk_layout(VkCommandBuffer c, VkImage image, VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
					.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, .oldLayout = from, .newLayout = to,
					.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = image,
					.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

void vk_barrier(VkCommandBuffer c)
{
	const VkMemoryBarrier2 b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
				    .srcAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
				    .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_HOST_BIT,
				    .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT};
	const VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &b};
	vkCmdPipelineBarrier2(c, &info);
}
