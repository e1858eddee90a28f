/* Fuzzes vxImportObjectsFromMemory: whatever a blob says, it is taken, and all of it ends again, or it is refused, the log says why
 * and nothing is left of it.
 *
 * An input is a recipe and no blob: of programs, numbers of the format and checksums a blob has others in every version. Its first
 * byte is one of a few exports that are made at start; then come edits of 8 bytes each, one after the other:
 *
 *   u8 what (low 4 bits) and how many bytes (high 4 bits), u8 section, u16 place in it, u32 value.
 *
 * Checksums and lengths are made right behind them, so that what is behind these is reached. */
#include "runtime/openvx/ix_format.h"
#include "testbench/fuzz/fuzz.h"
#include <VX/vx_khr_ix.h>
#include <VX/vx_khr_user_data_object.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
	REFS = 8,          /* of an export */
	WIDTH = 12, HEIGHT = 8,
	EDIT = 8, EDITS = 128,
	BLOB_MAX = 1 << 18,
	LIFE = 500,        /* imports of a context: it keeps types and programs that came with them */
};

static _Noreturn void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void broken(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	fputs("fuzz: ", stderr);
	vfprintf(stderr, format, list);
	fputs("\n", stderr);
	abort();
}

/* ---- the log ---- */
static char last_log[VX_MAX_LOG_MESSAGE_LEN];
static vx_status last_status;

static void VX_CALLBACK keep_log(vx_context c, vx_reference ref, vx_status status, const vx_char string[])
{
	(void)c;
	(void)ref;
	last_status = status;
	snprintf(last_log, sizeof last_log, "%s", string);
}

static void expect(vx_status status, const char *what)
{
	if (status)
		broken("%s: %d, %s", what, status, last_log);
}
#define RAN(call) expect((call), #call)
#define CREATED(object) expect(vxGetStatus((vx_reference)(object)), #object)

static vx_context open_context(void)
{
	vx_context c = vxCreateContext();
	CREATED(c);
	vxRegisterLogCallback(c, keep_log, vx_false_e);
	return c;
}

/* ---- the exports ---- */
struct list {
	vx_size count;
	vx_reference refs[REFS];
	vx_enum uses[REFS];
};
struct blob {
	uint8_t *bytes;
	size_t length;
};
static vx_context home;

static void add(struct list *l, void *ref, vx_enum use)
{
	CREATED(ref);
	if (l->count == REFS)
		abort();
	l->refs[l->count] = ref;
	l->uses[l->count++] = use;
}

static vx_image new_image(vx_context c) { return vxCreateImage(c, WIDTH, HEIGHT, VX_DF_IMAGE_U8); }

static vx_tensor new_tensor(vx_context c) { return vxCreateTensor(c, 3, (vx_size[]){6, 5, 4}, VX_TYPE_UINT8, 0); }

/* Objects of one value, or few. */
static struct list of_values(void)
{
	struct list l = {0};
	add(&l, vxCreateScalar(home, VX_TYPE_INT32, &(vx_int32){-77}), VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateMatrix(home, VX_TYPE_FLOAT32, 3, 2), VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateMatrixFromPattern(home, VX_PATTERN_DISK, 3, 3), VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateThresholdForImage(home, VX_THRESHOLD_TYPE_RANGE, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8), VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateConvolution(home, 3, 3), VX_IX_USE_EXPORT_VALUES);
	vx_reference alike = (vx_reference)vxCreateScalar(home, VX_TYPE_UINT8, &(vx_uint8){1});
	add(&l, vxCreateDelay(home, alike, 2), VX_IX_USE_EXPORT_VALUES);
	RAN(vxSetReferenceName(l.refs[1], "matrix"));
	RAN(vxReleaseReference(&alike));
	return l;
}

