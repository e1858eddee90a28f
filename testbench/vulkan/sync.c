/* Fences, semaphores, events, timestamps: order between queues and with the host. */
#include "testbench/vulkan/vk_test.h"
#include <pthread.h>
#include <unistd.h>

enum { TURNS = 60, BYTES = 4096 };
#define MS UINT64_C(1000000)

static VkSemaphore semaphore(bool timeline, uint64_t value)
{
	const VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL, timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY, value};
	const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
	VkSemaphore s;
	VK_OK(vkCreateSemaphore(vk.device, &info, NULL, &s));
	return s;
}

static VkFence fence(VkFenceCreateFlags flags)
{
	const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, flags};
	VkFence f;
	VK_OK(vkCreateFence(vk.device, &info, NULL, &f));
	return f;
}

/* A command buffer that adds nothing, or copies from one half of a buffer to the other; submitted between two semaphores. */
static void submit(VkQueue q, VkCommandBuffer c, VkSemaphore wait, uint64_t wait_value, VkSemaphore signal, uint64_t signal_value, VkFence f, bool two)
{
	const VkSemaphoreSubmitInfo waits = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, NULL, wait, wait_value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0};
	const VkSemaphoreSubmitInfo signals = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, NULL, signal, signal_value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0};
	const VkCommandBufferSubmitInfo commands = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, NULL, c, 0};
	const VkSubmitInfo2 info2 = {VK_STRUCTURE_TYPE_SUBMIT_INFO_2, NULL, 0, wait != NULL, &waits, c != NULL, &commands, signal != NULL, &signals};
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, wait != NULL, &wait_value, signal != NULL, &signal_value};
	const VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, wait != NULL, &wait, &stage, c != NULL, &c, signal != NULL, &signal};
	if (two)
		VK_OK(vkQueueSubmit2(q, 1, &info2, f));
	else
		VK_OK(vkQueueSubmit(q, 1, &info, f));
}

/* ---- order between queues ---- */
/* A value is handed on from buffer to buffer by two queues in turn, each of which waits for the other; the host waits once, at the end. */
static void turns(void **state)
{
	(void)state;
	for (unsigned timeline = 0; timeline < 2; timeline++) {
		struct vk_buffer b = vk_buffer((TURNS + 1) * 64, VK_ON_HOST);
		VkSemaphore to[2] = {semaphore(timeline, 0), semaphore(timeline, 0)}, gate = semaphore(true, 0); /* until all is submitted */
		VkCommandBuffer c[TURNS];
		VkFence f = fence(0);
		memset(b.host, 0, b.size);
		memset(b.host, 0x5a, 64);
		for (unsigned n = 0; n < TURNS; n++) {
			const VkBufferCopy next = {n * 64, (n + 1) * 64, 64};
			c[n] = vk_begin();
			vkCmdCopyBuffer(c[n], b.buffer, b.buffer, 1, &next);
			vk_barrier(c[n]);
			VK_OK(vkEndCommandBuffer(c[n]));
			submit(vk.queues[n & 1], c[n], n ? to[n & 1] : gate, n ? n : 1, to[!(n & 1)], n + 1, n == TURNS - 1 ? f : NULL, n & 2);
		}
		VK_OK(vkSignalSemaphore(vk.device, &(VkSemaphoreSignalInfo){VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, gate, 1}));
		VK_OK(vkWaitForFences(vk.device, 1, &f, VK_TRUE, UINT64_MAX));
		for (unsigned i = 0; i < b.size; i++)
			assert_int_equal(b.host[i], 0x5a);
		VK_OK(vkDeviceWaitIdle(vk.device));
		if (timeline) {
			uint64_t value;
			VK_OK(vkGetSemaphoreCounterValue(vk.device, to[TURNS & 1], &value));
			assert_int_equal(value, TURNS);
		}
		vkFreeCommandBuffers(vk.device, vk.pool, TURNS, c);
		vkDestroySemaphore(vk.device, gate, NULL);
		for (unsigned i = 0; i < 2; i++)
			vkDestroySemaphore(vk.device, to[i], NULL);
		vkDestroyFence(vk.device, f, NULL);
		vk_buffer_free(&b);
	}
}

/* ---- timelines and the host ---- */
static VkResult wait_for(VkSemaphore s, uint64_t value, uint64_t timeout)
{
	const VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, &s, &value};
	return vkWaitSemaphores(vk.device, &info, timeout);
}

