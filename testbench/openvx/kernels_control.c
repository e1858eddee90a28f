/* Kernels that take objects of any kind, and scalars: copy, select, scalar_operation. */
#include "testbench/openvx/compare.h"
#include <VX/vx_khr_user_data_object.h>
#include <math.h>

/* ---- kinds of objects but images ---- */
enum { DATA = 1280 }; /* at most */

/* Its data, as bytes: written, the bytes become what an object of the kind can hold. */
struct kind {
	const char *name;
	vx_reference (*make)(void);
	void (*move)(vx_reference, uint8_t *bytes, vx_enum usage);
};

static vx_reference make_scalar(void) { return (vx_reference)vxCreateScalar(context, VX_TYPE_INT32, &(vx_int32){0}); }
static void move_scalar(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	RAN(vxCopyScalar((vx_scalar)r, bytes, usage, VX_MEMORY_TYPE_HOST));
	memset(bytes + sizeof(vx_int32), 0, DATA - sizeof(vx_int32));
}

/* The first byte is the number of items. */
static vx_reference make_array(void) { return (vx_reference)vxCreateArray(context, VX_TYPE_COORDINATES2D, 50); }
static void move_array(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	const vx_array a = (vx_array)r;
	const size_t item = sizeof(vx_coordinates2d_t);
	vx_size count = 1 + bytes[0] % 50;
	if (usage == VX_WRITE_ONLY) {
		RAN(vxTruncateArray(a, 0));
		RAN(vxAddArrayItems(a, count, bytes + 8, item));
	} else {
		RAN(vxQueryArray(a, VX_ARRAY_NUMITEMS, &count, sizeof count));
		if (count)
			RAN(vxCopyArrayRange(a, 0, count, item, bytes + 8, usage, VX_MEMORY_TYPE_HOST));
	}
	memset(bytes, 0, 8);
	bytes[0] = (uint8_t)(count - 1);
	memset(bytes + 8 + count * item, 0, DATA - 8 - count * item);
}

static vx_reference make_matrix(void) { return (vx_reference)vxCreateMatrix(context, VX_TYPE_UINT8, 5, 3); }
static void move_matrix(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	RAN(vxCopyMatrix((vx_matrix)r, bytes, usage, VX_MEMORY_TYPE_HOST));
	memset(bytes + 15, 0, DATA - 15);
}

static vx_reference make_convolution(void) { return (vx_reference)vxCreateConvolution(context, 3, 5); }
static void move_convolution(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	RAN(vxCopyConvolutionCoefficients((vx_convolution)r, bytes, usage, VX_MEMORY_TYPE_HOST));
	memset(bytes + 30, 0, DATA - 30);
}

static vx_reference make_distribution(void) { return (vx_reference)vxCreateDistribution(context, 36, 0, 360); }
static void move_distribution(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	RAN(vxCopyDistribution((vx_distribution)r, bytes, usage, VX_MEMORY_TYPE_HOST));
	memset(bytes + 36 * 4, 0, DATA - 36 * 4);
}

static vx_reference make_lut(void) { return (vx_reference)vxCreateLUT(context, VX_TYPE_INT16, 300); }
static void move_lut(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	RAN(vxCopyLUT((vx_lut)r, bytes, usage, VX_MEMORY_TYPE_HOST));
	memset(bytes + 600, 0, DATA - 600);
}

/* The value, and those of true and false. */
static vx_reference make_threshold(void)
{
	return (vx_reference)vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8);
}
static void move_threshold(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	vx_pixel_value_t v[3] = {{.U8 = bytes[0]}, {.U8 = bytes[1]}, {.U8 = bytes[2]}};
	RAN(vxCopyThresholdValue((vx_threshold)r, &v[0], usage, VX_MEMORY_TYPE_HOST));
	RAN(vxCopyThresholdOutput((vx_threshold)r, &v[1], &v[2], usage, VX_MEMORY_TYPE_HOST));
	memset(bytes, 0, DATA);
	for (unsigned i = 0; i < 3; i++)
		bytes[i] = v[i].U8;
}

