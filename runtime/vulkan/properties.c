/* What physical devices say of themselves. What is not there is false, or 0. */
#include "abi/pci.h"
#include "runtime/vulkan/objects.h"
#include <stdio.h>
#include <string.h>

enum { OFFSET_ALIGNMENT = 16, MEMORY_MAP_ALIGNMENT = 4096, NON_COHERENT_ATOM = 64 };

/* What is the same for all configurations; the rest is put in below. Of graphics there is nothing: the least that is allowed. */
static const VkPhysicalDeviceLimits limits = {
	.maxImageDimension1D = IMAGE_2D_MAX,
	.maxImageDimension2D = IMAGE_2D_MAX,
	.maxImageDimension3D = IMAGE_3D_MAX,
	.maxImageDimensionCube = IMAGE_2D_MAX,
	.maxImageArrayLayers = IMAGE_LAYERS_MAX,
	.maxTexelBufferElements = 1 << 27,
	.maxUniformBufferRange = 1 << 16,
	.maxStorageBufferRange = 1 << 30,
	.maxPushConstantsSize = SPIRV_PUSH_BYTES,
	.maxMemoryAllocationCount = 4096,
	.maxSamplerAllocationCount = 4000,
	.bufferImageGranularity = 1,
	.maxBoundDescriptorSets = SPIRV_SETS,
	.maxPerStageDescriptorSamplers = 64,
	.maxPerStageDescriptorUniformBuffers = 64,
	.maxPerStageDescriptorStorageBuffers = 64,
	.maxPerStageDescriptorSampledImages = 64,
	.maxPerStageDescriptorStorageImages = 64,
	.maxPerStageDescriptorInputAttachments = 4,
	.maxPerStageResources = 256,
	.maxDescriptorSetSamplers = 96,
	.maxDescriptorSetUniformBuffers = 72,
	.maxDescriptorSetUniformBuffersDynamic = 8,
	.maxDescriptorSetStorageBuffers = 96,
	.maxDescriptorSetStorageBuffersDynamic = 8,
	.maxDescriptorSetSampledImages = 96,
	.maxDescriptorSetStorageImages = 96,
	.maxDescriptorSetInputAttachments = 4,
	.maxVertexInputAttributes = 16,
	.maxVertexInputBindings = 16,
	.maxVertexInputAttributeOffset = 2047,
	.maxVertexInputBindingStride = 2048,
	.maxVertexOutputComponents = 64,
	.maxFragmentInputComponents = 64,
	.maxFragmentOutputAttachments = 4,
	.maxFragmentCombinedOutputResources = 4,
	.maxComputeWorkGroupCount = {65535, 65535, 65535},
	.subPixelPrecisionBits = 4,
	.subTexelPrecisionBits = 8,
	.mipmapPrecisionBits = 8,
	.maxDrawIndexedIndexValue = (1 << 24) - 1,
	.maxDrawIndirectCount = 1,
	.maxSamplerLodBias = SAMPLER_BIAS_MAX,
	.maxSamplerAnisotropy = 1,
	.maxViewports = 1,
	.maxViewportDimensions = {4096, 4096},
	.viewportBoundsRange = {-8192, 8191},
	.minMemoryMapAlignment = MEMORY_MAP_ALIGNMENT,
	.minTexelBufferOffsetAlignment = OFFSET_ALIGNMENT,
	.minUniformBufferOffsetAlignment = OFFSET_ALIGNMENT,
	.minStorageBufferOffsetAlignment = OFFSET_ALIGNMENT,
	.minTexelOffset = -8,
	.maxTexelOffset = 7,
	.minTexelGatherOffset = -8,
	.maxTexelGatherOffset = 7,
	.maxFramebufferWidth = 4096,
	.maxFramebufferHeight = 4096,
	.maxFramebufferLayers = 256,
	.framebufferColorSampleCounts = VK_SAMPLE_COUNT_1_BIT,
	.framebufferDepthSampleCounts = VK_SAMPLE_COUNT_1_BIT,
	.framebufferStencilSampleCounts = VK_SAMPLE_COUNT_1_BIT,
	.framebufferNoAttachmentsSampleCounts = VK_SAMPLE_COUNT_1_BIT,
	.maxColorAttachments = 4,
	.sampledImageColorSampleCounts = VK_SAMPLE_COUNT_1_BIT,
	.sampledImageIntegerSampleCounts = VK_SAMPLE_COUNT_1_BIT,
	.sampledImageDepthSampleCounts = VK_SAMPLE_COUNT_1_BIT,
	.sampledImageStencilSampleCounts = VK_SAMPLE_COUNT_1_BIT,
	.storageImageSampleCounts = VK_SAMPLE_COUNT_1_BIT,
	.maxSampleMaskWords = 1,
	.timestampComputeAndGraphics = VK_TRUE,
	.discreteQueuePriorities = 2,
	.pointSizeRange = {1, 1},
	.lineWidthRange = {1, 1},
	.optimalBufferCopyOffsetAlignment = 1,
	.optimalBufferCopyRowPitchAlignment = 1,
	.nonCoherentAtomSize = NON_COHERENT_ATOM,
};

