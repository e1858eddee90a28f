/* Loads and stores. An access that is simple is done in place: lanes side by side, all lanes at one address, private
 * memory at one offset. Where it may be done that way is a window (lower_window.c); what is not simple is done by the
 * model lane by lane; what fails there leaves the superblock. */
#include "translate/lower.h"
#include "abi/address_map.h"
#include <stddef.h>

enum { EXT_SIGN, EXT_ZERO, EXT_BOX };
enum { MAX_STRIDE = 4096 }; /* of accesses whose reach is known */

struct transfer {
	const struct insn *insn;
	unsigned size, extend;
	bool write;
	type narrow;  /* size bytes */
	type lanes;   /* of them */
};

static struct transfer transfer_of(struct lower *l, const struct insn *i)
{
	struct transfer a = { .insn = i, .write = isa_rows[i->op].class == CLASS_STORE };
	uint32_t width = isa_rows[i->op].match >> 12 & 7;
	a.size = 1u << (width & 3);
	a.extend = i->rd != REG_NONE && i->rd >= REG_F ? EXT_BOX : width & 4 ? EXT_ZERO : EXT_SIGN;
	a.narrow = LLVMIntTypeInContext(l->context, a.size * 8);
	a.lanes = LLVMVectorType(a.narrow, LANES);
	return a;
}

static value load_at(struct lower *l, type t, value p)
{
	value v = LLVMBuildLoad2(l->b, t, p, "");
	LLVMSetAlignment(v, 1);
	return v;
}

static void store_at(struct lower *l, value v, value p) { LLVMSetAlignment(LLVMBuildStore(l->b, v, p), 1); }
static void lanes_keep(struct lower *l, value x, value at) { LLVMSetAlignment(LLVMBuildStore(l->b, x, at), 64); }

/* ---- lane by lane, by the model ---- */

/* Calls the helper with the lanes' addresses; leaves when it says no. */
static void access_lanes(struct lower *l, const struct transfer *a, value addresses)
{
	type params[] = { l->ptr, l->ptr, l->i32, l->ptr };
	value args[] = { l->warp, l->addresses, num(l->i32, a->size), l->values };
	if (l->masked) /* the warp's may be of lanes that ran before */
		LLVMBuildStore(l->b, l->mask, field(l, l->warp, offsetof(struct warp, mask)));
	lanes_keep(l, addresses, l->addresses);
	value call = helper(l, a->write ? offsetof(struct superblock_helpers, store) : offsetof(struct superblock_helpers, load));
	value ok = LLVMBuildCall2(l->b, LLVMFunctionType(l->i8, params, 4, false), call, args, 4, "");
	guard(l, TRUNC(ok, l->i1), SUPERBLOCK_ACCESS);
}

static void note(struct lower *l, const struct transfer *a, value addresses)
{
	if (!(l->superblock->request->flags & SUPERBLOCK_CHECK))
		return;
	type params[] = { l->ptr, l->ptr, l->i32, l->ptr, l->i32 };
	value args[] = { l->run, l->warp, l->masked ? l->mask : num(l->i32, ALL_LANES), l->addresses, num(l->i32, a->size) };
	lanes_keep(l, addresses, l->addresses);
	LLVMBuildCall2(l->b, LLVMFunctionType(LLVMVoidTypeInContext(l->context), params, 5, false),
		       helper(l, offsetof(struct superblock_helpers, note)), args, 5, "");
}

/* The lanes' addresses, the immediate added. */
static value addresses_of(struct lower *l, const struct insn *i)
{
	return ADD(get_fulls(l, i->rs1), num(l->w64, (uint64_t)(int64_t)i->imm));
}

/* ---- accesses through one value of a register ---- */

static int64_t floor_to(int64_t n, int64_t step) { return n - ((n % step) + step) % step; }

/* Whether lanes step through records of a few elements, each lane to the same element of the next record. */
static bool is_record(int64_t stride, unsigned size)
{
	return stride > (int64_t)size && stride % (int64_t)size == 0 && stride / (int64_t)size <= 8;
}

/* Whether the distance from lane to lane is known, and what it is. */
static bool known_stride(const struct reg_encoding *f, int64_t *stride)
{
	*stride = encoding_uniform(f) ? 0 : f->stride;
	return encoding_uniform(f) || (encoding_affine(f) && f->stride > -MAX_STRIDE && f->stride < MAX_STRIDE);
}

