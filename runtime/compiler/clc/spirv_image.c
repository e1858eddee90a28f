/* Images of SPIR-V shaders, and texel buffers: sampled through a sampler, read, written and counted by whole texels. The kernel library knows formats,
 * levels and samplers (lib/shader_images.cl). */
#include "abi/spirv_block.h"
#include "runtime/compiler/clc/spirv.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct texels {
	uint32_t dimensions, coordinates;
	bool arrayed;
	char suffix;        /* f, i, u */
	const char *dims;   /* of the library's functions for Vulkan */
	const char *kind;   /* of those for OpenCL */
};

static bool image_of(struct spv *s, const struct spv_id *t, struct texels *out)
{
	enum { BUFFER = 5, DEPTH_IMAGE = 1 };
	static const struct { const char *dims, *kind; } kinds[3][2] = {
		{ { "D1", "image1d" }, { "D1A", "image1d_array" } }, { { "D2", "image2d" }, { "D2A", "image2d_array" } }, { { "D3", "image3d" }, { NULL, NULL } },
	};
	if (t && t->kind == SPV_SAMPLED_IMAGE)
		t = spv_type(s, t->type);
	if (!t || t->kind != SPV_IMAGE)
		return spv_fail(s, "not an image");
	const uint32_t *w = t->words; /* id, sampled type, dimensions, depth, arrayed, multisampled, sampled, format */
	const struct spv_id *texel = spv_type(s, w[2]);
	const uint32_t dimensions = w[3] == BUFFER ? 0 : w[3], arrayed = w[5] != 0;
	if (!texel || (texel->kind != SPV_FLOAT && texel->kind != SPV_INT) || texel->width != 32 || w[6] || dimensions > 2 || w[4] == DEPTH_IMAGE ||
	    (arrayed && (w[3] == 2 || w[3] == BUFFER)))
		return spv_fail(s, "images of this kind are not supported");
	*out = (struct texels){ .dimensions = dimensions + 1, .coordinates = dimensions + 1 + arrayed, .arrayed = arrayed,
			       .suffix = texel->kind == SPV_FLOAT ? 'f' : texel->is_signed ? 'i' : 'u', .dims = kinds[dimensions][arrayed].dims,
			       .kind = kinds[dimensions][arrayed].kind };
	return true;
}

static const char *texel_ir(const struct texels *im) { return im->suffix == 'f' ? "<4 x float>" : "<4 x i32>"; }

/* ---- operands ---- */
/* Elements of a scalar or vector, of which there have to be so many. */
static bool elements(struct spv *s, uint32_t id, uint32_t count, const char *out[3])
{
	const struct spv_id *v = spv_id(s, id), *t = v ? spv_type(s, v->type) : NULL;
	const char *value = spv_value(s, id);
	if (!t || spv_lanes(t) < count)
		return spv_fail(s, "%u numbers where an image takes %u", t ? spv_lanes(t) : 0, count);
	for (uint32_t i = 0; i < count; i++)
		out[i] = t->kind == SPV_VECTOR ? spv_extract(s, v->type, value, i) : value;
	return !s->failed;
}

/* x, y, z: a layer is z. projected: what is behind the coordinates divides them. */
static bool coordinates(struct spv *s, uint32_t id, const struct texels *im, bool is_float, bool projected, const char *out[3])
{
	const char *e[3], *divisor = NULL;
	const struct spv_id *t = spv_type_of(s, id), *scalar = t ? spv_scalar(s, spv_type_of(s, id)) : NULL;
	if (!scalar || scalar->kind != (is_float ? SPV_FLOAT : SPV_INT) || scalar->width != 32)
		return spv_fail(s, "coordinates that are no %s", is_float ? "floats" : "integers of 32 bits");
	if (!elements(s, id, im->coordinates, e))
		return false;
	if (projected) {
		if (spv_lanes(t) <= im->coordinates)
			return spv_fail(s, "coordinates without a divisor");
		divisor = spv_extract(s, spv_id(s, id)->type, spv_value(s, id), im->coordinates);
	}
	for (uint32_t i = 0; i < 3; i++)
		out[i] = is_float ? "0.0" : "0";
	for (uint32_t i = 0; i < im->coordinates; i++)
		out[im->arrayed && i == im->dimensions ? 2 : i] = divisor ? spv_let(s, "fdiv float %s, %s", e[i], divisor) : e[i];
	return true;
}

