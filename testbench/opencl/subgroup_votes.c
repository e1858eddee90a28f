/* Subgroups without values: who is where, votes and ballots, barriers and forward progress, lanes that meet again
 * behind branches and loops, and what the host can ask. */
#include "testbench/opencl/lanes.h"

/* The subgroup of work-item i of groups of local: its first item, how many, and the items of its group. */
struct place { size_t first, count, group, items; };
static struct place place_of(size_t i, size_t n, size_t local, size_t lanes)
{
	struct place p = { .group = i / local * local };
	p.items = n - p.group < local ? n - p.group : local;
	p.first = p.group + (i - p.group) / lanes * lanes;
	p.count = p.group + p.items - p.first < lanes ? p.group + p.items - p.first : lanes;
	return p;
}

static const char source[] =
	"#define OUT(f) out[n * at++ + i] = f;\n"
	"#define EACH_ACTIVE { uint4 b = sub_group_ballot(p); \\\n"
	"	OUT(sub_group_elect() != 0) OUT(sub_group_non_uniform_all(p) != 0) OUT(sub_group_non_uniform_any(p) != 0) \\\n"
	"	OUT(b.x) OUT(b.y | b.z | b.w) \\\n"
	"	OUT(sub_group_non_uniform_reduce_logical_and(p) != 0) OUT(sub_group_non_uniform_reduce_logical_or(p) != 0) \\\n"
	"	OUT(sub_group_non_uniform_reduce_logical_xor(p) != 0) OUT(sub_group_non_uniform_scan_inclusive_logical_and(p) != 0) \\\n"
	"	OUT(sub_group_non_uniform_scan_inclusive_logical_or(p) != 0) OUT(sub_group_non_uniform_scan_inclusive_logical_xor(p) != 0) \\\n"
	"	OUT(sub_group_non_uniform_scan_exclusive_logical_and(p) != 0) OUT(sub_group_non_uniform_scan_exclusive_logical_or(p) != 0) \\\n"
	"	OUT(sub_group_non_uniform_scan_exclusive_logical_xor(p) != 0) OUT(sub_group_clustered_reduce_logical_and(p, 2) != 0) \\\n"
	"	OUT(sub_group_clustered_reduce_logical_or(p, 2) != 0) OUT(sub_group_clustered_reduce_logical_xor(p, 2) != 0) }\n"
	"kernel void votes(global const int *truth, global uint *out, global const uint *way, global const uint4 *mask) {\n"
	"	size_t i = get_global_id(0), n = get_global_size(0), at = 0;\n"
	"	int p = truth[i];\n"
	"	OUT(get_sub_group_size()) OUT(get_max_sub_group_size()) OUT(get_num_sub_groups()) OUT(get_enqueued_num_sub_groups())\n"
	"	OUT(get_sub_group_id()) OUT(get_sub_group_local_id())\n"
	"	OUT(sub_group_all(p) != 0) OUT(sub_group_any(p) != 0)\n"
	"	OUT(get_sub_group_eq_mask().x) OUT(get_sub_group_ge_mask().x) OUT(get_sub_group_gt_mask().x)\n"
	"	OUT(get_sub_group_le_mask().x) OUT(get_sub_group_lt_mask().x)\n"
	"	uint4 m = mask[i];\n"
	"	OUT(sub_group_inverse_ballot(m) != 0) OUT(sub_group_ballot_bit_extract(m, way[i]) != 0) OUT(sub_group_ballot_bit_count(m))\n"
	"	OUT(sub_group_ballot_inclusive_scan(m)) OUT(sub_group_ballot_exclusive_scan(m))\n"
	"	OUT(sub_group_ballot_find_lsb(m)) OUT(sub_group_ballot_find_msb(m))\n"
	"	EACH_ACTIVE\n"
	"	if (way[i] & 1) EACH_ACTIVE else if (way[i] & 2) EACH_ACTIVE\n"
	"}\n";

