/* What the Vulkan tests share: they are applications, linked with the system's loader, which is pointed at the build tree before the first
 * call, and run below the Khronos validation layer where it is installed. A message of the layer fails the test that it comes in. */
#ifndef GALENA_TESTBENCH_VK_TEST_H
#define GALENA_TESTBENCH_VK_TEST_H
#include "testbench/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>
#include <cmocka.h>
#include "testbench/build_tree.h"

#define VK_OK(call) assert_int_equal((call), VK_SUCCESS)
/* The call fails with this code. */
#define VK_FAILS(expected, call) assert_int_equal((call), (expected))

#define VK_TEST_FUNCTIONS(F) \
	F(vkGetMemoryFdKHR) F(vkGetMemoryFdPropertiesKHR) F(vkGetMemoryHostPointerPropertiesEXT) F(vkGetSemaphoreFdKHR) F(vkImportSemaphoreFdKHR) \
	F(vkGetFenceFdKHR) F(vkImportFenceFdKHR)
enum { VK_TEST_QUEUES = 3 };
/* Made by vk_test_setup: a device of the first physical device. */
struct vk_test {
	VkInstance instance;
	VkDebugUtilsMessengerEXT messenger;
	VkPhysicalDevice physical[16];
	uint32_t num_physical;
	VkDevice device;
	VkQueue queue, queues[VK_TEST_QUEUES];
	VkCommandPool pool;
	VkPhysicalDeviceMemoryProperties memory;
	unsigned messages;   /* of the validation layer */
	const char *allowed; /* a rule that a case goes beyond, on purpose; NULL: none */
	uint64_t seed;
#define MEMBER(name) PFN_##name name;
	VK_TEST_FUNCTIONS(MEMBER)
#undef MEMBER
};
extern struct vk_test vk;

/* Sets the environment and the seed (argv[1], GALENA_SEED, or 1); TEST_FILTER names the cases to run. Before the first call. */
void vk_test_init(int argc, char **argv);
int vk_test_setup(void **state);
/* Its parts, for a test with a device of its own between them: the instance, and the pool of commands. */
bool vk_test_instance(void);
int vk_test_commands(void **state);
int vk_test_teardown(void **state);
/* For each case: fails it where the layer has said something. */
int vk_test_quiet(void **state);
#define VK_CASE(name) cmocka_unit_test_teardown(name, vk_test_quiet)

/* An instance below the layer, and a device with all extensions of it and some queues. */
VkInstance vk_instance(void);
VkDevice vk_device(VkPhysicalDevice);

/* Memory that has the properties; NULL extras: none. */
uint32_t vk_memory_type(uint32_t bits, VkMemoryPropertyFlags);
VkDeviceMemory vk_memory(VkDeviceSize size, uint32_t bits, VkMemoryPropertyFlags, const void *extras);
enum vk_place { VK_ON_DEVICE = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_ON_HOST = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT };

struct vk_buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	VkDeviceSize size;
	uint8_t *host; /* NULL: on the device */
};
struct vk_buffer vk_buffer(VkDeviceSize size, enum vk_place);
void vk_buffer_free(struct vk_buffer *);

struct vk_image {
	VkImage image;
	VkDeviceMemory memory;
	VkImageCreateInfo info;
};
struct vk_image vk_image(VkImageType, VkFormat, VkExtent3D, uint32_t layers, uint32_t levels, VkImageTiling);
void vk_image_free(struct vk_image *);

/* A command buffer that is begun, once; and its end: submitted to the queue, waited for, and freed. */
VkCommandBuffer vk_begin(void);
void vk_run(VkQueue, VkCommandBuffer);
/* All of an image, between two layouts; of all writes to all accesses. */
void vk_layout(VkCommandBuffer, VkImage, VkImageLayout from, VkImageLayout to);
void vk_barrier(VkCommandBuffer);

#endif
