/* Compute: dispatches, push and specialisation constants, shared memory and atomics, control flow, built-ins, and command buffers of
 * several dispatches, against what the host computes. */
#include "testbench/vulkan/compute_run.h"
#include "vulkan/builtins.h"
#include "vulkan/chain.h"
#include "vulkan/control.h"
#include "vulkan/reduction.h"
#include "vulkan/vector_add.h"

/* ---- vector sums ---- */
enum { ADD_SIZE = 3000 };
struct add { uint32_t count, first; float scale; };

/* Buffers of random numbers, whose sums are exact. */
static void vector_add_once(struct program *p, uint32_t group, struct add push, uint32_t groups)
{
	static float a[ADD_SIZE], b[ADD_SIZE], expected[ADD_SIZE];
	for (unsigned i = 0; i < ADD_SIZE; i++)
		a[i] = (float)below(1000), b[i] = (float)below(1000), expected[i] = -1;
	struct vk_buffer buffers[] = {compute_buffer_of(a, sizeof a), compute_buffer_of(b, sizeof b), compute_buffer_of(expected, sizeof expected)};
	for (unsigned i = 0; i < 3; i++)
		program_buffer(p, i, &buffers[i]);
	program_run(p, groups, 1, 1, &push);
	for (uint32_t i = 0; i < push.count && i < groups * group; i++)
		expected[push.first + i] = a[push.first + i] * push.scale + b[push.first + i];
	for (unsigned i = 0; i < ADD_SIZE; i++)
		close_float("vector_add", i, ((const float *)buffers[2].host)[i], expected[i], 0);
	for (unsigned i = 0; i < 3; i++)
		vk_buffer_free(&buffers[i]);
}

static struct program vector_add_program(uint32_t group)
{
	const VkSpecializationMapEntry entry = {0, 0, 4};
	const VkSpecializationInfo constants = {1, &entry, 4, &group};
	return program_create(vector_add, sizeof vector_add, "sss", sizeof(struct add), &constants, 0);
}

static void vector_sum(void **state)
{
	(void)state;
	struct program p = vector_add_program(16);
	vector_add_once(&p, 16, (struct add){1000, 0, 2}, 100); /* more groups than it needs */
	vector_add_once(&p, 16, (struct add){1000, 500, -3}, 63);
	vector_add_once(&p, 16, (struct add){0, 0, 1}, 4);
	vector_add_once(&p, 16, (struct add){1, ADD_SIZE - 1, 0.5f}, 1);
	vector_add_once(&p, 16, (struct add){100, 0, 1}, 0); /* no groups: nothing */
	program_free(&p);
}

static void vector_sums_random(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 6; n++) {
		const uint32_t group = 1 + below(n % 2 ? 16 : compute_limits.maxComputeWorkGroupInvocations < 128 ? compute_limits.maxComputeWorkGroupInvocations : 128);
		struct program p = vector_add_program(group);
		for (unsigned k = 0; k < 5; k++) {
			struct add push = {below(ADD_SIZE + 1), 0, (float)below(9) - 4};
			push.first = below(ADD_SIZE - push.count + 1);
			vector_add_once(&p, group, push, below(2 * push.count / group + 2));
		}
		program_free(&p);
	}
}

/* ---- reductions ---- */
struct totals { int32_t sum, largest, smallest; uint32_t ones, zeros, odd, winners, mixed, owner[8]; };

