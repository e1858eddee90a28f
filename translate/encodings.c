/* What is known of every register at every place: its encoding, and what of it is constant. The rules are those of
 * exec_*.inc, decided before instead of while the code runs; where the interpreter checks values (does an affine
 * word wrap around?) the code has a guard that leaves the superblock. All encodings of a value are equal, so a encoding may be
 * wider than the interpreter's. */
#include "translate/translate.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct reg_encoding zero_encoding = { .encoding = ENCODING_U32, .known = true };

struct reg_encoding encoding_just(enum encoding f) { return (struct reg_encoding){ .encoding = (uint8_t)f, .stride = f == ENCODING_U32 || f == ENCODING_U64 ? 0 : STRIDE_ANY }; }
static bool fits32(uint64_t v) { return (uint64_t)(int64_t)(int32_t)v == v; }

static struct reg_encoding constant(uint64_t value)
{
	return (struct reg_encoding){ .encoding = fits32(value) ? ENCODING_U32 : ENCODING_U64, .known = true, .value = value };
}

/* An affine value whose stride is 0 is uniform. */
static struct reg_encoding affine(bool word, int64_t stride)
{
	struct reg_encoding f = { .encoding = word ? ENCODING_A32 : ENCODING_A64, .stride = STRIDE_ANY };
	if (stride > INT32_MIN && stride <= INT32_MAX)
		f.stride = (int32_t)stride;
	if (f.stride == 0)
		f.encoding = word ? ENCODING_U32 : ENCODING_U64;
	return f;
}

/* ---- joins ---- */

static enum encoding encoding_join(enum encoding a, enum encoding b)
{
	if (a == b || b == ENCODING_NONE)
		return a;
	if (a == ENCODING_NONE)
		return b;
	bool word = (a == ENCODING_U32 || a == ENCODING_A32 || a == ENCODING_W) && (b == ENCODING_U32 || b == ENCODING_A32 || b == ENCODING_W);
	if (a >= ENCODING_W || b >= ENCODING_W)
		return word ? ENCODING_W : ENCODING_F;
	if (a >= ENCODING_A32 || b >= ENCODING_A32)
		return word ? ENCODING_A32 : ENCODING_A64;
	return word ? ENCODING_U32 : ENCODING_U64;
}

struct reg_encoding encoding_joined(const struct reg_encoding *a, const struct reg_encoding *b)
{
	if (a->encoding == ENCODING_NONE)
		return *b;
	if (b->encoding == ENCODING_NONE)
		return *a;
	struct reg_encoding r = { .encoding = (uint8_t)encoding_join((enum encoding)a->encoding, (enum encoding)b->encoding) };
	r.known = a->known && b->known && a->value == b->value;
	r.value = r.known ? a->value : 0;
	r.is_private = a->is_private || b->is_private;
	r.nans = a->nans > b->nans ? a->nans : b->nans;
	if (encoding_word(a) != encoding_word(b)) /* single and double */
		r.nans = NANS_EXACT;
	r.stride = a->stride == b->stride ? a->stride : STRIDE_ANY;
	return r;
}

bool encoding_same(const struct reg_encoding *a, const struct reg_encoding *b)
{
	return a->encoding == b->encoding && a->known == b->known && a->value == b->value && a->is_private == b->is_private &&
	       a->nans == b->nans && a->stride == b->stride;
}

/* ---- one instruction ---- */

static int64_t stride_of(const struct reg_encoding *f) { return encoding_uniform(f) ? 0 : f->stride; }

/* Sum of x << shift and y, 64 bits wide. */
static struct reg_encoding linear(const struct reg_encoding *x, unsigned shift, const struct reg_encoding *y, bool minus)
{
	if (x->known && y->known)
		return constant((x->value << shift) + (minus ? -y->value : y->value));
	if (encoding_uniform(x) && encoding_uniform(y))
		return encoding_just(ENCODING_U64);
	if (x->encoding > ENCODING_A64 || y->encoding > ENCODING_A64)
		return encoding_just(ENCODING_F);
	if (stride_of(x) == STRIDE_ANY || stride_of(y) == STRIDE_ANY)
		return encoding_just(ENCODING_A64);
	int64_t sx = stride_of(x) * (INT64_C(1) << shift), sy = stride_of(y);
	return affine(false, minus ? sx - sy : sx + sy);
}

