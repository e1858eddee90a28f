#include "model/cu/icache.h"
#include "model/engine/superblocks.h"
#include "model/profile/profile.h"
#include <stdlib.h>
#include <string.h>

enum { HASH = 256 };

/* A place of the cache: a line of a page, on its way until cycle there. */
struct place {
	struct icache_page *page; /* NULL: empty */
	uint32_t line;
	enum fault fault;         /* its translation fails in that cycle: nothing is there behind it */
	uint64_t there;
};

struct icache {
	struct icache_page *pages[HASH];
	/* with timing */
	struct place *places;  /* ways of them are a set */
	struct place *before;  /* what they held when the cycle began in which a line took them */
	uint64_t *taken;       /* that cycle; UINT64_MAX: none */
	struct { struct place line; uint64_t at; } asked[MAX_WARPS]; /* of a warp slot, the last line that it asked for, and when */
	uint8_t *next;         /* of a set: the way that a line is brought into */
	uint32_t *filled;      /* places that lines have been brought into since it was emptied, num_filled of them */
	uint32_t num_filled;
	uint32_t sets, ways, line_shift;
	uint64_t owner;        /* serial number of the dispatch that it was emptied for */
};

struct icache *icache_create(const struct device_config *c)
{
	struct icache *code = calloc(1, sizeof(*code));
	if (!code)
		return NULL;
	code->ways = c->icache_ways;
	code->line_shift = (uint32_t)__builtin_ctz(c->line_bytes);
	code->sets = 1;
	while (code->sets * 2 * c->icache_ways * c->line_bytes <= c->icache_bytes) /* a power of two */
		code->sets *= 2;
	code->places = calloc((size_t)code->sets * code->ways, sizeof(*code->places));
	code->next = calloc(code->sets, 1);
	code->filled = calloc((size_t)code->sets * code->ways, sizeof(*code->filled));
	code->before = calloc((size_t)code->sets * code->ways, sizeof(*code->before));
	code->taken = malloc((size_t)code->sets * code->ways * sizeof(*code->taken));
	if (code->places && code->next && code->filled && code->before && code->taken) {
		memset(code->taken, 0xff, (size_t)code->sets * code->ways * sizeof(*code->taken));
		icache_reset(code);
		return code;
	}
	icache_destroy(code);
	return NULL;
}

static void place_drop(struct place *p)
{
	if (p->page)
		p->page->held[p->line / 64] &= ~(1ull << p->line % 64);
	p->page = NULL;
}

static void lines_drop(struct icache *code)
{
	for (uint32_t i = 0; i < code->num_filled; i++) {
		place_drop(&code->places[code->filled[i]]);
		code->taken[code->filled[i]] = UINT64_MAX;
		code->next[code->filled[i] / code->ways] = 0;
	}
	for (unsigned i = 0; i < MAX_WARPS; i++)
		code->asked[i].at = UINT64_MAX;
	code->num_filled = 0;
}

void icache_reset(struct icache *code)
{
	for (unsigned i = 0; i < MAX_WARPS; i++) {
		code->asked[i].at = UINT64_MAX;
		code->asked[i].line.there = 0;
	}
}

uint64_t icache_begin(const struct icache *code, unsigned slot) { return code->asked[slot].line.there; }

uint64_t icache_awaited(const struct icache *code, const struct icache_page *p, const struct uop *begin)
{
	const uint32_t line = (uint32_t)(begin - p->ops) * 4 >> code->line_shift;
	uint64_t there = 0;

	for (unsigned i = 0; i < MAX_WARPS; i++)
		if (code->asked[i].line.page == p && code->asked[i].line.line == line && code->asked[i].line.there > there)
			there = code->asked[i].line.there;
	return there;
}

void icache_empty_for(struct icache *code, uint64_t owner)
{
	if (code->owner != owner)
		lines_drop(code);
	code->owner = owner;
}

void icache_flush(struct icache *code)
{
	lines_drop(code);
	for (unsigned i = 0; i < MAX_WARPS; i++)
		code->asked[i].line.page = NULL;
	for (unsigned i = 0; i < HASH; i++)
		for (struct icache_page *p = code->pages[i], *next; p; p = next) {
			next = p->next;
			superblock_page_free(p);
			free(p);
		}
	memset(code->pages, 0, sizeof(code->pages));
}

