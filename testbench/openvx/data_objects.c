/* Data objects: what holds for every kind of them; and scalars, arrays and user data objects by themselves. */
#include "testbench/openvx/data_kinds.h"

/* ---- every kind: life and attributes ---- */
static void attributes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		uint8_t value[64];
		vx_uint32 count = 0;
		now_testing("%s", k->name);
		vx_reference ref = made(k);
		check_attributes(k, ref, false);
		RAN(vxQueryReference(ref, VX_REFERENCE_COUNT, &count, sizeof count));
		assert_int_equal(count, 1);
		assert_ptr_equal(vxGetContext(ref), context);
		for (size_t a = 0; a < COUNT(k->attributes) && k->attributes[a].size; a++) {
			const vx_enum attribute = k->attributes[a].attribute;
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->query(ref, attribute, value, k->attributes[a].size - 1));
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->query(ref, attribute, value, 0));
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->query(ref, attribute, NULL, k->attributes[a].size));
		}
		REFUSED(VX_ERROR_NOT_SUPPORTED, k->query(ref, VX_IMAGE_WIDTH, value, sizeof(vx_uint32)));
		REFUSED(VX_ERROR_NOT_SUPPORTED, k->query(ref, 0, value, sizeof(vx_uint32)));
		REFUSED(VX_ERROR_NOT_SUPPORTED, k->query(ref, k->attributes[0].attribute + 0x80, value, sizeof(vx_uint32)));
		ended(k, &ref);
	}
}

/* The last reference ends an object. */
static void references(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		now_testing("%s", k->name);
		vx_reference ref = made(k), kept = ref;
		RAN(vxRetainReference(ref));
		ended(k, &ref);
		check_attributes(k, kept, false);
		ref = kept;
		RAN(vxReleaseReference(&kept));
		assert_null(kept);
		REFUSED(VX_ERROR_INVALID_REFERENCE, k->release(&ref));
		REFUSED(VX_ERROR_INVALID_REFERENCE, k->release(NULL));
	}
}

/* ---- every kind: references that are none of it ---- */
static void refuse_reference(const struct kind *k, vx_reference ref)
{
	static uint8_t bytes[LUT_COUNT * 2];
	struct view view;
	vx_map_id id = 0;
	void *ptr = NULL;
	vx_reference released = ref;
	REFUSED(VX_ERROR_INVALID_REFERENCE, k->query(ref, k->attributes[0].attribute, bytes, k->attributes[0].size));
	REFUSED(VX_ERROR_INVALID_REFERENCE, k->release(&released));
	assert_ptr_equal(released, ref);
	if (k->copy) {
		REFUSED(VX_ERROR_INVALID_REFERENCE, k->copy(ref, bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		REFUSED(VX_ERROR_INVALID_REFERENCE, k->copy(ref, bytes, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	}
	if (k->map) {
		REFUSED(VX_ERROR_INVALID_REFERENCE, k->map(ref, &id, &ptr, &view, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		REFUSED(VX_ERROR_INVALID_REFERENCE, k->unmap(ref, id));
	}
}

static void strangers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i], *next = &kinds[(i + 1) % COUNT(kinds)];
		now_testing("%s", k->name);
		vx_reference stranger = made(next), ref = made(k), kept = ref;
		refuse_reference(k, NULL);
		refuse_reference(k, (vx_reference)context);
		refuse_reference(k, stranger);
		ended(next, &stranger);
		ended(k, &ref);
		refuse_reference(k, kept);
		NOT_CREATED(k->make(NULL));
		if (k->make_virtual)
			NOT_CREATED(k->make_virtual(NULL));
	}
	/* an object is neither a context nor a graph */
	vx_reference scalar = made(&kinds[0]);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		now_testing("%s", kinds[i].name);
		NOT_CREATED(kinds[i].make((vx_context)scalar));
		if (kinds[i].make_virtual)
			NOT_CREATED(kinds[i].make_virtual((vx_graph)scalar));
	}
	ended(&kinds[0], &scalar);
}

/* ---- every kind: copies ---- */
static void copies(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds) * 4; i++) {
		const struct kind *k = &kinds[i / 4];
		const vx_enum to = memories[i / 2 % 2].type, from = memories[i % 2].type;
		if (!k->copy)
			continue;
		now_testing("%s, written from %s memory, read to %s memory", k->name, memories[i / 2 % 2].name,
			    memories[i % 2].name);
		vx_reference ref = made(k);
		uint8_t *data = new_bytes(k->bytes), *before = new_bytes(k->bytes);
		for (unsigned round = 0; round < 2; round++) {
			struct memory in = open_memory(to, data, k->bytes), out = open_memory(from, before, k->bytes);
			RAN(k->copy(ref, memory_ptr(&in), VX_WRITE_ONLY, to));
			RAN(k->copy(ref, memory_ptr(&out), VX_READ_ONLY, from));
			close_memory(&out, data);
			close_memory(&in, data);
			for (size_t b = 0; b < k->bytes; b++)
				data[b] ^= before[b];
		}
		free(data);
		free(before);
		ended(k, &ref);
	}
}