/* The same of words; an affine result is guarded. */
static struct reg_encoding linear_word(const struct reg_encoding *x, const struct reg_encoding *y, bool minus)
{
	struct reg_encoding r = linear(x, 0, y, minus);
	if (r.known)
		return constant((uint64_t)(int64_t)(int32_t)r.value);
	switch (r.encoding) {
	case ENCODING_U64:
		return encoding_just(ENCODING_U32);
	case ENCODING_A64:
		return affine(true, r.stride);
	case ENCODING_U32:
		return r;
	default:
		return encoding_just(ENCODING_W);
	}
}

/* Product where at most one operand is affine and the factor is a constant that is small, or (64 bits) any. */
static struct reg_encoding product(const struct reg_encoding *x, const struct reg_encoding *y, bool word)
{
	if (encoding_uniform(x) && encoding_uniform(y))
		return encoding_just(word ? ENCODING_U32 : ENCODING_U64);
	const struct reg_encoding *a = encoding_uniform(y) ? x : y, *u = encoding_uniform(y) ? y : x;
	if (!encoding_affine(a) || !encoding_uniform(u))
		return encoding_just(word ? ENCODING_W : ENCODING_F);
	int64_t c = u->known ? (int64_t)u->value : INT64_MAX;
	if (c > -4096 && c < 4096)
		return a->stride == STRIDE_ANY ? encoding_just(word ? ENCODING_A32 : ENCODING_A64) : affine(word, a->stride * c);
	return encoding_just(word ? ENCODING_W : ENCODING_A64);
}

/* rs1's low word, zero-extended, shifted and added; affine is guarded. */
static struct reg_encoding shift_add_uw(const struct reg_encoding *x, unsigned shift, const struct reg_encoding *y)
{
	if (encoding_uniform(x) && encoding_uniform(y))
		return encoding_just(ENCODING_U64);
	return linear(x, shift > 31 ? 31 : shift, y, false);
}

/* Words in, words out; anything else is 64 bits wide. */
static struct reg_encoding closed(const struct reg_encoding *x, const struct reg_encoding *y)
{
	bool word = encoding_word(x) && encoding_word(y);
	if (encoding_uniform(x) && encoding_uniform(y))
		return encoding_just(word ? ENCODING_U32 : ENCODING_U64);
	return encoding_just(word ? ENCODING_W : ENCODING_F);
}

static struct reg_encoding narrow(bool uniform) { return encoding_just(uniform ? ENCODING_U32 : ENCODING_W); }
static struct reg_encoding wide(bool uniform) { return encoding_just(uniform ? ENCODING_U64 : ENCODING_F); }
static struct reg_encoding exact(struct reg_encoding f)
{
	f.nans = NANS_EXACT;
	return f;
}

static struct reg_encoding rounded(bool uniform, bool single)
{
	struct reg_encoding f = single ? narrow(uniform) : wide(uniform);
	f.nans = NANS_RAW;
	return f;
}

static struct reg_encoding load_encoding(const struct insn *i, const struct reg_encoding *address)
{
	bool uniform = encoding_uniform(address) && !address->is_private;
	return i->op == OP_ld || i->op == OP_fld || i->op == OP_lwu ? wide(uniform) : narrow(uniform);
}

static struct reg_encoding csr_encoding(const struct superblock *r, unsigned csr)
{
	unsigned encoding = csr >= CSR_local_id_x && csr <= CSR_local_id_z ? r->request->id_encoding[csr - CSR_local_id_x] : ENC_UNIFORM;
	if (csr == CSR_lane_id || encoding == ENC_AFFINE)
		return affine(true, 1);
	if (encoding == ENC_UNIFORM)
		return encoding_just(csr == CSR_kernarg ? ENCODING_U64 : ENCODING_U32);
	return encoding_just(ENCODING_W);
}

