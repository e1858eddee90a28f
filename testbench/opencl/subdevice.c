/* Sub-devices: how devices are partitioned, what the parts say of themselves, and that commands of a part run on
 * its compute units. */
#include "testbench/opencl/cl_test.h"

enum { PARTS_MAX = 16, ITEMS = 4096 };

static cl_uint units_of(cl_device_id d)
{
	cl_uint n = 0;
	CL_OK(clGetDeviceInfo(d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof n, &n, NULL));
	return n;
}

static cl_uint refs_of(cl_device_id d)
{
	cl_uint n = 0;
	CL_OK(clGetDeviceInfo(d, CL_DEVICE_REFERENCE_COUNT, sizeof n, &n, NULL));
	return n;
}

/* Sub-devices by the list; how many. */
static cl_uint partition(cl_device_id d, const cl_device_partition_property *list, cl_device_id out[PARTS_MAX])
{
	cl_uint count = 0, made = 0;
	CL_OK(clCreateSubDevices(d, list, 0, NULL, &count));
	assert_in_range(count, 1, PARTS_MAX);
	CL_OK(clCreateSubDevices(d, list, count, out, &made));
	assert_int_equal(made, count);
	return count;
}

static void release(cl_device_id *parts, cl_uint n)
{
	while (n)
		CL_OK(clReleaseDevice(parts[--n]));
}

static void queries(void **state)
{
	(void)state;
	const cl_uint units = units_of(cl.device);
	cl_device_partition_property ways[8], equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0}, made[8];
	cl_device_id parts[PARTS_MAX], parent = NULL;
	cl_uint most = 0;
	size_t size = 1;
	cl_device_affinity_domain domain = 1;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL));
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &size));
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof domain, &domain, NULL));
	assert_int_equal(domain, 0);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
	assert_null(parent);
	assert_int_equal(most, units);
	assert_int_equal(size, 2 * sizeof *ways);
	assert_int_equal(ways[0], CL_DEVICE_PARTITION_EQUALLY);
	assert_int_equal(ways[1], CL_DEVICE_PARTITION_BY_COUNTS);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_PARTITION_TYPE, sizeof ways, ways, &size));
	assert_int_equal(size, 0);

	assert_int_equal(partition(cl.device, equally, parts), units);
	for (cl_uint i = 0; i < units; i++) {
		cl_device_type type, whole;
		assert_int_equal(units_of(parts[i]), 1);
		assert_int_equal(refs_of(parts[i]), 1);
		CL_OK(clGetDeviceInfo(parts[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
		assert_ptr_equal(parent, cl.device);
		CL_OK(clGetDeviceInfo(parts[i], CL_DEVICE_PARTITION_TYPE, sizeof made, made, &size));
		assert_int_equal(size, sizeof equally);
		assert_memory_equal(made, equally, sizeof equally);
		/* one unit cannot be divided */
		CL_OK(clGetDeviceInfo(parts[i], CL_DEVICE_PARTITION_PROPERTIES, sizeof made, made, &size));
		assert_int_equal(size, sizeof *made);
		assert_int_equal(made[0], 0);
		CL_FAILS(CL_DEVICE_PARTITION_FAILED, clCreateSubDevices(parts[i], equally, 0, NULL, &most));
		CL_OK(clGetDeviceInfo(parts[i], CL_DEVICE_TYPE, sizeof type, &type, NULL));
		CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof whole, &whole, NULL));
		assert_int_equal(type, whole);
	}
	CL_OK(clRetainDevice(parts[0]));
	assert_int_equal(refs_of(parts[0]), 2);
	CL_OK(clReleaseDevice(parts[0]));
	assert_int_equal(refs_of(parts[0]), 1);
	release(parts, units);
	/* devices of the platform are not counted */
	CL_OK(clRetainDevice(cl.device));
	assert_int_equal(refs_of(cl.device), 1);
	CL_OK(clReleaseDevice(cl.device));
}

