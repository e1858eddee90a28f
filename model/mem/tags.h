/* Tags of a set-associative cache that replaces what was used longest ago: which lines are in it, no data.
 *
 * The lines of a set are 32-bit numbers side by side, in one line of the host's cache when there are 16 of them, so that
 * they are compared at once. What else there is of a set is beside it in a second line: of each way a byte, its age, which
 * says how many other ways have been used since; and which ways are dirty.
 *
 * A stream, lines in a row, that has gone through the whole cache has it for itself: then its next line is not there,
 * and evicts the one that lies a cache's size before. So the stream just counts, and the sets are brought up to date
 * when another access uses the cache. */
#ifndef GALENA_MODEL_TAGS_H
#define GALENA_MODEL_TAGS_H
#include <stdbool.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { TAGS_VECTOR = 16 }; /* ways that are compared at once */
#define TAGS_PART 0x80000000u

struct tags {
	uint32_t sets, ways; /* powers of two; at most 32 ways */
	uint32_t room;       /* of a set in lines, TAGS_VECTOR or twice that; ways beyond are never used */
	uint32_t *lines;     /* line number + 1, with TAGS_PART where the line is there in part; 0 when empty */
	uint64_t *marks;     /* room / 4 words a set: ages, eight a word, and then a word of dirty bits */
	bool parts; /* a line has been there in part since all were empty */
	/* the stream in progress */
	uint64_t next;   /* its next line */
	uint64_t run;    /* lines that nothing but it has used the cache for, all whole, all dirty or all clean */
	uint64_t behind; /* the last of these that the sets do not know of yet */
	bool writes;
};

/* What a line is used for: a line that only TAGS_PATCH has used is there in part. */
enum tags_use {
	TAGS_READ,  /* of a byte or more: of a line in part it is a miss that brings in the rest of it */
	TAGS_WRITE, /* of all of it */
	TAGS_PATCH, /* a write of a part of it */
};

/* All empty. False when there is no memory. Lines are numbers below 2^31 - 1. */
bool tags_init(struct tags *, uint32_t sets, uint32_t ways);
void tags_fini(struct tags *);
/* Ends the stream in progress: the sets are up to date. For those who look at them without using a line: before
 * tags_find, tags_has and tags_evicts. */
void tags_synchronise(struct tags *);

static inline uint32_t *tags_lines(const struct tags *t, uint64_t line)
{
	return t->lines + (line & (t->sets - 1)) * t->room;
}

static inline uint64_t *tags_marks(const struct tags *t, uint64_t line)
{
	return t->marks + (line & (t->sets - 1)) * (t->room / 4);
}

static inline uint64_t *tags_dirty(const struct tags *t, uint64_t *marks) { return marks + t->room / 8; }

/* The host is to have at hand what a use of the line looks at. */
static inline void tags_prefetch(const struct tags *t, uint64_t line)
{
	__builtin_prefetch(tags_lines(t, line), 1);
	__builtin_prefetch(tags_marks(t, line), 1);
}

/* Which of TAGS_VECTOR lines are x. */
static inline uint32_t tags_equal(const uint32_t *lines, uint32_t x)
{
#if defined(__SSE2__)
	const __m128i *v = (const __m128i *)(const void *)lines;
	__m128i y = _mm_set1_epi32((int)x), low, high;

	low = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(v), y), _mm_cmpeq_epi32(_mm_load_si128(v + 1), y));
	high = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(v + 2), y), _mm_cmpeq_epi32(_mm_load_si128(v + 3), y));
	return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
	uint32_t equal = 0;

	for (unsigned i = 0; i < TAGS_VECTOR; i++)
		equal |= (uint32_t)(lines[i] == x) << i;
	return equal;
#endif
}

static inline uint32_t tags_find_as(const struct tags *t, uint64_t line, uint32_t part)
{
	const uint32_t *lines = tags_lines(t, line);

	for (uint32_t i = 0; i < t->room; i += TAGS_VECTOR) {
		uint32_t equal = tags_equal(lines + i, ((uint32_t)line + 1) | part);

		if (equal)
			return i + (uint32_t)__builtin_ctz(equal);
	}
	return t->ways;
}

/* The way that has the whole line, or t->ways. */
static inline uint32_t tags_find(const struct tags *t, uint64_t line) { return tags_find_as(t, line, 0); }

/* The way that has a part of it. */
static inline uint32_t tags_find_part(const struct tags *t, uint64_t line)
{
	return __builtin_expect(t->parts, 0) ? tags_find_as(t, line, TAGS_PART) : t->ways;
}

static inline bool tags_has(const struct tags *t, uint64_t line)
{
	return tags_find(t, line) < t->ways || tags_find_part(t, line) < t->ways;
}

#define TAGS_BYTES 0x0101010101010101ull

/* The way that was used longest ago: its age is ways - 1. */
static inline uint32_t tags_oldest(const struct tags *t, const uint64_t *marks)
{
#if defined(__SSE2__)
	const __m128i *v = (const __m128i *)(const void *)marks, oldest = _mm_set1_epi8((char)(t->ways - 1));

	for (uint32_t i = 0;; i += TAGS_VECTOR) {
		uint32_t same = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(v++), oldest));

		if (same)
			return i + (uint32_t)__builtin_ctz(same);
	}
#else
	for (uint32_t i = 0;; i++) {
		uint64_t differ = marks[i] ^ (t->ways - 1) * TAGS_BYTES;
		/* the high bit of the first byte that is 0, and perhaps of one above it */
		uint64_t same = (differ - TAGS_BYTES) & ~differ & TAGS_BYTES << 7;

		if (same)
			return 8 * i + (uint32_t)__builtin_ctzll(same) / 8;
	}