static void bad_copies(void **state)
{
	static const vx_enum usages[] = {0, VX_READ_AND_WRITE, VX_MEMORY_TYPE_HOST};
	static uint8_t bytes[LUT_COUNT * 2];
	(void)state;
	cl_int code = CL_SUCCESS;
	cl_device_id devices[16] = {NULL};
	assert_int_equal(clGetContextInfo(cl, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL), CL_SUCCESS);
	cl_context elsewhere = clCreateContext(NULL, 1, devices, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		if (!k->copy)
			continue;
		now_testing("%s", k->name);
		vx_reference ref = made(k);
		cl_mem small = new_buffer(cl, bytes, k->bytes - 1), foreign = new_buffer(elsewhere, bytes, k->bytes);
		for (size_t u = 0; u < COUNT(usages); u++)
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->copy(ref, bytes, usages[u], VX_MEMORY_TYPE_HOST));
		for (size_t m = 0; m < COUNT(no_memories); m++)
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->copy(ref, bytes, VX_READ_ONLY, no_memories[m]));
		for (size_t m = 0; m < COUNT(memories); m++)
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->copy(ref, NULL, VX_WRITE_ONLY, memories[m].type));
		FAILED(k->copy(ref, small, VX_READ_ONLY, VX_MEMORY_TYPE_OPENCL_BUFFER));
		FAILED(k->copy(ref, small, VX_WRITE_ONLY, VX_MEMORY_TYPE_OPENCL_BUFFER));
		FAILED(k->copy(ref, foreign, VX_READ_ONLY, VX_MEMORY_TYPE_OPENCL_BUFFER));
		FAILED(k->copy(ref, queue, VX_WRITE_ONLY, VX_MEMORY_TYPE_OPENCL_BUFFER));
		clReleaseMemObject(small);
		clReleaseMemObject(foreign);
		ended(k, &ref);
	}
	clReleaseContext(elsewhere);
}

/* ---- every kind: maps ---- */
/* What is mapped is what there is, if it is to be read; what is written there is in the object afterwards. */
static void map_once(const struct kind *k, vx_reference ref, vx_enum usage, vx_enum memory, uint8_t *data)
{
	struct view view;
	vx_map_id id = 0;
	void *ptr = NULL;
	RAN(k->map(ref, &id, &ptr, &view, usage, memory));
	assert_int_equal(view_bytes(&view), k->bytes);
	assert_true(view.count[0] == 1 || view.stride[0] >= view.row);
	if (usage != VX_WRITE_ONLY)
		expect_view(ptr, memory, &view, data);
	if (usage != VX_READ_ONLY) {
		for (size_t i = 0; i < k->bytes; i++)
			data[i] = (uint8_t)splitmix64(&seed);
		write_view(ptr, memory, &view, data);
	}
	RAN(k->unmap(ref, id));
	expect_data(k, ref, data);
}

