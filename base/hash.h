/* Hashes of bytes, for names and checksums. Files have such values: they stay the same. */
#ifndef GALENA_BASE_HASH_H
#define GALENA_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

/* XXH3, 64 bits, seed 0. */
uint64_t hash64(const void *data, size_t size);

#endif
