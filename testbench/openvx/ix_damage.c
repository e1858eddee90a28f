/* vx_khr_ix: exports that are damaged, cut off, of another version or made up are refused, and nothing is left of them. */
#include "testbench/openvx/ix_data.h"
#include "runtime/openvx/ix_format.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { WIDTH = 12, HEIGHT = 8, REFS = 16, FUZZ = 20000, FUZZ_IN_CHECK = 8000, STRIDE_OF_LARGE = 13, LARGE = 40000 };

/* ---- lists ---- */
struct list {
	vx_size count;
	vx_reference refs[REFS];
	vx_enum uses[REFS];
	vx_reference given[REFS]; /* what the application creates for an import */
};

static void add(struct list *l, void *ref, vx_enum use, void *given)
{
	assert_true(l->count < REFS);
	CREATED(ref);
	l->refs[l->count] = ref;
	l->uses[l->count] = use;
	l->given[l->count++] = given;
}

static void end_list(struct list *l)
{
	release_all(l->refs, l->count);
	release_all(l->given, l->count);
}

/* An object with a few bytes of data. */
static struct list small_list(void)
{
	struct list l = {0};
	add(&l, vxCreateScalar(context, VX_TYPE_INT32, &(vx_int32){-77}), VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, vxCreateMatrix(context, VX_TYPE_UINT8, 3, 3), VX_IX_USE_EXPORT_VALUES, NULL);
	return l;
}

