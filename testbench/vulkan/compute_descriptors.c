/* Descriptor sets: several of them, arrays, dynamic offsets, updates in all ways, pools; and accesses out of a descriptor's range. */
#include "testbench/vulkan/compute_run.h"
#include "vulkan/descriptors.h"
#include "vulkan/dynamic_index.h"
#include "vulkan/robust.h"

#define BINDING(at, type, count) {at, VK_DESCRIPTOR_TYPE_##type, count, VK_SHADER_STAGE_COMPUTE_BIT, NULL}
static const VkDescriptorSetLayoutBinding bindings0[] = {BINDING(0, STORAGE_BUFFER, 3), BINDING(3, UNIFORM_BUFFER, 2)},
					  bindings1[] = {BINDING(0, UNIFORM_BUFFER_DYNAMIC, 1), BINDING(2, STORAGE_BUFFER_DYNAMIC, 1)}, bindings2[] = {BINDING(5, STORAGE_BUFFER, 1)};
static const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 4},
					     {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1}};

/* One buffer, of which descriptors see slots of 256 bytes: offsets are multiples of that on any device. */
enum { SLOT = 256, SLOTS = 16 };
struct sets {
	VkDescriptorSetLayout layouts[3];
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set[4]; /* the last one has the layout of the first */
	struct vk_buffer data, out;
};

static struct sets sets_create(void)
{
	struct sets s = {.layouts = {compute_set_layout(bindings0, 2), compute_set_layout(bindings1, 2), compute_set_layout(bindings2, 1)}, .pool = compute_pool(4, 0, sizes, 4),
			 .data = compute_buffer(SLOT * SLOTS, VK_ON_HOST), .out = compute_buffer_set(128, 0)};
	const VkDescriptorSetLayout layouts[] = {s.layouts[0], s.layouts[1], s.layouts[2], s.layouts[0]};
	const VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, s.pool, 4, layouts};
	s.layout = compute_layout(s.layouts, 3, 0);
	VK_OK(vkAllocateDescriptorSets(vk.device, &info, s.set));
	for (uint32_t i = 0; i < s.data.size / 4; i++)
		((uint32_t *)s.data.host)[i] = i * 7 + 1;
	return s;
}

static void sets_free(struct sets *s)
{
	vkDestroyDescriptorPool(vk.device, s->pool, NULL);
	vkDestroyPipelineLayout(vk.device, s->layout, NULL);
	for (unsigned i = 0; i < 3; i++)
		vkDestroyDescriptorSetLayout(vk.device, s->layouts[i], NULL);
	vk_buffer_free(&s->data);
	vk_buffer_free(&s->out);
}

static VkDescriptorBufferInfo slot(const struct sets *s, uint32_t i, VkDeviceSize range) { return (VkDescriptorBufferInfo){s->data.buffer, (VkDeviceSize)i * SLOT, range}; }

static VkWriteDescriptorSet write_of(VkDescriptorSet set, const VkDescriptorSetLayoutBinding *b, uint32_t first, uint32_t count, const VkDescriptorBufferInfo *infos)
{
	return (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = b->binding, .dstArrayElement = first, .descriptorCount = count,
				      .descriptorType = b->descriptorType, .pBufferInfo = infos};
}

/* Sets 1 and 2, which stay the same: dynamic offsets are from slots 5 and 6 on. */
static void write_fixed(struct sets *s)
{
	const VkDescriptorBufferInfo uniform = slot(s, 5, 16), storage = slot(s, 6, 16), out = {s->out.buffer, 0, VK_WHOLE_SIZE};
	const VkWriteDescriptorSet writes[] = {write_of(s->set[1], &bindings1[0], 0, 1, &uniform), write_of(s->set[1], &bindings1[1], 0, 1, &storage),
					       write_of(s->set[2], &bindings2[0], 0, 1, &out)};
	vkUpdateDescriptorSets(vk.device, 3, writes, 0, NULL);
}

/* Runs, and expects of set 0 to see these slots, the storage buffers 64 bytes of them. */
static void expect_slots(struct sets *s, VkPipeline pipeline, VkDescriptorSet first, const uint32_t slots[5], const uint32_t dynamic[2])
{
	const uint32_t *data = (const uint32_t *)s->data.host, *got = (const uint32_t *)s->out.host, offsets[] = {dynamic[0] * SLOT, dynamic[1] * SLOT};
	uint32_t expected[32], seen[4];
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t k = 0; k < 5; k++)
			expected[i * 8 + k] = data[slots[k] * SLOT / 4 + i];
		expected[i * 8 + 5] = data[(5 + dynamic[0]) * SLOT / 4 + i];
		expected[i * 8 + 6] = data[(6 + dynamic[1]) * SLOT / 4 + i];
		expected[i * 8 + 7] = 16;
		seen[i] = expected[i * 8 + 5] + expected[i * 8 + 6];
	}
	VkCommandBuffer c = vk_begin();
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 0, 1, &first, 0, NULL);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 1, 2, &s->set[1], 2, offsets);
	vkCmdDispatch(c, 1, 1, 1);
	vk_barrier(c);
	vk_run(vk.queue, c);
	for (unsigned i = 0; i < 32; i++)
		same_word("descriptors: 8 results an invocation", i, got[i], expected[i]);
	for (unsigned i = 0; i < 4; i++)
		same_word("what is behind a dynamic offset", i, data[(6 + dynamic[1]) * SLOT / 4 + i], seen[i]);
}

