#include "testbench/vulkan/compute_run.h"
#include <float.h>
#include <math.h>

struct compute_features compute_has;
VkPhysicalDeviceLimits compute_limits;
uint64_t compute_seed;
bool compute_robust;

uint32_t below(uint32_t n) { return (uint32_t)(splitmix64(&compute_seed) % n); }
float random_float(float low, float high) { return low + (high - low) * (float)(splitmix64(&compute_seed) >> 40) / (float)(1 << 24); }

/* ---- the device ---- */
static void chain(struct compute_features *f)
{
	f->base = (VkPhysicalDeviceFeatures2){VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f->v11, f->base.features};
	f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, f->v11.pNext = &f->v12;
	f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, f->v12.pNext = &f->v13;
	f->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, f->v13.pNext = NULL;
}

VkDevice compute_device(VkPhysicalDevice p, bool robust)
{
	struct compute_features enabled = compute_has;
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &enabled.base, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
	VkDevice device;
	chain(&enabled);
	enabled.base.features.robustBufferAccess = robust;
	enabled.v13.robustImageAccess = robust && enabled.v13.robustImageAccess;
	return vkCreateDevice(p, &info, NULL, &device) ? NULL : device;
}

int compute_setup(void **state)
{
	VkPhysicalDeviceProperties properties;
	if (!vk_test_instance())
		return -1;
	chain(&compute_has);
	vkGetPhysicalDeviceFeatures2(vk.physical[0], &compute_has.base);
	vkGetPhysicalDeviceProperties(vk.physical[0], &properties);
	compute_limits = properties.limits;
	vk.device = compute_device(vk.physical[0], false);
	if (!vk.device)
		return -1;
	vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
	return vk_test_commands(state);
}

/* ---- robust access ---- */
static struct { VkDevice device; VkQueue queue; VkCommandPool pool; } ordinary;

int compute_robust_setup(void **state)
{
	ordinary.device = vk.device, ordinary.queue = vk.queue, ordinary.pool = vk.pool;
	if (!compute_has.base.features.robustBufferAccess)
		return 0;
	vk.device = compute_device(vk.physical[0], true);
	if (!vk.device)
		return -1;
	compute_robust = true;
	vkGetDeviceQueue(vk.device, 0, 0, &vk.queue);
	return vk_test_commands(state);
}

int compute_robust_teardown(void **state)
{
	if (vk.device != ordinary.device) {
		vkDestroyCommandPool(vk.device, vk.pool, NULL);
		vkDestroyDevice(vk.device, NULL);
	}
	compute_robust = false;
	vk.device = ordinary.device, vk.queue = ordinary.queue, vk.pool = ordinary.pool;
	return vk_test_quiet(state);
}

void compute_skip_unless(bool feature, const char *name)
{
	if (feature)
		return;
	printf("# skip: %s: the device does not have it\n", name);
	fflush(stdout);
	skip();
}

/* ---- buffers ---- */
struct vk_buffer compute_buffer(VkDeviceSize size, enum vk_place place)
{
	struct vk_buffer b = {.size = size};
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
					 .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
						  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
						  VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
						  (compute_has.v12.bufferDeviceAddress ? (VkBufferUsageFlags)VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0)};
	const VkMemoryAllocateFlagsInfo flags = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, NULL, VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
	VkMemoryRequirements needs;
	VK_OK(vkCreateBuffer(vk.device, &info, NULL, &b.buffer));
	vkGetBufferMemoryRequirements(vk.device, b.buffer, &needs);
	b.memory = vk_memory(needs.size, needs.memoryTypeBits, (VkMemoryPropertyFlags)place, compute_has.v12.bufferDeviceAddress ? &flags : NULL);
	VK_OK(vkBindBufferMemory(vk.device, b.buffer, b.memory, 0));
	if (place == VK_ON_HOST)
		VK_OK(vkMapMemory(vk.device, b.memory, 0, VK_WHOLE_SIZE, 0, (void **)&b.host));
	return b;
}

struct vk_buffer compute_buffer_of(const void *bytes, VkDeviceSize size)
{
	struct vk_buffer b = compute_buffer(size, VK_ON_HOST);
	memcpy(b.host, bytes, size);
	return b;
}

struct vk_buffer compute_buffer_set(VkDeviceSize size, int byte)
{
	struct vk_buffer b = compute_buffer(size, VK_ON_HOST);
	memset(b.host, byte, size);
	return b;
}

/* ---- objects ---- */
VkShaderModule compute_module(const uint32_t *code, size_t bytes)
{
	VkShaderModule module;
	const VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, bytes, code};
	VK_OK(vkCreateShaderModule(vk.device, &info, NULL, &module));
	return module;
}

VkDescriptorSetLayout compute_set_layout(const VkDescriptorSetLayoutBinding *bindings, uint32_t count)
{
	VkDescriptorSetLayout layout;
	/* of arrays not all elements have to be there */
	VkDescriptorBindingFlags flags[PROGRAM_BINDINGS] = {0};
	const bool partly = compute_has.v12.descriptorBindingPartiallyBound && count <= PROGRAM_BINDINGS;
	for (uint32_t i = 0; partly && i < count; i++)
		flags[i] = bindings[i].descriptorCount > 1 ? VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT : 0;
	const VkDescriptorSetLayoutBindingFlagsCreateInfo flagged = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, NULL, count, flags};
	const VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, partly ? &flagged : NULL, 0, count, bindings};
	VK_OK(vkCreateDescriptorSetLayout(vk.device, &info, NULL, &layout));
	return layout;
}

VkPipelineLayout compute_layout(const VkDescriptorSetLayout *layouts, uint32_t sets, uint32_t push_bytes)
{
	VkPipelineLayout layout;
	const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
	const VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, sets, layouts, push_bytes != 0, &push};
	VK_OK(vkCreatePipelineLayout(vk.device, &info, NULL, &layout));
	return layout;
}

