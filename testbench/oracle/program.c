#include "testbench/oracle/program.h"
#include "abi/address_map.h"
#include "abi/codes.h"

const char *const oracle_class_names[ORACLE_CLASSES] = {
	[ORACLE_ALU] = "alu", [ORACLE_MUL] = "mul", [ORACLE_DIV] = "div", [ORACLE_FP32] = "fp32", [ORACLE_FP64] = "fp64",
	[ORACLE_FDIV] = "fdiv", [ORACLE_CONVERT] = "convert", [ORACLE_COMPARE] = "compare", [ORACLE_LOAD] = "load",
	[ORACLE_STORE] = "store", [ORACLE_ATOMIC] = "atomic", [ORACLE_BRANCH] = "branch", [ORACLE_JUMP] = "jump",
	[ORACLE_CSR] = "csr",
};

/* Registers with a meaning of their own; x10 to x17 and f0 to f9 are operands. */
enum { LINK = 1, LINK2 = 5, GLOBAL_AREA = 6, RESULT = 20, LOCAL_INDEX = 21, SECOND = 22, RETURN = 23, AREA = 24, POINTER = 25,
	PRESET = 26, MASK = 27, ITEM = 28, SCRATCH = 29, COLUMNS = 30, TABLE = 31, OPERANDS = 10, FRESULT = REG_F + 20,
	FPRESET = REG_F + 26 };
enum { LANES = 32 };

static void put(struct program *p, uint32_t word) { p->words[p->count++] = word; }

static void emit_insn(struct program *p, struct insn i) { put(p, insn_encode(&i)); }

static void emit(struct program *p, unsigned op, unsigned rd, unsigned rs1, unsigned rs2, int imm)
{
	emit_insn(p, (struct insn){ .op = (uint8_t)op, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1, .rs2 = (uint8_t)rs2, .imm = imm });
}

/* SCRATCH = base + offset less its low part, which is returned */
static int emit_address(struct program *p, unsigned base, uint32_t offset)
{
	int low = (int)(offset << 20) >> 20;
	emit(p, OP_lui, SCRATCH, 0, 0, (int)(offset - (uint32_t)low));
	emit(p, OP_add, SCRATCH, SCRATCH, base, 0);
	return low;
}

static void emit_column(struct program *p, unsigned op, unsigned reg, unsigned column, bool uniform)
{
	int low = emit_address(p, uniform ? TABLE : COLUMNS, column * COLUMN);
	emit(p, op, reg, SCRATCH, 0, low);
}

/* An operand register in one of the forms that the engines know. */
static void emit_operand(struct program *p, struct values *r, unsigned reg, unsigned column)
{
	bool f = reg >= REG_F;
	switch (values_below(r, 8)) {
	case 0:
		emit_column(p, f ? OP_fld : OP_ld, reg, column, true);
		break;
	case 1: /* affine: of the first item, and so much more each lane */
		if (f)
			goto word;
		emit_column(p, OP_ld, reg, column, true);
		emit(p, OP_ld, SECOND, SCRATCH, 0, (int)(column * COLUMN << 20) >> 20);
		emit(p, OP_srai, SECOND, SECOND, 0, (int)values_below(r, 64));
		emit(p, OP_mul, SECOND, SECOND, ITEM, 0);
		emit(p, OP_add, reg, reg, SECOND, 0);
		break;
	case 2:
	case 3:
	case 4:
	word:
		emit_column(p, f ? OP_flw : values_below(r, 4) ? OP_lw : OP_lwu, reg, column, false);
		break;
	default:
		emit_column(p, f ? OP_fld : OP_ld, reg, column, false);
	}
}

static void store_result(struct program *p, struct test_case *c, unsigned reg)
{
	int low = emit_address(p, COLUMNS, (COL_OUT + p->num_outs++) * COLUMN);
	emit(p, reg >= REG_F ? OP_fsd : OP_sd, 0, SCRATCH, reg, low);
	c->outs++;
}

/* ---- which instructions belong to a class ---- */

static bool double_wide(unsigned op) { return isa_rows[op].match >> 25 & 1; }

