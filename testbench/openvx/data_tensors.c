/* Tensors: parts of them, views, memory of the application's, and the images in them. */
#include "testbench/openvx/data_kinds.h"

/* ---- tensors in plain memory ---- */
enum { DIMS = 4 };
static const struct { vx_enum type; size_t element; vx_int8 fixed_point; } types[] = {
	{VX_TYPE_UINT8, 1, 0}, {VX_TYPE_INT8, 1, 0}, {VX_TYPE_INT16, 2, 8}, {VX_TYPE_INT16, 2, 0},
};

/* Elements lie side by side, those of dimension 0 first. */
struct model {
	size_t type; /* in types */
	vx_size n, dims[DIMS];
	uint8_t *bytes;
};

/* Of a model: of dimensions behind the first n it is the first element. */
struct part { vx_size n, start[DIMS], end[DIMS]; };

static size_t element_of(const struct model *m) { return types[m->type].element; }

static size_t model_bytes(const struct model *m)
{
	size_t size = element_of(m);
	for (vx_size i = 0; i < m->n; i++)
		size *= m->dims[i];
	return size;
}

static struct model random_model(size_t type, vx_size n, const vx_size *dims)
{
	struct model m = {.type = type, .n = n};
	memcpy(m.dims, dims, n * sizeof *dims);
	m.bytes = new_bytes(model_bytes(&m));
	return m;
}

static struct part whole_of(const struct model *m)
{
	struct part p = {.n = m->n};
	memcpy(p.end, m->dims, sizeof p.end);
	return p;
}

static struct part random_part(const struct model *m)
{
	struct part p = {.n = 1 + random_below((uint32_t)m->n)};
	for (vx_size i = 0; i < p.n; i++) {
		p.start[i] = random_below((uint32_t)m->dims[i]);
		p.end[i] = p.start[i] + 1 + random_below((uint32_t)(m->dims[i] - p.start[i]));
	}
	return p;
}

/* Strides of memory for a part, with gaps of up to so many elements. */
static void strides_of(const struct part *p, size_t element, uint32_t gap, vx_size *strides)
{
	strides[0] = element;
	for (vx_size i = 1; i < p->n; i++)
		strides[i] = strides[i - 1] * (p->end[i - 1] - p->start[i - 1]) + element * random_below(gap + 1);
}

static size_t span_of(const struct part *p, size_t element, const vx_size *strides)
{
	size_t span = element;
	for (vx_size i = 0; i < p->n; i++)
		span += (p->end[i] - p->start[i] - 1) * strides[i];
	return span;
}

/* Between a part of the model and memory with strides. */
static void move_part(struct model *m, const struct part *p, uint8_t *bytes, const vx_size *strides, bool into_model)
{
	vx_size at[DIMS], i;
	memcpy(at, p->start, sizeof at);
	do {
		const size_t size = element_of(m);
		size_t here = 0, there = 0, step = size;
		for (i = 0; i < p->n; i++) {
			here += at[i] * step;
			there += (at[i] - p->start[i]) * strides[i];
			step *= m->dims[i];
		}
		memcpy(into_model ? m->bytes + here : bytes + there, into_model ? bytes + there : m->bytes + here, size);
		for (i = 0; i < p->n && ++at[i] == p->end[i]; i++)
			at[i] = p->start[i];
	} while (i < p->n);
}

/* A part by itself, and back into the whole. */
static struct model gather(struct model *m, const struct part *p)
{
	struct model of = {.type = m->type, .n = p->n};
	vx_size strides[DIMS];
	for (vx_size i = 0; i < p->n; i++)
		of.dims[i] = p->end[i] - p->start[i];
	of.bytes = malloc(model_bytes(&of));
	assert_non_null(of.bytes);
	strides_of(p, element_of(m), 0, strides);
	move_part(m, p, of.bytes, strides, false);
	return of;
}

static void scatter(struct model *m, const struct part *p, const struct model *of)
{
	vx_size strides[DIMS];
	strides_of(p, element_of(m), 0, strides);
	move_part(m, p, of->bytes, strides, true);
}

/* ---- tensors and their models ---- */
static vx_status copy_whole(vx_tensor t, const struct model *m, uint8_t *bytes, vx_enum usage)
{
	const struct part p = whole_of(m);
	vx_size strides[DIMS];
	strides_of(&p, element_of(m), 0, strides);
	return vxCopyTensorPatch(t, p.n, p.start, p.end, strides, bytes, usage, VX_MEMORY_TYPE_HOST);
}

