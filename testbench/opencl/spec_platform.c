/* Rules on platforms and devices. */
#include "testbench/opencl/spec.h"

static void platforms(void **state)
{
	(void)state;
	cl_platform_id list[1];
	/* loaders do not find it in the table, but by its name */
	void *(*const address)(cl_platform_id, const char *) =
		(void *(*)(cl_platform_id, const char *))spec_function("clIcdGetFunctionAddressForPlatformKHR");
	__typeof__(clGetPlatformIDs) *const ids = (__typeof__(clGetPlatformIDs) *)address(cl.platform, "clGetPlatformIDs");
	cl_int (*const set)(cl_platform_id, void *) = (cl_int(*)(cl_platform_id, void *))spec_function("clIcdSetPlatformDispatchDataKHR");
	RULE("CL_GETPLATFORMIDS_ENTRIES_ZERO", CL_INVALID_VALUE, ids(0, list, NULL));
	RULE("CL_GETPLATFORMIDS_NOTHING_ASKED", CL_INVALID_VALUE, ids(0, NULL, NULL));
	RULE("CL_GETPLATFORMIDS_NOTHING_ASKED", CL_INVALID_VALUE, ids(1, NULL, NULL));
	RULE("CL_ICDSETPLATFORMDISPATCHDATA_PLATFORM", CL_INVALID_PLATFORM, set(NULL, NULL));
	RULE("CL_ICDSETPLATFORMDISPATCHDATA_PLATFORM", CL_INVALID_PLATFORM, set((cl_platform_id)cl.device, NULL));
	RULE_INFO("CL_GETPLATFORMINFO", CL_PLATFORM_NAME, api->clGetPlatformInfo(cl.platform, name, size, value, NULL));
}

static void devices(void **state)
{
	(void)state;
	cl_device_id list[CL_TEST_DEVICES];
	cl_device_type type;
	RULE("CL_GETDEVICEIDS_TYPE", CL_INVALID_DEVICE_TYPE, api->clGetDeviceIDs(cl.platform, 0, 1, list, NULL));
	RULE("CL_GETDEVICEIDS_TYPE", CL_INVALID_DEVICE_TYPE, api->clGetDeviceIDs(cl.platform, 1u << 20, 1, list, NULL));
	RULE("CL_GETDEVICEIDS_ENTRIES_ZERO", CL_INVALID_VALUE, api->clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, list, NULL));
	RULE("CL_GETDEVICEIDS_NOTHING_ASKED", CL_INVALID_VALUE, api->clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
	const cl_device_type other = type & CL_DEVICE_TYPE_CPU ? CL_DEVICE_TYPE_ACCELERATOR : CL_DEVICE_TYPE_CPU;
	RULE("CL_GETDEVICEIDS_NOT_FOUND", CL_DEVICE_NOT_FOUND, api->clGetDeviceIDs(cl.platform, other, 1, list, NULL));
	RULE_INFO("CL_GETDEVICEINFO", CL_DEVICE_NAME, api->clGetDeviceInfo(cl.device, name, size, value, NULL));
}

static void timers(void **state)
{
	(void)state;
	cl_ulong device, host, resolution = 0;
	RULE("CL_GETDEVICEANDHOSTTIMER_DEVICE_TIME", CL_INVALID_VALUE, api->clGetDeviceAndHostTimer(cl.device, NULL, &host));
	RULE("CL_GETDEVICEANDHOSTTIMER_HOST_TIME", CL_INVALID_VALUE, api->clGetDeviceAndHostTimer(cl.device, &device, NULL));
	RULE("CL_GETHOSTTIMER_HOST_TIME", CL_INVALID_VALUE, api->clGetHostTimer(cl.device, NULL));
	CL_OK(api->clGetPlatformInfo(cl.platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution, &resolution, NULL));
	if (resolution) {
		CL_OK(api->clGetDeviceAndHostTimer(cl.device, &device, &host));
		CL_OK(api->clGetHostTimer(cl.device, &host));
	} else {
		RULE("CL_GETDEVICEANDHOSTTIMER_SUPPORT", CL_INVALID_OPERATION, api->clGetDeviceAndHostTimer(cl.device, &device, &host));
		RULE("CL_GETHOSTTIMER_SUPPORT", CL_INVALID_OPERATION, api->clGetHostTimer(cl.device, &host));
	}
}

static cl_int partition(const cl_device_partition_property *list, cl_uint room)
{
	cl_device_id made[16];
	return api->clCreateSubDevices(cl.device, list, room, room ? made : NULL, NULL);
}
#define LIST(...) (const cl_device_partition_property[]){__VA_ARGS__, 0}

static void sub_devices(void **state)
{
	(void)state;
	cl_uint units = 0;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
	const cl_device_partition_property all = (cl_device_partition_property)units;
	RULE("CL_CREATESUBDEVICES_PROPERTIES", CL_INVALID_VALUE, partition(NULL, 16));
	RULE("CL_CREATESUBDEVICES_PROPERTIES", CL_INVALID_VALUE, partition(LIST(0x7fff, 1), 16));
	RULE("CL_CREATESUBDEVICES_PROPERTIES", CL_INVALID_VALUE, partition(LIST(CL_DEVICE_PARTITION_EQUALLY, 0), 16));
	RULE("CL_CREATESUBDEVICES_PROPERTIES_SUPPORT", CL_INVALID_VALUE,
	     partition(LIST(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA), 16));
	RULE("CL_CREATESUBDEVICES_ROOM", CL_INVALID_VALUE, partition(LIST(CL_DEVICE_PARTITION_EQUALLY, 1), 1));
	RULE("CL_CREATESUBDEVICES_FAILED", CL_DEVICE_PARTITION_FAILED, partition(LIST(CL_DEVICE_PARTITION_EQUALLY, all), 16));
	RULE("CL_CREATESUBDEVICES_COUNT_TOTAL", CL_INVALID_DEVICE_PARTITION_COUNT,
	     partition(LIST(CL_DEVICE_PARTITION_BY_COUNTS, all, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END), 16));
	RULE("CL_CREATESUBDEVICES_COUNT_UNITS", CL_INVALID_DEVICE_PARTITION_COUNT,
	     partition(LIST(CL_DEVICE_PARTITION_BY_COUNTS, all + 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END), 16));
	cl_device_partition_property many[64] = {CL_DEVICE_PARTITION_BY_COUNTS};
	for (cl_uint i = 0; i <= units && i < 60; i++)
		many[i + 1] = 1;
	RULE("CL_CREATESUBDEVICES_COUNT_DEVICES", CL_INVALID_DEVICE_PARTITION_COUNT, partition(many, 16));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(platforms),
		cmocka_unit_test(devices),
		cmocka_unit_test(timers),
		cmocka_unit_test(sub_devices),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, spec_setup, cl_test_teardown);
}
