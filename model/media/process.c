/* The unit reads the job, then the tables of the filters that it needs, then makes rows. Components of the destination that have the
 * same shifts are made together. Rows of the source are filtered along x as they are first needed, and kept while they are.
 *
 * Time. Each of the two filters makes media_samples_cycle samples a cycle, both at the same time; the port reads and writes meanwhile. */
#include "model/media/process.h"
#include "model/media/filter.h"
#include "model/media/pixel.h"
#include "model/media/surface.h"
#include "abi/events.h"
#include <stdlib.h>
#include <string.h>

enum {
	KEPT_ROWS = MEDIA_TAPS_MAX, /* as many as one row is made of; they follow one another, so that each has a place */
	LOAD_CYCLES = 64,           /* timed: what a step reads of a table */
};

enum phase { JOB, TABLES, ROWS };

/* Components of the destination with the same shifts. */
struct group {
	unsigned components; /* one bit each */
	uint8_t shift_x, shift_y;
	uint32_t x, y, width, height; /* in their samples */
	unsigned sources;             /* components of the source, one bit each */
	unsigned num_src, num_dst;
	struct bundle src[SURFACE_COMPONENTS], dst[SURFACE_COMPONENTS];
};

struct process {
	enum phase phase;
	struct packet_process packet;
	struct media_process job;
	struct matrix matrix;
	uint64_t across_free; /* cycle at which the second filter is done */
	/* tables: number d << 1 | s, those along x first */
	unsigned tables;      /* that are needed, one bit each, and are not loaded yet */
	uint32_t loaded;      /* bytes of the first of them */
	uint32_t count[8];    /* entries */
	/* rows */
	unsigned num_groups, group;
	uint32_t row;
	struct group groups[SURFACE_COMPONENTS];
	int64_t kept[SURFACE_COMPONENTS][KEPT_ROWS]; /* of each bundle of the source, which rows; -1: none */

	struct filter filter[8];
	uint8_t table[MEDIA_SIZE_MAX * FILTER_ENTRY_MAX];
	int16_t ring[SURFACE_COMPONENTS][KEPT_ROWS][MEDIA_SIZE_MAX]; /* of each component of the source */
	int16_t line[FILTER_PAD + MEDIA_SIZE_MAX + FILTER_PAD];
	int16_t made[SURFACE_COMPONENTS][MEDIA_SIZE_MAX], out[SURFACE_COMPONENTS][MEDIA_SIZE_MAX];
	uint8_t opacity[MEDIA_SIZE_MAX];
	uint8_t bytes[SURFACE_ROW_BYTES];
};

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

struct process *process_create(void) { return calloc(1, sizeof(struct process)); }
void process_destroy(struct process *p) { free(p); }

void process_begin(struct process *p, const struct packet_process *packet)
{
	p->phase = JOB;
	p->packet = *packet;
}

/* ---- the job ---- */

static unsigned table_x(unsigned dst_shift, unsigned src_shift) { return (unsigned)(dst_shift != 0) << 1 | (src_shift != 0); }
static unsigned table_y(unsigned dst_shift, unsigned src_shift) { return 4 + table_x(dst_shift, src_shift); }
static const struct media_filter *table_of(const struct media_process *j, unsigned t)
{
	return t < 4 ? &j->filter_x[t >> 1][t & 1] : &j->filter_y[t >> 1 & 1][t & 1];
}

/* Components of the source that components of the destination are made of. */
static unsigned sources_of(const struct media_process *j, unsigned components)
{
	const unsigned has = surface_components(&j->src), colours = 7;
	unsigned needs = components & (colours | (has & 1u << SURFACE_ALPHA));

	if (j->flags & MEDIA_MATRIX && components & colours)
		needs = (needs & ~colours) | (has & colours);
	if (j->flags & MEDIA_SOURCE_ALPHA)
		needs |= 1u << SURFACE_ALPHA;
	return needs;
}

static bool side_valid(uint32_t from, uint32_t size, uint32_t whole, unsigned shift)
{
	const uint32_t rest = (1u << shift) - 1;

	return size && from < whole && size <= whole - from && !(from & rest) && (!(size & rest) || from + size == whole);
}