static vx_tensor tensor_of(const struct model *m)
{
	vx_tensor t = vxCreateTensor(context, m->n, m->dims, types[m->type].type, types[m->type].fixed_point);
	CREATED(t);
	RAN(copy_whole(t, m, m->bytes, VX_WRITE_ONLY));
	return t;
}

static void expect_tensor(vx_tensor t, const struct model *m)
{
	const size_t size = model_bytes(m);
	uint8_t *seen = calloc(size, 1);
	assert_non_null(seen);
	RAN(copy_whole(t, m, seen, VX_READ_ONLY));
	expect_bytes(m->bytes, seen, size);
	free(seen);
}

static void expect_shape(vx_tensor t, const struct model *m)
{
	vx_size n = 0, dims[DIMS] = {0};
	vx_enum type = 0;
	vx_int8 fixed_point = 99;
	RAN(vxQueryTensor(t, VX_TENSOR_NUMBER_OF_DIMS, &n, sizeof n));
	RAN(vxQueryTensor(t, VX_TENSOR_DIMS, dims, m->n * sizeof *dims));
	RAN(vxQueryTensor(t, VX_TENSOR_DATA_TYPE, &type, sizeof type));
	RAN(vxQueryTensor(t, VX_TENSOR_FIXED_POINT_POSITION, &fixed_point, sizeof fixed_point));
	assert_int_equal(n, m->n);
	assert_memory_equal(dims, m->dims, m->n * sizeof *dims);
	assert_int_equal(type, types[m->type].type);
	assert_int_equal(fixed_point, types[m->type].fixed_point);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryTensor(t, VX_TENSOR_DIMS, dims, (m->n - 1) * sizeof *dims));
}

/* Reads a part into memory with gaps, then writes it from there; the gaps stay. */
static void copy_part(vx_tensor t, struct model *m, const struct part *p, vx_enum memory)
{
	vx_size strides[DIMS];
	strides_of(p, element_of(m), 3, strides);
	const size_t size = span_of(p, element_of(m), strides);
	uint8_t *junk = new_bytes(size), *expected = malloc(size);
	assert_non_null(expected);
	memcpy(expected, junk, size);
	move_part(m, p, expected, strides, false);
	struct memory out = open_memory(memory, junk, size), in = open_memory(memory, junk, size);
	RAN(vxCopyTensorPatch(t, p->n, p->start, p->end, strides, memory_ptr(&out), VX_READ_ONLY, memory));
	RAN(vxCopyTensorPatch(t, p->n, p->start, p->end, strides, memory_ptr(&in), VX_WRITE_ONLY, memory));
	close_memory(&out, expected);
	close_memory(&in, junk);
	move_part(m, p, junk, strides, true);
	free(junk);
	free(expected);
}

static void expect_mapped(struct model *m, const struct part *p, uint8_t *mapped, const vx_size *strides)
{
	struct model expected = gather(m, p), seen = gather(m, p);
	const struct part all = whole_of(&seen);
	memset(seen.bytes, 0, model_bytes(&seen));
	move_part(&seen, &all, mapped, strides, true);
	expect_bytes(expected.bytes, seen.bytes, model_bytes(&seen));
	free(expected.bytes);
	free(seen.bytes);
}

static void map_part(vx_tensor t, struct model *m, const struct part *p, vx_enum usage, vx_enum memory)
{
	vx_size strides[DIMS] = {0};
	vx_map_id id = 0;
	void *ptr = NULL;
	RAN(vxMapTensorPatch(t, p->n, p->start, p->end, &id, strides, &ptr, usage, memory));
	assert_int_equal(strides[0], element_of(m));
	for (vx_size i = 1; i < p->n; i++)
		assert_true(strides[i] >= strides[i - 1] * (p->end[i - 1] - p->start[i - 1]));
	const size_t span = span_of(p, element_of(m), strides);
	uint8_t *copy = memory == VX_MEMORY_TYPE_HOST ? NULL : malloc(span), *mapped = copy ? copy : ptr;
	if (copy)
		read_buffer(ptr, copy, span);
	if (usage != VX_WRITE_ONLY)
		expect_mapped(m, p, mapped, strides);
	if (usage != VX_READ_ONLY) {
		struct model data = gather(m, p);
		free(data.bytes);
		data.bytes = new_bytes(model_bytes(&data));
		scatter(m, p, &data);
		move_part(m, p, mapped, strides, false);
		free(data.bytes);
		if (copy)
			write_buffer(ptr, copy, span);
	}
	RAN(vxUnmapTensorPatch(t, id));
	free(copy);
}

