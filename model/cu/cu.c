/* A compute unit: resident work-groups and their warps, barriers, and which warp runs. */
#include "model/profile.h"
#include "model/engine/superblocks.h"
#include <stdlib.h>
#include <string.h>

enum {
	TURN = 4096,          /* functional: instructions that a warp runs before the next one */
	BARRIER_LATENCY = 8,  /* cycles from the last arrival until the warps go on */
};

static size_t l1_bytes(const struct cu *cu) { return (size_t)cu->l1_sets * cu->l1_stride * sizeof(uint64_t); }

static void l1_empty(struct cu *cu)
{
	memset(cu->l1_tag, 0, l1_bytes(cu));
	for (uint32_t i = 0; i < cu->l1_sets * cu->l1_stride; i++)
		cu->l1_used[i] = i % cu->l1_stride < cu->config->l1_ways ? i % cu->l1_stride : UINT64_MAX;
}

bool cu_init(struct cu *cu, struct compute *owner, const struct compute_params *p, const struct engine *engine,
	     unsigned index)
{
	const struct device_config *c = p->config;
	memset(cu, 0, sizeof(*cu));
	cu->owner = owner;
	cu->mmu = p->mmu;
	cu->mem = p->mem;
	cu->events = p->mem->events;
	cu->profile = p->profile ? profile_of_cu(p->profile, index) : NULL;
	cu->l2 = l2_view_create(p->l2);
	cu->code = code_create();
	cu->config = c;
	cu->engine = engine;
	cu->index = index;
	cu->unit = UNIT_CU + index;
	cu->timed = p->speed == BUS_TIMED;
	look_init(cu);
	cu->line_shift = (uint32_t)__builtin_ctz(c->line_bytes);
	cu->l1_stride = c->l1_ways > 8 ? c->l1_ways : 8; /* whole vectors of ways */
	cu->l1_sets = 1;
	while (cu->l1_sets * 2 * c->l1_ways * c->line_bytes <= c->l1_bytes) /* a power of two */
		cu->l1_sets *= 2;
	cu->warps = aligned_alloc(64, sizeof(struct warp) * c->warps_per_cu);
	cu->lds = calloc(1, lds_round(c->lds_bytes));
	cu->lds_space = calloc(lds_round(c->lds_bytes) / LDS_GRANULE, sizeof(*cu->lds_space));
	cu->l1_tag = aligned_alloc(64, l1_bytes(cu));
	cu->l1_used = aligned_alloc(64, l1_bytes(cu));
	if (!cu->l2 || !cu->code || !mmu_view_open(cu->mmu, cu->unit, cu->l2))
		return false;
	if (!cu->warps || !cu->lds || !cu->lds_space || !cu->l1_tag || !cu->l1_used)
		return false;
	l1_empty(cu);
	memset(cu->warps, 0, sizeof(struct warp) * c->warps_per_cu);
	for (unsigned i = 0; i < MAX_WARPS; i++)
		cu->wake[i] = UINT64_MAX;
	for (unsigned i = 0; i < CLASS_COUNT; i++)
		cu->latency[i] = c->alu_latency;
	cu->latency[CLASS_MUL] = c->mul_latency;
	cu->latency[CLASS_DIV] = c->div_latency;
	cu->latency[CLASS_FPU] = c->fpu_latency;
	cu->latency[CLASS_FDIV] = c->div_latency;
	cu->latency[CLASS_SG] = c->lds_latency;
	return true;
}

void cu_fini(struct cu *cu)
{
	l2_destroy(cu->l2);
	code_destroy(cu->code);
	free(cu->warps);
	free(cu->lds);
	free(cu->lds_space);
	free(cu->l1_tag);
	free(cu->l1_used);
}

/* What the unit reports of a work-group. */
static void group_event(const struct cu *cu, enum event_kind kind, const struct group *g, uint64_t a, uint64_t b,
			uint64_t c)
{
	EVENT_SEND(cu->events, .cycle = cu->now, .kind = (uint16_t)kind, .unit = (uint16_t)cu->unit,
		   .queue = (uint16_t)g->slot, .asid = (uint16_t)g->space, .a = a, .b = b, .c = c);
}

/* Whether it holds or was given work. */
static bool busy(const struct cu *cu) { return !cu->blocked && (cu->live_warps || cu->given); }

void cu_show(struct cu *cu)
{
	cu->shown.now = cu->now;
	cu->shown.given = cu->given;
	cu->shown.ended_slots = cu->ended_slots;
	cu->shown.busy = busy(cu);
	cu->shown.ordered = cu->ordered;
}

