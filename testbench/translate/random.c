/* Random programs through galena-translate and through the interpreter: every register in every lane, every byte of
 * memory, and where the code was left and why, for each kind of host vectors. Single instructions on values that are
 * likely to be wrong, in every encoding; conversions in every rounding mode; programs with loops, branches and every
 * kind of access. Usage: random [seed [programs]]; the seed is printed. */
#include "testbench/random.h"
#include "testbench/model/reference.h"
#include "testbench/translate/bed.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 4096, HOPS = 4, TURNS = 32 };
enum { ACC = 18, FACC = 50, OUT = 17 }; /* results, and where they are stored */
static uint64_t seed = 1, programs = 2;
static unsigned masked_hops = 2; /* each is a superblock of many instructions, a second or two of the translator */
static struct ref_random rnd;

struct program { uint32_t words[MAX_WORDS]; unsigned count; };

static uint64_t below(uint64_t n) { return ref_below(&rnd, n); }
static void emit(struct program *p, uint32_t word) { p->words[p->count++] = word; }

static enum register_encoding random_encoding(bool is_f)
{
	static const enum register_encoding x[] = { ENC_UNIFORM, ENC_AFFINE, ENC_WORD, ENC_FULL };
	static const enum register_encoding f[] = { ENC_UNIFORM, ENC_WORD, ENC_FULL };
	return is_f ? f[below(3)] : x[below(4)];
}

static void random_register(struct warp *w, unsigned reg)
{
	uint64_t lanes[LANES];
	enum register_encoding rep = random_encoding(reg >= REG_F);
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = ref_value(&rnd, reg >= REG_F);
	if (rep == ENC_AFFINE && below(4)) { /* one that stays a word */
		lanes[0] = below(1000) - 500;
		lanes[1] = below(9) - 4;
	}
	bed_register(w, reg, rep, lanes);
}

/* Registers with addresses: x16 uniform, x17 affine by 8, x20 affine by 4, x21 by 1, x22 by 16, x23 a gather in data,
 * x24 affine in local memory, x25 a gather in local memory, x26 a gather in private memory, x27 rows of 8 lanes,
 * x28 uniform in private memory. */
static void address_registers(struct warp *w)
{
	uint64_t lanes[LANES], page = bed_data_va + 4096 * below(40);
	bed_register(w, 16, ENC_UNIFORM, (uint64_t[]){ page + 8 * below(200), 0 });
	bed_register(w, OUT, ENC_AFFINE, (uint64_t[]){ bed_data_va + 8192, 8 });
	bed_register(w, 20, ENC_AFFINE, (uint64_t[]){ page + 8 * below(500), 4 });
	bed_register(w, 21, ENC_AFFINE, (uint64_t[]){ page + below(4000), 1 });
	bed_register(w, 22, ENC_AFFINE, (uint64_t[]){ page + 8 * below(400), below(2) ? 16 : 12 });
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = (below(8) ? page : bed_data_va) + below(4088);
	bed_register(w, 23, ENC_FULL, lanes);
	bed_register(w, 24, ENC_AFFINE, (uint64_t[]){ VA_LOCAL_BASE + 8 * below(100), below(2) ? 4 : 8 });
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = VA_LOCAL_BASE + 4 * below(900);
	bed_register(w, 25, ENC_FULL, lanes);
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = VA_PRIVATE_BASE + 512 + 4 * below(64);
	bed_register(w, 26, ENC_FULL, lanes);
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = page + 1024 + i / 8 * 96 + i % 8 * 4;
	bed_register(w, 27, ENC_FULL, lanes);
	bed_register(w, 28, ENC_UNIFORM, (uint64_t[]){ VA_PRIVATE_BASE + 256 + (below(4) ? 4 * below(64) : below(256)), 0 });
	w->base[2] = VA_PRIVATE_BASE + 256;
}

static const uint8_t modes[] = { RM_RNE, RM_RTZ, RM_RDN, RM_RUP, RM_RMM, RM_DYN };
enum { MODES = sizeof(modes) };