static vx_reference make_remap(void) { return (vx_reference)vxCreateRemap(context, 10, 6, 20, 7); }
static void move_remap(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	const size_t row = 20 * sizeof(vx_coordinates2df_t);
	RAN(vxCopyRemapPatch((vx_remap)r, &(vx_rectangle_t){0, 0, 20, 7}, row, bytes, VX_TYPE_COORDINATES2DF, usage,
			     VX_MEMORY_TYPE_HOST));
	memset(bytes + 7 * row, 0, DATA - 7 * row);
}

static vx_reference make_tensor(void)
{
	return (vx_reference)vxCreateTensor(context, 3, (vx_size[]){9, 5, 2}, VX_TYPE_INT16, 8);
}
static void move_tensor(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	static const vx_size start[] = {0, 0, 0}, end[] = {9, 5, 2}, stride[] = {2, 18, 90};
	RAN(vxCopyTensorPatch((vx_tensor)r, 3, start, end, stride, bytes, usage, VX_MEMORY_TYPE_HOST));
	memset(bytes + 180, 0, DATA - 180);
}

static vx_reference make_user_data(void) { return (vx_reference)vxCreateUserDataObject(context, "numbers", 200, NULL); }
static void move_user_data(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	RAN(vxCopyUserDataObject((vx_user_data_object)r, 0, 0, bytes, usage, VX_MEMORY_TYPE_HOST));
	memset(bytes + 200, 0, DATA - 200);
}

/* One image of U8; the bytes behind those of its pixels. */
static uint8_t *move_image(vx_image image, uint8_t *bytes, vx_enum usage)
{
	struct pixels p = {.format = VX_DF_IMAGE_U8, .bytes = bytes};
	CREATED(image);
	RAN(vxQueryImage(image, VX_IMAGE_WIDTH, &p.width, sizeof p.width));
	RAN(vxQueryImage(image, VX_IMAGE_HEIGHT, &p.height, sizeof p.height));
	move_pixels(image, &p, usage);
	return bytes + bytes_in_all(&p);
}

static vx_reference make_pyramid(void)
{
	return (vx_reference)vxCreatePyramid(context, 3, VX_SCALE_PYRAMID_HALF, 21, 13, VX_DF_IMAGE_U8);
}
static void move_pyramid(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	uint8_t *at = bytes;
	for (vx_uint32 i = 0; i < 3; i++) {
		vx_image level = vxGetPyramidLevel((vx_pyramid)r, i);
		at = move_image(level, at, usage);
		RAN(vxReleaseImage(&level));
	}
	memset(at, 0, (size_t)(bytes + DATA - at));
}

static vx_reference array_of(vx_reference exemplar, vx_size count)
{
	CREATED(exemplar);
	const vx_object_array a = vxCreateObjectArray(context, exemplar, count);
	RAN(vxReleaseReference(&exemplar));
	return (vx_reference)a;
}

static vx_reference make_images(void) { return array_of((vx_reference)vxCreateImage(context, 6, 5, VX_DF_IMAGE_U8), 4); }
static void move_images(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	uint8_t *at = bytes;
	for (vx_uint32 i = 0; i < 4; i++) {
		vx_image item = (vx_image)vxGetObjectArrayItem((vx_object_array)r, i);
		at = move_image(item, at, usage);
		RAN(vxReleaseImage(&item));
	}
	memset(at, 0, (size_t)(bytes + DATA - at));
}

static vx_reference make_scalars(void) { return array_of(make_scalar(), 5); }
static void move_scalars(vx_reference r, uint8_t *bytes, vx_enum usage)
{
	for (vx_uint32 i = 0; i < 5; i++) {
		vx_reference item = vxGetObjectArrayItem((vx_object_array)r, i);
		RAN(vxCopyScalar((vx_scalar)item, bytes + 4 * i, usage, VX_MEMORY_TYPE_HOST));
		RAN(vxReleaseReference(&item));
	}
	memset(bytes + 20, 0, DATA - 20);
}

#define KIND(k) {#k, make_##k, move_##k}
static const struct kind kinds[] = {
	KIND(scalar), KIND(array), KIND(matrix), KIND(convolution), KIND(distribution), KIND(lut), KIND(threshold), KIND(remap),
	KIND(tensor), KIND(user_data), KIND(pyramid), KIND(images), KIND(scalars),
};

