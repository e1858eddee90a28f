/* bilateral_filter against plain C: bytes and words, one or more values a place, borders; what it refuses. */
#include "testbench/openvx/tensors.h"

struct filter {
	vx_int32 diameter;
	vx_float32 sigma_space, sigma_values;
	vx_border_t border;
};

/* ---- expected values ---- */
/* [values, width, height], or [width, height] with one value a place. */
static int64_t values_of(const struct numbers *m) { return m->n == 3 ? (int64_t)m->dims[0] : 1; }
static int64_t width_of(const struct numbers *m) { return (int64_t)m->dims[m->n - 2]; }
static int64_t height_of(const struct numbers *m) { return (int64_t)m->dims[m->n - 1]; }

static size_t element_at(const struct numbers *m, int64_t value, int64_t x, int64_t y)
{
	return (size_t)((y * width_of(m) + x) * values_of(m) + value);
}

static int64_t bordered(const struct numbers *m, const vx_border_t *border, int64_t value, int64_t x, int64_t y)
{
	const int64_t inside_x = clamped(x, 0, width_of(m) - 1), inside_y = clamped(y, 0, height_of(m) - 1);
	if (border->mode == VX_BORDER_CONSTANT && (x != inside_x || y != inside_y))
		return m->kind == U8 ? border->constant_value.U8 : border->constant_value.S16;
	return m->v[element_at(m, value, inside_x, inside_y)];
}

/* Of values, the sum of all differences: "t" is a vector in the specification, and which norm it has is left open; the suite takes
 * this one. */
static double difference(const struct numbers *m, const vx_border_t *border, int64_t x, int64_t y, int64_t to_x, int64_t to_y)
{
	double sum = 0;
	for (int64_t v = 0; v < values_of(m); v++)
		sum += fabs((double)(bordered(m, border, v, to_x, to_y) - bordered(m, border, v, x, y)));
	return sum;
}

static double gauss(double squared, double sigma) { return exp(-squared / (2 * sigma * sigma)); }

/* The weighted mean of a circle. Sums in single precision may end at the next integer. */
static void expect_mean(struct expected_numbers *e, const struct numbers *m, const struct filter *f, int64_t value, int64_t x, int64_t y)
{
	const int64_t radius = f->diameter / 2;
	double sum = 0, total = 0, largest = 0;
	for (int64_t dy = -radius; dy <= radius; dy++) {
		for (int64_t dx = -radius; dx <= radius; dx++) {
			const double squared = (double)(dx * dx + dy * dy), apart = difference(m, &f->border, x, y, x + dx, y + dy);
			if (dx * dx + dy * dy > radius * radius)
				continue;
			const double weight = gauss(squared, (double)f->sigma_space) * gauss(apart * apart, (double)f->sigma_values);
			const double v = (double)bordered(m, &f->border, value, x + dx, y + dy);
			sum += v * weight;
			total += weight;
			largest = fmax(largest, fabs(v));
		}
	}
	const double near = 1e-3 + 1e-5 * largest;
	expect_any_of(e, element_at(m, value, x, y), llround(sum / total - near), llround(sum / total + near), VX_CONVERT_POLICY_SATURATE);
}

static struct expected_numbers predict(const struct numbers *m, const struct filter *f)
{
	struct expected_numbers e = new_expected(m->kind, m->n, m->dims);
	const int64_t width = width_of(m), height = height_of(m), margin = f->border.mode == VX_BORDER_UNDEFINED ? f->diameter / 2 : 0;
	for (int64_t y = 0; y < height; y++)
		for (int64_t x = 0; x < width; x++)
			for (int64_t v = 0; v < values_of(m); v++)
				if (x >= margin && y >= margin && x + margin < width && y + margin < height)
					expect_mean(&e, m, f, v, x, y);
				else
					e.low[element_at(m, v, x, y)] = 1; /* anything */
	return e;
}

/* ---- cases ---- */
/* Values around some of them, so that neighbours have weights; one in thirty is anything. */
static struct numbers random_field(enum kind kind, vx_size n, const vx_size *dims, double sigma)
{
	const struct numbers m = random_numbers(kind, n, dims);
	const int64_t middle[2] = {random_number(kind), random_number(kind)}, spread = 1 + (int64_t)(3 * sigma);
	for (size_t i = 0; i < count_of(&m); i++)
		if (random_below(30))
			m.v[i] = (int16_t)fit(kind, middle[random_below(2)] + (int64_t)random_below((uint32_t)spread), VX_CONVERT_POLICY_SATURATE);
	return m;
}

static vx_df_image format_of(enum kind kind) { return kind == U8 ? VX_DF_IMAGE_U8 : VX_DF_IMAGE_S16; }

