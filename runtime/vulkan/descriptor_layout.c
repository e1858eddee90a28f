/* Layouts of descriptor sets and of pipelines: where in a set's memory the descriptors of a binding are.
 *
 * A binding is an array of struct spirv_descriptor, and behind it, where these are of images, an array of struct image_desc that they point at. */
#include "runtime/vulkan/objects.h"
#include <string.h>

bool descriptor_has_image(VkDescriptorType type)
{
	return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE || type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
	       descriptor_is_texel_buffer(type);
}

bool descriptor_is_texel_buffer(VkDescriptorType type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

bool descriptor_has_sampler(VkDescriptorType type)
{
	return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || type == VK_DESCRIPTOR_TYPE_SAMPLER;
}

bool descriptor_is_dynamic(VkDescriptorType type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

uint32_t descriptor_bytes(VkDescriptorType type)
{
	return sizeof(struct spirv_descriptor) + (descriptor_has_image(type) ? sizeof(struct image_desc) : 0);
}

/* ---- of sets ---- */
static uint64_t set_bytes(const VkDescriptorSetLayoutCreateInfo *info)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < info->bindingCount; i++)
		bytes += (uint64_t)info->pBindings[i].descriptorCount * descriptor_bytes(info->pBindings[i].descriptorType);
	return bytes;
}

/* By their numbers: dynamic offsets come in that order. */
static void binding_insert(VkDescriptorSetLayout l, const VkDescriptorSetLayoutBinding *info)
{
	unsigned at = l->count++;
	for (; at && l->bindings[at - 1].number > info->binding; at--)
		l->bindings[at] = l->bindings[at - 1];
	l->bindings[at] = (struct binding){.number = info->binding, .type = info->descriptorType, .count = info->descriptorCount,
					   .samplers = descriptor_has_sampler(info->descriptorType) ? info->pImmutableSamplers : NULL};
}

/* Their bits are kept: the objects may go. */
static void samplers_keep(VkDescriptorSetLayout l, uint64_t *bits)
{
	for (unsigned i = 0; i < l->count; i++) {
		struct binding *b = &l->bindings[i];
		const VkSampler *samplers = b->samplers;
		for (uint32_t k = 0; samplers && k < b->count; k++)
			bits[k] = samplers[k]->bits;
		b->sampler_bits = samplers ? bits : NULL;
		b->samplers = NULL;
		bits += samplers ? b->count : 0;
	}
}

VkResult VKAPI_CALL galena_vkCreateDescriptorSetLayout(VkDevice d, const VkDescriptorSetLayoutCreateInfo *info, const VkAllocationCallbacks *allocator,
						       VkDescriptorSetLayout *out)
{
	size_t samplers = 0, bindings = info->bindingCount * sizeof(struct binding);
	FAIL_IF(set_bytes(info) > SET_BYTES, VK_ERROR_OUT_OF_DEVICE_MEMORY, "a descriptor set of %llu bytes, at most %d", (unsigned long long)set_bytes(info), (int)SET_BYTES);
	for (uint32_t i = 0; i < info->bindingCount; i++)
		samplers += info->pBindings[i].pImmutableSamplers ? info->pBindings[i].descriptorCount : 0;
	VkDescriptorSetLayout l = object_alloc(&d->allocator, allocator, sizeof *l + bindings + samplers * sizeof(uint64_t), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!l)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < info->bindingCount; i++)
		binding_insert(l, &info->pBindings[i]);
	samplers_keep(l, (uint64_t *)(l->bindings + l->count));
	for (unsigned i = 0; i < l->count; i++) {
		struct binding *b = &l->bindings[i];
		b->at = l->bytes;
		l->bytes += b->count * descriptor_bytes(b->type);
		l->num_dynamic += descriptor_is_dynamic(b->type) ? b->count : 0;
	}
	*out = l;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyDescriptorSetLayout(VkDevice d, VkDescriptorSetLayout l, const VkAllocationCallbacks *allocator)
{
	object_free(&d->allocator, allocator, l);
}

void VKAPI_CALL galena_vkGetDescriptorSetLayoutSupport(VkDevice d, const VkDescriptorSetLayoutCreateInfo *info, VkDescriptorSetLayoutSupport *out)
{
	(void)d;
	out->supported = set_bytes(info) <= SET_BYTES;
}

const struct binding *binding_find(VkDescriptorSetLayout l, uint32_t number)
{
	for (unsigned i = 0; i < l->count; i++)
		if (l->bindings[i].number == number)
			return &l->bindings[i];
	return NULL;
}

/* ---- of pipelines ---- */
VkResult VKAPI_CALL galena_vkCreatePipelineLayout(VkDevice d, const VkPipelineLayoutCreateInfo *info, const VkAllocationCallbacks *allocator, VkPipelineLayout *out)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < info->setLayoutCount; i++)
		count += info->pSetLayouts[i] ? info->pSetLayouts[i]->count : 0;
	VkPipelineLayout l = object_alloc(&d->allocator, allocator, sizeof *l + count * sizeof *l->bindings, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!l)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < info->setLayoutCount; i++)
		for (unsigned k = 0; info->pSetLayouts[i] && k < info->pSetLayouts[i]->count; k++) {
			const struct binding *b = &info->pSetLayouts[i]->bindings[k];
			l->bindings[l->count++] = (struct placed_binding){i, b->number, b->at};
		}
	*out = l;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyPipelineLayout(VkDevice d, VkPipelineLayout l, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, l); }