/* Objects with tables, and a type of the application's. */
static struct list of_tables(void)
{
	struct list l = {0};
	uint8_t bytes[256];
	for (int i = 0; i < 256; i++)
		bytes[i] = (uint8_t)(i * 7);
	vx_array array = vxCreateArray(home, vxRegisterUserStructWithName(home, 12, "galena.fuzz"), 4);
	vx_lut lut = vxCreateLUT(home, VX_TYPE_UINT8, 256);
	vx_distribution distribution = vxCreateDistribution(home, 8, 0, 256);
	vx_remap remap = vxCreateRemap(home, 8, 8, 2, 2);
	const vx_rectangle_t all = {0, 0, 2, 2};
	RAN(vxAddArrayItems(array, 2, bytes, 12));
	RAN(vxCopyLUT(lut, bytes, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxCopyDistribution(distribution, bytes, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxCopyRemapPatch(remap, &all, 2 * sizeof(vx_coordinates2df_t), bytes, VX_TYPE_COORDINATES2DF, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	add(&l, array, VX_IX_USE_EXPORT_VALUES);
	add(&l, lut, VX_IX_USE_EXPORT_VALUES);
	add(&l, distribution, VX_IX_USE_EXPORT_VALUES);
	add(&l, remap, VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateUserDataObject(home, "bytes", 16, bytes), VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateArray(home, VX_TYPE_KEYPOINT, 3), VX_IX_USE_EXPORT_VALUES);
	return l;
}

/* Images, and parts of images. */
static struct list of_images(void)
{
	struct list l = {0};
	vx_image image = new_image(home), yuv = vxCreateImage(home, 4, 4, VX_DF_IMAGE_IYUV), bits = vxCreateImage(home, 24, 4, VX_DF_IMAGE_U1);
	RAN(vxSetImagePixelValues(image, &(vx_pixel_value_t){.U8 = 90}));
	RAN(vxSetImagePixelValues(yuv, &(vx_pixel_value_t){.YUV = {1, 2, 3}}));
	RAN(vxSetImagePixelValues(bits, &(vx_pixel_value_t){.U1 = 1}));
	add(&l, image, VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateImageFromROI(image, &(vx_rectangle_t){1, 1, 5, 4}), VX_IX_USE_EXPORT_VALUES);
	add(&l, yuv, VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateImageFromChannel(yuv, VX_CHANNEL_V), VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateImageFromROI(bits, &(vx_rectangle_t){8, 1, 19, 4}), VX_IX_USE_EXPORT_VALUES);
	add(&l, bits, VX_IX_USE_NO_EXPORT_VALUES);
	add(&l, vxCreateUniformImage(home, 4, 4, VX_DF_IMAGE_RGB, &(vx_pixel_value_t){.RGB = {1, 2, 3}}), VX_IX_USE_EXPORT_VALUES);
	return l;
}

/* A tensor, views of it, images in it. */
static struct list of_tensors(void)
{
	struct list l = {0};
	uint8_t elements[120] = {1};
	const vx_rectangle_t part = {1, 1, 4, 3};
	vx_tensor tensor = new_tensor(home), view = vxCreateTensorFromView(tensor, 3, (vx_size[]){1, 1, 1}, (vx_size[]){5, 4, 3});
	RAN(vxCopyTensorPatch(tensor, 3, (vx_size[]){0, 0, 0}, (vx_size[]){6, 5, 4}, (vx_size[]){1, 6, 30}, elements, VX_WRITE_ONLY,
			      VX_MEMORY_TYPE_HOST));
	add(&l, tensor, VX_IX_USE_EXPORT_VALUES);
	add(&l, view, VX_IX_USE_EXPORT_VALUES);
	add(&l, vxCreateTensorFromView(view, 3, (vx_size[]){0, 1, 0}, (vx_size[]){2, 2, 2}), VX_IX_USE_NO_EXPORT_VALUES);
	add(&l, vxCreateImageObjectArrayFromTensor(tensor, &part, 2, 30, VX_DF_IMAGE_U8), VX_IX_USE_EXPORT_VALUES);
	return l;
}

/* Objects that are made of others. */
static struct list of_containers(void)
{
	struct list l = {0};
	vx_image image = new_image(home);
	vx_pyramid pyramid = vxCreatePyramid(home, 3, VX_SCALE_PYRAMID_ORB, 16, 16, VX_DF_IMAGE_U8);
	vx_object_array pyramids = vxCreateObjectArray(home, (vx_reference)pyramid, 2);
	add(&l, vxCreateObjectArray(home, (vx_reference)image, 3), VX_IX_USE_EXPORT_VALUES);
	add(&l, pyramids, VX_IX_USE_NO_EXPORT_VALUES);
	add(&l, vxCreateDelay(home, (vx_reference)pyramids, 2), VX_IX_USE_EXPORT_VALUES);
	add(&l, vxGetObjectArrayItem(pyramids, 1), VX_IX_USE_EXPORT_VALUES);
	add(&l, pyramid, VX_IX_USE_EXPORT_VALUES);
	RAN(vxReleaseImage(&image));
	return l;
}

static void end_node(vx_node node)
{
	CREATED(node);
	RAN(vxReleaseNode(&node));
}

/* A graph of what is virtual, replicated, old, hidden, and a parameter. */
static struct list of_graph(void)
{
	struct list l = {0};
	vx_bool both[2] = {vx_true_e, vx_true_e};
	const vx_border_t border = {.mode = VX_BORDER_CONSTANT, .constant_value.U8 = 3};
	vx_graph graph = vxCreateGraph(home);
	vx_image in = new_image(home), out = new_image(home), middle = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	vx_delay delay = vxCreateDelay(home, (vx_reference)in, 2);
	vx_object_array array = vxCreateObjectArray(home, (vx_reference)in, 2), results = vxCreateVirtualObjectArray(graph, (vx_reference)in, 2);
	vx_reference first = vxGetObjectArrayItem(array, 0), result = vxGetObjectArrayItem(results, 0);
	vx_node node = vxNotNode(graph, (vx_image)first, (vx_image)result);
	CREATED(node);
	RAN(vxReplicateNode(graph, node, both, 2));
	RAN(vxReleaseNode(&node));
	node = vxGaussian3x3Node(graph, in, middle);
	CREATED(node);
	RAN(vxSetNodeAttribute(node, VX_NODE_BORDER, &border, sizeof border));
	vx_parameter parameter = vxGetParameterByIndex(node, 0);
	RAN(vxAddParameterToGraph(graph, parameter));
	RAN(vxReleaseParameter(&parameter));
	RAN(vxReleaseNode(&node));
	end_node(vxXorNode(graph, middle, (vx_image)vxGetReferenceFromDelay(delay, -1), out));
	RAN(vxRegisterAutoAging(graph, delay));
	add(&l, graph, 0);
	add(&l, in, VX_IX_USE_EXPORT_VALUES);
	add(&l, out, VX_IX_USE_NO_EXPORT_VALUES);
	add(&l, delay, VX_IX_USE_NO_EXPORT_VALUES);
	RAN(vxReleaseReference(&first));
	RAN(vxReleaseReference(&result));
	RAN(vxReleaseObjectArray(&array));
	RAN(vxReleaseObjectArray(&results));
	RAN(vxReleaseImage(&middle));
	return l;
}

/* Kernels with parameters of other kinds. */
static struct list of_kernels(void)
{
	struct list l = {0};
	vx_graph graph = vxCreateGraph(home);
	vx_image in = new_image(home), middle = vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8), small = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_U8);
	vx_lut lut = vxCreateLUT(home, VX_TYPE_UINT8, 256);
	vx_matrix matrix = vxCreateMatrix(home, VX_TYPE_FLOAT32, 2, 3);
	vx_scalar factor = vxCreateScalar(home, VX_TYPE_FLOAT32, &(vx_float32){.5f});
	vx_distribution histogram = vxCreateDistribution(home, 16, 0, 256);
	vx_convolution conv = vxCreateConvolution(home, 3, 3);
	end_node(vxTableLookupNode(graph, in, lut, middle));
	end_node(vxWarpAffineNode(graph, middle, matrix, VX_INTERPOLATION_BILINEAR, vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8)));
	end_node(vxMultiplyNode(graph, in, middle, factor, VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_ZERO, small));
	end_node(vxHistogramNode(graph, small, histogram));
	end_node(vxConvolveNode(graph, small, conv, vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_S16)));
	end_node(vxGaussianPyramidNode(graph, middle, vxCreateVirtualPyramid(graph, 2, VX_SCALE_PYRAMID_HALF, 0, 0, VX_DF_IMAGE_VIRT)));
	add(&l, graph, 0);
	add(&l, histogram, VX_IX_USE_NO_EXPORT_VALUES);
	add(&l, in, VX_IX_USE_NO_EXPORT_VALUES);
	RAN(vxReleaseLUT(&lut));
	RAN(vxReleaseMatrix(&matrix));
	RAN(vxReleaseScalar(&factor));
	RAN(vxReleaseConvolution(&conv));
	RAN(vxReleaseImage(&middle));
	RAN(vxReleaseImage(&small));
	return l;
}

