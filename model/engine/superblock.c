/* Superblocks: where translated code may begin, when it is asked for, and how it is entered.
 *
 * Marked are the kernel's first instruction, the targets of backward branches, what follows an instruction that
 * translated code always leaves to the interpreter, and where the splits of a warp have reconverged. A marked
 * instruction is a spot. Where enough time goes into interpreting from it (model/engine/superblock_watch.c), the code around it and
 * the encodings of the registers become a request; the code-cache entry is taken from the cache, or made in the background. Spots of
 * different address spaces, and of one before and after its instructions were dropped, share a site, found again
 * by the bytes of the code. */
#include "model/cu/lsu.h"
#include "model/engine/superblock_site.h"
#include "base/log.h"
#include "abi/environment.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_MICROS = 1000,    /* of interpretation, until the cache is looked at: to find nothing takes 20 */
	LOAD_SHARE = 10,       /* the code is loaded when that takes at most such a part of the time spent interpreting */
	LOAD_MICROS = 40,      /* what it takes: this, */
	LOAD_BYTES = 700,      /* and a microsecond for so many bytes */
	PATIENCE = 256,        /* eager: arrivals between two looks at what is being made */
	KICK_TIMES = 3,             /* times what is worth a translation: then that may take a processor from the program */
	TRIES = 64,            /* runs after which code is judged */
	WORTH = 8,             /* instructions that a run has to do on average */
};

/* ---- life ---- */

struct superblocks *superblocks_create(const struct compute_params *p, const struct engine *engine)
{
	const char *name = getenv("GALENA_ENGINE"), *hot = getenv("GALENA_TRANSLATE_HOT");
	bool check = name && !strcmp(name, "check");
	if (name && *name && !check && strcmp(name, "translate"))
		return NULL;
	if (p->speed == BUS_TIMED || p->config->lanes != LANES || p->mem->events || p->profile)
		return NULL;
	struct superblocks *r = aligned_alloc(128, sizeof(*r));
	if (!r)
		return NULL;
	memset(r, 0, sizeof(*r));
	if (!superblock_store_init(&r->store)) {
		free(r);
		return NULL;
	}
	r->simd = engine->simd;
	/* a translation takes as long as the default, or three times, of what processors have left over */
	uint64_t micros = check && !(hot && *hot) ? 0 : strtoull(environment_value("GALENA_TRANSLATE_HOT"), NULL, 0);
	r->hot = micros * TICKS_MICRO;
	r->eager = r->store.urgent = micros == 0;
	for (unsigned i = 0; i < WORKERS_MAX_JOBS; i++)
		superblock_unit_init(r, &r->unit[i]);
	r->check = check ? superblock_check_create() : NULL;
	if (check && !r->check) {
		superblocks_destroy(r);
		return NULL;
	}
	return r;
}

static struct tally tally_sum(const struct superblock_variant *v)
{
	struct tally sum = { 0 };
	for (unsigned i = 0; i < WORKERS_MAX_JOBS; i++) {
		sum.entered += v->tally[i].entered;
		sum.insns += v->tally[i].insns;
		for (unsigned why = 0; why < SUPERBLOCK_EXITS; why++)
			sum.left[why] += v->tally[i].left[why];
	}
	return sum;
}

/* What became of the code, for people. */
static void site_report(const struct superblock_site *s)
{
	for (unsigned i = 0; i < s->num_variants; i++) {
		const struct superblock_variant *v = &s->variants[i];
		const struct tally t = tally_sum(v);
		const uint64_t *n = t.left;
		if (!t.entered)
			continue;
		log_write(LOG_DEBUG, "superblock 0x%" PRIx64 ", encoding %u: entered %" PRIu64 " times, %.1f instructions each; left for "
			"limit %" PRIu64 ", edge %" PRIu64 ", divergence %" PRIu64 ", access %" PRIu64 ", encoding %" PRIu64 "%s",
			s->request->entry, i, t.entered, (double)t.insns / (double)t.entered, n[SUPERBLOCK_LIMIT], n[SUPERBLOCK_EDGE],
			n[SUPERBLOCK_DIVERGED], n[SUPERBLOCK_ACCESS], n[SUPERBLOCK_ENCODING], variant_state(v) == VARIANT_DEAD || s->verdict == SITE_GIVEN_UP ? "; given up" : "");
	}
}

