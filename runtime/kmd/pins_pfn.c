/* Numbers of pinned pages: which are taken, and the blocks that hold what is known by a page's number. The lowest free ones are
 * taken first. */
#define _GNU_SOURCE
#include "runtime/kmd/pins.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { USED_BYTES = PIN_NUMBERS / 8 };

/* Memory that is zeroes, and there when it is touched; NULL when there is none. */
static void *map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

int numbers_init(struct pins *p)
{
	p->blocks = calloc(PIN_BLOCKS, sizeof *p->blocks);
	p->used = map(USED_BYTES);
	p->hint[1] = p->last[1] = PIN_MANUAL;
	for (unsigned w = 0; w < PIN_WINDOWS; w++)
		p->used_table[w] = (struct table){ .at = (char *)p->used + w * (USED_BYTES / PIN_WINDOWS), .size = USED_BYTES / PIN_WINDOWS, .bits = 1 };
	return p->blocks && p->used ? 0 : KMD_NO_MEMORY;
}

void numbers_fini(struct pins *p)
{
	for (unsigned i = 0; p->blocks && i < PIN_BLOCKS; i++)
		if (p->blocks[i])
			munmap(p->blocks[i], sizeof *p->blocks[i]);
	free(p->blocks);
	if (p->used)
		munmap(p->used, USED_BYTES);
}

static bool is_used(const struct pins *p, uint32_t n) { return p->used[n / 64] >> (n % 64) & 1; }

/* The first number of the window that how asks for, and the one behind its last. */
static uint32_t window_first(unsigned how) { return how & PIN_BY_ADDRESS ? PIN_MANUAL : 0; }
static uint32_t window_end(unsigned how) { return window_first(how) + PIN_WINDOW; }
static uint32_t *window_hint(struct pins *p, uint32_t number) { return &p->hint[number / PIN_WINDOW]; }

uint32_t numbers_find(struct pins *p, uint64_t count, unsigned how)
{
	const uint32_t end = window_end(how);
	uint32_t *hint = window_hint(p, window_first(how));
	while (*hint < end && is_used(p, *hint)) {
		if (p->used[*hint / 64] == ~0ull)
			*hint = (*hint / 64 + 1) * 64;
		else
			(*hint)++;
	}
	uint64_t run = 0;
	for (uint32_t n = *hint; n < end; n++) {
		if (!(n % 64) && p->used[n / 64] == ~0ull) {
			run = 0;
			n += 63;
			continue;
		}
		run = is_used(p, n) ? 0 : run + 1;
		if (run == count)
			return (uint32_t)(n + 1 - count);
	}
	return UINT32_MAX;
}

uint32_t numbers_find_run(struct pins *p, unsigned how)
{
	enum { WORDS = PIN_RUN / 64 };
	const uint32_t hint = *window_hint(p, window_first(how));
	for (uint32_t w = (hint / 64 + WORDS - 1) / WORDS * WORDS; w < window_end(how) / 64; w += WORDS) {
		uint64_t any = 0;
		for (unsigned i = 0; i < WORDS; i++)
			any |= p->used[w + i];
		if (!any)
			return w * 64;
	}
	return UINT32_MAX;
}

/* What lies in one word from a number on, of at most so many; and these bits. */
static uint32_t in_word(uint32_t number, uint32_t most, uint64_t *mask)
{
	const uint32_t count = most < 64 - number % 64 ? most : 64 - number % 64;
	*mask = ~0ull >> (64 - count) << (number % 64);
	return count;
}

uint32_t numbers_free_from(const struct pins *p, uint32_t number, uint32_t most)
{
	const uint32_t window_rest = PIN_WINDOW - number % PIN_WINDOW, limit = most < window_rest ? most : window_rest;
	uint32_t count = 0;
	while (count < limit) {
		uint64_t mask;
		const uint32_t part = in_word(number + count, limit - count, &mask);
		const uint64_t taken = p->used[(number + count) / 64] & mask;
		if (taken)
			return count + (uint32_t)__builtin_ctzll(taken) - (number + count) % 64;
		count += part;
	}
	return count;
}

static bool block_make(struct pins *p, uint32_t index)
{
	struct pin_block *fresh = map(sizeof *fresh);
	if (!fresh)
		return false;
	madvise(fresh, sizeof fresh->pin, MADV_HUGEPAGE);
	p->blocks[index] = fresh;
	p->pin_table[index] = (struct table){ (char *)fresh->pin, sizeof fresh->pin, .bits = 8 * sizeof fresh->pin[0], .huge = true };
	return true;
}

bool numbers_take(struct pins *p, uint32_t first, uint32_t count)
{
	uint32_t *last = &p->last[first / PIN_WINDOW];
	for (uint32_t b = first / PIN_BLOCK; b <= (first + count - 1) / PIN_BLOCK; b++)
		if (!p->blocks[b] && !block_make(p, b))
			return false;
	if (first + count - 1 > *last)
		*last = first + count - 1;
	for (uint32_t i = 0; i < count;) {
		uint64_t mask;
		const uint32_t n = first + i;
		i += in_word(n, count - i, &mask);
		p->used[n / 64] |= mask;
	}
	p->num_pinned += count;
	return true;
}

void numbers_give_back(struct pins *p, uint32_t first, uint32_t count)
{
	uint32_t *hint = window_hint(p, first);
	for (uint32_t i = 0; i < count;) {
		uint64_t mask;
		const uint32_t n = first + i;
		i += in_word(n, count - i, &mask);
		p->used[n / 64] &= ~mask;
	}
	if (first < *hint)
		*hint = first;
	p->num_pinned -= count;
}

/* ---- ahead of use ---- */
/* Of the block that the window grows in, and of the bitmap, what is in use: bytes. */
static size_t block_used(const struct pins *p, unsigned window) { return (p->last[window] % PIN_BLOCK + 1) * sizeof(struct pin); }
static size_t bits_used(const struct pins *p, unsigned window) { return (p->last[window] % PIN_WINDOW / 64 + 1) * sizeof *p->used; }

static bool next_due(const struct pins *p, unsigned window)
{
	const uint32_t next = p->last[window] / PIN_BLOCK + 1;
	return block_used(p, window) > sizeof p->blocks[0]->pin / 2 && next % (PIN_WINDOW / PIN_BLOCK) && !p->pin_table[next].ready;
}

bool pins_low(const struct pins *p)
{
	bool low = false;
	for (unsigned w = 0; w < PIN_WINDOWS; w++)
		low |= next_due(p, w) || table_low(&p->pin_table[p->last[w] / PIN_BLOCK], block_used(p, w));
	return low;
}

bool pins_next(struct pins *p, struct part *out)
{
	for (unsigned w = 0; w < PIN_WINDOWS; w++) {
		const uint32_t index = p->last[w] / PIN_BLOCK;
		if (!p->blocks[index])
			continue;
		if (table_next(&p->used_table[w], bits_used(p, w), out) || table_next(&p->pin_table[index], block_used(p, w), out))
			return true;
		if (next_due(p, w) && (p->blocks[index + 1] || block_make(p, index + 1)) && table_next(&p->pin_table[index + 1], 0, out))
			return true;
	}
	return false;
}