void cu_give(struct cu *cu, unsigned slot, uint64_t first, uint64_t count, uint64_t now)
{
	if (!busy(cu) && cu->now < now)
		cu->now = now;
	cu_unblock(cu, now);
	cu->work[slot].next = first;
	cu->work[slot].end = first + count;
	cu->given |= 1u << slot;
	cu_show(cu);
}

void cu_ended(struct cu *cu, unsigned slot)
{
	cu->ended[slot].groups_done = 0;
	cu->ended[slot].stalled = false;
	cu->ended_slots &= ~(1u << slot);
	cu->shown.ended_slots = cu->ended_slots;
}

/* ---- start ---- */

/* First gap of the local memory that is large enough, or -1. */
static int64_t lds_place(const struct cu *cu, uint32_t bytes)
{
	uint32_t at = 0;
	for (bool moved = true; moved;) {
		moved = false;
		for (unsigned i = 0; i < MAX_WARPS; i++) {
			const struct group *g = &cu->groups[i];
			if (g->busy && at < g->lds_offset + g->lds_bytes && g->lds_offset < at + bytes) {
				at = g->lds_offset + g->lds_bytes;
				moved = true;
			}
		}
	}
	return at + bytes <= lds_round(cu->config->lds_bytes) ? (int64_t)at : -1;
}

/* Nobody reads data of another address space, nor, in one, of protected jobs when it is none. Other
 * work-groups are resident: only the group's own part is touched. */
static void lds_claim(struct cu *cu, const struct group *g)
{
	for (uint32_t i = g->lds_offset / LDS_GRANULE; i < (g->lds_offset + g->lds_bytes) / LDS_GRANULE; i++)
		if (cu->lds_space[i] != g->space) {
			memset(cu->lds + (size_t)i * LDS_GRANULE, 0, LDS_GRANULE);
			cu->lds_space[i] = g->space;
		}
}

const struct id_entry *cu_local_ids(struct warp *w)
{
	const struct group *g = w->group;
	struct id_entry *e = &w->cu->ids[w->number % MAX_WARPS];
	if (e->size[0] == g->size[0] && e->size[1] == g->size[1] && e->first == w->first_id)
		return e;
	uint32_t x = w->first_id % g->size[0], y = w->first_id / g->size[0] % g->size[1];
	uint32_t z = w->first_id / g->size[0] / g->size[1];
	*e = (struct id_entry){ .size = { g->size[0], g->size[1] }, .first = w->first_id };
	for (unsigned i = 0; i < LANES; i++) {
		e->id[0][i] = x;
		e->id[1][i] = y;
		e->id[2][i] = z;
		if (++x == g->size[0]) {
			x = 0;
			if (++y == g->size[1]) {
				y = 0;
				z++;
			}
		}
	}
	for (unsigned d = 0; d < 3; d++) {
		const uint32_t *id = e->id[d];
		unsigned equal = 1, next = 1;
		for (unsigned i = 1; i < LANES; i++) {
			equal += id[i] == id[0];
			next += id[i] == id[0] + i;
		}
		e->form[d] = equal == LANES ? REP_UNIFORM : next == LANES ? REP_AFFINE : REP_WORD;
	}
	return e;
}

static void warp_start(struct cu *cu, struct warp *w, struct group *g, const struct dispatch *d, uint32_t first,
		       uint32_t number)
{
	uint32_t lanes = cu->config->lanes, items = g->live_items - first;
	uint32_t slot = (uint32_t)(w - cu->warps);
	size_t from = cu->timed || cu->profile ? offsetof(struct warp, ready) : offsetof(struct warp, rep);
	size_t size = offsetof(struct warp, pending) - from;
	__asm__("" : "+r"(size)); /* not known to the compiler: a call clears faster than what it would make here */
	memset(w, 0, offsetof(struct warp, ready));
	memset((uint8_t *)w + from, 0, size);
	w->cu = cu;
	w->tmp = cu->tmp;
	w->group = g;
	w->slot = slot;
	w->busy = true;
	w->replay = d->replay;
	w->born = cu->now;
	w->space = d->space;
	w->first_id = first;
	w->number = number;
	w->first_live = w->live = items >= LANES && lanes == LANES ? ALL_LANES
								  : (1u << (items < lanes ? items : lanes)) - 1;
	w->mask = w->live;
	w->lds = cu->lds + g->lds_offset;
	w->local_bytes = d->packet.local_bytes;
	w->private_bytes = d->packet.private_bytes;
	if (d->scratch && w->private_bytes)
		w->private_va = d->scratch + ((uint64_t)cu->index * cu->config->warps_per_cu + slot) * lanes * w->private_bytes;
	w->base[2] = VA_PRIVATE_BASE + w->private_bytes;
	w->slice = 4096;
	cu->wake[slot] = cu->now + 1 + number;
	cu->live_warps++;
	w->code = cu->entry_page;
	path_goto(w, d->packet.entry); /* a fault is seen when it is to run */
	if (w->why == WHY_NONE)
		cu->entry_page = w->code;
	else
		w->code = NULL; /* that of another warp */
	if (cu->profile)
		profile_warp_start(w, d);
	if (cu->superblocks && w->why == WHY_NONE && w->op->fn != superblock_enter)
		superblock_mark(w, w->op);
}