/* First and last byte, from the register's value on, that all lanes touch. Records are read as a whole. */
static void reach_of(struct lower *l, const struct insn *i, int64_t stride, int64_t *low, int64_t *high)
{
	struct transfer a = transfer_of(l, i);
	*low = i->imm;
	if (!a.write && is_record(stride, a.size)) {
		*low = floor_to(i->imm, stride);
		*high = *low + stride * LANES;
		return;
	}
	*high = i->imm + (int64_t)a.size;
	*(stride < 0 ? low : high) += stride * (LANES - 1);
}

/* The block's accesses of a kind through the value that the access's register has: what they reach together. They all
 * follow, so it is no loss to leave the superblock at the first of them when they do not lie in one window. Words of
 * private memory count as bytes there: the window is in its backing. */
static struct access_group *group_of(struct lower *l, const struct transfer *a, int64_t stride, bool in_private)
{
	const struct item *items = l->superblock->items + l->block->first;
	uint32_t from = l->done, n;
	while (from && insn_writes(&items[from - 1].insn) != a->insn->rs1)
		from--;
	for (unsigned k = 0; k < l->num_groups; k++)
		if (l->groups[k].from == from && l->groups[k].reg == a->insn->rs1 && l->groups[k].write == a->write)
			return &l->groups[k];
	if (l->num_groups == MAX_GROUPS)
		l->num_groups = 0;
	struct access_group *g = &l->groups[l->num_groups++];
	*g = (struct access_group){ .from = from, .reg = a->insn->rs1, .write = a->write, .low = INT64_MAX, .high = INT64_MIN };
	for (n = l->done; n < l->block->count; n++) {
		const struct insn *i = &items[n].insn;
		int64_t low, high;
		if (isa_rows[i->op].class == (a->write ? CLASS_STORE : CLASS_LOAD) && i->rs1 == a->insn->rs1) {
			reach_of(l, i, stride, &low, &high);
			if (in_private) {
				low = floor_to(low, 4);
				high = floor_to(high + 3, 4);
			}
			g->low = low < g->low ? low : g->low;
			g->high = high > g->high ? high : g->high;
		}
		if (insn_writes(i) == a->insn->rs1)
			break;
	}
	return g;
}

/* Host address of lane 0's bytes of an access whose stride is known. */
static value group_place(struct lower *l, const struct transfer *a, int64_t stride)
{
	struct access_group *g = group_of(l, a, stride, false);
	if (!g->host) {
		LLVMBasicBlockRef fail = block_new(l, "fail");
		value va = ADD(get_base(l, a->insn->rs1), num(l->i64, (uint64_t)g->low));
		g->host = window_place(l, a->insn->rs1, va, (unsigned)(g->high - g->low), a->write, fail);
		LLVMBasicBlockRef on = LLVMGetInsertBlock(l->b);
		enter(l, fail);
		leave(l, l->item->pc, SUPERBLOCK_ACCESS);
		enter(l, on);
	}
	return field(l, g->host, (size_t)(a->insn->imm - g->low));
}

/* ---- private memory: words of the lanes are side by side ---- */

/* Whether an access through a register that is a multiple of 4 stays in a word, or is two words. */
static bool in_words(const struct transfer *a)
{
	unsigned part = a->insn->imm & 3;
	return a->size == 8 ? part == 0 : part + a->size <= 4;
}

/* Where the block of the lanes' words lies. The register is private memory's, or the superblock is left. */
static value private_place(struct lower *l, const struct transfer *a)
{
	struct access_group *g = group_of(l, a, 0, true);
	uint64_t bytes = l->superblock->request->private_bytes, span = (uint64_t)(g->high - g->low);
	if (!g->host) {
		LLVMBasicBlockRef fail = block_new(l, "fail"), in = block_new(l, "private");
		value offset = ADD(get_base(l, a->insn->rs1), num(l->i64, (uint64_t)g->low - VA_PRIVATE_BASE));
		value room = num(l->i64, bytes < span || bytes > VA_PRIVATE_SIZE ? 0 : bytes - span + 1);
		value whole = ICMP(EQ, AND(offset, num(l->i64, 3)), num(l->i64, 0));
		branch(l, AND(ICMP(ULT, offset, room), whole), in, fail, true);
		enter(l, in);
		value base = load_field(l, l->i64, l->warp, offsetof(struct warp, private_va));
		value at = ADD(base, MUL(offset, num(l->i64, LANES)));
		g->host = window_place(l, 0, at, (unsigned)span * LANES, a->write, fail);
		LLVMBasicBlockRef on = LLVMGetInsertBlock(l->b);
		enter(l, fail);
		leave(l, l->item->pc, SUPERBLOCK_ACCESS);
		enter(l, on);
	}
	return field(l, g->host, (size_t)(floor_to(a->insn->imm, 4) - g->low) * LANES);
}

