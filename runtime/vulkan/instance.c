/* Instances, and the physical devices that they have. */
#include "runtime/vulkan/objects.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- extensions ---- */
static const struct known {
	bool device;
	enum extension extension;
	VkExtensionProperties properties;
} extensions[] = {
#define INSTANCE false
#define DEVICE true
#define EXTENSION(level, name, version) {level, EXTENSION_##name, {"VK_" #name, version}},
#include "runtime/vulkan/extensions.def"
#undef EXTENSION
#undef INSTANCE
#undef DEVICE
};
enum { NUM_EXTENSIONS = sizeof extensions / sizeof *extensions };

VkResult extensions_list(bool device, const char *layer, uint32_t *count, VkExtensionProperties *out)
{
	uint32_t n = 0, room = *count;
	FAIL_IF(layer, VK_ERROR_LAYER_NOT_PRESENT, "the driver has no layer %s", layer);
	for (unsigned i = 0; i < NUM_EXTENSIONS; i++) {
		if (extensions[i].device != device)
			continue;
		if (out && n < room)
			out[n] = extensions[i].properties;
		n++;
	}
	*count = out && n > room ? room : n;
	return out && n > room ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult extensions_enable(bool device, uint32_t count, const char *const *names, uint64_t *out)
{
	*out = 0;
	for (uint32_t i = 0; i < count; i++) {
		unsigned k = 0;
		while (k < NUM_EXTENSIONS && (extensions[k].device != device || strcmp(extensions[k].properties.extensionName, names[i])))
			k++;
		FAIL_IF(k == NUM_EXTENSIONS, VK_ERROR_EXTENSION_NOT_PRESENT, "there is no extension %s", names[i]);
		*out |= UINT64_C(1) << extensions[k].extension;
	}
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *out)
{
	return extensions_list(false, layer, count, out);
}

VkResult VKAPI_CALL galena_vkEnumerateInstanceVersion(uint32_t *version)
{
	*version = VK_HEADER_VERSION_COMPLETE;
	return VK_SUCCESS;
}

/* ---- instances ---- */
static void physical_device_init(VkPhysicalDevice p, VkInstance instance, unsigned index)
{
	/* a configuration file is named by its own name, not by where it lies; as OpenCL says it */
	const char *config = getenv("GALENA_CONFIG"), *base = config ? strrchr(config, '/') : NULL;
	*p = (struct VkPhysicalDevice_T){.loader.loaderMagic = ICD_LOADER_MAGIC, .instance = instance, .index = index,
					 .info = umd_device_info(driver(), index)};
	snprintf(p->name, sizeof p->name, "Galena %.40s", base ? base + 1 : config && *config ? config : "full");
}

VkResult VKAPI_CALL galena_vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	uint64_t enabled;
	TRY(extensions_enable(false, info->enabledExtensionCount, info->ppEnabledExtensionNames, &enabled));
	VkInstance i = object_alloc(NULL, allocator, sizeof *i, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!i)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	struct umd *umd = driver_open();
	if (!umd) {
		object_free(NULL, allocator, i);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	i->loader.loaderMagic = ICD_LOADER_MAGIC;
	i->extensions = enabled;
	if (allocator)
		i->allocator = *allocator;
	i->num_devices = umd_num_devices(umd) < DEVICES_MAX ? umd_num_devices(umd) : DEVICES_MAX;
	for (unsigned n = 0; n < i->num_devices; n++)
		physical_device_init(&i->devices[n], i, n);
	*out = i;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	if (!instance)
		return;
	object_free(NULL, allocator, instance);
	driver_close();
}

VkResult VKAPI_CALL galena_vkEnumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *out)
{
	const uint32_t all = instance->num_devices, n = !out || *count > all ? all : *count;
	for (uint32_t i = 0; out && i < n; i++)
		out[i] = &instance->devices[i];
	*count = n;
	return n < all ? VK_INCOMPLETE : VK_SUCCESS;
}

/* Each device is a group of its own. */
VkResult VKAPI_CALL galena_vkEnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *out)
{
	const uint32_t all = instance->num_devices, n = !out || *count > all ? all : *count;
	for (uint32_t i = 0; out && i < n; i++) {
		out[i].physicalDeviceCount = 1;
		out[i].physicalDevices[0] = &instance->devices[i];
		out[i].subsetAllocation = VK_FALSE;
	}
	*count = n;
	return n < all ? VK_INCOMPLETE : VK_SUCCESS;
}
