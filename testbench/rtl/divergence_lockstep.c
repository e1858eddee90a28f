#include "testbench/rtl/divergence_lockstep.h"
#include "abi/address_map.h"
#include "model/cu/barrier.h"
#include "model/cu/dispatcher.h"
#include "rtl/shim/divergence_shim.h"
#include "testbench/model/reference.h"
#include "testbench/model/rig.h"
#include "testbench/random.h"
#include "testbench/reference/lanes.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

const struct divergence_geometry divergence_geometry[DIVERGENCE_GEOMETRIES] = {
	{ "1 lane", 1, UINT32_MAX },
	{ "4 lanes", 4, UINT32_MAX },
	{ "32 lanes", 32, UINT32_MAX },
	{ "8 lanes, rotations counted in 3 bits", 8, 7 },
};
const char *const divergence_count_name[DIVERGENCE_COUNTS] = {
	[DIVERGENCE_STEPS] = "steps", [DIVERGENCE_WARPS] = "warps", [DIVERGENCE_PAGE_STEPS] = "steps between pages", [DIVERGENCE_BRANCHES] = "branches that part",
	[DIVERGENCE_JUMPS] = "jumps that part", [DIVERGENCE_MOST_TARGETS] = "targets at most", [DIVERGENCE_MOST_SPLITS] = "splits at most",
	[DIVERGENCE_MEETINGS] = "meetings", [DIVERGENCE_ROTATIONS] = "rotations", [DIVERGENCE_ATOMIC_ROTATIONS] = "of them by atomics",
	[DIVERGENCE_NO_ROTATIONS] = "slices that end as all meet", [DIVERGENCE_TURN_ENDS] = "turns used up",
	[DIVERGENCE_DEEPEST] = "instructions behind unmatched returns", [DIVERGENCE_SYNCS] = "lanes that wait at sg_sync", [DIVERGENCE_BARRIERS] = "barriers",
	[DIVERGENCE_ENDS] = "ends", [DIVERGENCE_MISALIGNED] = "misaligned targets that run", [DIVERGENCE_IDLE] = "cycles without a step",
	[DIVERGENCE_RESETS] = "resets",
};

enum { TARGET = 7, FLAG = 10, ADDRESS = 11, RESULT = 12 }; /* registers: of jalr, of branches, of atomics */
enum { WORD_BARRIER = 0x000b, WORD_EXIT = 0x100b, WORD_SG_SYNC = 0x200b };
enum kind { PLAIN, BRANCH, LOOP, JUMP, CALL, RETURN, INDIRECT, ATOMIC, COUNTER, SYNC, BARRIER, EXIT, KINDS };

struct lockstep {
	uint64_t random;
	const struct divergence_geometry *geometry;
	/* of the warp: weights of the kinds of instructions, where its code is, how far jumps go in it, of 64 how many are alike for all lanes */
	unsigned weight[KINDS], reach, alike;
	uint64_t base;
	unsigned life; /* instructions, about */
	bool spins; /* it stays in loops that go back, so that slices end */
	bool pure;  /* it does nothing else */
	bool many;  /* of its instructions many are atomics */
	bool parts; /* its first instruction sends each lane somewhere else */
	bool wild; /* jumps also go anywhere, and to where no instruction can stand */
	struct rig *rig;
	struct cu *cu;
	struct warp *warp;
	struct group group;
	struct lanes lanes;
	struct divergence_shim *shim;
	struct divergence_shim_in in;
	struct divergence_lockstep_result *result;
};

/* What all three show. */
struct shown {
	bool runs, steps;
	uint32_t lanes, depth, live, pending, at_barrier, at_sync;
	uint64_t pc;
};

static uint64_t below(struct lockstep *l, uint64_t n) { return splitmix64(&l->random) % n; }

