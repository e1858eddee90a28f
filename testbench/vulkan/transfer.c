/* Commands that copy and fill, against what the host computes. */
#include "testbench/vulkan/vk_test.h"

static uint64_t seed;
static uint32_t below(uint32_t n) { return (uint32_t)(splitmix64(&seed) % n); }
static uint32_t from_to(uint32_t first, uint32_t last) { return first + below(last - first + 1); }

static void scatter(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)splitmix64(&seed);
}

/* ---- buffers ---- */
/* Buffers on both sides of the bus, and what should be in them. */
enum { SIZE = 70000, BUFFERS = 4 };
static struct vk_buffer buffers[BUFFERS];
static uint8_t *expected[BUFFERS];

static void random_copy(VkCommandBuffer c)
{
	const unsigned a = below(BUFFERS), b = below(BUFFERS);
	VkBufferCopy2 r[3];
	uint32_t n = 0;
	uint32_t low = 0; /* regions do not meet */
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t bytes = from_to(1, i ? 600 : SIZE / 8), half = SIZE / 2;
		r[n] = (VkBufferCopy2){VK_STRUCTURE_TYPE_BUFFER_COPY_2, NULL, below(half - bytes), half + low, bytes};
		if (low + bytes > half)
			break;
		memmove(expected[b] + r[n].dstOffset, expected[a] + r[n].srcOffset, bytes);
		low += bytes + below(100);
		n++;
	}
	if (below(2)) {
		const VkCopyBufferInfo2 info = {VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, NULL, buffers[a].buffer, buffers[b].buffer, n, r};
		vkCmdCopyBuffer2(c, &info);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const VkBufferCopy one = {r[i].srcOffset, r[i].dstOffset, r[i].size};
		vkCmdCopyBuffer(c, buffers[a].buffer, buffers[b].buffer, 1, &one);
	}
}

static void random_fill(VkCommandBuffer c)
{
	const unsigned b = below(BUFFERS);
	const uint32_t at = 4 * below(SIZE / 4), rest = (SIZE - at) / 4 * 4, size = below(4) ? 4 * from_to(1, rest / 4) : 0;
	const uint32_t value = (uint32_t)splitmix64(&seed);
	vkCmdFillBuffer(c, buffers[b].buffer, at, size ? size : VK_WHOLE_SIZE, value);
	for (uint32_t i = 0; i < (size ? size : rest); i += 4)
		memcpy(expected[b] + at + i, &value, 4);
}

static void random_update(VkCommandBuffer c)
{
	const unsigned b = below(BUFFERS);
	uint8_t data[65536];
	const uint32_t size = below(8) ? 4 * from_to(1, 64) : sizeof data, at = 4 * below((SIZE - size) / 4 + 1);
	scatter(data, size);
	vkCmdUpdateBuffer(c, buffers[b].buffer, at, size, data);
	memcpy(expected[b] + at, data, size);
}

static void expect_buffers(void)
{
	for (unsigned i = 0; i < BUFFERS; i++) {
		struct vk_buffer back = vk_buffer(SIZE, VK_ON_HOST);
		VkCommandBuffer c = vk_begin();
		const VkBufferCopy all = {0, 0, SIZE};
		vkCmdCopyBuffer(c, buffers[i].buffer, back.buffer, 1, &all);
		vk_barrier(c);
		vk_run(vk.queue, c);
		assert_memory_equal(back.host, expected[i], SIZE);
		vk_buffer_free(&back);
	}
}

static void buffer_commands(void **state)
{
	(void)state;
	VkCommandBuffer c = vk_begin();
	for (unsigned i = 0; i < BUFFERS; i++) {
		buffers[i] = vk_buffer(SIZE, i & 1 ? VK_ON_HOST : VK_ON_DEVICE);
		expected[i] = calloc(1, SIZE);
		assert_non_null(expected[i]);
		vkCmdFillBuffer(c, buffers[i].buffer, 0, VK_WHOLE_SIZE, 0);
	}
	vk_barrier(c);
	vk_run(vk.queue, c);
	for (unsigned n = 0; n < 20; n++) {
		c = vk_begin();
		for (unsigned k = from_to(1, 8); k--;) {
			static void (*const commands[])(VkCommandBuffer) = {random_copy, random_copy, random_fill, random_update};
			commands[below(4)](c);
			vk_barrier(c);
		}
		vk_run(vk.queues[below(VK_TEST_QUEUES)], c);
	}
	expect_buffers();
	for (unsigned i = 0; i < BUFFERS; i++) {
		vk_buffer_free(&buffers[i]);
		free(expected[i]);
	}
}

