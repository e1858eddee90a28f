/* What devices see of the pin table: system memory, by the numbers of pinned pages. */
#define _GNU_SOURCE
#include "runtime/kmd/observe.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int pins_memory_init(struct pins *p)
{
	p->blocks = calloc(PIN_BLOCKS, sizeof *p->blocks);
	return p->blocks ? 0 : KMD_NO_MEMORY;
}

void pins_memory_fini(struct pins *p)
{
	for (unsigned i = 0; p->blocks && i < PIN_BLOCKS; i++)
		if (p->blocks[i])
			munmap(p->blocks[i], sizeof *p->blocks[i]);
	free(p->blocks);
}

bool pins_memory_reach(struct pins *p, uint32_t number, uint32_t count)
{
	for (uint32_t b = number / PIN_BLOCK; b <= (number + count - 1) / PIN_BLOCK; b++) {
		if (p->blocks[b])
			continue;
		void *fresh = mmap(NULL, sizeof *p->blocks[b], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (fresh == MAP_FAILED)
			return false;
		p->blocks[b] = fresh;
	}
	return true;
}

void pins_apply(struct driver *d, uint8_t *host, const struct pin_list *list)
{
	struct pins *p = &d->pins;
	const struct pin_range *r = pin_list_ranges(list);
	bool less = false, noted = tracepoints_wanted(d);
	for (uint32_t i = 0; i < list->count; i++)
		for (uint32_t n = r[i].number; n < r[i].number + r[i].count; n++, host += GALENA_PAGE_SIZE) {
			struct pin *pin = &p->blocks[n / PIN_BLOCK]->pin[n % PIN_BLOCK];
			const uint8_t before = pin_rights(*pin);
			if (noted && before != r[i].rights)
				tracepoint_pin(d, n, r[i].rights);
			const uintptr_t page = r[i].rights ? (uintptr_t)host | r[i].rights : 0;
			less |= (before & ~r[i].rights) || (before && pin_host(*pin) != host);
			pin->page = page;
		}
	if (less)
		p->generation++;
}

/* The host's address of a page that is counted from the beginning of system memory; NULL: it is not pinned so, or was taken away. */
static uint8_t *host_of(const struct pins *p, uint64_t page, bool write)
{
	const uint32_t number = page < SYSTEM_SIZE / GALENA_PAGE_SIZE ? pin_number(SYSTEM_BASE + page * GALENA_PAGE_SIZE) : UINT32_MAX;
	if (number >= PIN_WINDOWS * PIN_WINDOW || !p->blocks[number / PIN_BLOCK])
		return NULL;
	const struct pin pin = p->blocks[number / PIN_BLOCK]->pin[number % PIN_BLOCK];
	return pin_rights(pin) & (write ? PIN_WRITE : PIN_READ) ? pin_host(pin) : NULL;
}

void *pins_host(const struct pins *p, uint64_t pa)
{
	uint8_t *page = host_of(p, (pa - SYSTEM_BASE) >> GALENA_PAGE_SHIFT, false);
	return page ? page + pa % GALENA_PAGE_SIZE : NULL;
}

static int transfer(struct pins *p, uint64_t address, void *host, size_t len, bool write)
{
	if (address + len < address)
		return -1;
	for (uint64_t n = address >> GALENA_PAGE_SHIFT; len && n <= (address + len - 1) >> GALENA_PAGE_SHIFT; n++)
		if (!host_of(p, n, write))
			return -1;
	for (uint8_t *h = host; len;) {
		uint64_t offset = address % GALENA_PAGE_SIZE;
		size_t part = len < GALENA_PAGE_SIZE - offset ? len : GALENA_PAGE_SIZE - offset;
		uint8_t *at = host_of(p, address >> GALENA_PAGE_SHIFT, write);
		if (!at)
			return -1; /* taken away meanwhile */
		memcpy(write ? at + offset : h, write ? h : at + offset, part);
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
	uint8_t *page = host_of(ctx, address >> GALENA_PAGE_SHIFT, true);
	return page ? bus_exchange_at(page + address % GALENA_PAGE_SIZE, seen, desired, len) : -1;
}

static void *memory_page(void *ctx, uint64_t number, bool write) { return host_of(ctx, number, write); }

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
