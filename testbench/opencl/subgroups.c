/* Subgroup functions with values: reductions, scans, clusters, shuffles, rotations, broadcasts, for
 * every type, by all work-items of a subgroup and by those of one arm of a branch; subgroups that are
 * not full, and work-groups at the end of a range. Votes, ballots, barriers: subgroup_votes.c. */
#include "testbench/opencl/lanes.h"

static const char arithmetic_source[] =
	"#ifdef NEEDS_HALF\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#endif\n"
	"#define OUT(f) out[n * at++ + i] = f;\n"
	"#define UNIFORM(op) OUT(sub_group_reduce_##op(x)) OUT(sub_group_scan_inclusive_##op(x)) OUT(sub_group_scan_exclusive_##op(x))\n"
	"#define ACTIVE(op) OUT(sub_group_non_uniform_reduce_##op(x)) OUT(sub_group_non_uniform_scan_inclusive_##op(x)) \\\n"
	"	OUT(sub_group_non_uniform_scan_exclusive_##op(x)) OUT(sub_group_clustered_reduce_##op(x, C))\n"
	"#ifdef INTEGER\n#define BITS ACTIVE(and) ACTIVE(or) ACTIVE(xor)\n#else\n#define BITS\n#endif\n"
	"#define ALL_ACTIVE ACTIVE(add) ACTIVE(min) ACTIVE(max) ACTIVE(mul) BITS\n"
	"kernel void arithmetic(global const T *in, global T *out, global const uint *way) {\n"
	"	size_t i = get_global_id(0), n = get_global_size(0), at = 0;\n"
	"	T x = in[i];\n"
	"	UNIFORM(add) UNIFORM(min) UNIFORM(max)\n"
	"	if (way[i] == 0) { ALL_ACTIVE } else if (way[i] == 1) { ALL_ACTIVE }\n"
	"}\n"
	"#define ANYWHERE(id) OUT(sub_group_shuffle(x, k[i])) OUT(sub_group_shuffle_xor(x, k[i])) OUT(sub_group_shuffle_up(x, k[i])) \\\n"
	"	OUT(sub_group_shuffle_down(x, k[i])) OUT(sub_group_rotate(x, delta)) OUT(sub_group_clustered_rotate(x, delta, C)) \\\n"
	"	OUT(sub_group_broadcast_first(x)) OUT(sub_group_non_uniform_broadcast(x, id)) \\\n"
	"	same[at / 16 * n + i] = sub_group_non_uniform_all_equal(x) + 2 * sub_group_non_uniform_all_equal((T)5);\n"
	/* k: anything; of[0 .. 3]: delta and who gives, one value for all of a subgroup's arm */
	"kernel void exchange(global const T *in, global T *out, global const uint *way, global const uint *k, global const int4 *of, global int *same) {\n"
	"	size_t i = get_global_id(0), n = get_global_size(0), at = 0;\n"
	"	T x = in[i];\n"
	"	int delta = of[i].x;\n"
	"	OUT(sub_group_broadcast(x, (uint)of[i].y))\n"
	"	ANYWHERE(of[i].y)\n"
	"	at = 16;\n"
	"	if (way[i] == 0) { ANYWHERE(of[i].z) } else if (way[i] == 1) { ANYWHERE(of[i].w) }\n"
	"}\n";

enum { MOST_OUT = 40, WAYS = 3 };

/* A launch: data of each work-item, and which of them act together. */
struct launch {
	const struct lanes_type *type;
	size_t n, local, lanes, cluster;
	void *in, *out;
	uint32_t *way, *k;
	cl_int4 *of;
	int *same;
};

/* The subgroup of a work-item: its first item, how many. */
static size_t subgroup_of(const struct launch *l, size_t i, size_t *first)
{
	size_t group = i / l->local * l->local, end = group + l->local < l->n ? group + l->local : l->n;
	*first = group + (i - group) / l->lanes * l->lanes;
	return end - *first < l->lanes ? end - *first : l->lanes;
}

