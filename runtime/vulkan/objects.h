/* What the files of the Vulkan driver share: its objects. A handle is the address of its object; as the specification has it, a handle that
 * is not valid is the application's error, which the validation layer reports.
 *
 * Threads: as the specification has it, the application sees to it that no two threads use an object whose use has to be external
 * synchronisation. What others may use meanwhile has a lock, or is atomic. */
#ifndef GALENA_RUNTIME_VULKAN_OBJECTS_H
#define GALENA_RUNTIME_VULKAN_OBJECTS_H
#include "base/log.h"
#include "abi/spirv_block.h"
#include "runtime/umd/box.h"
#include "runtime/umd/umd.h"
#include <pthread.h>
#include <stdatomic.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

/* ---- entry points ---- */
#define ENTRY(level, name, extension) __typeof__(name) galena_##name;
#define ALIAS(level, name, extension, core)
#include "runtime/vulkan/entry_points.def"
#undef ENTRY
#undef ALIAS

enum extension {
	EXTENSION_CORE,
#define EXTENSION(level, name, version) EXTENSION_##name,
#include "runtime/vulkan/extensions.def"
#undef EXTENSION
};
PFN_vkVoidFunction entry_point_instance(uint64_t extensions, const char *name); /* NULL: there is none */
PFN_vkVoidFunction entry_point_device(uint64_t extensions, const char *name);
/* The extensions that are asked for, one bit each. VK_ERROR_EXTENSION_NOT_PRESENT: one is not there. */
VkResult extensions_enable(bool device, uint32_t count, const char *const *names, uint64_t *out);
VkResult extensions_list(bool device, const char *layer, uint32_t *count, VkExtensionProperties *out);

/* Says what an application has to know of an error beside its code, when GALENA_LOG asks. */
#define FAIL(code, ...) (log_write(LOG_INFO, "Vulkan: " __VA_ARGS__), (code))
#define FAIL_IF(condition, code, ...)            \
	do {                                     \
		if (condition)                   \
			return FAIL(code, __VA_ARGS__); \
	} while (0)
#define TRY(call)                        \
	do {                             \
		const VkResult try_ = (call); \
		if (try_)                \
			return try_;     \
	} while (0)

/* A structure of a chain (pNext), or NULL. */
const void *chain_find(const void *chain, VkStructureType);

/* ---- memory of the host for objects ---- */
/* Zeroed. given: the call's allocator, or NULL: then the parent's. */
void *object_alloc(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *given, size_t size, VkSystemAllocationScope);
void object_free(const VkAllocationCallbacks *parent, const VkAllocationCallbacks *given, void *);
/* The object is about to go: what applications keep of it goes, too (private_data.c). */
void private_data_forget(const void *object);
#define OBJECT_NEW(device, given, type) object_alloc(&(device)->allocator, (given), sizeof(struct type##_T), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT)
/* A list that grows by one entry, of the library's heap. False: there is no memory, and it is as it was. */
bool list_grow(void *list, unsigned count, unsigned *room, size_t size);

/* ---- instance, physical device, device ---- */
enum { DEVICES_MAX = 16 };
struct VkPhysicalDevice_T {
	VK_LOADER_DATA loader;
	VkInstance instance;
	unsigned index;
	const struct kmd_device_info *info;
	char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};
struct VkInstance_T {
	VK_LOADER_DATA loader;
	VkAllocationCallbacks allocator; /* without functions: the library's heap */
	uint64_t extensions;
	unsigned num_devices;
	struct VkPhysicalDevice_T devices[DEVICES_MAX];
};
/* The process's devices, opened by the first of its instances and closed by the last (driver.c). NULL: there are none. */
struct umd *driver_open(void);
void driver_close(void);
struct umd *driver(void); /* while there is an instance */