void icache_destroy(struct icache *code)
{
	if (!code)
		return;
	icache_flush(code);
	free(code->places);
	free(code->next);
	free(code->filled);
	free(code->before);
	free(code->taken);
	free(code);
}

static struct icache_page **page_chain(const struct cu *cu, uint32_t space, uint64_t va)
{
	return &cu->icache->pages[(va >> 12 ^ va >> 20 ^ space * 7u) % HASH];
}

static void fetch_fault(struct warp *w, uint64_t pc, enum fault code)
{
	w->exit = LEAVE_FAULT;
	w->fault = (struct lane_fault){ code, ACCESS_EXEC, pc, pc, (unsigned)__builtin_ctz(w->mask) };
}

static struct uop page_end_op(const struct cu *cu)
{
	return (struct uop){ .fn = cu->engine->page_end, .rd = REG_SINK, .set = REG_TMP, .cls = CLASS_SYSTEM };
}

static struct uop raw_op(const struct cu *cu, unsigned index, uint32_t word)
{
	const uint8_t line = index % (cu->config->line_bytes / 4) ? 0 : UOP_LINE;
	return (struct uop){ .fn = cu->engine->undecoded, .rd = REG_SINK, .set = REG_TMP, .flags = UOP_RAW | line, .word = word };
}

/* Has the page hold these words, all undecoded. */
static void page_words(struct cu *cu, struct icache_page *p, const uint32_t *words)
{
	for (unsigned i = 0; i < PAGE_OPS; i++)
		p->ops[i] = raw_op(cu, i, words[i]);
	p->ops[PAGE_OPS] = page_end_op(cu);
}

static enum fault page_fill(struct cu *cu, struct icache_page *p, uint64_t pa)
{
	uint32_t words[PAGE_OPS];
	physmem_by(cu->mem, cu->unit, cu->now);
	enum fault f = physmem_read(cu->mem, pa, words, sizeof(words));
	if (f)
		return f;
	page_words(cu, p, words);
	p->profile = cu->profile ? profile_code_page(cu, p->space, p->va, words) : NULL;
	p->pa = pa;
	p->link = NULL;
	superblock_page_free(p);
	return FAULT_NONE;
}

/* A page of which nothing is fetched. A profile has to know it by its words even so: as they are in memory. */
static struct icache_page *page_new(struct cu *cu, struct icache_page **head, uint32_t space, uint64_t va)
{
	struct icache_page *p = aligned_alloc(64, sizeof(*p));
	const unsigned lines = GALENA_PAGE_SIZE / cu->config->line_bytes;
	uint32_t words[PAGE_OPS] = { 0 };
	uint64_t bytes, pa = cu->timed && cu->profile ? mmu_peek(cu->mmu, space, va, &bytes) : UINT64_MAX;
	const uint8_t *host = pa != UINT64_MAX ? physmem_look(cu->mem, pa) : NULL;
	if (!p)
		abort();
	memset(p, 0, offsetof(struct icache_page, ops));
	p->va = va;
	p->space = space;
	p->epoch = p->pa = UINT64_MAX;
	p->held[lines / 64] = 1ull << lines % 64;
	if (host)
		memcpy(words, host, sizeof(words));
	page_words(cu, p, words);
	p->profile = host ? profile_code_page(cu, space, va, words) : NULL;
	p->next = *head;
	*head = p;
	return p;
}

struct icache_page *icache_find(const struct cu *cu, uint32_t space, uint64_t va)
{
	struct icache_page *p = *page_chain(cu, space, va);
	while (p && (p->va != va || p->space != space))
		p = p->next;
	return p && p->epoch == *mmu_epoch(cu->mmu) ? p : NULL;
}

bool icache_at_page_end(const struct warp *w) { return w->op == &w->code->ops[PAGE_OPS]; }

void icache_page_end(struct warp *w, uint64_t pc)
{
	const uint64_t va = pc - GALENA_PAGE_SIZE;
	struct cu *cu = w->cu;
	struct icache_page **head = page_chain(cu, w->space, va), *p = *head;
	while (p && (p->va != va || p->space != w->space))
		p = p->next;
	if (!p)
		p = page_new(cu, head, w->space, va);
	w->code = p;
	w->line = NULL;
	w->op = &p->ops[PAGE_OPS];
	w->stop = STOP_NONE;
	w->waits = false;
}