static void differs(struct lockstep *l, const char *who, const struct shown *is, const struct shown *model, uint32_t word)
{
	struct divergence_lockstep_result *r = l->result;

	if (r->text[0])
		return;
	snprintf(r->text, sizeof(r->text),
		 "%s, step %lu, word %08x: of %s lanes %x at %" PRIx64 " depth %x step %d, pending %x barrier %x sync %x live %x; of the model lanes %x at %" PRIx64
		 " depth %x step %d, pending %x barrier %x sync %x live %x",
		 l->geometry->name, r->count[DIVERGENCE_STEPS], word, who, is->lanes, is->pc, is->depth, is->steps, is->pending, is->at_barrier, is->at_sync, is->live,
		 model->lanes, model->pc, model->depth, model->steps, model->pending, model->at_barrier, model->at_sync, model->live);
}

/* ---- what each of the three shows ---- */

static uint32_t lanes_in(const struct warp_split *splits, unsigned n)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < n; i++)
		mask |= splits[i].mask;
	return mask;
}

static struct shown of_model(const struct warp *w)
{
	struct shown s = { .runs = w->mask, .lanes = w->mask, .live = w->live, .pending = lanes_in(w->pending, w->num_pending),
			   .at_barrier = w->at_barrier_mask, .at_sync = lanes_in(w->reconverging, w->num_reconverging) };

	if (!s.runs)
		return s;
	s.depth = w->depth;
	s.pc = w->exit ? w->fault.pc : uop_pc(w, w->op);
	s.steps = !w->exit && icache_at_page_end(w);
	return s;
}

static uint32_t splits_in(const struct lanes_splits *splits)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < splits->count; i++)
		mask |= splits->at[i].mask;
	return mask;
}

static struct shown of_reference(const struct lanes *w)
{
	struct shown s = { .runs = w->runs, .live = lanes_live(w), .pending = splits_in(&w->pending), .at_barrier = lanes_at_barrier(w), .at_sync = splits_in(&w->at_sync) };

	if (!s.runs)
		return s;
	s.lanes = w->running.mask;
	s.depth = w->running.depth;
	s.pc = w->running.pc;
	s.steps = w->steps;
	return s;
}

static struct shown of_rtl(const struct divergence_shim_out *out)
{
	struct shown s = { .runs = out->runs, .live = out->live, .pending = out->pending, .at_barrier = out->at_barrier, .at_sync = out->at_sync };

	if (!s.runs)
		return s;
	s.lanes = out->lanes;
	s.depth = out->depth;
	s.pc = out->pc;
	s.steps = out->steps;
	return s;
}

static bool same(const struct shown *a, const struct shown *b)
{
	return a->runs == b->runs && a->steps == b->steps && a->lanes == b->lanes && a->depth == b->depth && a->pc == b->pc && a->live == b->live &&
	       a->pending == b->pending && a->at_barrier == b->at_barrier && a->at_sync == b->at_sync;
}

/* The module does what stands in l->in, and shows what the model does. */
static void compare(struct lockstep *l, bool chooses)
{
	const struct divergence_shim_out out = divergence_shim_step(l->shim, &l->in);
	const struct shown model = of_model(l->warp), reference = of_reference(&l->lanes), rtl = of_rtl(&out);

	if (!same(&reference, &model))
		differs(l, "the reference", &reference, &model, l->in.word);
	if (!same(&rtl, &model))
		differs(l, "the module", &rtl, &model, l->in.word);
	if (out.chose != chooses && !l->result->text[0])
		snprintf(l->result->text, sizeof(l->result->text), "%s, step %lu, word %08x: the warp chooses: %d, and %d in the model", l->geometry->name,
			 l->result->count[DIVERGENCE_STEPS], l->in.word, out.chose, chooses);
}

/* Cycles without a step, in which inputs mean nothing. */
static void idle(struct lockstep *l, unsigned cycles)
{
	l->in.begins = l->in.retires = l->in.steps = l->in.releases = false;
	for (; cycles; cycles--) {
		l->in.word = (uint32_t)splitmix64(&l->random);
		l->in.taken = (uint32_t)splitmix64(&l->random);
		l->in.entry = splitmix64(&l->random);
		compare(l, false);
		l->result->count[DIVERGENCE_IDLE]++;
	}
}

