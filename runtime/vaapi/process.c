#include "runtime/vaapi/process.h"
#include <string.h>

/* ---- copies ---- */
static bool at_blocks(const struct format *f, const struct side *s)
{
	const unsigned bx = format_block_x(f), by = format_block_y(f);
	const bool ends_x = !(s->width % bx) || (uint32_t)s->x + s->width == s->layout->width;
	const bool ends_y = !(s->height % by) || (uint32_t)s->y + s->height == s->layout->height;
	return !(s->x % (int)bx) && !(s->y % (int)by) && ends_x && ends_y;
}

static bool is_copy(const struct side *src, const struct side *dst)
{
	const struct format *f = src->layout->format;
	return f == dst->layout->format && src->width == dst->width && src->height == dst->height && at_blocks(f, src) && at_blocks(f, dst);
}

static struct box box_of(const struct side *s, unsigned plane)
{
	const __typeof__(s->layout->format->planes[plane]) *p = &s->layout->format->planes[plane];
	const uint64_t pitch = s->layout->pitch[plane];
	return (struct box){.address = s->memory->address + s->layout->offset[plane] + ((uint32_t)s->y >> p->shift_y) * pitch +
				       (uint64_t)((uint32_t)s->x >> p->shift_x) * p->bytes,
			    .row = pitch};
}

static void copy(struct job *j, const struct side *src, const struct side *dst)
{
	const struct format *f = src->layout->format;
	for (unsigned p = 0; p < f->num_planes; p++) {
		const unsigned sx = f->planes[p].shift_x, sy = f->planes[p].shift_y;
		const size_t region[3] = {(size_t)((src->width + (1u << sx) - 1) >> sx) * f->planes[p].bytes, (src->height + (1u << sy) - 1) >> sy, 1};
		box_copy_packets(box_of(src, p), box_of(dst, p), region, job_packet, j);
	}
}

void process_convert(struct job *j, const struct side *src, const struct side *dst)
{
	job_uses(j, src->memory);
	job_uses(j, dst->memory);
	if (is_copy(src, dst))
		copy(j, src, dst);
	else
		process_scale(j, src, dst, KERNEL_BILINEAR, &(struct blending){0});
}

/* ---- the media unit ---- */
/* Along one direction: the part of the destination that is inside, and the source from a whole block on. */
struct span { uint32_t src_at, src_size, dst_at, dst_size; };

static bool span_make(int32_t src_at, uint32_t src_size, unsigned src_block, int32_t dst_at, uint32_t dst_size, uint32_t dst_all, struct span *out)
{
	const int64_t from = dst_at < 0 ? 0 : dst_at, end = (int64_t)dst_at + dst_size, to = end > dst_all ? dst_all : end;
	if (from >= to)
		return false;
	out->src_at = (uint32_t)src_at - (uint32_t)src_at % src_block;
	out->src_size = src_size + ((uint32_t)src_at - out->src_at);
	out->dst_at = (uint32_t)from;
	out->dst_size = (uint32_t)(to - from);
	return true;
}

static uint32_t site_x(uint8_t siting, unsigned shift)
{
	return siting & VA_CHROMA_SITING_HORIZONTAL_LEFT ? 0 : (1u << shift) - 1;
}

static uint32_t site_y(uint8_t siting, unsigned shift)
{
	const unsigned vertical = siting & 3;
	return vertical == VA_CHROMA_SITING_VERTICAL_TOP ? 0 : vertical == VA_CHROMA_SITING_VERTICAL_BOTTOM ? 2 * ((1u << shift) - 1) : (1u << shift) - 1;
}

/* One filter of four: of the destination's components with a shift or without, and the source's. A sample of a destination may lie across the
 * beginning of the rectangle. */