/* An object with random data, none of which is a strange number in any type. */
static vx_reference filled(const struct kind *k, uint8_t *bytes)
{
	const vx_reference r = k->make();
	CREATED(r);
	for (unsigned i = 0; i < DATA; i++)
		bytes[i] = (uint8_t)(splitmix64(&seed) & 0x3f);
	k->move(r, bytes, VX_WRITE_ONLY);
	return r;
}

static void holds(const struct kind *k, vx_reference r, const uint8_t *expected)
{
	uint8_t bytes[DATA] = {0};
	k->move(r, bytes, VX_READ_ONLY);
	for (unsigned i = 0; i < DATA; i++)
		if (bytes[i] != expected[i])
			fail_msg("%s: byte %u is %u, expected %u; seed %llu", what, i, bytes[i], expected[i], (unsigned long long)seed_first);
}

/* ---- copy and select ---- */
/* The ways to have the first of three objects in the last one; select has the second for false. */
enum way { COPY_NODE, COPY_AT_ONCE, SELECT_TRUE, SELECT_FALSE, WAYS };
static const char *const way_names[WAYS] = {"copy, node", "copy, at once", "select true", "select false"};

static void take_way(enum way way, vx_reference first, vx_reference second, vx_reference out)
{
	const vx_bool truth = way == SELECT_TRUE ? vx_true_e : vx_false_e;
	if (way == COPY_AT_ONCE) {
		RAN(vxuCopy(context, first, out));
		return;
	}
	vx_graph graph = vxCreateGraph(context);
	vx_scalar condition = vxCreateScalar(context, VX_TYPE_BOOL, &truth);
	CREATED(condition);
	run_node(&graph, way == COPY_NODE ? vxCopyNode(graph, first, out) : vxSelectNode(graph, condition, first, second, out));
	RAN(vxReleaseScalar(&condition));
}

static void all_kinds(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		for (enum way way = 0; way < WAYS; way++) {
			uint8_t bytes[3][DATA];
			vx_reference objects[3];
			now_testing("%s of %s", way_names[way], kinds[i].name);
			for (unsigned k = 0; k < 3; k++)
				objects[k] = filled(&kinds[i], bytes[k]);
			take_way(way, objects[0], objects[1], objects[2]);
			holds(&kinds[i], objects[0], bytes[0]);
			holds(&kinds[i], objects[1], bytes[1]);
			holds(&kinds[i], objects[2], bytes[way == SELECT_FALSE]);
			for (unsigned k = 0; k < 3; k++)
				RAN(vxReleaseReference(&objects[k]));
		}
	}
}

static vx_uint32 up_to(vx_uint32 v, vx_uint32 multiple) { return (v + multiple - 1) / multiple * multiple; }

static void way_of_images(enum way way, vx_df_image format, vx_uint32 width, vx_uint32 height)
{
	struct pixels in[2], expected = zero_pixels(width, height, format);
	struct placed placed[3];
	now_testing("%s of images", way_names[way]);
	for (unsigned i = 0; i < 2; i++) {
		in[i] = random_pixels(width, height, format);
		placed[i] = place_pixels(&in[i], random_place());
	}
	placed[2] = place_result(width, height, format, random_place());
	add_testing(" %s %s to %s", place_names[placed[0].place], place_names[placed[1].place], place_names[placed[2].place]);
	memcpy(expected.bytes, in[way == SELECT_FALSE].bytes, bytes_in_all(&expected));
	take_way(way, (vx_reference)placed[0].image, (vx_reference)placed[1].image, (vx_reference)placed[2].image);
	check_result(&(struct comparison){0}, &expected, &placed[2]);
	for (unsigned i = 0; i < 2; i++)
		check_unchanged(&in[i], &placed[i]);
}

static void all_images(void **state)
{
	(void)state;
	for (size_t f = 0; f < COUNT(layouts); f++) {
		const vx_df_image format = layouts[f].format;
		for (size_t s = 0; s < COUNT(sizes); s += 3)
			for (enum way way = 0; way < WAYS; way++)
				way_of_images(way, format, up_to(sizes[s].width, even_width(format)),
					      up_to(sizes[s].height, even_height(format)));
	}
}