/* Objects of all kinds, parts of others, and a graph with hidden objects. */
static struct list large_list(void)
{
	struct list l = {0};
	const vx_size dims[3] = {6, 5, 4}, start[3] = {1, 1, 1}, end[3] = {5, 4, 3};
	vx_uint8 elements[120] = {1};
	vx_graph graph = vxCreateGraph(context);
	vx_image in = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8), out = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8),
		 middle = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT), mine = vxCreateImage(there, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_delay delay = vxCreateDelay(context, (vx_reference)in, 2);
	vx_object_array array = vxCreateObjectArray(context, (vx_reference)in, 3), results = vxCreateObjectArray(context, (vx_reference)in, 3);
	vx_reference first = vxGetObjectArrayItem(array, 0), result = vxGetObjectArrayItem(results, 0);
	vx_pyramid pyramid = vxCreatePyramid(context, 2, VX_SCALE_PYRAMID_HALF, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_tensor tensor = vxCreateTensor(context, 3, dims, VX_TYPE_UINT8, 0);
	vx_enum type = VX_TYPE_INVALID;
	if (vxGetUserStructEnumByName(context, "galena.test.damage", &type))
		type = vxRegisterUserStructWithName(context, 12, "galena.test.damage");
	vx_array points = vxCreateArray(context, type, 4);
	vx_bool flags[2] = {vx_true_e, vx_true_e};
	vx_node node = vxNotNode(graph, (vx_image)first, (vx_image)result);
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	upload(in, &p);
	free_pixels(&p);
	RAN(vxCopyTensorPatch(tensor, 3, (vx_size[]){0, 0, 0}, dims, (vx_size[]){1, 6, 30}, elements, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxReplicateNode(graph, node, flags, 2));
	RAN(vxReleaseNode(&node));
	node = vxGaussian3x3Node(graph, in, middle);
	vx_parameter parameter = vxGetParameterByIndex(node, 0);
	RAN(vxAddParameterToGraph(graph, parameter));
	RAN(vxReleaseParameter(&parameter));
	RAN(vxReleaseNode(&node));
	node = vxXorNode(graph, middle, (vx_image)vxGetReferenceFromDelay(delay, -1), out);
	CREATED(node);
	RAN(vxReleaseNode(&node));
	RAN(vxRegisterAutoAging(graph, delay));
	RAN(vxAddArrayItems(points, 2, "abcdefghijklABCDEFGHIJKL", 12));
	add(&l, graph, VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, in, VX_IX_USE_APPLICATION_CREATE, mine);
	add(&l, out, VX_IX_USE_NO_EXPORT_VALUES, NULL);
	add(&l, vxCreateImageFromROI(in, &(vx_rectangle_t){1, 1, 5, 4}), VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, delay, VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, array, VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, pyramid, VX_IX_USE_NO_EXPORT_VALUES, NULL);
	add(&l, tensor, VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, vxCreateTensorFromView(tensor, 3, start, end), VX_IX_USE_NO_EXPORT_VALUES, NULL);
	add(&l, vxCreateImageObjectArrayFromTensor(tensor, &(vx_rectangle_t){1, 1, 4, 3}, 2, 30, VX_DF_IMAGE_U8), VX_IX_USE_NO_EXPORT_VALUES, NULL);
	add(&l, points, VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, vxCreateUniformImage(context, 4, 4, VX_DF_IMAGE_U8, &(vx_pixel_value_t){.U8 = 9}), VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_RANGE, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8), VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, vxCreateConvolution(context, 3, 3), VX_IX_USE_EXPORT_VALUES, NULL);
	add(&l, vxCreateUserDataObject(context, "bytes", 16, "0123456789abcdef"), VX_IX_USE_EXPORT_VALUES, NULL);
	name(l.refs[0], "graph");
	name(l.refs[8], "view");
	RAN(vxReleaseReference(&first));
	RAN(vxReleaseReference(&result));
	RAN(vxReleaseObjectArray(&results));
	RAN(vxReleaseImage(&middle));
	return l;
}

/* ---- imports of lists ---- */
/* Whether the blob is taken; whatever comes of it ends again. */
static bool taken(const struct list *l, const struct blob *b)
{
	vx_reference refs[REFS];
	const vx_uint32 before = references_of(there);
	memcpy(refs, l->given, sizeof refs);
	*last_log = 0;
	last_status = VX_SUCCESS;
	vx_import import = vxImportObjectsFromMemory(there, l->count, refs, l->uses, b->bytes, b->length);
	const vx_status status = vxGetStatus((vx_reference)import);
	if (status == VX_SUCCESS) {
		for (vx_size i = 0; i < l->count; i++)
			if (refs[i] != l->given[i])
				RAN(vxReleaseReference(&refs[i]));
		RAN(vxReleaseImport(&import));
	} else {
		/* why it is not, and where */
		expect_status(status, last_status, "the entry of the log", __LINE__);
		LOGGED("vxImportObjectsFromMemory");
		assert_memory_equal(refs, l->given, sizeof refs);
	}
	assert_int_equal(references_of(there), before);
	return status == VX_SUCCESS;
}

static vx_size stride_of(const struct blob *b) { return b->length < LARGE ? 1 : STRIDE_OF_LARGE; }

static void flips(void **state)
{
	(void)state;
	for (int large = 0; large < 2; large++) {
		struct list l = large ? large_list() : small_list();
		struct blob b = exported(l.count, l.refs, l.uses);
		now_testing("an export of %zu bytes", b.length);
		assert_true(taken(&l, &b));
		for (vx_size i = 0; i < b.length; i += stride_of(&b)) {
			const uint8_t flip = (uint8_t)(1 + random_below(255));
			b.bytes[i] ^= flip;
			if (taken(&l, &b))
				fail_msg("%s: byte %zu was changed by 0x%02x, and the export was taken; seed %llu", what, i, flip,
					 (unsigned long long)seed_first);
			b.bytes[i] ^= flip;
		}
		assert_true(taken(&l, &b));
		free(b.bytes);
		end_list(&l);
	}
}

/* The bytes lie at the end of their memory: a tool that looks at accesses sees those behind it. */
static void cuts(void **state)
{
	(void)state;
	for (int large = 0; large < 2; large++) {
		struct list l = large ? large_list() : small_list();
		struct blob b = exported(l.count, l.refs, l.uses), longer = {calloc(1, b.length + 8), b.length + 8};
		now_testing("an export of %zu bytes", b.length);
		for (vx_size length = 0; length < b.length; length += stride_of(&b)) {
			struct blob cut = {malloc(length ? length : 1), length};
			memcpy(cut.bytes, b.bytes, length);
			if (taken(&l, &cut))
				fail_msg("%s: %zu bytes of it were taken", what, length);
			free(cut.bytes);
		}
		memcpy(longer.bytes, b.bytes, b.length);
		assert_false(taken(&l, &longer));
		free(longer.bytes);
		free(b.bytes);
		end_list(&l);
	}
}

/* ---- bytes that are made up ---- */
static void put_integer(struct blob *b, vx_size at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_integer(const struct blob *b, vx_size at, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)b->bytes[at + i] << 8 * i;
	return value;
}

static vx_size section_length(const struct blob *b, unsigned section) { return (vx_size)get_integer(b, IX_AT_SECTIONS + section * 16, 8); }

static vx_size section_begin(const struct blob *b, unsigned section)
{
	vx_size at = IX_HEADER;
	for (unsigned i = 0; i < section; i++)
		at += section_length(b, i);
	return at;
}

/* Checksums are as if all was well. */
static void sign(struct blob *b)
{
	for (unsigned i = 0; i < IX_SECTIONS; i++)
		put_integer(b, IX_AT_SECTIONS + i * 16 + 8, XXH3_64bits(b->bytes + section_begin(b, i), section_length(b, i)), 8);
	put_integer(b, IX_AT_LENGTH, b->length, 8);
	put_integer(b, IX_AT_CHECKSUM, XXH3_64bits(b->bytes + IX_AT_SECTIONS, IX_HEADER - IX_AT_SECTIONS), 8);
}

static struct blob copy_of(const struct blob *b)
{
	struct blob c = {malloc(b->length), b->length};
	assert_non_null(c.bytes);
	memcpy(c.bytes, b->bytes, b->length);
	return c;
}

static void versions(void **state)
{
	static const uint32_t unknown[] = {0, IX_VERSION + 1, IX_VERSION + 256, UINT32_MAX};
	(void)state;
	struct list l = small_list();
	struct blob b = exported(l.count, l.refs, l.uses);
	vx_reference refs[2] = {NULL};
	for (size_t i = 0; i < COUNT(unknown); i++) {
		now_testing("version %u", unknown[i]);
		put_integer(&b, IX_AT_VERSION, unknown[i], 4);
		sign(&b);
		NOT_IMPORTED(VX_ERROR_NOT_COMPATIBLE, l.count, refs, l.uses, &b);
		LOGGED("version");
	}
	put_integer(&b, IX_AT_VERSION, IX_VERSION, 4);
	sign(&b);
	assert_true(taken(&l, &b));
	now_testing("what is no export");
	put_integer(&b, 0, IX_MAGIC + 1, 4);
	sign(&b);
	NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, l.count, refs, l.uses, &b);
	LOGGED("byte 0");
	free(b.bytes);
	end_list(&l);
}