/* What the application creates before an import: of the list it has the places that are said so, and each place has one kind. */
static vx_reference supply(vx_context c, vx_size place)
{
	vx_image image = new_image(c);
	vx_reference made = (vx_reference)image;
	if (place == 1)
		made = (vx_reference)new_tensor(c);
	if (place == 2)
		made = (vx_reference)vxCreateObjectArray(c, (vx_reference)image, 2);
	if (place == 3)
		made = (vx_reference)vxCreateArray(c, VX_TYPE_UINT8, 5);
	CREATED(made);
	if (made != (vx_reference)image)
		RAN(vxReleaseImage(&image));
	return made;
}

static struct list of_supplied(void)
{
	struct list l = {0};
	for (vx_size i = 0; i < 4; i++)
		add(&l, supply(home, i), VX_IX_USE_APPLICATION_CREATE);
	add(&l, vxCreateImageFromROI((vx_image)l.refs[0], &(vx_rectangle_t){1, 1, 5, 4}), VX_IX_USE_EXPORT_VALUES);
	add(&l, vxGetObjectArrayItem((vx_object_array)l.refs[2], 1), VX_IX_USE_EXPORT_VALUES);
	return l;
}

static struct list (*const lists[])(void) = {of_values, of_tables, of_images, of_tensors, of_containers, of_graph, of_kernels, of_supplied};
enum { SEEDS = sizeof lists / sizeof *lists };
static struct blob seeds[SEEDS];

