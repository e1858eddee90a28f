/* The superblock as LLVM IR: one function, whose blocks are the superblock's. A register that is live at a block with
 * several predecessors is a phi there. A place where the superblock may be left has a block of its own, which gives the
 * registers back to the warp: values are kept in no other place meanwhile. */
#include "translate/lower.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

value in_lanes(value lane)
{
	value all[LANES];
	for (unsigned i = 0; i < LANES; i++)
		all[i] = lane;
	return LLVMConstVector(all, LANES);
}

value num(type t, uint64_t n)
{
	return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? in_lanes(LLVMConstInt(LLVMGetElementType(t), n, false)) : LLVMConstInt(t, n, false);
}

value sequence(type element, unsigned count, uint64_t first, uint64_t step)
{
	value all[LANES];
	for (unsigned i = 0; i < count; i++)
		all[i] = LLVMConstInt(element, first + i * step, false);
	return LLVMConstVector(all, count);
}

value splat(struct lower *l, value scalar, type t)
{
	if (LLVMIsAConstantInt(scalar))
		return num(t, LLVMConstIntGetZExtValue(scalar));
	value one = LLVMBuildInsertElement(l->b, LLVMGetPoison(t), scalar, num(l->i32, 0), "");
	return LLVMBuildShuffleVector(l->b, one, LLVMGetPoison(t), num(l->w32, 0), "");
}

static value intrinsic_call(struct lower *l, const char *name, type *types, size_t num_types, value *args, unsigned n)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	value f = LLVMGetIntrinsicDeclaration(l->module, id, types, num_types);
	return LLVMBuildCall2(l->b, LLVMIntrinsicGetType(l->context, id, types, num_types), f, args, n, "");
}

value intrinsic(struct lower *l, const char *name, type t, value *args, unsigned n)
{
	return intrinsic_call(l, name, &t, 1, args, n);
}

value intrinsic_of(struct lower *l, const char *name, type t, type other, value *args, unsigned n)
{
	return intrinsic_call(l, name, (type[]){ t, other }, 2, args, n);
}

value field(struct lower *l, value base, size_t offset)
{
	value index = num(l->i64, offset);
	return LLVMBuildInBoundsGEP2(l->b, l->i8, base, &index, 1, "");
}

value load_field(struct lower *l, type t, value base, size_t offset)
{
	return LLVMBuildLoad2(l->b, t, field(l, base, offset), "");
}

LLVMBasicBlockRef block_new(struct lower *l, const char *name)
{
	return LLVMAppendBasicBlockInContext(l->context, l->function, name);
}

value variable(struct lower *l, type t, value initial)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
	LLVMPositionBuilderAtEnd(l->b, l->entry); /* which ends only when all is lowered */
	value v = LLVMBuildAlloca(l->b, t, "");
	LLVMBuildStore(l->b, initial, v);
	LLVMPositionBuilderAtEnd(l->b, here);
	return v;
}

type value_type(const struct lower *l, const struct reg_encoding *f, unsigned reg)
{
	return f->encoding == ENCODING_W ? l->w32 : f->encoding == ENCODING_F ? l->w64 : reg >= REG_F && f->encoding == ENCODING_U32 ? l->i32 : l->i64;
}

/* The value of a lane in an affine encoding. */
static value spread(struct lower *l, value base, value stride, bool wide)
{
	type t = wide ? l->w64 : l->w32;
	if (!wide) {
		base = TRUNC(base, l->i32);
		stride = TRUNC(stride, l->i32);
	}
	return ADD(splat(l, base, t), MUL(splat(l, stride, t), wide ? l->lanes64 : l->lanes32));
}

/* ---- registers ---- */

const struct reg_encoding *encoding_of(const struct lower *l, unsigned reg) { return &l->f.r[reg]; }

value canonical(struct lower *l, value bits, bool single)
{
	bool vector = LLVMGetTypeKind(TYPE(bits)) == LLVMVectorTypeKind;
	type t = single ? vector ? l->wf32 : l->f32 : vector ? l->wf64 : l->f64;
	value x = BITCAST(bits, t);
	return SELECT(FCMP(UNO, x, x), LIKE(bits, single ? 0x7fc00000 : 0x7ff8000000000000), bits);
}