static VAStatus filter(struct job *j, struct filter_key *k, const struct span *s, int32_t dst_at, unsigned src_shift, unsigned dst_shift, uint32_t src_site,
		       uint32_t dst_site, struct media_filter *out)
{
	struct filter *made;
	k->src_shift = src_shift;
	k->dst_shift = dst_shift;
	k->src_site = src_site;
	k->dst_site = dst_site;
	k->dst_first = (int32_t)(s->dst_at >> dst_shift << dst_shift) - dst_at;
	k->count = (s->dst_size + (1u << dst_shift) - 1) >> dst_shift;
	TRY(filter_get(j->display, k, out, &made));
	job_filter(j, made);
	return VA_STATUS_SUCCESS;
}

static unsigned log2_of(unsigned n)
{
	unsigned shift = 0;
	while (n >> (shift + 1))
		shift++;
	return shift;
}

static VAStatus filters(struct job *j, struct media_process *m, const struct side *src, const struct side *dst, enum kernel kernel, const struct span *x,
			const struct span *y)
{
	const struct format *sf = src->layout->format, *df = dst->layout->format;
	const unsigned sx = log2_of(format_block_x(sf)), sy = log2_of(format_block_y(sf)), dx = log2_of(format_block_x(df)), dy = log2_of(format_block_y(df));
	struct filter_key kx = {.kernel = kernel, .src_size = src->width, .dst_size = dst->width, .src_first = (int32_t)x->src_at - src->x};
	struct filter_key ky = {.kernel = kernel, .src_size = src->height, .dst_size = dst->height, .src_first = (int32_t)y->src_at - src->y};
	for (unsigned a = 0; a < 2; a++)
		for (unsigned b = 0; b < 2; b++) {
			/* one that no component needs is as another */
			const unsigned ssx = b ? sx : 0, dsx = a ? dx : 0, ssy = b ? sy : 0, dsy = a ? dy : 0;
			TRY(filter(j, &kx, x, dst->x, ssx, dsx, site_x(src->colour.siting, ssx), site_x(dst->colour.siting, dsx), &m->filter_x[a][b]));
			TRY(filter(j, &ky, y, dst->y, ssy, dsy, site_y(src->colour.siting, ssy), site_y(dst->colour.siting, dsy), &m->filter_y[a][b]));
		}
	return VA_STATUS_SUCCESS;
}

/* Each component times a factor, and an offset in samples. */
static bool matrix_linear(int32_t matrix[3][4], double factor, int32_t offset)
{
	for (unsigned i = 0; i < 3; i++) {
		matrix[i][i] = (int32_t)(factor * MEDIA_WEIGHT_ONE);
		matrix[i][3] = offset * MEDIA_WEIGHT_ONE;
	}
	return true;
}

enum { HALF = 1 << 15 };

static void colours(struct media_process *m, const struct side *src, const struct side *dst, const struct blending *b)
{
	const struct format *sf = src->layout->format, *df = dst->layout->format;
	const bool matrix = src->halved == dst->halved ? !src->halved && colour_matrix(&src->colour, sf, &dst->colour, df, m->matrix) :
			    dst->halved		       ? matrix_linear(m->matrix, 0.5, HALF) :
							 matrix_linear(m->matrix, 2, -2 * HALF);
	m->flags |= matrix ? MEDIA_MATRIX : 0;
	if (!b->global && !b->source_alpha)
		return;
	m->flags |= MEDIA_BLEND | (b->source_alpha && format_has_alpha(sf) ? MEDIA_SOURCE_ALPHA : 0);
	m->alpha = b->global ? b->alpha : 255;
}