/* Bit j: item first + j acts together with item i, in a branch or not. */
static uint32_t together(const struct launch *l, size_t i, bool branch)
{
	size_t first, count = subgroup_of(l, i, &first);
	uint32_t mask = 0;
	for (size_t j = 0; j < count; j++)
		if (!branch || l->way[first + j] == l->way[i])
			mask |= 1u << j;
	return mask;
}

static struct launch *launch_make(const struct lanes_type *t, size_t n, size_t local, size_t lanes, size_t cluster, uint64_t *seed)
{
	struct launch *l = calloc(1, sizeof *l);
	*l = (struct launch){ .type = t, .n = n, .local = local, .lanes = lanes, .cluster = cluster,
			      .in = calloc(n, t->size), .out = calloc(MOST_OUT * n, t->size), .way = calloc(n, 4), .k = calloc(n, 4),
			      .of = calloc(n, sizeof(cl_int4)), .same = calloc(2 * n, sizeof(int)) };
	for (size_t i = 0; i < n; i++) {
		size_t first, count = subgroup_of(l, i, &first);
		lanes_put(t, l->in, i, lanes_random(t, seed));
		l->way[i] = (uint32_t)(splitmix64(seed) % WAYS);
		l->k[i] = (uint32_t)(splitmix64(seed) % (lanes + 1));
		if (i == first) {
			l->of[i].s[0] = (int)(splitmix64(seed) % 200) - 100;
			l->of[i].s[1] = (int)(splitmix64(seed) % count);
		} else {
			l->of[i].s[0] = l->of[first].s[0];
			l->of[i].s[1] = l->of[first].s[1];
			if (l->of[first].s[0] % 3 == 0) /* a third of the subgroups have one value only */
				lanes_put(t, l->in, i, lanes_get(t, l->in, first));
		}
	}
	for (size_t i = 0; i < n; i++) { /* who gives in an arm: one of it */
		size_t first;
		subgroup_of(l, i, &first);
		uint32_t mask = together(l, i, true);
		uint32_t giver = first % 2 ? 31 - (uint32_t)__builtin_clz(mask) : (uint32_t)__builtin_ctz(mask);
		if (l->way[i] < 2)
			l->of[i].s[2 + l->way[i]] = (int)giver;
	}
	return l;
}

static void launch_free(struct launch *l)
{
	free(l->in), free(l->out), free(l->way), free(l->k), free(l->of), free(l->same), free(l);
}

/* reduce (0), inclusive (1), exclusive (2), cluster (3), over the lanes of a mask. */
static union lanes_value predict(const struct launch *l, enum lanes_op op, unsigned kind, size_t first, unsigned lane, uint32_t mask)
{
	union lanes_value r = { 0 };
	bool any = false;
	if (kind == 3)
		mask &= (uint32_t)((1ull << l->cluster) - 1) << (lane & ~(l->cluster - 1));
	else if (kind)
		mask &= (uint32_t)((kind == 1 ? 2ull : 1ull) << lane) - 1;
	for (unsigned j = 0; j < 32; j++) {
		if (!(mask >> j & 1))
			continue;
		union lanes_value x = lanes_get(l->type, l->in, first + j);
		r = any ? lanes_combine(l->type, op, r, x) : x;
		any = true;
	}
	return any ? r : lanes_identity(l->type, op);
}

