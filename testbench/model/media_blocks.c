/* Pictures of random coefficients through codes of the test's own, against the manual's transform: dequantisation and its clamp, the
 * prediction of DC and its wrap, each sample bit for bit. Then what in a block is no stream. */
#include "testbench/model/media_world.h"

enum { JPEG = 1024, STREAM = 32 << 10, DST = 512 << 10, STREAM_MAX = 400 << 10 };

/* In the order of ISO/IEC 10918-1, figure 5: row * 8 + column. */
static const uint8_t zigzag[64] = {
	0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

/* ---- a stream ---- */

struct writer { uint8_t *bytes; uint32_t count; unsigned held; uint32_t word; bool fill; };

static void byte_put(struct writer *s, uint8_t byte)
{
	assert_true(s->count + 3 < STREAM_MAX);
	for (uint64_t i = s->fill && byte == 0xff ? random_below(3) : 0; i; i--)
		s->bytes[s->count++] = 0xff; /* fill */
	s->bytes[s->count++] = byte;
	if (byte == 0xff)
		s->bytes[s->count++] = 0;
}

static void bits_put(struct writer *s, uint32_t value, unsigned n)
{
	while (n--) {
		s->word = s->word << 1 | (value >> n & 1);
		if (++s->held == 8) {
			byte_put(s, (uint8_t)s->word);
			s->held = s->word = 0;
		}
	}
}

static void stream_end(struct writer *s)
{
	while (s->held)
		bits_put(s, 0, 1);
}

static unsigned bits_of(int v)
{
	unsigned n = 0;

	for (v = v < 0 ? -v : v; v; v >>= 1)
		n++;
	return n;
}

static void number_put(struct writer *s, int v, unsigned n) { bits_put(s, (uint32_t)(v < 0 ? v + (1 << n) - 1 : v), n); }

/* Codes: a difference's size in 4 bits; a run and a size in 8, in the order of symbols 0x00, 0xf0, 0x01 to 0x0a, 0x11 to 0xfa. */
static void tables_set(struct media_jpeg *j)
{
	unsigned n = 0;

	j->dc[0].counts[3] = 12;
	for (unsigned i = 0; i < 12; i++)
		j->dc[0].symbols[i] = (uint8_t)i;
	j->ac[0].symbols[n++] = 0;
	j->ac[0].symbols[n++] = 0xf0;
	for (unsigned run = 0; run < 16; run++)
		for (unsigned size = 1; size <= 10; size++)
			j->ac[0].symbols[n++] = (uint8_t)(run << 4 | size);
	j->ac[0].counts[7] = (uint8_t)n;
}

static void symbol_put(struct writer *s, unsigned run, unsigned size) { bits_put(s, size ? 2 + run * 10 + size - 1 : run == 15, 8); }

/* value: in the order of the file; value[0] is the difference. */
static void block_put(struct writer *s, const int value[64])
{
	unsigned run = 0, last = 63;

	bits_put(s, bits_of(value[0]), 4);
	number_put(s, value[0], bits_of(value[0]));
	while (last && !value[last])
		last--;
	for (unsigned k = 1; k <= last; k++) {
		if (!value[k]) {
			run++;
			continue;
		}
		for (; run > 15; run -= 16)
			symbol_put(s, 15, 0);
		symbol_put(s, run, bits_of(value[k]));
		number_put(s, value[k], bits_of(value[k]));
		run = 0;
	}
	if (last < 63)
		symbol_put(s, 0, 0);
}

/* ---- what it must be ---- */

static int32_t multiplied(int32_t a, int32_t c) { return (int32_t)((uint32_t)a * (uint32_t)c); }
static int32_t sum(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static int32_t difference(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }

/* Eight values, `step` apart, rounded by `bits`. */
static void transform(int32_t *a, unsigned step, unsigned bits)
{
	int32_t v[8], e[4], o[4], out[8];

	for (unsigned i = 0; i < 8; i++)
		v[i] = a[i * step];
	const int32_t t = multiplied(sum(v[2], v[6]), 4433), s = multiplied(sum(sum(v[7], v[3]), sum(v[5], v[1])), 9633);
	const int32_t e0 = multiplied(sum(v[0], v[4]), 8192), e1 = multiplied(difference(v[0], v[4]), 8192);
	const int32_t e2 = difference(t, multiplied(v[6], 15137)), e3 = sum(t, multiplied(v[2], 6270));
	const int32_t z1 = multiplied(sum(v[7], v[1]), -7373), z2 = multiplied(sum(v[5], v[3]), -20995);
	const int32_t z3 = difference(s, multiplied(sum(v[7], v[3]), 16069)), z4 = difference(s, multiplied(sum(v[5], v[1]), 3196));

	o[0] = sum(sum(multiplied(v[1], 12299), z1), z4);
	o[1] = sum(sum(multiplied(v[3], 25172), z2), z3);
	o[2] = sum(sum(multiplied(v[5], 16819), z2), z4);
	o[3] = sum(sum(multiplied(v[7], 2446), z1), z3);
	e[0] = sum(e0, e3);
	e[1] = sum(e1, e2);
	e[2] = difference(e1, e2);
	e[3] = difference(e0, e3);
	for (unsigned i = 0; i < 4; i++) {
		out[i] = sum(e[i], o[i]);
		out[7 - i] = difference(e[i], o[i]);
	}
	for (unsigned i = 0; i < 8; i++)
		a[i * step] = sum(out[i], 1 << (bits - 1)) >> bits;
}

static void samples(const int16_t coefficient[64], uint8_t *out, uint32_t pitch)
{
	int32_t v[64];

	for (unsigned i = 0; i < 64; i++)
		v[i] = coefficient[i];
	for (unsigned x = 0; x < 8; x++)
		transform(v + x, 8, 11);
	for (unsigned i = 0; i < 64; i++)
		v[i] = (int32_t)predict_clamp(v[i], INT16_MIN, INT16_MAX);
	for (unsigned y = 0; y < 8; y++)
		transform(v + 8 * y, 1, 18);
	for (unsigned i = 0; i < 64; i++)
		out[i / 8 * pitch + i % 8] = (uint8_t)predict_clamp((int64_t)v[i] + 128, 0, 255);
}

/* ---- pictures ---- */

static unsigned below(unsigned n) { return (unsigned)random_below(n); }

/* A random number of at most so many bits, often a large one. */
static int number(unsigned bits)
{
	const int v = (int)below(1u << (below(3) ? below(bits + 1) : bits));

	return below(2) ? v : -v;
}

static struct media_jpeg *gray(struct world *w, uint32_t width, uint32_t height)
{
	struct media_jpeg *j = (struct media_jpeg *)(w->bytes + JPEG);

	memset(j, 0, sizeof(*j));
	j->stream = BASE + STREAM;
	j->width = width;
	j->height = height;
	j->components = 1;
	j->component[0].h = j->component[0].v = 1;
	j->dst = (struct media_surface){ width, height, 0, { { BASE + DST, width + 8, 1, 0, 0, 8 } } };
	tables_set(j);
	return j;
}

static struct media_result run(struct world *w)
{
	const union packet p = packet_jpeg(BASE + JPEG);

	world_give(w);
	return run_packet(w, &p, ASID, 5000);
}

/* Pictures of a few blocks: sparse ones, full ones, ones whose products and sums pass 16 bits. */
static void test_random(void **state)
{
	struct world *w = world_create("mini", BUS_FUNCTIONAL, false);
	unsigned wrapped = 0, clamped = 0;

	(void)state;
	for (unsigned n = 0; n < (check_long() ? 2000 : 200); n++) {
		const uint32_t across = 1 + below(12), down = 1 + below(6), kind = below(4);
		struct media_jpeg *j = gray(w, 8 * across - below(8), 8 * down - below(8));
		struct writer s = { .bytes = w->bytes + STREAM, .fill = true };
		static uint8_t picture[48][96];
		int16_t predicted = 0;

		for (unsigned i = 0; i < 64; i++)
			j->quant[0][i] = (uint8_t)(kind == 0 ? 1 : kind == 1 ? 255 : random_next());
		for (uint32_t b = 0; b < across * down; b++) {
			int value[64] = { number(11) };
			int16_t coefficient[64] = { 0 };

			if (kind == 3 && below(4)) /* in one direction, past 16 bits */
				value[0] = 2047;
			for (unsigned k = 1; k < 64; k++)
				value[k] = below(8) && kind != 2 ? 0 : number(10);
			block_put(&s, value);
			wrapped += predicted + value[0] != (int16_t)(predicted + value[0]);
			predicted = (int16_t)(predicted + value[0]);
			value[0] = predicted;
			for (unsigned k = 0; k < 64; k++) {
				const int64_t product = (int64_t)value[k] * j->quant[0][k];

				clamped += product != (int16_t)product;
				coefficient[zigzag[k]] = (int16_t)predict_clamp(product, INT16_MIN, INT16_MAX);
			}
			samples(coefficient, &picture[b / across * 8][b % across * 8], sizeof(picture[0]));
		}
		stream_end(&s);
		j->stream_bytes = s.count;
		assert_int_equal(run(w).code, FAULT_NONE);
		for (uint32_t y = 0; y < j->height; y++)
			memcpy(w->bytes + DST + y * j->dst.component[0].pitch, picture[y], j->width);
		world_check(w);
	}
	assert_true(wrapped && clamped > 100);
	world_destroy(w);
}

/* ---- what is no block ---- */

/* One block of the stream that the symbols begin, which are given with what follows them. */
static void test_limits(void **state)
{
	struct world *w = world_create("mini", BUS_FUNCTIONAL, false);
	static const struct { uint8_t dc, ac[4]; bool good; } cases[] = {
		{ 11, { 0x00 }, true }, { 12, { 0x00 }, false }, { 0, { 0x0a, 0x00 }, true }, { 0, { 0x0b, 0x00 }, false }, { 0, { 0x0f, 0x00 }, false },
		{ 0, { 0xf0, 0xf0, 0xf0, 0xe1 }, true },  /* the 64th is the last: no end follows */
		{ 0, { 0xf0, 0xf0, 0xf0, 0xf1 }, false }, /* the 65th */
		{ 0, { 0xf0, 0xf0, 0xf0, 0xf0 }, false },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct media_jpeg *j = gray(w, 8, 8);
		struct writer s = { .bytes = w->bytes + STREAM };

		memset(&j->dc[0], 0, sizeof(j->dc[0]));
		memset(&j->ac[0], 0, sizeof(j->ac[0]));
		j->dc[0].counts[7] = j->ac[0].counts[7] = 254; /* a symbol's code is the symbol */
		for (unsigned k = 0; k < 254; k++)
			j->dc[0].symbols[k] = j->ac[0].symbols[k] = (uint8_t)k;
		bits_put(&s, cases[i].dc, 8);
		bits_put(&s, 0, cases[i].dc);
		for (unsigned k = 0; k < 4 && (!k || cases[i].ac[k - 1]); k++) { /* up to the end of the block */
			bits_put(&s, cases[i].ac[k], 8);
			bits_put(&s, 0, cases[i].ac[k] & 15);
		}
		stream_end(&s);
		for (unsigned k = 0; k < 8; k++)
			s.bytes[s.count++] = 0;
		j->stream_bytes = s.count;
		const struct media_result r = run(w);
		if (r.code != (cases[i].good ? FAULT_NONE : FAULT_BAD_STREAM))
			fail_msg("case %u: %u", i, r.code);
		assert_int_equal(r.progress, cases[i].good ? 64 : 0);
	}
	world_destroy(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_limits),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