static VAStatus scale_once(struct job *j, const struct side *src, const struct side *dst, enum kernel kernel, const struct blending *b)
{
	const struct format *sf = src->layout->format, *df = dst->layout->format;
	struct side s = *src, d = *dst;
	struct span x, y;
	uint64_t address;
	if (!span_make(s.x, s.width, format_block_x(sf), d.x, d.width, d.layout->width, &x) ||
	    !span_make(s.y, s.height, format_block_y(sf), d.y, d.height, d.layout->height, &y))
		return VA_STATUS_SUCCESS; /* nothing of it is inside */
	struct media_process *m = job_data(j, sizeof *m, &address);
	if (!m)
		return j->status;
	memset(m, 0, sizeof *m);
	colours_complete(&s.colour, sf, &d.colour, df);
	layout_surface(s.layout, s.memory->address, x.src_at, y.src_at, x.src_size, y.src_size, &m->src);
	layout_surface(d.layout, d.memory->address, x.dst_at, y.dst_at, x.dst_size, y.dst_size, &m->dst);
	m->width = x.dst_size;
	m->height = y.dst_size;
	colours(m, &s, &d, b);
	TRY(filters(j, m, &s, &d, kernel, &x, &y));
	job_packet(j)->process = (struct packet_process){.head.type = PACKET_CODE_process, .job = address};
	return VA_STATUS_SUCCESS;
}

/* How many times smaller a picture may become at last: components that get fewer samples than the others become that much smaller, too. */
static unsigned most_last(enum kernel k, unsigned src_block, unsigned dst_block)
{
	const unsigned more = dst_block > src_block ? dst_block / src_block : 1, most = kernel_most(k) / more;
	return most ? most : 1;
}

/* A size between both, where the kernel cannot do it at once. */
static uint32_t between(uint32_t src, uint32_t dst, unsigned last, unsigned most)
{
	if (src <= dst * (uint64_t)last)
		return src;
	/* the last step is the largest one: the kernel that it has is nearest to one that does it at once */
	const uint32_t smaller = (src + most - 1) / most;
	return smaller > dst * last ? smaller : dst * last;
}

/* A picture between source and destination. It takes the place of the source, which the job keeps. */
static bool pass(struct job *j, struct side *from, struct layout *l, const struct format *f, uint32_t width, uint32_t height, enum kernel kernel, bool halved)
{
	struct memory *memory;
	layout_init(l, f, width, height);
	if (!j->status)
		j->status = memory_create(j->display, l->size, false, &memory);
	if (j->status)
		return false;
	job_uses(j, memory);
	memory_unref(memory);
	const struct side to = {.layout = l, .memory = memory, .width = width, .height = height, .colour = from->colour, .halved = halved};
	if (!j->status)
		j->status = scale_once(j, from, &to, kernel, &(struct blending){0});
	*from = to;
	return !j->status;
}

/* ---- overshoot ---- */
/* A kernel with negative weights leaves the range of samples between the filters along x and along y, where the media unit clamps. swscale clamps
 * there above the range, and not below it. So pictures of 8 bits are filtered in the upper half of the range, which takes 10 bits without a
 * loss. Where a matrix converts colours there is no room in its numbers for that. */
static bool overshoots(const struct side *src, const struct side *dst, enum kernel kernel)
{
	struct colour s = src->colour, d = dst->colour;
	int32_t matrix[3][4];
	if (kernel != KERNEL_BICUBIC || src->layout->format->depth != 8 || (src->width == dst->width && src->height == dst->height))
		return false;
	colours_complete(&s, src->layout->format, &d, dst->layout->format);
	return !colour_matrix(&s, src->layout->format, &d, dst->layout->format, matrix);
}

/* The same components in planes of 10 bits. */
static struct format wider(const struct format *f)
{
	struct format w = {.colours = f->colours, .depth = 10};
	for (unsigned c = 0; c < COMPONENTS && f->components[c].step; c++) {
		const unsigned x = f->components[c].shift_x, y = f->components[c].shift_y;
		w.planes[w.num_planes].bytes = 2;
		w.planes[w.num_planes].shift_x = w.components[c].shift_x = x;
		w.planes[w.num_planes].shift_y = w.components[c].shift_y = y;
		w.components[c].plane = w.num_planes++;
		w.components[c].step = 2;
	}
	return w;
}