static value private_load(struct lower *l, const struct transfer *a, value p)
{
	uint64_t shift = 8 * (a->insn->imm & 3u);
	value low = load_at(l, l->w32, p);
	if (a->size == 8)
		return OR(ZEXT(low, l->w64), SHL(ZEXT(load_at(l, l->w32, field(l, p, LANES * 4)), l->w64), num(l->w64, 32)));
	return a->size == 4 ? low : TRUNC(LSHR(low, num(l->w32, shift)), a->lanes);
}

/* The block is the warp's own: what is not stored is written as it is. */
static void private_words(struct lower *l, value p, value x)
{
	store_at(l, l->masked ? SELECT(l->running, x, load_at(l, l->w32, p)) : x, p);
}

static void private_store(struct lower *l, const struct transfer *a, value p, value x)
{
	if (a->size == 8) {
		private_words(l, p, TRUNC(x, l->w32));
		private_words(l, field(l, p, LANES * 4), TRUNC(LSHR(x, num(l->w64, 32)), l->w32));
		return;
	}
	if (a->size < 4) { /* the rest of each word stays */
		uint32_t shift = 8 * (a->insn->imm & 3u), mask = ((1u << (8 * a->size)) - 1) << shift;
		value old = load_at(l, l->w32, p);
		x = OR(AND(old, num(l->w32, ~mask)), SHL(ZEXT(x, l->w32), num(l->w32, shift)));
	}
	private_words(l, p, x);
}

/* ---- lanes at addresses of their own ---- */

/* How many bytes are read to gather one lane's: AVX-512 gathers words. */
static unsigned gather_bytes(const struct lower *l, const struct transfer *a)
{
	return !a->write && a->size < 4 && l->superblock->request->simd == SIMD_AVX512 ? 4 : a->size;
}

/* Whether it is so for all lanes that run. */
static value all_lanes(struct lower *l, value condition)
{
	value m = BITCAST(condition, l->i32);
	return ICMP(EQ, l->masked ? OR(m, NOT(l->mask)) : m, num(l->i32, ALL_LANES));
}

/* The lanes that run, an i1 each. */
static value running(struct lower *l)
{
	return l->masked ? l->running : LLVMConstAllOnes(LLVMVectorType(l->i1, LANES));
}

/* The first and the last lane that run. */
static value first_lane(struct lower *l)
{
	value args[] = { l->mask, num(l->i1, 1) };
	return l->masked ? intrinsic(l, "llvm.cttz", l->i32, args, 2) : num(l->i32, 0);
}

static value last_lane(struct lower *l)
{
	value args[] = { l->mask, num(l->i1, 1) };
	return l->masked ? SUB(num(l->i32, 31), intrinsic(l, "llvm.ctlz", l->i32, args, 2)) : num(l->i32, LANES - 1);
}

/* Splits the code: goes on where the lanes' accesses lie side by side, *va is the first lane's address there; returns
 * the block for when they do not; there *eight says whether those of the first eight may. */
static LLVMBasicBlockRef side_by_side(struct lower *l, const struct transfer *a, value *va, value *eight)
{
	const struct reg_encoding *f = encoding_of(l, a->insn->rs1);
	LLVMBasicBlockRef scattered = block_new(l, "scattered"), row = block_new(l, "row");
	value imm = num(l->i64, (uint64_t)(int64_t)a->insn->imm), is_row, first;
	*eight = NULL;
	if (encoding_affine(f)) {
		first = get_base(l, a->insn->rs1);
		is_row = ICMP(EQ, get_stride(l, a->insn->rs1), num(l->i64, a->size));
	} else {
		/* where lane 0's is if they do; when it does not run, what it has mostly is still the row's */
		value x = SUB(get_fulls(l, a->insn->rs1), MUL(l->lanes64, num(l->w64, a->size)));
		first = LLVMBuildExtractElement(l->b, x, num(l->i32, 0), "");
		value same = ICMP(EQ, x, splat(l, first, l->w64));
		is_row = all_lanes(l, same);
		*eight = ICMP(EQ, AND(BITCAST(same, l->i32), num(l->i32, 0xff)), num(l->i32, 0xff));
	}
	LLVMBuildCondBr(l->b, is_row, row, scattered);
	enter(l, row);
	*va = ADD(first, imm);
	return scattered;
}

