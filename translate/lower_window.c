/* Windows: where accesses find their memory. A window is a range of addresses that lies at one host address, kept from
 * access to access; what is in none is looked for in the compute unit's software TLB and in local memory. */
#include "translate/lower.h"
#include "abi/address_map.h"
#include <stddef.h>

/* The window of accesses through one value of a register: those that follow a definition of it, or in other blocks. */
unsigned window_of(struct lower *l, unsigned reg, unsigned bytes, bool write)
{
	uint64_t from = reg;
	for (uint32_t n = l->done; n-- > 0;) {
		const struct item *item = &l->superblock->items[l->block->first + n];
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
	w->low = variable(l, l->i64, zero);
	w->room = variable(l, l->i64, zero); /* nothing lies in it */
	w->delta = variable(l, l->i64, zero);
	return n;
}

void branch(struct lower *l, value condition, LLVMBasicBlockRef then, LLVMBasicBlockRef other, bool likely)
{
	value b = LLVMBuildCondBr(l->b, condition, then, other);
	if (likely)
		LLVMSetMetadata(b, l->prof, l->unlikely);
}

LLVMBasicBlockRef enter(struct lower *l, LLVMBasicBlockRef b)
{
	LLVMPositionBuilderAtEnd(l->b, b);
	return b;
}

/* What an address is in the keys of the software TLB, less the address. */
static value tlb_base(struct lower *l) { return MUL(l->space, num(l->i64, soft_tlb_key(1, 0))); }

value helper(struct lower *l, size_t which)
{
	return load_field(l, l->ptr, load_field(l, l->ptr, l->run, offsetof(struct superblock_run, helpers)), which);
}

/* Whether an entry of the software TLB holds the bytes at va. */
static value tlb_holds(struct lower *l, value entry, size_t limit_at, value va, unsigned bytes)
{
	value at = SUB(ADD(va, tlb_base(l)), load_field(l, l->i64, entry, offsetof(struct soft_tlb_entry, first)));
	value limit = load_field(l, l->i64, entry, limit_at);
	return AND(ICMP(UGE, limit, num(l->i64, bytes)), ICMP(ULE, at, SUB(limit, num(l->i64, bytes))));
}

/* Looks for the bytes at va and opens the window there; goes to done, or to fail when there is none. */
void window_open(struct lower *l, unsigned n, value va, unsigned bytes, bool write, LLVMBasicBlockRef done,
			LLVMBasicBlockRef fail)
{
	LLVMBasicBlockRef page = block_new(l, "page"), local = block_new(l, "local"), ask = block_new(l, "ask");
	LLVMBasicBlockRef asked = block_new(l, "asked"), fill = block_new(l, "fill"), local_fill = block_new(l, "local_fill");
	value base = num(l->i64, VA_LOCAL_BASE);
	LLVMBuildCondBr(l->b, ICMP(ULT, va, base), page, local);

	enter(l, page);
	size_t limit_at = write ? offsetof(struct soft_tlb_entry, write) : offsetof(struct soft_tlb_entry, read);
	value grain = ZEXT(load_field(l, l->i32, l->cu, offsetof(struct cu, tlb.grain)), l->i64);
	value hash = LSHR(MUL(TRUNC(LSHR(va, grain), l->i32), num(l->i32, 0x9e3779b1u)), num(l->i32, 32 - SOFT_TLB_LOG));
	value index = MUL(ZEXT(hash, l->i64), num(l->i64, sizeof(struct soft_tlb_entry)));
	value entry = LLVMBuildGEP2(l->b, l->i8, field(l, l->cu, offsetof(struct cu, tlb.entry)), &index, 1, "");
	branch(l, tlb_holds(l, entry, limit_at, va, bytes), fill, ask, true);

	enter(l, ask);
	type params[] = { l->ptr, l->i64, l->i32 };
	value args[] = { l->warp, va, num(l->i32, write) };
	value call = helper(l, offsetof(struct superblock_helpers, tlb));
	value answer = LLVMBuildCall2(l->b, LLVMFunctionType(l->ptr, params, 3, false), call, args, 3, "");
	branch(l, LLVMBuildIsNull(l->b, answer, ""), fail, asked, false);
	enter(l, asked);
	branch(l, tlb_holds(l, answer, limit_at, va, bytes), fill, fail, true);

	enter(l, fill);
	value found = LLVMBuildPhi(l->b, l->ptr, "");
	LLVMAddIncoming(found, (value[]){ entry, answer }, (LLVMBasicBlockRef[]){ page, asked }, 2);
	value low = SUB(load_field(l, l->i64, found, offsetof(struct soft_tlb_entry, first)), tlb_base(l));
	value reach = SUB(load_field(l, l->i64, found, limit_at), num(l->i64, bytes - 1));
	LLVMBuildStore(l->b, low, l->windows[n].low);
	LLVMBuildStore(l->b, reach, l->windows[n].room);
	LLVMBuildStore(l->b, SUB(load_field(l, l->i64, found, offsetof(struct soft_tlb_entry, host)), low), l->windows[n].delta);
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
value window_place(struct lower *l, unsigned reg, value va, unsigned bytes, bool write, LLVMBasicBlockRef fail)
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
