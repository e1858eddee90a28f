/* GALENA_DRAM_HASH: a hash of the DRAM of each device as it is at the device's end, by which runs are compared
 * whose traffic differs or must not be watched: the DRAM is read at that end only, so all runs as it always does.
 * A second hash leaves out pages that were private memory of work-items at any time: which work-items had which of
 * them, and what they left there, depends on the order in which work-groups ran.
 * Where kernels are translated, a line says how much of them was, so that no run passes for one that it is not. */
#ifndef GALENA_MODEL_DRAM_HASH_H
#define GALENA_MODEL_DRAM_HASH_H
#include "model/cu/compute.h"
#include "model/mem/physmem.h"

/* Of a device that begins, whose clock is *now, and of one that ends, while its units still are; the end of the
 * process is the end of all. Both do nothing when hashes are not asked for. Any thread. */
void dram_hash_begin(const struct physmem *, unsigned device, const uint64_t *now, struct compute *);
void dram_hash_end(const struct physmem *);
/* Whether anybody asks for hashes; if so, whole pages of DRAM that become private memory. */
bool dram_hash_asked(void);
void dram_hash_private(const struct physmem *, uint64_t pa, uint64_t bytes);

#endif