static bool belongs(enum oracle_class class, unsigned op)
{
	const struct isa_row *row = &isa_rows[op];
	bool fused = row->format == FMT_FR4, three = row->format == FMT_FR;
	switch (class) {
	case ORACLE_ALU: /* without custom-0: what those do is between lanes */
		return row->class == CLASS_ALU && op != OP_fence && (row->match & 0x7f) != 0x0b;
	case ORACLE_MUL: return row->class == CLASS_MUL;
	case ORACLE_DIV: return row->class == CLASS_DIV;
	case ORACLE_FP32: return row->class == CLASS_FPU && (fused || three) && !double_wide(op);
	case ORACLE_FP64: return row->class == CLASS_FPU && (fused || three) && double_wide(op);
	case ORACLE_FDIV: return row->class == CLASS_FDIV;
	case ORACLE_CONVERT: return row->class == CLASS_FPU && (row->format == FMT_FX || row->format == FMT_XF || row->format == FMT_FR1);
	case ORACLE_COMPARE: return row->class == CLASS_FPU && (row->format == FMT_FR2 || row->format == FMT_FC ||
								row->format == FMT_FXN || row->format == FMT_XFN);
	case ORACLE_LOAD: return row->class == CLASS_LOAD;
	case ORACLE_STORE: return row->class == CLASS_STORE;
	case ORACLE_ATOMIC: return row->class == CLASS_ATOMIC && row->format == FMT_AMO && op != OP_sc_w && op != OP_sc_d;
	case ORACLE_BRANCH: return row->class == CLASS_BRANCH;
	default: return false;
	}
}

static unsigned pick(enum oracle_class class, struct values *r)
{
	static uint16_t members[ORACLE_CLASSES][OP_COUNT];
	static unsigned counts[ORACLE_CLASSES];
	if (!counts[class])
		for (unsigned op = 1; op < OP_COUNT; op++)
			if (belongs(class, op))
				members[class][counts[class]++] = (uint16_t)op;
	return members[class][values_below(r, counts[class])];
}

/* qemu 7.2: no Zicond; ctzw counts beyond the word when it is 0. */
static bool qemu_knows(unsigned op) { return op != OP_czero_eqz && op != OP_czero_nez && op != OP_ctzw; }

/* ---- cases ---- */

static unsigned random_x(struct values *r) { return values_below(r, 12) ? OPERANDS + (unsigned)values_below(r, NUM_X) : 0; }
static unsigned random_f(struct values *r) { return REG_F + (unsigned)values_below(r, NUM_F); }

static void move(struct program *p, unsigned rd, unsigned rs)
{
	if (rd >= REG_F)
		emit(p, OP_fsgnj_d, rd, rs, rs, 0);
	else
		emit(p, OP_addi, rd, rs, 0, 0);
}

/* An operation from registers to a register: alone, in place, or in some lanes only. */
static void make_operation(struct program *p, struct test_case *c, struct values *r)
{
	unsigned op = pick(p->class, r);
	struct insn i;
	insn_decode(isa_rows[op].match, &i);
	bool fd = i.rd >= REG_F, fa = i.rs1 >= REG_F && i.rs1 < REG_NONE;
	i.rs1 = (uint8_t)(fa ? random_f(r) : random_x(r));
	if (i.rs2 != REG_NONE)
		i.rs2 = (uint8_t)(i.rs2 >= REG_F ? random_f(r) : random_x(r));
	if (i.rs3 != REG_NONE)
		i.rs3 = (uint8_t)random_f(r);
	i.rm = (uint8_t)(values_below(r, 3) ? RM_DYN : values_below(r, 5));
	i.imm = (int32_t)values_below(r, 4096) - 2048;
	if (isa_rows[op].format == FMT_SH6)
		i.imm &= 63;
	if (isa_rows[op].format == FMT_SH5)
		i.imm &= 31;
	if (isa_rows[op].format == FMT_U)
		i.imm = (int32_t)(values_next(r) & 0xfffff000);
	i.rd = fd ? FRESULT : RESULT;
	c->qemu = qemu_knows(op);
	uint64_t shape = values_below(r, 4);
	if (shape & 1)
		move(p, i.rd, fd ? FPRESET : PRESET);
	if (values_below(r, 4) == 0 && fa == fd && i.rs1 != REG_NONE) { /* the destination is the source */
		move(p, i.rd, i.rs1);
		i.rs1 = i.rd;
	}
	if (shape == 3)
		emit(p, OP_beq, REG_NONE, MASK, 0, 8);
	c->first = (uint16_t)p->count;
	c->count = 1;
	emit_insn(p, i);
	store_result(p, c, i.rd);
}