/* ---- a warp begins ---- */

static uint64_t random_place(struct lockstep *l)
{
	if (l->wild && below(l, 64) == 0)
		return below(l, 2) ? splitmix64(&l->random) & ~(below(l, 2) ? 1ull : 3ull) : l->base + 2 + below(l, l->reach) * 4;
	if (below(l, 8) == 0)
		return (l->base + below(l, l->reach) * 4) & ~4095ull;
	return l->base + below(l, l->reach) * 4;
}

static void weights(struct lockstep *l)
{
	static const unsigned often[KINDS] = { [PLAIN] = 40, [BRANCH] = 12, [LOOP] = 12, [JUMP] = 8, [CALL] = 6, [RETURN] = 6, [INDIRECT] = 6, [ATOMIC] = 20,
					       [COUNTER] = 4, [SYNC] = 4, [BARRIER] = 3, [EXIT] = 1 };

	for (unsigned i = 0; i < KINDS; i++)
		l->weight[i] = below(l, 3) ? (unsigned)below(l, often[i] + 1) : 0;
	l->weight[PLAIN]++;
}

static void begin(struct lockstep *l)
{
	static const unsigned reach[] = { 4, 16, 64, 1024, 3000, 100000 };
	static const uint64_t bases[] = { 0, 0x10000, 0x7ffffffffff8, 0x8000000000000000 - 32, UINT64_MAX - 63, UINT64_MAX - 8191 };
	const unsigned lanes = l->geometry->lanes;
	struct warp *w = l->warp;
	uint32_t mask = below(l, 2) ? UINT32_MAX >> (32 - lanes) : (uint32_t)splitmix64(&l->random) & UINT32_MAX >> (32 - lanes);

	weights(l);
	l->spins = below(l, 64) == 0;
	l->pure = below(l, 2);
	l->many = !l->pure && below(l, 2);
	l->parts = !l->result->count[DIVERGENCE_WARPS] || below(l, 32) == 0;
	mask = l->spins || l->parts || !mask ? UINT32_MAX >> (32 - lanes) : mask;
	l->reach = reach[below(l, sizeof(reach) / sizeof(*reach))];
	l->base = below(l, 2) ? bases[below(l, sizeof(bases) / sizeof(*bases))] & ~3ull : splitmix64(&l->random) & ~3ull;
	l->alike = (unsigned)below(l, 65);
	l->life = l->spins ? 12000 : 8u << below(l, 6);
	if (l->spins)
		l->alike = l->pure ? 64 : 60 + (unsigned)below(l, 5);
	l->wild = below(l, 3) == 0;
	if (below(l, 32) == 0) {
		icache_flush(l->cu->icache);
		divergence_shim_reset(l->shim);
		l->result->count[DIVERGENCE_RESETS]++;
	}
	l->group = (struct group){ .busy = true, .live_items = (uint32_t)__builtin_popcount(mask) };
	memset(w, 0, sizeof(*w));
	w->cu = l->cu;
	w->tmp = l->cu->tmp;
	w->group = &l->group;
	w->busy = true;
	w->live = w->first_live = w->mask = mask;
	w->lds = l->cu->lds.data;
	w->local_bytes = 64;
	w->slice = SPLIT_SLICE;
	w->base[ADDRESS] = VA_LOCAL_BASE;
	l->in = (struct divergence_shim_in){ .geometry = l->in.geometry, .begins = true, .begin_lanes = mask, .entry = l->base + below(l, l->reach) * 4 };
	divergence_jump(w, l->in.entry);
	lanes_begin(&l->lanes, mask, l->in.entry);
	compare(l, false);
	l->result->count[DIVERGENCE_WARPS]++;
}

/* ---- instructions ---- */

static enum kind random_kind(struct lockstep *l)
{
	unsigned sum = 0, kind = 0;

