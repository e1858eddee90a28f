/* Image formats: one table says what there is. */
#include "runtime/opencl/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct channel_order {
	cl_channel_order order;
	unsigned channels;
	bool bytes_only;         /* OpenCL 3.0, 5.3.1: with 8-bit types alone */
	unsigned char source[4]; /* component of the colour that stands in each place of memory */
};

static const struct channel_order orders[] = {
	{CL_R, 1, false, {0}},
	{CL_RG, 2, false, {0, 1}},
	{CL_RGBA, 4, false, {0, 1, 2, 3}},
	{CL_BGRA, 4, true, {2, 1, 0, 3}},
	{CL_ARGB, 4, true, {3, 0, 1, 2}},
};

static const struct channel_type {
	cl_channel_type type;
	unsigned bytes;
	bool byte_orders; /* one that BGRA and ARGB may have */
} types[] = {
	{CL_UNORM_INT8, 1, true},     {CL_UNORM_INT16, 2, false},    {CL_SNORM_INT8, 1, true},     {CL_SNORM_INT16, 2, false},
	{CL_SIGNED_INT8, 1, true},    {CL_SIGNED_INT16, 2, false},   {CL_SIGNED_INT32, 4, false},  {CL_UNSIGNED_INT8, 1, true},
	{CL_UNSIGNED_INT16, 2, false},{CL_UNSIGNED_INT32, 4, false}, {CL_HALF_FLOAT, 2, false},    {CL_FLOAT, 4, false},
};
enum { NUM_ORDERS = sizeof orders / sizeof *orders, NUM_TYPES = sizeof types / sizeof *types };

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

static bool packed_type(cl_channel_type t)
{
	return t == CL_UNORM_SHORT_565 || t == CL_UNORM_SHORT_555 || t == CL_UNORM_INT_101010 || t == CL_UNORM_INT_101010_2;
}

/* 5.3.1: orders and types that the specification names and lets go together, had or not */
static bool makes_sense(const cl_image_format *f)
{
	cl_channel_order o = f->image_channel_order;
	cl_channel_type t = f->image_channel_data_type;
	if (o < CL_R || o > CL_ABGR || t < CL_SNORM_INT8 || t > CL_UNORM_INT_101010_2)
		return false;
	if (packed_type(t))
		return t == CL_UNORM_INT_101010_2 ? o == CL_RGBA : o == CL_RGB || o == CL_RGBx;
	const struct channel_type *type = find_type(t);
	bool norm_or_float = t == CL_UNORM_INT8 || t == CL_UNORM_INT16 || t == CL_SNORM_INT8 || t == CL_SNORM_INT16 || t == CL_HALF_FLOAT ||
			     t == CL_FLOAT;
	switch (o) {
	case CL_INTENSITY:
	case CL_LUMINANCE: return norm_or_float;
	case CL_RGB:
	case CL_RGBx: return false;
	case CL_DEPTH: return t == CL_UNORM_INT16 || t == CL_FLOAT;
	case CL_BGRA:
	case CL_ARGB:
	case CL_ABGR: return type && type->byte_orders;
	case CL_sRGB:
	case CL_sRGBx:
	case CL_sRGBA:
	case CL_sBGRA: return t == CL_UNORM_INT8;
	}
	return true;
}

size_t format_element_size(const cl_image_format *f, cl_int *code)
{
	/* 5.3.1: no format, or one that makes no sense */
	if (!f || !makes_sense(f)) {
		*code = f ? FAIL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "order 0x%x and type 0x%x do not go together", f->image_channel_order,
				 f->image_channel_data_type)
			  : FAIL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no format");
		return 0;
	}
	const struct channel_order *o = find_order(f->image_channel_order);
	const struct channel_type *t = find_type(f->image_channel_data_type);
	if (!o || !t) {
		*code = FAIL(CL_IMAGE_FORMAT_NOT_SUPPORTED, "order 0x%x, type 0x%x", f->image_channel_order, f->image_channel_data_type);
		return 0;
	}
	*code = CL_SUCCESS;
	return (size_t)o->channels * t->bytes;
}

unsigned format_channels(const cl_image_format *f) { return find_order(f->image_channel_order)->channels; }

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

/* OpenCL 3.0, 5.3.4 (fill) and OpenCL C 6.15.15 (conversion rules of write_image) */
static uint32_t pack_channel(cl_channel_type type, uint32_t bits)
{
	float f;
	int32_t i = (int32_t)bits;
	memcpy(&f, &bits, 4);
	switch (type) {
	case CL_UNORM_INT8: return (uint32_t)norm(f, 255.0f, 0);
	case CL_UNORM_INT16: return (uint32_t)norm(f, 65535.0f, 0);
	case CL_SNORM_INT8: return (uint32_t)norm(f, 127.0f, -128);
	case CL_SNORM_INT16: return (uint32_t)norm(f, 32767.0f, -32768);
	case CL_SIGNED_INT8: return (uint32_t)clamp_int(i, INT8_MIN, INT8_MAX);
	case CL_SIGNED_INT16: return (uint32_t)clamp_int(i, INT16_MIN, INT16_MAX);
	case CL_UNSIGNED_INT8: return (uint32_t)clamp_int(bits, 0, UINT8_MAX);
	case CL_UNSIGNED_INT16: return (uint32_t)clamp_int(bits, 0, UINT16_MAX);
	case CL_HALF_FLOAT: return half_bits(f);
	default: return bits; /* 32-bit types as they are */
	}
}

void format_pack_color(const cl_image_format *f, const void *color, void *out)
{
	const struct channel_order *o = find_order(f->image_channel_order);
	const struct channel_type *t = find_type(f->image_channel_data_type);
	const uint32_t *in = color;
	for (unsigned c = 0; c < o->channels; c++) {
		uint32_t v = pack_channel(t->type, in[o->source[c]]);
		memcpy((char *)out + (size_t)c * t->bytes, &v, t->bytes); /* little endian */
	}
}

/* ---- the list ---- */

cl_int CL_API_CALL galena_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
						     cl_uint num_entries, cl_image_format *image_formats, cl_uint *num_image_formats)
{
	if (!CONTEXT_VALID(context))
		return FAIL(CL_INVALID_CONTEXT, "not a context");
	/* OpenCL 3.0, 5.3.2: flags, type and list have to make sense */
	const cl_mem_flags access = MEM_ACCESS_FLAGS | CL_MEM_KERNEL_READ_AND_WRITE;
	if (flags & ~(access | MEM_HOST_PTR_FLAGS | MEM_HOST_ACCESS_FLAGS) || __builtin_popcountll(flags & MEM_ACCESS_FLAGS) > 1)
		return FAIL(CL_INVALID_VALUE, "memory flags 0x%llx", (unsigned long long)flags);
	if (image_type < CL_MEM_OBJECT_IMAGE2D || image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return FAIL(CL_INVALID_VALUE, "0x%x is not a type of image", image_type);
	if (image_formats && !num_entries)
		return FAIL(CL_INVALID_VALUE, "no entries for the list");
	cl_uint n = 0;
	for (int o = 0; o < NUM_ORDERS; o++)
		for (int t = 0; t < NUM_TYPES; t++) {
			if (orders[o].bytes_only && !types[t].byte_orders)
				continue;
			if (image_formats && n < num_entries)
				image_formats[n] = (cl_image_format){orders[o].order, types[t].type};
			n++;
		}
	if (num_image_formats)
		*num_image_formats = n;
	return CL_SUCCESS;
}