/* Starts the work-group with this linear number if there is room. */
static bool group_start(struct cu *cu, unsigned slot, const struct dispatch *d, uint64_t number)
{
	const struct device_config *c = cu->config;
	uint32_t id[3] = { (uint32_t)(number % d->groups[0]), (uint32_t)(number / d->groups[0] % d->groups[1]),
			   (uint32_t)(number / d->groups[0] / d->groups[1]) };
	uint32_t size[3], items = 1;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t left = d->packet.global_size[i] - id[i] * d->packet.local_size[i];
		size[i] = left < d->packet.local_size[i] ? left : d->packet.local_size[i];
		items *= size[i];
	}
	uint32_t warps = (items + c->lanes - 1) / c->lanes;
	if (c->warps_per_cu - cu->live_warps < warps)
		return false;
	int64_t lds = d->packet.local_bytes ? lds_place(cu, lds_round(d->packet.local_bytes)) : 0;
	if (lds < 0)
		return false;
	struct group *g = cu->groups;
	while (g->busy)
		g++;
	*g = (struct group){ .busy = true, .slot = slot, .live_warps = warps, .live_items = items, .num_warps = warps,
			     .lds_offset = (uint32_t)lds, .lds_bytes = lds_round(d->packet.local_bytes),
			     .kernarg = d->packet.kernarg, .number = number, .space = d->space,
			     .hang = d->hang && number == d->total - 1 };
	memcpy(g->id, id, sizeof(id));
	memcpy(g->size, size, sizeof(size));
	lds_claim(cu, g);
	if (cu->timed && cu->l1_owner != d->serial) {
		l1_empty(cu);
		cu->l1_owner = d->serial;
	}
	group_event(cu, EVENT_GROUP, g, number, warps, 0);
	struct warp *w = cu->warps;
	for (uint32_t first = 0, n = 0; first < items; first += c->lanes, n++, w++) {
		while (w->busy)
			w++;
		warp_start(cu, w, g, d, first, n);
	}
	cu->counters.work_groups++;
	return true;
}

/* Fills the unit: one group a slot in turn. */
static void groups_start(struct cu *cu)
{
	unsigned misses = 0;
	while (misses < COMPUTE_SLOTS) {
		unsigned s = cu->next_slot;
		cu->next_slot = (s + 1) % COMPUTE_SLOTS;
		if (cu->given >> s & 1 && group_start(cu, s, compute_dispatch(cu->owner, s), cu->work[s].next)) {
			if (++cu->work[s].next == cu->work[s].end)
				cu->given &= ~(1u << s);
			misses = 0;
		} else {
			misses++;
		}
	}
}

/* ---- end ---- */

static void warp_end(struct cu *cu, struct warp *w)
{
	struct group *g = w->group;
	cu->wake[w->slot] = UINT64_MAX;
	if (g->hang && g->live_warps == 1)
		return;
	w->busy = false;
	cu->live_warps--;
	if (cu->profile)
		profile_warp_end(w);
	cu->counters.warp_cycles += cu->timed ? cu->now - w->born : 0;
	group_event(cu, EVENT_WARP_END, g, w->slot, w->retired, 0);
	if (--g->live_warps)
		return;
	group_event(cu, EVENT_GROUP_END, g, g->number, 0, 0);
	g->busy = false;
	cu->ended[g->slot].groups_done++;
	cu->ended[g->slot].end = cu->now;
	cu->ended_slots |= 1u << g->slot;
	cu->room = true;
}

void cu_kill(struct cu *cu, unsigned slot)
{
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (w->busy && w->group->slot == slot) {
			if (cu->timed)
				warp_count_issued(w, &cu->counters);
			w->busy = false;
			cu->wake[i] = UINT64_MAX;
			if (cu->profile)
				profile_warp_end(w);
			cu->live_warps--;
			cu->counters.warp_cycles += cu->timed ? cu->now - w->born : 0;
		}
	}
	for (unsigned i = 0; i < MAX_WARPS; i++)
		if (cu->groups[i].busy && cu->groups[i].slot == slot)
			cu->groups[i].busy = false;
	cu->work[slot].next = cu->work[slot].end = 0;
	cu->given &= ~(1u << slot);
	cu->room = true;
}

