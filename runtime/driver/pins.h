/* What the pin table's files share: pins.c (the plan: pages, numbers), pins_runs.c (runs of pages), pins_memory.c (what devices see). */
#ifndef GALENA_RUNTIME_DRIVER_PINS_H
#define GALENA_RUNTIME_DRIVER_PINS_H
#include "runtime/driver/internal.h"

enum { PIN_NUMBERS = PIN_WINDOWS * PIN_WINDOW, PIN_FRAMES = 1 << 13 };

static inline struct pin_plan *plan_at(const struct pins *p, uint32_t number)
{
	return &p->blocks[number / PIN_BLOCK]->plan[number % PIN_BLOCK];
}
static inline struct pin_run *run_of(const struct pins *p, uint32_t number)
{
	return &p->blocks[number / PIN_BLOCK]->run[number % PIN_BLOCK / PIN_RUN];
}

enum { PIN_RUN_BYTES = PIN_RUN * GALENA_PAGE_SIZE };
static inline uintptr_t frame_of(const uint8_t *host) { return (uintptr_t)host / PIN_RUN_BYTES; }
/* Neighbours lie side by side. */
static inline struct pin_frame *pins_frame(const struct pins *p, uintptr_t frame) { return &p->frames[frame % PIN_FRAMES]; }

/* Memory that is zeroes, and there when it is touched; NULL when there is none. */
void *pins_map(size_t size);
/* Of a page that has a number. */
uint8_t pins_rights(const struct pins *, uint32_t number);
/* count numbers, none of them taken, all of one block, or one run: they are now; false when memory is short. */
bool pins_take(struct pins *, uint32_t first, uint32_t count);
/* The number is nobody's. */
void pins_give_back(struct pins *, uint32_t number);

/* ---- pins_runs.c ---- */
/* The number of a page that is part of a run, or UINT32_MAX. */
uint32_t runs_find(const struct pins *, const uint8_t *host);
/* Are any of the pages part of a run? */
bool runs_overlap(const struct pins *, const uint8_t *host, uint64_t count);
/* The run that begins with the page: the number of that, or UINT32_MAX. */
uint32_t runs_at(const struct pins *, const uint8_t *host);
/* A run of free numbers, PIN_RUN of them from first on, its first reference. False when memory is short. */
bool runs_begin(struct pins *, uint32_t first, uint8_t *host, unsigned how);
/* One reference more; false when it would share a page that must not be. */
bool runs_share(struct pins *, uint32_t first, unsigned how);
/* The rights that its PIN_RUN pages have. */
void runs_changes(const struct pins *, uint32_t first, struct pin_change *);
/* One less; fills left with what becomes of the PIN_RUN pages. */
void runs_drop(struct pins *, uint32_t first, unsigned how, struct pin_change *left);

#endif
