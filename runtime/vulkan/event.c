/* Barriers and events. Commands of a queue run one after the other, each after the one before has completed, and the driver of the kernel
 * maintains caches around them: a barrier has nothing to do. */
#include "runtime/vulkan/objects.h"

void VKAPI_CALL galena_vkCmdPipelineBarrier(VkCommandBuffer c, VkPipelineStageFlags src, VkPipelineStageFlags dst, VkDependencyFlags flags,
					    uint32_t num_memory, const VkMemoryBarrier *memory, uint32_t num_buffers, const VkBufferMemoryBarrier *buffers,
					    uint32_t num_images, const VkImageMemoryBarrier *images)
{
	(void)c, (void)src, (void)dst, (void)flags, (void)num_memory, (void)memory, (void)num_buffers, (void)buffers, (void)num_images, (void)images;
}

void VKAPI_CALL galena_vkCmdPipelineBarrier2(VkCommandBuffer c, const VkDependencyInfo *info) { (void)c, (void)info; }

/* ---- events ---- */
VkResult VKAPI_CALL galena_vkCreateEvent(VkDevice d, const VkEventCreateInfo *info, const VkAllocationCallbacks *allocator, VkEvent *out)
{
	VkEvent e = OBJECT_NEW(d, allocator, VkEvent);
	(void)info;
	if (!e)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	atomic_init(&e->value, 1);
	const VkResult result = device_error(d, umd_sem_create(driver(), KMD_FENCE_LIMITED, &e->sem));
	if (result) {
		object_free(&d->allocator, allocator, e);
		return result;
	}
	*out = e;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyEvent(VkDevice d, VkEvent e, const VkAllocationCallbacks *allocator)
{
	if (!e)
		return;
	umd_sem_release(e->sem);
	object_free(&d->allocator, allocator, e);
}

VkResult VKAPI_CALL galena_vkGetEventStatus(VkDevice d, VkEvent e)
{
	struct kmd_fence_value v;
	umd_sync(driver());
	const int error = umd_sem_query(e->sem, &v);
	if (error || v.status)
		return device_lost(d);
	return v.value >= atomic_load(&e->value) ? VK_EVENT_SET : VK_EVENT_RESET;
}

VkResult VKAPI_CALL galena_vkSetEvent(VkDevice d, VkEvent e) { return device_error(d, umd_sem_advance(e->sem, atomic_load(&e->value))); }

VkResult VKAPI_CALL galena_vkResetEvent(VkDevice d, VkEvent e)
{
	(void)d;
	atomic_fetch_add(&e->value, 1);
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkCmdSetEvent(VkCommandBuffer c, VkEvent e, VkPipelineStageFlags stages)
{
	(void)stages;
	command_cut(c, (struct cut){.kind = CUT_SET_EVENT, .event = e});
}

void VKAPI_CALL galena_vkCmdSetEvent2(VkCommandBuffer c, VkEvent e, const VkDependencyInfo *info)
{
	(void)info;
	command_cut(c, (struct cut){.kind = CUT_SET_EVENT, .event = e});
}

void VKAPI_CALL galena_vkCmdResetEvent(VkCommandBuffer c, VkEvent e, VkPipelineStageFlags stages)
{
	(void)stages;
	command_cut(c, (struct cut){.kind = CUT_RESET_EVENT, .event = e});
}

void VKAPI_CALL galena_vkCmdResetEvent2(VkCommandBuffer c, VkEvent e, VkPipelineStageFlags2 stages)
{
	(void)stages;
	command_cut(c, (struct cut){.kind = CUT_RESET_EVENT, .event = e});
}

static void wait_events(VkCommandBuffer c, uint32_t count, const VkEvent *events)
{
	for (uint32_t i = 0; i < count; i++)
		command_cut(c, (struct cut){.kind = CUT_WAIT_EVENT, .event = events[i]});
}

void VKAPI_CALL galena_vkCmdWaitEvents(VkCommandBuffer c, uint32_t count, const VkEvent *events, VkPipelineStageFlags src, VkPipelineStageFlags dst,
				       uint32_t num_memory, const VkMemoryBarrier *memory, uint32_t num_buffers, const VkBufferMemoryBarrier *buffers,
				       uint32_t num_images, const VkImageMemoryBarrier *images)
{
	(void)src, (void)dst, (void)num_memory, (void)memory, (void)num_buffers, (void)buffers, (void)num_images, (void)images;
	wait_events(c, count, events);
}

void VKAPI_CALL galena_vkCmdWaitEvents2(VkCommandBuffer c, uint32_t count, const VkEvent *events, const VkDependencyInfo *infos)
{
	(void)infos;
	wait_events(c, count, events);
}