/* From or to an integer: these run translated in every rounding mode, other instructions to nearest even. */
static bool converts_integers(unsigned op) { return isa_rows[op].format == FMT_FX || isa_rows[op].format == FMT_XF; }

/* A random instruction of the class, its registers among x5 to x15 and f0 to f15. */
static bool random_insn(unsigned op, struct insn *i)
{
	const struct isa_row *row = &isa_rows[op];
	struct insn zero;
	insn_decode(row->match, &zero);
	*i = zero;
	i->op = (uint8_t)op;
	i->rd = (uint8_t)(zero.rd == REG_NONE ? REG_NONE : zero.rd >= 32 ? 32 + below(16) : 5 + below(11));
	i->rs1 = (uint8_t)(zero.rs1 == REG_NONE ? REG_NONE : zero.rs1 >= 32 ? 32 + below(16) : below(12) ? 5 + below(11) : 0);
	i->rs2 = (uint8_t)(zero.rs2 == REG_NONE ? REG_NONE : zero.rs2 >= 32 ? 32 + below(16) : below(12) ? 5 + below(11) : 0);
	if (zero.rs3 != REG_NONE)
		i->rs3 = (uint8_t)(32 + below(16));
	switch (row->format) {
	case FMT_I: i->imm = below(3) ? (int32_t)below(4096) - 2048 : (int32_t)below(5) - 2; break;
	case FMT_SH6: i->imm = (int32_t)below(64); break;
	case FMT_SH5: i->imm = (int32_t)below(32); break;
	case FMT_U: i->imm = (int32_t)(ref_rand(&rnd) & 0xfffff000); break;
	}
	if (row->format == FMT_FR || row->format == FMT_FR1 || row->format == FMT_FR4 || row->format == FMT_FX ||
	    row->format == FMT_XF) {
		i->rm = converts_integers(op) ? modes[below(MODES)] : RM_DYN;
	}
	return true;
}

static bool is_arithmetic(unsigned op)
{
	unsigned c = isa_rows[op].class;
	return (c == CLASS_ALU || c == CLASS_MUL || c == CLASS_DIV || c == CLASS_FPU || c == CLASS_FDIV) && op != OP_sg_ballot &&
	       op != OP_fcvt_h_d;
}

static uint32_t store_word(unsigned op, unsigned rs1, unsigned rs2, int imm)
{
	struct insn i = { .op = (uint8_t)op, .rd = REG_NONE, .rs1 = (uint8_t)rs1, .rs2 = (uint8_t)rs2, .imm = imm };
	return insn_encode(&i);
}

/* Every arithmetic instruction once, each result stored. */
static void every_instruction(struct program *p, unsigned first, unsigned step)
{
	p->count = 0;
	for (unsigned op = 1 + first; op < OP_COUNT; op += step) {
		struct insn i;
		if (!is_arithmetic(op) || !random_insn(op, &i))
			continue;
		if (i.rd >= 32)
			i.rd = FACC;
		else
			i.rd = ACC;
		emit(p, insn_encode(&i));
		emit(p, store_word(i.rd >= 32 ? OP_fsd : OP_sd, OUT, i.rd, 0));
		emit(p, ref_word(OP_addi, OUT, OUT, 0, 256));
	}
	emit(p, ref_word(OP_exit_, 0, 0, 0, 0));
}

static const unsigned bases[] = { 16, OUT, 20, 21, 22, 23, 24, 25, 26, 27, 28, 28, 2, 2 };

static void random_access(struct program *p)
{
	static const unsigned loads[] = { OP_lb, OP_lh, OP_lw, OP_ld, OP_lbu, OP_lhu, OP_lwu, OP_flw, OP_fld, OP_flh };
	static const unsigned stores[] = { OP_sb, OP_sh, OP_sw, OP_sd, OP_fsw, OP_fsd, OP_fsh };
	struct insn i = { .rs1 = (uint8_t)bases[below(sizeof(bases) / sizeof(bases[0]))], .rs2 = REG_NONE, .rd = REG_NONE };
	i.imm = below(3) ? 8 * (int32_t)below(8) : (int32_t)below(64);
	if (below(2)) {
		i.op = (uint8_t)loads[below(10)];
		i.rd = (uint8_t)(i.op == OP_flw || i.op == OP_fld || i.op == OP_flh ? 32 + below(16) : 5 + below(11));
	} else {
		i.op = (uint8_t)stores[below(7)];
		i.rs2 = (uint8_t)(i.op == OP_fsw || i.op == OP_fsd || i.op == OP_fsh ? 32 + below(16) : 5 + below(11));
	}
	emit(p, insn_encode(&i));
}