struct operands {
	const char *lod, *offset[3];
	uint32_t offsets;          /* of a gather: an array of four */
	bool visible, available;   /* memory that others have written, or read */
};

/* Of gradients: the level that the library finds. */
static const char *gradient(struct spv *s, const struct texels *im, const char *image, const uint32_t ids[2])
{
	const char *vectors[2];
	for (unsigned i = 0; i < 2; i++) {
		const char *e[3];
		if (!elements(s, ids[i], im->dimensions, e))
			return "undef";
		vectors[i] = "zeroinitializer";
		for (uint32_t k = 0; k < im->dimensions; k++)
			vectors[i] = spv_let(s, "insertelement <4 x float> %s, float %s, i32 %u", vectors[i], e[k], k);
	}
	spv_declare(s, "declare float @shader_gradient_lod(ptr, <4 x float>, <4 x float>)");
	return spv_let(s, "call float @shader_gradient_lod(ptr %s, <4 x float> %s, <4 x float> %s)", image, vectors[0], vectors[1]);
}

/* From word at on: a mask, then what its bits ask for, from the lowest on. The image's texels may become signed ones or not. */
static bool operands_read(struct spv *s, uint32_t at, struct texels *im, const char *image, struct operands *out)
{
	enum { LOD = 2, GRAD = 4, CONST_OFFSET = 8, OFFSET = 16, CONST_OFFSETS = 32, AVAILABLE = 256, VISIBLE = 512, NON_PRIVATE = 1024, VOLATILE = 2048,
	       SIGN_EXTEND = 4096, ZERO_EXTEND = 8192, LAST = 16384 };
	enum { KNOWN = LOD | GRAD | CONST_OFFSET | OFFSET | CONST_OFFSETS | AVAILABLE | VISIBLE | NON_PRIVATE | VOLATILE | SIGN_EXTEND | ZERO_EXTEND };
	const uint32_t *w = s->at, n = *w >> 16, mask = n > at ? w[at] : 0;
	*out = (struct operands){ .offset = { "0", "0", "0" } };
	if (mask & ~(uint32_t)KNOWN)
		return spv_fail(s, "image operands 0x%x are not supported", mask);
	for (uint32_t bit = 1, next = at + 1; bit < LAST; bit <<= 1) {
		const uint32_t takes = !(mask & bit) || bit >= NON_PRIVATE ? 0 : bit == GRAD ? 2 : 1;
		if (takes && n < next + takes)
			return spv_fail(s, "too few words for image operands 0x%x", mask);
		switch (mask & bit) {
		case LOD: out->lod = spv_value(s, w[next]); break;
		case GRAD: out->lod = gradient(s, im, image, &w[next]); break;
		case CONST_OFFSET: case OFFSET:
			if (!elements(s, w[next], im->dimensions, out->offset))
				return false;
			break;
		case CONST_OFFSETS: out->offsets = w[next]; break;
		case AVAILABLE: out->available = true; break;
		case VISIBLE: out->visible = true; break;
		case SIGN_EXTEND: case ZERO_EXTEND: im->suffix = bit == SIGN_EXTEND ? 'i' : 'u'; break;
		}
		next += takes;
	}
	return !s->failed;
}

/* ---- texels ---- */
/* Calls shader_WHAT_TYPE_DIMS(image, ...) of the library. */
static const char *read(struct spv *s, const char *what, const struct texels *im, const char *types, const char *values)
{
	spv_declare(s, "declare %s @shader_%s_%c_%s(%s)", texel_ir(im), what, im->suffix, im->dims, types);
	return spv_let(s, "call %s @shader_%s_%c_%s(%s)", texel_ir(im), what, im->suffix, im->dims, values);
}

