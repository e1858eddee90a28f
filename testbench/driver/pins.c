/* The pin table and the allocator of ranges by themselves, against plain references. */
#define _GNU_SOURCE
#include "testbench/driver/common.h"
#include "runtime/kmd/driver.h"
#include <sys/mman.h>

static uint64_t seed;

/* What became of each page. */
struct change {
	uint32_t number;
	uint8_t rights;
};

static void by_page(const struct pin_list *list, unsigned count, struct change *out)
{
	const struct pin_range *r = pin_list_ranges(list);
	struct pin_cursor cursor = { .list = list };
	unsigned k = 0;
	for (uint32_t i = 0; i < list->count; i++)
		for (uint32_t n = 0; n < r[i].count; n++, k++) {
			assert_true(k < count);
			out[k] = (struct change){ r[i].number + n, r[i].rights };
		}
	assert_int_equal(k, count);
	for (k = count; k--;)
		assert_int_equal(pin_list_number(&cursor, k), out[k].number);
	for (; count > 1 && k < count; k++)
		assert_int_equal(pin_list_number(&cursor, k), out[k].number);
}

static int add(struct driver *d, uint8_t *host, unsigned count, unsigned how, struct change *out)
{
	struct pin_list list = { 0 };
	int error = pins_add(&d->pins, host, count, how, &list);
	by_page(&list, error ? 0 : count, out);
	pins_apply(d, host, &list);
	pin_list_free(&list);
	return error;
}

/* Of a range without edges: what was added is what is there. */
static void drop(struct driver *d, uint8_t *host, unsigned count, unsigned how, struct change *out)
{
	struct pin_list list = { 0 }, added = { 0 };
	assert_true(pin_list_reserve(&list, count));
	for (unsigned i = 0; i < count; i++)
		assert_true(pin_list_add(&added, (struct pin_range){ .number = pins_find(&d->pins, host + i * 4096ul), .count = 1 }));
	pins_leave(&d->pins, host, count, how);
	pins_drop(&d->pins, &added, how, &list);
	by_page(&list, count, out);
	pins_apply(d, host, &list);
	pin_list_free(&list);
	pin_list_free(&added);
}