static void check_active(const int *truth, const uint32_t *out, size_t n, unsigned *at, size_t i, size_t first, uint32_t mask)
{
	unsigned lane = (unsigned)(i - first);
	uint32_t ballot = 0;
	for (unsigned j = 0; j < 32; j++)
		if (mask >> j & 1 && truth[first + j])
			ballot |= 1u << j;
	uint32_t upto = (uint32_t)((2ull << lane) - 1), below = upto >> 1, pair = 3u << (lane & ~1u);
#define LOGICAL(m) !(~ballot & mask & (m)), (ballot & (m)) != 0, (uint32_t)__builtin_popcount(ballot & (m)) & 1
	const uint32_t want[] = { (uint32_t)__builtin_ctz(mask) == lane, ballot == mask, ballot != 0, ballot, 0,
				  LOGICAL(~0u), LOGICAL(upto), LOGICAL(below), LOGICAL(pair) };
	for (unsigned w = 0; w < sizeof want / sizeof *want; w++, ++*at)
		if (out[n * *at + i] != want[w])
			fail_msg("work-item %zu of subgroup from %zu, active %08x: result %u is %x, expected %x", i, first, mask, *at,
				 out[n * *at + i], want[w]);
}

static void votes(void **state)
{
	(void)state;
	enum { OUTS = 20 + 2 * 17 };
	uint64_t seed = cl_test_seed();
	size_t lanes = lanes_of_device(), most = lanes_most_items();
	const size_t ranges[][2] = { { 5, 2 }, { 3 * lanes - 2, lanes - 1 }, { 5 * lanes + 3, 2 * lanes }, { most + 2 * lanes + 1, most } };
	cl_program p = lanes_build(source, "-cl-std=CL3.0");
	for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
		size_t n = ranges[r][0], local = ranges[r][1];
		int *truth = calloc(n, 4);
		uint32_t *out = calloc(OUTS * n, 4), *way = calloc(n, 4), max = (uint32_t)(local < lanes ? local : lanes);
		cl_uint4 *mask = calloc(n, sizeof *mask);
		uint32_t lanes_mask = ~0u >> (32 - max);
		for (size_t i = 0; i < n; i++) {
			struct place s = place_of(i, n, local, lanes);
			uint64_t v = splitmix64(&seed);
			/* in some subgroups all, in some none, in most some */
			truth[i] = s.first % 5 == 1 ? 0 : s.first % 5 == 2 ? -1 : v & 1 ? (int)(v >> 8) | 1 : 0;
			way[i] = (uint32_t)(v >> 40) % max;
			for (int k = 0; k < 4; k++)
				mask[i].s[k] = (uint32_t)splitmix64(&seed);
			mask[i].s[0] |= 1u << (v >> 50) % max; /* lowest and highest of none are undefined */
		}
		lanes_run(p, "votes", 1, &n, &local, (struct lanes_buffer[]){ { truth, n * 4 }, { out, OUTS * n * 4 }, { way, n * 4 }, { mask, n * sizeof *mask } }, 4);
		for (size_t i = 0; i < n; i++) {
			struct place s = place_of(i, n, local, lanes);
			uint32_t lane = (uint32_t)(i - s.first), m = mask[i].s[0], all = 1, any = 0, upto = (uint32_t)((2ull << lane) - 1);
			unsigned at = 0;
			for (size_t j = 0; j < s.count; j++) {
				all &= truth[s.first + j] != 0;
				any |= truth[s.first + j] != 0;
			}
			const uint32_t want[] = {
				(uint32_t)s.count, max, (uint32_t)((s.items + lanes - 1) / lanes), (uint32_t)((local + lanes - 1) / lanes),
				(uint32_t)((s.first - s.group) / lanes), lane, all, any,
				1u << lane, lanes_mask & ~(upto >> 1), lanes_mask & ~upto, upto, upto >> 1,
				m >> lane & 1, m >> way[i] & 1, (uint32_t)__builtin_popcount(m & lanes_mask),
				(uint32_t)__builtin_popcount(m & upto), (uint32_t)__builtin_popcount(m & upto >> 1),
				(uint32_t)__builtin_ctz(m), 31 - (uint32_t)__builtin_clz(m & lanes_mask),
			};
			for (unsigned w = 0; w < sizeof want / sizeof *want; w++, at++)
				if (out[n * at + i] != want[w])
					fail_msg("work-item %zu of %zu by %zu: result %u is %x, expected %x", i, n, local, w, out[n * at + i], want[w]);
			uint32_t here = (uint32_t)((1ull << s.count) - 1), mine = 0;
			check_active(truth, out, n, &at, i, s.first, here);
#define ARM(w) ((w) & 1 ? 1 : (w) & 2 ? 2 : 0)
			for (size_t j = 0; j < s.count; j++)
				mine |= (uint32_t)(ARM(way[s.first + j]) == ARM(way[i])) << j;
			if (ARM(way[i]))
				check_active(truth, out, n, &at, i, s.first, mine);
		}
		free(truth), free(out), free(way), free(mask);
	}
	CL_OK(clReleaseProgram(p));
}

