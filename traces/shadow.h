/* What a trace knows of system memory: the pages that devices have touched, as the trace has them. Bounded: of more than SHADOW_PAGES
 * pages, those that were not touched for a while are forgotten, and written whole when a device touches them again. One thread at a
 * time. It runs inside the application: its pages are not of the application's heap. */
#ifndef GALENA_TRACES_SHADOW_H
#define GALENA_TRACES_SHADOW_H
#include <stdbool.h>
#include <stdint.h>

enum { SHADOW_PAGES = 1 << 15 }; /* 128 MiB */

struct shadow_page {
	uint64_t number;  /* of the page: bus address / page size */
	uint64_t call;    /* of the host, during which it was last compared */
	uint32_t next;    /* of the same bucket, + 1 */
	bool touched;     /* since the search for what to forget came by */
	uint8_t *bytes;
};

/* The page, or NULL: the trace does not know it. */
struct shadow_page *shadow_find(uint64_t number);
/* A page that the trace does not know, of which nothing is known yet. NULL: there is no memory. */
struct shadow_page *shadow_add(uint64_t number);
/* Forgets everything. */
void shadow_drop(void);

#endif