/* The log says what is damaged, and where it lies. */
static void places(void **state)
{
	static const struct { enum ix_section section; const char *name; } sections[] = {
		{IX_REFS, "references"}, {IX_KERNELS, "kernels"}, {IX_PROGRAMS, "programs"}, {IX_OBJECTS, "objects"}, {IX_GRAPHS, "graphs"},
	};
	(void)state;
	struct list l = large_list();
	struct blob b = exported(l.count, l.refs, l.uses);
	for (size_t i = 0; i < COUNT(sections); i++) {
		const vx_size begin = section_begin(&b, sections[i].section);
		char where[32];
		now_testing("damage among the %s", sections[i].name);
		snprintf(where, sizeof where, "bytes %zu to", begin);
		b.bytes[begin] ^= 1;
		assert_false(taken(&l, &b));
		LOGGED(sections[i].name);
		LOGGED(where);
		b.bytes[begin] ^= 1;
	}
	/* one that was signed again: what it says does not go together */
	put_integer(&b, section_begin(&b, IX_OBJECTS), UINT32_MAX, 4);
	sign(&b);
	assert_false(taken(&l, &b));
	LOGGED("objects");
	LOGGED("byte ");
	free(b.bytes);
	end_list(&l);
}

/* Some bytes of a section are others, are more or are less; checksums are right. */
static struct blob mutated(const struct blob *b)
{
	static const uint64_t values[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX};
	static const enum ix_section sections[] = {IX_REFS, IX_STRUCTS, IX_KERNELS, IX_OBJECTS, IX_OBJECTS, IX_OBJECTS, IX_GRAPHS, IX_GRAPHS, IX_PROGRAMS};
	const enum ix_section section = sections[random_below(COUNT(sections))];
	const vx_size begin = section_begin(b, section), length = section_length(b, section);
	struct blob c = copy_of(b);
	const unsigned changes = 1 + random_below(3), kind = random_below(8);
	for (unsigned i = 0; i < changes; i++) {
		const unsigned size = 1u << random_below(4);
		if (length < size)
			continue;
		const vx_size at = begin + random_below((uint32_t)(length - size + 1));
		if (random_below(2))
			put_integer(&c, at, values[random_below(COUNT(values))], size);
		else
			c.bytes[at] = (uint8_t)splitmix64(&seed);
	}
	if (kind == 0 && length) { /* without some bytes */
		const vx_size n = 1 + random_below((uint32_t)(length < 16 ? length : 16)), at = begin + random_below((uint32_t)(length - n + 1));
		memmove(c.bytes + at, c.bytes + at + n, c.length - at - n);
		c.length -= n;
		put_integer(&c, IX_AT_SECTIONS + section * 16, length - n, 8);
	} else if (kind == 1) { /* with some more */
		const vx_size n = 1 + random_below(16), at = begin + random_below((uint32_t)length + 1);
		c.bytes = realloc(c.bytes, c.length + n);
		assert_non_null(c.bytes);
		memmove(c.bytes + at + n, c.bytes + at, c.length - at);
		memset(c.bytes + at, (int)random_below(256), n);
		c.length += n;
		put_integer(&c, IX_AT_SECTIONS + section * 16, length + n, 8);
	}
	sign(&c);
	return c;
}