	if (l->spins && (l->pure || below(l, 256)))
		return below(l, 2) ? LOOP : l->many ? ATOMIC : PLAIN;
	if (l->spins)
		return (enum kind)below(l, EXIT);
	for (unsigned i = 0; i < KINDS; i++)
		sum += l->weight[i];
	for (sum = (unsigned)below(l, sum); sum >= l->weight[kind]; kind++)
		sum -= l->weight[kind];
	return (enum kind)kind;
}

static uint32_t plain_word(struct lockstep *l)
{
	switch (below(l, 6)) {
	case 0:
		return ref_word(OP_csrrs, RESULT, 0, 0, 2); /* frm */
	case 1:
		return ref_word(OP_fence, 0, 0, 0, 0);
	case 2:
		return ref_word(OP_sg_ballot, RESULT, 0, 0, 0);
	case 3:
		return ref_word(OP_lui, RESULT, 0, 0, (int32_t)(below(l, 1 << 20) << 12));
	default:
		return ref_word(OP_addi, RESULT, RESULT, 0, (int32_t)below(l, 4096) - 2048);
	}
}

/* To a place of the code, as far as an offset of that many bits goes. */
static int32_t offset_to(struct lockstep *l, uint64_t place, unsigned bits)
{
	const int64_t offset = (int64_t)((place & ~3ull) - l->lanes.running.pc), most = 1ll << (bits - 1);

	return offset >= -most && offset < most ? (int32_t)offset : (int32_t)(below(l, 64) * 4) - 128;
}

static uint32_t branch_word(struct lockstep *l, int32_t offset)
{
	static const unsigned ops[] = { OP_beq, OP_bge, OP_bgeu };
	static const unsigned swapped[] = { OP_bne, OP_blt, OP_bltu };
	const unsigned i = (unsigned)below(l, 3);
	uint64_t *flag = l->warp->v[FLAG].d;

	/* taken where it is 0, or, with the operands swapped, where it is not */
	l->in.taken = (uint32_t)splitmix64(&l->random);
	if (below(l, 64) < l->alike)
		l->in.taken = below(l, 2) ? UINT32_MAX : 0;
	else if (below(l, 3) == 0)
		l->in.taken &= (uint32_t)splitmix64(&l->random) & (uint32_t)splitmix64(&l->random);
	const bool swap = below(l, 2);
	for (unsigned n = 0; n < LANES; n++)
		flag[n] = (l->in.taken >> n & 1) == swap;
	l->warp->encoding[FLAG] = ENC_FULL;
	return swap ? ref_word(swapped[i], 0, 0, FLAG, offset) : ref_word(ops[i], 0, 0, FLAG, offset);
}

/* A jalr to l->in.target. */
static uint32_t jalr_to_targets(struct lockstep *l, unsigned rd, unsigned rs1)
{
	const int32_t imm = (int32_t)below(l, 4096) - 2048;
	uint64_t *x = l->warp->v[rs1].d;

	for (unsigned n = 0; n < LANES; n++)
		x[n] = l->in.target[n] - (uint64_t)(int64_t)imm + (imm & 1 ? 0 : below(l, 2)); /* the lowest bit does not count */
	l->warp->encoding[rs1] = ENC_FULL;
	return ref_word(OP_jalr, rd, rs1, 0, imm);
}

static uint32_t jalr_word(struct lockstep *l, unsigned rd, unsigned rs1)
{
	const unsigned different = below(l, 8) ? 1 + (unsigned)below(l, 6) : LANES;
	uint64_t place[LANES];

	for (unsigned n = 0; n < different; n++)
		place[n] = random_place(l);
	for (unsigned n = 0; n < LANES; n++)
		l->in.target[n] = n && below(l, 64) < l->alike ? l->in.target[n - 1] : place[different < LANES ? below(l, different) : n];
	return jalr_to_targets(l, rd, rs1);
}

static uint32_t counter_word(struct lockstep *l)
{
	const int32_t number = below(l, 2) ? 0xc00 : 0xc02;
	const unsigned rd = below(l, 2) ? RESULT : 0;

	switch (below(l, 3)) {
	case 0:
		return ref_word(OP_csrrs, rd, 0, 0, number);
	case 1:
		return ref_word(OP_csrrci, rd, 0, 0, number);
	default:
		return ref_word(OP_csrrc, rd, 0, 0, number);
	}
}

