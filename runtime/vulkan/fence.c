/* Fences: binary semaphores of the driver. A submission signals one, and a reset takes the signal. */
#include "runtime/vulkan/objects.h"
#include <sys/socket.h>
#include <unistd.h>

/* A signal of the host takes its place among the work of the client; so one that others may know of is waited for. */
static void begin_signalled(VkFence f)
{
	if (f->shared) {
		umd_sem_give(f->sem);
		umd_sem_wait(f->sem, 1);
	} else {
		f->resets--;
	}
}

VkResult VKAPI_CALL galena_vkCreateFence(VkDevice d, const VkFenceCreateInfo *info, const VkAllocationCallbacks *allocator, VkFence *out)
{
	const VkExportFenceCreateInfo *export = chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO);
	VkFence f = OBJECT_NEW(d, allocator, VkFence);
	if (!f)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	f->sync_file = -1;
	f->shared = export && export->handleTypes;
	const VkResult result = device_error(d, umd_sem_create(driver(), f->shared ? KMD_FENCE_SHARED : 0, &f->sem));
	if (result) {
		object_free(&d->allocator, allocator, f);
		return result;
	}
	if (info->flags & VK_FENCE_CREATE_SIGNALED_BIT)
		begin_signalled(f);
	*out = f;
	return VK_SUCCESS;
}

/* The payload of a temporary import is given back. */
static void restore(VkFence f)
{
	f->queue = NULL;
	umd_sem_release(f->imported);
	f->imported = NULL;
	if (f->sync_file >= 0)
		close(f->sync_file);
	f->sync_file = -1;
}

void VKAPI_CALL galena_vkDestroyFence(VkDevice d, VkFence f, const VkAllocationCallbacks *allocator)
{
	if (!f)
		return;
	restore(f);
	umd_sem_release(f->sem);
	object_free(&d->allocator, allocator, f);
}

/* ---- state ---- */
/* What value signals it; *value: what it has. */
static VkResult target(VkFence f, uint64_t *target, uint64_t *value)
{
	struct kmd_fence_value v;
	if (umd_sem_query(f->imported ? f->imported : f->sem, &v) || v.status)
		return VK_ERROR_DEVICE_LOST;
	*target = v.waits + (f->imported ? 0 : f->resets) + 1;
	*value = v.value;
	return VK_SUCCESS;
}

/* What can be read of it is the status, once it has been reached; it stays there. */
static VkResult sync_file_state(int fd)
{
	int32_t status = 0;
	const ssize_t n = recv(fd, &status, sizeof status, MSG_PEEK | MSG_DONTWAIT);
	if (n < 0)
		return VK_NOT_READY;
	return status ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

VkResult fence_state(VkFence f)
{
	uint64_t wanted, value;
	if (f->sync_file >= 0)
		return sync_file_state(f->sync_file);
	TRY(target(f, &wanted, &value));
	return value >= wanted ? VK_SUCCESS : VK_NOT_READY;
}

VkResult VKAPI_CALL galena_vkGetFenceStatus(VkDevice d, VkFence f)
{
	umd_sync(driver());
	const VkResult result = fence_state(f);
	return result == VK_ERROR_DEVICE_LOST ? device_lost(d) : result;
}

static VkResult reset(VkDevice d, VkFence f)
{
	restore(f);
	const VkResult result = fence_state(f);
	if (result)
		return result == VK_ERROR_DEVICE_LOST ? device_lost(d) : VK_SUCCESS;
	if (f->shared)
		return device_error(d, umd_sem_take(f->sem));
	f->resets++;
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkResetFences(VkDevice d, uint32_t count, const VkFence *fences)
{
	for (uint32_t i = 0; i < count; i++)
		TRY(reset(d, fences[i]));
	return VK_SUCCESS;
}

/* ---- waiting ---- */
struct fences {
	uint32_t count;
	const VkFence *of;
	bool all;
};

static VkResult signalled(const void *arg)
{
	const struct fences *f = arg;
	for (uint32_t i = 0; i < f->count; i++) {
		const VkResult result = fence_state(f->of[i]);
		if (result != VK_SUCCESS && (f->all || result != VK_NOT_READY))
			return result;
		if (result == VK_SUCCESS && !f->all)
			return VK_SUCCESS;
	}
	return f->all ? VK_SUCCESS : VK_NOT_READY;
}

static VkResult wait_for_one(VkFence f)
{
	uint64_t wanted = 1, value = 0;
	if (f->sync_file < 0)
		TRY(target(f, &wanted, &value));
	if (umd_sem_wait(f->imported ? f->imported : f->sem, wanted))
		return VK_ERROR_DEVICE_LOST;
	if (f->queue)
		queue_observed(f->queue, f->sequence);
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkWaitForFences(VkDevice d, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout)
{
	const struct fences f = {count, fences, all || count == 1};
	if (timeout != UINT64_MAX || !f.all)
		return wait_until(d, timeout, signalled, &f);
	for (uint32_t i = 0; i < count; i++)
		if (wait_for_one(fences[i]))
			return device_lost(d);
	return VK_SUCCESS;
}

/* ---- descriptors ---- */
VkResult VKAPI_CALL galena_vkGetFenceFdKHR(VkDevice d, const VkFenceGetFdInfoKHR *info, int *out)
{
	VkFence f = info->fence;
	const bool sync_file = info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
	const int error = umd_sem_export(f->imported ? f->imported : f->sem, sync_file ? KMD_FENCE_SYNC_FILE : KMD_FENCE_OPAQUE, out);
	FAIL_IF(error == KMD_NO_MEMORY, VK_ERROR_TOO_MANY_OBJECTS, "no descriptor for the fence");
	FAIL_IF(error == KMD_INVALID, VK_ERROR_OUT_OF_HOST_MEMORY, "the fence was not made to be exported");
	return device_error(d, error);
}

static VkResult import_opaque(VkFence f, int fd, bool temporary)
{
	struct umd_sem *made;
	const int error = umd_sem_import(driver(), KMD_FENCE_OPAQUE, fd, &made);
	FAIL_IF(error == KMD_NO_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY, "no memory for the fence");
	FAIL_IF(error, VK_ERROR_INVALID_EXTERNAL_HANDLE, "descriptor %d is not a fence of these devices (%d)", fd, error);
	restore(f);
	if (temporary) {
		f->imported = made;
	} else {
		umd_sem_release(f->sem);
		f->sem = made;
		f->shared = true;
		f->resets = 0;
	}
	close(fd); /* it is the driver's */
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkImportFenceFdKHR(VkDevice d, const VkImportFenceFdInfoKHR *info)
{
	VkFence f = info->fence;
	struct umd_sem *made;
	(void)d;
	if (info->handleType != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)
		return import_opaque(f, info->fd, info->flags & VK_FENCE_IMPORT_TEMPORARY_BIT);
	TRY(sync_file_import(info->fd, &made));
	restore(f);
	f->imported = made;
	f->sync_file = info->fd; /* it is the driver's */
	return VK_SUCCESS;
}
