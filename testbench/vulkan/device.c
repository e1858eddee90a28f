/* Instances, physical devices, devices: what they say, and what they refuse. */
#include "testbench/vulkan/vk_test.h"
#include "testbench/forks.h"
#include <CL/cl.h>
#include <CL/cl_ext.h>

/* ---- entry points ---- */
enum level { GLOBAL, INSTANCE, PHYSICAL, DEVICE };
static const struct { enum level level; const char *name, *extension; } entry_points[] = {
#define ENTRY(level, name, extension) {level, #name, #extension},
#define ALIAS(level, name, extension, core) {level, #name, #extension},
#include "runtime/vulkan/entry_points.def"
#undef ENTRY
#undef ALIAS
};
enum { NUM_ENTRY_POINTS = sizeof entry_points / sizeof *entry_points };

/* A device has the functions of the core and of the extensions that are enabled; one without extensions has no other. */
static void addresses(void **state)
{
	(void)state;
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
	VkExtensionProperties extensions[64];
	const char *names[64];
	uint32_t n = 64;
	VK_OK(vkEnumerateDeviceExtensionProperties(vk.physical[0], NULL, &n, extensions));
	for (uint32_t i = 0; i < n; i++)
		names[i] = extensions[i].extensionName;
	VkDeviceCreateInfo all = info;
	all.enabledExtensionCount = n;
	all.ppEnabledExtensionNames = names;
	VkDevice full;
	VK_OK(vkCreateDevice(vk.physical[0], &all, NULL, &full));
	VkDevice bare;
	VK_OK(vkCreateDevice(vk.physical[0], &info, NULL, &bare));
	for (unsigned i = 0; i < NUM_ENTRY_POINTS; i++) {
		const bool core = !strcmp(entry_points[i].extension, "CORE");
		if (entry_points[i].level != DEVICE) {
			if (core && entry_points[i].level != GLOBAL && !vkGetInstanceProcAddr(vk.instance, entry_points[i].name))
				fail_msg("no address of %s", entry_points[i].name);
			continue;
		}
		if (!vkGetDeviceProcAddr(full, entry_points[i].name))
			fail_msg("no address of %s", entry_points[i].name);
		if (!vkGetDeviceProcAddr(bare, entry_points[i].name) == core)
			fail_msg("address of %s without extensions", entry_points[i].name);
	}
	assert_null(vkGetDeviceProcAddr(vk.device, "vkCmdDraw2Galena"));
	vkDestroyDevice(bare, NULL);
	vkDestroyDevice(full, NULL);
}

/* ---- identity ---- */
/* The same devices as OpenCL's, in the same order. */
static void identity(void **state)
{
	(void)state;
	cl_platform_id platform;
	cl_device_id devices[16];
	cl_uint n;
	assert_int_equal(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
	assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &n), CL_SUCCESS);
	assert_int_equal(n, vk.num_physical);
	for (unsigned i = 0; i < n; i++) {
		VkPhysicalDeviceVulkan11Properties p11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
		VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, .pNext = &p11};
		VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
		cl_uchar device[CL_UUID_SIZE_KHR], driver[CL_UUID_SIZE_KHR];
		char name[256];
		vkGetPhysicalDeviceProperties2(vk.physical[i], &p);
		assert_int_equal(clGetDeviceInfo(devices[i], CL_DEVICE_UUID_KHR, sizeof device, device, NULL), CL_SUCCESS);
		assert_int_equal(clGetDeviceInfo(devices[i], CL_DRIVER_UUID_KHR, sizeof driver, driver, NULL), CL_SUCCESS);
		assert_int_equal(clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, NULL), CL_SUCCESS);
		assert_memory_equal(id.deviceUUID, device, sizeof device);
		assert_memory_equal(id.driverUUID, driver, sizeof driver);
		assert_memory_equal(p11.deviceUUID, device, sizeof device);
		assert_string_equal(p.properties.deviceName, name);
		assert_true(p.properties.apiVersion >= VK_API_VERSION_1_3);
		assert_int_equal(id.deviceLUIDValid, VK_FALSE);
	}
}

