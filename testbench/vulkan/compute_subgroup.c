/* Operations of subgroups, against what the host makes of the values of a subgroup. */
#include "testbench/vulkan/compute_run.h"
#include "vulkan/subgroups.h"

enum { WORDS = 52, MOST = 64 };

/* Of lane l; v: values of the subgroup. */
static void expect_lane(const uint32_t *v, uint32_t lanes, uint32_t l, uint32_t subgroup, uint32_t count, uint32_t out[WORDS], double *sum)
{
	uint32_t odd = 0, first = 0, low = v[0], all_and = UINT32_MAX, any = 0, before = 0, total = 0, product = 1, parity = 0, odd_below = 0, last_odd = 0, cluster = 0;
	int64_t most = INT64_MIN, least = INT64_MAX;
	uint64_t wide = 0;
	bool above = true, high = false;
	*sum = 0;
	for (uint32_t i = 0; i < lanes; i++) {
		odd |= (v[i] & 1) << i;
		low = v[i] < low ? v[i] : low;
		all_and &= v[i] | 1, any |= v[i], product *= v[i] | 1;
		before += i < l ? v[i] : 0, parity ^= i < l ? v[i] : 0, total += v[i];
		odd_below += i < l && v[i] & 1 ? v[i] : 0;
		most = (int64_t)v[i] - 128 > most ? (int64_t)v[i] - 128 : most, least = (int64_t)v[i] - 128 < least ? (int64_t)v[i] - 128 : least;
		wide += (uint64_t)v[i] << 33;
		above = above && v[i] > 5, high = high || v[i] > 250;
		cluster += i / 4 == l / 4 ? v[i] : 0;
		*sum += i <= l ? v[i] * 0.25 : 0;
	}
	const uint32_t upto = l == 31 ? UINT32_MAX : (2u << l) - 1, below_lane = (1u << l) - 1;
	first = odd ? (uint32_t)__builtin_ctz(odd) : 0;
	last_odd = 31 - (uint32_t)__builtin_clz(odd | 4);
	const uint32_t expected[WORDS] = {
		lanes, l, subgroup, count, l == 0, above, high, 1,
		v[2], v[0], odd, 0x5a5a5a5a >> l & 1, odd >> 3 & 1, (uint32_t)__builtin_popcount(odd), (uint32_t)__builtin_popcount(odd & upto),
		(uint32_t)__builtin_popcount(odd & below_lane), (uint32_t)__builtin_ctz(odd | 4), last_odd, v[(l * 3 + 1) % lanes], v[l ^ 1],
		l ? v[l - 1] : 0, l + 1 < lanes ? v[l + 1] : 0, total, before + v[l], before, product, low, (uint32_t)most, 0,
		all_and, any, parity, cluster, v[(l & ~3u) + 1], v[l ^ 1], v[l ^ 2], v[l ^ 3], 1u << l, below_lane, total * 2,
		above | (uint32_t)(__builtin_popcount(odd) & 1) << 1, (uint32_t)(wide >> 32), (uint32_t)least,
		v[l] & 1 ? (uint32_t)__builtin_popcount(odd) : 0, v[l] & 1 ? odd : 0, v[l] & 1 && l == first, v[l] & 1 ? odd_below : 0, v[l] & 1 ? first : 0,
		subgroup == count - 1 ? v[lanes - 1 - l] : 0,
	};
	memcpy(out, expected, sizeof expected);
}

static void subgroup_operations(void **state)
{
	(void)state;
	VkPhysicalDeviceSubgroupProperties has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
	VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &has};
	vkGetPhysicalDeviceProperties2(vk.physical[0], &properties);
	const VkSubgroupFeatureFlags all = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
					   VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT | VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;
	compute_skip_unless((has.supportedOperations & all) == all && compute_has.v12.shaderSubgroupExtendedTypes, "operations of subgroups");
	const uint32_t lanes = has.subgroupSize, items = compute_limits.maxComputeWorkGroupInvocations < MOST ? compute_limits.maxComputeWorkGroupInvocations : MOST;
	const VkSpecializationMapEntry entry = {0, 0, 4};
	const VkSpecializationInfo size = {1, &entry, sizeof items, &items};
	enum { GROUPS = 2 };
	uint32_t values[GROUPS * MOST];
	for (unsigned i = 0; i < GROUPS * MOST; i++)
		values[i] = below(256);
	struct program program = program_create(subgroups, sizeof subgroups, "ss", 0, &size, 0);
	struct vk_buffer in = compute_buffer_of(values, sizeof values), out = compute_buffer_set(GROUPS * MOST * WORDS * 4, 0);
	program_buffer(&program, 0, &in);
	program_buffer(&program, 1, &out);
	program_run(&program, GROUPS, 1, 1, NULL);
	for (uint32_t i = 0; i < GROUPS * items; i++) {
		const uint32_t *got = (const uint32_t *)out.host + (size_t)i * WORDS, l = i % lanes;
		uint32_t expected[WORDS];
		double sum;
		float got_sum;
		char what[32];
		expect_lane(values + (i - l), lanes, l, i % items / lanes, items / lanes, expected, &sum);
		memcpy(&got_sum, &got[28], sizeof got_sum);
		close_float("a sum of floats", i, got_sum, sum, sum * 1e-6);
		for (uint32_t k = 0; k < WORDS; k++) {
			if (k == 28 || (k == 20 && l == 0) || (k == 21 && l == lanes - 1))
				continue; /* a float; what is not defined */
			snprintf(what, sizeof what, "operation %u", k);
			same_word(what, i, got[k], expected[k]);
		}
	}
	program_free(&program);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
}

const struct CMUnitTest compute_subgroup_cases[] = {VK_CASE(subgroup_operations)};
const size_t compute_num_subgroup_cases = sizeof compute_subgroup_cases / sizeof *compute_subgroup_cases;