/* Without timing: has the page translated and, where that is due, read; NULL after a fault. p: what there is of it. */
static struct icache_page *page_fetch(struct warp *w, uint64_t pc, struct icache_page **head, struct icache_page *p)
{
	struct cu *cu = w->cu;
	const uint64_t va = pc & ~(GALENA_PAGE_SIZE - 1);
	const struct tlb_entry *e;
	const bool fresh = !p;
	uint32_t cycles;
	enum fault f = mmu_translate(cu->mmu, cu->unit, w->space, va, ACCESS_EXEC, cu->now, &e, &cycles);
	soft_tlb_follow(cu);
	if (f) {
		fetch_fault(w, pc, f);
		return NULL;
	}
	if (fresh) {
		p = aligned_alloc(64, sizeof(*p));
		if (!p)
			abort();
		p->va = va;
		p->space = w->space;
		p->superblocks = NULL;
	}
	if (fresh || p->pa != e->pa) {
		f = page_fill(cu, p, e->pa);
		if (f) {
			if (fresh)
				free(p);
			fetch_fault(w, pc, f);
			return NULL;
		}
	}
	if (fresh) {
		p->next = *head;
		*head = p;
	}
	EVENT_SEND(cu->events, .cycle = cu->now, .kind = EVENT_FETCH, .unit = (uint16_t)cu->unit,
		   .queue = (uint16_t)w->group->slot, .asid = (uint16_t)w->space, .a = va, .b = p->pa,
		   .c = GALENA_PAGE_SIZE);
	return p;
}

const struct uop *icache_fetch(struct warp *w, uint64_t pc)
{
	struct cu *cu = w->cu;
	uint64_t va = pc & ~(GALENA_PAGE_SIZE - 1), epoch = *mmu_epoch(cu->mmu);
	struct icache_page *p = w->code;
	if (pc & 3) {
		fetch_fault(w, pc, FAULT_MISALIGNED);
		return NULL;
	}
	if (p && (p->va != va || p->space != w->space))
		p = p->link && p->link->va == va && p->link->space == w->space ? p->link : NULL;
	if (!p || p->epoch != epoch) {
		struct icache_page **head = page_chain(cu, w->space, va);
		for (p = *head; p && (p->va != va || p->space != w->space);)
			p = p->next;
		if (cu->timed)
			p = p ? p : page_new(cu, head, w->space, va);
		else if (!p || p->epoch != epoch)
			p = page_fetch(w, pc, head, p);
		if (!p)
			return NULL;
		p->epoch = epoch;
		if (w->code && w->code != p)
			w->code->link = p;
	}
	if (w->code != p)
		w->line = NULL;
	w->code = p;
	return &p->ops[(pc & (GALENA_PAGE_SIZE - 1)) / 4];
}

/* ---- with timing: lines ---- */

/* The words of a line have come. Those that are as they were stay decoded. */
static void line_words(struct cu *cu, struct icache_page *p, unsigned first, const uint32_t *words, unsigned count)
{
	bool changed = false;
	for (unsigned i = first; i < first + count; i++) {
		if (p->ops[i].word == words[i - first])
			continue;
		p->ops[i] = raw_op(cu, i, words[i - first]);
		p->ops[i + 1].flags &= (uint8_t)~UOP_CHAINED;
		changed = true;
	}
	if (!changed)
		return;
	if (cu->profile) { /* its counts and handlers are those of a page of other words */
		uint32_t all[PAGE_OPS];
		for (unsigned i = 0; i < PAGE_OPS; i++)
			all[i] = p->ops[i].word;
		page_words(cu, p, all);
		p->profile = profile_code_page(cu, p->space, p->va, all);
	}
	/* other warps may stand there and have executed what has yet to issue */
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		for (uint32_t k = 0; w->busy && w->code == p && k < w->unissued; k++)
			if (w->op[k].flags & UOP_RAW)
				uop_decode(w, &w->op[k]);
	}
}

