/* Memory, semaphores and fences that Vulkan shares by handle: with OpenCL, with other devices of Vulkan, with the host; and handles that are
 * not valid. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/opencl/external.h"
#include "testbench/skip.h"
#include "testbench/vulkan/vk_test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { WIDTH = 37, HEIGHT = 19, TEXELS = WIDTH * HEIGHT };
static VkDevice second;

static bool closed(int fd) { return fcntl(fd, F_GETFD) == -1 && errno == EBADF; }

/* ---- memory ---- */
static int memory_fd(VkDeviceMemory m, VkExternalMemoryHandleTypeFlagBits type)
{
	const VkMemoryGetFdInfoKHR info = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, NULL, m, type};
	int fd = -1;
	VK_OK(vk.vkGetMemoryFdKHR(vk.device, &info, &fd));
	assert_true(fd >= 0);
	return fd;
}

static const VkExternalMemoryHandleTypeFlagBits memory_types[] = {VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT};
static const cl_mem_properties cl_types[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};

/* A 2D image whose memory can be exported. */
static struct vk_image exported_image(VkFormat format, VkImageTiling tiling, VkExternalMemoryHandleTypeFlags type, VkMemoryPropertyFlags place)
{
	const VkExternalMemoryImageCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, NULL, type};
	const VkExportMemoryAllocateInfo export = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, NULL, type};
	struct vk_image m = {.info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .pNext = &external, .imageType = VK_IMAGE_TYPE_2D, .format = format,
				      .extent = {WIDTH, HEIGHT, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = tiling,
				      .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT}};
	VkMemoryRequirements needs;
	VK_OK(vkCreateImage(vk.device, &m.info, NULL, &m.image));
	vkGetImageMemoryRequirements(vk.device, m.image, &needs);
	m.memory = vk_memory(needs.size, needs.memoryTypeBits, place, &export);
	VK_OK(vkBindImageMemory(vk.device, m.image, m.memory, 0));
	return m;
}

static void clear(VkImage image, const VkClearColorValue *colour, VkImageLayout from)
{
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	VkCommandBuffer c = vk_begin();
	vk_layout(c, image, from, VK_IMAGE_LAYOUT_GENERAL);
	vkCmdClearColorImage(c, image, VK_IMAGE_LAYOUT_GENERAL, colour, 1, &all);
	vk_barrier(c);
	vk_run(vk.queue, c);
}

static void own(bool acquire, cl_mem m)
{
	if (acquire)
		CL_OK(ext.clEnqueueAcquireExternalMemObjectsKHR(cl.queue, 1, &m, 0, NULL, NULL));
	else
		CL_OK(ext.clEnqueueReleaseExternalMemObjectsKHR(cl.queue, 1, &m, 0, NULL, NULL));
}