static bool is_raw(const struct reg_encoding *f, bool is_f) { return is_f && f->nans == NANS_RAW; }

/* The value with its NaNs as they are to be seen. */
static struct val seen(struct lower *l, struct val v, const struct reg_encoding *f, bool is_f)
{
	if (is_raw(f, is_f))
		v.a = canonical(l, v.a, encoding_word(f));
	return v;
}

value convert_bits(struct lower *l, struct val v, const struct reg_encoding *f, bool is_f, bool wide)
{
	v = seen(l, v, f, is_f);
	switch ((enum encoding)f->encoding) {
	case ENCODING_U32:
		if (is_f) {
			value x = wide ? OR(ZEXT(v.a, l->i64), num(l->i64, BOX)) : v.a;
			return splat(l, x, wide ? l->w64 : l->w32);
		}
		/* fall through */
	case ENCODING_U64:
		return wide ? splat(l, v.a, l->w64) : splat(l, TRUNC(v.a, l->i32), l->w32);
	case ENCODING_A32:
	case ENCODING_A64:
		return spread(l, v.a, stride_value(l, &v, f), wide);
	case ENCODING_W:
		if (!wide)
			return v.a;
		return is_f ? OR(ZEXT(v.a, l->w64), num(l->w64, BOX)) : SEXT(v.a, l->w64);
	default:
		return wide ? v.a : TRUNC(v.a, l->w32);
	}
}

struct val convert(struct lower *l, struct val v, const struct reg_encoding *from, const struct reg_encoding *to, bool is_f)
{
	struct reg_encoding clean = *from;
	if (from->nans == NANS_RAW && to->nans == NANS_EXACT) {
		v = seen(l, v, from, is_f);
		clean.nans = NANS_EXACT;
	}
	struct reg_encoding bits = clean;
	bits.nans = NANS_EXACT; /* what is raw may stay so */
	switch ((enum encoding)to->encoding) {
	case ENCODING_U32:
	case ENCODING_U64:
		if (is_f && from->encoding == ENCODING_U32 && to->encoding == ENCODING_U64)
			v.a = OR(ZEXT(v.a, l->i64), num(l->i64, BOX));
		break;
	case ENCODING_A32:
	case ENCODING_A64:
		if (encoding_uniform(from))
			v.b = num(l->i64, 0);
		break;
	case ENCODING_W:
		if (from->encoding != ENCODING_W)
			v = (struct val){ convert_bits(l, v, &bits, is_f, false), NULL };
		break;
	default:
		if (from->encoding != ENCODING_F)
			v = (struct val){ convert_bits(l, v, &bits, is_f, true), NULL };
	}
	return v;
}

value get_u64(struct lower *l, unsigned reg)
{
	struct val v = seen(l, l->r[reg], encoding_of(l, reg), reg >= REG_F);
	if (reg >= REG_F && encoding_of(l, reg)->encoding == ENCODING_U32)
		return OR(ZEXT(v.a, l->i64), num(l->i64, BOX));
	return v.a;
}

value get_u32(struct lower *l, unsigned reg)
{
	struct val v = seen(l, l->r[reg], encoding_of(l, reg), reg >= REG_F);
	return reg >= REG_F && encoding_of(l, reg)->encoding == ENCODING_U32 ? v.a : TRUNC(v.a, l->i32);
}

value get_words(struct lower *l, unsigned reg) { return convert_bits(l, l->r[reg], encoding_of(l, reg), reg >= REG_F, false); }
value get_fulls(struct lower *l, unsigned reg) { return convert_bits(l, l->r[reg], encoding_of(l, reg), reg >= REG_F, true); }
value get_bits(struct lower *l, unsigned reg, bool word, bool uniform)
{
	return uniform ? word ? get_u32(l, reg) : get_u64(l, reg) : word ? get_words(l, reg) : get_fulls(l, reg);
}

value get_base(struct lower *l, unsigned reg) { return l->r[reg].a; }

value stride_value(struct lower *l, const struct val *v, const struct reg_encoding *f)
{
	if (encoding_uniform(f))
		return num(l->i64, 0);
	return f->stride == STRIDE_ANY ? v->b : num(l->i64, (uint64_t)(int64_t)f->stride);
}

