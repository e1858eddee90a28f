/* HOST_DIRTY: lines of system memory that the host has written, by the driver's notes, and that were not invalidated since. A transfer
 * that reads such a line is right only if the device does not hold it; CACHE_STALE reports the access if it does. */
#include "checkers/check.h"
#include "abi/address_map.h"
#include "abi/codes.h"
#include "abi/pte.h"
#include <inttypes.h>
#include <string.h>

enum { HOST_WORDS = 2 };               /* lines of a page, a bit each: of 32 bytes or more */
#define MOST_WRITTEN (1ull << 32) /* bytes of one note; a longer note is ignored */

/* A page of system memory with lines that the host has written. An entry without lines stays in the table. */
struct host_page {
	uint64_t pa; /* the key */
	uint64_t written[HOST_WORDS];
};

static struct host_page *page_find(const struct check *c, uint64_t pa)
{
	return table_find(&c->host.pages, pa / SHADOW_PAGE * SHADOW_PAGE);
}

/* Sets or clears the bits of the lines of [from, to), which lie in the page. */
static void lines_mark(const struct check *c, struct host_page *p, uint64_t from, uint64_t to, bool written)
{
	for (uint64_t line = from % SHADOW_PAGE / c->line_bytes; line <= (to - 1) % SHADOW_PAGE / c->line_bytes; line++) {
		if (written)
			p->written[line / 64] |= 1ull << line % 64;
		else
			p->written[line / 64] &= ~(1ull << line % 64);
	}
}

static uint64_t page_end(uint64_t at, uint64_t end)
{
	const uint64_t next = at / SHADOW_PAGE * SHADOW_PAGE + SHADOW_PAGE;
	return next < end ? next : end;
}

/* Only pinned pages count: devices reach no others. */
static void range_written(struct check *c, uint64_t pa, uint64_t bytes)
{
	const unsigned manual = pa >= SYSTEM_MANUAL_BASE;
	const uint64_t base = manual ? SYSTEM_MANUAL_BASE : SYSTEM_BASE;
	const uint64_t most = base + c->shadow.pins[manual].count * SHADOW_PAGE;
	const uint64_t end = pa < base || bytes > MOST_WRITTEN ? pa : pa + bytes < most ? pa + bytes : most;
	for (uint64_t at = pa, next; at < end; at = next) {
		next = page_end(at, end);
		struct host_page *p = shadow_pin(&c->shadow, at) < PIN_READ ? NULL : check_page(c, &c->host.pages, at, sizeof *p);
		if (p)
			lines_mark(c, p, at, next, true);
	}
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A long range, which may be larger than all memory, goes over the known pages. */
static void range_clear(struct check *c, uint64_t pa, uint64_t bytes)
{
	const uint64_t end = pa + bytes < pa ? UINT64_MAX : pa + bytes;
	if (bytes <= SHADOW_PAGE) {
		for (uint64_t at = pa, next; at < end; at = next) {
			struct host_page *p = page_find(c, at);
			next = page_end(at, end);
			if (p)
				lines_mark(c, p, at, next, false);
		}
		return;
	}
	for (struct host_page *p = NULL; (p = table_next(&c->host.pages, p));) {
		const uint64_t from = later(pa, p->pa), to = page_end(p->pa, end);
		if (from < to)
			lines_mark(c, p, from, to, false);
	}
}

/* What a full clean and invalidate reaches; manual: and the rest, too, as a reset does. */
static void all_clear(struct check *c, bool manual)
{
	for (struct host_page *p = NULL; (p = table_next(&c->host.pages, p));)
		if (manual || p->pa < SYSTEM_MANUAL_BASE)
			memset(p->written, 0, sizeof p->written);
}

/* By virtual address. Without a known page table no line is known to be dirty afterwards. */
static void space_clear(struct check *c, const struct event *e)
{
	for (uint64_t va = e->a, next; va - e->a < e->b; va = next) {
		next = page_end(va, e->a + e->b);
		const struct shadow_entry *entry = shadow_entry(&c->shadow, e->asid, va);
		const uint64_t pa = entry ? shadow_address(entry, va) : UINT64_MAX;
		if (pa == UINT64_MAX) {
			all_clear(c, true);
			return;
		}
		range_clear(c, pa, next - va);
	}
}

static void maintained(struct check *c, const struct event *e)
{
	if (!(e->c & CACHE_INVALIDATE))
		return;
	if (!e->b)
		all_clear(c, false);
	else if (e->kind == EVENT_MAINTAIN_PAGES)
		range_clear(c, e->a, e->b);
	else
		space_clear(c, e);
}

static void transfer_reads(struct check *c, const struct event *e)
{
	const struct shadow_entry *entry = e->a && e->asid ? shadow_entry(&c->shadow, e->asid, e->a) : NULL;
	const bool transfers = e->unit == UNIT_MEDIA || (e->unit >= UNIT_DMA && e->unit < UNIT_CU);
	if (!transfers || e->b < SYSTEM_BASE || !e->c || !c->host.pages.used || (entry && entry->pte & PTE_UNCACHED))
		return;
	check_looks(c, RULE_HOST_DIRTY);
	for (uint64_t pa = e->b / c->line_bytes * c->line_bytes; pa < e->b + e->c; pa += c->line_bytes) {
		const struct host_page *p = page_find(c, pa);
		const uint64_t line = pa % SHADOW_PAGE / c->line_bytes;
		if (!p || !(p->written[line / 64] >> line % 64 & 1))
			continue;
		check_broken(c, RULE_HOST_DIRTY, e, pa, "%s reads the line at 0x%" PRIx64
			     ", which the host has written, and which was not invalidated since", unit_name(e->unit), pa);
		return;
	}
}

static void host_event(struct check *c, const struct event *e)
{
	if (!c->line_bytes)
		return;
	switch (e->kind) {
	case EVENT_HOST_WRITE: range_written(c, e->a, e->b); break;
	case EVENT_MAINTAIN:
	case EVENT_MAINTAIN_PAGES: maintained(c, e); break;
	case EVENT_UNPIN: range_clear(c, e->a, SHADOW_PAGE); break;
	case EVENT_RESET: all_clear(c, true); break;
	case EVENT_READ: transfer_reads(c, e); break;
	}
}

const struct checker host_checker = {
	"host", host_event, { EVENT_HOST_WRITE, EVENT_MAINTAIN, EVENT_MAINTAIN_PAGES, EVENT_UNPIN, EVENT_RESET, EVENT_READ },
};
