#include "model/profile/profile_data.h"
#include "base/clock.h"
#include "model/device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_NS = 1000000 /* within an access */ };

struct profile *profile_create(const struct device_config *config, enum bus_speed speed, const char *path)
{
	struct profile_memory *memory = profile_memory_open(path);
	struct profile *p = memory ? profile_memory_take(memory, sizeof(*p) + config->num_cu * sizeof(p->cus[0])) : NULL;
	if (!p) {
		profile_memory_close(memory);
		return NULL;
	}
	p->memory = memory;
	p->num_cus = config->num_cu;
	p->timed = speed == BUS_TIMED;
	p->config = config;
	p->codes_tail = &p->codes;
	p->kernels_tail = &p->kernels;
	p->host_at = clock_ns();
	for (unsigned i = 0; i < config->num_cu; i++)
		p->cus[i].owner = p;
	__atomic_store_n(&profile_memory_head(memory)->profile, p, __ATOMIC_RELEASE);
	return p;
}

void profile_of(struct profile *p, struct device *d)
{
	struct profile_head *head = profile_memory_head(p->memory);
	p->device = d;
	head->index = d->index;
	snprintf(head->config, sizeof(head->config), "%s", d->config_name);
}

void profile_stamp(struct profile *p)
{
	struct profile_head *head = profile_memory_head(p->memory);
	if (!p->device)
		return;
	head->cycles = p->device->now;
	device_counters(p->device, &head->counters);
}

