/* Shader modules and compute pipelines: galena-clc makes a kernel of a shader, with the constants and the places of descriptors that a pipeline
 * has. Its cache on disk is the pipeline cache. */
#include "runtime/vulkan/objects.h"
#include "runtime/compiler/compiler.h"
#include "runtime/umd/code.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

VkResult VKAPI_CALL galena_vkCreateShaderModule(VkDevice d, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *allocator, VkShaderModule *out)
{
	VkShaderModule m = object_alloc(&d->allocator, allocator, sizeof *m + info->codeSize, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!m)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	m->size = info->codeSize;
	memcpy(m->code, info->pCode, info->codeSize);
	*out = m;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyShaderModule(VkDevice d, VkShaderModule m, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, m); }

/* ---- pipelines ---- */
static uint64_t constant(const VkSpecializationInfo *info, const VkSpecializationMapEntry *e)
{
	uint64_t value = 0; /* little endian */
	memcpy(&value, (const char *)info->pData + e->offset, e->size < sizeof value ? e->size : sizeof value);
	return value;
}

/* What galena-clc takes; malloc'ed, NULL without memory. */
static char *options(VkDevice d, const VkComputePipelineCreateInfo *info)
{
	const VkSpecializationInfo *s = info->stage.pSpecializationInfo;
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);
	if (!f)
		return NULL;
	fprintf(f, "-spirv-entry=\"%s\"%s", info->stage.pName, d->robust ? " -spirv-robust" : "");
	for (uint32_t i = 0; s && i < s->mapEntryCount; i++)
		fprintf(f, " -spirv-constant=%u:%llu", s->pMapEntries[i].constantID, (unsigned long long)constant(s, &s->pMapEntries[i]));
	for (unsigned i = 0; i < info->layout->count; i++) {
		const struct placed_binding *b = &info->layout->bindings[i];
		fprintf(f, " -spirv-binding=%u:%u:%u", b->set, b->binding, b->at);
	}
	if (fclose(f)) {
		free(text);
		text = NULL;
	}
	return text;
}

static VkResult compile(VkDevice d, const VkComputePipelineCreateInfo *info, struct kernel_object **out)
{
	const struct compile_input input = {info->stage.pName, info->stage.module->code, info->stage.module->size};
	char *text = options(d, info), *log = NULL;
	const char *error = NULL;
	void *object = NULL;
	size_t size = 0;
	if (!text)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	const enum compile_status status = compiler_run(&(struct compile_request){.action = COMPILE_BUILD, .options = text, .inputs = &input, .num_inputs = 1},
							&object, &size, &log);
	free(text);
	if (!status)
		*out = kernel_object_read(object, size, &error);
	if (status || !*out)
		log_write(LOG_INFO, "Vulkan: no pipeline of \"%s\": %s", info->stage.pName, error ? error : log);
	free(object);
	free(log);
	return status == COMPILE_NO_MEMORY ? VK_ERROR_OUT_OF_HOST_MEMORY : status || !*out ? VK_ERROR_UNKNOWN : VK_SUCCESS;
}

static VkResult pipeline_fill(VkDevice d, VkPipeline p, const struct kernel_object *object)
{
	const struct note_kernel *k = kernel_object_kernel(object, 0);
	const uint32_t *local = k->reqd_local_size, items = local[0] * local[1] * local[2];
	FAIL_IF(items > d->physical->info->max_wg_size || k->local_bytes > d->physical->info->lds_bytes, VK_ERROR_UNKNOWN,
		"work-groups of %u invocations with %u bytes of memory are too large", items, k->local_bytes);
	TRY(device_error(d, code_load(d->space, object, &p->code)));
	p->entry = umd_bo_address(p->code) + k->entry;
	memcpy(p->local_size, local, sizeof p->local_size);
	p->local_bytes = k->local_bytes;
	p->private_bytes = k->private_bytes;
	p->label = umd_label(driver(), kernel_object_string(object, k->name));
	return VK_SUCCESS;
}

static VkResult pipeline_create(VkDevice d, const VkComputePipelineCreateInfo *info, const VkAllocationCallbacks *allocator, VkPipeline *out)
{
	struct kernel_object *object = NULL;
	TRY(compile(d, info, &object));
	VkPipeline p = OBJECT_NEW(d, allocator, VkPipeline);
	const VkResult result = p ? pipeline_fill(d, p, object) : VK_ERROR_OUT_OF_HOST_MEMORY;
	kernel_object_free(object);
	if (result)
		object_free(&d->allocator, allocator, p);
	else
		*out = p;
	return result;
}

VkResult VKAPI_CALL galena_vkCreateComputePipelines(VkDevice d, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo *infos,
						    const VkAllocationCallbacks *allocator, VkPipeline *out)
{
	VkResult first = VK_SUCCESS;
	(void)cache;
	for (uint32_t i = 0; i < count; i++) {
		const VkPipelineCreationFeedbackCreateInfo *feedback = chain_find(infos[i].pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
		const bool stop = first && infos[i - 1].flags & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
		if (feedback)
			feedback->pPipelineCreationFeedback->flags = 0;
		out[i] = VK_NULL_HANDLE;
		const VkResult result = stop ? first : pipeline_create(d, &infos[i], allocator, &out[i]);
		if (!first)
			first = result;
	}
	return first;
}

void VKAPI_CALL galena_vkDestroyPipeline(VkDevice d, VkPipeline p, const VkAllocationCallbacks *allocator)
{
	if (p)
		umd_bo_release(p->code);
	object_free(&d->allocator, allocator, p);
}

/* ---- caches ---- */
struct VkPipelineCache_T {
	VkPipelineCacheHeaderVersionOne header;
};

VkResult VKAPI_CALL galena_vkCreatePipelineCache(VkDevice d, const VkPipelineCacheCreateInfo *info, const VkAllocationCallbacks *allocator, VkPipelineCache *out)
{
	VkPhysicalDeviceProperties properties;
	VkPipelineCache c = OBJECT_NEW(d, allocator, VkPipelineCache);
	(void)info;
	if (!c)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	galena_vkGetPhysicalDeviceProperties(d->physical, &properties);
	c->header = (VkPipelineCacheHeaderVersionOne){sizeof c->header, VK_PIPELINE_CACHE_HEADER_VERSION_ONE, properties.vendorID, properties.deviceID, {0}};
	memcpy(c->header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE);
	*out = c;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyPipelineCache(VkDevice d, VkPipelineCache c, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, c); }

VkResult VKAPI_CALL galena_vkGetPipelineCacheData(VkDevice d, VkPipelineCache c, size_t *size, void *out)
{
	(void)d;
	const size_t room = *size;
	*size = sizeof c->header;
	if (!out)
		return VK_SUCCESS;
	*size = room < sizeof c->header ? 0 : sizeof c->header;
	memcpy(out, &c->header, *size);
	return *size ? VK_SUCCESS : VK_INCOMPLETE;
}

VkResult VKAPI_CALL galena_vkMergePipelineCaches(VkDevice d, VkPipelineCache to, uint32_t count, const VkPipelineCache *from)
{
	(void)d, (void)to, (void)count, (void)from;
	return VK_SUCCESS;
}