static void signal_(VkSemaphore s, uint64_t value)
{
	const VkSemaphoreSignalInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, s, value};
	VK_OK(vkSignalSemaphore(vk.device, &info));
}

static void *late_signal(void *s)
{
	usleep(20000);
	signal_(s, 7);
	return NULL;
}

/* A queue waits for what the host signals later; other queues go on. */
static void timelines(void **state)
{
	(void)state;
	VkSemaphore s = semaphore(true, 5), done = semaphore(true, 0), two[2] = {s, done};
	VkFence held = fence(0), free_ = fence(0);
	uint64_t value;
	VK_OK(vkGetSemaphoreCounterValue(vk.device, s, &value));
	assert_int_equal(value, 5);
	VK_OK(wait_for(s, 5, 0));
	VK_FAILS(VK_TIMEOUT, wait_for(s, 6, 0));
	VK_FAILS(VK_TIMEOUT, wait_for(s, 6, 2 * MS));
	submit(vk.queues[0], NULL, s, 7, done, 1, held, true);
	submit(vk.queues[1], NULL, NULL, 0, NULL, 0, free_, false);
	VK_OK(vkWaitForFences(vk.device, 1, &free_, VK_TRUE, UINT64_MAX));
	VK_FAILS(VK_NOT_READY, vkGetFenceStatus(vk.device, held));
	VK_FAILS(VK_TIMEOUT, vkWaitForFences(vk.device, 2, (VkFence[]){free_, held}, VK_TRUE, MS));
	VK_OK(vkWaitForFences(vk.device, 2, (VkFence[]){held, free_}, VK_FALSE, MS));
	const VkSemaphoreWaitInfo any = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, VK_SEMAPHORE_WAIT_ANY_BIT, 2, two, (const uint64_t[]){5, 1}};
	VK_OK(vkWaitSemaphores(vk.device, &any, 0));
	/*
	 * The wait ends while the other thread may still be in vkSignalSemaphore. For a wait for all, release 1.3.239 of the validation layer then waits, under its lock, for what
	 * that thread records after the call, under the same lock: ten seconds, and an error. For a wait for any of two it records nothing. The semaphore s never gets to 8.
	 */
	const VkSemaphoreWaitInfo late = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, VK_SEMAPHORE_WAIT_ANY_BIT, 2, two, (const uint64_t[]){8, 1}};
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, late_signal, s), 0);
	VK_OK(vkWaitSemaphores(vk.device, &late, UINT64_MAX));
	pthread_join(thread, NULL);
	VK_OK(wait_for(done, 1, UINT64_MAX));
	VK_OK(vkWaitForFences(vk.device, 1, &held, VK_TRUE, UINT64_MAX));
	VK_OK(vkGetSemaphoreCounterValue(vk.device, s, &value));
	assert_int_equal(value, 7);
	vkDestroyFence(vk.device, held, NULL);
	vkDestroyFence(vk.device, free_, NULL);
	vkDestroySemaphore(vk.device, s, NULL);
	vkDestroySemaphore(vk.device, done, NULL);
}