static void from_template(struct sets *s, const VkDescriptorBufferInfo infos[5])
{
	/* the array of storage buffers lies backwards in memory: the stride is what it has to follow */
	struct { VkDescriptorBufferInfo uniform[2]; uint64_t gap; struct { VkDescriptorBufferInfo info; uint64_t gap; } storage[3]; } data;
	const VkDescriptorUpdateTemplateEntry entries[] = {{0, 0, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(__typeof__(data), storage), sizeof data.storage[0]},
							   {3, 0, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0, sizeof data.uniform[0]}};
	const VkDescriptorUpdateTemplateCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO, .descriptorUpdateEntryCount = 2,
							   .pDescriptorUpdateEntries = entries, .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
							   .descriptorSetLayout = s->layouts[0]};
	VkDescriptorUpdateTemplate t;
	memset(&data, 0xff, sizeof data);
	for (unsigned i = 0; i < 3; i++)
		data.storage[i].info = infos[i];
	data.uniform[0] = infos[3], data.uniform[1] = infos[4];
	VK_OK(vkCreateDescriptorUpdateTemplate(vk.device, &info, NULL, &t));
	vkUpdateDescriptorSetWithTemplate(vk.device, s->set[3], t, &data);
	vkDestroyDescriptorUpdateTemplate(vk.device, t, NULL);
}

static void sets_and_updates(void **state)
{
	(void)state;
	struct sets s = sets_create();
	VkShaderModule module = compute_module(descriptors, sizeof descriptors);
	VkPipeline pipeline = compute_pipeline(module, s.layout, NULL, 0);
	VkDescriptorBufferInfo infos[5];
	for (uint32_t i = 0; i < 5; i++)
		infos[i] = slot(&s, i, i < 3 ? 64 : 16);
	write_fixed(&s);
	const VkWriteDescriptorSet writes[] = {write_of(s.set[0], &bindings0[0], 0, 3, infos), write_of(s.set[0], &bindings0[1], 0, 2, infos + 3)};
	vkUpdateDescriptorSets(vk.device, 2, writes, 0, NULL);
	expect_slots(&s, pipeline, s.set[0], (const uint32_t[]){0, 1, 2, 3, 4}, (const uint32_t[]){0, 0});
	expect_slots(&s, pipeline, s.set[0], (const uint32_t[]){0, 1, 2, 3, 4}, (const uint32_t[]){4, 9});
	/* elements of an array */
	const VkWriteDescriptorSet some = write_of(s.set[0], &bindings0[0], 1, 2, infos);
	vkUpdateDescriptorSets(vk.device, 1, &some, 0, NULL);
	expect_slots(&s, pipeline, s.set[0], (const uint32_t[]){0, 0, 1, 3, 4}, (const uint32_t[]){1, 2});
	/* copies, after the writes of the same call */
	const VkCopyDescriptorSet copies[] = {{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, NULL, s.set[0], 0, 0, s.set[3], 0, 0, 3},
					      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, NULL, s.set[0], 3, 1, s.set[3], 3, 0, 1},
					      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, NULL, s.set[0], 3, 0, s.set[3], 3, 1, 1}};
	vkUpdateDescriptorSets(vk.device, 1, writes, 3, copies);
	expect_slots(&s, pipeline, s.set[3], (const uint32_t[]){0, 1, 2, 4, 3}, (const uint32_t[]){0, 0});
	const VkDescriptorBufferInfo mixed[5] = {infos[2], infos[0], infos[1], infos[3], infos[3]};
	from_template(&s, mixed);
	expect_slots(&s, pipeline, s.set[3], (const uint32_t[]){2, 0, 1, 3, 3}, (const uint32_t[]){2, 1});
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyShaderModule(vk.device, module, NULL);
	sets_free(&s);
}

