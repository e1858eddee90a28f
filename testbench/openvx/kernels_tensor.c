/* Kernels of tensors against plain C: arithmetic, tables, transposition, conversion, products of matrices; what they refuse; who
 * shares elements with whom. */
#include "testbench/openvx/tensors.h"
#include <float.h>

enum {
	WRAP = VX_CONVERT_POLICY_WRAP, SATURATE = VX_CONVERT_POLICY_SATURATE,
	TO_ZERO = VX_ROUND_POLICY_TO_ZERO, TO_EVEN = VX_ROUND_POLICY_TO_NEAREST_EVEN,
};
static const vx_enum policies[] = {WRAP, SATURATE};

static const char *way(bool at_once) { return at_once ? "at once" : "as a node"; }

/* ---- sums, differences, products ---- */
enum operation { ADD, SUBTRACT, MULTIPLY, OPERATIONS };
static const char *const operation_names[OPERATIONS] = {"tensor_add", "tensor_subtract", "tensor_multiply"};

struct arithmetic {
	enum operation operation;
	vx_enum policy, rounding;
	vx_float32 scale;
};

static vx_node arithmetic_node(vx_graph graph, const struct arithmetic *a, vx_tensor in1, vx_tensor in2, vx_tensor out)
{
	if (a->operation == ADD)
		return vxTensorAddNode(graph, in1, in2, a->policy, out);
	if (a->operation == SUBTRACT)
		return vxTensorSubtractNode(graph, in1, in2, a->policy, out);
	vx_scalar scale = new_float(a->scale);
	vx_node node = vxTensorMultiplyNode(graph, in1, in2, scale, a->policy, a->rounding, out);
	RAN(vxReleaseScalar(&scale));
	return node;
}

static vx_status arithmetic_now(const struct arithmetic *a, vx_tensor in1, vx_tensor in2, vx_tensor out)
{
	if (a->operation == ADD)
		return vxuTensorAdd(context, in1, in2, a->policy, out);
	if (a->operation == SUBTRACT)
		return vxuTensorSubtract(context, in1, in2, a->policy, out);
	vx_scalar scale = new_float(a->scale);
	const vx_status status = vxuTensorMultiply(context, in1, in2, scale, a->policy, a->rounding, out);
	RAN(vxReleaseScalar(&scale));
	return status;
}

/* A product in fixed point has one factor of the fraction too many. How exact it is before it is rounded is not specified: single
 * precision may lead to the next integer, unless it holds the product and only shifts it. */
static void expect_product(struct expected_numbers *e, size_t at, const struct arithmetic *a, int64_t x, int64_t y)
{
	const long double one = 1 << kinds[e->shape.kind].position, exact = (long double)(x * y) * (long double)a->scale / one;
	int exponent = 0;
	const bool is_held = (int64_t)(float)(x * y) == x * y && frexpf(a->scale, &exponent) == 0.5f;
	const long double near = is_held ? 0 : fabsl(exact) * FLT_EPSILON, low = exact - near, high = exact + near;
	const bool even = a->rounding == TO_EVEN;
	expect_any_of(e, at, (int64_t)(even ? rintl(low) : truncl(low)), (int64_t)(even ? rintl(high) : truncl(high)), a->policy);
}

static struct expected_numbers predict_arithmetic(const struct arithmetic *a, const struct numbers *x, const struct numbers *y,
						  const vx_size *dims)
{
	struct expected_numbers e = new_expected(x->kind, x->n, dims);
	for (size_t i = 0; i < count_of(&e.shape); i++) {
		vx_size index[DIMS_MAX];
		indices_of(&e.shape, i, index);
		const int64_t v = x->v[place_at(x, index)], w = y->v[place_at(y, index)];
		if (a->operation == MULTIPLY)
			expect_product(&e, i, a, v, w);
		else
			expect_number(&e, i, fit(x->kind, a->operation == ADD ? v + w : v - w, a->policy));
	}
	return e;
}

/* An input whose sizes are 1 here and there stands for a larger one. */
static void random_operands(vx_size n, vx_size *x, vx_size *y, vx_size *out)
{
	random_dims(n, out);
	for (vx_size d = 0; d < n; d++) {
		const uint32_t which = random_below(6);
		x[d] = which == 0 ? 1 : out[d];
		y[d] = which == 1 || which == 2 ? 1 : out[d];
	}
}

static void check_arithmetic(const struct arithmetic *a, enum kind kind, vx_size n)
{
	vx_size x_dims[DIMS_MAX], y_dims[DIMS_MAX], out_dims[DIMS_MAX];
	const bool at_once = random_below(2);
	random_operands(n, x_dims, y_dims, out_dims);
	now_testing("%s of %s, policy 0x%x, rounding 0x%x, scale %.9g, %zu dimensions, %s", operation_names[a->operation],
		    kinds[kind].name, (unsigned)a->policy, (unsigned)a->rounding, (double)a->scale, n, way(at_once));
	struct numbers x = random_numbers(kind, n, x_dims), y = random_numbers(kind, n, y_dims);
	struct expected_numbers e = predict_arithmetic(a, &x, &y, out_dims);
	struct placed_tensor p = place_numbers(&x, random_place()), q = place_numbers(&y, random_place());
	struct placed_tensor out = place_output(kind, n, out_dims, random_place());
	if (at_once) {
		RAN(arithmetic_now(a, p.tensor, q.tensor, out.tensor));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, arithmetic_node(graph, a, p.tensor, q.tensor, out.tensor));
	}
	check_numbers(&e, &out);
	check_kept(&x, &p);
	check_kept(&y, &q);
}

