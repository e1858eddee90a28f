/* Random submissions to several queues, ordered by timelines and the order of queues; the bytes are those of the
 * same commands one after the other. */
#include "testbench/vulkan/vk_test.h"

enum { CELLS = 24, CELL = 1024, STEPS = 120, ROUNDS = 4 };
static uint64_t seed;
static uint32_t below(uint32_t n) { return (uint32_t)(splitmix64(&seed) % n); }

/* Which step has written a cell last, and which have read it since: what a step that uses it has to come after. */
struct cell { unsigned writer, readers[VK_TEST_QUEUES]; };
static struct cell cells[CELLS];
static uint32_t expected[CELLS];

struct step {
	VkCommandBuffer commands;
	VkSemaphoreSubmitInfo waits[VK_TEST_QUEUES + 1];
	uint32_t num_waits;
};

/* Each queue has a timeline, which says how many of its steps have ended. */
static VkSemaphore timelines[VK_TEST_QUEUES];
static uint64_t values[STEPS + 1]; /* of the queue's timeline, after a step; step 0 is the beginning */
static unsigned queue_of[STEPS + 1];

static void wait_for(struct step *s, unsigned queue, unsigned other)
{
	if (!other || queue_of[other] == queue)
		return; /* nothing, or the order of the queue */
	const VkSemaphoreSubmitInfo wait = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, NULL, timelines[queue_of[other]], values[other],
					    VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0};
	for (uint32_t i = 0; i < s->num_waits; i++)
		if (s->waits[i].semaphore == wait.semaphore) {
			s->waits[i].value = s->waits[i].value > wait.value ? s->waits[i].value : wait.value;
			return;
		}
	s->waits[s->num_waits++] = wait;
}

static void use(struct step *s, unsigned step, unsigned cell, bool write)
{
	struct cell *c = &cells[cell];
	wait_for(s, queue_of[step], c->writer);
	for (unsigned q = 0; write && q < VK_TEST_QUEUES; q++)
		wait_for(s, queue_of[step], c->readers[q]);
	if (write)
		*c = (struct cell){.writer = step};
	else
		c->readers[queue_of[step]] = step;
}

/* Copies, fills and updates of cells. */
static void record(struct step *s, unsigned step, const struct vk_buffer *b)
{
	s->commands = vk_begin();
	for (unsigned n = 1 + below(3); n--;) {
		const unsigned to = below(CELLS), from = below(CELLS);
		const uint32_t value = (uint32_t)splitmix64(&seed);
		const unsigned kind = below(3);
		if (kind == 0 && from != to) {
			use(s, step, from, false);
			use(s, step, to, true);
			vkCmdCopyBuffer(s->commands, b->buffer, b->buffer, 1, &(VkBufferCopy){from * CELL, to * CELL, CELL});
			expected[to] = expected[from];
		} else if (kind == 1) {
			uint32_t data[CELL / 4];
			for (unsigned i = 0; i < CELL / 4; i++)
				data[i] = value;
			use(s, step, to, true);
			vkCmdUpdateBuffer(s->commands, b->buffer, to * CELL, CELL, data);
			expected[to] = value;
		} else {
			use(s, step, to, true);
			vkCmdFillBuffer(s->commands, b->buffer, to * CELL, CELL, value);
			expected[to] = value;
		}
		vk_barrier(s->commands);
	}
	VK_OK(vkEndCommandBuffer(s->commands));
}

static void submissions(void **state)
{
	(void)state;
	const VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL, VK_SEMAPHORE_TYPE_TIMELINE, 0};
	const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct vk_buffer b = vk_buffer(CELLS * CELL, round & 1 ? VK_ON_DEVICE : VK_ON_HOST), back = vk_buffer(CELLS * CELL, VK_ON_HOST);
		VkCommandBuffer commands[STEPS];
		uint64_t ends[VK_TEST_QUEUES] = {0};
		VkSemaphore gate; /* of all queues, until everything is submitted: the device finds it together */
		memset(cells, 0, sizeof cells);
		memset(expected, 0, sizeof expected);
		VkCommandBuffer c = vk_begin();
		vkCmdFillBuffer(c, b.buffer, 0, VK_WHOLE_SIZE, 0);
		vk_barrier(c);
		vk_run(vk.queue, c);
		VK_OK(vkCreateSemaphore(vk.device, &info, NULL, &gate));
		for (unsigned q = 0; q < VK_TEST_QUEUES; q++)
			VK_OK(vkCreateSemaphore(vk.device, &info, NULL, &timelines[q]));
		for (unsigned step = 1; step <= STEPS; step++) {
			struct step s = {.num_waits = 0};
			const unsigned q = queue_of[step] = below(VK_TEST_QUEUES);
			record(&s, step, &b);
			if (!ends[q])
				s.waits[s.num_waits++] = (VkSemaphoreSubmitInfo){VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, NULL, gate, 1, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0};
			commands[step - 1] = s.commands;
			values[step] = ++ends[q];
			const VkSemaphoreSubmitInfo signal = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, NULL, timelines[q], ends[q], VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0};
			const VkCommandBufferSubmitInfo one = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, NULL, s.commands, 0};
			const VkSubmitInfo2 submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO_2, NULL, 0, s.num_waits, s.waits, 1, &one, 1, &signal};
			VK_OK(vkQueueSubmit2(vk.queues[q], 1, &submit, NULL));
		}
		VK_OK(vkSignalSemaphore(vk.device, &(VkSemaphoreSignalInfo){VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, gate, 1}));
		VK_OK(vkWaitSemaphores(vk.device, &(VkSemaphoreWaitInfo){VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, VK_TEST_QUEUES, timelines, ends}, UINT64_MAX));
		VK_OK(vkDeviceWaitIdle(vk.device));
		c = vk_begin();
		vkCmdCopyBuffer(c, b.buffer, back.buffer, 1, &(VkBufferCopy){0, 0, CELLS * CELL});
		vk_barrier(c);
		vk_run(vk.queue, c);
		for (unsigned i = 0; i < CELLS * CELL / 4; i++)
			if (((uint32_t *)(void *)back.host)[i] != expected[i / (CELL / 4)])
				fail_msg("round %u: word %u of cell %u is 0x%x, not 0x%x", round, i % (CELL / 4), i / (CELL / 4),
					 ((uint32_t *)(void *)back.host)[i], expected[i / (CELL / 4)]);
		vkFreeCommandBuffers(vk.device, vk.pool, STEPS, commands);
		for (unsigned q = 0; q < VK_TEST_QUEUES; q++)
			vkDestroySemaphore(vk.device, timelines[q], NULL);
		vkDestroySemaphore(vk.device, gate, NULL);
		vk_buffer_free(&b);
		vk_buffer_free(&back);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {VK_CASE(submissions)};
	vk_test_init(argc, argv);
	seed = vk.seed;
	return cmocka_run_group_tests(tests, vk_test_setup, vk_test_teardown);
}