/* Host addresses of the lanes' accesses, when one window holds them all; goes to fail when not. *whole: whether it holds
 * those of lanes that do not run, too. */
static value lanes_place(struct lower *l, const struct transfer *a, LLVMBasicBlockRef fail, value *whole)
{
	const struct reg_encoding *f = encoding_of(l, a->insn->rs1);
	unsigned bytes = gather_bytes(l, a), n = window_of(l, a->insn->rs1, bytes, a->write);
	value imm = num(l->i64, (uint64_t)(int64_t)a->insn->imm), va = addresses_of(l, a->insn), first = NULL, in;
	if (encoding_affine(f))
		first = ADD(get_base(l, a->insn->rs1), imm);
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b), check = block_new(l, "check"), hit = block_new(l, "gather");
	LLVMBasicBlockRef miss = block_new(l, "gather_miss"), again = block_new(l, "again"), open = block_new(l, "open");
	LLVMBuildBr(l->b, check);
	enter(l, check);
	value tried = LLVMBuildPhi(l->b, l->i1, "");
	value low = LLVMBuildLoad2(l->b, l->i64, l->windows[n].low, ""), room = LLVMBuildLoad2(l->b, l->i64, l->windows[n].room, "");
	if (encoding_affine(f)) { /* the first and the last one; the stride is no way around */
		value stride = get_stride(l, a->insn->rs1), off = SUB(first, low);
		value last = ADD(off, MUL(stride, num(l->i64, LANES - 1)));
		in = AND(AND(ICMP(ULT, off, room), ICMP(ULT, last, room)), ICMP(EQ, SEXT(TRUNC(stride, l->i32), l->i64), stride));
		*whole = in;
	} else {
		value inside = ICMP(ULT, SUB(va, splat(l, low, l->w64)), splat(l, room, l->w64));
		in = all_lanes(l, inside);
		*whole = ICMP(EQ, BITCAST(inside, l->i32), num(l->i32, ALL_LANES));
	}
	branch(l, in, hit, miss, true);
	enter(l, miss);
	LLVMBuildCondBr(l->b, tried, fail, open);
	enter(l, open);
	if (!first)
		first = LLVMBuildExtractElement(l->b, va, first_lane(l), "");
	window_open(l, n, first, bytes, a->write, again, fail);
	enter(l, again);
	LLVMBuildBr(l->b, check);
	LLVMAddIncoming(tried, (value[]){ num(l->i1, 0), num(l->i1, 1) }, (LLVMBasicBlockRef[]){ from, again }, 2);
	enter(l, hit);
	value delta = splat(l, LLVMBuildLoad2(l->b, l->i64, l->windows[n].delta, ""), l->w64);
	return LLVMBuildIntToPtr(l->b, ADD(va, delta), l->wptr, "");
}

/* Whether each eight lanes' accesses lie side by side: rows of a work-group that is narrower than a warp. */
static value eights_test(struct lower *l, const struct transfer *a, value at)
{
	value first[LANES], step[LANES];
	for (unsigned i = 0; i < LANES; i++) {
		first[i] = num(l->i32, i & ~7u);
		step[i] = num(l->i64, (i & 7) * a->size);
	}
	value starts = LLVMBuildShuffleVector(l->b, at, LLVMGetPoison(l->w64), LLVMConstVector(first, LANES), "");
	value same = ICMP(EQ, at, ADD(starts, LLVMConstVector(step, LANES)));
	return ICMP(EQ, BITCAST(same, l->i32), num(l->i32, ALL_LANES));
}

/* Splits the code: goes on where they do; returns the block for when they do not. */
static LLVMBasicBlockRef by_eights(struct lower *l, const struct transfer *a, value pointers, value eight, value whole)
{
	LLVMBasicBlockRef probe = block_new(l, "eights"), yes = block_new(l, "rows"), no = block_new(l, "scattered");
	branch(l, AND(eight, whole), probe, no, false);
	enter(l, probe);
	branch(l, eights_test(l, a, LLVMBuildPtrToInt(l->b, pointers, l->w64, "")), yes, no, false);
	enter(l, yes);
	return no;
}