/* An image that Vulkan has cleared is read by OpenCL, and one that OpenCL has filled by Vulkan; without a copy between them. */
static void images(void **state)
{
	(void)state;
	for (unsigned t = 0; t < 4; t++) {
		struct vk_image m = exported_image(VK_FORMAT_R8G8B8A8_UNORM, (VkImageTiling)(t & 1), memory_types[t / 2], t & 1 ? VK_ON_HOST : VK_ON_DEVICE);
		clear(m.image, &(VkClearColorValue){.float32 = {1, 0, 0.5f, 1}}, VK_IMAGE_LAYOUT_UNDEFINED);
		const int fd = memory_fd(m.memory, memory_types[t / 2]);
		const cl_mem_properties list[] = {cl_types[t / 2], (cl_mem_properties)fd, 0};
		const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
		const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
		cl_int code;
		cl_mem image = clCreateImageWithProperties(cl.context, list, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
		CL_OK(code);
		uint8_t got[TEXELS][4];
		const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
		own(true, image);
		CL_OK(clEnqueueReadImage(cl.queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
		for (unsigned i = 0; i < TEXELS; i++)
			assert_memory_equal(got[i], ((const uint8_t[]){255, 0, 128, 255}), 4);
		/* and back */
		for (unsigned i = 0; i < TEXELS; i++)
			memcpy(got[i], &i, 4);
		CL_OK(clEnqueueWriteImage(cl.queue, image, CL_FALSE, origin, region, 0, 0, got, 0, NULL, NULL));
		own(false, image);
		CL_OK(clFinish(cl.queue));
		struct vk_buffer b = vk_buffer(sizeof got, VK_ON_HOST);
		const VkBufferImageCopy all = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = m.info.extent};
		VkCommandBuffer c = vk_begin();
		vkCmdCopyImageToBuffer(c, m.image, VK_IMAGE_LAYOUT_GENERAL, b.buffer, 1, &all);
		vk_barrier(c);
		vk_run(vk.queue, c);
		assert_memory_equal(b.host, got, sizeof got);
		CL_OK(clReleaseMemObject(image));
		vk_buffer_free(&b);
		vk_image_free(&m);
	}
}

/* Images of other shapes and formats: OpenCL finds each texel where Vulkan has put it. */
static void shapes(void **state)
{
	(void)state;
	static const struct {
		VkImageType type;
		VkFormat format;
		VkExtent3D extent;
		uint32_t layers;
		cl_mem_object_type object;
		cl_image_format cl_format;
		unsigned bytes;
	} cases[] = {
		{VK_IMAGE_TYPE_1D, VK_FORMAT_R32_SFLOAT, {29, 1, 1}, 1, CL_MEM_OBJECT_IMAGE1D, {CL_R, CL_FLOAT}, 4},
		{VK_IMAGE_TYPE_1D, VK_FORMAT_R8G8_UINT, {29, 1, 1}, 5, CL_MEM_OBJECT_IMAGE1D_ARRAY, {CL_RG, CL_UNSIGNED_INT8}, 2},
		{VK_IMAGE_TYPE_2D, VK_FORMAT_B8G8R8A8_UNORM, {13, 7, 1}, 1, CL_MEM_OBJECT_IMAGE2D, {CL_BGRA, CL_UNORM_INT8}, 4},
		{VK_IMAGE_TYPE_2D, VK_FORMAT_R16_SFLOAT, {13, 7, 1}, 4, CL_MEM_OBJECT_IMAGE2D_ARRAY, {CL_R, CL_HALF_FLOAT}, 2},
		{VK_IMAGE_TYPE_3D, VK_FORMAT_R32G32B32A32_UINT, {5, 7, 9}, 1, CL_MEM_OBJECT_IMAGE3D, {CL_RGBA, CL_UNSIGNED_INT32}, 16},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const VkExtent3D e = cases[i].extent;
		const size_t texels = (size_t)e.width * e.height * e.depth * cases[i].layers, size = texels * cases[i].bytes;
		const VkExternalMemoryImageCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, NULL, memory_types[0]};
		const VkExportMemoryAllocateInfo export = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, NULL, memory_types[0]};
		const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .pNext = &external, .imageType = cases[i].type, .format = cases[i].format,
						.extent = e, .mipLevels = 1, .arrayLayers = cases[i].layers, .samples = VK_SAMPLE_COUNT_1_BIT,
						.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT};
		struct vk_buffer b = vk_buffer(size, VK_ON_HOST);
		VkImage image;
		VkMemoryRequirements needs;
		for (size_t k = 0; k < size; k++)
			b.host[k] = (uint8_t)splitmix64(&cl.seed);
		VK_OK(vkCreateImage(vk.device, &info, NULL, &image));
		vkGetImageMemoryRequirements(vk.device, image, &needs);
		VkDeviceMemory m = vk_memory(needs.size, needs.memoryTypeBits, VK_ON_DEVICE, &export);
		VK_OK(vkBindImageMemory(vk.device, image, m, 0));
		const VkBufferImageCopy all = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, cases[i].layers}, .imageExtent = e};
		VkCommandBuffer c = vk_begin();
		vk_layout(c, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
		vkCmdCopyBufferToImage(c, b.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &all);
		vk_barrier(c);
		vk_run(vk.queue, c);
		const cl_mem_properties list[] = {cl_types[0], (cl_mem_properties)memory_fd(m, memory_types[0]), 0};
		const bool one_row = cases[i].type == VK_IMAGE_TYPE_1D;
		const cl_image_desc desc = {.image_type = cases[i].object, .image_width = e.width, .image_height = one_row ? 0 : e.height,
					    .image_depth = cases[i].type == VK_IMAGE_TYPE_3D ? e.depth : 0, .image_array_size = cases[i].layers > 1 ? cases[i].layers : 0};
		cl_int code;
		cl_mem there = clCreateImageWithProperties(cl.context, list, CL_MEM_READ_ONLY, &cases[i].cl_format, &desc, NULL, &code);
		CL_OK(code);
		uint8_t *got = malloc(size);
		assert_non_null(got);
		const size_t origin[3] = {0};
		const size_t region[3] = {e.width, one_row ? cases[i].layers : e.height, one_row ? 1 : cases[i].type == VK_IMAGE_TYPE_3D ? e.depth : cases[i].layers};
		own(true, there);
		CL_OK(clEnqueueReadImage(cl.queue, there, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
		assert_memory_equal(got, b.host, size);
		free(got);
		CL_OK(clReleaseMemObject(there));
		vkDestroyImage(vk.device, image, NULL);
		vkFreeMemory(vk.device, m, NULL);
		vk_buffer_free(&b);
	}
}

static VkResult import_fd(VkDevice d, int fd, VkExternalMemoryHandleTypeFlagBits type, VkDeviceSize size, VkDeviceMemory *out)
{
	const VkImportMemoryFdInfoKHR import = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, NULL, type, fd};
	const VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, size, vk_memory_type(~0u, VK_ON_HOST)};
	return vkAllocateMemory(d, &info, NULL, out);
}

