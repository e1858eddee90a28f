/* Filters are those of ffmpeg's swscale: a kernel that is as many times wider as the picture becomes smaller, with weights whose sum is one. */
#include "base/hold.h"
#include "runtime/vaapi/filter.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct filter {
	struct filter *next; /* used before */
	struct filter_key key;
	unsigned refs;
	uint32_t taps;
	struct umd_bo *bo;
};
enum { KEPT = 96 };

/* ---- kernels ---- */
/* Half of the width, in samples of the source where these are no more than the destination's. */
static const unsigned reach[] = {[KERNEL_NEAREST] = 1, [KERNEL_BILINEAR] = 1, [KERNEL_BICUBIC] = 2};

unsigned kernel_most(enum kernel k) { return k == KERNEL_NEAREST ? MEDIA_SIZE_MAX : MEDIA_TAPS_MAX / (2 * reach[k]); }

/* Bicubic: of Mitchell and Netravali's, with B = 0 and C = 0.6. */
static double weight(enum kernel k, double distance)
{
	const double C = 0.6, d = fabs(distance);
	if (k == KERNEL_BILINEAR)
		return d < 1 ? 1 - d : 0;
	if (d < 1)
		return ((12 - 6 * C) * d * d * d + (-18 + 6 * C) * d * d + 6) / 6;
	return d < 2 ? (-6 * C * d * d * d + 30 * C * d * d - 48 * C * d + 24 * C) / 6 : 0;
}

/* ---- tables ---- */
/* Where sample i of the destination is, in samples of the source. */
static double position(const struct filter_key *k, uint32_t i)
{
	const double pixel = (double)((uint64_t)i << k->dst_shift) + k->dst_first + k->dst_site / 2.0;
	const double source = (pixel + 0.5) * k->src_size / k->dst_size - 0.5 - k->src_first;
	return (source - k->src_site / 2.0) / (1u << k->src_shift);
}

/* Samples of the source for one of the destination; */
static double exact_ratio(const struct filter_key *k) { return (double)k->src_size / k->dst_size * (1u << k->dst_shift) / (1u << k->src_shift); }

/* 1 where there are fewer of them. */
static double ratio(const struct filter_key *k) { return exact_ratio(k) > 1 ? exact_ratio(k) : 1; }

/* swscale rounds the place of its first tap towards 0: where that lies between samples -1 and 0, sample -1 has no tap. Its places are multiples
 * of a step that is rounded to 1 / 65536. */
static bool left_out(const struct filter_key *k, double at, int32_t sample)
{
	const double size = 1 + ceil(2 * reach[k->kernel] * ratio(k)), step = exact_ratio(k), rounded = floor(step * 65536 + 0.5) / 65536;
	const double start = (at + 0.5) * rounded / step - 0.5 - (size - 2) / 2;
	return sample == -1 && start > -1 && start < 0;
}

/* Sums to one: what rounding leaves over is carried from tap to tap. */
static void weights(const struct filter_key *k, double at, int32_t first, uint32_t taps, int16_t *out)
{
	double w[MEDIA_TAPS_MAX], sum = 0, carry = 0;
	for (uint32_t t = 0; t < taps; t++)
		sum += w[t] = left_out(k, at, first + (int32_t)t) ? 0 : weight(k->kernel, (first + (int32_t)t - at) / ratio(k));
	for (uint32_t t = 0; t < taps; t++) {
		const double exact = w[t] / sum * MEDIA_WEIGHT_ONE + carry;
		out[t] = (int16_t)lrint(exact);
		carry = exact - out[t];
	}
}

static int32_t first_of(const struct filter_key *k, double at)
{
	if (k->kernel == KERNEL_NEAREST)
		return (int32_t)floor(at + 0.5);
	return (int32_t)floor(at - reach[k->kernel] * ratio(k)) + 1;
}

static bool is_identity(const struct filter_key *k)
{
	return k->src_size == k->dst_size && k->src_shift == k->dst_shift && position(k, 0) == floor(position(k, 0));
}

static uint32_t taps_of(const struct filter_key *k)
{
	if (k->kernel == KERNEL_NEAREST || is_identity(k))
		return 1;
	const uint32_t taps = (uint32_t)ceil(2 * reach[k->kernel] * ratio(k));
	return taps < MEDIA_TAPS_MAX ? taps : MEDIA_TAPS_MAX;
}

static size_t entry_bytes(uint32_t taps) { return sizeof(int32_t) + (taps * sizeof(int16_t) + 3) / 4 * 4; }

static void table_fill(const struct filter_key *k, uint32_t taps, uint8_t *table)
{
	for (uint32_t i = 0; i < k->count; i++, table += entry_bytes(taps)) {
		const double at = position(k, i);
		const int32_t first = taps == 1 ? (int32_t)floor(at + 0.5) : first_of(k, at);
		int16_t w[MEDIA_TAPS_MAX] = {MEDIA_WEIGHT_ONE};
		if (taps > 1)
			weights(k, at, first, taps, w);
		memcpy(table, &first, sizeof first);
		memcpy(table + sizeof first, w, taps * sizeof *w);
	}
}

/* ---- those that are kept ---- */
static struct filter *find(struct display *d, const struct filter_key *k)
{
	HOLDING(&d->lock);
	for (struct filter **at = &d->filters, *f; (f = *at); at = &f->next) {
		if (memcmp(&f->key, k, sizeof *k))
			continue;
		*at = f->next;
		f->next = d->filters;
		d->filters = f;
		f->refs++;
		return f;
	}
	return NULL;
}

static void filter_free(struct filter *f)
{
	umd_bo_release(f->bo);
	free(f);
}

/* The one that was used longest ago goes, if there are many. */
static void keep(struct display *d, struct filter *f)
{
	struct filter **oldest = NULL, *gone = NULL;
	unsigned n = 0;
	HOLDING(&d->lock);
	f->next = d->filters;
	d->filters = f;
	for (struct filter **at = &d->filters; *at; at = &(*at)->next, n++)
		if (!(*at)->refs)
			oldest = at;
	if (n > KEPT && oldest) {
		gone = *oldest;
		*oldest = gone->next;
		filter_free(gone);
	}
}

static VAStatus make(struct display *d, const struct filter_key *k, struct filter **out)
{
	struct filter *f = calloc(1, sizeof *f);
	if (!f)
		return VA_STATUS_ERROR_ALLOCATION_FAILED;
	*f = (struct filter){.key = *k, .refs = 1, .taps = taps_of(k)};
	const VAStatus status = driver_status(umd_bo_create(d->space, d->device, k->count * entry_bytes(f->taps), KMD_BO_SYSTEM | KMD_BO_UNCACHED, &f->bo));
	if (status) {
		free(f);
		return status;
	}
	table_fill(k, f->taps, umd_bo_cpu(f->bo));
	keep(d, f);
	*out = f;
	return VA_STATUS_SUCCESS;
}

VAStatus filter_get(struct display *d, const struct filter_key *k, struct media_filter *out, struct filter **f)
{
	*f = find(d, k);
	if (!*f)
		TRY(make(d, k, f));
	*out = (struct media_filter){.table = umd_bo_address((*f)->bo), .taps = (*f)->taps};
	return VA_STATUS_SUCCESS;
}

void filter_put(struct display *d, struct filter *f)
{
	HOLDING(&d->lock);
	f->refs--;
}

void filters_drop(struct display *d)
{
	for (struct filter *f; (f = d->filters);) {
		d->filters = f->next;
		filter_free(f);
	}
}
