/* Command pools and command buffers. A command buffer is the packets of its commands, cut where a command of the driver has to end or to begin
 * (queue.c), and memory with what the packets refer to. */
#include "runtime/vulkan/objects.h"
#include <stdlib.h>
#include <string.h>

struct chunk {
	struct chunk *next;
	struct umd_bo *bo;
	size_t used;
};
enum { CHUNK_BYTES = COMMAND_DATA_MAX, DATA_ALIGNMENT = 128 };

/* ---- what is recorded ---- */
union packet *command_packet(void *command_buffer)
{
	static _Thread_local union packet dummy;
	VkCommandBuffer c = command_buffer;
	union packet *p = &dummy;
	if (list_grow(&c->packets, c->num_packets, &c->cap_packets, sizeof *c->packets))
		p = &c->packets[c->num_packets++];
	else
		c->error = VK_ERROR_OUT_OF_HOST_MEMORY;
	return memset(p, 0, sizeof *p);
}

void command_cut(VkCommandBuffer c, struct cut cut)
{
	cut.at = c->num_packets;
	if (list_grow(&c->cuts, c->num_cuts, &c->cap_cuts, sizeof *c->cuts))
		c->cuts[c->num_cuts++] = cut;
	else
		c->error = VK_ERROR_OUT_OF_HOST_MEMORY;
}

static struct chunk *chunk_take(VkCommandPool pool)
{
	struct chunk *k = pool->spare;
	if (k) {
		pool->spare = k->next;
		return k;
	}
	k = malloc(sizeof *k);
	if (k && umd_bo_create(pool->device->space, 0, CHUNK_BYTES, KMD_BO_UNCACHED | KMD_BO_UNDEFINED, &k->bo)) {
		free(k);
		return NULL;
	}
	return k;
}

