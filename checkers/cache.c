/* CACHE_STALE. The cache notes which lines were stale. The access that read them follows, and says which queue made it. */
#include "checkers/check.h"
#include <inttypes.h>

static void stale_report(struct check *c, const struct event *access, uint64_t line)
{
	check_broken(c, RULE_CACHE_STALE, access, line,
		     "the line at 0x%" PRIx64 " is not what memory holds, and it was not invalidated", line);
}

/* access NULL: it is not known. */
static void pending_report(struct check *c, const struct event *access)
{
	for (unsigned i = 0; i < c->cache.pending; i++)
		stale_report(c, access ? access : &c->cache.line[i], c->cache.line[i].a);
	c->cache.pending = 0;
}

void cache_finish(struct check *c) { pending_report(c, NULL); }

static bool touches(const struct event *e, const struct event *line)
{
	return e->b / SHADOW_PAGE <= line->a / SHADOW_PAGE && line->a < e->b + e->c;
}

static void cache_event(struct check *c, const struct event *e)
{
	switch (e->kind) {
	case EVENT_LINE_FILL:
		check_looks(c, RULE_CACHE_STALE);
		break;
	case EVENT_LINE_STALE:
		check_looks(c, RULE_CACHE_STALE);
		if (e->queue != EVENT_NO_QUEUE) {
			stale_report(c, e, e->a);
			break;
		}
		if (c->cache.pending == STALE_LINES)
			pending_report(c, NULL);
		c->cache.line[c->cache.pending++] = *e;
		break;
	default:
		if (c->cache.pending)
			pending_report(c, touches(e, &c->cache.line[0]) ? e : NULL);
	}
}

const struct checker cache_checker = {
	"cache", cache_event, { EVENT_LINE_FILL, EVENT_LINE_STALE, EVENT_READ, EVENT_WRITE, EVENT_ATOMIC, EVENT_FETCH },
};