static void expect_reduction(uint32_t group, uint32_t length, VkBool32 square, int32_t bias)
{
	const uint32_t groups = 5, count = groups * group;
	const struct { uint32_t group, length; VkBool32 square; int32_t bias; } data = {group, length, square, bias};
	const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}};
	const VkSpecializationInfo constants = {4, entries, sizeof data, &data};
	struct program p = program_create(reduction, sizeof reduction, "sss", 0, &constants, 0);
	const struct totals start = {.largest = INT32_MIN, .smallest = INT32_MAX, .zeros = UINT32_MAX, .mixed = 1};
	struct vk_buffer values = compute_buffer((VkDeviceSize)4 * count * length, VK_ON_HOST), sums = compute_buffer_set(4 * groups, 0), total = compute_buffer_of(&start, sizeof start);
	struct totals e = start, *got = (struct totals *)total.host;
	int32_t *in = (int32_t *)values.host, expected_sums[5] = {0};
	for (uint32_t i = 0; i < count; i++) {
		int32_t mine = 0;
		for (uint32_t k = 0; k < length; k++) {
			const int32_t v = in[i * length + k] = (int32_t)below(2001) - 1000;
			mine += (square ? v * v : v) + (int32_t)k + bias;
		}
		expected_sums[i / group] += mine;
		e.sum += mine, e.ones |= (uint32_t)mine, e.zeros &= (uint32_t)mine, e.odd ^= (uint32_t)mine, e.mixed *= 3;
		e.largest = mine > e.largest ? mine : e.largest, e.smallest = mine < e.smallest ? mine : e.smallest;
	}
	program_buffer(&p, 0, &values);
	program_buffer(&p, 1, &sums);
	program_buffer(&p, 2, &total);
	program_run(&p, groups, 1, 1, NULL);
	for (uint32_t i = 0; i < groups; i++)
		same_word("sum of a group", i, ((const uint32_t *)sums.host)[i], (uint32_t)expected_sums[i]);
	e.winners = count < 8 ? count : 8;
	for (unsigned i = 0; i < 8; i++)
		if (i < count ? got->owner[i] % 8 != (i + 1) % 8 || !got->owner[i] || got->owner[i] > count : got->owner[i] != 0)
			fail_msg("slot %u is owned by %u of %u", i, got->owner[i], count);
	for (unsigned i = 0; i < 8; i++)
		same_word("sum, max, min, or, and, xor, winners, compare-and-swap", i, ((const uint32_t *)got)[i], ((const uint32_t *)&e)[i]);
	program_free(&p);
	vk_buffer_free(&values);
	vk_buffer_free(&sums);
	vk_buffer_free(&total);
}

static void reductions(void **state)
{
	(void)state;
	static const uint32_t groups[] = {1, 7, 16, 64, 100, 256};
	for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
		if (groups[i] <= compute_limits.maxComputeWorkGroupInvocations)
			expect_reduction(groups[i], i % 2 ? 4 : 3 + i, i % 2, (int32_t)i - 2);
}

/* ---- control flow ---- */
static const int32_t table[8] = {3, 1, 4, 1, 5, 9, 2, 6}, pairs[3][2] = {{1, 2}, {3, 4}, {5, 6}};
struct local { int32_t a, list[4]; };

static int32_t loops(int32_t x)
{
	int32_t sum = 0, n = x;
	for (int i = 0; i < 20; i++) {
		if (i % 3 == x % 3)
			continue;
		if (sum > x)
			break;
		for (int j = 0; j < i; j += 2)
			sum += j * i;
	}
	while (n > 1 && sum < 5000)
		n = n & 1 && n < 1000 ? 3 * n + 1 - n : n / 2, sum++;
	do
		sum += 7;
	while (sum < x);
	return sum;
}

static int32_t choose(int32_t x)
{
	static const int32_t of[8] = {11, 10, 1100, 1100, 1000, -5, 1000, 1000};
	int32_t r = of[x & 7];
	if ((x & 7) == 5)
		return r;
	if (((x & 7) == 2 || (x & 7) == 3) && x > 20)
		r = 0;
	for (int i = 0; i < 6; i++) {
		const int k = i + (x & 1);
		if (k != 2)
			r = (r + (k == 4 ? 3 : 5)) * 2;
	}
	return r;
}

static int32_t early(int32_t x)
{
	for (int i = 0; x >= 4 && i < x; i++)
		if (i * i > x)
			return i;
	return x < 4 ? 1 : x;
}

static void change(int32_t *a, int32_t *b, int32_t c, struct local *s)
{
	*b = *a + c;
	*a *= 2;
	s->list[c & 3] += *a;
	s->a -= *b;
}

static int32_t arrays(int32_t x)
{
	int32_t list[8], copy[8], r = 0;
	for (int i = 0; i < 8; i++)
		list[(i * 3 + x) & 7] = table[i] * x;
	memcpy(copy, list, sizeof copy);
	list[x & 7] = -1;
	for (int i = 0; i < 8; i++)
		r = r * 3 + list[i] - copy[(i + x) & 7];
	int32_t v[4] = {r, x, 3, 4};
	v[x & 3] += 50;
	return v[0] + v[(x + 1) & 3] + pairs[x % 3][1] + pairs[x % 3][x & 1];
}

