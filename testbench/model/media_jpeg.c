/* JPEG pictures that libjpeg encodes, decoded by the media unit and by libjpeg: each sample is the same but for 1. And streams that are
 * broken: the fault that they end with, and what they leave alone. */
#include "testbench/model/media_world.h"
/* after the standard headers */
#include <jpeglib.h>

enum { JOB = 64, STREAM = 8192, DST = 1 << 20, STREAM_ROOM = DST - STREAM, WIDEST = 200 };

static unsigned below(unsigned n) { return (unsigned)random_below(n); }

/* ---- pictures ---- */

struct picture {
	unsigned width, height, components, quality, restart;
	unsigned h[3], v[3];
	bool optimal; /* Huffman tables of its own */
	unsigned char *bytes;
	unsigned long size;
};

/* Something between a flat surface and noise. */
static void picture_row(const struct picture *p, unsigned y, unsigned kind, uint8_t *row)
{
	for (unsigned x = 0; x < p->width; x++)
		for (unsigned c = 0; c < p->components; c++)
			row[x * p->components + c] = (uint8_t)(kind == 0 ? random_next() :
							       kind == 1 ? x * (c + 1) + y * 2 :
							       kind == 2 ? ((x / 13 + y / 7) & 1 ? 250 - 40 * c : 5 + 50 * c) :
									   128 + below(6));
}