static void check_arithmetic(const struct launch *l)
{
	static const enum lanes_op ops[] = { OP_ADD, OP_MIN, OP_MAX, OP_MUL, OP_AND, OP_OR, OP_XOR };
	static const char *const kinds[] = { "reduce", "scan_inclusive", "scan_exclusive", "clustered_reduce" };
	static const char *const names[] = { "add", "min", "max", "mul", "and", "or", "xor" };
	char what[80];
	for (size_t i = 0; i < l->n; i++) {
		size_t first, count = subgroup_of(l, i, &first), most = l->local < l->lanes ? l->local : l->lanes;
		unsigned lane = (unsigned)(i - first), at = 0;
		for (unsigned o = 0; o < 3; o++)
			for (unsigned kind = 0; kind < 3; kind++) {
				snprintf(what, sizeof what, "sub_group_%s_%s, %zu of them", kinds[kind], names[o], count);
				lanes_check(l->type, l->out, l->n * at++ + i, predict(l, ops[o], kind, first, lane, together(l, i, false)), what, i);
			}
		for (unsigned o = 0; l->way[i] < 2 && o < (l->type->kind == FLOATING ? 4 : 7); o++)
			for (unsigned kind = 0; kind < 4; kind++, at++) {
				snprintf(what, sizeof what, "sub_group_..._%s_%s in a branch", kinds[kind], names[o]);
				if (kind == 3 && l->cluster > most)
					continue; /* undefined: larger than any subgroup */
				lanes_check(l->type, l->out, l->n * at + i, predict(l, ops[o], kind, first, lane, together(l, i, true)), what, i);
			}
	}
}

static void check_from(const struct launch *l, size_t at, size_t i, size_t first, uint32_t mask, uint32_t from, const char *what)
{
	if (from < 32 && mask >> from & 1) /* else undefined */
		lanes_check(l->type, l->out, at * l->n + i, lanes_get(l->type, l->in, first + from), what, i);
}

static void check_exchange(const struct launch *l)
{
	const int most = (int)(l->local < l->lanes ? l->local : l->lanes), cluster = (int)l->cluster;
	for (size_t i = 0; i < l->n; i++) {
		size_t first;
		subgroup_of(l, i, &first);
		uint32_t lane = (uint32_t)(i - first), k = l->k[i];
		int delta = l->of[i].s[0], at = 0;
		check_from(l, (size_t)at++, i, first, ~0u, (uint32_t)l->of[i].s[1], "sub_group_broadcast");
		for (unsigned branch = 0; branch < 2; branch++) {
			if (branch && l->way[i] > 1)
				continue;
			uint32_t mask = together(l, i, branch), giver = (uint32_t)l->of[i].s[branch ? 2 + l->way[i] : 1];
			size_t o = branch ? 16 : 1;
			check_from(l, o++, i, first, mask, k, "sub_group_shuffle");
			check_from(l, o++, i, first, mask, lane ^ k, "sub_group_shuffle_xor");
			check_from(l, o++, i, first, mask, lane - k, "sub_group_shuffle_up");
			check_from(l, o++, i, first, mask, lane + k, "sub_group_shuffle_down");
			check_from(l, o++, i, first, mask, (uint32_t)((((int)lane + delta) % most + most) % most), "sub_group_rotate");
			if (cluster <= most)
				check_from(l, o, i, first, mask, (lane & ~(uint32_t)(cluster - 1)) |
					   (uint32_t)((((int)lane + delta) % cluster + cluster) % cluster), "sub_group_clustered_rotate");
			o++;
			check_from(l, o++, i, first, mask, (uint32_t)__builtin_ctz(mask), "sub_group_broadcast_first");
			check_from(l, o++, i, first, mask, giver, "sub_group_non_uniform_broadcast");
			bool same = true;
			for (unsigned j = 0; j < 32; j++)
				if (mask >> j & 1)
					same &= lanes_equal(l->type, lanes_get(l->type, l->in, first + j), lanes_get(l->type, l->in, i));
			int got = l->same[branch * l->n + i];
			if (got != same + 2)
				fail_msg("sub_group_non_uniform_all_equal of %s, work-item %zu: %d, expected %d", l->type->name, i, got, same + 2);
		}
	}
}

