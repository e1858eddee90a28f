/* The interface to the Vulkan loader, version 5 and 6: the address of each entry point, by its name. */
#include "runtime/vulkan/objects.h"
#include <string.h>

enum level { GLOBAL, INSTANCE, PHYSICAL, DEVICE };
static const struct entry_point {
	enum level level;
	enum extension extension;
	const char *name;
	PFN_vkVoidFunction address;
} entry_points[] = {
#define ENTRY(level, name, extension) {level, EXTENSION_##extension, #name, (PFN_vkVoidFunction)galena_##name},
#define ALIAS(level, name, extension, core) {level, EXTENSION_##extension, #name, (PFN_vkVoidFunction)galena_##core},
#include "runtime/vulkan/entry_points.def"
#undef ENTRY
#undef ALIAS
};

static const struct entry_point *find(const char *name)
{
	for (size_t i = 0; i < sizeof entry_points / sizeof *entry_points; i++)
		if (!strcmp(entry_points[i].name, name))
			return &entry_points[i];
	return NULL;
}

static bool enabled(const struct entry_point *e, uint64_t extensions) { return e->extension == EXTENSION_CORE || extensions >> e->extension & 1; }

/* Functions of devices whatever is enabled: their devices are not known yet. */
PFN_vkVoidFunction entry_point_instance(uint64_t extensions, const char *name)
{
	const struct entry_point *e = find(name);
	return e && (e->level == DEVICE || enabled(e, extensions)) ? e->address : NULL;
}

PFN_vkVoidFunction entry_point_device(uint64_t extensions, const char *name)
{
	const struct entry_point *e = find(name);
	return e && (e->level == DEVICE || !strcmp(name, "vkGetDeviceProcAddr")) && enabled(e, extensions) ? e->address : NULL;
}

PFN_vkVoidFunction VKAPI_CALL galena_vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
	if (instance)
		return entry_point_instance(instance->extensions, name);
	const struct entry_point *e = find(name);
	return e && e->level == GLOBAL ? e->address : NULL;
}

PFN_vkVoidFunction VKAPI_CALL galena_vkGetDeviceProcAddr(VkDevice device, const char *name) { return entry_point_device(device->extensions, name); }

/* ---- what the library exports ---- */
#define EXPORT __attribute__((visibility("default")))
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance, const char *name);
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance, const char *name);
enum { INTERFACE_OLDEST = 5, INTERFACE_NEWEST = 6 };

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	if (*version < INTERFACE_OLDEST)
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	if (*version > INTERFACE_NEWEST)
		*version = INTERFACE_NEWEST;
	return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	return galena_vkGetInstanceProcAddr(instance, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
	const struct entry_point *e = find(name);
	return e && e->level == PHYSICAL && (!instance || enabled(e, instance->extensions)) ? e->address : NULL;
}
