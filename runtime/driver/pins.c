/* The pin table: which host page stands behind which page number of the SYSTEM window.
 *
 * A host page has one number however often it is pinned; numbers are the lowest free ones. The
 * plan counts references; what devices see changes when the pump applies a post. Of many pages, those of
 * each 2 MiB are planned as one (pins_runs.c). */
#define _GNU_SOURCE
#include "runtime/driver/pins.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BUCKETS_MIN = 1024, BUCKETS_MAX = 1 << 22, USED_BYTES = PIN_NUMBERS / 8 };

void *pins_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

int pins_init(struct pins *p)
{
	p->blocks = calloc(PIN_BLOCKS, sizeof *p->blocks);
	p->used = pins_map(USED_BYTES);
	p->num_buckets = BUCKETS_MIN;
	p->hint[1] = p->last[1] = PIN_MANUAL;
	p->buckets = pins_map(BUCKETS_MAX * sizeof *p->buckets);
	p->frames = pins_map(PIN_FRAMES * sizeof *p->frames);
	for (unsigned w = 0; w < PIN_WINDOWS; w++)
		p->used_table[w] = (struct table){ .at = (char *)p->used + w * (USED_BYTES / PIN_WINDOWS), .size = USED_BYTES / PIN_WINDOWS, .bits = 1 };
	p->frames_table = (struct table){ .at = (char *)p->frames, .size = PIN_FRAMES * sizeof *p->frames };
	p->buckets_table = (struct table){ .at = (char *)p->buckets, .size = BUCKETS_MAX * sizeof *p->buckets, .bits = 8 * sizeof *p->buckets, .huge = true };
	if (p->blocks && p->used && p->buckets && p->frames) {
		madvise(p->buckets, BUCKETS_MAX * sizeof *p->buckets, MADV_HUGEPAGE);
		return 0;
	}
	pins_fini(p);
	return DRV_NO_MEMORY;
}

void pins_fini(struct pins *p)
{
	for (unsigned i = 0; p->blocks && i < PIN_BLOCKS; i++)
		if (p->blocks[i])
			munmap(p->blocks[i], sizeof *p->blocks[i]);
	free(p->blocks);
	if (p->used)
		munmap(p->used, USED_BYTES);
	if (p->buckets)
		munmap(p->buckets, BUCKETS_MAX * sizeof *p->buckets);
	if (p->frames)
		munmap(p->frames, PIN_FRAMES * sizeof *p->frames);
	*p = (struct pins){ 0 };
}

void **pins_owner(const struct pins *p, uint32_t number)
{
	if (number >= PIN_NUMBERS || !p->blocks[number / PIN_BLOCK] || !pins_rights(p, number))
		return NULL;
	return &p->blocks[number / PIN_BLOCK]->owner[number % PIN_BLOCK];
}

/* Neighbours lie side by side: ranges are looked up, not pages. */
static uint32_t *bucket_of(const struct pins *p, const uint8_t *host)
{
	uint64_t page = (uintptr_t)host >> GALENA_PAGE_SHIFT;
	uint64_t hash = page + (page >> 16) * 0x9e3779b1u, at = hash & (p->num_buckets - 1);
	return &p->buckets[at < p->num_split ? hash & (2 * p->num_buckets - 1) : at];
}

static void bucket_add(struct pins *p, uint32_t number)
{
	struct pin_plan *plan = plan_at(p, number);
	uint32_t *bucket = bucket_of(p, plan->host);
	plan->next = *bucket;
	*bucket = number + 1;
}

static size_t buckets_used(const struct pins *p) { return (p->num_buckets + p->num_split) * sizeof *p->buckets; }

