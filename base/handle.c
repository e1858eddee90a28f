/* A set of addresses in one table. The place of an address is its hash, or the next free one behind it. A look-up takes no lock, because
 * every call looks up every handle; adding and removing take one. A table that is half full is replaced by one of twice its size. The old
 * table stays, because a thread may be reading it: all of them together are smaller than the last. */
#include "base/handle.h"
#include "base/fork.h"
#include "base/hold.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST_BITS = 10 };
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
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* changes of the table */
HELD_OVER_FORK(lock, FORKS_OTHERS)
static size_t live; /* handles; lock */

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

static void put(struct handle_table *t, uintptr_t address)
{
	size_t at = place(t, address);
	while (atomic_load_explicit(&t->entries[at], memory_order_relaxed) > REMOVED)
		at = next_place(t, at);
	t->filled += !atomic_load_explicit(&t->entries[at], memory_order_relaxed);
	atomic_store_explicit(&t->entries[at], address, memory_order_release);
}

/* One that is there. */
static void take(struct handle_table *t, uintptr_t address)
{
	const size_t mask = ((size_t)1 << t->bits) - 1;
	size_t at = place(t, address);
	while (atomic_load_explicit(&t->entries[at], memory_order_relaxed) != address)
		at = next_place(t, at);
	/* at the end of its run, it and the removed ones before it are free: runs stay short however many
	 * objects come and go */
	if (atomic_load_explicit(&t->entries[next_place(t, at)], memory_order_relaxed)) {
		atomic_store_explicit(&t->entries[at], REMOVED, memory_order_release);
		return;
	}
	do {
		atomic_store_explicit(&t->entries[at], 0, memory_order_release);
		t->filled--;
		at = (at - 1) & mask;
	} while (atomic_load_explicit(&t->entries[at], memory_order_relaxed) == REMOVED);
}

/* Without memory for a larger one the table stays as it is: slower, and never full as long as an
 * object takes more memory than its entry. */
static struct handle_table *larger(struct handle_table *than)
{
	const unsigned bits = than->bits + 1;
	struct handle_table *t = malloc(sizeof *t);
	void *entries = calloc((size_t)1 << bits, sizeof *t->entries);
	if (!t || !entries) {
		free(t);
		free(entries);
		return than;
	}
	*t = (struct handle_table){.older = than, .bits = bits, .entries = entries};
	for (size_t i = 0; i < (size_t)1 << than->bits; i++) {
		uintptr_t e = atomic_load_explicit(&than->entries[i], memory_order_relaxed);
		if (e > REMOVED)
			put(t, e);
	}
	atomic_store_explicit(&current, t, memory_order_release);
	return t;
}

bool handle_add(const void *handle)
{
	HOLDING(&lock);
	struct handle_table *t = atomic_load_explicit(&current, memory_order_relaxed);
	if (t->filled * 2 > (size_t)1 << t->bits)
		t = larger(t);
	if ((live + 1) >> t->bits)
		return false;
	live++;
	put(t, (uintptr_t)handle);
	return true;
}

void handle_remove(const void *handle)
{
	HOLDING(&lock);
	live--;
	take(atomic_load_explicit(&current, memory_order_relaxed), (uintptr_t)handle);
}