static value eight_of(struct lower *l, value x, unsigned row)
{
	return LLVMBuildShuffleVector(l->b, x, LLVMGetPoison(TYPE(x)), sequence(l->i32, 8, row * 8, 1), "");
}

static value row_start(struct lower *l, value pointers, unsigned row)
{
	return LLVMBuildExtractElement(l->b, pointers, num(l->i32, row * 8), "");
}

/* ---- loads ---- */

static void load_result(struct lower *l, const struct transfer *a, const struct reg_encoding *out, value x)
{
	bool uniform = encoding_uniform(out), is_f = a->insn->rd >= REG_F;
	bool word = out->encoding == ENCODING_U32 || out->encoding == ENCODING_W;
	type t = uniform ? is_f && word ? l->i32 : l->i64 : word ? l->w32 : l->w64;
	if (TYPE(x) != t)
		x = a->extend == EXT_SIGN ? SEXT(x, t) : ZEXT(x, t);
	if (is_f && a->size == 2)
		x = OR(x, LIKE(x, 0xffff0000));
	put(l, a->insn->rd, out, x, NULL);
}

/* The ways in which an access may be done come together. */
struct ways {
	LLVMBasicBlockRef done, from[4];
	value x[4];
	unsigned n;
};

static void way_end(struct lower *l, struct ways *w, value x)
{
	w->x[w->n] = x;
	w->from[w->n++] = LLVMGetInsertBlock(l->b);
	LLVMBuildBr(l->b, w->done);
}

/* words: bytes may be read as the low ones of words, which the host gathers. */
static value masked_gather(struct lower *l, const struct transfer *a, value pointers, bool words)
{
	bool narrow = words && gather_bytes(l, a) != a->size;
	type t = narrow ? l->w32 : a->lanes;
	value args[] = { pointers, num(l->i32, 1), running(l), LLVMGetPoison(t) };
	value x = intrinsic_of(l, "llvm.masked.gather", t, l->wptr, args, 4);
	return narrow ? TRUNC(x, a->lanes) : x;
}

/* Four rows of eight lanes. */
static value load_eights(struct lower *l, const struct transfer *a, value pointers)
{
	value part[4], half = sequence(l->i32, 16, 0, 1);
	type t = LLVMVectorType(a->narrow, 8);
	for (unsigned row = 0; row < 4; row++)
		part[row] = load_at(l, t, row_start(l, pointers, row));
	value low = LLVMBuildShuffleVector(l->b, part[0], part[1], half, "");
	value high = LLVMBuildShuffleVector(l->b, part[2], part[3], half, "");
	return LLVMBuildShuffleVector(l->b, low, high, l->lanes32, "");
}

static void general_load(struct lower *l, const struct transfer *a, struct ways *w)
{
	access_lanes(l, a, addresses_of(l, a->insn));
	value x = load_at(l, l->w64, l->values);
	LLVMSetAlignment(x, 64);
	way_end(l, w, a->size < 8 ? TRUNC(x, a->lanes) : x);
}

/* ---- loads through one value of a register, whose lanes are at addresses of their own ---- */

/* The block's loads of a size through the value: what they reach together, from it on. */
static void lanes_reach(struct lower *l, const struct transfer *a, int64_t *low, int64_t *high)
{
	const struct item *items = l->superblock->items + l->block->first;
	*low = INT64_MAX;
	*high = INT64_MIN;
	for (uint32_t n = l->done; n < l->block->count; n++) {
		const struct insn *i = &items[n].insn;
		if (isa_rows[i->op].class == CLASS_LOAD && i->rs1 == a->insn->rs1) {
			struct transfer t = transfer_of(l, i);
			int64_t end = i->imm + (int64_t)gather_bytes(l, &t);
			if (t.size == a->size && i->imm < *low)
				*low = i->imm;
			if (t.size == a->size && end > *high)
				*high = end;
		}
		if (insn_writes(i) == a->insn->rs1)
			break;
	}
}

