/* Host memory of objects that are gone, kept for those to come: the kernel takes far longer to find and clear new
 * pages than a transfer takes to fill them, and applications map and unmap the same sizes over and over. */
#define _GNU_SOURCE
#include "runtime/kmd/driver.h"
#include <string.h>
#include <sys/mman.h>

enum { WORTH_PAGES = 16 };
#define BO_CACHE_BYTES (128ull << 20)

static void drop_oldest(struct bo_cache *s)
{
	munmap(s->host[0], s->pages[0] * GALENA_PAGE_SIZE);
	s->bytes -= s->pages[0] * GALENA_PAGE_SIZE;
	s->count--;
	memmove(s->host, s->host + 1, s->count * sizeof s->host[0]);
	memmove(s->pages, s->pages + 1, s->count * sizeof s->pages[0]);
}

uint8_t *bo_cache_take(struct bo_cache *s, uint64_t pages)
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

bool bo_cache_keep(struct bo_cache *s, uint8_t *host, uint64_t pages)
{
	uint64_t bytes = pages * GALENA_PAGE_SIZE;
	if (pages < WORTH_PAGES || bytes > BO_CACHE_BYTES)
		return false;
	while (s->count == BO_CACHE_MAX || s->bytes + bytes > BO_CACHE_BYTES)
		drop_oldest(s);
	s->host[s->count] = host;
	s->pages[s->count++] = pages;
	s->bytes += bytes;
	return true;
}

void bo_cache_fini(struct bo_cache *s)
{
	while (s->count)
		drop_oldest(s);
}
