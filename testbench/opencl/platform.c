/* Platform and devices. */
#include "testbench/opencl/cl_test.h"
#include <sys/wait.h>

static void string_is(cl_platform_info what, const char *expected)
{
	char text[4096];
	size_t size;
	CL_OK(clGetPlatformInfo(cl.platform, what, sizeof text, text, &size));
	assert_int_equal(size, strlen(text) + 1);
	if (expected)
		assert_string_equal(text, expected);
}

static void platform_queries(void **state)
{
	(void)state;
	string_is(CL_PLATFORM_NAME, "Galena");
	string_is(CL_PLATFORM_VENDOR, "Galena");
	string_is(CL_PLATFORM_PROFILE, "FULL_PROFILE");
	string_is(CL_PLATFORM_ICD_SUFFIX_KHR, "GALENA");
	string_is(CL_PLATFORM_EXTENSIONS, NULL);
	char version[128];
	CL_OK(clGetPlatformInfo(cl.platform, CL_PLATFORM_VERSION, sizeof version, version, NULL));
	assert_memory_equal(version, "OpenCL 3.0 ", 11);
	cl_version number;
	CL_OK(clGetPlatformInfo(cl.platform, CL_PLATFORM_NUMERIC_VERSION, sizeof number, &number, NULL));
	assert_int_equal(number, CL_MAKE_VERSION(3, 0, 0));
	CL_FAILS(CL_INVALID_VALUE, clGetPlatformInfo(cl.platform, 0x1234, sizeof version, version, NULL));
	CL_FAILS(CL_INVALID_VALUE, clGetPlatformInfo(cl.platform, CL_PLATFORM_NAME, 2, version, NULL));
}

static void device_ids(void **state)
{
	(void)state;
	cl_uint n;
	cl_device_id d[CL_TEST_DEVICES];
	const char *count = getenv("GALENA_DEVICES");
	CL_OK(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n));
	assert_int_equal(n, count ? atoi(count) : 2);
	CL_OK(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_GPU, CL_TEST_DEVICES, d, &n));
	CL_OK(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_DEFAULT, 1, d, &n));
	assert_int_equal(n, 1);
	assert_ptr_equal(d[0], cl.device);
	CL_FAILS(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_CPU, 1, d, NULL));
	CL_FAILS(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_CUSTOM, 1, d, NULL));
	CL_FAILS(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(cl.platform, 0x100, 1, d, NULL));
	CL_FAILS(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(cl.platform, 0, 1, d, NULL));
	CL_FAILS(CL_INVALID_VALUE, clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, d, NULL));
	CL_FAILS(CL_INVALID_VALUE, clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 1, NULL, NULL));
}

static cl_ulong number(cl_device_info what, size_t size)
{
	cl_ulong v = 0;
	size_t n;
	CL_OK(clGetDeviceInfo(cl.device, what, sizeof v, &v, &n));
	assert_int_equal(n, size);
	return v;
}

/* OpenCL 3.0, 4.2: the least that a device of the full profile has. */
static void full_profile(void **state)
{
	(void)state;
	static const struct { cl_device_info what; size_t size; cl_ulong least; } minima[] = {
		{CL_DEVICE_MAX_COMPUTE_UNITS, 4, 1},          {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4, 3},
		{CL_DEVICE_MAX_WORK_GROUP_SIZE, 8, 1},        {CL_DEVICE_MAX_PARAMETER_SIZE, 8, 1024},
		{CL_DEVICE_LOCAL_MEM_SIZE, 8, 32 << 10},      {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8, 64 << 10},
		{CL_DEVICE_MAX_CONSTANT_ARGS, 4, 8},          {CL_DEVICE_PRINTF_BUFFER_SIZE, 8, 1 << 20},
		{CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, 256 << 20}, {CL_DEVICE_IMAGE_SUPPORT, 4, 1},
		{CL_DEVICE_MAX_READ_IMAGE_ARGS, 4, 128},      {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4, 64},
		{CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 4, 64}, {CL_DEVICE_MAX_SAMPLERS, 4, 16},
		{CL_DEVICE_IMAGE2D_MAX_WIDTH, 8, 16384},      {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 8, 16384},
		{CL_DEVICE_IMAGE3D_MAX_WIDTH, 8, 2048},       {CL_DEVICE_IMAGE3D_MAX_DEPTH, 8, 2048},
		{CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 8, 2048},    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 8, 65536},
		{CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 8, 64 << 10}, {CL_DEVICE_COMPILER_AVAILABLE, 4, 1},
		{CL_DEVICE_LINKER_AVAILABLE, 4, 1},           {CL_DEVICE_AVAILABLE, 4, 1},
		{CL_DEVICE_ENDIAN_LITTLE, 4, 1},              {CL_DEVICE_ADDRESS_BITS, 4, 64},
		{CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, 1024},     {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 8, 1},
	};
	for (size_t i = 0; i < sizeof minima / sizeof *minima; i++)
		assert_true(number(minima[i].what, minima[i].size) >= minima[i].least);
	cl_ulong fp = number(CL_DEVICE_SINGLE_FP_CONFIG, 8);
	assert_true((fp & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN)) == (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN));
	assert_true(number(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, 8) & CL_QUEUE_PROFILING_ENABLE);
	assert_true(number(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 8) & CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP);
	assert_true(number(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, 8) & CL_DEVICE_ATOMIC_ORDER_ACQ_REL);
	assert_true(number(CL_DEVICE_GLOBAL_MEM_SIZE, 8) >= number(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8));
	size_t sizes[3] = {0};
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
	for (int i = 0; i < 3; i++)
		assert_true(sizes[i] >= 1);
}