static struct blob export_list(struct list l)
{
	const vx_uint8 *bytes = NULL;
	struct blob b = {NULL, 0};
	RAN(vxExportObjectsToMemory(home, l.count, l.refs, l.uses, &bytes, &b.length));
	b.bytes = malloc(b.length);
	if (!b.bytes)
		abort();
	memcpy(b.bytes, bytes, b.length);
	RAN(vxReleaseExportedMemory(home, &bytes));
	for (vx_size i = 0; i < l.count; i++)
		RAN(vxReleaseReference(&l.refs[i]));
	return b;
}

/* ---- edits ---- */
static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static struct blob section_of(const struct blob *b, unsigned section)
{
	size_t at = IX_HEADER;
	for (unsigned i = 0; i < section; i++)
		at += get(b->bytes + IX_AT_SECTIONS + i * 16, 8);
	return (struct blob){b->bytes + at, get(b->bytes + IX_AT_SECTIONS + section * 16, 8)};
}

/* Sections are apart as long as they are edited. */
struct parts {
	struct blob of[IX_SECTIONS];
};

static struct parts take_apart(const struct blob *b)
{
	struct parts p;
	for (unsigned i = 0; i < IX_SECTIONS; i++) {
		const struct blob s = section_of(b, i);
		p.of[i] = (struct blob){malloc(BLOB_MAX), least(s.length, BLOB_MAX)};
		if (!p.of[i].bytes)
			abort();
		memcpy(p.of[i].bytes, s.bytes, p.of[i].length);
	}
	return p;
}