static void maps(void **state)
{
	static const vx_enum usages[] = {VX_READ_ONLY, VX_READ_AND_WRITE, VX_WRITE_ONLY, VX_READ_ONLY};
	(void)state;
	for (size_t i = 0; i < COUNT(kinds) * COUNT(memories); i++) {
		const struct kind *k = &kinds[i / COUNT(memories)];
		const vx_enum memory = memories[i % COUNT(memories)].type;
		if (!k->map)
			continue;
		now_testing("%s, mapped in %s memory", k->name, memories[i % COUNT(memories)].name);
		vx_reference ref = made(k);
		uint8_t *data = new_bytes(k->bytes);
		RAN(k->copy(ref, data, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		for (size_t u = 0; u < COUNT(usages); u++)
			map_once(k, ref, usages[u], memory, data);
		free(data);
		ended(k, &ref);
	}
}

/* Two maps at once; and what is no map of an object. */
static void map_ids(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds) * COUNT(memories); i++) {
		const struct kind *k = &kinds[i / COUNT(memories)];
		const vx_enum memory = memories[i % COUNT(memories)].type;
		struct view views[2];
		vx_map_id ids[2] = {0};
		void *ptrs[2] = {NULL};
		if (!k->map)
			continue;
		now_testing("%s, mapped in %s memory", k->name, memories[i % COUNT(memories)].name);
		vx_reference ref = made(k), another = made(k);
		uint8_t *data = new_bytes(k->bytes);
		RAN(k->copy(ref, data, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		for (unsigned n = 0; n < 2; n++)
			RAN(k->map(ref, &ids[n], &ptrs[n], &views[n], VX_READ_ONLY, memory));
		assert_true(ids[0] != ids[1]);
		REFUSED(VX_ERROR_INVALID_PARAMETERS, k->unmap(another, ids[0]));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, k->unmap(ref, ids[0] ^ ids[1] ^ 0x55555));
		for (unsigned n = 0; n < 2; n++) {
			expect_view(ptrs[n], memory, &views[n], data);
			RAN(k->unmap(ref, ids[n]));
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->unmap(ref, ids[n]));
		}
		free(data);
		ended(k, &ref);
		ended(k, &another);
	}
}

static void bad_maps(void **state)
{
	static const vx_enum usages[] = {0, VX_MEMORY_TYPE_HOST};
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		struct view v;
		vx_map_id id = 0;
		void *ptr = NULL;
		if (!k->map)
			continue;
		now_testing("%s", k->name);
		vx_reference ref = made(k);
		for (size_t m = 0; m < COUNT(memories); m++) {
			const vx_enum memory = memories[m].type;
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->map(ref, NULL, &ptr, &v, VX_READ_ONLY, memory));
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->map(ref, &id, NULL, &v, VX_READ_ONLY, memory));
			for (size_t u = 0; u < COUNT(usages); u++)
				REFUSED(VX_ERROR_INVALID_PARAMETERS, k->map(ref, &id, &ptr, &v, usages[u], memory));
		}
		for (size_t m = 0; m < COUNT(no_memories); m++)
			REFUSED(VX_ERROR_INVALID_PARAMETERS, k->map(ref, &id, &ptr, &v, VX_READ_ONLY, no_memories[m]));
		ended(k, &ref);
	}
}

/* ---- every kind: virtual objects ---- */
static void refuse_hidden(const struct kind *k, vx_status status, const char *call)
{
	if (k->hidden == SOME_FAILURE ? status == VX_SUCCESS : status != k->hidden)
		fail_msg("%s: %s a virtual one gave %d", what, call, status);
}

