/* Images of SPIR-V shaders: storage images are read and written by whole texels, sampled ones through a sampler or by their texels. The kernel
 * library knows formats by what the descriptor says. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>
#include <string.h>

struct texels { uint32_t dimensions; bool arrayed; char suffix; const char *kind, *length; uint32_t coordinates; };

static bool image_of(struct spv *s, const struct spv_id *t, struct texels *out)
{
	if (t && t->kind == SPV_SAMPLED_IMAGE)
		t = spv_type(s, t->type);
	if (!t || t->kind != SPV_IMAGE)
		return spv_fail(s, "not an image");
	const uint32_t *w = t->words; /* id, sampled type, dimensions, depth, arrayed, multisampled, sampled, format */
	const struct spv_id *texel = spv_type(s, w[2]);
	if (!texel || w[6] || w[3] > 2 || w[4] == 1 || (w[5] && w[3] == 2))
		return spv_fail(s, "images of this kind are not supported");
	static const char *const kinds[3][2] = { { "image1d", "image1d_array" }, { "image2d", "image2d_array" }, { "image3d", NULL } };
	*out = (struct texels){ .dimensions = w[3] + 1, .arrayed = w[5], .suffix = texel->kind == SPV_FLOAT ? 'f' : texel->is_signed ? 'i' : 'u',
			       .kind = kinds[w[3]][w[5] != 0] };
	out->coordinates = out->dimensions + out->arrayed;
	return true;
}

/* The library takes 1, 2 or 4 coordinates. */
static const char *coordinates(struct spv *s, uint32_t id, const struct texels *im, const char *scalar, uint32_t *lanes)
{
	const struct spv_id *c = spv_id(s, id), *t = c ? spv_type(s, c->type) : NULL;
	const char *value = spv_value(s, id), *v = "undef";
	*lanes = im->coordinates == 3 ? 4 : im->coordinates;
	if (!t || spv_lanes(t) < im->coordinates) {
		spv_fail(s, "too few coordinates");
		return v;
	}
	if (*lanes == 1 && t->kind != SPV_VECTOR)
		return value;
	for (uint32_t i = 0; i < *lanes; i++) {
		const char *e = scalar[0] == 'f' ? "0.0" : "0", *next = spv_temporary(s);
		if (i < im->coordinates) {
			e = spv_temporary(s);
			spv_emit(s, "  %s = extractelement %s %s, i32 %u\n", e, spv_ir(s, c->type), value, i);
		}
		if (*lanes == 1)
			return e;
		spv_emit(s, "  %s = insertelement <%u x %s> %s, %s %s, i32 %u\n", next, *lanes, scalar, v, scalar, e, i);
		v = next;
	}
	return v;
}

static const char *texel_name(char suffix) { return suffix == 'f' ? "f" : suffix == 'i' ? "i" : "ui"; }

static char *vector_text(uint32_t lanes, const char *scalar) { return lanes > 1 ? clc_format("<%u x %s>", lanes, scalar) : clc_format("%s", scalar); }

/* read_image{f,i,ui}(image, [sampler,] coordinates) */
static const char *read(struct spv *s, const struct texels *im, const char *image, const char *access, const char *sampler, const char *at, uint32_t lanes, bool is_float)
{
	const char *r = spv_temporary(s), *scalar = is_float ? "float" : "i32", *texel = im->suffix == 'f' ? "<4 x float>" : "<4 x i32>";
	char *vector = vector_text(lanes, scalar), *mangled = lanes > 1 ? clc_format("Dv%u_%s", lanes, is_float ? "f" : "i") : clc_format("%s", is_float ? "f" : "i");
	char *ocl = clc_format("ocl_%s_%s", im->kind, access), *name = clc_format("read_image%s", texel_name(im->suffix));
	char *symbol = clc_format("_Z%zu%s%zu%s%s%s", strlen(name), name, strlen(ocl), ocl, sampler ? "11ocl_sampler" : "", mangled);
	char *line = clc_format("declare %s @%s(ptr%s, %s)", texel, symbol, sampler ? ", i64" : "", vector);
	spv_declare(s, line);
	spv_emit(s, "  %s = call %s @%s(ptr %s%s%s, %s %s)\n", r, texel, symbol, image, sampler ? ", i64 " : "", sampler ? sampler : "", vector, at);
	char *const texts[] = { vector, mangled, ocl, name, symbol, line };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(texts[i]);
	return r;
}

