/* Image formats: one table says which there can be, and which there are. */
#include "runtime/opencl/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a channel's 32 bits of a colour become in memory. */
enum conversion { NORM_UNSIGNED, NORM_SIGNED, INT_SIGNED, INT_UNSIGNED, HALF_FLOATS, FLOATS };

/* In the order of the list that applications get. */
enum {
	UNORM8, UNORM16, SNORM8, SNORM16, SINT8, SINT16, SINT32, UINT8, UINT16, UINT32, HALF, FLOAT, SHORT_565, SHORT_555, INT_101010,
	INT_101010_2, NUM_TYPES
};

static const struct channel_type {
	cl_channel_type type;
	enum conversion conversion;
	unsigned bytes;        /* of a channel; of a texel when all channels share one word */
	unsigned char bits[4]; /* of each channel in that word, the first highest; 0 for those side by side */
} types[NUM_TYPES] = {
	[UNORM8] = {CL_UNORM_INT8, NORM_UNSIGNED, 1, {0}},
	[UNORM16] = {CL_UNORM_INT16, NORM_UNSIGNED, 2, {0}},
	[SNORM8] = {CL_SNORM_INT8, NORM_SIGNED, 1, {0}},
	[SNORM16] = {CL_SNORM_INT16, NORM_SIGNED, 2, {0}},
	[SINT8] = {CL_SIGNED_INT8, INT_SIGNED, 1, {0}},
	[SINT16] = {CL_SIGNED_INT16, INT_SIGNED, 2, {0}},
	[SINT32] = {CL_SIGNED_INT32, INT_SIGNED, 4, {0}},
	[UINT8] = {CL_UNSIGNED_INT8, INT_UNSIGNED, 1, {0}},
	[UINT16] = {CL_UNSIGNED_INT16, INT_UNSIGNED, 2, {0}},
	[UINT32] = {CL_UNSIGNED_INT32, INT_UNSIGNED, 4, {0}},
	[HALF] = {CL_HALF_FLOAT, HALF_FLOATS, 2, {0}},
	[FLOAT] = {CL_FLOAT, FLOATS, 4, {0}},
	[SHORT_565] = {CL_UNORM_SHORT_565, NORM_UNSIGNED, 2, {5, 6, 5}},
	[SHORT_555] = {CL_UNORM_SHORT_555, NORM_UNSIGNED, 2, {5, 5, 5}},
	[INT_101010] = {CL_UNORM_INT_101010, NORM_UNSIGNED, 4, {10, 10, 10}},
	[INT_101010_2] = {CL_UNORM_INT_101010_2, NORM_UNSIGNED, 4, {10, 10, 10, 2}},
};

/* Sets of types. */
#define TYPE(t) (1u << (t))
#define SIDE_BY_SIDE (TYPE(SHORT_565) - 1)
#define NORM_OR_FLOAT (TYPE(UNORM8) | TYPE(UNORM16) | TYPE(SNORM8) | TYPE(SNORM16) | TYPE(HALF) | TYPE(FLOAT))
#define BYTES (TYPE(UNORM8) | TYPE(SNORM8) | TYPE(SINT8) | TYPE(UINT8))
#define PACKED_RGB (TYPE(SHORT_565) | TYPE(SHORT_555) | TYPE(INT_101010))
#define GRAY (TYPE(UNORM8) | TYPE(UNORM16) | TYPE(HALF) | TYPE(FLOAT))

/* OpenCL 3.0, 5.3.1.1: which types an order goes with, and those that kernels of ours read and write. Not had: what
 * has three bytes in a texel, an unused channel, or (Rx, RGx) a number of channels that the specification changed. */
