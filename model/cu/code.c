/* Decoded instructions, a page at a time, kept by address space and virtual page; each compute unit has its own.
 *
 * A page is decoded lazily: its uops begin as "undecoded" and become what they are when a warp
 * first reaches them. When the MMU's epoch has changed, a page's translation is looked up again
 * before it is used; its uops stay if the physical page is the same. */
#include "model/profile.h"
#include "model/engine/superblocks.h"
#include <stdlib.h>
#include <string.h>

enum { HASH = 256 };

struct code {
	struct code_page *pages[HASH];
};

struct code *code_create(void)
{
	return calloc(1, sizeof(struct code));
}

void code_flush(struct code *code)
{
	for (unsigned i = 0; i < HASH; i++)
		for (struct code_page *p = code->pages[i], *next; p; p = next) {
			next = p->next;
			superblock_page_free(p);
			free(p);
		}
	memset(code->pages, 0, sizeof(code->pages));
}

void code_destroy(struct code *code)
{
	if (!code)
		return;
	code_flush(code);
	free(code);
}

static struct code_page **page_chain(const struct cu *cu, uint32_t space, uint64_t va)
{
	return &cu->code->pages[(va >> 12 ^ va >> 20 ^ space * 7u) % HASH];
}

static void fetch_fault(struct warp *w, uint64_t pc, enum fault code)
{
	w->why = WHY_FAULT;
	w->fault = (struct lane_fault){ code, ACCESS_EXEC, pc, pc, (unsigned)__builtin_ctz(w->mask) };
}

/* Reads the page's words and marks all as undecoded. */
static enum fault page_fill(struct cu *cu, struct code_page *p, uint64_t pa)
{
	uint32_t words[PAGE_OPS];
	physmem_by(cu->mem, cu->unit, cu->now);
	enum fault f = physmem_read(cu->mem, pa, words, sizeof(words));
	if (f)
		return f;
	for (unsigned i = 0; i < PAGE_OPS; i++)
		p->ops[i] = (struct uop){ .fn = cu->engine->undecoded, .rd = REG_SINK, .flags = UOP_RAW, .word = words[i] };
	p->ops[PAGE_OPS] = (struct uop){ .fn = cu->engine->page_end, .rd = REG_SINK, .cls = CLASS_SYSTEM };
	p->pa = pa;
	p->profile = cu->profile ? profile_code_page(cu, p->space, p->va, words) : NULL;
	p->link = NULL;
	superblock_page_free(p);
	return FAULT_NONE;
}

struct code_page *code_page_find(const struct cu *cu, uint32_t space, uint64_t va)
{
	struct code_page *p = *page_chain(cu, space, va);
	while (p && (p->va != va || p->space != space))
		p = p->next;
	return p && p->epoch == *mmu_epoch(cu->mmu) ? p : NULL;
}

const struct uop *code_at(struct warp *w, uint64_t pc)
{
	struct cu *cu = w->cu;
	uint64_t va = pc & ~(GALENA_PAGE_SIZE - 1), epoch = *mmu_epoch(cu->mmu);
	struct code_page *p = w->code;
	if (pc & 3) {
		fetch_fault(w, pc, FAULT_MISALIGNED);
		return NULL;
	}
	if (p && (p->va != va || p->space != w->space))
		p = p->link && p->link->va == va && p->link->space == w->space ? p->link : NULL;
	if (p && p->epoch == epoch)
		goto found;

	struct code_page **head = page_chain(cu, w->space, va);
	for (p = *head; p && (p->va != va || p->space != w->space);)
		p = p->next;
	if (!p || p->epoch != epoch) {
		const struct tlb_entry *e;
		uint32_t cycles;
		enum fault f = mmu_translate(cu->mmu, cu->unit, w->space, va, ACCESS_EXEC, cu->now, &e, &cycles);
		if (f) {
			fetch_fault(w, pc, f);
			return NULL;
		}
		bool fresh = !p;
		if (fresh) {
			p = malloc(sizeof(*p));
			if (!p)
				abort();
			p->va = va;
			p->space = w->space;
			p->superblocks = NULL;
		}
		if (fresh || p->pa != e->pa) {
			f = page_fill(cu, p, e->pa);
			if (f) {
				if (fresh)
					free(p);
				fetch_fault(w, pc, f);
				return NULL;
			}
		}
		if (fresh) {
			p->next = *head;
			*head = p;
		}
		p->epoch = epoch;
		EVENT_SEND(cu->events, .cycle = cu->now, .kind = EVENT_FETCH, .unit = (uint16_t)cu->unit,
			   .queue = (uint16_t)w->group->slot, .asid = (uint16_t)w->space, .a = va, .b = p->pa,
			   .c = GALENA_PAGE_SIZE);
	}
	if (w->code && w->code != p)
		w->code->link = p;
	w->code = p;
found:
	w->code = p;
	return &p->ops[(pc & (GALENA_PAGE_SIZE - 1)) / 4];
}

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
	switch (i->imm) {
	case 0x001:
	case 0x002:
	case 0x003:
		return e->csr_fp;
	case 0xc00: /* cycle */
	case 0xc02: /* instret */
#define CSR(name, number, per_lane, doc) case number:
#include "abi/csr.def"
#undef CSR
		return writes ? NULL : e->csr_read;
	}
	return NULL;
}

