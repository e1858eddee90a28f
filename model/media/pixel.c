#include "model/media/pixel.h"
#include "model/media/filter.h"

/* step is a number where it is known: such loops are the fast ones. */
static inline __attribute__((always_inline)) void unpack8(const uint8_t *bytes, uint32_t step, uint32_t n, int16_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = (int16_t)((bytes[(uint64_t)i * step] << 8) - FILTER_BIAS);
}

static inline __attribute__((always_inline)) void unpack10(const uint8_t *bytes, uint32_t step, uint32_t n, int16_t *out)
{
	for (uint32_t i = 0; i < n; i++, bytes += step)
		out[i] = (int16_t)(((bytes[0] & 0xc0) | bytes[1] << 8) - FILTER_BIAS);
}

void pixel_unpack(const uint8_t *bytes, uint32_t step, unsigned bits, uint32_t n, int16_t *out)
{
	switch (bits << 4 | step) {
	case 8 << 4 | 1: unpack8(bytes, 1, n, out); break;
	case 8 << 4 | 2: unpack8(bytes, 2, n, out); break;
	case 8 << 4 | 4: unpack8(bytes, 4, n, out); break;
	case 10 << 4 | 2: unpack10(bytes, 2, n, out); break;
	case 10 << 4 | 4: unpack10(bytes, 4, n, out); break;
	default:
		if (bits == 8)
			unpack8(bytes, step, n, out);
		else
			unpack10(bytes, step, n, out);
	}
}

static inline __attribute__((always_inline)) void pack8(const int16_t *in, uint32_t step, uint32_t n, uint8_t *bytes)
{
	for (uint32_t i = 0; i < n; i++) {
		const int v = (in[i] + FILTER_BIAS + 128) >> 8;

		bytes[(uint64_t)i * step] = (uint8_t)(v > 255 ? 255 : v);
	}
}

static inline __attribute__((always_inline)) void pack10(const int16_t *in, uint32_t step, uint32_t n, uint8_t *bytes)
{
	for (uint32_t i = 0; i < n; i++, bytes += step) {
		const int rounded = (in[i] + FILTER_BIAS + 32) >> 6, v = (rounded > 1023 ? 1023 : rounded) << 6;

		bytes[0] = (uint8_t)v;
		bytes[1] = (uint8_t)(v >> 8);
	}
}

void pixel_pack(const int16_t *in, uint32_t step, unsigned bits, uint32_t n, uint8_t *bytes)
{
	switch (bits << 4 | step) {
	case 8 << 4 | 1: pack8(in, 1, n, bytes); break;
	case 8 << 4 | 2: pack8(in, 2, n, bytes); break;
	case 8 << 4 | 4: pack8(in, 4, n, bytes); break;
	case 10 << 4 | 2: pack10(in, 2, n, bytes); break;
	case 10 << 4 | 4: pack10(in, 4, n, bytes); break;
	default:
		if (bits == 8)
			pack8(in, step, n, bytes);
		else
			pack10(in, step, n, bytes);
	}
}

void pixel_fill(int16_t *out, uint32_t n, int16_t value)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = value;
}

/* ---- matrix ---- */

void matrix_make(struct matrix *m, const int32_t weight[3][4])
{
	for (unsigned i = 0; i < 3; i++) {
		int64_t all = 0, sum = 0, most;

		for (unsigned k = 0; k < 4; k++)
			m->weight[i][k] = weight[i][k];
		for (unsigned k = 0; k < 3; k++) {
			sum += weight[i][k];
			all += weight[i][k] < 0 ? -(int64_t)weight[i][k] : weight[i][k];
		}
		m->constant[i] = weight[i][3] + FILTER_BIAS * (sum - MEDIA_WEIGHT_ONE) + MEDIA_WEIGHT_ONE / 2;
		most = FILTER_BIAS * all + (m->constant[i] < 0 ? -m->constant[i] : m->constant[i]);
		m->narrow[i] = most <= INT32_MAX;
	}
}

static inline int16_t clamp16(int64_t v) { return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v); }

/* All three are there, and all sums fit 32 bits. */
static void matrix_narrow(const int32_t w[4], int32_t constant, const int16_t *const in[3], uint32_t n, int16_t *out)
{
	const int16_t *a = in[0], *b = in[1], *c = in[2];

	for (uint32_t i = 0; i < n; i++) {
		const int32_t v = (w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + constant) >> MEDIA_WEIGHT_BITS;

		out[i] = (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
	}
}

void matrix_row(const struct matrix *m, unsigned i, const int16_t *const in[3], uint32_t n, int16_t *out)
{
	if (m->narrow[i] && in[0] && in[1] && in[2]) {
		matrix_narrow(m->weight[i], (int32_t)m->constant[i], in, n, out);
		return;
	}
	for (uint32_t x = 0; x < n; x++) {
		int64_t sum = m->constant[i];

		for (unsigned k = 0; k < 3; k++)
			sum += (int64_t)m->weight[i][k] * (in[k] ? in[k][x] : -FILTER_BIAS);
		out[x] = clamp16(sum >> MEDIA_WEIGHT_BITS);
	}
}

/* ---- blend ---- */

void pixel_opacity(const int16_t *source, uint32_t alpha, uint32_t n, uint8_t *out)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t rounded = source ? (uint32_t)(source[i] + FILTER_BIAS + 128) >> 8 : 255, s = rounded > 255 ? 255 : rounded;

		out[i] = (uint8_t)((alpha * s + 127) / 255);
	}
}

void pixel_blend(int16_t *over, const int16_t *below, const uint8_t *opacity, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t a = opacity[i], s = (uint32_t)(over[i] + FILTER_BIAS), d = (uint32_t)(below[i] + FILTER_BIAS);

		over[i] = (int16_t)((int32_t)((s * a + d * (255 - a) + 127) / 255) - FILTER_BIAS);
	}
}
