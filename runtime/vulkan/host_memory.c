/* Memory of the host for objects. */
#include "runtime/vulkan/objects.h"
#include <stdlib.h>
#include <string.h>

static const VkAllocationCallbacks *most_specific(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *given)
{
	return given ? given : parent && parent->pfnAllocation ? parent : NULL;
}

void *object_alloc(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *given, size_t size, VkSystemAllocationScope scope)
{
	const VkAllocationCallbacks *a = most_specific(parent, given);
	if (!a)
		return calloc(1, size);
	void *p = a->pfnAllocation(a->pUserData, size, _Alignof(max_align_t), scope);
	return p ? memset(p, 0, size) : NULL;
}

void object_free(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *given, void *p)
{
	private_data_forget(p);
	const VkAllocationCallbacks *a = most_specific(parent, given);
	if (a && p)
		a->pfnFree(a->pUserData, p);
	else
		free(p);
}

bool list_grow(void *list, unsigned count, unsigned *room, size_t size)
{
	void *at = *(void **)list;
	if (count < *room)
		return true;
	const unsigned more = 2 * *room + 16;
	at = realloc(at, more * size);
	if (!at)
		return false;
	*(void **)list = at;
	*room = more;
	return true;
}

const void *chain_find(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *s = chain;
	while (s && s->sType != type)
		s = s->pNext;
	return s;
}
