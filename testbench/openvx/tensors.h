/* What tests of kernels on tensors share: numbers in plain memory, the tensors that hold them, comparisons. */
#ifndef GALENA_TESTBENCH_OPENVX_TENSORS_H
#define GALENA_TESTBENCH_OPENVX_TENSORS_H
#include "testbench/openvx/neighbourhood.h"
#include <math.h>

/* ---- what elements may be ---- */
enum kind { Q78, U8, S8, KINDS, S16 = KINDS /* without a fraction: arithmetic does not take it */ };
static const struct { const char *name; vx_enum type; vx_int8 position; size_t size; int64_t least, most; } kinds[] = {
	{"Q7.8", VX_TYPE_INT16, 8, 2, INT16_MIN, INT16_MAX},
	{"U8", VX_TYPE_UINT8, 0, 1, 0, UINT8_MAX},
	{"S8", VX_TYPE_INT8, 0, 1, INT8_MIN, INT8_MAX},
	{"S16", VX_TYPE_INT16, 0, 2, INT16_MIN, INT16_MAX},
};

static inline int64_t clamped(int64_t v, int64_t least, int64_t most) { return v < least ? least : v > most ? most : v; }

/* What a number becomes as an element: the nearest one, or its low bits. */
static inline int64_t fit(enum kind kind, int64_t v, vx_enum policy)
{
	const int64_t range = kinds[kind].most - kinds[kind].least + 1;
	if (policy == VX_CONVERT_POLICY_SATURATE)
		return clamped(v, kinds[kind].least, kinds[kind].most);
	const int64_t low = v & (range - 1);
	return low > kinds[kind].most ? low - range : low;
}

/* ---- numbers ---- */
enum { DIMS_MAX = 6 };
struct numbers {
	enum kind kind;
	vx_size n, dims[DIMS_MAX];
	int16_t *v; /* those of dimension 0 first */
};

static inline size_t count_of(const struct numbers *m)
{
	size_t count = 1;
	for (vx_size d = 0; d < m->n; d++)
		count *= m->dims[d];
	return count;
}

static inline struct numbers zero_numbers(enum kind kind, vx_size n, const vx_size *dims)
{
	struct numbers m = {.kind = kind, .n = n};
	memcpy(m.dims, dims, n * sizeof *dims);
	m.v = calloc(count_of(&m), sizeof *m.v);
	assert_non_null(m.v);
	return m;
}

static inline void free_numbers(struct numbers *m)
{
	free(m->v);
	m->v = NULL;
}

static inline int64_t random_number(enum kind kind)
{
	const int64_t v = random_sample((unsigned)kinds[kind].size * 8);
	return fit(kind, v, VX_CONVERT_POLICY_WRAP);
}

static inline struct numbers random_numbers(enum kind kind, vx_size n, const vx_size *dims)
{
	const struct numbers m = zero_numbers(kind, n, dims);
	for (size_t i = 0; i < count_of(&m); i++)
		m.v[i] = (int16_t)random_number(kind);
	return m;
}

/* From a place in the order of elements to an index in each dimension, and back; a dimension of size 1 stands for any index. */
static inline void indices_of(const struct numbers *m, size_t at, vx_size *index)
{
	for (vx_size d = 0; d < m->n; d++) {
		index[d] = at % m->dims[d];
		at /= m->dims[d];
	}
}

static inline size_t place_at(const struct numbers *m, const vx_size *index)
{
	size_t at = 0, step = 1;
	for (vx_size d = 0; d < m->n; d++) {
		at += (m->dims[d] == 1 ? 0 : index[d]) * step;
		step *= m->dims[d];
	}
	return at;
}

/* ---- bytes of elements ---- */
static inline void put_element(enum kind kind, uint8_t *at, int64_t v)
{
	for (size_t i = 0; i < kinds[kind].size; i++)
		at[i] = (uint8_t)((uint64_t)v >> 8 * i);
}

static inline int16_t get_element(enum kind kind, const uint8_t *at)
{
	int64_t v = 0;
	for (size_t i = 0; i < kinds[kind].size; i++)
		v |= (int64_t)at[i] << 8 * i;
	return (int16_t)fit(kind, v, VX_CONVERT_POLICY_WRAP);
}

/* Strides in bytes, with gaps of up to so many elements behind each dimension. */
static inline void strides_with_gaps(const struct numbers *m, uint32_t gap, vx_size *strides)
{
	strides[0] = kinds[m->kind].size;
	for (vx_size d = 1; d < m->n; d++)
		strides[d] = strides[d - 1] * m->dims[d - 1] + kinds[m->kind].size * (gap ? random_below(gap + 1) : 0);
}

static inline size_t offset_of(const struct numbers *m, size_t at, const vx_size *strides)
{
	vx_size index[DIMS_MAX];
	size_t offset = 0;
	indices_of(m, at, index);
	for (vx_size d = 0; d < m->n; d++)
		offset += index[d] * strides[d];
	return offset;
}