/* The same memory in another device, in a heap, and in the host. */
static void memory(void **state)
{
	(void)state;
	enum { SIZE = 8192 };
	const VkExportMemoryAllocateInfo export = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, NULL, memory_types[0]};
	VkDeviceMemory m = vk_memory(SIZE, ~0u, VK_ON_HOST, &export), other;
	uint8_t *here, *there;
	int fd = memory_fd(m, memory_types[0]);
	VK_OK(import_fd(second, fd, memory_types[0], SIZE, &other));
	assert_true(closed(fd)); /* it is the driver's */
	VK_OK(vkMapMemory(vk.device, m, 0, VK_WHOLE_SIZE, 0, (void **)&here));
	VK_OK(vkMapMemory(second, other, 0, VK_WHOLE_SIZE, 0, (void **)&there));
	memset(here, 0x77, SIZE);
	vkFreeMemory(vk.device, m, NULL);
	for (unsigned i = 0; i < SIZE; i++)
		assert_int_equal(there[i], 0x77); /* it lives as long as one of them */
	vkFreeMemory(second, other, NULL);

	fd = galena_heap_alloc("system", SIZE, 0);
	assert_true(fd >= 0);
	VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
	VK_OK(vk.vkGetMemoryFdPropertiesKHR(vk.device, memory_types[1], fd, &properties));
	assert_true(properties.memoryTypeBits >> vk_memory_type(~0u, VK_ON_HOST) & 1);
	uint32_t *host = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(host, MAP_FAILED);
	const VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, NULL, memory_types[1]};
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external, .size = SIZE, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkBuffer b;
	VK_OK(vkCreateBuffer(vk.device, &info, NULL, &b));
	VK_OK(import_fd(vk.device, fd, memory_types[1], SIZE, &m));
	VK_OK(vkBindBufferMemory(vk.device, b, m, 0));
	VkCommandBuffer c = vk_begin();
	vkCmdFillBuffer(c, b, 0, VK_WHOLE_SIZE, 0x1234567);
	vk_barrier(c);
	vk_run(vk.queue, c);
	for (unsigned i = 0; i < SIZE / 4; i++)
		assert_int_equal(host[i], 0x1234567);
	vkDestroyBuffer(vk.device, b, NULL);
	vkFreeMemory(vk.device, m, NULL);
	munmap(host, SIZE);
}