enum { QUEUES = 8 }; /* of the family */
struct VkQueue_T {
	VK_LOADER_DATA loader;
	VkDevice device;
	struct umd_queue *queue;
	struct umd_command *last; /* NULL: none was submitted */
	uint64_t sequence;        /* of the last: commands are counted */
	_Atomic uint64_t observed; /* the application has waited for the end of all commands up to this one, and they ended well */
};
/* Every command of the queue up to this one has been waited for. Any thread. */
void queue_observed(VkQueue, uint64_t sequence);
struct VkDevice_T {
	VK_LOADER_DATA loader;
	VkPhysicalDevice physical;
	VkAllocationCallbacks allocator;
	uint64_t extensions;
	struct umd_space *space;
	struct umd_queue *indirect; /* of dispatches whose sizes the host has read (queue.c) */
	unsigned num_queues;
	struct VkQueue_T *queues;
	atomic_bool lost;
	bool robust;             /* robustBufferAccess is enabled */
	struct blit *blit;       /* NULL: there was no blit yet */
	pthread_mutex_t blit_lock;
	struct umd_bo *sink;     /* what struct spirv_block says */
	pthread_mutex_t lock;    /* of what follows */
	VkDeviceMemory maintained; /* memory by descriptor, where caches are not coherent */
};
/* The code of a driver's error; the device is lost when the driver says so. */
VkResult device_error(VkDevice, int error);
VkResult device_lost(VkDevice); /* VK_ERROR_DEVICE_LOST, from now on */
void blit_free(VkDevice);

/* What a physical device is, as Vulkan 1.0 to 1.3 group it; chains are made of it (chain.c). */
struct blocks {
	VkPhysicalDeviceFeatures features;
	VkPhysicalDeviceVulkan11Features features11;
	VkPhysicalDeviceVulkan12Features features12;
	VkPhysicalDeviceVulkan13Features features13;
	VkPhysicalDeviceVulkan11Properties properties11;
	VkPhysicalDeviceVulkan12Properties properties12;
	VkPhysicalDeviceVulkan13Properties properties13;
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT memory_host;
};
void physical_device_blocks(VkPhysicalDevice, struct blocks *);
void chain_fill(const struct blocks *, void *chain);
/* No feature is asked for that is not there. */
bool chain_features_present(const struct blocks *, const VkDeviceCreateInfo *);

/* ---- memory ---- */
enum memory_type { MEMORY_DEVICE, MEMORY_HOST, MEMORY_HOST_CACHED, MEMORY_TYPES };
enum { MEMORY_ALL_TYPES = (1 << MEMORY_TYPES) - 1, MEMORY_HOST_TYPES = 1 << MEMORY_HOST | 1 << MEMORY_HOST_CACHED };
extern const VkMemoryType memory_types[MEMORY_TYPES];
#define MEMORY_FD_HANDLES (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)
struct VkDeviceMemory_T {
	VkDevice device;
	struct umd_bo *bo;
	uint64_t address, size;
	uint8_t *cpu;                            /* NULL: it cannot be mapped */
	VkExternalMemoryHandleTypeFlags exports;
	bool maintained;
	VkDeviceMemory next;                     /* device->maintained */
};
/* Gives a new object its memory by descriptor or of the host, as the chain says (external_memory.c). */
VkResult memory_import_fd(VkDeviceMemory, const VkImportMemoryFdInfoKHR *);
VkResult memory_import_host(VkDeviceMemory, const VkImportMemoryHostPointerInfoEXT *);
VkResult memory_error(VkDevice, int error, uint64_t size);
/* The memory types of a resource: what is of the host's own memory is not of the device's. */
uint32_t memory_types_of(VkExternalMemoryHandleTypeFlags);
void memory_requirements(VkMemoryRequirements2 *, VkDeviceSize size, VkDeviceSize alignment, VkExternalMemoryHandleTypeFlags);
/* What can be done with memory by a type of handle. */
VkExternalMemoryProperties memory_external_properties(VkExternalMemoryHandleTypeFlagBits);

struct VkBuffer_T {
	VkDeviceSize size;
	VkExternalMemoryHandleTypeFlags handles;
	uint64_t address; /* once it is bound */
};

/* ---- images ---- */
enum numeric { UNORM, SNORM, UINT, SINT, SFLOAT, SRGB };
struct format {
	VkFormat format;
	enum numeric numeric;
	unsigned bits, channels; /* of a channel; in memory */
	bool bgra;               /* in this order there */
};
const struct format *format_find(VkFormat); /* NULL: there are no images of it */
/* OpenCL's names of it, which kernels know. */
void format_names(const struct format *, uint32_t *channel_order, uint32_t *channel_type);
static inline unsigned format_bytes(const struct format *f) { return f->bits / 8 * f->channels; }
/* The bytes of a texel of a colour; how many. */
unsigned format_texel(const struct format *, const VkClearColorValue *, uint8_t out[16]);

