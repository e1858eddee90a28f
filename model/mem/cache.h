/* Lines of system memory that the device holds where it is not coherent with the host: a
 * write-back cache with data, as large as the L2, shared by compute units and DMA engines. In the
 * coherent configuration it is not there (NULL) and is not called. Data and staleness are the same
 * in both speeds. */
#ifndef GALENA_MODEL_CACHE_H
#define GALENA_MODEL_CACHE_H
#include "abi/device_config.h"
#include "abi/events.h"
#include "model/mem/physmem.h"

struct cache;
/* NULL when the configuration is coherent, or with *failed set when memory is short. */
struct cache *cache_create(const struct device_config *, struct physmem *, struct event_sink *, bool *failed);
void cache_destroy(struct cache *);
/* Write-backs take the bus of this L2 from now on, each the dirty bytes of its line. */
struct l2;
void cache_charge(struct cache *, struct l2 *);
/* The cycle by which the bus has accepted all write-backs so far. */
uint64_t cache_written(const struct cache *);
/* Everything held is dropped, dirty lines without being written (reset). */
void cache_reset(struct cache *);
/* Any length within one page. On FAULT_BUS_ERROR nothing was read or written. */
enum fault cache_read(struct cache *, uint64_t pa, void *dst, size_t len, uint64_t cycle);
enum fault cache_write(struct cache *, uint64_t pa, const void *src, size_t len, uint64_t cycle);
/* Maintains the lines that [pa, pa + size) touches; size 0: all but those of SYSTEM_MANUAL. A dirty line that cannot be written
 * (its page is no longer pinned) is dropped and FAULT_BUS_ERROR returned at the end. */
enum fault cache_maintain(struct cache *, uint64_t pa, uint64_t size, unsigned op, uint64_t cycle);

#endif
