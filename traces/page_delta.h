/* What differs between two states of a page, as the PAGE record of a trace holds it: extents, each a count of bytes that stay, then
 * twice the number of bytes that differ, plus 1 where all of them are 0; else these bytes follow. Counts are LEB128. */
#ifndef GALENA_TRACES_PAGE_DELTA_H
#define GALENA_TRACES_PAGE_DELTA_H
#include "abi/address_map.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a delta has at most: every second byte differs. */
enum { DELTA_BYTES_MAX = 2 * GALENA_PAGE_SIZE };

/* The bytes of length at `at` in a page. from: as they were, or NULL: unknown, then all of to is in the delta. They become those of
 * to, which other threads may change meanwhile: what is written is what from becomes. Returns the size of the delta, 0: nothing
 * differs. */
size_t delta_make(uint8_t *out, uint8_t *from, const void *to, size_t at, size_t length, bool unknown);
/* Calls apply for each extent; bytes NULL: zeros. False: it is no delta of a page. */
bool delta_read(const uint8_t *delta, size_t size, void (*apply)(void *ctx, size_t at, size_t length, const uint8_t *bytes), void *ctx);

#endif