/* ---- images ---- */
struct shadow {
	struct vk_image image;
	unsigned texel;
	uint8_t *bytes[8]; /* of each level: layers, slices, rows, texels */
};
static const struct { VkFormat format; unsigned bytes; } formats[] = {
	{VK_FORMAT_R8_UNORM, 1}, {VK_FORMAT_R8G8_UINT, 2}, {VK_FORMAT_R16_SFLOAT, 2}, {VK_FORMAT_R8G8B8A8_UNORM, 4}, {VK_FORMAT_B8G8R8A8_UNORM, 4},
	{VK_FORMAT_R32_SFLOAT, 4}, {VK_FORMAT_R16G16_SINT, 4}, {VK_FORMAT_R16G16B16A16_UINT, 8}, {VK_FORMAT_R32G32_SINT, 8}, {VK_FORMAT_R32G32B32A32_SFLOAT, 16},
};

static uint32_t of_level(uint32_t size, unsigned level) { return size >> level ? size >> level : 1; }
static VkExtent3D extent(const struct shadow *s, unsigned level)
{
	const VkExtent3D e = s->image.info.extent;
	return (VkExtent3D){of_level(e.width, level), of_level(e.height, level), of_level(e.depth, level)};
}
static bool is_3d(const struct shadow *s) { return s->image.info.imageType == VK_IMAGE_TYPE_3D; }
/* Slices of a level, or layers. */
static uint32_t planes(const struct shadow *s, unsigned level) { return is_3d(s) ? extent(s, level).depth : s->image.info.arrayLayers; }
static size_t level_size(const struct shadow *s, unsigned level)
{
	const VkExtent3D e = extent(s, level);
	return (size_t)e.width * e.height * planes(s, level) * s->texel;
}
static uint8_t *texel(const struct shadow *s, unsigned level, uint32_t x, uint32_t y, uint32_t plane)
{
	const VkExtent3D e = extent(s, level);
	return s->bytes[level] + (((size_t)plane * e.height + y) * e.width + x) * s->texel;
}

static struct shadow shadow_create(VkImageType type, unsigned format, VkImageTiling tiling)
{
	struct shadow s = {.texel = formats[format].bytes};
	const VkExtent3D e = {from_to(1, 70), type ? from_to(1, 40) : 1, type == VK_IMAGE_TYPE_3D ? from_to(1, 9) : 1};
	const uint32_t layers = type == VK_IMAGE_TYPE_3D || below(2) ? 1 : from_to(2, 6);
	const uint32_t longest = e.width > e.height ? e.width : e.height, most = longest >= 16 ? 5 : longest >= 4 ? 3 : 1;
	s.image = vk_image(type, formats[format].format, e, layers, tiling == VK_IMAGE_TILING_LINEAR ? 1 : from_to(1, most), tiling);
	for (unsigned l = 0; l < s.image.info.mipLevels; l++) {
		s.bytes[l] = malloc(level_size(&s, l));
		assert_non_null(s.bytes[l]);
	}
	return s;
}

static void shadow_free(struct shadow *s)
{
	for (unsigned l = 0; l < s->image.info.mipLevels; l++)
		free(s->bytes[l]);
	vk_image_free(&s->image);
}

static VkImageSubresourceLayers part(const struct shadow *s, unsigned level, uint32_t plane, uint32_t count)
{
	return (VkImageSubresourceLayers){VK_IMAGE_ASPECT_COLOR_BIT, level, is_3d(s) ? 0 : plane, is_3d(s) ? 1 : count};
}

