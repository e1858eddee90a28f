/* Physical memory of a device: its DRAM, and system memory through the bus. */
#ifndef GALENA_MODEL_PHYSMEM_H
#define GALENA_MODEL_PHYSMEM_H
#include "abi/address_map.h"
#include "abi/bus.h"
#include "abi/codes.h"
#include "model/inject.h"
#include "model/mem/charges.h"
#include "model/mem/reservations.h"

struct prot;
struct cache;
struct event_sink;

struct physmem {
	uint8_t *dram;      /* reserved lazily */
	uint64_t dram_size; /* bytes */
	int dram_fd;        /* the memfd behind it; -1: there is none */
	struct bus_memory sys;
	/* what stands beside it, each NULL where there is none */
	struct prot *prot;           /* protection unit */
	struct inject *inject;       /* armed faults */
	struct cache *cache;         /* lines of system memory held by a device that is not coherent */
	struct event_sink *events;   /* who looks */
	bool charged;                /* accesses are to be charged: debug builds look */
	/* who accesses, for injected faults: see physmem_by */
	uint16_t unit;
	uint64_t cycle;
	uint64_t ecc_corrected, ecc_uncorrected; /* reads that met an error */
	uint64_t ecc_fatal; /* uncorrectable ones that the command processor or a page-table walk met */
	struct reservations reservations;
};

/* Returns 0, or -1 with errno set. */
int physmem_init(struct physmem *, uint64_t dram_size, const struct bus_memory *sys);
void physmem_fini(struct physmem *);

/* Says who does the accesses that follow, and when. Every unit says so before physmem_read and
 * physmem_write; physmem_load and physmem_store say it for theirs. Kept only while a fault is armed: nothing
 * else asks, and units that run at the same time must not all write it. */
static inline void physmem_by(struct physmem *m, unsigned unit, uint64_t cycle)
{
	if (m->charged)
		charges_by(unit, cycle);
	if (m->inject && m->inject->armed) {
		m->unit = (uint16_t)unit;
		m->cycle = cycle;
	}
}

/* Any length, may cross pages. FAULT_NONE, FAULT_BUS_ERROR, or FAULT_ECC where a read met an error
 * that cannot be corrected; on a fault a prefix of whole pages may have been copied. A call is one
 * occasion for an armed fault. */
enum fault physmem_read(struct physmem *, uint64_t pa, void *dst, size_t len);
enum fault physmem_write(struct physmem *, uint64_t pa, const void *src, size_t len);
/* The same, and reservations do not see it: for who tells them himself. */
enum fault physmem_put(struct physmem *, uint64_t pa, const void *src, size_t len);

/* An atomic's store of len bytes (4 or 8, aligned), once they have been read: bus_memory.exchange, and the same for DRAM,
 * where no other access comes between. *stored: whether it did; otherwise *seen is what is there now. Reservations do not see it. */
enum fault physmem_exchange(struct physmem *, uint64_t pa, void *seen, const void *desired, size_t len, bool *stored);

/* Reads a cache line, whole: its bytes need not all be the reader's, so that no sanitizer is to judge them. */
enum fault physmem_read_line(struct physmem *, uint64_t pa, void *dst, size_t len);

/* The same for units that use physical addresses and never run a protected job (command processor,
 * semaphore unit, walker): asks the protection unit first, and reports the access. */
enum fault physmem_load(struct physmem *, unsigned unit, uint64_t pa, void *dst, size_t len, uint64_t cycle);
enum fault physmem_store(struct physmem *, unsigned unit, uint64_t pa, const void *src, size_t len, uint64_t cycle);
/* Makes a range of DRAM, whole pages, zero. */
void physmem_clear(struct physmem *, uint64_t pa, uint64_t len);

/* Host address of the page that holds pa, for direct use; NULL when it is not populated, or when
 * it is system memory that is observed, or when a fault is armed for this memory, or where a debug build looks for charges: then physmem_read and
 * physmem_write tell. Who keeps what it returns looks again after an arming (mmu_refresh). */
uint8_t *physmem_page(struct physmem *, uint64_t pa, bool write);
/* The same for those who look at memory and are no unit that accesses it: whatever is armed, or charged. */
const uint8_t *physmem_look(struct physmem *, uint64_t pa);

#endif
