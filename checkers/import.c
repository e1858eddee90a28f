/* IMPORT_PINNED, IMPORT_COPIED, IMPORT_DIRTY, IMPORT_UNASKED, IMPORT_UNMAPPED: the promises of cl_arm_import_memory about memory of the application. The
 * driver notes which buffers are imports, and which of them it or the runtime keeps consistent. Imports in DRAM are protected memory,
 * which the checker `protection` covers. */
#include "checkers/check.h"
#include "abi/address_map.h"
#include "abi/codes.h"
#include "abi/packets.h"
#include <inttypes.h>
#include <string.h>

enum { DIRTY_WORDS = 2 }; /* lines have 32 bytes or more */

/* A page of system memory that an import has, or had. */
struct import_page {
	uint64_t pa;                /* the key */
	uint32_t imports;           /* live, that have it */
	bool held;                  /* it was not unpinned since an import had it; afterwards the page frame may hold another page */
	bool had;                   /* a buffer has it at the end, or the breach was reported */
	uint64_t dirty[DIRTY_WORDS]; /* lines that the queue's commands have written and caches hold, a bit each */
	uint64_t va, ended;         /* its address in the last import; when that ended */
	uint16_t queue, asid;
};

static struct import_page *page_find(const struct check *c, uint64_t pa)
{
	return table_find(&c->import.pages, pa / SHADOW_PAGE * SHADOW_PAGE);
}

/* ---- how long pages are pinned ---- */

typedef void page_fn(struct check *, const struct shadow_buffer *, uint64_t va, uint64_t pa, const struct event *);

/* Each page of system memory that a buffer has; it is mapped. */
static void buffer_pages(struct check *c, const struct shadow_buffer *b, page_fn *fn, const struct event *e)
{
	for (uint64_t va = b->va / SHADOW_PAGE * SHADOW_PAGE; va < b->va + b->bytes; va += SHADOW_PAGE) {
		const struct shadow_entry *entry = shadow_entry(&c->shadow, b->asid, va);
		uint64_t pa = entry ? shadow_address(entry, va) : UINT64_MAX;
		if (pa >= SYSTEM_BASE && pa != UINT64_MAX)
			fn(c, b, va, pa, e);
	}
}

static void page_begins(struct check *c, const struct shadow_buffer *b, uint64_t va, uint64_t pa, const struct event *e)
{
	struct import_page *p = check_page(c, &c->import.pages, pa, sizeof *p);
	if (!p)
		return;
	p->imports++;
	p->held = true;
	p->va = va;
	p->asid = b->asid;
	check_looks(c, RULE_IMPORT_PINNED);
	if (shadow_pin(&c->shadow, pa) < PIN_READ)
		check_broken(c, RULE_IMPORT_PINNED, e, va, "the import at 0x%" PRIx64 " has page 0x%" PRIx64 ", which is not pinned",
			     b->va, pa);
}

static void page_ends(struct check *c, const struct shadow_buffer *b, uint64_t va, uint64_t pa, const struct event *e)
{
	struct import_page *p = page_find(c, pa);
	(void)b;
	(void)va;
	if (!p || !p->imports)
		return;
	p->imports--;
	p->ended = e->cycle;
}

static void unpinned(struct check *c, const struct event *e)
{
	struct import_page *p = page_find(c, e->a);
	if (p)
		p->held = false;
	if (p && p->imports)
		check_broken(c, RULE_IMPORT_PINNED, e, p->va, "page 0x%" PRIx64 " is unpinned; an import has it at 0x%" PRIx64, p->pa, p->va);
}

static void page_had(struct check *c, const struct shadow_buffer *b, uint64_t va, uint64_t pa, const struct event *e)
{
	struct import_page *p = page_find(c, pa);
	(void)b;
	(void)va;
	(void)e;
	if (p)
		p->had = true;
}

/* Pages of imports that are gone stay pinned for as long as other buffers have them. */
void import_finish(struct check *c)
{
	for (size_t i = 0; c->import.pages.used && i < c->shadow.num_buffers; i++)
		if (c->shadow.buffers[i].live)
			buffer_pages(c, &c->shadow.buffers[i], page_had, NULL);
	for (struct import_page *p = NULL; (p = table_next(&c->import.pages, p));) {
		if (p->had || !p->held)
			continue;
		p->had = true;
		const struct event end = { .cycle = p->ended, .unit = UNIT_HOST, .queue = EVENT_NO_QUEUE, .asid = p->asid };
		check_broken(c, RULE_IMPORT_PINNED, &end, p->va, "page 0x%" PRIx64 " is still pinned; its import at 0x%" PRIx64
			     " ended at cycle %" PRIu64, p->pa, p->va, p->ended);
	}
}

/* ---- transfers and maintenance ---- */

static const struct shadow_buffer *import_at(struct check *c, const struct event *e, uint64_t va)
{
	const struct shadow_buffer *b = e->asid && va ? shadow_buffer(&c->shadow, e->asid, va) : NULL;
	return b && b->live && b->imported ? b : NULL;
}

static void transfer(struct check *c, const struct event *e)
{
	if (!e->c || !c->import.pages.used)
		return; /* it only maintains caches, or there has been no import */
	const struct shadow_buffer *from = import_at(c, e, e->a), *to = import_at(c, e, e->b);
	check_looks(c, RULE_IMPORT_COPIED);
	if (from || to)
		check_broken(c, RULE_IMPORT_COPIED, e, from ? e->a : e->b, "%s copies %" PRIu64 " bytes %s the import at 0x%" PRIx64,
			     unit_name(e->unit), e->c, from ? "from" : "to", (from ? from : to)->va);
}

