/* Which host pages a device reaches, and under which numbers. */
#define _GNU_SOURCE
#include "runtime/device/internal.h"
#include "abi/address_map.h"
#include "abi/events.h"
#include "base/probe.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_PAGES (SYSTEM_SIZE / GALENA_PAGE_SIZE)

/* ---- what the device sees ---- */
static struct pinned_page *page_of(const struct pinned *p, uint64_t number, bool write)
{
	struct pinned_page *page = number < p->pages ? &p->page[number] : NULL;
	return page && page->host && (page->writable || !write) ? page : NULL;
}

static int transfer(const struct pinned *p, uint64_t address, uint8_t *host, size_t len, bool write)
{
	if (!len)
		return 0;
	if (address + len < address)
		return -1;
	for (uint64_t n = address / GALENA_PAGE_SIZE; n <= (address + len - 1) / GALENA_PAGE_SIZE; n++)
		if (!page_of(p, n, write))
			return -1;
	while (len) {
		uint64_t offset = address % GALENA_PAGE_SIZE;
		size_t part = len < GALENA_PAGE_SIZE - offset ? len : GALENA_PAGE_SIZE - offset;
		uint8_t *at = page_of(p, address / GALENA_PAGE_SIZE, write)->host + offset;
		memcpy(write ? at : host, write ? host : at, part);
		host += part;
		address += part;
		len -= part;
	}
	return 0;
}

static int memory_read(void *ctx, uint64_t address, void *dst, size_t len) { return transfer(ctx, address, dst, len, false); }

static int memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	return transfer(ctx, address, (void *)(uintptr_t)src, len, true);
}

static int memory_exchange(void *ctx, uint64_t address, void *seen, const void *desired, size_t len)
{
	struct pinned_page *page = page_of(ctx, address / GALENA_PAGE_SIZE, true);
	return page ? bus_exchange_at(page->host + address % GALENA_PAGE_SIZE, seen, desired, len) : -1;
}

static void *memory_page(void *ctx, uint64_t number, bool write)
{
	struct pinned_page *page = page_of(ctx, number, write);
	return page ? page->host : NULL;
}

void pinned_bus_memory(struct pinned *p, struct bus_memory *memory)
{
	*memory = (struct bus_memory){
		.ctx = p,
		.read = memory_read,
		.write = memory_write,
		.exchange = memory_exchange,
		.page = memory_page,
		.generation = &p->generation,
	};
}

void pinned_fini(struct pinned *p)
{
	for (unsigned i = 0; i < p->ranges; i++)
		if (p->range[i].owned)
			munmap(p->range[i].owned, p->range[i].pages * GALENA_PAGE_SIZE);
	free(p->page);
	free(p->range);
}

/* ---- pinning ---- */
/* The lowest run of free numbers; room for it is made. UINT64_MAX when there is none. */
static uint64_t numbers_find(struct pinned *p, uint64_t count)
{
	uint64_t run = 0, first = p->pages, end;
	for (uint64_t n = 0; n < p->pages; n++) {
		run = p->page[n].host ? 0 : run + 1;
		if (run == count) {
			first = n + 1 - count;
			break;
		}
	}
	if (first == p->pages)
		first -= run;
	end = first + count;
	if (end > MAX_PAGES)
		return UINT64_MAX;
	if (end > p->capacity) {
		uint64_t capacity = end < 1024 ? 1024 : 2 * end;
		struct pinned_page *grown = realloc(p->page, capacity * sizeof *grown);
		if (!grown)
			return UINT64_MAX;
		p->page = grown;
		p->capacity = capacity;
	}
	if (end > p->pages) {
		memset(p->page + p->pages, 0, (end - p->pages) * sizeof *p->page);
		p->pages = end;
	}
	return first;
}

static void note(struct galena_device *d, enum event_kind kind, uint64_t number, bool writable)
{
	struct event e = { .kind = (uint16_t)kind,
			   .queue = EVENT_NO_QUEUE,
			   .a = SYSTEM_BASE + number * GALENA_PAGE_SIZE,
			   .b = kind == EVENT_PIN ? writable : 0 };
	bus_note(d->bus, &e);
}