/* ---- semaphores ---- */
static VkSemaphore semaphore(VkDevice d, VkExternalSemaphoreHandleTypeFlags types, VkSemaphoreType type)
{
	const VkExportSemaphoreCreateInfo export = {VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, NULL, types};
	const VkSemaphoreTypeCreateInfo kind = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, types ? &export : NULL, type, 0};
	const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &kind, 0};
	VkSemaphore s;
	VK_OK(vkCreateSemaphore(d, &info, NULL, &s));
	return s;
}

static int semaphore_fd(VkSemaphore s, VkExternalSemaphoreHandleTypeFlagBits type)
{
	const VkSemaphoreGetFdInfoKHR info = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, NULL, s, type};
	int fd = -1;
	VK_OK(vk.vkGetSemaphoreFdKHR(vk.device, &info, &fd));
	return fd;
}

static VkResult semaphore_import(VkDevice d, VkSemaphore s, VkSemaphoreImportFlags flags, VkExternalSemaphoreHandleTypeFlagBits type, int fd)
{
	const VkImportSemaphoreFdInfoKHR info = {VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR, NULL, s, flags, type, fd};
	return vk.vkImportSemaphoreFdKHR(d, &info);
}

static void submit(VkQueue q, VkCommandBuffer c, VkSemaphore wait, VkSemaphore signal, VkFence f)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, NULL, wait != NULL, &wait, &stage, c != NULL, &c, signal != NULL, &signal};
	VK_OK(vkQueueSubmit(q, 1, &info, f));
}

/* OpenCL and Vulkan add to the same memory in turn, ordered by semaphores alone: there is one host wait, at the end. by_cl: whose they are.
 * held: a kernel that waits for a word of the host's holds back all of it until the host has submitted all of it. */