/* Arithmetic of floating point, whose NaNs are the host's. */
static bool computes(const struct insn *i)
{
	switch (isa_rows[i->op].format) {
	case FMT_FR: case FMT_FR4: return true;
	case FMT_FR1: return i->op != OP_fcvt_s_h && i->op != OP_fcvt_h_s && i->op != OP_fcvt_h_d;
	default: return false;
	}
}

static struct reg_encoding result(const struct superblock *r, const struct encodings *f, const struct item *item)
{
	const struct insn *i = &item->insn;
	const struct reg_encoding *x = i->rs1 < 64 ? &f->r[i->rs1] : &zero_encoding, *y = i->rs2 < 64 ? &f->r[i->rs2] : &zero_encoding;
	const struct reg_encoding *z = i->rs3 < 64 ? &f->r[i->rs3] : &zero_encoding;
	struct reg_encoding imm = constant((uint64_t)(int64_t)i->imm);
	bool uniform = encoding_uniform(x) && encoding_uniform(y) && encoding_uniform(z); /* operands that there are not are */
	bool single = !(isa_rows[i->op].match >> 25 & 3); /* fp */
	switch ((enum isa_op)i->op) {
	case OP_lui: return constant(imm.value);
	case OP_auipc: return constant(item->pc + imm.value);
	case OP_jal: case OP_jalr: return constant(item->pc + 4);
	case OP_addi: return i->imm ? linear(x, 0, &imm, false) : *x;
	case OP_add:
		if (i->rs1 == 0 || i->rs2 == 0)
			return i->rs1 == 0 ? *y : *x;
		return linear(x, 0, y, false);
	case OP_sub: return linear(x, 0, y, true);
	case OP_sh1add: return linear(x, 1, y, false);
	case OP_sh2add: return linear(x, 2, y, false);
	case OP_sh3add: return linear(x, 3, y, false);
	case OP_slli:
		if (i->imm > 30 && !x->known)
			return encoding_affine(x) ? encoding_just(ENCODING_A64) : wide(uniform);
		return linear(x, (unsigned)i->imm, &zero_encoding, false);
	case OP_add_uw: return shift_add_uw(x, 0, y);
	case OP_sh1add_uw: return shift_add_uw(x, 1, y);
	case OP_sh2add_uw: return shift_add_uw(x, 2, y);
	case OP_sh3add_uw: return shift_add_uw(x, 3, y);
	case OP_slli_uw: return shift_add_uw(x, (unsigned)i->imm, &zero_encoding);
	case OP_addw: return linear_word(x, y, false);
	case OP_subw: return linear_word(x, y, true);
	case OP_addiw: return i->imm == 0 && encoding_word(x) ? *x : linear_word(x, &imm, false);
	case OP_slliw:
		if (x->known)
			return constant((uint64_t)(int64_t)(int32_t)((uint32_t)x->value << i->imm));
		imm = constant(1ull << i->imm);
		return product(x, &imm, true);
	case OP_mulw: return product(x, y, true);
	case OP_mul: return product(x, y, false);
	case OP_andi: return i->imm >= 0 ? narrow(uniform) : closed(x, &imm);
	case OP_ori: case OP_xori: return closed(x, &imm);
	case OP_and_: case OP_or_: case OP_xor_: case OP_andn: case OP_orn: case OP_xnor: case OP_min: case OP_max:
	case OP_minu: case OP_maxu:
		return closed(x, y);
	case OP_czero_eqz: case OP_czero_nez: /* the condition may be wide */
		return encoding_word(x) ? narrow(uniform) : wide(uniform);
	case OP_slt: case OP_sltu: case OP_slti: case OP_sltiu: case OP_sllw: case OP_srlw: case OP_sraw: case OP_rolw: case OP_rorw:
	case OP_divw: case OP_divuw: case OP_remw: case OP_remuw: case OP_srliw: case OP_sraiw: case OP_roriw: case OP_clz: case OP_ctz:
	case OP_cpop: case OP_clzw: case OP_ctzw: case OP_cpopw: case OP_sext_b: case OP_sext_h: case OP_zext_h:
		return narrow(uniform);
	case OP_srai: return encoding_word(x) ? narrow(uniform) : wide(uniform);
	case OP_srli: return i->imm > 32 ? narrow(uniform) : wide(uniform);
	case OP_rori: case OP_sll: case OP_srl: case OP_sra: case OP_rol: case OP_ror: case OP_mulh: case OP_mulhsu: case OP_mulhu:
	case OP_div_: case OP_divu: case OP_rem: case OP_remu: case OP_orc_b: case OP_rev8:
		return wide(uniform);
	case OP_fsgnj_s: case OP_fsgnj_d:
		if (i->rs1 == i->rs2 && encoding_word(x) == single) /* fmv */
			return *x;
		return exact(single ? narrow(uniform) : wide(uniform));
	case OP_fsgnjn_s: case OP_fsgnjx_s: case OP_fmin_s: case OP_fmax_s:
	case OP_fcvt_s_w: case OP_fcvt_s_wu: case OP_fcvt_s_l: case OP_fcvt_s_lu: case OP_fcvt_s_h: case OP_fcvt_h_s: case OP_fmv_h_x:
	case OP_feq_s: case OP_flt_s: case OP_fle_s: case OP_feq_d: case OP_flt_d: case OP_fle_d: case OP_fclass_s: case OP_fclass_d:
	case OP_fcvt_w_s: case OP_fcvt_wu_s: case OP_fcvt_w_d: case OP_fcvt_wu_d: case OP_fmv_x_w: case OP_fmv_x_h:
		return narrow(uniform);
	case OP_fsgnjn_d: case OP_fsgnjx_d: case OP_fmin_d: case OP_fmax_d:
	case OP_fcvt_d_w: case OP_fcvt_d_wu: case OP_fcvt_d_l: case OP_fcvt_d_lu:
	case OP_fcvt_l_s: case OP_fcvt_lu_s: case OP_fcvt_l_d: case OP_fcvt_lu_d: case OP_fmv_x_d: case OP_fmv_d_x:
		return wide(uniform);
	case OP_fmv_w_x:
		if (x->known && ((uint32_t)x->value & 0x7fffffff) <= 0x7f800000)
			return (struct reg_encoding){ .encoding = ENCODING_U32, .known = true, .value = (uint32_t)x->value };
		return exact(narrow(uniform));
	case OP_csrrw: case OP_csrrs: case OP_csrrc: case OP_csrrwi: case OP_csrrsi: case OP_csrrci:
		return csr_encoding(r, (unsigned)i->imm);
	default:
		if (computes(i))
			return rounded(uniform, single);
		if (isa_rows[i->op].class == CLASS_LOAD)
			return load_encoding(i, x);
		return encoding_just(ENCODING_F);
	}
}