static void lane_name(const struct warp *w, unsigned lane, struct compute_fault *out)
{
	const struct group *g = w->group;
	uint32_t id = w->first_id + lane;
	memcpy(out->group_id, g->id, sizeof(out->group_id));
	out->local_id[0] = id % g->size[0];
	out->local_id[1] = id / g->size[0] % g->size[1];
	out->local_id[2] = id / g->size[0] / g->size[1];
}

/* A page fault that may be replayed leaves the warp where it stands; any other ends the dispatch. What the
 * host is told of a protected job's fault leaves out what its data can have made: addresses come from registers,
 * and a branch can choose the work-item. Observers, who are not the host, see all. */
static void warp_report(struct cu *cu, struct warp *w)
{
	const struct group *g = w->group;
	const struct lane_fault *f = &w->fault;
	unsigned slot = g->slot;
	bool stalls = w->replay && fault_replays(f->code);
	struct compute_fault *out = &cu->ended[slot].fault;
	group_event(cu, EVENT_FAULT, g, f->address, f->code, f->access);
	if (stalls) {
		w->why = WHY_FAULT;
		w->retry = cu->lsu_free;
		cu->wake[w->slot] = UINT64_MAX;
		if (cu->ended[slot].stalled)
			return;
	}
	*out = (struct compute_fault){ .code = f->code, .unit = (uint16_t)cu->unit, .access = f->access };
	if (!(g->space & SPACE_PROTECTED)) {
		out->address = f->address;
		out->pc = f->pc;
		lane_name(w, f->lane, out);
	}
	cu->ended[slot].fault_cycle = cu->now;
	cu->ended_slots |= 1u << slot;
	*(stalls ? &cu->ended[slot].stalled : &cu->ended[slot].faulted) = true;
	if (!stalls)
		cu_kill(cu, slot);
}

bool cu_running(const struct cu *cu, unsigned slot, struct compute_fault *out)
{
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		const struct warp *w = &cu->warps[i];
		if (!w->busy || w->group->slot != slot || !w->mask || w->why != WHY_NONE)
			continue;
		const struct group *g = w->group;
		*out = (struct compute_fault){ .unit = (uint16_t)cu->unit, .access = ACCESS_EXEC };
		if (g->space & SPACE_PROTECTED)
			return true;
		out->pc = w->unresolved ? w->goto_pc : uop_pc(w, w->op);
		lane_name(w, (unsigned)__builtin_ctz(w->mask), out);
		return true;
	}
	return false;
}

void cu_profile_end(struct cu *cu)
{
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++)
		if (cu->warps[i].busy)
			profile_warp_end(&cu->warps[i]);
}

/* Takes the warp to pc, where it stands, in the pages as they are now. */
static void warp_refetch(struct warp *w, uint64_t pc)
{
	path_goto(w, pc);
	w->waits = w->ahead != 0 && w->why == WHY_NONE;
	/* what is executed and has yet to issue is looked at again */
	for (uint32_t i = 0; i < w->ahead && w->why == WHY_NONE; i++)
		if (w->op[i].flags & UOP_RAW)
			code_decode(w, &w->op[i]);
}

void cu_replay(struct cu *cu, unsigned slot, uint64_t now)
{
	cu_unblock(cu, now);
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (!w->busy || w->group->slot != slot || w->why != WHY_FAULT || cu->wake[i] != UINT64_MAX)
			continue;
		w->why = WHY_NONE;
		now = cu->now > now ? cu->now : now;
		cu->wake[i] = w->retry > now ? w->retry : now;
		warp_refetch(w, w->fault.pc);
	}
}

void cu_unblock(struct cu *cu, uint64_t now)
{
	if (!cu->blocked)
		return;
	cu->blocked = false;
	if (cu->now < now)
		cu->now = now;
}

uint64_t cu_resident_cycles(const struct cu *cu)
{
	uint64_t n = 0;
	for (unsigned i = 0; cu->timed && i < cu->config->warps_per_cu; i++)
		if (cu->warps[i].busy)
			n += cu->now - cu->warps[i].born;
	return n;
}

/* Lets the group's warps go on when all its live work-items have arrived. */
static void barrier_check(struct cu *cu, struct group *g)
{
	if (!g->live_items || g->waiting_items < g->live_items)
		return;
	group_event(cu, EVENT_BARRIER, g, g->number, g->live_items, 0);
	g->waiting_items = 0;
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (!w->busy || w->group != g)
			continue;
		path_release(w);
		cu->wake[w->slot] = cu->now + BARRIER_LATENCY;
	}
}

