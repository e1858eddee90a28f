/* Code for divergent lanes (divergent.c). Registers that the lanes have values of their own of, the masks of those that
 * wait at each block, and what counts instructions are variables, which LLVM keeps in host registers. The
 * blocks are in the order of their addresses: what runs is the first at which lanes wait, with the mask of all that do.
 * A block changes the kept registers for its mask only. */
#include "translate/lower.h"
#include <stddef.h>

static size_t lanes_at(unsigned reg) { return offsetof(struct warp, v) + reg * sizeof(struct vreg); }
static bool has(uint64_t set, unsigned reg) { return set >> reg & 1; }
static value warp_field(struct lower *l, type t, size_t offset) { return load_field(l, t, l->warp, offset); }
static void warp_set(struct lower *l, value x, size_t offset) { LLVMBuildStore(l->b, x, field(l, l->warp, offset)); }
static value get(struct lower *l, type t, value variable) { return LLVMBuildLoad2(l->b, t, variable, ""); }
static void set(struct lower *l, value x, value variable) { LLVMBuildStore(l->b, x, variable); }
static const struct reg_encoding *divergent_encoding(const struct lower *l, unsigned reg) { return &l->superblock->divergent->r[reg]; }

/* ---- variables ---- */

void mask_variables(struct lower *l)
{
	const struct superblock *r = l->superblock;
	for (uint32_t i = 0; i < r->num_divergent; i++) {
		l->waits[i] = variable(l, l->i32, num(l->i32, 0));
		l->scan[i] = block_new(l, "scan");
		l->body[i] = block_new(l, "divergent");
	}
	for (unsigned reg = 1; reg < 64; reg++) {
		const struct reg_encoding *f = divergent_encoding(l, reg);
		if (!has(r->brought, reg) || f->known)
			continue;
		type t = value_type(l, f, reg);
		l->vars[reg].a = variable(l, t, num(t, 0));
		if (encoding_affine(f) && f->stride == STRIDE_ANY)
			l->vars[reg].b = variable(l, l->i64, num(l->i64, 0));
	}
	l->now = variable(l, l->i32, num(l->i32, 0));
	l->counter = variable(l, l->i64, num(l->i64, 0));
	l->lanes = variable(l, l->i64, num(l->i64, 0));
	l->slice_end = variable(l, l->i64, num(l->i64, 0));
	l->narrow = variable(l, l->i64, num(l->i64, 0));
	l->gone = block_new(l, "diverged");
}

static void wait_add(struct lower *l, uint32_t rank, value mask)
{
	set(l, OR(get(l, l->i32, l->waits[rank]), mask), l->waits[rank]);
}

/* The lanes that wait at a block run it, with more. */
static void run(struct lower *l, uint32_t rank, value more)
{
	value mask = get(l, l->i32, l->waits[rank]);
	set(l, more ? OR(mask, more) : mask, l->now);
	set(l, num(l->i32, 0), l->waits[rank]);
	LLVMBuildBr(l->b, l->body[rank]);
}

/* ---- entry with a mask ---- */

static void refuse(struct lower *l, value when)
{
	LLVMBasicBlockRef off = block_new(l, "refuse"), on = block_new(l, "on");
	branch(l, NOT(when), on, off, true);
	enter(l, off);
	LLVMBuildStore(l->b, num(l->i64, l->superblock->request->entry), field(l, l->run, offsetof(struct superblock_run, pc)));
	LLVMBuildStore(l->b, num(l->i64, 0), field(l, l->run, offsetof(struct superblock_run, count)));
	LLVMBuildStore(l->b, num(l->i32, SUPERBLOCK_EDGE), field(l, l->run, offsetof(struct superblock_run, exit)));
	LLVMBuildStore(l->b, num(l->i64, 0), field(l, l->run, offsetof(struct superblock_run, dead)));
	LLVMBuildRetVoid(l->b);
	enter(l, on);
}

