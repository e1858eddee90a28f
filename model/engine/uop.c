/* Decoding of instructions to uops: which handler of the engine executes an instruction. */
#include "model/engine/retire.h"
#include "model/cu/cu.h"
#include "model/engine/superblocks.h"
#include "model/profile/profile.h"

static bool is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

static uint8_t source(uint8_t reg)
{
	return reg == REG_NONE ? 0 : reg;
}

/* CSR instructions: those that only read, and fflags, frm, fcsr. */
static handler *csr_handler(const struct engine *e, const struct insn *i, bool writes)
{
	enum csr_kind kind = csr_kind((unsigned)i->imm);
	if (kind == CSR_KIND_FP)
		return e->csr_fp;
	return kind == CSR_KIND_NONE || writes ? NULL : e->csr_read;
}

static handler *choose_handler(const struct warp *w, const struct uop *op, const struct insn *i, struct uop *out)
{
	const struct engine *e = w->cu->engine;
	const struct isa_row *row = &isa_rows[i->op];
	int64_t index = op - w->code->ops;
	bool writes_nothing = i->rd == 0;
	if (w->cu->l1.data && l1_data_fences(op, i->op))
		return l1_data_fence;
	switch ((enum isa_class)row->class) {
	case CLASS_BRANCH:
	case CLASS_JUMP:
		if (is_link(i->rd))
			out->flags |= UOP_CALL;
		if (i->op == OP_jalr) {
			if (i->rd == 0 && is_link(i->rs1))
				out->flags |= UOP_RETURN;
			return e->fn[i->op];
		}
		index += i->imm / 4;
		if (index < 0 || index >= PAGE_OPS || i->imm % 4)
			return e->far_fn[i->op]; /* imm stays in bytes */
		out->imm = i->imm / 4;
		return e->fn[i->op];
	case CLASS_SYSTEM:
		if (row->format == FMT_CSR || row->format == FMT_CSRI) {
			bool writes = i->op == OP_csrrw || i->op == OP_csrrwi || i->rs1 != 0;
			return csr_handler(e, i, writes);
		}
		return e->fn[i->op];
	case CLASS_ALU:
	case CLASS_MUL:
	case CLASS_DIV:
		if (writes_nothing)
			return e->nop;
		if (i->op == OP_addi && i->imm == 0)
			return e->move;
		return e->fn[i->op];
	case CLASS_FPU:
	case CLASS_FDIV:
		if (i->rm != RM_RNE && i->rm != RM_DYN)
			return e->mode_fn[i->rm][i->op] ? e->mode_fn[i->rm][i->op] : e->soft;
		return e->fn[i->op];
	default:
		return e->fn[i->op];
	}
}

/* See UOP_PURE. Rounding modes that are set at run time may be illegal ones: the caller checks those. */
static bool is_pure(const struct insn *i, unsigned cls)
{
	switch ((enum isa_class)cls) {
	case CLASS_ALU:
	case CLASS_MUL:
	case CLASS_DIV:
	case CLASS_FPU:
	case CLASS_FDIV:
		return true;
	case CLASS_SG:
		return i->op == OP_sg_ballot || i->op == OP_sg_shuffle;
	case CLASS_SYSTEM:
		return isa_rows[i->op].format == FMT_CSR && csr_kind((unsigned)i->imm) == CSR_KIND_ID;
	default:
		return false;
	}
}

handler *uop_handler(const struct warp *w, const struct uop *op)
{
	struct uop ignored;
	struct insn i;
	handler *fn = insn_decode(op->word, &i) ? choose_handler(w, op, &i, &ignored) : NULL;
	return fn ? fn : w->cu->engine->fn[OP_illegal];
}

void uop_decode(struct warp *w, const struct uop *op)
{
	const bool retires = retire_wanted(w->cu);
	struct uop *out = (struct uop *)op; /* w->code->ops is not const */
	struct insn i;
	bool known = insn_decode(op->word, &i);
	out->op = i.op;
	out->cls = isa_rows[i.op].class;
	out->rd = i.rd == REG_NONE || i.rd == 0 ? REG_SINK : i.rd;
	out->set = scoreboard_register(out->rd);
	out->rs1 = isa_rows[i.op].format == FMT_CSRI ? 0 : source(i.rs1); /* a number there is no register */
	out->rs2 = source(i.rs2);
	out->rs3 = source(i.rs3);
	out->rm = i.rm;
	out->imm = i.imm;
	out->flags &= UOP_LINE;
	out->latency = scoreboard_latency(w->cu->config, (enum isa_class)out->cls);
	handler *fn = known ? choose_handler(w, op, &i, out) : NULL;
	if (fn && EVENT_WANTED(w->cu->events) && out->cls >= CLASS_LOAD && out->cls <= CLASS_ATOMIC)
		fn = observe_access;
	/* what is exact, profiled, or told of, is executed in the cycle of its issue */
	const bool ahead = !w->cu->exact && !w->cu->profile && !retires;
	out->flags |= fn && ahead && is_pure(&i, out->cls) && fn != l1_data_fence ? UOP_PURE : 0;
	fn = retires ? retire_insn : fn ? fn : w->cu->engine->fn[OP_illegal];
	out->fn = w->cu->profile ? profile_wrap(w, op, fn) : fn;
	if (op != w->code->ops && scoreboard_chained(op - 1, op))
		out->flags |= UOP_CHAINED;
	if (!(op[1].flags & UOP_RAW) && scoreboard_chained(op, op + 1))
		out[1].flags |= UOP_CHAINED;
	if (w->cu->superblocks)
		superblock_decoded(w->cu, w->code, op);
}
