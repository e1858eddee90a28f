/* A semaphore that nobody signals: the watchdog ends the wait, on either side; the semaphore, other devices and other queues live. */
#include "testbench/opencl/external.h"
#include "testbench/vulkan/vk_test.h"

static VkDevice victim;
static const VkExternalSemaphoreHandleTypeFlagBits opaque = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

static VkSemaphore exported(VkDevice d, VkSemaphoreType type)
{
	const VkExportSemaphoreCreateInfo export = {VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, NULL, opaque};
	const VkSemaphoreTypeCreateInfo kind = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, &export, type, 0};
	const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &kind, 0};
	VkSemaphore s;
	VK_OK(vkCreateSemaphore(d, &info, NULL, &s));
	return s;
}

static VkResult submit(VkQueue q, VkSemaphore wait, VkSemaphore signal)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const uint64_t one = 1;
	const VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, 1, &one, 1, &one};
	const VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, wait != NULL, &wait, &stage, 0, NULL, signal != NULL, &signal};
	return vkQueueSubmit(q, 1, &info, NULL);
}

/* A submission of one device waits for a timeline that the other one has made; the first is lost, the other one signals and waits as ever. */
static void vulkan_waits(void **state)
{
	(void)state;
	VkQueue q;
	uint64_t value;
	int fd;
	VkSemaphore s = exported(vk.device, VK_SEMAPHORE_TYPE_TIMELINE), imported = exported(victim, VK_SEMAPHORE_TYPE_TIMELINE);
	const VkSemaphoreGetFdInfoKHR get = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, NULL, s, opaque};
	VK_OK(vk.vkGetSemaphoreFdKHR(vk.device, &get, &fd));
	const VkImportSemaphoreFdInfoKHR import = {VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR, NULL, imported, 0, opaque, fd};
	VK_OK(vk.vkImportSemaphoreFdKHR(victim, &import));
	vkGetDeviceQueue(victim, 0, 0, &q);
	VK_OK(submit(q, imported, NULL));
	VK_FAILS(VK_ERROR_DEVICE_LOST, vkQueueWaitIdle(q));
	VK_FAILS(VK_ERROR_DEVICE_LOST, submit(q, NULL, NULL));
	VK_OK(vkGetSemaphoreCounterValue(vk.device, s, &value));
	assert_int_equal(value, 0);
	VK_OK(submit(vk.queues[1], s, NULL));
	VK_OK(submit(vk.queues[0], NULL, s));
	VK_OK(vkDeviceWaitIdle(vk.device));
	VK_OK(vkGetSemaphoreCounterValue(vk.device, s, &value));
	assert_int_equal(value, 1);
	vk.allowed = "VUID-vkDestroySemaphore-semaphore-01137"; /* to the layer, a submission of a lost device has not ended */
	vkDestroySemaphore(victim, imported, NULL);
	vk.allowed = NULL;
	vkDestroySemaphore(vk.device, s, NULL);
}

/* OpenCL waits for a semaphore of Vulkan's: the command's event says so, what waits for that fails, and the queue goes on. */
static void opencl_waits(void **state)
{
	(void)state;
	VkSemaphore s = exported(vk.device, VK_SEMAPHORE_TYPE_BINARY);
	const VkSemaphoreGetFdInfoKHR get = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, NULL, s, opaque};
	int fd;
	cl_int status;
	cl_event wait, after;
	VK_OK(vk.vkGetSemaphoreFdKHR(vk.device, &get, &fd));
	cl_semaphore_khr c = SEMAPHORE(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, (cl_semaphore_properties_khr)fd);
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(cl.queue, 1, &c, NULL, 0, NULL, &wait));
	CL_OK(clEnqueueMarkerWithWaitList(cl.queue, 1, &wait, &after));
	CL_OK(clFinish(cl.queue));
	CL_OK(clGetEventInfo(wait, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_true(status < 0);
	CL_OK(clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_true(status < 0);
	CL_OK(clReleaseEvent(wait));
	CL_OK(clReleaseEvent(after));
	VK_OK(submit(vk.queue, NULL, s));
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(cl.queue, 1, &c, NULL, 0, NULL, &wait));
	CL_OK(clWaitForEvents(1, &wait));
	CL_OK(clReleaseEvent(wait));
	CL_OK(ext.clReleaseSemaphoreKHR(c));
	VK_OK(vkQueueWaitIdle(vk.queue));
	vkDestroySemaphore(vk.device, s, NULL);
}

static int setup(void **state)
{
	if (vk_test_setup(state) || external_setup(state))
		return -1;
	victim = vk_device(vk.physical[0]);
	return victim ? 0 : -1;
}

static int teardown(void **state)
{
	vkDestroyDevice(victim, NULL);
	return cl_test_teardown(state) || vk_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {VK_CASE(vulkan_waits), VK_CASE(opencl_waits)};
	vk_test_init(argc, argv);
	setenv("GALENA_WAIT_LIMIT", "1", 1);
	setenv("GALENA_LOG", "none", 0);
	return cmocka_run_group_tests(tests, setup, teardown);
}