value get_stride(struct lower *l, unsigned reg) { return stride_value(l, &l->r[reg], encoding_of(l, reg)); }

/* What is not boxed is the canonical NaN. */
static value unbox(struct lower *l, value bits)
{
	bool vector = LLVMGetTypeKind(TYPE(bits)) == LLVMVectorTypeKind;
	type t = vector ? l->w32 : l->i32;
	value boxed = ICMP(UGE, bits, LIKE(bits, BOX));
	return SELECT(boxed, TRUNC(bits, t), num(t, 0x7fc00000));
}

value get_single(struct lower *l, unsigned reg, bool uniform)
{
	const struct reg_encoding *f = encoding_of(l, reg);
	struct val v = l->r[reg];
	value bits = encoding_word(f) ? v.a : unbox(l, seen(l, v, f, true).a);
	if (!uniform && encoding_uniform(f))
		bits = splat(l, bits, l->w32);
	return BITCAST(bits, uniform ? l->f32 : l->wf32);
}

value get_double(struct lower *l, unsigned reg, bool uniform)
{
	const struct reg_encoding *f = encoding_of(l, reg);
	struct reg_encoding as = *f;
	if (!encoding_word(f))
		as.nans = NANS_EXACT; /* raw will do */
	value bits = uniform ? f->encoding == ENCODING_U32 ? get_u64(l, reg) : l->r[reg].a : convert_bits(l, l->r[reg], &as, true, true);
	return BITCAST(bits, uniform ? l->f64 : l->wf64);
}

void put(struct lower *l, unsigned rd, const struct reg_encoding *f, value a, value b)
{
	if (f->known)
		a = num(rd >= REG_F && f->encoding == ENCODING_U32 ? l->i32 : l->i64, f->value);
	l->r[rd] = (struct val){ a, b };
	l->f.r[rd] = *f;
}

/* ---- leaving ---- */

void give_back(struct lower *l, unsigned reg)
{
	const struct reg_encoding *f = encoding_of(l, reg);
	value w = l->warp, zero = num(l->i64, 0), encoding = NULL;
	size_t v = offsetof(struct warp, v) + reg * sizeof(struct vreg);
	bool is_f = reg >= REG_F;
	struct val x = l->r[reg];
	if (f->encoding == ENCODING_W || f->encoding == ENCODING_F) {
		x = seen(l, x, f, is_f);
		LLVMSetAlignment(LLVMBuildStore(l->b, x.a, field(l, w, v)), 64);
		encoding = num(l->i8, f->encoding == ENCODING_W ? ENC_WORD : ENC_FULL);
	} else {
		value base = is_f ? get_u64(l, reg) : x.a, stride = is_f ? zero : get_stride(l, reg);
		LLVMBuildStore(l->b, base, field(l, w, offsetof(struct warp, base) + reg * 8));
		LLVMBuildStore(l->b, stride, field(l, w, offsetof(struct warp, stride) + reg * 8));
		encoding = ZEXT(ICMP(NE, stride, zero), l->i8);
	}
	LLVMBuildStore(l->b, encoding, field(l, w, offsetof(struct warp, encoding) + reg));
}

void leave(struct lower *l, uint64_t pc, enum superblock_exit why)
{
	value run = l->run;
	LLVMBuildStore(l->b, num(l->i64, pc), field(l, run, offsetof(struct superblock_run, pc)));
	LLVMBuildStore(l->b, num(l->i32, why), field(l, run, offsetof(struct superblock_run, exit)));
	LLVMBuildStore(l->b, num(l->i64, l->item->dead), field(l, run, offsetof(struct superblock_run, dead)));
	if (l->masked) {
		mask_leave(l);
		return;
	}
	for (unsigned reg = 1; reg < 64; reg++)
		if (l->item->stored >> reg & 1)
			give_back(l, reg);
	if (l->block->depth) {
		value at = field(l, l->warp, offsetof(struct warp, depth));
		LLVMBuildStore(l->b, ADD(LLVMBuildLoad2(l->b, l->i32, at, ""), num(l->i32, (uint32_t)l->block->depth)), at);
	}
	value before = SUB(l->limit, l->left);
	LLVMBuildStore(l->b, ADD(before, num(l->i64, l->done)), field(l, run, offsetof(struct superblock_run, count)));
	LLVMBuildRetVoid(l->b);
}