static void counts_and_parts_of_parts(void **state)
{
	(void)state;
	const cl_uint units = units_of(cl.device);
	cl_device_partition_property by_counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, units - 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
	cl_device_partition_property made[8], equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
	cl_device_id parts[PARTS_MAX], inner[PARTS_MAX], parent;
	size_t size;
	assert_int_equal(partition(cl.device, by_counts, parts), 2);
	assert_int_equal(units_of(parts[0]), 1);
	assert_int_equal(units_of(parts[1]), units - 1);
	CL_OK(clGetDeviceInfo(parts[1], CL_DEVICE_PARTITION_TYPE, sizeof made, made, &size));
	assert_int_equal(size, sizeof by_counts);
	assert_memory_equal(made, by_counts, sizeof by_counts);
	/* units that are left over are not used: 3 by 2 is one part */
	assert_int_equal(partition(parts[1], equally, inner), (units - 1) / 2);
	assert_int_equal(units_of(inner[0]), 2);
	/* a part keeps what it is a part of */
	CL_OK(clReleaseDevice(parts[1]));
	CL_OK(clGetDeviceInfo(inner[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
	assert_ptr_equal(parent, parts[1]);
	assert_int_equal(units_of(parent), units - 1);
	release(inner, (units - 1) / 2);
	CL_OK(clReleaseDevice(parts[0]));
}

static void errors(void **state)
{
	(void)state;
	const cl_device_partition_property units = units_of(cl.device);
	cl_device_id parts[PARTS_MAX];
	cl_uint n = 0;
	cl_device_partition_property list[8] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
#define TRY(expected, ...)                                                                                                     \
	memcpy(list, ((cl_device_partition_property[8]){__VA_ARGS__}), sizeof list);                                           \
	CL_FAILS(expected, clCreateSubDevices(cl.device, list, PARTS_MAX, parts, &n))
	CL_FAILS(CL_INVALID_DEVICE, clCreateSubDevices(NULL, list, PARTS_MAX, parts, &n));
	CL_FAILS(CL_INVALID_DEVICE, clCreateSubDevices((cl_device_id)cl.context, list, PARTS_MAX, parts, &n));
	CL_FAILS(CL_INVALID_VALUE, clCreateSubDevices(cl.device, NULL, PARTS_MAX, parts, &n));
	CL_FAILS(CL_INVALID_VALUE, clCreateSubDevices(cl.device, list, 0, parts, &n));
	CL_FAILS(CL_INVALID_VALUE, clCreateSubDevices(cl.device, list, (cl_uint)units - 1, parts, &n));
	TRY(CL_INVALID_VALUE, 0);
	TRY(CL_INVALID_VALUE, -1, 1);
	TRY(CL_INVALID_VALUE, CL_DEVICE_PARTITION_EQUALLY, 0);
	TRY(CL_INVALID_VALUE, CL_DEVICE_PARTITION_EQUALLY, 1, CL_DEVICE_PARTITION_EQUALLY, 1);
	TRY(CL_INVALID_VALUE, CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
	TRY(CL_INVALID_VALUE, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA);
	TRY(CL_INVALID_VALUE, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE);
	TRY(CL_INVALID_VALUE, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
	TRY(CL_DEVICE_PARTITION_FAILED, CL_DEVICE_PARTITION_EQUALLY, units);
	TRY(CL_INVALID_DEVICE_PARTITION_COUNT, CL_DEVICE_PARTITION_EQUALLY, units + 1);
	TRY(CL_INVALID_DEVICE_PARTITION_COUNT, CL_DEVICE_PARTITION_BY_COUNTS, -1);
	TRY(CL_INVALID_DEVICE_PARTITION_COUNT, CL_DEVICE_PARTITION_BY_COUNTS, units + 1);
	TRY(CL_INVALID_DEVICE_PARTITION_COUNT, CL_DEVICE_PARTITION_BY_COUNTS, 1, units);
	TRY(CL_INVALID_DEVICE_PARTITION_COUNT, CL_DEVICE_PARTITION_BY_COUNTS, units - 1, 1, 1);
#undef TRY
	assert_int_equal(n, 0);
	/* a part is not a device of a context that was made without it, nor the whole one of its parts' */
	cl_int code;
	memcpy(list, ((cl_device_partition_property[8]){CL_DEVICE_PARTITION_EQUALLY, 1}), sizeof list);
	n = partition(cl.device, list, parts);
	assert_null(clCreateCommandQueueWithProperties(cl.context, parts[0], NULL, &code));
	assert_int_equal(code, CL_INVALID_DEVICE);
	cl_context c = clCreateContext(NULL, 1, parts, NULL, NULL, &code);
	CL_OK(code);
	assert_null(clCreateCommandQueueWithProperties(c, cl.device, NULL, &code));
	assert_int_equal(code, CL_INVALID_DEVICE);
	assert_null(clCreateCommandQueueWithProperties(c, parts[1], NULL, &code));
	assert_int_equal(code, CL_INVALID_DEVICE);
	CL_OK(clReleaseContext(c));
	/* as many devices as a context can have, and more */
	cl_device_id many[64];
	for (cl_uint i = 0; i < 64; i += n)
		assert_int_equal(partition(cl.device, list, many + i), n);
	assert_null(clCreateContext(NULL, 33, many, NULL, NULL, &code));
	assert_int_equal(code, CL_OUT_OF_RESOURCES);
	c = clCreateContext(NULL, 32, many, NULL, NULL, &code);
	CL_OK(code);
	CL_OK(clReleaseContext(c));
	release(many, 64);
	release(parts, n);
}

static const char source[] =
	"#ifndef STEP\n#define STEP 1\n#endif\n"
	"kernel void work(global uint *p, uint turns) {\n"
	"	uint v = p[get_global_id(0)];\n"
	"	for (uint i = 0; i < turns; i++) v = v * 1664525u + 1013904223u;\n"
	"	p[get_global_id(0)] = v + STEP; }\n";

static cl_uint expected(cl_uint v, cl_uint turns, cl_uint step)
{
	while (turns--)
		v = v * 1664525u + 1013904223u;
	return v + step;
}

/* Runs the kernel on a fresh buffer, compares, and returns the cycles (in ns) that it took. */
static cl_ulong run(cl_context c, cl_command_queue q, cl_program program, cl_uint turns, cl_uint step)
{
	cl_uint data[ITEMS];
	cl_int code;
	cl_event e;
	cl_ulong start, end;
	size_t global = ITEMS, local = 64;
	for (cl_uint i = 0; i < ITEMS; i++)
		data[i] = i * 7919;
	cl_mem m = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof data, data, &code);
	CL_OK(code);
	cl_kernel k = clCreateKernel(program, "work", &code);
	CL_OK(code);
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	CL_OK(clSetKernelArg(k, 1, sizeof turns, &turns));
	CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, &e));
	CL_OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
	for (cl_uint i = 0; i < ITEMS; i++)
		assert_int_equal(data[i], expected(i * 7919, turns, step));
	CL_OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
	CL_OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseMemObject(m));
	return end - start;
}

static cl_command_queue queue_of(cl_context c, cl_device_id d)
{
	cl_int code;
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	cl_command_queue q = clCreateCommandQueueWithProperties(c, d, list, &code);
	CL_OK(code);
	return q;
}

/* The device's own cycles say on how many units a kernel ran. */
static void commands_run_on_the_part(void **state)
{
	(void)state;
	const cl_uint units = units_of(cl.device);
	const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, units - 2, 1, 1, 0};
	cl_device_id parts[PARTS_MAX + 1], asked;
	cl_command_queue q[4];
	cl_ulong took[4];
	cl_int code;
	cl_uint n = partition(cl.device, list, parts);
	assert_int_equal(n, 3);
	parts[n] = cl.device;
	cl_context c = clCreateContext(NULL, n + 1, parts, NULL, NULL, &code);
	CL_OK(code);
	assert_int_equal(refs_of(parts[0]), 1); /* the context's hold is its own */
	cl_program program = clCreateProgramWithSource(c, 1, (const char *[]){source}, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	for (cl_uint i = 0; i <= n; i++) {
		q[i] = queue_of(c, parts[i]);
		CL_OK(clGetCommandQueueInfo(q[i], CL_QUEUE_DEVICE, sizeof asked, &asked, NULL));
		assert_ptr_equal(asked, parts[i]);
		took[i] = run(c, q[i], program, 500, 1);
	}
	assert_true(took[1] > 3 * took[3]);                  /* one unit of four */
	assert_true(took[1] > 3 * took[0] / 2 && took[0] > 3 * took[3] / 2); /* two of them */
	/* released by the application, kept by context and queue */
	release(parts, n);
	run(c, q[1], program, 3, 1);
	for (cl_uint i = 0; i <= n; i++)
		CL_OK(clReleaseCommandQueue(q[i]));
	CL_OK(clReleaseProgram(program));
	CL_OK(clReleaseContext(c));
}

static cl_build_status status_of(cl_program p, cl_device_id d)
{
	cl_build_status s = 99;
	CL_OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_STATUS, sizeof s, &s, NULL));
	return s;
}

