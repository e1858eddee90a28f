/* Query pools: timestamps, which are the times at which commands of the driver have ended. */
#include "runtime/vulkan/objects.h"
#include <stdlib.h>
#include <string.h>

VkResult VKAPI_CALL galena_vkCreateQueryPool(VkDevice d, const VkQueryPoolCreateInfo *info, const VkAllocationCallbacks *allocator, VkQueryPool *out)
{
	(void)d, (void)allocator;
	VkQueryPool pool = calloc(1, sizeof *pool + info->queryCount * sizeof *pool->queries); /* commands may keep it longer than the allocator */
	if (!pool)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	atomic_init(&pool->refs, 1);
	pool->count = info->queryCount;
	*out = pool;
	return VK_SUCCESS;
}

void query_pool_unref(VkQueryPool pool)
{
	if (atomic_fetch_sub(&pool->refs, 1) == 1)
		free(pool);
}

void VKAPI_CALL galena_vkDestroyQueryPool(VkDevice d, VkQueryPool pool, const VkAllocationCallbacks *allocator)
{
	(void)d, (void)allocator;
	private_data_forget(pool);
	if (pool)
		query_pool_unref(pool);
}

/* ---- values ---- */
void query_reset(VkQueryPool pool, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		pool->queries[i].generation++;
		pool->queries[i].written = false;
	}
}

void query_known(VkQueryPool pool, uint32_t query, uint64_t generation, uint64_t value)
{
	struct query *q = &pool->queries[query];
	q->value = value;
	atomic_store_explicit(&q->known, generation, memory_order_release);
}

bool query_available(VkQueryPool pool, uint32_t query, uint64_t *value)
{
	struct query *q = &pool->queries[query];
	if (!q->written || atomic_load_explicit(&q->known, memory_order_acquire) != q->generation)
		return false;
	*value = q->value;
	return true;
}

void VKAPI_CALL galena_vkResetQueryPool(VkDevice d, VkQueryPool pool, uint32_t first, uint32_t count)
{
	(void)d;
	query_reset(pool, first, count);
}

struct range {
	VkQueryPool pool;
	uint32_t first, count;
};

/* All that have been submitted are there. */
static VkResult known(const void *arg)
{
	const struct range *r = arg;
	uint64_t value;
	for (uint32_t i = r->first; i < r->first + r->count; i++)
		if (!query_available(r->pool, i, &value))
			return VK_NOT_READY;
	return VK_SUCCESS;
}

static void put(void *at, VkQueryResultFlags flags, unsigned index, uint64_t value)
{
	const size_t bytes = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
	memcpy((char *)at + index * bytes, &value, bytes);
}

VkResult VKAPI_CALL galena_vkGetQueryPoolResults(VkDevice d, VkQueryPool pool, uint32_t first, uint32_t count, size_t size, void *data,
						 VkDeviceSize stride, VkQueryResultFlags flags)
{
	const struct range range = {pool, first, count};
	VkResult result = VK_SUCCESS;
	(void)size;
	if (flags & VK_QUERY_RESULT_WAIT_BIT)
		TRY(wait_until(d, UINT64_MAX, known, &range));
	else
		umd_sync(driver());
	for (uint32_t i = 0; i < count; i++) {
		char *at = (char *)data + i * stride;
		uint64_t value = 0;
		const bool available = query_available(pool, first + i, &value);
		if (available || flags & VK_QUERY_RESULT_PARTIAL_BIT)
			put(at, flags, 0, value);
		if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
			put(at, flags, 1, available);
		if (!available)
			result = VK_NOT_READY;
	}
	return atomic_load(&d->lost) ? VK_ERROR_DEVICE_LOST : result;
}

/* ---- commands ---- */
void VKAPI_CALL galena_vkCmdResetQueryPool(VkCommandBuffer c, VkQueryPool pool, uint32_t first, uint32_t count)
{
	command_cut(c, (struct cut){.kind = CUT_RESET_QUERIES, .pool = pool, .first = first, .count = count});
}

void VKAPI_CALL galena_vkCmdWriteTimestamp(VkCommandBuffer c, VkPipelineStageFlagBits stage, VkQueryPool pool, uint32_t query)
{
	(void)stage;
	command_cut(c, (struct cut){.kind = CUT_TIMESTAMP, .pool = pool, .first = query});
}

void VKAPI_CALL galena_vkCmdWriteTimestamp2(VkCommandBuffer c, VkPipelineStageFlags2 stage, VkQueryPool pool, uint32_t query)
{
	(void)stage;
	command_cut(c, (struct cut){.kind = CUT_TIMESTAMP, .pool = pool, .first = query});
}

void VKAPI_CALL galena_vkCmdCopyQueryPoolResults(VkCommandBuffer c, VkQueryPool pool, uint32_t first, uint32_t count, VkBuffer dst, VkDeviceSize offset,
						 VkDeviceSize stride, VkQueryResultFlags flags)
{
	command_cut(c, (struct cut){.kind = CUT_COPY_RESULTS, .pool = pool, .first = first, .count = count, .flags = flags,
				    .address = dst->address + offset, .stride = stride});
}
