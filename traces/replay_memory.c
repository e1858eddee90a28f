#include "traces/replay_memory.h"
#include "base/table.h"
#include "traces/page_delta.h"
#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t key; /* number of the page + 1 */
	struct memory_page *page;
};

struct replay_memory {
	struct table pages;
	struct memory_page *changed;
};

struct replay_memory *replay_memory_open(void) { return calloc(1, sizeof(struct replay_memory)); }

void replay_memory_close(struct replay_memory *m)
{
	if (!m)
		return;
	for (const struct entry *e = NULL; (e = table_next(&m->pages, e));)
		free(e->page);
	table_free(&m->pages);
	free(m);
}

struct memory_page *memory_page_find(const struct replay_memory *m, uint64_t address)
{
	const struct entry *e = table_find(&m->pages, address / GALENA_PAGE_SIZE + 1);
	return e ? e->page : NULL;
}

struct memory_page *memory_page_add(struct replay_memory *m, uint64_t address)
{
	struct entry *e = table_add(&m->pages, address / GALENA_PAGE_SIZE + 1, sizeof *e);
	if (e && !e->page && (e->page = calloc(1, sizeof *e->page)))
		e->page->number = address / GALENA_PAGE_SIZE;
	return e ? e->page : NULL;
}

static void changes(struct replay_memory *m, struct memory_page *p)
{
	if (p->changed)
		return;
	p->changed = true;
	p->next_changed = m->changed;
	m->changed = p;
}

struct memory_page *memory_changed(struct replay_memory *m)
{
	struct memory_page *p = m->changed;
	if (p) {
		m->changed = p->next_changed;
		p->changed = false;
	}
	return p;
}

static void host_stores(void *page, size_t at, size_t length, const uint8_t *bytes)
{
	struct memory_page *p = page;
	for (size_t i = at; i < at + length; i++) {
		p->expected[i] = bytes ? bytes[i - at] : 0;
		if (!page_bit(p->ahead, i))
			p->actual[i] = p->expected[i];
	}
}

bool memory_host_stores(struct replay_memory *m, uint64_t address, const uint8_t *delta, size_t size)
{
	struct memory_page *p = memory_page_add(m, address);
	if (p)
		p->held = true;
	return p && delta_read(delta, size, host_stores, p);
}

bool memory_trace_writes(struct replay_memory *m, uint64_t address, const uint8_t *data, size_t length, uint64_t record)
{
	for (size_t n; length; address += n, data += n, length -= n) {
		struct memory_page *p = memory_page_add(m, address);
		if (!p)
			return false;
		n = page_part(address, length);
		p->held = true;
		p->record = record;
		for (size_t i = address % GALENA_PAGE_SIZE, k = 0; k < n; i++, k++) {
			p->expected[i] = data[k];
			page_bit_set(p->led, i, page_bit(p->ahead, i));
			if (p->actual[i] == data[k])
				page_bit_set(p->ahead, i, false);
		}
		changes(m, p);
	}
	return true;
}

void memory_device_writes(struct replay_memory *m, uint64_t address, const uint8_t *data, size_t length)
{
	for (size_t n; length; address += n, data += n, length -= n) {
		struct memory_page *p = memory_page_find(m, address);
		const size_t at = address % GALENA_PAGE_SIZE;
		n = page_part(address, length);
		memcpy(p->actual + at, data, n);
		for (size_t i = at; i < at + n; i++)
			page_bit_set(p->ahead, i, true);
		changes(m, p);
	}
}

size_t memory_expected(const struct replay_memory *m, uint64_t address, void *out, size_t length)
{
	for (size_t n, done = 0; done < length; done += n) {
		const struct memory_page *p = memory_page_find(m, address + done);
		if (!p || !p->held)
			return done;
		n = page_part(address + done, length - done);
		memcpy((uint8_t *)out + done, p->expected + (address + done) % GALENA_PAGE_SIZE, n);
	}
	return length;
}
