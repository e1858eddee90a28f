/* Build results on disk, by a hash of all that they depend on. Internal to runtime/compiler. */
#ifndef GALENA_COMPILER_CACHE_H
#define GALENA_COMPILER_CACHE_H
#include "runtime/compiler/compiler.h"
#include <stdint.h>

struct cache_key { uint64_t low, high; };

/* Can the result be kept? Not when the source includes files of the host that no hash here covers. */
bool cache_is_possible(const struct compile_request *);
/* tools: paths of the programs and files that the result depends on; size and time of each count. */
struct cache_key cache_key_make(const struct compile_request *, const char *const *tools, size_t num_tools);
/* False when it is not there, or damaged (then it is removed). object and log are malloc'ed. */
bool cache_load(struct cache_key, void **object, size_t *size, char **log);
/* Never fails as far as the caller is concerned. */
void cache_store(struct cache_key, const void *object, size_t size, const char *log);

#endif