/* ---- whole tensors and parts ---- */
static void tensors(void **state)
{
	static const struct { vx_size n, dims[DIMS]; } shapes[] = {
		{1, {1}}, {1, {37}}, {2, {5, 3}}, {2, {70, 33}}, {2, {1, 9}}, {3, {5, 4, 3}}, {3, {1, 7, 2}}, {3, {33, 2, 5}},
		{4, {3, 4, 2, 5}}, {4, {2, 1, 1, 9}}, {4, {1, 1, 1, 1}},
	};
	static const vx_enum usages[] = {VX_READ_ONLY, VX_READ_AND_WRITE, VX_WRITE_ONLY};
	(void)state;
	for (size_t i = 0; i < COUNT(shapes) * COUNT(types); i++) {
		struct model m = random_model(i % COUNT(types), shapes[i / COUNT(types)].n, shapes[i / COUNT(types)].dims);
		now_testing("tensor of type 0x%x, shape %zu", (unsigned)types[m.type].type, i / COUNT(types));
		vx_tensor t = tensor_of(&m);
		expect_shape(t, &m);
		expect_tensor(t, &m);
		for (unsigned round = 0; round < 12; round++) {
			const struct part copied = random_part(&m), mapped = random_part(&m);
			const vx_enum memory = memories[round % COUNT(memories)].type;
			now_testing("tensor of type 0x%x, shape %zu, part %u in %s memory", (unsigned)types[m.type].type,
				    i / COUNT(types), round, memories[round % COUNT(memories)].name);
			copy_part(t, &m, &copied, memory);
			expect_tensor(t, &m);
			map_part(t, &m, &mapped, usages[round / 2 % COUNT(usages)], memory);
			expect_tensor(t, &m);
		}
		RAN(vxReleaseTensor(&t));
		free(m.bytes);
	}
}

static void limits(void **state)
{
	const vx_size dims[DIMS] = {5, 4, 3, 2}, flat[DIMS] = {5, 0, 3, 2};
	vx_size most = 0, twos[64], seen[64];
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	RAN(vxQueryContext(context, VX_CONTEXT_MAX_TENSOR_DIMS, &most, sizeof most));
	assert_in_range(most, 4, COUNT(twos) - 1);
	for (size_t i = 0; i < COUNT(twos); i++)
		twos[i] = i < 12 ? 2 : 1;
	now_testing("tensor of %zu dimensions", most);
	vx_tensor t = vxCreateTensor(context, most, twos, VX_TYPE_UINT8, 0);
	CREATED(t);
	RAN(vxQueryTensor(t, VX_TENSOR_DIMS, seen, most * sizeof *seen));
	assert_memory_equal(seen, twos, most * sizeof *seen);
	RAN(vxReleaseTensor(&t));
	NOT_CREATED(vxCreateTensor(context, most + 1, twos, VX_TYPE_UINT8, 0));
	NOT_CREATED(vxCreateVirtualTensor(graph, most + 1, twos, VX_TYPE_UINT8, 0));
	NOT_CREATED(vxCreateTensor(context, 0, dims, VX_TYPE_UINT8, 0));
	NOT_CREATED(vxCreateTensor(context, 3, NULL, VX_TYPE_UINT8, 0));
	NOT_CREATED(vxCreateTensor(context, 3, flat, VX_TYPE_UINT8, 0));
	NOT_CREATED(vxCreateTensor(context, 3, dims, VX_TYPE_INVALID, 0));
	NOT_CREATED(vxCreateTensor(context, 3, dims, VX_TYPE_IMAGE, 0));
	NOT_CREATED(vxCreateVirtualTensor(graph, 3, dims, VX_TYPE_IMAGE, 0));
	/* a virtual one does not need sizes yet */
	t = vxCreateVirtualTensor(graph, 3, (const vx_size[]){0, 0, 0}, VX_TYPE_UINT8, 0);
	CREATED(t);
	RAN(vxReleaseTensor(&t));
	RAN(vxReleaseGraph(&graph));
}