void *command_data(VkCommandBuffer c, size_t size, uint64_t *address)
{
	struct chunk *k = c->chunks;
	if (size > CHUNK_BYTES) {
		c->error = VK_ERROR_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	if (!k || k->used + size > CHUNK_BYTES) {
		k = chunk_take(c->pool);
		if (!k) {
			c->error = VK_ERROR_OUT_OF_HOST_MEMORY;
			return NULL;
		}
		k->used = 0;
		k->next = c->chunks;
		c->chunks = k;
	}
	const size_t at = k->used;
	k->used += (size + DATA_ALIGNMENT - 1) & ~(size_t)(DATA_ALIGNMENT - 1);
	*address = umd_bo_address(k->bo) + at;
	return (char *)umd_bo_cpu(k->bo) + at;
}

/* ---- command buffers ---- */
static void chunks_free(struct chunk *k)
{
	while (k) {
		struct chunk *next = k->next;
		umd_bo_release(k->bo);
		free(k);
		k = next;
	}
}

static void reset(VkCommandBuffer c, bool release)
{
	struct chunk **end = &c->chunks;
	while (*end)
		end = &(*end)->next;
	if (release) {
		chunks_free(c->chunks);
		free(c->packets);
		free(c->cuts);
		c->packets = NULL;
		c->cuts = NULL;
		c->cap_packets = c->cap_cuts = 0;
	} else {
		*end = c->pool->spare;
		c->pool->spare = c->chunks;
	}
	c->chunks = NULL;
	c->num_packets = c->num_cuts = 0;
	c->private_bytes = 0;
	memset(&c->bound, 0, sizeof c->bound);
	c->error = VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkBeginCommandBuffer(VkCommandBuffer c, const VkCommandBufferBeginInfo *info)
{
	(void)info;
	reset(c, false);
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkEndCommandBuffer(VkCommandBuffer c) { return c->error; }

VkResult VKAPI_CALL galena_vkResetCommandBuffer(VkCommandBuffer c, VkCommandBufferResetFlags flags)
{
	reset(c, flags & VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT);
	return VK_SUCCESS;
}

/* What a secondary one has recorded is copied; what its packets refer to stays its own. */
void VKAPI_CALL galena_vkCmdExecuteCommands(VkCommandBuffer c, uint32_t count, const VkCommandBuffer *list)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct VkCommandBuffer_T *s = list[i];
		if (c->private_bytes < s->private_bytes)
			c->private_bytes = s->private_bytes;
		unsigned done = 0;
		for (unsigned k = 0; k <= s->num_cuts; k++) {
			const unsigned end = k < s->num_cuts ? s->cuts[k].at : s->num_packets;
			for (; done < end; done++)
				*command_packet(c) = s->packets[done];
			if (k < s->num_cuts)
				command_cut(c, s->cuts[k]);
		}
	}
}

/* Each device is a group of its own. */
void VKAPI_CALL galena_vkCmdSetDeviceMask(VkCommandBuffer c, uint32_t mask) { (void)c, (void)mask; }

/* ---- pools ---- */
VkResult VKAPI_CALL galena_vkCreateCommandPool(VkDevice d, const VkCommandPoolCreateInfo *info, const VkAllocationCallbacks *allocator, VkCommandPool *out)
{
	VkCommandPool pool = OBJECT_NEW(d, allocator, VkCommandPool);
	(void)info;
	if (!pool)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	pool->device = d;
	if (d->allocator.pfnAllocation)
		pool->allocator = d->allocator;
	if (allocator)
		pool->allocator = *allocator;
	*out = pool;
	return VK_SUCCESS;
}

static void command_buffer_free(VkCommandPool pool, VkCommandBuffer c)
{
	reset(c, true);
	object_free(&pool->allocator, NULL, c);
}

void VKAPI_CALL galena_vkDestroyCommandPool(VkDevice d, VkCommandPool pool, const VkAllocationCallbacks *allocator)
{
	if (!pool)
		return;
	while (pool->first) {
		VkCommandBuffer c = pool->first;
		pool->first = c->next;
		command_buffer_free(pool, c);
	}
	chunks_free(pool->spare);
	object_free(&d->allocator, allocator, pool);
}

VkResult VKAPI_CALL galena_vkResetCommandPool(VkDevice d, VkCommandPool pool, VkCommandPoolResetFlags flags)
{
	const bool release = flags & VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT;
	for (VkCommandBuffer c = pool->first; c; c = c->next)
		reset(c, release);
	if (release)
		galena_vkTrimCommandPool(d, pool, 0);
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkTrimCommandPool(VkDevice d, VkCommandPool pool, VkCommandPoolTrimFlags flags)
{
	(void)d, (void)flags;
	chunks_free(pool->spare);
	pool->spare = NULL;
}

void VKAPI_CALL galena_vkFreeCommandBuffers(VkDevice d, VkCommandPool pool, uint32_t count, const VkCommandBuffer *list)
{
	(void)d;
	for (uint32_t i = 0; i < count; i++) {
		VkCommandBuffer *at = &pool->first;
		while (*at && *at != list[i])
			at = &(*at)->next;
		if (!list[i] || !*at)
			continue;
		*at = list[i]->next;
		command_buffer_free(pool, list[i]);
	}
}

VkResult VKAPI_CALL galena_vkAllocateCommandBuffers(VkDevice d, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out)
{
	VkCommandPool pool = info->commandPool;
	for (uint32_t i = 0; i < info->commandBufferCount; i++) {
		VkCommandBuffer c = object_alloc(&pool->allocator, NULL, sizeof *c, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
		if (!c) {
			galena_vkFreeCommandBuffers(d, pool, i, out);
			for (uint32_t k = 0; k < info->commandBufferCount; k++)
				out[k] = NULL;
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		}
		c->loader.loaderMagic = ICD_LOADER_MAGIC;
		c->pool = pool;
		c->next = pool->first;
		pool->first = out[i] = c;
	}
	return VK_SUCCESS;
}