void superblocks_destroy(struct superblocks *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < SITES; i++)
		for (struct superblock_site *s = r->sites[i], *next; s; s = next) {
			next = s->next;
			if (log_enabled(LOG_DEBUG))
				site_report(s);
			for (unsigned v = 0; v < s->num_variants; v++)
				superblock_code_free(&s->variants[v].code);
			free(s->request);
			free(s);
		}
	superblock_check_destroy(r->check);
	superblock_store_fini(&r->store);
	free(r);
}

bool superblocks_checked(const struct superblocks *r) { return r->check != NULL; }

struct superblock_counters superblocks_counters(const struct superblocks *r)
{
	struct superblock_counters c = r->counters;
	for (unsigned i = 0; i < SITES; i++)
		for (const struct superblock_site *s = r->sites[i]; s; s = s->next)
			for (unsigned v = 0; v < s->num_variants; v++) {
				const struct superblock_variant *x = &s->variants[v];
				const struct tally t = tally_sum(x);
				c.entered += t.entered;
				c.insns += t.insns;
				c.code_entries += x->code.map != NULL;
			}
	return c;
}

/* ---- spots ---- */

static struct spot *spot_find(const struct superblock_page *page, unsigned index)
{
	unsigned h = index * 5 % SPOTS;
	while (page->spots[h].tag != index + 1)
		h = (h + 1) % SPOTS;
	return (struct spot *)&page->spots[h];
}

static struct spot *spot_at(const struct warp *w, const struct uop *op)
{
	return spot_find(w->code->superblocks, (unsigned)(op - w->code->ops));
}

handler *superblock_plain(const struct warp *w, const struct uop *op)
{
	return op->fn == superblock_enter ? spot_at(w, op)->fn : op->fn;
}

/* The instruction is decoded. */
static void spot_make(const struct cu *cu, struct superblock_page *page, struct uop *op, unsigned index)
{
	const struct superblocks *r = cu->superblocks;
	unsigned h = index * 5 % SPOTS;
	while (page->spots[h].tag && page->spots[h].tag != index + 1)
		h = (h + 1) % SPOTS;
	struct spot *s = &page->spots[h];
	if (s->tag || page->num_spots == SPOTS / 2)
		return;
	s->fuse = 1;
	s->step = LOOK_MICROS * TICKS_MICRO;
	s->step = s->step < r->hot ? s->step : r->hot;
	s->next = s->step;
	s->fn = op->fn;
	page->num_spots++;
	s->tag = (uint16_t)(index + 1);
	superblock_spot_set(r, superblock_unit(cu), page, s);
}

static struct superblock_page *page_make(const struct cu *cu, struct icache_page *p)
{
	struct superblock_unit *unit = superblock_unit(cu);
	struct superblock_page *page = calloc(1, sizeof(*page));
	if (!page)
		return NULL;
	page->page = p;
	page->unit = unit;
	page->next = unit->pages;
	page->link = &unit->pages;
	if (page->next)
		page->next->link = &page->next;
	unit->pages = page;
	return page;
}

static void page_mark(const struct cu *cu, struct icache_page *p, int64_t index)
{
	if (index < 0 || index >= PAGE_OPS)
		return;
	uint64_t bit = 1ull << index % 64;
	if (p->superblocks && p->superblocks->wanted[index / 64] & bit)
		return;
	if (!p->superblocks)
		p->superblocks = page_make(cu, p);
	if (p->superblocks && !(p->superblocks->wanted[index / 64] & bit)) {
		p->superblocks->wanted[index / 64] |= bit;
		if (p->ops[index].fn != cu->engine->undecoded)
			spot_make(cu, p->superblocks, &p->ops[index], (unsigned)index);
	}
}

void superblock_mark(struct warp *w, const struct uop *op)
{
	if (superblock_unit(w->cu)->looks)
		page_mark(w->cu, w->code, op - w->code->ops);
}

/* Whether translated code always leaves the instruction to the interpreter (model/engine/superblock.h). */
static bool always_leaves(const struct uop *op)
{
	switch ((enum isa_class)op->cls) {
	case CLASS_ATOMIC:
	case CLASS_SG:
		return true;
	case CLASS_SYSTEM:
		return isa_rows[op->op].format == FMT_N ? op->op == OP_barrier || op->op == OP_sg_sync
							: csr_kind((unsigned)op->imm) != CSR_KIND_ID;
	default:
		return op->op == OP_sg_ballot;
	}
}

