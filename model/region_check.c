/* GALENA_ENGINE=check: translated code and the interpreter on the same state, compared.
 *
 * The translated code runs first, on the warp and the memory themselves. Before each store it says where it is about
 * to store (helpers->note), and the words there are kept. Then all is put back, and the interpreter runs as many
 * instructions; where it stores is noted, too. In the end every register and every word that either of them has
 * stored to must be equal. One thread runs all units then, so nobody else sees what is put back. */
#include "model/regions.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word of the host that was stored to, or is about to be. */
struct cell {
	uint8_t *host;            /* NULL: free */
	uint64_t va, pc;          /* for the message: as the lane says it; the interpreter's instruction, 0: none */
	uint32_t lane;
	uint8_t before[4], translated[4];
};

struct region_check {
	struct cell *cells;       /* hashed by host address */
	uint32_t *used;           /* which are, in order */
	uint32_t num, room;       /* room: a power of two, at most half of it is used */
	uint64_t pc;              /* of the interpreter's instruction; 0: the translated code runs */
	struct warp before, translated; /* registers and depth */
};

struct region_check *region_check_create(void)
{
	struct region_check *k = aligned_alloc(64, (sizeof(*k) + 63) & ~(size_t)63);
	if (!k)
		return NULL;
	memset(k, 0, sizeof(*k));
	k->room = 1 << 12;
	k->cells = calloc(k->room, sizeof(*k->cells));
	k->used = malloc(k->room * sizeof(*k->used));
	if (k->cells && k->used)
		return k;
	region_check_destroy(k);
	return NULL;
}

void region_check_destroy(struct region_check *k)
{
	if (!k)
		return;
	free(k->cells);
	free(k->used);
	free(k);
}

/* ---- stores ---- */

static uint32_t cell_slot(const struct region_check *k, const uint8_t *host)
{
	uint32_t h = (uint32_t)((uintptr_t)host / 4 * 0x9e3779b97f4a7c15ull >> 32) & (k->room - 1);
	while (k->cells[h].host && k->cells[h].host != host)
		h = (h + 1) & (k->room - 1);
	return h;
}

static void cells_grow(struct region_check *k)
{
	struct cell *old = k->cells, *cells = calloc(k->room * 2u, sizeof(*cells));
	uint32_t *used = realloc(k->used, k->room * 2u * sizeof(*used));
	if (!cells || !used) {
		fprintf(stderr, "galena: check: no memory for what a region stores\n");
		abort();
	}
	k->cells = cells;
	k->used = used;
	k->room *= 2;
	for (uint32_t i = 0; i < k->num; i++) {
		uint32_t h = cell_slot(k, old[used[i]].host);
		cells[h] = old[used[i]];
		used[i] = h;
	}
	free(old);
}

static void cell_note(struct region_check *k, uint8_t *host, uint64_t va, unsigned lane)
{
	if (k->num >= k->room / 2)
		cells_grow(k);
	uint32_t h = cell_slot(k, host);
	struct cell *c = &k->cells[h];
	if (!c->host) {
		k->used[k->num++] = h;
		*c = (struct cell){ .host = host };
		memcpy(c->before, host, 4);
		memcpy(c->translated, host, 4);
	}
	c->va = va;
	c->lane = lane;
	c->pc = k->pc ? k->pc : c->pc;
}

/* The aligned word that holds the byte of a lane; NULL: the access will not get there. */
static uint8_t *word_at(struct warp *w, unsigned lane, uint64_t va)
{
	enum fault fault;
	va &= ~3ull;
	if (va - VA_LOCAL_BASE < VA_LOCAL_SIZE) /* handed out in pieces of LDS_GRANULE */
		return va - VA_LOCAL_BASE < w->local_bytes ? w->lds + (va - VA_LOCAL_BASE) : NULL;
	if (va - VA_PRIVATE_BASE < VA_PRIVATE_SIZE) {
		if (!w->private_va || va - VA_PRIVATE_BASE >= w->private_bytes)
			return NULL;
		va = private_address(w, lane, va - VA_PRIVATE_BASE);
	}
	const struct look *l = look_get(w->cu, w->space, va, ACCESS_WRITE, &fault);
	return l ? look_host(l, look_address(w->space, va), LOOK_WRITE) : NULL;
}

static void stores_note(struct region_check *k, struct warp *w, uint32_t mask, const uint64_t *va, unsigned size)
{
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		for (uint64_t a = va[lane] & ~3ull; a < va[lane] + size; a += 4) {
			uint8_t *host = word_at(w, lane, a);
			if (host)
				cell_note(k, host, a, lane);
		}
	}
}

void region_check_note(struct region_run *r, struct warp *w, uint32_t mask, const uint64_t *va, unsigned size)
{
	if (r->log)
		stores_note(r->log, w, mask, va, size);
}

/* ---- the comparison ---- */

static void registers_copy(struct warp *to, const struct warp *from)
{
	memcpy(to->base, from->base, sizeof(to->base));
	memcpy(to->stride, from->stride, sizeof(to->stride));
	memcpy(to->rep, from->rep, sizeof(to->rep));
	memcpy(to->v, from->v, sizeof(to->v));
	to->depth = from->depth;
}