static void every_type(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	size_t lanes = lanes_of_device(), most = lanes_most_items(), cluster = lanes / 4 > 2 ? lanes / 4 : 2;
	const size_t ranges[][2] = { { 3, 1 }, { 3 * lanes - 2, lanes - 1 }, { 5 * lanes + 3, 2 * lanes }, { most + 2 * lanes + 1, most } };
	for (size_t t = 0; t < LANES_TYPES; t++) {
		const struct lanes_type *type = &lanes_types[t];
		char options[96];
		if (!lanes_have(type)) {
			printf("# skip %s: the device has no cl_khr_fp16\n", type->name);
			continue;
		}
		snprintf(options, sizeof options, "-cl-std=CL3.0 -DT=%s -DC=%zu%s%s", type->name, cluster, type->kind == FLOATING ? "" : " -DINTEGER",
			 strcmp(type->name, "half") ? "" : " -DNEEDS_HALF");
		cl_program p = lanes_build(arithmetic_source, options);
		for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
			struct launch *l = launch_make(type, ranges[r][0], ranges[r][1], lanes, cluster, &seed);
			const struct lanes_buffer buffers[] = { { l->in, l->n * type->size }, { l->out, MOST_OUT * l->n * type->size }, { l->way, l->n * 4 },
								{ l->k, l->n * 4 }, { l->of, l->n * sizeof(cl_int4) }, { l->same, 2 * l->n * sizeof(int) } };
			lanes_run(p, "arithmetic", 1, &l->n, &l->local, buffers, 3);
			check_arithmetic(l);
			memset(l->out, 0, MOST_OUT * l->n * type->size);
			lanes_run(p, "exchange", 1, &l->n, &l->local, buffers, 6);
			check_exchange(l);
			launch_free(l);
		}
		CL_OK(clReleaseProgram(p));
	}
}

/* cl_khr_subgroup_extended_types and _ballot: broadcasts of vectors. */
static void vectors(void **state)
{
	(void)state;
	static const char text[] =
		"kernel void broadcast(global const T *in, global T *out, global const uint *id) {\n"
		"	size_t i = get_global_id(0), n = get_global_size(0);\n"
		"	out[i] = sub_group_broadcast(in[i], id[i]);\n"
		"	if (get_sub_group_local_id() & 1) out[n + i] = sub_group_non_uniform_broadcast(in[i], 1);\n"
		"	else out[n + i] = sub_group_non_uniform_broadcast(in[i], 0);\n"
		"}\n";
	static const struct { const char *name; size_t size, used; } types[] = {
		{ "char2", 2, 2 }, { "uchar3", 4, 3 }, { "short16", 32, 32 }, { "ushort4", 8, 8 }, { "int3", 16, 12 }, { "uint8", 32, 32 },
		{ "long2", 16, 16 }, { "ulong16", 128, 128 }, { "float3", 16, 12 }, { "float4", 16, 16 }, { "double8", 64, 64 }, { "double3", 32, 24 },
	};
	uint64_t seed = cl_test_seed();
	size_t lanes = lanes_of_device(), n = 3 * lanes + 2, local = lanes + 2;
	uint32_t *id = calloc(n, 4);
	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		char options[64];
		unsigned char *in = calloc(n, types[t].size), *out = calloc(2 * n, types[t].size);
		for (size_t i = 0; i < n * types[t].size; i++)
			in[i] = (unsigned char)splitmix64(&seed);
		for (size_t i = 0; i < n; i++) {
			size_t lane = i % local % lanes, first = i - lane, end = first - first % local + local;
			end = end < n ? end : n;
			id[i] = lane ? id[first] : (uint32_t)(splitmix64(&seed) % (end - first < lanes ? end - first : lanes));
		}
		snprintf(options, sizeof options, "-cl-std=CL3.0 -DT=%s", types[t].name);
		cl_program p = lanes_build(text, options);
		lanes_run(p, "broadcast", 1, &n, &local, (struct lanes_buffer[]){ { in, n * types[t].size }, { out, 2 * n * types[t].size }, { id, n * 4 } }, 3);
		for (size_t i = 0; i < n; i++) {
			size_t lane = i % local % lanes, first = i - lane;
			assert_memory_equal(out + i * types[t].size, in + (first + id[i]) * types[t].size, types[t].used);
			assert_memory_equal(out + (n + i) * types[t].size, in + (first + (lane & 1)) * types[t].size, types[t].used);
		}
		CL_OK(clReleaseProgram(p));
		free(in), free(out);
	}
	free(id);
}

LANES_MAIN(((const struct CMUnitTest[]){
	cmocka_unit_test(every_type),
	cmocka_unit_test(vectors),
}))