/* 1 GiB is the least that is allowed; what a device has not room for fails as it is allocated. */
static VkDeviceSize largest(VkPhysicalDevice p)
{
	const VkDeviceSize half = p->info->dram_size / 2, least = (VkDeviceSize)1 << 30;
	return half > least ? half : least;
}

/* As many as of descriptors that are not updated after they are bound. */
static void after_bind(VkPhysicalDeviceVulkan12Properties *out)
{
	out->maxUpdateAfterBindDescriptorsInAllPools = 1 << 20;
	out->maxPerStageDescriptorUpdateAfterBindSamplers = limits.maxPerStageDescriptorSamplers;
	out->maxPerStageDescriptorUpdateAfterBindUniformBuffers = limits.maxPerStageDescriptorUniformBuffers;
	out->maxPerStageDescriptorUpdateAfterBindStorageBuffers = limits.maxPerStageDescriptorStorageBuffers;
	out->maxPerStageDescriptorUpdateAfterBindSampledImages = limits.maxPerStageDescriptorSampledImages;
	out->maxPerStageDescriptorUpdateAfterBindStorageImages = limits.maxPerStageDescriptorStorageImages;
	out->maxPerStageDescriptorUpdateAfterBindInputAttachments = limits.maxPerStageDescriptorInputAttachments;
	out->maxPerStageUpdateAfterBindResources = limits.maxPerStageResources;
	out->maxDescriptorSetUpdateAfterBindSamplers = limits.maxDescriptorSetSamplers;
	out->maxDescriptorSetUpdateAfterBindUniformBuffers = limits.maxDescriptorSetUniformBuffers;
	out->maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = limits.maxDescriptorSetUniformBuffersDynamic;
	out->maxDescriptorSetUpdateAfterBindStorageBuffers = limits.maxDescriptorSetStorageBuffers;
	out->maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = limits.maxDescriptorSetStorageBuffersDynamic;
	out->maxDescriptorSetUpdateAfterBindSampledImages = limits.maxDescriptorSetSampledImages;
	out->maxDescriptorSetUpdateAfterBindStorageImages = limits.maxDescriptorSetStorageImages;
	out->maxDescriptorSetUpdateAfterBindInputAttachments = limits.maxDescriptorSetInputAttachments;
}

static void identity(VkPhysicalDevice p, VkPhysicalDeviceVulkan11Properties *out)
{
	umd_device_uuid(driver(), p->index, out->deviceUUID);
	umd_uuid(driver(), out->driverUUID);
}

static void blocks_properties(VkPhysicalDevice p, struct blocks *out)
{
	identity(p, &out->properties11);
	out->properties11.subgroupSize = p->info->lanes;
	out->properties11.subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
	out->properties11.subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
							VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
							VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;
	out->properties11.maxMultiviewViewCount = 6;
	out->properties11.maxMultiviewInstanceIndex = (1u << 27) - 1;
	out->properties11.maxPerSetDescriptors = SET_DESCRIPTORS;
	out->properties11.maxMemoryAllocationSize = largest(p);
	snprintf(out->properties12.driverName, sizeof out->properties12.driverName, "Galena");
	snprintf(out->properties12.driverInfo, sizeof out->properties12.driverInfo, GALENA_VERSION);
	out->properties12.denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
	out->properties12.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
	after_bind(&out->properties12);
	out->properties12.maxTimelineSemaphoreValueDifference = UINT64_MAX / 2;
	out->properties12.framebufferIntegerColorSampleCounts = VK_SAMPLE_COUNT_1_BIT;
	out->properties13.minSubgroupSize = out->properties13.maxSubgroupSize = p->info->lanes;
	out->properties13.maxComputeWorkgroupSubgroups = (p->info->max_wg_size + p->info->lanes - 1) / p->info->lanes;
	out->properties13.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
	out->properties13.storageTexelBufferOffsetAlignmentBytes = OFFSET_ALIGNMENT;
	out->properties13.uniformTexelBufferOffsetAlignmentBytes = OFFSET_ALIGNMENT;
	out->properties13.maxBufferSize = largest(p);
	out->memory_host.minImportedHostPointerAlignment = MEMORY_MAP_ALIGNMENT;
}

