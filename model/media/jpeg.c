/* The unit reads the job, then decodes a row of MCUs at a time into rows of samples that it holds, and writes them.
 *
 * Time. A block takes a cycle a code, and no less than media_block_cycles. */
#include "model/media/jpeg.h"
#include "model/media/huffman.h"
#include "model/media/idct.h"
#include "model/media/surface.h"
#include "abi/events.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	COMPONENTS = 3,
	BLOCKS_MAX = 10,  /* of an MCU */
	FACTOR_MAX = 4,
	DC_BITS_MAX = 11, /* of a difference */
	AC_BITS_MAX = 10,
	BAND_PITCH = MEDIA_SIZE_MAX + 8 * FACTOR_MAX,
};

enum phase { JOB, DECODE, WRITE };

struct jpeg {
	enum phase phase;
	struct packet_jpeg packet;
	struct media_jpeg job;
	struct bits bits;
	struct huffman dc[2], ac[2];
	struct part { /* of a component */
		unsigned h, v;          /* blocks of an MCU */
		uint32_t width, height; /* samples of the picture */
		int16_t predicted;
	} part[COMPONENTS];
	uint32_t mcus_x, mcus_y, x, y; /* MCUs of a row, rows of them; which one is next */
	uint32_t restarts, left;       /* taken; MCUs up to the next */
	unsigned num_bundles, bundle;
	uint32_t line;                 /* of the bundle's rows, the next one to write */
	struct bundle dst[SURFACE_COMPONENTS];
	uint8_t band[COMPONENTS][8 * FACTOR_MAX][BAND_PITCH];
	uint8_t bytes[SURFACE_ROW_BYTES];
};

