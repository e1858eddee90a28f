/* CACHE_STALE. The cache says which lines were stale; the access that read them follows and says whose it
 * was. */
#include "checkers/check.h"
#include <inttypes.h>

static void stale_tell(struct check *c, const struct event *whose, uint64_t line)
{
	check_broken(c, RULE_CACHE_STALE, whose, line,
		     "the line at 0x%" PRIx64 " is not what memory holds, and nobody has invalidated it", line);
}

/* whose NULL: nobody's. */
static void pending_tell(struct check *c, const struct event *whose)
{
	for (unsigned i = 0; i < c->cache.pending; i++)
		stale_tell(c, whose ? whose : &c->cache.line[i], c->cache.line[i].a);
	c->cache.pending = 0;
}

void cache_finish(struct check *c) { pending_tell(c, NULL); }

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
			stale_tell(c, e, e->a);
			break;
		}
		if (c->cache.pending == STALE_LINES)
			pending_tell(c, NULL);
		c->cache.line[c->cache.pending++] = *e;
		break;
	default:
		if (c->cache.pending)
			pending_tell(c, touches(e, &c->cache.line[0]) ? e : NULL);
	}
}

const struct checker cache_checker = {
	"cache", cache_event, { EVENT_LINE_FILL, EVENT_LINE_STALE, EVENT_READ, EVENT_WRITE, EVENT_ATOMIC, EVENT_FETCH },
};
