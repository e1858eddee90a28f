/* Descriptor pools and sets: a pool is memory that the device reads, a set a part of it. */
#include "runtime/vulkan/objects.h"
#include <string.h>

/* ---- pools ---- */
VkResult VKAPI_CALL galena_vkCreateDescriptorPool(VkDevice d, const VkDescriptorPoolCreateInfo *info, const VkAllocationCallbacks *allocator, VkDescriptorPool *out)
{
	VkDescriptorPool pool = OBJECT_NEW(d, allocator, VkDescriptorPool);
	uint64_t bytes = 0;
	if (!pool)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < info->poolSizeCount; i++)
		bytes += (uint64_t)info->pPoolSizes[i].descriptorCount * descriptor_bytes(info->pPoolSizes[i].type);
	pool->bytes = bytes;
	pool->left = info->maxSets;
	if (d->allocator.pfnAllocation)
		pool->allocator = d->allocator;
	if (allocator)
		pool->allocator = *allocator;
	const VkResult result = memory_error(d, umd_bo_create(d->space, d->physical->index, bytes ? bytes : 1, KMD_BO_SYSTEM | KMD_BO_UNCACHED, &pool->bo), bytes);
	if (result) {
		object_free(&d->allocator, allocator, pool);
		return result;
	}
	*out = pool;
	return VK_SUCCESS;
}

static void sets_free(VkDescriptorPool pool)
{
	while (pool->first) {
		VkDescriptorSet s = pool->first;
		pool->first = s->next;
		pool->left++;
		object_free(&pool->allocator, NULL, s);
	}
	pool->last = NULL;
}

