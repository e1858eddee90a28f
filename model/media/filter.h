/* The two filters of the media unit. Samples are 16 bits less 32768, so that they are signed; as the weights of a sample add up to
 * one, that changes nothing else. */
#ifndef GALENA_MODEL_MEDIA_FILTER_H
#define GALENA_MODEL_MEDIA_FILTER_H
#include "abi/media.h"
#include <stdbool.h>
#include <stdint.h>

enum {
	FILTER_PAD = MEDIA_TAPS_MAX, /* samples on either side of a row that repeat its first and last */
	FILTER_BIAS = 32768,
	FILTER_ENTRY_MAX = 4 + 2 * MEDIA_TAPS_MAX,
};

/* A table, taken apart. */
struct filter {
	uint32_t count; /* samples that it makes */
	uint32_t taps;
	bool identity;  /* sample i is sample i + first[0] of the source */
	bool narrow;    /* sums fit 32 bits */
	int32_t first[MEDIA_SIZE_MAX]; /* at most FILTER_PAD outside of any source */
	int16_t weights[MEDIA_SIZE_MAX * MEDIA_TAPS_MAX];
};

/* Bytes of an entry of a table. */
static inline uint32_t filter_entry_bytes(uint32_t taps) { return (4 + 2 * taps + 3) & ~3u; }
/* Takes count entries of taps weights apart. Returns the first entry whose weights do not add up to one, or count. */
uint32_t filter_make(struct filter *, const uint8_t *table, uint32_t count, uint32_t taps);
/* The samples of a source that has n of them which the entries [from, to) need: *first and *last, both in the source. */
void filter_range(const struct filter *, uint32_t from, uint32_t to, uint32_t n, uint32_t *first, uint32_t *last);
/* Makes the first count samples of a row of n samples at in, which has FILTER_PAD more on either side. */
void filter_along(const struct filter *, uint32_t count, const int16_t *in, uint32_t n, int16_t *out);
/* Makes count samples of entry of taps rows. */
void filter_across(const struct filter *, uint32_t entry, const int16_t *const rows[], uint32_t count, int16_t *out);

#endif
