/* DMA_BUFFER. A packet names two addresses; the buffers that they lie in are its buffers. The driver
 * notes buffers; of a space without any, nothing is known. */
#include "checkers/check.h"
#include "abi/codes.h"
#include <inttypes.h>

static struct dma_range range_of(struct check *c, const struct event *e, uint64_t va)
{
	const struct shadow_buffer *b = shadow_buffer(&c->shadow, e->asid, va);
	if (!b || !b->live)
		return (struct dma_range){ va, 0, c->shadow.notes_buffers && e->asid };
	return (struct dma_range){ b->va, b->bytes, true };
}

static void dma_event(struct check *c, const struct event *e)
{
	unsigned n = (unsigned)e->unit - UNIT_DMA;
	if (n >= DMA_UNITS)
		return;
	if (e->kind == EVENT_DMA_START) {
		c->dma[n].source = range_of(c, e, e->a);
		c->dma[n].target = range_of(c, e, e->b);
		return;
	}
	const struct dma_range *r = e->kind == EVENT_READ ? &c->dma[n].source : &c->dma[n].target;
	if (!r->known || !e->a || !e->asid)
		return;
	check_looks(c, RULE_DMA_BUFFER);
	if (e->a - r->va < r->bytes && e->c <= r->bytes - (e->a - r->va))
		return;
	if (!r->bytes)
		check_broken(c, RULE_DMA_BUFFER, e, e->a, "%s %s %" PRIu64 " bytes at 0x%" PRIx64
			     "; its packet's address, 0x%" PRIx64 ", lies in no buffer", unit_name(e->unit), check_verb(e),
			     e->c, e->a, r->va);
	else
		check_broken(c, RULE_DMA_BUFFER, e, e->a, "%s %s %" PRIu64 " bytes at 0x%" PRIx64
			     "; the buffer of its packet's address ends at 0x%" PRIx64, unit_name(e->unit), check_verb(e), e->c,
			     e->a, r->va + r->bytes);
}

const struct checker dma_checker = { "dma", dma_event, { EVENT_DMA_START, EVENT_READ, EVENT_WRITE } };
