/* Numbers such as CU-82 are those of docs/hardware/cu.md. */
#include "testbench/reference/lanes.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };
enum { RA = 1, T0 = 5 };
enum { OP_ATOMIC = 0x2f, OP_BRANCH = 0x63, OP_JALR = 0x67, OP_JAL = 0x6f, OP_SYSTEM = 0x73 };
enum { WORD_BARRIER = 0x000b, WORD_EXIT = 0x100b, WORD_SG_SYNC = 0x200b };
enum { CSR_NUMBER_CYCLE = 0xc00, CSR_NUMBER_INSTRET = 0xc02 };

static void require(bool condition)
{
	if (!condition)
		abort();
}

static bool same_page(uint64_t a, uint64_t b) { return a / PAGE == b / PAGE; }

/* ---- sets of splits ---- */

/* CU-82; CU-85: depths are compared without a sign */
static bool better(const struct lanes_split *a, const struct lanes_split *b)
{
	return a->depth != b->depth ? a->depth > b->depth : a->pc < b->pc;
}

static bool same_place(const struct lanes_split *a, const struct lanes_split *b)
{
	return a->depth == b->depth && a->pc == b->pc;
}

/* CU-81: a split that meets one at its place becomes one with it */
static void put(struct lanes_splits *splits, struct lanes_split split)
{
	unsigned i = 0;
	if (!split.mask)
		return;
	while (i < splits->count && better(&splits->at[i], &split))
		i++;
	if (i < splits->count && same_place(&splits->at[i], &split)) {
		splits->at[i].mask |= split.mask;
		return;
	}
	require(splits->count < LANES_MAX); /* CU-80 */
	memmove(&splits->at[i + 1], &splits->at[i], (splits->count - i) * sizeof split);
	splits->at[i] = split;
	splits->count++;
}

static struct lanes_split take(struct lanes_splits *splits, unsigned i)
{
	const struct lanes_split taken = splits->at[i];
	splits->count--;
	memmove(&splits->at[i], &splits->at[i + 1], (splits->count - i) * sizeof taken);
	memset(&splits->at[splits->count], 0, sizeof taken);
	return taken;
}

static uint32_t lanes_of(const struct lanes_splits *splits)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < splits->count; i++)
		mask |= splits->at[i].mask;
	return mask;
}

static void move_all(struct lanes_splits *to, struct lanes_splits *from)
{
	while (from->count)
		put(to, take(from, from->count - 1));
}

/* ---- which split runs ---- */

static void run(struct lanes *w, struct lanes_split split)
{
	w->runs = true;
	w->running = split;
	w->steps = false;
	w->meets = false;
	w->meeting = 0;
}

static void run_none(struct lanes *w)
{
	w->runs = false;
	w->steps = w->meets = false;
	w->meeting = 0;
	memset(&w->running, 0, sizeof w->running);
}

/* CU-87. The running split, if there is one, has its next program counter. */
static void choose(struct lanes *w)
{
	if (w->runs)
		put(&w->pending, w->running);
	if (!w->pending.count) {
		run_none(w);
		return;
	}
	run(w, take(&w->pending, 0));
	if (!w->pending.count)
		return;
	/* the row "where it comes to the program counter of the best pending split" */
	const struct lanes_split *best = &w->pending.at[0];
	w->meets = best->depth == w->running.depth && same_page(best->pc, w->running.pc) && best->pc > w->running.pc;
	w->meeting = w->meets ? best->pc : 0;
}

/* CU-93; CU-94: a split that was chosen so meets none. True: a pending split has taken the turn. */
static bool rotate(struct lanes *w)
{
	if (same_place(&w->pending.at[0], &w->running)) /* one that has yet to step to where another stands */
		choose(w);
	const unsigned count = w->pending.count;
	if (!count)
		return false;
	const struct lanes_split chosen = take(&w->pending, count - 1 - (unsigned)(w->rotations % count));
	w->rotations++;
	put(&w->pending, w->running);
	run(w, chosen);
	return true;
}

