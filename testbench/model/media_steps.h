/* The accesses of a job of the media unit and their cycles, by the manual's sentences on order and time alone, where all memory is system
 * memory and no translation takes longer than the unit sees ahead. A job goes on in steps; a step makes accesses, then takes its time. */
#ifndef GALENA_TESTBENCH_MODEL_MEDIA_STEPS_H
#define GALENA_TESTBENCH_MODEL_MEDIA_STEPS_H
#include "testbench/model/media_world.h"

enum { PIECES_MAX = 1 << 16 };

struct piece { bool write; uint64_t va, bytes, cycle; };

struct steps {
	const struct device_config *c;
	struct predict_memory m;
	unsigned count;
	struct piece *piece;
	/* time */
	uint64_t due, clock, arrived, second_filter, bus;
};

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t quotient(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/* The unit takes the job at this cycle; the bus is idle. */
__attribute__((unused)) static void steps_begin(struct steps *s, uint64_t taken)
{
	s->count = 0;
	s->clock = s->arrived = taken;
	s->due = taken + s->c->media_setup;
	s->second_filter = 0;
	s->bus = 0;
}

static void step_begin(struct steps *s) { s->clock = most(s->clock, s->due); }

/* The next step begins no earlier than this, nor long before what was issued has arrived. */
static void step_end(struct steps *s, uint64_t next)
{
	const uint64_t ahead = most(s->c->sys_latency, s->c->l2_latency + s->c->dram_latency) + 256;

	s->due = most(next, s->arrived > ahead ? s->arrived - ahead : 0);
}

/* Split at the ends of pages. Reads arrive with their last byte, writes when the bus' queue takes them. */
static void access_make(struct steps *s, bool write, uint64_t va, uint64_t bytes)
{
	while (bytes) {
		const uint64_t page = 4096 - va % 4096, n = bytes < page ? bytes : page, rate = s->c->sys_bytes_cycle;
		uint64_t over;

		assert_true(s->count < PIECES_MAX);
		s->piece[s->count++] = (struct piece){ write, va, n, s->clock };
		s->bus = most(s->bus, s->clock * rate) + n;
		over = quotient(s->bus, rate);
		if (!write)
			over += s->c->sys_latency;
		else
			over = over > s->clock + s->c->sys_latency ? over - s->c->sys_latency : s->clock;
		s->arrived = most(s->arrived, over);
		s->clock += quotient(n, s->c->media_bytes_cycle);
		va += n;
		bytes -= n;
	}
}

/* ---- bundles ---- */

struct bundle_of { unsigned components; uint64_t low; unsigned reach; const struct media_component *any; };

static unsigned sample_size(const struct media_component *c) { return c->bits == 10 ? 2 : 1; }

/* Whether two components of one surface may be in one bundle; low and reach of both together. */
static bool side_by_side(const struct media_surface *s, unsigned members, unsigned with, uint64_t *low, unsigned *reach)
{
	const struct media_component *c = &s->component[with];
	uint64_t from = c->address, to = c->address + sample_size(c);

	for (unsigned i = 0; i < 4; i++) {
		const struct media_component *o = &s->component[i];

		if (!(members >> i & 1))
			continue;
		if (o->pitch != c->pitch || o->step != c->step || o->shift_x != c->shift_x || o->shift_y != c->shift_y)
			return false;
		if (o->address < c->address + sample_size(c) && c->address < o->address + sample_size(o))
			return false; /* they share a byte */
		from = o->address < from ? o->address : from;
		to = most(to, o->address + sample_size(o));
	}
	*low = from;
	*reach = (unsigned)(to - from);
	return to - from <= c->step;
}

static unsigned bundles_of(const struct media_surface *s, unsigned components, struct bundle_of out[4])
{
	unsigned count = 0;

	for (unsigned i = 0; i < 4; i++) {
		unsigned b = 0, reach = 0;
		uint64_t low = 0;

		if (!(components >> i & 1))
			continue;
		while (b < count && !side_by_side(s, out[b].components, i, &low, &reach))
			b++;
		if (b == count) {
			count++;
			out[b] = (struct bundle_of){ 1u << i, s->component[i].address, sample_size(&s->component[i]), &s->component[i] };
			continue;
		}
		out[b].components |= 1u << i;
		out[b].low = low;
		out[b].reach = reach;
	}
	return count;
}

/* Samples x to last of row y, from the first byte to the last. */
static void row_access(struct steps *s, bool write, const struct bundle_of *b, uint64_t x, uint64_t last, uint64_t y)
{
	access_make(s, write, b->low + y * b->any->pitch + x * b->any->step, (last - x) * b->any->step + b->reach);
}

/* ---- video processing ---- */

static unsigned components_of(const struct media_surface *s)
{
	unsigned has = 0;

	for (unsigned i = 0; i < 4; i++)
		has |= (unsigned)(s->component[i].bits != 0) << i;
	return has;
}

static unsigned needed(const struct media_process *j, unsigned components)
{
	const unsigned has = components_of(&j->src);
	unsigned n = j->flags & MEDIA_MATRIX ? (components & 7 ? has & 7 : 0) : components & 7;

	n |= components & has & 8;
	return j->flags & MEDIA_SOURCE_ALPHA ? n | 8 : n;
}

/* Sample of the source that tap k of entry i begins with, before it is kept within the source. */
static int64_t tap(const struct steps *s, const struct media_filter *f, uint32_t i, uint32_t k)
{
	int16_t weights[MEDIA_TAPS_MAX];

	return (int64_t)predict_entry(&s->m, f, i, weights) + k;
}

struct part_of { unsigned components, sources, num_src, num_dst; uint32_t x, y, width, height; uint8_t shift_x, shift_y; struct bundle_of src[4], dst[4]; };

static unsigned parts_of(const struct media_process *j, struct part_of out[4])
{
	unsigned left = components_of(&j->dst), count = 0;

	while (left) {
		const struct media_component *first = &j->dst.component[__builtin_ctz(left)];
		struct part_of *g = &out[count++];

		*g = (struct part_of){ .shift_x = first->shift_x, .shift_y = first->shift_y };
		for (unsigned i = 0; i < 4; i++)
			if (left >> i & 1 && j->dst.component[i].shift_x == g->shift_x && j->dst.component[i].shift_y == g->shift_y)
				g->components |= 1u << i;
		left &= ~g->components;
		g->x = j->x >> g->shift_x;
		g->y = j->y >> g->shift_y;
		g->width = predict_samples(j->width, g->shift_x);
		g->height = predict_samples(j->height, g->shift_y);
		g->sources = needed(j, g->components);
		g->num_src = bundles_of(&j->src, g->sources, g->src);
		g->num_dst = bundles_of(&j->dst, g->components, g->dst);
	}
	return count;
}

static void tables_read(struct steps *s, const struct media_process *j, const struct part_of *parts, unsigned count)
{
	const uint32_t most_bytes = 64 * s->c->media_bytes_cycle;
	uint32_t entries[8] = { 0 };
	unsigned left = 0;

	for (unsigned i = 0; i < count; i++)
		for (unsigned b = 0; b < parts[i].num_src; b++) {
			const struct part_of *g = &parts[i];
			const unsigned x = 2 * (g->shift_x != 0) + (g->src[b].any->shift_x != 0);
			const unsigned y = 4 + 2 * (g->shift_y != 0) + (g->src[b].any->shift_y != 0);

			entries[x] = (uint32_t)most(entries[x], g->width);
			entries[y] = (uint32_t)most(entries[y], g->height);
		}
	for (unsigned t = 0; t < 8; t++)
		left += entries[t] != 0;
	for (unsigned t = 0; t < 8; t++) {
		const struct media_filter *f = t < 4 ? &j->filter_x[t / 2][t % 2] : &j->filter_y[t / 2 - 2][t % 2];
		const uint32_t bytes = entries[t] * ((4 + 2 * f->taps + 3) / 4 * 4);

		if (!entries[t])
			continue;
		left--;
		for (uint32_t at = 0; at < bytes; at += most_bytes) {
			const uint32_t n = bytes - at < most_bytes ? bytes - at : most_bytes;

			step_begin(s);
			access_make(s, false, f->table + at, n);
			step_end(s, most(s->due, !left && at + n == bytes ? s->arrived : s->clock));
		}
	}
}

static void source_row(struct steps *s, const struct media_process *j, const struct part_of *g, const struct bundle_of *b, uint32_t y)
{
	const struct media_filter *f = &j->filter_x[g->shift_x != 0][b->any->shift_x != 0];
	const int64_t end = predict_samples(j->src.width, b->any->shift_x) - 1;
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (uint32_t i = 0; i < g->width; i++) {
		const int64_t first = tap(s, f, i, 0), last = tap(s, f, i, f->taps - 1);

		low = first < low ? first : low;
		high = last > high ? last : high;
	}
	step_begin(s);
	row_access(s, false, b, (uint64_t)predict_clamp(low, 0, end), (uint64_t)predict_clamp(high, 0, end), y);
	step_end(s, most(s->due + quotient((uint64_t)__builtin_popcount(b->components) * g->width, s->c->media_samples_cycle), s->clock));
}

/* Returns the cycle at which the job ends. */
__attribute__((unused)) static uint64_t steps_process(struct steps *s, uint64_t job)
{
	const struct media_process *j = (const struct media_process *)predict_at(&s->m, job);
	struct part_of parts[4];
	const unsigned count = parts_of(j, parts);

	step_begin(s);
	access_make(s, false, job, sizeof(*j));
	s->second_filter = s->due;
	step_end(s, most(s->due, s->arrived));
	tables_read(s, j, parts, count);
	for (unsigned p = 0; p < count; p++) {
		const struct part_of *g = &parts[p];
		int64_t held[4][16];

		memset(held, -1, sizeof(held));
		for (uint32_t row = 0; row < g->height; row++) {
			for (unsigned b = 0; b < g->num_src; b++) {
				const struct media_filter *f = &j->filter_y[g->shift_y != 0][g->src[b].any->shift_y != 0];
				const int64_t end = predict_samples(j->src.height, g->src[b].any->shift_y) - 1;

				for (uint32_t k = 0; k < f->taps; k++) {
					const int64_t y = predict_clamp(tap(s, f, row, k), 0, end);

					if (held[b][y % 16] == y)
						continue;
					held[b][y % 16] = y;
					source_row(s, j, g, &g->src[b], (uint32_t)y);
				}
			}
			step_begin(s);
			for (unsigned b = 0; b < g->num_dst; b++) {
				if (j->flags & MEDIA_BLEND)
					row_access(s, false, &g->dst[b], g->x, g->x + g->width - 1, g->y + row);
				row_access(s, true, &g->dst[b], g->x, g->x + g->width - 1, g->y + row);
			}
			const unsigned made = (unsigned)__builtin_popcount(g->components), of = (unsigned)__builtin_popcount(g->sources);
			const uint64_t begin = most(s->second_filter, s->due);

			s->second_filter = begin + quotient(most(made, of) * g->width, s->c->media_samples_cycle);
			step_end(s, row + 1 == g->height && p + 1 == count ? s->second_filter : begin);
		}
	}
	return most(s->due, s->arrived);
}

/* ---- JPEG ---- */

/* A stream without 0xff, of codes of one and two bits: a code is looked for in 16 bits. */
struct bit_reader { uint64_t at, from, to; unsigned held; };

static void bits_fill(struct steps *s, const struct media_jpeg *j, struct bit_reader *b)
{
	while (b->held <= 56 && b->at < j->stream_bytes) {
		if (b->at >= b->to || b->at < b->from) {
			const uint64_t va = j->stream + b->at, page = 4096 - va % 4096;
			uint64_t n = j->stream_bytes - b->at;

			n = n < 1024 ? n : 1024;
			n = n < page ? n : page;
			access_make(s, false, va, n);
			b->from = b->at;
			b->to = b->at + n;
		}
		b->at++;
		b->held += 8;
	}
}

static void code_take(struct steps *s, const struct media_jpeg *j, struct bit_reader *b, unsigned bits)
{
	if (b->held < 16)
		bits_fill(s, j, b);
	assert_true(b->held >= bits);
	b->held -= bits;
}

/* A picture of which block n, in the order of the stream, has runs[n % num_runs] codes of two bits between a DC code of one bit and the
 * end of the block, of one bit; no restarts. Returns the cycle at which the job ends. */
__attribute__((unused)) static uint64_t steps_jpeg(struct steps *s, uint64_t job, const uint8_t *runs, unsigned num_runs)
{
	const struct media_jpeg *j = (const struct media_jpeg *)predict_at(&s->m, job);
	struct bit_reader bits = { 0 };
	struct bundle_of bundles[4];
	const unsigned num_bundles = bundles_of(&j->dst, (1u << j->components) - 1, bundles);
	unsigned h = 1, v = 1, n = 0;

	for (unsigned i = 0; j->components > 1 && i < j->components; i++) {
		h = j->component[i].h > h ? j->component[i].h : h;
		v = j->component[i].v > v ? j->component[i].v : v;
	}
	step_begin(s);
	access_make(s, false, job, sizeof(*j));
	step_end(s, most(s->due, s->arrived));
	for (uint32_t y = 0; y < quotient(j->height, 8 * v); y++) {
		for (uint32_t x = 0; x < quotient(j->width, 8 * h); x++) {
			uint64_t cycles = 0;

			step_begin(s);
			for (unsigned i = 0; i < j->components; i++)
				for (unsigned b = 0; b < (j->components > 1 ? j->component[i].h * j->component[i].v : 1u); b++, n++) {
					const unsigned run = runs[n % num_runs];

					code_take(s, j, &bits, 1);
					for (unsigned k = 0; k < run; k++)
						code_take(s, j, &bits, 2);
					code_take(s, j, &bits, 1);
					cycles += most(run + 2, s->c->media_block_cycles);
				}
			step_end(s, most(s->due + cycles, s->clock));
		}
		for (unsigned b = 0; b < num_bundles; b++) {
			const struct media_component *c = bundles[b].any;
			const uint32_t part_v = predict_samples(v, c->shift_y), height = predict_samples(j->height, c->shift_y);

			for (uint32_t row = y * 8 * part_v; row < (y + 1) * 8 * part_v && row < height; row++) {
				step_begin(s);
				row_access(s, true, &bundles[b], 0, predict_samples(j->width, c->shift_x) - 1, row);
				step_end(s, most(s->due, s->clock));
			}
		}
	}
	return most(s->due, s->arrived);
}

#endif