static void sums(void **state)
{
	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++)
		for (size_t p = 0; p < COUNT(policies); p++)
			for (vx_size n = 1; n <= DIMS_MAX; n++)
				for (enum operation o = ADD; o <= SUBTRACT; o++)
					check_arithmetic(&(struct arithmetic){.operation = o, .policy = policies[p]}, kind, n);
}

/* 1/255 rounds to even, powers of two to zero; others, and the other way, are there as well. */
static void products(void **state)
{
	static const vx_float32 others[] = {0x1.010102p-8f, 0.0f, 0.3f, 3.7f, 1.0f, 0.5f};
	(void)state;
	vx_size n = 1;
	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (size_t p = 0; p < COUNT(policies); p++) {
			for (int shift = 0; shift < 16; shift++, n = n % DIMS_MAX + 1)
				check_arithmetic(&(struct arithmetic){MULTIPLY, policies[p], TO_ZERO, 1.0f / (float)(1 << shift)}, kind, n);
			for (size_t i = 0; i < COUNT(others); i++, n = n % DIMS_MAX + 1)
				check_arithmetic(&(struct arithmetic){MULTIPLY, policies[p], TO_EVEN, others[i]}, kind, n);
			check_arithmetic(&(struct arithmetic){MULTIPLY, policies[p], TO_ZERO, 0.3f}, kind, 3);
		}
	}
}

/* ---- tables ---- */
/* Of as many entries as values can be, or fewer; the entry of 0 is where the table says. */
static void check_table(enum kind from, enum kind to, vx_size entries, vx_size n, bool at_once)
{
	vx_size dims[DIMS_MAX];
	vx_uint32 offset = 0;
	now_testing("tensor_table_lookup from %s to %s, %zu entries, %s", kinds[from].name, kinds[to].name, entries, way(at_once));
	vx_lut lut = vxCreateLUT(context, kinds[to].type, entries);
	struct numbers table = random_numbers(to, 1, &entries);
	uint8_t *bytes = malloc(entries * kinds[to].size);
	CREATED(lut);
	assert_non_null(bytes);
	RAN(vxQueryLUT(lut, VX_LUT_OFFSET, &offset, sizeof offset));
	for (size_t i = 0; i < entries; i++)
		put_element(to, bytes + i * kinds[to].size, table.v[i]);
	RAN(vxCopyLUT(lut, bytes, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	random_dims(n, dims);
	struct numbers in = zero_numbers(from, n, dims);
	struct expected_numbers e = new_expected(to, n, dims);
	for (size_t i = 0; i < count_of(&in); i++) {
		const int64_t least = from == U8 ? 0 : -(int64_t)offset, most = clamped((int64_t)(entries - 1 - offset), 0, kinds[from].most);
		in.v[i] = (int16_t)(least + (int64_t)random_below((uint32_t)(most - least + 1)));
		expect_number(&e, i, table.v[in.v[i] + (int64_t)offset]);
	}
	struct placed_tensor p = place_numbers(&in, random_place()), out = place_output(to, n, dims, random_place());
	if (at_once) {
		RAN(vxuTensorTableLookup(context, p.tensor, lut, out.tensor));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxTensorTableLookupNode(graph, p.tensor, lut, out.tensor));
	}
	check_numbers(&e, &out);
	check_kept(&in, &p);
	RAN(vxReleaseLUT(&lut));
	free_numbers(&table);
	free(bytes);
}

static void tables(void **state)
{
	static const vx_size word_entries[] = {65536, 65535, 1000, 3, 1};
	(void)state;
	for (vx_size n = 1; n <= DIMS_MAX; n++) {
		check_table(U8, U8, n == 1 ? 256 : 1 + random_below(256), n, n & 1);
		check_table(Q78, Q78, word_entries[n % COUNT(word_entries)], n, n & 1);
		check_table(U8, Q78, word_entries[n % COUNT(word_entries)], n, !(n & 1));
	}
	check_table(Q78, Q78, 65536, 2, true);
}

/* ---- transposition ---- */
static void check_transposed(enum kind kind, vx_size n, vx_size a, vx_size b)
{
	vx_size dims[DIMS_MAX], turned[DIMS_MAX], index[DIMS_MAX];
	const bool at_once = random_below(2);
	now_testing("tensor_transpose of %s, dimensions %zu and %zu of %zu, %s", kinds[kind].name, a, b, n, way(at_once));
	random_dims(n, dims);
	memcpy(turned, dims, sizeof turned);
	turned[a] = dims[b];
	turned[b] = dims[a];
	struct numbers in = random_numbers(kind, n, dims);
	struct expected_numbers e = new_expected(kind, n, turned);
	for (size_t i = 0; i < count_of(&in); i++) {
		indices_of(&e.shape, i, index);
		const vx_size kept = index[a];
		index[a] = index[b];
		index[b] = kept;
		expect_number(&e, i, in.v[place_at(&in, index)]);
	}
	struct placed_tensor p = place_numbers(&in, random_place()), out = place_output(kind, n, turned, random_place());
	if (at_once) {
		RAN(vxuTensorTranspose(context, p.tensor, out.tensor, a, b));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxTensorTransposeNode(graph, p.tensor, out.tensor, a, b));
	}
	check_numbers(&e, &out);
	check_kept(&in, &p);
}

