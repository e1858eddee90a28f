/* Pointers: addresses of buffers, pointers that shaders choose, and what the memory model orders. */
#include "testbench/vulkan/compute_run.h"
#include "vulkan/addresses.h"
#include "vulkan/chosen_pointers.h"
#include "vulkan/last_group.h"

enum { COUNT = 64 };

static void buffer_addresses(void **state)
{
	enum { NODES = 9, RESULT_AT = 64 };
	struct node {
		uint64_t next;
		uint32_t value, pad, rest[3], end;
	};
	(void)state;
	compute_skip_unless(compute_has.v12.bufferDeviceAddress, "bufferDeviceAddress");
	struct vk_buffer list = compute_buffer_set(NODES * sizeof(struct node), 0), out = compute_buffer_set(RESULT_AT + 1024, 0);
	const VkBufferDeviceAddressInfo infos[2] = {{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, NULL, list.buffer}, {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, NULL, out.buffer}};
	const uint64_t first = vkGetBufferDeviceAddress(vk.device, &infos[0]), result = vkGetBufferDeviceAddress(vk.device, &infos[1]) + RESULT_AT;
	struct node *nodes = (struct node *)list.host;
	uint32_t at = 0, values[NODES], rests[NODES];
	for (uint32_t i = 0; i < NODES; i++) { /* backwards through memory, after the first */
		const uint32_t next = NODES - 1 - i;
		nodes[at] = (struct node){.next = i + 1 < NODES ? first + next * sizeof *nodes : 0, .value = values[i] = below(1000), .rest = {1, rests[i] = below(1000), 2}};
		at = next;
	}
	assert_true(first && first % 16 == 0);
	const struct { uint64_t first, result; uint32_t count; } push = {first, result, NODES};
	struct program program = PROGRAM(addresses, "", sizeof push);
	program_run(&program, COUNT / 16, 1, 1, &push);
	const uint32_t *got = (const uint32_t *)(out.host + RESULT_AT);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t sum = 0;
		for (uint32_t k = 0; k <= i % NODES; k++)
			sum += values[k] * (k + 1) + rests[k];
		same_word("a list", i, got[i], sum);
		same_word("a null pointer at its end", i, got[64 + i], i % NODES != NODES - 1);
	}
	same_word("an atomic sum", 0, got[128], COUNT * (COUNT - 1) / 2);
	program_free(&program);
	vk_buffer_free(&list);
	vk_buffer_free(&out);
}

/* Of a buffer of so many elements, those beyond being 0. */
static uint32_t element(const uint32_t *of, uint32_t count, uint32_t i) { return i < count ? of[i] : 0; }

static void pointers_chosen(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.v11.variablePointers, "variablePointers");
	uint32_t values[2][COUNT + 4];
	for (unsigned i = 0; i < 2 * (COUNT + 4); i++)
		values[i / (COUNT + 4)][i % (COUNT + 4)] = (uint32_t)splitmix64(&compute_seed);
	struct vk_buffer a = compute_buffer_of(values[0], sizeof values[0]), b = compute_buffer_of(values[1], sizeof values[1]), out = compute_buffer_set(COUNT * 4, 0);
	/* with robust access the second buffer ends early */
	const uint32_t counts[2] = {COUNT + 4, compute_robust ? 23 : COUNT + 4};
	struct program program = PROGRAM(chosen_pointers, "sss", 0);
	program_buffer(&program, 0, &a);
	program_range(&program, 1, 0, &b, 0, counts[1] * 4);
	program_buffer(&program, 2, &out);
	program_run(&program, COUNT / 16, 1, 1, NULL);
	for (uint32_t i = 0; i < COUNT; i++) {
		const unsigned from = i & 1 ? 0 : 1;
		/* the pointer that was kept in a variable is not compared: only where it is within is its element known */
		uint32_t sum = values[from][i];
		for (uint32_t k = 0; k < 4; k++)
			sum += element(values[from], counts[from], i + k);
		same_word("sums through pointers", i, ((const uint32_t *)out.host)[i], sum);
	}
	program_free(&program);
	vk_buffer_free(&a);
	vk_buffer_free(&b);
	vk_buffer_free(&out);
}

static void pointers_chosen_robust(void **state) { pointers_chosen(state); }

static void last_of_groups(void **state)
{
	enum { GROUPS = 13 };
	(void)state;
	compute_skip_unless(compute_has.v12.vulkanMemoryModel && compute_has.v12.vulkanMemoryModelDeviceScope, "vulkanMemoryModel");
	struct vk_buffer parts = compute_buffer(GROUPS * 64, VK_ON_DEVICE), out = compute_buffer_set(8, 0);
	struct program program = PROGRAM(last_group, "ss", 0);
	program_buffer(&program, 0, &parts);
	program_buffer(&program, 1, &out);
	program_run(&program, GROUPS, 1, 1, NULL);
	uint32_t sum = 0;
	for (uint32_t i = 0; i < GROUPS * 16; i++)
		sum += i / 16 * 100 + i % 16;
	same_word("groups that were counted", 0, ((const uint32_t *)out.host)[0], GROUPS);
	same_word("the sum of the last one", 0, ((const uint32_t *)out.host)[1], sum);
	program_free(&program);
	vk_buffer_free(&parts);
	vk_buffer_free(&out);
}

const struct CMUnitTest compute_pointer_cases[] = {VK_CASE(buffer_addresses), VK_CASE(pointers_chosen), VK_CASE(last_of_groups),
						   cmocka_unit_test_setup_teardown(pointers_chosen_robust, compute_robust_setup, compute_robust_teardown)};
const size_t compute_num_pointer_cases = sizeof compute_pointer_cases / sizeof *compute_pointer_cases;