/* The bytes lie at the end of their memory: a tool that looks at accesses sees those behind it. */
static struct blob put_together(struct parts *p)
{
	struct blob b = {NULL, IX_HEADER};
	for (unsigned i = 0; i < IX_SECTIONS; i++)
		b.length += p->of[i].length;
	b.bytes = malloc(b.length);
	if (!b.bytes)
		abort();
	size_t at = IX_HEADER;
	for (unsigned i = 0; i < IX_SECTIONS; i++) {
		const struct blob *s = &p->of[i];
		memcpy(b.bytes + at, s->bytes, s->length);
		put(b.bytes + IX_AT_SECTIONS + i * 16, s->length, 8);
		put(b.bytes + IX_AT_SECTIONS + i * 16 + 8, XXH3_64bits(b.bytes + at, s->length), 8);
		at += s->length;
		free(s->bytes);
	}
	put(b.bytes, IX_MAGIC, 4);
	put(b.bytes + IX_AT_VERSION, IX_VERSION, 4);
	put(b.bytes + IX_AT_LENGTH, b.length, 8);
	put(b.bytes + IX_AT_CHECKSUM, XXH3_64bits(b.bytes + IX_AT_SECTIONS, IX_HEADER - IX_AT_SECTIONS), 8);
	return b;
}

/* As long as there is room. */
static void insert(struct blob *s, size_t at, const uint8_t *bytes, size_t count)
{
	if (count > BLOB_MAX - s->length)
		return;
	memmove(s->bytes + at + count, s->bytes + at, s->length - at);
	memmove(s->bytes + at, bytes, count);
	s->length += count;
}

static void removed(struct blob *s, size_t at, size_t count)
{
	const size_t left = s->length - at;
	count = least(count, left);
	memmove(s->bytes + at, s->bytes + at + count, left - count);
	s->length -= count;
}

static void edit(struct parts *p, const uint8_t bytes[EDIT])
{
	static const uint8_t sizes[8] = {4, 4, 4, 1, 2, 8, 8, 8};
	const unsigned what = bytes[0] % 16, count = 1 + bytes[0] / 16, section = bytes[1] % IX_SECTIONS;
	struct blob *s = &p->of[section];
	const uint32_t value = (uint32_t)get(bytes + 4, 4);
	const size_t at = get(bytes + 2, 2) % (s->length + 1), left = s->length - at;
	uint8_t copy[BLOB_MAX / 16] = {0};
	if (what < 8) { /* another number there: of 8 bytes it is signed, or begins in the middle */
		const uint64_t wide = what == 7 ? (uint64_t)value << 32 : (uint64_t)(int32_t)value;
		if (left >= sizes[what])
			put(s->bytes + at, wide, sizes[what]);
	} else if (what == 8) { /* the sum of two */
		if (left >= 4)
			put(s->bytes + at, get(s->bytes + at, 4) + value, 4);
	} else if (what < 11) { /* less bytes */
		removed(s, at, what == 9 ? count : value % 256);
	} else if (what < 13) { /* more of them */
		memcpy(copy, bytes + 4, 4);
		insert(s, at, copy, count);
	} else { /* those that are there, once more or up to 256 times, or those of another export */
		struct blob from = {s->bytes + at, left};
		if (what == 15) {
			from = section_of(&seeds[bytes[4] % SEEDS], section);
			const size_t skipped = least(bytes[5], from.length);
			from = (struct blob){from.bytes + skipped, from.length - skipped};
		}
		const size_t length = least(least(from.length, get(bytes + 6, 2)), sizeof copy);
		memcpy(copy, from.bytes, length);
		for (unsigned i = 0; i < (what == 14 ? count * count : 1); i++)
			insert(s, at, copy, length);
	}
}