static void refuse_part(vx_tensor t, const struct part *p)
{
	static const vx_size strides[DIMS] = {2, 10, 40, 120};
	static uint8_t bytes[1024];
	vx_size seen[DIMS] = {0};
	vx_map_id id = 0;
	void *ptr = NULL;
	for (size_t m = 0; m < COUNT(memories); m++) {
		struct memory user = open_memory(memories[m].type, bytes, sizeof bytes);
		void *at = memory_ptr(&user);
		REFUSED(VX_ERROR_INVALID_PARAMETERS,
			vxCopyTensorPatch(t, p->n, p->start, p->end, strides, at, VX_READ_ONLY, memories[m].type));
		REFUSED(VX_ERROR_INVALID_PARAMETERS,
			vxCopyTensorPatch(t, p->n, p->start, p->end, strides, at, VX_WRITE_ONLY, memories[m].type));
		REFUSED(VX_ERROR_INVALID_PARAMETERS,
			vxMapTensorPatch(t, p->n, p->start, p->end, &id, seen, &ptr, VX_READ_ONLY, memories[m].type));
		close_memory(&user, bytes);
	}
}

static void bad_parts(void **state)
{
	static const struct part bad[] = {
		{0, {0}, {1}}, {4, {0}, {1, 1, 1, 1}}, {3, {0}, {6, 4, 3}}, {3, {0}, {5, 4, 4}}, {3, {2, 0, 0}, {2, 4, 3}},
		{3, {0, 3, 0}, {5, 2, 3}}, {3, {0}, {5, 4, 0}}, {1, {5}, {6}}, {3, {0}, {5, 4, SIZE_MAX}},
		{2, {SIZE_MAX}, {1, 1}},
	};
	static const vx_enum memory = VX_MEMORY_TYPE_HOST;
	const struct part p = {3, {0}, {5, 4, 3}};
	const vx_size strides[DIMS] = {2, 10, 40}, narrow[DIMS] = {1, 10, 40}, wide[DIMS] = {4, 20, 80};
	uint8_t bytes[1024] = {0};
	vx_map_id id = 0;
	void *ptr = NULL;
	(void)state;
	struct model m = random_model(2, 3, p.end);
	now_testing("tensor, bad parts");
	vx_tensor t = tensor_of(&m);
	for (size_t i = 0; i < COUNT(bad); i++) {
		now_testing("tensor, bad part %zu", i);
		refuse_part(t, &bad[i]);
	}
	now_testing("tensor, part in bad memory");
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyTensorPatch(t, 3, p.start, p.end, narrow, bytes, VX_READ_ONLY, memory));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyTensorPatch(t, 3, p.start, p.end, wide, bytes, VX_READ_ONLY, memory));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyTensorPatch(t, 3, NULL, p.end, strides, bytes, VX_READ_ONLY, memory));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyTensorPatch(t, 3, p.start, NULL, strides, bytes, VX_READ_ONLY, memory));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyTensorPatch(t, 3, p.start, p.end, NULL, bytes, VX_READ_ONLY, memory));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapTensorPatch(t, 3, p.start, p.end, &id, NULL, &ptr, VX_READ_ONLY, memory));
	expect_tensor(t, &m);
	RAN(vxReleaseTensor(&t));
	free(m.bytes);
}

/* ---- views ---- */
static vx_tensor view_of(vx_tensor t, const struct part *p)
{
	vx_tensor view = vxCreateTensorFromView(t, p->n, p->start, p->end);
	CREATED(view);
	return view;
}

/* What is written through one is seen through the other. */
static void check_view(vx_tensor t, struct model *m, vx_tensor view, const struct part *p)
{
	struct model mine = gather(m, p);
	expect_shape(view, &mine);
	expect_tensor(view, &mine);
	for (size_t i = 0; i < 2 * COUNT(memories); i++) {
		const vx_enum memory = memories[i / 2].type;
		const struct part copied = random_part(&mine), mapped = random_part(&mine), around = random_part(m);
		copy_part(view, &mine, &copied, memory);
		scatter(m, p, &mine);
		expect_tensor(t, m);
		map_part(view, &mine, &mapped, VX_READ_AND_WRITE, memory);
		scatter(m, p, &mine);
		expect_tensor(t, m);
		copy_part(t, m, &around, memory);
		free(mine.bytes);
		mine = gather(m, p);
		expect_tensor(view, &mine);
	}
	free(mine.bytes);
}

static const vx_size view_dims[3] = {6, 5, 4};