static void versions(void **state)
{
	(void)state;
	char text[4096], words[4096] = " ";
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_OPENCL_C_VERSION, sizeof text, text, NULL));
	assert_memory_equal(text, "OpenCL C 1.2 ", 13);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_VERSION, sizeof text, text, NULL));
	assert_memory_equal(text, "OpenCL 3.0 ", 11);
	cl_name_version list[64];
	size_t size;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &size));
	bool three = false;
	for (size_t i = 0; i < size / sizeof *list; i++) {
		assert_string_equal(list[i].name, "OpenCL C");
		three |= list[i].version == CL_MAKE_VERSION(3, 0, 0);
	}
	assert_true(three);
	/* both lists of extensions say the same */
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
	assert_true(strlen(text) + 3 < sizeof words);
	strcat(words, text);
	strcat(words, " ");
	size_t n = 0;
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		n++;
	assert_int_equal(n, size / sizeof *list);
	for (size_t i = 0; i < n; i++) {
		char word[80];
		snprintf(word, sizeof word, " %s ", list[i].name);
		assert_non_null(strstr(words, word));
	}
	assert_non_null(strstr(words, " cl_khr_icd "));
	assert_non_null(strstr(words, " cl_khr_byte_addressable_store "));
}

static void device_errors(void **state)
{
	(void)state;
	char text[16];
	cl_ulong a;
	CL_FAILS(CL_INVALID_VALUE, clGetDeviceInfo(cl.device, 0x1234, sizeof text, text, NULL));
	CL_FAILS(CL_INVALID_VALUE, clGetDeviceInfo(cl.device, CL_DEVICE_VERSION, 1, text, NULL));
	CL_FAILS(CL_INVALID_DEVICE, clGetDeviceInfo(NULL, CL_DEVICE_VERSION, 1, text, NULL));
	CL_OK(clRetainDevice(cl.device));
	CL_OK(clReleaseDevice(cl.device));
	CL_OK(clReleaseDevice(cl.device)); /* root devices are not counted */
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof a, &a, NULL));
}

/* Timers are of the time of the profiling stamps, and no two readings are the same. */
static void timers(void **state)
{
	(void)state;
	cl_ulong device[3], host[3], only, queued, end, resolution = 0;
	size_t profiling = 0;
	cl_event e;
	CL_OK(clGetPlatformInfo(cl.platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution, &resolution, NULL));
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof profiling, &profiling, NULL));
	assert_true(resolution >= 1);
	assert_true(profiling >= 1);
	CL_OK(clGetDeviceAndHostTimer(cl.device, &device[0], &host[0]));
	CL_OK(clGetHostTimer(cl.device, &only));
	assert_true(only > host[0]);
	CL_OK(clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &e));
	CL_OK(clFinish(cl.queue));
	CL_OK(clGetDeviceAndHostTimer(cl.device, &device[1], &host[1]));
	CL_OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, NULL));
	CL_OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
	assert_true(device[0] < queued && queued <= end && end < device[1]);
	assert_true(only < host[1]);
	assert_int_equal(device[1] - device[0], host[1] - host[0]);
	CL_OK(clGetDeviceAndHostTimer(cl.device, &device[2], &host[2]));
	assert_true(device[2] > device[1] && host[2] > host[1]);
	CL_OK(clReleaseEvent(e));
	CL_FAILS(CL_INVALID_DEVICE, clGetDeviceAndHostTimer(NULL, &device[0], &host[0]));
	CL_FAILS(CL_INVALID_VALUE, clGetDeviceAndHostTimer(cl.device, NULL, &host[0]));
	CL_FAILS(CL_INVALID_VALUE, clGetDeviceAndHostTimer(cl.device, &device[0], NULL));
	CL_FAILS(CL_INVALID_DEVICE, clGetHostTimer(NULL, &only));
	CL_FAILS(CL_INVALID_VALUE, clGetHostTimer(cl.device, NULL));
}