static void write(struct spv *s, const struct texels *im, const char *image, const char *at, uint32_t lanes, const char *texel)
{
	const char *texels = im->suffix == 'f' ? "<4 x float>" : "<4 x i32>", *letter = im->suffix == 'f' ? "f" : im->suffix == 'i' ? "i" : "j";
	char *vector = vector_text(lanes, "i32"), *mangled = lanes > 1 ? clc_format("Dv%u_i", lanes) : clc_format("i");
	char *ocl = clc_format("ocl_%s_rw", im->kind), *name = clc_format("write_image%s", texel_name(im->suffix));
	/* the texel's type is a substitution where it was there as coordinates */
	char *type = lanes == 4 && im->suffix == 'i' ? clc_format("S0_") : clc_format("Dv4_%s", letter);
	char *symbol = clc_format("_Z%zu%s%zu%s%s%s", strlen(name), name, strlen(ocl), ocl, mangled, type);
	char *line = clc_format("declare void @%s(ptr, %s, %s)", symbol, vector, texels);
	spv_declare(s, line);
	spv_emit(s, "  call void @%s(ptr %s, %s %s, %s %s)\n", symbol, image, vector, at, texels, texel);
	char *const texts[] = { vector, mangled, ocl, name, type, symbol, line };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(texts[i]);
}

/* A texel of four elements as what the instruction gives. */
static bool define_texel(struct spv *s, const char *texel, char suffix)
{
	const struct spv_id *t = spv_type(s, s->at[1]);
	if (!t)
		return false;
	if (t->kind == SPV_VECTOR && t->count == 4)
		return spv_define(s, s->at[2], s->at[1], texel);
	if (!spv_is_scalar(t))
		return spv_fail(s, "a texel of %u elements", t->count);
	const char *e = spv_temporary(s);
	spv_emit(s, "  %s = extractelement <4 x %s> %s, i32 0\n", e, suffix == 'f' ? "float" : "i32", texel);
	return spv_define(s, s->at[2], s->at[1], e);
}

/* A texel by its place: of a storage image (rw), of a sampled one (ro). */
static bool image_read(struct spv *s, const char *access)
{
	struct texels im;
	uint32_t lanes;
	if (!image_of(s, spv_type_of(s, s->at[3]), &im))
		return false;
	const char *at = coordinates(s, s->at[4], &im, "i32", &lanes);
	return define_texel(s, read(s, &im, spv_value(s, s->at[3]), access, NULL, at, lanes, false), im.suffix);
}

static bool image_write(struct spv *s)
{
	struct texels im;
	uint32_t lanes;
	const struct spv_id *texel = spv_type_of(s, s->at[3]);
	if (!texel || !image_of(s, spv_type_of(s, s->at[1]), &im))
		return false;
	const char *at = coordinates(s, s->at[2], &im, "i32", &lanes), *value = spv_value(s, s->at[3]), *v = "undef";
	const char *scalar = im.suffix == 'f' ? "float" : "i32";
	for (uint32_t i = 0; i < 4 && (texel->kind != SPV_VECTOR || texel->count < 4); i++) { /* what is not given is not looked at */
		const char *e = value, *next = spv_temporary(s);
		if (texel->kind == SPV_VECTOR && i < texel->count) {
			e = spv_temporary(s);
			spv_emit(s, "  %s = extractelement %s %s, i32 %u\n", e, spv_ir(s, spv_id(s, s->at[3])->type), value, i);
		} else if (i) {
			e = im.suffix == 'f' ? "0.0" : "0";
		}
		spv_emit(s, "  %s = insertelement <4 x %s> %s, %s %s, i32 %u\n", next, scalar, v, scalar, e, i);
		v = next;
	}
	write(s, &im, spv_value(s, s->at[1]), at, lanes, texel->kind == SPV_VECTOR && texel->count == 4 ? value : v);
	return !s->failed;
}

