/* Devices and what they say about themselves. */
#include "abi/environment.h"
#include "abi/pci.h"
#include "runtime/opencl/device.h"
#include "runtime/opencl/external.h"
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct _cl_device_id devices[DEVICES_MAX];

const char device_extensions[] =
#define EXTENSION(name, major, minor, patch, kernels) #name " "
#define FEATURE(name, kernels)
#include "runtime/compiler/extensions.def"
#undef EXTENSION
#undef FEATURE
	"";

static const cl_name_version extension_versions[] = {
#define EXTENSION(name, major, minor, patch, kernels) {CL_MAKE_VERSION(major, minor, patch), #name},
#define FEATURE(name, kernels)
#include "runtime/compiler/extensions.def"
#undef EXTENSION
#undef FEATURE
};

static const cl_name_version c_versions[] = {
	{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
	{CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
	{CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
	{CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
};

static const cl_name_version c_features[] = {
#define EXTENSION(name, major, minor, patch, kernels)
#define FEATURE(name, kernels) {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_" #name},
#include "runtime/compiler/extensions.def"
#undef EXTENSION
#undef FEATURE
};

cl_int device_extension_versions(size_t size, void *value, size_t *size_ret)
{
	return info_bytes(size, value, size_ret, extension_versions, sizeof extension_versions);
}

static cl_device_type device_type(void)
{
	const char *env = getenv("GALENA_DEVICE_TYPE");
	if (!env || !strcmp(env, "gpu"))
		return CL_DEVICE_TYPE_GPU;
	if (!strcmp(env, "accelerator"))
		return CL_DEVICE_TYPE_ACCELERATOR;
	if (!strcmp(env, "cpu"))
		return CL_DEVICE_TYPE_CPU;
	log_write(LOG_ERROR, "GALENA_DEVICE_TYPE=%s is none of gpu, accelerator, cpu; devices say gpu", env);
	return CL_DEVICE_TYPE_GPU;
}

cl_device_id device_init(unsigned index, const struct kmd_device_info *info)
{
	struct _cl_device_id *d = &devices[index];
	const char *config = environment_value("GALENA_CONFIG"), *slash = strrchr(config, '/');
	if (!handle_known(d))
		object_init(&d->object, MAGIC_DEVICE, NULL, NULL);
	d->object.forks = object_forks; /* the devices of a forked child have the handles of its parent's */
	d->index = index;
	d->info = info;
	d->num_cu = info->num_cu;
	d->type = device_type();
	/* a configuration file is named by its own name, not by where it lies */
	snprintf(d->name, sizeof d->name, "Galena %.40s", slash ? slash + 1 : config);
	return d;
}

bool device_type_known(cl_device_type type)
{
	const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
				     CL_DEVICE_TYPE_CUSTOM;
	return type == CL_DEVICE_TYPE_ALL || (type && !(type & ~known));
}

cl_uint device_select(cl_device_type type, cl_device_id out[DEVICES_MAX])
{
	unsigned count = platform_devices();
	cl_uint n = 0;
	for (unsigned i = 0; i < count; i++) {
		cl_device_id d = galena_platform.devices[i];
		cl_device_type t = d->type | (i == 0 ? CL_DEVICE_TYPE_DEFAULT : 0);
		if (type & t) /* CL_DEVICE_TYPE_ALL has every bit; custom devices there are none */
			out[n++] = d;
	}
	return n;
}

/* A cycle in nanoseconds. */
size_t device_timer_resolution(const struct _cl_device_id *d)
{
	return d->info->clock_mhz < 1000 ? (1000 + d->info->clock_mhz - 1) / d->info->clock_mhz : 1;
}

uint64_t device_max_alloc(const struct _cl_device_id *d) { return d->info->dram_size / 2; }

/* What the device is and what it can do at all. */
static cl_int device_info_identity(const struct _cl_device_id *d, cl_device_info param_name, INFO_PARAMETERS)
{
	switch (param_name) {
	case CL_DEVICE_TYPE: return INFO(cl_device_type, d->type);
	case CL_DEVICE_VENDOR_ID: return INFO(cl_uint, PCI_VENDOR_ID);
	case CL_DEVICE_NAME: return INFO_STRING(d->name);
	case CL_DEVICE_VENDOR: return INFO_STRING("Galena");
	case CL_DRIVER_VERSION: return INFO_STRING(GALENA_VERSION);
	case CL_DEVICE_PROFILE: return INFO_STRING("FULL_PROFILE");
	case CL_DEVICE_VERSION: return INFO_STRING("OpenCL 3.0 Galena " GALENA_VERSION);
	case CL_DEVICE_NUMERIC_VERSION: return INFO(cl_version, CL_MAKE_VERSION(3, 0, 0));
	case CL_DEVICE_OPENCL_C_VERSION: return INFO_STRING("OpenCL C 1.2 Galena " GALENA_VERSION);
	case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR: return INFO(cl_version, CL_MAKE_VERSION(1, 2, 0));
	case CL_DEVICE_OPENCL_C_ALL_VERSIONS: return INFO_BYTES(c_versions, sizeof c_versions);
	case CL_DEVICE_OPENCL_C_FEATURES: return INFO_BYTES(c_features, sizeof c_features);
	case CL_DEVICE_EXTENSIONS: return INFO_STRING(device_extensions);
	case CL_DEVICE_EXTENSIONS_WITH_VERSION: return device_extension_versions(param_value_size, param_value, param_value_size_ret);
	case CL_DEVICE_ILS_WITH_VERSION:
	case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: return INFO_BYTES("", 0);
	case CL_DEVICE_IL_VERSION:
	case CL_DEVICE_BUILT_IN_KERNELS: return INFO_STRING("");
	case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: return INFO_STRING("v0000-01-01-00"); /* none was submitted */
	case CL_DEVICE_PLATFORM: return INFO(cl_platform_id, &galena_platform);
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_LINKER_AVAILABLE:
	case CL_DEVICE_ENDIAN_LITTLE: return INFO(cl_bool, CL_TRUE);
	case CL_DEVICE_ERROR_CORRECTION_SUPPORT: return INFO(cl_bool, CL_FALSE);
	case CL_DEVICE_HOST_UNIFIED_MEMORY: return INFO(cl_bool, CL_FALSE);
	case CL_DEVICE_ADDRESS_BITS: return INFO(cl_uint, 64);
	case CL_DEVICE_EXECUTION_CAPABILITIES: return INFO(cl_device_exec_capabilities, CL_EXEC_KERNEL);
	case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
		return INFO(cl_command_queue_properties, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	case CL_DEVICE_PARENT_DEVICE: return INFO(cl_device_id, d->parent);
	case CL_DEVICE_REFERENCE_COUNT: return INFO(cl_uint, object_refs(&d->object)); /* root devices are not counted: 1 */
	case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return INFO(cl_uint, d->num_cu > 1 ? d->num_cu : 0);
	case CL_DEVICE_PARTITION_PROPERTIES: {
		/* OpenCL 3.0, 4.2: one property 0 if it cannot be divided */
		static const cl_device_partition_property ways[] = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS};
		return d->num_cu > 1 ? INFO_BYTES(ways, sizeof ways) : INFO(cl_device_partition_property, 0);
	}
	case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: return INFO(cl_device_affinity_domain, 0);
	/* nothing for a device of the platform */
	case CL_DEVICE_PARTITION_TYPE: return INFO_GIVEN(d->partition);
	case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: return INFO(cl_bool, CL_TRUE);
	/* a bus of its own for each device, in a domain that no machine numbers so */
	case CL_DEVICE_PCI_BUS_INFO_KHR: return INFO(cl_device_pci_bus_info_khr, PCI_VENDOR_ID, d->index, 0, 0);
	case CL_DEVICE_UUID_KHR:
	case CL_DRIVER_UUID_KHR: {
		uint8_t uuid[CL_UUID_SIZE_KHR];
		if (param_name == CL_DRIVER_UUID_KHR)
			umd_uuid(galena_platform.driver, uuid);
		else
			umd_device_uuid(galena_platform.driver, d->index, uuid);
		return INFO_BYTES(uuid, sizeof uuid);
	}
	/* LUIDs and node masks are of one operating system, which is not this one */
	case CL_DEVICE_LUID_VALID_KHR: return INFO(cl_bool, CL_FALSE);
	case CL_DEVICE_LUID_KHR: return INFO_BYTES(((cl_uchar[CL_LUID_SIZE_KHR]){0}), CL_LUID_SIZE_KHR);
	case CL_DEVICE_NODE_MASK_KHR: return INFO(cl_uint, 0);
	case CL_DEVICE_PROFILING_TIMER_RESOLUTION: return INFO(size_t, device_timer_resolution(d));
	}
	return ANOTHER_GROUP;
}

#define ATOMICS                                                                                    \
	(CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |                     \
	 CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)

/* Optional features of OpenCL 3.0; those that are not there say so (appendix of 4.2). */
static cl_int device_info_features(const struct _cl_device_id *d, cl_device_info param_name, INFO_PARAMETERS)
{
	switch (param_name) {
	case CL_DEVICE_SVM_CAPABILITIES: return INFO(cl_device_svm_capabilities, svm_capabilities(d));
	case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: return INFO(cl_device_atomic_capabilities, ATOMICS);
	case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
		return INFO(cl_device_atomic_capabilities, ATOMICS | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM);
	case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: return INFO(cl_device_device_enqueue_capabilities, 0);
	case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES: return INFO(cl_command_queue_properties, 0);
	case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
	case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
	case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
	case CL_DEVICE_MAX_ON_DEVICE_EVENTS: return INFO(cl_uint, 0);
	case CL_DEVICE_PIPE_SUPPORT: return INFO(cl_bool, CL_FALSE);
	case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
	case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: /* a unit issues for all of its warps in turn */
	case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
	case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: return INFO(cl_bool, CL_TRUE);
	case CL_DEVICE_MAX_PIPE_ARGS:
	case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
	case CL_DEVICE_PIPE_MAX_PACKET_SIZE: return INFO(cl_uint, 0);
	case CL_DEVICE_MAX_NUM_SUB_GROUPS: return INFO(cl_uint, (d->info->max_wg_size + d->info->lanes - 1) / d->info->lanes);
	case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
		return INFO(cl_device_integer_dot_product_capabilities_khr, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR |
										    CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR);
	case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
	case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR: {
		/* no instruction of its own: products and sums */
		const cl_device_integer_dot_product_acceleration_properties_khr none = {0};
		return INFO_BYTES(&none, sizeof none);
	}
	case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
	case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: return INFO(size_t, DEVICE_GLOBAL_VARIABLES);
	case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
	case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
	case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT: return INFO(cl_uint, 0); /* natural */
	case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return INFO(size_t, d->info->lanes);
	}
	return ANOTHER_GROUP;
}

/* Sizes and numbers of everything. */
static cl_int device_info_limits(const struct _cl_device_id *d, cl_device_info param_name, INFO_PARAMETERS)
{
	const struct kmd_device_info *i = d->info;
	switch (param_name) {
	case CL_DEVICE_MAX_COMPUTE_UNITS: return INFO(cl_uint, d->num_cu);
	case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: return INFO(cl_uint, 3);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
		size_t sizes[3] = {i->max_wg_size, i->max_wg_size, i->max_wg_size};
		return INFO_BYTES(sizes, sizeof sizes);
	}
	case CL_DEVICE_MAX_WORK_GROUP_SIZE: return INFO(size_t, i->max_wg_size);
	/* a lane holds one element of a vector at a time: scalars are as good as vectors */
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: return INFO(cl_uint, 1);
	case CL_DEVICE_MAX_CLOCK_FREQUENCY: return INFO(cl_uint, i->clock_mhz);
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return INFO(cl_ulong, device_max_alloc(d));
	case CL_DEVICE_GLOBAL_MEM_SIZE: return INFO(cl_ulong, i->dram_size);
	case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: return INFO(cl_device_mem_cache_type, CL_READ_WRITE_CACHE);
	case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: return INFO(cl_uint, i->line_bytes);
	case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return INFO(cl_ulong, i->l2_bytes);
	case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: return INFO(cl_ulong, device_max_alloc(d));
	case CL_DEVICE_MAX_CONSTANT_ARGS: return INFO(cl_uint, DEVICE_MAX_CONSTANT_ARGS);
	case CL_DEVICE_LOCAL_MEM_TYPE: return INFO(cl_device_local_mem_type, CL_LOCAL);
	case CL_DEVICE_LOCAL_MEM_SIZE: return INFO(cl_ulong, i->lds_bytes);
	case CL_DEVICE_MAX_PARAMETER_SIZE: return INFO(size_t, DEVICE_MAX_PARAMETER_SIZE);
	case CL_DEVICE_MEM_BASE_ADDR_ALIGN: return INFO(cl_uint, DEVICE_MEM_BASE_ALIGN * 8);
	case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: return INFO(cl_uint, 128);
	case CL_DEVICE_PRINTF_BUFFER_SIZE: return INFO(size_t, DEVICE_PRINTF_BUFFER);
	case CL_DEVICE_HALF_FP_CONFIG:
	case CL_DEVICE_SINGLE_FP_CONFIG:
	case CL_DEVICE_DOUBLE_FP_CONFIG:
		return INFO(cl_device_fp_config, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |
							 CL_FP_ROUND_TO_INF | CL_FP_FMA |
							 (param_name == CL_DEVICE_SINGLE_FP_CONFIG ? CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT : 0));
	case CL_DEVICE_IMAGE_SUPPORT: return INFO(cl_bool, CL_TRUE);
	case CL_DEVICE_MAX_READ_IMAGE_ARGS: return INFO(cl_uint, DEVICE_MAX_READ_IMAGES);
	case CL_DEVICE_MAX_WRITE_IMAGE_ARGS: return INFO(cl_uint, DEVICE_MAX_WRITE_IMAGES);
	case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: return INFO(cl_uint, DEVICE_MAX_WRITE_IMAGES);
	case CL_DEVICE_MAX_SAMPLERS: return INFO(cl_uint, DEVICE_MAX_SAMPLERS);
	case CL_DEVICE_IMAGE2D_MAX_WIDTH:
	case CL_DEVICE_IMAGE2D_MAX_HEIGHT: return INFO(size_t, DEVICE_IMAGE2D_MAX);
	case CL_DEVICE_IMAGE3D_MAX_WIDTH:
	case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
	case CL_DEVICE_IMAGE3D_MAX_DEPTH: return INFO(size_t, DEVICE_IMAGE3D_MAX);
	case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: return INFO(size_t, DEVICE_IMAGE_ARRAY_MAX);
	case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: return INFO(size_t, DEVICE_IMAGE_BUFFER_MAX);
	case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
	case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: return INFO(cl_uint, 1); /* in pixels: any */
	}
	return ANOTHER_GROUP;
}

cl_int CL_API_CALL galena_clGetDeviceInfo(cl_device_id device, cl_device_info param_name, INFO_PARAMETERS)
{
	/* CL_GETDEVICEINFO_DEVICE: a device */
	NEED_DEVICE(device);
	cl_int code = device_info_identity(device, param_name, INFO_ARGUMENTS);
	if (code == ANOTHER_GROUP)
		code = device_info_features(device, param_name, INFO_ARGUMENTS);
	if (code == ANOTHER_GROUP)
		code = device_info_limits(device, param_name, INFO_ARGUMENTS);
	if (code == ANOTHER_GROUP)
		code = external_info(param_name, INFO_ARGUMENTS);
	/* CL_GETDEVICEINFO_PARAM_NAME: a query that there is */
	FAIL_IF(code == ANOTHER_GROUP, CL_INVALID_VALUE, "unknown device query 0x%x", param_name);
	return code;
}

/* 9.x: device-side queues are not supported */
cl_int CL_API_CALL galena_clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue)
{
	/* CL_SETDEFAULTDEVICECOMMANDQUEUE_CONTEXT: a context */
	NEED_CONTEXT(context);
	/* CL_SETDEFAULTDEVICECOMMANDQUEUE_DEVICE, CL_SETDEFAULTDEVICECOMMANDQUEUE_DEVICE_FOREIGN: a device of it */
	FAIL_IF(!DEVICE_VALID(device) || !context_has_device(context, device), CL_INVALID_DEVICE, "not a device of the context");
	(void)queue;
	/* CL_SETDEFAULTDEVICECOMMANDQUEUE_SUPPORT: this comes before the queue: there is none that could be valid */
	return FAIL(CL_INVALID_OPERATION, "the device has no on-device queues");
}
