/* The pin table: which host page stands behind which page number of the SYSTEM window.
 *
 * A host page has one number however often it is pinned; numbers are the lowest free ones. The
 * plan counts references; what devices see changes when the pump applies a post. */
#define _GNU_SOURCE
#include "runtime/driver/internal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NUM_PAGES = PIN_WINDOWS * PIN_WINDOW, BUCKETS_MIN = 1024, BUCKETS_MAX = 1 << 22, USED_BYTES = NUM_PAGES / 8 };

static void *map_zeroes(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

int pins_init(struct pins *p)
{
	p->blocks = calloc(PIN_BLOCKS, sizeof *p->blocks);
	p->used = map_zeroes(USED_BYTES);
	p->num_buckets = BUCKETS_MIN;
	p->hint[1] = p->last[1] = PIN_MANUAL;
	p->buckets = map_zeroes(BUCKETS_MAX * sizeof *p->buckets);
	for (unsigned w = 0; w < PIN_WINDOWS; w++)
		p->used_table[w] = (struct table){ .at = (char *)p->used + w * (USED_BYTES / PIN_WINDOWS), .size = USED_BYTES / PIN_WINDOWS, .bits = 1 };
	p->buckets_table = (struct table){ .at = (char *)p->buckets, .size = BUCKETS_MAX * sizeof *p->buckets, .bits = 8 * sizeof *p->buckets, .huge = true };
	if (p->blocks && p->used && p->buckets) {
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
	*p = (struct pins){ 0 };
}

static struct pin_plan *plan_at(const struct pins *p, uint32_t number)
{
	return &p->blocks[number / PIN_BLOCK]->plan[number % PIN_BLOCK];
}

void **pins_owner(const struct pins *p, uint32_t number)
{
	if (number >= NUM_PAGES || !p->blocks[number / PIN_BLOCK] || !plan_at(p, number)->refs)
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

uint32_t pins_find(const struct pins *p, const uint8_t *host)
{
	for (uint32_t at = *bucket_of(p, host); at; at = plan_at(p, at - 1)->next)
		if (plan_at(p, at - 1)->host == host)
			return at - 1;
	return UINT32_MAX;
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
	uint64_t i = 0;
	while (i < count && pins_find(p, host + i * GALENA_PAGE_SIZE) == UINT32_MAX)
		i++;
	return i < count;
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
	struct pin_block *fresh = map_zeroes(sizeof *fresh);
	if (!fresh)
		return false;
	madvise(fresh, offsetof(struct pin_block, owner), MADV_HUGEPAGE);
	p->blocks[index] = fresh;
	p->plan_table[index] = (struct table){ (char *)fresh->plan, sizeof fresh->plan, .bits = 8 * sizeof fresh->plan[0], .huge = true };
	p->pin_table[index] = (struct table){ (char *)fresh->pin, sizeof fresh->pin, .bits = 8 * sizeof fresh->pin[0], .huge = true };
	return true;
}

/* Of the block that the window grows in, bytes in use. */
static size_t plan_used(const struct pins *p, unsigned window)
{
	return (p->last[window] % PIN_BLOCK + 1) * sizeof(struct pin_plan);
}
static size_t bits_used(const struct pins *p, unsigned window) { return (p->last[window] % PIN_WINDOW / 64 + 1) * sizeof *p->used; }
static size_t pin_used(const struct pins *p, unsigned window) { return (p->last[window] % PIN_BLOCK + 1) * sizeof(struct pin); }

bool pins_low(const struct pins *p)
{
	bool low = table_low(&p->buckets_table, buckets_used(p));
	for (unsigned w = 0; w < PIN_WINDOWS; w++)
		low |= table_low(&p->plan_table[p->last[w] / PIN_BLOCK], plan_used(p, w));
	return low;
}

bool pins_next(struct pins *p, struct part *out)
{
	if (table_next(&p->buckets_table, buckets_used(p), out))
		return true;
	for (unsigned w = 0; w < PIN_WINDOWS; w++) {
		const uint32_t index = p->last[w] / PIN_BLOCK, next = index + 1;
		if (!p->blocks[index])
			continue;
		if (table_next(&p->used_table[w], bits_used(p, w), out) || table_next(&p->plan_table[index], plan_used(p, w), out) ||
		    table_next(&p->pin_table[index], pin_used(p, w), out))
			return true;
		if (p->plan_table[index].ready == p->plan_table[index].size && next % (PIN_WINDOW / PIN_BLOCK) &&
		    (p->blocks[next] || block_make(p, next)) &&
		    (table_next(&p->plan_table[next], 0, out) || table_next(&p->pin_table[next], 0, out)))
			return true;
	}
	return false;
}

/* The plan has room for count numbers from first on, all of one block. */
static bool plan_room(struct pins *p, uint32_t first, uint32_t count)
{
	const uint32_t index = first / PIN_BLOCK, end = first % PIN_BLOCK + count;
	uint32_t *last = &p->last[first / PIN_WINDOW];
	if (!p->blocks[index] && !block_make(p, index))
		return false;
	if (first + count - 1 > *last)
		*last = first + count - 1;
	table_need(&p->plan_table[index], end * sizeof(struct pin_plan));
	return true;
}

/* A reference of a page that had none. */
static void number_begin(struct pins *p, uint32_t number, uint8_t *host, unsigned how)
{
	*plan_at(p, number) = (struct pin_plan){ .host = host, .refs = 1, .write_refs = (how & PIN_FOR_WRITE) != 0,
						 .unaligned = (how & PIN_UNALIGNED) != 0 };
	bucket_add(p, number);
}

static bool number_take(struct pins *p, uint32_t number, uint8_t *host, unsigned how)
{
	if (!plan_room(p, number, 1))
		return false;
	if (p->num_pinned >= p->num_buckets + p->num_split)
		bucket_split(p);
	number_begin(p, number, host, how);
	p->used[number / 64] |= 1ull << (number % 64);
	p->num_pinned++;
	return true;
}

/* PIN_RUN numbers from first on, a multiple of it. */
static bool run_take(struct pins *p, uint32_t first, uint8_t *host, unsigned how)
{
	if (!plan_room(p, first, PIN_RUN))
		return false;
	for (uint32_t n = p->num_pinned; n < p->num_pinned + PIN_RUN; n++)
		if (n >= p->num_buckets + p->num_split)
			bucket_split(p);
	for (unsigned i = 0; i < PIN_RUN; i++)
		number_begin(p, first + i, host + i * GALENA_PAGE_SIZE, how);
	memset(p->used + first / 64, 0xff, PIN_RUN / 8);
	p->num_pinned += PIN_RUN;
	return true;
}

static void number_give_back(struct pins *p, uint32_t number)
{
	struct pin_plan *plan = plan_at(p, number);
	uint32_t *at = bucket_of(p, plan->host);
	while (*at != number + 1)
		at = &plan_at(p, *at - 1)->next;
	*at = plan->next;
	*plan = (struct pin_plan){ 0 };
	p->used[number / 64] &= ~(1ull << (number % 64));
	uint32_t *hint = window_hint(p, number);
	if (number < *hint)
		*hint = number;
	p->num_pinned--;
}

static uint8_t plan_rights(const struct pin_plan *plan)
{
	return (plan->refs ? PIN_READ : 0) | (plan->write_refs ? PIN_WRITE : 0);
}

static struct pin_change change_to(uint32_t number, const struct pin_plan *plan)
{
	return (struct pin_change){ number, plan_rights(plan) };
}

/* Takes one reference back. */
static void plan_drop(struct pins *p, uint32_t number, unsigned how, struct pin_change *left)
{
	struct pin_plan *plan = plan_at(p, number);
	plan->refs--;
	plan->write_refs -= (how & PIN_FOR_WRITE) != 0;
	if (how & PIN_UNALIGNED)
		plan->unaligned = false;
	*left = change_to(number, plan);
	if (!plan->refs)
		number_give_back(p, number);
}

/* One reference more of a page that has a number. */
static int number_share(struct pins *p, uint32_t number, unsigned how)
{
	struct pin_plan *plan = plan_at(p, number);
	if (how & PIN_UNALIGNED && plan->unaligned)
		return DRV_SHARED_PAGE;
	plan->refs++;
	plan->write_refs += (how & PIN_FOR_WRITE) != 0;
	plan->unaligned |= (how & PIN_UNALIGNED) != 0;
	return 0;
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
		uint32_t number = whole ? run_find(p, page, how) : UINT32_MAX, taken = 1;
		if (number != UINT32_MAX) {
			taken = PIN_RUN;
			error = run_take(p, number, page, how) ? 0 : DRV_NO_MEMORY;
		} else if (!consecutive && (number = pins_find(p, page)) != UINT32_MAX) {
			error = number_share(p, number, how);
		} else {
			number = consecutive ? first + (uint32_t)i : number_find(p, 1, how);
			error = number != UINT32_MAX && number_take(p, number, page, how) ? 0 : DRV_NO_MEMORY;
		}
		if (error)
			goto err_drop;
		for (const uint32_t end = number + taken; number < end; number++, i++)
			changes[i] = change_to(number, plan_at(p, number));
	}
	return 0;
err_drop:
	while (i--)
		plan_drop(p, changes[i].number, how, &changes[i]);
	return error;
}

void pins_drop(struct pins *p, const struct pin_change *added, uint64_t count, unsigned how, struct pin_change *changes)
{
	for (uint64_t i = 0; i < count; i++)
		plan_drop(p, added[i].number, how, &changes[i]);
}

void pins_apply(struct driver *d, uint8_t *host, const struct pin_change *changes, uint64_t count)
{
	struct pins *p = &d->pins;
	bool less = false, noted = notes_wanted(d);
	for (uint64_t i = 0; i < count; i++) {
		const struct pin_change *c = &changes[i];
		struct pin *pin = &p->blocks[c->number / PIN_BLOCK]->pin[c->number % PIN_BLOCK];
		const uint8_t before = pin_rights(*pin);
		if (noted && before != c->rights)
			note_pin(d, c->number, c->rights);
		less |= (before & ~c->rights) != 0;
		pin->page = c->rights ? (uintptr_t)(host + i * GALENA_PAGE_SIZE) | c->rights : 0;
	}
	if (less)
		p->generation++;
}

/* ---- what devices see ---- */
/* page: counted from the beginning of system memory */
static struct pin *pin_of(const struct pins *p, uint64_t page, bool write)
{
	const uint32_t number = page < SYSTEM_SIZE / GALENA_PAGE_SIZE ? pin_number(SYSTEM_BASE + page * GALENA_PAGE_SIZE) : UINT32_MAX;
	if (number >= NUM_PAGES || !p->blocks[number / PIN_BLOCK])
		return NULL;
	struct pin *pin = &p->blocks[number / PIN_BLOCK]->pin[number % PIN_BLOCK];
	return pin_rights(*pin) & (write ? PIN_WRITE : PIN_READ) ? pin : NULL;
}

void *pins_host(const struct pins *p, uint64_t pa)
{
	struct pin *pin = pin_of(p, (pa - SYSTEM_BASE) >> GALENA_PAGE_SHIFT, false);
	return pin ? pin_host(*pin) + pa % GALENA_PAGE_SIZE : NULL;
}

static int transfer(struct pins *p, uint64_t address, void *host, size_t len, bool write)
{
	if (address + len < address)
		return -1;
	for (uint64_t n = address >> GALENA_PAGE_SHIFT; len && n <= (address + len - 1) >> GALENA_PAGE_SHIFT; n++)
		if (!pin_of(p, n, write))
			return -1;
	for (uint8_t *h = host; len;) {
		uint64_t offset = address % GALENA_PAGE_SIZE;
		size_t part = len < GALENA_PAGE_SIZE - offset ? len : GALENA_PAGE_SIZE - offset;
		uint8_t *at = pin_host(*pin_of(p, address >> GALENA_PAGE_SHIFT, write)) + offset;
		if (write)
			memcpy(at, h, part);
		else
			memcpy(h, at, part);
		h += part;
		address += part;
		len -= part;
	}
	return 0;
}

static int memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	return transfer(ctx, address, dst, len, false);
}

static int memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	return transfer(ctx, address, (void *)(uintptr_t)src, len, true);
}

static int memory_exchange(void *ctx, uint64_t address, void *seen, const void *desired, size_t len)
{
	struct pin *pin = pin_of(ctx, address >> GALENA_PAGE_SHIFT, true);
	return pin ? bus_exchange_at(pin_host(*pin) + address % GALENA_PAGE_SIZE, seen, desired, len) : -1;
}

static void *memory_page(void *ctx, uint64_t number, bool write)
{
	struct pin *pin = pin_of(ctx, number, write);
	return pin ? pin_host(*pin) : NULL;
}

void pins_bus_memory(struct driver *d, struct bus_memory *memory)
{
	*memory = (struct bus_memory){
		.ctx = &d->pins,
		.read = memory_read,
		.write = memory_write,
		.exchange = memory_exchange,
		.page = memory_page,
		.generation = &d->pins.generation,
	};
}