static void dynamic_indices(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.base.features.shaderStorageBufferArrayDynamicIndexing, "shaderStorageBufferArrayDynamicIndexing");
	compute_skip_unless(compute_has.base.features.shaderUniformBufferArrayDynamicIndexing, "shaderUniformBufferArrayDynamicIndexing");
	struct program p = PROGRAM(dynamic_index, "s3u2s", 4);
	struct vk_buffer data = compute_buffer(SLOT * 5, VK_ON_HOST), out = compute_buffer_set(32, 0);
	uint32_t *words = (uint32_t *)data.host;
	for (uint32_t i = 0; i < 5; i++)
		program_range(&p, i < 3 ? 0 : 1, i < 3 ? i : i - 3, &data, i * SLOT, i < 3 ? 32 : 16);
	program_buffer(&p, 2, &out);
	for (uint32_t index = 0; index < 3; index++) {
		for (uint32_t i = 0; i < data.size / 4; i++)
			words[i] = below(1000);
		program_run(&p, 1, 1, 1, &index);
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t sum = 0;
			for (uint32_t k = 0; k < 3; k++)
				sum += words[(k + index) % 3 * SLOT / 4 + i] * (k + 1);
			same_word("sums over an array of buffers", i, ((const uint32_t *)out.host)[i * 2], sum);
			same_word("an array of uniform buffers", i, ((const uint32_t *)out.host)[i * 2 + 1], words[(3 + (index & 1)) * SLOT / 4 + i]);
			same_word("a store to one of an array", i, words[index * SLOT / 4 + 4 + i], sum);
		}
	}
	program_free(&p);
	vk_buffer_free(&data);
	vk_buffer_free(&out);
}

/* ---- pools ---- */
static VkResult allocate(VkDescriptorPool pool, VkDescriptorSetLayout layout, uint32_t count, VkDescriptorSet *sets)
{
	const VkDescriptorSetLayout layouts[] = {layout, layout, layout, layout};
	const VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, pool, count, layouts};
	return vkAllocateDescriptorSets(vk.device, &info, sets);
}

static void expect_full(VkDescriptorPool pool, VkDescriptorSetLayout layout, uint32_t count)
{
	VkDescriptorSet sets[4];
	VK_FAILS(VK_ERROR_OUT_OF_POOL_MEMORY, allocate(pool, layout, count, sets));
	for (uint32_t i = 0; i < count; i++)
		assert_true(sets[i] == VK_NULL_HANDLE);
}

static void pools(void **state)
{
	(void)state;
	VkDescriptorSetLayout layout = compute_set_layout(bindings2, 1), large = compute_set_layout(bindings0, 2);
	VkDescriptorPool pool = compute_pool(3, VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT, sizes, 2);
	VkDescriptorSet s[4];
	VK_OK(allocate(pool, layout, 3, s));
	expect_full(pool, layout, 1); /* of sets */
	VK_OK(vkFreeDescriptorSets(vk.device, pool, 2, (const VkDescriptorSet[]){s[1], VK_NULL_HANDLE}));
	VK_OK(allocate(pool, layout, 1, &s[1]));
	expect_full(pool, layout, 2);
	VK_OK(vkResetDescriptorPool(vk.device, pool, 0));
	VK_OK(allocate(pool, layout, 2, s));
	VK_OK(allocate(pool, layout, 1, s + 2));
	vkDestroyDescriptorPool(vk.device, pool, NULL);
	pool = compute_pool(10, 0, sizes, 2);
	VK_OK(allocate(pool, large, 2, s)); /* 6 of 8 storage buffers, all 4 uniform ones */
	expect_full(pool, large, 1); /* of descriptors */
	VK_OK(allocate(pool, layout, 2, s + 2));
	expect_full(pool, layout, 1);
	VK_OK(vkResetDescriptorPool(vk.device, pool, 0));
	expect_full(pool, large, 4);
	VK_OK(allocate(pool, large, 2, s));
	vkDestroyDescriptorPool(vk.device, pool, NULL);
	vkDestroyDescriptorSetLayout(vk.device, layout, NULL);
	vkDestroyDescriptorSetLayout(vk.device, large, NULL);
	VkDescriptorSetLayout empty = compute_set_layout(NULL, 0);
	pool = compute_pool(2, 0, sizes, 1);
	VK_OK(allocate(pool, empty, 2, s));
	expect_full(pool, empty, 1);
	vkDestroyDescriptorPool(vk.device, pool, NULL);
	vkDestroyDescriptorSetLayout(vk.device, empty, NULL);
}

/* ---- robust access ---- */
enum { GUARD = 4096, DATA = 256, PATTERN = 0xa5 };