static void make_load(struct program *p, struct test_case *c, struct values *r)
{
	unsigned op = pick(ORACLE_LOAD, r);
	struct insn i;
	insn_decode(isa_rows[op].match, &i);
	unsigned rd = i.rd >= REG_F ? FRESULT : RESULT, base = values_below(r, 3) ? AREA : POINTER;
	move(p, rd, rd >= REG_F ? FPRESET : PRESET);
	if (values_below(r, 4) == 0)
		emit(p, OP_beq, REG_NONE, MASK, 0, 8);
	c->first = (uint16_t)p->count;
	c->count = 1;
	/* AREA has 0 to 15 bytes more than its 64; POINTER points anywhere, 64 bytes from the ends */
	emit(p, op, rd, base, 0, base == AREA ? (int)values_below(r, 105) - 64 : (int)values_below(r, 57) - 64);
	store_result(p, c, rd);
}

static void make_store(struct program *p, struct test_case *c, struct values *r)
{
	unsigned op = pick(ORACLE_STORE, r);
	struct insn i;
	insn_decode(isa_rows[op].match, &i);
	unsigned source = i.rs2 >= REG_F ? random_f(r) : random_x(r);
	int imm = (int)values_below(r, 105) - 64;
	if (values_below(r, 4) == 0)
		emit(p, OP_beq, REG_NONE, MASK, 0, 8);
	c->first = (uint16_t)p->count;
	c->count = 1;
	emit(p, op, 0, AREA, source, imm);
	emit(p, OP_ld, RESULT, AREA, 0, imm);
	store_result(p, c, RESULT);
}

/* AREA points at 64 bytes of the area exactly: SCRATCH = an aligned address in it */
static int atomic_address(struct program *p, struct values *r, unsigned rd, unsigned size)
{
	int offset = (int)(values_below(r, 120 / size) * size) - 64;
	emit(p, OP_addi, rd, AREA, 0, offset);
	return offset & ~7;
}

static void make_reserved(struct program *p, struct test_case *c, struct values *r)
{
	bool wide = values_below(r, 2);
	unsigned size = wide ? 8 : 4, lr = wide ? OP_lr_d : OP_lr_w, sc = wide ? OP_sc_d : OP_sc_w;
	int at = atomic_address(p, r, SECOND, size);
	move(p, RESULT, PRESET);
	c->first = (uint16_t)p->count;
	uint64_t kind = values_below(r, 6);
	if (kind)
		emit(p, lr, RESULT, SECOND, 0, 0);
	else /* a reservation that an earlier sc has used up */
		emit(p, sc, RESULT, SECOND, random_x(r), 0);
	if (kind == 1)
		emit(p, OP_beq, REG_NONE, MASK, 0, 8);
	emit(p, sc, PRESET, SECOND, random_x(r), 0);
	if (kind == 2) /* twice */
		emit(p, sc, PRESET, SECOND, random_x(r), 0);
	c->count = (uint16_t)(p->count - c->first);
	store_result(p, c, RESULT);
	store_result(p, c, PRESET);
	emit(p, OP_ld, RESULT, AREA, 0, at);
	store_result(p, c, RESULT);
	emit(p, sc, 0, SECOND, 0, 0); /* no reservation stays; fails, or stores a 0 */
}

/* All items at one word: what they read depends on their order, what is left does not. */
static void make_shared(struct program *p, struct test_case *c, struct values *r)
{
	unsigned op;
	do
		op = pick(ORACLE_ATOMIC, r);
	while (op == OP_amoswap_w || op == OP_amoswap_d || op == OP_amocas_w || op == OP_amocas_d);
	unsigned size = isa_rows[op].match >> 12 & 1 ? 8 : 4;
	uint32_t word = (uint32_t)p->num_cases % SHARED_WORDS;
	int low = emit_address(p, TABLE, COL_SHARED * COLUMN + word * 8 + (size == 4 && values_below(r, 2) ? 4 : 0));
	emit(p, OP_addi, SCRATCH, SCRATCH, 0, low);
	c->first = (uint16_t)p->count;
	c->count = 1;
	emit(p, op, values_below(r, 2) ? 0 : RESULT, SCRATCH, OPERANDS + (unsigned)values_below(r, NUM_X), 0);
}