static void picture_encode(struct picture *p)
{
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr error;
	const unsigned kind = below(4);
	uint8_t row[3 * WIDEST];
	JSAMPROW rows[1] = { row };

	c.err = jpeg_std_error(&error);
	jpeg_create_compress(&c);
	p->bytes = NULL;
	jpeg_mem_dest(&c, &p->bytes, &p->size);
	c.image_width = p->width;
	c.image_height = p->height;
	c.input_components = (int)p->components;
	c.in_color_space = p->components == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(&c);
	jpeg_set_quality(&c, (int)p->quality, TRUE);
	c.restart_interval = p->restart;
	c.optimize_coding = p->optimal;
	for (unsigned i = 0; i < p->components; i++) {
		c.comp_info[i].h_samp_factor = (int)p->h[i];
		c.comp_info[i].v_samp_factor = (int)p->v[i];
	}
	jpeg_start_compress(&c, TRUE);
	for (unsigned y = 0; y < p->height; y++) {
		picture_row(p, y, kind, row);
		jpeg_write_scanlines(&c, rows, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
}

/* Components as libjpeg decodes them, into the surface's bytes. */
static void picture_decode(const struct picture *p, const struct media_surface *s, uint8_t *bytes)
{
	static uint8_t lines[3][32][WIDEST + 64];
	struct jpeg_decompress_struct d;
	struct jpeg_error_mgr error;
	JSAMPROW rows[3][32];
	JSAMPARRAY planes[3] = { rows[0], rows[1], rows[2] };
	unsigned most = 1;

	d.err = jpeg_std_error(&error);
	jpeg_create_decompress(&d);
	jpeg_mem_src(&d, p->bytes, p->size);
	assert_int_equal(jpeg_read_header(&d, TRUE), JPEG_HEADER_OK);
	d.raw_data_out = TRUE;
	d.dct_method = JDCT_ISLOW;
	jpeg_start_decompress(&d);
	for (unsigned i = 0; i < 3; i++)
		for (unsigned y = 0; y < 32; y++)
			rows[i][y] = lines[i][y];
	for (unsigned i = 0; i < p->components; i++)
		most = p->v[i] > most ? p->v[i] : most;
	if (p->components == 1)
		most = (unsigned)d.comp_info[0].v_samp_factor;
	while (d.output_scanline < d.output_height) {
		const unsigned at = d.output_scanline;

		jpeg_read_raw_data(&d, planes, 8 * most);
		for (unsigned i = 0; i < p->components; i++) {
			const struct media_component *c = &s->component[i];
			const unsigned width = predict_samples(p->width, c->shift_x), height = predict_samples(p->height, c->shift_y);
			const unsigned from = at >> c->shift_y, count = 8 * most >> c->shift_y;

			for (unsigned y = 0; y < count && from + y < height; y++)
				for (unsigned x = 0; x < width; x++)
					bytes[c->address - BASE + (from + y) * c->pitch + x * c->step] = lines[i][y][x];
		}
	}
	jpeg_finish_decompress(&d);
	jpeg_destroy_decompress(&d);
}

/* What the file says, as the unit takes it; the scan goes to the stream's place. */
static void picture_parse(const struct picture *p, struct media_jpeg *j, uint8_t *stream)
{
	const unsigned char *at = p->bytes + 2, *end = p->bytes + p->size;

	memset(j, 0, sizeof(*j));
	while (at[1] != 0xda) {
		const unsigned size = at[2] << 8 | at[3];
		const unsigned char *in = at + 4, *last = at + 2 + size;

		assert_int_equal(at[0], 0xff);
		if (at[1] == 0xc0) {
			j->height = (uint32_t)(in[1] << 8 | in[2]);
			j->width = (uint32_t)(in[3] << 8 | in[4]);
			j->components = in[5];
			for (unsigned i = 0; i < j->components; i++)
				j->component[i] = (struct media_jpeg_component){ in[7 + 3 * i] >> 4, in[7 + 3 * i] & 15, in[8 + 3 * i], 0, 0, { 0 } };
		} else if (at[1] == 0xdb) {
			for (; in < last; in += 65)
				memcpy(j->quant[in[0]], in + 1, 64);
		} else if (at[1] == 0xdd) {
			j->restart_interval = (uint32_t)(in[0] << 8 | in[1]);
		} else if (at[1] == 0xc4) {
			while (in < last) {
				struct media_huffman *h = in[0] >> 4 ? &j->ac[in[0] & 15] : &j->dc[in[0] & 15];
				unsigned n = 0;

				memcpy(h->counts, in + 1, 16);
				for (unsigned i = 0; i < 16; i++)
					n += h->counts[i];
				memcpy(h->symbols, in + 17, n);
				in += 17 + n;
			}
		}
		at = last;
	}
	for (unsigned i = 0; i < j->components; i++) {
		j->component[i].dc = at[6 + 2 * i] >> 4;
		j->component[i].ac = at[6 + 2 * i] & 15;
	}
	at += 2 + (at[2] << 8 | at[3]);
	j->stream = BASE + STREAM;
	j->stream_bytes = (uint32_t)(end - at);
	assert_true(j->stream_bytes <= STREAM_ROOM);
	memcpy(stream, at, j->stream_bytes);
}

static unsigned shift_of(unsigned most, unsigned factor) { return most / factor == 4 ? 2 : most / factor == 2; }

/* A surface for it, a bit larger or not, of planes or of components side by side where they have one shape. */
static struct media_surface picture_surface(const struct picture *p)
{
	struct media_surface s = { .width = p->width + below(2) * below(40), .height = p->height + below(2) * below(40) };
	unsigned h = 1, v = 1;
	const bool pairs = p->components == 3 && p->h[1] == p->h[2] && p->v[1] == p->v[2] && below(2);

	for (unsigned i = 0; i < p->components && p->components > 1; i++) {
		h = p->h[i] > h ? p->h[i] : h;
		v = p->v[i] > v ? p->v[i] : v;
	}
	for (unsigned i = 0; i < p->components; i++) {
		const unsigned x = p->components > 1 ? shift_of(h, p->h[i]) : 0, y = p->components > 1 ? shift_of(v, p->v[i]) : 0;

		s.component[i] = (struct media_component){ BASE + DST + i * (300 << 10) + below(100), (WIDEST + 40) * 4, (uint8_t)(1 + below(4)),
							   (uint8_t)x, (uint8_t)y, 8 };
	}
	if (pairs) {
		s.component[1].step = s.component[2].step = 2;
		s.component[2].address = s.component[1].address + 1;
	}
	return s;
}

static struct picture random_picture(void)
{
	static const unsigned factors[][6] = {
		{ 1, 1, 1, 1, 1, 1 }, { 2, 1, 1, 1, 1, 1 }, { 1, 2, 1, 1, 1, 1 }, { 2, 2, 1, 1, 1, 1 }, { 4, 1, 1, 1, 1, 1 },
		{ 1, 4, 1, 1, 1, 1 }, { 4, 2, 1, 1, 1, 1 }, { 2, 2, 2, 1, 2, 1 }, { 2, 2, 1, 2, 2, 1 }, { 1, 1, 2, 2, 1, 1 }, { 3, 1, 3, 1, 3, 1 },
		{ 1, 1, 1, 1, 2, 4 },
	};
	const unsigned *f = factors[below(sizeof(factors) / sizeof(*factors))];
	struct picture p = { .width = 1 + below(WIDEST), .height = 1 + below(150), .components = below(5) ? 3 : 1,
			     .quality = 1 + below(100), .restart = below(2) ? 1 + below(below(2) ? 4 : 60) : 0, .optimal = below(2) };

	for (unsigned i = 0; i < 3; i++) {
		p.h[i] = f[2 * i];
		p.v[i] = f[2 * i + 1];
	}
	picture_encode(&p);
	return p;
}

/* The picture's job and stream are in memory, which is otherwise random. */
static struct media_jpeg *picture_place(struct world *w, const struct picture *p)
{
	struct media_jpeg j, *job = (struct media_jpeg *)(w->bytes + JOB);

	world_random(w);
	picture_parse(p, &j, w->bytes + STREAM);
	j.dst = picture_surface(p);
	*job = j;
	return job;
}

static uint64_t samples_of(const struct media_jpeg *j)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < j->components; i++)
		n += (uint64_t)predict_samples(j->width, j->dst.component[i].shift_x) * predict_samples(j->height, j->dst.component[i].shift_y);
	return n;
}