static void transposed(void **state)
{
	(void)state;
	for (vx_size n = 1; n <= DIMS_MAX; n++)
		for (vx_size a = 0; a < n; a++)
			for (vx_size b = 0; b < n; b++)
				check_transposed((enum kind)((n + a + b) % KINDS), n, a, b);
	for (enum kind kind = 0; kind < KINDS; kind++)
		check_transposed(kind, 2, 0, 1);
}

/* ---- conversion ---- */
struct conversion { enum kind from, to; vx_enum policy; vx_float32 norm, offset; };

/* (in / 2^p - offset) / norm * 2^q, in single precision, whose whole part is the result. */
static void expect_converted(struct expected_numbers *e, size_t at, const struct conversion *c, int64_t in)
{
	const double one = 1 << kinds[c->from].position, scale = (1 << kinds[c->to].position) / (double)c->norm;
	const double exact = ((double)in / one - (double)c->offset) * scale;
	const double near = 4 * (double)FLT_EPSILON * (fabs((double)in / one) + fabs((double)c->offset)) * fabs(scale);
	expect_any_of(e, at, (int64_t)trunc(exact - near), (int64_t)trunc(exact + near), c->policy);
}

static void check_conversion(const struct conversion *c, vx_size n, bool at_once)
{
	vx_size dims[DIMS_MAX];
	now_testing("tensor_convert_depth from %s to %s, policy 0x%x, norm %g, offset %g, %s", kinds[c->from].name, kinds[c->to].name,
		    (unsigned)c->policy, (double)c->norm, (double)c->offset, way(at_once));
	random_dims(n, dims);
	struct numbers in = random_numbers(c->from, n, dims);
	struct expected_numbers e = new_expected(c->to, n, dims);
	for (size_t i = 0; i < count_of(&in); i++)
		expect_converted(&e, i, c, in.v[i]);
	struct placed_tensor p = place_numbers(&in, random_place()), out = place_output(c->to, n, dims, random_place());
	vx_scalar norm = new_float(c->norm), offset = new_float(c->offset);
	if (at_once) {
		RAN(vxuTensorConvertDepth(context, p.tensor, c->policy, norm, offset, out.tensor));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxTensorConvertDepthNode(graph, p.tensor, c->policy, norm, offset, out.tensor));
	}
	RAN(vxReleaseScalar(&norm));
	RAN(vxReleaseScalar(&offset));
	check_numbers(&e, &out);
	check_kept(&in, &p);
}

static void conversions(void **state)
{
	static const struct { vx_float32 norm, offset; } values[] = {{1, 0}, {1, 128}, {1, -128}, {2, 1.25f}, {0.5f, -3}, {-1.5f, 7}, {255, 0}};
	(void)state;
	for (enum kind from = 0; from < KINDS; from++)
		for (enum kind to = 0; to < KINDS; to++)
			for (size_t p = 0; p < COUNT(policies); p++)
				for (size_t i = 0; i < COUNT(values); i++) {
					const struct conversion c = {from, to, policies[p], values[i].norm, values[i].offset};
					check_conversion(&c, 1 + (i + from) % DIMS_MAX, (i + to) & 1);
				}
}

/* ---- products of matrices ---- */
/* So small that a sum of products has 32 bits, as it may be kept in no more. */
static struct numbers small_matrix(enum kind kind, vx_size columns, vx_size rows, vx_size terms)
{
	struct numbers m = random_numbers(kind, 2, (vx_size[]){columns, rows});
	const int64_t most = (int64_t)sqrt((double)INT32_MAX / (double)(terms + 1)) - 1;
	for (size_t i = 0; i < count_of(&m); i++)
		if (m.v[i] > most || m.v[i] < -most)
			m.v[i] = (int16_t)(m.v[i] % most);
	return m;
}

/* The first dimension is along a row. */
static int64_t matrix_at(const struct numbers *m, bool turned, vx_size row, vx_size column)
{
	return m->v[turned ? column * m->dims[0] + row : row * m->dims[0] + column];
}

/* Rounded to nearest; in which direction from the middle is not specified. */
static void expect_rounded(struct expected_numbers *e, size_t at, int64_t sum)
{
	const int64_t one = 1 << kinds[e->shape.kind].position, below = (sum - (sum % one + one) % one) / one, rest = sum - below * one;
	expect_any_of(e, at, below + (2 * rest > one), below + (one > 1 && 2 * rest >= one), SATURATE);
}

static struct expected_numbers predict_product(const struct numbers in[3], const bool turned[3], vx_size rows, vx_size terms,
					       vx_size columns, bool third)
{
	const enum kind kind = in[0].kind;
	struct expected_numbers e = new_expected(kind, 2, (vx_size[]){columns, rows});
	for (vx_size y = 0; y < rows; y++) {
		for (vx_size x = 0; x < columns; x++) {
			int64_t sum = third ? matrix_at(&in[2], turned[2], y, x) * (1 << kinds[kind].position) : 0;
			for (vx_size k = 0; k < terms; k++)
				sum += matrix_at(&in[0], turned[0], y, k) * matrix_at(&in[1], turned[1], k, x);
			expect_rounded(&e, y * columns + x, sum);
		}
	}
	return e;
}

