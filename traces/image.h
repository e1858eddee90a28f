/* System memory as a trace has it: the pages that its records hold. One thread. */
#ifndef GALENA_TRACES_IMAGE_H
#define GALENA_TRACES_IMAGE_H
#include "abi/address_map.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct image *image_open(void); /* NULL: no memory */
void image_close(struct image *);
/* The bytes of a page, by its number; NULL: the trace has not held it so far. */
uint8_t *image_page(const struct image *, uint64_t number);
/* The same; a page that is not there is added, all zeros. NULL: no memory. */
uint8_t *image_page_add(struct image *, uint64_t number);
/* Copies bytes out. Returns how many were there: less than length where a page is not. */
size_t image_read(const struct image *, uint64_t address, void *dst, size_t length);
/* Adds what is not there. False: no memory. */
bool image_write(struct image *, uint64_t address, const void *src, size_t length);
/* The PAGE record of the page at the address. False: no memory, or it is no delta of a page. */
bool image_delta(struct image *, uint64_t address, const uint8_t *delta, size_t size);

#endif