VkResult VKAPI_CALL galena_vkResetDescriptorPool(VkDevice d, VkDescriptorPool pool, VkDescriptorPoolResetFlags flags)
{
	(void)d, (void)flags;
	sets_free(pool);
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyDescriptorPool(VkDevice d, VkDescriptorPool pool, const VkAllocationCallbacks *allocator)
{
	if (!pool)
		return;
	sets_free(pool);
	umd_bo_release(pool->bo);
	object_free(&d->allocator, allocator, pool);
}

/* ---- sets ---- */
/* The set behind which there is room, NULL for the beginning. Sets stand in the order of their places: behind the last, or in the first gap. */
static bool room_find(VkDescriptorPool pool, uint32_t bytes, VkDescriptorSet *behind)
{
	VkDescriptorSet s = pool->last;
	*behind = s;
	if (pool->bytes - (s ? s->at + s->bytes : 0) >= bytes)
		return true;
	*behind = NULL;
	uint64_t end = 0;
	for (s = pool->first; s; *behind = s, end = s->at + s->bytes, s = s->next)
		if (s->at - end >= bytes)
			return true;
	return false;
}

/* Dynamic descriptors and samplers that the layout has. */
static void set_begin(VkDescriptorSet s, VkDescriptorSetLayout l)
{
	for (unsigned i = 0; i < l->count; i++) {
		const struct binding *b = &l->bindings[i];
		struct spirv_descriptor *descriptors = (struct spirv_descriptor *)(s->cpu + b->at);
		for (uint32_t k = 0; k < b->count; k++) {
			if (b->sampler_bits)
				descriptors[k].range = b->sampler_bits[k];
			if (descriptor_is_dynamic(b->type))
				s->dynamic[s->num_dynamic++] = b->at + k * (uint32_t)sizeof *descriptors;
		}
	}
}

static VkResult set_allocate(VkDescriptorPool pool, VkDescriptorSetLayout l, VkDescriptorSet *out)
{
	VkDescriptorSet behind;
	if (!pool->left || !room_find(pool, l->bytes, &behind))
		return FAIL(VK_ERROR_OUT_OF_POOL_MEMORY, "a descriptor pool is full");
	VkDescriptorSet s = object_alloc(&pool->allocator, NULL, sizeof *s + l->num_dynamic * sizeof *s->dynamic, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	VkDescriptorSet *link = behind ? &behind->next : &pool->first;
	s->layout = l;
	s->at = behind ? behind->at + behind->bytes : 0;
	s->bytes = l->bytes;
	s->address = umd_bo_address(pool->bo) + s->at;
	s->cpu = (uint8_t *)umd_bo_cpu(pool->bo) + s->at;
	s->next = *link;
	*link = s;
	if (!s->next)
		pool->last = s;
	pool->left--;
	memset(s->cpu, 0, s->bytes);
	set_begin(s, l);
	*out = s;
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkFreeDescriptorSets(VkDevice d, VkDescriptorPool pool, uint32_t count, const VkDescriptorSet *sets)
{
	(void)d;
	for (uint32_t i = 0; i < count; i++) {
		VkDescriptorSet before = NULL, s = pool->first;
		for (; s && s != sets[i]; s = s->next)
			before = s;
		if (!sets[i] || !s)
			continue;
		if (before)
			before->next = s->next;
		else
			pool->first = s->next;
		if (!s->next)
			pool->last = before;
		pool->left++;
		object_free(&pool->allocator, NULL, s);
	}
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkAllocateDescriptorSets(VkDevice d, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out)
{
	for (uint32_t i = 0; i < info->descriptorSetCount; i++) {
		const VkResult result = set_allocate(info->descriptorPool, info->pSetLayouts[i], &out[i]);
		if (!result)
			continue;
		galena_vkFreeDescriptorSets(d, info->descriptorPool, i, out);
		for (uint32_t k = 0; k < info->descriptorSetCount; k++)
			out[k] = VK_NULL_HANDLE;
		return result;
	}
	return VK_SUCCESS;
}

/* ---- updates ---- */
/* Elements of a binding from one on; what goes beyond it goes on in the next binding. */
struct cursor {
	VkDescriptorSet set;
	const struct binding *binding;
	uint32_t element;
};

static struct cursor cursor(VkDescriptorSet s, uint32_t binding, uint32_t element) { return (struct cursor){s, binding_find(s->layout, binding), element}; }

/* Is there one? */
static bool settle(struct cursor *c)
{
	const struct binding *end = c->set->layout->bindings + c->set->layout->count;
	while (c->binding && c->element >= c->binding->count) {
		c->element -= c->binding->count;
		c->binding = c->binding + 1 < end ? c->binding + 1 : NULL;
	}
	return c->binding;
}

static struct spirv_descriptor *descriptor(const struct cursor *c) { return (struct spirv_descriptor *)(c->set->cpu + c->binding->at) + c->element; }

static uint32_t image_at(const struct cursor *c)
{
	return c->binding->at + c->binding->count * (uint32_t)sizeof(struct spirv_descriptor) + c->element * (uint32_t)sizeof(struct image_desc);
}

static void write_buffer(const struct cursor *c, const VkDescriptorBufferInfo *info)
{
	*descriptor(c) = !info->buffer ? (struct spirv_descriptor){0, 0} :
					 (struct spirv_descriptor){info->buffer->address + info->offset,
								   info->range == VK_WHOLE_SIZE ? info->buffer->size - info->offset : info->range};
}

/* What the descriptor points at, empty. */
static struct image_desc *image_begin(const struct cursor *c)
{
	const uint32_t at = image_at(c);
	struct image_desc *image = (struct image_desc *)(c->set->cpu + at);
	*image = (struct image_desc){.width = 0};
	descriptor(c)->address = c->set->address + at;
	return image;
}

static void write_image(const struct cursor *c, const VkDescriptorImageInfo *info)
{
	if (descriptor_has_image(c->binding->type)) {
		struct image_desc *image = image_begin(c);
		if (info->imageView)
			image_view_describe(info->imageView, image);
	}
	if (descriptor_has_sampler(c->binding->type) && !c->binding->sampler_bits)
		descriptor(c)->range = info->sampler ? info->sampler->bits : 0;
}

static void write_texel_buffer(const struct cursor *c, VkBufferView v)
{
	struct image_desc *image = image_begin(c);
	if (v)
		buffer_view_describe(v, image);
}

static void write_one(const struct cursor *c, VkDescriptorType type, const void *info)
{
	if (descriptor_is_texel_buffer(type))
		write_texel_buffer(c, *(const VkBufferView *)info);
	else if (descriptor_has_image(type) || descriptor_has_sampler(type))
		write_image(c, info);
	else
		write_buffer(c, info);
}

static void copy_set(const VkCopyDescriptorSet *copy)
{
	struct cursor from = cursor(copy->srcSet, copy->srcBinding, copy->srcArrayElement), to = cursor(copy->dstSet, copy->dstBinding, copy->dstArrayElement);
	for (uint32_t i = 0; i < copy->descriptorCount && settle(&from) && settle(&to); i++, from.element++, to.element++) {
		*descriptor(&to) = *descriptor(&from);
		if (!descriptor_has_image(to.binding->type))
			continue;
		const uint32_t at = image_at(&to);
		memcpy(to.set->cpu + at, from.set->cpu + image_at(&from), sizeof(struct image_desc));
		descriptor(&to)->address = to.set->address + at;
	}
}

void VKAPI_CALL galena_vkUpdateDescriptorSets(VkDevice d, uint32_t writes, const VkWriteDescriptorSet *write, uint32_t copies, const VkCopyDescriptorSet *copy)
{
	(void)d;
	for (uint32_t i = 0; i < writes; i++) {
		const VkWriteDescriptorSet *w = &write[i];
		const bool image = descriptor_has_image(w->descriptorType) || descriptor_has_sampler(w->descriptorType);
		struct cursor c = cursor(w->dstSet, w->dstBinding, w->dstArrayElement);
		for (uint32_t k = 0; k < w->descriptorCount && settle(&c); k++, c.element++)
			write_one(&c, w->descriptorType, descriptor_is_texel_buffer(w->descriptorType) ? (const void *)&w->pTexelBufferView[k] :
							 image ? (const void *)&w->pImageInfo[k] : (const void *)&w->pBufferInfo[k]);
	}
	for (uint32_t i = 0; i < copies; i++)
		copy_set(&copy[i]);
}

/* ---- templates ---- */
VkResult VKAPI_CALL galena_vkCreateDescriptorUpdateTemplate(VkDevice d, const VkDescriptorUpdateTemplateCreateInfo *info, const VkAllocationCallbacks *allocator,
							    VkDescriptorUpdateTemplate *out)
{
	const size_t bytes = info->descriptorUpdateEntryCount * sizeof *info->pDescriptorUpdateEntries;
	VkDescriptorUpdateTemplate t = object_alloc(&d->allocator, allocator, sizeof *t + bytes, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!t)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	t->count = info->descriptorUpdateEntryCount;
	memcpy(t->entries, info->pDescriptorUpdateEntries, bytes);
	*out = t;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyDescriptorUpdateTemplate(VkDevice d, VkDescriptorUpdateTemplate t, const VkAllocationCallbacks *allocator)
{
	object_free(&d->allocator, allocator, t);
}

void VKAPI_CALL galena_vkUpdateDescriptorSetWithTemplate(VkDevice d, VkDescriptorSet set, VkDescriptorUpdateTemplate t, const void *data)
{
	(void)d;
	for (uint32_t i = 0; i < t->count; i++) {
		const VkDescriptorUpdateTemplateEntry *e = &t->entries[i];
		struct cursor c = cursor(set, e->dstBinding, e->dstArrayElement);
		for (uint32_t k = 0; k < e->descriptorCount && settle(&c); k++, c.element++)
			write_one(&c, e->descriptorType, (const char *)data + e->offset + k * e->stride);
	}
}
