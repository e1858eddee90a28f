/* Physical memory of a device: its DRAM, and system memory through the bus. */
#ifndef GALENA_MODEL_PHYSMEM_H
#define GALENA_MODEL_PHYSMEM_H
#include "abi/address_map.h"
#include "abi/bus.h"
#include "abi/codes.h"

struct physmem {
	uint8_t *dram;      /* reserved lazily */
	uint64_t dram_size; /* bytes */
	int dram_fd;        /* the memfd behind it */
	struct bus_memory sys;
};

/* Returns 0, or -1 with errno set. */
int physmem_init(struct physmem *, uint64_t dram_size, const struct bus_memory *sys);
void physmem_fini(struct physmem *);

/* Any length, may cross pages. FAULT_NONE or FAULT_BUS_ERROR; on a fault a prefix of whole pages
 * may have been copied. */
enum fault physmem_read(struct physmem *, uint64_t pa, void *dst, size_t len);
enum fault physmem_write(struct physmem *, uint64_t pa, const void *src, size_t len);

/* Host address of the page that holds pa, for direct use; NULL when it is not populated, or when
 * it is system memory that is observed: then physmem_read and physmem_write tell. */
uint8_t *physmem_page(struct physmem *, uint64_t pa, bool write);

#endif