/* A graph that decides by what it computes: x where a < b, else its complement. */
static void decides(void **state)
{
	(void)state;
	struct pixels p = random_pixels(13, 7, VX_DF_IMAGE_U8), expected = zero_pixels(13, 7, VX_DF_IMAGE_U8), got = expected;
	vx_image x = image_u8(13, 7), out = image_u8(13, 7);
	vx_graph graph = vxCreateGraph(context);
	vx_image complement = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	vx_scalar a = (vx_scalar)make_scalar(), b = (vx_scalar)make_scalar(), less = vxCreateVirtualScalar(graph, VX_TYPE_BOOL);
	vx_node nodes[] = {
		vxSelectNode(graph, less, (vx_reference)x, (vx_reference)complement, (vx_reference)out),
		vxNotNode(graph, x, complement),
		vxScalarOperationNode(graph, VX_SCALAR_OP_LESS, a, b, less),
	};
	now_testing("select by a comparison");
	got.bytes = malloc(bytes_in_all(&got));
	upload(x, &p);
	for (size_t i = 0; i < COUNT(nodes); i++)
		CREATED(nodes[i]);
	RAN(vxVerifyGraph(graph));
	for (vx_int32 round = 0; round < 4; round++) {
		RAN(vxCopyScalar(a, &(vx_int32){round}, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxCopyScalar(b, &(vx_int32){4 - round}, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxProcessGraph(graph));
		download(out, &got);
		for (size_t i = 0; i < bytes_in_all(&p); i++)
			expected.bytes[i] = round < 4 - round ? p.bytes[i] : (uint8_t)~p.bytes[i];
		compare_pixels(&(struct comparison){0}, &expected, &got);
	}
	for (size_t i = 0; i < COUNT(nodes); i++)
		RAN(vxReleaseNode(&nodes[i]));
	RAN(vxReleaseScalar(&a));
	RAN(vxReleaseScalar(&b));
	RAN(vxReleaseScalar(&less));
	RAN(vxReleaseImage(&complement));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&x));
	RAN(vxReleaseImage(&out));
	free_pixels(&p);
	free_pixels(&expected);
	free_pixels(&got);
}

/* ---- copy and select of what does not match ---- */
static vx_reference image_of(vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	return (vx_reference)vxCreateImage(context, width, height, format);
}

/* The specification names no status of other data that differ: for them any failure will do, and the status here is 0. */
static void refuse_pair(vx_status status, vx_reference a, vx_reference b)
{
	const vx_bool truth = vx_true_e;
	vx_scalar condition = vxCreateScalar(context, VX_TYPE_BOOL, &truth);
	for (unsigned i = 0; i < 3; i++) {
		vx_graph graph = vxCreateGraph(context);
		vx_node node = !i ? vxCopyNode(graph, a, b) :
				    i == 1 ? vxSelectNode(graph, condition, a, a, b) : vxSelectNode(graph, condition, b, b, a);
		now_testing("%s of a pair that differs", i ? "select" : "copy");
		CREATED(node);
		const vx_status got = vxVerifyGraph(graph);
		assert_int_not_equal(got, VX_SUCCESS);
		if (status)
			REFUSED(status, got);
		RAN(vxReleaseNode(&node));
		RAN(vxReleaseGraph(&graph));
	}
	const vx_status got = vxuCopy(context, a, b);
	assert_int_not_equal(got, VX_SUCCESS);
	if (status)
		REFUSED(status, got);
	RAN(vxReleaseScalar(&condition));
	RAN(vxReleaseReference(&a));
	RAN(vxReleaseReference(&b));
}

