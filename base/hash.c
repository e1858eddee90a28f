#define XXH_INLINE_ALL
#include "base/hash.h"
#include <xxhash.h>

uint64_t hash64(const void *data, size_t size) { return XXH3_64bits(data, size); }
