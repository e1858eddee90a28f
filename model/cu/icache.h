/* The instruction cache of a compute unit: pages of decoded instructions, by address space and virtual page.
 *
 * A page that is not there is translated and read when a warp first fetches from it. Its instructions are decoded lazily:
 * its uops begin as "undecoded" and become what they are when a warp first reaches them. When the MMU's epoch has changed, a
 * page's translation is looked up again before it is used; its uops stay if the physical page is the same. */
#ifndef GALENA_MODEL_ICACHE_H
#define GALENA_MODEL_ICACHE_H
#include "model/engine/uop.h"

enum { PAGE_OPS = 1024 };

struct icache;
struct cu;
struct icache_page {
	uint64_t va;
	uint32_t space;
	uint64_t epoch;           /* of the MMU when its translation was last checked */
	uint64_t pa;
	struct icache_page *next; /* in its hash chain */
	struct icache_page *link; /* the page that was last jumped to from here */
	struct profile_code *profile; /* NULL: the device is not profiled */
	struct superblock_page *superblocks; /* where translated code may begin; NULL: nowhere */
	struct uop ops[PAGE_OPS + 1]; /* the last one leads to the next page */
};

struct icache *icache_create(void);
void icache_destroy(struct icache *);
/* Drops all pages. */
void icache_flush(struct icache *);
/* Sets w->code and returns the uop at pc; on a fault sets w->fault and w->exit and returns NULL. */
const struct uop *icache_fetch(struct warp *, uint64_t pc);
/* Whether the warp stands behind the last instruction of its page, and has yet to step to the next one. */
bool icache_at_page_end(const struct warp *);
/* Has it stand there, before pc. The page that it comes from need not be there any more. */
void icache_page_end(struct warp *, uint64_t pc);
/* The page of va if it is there and its translation was checked in this epoch; NULL otherwise. */
struct icache_page *icache_find(const struct cu *, uint32_t space, uint64_t va);
/* Calls visit for each instruction that the unit has decoded. */
void icache_visit(struct cu *, void (*visit)(const struct cu *, struct icache_page *, const struct uop *));

#endif