static void random_body(struct program *p, unsigned n)
{
	while (n) {
		unsigned op = 1 + (unsigned)below(OP_COUNT - 1);
		struct insn i;
		if (below(20) == 0) {
			static const int csrs[] = { CSR_lane_id, CSR_local_id_x, CSR_local_id_y, CSR_group_id_x, CSR_local_size_x,
						    CSR_kernarg, CSR_subgroup_id, CSR_subgroup_live, CSR_cu_id, CSR_num_subgroups };
			emit(p, ref_word(OP_csrrs, 5 + (unsigned)below(11), 0, 0, csrs[below(10)]));
			n--;
			continue;
		}
		if (below(5) == 0) {
			random_access(p);
			n--;
			continue;
		}
		if (!is_arithmetic(op) || !random_insn(op, &i))
			continue;
		emit(p, insn_encode(&i));
		n--;
	}
}

static uint32_t branch_word(unsigned op, unsigned rs1, unsigned rs2, int words)
{
	struct insn i = { .op = (uint8_t)op, .rd = REG_NONE, .rs1 = (uint8_t)rs1, .rs2 = (uint8_t)rs2, .imm = words * 4 };
	return insn_encode(&i);
}

static const unsigned branches[] = { OP_beq, OP_bne, OP_blt, OP_bge, OP_bltu, OP_bgeu };

/* Loops that count a uniform register down, with branches in them, and a call. */
static void random_program(struct program *p)
{
	p->count = 0;
	random_body(p, 10);
	for (unsigned loops = 1 + (unsigned)below(2); loops; loops--) {
		emit(p, ref_word(OP_addi, 29, 0, 0, 1 + (int)below(4)));
		unsigned head = p->count;
		random_body(p, 3 + (unsigned)below(12));
		if (below(2)) { /* over a few instructions, by values that are often the same in all lanes */
			unsigned at = p->count;
			emit(p, 0);
			random_body(p, 4);
			p->words[at] = branch_word(branches[below(6)], below(2) ? 29 : 5 + (unsigned)below(11),
						   below(2) ? 0 : 30, (int)(p->count - at));
		}
		random_body(p, 4);
		emit(p, ref_word(OP_addi, 20, 20, 0, 128));
		emit(p, ref_word(OP_addi, 29, 29, 0, -1));
		emit(p, branch_word(OP_bne, 29, 0, (int)head - (int)p->count));
	}
	if (below(2)) { /* jal ra, over; over: back by jalr */
		struct insn call = { .op = OP_jal, .rd = 1, .rs1 = REG_NONE, .rs2 = REG_NONE, .imm = 12 };
		emit(p, insn_encode(&call));
		random_body(p, 1);
		emit(p, ref_word(OP_exit_, 0, 0, 0, 0));
		random_body(p, 3);
		emit(p, ref_word(OP_jalr, 0, 1, 0, 0));
	}
	emit(p, ref_word(OP_exit_, 0, 0, 0, 0));
}

/* ---- runs ---- */

static void print_program(const struct program *p, uint64_t va)
{
	char text[96];
	for (unsigned i = 0; i < p->count; i++) {
		insn_disassemble(p->words[i], va + i * 4, text, sizeof(text));
		fprintf(stderr, "%" PRIx64 "  %s\n", va + i * 4, text);
	}
}

/* For galena-translate by hand. */
static void keep_request(const uint8_t *request, size_t size)
{
	char path[4096];
	const char *build = getenv("GALENA_BUILD");
	snprintf(path, sizeof(path), "%s/test/translate/failed.request", build ? build : "build");
	FILE *f = fopen(path, "wb");
	if (f && fwrite(request, 1, size, f) == size && !fclose(f))
		fprintf(stderr, "the request is kept in %s\n", path);
}