/* Every pending warp split must be at the start of a block: its lanes wait there. */
static void take_pending(struct lower *l)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b), loop = block_new(l, "pending"), check = block_new(l, "check");
	LLVMBasicBlockRef next = block_new(l, "next"), foreign = block_new(l, "foreign"), ok = block_new(l, "ours");
	const struct superblock *r = l->superblock;
	value count = ZEXT(warp_field(l, l->i16, offsetof(struct warp, num_pending)), l->i64);
	LLVMBuildBr(l->b, loop);
	LLVMPositionBuilderAtEnd(l->b, loop);
	value i = LLVMBuildPhi(l->b, l->i64, "");
	LLVMBuildCondBr(l->b, ICMP(ULT, i, count), check, ok);
	LLVMPositionBuilderAtEnd(l->b, check);
	value offset = ADD(MUL(i, num(l->i64, sizeof(struct warp_split))), num(l->i64, offsetof(struct warp, pending)));
	value split = LLVMBuildGEP2(l->b, l->i8, l->warp, &offset, 1, "");
	value pc = load_field(l, l->i64, split, offsetof(struct warp_split, pc)), mask = load_field(l, l->i32, split, offsetof(struct warp_split, mask));
	value way = LLVMBuildSwitch(l->b, pc, foreign, r->num_divergent);
	for (uint32_t k = 0; k < r->num_divergent; k++) {
		LLVMBasicBlockRef here = block_new(l, "waits");
		LLVMAddCase(way, num(l->i64, r->items[r->blocks[r->order[k]].first].pc), here);
		LLVMPositionBuilderAtEnd(l->b, here);
		set(l, mask, l->waits[k]);
		LLVMBuildBr(l->b, next);
	}
	LLVMPositionBuilderAtEnd(l->b, next);
	value more = ADD(i, num(l->i64, 1));
	LLVMBuildBr(l->b, loop);
	LLVMAddIncoming(i, (value[]){ num(l->i64, 0), more }, (LLVMBasicBlockRef[]){ from, next }, 2);
	LLVMPositionBuilderAtEnd(l->b, foreign);
	refuse(l, num(l->i1, 1));
	LLVMBuildUnreachable(l->b);
	LLVMPositionBuilderAtEnd(l->b, ok);
}

static value is_word(struct lower *l, value x, bool is_f)
{
	return is_f ? ICMP(UGE, x, num(l->i64, BOX)) : ICMP(EQ, SEXT(TRUNC(x, l->i32), l->i64), x);
}

/* A kept register as words, when the warp has one value or a row of them. */
static void words_only(struct lower *l, unsigned reg, const struct val *v)
{
	unsigned encoding = l->superblock->request->encoding[reg];
	if (divergent_encoding(l, reg)->encoding != ENCODING_W || (encoding != ENC_UNIFORM && encoding != ENC_AFFINE))
		return;
	value fits = is_word(l, v->a, reg >= REG_F);
	if (encoding == ENC_AFFINE)
		fits = AND(fits, AND(is_word(l, v->b, false), is_word(l, ADD(v->a, MUL(v->b, num(l->i64, LANES - 1))), false)));
	refuse(l, NOT(fits));
}

/* Registers as they are now become those of the divergent lanes. */
static void bring(struct lower *l)
{
	const struct superblock *r = l->superblock;
	for (unsigned reg = 1; reg < 64; reg++) {
		const struct reg_encoding *to = divergent_encoding(l, reg), *from = encoding_of(l, reg);
		if (!l->vars[reg].a || !l->r[reg].a)
			continue;
		struct val v;
		if (has(r->kept, reg))
			v = (struct val){ convert_bits(l, l->r[reg], from, reg >= REG_F, to->encoding == ENCODING_F), NULL };
		else
			v = convert(l, l->r[reg], from, to, reg >= REG_F);
		set(l, v.a, l->vars[reg].a);
		if (l->vars[reg].b)
			set(l, stride_value(l, &v, from), l->vars[reg].b);
	}
}

void mask_entry(struct lower *l)
{
	for (unsigned reg = 1; reg < 64; reg++)
		if (has(l->superblock->kept, reg))
			words_only(l, reg, &l->r[reg]);
	take_pending(l);
	bring(l);
	set(l, load_field(l, l->i64, l->run, offsetof(struct superblock_run, slice)), l->slice_end);
	run(l, l->superblock->blocks[0].rank, warp_field(l, l->i32, offsetof(struct warp, mask)));
}