/* Structures of a chain say what those of Vulkan 1.1 to 1.3 say, and the members that there are no rows for would stay as they were. */
static void chains(void **state)
{
	(void)state;
	VkPhysicalDeviceVulkan13Features f13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
	VkPhysicalDeviceVulkan12Features f12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f13};
	VkPhysicalDeviceVulkan11Features f11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f12};
	VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .pNext = &f11};
	VkPhysicalDeviceDescriptorIndexingFeatures indexing;
	VkPhysicalDeviceFeatures2 f = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &indexing};
	memset(&indexing, 0xff, sizeof indexing);
	indexing.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES;
	indexing.pNext = &timeline;
	vkGetPhysicalDeviceFeatures2(vk.physical[0], &f);
	assert_true(f12.timelineSemaphore && f12.hostQueryReset && f13.synchronization2 && f13.maintenance4 && timeline.timelineSemaphore);
	for (const VkBool32 *b = &indexing.shaderInputAttachmentArrayDynamicIndexing, *of12 = &f12.shaderInputAttachmentArrayDynamicIndexing; b <= &indexing.runtimeDescriptorArray;
	     b++, of12++)
		assert_int_equal(*b, *of12);
	assert_true(indexing.runtimeDescriptorArray && !indexing.descriptorBindingVariableDescriptorCount && !indexing.shaderInputAttachmentArrayDynamicIndexing);
	/* what there is not yet is not said to be there */
	assert_false(f13.dynamicRendering || f12.bufferDeviceAddressCaptureReplay || f11.multiview || f.features.geometryShader);

	VkPhysicalDeviceVulkan13Properties p13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
	VkPhysicalDeviceVulkan11Properties p11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &p13};
	VkPhysicalDeviceMaintenance3Properties m3 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, .pNext = &p11};
	VkPhysicalDeviceMaintenance4Properties m4 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, .pNext = &m3};
	VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &m4};
	VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, .pNext = &subgroup};
	VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
	vkGetPhysicalDeviceProperties2(vk.physical[0], &p);
	assert_string_equal(driver.driverName, "Galena");
	assert_int_equal(m3.maxPerSetDescriptors, p11.maxPerSetDescriptors);
	assert_true(m3.maxMemoryAllocationSize >= 1u << 30);
	assert_int_equal(m3.maxMemoryAllocationSize, p11.maxMemoryAllocationSize);
	assert_int_equal(m4.maxBufferSize, p13.maxBufferSize);
	assert_int_equal(subgroup.subgroupSize, p13.minSubgroupSize);
	assert_int_equal(subgroup.supportedStages, VK_SHADER_STAGE_COMPUTE_BIT);
}

/* ---- memory types, queues, formats ---- */
static void properties(void **state)
{
	(void)state;
	VkQueueFamilyProperties families[4];
	uint32_t n = 4, wanted = 0;
	vkGetPhysicalDeviceQueueFamilyProperties(vk.physical[0], &n, families);
	assert_int_equal(n, 1);
	assert_int_equal(families[0].queueFlags, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT);
	assert_int_equal(families[0].timestampValidBits, 64);
	assert_true(families[0].queueCount >= VK_TEST_QUEUES);
	/* what has a subset of another's properties in the same heap comes before it */
	for (uint32_t i = 0; i < vk.memory.memoryTypeCount; i++) {
		wanted |= vk.memory.memoryTypes[i].propertyFlags;
		for (uint32_t k = 0; k < i; k++) {
			const VkMemoryPropertyFlags early = vk.memory.memoryTypes[k].propertyFlags, late = vk.memory.memoryTypes[i].propertyFlags;
			assert_false(early != late && (early & late) == late);
		}
	}
	assert_int_equal(wanted, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
				 VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
	/* an image of a format can be made where its features say so, and only there */
	for (VkFormat f = VK_FORMAT_UNDEFINED; f <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; f++) {
		VkFormatProperties3 three = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
		VkFormatProperties2 p = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &three};
		VkImageFormatProperties image;
		vkGetPhysicalDeviceFormatProperties2(vk.physical[0], f, &p);
		const VkFormatFeatureFlags2 bare = VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;
		assert_int_equal(p.formatProperties.optimalTilingFeatures, three.optimalTilingFeatures & ~bare);
		assert_int_equal(three.optimalTilingFeatures & bare, p.formatProperties.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT ? bare : 0);
		const VkResult result = !f ? VK_ERROR_FORMAT_NOT_SUPPORTED :
					     vkGetPhysicalDeviceImageFormatProperties(vk.physical[0], f, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
										      VK_IMAGE_USAGE_TRANSFER_SRC_BIT, 0, &image);
		assert_int_equal(result, p.formatProperties.optimalTilingFeatures & VK_FORMAT_FEATURE_TRANSFER_SRC_BIT ? VK_SUCCESS : VK_ERROR_FORMAT_NOT_SUPPORTED);
	}
	VkImageFormatProperties image;
	VK_FAILS(VK_ERROR_FORMAT_NOT_SUPPORTED, vkGetPhysicalDeviceImageFormatProperties(vk.physical[0], VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
											 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0, &image));
}