/* Where the n-th coefficient of the file lies in a block. */
static const uint8_t zigzag[64] = {
	0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

struct jpeg *jpeg_create(void) { return calloc(1, sizeof(struct jpeg)); }
void jpeg_destroy(struct jpeg *j) { free(j); }

void jpeg_begin(struct jpeg *j, const struct packet_jpeg *packet)
{
	j->phase = JOB;
	j->packet = *packet;
}

/* ---- the job ---- */

static bool component_valid(const struct media_jpeg_component *c)
{
	return c->h && c->h <= FACTOR_MAX && c->v && c->v <= FACTOR_MAX && c->quant < 4 && c->dc < 2 && c->ac < 2 && !c->reserved[0] &&
	       !c->reserved[1] && !c->reserved[2];
}

/* Whether the largest factor is 1, 2 or 4 times the component's, which is what the surface's shift says. */
static bool factor_valid(unsigned most, unsigned factor, unsigned shift) { return factor << shift == most; }

/* Components of a picture, and the surface that takes them. */
static bool components_valid(const struct media_jpeg *m)
{
	unsigned h = 1, v = 1, blocks = 0;

	for (unsigned i = 0; i < m->components; i++) {
		const struct media_jpeg_component *c = &m->component[i];

		if (!component_valid(c))
			return false;
		h = c->h > h ? c->h : h;
		v = c->v > v ? c->v : v;
		blocks += c->h * c->v;
	}
	if (m->components > 1 && blocks > BLOCKS_MAX)
		return false;
	for (unsigned i = 0; i < m->components; i++) {
		const struct media_component *d = &m->dst.component[i];

		if (d->bits != 8 || !factor_valid(h, m->component[i].h, d->shift_x) || !factor_valid(v, m->component[i].v, d->shift_y))
			return false;
	}
	return true;
}

static bool job_valid(const struct media_jpeg *m)
{
	if ((m->components != 1 && m->components != COMPONENTS) || m->reserved || !surface_valid(&m->dst, (1u << m->components) - 1))
		return false;
	return m->width && m->width <= m->dst.width && m->height && m->height <= m->dst.height && components_valid(m);
}

static bool tables_make(struct jpeg *j)
{
	for (unsigned i = 0; i < j->job.components; i++) {
		const struct media_jpeg_component *c = &j->job.component[i];

		if (!huffman_make(&j->dc[c->dc], &j->job.dc[c->dc]) || !huffman_make(&j->ac[c->ac], &j->job.ac[c->ac]))
			return false;
	}
	return true;
}

static void picture_begin(struct jpeg *j)
{
	const struct media_jpeg *m = &j->job;
	unsigned h = 1, v = 1;

	for (unsigned i = 0; i < m->components; i++) {
		const struct media_component *d = &m->dst.component[i];

		/* a scan of one component has MCUs of one block, whatever its factors are */
		j->part[i] = (struct part){ .h = m->components > 1 ? m->component[i].h : 1,
					    .v = m->components > 1 ? m->component[i].v : 1,
					    .width = surface_samples(m->width, d->shift_x),
					    .height = surface_samples(m->height, d->shift_y) };
		h = j->part[i].h > h ? j->part[i].h : h;
		v = j->part[i].v > v ? j->part[i].v : v;
	}
	j->mcus_x = (m->width + 8 * h - 1) / (8 * h);
	j->mcus_y = (m->height + 8 * v - 1) / (8 * v);
	j->x = j->y = j->restarts = 0;
	j->left = m->restart_interval;
	j->num_bundles = bundles_make(&m->dst, (1u << m->components) - 1, j->dst);
}

static bool job_load(struct jpeg *j, struct port *port, uint64_t now)
{
	const uint64_t at = j->packet.job;
	bool valid = !(at & 7);

	for (unsigned i = 0; i < sizeof(j->packet.reserved1) / sizeof(*j->packet.reserved1); i++)
		valid &= !j->packet.reserved1[i];
	if (valid && !port_read(port, at, &j->job, sizeof(j->job)))
		return false;
	valid = valid && job_valid(&j->job) && tables_make(j);
	if (valid)
		picture_begin(j);
	EVENT_SEND(port->env.mem->events, .cycle = now, .kind = EVENT_MEDIA_START, .unit = UNIT_MEDIA, .queue = (uint16_t)port->slot,
		   .asid = (uint16_t)port->space, .a = at, .b = valid ? j->dst[0].address : 0, .c = PACKET_CODE_jpeg);
	if (!valid)
		return port_fail(port, FAULT_BAD_PACKET, ACCESS_READ, at);
	bits_begin(&j->bits, port, j->job.stream, j->job.stream_bytes);
	j->phase = DECODE;
	return true;
}

/* ---- decoding ---- */

static bool bad_stream(struct jpeg *j, struct port *port)
{
	if (j->bits.lost)
		return port_fail(port, j->bits.lost, ACCESS_READ, j->job.stream + j->bits.from);
	if (port->space & SPACE_PROTECTED) /* how far it got would tell of the stream */
		port->result.progress = 0;
	return port_fail(port, FAULT_BAD_STREAM, ACCESS_READ, j->job.stream + bits_place(&j->bits));
}

static int16_t dequantised(int value, unsigned quant)
{
	const int v = value * (int)quant;

	return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
}

/* Coefficients of the next block of component i. Returns the number of its codes, 0 where the stream is not one. */
static unsigned block_decode(struct jpeg *j, unsigned i, int16_t block[64])
{
	const struct media_jpeg_component *c = &j->job.component[i];
	const uint8_t *quant = j->job.quant[c->quant];
	const struct huffman *ac = &j->ac[c->ac];
	unsigned codes = 1;
	int size = bits_symbol(&j->bits, &j->dc[c->dc]), value;

	if (size < 0 || size > DC_BITS_MAX)
		return 0;
	value = bits_number(&j->bits, (unsigned)size);
	if (value == INT_MIN)
		return 0;
	j->part[i].predicted = (int16_t)(j->part[i].predicted + value);
	memset(block, 0, 64 * sizeof(*block));
	block[0] = dequantised(j->part[i].predicted, quant[0]);
	for (unsigned k = 1; k < 64; k++, codes++) {
		const int symbol = bits_symbol(&j->bits, ac);
		const unsigned zeros = (unsigned)symbol >> 4 & 15;

		if (symbol < 0)
			return 0;
		size = symbol & 15;
		if (!size && zeros != 15)
			return codes + 1; /* the rest is 0 */
		k += zeros;
		if (k > 63 || size > AC_BITS_MAX)
			return 0;
		value = size ? bits_number(&j->bits, (unsigned)size) : 0;
		if (value == INT_MIN)
			return 0;
		block[zigzag[k]] = dequantised(value, quant[k]);
	}
	return codes;
}

/* Decodes an MCU. Returns the cycles that it takes; 0 where the stream is not one. */
static uint64_t mcu_decode(struct jpeg *j, uint32_t least)
{
	int16_t block[64];
	uint64_t cycles = 0;

	for (unsigned i = 0; i < j->job.components; i++) {
		const struct part *p = &j->part[i];

		for (unsigned b = 0; b < p->h * p->v; b++) {
			const unsigned codes = block_decode(j, i, block);

			if (!codes)
				return 0;
			idct(block, &j->band[i][8 * (b / p->h)][8 * ((uint64_t)j->x * p->h + b % p->h)], BAND_PITCH);
			cycles += codes > least ? codes : least;
		}
	}
	return cycles;
}

static bool restart(struct jpeg *j)
{
	if (!j->job.restart_interval)
		return true;
	if (j->left--)
		return true;
	j->left = j->job.restart_interval - 1;
	for (unsigned i = 0; i < COMPONENTS; i++)
		j->part[i].predicted = 0;
	return bits_restart(&j->bits, j->restarts++ & 7);
}

static bool decode(struct jpeg *j, struct port *port, uint64_t now, uint64_t *next)
{
	const uint64_t cycles = restart(j) ? mcu_decode(j, port->env.config->media_block_cycles) : 0;

	if (!cycles)
		return bad_stream(j, port);
	if (port->timed)
		*next = now + cycles;
	if (++j->x < j->mcus_x)
		return true;
	j->x = 0;
	j->bundle = j->line = 0;
	j->phase = WRITE;
	return true;
}

/* ---- writing ---- */

/* A line of a bundle, of the row of MCUs that was decoded. */
static bool write(struct jpeg *j, struct port *port)
{
	const struct bundle *b = &j->dst[j->bundle];
	const struct part *p = &j->part[b->part[0].number];
	const uint32_t y = j->y * 8 * p->v + j->line;

	if (y < p->height && j->line < 8 * p->v) {
		for (unsigned i = 0; i < b->count; i++) {
			const uint8_t *from = j->band[b->part[i].number][j->line];
			uint8_t *to = j->bytes + b->part[i].offset;

			for (uint32_t x = 0; x < p->width; x++, to += b->cells.step)
				*to = from[x];
		}
		j->line++;
		return port_write(port, bundle_address(b, 0, y), j->bytes, p->width, &b->cells);
	}
	j->line = 0;
	if (++j->bundle < j->num_bundles)
		return true;
	j->phase = DECODE;
	return ++j->y < j->mcus_y;
}

bool jpeg_step(struct jpeg *j, struct port *port, uint64_t now, uint64_t *next)
{
	bool more;

	*next = now;
	switch (j->phase) {
	case JOB:
		more = job_load(j, port, now);
		if (port->arrived > now) /* what follows is known when it is here */
			*next = port->arrived;
		return more;
	case DECODE:
		more = decode(j, port, now, next);
		break;
	default:
		more = write(j, port);
	}
	if (port->clock > *next)
		*next = port->clock;
	return more;
}