/* Each lane goes to a place of its own. */
static uint32_t part_all(struct lockstep *l)
{
	for (unsigned n = 0; n < LANES; n++)
		l->in.target[n] = l->base + (n ^ 5) * 64;
	l->parts = false;
	return jalr_to_targets(l, 6, TARGET);
}

/* Lanes part: some to the next page, to one place or two, at which they wait, and some before it. */
static uint32_t part_at_page(struct lockstep *l)
{
	const uint64_t page = (l->lanes.running.pc | 4095) + 1;
	const unsigned splits = 2 + (unsigned)below(l, 2);

	for (unsigned n = 0; n < LANES; n++)
		l->in.target[n] = splits == 3 && below(l, 3) == 0 ? page + 64 : page - below(l, 2) * 1024;
	return jalr_to_targets(l, 0, TARGET);
}

/* The slice ends with the last instruction of a page, where the best pending split stands behind it: the word that leads there, or 0. */
static uint32_t last_of_page(struct lockstep *l)
{
	const struct lanes *now = &l->lanes;
	const struct lanes_split *best = &now->pending.at[0];
	const uint64_t from = best->pc - now->running.pc; /* bytes to there */

	if (now->borrowed || !now->pending.count || best->depth != now->running.depth || best->pc & 4095)
		return 0;
	if ((now->atomics == LANES_ATOMICS - 2 && from == 8) || (now->atomics == LANES_ATOMICS - 1 && from == 4))
		return ref_word(OP_amoadd_w, 0, ADDRESS, 0, 0);
	if (now->slice == 2 || now->atomics == LANES_ATOMICS - 2)
		return from < 1 << 19 ? ref_word(OP_jal, 0, 0, 0, (int32_t)from - (now->slice == 2 ? 4 : 8)) : 0;
	return now->slice == 1 ? ref_word(OP_addi, RESULT, RESULT, 0, 1) : 0;
}

static uint32_t random_word(struct lockstep *l)
{
	static const unsigned calls[] = { 1, 5 }, returns[] = { 1, 5 }, others[] = { 0, 6, RESULT };
	static const unsigned atomics[] = { OP_amoadd_w, OP_amoswap_d, OP_lr_w, OP_sc_w, OP_amocas_w };

	if (l->parts)
		return part_all(l);
	if (l->spins && !l->lanes.pending.count && below(l, 16) == 0)
		return part_at_page(l);
	switch (random_kind(l)) {
	case PLAIN:
	case KINDS:
		break;
	case BRANCH:
		return branch_word(l, offset_to(l, random_place(l), 13));
	case LOOP: /* short ones, back or on */
		return branch_word(l, (int32_t)(below(l, 16) * 4) - 48);
	case JUMP:
		return ref_word(OP_jal, below(l, 4) ? 0 : others[below(l, 3)], 0, 0, offset_to(l, random_place(l), 21));
	case CALL:
		return below(l, 2) ? ref_word(OP_jal, calls[below(l, 2)], 0, 0, offset_to(l, random_place(l), 21)) :
				     jalr_word(l, calls[below(l, 2)], below(l, 2) ? TARGET : returns[below(l, 2)]);
	case RETURN:
		return jalr_word(l, 0, returns[below(l, 2)]);
	case INDIRECT:
		return jalr_word(l, others[below(l, 3)], below(l, 3) ? TARGET : below(l, 2) ? 6 : 2);
	case ATOMIC:
		return ref_word(atomics[below(l, 5)], below(l, 2) ? RESULT : 0, ADDRESS, 0, 0);
	case COUNTER:
		return counter_word(l);
	case SYNC:
		return WORD_SG_SYNC;
	case BARRIER:
		return WORD_BARRIER;
	case EXIT:
		return WORD_EXIT;
	}
	return plain_word(l);
}

/* ---- a step ---- */

