/* Scaled copies between images, by kernels in OpenCL C (blit.cl) that a device compiles before the first of them. */
#include "runtime/compiler/compiler.h"
#include "runtime/umd/code.h"
#include "runtime/vulkan/objects.h"
#include <stdlib.h>
#include <string.h>

static const char source[] =
#include "vulkan_blit.inc"
	;

enum blit_kernel { BLIT_FLOAT, BLIT_INT, BLIT_UINT, BLIT_LINEAR, BLIT_LINEAR_LAYERS, BLIT_KERNELS };
static const char *const names[BLIT_KERNELS] = {"blit_float", "blit_int", "blit_uint", "blit_linear", "blit_linear_layers"};

struct blit {
	struct umd_bo *code;
	struct {
		uint64_t entry;
		uint32_t private_bytes, label;
	} kernels[BLIT_KERNELS];
};

/* As the compiler lays out the kernels' arguments. */
struct arguments {
	uint64_t src, dst;
	int32_t from[4], extent[4], to[4], count[4];
};
/* In memory of the command buffer. */
struct command {
	struct kernarg_header header;
	struct arguments arguments;
	struct image_desc src, dst;
};

/* ---- the kernels ---- */
static bool kernel_take(struct blit *b, const struct kernel_object *object, const struct note_kernel *k)
{
	static const size_t offsets[] = {offsetof(struct arguments, src), offsetof(struct arguments, dst), offsetof(struct arguments, from),
					 offsetof(struct arguments, extent), offsetof(struct arguments, to), offsetof(struct arguments, count)};
	const struct note_arg *args = kernel_object_args(object, k);
	for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++)
		if (k->num_args != sizeof offsets / sizeof *offsets || args[i].offset != offsets[i])
			return false;
	for (unsigned i = 0; i < BLIT_KERNELS; i++)
		if (!strcmp(names[i], kernel_object_string(object, k->name))) {
			b->kernels[i].entry = umd_bo_address(b->code) + k->entry;
			b->kernels[i].private_bytes = k->private_bytes;
			b->kernels[i].label = umd_label(driver(), names[i]);
		}
	return true;
}

static VkResult blit_fill(VkDevice d, struct blit *b)
{
	const struct compile_input input = {"blit.cl", source, sizeof source - 1};
	const char *error = NULL;
	char *log = NULL;
	void *bytes = NULL;
	size_t size = 0;
	const enum compile_status status = compiler_run(&(struct compile_request){.action = COMPILE_BUILD, .options = "-cl-std=CL3.0", .inputs = &input, .num_inputs = 1},
							&bytes, &size, &log);
	struct kernel_object *object = status ? NULL : kernel_object_read(bytes, size, &error);
	VkResult result = object ? device_error(d, code_load(d->space, object, &b->code)) :
				   FAIL(status == COMPILE_NO_MEMORY ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN, "no kernels for blits: %s", error ? error : log);
	for (size_t i = 0; !result && i < kernel_object_num_kernels(object); i++)
		if (!kernel_take(b, object, kernel_object_kernel(object, i)))
			result = FAIL(VK_ERROR_UNKNOWN, "the kernels for blits have other arguments");
	kernel_object_free(object);
	free(bytes);
	free(log);
	return result;
}

void blit_free(VkDevice d)
{
	if (d->blit)
		umd_bo_release(d->blit->code);
	free(d->blit);
}

static VkResult blit_of(VkDevice d, struct blit **out)
{
	VkResult result = VK_SUCCESS;
	pthread_mutex_lock(&d->blit_lock);
	if (!d->blit) {
		struct blit *b = calloc(1, sizeof *b);
		result = b ? blit_fill(d, b) : VK_ERROR_OUT_OF_HOST_MEMORY;
		if (!result) {
			d->blit = b;
		} else if (b) {
			umd_bo_release(b->code);
			free(b);
		}
	}
	*out = d->blit;
	pthread_mutex_unlock(&d->blit_lock);
	return result;
}

/* ---- commands ---- */
/* One dimension: the destination forwards, the source in the direction that goes with it. */
static void axis(struct arguments *a, unsigned i, int32_t src0, int32_t src1, int32_t dst0, int32_t dst1)
{
	const bool backwards = dst1 < dst0;
	a->from[i] = backwards ? src1 : src0;
	a->extent[i] = backwards ? src0 - src1 : src1 - src0;
	a->to[i] = backwards ? dst1 : dst0;
	a->count[i] = backwards ? dst0 - dst1 : dst1 - dst0;
}