static void made_up(void **state)
{
	(void)state;
	struct list l = large_list();
	struct blob b = exported(l.count, l.refs, l.uses);
	unsigned refused = 0;
	const unsigned tries = check_long() ? FUZZ : FUZZ_IN_CHECK;
	assert_true(taken(&l, &b));
	for (unsigned i = 0; i < tries; i++) {
		now_testing("made-up export number %u", i);
		struct blob c = mutated(&b);
		refused += !taken(&l, &c);
		free(c.bytes);
	}
	/* some changes are of data: they are taken */
	assert_in_range(refused, tries / 4, tries - 1);
	assert_true(taken(&l, &b));
	free(b.bytes);
	end_list(&l);
}

/* Lengths in the header that go beyond the end, also when they are added up. */
static void lengths(void **state)
{
	(void)state;
	struct list l = small_list();
	struct blob b = exported(l.count, l.refs, l.uses);
	for (unsigned i = 0; i < IX_SECTIONS; i++) {
		const uint64_t wrong[] = {b.length, UINT64_MAX, UINT64_MAX - b.length + 1, 1ull << 63, section_length(&b, i) + 1, section_length(&b, i) - 1};
		for (size_t k = 0; k < COUNT(wrong); k++) {
			struct blob c = copy_of(&b);
			now_testing("section %u of %llu bytes", i, (unsigned long long)wrong[k]);
			put_integer(&c, IX_AT_SECTIONS + i * 16, wrong[k], 8);
			put_integer(&c, IX_AT_CHECKSUM, XXH3_64bits(c.bytes + IX_AT_SECTIONS, IX_HEADER - IX_AT_SECTIONS), 8);
			assert_false(taken(&l, &c));
			free(c.bytes);
		}
	}
	free(b.bytes);
	end_list(&l);
}

