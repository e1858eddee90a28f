/* The instruction cache of a compute unit: pages of decoded instructions, by address space and virtual page.
 *
 * Without timing it has no bound. A page that is not there is translated and read when a warp first fetches from it; when the MMU's
 * epoch has changed, its translation is looked up again before it is used, and its uops stay if the physical page is the same.
 *
 * With timing pages are where the host keeps what is decoded. What the unit holds are the lines of the tags, by address space and
 * virtual address, replaced in turn. A line that is not there is translated and read when a warp comes to it. So a hit changes
 * nothing and is the test of one bit of the page.
 *
 * Instructions are decoded lazily: uops begin as "undecoded" and become what they are when a warp first reaches them. */
#ifndef GALENA_MODEL_ICACHE_H
#define GALENA_MODEL_ICACHE_H
#include "model/engine/uop.h"

enum { PAGE_OPS = 1024, PAGE_LINES = PAGE_OPS / 8 /* at most: of 32 bytes */ };

struct icache;
struct cu;
struct device_config;
struct icache_page {
	uint64_t va;
	uint32_t space;
	uint64_t epoch;           /* of the MMU when its translation was last checked */
	uint64_t pa;              /* with timing, of the line that was read last; UINT64_MAX: nothing was read */
	struct icache_page *next; /* in its hash chain */
	struct icache_page *link; /* the page that was last jumped to from here */
	struct profile_code *profile; /* NULL: the device is not profiled */
	struct superblock_page *superblocks; /* where translated code may begin; NULL: nowhere */
	/* with timing, a bit a line: it is held, and has arrived. Behind the last line stands the page's end, whose bit is always set. */
	uint64_t held[PAGE_LINES / 64 + 1];
	struct uop ops[PAGE_OPS + 1] __attribute__((aligned(64))); /* the last one leads to the next page */
};

struct icache *icache_create(const struct device_config *);
void icache_destroy(struct icache *);
/* With timing: drops all lines for a dispatch, once. */
void icache_empty_for(struct icache *, uint64_t owner);
/* With timing: the first cycle in which a warp that begins in the slot can be looked at: the line of the one before it has come. */
uint64_t icache_begin(const struct icache *, unsigned slot);
/* With timing: the cycle in which the line of a page that begins with an instruction comes, or came; 0: it has not been asked for lately. */
uint64_t icache_awaited(const struct icache *, const struct icache_page *, const struct uop *begin);
/* Nothing is on its way any more. */
void icache_reset(struct icache *);
/* Drops all pages and lines. */
void icache_flush(struct icache *);
/* Sets w->code and returns the uop at pc; on a fault sets w->fault and w->exit and returns NULL. */
const struct uop *icache_fetch(struct warp *, uint64_t pc);
/* With timing: the warp comes to op of w->code, which is of another line than its last instruction, at cycle now. Returns the first
 * cycle at which the line is there; on a fault, with w->fault and w->exit set, the cycle of that. */
uint64_t icache_line(struct warp *, const struct uop *op, uint64_t now);
/* Whether the warp stands behind the last instruction of its page, and has yet to step to the next one. */
bool icache_at_page_end(const struct warp *);
/* Has it stand there, before pc. The page that it comes from need not be there any more. */
void icache_page_end(struct warp *, uint64_t pc);
/* The page of va if it is there and its translation was checked in this epoch; NULL otherwise. */
struct icache_page *icache_find(const struct cu *, uint32_t space, uint64_t va);
/* Calls visit for each instruction that the unit has decoded. */
void icache_visit(struct cu *, void (*visit)(const struct cu *, struct icache_page *, const struct uop *));

/* The line of a page that an instruction is of, from 1 on. shift: logarithm of the bytes of a line's uops. */
INLINE unsigned icache_line_of(const struct icache_page *p, const struct uop *op, unsigned shift)
{
	return (unsigned)(((uintptr_t)op - (uintptr_t)p->ops) >> shift) + 1;
}
/* Its first instruction. */
INLINE const struct uop *icache_line_begin(const struct icache_page *p, unsigned number, unsigned shift)
{
	return p->ops + ((number - 1ull) << shift) / sizeof(struct uop);
}
/* Whether that line is there, as far as the page knows: if not, icache_line tells. */
INLINE bool icache_held(const struct icache_page *p, unsigned number) { return p->held[(number - 1) / 64] >> (number - 1) % 64 & 1; }

#endif