static void views(void **state)
{
	static const struct part parts[] = {
		{3, {1, 2, 1}, {5, 5, 3}}, {3, {0, 0, 0}, {6, 5, 4}}, {3, {5, 4, 3}, {6, 5, 4}}, {2, {2, 1}, {6, 4}},
		{1, {3}, {4}},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(parts) * COUNT(types); i++) {
		const struct part *p = &parts[i / COUNT(types)];
		struct model m = random_model(i % COUNT(types), 3, view_dims);
		now_testing("view %zu of a tensor of type 0x%x", i / COUNT(types), (unsigned)types[m.type].type);
		vx_tensor t = tensor_of(&m), view = view_of(t, p);
		check_view(t, &m, view, p);
		RAN(vxReleaseTensor(&view));
		expect_tensor(t, &m);
		RAN(vxReleaseTensor(&t));
		free(m.bytes);
	}
}

/* A view of a view; they outlive the tensor. */
static void nested_views(void **state)
{
	static const struct part outer = {3, {1, 1, 1}, {6, 5, 4}}, inner = {2, {1, 2}, {4, 4}};
	(void)state;
	now_testing("view of a view");
	struct model m = random_model(2, 3, view_dims), middle = gather(&m, &outer);
	vx_tensor t = tensor_of(&m), first = view_of(t, &outer), second = view_of(first, &inner);
	check_view(first, &middle, second, &inner);
	scatter(&m, &outer, &middle);
	expect_tensor(t, &m);
	RAN(vxReleaseTensor(&t));
	check_view(first, &middle, second, &inner);
	RAN(vxReleaseTensor(&first));
	struct model last = gather(&middle, &inner);
	expect_tensor(second, &last);
	RAN(vxReleaseTensor(&second));
	free(m.bytes);
	free(middle.bytes);
	free(last.bytes);
}

static void bad_views(void **state)
{
	static const struct part bad[] = {
		{0, {0}, {1}}, {4, {0}, {1, 1, 1, 1}}, {3, {0}, {7, 5, 4}}, {3, {0}, {6, 5, 5}}, {3, {2, 2, 2}, {2, 3, 3}},
		{3, {2, 3, 2}, {3, 2, 3}}, {1, {6}, {7}}, {1, {SIZE_MAX}, {1}},
	};
	const struct part good = {3, {0}, {6, 5, 4}};
	(void)state;
	struct model m = random_model(0, 3, view_dims);
	now_testing("tensor, bad views");
	vx_tensor t = tensor_of(&m), kept = t;
	for (size_t i = 0; i < COUNT(bad); i++) {
		now_testing("tensor, bad view %zu", i);
		NOT_CREATED(vxCreateTensorFromView(t, bad[i].n, bad[i].start, bad[i].end));
	}
	NOT_CREATED(vxCreateTensorFromView(t, 3, NULL, good.end));
	NOT_CREATED(vxCreateTensorFromView(t, 3, good.start, NULL));
	NOT_CREATED(vxCreateTensorFromView(NULL, 3, good.start, good.end));
	NOT_CREATED(vxCreateTensorFromView((vx_tensor)context, 3, good.start, good.end));
	RAN(vxReleaseTensor(&t));
	NOT_CREATED(vxCreateTensorFromView(kept, 3, good.start, good.end));
	free(m.bytes);
}

/* ---- tensors in memory of the application's ---- */
static const vx_size handle_dims[3] = {5, 4, 3};

/* Rows and planes have gaps. */
static void handle_strides(size_t element, vx_size *strides)
{
	strides[0] = element;
	strides[1] = 7 * element;
	strides[2] = 6 * 7 * element;
}

/* Memory for a model; before is what there has to be in it, when it comes back. */
struct handle { uint8_t *bytes, *before; size_t lead, size; cl_mem buffer; };

static struct handle new_handle(struct model *m, vx_enum memory, size_t lead)
{
	const struct part all = whole_of(m);
	vx_size strides[DIMS];
	handle_strides(element_of(m), strides);
	struct handle h = {.lead = lead, .size = lead + span_of(&all, element_of(m), strides)};
	h.bytes = new_bytes(h.size);
	move_part(m, &all, h.bytes + lead, strides, false);
	h.before = malloc(h.size);
	assert_non_null(h.before);
	memcpy(h.before, h.bytes, h.size);
	if (memory == VX_MEMORY_TYPE_OPENCL_BUFFER)
		h.buffer = new_buffer(cl, h.bytes, h.size);
	return h;
}

static void *handle_ptr(const struct handle *h) { return h->buffer ? (void *)h->buffer : (void *)(h->bytes + h->lead); }