enum { IMAGE_2D_MAX = 16384, IMAGE_3D_MAX = 2048, IMAGE_LAYERS_MAX = 2048, IMAGE_LEVELS_MAX = 15 };
/* Texels lie one after the other, so do rows, slices, levels of a layer, and layers. */
struct VkImage_T {
	const struct format *format;
	VkImageType type;
	VkExtent3D extent;
	unsigned levels, layers;
	VkExternalMemoryHandleTypeFlags handles;
	VkDeviceSize layer_bytes;
	uint64_t address; /* once it is bound */
};
void image_init(VkImage, const VkImageCreateInfo *);
VkExtent3D image_extent(VkImage, unsigned level);
/* Where a subresource is, from the image's first byte: its offset, pitches and size. */
VkSubresourceLayout image_layout(VkImage, unsigned level, unsigned layer);
/* A place in it, with pitches: from slice to slice of one that is 3D, else from layer to layer. */
struct box image_box(VkImage, unsigned level, unsigned layer, VkOffset3D);
/* How many layers a command is about. */
unsigned image_layers(VkImage, const VkImageSubresourceLayers *);
/* What kernels read of a level, of so many layers, as texels of a format. */
void image_describe(VkImage, const struct format *, unsigned level, unsigned layer, unsigned layers, struct image_desc *);

struct VkBufferView_T {
	VkBuffer buffer;
	const struct format *format;
	VkDeviceSize offset, range;
};
struct VkImageView_T {
	VkImage image;
	VkImageViewType type;
	const struct format *format;
	VkComponentMapping components;
	VkImageSubresourceRange range; /* none of it is "remaining" */
};
enum { SAMPLER_BIAS_MAX = 2 };
struct VkSampler_T {
	uint64_t bits; /* enum spirv_sampler */
};
/* What kernels read of a view. */
void image_view_describe(VkImageView, struct image_desc *);
void buffer_view_describe(VkBufferView, struct image_desc *);

/* ---- descriptors ---- */
enum { SET_DESCRIPTORS = 1024, SET_BYTES = SET_DESCRIPTORS * (sizeof(struct spirv_descriptor) + sizeof(struct image_desc)) };
struct binding {
	uint32_t number, count, at; /* at: where in a set's memory its descriptors begin */
	VkDescriptorType type;
	const VkSampler *samplers;  /* while the layout is made */
	const uint64_t *sampler_bits; /* NULL: the layout has none */
};
struct VkDescriptorSetLayout_T {
	unsigned count, num_dynamic;
	uint32_t bytes;
	struct binding bindings[]; /* by their numbers */
};
bool descriptor_has_image(VkDescriptorType); /* a struct image_desc: of an image, or of a texel buffer */
bool descriptor_is_texel_buffer(VkDescriptorType);
bool descriptor_has_sampler(VkDescriptorType);
bool descriptor_is_dynamic(VkDescriptorType);
uint32_t descriptor_bytes(VkDescriptorType); /* of one, in a set's memory */
const struct binding *binding_find(VkDescriptorSetLayout, uint32_t number); /* NULL: there is none */
struct VkDescriptorPool_T {
	VkAllocationCallbacks allocator;
	struct umd_bo *bo;
	uint64_t bytes;
	uint32_t left; /* sets */
	VkDescriptorSet first, last; /* in the order of their places */
};
struct VkDescriptorSet_T {
	VkDescriptorSetLayout layout;
	VkDescriptorSet next;
	uint64_t at, address;
	uint32_t bytes, num_dynamic;
	uint8_t *cpu;
	uint32_t dynamic[]; /* where in its memory, in the order of dynamic offsets */
};
struct VkDescriptorUpdateTemplate_T {
	uint32_t count;
	VkDescriptorUpdateTemplateEntry entries[];
};

/* ---- pipelines ---- */
struct VkShaderModule_T {
	size_t size;
	uint32_t code[];
};
struct placed_binding { uint32_t set, binding, at; };
struct VkPipelineLayout_T {
	unsigned count;
	struct placed_binding bindings[];
};
struct VkPipeline_T {
	struct umd_bo *code;
	uint64_t entry;
	uint32_t local_size[3], local_bytes, private_bytes, label;
};

