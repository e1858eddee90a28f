/* A hash table whose entries are kept by value. Each entry begins with its key, a uint64_t that is not 0. Entries move when one is added.
 * Threads: the caller's lock. */
#ifndef GALENA_BASE_TABLE_H
#define GALENA_BASE_TABLE_H
#include <stddef.h>
#include <stdint.h>

/* All zeros: empty. */
struct table {
	char *entries;
	uint64_t room, used; /* entries; room is a power of two */
	size_t bytes;        /* of an entry */
};

static inline void *table_place(const struct table *t, uint64_t key)
{
	for (uint64_t at = key * 0x9e3779b97f4a7c15ull >> 32;; at++) {
		char *entry = t->entries + (at & (t->room - 1)) * t->bytes;
		if (!*(uint64_t *)entry || *(uint64_t *)entry == key)
			return entry;
	}
}

/* NULL: there is none. */
static inline void *table_find(const struct table *t, uint64_t key)
{
	void *entry = t->room ? table_place(t, key) : NULL;
	return entry && *(uint64_t *)entry ? entry : NULL;
}

/* The entry of this key. If there was none, it is new, and zero but for the key. bytes: of an entry, the same each time. NULL: out of
 * memory; the table is as it was. */
void *table_add(struct table *t, uint64_t key, size_t bytes);

/* The entries in an order without meaning: the one after this one, the first after NULL; NULL after the last. */
void *table_next(const struct table *t, const void *entry);

void table_free(struct table *t);

#endif