static void handshake(bool by_cl, bool held)
{
	enum { ROUNDS = 20, WORDS = 1024, SIZE = 8192 };
	const VkExternalSemaphoreHandleTypeFlagBits type = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
	const VkExportMemoryAllocateInfo export = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, NULL, memory_types[0]};
	const VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, NULL, memory_types[0]};
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &external, .size = SIZE,
					 .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
	VkDeviceMemory memory_ = vk_memory(SIZE, ~0u, VK_ON_HOST, &export);
	VkBuffer b;
	VK_OK(vkCreateBuffer(vk.device, &info, NULL, &b));
	VK_OK(vkBindBufferMemory(vk.device, b, memory_, 0));
	const cl_mem_properties list[] = {cl_types[0], (cl_mem_properties)memory_fd(memory_, memory_types[0]), 0};
	cl_int code;
	cl_mem m = clCreateBufferWithProperties(cl.context, list, CL_MEM_READ_WRITE, SIZE, NULL, &code);
	CL_OK(code);
	VkSemaphore v[2];
	cl_semaphore_khr s[2];
	for (unsigned i = 0; i < 2; i++) {
		v[i] = semaphore(vk.device, by_cl ? 0 : type, VK_SEMAPHORE_TYPE_BINARY);
		if (by_cl) {
			s[i] = SEMAPHORE(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0);
			VK_OK(semaphore_import(vk.device, v[i], 0, type, external_handle(s[i], CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR)));
		} else {
			s[i] = SEMAPHORE(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, (cl_semaphore_properties_khr)semaphore_fd(v[i], type));
		}
	}
	cl_kernel k = kernel_build(cl.context, "kernel void add(global uint *p) { uint i = get_global_id(0); p[i + 512] = p[i] * 2 + i; }", "add");
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	uint32_t *host;
	VK_OK(vkMapMemory(vk.device, memory_, 0, VK_WHOLE_SIZE, 0, (void **)&host));
	atomic_store((_Atomic uint32_t *)&host[WORDS], !held);
	cl_kernel gate = kernel_build(cl.context, "kernel void gate(global volatile uint *p) { while (!atomic_or(p + 1024, 0)); }", "gate");
	CL_OK(clSetKernelArg(gate, 0, sizeof m, &m));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, gate, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
	VkCommandBuffer c[ROUNDS];
	VkFence f;
	VK_OK(vkCreateFence(vk.device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &f));
	for (unsigned n = 0; n < ROUNDS; n++) {
		const size_t items = 512;
		c[n] = vk_begin();
		if (n)
			vkCmdCopyBuffer(c[n], b, b, 1, &(VkBufferCopy){2048, 0, 2048});
		else
			vkCmdFillBuffer(c[n], b, 0, 2048, 0);
		vk_barrier(c[n]);
		VK_OK(vkEndCommandBuffer(c[n]));
		submit(vk.queue, c[n], n ? v[1] : NULL, n < ROUNDS - 1 ? v[0] : NULL, n < ROUNDS - 1 ? NULL : f);
		if (n == ROUNDS - 1)
			break;
		CL_OK(ext.clEnqueueWaitSemaphoresKHR(cl.queue, 1, &s[0], NULL, 0, NULL, NULL));
		own(true, m);
		CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
		own(false, m);
		CL_OK(ext.clEnqueueSignalSemaphoresKHR(cl.queue, 1, &s[1], NULL, 0, NULL, NULL));
	}
	if (held) /* nothing has ended */
		VK_FAILS(VK_NOT_READY, vkGetFenceStatus(vk.device, f));
	atomic_store((_Atomic uint32_t *)&host[WORDS], 1);
	VK_OK(vkWaitForFences(vk.device, 1, &f, VK_TRUE, UINT64_MAX));
	for (uint32_t i = 0; i < 512; i++)
		assert_int_equal(host[i], i * ((1u << (ROUNDS - 1)) - 1));
	vkFreeCommandBuffers(vk.device, vk.pool, ROUNDS, c);
	for (unsigned i = 0; i < 2; i++) {
		vkDestroySemaphore(vk.device, v[i], NULL);
		CL_OK(ext.clReleaseSemaphoreKHR(s[i]));
	}
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseKernel(gate));
	CL_OK(clReleaseMemObject(m));
	vkDestroyFence(vk.device, f, NULL);
	vkDestroyBuffer(vk.device, b, NULL);
	vkFreeMemory(vk.device, memory_, NULL);
}

static void semaphores(void **state)
{
	(void)state;
	handshake(false, false);
	handshake(true, false);
}

/* handover.sh looks at the events of it. */
static void handover(void **state)
{
	(void)state;
	const char *config = getenv("GALENA_CONFIG");
	if (config && strstr(config, "coherent=0"))
		SKIP("where caches are not coherent a kernel that runs does not see what the host writes");
	handshake(false, true);
}

