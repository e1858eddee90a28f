/* Work-group functions (OpenCL C 3.0, 6.15.16) on work-groups of every shape: one work-item, parts
 * of a subgroup, several, three dimensions, and smaller ones at the ends of a range. */
#include "testbench/opencl/lanes.h"

/* Every function twice: what one call leaves in local memory must not reach the next. The kernel's
 * own local variables lie beside what the functions use. */
static const char source[] =
	"#ifdef NEEDS_HALF\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#endif\n"
	"#define EACH(X) X(reduce_add) X(reduce_min) X(reduce_max) X(scan_inclusive_add) X(scan_inclusive_min) \\\n"
	"	X(scan_inclusive_max) X(scan_exclusive_add) X(scan_exclusive_min) X(scan_exclusive_max)\n"
	"kernel void collect(global const T *in, global T *out, global const int *truth, global int *votes, global const ulong *from) {\n"
	"	size_t i = get_global_linear_id(), n = get_global_size(0) * get_global_size(1) * get_global_size(2), at = 0;\n"
	"	local int mark[4];\n"
	"	int all, any;\n"
	"	T x = in[i];\n"
	"	if (get_local_linear_id() < 4) mark[get_local_linear_id()] = 77;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (uint turn = 0; turn < 2; turn++) {\n"
	"#define X(name) out[n * at++ + i] = work_group_##name(x);\n"
	"		EACH(X)\n"
	"		size_t g = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);\n"
	"		ulong a = from[3 * g], b = from[3 * g + 1], c = from[3 * g + 2];\n"
	"		uint d = get_work_dim();\n"
	"		out[n * at++ + i] = d == 1 ? work_group_broadcast(x, a) : d == 2 ? work_group_broadcast(x, a, b) :\n"
	"					     work_group_broadcast(x, a, b, c);\n"
	"		votes[n * (2 * turn) + i] = work_group_all(truth[n * turn + i]);\n"
	"		votes[n * (2 * turn + 1) + i] = work_group_any(truth[n * turn + i]);\n"
	"		x = in[n - 1 - i];\n"
	"	}\n"
	"	if (mark[get_local_linear_id() & 3] != 77 && get_local_size(0) * get_local_size(1) * get_local_size(2) > 3) out[i] = in[i] + (T)1;\n"
	"}\n";

enum { FUNCTIONS = 10 };
static const char *const names[FUNCTIONS] = {
	"work_group_reduce_add", "work_group_reduce_min", "work_group_reduce_max",
	"work_group_scan_inclusive_add", "work_group_scan_inclusive_min", "work_group_scan_inclusive_max",
	"work_group_scan_exclusive_add", "work_group_scan_exclusive_min", "work_group_scan_exclusive_max", "work_group_broadcast",
};

struct shape { cl_uint dims; size_t global[3], local[3]; };

/* The global linear ids of a work-group's items, in the order of their local linear ids. */
static size_t group_items(const struct shape *s, const size_t group[3], size_t *items, size_t size[3])
{
	size_t n = 0;
	for (int d = 0; d < 3; d++) {
		size_t left = s->global[d] - group[d] * s->local[d];
		size[d] = left < s->local[d] ? left : s->local[d];
	}
	for (size_t z = 0; z < size[2]; z++)
		for (size_t y = 0; y < size[1]; y++)
			for (size_t x = 0; x < size[0]; x++)
				items[n++] = ((group[2] * s->local[2] + z) * s->global[1] + group[1] * s->local[1] + y) * s->global[0] +
					     group[0] * s->local[0] + x;
	return n;
}

struct data { void *in, *out; int *truth, *votes; cl_ulong *from; };