/* CU-90 to CU-92, behind an instruction and what it chose */
static void end_slice(struct lanes *w)
{
	const bool over = w->pending.count && !w->slice;
	if (over && !w->borrowed && rotate(w)) {
		w->borrowed = true;
		w->slice = LANES_BORROWED;
		return;
	}
	if (over && w->borrowed)
		choose(w);
	if (over || !w->pending.count) {
		w->borrowed = false;
		w->slice = LANES_SLICE;
	}
}

/* ---- what instructions do ---- */

static uint32_t rd_of(uint32_t word) { return word >> 7 & 31; }
static uint32_t rs1_of(uint32_t word) { return word >> 15 & 31; }
static bool links(uint32_t reg) { return reg == RA || reg == T0; }

static uint64_t sign_extend(uint32_t value, unsigned bits)
{
	const uint64_t sign = 1ull << (bits - 1);
	return ((uint64_t)value ^ sign) - sign;
}

static uint64_t branch_offset(uint32_t word)
{
	return sign_extend((word >> 31) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1, 13);
}

static uint64_t jal_offset(uint32_t word)
{
	return sign_extend((word >> 31) << 20 | (word >> 12 & 255) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 1023) << 1, 21);
}

/* The running split goes on at pc, as one: whether that is a point of choice (the rows of the table under CU-87 that look at pc). */
static bool go_on(struct lanes *w, uint64_t pc, bool jumps)
{
	const bool leaves = !same_page(w->running.pc, pc);
	w->running.pc = pc;
	w->steps = leaves && !jumps; /* CU-64 */
	return (leaves && jumps && w->pending.count) || (w->meets && pc >= w->meeting);
}

static bool branch(struct lanes *w, const struct lanes_outcome *o)
{
	const uint64_t behind = w->running.pc + 4, target = w->running.pc + branch_offset(o->word);
	const uint32_t taken = o->taken & w->running.mask;
	if (taken == w->running.mask)
		return go_on(w, target, true);
	if (!taken)
		return go_on(w, behind, false);
	put(&w->pending, (struct lanes_split){ target, w->running.depth, taken });
	put(&w->pending, (struct lanes_split){ behind, w->running.depth, w->running.mask & ~taken });
	run_none(w);
	return true;
}

static bool jal(struct lanes *w, uint32_t word)
{
	const bool pending = w->pending.count;
	if (links(rd_of(word)))
		w->running.depth++; /* CU-83 */
	return go_on(w, w->running.pc + jal_offset(word), true) || (rd_of(word) && pending);
}

static bool jalr(struct lanes *w, const struct lanes_outcome *o)
{
	const bool pending = w->pending.count;
	const uint32_t rd = rd_of(o->word);
	uint64_t first = 0;
	bool any = false, differ = false;
	/* CU-83, CU-84, CU-86: before the lanes part by their targets */
	if (links(rd))
		w->running.depth++;
	else if (!rd && links(rs1_of(o->word)))
		w->running.depth--;
	for (unsigned l = 0; l < LANES_MAX; l++) {
		if (!(w->running.mask >> l & 1))
			continue;
		differ |= any && o->targets[l] != first;
		first = any ? first : o->targets[l];
		any = true;
	}
	if (!differ)
		return go_on(w, first, true) || pending;
	for (unsigned l = 0; l < LANES_MAX; l++)
		if (w->running.mask >> l & 1)
			put(&w->pending, (struct lanes_split){ o->targets[l], w->running.depth, 1u << l });
	run_none(w);
	return true;
}

/* The running split waits, to go on behind its instruction: CU-97, CU-103. */
static bool wait_at(struct lanes *w, struct lanes_splits *place)
{
	put(place, (struct lanes_split){ w->running.pc + 4, w->running.depth, w->running.mask });
	run_none(w);
	return true;
}

static bool end_lanes(struct lanes *w) /* CU-105 */
{
	w->ended |= w->running.mask;
	run_none(w);
	return true;
}

