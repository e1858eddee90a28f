/* The platform, and the one driver below it. */
#include "base/exiting.h"
#include "runtime/opencl/queue.h"
#include "runtime/opencl/import.h"
#include "runtime/opencl/device.h"
#include "runtime/opencl/external.h"
#include "runtime/opencl/svm.h"
#include "base/fork.h"
#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

struct _cl_platform_id galena_platform = {
	.object = {.dispatch = &galena_dispatch, .magic = MAGIC_PLATFORM, .refs = 1, .uses = 1},
};

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static sem_t *exits;

static void platform_open(void)
{
	const char *error = NULL;
	if (!exits)
		exits = exiting_watch();
	struct umd *driver = umd_open(&error);
	if (!driver) {
		log_write(LOG_ERROR, "%s", error ? error : "no device can be opened");
		return;
	}
	galena_platform.driver = driver;
	unsigned n = umd_num_devices(driver);
	galena_platform.num_devices = n < DEVICES_MAX ? n : DEVICES_MAX;
	for (unsigned i = 0; i < galena_platform.num_devices; i++)
		galena_platform.devices[i] = device_init(i, umd_device_info(driver, i));
	import_unlisten(); /* a forked child's parent may have */
	import_listen();
}

unsigned platform_devices(void)
{
	pthread_once(&opened, platform_open);
	return galena_platform.num_devices;
}

/* In a child that a fork has made. Its parent's driver, and all that lives in it, stays behind: its threads are not here, its locks may be
 * held by them, and the memory of its devices is shared with the parent. Who asks for devices opens others. */
static void platform_forked(void)
{
	object_forks++;
	callback_forked();
	svm_forked();
	galena_platform.driver = NULL;
	galena_platform.num_devices = 0;
	opened = (pthread_once_t)PTHREAD_ONCE_INIT;
}
AFTER_FORK(platform_forked)

/* So that a recorder below finds its end. When the process ends, threads may be inside, and destructors after this one may still
 * release objects: nothing is taken down. */
__attribute__((destructor)) static void platform_close(void)
{
	struct umd *driver = galena_platform.driver;
	callback_stop();
	if (exiting_now(exits)) {
		umd_exit(driver);
		return;
	}
	import_unlisten();
	galena_platform.driver = NULL;
	galena_platform.num_devices = 0;
	umd_close(driver);
}

cl_int CL_API_CALL galena_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
	/* CL_GETPLATFORMIDS_ENTRIES_ZERO, CL_GETPLATFORMIDS_NOTHING_ASKED: OpenCL 3.0, 4.1: room in a list that is given, something asked for */
	if ((!num_entries && platforms) || (!platforms && !num_platforms))
		return FAIL(CL_INVALID_VALUE, "no entries for the list, or neither a list nor a count");
	if (platforms)
		platforms[0] = &galena_platform;
	if (num_platforms)
		*num_platforms = 1;
	return CL_SUCCESS;
}

cl_int platform_set_dispatch_data(cl_platform_id platform, void *data)
{
	/* CL_ICDSETPLATFORMDISPATCHDATA_PLATFORM: cl_khr_icd 2.0: the platform */
	FAIL_IF(!PLATFORM_VALID(platform), CL_INVALID_PLATFORM, "not a platform");
	galena_platform.object.dispatch_data = data;
	/* loaders say so before they ask for anything; who has asked before has devices */
	for (unsigned i = 0; i < galena_platform.num_devices; i++)
		galena_platform.devices[i]->object.dispatch_data = data;
	return CL_SUCCESS;
}

/* In nanoseconds: a cycle, of the slowest device. */
static cl_ulong platform_timer_resolution(void)
{
	cl_ulong ns = 1;
	for (unsigned i = 0; i < platform_devices(); i++)
		if (device_timer_resolution(galena_platform.devices[i]) > ns)
			ns = device_timer_resolution(galena_platform.devices[i]);
	return ns;
}