/* ---- semaphores, fences, events, queries ---- */
struct VkSemaphore_T {
	struct umd_sem *sem;
	struct umd_sem *imported; /* binary: of a temporary import: what the next wait takes; NULL: nothing */
	bool timeline;
};
struct VkFence_T {
	struct umd_sem *sem;      /* a binary semaphore: signalled while a signal is not taken */
	struct umd_sem *imported; /* of a temporary import, until the next reset */
	int sync_file;            /* that is imported: its descriptor; -1: none */
	bool shared;              /* its resets are known to others */
	uint64_t resets;          /* otherwise: signals that have been taken, less one that the fence began with */
	VkQueue queue;            /* whose command of this number signals it alone; NULL: none, or another may */
	uint64_t sequence;
};
/* Is it? VK_NOT_READY, VK_ERROR_DEVICE_LOST. Waits for nothing. */
VkResult fence_state(VkFence);
/* Calls ready(arg) until it says something else than VK_NOT_READY, or until the time is over: VK_TIMEOUT. Lets devices run in between. */
VkResult wait_until(VkDevice, uint64_t timeout, VkResult (*ready)(const void *), const void *arg);
/* An imported payload of a sync file; -1 is one that has been signalled. */
VkResult sync_file_import(int fd, struct umd_sem **out);

/* Set from the signal of a value of its fence on, until that value is another one. Both as the calls that submit or set come. */
struct VkEvent_T {
	struct umd_sem *sem;
	_Atomic uint64_t value;
};

struct query {
	uint64_t generation;     /* of submissions: another one with each reset and each write */
	bool written;
	_Atomic uint64_t known;  /* the generation that the value is of */
	uint64_t value;
};
struct VkQueryPool_T {
	atomic_uint refs; /* one is the handle's, others are commands' */
	uint32_t count;
	struct query queries[];
};
void query_pool_unref(VkQueryPool);
void query_reset(VkQueryPool, uint32_t first, uint32_t count);
/* A value is known; generation: when the command was submitted. */
void query_known(VkQueryPool, uint32_t query, uint64_t generation, uint64_t value);
bool query_available(VkQueryPool, uint32_t query, uint64_t *value);

/* ---- command buffers ---- */
/* What is not a packet: it ends a command of the driver, or begins one. */
enum cut_kind { CUT_SET_EVENT, CUT_RESET_EVENT, CUT_WAIT_EVENT, CUT_TIMESTAMP, CUT_RESET_QUERIES, CUT_COPY_RESULTS, CUT_DISPATCH };
struct cut {
	enum cut_kind kind;
	unsigned at; /* packets that come before */
	VkEvent event;
	VkQueryPool pool;
	uint32_t first, count;
	VkQueryResultFlags flags;
	uint64_t address, stride;
	const struct dispatch *dispatch; /* whose numbers of work-groups are in memory, at address */
};
/* In memory of the command buffer. */
struct dispatch {
	struct kernarg_header header;
	struct spirv_block block;
	union packet packet;
};
void dispatch_groups(struct dispatch *, const uint32_t groups[3]);
struct chunk; /* of memory that packets refer to */
struct VkCommandPool_T {
	VkDevice device;
	VkAllocationCallbacks allocator;
	VkCommandBuffer first;
	struct chunk *spare;
};
struct VkCommandBuffer_T {
	VK_LOADER_DATA loader;
	VkCommandPool pool;
	VkCommandBuffer next;
	union packet *packets;
	struct cut *cuts;
	unsigned num_packets, cap_packets, num_cuts, cap_cuts;
	struct chunk *chunks;
	struct {
		VkPipeline pipeline;
		struct spirv_block block; /* sets and push constants */
	} bound;
	uint32_t private_bytes; /* the most that a lane of a dispatch needs */
	VkResult error; /* what vkEndCommandBuffer returns */
};
/* A zeroed packet to be filled in; a dummy when memory is short, which is kept as the command buffer's error. */
union packet *command_packet(void *command_buffer);
void command_cut(VkCommandBuffer, struct cut);
/* Memory that the device reads when the command runs; at most COMMAND_DATA_MAX bytes. NULL without memory. */
enum { COMMAND_DATA_MAX = 1 << 17 };
_Static_assert((int)SET_BYTES <= (int)COMMAND_DATA_MAX, "a set with dynamic offsets is copied");
void *command_data(VkCommandBuffer, size_t size, uint64_t *address);

#endif