static void make_atomic(struct program *p, struct test_case *c, struct values *r)
{
	uint64_t kind = values_below(r, 6);
	if (kind == 0) {
		make_reserved(p, c, r);
		return;
	}
	if (kind == 1) {
		make_shared(p, c, r);
		return;
	}
	unsigned op;
	bool cas;
	do {
		op = pick(ORACLE_ATOMIC, r);
		cas = op == OP_amocas_w || op == OP_amocas_d;
	} while (cas && p->qemu);
	unsigned size = isa_rows[op].match >> 12 & 1 ? 8 : 4;
	int at = atomic_address(p, r, SECOND, size);
	if (cas && values_below(r, 2)) { /* what stands there, so that it swaps in some lanes */
		emit(p, size == 8 ? OP_ld : values_below(r, 2) ? OP_lw : OP_lwu, RESULT, SECOND, 0, 0);
		emit(p, OP_beq, REG_NONE, MASK, 0, 8);
		emit(p, OP_xori, RESULT, RESULT, 0, 1 << values_below(r, 10));
	} else {
		move(p, RESULT, PRESET);
	}
	if (values_below(r, 4) == 0)
		emit(p, OP_beq, REG_NONE, MASK, 0, 8);
	c->first = (uint16_t)p->count;
	c->count = 1;
	emit(p, op, RESULT, SECOND, random_x(r), 0);
	store_result(p, c, RESULT);
	emit(p, OP_ld, RESULT, AREA, 0, at);
	store_result(p, c, RESULT);
}

static void make_branch(struct program *p, struct test_case *c, struct values *r)
{
	unsigned op = pick(ORACLE_BRANCH, r), a = random_x(r), b = random_x(r), far = 1 + (unsigned)values_below(r, 5);
	emit(p, OP_addi, RESULT, 0, 0, 1);
	c->first = (uint16_t)p->count;
	if (values_below(r, 2)) {
		emit(p, op, REG_NONE, a, b, (int)(far + 1) * 4);
		for (unsigned i = 0; i < far; i++)
			emit(p, OP_addi, RESULT, RESULT, 0, 2 << i);
	} else { /* backwards: over `far` additions, out again by a jump */
		emit(p, OP_jal, 0, 0, 0, (int)(far + 2) * 4);
		for (unsigned i = 0; i < far; i++)
			emit(p, OP_addi, RESULT, RESULT, 0, 2 << i);
		emit(p, OP_jal, 0, 0, 0, 8);
		emit(p, op, REG_NONE, a, b, -(int)(far + 1) * 4);
	}
	c->count = (uint16_t)(p->count - c->first);
	store_result(p, c, RESULT);
}

static void make_jump(struct program *p, struct test_case *c, struct values *r)
{
	unsigned rd = (const uint8_t[]){ 0, RESULT, SECOND }[values_below(r, 3)];
	unsigned link = values_below(r, 2) ? LINK : LINK2;
	emit(p, OP_addi, RESULT, 0, 0, 1);
	emit(p, OP_addi, SECOND, 0, 0, 2);
	c->first = (uint16_t)p->count;
	switch (values_below(r, 5)) {
	case 0: /* over an instruction */
		emit(p, OP_jal, rd, 0, 0, 8);
		emit(p, OP_addi, RESULT, RESULT, 0, 64);
		break;
	case 1: /* to one of two places, lane by lane; the lowest bit of the sum is dropped */
		emit(p, OP_slli, SCRATCH, MASK, 0, 3);
		emit(p, OP_auipc, SECOND, 0, 0, 0);
		emit(p, OP_add, SECOND, SECOND, SCRATCH, 0);
		emit(p, OP_jalr, rd, SECOND, 0, 12 + (int)values_below(r, 2));
		emit(p, OP_addi, RESULT, RESULT, 0, 256);
		emit(p, OP_xori, RESULT, RESULT, 0, 512);
		emit(p, OP_addi, RESULT, RESULT, 0, 1024);
		break;
	case 2: /* a call and its return */
		emit(p, OP_jal, link, 0, 0, 8);
		emit(p, OP_jal, 0, 0, 0, 12);
		emit(p, OP_addi, RESULT, link, 0, 3);
		emit(p, OP_jalr, 0, link, 0, 0);
		break;
	case 3: /* the same through a register, in some lanes */
		emit(p, OP_auipc, SECOND, 0, 0, 0);
		emit(p, OP_beq, REG_NONE, MASK, 0, 20);
		emit(p, OP_jalr, link, SECOND, 0, 16);
		emit(p, OP_jal, 0, 0, 0, 12);
		emit(p, OP_addi, RESULT, link, 0, 5);
		emit(p, OP_jalr, 0, link, 0, 0);
		break;
	default: /* a call in a call, the link registers in turn */
		emit(p, OP_jal, LINK, 0, 0, 8);
		emit(p, OP_jal, 0, 0, 0, 24);
		emit(p, OP_jal, LINK2, 0, 0, 12);
		emit(p, OP_addi, RESULT, RESULT, 0, 9);
		emit(p, OP_jalr, 0, LINK, 0, 0);
		emit(p, OP_xori, RESULT, RESULT, 0, 77);
		emit(p, OP_jalr, 0, LINK2, 0, 0);
		emit(p, OP_addi, RESULT, RESULT, 0, 11);
		break;
	}
	c->count = (uint16_t)(p->count - c->first);
	store_result(p, c, RESULT);
	store_result(p, c, SECOND);
}