/* ---- fences ---- */
static void fences(void **state)
{
	(void)state;
	VkFence f = fence(VK_FENCE_CREATE_SIGNALED_BIT);
	VK_OK(vkGetFenceStatus(vk.device, f));
	VK_OK(vkWaitForFences(vk.device, 1, &f, VK_TRUE, 0));
	for (unsigned n = 0; n < 10; n++) {
		VK_OK(vkResetFences(vk.device, 1, &f));
		VK_FAILS(VK_NOT_READY, vkGetFenceStatus(vk.device, f));
		VK_FAILS(VK_TIMEOUT, vkWaitForFences(vk.device, 1, &f, VK_TRUE, n & 1 ? MS : 0)); /* no submission signals it */
		VK_OK(vkQueueSubmit(vk.queue, 0, NULL, f));
		VK_OK(vkWaitForFences(vk.device, 1, &f, VK_TRUE, n & 2 ? UINT64_MAX : 1000 * MS));
		VK_OK(vkGetFenceStatus(vk.device, f));
	}
	/* at once, and of one that can be exported, too: a reset waits for nothing */
	const VkExportFenceCreateInfo export = {VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, NULL, VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
	VkSemaphore gate = semaphore(true, 0);
	VkFence held = fence(0);
	submit(vk.queues[1], NULL, gate, 1, NULL, 0, held, true);
	for (unsigned n = 0; n < 2; n++) {
		const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, n ? &export : NULL, VK_FENCE_CREATE_SIGNALED_BIT};
		VkFence begun;
		VK_OK(vkCreateFence(vk.device, &info, NULL, &begun));
		VK_OK(vkResetFences(vk.device, 1, &begun));
		VK_FAILS(VK_NOT_READY, vkGetFenceStatus(vk.device, begun));
		VK_OK(vkQueueSubmit(vk.queue, 0, NULL, begun));
		VK_OK(vkWaitForFences(vk.device, 1, &begun, VK_TRUE, UINT64_MAX));
		VK_OK(vkResetFences(vk.device, 1, &begun));
		VK_FAILS(VK_NOT_READY, vkGetFenceStatus(vk.device, begun));
		vkDestroyFence(vk.device, begun, NULL);
	}
	VK_OK(vkSignalSemaphore(vk.device, &(VkSemaphoreSignalInfo){VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, gate, 1}));
	VK_OK(vkWaitForFences(vk.device, 1, &held, VK_TRUE, UINT64_MAX));
	vkDestroyFence(vk.device, held, NULL);
	VK_OK(vkDeviceWaitIdle(vk.device));
	vkDestroySemaphore(vk.device, gate, NULL);
	VK_OK(vkQueueWaitIdle(vk.queue));
	vkDestroyFence(vk.device, f, NULL);
}

/* ---- events ---- */
static VkEvent event(void)
{
	const VkEventCreateInfo info = {VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, NULL, 0};
	VkEvent e;
	VK_OK(vkCreateEvent(vk.device, &info, NULL, &e));
	return e;
}

static void events(void **state)
{
	(void)state;
	const VkMemoryBarrier2 all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
				      VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT};
	const VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &all};
	struct vk_buffer b = vk_buffer(BYTES, VK_ON_HOST);
	VkEvent e = event(), by_host = event();
	const VkBufferCopy half = {0, BYTES / 2, BYTES / 2};
	VK_FAILS(VK_EVENT_RESET, vkGetEventStatus(vk.device, e));
	VK_OK(vkSetEvent(vk.device, e));
	VK_FAILS(VK_EVENT_SET, vkGetEventStatus(vk.device, e));
	VK_OK(vkResetEvent(vk.device, e));
	VK_FAILS(VK_EVENT_RESET, vkGetEventStatus(vk.device, e));
	/* set and waited for by the device, several times over */
	for (unsigned n = 1; n < 4; n++) {
		VkCommandBuffer c = vk_begin();
		vkCmdFillBuffer(c, b.buffer, 0, BYTES / 2, n);
		if (n & 1)
			vkCmdSetEvent2(c, e, &dependency);
		else
			vkCmdSetEvent(c, e, VK_PIPELINE_STAGE_TRANSFER_BIT);
		const VkMemoryBarrier old = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT};
		if (n & 1)
			vkCmdWaitEvents2(c, 1, &e, &dependency);
		else
			vkCmdWaitEvents(c, 1, &e, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1, &old, 0, NULL, 0, NULL);
		vkCmdCopyBuffer(c, b.buffer, b.buffer, 1, &half);
		vk_barrier(c);
		vk_run(vk.queue, c);
		VK_FAILS(VK_EVENT_SET, vkGetEventStatus(vk.device, e));
		for (unsigned i = 0; i < BYTES / 4; i++)
			assert_int_equal(((uint32_t *)b.host)[i], n);
		c = vk_begin();
		vkCmdResetEvent2(c, e, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
		vk_run(vk.queue, c);
		VK_FAILS(VK_EVENT_RESET, vkGetEventStatus(vk.device, e));
	}
	/* set by the host before the device waits */
	VK_OK(vkSetEvent(vk.device, by_host));
	VkCommandBuffer c = vk_begin();
	const VkMemoryBarrier from_host = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_HOST_WRITE_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
	vkCmdWaitEvents(c, 1, &by_host, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1, &from_host, 0, NULL, 0, NULL);
	vkCmdFillBuffer(c, b.buffer, 0, VK_WHOLE_SIZE, 99);
	vk_barrier(c);
	vk_run(vk.queue, c);
	assert_int_equal(((uint32_t *)b.host)[5], 99);
	vkDestroyEvent(vk.device, e, NULL);
	vkDestroyEvent(vk.device, by_host, NULL);
	vk_buffer_free(&b);
}