void guard(struct lower *l, value ok, enum superblock_exit why)
{
	if (LLVMIsAConstantInt(ok) && LLVMConstIntGetZExtValue(ok))
		return;
	LLVMBasicBlockRef on = block_new(l, "on"), off = block_new(l, "off");
	branch(l, ok, on, off, true);
	enter(l, off);
	leave(l, l->item->pc, why);
	enter(l, on);
}

/* ---- CSRs ---- */

static void lower_csr(struct lower *l, const struct insn *i, const struct reg_encoding *out)
{
	unsigned rd = i->rd, dimension = (unsigned)i->imm - CSR_local_id_x;
	value group, id;
	size_t at;
	if (rd == 0)
		return;
	switch (i->imm) {
	case CSR_local_id_x:
	case CSR_local_id_y:
	case CSR_local_id_z:
		l->needs->needs_ids |= (uint8_t)(1u << dimension);
		at = offsetof(struct local_ids, id) + dimension * sizeof(uint32_t) * LANES;
		id = load_field(l, l->ptr, l->run, offsetof(struct superblock_run, ids));
		if (out->encoding == ENCODING_W) {
			value lanes = load_field(l, l->w32, id, at);
			LLVMSetAlignment(lanes, 4);
			put(l, rd, out, lanes, NULL);
		} else {
			put(l, rd, out, ZEXT(load_field(l, l->i32, id, at), l->i64), num(l->i64, out->encoding == ENCODING_A32));
		}
		return;
	case CSR_lane_id:
		put(l, rd, out, num(l->i64, 0), num(l->i64, 1));
		return;
	case CSR_subgroup_id:
		id = load_field(l, l->i32, l->warp, offsetof(struct warp, first_id));
		put(l, rd, out, ZEXT(LLVMBuildUDiv(l->b, id, num(l->i32, LANES), ""), l->i64), NULL);
		return;
	case CSR_subgroup_live:
		id = load_field(l, l->i32, l->warp, offsetof(struct warp, first_live));
		put(l, rd, out, ZEXT(intrinsic(l, "llvm.ctpop", l->i32, &id, 1), l->i64), NULL);
		return;
	case CSR_cu_id:
		put(l, rd, out, ZEXT(load_field(l, l->i32, l->cu, offsetof(struct cu, index)), l->i64), NULL);
		return;
	}
	group = load_field(l, l->ptr, l->warp, offsetof(struct warp, group));
	if (i->imm == CSR_kernarg) {
		put(l, rd, out, load_field(l, l->i64, group, offsetof(struct group, kernarg)), NULL);
		return;
	}
	at = i->imm == CSR_num_subgroups ? offsetof(struct group, num_warps) :
	     i->imm >= CSR_local_size_x	 ? offsetof(struct group, size) + ((size_t)i->imm - CSR_local_size_x) * 4 :
					   offsetof(struct group, id) + ((size_t)i->imm - CSR_group_id_x) * 4;
	put(l, rd, out, ZEXT(load_field(l, l->i32, group, at), l->i64), NULL);
}

/* ---- one instruction ---- */

static void lower_plain(struct lower *l)
{
	const struct insn *i = &l->item->insn;
	const struct isa_row *row = &isa_rows[i->op];
	struct encodings after = l->f;
	encodings_step(l->superblock, &after, l->item);
	const struct reg_encoding *out = i->rd < 64 ? &after.r[i->rd] : NULL;
	switch ((enum isa_class)row->class) {
	case CLASS_LOAD:
		lower_load(l, i, i->rd ? out : NULL); /* to x0: the access itself is done */
		break;
	case CLASS_STORE:
		lower_store(l, i);
		break;
	case CLASS_FPU:
	case CLASS_FDIV:
		if (i->rd != 0)
			lower_fp(l, i, out);
		break;
	case CLASS_SYSTEM:
		lower_csr(l, i, out);
		break;
	case CLASS_JUMP: /* the link */
		if (i->rd != 0)
			put(l, i->rd, out, NULL, NULL);
		break;
	case CLASS_BRANCH: /* both ways are one */
		break;
	default: /* fence has no rd */
		if (i->rd != 0 && i->rd != REG_NONE)
			lower_int(l, i, out);
	}
}

