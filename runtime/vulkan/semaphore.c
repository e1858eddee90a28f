/* Semaphores: binary ones and timelines, which are fences of the driver. An opaque descriptor is the semaphore; a sync file is a copy of what has
 * signalled or will signal a binary one. */
#include "runtime/vulkan/objects.h"
#include <unistd.h>

static VkResult semaphore_init(VkDevice d, VkSemaphore s, const VkSemaphoreCreateInfo *info)
{
	const VkSemaphoreTypeCreateInfo *type = chain_find(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
	const VkExportSemaphoreCreateInfo *export = chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
	s->timeline = type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
	TRY(device_error(d, umd_sem_create(driver(), KMD_FENCE_LIMITED | (export && export->handleTypes ? KMD_FENCE_SHARED : 0), &s->sem)));
	return s->timeline && type->initialValue ? device_error(d, umd_sem_advance(s->sem, type->initialValue)) : VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkCreateSemaphore(VkDevice d, const VkSemaphoreCreateInfo *info, const VkAllocationCallbacks *allocator, VkSemaphore *out)
{
	VkSemaphore s = OBJECT_NEW(d, allocator, VkSemaphore);
	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	const VkResult result = semaphore_init(d, s, info);
	if (result) {
		galena_vkDestroySemaphore(d, s, allocator);
		return result;
	}
	*out = s;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroySemaphore(VkDevice d, VkSemaphore s, const VkAllocationCallbacks *allocator)
{
	if (!s)
		return;
	umd_sem_release(s->sem);
	umd_sem_release(s->imported);
	object_free(&d->allocator, allocator, s);
}

/* ---- timelines ---- */
static VkResult value_of(VkSemaphore s, uint64_t *value)
{
	struct kmd_fence_value v;
	if (umd_sem_query(s->sem, &v) || v.status)
		return VK_ERROR_DEVICE_LOST;
	*value = v.value;
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkGetSemaphoreCounterValue(VkDevice d, VkSemaphore s, uint64_t *out)
{
	umd_sync(driver());
	return value_of(s, out) ? device_lost(d) : VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkSignalSemaphore(VkDevice d, const VkSemaphoreSignalInfo *info)
{
	return device_error(d, umd_sem_advance(info->semaphore->sem, info->value));
}

static VkResult reached(const void *arg)
{
	const VkSemaphoreWaitInfo *info = arg;
	const bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
	for (uint32_t i = 0; i < info->semaphoreCount; i++) {
		uint64_t value;
		TRY(value_of(info->pSemaphores[i], &value));
		if ((value >= info->pValues[i]) == any)
			return any ? VK_SUCCESS : VK_NOT_READY;
	}
	return any ? VK_NOT_READY : VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkWaitSemaphores(VkDevice d, const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
	if (timeout != UINT64_MAX || info->flags & VK_SEMAPHORE_WAIT_ANY_BIT)
		return wait_until(d, timeout, reached, info);
	for (uint32_t i = 0; i < info->semaphoreCount; i++)
		if (umd_sem_wait(info->pSemaphores[i]->sem, info->pValues[i]))
			return device_lost(d);
	return VK_SUCCESS;
}

/* ---- descriptors ---- */
VkResult sync_file_import(int fd, struct umd_sem **out)
{
	const int error = fd == -1 ? umd_sem_create(driver(), 0, out) : umd_sem_import(driver(), KMD_FENCE_SYNC_FILE, fd, out);
	FAIL_IF(error == KMD_NO_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for the payload of a sync file");
	FAIL_IF(error, VK_ERROR_INVALID_EXTERNAL_HANDLE, "descriptor %d is not a sync file of these devices (%d)", fd, error);
	if (fd == -1)
		umd_sem_give(*out);
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkImportSemaphoreFdKHR(VkDevice d, const VkImportSemaphoreFdInfoKHR *info)
{
	VkSemaphore s = info->semaphore;
	const bool sync_file = info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
	struct umd_sem *made;
	(void)d;
	if (sync_file) {
		TRY(sync_file_import(info->fd, &made));
	} else {
		const int error = umd_sem_import(driver(), KMD_FENCE_OPAQUE, info->fd, &made);
		FAIL_IF(error == KMD_NO_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for the semaphore");
		FAIL_IF(error, VK_ERROR_INVALID_EXTERNAL_HANDLE, "descriptor %d is not a semaphore of these devices (%d)", info->fd, error);
	}
	struct umd_sem **place = sync_file || info->flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT ? &s->imported : &s->sem;
	umd_sem_release(*place);
	*place = made;
	if (info->fd >= 0)
		close(info->fd); /* it is the driver's */
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkGetSemaphoreFdKHR(VkDevice d, const VkSemaphoreGetFdInfoKHR *info, int *out)
{
	const bool sync_file = info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
	struct umd_sem *sem = info->semaphore->imported ? info->semaphore->imported : info->semaphore->sem;
	const int error = umd_sem_export(sem, sync_file ? KMD_FENCE_SYNC_FILE : KMD_FENCE_OPAQUE, out);
	FAIL_IF(error == KMD_NO_MEMORY, VK_ERROR_TOO_MANY_OBJECTS, "no descriptor for the semaphore");
	FAIL_IF(error == KMD_INVALID, VK_ERROR_OUT_OF_HOST_MEMORY, "the semaphore was not made to be exported");
	return device_error(d, error);
}
