/* What the files of the public device library share. */
#ifndef GALENA_RUNTIME_DEVICE_INTERNAL_H
#define GALENA_RUNTIME_DEVICE_INTERNAL_H
#include "abi/bus.h"
#include "include/galena/device.h"
#include <stdatomic.h>

/* ---- pinned pages of one device (pinned.c) ---- */
struct pinned_page {
	uint8_t *host; /* NULL: the number is free */
	bool writable;
};
struct pinned_range { /* one galena_device_pin */
	uint64_t first, pages; /* page numbers */
	uint64_t address;      /* as the caller knows it */
	void *owned;           /* memory of galena_device_alloc, to be freed */
};
struct pinned {
	struct pinned_page *page; /* by page number */
	uint64_t pages, capacity; /* numbers ever given out */
	struct pinned_range *range;
	unsigned ranges, ranges_capacity;
	volatile uint64_t generation;
};
void pinned_bus_memory(struct pinned *, struct bus_memory *);
void pinned_fini(struct pinned *);

struct galena_device {
	struct bus *bus;
	struct pinned pinned;
	bool counted;        /* GALENA_COUNTERS wants to know */
	_Atomic bool inside; /* while counted: a thread is in a call */
};

/* ---- counters at the end of the process (counted.c) ---- */
/* After the bus was opened; before it is closed. */
void counted_open(struct galena_device *, unsigned index);
void counted_close(struct galena_device *);
/* Around each call on the bus. */
void counted_enter(struct galena_device *);
static inline void device_enter(struct galena_device *d)
{
	if (__builtin_expect(d->counted, 0))
		counted_enter(d);
}
static inline void device_leave(struct galena_device *d)
{
	if (__builtin_expect(d->counted, 0))
		atomic_store(&d->inside, false);
}

#endif