static void pairs(void **state)
{
	(void)state;
	const vx_float32 f = 0;
	refuse_pair(VX_ERROR_INVALID_DIMENSION, image_of(16, 8, VX_DF_IMAGE_U8), image_of(16, 9, VX_DF_IMAGE_U8));
	refuse_pair(VX_ERROR_INVALID_DIMENSION, image_of(16, 8, VX_DF_IMAGE_NV12), image_of(18, 8, VX_DF_IMAGE_NV12));
	refuse_pair(VX_ERROR_INVALID_FORMAT, image_of(16, 8, VX_DF_IMAGE_U8), image_of(16, 8, VX_DF_IMAGE_U1));
	refuse_pair(VX_ERROR_INVALID_FORMAT, image_of(16, 8, VX_DF_IMAGE_S16), image_of(16, 8, VX_DF_IMAGE_U16));
	refuse_pair(VX_ERROR_INVALID_TYPE, image_of(16, 8, VX_DF_IMAGE_U8), make_scalar());
	refuse_pair(VX_ERROR_INVALID_TYPE, make_scalar(), (vx_reference)vxCreateScalar(context, VX_TYPE_FLOAT32, &f));
	refuse_pair(0, make_matrix(), (vx_reference)vxCreateMatrix(context, VX_TYPE_UINT8, 3, 5));
	refuse_pair(0, make_lut(), (vx_reference)vxCreateLUT(context, VX_TYPE_INT16, 299));
	refuse_pair(0, make_array(), (vx_reference)vxCreateArray(context, VX_TYPE_COORDINATES2DF, 50));
	refuse_pair(0, make_convolution(), (vx_reference)vxCreateConvolution(context, 3, 3));
	refuse_pair(0, make_distribution(), (vx_reference)vxCreateDistribution(context, 37, 0, 370));
	refuse_pair(0, make_images(), make_scalars());
	refuse_pair(0, make_tensor(), (vx_reference)vxCreateTensor(context, 3, (vx_size[]){9, 5, 2}, VX_TYPE_INT16, 0));
	refuse_pair(0, make_user_data(), (vx_reference)vxCreateUserDataObject(context, "numbers", 199, NULL));
	refuse_pair(0, make_user_data(), (vx_reference)vxCreateUserDataObject(context, "letters", 200, NULL));
}

static void conditions(void **state)
{
	(void)state;
	const vx_bool truth = vx_true_e;
	vx_reference a = make_scalar(), b = make_scalar(), out = make_scalar();
	vx_graph graph = vxCreateGraph(context);
	now_testing("select by what is no bool");
	refuse_node(VX_ERROR_INVALID_TYPE, &graph, vxSelectNode(graph, (vx_scalar)a, a, b, out));
	vx_scalar condition = vxCreateScalar(context, VX_TYPE_BOOL, &truth);
	vx_image images[] = {image_u8(16, 8), image_u8(16, 9), image_u8(16, 8)};
	graph = vxCreateGraph(context);
	now_testing("select of images of two sizes");
	refuse_node(VX_ERROR_INVALID_DIMENSION, &graph,
		    vxSelectNode(graph, condition, (vx_reference)images[0], (vx_reference)images[1], (vx_reference)images[2]));
	for (unsigned i = 0; i < 3; i++)
		RAN(vxReleaseImage(&images[i]));
	RAN(vxReleaseScalar(&condition));
	RAN(vxReleaseReference(&a));
	RAN(vxReleaseReference(&b));
	RAN(vxReleaseReference(&out));
}

/* ---- scalar_operation ---- */
static const struct type { vx_enum type; unsigned bits; bool is_signed; } types[] = {
	{VX_TYPE_INT8, 8, true}, {VX_TYPE_UINT8, 8, false}, {VX_TYPE_INT16, 16, true}, {VX_TYPE_UINT16, 16, false},
	{VX_TYPE_INT32, 32, true}, {VX_TYPE_UINT32, 32, false}, {VX_TYPE_SIZE, 64, false}, {VX_TYPE_FLOAT32, 32, true},
	{VX_TYPE_BOOL, 32, true},
};
enum { NUMBERS = COUNT(types) - 1, INTEGERS = NUMBERS - 1, BOOL = NUMBERS };

/* Exactly: no sum, difference or product of two numbers of the tests needs more. */
struct number {
	bool is_real;
	__int128 whole;
	long double real; /* also of whole ones */
};

struct operation {
	const char *name;
	vx_enum op;
	enum { LOGIC, COMPARISON, ARITHMETIC } result;
};
#define OPERATION(name, result) {#name, VX_SCALAR_OP_##name, result}
static const struct operation operations[] = {
	OPERATION(AND, LOGIC), OPERATION(OR, LOGIC), OPERATION(XOR, LOGIC), OPERATION(NAND, LOGIC),
	OPERATION(EQUAL, COMPARISON), OPERATION(NOTEQUAL, COMPARISON), OPERATION(LESS, COMPARISON), OPERATION(LESSEQ, COMPARISON),
	OPERATION(GREATER, COMPARISON), OPERATION(GREATEREQ, COMPARISON),
	OPERATION(ADD, ARITHMETIC), OPERATION(SUBTRACT, ARITHMETIC), OPERATION(MULTIPLY, ARITHMETIC), OPERATION(DIVIDE, ARITHMETIC),
	OPERATION(MODULUS, ARITHMETIC), OPERATION(MIN, ARITHMETIC), OPERATION(MAX, ARITHMETIC),
};

