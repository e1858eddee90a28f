/* What is hot, and which engine is faster: what the model measures of the code that it runs. Nothing of it changes what
 * is computed, nor any cycle.
 *
 * At first nothing is marked. A census finds what is hot. Marked instructions have their own handlers, so that the
 * interpreter is as fast as without them; only now and then, for some CENSUS instructions of a unit, every spot tells who
 * comes by. The ticks from there to the next spot stand for all of the time since the last census.
 *
 * A trial finds what is faster. For each turn of a warp that comes to the site it is drawn by lot whether it runs
 * the translated code or is interpreted, and what is left of the turn is measured. When each side has had some turns they
 * are compared, which decides a contest; a side that is LEAD contests ahead is kept, until it is tried again. So
 * one turn in which the thread was stopped spoils one contest. */
#include "model/engine/superblock_site.h"
#include <string.h>

enum {
	LOOK_INSNS = 1 << 17,  /* of a unit, until it marks anything: a millisecond or two, of which no translation could save much */
	CENSUS = 512,          /* instructions */
	PERIOD_LEAST = 1 << 16, /* between two, at first; then twice as many... */
	PERIOD_MOST = 1 << 18,
	TICKS_INSN = 30,       /* of an instruction, at most, until it is known */
	STOPPED = 2,           /* times as many: the thread has been stopped */
	CONTEST_TURNS = 8,     /* of each side */
	LEAD = 3,
	CONTESTS = 15,         /* after so many who is ahead wins */
	BETTER = 32,           /* the code has to save more than 1/32 of the time */
	AGAIN_MICROS = 100000, /* until a site is tried again, the first time; then twice as long... */
	AGAIN_DOUBLES = 7,
};

void superblock_unit_init(const struct superblocks *r, struct superblock_unit *unit)
{
	unit->period = PERIOD_LEAST;
	unit->next = (struct superblock_turn){ .due = r->eager ? UINT64_MAX : LOOK_INSNS, .awake = r->eager };
	unit->looks = r->eager;
	unit->rate = TICKS_INSN;
}

/* ---- handlers ---- */

static bool awake(const struct superblocks *r, const struct superblock_unit *unit, const struct spot *s)
{
	if (s->no_more)
		return false;
	if (r->eager || unit->census || s->ripe)
		return true;
	return s->site && __atomic_load_n(&s->site->num_ready, __ATOMIC_RELAXED) && site_verdict(s->site) != SITE_GIVEN_UP;
}

void superblock_spot_set(const struct superblocks *r, struct superblock_unit *unit, struct superblock_page *page, struct spot *s)
{
	bool tells = awake(r, unit, s);
	page->page->ops[s->tag - 1].fn = tells ? superblock_enter : s->fn;
	unit->next.awake |= tells;
}

/* All spots of the unit. */
static void spots_set(const struct superblocks *r, struct superblock_unit *unit)
{
	unit->next.awake = unit->census; /* then new ones are, too */
	for (struct superblock_page *p = unit->pages; p; p = p->next)
		for (unsigned i = 0; i < SPOTS; i++)
			if (p->spots[i].tag)
				superblock_spot_set(r, unit, p, &p->spots[i]);
}

/* ---- census ---- */

void superblock_census_at(struct superblock_unit *unit, struct spot *s)
{
	uint64_t now = workers_time();
	if (unit->open) {
		unit->open->sampled += now - unit->since;
		unit->sampled += now - unit->since;
	}
	unit->open = s;
	unit->since = now;
}

static void census_begin(const struct superblocks *r, struct superblock_unit *unit, uint64_t insns)
{
	unit->census = true;
	unit->from = insns;
	unit->open = NULL;
	unit->sampled = 0;
	spots_set(r, unit);
}

/* Whether the thread has had its processor all the while. If not, what it waited would count many times. */
static bool census_counts(struct superblock_unit *unit, uint64_t insns)
{
	double rate = (double)unit->sampled / (double)(insns - unit->from);
	bool counts = rate < STOPPED * unit->rate;
	unit->rate = counts ? (3 * unit->rate + rate) / 4 : 2 * unit->rate; /* or it is slower by now */
	return counts;
}

/* What has been sampled at the spot, for the time that it stands for. */
static void spot_heat(struct spot *s, double factor)
{
	uint64_t heat = (uint64_t)((double)s->sampled * factor);
	s->sampled = 0;
	s->heat += heat;
	if (s->site)
		__atomic_fetch_add(&s->site->heat, heat, __ATOMIC_RELAXED);
	s->ripe |= heat && s->heat >= s->next;
}

/* A site that was decided long ago is tried again. */
static void site_again(struct superblock_site *site, uint64_t now)
{
	if (site_verdict(site) != SITE_TRIED && now >= __atomic_load_n(&site->again, __ATOMIC_RELAXED))
		__atomic_store_n(&site->verdict, SITE_TRIED, __ATOMIC_RELAXED);
}