/* Checks whether one window holds what the lanes reach, and how they lie there: once for all of the block's loads. */
static void lanes_probe(struct lower *l, const struct transfer *a, struct lanes_group *g)
{
	int64_t low, high;
	lanes_reach(l, a, &low, &high);
	unsigned reg = a->insn->rs1, span = (unsigned)(high - low), n = window_of(l, reg, span, false);
	value base = get_fulls(l, reg), va = ADD(base, num(l->w64, (uint64_t)low)), no = num(l->i1, 0), yes = num(l->i1, 1);
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b), check = block_new(l, "check"), hit = block_new(l, "hit");
	LLVMBasicBlockRef miss = block_new(l, "miss"), open = block_new(l, "open"), again = block_new(l, "again");
	LLVMBasicBlockRef out = block_new(l, "out"), how = block_new(l, "how"), eights = block_new(l, "eights"), on = block_new(l, "on");
	LLVMBuildBr(l->b, check);
	enter(l, check);
	value tried = LLVMBuildPhi(l->b, l->i1, "");
	value start = LLVMBuildLoad2(l->b, l->i64, l->windows[n].low, ""), room = LLVMBuildLoad2(l->b, l->i64, l->windows[n].room, "");
	value inside = ICMP(ULT, SUB(va, splat(l, start, l->w64)), splat(l, room, l->w64));
	branch(l, all_lanes(l, inside), hit, miss, true);
	enter(l, miss);
	LLVMBuildCondBr(l->b, tried, out, open);
	enter(l, open);
	window_open(l, n, LLVMBuildExtractElement(l->b, va, first_lane(l), ""), span, false, again, out);
	enter(l, again);
	LLVMBuildBr(l->b, check);
	LLVMAddIncoming(tried, (value[]){ no, yes }, (LLVMBasicBlockRef[]){ from, again }, 2);

	enter(l, hit);
	value at = ADD(base, splat(l, LLVMBuildLoad2(l->b, l->i64, l->windows[n].delta, ""), l->w64));
	value x = SUB(at, MUL(l->lanes64, num(l->w64, a->size)));
	/* where lane 0's is if they are side by side; when it does not run, what it has mostly is still the row's */
	value first = LLVMBuildExtractElement(l->b, x, num(l->i32, 0), ""), same = ICMP(EQ, x, splat(l, first, l->w64));
	value row = all_lanes(l, same), eight = num(l->i32, 0xff), all = num(l->i32, ALL_LANES);
	branch(l, OR(row, ICMP(NE, AND(BITCAST(same, l->i32), eight), eight)), how, eights, true);
	enter(l, eights);
	value rows = AND(eights_test(l, a, at), ICMP(EQ, BITCAST(inside, l->i32), all));
	LLVMBuildBr(l->b, how);
	enter(l, how);
	value by = LLVMBuildPhi(l->b, l->i1, "");
	LLVMAddIncoming(by, (value[]){ no, rows }, (LLVMBasicBlockRef[]){ hit, eights }, 2);
	LLVMBuildBr(l->b, on);
	enter(l, out);
	LLVMBuildBr(l->b, on);

	enter(l, on);
	LLVMBasicBlockRef ends[] = { how, out };
	value zero = num(l->i64, 0);
	*g = (struct lanes_group){ .in = LLVMBuildPhi(l->b, l->i1, ""), .row = LLVMBuildPhi(l->b, l->i1, ""),
				   .by_eights = LLVMBuildPhi(l->b, l->i1, ""), .first = LLVMBuildPhi(l->b, l->i64, ""),
				   .at = LLVMBuildPhi(l->b, l->w64, "") };
	LLVMAddIncoming(g->in, (value[]){ yes, no }, ends, 2);
	LLVMAddIncoming(g->row, (value[]){ row, no }, ends, 2);
	LLVMAddIncoming(g->by_eights, (value[]){ by, no }, ends, 2);
	LLVMAddIncoming(g->first, (value[]){ first, zero }, ends, 2);
	LLVMAddIncoming(g->at, (value[]){ at, num(l->w64, 0) }, ends, 2);
}

static const struct lanes_group *lanes_group_of(struct lower *l, const struct transfer *a)
{
	const struct item *items = l->superblock->items + l->block->first;
	uint32_t from = l->done;
	while (from && insn_writes(&items[from - 1].insn) != a->insn->rs1)
		from--;
	for (unsigned k = 0; k < l->num_lanes_groups; k++) {
		struct lanes_group *g = &l->lanes_groups[k];
		if (g->from == from && g->reg == a->insn->rs1 && g->size == a->size)
			return g;
	}
	if (l->num_lanes_groups == MAX_GROUPS)
		l->num_lanes_groups = 0;
	struct lanes_group *g = &l->lanes_groups[l->num_lanes_groups++];
	lanes_probe(l, a, g);
	g->from = from;
	g->reg = a->insn->rs1;
	g->size = (uint8_t)a->size;
	return g;
}