/* What is guaranteed of limits, of those that the driver sets for all configurations and of the ordinary one. */
static void limits(void **state)
{
	(void)state;
	VkPhysicalDeviceProperties p;
	vkGetPhysicalDeviceProperties(vk.physical[0], &p);
	const VkPhysicalDeviceLimits *l = &p.limits;
	const struct { const char *name; uint64_t has, least; } of[] = {
#define LEAST(member, value) {#member, l->member, value}
		LEAST(maxImageDimension1D, 4096), LEAST(maxImageDimension2D, 4096), LEAST(maxImageDimension3D, 256), LEAST(maxImageDimensionCube, 4096),
		LEAST(maxImageArrayLayers, 256), LEAST(maxTexelBufferElements, 65536), LEAST(maxUniformBufferRange, 16384), LEAST(maxStorageBufferRange, 1 << 27),
		LEAST(maxPushConstantsSize, 128), LEAST(maxMemoryAllocationCount, 4096), LEAST(maxSamplerAllocationCount, 4000), LEAST(maxBoundDescriptorSets, 4),
		LEAST(maxPerStageDescriptorSamplers, 16), LEAST(maxPerStageDescriptorUniformBuffers, 12), LEAST(maxPerStageDescriptorStorageBuffers, 4),
		LEAST(maxPerStageDescriptorSampledImages, 16), LEAST(maxPerStageDescriptorStorageImages, 4), LEAST(maxPerStageResources, 128),
		LEAST(maxDescriptorSetSamplers, 96), LEAST(maxDescriptorSetUniformBuffers, 72), LEAST(maxDescriptorSetUniformBuffersDynamic, 8),
		LEAST(maxDescriptorSetStorageBuffers, 24), LEAST(maxDescriptorSetStorageBuffersDynamic, 4), LEAST(maxDescriptorSetSampledImages, 96),
		LEAST(maxDescriptorSetStorageImages, 24), LEAST(maxComputeSharedMemorySize, 16384), LEAST(maxComputeWorkGroupCount[2], 65535),
		LEAST(subPixelPrecisionBits, 4), LEAST(subTexelPrecisionBits, 4), LEAST(mipmapPrecisionBits, 4), LEAST(maxSamplerLodBias, 2),
		LEAST(maxViewportDimensions[1], 4096), LEAST(minMemoryMapAlignment, 64), LEAST(maxTexelOffset, 7), LEAST(discreteQueuePriorities, 2),
#undef LEAST
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (of[i].has < of[i].least)
			fail_msg("%s is %llu, less than %llu", of[i].name, (unsigned long long)of[i].has, (unsigned long long)of[i].least);
	assert_true(l->minTexelBufferOffsetAlignment <= 256 && l->minUniformBufferOffsetAlignment <= 256 && l->minStorageBufferOffsetAlignment <= 256);
	assert_true(l->nonCoherentAtomSize <= 256 && l->bufferImageGranularity <= 131072 && l->minTexelOffset <= -8);
	assert_true(l->timestampPeriod > 0);
}

/* ---- objects that only descriptors will use ---- */
static void samplers(void **state)
{
	(void)state;
	VkSampler s;
	const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = VK_FILTER_LINEAR, .maxLod = 4};
	VK_OK(vkCreateSampler(vk.device, &info, NULL, &s));
	assert_non_null(s);
	vkDestroySampler(vk.device, s, NULL);
	vkDestroySampler(vk.device, VK_NULL_HANDLE, NULL);
}