/* What is built for a device serves its parts, unless something was built for them. */
static void programs(void **state)
{
	(void)state;
	const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0};
	cl_device_id devices[PARTS_MAX + 1];
	cl_int code;
	cl_uint n = partition(cl.device, list, devices);
	devices[n] = cl.device;
	cl_context c = clCreateContext(NULL, n + 1, devices, NULL, NULL, &code);
	CL_OK(code);
	cl_command_queue q[3];
	for (cl_uint i = 0; i <= n; i++)
		q[i] = queue_of(c, devices[i]);
	cl_program p = clCreateProgramWithSource(c, 1, (const char *[]){source}, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(p, 1, &devices[0], "-DSTEP=5", NULL, NULL));
	assert_int_equal(status_of(p, devices[0]), CL_BUILD_SUCCESS);
	assert_int_equal(status_of(p, devices[1]), CL_BUILD_NONE);
	assert_int_equal(status_of(p, devices[2]), CL_BUILD_NONE);
	run(c, q[0], p, 2, 5);
	CL_OK(clBuildProgram(p, 1, &devices[2], "-DSTEP=6", NULL, NULL));
	assert_int_equal(status_of(p, devices[1]), CL_BUILD_SUCCESS);
	run(c, q[0], p, 2, 5);
	run(c, q[1], p, 2, 6);
	run(c, q[2], p, 2, 6);
	/* built again, it serves again */
	CL_OK(clBuildProgram(p, 1, &devices[2], "-DSTEP=7", NULL, NULL));
	run(c, q[1], p, 2, 7);
	CL_OK(clBuildProgram(p, 1, &devices[1], "-DSTEP=8", NULL, NULL));
	CL_OK(clBuildProgram(p, 1, &devices[2], "-DSTEP=9", NULL, NULL));
	run(c, q[0], p, 2, 5);
	run(c, q[1], p, 2, 8);
	run(c, q[2], p, 2, 9);
	CL_OK(clReleaseProgram(p));
	for (cl_uint i = 0; i <= n; i++)
		CL_OK(clReleaseCommandQueue(q[i]));
	CL_OK(clReleaseContext(c));
	release(devices, n);
}

int main(int argc, char **argv)
{
	cl_test_init(argc, argv);
	setenv("GALENA_CONFIG", "full", 1); /* four compute units */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries),
		cmocka_unit_test(counts_and_parts_of_parts),
		cmocka_unit_test(errors),
		cmocka_unit_test(commands_run_on_the_part),
		cmocka_unit_test(programs),
	};
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