/* Work-items that parted are together again behind the branch, the loop, the switch, the call. */
static void lanes_meet_again_with(const char *options)
{
	static const char text[] =
		"uint deep(uint x, uint n) { for (uint i = 0; i < n; i++) { if (x & 1) x = 3 * x + 1; else x /= 2; } return x; }\n"
		"__attribute__((noinline)) uint apart(uint x, uint n) { if (x % 3 == 0) return n; return deep(x, n % 7); }\n"
		"kernel void meet(global const uint *in, global uint *out) {\n"
		"	size_t i = get_global_id(0), n = get_global_size(0);\n"
		"	uint x = in[i], sum = 0;\n"
		"	for (uint k = 0; k < 6; k++) {\n"
		"		if ((x + k) % 3 == 0) sum += x / (k + 1) % 13; else if ((x + k) % 3 == 1) x ^= sum << 3;\n"
		"		sum += popcount(sub_group_ballot(x & 1).x);\n"
		"		for (uint j = 0; j < x % 5; j++) { x += sum ^ j; if (x % 11 == 0) break; if (x % 7 == 0) continue; sum++; }\n"
		"		sum += sub_group_non_uniform_reduce_add(x & 255);\n"
		"		switch (x % 6) { case 0: x += 5; break; case 1: x *= 3; case 2: x -= sum; break; case 4: x = deep(x, 3); break; default: x ^= 9; }\n"
		"		x += apart(x, sum);\n"
		"		sum += popcount(sub_group_ballot(1).x);\n"
		"	}\n"
		"	out[i] = sum;\n"
		"	for (uint k = 0; sub_group_ballot(1).x; k++) { out[n + i] = popcount(sub_group_ballot(1).x); if (k == in[i] % 9) break; }\n"
		"}\n";
	uint64_t seed = cl_test_seed();
	size_t lanes = lanes_of_device(), n = 5 * lanes + 3, local = 2 * lanes;
	uint32_t *in = calloc(n, 4), *out = calloc(2 * n, 4), *x = calloc(n, 4), *sum = calloc(n, 4);
	for (size_t i = 0; i < n; i++)
		x[i] = in[i] = (uint32_t)splitmix64(&seed) % 100000;
	cl_program p = lanes_build(text, options);
	lanes_run(p, "meet", 1, &n, &local, (struct lanes_buffer[]){ { in, n * 4 }, { out, 2 * n * 4 } }, 2);
#define DEEP(v, count) for (uint32_t d = 0, turns = (count); d < turns; d++) (v) = (v) & 1 ? 3 * (v) + 1 : (v) / 2
	for (size_t first = 0; first < n; first += lanes) {
		size_t count = n - first < lanes ? n - first : lanes;
		uint32_t *X = x + first, *S = sum + first;
		for (uint32_t k = 0; k < 6; k++) {
			uint32_t ones = 0, total = 0;
			for (size_t i = 0; i < count; i++) {
				if ((X[i] + k) % 3 == 0)
					S[i] += X[i] / (k + 1) % 13;
				else if ((X[i] + k) % 3 == 1)
					X[i] ^= S[i] << 3;
				ones += X[i] & 1;
			}
			for (size_t i = 0; i < count; i++) {
				S[i] += ones;
				for (uint32_t j = 0; j < X[i] % 5; j++) {
					X[i] += S[i] ^ j;
					if (X[i] % 11 == 0)
						break;
					if (X[i] % 7 == 0)
						continue;
					S[i]++;
				}
				total += X[i] & 255;
			}
			for (size_t i = 0; i < count; i++) {
				S[i] += total;
				switch (X[i] % 6) {
				case 0: X[i] += 5; break;
				case 1: X[i] *= 3; /* fall through */
				case 2: X[i] -= S[i]; break;
				case 4: DEEP(X[i], 3); break;
				default: X[i] ^= 9;
				}
				uint32_t more = X[i];
				if (more % 3 == 0)
					more = S[i];
				else
					DEEP(more, S[i] % 7);
				X[i] += more;
				S[i] += (uint32_t)count;
			}
		}
		for (size_t i = 0; i < count; i++) {
			uint32_t left = 0;
			for (size_t j = 0; j < count; j++)
				left += in[first + j] % 9 >= in[first + i] % 9;
			assert_int_equal(out[first + i], S[i]);
			assert_int_equal(out[n + first + i], left);
		}
	}
	free(in), free(out), free(x), free(sum);
	CL_OK(clReleaseProgram(p));
}