/* ---- what is refused ---- */
/* More memory than there is: an error, and the next allocation goes well. */
static void memory_exhausted(void **state)
{
	(void)state;
	enum { MOST = 64 };
	VkDeviceMemory m[MOST], one;
	unsigned n = 0;
	const VkDeviceSize part = vk.memory.memoryHeaps[0].size / 8 * 3;
	const VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, part, vk_memory_type(~0u, VK_ON_DEVICE)};
	VkResult result = VK_SUCCESS;
	while (n < MOST && !(result = vkAllocateMemory(vk.device, &info, NULL, &m[n])))
		n++;
	assert_int_equal(result, VK_ERROR_OUT_OF_DEVICE_MEMORY);
	assert_true(n >= 1);
	while (n)
		vkFreeMemory(vk.device, m[--n], NULL);
	VK_OK(vkAllocateMemory(vk.device, &info, NULL, &one));
	vkFreeMemory(vk.device, one, NULL);
}

static void refused(void **state)
{
	(void)state;
	const char *unknown = "VK_GALENA_none";
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkPhysicalDeviceVulkan13Features f13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE};
	VkPhysicalDeviceFeatures features = {.geometryShader = VK_TRUE};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
				   .enabledExtensionCount = 1, .ppEnabledExtensionNames = &unknown};
	VkDevice device;
	VK_FAILS(VK_ERROR_EXTENSION_NOT_PRESENT, vkCreateDevice(vk.physical[0], &info, NULL, &device));
	info.enabledExtensionCount = 0;
	info.pNext = &f13;
	VK_FAILS(VK_ERROR_FEATURE_NOT_PRESENT, vkCreateDevice(vk.physical[0], &info, NULL, &device));
	info.pNext = NULL;
	info.pEnabledFeatures = &features;
	VK_FAILS(VK_ERROR_FEATURE_NOT_PRESENT, vkCreateDevice(vk.physical[0], &info, NULL, &device));
	vk.messages = 0; /* the layer says so, too */
}

/* Every object is of the application's allocator, says so when that has nothing, and gives back what it had. */
static unsigned allocations, left; /* given out; that will be given, before there is no more */
static VKAPI_ATTR void *VKAPI_CALL give(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	(void)user, (void)scope;
	if (!left)
		return NULL;
	left--;
	allocations++;
	return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
static VKAPI_ATTR void *VKAPI_CALL give_again(void *user, void *p, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	(void)user, (void)alignment, (void)scope;
	allocations += !p;
	return realloc(p, size);
}
static VKAPI_ATTR void VKAPI_CALL take(void *user, void *p)
{
	(void)user;
	allocations -= p != NULL;
	free(p);
}

/* The creation fails until there are enough allocations, and then does not. */
#define EXHAUST(create, destroy)                                                  \
	do {                                                                      \
		VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;                    \
		for (unsigned n = 0; n < 20 && result; n++) {                     \
			left = n;                                                 \
			result = create;                                          \
			assert_true(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY); \
			assert_true(n > 0 || result != VK_SUCCESS);               \
			assert_int_equal(allocations != 0, result == VK_SUCCESS); \
		}                                                                 \
		VK_OK(result);                                                    \
		left = 1000;                                                      \
		destroy;                                                          \
		assert_int_equal(allocations, 0);                                 \
	} while (0)

static void allocators(void **state)
{
	(void)state;
	const VkAllocationCallbacks a = {.pfnAllocation = give, .pfnReallocation = give_again, .pfnFree = take};
	const VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 64, .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
	const VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8_UNORM,
					      .extent = {8, 8, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT,
					      .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
	const VkMemoryAllocateInfo memory_info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, 4096, vk_memory_type(~0u, VK_ON_DEVICE)};
	const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	const VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
	VkFence fence;
	VkSemaphore semaphore;
	VkEvent event;
	VkBuffer buffer;
	VkImage image;
	VkDeviceMemory memory;
	VkCommandPool pool;
	VkSampler sampler;
	EXHAUST(vkCreateFence(vk.device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, &a, &fence), vkDestroyFence(vk.device, fence, &a));
	EXHAUST(vkCreateSemaphore(vk.device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO}, &a, &semaphore),
		vkDestroySemaphore(vk.device, semaphore, &a));
	EXHAUST(vkCreateEvent(vk.device, &(VkEventCreateInfo){.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO}, &a, &event), vkDestroyEvent(vk.device, event, &a));
	EXHAUST(vkCreateBuffer(vk.device, &buffer_info, &a, &buffer), vkDestroyBuffer(vk.device, buffer, &a));
	EXHAUST(vkCreateImage(vk.device, &image_info, &a, &image), vkDestroyImage(vk.device, image, &a));
	EXHAUST(vkAllocateMemory(vk.device, &memory_info, &a, &memory), vkFreeMemory(vk.device, memory, &a));
	EXHAUST(vkCreateCommandPool(vk.device, &pool_info, &a, &pool), vkDestroyCommandPool(vk.device, pool, &a));
	EXHAUST(vkCreateSampler(vk.device, &sampler_info, &a, &sampler), vkDestroySampler(vk.device, sampler, &a));
	/* command buffers are of their pool's */
	left = 1000;
	VK_OK(vkCreateCommandPool(vk.device, &pool_info, &a, &pool));
	VkCommandBuffer commands[3];
	const VkCommandBufferAllocateInfo three = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 3};
	const unsigned before = allocations;
	left = 2;
	VK_FAILS(VK_ERROR_OUT_OF_HOST_MEMORY, vkAllocateCommandBuffers(vk.device, &three, commands));
	assert_int_equal(allocations, before);
	left = 1000;
	VK_OK(vkAllocateCommandBuffers(vk.device, &three, commands));
	vkDestroyCommandPool(vk.device, pool, &a);
	assert_int_equal(allocations, 0);
}