void superblock_decoded(const struct cu *cu, struct icache_page *p, const struct uop *op)
{
	int64_t index = op - p->ops, target;
	if (!superblock_unit(cu)->looks)
		return;
	if (p->superblocks && p->superblocks->wanted[index / 64] >> index % 64 & 1)
		spot_make(cu, p->superblocks, (struct uop *)op, (unsigned)index);

	switch ((enum isa_class)op->cls) {
	case CLASS_BRANCH:
	case CLASS_JUMP:
		if (op->flags & UOP_CALL)
			page_mark(cu, p, index + 1);
		if (op->imm >= 0 || op->op == OP_jalr)
			break;
		target = index + op->imm;
		if (op->fn != cu->engine->far_fn[op->op]) {
			page_mark(cu, p, target);
			break;
		}
		target = (int64_t)(p->va + (uint64_t)index * 4) + op->imm;
		p = icache_find(cu, p->space, (uint64_t)target);
		if (p)
			page_mark(cu, p, (int64_t)(((uint64_t)target & (GALENA_PAGE_SIZE - 1)) / 4));
		break;
	default:
		if (always_leaves(op))
			page_mark(cu, p, index + 1);
		break;
	}
}

void superblock_page_free(struct icache_page *p)
{
	struct superblock_page *page = p->superblocks;
	if (!page)
		return;
	*page->link = page->next;
	if (page->next)
		page->next->link = page->link;
	page->unit->open = NULL;
	page->unit->num_trials = 0;
	free(page);
	p->superblocks = NULL;
}

/* ---- what a request holds ---- */

/* The decoded pages around the warp's, as far as they are there and known to be valid now. */
static struct superblock_request *request_make(const struct superblocks *r, const struct warp *w, uint64_t entry)
{
	enum { MOST = SUPERBLOCK_MAX_CODE / GALENA_PAGE_SIZE };
	const struct icache_page *pages[2 * MOST];
	unsigned first = MOST, end = MOST;
	pages[end++] = w->code;
	for (; end - first < MOST / 2; first--)
		if (!(pages[first - 1] = icache_find(w->cu, w->space, pages[first]->va - GALENA_PAGE_SIZE)))
			break;
	for (; end - first < MOST; end++)
		if (!(pages[end] = icache_find(w->cu, w->space, pages[end - 1]->va + GALENA_PAGE_SIZE)))
			break;
	uint32_t bytes = (uint32_t)((end - first) * GALENA_PAGE_SIZE);
	struct superblock_request *q = calloc(1, sizeof(*q) + bytes);
	if (!q)
		return NULL;
	q->code_va = pages[first]->va;
	q->entry = entry;
	q->code_bytes = bytes;
	q->flags = SUPERBLOCK_DIVERGENT | (r->check ? SUPERBLOCK_CHECK : 0);
	q->private_bytes = w->private_bytes;
	q->simd = (uint8_t)r->simd;
	uint32_t *words = (uint32_t *)(q + 1);
	for (unsigned i = first; i < end; i++)
		for (unsigned k = 0; k < PAGE_OPS; k++)
			*words++ = pages[i]->ops[k].word;
	return q;
}

static struct superblock_request *request_copy(const struct superblock_request *from)
{
	struct superblock_request *q = malloc(sizeof(*q) + from->code_bytes);
	if (q)
		memcpy(q, from, sizeof(*q) + from->code_bytes);
	return q;
}

/* Whether code for the warp as it stands has to take a mask along. */
static bool is_masked(const struct warp *w) { return w->mask != ALL_LANES; }

/* Which integer registers point into private memory. Not the stack pointer, of which that goes without saying. */
uint64_t superblock_privates(const struct warp *w, uint64_t among)
{
	uint64_t m = 0;
	for (among &= UINT32_MAX & ~(1ull << 2); among; among &= among - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(among);
		if (w->encoding[reg] == ENC_UNIFORM && w->base[reg] - VA_PRIVATE_BASE < VA_PRIVATE_SIZE)
			m |= 1ull << reg;
	}
	return m;
}