/* Translated from pc and compared; then one interpreted instruction, and translated again. */
static void run_program(struct bed *b, const struct program *p, struct warp *w, uint32_t flags, uint64_t *executed)
{
	static uint8_t request[sizeof(struct superblock_request) + SUPERBLOCK_MAX_CODE];
	static struct warp before __attribute__((aligned(64)));
	static struct bed_memory memory;
	uint64_t pc = b->code_va;
	for (unsigned hop = 0; hop < HOPS; hop++) {
		struct bed_code code;
		struct superblock_run r;
		size_t size = bed_request(b, w, pc, flags, request);
		int status = bed_translate(request, size, &code);
		if (status) {
			print_program(p, b->code_va);
			keep_request(request, size);
		}
		assert_int_equal(status, 0);
		if (!code.entry) {
			bed_code_free(&code);
			return;
		}
		assert_true(code.header->low >= b->code_va && code.header->high <= b->code_va + p->count * 4 + 4);
		before = *w;
		bed_save(b, &memory);
		for (unsigned reg = 1; reg < 64; reg++) /* whatever a register that is not asked for holds */
			if (!(code.header->needs >> reg & 1))
				before.encoding[reg] = w->encoding[reg];
		uint64_t limit = below(4) ? 100000 : below(200);
		bed_enter(b, &code, w, &r, limit);
		assert_true(r.count <= limit && r.exit < SUPERBLOCK_EXITS);
		*executed += r.count;
		uint64_t count = r.count;
		if (!bed_compare(b, &before, pc, &memory, w, &r)) {
			print_program(p, b->code_va);
			keep_request(request, size);
			fail_msg("hop %u, %" PRIu64 " instructions from %#" PRIx64 ", seed %" PRIu64, hop, count, pc, seed);
		}
		bed_code_free(&code);
		/* from what the interpreter has: dead registers may hold anything */
		*w = before;
		bed_restore(b, &memory);
		bed_interpret(b, w, pc, count);
		if (w->exit == LEAVE_NONE)
			b->cu->engine->run(w, 1);
		if (w->exit != LEAVE_NONE || w->mask != ALL_LANES)
			return;
		pc = uop_pc(w, w->op);
	}
}

static void fill_memory(struct bed *b)
{
	for (unsigned i = 0; i < BED_DATA / 8; i++)
		((uint64_t *)b->data)[i] = ref_value(&rnd, i & 1);
	for (unsigned i = 0; i < BED_LOCAL / 8; i++)
		((uint64_t *)b->cu->lds.data)[i] = ref_value(&rnd, i & 1);
	for (unsigned i = 0; i < LANES * BED_PRIVATE / 8; i++)
		((uint64_t *)b->private_data)[i] = ref_value(&rnd, i & 1);
}

static void random_state(struct bed *b, struct warp *w)
{
	fill_memory(b);
	bed_warp(b, w, b->code_va);
	for (unsigned reg = 5; reg < 64; reg++)
		if (reg < 16 || reg >= 32)
			random_register(w, reg);
	address_registers(w);
	soft_tlb_flush(b->cu);
}

static const struct { enum compute_simd simd; const char *name; } kinds[] = {
	{ SIMD_PORTABLE, "portable" }, { SIMD_AVX2, "avx2" }, { SIMD_AVX512, "avx512" },
};

static void instructions(void **state)
{
	static struct warp w __attribute__((aligned(64)));
	static struct program p;
	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		struct bed *b = bed_create(kinds[k].simd);
		uint64_t executed = 0;
		for (uint64_t n = 0; b && n < programs; n++) {
			every_instruction(&p, (unsigned)n % 3, 3);
			bed_program(b, p.words, p.count);
			random_state(b, &w);
			run_program(b, &p, &w, 0, &executed);
		}
		if (b) {
			printf("# %s: %" PRIu64 " instructions\n", kinds[k].name, executed);
			assert_true(executed > programs * 20);
			bed_destroy(b);
		}
	}
}