static void census_end(struct superblocks *r, struct superblock_unit *unit, uint64_t insns)
{
	double factor = (double)(insns - unit->before) / (double)(insns - unit->from);
	uint64_t now = workers_time();
	bool pending = __atomic_load_n(&r->num_pending, __ATOMIC_RELAXED), counts = census_counts(unit, insns);
	if (pending)
		superblock_lock();
	for (struct superblock_page *p = unit->pages; p; p = p->next)
		for (unsigned i = 0; i < SPOTS; i++) {
			struct spot *s = &p->spots[i];
			if (!s->tag)
				continue;
			if (s->sampled)
				spot_heat(s, counts ? factor : 0);
			if (s->site && pending)
				superblock_site_poll(r, s->site, false);
			if (s->site)
				site_again(s->site, now);
		}
	if (pending)
		superblock_unlock();
	unit->census = false;
	unit->before = insns;
	unit->period = unit->period < PERIOD_MOST ? 2 * unit->period : unit->period;
	spots_set(r, unit);
}

/* ---- trials ---- */

void superblock_try_anew(struct superblock_site *site)
{
	__atomic_store_n(&site->score, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&site->contests, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&site->trials, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&site->verdict, SITE_TRIED, __ATOMIC_RELAXED);
}

/* The side that gets the turn: by lot, as long as none is far behind. */
static bool side_draw(struct contest *k)
{
	for (unsigned side = 0; side < 2; side++)
		if (k->turns[side] >= 2 * CONTEST_TURNS)
			return !side;
	k->draw = k->draw * 1664525u + 1013904223u;
	return k->draw >> 31;
}

bool superblock_try(struct warp *w, struct spot *s)
{
	struct superblock_unit *unit = superblock_unit(w->cu);
	struct trial *t = unit->trial;
	while (t < unit->trial + unit->num_trials && t->site != s->site)
		t++;
	if (t == unit->trial + TRIALS)
		return true; /* not measured */
	if (t == unit->trial + unit->num_trials) {
		unit->num_trials++;
		unit->next.due = 0;
		*t = (struct trial){ .site = s->site, .warp = w, .runs = side_draw(&s->site->contest[w->cu->index]),
				     .insns = w->retired, .ticks = workers_time() };
	}
	if (!t->runs) /* for the rest of the turn */
		((struct uop *)w->op)->fn = s->fn;
	return t->runs;
}

static void site_decide(struct superblock_site *site, int32_t score, uint32_t contests)
{
	if (score < LEAD && score > -LEAD && contests < CONTESTS)
		return;
	uint32_t trials = __atomic_fetch_add(&site->trials, 1, __ATOMIC_RELAXED);
	uint64_t wait = (uint64_t)AGAIN_MICROS * TICKS_MICRO << (trials < AGAIN_DOUBLES ? trials : AGAIN_DOUBLES);
	__atomic_store_n(&site->again, workers_time() + wait, __ATOMIC_RELAXED);
	__atomic_store_n(&site->score, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&site->contests, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&site->verdict, score > 0 ? SITE_KEPT : SITE_GIVEN_UP, __ATOMIC_RELAXED);
}

static void trial_end(const struct trial *t, unsigned unit, uint64_t now)
{
	struct contest *k = &t->site->contest[unit];
	k->ticks[t->runs] += now - t->ticks;
	k->insns[t->runs] += t->warp->retired - t->insns;
	k->turns[t->runs]++;
	if (k->turns[0] < CONTEST_TURNS || k->turns[1] < CONTEST_TURNS)
		return;
	double code = (double)k->ticks[1] * (double)k->insns[0], interpreted = (double)k->ticks[0] * (double)k->insns[1];
	bool wins = code < interpreted - interpreted / BETTER;
	memset(k->ticks, 0, sizeof(k->ticks));
	memset(k->insns, 0, sizeof(k->insns));
	memset(k->turns, 0, sizeof(k->turns));
	if (site_verdict(t->site) == SITE_TRIED)
		site_decide(t->site, __atomic_add_fetch(&t->site->score, wins ? 1 : -1, __ATOMIC_RELAXED),
			    __atomic_add_fetch(&t->site->contests, 1, __ATOMIC_RELAXED));
}

/* ---- between turns ---- */

const struct superblock_turn *superblocks_next(const struct cu *cu) { return &superblock_unit(cu)->next; }

void superblocks_turn(struct cu *cu)
{
	struct superblocks *r = cu->superblocks;
	struct superblock_unit *unit = superblock_unit(cu);
	uint64_t insns = cu->counters.warp_insns;
	if (!unit->looks) {
		unit->looks = true;
		icache_visit(cu, superblock_decoded);
	}
	if (unit->num_trials) {
		uint64_t now = workers_time();
		for (unsigned i = 0; i < unit->num_trials; i++)
			trial_end(&unit->trial[i], cu->index, now);
		unit->num_trials = 0;
		spots_set(r, unit);
	}
	if (unit->census) {
		superblock_census_at(unit, NULL);
		if (insns - unit->from >= CENSUS)
			census_end(r, unit, insns);
	} else if (insns - unit->before >= unit->period) {
		census_begin(r, unit, insns);
	}
	unit->next.due = unit->census ? 0 : unit->before + unit->period;
}
