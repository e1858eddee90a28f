/* What the pin table's files share: pins.c (references), pin_list.c (what becomes of pages), pins_extents.c (maps of extents), pins_pfn.c (numbers of pages), pins_memory.c (what devices see). */
#ifndef GALENA_RUNTIME_DRIVER_PINS_H
#define GALENA_RUNTIME_DRIVER_PINS_H
#include "runtime/kmd/driver.h"

enum { PIN_NUMBERS = PIN_WINDOWS * PIN_WINDOW, PIN_FRAMES = 1 << 11 };

/* ---- pins_pfn.c ---- */
int numbers_init(struct pins *);
void numbers_fini(struct pins *);
/* The lowest of count contiguous free page frame numbers, of the window that how asks for; UINT32_MAX when there is none. */
uint32_t numbers_find(struct pins *, uint64_t count, unsigned how);
/* The first of PIN_RUN contiguous free page frame numbers, a multiple of it: what lies so can be mapped by one entry of a page table. */
uint32_t numbers_find_run(struct pins *, unsigned how);
/* How many of at most so many numbers from a free one on are free. */
uint32_t numbers_free_from(const struct pins *, uint32_t number, uint32_t most);
/* They are free, and now taken; false when memory is short. */
bool numbers_take(struct pins *, uint32_t first, uint32_t count);
void numbers_give_back(struct pins *, uint32_t first, uint32_t count);

/* ---- pins_extents.c: maps ---- */
static inline uint64_t page_of(const uint8_t *host) { return (uintptr_t)host / GALENA_PAGE_SIZE; }
/* The end of the frame that a page is in. No extent goes beyond it. */
static inline uint64_t frame_end(uint64_t page) { return (page / PIN_RUN + 1) * PIN_RUN; }
bool pin_map_init(struct pin_map *);
void pin_map_fini(struct pin_map *);
/* An extent is found by a page, and stays where it is until another one of the map is made, cut or ended. */
/* The extent that has the page; NULL: none. */
struct pin_extent *pin_map_at(const struct pin_map *, uint64_t page);
/* Pages from a page on, up to end, that no extent has. */
uint64_t pin_map_gap(const struct pin_map *, uint64_t page, uint64_t end);
/* Makes one of pages in one frame that have none; false when memory is short. */
bool pin_map_make(struct pin_map *, struct pin_extent);
/* Cuts in two the extent that has page and the one before it, if it is one; false when memory is short. */
bool pin_map_cut(struct pin_map *, uint64_t page);
void pin_map_end(struct pin_map *, struct pin_extent *);

#endif
