#define _GNU_SOURCE
#include "testbench/opencl/layouts_memory.h"
#include "testbench/random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LINE = 128, BLOCKS_MAX = 4096, FRAGMENTS = 64 };
#define ARENA_BYTES (8ull << 30)
#define GIB (1ull << 30)
#define HUGE (4ull << 20)
#define HIGHEST (0x7fff00000000ull - 256 * GIB) /* below what a stack may be given */

const char *const layout_names[LAYOUTS] = {
	[LAYOUT_APART] = "apart", [LAYOUT_PACKED] = "packed", [LAYOUT_HEAP] = "heap", [LAYOUT_HIGH] = "high", [LAYOUT_SPREAD] = "spread",
};

/* What was asked of the system or of malloc() for a block. */
struct block {
	uint8_t *at;
	void *base;
	size_t size;
};

static struct {
	enum layout layout;
	size_t margin; /* zeroes on either side of a block that shares its pages */
	uint64_t seed;
	struct block blocks[BLOCKS_MAX];
	uint8_t *arena;
	uint64_t used, next; /* of the arena; the next address to try */
	struct block freed[FRAGMENTS]; /* of the arena, the last one first */
	unsigned num_freed;
	void *fragments[FRAGMENTS];
} l;

static void *need(void *p, const char *what, size_t size)
{
	if (p && p != MAP_FAILED)
		return p;
	fprintf(stderr, "layout %s: no memory: %s of %zu bytes\n", layout_names[l.layout], what, size);
	exit(3);
}

void layout_use(enum layout layout, uint64_t seed, bool lines)
{
	l.layout = layout;
	l.margin = lines ? LINE : 0;
	l.seed = seed;
	l.next = layout == LAYOUT_HIGH ? HIGHEST - splitmix64(&l.seed) % (64 * GIB) : 0x100000000000ull;
	if (layout != LAYOUT_PACKED)
		return;
	l.arena = need(mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), "mmap", ARENA_BYTES);
	madvise(l.arena, ARENA_BYTES, MADV_HUGEPAGE);
}

/* Pages at an address that the layout chooses. */
static void *map_at(size_t size)
{
	for (unsigned tries = 0; tries < 1000; tries++) {
		if (l.layout == LAYOUT_HIGH)
			l.next = (l.next - size - splitmix64(&l.seed) % (64 << 20)) & ~(uint64_t)(PAGE - 1);
		else
			l.next += 4 * GIB;
		void *p = mmap((void *)(uintptr_t)l.next, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (p != MAP_FAILED)
			return p;
	}
	return NULL;
}

/* Beyond 47 bits, where processor and system have addresses there. */
static void *map_beyond(size_t size)
{
	void *p = mmap((void *)(1ull << 55), size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p != MAP_FAILED && (uintptr_t)p >> 47)
		return p;
	if (p != MAP_FAILED)
		munmap(p, size);
	return NULL;
}

static uint64_t up_to_offset(uint64_t at, size_t offset) { return at + (offset - at) % PAGE; }

static uint8_t *packed_take(size_t bytes, size_t offset, bool alone)
{
	for (unsigned i = l.num_freed; i-- && !alone;) {
		uint8_t *at = l.freed[i].at;
		if (l.freed[i].size != bytes || (uintptr_t)at % PAGE != offset)
			continue;
		l.freed[i] = l.freed[--l.num_freed];
		memset(at, 0, bytes);
		return at;
	}
	if (alone)
		l.used = (l.used + PAGE - 1) / PAGE * PAGE;
	const uint64_t from = up_to_offset(l.used + l.margin, offset);
	l.used = from + bytes + l.margin;
	if (alone)
		l.used = (l.used + PAGE - 1) / PAGE * PAGE;
	if (l.used > ARENA_BYTES)
		need(NULL, "the arena", bytes);
	return l.arena + from;
}

static void fragment(void)
{
	void **f = &l.fragments[splitmix64(&l.seed) % FRAGMENTS];
	free(*f);
	*f = malloc(splitmix64(&l.seed) % 3 ? splitmix64(&l.seed) % 3000 : splitmix64(&l.seed) % 300000);
}

/* In pages of their own or at least with an offset of one's choice. */
static struct block whole_take(size_t bytes, size_t offset, bool alone)
{
	struct block b = { .size = (offset + bytes + PAGE - 1) / PAGE * PAGE + (l.layout == LAYOUT_HEAP ? PAGE + 2 * l.margin : 0) };
	if (l.layout == LAYOUT_HEAP && !alone) {
		fragment();
		b.base = need(malloc(b.size), "malloc", b.size);
		b.at = (uint8_t *)(uintptr_t)up_to_offset((uintptr_t)b.base + l.margin, offset);
		memset(b.at - l.margin, 0, bytes + 2 * l.margin);
		fragment();
		return b;
	}
	if (l.layout == LAYOUT_HIGH)
		b.base = map_beyond(b.size);
	if (!b.base && (l.layout == LAYOUT_HIGH || l.layout == LAYOUT_SPREAD))
		b.base = map_at(b.size);
	else if (!b.base)
		b.base = mmap(NULL, b.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	b.at = (uint8_t *)need(b.base, "mmap", b.size) + offset;
	if (b.size >= HUGE) /* in large pages, for the sake of time */
		madvise(b.base, b.size, MADV_HUGEPAGE);
	return b;
}

uint8_t *layout_take(size_t bytes, size_t offset, bool alone)
{
	if (l.layout == LAYOUT_PACKED)
		return packed_take(bytes, offset, alone);
	for (unsigned i = 0; i < BLOCKS_MAX; i++)
		if (!l.blocks[i].at) {
			l.blocks[i] = whole_take(bytes, offset, alone);
			return l.blocks[i].at;
		}
	return need(NULL, "a block", bytes);
}

void layout_give_back(uint8_t *at, size_t bytes, bool alone)
{
	if (l.layout == LAYOUT_PACKED) {
		if (!alone && l.num_freed < FRAGMENTS)
			l.freed[l.num_freed++] = (struct block){ .at = at, .size = bytes };
		return;
	}
	struct block *b = l.blocks;
	while (b->at != at)
		b++;
	if (l.layout == LAYOUT_HEAP && !alone)
		free(b->base);
	else
		munmap(b->base, b->size);
	b->at = NULL;
}
