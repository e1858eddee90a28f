/* What the events so far say about the state of a device and its driver: pinned pages, page tables,
 * buffers, queues and their packets, protected regions. The checkers judge events by it. */
#ifndef GALENA_CHECKERS_SCENE_H
#define GALENA_CHECKERS_SCENE_H
#include "abi/events.h"
#include <stdbool.h>
#include <stddef.h>

enum { SCENE_QUEUES = 16, SCENE_REGIONS = 8, SCENE_PAGE = 4096, SCENE_FOUND = 256 };
enum scene_pin { PIN_NEVER = 0, PIN_GONE = 1, PIN_READ = 2, PIN_WRITE = 3 };

struct scene_entry { /* of a page table: a page of an address space that was mapped at some time */
	uint64_t key;    /* 0: empty */
	uint64_t pa, pte; /* pte 0: no longer mapped */
	uint64_t cycle, sequence;   /* of the last change */
	uint64_t invalidated;       /* sequence of the last invalidation of this page alone */
};
struct scene_buffer {
	uint64_t va, bytes, begun, ended; /* cycles */
	uint16_t asid;
	bool live, imported, consistent; /* as the driver has said */
};
struct scene_queue {
	bool bound, in_packet;
	uint16_t asid;
	uint64_t desc, packets, read; /* read: packets that have ended */
	uint64_t packet, bound_at;
	unsigned type, flags;
};
struct scene {
	uint64_t sequence;  /* events so far */
	bool short_of_memory;
	bool notes_pins, notes_maps, notes_buffers; /* the driver does tell */
	bool notes_packets; /* so does the firmware */
	struct scene_pins { /* enum scene_pin of each page number, below SYSTEM_MANUAL and in it */
		uint8_t *of;
		uint64_t count;
	} pins[2];
	struct scene_entry *entries; /* hash table, num_entries a power of two */
	uint64_t num_entries, used_entries;
	uint64_t invalidated, invalidated_asid[1 << 16]; /* sequences */
	struct scene_buffer *buffers; /* by asid and address, none overlapping another */
	size_t num_buffers, max_buffers;
	size_t found_buffer; /* the last one that was looked for */
	/* entries that were looked for: by page, until page tables change */
	struct { uint64_t key; const struct scene_entry *entry; } found[SCENE_FOUND];
	struct scene_queue queues[SCENE_QUEUES];
	struct { uint64_t base, limit; } regions[SCENE_REGIONS];
	uint64_t first_protected, end_protected; /* all regions lie in between */
};

void scene_fini(struct scene *);
/* Takes an event in. */
void scene_event(struct scene *, const struct event *);

/* Of the page at a physical address; PIN_WRITE for what is no system memory, or when the driver does not tell. */
enum scene_pin scene_pin(const struct scene *, uint64_t pa);
/* The entry that the page of va has or had; NULL when there never was one. */
const struct scene_entry *scene_entry(struct scene *, uint16_t asid, uint64_t va);
/* Whether the entry was invalidated after its last change. */
bool scene_invalidated(const struct scene *, const struct scene_entry *, uint16_t asid);
/* Physical address by the page table; UINT64_MAX when not mapped. */
uint64_t scene_address(const struct scene_entry *, uint64_t va);
/* The buffer, live or ended, that holds va; NULL for none. */
const struct scene_buffer *scene_buffer(struct scene *, uint16_t asid, uint64_t va);
/* The queue of an event, NULL for none. */
const struct scene_queue *scene_queue(const struct scene *, const struct event *);
/* All of [pa, pa + bytes) is protected; any of it is. */
bool scene_all_protected(const struct scene *, uint64_t pa, uint64_t bytes);
bool scene_any_protected(const struct scene *, uint64_t pa, uint64_t bytes);
/* The event is of a job that runs protected. */
bool scene_protected_job(const struct scene *, const struct event *);

#endif
