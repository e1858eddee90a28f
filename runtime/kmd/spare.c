/* Host memory of objects that are gone, kept for those to come: the kernel takes far longer to find and clear new
 * pages than a transfer takes to fill them, and applications map and unmap the same sizes over and over. */
#define _GNU_SOURCE
#include "runtime/kmd/internal.h"
#include <string.h>
#include <sys/mman.h>

enum { WORTH_PAGES = 16 };
#define SPARE_BYTES (128ull << 20)

static void drop_oldest(struct spares *s)
{
	munmap(s->host[0], s->pages[0] * GALENA_PAGE_SIZE);
	s->bytes -= s->pages[0] * GALENA_PAGE_SIZE;
	s->count--;
	memmove(s->host, s->host + 1, s->count * sizeof s->host[0]);
	memmove(s->pages, s->pages + 1, s->count * sizeof s->pages[0]);
}

uint8_t *spare_take(struct spares *s, uint64_t pages)
{
	for (unsigned i = s->count; i--;) {
		if (s->pages[i] != pages)
			continue;
		uint8_t *host = s->host[i];
		s->bytes -= pages * GALENA_PAGE_SIZE;
		s->count--;
		memmove(s->host + i, s->host + i + 1, (s->count - i) * sizeof s->host[0]);
		memmove(s->pages + i, s->pages + i + 1, (s->count - i) * sizeof s->pages[0]);
		return host;
	}
	return NULL;
}

bool spare_keep(struct spares *s, uint8_t *host, uint64_t pages)
{
	uint64_t bytes = pages * GALENA_PAGE_SIZE;
	if (pages < WORTH_PAGES || bytes > SPARE_BYTES)
		return false;
	while (s->count == SPARES_MAX || s->bytes + bytes > SPARE_BYTES)
		drop_oldest(s);
	s->host[s->count] = host;
	s->pages[s->count++] = pages;
	s->bytes += bytes;
	return true;
}

void spares_fini(struct spares *s)
{
	while (s->count)
		drop_oldest(s);
}