/* A copy of what signals a semaphore: from Vulkan to OpenCL and back. */
static void sync_files(void **state)
{
	(void)state;
	const VkExternalSemaphoreHandleTypeFlagBits type = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
	VkSemaphore s = semaphore(vk.device, type, VK_SEMAPHORE_TYPE_BINARY), t = semaphore(vk.device, 0, VK_SEMAPHORE_TYPE_BINARY);
	submit(vk.queue, NULL, NULL, s, NULL);
	int fd = semaphore_fd(s, type);
	cl_semaphore_khr from_vulkan = SEMAPHORE(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, (cl_semaphore_properties_khr)fd);
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(cl.queue, 1, &from_vulkan, NULL, 0, NULL, NULL));
	CL_OK(clFinish(cl.queue));
	/* what OpenCL will signal, once the application lets it */
	cl_int code;
	cl_event gate = clCreateUserEvent(cl.context, &code);
	CL_OK(code);
	cl_semaphore_khr to_vulkan = SEMAPHORE(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0);
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(cl.queue, 1, &to_vulkan, NULL, 1, &gate, NULL));
	fd = external_handle(to_vulkan, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
	VK_OK(semaphore_import(vk.device, t, VK_SEMAPHORE_IMPORT_TEMPORARY_BIT, type, fd));
	assert_true(closed(fd));
	VkFence f;
	VK_OK(vkCreateFence(vk.device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &f));
	submit(vk.queue, NULL, t, NULL, f);
	VK_FAILS(VK_TIMEOUT, vkWaitForFences(vk.device, 1, &f, VK_TRUE, 1000000));
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	VK_OK(vkWaitForFences(vk.device, 1, &f, VK_TRUE, UINT64_MAX));
	/* -1 has been signalled; then the semaphore has its own payload again */
	VK_OK(semaphore_import(vk.device, t, VK_SEMAPHORE_IMPORT_TEMPORARY_BIT, type, -1));
	submit(vk.queue, NULL, t, NULL, NULL);
	submit(vk.queue, NULL, NULL, t, NULL);
	submit(vk.queue, NULL, t, NULL, NULL);
	VK_OK(vkQueueWaitIdle(vk.queue));
	CL_OK(clReleaseEvent(gate));
	CL_OK(ext.clReleaseSemaphoreKHR(from_vulkan));
	CL_OK(ext.clReleaseSemaphoreKHR(to_vulkan));
	vkDestroyFence(vk.device, f, NULL);
	vkDestroySemaphore(vk.device, s, NULL);
	vkDestroySemaphore(vk.device, t, NULL);
}

/* A timeline of two devices. */
static void timeline(void **state)
{
	(void)state;
	const VkExternalSemaphoreHandleTypeFlagBits type = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
	VkSemaphore here = semaphore(vk.device, type, VK_SEMAPHORE_TYPE_TIMELINE), there = semaphore(second, 0, VK_SEMAPHORE_TYPE_TIMELINE);
	uint64_t value;
	VK_OK(semaphore_import(second, there, 0, type, semaphore_fd(here, type)));
	VK_OK(vkSignalSemaphore(vk.device, &(VkSemaphoreSignalInfo){VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, here, 41}));
	VK_OK(vkGetSemaphoreCounterValue(second, there, &value));
	assert_int_equal(value, 41);
	VK_OK(vkSignalSemaphore(second, &(VkSemaphoreSignalInfo){VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, there, 42}));
	VK_OK(vkWaitSemaphores(vk.device, &(VkSemaphoreWaitInfo){VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, &here, (const uint64_t[]){42}}, UINT64_MAX));
	vkDestroySemaphore(vk.device, here, NULL);
	vkDestroySemaphore(second, there, NULL);
}

/* ---- fences ---- */
static VkFence fence(VkDevice d, VkExternalFenceHandleTypeFlags types)
{
	const VkExportFenceCreateInfo export = {VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, NULL, types};
	VkFence f;
	VK_OK(vkCreateFence(d, &(VkFenceCreateInfo){VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, types ? &export : NULL, 0}, NULL, &f));
	return f;
}

static VkResult fence_import(VkDevice d, VkFence f, VkFenceImportFlags flags, VkExternalFenceHandleTypeFlagBits type, int fd)
{
	return vk.vkImportFenceFdKHR(d, &(VkImportFenceFdInfoKHR){VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR, NULL, f, flags, type, fd});
}