/* Side by side; of lanes that do not run nothing is read. */
static value load_row(struct lower *l, const struct transfer *a, value p)
{
	if (!l->masked)
		return load_at(l, a->lanes, p);
	value args[] = { p, num(l->i32, 1), l->running, num(a->lanes, 0) };
	return intrinsic_of(l, "llvm.masked.load", a->lanes, l->ptr, args, 4);
}

static void load_lanes(struct lower *l, const struct transfer *a, struct ways *w, LLVMBasicBlockRef general)
{
	const struct lanes_group *g = lanes_group_of(l, a);
	LLVMBasicBlockRef in = block_new(l, "in"), row = block_new(l, "row"), scattered = block_new(l, "scattered");
	LLVMBasicBlockRef eights = block_new(l, "eights"), gather = block_new(l, "gather");
	value imm = num(l->i64, (uint64_t)(int64_t)a->insn->imm);
	branch(l, g->in, in, general, true);
	enter(l, in);
	LLVMBuildCondBr(l->b, g->row, row, scattered);
	enter(l, row);
	way_end(l, w, load_row(l, a, LLVMBuildIntToPtr(l->b, ADD(g->first, imm), l->ptr, "")));
	enter(l, scattered);
	value pointers = LLVMBuildIntToPtr(l->b, ADD(g->at, splat(l, imm, l->w64)), l->wptr, "");
	LLVMBuildCondBr(l->b, g->by_eights, eights, gather);
	enter(l, eights);
	way_end(l, w, load_eights(l, a, pointers));
	enter(l, gather);
	way_end(l, w, masked_gather(l, a, pointers, true));
}

/* Elements of records that lie one after the other. */
static value load_records(struct lower *l, const struct transfer *a, value p, int64_t stride)
{
	unsigned step = (unsigned)(stride / a->size), first = (unsigned)((a->insn->imm - floor_to(a->insn->imm, stride)) / a->size);
	value all = load_at(l, LLVMVectorType(a->narrow, step * LANES), field(l, p, -(size_t)(a->insn->imm - floor_to(a->insn->imm, stride))));
	return LLVMBuildShuffleVector(l->b, all, LLVMGetPoison(TYPE(all)), sequence(l->i32, LANES, first, step), "");
}

static value pointers_from(struct lower *l, value p, int64_t stride)
{
	value offsets = MUL(l->lanes64, num(l->w64, (uint64_t)stride));
	return LLVMBuildGEP2(l->b, l->i8, p, &offsets, 1, "");
}

static void load_known(struct lower *l, const struct transfer *a, const struct reg_encoding *out, int64_t stride)
{
	value p = group_place(l, a, stride), x;
	if (stride == 0)
		x = load_at(l, a->narrow, p);
	else if (stride == (int64_t)a->size)
		x = load_at(l, a->lanes, p);
	else if (is_record(stride, a->size) && (a->insn->imm - floor_to(a->insn->imm, stride)) % a->size == 0)
		x = load_records(l, a, p, stride);
	else
		x = masked_gather(l, a, pointers_from(l, p, stride), false);
	if (out)
		load_result(l, a, out, x);
}

void lower_load(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	struct transfer a = transfer_of(l, i);
	const struct reg_encoding *f = encoding_of(l, i->rs1);
	int64_t stride;
	if (known_stride(f, &stride) && !f->is_private) {
		load_known(l, &a, out, stride);
		return;
	}
	if (encoding_uniform(f) && in_words(&a)) {
		value x = private_load(l, &a, private_place(l, &a));
		if (out)
			load_result(l, &a, out, x);
		return;
	}
	LLVMBasicBlockRef general = block_new(l, "lanes");
	struct ways w = { .done = block_new(l, "loaded") };
	if (encoding_uniform(f)) {
		LLVMBuildBr(l->b, general);
	} else if (!encoding_affine(f)) {
		load_lanes(l, &a, &w, general);
	} else {
		value va, eight, whole;
		LLVMBasicBlockRef scattered = side_by_side(l, &a, &va, &eight);
		value p = window_place(l, i->rs1, va, a.size * LANES, false, scattered);
		way_end(l, &w, load_at(l, a.lanes, p));
		enter(l, scattered);
		p = lanes_place(l, &a, general, &whole);
		way_end(l, &w, masked_gather(l, &a, p, true));
	}
	enter(l, general);
	general_load(l, &a, &w);
	enter(l, w.done);
	value r = LLVMBuildPhi(l->b, a.lanes, "");
	LLVMAddIncoming(r, w.x, w.from, w.n);
	if (out)
		load_result(l, &a, out, r);
}

