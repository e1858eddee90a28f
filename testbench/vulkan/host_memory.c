/* The application's own memory as Vulkan's, and what happens to a device that reaches it when it is gone. */
#define _GNU_SOURCE
#include "testbench/vulkan/vk_test.h"
#include <sys/mman.h>

/* The application's own memory. */
static void host_memory(void **state)
{
	(void)state;
	enum { SIZE = 12288 };
	uint32_t *mine = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(mine, MAP_FAILED);
	VkMemoryHostPointerPropertiesEXT properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
	const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
	VK_OK(vk.vkGetMemoryHostPointerPropertiesEXT(vk.device, type, mine, &properties));
	const VkImportMemoryHostPointerInfoEXT import = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, NULL, type, mine};
	VkDeviceMemory m = vk_memory(SIZE, properties.memoryTypeBits, VK_ON_HOST, &import);
	const VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, NULL, type};
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external, .size = SIZE, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkBuffer b;
	VkMemoryRequirements needs;
	VK_OK(vkCreateBuffer(vk.device, &info, NULL, &b));
	vkGetBufferMemoryRequirements(vk.device, b, &needs);
	assert_int_equal(needs.memoryTypeBits, properties.memoryTypeBits);
	VK_OK(vkBindBufferMemory(vk.device, b, m, 0));
	VkCommandBuffer c = vk_begin();
	vkCmdFillBuffer(c, b, 4, SIZE - 4, 0xabcdef);
	vk_barrier(c);
	vk_run(vk.queue, c);
	assert_int_equal(mine[0], 0);
	for (unsigned i = 1; i < SIZE / 4; i++)
		assert_int_equal(mine[i], 0xabcdef);
	vkDestroyBuffer(vk.device, b, NULL);
	vkFreeMemory(vk.device, m, NULL);
	munmap(mine, SIZE);
	/* it is not there any more */
	const VkMemoryAllocateInfo allocate = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, SIZE, vk_memory_type(properties.memoryTypeBits, VK_ON_HOST)};
	VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, vkAllocateMemory(vk.device, &allocate, NULL, &m));
}

/* A device that reaches memory which the application has unmapped is lost; others are not. */
static void lost(void **state)
{
	(void)state;
	enum { SIZE = 8192 };
	const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
	struct vk_test was = vk;
	void *mine = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(mine, MAP_FAILED);
	vk.device = vk_device(vk.physical[0]);
	vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VK_OK(vkCreateCommandPool(vk.device, &pool, NULL, &vk.pool));
	const VkImportMemoryHostPointerInfoEXT import = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, NULL, type, mine};
	VkDeviceMemory m = vk_memory(SIZE, ~0u, VK_ON_HOST, &import);
	const VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, NULL, type};
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external, .size = SIZE, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkBuffer b;
	VkFence f;
	VK_OK(vkCreateBuffer(vk.device, &info, NULL, &b));
	VK_OK(vkBindBufferMemory(vk.device, b, m, 0));
	VK_OK(vkCreateFence(vk.device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &f));
	VkCommandBuffer c = vk_begin();
	vkCmdFillBuffer(c, b, 0, VK_WHOLE_SIZE, 1);
	VK_OK(vkEndCommandBuffer(c));
	munmap(mine, SIZE);
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	VK_OK(vkQueueSubmit(vk.queue, 1, &submit, f));
	VK_FAILS(VK_ERROR_DEVICE_LOST, vkWaitForFences(vk.device, 1, &f, VK_TRUE, UINT64_MAX));
	VK_FAILS(VK_ERROR_DEVICE_LOST, vkGetFenceStatus(vk.device, f));
	VK_FAILS(VK_ERROR_DEVICE_LOST, vkQueueSubmit(vk.queue, 0, NULL, NULL));
	VK_FAILS(VK_ERROR_DEVICE_LOST, vkDeviceWaitIdle(vk.device));
	vkDestroyFence(vk.device, f, NULL);
	vkDestroyBuffer(vk.device, b, NULL);
	vkFreeMemory(vk.device, m, NULL);
	vkDestroyCommandPool(vk.device, vk.pool, NULL);
	vkDestroyDevice(vk.device, NULL);
	was.messages = 0; /* of the layer, about objects of a device that it takes to be at work */
	vk = was;
	c = vk_begin();
	vk_barrier(c);
	vk_run(vk.queue, c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {VK_CASE(host_memory), VK_CASE(lost)};
	vk_test_init(argc, argv);
	return cmocka_run_group_tests(tests, vk_test_setup, vk_test_teardown);
}
