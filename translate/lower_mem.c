/* Loads and stores. An access that is simple is done in place: lanes side by side, all lanes at one address, private
 * memory at one offset. Where it may be done that way is a window: a range of addresses that lies at one host
 * address, kept from access to access. What is in no window is looked for in the compute unit's lookaside and in
 * local memory; what is not simple is done by the model lane by lane; what fails there leaves the region. */
#include "translate/lower.h"
#include "abi/address_map.h"
#include <stddef.h>

enum { EXT_SIGN, EXT_ZERO, EXT_BOX };

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

/* ---- windows ---- */

static value variable(struct lower *l, value initial)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
	LLVMPositionBuilderAtEnd(l->b, l->entry); /* which ends only when all is lowered */
	value v = LLVMBuildAlloca(l->b, l->i64, "");
	LLVMBuildStore(l->b, initial, v);
	LLVMPositionBuilderAtEnd(l->b, here);
	return v;
}

/* The window of accesses through one value of a register: those that follow a definition of it, or in other blocks. */
static unsigned window_of(struct lower *l, unsigned reg, unsigned bytes, bool write)
{
	uint64_t from = reg;
	for (uint32_t n = l->done; n-- > 0;) {
		const struct item *item = &l->region->items[l->block->first + n];
		if (insn_writes(&item->insn) == (int)reg) {
			from = item->pc << 6 | l->block->context;
			break;
		}
	}
	for (unsigned i = 0; i < l->num_windows; i++)
		if (l->windows[i].from == from && l->windows[i].bytes == bytes && l->windows[i].write == write)
			return i;
	unsigned n = l->num_windows++;
	value zero = num(l->i64, 0);
	struct window *w = &l->windows[n];
	*w = (struct window){ .from = from, .bytes = bytes, .write = write };
	w->low = variable(l, zero);
	w->room = variable(l, zero); /* nothing lies in it */
	w->delta = variable(l, zero);
	return n;
}

static void branch(struct lower *l, value condition, LLVMBasicBlockRef then, LLVMBasicBlockRef other, bool likely)
{
	value b = LLVMBuildCondBr(l->b, condition, then, other);
	if (likely)
		LLVMSetMetadata(b, l->prof, l->unlikely);
}

static LLVMBasicBlockRef enter(struct lower *l, LLVMBasicBlockRef b)
{
	LLVMPositionBuilderAtEnd(l->b, b);
	return b;
}

/* What an address is in the keys of the lookaside, less the address. */
static value look_base(struct lower *l) { return MUL(l->space, num(l->i64, look_address(1, 0))); }

static value helper(struct lower *l, size_t which)
{
	return load_field(l, l->ptr, load_field(l, l->ptr, l->run, offsetof(struct region_run, helpers)), which);
}

/* Whether an entry of the lookaside holds the bytes at va. */
static value look_holds(struct lower *l, value entry, size_t limit_at, value va, unsigned bytes)
{
	value at = SUB(ADD(va, look_base(l)), load_field(l, l->i64, entry, offsetof(struct look, first)));
	value limit = load_field(l, l->i64, entry, limit_at);
	return AND(ICMP(UGE, limit, num(l->i64, bytes)), ICMP(ULE, at, SUB(limit, num(l->i64, bytes))));
}

