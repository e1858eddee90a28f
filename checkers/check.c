#include "checkers/check.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const struct rule rules[NUM_RULES] = {
#define RULE(id, document, clause, text, checker) [RULE_##id] = { #id, document, clause, text, checker },
#include "device_rules.def"
#undef RULE
};

static const struct checker *const checkers[] = {
	&pins_checker, &sem_checker, &protection_checker, &mmu_checker, &cache_checker, &dma_checker,
	&irq_checker, &queue_checker, &buffer_checker, &import_checker, &mmio_checker, &host_checker,
};
enum { NUM_CHECKERS = sizeof checkers / sizeof *checkers };

static void wanted_fill(struct check *c)
{
	uint8_t n[EVENT_KINDS] = { 0 };
	for (unsigned i = 0; i < NUM_CHECKERS; i++)
		for (const uint8_t *k = checkers[i]->kinds; *k; k++)
			c->wanted[*k][n[*k]++] = checkers[i]->event;
}

struct check *check_create(unsigned device, uint32_t line_bytes, breach_fn breach, void *ctx)
{
	struct check *c = calloc(1, sizeof *c);
	if (c) {
		c->device = device;
		c->line_bytes = line_bytes;
		c->breach = breach;
		c->ctx = ctx;
		wanted_fill(c);
	}
	return c;
}

void check_destroy(struct check *c)
{
	if (!c)
		return;
	shadow_fini(&c->shadow);
	table_free(&c->import.pages);
	table_free(&c->host.pages);
	free(c);
}

uint64_t check_looked(const struct check *c, enum rule_id id) { return c->looked[id]; }
bool check_short_of_memory(const struct check *c) { return c->shadow.short_of_memory; }

void check_event(struct check *c, const struct event *e)
{
	shadow_event(&c->shadow, e);
	if (e->kind < EVENT_KINDS)
		for (check_fn *const *fn = c->wanted[e->kind]; *fn; fn++)
			(*fn)(c, e);
}

void *check_page(struct check *c, struct table *pages, uint64_t pa, size_t bytes)
{
	void *page = table_add(pages, pa / SHADOW_PAGE * SHADOW_PAGE, bytes);
	c->shadow.short_of_memory |= !page;
	return page;
}

void check_finish(struct check *c)
{
	cache_finish(c);
	protection_finish(c);
	import_finish(c);
}

void check_broken(struct check *c, enum rule_id id, const struct event *e, uint64_t address, const char *what, ...)
{
	const struct shadow_queue *q = shadow_queue(&c->shadow, e);
	char text[320];
	va_list ap;
	va_start(ap, what);
	vsnprintf(text, sizeof text, what, ap);
	va_end(ap);
	struct breach b = { .rule = id, .cycle = e->cycle, .device = c->device, .unit = e->unit, .queue = e->queue,
			    .asid = e->asid, .in_packet = q && q->in_packet, .packet = q ? q->packet : 0,
			    .address = address, .what = text };
	c->breach(c->ctx, &b);
}

const char *check_verb(const struct event *e)
{
	switch (e->kind) {
	case EVENT_WRITE: return "writes";
	case EVENT_ATOMIC: return "changes";
	case EVENT_FETCH: return "fetches instructions from";
	default: return "reads";
	}
}