static void fences(void **state)
{
	(void)state;
	const VkExternalFenceHandleTypeFlagBits opaque = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT, sync = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
	VkFence here = fence(vk.device, opaque), shown = fence(vk.device, sync), there = fence(second, 0), copy = fence(second, 0);
	int fd;
	VK_OK(vk.vkGetFenceFdKHR(vk.device, &(VkFenceGetFdInfoKHR){VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, NULL, here, opaque}, &fd));
	VK_OK(fence_import(second, there, 0, opaque, fd));
	assert_true(closed(fd));
	VK_FAILS(VK_NOT_READY, vkGetFenceStatus(second, there));
	VK_OK(vkQueueSubmit(vk.queue, 0, NULL, here));
	VK_OK(vkWaitForFences(second, 1, &there, VK_TRUE, UINT64_MAX));
	VK_OK(vkWaitForFences(vk.device, 1, &here, VK_TRUE, UINT64_MAX));
	/* the copy of a sync file takes the signal, as a reset does */
	VK_OK(vkQueueSubmit(vk.queue, 0, NULL, shown));
	VK_OK(vk.vkGetFenceFdKHR(vk.device, &(VkFenceGetFdInfoKHR){VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, NULL, shown, sync}, &fd));
	VK_FAILS(VK_NOT_READY, vkGetFenceStatus(vk.device, shown));
	VK_OK(fence_import(second, copy, VK_FENCE_IMPORT_TEMPORARY_BIT, sync, fd));
	VK_OK(vkWaitForFences(second, 1, &copy, VK_TRUE, UINT64_MAX));
	VK_OK(vkGetFenceStatus(second, copy));
	VK_OK(vkResetFences(second, 1, &copy));
	VK_FAILS(VK_NOT_READY, vkGetFenceStatus(second, copy));
	VK_OK(fence_import(second, copy, VK_FENCE_IMPORT_TEMPORARY_BIT, sync, -1));
	VK_OK(vkGetFenceStatus(second, copy));
	/* a reset is one of the fence, whoever has it */
	VK_OK(vkGetFenceStatus(second, there));
	VK_OK(vkResetFences(vk.device, 1, &here));
	VK_FAILS(VK_NOT_READY, vkGetFenceStatus(second, there));
	VK_OK(vkDeviceWaitIdle(vk.device));
	vkDestroyFence(vk.device, here, NULL);
	vkDestroyFence(vk.device, shown, NULL);
	vkDestroyFence(second, there, NULL);
	vkDestroyFence(second, copy, NULL);
}

/* ---- handles that are not valid ---- */
static void bad_handles(void **state)
{
	(void)state;
	enum { SIZE = 8192 };
	const VkExternalSemaphoreHandleTypeFlagBits opaque = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, sync = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
	const VkExternalFenceHandleTypeFlagBits fence_opaque = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT, fence_sync = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
	VkSemaphore s = semaphore(vk.device, opaque, VK_SEMAPHORE_TYPE_BINARY);
	VkFence f = fence(vk.device, 0);
	VkDeviceMemory m;
	VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	const int memory_file = memfd_create("not ours", MFD_CLOEXEC), heap = galena_heap_alloc("system", SIZE, 0), ours = semaphore_fd(s, opaque);
	assert_int_equal(ftruncate(memory_file, SIZE), 0);
	const int gone = dup(ends[0]);
	close(gone);
	/* closed, of another kind, of other memory, of a semaphore */
	const int bad[] = {gone, ends[0], memory_file, ours};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		for (unsigned t = 0; t < 2; t++)
			VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, import_fd(vk.device, bad[i], memory_types[t], 4096, &m));
		VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, vk.vkGetMemoryFdPropertiesKHR(vk.device, memory_types[1], bad[i], &properties));
		if (bad[i] == ours)
			continue;
		VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, semaphore_import(vk.device, s, 0, opaque, bad[i]));
		VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, semaphore_import(vk.device, s, VK_SEMAPHORE_IMPORT_TEMPORARY_BIT, sync, bad[i]));
		VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, fence_import(vk.device, f, 0, fence_opaque, bad[i]));
		VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, fence_import(vk.device, f, VK_FENCE_IMPORT_TEMPORARY_BIT, fence_sync, bad[i]));
		if (bad[i] != gone)
			assert_false(closed(bad[i])); /* it stays the application's */
	}
	VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, semaphore_import(vk.device, s, 0, opaque, heap));
	VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, semaphore_import(vk.device, s, VK_SEMAPHORE_IMPORT_TEMPORARY_BIT, sync, ours));
	/* too small; then consumed */
	VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, import_fd(vk.device, heap, memory_types[1], SIZE + 1, &m));
	assert_false(closed(heap));
	VK_OK(import_fd(vk.device, heap, memory_types[1], SIZE, &m));
	vkFreeMemory(vk.device, m, NULL);
	VK_FAILS(VK_ERROR_INVALID_EXTERNAL_HANDLE, import_fd(vk.device, heap, memory_types[1], SIZE, &m));
	close(ends[0]);
	close(ends[1]);
	close(memory_file);
	close(ours);
	vkDestroySemaphore(vk.device, s, NULL);
	vkDestroyFence(vk.device, f, NULL);
	vk.messages = 0; /* of the layer, about what is not valid on purpose */
}