/* A texel of four elements as what the instruction gives. */
static bool define_texel(struct spv *s, const char *texel, char suffix)
{
	const struct spv_id *t = spv_type(s, s->at[1]);
	if (!t)
		return false;
	if (t->kind == SPV_VECTOR && t->count == 4)
		return spv_define(s, texel);
	if (!spv_is_scalar(t))
		return spv_fail(s, "a texel of %u elements", t->count);
	return spv_result(s, "extractelement <4 x %s> %s, i32 0", suffix == 'f' ? "float" : "i32", texel);
}

/* A texel by its place. */
static bool image_read(struct spv *s)
{
	struct texels im;
	struct operands o;
	const char *at[3], *image = spv_value(s, s->at[3]);
	if (!image_of(s, spv_type_of(s, s->at[3]), &im) || !operands_read(s, 5, &im, image, &o) || !coordinates(s, s->at[4], &im, false, false, at))
		return false;
	for (uint32_t i = 0; i < im.dimensions; i++)
		at[i] = spv_let(s, "add i32 %s, %s", at[i], o.offset[i]);
	if (o.visible)
		spv_fence(s);
	char *values = clc_format("ptr %s, i32 %s, i32 %s, i32 %s, i32 %s", image, at[0], at[1], at[2], o.lod ? o.lod : "0");
	const char *texel = read(s, "fetch", &im, "ptr, i32, i32, i32, i32", values);
	free(values);
	return define_texel(s, texel, im.suffix);
}

/* write_image{f,i,ui}(image, coordinates, texel), which takes 1, 2 or 4 coordinates */
static void write(struct spv *s, const struct texels *im, const char *image, const char *const at[3], const char *texel)
{
	const char *letter = im->suffix == 'f' ? "f" : im->suffix == 'i' ? "i" : "j", *c = at[0];
	const uint32_t lanes = im->coordinates == 3 ? 4 : im->coordinates;
	char *vector = lanes > 1 ? clc_format("<%u x i32>", lanes) : clc_format("i32"), *mangled = lanes > 1 ? clc_format("Dv%u_i", lanes) : clc_format("i");
	for (uint32_t i = 0; lanes > 1 && i < lanes; i++) {
		const char *e = i == 3 ? "0" : im->coordinates == 2 && im->arrayed && i ? at[2] : at[i];
		c = spv_let(s, "insertelement %s %s, i32 %s, i32 %u", vector, i ? c : "undef", e, i);
	}
	char *ocl = clc_format("ocl_%s_rw", im->kind), *name = clc_format("write_image%s", im->suffix == 'f' ? "f" : im->suffix == 'i' ? "i" : "ui");
	/* the texel's type is a substitution where it was there as coordinates */
	char *type = lanes == 4 && im->suffix == 'i' ? clc_format("S0_") : clc_format("Dv4_%s", letter);
	char *symbol = clc_format("_Z%zu%s%zu%s%s%s", strlen(name), name, strlen(ocl), ocl, mangled, type);
	spv_declare(s, "declare void @%s(ptr, %s, %s)", symbol, vector, texel_ir(im));
	spv_emit(s, "  call void @%s(ptr %s, %s %s, %s %s)\n", symbol, image, vector, c, texel_ir(im), texel);
	char *const texts[] = { vector, mangled, ocl, name, type, symbol };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(texts[i]);
}

static bool image_write(struct spv *s)
{
	struct texels im;
	struct operands o;
	const char *at[3];
	const struct spv_id *texel = spv_type_of(s, s->at[3]);
	if (!texel || !image_of(s, spv_type_of(s, s->at[1]), &im) || !operands_read(s, 4, &im, spv_value(s, s->at[1]), &o) ||
	    !coordinates(s, s->at[2], &im, false, false, at))
		return false;
	const char *value = spv_value(s, s->at[3]), *v = "undef", *scalar = im.suffix == 'f' ? "float" : "i32";
	for (uint32_t i = 0; i < 4 && (texel->kind != SPV_VECTOR || texel->count < 4); i++) { /* what is not given is not looked at */
		const char *e = value;
		if (texel->kind == SPV_VECTOR && i < texel->count)
			e = spv_extract(s, spv_id(s, s->at[3])->type, value, i);
		else if (i)
			e = im.suffix == 'f' ? "0.0" : "0";
		v = spv_let(s, "insertelement <4 x %s> %s, %s %s, i32 %u", scalar, v, scalar, e, i);
	}
	write(s, &im, spv_value(s, s->at[1]), at, texel->kind == SPV_VECTOR && texel->count == 4 ? value : v);
	if (o.available)
		spv_fence(s);
	return !s->failed;
}