static void lanes_meet_again(void **state)
{
	(void)state;
	lanes_meet_again_with("-cl-std=CL3.0");
	lanes_meet_again_with("-cl-std=CL3.0 -cl-opt-disable");
}

/* sub_group_barrier: what the others of the subgroup wrote before it is there behind it, in local and global memory. */
static void barriers(void **state)
{
	(void)state;
	static const char text[] =
		"kernel void turns(global uint *out, global uint *cells) {\n"
		"	local uint near[512];\n"
		"	uint l = get_local_id(0), s = get_sub_group_size(), lane = get_sub_group_local_id(), base = l - lane, sum = 0;\n"
		"	global uint *far = cells + get_group_id(0) * get_enqueued_local_size(0);\n"
		"	near[l] = l; far[l] = 3 * l;\n"
		"	for (uint k = 1; k < 8; k++) {\n"
		"		for (uint i = 0; i < lane * k % 5; i++) sum = sum * 5 + 1;\n"
		"		sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
		"		uint a = near[base + (lane + k) % s], b = far[base + (lane + k) % s];\n"
		"		sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group);\n"
		"		near[l] = a + k; far[l] = b ^ k; sum += a * 7 + b;\n"
		"	}\n"
		"	out[get_global_id(0)] = sum;\n"
		"}\n";
	size_t lanes = lanes_of_device(), n = 7 * lanes + 3, local = 2 * lanes + 1;
	uint32_t *out = calloc(n, 4), *cells = calloc(n + local, 4);
	cl_program p = lanes_build(text, "-cl-std=CL3.0");
	lanes_run(p, "turns", 1, &n, &local, (struct lanes_buffer[]){ { out, n * 4 }, { cells, (n + local) * 4 } }, 2);
	for (size_t i = 0; i < n;) {
		struct place s = place_of(i, n, local, lanes);
		uint32_t sum[32] = { 0 }, near[32], far[32], a[32], b[32];
		for (uint32_t j = 0; j < s.count; j++) {
			near[j] = (uint32_t)(s.first - s.group) + j;
			far[j] = 3 * near[j];
		}
		for (uint32_t k = 1; k < 8; k++) {
			for (uint32_t j = 0; j < s.count; j++) {
				for (uint32_t t = 0; t < j * k % 5; t++)
					sum[j] = sum[j] * 5 + 1;
				a[j] = near[(j + k) % s.count];
				b[j] = far[(j + k) % s.count];
			}
			for (uint32_t j = 0; j < s.count; j++) {
				near[j] = a[j] + k;
				far[j] = b[j] ^ k;
				sum[j] += a[j] * 7 + b[j];
			}
		}
		for (size_t j = 0; j < s.count; j++, i++)
			assert_int_equal(out[i], sum[j]);
	}
	free(out), free(cells);
	CL_OK(clReleaseProgram(p));
}