static void whole_programs(void **state)
{
	static struct warp w __attribute__((aligned(64)));
	static struct program p;
	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		struct bed *b = bed_create(kinds[k].simd);
		uint64_t executed = 0;
		for (uint64_t n = 0; b && n < programs; n++) {
			random_program(&p);
			bed_program(b, p.words, p.count);
			random_state(b, &w);
			run_program(b, &p, &w, n & 1 ? SUPERBLOCK_CHECK : 0, &executed);
		}
		if (b) {
			printf("# %s: %" PRIu64 " instructions\n", kinds[k].name, executed);
			assert_true(executed != 0);
			bed_destroy(b);
		}
	}
}

/* ---- conversions between integers and floating point ---- */

/* Halves and wholes, and what is next to them; the ends of the integer types, and what is next to them. */
static uint64_t near_half(void)
{
	double x = below(3) ? (double)(ref_rand(&rnd) >> (11 + below(53))) * 0.5 : 0x1p31 * (double)(1ull << below(34));
	bool single = below(2);
	uint64_t bits = 0;
	if (below(2))
		x = -x;
	float narrow = (float)x;
	if (single)
		memcpy(&bits, &narrow, sizeof(narrow));
	else
		memcpy(&bits, &x, sizeof(x));
	bits += below(3) - 1;
	return single ? BOX | (uint32_t)bits : bits;
}

/* Integers with a bit more than float or double has, so half way between two numbers, and what is next to them; the ends. */
static uint64_t half_way(void)
{
	unsigned bits = below(2) ? 25 : 54;
	uint64_t v = (ref_rand(&rnd) >> (64 - bits)) | 1ull << (bits - 1) | 1;
	switch (below(4)) {
	case 0: v = ~0ull >> below(34); break;
	case 1: v = (bits == 25 ? ~0ull << 39 : ~0ull << 10) >> below(34); break; /* rounds up to a power of two */
	default: v <<= below(65 - bits);
	}
	v += below(3) - 1;
	v = below(2) ? v : -v;
	return below(2) ? v : (uint64_t)(int64_t)(int32_t)v;
}

/* The last integers that float or double has all of; one lane's is the next, which it has not. */
static void last_exact(uint64_t *lanes)
{
	uint64_t limit = 1ull << (below(2) ? 24 : 53), odd = below(2) ? 0 : below(LANES);
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = below(2) ? limit : -limit;
	lanes[odd] += lanes[odd] == limit ? 1 : -1ull;
}

/* Every such conversion in every rounding mode. */
static void every_conversion(struct program *p)
{
	p->count = 0;
	for (unsigned op = 1; op < OP_COUNT; op++)
		for (unsigned m = 0; m < MODES && converts_integers(op); m++) {
			struct insn i;
			random_insn(op, &i);
			i.rd = i.rd >= REG_F ? FACC : ACC;
			i.rm = modes[m];
			emit(p, insn_encode(&i));
			emit(p, store_word(i.rd >= REG_F ? OP_fsd : OP_sd, OUT, i.rd, 0));
			emit(p, ref_word(OP_addi, OUT, OUT, 0, 256));
		}
	emit(p, ref_word(OP_exit_, 0, 0, 0, 0));
}

/* Other values in the registers that instructions read, in the encodings that these have. */
static void conversion_registers(struct warp *w)
{
	uint64_t lanes[LANES];
	for (unsigned reg = 5; reg < 48; reg++) {
		bool is_f = reg >= REG_F;
		if (reg >= 16 && !is_f)
			continue;
		for (unsigned i = 0; i < LANES; i++)
			lanes[i] = !below(4) ? ref_value(&rnd, is_f) : is_f ? near_half() : half_way();
		if (!is_f && below(3) == 0)
			last_exact(lanes);
		lanes[1] |= w->encoding[reg] == ENC_AFFINE; /* the stride */
		bed_register(w, reg, w->encoding[reg], lanes);
	}
}