/* ---- timestamps ---- */
enum { STAMPS = 5 };
static VkQueryPool timestamps(void)
{
	const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = STAMPS};
	VkQueryPool pool;
	VK_OK(vkCreateQueryPool(vk.device, &info, NULL, &pool));
	return pool;
}

static void queries(void **state)
{
	(void)state;
	const VkQueryResultFlags full = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
	VkQueryPool pool = timestamps();
	struct vk_buffer b = vk_buffer(1 << 20, VK_ON_DEVICE), results = vk_buffer(STAMPS * 16, VK_ON_HOST), small = vk_buffer(STAMPS * 4, VK_ON_HOST);
	uint64_t got[STAMPS][2];
	VkCommandBuffer c = vk_begin();
	vkCmdResetQueryPool(c, pool, 0, STAMPS);
	memset(results.host, 0xee, results.size);
	for (unsigned i = 0; i < STAMPS - 1; i++) { /* the last one is not written */
		if (i & 1)
			vkCmdWriteTimestamp2(c, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool, i);
		else
			vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, i);
		vkCmdFillBuffer(c, b.buffer, 0, VK_WHOLE_SIZE, i);
		vk_barrier(c);
	}
	vkCmdCopyQueryPoolResults(c, pool, 0, STAMPS, results.buffer, 0, 16, full);
	vkCmdCopyQueryPoolResults(c, pool, 0, STAMPS - 1, small.buffer, 0, 4, VK_QUERY_RESULT_WAIT_BIT);
	vk_barrier(c);
	vk_run(vk.queue, c);
	VK_FAILS(VK_NOT_READY, vkGetQueryPoolResults(vk.device, pool, 0, STAMPS, sizeof got, got, 16, full));
	for (unsigned i = 0; i < STAMPS; i++) {
		const uint64_t *copied = (const uint64_t *)(const void *)results.host + 2 * i;
		assert_int_equal(got[i][1], i < STAMPS - 1);
		assert_int_equal(copied[1], got[i][1]);
		if (i == STAMPS - 1) {
			assert_int_equal(copied[0], UINT64_C(0xeeeeeeeeeeeeeeee)); /* as it was */
			continue;
		}
		assert_int_equal(copied[0], got[i][0]);
		assert_int_equal(((const uint32_t *)(const void *)small.host)[i], (uint32_t)got[i][0]);
		if (i)
			assert_true(got[i][0] >= got[i - 1][0]);
	}
	uint64_t one;
	VK_OK(vkGetQueryPoolResults(vk.device, pool, 1, 1, sizeof one, &one, sizeof one, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	assert_int_equal(one, got[1][0]);
	vkResetQueryPool(vk.device, pool, 0, STAMPS);
	VK_FAILS(VK_NOT_READY, vkGetQueryPoolResults(vk.device, pool, 1, 1, sizeof one, &one, sizeof one, VK_QUERY_RESULT_64_BIT));
	vkDestroyQueryPool(vk.device, pool, NULL);
	vk_buffer_free(&b);
	vk_buffer_free(&results);
	vk_buffer_free(&small);
}

/* ---- command buffers ---- */
/* Secondary ones, recorded once and executed by several; a primary one that is submitted again, and recorded again. */
static void command_buffers(void **state)
{
	(void)state;
	const VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, vk.pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
	const VkCommandBufferAllocateInfo primary = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, vk.pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, &inherits};
	const VkBufferCopy up = {0, 4, BYTES - 4};
	struct vk_buffer b = vk_buffer(BYTES, VK_ON_HOST), d = vk_buffer(BYTES, VK_ON_DEVICE);
	VkEvent e = event();
	VkCommandBuffer s, c;
	VK_OK(vkAllocateCommandBuffers(vk.device, &allocate, &s));
	VK_OK(vkAllocateCommandBuffers(vk.device, &primary, &c));
	VK_OK(vkBeginCommandBuffer(s, &begin));
	vkCmdCopyBuffer(s, b.buffer, d.buffer, 1, &up);
	vkCmdSetEvent(s, e, VK_PIPELINE_STAGE_TRANSFER_BIT);
	vk_barrier(s);
	vkCmdCopyBuffer(s, d.buffer, b.buffer, 1, &(VkBufferCopy){4, 4, BYTES - 4});
	vk_barrier(s);
	VK_OK(vkEndCommandBuffer(s));
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < BYTES / 4; i++)
			((uint32_t *)(void *)b.host)[i] = i;
		VK_OK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
		vkCmdExecuteCommands(c, 2, (VkCommandBuffer[]){s, s});
		VK_OK(vkEndCommandBuffer(c));
		for (unsigned n = 0; n < 3; n++) {
			submit(vk.queue, c, NULL, 0, NULL, 0, NULL, true);
			VK_OK(vkQueueWaitIdle(vk.queue));
		}
		for (unsigned i = 0; i < BYTES / 4; i++)
			assert_int_equal(((uint32_t *)(void *)b.host)[i], i < 6 ? 0 : i - 6);
		VK_OK(vkResetCommandBuffer(c, round ? VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT : 0));
	}
	vkFreeCommandBuffers(vk.device, vk.pool, 2, (VkCommandBuffer[]){s, c});
	vkTrimCommandPool(vk.device, vk.pool, 0);
	VK_OK(vkResetCommandPool(vk.device, vk.pool, 0));
	vkDestroyEvent(vk.device, e, NULL);
	vk_buffer_free(&b);
	vk_buffer_free(&d);
}

