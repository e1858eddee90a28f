/* The library as a loader sees it: versions of the interface, what it exports, and handles that loaders write to. */
#include "testbench/vulkan/vk_test.h"
#include <dlfcn.h>
#include <vulkan/vk_icd.h>

static char library_path[PATH_MAX];
static struct {
	VkResult(VKAPI_PTR *negotiate)(uint32_t *);
	PFN_vkVoidFunction(VKAPI_PTR *instance)(VkInstance, const char *), (VKAPI_PTR *physical)(VkInstance, const char *);
} icd;

static int load(void **state)
{
	/* the manifest names the library */
	char *path = library_path, line[PATH_MAX + 64];
	FILE *manifest = fopen(getenv("VK_DRIVER_FILES"), "r");
	(void)state;
	while (manifest && fgets(line, sizeof line, manifest))
		if (sscanf(line, " \"library_path\": \"%4000[^\"]\"", path) == 1)
			break;
	if (manifest)
		fclose(manifest);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s: %s\n", path, dlerror());
		return -1;
	}
	*(void **)&icd.negotiate = dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	*(void **)&icd.instance = dlsym(library, "vk_icdGetInstanceProcAddr");
	*(void **)&icd.physical = dlsym(library, "vk_icdGetPhysicalDeviceProcAddr");
	return icd.negotiate && icd.instance && icd.physical && !dlsym(library, "vkCreateInstance") ? 0 : -1;
}

/* A loader unloads it with the last instance; it stays, for its heap would reserve another range of addresses each time. */
static void stays(void **state)
{
	(void)state;
	void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	dlclose(library);
	dlclose(library); /* what load() has opened, too */
	assert_non_null(dlopen(library_path, RTLD_NOW | RTLD_NOLOAD));
}

/* The newest version that both know. A loader before version 5 would not let an application ask for more than Vulkan 1.0. */
static void versions(void **state)
{
	(void)state;
	static const struct { uint32_t offered, agreed; VkResult result; } cases[] = {
		{0, 0, VK_ERROR_INCOMPATIBLE_DRIVER}, {4, 4, VK_ERROR_INCOMPATIBLE_DRIVER}, {5, 5, VK_SUCCESS}, {6, 6, VK_SUCCESS}, {7, 6, VK_SUCCESS}, {1000, 6, VK_SUCCESS}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t version = cases[i].offered;
		VK_FAILS(cases[i].result, icd.negotiate(&version));
		assert_int_equal(version, cases[i].agreed);
	}
}

/* Without an instance there are global functions alone; functions of physical devices are told from the others. */
static void names(void **state)
{
	(void)state;
	assert_non_null(icd.instance(NULL, "vkCreateInstance"));
	assert_non_null(icd.instance(NULL, "vkEnumerateInstanceVersion"));
	assert_null(icd.instance(NULL, "vkDestroyInstance"));
	assert_null(icd.instance(NULL, "vkCmdCopyBuffer"));
	assert_non_null(icd.physical(NULL, "vkGetPhysicalDeviceProperties2"));
	assert_null(icd.physical(NULL, "vkDestroyInstance"));
	assert_null(icd.physical(NULL, "vkQueueSubmit"));
	assert_null(icd.physical(NULL, "vkGalena"));
}

/* Handles that are dispatched begin with the loader's word, which it replaces by its table. */
static void handles(void **state)
{
	(void)state;
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
	const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer commands;
	uint32_t one = 1;
#define CALL(name) ((PFN_##name)icd.instance(instance, #name))
	VK_OK(((PFN_vkCreateInstance)icd.instance(NULL, "vkCreateInstance"))(&info, NULL, &instance));
	assert_true(CALL(vkEnumeratePhysicalDevices)(instance, &one, &physical) >= 0);
	VK_OK(CALL(vkCreateDevice)(physical, &device_info, NULL, &device));
	CALL(vkGetDeviceQueue)(device, 0, 0, &queue);
	VK_OK(CALL(vkCreateCommandPool)(device, &pool_info, NULL, &pool));
	const VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	VK_OK(CALL(vkAllocateCommandBuffers)(device, &allocate, &commands));
	const void *const all[] = {instance, physical, device, queue, commands};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_true(valid_loader_magic_value((void *)(uintptr_t)all[i]));
	CALL(vkDestroyCommandPool)(device, pool, NULL);
	CALL(vkDestroyDevice)(device, NULL);
	CALL(vkDestroyInstance)(instance, NULL);
#undef CALL
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(stays), cmocka_unit_test(versions), cmocka_unit_test(names), cmocka_unit_test(handles)};
	vk_test_init(argc, argv);
	return cmocka_run_group_tests(tests, load, NULL);
}
