/* Code that runs under any mask. Between blocks, the registers that blocks pass on to each other are in the warp, in
 * one form each, so that lanes which wait at the start of any block find theirs there: a block reads what it needs and
 * gives back, for the lanes that run, what it has written. Which lanes run is w->mask. Paths split and join by the
 * model's helpers; where they say, the code goes on. */
#include "translate/lower.h"
#include <stddef.h>

static size_t lanes_at(unsigned reg) { return offsetof(struct warp, v) + reg * sizeof(struct vreg); }
static bool is_kept(const struct lower *l, unsigned reg) { return l->region->kept >> reg & 1; }
static value warp_field(struct lower *l, type t, size_t offset) { return load_field(l, t, l->warp, offset); }

static value lanes_load(struct lower *l, unsigned reg, bool word)
{
	value v = warp_field(l, word ? l->w32 : l->w64, lanes_at(reg));
	LLVMSetAlignment(v, 64);
	return v;
}

static void lanes_store(struct lower *l, unsigned reg, value x)
{
	LLVMSetAlignment(LLVMBuildStore(l->b, x, field(l, l->warp, lanes_at(reg))), 64);
}

/* ---- entry ---- */

void mask_refuse(struct lower *l, value when)
{
	LLVMBasicBlockRef off = block_new(l, "refuse"), on = block_new(l, "on");
	LLVMSetMetadata(LLVMBuildCondBr(l->b, LLVMBuildNot(l->b, when, ""), on, off), l->prof, l->unlikely);
	LLVMPositionBuilderAtEnd(l->b, off);
	LLVMBuildStore(l->b, num(l->i64, l->region->request->entry), field(l, l->run, offsetof(struct region_run, pc)));
	LLVMBuildStore(l->b, num(l->i64, 0), field(l, l->run, offsetof(struct region_run, count)));
	LLVMBuildStore(l->b, num(l->i32, REGION_EDGE), field(l, l->run, offsetof(struct region_run, why)));
	LLVMBuildStore(l->b, num(l->i64, 0), field(l, l->run, offsetof(struct region_run, dead)));
	LLVMBuildRetVoid(l->b);
	LLVMPositionBuilderAtEnd(l->b, on);
}

/* Every pending path has to stand at the start of a block. */
static void check_pending(struct lower *l)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b), loop = block_new(l, "pending"), look = block_new(l, "look");
	LLVMBasicBlockRef next = block_new(l, "next"), foreign = block_new(l, "foreign"), ok = block_new(l, "ours");
	const struct region *r = l->region;
	value count = ZEXT(warp_field(l, l->i16, offsetof(struct warp, num_pending)), l->i64);
	LLVMBuildBr(l->b, loop);
	LLVMPositionBuilderAtEnd(l->b, loop);
	value i = LLVMBuildPhi(l->b, l->i64, "");
	LLVMBuildCondBr(l->b, ICMP(ULT, i, count), look, ok);
	LLVMPositionBuilderAtEnd(l->b, look);
	value offset = ADD(MUL(i, num(l->i64, sizeof(struct path))), num(l->i64, offsetof(struct warp, pending) + offsetof(struct path, pc)));
	value pc = LLVMBuildLoad2(l->b, l->i64, LLVMBuildGEP2(l->b, l->i8, l->warp, &offset, 1, ""), "");
	value way = LLVMBuildSwitch(l->b, pc, foreign, r->num_blocks);
	for (uint32_t k = 0; k < r->num_blocks; k++)
		LLVMAddCase(way, num(l->i64, r->items[r->blocks[k].first].pc), next);
	LLVMPositionBuilderAtEnd(l->b, next);
	value more = ADD(i, num(l->i64, 1));
	LLVMBuildBr(l->b, loop);
	LLVMAddIncoming(i, (value[]){ num(l->i64, 0), more }, (LLVMBasicBlockRef[]){ from, next }, 2);
	LLVMPositionBuilderAtEnd(l->b, foreign);
	mask_refuse(l, num(l->i1, 1));
	LLVMBuildUnreachable(l->b);
	LLVMPositionBuilderAtEnd(l->b, ok);
}

static value is_word(struct lower *l, value x, bool is_f)
{
	return is_f ? ICMP(UGE, x, num(l->i64, BOX)) : ICMP(EQ, SEXT(TRUNC(x, l->i32), l->i64), x);
}

/* Reads a kept register as the request says that it is; its word or wide lanes. */
static value kept_at_entry(struct lower *l, unsigned reg, bool word)
{
	unsigned rep = l->region->request->rep[reg];
	bool is_f = reg >= REG_F;
	struct reg_form f = { .form = FORM_U64, .stride = STRIDE_ANY, .nans = NANS_EXACT };
	if (rep == REP_WORD || rep == REP_FULL) {
		f.form = rep == REP_WORD ? FORM_W : FORM_F;
		return convert_bits(l, (struct val){ lanes_load(l, reg, rep == REP_WORD), NULL }, &f, is_f, !word);
	}
	struct val v = { warp_field(l, l->i64, offsetof(struct warp, base) + reg * 8), NULL };
	value fits = is_word(l, v.a, is_f);
	if (rep == REP_AFFINE) {
		f.form = FORM_A64;
		v.b = warp_field(l, l->i64, offsetof(struct warp, stride) + reg * 8);
		value last = ADD(v.a, MUL(v.b, num(l->i64, LANES - 1)));
		fits = AND(fits, AND(is_word(l, v.b, false), is_word(l, last, false)));
	}
	if (word)
		mask_refuse(l, LLVMBuildNot(l->b, fits, ""));
	return convert_bits(l, v, &f, is_f, !word);
}

