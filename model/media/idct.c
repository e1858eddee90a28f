/* Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT algorithms with 11 multiplications" (1989), in integers of 32 bits:
 * constants have 13 bits behind the point, what lies between the passes has 2. Sums are modulo 2^32. */
#include "model/media/idct.h"

enum { CONSTANT_BITS = 13, BETWEEN_BITS = 2 };

/* 2^13 times: sqrt(2) cos(k pi / 16) and sums of them */
enum {
	C_0_298631336 = 2446,
	C_0_390180644 = 3196,
	C_0_541196100 = 4433,
	C_0_765366865 = 6270,
	C_0_899976223 = 7373,
	C_1_175875602 = 9633,
	C_1_501321110 = 12299,
	C_1_847759065 = 15137,
	C_1_961570560 = 16069,
	C_2_053119869 = 16819,
	C_2_562915447 = 20995,
	C_3_072711026 = 25172,
};

/* Products and sums wrap: inputs are any. */
static inline uint32_t times(uint32_t a, int32_t c) { return a * (uint32_t)c; }
static inline int32_t scaled(uint32_t v, unsigned bits) { return (int32_t)(v + (1u << (bits - 1))) >> bits; }

/* Eight values, the first in in[0], step apart, to eight results, which are 2^13 times too large. */
static inline __attribute__((always_inline)) void transform(const int16_t *in, unsigned step, uint32_t out[8])
{
	const uint32_t i0 = (uint32_t)in[0], i1 = (uint32_t)in[step], i2 = (uint32_t)in[2 * step], i3 = (uint32_t)in[3 * step];
	const uint32_t i4 = (uint32_t)in[4 * step], i5 = (uint32_t)in[5 * step], i6 = (uint32_t)in[6 * step], i7 = (uint32_t)in[7 * step];
	const uint32_t turn = times(i2 + i6, C_0_541196100);
	const uint32_t e2 = turn - times(i6, C_1_847759065), e3 = turn + times(i2, C_0_765366865);
	const uint32_t e0 = (i0 + i4) << CONSTANT_BITS, e1 = (i0 - i4) << CONSTANT_BITS;
	const uint32_t even[4] = { e0 + e3, e1 + e2, e1 - e2, e0 - e3 };
	const uint32_t all = times(i7 + i3 + i5 + i1, C_1_175875602);
	const uint32_t z1 = times(i7 + i1, -C_0_899976223), z2 = times(i5 + i3, -C_2_562915447);
	const uint32_t z3 = times(i7 + i3, -C_1_961570560) + all, z4 = times(i5 + i1, -C_0_390180644) + all;
	const uint32_t odd[4] = { times(i1, C_1_501321110) + z1 + z4, times(i3, C_3_072711026) + z2 + z3,
				  times(i5, C_2_053119869) + z2 + z4, times(i7, C_0_298631336) + z1 + z3 };

	for (unsigned i = 0; i < 4; i++) {
		out[i] = even[i] + odd[i];
		out[7 - i] = even[i] - odd[i];
	}
}

static inline int16_t clamp16(int32_t v) { return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v); }
static inline uint8_t sample(int32_t v) { return (uint8_t)(v < -128 ? 0 : v > 127 ? 255 : v + 128); }

void idct(const int16_t coefficients[64], uint8_t *out, uint32_t pitch)
{
	int16_t between[64];
	uint32_t v[8];

	for (unsigned x = 0; x < 8; x++) {
		const int16_t *in = coefficients + x;

		if (!(in[8] | in[16] | in[24] | in[32] | in[40] | in[48] | in[56])) { /* what the transform would give */
			for (unsigned y = 0; y < 8; y++)
				between[y * 8 + x] = clamp16(in[0] * (1 << BETWEEN_BITS));
			continue;
		}
		transform(in, 8, v);
		for (unsigned y = 0; y < 8; y++)
			between[y * 8 + x] = clamp16(scaled(v[y], CONSTANT_BITS - BETWEEN_BITS));
	}
	for (unsigned y = 0; y < 8; y++, out += pitch) {
		transform(between + y * 8, 1, v);
		for (unsigned x = 0; x < 8; x++)
			out[x] = sample(scaled(v[x], CONSTANT_BITS + BETWEEN_BITS + 3));
	}
}
