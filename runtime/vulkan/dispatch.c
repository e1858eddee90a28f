/* Commands that run shaders. */
#include "runtime/vulkan/objects.h"
#include <string.h>

void VKAPI_CALL galena_vkCmdBindPipeline(VkCommandBuffer c, VkPipelineBindPoint point, VkPipeline p)
{
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		c->bound.pipeline = p;
}

/* With dynamic offsets what is bound is a copy of the set. */
static uint64_t set_bind(VkCommandBuffer c, VkDescriptorSet s, const uint32_t *offsets)
{
	uint64_t address;
	uint8_t *copy = s->num_dynamic ? command_data(c, s->bytes, &address) : NULL;
	if (!copy)
		return s->address;
	memcpy(copy, s->cpu, s->bytes);
	for (unsigned i = 0; i < s->num_dynamic; i++)
		((struct spirv_descriptor *)(copy + s->dynamic[i]))->address += offsets[i];
	return address;
}

void VKAPI_CALL galena_vkCmdBindDescriptorSets(VkCommandBuffer c, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first, uint32_t count,
					       const VkDescriptorSet *sets, uint32_t num_offsets, const uint32_t *offsets)
{
	(void)layout, (void)num_offsets;
	if (point != VK_PIPELINE_BIND_POINT_COMPUTE)
		return;
	for (uint32_t i = 0; i < count && first + i < SPIRV_SETS; i++) {
		if (!sets[i])
			continue;
		c->bound.block.sets[first + i] = set_bind(c, sets[i], offsets);
		offsets += sets[i]->num_dynamic;
	}
}

void VKAPI_CALL galena_vkCmdPushConstants(VkCommandBuffer c, VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset, uint32_t size, const void *values)
{
	(void)layout, (void)stages;
	if (offset <= SPIRV_PUSH_BYTES && size <= SPIRV_PUSH_BYTES - offset)
		memcpy(c->bound.block.push + offset, values, size);
}

/* ---- dispatches ---- */
void dispatch_groups(struct dispatch *d, const uint32_t groups[3])
{
	for (unsigned i = 0; i < 3; i++) {
		d->header.num_groups[i] = groups[i];
		d->header.global_size[i] = (uint64_t)groups[i] * d->header.local_size[i];
		d->packet.dispatch.global_size[i] = (uint32_t)d->header.global_size[i];
	}
}

/* But for its numbers of work-groups. NULL without memory. */
static struct dispatch *dispatch_record(VkCommandBuffer c, const uint32_t base[3])
{
	const VkPipeline p = c->bound.pipeline;
	uint64_t address;
	struct dispatch *d = command_data(c, sizeof *d, &address);
	if (!d)
		return NULL;
	/* the size of a subgroup is that of the device, whatever the work-group's is */
	*d = (struct dispatch){.header = {.work_dim = 3, .max_subgroup = c->pool->device->physical->info->lanes}, .block = c->bound.block};
	d->block.sink = umd_bo_address(c->pool->device->sink);
	d->packet.dispatch = (struct packet_dispatch){.head = {.type = PACKET_CODE_dispatch, .tag = p->label}, .entry = p->entry, .kernarg = address,
						      .local_bytes = p->local_bytes, .private_bytes = p->private_bytes};
	for (unsigned i = 0; i < 3; i++) {
		d->block.base[i] = base[i];
		d->header.local_size[i] = p->local_size[i];
		d->packet.dispatch.local_size[i] = (uint16_t)p->local_size[i];
	}
	if (c->private_bytes < p->private_bytes)
		c->private_bytes = p->private_bytes;
	return d;
}

void VKAPI_CALL galena_vkCmdDispatchBase(VkCommandBuffer c, uint32_t base_x, uint32_t base_y, uint32_t base_z, uint32_t x, uint32_t y, uint32_t z)
{
	struct dispatch *d = c->bound.pipeline && x && y && z ? dispatch_record(c, (const uint32_t[3]){base_x, base_y, base_z}) : NULL;
	if (!d)
		return;
	dispatch_groups(d, (const uint32_t[3]){x, y, z});
	*command_packet(c) = d->packet;
}

void VKAPI_CALL galena_vkCmdDispatch(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z) { galena_vkCmdDispatchBase(c, 0, 0, 0, x, y, z); }

void VKAPI_CALL galena_vkCmdDispatchIndirect(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize offset)
{
	struct dispatch *d = c->bound.pipeline ? dispatch_record(c, (const uint32_t[3]){0, 0, 0}) : NULL;
	if (d)
		command_cut(c, (struct cut){.kind = CUT_DISPATCH, .dispatch = d, .address = buffer->address + offset});
}