/* A uniform function waits for all of the subgroup, also for those that others have left behind: each work-item waits
 * for the one before it, and while it does, those that have had their turn come to the function. */
static void uniform_functions_wait(void **state)
{
	(void)state;
	static const char text[] =
		"kernel void turns(global uint *out) {\n"
		"	local atomic_uint turn[16];\n"
		"	uint s = get_sub_group_id(), lane = get_sub_group_local_id(), n = get_global_size(0), i = get_global_id(0);\n"
		"	if (lane == 0) atomic_init(&turn[s], 0);\n"
		"	work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	while (atomic_load(&turn[s]) != lane) ;\n"
		"	atomic_store(&turn[s], lane + 1);\n"
		"	out[i] = sub_group_reduce_add(lane + 1);\n"
		"	while (atomic_load(&turn[s]) != 2 * get_sub_group_size() - 1 - lane) ;\n"
		"	atomic_store(&turn[s], 2 * get_sub_group_size() - lane);\n"
		"	sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	out[n + i] = atomic_load(&turn[s]);\n"
		"}\n";
	size_t lanes = lanes_of_device(), n = 7 * lanes + 3, local = 2 * lanes;
	uint32_t *out = calloc(2 * n, 4);
	cl_program p = lanes_build(text, "-cl-std=CL3.0");
	lanes_run(p, "turns", 1, &n, &local, (struct lanes_buffer[]){ { out, 2 * n * 4 } }, 1);
	for (size_t i = 0; i < n; i++) {
		struct place s = place_of(i, n, local, lanes);
		assert_int_equal(out[i], s.count * (s.count + 1) / 2);
		assert_int_equal(out[n + i], 2 * s.count);
	}
	free(out);
	CL_OK(clReleaseProgram(p));
}

/* CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: a subgroup that waits for another one, whichever, does not keep
 * it from running. Each of a work-group's subgroups waits for its turn: upwards, then downwards. */
static void progress(void **state)
{
	(void)state;
	static const char text[] =
		"kernel void chain(global uint *out) {\n"
		"	local atomic_uint turn;\n"
		"	uint s = get_sub_group_id(), n = get_num_sub_groups(), lane = get_sub_group_local_id();\n"
		"	if (get_local_id(0) == 0) atomic_init(&turn, 0);\n"
		"	work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	for (uint k = 0; k < 6; k++) {\n"
		"		uint mine = k * n + (k & 1 ? n - 1 - s : s);\n"
		"		if (lane == 0) {\n"
		"			while (atomic_load(&turn) != mine) ;\n"
		"			out[(get_group_id(0) * 6 + k) * n + s] = mine;\n"
		"			atomic_store(&turn, mine + 1);\n"
		"		}\n"
		"		sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	}\n"
		"}\n";
	const size_t lanes = lanes_of_device(), local = lanes_most_items(), n = 3 * local, subgroups = local / lanes;
	uint32_t *out = calloc(3 * 6 * subgroups, 4);
	cl_program p = lanes_build(text, "-cl-std=CL3.0");
	lanes_run(p, "chain", 1, &n, &local, (struct lanes_buffer[]){ { out, 3 * 6 * subgroups * 4 } }, 1);
	for (uint32_t g = 0; g < 3; g++)
		for (uint32_t k = 0; k < 6; k++)
			for (uint32_t s = 0; s < subgroups; s++)
				assert_int_equal(out[(g * 6 + k) * subgroups + s],
						 k * subgroups + (k & 1 ? subgroups - 1 - s : s));
	free(out);
	CL_OK(clReleaseProgram(p));
}

typedef cl_int query_fn(cl_kernel, cl_device_id, cl_kernel_sub_group_info, size_t, const void *, size_t, void *, size_t *);