/* What the engine left the warp for. */
static void warp_handle(struct cu *cu, struct warp *w)
{
	struct group *g = w->group;
	uint32_t items = lanes_count(w->mask);
	enum why why = (enum why)w->why;
	if (why == WHY_NONE)
		return;
	w->why = WHY_NONE;
	switch (why) {
	case WHY_BARRIER:
		g->waiting_items += items;
		path_park(w, uop_pc(w, w->op) + 4);
		break;
	case WHY_EXIT:
		g->live_items -= items;
		path_exit(w);
		break;
	default:
		warp_report(cu, w);
		return;
	}
	if (w->why == WHY_FAULT) { /* the next path cannot be fetched */
		cu->wake[w->slot] = cu->now;
		return;
	}
	if (!w->live)
		warp_end(cu, w);
	else if (!w->mask)
		cu->wake[w->slot] = UINT64_MAX;
	barrier_check(cu, g);
}

/* ---- run ---- */

void cu_unresolve(struct cu *cu)
{
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (w->busy && w->mask && w->why == WHY_NONE && !w->unresolved) {
			w->goto_pc = uop_pc(w, w->op);
			w->unresolved = true;
		}
		w->code = NULL;
	}
	cu->entry_page = NULL;
	code_flush(cu->code);
	cu->epoch = UINT64_MAX;
}

/* Decoded instructions may be stale: resolve the warps' positions again. */
static void epoch_check(struct cu *cu)
{
	if (cu->epoch == *mmu_epoch(cu->mmu))
		return;
	cu->epoch = *mmu_epoch(cu->mmu);
	look_reset(cu);
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (w->busy && w->mask && w->why == WHY_NONE)
			warp_refetch(w, w->unresolved ? w->goto_pc : uop_pc(w, w->op));
		w->unresolved = false;
	}
}

static void run_functional(struct cu *cu, uint64_t until)
{
	const struct superblock_turn *turn = cu->superblocks ? superblocks_next(cu) : NULL;
	unsigned n = cu->config->warps_per_cu, idle = 0;
	while (cu->now < until && idle < n) {
		if (cu->room) {
			cu->room = false;
			groups_start(cu);
		}
		struct warp *w = &cu->warps[cu->next_warp];
		cu->next_warp = (cu->next_warp + 1) % n;
		if (cu->wake[w - cu->warps] == UINT64_MAX) {
			idle++;
			continue;
		}
		idle = 0;
		uint64_t limit = until - cu->now < TURN ? until - cu->now : TURN;
		if (w->why == WHY_NONE)
			cu->now += turn && turn->awake ? cu->engine->run_superblocks(w, limit) : cu->engine->run(w, limit);
		if (turn && cu->counters.warp_insns >= turn->due)
			superblocks_turn(cu);
		warp_handle(cu, w);
	}
}

static void run_timed(struct cu *cu, uint64_t until)
{
	while (cu->now < until) {
		if (cu->room) {
			cu->room = false;
			groups_start(cu);
		}
		struct warp *w = cu->engine->run_timed(cu, until);
		if (!w)
			break;
		warp_handle(cu, w);
	}
}

void cu_end(struct cu *cu)
{
	l2_view_end(cu->l2);
	mmu_view_end(cu->mmu, cu->unit);
}

void cu_run(struct cu *cu, uint64_t until, bool apart)
{
	uint64_t from = cu->now;
	cu->ordered = false;
	l2_view_begin(cu->l2, apart);
	if (apart)
		mmu_view_begin(cu->mmu, cu->unit);
	epoch_check(cu);
	if (cu->profile)
		profile_turn_start(cu);
	cu->room = true;
	cu->refused.fault = FAULT_NONE; /* the page may be there by now */
	if (cu->timed)
		run_timed(cu, until);
	else
		run_functional(cu, until);
	cu->counters.busy_cycles += (cu->now < until ? cu->now : until) - from;
	cu->blocked = cu->live_warps != 0 && !cu->room;
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++)
		cu->blocked &= cu->wake[i] == UINT64_MAX;
	if (cu->now < until && busy(cu)) { /* all wait */
		cu->counters.busy_cycles += until - cu->now;
		cu->now = until;
	}
	if (cu->profile)
		profile_turn_end(cu, from, cu->now < until ? cu->now : until);
	cu->shown.walked = apart && mmu_view_leave(cu->mmu, cu->unit);
	cu->shown.merge = apart && (l2_view_leave(cu->l2) | cu->shown.walked);
	cu_show(cu);
}
