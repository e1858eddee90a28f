/* Graphs by chance: whichever nodes become one kernel, and however many queues there are, the bytes of all results are those of nodes
 * that run one by one. Which nodes have become one is what plan.c tests. */
#include "testbench/build_tree.h"
#include "testbench/openvx/modes.h"

enum { U1 = VX_DF_IMAGE_U1, U8 = VX_DF_IMAGE_U8, S16 = VX_DF_IMAGE_S16 };

enum { INPUTS = 4, NODES = 14, VALUES = INPUTS + NODES };

enum operation {
	NOT, AND, OR, XOR, MIN, MAX, ABSDIFF, ADD, SUBTRACT, MULTIPLY, AVERAGE, MAGNITUDE, PHASE, CONVERT, THRESHOLD, LOOKUP, COPY, SELECT,
	GAUSSIAN, /* not pixel by pixel: parts what is before it from what is behind */
	OPERATIONS
};

/* An image: an input, or what a node computes of others before it. */
struct value {
	vx_df_image format;
	enum operation operation; /* of no input */
	unsigned of[2];
	vx_reference object;      /* scalar, threshold or table */
	vx_enum policy;
	bool seen;                /* not virtual */
	enum place place;
};

struct recipe {
	vx_uint32 width, height;
	unsigned num_inputs, count;
	struct value values[VALUES];
};

static bool is_one_of(vx_df_image format, vx_df_image a, vx_df_image b) { return format == a || format == b; }

/* What the operation gives of these formats; 0: it does not take them. By chance where there is a choice. */
static vx_df_image gives(enum operation o, vx_df_image a, vx_df_image b)
{
	const bool either = random_below(2);
	switch (o) {
	case NOT: return is_one_of(a, U8, U1) ? a : 0;
	case AND: case OR: case XOR: return a == b && is_one_of(a, U8, U1) ? a : 0;
	case MIN: case MAX: return a == b && is_one_of(a, U8, S16) ? a : 0;
	case ABSDIFF: case ADD: case SUBTRACT: case MULTIPLY: return a == U1 || b == U1 ? 0 : a == U8 && b == U8 && either ? U8 : S16;
	case AVERAGE: return a == U8 && b == U8 ? U8 : 0;
	case MAGNITUDE: return a == S16 && b == S16 ? S16 : 0;
	case PHASE: return a == S16 && b == S16 ? U8 : 0;
	case CONVERT: return a == U8 ? (either ? S16 : U1) : a == S16 ? (either ? U8 : U1) : either ? U8 : S16;
	case THRESHOLD: return a == U1 ? 0 : either ? U8 : U1;
	case LOOKUP: return is_one_of(a, U8, S16) ? a : 0;
	case COPY: return a;
	case SELECT: return a == b ? a : 0;
	case GAUSSIAN: return a == U8 ? U8 : 0;
	default: return 0;
	}
}

static bool has_pair(enum operation o) { return o != NOT && o != CONVERT && o != THRESHOLD && o != LOOKUP && o != COPY && o != GAUSSIAN; }

static vx_reference new_scalar(vx_enum type, const void *value)
{
	const vx_scalar s = vxCreateScalar(context, type, value);
	CREATED(s);
	return (vx_reference)s;
}

static vx_pixel_value_t random_value(vx_df_image format)
{
	vx_pixel_value_t v = {.reserved = {0}};
	if (format == S16)
		v.S16 = (vx_int16)random_sample(16);
	else if (format == U8)
		v.U8 = (vx_uint8)random_sample(8);
	else
		v.U1 = random_below(2) ? vx_true_e : vx_false_e;
	return v;
}

