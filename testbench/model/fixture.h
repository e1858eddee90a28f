/* What tests of the model share: pinned memory of a pretended host, page tables, random numbers. */
#ifndef GALENA_TESTBENCH_MODEL_FIXTURE_H
#define GALENA_TESTBENCH_MODEL_FIXTURE_H
#include "testbench/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/address_map.h"
#include "abi/bus.h"
#include "abi/pte.h"
#include "model/mem/physmem.h"

/* ---- random numbers (testbench/random.h) ---- */

static uint64_t random_state = 1;

__attribute__((unused)) static uint64_t random_next(void) { return splitmix64(&random_state); }

/* In [0, n). */
__attribute__((unused)) static uint64_t random_below(uint64_t n) { return random_next() % n; }

__attribute__((unused)) static void random_seed(int argc, char **argv) { random_state = seed_take(argc, argv); }

/* ---- the host's memory ---- */

enum { HOST_PAGES = 4096 };
enum host_rights { HOST_UNPINNED, HOST_READ, HOST_WRITE };

struct host {
	uint8_t *bytes;
	uint8_t rights[HOST_PAGES];
	uint64_t generation;
	uint64_t calls; /* of read and write */
	uint64_t next;  /* first page that host_page has not handed out */
};

__attribute__((unused)) static bool host_allows(const struct host *h, uint64_t address, size_t len, bool write)
{
	for (uint64_t p = address >> 12; len && p <= (address + len - 1) >> 12; p++)
		if (p >= HOST_PAGES || h->rights[p] < (write ? HOST_WRITE : HOST_READ))
			return false;
	return true;
}

__attribute__((unused)) static int host_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct host *h = ctx;

	h->calls++;
	if (!host_allows(h, address, len, false))
		return -1;
	memcpy(dst, h->bytes + address, len);
	return 0;
}

__attribute__((unused)) static int host_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	struct host *h = ctx;

	h->calls++;
	if (!host_allows(h, address, len, true))
		return -1;
	memcpy(h->bytes + address, src, len);
	return 0;
}

__attribute__((unused)) static void *host_page_address(void *ctx, uint64_t page, bool write)
{
	struct host *h = ctx;

	return host_allows(h, page << 12, 1, write) ? h->bytes + (page << 12) : NULL;
}

/* All pages unpinned. */
__attribute__((unused)) static struct bus_memory host_init(struct host *h, bool observed)
{
	memset(h, 0, sizeof(*h));
	h->bytes = calloc(HOST_PAGES, 4096);
	assert_non_null(h->bytes);
	h->next = 1;
	return (struct bus_memory){ .ctx = h,
				    .read = host_read,
				    .write = host_write,
				    .page = host_page_address,
				    .generation = &h->generation,
				    .observed = observed };
}

__attribute__((unused)) static void host_fini(struct host *h) { free(h->bytes); }

__attribute__((unused)) static void host_pin(struct host *h, uint64_t page, enum host_rights rights)
{
	h->rights[page] = (uint8_t)rights;
	h->generation++;
}

/* The next free page, pinned and zeroed; its physical address. */
__attribute__((unused)) static uint64_t host_page(struct host *h)
{
	assert_true(h->next < HOST_PAGES);
	host_pin(h, h->next, HOST_WRITE);
	memset(h->bytes + (h->next << 12), 0, 4096);
	return SYSTEM_BASE + (h->next++ << 12);
}

__attribute__((unused)) static void *host_at(struct host *h, uint64_t pa) { return h->bytes + (pa - SYSTEM_BASE); }

/* ---- page tables in host memory ---- */

/* A context table of one page: address spaces 0 to 511. */
__attribute__((unused)) static uint64_t *table_word(struct host *h, uint64_t table, unsigned index)
{
	return (uint64_t *)host_at(h, table) + index;
}

/* The word that maps va at this level; tables on the way are made. */
__attribute__((unused)) static uint64_t *table_entry(struct host *h, uint64_t contexts, uint16_t asid, uint64_t va,
						     unsigned level)
{
	uint64_t *word = table_word(h, contexts, asid), table;

	if (!*word)
		*word = host_page(h) | 1;
	table = *word & ~0xfffull;
	for (unsigned l = PT_LEVELS - 1; l > level; l--) {
		word = table_word(h, table, PT_INDEX(va, l));
		if (!(*word & PTE_V))
			*word = pte_make(host_page(h), PTE_V);
		table = pte_address(*word);
	}
	return table_word(h, table, PT_INDEX(va, level));
}

#define PTE_RW (PTE_V | PTE_U | PTE_R | PTE_W)

__attribute__((unused)) static void table_map(struct host *h, uint64_t contexts, uint16_t asid, uint64_t va,
					      uint64_t pa, uint64_t bits)
{
	*table_entry(h, contexts, asid, va, 0) = pte_make(pa, bits);
}

#endif