/* Of the only level that there is. */
static bool image_sample(struct spv *s)
{
	struct texels im;
	uint32_t lanes;
	const struct spv_id *pair = spv_id(s, s->at[3]);
	if (!pair || !image_of(s, spv_type(s, pair->type), &im))
		return false;
	const char *ir = spv_ir(s, pair->type), *image = spv_temporary(s), *sampler = spv_temporary(s);
	spv_emit(s, "  %s = extractvalue %s %s, 0\n  %s = extractvalue %s %s, 1\n", image, ir, spv_value(s, s->at[3]), sampler, ir, spv_value(s, s->at[3]));
	const char *at = coordinates(s, s->at[4], &im, "float", &lanes);
	return define_texel(s, read(s, &im, image, "ro", sampler, at, lanes, true), im.suffix);
}

static bool image_size(struct spv *s)
{
	static const char *const names[] = { "get_image_width", "get_image_height", "get_image_depth" };
	const uint32_t *w = s->at;
	const struct spv_id *t = spv_type(s, w[1]);
	struct texels im;
	if (!t || !image_of(s, spv_type_of(s, w[3]), &im))
		return false;
	const char *v = "undef";
	for (uint32_t i = 0; i < im.coordinates; i++) {
		const bool layers = im.arrayed && i == im.dimensions;
		const char *name = layers ? "get_image_array_size" : names[i], *size = spv_temporary(s), *next = spv_temporary(s);
		char *ocl = clc_format("ocl_%s_ro", im.kind), *line = clc_format("declare %s @_Z%zu%s%zu%s(ptr)", layers ? "i64" : "i32", strlen(name), name, strlen(ocl), ocl);
		spv_declare(s, line);
		spv_emit(s, "  %s = call %s @_Z%zu%s%zu%s(ptr %s)\n", size, layers ? "i64" : "i32", strlen(name), name, strlen(ocl), ocl, spv_value(s, w[3]));
		free(ocl);
		free(line);
		if (layers) {
			const char *narrow = spv_temporary(s);
			spv_emit(s, "  %s = trunc i64 %s to i32\n", narrow, size);
			size = narrow;
		}
		if (t->kind != SPV_VECTOR)
			return spv_define(s, w[2], w[1], size);
		spv_emit(s, "  %s = insertelement %s %s, i32 %s, i32 %u\n", next, spv_ir(s, w[1]), v, size, i);
		v = next;
	}
	return spv_define(s, w[2], w[1], v);
}

static bool combine(struct spv *s)
{
	const uint32_t *w = s->at;
	const char *half = spv_temporary(s), *whole = spv_temporary(s);
	const struct spv_id *t = spv_type(s, w[1]);
	if (!t || t->kind != SPV_SAMPLED_IMAGE)
		return spv_fail(s, "an image and a sampler of another type");
	spv_emit(s, "  %s = insertvalue %s undef, ptr %s, 0\n  %s = insertvalue %s %s, i64 %s, 1\n", half, spv_ir(s, w[1]), spv_value(s, w[3]), whole, spv_ir(s, w[1]), half,
		 spv_value(s, w[4]));
	return spv_define(s, w[2], w[1], whole);
}

static bool take_image(struct spv *s)
{
	const struct spv_id *pair = spv_id(s, s->at[3]);
	const char *image = spv_temporary(s);
	if (!pair)
		return false;
	spv_emit(s, "  %s = extractvalue %s %s, 0\n", image, spv_ir(s, pair->type), spv_value(s, s->at[3]));
	return spv_define(s, s->at[2], s->at[1], image);
}

bool spv_image(struct spv *s, uint16_t op, bool *known)
{
	enum { SAMPLED_IMAGE = 86, SAMPLE_EXPLICIT = 88, FETCH = 95, READ = 98, WRITE = 99, IMAGE = 100, SIZE_LOD = 103, SIZE = 104 };
	const uint32_t n = *s->at >> 16;
	*known = op == SAMPLED_IMAGE || op == SAMPLE_EXPLICIT || op == FETCH || op == READ || op == WRITE || op == IMAGE || op == SIZE_LOD || op == SIZE;
	if (!*known)
		return false;
	if (n < (op == IMAGE || op == SIZE || op == WRITE ? 4 : 5))
		return spv_fail(s, "too few words");
	switch (op) {
	case SAMPLED_IMAGE: return combine(s);
	case SAMPLE_EXPLICIT: return image_sample(s);
	case FETCH: return image_read(s, "ro");
	case READ: return image_read(s, "rw");
	case WRITE: return image_write(s);
	case IMAGE: return take_image(s);
	default: return image_size(s);
	}
}