static value compare(struct lower *l, unsigned op, value x, value y)
{
	switch (op) {
	case OP_beq: return ICMP(EQ, x, y);
	case OP_bne: return ICMP(NE, x, y);
	case OP_blt: return ICMP(SLT, x, y);
	case OP_bge: return ICMP(SGE, x, y);
	case OP_bltu: return ICMP(ULT, x, y);
	default: return ICMP(UGE, x, y);
	}
}

/* What the branch's lanes say: i1 when they cannot but agree, else i32. */
static value branch_taken(struct lower *l, bool *uniform)
{
	const struct insn *i = &l->item->insn;
	const struct reg_encoding *x = encoding_of(l, i->rs1), *y = encoding_of(l, i->rs2);
	*uniform = encoding_uniform(x) && encoding_uniform(y);
	if (*uniform)
		return compare(l, i->op, l->r[i->rs1].a, l->r[i->rs2].a);
	bool word = encoding_word(x) && encoding_word(y);
	value m = word ? compare(l, i->op, get_words(l, i->rs1), get_words(l, i->rs2)) :
			 compare(l, i->op, get_fulls(l, i->rs1), get_fulls(l, i->rs2));
	return BITCAST(m, l->i32);
}

/* To one of two blocks; lanes that disagree become a warp split of their own, or leave. */
static void lower_branch(struct lower *l, LLVMBasicBlockRef not_taken, LLVMBasicBlockRef taken)
{
	bool uniform;
	value m = branch_taken(l, &uniform);
	if (uniform) {
		LLVMBuildCondBr(l->b, m, taken, not_taken);
		return;
	}
	LLVMBasicBlockRef some = block_new(l, "some"), off = block_new(l, "diverged");
	LLVMBuildCondBr(l->b, ICMP(EQ, m, num(l->i32, 0)), not_taken, some);
	LLVMPositionBuilderAtEnd(l->b, some);
	LLVMSetMetadata(LLVMBuildCondBr(l->b, ICMP(EQ, m, num(l->i32, ALL_LANES)), taken, off), l->prof, l->unlikely);
	LLVMPositionBuilderAtEnd(l->b, off);
	if (l->block->splits)
		mask_part(l, m);
	else
		leave(l, l->item->pc, SUPERBLOCK_DIVERGED);
}

/* ---- blocks ---- */

struct end {
	struct val r[64];
	struct encodings f;
	value left;
	LLVMBasicBlockRef edges[2]; /* an empty LLVM block for each way out */
};

struct head {
	LLVMBasicBlockRef block;
	value left;
	struct val r[64]; /* phis */
};

/* Whether the block begins with phis: else its one predecessor's values are its own. */
static bool has_phis(const struct superblock *r, uint32_t k)
{
	return k == 0 || r->blocks[k].num_preds > 1;
}

static void head_phis(struct lower *l, uint32_t k, struct head *h)
{
	const struct block *b = &l->superblock->blocks[k];
	LLVMPositionBuilderAtEnd(l->b, h->block);
	h->left = LLVMBuildPhi(l->b, l->i64, "left");
	for (unsigned reg = 1; reg < 64; reg++) {
		const struct reg_encoding *f = &l->superblock->heads[k].r[reg];
		if (!(b->live >> reg & 1) || f->known)
			continue;
		h->r[reg].a = LLVMBuildPhi(l->b, value_type(l, f, reg), "");
		if (encoding_affine(f) && f->stride == STRIDE_ANY)
			h->r[reg].b = LLVMBuildPhi(l->b, l->i64, "");
	}
}