static inline void copy_numbers(vx_tensor t, const struct numbers *m, vx_enum usage)
{
	static const vx_size zeros[DIMS_MAX];
	const size_t count = count_of(m), size = kinds[m->kind].size;
	vx_size strides[DIMS_MAX];
	uint8_t *bytes = malloc(count * size);
	assert_non_null(bytes);
	strides_with_gaps(m, 0, strides);
	for (size_t i = 0; i < count; i++)
		put_element(m->kind, bytes + i * size, m->v[i]);
	RAN(vxCopyTensorPatch(t, m->n, zeros, m->dims, strides, bytes, usage, VX_MEMORY_TYPE_HOST));
	for (size_t i = 0; i < count; i++)
		m->v[i] = get_element(m->kind, bytes + i * size);
	free(bytes);
}

static inline vx_tensor new_tensor(enum kind kind, vx_size n, const vx_size *dims)
{
	vx_tensor t = vxCreateTensor(context, n, dims, kinds[kind].type, kinds[kind].position);
	CREATED(t);
	return t;
}

/* ---- where a tensor has its elements ---- */
/* A tensor of its own, a view of a larger one (place "region"), or one in memory with gaps between its dimensions. */
struct placed_tensor {
	vx_tensor tensor;
	struct numbers shape; /* without values */
	enum place place;
	vx_tensor whole;      /* a view's */
	struct numbers around;
	vx_size start[DIMS_MAX];
	uint8_t *bytes, *before; /* a handle's */
	size_t size, lead;
	vx_size strides[DIMS_MAX];
};

static inline size_t place_in_whole(const struct placed_tensor *p, size_t at)
{
	vx_size index[DIMS_MAX];
	size_t place = 0, step = 1;
	indices_of(&p->shape, at, index);
	for (vx_size d = 0; d < p->shape.n; d++) {
		place += (p->start[d] + index[d]) * step;
		step *= p->around.dims[d];
	}
	return place;
}

static inline void place_view(struct placed_tensor *p, const struct numbers *m)
{
	vx_size dims[DIMS_MAX], end[DIMS_MAX];
	for (vx_size d = 0; d < m->n; d++) {
		p->start[d] = random_below(3);
		end[d] = p->start[d] + m->dims[d];
		dims[d] = end[d] + random_below(3);
	}
	p->around = random_numbers(m->kind, m->n, dims);
	for (size_t i = 0; i < count_of(m); i++)
		p->around.v[place_in_whole(p, i)] = m->v[i];
	p->whole = new_tensor(m->kind, m->n, dims);
	copy_numbers(p->whole, &p->around, VX_WRITE_ONLY);
	p->tensor = vxCreateTensorFromView(p->whole, m->n, p->start, end);
}

static inline void place_in_memory(struct placed_tensor *p, const struct numbers *m)
{
	const size_t count = count_of(m), element = kinds[m->kind].size;
	strides_with_gaps(m, 3, p->strides);
	p->lead = element * random_below(5);
	p->size = p->lead + offset_of(m, count - 1, p->strides) + element;
	p->bytes = malloc(p->size);
	p->before = malloc(p->size);
	assert_true(p->bytes && p->before);
	for (size_t i = 0; i < p->size; i++)
		p->bytes[i] = (uint8_t)splitmix64(&seed);
	for (size_t i = 0; i < count; i++)
		put_element(m->kind, p->bytes + p->lead + offset_of(m, i, p->strides), m->v[i]);
	memcpy(p->before, p->bytes, p->size);
	p->tensor = vxCreateTensorFromHandle(context, m->n, m->dims, kinds[m->kind].type, kinds[m->kind].position, p->strides,
					     p->bytes + p->lead, VX_MEMORY_TYPE_HOST);
}

/* A tensor with these numbers. take_numbers or the comparisons end it. */
static inline struct placed_tensor place_numbers(const struct numbers *m, enum place place)
{
	struct placed_tensor p = {.shape = *m, .place = place};
	p.shape.v = NULL;
	if (place == PLACE_REGION) {
		place_view(&p, m);
	} else if (place == PLACE_HANDLE) {
		place_in_memory(&p, m);
	} else {
		p.tensor = new_tensor(m->kind, m->n, m->dims);
		copy_numbers(p.tensor, m, VX_WRITE_ONLY);
	}
	CREATED(p.tensor);
	return p;
}

/* A tensor for a result: random before, so that what is not written shows. */
static inline struct placed_tensor place_output(enum kind kind, vx_size n, const vx_size *dims, enum place place)
{
	struct numbers m = random_numbers(kind, n, dims);
	const struct placed_tensor p = place_numbers(&m, place);
	free_numbers(&m);
	return p;
}

