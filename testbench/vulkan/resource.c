/* Memory, buffers and images as objects: the forms of Vulkan 1.1 and 1.3 say and do what those of 1.0 do; where subresources are. */
#include "testbench/vulkan/vk_test.h"

enum { SIZE = 5000 };

/* ---- memory ---- */
static void mapping(void **state)
{
	(void)state;
	VkDeviceMemory m = vk_memory(3 * 4096, ~0u, VK_ON_HOST | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, NULL);
	uint8_t *all, *part;
	VK_OK(vkMapMemory(vk.device, m, 0, VK_WHOLE_SIZE, 0, (void **)&all));
	assert_int_equal((uintptr_t)all % 4096, 0); /* minMemoryMapAlignment */
	memset(all, 1, 3 * 4096);
	const VkMappedMemoryRange range = {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, NULL, m, 0, VK_WHOLE_SIZE};
	VK_OK(vkFlushMappedMemoryRanges(vk.device, 1, &range));
	VK_OK(vkInvalidateMappedMemoryRanges(vk.device, 1, &range));
	vkUnmapMemory(vk.device, m);
	VK_OK(vkMapMemory(vk.device, m, 100, 200, 0, (void **)&part));
	assert_int_equal(part[0], 1); /* what was written is still there */
	assert_ptr_equal(part, all + 100);
	vkUnmapMemory(vk.device, m);
	vkFreeMemory(vk.device, m, NULL);
	vkFreeMemory(vk.device, VK_NULL_HANDLE, NULL);
}

/* ---- buffers ---- */
static void buffers(void **state)
{
	(void)state;
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = SIZE,
					 .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	VkBuffer b[2];
	VkMemoryRequirements one;
	VkMemoryDedicatedRequirements dedicated = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS, NULL, 7, 7};
	VkMemoryRequirements2 two = {VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, &dedicated, {0}}, three = {VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, NULL, {0}};
	for (unsigned i = 0; i < 2; i++)
		VK_OK(vkCreateBuffer(vk.device, &info, NULL, &b[i]));
	vkGetBufferMemoryRequirements(vk.device, b[0], &one);
	vkGetBufferMemoryRequirements2(vk.device, &(VkBufferMemoryRequirementsInfo2){VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, NULL, b[0]}, &two);
	vkGetDeviceBufferMemoryRequirements(vk.device, &(VkDeviceBufferMemoryRequirements){VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, NULL, &info}, &three);
	assert_memory_equal(&one, &two.memoryRequirements, sizeof one);
	assert_memory_equal(&one, &three.memoryRequirements, sizeof one);
	assert_int_equal(dedicated.prefersDedicatedAllocation, VK_FALSE);
	assert_int_equal(dedicated.requiresDedicatedAllocation, VK_FALSE);
	assert_int_equal(one.size % one.alignment, 0);
	/* two in one memory, beside each other */
	VkDeviceMemory m = vk_memory(2 * one.size, one.memoryTypeBits, VK_ON_HOST, NULL);
	const VkBindBufferMemoryInfo binds[2] = {{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, NULL, b[0], m, 0},
						 {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, NULL, b[1], m, one.size}};
	VK_OK(vkBindBufferMemory2(vk.device, 2, binds));
	uint8_t *host;
	VK_OK(vkMapMemory(vk.device, m, 0, VK_WHOLE_SIZE, 0, (void **)&host));
	VkCommandBuffer c = vk_begin();
	vkCmdSetDeviceMask(c, 1);
	vkCmdFillBuffer(c, b[0], 0, VK_WHOLE_SIZE, 0x01010101);
	vkCmdFillBuffer(c, b[1], 0, VK_WHOLE_SIZE, 0x02020202);
	vk_barrier(c);
	vk_run(vk.queue, c);
	for (unsigned i = 0; i < SIZE; i++) {
		assert_int_equal(host[i], 1);
		assert_int_equal(host[one.size + i], 2);
	}
	for (unsigned i = 0; i < 2; i++)
		vkDestroyBuffer(vk.device, b[i], NULL);
	vkFreeMemory(vk.device, m, NULL);
}

/* ---- images ---- */
static VkImageCreateInfo image_info(VkImageTiling tiling, uint32_t levels, uint32_t layers)
{
	return (VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R16G16_UINT,
				   .extent = {33, 17, 1}, .mipLevels = levels, .arrayLayers = layers, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = tiling,
				   .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
}

static void images(void **state)
{
	(void)state;
	const VkImageCreateInfo info = image_info(VK_IMAGE_TILING_OPTIMAL, 4, 3);
	VkImage image;
	VkMemoryRequirements one;
	VkMemoryRequirements2 two = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2}, three = two;
	uint32_t sparse = 7;
	VK_OK(vkCreateImage(vk.device, &info, NULL, &image));
	vkGetImageMemoryRequirements(vk.device, image, &one);
	vkGetImageMemoryRequirements2(vk.device, &(VkImageMemoryRequirementsInfo2){VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, NULL, image}, &two);
	vkGetDeviceImageMemoryRequirements(vk.device, &(VkDeviceImageMemoryRequirements){VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, NULL, &info, 0}, &three);
	assert_memory_equal(&one, &two.memoryRequirements, sizeof one);
	assert_memory_equal(&one, &three.memoryRequirements, sizeof one);
	assert_true(one.size >= 3 * 4 * (33 * 17 + 16 * 8 + 8 * 4 + 4 * 2));
	vkGetImageSparseMemoryRequirements(vk.device, image, &sparse, NULL);
	assert_int_equal(sparse, 0);
	VkDeviceMemory m = vk_memory(one.size, one.memoryTypeBits, VK_ON_DEVICE, NULL);
	VK_OK(vkBindImageMemory2(vk.device, 1, &(VkBindImageMemoryInfo){VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, NULL, image, m, 0}));
	vkDestroyImage(vk.device, image, NULL);
	vkFreeMemory(vk.device, m, NULL);
	/* of one that is linear, each layer is where its layout says, and no two share bytes */
	const VkImageCreateInfo linear = image_info(VK_IMAGE_TILING_LINEAR, 1, 3);
	VkDeviceSize end = 0;
	VK_OK(vkCreateImage(vk.device, &linear, NULL, &image));
	vkGetImageMemoryRequirements(vk.device, image, &one);
	for (uint32_t layer = 0; layer < 3; layer++) {
		VkSubresourceLayout l;
		vkGetImageSubresourceLayout(vk.device, image, &(VkImageSubresource){VK_IMAGE_ASPECT_COLOR_BIT, 0, layer}, &l);
		assert_int_equal(l.offset, layer * l.arrayPitch);
		assert_true(l.offset >= end);
		assert_int_equal(l.rowPitch, 33 * 4);
		assert_int_equal(l.size, 33 * 17 * 4);
		end = l.offset + l.size;
	}
	assert_true(end <= one.size);
	vkDestroyImage(vk.device, image, NULL);
}