void physical_device_blocks(VkPhysicalDevice p, struct blocks *out)
{
	*out = (struct blocks){
		.features = {.robustBufferAccess = VK_TRUE,
			     .shaderImageGatherExtended = VK_TRUE,
			     .shaderFloat64 = VK_TRUE,
			     .shaderInt16 = VK_TRUE,
			     .shaderInt64 = VK_TRUE,
			     .shaderUniformBufferArrayDynamicIndexing = VK_TRUE,
			     .shaderStorageBufferArrayDynamicIndexing = VK_TRUE,
			     .shaderSampledImageArrayDynamicIndexing = VK_TRUE,
			     .shaderStorageImageArrayDynamicIndexing = VK_TRUE,
			     .shaderStorageImageExtendedFormats = VK_TRUE,
			     .shaderStorageImageReadWithoutFormat = VK_TRUE,
			     .shaderStorageImageWriteWithoutFormat = VK_TRUE},
		.features11 = {.storageBuffer16BitAccess = VK_TRUE,
			       .uniformAndStorageBuffer16BitAccess = VK_TRUE,
			       .storagePushConstant16 = VK_TRUE,
			       .variablePointersStorageBuffer = VK_TRUE,
			       .variablePointers = VK_TRUE},
		.features12 = {.samplerMirrorClampToEdge = VK_TRUE,
			       .storageBuffer8BitAccess = VK_TRUE,
			       .uniformAndStorageBuffer8BitAccess = VK_TRUE,
			       .storagePushConstant8 = VK_TRUE,
			       .shaderBufferInt64Atomics = VK_TRUE,
			       .shaderSharedInt64Atomics = VK_TRUE,
			       .shaderFloat16 = VK_TRUE,
			       .shaderInt8 = VK_TRUE,
			       .shaderUniformTexelBufferArrayDynamicIndexing = VK_TRUE,
			       .shaderStorageTexelBufferArrayDynamicIndexing = VK_TRUE,
			       .shaderUniformBufferArrayNonUniformIndexing = VK_TRUE,
			       .shaderSampledImageArrayNonUniformIndexing = VK_TRUE,
			       .shaderStorageBufferArrayNonUniformIndexing = VK_TRUE,
			       .shaderStorageImageArrayNonUniformIndexing = VK_TRUE,
			       .shaderUniformTexelBufferArrayNonUniformIndexing = VK_TRUE,
			       .shaderStorageTexelBufferArrayNonUniformIndexing = VK_TRUE,
			       .descriptorBindingPartiallyBound = VK_TRUE,
			       .runtimeDescriptorArray = VK_TRUE,
			       .scalarBlockLayout = VK_TRUE,
			       .uniformBufferStandardLayout = VK_TRUE,
			       .shaderSubgroupExtendedTypes = VK_TRUE,
			       .hostQueryReset = VK_TRUE,
			       .timelineSemaphore = VK_TRUE,
			       .bufferDeviceAddress = VK_TRUE,
			       .vulkanMemoryModel = VK_TRUE,
			       .vulkanMemoryModelDeviceScope = VK_TRUE,
			       .vulkanMemoryModelAvailabilityVisibilityChains = VK_TRUE},
		.features13 = {.robustImageAccess = VK_TRUE,
			       .privateData = VK_TRUE,
			       .subgroupSizeControl = VK_TRUE,
			       .computeFullSubgroups = VK_TRUE,
			       .synchronization2 = VK_TRUE,
			       .shaderZeroInitializeWorkgroupMemory = VK_TRUE,
			       .shaderIntegerDotProduct = VK_TRUE,
			       .maintenance4 = VK_TRUE},
	};
	blocks_properties(p, out);
}

void VKAPI_CALL galena_vkGetPhysicalDeviceProperties(VkPhysicalDevice p, VkPhysicalDeviceProperties *out)
{
	const struct kmd_device_info *i = p->info;
	VkPhysicalDeviceVulkan11Properties ids = {0};
	identity(p, &ids);
	*out = (VkPhysicalDeviceProperties){.apiVersion = VK_HEADER_VERSION_COMPLETE, .driverVersion = VK_MAKE_API_VERSION(0, 0, 1, 0), .vendorID = PCI_VENDOR_ID,
					    .deviceID = PCI_DEVICE_ID, .deviceType = VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, .limits = limits};
	memcpy(out->deviceName, p->name, sizeof p->name);
	/* what is cached depends on the driver and the configuration */
	for (unsigned k = 0; k < VK_UUID_SIZE; k++)
		out->pipelineCacheUUID[k] = ids.driverUUID[k] ^ ids.deviceUUID[k];
	out->limits.sparseAddressSpaceSize = 0;
	out->limits.maxComputeSharedMemorySize = i->lds_bytes;
	out->limits.maxComputeWorkGroupInvocations = i->max_wg_size;
	for (unsigned k = 0; k < 3; k++)
		out->limits.maxComputeWorkGroupSize[k] = i->max_wg_size;
	out->limits.timestampPeriod = 1000.0f / (float)i->clock_mhz;
}

void VKAPI_CALL galena_vkGetPhysicalDeviceProperties2(VkPhysicalDevice p, VkPhysicalDeviceProperties2 *out)
{
	struct blocks blocks;
	physical_device_blocks(p, &blocks);
	galena_vkGetPhysicalDeviceProperties(p, &out->properties);
	chain_fill(&blocks, out->pNext);
}

void VKAPI_CALL galena_vkGetPhysicalDeviceFeatures(VkPhysicalDevice p, VkPhysicalDeviceFeatures *out)
{
	struct blocks blocks;
	physical_device_blocks(p, &blocks);
	*out = blocks.features;
}

void VKAPI_CALL galena_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice p, VkPhysicalDeviceFeatures2 *out)
{
	struct blocks blocks;
	physical_device_blocks(p, &blocks);
	chain_fill(&blocks, out);
}
