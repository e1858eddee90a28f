/* Kernels that compute each pixel from the same pixel of their inputs, against predictors in plain C. */
#include "testbench/openvx/compare.h"
#include <math.h>

#define OPEN INT64_MIN /* what the specification leaves open */

enum {
	U1 = VX_DF_IMAGE_U1, U8 = VX_DF_IMAGE_U8, U16 = VX_DF_IMAGE_U16, S16 = VX_DF_IMAGE_S16, U32 = VX_DF_IMAGE_U32,
	S32 = VX_DF_IMAGE_S32, RGB = VX_DF_IMAGE_RGB,
	WRAP = VX_CONVERT_POLICY_WRAP, SATURATE = VX_CONVERT_POLICY_SATURATE,
	TO_ZERO = VX_ROUND_POLICY_TO_ZERO, TO_EVEN = VX_ROUND_POLICY_TO_NEAREST_EVEN,
	BINARY = VX_THRESHOLD_TYPE_BINARY, RANGE = VX_THRESHOLD_TYPE_RANGE,
};

/* A kernel with formats and parameters. */
struct job {
	struct kernel *kernel;
	vx_df_image in[2], out;      /* in[1] is 0 of kernels with one input */
	vx_enum policy;              /* of conversion; of a threshold, its type */
	vx_size count;               /* entries of a table */
	vx_enum rounding;
	vx_float32 factor;           /* multiply's scale, weighted_average's alpha */
	vx_int32 shift;
	vx_reference object;         /* the parameter that is an object */
	int64_t lower, upper, true_value, false_value;
	int16_t *table;
	int64_t table_offset;
};

struct kernel {
	const char *name;
	int64_t (*predict)(const struct job *, int64_t a, int64_t b);
	/* images are the inputs and the output; kernels with more parameters have the other pair of functions */
	vx_node (*node)(vx_graph, vx_image, vx_image, vx_image);
	vx_status (*immediate)(vx_context, vx_image, vx_image, vx_image);
	vx_node (*node_of)(vx_graph, const struct job *, const vx_image *);
	vx_status (*immediate_of)(const struct job *, const vx_image *);
	void (*prepare)(struct job *, unsigned round); /* other parameters each round */
	int64_t tolerance, modulus;
};

/* ---- what pixels become ---- */
static int64_t least(vx_df_image format) { return format == S16 ? INT16_MIN : 0; }
static int64_t most(vx_df_image format) { return format == S16 ? INT16_MAX : format == U8 ? UINT8_MAX : 1; }

/* The policies of conversion. */
static int64_t stored(int64_t v, vx_df_image format, vx_enum policy)
{
	if (policy == SATURATE)
		return v < least(format) ? least(format) : v > most(format) ? most(format) : v;
	return format == S16 ? (int16_t)v : (uint8_t)v;
}

static int64_t predict_absdiff(const struct job *j, int64_t a, int64_t b)
{
	return stored(a < b ? b - a : a - b, j->out, SATURATE);
}
static int64_t predict_add(const struct job *j, int64_t a, int64_t b) { return stored(a + b, j->out, j->policy); }
static int64_t predict_subtract(const struct job *j, int64_t a, int64_t b) { return stored(a - b, j->out, j->policy); }

static int64_t predict_and(const struct job *j, int64_t a, int64_t b)
{
	(void)j;
	return a & b;
}

static int64_t predict_or(const struct job *j, int64_t a, int64_t b)
{
	(void)j;
	return a | b;
}

static int64_t predict_xor(const struct job *j, int64_t a, int64_t b)
{
	(void)j;
	return a ^ b;
}

static int64_t predict_not(const struct job *j, int64_t a, int64_t b)
{
	(void)b;
	return most(j->out) - a;
}

static int64_t predict_min(const struct job *j, int64_t a, int64_t b)
{
	(void)j;
	return a < b ? a : b;
}

static int64_t predict_max(const struct job *j, int64_t a, int64_t b)
{
	(void)j;
	return a > b ? a : b;
}

static int64_t predict_multiply(const struct job *j, int64_t a, int64_t b)
{
	const double product = (double)(a * b) * (double)j->factor;
	return stored((int64_t)(j->rounding == TO_EVEN ? nearbyint(product) : trunc(product)), j->out, j->policy);
}

/* In single precision, as the specification says it. */
static int64_t predict_weighted_average(const struct job *j, int64_t a, int64_t b)
{
	const float mean = (1.0f - j->factor) * (float)b + j->factor * (float)a;
	return (uint8_t)mean;
}