/* ---- what is written does not go with the list ---- */
/* Where the first record is, and its meta data, if it has no name. */
enum { RECORD = 4, FLAGS = RECORD + 4, META = RECORD + 11 };

static void uses_of_others(void **state)
{
	static const struct {
		const char *what;
		vx_enum use;
		uint8_t flags; /* that are written: 2, data follow; 4, the application supplies it */
		bool given;
	} cases[] = {
		{"what comes without data is the application's", VX_IX_USE_NO_EXPORT_VALUES, 4, true},
		{"what comes without data has some", VX_IX_USE_NO_EXPORT_VALUES, 2, false},
		{"what the application creates is created", VX_IX_USE_APPLICATION_CREATE, 0, true},
		{"what comes with data has none", VX_IX_USE_EXPORT_VALUES, 0, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const bool mine = cases[i].given || cases[i].use == VX_IX_USE_APPLICATION_CREATE;
		struct list l = {0};
		now_testing("%s", cases[i].what);
		add(&l, vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8), cases[i].use, mine ? vxCreateImage(there, WIDTH, HEIGHT, VX_DF_IMAGE_U8) : NULL);
		struct blob b = exported(l.count, l.refs, l.uses);
		assert_true(taken(&l, &b));
		b.bytes[section_begin(&b, IX_OBJECTS) + FLAGS] = cases[i].flags;
		sign(&b);
		assert_false(taken(&l, &b));
		LOGGED("use 0x");
		free(b.bytes);
		end_list(&l);
	}
	now_testing("a use that there is not");
	struct list l = {0};
	add(&l, vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8), VX_IX_USE_NO_EXPORT_VALUES, NULL);
	struct blob b = exported(l.count, l.refs, l.uses);
	l.uses[0] = VX_IX_USE_NO_EXPORT_VALUES + 16;
	put_integer(&b, section_begin(&b, IX_REFS) + 8, (uint64_t)l.uses[0], 4);
	sign(&b);
	assert_false(taken(&l, &b));
	free(b.bytes);
	end_list(&l);
}

/* ---- sizes ---- */
/* An object whose meta data have another number: refused, and nothing of such a size is made. */
static void say(void *ref, const char *what_it_is, vx_size at, uint64_t value, unsigned size)
{
	struct list l = {0};
	now_testing("%s", what_it_is);
	add(&l, ref, VX_IX_USE_EXPORT_VALUES, NULL);
	struct blob b = exported(l.count, l.refs, l.uses);
	put_integer(&b, section_begin(&b, IX_OBJECTS) + META + at, value, size);
	sign(&b);
	assert_false(taken(&l, &b));
	free(b.bytes);
	end_list(&l);
}