static void check_product(enum kind kind, unsigned flags, bool third, bool at_once)
{
	const bool turned[3] = {flags & 1, flags & 2, flags & 4};
	const vx_size rows = 1 + random_below(40), terms = 1 + random_below(40), columns = 1 + random_below(40);
	const vx_tensor_matrix_multiply_params_t params = {turned[0], turned[1], turned[2]};
	now_testing("tensor_matrix_multiply of %s, %zu x %zu times %zu x %zu, turned 0x%x, %s, %s", kinds[kind].name, rows, terms, terms,
		    columns, flags, third ? "three matrices" : "two matrices", way(at_once));
	struct numbers in[3] = {
		turned[0] ? small_matrix(kind, rows, terms, terms) : small_matrix(kind, terms, rows, terms),
		turned[1] ? small_matrix(kind, terms, columns, terms) : small_matrix(kind, columns, terms, terms),
		turned[2] ? small_matrix(kind, rows, columns, terms) : small_matrix(kind, columns, rows, terms),
	};
	struct expected_numbers e = predict_product(in, turned, rows, terms, columns, third);
	struct placed_tensor p[3], out = place_output(kind, 2, e.shape.dims, random_place());
	for (unsigned i = 0; i < 3; i++)
		p[i] = place_numbers(&in[i], random_place());
	vx_tensor c = third ? p[2].tensor : NULL;
	if (at_once) {
		RAN(vxuTensorMatrixMultiply(context, p[0].tensor, p[1].tensor, c, &params, out.tensor));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxTensorMatrixMultiplyNode(graph, p[0].tensor, p[1].tensor, c, &params, out.tensor));
	}
	check_numbers(&e, &out);
	for (unsigned i = 0; i < 3; i++)
		check_kept(&in[i], &p[i]);
}

static void matrices(void **state)
{
	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++)
		for (unsigned flags = 0; flags < 8; flags++)
			for (unsigned third = 0; third < 2; third++)
				check_product(kind, flags, third, (flags + third) & 1);
}

/* ---- virtual tensors ---- */
static struct numbers sum_turned(const struct numbers *x, const struct numbers *y)
{
	const struct numbers out = zero_numbers(x->kind, 2, (vx_size[]){x->dims[1], x->dims[0]});
	for (size_t i = 0; i < count_of(x); i++) {
		vx_size index[DIMS_MAX];
		indices_of(x, i, index);
		out.v[index[0] * x->dims[1] + index[1]] = (int16_t)fit(x->kind, x->v[i] + y->v[i], SATURATE);
	}
	return out;
}

/* A sum that is turned: what lies between is declared with more or less. Then the same graph with inputs of another size. */
static void virtual_results(void **state)
{
	static const struct { vx_size n; vx_enum type; } declared[] = {{0, VX_TYPE_INVALID}, {2, VX_TYPE_INVALID}, {2, VX_TYPE_INT16}, {0, VX_TYPE_INT16}};
	static const vx_size open[2] = {0, 0}, shapes[][2] = {{9, 4}, {31, 8}, {1, 5}};
	(void)state;
	for (size_t i = 0; i < COUNT(declared); i++) {
		vx_graph graph = new_graph();
		vx_tensor between = vxCreateVirtualTensor(graph, declared[i].n, open, declared[i].type, 8), first = new_tensor(Q78, 2, shapes[0]);
		CREATED(between);
		vx_node turn = NULL, add = NULL;
		for (size_t s = 0; s < COUNT(shapes); s++) {
			vx_size seen[2] = {0}, n = 0;
			now_testing("virtual tensor of %zu dimensions, type 0x%x, shape %zu", declared[i].n, (unsigned)declared[i].type, s);
			struct numbers x = random_numbers(Q78, 2, shapes[s]), y = random_numbers(Q78, 2, shapes[s]), out = sum_turned(&x, &y);
			struct expected_numbers e = new_expected(Q78, 2, out.dims);
			for (size_t k = 0; k < count_of(&out); k++)
				expect_number(&e, k, out.v[k]);
			struct placed_tensor p = place_numbers(&x, random_place()), q = place_numbers(&y, random_place());
			struct placed_tensor z = place_output(Q78, 2, out.dims, random_place());
			if (!s) {
				turn = vxTensorTransposeNode(graph, between, z.tensor, 0, 1);
				add = vxTensorAddNode(graph, p.tensor, q.tensor, SATURATE, between);
				CREATED(turn);
				CREATED(add);
			} else {
				RAN(vxSetParameterByIndex(add, 0, (vx_reference)p.tensor));
				RAN(vxSetParameterByIndex(add, 1, (vx_reference)q.tensor));
				RAN(vxSetParameterByIndex(turn, 3, (vx_reference)z.tensor));
			}
			RAN(vxVerifyGraph(graph));
			RAN(vxProcessGraph(graph));
			RAN(vxQueryTensor(between, VX_TENSOR_NUMBER_OF_DIMS, &n, sizeof n));
			RAN(vxQueryTensor(between, VX_TENSOR_DIMS, seen, sizeof seen));
			assert_int_equal(n, 2);
			assert_memory_equal(seen, shapes[s], sizeof seen);
			/* the graph lets go of what ends here */
			RAN(vxSetParameterByIndex(add, 0, (vx_reference)first));
			RAN(vxSetParameterByIndex(add, 1, (vx_reference)first));
			RAN(vxSetParameterByIndex(turn, 3, (vx_reference)first));
			check_numbers(&e, &z);
			check_kept(&x, &p);
			check_kept(&y, &q);
			free_numbers(&out);
		}
		RAN(vxReleaseNode(&turn));
		RAN(vxReleaseNode(&add));
		RAN(vxReleaseTensor(&between));
		RAN(vxReleaseTensor(&first));
		RAN(vxReleaseGraph(&graph));
	}
}

/* ---- who shares elements with whom ---- */
enum { WIDE = 12, HIGH = 6, DEEP = 3 };
static const vx_size stack_dims[3] = {WIDE, HIGH, DEEP};