static void control_reference(int32_t x, int32_t out[8])
{
	struct local s = {x, {1, 2, 3, 4}};
	int32_t a = x, b = 0;
	change(&a, &b, x & 5, &s);
	change(&b, &a, 2, &s);
	out[0] = loops(x), out[1] = choose(x), out[2] = early(x), out[3] = arrays(x), out[4] = a, out[5] = b;
	out[6] = s.a + s.list[0] * 3 + s.list[1] * 5 + s.list[2] * 7 + s.list[3] * 11;
	if (!(x & 2))
		out[7] = (x > 10 && table[x & 7] > 2) || x == 3 ? 1 : 2;
}

static void control_flow(void **state)
{
	(void)state;
	enum { COUNT = 128 };
	int32_t values[COUNT], expected[COUNT * 8];
	memset(expected, 0x55, sizeof expected);
	struct program p = PROGRAM(control, "ss", 0);
	struct vk_buffer out = compute_buffer_of(expected, sizeof expected);
	for (unsigned i = 0; i < COUNT; i++) {
		values[i] = i < 64 ? (int32_t)i : (int32_t)below(2000);
		control_reference(values[i], expected + i * 8);
	}
	struct vk_buffer in = compute_buffer_of(values, sizeof values);
	program_buffer(&p, 0, &in);
	program_buffer(&p, 1, &out);
	program_run(&p, COUNT / 16, 1, 1, NULL);
	for (unsigned i = 0; i < COUNT * 8; i++)
		same_word("control flow: 8 results a value", i, ((const uint32_t *)out.host)[i], (uint32_t)expected[i]);
	program_free(&p);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
}

/* ---- built-ins ---- */
enum { BUILTINS_SIZE = 64 * 32 * 8 * 20 };

static void expect_builtins(const uint32_t *got, const uint32_t base[3], const uint32_t groups[3])
{
	static const uint32_t size[3] = {4, 2, 2};
	for (uint32_t n = 0; n < 64 * 32 * 8; n++) {
		const uint32_t id[3] = {n % 64, n / 64 % 32, n / 64 / 32};
		uint32_t expected[20] = {0};
		bool in = true;
		for (unsigned k = 0; k < 3; k++)
			in = in && id[k] / size[k] >= base[k] && id[k] / size[k] < base[k] + groups[k];
		for (unsigned k = 0; in && k < 3; k++) {
			expected[k] = id[k], expected[3 + k] = id[k] % size[k], expected[6 + k] = id[k] / size[k];
			expected[9 + k] = groups[k], expected[12 + k] = size[k], expected[15 + k] = groups[k] * size[k];
		}
		if (in)
			expected[18] = (expected[5] * size[1] + expected[4]) * size[0] + expected[3], expected[19] = 1;
		for (unsigned k = 0; k < 20; k++)
			same_word("built-ins: 20 an invocation", (size_t)n * 20 + k, got[n * 20 + k], expected[k]);
	}
}

static void expect_dispatch(unsigned way)
{
	static const uint32_t groups[3] = {6, 5, 2}, base[3] = {3, 2, 1}, none[3];
	struct program p = program_create(builtins, sizeof builtins, "s", 0, NULL, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
	struct vk_buffer out = compute_buffer(BUILTINS_SIZE * 4, VK_ON_HOST), indirect = compute_buffer_of((const uint32_t[]){7, 6, 5, 2}, 16);
	program_buffer(&p, 0, &out);
	VkCommandBuffer c = vk_begin();
	memset(out.host, 0, out.size);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0, 1, &p.set, 0, NULL);
	if (way == 0)
		vkCmdDispatch(c, groups[0], groups[1], groups[2]);
	else if (way == 1)
		vkCmdDispatchBase(c, base[0], base[1], base[2], groups[0], groups[1], groups[2]);
	else
		vkCmdDispatchIndirect(c, indirect.buffer, 4);
	vk_barrier(c);
	vk_run(vk.queue, c);
	expect_builtins((const uint32_t *)out.host, way == 1 ? base : none, groups);
	program_free(&p);
	vk_buffer_free(&out);
	vk_buffer_free(&indirect);
}

static void builtin_variables(void **state)
{
	(void)state;
	expect_dispatch(0);
}