/* A csr instruction reads also where its rd is x0, but for csrrw and csrrwi. */
static bool reads_counter(uint32_t word)
{
	const uint32_t number = word >> 20, funct3 = word >> 12 & 7;
	return (word & 127) == OP_SYSTEM && funct3 & 3 && (number == CSR_NUMBER_CYCLE || number == CSR_NUMBER_INSTRET);
}

/* Does the instruction: whether it is a point of choice. */
static bool execute(struct lanes *w, const struct lanes_outcome *o)
{
	switch (o->word) {
	case WORD_BARRIER:
		return wait_at(w, &w->at_barrier);
	case WORD_EXIT:
		return end_lanes(w);
	case WORD_SG_SYNC:
		if (w->running.mask == lanes_live(w)) /* CU-102 */
			break;
		return wait_at(w, &w->at_sync);
	}
	switch (o->word & 127) {
	case OP_BRANCH:
		return branch(w, o);
	case OP_JAL:
		return jal(w, o->word);
	case OP_JALR:
		return jalr(w, o);
	}
	const bool met = go_on(w, w->running.pc + 4, false);
	return reads_counter(o->word) || met;
}

/* ---- interface ---- */

void lanes_begin(struct lanes *w, uint32_t mask, uint64_t entry)
{
	require(mask);
	memset(w, 0, sizeof *w);
	w->begun = mask;
	w->slice = LANES_SLICE;
	run(w, (struct lanes_split){ entry, 0, mask }); /* CU-38, CU-79 */
}

uint32_t lanes_live(const struct lanes *w) { return w->begun & ~w->ended; }

uint32_t lanes_at_barrier(const struct lanes *w) { return lanes_of(&w->at_barrier); }

enum lanes_state lanes_next(const struct lanes *w, struct lanes_split *split)
{
	if (!lanes_live(w))
		return LANES_ENDED;
	if (w->stalled)
		return LANES_STALLED; /* CU-121 */
	if (!w->runs)
		return LANES_WAITS;
	*split = w->running;
	return w->steps ? LANES_STEPS : LANES_ISSUES;
}

void lanes_retire(struct lanes *w, const struct lanes_outcome *o)
{
	require(w->runs && !w->steps && !w->stalled);
	const bool pending = w->pending.count;
	w->retired++; /* CU-53 */
	w->slice -= pending; /* CU-90 */
	if (pending && (o->word & 127) == OP_ATOMIC && ++w->atomics == LANES_ATOMICS) {
		w->atomics = 0; /* CU-95 */
		w->slice = 0;
	}
	if (execute(w, o)) {
		/* CU-103: nothing runs or is pending, so every other lane waits or has ended */
		if (!w->runs && !w->pending.count)
			move_all(&w->pending, &w->at_sync);
		choose(w);
	}
	end_slice(w);
}

void lanes_page_step(struct lanes *w)
{
	require(w->runs && w->steps && !w->stalled);
	w->steps = false;
	if (w->pending.count)
		choose(w);
	end_slice(w);
}

void lanes_stall(struct lanes *w)
{
	require(w->runs && !w->steps && !w->stalled);
	w->stalled = true;
}

void lanes_replay(struct lanes *w) { w->stalled = false; } /* CU-124: with the split that stalled */

bool lanes_barrier_opens(struct lanes *const *warps, unsigned count)
{
	bool live = false;
	for (unsigned i = 0; i < count; i++) {
		live |= lanes_live(warps[i]) != 0;
		if (lanes_at_barrier(warps[i]) != lanes_live(warps[i]))
			return false; /* CU-98, CU-99 */
	}
	if (!live)
		return false; /* CU-101 */
	for (unsigned i = 0; i < count; i++) {
		if (!lanes_live(warps[i]))
			continue;
		move_all(&warps[i]->pending, &warps[i]->at_barrier); /* CU-100 */
		choose(warps[i]);
		end_slice(warps[i]);
	}
	return true;
}