/* The registers at the start of the block. */
static void block_enter(struct lower *l, uint32_t k, const struct head *h, const struct end *from)
{
	const struct block *b = &l->superblock->blocks[k];
	l->block = b;
	l->f = l->superblock->heads[k];
	l->left = h->left;
	l->num_groups = l->num_lanes_groups = 0;
	memset(l->r, 0, sizeof(l->r));
	l->r[0].a = num(l->i64, 0);
	for (unsigned reg = 1; reg < 64; reg++) {
		const struct reg_encoding *f = &l->f.r[reg];
		if (!(b->live >> reg & 1))
			continue;
		if (f->known)
			put(l, reg, f, NULL, NULL);
		else
			l->r[reg] = from ? convert(l, from->r[reg], &from->f.r[reg], f, reg >= REG_F) : h->r[reg];
	}
}

static void block_lower(struct lower *l, struct end *end)
{
	const struct block *b = l->block;
	const struct item *items = l->superblock->items + b->first;
	l->item = &items[0];
	l->done = 0;
	if (b->checkpoint)
		guard(l, ICMP(UGE, l->left, num(l->i64, b->need)), SUPERBLOCK_LIMIT);
	end->left = SUB(l->left, num(l->i64, b->count));
	end->edges[0] = block_new(l, "edge");
	if (b->next[1] != NO_BLOCK)
		end->edges[1] = block_new(l, "edge");
	for (uint32_t n = 0; n < b->num_items; n++) {
		l->item = &items[n];
		l->done = n;
		switch ((enum insn_kind)l->item->kind) {
		case KIND_EXIT:
			leave(l, l->item->pc, SUPERBLOCK_EDGE);
			LLVMPositionBuilderAtEnd(l->b, end->edges[0]);
			LLVMBuildUnreachable(l->b);
			return;
		case KIND_BRANCH:
			lower_branch(l, end->edges[0], end->edges[1]);
			break;
		case KIND_CALL:
		case KIND_RETURN:
			if (l->item->insn.op == OP_jalr) {
				unsigned reg = l->item->insn.rs1;
				value to = encoding_uniform(encoding_of(l, reg)) ? l->r[reg].a : num(l->i64, ~b->target);
				to = AND(ADD(to, num(l->i64, (uint64_t)(int64_t)l->item->insn.imm)), num(l->i64, ~1ull));
				guard(l, ICMP(EQ, to, num(l->i64, b->target)), SUPERBLOCK_EDGE);
			}
			lower_plain(l);
			break;
		default:
			lower_plain(l);
		}
	}
	if (items[b->num_items - 1].kind != KIND_BRANCH)
		LLVMBuildBr(l->b, end->edges[0]);
	memcpy(end->r, l->r, sizeof(end->r));
	end->f = l->f;
}

/* The same for divergent lanes. */
static void divergent_lower(struct lower *l, uint32_t k)
{
	const struct block *b = &l->superblock->blocks[k];
	const struct item *items = l->superblock->items + b->first;
	bool uniform;
	l->block = b;
	l->f = *l->superblock->divergent;
	l->plain = l->superblock->heads[k];
	l->num_groups = l->num_lanes_groups = 0;
	memset(l->r, 0, sizeof(l->r));
	l->r[0].a = num(l->i64, 0);
	l->item = &items[0];
	l->done = 0;
	mask_block(l);
	mask_check(l);
	for (uint32_t n = 0; n < b->num_items; n++) {
		l->item = &items[n];
		l->done = n;
		switch ((enum insn_kind)l->item->kind) {
		case KIND_EXIT:
		case KIND_CALL:
		case KIND_RETURN:
			leave(l, l->item->pc, SUPERBLOCK_EDGE);
			return;
		case KIND_BRANCH: {
			value taken = branch_taken(l, &uniform);
			mask_branch(l, taken, uniform);
			return;
		}
		default:
			lower_plain(l);
			encodings_step(l->superblock, &l->plain, l->item);
		}
	}
	mask_end(l);
}

static void add_incoming(value phi, value v, LLVMBasicBlockRef from) { LLVMAddIncoming(phi, &v, &from, 1); }