static void dispatch_base(void **state)
{
	(void)state;
	expect_dispatch(1);
}

static void dispatch_indirect(void **state)
{
	(void)state;
	expect_dispatch(2);
}

/* ---- several commands ---- */
struct step { uint32_t factor, add; };

/* fill -> dispatch -> barrier -> dispatch -> copy */
static void record_chain(VkCommandBuffer c, const struct program *p, struct vk_buffer *data, struct vk_buffer *out, uint32_t fill, const struct step *steps, unsigned count)
{
	const VkBufferCopy all = {0, 0, data->size};
	vkCmdFillBuffer(c, data->buffer, 0, VK_WHOLE_SIZE, fill);
	for (unsigned i = 0; i < count; i++) {
		vk_barrier(c);
		program_record(c, p, (uint32_t)data->size / 64, 1, 1, &steps[i]);
	}
	vk_barrier(c);
	vkCmdCopyBuffer(c, data->buffer, out->buffer, 1, &all);
	vk_barrier(c);
}

static void expect_chain(struct vk_buffer *out, uint32_t fill, const struct step *steps, unsigned count)
{
	for (uint32_t i = 0; i < out->size / 4; i++) {
		uint32_t v = fill;
		for (unsigned k = 0; k < count; k++)
			v = v * steps[k].factor + i + steps[k].add;
		same_word("chain", i, ((const uint32_t *)out->host)[i], v);
	}
	memset(out->host, 0, out->size);
}

static void chains(void **state)
{
	(void)state;
	static const struct step steps[] = {{3, 7}, {5, 0xffff0000}, {1, 1}, {17, 3}};
	struct program p = PROGRAM(chain, "s", sizeof(struct step));
	struct vk_buffer data = compute_buffer(4 * 16 * 20, VK_ON_DEVICE), out = compute_buffer_set(4 * 16 * 20, 0);
	program_buffer(&p, 0, &data);
	for (unsigned n = 1; n <= 4; n++) {
		VkCommandBuffer c = vk_begin();
		record_chain(c, &p, &data, &out, 0x01020304 * n, steps, n);
		vk_run(vk.queue, c);
		expect_chain(&out, 0x01020304 * n, steps, n);
	}
	/* in a secondary command buffer, submitted twice */
	const VkCommandBufferInheritanceInfo none = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .pInheritanceInfo = &none};
	const VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, vk.pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
	VkCommandBuffer second;
	VK_OK(vkAllocateCommandBuffers(vk.device, &info, &second));
	VK_OK(vkBeginCommandBuffer(second, &begin));
	record_chain(second, &p, &data, &out, 9, steps, 3);
	VK_OK(vkEndCommandBuffer(second));
	for (unsigned i = 0; i < 2; i++) {
		VkCommandBuffer c = vk_begin();
		vkCmdExecuteCommands(c, 1, &second);
		vk_run(vk.queue, c);
		expect_chain(&out, 9, steps, 3);
	}
	vkFreeCommandBuffers(vk.device, vk.pool, 1, &second);
	program_free(&p);
	vk_buffer_free(&data);
	vk_buffer_free(&out);
}

const struct CMUnitTest compute_cases[] = {VK_CASE(vector_sum), VK_CASE(vector_sums_random), VK_CASE(reductions), VK_CASE(control_flow), VK_CASE(builtin_variables), VK_CASE(dispatch_base), VK_CASE(dispatch_indirect),
					   VK_CASE(chains)};
const size_t compute_num_cases = sizeof compute_cases / sizeof *compute_cases;

int main(int argc, char **argv)
{
	struct CMUnitTest all[64];
	size_t n = 0;
#define ADD(cases) \
	for (size_t i = 0; i < compute_num_##cases; i++) \
		all[n++] = compute_##cases[i];
	ADD(cases)
	ADD(math_cases)
	ADD(float_cases)
	ADD(descriptor_cases)
	ADD(image_cases)
	ADD(sampler_cases)
	ADD(blit_cases)
	ADD(subgroup_cases)
	ADD(pointer_cases)
	ADD(dot_cases)
	ADD(type_cases)
	ADD(bad_cases)
	vk_test_init(argc, argv);
	compute_seed = vk.seed;
	return _cmocka_run_group_tests("compute", all, n, compute_setup, vk_test_teardown);
}
