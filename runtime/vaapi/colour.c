#include "runtime/vaapi/colour.h"
#include <math.h>
#include <string.h>

const VAProcColorStandardType colour_standards[COLOUR_STANDARDS] = {
	VAProcColorStandardNone, VAProcColorStandardBT601, VAProcColorStandardBT709, VAProcColorStandardBT470BG, VAProcColorStandardSMPTE170M,
	VAProcColorStandardSMPTE240M, VAProcColorStandardSRGB, VAProcColorStandardBT2020, VAProcColorStandardExplicit};

/* By the code points of ISO/IEC 23091-2. */
static enum standard explicit_standard(uint8_t matrix_coefficients)
{
	switch (matrix_coefficients) {
	case 1: return STANDARD_BT709;
	case 5:
	case 6: return STANDARD_BT601;
	case 7: return STANDARD_SMPTE240M;
	case 9: return STANDARD_BT2020;
	default: return STANDARD_UNKNOWN;
	}
}

static enum standard standard_of(VAProcColorStandardType type, const VAProcColorProperties *p)
{
	switch (type) {
	case VAProcColorStandardBT601:
	case VAProcColorStandardBT470M:
	case VAProcColorStandardBT470BG:
	case VAProcColorStandardSMPTE170M:
	case VAProcColorStandardXVYCC601: return STANDARD_BT601;
	case VAProcColorStandardBT709:
	case VAProcColorStandardSRGB:
	case VAProcColorStandardSTRGB:
	case VAProcColorStandardXVYCC709: return STANDARD_BT709;
	case VAProcColorStandardSMPTE240M: return STANDARD_SMPTE240M;
	case VAProcColorStandardBT2020: return STANDARD_BT2020;
	case VAProcColorStandardExplicit: return explicit_standard(p->matrix_coefficients);
	default: return STANDARD_UNKNOWN;
	}
}

struct colour colour_of(VAProcColorStandardType type, const VAProcColorProperties *p)
{
	return (struct colour){.standard = standard_of(type, p), .siting = p->chroma_sample_location,
			       .range = p->color_range == VA_SOURCE_RANGE_FULL	  ? RANGE_FULL :
					p->color_range == VA_SOURCE_RANGE_REDUCED ? RANGE_LIMITED :
										    RANGE_UNKNOWN};
}

void colours_complete(struct colour *src, const struct format *src_format, struct colour *dst, const struct format *dst_format)
{
	const bool alike = (src_format->colours == RGB) == (dst_format->colours == RGB);
	if (!src->standard)
		src->standard = dst->standard ? dst->standard : STANDARD_BT601;
	if (!dst->standard)
		dst->standard = src->standard;
	if (!src->range)
		src->range = alike && dst->range ? dst->range : src_format->colours == RGB ? RANGE_FULL : RANGE_LIMITED;
	if (!dst->range)
		dst->range = alike ? src->range : dst_format->colours == RGB ? RANGE_FULL : RANGE_LIMITED;
	if (!src->siting)
		src->siting = dst->siting;
	if (!dst->siting)
		dst->siting = src->siting;
}

/* ---- matrices: rows of three factors and an offset ---- */
struct matrix { double m[3][4]; };

static struct matrix after(const struct matrix *b, const struct matrix *a)
{
	struct matrix r;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 4; k++) {
			r.m[i][k] = k == 3 ? b->m[i][3] : 0;
			for (unsigned n = 0; n < 3; n++)
				r.m[i][k] += b->m[i][n] * a->m[n][k];
		}
	return r;
}

/* From samples of 16 bits to numbers from 0 to 1, for differences of colours from -0.5 to 0.5. */
struct scale { double zero, one; };

static void scales(const struct colour *c, const struct format *f, struct scale out[3])
{
	const double full = (double)(((1u << f->depth) - 1) << (16 - f->depth));
	const struct scale luma = c->range == RANGE_FULL ? (struct scale){0, full} : (struct scale){16 << 8, 219 << 8};
	const struct scale chroma = {128 << 8, c->range == RANGE_FULL ? full : 224 << 8};
	out[0] = luma;
	out[1] = out[2] = f->colours == RGB ? luma : chroma;
}

static void luma_factors(enum standard s, double *r, double *b)
{
	static const double factors[][2] = {[STANDARD_UNKNOWN] = {0.299, 0.114}, [STANDARD_BT601] = {0.299, 0.114}, [STANDARD_BT709] = {0.2126, 0.0722},
					    [STANDARD_SMPTE240M] = {0.212, 0.087}, [STANDARD_BT2020] = {0.2627, 0.0593}};
	*r = factors[s][0];
	*b = factors[s][1];
}

/* From samples to RGB. */
static struct matrix to_rgb(const struct colour *c, const struct format *f)
{
	struct scale s[3];
	struct matrix unit = {0}, rgb = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
	double r, b;
	scales(c, f, s);
	for (unsigned i = 0; i < 3; i++) {
		const bool there = f->components[i].step;
		unit.m[i][i] = there ? 1 / s[i].one : 0;
		unit.m[i][3] = there ? -s[i].zero / s[i].one : 0;
	}
	luma_factors(c->standard, &r, &b);
	const double g = 1 - r - b;
	if (f->colours != RGB)
		rgb = (struct matrix){{{1, 0, 2 * (1 - r), 0}, {1, -2 * b * (1 - b) / g, -2 * r * (1 - r) / g, 0}, {1, 2 * (1 - b), 0, 0}}};
	return after(&rgb, &unit);
}

static struct matrix from_rgb(const struct colour *c, const struct format *f)
{
	struct scale s[3];
	struct matrix samples = {0}, yuv = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
	double r, b;
	scales(c, f, s);
	for (unsigned i = 0; i < 3; i++) {
		samples.m[i][i] = s[i].one;
		samples.m[i][3] = s[i].zero;
	}
	luma_factors(c->standard, &r, &b);
	const double g = 1 - r - b, u = 2 * (1 - b), v = 2 * (1 - r);
	if (f->colours != RGB)
		yuv = (struct matrix){{{r, g, b, 0}, {-r / u, -g / u, 0.5, 0}, {0.5, -g / v, -b / v, 0}}};
	return after(&samples, &yuv);
}

bool colour_matrix(const struct colour *src, const struct format *src_format, const struct colour *dst, const struct format *dst_format, int32_t out[3][4])
{
	const bool rgb = src_format->colours == RGB, alike = rgb == (dst_format->colours == RGB);
	const bool same_depth = src->range == RANGE_LIMITED || src_format->depth == dst_format->depth;
	const bool gains = src_format->colours == GREY && dst_format->colours == YUV;
	if (alike && !gains && src->range == dst->range && same_depth && (rgb || src->standard == dst->standard))
		return false;
	const struct matrix a = to_rgb(src, src_format), b = from_rgb(dst, dst_format), m = after(&b, &a);
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 4; k++)
			out[i][k] = (int32_t)lrint(m.m[i][k] * MEDIA_WEIGHT_ONE);
	return true;
}

void colour_samples(const struct colour *c, const struct format *f, const uint8_t rgb[3], uint16_t out[3])
{
	const struct matrix m = from_rgb(c, f);
	for (unsigned i = 0; i < 3; i++) {
		double v = m.m[i][3];
		for (unsigned k = 0; k < 3; k++)
			v += m.m[i][k] * rgb[k] / 255;
		const double most = (double)((1u << f->depth) - 1), code = rint(v / (1u << (16 - f->depth)));
		out[i] = (uint16_t)((unsigned)(code < 0 ? 0 : code > most ? most : code) << (16 - f->depth));
	}
}
