/* GALENA_ENGINE=check: translated code and the interpreter on the same state, compared.
 *
 * The translated code runs first, on the warp and the memory themselves. Before each store it says where it is about
 * to store (helpers->note), and the words there are kept. Then all is put back, and the interpreter runs as many
 * instructions; where it stores is noted, too. In the end every register and every word that either of them has
 * stored to must be equal, and the same splits must stand at the same places; their encodings may differ. Where lanes have diverged, a lane need not hold what the code at its place writes before it reads it. One
 * thread runs all units then, so no other unit sees what is put back. */
#include "model/cu/lsu.h"
#include "model/engine/superblocks.h"
#include "base/log.h"
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

struct superblock_check {
	struct cell *cells;       /* hashed by host address */
	uint32_t *used;           /* which are, in order */
	uint32_t num, room;       /* room: a power of two, at most half of it is used */
	uint64_t pc;              /* of the interpreter's instruction; 0: the translated code runs */
	uint64_t lane_insns;      /* of the interpreter, for comparison */
	struct warp before, translated;
};

struct superblock_check *superblock_check_create(void)
{
	struct superblock_check *k = aligned_alloc(64, (sizeof(*k) + 63) & ~(size_t)63);
	if (!k)
		return NULL;
	memset(k, 0, sizeof(*k));
	k->room = 1 << 12;
	k->cells = calloc(k->room, sizeof(*k->cells));
	k->used = malloc(k->room * sizeof(*k->used));
	if (k->cells && k->used)
		return k;
	superblock_check_destroy(k);
	return NULL;
}

void superblock_check_destroy(struct superblock_check *k)
{
	if (!k)
		return;
	free(k->cells);
	free(k->used);
	free(k);
}

/* ---- stores ---- */

static uint32_t cell_slot(const struct superblock_check *k, const uint8_t *host)
{
	uint32_t h = (uint32_t)((uintptr_t)host / 4 * 0x9e3779b97f4a7c15ull >> 32) & (k->room - 1);
	while (k->cells[h].host && k->cells[h].host != host)
		h = (h + 1) & (k->room - 1);
	return h;
}

