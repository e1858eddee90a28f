/* Where an application's memory lies: layouts of its address space. A program that asks for the same memory in the same order
 * gets it in each of them, at the same offsets within pages, and elsewhere. */
#ifndef GALENA_TESTBENCH_LAYOUTS_MEMORY_H
#define GALENA_TESTBENCH_LAYOUTS_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum layout {
	LAYOUT_APART,  /* each block has a mapping of its own, where the system likes */
	LAYOUT_PACKED, /* blocks share pages with their neighbours, wherever their offsets allow it; what is freed is used again at once */
	LAYOUT_HEAP,   /* malloc(), between fragments of any size */
	LAYOUT_HIGH,   /* as far up as there are addresses, downwards in odd steps */
	LAYOUT_SPREAD, /* each at a multiple of 4 GiB, and its offset */
	LAYOUTS
};
extern const char *const layout_names[LAYOUTS];

/* lines: what lies beside a block, in lines of a cache that it begins or ends in, is zeroes. */
void layout_use(enum layout, uint64_t seed, bool lines);
/* A block of memory, zeroed, at an address that has this offset in its page. alone: no other block that is has a page of it. Ends the
 * process when there is none. */
uint8_t *layout_take(size_t bytes, size_t offset, bool alone);
void layout_give_back(uint8_t *, size_t bytes, bool alone);

#endif
