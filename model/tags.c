#include "model/tags.h"
#include <stdlib.h>
#include <string.h>

bool tags_init(struct tags *t, uint32_t sets, uint32_t ways)
{
	size_t all = (size_t)sets * ways;

	memset(t, 0, sizeof(*t));
	t->sets = sets;
	t->ways = ways;
	t->set_shift = (uint32_t)__builtin_ctz(sets);
	t->words = (ways + 7) / 8;
	t->lines = calloc(all, sizeof(*t->lines));
	t->signs = calloc((size_t)sets * t->words, sizeof(*t->signs));
	t->older = malloc(all);
	t->newer = malloc(all);
	t->last = malloc(sets);
	t->dirty = calloc(sets, sizeof(*t->dirty));
	if (!t->lines || !t->signs || !t->older || !t->newer || !t->last || !t->dirty) {
		tags_fini(t);
		return false;
	}
	/* empty ways are filled from the first on */
	for (size_t i = 0; i < all; i++) {
		t->older[i] = (uint8_t)((i - 1) % ways);
		t->newer[i] = (uint8_t)((i + 1) % ways);
	}
	memset(t->last, (int)ways - 1, sets);
	return true;
}

void tags_fini(struct tags *t)
{
	free(t->lines);
	free(t->signs);
	free(t->older);
	free(t->newer);
	free(t->last);
	free(t->dirty);
	memset(t, 0, sizeof(*t));
}

/* Makes a way of a set the one used last. */
static inline void touch(struct tags *t, uint64_t set, uint32_t way)
{
	uint8_t *older = t->older + set * t->ways, *newer = t->newer + set * t->ways;
	uint32_t last = t->last[set], oldest;

	if (way == last)
		return;
	older[newer[way]] = older[way]; /* out of the ring, and in between the last and the oldest */
	newer[older[way]] = newer[way];
	oldest = newer[last];
	newer[way] = (uint8_t)oldest;
	older[oldest] = (uint8_t)way;
	older[way] = (uint8_t)last;
	newer[last] = (uint8_t)way;
	t->last[set] = (uint8_t)way;
}

/* Brings in a line that is not there. */
static inline void bring(struct tags *t, uint64_t line, bool write)
{
	uint64_t set = line & (t->sets - 1);
	uint32_t way = t->newer[set * t->ways + t->last[set]], shift = way % 8 * 8;
	uint64_t *sign = t->signs + set * t->words + way / 8;

	t->last[set] = (uint8_t)way;
	t->lines[set * t->ways + way] = line + 1;
	*sign = (*sign & ~(0xffull << shift)) | tags_sign(t, line) << shift;
	t->dirty[set] = (t->dirty[set] & ~(1u << way)) | (uint32_t)write << way;
}

static inline bool use(struct tags *t, uint64_t line, bool write, uint64_t *evicted)
{
	uint64_t set = line & (t->sets - 1);
	uint32_t way = tags_find(t, line);

	*evicted = 0;
	if (way < t->ways) {
		t->dirty[set] |= (uint32_t)write << way;
		touch(t, set, way);
		return true;
	}
	*evicted = tags_evicts(t, line);
	bring(t, line, write);
	return false;
}

void tags_settle(struct tags *t)
{
	uint64_t size = (uint64_t)t->sets * t->ways, lines = t->behind;

	if (lines > size) /* what lies before the last of them is gone */
		lines = size;
	for (uint64_t line = t->next - lines; line != t->next; line++)
		bring(t, line, t->writes);
	t->behind = t->run = 0;
}

bool tags_use(struct tags *t, uint64_t line, bool write, uint64_t *evicted)
{
	if (t->run)
		tags_settle(t);
	return use(t, line, write, evicted);
}

bool tags_stream_more(struct tags *t, uint64_t line, bool write, uint64_t *evicted)
{
	bool follows = line == t->next && write == t->writes, hit;

	if (t->run && line + 1 == t->next && write == t->writes) {
		*evicted = 0;
		return true;
	}
	if (!follows)
		tags_settle(t);
	hit = use(t, line, write, evicted);
	t->writes = write;
	t->next = line + 1;
	t->run = hit && !write ? 0 : t->run + 1; /* what was there may be dirty */
	return hit;
}