/* ---- private data ---- */
static void private_data(void **state)
{
	(void)state;
	VkPrivateDataSlot slots[2];
	VkSampler samplers[2];
	uint64_t got = 7;
	const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
	for (unsigned i = 0; i < 2; i++) {
		VK_OK(vkCreatePrivateDataSlot(vk.device, &(VkPrivateDataSlotCreateInfo){VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO, NULL, 0}, NULL, &slots[i]));
		VK_OK(vkCreateSampler(vk.device, &info, NULL, &samplers[i]));
	}
#define OF(object) VK_OBJECT_TYPE_SAMPLER, (uint64_t)(uintptr_t)(object)
	vkGetPrivateData(vk.device, OF(samplers[0]), slots[0], &got);
	assert_int_equal(got, 0);
	for (unsigned i = 0; i < 4; i++)
		VK_OK(vkSetPrivateData(vk.device, OF(samplers[i & 1]), slots[i / 2], 100 + i));
	for (unsigned i = 0; i < 4; i++) {
		vkGetPrivateData(vk.device, OF(samplers[i & 1]), slots[i / 2], &got);
		assert_int_equal(got, 100 + i);
	}
	VK_OK(vkSetPrivateData(vk.device, OF(samplers[0]), slots[0], 5));
	vkGetPrivateData(vk.device, OF(samplers[0]), slots[0], &got);
	assert_int_equal(got, 5);
	/* another object at the same address has none */
	for (unsigned n = 0; n < 8; n++) {
		vkDestroySampler(vk.device, samplers[0], NULL);
		VK_OK(vkCreateSampler(vk.device, &info, NULL, &samplers[0]));
		vkGetPrivateData(vk.device, OF(samplers[0]), slots[0], &got);
		assert_int_equal(got, 0);
		VK_OK(vkSetPrivateData(vk.device, OF(samplers[0]), slots[0], n + 1));
	}
	/* of what is dispatched, too */
	VK_OK(vkSetPrivateData(vk.device, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)vk.queue, slots[1], 77));
	vkGetPrivateData(vk.device, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)vk.queue, slots[1], &got);
	assert_int_equal(got, 77);
#undef OF
	for (unsigned i = 0; i < 2; i++) {
		vkDestroyPrivateDataSlot(vk.device, slots[i], NULL);
		vkDestroySampler(vk.device, samplers[i], NULL);
	}
}

/* ---- what is the same in other forms ---- */
static void forms(void **state)
{
	(void)state;
	const VkPhysicalDevice p = vk.physical[0];
	VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
	VkPhysicalDeviceProperties one;
	VkPhysicalDeviceProperties2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	VkQueueFamilyProperties2 family = {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2};
	VkPhysicalDeviceGroupProperties groups[16];
	uint32_t n = 1;
	VkQueue queue;
	vkGetPhysicalDeviceMemoryProperties2(p, &memory);
	assert_memory_equal(&memory.memoryProperties, &vk.memory, sizeof vk.memory);
	vkGetPhysicalDeviceProperties(p, &one);
	vkGetPhysicalDeviceProperties2(p, &two);
	assert_memory_equal(&one, &two.properties, sizeof one);
	vkGetPhysicalDeviceQueueFamilyProperties2(p, &n, &family);
	assert_int_equal(n, 1);
	assert_int_equal(family.queueFamilyProperties.queueFlags, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT);
	for (unsigned i = 0; i < 16; i++)
		groups[i] = (VkPhysicalDeviceGroupProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
	n = 16;
	VK_OK(vkEnumeratePhysicalDeviceGroups(vk.instance, &n, groups));
	assert_int_equal(n, vk.num_physical);
	assert_int_equal(groups[0].physicalDeviceCount, 1);
	VK_OK(vkGetPhysicalDeviceToolProperties(p, &n, NULL)); /* layers may be tools */
	vkGetDeviceQueue2(vk.device, &(VkDeviceQueueInfo2){VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, NULL, 0, 0, 1}, &queue);
	assert_ptr_equal(queue, vk.queues[1]);
	n = 0;
	VK_FAILS(VK_INCOMPLETE, vkEnumeratePhysicalDevices(vk.instance, &n, &(VkPhysicalDevice){NULL}));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {VK_CASE(mapping), VK_CASE(buffers), VK_CASE(images), VK_CASE(private_data), VK_CASE(forms)};
	vk_test_init(argc, argv);
	return cmocka_run_group_tests(tests, vk_test_setup, vk_test_teardown);
}