static void make_csr(struct program *p, struct test_case *c, struct values *r)
{
	static const uint16_t readable[] = { CSR_local_id_x, CSR_local_id_y, CSR_local_id_z, CSR_group_id_x, CSR_group_id_y,
					     CSR_group_id_z, CSR_local_size_x, CSR_local_size_y, CSR_local_size_z, CSR_lane_id,
					     CSR_subgroup_id, CSR_subgroup_live, CSR_num_subgroups };
	static const uint8_t ops[] = { OP_csrrw, OP_csrrs, OP_csrrc, OP_csrrwi, OP_csrrsi, OP_csrrci };
	unsigned op = ops[values_below(r, 6)];
	bool immediate = isa_rows[op].format == FMT_CSRI;
	uint64_t kind = values_below(r, p->qemu ? 2 : 4);
	move(p, RESULT, PRESET);
	if (kind == 3) {
		c->first = (uint16_t)p->count;
		emit(p, OP_csrrs, RESULT, 0, 0, readable[values_below(r, sizeof(readable) / sizeof(*readable))]);
	} else {
		int number = kind == 2 ? (values_below(r, 2) ? 1 : 3) : 2;
		if (values_below(r, 4) == 0)
			emit(p, OP_beq, REG_NONE, MASK, 0, 8);
		c->first = (uint16_t)p->count;
		emit(p, op, RESULT, immediate ? (unsigned)values_below(r, 32) : random_x(r), 0, number);
		store_result(p, c, RESULT);
		emit(p, OP_csrrs, RESULT, 0, 0, number); /* what it left */
		store_result(p, c, RESULT);
		emit(p, OP_csrrs, RESULT, 0, 0, 2);
		emit(p, OP_andi, RESULT, RESULT, 0, 3); /* one of the modes that exist */
		emit(p, OP_csrrw, 0, RESULT, 0, 2);
		emit_insn(p, (struct insn){ .op = OP_fadd_s, .rd = FRESULT, .rs1 = REG_F, .rs2 = REG_F + 1, .rm = RM_DYN });
		store_result(p, c, FRESULT);
		c->count = 1;
		return;
	}
	c->count = 1;
	store_result(p, c, RESULT);
}

/* ---- the whole ---- */

/* Where the areas are: in global memory, or copied to local or private memory. */
static void emit_area(struct program *p, struct values *r)
{
	uint64_t where = p->class == ORACLE_ATOMIC ? values_below(r, 2) : values_below(r, 3);
	/* private memory has no bytes besides the area; x2 is its end */
	uint64_t base = where == 0 ? AREAS_VA : where == 1 ? VA_LOCAL_BASE : VA_PRIVATE_BASE;
	unsigned index = where == 0 ? ITEM : LOCAL_INDEX;
	for (int shift = 44; shift >= 0; shift -= 11) { /* base, 11 bits at a time */
		if (shift == 44)
			emit(p, OP_addi, AREA, 0, 0, (int)(base >> 44));
		else
			emit(p, OP_ori, AREA, AREA, 0, (int)(base >> shift & 0x7ff));
		if (shift)
			emit(p, OP_slli, AREA, AREA, 0, 11);
	}
	if (where < 2) {
		emit(p, OP_slli, SECOND, index, 0, 7);
		emit(p, OP_add, AREA, AREA, SECOND, 0);
	}
	_Static_assert(AREA_BYTES == 1 << 7, "shift");
	emit_address(p, TABLE, COL_AREAS * COLUMN);
	emit(p, OP_slli, SECOND, ITEM, 0, 7);
	emit(p, OP_add, GLOBAL_AREA, SCRATCH, SECOND, 0);
	for (int i = 0; where && i < AREA_BYTES; i += 8) {
		emit(p, OP_ld, RESULT, GLOBAL_AREA, 0, i);
		emit(p, OP_sd, 0, AREA, RESULT, i);
	}
	emit(p, OP_addi, AREA, AREA, 0, 64);
	if (p->class == ORACLE_ATOMIC)
		return;
	if (values_below(r, 2)) /* the same misalignment for all, or each lane its own */
		emit(p, OP_addi, AREA, AREA, 0, (int)values_below(r, 16));
	else if (values_below(r, 2)) {
		emit_column(p, OP_ld, SECOND, COL_PRESET, false);
		emit(p, OP_andi, SECOND, SECOND, 0, 15);
		emit(p, OP_add, AREA, AREA, SECOND, 0);
	}
	emit_column(p, OP_ld, POINTER, COL_POINTER, false);
}