/* Whether the step that stands in l->in makes the warp choose, rotate, wait or end: rows of the table under CU-87, and CU-91, CU-92. */
static bool chooses(const struct lockstep *l, const struct lanes *before)
{
	const uint32_t word = l->in.word, opcode = word & 127, rd = word >> 7 & 31, running = before->running.mask, taken = l->in.taken & running;
	const bool pending = before->pending.count, ends_slice = pending && (before->slice == 1 || (opcode == 0x2f && before->atomics == LANES_ATOMICS - 1));
	const uint64_t pc = before->running.pc;
	bool parts = opcode == 0x63 && taken && taken != running, jumps = opcode == 0x6f;
	uint64_t to = pc + 4;

	if (l->in.steps)
		return pending;
	if (opcode == 0x63 && taken == running) {
		to = pc + (uint64_t)((int64_t)((int32_t)(word & 0x80000000) >> 19) | (word & 0x80) << 4 | (word >> 20 & 0x7e0) | (word >> 7 & 0x1e));
		jumps = true;
	} else if (opcode == 0x6f) {
		to = pc + (uint64_t)((int64_t)((int32_t)(word & 0x80000000) >> 11) | (word & 0xff000) | (word >> 9 & 0x800) | (word >> 20 & 0x7fe));
	} else if (opcode == 0x67) {
		to = l->in.target[__builtin_ctz(running)];
		for (unsigned n = 0; n < LANES; n++)
			parts |= running >> n & 1 && l->in.target[n] != to;
	}
	if (parts || ends_slice || word == WORD_BARRIER || word == WORD_EXIT || (word == WORD_SG_SYNC && running != lanes_live(before)))
		return true;
	if (opcode == 0x73 && (word >> 20 == 0xc00 || word >> 20 == 0xc02))
		return true;
	return (before->meets && to >= before->meeting) || (pending && (opcode == 0x67 || (opcode == 0x6f && rd) || (jumps && to / 4096 != pc / 4096)));
}

static void count(struct lockstep *l, const struct lanes *before)
{
	const struct lanes *now = &l->lanes;
	unsigned long *n = l->result->count;
	const uint32_t opcode = l->in.word & 127, taken = l->in.taken & before->running.mask;
	const bool rotated = now->rotations != before->rotations, last = before->pending.count && (before->slice == 1 || (opcode == 0x2f && before->atomics == LANES_ATOMICS - 1));
	unsigned targets = 0;

	n[DIVERGENCE_STEPS]++;
	n[DIVERGENCE_PAGE_STEPS] += l->in.steps;
	n[DIVERGENCE_BRANCHES] += opcode == 0x63 && taken && taken != before->running.mask;
	for (unsigned i = 0; opcode == 0x67 && i < LANES; i++) {
		bool first = before->running.mask >> i & 1;
		for (unsigned k = 0; k < i; k++)
			first &= !(before->running.mask >> k & 1 && l->in.target[k] == l->in.target[i]);
		targets += first;
	}
	n[DIVERGENCE_JUMPS] += targets > 1;
	n[DIVERGENCE_MOST_TARGETS] = targets > n[DIVERGENCE_MOST_TARGETS] ? targets : n[DIVERGENCE_MOST_TARGETS];
	if (now->pending.count + now->runs > n[DIVERGENCE_MOST_SPLITS])
		n[DIVERGENCE_MOST_SPLITS] = now->pending.count + now->runs;
	n[DIVERGENCE_MEETINGS] += now->runs && before->meets && now->running.pc == before->meeting && now->running.mask & ~before->running.mask;
	n[DIVERGENCE_ROTATIONS] += rotated;
	n[DIVERGENCE_ATOMIC_ROTATIONS] += rotated && opcode == 0x2f && before->slice > 1;
	n[DIVERGENCE_NO_ROTATIONS] += last && !before->borrowed && !rotated && now->runs && !now->pending.count;
	n[DIVERGENCE_TURN_ENDS] += before->borrowed && last && before->slice == 1 && now->slice == LANES_SLICE;
	n[DIVERGENCE_DEEPEST] += now->runs && now->running.depth >> 16 == 0xffff;
	n[DIVERGENCE_SYNCS] += now->at_sync.count > before->at_sync.count;
	n[DIVERGENCE_ENDS] += l->in.word == WORD_EXIT;
}

