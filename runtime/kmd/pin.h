/* The pin table: which host pages the devices reach, and by which page frame numbers. */
#ifndef GALENA_RUNTIME_KMD_PIN_H
#define GALENA_RUNTIME_KMD_PIN_H
#include "abi/bus.h"
#include "runtime/kmd/extents.h"
#include "runtime/kmd/types.h"

enum { PIN_READ = 1, PIN_WRITE = 2 };
/* 16 Mi pages, 64 GiB, in each of two windows: of memory that maintenance of everything maintains, numbered from 0, and of
 * SYSTEM_MANUAL, numbered from PIN_MANUAL on. */
enum { PIN_BLOCK = 1 << 18, PIN_WINDOWS = 2, PIN_WINDOW = 1 << 24, PIN_MANUAL = PIN_WINDOW, PIN_BLOCKS = PIN_WINDOWS * PIN_WINDOW / PIN_BLOCK };
#define HUGE_SIZE (1ull << PT_HUGE_SHIFT) /* bytes of a large page, of devices and of the host */
enum { PIN_RUN = HUGE_SIZE / GALENA_PAGE_SIZE };

struct pin { /* hardware state */
	uintptr_t page; /* the host's address, and in the bits below a page's size PIN_READ | PIN_WRITE; 0: not pinned */
};
static inline uint8_t pin_rights(struct pin pin) { return pin.page & (PIN_READ | PIN_WRITE); }
static inline uint8_t *pin_host(struct pin pin) { return (uint8_t *)(pin.page & ~(uintptr_t)(GALENA_PAGE_SIZE - 1)); }
struct pin_block {
	struct pin pin[PIN_BLOCK];
};
struct pins {
	struct pin_block **blocks;            /* hardware state: of PIN_BLOCK PFNs each, made when they are first pinned */
	struct extents numbers[PIN_WINDOWS];  /* PFNs, with their references */
	struct extents shared;                /* pages of the host that all imports of them share, and their PFNs */
	struct extents claimed;               /* pages of ranges with PIN_UNALIGNED */
	uint32_t ranges;                      /* of all that is pinned, contiguous in PFNs */
	volatile uint64_t generation;         /* hardware state */
};
/* Pages with contiguous page frame numbers and the same rights. */
struct pin_range {
	uint32_t number;
	uint32_t count : 30;
	uint32_t rights : 2; /* PIN_READ | PIN_WRITE; 0: no longer pinned */
};
/* What is pinned, or changes, of pages side by side in the host: in their order. Empty: all 0. */
struct pin_list {
	uint32_t count, room;
	struct pin_range one, *many; /* the only one, or room for some */
};
static inline const struct pin_range *pin_list_ranges(const struct pin_list *l) { return l->many ? l->many : &l->one; }
/* Room for so many; false when memory is short. */
bool pin_list_reserve(struct pin_list *, uint64_t ranges);
/* One more, or the last one longer; false when memory is short, never in a list that has room. */
bool pin_list_add(struct pin_list *, struct pin_range);
void pin_list_free(struct pin_list *);
/* A place in a list: its pages are mostly looked at one after the other. */
struct pin_cursor {
	const struct pin_list *list;
	uint32_t at;    /* a range */
	uint64_t first; /* the first of its pages, counted from the list's beginning */
};
/* The number of a page of the list, counted from its beginning. */
uint32_t pin_list_number(struct pin_cursor *, uint64_t page);
int pins_init(struct pins *);
void pins_fini(struct pins *);
void pins_bus_memory(struct driver *, struct bus_memory *);
/* ---- hardware state by PFN (pins_memory.c) ---- */
int pins_memory_init(struct pins *);
void pins_memory_fini(struct pins *);
/* Makes the blocks of free PFNs, of which none is pinned yet; false when memory is short. */
bool pins_memory_reach(struct pins *, uint32_t number, uint32_t count);
enum pin_how {
	PIN_FOR_WRITE = 1, /* the device may write the pages */
	PIN_CONTIGUOUS = 2,  /* contiguous page frame numbers, where none of the pages is pinned already; otherwise every PIN_RUN pages of the range
	                    * have contiguous ones, beginning at a multiple of it, where none of them was pinned before */
	PIN_BY_ADDRESS = 8, /* numbered in SYSTEM_MANUAL, unless the page has a number already */
	PIN_UNALIGNED = 4, /* of a range that is not whole pages, and shares none with another live one that is pinned so */
	PIN_PART_FIRST = 16, PIN_PART_LAST = 32, /* the range has a part of its first page, or its last one: the pin has a PFN of its own for it */
};
/* Software state: references the pages from host on, gives them PFNs and fills an empty list for pins_apply. how: enum pin_how.
 * 0, KMD_NO_MEMORY or KMD_SHARED_PAGE: then nothing is referenced. */
int pins_add(struct pins *, uint8_t *host, uint64_t count, unsigned how, struct pin_list *);
/* Software state: of what one pins_add() pinned so. Who pins the pages from now on does not share their PFNs, nor is refused for them. */
void pins_leave(struct pins *, const uint8_t *host, uint64_t count, unsigned how);
/* Software state: drops the references of one pins_add(), which filled the list added; after pins_leave(). Fills a list, which has room for as many
 * ranges as pages, with the rights that are left. */
void pins_drop(struct pins *, const struct pin_list *added, unsigned how, struct pin_list *);
/* Hardware state: of the pages from host on. */
void pins_apply(struct driver *, uint8_t *host, const struct pin_list *);
uint32_t pins_count(const struct pins *); /* pages that are pinned; software state */
uint32_t pins_find(const struct pins *, const uint8_t *host);     /* the number of a page, or UINT32_MAX; software state */
/* Host address of system memory at a physical address, hardware state; NULL when it is not pinned. */
void *pins_host(const struct pins *, uint64_t pa);
static inline uint64_t pin_pa(uint32_t number)
{
	return number < PIN_MANUAL ? SYSTEM_BASE + (uint64_t)number * GALENA_PAGE_SIZE
				   : SYSTEM_MANUAL_BASE + (uint64_t)(number - PIN_MANUAL) * GALENA_PAGE_SIZE;
}
/* The number of the page at a physical address that may be any; UINT32_MAX when there is none for it. */
static inline uint32_t pin_number(uint64_t pa)
{
	const uint64_t base = pa < SYSTEM_MANUAL_BASE ? SYSTEM_BASE : SYSTEM_MANUAL_BASE, n = (pa - base) / GALENA_PAGE_SIZE;
	return pa < base || n >= PIN_WINDOW ? UINT32_MAX : (uint32_t)n + (base == SYSTEM_BASE ? 0 : PIN_MANUAL);
}

#endif