static handler *choose_handler(const struct warp *w, const struct uop *op, const struct insn *i, struct uop *out)
{
	const struct engine *e = w->cu->engine;
	const struct isa_row *row = &isa_rows[i->op];
	int64_t index = op - w->code->ops;
	bool writes_nothing = i->rd == 0;
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

/* See UOP_PURE. Rounding modes that are set at run time may be illegal ones: whoever asks looks at those. */
static bool is_pure(const struct insn *i, unsigned cls)
{
	bool counter = i->imm == 0xc00 || i->imm == 0xc02, fp = i->imm >= 1 && i->imm <= 3;
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
		return isa_rows[i->op].format == FMT_CSR && !counter && !fp;
	default:
		return false;
	}
}

/* Whether the second of two uops in a row, the first one pure, waits for the first one's result. */
static bool is_chained(const struct uop *before, const struct uop *op)
{
	unsigned d = before->rd;
	return before->flags & UOP_PURE && before->latency > 1 && d != REG_SINK &&
	       (op->rs1 == d || op->rs2 == d || op->rs3 == d || op->rd == d);
}

void code_decode(struct warp *w, const struct uop *op)
{
	struct uop *out = (struct uop *)op; /* w->code->ops is not const */
	struct insn i;
	bool known = insn_decode(op->word, &i);
	out->op = i.op;
	out->cls = isa_rows[i.op].class;
	out->rd = i.rd == REG_NONE || i.rd == 0 ? REG_SINK : i.rd;
	out->rs1 = source(i.rs1);
	out->rs2 = source(i.rs2);
	out->rs3 = source(i.rs3);
	out->rm = i.rm;
	out->imm = i.imm;
	out->flags = 0;
	out->latency = w->cu->latency[out->cls];
	handler *fn = known ? choose_handler(w, op, &i, out) : NULL;
	if (fn && EVENT_WANTED(w->cu->events) && out->cls >= CLASS_LOAD && out->cls <= CLASS_ATOMIC)
		fn = observe_access;
	/* what is profiled is looked at in the cycle of its issue */
	out->flags |= fn && !w->cu->profile && is_pure(&i, out->cls) ? UOP_PURE : 0;
	fn = fn ? fn : w->cu->engine->fn[OP_illegal];
	out->fn = w->cu->profile ? profile_wrap(w, op, fn) : fn;
	if (op != w->code->ops && is_chained(op - 1, op))
		out->flags |= UOP_CHAINED;
	if (!(op[1].flags & UOP_RAW) && is_chained(op, op + 1))
		out[1].flags |= UOP_CHAINED;
	if (w->cu->superblocks)
		superblock_decoded(w->cu, w->code, op);
}

void code_visit(struct cu *cu, void (*visit)(const struct cu *, struct code_page *, const struct uop *))
{
	for (unsigned i = 0; i < HASH; i++)
		for (struct code_page *p = cu->code->pages[i]; p; p = p->next)
			for (unsigned k = 0; k < PAGE_OPS; k++)
				if (!(p->ops[k].flags & UOP_RAW))
					visit(cu, p, &p->ops[k]);
}