/* A buffer in the middle of memory of which the rest is a guard. */
static struct vk_buffer guarded(uint8_t **memory)
{
	struct vk_buffer b = {.size = DATA};
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = DATA,
					 .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT};
	VkMemoryRequirements needs;
	VK_OK(vkCreateBuffer(vk.device, &info, NULL, &b.buffer));
	vkGetBufferMemoryRequirements(vk.device, b.buffer, &needs);
	assert_int_equal(GUARD % needs.alignment, 0);
	b.memory = vk_memory(GUARD * 2 + DATA, needs.memoryTypeBits, (VkMemoryPropertyFlags)VK_ON_HOST, NULL);
	VK_OK(vkBindBufferMemory(vk.device, b.buffer, b.memory, GUARD));
	VK_OK(vkMapMemory(vk.device, b.memory, 0, VK_WHOLE_SIZE, 0, (void **)memory));
	b.host = *memory + GUARD;
	return b;
}

static void fill_guarded(uint8_t *memory)
{
	memset(memory, PATTERN, GUARD * 2 + DATA);
	for (unsigned i = 0; i < DATA / 4; i++)
		((uint32_t *)(memory + GUARD))[i] = i + 1;
}

static void expect_guard(const char *what, const uint8_t *memory)
{
	for (unsigned i = 0; i < GUARD * 2 + DATA; i++)
		if ((i < GUARD || i >= GUARD + DATA) && memory[i] != PATTERN)
			fail_msg("%s: byte %d of the buffer is 0x%x", what, (int)i - GUARD, memory[i]);
}

/* 0, or what is in the buffer. */
static bool allowed(uint32_t v, uint32_t writes) { return v <= DATA / 4 || (writes && (v - 0xbadbad <= 64 || v <= DATA)); }

static void expect_robust(uint32_t writes, uint32_t range, const uint32_t *indices, uint32_t count)
{
	struct program p = PROGRAM(robust, "sssus", 4);
	uint8_t *memory[3];
	struct vk_buffer in = compute_buffer_of(indices, count * 4), data = guarded(&memory[0]), wide = guarded(&memory[1]), uniform = guarded(&memory[2]), out = compute_buffer_set(count * 48, 0xff);
	for (unsigned i = 0; i < 3; i++)
		fill_guarded(memory[i]);
	program_buffer(&p, 0, &in);
	program_range(&p, 1, 0, &data, 0, range);
	program_range(&p, 2, 0, &wide, 0, range);
	program_range(&p, 3, 0, &uniform, 0, range);
	program_buffer(&p, 4, &out);
	program_run(&p, count / 16, 1, 1, &writes);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *got = (const uint32_t *)out.host + (size_t)i * 12, at = indices[i];
		for (unsigned k = 0; k < 9; k++)
			if (k != 1 && !allowed(got[k], k == 0 || k == 8 ? writes : 0) && !(k > 3 && got[k] == UINT32_MAX))
				fail_msg("result %u of element 0x%x: 0x%x is neither 0 nor in the buffer", k, at, got[k]);
		if (!writes && at < range / 4)
			same_word("an element that is there", at, got[0], at + 1);
		if (at < range / 16)
			same_word("an element of four that is there", at, got[6], at * 4 + 3);
		same_word("length", i, got[1], range / 4);
	}
	for (uint32_t i = 0; i < DATA / 4; i++) /* what is read alone */
		same_word("a buffer that is read", i, ((const uint32_t *)wide.host)[i], i + 1);
	expect_guard("storage buffer", memory[0]);
	expect_guard("storage buffer that is read", memory[1]);
	expect_guard("uniform buffer", memory[2]);
	program_free(&p);
	vk_buffer_free(&in);
	vk_buffer_free(&data);
	vk_buffer_free(&wide);
	vk_buffer_free(&uniform);
	vk_buffer_free(&out);
}

static void robust_access(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.base.features.robustBufferAccess, "robustBufferAccess");
	static const uint32_t ranges[] = {DATA, DATA - 4, 64, 20};
	uint32_t indices[64] = {0, 1, 15, 16, 17, 62, 63, 64, 65, 66, 100, 1000, 1023, 1024, 0x3fffffff, 0x40000000, 0x40000001, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0xc0000000, 0x10000000, 0x0fffffff};
	for (unsigned i = 24; i < 64; i++)
		indices[i] = (uint32_t)splitmix64(&compute_seed) >> below(32);
	for (uint32_t writes = 0; writes < 3; writes++)
		for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++)
			expect_robust(writes, ranges[i], indices, 64);
}

const struct CMUnitTest compute_descriptor_cases[] = {VK_CASE(sets_and_updates), VK_CASE(dynamic_indices), VK_CASE(pools), cmocka_unit_test_setup_teardown(robust_access, compute_robust_setup, compute_robust_teardown)};
const size_t compute_num_descriptor_cases = sizeof compute_descriptor_cases / sizeof *compute_descriptor_cases;
