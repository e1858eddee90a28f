#include "runtime/vaapi/format.h"
#include <libdrm/drm_fourcc.h>
#include <string.h>

enum { PITCH_ALIGNMENT = 128, PLANE_ALIGNMENT = 4096 };

const struct format formats[FORMATS] = {
#define FORMAT(name, rt_, colours_, depth_, planes_, composed_)                                         \
	[FORMAT_##name].fourcc = VA_FOURCC_##name, [FORMAT_##name].rt = VA_RT_FORMAT_##rt_,              \
	[FORMAT_##name].colours = colours_, [FORMAT_##name].depth = depth_, [FORMAT_##name].num_planes = planes_, \
	[FORMAT_##name].composed = composed_,
#define PLANE(name, index, bytes, shift_x, shift_y, separate) [FORMAT_##name].planes[index] = {bytes, shift_x, shift_y, separate},
#define COMPONENT(name, index, plane, offset, step, shift_x, shift_y) \
	[FORMAT_##name].components[index] = {plane, offset, step, shift_x, shift_y},
#include "runtime/vaapi/formats.def"
#undef FORMAT
#undef PLANE
#undef COMPONENT
};

const struct format *format_find(uint32_t fourcc)
{
	for (unsigned i = 0; i < FORMATS; i++)
		if (formats[i].fourcc == fourcc)
			return &formats[i];
	return NULL;
}

const struct format *format_default(uint32_t rt)
{
	for (unsigned i = 0; i < FORMATS; i++)
		if (formats[i].rt == rt)
			return &formats[i];
	return NULL;
}

uint32_t formats_rt(void)
{
	uint32_t all = 0;
	for (unsigned i = 0; i < FORMATS; i++)
		all |= formats[i].rt;
	return all;
}

static uint32_t mask(const struct format *f, unsigned component)
{
	return f->components[component].step ? UINT32_C(0xff) << 8 * f->components[component].offset : 0;
}

void format_image(const struct format *f, VAImageFormat *out)
{
	*out = (VAImageFormat){.fourcc = f->fourcc, .byte_order = VA_LSB_FIRST};
	for (unsigned p = 0; p < f->num_planes; p++)
		out->bits_per_pixel += f->planes[p].bytes * 8 >> (f->planes[p].shift_x + f->planes[p].shift_y);
	if (f->colours != RGB)
		return;
	out->depth = format_has_alpha(f) ? 32 : 24;
	out->red_mask = mask(f, 0);
	out->green_mask = mask(f, 1);
	out->blue_mask = mask(f, 2);
	out->alpha_mask = mask(f, 3);
}

unsigned format_block_x(const struct format *f)
{
	unsigned shift = 0;
	for (unsigned c = 0; c < COMPONENTS; c++)
		shift = f->components[c].shift_x > shift ? f->components[c].shift_x : shift;
	return 1u << shift;
}

unsigned format_block_y(const struct format *f)
{
	unsigned shift = 0;
	for (unsigned c = 0; c < COMPONENTS; c++)
		shift = f->components[c].shift_y > shift ? f->components[c].shift_y : shift;
	return 1u << shift;
}

/* ---- layouts ---- */
static uint64_t aligned(uint64_t n, uint64_t to) { return (n + to - 1) & ~(to - 1); }

static uint32_t shifted(uint32_t size, unsigned shift) { return (size + (1u << shift) - 1) >> shift; }

uint32_t layout_row(const struct layout *l, unsigned plane)
{
	return shifted(l->width, l->format->planes[plane].shift_x) * l->format->planes[plane].bytes;
}

uint32_t layout_rows(const struct layout *l, unsigned plane) { return shifted(l->height, l->format->planes[plane].shift_y); }

void layout_init(struct layout *l, const struct format *f, uint32_t width, uint32_t height)
{
	*l = (struct layout){.format = f, .width = width, .height = height};
	for (unsigned p = 0; p < f->num_planes; p++) {
		/* by its definition, all planes of IMC3 have one pitch */
		l->pitch[p] = p && f->fourcc == VA_FOURCC_IMC3 ? l->pitch[0] : (uint32_t)aligned(layout_row(l, p), PITCH_ALIGNMENT);
		l->offset[p] = (uint32_t)l->size;
		l->size = aligned(l->size + (uint64_t)l->pitch[p] * layout_rows(l, p), PLANE_ALIGNMENT);
	}
}

bool layout_fits(const struct layout *l)
{
	for (unsigned p = 0; p < l->format->num_planes; p++) {
		const uint64_t row = layout_row(l, p);
		if (l->pitch[p] < row || l->offset[p] + (layout_rows(l, p) - 1) * (uint64_t)l->pitch[p] + row > l->size)
			return false;
	}
	return true;
}

void layout_surface(const struct layout *l, uint64_t address, uint32_t x, uint32_t y, uint32_t width, uint32_t height, struct media_surface *out)
{
	*out = (struct media_surface){.width = width, .height = height};
	for (unsigned c = 0; c < COMPONENTS; c++) {
		const __typeof__(l->format->components[c]) *k = &l->format->components[c];
		if (!k->step)
			continue;
		const uint32_t pitch = l->pitch[k->plane];
		out->component[c] = (struct media_component){
			.address = address + l->offset[k->plane] + (uint64_t)(y >> k->shift_y) * pitch + (uint64_t)(x >> k->shift_x) * k->step + k->offset,
			.pitch = pitch, .step = (uint8_t)k->step, .shift_x = (uint8_t)k->shift_x, .shift_y = (uint8_t)k->shift_y,
			.bits = (uint8_t)l->format->depth};
	}
}
