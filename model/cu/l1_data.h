/* The bytes of an L1 data cache, with the parameter l1_data. A load takes those of the lines that it finds; the lines that it misses
 * are read from memory as it issues. Which lines are there is found out then, in the order of the coalescer, and charged behind. */
#ifndef GALENA_MODEL_L1_DATA_H
#define GALENA_MODEL_L1_DATA_H
#include "model/engine/uop.h"

struct cu;
struct l1;

/* Gives the cache its bytes. False when there is no memory. */
bool l1_data_create(struct l1 *);
void l1_data_destroy(struct l1 *);
/* n bytes of DRAM of a load whose lines the coalescer has. */
enum fault l1_data_load(struct cu *, uint64_t pa, uint8_t *data, unsigned n);
/* Bytes that were stored in DRAM: in the lines that are there, too. */
void l1_data_store(struct l1 *, uint64_t pa, const uint8_t *data, unsigned n);
/* Of the load in progress: whether line i of the coalescer was there. */
bool l1_data_hit(const struct l1 *, uint32_t i);
/* The load in progress is charged; or it has faulted, and the cache is what it was before. */
void l1_data_end(struct l1 *);
void l1_data_undo(struct l1 *);
/* The line is there no longer. */
void l1_data_drop(struct l1 *, uint64_t line);
/* An atomic is done: with aq the cache is emptied. */
void l1_data_acquire(struct l1 *, const struct uop *);
/* The handler of a fence in whose successor set are reads. */
handler l1_data_fence;
/* Whether the instruction is one. */
static inline bool l1_data_fences(const struct uop *op, unsigned name) { return name == OP_fence && op->word >> 21 & 1; }

#endif