/* The memory is the application's again: the model is in it, and nothing else has changed. */
static void end_handle(struct handle *h, struct model *m)
{
	const struct part all = whole_of(m);
	vx_size strides[DIMS];
	handle_strides(element_of(m), strides);
	move_part(m, &all, h->before + h->lead, strides, false);
	if (h->buffer) {
		read_buffer(h->buffer, h->bytes, h->size);
		assert_int_equal(clReleaseMemObject(h->buffer), CL_SUCCESS);
	}
	expect_bytes(h->before, h->bytes, h->size);
	free(h->bytes);
	free(h->before);
}

static vx_tensor tensor_in(const struct handle *h, const struct model *m, vx_enum memory)
{
	vx_size strides[DIMS];
	handle_strides(element_of(m), strides);
	vx_tensor t = vxCreateTensorFromHandle(context, m->n, m->dims, types[m->type].type, types[m->type].fixed_point, strides,
					       handle_ptr(h), memory);
	CREATED(t);
	return t;
}

static void use_parts(vx_tensor t, struct model *m)
{
	for (unsigned round = 0; round < 6; round++) {
		const struct part copied = random_part(m), mapped = random_part(m);
		copy_part(t, m, &copied, memories[round % 2].type);
		map_part(t, m, &mapped, VX_READ_AND_WRITE, memories[round % 2].type);
		expect_tensor(t, m);
	}
}

static void refuse_swaps(vx_tensor t, vx_tensor view)
{
	vx_size strides[DIMS];
	vx_map_id id = 0;
	void *ptr = NULL;
	RAN(vxMapTensorPatch(t, 3, NULL, NULL, &id, strides, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	REFUSED(VX_FAILURE, vxSwapTensorHandle(t, NULL, NULL));
	RAN(vxUnmapTensorPatch(t, id));
	FAILED(vxSwapTensorHandle(view, NULL, NULL));
}

/* From one memory to another, to none, and to one again. */
static void swap_handles(size_t type, vx_enum memory)
{
	static const struct part inside = {3, {1, 1, 1}, {4, 3, 3}};
	struct model models[3];
	struct handle handles[3];
	void *previous = NULL;
	for (unsigned i = 0; i < 3; i++) {
		models[i] = random_model(type, 3, handle_dims);
		handles[i] = new_handle(&models[i], memory, memory == VX_MEMORY_TYPE_HOST ? i * 3 * types[type].element : 0);
	}
	vx_tensor t = tensor_in(&handles[0], &models[0], memory), view = view_of(t, &inside);
	expect_shape(t, &models[0]);
	expect_tensor(t, &models[0]);
	use_parts(t, &models[0]);
	RAN(vxSwapTensorHandle(t, handle_ptr(&handles[1]), &previous));
	assert_ptr_equal(previous, handle_ptr(&handles[0]));
	end_handle(&handles[0], &models[0]);
	expect_tensor(t, &models[1]);
	check_view(t, &models[1], view, &inside);
	refuse_swaps(t, view);
	use_parts(t, &models[1]);
	RAN(vxSwapTensorHandle(t, NULL, &previous));
	assert_ptr_equal(previous, handle_ptr(&handles[1]));
	end_handle(&handles[1], &models[1]);
	FAILED(copy_whole(t, &models[1], models[1].bytes, VX_READ_ONLY));
	RAN(vxSwapTensorHandle(t, handle_ptr(&handles[2]), NULL));
	expect_tensor(t, &models[2]);
	use_parts(t, &models[2]);
	RAN(vxSwapTensorHandle(t, NULL, NULL));
	end_handle(&handles[2], &models[2]);
	RAN(vxReleaseTensor(&view));
	RAN(vxReleaseTensor(&t));
	for (unsigned i = 0; i < 3; i++)
		free(models[i].bytes);
}

static void handles_of_applications(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(types) * COUNT(memories); i++) {
		now_testing("tensor of type 0x%x in %s memory of the application's", (unsigned)types[i / 2].type,
			    memories[i % 2].name);
		swap_handles(i / 2, memories[i % 2].type);
	}
}

static void bad_handles(void **state)
{
	(void)state;
	struct model m = random_model(2, 3, handle_dims);
	const vx_size good[3] = {2, 14, 84}, narrow[3] = {1, 14, 84}, wide[3] = {4, 20, 80}, flat[3] = {5, 0, 3};
	const vx_enum type = VX_TYPE_INT16, host = VX_MEMORY_TYPE_HOST, opencl = VX_MEMORY_TYPE_OPENCL_BUFFER;
	uint8_t bytes[512] = {0};
	void *previous = NULL;
	now_testing("tensor from a bad handle");
	NOT_CREATED(vxCreateTensorFromHandle(context, 3, m.dims, type, 0, NULL, bytes, host));
	NOT_CREATED(vxCreateTensorFromHandle(context, 3, m.dims, type, 0, narrow, bytes, host));
	NOT_CREATED(vxCreateTensorFromHandle(context, 3, m.dims, type, 0, wide, bytes, host));
	NOT_CREATED(vxCreateTensorFromHandle(context, 3, flat, type, 0, good, bytes, host));
	NOT_CREATED(vxCreateTensorFromHandle(context, 3, NULL, type, 0, good, bytes, host));
	NOT_CREATED(vxCreateTensorFromHandle(context, 0, m.dims, type, 0, good, bytes, host));
	NOT_CREATED(vxCreateTensorFromHandle(context, 3, m.dims, VX_TYPE_IMAGE, 0, good, bytes, host));
	NOT_CREATED(vxCreateTensorFromHandle(NULL, 3, m.dims, type, 0, good, bytes, host));
	for (size_t i = 0; i < COUNT(no_memories); i++)
		NOT_CREATED(vxCreateTensorFromHandle(context, 3, m.dims, type, 0, good, bytes, no_memories[i]));
	/* the last element is at 2 * 84 + 3 * 14 + 4 * 2 */
	cl_mem small = new_buffer(cl, bytes, 219);
	NOT_CREATED(vxCreateTensorFromHandle(context, 3, m.dims, type, 0, good, small, opencl));
	NOT_CREATED(vxCreateTensorFromHandle(context, 3, m.dims, type, 0, good, queue, opencl));
	clReleaseMemObject(small);
	now_testing("tensor that has no handle");
	vx_tensor t = tensor_of(&m);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSwapTensorHandle(t, NULL, &previous));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSwapTensorHandle(NULL, bytes, &previous));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSwapTensorHandle((vx_tensor)context, bytes, &previous));
	expect_tensor(t, &m);
	RAN(vxReleaseTensor(&t));
	free(m.bytes);
}