static int64_t predict_magnitude(const struct job *j, int64_t a, int64_t b)
{
	const uint16_t z = (uint16_t)(sqrt((double)(a * a + b * b)) + 0.5);
	(void)j;
	return z > INT16_MAX ? INT16_MAX : z;
}

/* Which of 256 directions is nearest. */
static int64_t predict_phase(const struct job *j, int64_t a, int64_t b)
{
	const double turns = atan2((double)b, (double)a) / (2 * acos(-1));
	(void)j;
	return (int64_t)floor((turns < 0 ? turns + 1 : turns) * 256 + 0.5) % 256;
}

static int64_t predict_convertdepth(const struct job *j, int64_t a, int64_t b)
{
	(void)b;
	if (j->out == U1)
		return a != 0;
	if (j->in[0] == U1)
		return !a ? 0 : j->out == U8 ? 255 : -1;
	return j->out == S16 ? a * (1 << j->shift) : stored(a >> j->shift, U8, j->policy);
}

static int64_t predict_threshold(const struct job *j, int64_t a, int64_t b)
{
	(void)b;
	const bool is_true = j->policy == BINARY ? a > j->lower : a >= j->lower && a <= j->upper;
	return is_true ? j->true_value : j->false_value;
}

static int64_t predict_table_lookup(const struct job *j, int64_t a, int64_t b)
{
	const int64_t at = a + j->table_offset;
	(void)b;
	return at < 0 || at >= (int64_t)j->count ? OPEN : j->table[at];
}

/* ---- parameters ---- */
static vx_reference scalar(vx_enum type, const void *value)
{
	const vx_scalar made = vxCreateScalar(context, type, value);
	CREATED(made);
	return (vx_reference)made;
}

/* The scales that there have to be, with the rounding of each. */
static void prepare_multiply(struct job *j, unsigned round)
{
	const unsigned n = round % 17;
	j->factor = n == 16 ? 0x1.010102p-8f : 1.0f / (float)(1 << n);
	j->rounding = n == 16 ? TO_EVEN : TO_ZERO;
	j->object = scalar(VX_TYPE_FLOAT32, &j->factor);
}

static void prepare_weighted_average(struct job *j, unsigned round)
{
	static const vx_float32 alphas[] = {0, 1, 0.5f, 0.25f, 1.0f / 8192, 1.0f / 255, 0.9999999f};
	j->factor = round < COUNT(alphas) ? alphas[round] : (vx_float32)random_below(1 << 24) / (1 << 24);
	j->object = scalar(VX_TYPE_FLOAT32, &j->factor);
}

static void prepare_convertdepth(struct job *j, unsigned round)
{
	j->shift = (vx_int32)round % 8;
	j->object = scalar(VX_TYPE_INT32, &j->shift);
}

static vx_pixel_value_t pixel_value(vx_df_image format, int64_t value)
{
	vx_pixel_value_t v = {.reserved = {0}};
	if (format == U1)
		v.U1 = value ? vx_true_e : vx_false_e;
	else if (format == S16)
		v.S16 = (vx_int16)value;
	else
		v.U8 = (vx_uint8)value;
	return v;
}

static int64_t random_of(vx_df_image format) { return stored(random_sample(layout_of(format)->sample_bits), format, WRAP); }