/* ---- blocks ---- */

static value popcount(struct lower *l, value mask)
{
	return ZEXT(intrinsic(l, "llvm.ctpop", l->i32, &mask, 1), l->i64);
}

void mask_block(struct lower *l)
{
	l->mask = get(l, l->i32, l->now);
	l->running = BITCAST(l->mask, LLVMVectorType(l->i1, LANES));
	l->left = get(l, l->i64, l->counter);
	for (unsigned reg = 1; reg < 64; reg++) {
		const struct reg_encoding *f = divergent_encoding(l, reg);
		if (!has(l->superblock->brought, reg))
			continue;
		if (f->known)
			put(l, reg, f, NULL, NULL);
		else
			l->r[reg].a = get(l, value_type(l, f, reg), l->vars[reg].a);
		if (l->vars[reg].b)
			l->r[reg].b = get(l, l->i64, l->vars[reg].b);
	}
}

void mask_check(struct lower *l)
{
	if (l->block->resume)
		guard(l, ICMP(NE, l->mask, num(l->i32, ALL_LANES)), SUPERBLOCK_EDGE);
	value slice = get(l, l->i64, l->slice_end), sooner = ICMP(ULT, slice, l->limit);
	value end = SELECT(AND(ICMP(NE, l->mask, l->live), sooner), slice, l->limit);
	guard(l, ICMP(ULE, ADD(l->left, num(l->i64, l->block->count)), end), SUPERBLOCK_LIMIT);
}

static void keep(struct lower *l, unsigned reg)
{
	bool wide = divergent_encoding(l, reg)->encoding == ENCODING_F;
	value old = get(l, value_type(l, divergent_encoding(l, reg), reg), l->vars[reg].a);
	set(l, SELECT(l->running, wide ? get_fulls(l, reg) : get_words(l, reg), old), l->vars[reg].a);
}

static void count(struct lower *l, value before, uint64_t n)
{
	set(l, ADD(before, num(l->i64, n)), l->counter);
	value lanes = get(l, l->i64, l->lanes);
	set(l, ADD(lanes, MUL(popcount(l, l->mask), num(l->i64, n))), l->lanes);
}

/* Ends a block, before its branch: what it has written, and passes on, for its lanes; and counts. */
static void block_end(struct lower *l)
{
	const struct block *b = l->block;
	const struct item *last = &l->superblock->items[b->first + b->num_items - 1];
	int rd = insn_writes(&last->insn);
	uint64_t written = last->written | (rd < 0 ? 0 : 1ull << rd);
	for (unsigned reg = 1; reg < 64; reg++)
		if (has(written & b->passed & l->superblock->kept, reg))
			keep(l, reg);
	count(l, l->left, b->count);
}

/* The lanes of mask go to a block, and what is to run then does. No lane waits before the block that they come from. */
static void go(struct lower *l, uint32_t to, value mask)
{
	uint32_t rank = l->superblock->blocks[to].rank, here = l->block->rank;
	if (rank <= here + 1) {
		run(l, rank, mask);
		return;
	}
	wait_add(l, rank, mask);
	LLVMBuildBr(l->b, l->scan[here + 1]);
}

void mask_end(struct lower *l)
{
	block_end(l);
	go(l, l->block->next[0], l->mask);
}