static void check_filter(const struct filter *f, enum kind kind, vx_size values, vx_size width, vx_size height, bool at_once)
{
	const vx_size n = values ? 3 : 2, dims[3] = {values ? values : width, values ? width : height, height};
	now_testing("bilateral_filter of %s, %zu values in %zu x %zu, diameter %d, sigmas %g %g, border %s, %s", kinds[kind].name, values, width,
		    height, f->diameter, (double)f->sigma_space, (double)f->sigma_values, border_name(f->border.mode), at_once ? "at once" : "as a node");
	struct numbers in = random_field(kind, n, dims, (double)f->sigma_values);
	struct expected_numbers e = predict(&in, f);
	struct placed_tensor p = place_numbers(&in, random_place()), out = place_output(kind, n, dims, random_place());
	if (at_once) {
		set_immediate_border(&f->border);
		RAN(vxuBilateralFilter(context, p.tensor, f->diameter, f->sigma_space, f->sigma_values, out.tensor));
	} else {
		vx_graph graph = new_graph();
		vx_node node = vxBilateralFilterNode(graph, p.tensor, f->diameter, f->sigma_space, f->sigma_values, out.tensor);
		set_node_border(node, &f->border);
		run_node(&graph, node);
	}
	check_numbers(&e, &out);
	check_kept(&in, &p);
}

static const struct { vx_float32 space, values; } sigmas[] = {{1, 1}, {5, 5}, {20, 20}, {0.3f, 20}, {20, 0.3f}, {2.5f, 7.25f}};

static void run_all(enum kind kind)
{
	for (size_t b = 0; b < COUNT(borders); b++) {
		for (vx_int32 diameter = 5; diameter <= 9; diameter += 2) {
			for (vx_size values = 0; values <= 3; values++) {
				for (unsigned k = 0; k < 2; k++) {
					const size_t s = random_below(COUNT(sigmas));
					const struct filter f = {diameter, sigmas[s].space, sigmas[s].values, border_of(borders[b].mode, format_of(kind))};
					check_filter(&f, kind, values, 1 + random_below(24), 1 + random_below(24), k);
				}
			}
		}
	}
}

static void bytes(void **state)
{
	(void)state;
	run_all(U8);
}

static void words(void **state)
{
	(void)state;
	run_all(Q78);
	run_all(S16);
}

/* Each pair of sigmas; sizes around those of work-groups. */
static void shapes(void **state)
{
	(void)state;
	for (size_t s = 0; s < COUNT(sigmas); s++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			const enum kind kind = (i + s) % 2 ? U8 : S16;
			const struct filter f = {5, sigmas[s].space, sigmas[s].values, border_of(VX_BORDER_REPLICATE, format_of(kind))};
			check_filter(&f, kind, 0, sizes[i].width, sizes[i].height, (i ^ s) & 1);
		}
}

/* An edge that is much higher than sigma stays as it is; what is flat stays flat. */
static void edges(void **state)
{
	(void)state;
	const vx_size dims[2] = {20, 10};
	for (enum kind kind = 0; kind <= S16; kind++) {
		if (kind == S8)
			continue;
		struct numbers in = zero_numbers(kind, 2, dims);
		struct expected_numbers e = new_expected(kind, 2, dims);
		now_testing("an edge of %s", kinds[kind].name);
		for (size_t i = 0; i < count_of(&in); i++) {
			in.v[i] = i % 20 < 9 ? 10 : 90;
			expect_number(&e, i, in.v[i]);
		}
		struct placed_tensor p = place_numbers(&in, random_place()), out = place_output(kind, 2, dims, random_place());
		set_immediate_border(&(vx_border_t){.mode = VX_BORDER_REPLICATE});
		RAN(vxuBilateralFilter(context, p.tensor, 9, 20, 5, out.tensor));
		check_numbers(&e, &out);
		check_kept(&in, &p);
	}
}