/* A pointer into private memory stays one when something is added to it or subtracted from it. */
static bool keeps_private(const struct encodings *f, const struct insn *i)
{
	switch ((enum isa_op)i->op) {
	case OP_addi: case OP_sub: case OP_andi:
		return i->rs1 < 32 && f->r[i->rs1].is_private;
	case OP_add: case OP_sh1add: case OP_sh2add: case OP_sh3add: case OP_or_: case OP_ori: case OP_and_: case OP_czero_eqz:
	case OP_czero_nez: case OP_min: case OP_max: case OP_minu: case OP_maxu: case OP_add_uw: case OP_sh1add_uw:
	case OP_sh2add_uw: case OP_sh3add_uw:
		return (i->rs1 < 32 && f->r[i->rs1].is_private) || (i->rs2 < 32 && f->r[i->rs2].is_private);
	default:
		return false;
	}
}

/* Copies, and what comes from integers: result() has said what is known of the NaNs, as of arithmetic. */
static bool keeps_nans(const struct insn *i)
{
	switch ((enum isa_op)i->op) {
	case OP_fmin_s: case OP_fmax_s: case OP_fmin_d: case OP_fmax_d: case OP_fcvt_s_h:
	case OP_fcvt_s_w: case OP_fcvt_s_wu: case OP_fcvt_s_l: case OP_fcvt_s_lu:
	case OP_fcvt_d_w: case OP_fcvt_d_wu: case OP_fcvt_d_l: case OP_fcvt_d_lu:
	case OP_fsgnj_s: case OP_fsgnj_d: case OP_fmv_w_x:
		return true;
	default:
		return computes(i);
	}
}