/* ---- what can be shared ---- */
static void capabilities(void **state)
{
	(void)state;
	const VkPhysicalDevice p = vk.physical[0];
	for (unsigned t = 0; t < 2; t++) {
		const VkPhysicalDeviceExternalBufferInfo info = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, NULL, 0, VK_BUFFER_USAGE_TRANSFER_DST_BIT, memory_types[t]};
		VkExternalBufferProperties b = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
		vkGetPhysicalDeviceExternalBufferProperties(p, &info, &b);
		assert_int_equal(b.externalMemoryProperties.externalMemoryFeatures, VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
		assert_true(b.externalMemoryProperties.compatibleHandleTypes & memory_types[t]);
		const VkPhysicalDeviceExternalImageFormatInfo external = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO, NULL, memory_types[t]};
		const VkPhysicalDeviceImageFormatInfo2 image = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2, &external, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D,
								VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_TRANSFER_DST_BIT, 0};
		VkExternalImageFormatProperties e = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
		VkImageFormatProperties2 f = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &e};
		VK_OK(vkGetPhysicalDeviceImageFormatProperties2(p, &image, &f));
		assert_int_equal(e.externalMemoryProperties.externalMemoryFeatures, b.externalMemoryProperties.externalMemoryFeatures);
	}
	VkExternalSemaphoreProperties s = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
	const VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL, VK_SEMAPHORE_TYPE_TIMELINE, 0};
	VkPhysicalDeviceExternalSemaphoreInfo info = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO, NULL, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
	vkGetPhysicalDeviceExternalSemaphoreProperties(p, &info, &s);
	assert_int_equal(s.externalSemaphoreFeatures, VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT);
	info.pNext = &type; /* a timeline has no sync files */
	vkGetPhysicalDeviceExternalSemaphoreProperties(p, &info, &s);
	assert_int_equal(s.externalSemaphoreFeatures, 0);
	VkExternalFenceProperties f = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
	const VkPhysicalDeviceExternalFenceInfo fence_info = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO, NULL, VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
	vkGetPhysicalDeviceExternalFenceProperties(p, &fence_info, &f);
	assert_int_equal(f.externalFenceFeatures, VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT);
}

static int setup(void **state)
{
	if (vk_test_setup(state) || external_setup(state))
		return -1;
	second = vk_device(vk.physical[0]);
	return second ? 0 : -1;
}

static int teardown(void **state)
{
	vkDestroyDevice(second, NULL);
	return cl_test_teardown(state) || vk_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {VK_CASE(images), VK_CASE(shapes), VK_CASE(memory),   VK_CASE(semaphores), VK_CASE(handover),
					   VK_CASE(sync_files), VK_CASE(timeline), VK_CASE(fences),      VK_CASE(bad_handles),
					   VK_CASE(capabilities)};
	vk_test_init(argc, argv);
	setenv("GALENA_WATCHDOG", "0", 0); /* a kernel waits for the host, however slow that is */
	return cmocka_run_group_tests(tests, setup, teardown);
}
