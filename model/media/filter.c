#include "model/media/filter.h"
#include <string.h>

static int32_t clamp(int64_t v, int64_t low, int64_t high) { return (int32_t)(v < low ? low : v > high ? high : v); }
static int16_t rounded(int64_t sum) { return (int16_t)clamp((sum + MEDIA_WEIGHT_ONE / 2) >> MEDIA_WEIGHT_BITS, INT16_MIN, INT16_MAX); }

static int16_t rounded32(int32_t sum)
{
	const int32_t v = (sum + MEDIA_WEIGHT_ONE / 2) >> MEDIA_WEIGHT_BITS;

	return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
}

uint32_t filter_make(struct filter *f, const uint8_t *table, uint32_t count, uint32_t taps)
{
	const uint32_t bytes = filter_entry_bytes(taps);

	f->count = count;
	f->taps = taps;
	f->identity = taps == 1;
	f->narrow = true;
	for (uint32_t i = 0; i < count; i++, table += bytes) {
		int16_t *w = f->weights + (size_t)i * taps;
		int32_t sum = 0, all = 0;

		memcpy(&f->first[i], table, 4);
		memcpy(w, table + 4, 2 * taps);
		for (uint32_t k = 0; k < taps; k++) {
			sum += w[k];
			all += w[k] < 0 ? -w[k] : w[k];
		}
		if (sum != MEDIA_WEIGHT_ONE)
			return i;
		f->narrow &= all <= UINT16_MAX; /* times 32768, and the rounding */
		/* whatever lies farther outside repeats the same sample */
		f->first[i] = clamp(f->first[i], -FILTER_PAD, MEDIA_SIZE_MAX);
		f->identity &= f->first[i] == f->first[0] + (int32_t)i;
	}
	return count;
}

void filter_range(const struct filter *f, uint32_t from, uint32_t to, uint32_t n, uint32_t *first, uint32_t *last)
{
	int32_t low = INT32_MAX, high = INT32_MIN;

	for (uint32_t i = from; i < to; i++) {
		low = f->first[i] < low ? f->first[i] : low;
		high = f->first[i] > high ? f->first[i] : high;
	}
	*first = (uint32_t)clamp(low, 0, n - 1);
	*last = (uint32_t)clamp((int64_t)high + f->taps - 1, 0, n - 1);
}

/* taps is a number where it is known, so that the loop over them goes away. */
static inline __attribute__((always_inline)) void along(const struct filter *f, uint32_t count, const int16_t *in, int32_t last, int16_t *out,
							 uint32_t taps)
{
	const int16_t *w = f->weights;

	for (uint32_t i = 0; i < count; i++, w += taps) {
		const int16_t *s = in + (f->first[i] < last ? f->first[i] : last);
		int32_t sum = 0;

		for (uint32_t k = 0; k < taps; k++)
			sum += w[k] * s[k];
		out[i] = rounded32(sum);
	}
}

static void along_wide(const struct filter *f, uint32_t count, const int16_t *in, int32_t last, int16_t *out)
{
	const int16_t *w = f->weights;

	for (uint32_t i = 0; i < count; i++, w += f->taps) {
		const int16_t *s = in + (f->first[i] < last ? f->first[i] : last);
		int64_t sum = 0;

		for (uint32_t k = 0; k < f->taps; k++)
			sum += w[k] * s[k];
		out[i] = rounded(sum);
	}
}

void filter_along(const struct filter *f, uint32_t count, const int16_t *in, uint32_t n, int16_t *out)
{
	const int32_t last = (int32_t)n - 1;

	if (f->identity && f->first[0] + (int64_t)count - 1 <= last) {
		memcpy(out, in + f->first[0], count * sizeof(*out));
		return;
	}
	if (!f->narrow) {
		along_wide(f, count, in, last, out);
		return;
	}
	switch (f->taps) {
	case 1: along(f, count, in, last, out, 1); break;
	case 2: along(f, count, in, last, out, 2); break;
	case 4: along(f, count, in, last, out, 4); break;
	case 6: along(f, count, in, last, out, 6); break;
	case 8: along(f, count, in, last, out, 8); break;
	default: along(f, count, in, last, out, f->taps); break;
	}
}

enum { BLOCK = 256 }; /* samples whose sums stay in the host's cache */

static void across(const int16_t *w, uint32_t taps, const int16_t *const rows[], uint32_t at, uint32_t n, int16_t *out)
{
	int32_t sum[BLOCK];

	for (uint32_t i = 0; i < n; i++)
		sum[i] = w[0] * rows[0][at + i];
	for (uint32_t k = 1; k < taps; k++)
		for (uint32_t i = 0; i < n; i++)
			sum[i] += w[k] * rows[k][at + i];
	for (uint32_t i = 0; i < n; i++)
		out[at + i] = rounded32(sum[i]);
}

void filter_across(const struct filter *f, uint32_t entry, const int16_t *const rows[], uint32_t count, int16_t *out)
{
	const int16_t *w = f->weights + (size_t)entry * f->taps;

	if (f->taps == 1) { /* its weight is one */
		memcpy(out, rows[0], count * sizeof(*out));
		return;
	}
	for (uint32_t at = 0; f->narrow && at < count; at += BLOCK)
		across(w, f->taps, rows, at, count - at < BLOCK ? count - at : BLOCK, out);
	for (uint32_t i = 0; !f->narrow && i < count; i++) {
		int64_t sum = 0;

		for (uint32_t k = 0; k < f->taps; k++)
			sum += w[k] * rows[k][i];
		out[i] = rounded(sum);
	}
}
