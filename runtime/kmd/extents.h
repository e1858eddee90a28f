/* Extents: a linear range, every part of which is free or referenced. One structure for the addresses of an address space, DRAM, page
 * frame numbers, and pages of the host. */
#ifndef GALENA_RUNTIME_KMD_EXTENTS_H
#define GALENA_RUNTIME_KMD_EXTENTS_H
#include <stdbool.h>
#include <stdint.h>

struct extent {
	uint64_t first, count;
	uint32_t refs, write_refs; /* refs 0: free */
	uint32_t shift;            /* of pages of the host: added to a page it gives its PFN */
	uint32_t left, right;      /* in the tree; 0: none */
	uint64_t longest;          /* the longest free extent of the subtree */
};
struct extents { /* a treap by the first place. Extents tile the range; no two neighbours are alike */
	struct extent *nodes; /* [0] is none */
	uint32_t root, room, fresh, spare; /* fresh: the first node that was never used; spare: a list by left */
	uint32_t ranges;                   /* that extents_alloc() has handed out */
	uint64_t base, end;
	uint64_t used; /* places that are not free */
};
/* One free extent. 0 or KMD_NO_MEMORY. */
int extents_init(struct extents *, uint64_t base, uint64_t size);
void extents_fini(struct extents *);
/* The extent that has a place of the range. It stays where it is until references change, or room is made. */
const struct extent *extents_at(const struct extents *, uint64_t place);
/* How many places from one on, up to an end, are alike. */
uint64_t extents_alike(const struct extents *, uint64_t place, uint64_t end);
/* How many of them are free. */
uint64_t extents_gap(const struct extents *, uint64_t place, uint64_t end);
/* The lowest place of so many free ones, a multiple of align (a power of two); UINT64_MAX: there is none. */
uint64_t extents_fit(const struct extents *, uint64_t size, uint64_t align);
/* Room for references of so many ranges. False when memory is short. */
bool extents_reserve(struct extents *, uint64_t ranges);
/* Adds to the references of a range, or takes away. With room for all ranges that are referenced it cannot fail. shift: of places that
 * were free. */
void extents_refer(struct extents *, uint64_t base, uint64_t size, int refs, int write_refs, uint32_t shift);
/* The lowest address that fits, referenced; UINT64_MAX: there is none, or memory is short. */
uint64_t extents_alloc(struct extents *, uint64_t size, uint64_t align);
/* These addresses, referenced. False: not all are free, or memory is short. */
bool extents_take(struct extents *, uint64_t base, uint64_t size);
void extents_free(struct extents *, uint64_t base, uint64_t size);

#endif