/* The line takes the place of the set whose turn it is. */
static void place_take(struct icache *code, struct place *set, const struct place *line, uint64_t now)
{
	uint8_t *next = &code->next[(set - code->places) / code->ways];
	struct place *place = &set[*next];
	const size_t number = (size_t)(place - code->places);

	*next = (uint8_t)((*next + 1u) % code->ways);
	if (code->taken[number] != now)
		code->before[number] = *place;
	code->taken[number] = now;
	if (!place->page)
		code->filled[code->num_filled++] = (uint32_t)number;
	place_drop(place);
	*place = *line;
}

/* Asks for a line. On a fault that is not at once, it takes its place until then. */
static struct place line_read(struct warp *w, unsigned line, uint64_t now)
{
	struct cu *cu = w->cu;
	struct icache_page *p = w->code;
	const uint32_t bytes = cu->config->line_bytes, offset = line * bytes;
	uint32_t cycles, words[CONFIG_MOST_line_bytes / 4];
	const struct tlb_entry *e;
	enum fault f = mmu_translate(cu->mmu, cu->unit, p->space, p->va, ACCESS_EXEC, now, &e, &cycles);
	soft_tlb_follow(cu);
	if (!f) {
		physmem_by(cu->mem, cu->unit, now);
		f = physmem_read(cu->mem, e->pa + offset, words, bytes);
	}
	if (f)
		return (struct place){ .page = p, .line = line, .fault = f, .there = now + cycles };
	p->pa = e->pa;
	line_words(cu, p, offset / 4, words, bytes / 4);
	EVENT_SEND(cu->events, .cycle = now + cycles, .kind = EVENT_FETCH, .unit = (uint16_t)cu->unit,
		   .queue = (uint16_t)w->group->slot, .asid = (uint16_t)p->space, .a = p->va + offset, .b = p->pa + offset,
		   .c = bytes);
	const uint64_t asked = now + cycles + cu->l1.latency;
	/* it comes to the L2 cache behind the loads that the unit has looked up before */
	return (struct place){ .page = p, .line = line, .there = cycles ? l2_access_ahead(cu->l2, now, asked, p->pa + offset, bytes) :
								       l2_access(cu->l2, asked, p->pa + offset, bytes, false) };
}

/* What the cache had of a line of a page when this cycle began, or what has been asked for in it; NULL: nothing. */
static const struct place *line_find(const struct icache *code, const struct place *set, const struct icache_page *p, unsigned line, uint64_t now)
{
	const size_t first = (size_t)(set - code->places);

	for (size_t i = first; i < first + code->ways; i++) {
		const struct place *place = code->taken[i] == now ? &code->before[i] : &code->places[i];
		if (place->page == p && place->line == line && !(place->fault && place->there < now))
			return place;
	}
	for (unsigned i = 0; i < MAX_WARPS; i++)
		if (code->asked[i].at == now && code->asked[i].line.page == p && code->asked[i].line.line == line)
			return &code->asked[i].line;
	return NULL;
}

uint64_t icache_line(struct warp *w, const struct uop *op, uint64_t now)
{
	struct icache *code = w->cu->icache;
	struct icache_page *p = w->code;
	const unsigned line = icache_line_of(p, op, w->cu->line_shift) - 1;
	const uint64_t number = (p->va >> code->line_shift) + line;
	struct place *set = &code->places[(number & (code->sets - 1)) * code->ways], asked;
	const struct place *found = line_find(code, set, p, line, now);

	w->line = icache_line_begin(p, line + 1, w->cu->line_shift);
	if (!found) {
		asked = line_read(w, line, now);
		found = &asked;
		if (!asked.fault || asked.there > now) {
			code->asked[w->slot].line = asked;
			code->asked[w->slot].at = now;
			place_take(code, set, &asked, now);
		}
	}
	if (found->fault) {
		fetch_fault(w, uop_pc(w, op), found->fault);
		w->line = NULL;
	} else if (found->there <= now && found >= set && found < set + code->ways) {
		p->held[line / 64] |= 1ull << line % 64;
	}
	return found->there > now ? found->there : now;
}

void icache_visit(struct cu *cu, void (*visit)(const struct cu *, struct icache_page *, const struct uop *))
{
	for (unsigned i = 0; i < HASH; i++)
		for (struct icache_page *p = cu->icache->pages[i]; p; p = p->next)
			for (unsigned k = 0; k < PAGE_OPS; k++)
				if (!(p->ops[k].flags & UOP_RAW))
					visit(cu, p, &p->ops[k]);
}