static bool job_valid(const struct media_process *j)
{
	const unsigned dst = surface_components(&j->dst), src = sources_of(j, dst);
	const unsigned flags = MEDIA_MATRIX | MEDIA_BLEND | MEDIA_SOURCE_ALPHA;

	if (!dst || !surface_valid(&j->dst, dst) || (src & ~surface_components(&j->src)) || !surface_valid(&j->src, src))
		return false;
	if (j->flags & ~flags || j->alpha > 255 || j->reserved || (j->flags & MEDIA_SOURCE_ALPHA && !(j->flags & MEDIA_BLEND)))
		return false;
	for (unsigned i = 0; i < SURFACE_COMPONENTS; i++)
		if (dst >> i & 1 && (!side_valid(j->x, j->width, j->dst.width, j->dst.component[i].shift_x) ||
				     !side_valid(j->y, j->height, j->dst.height, j->dst.component[i].shift_y)))
			return false;
	return true;
}

/* The table is needed, with so many entries; components of shifts 1 and 2 share one, and take the entries that they need. */
static bool table_need(struct process *p, unsigned t, uint32_t count)
{
	const struct media_filter *f = table_of(&p->job, t);

	if (!f->taps || f->taps > MEDIA_TAPS_MAX || f->reserved || f->table & 3)
		return false;
	p->tables |= 1u << t;
	p->count[t] = (uint32_t)max(p->count[t], count);
	return true;
}

static bool groups_make(struct process *p)
{
	const struct media_process *j = &p->job;
	unsigned left = surface_components(&j->dst);

	p->num_groups = 0;
	while (left) {
		const struct media_component *first = &j->dst.component[__builtin_ctz(left)];
		struct group *g = &p->groups[p->num_groups++];

		*g = (struct group){ .shift_x = first->shift_x, .shift_y = first->shift_y };
		for (unsigned i = 0; i < SURFACE_COMPONENTS; i++)
			if (left >> i & 1 && j->dst.component[i].shift_x == g->shift_x && j->dst.component[i].shift_y == g->shift_y)
				g->components |= 1u << i;
		left &= ~g->components;
		g->x = j->x >> g->shift_x;
		g->y = j->y >> g->shift_y;
		g->width = surface_samples(j->width, g->shift_x);
		g->height = surface_samples(j->height, g->shift_y);
		g->sources = sources_of(j, g->components);
		g->num_src = bundles_make(&j->src, g->sources, g->src);
		g->num_dst = bundles_make(&j->dst, g->components, g->dst);
		for (unsigned b = 0; b < g->num_src; b++)
			if (!table_need(p, table_x(g->shift_x, g->src[b].shift_x), g->width) ||
			    !table_need(p, table_y(g->shift_y, g->src[b].shift_y), g->height))
				return false;
	}
	return true;
}

static void group_begin(struct process *p)
{
	p->row = 0;
	memset(p->kept, -1, sizeof(p->kept));
}

static bool job_load(struct process *p, struct port *port, uint64_t now)
{
	const uint64_t at = p->packet.job;
	bool zero = true, valid;

	for (unsigned i = 0; i < sizeof(p->packet.reserved1) / sizeof(*p->packet.reserved1); i++)
		zero &= !p->packet.reserved1[i];
	p->tables = p->loaded = 0;
	memset(p->count, 0, sizeof(p->count));
	valid = zero && !(at & 7);
	if (valid && !port_read(port, at, &p->job, sizeof(p->job)))
		return false;
	valid = valid && job_valid(&p->job) && groups_make(p);
	EVENT_SEND(port->env.mem->events, .cycle = now, .kind = EVENT_MEDIA_START, .unit = UNIT_MEDIA, .queue = (uint16_t)port->slot,
		   .asid = (uint16_t)port->space, .a = at, .b = valid ? p->groups[0].dst[0].address : 0, .c = PACKET_CODE_process);
	if (!valid)
		return port_fail(port, FAULT_BAD_PACKET, ACCESS_READ, at);
	matrix_make(&p->matrix, p->job.matrix);
	p->phase = p->tables ? TABLES : ROWS;
	p->group = 0;
	group_begin(p);
	return true;
}

/* ---- tables ---- */