static vx_tensor view_between(vx_tensor t, const vx_size *start, const vx_size *end)
{
	vx_tensor view = vxCreateTensorFromView(t, 3, start, end);
	CREATED(view);
	return view;
}

/* Two nodes write two views of a tensor. */
static void write_views(vx_status status, const vx_size s1[3], const vx_size e1[3], const vx_size s2[3], const vx_size e2[3])
{
	vx_tensor t = new_tensor(U8, 3, stack_dims), a = view_between(t, s1, e1), b = view_between(t, s2, e2);
	vx_size d1[3], d2[3];
	for (unsigned i = 0; i < 3; i++) {
		d1[i] = e1[i] - s1[i];
		d2[i] = e2[i] - s2[i];
	}
	struct numbers x = random_numbers(U8, 3, d1), y = random_numbers(U8, 3, d2);
	struct placed_tensor p = place_numbers(&x, PLACE_OWN), q = place_numbers(&y, PLACE_OWN);
	vx_graph graph = new_graph();
	vx_node first = vxCopyNode(graph, (vx_reference)p.tensor, (vx_reference)a);
	vx_node second = vxCopyNode(graph, (vx_reference)q.tensor, (vx_reference)b);
	CREATED(first);
	CREATED(second);
	REFUSED(status, vxVerifyGraph(graph));
	if (status == VX_SUCCESS) {
		struct numbers seen_x = zero_numbers(U8, 3, d1), seen_y = zero_numbers(U8, 3, d2);
		RAN(vxProcessGraph(graph));
		copy_numbers(a, &seen_x, VX_READ_ONLY);
		copy_numbers(b, &seen_y, VX_READ_ONLY);
		assert_memory_equal(seen_x.v, x.v, count_of(&x) * sizeof *x.v);
		assert_memory_equal(seen_y.v, y.v, count_of(&y) * sizeof *y.v);
		free_numbers(&seen_x);
		free_numbers(&seen_y);
	}
	RAN(vxReleaseNode(&first));
	RAN(vxReleaseNode(&second));
	RAN(vxReleaseGraph(&graph));
	check_kept(&x, &p);
	check_kept(&y, &q);
	RAN(vxReleaseTensor(&a));
	RAN(vxReleaseTensor(&b));
	RAN(vxReleaseTensor(&t));
}

static void views(void **state)
{
	static const vx_size none[3] = {0, 0, 0}, all[3] = {WIDE, HIGH, DEEP};
	(void)state;
	now_testing("views side by side");
	write_views(VX_SUCCESS, none, (vx_size[]){5, HIGH, DEEP}, (vx_size[]){5, 0, 0}, all);
	now_testing("views one below the other");
	write_views(VX_SUCCESS, none, (vx_size[]){WIDE, 2, DEEP}, (vx_size[]){0, 2, 0}, all);
	now_testing("views one behind the other");
	write_views(VX_SUCCESS, none, (vx_size[]){WIDE, HIGH, 1}, (vx_size[]){0, 0, 1}, all);
	now_testing("views in two corners");
	write_views(VX_SUCCESS, none, (vx_size[]){7, 3, 2}, (vx_size[]){7, 2, 1}, all);
	now_testing("views with one element in common");
	write_views(VX_ERROR_MULTIPLE_WRITERS, none, (vx_size[]){6, 3, 2}, (vx_size[]){5, 2, 1}, all);
	now_testing("a view and all of it");
	write_views(VX_ERROR_MULTIPLE_WRITERS, (vx_size[]){4, 4, 1}, (vx_size[]){5, 5, 2}, none, all);
}

static vx_object_array images_of(vx_tensor t, vx_uint32 left, vx_uint32 top)
{
	vx_object_array array = vxCreateImageObjectArrayFromTensor(t, &(vx_rectangle_t){left, top, WIDE, HIGH}, DEEP, WIDE * HIGH, VX_DF_IMAGE_U8);
	CREATED(array);
	return array;
}

static vx_image item(vx_object_array array, vx_uint32 index)
{
	vx_image image = (vx_image)vxGetObjectArrayItem(array, index);
	CREATED(image);
	return image;
}

/* An image in a tensor is written, and the tensor read by a node that was created before. */
static void read_after_image(void)
{
	vx_tensor t = new_tensor(U8, 3, stack_dims), out = new_tensor(U8, 3, stack_dims);
	vx_object_array array = images_of(t, 3, 1);
	vx_image image = item(array, 1), source = new_image(WIDE - 3, HIGH - 1, VX_DF_IMAGE_U8);
	struct pixels p = random_pixels(WIDE - 3, HIGH - 1, VX_DF_IMAGE_U8);
	struct numbers before = random_numbers(U8, 3, stack_dims), seen = zero_numbers(U8, 3, stack_dims);
	now_testing("a tensor read after an image in it is written");
	copy_numbers(t, &before, VX_WRITE_ONLY);
	upload(source, &p);
	vx_graph graph = new_graph();
	vx_node second = vxCopyNode(graph, (vx_reference)t, (vx_reference)out), first = vxNotNode(graph, source, image);
	CREATED(first);
	CREATED(second);
	RAN(vxVerifyGraph(graph));
	RAN(vxProcessGraph(graph));
	copy_numbers(out, &seen, VX_READ_ONLY);
	for (size_t i = 0; i < count_of(&seen); i++) {
		vx_size at[DIMS_MAX];
		indices_of(&seen, i, at);
		const bool inside = at[0] >= 3 && at[1] >= 1 && at[2] == 1;
		assert_int_equal(seen.v[i], inside ? 255 - pixel_get(&p, (vx_uint32)at[0] - 3, (vx_uint32)at[1] - 1) : before.v[i]);
	}
	RAN(vxReleaseNode(&first));
	RAN(vxReleaseNode(&second));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&source));
	/* the images keep the tensor's elements */
	RAN(vxReleaseTensor(&t));
	image = item(array, 1);
	struct pixels again = zero_pixels(WIDE - 3, HIGH - 1, VX_DF_IMAGE_U8);
	download(image, &again);
	for (size_t i = 0; i < bytes_in_all(&p); i++)
		assert_int_equal(again.bytes[i], 255 - p.bytes[i]);
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseObjectArray(&array));
	RAN(vxReleaseTensor(&out));
	free_pixels(&p);
	free_pixels(&again);
	free_numbers(&before);
	free_numbers(&seen);
}