static int range_add(struct galena_device *d, void *ptr, size_t size, bool writable, void *owned, uint64_t *address)
{
	struct pinned *p = &d->pinned;
	uint64_t offset = (uintptr_t)ptr % GALENA_PAGE_SIZE;
	uint64_t pages = (offset + size + GALENA_PAGE_SIZE - 1) / GALENA_PAGE_SIZE;
	uint8_t *host = (uint8_t *)ptr - offset;
	if (p->ranges == p->ranges_capacity) {
		unsigned capacity = p->ranges ? 2 * p->ranges : 64;
		struct pinned_range *grown = realloc(p->range, capacity * sizeof *grown);
		if (!grown)
			return GALENA_NO_MEMORY;
		p->range = grown;
		p->ranges_capacity = capacity;
	}
	uint64_t first = numbers_find(p, pages);
	if (first == UINT64_MAX)
		return GALENA_NO_MEMORY;
	for (uint64_t i = 0; i < pages; i++) {
		p->page[first + i] = (struct pinned_page){ host + i * GALENA_PAGE_SIZE, writable };
		note(d, EVENT_PIN, first + i, writable);
	}
	*address = SYSTEM_BASE + first * GALENA_PAGE_SIZE + offset;
	p->range[p->ranges++] = (struct pinned_range){ first, pages, *address, owned };
	return GALENA_OK;
}

static void range_remove(struct galena_device *d, struct pinned_range *r)
{
	struct pinned *p = &d->pinned;
	void *owned = r->owned;
	uint64_t bytes = r->pages * GALENA_PAGE_SIZE;
	for (uint64_t i = 0; i < r->pages; i++) {
		p->page[r->first + i] = (struct pinned_page){ 0 };
		note(d, EVENT_UNPIN, r->first + i, false);
	}
	*r = p->range[--p->ranges];
	p->generation++;
	if (owned)
		munmap(owned, bytes);
}

int galena_device_pin(struct galena_device *d, void *ptr, size_t size, unsigned flags, uint64_t *address)
{
	bool writable = !(flags & GALENA_PIN_READ_ONLY);
	uint64_t offset = (uintptr_t)ptr % GALENA_PAGE_SIZE;
	if (!size || !address || flags & ~GALENA_PIN_READ_ONLY || size > SIZE_MAX - 2 * GALENA_PAGE_SIZE)
		return GALENA_INVALID;
	if (probe_range((uint8_t *)ptr - offset, (offset + size + GALENA_PAGE_SIZE - 1) / GALENA_PAGE_SIZE, writable))
		return GALENA_BAD_ADDRESS;
	return range_add(d, ptr, size, writable, NULL, address);
}

int galena_device_unpin(struct galena_device *d, uint64_t address)
{
	for (unsigned i = 0; i < d->pinned.ranges; i++) {
		struct pinned_range *r = &d->pinned.range[i];
		if (r->address == address && !r->owned) {
			range_remove(d, r);
			return GALENA_OK;
		}
	}
	return GALENA_INVALID;
}

void *galena_device_alloc(struct galena_device *d, size_t size, unsigned flags, uint64_t *address)
{
	if (!size || !address || flags & ~GALENA_PIN_READ_ONLY || size > SIZE_MAX - GALENA_PAGE_SIZE)
		return NULL;
	uint64_t bytes = (size + GALENA_PAGE_SIZE - 1) & ~(GALENA_PAGE_SIZE - 1);
	void *fresh = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED)
		return NULL;
	if (range_add(d, fresh, bytes, !(flags & GALENA_PIN_READ_ONLY), fresh, address)) {
		munmap(fresh, bytes);
		return NULL;
	}
	return fresh;
}

void galena_device_free(struct galena_device *d, void *ptr)
{
	for (unsigned i = 0; ptr && i < d->pinned.ranges; i++) {
		if (d->pinned.range[i].owned == ptr) {
			range_remove(d, &d->pinned.range[i]);
			return;
		}
	}
}
