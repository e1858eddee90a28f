/* CACHE_STALE. The cache says which line was stale; the access that read it follows and says whose it was. */
#include "testbench/checkers/check.h"
#include <inttypes.h>

static void stale_tell(struct check *c, const struct event *e)
{
	check_broken(c, RULE_CACHE_STALE, e, c->cache.line.a,
		     "the line at 0x%" PRIx64 " is not what memory holds, and nobody has invalidated it", c->cache.line.a);
	c->cache.pending = false;
}

static void cache_event(struct check *c, const struct event *e)
{
	if (e->kind == EVENT_LINE_FILL) {
		check_looks(c, RULE_CACHE_STALE);
	} else if (e->kind == EVENT_LINE_STALE) {
		if (c->cache.pending)
			stale_tell(c, &c->cache.line);
		check_looks(c, RULE_CACHE_STALE);
		c->cache.line = *e;
		c->cache.pending = e->queue == EVENT_NO_QUEUE;
		if (!c->cache.pending)
			stale_tell(c, e);
	} else if (c->cache.pending)
		stale_tell(c, e->b / SCENE_PAGE == c->cache.line.a / SCENE_PAGE ? e : &c->cache.line);
}

void cache_finish(struct check *c)
{
	if (c->cache.pending)
		stale_tell(c, &c->cache.line);
}

const struct checker cache_checker = {
	"cache", cache_event, { EVENT_LINE_FILL, EVENT_LINE_STALE, EVENT_READ, EVENT_WRITE, EVENT_ATOMIC, EVENT_FETCH },
};