VkDescriptorPool compute_pool(uint32_t max_sets, VkDescriptorPoolCreateFlags flags, const VkDescriptorPoolSize *sizes, uint32_t count)
{
	VkDescriptorPool pool;
	const VkDescriptorPoolCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, flags, max_sets, count, sizes};
	VK_OK(vkCreateDescriptorPool(vk.device, &info, NULL, &pool));
	return pool;
}

VkPipeline compute_pipeline(VkShaderModule module, VkPipelineLayout layout, const VkSpecializationInfo *constants, VkPipelineCreateFlags flags)
{
	VkPipeline pipeline;
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .flags = flags, .layout = layout,
		.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, module, "main", constants}};
	VK_OK(vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	return pipeline;
}

/* ---- programs ---- */
static VkDescriptorType type_of(char letter)
{
	switch (letter) {
	case 's': return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	case 'u': return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
	case 'S': return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
	case 'U': return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
	case 'i': return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
	case 'v': return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
	case 'w': return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
	default: return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	}
}

struct program program_create(const uint32_t *code, size_t bytes, const char *letters, uint32_t push_bytes, const VkSpecializationInfo *constants, VkPipelineCreateFlags flags)
{
	struct program p = {.push_bytes = push_bytes};
	VkDescriptorSetLayoutBinding bindings[PROGRAM_BINDINGS];
	VkDescriptorPoolSize sizes[PROGRAM_BINDINGS];
	for (const char *c = letters; *c; c++) {
		const uint32_t i = p.num_bindings++, count = c[1] >= '0' && c[1] <= '9' ? (uint32_t)(c[1] - '0') : 1;
		p.types[i] = type_of(*c);
		bindings[i] = (VkDescriptorSetLayoutBinding){i, p.types[i], count, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
		sizes[i] = (VkDescriptorPoolSize){p.types[i], count};
		if (c[1] >= '0' && c[1] <= '9')
			c++;
	}
	p.module = compute_module(code, bytes);
	p.set_layout = compute_set_layout(bindings, p.num_bindings);
	p.layout = compute_layout(&p.set_layout, 1, push_bytes);
	p.pool = compute_pool(1, 0, sizes, p.num_bindings);
	const VkDescriptorSetAllocateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, p.pool, 1, &p.set_layout};
	VK_OK(vkAllocateDescriptorSets(vk.device, &set, &p.set));
	p.pipeline = compute_pipeline(p.module, p.layout, constants, flags);
	return p;
}

void program_free(struct program *p)
{
	vkDestroyPipeline(vk.device, p->pipeline, NULL);
	vkDestroyDescriptorPool(vk.device, p->pool, NULL);
	vkDestroyPipelineLayout(vk.device, p->layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, p->set_layout, NULL);
	vkDestroyShaderModule(vk.device, p->module, NULL);
}

void program_range(struct program *p, uint32_t binding, uint32_t element, const struct vk_buffer *b, VkDeviceSize offset, VkDeviceSize range)
{
	const VkDescriptorBufferInfo info = {b->buffer, offset, range};
	const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = p->set, .dstBinding = binding, .dstArrayElement = element,
					    .descriptorCount = 1, .descriptorType = p->types[binding], .pBufferInfo = &info};
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

void program_buffer(struct program *p, uint32_t binding, const struct vk_buffer *b)
{
	program_range(p, binding, 0, b, 0, VK_WHOLE_SIZE);
}

void program_image(struct program *p, uint32_t binding, VkImageView view, VkSampler sampler, VkImageLayout layout)
{
	const VkDescriptorImageInfo info = {sampler, view, layout};
	const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = p->set, .dstBinding = binding, .descriptorCount = 1,
					    .descriptorType = p->types[binding], .pImageInfo = &info};
	vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
}

void program_record(VkCommandBuffer c, const struct program *p, uint32_t x, uint32_t y, uint32_t z, const void *push)
{
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &p->set, 0, NULL);
	if (p->push_bytes)
		vkCmdPushConstants(c, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, p->push_bytes, push);
	vkCmdDispatch(c, x, y, z);
}

void program_run(const struct program *p, uint32_t x, uint32_t y, uint32_t z, const void *push)
{
	VkCommandBuffer c = vk_begin();
	program_record(c, p, x, y, z, push);
	vk_barrier(c);
	vk_run(vk.queue, c);
}

/* ---- comparisons ---- */
void same_word(const char *what, size_t i, uint32_t got, uint32_t expected)
{
	if (got != expected)
		fail_msg("%s, element %zu: got 0x%x (%d), expected 0x%x (%d)", what, i, got, (int)got, expected, (int)expected);
}

void close_float(const char *what, size_t i, float got, double expected, double tolerance)
{
	/* beyond the largest number is infinity, below the smallest normal one may be 0 */
	if (fabs(expected) > (double)FLT_MAX && isinf(got) && (got > 0) == (expected > 0))
		return;
	if (fabs(expected) < (double)FLT_MIN && tolerance < fabs(expected))
		tolerance = fabs(expected);
	if (isnan(expected) ? isnan(got) : isinf(expected) ? got == expected : fabs((double)got - expected) <= tolerance)
		return;
	fail_msg("%s, element %zu: got %.9g, expected %.9g, off by %.3g ULP; %.3g are allowed", what, i, (double)got, expected, fabs((double)got - expected) / ulp_of(expected),
		 tolerance / ulp_of(expected));
}

double ulp_of(double value)
{
	int exponent;
	if (!isfinite(value))
		return 1;
	frexp(value, &exponent);
	return ldexp(1, (value == 0 || exponent < -125 ? -125 : exponent) - 24);
}