/* Random pins of overlapping ranges of one area; the reference counts by hand. */
static void random_pins(void **state)
{
	(void)state;
	enum { AREA = 200, RANGES = 60, ROUNDS = 4000 };
	struct { unsigned first, count; bool write, used; } range[RANGES] = { 0 };
	unsigned refs[AREA] = { 0 }, writes[AREA] = { 0 };
	bool taken[AREA] = { 0 };
	uint32_t number[AREA];
	struct driver *d = calloc(1, sizeof *d);
	struct bus_memory memory;
	uint8_t *area = mmap(NULL, AREA * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(pins_init(&d->pins), 0);
	pins_bus_memory(d, &memory);
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned i = splitmix64(&seed) % RANGES;
		struct change change[20];
		if (!range[i].used) {
			range[i].first = splitmix64(&seed) % (AREA - 20);
			range[i].count = 1 + splitmix64(&seed) % 20;
			range[i].write = splitmix64(&seed) % 2;
			range[i].used = true;
			assert_int_equal(add(d, area + range[i].first * 4096, range[i].count, range[i].write ? PIN_FOR_WRITE : 0,
						  change), 0);
			for (unsigned k = 0; k < range[i].count; k++) {
				unsigned page = range[i].first + k;
				unsigned lowest = 0;
				while (taken[lowest])
					lowest++;
				assert_int_equal(change[k].number, refs[page] ? number[page] : lowest);
				assert_int_equal(change[k].rights, PIN_READ | (writes[page] || range[i].write ? PIN_WRITE : 0));
				number[page] = change[k].number;
				taken[number[page]] = true;
				refs[page]++;
				writes[page] += range[i].write;
			}
		} else {
			uint64_t generation = *memory.generation;
			bool less = false;
			drop(d, area + range[i].first * 4096, range[i].count, range[i].write ? PIN_FOR_WRITE : 0, change);
			for (unsigned k = 0; k < range[i].count; k++) {
				unsigned page = range[i].first + k;
				writes[page] -= range[i].write;
				refs[page]--;
				less |= !refs[page] || (range[i].write && !writes[page]);
				assert_int_equal(change[k].number, number[page]);
				assert_int_equal(change[k].rights, (refs[page] ? PIN_READ : 0) | (writes[page] ? PIN_WRITE : 0));
				taken[number[page]] = refs[page];
			}
			assert_int_equal(*memory.generation != generation, less);
			range[i].used = false;
		}
		for (unsigned page = 0; page < AREA; page++) {
			if (!refs[page])
				continue;
			assert_ptr_equal(memory.page(memory.ctx, number[page], false), area + page * 4096);
			assert_ptr_equal(memory.page(memory.ctx, number[page], true),
					 writes[page] ? area + page * 4096 : NULL);
		}
	}
	/* transfers over pages that are not neighbours in the host, and over one that is not pinned */
	for (unsigned i = 0; i < RANGES; i++) {
		struct change change[20];
		if (!range[i].used)
			continue;
		drop(d, area + range[i].first * 4096, range[i].count, range[i].write ? PIN_FOR_WRITE : 0, change);
	}
	assert_null(memory.page(memory.ctx, 0, false));
	struct change change[3];
	static const unsigned pages[3] = { 9, 4, 7 };
	for (unsigned k = 0; k < 3; k++) {
		assert_int_equal(add(d, area + pages[k] * 4096, 1, k != 2 ? PIN_FOR_WRITE : 0, &change[k]), 0);
		assert_int_equal(change[k].number, k);
		memset(area + pages[k] * 4096, (int)k + 1, 4096);
	}
	uint8_t buffer[3 * 4096];
	assert_int_equal(memory.read(memory.ctx, 100, buffer, 2 * 4096 + 50), 0);
	assert_int_equal(buffer[0], 1);
	assert_int_equal(buffer[4096 - 100], 2);
	assert_int_equal(buffer[2 * 4096 + 49], 3);
	assert_int_equal(memory.read(memory.ctx, 3 * 4096 - 1, buffer, 2), -1);
	assert_int_equal(memory.read(memory.ctx, UINT64_MAX - 3, buffer, 100), -1);
	memset(buffer, 0xee, sizeof buffer);
	assert_int_equal(memory.write(memory.ctx, 4096 + 10, buffer, 4086), 0);
	assert_int_equal(area[4 * 4096 + 4095], 0xee);
	assert_int_equal(memory.write(memory.ctx, 4096 + 10, buffer, 4087), -1); /* the third is read-only */
	assert_int_equal(area[7 * 4096], 3);
	for (unsigned k = 0; k < 3; k++)
		drop(d, area + pages[k] * 4096, 1, k != 2 ? PIN_FOR_WRITE : 0, change);
	/* a row of numbers starts after what is taken */
	assert_int_equal(add(d, area, 1, PIN_FOR_WRITE, change), 0);
	struct change row[10];
	assert_int_equal(add(d, area + 10 * 4096, 10, PIN_FOR_WRITE | PIN_CONTIGUOUS, row), 0);
	for (unsigned k = 0; k < 10; k++)
		assert_int_equal(row[k].number, change[0].number + 1 + k);
	pins_fini(&d->pins);
	munmap(area, AREA * 4096);
	free(d);
}

static bool one_free(const struct extents *e, uint64_t size)
{
	const struct extent *x = extents_at(e, e->base);
	return !x->refs && x->count == size && x->longest == size && !e->used;
}

/* Random allocations against a map of the range. */
static void random_extents(void **state)
{
	(void)state;
	enum { SIZE = 4096, LIVE = 100, ROUNDS = 20000 };
	static bool taken[SIZE];
	struct { uint64_t base, size; } live[LIVE] = { 0 };
	struct extents e;
	assert_int_equal(extents_init(&e, 1 << 20, SIZE), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned i = splitmix64(&seed) % LIVE;
		if (live[i].size) {
			extents_free(&e, live[i].base, live[i].size);
			memset(taken + live[i].base - (1 << 20), 0, live[i].size);
			live[i].size = 0;
			continue;
		}
		uint64_t size = 1 + splitmix64(&seed) % 90, align = 1ull << splitmix64(&seed) % 8;
		uint64_t expected = UINT64_MAX;
		for (unsigned at = 0; at + size <= SIZE && expected == UINT64_MAX; at += align) {
			unsigned k = 0;
			while (k < size && !taken[at + k])
				k++;
			if (k == size)
				expected = (1 << 20) + at;
		}
		uint64_t base = extents_alloc(&e, size, align);
		assert_int_equal(base, expected);
		if (base == UINT64_MAX)
			continue;
		memset(taken + base - (1 << 20), 1, size);
		live[i].base = base;
		live[i].size = size;
	}
	for (unsigned i = 0; i < LIVE; i++)
		if (live[i].size)
			extents_free(&e, live[i].base, live[i].size);
	assert_true(one_free(&e, SIZE));
	extents_fini(&e);
}

