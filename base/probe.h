/* Whether a range of the host is there. */
#ifndef GALENA_RUNTIME_DRIVER_PROBE_H
#define GALENA_RUNTIME_DRIVER_PROBE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens what probe_range() asks, which takes longer than to ask. */
void probe_open(void);

/* Checks that the host can read (or write) every page of a range, without touching contents. 0 or
 * -1. */
int probe_range(uint8_t *first_page, uint64_t pages, bool write);

/* The range lies in one mapping, which others may share (MAP_SHARED). False also where the system cannot tell. */
bool probe_shared(const uint8_t *first_page, uint64_t pages);

/* Copies what is at src, if all of it can be read. */
bool probe_copy(void *dst, const void *src, size_t size);

#endif