static _Noreturn void differ(const struct region_code *c, const struct region_run *r, const char *what)
{
	fprintf(stderr, "galena: check: the translated code of the region [0x%" PRIx64 ", 0x%" PRIx64 ") differs from the "
		"interpreter after %" PRIu64 " instructions, left at pc 0x%" PRIx64 " (why %u): %s\n",
		c->low, c->high, r->count, r->pc, r->why, what);
	abort();
}

/* One instruction by its own handler, its stores noted. False: the interpreter would leave here. */
static bool interpret(struct region_check *k, struct warp *w)
{
	const struct uop *op = w->op;
	if (op == &w->code->ops[PAGE_OPS]) {
		op = code_at(w, w->code->va + GALENA_PAGE_SIZE);
		if (!op)
			return false;
	}
	handler *fn = region_plain(w, op);
	if (fn == w->cu->engine->undecoded) {
		code_decode(w, op);
		fn = region_plain(w, op);
	}
	k->pc = uop_pc(w, op);
	if (op->cls == CLASS_STORE) {
		uint64_t va[LANES];
		warp_lanes(w, op->rs1, va);
		for (unsigned i = 0; i < LANES; i++)
			va[i] += (uint64_t)(int64_t)op->imm;
		stores_note(k, w, w->mask, va, 1u << (op->word >> 12 & 3));
	}
	w->op = fn(w, op);
	if (w->why == WHY_SPLIT) { /* a branch to the next instruction splits nothing */
		w->why = WHY_NONE;
		path_split(w, w->split_mask, w->split_pc, k->pc + 4);
		if (w->why == WHY_NONE && w->mask != ALL_LANES)
			w->why = WHY_SPLIT;
	}
	return w->why == WHY_NONE;
}

static void registers_compare(const struct region_check *k, const struct warp *w, const struct region_code *c,
			      const struct region_run *r)
{
	char what[160];
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		uint64_t x[LANES], y[LANES];
		if (r->dead >> reg & 1)
			continue;
		warp_lanes(&k->translated, reg, x);
		warp_lanes(w, reg, y);
		for (unsigned i = 0; i < LANES; i++) {
			if (x[i] == y[i])
				continue;
			snprintf(what, sizeof(what), "%c%u of lane %u is 0x%" PRIx64 ", the interpreter's 0x%" PRIx64,
				 reg < REG_F ? 'x' : 'f', reg % 32, i, x[i], y[i]);
			differ(c, r, what);
		}
	}
	if (k->translated.rep[0] != REP_UNIFORM || k->translated.base[0])
		differ(c, r, "x0 is not 0");
	if (k->translated.depth != w->depth) {
		snprintf(what, sizeof(what), "it is %u calls deep, the interpreter %u", k->translated.depth, w->depth);
		differ(c, r, what);
	}
}

static void stores_compare(const struct region_check *k, const struct region_code *c, const struct region_run *r)
{
	char what[256], by[64];
	for (uint32_t i = 0; i < k->num; i++) {
		const struct cell *x = &k->cells[k->used[i]];
		if (!memcmp(x->translated, x->host, 4))
			continue;
		uint32_t t, n;
		memcpy(&t, x->translated, 4);
		memcpy(&n, x->host, 4);
		snprintf(by, sizeof(by), x->pc ? "stored at pc 0x%" PRIx64 : "not stored", x->pc);
		snprintf(what, sizeof(what), "the word at 0x%" PRIx64 " (lane %u) is 0x%08x, the interpreter's 0x%08x, %s",
			 x->va, x->lane, t, n, by);
		differ(c, r, what);
	}
}

void region_check_run(struct region_check *k, struct warp *w, const struct region_code *c, struct region_run *r)
{
	char what[160];
	for (uint32_t i = 0; i < k->num; i++)
		k->cells[k->used[i]].host = NULL;
	k->num = 0;
	k->pc = 0;
	registers_copy(&k->before, w);
	r->log = k;
	c->entry(w, r);
	r->log = NULL;
	registers_copy(&k->translated, w);
	registers_copy(w, &k->before);
	for (uint32_t i = 0; i < k->num; i++) {
		struct cell *x = &k->cells[k->used[i]];
		memcpy(x->translated, x->host, 4);
		memcpy(x->host, x->before, 4);
	}
	if (r->count > r->limit)
		differ(c, r, "that is beyond its limit");
	if (r->why >= REGION_WHYS)
		differ(c, r, "no reason is given");
	for (uint64_t n = 0; n < r->count; n++)
		if (!interpret(k, w)) {
			snprintf(what, sizeof(what), "the interpreter leaves for reason %u at pc 0x%" PRIx64 ", instruction %" PRIu64,
				 w->why, k->pc, n);
			differ(c, r, what);
		}
	uint64_t pc = uop_pc(w, w->op);
	if (pc != r->pc) {
		snprintf(what, sizeof(what), "the interpreter is at pc 0x%" PRIx64, pc);
		differ(c, r, what);
	}
	registers_compare(k, w, c, r);
	stores_compare(k, c, r);
}