/* Makes two buckets of one. With BUCKETS_MAX chains get longer, that is all. */
static void bucket_split(struct pins *p)
{
	if (p->num_buckets == BUCKETS_MAX)
		return;
	table_need(&p->buckets_table, buckets_used(p) + sizeof *p->buckets);
	uint32_t *split = &p->buckets[p->num_split++], at = *split;
	*split = 0;
	for (uint32_t next; at; at = next) {
		next = plan_at(p, at - 1)->next;
		bucket_add(p, at - 1);
	}
	if (p->num_split == p->num_buckets) {
		p->num_buckets *= 2;
		p->num_split = 0;
	}
}

static uint32_t bucket_find(const struct pins *p, const uint8_t *host)
{
	for (uint32_t at = *bucket_of(p, host); at; at = plan_at(p, at - 1)->next)
		if (plan_at(p, at - 1)->host == host)
			return at - 1;
	return UINT32_MAX;
}

uint32_t pins_find(const struct pins *p, const uint8_t *host)
{
	const uint32_t number = bucket_find(p, host);
	return number == UINT32_MAX ? runs_find(p, host) : number;
}

static bool is_used(const struct pins *p, uint32_t n) { return p->used[n / 64] >> (n % 64) & 1; }

/* The first number of the window that how asks for, and the one behind its last. */
static uint32_t window_first(unsigned how) { return how & PIN_BY_ADDRESS ? PIN_MANUAL : 0; }
static uint32_t window_end(unsigned how) { return window_first(how) + PIN_WINDOW; }
static uint32_t *window_hint(struct pins *p, uint32_t number) { return &p->hint[number / PIN_WINDOW]; }

/* The lowest run of count free numbers, not yet taken; UINT32_MAX when there is none. */
static uint32_t number_find(struct pins *p, uint64_t count, unsigned how)
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

/* Has any of the pages a number? */
static bool any_numbered(const struct pins *p, const uint8_t *host, uint64_t count)
{
	const uint8_t *at = host, *end = host + count * GALENA_PAGE_SIZE;
	while (at < end) {
		const uint8_t *next = (const uint8_t *)((frame_of(at) + 1) * PIN_RUN_BYTES);
		next = next < end ? next : end;
		for (; pins_frame(p, frame_of(at))->pages && at < next; at += GALENA_PAGE_SIZE)
			if (bucket_find(p, at) != UINT32_MAX)
				return true;
		at = next;
	}
	return runs_overlap(p, host, count);
}

/* The first of PIN_RUN free numbers in a row, a multiple of it, for pages none of which has a number; else UINT32_MAX.
 * What lies so can be mapped by one entry of a page table. */
