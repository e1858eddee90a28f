/* Private data: what an application keeps of objects, by slots. An object's data goes with it, for the next one may have its address. */
#include "base/fork.h"
#include "base/hold.h"
#include "base/table.h"
#include "runtime/vulkan/objects.h"

struct entry {
	uint64_t object; /* the key; 0 in no table */
	uint64_t data;
};
struct VkPrivateDataSlot_T {
	VkPrivateDataSlot next;
	struct table entries;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VkPrivateDataSlot slots; /* of all devices */
static atomic_uint num_slots;
HELD_OVER_FORK(lock, FORKS_OTHERS)

VkResult VKAPI_CALL galena_vkCreatePrivateDataSlot(VkDevice d, const VkPrivateDataSlotCreateInfo *info, const VkAllocationCallbacks *allocator,
						   VkPrivateDataSlot *out)
{
	VkPrivateDataSlot s = OBJECT_NEW(d, allocator, VkPrivateDataSlot);
	(void)info;
	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	HOLDING(&lock);
	s->next = slots;
	slots = s;
	atomic_fetch_add(&num_slots, 1);
	*out = s;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyPrivateDataSlot(VkDevice d, VkPrivateDataSlot s, const VkAllocationCallbacks *allocator)
{
	if (!s)
		return;
	{
		HOLDING(&lock);
		VkPrivateDataSlot *at = &slots;
		while (*at != s)
			at = &(*at)->next;
		*at = s->next;
		atomic_fetch_sub(&num_slots, 1);
	}
	table_free(&s->entries);
	object_free(&d->allocator, allocator, s);
}

VkResult VKAPI_CALL galena_vkSetPrivateData(VkDevice d, VkObjectType type, uint64_t object, VkPrivateDataSlot s, uint64_t data)
{
	(void)d, (void)type;
	HOLDING(&lock);
	struct entry *e = table_add(&s->entries, object, sizeof *e);
	if (!e)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	e->data = data;
	return VK_SUCCESS;
}

/* What was never set is 0. */
void VKAPI_CALL galena_vkGetPrivateData(VkDevice d, VkObjectType type, uint64_t object, VkPrivateDataSlot s, uint64_t *out)
{
	(void)d, (void)type;
	HOLDING(&lock);
	const struct entry *e = table_find(&s->entries, object);
	*out = e ? e->data : 0;
}

void private_data_forget(const void *object)
{
	if (!object || !atomic_load(&num_slots))
		return;
	HOLDING(&lock);
	for (VkPrivateDataSlot s = slots; s; s = s->next) {
		struct entry *e = table_find(&s->entries, (uintptr_t)object);
		if (e)
			e->data = 0;
	}
}