/* Their attributes are known, their data are not reached. */
static void virtuals(void **state)
{
	static uint8_t bytes[LUT_COUNT * 2];
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		if (!k->make_virtual)
			continue;
		now_testing("%s", k->name);
		vx_graph graph = vxCreateGraph(context);
		vx_reference ref = k->make_virtual(graph);
		CREATED(ref);
		check_attributes(k, ref, true);
		for (size_t m = 0; m < COUNT(memories); m++) {
			const vx_enum memory = memories[m].type;
			struct memory user = open_memory(memory, bytes, sizeof bytes);
			struct view v;
			vx_map_id id;
			void *ptr;
			if (k->copy) {
				refuse_hidden(k, k->copy(ref, memory_ptr(&user), VX_READ_ONLY, memory), "reading");
				refuse_hidden(k, k->copy(ref, memory_ptr(&user), VX_WRITE_ONLY, memory), "writing");
			}
			if (k->map)
				refuse_hidden(k, k->map(ref, &id, &ptr, &v, VX_READ_ONLY, memory), "mapping");
			close_memory(&user, bytes);
		}
		ended(k, &ref);
		RAN(vxReleaseGraph(&graph));
	}
}

/* ---- values of types ---- */
static const struct { vx_enum type; vx_size size; } value_types[] = {
	{VX_TYPE_CHAR, 1}, {VX_TYPE_INT8, 1}, {VX_TYPE_UINT8, 1}, {VX_TYPE_INT16, 2}, {VX_TYPE_UINT16, 2}, {VX_TYPE_INT32, 4},
	{VX_TYPE_UINT32, 4}, {VX_TYPE_INT64, 8}, {VX_TYPE_UINT64, 8}, {VX_TYPE_FLOAT32, 4}, {VX_TYPE_FLOAT64, 8},
	{VX_TYPE_ENUM, 4}, {VX_TYPE_SIZE, sizeof(vx_size)}, {VX_TYPE_DF_IMAGE, 4}, {VX_TYPE_BOOL, sizeof(vx_bool)},
	{VX_TYPE_RECTANGLE, sizeof(vx_rectangle_t)}, {VX_TYPE_KEYPOINT, sizeof(vx_keypoint_t)},
	{VX_TYPE_COORDINATES2D, sizeof(vx_coordinates2d_t)}, {VX_TYPE_COORDINATES3D, sizeof(vx_coordinates3d_t)},
	{VX_TYPE_COORDINATES2DF, sizeof(vx_coordinates2df_t)}, {VX_TYPE_LINE_2D, sizeof(vx_line2d_t)},
	{VX_TYPE_INVALID, 20}, /* stands for a struct of the application's */
};

static vx_enum value_type(size_t at)
{
	static vx_enum registered;
	if (value_types[at].type != VX_TYPE_INVALID)
		return value_types[at].type;
	registered = registered ? registered : vxRegisterUserStruct(context, value_types[at].size);
	return registered;
}

/* Types that no value has. */
static const vx_enum bad_types[] = {
	VX_TYPE_INVALID, VX_TYPE_IMAGE, VX_TYPE_SCALAR, VX_TYPE_USER_STRUCT_END, VX_TYPE_VENDOR_OBJECT_END, -1,
};