/* Two filters, the second one created first, with a tensor between them of which nothing or all is known. */
static void virtual_results(void **state)
{
	const vx_size dims[3] = {2, 17, 12}, open[3] = {0, 0, 0};
	const vx_border_t edge = {.mode = VX_BORDER_REPLICATE};
	(void)state;
	struct numbers in = random_field(Q78, 3, dims, 5), seen[3];
	struct placed_tensor p = place_numbers(&in, random_place());
	for (unsigned k = 0; k < 3; k++) {
		vx_graph graph = new_graph();
		vx_tensor between = k == 0 ? new_tensor(Q78, 3, dims) : vxCreateVirtualTensor(graph, k == 1 ? 0 : 3, open, k == 1 ? VX_TYPE_INVALID : VX_TYPE_INT16, 8);
		vx_tensor out = new_tensor(Q78, 3, dims);
		now_testing("two filters, the tensor between them of kind %u", k);
		CREATED(between);
		vx_node second = vxBilateralFilterNode(graph, between, 7, 3, 4, out), first = vxBilateralFilterNode(graph, p.tensor, 5, 2, 6, between);
		set_node_border(second, &edge);
		set_node_border(first, &edge);
		RAN(vxReleaseNode(&second));
		run_node(&graph, first);
		seen[k] = zero_numbers(Q78, 3, dims);
		copy_numbers(out, &seen[k], VX_READ_ONLY);
		assert_memory_equal(seen[k].v, seen[0].v, count_of(&in) * sizeof *in.v);
		RAN(vxReleaseTensor(&between));
		RAN(vxReleaseTensor(&out));
	}
	for (unsigned k = 0; k < 3; k++)
		free_numbers(&seen[k]);
	check_kept(&in, &p);
}

/* ---- what is refused ---- */
static void bad_tensors(void **state)
{
	(void)state;
	const vx_size dims[4] = {6, 5, 4, 3}, turned[2] = {5, 6};
	vx_tensor bytes2 = new_tensor(U8, 2, dims), bytes3 = new_tensor(U8, 3, dims), bytes4 = new_tensor(U8, 4, dims), bytes1 = new_tensor(U8, 1, dims);
	vx_tensor words2 = new_tensor(Q78, 2, dims), whole2 = new_tensor(S16, 2, dims), chars2 = new_tensor(S8, 2, dims);
	vx_tensor turned2 = new_tensor(U8, 2, turned), out2 = new_tensor(U8, 2, dims), more1 = new_tensor(U8, 1, dims), more4 = new_tensor(U8, 4, dims);
	vx_tensor out_chars = new_tensor(S8, 2, dims);
	const struct { const char *why; vx_status status; vx_tensor in, out; } bad[] = {
		{"signed bytes", TYPE, chars2, out_chars},
		{"one dimension", DIMENSION, bytes1, more1},
		{"four dimensions", DIMENSION, bytes4, more4},
		{"bytes into words", TYPE, bytes2, words2},
		{"words into bytes", TYPE, words2, bytes2},
		{"a fraction into none", TYPE, words2, whole2},
		{"another shape", DIMENSION, bytes2, turned2},
		{"more dimensions", DIMENSION, bytes2, bytes3},
		{"fewer dimensions", DIMENSION, bytes3, out2},
	};
	for (size_t i = 0; i < COUNT(bad); i++)
		REFUSE_BOTH(bad[i].status, bad[i].why, vxBilateralFilterNode(graph, bad[i].in, 5, 1, 1, bad[i].out),
			    vxuBilateralFilter(context, bad[i].in, 5, 1, 1, bad[i].out));
	vx_tensor *const all[] = {&bytes2, &bytes3, &bytes4, &bytes1, &words2, &whole2, &chars2, &turned2, &out2, &more1, &more4, &out_chars};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseTensor(all[i]));
}

static void bad_numbers(void **state)
{
	(void)state;
	static const vx_int32 diameters[] = {-5, -1, 0, 1, 3, 4, 6, 8, 10, 11, INT32_MAX};
	static const vx_float32 bad_sigmas[] = {0, -1, 20.001f, NAN, INFINITY, -INFINITY};
	vx_tensor in = new_tensor(U8, 2, (vx_size[]){9, 9}), out = new_tensor(U8, 2, (vx_size[]){9, 9});
	char why[64];
	for (size_t i = 0; i < COUNT(diameters); i++) {
		snprintf(why, sizeof why, "a diameter of %d", diameters[i]);
		REFUSE_BOTH(VALUE, why, vxBilateralFilterNode(graph, in, diameters[i], 1, 1, out), vxuBilateralFilter(context, in, diameters[i], 1, 1, out));
	}
	for (size_t i = 0; i < COUNT(bad_sigmas); i++) {
		const vx_float32 s = bad_sigmas[i];
		snprintf(why, sizeof why, "a sigma of %g", (double)s);
		REFUSE_BOTH(VALUE, why, vxBilateralFilterNode(graph, in, 5, s, 1, out), vxuBilateralFilter(context, in, 5, s, 1, out));
		REFUSE_BOTH(VALUE, why, vxBilateralFilterNode(graph, in, 5, 1, s, out), vxuBilateralFilter(context, in, 5, 1, s, out));
	}
	RAN(vxReleaseTensor(&in));
	RAN(vxReleaseTensor(&out));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes), cmocka_unit_test(words), cmocka_unit_test(shapes), cmocka_unit_test(edges),
		cmocka_unit_test(virtual_results), cmocka_unit_test(bad_tensors), cmocka_unit_test(bad_numbers),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