_Static_assert(COL_AREAS * COLUMN % 4096 == 0, "areas begin where lui can say");

static void copy_area_back(struct program *p)
{
	/* AREA may have moved since: but private and local areas begin at a multiple of their size */
	emit(p, OP_andi, AREA, AREA, 0, -AREA_BYTES);
	for (int i = 0; i < AREA_BYTES; i += 8) {
		emit(p, OP_ld, RESULT, AREA, 0, i);
		emit(p, OP_sd, 0, GLOBAL_AREA, RESULT, i);
	}
}

void program_make(struct program *p, enum oracle_class class, struct values *r)
{
	bool memory = class == ORACLE_LOAD || class == ORACLE_STORE || class == ORACLE_ATOMIC;
	p->class = class;
	p->count = p->num_cases = p->num_outs = 0;
	p->qemu = (class != ORACLE_ATOMIC && class != ORACLE_CSR) || values_below(r, 2);
	/* the device's beginning: item and table from CSRs; qemu is given them */
	emit(p, OP_csrrs, TABLE, 0, 0, CSR_kernarg);
	emit(p, OP_csrrs, ITEM, 0, 0, CSR_group_id_x);
	emit(p, OP_slli, ITEM, ITEM, 0, 8);
	_Static_assert(GROUP == 1 << 8, "shift");
	emit(p, OP_csrrs, SCRATCH, 0, 0, CSR_local_id_x);
	emit(p, OP_add, ITEM, ITEM, SCRATCH, 0);
	p->entry = p->count;
	emit(p, OP_andi, LOCAL_INDEX, ITEM, 0, GROUP - 1);
	emit(p, OP_slli, COLUMNS, ITEM, 0, 3);
	emit(p, OP_add, COLUMNS, COLUMNS, TABLE, 0);
	for (unsigned i = 0; i < NUM_X; i++)
		emit_operand(p, r, OPERANDS + i, COL_X + i);
	for (unsigned i = 0; i < NUM_F; i++)
		emit_operand(p, r, REG_F + i, COL_F + i);
	emit_operand(p, r, PRESET, COL_PRESET);
	emit_operand(p, r, FPRESET, COL_FPRESET);
	emit_column(p, OP_ld, MASK, COL_MASK, false);
	switch (values_below(r, 3)) { /* nearest even, one mode, or one a lane */
	case 0:
		emit(p, OP_csrrwi, 0, 0, 0, 2);
		break;
	default:
		emit_column(p, OP_ld, SCRATCH, COL_FRM, values_below(r, 2));
		emit(p, OP_csrrw, 0, SCRATCH, 0, 2);
	}
	if (memory)
		emit_area(p, r);
	while (p->num_cases < CASES) {
		struct test_case *c = &p->cases[p->num_cases];
		*c = (struct test_case){ .out = (uint16_t)p->num_outs, .qemu = p->qemu };
		switch (class) {
		case ORACLE_LOAD: make_load(p, c, r); break;
		case ORACLE_STORE: make_store(p, c, r); break;
		case ORACLE_ATOMIC: make_atomic(p, c, r); break;
		case ORACLE_BRANCH: make_branch(p, c, r); break;
		case ORACLE_JUMP: make_jump(p, c, r); break;
		case ORACLE_CSR: make_csr(p, c, r); break;
		default: make_operation(p, c, r); break;
		}
		p->num_cases++;
	}
	if (memory && class != ORACLE_LOAD)
		copy_area_back(p);
	emit(p, OP_exit_, 0, 0, 0, 0);
}