static void conversions(void **state)
{
	static uint8_t request[sizeof(struct superblock_request) + SUPERBLOCK_MAX_CODE];
	static struct warp w __attribute__((aligned(64))), before __attribute__((aligned(64)));
	static struct bed_memory memory;
	static struct program p;
	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		struct bed *b = bed_create(kinds[k].simd);
		for (uint64_t n = 0; b && n < (programs + 1) / 2; n++) {
			struct bed_code code;
			struct superblock_run r;
			every_conversion(&p);
			bed_program(b, p.words, p.count);
			random_state(b, &w);
			size_t size = bed_request(b, &w, b->code_va, 0, request);
			assert_int_equal(bed_translate(request, size, &code), 0);
			assert_non_null(code.entry);
			for (unsigned turn = 0; turn < TURNS; turn++) {
				conversion_registers(&w);
				before = w;
				bed_save(b, &memory);
				bed_enter(b, &code, &w, &r, p.count);
				bool same = bed_compare(b, &before, b->code_va, &memory, &w, &r);
				if (!same || r.count != p.count - 1) { /* to the end: none is left to the interpreter */
					print_program(&p, b->code_va);
					keep_request(request, size);
					fail_msg("%s, program %" PRIu64 ", %" PRIu64 " instructions, seed %" PRIu64, kinds[k].name, n,
						 r.count, seed);
				}
				w = before;
			}
			bed_code_free(&code);
		}
		if (b)
			bed_destroy(b);
	}
}

/* ---- masked ---- */

/* A branch that lanes take differently; then a loop that they go through together. */
static void together(struct program *p)
{
	unsigned at = p->count;
	emit(p, 0);
	random_body(p, 2);
	p->words[at] = branch_word(branches[below(6)], 5 + (unsigned)below(11), 5 + (unsigned)below(11), (int)(p->count - at));
	emit(p, ref_word(OP_addi, 19, 0, 0, 1 + (int)below(3)));
	unsigned head = p->count;
	random_body(p, 2 + (unsigned)below(4));
	emit(p, ref_word(OP_addi, 20, 20, 0, 4));
	emit(p, ref_word(OP_addi, 19, 19, 0, -1));
	emit(p, branch_word(OP_bne, 19, 0, (int)head - (int)p->count));
}

/* Branches that lanes take differently and loops that they leave one by one; at the end every register is stored. */
static void divergent_program(struct program *p)
{
	p->count = 0;
	random_body(p, 4);
	if (below(2))
		together(p);
	emit(p, ref_word(OP_csrrs, 29, 0, 0, CSR_lane_id));
	emit(p, ref_word(OP_andi, 29, 29, 0, 1 + (int)below(15)));
	emit(p, ref_word(OP_addi, 29, 29, 0, 1));
	unsigned head = p->count;
	for (unsigned n = 1 + (unsigned)below(3); n; n--) {
		unsigned at = p->count;
		emit(p, 0);
		random_body(p, 2 + (unsigned)below(4));
		unsigned over = p->count;
		emit(p, 0);
		random_body(p, 2 + (unsigned)below(4));
		p->words[at] = branch_word(branches[below(6)], 5 + (unsigned)below(11), below(2) ? 29 : 5 + (unsigned)below(11),
					   (int)(over - at + 1));
		struct insn jump = { .op = OP_jal, .rd = 0, .rs1 = REG_NONE, .rs2 = REG_NONE, .imm = (int32_t)(p->count - over) * 4 };
		p->words[over] = insn_encode(&jump);
		random_body(p, 3);
	}
	emit(p, ref_word(OP_addi, 29, 29, 0, -1));
	emit(p, branch_word(OP_bne, 29, 0, (int)head - (int)p->count));
	for (unsigned reg = 5; reg < 48; reg++) {
		if (reg >= 16 && reg < 32)
			continue;
		emit(p, store_word(reg >= 32 ? OP_fsd : OP_sd, OUT, reg, 0));
		emit(p, ref_word(OP_addi, OUT, OUT, 0, 256));
	}
	emit(p, ref_word(OP_exit_, 0, 0, 0, 0));
}

/* To the end by the interpreter. */
static void finish(struct bed *b, struct warp *w)
{
	while (w->live) {
		if (w->exit == LEAVE_NONE)
			b->cu->engine->run(w, 1000);
		if (w->exit == LEAVE_NONE)
			continue;
		assert_int_equal(w->exit, LEAVE_END);
		w->exit = LEAVE_NONE;
		divergence_end(w);
	}
}

