/* Build results on disk, by a hash of all that they depend on. Internal to runtime/compiler. */
#ifndef GALENA_COMPILER_CACHE_H
#define GALENA_COMPILER_CACHE_H
#include "runtime/compiler/compiler.h"
#include <stdint.h>
#include <time.h>

struct cache_key { uint64_t low, high; };

/* The files of the host that a result depends on. */
struct compile_dependencies {
	char *list;            /* depend.h */
	size_t size;           /* 0: they are not known, and the result cannot be kept */
	struct timespec began; /* the build's begin, by the clock of files (CLOCK_REALTIME_COARSE) */
};

/* tools: paths of the programs and files that the result depends on; size and time of each count. */
struct cache_key cache_key_make(const struct compile_request *, const char *const *tools, size_t num_tools);
/* False when it is not there, or damaged (then it is removed). object and log are malloc'ed. */
bool cache_load(struct cache_key, void **object, size_t *size, char **log);
/* Stores nothing when a file of the list has changed since the build began. Never fails as far as the caller is concerned. */
void cache_store(struct cache_key, const struct compile_dependencies *, const void *object, size_t size, const char *log);

#endif
