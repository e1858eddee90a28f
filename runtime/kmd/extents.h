/* Free extents of a linear space: addresses of an address space, DRAM. */
#ifndef GALENA_RUNTIME_KMD_EXTENTS_H
#define GALENA_RUNTIME_KMD_EXTENTS_H
#include <stdint.h>

struct extent { uint64_t base, size; };
struct extents {
	struct extent *free; /* sorted, none adjacent */
	unsigned count, capacity, live; /* live: allocations that are out */
};
int extents_init(struct extents *, uint64_t base, uint64_t size);
void extents_fini(struct extents *);
/* Lowest address that fits; UINT64_MAX when none does. */
uint64_t extents_alloc(struct extents *, uint64_t size, uint64_t align);
/* Room for the extent is reserved by extents_alloc, so this cannot fail. */
void extents_free(struct extents *, uint64_t base, uint64_t size);

#endif
