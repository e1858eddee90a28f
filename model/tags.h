/* Tags of a set-associative cache that replaces what was used longest ago: which lines are in it, no data.
 *
 * The fields of all sets lie side by side, as streams go through sets in order. The ways of a set are in a ring, from
 * the one used last to the one used longest ago, so that a miss takes one turn of the ring and looks at no other way. Of
 * each way there is a byte of its line's number: eight of them are compared at once. */
#ifndef GALENA_MODEL_TAGS_H
#define GALENA_MODEL_TAGS_H
#include <stdbool.h>
#include <stdint.h>

enum { TAGS_MAX_WAYS = 32 };

struct tags {
	uint32_t sets, ways; /* powers of two */
	uint32_t set_shift;  /* the logarithm of sets */
	uint32_t words;      /* of signs, a set */
	uint64_t *lines;     /* a way each: line number + 1; 0 when empty */
	uint64_t *signs;     /* a byte a way */
	uint8_t *older;      /* a way each: the way used next before it; of the one used longest ago, the one used last */
	uint8_t *newer;      /* the other way round */
	uint8_t *last;       /* a set each: the way used last */
	uint32_t *dirty;     /* a set each, a bit a way */
};

/* All empty. False when there is no memory. */
bool tags_init(struct tags *, uint32_t sets, uint32_t ways);
void tags_fini(struct tags *);

static inline uint64_t tags_sign(const struct tags *t, uint64_t line) { return line >> t->set_shift & 0xff; }

/* The way that has the line, or t->ways. */
static inline uint32_t tags_find(const struct tags *t, uint64_t line)
{
	const uint64_t low = 0x0101010101010101ull, set = line & (t->sets - 1);
	const uint64_t *lines = t->lines + set * t->ways, *signs = t->signs + set * t->words;

	for (uint32_t w = 0; w < t->words; w++) {
		uint64_t differ = signs[w] ^ low * tags_sign(t, line);
		/* the high bit of each byte that is 0, and perhaps of one above it */
		uint64_t same = (differ - low) & ~differ & low << 7;

		for (; same; same &= same - 1) {
			uint32_t way = 8 * w + (uint32_t)__builtin_ctzll(same) / 8;

			if (way < t->ways && lines[way] == line + 1)
				return way;
		}
	}
	return t->ways;
}

static inline bool tags_has(const struct tags *t, uint64_t line) { return tags_find(t, line) < t->ways; }

/* The line is used, and written; false when it is not there. */
static inline bool tags_use(struct tags *t, uint64_t line, bool write)
{
	uint64_t set = line & (t->sets - 1);
	uint8_t *older = t->older + set * t->ways, *newer = t->newer + set * t->ways;
	uint32_t way = tags_find(t, line), last = t->last[set], oldest;

	if (way == t->ways)
		return false;
	t->dirty[set] |= (uint32_t)write << way;
	if (way == last)
		return true;
	older[newer[way]] = older[way]; /* out of the ring, and in between the last and the oldest */
	newer[older[way]] = newer[way];
	oldest = newer[last];
	newer[way] = (uint8_t)oldest;
	older[oldest] = (uint8_t)way;
	older[way] = (uint8_t)last;
	newer[last] = (uint8_t)way;
	t->last[set] = (uint8_t)way;
	return true;
}

/* The dirty line that leaves when this one is brought in, + 1; 0 for none. */
static inline uint64_t tags_evicts(const struct tags *t, uint64_t line)
{
	uint64_t set = line & (t->sets - 1);
	uint32_t way = t->newer[set * t->ways + t->last[set]];

	return t->dirty[set] >> way & 1 ? t->lines[set * t->ways + way] : 0;
}

/* Brings in a line that is not there; returns tags_evicts. */
static inline uint64_t tags_bring(struct tags *t, uint64_t line, bool write)
{
	uint64_t set = line & (t->sets - 1), evicted = tags_evicts(t, line);
	uint32_t way = t->newer[set * t->ways + t->last[set]], shift = way % 8 * 8;
	uint64_t *sign = t->signs + set * t->words + way / 8;

	t->last[set] = (uint8_t)way;
	t->lines[set * t->ways + way] = line + 1;
	*sign = (*sign & ~(0xffull << shift)) | tags_sign(t, line) << shift;
	t->dirty[set] = (t->dirty[set] & ~(1u << way)) | (uint32_t)write << way;
	return evicted;
}

#endif
