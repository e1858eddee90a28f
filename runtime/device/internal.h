/* What the files of the public device library share. */
#ifndef GALENA_RUNTIME_DEVICE_INTERNAL_H
#define GALENA_RUNTIME_DEVICE_INTERNAL_H
#include "abi/bus.h"
#include "include/galena/device.h"

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
};

#endif