static const struct channel_order {
	cl_channel_order order;
	unsigned channels;
	unsigned valid, had;     /* sets of types */
	bool planes_only;        /* of 2D images and their arrays alone */
	cl_channel_order view;   /* 5.3.1.2: the other order under which an image made from this one may see it; 0: none */
	unsigned char source[4]; /* component of the colour that stands in each place of memory */
} orders[] = {
	{CL_R, 1, SIDE_BY_SIDE, SIDE_BY_SIDE, false, CL_DEPTH, {0}},
	{CL_A, 1, SIDE_BY_SIDE, GRAY, false, 0, {3}},
	{CL_RG, 2, SIDE_BY_SIDE, SIDE_BY_SIDE, false, 0, {0, 1}},
	{CL_RA, 2, SIDE_BY_SIDE, 0, false, 0, {0, 3}},
	{CL_RGB, 3, PACKED_RGB, PACKED_RGB, false, 0, {0, 1, 2}},
	{CL_RGBA, 4, SIDE_BY_SIDE | TYPE(INT_101010_2), SIDE_BY_SIDE | TYPE(INT_101010_2), false, CL_sRGBA, {0, 1, 2, 3}},
	{CL_BGRA, 4, BYTES, BYTES, false, CL_sBGRA, {2, 1, 0, 3}},
	{CL_ARGB, 4, BYTES, BYTES, false, 0, {3, 0, 1, 2}},
	{CL_ABGR, 4, BYTES, 0, false, 0, {3, 2, 1, 0}},
	{CL_INTENSITY, 1, NORM_OR_FLOAT, GRAY, false, 0, {0}},
	{CL_LUMINANCE, 1, NORM_OR_FLOAT, GRAY, false, 0, {0}},
	{CL_DEPTH, 1, TYPE(UNORM16) | TYPE(FLOAT), TYPE(UNORM16) | TYPE(FLOAT), true, 0, {0}},
	{CL_Rx, 1, SIDE_BY_SIDE, 0, false, 0, {0}},
	{CL_RGx, 2, SIDE_BY_SIDE, 0, false, 0, {0, 1}},
	{CL_RGBx, 3, PACKED_RGB, 0, false, 0, {0, 1, 2}},
	{CL_sRGB, 3, TYPE(UNORM8), 0, false, 0, {0, 1, 2}},
	{CL_sRGBx, 4, TYPE(UNORM8), 0, false, 0, {0, 1, 2, 3}},
	{CL_sRGBA, 4, TYPE(UNORM8), TYPE(UNORM8), false, CL_RGBA, {0, 1, 2, 3}},
	{CL_sBGRA, 4, TYPE(UNORM8), TYPE(UNORM8), false, CL_BGRA, {2, 1, 0, 3}},
};
enum { NUM_ORDERS = sizeof orders / sizeof *orders };

static const struct channel_order *find_order(cl_channel_order order)
{
	for (int i = 0; i < NUM_ORDERS; i++)
		if (orders[i].order == order)
			return &orders[i];
	return NULL;
}

static const struct channel_type *find_type(cl_channel_type type)
{
	for (int i = 0; i < NUM_TYPES; i++)
		if (types[i].type == type)
			return &types[i];
	return NULL;
}

static bool packed(const struct channel_type *t) { return t->bits[0]; }

static bool has(const struct channel_order *o, unsigned set, const struct channel_type *t, cl_mem_object_type image)
{
	return (set & TYPE(t - types)) && (!o->planes_only || image == CL_MEM_OBJECT_IMAGE2D || image == CL_MEM_OBJECT_IMAGE2D_ARRAY);
}

size_t format_element_size(const cl_image_format *f, cl_mem_object_type image, cl_int *code)
{
	const struct channel_order *o = f ? find_order(f->image_channel_order) : NULL;
	const struct channel_type *t = f ? find_type(f->image_channel_data_type) : NULL;
	/* 5.3.1: CL_INVALID_IMAGE_FORMAT_DESCRIPTOR for no format, or one whose values are not valid */
	if (!o || !t || !(o->valid & TYPE(t - types))) {
		/* CL_CREATEIMAGE*_FORMAT_NULL, CL_CREATEIMAGE*_FORMAT: there is one, and it makes sense */
		*code = f ? FAIL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "order 0x%x and type 0x%x do not go together", f->image_channel_order,
				 f->image_channel_data_type)
			  : FAIL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no format");
		return 0;
	}
	/* 5.3.1: CL_IMAGE_FORMAT_NOT_SUPPORTED for those that are, but which no device has */
	if (!has(o, o->had, t, image)) {
		/* CL_CREATEIMAGE*_FORMAT_SUPPORT: one of those that the device has */
		*code = FAIL(CL_IMAGE_FORMAT_NOT_SUPPORTED, "order 0x%x, type 0x%x for images of type 0x%x: see clGetSupportedImageFormats",
			     f->image_channel_order, f->image_channel_data_type, image);
		return 0;
	}
	*code = CL_SUCCESS;
	return packed(t) ? t->bytes : (size_t)o->channels * t->bytes;
}

unsigned format_channels(const cl_image_format *f) { return find_order(f->image_channel_order)->channels; }

bool format_is_view(const cl_image_format *f, const cl_image_format *of)
{
	return f->image_channel_data_type == of->image_channel_data_type &&
	       (f->image_channel_order == of->image_channel_order || f->image_channel_order == find_order(of->image_channel_order)->view);
}

/* ---- colours ---- */

/* float to half, round to nearest even */
static uint16_t half_bits(float f)
{
	uint32_t x;
	memcpy(&x, &f, 4);
	uint16_t sign = (uint16_t)(x >> 16 & 0x8000);
	x &= 0x7fffffff;
	if (x >= 0x7f800000) /* infinity, NaN */
		return (uint16_t)(sign | 0x7c00 | (x > 0x7f800000 ? 0x200 | (x >> 13 & 0x3ff) : 0));
	if (x >= 0x477ff000) /* rounds up to infinity */
		return (uint16_t)(sign | 0x7c00);
	if (x < 0x33000001) /* at most half of the least subnormal */
		return sign;
	if (x < 0x38800000) { /* subnormal */
		uint32_t shift = 126 - (x >> 23);
		uint32_t m = (x & 0x7fffff) | 0x800000;
		uint32_t rest = m & ((1u << shift) - 1), half = 1u << (shift - 1);
		m >>= shift;
		return (uint16_t)(sign | (m + (rest > half || (rest == half && (m & 1)))));
	}
	x -= 112u << 23;
	return (uint16_t)(sign | ((x + 0xfff + (x >> 13 & 1)) >> 13));
}