/* ---- whole pictures ---- */

static void pictures_run(struct world *w, unsigned count)
{
	static uint8_t got[AREA];
	const union packet packet = packet_jpeg(BASE + JOB);
	uint64_t bad, different = 0, samples = 0;

	for (unsigned n = 0; n < count; n++) {
		struct picture p = random_picture();
		const struct media_jpeg *j = picture_place(w, &p);
		struct media_result r;

		world_give(w);
		picture_decode(&p, &j->dst, w->bytes);
		r = run_packet(w, &packet, ASID, 1000);
		if (r.code)
			fail_msg("picture %u, %ux%u, factors %ux%u %ux%u %ux%u: %s at %#llx", n, p.width, p.height, p.h[0], p.v[0], p.h[1], p.v[1],
				 p.h[2], p.v[2], fault_name(r.code), (unsigned long long)r.address);
		assert_int_equal(r.progress, samples_of(j));
		assert_int_equal(mmu_read(w->mmu, UNIT_HOST, ASID, BASE, got, AREA, &bad), FAULT_NONE);
		for (unsigned i = 0; i < AREA; i++) {
			if (got[i] == w->bytes[i])
				continue;
			different++;
			if (i < DST || got[i] + 1 < w->bytes[i] || got[i] > w->bytes[i] + 1)
				fail_msg("picture %u: byte 0x%x is %u, libjpeg has %u", n, i, got[i], w->bytes[i]);
		}
		samples += r.progress;
		free(p.bytes);
	}
	printf("# %llu of %llu samples are 1 off libjpeg's\n", (unsigned long long)different, (unsigned long long)samples);
}

static void test_pictures(void **state)
{
	static const struct { const char *config; enum bus_speed speed; bool observed; } worlds[] = {
		{ "full", BUS_FUNCTIONAL, false }, { "mini", BUS_TIMED, true }, { "mini,coherent=0", BUS_TIMED, false },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(worlds) / sizeof(*worlds); i++) {
		struct world *w = world_create(worlds[i].config, worlds[i].speed, worlds[i].observed);

		pictures_run(w, check_long() ? 2000 : 60);
		world_destroy(w);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pictures),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