/* The encodings of the warp's registers, and the key. w NULL: no encodings, as in the request of a site. */
static void request_encodings(const struct superblock_store *s, struct superblock_request *q, struct warp *w)
{
	memset(q->encoding, 0, sizeof(q->encoding));
	memset(q->id_encoding, 0, sizeof(q->id_encoding));
	q->flags &= ~(uint32_t)SUPERBLOCK_MASKED;
	q->in_private = w ? superblock_privates(w, UINT64_MAX) : 0;
	if (w) {
		q->flags |= is_masked(w) ? SUPERBLOCK_MASKED : 0;
		memcpy(q->encoding + 1, w->encoding + 1, sizeof(q->encoding) - 1);
		memcpy(q->id_encoding, csr_local_ids(w)->encoding, sizeof(q->id_encoding));
	}
	superblock_key_make(s, q);
}

/* ---- sites ---- */

/* The site of a request without encodings. */
static struct superblock_site *site_find(struct superblocks *r, const struct superblock_request *q)
{
	for (struct superblock_site *s = r->sites[q->key[0] % SITES]; s; s = s->next)
		if (s->request->key[0] == q->key[0] && s->request->key[1] == q->key[1])
			return s;
	return NULL;
}

static struct superblock_site *site_make(struct superblocks *r, const struct superblock_request *from)
{
	struct superblock_site *s = aligned_alloc(64, sizeof(*s));
	struct superblock_request *q = s ? request_copy(from) : NULL;
	if (!q) {
		free(s);
		return NULL;
	}
	memset(s, 0, sizeof(*s));
	request_encodings(&r->store, q, NULL);
	s->request = q;
	s->low = UINT64_MAX;
	s->next = r->sites[q->key[0] % SITES];
	r->sites[q->key[0] % SITES] = s;
	return s;
}

/* Whether the code that the site's code-cache entries were made from is what the warp's space has there. Pages that the
 * interpreter has not come to since a translation may have changed are not known. */
static bool site_holds(const struct superblock_site *site, const struct warp *w)
{
	const struct superblock_request *q = site->request;
	uint64_t low = __atomic_load_n(&site->low, __ATOMIC_RELAXED), high = __atomic_load_n(&site->high, __ATOMIC_RELAXED);
	for (uint64_t va = low & ~(GALENA_PAGE_SIZE - 1); va < high; va += GALENA_PAGE_SIZE) {
		if (va == w->code->va)
			continue; /* spots go when their page's code does */
		const struct icache_page *p = icache_find(w->cu, w->space, va);
		const uint32_t *words = (const uint32_t *)(q + 1) + (va - q->code_va) / 4;
		if (!p)
			return false;
		for (unsigned i = 0; i < PAGE_OPS; i++)
			if (p->ops[i].word != words[i])
				return false;
	}
	return true;
}

/* What came of a request. */
static void variant_resolve(struct superblocks *r, struct superblock_site *site, struct superblock_variant *v,
			   enum superblock_result result)
{
	__atomic_fetch_sub(&r->num_pending, 1, __ATOMIC_RELAXED);
	if (result != SUPERBLOCK_READY) {
		r->counters.failed++;
		__atomic_store_n(&v->state, VARIANT_DEAD, __ATOMIC_RELEASE);
		return;
	}
	for (unsigned i = 1; i < 64; i++)
		if (v->code.needs >> i & 1)
			((uint8_t *)v->care)[i] = 0xff;
	for (unsigned i = 0; i < 3; i++)
		if (v->code.needs_ids >> i & 1)
			((uint8_t *)&v->care_ids)[i] = 0xff;
	__atomic_store_n(&site->privates, site->privates | (v->asked.in_private & v->code.needs), __ATOMIC_RELAXED);
	if (v->code.low < site->low)
		__atomic_store_n(&site->low, v->code.low, __ATOMIC_RELAXED);
	if (v->code.high > site->high)
		__atomic_store_n(&site->high, v->code.high, __ATOMIC_RELAXED);
	__atomic_store_n(&site->generation, site->generation + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&v->state, VARIANT_READY, __ATOMIC_RELEASE);
	superblock_try_anew(site);
	__atomic_fetch_add(&site->num_ready, 1, __ATOMIC_RELEASE);
}