void mask_entry(struct lower *l)
{
	value now[64];
	check_pending(l);
	for (unsigned reg = 1; reg < 64; reg++)
		if (is_kept(l, reg))
			now[reg] = kept_at_entry(l, reg, l->region->heads[0].r[reg].form == FORM_W);
	for (unsigned reg = 1; reg < 64; reg++) {
		bool word = l->region->heads[0].r[reg].form == FORM_W;
		if (!is_kept(l, reg) || l->region->request->rep[reg] == (word ? REP_WORD : REP_FULL))
			continue;
		lanes_store(l, reg, now[reg]);
		LLVMBuildStore(l->b, num(l->i8, word ? REP_WORD : REP_FULL), field(l, l->warp, offsetof(struct warp, rep) + reg));
	}
	LLVMBuildStore(l->b, num(l->i64, 0), l->counter);
}

/* ---- blocks ---- */

void mask_block(struct lower *l)
{
	l->mask = warp_field(l, l->i32, offsetof(struct warp, mask));
	l->running = BITCAST(l->mask, LLVMVectorType(l->i1, LANES));
	l->left = LLVMBuildLoad2(l->b, l->i64, l->counter, "");
	for (unsigned reg = 1; reg < 64; reg++)
		if (l->block->live >> reg & 1)
			l->r[reg] = is_kept(l, reg) ? (struct val){ lanes_load(l, reg, l->f.r[reg].form == FORM_W), NULL } :
						      l->fixed[reg];
}

void mask_keep(struct lower *l, unsigned reg)
{
	bool word = l->region->heads[0].r[reg].form == FORM_W;
	value x = word ? get_words(l, reg) : get_fulls(l, reg);
	lanes_store(l, reg, SELECT(l->running, x, lanes_load(l, reg, word)));
}

void mask_end(struct lower *l)
{
	const struct block *b = l->block;
	uint64_t written = 0;
	for (uint32_t n = 0; n < b->count; n++) {
		int rd = insn_writes(&l->region->items[b->first + n].insn);
		written |= rd < 0 ? 0 : 1ull << rd;
	}
	for (unsigned reg = 1; reg < 64; reg++)
		if (written & b->passed & l->region->kept & 1ull << reg)
			mask_keep(l, reg);
	LLVMBuildStore(l->b, ADD(l->left, num(l->i64, b->count)), l->counter);
}

/* ---- paths ---- */

/* After a helper: leaves, or goes on where it has said. */
static void follow(struct lower *l, value going)
{
	LLVMBasicBlockRef off = block_new(l, "leave");
	LLVMBuildCondBr(l->b, TRUNC(going, l->i1), l->dispatch, off);
	LLVMPositionBuilderAtEnd(l->b, off);
	LLVMBuildRetVoid(l->b);
}

static value path_helper(struct lower *l, size_t which)
{
	/* what it needs, and what is the answer when the code is left now */
	LLVMBuildStore(l->b, LLVMBuildLoad2(l->b, l->i64, l->counter, ""), field(l, l->run, offsetof(struct region_run, count)));
	LLVMBuildStore(l->b, num(l->i32, REGION_EDGE), field(l, l->run, offsetof(struct region_run, why)));
	LLVMBuildStore(l->b, num(l->i64, 0), field(l, l->run, offsetof(struct region_run, dead)));
	return load_field(l, l->ptr, load_field(l, l->ptr, l->run, offsetof(struct region_run, helpers)), which);
}

void mask_split(struct lower *l, value taken, uint64_t taken_pc, uint64_t other_pc)
{
	type params[] = { l->ptr, l->ptr, l->i32, l->i64, l->i64 };
	value args[] = { l->warp, l->run, taken, num(l->i64, taken_pc), num(l->i64, other_pc) };
	value call = path_helper(l, offsetof(struct region_helpers, split));
	follow(l, LLVMBuildCall2(l->b, LLVMFunctionType(l->i8, params, 5, false), call, args, 5, ""));
}

void mask_goto(struct lower *l, uint64_t pc, LLVMBasicBlockRef to)
{
	LLVMBasicBlockRef meet = block_new(l, "meet");
	value stop = load_field(l, l->i64, l->run, offsetof(struct region_run, stop));
	LLVMBuildCondBr(l->b, ICMP(UGE, num(l->i64, pc), stop), meet, to);
	LLVMPositionBuilderAtEnd(l->b, meet);
	type params[] = { l->ptr, l->ptr, l->i64 };
	value args[] = { l->warp, l->run, num(l->i64, pc) };
	value call = path_helper(l, offsetof(struct region_helpers, go));
	follow(l, LLVMBuildCall2(l->b, LLVMFunctionType(l->i8, params, 3, false), call, args, 3, ""));
}

void mask_dispatch(struct lower *l, const LLVMBasicBlockRef *heads)
{
	const struct region *r = l->region;
	LLVMBasicBlockRef off = block_new(l, "elsewhere");
	LLVMPositionBuilderAtEnd(l->b, l->dispatch);
	value pc = load_field(l, l->i64, l->run, offsetof(struct region_run, pc));
	value way = LLVMBuildSwitch(l->b, pc, off, r->num_blocks);
	for (uint32_t k = 0; k < r->num_blocks; k++)
		LLVMAddCase(way, num(l->i64, r->items[r->blocks[k].first].pc), heads[k]);
	LLVMPositionBuilderAtEnd(l->b, off);
	LLVMBuildRetVoid(l->b);
}