static vx_reference new_threshold(vx_df_image in, vx_df_image out)
{
	const bool range = random_below(2);
	const vx_threshold t = vxCreateThresholdForImage(context, range ? VX_THRESHOLD_TYPE_RANGE : VX_THRESHOLD_TYPE_BINARY, in, out);
	vx_pixel_value_t a = random_value(in), b = random_value(in), yes = random_value(out), no = random_value(out);
	CREATED(t);
	if (range)
		RAN(vxCopyThresholdRange(t, &a, &b, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	else
		RAN(vxCopyThresholdValue(t, &a, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	if (out == U8)
		RAN(vxCopyThresholdOutput(t, &yes, &no, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return (vx_reference)t;
}

/* Of all values, so that nothing is left open. */
static vx_reference new_table(vx_df_image format)
{
	const vx_size count = format == U8 ? 256 : 65536;
	const vx_lut lut = vxCreateLUT(context, format == U8 ? VX_TYPE_UINT8 : VX_TYPE_INT16, count);
	const size_t bytes = count * (format == U8 ? 1 : 2);
	uint8_t *table = malloc(bytes);
	CREATED(lut);
	assert_non_null(table);
	for (size_t i = 0; i < bytes; i++)
		table[i] = (uint8_t)splitmix64(&seed);
	RAN(vxCopyLUT(lut, table, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	free(table);
	return (vx_reference)lut;
}

static vx_reference new_object(const struct value *v, vx_df_image in)
{
	static const vx_float32 scales[] = {1, 0.5f, 1.0f / 256, 1.0f / 255, 0.3f, 2.5f};
	const vx_float32 scale = scales[random_below(COUNT(scales))], alpha = (vx_float32)random_below(257) / 256;
	const vx_int32 shift = (vx_int32)random_below(8);
	const vx_bool condition = random_below(2) ? vx_true_e : vx_false_e;
	switch (v->operation) {
	case MULTIPLY: return new_scalar(VX_TYPE_FLOAT32, &scale);
	case AVERAGE: return new_scalar(VX_TYPE_FLOAT32, &alpha);
	case CONVERT: return new_scalar(VX_TYPE_INT32, &shift);
	case SELECT: return new_scalar(VX_TYPE_BOOL, &condition);
	case THRESHOLD: return new_threshold(in, v->format);
	case LOOKUP: return new_table(in);
	default: return NULL;
	}
}

/* Mostly of what came last, so that there are chains; of anything else often enough. */
static unsigned random_source(const struct recipe *r) { return random_below(3) ? r->count - 1 - random_below(r->count < 3 ? r->count : 3) : random_below(r->count); }

static void add_node(struct recipe *r)
{
	struct value v = {.policy = random_below(2) ? VX_CONVERT_POLICY_WRAP : VX_CONVERT_POLICY_SATURATE, .place = random_place()};
	while (!v.format) {
		v.operation = random_below(OPERATIONS);
		v.of[0] = random_source(r);
		v.of[1] = random_source(r);
		v.format = gives(v.operation, r->values[v.of[0]].format, r->values[v.of[1]].format);
		/* a neighbourhood is rare */
		if (v.operation == GAUSSIAN && random_below(3))
			v.format = 0;
	}
	v.object = new_object(&v, r->values[v.of[0]].format);
	r->values[r->count++] = v;
}

static struct recipe recipe_make(void)
{
	static const vx_df_image formats[] = {U8, S16, U1, U8};
	struct recipe r = {.width = 3 + random_below(70), .height = 3 + random_below(12), .num_inputs = 2 + random_below(INPUTS - 1)};
	bool read[VALUES] = {false};
	while (r.count < r.num_inputs) {
		r.values[r.count] = (struct value){.format = formats[r.count], .seen = true, .place = random_place()};
		r.count++;
	}
	for (unsigned nodes = 3 + random_below(NODES - 2); nodes; nodes--)
		add_node(&r);
	for (unsigned i = r.num_inputs; i < r.count; i++)
		for (unsigned k = 0; k < (has_pair(r.values[i].operation) ? 2 : 1); k++)
			read[r.values[i].of[k]] = true;
	for (unsigned i = r.num_inputs; i < r.count; i++)
		r.values[i].seen = !read[i] || !random_below(5);
	return r;
}

static void recipe_end(struct recipe *r)
{
	for (unsigned i = 0; i < r->count; i++)
		if (r->values[i].object)
			RAN(vxReleaseReference(&r->values[i].object));
}

static vx_node make_node(vx_graph g, const struct value *v, vx_image a, vx_image b, vx_image out)
{
	const vx_scalar s = (vx_scalar)v->object;
	switch (v->operation) {
	case NOT: return vxNotNode(g, a, out);
	case AND: return vxAndNode(g, a, b, out);
	case OR: return vxOrNode(g, a, b, out);
	case XOR: return vxXorNode(g, a, b, out);
	case MIN: return vxMinNode(g, a, b, out);
	case MAX: return vxMaxNode(g, a, b, out);
	case ABSDIFF: return vxAbsDiffNode(g, a, b, out);
	case ADD: return vxAddNode(g, a, b, v->policy, out);
	case SUBTRACT: return vxSubtractNode(g, a, b, v->policy, out);
	case MULTIPLY: return vxMultiplyNode(g, a, b, s, v->policy, VX_ROUND_POLICY_TO_NEAREST_EVEN, out);
	case AVERAGE: return vxWeightedAverageNode(g, a, s, b, out);
	case MAGNITUDE: return vxMagnitudeNode(g, a, b, out);
	case PHASE: return vxPhaseNode(g, a, b, out);
	case CONVERT: return vxConvertDepthNode(g, a, out, v->policy, s);
	case THRESHOLD: return vxThresholdNode(g, a, (vx_threshold)v->object, out);
	case LOOKUP: return vxTableLookupNode(g, a, (vx_lut)v->object, out);
	case COPY: return vxCopyNode(g, (vx_reference)a, (vx_reference)out);
	case SELECT: return vxSelectNode(g, s, (vx_reference)a, (vx_reference)b, (vx_reference)out);
	default: return vxGaussian3x3Node(g, a, out);
	}
}

/* What is left of a graph after two runs: of the second one, with other inputs. */
struct results {
	struct pixels of[VALUES]; /* of what is seen */
};

/* images[]: those that are seen are there. Nodes in the other order than that in which they run. */
static vx_graph build(const struct recipe *r, vx_image *images)
{
	vx_graph graph = vxCreateGraph(context);
	CREATED(graph);
	for (unsigned i = 0; i < r->count; i++) {
		if (!r->values[i].seen)
			images[i] = vxCreateVirtualImage(graph, i % 2 ? r->width : 0, i % 2 ? r->height : 0, r->values[i].format);
		CREATED(images[i]);
	}
	for (unsigned i = r->count; i-- > r->num_inputs;) {
		const struct value *v = &r->values[i];
		vx_node node = make_node(graph, v, images[v->of[0]], images[v->of[1]], images[i]);
		set_border(node);
		RAN(vxReleaseNode(&node));
	}
	for (unsigned i = 0; i < r->count; i++)
		if (!r->values[i].seen)
			RAN(vxReleaseImage(&images[i]));
	return graph;
}

static struct results run_recipe(const struct recipe *r, const struct pixels first[INPUTS], const struct pixels second[INPUTS])
{
	struct placed placed[VALUES] = {{0}};
	vx_image images[VALUES] = {NULL};
	struct results results = {0};
	for (unsigned i = 0; i < r->count; i++) {
		if (!r->values[i].seen)
			continue;
		placed[i] = i < r->num_inputs ? place_pixels(&first[i], r->values[i].place) : place_result(r->width, r->height, r->values[i].format, r->values[i].place);
		images[i] = placed[i].image;
	}
	vx_graph graph = build(r, images);
	RAN(vxVerifyGraph(graph));
	RAN(vxProcessGraph(graph));
	for (unsigned i = 0; i < r->num_inputs; i++)
		if (placed[i].place == PLACE_OWN)
			upload(placed[i].image, &second[i]);
	RAN(vxProcessGraph(graph));
	RAN(vxReleaseGraph(&graph));
	for (unsigned i = 0; i < r->count; i++)
		if (r->values[i].seen)
			results.of[i] = take_pixels(&placed[i]);
	return results;
}

static void random_graphs(void **state)
{
	enum { ROUNDS = 24 };
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct recipe r = recipe_make();
		struct pixels first[INPUTS] = {{0}}, second[INPUTS] = {{0}};
		struct results expected = {0};
		for (unsigned i = 0; i < r.num_inputs; i++) {
			first[i] = random_pixels(r.width, r.height, r.values[i].format);
			second[i] = random_pixels(r.width, r.height, r.values[i].format);
		}
		for (size_t m = 0; m < COUNT(modes); m++) {
			/* images around regions and gaps are filled by chance: not in the other modes' place */
			const uint64_t before = seed;
			choose(modes[m].fusion, modes[m].queues);
			now_testing("graph %u of %u nodes, fusion %s, %s queues", round, r.count - r.num_inputs, modes[m].fusion, modes[m].queues);
			struct results got = run_recipe(&r, first, second);
			for (unsigned i = r.num_inputs; i < r.count; i++) {
				if (!r.values[i].seen)
					continue;
				add_testing(", value %u", i);
				if (m)
					compare_pixels(&(struct comparison){0}, &expected.of[i], &got.of[i]);
			}
			for (unsigned i = 0; i < r.count; i++) {
				if (m)
					free_pixels(&got.of[i]);
				else
					expected.of[i] = got.of[i];
			}
			if (m + 1 < COUNT(modes))
				seed = before;
		}
		for (unsigned i = 0; i < r.count; i++)
			free_pixels(&expected.of[i]);
		for (unsigned i = 0; i < r.num_inputs; i++) {
			free_pixels(&first[i]);
			free_pixels(&second[i]);
		}
		recipe_end(&r);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs)};
	build_tree_loader();
	seed_start(argc, argv);
	return cmocka_run_group_tests(tests, make_context, end_context);
}