/* cl_khr_device_uuid, cl_khr_pci_bus_info: the same in every process, another for each device. */
static void identity(void **state)
{
	(void)state;
	struct { cl_uchar device[CL_UUID_SIZE_KHR], driver[CL_UUID_SIZE_KHR]; cl_device_pci_bus_info_khr bus; } own, other;
	int ends[2], status = -1;
	cl_bool valid = CL_TRUE;
	cl_uint mask;
	size_t size;
	cl_uchar luid[CL_LUID_SIZE_KHR], second[CL_UUID_SIZE_KHR];
	static const cl_uchar none[CL_UUID_SIZE_KHR];
	memset(&own, 0, sizeof own);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_UUID_KHR, sizeof own.device, own.device, NULL));
	CL_OK(clGetDeviceInfo(cl.device, CL_DRIVER_UUID_KHR, sizeof own.driver, own.driver, NULL));
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof own.bus, &own.bus, NULL));
	assert_memory_not_equal(own.device, none, sizeof none);
	assert_memory_not_equal(own.driver, none, sizeof none);
	assert_memory_not_equal(own.driver, own.device, sizeof own.driver);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_LUID_VALID_KHR, sizeof valid, &valid, NULL));
	assert_int_equal(valid, CL_FALSE);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_LUID_KHR, sizeof luid, luid, &size));
	assert_int_equal(size, CL_LUID_SIZE_KHR);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_NODE_MASK_KHR, sizeof mask, &mask, &size));
	assert_int_equal(size, sizeof mask);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_UUID_KHR, 0, NULL, &size));
	assert_int_equal(size, CL_UUID_SIZE_KHR);
	CL_OK(clGetDeviceInfo(cl.device, CL_DRIVER_UUID_KHR, 0, NULL, &size));
	assert_int_equal(size, CL_UUID_SIZE_KHR);
	if (cl.num_devices > 1) {
		cl_device_pci_bus_info_khr bus;
		CL_OK(clGetDeviceInfo(cl.devices[1], CL_DEVICE_UUID_KHR, sizeof second, second, NULL));
		assert_memory_not_equal(own.device, second, sizeof second);
		CL_OK(clGetDeviceInfo(cl.devices[1], CL_DRIVER_UUID_KHR, sizeof second, second, NULL));
		assert_memory_equal(own.driver, second, sizeof second);
		CL_OK(clGetDeviceInfo(cl.devices[1], CL_DEVICE_PCI_BUS_INFO_KHR, sizeof bus, &bus, NULL));
		assert_memory_not_equal(&bus, &own.bus, sizeof bus);
	}
	/* this program again, which prints what it sees */
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (!child) {
		dup2(ends[1], 3);
		execl("/proc/self/exe", "platform", "--identity", (char *)NULL);
		_exit(99);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &other, sizeof other), sizeof other);
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_memory_equal(&own, &other, sizeof own);
}

/* The process that identity() starts. */
static int identity_print(void)
{
	struct { cl_uchar device[CL_UUID_SIZE_KHR], driver[CL_UUID_SIZE_KHR]; cl_device_pci_bus_info_khr bus; } own;
	return clGetPlatformIDs(1, &cl.platform, NULL) || clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 1, &cl.device, NULL) ||
	       clGetDeviceInfo(cl.device, CL_DEVICE_UUID_KHR, sizeof own.device, own.device, NULL) ||
	       clGetDeviceInfo(cl.device, CL_DRIVER_UUID_KHR, sizeof own.driver, own.driver, NULL) ||
	       clGetDeviceInfo(cl.device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof own.bus, &own.bus, NULL) ||
	       write(3, &own, sizeof own) != sizeof own;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timers),
		cmocka_unit_test(identity),
		cmocka_unit_test(platform_queries), cmocka_unit_test(device_ids),    cmocka_unit_test(full_profile),
		cmocka_unit_test(versions),         cmocka_unit_test(device_errors),
	};
	cl_test_init(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "--identity"))
		return identity_print();
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