/* Looks for the bytes at va and opens the window there; goes to done, or to fail when there is none. */
static void window_open(struct lower *l, unsigned n, value va, unsigned bytes, bool write, LLVMBasicBlockRef done,
			LLVMBasicBlockRef fail)
{
	LLVMBasicBlockRef page = block_new(l, "page"), local = block_new(l, "local"), ask = block_new(l, "ask");
	LLVMBasicBlockRef asked = block_new(l, "asked"), fill = block_new(l, "fill"), local_fill = block_new(l, "local_fill");
	value base = num(l->i64, VA_LOCAL_BASE);
	LLVMBuildCondBr(l->b, ICMP(ULT, va, base), page, local);

	enter(l, page);
	size_t limit_at = write ? offsetof(struct look, write) : offsetof(struct look, read);
	value grain = ZEXT(load_field(l, l->i32, l->cu, offsetof(struct cu, look_grain)), l->i64);
	value shift = load_field(l, l->i32, l->cu, offsetof(struct cu, look_shift));
	value hash = LSHR(MUL(TRUNC(LSHR(va, grain), l->i32), num(l->i32, 0x9e3779b1u)), shift);
	value index = MUL(ZEXT(hash, l->i64), num(l->i64, sizeof(struct look)));
	value entry = LLVMBuildGEP2(l->b, l->i8, field(l, l->cu, offsetof(struct cu, look)), &index, 1, "");
	branch(l, look_holds(l, entry, limit_at, va, bytes), fill, ask, true);

	enter(l, ask);
	type params[] = { l->ptr, l->i64, l->i32 };
	value args[] = { l->warp, va, num(l->i32, write) };
	value call = helper(l, offsetof(struct region_helpers, look));
	value answer = LLVMBuildCall2(l->b, LLVMFunctionType(l->ptr, params, 3, false), call, args, 3, "");
	branch(l, LLVMBuildIsNull(l->b, answer, ""), fail, asked, false);
	enter(l, asked);
	branch(l, look_holds(l, answer, limit_at, va, bytes), fill, fail, true);

	enter(l, fill);
	value look = LLVMBuildPhi(l->b, l->ptr, "");
	LLVMAddIncoming(look, (value[]){ entry, answer }, (LLVMBasicBlockRef[]){ page, asked }, 2);
	value low = SUB(load_field(l, l->i64, look, offsetof(struct look, first)), look_base(l));
	value reach = SUB(load_field(l, l->i64, look, limit_at), num(l->i64, bytes - 1));
	LLVMBuildStore(l->b, low, l->windows[n].low);
	LLVMBuildStore(l->b, reach, l->windows[n].room);
	LLVMBuildStore(l->b, SUB(load_field(l, l->i64, look, offsetof(struct look, host)), low), l->windows[n].delta);
	LLVMBuildBr(l->b, done);

	enter(l, local);
	value size = ZEXT(load_field(l, l->i32, l->warp, offsetof(struct warp, local_bytes)), l->i64);
	value room = SUB(size, num(l->i64, bytes - 1));
	value into = SUB(va, base);
	value fits = AND(ICMP(UGE, size, num(l->i64, bytes)), ICMP(ULT, into, room));
	branch(l, fits, local_fill, fail, true);
	enter(l, local_fill);
	LLVMBuildStore(l->b, base, l->windows[n].low);
	LLVMBuildStore(l->b, room, l->windows[n].room);
	LLVMBuildStore(l->b, SUB(load_field(l, l->i64, l->warp, offsetof(struct warp, lds)), base), l->windows[n].delta);
	LLVMBuildBr(l->b, done);
}

/* Host address of the bytes at va; goes to fail when they do not lie together. reg: through which they are reached. */
static value window_place(struct lower *l, unsigned reg, value va, unsigned bytes, bool write, LLVMBasicBlockRef fail)
{
	unsigned n = window_of(l, reg, bytes, write);
	LLVMBasicBlockRef hit = block_new(l, "hit"), miss = block_new(l, "miss");
	value off = SUB(va, LLVMBuildLoad2(l->b, l->i64, l->windows[n].low, ""));
	branch(l, ICMP(ULT, off, LLVMBuildLoad2(l->b, l->i64, l->windows[n].room, "")), hit, miss, true);
	enter(l, miss);
	window_open(l, n, va, bytes, write, hit, fail);
	enter(l, hit);
	return LLVMBuildIntToPtr(l->b, ADD(va, LLVMBuildLoad2(l->b, l->i64, l->windows[n].delta, "")), l->ptr, "");
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
	lanes_keep(l, addresses, l->addresses);
	value call = helper(l, a->write ? offsetof(struct region_helpers, store) : offsetof(struct region_helpers, load));
	value ok = LLVMBuildCall2(l->b, LLVMFunctionType(l->i8, params, 4, false), call, args, 4, "");
	guard(l, TRUNC(ok, l->i1), REGION_ACCESS);
}

static void note(struct lower *l, const struct transfer *a, value addresses)
{
	if (!(l->region->request->flags & REGION_CHECK))
		return;
	type params[] = { l->ptr, l->ptr, l->i32, l->ptr, l->i32 };
	value args[] = { l->run, l->warp, num(l->i32, ALL_LANES), l->addresses, num(l->i32, a->size) };
	lanes_keep(l, addresses, l->addresses);
	LLVMBuildCall2(l->b, LLVMFunctionType(LLVMVoidTypeInContext(l->context), params, 5, false),
		       helper(l, offsetof(struct region_helpers, note)), args, 5, "");
}