static void cells_grow(struct superblock_check *k)
{
	struct cell *old = k->cells, *cells = calloc(k->room * 2u, sizeof(*cells));
	uint32_t *used = realloc(k->used, k->room * 2u * sizeof(*used));
	if (!cells || !used) {
		log_write(LOG_ALWAYS, "check: no memory for what a superblock stores");
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

static void cell_note(struct superblock_check *k, uint8_t *host, uint64_t va, unsigned lane)
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
	const struct soft_tlb_entry *l = soft_tlb_get(w->cu, w->space, va, ACCESS_WRITE, &fault);
	return l ? soft_tlb_host(l, soft_tlb_key(w->space, va), DIRECT_WRITE) : NULL;
}

static void stores_note(struct superblock_check *k, struct warp *w, uint32_t mask, const uint64_t *va, unsigned size)
{
	EACH_BIT(lane, mask) {
		for (uint64_t a = va[lane] & ~3ull; a < va[lane] + size; a += 4) {
			uint8_t *host = word_at(w, lane, a);
			if (host)
				cell_note(k, host, a, lane);
		}
	}
}

void superblock_check_note(struct superblock_run *r, struct warp *w, uint32_t mask, const uint64_t *va, unsigned size)
{
	if (r->log)
		stores_note(r->log, w, mask, va, size);
}

/* ---- the comparison ---- */

static _Noreturn void differ(const struct superblock_code *c, const struct superblock_run *r, const char *what)
{
	log_write(LOG_ALWAYS, "check: the translated code of the superblock [0x%" PRIx64 ", 0x%" PRIx64 ") differs from the "
		"interpreter after %" PRIu64 " instructions, left at pc 0x%" PRIx64 " (exit reason %u): %s",
		c->low, c->high, r->count, r->pc, r->exit, what);
	abort();
}

/* What the run loop does after an instruction that does not lead to the next one of the page. */
static void splits_follow(struct warp *w, uint64_t pc)
{
	enum exit_reason reason = (enum exit_reason)w->exit;
	w->exit = LEAVE_NONE;
	if (reason == LEAVE_BRANCH)
		divergence_branch(w, w->split_mask, w->split_pc, pc + 4);
	else if (reason == LEAVE_JUMP)
		divergence_jump(w, w->jump_pc);
	else if (reason == LEAVE_NONE && w->op == w->stop) /* met another split */
		divergence_jump(w, uop_pc(w, w->op));
	else
		w->exit = (uint8_t)reason;
}

/* One instruction by its own handler, its stores noted. False: the interpreter would leave here. */
static bool interpret(struct superblock_check *k, struct warp *w)
{
	if (w->op == &w->code->ops[PAGE_OPS])
		divergence_jump(w, w->code->va + GALENA_PAGE_SIZE);
	if (w->exit)
		return false;
	const struct uop *op = w->op;
	handler *fn = superblock_plain(w, op);
	if (fn == w->cu->engine->undecoded) {
		uop_decode(w, op);
		fn = superblock_plain(w, op);
	}
	k->pc = uop_pc(w, op);
	if (op->cls == CLASS_STORE) {
		uint64_t va[LANES];
		register_lanes(w, op->rs1, va);
		for (unsigned i = 0; i < LANES; i++)
			va[i] += (uint64_t)(int64_t)op->imm;
		stores_note(k, w, w->mask, va, 1u << (op->word >> 12 & 3));
	}
	k->lane_insns += (uint32_t)__builtin_popcount(w->mask);
	w->op = fn(w, op);
	splits_follow(w, k->pc);
	return w->exit == LEAVE_NONE;
}

/* ---- what is read ---- */

/* Instructions on the way that have been looked at. A set this full says that nothing is known. */
enum { WALK = 1 << 11 };
struct walk {
	uint64_t seen[WALK], todo[WALK];
	uint32_t num_seen, num_todo;
};

static void walk_to(struct walk *s, uint64_t pc)
{
	uint32_t h = (uint32_t)(pc >> 2) * 0x9e3779b1u % WALK;
	while (s->seen[h] && s->seen[h] != pc)
		h = (h + 1) % WALK;
	if (s->seen[h] || s->num_seen == WALK / 2)
		return;
	s->seen[h] = pc;
	s->num_seen++;
	s->todo[s->num_todo++] = pc;
}

/* False: it has not been fetched, or is none. */
static bool insn_at(const struct warp *w, uint64_t pc, struct insn *i)
{
	const struct icache_page *p = icache_find(w->cu, w->space, pc & ~(GALENA_PAGE_SIZE - 1));
	return p && insn_decode(p->ops[(pc & (GALENA_PAGE_SIZE - 1)) / 4].word, i);
}

/* Where a call leads that says so itself, or together with the auipc in front of it. */
static bool call_target(const struct warp *w, const struct insn *i, uint64_t pc, uint64_t *target)
{
	struct insn before;
	if (i->op == OP_jal)
		*target = pc + (uint64_t)(int64_t)i->imm;
	else if (i->op == OP_jalr && i->rd && insn_at(w, pc - 4, &before) && before.op == OP_auipc && before.rd == i->rs1)
		*target = (pc - 4 + (uint64_t)(int64_t)before.imm + (uint64_t)(int64_t)i->imm) & ~1ull;
	else
		return false;
	return true;
}

/* What comes after an instruction that neither reads nor writes what we look for. False: that is not known. */
static bool walk_on(struct walk *s, const struct warp *w, const struct insn *i, uint64_t pc)
{
	uint64_t next[2];
	if (call_target(w, i, pc, next)) {
		walk_to(s, *next);
		return true;
	}
	int n = insn_next(i, pc, next);
	for (int k = 0; k < n; k++)
		walk_to(s, next[k]);
	return n >= 0;
}

/* Whether the code from pc on may read a register before it writes it. */
static bool may_read(const struct warp *w, uint64_t pc, unsigned reg)
{
	static struct walk s; /* one thread checks */
	memset(s.seen, 0, sizeof(s.seen));
	s.num_seen = s.num_todo = 0;
	walk_to(&s, pc);
	while (s.num_todo) {
		struct insn i;
		pc = s.todo[--s.num_todo];
		if (!insn_at(w, pc, &i))
			return true;
		if (insn_reads(&i) >> reg & 1 || s.num_seen == WALK / 2)
			return true;
		if (insn_writes(&i) != (int)reg && !walk_on(&s, w, &i, pc))
			return true;
	}
	return false;
}

/* Where a lane goes on. */
static uint64_t lane_pc(const struct warp *w, unsigned lane)
{
	for (unsigned i = 0; i < w->num_pending; i++)
		if (w->pending[i].mask >> lane & 1)
			return w->pending[i].pc;
	return uop_pc(w, w->op);
}

static void registers_compare(const struct superblock_check *k, const struct warp *w, const struct superblock_code *c,
			      const struct superblock_run *r, bool divergent)
{
	char what[160];
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		uint64_t x[LANES], y[LANES];
		if (!divergent && r->dead >> reg & 1)
			continue;
		register_lanes(&k->translated, reg, x);
		register_lanes(w, reg, y);
		for (unsigned i = 0; i < LANES; i++) {
			if (x[i] == y[i] || !(w->live >> i & 1) || (divergent && !may_read(w, lane_pc(w, i), reg)))
				continue;
			snprintf(what, sizeof(what), "%c%u of lane %u is 0x%" PRIx64 ", the interpreter's 0x%" PRIx64 ", at pc 0x%" PRIx64,
				 reg < REG_F ? 'x' : 'f', reg % 32, i, x[i], y[i], lane_pc(w, i));
			differ(c, r, what);
		}
	}
	if (k->translated.encoding[0] != ENC_UNIFORM || k->translated.base[0])
		differ(c, r, "x0 is not 0");
}

