/* Tables that grow with what an application pins, and the library's heap, are brought into memory before they are used, by the
 * completion thread: to fault in a page for an import takes longer than the import. */
#define _GNU_SOURCE
#include "icd/heap.h"
#include "runtime/kmd/driver.h"
#include <sys/mman.h>

#pragma weak heap_next /* a build that watches the heap has the C library's */

/* Ahead of use is a multiple of what is in use, within bounds: pinned pages that the tables have room for. The least is what can be
 * pinned while the thread naps. */
enum { AHEAD_MIN = 40 << 10, AHEAD_MAX = 160 << 10, AHEAD_TIMES = 4 };
enum { STEP = 64 << 10, MANY_STEPS = 64 };
/* No more at a time: a thread that maps memory waits while this one brings some in. */
enum { BRING = 16 << 10 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t wanted(const struct table *t, size_t used)
{
	const size_t least_ahead = AHEAD_MIN * t->bits / 8, most_ahead = AHEAD_MAX * t->bits / 8;
	const size_t ahead = AHEAD_TIMES * used;
	return least(used + (ahead < least_ahead ? least_ahead : least(ahead, most_ahead)), t->size);
}

/* Where the system cannot, pages fault in one by one. A virtual machine whose host keeps page tables of its own for it enters a
 * page there when it is first read or written, not when the system maps it: so each is read. */
static __attribute__((no_sanitize("thread"))) void bring(const char *from, size_t size)
{
	const volatile char *bytes = from; /* whatever others do with them meanwhile */
	for (size_t at = 0; at < size; at += BRING) {
		const size_t part = least(size - at, BRING);
		if (madvise((void *)(uintptr_t)(from + at), part, MADV_POPULATE_WRITE))
			return;
		for (size_t page = 0; page < part; page += GALENA_PAGE_SIZE)
			(void)bytes[at + page];
	}
}

/* The end of the step that begins at from: of a large page where there may be some. */
static size_t step_from(const struct table *t, size_t from)
{
	const size_t in_page = ((uintptr_t)t->at + from) % HUGE_SIZE;
	return least(from + (t->huge ? HUGE_SIZE - in_page : STEP), t->size);
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
	t->ready = step_from(t, from);
	*out = (struct part){ t->at + from, t->ready - from };
	return true;
}

static bool heap_part(struct part *out)
{
	void *at;
	const size_t size = heap_next ? heap_next(&at) : 0;
	if (size)
		*out = (struct part){ at, size };
	return size;
}

void prefault_tables(struct driver *d, const struct file *f)
{
	struct part part;
	for (unsigned i = 0; i < MANY_STEPS && !f->stopping && (pins_next(&d->pins, &part) || heap_part(&part)); i++) {
		pthread_mutex_unlock(&d->lock);
		bring(part.at, part.size);
		driver_lock(d);
	}
}