/* The lanes' addresses, the immediate added. */
static value addresses_of(struct lower *l, const struct insn *i)
{
	return ADD(get_fulls(l, i->rs1), num(l->w64, (uint64_t)(int64_t)i->imm));
}

/* ---- private memory: words of the lanes stand side by side ---- */

/* Where the block of an offset lies, whose part is in *shift (bits); goes to other when va is not such an access. */
static value private_block(struct lower *l, const struct transfer *a, value va, value *shift, LLVMBasicBlockRef other)
{
	uint32_t bytes = l->region->request->private_bytes;
	LLVMBasicBlockRef in = block_new(l, "private");
	value offset = SUB(va, num(l->i64, VA_PRIVATE_BASE)), part = AND(offset, num(l->i64, 3));
	value room = num(l->i64, bytes < a->size || bytes > VA_PRIVATE_SIZE ? 0 : bytes - a->size + 1);
	value whole = ICMP(ULE, part, num(l->i64, a->size >= 4 ? 0 : 4 - a->size));
	branch(l, AND(ICMP(ULT, offset, room), whole), in, other, true);
	enter(l, in);
	value base = load_field(l, l->i64, l->warp, offsetof(struct warp, private_va));
	value at = ADD(base, MUL(LSHR(offset, num(l->i64, 2)), num(l->i64, LANES * 4)));
	*shift = SHL(TRUNC(part, l->i32), num(l->i32, 3));
	return window_place(l, 0, at, (a->size == 8 ? 2 : 1) * LANES * 4, a->write, other);
}

static value private_load(struct lower *l, const struct transfer *a, value p, value shift)
{
	value low = load_at(l, l->w32, p);
	if (a->size == 8)
		return OR(ZEXT(low, l->w64), SHL(ZEXT(load_at(l, l->w32, field(l, p, LANES * 4)), l->w64), num(l->w64, 32)));
	return a->size == 4 ? low : TRUNC(LSHR(low, splat(l, shift, l->w32)), a->lanes);
}

static void private_store(struct lower *l, const struct transfer *a, value p, value shift, value x)
{
	if (a->size == 8) {
		store_at(l, TRUNC(x, l->w32), p);
		store_at(l, TRUNC(LSHR(x, num(l->w64, 32)), l->w32), field(l, p, LANES * 4));
		return;
	}
	if (a->size < 4) { /* the rest of each word stays */
		uint32_t ones = (1u << (8 * a->size)) - 1;
		value old = load_at(l, l->w32, p), mask = splat(l, SHL(num(l->i32, ones), shift), l->w32);
		x = OR(AND(old, NOT(mask)), SHL(ZEXT(x, l->w32), splat(l, shift, l->w32)));
	}
	store_at(l, x, p);
}

/* ---- loads ---- */

static void load_result(struct lower *l, const struct transfer *a, const struct reg_form *out, value x)
{
	bool uniform = form_uniform(out), is_f = a->insn->rd >= REG_F;
	bool word = out->form == FORM_U32 || out->form == FORM_W;
	type t = uniform ? is_f && word ? l->i32 : l->i64 : word ? l->w32 : l->w64;
	if (TYPE(x) != t)
		x = a->extend == EXT_SIGN ? SEXT(x, t) : ZEXT(x, t);
	if (is_f && a->size == 2)
		x = OR(x, LIKE(x, 0xffff0000));
	put(l, a->insn->rd, out, x, NULL);
}

static value phi_of(struct lower *l, type t, value *values, LLVMBasicBlockRef *blocks, unsigned n)
{
	value phi = LLVMBuildPhi(l->b, t, "");
	LLVMAddIncoming(phi, values, blocks, n);
	return phi;
}

