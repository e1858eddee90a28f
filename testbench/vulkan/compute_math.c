/* Functions of integers, and of matrices, against what the host computes. */
#include "testbench/vulkan/compute_run.h"
#include "vulkan/integers.h"
#include "vulkan/matrices.h"
#include <math.h>

/* ---- integers ---- */
static int low_bit(uint32_t a) { return a ? __builtin_ctz(a) : -1; }
static int high_bit(uint32_t a) { return a ? 31 - __builtin_clz(a) : -1; }
static int high_bit_signed(int32_t a) { return high_bit(a < 0 ? ~(uint32_t)a : (uint32_t)a); }
static uint32_t mask_of(uint32_t bits) { return bits == 32 ? UINT32_MAX : (1u << bits) - 1; }
static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static uint32_t reversed(uint32_t a)
{
	uint32_t r = 0;
	for (unsigned i = 0; i < 32; i++)
		r |= (a >> i & 1) << (31 - i);
	return r;
}

enum { INTEGER_RESULTS = 66, INTEGER_STRIDE = 72 };
#define PUT(...) \
	do { \
		const uint32_t put[] = {__VA_ARGS__}; \
		memcpy(out + n, put, sizeof put); \
		n += sizeof put / sizeof *put; \
	} while (0)

static unsigned integer_vectors(const uint32_t v[4], uint32_t *out, unsigned n)
{
	const uint32_t w[4] = {v[3], v[2], v[1], v[0]};
	bool any = false;
	for (unsigned i = 0; i < 4; i++)
		PUT((uint32_t)__builtin_popcount(v[i]));
	for (unsigned i = 0; i < 4; i++)
		PUT((uint32_t)larger((int32_t)v[i], (int32_t)w[i]));
	for (unsigned i = 0; i < 4; i++)
		PUT((uint32_t)high_bit_signed((int32_t)v[i]));
	for (unsigned i = 0; i < 4; i++) {
		const uint64_t product = (uint64_t)v[i] * w[i];
		PUT((uint32_t)(product >> 32) ^ (uint32_t)product);
		any = any || (int32_t)v[i] < (int32_t)w[i];
	}
	PUT(any, true, v[1] != w[1]);
	return n;
}

static void integer_reference(uint32_t a, uint32_t b, uint32_t *out)
{
	const uint32_t bit = b & 31, wanted = b >> 5 & 31, count = wanted < 32 - bit ? wanted : 32 - bit, field = count ? a >> bit & mask_of(count) : 0;
	const uint32_t sign = count && field >> (count - 1) & 1 ? ~mask_of(count) : 0, divisor = b ? b : 1;
	const int32_t s = (int32_t)a, t = (int32_t)b;
	const uint64_t product = (uint64_t)a * b, signed_product = (uint64_t)((int64_t)s * t);
	unsigned n = 0;
	PUT((uint32_t)__builtin_popcount(a), (uint32_t)__builtin_popcount(a));
	PUT((uint32_t)low_bit(a), (uint32_t)low_bit(a), (uint32_t)high_bit(a), (uint32_t)high_bit_signed(s));
	PUT(field, field | sign, count ? (a & ~(mask_of(count) << bit)) | (b & mask_of(count)) << bit : a, reversed(a));
	PUT(a + b, a + b < a, a - b, a < b);
	PUT((uint32_t)(product >> 32), (uint32_t)product, (uint32_t)(signed_product >> 32), (uint32_t)signed_product);
	PUT(a + b, a - b, a * b, a / divisor, a % divisor);
	PUT((uint32_t)(s / 2 / ((t / 2 < 0 ? -(t / 2) : t / 2) + 1)), (a & 0x7fffffff) % ((b & 0x7fffffff) | 1));
	PUT(s < 0 ? -a : a, (uint32_t)((s > 0) - (s < 0)), a < b ? a : b, a > b ? a : b, (uint32_t)smaller(s, t), (uint32_t)larger(s, t));
	PUT((uint32_t)smaller(larger(s, -100), 100), a < 5 ? 5 : a > 1000 ? 1000 : a);
	PUT(a << bit, a >> bit, (uint32_t)(s >> bit), a << bit);
	PUT(a & b, a | b, a ^ b, ~a, -a);
	PUT(a < b, s < t, a >= b, s >= t, a == b);
	n = integer_vectors((const uint32_t[]){a, b, a ^ b, bit}, out, n);
	assert_int_equal(n, INTEGER_RESULTS);
}