/* ---- threads ---- */
/* Each has a queue, a pool and memory of its own. */
static void *thread(void *queue)
{
	const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandPool pool;
	if (vkCreateCommandPool(vk.device, &info, NULL, &pool))
		return "no pool";
	for (unsigned n = 1; n <= 40; n++) {
		const VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
		struct vk_buffer b = vk_buffer(BYTES, VK_ON_HOST);
		VkFence f = fence(0);
		VkCommandBuffer c;
		VK_OK(vkAllocateCommandBuffers(vk.device, &allocate, &c));
		VK_OK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
		vkCmdFillBuffer(c, b.buffer, 0, BYTES / 2, n);
		vk_barrier(c);
		vkCmdCopyBuffer(c, b.buffer, b.buffer, 1, &(VkBufferCopy){0, BYTES / 2, BYTES / 2});
		vk_barrier(c);
		VK_OK(vkEndCommandBuffer(c));
		submit(queue, c, NULL, 0, NULL, 0, f, n & 1);
		VK_OK(vkWaitForFences(vk.device, 1, &f, VK_TRUE, n & 2 ? UINT64_MAX : 10000 * MS));
		const bool right = ((uint32_t *)(void *)b.host)[BYTES / 4 - 1] == n;
		vkDestroyFence(vk.device, f, NULL);
		vkFreeCommandBuffers(vk.device, pool, 1, &c);
		vk_buffer_free(&b);
		if (!right)
			return "wrong";
	}
	vkDestroyCommandPool(vk.device, pool, NULL);
	return NULL;
}

static void threads(void **state)
{
	(void)state;
	pthread_t of[VK_TEST_QUEUES];
	for (unsigned i = 0; i < VK_TEST_QUEUES; i++)
		assert_int_equal(pthread_create(&of[i], NULL, thread, vk.queues[i]), 0);
	for (unsigned i = 0; i < VK_TEST_QUEUES; i++) {
		void *wrong;
		pthread_join(of[i], &wrong);
		assert_null(wrong);
	}
}

/* Submissions of nothing: the first of a queue, one after it, and one after a wait. */
static void empty(void **state)
{
	(void)state;
	const VkSubmitInfo nothing = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
	VkDevice d = vk_device(vk.physical[0]);
	VkQueue q;
	assert_non_null(d);
	vkGetDeviceQueue(d, 0, 0, &q);
	for (unsigned i = 0; i < 2; i++) {
		VK_OK(vkQueueSubmit(q, 1, &nothing, NULL));
		VK_OK(vkQueueSubmit(q, 1, &nothing, NULL));
		VK_OK(vkQueueWaitIdle(q));
	}
	vkDestroyDevice(d, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {VK_CASE(empty), VK_CASE(turns), VK_CASE(timelines), VK_CASE(fences), VK_CASE(events), VK_CASE(queries), VK_CASE(command_buffers), VK_CASE(threads)};
	vk_test_init(argc, argv);
	return cmocka_run_group_tests(tests, vk_test_setup, vk_test_teardown);
}