static bool table_load(struct process *p, struct port *port)
{
	const unsigned t = (unsigned)__builtin_ctz(p->tables);
	const struct media_filter *f = table_of(&p->job, t);
	const uint32_t all = p->count[t] * filter_entry_bytes(f->taps), left = all - p->loaded;
	const uint64_t most = port->timed ? (uint64_t)LOAD_CYCLES * port->env.config->media_bytes_cycle : left;
	const uint32_t n = most < left ? (uint32_t)most : left;
	uint32_t bad;

	if (!port_read(port, f->table + p->loaded, p->table + p->loaded, n))
		return false;
	p->loaded += n;
	if (p->loaded < all)
		return true;
	bad = filter_make(&p->filter[t], p->table, p->count[t], f->taps);
	if (bad < p->count[t])
		return port_fail(port, FAULT_BAD_PACKET, ACCESS_READ, f->table + (uint64_t)bad * filter_entry_bytes(f->taps));
	p->tables &= p->tables - 1;
	p->loaded = 0;
	if (!p->tables)
		p->phase = ROWS;
	return true;
}

/* ---- rows of the source ---- */

static uint32_t row_of(const struct filter *f, uint32_t entry, uint32_t tap, uint32_t rows)
{
	const int64_t y = (int64_t)f->first[entry] + tap;

	return y < 0 ? 0 : y >= rows ? rows - 1 : (uint32_t)y;
}

/* A row that the next row of the destination needs of the bundle and that is not kept; -1 for none. */
static int64_t row_missing(const struct process *p, const struct group *g, unsigned b)
{
	const struct filter *f = &p->filter[table_y(g->shift_y, g->src[b].shift_y)];
	const uint32_t rows = surface_samples(p->job.src.height, g->src[b].shift_y);

	for (uint32_t k = 0; k < f->taps; k++) {
		const uint32_t y = row_of(f, p->row, k, rows);

		if (p->kept[b][y % KEPT_ROWS] != y)
			return y;
	}
	return -1;
}

/* Reads a row of the bundle and filters it along x. */
static bool row_take(struct process *p, struct port *port, const struct group *g, unsigned b, uint32_t y)
{
	const struct bundle *s = &g->src[b];
	const struct filter *f = &p->filter[table_x(g->shift_x, s->shift_x)];
	const uint32_t n = surface_samples(p->job.src.width, s->shift_x);
	int16_t *line = p->line + FILTER_PAD;
	uint32_t first, last;

	filter_range(f, 0, g->width, n, &first, &last);
	if (!port_read(port, bundle_address(s, first, y), p->bytes, (uint64_t)(last - first) * s->cells.step + s->cells.bytes))
		return false;
	for (unsigned i = 0; i < s->count; i++) {
		pixel_unpack(p->bytes + s->part[i].offset, s->cells.step, s->part[i].bits, last - first + 1, line + first);
		for (uint32_t k = 1; k <= FILTER_PAD; k++) {
			line[(int64_t)first - k] = line[first];
			line[last + k] = line[last];
		}
		filter_along(f, g->width, line, n, p->ring[s->part[i].number][y % KEPT_ROWS]);
	}
	p->kept[b][y % KEPT_ROWS] = y;
	return true;
}

/* ---- rows of the destination ---- */

/* What the row's components of the source are at its resolution. */
static void row_filter(struct process *p, const struct group *g)
{
	for (unsigned b = 0; b < g->num_src; b++) {
		const struct bundle *s = &g->src[b];
		const struct filter *f = &p->filter[table_y(g->shift_y, s->shift_y)];
		const uint32_t rows = surface_samples(p->job.src.height, s->shift_y);

		for (unsigned i = 0; i < s->count; i++) {
			const int16_t *taps[MEDIA_TAPS_MAX];
			const unsigned c = s->part[i].number;

			for (uint32_t k = 0; k < f->taps; k++)
				taps[k] = p->ring[c][row_of(f, p->row, k, rows) % KEPT_ROWS];
			filter_across(f, p->row, taps, g->width, p->made[c]);
		}
	}
}