static void integer_functions(void **state)
{
	(void)state;
	static const uint32_t edges[] = {0, 1, 2, 3, 31, 32, 0x3e0, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x55555555, 0xffff, 0x10000};
	enum { EDGES = sizeof edges / sizeof *edges, COUNT = (EDGES * EDGES + 63) / 16 * 16 };
	static uint32_t pairs[COUNT][2], expected[COUNT * INTEGER_STRIDE];
	memset(expected, 0, sizeof expected);
	for (unsigned i = 0; i < COUNT; i++) {
		pairs[i][0] = i < EDGES * EDGES ? edges[i % EDGES] : (uint32_t)splitmix64(&compute_seed);
		pairs[i][1] = i < EDGES * EDGES ? edges[i / EDGES] : (uint32_t)splitmix64(&compute_seed) >> below(32);
		integer_reference(pairs[i][0], pairs[i][1], expected + (size_t)i * INTEGER_STRIDE);
	}
	struct program p = PROGRAM(integers, "ss", 0);
	struct vk_buffer in = compute_buffer_of(pairs, sizeof pairs), out = compute_buffer_set(sizeof expected, 0);
	program_buffer(&p, 0, &in);
	program_buffer(&p, 1, &out);
	program_run(&p, COUNT / 16, 1, 1, NULL);
	for (unsigned i = 0; i < COUNT * INTEGER_STRIDE; i++) {
		const uint32_t got = ((const uint32_t *)out.host)[i], *pair = pairs[i / INTEGER_STRIDE];
		if (got != expected[i])
			fail_msg("result %u of 0x%x, 0x%x: got 0x%x, expected 0x%x", i % INTEGER_STRIDE, pair[0], pair[1], got, expected[i]);
	}
	program_free(&p);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
}

/* ---- matrices: columns of rows, as in GLSL ---- */
struct matrix { unsigned columns, rows; double c[4][4]; };

static struct matrix transposed(struct matrix m)
{
	struct matrix r = {m.rows, m.columns, {{0}}};
	for (unsigned i = 0; i < r.columns; i++)
		for (unsigned k = 0; k < r.rows; k++)
			r.c[i][k] = m.c[k][i];
	return r;
}

static struct matrix product(struct matrix a, struct matrix b)
{
	struct matrix r = {b.columns, a.rows, {{0}}};
	assert_int_equal(a.columns, b.rows);
	for (unsigned i = 0; i < r.columns; i++)
		for (unsigned k = 0; k < r.rows; k++)
			for (unsigned j = 0; j < a.columns; j++)
				r.c[i][k] += a.c[j][k] * b.c[i][j];
	return r;
}

static struct matrix minor_of(struct matrix m, unsigned column, unsigned row)
{
	struct matrix r = {m.columns - 1, m.rows - 1, {{0}}};
	for (unsigned i = 0; i < r.columns; i++)
		for (unsigned k = 0; k < r.rows; k++)
			r.c[i][k] = m.c[i + (i >= column)][k + (k >= row)];
	return r;
}

static double determinant(struct matrix m)
{
	/* expanded without recursion: of three columns by the rule of Sarrus */
	if (m.columns == 3)
		return m.c[0][0] * (m.c[1][1] * m.c[2][2] - m.c[2][1] * m.c[1][2]) - m.c[1][0] * (m.c[0][1] * m.c[2][2] - m.c[2][1] * m.c[0][2]) +
		       m.c[2][0] * (m.c[0][1] * m.c[1][2] - m.c[1][1] * m.c[0][2]);
	double d = 0;
	for (unsigned i = 0; i < 4; i++) {
		const struct matrix n = minor_of(m, i, 0);
		d += (i % 2 ? -1 : 1) * m.c[i][0] * (n.c[0][0] * (n.c[1][1] * n.c[2][2] - n.c[2][1] * n.c[1][2]) - n.c[1][0] * (n.c[0][1] * n.c[2][2] - n.c[2][1] * n.c[0][2]) +
						     n.c[2][0] * (n.c[0][1] * n.c[1][2] - n.c[1][1] * n.c[0][2]));
	}
	return d;
}

static struct matrix inverse(struct matrix m)
{
	/* Gauss and Jordan, on columns: what makes m the identity makes the identity the inverse */
	struct matrix r = {m.columns, m.rows, {{0}}};
	for (unsigned i = 0; i < m.columns; i++)
		r.c[i][i] = 1;
	for (unsigned i = 0; i < m.columns; i++) {
		const double pivot = m.c[i][i]; /* never small: the tests' matrices are dominated by their diagonals */
		for (unsigned k = 0; k < m.rows; k++)
			m.c[i][k] /= pivot, r.c[i][k] /= pivot;
		for (unsigned j = 0; j < m.columns; j++) {
			const double f = m.c[j][i];
			for (unsigned k = 0; j != i && k < m.rows; k++)
				m.c[j][k] -= f * m.c[i][k], r.c[j][k] -= f * r.c[i][k];
		}
	}
	return r;
}