/* The model's warp executes the word: its interpreter, and what the scheduler does behind it. */
static void model_executes(struct lockstep *l)
{
	struct warp *w = l->warp;

	if (!l->in.steps)
		*(struct uop *)w->op = (struct uop){ .fn = l->cu->engine->undecoded, .rd = REG_SINK, .flags = UOP_RAW, .word = l->in.word };
	w->cu->engine->run(w, 1);
	if (w->exit == LEAVE_BARRIER) {
		w->exit = LEAVE_NONE;
		barrier_arrive(w);
	} else if (w->exit == LEAVE_END) {
		w->exit = LEAVE_NONE;
		l->group.live_items -= (uint32_t)__builtin_popcount(w->mask);
		divergence_end(w);
	}
	w->yields &= l->geometry->rotations;
}

static void releases(struct lockstep *l)
{
	struct lanes *const alone[] = { &l->lanes };

	idle(l, (unsigned)below(l, 3));
	l->in.releases = true;
	l->group.waiting_items = 0;
	divergence_release(l->warp);
	if (!lanes_barrier_opens(alone, 1))
		snprintf(l->result->text, sizeof(l->result->text), "the reference opens no barrier");
	compare(l, true);
	l->result->count[DIVERGENCE_BARRIERS]++;
}

static void step(struct lockstep *l)
{
	const struct lanes before = l->lanes;

	if (below(l, 16) == 0)
		idle(l, 1 + (unsigned)below(l, 2));
	l->in.begins = l->in.releases = false;
	l->in.steps = before.steps;
	l->in.retires = !before.steps;
	l->in.taken = (uint32_t)splitmix64(&l->random);
	l->in.word = l->in.steps ? 0x13 : last_of_page(l);
	if (!l->in.word)
		l->in.word = random_word(l);
	model_executes(l);
	if (l->in.steps)
		lanes_page_step(&l->lanes);
	else
		lanes_retire(&l->lanes, &(struct lanes_outcome){ l->in.word, l->in.taken, l->in.target });
	compare(l, chooses(l, &before));
	count(l, &before);
	l->lanes.rotations &= l->geometry->rotations;
}

/* The warp begins, goes on, waits for its barrier, or ends. */
static void go_on(struct lockstep *l)
{
	const struct warp *w = l->warp;

	if (w->exit == LEAVE_FAULT) {
		l->result->count[DIVERGENCE_MISALIGNED] += w->fault.code == FAULT_MISALIGNED;
		if (w->fault.code != FAULT_MISALIGNED && !l->result->text[0])
			snprintf(l->result->text, sizeof(l->result->text), "word %08x: fault %u of the model", l->in.word, w->fault.code);
		begin(l);
	} else if (!w->live || below(l, l->life) == 0) {
		begin(l);
	} else if (!w->mask) {
		releases(l);
	} else {
		step(l);
	}
}

void divergence_lockstep_run(unsigned geometry, uint64_t seed, unsigned long steps, struct divergence_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	*r = (struct divergence_lockstep_result){ 0 };
	l->random = seed + geometry;
	l->geometry = &divergence_geometry[geometry];
	l->in.geometry = geometry;
	l->result = r;
	l->rig = rig_create("mini", BUS_TIMED, SIMD_AUTO, false);
	l->cu = &l->rig->compute->cus[0];
	l->warp = &l->cu->warps[0];
	l->shim = divergence_shim_create();
	assert_non_null(l->shim);
	divergence_shim_reset(l->shim);
	begin(l);
	while (r->count[DIVERGENCE_STEPS] < steps && !r->text[0])
		go_on(l);
	memset(l->warp, 0, sizeof(*l->warp));
	divergence_shim_destroy(l->shim);
	rig_destroy(l->rig);
	free(l);
}