/* 2 MiB of pages have numbers in a row, at a multiple of 512, where none was pinned before; where some were, these keep
 * theirs. */
static void runs_of_pages(void **state)
{
	(void)state;
	enum { AREA = 3 * PIN_RUN + 100 };
	struct driver *d = calloc(1, sizeof *d);
	struct change *change = calloc(AREA, sizeof *change), early[3];
	struct change *pinned = calloc(AREA, sizeof *pinned);
	uint8_t *area = mmap(NULL, AREA * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(pins_init(&d->pins), 0);
	/* a page in the second run, two behind the last */
	assert_int_equal(add(d, area + (PIN_RUN + 7) * 4096, 1, PIN_FOR_WRITE, &early[0]), 0);
	assert_int_equal(add(d, area + (3 * PIN_RUN + 98) * 4096, 2, PIN_FOR_WRITE, &early[1]), 0);
	for (unsigned round = 0; round < 3; round++) {
		assert_int_equal(add(d, area, AREA, round ? PIN_FOR_WRITE : 0, change), 0);
		uint8_t *seen = calloc(PIN_BLOCK * 2, 1);
		for (unsigned i = 0; i < AREA; i++) {
			bool run = i / PIN_RUN == 0 || i / PIN_RUN == 2;
			if (run)
				assert_int_equal(change[i].number, change[i - i % PIN_RUN].number + i % PIN_RUN);
			if (run && i % PIN_RUN == 0)
				assert_int_equal(change[i].number % PIN_RUN, 0);
			assert_true(change[i].number < PIN_BLOCK * 2);
			assert_int_equal(seen[change[i].number]++, 0);
			assert_int_equal(pins_find(&d->pins, area + i * 4096), change[i].number);
			pinned[i] = change[i];
		}
		free(seen);
		assert_int_equal(pinned[PIN_RUN + 7].number, early[0].number);
		assert_int_equal(pinned[3 * PIN_RUN + 99].number, early[2].number);
		drop(d, area, AREA, round ? PIN_FOR_WRITE : 0, change);
		for (unsigned i = 0; i < AREA; i++)
			assert_int_equal(change[i].rights != 0, i == PIN_RUN + 7 || i >= 3 * PIN_RUN + 98);
	}
	assert_int_equal(pins_count(&d->pins), 3);
	munmap(area, AREA * 4096);
	pins_fini(&d->pins);
	free(pinned);
	free(change);
	free(d);
}

/* Random pins of hundreds of pages, which are pinned as a whole, a part of it, or one by one, with and without others on the same pages:
 * what each page is then is what its references by hand make it, and one that would share a page that must not be leaves all as it was. */
static void random_runs(void **state)
{
	(void)state;
	enum { AREA = 6 * PIN_RUN, RANGES = 10, ROUNDS = 3000, MOST = 3 * PIN_RUN, STEP = PIN_RUN / 4 };
	static struct { unsigned first, count, how; bool used; } range[RANGES];
	static unsigned refs[AREA], writes[AREA], unaligned[AREA];
	static uint32_t number[AREA];
	static struct change change[MOST];
	struct driver *d = calloc(1, sizeof *d);
	struct bus_memory memory;
	uint8_t *area = mmap(NULL, AREA * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned wholes = 0, parts = 0, refused = 0;
	assert_ptr_not_equal(area, MAP_FAILED);
	assert_int_equal(pins_init(&d->pins), 0);
	pins_bus_memory(d, &memory);
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned i = splitmix64(&seed) % RANGES, most, pinned = 0;
		uint8_t *at;
		if (!range[i].used) {
			bool shared = false, fresh = false;
			range[i].first = splitmix64(&seed) % (AREA / STEP) * STEP;
			most = AREA - range[i].first < MOST ? AREA - range[i].first : MOST;
			range[i].count = splitmix64(&seed) % 2 ? most : 1 + splitmix64(&seed) % most;
			range[i].how = (splitmix64(&seed) % 2 ? PIN_FOR_WRITE : 0) | (splitmix64(&seed) % 4 ? 0 : PIN_UNALIGNED);
			at = area + range[i].first * 4096;
			for (unsigned k = 0; k < range[i].count && range[i].how & PIN_UNALIGNED; k++)
				shared |= unaligned[range[i].first + k];
			refused += shared;
			assert_int_equal(add(d, at, range[i].count, range[i].how, change), shared ? KMD_SHARED_PAGE : 0);
			for (unsigned k = 0; k < range[i].count && !shared; k++) {
				const unsigned page = range[i].first + k;
				const unsigned in_run = k % PIN_RUN;
				if (!in_run)
					fresh = k + PIN_RUN <= range[i].count;
				for (unsigned n = page; !in_run && fresh && n < page + PIN_RUN; n++)
					fresh = !refs[n];
				if (fresh)
					assert_int_equal(change[k].number, in_run ? change[k - 1].number + 1 : change[k].number / PIN_RUN * PIN_RUN);
				wholes += fresh;
				parts += refs[page] != 0;
				if (refs[page])
					assert_int_equal(change[k].number, number[page]);
				number[page] = change[k].number;
				refs[page]++;
				writes[page] += (range[i].how & PIN_FOR_WRITE) != 0;
				unaligned[page] += (range[i].how & PIN_UNALIGNED) != 0;
			}
			range[i].used = !shared;
		} else {
			drop(d, area + range[i].first * 4096, range[i].count, range[i].how, change);
			for (unsigned k = 0; k < range[i].count; k++) {
				const unsigned page = range[i].first + k;
				refs[page]--;
				writes[page] -= (range[i].how & PIN_FOR_WRITE) != 0;
				unaligned[page] -= (range[i].how & PIN_UNALIGNED) != 0;
			}
			range[i].used = false;
		}
		uint8_t *taken = calloc(2 * AREA, 1);
		for (unsigned page = 0; page < AREA; page++) {
			assert_int_equal(pins_find(&d->pins, area + page * 4096), refs[page] ? number[page] : UINT32_MAX);
			pinned += refs[page] != 0;
			if (!refs[page])
				continue;
			assert_true(number[page] < 2 * AREA);
			assert_int_equal(taken[number[page]]++, 0);
			assert_ptr_equal(pins_host(&d->pins, pin_pa(number[page])), area + page * 4096);
			assert_ptr_equal(memory.page(memory.ctx, number[page], false), area + page * 4096);
			assert_ptr_equal(memory.page(memory.ctx, number[page], true), writes[page] ? area + page * 4096 : NULL);
		}
		for (unsigned n = 0; n < 2 * AREA; n++)
			if (!taken[n])
				assert_null(memory.page(memory.ctx, n, false));
		free(taken);
		assert_int_equal(pins_count(&d->pins), pinned);
	}
	assert_true(wholes > 100 && parts > 100 && refused > 20); /* all three happened */
	for (unsigned i = 0; i < RANGES; i++)
		if (range[i].used)
			drop(d, area + range[i].first * 4096, range[i].count, range[i].how, change);
	assert_int_equal(pins_count(&d->pins), 0);
	/* a page of a run that must not be shared, and a run none of whose pages must be */
	static struct change whole[PIN_RUN], again[PIN_RUN];
	struct change page;
	assert_int_equal(add(d, area, PIN_RUN, 0, whole), 0);
	assert_int_equal(add(d, area + 100 * 4096, 1, PIN_UNALIGNED, &page), 0);
	assert_int_equal(page.number, whole[100].number);
	assert_int_equal(add(d, area, PIN_RUN, PIN_UNALIGNED, again), KMD_SHARED_PAGE);
	drop(d, area + 100 * 4096, 1, PIN_UNALIGNED, change);
	assert_int_equal(add(d, area, PIN_RUN, PIN_UNALIGNED, again), 0);
	assert_int_equal(add(d, area + 100 * 4096, 1, PIN_UNALIGNED, &page), KMD_SHARED_PAGE);
	drop(d, area, PIN_RUN, PIN_UNALIGNED, change);
	assert_int_equal(add(d, area + 100 * 4096, 1, PIN_UNALIGNED, &page), 0);
	drop(d, area, PIN_RUN, 0, change);
	for (unsigned i = 0; i < PIN_RUN; i++)
		assert_int_equal(change[i].rights, i == 100 ? PIN_READ : 0);
	assert_int_equal(pins_count(&d->pins), 1);
	pins_fini(&d->pins);
	munmap(area, AREA * 4096);
	free(d);
}

/* A range with its list, as a buffer object has it. */
struct ranged {
	uint8_t *host;
	unsigned count, how;
	bool left;
	struct pin_list added;
};

static int ranged_add(struct driver *d, struct ranged *r)
{
	int error = pins_add(&d->pins, r->host, r->count, r->how, &r->added);
	if (!error)
		pins_apply(d, r->host, &r->added);
	return error;
}

static void ranged_leave(struct driver *d, struct ranged *r)
{
	if (!r->left)
		pins_leave(&d->pins, r->host, r->count, r->how);
	r->left = true;
}

static void ranged_drop(struct driver *d, struct ranged *r)
{
	struct pin_list list = { 0 };
	assert_true(pin_list_reserve(&list, r->count));
	ranged_leave(d, r);
	pins_drop(&d->pins, &r->added, r->how, &list);
	pins_apply(d, r->host, &list);
	pin_list_free(&list);
	pin_list_free(&r->added);
	*r = (struct ranged){ 0 };
}

/* Another one that has not been left has pages in common with it, of which they are not both at an edge. */
static bool whole_pages_meet(const struct ranged *all, unsigned count, const struct ranged *r)
{
	bool meet = false;
	for (const struct ranged *o = all; o < all + count; o++)
		meet |= o != r && o->host && !o->left && r->host + r->count * 4096ul > o->host + 4096 && o->host + o->count * 4096ul > r->host + 4096;
	return meet;
}

/* Ranges that begin and end within pages: whether two that lie side by side have a page in common shows in no PFN, nor whether one lies
 * where another was that has been given up, but not yet by devices. */
static void edges_and_places(void **state)
{
	(void)state;
	enum { RANGES = 24, ROUNDS = 3000, MOST = PIN_RUN + 40, AREA = RANGES * (MOST + 1) };
	static struct ranged packed[RANGES], apart[RANGES];
	struct driver *d = calloc(1, sizeof *d), *e = calloc(1, sizeof *e);
	struct bus_memory memory;
	uint8_t *area = mmap(NULL, 2 * (size_t)AREA * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned made = 0;
	assert_ptr_not_equal(area, MAP_FAILED);
	assert_int_equal(pins_init(&d->pins) | pins_init(&e->pins), 0);
	pins_bus_memory(d, &memory);
	for (unsigned round = 0; round < ROUNDS; round++) {
		const unsigned i = splitmix64(&seed) % RANGES;
		if (packed[i].added.count && splitmix64(&seed) % 2 && !packed[i].left) {
			ranged_leave(d, &packed[i]);
			ranged_leave(e, &apart[i]);
		} else if (packed[i].added.count) {
			ranged_drop(d, &packed[i]);
			ranged_drop(e, &apart[i]);
		} else {
			const struct ranged *before = &packed[(i + RANGES - 1) % RANGES];
			const unsigned how = (splitmix64(&seed) % 2 ? PIN_FOR_WRITE : 0) | PIN_PART_FIRST | PIN_PART_LAST;
			packed[i] = (struct ranged){ .count = splitmix64(&seed) % 4 ? 1 + splitmix64(&seed) % 30 : MOST - splitmix64(&seed) % 30, .how = how };
			apart[i] = packed[i];
			/* its first page is the last one of the range before it, or it lies at the place of one that has been left */
			packed[i].host = before->host && !before->left ? before->host + (before->count - 1) * 4096ul : area + splitmix64(&seed) % (AREA - MOST) * 4096;
			apart[i].host = area + (AREA + (size_t)i * MOST) * 4096;
			if (whole_pages_meet(packed, RANGES, &packed[i])) {
				packed[i] = apart[i] = (struct ranged){ 0 };
				continue;
			}
			assert_int_equal(ranged_add(d, &packed[i]), 0);
			assert_int_equal(ranged_add(e, &apart[i]), 0);
			made++;
		}
		struct pin_cursor one = { .list = &packed[i].added }, other = { .list = &apart[i].added };
		for (unsigned k = 0; packed[i].added.count && k < packed[i].count; k++) {
			const uint32_t number = pin_list_number(&one, k);
			assert_int_equal(number, pin_list_number(&other, k));
			assert_ptr_equal(memory.page(memory.ctx, number, false), packed[i].host + k * 4096ul);
		}
	}
	assert_true(made > ROUNDS / 10);
	for (unsigned i = 0; i < RANGES; i++)
		if (packed[i].added.count) {
			ranged_drop(d, &packed[i]);
			ranged_drop(e, &apart[i]);
		}
	assert_int_equal(pins_count(&d->pins) | pins_count(&e->pins), 0);
	munmap(area, 2 * (size_t)AREA * 4096);
	pins_fini(&d->pins);
	pins_fini(&e->pins);
	free(d);
	free(e);
}

/* A page of a range that must not be shared is free for another one when the first has been given up, with a PFN of its own. */
static void edges_that_are_claimed(void **state)
{
	(void)state;
	struct driver *d = calloc(1, sizeof *d);
	uint8_t *area = mmap(NULL, 4 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ranged whole = { .host = area, .count = 4 }, first = { .host = area, .count = 2, .how = PIN_UNALIGNED | PIN_PART_LAST };
	struct ranged second = { .host = area + 4096, .count = 2, .how = PIN_UNALIGNED | PIN_PART_FIRST };
	assert_ptr_not_equal(area, MAP_FAILED);
	assert_int_equal(pins_init(&d->pins), 0);
	assert_int_equal(ranged_add(d, &whole), 0);
	assert_int_equal(ranged_add(d, &first), 0);
	assert_int_equal(ranged_add(d, &second), KMD_SHARED_PAGE);
	assert_int_equal(pins_find(&d->pins, area), pin_list_ranges(&first.added)[0].number); /* a whole page is shared */
	ranged_leave(d, &first);
	assert_int_equal(ranged_add(d, &second), 0);
	assert_int_equal(pins_count(&d->pins), 4 + 1 + 1);
	assert_int_equal(ranged_add(d, &(struct ranged){ .host = area + 4096, .count = 1, .how = PIN_UNALIGNED }), KMD_SHARED_PAGE);
	ranged_drop(d, &first);
	ranged_drop(d, &second);
	ranged_drop(d, &whole);
	assert_int_equal(pins_count(&d->pins), 0);
	pins_fini(&d->pins);
	munmap(area, 4 * 4096);
	free(d);
}

/* Memory is short after so many calls of realloc(); -1: never. */
static int short_after = -1;
void *__real_realloc(void *, size_t);
__attribute__((visibility("default"))) void *__wrap_realloc(void *at, size_t size);
void *__wrap_realloc(void *at, size_t size)
{
	if (!short_after)
		return NULL;
	short_after -= short_after > 0;
	return __real_realloc(at, size);
}

/* Pins that overlap others, while memory is short at each of its allocations in turn: those that fail leave all as it was. */
static void short_of_memory(void **state)
{
	(void)state;
	enum { AREA = 3 * PIN_RUN, RANGES = 40, ROUNDS = 400 };
	static struct { unsigned first, count, how; } range[RANGES];
	static uint32_t before[AREA];
	static struct change change[AREA];
	static unsigned refs[AREA];
	struct driver *d = calloc(1, sizeof *d);
	uint8_t *area = mmap(NULL, AREA * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned failed = 0;
	assert_ptr_not_equal(area, MAP_FAILED);
	assert_int_equal(pins_init(&d->pins), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		const unsigned i = round % RANGES;
		for (unsigned k = 0; k < range[i].count; k++)
			refs[range[i].first + k]--;
		if (range[i].count)
			drop(d, area + range[i].first * 4096, range[i].count, range[i].how, change);
		range[i].first = splitmix64(&seed) % AREA;
		range[i].count = 1 + splitmix64(&seed) % (AREA - range[i].first);
		range[i].how = splitmix64(&seed) % 2 ? PIN_FOR_WRITE : 0;
		const uint32_t pinned = pins_count(&d->pins);
		for (unsigned page = 0; page < AREA; page++)
			before[page] = pins_find(&d->pins, area + page * 4096);
		for (int calls = 0, error = KMD_NO_MEMORY; error; calls++) {
			short_after = calls;
			error = add(d, area + range[i].first * 4096, range[i].count, range[i].how, change);
			short_after = -1;
			failed += error != 0;
			assert_true(!error || error == KMD_NO_MEMORY);
			assert_true(calls < 1000);
			assert_int_equal(!error || pins_count(&d->pins) == pinned, true);
			for (unsigned page = 0; error && page < AREA; page++)
				assert_int_equal(pins_find(&d->pins, area + page * 4096), before[page]);
		}
		for (unsigned k = 0; k < range[i].count; k++)
			refs[range[i].first + k]++;
		for (unsigned page = 0; page < AREA; page++)
			assert_int_equal(pins_find(&d->pins, area + page * 4096) != UINT32_MAX, refs[page] != 0);
	}
	assert_true(failed > ROUNDS / 4);
	for (unsigned i = 0; i < RANGES; i++)
		drop(d, area + range[i].first * 4096, range[i].count, range[i].how, change);
	assert_int_equal(pins_count(&d->pins), 0);
	assert_true(one_free(&d->pins.numbers[0], PIN_WINDOW) && one_free(&d->pins.shared, 1ull << 52)); /* nothing is left */
	pins_fini(&d->pins);
	munmap(area, AREA * 4096);
	free(d);
}

/* So many pages that the table of them grows several times: each is found while it is pinned, by its number and by its address, and not
 * after. */
static void many_pins(void **state)
{
	(void)state;
	enum { AREA = 1 << 22, PAGES = 20000, ROUNDS = 3 }; /* 16 GiB */
	static uint32_t page[PAGES];
	static struct change pinned[PAGES];
	static uint8_t taken[AREA];
	struct driver *d = calloc(1, sizeof *d);
	struct bus_memory memory;
	uint8_t *area = mmap(NULL, AREA * 4096ul, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(area, MAP_FAILED);
	assert_int_equal(pins_init(&d->pins), 0);
	pins_bus_memory(d, &memory);
	for (unsigned round = 0; round < ROUNDS; round++) {
		memset(taken, 0, sizeof taken);
		for (unsigned i = 0; i < PAGES; i++) {
			do
				page[i] = splitmix64(&seed) % AREA;
			while (taken[page[i]]);
			taken[page[i]] = 1;
			assert_int_equal(add(d, area + page[i] * 4096ul, 1, 0, &pinned[i]), 0);
			assert_int_equal(pinned[i].number, i); /* the lowest free one */
		}
		for (unsigned i = 0; i < PAGES; i++) {
			assert_int_equal(pins_find(&d->pins, area + page[i] * 4096ul), pinned[i].number);
			assert_ptr_equal(memory.page(memory.ctx, pinned[i].number, false), area + page[i] * 4096ul);
		}
		for (unsigned i = 0; i < PAGES; i++) {
			const uint32_t number = pinned[i].number;
			struct change change;
			drop(d, area + page[i] * 4096ul, 1, 0, &change);
			assert_int_equal(pins_find(&d->pins, area + page[i] * 4096ul), UINT32_MAX);
			assert_null(memory.page(memory.ctx, number, false));
		}
	}
	pins_fini(&d->pins);
	munmap(area, AREA * 4096ul);
	free(d);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = { cmocka_unit_test(runs_of_pages), cmocka_unit_test(random_runs),
		cmocka_unit_test(edges_and_places), cmocka_unit_test(edges_that_are_claimed),
		cmocka_unit_test(random_pins), cmocka_unit_test(short_of_memory), cmocka_unit_test(many_pins), cmocka_unit_test(random_extents) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
