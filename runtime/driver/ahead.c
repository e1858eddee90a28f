/* Tables that grow with what an application pins, and the library's heap, are brought into memory before they are used, by the
 * pump's thread: to fault in a page for an import takes longer than the import. */
#define _GNU_SOURCE
#include "icd/heap.h"
#include "runtime/driver/internal.h"
#include <sys/mman.h>

#pragma weak heap_next /* a build that watches the heap has the C library's */

/* Ahead of use is as much as is in use, within bounds. */
enum { AHEAD_MIN = 128 << 10, AHEAD_MAX = 4 << 20, STEP = 64 << 10, MANY_STEPS = 32 };
/* No more at a time: who wants to map memory waits for whoever brings some in. */
enum { BRING = 16 << 10 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t wanted(const struct table *t, size_t used)
{
	const size_t ahead = t->huge ? AHEAD_MAX : used < AHEAD_MIN ? AHEAD_MIN : least(used, AHEAD_MAX);
	return least(used + ahead, t->size);
}

/* Where the system cannot, pages fault in one by one. */
static void bring(char *from, size_t size)
{
	for (size_t at = 0; at < size; at += BRING)
		madvise(from + at, least(size - at, BRING), MADV_POPULATE_WRITE);
}

void table_bring(struct table *t, size_t end)
{
	const size_t from = t->ready;
	t->ready = least(page_round(end > from + STEP ? end : from + STEP), t->size);
	bring(t->at + from, t->ready - from);
}

bool table_low(const struct table *t, size_t used)
{
	const size_t want = wanted(t, used);
	return t->ready < want && t->ready - least(used, t->ready) < (want - used) / 2;
}

bool table_next(struct table *t, size_t used, struct part *out)
{
	const size_t from = t->ready, want = wanted(t, used);
	if (from >= want)
		return false;
	t->ready = least(from + (t->huge ? HUGE_SIZE : STEP), t->size);
	*out = (struct part){ t->at + from, t->ready - from };
	return true;
}

void ahead_bring(struct driver *d)
{
	struct part part;
	for (unsigned i = 0; i < MANY_STEPS && !d->thread_stops && pins_next(&d->pins, &part); i++) {
		pthread_mutex_unlock(&d->lock);
		bring(part.at, part.size);
		driver_lock(d);
	}
	if (!heap_next)
		return;
	pthread_mutex_unlock(&d->lock);
	void *at;
	for (size_t size; (size = heap_next(&at));)
		bring(at, size);
	driver_lock(d);
}