/* The rest of the larger tensor is as it was. */
static inline void take_view(struct placed_tensor *p, const struct numbers *out)
{
	struct numbers now = zero_numbers(p->around.kind, p->around.n, p->around.dims);
	copy_numbers(p->whole, &now, VX_READ_ONLY);
	for (size_t i = 0; i < count_of(out); i++)
		p->around.v[place_in_whole(p, i)] = out->v[i] = now.v[place_in_whole(p, i)];
	if (memcmp(now.v, p->around.v, count_of(&now) * sizeof *now.v))
		fail_msg("%s: changed the tensor around the view; seed %llu", what, (unsigned long long)seed_first);
	free_numbers(&now);
	free_numbers(&p->around);
	RAN(vxReleaseTensor(&p->whole));
}

/* The gaps are as they were. */
static inline void take_memory(struct placed_tensor *p, const struct numbers *out)
{
	void *back = NULL;
	RAN(vxSwapTensorHandle(p->tensor, NULL, &back));
	assert_ptr_equal(back, p->bytes + p->lead);
	for (size_t i = 0; i < count_of(out); i++) {
		const size_t at = p->lead + offset_of(out, i, p->strides);
		out->v[i] = get_element(out->kind, p->bytes + at);
		memcpy(p->before + at, p->bytes + at, kinds[out->kind].size);
	}
	if (memcmp(p->bytes, p->before, p->size))
		fail_msg("%s: changed gaps between elements; seed %llu", what, (unsigned long long)seed_first);
	free(p->bytes);
	free(p->before);
}

/* What the tensor holds now; nothing around it may have changed. Ends the tensor. */
static inline struct numbers take_numbers(struct placed_tensor *p)
{
	const struct numbers out = zero_numbers(p->shape.kind, p->shape.n, p->shape.dims);
	if (p->place == PLACE_REGION)
		take_view(p, &out);
	else if (p->place == PLACE_HANDLE)
		take_memory(p, &out);
	else
		copy_numbers(p->tensor, &out, VX_READ_ONLY);
	RAN(vxReleaseTensor(&p->tensor));
	return out;
}

/* ---- comparisons ---- */
/* What an element may be: a number between two, both included; the second below the first: anything. Of numbers that are taken
 * modulo a range the second may lie beyond it. */
struct expected_numbers {
	struct numbers shape; /* without values */
	int64_t *low, *high;
};

static inline struct expected_numbers new_expected(enum kind kind, vx_size n, const vx_size *dims)
{
	struct expected_numbers e = {.shape = {.kind = kind, .n = n}};
	memcpy(e.shape.dims, dims, n * sizeof *dims);
	e.low = calloc(count_of(&e.shape), sizeof *e.low);
	e.high = calloc(count_of(&e.shape), sizeof *e.high);
	assert_true(e.low && e.high);
	return e;
}

static inline void expect_number(struct expected_numbers *e, size_t at, int64_t v) { e->low[at] = e->high[at] = v; }

/* One of some numbers that follow each other, as an element. */
static inline void expect_any_of(struct expected_numbers *e, size_t at, int64_t low, int64_t high, vx_enum policy)
{
	e->low[at] = fit(e->shape.kind, low, policy);
	e->high[at] = policy == VX_CONVERT_POLICY_SATURATE ? fit(e->shape.kind, high, policy) : e->low[at] + high - low;
}

static inline bool is_expected(const struct expected_numbers *e, size_t at, int64_t v)
{
	const int64_t range = kinds[e->shape.kind].most - kinds[e->shape.kind].least + 1;
	return e->high[at] < e->low[at] || (v >= e->low[at] && v <= e->high[at]) || v + range <= e->high[at];
}

static inline void compare_numbers(const struct expected_numbers *e, const struct numbers *got)
{
	vx_size index[DIMS_MAX] = {0};
	for (size_t i = 0; i < count_of(got); i++) {
		if (is_expected(e, i, got->v[i]))
			continue;
		indices_of(got, i, index);
		fail_msg("%s: %s, element %zu (%zu %zu %zu ...): %d, expected %lld to %lld; seed %llu", what, kinds[got->kind].name, i, index[0],
			 index[1], index[2], got->v[i], (long long)e->low[i], (long long)e->high[i], (unsigned long long)seed_first);
	}
}

/* Ends a result; frees what was expected. */
static inline void check_numbers(struct expected_numbers *e, struct placed_tensor *result)
{
	struct numbers got = take_numbers(result);
	compare_numbers(e, &got);
	free_numbers(&got);
	free(e->low);
	free(e->high);
}

/* Ends an input; frees its numbers. */
static inline void check_kept(struct numbers *before, struct placed_tensor *input)
{
	struct numbers now = take_numbers(input);
	for (size_t i = 0; i < count_of(&now); i++)
		if (now.v[i] != before->v[i])
			fail_msg("%s: changed element %zu of an input; seed %llu", what, i, (unsigned long long)seed_first);
	free_numbers(&now);
	free_numbers(before);
}

/* ---- shapes ---- */
/* Few elements, in any number of dimensions. */
static inline vx_size random_dims(vx_size n, vx_size *dims)
{
	static const uint32_t most[DIMS_MAX + 1] = {0, 300, 37, 14, 8, 6, 5};
	for (vx_size d = 0; d < n; d++)
		dims[d] = 1 + random_below(most[n]);
	return n;
}
#endif