/* A region of a level. */
struct region { unsigned level; uint32_t x, y, plane, w, h, planes; };
static struct region random_region(const struct shadow *s)
{
	struct region r = {.level = below(s->image.info.mipLevels)};
	const VkExtent3D e = extent(s, r.level);
	r.w = from_to(1, e.width), r.h = from_to(1, e.height), r.planes = from_to(1, planes(s, r.level));
	r.x = below(e.width - r.w + 1), r.y = below(e.height - r.h + 1), r.plane = below(planes(s, r.level) - r.planes + 1);
	return r;
}
static VkOffset3D offset(const struct shadow *s, const struct region *r) { return (VkOffset3D){(int32_t)r->x, (int32_t)r->y, is_3d(s) ? (int32_t)r->plane : 0}; }
static VkExtent3D size(const struct shadow *s, const struct region *r) { return (VkExtent3D){r->w, r->h, is_3d(s) ? r->planes : 1}; }

/* Between a region and a buffer with gaps. */
static void random_transfer(struct shadow *s, const struct region *r, bool write, bool two)
{
	const uint32_t length = below(2) ? 0 : r->w + below(9), height = below(2) ? 0 : r->h + below(5);
	const size_t row = (size_t)(length ? length : r->w) * s->texel, slice = row * (height ? height : r->h), at = below(20) * 16;
	struct vk_buffer b = vk_buffer(at + slice * r->planes, VK_ON_HOST);
	const VkBufferImageCopy2 region = {VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2, NULL, at, length, height, part(s, r->level, r->plane, r->planes), offset(s, r), size(s, r)};
	const VkBufferImageCopy old = {at, length, height, region.imageSubresource, region.imageOffset, region.imageExtent};
	const VkCopyBufferToImageInfo2 in = {VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2, NULL, b.buffer, s->image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region};
	const VkCopyImageToBufferInfo2 out = {VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, NULL, s->image.image, VK_IMAGE_LAYOUT_GENERAL, b.buffer, 1, &region};
	VkCommandBuffer c = vk_begin();
	scatter(b.host, b.size);
	if (write && two)
		vkCmdCopyBufferToImage2(c, &in);
	else if (write)
		vkCmdCopyBufferToImage(c, b.buffer, s->image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &old);
	else if (two)
		vkCmdCopyImageToBuffer2(c, &out);
	else
		vkCmdCopyImageToBuffer(c, s->image.image, VK_IMAGE_LAYOUT_GENERAL, b.buffer, 1, &old);
	vk_barrier(c);
	vk_run(vk.queue, c);
	for (uint32_t z = 0; z < r->planes; z++)
		for (uint32_t y = 0; y < r->h; y++) {
			uint8_t *image = texel(s, r->level, r->x, r->y + y, r->plane + z), *buffer = b.host + at + z * slice + y * row;
			if (write)
				memcpy(image, buffer, (size_t)r->w * s->texel);
			else
				assert_memory_equal(image, buffer, (size_t)r->w * s->texel);
		}
	vk_buffer_free(&b);
}

static void every_level(struct shadow *s, bool write)
{
	for (unsigned l = 0; l < s->image.info.mipLevels; l++) {
		const VkExtent3D e = extent(s, l);
		random_transfer(s, &(struct region){l, 0, 0, 0, e.width, e.height, planes(s, l)}, write, below(2));
	}
}