/* A translator that gets no processor while the program needs them all is started once more, at a higher priority, when
 * that would have been worth it many times. */
static void variant_kick(struct superblocks *r, struct superblock_site *site, struct superblock_variant *v)
{
	if (v->kicked || __atomic_load_n(&site->heat, __ATOMIC_RELAXED) - v->asked_heat < KICK_TIMES * r->hot)
		return;
	struct superblock_request *q = request_copy(site->request);
	v->kicked = true;
	if (q) {
		memcpy(q, &v->asked, sizeof(*q));
		superblock_job_kick(&r->store, q);
	}
	free(q);
}

void superblock_site_poll(struct superblocks *r, struct superblock_site *site, bool wait)
{
	for (unsigned i = 0; i < site->num_variants; i++) {
		struct superblock_variant *v = &site->variants[i];
		enum superblock_result result;
		if (variant_state(v) != VARIANT_PENDING)
			continue;
		if (superblock_job_poll(&r->store, &v->asked, wait, &result, &v->code) == SUPERBLOCK_ENDED)
			variant_resolve(r, site, v, result);
		else
			variant_kick(r, site, v);
	}
}

static struct superblock_variant *variant_find(struct superblock_site *site, const struct superblock_request *q)
{
	for (unsigned i = 0; i < site->num_variants; i++) {
		struct superblock_variant *v = &site->variants[i];
		if (v->asked.key[0] == q->key[0] && v->asked.key[1] == q->key[1])
			return v;
	}
	return NULL;
}

/* How large a file may be for the time that the site has cost so far. */
static size_t load_most(const struct superblocks *r, const struct superblock_site *site)
{
	uint64_t micros = (__atomic_load_n(&site->heat, __ATOMIC_RELAXED) - site->asked) / TICKS_MICRO / LOAD_SHARE;
	if (r->eager || r->hot < LOOK_MICROS * TICKS_MICRO)
		return SIZE_MAX;
	return micros < LOAD_MICROS ? 0 : (micros - LOAD_MICROS) * LOAD_BYTES;
}

/* A new variant for the request: from the cache or, with ask, from the translator. NULL: not now. */
static struct superblock_variant *variant_make(struct superblocks *r, struct superblock_site *site, const struct superblock_request *q, bool ask)
{
	struct superblock_code code = { 0 };
	enum superblock_result result = superblock_load(&r->store, q, load_most(r, site), &code);
	if (result == SUPERBLOCK_LARGE)
		return NULL;
	if (result == SUPERBLOCK_ABSENT) {
		if (!ask || r->unable)
			return NULL;
		enum superblock_job job = superblock_job_start(&r->store, q);
		r->unable = job == SUPERBLOCK_UNABLE;
		if (job != SUPERBLOCK_RUNNING)
			return NULL;
	}
	struct superblock_variant *v = &site->variants[site->num_variants];
	v->code = code;
	v->asked_heat = site->asked = __atomic_load_n(&site->heat, __ATOMIC_RELAXED);
	v->asked = *q;
	memcpy(v->encoding, q->encoding, sizeof(v->encoding));
	memcpy(&v->ids, q->id_encoding, sizeof(q->id_encoding));
	v->state = VARIANT_PENDING;
	__atomic_fetch_add(&r->num_pending, 1, __ATOMIC_RELAXED);
	if (result != SUPERBLOCK_ABSENT)
		variant_resolve(r, site, v, result);
	__atomic_store_n(&site->num_variants, site->num_variants + 1, __ATOMIC_RELEASE);
	return v;
}

/* ---- at a spot ---- */

/* Whether the interpreter has spent more on the site than a translation costs. */
static bool site_is_hot(const struct superblocks *r, const struct superblock_site *site)
{
	return r->eager || __atomic_load_n(&site->heat, __ATOMIC_RELAXED) - site->asked >= r->hot;
}

/* When the spot is looked at again. v: what there is for the warp that has come by now. */
static void spot_wait(const struct superblocks *r, const struct superblock_site *site, struct spot *s, const struct superblock_variant *v)
{
	bool full = !v && site->num_variants == VARIANTS, dead = v && variant_state(v) == VARIANT_DEAD;
	s->fuse = full ? UINT32_MAX : PATIENCE;
	s->step = full || dead || s->step < r->hot / 8 ? 2 * s->step : s->step;
	s->next = s->heat + s->step;
}

