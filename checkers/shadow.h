/* Shadow state: the state of a device and its driver as the events so far give it (pinned pages, page tables, buffers, queues and their
 * packets, protected regions). The checkers judge events by it. */
#ifndef GALENA_CHECKERS_SHADOW_H
#define GALENA_CHECKERS_SHADOW_H
#include "abi/events.h"
#include "base/table.h"
#include <stdbool.h>
#include <stddef.h>

enum { SHADOW_QUEUES = 16, SHADOW_REGIONS = 8, SHADOW_PAGE = 4096, SHADOW_FOUND = 256 };
enum shadow_pin { PIN_NEVER = 0, PIN_GONE = 1, PIN_READ = 2, PIN_WRITE = 3 };

struct shadow_entry { /* of a page table: a page of an address space that was mapped at some time */
	uint64_t key;
	uint64_t pa, pte; /* pte 0: no longer mapped */
	uint64_t cycle, sequence;   /* of the last change */
	uint64_t invalidated;       /* sequence of the last invalidation of this page alone */
};
struct shadow_buffer {
	uint64_t va, bytes, begun, ended; /* cycles */
	uint16_t asid;
	bool live, imported, consistent; /* as the driver has said */
};
struct shadow_queue {
	bool bound, in_packet;
	uint16_t asid;
	uint64_t desc, packets, read; /* read: packets that have ended */
	uint64_t packet, bound_at;
	unsigned type, flags;
};
struct shadow {
	uint64_t sequence;  /* events so far */
	bool short_of_memory;
	bool notes_pins, notes_maps, notes_buffers; /* the driver does note them */
	bool notes_packets; /* so does the firmware */
	struct shadow_pins { /* enum shadow_pin of each page number, below SYSTEM_MANUAL and in it */
		uint8_t *of;
		uint64_t count;
	} pins[2];
	struct table entries; /* struct shadow_entry */
	uint64_t invalidated, invalidated_asid[1 << 16]; /* sequences */
	struct shadow_buffer *buffers; /* by asid and address, none overlapping another */
	size_t num_buffers, max_buffers;
	size_t found_buffer; /* the last one that was looked for */
	/* entries that were looked for: by page, until page tables change */
	struct { uint64_t key; const struct shadow_entry *entry; } found[SHADOW_FOUND];
	struct shadow_queue queues[SHADOW_QUEUES];
	struct { uint64_t base, limit; } regions[SHADOW_REGIONS];
	uint64_t first_protected, end_protected; /* all regions lie in between */
};

void shadow_fini(struct shadow *);
/* Takes an event in. */
void shadow_event(struct shadow *, const struct event *);

/* Of the page at a physical address; PIN_WRITE for an address outside system memory, and if the driver does not note pins. */
enum shadow_pin shadow_pin(const struct shadow *, uint64_t pa);
/* The entry that the page of va has or had; NULL when there never was one. */
const struct shadow_entry *shadow_entry(struct shadow *, uint16_t asid, uint64_t va);
/* Whether the entry was invalidated after its last change. */
bool shadow_invalidated(const struct shadow *, const struct shadow_entry *, uint16_t asid);
/* Physical address by the page table; UINT64_MAX when not mapped. */
uint64_t shadow_address(const struct shadow_entry *, uint64_t va);
/* The buffer, live or ended, that holds va; NULL for none. */
const struct shadow_buffer *shadow_buffer(struct shadow *, uint16_t asid, uint64_t va);
/* The queue of an event, NULL for none. */
const struct shadow_queue *shadow_queue(const struct shadow *, const struct event *);
/* All of [pa, pa + bytes) is protected; any of it is. */
bool shadow_all_protected(const struct shadow *, uint64_t pa, uint64_t bytes);
bool shadow_any_protected(const struct shadow *, uint64_t pa, uint64_t bytes);
/* The event is of a job that runs protected. */
bool shadow_protected_job(const struct shadow *, const struct event *);

#endif