/* Between images whose texels have as many bytes; planes of one may be slices, of the other layers. */
static void random_image_copy(struct shadow *a, struct shadow *b)
{
	struct region from = random_region(a), to = random_region(b);
	from.w = to.w = from.w < to.w ? from.w : to.w;
	from.h = to.h = from.h < to.h ? from.h : to.h;
	from.planes = to.planes = from.planes < to.planes ? from.planes : to.planes;
	VkExtent3D e = is_3d(a) ? size(a, &from) : size(b, &to);
	const VkImageCopy2 r = {VK_STRUCTURE_TYPE_IMAGE_COPY_2, NULL, part(a, from.level, from.plane, from.planes), offset(a, &from),
				part(b, to.level, to.plane, to.planes), offset(b, &to), e};
	const VkCopyImageInfo2 info = {VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2, NULL, a->image.image, VK_IMAGE_LAYOUT_GENERAL, b->image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &r};
	const VkImageCopy old = {r.srcSubresource, r.srcOffset, r.dstSubresource, r.dstOffset, e};
	VkCommandBuffer c = vk_begin();
	if (below(2))
		vkCmdCopyImage2(c, &info);
	else
		vkCmdCopyImage(c, a->image.image, VK_IMAGE_LAYOUT_GENERAL, b->image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &old);
	vk_barrier(c);
	vk_run(vk.queue, c);
	for (uint32_t z = 0; z < from.planes; z++)
		for (uint32_t y = 0; y < from.h; y++)
			memcpy(texel(b, to.level, to.x, to.y + y, to.plane + z), texel(a, from.level, from.x, from.y + y, from.plane + z), (size_t)from.w * a->texel);
}

static void start(struct shadow *s)
{
	VkCommandBuffer c = vk_begin();
	vk_layout(c, s->image.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	vk_run(vk.queue, c);
	every_level(s, true);
}

static void image_commands(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 24; n++) {
		const unsigned format = below(sizeof formats / sizeof *formats);
		unsigned other = below(sizeof formats / sizeof *formats);
		while (formats[other].bytes != formats[format].bytes)
			other = below(sizeof formats / sizeof *formats);
		const VkImageType type = (VkImageType)below(3);
		/* 1D images go with 1D images, others with 2D and 3D ones; linear ones are 2D */
		struct shadow a = shadow_create(type, format, type == VK_IMAGE_TYPE_2D ? (VkImageTiling)below(2) : VK_IMAGE_TILING_OPTIMAL);
		struct shadow b = shadow_create(type == VK_IMAGE_TYPE_1D ? VK_IMAGE_TYPE_1D : (VkImageType)from_to(1, 2), other, VK_IMAGE_TILING_OPTIMAL);
		start(&a);
		start(&b);
		for (unsigned k = 0; k < 6; k++) {
			struct shadow *s = below(2) ? &a : &b;
			const struct region r = random_region(s);
			if (below(2))
				random_transfer(s, &r, below(2), below(2));
			else
				random_image_copy(s == &a ? &b : &a, s);
		}
		every_level(&a, false);
		every_level(&b, false);
		shadow_free(&a);
		shadow_free(&b);
	}
}

/* ---- clears ---- */
static void expect_clear(VkFormat format, VkClearColorValue colour, const void *bytes, unsigned count)
{
	/* two levels and three layers, of which some are cleared and the rest is not */
	struct shadow s = {.texel = count, .image = vk_image(VK_IMAGE_TYPE_2D, format, (VkExtent3D){9, 5, 1}, 3, 3, VK_IMAGE_TILING_OPTIMAL)};
	for (unsigned l = 0; l < 3; l++)
		assert_non_null(s.bytes[l] = malloc(level_size(&s, l)));
	start(&s);
	const VkImageSubresourceRange ranges[] = {{VK_IMAGE_ASPECT_COLOR_BIT, 1, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS},
						  {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1}};
	VkCommandBuffer c = vk_begin();
	vkCmdClearColorImage(c, s.image.image, VK_IMAGE_LAYOUT_GENERAL, &colour, 2, ranges);
	vk_barrier(c);
	vk_run(vk.queue, c);
	for (unsigned l = 0; l < 3; l++) {
		const VkExtent3D e = extent(&s, l);
		for (uint32_t p = l ? 0 : 1; p < (l ? 3 : 2); p++)
			for (uint32_t i = 0; i < e.width * e.height; i++)
				memcpy(texel(&s, l, 0, 0, p) + (size_t)i * count, bytes, count);
	}
	every_level(&s, false);
	shadow_free(&s);
}

