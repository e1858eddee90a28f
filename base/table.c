#include "base/table.h"
#include <stdlib.h>
#include <string.h>

static int table_grow(struct table *t)
{
	enum { FIRST = 256 };
	struct table larger = { .room = t->room ? 2 * t->room : FIRST, .used = t->used, .bytes = t->bytes };
	larger.entries = calloc(larger.room, larger.bytes);
	if (!larger.entries)
		return -1;
	for (const uint64_t *e = NULL; (e = table_next(t, e));)
		memcpy(table_place(&larger, *e), e, t->bytes);
	free(t->entries);
	*t = larger;
	return 0;
}

void *table_add(struct table *t, uint64_t key, size_t bytes)
{
	t->bytes = bytes;
	if (2 * (t->used + 1) > t->room && table_grow(t))
		return NULL;
	uint64_t *entry = table_place(t, key);
	t->used += !*entry;
	*entry = key;
	return entry;
}

void *table_next(const struct table *t, const void *entry)
{
	const char *end = t->entries + t->room * t->bytes;
	for (char *e = entry ? (char *)(uintptr_t)entry + t->bytes : t->entries; e < end; e += t->bytes)
		if (*(uint64_t *)e)
			return e;
	return NULL;
}

void table_free(struct table *t)
{
	free(t->entries);
	*t = (struct table){ 0 };
}
