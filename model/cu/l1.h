/* The L1 data cache of a compute unit: tags and times; what its lines hold, with the parameter l1_data, is in l1_data.c. It is
 * physically tagged, write-through, LRU, without allocation on a write. It is emptied when a dispatch begins, so that what others
 * wrote in between is seen. */
#ifndef GALENA_MODEL_L1_H
#define GALENA_MODEL_L1_H
#include "model/cu/coalescer.h"
#include "model/cu/l1_data.h"
#include "model/mem/charges.h"
#include "model/mem/l2.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

enum { L1_WAYS = 16 /* at most */, L1_VECTOR = 8 /* ways that are compared at once */ };

struct l1 {
	uint64_t *tag;            /* line number + 1; 0: empty. stride of them are a set */
	uint64_t *used;           /* LRU stamp, a multiple of L1_WAYS, + way; of ways that are not there UINT64_MAX */
	uint64_t *filled;         /* sets with a line that has been brought in since it was emptied, a bit each */
	uint64_t last_set, stamp;
	uint64_t emptied;         /* the stamp when it was emptied */
	uint32_t stride, ways;
	uint32_t latency, line_bytes;
	struct l2 *l2;            /* what misses and writes go to */
	uint64_t owner;           /* serial number of the dispatch that it was emptied for */
	uint64_t hit, miss;
	struct l1_data *data;     /* NULL: tags alone */
};

/* False when there is no memory. */
bool l1_init(struct l1 *, const struct device_config *, struct l2 *);
void l1_fini(struct l1 *);
/* Empties it for a dispatch, once. */
void l1_invalidate(struct l1 *, uint64_t owner);
void l1_empty(struct l1 *);

/* Which of L1_VECTOR numbers are x. */
INLINE uint32_t ways_equal(const uint64_t *ways, uint64_t x)
{
#if defined(__AVX512F__)
	return _mm512_cmpeq_epi64_mask(_mm512_load_si512(ways), _mm512_set1_epi64((long long)x));
#elif defined(__AVX2__)
	const __m256i *v = (const __m256i *)(const void *)ways, y = _mm256_set1_epi64x((long long)x);
	__m256i low = _mm256_cmpeq_epi64(_mm256_load_si256(v), y), high = _mm256_cmpeq_epi64(_mm256_load_si256(v + 1), y);
	return (uint32_t)(_mm256_movemask_pd((__m256d)low) | _mm256_movemask_pd((__m256d)high) << 4);
#else
	uint32_t m = 0;
	for (unsigned i = 0; i < L1_VECTOR; i++)
		m |= (uint32_t)(ways[i] == x) << i;
	return m;
#endif
}

INLINE uint64_t ways_least(const uint64_t *ways)
{
#if defined(__AVX512F__)
	return _mm512_reduce_min_epu64(_mm512_load_si512(ways));
#else
	uint64_t least = ways[0];
	for (unsigned i = 1; i < L1_VECTOR; i++)
		least = ways[i] < least ? ways[i] : least;
	return least;
#endif
}

/* The least recently used way of a set gives way to the line. */
INLINE void l1_fill(const struct l1 *l1, size_t set, uint64_t line)
{
	const uint64_t number = line & l1->last_set;
	uint64_t least = ways_least(l1->used + set), other;
	l1->filled[number / 64] |= 1ull << number % 64;
	if (__builtin_expect(l1->stride > L1_VECTOR, 0)) {
		other = ways_least(l1->used + set + L1_VECTOR);
		least = other < least ? other : least;
	}
	uint64_t victim = least % L1_WAYS;
	l1->tag[set + victim] = line + 1;
	l1->used[set + victim] = l1->stamp + victim;
}

/* Whether the line is there; it is then, if asked to be allocated. Callers with several lines work on a copy of the
 * struct, which stays in registers, and put back the stamp. */
INLINE bool l1_lookup(struct l1 *l1, uint64_t line, bool allocate)
{
	size_t set = (size_t)(line & l1->last_set) * l1->stride;
	l1->stamp += L1_WAYS;
	for (uint32_t i = 0; i < l1->stride; i += L1_VECTOR) {
		uint32_t hit = ways_equal(l1->tag + set + i, line + 1);
		if (__builtin_expect(hit != 0, 1)) {
			uint32_t way = i + (uint32_t)__builtin_ctz(hit);
			l1->used[set + way] = l1->stamp + way;
			return true;
		}
	}
	if (allocate)
		l1_fill(l1, set, line);
	return false;
}

/* A load finds the line, and has read memory all the same: that was charged when the line was brought in. */
INLINE void l1_pay(const struct l1 *l1, uint64_t line) { charges_pay(line * l1->line_bytes, l1->line_bytes, l1->line_bytes, false); }

/* Loads lines, one a cycle from cycle now on, at least one; returns the cycle at which all are there. looked_up: which of them
 * were there is known. */
INLINE uint64_t l1_load_lines(struct l1 *cache, const struct coalescer *c, uint64_t now, const bool looked_up)
{
	struct l1 l1 = *cache;
	uint64_t hit = now + l1.latency, end, at[ACCESS_LINES], line[ACCESS_LINES];
	uint32_t n = c->num_lines, misses = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (__builtin_expect(looked_up ? l1_data_hit(&l1, i) : l1_lookup(&l1, c->lines[i], true), 1)) {
			if (!looked_up) /* where it has data, those are not memory's */
				l1_pay(&l1, c->lines[i]);
			continue;
		}
		line[misses] = c->lines[i];
		at[misses++] = hit + i;
	}
	cache->stamp = l1.stamp;
	cache->hit += n - misses;
	hit += n - 1; /* of the last line; if it is none, it takes longer */
	if (__builtin_expect(!misses, 1))
		return hit;
	cache->miss += misses;
	end = l2_access_lines(l1.l2, at, line, misses, l1.line_bytes, false);
	return end > hit ? end : hit;
}

INLINE uint64_t l1_load(struct l1 *l1, const struct coalescer *c, uint64_t now)
{
	if (__builtin_expect(!l1->data, 1))
		return l1_load_lines(l1, c, now, false);
	const uint64_t end = l1_load_lines(l1, c, now, true);
	l1_data_end(l1);
	return end;
}

/* Writes lines, bytes of each; returns the cycle at which all are accepted. */
INLINE uint64_t l1_store(struct l1 *cache, const struct coalescer *c, uint64_t now, uint32_t bytes)
{
	struct l1 l1 = *cache;
	uint64_t at[ACCESS_LINES];
	for (uint32_t i = 0; i < c->num_lines; i++) {
		l1_lookup(&l1, c->lines[i], false);
		at[i] = now + i;
	}
	cache->stamp = l1.stamp;
	return l2_access_lines(l1.l2, at, c->lines, c->num_lines, bytes, true);
}

/* Lines on which this many lanes do atomics: at the L2, the lanes of a line one after the other. */
INLINE uint64_t l1_atomic(const struct l1 *l1, const struct coalescer *c, uint64_t now, uint32_t lanes)
{
	uint64_t at[ACCESS_LINES], first = now + l1->latency;
	uint32_t n = c->num_lines;
	for (uint32_t i = 0; i < n; i++)
		at[i] = first + i;
	return l2_atomic_lines(l1->l2, at, c->lines, n) + lanes / n;
}

#endif