/* Translated code wherever a warp stands after a few interpreted instructions; the other warp is interpreted. */
static bool run_divergent(struct bed *b, const struct program *p, struct warp *w, uint64_t *executed)
{
	static uint8_t request[sizeof(struct superblock_request) + SUPERBLOCK_MAX_CODE];
	static struct warp other __attribute__((aligned(64)));
	static struct bed_memory before, translated, interpreted;
	uint64_t lanes = b->cu->counters.lane_insns;
	other = *w;
	bed_save(b, &before);
	for (unsigned hop = 0; hop < masked_hops && w->live && w->exit == LEAVE_NONE; hop++) {
		struct bed_code code;
		struct superblock_run r;
		uint64_t pc = uop_pc(w, w->op);
		size_t size = bed_request(b, w, pc, w->mask == ALL_LANES ? SUPERBLOCK_DIVERGENT : SUPERBLOCK_MASKED, request);
		int status = bed_translate(request, size, &code);
		if (status)
			keep_request(request, size);
		assert_int_equal(status, 0);
		if (code.entry) {
			uint64_t limit = below(2) ? 1000 : below(100);
			bed_enter(b, &code, w, &r, limit);
			assert_true(r.count <= limit && r.exit < SUPERBLOCK_EXITS);
			w->retired += r.count;
			*executed += r.count;
			divergence_jump(w, r.pc);
		}
		bed_code_free(&code);
		b->cu->engine->run(w, 1 + below(20));
	}
	finish(b, w);
	lanes = b->cu->counters.lane_insns - lanes;
	bed_save(b, &translated);
	bed_restore(b, &before);
	uint64_t again = b->cu->counters.lane_insns;
	finish(b, &other);
	again = b->cu->counters.lane_insns - again;
	bed_save(b, &interpreted);
	bool ok = w->retired == other.retired && lanes == again && !memcmp(&translated, &interpreted, sizeof(before));
	if (ok)
		return true;
	print_program(p, b->code_va);
	keep_request(request, sizeof(struct superblock_request) + b->code_bytes);
	fprintf(stderr, "instructions %" PRIu64 ", interpreted %" PRIu64 "; of lanes %" PRIu64 ", interpreted %" PRIu64 "\n",
		w->retired, other.retired, lanes, again);
	for (unsigned i = 0; i < BED_DATA; i++)
		if (translated.data[i] != interpreted.data[i]) {
			int at = (int)i - 8192;
			fprintf(stderr, "data + %#x: result %d, lane %d\n", i, at / 256, at % 256 / 8);
			break;
		}
	return false;
}

static void masked(void **state)
{
	static struct warp w __attribute__((aligned(64)));
	static struct program p;
	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		struct bed *b = bed_create(kinds[k].simd);
		uint64_t executed = 0;
		for (uint64_t n = 0; b && n < (masked_hops == HOPS ? programs : (programs + 1) / 2); n++) {
			divergent_program(&p);
			bed_program(b, p.words, p.count);
			random_state(b, &w);
			if (!run_divergent(b, &p, &w, &executed))
				fail_msg("%s, program %" PRIu64 ", seed %" PRIu64, kinds[k].name, n, seed);
		}
		if (b) {
			printf("# %s: %" PRIu64 " instructions\n", kinds[k].name, executed);
			assert_true(executed != 0);
			bed_destroy(b);
		}
	}
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	programs = argc > 2 ? strtoull(argv[2], NULL, 0) : check_long() ? 16 : programs;
	if (argc > 2 || check_long())
		masked_hops = HOPS;
	else
		printf("# %" PRIu64 " programs of 16, a divergent one of 16 from %u places of %d; make check-long has all\n", programs,
		       masked_hops, HOPS);
	rnd.state = seed;
	const struct CMUnitTest tests[] = { cmocka_unit_test(instructions), cmocka_unit_test(whole_programs),
				     cmocka_unit_test(conversions), cmocka_unit_test(masked) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