static void maintained(struct check *c, const struct event *e)
{
	const struct shadow_buffer *b = e->b ? import_at(c, e, e->a) : NULL;
	if (!b)
		return;
	check_looks(c, RULE_IMPORT_UNASKED);
	if (!b->consistent)
		check_broken(c, RULE_IMPORT_UNASKED, e, e->a, "%s maintains %" PRIu64 " bytes of the import at 0x%" PRIx64
			     ", whose consistency is the application's", unit_name(e->unit), e->b, b->va);
}

/* ---- lines that were written ---- */

/* Lines of the page that are held dirty, each counted for its queue. */
static void page_count(struct check *c, const struct import_page *p, int sign)
{
	for (unsigned i = 0; i < DIRTY_WORDS; i++)
		c->import.dirty[p->queue] += (unsigned)(sign * __builtin_popcountll(p->dirty[i]));
}

static uint64_t *word_of(const struct check *c, struct import_page *p, uint64_t pa, uint64_t *bit)
{
	const uint64_t line = pa % SHADOW_PAGE / c->line_bytes;
	*bit = 1ull << line % 64;
	return &p->dirty[line / 64];
}

/* If several queues write to a page, the last of them is responsible for it. */
static void line_written(struct check *c, const struct event *e, uint64_t pa)
{
	struct import_page *p = page_find(c, pa);
	uint64_t bit;
	if (!p)
		return;
	page_count(c, p, -1);
	*word_of(c, p, pa, &bit) |= bit;
	p->queue = e->queue;
	page_count(c, p, 1);
}

static void written(struct check *c, const struct event *e)
{
	if (!c->line_bytes || e->b < SYSTEM_BASE || e->queue >= SHADOW_QUEUES || !c->import.pages.used)
		return;
	const struct shadow_buffer *b = import_at(c, e, e->a);
	for (uint64_t pa = e->b / c->line_bytes * c->line_bytes; b && b->consistent && pa < e->b + e->c; pa += c->line_bytes)
		line_written(c, e, pa);
}

static void line_gone(struct check *c, uint64_t pa)
{
	struct import_page *p = c->line_bytes ? page_find(c, pa) : NULL;
	uint64_t bit;
	if (!p)
		return;
	page_count(c, p, -1);
	*word_of(c, p, pa, &bit) &= ~bit;
	page_count(c, p, 1);
}

static void page_ended(struct check *c, struct import_page *p, const struct event *e)
{
	uint64_t line = 0;
	while (!(p->dirty[line / 64] >> line % 64 & 1))
		line++;
	const uint64_t pa = p->pa + line * c->line_bytes;
	page_count(c, p, -1);
	memset(p->dirty, 0, sizeof p->dirty);
	if (p->imports)
		check_broken(c, RULE_IMPORT_DIRTY, e, pa, "the command has ended; the line at 0x%" PRIx64
			     " that it wrote, of the import at 0x%" PRIx64 ", is not in memory", pa, p->va);
}

static void command_ended(struct check *c, const struct event *e)
{
	if (!c->import.pages.used || !c->line_bytes || e->queue >= SHADOW_QUEUES || !(e->c & PACKET_END))
		return;
	check_looks(c, RULE_IMPORT_DIRTY);
	for (struct import_page *p = NULL; c->import.dirty[e->queue] && (p = table_next(&c->import.pages, p));)
		if (p->queue == e->queue && (p->dirty[0] | p->dirty[1]))
			page_ended(c, p, e);
}

static void buffer_event(struct check *c, const struct event *e)
{
	const struct shadow_buffer *b = shadow_buffer(&c->shadow, e->asid, e->a);
	if (!b || !b->imported)
		return;
	buffer_pages(c, b, e->kind == EVENT_BUFFER ? page_begins : page_ends, e);
	check_looks(c, RULE_IMPORT_UNMAPPED);
}

static void unmapped(struct check *c, const struct event *e)
{
	check_broken(c, RULE_IMPORT_UNMAPPED, e, e->a, "the process has unmapped memory of the import of %" PRIu64 " bytes at 0x%" PRIx64, e->b, e->c);
}

static void import_event(struct check *c, const struct event *e)
{
	switch (e->kind) {
	case EVENT_BUFFER:
	case EVENT_BUFFER_END: buffer_event(c, e); break;
	case EVENT_UNPIN: unpinned(c, e); break;
	case EVENT_IMPORT_UNMAPPED: unmapped(c, e); break;
	case EVENT_DMA_START: transfer(c, e); break;
	case EVENT_MAINTAIN: maintained(c, e); break;
	case EVENT_WRITE:
	case EVENT_ATOMIC: written(c, e); break;
	case EVENT_LINE_WRITEBACK:
	case EVENT_LINE_DROP: line_gone(c, e->a); break;
	case EVENT_PACKET_END: command_ended(c, e); break;
	}
}

const struct checker import_checker = {
	"import", import_event,
	{ EVENT_BUFFER, EVENT_BUFFER_END, EVENT_UNPIN, EVENT_IMPORT_UNMAPPED, EVENT_DMA_START, EVENT_MAINTAIN, EVENT_WRITE, EVENT_ATOMIC,
	  EVENT_LINE_WRITEBACK, EVENT_LINE_DROP, EVENT_PACKET_END },
};