/* Where a texel is, for atomic operations: of those outside, in the sink. */
static bool texel_pointer(struct spv *s)
{
	const uint32_t *w = s->at;
	struct texels im;
	const char *at[3];
	if (!image_of(s, spv_pointee(s, w[3]), &im) || !coordinates(s, w[4], &im, false, false, at))
		return false;
	spv_declare(s, "declare i64 @shader_texel_address(ptr, i32, i32, i32, i64)");
	const char *image = spv_let(s, "load ptr, ptr %s, align 8", spv_value(s, w[3]));
	const char *sink = spv_let(s, "getelementptr i8, ptr %%block, i64 %zu", offsetof(struct spirv_block, sink));
	const char *outside = spv_let(s, "add i64 %s, %d", spv_let(s, "load i64, ptr %s, align 8", sink), SPIRV_SINK_BYTES / 2);
	const char *address = spv_let(s, "call i64 @shader_texel_address(ptr %s, i32 %s, i32 %s, i32 %s, i64 %s)", image, at[0], at[1], at[2], outside);
	return spv_result(s, "inttoptr i64 %s to ptr", address);
}

/* ---- samplers ---- */
/* The image and the sampler of a pair. */
static bool pair_take(struct spv *s, uint32_t id, struct texels *im, const char **image, const char **sampler)
{
	const struct spv_id *pair = spv_id(s, id), *t = pair ? spv_type(s, pair->type) : NULL;
	if (!t || t->kind != SPV_SAMPLED_IMAGE || !image_of(s, t, im))
		return spv_fail(s, "a sample of what is no image with a sampler");
	*image = spv_extract(s, pair->type, spv_value(s, id), 0);
	*sampler = spv_extract(s, pair->type, spv_value(s, id), 1);
	return true;
}

static bool image_sample(struct spv *s, bool projected)
{
	struct texels im;
	struct operands o;
	const char *at[3], *image, *sampler;
	if (!pair_take(s, s->at[3], &im, &image, &sampler) || !coordinates(s, s->at[4], &im, true, projected, at) || !operands_read(s, 5, &im, image, &o))
		return false;
	if (!o.lod)
		return spv_fail(s, "a sample of no level");
	char *values = clc_format("ptr %s, i64 %s, float %s, float %s, float %s, float %s, i32 %s, i32 %s, i32 %s", image, sampler, at[0], at[1], at[2], o.lod, o.offset[0],
				  o.offset[1], o.offset[2]);
	const char *texel = read(s, "sample", &im, "ptr, i64, float, float, float, float, i32, i32, i32", values);
	free(values);
	return define_texel(s, texel, im.suffix);
}