static void check_group(const struct lanes_type *t, const struct data *d, size_t n, const size_t *items, size_t count, size_t giver, unsigned turn)
{
	static const enum lanes_op ops[] = { OP_ADD, OP_MIN, OP_MAX };
#define AT(k) (turn ? n - 1 - items[k] : items[k])
	for (unsigned o = 0; o < 3; o++) {
		union lanes_value before = lanes_identity(t, ops[o]), all = lanes_get(t, d->in, AT(0));
		for (size_t k = 1; k < count; k++)
			all = lanes_combine(t, ops[o], all, lanes_get(t, d->in, AT(k)));
		for (size_t k = 0; k < count; k++) {
			union lanes_value x = lanes_get(t, d->in, AT(k)), with = k ? lanes_combine(t, ops[o], before, x) : x;
			size_t first = n * FUNCTIONS * turn + items[k];
			lanes_check(t, d->out, first + n * o, all, names[o], items[k]);
			lanes_check(t, d->out, first + n * (3 + o), with, names[3 + o], items[k]);
			lanes_check(t, d->out, first + n * (6 + o), before, names[6 + o], items[k]);
			before = with;
		}
	}
	bool all = true, any = false;
	for (size_t k = 0; k < count; k++) {
		all &= d->truth[n * turn + items[k]] != 0;
		any |= d->truth[n * turn + items[k]] != 0;
	}
	for (size_t k = 0; k < count; k++) {
		lanes_check(t, d->out, n * (FUNCTIONS * turn + 9) + items[k], lanes_get(t, d->in, AT(giver)), names[9], items[k]);
		assert_int_equal(d->votes[n * (2 * turn) + items[k]] != 0, all);
		assert_int_equal(d->votes[n * (2 * turn + 1) + items[k]] != 0, any);
	}
}

static void check_shape(cl_program program, const struct lanes_type *t, const struct shape *s, uint64_t *seed)
{
	size_t n = s->global[0] * s->global[1] * s->global[2], groups = 1, size[3], items[512];
	size_t per[3];
	for (int d = 0; d < 3; d++)
		groups *= per[d] = (s->global[d] + s->local[d] - 1) / s->local[d];
	struct data d = { calloc(n, t->size), calloc(2 * FUNCTIONS * n, t->size), calloc(2 * n, sizeof(int)), calloc(4 * n, sizeof(int)),
			  calloc(3 * groups, sizeof(cl_ulong)) };
	size_t *giver = calloc(groups, sizeof *giver);
	for (size_t i = 0; i < n; i++)
		lanes_put(t, d.in, i, lanes_random(t, seed));
	for (size_t g = 0; g < groups; g++) {
		const size_t group[3] = { g % per[0], g / per[0] % per[1], g / per[0] / per[1] };
		size_t count = group_items(s, group, items, size);
		/* votes: none, all, or one that differs */
		for (unsigned turn = 0; turn < 2; turn++) {
			unsigned kind = (unsigned)(splitmix64(seed) % 4);
			for (size_t k = 0; k < count; k++)
				d.truth[n * turn + items[k]] = kind & 1 ? 1 << (k % 31) : 0;
			if (kind & 2)
				d.truth[n * turn + items[splitmix64(seed) % count]] ^= -1;
		}
		giver[g] = splitmix64(seed) % count;
		d.from[3 * g] = giver[g] % size[0];
		d.from[3 * g + 1] = giver[g] / size[0] % size[1];
		d.from[3 * g + 2] = giver[g] / size[0] / size[1];
	}
	lanes_run(program, "collect", s->dims, s->global, s->local,
		  (struct lanes_buffer[]){ { d.in, n * t->size }, { d.out, 2 * FUNCTIONS * n * t->size }, { d.truth, 2 * n * sizeof(int) },
					   { d.votes, 4 * n * sizeof(int) }, { d.from, 3 * groups * sizeof(cl_ulong) } }, 5);
	for (size_t g = 0; g < groups; g++) {
		const size_t group[3] = { g % per[0], g / per[0] % per[1], g / per[0] / per[1] };
		size_t count = group_items(s, group, items, size);
		for (unsigned turn = 0; turn < 2; turn++)
			check_group(t, &d, n, items, count, giver[g], turn);
	}
	free(d.in), free(d.out), free(d.truth), free(d.votes), free(d.from), free(giver);
}