void encodings_step(const struct superblock *r, struct encodings *f, const struct item *item)
{
	int rd = insn_writes(&item->insn);
	if (rd < 0)
		return;
	struct reg_encoding out = result(r, f, item);
	if (rd >= 32 && !keeps_nans(&item->insn))
		out.nans = NANS_EXACT;
	out.is_private = out.is_private || keeps_private(f, &item->insn);
	f->r[rd] = out;
}

/* ---- the whole superblock ---- */

void encodings_at_entry(const struct superblock *r, struct encodings *f)
{
	static const uint8_t x[] = { [ENC_UNIFORM] = ENCODING_U64, [ENC_AFFINE] = ENCODING_A64, [ENC_WORD] = ENCODING_W, [ENC_FULL] = ENCODING_F };
	for (unsigned i = 0; i < 64; i++) {
		f->r[i] = exact(encoding_just((enum encoding)x[r->request->encoding[i]]));
		f->r[i].is_private = r->request->in_private >> i & 1;
	}
	f->r[0] = zero_encoding;
	f->r[2].is_private = true; /* the stack pointer */
}

static void propagate(struct superblock *r)
{
	bool changed = true;
	encodings_at_entry(r, &r->heads[0]);
	while (changed) {
		changed = false;
		for (uint32_t k = 0; k < r->num_blocks; k++) {
			const struct block *b = &r->blocks[k];
			struct encodings f = r->heads[k];
			for (uint32_t i = 0; i < b->count; i++)
				encodings_step(r, &f, &r->items[b->first + i]);
			for (unsigned j = 0; j < 2; j++) {
				if (b->next[j] == NO_BLOCK)
					continue;
				struct encodings *to = &r->heads[b->next[j]];
				for (unsigned reg = 1; reg < 64; reg++) {
					struct reg_encoding joined = encoding_joined(&to->r[reg], &f.r[reg]);
					if (encoding_same(&joined, &to->r[reg]))
						continue;
					to->r[reg] = joined;
					changed = true;
				}
				to->r[0] = zero_encoding;
			}
		}
	}
}

/* Which instructions may leave the superblock: accesses, guards, branches that lanes may take differently. */
static bool may_leave(const struct encodings *f, const struct item *item)
{
	const struct insn *i = &item->insn;
	switch ((enum isa_class)isa_rows[i->op].class) {
	case CLASS_LOAD:
	case CLASS_STORE:
		return true;
	case CLASS_BRANCH:
		return item->kind == KIND_BRANCH && !(encoding_uniform(&f->r[i->rs1]) && encoding_uniform(&f->r[i->rs2]));
	case CLASS_JUMP:
		return i->op == OP_jalr;
	default:
		break;
	}
	switch ((enum isa_op)i->op) { /* those whose affine results are guarded */
	case OP_addiw:
		return i->imm ? encoding_affine(&f->r[i->rs1]) : f->r[i->rs1].encoding == ENCODING_A64;
	case OP_addw: case OP_subw: case OP_slliw: case OP_mulw: case OP_add_uw: case OP_sh1add_uw:
	case OP_sh2add_uw: case OP_sh3add_uw: case OP_slli_uw:
		return encoding_affine(&f->r[i->rs1]) || (i->rs2 < 64 && encoding_affine(&f->r[i->rs2]));
	default:
		return item->kind == KIND_EXIT;
	}
}