/* Its own outputs every other round, else those that a threshold has by default. */
static void prepare_threshold(struct job *j, unsigned round)
{
	const vx_threshold t = vxCreateThresholdForImage(context, j->policy, j->in[0], j->out);
	CREATED(t);
	const int64_t x = random_of(j->in[0]), y = random_of(j->in[0]);
	j->lower = x < y || j->policy == BINARY ? x : y;
	j->upper = x < y ? y : x;
	vx_pixel_value_t low = pixel_value(j->in[0], j->lower), high = pixel_value(j->in[0], j->upper);
	if (j->policy == BINARY)
		RAN(vxCopyThresholdValue(t, &low, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	else
		RAN(vxCopyThresholdRange(t, &low, &high, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	j->true_value = most(j->out);
	if (round % 2) {
		j->true_value = random_of(j->out) & most(j->out);
		j->false_value = random_of(j->out) & most(j->out);
		vx_pixel_value_t yes = pixel_value(j->out, j->true_value), no = pixel_value(j->out, j->false_value);
		RAN(vxCopyThresholdOutput(t, &yes, &no, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	}
	j->object = (vx_reference)t;
}

/* Values of images are those of the table and a few beyond, where it does not have all. */
static void prepare_table_lookup(struct job *j, unsigned round)
{
	(void)round;
	const bool bytes = j->in[0] == U8;
	const vx_lut lut = vxCreateLUT(context, bytes ? VX_TYPE_UINT8 : VX_TYPE_INT16, j->count);
	uint8_t narrow[256] = {0};
	CREATED(lut);
	j->table = malloc(j->count * sizeof *j->table);
	assert_non_null(j->table);
	for (vx_size i = 0; i < j->count; i++) {
		j->table[i] = (int16_t)random_of(j->in[0]);
		if (bytes)
			narrow[i] = (uint8_t)j->table[i];
	}
	vx_uint32 offset = 0;
	RAN(vxQueryLUT(lut, VX_LUT_OFFSET, &offset, sizeof offset));
	j->table_offset = bytes ? 0 : (int64_t)j->count / 2;
	assert_int_equal(offset, j->table_offset);
	RAN(vxCopyLUT(lut, bytes ? (void *)narrow : j->table, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	j->object = (vx_reference)lut;
}

static void finish(struct job *j)
{
	free(j->table);
	if (j->object)
		RAN(vxReleaseReference(&j->object));
}

/* ---- calls ---- */
static vx_node node_not(vx_graph g, const struct job *j, const vx_image *im)
{
	(void)j;
	return vxNotNode(g, im[0], im[2]);
}
static vx_status immediate_not(const struct job *j, const vx_image *im)
{
	(void)j;
	return vxuNot(context, im[0], im[2]);
}
static vx_node node_add(vx_graph g, const struct job *j, const vx_image *im)
{
	return vxAddNode(g, im[0], im[1], j->policy, im[2]);
}
static vx_status immediate_add(const struct job *j, const vx_image *im)
{
	return vxuAdd(context, im[0], im[1], j->policy, im[2]);
}
static vx_node node_subtract(vx_graph g, const struct job *j, const vx_image *im)
{
	return vxSubtractNode(g, im[0], im[1], j->policy, im[2]);
}
static vx_status immediate_subtract(const struct job *j, const vx_image *im)
{
	return vxuSubtract(context, im[0], im[1], j->policy, im[2]);
}
static vx_node node_multiply(vx_graph g, const struct job *j, const vx_image *im)
{
	return vxMultiplyNode(g, im[0], im[1], (vx_scalar)j->object, j->policy, j->rounding, im[2]);
}
static vx_status immediate_multiply(const struct job *j, const vx_image *im)
{
	return vxuMultiply(context, im[0], im[1], j->factor, j->policy, j->rounding, im[2]);
}
static vx_node node_weighted_average(vx_graph g, const struct job *j, const vx_image *im)
{
	return vxWeightedAverageNode(g, im[0], (vx_scalar)j->object, im[1], im[2]);
}
static vx_status immediate_weighted_average(const struct job *j, const vx_image *im)
{
	return vxuWeightedAverage(context, im[0], (vx_scalar)j->object, im[1], im[2]);
}
static vx_node node_convertdepth(vx_graph g, const struct job *j, const vx_image *im)
{
	return vxConvertDepthNode(g, im[0], im[2], j->policy, (vx_scalar)j->object);
}
static vx_status immediate_convertdepth(const struct job *j, const vx_image *im)
{
	return vxuConvertDepth(context, im[0], im[2], j->policy, j->shift);
}
static vx_node node_threshold(vx_graph g, const struct job *j, const vx_image *im)
{
	return vxThresholdNode(g, im[0], (vx_threshold)j->object, im[2]);
}
static vx_status immediate_threshold(const struct job *j, const vx_image *im)
{
	return vxuThreshold(context, im[0], (vx_threshold)j->object, im[2]);
}
static vx_node node_table_lookup(vx_graph g, const struct job *j, const vx_image *im)
{
	return vxTableLookupNode(g, im[0], (vx_lut)j->object, im[2]);
}
static vx_status immediate_table_lookup(const struct job *j, const vx_image *im)
{
	return vxuTableLookup(context, im[0], (vx_lut)j->object, im[2]);
}

static vx_node node_of(vx_graph graph, const struct job *j, const vx_image *im)
{
	const struct kernel *k = j->kernel;
	return k->node ? k->node(graph, im[0], im[1], im[2]) : k->node_of(graph, j, im);
}

static vx_status immediately(const struct job *j, const vx_image *im)
{
	const struct kernel *k = j->kernel;
	return k->immediate ? k->immediate(context, im[0], im[1], im[2]) : k->immediate_of(j, im);
}

/* ---- kernels, and the formats they have ---- */
#define IMAGES(k, function) .name = #k, .predict = predict_##k, .node = vx##function##Node, .immediate = vxu##function
#define OTHERS(k) .name = #k, .predict = predict_##k, .node_of = node_##k, .immediate_of = immediate_##k
static struct kernel
	absdiff = {IMAGES(absdiff, AbsDiff)},
	and = {IMAGES(and, And)},
	or = {IMAGES(or, Or)},
	xor = {IMAGES(xor, Xor)},
	min = {IMAGES(min, Min)},
	max = {IMAGES(max, Max)},
	/* Roots and angles: the conformance suite lets them differ by one. */
	magnitude = {IMAGES(magnitude, Magnitude), .tolerance = 1},
	phase = {IMAGES(phase, Phase), .tolerance = 1, .modulus = 256},
	not = {OTHERS(not)},
	add = {OTHERS(add)},
	subtract = {OTHERS(subtract)},
	multiply = {OTHERS(multiply), .prepare = prepare_multiply},
	weighted_average = {OTHERS(weighted_average), .prepare = prepare_weighted_average},
	convertdepth = {OTHERS(convertdepth), .prepare = prepare_convertdepth},
	threshold = {OTHERS(threshold), .prepare = prepare_threshold},
	table_lookup = {OTHERS(table_lookup), .prepare = prepare_table_lookup};

#define ONE(k, a, result, how) {.kernel = &k, .in = {a}, .out = result, .policy = how}
#define TWO(k, a, b, result, how) {.kernel = &k, .in = {a, b}, .out = result, .policy = how}
#define TABLE(a, result, entries) {.kernel = &table_lookup, .in = {a}, .out = result, .count = entries}
#define SUMS(k, how) \
	TWO(k, U8, U8, U8, how), TWO(k, U8, U8, S16, how), TWO(k, U8, S16, S16, how), TWO(k, S16, U8, S16, how), \
	TWO(k, S16, S16, S16, how)
#define DEPTH(a, result) ONE(convertdepth, a, result, WRAP), ONE(convertdepth, a, result, SATURATE)
#define THRESHOLD(a, result) ONE(threshold, a, result, BINARY), ONE(threshold, a, result, RANGE)
static const struct job jobs[] = {
	SUMS(absdiff, 0),
	TWO(and, U8, U8, U8, 0), TWO(and, U1, U1, U1, 0),
	TWO(or, U8, U8, U8, 0), TWO(or, U1, U1, U1, 0),
	TWO(xor, U8, U8, U8, 0), TWO(xor, U1, U1, U1, 0),
	ONE(not, U8, U8, 0), ONE(not, U1, U1, 0),
	SUMS(add, WRAP), SUMS(add, SATURATE),
	SUMS(subtract, WRAP), SUMS(subtract, SATURATE),
	SUMS(multiply, WRAP), SUMS(multiply, SATURATE),
	TWO(weighted_average, U8, U8, U8, 0),
	TWO(min, U8, U8, U8, 0), TWO(min, S16, S16, S16, 0),
	TWO(max, U8, U8, U8, 0), TWO(max, S16, S16, S16, 0),
	TWO(magnitude, S16, S16, S16, 0),
	TWO(phase, S16, S16, U8, 0),
	DEPTH(U8, S16), DEPTH(S16, U8), DEPTH(U1, U8), DEPTH(U1, S16), DEPTH(U8, U1), DEPTH(S16, U1),
	THRESHOLD(U8, U8), THRESHOLD(S16, U8), THRESHOLD(U8, U1), THRESHOLD(S16, U1),
	TABLE(U8, U8, 256), TABLE(U8, U8, 100), TABLE(S16, S16, 65536), TABLE(S16, S16, 1001),
};

/* ---- results ---- */
/* The bytes of pixels that are left open are set. */
static uint8_t *predict(const struct job *j, const struct pixels *in, const struct pixels *expected)
{
	uint8_t *skip = calloc(expected->width, expected->height);
	assert_non_null(skip);
	for (vx_uint32 y = 0; y < expected->height; y++) {
		for (vx_uint32 x = 0; x < expected->width; x++) {
			const int64_t v = j->kernel->predict(j, pixel_get(&in[0], x, y), j->in[1] ? pixel_get(&in[1], x, y) : 0);
			skip[y * expected->width + x] = v == OPEN;
			pixel_set(expected, x, y, v);
		}
	}
	return skip;
}

static void name_job(const struct job *j, const char *how)
{
	now_testing("%s %s of %.4s %.4s, policy 0x%x, rounding 0x%x, factor %a, shift %d, from %lld to %lld", how, j->kernel->name,
		    (const char *)&j->in[0], (const char *)&j->in[1], (unsigned)j->policy, (unsigned)j->rounding, (double)j->factor,
		    j->shift, (long long)j->lower, (long long)j->upper);
}

static void run(const struct job *j, const vx_image *im, bool at_once)
{
	if (at_once) {
		/* none of the kernels reads beyond an edge: borders do not matter */
		set_immediate_border(&(vx_border_t){.mode = borders[random_below(COUNT(borders))].mode});
		RAN(immediately(j, im));
		return;
	}
	vx_graph graph = vxCreateGraph(context);
	CREATED(graph);
	run_node(&graph, node_of(graph, j, im));
}

static void compare_job(struct job j, vx_uint32 width, vx_uint32 height, unsigned round, bool at_once)
{
	const unsigned inputs = j.in[1] ? 2 : 1;
	struct pixels in[2] = {{0}}, expected = zero_pixels(width, height, j.out);
	struct placed placed[3] = {{0}};
	vx_image images[3] = {NULL};
	name_job(&j, at_once ? "at once" : "node");
	if (j.kernel->prepare)
		j.kernel->prepare(&j, round);
	for (unsigned i = 0; i < inputs; i++) {
		in[i] = random_pixels(width, height, j.in[i]);
		placed[i] = place_pixels(&in[i], random_place());
		images[i] = placed[i].image;
	}
	placed[2] = place_result(width, height, j.out, random_place());
	images[2] = placed[2].image;
	name_job(&j, at_once ? "at once" : "node");
	add_testing(", images %s %s to %s", place_names[placed[0].place], j.in[1] ? place_names[placed[1].place] : "",
		    place_names[placed[2].place]);
	uint8_t *skip = predict(&j, in, &expected);
	run(&j, images, at_once);
	check_result(&(struct comparison){.skip = skip, .tolerance = j.kernel->tolerance, .modulus = j.kernel->modulus}, &expected,
		     &placed[2]);
	for (unsigned i = 0; i < inputs; i++)
		check_unchanged(&in[i], &placed[i]);
	free(skip);
	finish(&j);
}

/* Of the kernel that is the state. */
static void computes(void **state)
{
	unsigned round = 0;
	for (size_t i = 0; i < COUNT(jobs); i++)
		for (size_t s = 0; jobs[i].kernel == *state && s < COUNT(sizes); s++, round++)
			for (int at_once = 0; at_once < 2; at_once++)
				compare_job(jobs[i], sizes[s].width, sizes[s].height, round, at_once);
}

/* One image twice, and images that have the same value everywhere. */
static void special_inputs(void **state)
{
	(void)state;
	enum { WIDTH = 21, HEIGHT = 6 };
	struct pixels a = random_pixels(WIDTH, HEIGHT, U8), none = zero_pixels(WIDTH, HEIGHT, U8);
	struct pixels less = zero_pixels(WIDTH, HEIGHT, U8);
	const vx_pixel_value_t seven = {.U8 = 7};
	vx_image uniform = vxCreateUniformImage(context, WIDTH, HEIGHT, U8, &seven);
	CREATED(uniform);
	for (enum place place = 0; place < PLACES; place++) {
		struct placed x = place_pixels(&a, place), result = place_result(WIDTH, HEIGHT, U8, place);
		now_testing("xor of an image and itself");
		RAN(vxuXor(context, x.image, x.image, result.image));
		struct pixels got = take_pixels(&result);
		compare_pixels(&(struct comparison){0}, &none, &got);
		free_pixels(&got);
		now_testing("subtract with a uniform image");
		result = place_result(WIDTH, HEIGHT, U8, place);
		for (vx_uint32 i = 0; i < WIDTH * HEIGHT; i++)
			less.bytes[i] = (uint8_t)stored(a.bytes[i] - 7, U8, SATURATE);
		RAN(vxuSubtract(context, x.image, uniform, SATURATE, result.image));
		got = take_pixels(&result);
		compare_pixels(&(struct comparison){0}, &less, &got);
		free_pixels(&got);
		got = take_pixels(&x);
		free_pixels(&got);
	}
	RAN(vxReleaseImage(&uniform));
	free_pixels(&a);
	free_pixels(&none);
	free_pixels(&less);
}

/* ---- virtual images ---- */
/* What a virtual image of no size and format becomes. Sums are S16 as long as nobody asks for U8; that absdiff is U8 of U8 is
 * what the conformance suite wants. */
static const struct job inferred[] = {
	TWO(absdiff, U8, U8, U8, 0), TWO(absdiff, S16, S16, S16, 0),
	TWO(and, U8, U8, U8, 0), TWO(or, U1, U1, U1, 0), TWO(xor, U8, U8, U8, 0), ONE(not, U1, U1, 0), ONE(not, U8, U8, 0),
	TWO(add, U8, U8, S16, WRAP), TWO(add, U8, S16, S16, WRAP),
	TWO(subtract, U8, U8, S16, SATURATE), TWO(subtract, S16, S16, S16, WRAP),
	TWO(multiply, U8, U8, S16, SATURATE), TWO(multiply, S16, U8, S16, WRAP),
	TWO(weighted_average, U8, U8, U8, 0), TWO(min, S16, S16, S16, 0), TWO(max, U8, U8, U8, 0),
	TWO(magnitude, S16, S16, S16, 0), TWO(phase, S16, S16, U8, 0), TABLE(U8, U8, 256), ONE(threshold, S16, U8, BINARY),
};

static void infer(struct job j)
{
	enum { WIDTH = 37, HEIGHT = 5 };
	struct pixels in[2] = {{0}}, expected = zero_pixels(WIDTH, HEIGHT, j.out);
	struct placed placed[3] = {{0}};
	vx_graph graph = vxCreateGraph(context);
	vx_image between = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT), images[3] = {NULL, NULL, between};
	vx_df_image format = 0;
	vx_uint32 width = 0;
	name_job(&j, "to a virtual image,");
	CREATED(between);
	if (j.kernel->prepare)
		j.kernel->prepare(&j, 1);
	for (unsigned i = 0; i < 2 && j.in[i]; i++) {
		in[i] = random_pixels(WIDTH, HEIGHT, j.in[i]);
		placed[i] = place_pixels(&in[i], PLACE_OWN);
		images[i] = placed[i].image;
	}
	placed[2] = place_result(WIDTH, HEIGHT, j.out, PLACE_REGION);
	vx_node first = node_of(graph, &j, images);
	vx_node second = vxCopyNode(graph, (vx_reference)between, (vx_reference)placed[2].image);
	CREATED(first);
	CREATED(second);
	RAN(vxVerifyGraph(graph));
	RAN(vxQueryImage(between, VX_IMAGE_FORMAT, &format, sizeof format));
	RAN(vxQueryImage(between, VX_IMAGE_WIDTH, &width, sizeof width));
	assert_int_equal(format, j.out);
	assert_int_equal(width, WIDTH);
	RAN(vxProcessGraph(graph));
	RAN(vxReleaseNode(&first));
	RAN(vxReleaseNode(&second));
	RAN(vxReleaseImage(&between));
	RAN(vxReleaseGraph(&graph));
	uint8_t *skip = predict(&j, in, &expected);
	check_result(&(struct comparison){.skip = skip, .tolerance = j.kernel->tolerance, .modulus = j.kernel->modulus}, &expected,
		     &placed[2]);
	for (unsigned i = 0; i < 2 && j.in[i]; i++)
		check_unchanged(&in[i], &placed[i]);
	free(skip);
	finish(&j);
}

static void virtual_results(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(inferred); i++)
		infer(inferred[i]);
}

/* ---- refusals ---- */
static const struct shape { vx_uint32 width, height; } alike[] = {{16, 8}, {16, 8}, {16, 8}};

/* Neither a graph with the node verifies nor does the function run; images have these sizes. Ends the job's object. */
static void refuse_job(vx_status status, struct job *j, const struct shape *shapes)
{
	const vx_df_image formats[] = {j->in[0], j->in[1], j->out};
	vx_image images[3] = {NULL};
	for (unsigned i = 0; i < 3; i++) {
		if (!formats[i])
			continue;
		images[i] = vxCreateImage(context, shapes[i].width, shapes[i].height, formats[i]);
		CREATED(images[i]);
	}
	vx_graph graph = vxCreateGraph(context);
	refuse_node(status, &graph, node_of(graph, j, images));
	REFUSED(status, immediately(j, images));
	for (unsigned i = 0; i < 3; i++)
		if (images[i])
			RAN(vxReleaseImage(&images[i]));
	finish(j);
}

static const struct job wrong_formats[] = {
	TWO(absdiff, S16, S16, U8, 0), TWO(absdiff, U8, S16, U8, 0), TWO(absdiff, U32, U32, U32, 0), TWO(absdiff, U8, RGB, S16, 0),
	TWO(absdiff, U1, U1, U8, 0),
	TWO(and, S16, S16, S16, 0), TWO(and, U8, U1, U8, 0), TWO(and, U8, U8, U1, 0),
	TWO(or, U1, U8, U8, 0), TWO(or, U1, U1, U8, 0),
	TWO(xor, U8, U8, S16, 0), TWO(xor, U16, U16, U16, 0),
	ONE(not, S16, S16, 0), ONE(not, U8, U1, 0), ONE(not, U1, U8, 0), ONE(not, RGB, RGB, 0),
	TWO(add, S16, S16, U8, WRAP), TWO(add, S16, U8, U8, WRAP), TWO(add, U8, S16, U8, SATURATE), TWO(add, U8, U8, U1, WRAP),
	TWO(add, U32, U32, U32, WRAP), TWO(add, U8, RGB, S16, WRAP),
	TWO(subtract, S16, S16, U8, WRAP), TWO(subtract, S16, U8, U8, WRAP), TWO(subtract, U8, S16, U8, SATURATE),
	TWO(subtract, S32, S32, S32, WRAP), TWO(subtract, U8, U8, U16, WRAP),
	TWO(multiply, S16, S16, U8, WRAP), TWO(multiply, S16, U8, U8, WRAP), TWO(multiply, U8, S16, U8, SATURATE),
	TWO(multiply, U8, U8, U32, WRAP), TWO(multiply, U1, U8, S16, WRAP),
	TWO(weighted_average, S16, S16, S16, 0), TWO(weighted_average, U8, U8, S16, 0), TWO(weighted_average, U8, S16, U8, 0),
	TWO(min, U8, S16, S16, 0), TWO(min, U8, U8, S16, 0), TWO(min, U32, U32, U32, 0), TWO(min, U1, U1, U1, 0),
	TWO(max, S16, U8, S16, 0), TWO(max, S16, S16, U8, 0), TWO(max, S32, S32, S32, 0),
	TWO(magnitude, U8, U8, S16, 0), TWO(magnitude, S16, U8, S16, 0), TWO(magnitude, S16, S16, U8, 0),
	TWO(magnitude, S16, S16, S32, 0),
	TWO(phase, U8, U8, U8, 0), TWO(phase, S16, S16, S16, 0),
	ONE(convertdepth, U8, U8, WRAP), ONE(convertdepth, S16, S16, WRAP), ONE(convertdepth, U1, U1, WRAP),
	ONE(convertdepth, U8, U16, WRAP), ONE(convertdepth, U32, S32, SATURATE), ONE(convertdepth, U16, S16, SATURATE),
	TABLE(U8, S16, 256), TABLE(S16, U8, 1000),
};

static void formats(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(wrong_formats); i++) {
		struct job j = wrong_formats[i];
		name_job(&j, "wrong formats:");
		if (j.kernel->prepare)
			j.kernel->prepare(&j, 0);
		refuse_job(VX_ERROR_INVALID_FORMAT, &j, alike);
	}
}

static void dimensions(void **state)
{
	(void)state;
	static const struct shape shapes[][3] = {
		{{16, 8}, {16, 8}, {16, 9}}, {{16, 8}, {16, 8}, {8, 8}}, {{17, 8}, {16, 8}, {16, 8}}, {{16, 8}, {16, 7}, {16, 8}},
	};
	for (size_t i = 0; i < COUNT(jobs); i++) {
		for (size_t s = 0; s < COUNT(shapes) - (jobs[i].in[1] ? 0 : 1); s++) {
			struct job j = jobs[i];
			name_job(&j, "wrong sizes:");
			if (j.kernel->prepare)
				j.kernel->prepare(&j, 0);
			refuse_job(VX_ERROR_INVALID_DIMENSION, &j, shapes[s]);
		}
	}
}

/* What no policy is. */
static void policies(void **state)
{
	(void)state;
	static const struct job wrong[] = {
		TWO(add, U8, U8, U8, TO_ZERO), TWO(subtract, S16, S16, S16, SATURATE + 1), ONE(convertdepth, S16, U8, TO_EVEN),
		TWO(multiply, U8, U8, U8, TO_ZERO),
	};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct job j = wrong[i];
		name_job(&j, "wrong policy:");
		if (j.kernel->prepare)
			j.kernel->prepare(&j, 0);
		refuse_job(VX_ERROR_INVALID_VALUE, &j, alike);
	}
	struct job rounded = TWO(multiply, U8, U8, U8, WRAP);
	prepare_multiply(&rounded, 0);
	rounded.rounding = WRAP;
	name_job(&rounded, "wrong rounding:");
	refuse_job(VX_ERROR_INVALID_VALUE, &rounded, alike);
}

static void refuse_graph(vx_status status, struct job j, vx_reference object)
{
	vx_image images[3] = {NULL};
	const vx_df_image shapes[] = {j.in[0], j.in[1], j.out};
	name_job(&j, "wrong object:");
	j.object = object;
	for (unsigned i = 0; i < 3; i++)
		images[i] = shapes[i] ? vxCreateImage(context, 16, 8, shapes[i]) : NULL;
	vx_graph graph = vxCreateGraph(context);
	refuse_node(status, &graph, node_of(graph, &j, images));
	for (unsigned i = 0; i < 3; i++)
		if (images[i])
			RAN(vxReleaseImage(&images[i]));
	finish(&j);
}

/* Scalars, tables and thresholds that do not fit. */
static void objects(void **state)
{
	(void)state;
	const struct job product = {.kernel = &multiply, .in = {U8, U8}, .out = U8, .policy = WRAP, .rounding = TO_ZERO};
	const struct job mean = TWO(weighted_average, U8, U8, U8, 0), depth = ONE(convertdepth, S16, U8, WRAP);
	const struct job wide = TABLE(S16, S16, 0), narrow = TABLE(U8, U8, 0);
	refuse_graph(VX_ERROR_INVALID_VALUE, product, scalar(VX_TYPE_FLOAT32, &(vx_float32){-1}));
	refuse_graph(VX_ERROR_INVALID_TYPE, product, scalar(VX_TYPE_INT32, &(vx_int32){1}));
	refuse_graph(VX_ERROR_INVALID_VALUE, mean, scalar(VX_TYPE_FLOAT32, &(vx_float32){-0.25f}));
	refuse_graph(VX_ERROR_INVALID_VALUE, mean, scalar(VX_TYPE_FLOAT32, &(vx_float32){1.25f}));
	refuse_graph(VX_ERROR_INVALID_TYPE, mean, scalar(VX_TYPE_FLOAT64, &(vx_float64){0.5}));
	refuse_graph(VX_ERROR_INVALID_TYPE, depth, scalar(VX_TYPE_FLOAT32, &(vx_float32){1}));
	refuse_graph(VX_ERROR_INVALID_TYPE, narrow, (vx_reference)vxCreateLUT(context, VX_TYPE_INT16, 256));
	refuse_graph(VX_ERROR_INVALID_TYPE, wide, (vx_reference)vxCreateLUT(context, VX_TYPE_UINT8, 256));
	static const struct { struct job job; vx_df_image from, to; } thresholds[] = {
		{ONE(threshold, U8, U8, BINARY), S16, U8}, {ONE(threshold, S16, U8, BINARY), U8, U8},
		{ONE(threshold, U8, U1, BINARY), U8, U8}, {ONE(threshold, S16, U8, BINARY), S16, U1},
		{ONE(threshold, U16, U8, BINARY), U16, U8}, {ONE(threshold, U8, S16, BINARY), U8, S16},
	};
	for (size_t i = 0; i < COUNT(thresholds); i++) {
		vx_threshold t = vxCreateThresholdForImage(context, BINARY, thresholds[i].from, thresholds[i].to);
		CREATED(t);
		refuse_graph(VX_ERROR_INVALID_FORMAT, thresholds[i].job, (vx_reference)t);
	}
}

#define KERNEL(kernel) {.name = #kernel, .test_func = computes, .initial_state = &kernel}
int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		KERNEL(absdiff), KERNEL(and), KERNEL(or), KERNEL(xor), KERNEL(not), KERNEL(add), KERNEL(subtract), KERNEL(multiply),
		KERNEL(weighted_average), KERNEL(min), KERNEL(max), KERNEL(magnitude), KERNEL(phase), KERNEL(convertdepth),
		KERNEL(threshold), KERNEL(table_lookup), cmocka_unit_test(special_inputs), cmocka_unit_test(virtual_results),
		cmocka_unit_test(formats), cmocka_unit_test(dimensions), cmocka_unit_test(policies), cmocka_unit_test(objects),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