/* What its components are before they are blended. */
static void row_colour(struct process *p, const struct group *g)
{
	const bool matrix = p->job.flags & MEDIA_MATRIX, blend = p->job.flags & MEDIA_BLEND;
	const int16_t *in[3];

	for (unsigned i = 0; i < 3; i++)
		in[i] = g->sources >> i & 1 ? p->made[i] : NULL;
	for (unsigned i = 0; i < 3; i++) {
		if (!(g->components >> i & 1))
			continue;
		if (matrix)
			matrix_row(&p->matrix, i, in, g->width, p->out[i]);
		else
			memcpy(p->out[i], p->made[i], g->width * sizeof(**p->out));
	}
	if (!(g->components >> SURFACE_ALPHA & 1))
		return;
	if (g->sources >> SURFACE_ALPHA & 1 && !blend)
		memcpy(p->out[SURFACE_ALPHA], p->made[SURFACE_ALPHA], g->width * sizeof(**p->out));
	else
		pixel_fill(p->out[SURFACE_ALPHA], g->width, INT16_MAX);
}

/* Cells of the row that belong to no component hold what they held. */
static bool row_write(struct process *p, struct port *port, const struct group *g, const struct bundle *d)
{
	const uint64_t at = bundle_address(d, g->x, g->y + p->row);
	const bool blend = p->job.flags & MEDIA_BLEND;

	if (blend && !port_read(port, at, p->bytes, (uint64_t)(g->width - 1) * d->cells.step + d->cells.bytes))
		return false;
	for (unsigned i = 0; i < d->count; i++) {
		int16_t *out = p->out[d->part[i].number];
		uint8_t *bytes = p->bytes + d->part[i].offset;

		if (blend) {
			pixel_unpack(bytes, d->cells.step, d->part[i].bits, g->width, p->line);
			pixel_blend(out, p->line, p->opacity, g->width);
		}
		pixel_pack(out, d->cells.step, d->part[i].bits, g->width, bytes);
	}
	return port_write(port, at, p->bytes, g->width, &d->cells);
}

static bool row_make(struct process *p, struct port *port, const struct group *g)
{
	row_filter(p, g);
	row_colour(p, g);
	if (p->job.flags & MEDIA_BLEND)
		pixel_opacity(p->job.flags & MEDIA_SOURCE_ALPHA ? p->made[SURFACE_ALPHA] : NULL, p->job.alpha, g->width, p->opacity);
	for (unsigned b = 0; b < g->num_dst; b++)
		if (!row_write(p, port, g, &g->dst[b]))
			return false;
	return true;
}

/* Takes a row of the source if one is missing, and makes one of the destination if none is. */
static bool rows_step(struct process *p, struct port *port, uint64_t now, uint64_t *next)
{
	const struct group *g = &p->groups[p->group];
	const uint32_t rate = port->env.config->media_samples_cycle;
	unsigned parts = (unsigned)__builtin_popcount(g->components);
	uint64_t cycles;

	for (unsigned b = 0; b < g->num_src; b++) {
		const int64_t y = row_missing(p, g, b);

		if (y < 0)
			continue;
		cycles = ((uint64_t)g->src[b].count * g->width + rate - 1) / rate;
		if (!row_take(p, port, g, b, (uint32_t)y))
			return false;
		*next = port->timed ? max(now + cycles, port->clock) : now;
		return true;
	}
	if (!row_make(p, port, g)) /* the port writes the row while the first filter has the next one */
		return false;
	if ((unsigned)__builtin_popcount(g->sources) > parts)
		parts = (unsigned)__builtin_popcount(g->sources);
	cycles = ((uint64_t)parts * g->width + rate - 1) / rate;
	if (port->timed) { /* the first filter goes on while the second one has this row */
		const uint64_t begin = max(p->across_free, now);

		p->across_free = begin + cycles;
		*next = begin;
	}
	if (++p->row < g->height)
		return true;
	if (++p->group < p->num_groups) {
		group_begin(p);
		return true;
	}
	*next = max(*next, p->across_free);
	return false;
}

bool process_step(struct process *p, struct port *port, uint64_t now, uint64_t *next)
{
	bool more;

	*next = now;
	switch (p->phase) {
	case JOB:
		p->across_free = now;
		more = job_load(p, port, now);
		*next = max(now, port->arrived); /* what follows is known when it is here */
		return more;
	case TABLES:
		more = table_load(p, port);
		*next = max(now, p->phase == ROWS ? port->arrived : port->clock);
		return more;
	default:
		return rows_step(p, port, now, next);
	}
}