/* It is the spot's turn: code is asked for, or looked after. */
static __attribute__((noinline)) void spot_consider(struct warp *w, const struct uop *op, struct spot *s)
{
	struct superblocks *r = w->cu->superblocks;
	s->fuse = PATIENCE;
	superblock_lock();
	struct superblock_site *site = s->site, *before = s->site;
	if (site && (site->request->private_bytes != w->private_bytes || !site_holds(site, w)))
		site = NULL;
	struct superblock_request *q = site ? request_copy(site->request) : request_make(r, w, uop_pc(w, op));
	if (!q)
		goto done;
	request_encodings(&r->store, q, NULL);
	if (!site && !(site = site_find(r, q)) && !(site = site_make(r, q)))
		goto done;
	request_encodings(&r->store, q, w);
	superblock_site_poll(r, site, false);
	if (site != before)
		__atomic_fetch_add(&site->heat, s->heat, __ATOMIC_RELAXED);
	struct superblock_variant *v = variant_find(site, q);
	if (!v && site->num_variants < VARIANTS)
		v = variant_make(r, site, q, site_is_hot(r, site));
	if (v && r->eager)
		superblock_site_poll(r, site, true);
	spot_wait(r, site, s, v);
	s->no_more = r->eager && v && variant_state(v) == VARIANT_DEAD && !is_masked(w);
	s->site = site; /* also where there is no code for these encodings yet: another one may come by */
done:
	s->ripe = false;
	superblock_spot_set(r, superblock_unit(w->cu), w->code->superblocks, s);
	free(q);
	superblock_unlock();
}

static bool forms_match(const struct superblock_site *site, const struct superblock_variant *v, struct warp *w)
{
	uint64_t differ = 0;
	uint32_t ids;
	if (!(v->asked.flags & SUPERBLOCK_MASKED) == is_masked(w))
		return false;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t rep;
		memcpy(&rep, w->encoding + 8 * i, 8);
		differ |= (rep ^ v->encoding[i]) & v->care[i];
	}
	uint64_t privates = __atomic_load_n(&site->privates, __ATOMIC_RELAXED) & v->code.needs;
	if (differ || (privates && superblock_privates(w, privates) != (v->asked.in_private & privates)))
		return false;
	if (!v->care_ids)
		return true;
	memcpy(&ids, csr_local_ids(w)->encoding, 4);
	return !((ids ^ v->ids) & v->care_ids);
}

/* Code for the warp as it stands. */
static struct superblock_variant *spot_match(struct spot *s, struct warp *w)
{
	struct superblock_site *site = s->site;
	if (!site || site->request->private_bytes != w->private_bytes ||
	    site_verdict(site) == SITE_GIVEN_UP)
		return NULL;
	uint32_t num = __atomic_load_n(&site->num_variants, __ATOMIC_ACQUIRE);
	for (unsigned i = 0; i < num; i++) {
		struct superblock_variant *v = &site->variants[i];
		if (variant_state(v) != VARIANT_READY || !forms_match(site, v, w))
			continue;
		uint32_t generation = __atomic_load_n(&site->generation, __ATOMIC_ACQUIRE);
		if (s->epoch != w->cu->epoch || s->generation != generation) {
			if (!site_holds(site, w))
				return NULL;
			s->epoch = w->cu->epoch;
			s->generation = generation;
		}
		return v;
	}
	return NULL;
}

/* Whether the warp's splits are such as translated code knows (model/engine/superblock.h). */
static bool paths_plain(const struct warp *w)
{
	if (!is_masked(w))
		return true;
	if (w->yielded || w->num_at_barrier || w->num_reconverging)
		return false;
	for (unsigned i = 0; i < w->num_pending; i++)
		if (w->pending[i].depth != w->depth)
			return false;
	return true;
}