void profile_destroy(struct profile *p)
{
	if (!p)
		return;
	for (struct profile_code *c = p->protected_codes, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	profile_memory_close(p->memory);
}

struct profile_cu *profile_of_cu(struct profile *p, unsigned cu) { return &p->cus[cu]; }

/* ---- code and kernels ---- */

struct profile_code *profile_code_page(struct cu *cu, uint32_t space, uint64_t va, const uint32_t *words)
{
	bool protected_job = space & SPACE_PROTECTED;
	struct profile *p = cu->profile->owner;
	struct profile_code *c = protected_job ? p->protected_codes : p->codes;
	while (c && (c->va != va || memcmp(c->words, words, sizeof(c->words))))
		c = c->next;
	if (c)
		return c;
	c = protected_job ? calloc(1, sizeof(*c)) : profile_memory_take(p->memory, sizeof(*c));
	if (!c)
		return NULL;
	c->va = va;
	memcpy(c->words, words, sizeof(c->words));
	if (protected_job) {
		c->next = p->protected_codes;
		p->protected_codes = c;
		return c;
	}
	c->number = p->num_codes++;
	__atomic_store_n(p->codes_tail, c, __ATOMIC_RELEASE); /* a reader finds it whole, or not at all */
	p->codes_tail = &c->next;
	return c;
}

static struct profile_kernel *kernel_find(struct profile *p, const struct profile_code *code, uint64_t entry, bool protected_job)
{
	struct profile_kernel *k = p->kernels;
	while (k && (k->code != code || k->entry != entry || k->protected_job != protected_job))
		k = k->next;
	if (k)
		return k;
	k = profile_memory_take(p->memory, sizeof(*k));
	if (!k)
		return NULL;
	k->number = p->num_kernels++;
	k->code = code;
	k->entry = entry;
	k->protected_job = protected_job;
	__atomic_store_n(p->kernels_tail, k, __ATOMIC_RELEASE);
	p->kernels_tail = &k->next;
	return k;
}

void profile_dispatch_start(struct profile *p, unsigned slot) { p->slots[slot] = NULL; }

void profile_dispatch_end(struct profile *p, const struct dispatch *d, unsigned slot, bool failed)
{
	bool protected_job = d->space & SPACE_PROTECTED;
	struct profile_kernel *k = p->slots[slot];
	if (!k)
		k = kernel_find(p, NULL, protected_job ? 0 : d->packet.entry, protected_job);
	if (!k)
		return;
	k->launches++;
	k->failed += failed;
	k->cycles += d->end - d->start;
}

/* ---- warps ---- */

/* Where to count an instruction of the page that the warp runs in. */
static struct profile_counts *counts_at(struct profile *p, struct profile_warp *pw, const struct profile_code *code, unsigned index)
{
	struct profile_kernel *k = pw->kernel;
	if (!k)
		return &p->lost;
	if (k->protected_job)
		return &k->sum;
	if (pw->code == code)
		return &pw->place->counts[index];
	struct profile_place **link = &k->places;
	while (*link && (*link)->code != code)
		link = &(*link)->next;
	if (!*link) {
		struct profile_place *place = profile_memory_take(p->memory, sizeof(*place));
		if (!place)
			return &p->lost;
		place->code = code;
		__atomic_store_n(link, place, __ATOMIC_RELEASE);
	}
	pw->place = *link;
	pw->code = code;
	return &pw->place->counts[index];
}

void profile_warp_start(struct warp *w, const struct dispatch *d)
{
	struct cu *cu = w->cu;
	struct profile *p = cu->profile->owner;
	struct profile_warp *pw = &cu->profile->warp[w->slot];
	struct profile_kernel **slot = &p->slots[w->group->slot];
	bool protected_job = d->space & SPACE_PROTECTED;
	if (!*slot && (protected_job || w->code))
		*slot = kernel_find(p, protected_job ? NULL : w->code->profile, protected_job ? 0 : d->packet.entry, protected_job);
	memset(pw, 0, sizeof(*pw));
	pw->kernel = *slot;
	pw->at = cu->now;
}

/* Charges the time of a warp up to cycle t: that of its last instruction, and what follows as a wait. */
static void warp_charge(struct profile_warp *pw, struct profile_counts *waited_for, enum profile_wait why, uint64_t t)
{
	if (pw->last && pw->at < t) {
		pw->last->of[PROFILE_WARP + PROFILE_ISSUE]++;
		pw->at++;
		pw->last = NULL;
	}
	if (pw->at < t) {
		waited_for->of[PROFILE_WARP + why] += t - pw->at;
		pw->at = t;
	}
}

static void cu_charge(struct profile_cu *pc, struct profile_counts *waited_for, enum profile_wait why, uint64_t t)
{
	profile_cu_charge(pc, pc->last, waited_for, why, t);
}

void profile_warp_end(struct warp *w)
{
	struct profile_cu *pc = w->cu->profile;
	struct profile_warp *pw = &pc->warp[w->slot];
	if (pc->owner->timed)
		warp_charge(pw, pw->last ? pw->last : pw->kernel ? &pw->kernel->sum : &pc->owner->lost, PROFILE_START, w->cu->now);
}

/* What a warp that issues op has waited for, and up to which cycle; what is left it waited for the slot. */
struct wait {
	struct profile_counts *on;
	enum profile_wait why;
	uint64_t ready;
};

static struct wait wait_of(const struct warp *w, const struct uop *op, const struct profile_warp *pw, struct profile_counts *own)
{
	const struct cu *cu = w->cu;
	struct wait x = { own, PROFILE_START, cu->scheduler.wake[w->slot] };
	if (pw->last && pw->last_class - CLASS_BRANCH <= CLASS_JUMP - CLASS_BRANCH)
		x = (struct wait){ pw->last, PROFILE_BRANCH, pw->at + scoreboard_latency(cu->config, (enum isa_class)pw->last_class) };
	else if (pw->last && pw->last_class == CLASS_STORE)
		x = (struct wait){ pw->last, PROFILE_MEMORY, x.ready };
	else if (pw->last && pw->last_op == OP_barrier)
		x = (struct wait){ pw->last, PROFILE_BARRIER, x.ready };
	const unsigned regs[] = { op->rs1, op->rs2, op->rs3, op->rd };
	for (unsigned i = 0; i < sizeof(regs) / sizeof(*regs); i++) {
		unsigned r = regs[i];
		if (pw->writer[r] && w->scoreboard.ready[r] > pw->at && w->scoreboard.ready[r] >= x.ready)
			x = (struct wait){ pw->writer[r], (enum profile_wait)pw->writer_wait[r], w->scoreboard.ready[r] };
	}
	return x;
}

static void issue_charge(struct warp *w, const struct uop *op, struct profile_warp *pw, struct profile_counts *own)
{
	struct profile_cu *pc = w->cu->profile;
	uint64_t t = w->cu->now, begun = pw->at + (pw->last != NULL);
	struct wait x = wait_of(w, op, pw, own);
	if (x.ready > t)
		x.ready = t;
	if (x.ready <= begun) /* it waited for nothing but the others */
		x = (struct wait){ own, PROFILE_START, begun };
	cu_charge(pc, x.on, x.why, t);
	warp_charge(pw, x.on, x.why, x.ready);
	warp_charge(pw, own, PROFILE_SLOT, t);
	pc->last = pw->last = own;
	pw->last_class = op->cls;
	pw->last_op = op->op;
}

/* ---- memory ---- */

static struct memory_counts memory_counts(const struct cu *cu)
{
	struct mmu_counters m = mmu_unit_counters(cu->mmu, cu->unit);
	const struct l2_counters *l2 = l2_counters(cu->l2); /* as the unit has seen it */
	struct memory_counts c;
#define AT(name) c.of[PROFILE_##name - PROFILE_L1_HIT]
	AT(L1_HIT) = cu->l1.hit;
	AT(L1_MISS) = cu->l1.miss;
	AT(L2_HIT) = l2->hit;
	AT(L2_MISS) = l2->miss;
	AT(DRAM_BYTES) = l2->dram_read + l2->dram_written;
	AT(TLB_L1_MISS) = m.l1_miss;
	AT(TLB_L2_MISS) = m.l2_miss;
	AT(LDS_CONFLICTS) = cu->lds.conflicts;
#undef AT
	return c;
}

/* The run loop times an access behind its handler: what it added is known when the unit's next instruction
 * begins, or its turn ends. */
static void access_end(struct cu *cu)
{
	struct profile_cu *pc = cu->profile;
	if (!pc->access)
		return;
	struct memory_counts now = memory_counts(cu);
	for (unsigned i = 0; i < sizeof(now.of) / sizeof(*now.of); i++)
		pc->access->of[PROFILE_L1_HIT + i] += now.of[i] - pc->before.of[i];
	pc->access = NULL;
}

/* ---- instructions ---- */

static const struct uop *profile_insn(struct warp *w, const struct uop *op)
{
	struct cu *cu = w->cu;
	struct profile_cu *pc = cu->profile;
	struct profile_warp *pw = &pc->warp[w->slot];
	const struct profile_code *code = w->code->profile;
	unsigned index = (unsigned)(op - w->code->ops), cls = op->cls, lanes = (unsigned)__builtin_popcount(w->mask);
	struct profile_counts *own = counts_at(pc->owner, pw, code, index);
	pc->kernel = pw->kernel;
	uint64_t retired = w->retired;
	access_end(cu);
	if (pc->owner->timed)
		issue_charge(w, op, pw, own);
	if (cls >= CLASS_LOAD && cls <= CLASS_ATOMIC) {
		pc->before = memory_counts(cu);
		pc->access = own;
	}
	const struct uop *next = code->fn[index](w, op);
	if (w->retired == retired) { /* not taken back */
		own->of[PROFILE_INSNS]++;
		own->of[PROFILE_LANES] += lanes;
		if (!pc->owner->timed)
			own->of[PROFILE_CU + PROFILE_ISSUE]++;
	}
	pw->writer[op->rd] = own;
	pw->writer_wait[op->rd] = pc->access != own ? PROFILE_MATH : cu->lds.used && !cu->coalescer.num_lines ? PROFILE_LOCAL : PROFILE_MEMORY;
	return next;
}

handler *profile_wrap(struct warp *w, const struct uop *op, handler *fn)
{
	if (!w->code->profile)
		return fn;
	w->code->profile->fn[op - w->code->ops] = fn;
	return profile_insn;
}

/* ---- turns ---- */

/* The unit is busy from here on. */
static void busy_begin(const struct cu *cu)
{
	struct profile_cu *pc = cu->profile;
	if (!pc->owner->timed || cu->now <= pc->busy_end)
		return;
	/* it was idle: what was left of the last turn was the end of the last instruction */
	cu_charge(pc, pc->last ? pc->last : &pc->owner->lost, PROFILE_START, pc->busy_end);
	pc->at = cu->now;
	pc->last = NULL;
}

void profile_turn_start(struct cu *cu)
{
	cu->profile->turn_ns = clock_ns();
	busy_begin(cu);
}

void profile_wait(const struct cu *cu, uint64_t now)
{
	busy_begin(cu);
	cu->profile->busy_end = now;
}

void profile_turn_end(struct cu *cu, uint64_t from, uint64_t to)
{
	struct profile_cu *pc = cu->profile;
	access_end(cu);
	pc->busy_end = to > from ? to : from;
	const uint64_t now = clock_ns();
	if (pc->kernel)
		pc->kernel->host_ns += now - pc->turn_ns;
	if (now - pc->owner->kept_ns < KEEP_NS)
		return;
	pc->owner->kept_ns = now;
	profile_stamp(pc->owner);
}

/* ---- the device ---- */

void profile_block_enter(struct profile *p, enum profile_block block)
{
	uint64_t now = clock_ns();
	p->host_ns[p->host_block] += now - p->host_at;
	p->host_at = now;
	p->host_block = block;
}

void profile_cp_cycles(struct profile *p, uint64_t cycles) { p->cp_busy += cycles; }

void profile_finish(struct profile *p)
{
	for (unsigned i = 0; p->timed && i < p->config->num_cu; i++) {
		struct profile_cu *pc = &p->cus[i];
		cu_charge(pc, pc->last ? pc->last : &p->lost, PROFILE_START, pc->busy_end);
	}
	profile_block_enter(p, PROFILE_BUS);
}