static void check_queries(query_fn *query, cl_kernel k)
{
	const size_t lanes = lanes_of_device(), most = lanes_most_items();
	size_t got[4] = { 9, 9, 9, 9 }, size = 0, count;
	const size_t full[3] = { lanes, 2, 1 }, part[2] = { 2, 1 }, large[1] = { most };
	CL_OK(query(k, cl.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof full, full, sizeof *got, got, &size));
	assert_int_equal(got[0], lanes);
	assert_int_equal(size, sizeof(size_t));
	CL_OK(query(k, NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof part, part, sizeof *got, got, NULL));
	assert_int_equal(got[0], 2);
	CL_OK(query(k, cl.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof full, full, sizeof *got, got, &size));
	assert_int_equal(got[0], 2);
	CL_OK(query(k, cl.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof large, large, sizeof *got, got, NULL));
	assert_int_equal(got[0], most / lanes);
	/* one dimension, the others 1; nothing when there is no such work-group */
	count = 2;
	CL_OK(query(k, cl.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count, &count, 3 * sizeof *got, got, &size));
	assert_int_equal(size, 3 * sizeof *got);
	assert_true(got[0] == 2 * lanes && got[1] == 1 && got[2] == 1 && got[3] == 9);
	count = most / lanes + 1;
	CL_OK(query(k, cl.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count, &count, 2 * sizeof *got, got, &size));
	assert_true(size == 2 * sizeof *got && got[0] == 0 && got[1] == 0);
	CL_OK(query(k, cl.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof *got, got, &size));
	assert_int_equal(got[0], most / lanes);
	CL_OK(query(k, cl.device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof *got, got, &size));
	assert_int_equal(got[0], 0);
	CL_OK(query(k, cl.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, &size));
	assert_int_equal(size, sizeof(size_t));

	/* 5.9.4: CL_INVALID_KERNEL, CL_INVALID_DEVICE */
	CL_FAILS(CL_INVALID_KERNEL, query(NULL, cl.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof *got, got, NULL));
	CL_FAILS(CL_INVALID_DEVICE, query(k, (cl_device_id)k, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof *got, got, NULL));
	if (cl.num_devices > 1)
		CL_FAILS(CL_INVALID_DEVICE, query(k, cl.devices[1], CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof *got, got, NULL));
	/* CL_INVALID_VALUE: no such query, too little room */
	CL_FAILS(CL_INVALID_VALUE, query(k, cl.device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, sizeof *got, got, NULL));
	CL_FAILS(CL_INVALID_VALUE, query(k, cl.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof *got - 1, got, NULL));
	CL_FAILS(CL_INVALID_VALUE, query(k, cl.device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, 0, got, NULL));
	/* ... and for the three that have an input: none, or of a wrong size */
	static const cl_kernel_sub_group_info with_input[] = { CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
							       CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
							       CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT };
	for (unsigned i = 0; i < 3; i++) {
		CL_FAILS(CL_INVALID_VALUE, query(k, cl.device, with_input[i], sizeof(size_t), NULL, sizeof *got, got, NULL));
		CL_FAILS(CL_INVALID_VALUE, query(k, cl.device, with_input[i], 0, full, sizeof *got, got, NULL));
		CL_FAILS(CL_INVALID_VALUE, query(k, cl.device, with_input[i], sizeof(size_t) + 1, full, sizeof *got, got, NULL));
		CL_FAILS(CL_INVALID_VALUE, query(k, cl.device, with_input[i], 4 * sizeof(size_t), full, sizeof *got, got, NULL));
		CL_FAILS(CL_INVALID_VALUE, query(k, cl.device, with_input[i], sizeof(size_t), full, sizeof *got - 1, got, NULL));
	}
}

static void queries(void **state)
{
	(void)state;
	cl_int code;
	cl_program p = lanes_build("kernel void k(global int *o) { o[0] = 1; }", "");
	cl_kernel k = clCreateKernel(p, "k", &code);
	CL_OK(code);
	check_queries(clGetKernelSubGroupInfo, k);
	query_fn *khr = (query_fn *)clGetExtensionFunctionAddressForPlatform(cl.platform, "clGetKernelSubGroupInfoKHR");
	assert_non_null(khr);
	check_queries(khr, k);
	cl_uint most = 0;
	cl_bool independent = CL_FALSE;
	/* 4.2: at least 1 with subgroups; independent progress comes with cl_khr_subgroups */
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL));
	assert_int_equal(most, lanes_most_items() / lanes_of_device());
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sizeof independent, &independent, NULL));
	assert_int_equal(independent, CL_TRUE);
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseProgram(p));
}