/* ---- images in tensors ---- */
static const vx_size stack_dims[3] = {7, 6, 5};
static const vx_rectangle_t stack_rect = {2, 1, 7, 5};

static vx_image image_in(vx_object_array array, vx_uint32 i, vx_df_image format)
{
	vx_image image = (vx_image)vxGetObjectArrayItem(array, i);
	expect_image(image, stack_rect.end_x - stack_rect.start_x, stack_rect.end_y - stack_rect.start_y, format);
	return image;
}

/* Of a tensor of planes, some steps apart: images and tensor have the same data. */
static void check_images(vx_tensor t, struct model *m, vx_size steps, vx_df_image format)
{
	const vx_size count = 1 + (m->dims[2] - 1) / steps, plane = m->dims[0] * m->dims[1] * element_of(m);
	vx_object_array array = vxCreateImageObjectArrayFromTensor(t, &stack_rect, count, steps * plane, format);
	vx_enum type = 0;
	vx_size seen_count = 0;
	CREATED(array);
	RAN(vxQueryObjectArray(array, VX_OBJECT_ARRAY_ITEMTYPE, &type, sizeof type));
	RAN(vxQueryObjectArray(array, VX_OBJECT_ARRAY_NUMITEMS, &seen_count, sizeof seen_count));
	assert_int_equal(type, VX_TYPE_IMAGE);
	assert_int_equal(seen_count, count);
	for (vx_uint32 i = 0; i < 2 * count; i++) {
		const vx_size z = i % count * steps;
		const struct part p = {3, {stack_rect.start_x, stack_rect.start_y, z},
				       {stack_rect.end_x, stack_rect.end_y, z + 1}};
		struct model mine = gather(m, &p);
		struct pixels seen = zero_pixels((vx_uint32)mine.dims[0], (vx_uint32)mine.dims[1], format);
		vx_image image = image_in(array, (vx_uint32)(i % count), format);
		download(image, &seen);
		expect_bytes(mine.bytes, seen.bytes, bytes_in_all(&seen));
		free_pixels(&seen);
		seen = random_pixels((vx_uint32)mine.dims[0], (vx_uint32)mine.dims[1], format);
		upload(image, &seen);
		memcpy(mine.bytes, seen.bytes, bytes_in_all(&seen));
		scatter(m, &p, &mine);
		expect_tensor(t, m);
		const struct part around = random_part(m);
		copy_part(t, m, &around, VX_MEMORY_TYPE_HOST);
		RAN(vxReleaseImage(&image));
		free_pixels(&seen);
		free(mine.bytes);
	}
	RAN(vxReleaseObjectArray(&array));
}

