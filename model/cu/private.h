/* The look for the words of a lane's private memory, before any of them is accessed. */
#ifndef GALENA_MODEL_PRIVATE_H
#define GALENA_MODEL_PRIVATE_H
#include "model/cu/cu.h"

/* Up to the first word that fails; *bad is the address, in the backing, of the last one looked for. */
enum fault lsu_private_look(struct warp *, unsigned lane, uint64_t offset, unsigned size, enum access, uint64_t *bad);

#endif
