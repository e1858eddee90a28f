/* Which addresses are objects. A handle comes from the application and may be anything: NULL, an
 * object of another library, one that is gone, a number. It is looked up here before anything is read
 * through it.
 *
 * A set of addresses in one table: the place of an address is its hash, or the next free one behind
 * it. Looking up takes no lock, for every call does it for every handle; adding and removing take
 * one. A table that is half full is replaced by one twice its size. The old one stays, since someone
 * may be reading it: all of them together are smaller than the last. */
#include "runtime/opencl/objects.h"
#include <stdlib.h>

enum { FIRST_BITS = 10 };
#define REMOVED ((uintptr_t)1) /* goes on behind it; no object has this address */

struct table {
	struct table *older;
	unsigned bits;
	_Atomic uintptr_t *entries; /* 0: free, and nothing behind it that belongs before it */
};

static _Atomic uintptr_t first_entries[1 << FIRST_BITS];
static struct table first = {.bits = FIRST_BITS, .entries = first_entries};
static _Atomic(struct table *) current = &first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* what follows, and changes of the table */
static size_t live, filled; /* objects; places that are not free */

static size_t place(const struct table *t, uintptr_t address)
{
	return (size_t)((uint64_t)(address >> 4) * 0x9e3779b97f4a7c15ull >> (64 - t->bits));
}

static size_t next_place(const struct table *t, size_t at) { return (at + 1) & (((size_t)1 << t->bits) - 1); }

bool handle_known(const void *handle)
{
	const uintptr_t address = (uintptr_t)handle;
	if (address <= REMOVED)
		return false;
	const struct table *t = atomic_load_explicit(&current, memory_order_acquire);
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

static void put(struct table *t, uintptr_t address)
{
	size_t at = place(t, address);
	while (atomic_load_explicit(&t->entries[at], memory_order_relaxed) > REMOVED)
		at = next_place(t, at);
	filled += !atomic_load_explicit(&t->entries[at], memory_order_relaxed);
	atomic_store_explicit(&t->entries[at], address, memory_order_release);
}

/* Without memory for a larger one the table stays as it is: slower, and never full as long as an
 * object takes more memory than its entry. */
static void grow(void)
{
	struct table *old = atomic_load_explicit(&current, memory_order_relaxed);
	struct table *t = malloc(sizeof *t);
	_Atomic uintptr_t *entries = calloc((size_t)2 << old->bits, sizeof *entries);
	if (!t || !entries) {
		free(t);
		free(entries);
		return;
	}
	filled = 0;
	*t = (struct table){.older = old, .bits = old->bits + 1, .entries = entries};
	for (size_t at = 0; at >> old->bits == 0; at++) {
		uintptr_t e = atomic_load_explicit(&old->entries[at], memory_order_relaxed);
		if (e > REMOVED)
			put(t, e);
	}
	atomic_store_explicit(&current, t, memory_order_release);
}

void handle_add(const void *handle)
{
	pthread_mutex_lock(&lock);
	live++;
	if (filled * 2 > (size_t)1 << atomic_load_explicit(&current, memory_order_relaxed)->bits)
		grow();
	struct table *t = atomic_load_explicit(&current, memory_order_relaxed);
	if (live >> t->bits) {
		log_write(LOG_ERROR, "no memory to know %zu objects: ending", live);
		abort();
	}
	put(t, (uintptr_t)handle);
	pthread_mutex_unlock(&lock);
}

void handle_remove(const void *handle)
{
	pthread_mutex_lock(&lock);
	struct table *t = atomic_load_explicit(&current, memory_order_relaxed);
	const size_t mask = ((size_t)1 << t->bits) - 1;
	size_t at = place(t, (uintptr_t)handle);
	while (atomic_load_explicit(&t->entries[at], memory_order_relaxed) != (uintptr_t)handle)
		at = next_place(t, at);
	live--;
	/* at the end of its run, it and the removed ones before it are free: runs stay short however many
	 * objects come and go */
	if (atomic_load_explicit(&t->entries[next_place(t, at)], memory_order_relaxed)) {
		atomic_store_explicit(&t->entries[at], REMOVED, memory_order_release);
	} else {
		do {
			atomic_store_explicit(&t->entries[at], 0, memory_order_release);
			filled--;
			at = (at - 1) & mask;
		} while (atomic_load_explicit(&t->entries[at], memory_order_relaxed) == REMOVED);
	}
	pthread_mutex_unlock(&lock);
}