/* ---- stores ---- */

/* What is stored: the low bytes of rs2. */
static value stored_lanes(struct lower *l, const struct transfer *a)
{
	if (a->size == 8)
		return get_fulls(l, a->insn->rs2);
	value x = get_words(l, a->insn->rs2);
	return a->size == 4 ? x : TRUNC(x, a->lanes);
}

/* Of several lanes at one address the last one stays. */
static value stored_last(struct lower *l, const struct transfer *a)
{
	unsigned reg = a->insn->rs2;
	value x;
	if (encoding_uniform(encoding_of(l, reg)))
		x = a->size == 8 ? get_u64(l, reg) : get_u32(l, reg);
	else
		x = LLVMBuildExtractElement(l->b, a->size == 8 ? get_fulls(l, reg) : get_words(l, reg), last_lane(l), "");
	return a->size < 4 ? TRUNC(x, a->narrow) : x;
}

/* Lanes side by side; bytes of lanes that do not run are not touched. */
static void store_run(struct lower *l, value x, value p, value running)
{
	if (!l->masked) {
		store_at(l, x, p);
		return;
	}
	value args[] = { x, p, num(l->i32, 1), running };
	intrinsic_of(l, "llvm.masked.store", TYPE(x), l->ptr, args, 4);
}

static void store_row(struct lower *l, const struct transfer *a, value p)
{
	store_run(l, stored_lanes(l, a), p, l->running);
}

/* Four rows of eight lanes: where they overlap, the last one stays. */
static void store_eights(struct lower *l, const struct transfer *a, value pointers)
{
	value x = stored_lanes(l, a);
	for (unsigned row = 0; row < 4; row++)
		store_run(l, eight_of(l, x, row), row_start(l, pointers, row), l->masked ? eight_of(l, l->running, row) : NULL);
}

static void masked_scatter(struct lower *l, const struct transfer *a, value pointers, value x)
{
	value args[] = { x, pointers, num(l->i32, 1), running(l) };
	intrinsic_of(l, "llvm.masked.scatter", a->lanes, l->wptr, args, 4);
}

static void store_known(struct lower *l, const struct transfer *a, int64_t stride)
{
	value p = group_place(l, a, stride);
	note(l, a, addresses_of(l, a->insn));
	if (stride == 0)
		store_at(l, stored_last(l, a), p);
	else if (stride == (int64_t)a->size)
		store_row(l, a, p);
	else
		masked_scatter(l, a, pointers_from(l, p, stride), stored_lanes(l, a));
}

void lower_store(struct lower *l, const struct insn *i)
{
	struct transfer a = transfer_of(l, i);
	const struct reg_encoding *f = encoding_of(l, i->rs1);
	int64_t stride;
	if (known_stride(f, &stride) && !f->is_private) {
		store_known(l, &a, stride);
		return;
	}
	if (encoding_uniform(f) && in_words(&a)) {
		value p = private_place(l, &a);
		note(l, &a, addresses_of(l, i));
		private_store(l, &a, p, stored_lanes(l, &a));
		return;
	}
	LLVMBasicBlockRef general = block_new(l, "lanes");
	struct ways w = { .done = block_new(l, "stored") };
	if (encoding_uniform(f)) {
		LLVMBuildBr(l->b, general);
	} else {
		value va, eight, whole;
		LLVMBasicBlockRef scattered = side_by_side(l, &a, &va, &eight);
		value p = window_place(l, i->rs1, va, a.size * LANES, true, scattered);
		note(l, &a, addresses_of(l, i));
		store_row(l, &a, p);
		way_end(l, &w, NULL);
		enter(l, scattered);
		p = lanes_place(l, &a, general, &whole);
		note(l, &a, addresses_of(l, i));
		if (eight) {
			LLVMBasicBlockRef no = by_eights(l, &a, p, eight, whole);
			store_eights(l, &a, p);
			way_end(l, &w, NULL);
			enter(l, no);
		}
		masked_scatter(l, &a, p, stored_lanes(l, &a));
		way_end(l, &w, NULL);
	}
	enter(l, general);
	value x = stored_lanes(l, &a);
	note(l, &a, addresses_of(l, i));
	lanes_keep(l, a.size == 8 ? x : ZEXT(x, l->w64), l->values);
	access_lanes(l, &a, addresses_of(l, i));
	way_end(l, &w, NULL);
	enter(l, w.done);
}