/* Registers that may be read from each item on; what is outside of the superblock may read all. */
static bool liveness(struct superblock *r, const struct continuation *continuation, uint64_t *live, bool exits)
{
	bool changed = false;
	for (uint32_t k = r->num_blocks; k-- > 0;) {
		struct block *b = &r->blocks[k];
		uint64_t m = 0;
		for (unsigned j = 0; j < 2; j++)
			if (b->next[j] != NO_BLOCK)
				m |= exits ? r->blocks[b->next[j]].live : live[r->blocks[b->next[j]].first];
		for (uint32_t n = b->num_items; n-- > 0;) {
			struct item *item = &r->items[b->first + n];
			if (item->kind == KIND_EXIT) {
				m = exits ? item->stored : continuation_live(continuation, item->pc);
			} else {
				int rd = insn_writes(&item->insn);
				if (rd >= 0)
					m &= ~(1ull << rd);
				m |= insn_reads(&item->insn);
				if (exits && item->kind == KIND_BRANCH && b->splits)
					m |= r->brought & ~item->dead;
				if (exits && item->leaves)
					m |= item->stored;
			}
			if (!exits) {
				changed |= live[b->first + n] != m;
				live[b->first + n] = m;
			}
		}
		if (exits) {
			if (b->checkpoint)
				m |= r->items[b->first].stored;
			changed |= b->live != m;
			b->live = m;
		}
	}
	return changed;
}

/* Registers that may have been written between the entry and each item. */
static bool dirt(struct superblock *r)
{
	bool changed = false;
	for (uint32_t k = 0; k < r->num_blocks; k++) {
		struct block *b = &r->blocks[k];
		uint64_t m = b->dirty, written = 0;
		for (uint32_t n = 0; n < b->num_items; n++) {
			struct item *item = &r->items[b->first + n];
			item->dirty = m;
			item->written = written;
			int rd = item->kind == KIND_EXIT ? -1 : insn_writes(&item->insn);
			if (rd >= 0) {
				m |= 1ull << rd;
				written |= 1ull << rd;
			}
		}
		for (unsigned j = 0; j < 2; j++) {
			if (b->next[j] == NO_BLOCK)
				continue;
			struct block *to = &r->blocks[b->next[j]];
			changed |= (m & ~to->dirty) != 0;
			to->dirty |= m;
		}
	}
	return changed;
}

bool encodings_solve(struct superblock *r)
{
	uint64_t *live = calloc(r->num_items, sizeof(*live));
	r->heads = calloc(r->num_blocks, sizeof(*r->heads));
	if (!live || !r->heads) {
		free(live);
		return false;
	}
	struct continuation *continuation = continuation_build(r);
	while (liveness(r, continuation, live, false))
		;
	continuation_free(continuation);
	propagate(r);
	while (dirt(r))
		;
	for (uint32_t k = 0; k < r->num_blocks; k++) {
		const struct block *b = &r->blocks[k];
		struct encodings f = r->heads[k];
		for (uint32_t n = 0; n < b->num_items; n++) {
			struct item *item = &r->items[b->first + n];
			item->leaves = item->kind == KIND_EXIT || may_leave(&f, item);
			item->dead = ~live[b->first + n] & ~1ull;
			item->stored = item->dirty & live[b->first + n];
			if (item->kind != KIND_EXIT)
				encodings_step(r, &f, item);
		}
	}
	free(live);
	bool ok = divergent_solve(r);
	while (ok && liveness(r, NULL, NULL, true))
		;
	return ok;
}

void encodings_dump(const struct superblock *r)
{
	static const char *const names[] = { "none", "u32", "u64", "a32", "a64", "w", "f" };
	for (uint32_t k = 0; k < r->num_blocks; k++) {
		printf("block %u at %" PRIx64 ":", k, r->items[r->blocks[k].first].pc);
		for (unsigned i = 1; i < 64; i++) {
			const struct reg_encoding *f = &r->heads[k].r[i];
			if (!(r->blocks[k].live >> i & 1))
				continue;
			printf(" %c%u=%s", i < 32 ? 'x' : 'f', i & 31, names[f->encoding]);
			if (f->known)
				printf("(0x%" PRIx64 ")", f->value);
			if (encoding_affine(f) && f->stride != STRIDE_ANY)
				printf("(%+d)", f->stride);
			printf("%s%s%s", f->is_private ? "p" : "", i >= 32 && f->nans == NANS_RAW ? "r" : "", r->blocks[k].dirty >> i & 1 ? "*" : "");
		}
		printf("\n");
	}
}