/* 6.15.16: int, uint, long, ulong, float, double and, with cl_khr_fp16, half. */
static void every_type_and_shape(void **state)
{
	(void)state;
	uint64_t seed = cl_test_seed();
	size_t most = lanes_most_items(), lanes = lanes_of_device();
	const struct shape shapes[] = {
		{ 1, { 3, 1, 1 }, { 1, 1, 1 } },
		{ 1, { 2 * lanes, 1, 1 }, { lanes - 1, 1, 1 } },           /* the last one has two items */
		{ 1, { 5 * lanes + 3, 1, 1 }, { 2 * lanes + 1, 1, 1 } },
		{ 1, { most + most / 2 + 1, 1, 1 }, { most, 1, 1 } },
		{ 2, { lanes + 5, 5, 1 }, { lanes / 2 + 1, 2, 1 } },       /* smaller at both ends */
		{ 3, { 5, 3, 4 }, { 2, 2, 3 } },
	};
	for (size_t t = 0; t < LANES_TYPES; t++) {
		char options[64];
		if (lanes_types[t].size < 4 && lanes_types[t].kind != FLOATING)
			continue; /* not among the types */
		if (!lanes_have(&lanes_types[t])) {
			printf("# skip %s: the device has no cl_khr_fp16\n", lanes_types[t].name);
			continue;
		}
		snprintf(options, sizeof options, "-cl-std=CL3.0 -DT=%s%s", lanes_types[t].name, lanes_types[t].size == 2 ? " -DNEEDS_HALF" : "");
		cl_program p = lanes_build(source, options);
		for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
			check_shape(p, &lanes_types[t], &shapes[s], &seed);
		CL_OK(clReleaseProgram(p));
	}
}

/* Work-items come to the function by ways of different lengths; the functions stand in a loop and behind branches that
 * the whole work-group takes. */
static void after_divergent_ways(void **state)
{
	(void)state;
	static const char text[] =
		"kernel void ways(global uint *out) {\n"
		"	uint l = get_local_id(0), sum = 0, x = l;\n"
		"	for (uint k = 0; k < 5; k++) {\n"
		"		for (uint i = 0; i < (l * 7 + k) % 13; i++) x = x * 1664525u + 1013904223u;\n"
		"		if (x & 8) x ^= x >> 5; else if (x & 16) x += l;\n"
		"		sum += k % 2 ? work_group_reduce_add(x) : work_group_scan_exclusive_max(x & 0xffff);\n"
		"		if (work_group_any(x % 97 == k)) sum ^= work_group_broadcast(x, k % get_local_size(0));\n"
		"	}\n"
		"	out[get_global_id(0)] = sum;\n"
		"}\n";
	cl_program p = lanes_build(text, "-cl-std=CL3.0");
	const size_t most = lanes_most_items(), global = most + most / 3, local = most;
	uint32_t *out = calloc(global, 4), x[512], sum[512];
	lanes_run(p, "ways", 1, &global, &local, (struct lanes_buffer[]){ { out, global * 4 } }, 1);
	for (size_t first = 0; first < global; first += local) {
		size_t n = global - first < local ? global - first : local;
		for (size_t l = 0; l < n; l++)
			x[l] = (uint32_t)l, sum[l] = 0;
		for (uint32_t k = 0; k < 5; k++) {
			uint32_t total = 0, most_so_far = 0;
			bool any = false;
			for (size_t l = 0; l < n; l++) {
				for (uint32_t i = 0; i < (l * 7 + k) % 13; i++)
					x[l] = x[l] * 1664525u + 1013904223u;
				if (x[l] & 8)
					x[l] ^= x[l] >> 5;
				else if (x[l] & 16)
					x[l] += (uint32_t)l;
				total += x[l];
				any |= x[l] % 97 == k;
			}
			for (size_t l = 0; l < n; l++) {
				sum[l] += k % 2 ? total : most_so_far;
				if ((x[l] & 0xffff) > most_so_far)
					most_so_far = x[l] & 0xffff;
				if (any)
					sum[l] ^= x[k % n];
			}
		}
		for (size_t l = 0; l < n; l++)
			assert_int_equal(out[first + l], sum[l]);
	}
	free(out);
	CL_OK(clReleaseProgram(p));
}

/* 4.2: with the feature, the query says so. */
static void what_the_device_says(void **state)
{
	(void)state;
	cl_bool has = CL_FALSE;
	cl_name_version features[64];
	size_t size = 0;
	bool listed = false;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, sizeof has, &has, NULL));
	assert_int_equal(has, CL_TRUE);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &size));
	for (size_t i = 0; i < size / sizeof *features; i++)
		listed |= !strcmp(features[i].name, "__opencl_c_work_group_collective_functions");
	assert_true(listed);
}

LANES_MAIN(((const struct CMUnitTest[]){
	cmocka_unit_test(what_the_device_says),
	cmocka_unit_test(every_type_and_shape),
	cmocka_unit_test(after_divergent_ways),
}))