/* One component of four texels. With four offsets it is that of the first texel of each. */
static bool image_gather(struct spv *s)
{
	struct texels im;
	struct operands o;
	const uint32_t *w = s->at;
	const char *at[3], *image, *sampler, *whole = "undef";
	if (!pair_take(s, w[3], &im, &image, &sampler) || !coordinates(s, w[4], &im, true, false, at) || !operands_read(s, 6, &im, image, &o))
		return false;
	const struct spv_id *offsets = o.offsets ? spv_id(s, o.offsets) : NULL, *array = offsets ? spv_type(s, offsets->type) : NULL;
	if (im.dimensions != 2 || (o.offsets && (!array || array->kind != SPV_ARRAY || array->count != 4)))
		return spv_fail(s, "a gather of an image that is not 2D, or by other than four offsets");
	const char *scalar = im.suffix == 'f' ? "float" : "i32";
	for (unsigned i = 0; i < (o.offsets ? 4 : 1); i++) {
		const char *offset = o.offsets ? spv_extract(s, offsets->type, spv_value(s, o.offsets), i) : NULL;
		for (unsigned k = 0; offset && k < 2; k++)
			o.offset[k] = spv_let(s, "extractelement <2 x i32> %s, i32 %u", offset, k);
		char *values = clc_format("ptr %s, i64 %s, float %s, float %s, float %s, i32 %s, i32 %s, i32 %s", image, sampler, at[0], at[1], at[2], spv_value(s, w[5]), o.offset[0],
					  o.offset[1]);
		const char *four = read(s, "gather", &im, "ptr, i64, float, float, float, i32, i32, i32", values);
		free(values);
		if (!o.offsets)
			return define_texel(s, four, im.suffix);
		const char *e = spv_let(s, "extractelement %s %s, i32 3", texel_ir(&im), four);
		whole = spv_let(s, "insertelement %s %s, %s %s, i32 %u", texel_ir(&im), whole, scalar, e, i);
	}
	return define_texel(s, whole, im.suffix);
}

static bool combine(struct spv *s)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_type(s, w[1]);
	if (!t || t->kind != SPV_SAMPLED_IMAGE)
		return spv_fail(s, "an image and a sampler of another type");
	const char *half = spv_let(s, "insertvalue %s undef, ptr %s, 0", spv_ir(s, w[1]), spv_value(s, w[3]));
	return spv_result(s, "insertvalue %s %s, i64 %s, 1", spv_ir(s, w[1]), half, spv_value(s, w[4]));
}

static bool take_image(struct spv *s)
{
	const struct spv_id *pair = spv_id(s, s->at[3]);
	return pair && spv_result(s, "extractvalue %s %s, 0", spv_ir(s, pair->type), spv_value(s, s->at[3]));
}

/* ---- queries ---- */
static bool image_size(struct spv *s, bool of_level)
{
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_type(s, w[1]);
	struct texels im;
	const char *v = "undef";
	if (!t || !image_of(s, spv_type_of(s, w[3]), &im))
		return false;
	spv_declare(s, "declare <4 x i32> @shader_image_size(ptr, i32)");
	const char *size = spv_let(s, "call <4 x i32> @shader_image_size(ptr %s, i32 %s)", spv_value(s, w[3]), of_level ? spv_value(s, w[4]) : "0");
	for (uint32_t i = 0; i < im.coordinates; i++) {
		const char *e = spv_let(s, "extractelement <4 x i32> %s, i32 %u", size, im.arrayed && i == im.dimensions ? 3 : i);
		if (t->kind != SPV_VECTOR)
			return spv_define(s, e);
		v = spv_let(s, "insertelement %s %s, i32 %s, i32 %u", spv_ir(s, w[1]), v, e, i);
	}
	return spv_define(s, v);
}

static bool image_levels(struct spv *s)
{
	struct texels im;
	if (!image_of(s, spv_type_of(s, s->at[3]), &im))
		return false;
	spv_declare(s, "declare i32 @shader_image_levels(ptr)");
	return spv_result(s, "call i32 @shader_image_levels(ptr %s)", spv_value(s, s->at[3]));
}

bool spv_image(struct spv *s, uint16_t op, bool *known)
{
	switch (op) {
	case OP_SampledImage: return combine(s);
	case OP_ImageSampleExplicitLod: return image_sample(s, false);
	case OP_ImageSampleProjExplicitLod: return image_sample(s, true);
	case OP_ImageGather: return image_gather(s);
	case OP_ImageFetch: case OP_ImageRead: return image_read(s);
	case OP_ImageWrite: return image_write(s);
	case OP_Image: return take_image(s);
	case OP_ImageTexelPointer: return texel_pointer(s);
	case OP_ImageQuerySizeLod: return image_size(s, true);
	case OP_ImageQuerySize: return image_size(s, false);
	case OP_ImageQueryLevels: return image_levels(s);
	}
	*known = false;
	return false;
}