static struct blob cooked(const uint8_t *data, size_t size)
{
	struct parts p = take_apart(&seeds[size ? data[0] % SEEDS : 0]);
	for (size_t i = 0; i < EDITS && 1 + (i + 1) * EDIT <= size; i++)
		edit(&p, data + 1 + i * EDIT);
	return put_together(&p);
}

/* ---- imports ---- */
static vx_uint32 references_of(vx_context c)
{
	vx_uint32 count = 0;
	RAN(vxQueryContext(c, VX_CONTEXT_REFERENCES, &count, sizeof count));
	return count;
}

/* The uses that the blob says, so that it is the rest of it that matters. */
static vx_size list_of(const struct blob *b, vx_enum *uses)
{
	const uint8_t *at = b->bytes + IX_HEADER;
	const size_t length = get(b->bytes + IX_AT_SECTIONS + IX_REFS * 16, 8), said = length < 4 ? 0 : get(at, 4);
	vx_size count = 0;
	for (; count < said && count < REFS && 4 + (count + 1) * 8 <= length; count++)
		uses[count] = (vx_enum)get(at + 4 + count * 8 + 4, 4);
	return count;
}

static void read_name(vx_reference ref)
{
	const vx_char *text = NULL;
	RAN(vxQueryReference(ref, VX_REFERENCE_NAME, &text, sizeof text));
	if (strlen(text) >= VX_MAX_REFERENCE_NAME)
		broken("a name of %zu characters", strlen(text));
}

/* Whether the blob is taken. */
static bool import(vx_context c, const struct blob *b)
{
	vx_reference given[REFS] = {NULL}, refs[REFS];
	vx_enum uses[REFS] = {0};
	const vx_size count = list_of(b, uses);
	for (vx_size i = 0; i < count; i++)
		if (uses[i] == VX_IX_USE_APPLICATION_CREATE)
			given[i] = supply(c, i);
	const vx_uint32 before = references_of(c);
	memcpy(refs, given, sizeof refs);
	*last_log = 0;
	last_status = VX_SUCCESS;
	vx_import made = vxImportObjectsFromMemory(c, count, refs, uses, b->bytes, b->length);
	const vx_status status = vxGetStatus((vx_reference)made);
	if (status == VX_SUCCESS) {
		for (vx_size i = 0; i < count; i++) {
			if (refs[i] == given[i])
				continue;
			read_name(refs[i]);
			RAN(vxReleaseReference(&refs[i]));
		}
		RAN(vxReleaseImport(&made));
	} else if (last_status != status || !strstr(last_log, "vxImportObjectsFromMemory") || memcmp(refs, given, sizeof refs)) {
		broken("refused with %d, where the log says %d, %s, or the list is another", status, last_status, last_log);
	}
	if (references_of(c) != before)
		broken("%u references before, %u behind it; status %d, %s", before, references_of(c), status, last_log);
	for (vx_size i = 0; i < count; i++)
		if (given[i])
			RAN(vxReleaseReference(&given[i]));
	return status == VX_SUCCESS;
}

/* A small device is enough. */
static void start(void)
{
	static const char *const settings[][2] = {{"GALENA_CONFIG", "mini"}, {"GALENA_SPEED", "functional"}, {"GALENA_DEVICES", "1"},
						  {"GALENA_LOG", "none"}, {"GALENA_TOP", "0"}};
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		setenv(settings[i][0], settings[i][1], 0);
	home = open_context();
	for (unsigned i = 0; i < SEEDS; i++)
		seeds[i] = export_list(lists[i]());
	for (uint8_t i = 0; i < SEEDS; i++) {
		struct blob b = cooked(&i, 1);
		if (!import(home, &b))
			broken("export %u as it was: %s", i, last_log);
		free(b.bytes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static vx_context there;
	static unsigned imports;
	if (!home)
		start();
	if (there && imports++ % LIFE == 0)
		RAN(vxReleaseContext(&there));
	if (!there)
		there = open_context();
	struct blob b = cooked(data, size);
	import(there, &b);
	free(b.bytes);
	return 0;
}