/* Values of an edge for the phis at its end. */
static void edge_lower(struct lower *l, const struct end *end, LLVMBasicBlockRef edge, uint32_t to, const struct head *h)
{
	LLVMPositionBuilderAtEnd(l->b, edge);
	if (has_phis(l->superblock, to)) {
		add_incoming(h->left, end->left, edge);
		for (unsigned reg = 1; reg < 64; reg++) {
			const struct reg_encoding *f = &l->superblock->heads[to].r[reg];
			if (!h->r[reg].a)
				continue;
			struct val v = convert(l, end->r[reg], &end->f.r[reg], f, reg >= REG_F);
			add_incoming(h->r[reg].a, v.a, edge);
			if (h->r[reg].b)
				add_incoming(h->r[reg].b, stride_value(l, &v, &end->f.r[reg]), edge);
		}
	}
	LLVMBuildBr(l->b, h->block);
}

/* The warp's registers, as the request says that they are. Returns where that begins. */
static LLVMBasicBlockRef entry_lower(struct lower *l, struct end *end)
{
	const struct superblock *r = l->superblock;
	LLVMBasicBlockRef begin = block_new(l, "begin");
	LLVMPositionBuilderAtEnd(l->b, l->entry);
	l->addresses = LLVMBuildAlloca(l->b, l->w64, "addresses");
	l->values = LLVMBuildAlloca(l->b, l->w64, "values");
	LLVMSetAlignment(l->addresses, 64);
	LLVMSetAlignment(l->values, 64);
	LLVMPositionBuilderAtEnd(l->b, begin);
	l->cu = load_field(l, l->ptr, l->warp, offsetof(struct warp, cu));
	l->space = ZEXT(load_field(l, l->i32, l->warp, offsetof(struct warp, space)), l->i64);
	l->limit = load_field(l, l->i64, l->run, offsetof(struct superblock_run, limit));
	end->left = l->limit;
	uint64_t live = l->masked ? r->brought : r->blocks[0].live;
	l->needs->needs = live;
	l->live = l->masked ? load_field(l, l->i32, l->warp, offsetof(struct warp, live)) : num(l->i32, ALL_LANES);
	for (unsigned reg = 1; reg < 64; reg++) {
		struct reg_encoding *f = &end->f.r[reg];
		size_t v = offsetof(struct warp, v) + reg * sizeof(struct vreg);
		*f = (struct reg_encoding){ .stride = STRIDE_ANY, .nans = NANS_EXACT };
		if (!(live >> reg & 1))
			continue;
		switch (r->request->encoding[reg]) {
		case ENC_WORD:
		case ENC_FULL:
			f->encoding = r->request->encoding[reg] == ENC_WORD ? ENCODING_W : ENCODING_F;
			end->r[reg].a = load_field(l, f->encoding == ENCODING_W ? l->w32 : l->w64, l->warp, v);
			LLVMSetAlignment(end->r[reg].a, 64);
			break;
		default:
			f->encoding = r->request->encoding[reg] == ENC_UNIFORM ? ENCODING_U64 : ENCODING_A64;
			end->r[reg].a = load_field(l, l->i64, l->warp, offsetof(struct warp, base) + reg * 8);
			if (f->encoding == ENCODING_A64)
				end->r[reg].b = load_field(l, l->i64, l->warp, offsetof(struct warp, stride) + reg * 8);
		}
	}
	memcpy(l->r, end->r, sizeof(l->r));
	l->f = end->f;
	l->begin = LLVMGetInsertBlock(l->b);
	return begin;
}

static void types_init(struct lower *l)
{
	LLVMContextRef c = l->context;
	l->i1 = LLVMInt1TypeInContext(c);
	l->i8 = LLVMInt8TypeInContext(c);
	l->i16 = LLVMInt16TypeInContext(c);
	l->i32 = LLVMInt32TypeInContext(c);
	l->i64 = LLVMInt64TypeInContext(c);
	l->f32 = LLVMFloatTypeInContext(c);
	l->f64 = LLVMDoubleTypeInContext(c);
	l->ptr = LLVMPointerTypeInContext(c, 0);
	l->w32 = LLVMVectorType(l->i32, LANES);
	l->w64 = LLVMVectorType(l->i64, LANES);
	l->wf32 = LLVMVectorType(l->f32, LANES);
	l->wf64 = LLVMVectorType(l->f64, LANES);
	l->wptr = LLVMVectorType(l->ptr, LANES);
	l->lanes32 = sequence(l->i32, LANES, 0, 1);
	l->lanes64 = sequence(l->i64, LANES, 0, 1);
	LLVMMetadataRef weights[] = { LLVMMDStringInContext2(c, "branch_weights", 14),
				      LLVMValueAsMetadata(num(l->i32, 100000)), LLVMValueAsMetadata(num(l->i32, 1)) };
	l->unlikely = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, weights, 3));
	l->prof = LLVMGetMDKindIDInContext(c, "prof", 4);
}

