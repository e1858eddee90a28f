#include "runtime/vaapi/process.h"

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
		j->status = FAIL(VA_STATUS_ERROR_INVALID_IMAGE_FORMAT, "pixels are copied, and not converted or scaled");
}