/* ---- other processes and threads ---- */
static void child(void)
{
	VkPhysicalDevice p;
	VkQueue q;
	uint32_t one = 1;
	VkInstance i = vk_instance();
	CHILD_OK(i && vkEnumeratePhysicalDevices(i, &one, &p) >= 0);
	VkDevice d = vk_device(p);
	CHILD_OK(d);
	vkGetDeviceQueue(d, 0, 0, &q);
	CHILD_OK(!vkQueueSubmit(q, 0, NULL, NULL) && !vkQueueWaitIdle(q));
	vkDestroyDevice(d, NULL);
	vkDestroyInstance(i, NULL);
}

/* A forked child has instances of its own; its parent's go on. */
static void forked(void **state)
{
	(void)state;
#ifdef __SANITIZE_THREAD__
	SKIP("ThreadSanitizer does not survive a fork of a process with threads");
#endif
	const char *fails = child_fails(child, false);
	if (fails)
		fail_msg("%s", fails);
	VkCommandBuffer c = vk_begin();
	vk_barrier(c);
	vk_run(vk.queue, c);
}

/* Many instances, one after the other and side by side. */
static void instances(void **state)
{
	(void)state;
	VkInstance two[2];
	for (unsigned n = 0; n < 3; n++) {
		for (unsigned i = 0; i < 2; i++) {
			VkPhysicalDevice devices[16];
			uint32_t count = 16;
			two[i] = vk_instance();
			assert_non_null(two[i]);
			VK_OK(vkEnumeratePhysicalDevices(two[i], &count, devices));
			assert_int_equal(count, vk.num_physical);
			VkDevice d = vk_device(devices[count - 1]);
			assert_non_null(d);
			vkDestroyDevice(d, NULL);
		}
		vkDestroyInstance(two[0], NULL);
		vkDestroyInstance(two[1], NULL);
	}
}

/* The program ends with an instance and a device, and a submission that waits for what never comes. */
static void abandoned(void)
{
	VkPhysicalDevice p;
	static VkSemaphore s;
	VkQueue q;
	uint32_t one = 1;
	const uint64_t never = 1;
	const VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL, VK_SEMAPHORE_TYPE_TIMELINE, 0};
	const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, 1, &never, 0, NULL};
	static VkInstance i;
	const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3}};
	if (vkCreateInstance(&instance, NULL, &i) || vkEnumeratePhysicalDevices(i, &one, &p) < 0)
		exit(1);
	static VkDevice d;
	d = vk_device(p);
	if (!d || vkCreateSemaphore(d, &info, NULL, &s))
		exit(1);
	vkGetDeviceQueue(d, 0, 0, &q);
	const VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &s, &stage, 0, NULL, 0, NULL};
	if (vkQueueSubmit(q, 1, &submit, NULL))
		exit(1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {VK_CASE(addresses), VK_CASE(identity),   VK_CASE(chains),   VK_CASE(properties),
					   VK_CASE(limits),
					   VK_CASE(samplers),  VK_CASE(memory_exhausted), VK_CASE(refused), VK_CASE(allocators), VK_CASE(forked), VK_CASE(instances)};
	vk_test_init(argc, argv);
	const int failures = cmocka_run_group_tests(tests, vk_test_setup, vk_test_teardown);
	abandoned();
	return failures;
}
