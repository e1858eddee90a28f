/* Chains of structures that say what a physical device is, and what an application wants of it. */
#include "runtime/vulkan/objects.h"
#include <string.h>

/* A part of a structure that is a part of a block, too. */
struct range {
	VkStructureType type;
	bool features;
	size_t at, bytes, from; /* where in the structure; where in struct blocks */
};
#define BYTES(Struct, first, last) (offsetof(Struct, last) + sizeof(((Struct *)0)->last) - offsetof(Struct, first))
#define ROW(kind, type, Struct, first, last, block, block_first, block_last) \
	{VK_STRUCTURE_TYPE_##type, kind, offsetof(Struct, first), BYTES(Struct, first, last), offsetof(struct blocks, block.block_first)},
#define FEATURES(...) ROW(true, __VA_ARGS__)
#define RANGE(...) ROW(false, __VA_ARGS__)
static const struct range ranges[] = {
#include "runtime/vulkan/chains.def"
};
#undef FEATURES
#undef RANGE
#define FEATURES(type, Struct, first, last, block, block_first, block_last) \
	_Static_assert(BYTES(Struct, first, last) == BYTES(struct blocks, block.block_first, block.block_last), #Struct);
#define RANGE FEATURES
#include "runtime/vulkan/chains.def"
#undef FEATURES
#undef RANGE
enum { NUM_RANGES = sizeof ranges / sizeof *ranges };

void chain_fill(const struct blocks *blocks, void *chain)
{
	for (VkBaseOutStructure *s = chain; s; s = s->pNext)
		for (unsigned i = 0; i < NUM_RANGES; i++)
			if (ranges[i].type == s->sType)
				memcpy((char *)s + ranges[i].at, (const char *)blocks + ranges[i].from, ranges[i].bytes);
}

static bool within(const VkBool32 *wanted, const VkBool32 *had, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof *wanted; i++)
		if (wanted[i] && !had[i])
			return false;
	return true;
}

bool chain_features_present(const struct blocks *blocks, const VkDeviceCreateInfo *info)
{
	if (info->pEnabledFeatures && !within(&info->pEnabledFeatures->robustBufferAccess, &blocks->features.robustBufferAccess, sizeof blocks->features))
		return false;
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
		for (unsigned i = 0; i < NUM_RANGES; i++) {
			const struct range *r = &ranges[i];
			if (r->features && r->type == s->sType &&
			    !within((const VkBool32 *)((const char *)s + r->at), (const VkBool32 *)((const char *)blocks + r->from), r->bytes))
				return false;
		}
	return true;
}
