/* Modules that are not valid: pipelines of them are not created, and nothing crashes. Not below the validation layer, which would stop them. */
#include "testbench/vulkan/compute_run.h"
#include "vulkan/control.h"
#include "vulkan/vector_add.h"

static VkInstance plain_instance;
static VkPipelineLayout layout;

/* A device that the layer does not see, with a layout of three storage buffers and push constants. */
static int plain_setup(void **state)
{
	static VkDevice layered;
	(void)state;
	const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
	VkPhysicalDevice physical;
	uint32_t n = 1;
	if (vkCreateInstance(&info, NULL, &plain_instance) || vkEnumeratePhysicalDevices(plain_instance, &n, &physical) < 0)
		return -1;
	layered = vk.device;
	*state = &layered;
	vk.device = compute_device(physical, false);
	if (!vk.device)
		return -1;
	VkDescriptorSetLayoutBinding bindings[3];
	for (uint32_t i = 0; i < 3; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayout set = compute_set_layout(bindings, 3);
	layout = compute_layout(&set, 1, 16);
	vkDestroyDescriptorSetLayout(vk.device, set, NULL);
	return 0;
}

static int plain_teardown(void **state)
{
	vkDestroyPipelineLayout(vk.device, layout, NULL);
	vkDestroyDevice(vk.device, NULL);
	vkDestroyInstance(plain_instance, NULL);
	vk.device = *(VkDevice *)*state;
	return vk_test_quiet(state);
}

/* The error of a pipeline of these words, or of their module. */
static VkResult pipeline_of(const uint32_t *code, size_t words, const char *entry)
{
	VkShaderModule module;
	const VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, words * 4, code};
	VkPipeline pipeline = (VkPipeline)(uintptr_t)1;
	VkResult r = vkCreateShaderModule(vk.device, &info, NULL, &module);
	if (r)
		return r;
	const VkComputePipelineCreateInfo compute = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
						     .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, module, entry, NULL}};
	r = vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &compute, NULL, &pipeline);
	assert_true(pipeline != (VkPipeline)(uintptr_t)1);
	assert_true((pipeline != VK_NULL_HANDLE) == (r == VK_SUCCESS));
	vkDestroyPipeline(vk.device, pipeline, NULL);
	vkDestroyShaderModule(vk.device, module, NULL);
	return r;
}

#define WORDS(array) (sizeof(array) / sizeof *(array))
static void fails(const char *what, const uint32_t *code, size_t words, const char *entry)
{
	if (pipeline_of(code, words, entry) >= 0)
		fail_msg("%s: the pipeline is created", what);
}

/* Where the instruction begins that has this operation, after so many of them. */
static size_t find(const uint32_t *code, size_t words, uint32_t operation, unsigned after)
{
	for (size_t i = 5; i < words; i += code[i] >> 16)
		if ((code[i] & 0xffff) == operation && !after--)
			return i;
	fail_msg("no operation %u", operation);
	return 0;
}

enum { OP_LOAD = 61, OP_STORE = 62, OP_FMUL = 133, OP_ENTRY_POINT = 15, OP_TYPE_FLOAT = 22, OP_FUNCTION_END = 56, OP_BRANCH_CONDITIONAL = 250, OP_LABEL = 248 };

static void bad_instructions(void **state)
{
	(void)state;
	uint32_t code[WORDS(vector_add)];
	static const struct { const char *what; uint32_t operation, word, value, mask; } changes[] = {
		{"an unknown instruction", OP_FMUL, 0, 0xfff0, 0xffff},
		{"an instruction of no words", OP_FMUL, 0, 0, 0xffff0000},
		{"an instruction of too many words", OP_FMUL, 0, 0xffff0000, 0xffff0000},
		{"an instruction of one word", OP_STORE, 0, 0x10000, 0xffff0000},
		{"an id beyond the bound", OP_FMUL, 3, 0x7fffffff, UINT32_MAX},
		{"an id of 0", OP_LOAD, 3, 0, UINT32_MAX},
		{"an id that is not defined", OP_STORE, 1, WORDS(vector_add), UINT32_MAX}, /* beyond the bound, too */
		{"a type that is a label", OP_FMUL, 1, 5, UINT32_MAX},
		{"a float of 13 bits", OP_TYPE_FLOAT, 2, 13, UINT32_MAX},
		{"a function without end", OP_FUNCTION_END, 0, 1u << 16, UINT32_MAX},
		{"a branch to no label", OP_BRANCH_CONDITIONAL, 2, 1, UINT32_MAX},
		{"an unknown execution model", OP_ENTRY_POINT, 1, 0x7777, UINT32_MAX},
	};
	assert_int_equal(pipeline_of(vector_add, WORDS(vector_add), "main"), VK_SUCCESS);
	for (unsigned i = 0; i < WORDS(changes); i++) {
		memcpy(code, vector_add, sizeof code);
		uint32_t *w = &code[find(code, WORDS(code), changes[i].operation, 0) + changes[i].word];
		*w = (*w & ~changes[i].mask) | changes[i].value;
		fails(changes[i].what, code, WORDS(code), "main");
	}
	memcpy(code, vector_add, sizeof code);
	code[0] = 0x12345678;
	fails("a magic number of its own", code, WORDS(code), "main");
}

static void truncated_modules(void **state)
{
	(void)state;
	/* before the end of the first function the module has no entry point */
	for (size_t words = 1; words < find(vector_add, WORDS(vector_add), OP_FUNCTION_END, 0); words += 1 + words / 40)
		fails("a module that is cut", vector_add, words, "main");
	for (size_t words = 5; words < find(control, WORDS(control), OP_FUNCTION_END, 0); words += 101)
		fails("a module that is cut", control, words, "main");
	fails("a module without its last word", vector_add, WORDS(vector_add) - 1, "main");
}

static void entry_points(void **state)
{
	(void)state;
	assert_int_equal(pipeline_of(vector_add, WORDS(vector_add), "main"), VK_SUCCESS);
	fails("an entry point that is not there", vector_add, WORDS(vector_add), "other");
	fails("the first part of a name", vector_add, WORDS(vector_add), "mai");
	fails("a longer name", vector_add, WORDS(vector_add), "main2");
	fails("no name", vector_add, WORDS(vector_add), "");
}

/* Of several pipelines those that can be are created. */
static void some_fail(void **state)
{
	(void)state;
	VkShaderModule module = compute_module(vector_add, sizeof vector_add);
	VkPipeline pipelines[3] = {(VkPipeline)(uintptr_t)1, (VkPipeline)(uintptr_t)1, (VkPipeline)(uintptr_t)1};
	VkComputePipelineCreateInfo infos[3];
	for (unsigned i = 0; i < 3; i++)
		infos[i] = (VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
							 .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, module, i == 1 ? "other" : "main", NULL}};
	assert_true(vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 3, infos, NULL, pipelines) < 0);
	assert_true(pipelines[0] != VK_NULL_HANDLE && pipelines[1] == VK_NULL_HANDLE && pipelines[2] != VK_NULL_HANDLE);
	for (unsigned i = 0; i < 3; i++)
		vkDestroyPipeline(vk.device, pipelines[i], NULL);
	vkDestroyShaderModule(vk.device, module, NULL);
}

#define PLAIN(name) cmocka_unit_test_setup_teardown(name, plain_setup, plain_teardown)
const struct CMUnitTest compute_bad_cases[] = {PLAIN(entry_points), PLAIN(some_fail), PLAIN(bad_instructions), PLAIN(truncated_modules)};
const size_t compute_num_bad_cases = sizeof compute_bad_cases / sizeof *compute_bad_cases;
