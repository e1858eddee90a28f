#include "traces/image.h"
#include "traces/page_delta.h"
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 14 };

struct image_page {
	struct image_page *next;
	uint64_t number;
	uint8_t bytes[GALENA_PAGE_SIZE];
};

struct image { struct image_page *bucket[BUCKETS]; };

struct image *image_open(void) { return calloc(1, sizeof(struct image)); }

void image_close(struct image *m)
{
	for (size_t i = 0; m && i < BUCKETS; i++)
		for (struct image_page *p = m->bucket[i], *next; p; p = next) {
			next = p->next;
			free(p);
		}
	free(m);
}

uint8_t *image_page(const struct image *m, uint64_t number)
{
	for (struct image_page *p = m->bucket[number % BUCKETS]; p; p = p->next)
		if (p->number == number)
			return p->bytes;
	return NULL;
}

uint8_t *image_page_add(struct image *m, uint64_t number)
{
	uint8_t *bytes = image_page(m, number);
	struct image_page *p = bytes ? NULL : calloc(1, sizeof *p);
	if (!p)
		return bytes;
	p->number = number;
	p->next = m->bucket[number % BUCKETS];
	m->bucket[number % BUCKETS] = p;
	return p->bytes;
}

/* How much of length lies in the page of the address. */
static size_t part_of(uint64_t address, size_t length)
{
	const size_t left = GALENA_PAGE_SIZE - address % GALENA_PAGE_SIZE;
	return length < left ? length : left;
}

size_t image_read(const struct image *m, uint64_t address, void *dst, size_t length)
{
	size_t done = 0;
	for (size_t n; done < length; done += n) {
		const uint8_t *page = image_page(m, (address + done) / GALENA_PAGE_SIZE);
		if (!page)
			return done;
		n = part_of(address + done, length - done);
		memcpy((uint8_t *)dst + done, page + (address + done) % GALENA_PAGE_SIZE, n);
	}
	return done;
}

bool image_write(struct image *m, uint64_t address, const void *src, size_t length)
{
	for (size_t n, done = 0; done < length; done += n) {
		uint8_t *page = image_page_add(m, (address + done) / GALENA_PAGE_SIZE);
		if (!page)
			return false;
		n = part_of(address + done, length - done);
		memcpy(page + (address + done) % GALENA_PAGE_SIZE, (const uint8_t *)src + done, n);
	}
	return true;
}

static void extent_apply(void *page, size_t at, size_t length, const uint8_t *bytes)
{
	if (bytes)
		memcpy((uint8_t *)page + at, bytes, length);
	else
		memset((uint8_t *)page + at, 0, length);
}

bool image_delta(struct image *m, uint64_t address, const uint8_t *delta, size_t size)
{
	uint8_t *page = image_page_add(m, address / GALENA_PAGE_SIZE);
	return page && delta_read(delta, size, extent_apply, page);
}
