/* Rules on command queues. */
#include "testbench/opencl/spec.h"

#define LIST(...) (const cl_queue_properties[]){__VA_ARGS__, 0}
#define WITH(...) api->clCreateCommandQueueWithProperties(cl.context, cl.device, LIST(__VA_ARGS__), &error)
#define PLAIN(bits) api->clCreateCommandQueue(cl.context, cl.device, (bits), &error)

static void creation(void **state)
{
	(void)state;
	const cl_command_queue_properties on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	assert_true(cl.num_devices > 1); /* the one that is not in the context */
	RULE_NULL("CL_CREATECOMMANDQUEUE_DEVICE_FOREIGN", CL_INVALID_DEVICE,
		  api->clCreateCommandQueue(cl.context, cl.devices[1], 0, &error));
	RULE_NULL("CL_CREATECOMMANDQUEUEWITHPROPERTIES_DEVICE_FOREIGN", CL_INVALID_DEVICE,
		  api->clCreateCommandQueueWithProperties(cl.context, cl.devices[1], NULL, &error));
	RULE_NULL("CL_CREATECOMMANDQUEUE_PROPERTIES", CL_INVALID_VALUE, PLAIN(1u << 20));
	RULE_NULL("CL_CREATECOMMANDQUEUEWITHPROPERTIES_PROPERTIES", CL_INVALID_VALUE, WITH(0x7fff, 1));
	RULE_NULL("CL_CREATECOMMANDQUEUEWITHPROPERTIES_PROPERTIES", CL_INVALID_VALUE, WITH(CL_QUEUE_PROPERTIES, 1u << 20));
	RULE_NULL("CL_CREATECOMMANDQUEUEWITHPROPERTIES_PROPERTIES", CL_INVALID_VALUE, WITH(CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0));
	RULE_NULL("CL_CREATECOMMANDQUEUEWITHPROPERTIES_PROPERTIES", CL_INVALID_VALUE, WITH(CL_QUEUE_SIZE, 4096));
	RULE_NULL("CL_CREATECOMMANDQUEUEWITHPROPERTIES_SUPPORT", CL_INVALID_QUEUE_PROPERTIES, WITH(CL_QUEUE_PROPERTIES, on_device));
	RULE_NULL("CL_CREATECOMMANDQUEUE_SUPPORT", CL_INVALID_QUEUE_PROPERTIES, PLAIN(on_device));
	RULE("CL_SETDEFAULTDEVICECOMMANDQUEUE_DEVICE_FOREIGN", CL_INVALID_DEVICE,
	     api->clSetDefaultDeviceCommandQueue(cl.context, cl.devices[1], cl.queue));
	RULE("CL_SETDEFAULTDEVICECOMMANDQUEUE_SUPPORT", CL_INVALID_OPERATION,
	     api->clSetDefaultDeviceCommandQueue(cl.context, cl.device, cl.queue));
}

static void queries(void **state)
{
	(void)state;
	cl_uint bytes;
	RULE_INFO("CL_GETCOMMANDQUEUEINFO", CL_QUEUE_CONTEXT, api->clGetCommandQueueInfo(cl.queue, name, size, value, NULL));
	RULE("CL_GETCOMMANDQUEUEINFO_QUEUE_KIND", CL_INVALID_COMMAND_QUEUE,
	     api->clGetCommandQueueInfo(cl.queue, CL_QUEUE_SIZE, sizeof bytes, &bytes, NULL));
	RULE("CL_SETCOMMANDQUEUEPROPERTY_SUPPORT", CL_INVALID_OPERATION,
	     api->clSetCommandQueueProperty(cl.queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(creation), cmocka_unit_test(queries)};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, spec_setup, cl_test_teardown);
}