static void images_in_tensors(void **state)
{
	static const struct { size_t type; vx_df_image format; } pairs[] = {{0, VX_DF_IMAGE_U8}, {2, VX_DF_IMAGE_S16}};
	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct model m = random_model(pairs[i].type, 3, stack_dims);
		now_testing("images of %.4s in a tensor", (const char *)&pairs[i].format);
		vx_tensor t = tensor_of(&m);
		for (vx_size steps = 1; steps < 4; steps++) {
			now_testing("images of %.4s in a tensor, %zu planes apart", (const char *)&pairs[i].format, steps);
			check_images(t, &m, steps, pairs[i].format);
		}
		expect_tensor(t, &m);
		RAN(vxReleaseTensor(&t));
		free(m.bytes);
	}
}

static void bad_images(void **state)
{
	static const vx_rectangle_t outside[] = {{0, 0, 8, 6}, {0, 0, 7, 7}, {3, 0, 3, 6}, {0, 4, 7, 4}, {4, 0, 2, 6}};
	const vx_df_image u8 = VX_DF_IMAGE_U8;
	enum { PLANE = 7 * 6 };
	(void)state;
	struct model m = random_model(0, 3, stack_dims), flat = random_model(0, 2, stack_dims);
	struct model deep = random_model(0, 4, (const vx_size[DIMS]){7, 6, 5, 2});
	now_testing("images in a tensor, wrongly");
	vx_tensor t = tensor_of(&m), two = tensor_of(&flat), four = tensor_of(&deep);
	for (size_t i = 0; i < COUNT(outside); i++) {
		now_testing("images in a tensor, bad rectangle %zu", i);
		NOT_CREATED(vxCreateImageObjectArrayFromTensor(t, &outside[i], 5, PLANE, u8));
	}
	now_testing("images in a tensor, wrongly");
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(t, NULL, 5, PLANE, u8));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(t, &stack_rect, 0, PLANE, u8));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(t, &stack_rect, 6, PLANE, u8));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(t, &stack_rect, 4, 2 * PLANE, u8));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(t, &stack_rect, 5, PLANE, VX_DF_IMAGE_S16));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(t, &stack_rect, 5, PLANE, VX_DF_IMAGE_RGB));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(t, &stack_rect, 5, PLANE, VX_DF_IMAGE_VIRT));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(two, &stack_rect, 1, PLANE, u8));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(four, &stack_rect, 5, PLANE, u8));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor(NULL, &stack_rect, 5, PLANE, u8));
	NOT_CREATED(vxCreateImageObjectArrayFromTensor((vx_tensor)context, &stack_rect, 5, PLANE, u8));
	RAN(vxReleaseTensor(&t));
	RAN(vxReleaseTensor(&two));
	RAN(vxReleaseTensor(&four));
	free(m.bytes);
	free(flat.bytes);
	free(deep.bytes);
}

/* Views of views: there is an end to them, too. */
static void views_of_views(void **state)
{
	(void)state;
	const vx_size dims[2] = {4, 4}, start[2] = {0, 0};
	vx_tensor tensor = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0), view = NULL;
	vx_status status = VX_SUCCESS;
	vx_uint32 depth = 0;
	while (!status && depth < 100000) {
		view = vxCreateTensorFromView(tensor, 2, start, dims);
		status = vxGetStatus((vx_reference)view);
		if (!status) {
			RAN(vxReleaseTensor(&tensor));
			tensor = view;
			depth++;
		}
	}
	assert_int_equal(status, VX_ERROR_NO_RESOURCES);
	assert_true(depth >= 1000);
	RAN(vxReleaseTensor(&tensor));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tensors), cmocka_unit_test(limits), cmocka_unit_test(bad_parts),
		cmocka_unit_test(views), cmocka_unit_test(nested_views), cmocka_unit_test(views_of_views), cmocka_unit_test(bad_views),
		cmocka_unit_test(handles_of_applications), cmocka_unit_test(bad_handles),
		cmocka_unit_test(images_in_tensors), cmocka_unit_test(bad_images),
	};
	return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