static bool is_real(const struct type *t) { return t->type == VX_TYPE_FLOAT32; }
static struct number whole(__int128 v) { return (struct number){.whole = v, .real = (long double)v}; }
static struct number real(long double v) { return (struct number){.is_real = true, .real = v}; }

/* Of a type, with all its bits or fewer. */
static struct number random_number(const struct type *t, unsigned bits)
{
	const bool small = !random_below(4);
	bits = bits < t->bits ? bits : t->bits;
	if (t->type == VX_TYPE_BOOL)
		return whole(random_below(2));
	if (is_real(t))
		return real(((long double)random_below(small ? 33 : 1 << 21) - (small ? 16 : 1 << 20)) / 8);
	const uint64_t v = small ? random_below(4) : (uint64_t)random_sample(bits);
	return whole(t->is_signed && bits == t->bits && v >> (bits - 1) ? (__int128)v - ((__int128)1 << bits) : (__int128)v);
}

static struct number computed(vx_enum op, struct number a, struct number b)
{
	const bool reals = a.is_real || b.is_real;
	const __int128 x = a.whole, y = b.whole;
	const long double f = a.real, g = b.real;
	switch (op) {
	case VX_SCALAR_OP_AND: return whole(x && y);
	case VX_SCALAR_OP_OR: return whole(x || y);
	case VX_SCALAR_OP_XOR: return whole(!x != !y);
	case VX_SCALAR_OP_NAND: return whole(!(x && y));
	case VX_SCALAR_OP_EQUAL: return whole(f == g);
	case VX_SCALAR_OP_NOTEQUAL: return whole(f != g);
	case VX_SCALAR_OP_LESS: return whole(f < g);
	case VX_SCALAR_OP_LESSEQ: return whole(f <= g);
	case VX_SCALAR_OP_GREATER: return whole(f > g);
	case VX_SCALAR_OP_GREATEREQ: return whole(f >= g);
	case VX_SCALAR_OP_ADD: return reals ? real(f + g) : whole(x + y);
	case VX_SCALAR_OP_SUBTRACT: return reals ? real(f - g) : whole(x - y);
	case VX_SCALAR_OP_MULTIPLY: return reals ? real(f * g) : whole((__int128)((unsigned __int128)x * (unsigned __int128)y));
	case VX_SCALAR_OP_DIVIDE: return reals ? real(f / g) : whole(x / y);
	case VX_SCALAR_OP_MODULUS: return whole(x % y);
	case VX_SCALAR_OP_MIN: return f < g ? a : b;
	default: return f > g ? a : b;
	}
}

static __int128 least_of(const struct type *t) { return t->is_signed ? -((__int128)1 << (t->bits - 1)) : 0; }
static __int128 most_of(const struct type *t) { return ((__int128)1 << (t->is_signed ? t->bits - 1 : t->bits)) - 1; }

/* As a scalar of the type holds it: of real numbers the whole part, as near as the type gets; of whole ones the low bits. */
static struct number kept(const struct type *t, struct number n)
{
	if (is_real(t))
		return real(n.real);
	if (n.is_real && n.real >= (long double)most_of(t))
		return whole(most_of(t));
	if (n.is_real && n.real <= (long double)least_of(t))
		return whole(least_of(t));
	const unsigned __int128 range = (unsigned __int128)1 << t->bits;
	unsigned __int128 low = (unsigned __int128)(n.is_real ? (__int128)n.real : n.whole) & (range - 1);
	return whole(t->is_signed && low >> (t->bits - 1) ? (__int128)low - (__int128)range : (__int128)low);
}

static void to_bytes(const struct type *t, struct number n, uint8_t bytes[8])
{
	const float f = (float)n.real;
	const uint64_t v = (uint64_t)n.whole;
	memset(bytes, 0, 8);
	memcpy(bytes, is_real(t) ? (const void *)&f : &v, t->bits / 8);
}