static vx_tensor full_tensor(void)
{
	const vx_size dims[2] = {4, 4};
	vx_tensor tensor = vxCreateTensor(context, 2, dims, VX_TYPE_UINT8, 0);
	RAN(vxCopyTensorPatch(tensor, 2, (vx_size[]){0, 0}, dims, (vx_size[]){1, 4}, (uint8_t[16]){1}, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return tensor;
}

static vx_distribution full_distribution(void)
{
	vx_distribution distribution = vxCreateDistribution(context, 8, 0, 8);
	RAN(vxCopyDistribution(distribution, (uint32_t[8]){1}, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return distribution;
}

static void sizes_of_much(void **state)
{
	static const uint64_t much[] = {UINT64_MAX, 1ull << 63, 1ull << 32, UINT32_MAX, 1u << 31};
	(void)state;
	for (size_t i = 0; i < COUNT(much); i++) {
		say(vxCreateImage(context, 8, 8, VX_DF_IMAGE_U8), "an image of many columns", 4, much[i], 4);
		say(vxCreateImage(context, 8, 8, VX_DF_IMAGE_U8), "an image of many rows", 12, much[i], 4);
		say(full_tensor(), "a tensor of many dimensions", 4, much[i], 8);
		say(full_tensor(), "a tensor of many columns", 16, much[i], 8);
		say(full_distribution(), "a distribution of many bins", 4, much[i], 8);
		say(vxCreateMatrixFromPattern(context, VX_PATTERN_BOX, 3, 3), "a pattern of many rows", 12, much[i] / 8, 8);
		say(vxCreateUserDataObject(context, "data", 8, "12345678"), "an object of many bytes", 4 + VX_MAX_REFERENCE_NAME + 4, much[i], 8);
		say(vxCreatePyramid(context, 2, VX_SCALE_PYRAMID_HALF, 8, 8, VX_DF_IMAGE_U8), "a pyramid of many levels", 4, much[i], 8);
	}
}

/* A few bytes of data in objects that have room for a lot: as many as there is memory for, and no more. */
static void room_for_much(void **state)
{
	struct list l = {0};
	cl_device_id devices[16];
	cl_ulong memory = 0;
	assert_int_equal(clGetContextInfo(cl, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL), CL_SUCCESS);
	assert_int_equal(clGetDeviceInfo(devices[0], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL), CL_SUCCESS);
	(void)state;
	for (int i = 0; i < 8; i++) {
		vx_array array = vxCreateArray(context, VX_TYPE_UINT8, 4);
		RAN(vxAddArrayItems(array, 1, "a", 1));
		add(&l, array, VX_IX_USE_EXPORT_VALUES, NULL);
	}
	struct blob b = exported(l.count, l.refs, l.uses);
	const vx_size record = (section_length(&b, IX_OBJECTS) - RECORD) / 8;
	for (int way = 0; way < 2; way++) {
		const vx_size room = way ? (vx_size)memory / 8 + 1 : (vx_size)memory / 16;
		now_testing("arrays with room for %zu bytes each", room);
		for (int i = 0; i < 8; i++)
			put_integer(&b, section_begin(&b, IX_OBJECTS) + META + (vx_size)i * record + 12, room, 8);
		sign(&b);
		if (way)
			NOT_IMPORTED(VX_ERROR_NO_MEMORY, l.count, l.given, l.uses, &b);
		else
			assert_true(taken(&l, &b));
	}
	free(b.bytes);
	end_list(&l);
}

/* What a refused export has brought does not stay in the context: there is room for a few hundred types in one. */
static void nothing_left(void **state)
{
	enum { TYPES = VX_TYPE_USER_STRUCT_END - VX_TYPE_USER_STRUCT_START + 1 };
	struct list l = {0};
	vx_enum type = VX_TYPE_INVALID;
	(void)state;
	add(&l, vxCreateArray(context, vxRegisterUserStructWithName(context, 12, "galena.test.left"), 4), VX_IX_USE_EXPORT_VALUES, NULL);
	struct blob b = exported(l.count, l.refs, l.uses), c = copy_of(&b);
	put_integer(&c, section_begin(&c, IX_OBJECTS), 2, 4);
	sign(&c);
	for (int i = 0; i <= TYPES; i++) {
		now_testing("refused export number %d with a type", i);
		assert_false(taken(&l, &c));
		REFUSED(VX_FAILURE, vxGetUserStructEnumByName(there, "galena.test.left", &type));
	}
	now_testing("the export as it was");
	assert_true(taken(&l, &b));
	RAN(vxGetUserStructEnumByName(there, "galena.test.left", &type));
	free(b.bytes);
	free(c.bytes);
	end_list(&l);
}

/* ---- programs ---- */
/* Where the hash of the first program is; behind it are the length of its binary and the binary. */
static vx_size first_hash(const struct blob *b)
{
	vx_size at = section_begin(b, IX_PROGRAMS) + 4;
	for (int texts = 0; texts < 2; texts++)
		at += 2 + get_integer(b, at, 2);
	return at + 8 + get_integer(b, at, 8); /* behind the text of the kernel */
}

/* Whatever is in the place of a binary: it is taken, or the program is built of its text. */
static void made_up_programs(const struct blob *b, vx_size binary, vx_size size, const vx_enum *uses)
{
	for (int i = 0; i < 40; i++) {
		vx_context fresh = vxCreateContext();
		vx_reference got[3] = {NULL};
		struct blob c = copy_of(b);
		now_testing("made-up binary number %d", i);
		for (unsigned k = 0; k < 1u << random_below(9); k++)
			c.bytes[binary + random_below((uint32_t)(i % 2 ? size : size < 256 ? size : 256))] = (uint8_t)splitmix64(&seed);
		sign(&c);
		CREATED(fresh);
		vx_import import = vxImportObjectsFromMemory(fresh, 3, got, uses, c.bytes, c.length);
		CREATED(import);
		RAN(vxReleaseContext(&fresh));
		free(c.bytes);
	}
}

/* Binaries are taken where they fit; where they do not the log says so, and the program is built of its text. */
static void programs(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	vx_image in = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8), out = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_node node = vxNotNode(graph, in, out);
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8), seen = zero_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	CREATED(node);
	upload(in, &p);
	vx_reference refs[] = {(vx_reference)graph, (vx_reference)in, (vx_reference)out};
	const vx_enum uses[] = {0, VX_IX_USE_EXPORT_VALUES, VX_IX_USE_NO_EXPORT_VALUES};
	struct blob b = exported(3, refs, uses);
	assert_int_equal(get_integer(&b, section_begin(&b, IX_PROGRAMS), 4), 1);
	const vx_size hash = first_hash(&b), size = (vx_size)get_integer(&b, hash + 8, 8);
	assert_true(size > 0 && hash + 16 + size == section_begin(&b, IX_PROGRAMS) + section_length(&b, IX_PROGRAMS));
	for (int way = 0; way < 4; way++) {
		vx_context fresh = vxCreateContext();
		vx_reference got[3] = {NULL};
		struct blob c = copy_of(&b);
		now_testing("a program %s", way == 0 ? "as it was" : way == 1 ? "of another version" : way == 2 ? "of zeros" : "that is cut off");
		if (way == 1)
			c.bytes[hash] ^= 1;
		else if (way)
			memset(c.bytes + hash + 16 + (way == 2 ? 0 : size / 2), 0, way == 2 ? size : size - size / 2);
		sign(&c);
		CREATED(fresh);
		vxRegisterLogCallback(fresh, keep_log, vx_false_e);
		*last_log = 0;
		vx_import import = vxImportObjectsFromMemory(fresh, 3, got, uses, c.bytes, c.length);
		CREATED(import);
		if (way == 0)
			assert_string_equal(last_log, "");
		if (way == 1 || way == 2)
			LOGGED("built anew");
		if (way < 3) {
			RAN(vxProcessGraph((vx_graph)got[0]));
			download((vx_image)got[2], &seen);
			for (size_t i = 0; i < bytes_in_all(&p); i++)
				assert_int_equal(seen.bytes[i], (uint8_t)~p.bytes[i]);
		}
		RAN(vxReleaseImport(&import));
		RAN(vxReleaseContext(&fresh));
		free(c.bytes);
	}
	made_up_programs(&b, hash + 16, size, uses);
	RAN(vxReleaseNode(&node));
	release_all(refs, 3);
	free(b.bytes);
	free_pixels(&p);
	free_pixels(&seen);
}

int main(int argc, char **argv)
{
	setenv("GALENA_CONFIG", "full,dram_mib=128", 0); /* whose end is soon reached */
	seed_start(argc, argv);
	if (!check_long())
		printf("# %d made-up exports of %d; make check-long has all\n", FUZZ_IN_CHECK, FUZZ);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flips),   cmocka_unit_test(cuts),    cmocka_unit_test(versions), cmocka_unit_test(places),
		cmocka_unit_test(made_up), cmocka_unit_test(lengths), cmocka_unit_test(programs),
		cmocka_unit_test(uses_of_others), cmocka_unit_test(sizes_of_much), cmocka_unit_test(room_for_much), cmocka_unit_test(nothing_left),
	};
	return cmocka_run_group_tests(tests, open_contexts_and_logs, close_contexts);
}