/* Where the lanes stand. */
static void splits_compare(const struct superblock_check *k, const struct warp *w, const struct superblock_code *c,
			  const struct superblock_run *r, bool divergent)
{
	const struct warp *t = &k->translated;
	char what[200];
	uint64_t pc = uop_pc(w, w->op), at = divergent ? uop_pc(t, t->op) : r->pc;
	if (pc != at)
		snprintf(what, sizeof(what), "the interpreter is at pc 0x%" PRIx64, pc);
	else if (t->depth != w->depth)
		snprintf(what, sizeof(what), "it is %u calls deep, the interpreter %u", t->depth, w->depth);
	else if (t->mask != w->mask || t->live != w->live)
		snprintf(what, sizeof(what), "lanes 0x%08x of 0x%08x run, the interpreter's 0x%08x of 0x%08x", t->mask, t->live,
			 w->mask, w->live);
	else if (t->num_pending != w->num_pending)
		snprintf(what, sizeof(what), "%u splits are pending, the interpreter's %u", t->num_pending, w->num_pending);
	else
		*what = 0;
	for (unsigned i = 0; !*what && i < w->num_pending; i++) {
		const struct warp_split *x = &t->pending[i], *y = &w->pending[i];
		if (x->pc != y->pc || x->mask != y->mask || x->depth != y->depth)
			snprintf(what, sizeof(what), "lanes 0x%08x wait at pc 0x%" PRIx64 ", the interpreter's 0x%08x at 0x%" PRIx64,
				 x->mask, x->pc, y->mask, y->pc);
	}
	if (*what)
		differ(c, r, what);
}

static void stores_compare(const struct superblock_check *k, const struct superblock_code *c, const struct superblock_run *r)
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

/* The translated code, and all that it did put back. */
static void translated_run(struct superblock_check *k, struct warp *w, const struct superblock_code *c, struct superblock_run *r,
			   bool masked)
{
	k->before = *w;
	r->log = k;
	c->entry(w, r);
	r->log = NULL;
	if (masked || r->divergent)
		divergence_jump(w, r->pc);
	k->translated = *w;
	*w = k->before;
	for (uint32_t i = 0; i < k->num; i++) {
		struct cell *x = &k->cells[k->used[i]];
		memcpy(x->translated, x->host, 4);
		memcpy(x->host, x->before, 4);
	}
}

void superblock_check_run(struct superblock_check *k, struct warp *w, const struct superblock_code *c, struct superblock_run *r, bool masked)
{
	char what[160];
	for (uint32_t i = 0; i < k->num; i++)
		k->cells[k->used[i]].host = NULL;
	k->num = 0;
	k->pc = 0;
	k->lane_insns = 0;
	translated_run(k, w, c, r, masked);
	bool divergent = masked || r->divergent;
	if (r->count > r->limit)
		differ(c, r, "that exceeds its limit");
	if (r->exit >= SUPERBLOCK_EXITS)
		differ(c, r, "no reason is given");
	if (divergent)
		divergence_jump(w, uop_pc(w, w->op)); /* finds w->stop again */
	for (uint64_t n = 0; n < r->count; n++)
		if (!interpret(k, w) || (!divergent && w->mask != ALL_LANES)) {
			snprintf(what, sizeof(what), "the interpreter leaves for reason %u at pc 0x%" PRIx64 ", instruction %" PRIu64,
				 w->exit ? w->exit : LEAVE_BRANCH, k->pc, n);
			differ(c, r, what);
		}
	splits_compare(k, w, c, r, divergent);
	registers_compare(k, w, c, r, divergent);
	stores_compare(k, c, r);
	if (r->divergent && r->lanes != k->lane_insns) {
		snprintf(what, sizeof(what), "lanes have executed %" PRIu64 " instructions, the interpreter's %" PRIu64, r->lanes,
			 k->lane_insns);
		differ(c, r, what);
	}
}