/* Two outputs that may be in the same tensor. */
static void write_two(const char *why, vx_status status, vx_reference a_in, vx_reference a, vx_reference b_in, vx_reference b)
{
	vx_graph graph = new_graph();
	now_testing("two writers: %s", why);
	vx_node first = vxCopyNode(graph, a_in, a), second = vxCopyNode(graph, b_in, b);
	CREATED(first);
	CREATED(second);
	REFUSED(status, vxVerifyGraph(graph));
	RAN(vxReleaseNode(&first));
	RAN(vxReleaseNode(&second));
	RAN(vxReleaseGraph(&graph));
}

static void images(void **state)
{
	(void)state;
	read_after_image();
	vx_tensor t = new_tensor(U8, 3, stack_dims), other = new_tensor(U8, 3, stack_dims);
	vx_object_array array = images_of(t, 0, 0), lower = images_of(t, 6, 3), elsewhere = images_of(other, 0, 0);
	vx_image middle = item(array, 1), last = item(array, 2), corner = item(lower, 1), away = item(elsewhere, 1);
	vx_image left = vxCreateImageFromROI(middle, &(vx_rectangle_t){0, 0, 6, HIGH}), low = vxCreateImageFromROI(middle, &(vx_rectangle_t){2, 3, 8, HIGH});
	vx_image in = new_image(WIDE, HIGH, VX_DF_IMAGE_U8), in_corner = new_image(6, 3, VX_DF_IMAGE_U8), in_left = new_image(6, HIGH, VX_DF_IMAGE_U8);
	vx_tensor view = view_between(t, (vx_size[]){0, 0, 1}, (vx_size[]){6, HIGH, 2}), in_view = new_tensor(U8, 3, (vx_size[]){6, HIGH, 1});
	vx_tensor high = view_between(t, (vx_size[]){0, 0, 1}, (vx_size[]){6, 3, 2}), in_high = new_tensor(U8, 3, (vx_size[]){6, 3, 1});
	CREATED(left);
	CREATED(low);
	const vx_status both = VX_ERROR_MULTIPLE_WRITERS;
	vx_reference r = (vx_reference)in;
	write_two("two planes", VX_SUCCESS, r, (vx_reference)middle, r, (vx_reference)last);
	write_two("the same plane of another tensor", VX_SUCCESS, r, (vx_reference)middle, r, (vx_reference)away);
	write_two("a plane and a part of it", both, r, (vx_reference)middle, (vx_reference)in_corner, (vx_reference)corner);
	write_two("a part and a region beside it", VX_SUCCESS, (vx_reference)in_left, (vx_reference)left, (vx_reference)in_corner, (vx_reference)corner);
	write_two("a plane and a view of it", both, r, (vx_reference)middle, (vx_reference)in_view, (vx_reference)view);
	write_two("a plane and a view of another one", VX_SUCCESS, r, (vx_reference)last, (vx_reference)in_view, (vx_reference)view);
	write_two("a part and a view beside it", VX_SUCCESS, (vx_reference)in_corner, (vx_reference)corner, (vx_reference)in_view, (vx_reference)view);
	write_two("a region and a view of the same", both, (vx_reference)in_left, (vx_reference)left, (vx_reference)in_view, (vx_reference)view);
	write_two("a low region and a view above it", VX_SUCCESS, (vx_reference)in_corner, (vx_reference)low, (vx_reference)in_high, (vx_reference)high);
	write_two("a low region and a high view of the same columns", both, (vx_reference)in_corner, (vx_reference)low, (vx_reference)in_view, (vx_reference)view);
	write_two("a plane and all of the tensor", both, r, (vx_reference)last, (vx_reference)other, (vx_reference)t);
	write_two("a plane and all of another tensor", VX_SUCCESS, r, (vx_reference)last, (vx_reference)t, (vx_reference)other);
	RAN(vxReleaseImage(&left));
	RAN(vxReleaseImage(&low));
	RAN(vxReleaseImage(&middle));
	RAN(vxReleaseImage(&last));
	RAN(vxReleaseImage(&corner));
	RAN(vxReleaseImage(&away));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&in_corner));
	RAN(vxReleaseImage(&in_left));
	RAN(vxReleaseObjectArray(&array));
	RAN(vxReleaseObjectArray(&lower));
	RAN(vxReleaseObjectArray(&elsewhere));
	RAN(vxReleaseTensor(&view));
	RAN(vxReleaseTensor(&in_view));
	RAN(vxReleaseTensor(&high));
	RAN(vxReleaseTensor(&in_high));
	RAN(vxReleaseTensor(&t));
	RAN(vxReleaseTensor(&other));
}

