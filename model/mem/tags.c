#include "model/mem/tags.h"
#include <stdlib.h>
#include <string.h>

enum { HOST_LINE = 64, AGE_NEVER = 127 }; /* of ways that are not there */

static void *words_allocate(size_t bytes)
{
	void *p = NULL;

	return posix_memalign(&p, HOST_LINE, bytes) ? NULL : memset(p, 0, bytes);
}

bool tags_init(struct tags *t, uint32_t sets, uint32_t ways)
{
	memset(t, 0, sizeof(*t));
	t->sets = sets;
	t->ways = ways;
	t->room = ways > TAGS_VECTOR ? 2 * TAGS_VECTOR : TAGS_VECTOR;
	t->lines = words_allocate((size_t)sets * t->room * sizeof(*t->lines));
	t->marks = words_allocate((size_t)sets * (t->room / 4) * sizeof(*t->marks));
	if (!t->lines || !t->marks) {
		tags_fini(t);
		return false;
	}
	for (uint32_t set = 0; set < sets; set++)
		for (uint32_t way = 0; way < t->room; way++) /* empty ways are filled from the first on */
			tags_marks(t, set)[way / 8] |= (uint64_t)(way < ways ? ways - 1 - way : AGE_NEVER) << way % 8 * 8;
	return true;
}

void tags_fini(struct tags *t)
{
	free(t->lines);
	free(t->marks);
	memset(t, 0, sizeof(*t));
}

void tags_synchronise(struct tags *t)
{
	uint64_t size = (uint64_t)t->sets * t->ways, lines = t->behind;
	uint8_t way;

	if (lines > size) /* what lies before the last of them is gone */
		lines = size;
	for (uint64_t line = t->next - lines; line != t->next; line++)
		tags_bring(t, line, t->writes ? TAGS_WRITE : TAGS_READ, &way);
	t->behind = t->run = 0;
}

bool tags_stream_more(struct tags *t, uint64_t line, enum tags_use use, uint64_t *evicted)
{
	bool write = use != TAGS_READ, follows = line == t->next && write == t->writes && use != TAGS_PATCH;
	enum tags_found found;
	uint8_t way = 0;

	if (t->run && line + 1 == t->next && write == t->writes) {
		*evicted = 0;
		return true;
	}
	if (!follows)
		tags_synchronise(t);
	found = tags_use_near(t, line, &way, use, evicted);
	t->writes = write;
	t->next = line + 1;
	t->run = (found && !write) || use == TAGS_PATCH ? 0 : t->run + 1; /* what was there may be dirty */
	return found == TAGS_HIT;
}
