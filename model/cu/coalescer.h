/* The coalescer: merges the accesses of a warp's lanes into cache lines, each once, in the order of the lanes. Timed speed
 * alone has one. */
#ifndef GALENA_MODEL_COALESCER_H
#define GALENA_MODEL_COALESCER_H
#include "abi/address_map.h"
#include "model/cu/register_file.h"

enum { ACCESS_LINES = 3 * LANES }; /* of an instruction: 8 bytes of private memory may lie in three words */
enum { PAGE_BITS_SHIFT = 6 };      /* from this logarithm of a line's bytes on, lines of a page are bits of a word */

struct coalescer {
	uint32_t num_lines __attribute__((aligned(64)));
	uint32_t num_hashed, stamp;
	uint32_t line_shift;          /* logarithm of a line's bytes */
	uint64_t lines[ACCESS_LINES]; /* physical line numbers of the access in progress, all different */
	/* a hash of the first num_hashed of them: filled when lines come back after others */
	uint64_t seen[64];
	uint32_t stamps[64];
};

static inline bool coalescer_has(struct coalescer *c, uint64_t line)
{
	for (; c->num_hashed < c->num_lines; c->num_hashed++) {
		uint64_t l = c->lines[c->num_hashed];
		c->seen[l & 63] = l;
		c->stamps[l & 63] = c->stamp;
	}
	if (c->stamps[line & 63] != c->stamp)
		return false;
	if (c->seen[line & 63] == line)
		return true;
	for (uint32_t i = 0; i < c->num_lines; i++)
		if (c->lines[i] == line)
			return true;
	return false;
}

static inline void coalescer_add(struct coalescer *c, uint64_t line)
{
	uint32_t n = c->num_lines;
	if (n && (c->lines[n - 1] == line || n == ACCESS_LINES || coalescer_has(c, line)))
		return;
	c->lines[n] = line;
	c->num_lines = n + 1;
}

/* Adds the lines of bytes at a physical address. */
static inline void coalescer_range(struct coalescer *c, uint64_t pa, uint64_t bytes)
{
	uint64_t line = pa >> c->line_shift, last = (pa + bytes - 1) >> c->line_shift;
	if (c->num_lines) {
		for (; line <= last; line++)
			coalescer_add(c, line);
		return;
	}
	uint32_t n = 0;
	do
		c->lines[n++] = line;
	while (__builtin_expect(line++ != last, 0));
	c->num_lines = n;
}

/* Adds the lines of lanes in one page, at pa in physical memory. The lanes of changes are in another line than the lane
 * before. No lane crosses a line, and no other lanes of the instruction are in this page. */
INLINE void coalescer_page(struct coalescer *c, uint64_t pa, const uint64_t *va, uint32_t changes)
{
	uint32_t shift = c->line_shift, n = c->num_lines;
	uint64_t page = pa >> shift, seen = 0;
	for (; changes; changes &= changes - 1) {
		uint64_t k = (va[__builtin_ctz(changes)] & (GALENA_PAGE_SIZE - 1)) >> shift;
		if (seen >> k & 1)
			continue;
		seen |= 1ull << k;
		c->lines[n++] = page + k;
	}
	c->num_lines = n;
}

/* The access is over, or its lines are not to be charged. */
static inline void coalescer_clear(struct coalescer *c)
{
	c->stamp += c->num_hashed != 0;
	c->num_lines = c->num_hashed = 0;
}

#endif
