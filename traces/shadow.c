#define _GNU_SOURCE /* madvise */
#include "traces/shadow.h"
#include "abi/address_map.h"
#include <stddef.h>
#include <sys/mman.h>

enum { BUCKETS = SHADOW_PAGES };

static struct shadow {
	struct shadow_page page[SHADOW_PAGES];
	uint32_t bucket[BUCKETS]; /* number of the first page, + 1 */
	uint32_t pages, hand;
	uint32_t last; /* found */
} *shadow; /* with the bytes of its pages behind it; NULL: there is none yet */

static const size_t bytes_at = (sizeof(struct shadow) + GALENA_PAGE_SIZE - 1) / GALENA_PAGE_SIZE * GALENA_PAGE_SIZE;
static const size_t shadow_size = bytes_at + SHADOW_PAGES * GALENA_PAGE_SIZE;

static uint32_t *bucket_of(uint64_t number) { return &shadow->bucket[(number ^ number >> 15) % BUCKETS]; }

struct shadow_page *shadow_find(uint64_t number)
{
	if (!shadow)
		return NULL;
	struct shadow_page *last = &shadow->page[shadow->last];
	if (last->bytes && last->number == number) {
		last->touched = true;
		return last;
	}
	for (uint32_t at = *bucket_of(number); at; at = shadow->page[at - 1].next)
		if (shadow->page[at - 1].number == number) {
			shadow->page[at - 1].touched = true;
			shadow->last = at - 1;
			return &shadow->page[at - 1];
		}
	return NULL;
}

static void forget(uint32_t index)
{
	uint32_t *link = bucket_of(shadow->page[index].number);
	while (*link != index + 1)
		link = &shadow->page[*link - 1].next;
	*link = shadow->page[index].next;
}

/* Room for one more. */
static uint32_t room_find(void)
{
	if (shadow->pages < SHADOW_PAGES)
		return shadow->pages++;
	for (;; shadow->hand = (shadow->hand + 1) % SHADOW_PAGES) {
		struct shadow_page *p = &shadow->page[shadow->hand];
		if (!p->touched)
			break;
		p->touched = false;
	}
	const uint32_t index = shadow->hand;
	shadow->hand = (index + 1) % SHADOW_PAGES;
	forget(index);
	return index;
}

struct shadow_page *shadow_add(uint64_t number)
{
	if (!shadow) {
		void *fresh = mmap(NULL, shadow_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (fresh == MAP_FAILED)
			return NULL;
		madvise(fresh, shadow_size, MADV_HUGEPAGE);
		shadow = fresh;
	}
	const uint32_t index = room_find();
	struct shadow_page *p = &shadow->page[index];
	uint32_t *bucket = bucket_of(number);
	*p = (struct shadow_page){ .number = number, .next = *bucket,
				   .bytes = (uint8_t *)shadow + bytes_at + index * GALENA_PAGE_SIZE };
	*bucket = index + 1;
	return p;
}

void shadow_drop(void)
{
	if (shadow)
		munmap(shadow, shadow_size);
	shadow = NULL;
}