/* ---- scalars ---- */
static void scalar_of(vx_enum type, vx_size size)
{
	uint8_t *value = new_bytes(size), *second = new_bytes(size);
	vx_enum seen = 0;
	vx_scalar s = vxCreateScalar(context, type, value), with_size = vxCreateScalarWithSize(context, type, value, size);
	CREATED(s);
	CREATED(with_size);
	RAN(vxQueryScalar(s, VX_SCALAR_TYPE, &seen, sizeof seen));
	assert_int_equal(seen, type);
	struct memory out = open_memory(VX_MEMORY_TYPE_HOST, second, size);
	RAN(vxCopyScalar(s, out.bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	close_memory(&out, value);
	out = open_memory(VX_MEMORY_TYPE_HOST, second, size);
	RAN(vxCopyScalarWithSize(with_size, size, out.bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	close_memory(&out, value);
	for (size_t m = 0; m < COUNT(memories); m++) {
		struct memory in = open_memory(memories[m].type, second, size);
		out = open_memory(memories[m].type, value, size);
		RAN(vxCopyScalarWithSize(s, size, memory_ptr(&in), VX_WRITE_ONLY, memories[m].type));
		RAN(vxCopyScalarWithSize(s, size, memory_ptr(&out), VX_READ_ONLY, memories[m].type));
		close_memory(&in, second);
		close_memory(&out, second);
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyScalarWithSize(s, size, NULL, VX_READ_ONLY, memories[m].type));
	}
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyScalarWithSize(s, size - 1, second, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyScalarWithSize(s, size, second, VX_READ_AND_WRITE, VX_MEMORY_TYPE_HOST));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyScalarWithSize(s, size, second, VX_READ_ONLY, VX_MEMORY_TYPE_NONE));
	NOT_CREATED(vxCreateScalarWithSize(context, type, value, size - 1));
	RAN(vxReleaseScalar(&s));
	RAN(vxReleaseScalar(&with_size));
	free(value);
	free(second);
}

static void scalars(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(value_types); i++) {
		now_testing("scalar of type 0x%x", (unsigned)value_type(i));
		scalar_of(value_type(i), value_types[i].size);
	}
	/* without a value to begin with */
	vx_scalar s = vxCreateScalar(context, VX_TYPE_FLOAT32, NULL);
	CREATED(s);
	RAN(vxReleaseScalar(&s));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxCopyScalarWithSize(NULL, 4, &(vx_int32){0}, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	vx_graph graph = vxCreateGraph(context);
	for (size_t i = 0; i < COUNT(bad_types); i++) {
		const vx_uint64 value[8] = {0};
		now_testing("scalar of type 0x%x", (unsigned)bad_types[i]);
		NOT_CREATED(vxCreateScalar(context, bad_types[i], value));
		NOT_CREATED(vxCreateScalarWithSize(context, bad_types[i], value, 4));
		NOT_CREATED(vxCreateVirtualScalar(graph, bad_types[i]));
	}
	RAN(vxReleaseGraph(&graph));
}

/* ---- arrays ---- */
static void expect_items(vx_array array, vx_size expected)
{
	vx_size count = 9999;
	RAN(vxQueryArray(array, VX_ARRAY_NUMITEMS, &count, sizeof count));
	if (count != expected)
		fail_msg("%s: %zu items, expected %zu", what, count, expected);
}

enum { CAPACITY = 9 };

/* Adds items as they are and further apart, until the array is full. */
static void add_items(vx_array array, const uint8_t *items, vx_size size)
{
	uint8_t *apart = spread(items + 4 * size, size, 3, size + 5);
	expect_items(array, 0);
	RAN(vxAddArrayItems(array, 4, items, size));
	expect_items(array, 4);
	RAN(vxAddArrayItems(array, 3, apart, size + 5));
	expect_items(array, 7);
	REFUSED(VX_FAILURE, vxAddArrayItems(array, 3, items, size));
	expect_items(array, 7);
	RAN(vxAddArrayItems(array, 2, items + 7 * size, size));
	REFUSED(VX_FAILURE, vxAddArrayItems(array, 1, items, size));
	expect_items(array, CAPACITY);
	free(apart);
}

/* Reads and writes items 2 to 6, further apart in the application's memory, whose gaps stay. */
static void copy_items(vx_array array, uint8_t *items, vx_size size, vx_enum memory)
{
	const vx_size stride = size + 3, bytes = 4 * stride;
	uint8_t *before = new_bytes(4 * size), *junk = spread(before, size, 4, stride);
	uint8_t *expected = spread(items + 2 * size, size, 4, stride);
	struct memory out = open_memory(memory, junk, bytes);
	RAN(vxCopyArrayRange(array, 2, 6, stride, memory_ptr(&out), VX_READ_ONLY, memory));
	close_memory(&out, expected);
	struct memory in = open_memory(memory, junk, bytes);
	RAN(vxCopyArrayRange(array, 2, 6, stride, memory_ptr(&in), VX_WRITE_ONLY, memory));
	close_memory(&in, junk);
	memcpy(items + 2 * size, before, 4 * size);
	free(before);
	free(junk);
	free(expected);
}

static void map_items(vx_array array, uint8_t *items, vx_size size, vx_enum memory)
{
	static const vx_enum usages[] = {VX_READ_ONLY, VX_READ_AND_WRITE, VX_WRITE_ONLY};
	for (size_t u = 0; u < COUNT(usages); u++) {
		struct view view = {.row = size, .count = {5, 1}};
		vx_map_id id = 0;
		void *ptr = NULL;
		uint8_t *changed = new_bytes(5 * size);
		RAN(vxMapArrayRange(array, 3, 8, &id, &view.stride[0], &ptr, usages[u], memory, 0));
		assert_true(view.stride[0] >= size);
		if (usages[u] != VX_WRITE_ONLY)
			expect_view(ptr, memory, &view, items + 3 * size);
		if (usages[u] != VX_READ_ONLY) {
			write_view(ptr, memory, &view, changed);
			memcpy(items + 3 * size, changed, 5 * size);
		}
		RAN(vxUnmapArrayRange(array, id));
		free(changed);
	}
}

static void expect_all_items(vx_array array, const uint8_t *items, vx_size size, vx_size count)
{
	struct memory out = open_memory(VX_MEMORY_TYPE_HOST, items, count * size);
	memset(out.bytes, 0, count * size);
	RAN(vxCopyArrayRange(array, 0, count, size, out.bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	close_memory(&out, items);
}

static void array_of(vx_enum type, vx_size size)
{
	vx_array array = vxCreateArray(context, type, CAPACITY);
	uint8_t *items = new_bytes(CAPACITY * size);
	vx_size seen = 0;
	CREATED(array);
	RAN(vxQueryArray(array, VX_ARRAY_ITEMSIZE, &seen, sizeof seen));
	assert_int_equal(seen, size);
	add_items(array, items, size);
	expect_all_items(array, items, size, CAPACITY);
	for (size_t m = 0; m < COUNT(memories); m++) {
		copy_items(array, items, size, memories[m].type);
		expect_all_items(array, items, size, CAPACITY);
		map_items(array, items, size, memories[m].type);
		expect_all_items(array, items, size, CAPACITY);
	}
	RAN(vxTruncateArray(array, CAPACITY));
	RAN(vxTruncateArray(array, 3));
	expect_items(array, 3);
	expect_all_items(array, items, size, 3);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxTruncateArray(array, 4));
	expect_items(array, 3);
	RAN(vxAddArrayItems(array, 1, items + 3 * size, size));
	expect_all_items(array, items, size, 4);
	RAN(vxTruncateArray(array, 0));
	expect_items(array, 0);
	RAN(vxReleaseArray(&array));
	free(items);
}

/* Ranges of an array of 5 items, of which there are 3. */
static void bad_ranges(vx_array array)
{
	static const struct { vx_size start, end; } ranges[] = {
		{0, 0}, {2, 2}, {2, 1}, {0, 4}, {3, 4}, {2, SIZE_MAX}, {SIZE_MAX, 1},
	};
	vx_uint32 items[8] = {0};
	vx_size stride = 0;
	vx_map_id id = 0;
	void *ptr = NULL;
	for (size_t i = 0; i < COUNT(ranges); i++) {
		const vx_size start = ranges[i].start, end = ranges[i].end;
		REFUSED(VX_ERROR_INVALID_PARAMETERS,
			vxCopyArrayRange(array, start, end, 4, items, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		REFUSED(VX_ERROR_INVALID_PARAMETERS,
			vxCopyArrayRange(array, start, end, 4, items, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		REFUSED(VX_ERROR_INVALID_PARAMETERS,
			vxMapArrayRange(array, start, end, &id, &stride, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	}
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyArrayRange(array, 0, 2, 3, items, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	REFUSED(VX_ERROR_INVALID_PARAMETERS,
		vxMapArrayRange(array, 0, 2, &id, NULL, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxAddArrayItems(array, 1, NULL, 4));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxAddArrayItems(array, 2, items, 3));
	REFUSED(VX_FAILURE, vxAddArrayItems(array, SIZE_MAX, items, 4));
	expect_items(array, 3);
}

static void open_arrays(void)
{
	static const struct { vx_enum type; vx_size capacity; } shapes[] = {
		{0, 0}, {VX_TYPE_KEYPOINT, 0}, {VX_TYPE_KEYPOINT, 1000},
	};
	vx_graph graph = vxCreateGraph(context);
	for (size_t i = 0; i < COUNT(shapes); i++) {
		const vx_keypoint_t item = {0};
		vx_array array = vxCreateVirtualArray(graph, shapes[i].type, shapes[i].capacity);
		vx_enum type = -1;
		vx_size capacity = 9999;
		CREATED(array);
		RAN(vxQueryArray(array, VX_ARRAY_ITEMTYPE, &type, sizeof type));
		RAN(vxQueryArray(array, VX_ARRAY_CAPACITY, &capacity, sizeof capacity));
		assert_int_equal(type, shapes[i].type);
		assert_int_equal(capacity, shapes[i].capacity);
		FAILED(vxAddArrayItems(array, 1, &item, sizeof item));
		RAN(vxReleaseArray(&array));
	}
	NOT_CREATED(vxCreateVirtualArray(graph, VX_TYPE_IMAGE, 10));
	RAN(vxReleaseGraph(&graph));
}

static void arrays(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(value_types); i++) {
		now_testing("array of type 0x%x", (unsigned)value_type(i));
		array_of(value_type(i), value_types[i].size);
	}
	vx_array array = vxCreateArray(context, VX_TYPE_UINT32, 5);
	now_testing("array with bad ranges");
	CREATED(array);
	RAN(vxAddArrayItems(array, 3, (const vx_uint32[]){1, 2, 3}, 4));
	bad_ranges(array);
	RAN(vxReleaseArray(&array));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxAddArrayItems(array, 1, &(vx_uint32){0}, 4));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxTruncateArray(array, 0));
	for (size_t i = 0; i < COUNT(bad_types); i++)
		NOT_CREATED(vxCreateArray(context, bad_types[i], 5));
	NOT_CREATED(vxCreateArray(context, VX_TYPE_UINT32, 0));
	now_testing("virtual array");
	open_arrays();
}

/* ---- user data objects ---- */
static void expect_range(vx_user_data_object u, vx_size offset, vx_size size, const uint8_t *expected, vx_size bytes)
{
	struct memory out = open_memory(VX_MEMORY_TYPE_HOST, expected, bytes);
	memset(out.bytes, 0x5e, bytes);
	RAN(vxCopyUserDataObject(u, offset, size, out.bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	close_memory(&out, expected);
}

/* A size of 0 is all that follows. */
static void user_data_parts(vx_user_data_object u, uint8_t *all)
{
	for (size_t m = 0; m < COUNT(memories); m++) {
		const vx_enum memory = memories[m].type;
		uint8_t *part = new_bytes(30);
		struct memory in = open_memory(memory, part, 30);
		struct view view = {.row = 40, .count = {1, 1}};
		vx_map_id id = 0;
		void *ptr = NULL;
		now_testing("user data object, parts in %s memory", memories[m].name);
		RAN(vxCopyUserDataObject(u, 70, m ? 30 : 0, memory_ptr(&in), VX_WRITE_ONLY, memory));
		memcpy(all + 70, part, 30);
		close_memory(&in, part);
		expect_range(u, 0, 0, all, DATA_BYTES);
		expect_range(u, 95, 0, all + 95, 5);
		expect_range(u, 3, 50, all + 3, 50);
		RAN(vxMapUserDataObject(u, 60, m ? 40 : 0, &id, &ptr, VX_READ_AND_WRITE, memory, 0));
		expect_view(ptr, memory, &view, all + 60);
		for (unsigned i = 0; i < 40; i++)
			all[60 + i] ^= 0xff;
		write_view(ptr, memory, &view, all + 60);
		RAN(vxUnmapUserDataObject(u, id));
		expect_range(u, 0, DATA_BYTES, all, DATA_BYTES);
		free(part);
	}
}

static void bad_user_data_parts(vx_user_data_object u)
{
	static const struct { vx_size offset, size; } bad[] = {
		{0, DATA_BYTES + 1}, {60, 41}, {DATA_BYTES + 1, 0}, {1, SIZE_MAX}, {SIZE_MAX, 2},
	};
	uint8_t bytes[2 * DATA_BYTES] = {0};
	vx_map_id id = 0;
	void *ptr = NULL;
	for (size_t i = 0; i < COUNT(bad); i++) {
		const vx_size offset = bad[i].offset, size = bad[i].size;
		now_testing("user data object, %zu bytes at %zu", size, offset);
		REFUSED(VX_ERROR_INVALID_PARAMETERS,
			vxCopyUserDataObject(u, offset, size, bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		REFUSED(VX_ERROR_INVALID_PARAMETERS,
			vxMapUserDataObject(u, offset, size, &id, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	}
}

static void user_data_names(void)
{
	char longest[VX_MAX_REFERENCE_NAME + 1];
	vx_graph graph = vxCreateGraph(context);
	memset(longest, 'n', sizeof longest);
	longest[VX_MAX_REFERENCE_NAME] = '\0';
	NOT_CREATED(vxCreateUserDataObject(context, longest, 8, NULL));
	NOT_CREATED(vxCreateVirtualUserDataObject(graph, longest, 8));
	longest[VX_MAX_REFERENCE_NAME - 1] = '\0';
	const char *names[] = {NULL, "", "point", longest};
	for (size_t i = 0; i < 2 * COUNT(names); i++) {
		const char *name = names[i / 2], *expected = name ? name : "";
		char got[VX_MAX_REFERENCE_NAME] = "before";
		vx_user_data_object u = i % 2 ? vxCreateVirtualUserDataObject(graph, name, 8)
					      : vxCreateUserDataObject(context, name, 8, NULL);
		now_testing("user data object of name %s", expected);
		CREATED(u);
		RAN(vxQueryUserDataObject(u, VX_USER_DATA_OBJECT_NAME, got, sizeof got));
		assert_string_equal(got, expected);
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryUserDataObject(u, VX_USER_DATA_OBJECT_NAME, got, strlen(expected)));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryUserDataObject(u, VX_USER_DATA_OBJECT_NAME, NULL, sizeof got));
		RAN(vxReleaseUserDataObject(&u));
	}
	RAN(vxReleaseGraph(&graph));
}

static void user_data(void **state)
{
	static const uint8_t zeros[DATA_BYTES];
	(void)state;
	uint8_t *all = new_bytes(DATA_BYTES);
	vx_user_data_object u = vxCreateUserDataObject(context, "filled", DATA_BYTES, all);
	vx_user_data_object empty = vxCreateUserDataObject(context, "empty", DATA_BYTES, NULL);
	now_testing("user data object");
	CREATED(u);
	CREATED(empty);
	expect_range(u, 0, DATA_BYTES, all, DATA_BYTES);
	expect_range(empty, 0, DATA_BYTES, zeros, DATA_BYTES);
	user_data_parts(u, all);
	bad_user_data_parts(u);
	expect_range(u, 0, 0, all, DATA_BYTES);
	RAN(vxReleaseUserDataObject(&u));
	RAN(vxReleaseUserDataObject(&empty));
	free(all);
	user_data_names();
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes), cmocka_unit_test(references), cmocka_unit_test(strangers),
		cmocka_unit_test(copies), cmocka_unit_test(bad_copies), cmocka_unit_test(maps), cmocka_unit_test(map_ids),
		cmocka_unit_test(bad_maps), cmocka_unit_test(virtuals), cmocka_unit_test(scalars), cmocka_unit_test(arrays),
		cmocka_unit_test(user_data),
	};
	return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