const struct uop *superblock_enter(struct warp *w, const struct uop *op)
{
	const struct superblocks *r = w->cu->superblocks;
	struct superblock_unit *unit = superblock_unit(w->cu);
	struct spot *s = spot_at(w, op);
	handler *fn = s->fn;
	bool usable = !w->frm_any && !w->replay && paths_plain(w);
	if (usable) {
		struct superblock_variant *v = spot_match(s, w);
		if (!v && (r->eager ? --s->fuse == 0 : s->ripe)) {
			spot_consider(w, op, s);
			v = spot_match(s, w);
		}
		if (v) {
			w->cu->superblock = v;
			w->exit = LEAVE_SUPERBLOCK;
			w->stop = op;
			return op;
		}
	}
	if (unit->census)
		superblock_census_at(unit, usable ? s : NULL);
	else if (s->site && site_verdict(s->site) == SITE_GIVEN_UP)
		superblock_spot_set(r, unit, w->code->superblocks, s);
	return fn(w, op);
}

/* ---- running ---- */

static const struct soft_tlb_entry *help_tlb(struct warp *w, uint64_t va, bool write)
{
	enum fault fault;
	const struct soft_tlb_entry *l = soft_tlb_get(w->cu, w->space, va, write ? ACCESS_WRITE : ACCESS_READ, &fault);
	return l && soft_tlb_host(l, soft_tlb_key(w->space, va), write ? DIRECT_WRITE : DIRECT_READ) ? l : NULL;
}

static bool help_load(struct warp *w, const uint64_t *va, unsigned size, uint64_t *value)
{
	EACH_BIT(i, w->mask)
		if (lsu_load(w, i, va[i], size, &value[i]))
			return false;
	return true;
}

static bool help_store(struct warp *w, const uint64_t *va, unsigned size, const uint64_t *value)
{
	EACH_BIT(i, w->mask)
		if (lsu_store(w, i, va[i], size, value[i]))
			return false;
	return true;
}

const struct superblock_helpers superblock_helpers = {
	.tlb = help_tlb, .load = help_load, .store = help_store, .note = superblock_check_note,
};

/* The warp as translated code has left it. divergent: its splits are others than before. */
static void superblock_leave(struct warp *w, const struct superblock_run *r, bool masked)
{
	struct cu *cu = w->cu;
	w->retired += r->count;
	cu->counters.lane_insns += r->divergent ? r->lanes : r->count * lanes_count(w->mask);
	if (masked || r->divergent) {
		if (r->divergent)
			w->slice = (uint32_t)(w->num_pending ? r->slice : SPLIT_SLICE);
		divergence_jump(w, r->pc);
		return;
	}
	bool near = r->pc - w->code->va < GALENA_PAGE_SIZE;
	const struct uop *op = near ? &w->code->ops[(r->pc - w->code->va) / 4] : icache_fetch(w, r->pc);
	if (op)
		w->op = op;
}

uint64_t superblock_run(struct warp *w, uint64_t limit)
{
	struct cu *cu = w->cu;
	struct superblock_variant *v = cu->superblock;
	struct superblock_unit *unit = superblock_unit(cu);
	struct spot *s = spot_at(w, w->op);
	if (unit->census)
		superblock_census_at(unit, NULL);
	else if (site_verdict(s->site) == SITE_TRIED && !cu->superblocks->eager && !superblock_try(w, s))
		return 0;
	struct superblock_run r = { .limit = limit, .slice = w->slice, .helpers = &superblock_helpers,
				.ids = v->care_ids ? csr_local_ids(w) : NULL };
	bool masked = v->asked.flags & SUPERBLOCK_MASKED;
	if (cu->superblocks->check)
		superblock_check_run(cu->superblocks->check, w, &v->code, &r, masked);
	else
		v->code.entry(w, &r);
	struct tally *t = &v->tally[cu->index];
	t->entered++;
	t->insns += r.count;
	t->left[r.exit < SUPERBLOCK_EXITS ? r.exit : SUPERBLOCK_LIMIT]++;
	uint32_t ready = VARIANT_READY;
	if (t->entered == TRIES && t->insns < TRIES * WORTH &&
	    __atomic_compare_exchange_n(&v->state, &ready, VARIANT_DEAD, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		__atomic_fetch_sub(&s->site->num_ready, 1, __ATOMIC_RELAXED);
	superblock_leave(w, &r, masked);
	return r.count;
}

void superblocks_wait(struct superblocks *r)
{
	superblock_lock();
	for (unsigned i = 0; i < SITES; i++)
		for (struct superblock_site *s = r->sites[i]; s; s = s->next)
			superblock_site_poll(r, s, true);
	superblock_unlock();
}