void process_scale(struct job *j, const struct side *src, const struct side *dst, enum kernel kernel, const struct blending *b)
{
	const struct format *sf = src->layout->format, *df = dst->layout->format, wide = wider(sf);
	const unsigned most = kernel_most(kernel);
	const unsigned last_x = most_last(kernel, format_block_x(sf), format_block_x(df)), last_y = most_last(kernel, format_block_y(sf), format_block_y(df));
	const bool halved = overshoots(src, dst, kernel);
	struct side from = *src;
	struct layout widened, layouts[2];
	job_uses(j, src->memory);
	job_uses(j, dst->memory);
	if (halved)
		pass(j, &from, &widened, &wide, from.width, from.height, KERNEL_NEAREST, true);
	for (unsigned n = 0; !j->status && (from.width > dst->width * (uint64_t)last_x || from.height > dst->height * (uint64_t)last_y); n++)
		if (!pass(j, &from, &layouts[n % 2], halved ? &wide : sf, between(from.width, dst->width, last_x, most), between(from.height, dst->height, last_y, most),
			  kernel, halved))
			return;
	if (!j->status)
		j->status = scale_once(j, &from, dst, kernel, b);
}

/* ---- background ---- */
enum { PATTERN_MAX = 4 };

/* The bytes that a plane repeats. */
static void pattern(const struct side *dst, uint32_t argb, unsigned plane, uint8_t *out)
{
	const struct format *f = dst->layout->format;
	const uint8_t rgb[3] = {(uint8_t)(argb >> 16), (uint8_t)(argb >> 8), (uint8_t)argb};
	uint16_t samples[COMPONENTS] = {0};
	colour_samples(&dst->colour, f, rgb, samples);
	samples[3] = (uint16_t)(argb >> 24 << 8);
	memset(out, 0, PATTERN_MAX);
	for (unsigned c = 0; c < COMPONENTS; c++) {
		const __typeof__(f->components[c]) *k = &f->components[c];
		for (unsigned at = k->offset; k->step && k->plane == plane && at < f->planes[plane].bytes; at += k->step) {
			if (f->depth > 8)
				out[at++] = (uint8_t)samples[c];
			out[at] = (uint8_t)(samples[c] >> 8);
			at -= f->depth > 8;
		}
	}
}

static void fill(struct job *j, const struct side *dst, uint32_t argb)
{
	const struct layout *l = dst->layout;
	struct side all = *dst, none = *dst;
	uint64_t address;
	colours_complete(&none.colour, l->format, &all.colour, l->format);
	uint8_t *patterns = job_data(j, PLANES * PATTERN_MAX, &address);
	for (unsigned p = 0; patterns && p < l->format->num_planes; p++) {
		const size_t region[3] = {layout_row(l, p), layout_rows(l, p), 1};
		pattern(&all, argb, p, patterns + p * PATTERN_MAX);
		box_fill_packet(address + p * PATTERN_MAX, l->format->planes[p].bytes,
				(struct box){.address = dst->memory->address + l->offset[p], .row = l->pitch[p]}, region, job_packet, j);
	}
}

/* A picture of one pixel, which has its alpha. */
static void blend(struct job *j, const struct side *dst, uint32_t argb)
{
	struct layout l;
	struct memory *memory;
	layout_init(&l, &formats[FORMAT_BGRA], 1, 1);
	j->status = memory_create(j->display, l.size, false, &memory);
	if (j->status)
		return;
	memcpy(memory->cpu, &argb, sizeof argb);
	process_scale(j, &(struct side){.layout = &l, .memory = memory, .width = 1, .height = 1},
		      &(struct side){.layout = dst->layout, .memory = dst->memory, .width = dst->layout->width, .height = dst->layout->height, .colour = dst->colour},
		      KERNEL_NEAREST, &(struct blending){.source_alpha = true});
	memory_unref(memory);
}

void process_background(struct job *j, const struct side *dst, uint32_t argb)
{
	const struct layout *l = dst->layout;
	const unsigned alpha = argb >> 24;
	if (!alpha || (dst->x <= 0 && dst->y <= 0 && dst->x + (int64_t)dst->width >= l->width && dst->y + (int64_t)dst->height >= l->height))
		return;
	job_uses(j, dst->memory);
	if (alpha == 255)
		fill(j, dst, argb);
	else
		blend(j, dst, argb);
}