cl_int CL_API_CALL galena_clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, INFO_PARAMETERS)
{
	/* CL_GETPLATFORMINFO_PLATFORM: 4.1: NULL may name the default platform; there is one */
	FAIL_IF(platform && !PLATFORM_VALID(platform), CL_INVALID_PLATFORM, "not a platform");
	switch (param_name) {
	case CL_PLATFORM_PROFILE: return INFO_STRING("FULL_PROFILE");
	case CL_PLATFORM_VERSION: return INFO_STRING("OpenCL 3.0 Galena " GALENA_VERSION);
	case CL_PLATFORM_NUMERIC_VERSION: return INFO(cl_version, CL_MAKE_VERSION(3, 0, 0));
	case CL_PLATFORM_NAME: return INFO_STRING("Galena");
	case CL_PLATFORM_VENDOR: return INFO_STRING("Galena");
	case CL_PLATFORM_EXTENSIONS: return INFO_STRING(device_extensions);
	case CL_PLATFORM_EXTENSIONS_WITH_VERSION: return device_extension_versions(param_value_size, param_value, param_value_size_ret);
	case CL_PLATFORM_ICD_SUFFIX_KHR: return INFO_STRING("GALENA");
	case CL_PLATFORM_HOST_TIMER_RESOLUTION: return INFO(cl_ulong, platform_timer_resolution());
	}
	const cl_int code = external_info(param_name, INFO_ARGUMENTS);
	/* CL_GETPLATFORMINFO_PARAM_NAME: a query that there is */
	FAIL_IF(code == ANOTHER_GROUP, CL_INVALID_VALUE, "unknown platform query 0x%x", param_name);
	return code;
}

cl_int CL_API_CALL galena_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries, cl_device_id *devices,
					 cl_uint *num_devices)
{
	/* CL_GETDEVICEIDS_PLATFORM: the platform, or NULL */
	FAIL_IF(platform && !PLATFORM_VALID(platform), CL_INVALID_PLATFORM, "not a platform");
	/* CL_GETDEVICEIDS_TYPE: 4.2: the type has to be one that the specification names */
	FAIL_IF(!device_type_known(type), CL_INVALID_DEVICE_TYPE, "device type 0x%llx", (unsigned long long)type);
	/* CL_GETDEVICEIDS_ENTRIES_ZERO, CL_GETDEVICEIDS_NOTHING_ASKED: 4.2: room in a list that is given, something asked for */
	FAIL_IF((!num_entries && devices) || (!devices && !num_devices), CL_INVALID_VALUE, "no entries for the list, or neither a list nor a count");
	cl_device_id found[DEVICES_MAX];
	cl_uint n = device_select(type, found);
	if (num_devices)
		*num_devices = n;
	/* CL_GETDEVICEIDS_NOT_FOUND: 4.2: a device of the type */
	FAIL_IF(!n, CL_DEVICE_NOT_FOUND, "no device of type 0x%llx", (unsigned long long)type);
	for (cl_uint i = 0; devices && i < n && i < num_entries; i++)
		devices[i] = found[i];
	return CL_SUCCESS;
}

/* Timers. Time is the device's, in simulation: its cycles make the profiling stamps, and the host that is seen from
 * it lives in the same time, which goes on when something happens on the bus; a reading is such an event. */

static cl_ulong clock_ns(const struct _cl_device_id *d)
{
	return umd_clock(galena_platform.driver, d->index) * 1000 / d->info->clock_mhz;
}

cl_int CL_API_CALL galena_clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp, cl_ulong *host_timestamp)
{
	/* CL_GETDEVICEANDHOSTTIMER_DEVICE: a device */
	NEED_DEVICE(device);
	/* CL_GETDEVICEANDHOSTTIMER_DEVICE_TIME, CL_GETDEVICEANDHOSTTIMER_HOST_TIME: OpenCL 3.0, 4.2: CL_INVALID_VALUE if there is no place for one of the time stamps */
	FAIL_IF(!device_timestamp || !host_timestamp, CL_INVALID_VALUE, "no place for the time stamps");
	*device_timestamp = *host_timestamp = clock_ns(device);
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
	/* CL_GETHOSTTIMER_DEVICE, CL_GETHOSTTIMER_HOST_TIME: a device, a place for the time stamp */
	NEED_DEVICE(device);
	FAIL_IF(!host_timestamp, CL_INVALID_VALUE, "no place for the time stamp");
	*host_timestamp = clock_ns(device);
	return CL_SUCCESS;
}