#endif
}

/* Makes a way of a set the one used last: it is of age 0, and those that were younger become older. */
static inline void tags_touch(const struct tags *t, uint64_t *marks, uint32_t way)
{
	uint64_t age = marks[way / 8] >> way % 8 * 8 & 0xff;

	if (!age)
		return;
#if defined(__SSE2__)
	const __m128i numbers = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), than = _mm_set1_epi8((char)age);
	__m128i *v = (__m128i *)(void *)marks;

	for (uint32_t i = 0; i < t->room; i += TAGS_VECTOR, v++) {
		const __m128i ages = _mm_load_si128(v), is_way = _mm_cmpeq_epi8(numbers, _mm_set1_epi8((char)(way - i)));

		_mm_store_si128(v, _mm_andnot_si128(is_way, _mm_sub_epi8(ages, _mm_cmplt_epi8(ages, than))));
	}
#else
	for (uint32_t i = 0; i < t->room / 8; i++) {
		/* no age has its high bit set: it stays set where the age is not less */
		uint64_t younger = ~((marks[i] | TAGS_BYTES << 7) - age * TAGS_BYTES) & TAGS_BYTES << 7;

		marks[i] += younger >> 7;
	}
	marks[way / 8] &= ~(0xffull << way % 8 * 8);
#endif
}

/* The dirty line that leaves when this one is brought in, + 1; 0 for none. */
static inline uint64_t tags_evicts(const struct tags *t, uint64_t line)
{
	uint64_t *marks = tags_marks(t, line);
	uint32_t way = tags_oldest(t, marks);

	return *tags_dirty(t, marks) >> way & 1 ? tags_lines(t, line)[way] & ~TAGS_PART : 0;
}

/* Brings in a line that is not there; returns tags_evicts. Where it is now goes to *way_of. */
static inline uint64_t tags_bring(struct tags *t, uint64_t line, enum tags_use use, uint8_t *way_of)
{
	uint64_t *marks = tags_marks(t, line), *dirty = tags_dirty(t, marks), evicted;
	uint32_t way = tags_oldest(t, marks), *at = tags_lines(t, line) + way;

	evicted = *dirty >> way & 1 ? *at & ~TAGS_PART : 0;
	*way_of = (uint8_t)way;
	*at = (uint32_t)line + 1;
	if (use == TAGS_PATCH) {
		*at |= TAGS_PART;
		t->parts = true;
	}
	*dirty = (*dirty & ~(1ull << way)) | (uint64_t)(use != TAGS_READ) << way;
	tags_touch(t, marks, way);
	return evicted;
}

enum tags_found { TAGS_MISS, TAGS_HIT, TAGS_REST /* was there in part, and is read */ };

/* Uses a line, no stream being in progress: brings it in if it is not there, and evicts another; *evicted is tags_evicts.
 * *way is where it may be, any one below ways, and then where it is. */
static inline enum tags_found tags_use_near(struct tags *t, uint64_t line, uint8_t *way, enum tags_use use, uint64_t *evicted)
{
	uint64_t *marks = tags_marks(t, line);
	uint32_t near = *way;
	enum tags_found found = TAGS_HIT;

	*evicted = 0;
	if (tags_lines(t, line)[near] != (uint32_t)line + 1)
		near = tags_find(t, line);
	if (near == t->ways) {
		near = tags_find_part(t, line);
		if (near == t->ways) {
			*evicted = tags_bring(t, line, use, way);
			return TAGS_MISS;
		}
		if (use != TAGS_PATCH)
			tags_lines(t, line)[near] = (uint32_t)line + 1;
		found = use == TAGS_READ ? TAGS_REST : TAGS_HIT;
	}
	*way = (uint8_t)near;
	*tags_dirty(t, marks) |= (uint64_t)(use != TAGS_READ) << near;
	tags_touch(t, marks, near);
	return found;
}

/* The same, whatever is in progress. Returns whether the line was there, for a read the whole of it. */
static inline bool tags_use(struct tags *t, uint64_t line, uint8_t *way, enum tags_use use, uint64_t *evicted)
{
	if (__builtin_expect(t->run != 0, 0))
		tags_synchronise(t);
	return tags_use_near(t, line, way, use, evicted) == TAGS_HIT;
}

/* The same for the next line of a stream, or another part of its last one. */
bool tags_stream_more(struct tags *, uint64_t line, enum tags_use, uint64_t *evicted);
/* The line is the next of a stream that has the cache for itself. Then it and those that follow are not there, and
 * evict, if they write, the lines that lie a cache's size before; tags_pass counts them. */
static inline bool tags_alone(const struct tags *t, uint64_t line, enum tags_use use)
{
	return line == t->next && use == (t->writes ? TAGS_WRITE : TAGS_READ) && t->run >= (uint64_t)t->sets * t->ways;
}

static inline void tags_pass(struct tags *t, uint64_t lines)
{
	t->next += lines;
	t->behind += lines;
}

static inline bool tags_stream(struct tags *t, uint64_t line, enum tags_use use, uint64_t *evicted)
{
	if (!tags_alone(t, line, use))
		return tags_stream_more(t, line, use, evicted);
	tags_pass(t, 1);
	*evicted = use ? line - (uint64_t)t->sets * t->ways + 1 : 0;
	return false;
}

#endif