/* cl_khr_integer_dot_product 2.0: both inputs, products and saturated sums; every sign. */
static void dot_products(void **state)
{
	(void)state;
	static const char text[] =
		"#define EACH(name, t, a, b) out[at++] = (long)dot_4x8packed_##name(x, y) ; out[at++] = (long)dot(as_##a##4(x), as_##b##4(y)); \\\n"
		"	out[at++] = (long)dot_acc_sat_4x8packed_##name(x, y, (t)z); out[at++] = (long)dot_acc_sat(as_##a##4(x), as_##b##4(y), (t)z);\n"
		"kernel void dots(global const uint *in, global long *out) {\n"
		"	size_t i = get_global_id(0), at = 16 * i; uint x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];\n"
		"	EACH(uu_uint, uint, uchar, uchar) EACH(ss_int, int, char, char) EACH(us_int, int, uchar, char) EACH(su_int, int, char, uchar)\n"
		"}\n";
	enum { N = 500 };
	static const uint32_t special[] = { 0, ~0u, 0x80808080, 0x7f7f7f7f, 0x80000000, 0x7fffffff, 0x7fffff00, 0x80000100, 0xffffff00 };
	uint64_t seed = cl_test_seed();
	size_t n = N, local = 4;
	uint32_t in[3 * N];
	static int64_t out[16 * N];
	for (size_t i = 0; i < 3 * N; i++)
		in[i] = splitmix64(&seed) % 2 ? special[splitmix64(&seed) % 9] : (uint32_t)splitmix64(&seed);
	cl_program p = lanes_build(text, "-cl-std=CL3.0");
	lanes_run(p, "dots", 1, &n, &local, (struct lanes_buffer[]){ { in, sizeof in }, { out, sizeof out } }, 2);
	for (size_t i = 0; i < N; i++)
		for (unsigned kind = 0; kind < 4; kind++) {
			bool a_signed = kind & 1, b_signed = kind == 1 || kind == 2, result_signed = kind != 0;
			int64_t sum = 0, low = result_signed ? INT32_MIN : 0, high = result_signed ? INT32_MAX : UINT32_MAX;
			for (unsigned c = 0; c < 4; c++) {
				int a = (int)(in[3 * i] >> 8 * c & 255), b = (int)(in[3 * i + 1] >> 8 * c & 255);
				sum += (a_signed ? (int8_t)a : a) * (b_signed ? (int8_t)b : b);
			}
			int64_t more = sum + (result_signed ? (int32_t)in[3 * i + 2] : (int64_t)in[3 * i + 2]);
			more = more < low ? low : more > high ? high : more;
			const int64_t *got = out + 16 * i + 4 * kind;
			assert_true(got[0] == sum && got[1] == sum && got[2] == more && got[3] == more);
		}
	CL_OK(clReleaseProgram(p));
	/* 4.2: all inputs; nothing is faster than products and sums are */
	cl_device_integer_dot_product_capabilities_khr caps = 0;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR, sizeof caps, &caps, NULL));
	assert_int_equal(caps, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR);
	static const cl_device_info tables[] = { CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
						 CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR };
	const cl_device_integer_dot_product_acceleration_properties_khr none = { 0 };
	for (unsigned i = 0; i < 2; i++) {
		cl_device_integer_dot_product_acceleration_properties_khr got;
		size_t size = 0;
		memset(&got, 0xff, sizeof got);
		CL_OK(clGetDeviceInfo(cl.device, tables[i], sizeof got, &got, &size));
		assert_int_equal(size, sizeof got);
		assert_memory_equal(&got, &none, sizeof got);
	}
}

LANES_MAIN(((const struct CMUnitTest[]){
	cmocka_unit_test(votes),
	cmocka_unit_test(lanes_meet_again),
	cmocka_unit_test(barriers),
	cmocka_unit_test(uniform_functions_wait),
	cmocka_unit_test(progress),
	cmocka_unit_test(queries),
	cmocka_unit_test(dot_products),
}))