/* A matrix in memory, at a distance from column to column, or from row to row. */
static struct matrix make(uint8_t *at, unsigned columns, unsigned rows, unsigned stride, bool by_row)
{
	struct matrix m = {columns, rows, {{0}}};
	for (unsigned i = 0; i < columns; i++)
		for (unsigned k = 0; k < rows; k++) {
			const float f = random_float(-1, 1) + (i == k && columns > 1 ? 4 : 0);
			memcpy(at + (by_row ? k * stride + i * 4 : i * stride + k * 4), &f, 4);
			m.c[i][k] = (double)f;
		}
	return m;
}

struct results { const float *got; unsigned n; };

static void take(struct results *r, struct matrix m)
{
	for (unsigned i = 0; i < m.columns; i++)
		for (unsigned k = 0; k < m.rows; k++) {
			close_float("matrices", r->n, r->got[r->n], m.c[i][k], fabs(m.c[i][k]) * 1e-5 + 2e-5);
			r->n++;
		}
}
static void take_number(struct results *r, double d) { take(r, (struct matrix){1, 1, {{d}}}); }

struct item { float v[3], s, m[2][2]; uint32_t tag, padding[3]; };
_Static_assert(sizeof(struct item) == 48, "std430");

static void expect_items(struct results *r, const struct item *before, const struct item *after, unsigned count, uint32_t index)
{
	take_number(r, count);
	for (unsigned i = 0; i < count; i++) {
		struct item e = before[i];
		for (unsigned k = 0; k < 2; k++)
			take_number(r, (double)e.s * ((double)e.m[0][k] * (double)e.v[0] + (double)e.m[1][k] * (double)e.v[1]));
		e.v[1] = e.s + 1, e.m[1][0] += 1, e.m[1][1] += 2, e.m[0][index] = 9, e.tag += i;
		for (unsigned k = 0; k < sizeof e / 4; k++)
			same_word("an item of std430", i * sizeof e / 4 + k, ((const uint32_t *)&after[i])[k], ((const uint32_t *)&e)[k]);
	}
}

static void matrix_layouts(void **state)
{
	(void)state;
	for (uint32_t index = 0; index < 2; index++) {
		struct program p = PROGRAM(matrices, "uss", 4);
		struct vk_buffer u = compute_buffer_set(320, 0x7f), items = compute_buffer(3 * sizeof(struct item), VK_ON_HOST), out = compute_buffer_set(1024, 0);
		struct item before[3];
		for (unsigned i = 0; i < items.size / 4; i++)
			((float *)items.host)[i] = random_float(-2, 2);
		memcpy(before, items.host, sizeof before);
		const struct matrix m = make(u.host, 4, 4, 16, false), n[] = {make(u.host + 64, 3, 3, 16, false), make(u.host + 112, 3, 3, 16, false)},
				    row = make(u.host + 160, 4, 4, 16, true), v = make(u.host + 224, 1, 4, 16, false), w1 = make(u.host + 256, 1, 2, 16, false),
				    w2 = make(u.host + 272, 1, 2, 16, false), odd = make(u.host + 288, 2, 3, 16, false);
		struct matrix point = v, item_v = {1, 3, {{(double)before[1].v[0], (double)before[1].v[1], (double)before[1].v[2]}}}, by_element = m;
		point.rows = 3;
		for (unsigned i = 0; i < 16; i++)
			by_element.c[i / 4][i % 4] *= row.c[i / 4][i % 4];
		program_buffer(&p, 0, &u);
		program_buffer(&p, 1, &items);
		program_buffer(&p, 2, &out);
		program_run(&p, 1, 1, 1, &index);
		struct results r = {(const float *)out.host, 0};
		take(&r, product(m, v));
		take(&r, product(transposed(m), v));
		take(&r, product(row, v));
		take(&r, product(transposed(row), v));
		take(&r, product(n[0], point));
		take(&r, product(transposed(n[1]), point));
		take(&r, product(n[index], point));
		take(&r, transposed(m));
		take(&r, inverse(m));
		close_float("determinant", 0, r.got[r.n++], determinant(m), fabs(determinant(m)) * 1e-5);
		close_float("determinant", 1, r.got[r.n++], determinant(n[0]), fabs(determinant(n[0])) * 1e-5);
		take(&r, inverse(n[1]));
		take(&r, product(point, transposed(item_v)));
		take(&r, product(m, row));
		take(&r, by_element);
		take(&r, product(odd, w1));
		take(&r, product(transposed(odd), point));
		take_number(&r, m.c[index + 1][index + 2]);
		take_number(&r, row.c[index + 1][index + 2]);
		take(&r, index ? w2 : w1);
		expect_items(&r, before, (const struct item *)items.host, 3, index);
		program_free(&p);
		vk_buffer_free(&u);
		vk_buffer_free(&items);
		vk_buffer_free(&out);
	}
}

const struct CMUnitTest compute_math_cases[] = {VK_CASE(integer_functions), VK_CASE(matrix_layouts)};
const size_t compute_num_math_cases = sizeof compute_math_cases / sizeof *compute_math_cases;