/* ---- what is refused ---- */
static void bad_arithmetic(void **state)
{
	(void)state;
	const vx_size dims[3] = {5, 4, 3}, row[3] = {5, 1, 1}, short_dims[3] = {5, 4, 2}, two[3] = {2, 4, 3};
	vx_tensor a = new_tensor(Q78, 3, dims), b = new_tensor(Q78, 3, dims), out = new_tensor(Q78, 3, dims), r = new_tensor(Q78, 3, row);
	vx_tensor row_out = new_tensor(Q78, 3, row), bytes = new_tensor(U8, 3, dims), flat = new_tensor(Q78, 2, dims), shorter = new_tensor(Q78, 3, short_dims), narrow = new_tensor(Q78, 3, two);
	vx_tensor integers = vxCreateTensor(context, 3, dims, VX_TYPE_INT16, 0), fine = vxCreateTensor(context, 3, dims, VX_TYPE_UINT8, 3);
	CREATED(integers);
	CREATED(fine);
	const struct { const char *why; vx_status status; vx_tensor in1, in2, out; vx_enum policy; } bad[] = {
		{"no policy", VALUE, a, b, out, 0xA002},
		{"a policy of rounding", VALUE, a, b, out, TO_ZERO},
		{"words and bytes", TYPE, a, bytes, out, WRAP},
		{"bytes into words", TYPE, bytes, bytes, out, WRAP},
		{"words into bytes", TYPE, a, b, bytes, WRAP},
		{"words without a fraction", TYPE, integers, integers, out, WRAP},
		{"bytes with a fraction", TYPE, fine, fine, out, WRAP},
		{"into words without a fraction", TYPE, a, b, integers, WRAP},
		{"three dimensions and two", DIMENSION, a, flat, out, WRAP},
		{"three dimensions into two", DIMENSION, a, b, flat, WRAP},
		{"sizes that differ", DIMENSION, a, shorter, out, WRAP},
		{"sizes 5 and 2", DIMENSION, a, narrow, out, WRAP},
		{"an output that is shorter", DIMENSION, a, b, shorter, WRAP},
		{"an output that is not expanded", DIMENSION, a, r, row_out, WRAP},
		{"an output that is expanded", DIMENSION, r, r, out, WRAP},
	};
	for (size_t i = 0; i < COUNT(bad); i++) {
		for (enum operation o = 0; o < OPERATIONS; o++) {
			const struct arithmetic op = {o, bad[i].policy, TO_ZERO, 1};
			REFUSE_BOTH(bad[i].status, bad[i].why, arithmetic_node(graph, &op, bad[i].in1, bad[i].in2, bad[i].out),
				    arithmetic_now(&op, bad[i].in1, bad[i].in2, bad[i].out));
		}
	}
	const struct { const char *why; vx_enum rounding; vx_float32 scale; } bad_products[] = {
		{"no rounding", 0x12003, 1}, {"a policy of conversion as rounding", WRAP, 1}, {"a negative scale", TO_ZERO, -0.5f}, {"no number", TO_ZERO, NAN},
	};
	for (size_t i = 0; i < COUNT(bad_products); i++) {
		const struct arithmetic op = {MULTIPLY, WRAP, bad_products[i].rounding, bad_products[i].scale};
		REFUSE_BOTH(VALUE, bad_products[i].why, arithmetic_node(graph, &op, a, b, out), arithmetic_now(&op, a, b, out));
	}
	vx_scalar whole = new_scalar(VX_TYPE_INT32, &(vx_int32){1});
	REFUSE_BOTH(TYPE, "a scale that is an integer", vxTensorMultiplyNode(graph, a, b, whole, WRAP, TO_ZERO, out),
		    vxuTensorMultiply(context, a, b, whole, WRAP, TO_ZERO, out));
	RAN(vxReleaseScalar(&whole));
	vx_tensor *const all[] = {&a, &b, &out, &r, &row_out, &bytes, &flat, &shorter, &narrow, &integers, &fine};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseTensor(all[i]));
}

