/* A set of addresses in one table. The place of an address is its hash, or the next free one behind it. A look-up takes no lock, because
 * every call looks up every handle; adding and removing take one. A table that is half full is replaced by one of twice its size. Each
 * address that is added fills a few places of the new table, so that no call waits for all of them. The old table stays, because a
 * thread may be reading it: all of them together are smaller than the last. */
#include "base/handle.h"
#include "base/fork.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 10, CLEARED_AT_ONCE = 2048, COPIED_AT_ONCE = 8 };
#define REMOVED ((uintptr_t)1) /* goes on behind it; no object has this address */

struct handle_table {
	struct handle_table *older;
	unsigned bits;
	size_t filled; /* places that are not free */
	_Atomic uintptr_t *entries; /* 0: free, and nothing behind it that belongs before it */
};

static _Atomic uintptr_t first_entries[1 << FIRST_BITS];
static struct handle_table first = {.bits = FIRST_BITS, .entries = first_entries};
static _Atomic(struct handle_table *) current = &first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* what follows, and changes of the table */
HELD_OVER_FORK(lock, FORKS_OTHERS)
static size_t live; /* handles */
static struct handle_table *next;    /* will replace the current table; NULL: none */
static size_t cleared;        /* its places below this one are cleared */
static size_t copied;         /* places of the current table below this one are copied to it */

static size_t place(const struct handle_table *t, uintptr_t address)
{
	return (size_t)((uint64_t)(address >> 4) * 0x9e3779b97f4a7c15ull >> (64 - t->bits));
}

static size_t next_place(const struct handle_table *t, size_t at) { return (at + 1) & (((size_t)1 << t->bits) - 1); }

bool handle_known(const void *handle)
{
	const uintptr_t address = (uintptr_t)handle;
	if (address <= REMOVED)
		return false;
	const struct handle_table *t = atomic_load_explicit(&current, memory_order_acquire);
	size_t at = place(t, address);
	for (size_t n = (size_t)1 << t->bits; n; n--, at = next_place(t, at)) {
		uintptr_t e = atomic_load_explicit(&t->entries[at], memory_order_acquire);
		if (e == address)
			return true;
		if (!e)
			return false;
	}
	return false;
}

/* Where it was put. */
static size_t put(struct handle_table *t, uintptr_t address)
{
	size_t at = place(t, address);
	while (atomic_load_explicit(&t->entries[at], memory_order_relaxed) > REMOVED)
		at = next_place(t, at);
	t->filled += !atomic_load_explicit(&t->entries[at], memory_order_relaxed);
	atomic_store_explicit(&t->entries[at], address, memory_order_release);
	return at;
}

/* One that is there. Where it was. */
static size_t take(struct handle_table *t, uintptr_t address)
{
	const size_t mask = ((size_t)1 << t->bits) - 1;
	size_t at = place(t, address);
	while (atomic_load_explicit(&t->entries[at], memory_order_relaxed) != address)
		at = next_place(t, at);
	const size_t found = at;
	/* at the end of its run, it and the removed ones before it are free: runs stay short however many
	 * objects come and go */
	if (atomic_load_explicit(&t->entries[next_place(t, at)], memory_order_relaxed)) {
		atomic_store_explicit(&t->entries[at], REMOVED, memory_order_release);
		return found;
	}
	do {
		atomic_store_explicit(&t->entries[at], 0, memory_order_release);
		t->filled--;
		at = (at - 1) & mask;
	} while (atomic_load_explicit(&t->entries[at], memory_order_relaxed) == REMOVED);
	return found;
}

/* Without memory for a larger one the table stays as it is: slower, and never full as long as an
 * object takes more memory than its entry. */
static struct handle_table *larger(struct handle_table *than)
{
	const unsigned bits = than->bits + 1;
	struct handle_table *t = malloc(sizeof *t);
	void *entries = malloc(sizeof *t->entries << bits);
	if (!t || !entries) {
		free(t);
		free(entries);
		return NULL;
	}
	*t = (struct handle_table){.older = than, .bits = bits, .entries = entries};
	return t;
}

/* A few places more of the next table; then it is the current one. */
static void fill_some(const struct handle_table *t)
{
	const size_t places = (size_t)1 << t->bits;
	if (cleared < 2 * places) {
		const size_t some = 2 * places - cleared < CLEARED_AT_ONCE ? 2 * places - cleared : CLEARED_AT_ONCE;
		memset((void *)(next->entries + cleared), 0, some * sizeof *next->entries);
		cleared += some;
		return;
	}
	for (unsigned n = 0; n < COPIED_AT_ONCE && copied < places; n++, copied++) {
		uintptr_t e = atomic_load_explicit(&t->entries[copied], memory_order_relaxed);
		if (e > REMOVED)
			put(next, e);
	}
	if (copied < places)
		return;
	atomic_store_explicit(&current, next, memory_order_release);
	next = NULL;
	cleared = copied = 0;
}

bool handle_add(const void *handle)
{
	pthread_mutex_lock(&lock);
	struct handle_table *t = atomic_load_explicit(&current, memory_order_relaxed);
	if (!next && t->filled * 2 > (size_t)1 << t->bits)
		next = larger(t);
	if (next) {
		fill_some(t);
		t = atomic_load_explicit(&current, memory_order_relaxed);
	}
	const bool room = (live + 1) >> t->bits == 0;
	if (room) {
		live++;
		if (put(t, (uintptr_t)handle) < copied)
			put(next, (uintptr_t)handle);
	}
	pthread_mutex_unlock(&lock);
	return room;
}

void handle_remove(const void *handle)
{
	pthread_mutex_lock(&lock);
	live--;
	if (take(atomic_load_explicit(&current, memory_order_relaxed), (uintptr_t)handle) < copied)
		take(next, (uintptr_t)handle);
	pthread_mutex_unlock(&lock);
}