static uint32_t run_find(struct pins *p, const uint8_t *host, unsigned how)
{
	enum { WORDS = PIN_RUN / 64 };
	if (any_numbered(p, host, PIN_RUN))
		return UINT32_MAX;
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

static bool block_make(struct pins *p, uint32_t index)
{
	struct pin_block *fresh = pins_map(sizeof *fresh);
	if (!fresh)
		return false;
	madvise(fresh, offsetof(struct pin_block, owner), MADV_HUGEPAGE);
	p->blocks[index] = fresh;
	p->plan_table[index] = (struct table){ (char *)fresh->plan, sizeof fresh->plan, .bits = 8 * sizeof fresh->plan[0], .huge = true };
	p->pin_table[index] = (struct table){ (char *)fresh->pin, sizeof fresh->pin, .bits = 8 * sizeof fresh->pin[0], .huge = true };
	p->run_table[index] = (struct table){ (char *)fresh->run, sizeof fresh->run, .bits = 1 };
	return true;
}

/* Of the block that the window grows in, numbers in use. */
static size_t block_used(const struct pins *p, unsigned window) { return p->last[window] % PIN_BLOCK + 1; }
static size_t bits_used(const struct pins *p, unsigned window) { return (p->last[window] % PIN_WINDOW / 64 + 1) * sizeof *p->used; }

/* Of a block with so many numbers in use what is to be brought next. */
static bool block_next(struct pins *p, uint32_t index, size_t numbers, struct part *out)
{
	return table_next(&p->plan_table[index], numbers * sizeof(struct pin_plan), out) ||
	       table_next(&p->pin_table[index], numbers * sizeof(struct pin), out) ||
	       table_next(&p->run_table[index], sizeof p->blocks[index]->run, out);
}

bool pins_low(const struct pins *p)
{
	bool low = table_low(&p->buckets_table, buckets_used(p));
	for (unsigned w = 0; w < PIN_WINDOWS; w++)
		low |= table_low(&p->plan_table[p->last[w] / PIN_BLOCK], block_used(p, w) * sizeof(struct pin_plan));
	return low;
}

bool pins_next(struct pins *p, struct part *out)
{
	if (table_next(&p->buckets_table, buckets_used(p), out) || table_next(&p->frames_table, p->frames_table.size, out))
		return true;
	for (unsigned w = 0; w < PIN_WINDOWS; w++) {
		const uint32_t index = p->last[w] / PIN_BLOCK, next = index + 1;
		if (!p->blocks[index])
			continue;
		if (table_next(&p->used_table[w], bits_used(p, w), out) || block_next(p, index, block_used(p, w), out))
			return true;
		if (p->plan_table[index].ready == p->plan_table[index].size && next % (PIN_WINDOW / PIN_BLOCK) &&
		    (p->blocks[next] || block_make(p, next)) && block_next(p, next, 0, out))
			return true;
	}
	return false;
}

bool pins_take(struct pins *p, uint32_t first, uint32_t count)
{
	const uint32_t index = first / PIN_BLOCK;
	uint32_t *last = &p->last[first / PIN_WINDOW];
	if (!p->blocks[index] && !block_make(p, index))
		return false;
	if (first + count - 1 > *last)
		*last = first + count - 1;
	if (count == PIN_RUN)
		memset(p->used + first / 64, 0xff, PIN_RUN / 8);
	else
		p->used[first / 64] |= 1ull << (first % 64);
	p->num_pinned += count;
	return true;
}

void pins_give_back(struct pins *p, uint32_t number)
{
	uint32_t *hint = window_hint(p, number);
	p->used[number / 64] &= ~(1ull << (number % 64));
	if (number < *hint)
		*hint = number;
	p->num_pinned--;
}

static uint8_t rights_of(uint32_t refs, uint32_t write_refs)
{
	return (refs ? PIN_READ : 0) | (write_refs ? PIN_WRITE : 0);
}

uint8_t pins_rights(const struct pins *p, uint32_t number)
{
	const struct pin_run *run = run_of(p, number);
	const uint8_t of_run = rights_of(run->refs, run->write_refs);
	if (run->refs && !run->own)
		return of_run;
	const struct pin_plan *plan = plan_at(p, number);
	return of_run | rights_of(plan->refs, plan->write_refs);
}

static struct pin_change change_to(const struct pins *p, uint32_t number)
{
	return (struct pin_change){ .number = number, .rights = pins_rights(p, number) };
}

/* The first reference of a page's own. It has a number. */
static void plan_begin(struct pins *p, uint32_t number, uint8_t *host)
{
	if (p->num_hashed >= p->num_buckets + p->num_split)
		bucket_split(p);
	*plan_at(p, number) = (struct pin_plan){ .host = host };
	bucket_add(p, number);
	p->num_hashed++;
	pins_frame(p, frame_of(host))->pages++;
	run_of(p, number)->own += run_of(p, number)->refs != 0;
}

/* The last one is gone. */
static void plan_end(struct pins *p, uint32_t number)
{
	struct pin_plan *plan = plan_at(p, number);
	struct pin_run *run = run_of(p, number);
	uint32_t *at = bucket_of(p, plan->host);
	while (*at != number + 1)
		at = &plan_at(p, *at - 1)->next;
	*at = plan->next;
	pins_frame(p, frame_of(plan->host))->pages--;
	*plan = (struct pin_plan){ 0 };
	p->num_hashed--;
	if (run->refs)
		run->own--;
	else
		pins_give_back(p, number);
}

/* One reference more of a page that has a number. */
static int number_share(struct pins *p, uint32_t number, uint8_t *host, unsigned how)
{
	table_need(&p->plan_table[number / PIN_BLOCK], (number % PIN_BLOCK + 1) * sizeof(struct pin_plan)); /* before it is read */
	const struct pin_run *run = run_of(p, number);
	struct pin_plan *plan = plan_at(p, number);
	if (how & PIN_UNALIGNED && (plan->unaligned || run->unaligned))
		return DRV_SHARED_PAGE;
	if (!plan->refs)
		plan_begin(p, number, host);
	plan->refs++;
	plan->write_refs += (how & PIN_FOR_WRITE) != 0;
	plan->unaligned |= (how & PIN_UNALIGNED) != 0;
	return 0;
}

static int number_take(struct pins *p, uint32_t number, uint8_t *host, unsigned how)
{
	return pins_take(p, number, 1) ? number_share(p, number, host, how) : DRV_NO_MEMORY;
}

/* Takes one reference back. */
static void number_drop(struct pins *p, uint32_t number, unsigned how, struct pin_change *left)
{
	struct pin_plan *plan = plan_at(p, number);
	plan->refs--;
	plan->write_refs -= (how & PIN_FOR_WRITE) != 0;
	if (how & PIN_UNALIGNED)
		plan->unaligned = false;
	*left = change_to(p, number);
	if (!plan->refs)
		plan_end(p, number);
}

/* PIN_RUN pages as a whole. *first is UINT32_MAX where they have to be pinned page by page. */
static int run_add(struct pins *p, uint8_t *host, unsigned how, uint32_t *first)
{
	*first = runs_at(p, host);
	if (*first != UINT32_MAX)
		return runs_share(p, *first, how) ? 0 : DRV_SHARED_PAGE;
	*first = run_find(p, host, how);
	return *first == UINT32_MAX || runs_begin(p, *first, host, how) ? 0 : DRV_NO_MEMORY;
}

int pins_add(struct pins *p, uint8_t *host, uint64_t count, unsigned how, struct pin_change *changes)
{
	const bool consecutive = how & PIN_IN_A_ROW && !any_numbered(p, host, count);
	const uint32_t first = consecutive ? number_find(p, count, how) : 0;
	int error = 0;
	uint64_t i = 0;
	if (first == UINT32_MAX)
		return DRV_NO_MEMORY;
	while (i < count) {
		uint8_t *page = host + i * GALENA_PAGE_SIZE;
		const bool whole = !consecutive && i % PIN_RUN == 0 && count - i >= PIN_RUN;
		uint32_t number = UINT32_MAX, taken = 1;
		if (whole)
			error = run_add(p, page, how, &number);
		if (number != UINT32_MAX) {
			taken = PIN_RUN;
		} else if (!consecutive && (number = pins_find(p, page)) != UINT32_MAX) {
			error = number_share(p, number, page, how);
		} else {
			number = consecutive ? first + (uint32_t)i : number_find(p, 1, how);
			error = number == UINT32_MAX ? DRV_NO_MEMORY : number_take(p, number, page, how);
		}
		if (error)
			goto err_drop;
		if (taken == PIN_RUN)
			runs_changes(p, number, &changes[i]);
		else
			changes[i] = change_to(p, number);
		changes[i].run = taken == PIN_RUN;
		i += taken;
	}
	return 0;
err_drop:
	pins_drop(p, changes, i, how, changes);
	return error;
}

void pins_drop(struct pins *p, const struct pin_change *added, uint64_t count, unsigned how, struct pin_change *changes)
{
	for (uint64_t i = 0; i < count;) {
		const struct pin_change a = added[i];
		if (a.run)
			runs_drop(p, a.number, how, &changes[i]);
		else
			number_drop(p, a.number, how, &changes[i]);
		i += a.run ? PIN_RUN : 1;
	}
}