static void bad_others(void **state)
{
	(void)state;
	const vx_size dims[2] = {5, 4}, turned[2] = {4, 5}, three[3] = {5, 4, 2};
	vx_tensor words = new_tensor(Q78, 2, dims), words_out = new_tensor(Q78, 2, dims), bytes = new_tensor(U8, 2, dims), bytes_out = new_tensor(U8, 2, dims);
	vx_tensor chars = new_tensor(S8, 2, dims), square = new_tensor(Q78, 2, turned), cube = new_tensor(Q78, 3, three), chars_out = new_tensor(S8, 2, dims);
	vx_lut byte_table = vxCreateLUT(context, VX_TYPE_UINT8, 256), word_table = vxCreateLUT(context, VX_TYPE_INT16, 65536);
	vx_scalar one = new_float(1), whole = new_scalar(VX_TYPE_INT32, &(vx_int32){1});
	CREATED(byte_table);
	CREATED(word_table);
#define BAD_TABLE(status, why, in, lut, out) \
	REFUSE_BOTH(status, why, vxTensorTableLookupNode(graph, in, lut, out), vxuTensorTableLookup(context, in, lut, out))
	BAD_TABLE(TYPE, "a table for signed bytes", chars, byte_table, chars_out);
	BAD_TABLE(TYPE, "a table of bytes for words", words, byte_table, words_out);
	BAD_TABLE(TYPE, "a table of words for bytes", bytes, word_table, bytes_out);
	BAD_TABLE(DIMENSION, "a table, and another shape", words, word_table, square);
	BAD_TABLE(DIMENSION, "a table, and more dimensions", words, word_table, cube);
#define BAD_TURN(status, why, in, out, a, b) \
	REFUSE_BOTH(status, why, vxTensorTransposeNode(graph, in, out, a, b), vxuTensorTranspose(context, in, out, a, b))
	BAD_TURN(VALUE, "dimension 2 of 2", words, square, 0, 2);
	BAD_TURN(VALUE, "dimension 2 of 2 first", words, square, 2, 1);
	BAD_TURN(VALUE, "a dimension beyond 32 bits", words, square, (vx_size)1 << 32, 1);
	BAD_TURN(VALUE, "the last of all numbers as dimension", words, square, 0, SIZE_MAX);
	BAD_TURN(DIMENSION, "a shape that is not turned", words, words_out, 0, 1);
	BAD_TURN(DIMENSION, "a turned shape of nothing turned", words, square, 1, 1);
	BAD_TURN(DIMENSION, "a third dimension", words, cube, 0, 1);
	BAD_TURN(TYPE, "words into bytes", words, bytes_out, 0, 0);
#define BAD_DEPTH(status, why, in, policy, norm, offset, out) \
	REFUSE_BOTH(status, why, vxTensorConvertDepthNode(graph, in, policy, norm, offset, out), \
		    vxuTensorConvertDepth(context, in, policy, norm, offset, out))
	BAD_DEPTH(VALUE, "no policy", words, 0xA002, one, one, bytes_out);
	BAD_DEPTH(TYPE, "a norm that is an integer", words, WRAP, whole, one, bytes_out);
	BAD_DEPTH(TYPE, "an offset that is an integer", words, WRAP, one, whole, bytes_out);
	BAD_DEPTH(DIMENSION, "another shape", bytes, WRAP, one, one, square);
	BAD_DEPTH(DIMENSION, "more dimensions", bytes, WRAP, one, one, cube);
	vx_graph graph = new_graph();
	vx_tensor open = vxCreateVirtualTensor(graph, 2, dims, VX_TYPE_INVALID, 0);
	now_testing("a depth that nobody says");
	CREATED(open);
	/* nor is there a part of it, as nobody knows where that begins */
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus((vx_reference)vxCreateTensorFromView(open, 2, (vx_size[]){1, 1}, dims)));
	refuse_node(TYPE, &graph, vxTensorConvertDepthNode(graph, words, WRAP, one, one, open));
	RAN(vxReleaseTensor(&open));
	vx_tensor *const all[] = {&words, &words_out, &bytes, &bytes_out, &chars, &square, &cube, &chars_out};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseTensor(all[i]));
	RAN(vxReleaseLUT(&byte_table));
	RAN(vxReleaseLUT(&word_table));
	RAN(vxReleaseScalar(&one));
	RAN(vxReleaseScalar(&whole));
}

/* 3 x 4 times 4 x 5, and what does not go with it. */
static void bad_matrices(void **state)
{
	(void)state;
	const vx_size a_dims[2] = {4, 3}, b_dims[2] = {5, 4}, c_dims[2] = {5, 3}, cube_dims[3] = {5, 3, 1};
	vx_tensor a = new_tensor(Q78, 2, a_dims), b = new_tensor(Q78, 2, b_dims), c = new_tensor(Q78, 2, c_dims), out = new_tensor(Q78, 2, c_dims);
	vx_tensor bytes = new_tensor(U8, 2, b_dims), byte_sum = new_tensor(U8, 2, c_dims), cube = new_tensor(Q78, 3, cube_dims), other = new_tensor(Q78, 2, b_dims);
	const struct { const char *why; vx_status status; vx_tensor a, b, c, out; vx_tensor_matrix_multiply_params_t params; } bad[] = {
		{"4 columns and 3 rows", DIMENSION, a, c, NULL, out, {0}},
		{"3 columns of the first turned", DIMENSION, a, b, NULL, out, {.transpose_input1 = vx_true_e}},
		{"5 rows of the second turned", DIMENSION, a, b, NULL, out, {.transpose_input2 = vx_true_e}},
		{"a sum of another size", DIMENSION, a, b, b, out, {0}},
		{"a sum that is turned", DIMENSION, a, b, c, out, {.transpose_input3 = vx_true_e}},
		{"an output of another size", DIMENSION, a, b, c, other, {0}},
		{"an output of three dimensions", DIMENSION, a, b, c, cube, {0}},
		{"a sum of three dimensions", DIMENSION, a, b, cube, out, {0}},
		{"words and bytes", TYPE, a, bytes, NULL, out, {0}},
		{"a sum of bytes", TYPE, a, b, byte_sum, out, {0}},
		{"an output of bytes", TYPE, a, b, c, byte_sum, {0}},
	};
	for (size_t i = 0; i < COUNT(bad); i++)
		REFUSE_BOTH(bad[i].status, bad[i].why, vxTensorMatrixMultiplyNode(graph, bad[i].a, bad[i].b, bad[i].c, &bad[i].params, bad[i].out),
			    vxuTensorMatrixMultiply(context, bad[i].a, bad[i].b, bad[i].c, &bad[i].params, bad[i].out));
	vx_tensor *const all[] = {&a, &b, &c, &out, &bytes, &byte_sum, &cube, &other};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseTensor(all[i]));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums), cmocka_unit_test(products), cmocka_unit_test(tables), cmocka_unit_test(transposed),
		cmocka_unit_test(conversions), cmocka_unit_test(matrices), cmocka_unit_test(virtual_results), cmocka_unit_test(views),
		cmocka_unit_test(images), cmocka_unit_test(bad_arithmetic), cmocka_unit_test(bad_others), cmocka_unit_test(bad_matrices),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