void mask_branch(struct lower *l, value taken, bool uniform)
{
	const struct block *b = l->block;
	block_end(l);
	if (uniform) {
		LLVMBasicBlockRef yes = block_new(l, "taken"), no = block_new(l, "not_taken");
		LLVMBuildCondBr(l->b, taken, yes, no);
		LLVMPositionBuilderAtEnd(l->b, yes);
		go(l, b->next[1], l->mask);
		LLVMPositionBuilderAtEnd(l->b, no);
		go(l, b->next[0], l->mask);
		return;
	}
	uint32_t rank[2] = { l->superblock->blocks[b->next[0]].rank, l->superblock->blocks[b->next[1]].rank };
	value zero = num(l->i32, 0), yes = AND(taken, l->mask), no = AND(NOT(taken), l->mask);
	value first = AND(ICMP(EQ, l->mask, l->live), AND(ICMP(NE, yes, zero), ICMP(NE, no, zero)));
	value slice = ADD(get(l, l->i64, l->counter), num(l->i64, SPLIT_SLICE));
	set(l, SELECT(first, slice, get(l, l->i64, l->slice_end)), l->slice_end);
	wait_add(l, rank[0], no);
	wait_add(l, rank[1], yes);
	unsigned back = rank[0] < rank[1] ? 0 : 1;
	if (rank[back] > b->rank) {
		LLVMBuildBr(l->b, l->scan[b->rank + 1]);
		return;
	}
	LLVMBasicBlockRef again = block_new(l, "again"), on = block_new(l, "on");
	LLVMBuildCondBr(l->b, ICMP(NE, back ? yes : no, zero), again, on);
	LLVMPositionBuilderAtEnd(l->b, again);
	run(l, rank[back], NULL);
	LLVMPositionBuilderAtEnd(l->b, on);
	LLVMBuildBr(l->b, rank[!back] > b->rank ? l->scan[b->rank + 1] : l->scan[rank[!back]]);
}

void mask_part(struct lower *l, value taken)
{
	const struct superblock *r = l->superblock;
	const struct block *b = l->block;
	for (unsigned reg = 1; reg < 64; reg++)
		if (has(l->item->stored & ~r->kept, reg))
			give_back(l, reg);
	bring(l);
	value executed = ADD(SUB(l->limit, l->left), num(l->i64, l->done + 1));
	set(l, executed, l->counter);
	set(l, MUL(executed, num(l->i64, LANES)), l->lanes);
	set(l, ADD(executed, num(l->i64, SPLIT_SLICE)), l->slice_end);
	uint32_t rank[2] = { r->blocks[b->next[0]].rank, r->blocks[b->next[1]].rank };
	set(l, NOT(taken), l->waits[rank[0]]);
	set(l, taken, l->waits[rank[1]]);
	run(l, rank[0] < rank[1] ? rank[0] : rank[1], NULL);
}

/* ---- leaving ---- */

/* x registers that code for all lanes has in one value or a row here: it will again when it finds them so. */
static uint64_t narrow_here(const struct lower *l)
{
	uint64_t m = 0;
	for (unsigned reg = 1; reg < 32; reg++)
		if (has(l->superblock->kept & ~l->item->dead, reg) && (encoding_uniform(&l->plain.r[reg]) || encoding_affine(&l->plain.r[reg])))
			m |= 1ull << reg;
	return m;
}

void mask_leave(struct lower *l)
{
	uint64_t stored = l->item->written & ~l->item->dead;
	for (unsigned reg = 1; reg < 64; reg++) {
		if (!has(stored, reg))
			continue;
		if (has(l->superblock->kept, reg))
			keep(l, reg);
		else
			give_back(l, reg);
	}
	count(l, l->left, l->done);
	set(l, SELECT(ICMP(EQ, l->mask, num(l->i32, ALL_LANES)), num(l->i64, narrow_here(l)), num(l->i64, 0)), l->narrow);
	l->ever_narrow |= narrow_here(l);
	LLVMBuildBr(l->b, l->gone);
}

