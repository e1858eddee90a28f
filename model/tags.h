/* Tags of a set-associative cache that replaces what was used longest ago: which lines are in it, no data.
 *
 * The fields of all sets lie side by side, as streams go through sets in order. The ways of a set are in a ring, from
 * the one used last to the one used longest ago, so that a miss takes one turn of the ring and looks at no other way. Of
 * each way there is a byte of its line's number: eight of them are compared at once.
 *
 * A stream, lines in a row, that has gone through the whole cache has it for itself: then its next line is not there,
 * and evicts the one that lies a cache's size before. So the stream just counts, and the sets are brought up to date
 * when somebody else wants to use the cache. */
#ifndef GALENA_MODEL_TAGS_H
#define GALENA_MODEL_TAGS_H
#include <stdbool.h>
#include <stdint.h>

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
	/* the stream in progress */
	uint64_t next;   /* its next line */
	uint64_t run;    /* lines that nothing but it has used the cache for, all dirty or all clean */
	uint64_t behind; /* the last of these that the sets do not know of yet */
	bool writes;
};

/* All empty. False when there is no memory. */
bool tags_init(struct tags *, uint32_t sets, uint32_t ways);
void tags_fini(struct tags *);
/* Ends the stream in progress: the sets are up to date. For whoever looks at them without using a line: before
 * tags_has and tags_evicts. */
void tags_settle(struct tags *);

static inline uint64_t tags_sign(const struct tags *t, uint64_t line) { return line >> t->set_shift & 0xff; }

/* The way that has the line, or t->ways. */
static inline uint32_t tags_find(const struct tags *t, uint64_t line)
{
	const uint64_t low = 0x0101010101010101ull, sign = low * tags_sign(t, line), set = line & (t->sets - 1);
	const uint64_t *lines = t->lines + set * t->ways, *signs = t->signs + set * t->words;

	for (uint32_t w = 0; w < t->words; w++) {
		uint64_t differ = signs[w] ^ sign;
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

/* The dirty line that leaves when this one is brought in, + 1; 0 for none. */
static inline uint64_t tags_evicts(const struct tags *t, uint64_t line)
{
	uint64_t set = line & (t->sets - 1);
	uint32_t way = t->newer[set * t->ways + t->last[set]];

	return t->dirty[set] >> way & 1 ? t->lines[set * t->ways + way] : 0;
}

/* Uses a line: brings it in if it is not there, and evicts another. Returns whether it was there; *evicted is
 * tags_evicts. */
bool tags_use(struct tags *, uint64_t line, bool write, uint64_t *evicted);

/* The same for the next line of a stream, or another part of its last one. */
bool tags_stream_more(struct tags *, uint64_t line, bool write, uint64_t *evicted);
/* The line is the next of a stream that has the cache for itself. Then it and those that follow are not there, and
 * evict, if they write, the lines that lie a cache's size before; tags_pass counts them. */
static inline bool tags_alone(const struct tags *t, uint64_t line, bool write)
{
	return line == t->next && write == t->writes && t->run >= (uint64_t)t->sets * t->ways;
}

static inline void tags_pass(struct tags *t, uint64_t lines)
{
	t->next += lines;
	t->behind += lines;
}

static inline bool tags_stream(struct tags *t, uint64_t line, bool write, uint64_t *evicted)
{
	if (!tags_alone(t, line, write))
		return tags_stream_more(t, line, write, evicted);
	tags_pass(t, 1);
	*evicted = write ? line - (uint64_t)t->sets * t->ways + 1 : 0;
	return false;
}

#endif
