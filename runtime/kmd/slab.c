/* The driver's own pinned memory: pages for page tables, 32-byte slots for completion records and
 * semaphore payloads, blocks for queues. It is handed out in the order of the calls and given
 * back to devices' knowledge never: what was pinned stays pinned until the driver closes. */
#define _GNU_SOURCE
#include "runtime/kmd/driver.h"
#include <stdlib.h>
#include <sys/mman.h>

/* Mapped in one go, for chunks of several objects: to map takes as long as an import does. */
enum { ROOM_PAGES = 8192 };
enum { CHUNK_PAGES = 16, SLOT_SIZE = 32, SLOTS = 4096 / SLOT_SIZE };

struct arena_room {
	struct arena_room *next;
	uint8_t *host;
	uint64_t pages;
};

struct arena_chunk {
	struct arena_chunk *next;
	uint8_t *host;
	uint64_t pages;
	struct work work;
	struct pin_list pin;
};

struct slab_page {
	struct slab_page *next, *next_with_room;
	uint8_t *host;
	uint32_t number;
	unsigned used, free_count;
	uint8_t free_list[SLOTS];
};

static void apply_pin(struct driver *d, struct work *work)
{
	struct arena_chunk *c = work_owner(work, struct arena_chunk, work);
	pins_apply(d, c->host, &c->pin);
}

static bool room_map(struct memory *m, uint64_t pages)
{
	struct arena_room *r = malloc(sizeof *r);
	if (!r)
		return false;
	*r = (struct arena_room){ m->rooms, NULL, pages };
	r->host = mmap(NULL, pages * GALENA_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->host == MAP_FAILED) {
		free(r);
		return false;
	}
	m->rooms = r;
	m->free_from = 0;
	return true;
}

/* Pages that were never used; NULL when there are none. They are handed out when the caller moves free_from. */
static uint8_t *room_for(struct memory *m, uint64_t pages)
{
	if ((!m->rooms || m->rooms->pages - m->free_from < pages) && !room_map(m, pages > ROOM_PAGES ? pages : ROOM_PAGES) &&
	    !room_map(m, pages)) /* when memory is short */
		return NULL;
	return m->rooms->host + m->free_from * GALENA_PAGE_SIZE;
}

uint8_t *memory_pin_fresh(struct driver *d, uint64_t pages, uint32_t *first_number)
{
	struct memory *m = &d->memory;
	struct arena_chunk *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->pages = pages;
	c->host = room_for(m, pages);
	if (!c->host || pins_add(&d->pins, c->host, pages, PIN_FOR_WRITE | PIN_CONTIGUOUS, &c->pin)) {
		free(c);
		return NULL;
	}
	m->free_from += pages;
	*first_number = pin_list_ranges(&c->pin)->number; /* of all: they are contiguous */
	c->next = m->chunks;
	m->chunks = c;
	c->work = (struct work){ .apply = apply_pin };
	if (d->booted)
		work_queue(d->caller, &c->work);
	else
		apply_pin(d, &c->work);
	return c->host;
}

static bool pages_reserve(struct memory *m, unsigned pages)
{
	struct page *list = realloc(m->free_pages, (size_t)pages * sizeof *list);
	if (!list)
		return false;
	m->free_pages = list;
	m->cap_free = pages;
	return true;
}

int memory_page_alloc(struct driver *d, struct page *out)
{
	struct memory *m = &d->memory;
	if (!m->num_free) {
		uint32_t number;
		if (m->cap_free < CHUNK_PAGES && !pages_reserve(m, CHUNK_PAGES))
			return KMD_NO_MEMORY;
		uint8_t *host = memory_pin_fresh(d, CHUNK_PAGES, &number);
		if (!host)
			return KMD_NO_MEMORY;
		for (unsigned i = CHUNK_PAGES; i--;)
			m->free_pages[m->num_free++] =
				(struct page){ host + i * GALENA_PAGE_SIZE, number + i, false };
	}
	*out = m->free_pages[--m->num_free];
	return 0;
}

void memory_page_free(struct driver *d, struct page page)
{
	struct memory *m = &d->memory;
	if (m->num_free == m->cap_free && !pages_reserve(m, 2 * m->cap_free))
		return; /* the page is lost until the driver closes */
	page.dirty = true;
	m->free_pages[m->num_free++] = page;
}

int memory_slot_alloc(struct driver *d, struct slot *out)
{
	struct memory *m = &d->memory;
	struct slab_page *s = m->slabs_with_room;
	if (!s) {
		s = calloc(1, sizeof *s);
		if (!s)
			return KMD_NO_MEMORY;
		/* never a page that was a table before: slots are written by requests, tables by work items */
		s->host = memory_pin_fresh(d, 1, &s->number);
		if (!s->host) {
			free(s);
			return KMD_NO_MEMORY;
		}
		s->next = m->slabs;
		m->slabs = m->slabs_with_room = s;
	}
	unsigned i = s->free_count ? s->free_list[--s->free_count] : s->used++;
	if (!s->free_count && s->used == SLOTS)
		m->slabs_with_room = s->next_with_room;
	out->page = s;
	out->host = s->host + i * SLOT_SIZE;
	out->pa = pin_pa(s->number) + i * SLOT_SIZE;
	for (unsigned w = 0; w < SLOT_SIZE / 8; w++)
		((uint64_t *)out->host)[w] = 0;
	return 0;
}

void memory_slot_free(struct driver *d, struct slot slot)
{
	struct slab_page *s = slot.page;
	unsigned i = slot.pa % GALENA_PAGE_SIZE / SLOT_SIZE;
	if (!s->free_count && s->used == SLOTS) {
		s->next_with_room = d->memory.slabs_with_room;
		d->memory.slabs_with_room = s;
	}
	s->free_list[s->free_count++] = (uint8_t)i;
}

struct queue_block *memory_block_alloc(struct driver *d)
{
	struct memory *m = &d->memory;
	struct queue_block *b = m->free_blocks;
	uint32_t number;
	if (b) {
		m->free_blocks = b->next_free;
		return b;
	}
	b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->host = memory_pin_fresh(d, BLOCK_PAGES, &number);
	if (!b->host) {
		free(b);
		return NULL;
	}
	b->pa = pin_pa(number);
	b->next = m->all_blocks;
	m->all_blocks = b;
	return b;
}

void memory_block_free(struct driver *d, struct queue_block *b)
{
	b->next_free = d->memory.free_blocks;
	d->memory.free_blocks = b;
}

void memory_fini(struct driver *d)
{
	struct memory *m = &d->memory;
	for (struct slab_page *s = m->slabs, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	for (struct queue_block *b = m->all_blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	for (struct arena_chunk *c = m->chunks, *next; c; c = next) {
		next = c->next;
		pin_list_free(&c->pin);
		free(c);
	}
	for (struct arena_room *r = m->rooms, *next; r; r = next) {
		next = r->next;
		munmap(r->host, r->pages * GALENA_PAGE_SIZE);
		free(r);
	}
	free(m->free_pages);
	*m = (struct memory){ 0 };
}