/* Gives a kept register back; as one value or a row of them if it is one. */
static void kept_give_back(struct lower *l, unsigned reg)
{
	const struct reg_encoding *f = divergent_encoding(l, reg);
	bool word = f->encoding == ENCODING_W;
	value x = get(l, value_type(l, f, reg), l->vars[reg].a);
	LLVMBasicBlockRef lanes = block_new(l, "lanes"), done = block_new(l, "done");
	if (has(l->ever_narrow, reg)) {
		LLVMBasicBlockRef narrow = block_new(l, "narrow"), row = block_new(l, "row");
		value asked = AND(get(l, l->i64, l->narrow), num(l->i64, 1ull << reg));
		LLVMBuildCondBr(l->b, ICMP(NE, asked, num(l->i64, 0)), narrow, lanes);
		LLVMPositionBuilderAtEnd(l->b, narrow);
		value wide = word ? SEXT(x, l->w64) : x;
		value base = LLVMBuildExtractElement(l->b, wide, num(l->i32, 0), "");
		value stride = SUB(LLVMBuildExtractElement(l->b, wide, num(l->i32, 1), ""), base);
		value want = ADD(splat(l, base, l->w64), MUL(splat(l, stride, l->w64), l->lanes64));
		value all = BITCAST(ICMP(EQ, wide, want), l->i32);
		LLVMBuildCondBr(l->b, ICMP(EQ, all, num(l->i32, ALL_LANES)), row, lanes);
		LLVMPositionBuilderAtEnd(l->b, row);
		warp_set(l, base, offsetof(struct warp, base) + reg * 8);
		warp_set(l, stride, offsetof(struct warp, stride) + reg * 8);
		warp_set(l, ZEXT(ICMP(NE, stride, num(l->i64, 0)), l->i8), offsetof(struct warp, encoding) + reg);
		LLVMBuildBr(l->b, done);
	} else {
		LLVMBuildBr(l->b, lanes);
	}
	LLVMPositionBuilderAtEnd(l->b, lanes);
	LLVMSetAlignment(LLVMBuildStore(l->b, x, field(l, l->warp, lanes_at(reg))), 64);
	warp_set(l, num(l->i8, word ? ENC_WORD : ENC_FULL), offsetof(struct warp, encoding) + reg);
	LLVMBuildBr(l->b, done);
	LLVMPositionBuilderAtEnd(l->b, done);
}

/* Where the code is left with divergent lanes: the registers, the pending splits, best last, and the counters. */
static void leave_apart(struct lower *l)
{
	const struct superblock *r = l->superblock;
	LLVMPositionBuilderAtEnd(l->b, l->gone);
	for (unsigned reg = 1; reg < 64; reg++)
		if (has(r->kept, reg))
			kept_give_back(l, reg);
	value depth = warp_field(l, l->i32, offsetof(struct warp, depth)), n = num(l->i64, 0);
	for (uint32_t k = r->num_divergent; k-- > 0;) { /* fewer than LANES wait: there is room for one more, that is none */
		value mask = get(l, l->i32, l->waits[k]);
		value offset = ADD(MUL(n, num(l->i64, sizeof(struct warp_split))), num(l->i64, offsetof(struct warp, pending)));
		value split = LLVMBuildGEP2(l->b, l->i8, l->warp, &offset, 1, "");
		set(l, num(l->i64, r->items[r->blocks[r->order[k]].first].pc), field(l, split, offsetof(struct warp_split, pc)));
		set(l, depth, field(l, split, offsetof(struct warp_split, depth)));
		set(l, mask, field(l, split, offsetof(struct warp_split, mask)));
		n = ADD(n, ZEXT(ICMP(NE, mask, num(l->i32, 0)), l->i64));
	}
	warp_set(l, TRUNC(n, l->i16), offsetof(struct warp, num_pending));
	warp_set(l, get(l, l->i32, l->now), offsetof(struct warp, mask));
	value executed = get(l, l->i64, l->counter);
	LLVMBuildStore(l->b, executed, field(l, l->run, offsetof(struct superblock_run, count)));
	LLVMBuildStore(l->b, get(l, l->i64, l->lanes), field(l, l->run, offsetof(struct superblock_run, lanes)));
	LLVMBuildStore(l->b, SUB(get(l, l->i64, l->slice_end), executed), field(l, l->run, offsetof(struct superblock_run, slice)));
	LLVMBuildStore(l->b, num(l->i8, 1), field(l, l->run, offsetof(struct superblock_run, divergent)));
	LLVMBuildRetVoid(l->b);
}

void mask_finish(struct lower *l)
{
	for (uint32_t k = 0; k < l->superblock->num_divergent; k++) {
		LLVMBasicBlockRef wait = block_new(l, "run"), on = k + 1 < l->superblock->num_divergent ? l->scan[k + 1] : NULL;
		LLVMPositionBuilderAtEnd(l->b, l->scan[k]);
		if (on)
			LLVMBuildCondBr(l->b, ICMP(NE, get(l, l->i32, l->waits[k]), num(l->i32, 0)), wait, on);
		else /* some lane is in one of the blocks */
			LLVMBuildBr(l->b, wait);
		LLVMPositionBuilderAtEnd(l->b, wait);
		run(l, k, NULL);
	}
	leave_apart(l);
}
