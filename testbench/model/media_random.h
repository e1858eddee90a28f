/* Random jobs of video processing over the pages of media_world.h: surfaces of every layout, filters, matrices, blends. */
#ifndef GALENA_TESTBENCH_MODEL_MEDIA_RANDOM_H
#define GALENA_TESTBENCH_MODEL_MEDIA_RANDOM_H
#include "testbench/model/media_world.h"

/* Where things lie; each has room for the largest that is made. */
enum { JOB = 64, TABLES = 8192, SRC = 256 << 10, DST = 1 << 20, SIZE_MAX_TESTED = 90 };

static unsigned below(unsigned n) { return (unsigned)random_below(n); }

/* A surface in its range, with some components, of which some share their cells. Planes are 128 KiB apart. */
static struct media_surface random_surface(uint64_t at, unsigned has)
{
	struct media_surface s = { .width = 1 + below(SIZE_MAX_TESTED), .height = 1 + below(SIZE_MAX_TESTED) };
	const bool shifts = below(2);
	unsigned end = 0; /* of the component before, in its cell */

	for (unsigned i = 0; i < 4; i++) {
		struct media_component *c = &s.component[i];
		const struct media_component *before = i && has >> (i - 1) & 1 ? c - 1 : NULL;
		unsigned bytes;

		if (!(has >> i & 1))
			continue;
		c->bits = below(3) ? 8 : 10;
		bytes = c->bits / 8;
		if (c->bits == 10)
			bytes = 2;
		if (before && end + bytes <= before->step && below(3)) {
			*c = (struct media_component){ before->address + (before->bits == 10 ? 2 : 1), before->pitch, before->step, before->shift_x,
						       before->shift_y, c->bits };
			end += bytes;
			continue;
		}
		c->step = (uint8_t)(bytes + below(9 - bytes));
		if (below(2))
			c->step = (uint8_t)(below(2) ? bytes : 4);
		c->shift_x = shifts ? (uint8_t)below(3) : 0;
		c->shift_y = shifts ? (uint8_t)below(3) : 0;
		c->pitch = SIZE_MAX_TESTED * 8 + below(64);
		c->address = at + i * (128 << 10) + below(200);
		end = bytes;
	}
	return s;
}

static int16_t random_weight(bool wild) { return (int16_t)(wild ? random_next() : (uint64_t)below(20000) - 6000); }

/* A table at `at`; a wild one has weights of any size. Returns its bytes. */
static uint32_t random_table(struct world *w, uint32_t at, uint32_t count, uint32_t taps, uint32_t source, bool wild)
{
	const uint32_t bytes = (4 + 2 * taps + 3) / 4 * 4;
	const bool identity = taps == 1 && below(2);
	const unsigned from = below(40);

	for (uint32_t i = 0; i < count; i++) {
		uint8_t *p = w->bytes + at + i * bytes;
		int32_t first = wild && !below(4) ? (int32_t)random_next() : (int32_t)below(source + 40) - 20, sum;
		int16_t weights[MEDIA_TAPS_MAX];

		if (identity)
			first = (int32_t)(from + i) - 20;
		do {
			sum = 0;
			for (uint32_t k = 0; k + 1 < taps; k++)
				sum += weights[k] = random_weight(wild);
			sum = MEDIA_WEIGHT_ONE - sum;
		} while (sum < INT16_MIN || sum > INT16_MAX);
		weights[taps - 1] = (int16_t)sum;
		memcpy(p, &first, 4);
		memcpy(p + 4, weights, 2 * taps);
	}
	return count * bytes;
}

static void random_filters(struct world *w, struct media_process *j)
{
	uint32_t at = TABLES;

	for (unsigned t = 0; t < 8; t++) {
		struct media_filter *f = t < 4 ? &j->filter_x[t >> 1][t & 1] : &j->filter_y[t >> 1 & 1][t & 1];

		f->taps = 1 + below(below(4) ? 4 : MEDIA_TAPS_MAX);
		f->table = BASE + at;
		at += random_table(w, at, SIZE_MAX_TESTED, f->taps, SIZE_MAX_TESTED, !below(4));
		assert_true(at <= SRC);
	}
}

/* From 0 to size, in multiples of align, but for the end. */
static void random_side(uint32_t size, uint32_t align, uint32_t *from, uint32_t *length)
{
	*from = below((size + align - 1) / align) * align;
	*length = below(2) ? size - *from : (1 + below((size - *from + align - 1) / align)) * align;
	if (*length > size - *from)
		*length = size - *from;
}

__attribute__((unused)) static struct media_process random_job(struct world *w)
{
	struct media_process j = { 0 };
	const unsigned has = 1 + below(15);

	j.dst = random_surface(BASE + DST, has);
	if (below(2)) {
		j.flags |= MEDIA_MATRIX;
		for (unsigned i = 0; i < 12; i++)
			j.matrix[i / 4][i % 4] = below(8) ? (int32_t)below(80000) - 40000 : (int32_t)random_next();
	}
	j.src = random_surface(BASE + SRC, j.flags & MEDIA_MATRIX ? below(16) : (has & 7) | below(16));
	j.alpha = below(256);
	if (below(2))
		j.flags |= MEDIA_BLEND;
	if (j.flags & MEDIA_BLEND && j.src.component[3].bits && below(2))
		j.flags |= MEDIA_SOURCE_ALPHA;
	random_side(j.dst.width, 4, &j.x, &j.width);
	random_side(j.dst.height, 4, &j.y, &j.height);
	random_filters(w, &j);
	return j;
}

#endif