static struct number from_bytes(const struct type *t, const uint8_t bytes[8])
{
	float f;
	uint64_t v = 0;
	memcpy(&f, bytes, sizeof f);
	memcpy(&v, bytes, t->bits / 8);
	return is_real(t) ? real(f) : kept(t, whole(v));
}

/* One node of a graph. */
struct trial {
	const struct operation *operation;
	const struct type *type[3]; /* a, b, the result */
	struct number number[2];
	vx_scalar scalar[3];
	vx_node node;
};

/* Values of 64 bits only where all is whole; a divisor is not 0, whose results are for implementations to define. */
static void give_values(struct trial *t)
{
	const unsigned bits = is_real(t->type[0]) || is_real(t->type[1]) || is_real(t->type[2]) ? 32 : 64;
	const bool divides = t->operation->op == VX_SCALAR_OP_DIVIDE || t->operation->op == VX_SCALAR_OP_MODULUS;
	for (unsigned i = 0; i < 2; i++) {
		uint8_t bytes[8];
		do
			t->number[i] = random_number(t->type[i], bits);
		while (i == 1 && divides && t->number[i].real == 0);
		to_bytes(t->type[i], t->number[i], bytes);
		RAN(vxCopyScalar(t->scalar[i], bytes, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	}
}

static void open_trial(struct trial *t, vx_graph graph, const struct operation *o, const struct type *a, const struct type *b,
		       const struct type *out)
{
	const uint8_t zero[8] = {0};
	*t = (struct trial){.operation = o, .type = {a, b, out}};
	for (unsigned i = 0; i < 3; i++) {
		t->scalar[i] = vxCreateScalar(context, t->type[i]->type, zero);
		CREATED(t->scalar[i]);
	}
	t->node = vxScalarOperationNode(graph, o->op, t->scalar[0], t->scalar[1], t->scalar[2]);
	CREATED(t->node);
	give_values(t);
}

static void close_trial(struct trial *t)
{
	for (unsigned i = 0; i < 3; i++)
		RAN(vxReleaseScalar(&t->scalar[i]));
	RAN(vxReleaseNode(&t->node));
}

/* The lesser or greater of a real and a whole number that the result has no room for: which kind of number it is, is not said. */
static bool is_open(const struct trial *t, struct number exact)
{
	const bool picked = t->operation->op == VX_SCALAR_OP_MIN || t->operation->op == VX_SCALAR_OP_MAX;
	const struct type *out = t->type[2];
	return picked && is_real(t->type[0]) != is_real(t->type[1]) && !is_real(out) &&
	       (exact.real < (long double)least_of(out) || exact.real > (long double)most_of(out));
}

/* Whole results are exact; of real ones the last bit is left to rounding. */
static void check_trial(const struct trial *t)
{
	const struct number exact = computed(t->operation->op, t->number[0], t->number[1]), expected = kept(t->type[2], exact);
	uint8_t bytes[8] = {0};
	RAN(vxCopyScalar(t->scalar[2], bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	const struct number got = from_bytes(t->type[2], bytes);
	const long double tolerance = is_real(t->type[2]) ? fabsl(expected.real) * 0x1p-23L : 0;
	if (!is_open(t, exact) && !(fabsl(got.real - expected.real) <= tolerance))
		fail_msg("%s of types 0x%x and 0x%x to 0x%x: %.20Lg and %.20Lg give %.20Lg, expected %.20Lg; seed %llu",
			 t->operation->name, (unsigned)t->type[0]->type, (unsigned)t->type[1]->type, (unsigned)t->type[2]->type,
			 t->number[0].real, t->number[1].real, got.real, expected.real, (unsigned long long)seed_first);
}

/* All pairs of types that an operation takes, in one graph that runs again with other values. */
static void try_operation(const struct operation *o)
{
	const unsigned begin = o->result == LOGIC ? BOOL : 0;
	const unsigned end = o->result == LOGIC ? BOOL + 1 : o->op == VX_SCALAR_OP_MODULUS ? INTEGERS : NUMBERS;
	struct trial trials[NUMBERS * NUMBERS];
	unsigned count = 0;
	vx_graph graph = vxCreateGraph(context);
	now_testing("scalar_operation %s", o->name);
	for (unsigned a = begin; a < end; a++)
		for (unsigned b = begin; b < end; b++)
			open_trial(&trials[count++], graph, o, &types[a], &types[b],
				   &types[o->result == ARITHMETIC ? random_below(NUMBERS) : BOOL]);
	RAN(vxVerifyGraph(graph));
	for (unsigned round = 0; round < 6; round++) {
		RAN(vxProcessGraph(graph));
		for (unsigned i = 0; i < count; i++)
			check_trial(&trials[i]);
		for (unsigned i = 0; i < count; i++)
			give_values(&trials[i]);
	}
	for (unsigned i = 0; i < count; i++)
		close_trial(&trials[i]);
	RAN(vxReleaseGraph(&graph));
}

static void scalar_operations(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(operations); i++)
		try_operation(&operations[i]);
}

static const struct { vx_status status; vx_enum op, a, b, out; } wrong[] = {
	{VX_ERROR_INVALID_TYPE, VX_SCALAR_OP_AND, VX_TYPE_INT8, VX_TYPE_BOOL, VX_TYPE_BOOL},
	{VX_ERROR_INVALID_TYPE, VX_SCALAR_OP_XOR, VX_TYPE_BOOL, VX_TYPE_BOOL, VX_TYPE_INT32},
	{VX_ERROR_INVALID_TYPE, VX_SCALAR_OP_EQUAL, VX_TYPE_INT8, VX_TYPE_INT8, VX_TYPE_INT8},
	{VX_ERROR_INVALID_TYPE, VX_SCALAR_OP_LESS, VX_TYPE_INT8, VX_TYPE_CHAR, VX_TYPE_BOOL},
	{VX_ERROR_INVALID_TYPE, VX_SCALAR_OP_ADD, VX_TYPE_INT32, VX_TYPE_BOOL, VX_TYPE_INT32},
	{VX_ERROR_INVALID_TYPE, VX_SCALAR_OP_ADD, VX_TYPE_INT32, VX_TYPE_INT32, VX_TYPE_BOOL},
	{VX_ERROR_INVALID_TYPE, VX_SCALAR_OP_MULTIPLY, VX_TYPE_FLOAT64, VX_TYPE_FLOAT32, VX_TYPE_FLOAT32},
	{VX_ERROR_INVALID_TYPE, VX_SCALAR_OP_MODULUS, VX_TYPE_FLOAT32, VX_TYPE_INT32, VX_TYPE_INT32},
	{VX_ERROR_INVALID_TYPE, VX_SCALAR_OP_MODULUS, VX_TYPE_INT32, VX_TYPE_FLOAT32, VX_TYPE_INT32},
	{VX_ERROR_INVALID_VALUE, VX_SCALAR_OP_MAX + 1, VX_TYPE_INT32, VX_TYPE_INT32, VX_TYPE_INT32},
	{VX_ERROR_INVALID_VALUE, VX_CONVERT_POLICY_WRAP, VX_TYPE_INT32, VX_TYPE_INT32, VX_TYPE_INT32},
};

static void wrong_operations(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		const uint8_t one[8] = {1};
		vx_graph graph = vxCreateGraph(context);
		vx_scalar a = vxCreateScalar(context, wrong[i].a, one), b = vxCreateScalar(context, wrong[i].b, one);
		vx_scalar out = vxCreateScalar(context, wrong[i].out, one);
		now_testing("scalar_operation 0x%x of types 0x%x and 0x%x to 0x%x", (unsigned)wrong[i].op, (unsigned)wrong[i].a,
			    (unsigned)wrong[i].b, (unsigned)wrong[i].out);
		refuse_node(wrong[i].status, &graph, vxScalarOperationNode(graph, wrong[i].op, a, b, out));
		RAN(vxReleaseScalar(&a));
		RAN(vxReleaseScalar(&b));
		RAN(vxReleaseScalar(&out));
	}
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds), cmocka_unit_test(all_images), cmocka_unit_test(decides), cmocka_unit_test(pairs),
		cmocka_unit_test(conditions), cmocka_unit_test(scalar_operations), cmocka_unit_test(wrong_operations),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
