/* Time. The port issues at most media_bytes_cycle bytes, and at most one piece, a cycle; how long memory takes is up to l2. Addresses
 * are known long before their bytes are issued, so that a TLB miss costs only what it lasts longer than that. */
#include "model/media/port.h"
#include "model/mem/cache.h"
#include "abi/events.h"
#include <string.h>

enum { LOOKAHEAD = 1024 };

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t page_offset(uint64_t va) { return va & (GALENA_PAGE_SIZE - 1); }
static uint64_t page_after(uint64_t va) { return GALENA_PAGE_SIZE - page_offset(va); }

void port_begin(struct port *p, unsigned slot, uint32_t space, uint64_t now)
{
	p->slot = slot;
	p->space = space;
	p->result = (struct media_result){ .start = now };
	p->fresh = p->clock = p->arrived = now;
}

bool port_fail(struct port *p, enum fault code, enum access access, uint64_t address)
{
	if (p->result.code)
		return false;
	p->result.code = code;
	p->result.access = access;
	/* the host is not told where: what a protected job goes by may be protected itself */
	p->result.address = p->space & SPACE_PROTECTED ? 0 : address;
	return false;
}

/* The page of va, valid until the next call. NULL on a fault. */
static const struct tlb_entry *page_get(struct port *p, uint64_t va, enum access access)
{
	const struct tlb_entry *entry = NULL;
	uint32_t cycles = 0;
	const enum fault f = mmu_translate(p->env.mmu, UNIT_MEDIA, p->space, va, access, p->clock, &entry, &cycles);

	if (p->timed && cycles)
		p->clock = max(p->clock, max(p->fresh, p->clock > LOOKAHEAD ? p->clock - LOOKAHEAD : 0) + cycles);
	if (f) {
		port_fail(p, f, access, va);
		return NULL;
	}
	return entry;
}

/* n bytes at va, which is at pa, have moved. */
static void piece_moved(struct port *p, enum event_kind kind, uint64_t va, uint64_t pa, uint64_t n)
{
	EVENT_SEND(p->env.mem->events, .cycle = p->clock, .kind = (uint16_t)kind, .unit = UNIT_MEDIA, .queue = (uint16_t)p->slot,
		   .asid = (uint16_t)p->space, .a = va, .b = pa, .c = n);
	if (!p->timed)
		return;
	p->arrived = max(p->arrived, l2_stream(p->env.l2, p->clock, pa, n, kind == EVENT_WRITE));
	p->clock += (n + p->env.config->media_bytes_cycle - 1) / p->env.config->media_bytes_cycle;
}

bool port_read(struct port *p, uint64_t va, void *dst, uint64_t n)
{
	for (uint8_t *to = dst; n;) {
		const uint64_t piece = min(n, page_after(va));
		const struct tlb_entry *t = page_get(p, va, ACCESS_READ);
		enum fault f = FAULT_NONE;

		if (!t)
			return false;
		const uint64_t pa = t->pa + page_offset(va);
		if (t->read) {
			memcpy(to, t->read + page_offset(va), piece);
		} else {
			physmem_by(p->env.mem, UNIT_MEDIA, p->clock);
			f = t->cached ? cache_read(p->env.mem->cache, pa, to, piece, p->clock) : physmem_read(p->env.mem, pa, to, piece);
		}
		if (f)
			return port_fail(p, f, ACCESS_READ, va);
		piece_moved(p, EVENT_READ, va, pa, piece);
		to += piece;
		va += piece;
		n -= piece;
	}
	return true;
}

static enum fault bytes_write(struct port *p, const struct tlb_entry *t, uint64_t va, const uint8_t *from, uint64_t n)
{
	const uint64_t pa = t->pa + page_offset(va);

	if (t->write) {
		memcpy(t->write + page_offset(va), from, n);
		return FAULT_NONE;
	}
	physmem_by(p->env.mem, UNIT_MEDIA, p->clock);
	return t->cached ? cache_write(p->env.mem->cache, pa, from, n, p->clock) : physmem_write(p->env.mem, pa, from, n);
}

/* The bytes of cells [from, to) of a row that are to be written, counted from its first one, which is at va: those in one page, byte
 * `at` of the row being the first there. */
static enum fault piece_write(struct port *p, const struct tlb_entry *t, uint64_t va, const uint8_t *row, uint64_t at, uint64_t n,
			      const struct cells *c, uint64_t *written)
{
	if (c->mask == (1u << c->step) - 1) {
		*written = n;
		return bytes_write(p, t, va + at, row + at, n);
	}
	for (uint64_t i = at; i < at + n;) {
		const unsigned in_cell = (unsigned)(i % c->step), rest = c->mask >> in_cell;
		const uint64_t skip = rest ? (uint64_t)__builtin_ctz(rest) : c->step - in_cell;
		const uint64_t run = rest ? (uint64_t)__builtin_ctz(~(rest >> skip)) : 0;
		const uint64_t bytes = i + skip < at + n ? min(run, at + n - i - skip) : 0;
		const enum fault f = bytes ? bytes_write(p, t, va + i + skip, row + i + skip, bytes) : FAULT_NONE;

		if (f)
			return f;
		*written += bytes;
		i += skip + run;
	}
	return FAULT_NONE;
}

bool port_write(struct port *p, uint64_t va, const uint8_t *row, uint64_t count, const struct cells *c)
{
	const uint64_t n = (count - 1) * c->step + c->bytes;

	for (uint64_t at = 0; at < n;) {
		const uint64_t piece = min(n - at, page_after(va + at));
		const struct tlb_entry *t = page_get(p, va + at, ACCESS_WRITE);
		uint64_t written = 0;
		enum fault f;

		if (!t)
			return false;
		const uint64_t pa = t->pa + page_offset(va + at);
		f = piece_write(p, t, va, row, at, piece, c, &written);
		p->result.progress += written;
		p->bytes += written;
		if (f)
			return port_fail(p, f, ACCESS_WRITE, va + at);
		piece_moved(p, EVENT_WRITE, va + at, pa, piece);
		at += piece;
	}
	return true;
}
