/* What the tests of compute share: a device with all of its features, and programs of one shader with its descriptors. */
#ifndef GALENA_TESTBENCH_COMPUTE_RUN_H
#define GALENA_TESTBENCH_COMPUTE_RUN_H
#include "testbench/vulkan/vk_test.h"

/* What the first physical device has; the device of the tests has all of it enabled, but for robust access. */
struct compute_features {
	VkPhysicalDeviceFeatures2 base;
	VkPhysicalDeviceVulkan11Features v11;
	VkPhysicalDeviceVulkan12Features v12;
	VkPhysicalDeviceVulkan13Features v13;
};
extern struct compute_features compute_has;
extern VkPhysicalDeviceLimits compute_limits;
int compute_setup(void **state);
/* A device with one queue of family 0. */
VkDevice compute_device(VkPhysicalDevice, bool robust);
/* A device with robust access takes the place of the ordinary one, for a case. */
int compute_robust_setup(void **state);
int compute_robust_teardown(void **state);
extern bool compute_robust;
/* Says why a case is not run, and skips it. */
void compute_skip_unless(bool feature, const char *name);

/* Random numbers of the case. */
extern uint64_t compute_seed;
uint32_t below(uint32_t n);
float random_float(float low, float high);

/* For descriptors, and for transfers. */
struct vk_buffer compute_buffer(VkDeviceSize, enum vk_place);
/* Of the host, with these bytes or with a byte in all of them. */
struct vk_buffer compute_buffer_of(const void *, VkDeviceSize);
struct vk_buffer compute_buffer_set(VkDeviceSize, int byte);

/* A pipeline of one shader, whose entry point is main. Bindings of set 0, one a letter: s storage buffer, u uniform buffer, S and U the same
 * with dynamic offsets, i storage image, t combined image sampler, v uniform texel buffer, w storage texel buffer. A digit after it: so many
 * of them in an array. */
enum { PROGRAM_BINDINGS = 12 };
struct program {
	VkShaderModule module;
	uint32_t num_bindings;
	VkDescriptorType types[PROGRAM_BINDINGS];
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
	VkPipeline pipeline;
	uint32_t push_bytes;
};
struct program program_create(const uint32_t *code, size_t bytes, const char *bindings, uint32_t push_bytes, const VkSpecializationInfo *, VkPipelineCreateFlags);
#define PROGRAM(code, bindings, push_bytes) program_create(code, sizeof(code), bindings, push_bytes, NULL, 0)
void program_free(struct program *);
void program_buffer(struct program *, uint32_t binding, const struct vk_buffer *);
void program_range(struct program *, uint32_t binding, uint32_t element, const struct vk_buffer *, VkDeviceSize offset, VkDeviceSize range);
void program_image(struct program *, uint32_t binding, VkImageView, VkSampler, VkImageLayout);
/* Records the pipeline, the set, the push constants and the dispatch. */
void program_record(VkCommandBuffer, const struct program *, uint32_t x, uint32_t y, uint32_t z, const void *push);
/* The same, run to its end. */
void program_run(const struct program *, uint32_t x, uint32_t y, uint32_t z, const void *push);

VkDescriptorSetLayout compute_set_layout(const VkDescriptorSetLayoutBinding *, uint32_t count);
VkPipelineLayout compute_layout(const VkDescriptorSetLayout *, uint32_t sets, uint32_t push_bytes);
VkDescriptorPool compute_pool(uint32_t max_sets, VkDescriptorPoolCreateFlags, const VkDescriptorPoolSize *, uint32_t sizes);
VkPipeline compute_pipeline(VkShaderModule, VkPipelineLayout, const VkSpecializationInfo *, VkPipelineCreateFlags);
VkShaderModule compute_module(const uint32_t *code, size_t bytes);

/* An element of a result; a failure says which. Floats may differ by the tolerance; NaN goes with NaN, and infinities with themselves. */
void same_word(const char *what, size_t i, uint32_t got, uint32_t expected);
void close_float(const char *what, size_t i, float got, double expected, double tolerance);
/* The distance of floats at a value. */
double ulp_of(double value);

/* The cases, file by file. */
extern const struct CMUnitTest compute_cases[], compute_math_cases[], compute_float_cases[], compute_descriptor_cases[], compute_image_cases[], compute_sampler_cases[],
	compute_blit_cases[], compute_subgroup_cases[], compute_pointer_cases[], compute_dot_cases[], compute_type_cases[], compute_bad_cases[];
extern const size_t compute_num_cases, compute_num_math_cases, compute_num_float_cases, compute_num_descriptor_cases, compute_num_image_cases, compute_num_sampler_cases,
	compute_num_blit_cases, compute_num_subgroup_cases, compute_num_pointer_cases, compute_num_dot_cases, compute_num_type_cases, compute_num_bad_cases;
#endif