void lower_load(struct lower *l, const struct insn *i, const struct reg_form *out)
{
	struct transfer a = transfer_of(l, i);
	const struct reg_form *f = form_of(l, i->rs1);
	struct reg_form unused = { .form = FORM_F };
	value imm = num(l->i64, (uint64_t)(int64_t)i->imm);
	if (!out) /* to x0: the access itself is done */
		out = &unused;
	if (form_uniform(f) && !f->is_private) {
		LLVMBasicBlockRef fail = block_new(l, "fail");
		value p = window_place(l, i->rs1, ADD(get_u64(l, i->rs1), imm), a.size, false, fail);
		LLVMBasicBlockRef on = LLVMGetInsertBlock(l->b);
		enter(l, fail);
		leave(l, l->item->pc, REGION_ACCESS);
		enter(l, on);
		value x = load_at(l, a.narrow, p);
		if (i->rd != 0)
			load_result(l, &a, out, x);
		return;
	}
	LLVMBasicBlockRef general = block_new(l, "lanes"), done = block_new(l, "loaded");
	value x[2];
	LLVMBasicBlockRef from[2];
	unsigned n = 0;
	if (form_uniform(f)) {
		value shift, p = private_block(l, &a, ADD(get_u64(l, i->rs1), imm), &shift, general);
		x[n] = private_load(l, &a, p, shift);
	} else if (form_affine(f) && (f->stride == STRIDE_ANY || f->stride == (int32_t)a.size)) {
		if (f->stride == STRIDE_ANY) {
			LLVMBasicBlockRef row = block_new(l, "row");
			branch(l, ICMP(EQ, get_stride(l, i->rs1), num(l->i64, a.size)), row, general, false);
			enter(l, row);
		}
		value p = window_place(l, i->rs1, ADD(get_base(l, i->rs1), imm), a.size * LANES, false, general);
		x[n] = load_at(l, a.lanes, p);
	} else {
		LLVMBuildBr(l->b, general);
		n = UINT32_MAX;
	}
	if (n == 0) {
		LLVMBuildBr(l->b, done);
		from[n] = LLVMGetInsertBlock(l->b);
	}
	n++;
	enter(l, general);
	access_lanes(l, &a, addresses_of(l, i));
	x[n] = load_at(l, l->w64, l->values);
	LLVMSetAlignment(x[n], 64);
	if (a.size < 8)
		x[n] = TRUNC(x[n], a.lanes);
	LLVMBuildBr(l->b, done);
	from[n++] = LLVMGetInsertBlock(l->b);
	enter(l, done);
	value r = phi_of(l, a.lanes, x, from, n);
	if (i->rd != 0)
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
	if (form_uniform(form_of(l, reg)))
		x = a->size == 8 ? get_u64(l, reg) : get_u32(l, reg);
	else
		x = LLVMBuildExtractElement(l->b, a->size == 8 ? get_fulls(l, reg) : get_words(l, reg), num(l->i32, LANES - 1), "");
	return a->size < 4 ? TRUNC(x, a->narrow) : x;
}

void lower_store(struct lower *l, const struct insn *i)
{
	struct transfer a = transfer_of(l, i);
	const struct reg_form *f = form_of(l, i->rs1);
	value imm = num(l->i64, (uint64_t)(int64_t)i->imm);
	LLVMBasicBlockRef general = block_new(l, "lanes"), done = block_new(l, "stored");
	if (form_uniform(f)) {
		value va = ADD(get_u64(l, i->rs1), imm);
		if (f->is_private) {
			value shift, p = private_block(l, &a, va, &shift, general);
			note(l, &a, addresses_of(l, i));
			private_store(l, &a, p, shift, stored_lanes(l, &a));
		} else {
			value p = window_place(l, i->rs1, va, a.size, true, general);
			note(l, &a, addresses_of(l, i));
			store_at(l, stored_last(l, &a), p);
		}
		LLVMBuildBr(l->b, done);
	} else if (form_affine(f) && (f->stride == STRIDE_ANY || f->stride == (int32_t)a.size)) {
		if (f->stride == STRIDE_ANY) {
			LLVMBasicBlockRef row = block_new(l, "row");
			branch(l, ICMP(EQ, get_stride(l, i->rs1), num(l->i64, a.size)), row, general, false);
			enter(l, row);
		}
		value p = window_place(l, i->rs1, ADD(get_base(l, i->rs1), imm), a.size * LANES, true, general);
		note(l, &a, addresses_of(l, i));
		store_at(l, stored_lanes(l, &a), p);
		LLVMBuildBr(l->b, done);
	} else {
		LLVMBuildBr(l->b, general);
	}
	enter(l, general);
	value x = stored_lanes(l, &a);
	note(l, &a, addresses_of(l, i));
	lanes_keep(l, a.size == 8 ? x : ZEXT(x, l->w64), l->values);
	access_lanes(l, &a, addresses_of(l, i));
	LLVMBuildBr(l->b, done);
	enter(l, done);
}