static enum blit_kernel kernel_of(VkImage src, VkFilter filter)
{
	if (filter == VK_FILTER_LINEAR)
		return src->type == VK_IMAGE_TYPE_3D ? BLIT_LINEAR : BLIT_LINEAR_LAYERS;
	return src->format->numeric == UINT ? BLIT_UINT : src->format->numeric == SINT ? BLIT_INT : BLIT_FLOAT;
}

static void region(VkCommandBuffer c, const struct blit *b, VkImage src, VkImage dst, const VkImageBlit2 *r, VkFilter filter)
{
	const enum blit_kernel kernel = kernel_of(src, filter);
	const VkOffset3D *s = r->srcOffsets, *t = r->dstOffsets;
	const unsigned src_layers = image_layers(src, &r->srcSubresource), dst_layers = image_layers(dst, &r->dstSubresource);
	const uint32_t lanes = c->pool->device->physical->info->lanes;
	uint64_t address;
	struct command *k = command_data(c, sizeof *k, &address);
	if (!k)
		return;
	*k = (struct command){.header = {.work_dim = 3, .max_subgroup = lanes},
			      .arguments = {.src = address + offsetof(struct command, src), .dst = address + offsetof(struct command, dst)}};
	image_describe(src, src->format, r->srcSubresource.mipLevel, r->srcSubresource.baseArrayLayer, src_layers, &k->src);
	image_describe(dst, dst->format, r->dstSubresource.mipLevel, r->dstSubresource.baseArrayLayer, dst_layers, &k->dst);
	k->src.depth = src->type == VK_IMAGE_TYPE_3D ? k->src.depth : src_layers;
	k->dst.depth = dst->type == VK_IMAGE_TYPE_3D ? k->dst.depth : dst_layers;
	axis(&k->arguments, 0, s[0].x, s[1].x, t[0].x, t[1].x);
	axis(&k->arguments, 1, s[0].y, s[1].y, t[0].y, t[1].y);
	if (src->type == VK_IMAGE_TYPE_3D || dst->type == VK_IMAGE_TYPE_3D)
		axis(&k->arguments, 2, s[0].z, s[1].z, t[0].z, t[1].z);
	else
		axis(&k->arguments, 2, 0, (int32_t)src_layers, 0, (int32_t)dst_layers);
	const uint32_t local[3] = {lanes, 1, 1};
	union packet packet = {.dispatch = {.head = {.type = PACKET_CODE_dispatch, .tag = b->kernels[kernel].label}, .entry = b->kernels[kernel].entry, .kernarg = address,
					    .private_bytes = b->kernels[kernel].private_bytes}};
	for (unsigned i = 0; i < 3; i++) {
		if (k->arguments.count[i] <= 0)
			return;
		k->header.local_size[i] = local[i];
		k->header.num_groups[i] = ((uint32_t)k->arguments.count[i] + local[i] - 1) / local[i];
		k->header.global_size[i] = (uint64_t)k->header.num_groups[i] * local[i];
		packet.dispatch.local_size[i] = (uint16_t)local[i];
		packet.dispatch.global_size[i] = (uint32_t)k->header.global_size[i];
	}
	if (c->private_bytes < b->kernels[kernel].private_bytes)
		c->private_bytes = b->kernels[kernel].private_bytes;
	*command_packet(c) = packet;
}

void VKAPI_CALL galena_vkCmdBlitImage2(VkCommandBuffer c, const VkBlitImageInfo2 *info)
{
	struct blit *b;
	const VkResult result = blit_of(c->pool->device, &b);
	if (result)
		c->error = result;
	for (uint32_t i = 0; !result && i < info->regionCount; i++)
		region(c, b, info->srcImage, info->dstImage, &info->pRegions[i], info->filter);
}

void VKAPI_CALL galena_vkCmdBlitImage(VkCommandBuffer c, VkImage src, VkImageLayout src_layout, VkImage dst, VkImageLayout dst_layout, uint32_t count,
				      const VkImageBlit *regions, VkFilter filter)
{
	for (uint32_t i = 0; i < count; i++) {
		const VkImageBlit *r = &regions[i];
		const VkImageBlit2 one = {VK_STRUCTURE_TYPE_IMAGE_BLIT_2, NULL, r->srcSubresource, {r->srcOffsets[0], r->srcOffsets[1]}, r->dstSubresource,
					  {r->dstOffsets[0], r->dstOffsets[1]}};
		galena_vkCmdBlitImage2(c, &(VkBlitImageInfo2){VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2, NULL, src, src_layout, dst, dst_layout, 1, &one, filter});
	}
}