static int32_t clamp_int(int64_t v, int64_t lo, int64_t hi) { return (int32_t)(v < lo ? lo : v > hi ? hi : v); }

static int32_t norm(float f, float scale, int32_t lo)
{
	if (isnan(f))
		return 0;
	f *= scale;
	return f <= (float)lo ? lo : f >= scale ? (int32_t)scale : (int32_t)rintf(f);
}

/* Linear light to the code of sRGB in [0, 1] (OpenCL C 3.0, 8.3.1.4). */
static float linear_to_srgb(float f)
{
	double c = isnan(f) ? 0 : fmin(fmax((double)f, 0), 1);
	return (float)(c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055);
}

/* OpenCL 3.0, 5.3.4 (fill) and OpenCL C 8.3 (conversion rules of write_image); width: bits of the channel */
static uint32_t pack_channel(enum conversion conversion, unsigned width, uint32_t bits)
{
	const uint32_t ones = width < 32 ? (1u << width) - 1 : UINT32_MAX;
	const int64_t low = -(1ll << (width - 1)), high = ~low;
	float f;
	memcpy(&f, &bits, 4);
	switch (conversion) {
	case NORM_UNSIGNED: return (uint32_t)norm(f, (float)ones, 0);
	case NORM_SIGNED: return (uint32_t)norm(f, (float)high, (int32_t)low);
	case INT_SIGNED: return (uint32_t)clamp_int((int32_t)bits, low, high);
	case INT_UNSIGNED: return bits < ones ? bits : ones;
	case HALF_FLOATS: return half_bits(f);
	case FLOATS: break;
	}
	return bits;
}

static bool is_srgb(cl_channel_order o) { return o == CL_sRGBA || o == CL_sBGRA; }

void format_pack_color(const cl_image_format *f, const void *color, void *out)
{
	const struct channel_order *o = find_order(f->image_channel_order);
	const struct channel_type *t = find_type(f->image_channel_data_type);
	uint32_t word = 0;
	for (unsigned c = 0; c < o->channels; c++) {
		uint32_t v;
		/* not more of the colour than the order has: 5.3.4, one float alone for a depth image */
		memcpy(&v, (const char *)color + 4u * o->source[c], 4);
		if (is_srgb(o->order) && o->source[c] < 3) {
			float linear, code;
			memcpy(&linear, &v, 4);
			code = linear_to_srgb(linear);
			memcpy(&v, &code, 4);
		}
		if (packed(t)) {
			word = word << t->bits[c] | pack_channel(t->conversion, t->bits[c], v);
			continue;
		}
		v = pack_channel(t->conversion, 8 * t->bytes, v);
		memcpy((char *)out + (size_t)c * t->bytes, &v, t->bytes); /* little endian */
	}
	if (packed(t))
		memcpy(out, &word, t->bytes);
}

/* ---- the list ---- */

cl_int CL_API_CALL galena_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
						     cl_uint num_entries, cl_image_format *image_formats, cl_uint *num_image_formats)
{
	/* CL_GETSUPPORTEDIMAGEFORMATS_CONTEXT: a context */
	NEED_CONTEXT(context);
	/* OpenCL 3.0, 5.3.2: flags, type and list have to make sense */
	const cl_mem_flags access = MEM_ACCESS_FLAGS | CL_MEM_KERNEL_READ_AND_WRITE;
	if (flags & ~(access | MEM_HOST_PTR_FLAGS | MEM_HOST_ACCESS_FLAGS) || __builtin_popcountll(flags & MEM_ACCESS_FLAGS) > 1)
		/* CL_GETSUPPORTEDIMAGEFORMATS_FLAGS: known ones that go together */
		return FAIL(CL_INVALID_VALUE, "memory flags 0x%llx", (unsigned long long)flags);
	if (image_type < CL_MEM_OBJECT_IMAGE2D || image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
		/* CL_GETSUPPORTEDIMAGEFORMATS_TYPE: a type of images */
		return FAIL(CL_INVALID_VALUE, "0x%x is not a type of image", image_type);
	if (image_formats && !num_entries)
		/* CL_GETSUPPORTEDIMAGEFORMATS_ENTRIES_ZERO: a list has room */
		return FAIL(CL_INVALID_VALUE, "no entries for the list");
	/* kernels read what they write: one list for all flags */
	cl_uint n = 0;
	for (int o = 0; o < NUM_ORDERS; o++)
		for (int t = 0; t < NUM_TYPES; t++) {
			if (!has(&orders[o], orders[o].had, &types[t], image_type))
				continue;
			if (image_formats && n < num_entries)
				image_formats[n] = (cl_image_format){orders[o].order, types[t].type};
			n++;
		}
	if (num_image_formats)
		*num_image_formats = n;
	return CL_SUCCESS;
}