static void function_init(struct lower *l)
{
	type params[] = { l->ptr, l->ptr };
	l->function = LLVMAddFunction(l->module, "superblock", LLVMFunctionType(LLVMVoidTypeInContext(l->context), params, 2, false));
	l->warp = LLVMGetParam(l->function, 0);
	l->run = LLVMGetParam(l->function, 1);
	static const struct { const char *name; LLVMAttributeIndex index; } facts[] = {
		{ "nounwind", (LLVMAttributeIndex)LLVMAttributeFunctionIndex }, { "mustprogress", (LLVMAttributeIndex)LLVMAttributeFunctionIndex }, { "noalias", 2 },
	};
	for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(facts[i].name, strlen(facts[i].name));
		LLVMAddAttributeAtIndex(l->function, facts[i].index, LLVMCreateEnumAttribute(l->context, kind, 0));
	}
	l->entry = block_new(l, "entry");
}

/* The code for all lanes. ends: of each block, and of the entry. */
static void blocks_lower(struct lower *l, struct end *ends, struct head *heads)
{
	const struct superblock *r = l->superblock;
	for (uint32_t k = 0; k < r->num_blocks; k++) {
		heads[k].block = block_new(l, "block");
		if (has_phis(r, k))
			head_phis(l, k, &heads[k]);
	}
	for (uint32_t k = 0; k < r->num_blocks; k++) {
		const struct end *from = has_phis(r, k) ? NULL : &ends[r->blocks[k].preds[0]];
		LLVMPositionBuilderAtEnd(l->b, heads[k].block);
		if (from)
			heads[k].left = from->left;
		block_enter(l, k, &heads[k], from);
		block_lower(l, &ends[k]);
	}
	for (uint32_t k = 0; k < r->num_blocks; k++)
		for (unsigned j = 0; j < 2; j++)
			if (r->blocks[k].next[j] != NO_BLOCK)
				edge_lower(l, &ends[k], ends[k].edges[j], r->blocks[k].next[j], &heads[r->blocks[k].next[j]]);
	edge_lower(l, &ends[r->num_blocks], l->begin, 0, &heads[0]);
}

module_ref lower_superblock(const struct superblock *r, context_ref context, struct lowered *out)
{
	struct lower *l = calloc(1, sizeof(*l));
	struct end *ends = calloc(r->num_blocks + 1, sizeof(*ends));
	struct head *heads = calloc(r->num_blocks, sizeof(*heads));
	if (!l || !ends || !heads)
		abort();
	*out = (struct lowered){ 0 };
	l->superblock = r;
	l->context = context;
	l->needs = out;
	l->masked = r->request->flags & SUPERBLOCK_MASKED;
	l->module = LLVMModuleCreateWithNameInContext("superblock", context);
	l->b = LLVMCreateBuilderInContext(context);
	types_init(l);
	function_init(l);
	LLVMPositionBuilderAtEnd(l->b, l->entry);
	if (r->num_divergent)
		mask_variables(l);
	struct end *entry = &ends[r->num_blocks];
	LLVMBasicBlockRef first = entry_lower(l, entry);
	if (l->masked)
		mask_entry(l);
	else
		blocks_lower(l, ends, heads);
	l->masked = true;
	for (uint32_t i = 0; i < r->num_divergent; i++) {
		LLVMPositionBuilderAtEnd(l->b, l->body[i]);
		divergent_lower(l, r->order[i]);
	}
	if (r->num_divergent)
		mask_finish(l);
	LLVMPositionBuilderAtEnd(l->b, l->entry);
	LLVMBuildBr(l->b, first);
	LLVMModuleRef module = l->module;
	LLVMDisposeBuilder(l->b);
	free(l);
	free(ends);
	free(heads);
	return module;
}