static void clears(void **state)
{
	(void)state;
	expect_clear(VK_FORMAT_R8G8B8A8_UNORM, (VkClearColorValue){.float32 = {1, 0.5f, -3, 0.25f}}, (const uint8_t[]){255, 128, 0, 64}, 4);
	expect_clear(VK_FORMAT_B8G8R8A8_UNORM, (VkClearColorValue){.float32 = {1, 0.5f, 0, 2}}, (const uint8_t[]){0, 128, 255, 255}, 4);
	expect_clear(VK_FORMAT_R8G8B8A8_SRGB, (VkClearColorValue){.float32 = {1, 0.5f, -1, 0.25f}}, (const uint8_t[]){255, 188, 0, 64}, 4);
	expect_clear(VK_FORMAT_R8G8_SNORM, (VkClearColorValue){.float32 = {-1, 0.5f}}, (const int8_t[]){-127, 64}, 2);
	expect_clear(VK_FORMAT_R16_UNORM, (VkClearColorValue){.float32 = {1}}, (const uint16_t[]){65535}, 2);
	expect_clear(VK_FORMAT_R16G16B16A16_SFLOAT, (VkClearColorValue){.float32 = {1, -2, 0.5f, 65504}}, (const uint16_t[]){0x3c00, 0xc000, 0x3800, 0x7bff}, 8);
	expect_clear(VK_FORMAT_R8_UINT, (VkClearColorValue){.uint32 = {200}}, (const uint8_t[]){200}, 1);
	expect_clear(VK_FORMAT_R16G16_SINT, (VkClearColorValue){.int32 = {-5, 300}}, (const int16_t[]){-5, 300}, 4);
	expect_clear(VK_FORMAT_R32G32B32A32_SFLOAT, (VkClearColorValue){.float32 = {1.5f, -2, 3, 4}}, (const float[]){1.5f, -2, 3, 4}, 16);
	expect_clear(VK_FORMAT_R32G32_UINT, (VkClearColorValue){.uint32 = {1, 0xffffffff}}, (const uint32_t[]){1, 0xffffffff}, 8);
}

/* An image that is linear is where its layout says. */
static void linear(void **state)
{
	(void)state;
	struct vk_buffer b = vk_buffer(21 * 7 * 4, VK_ON_HOST);
	const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
					.extent = {21, 7, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_LINEAR,
					.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT};
	const VkImageSubresource which = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
	const VkBufferImageCopy all = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = info.extent};
	VkImage image;
	VkMemoryRequirements needs;
	VkSubresourceLayout layout;
	uint8_t *host;
	VK_OK(vkCreateImage(vk.device, &info, NULL, &image));
	vkGetImageMemoryRequirements(vk.device, image, &needs);
	const VkDeviceImageMemoryRequirements before = {VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, NULL, &info, 0};
	VkMemoryRequirements2 same = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
	vkGetDeviceImageMemoryRequirements(vk.device, &before, &same);
	assert_memory_equal(&needs, &same.memoryRequirements, sizeof needs);
	VkDeviceMemory memory = vk_memory(needs.size, needs.memoryTypeBits, VK_ON_HOST, NULL);
	VK_OK(vkBindImageMemory(vk.device, image, memory, 0));
	VK_OK(vkMapMemory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&host));
	vkGetImageSubresourceLayout(vk.device, image, &which, &layout);
	assert_int_equal(layout.offset, 0);
	assert_int_equal(layout.rowPitch, 21 * 4); /* packed, as other APIs take it */
	scatter(b.host, b.size);
	VkCommandBuffer c = vk_begin();
	vk_layout(c, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	vkCmdCopyBufferToImage(c, b.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
	vk_barrier(c);
	vk_run(vk.queue, c);
	assert_memory_equal(host, b.host, b.size);
	vkDestroyImage(vk.device, image, NULL);
	vkFreeMemory(vk.device, memory, NULL);
	vk_buffer_free(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {VK_CASE(buffer_commands), VK_CASE(image_commands), VK_CASE(clears), VK_CASE(linear)};
	vk_test_init(argc, argv);
	seed = vk.seed;
	return cmocka_run_group_tests(tests, vk_test_setup, vk_test_teardown);
}
