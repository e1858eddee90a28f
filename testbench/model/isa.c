/* The instruction table: what it decodes, encodes and prints is what clang's assembler makes. */
#include "testbench/random.h"
#include "model/cu/decode.h"
#include "testbench/model/reference.h"
#include "testbench/model/rig.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static bool exact(unsigned op) /* assemblers give these a mode of their own when none is written */
{
	return op == OP_fcvt_d_w || op == OP_fcvt_d_wu || op == OP_fcvt_d_s || op == OP_fcvt_s_h || op == OP_fcvt_d_h;
}

/* Random fields for an instruction; branch targets stay where an assembler can name them. */
static uint32_t random_word(struct ref_random *r, unsigned op)
{
	struct insn i;
	const struct isa_row *row = &isa_rows[op];
	assert_true(insn_decode(row->match, &i));
	assert_int_equal(i.op, op);
	i.rd = (uint8_t)ref_below(r, 32);
	i.rs1 = (uint8_t)ref_below(r, 32);
	i.rs2 = (uint8_t)ref_below(r, 32);
	i.rs3 = (uint8_t)ref_below(r, 32);
	i.rm = exact(op) ? RM_RNE : (uint8_t)((const uint8_t[]){ 0, 1, 2, 3, 4, 7 })[ref_below(r, 6)];
	i.imm = (int32_t)ref_below(r, 4096) - 2048;
	switch (row->format) {
	case FMT_SH6:
		i.imm &= 63;
		break;
	case FMT_SH5:
		i.imm &= 31;
		break;
	case FMT_U:
		i.imm = (int32_t)(ref_rand(r) & 0xfffff000);
		break;
	case FMT_J:
		i.imm = (int32_t)(ref_rand(r) & 0x1ffffe) - 0x100000;
		break;
	case FMT_B:
		i.imm = (int32_t)(ref_rand(r) & 0x1ffe) - 0x1000;
		break;
	case FMT_CSR:
	case FMT_CSRI:
		i.imm = (int32_t)ref_below(r, 4096);
		break;
	}
	return insn_encode(&i);
}

static void words_are_the_assemblers(void **state)
{
	(void)state;
	enum { ROUNDS = 20, MAX = OP_COUNT * ROUNDS };
	static uint32_t words[MAX];
	static char text[MAX * 64];
	struct ref_random r = { seed };
	unsigned n = 0;
	size_t at = 0;
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned op = 1; op < OP_COUNT; op++) {
			if (op == OP_fence || isa_rows[op].format == FMT_N)
				continue;
			uint32_t w = random_word(&r, op);
			char line[80];
			insn_disassemble(w, 0, line, sizeof(line));
			if (op == OP_sg_ballot || op == OP_sg_shuffle) { /* no assembler has a name for them */
				at += (size_t)sprintf(text + at, ".insn r 0x0b, %u, 0, x%u, x%u, x%u\n",
						      op == OP_sg_ballot ? 3 : 4, w >> 7 & 31, w >> 15 & 31, w >> 20 & 31);
				words[n++] = w;
				continue;
			}
			if (isa_rows[op].format == FMT_B || isa_rows[op].format == FMT_J) {
				/* a target relative to here, not an absolute address */
				struct insn i;
				insn_decode(w, &i);
				*(strrchr(line, ' ') + 1) = '\0';
				at += (size_t)sprintf(text + at, "%s. + (%d)\n", line, i.imm);
			} else {
				at += (size_t)sprintf(text + at, "%s\n", line);
			}
			words[n++] = w;
		}
	size_t count;
	uint32_t *assembled = rig_assemble(text, &count);
	assert_int_equal(count, n);
	for (unsigned i = 0; i < n; i++)
		if (assembled[i] != words[i]) {
			char line[80];
			insn_disassemble(words[i], 0, line, sizeof(line));
			fail_msg("%s: assembled %08x, table %08x", line, assembled[i], words[i]);
		}
	free(assembled);
}

static void special_words(void **state)
{
	(void)state;
	size_t n;
	uint32_t *w = rig_assemble(".insn i 0x0b, 0, x0, x0, 0\n.insn i 0x0b, 1, x0, x0, 0\n.insn i 0x0b, 2, x0, x0, 0\nfence rw, rw\nfence iorw, iorw\n"
				   "ecall\nebreak\namoadd.w.aqrl a0, a1, (a2)\nlr.d.aq a0, (a1)\n", &n);
	static const unsigned ops[] = { OP_barrier, OP_exit_, OP_sg_sync, OP_fence, OP_fence, OP_ecall, OP_ebreak, OP_amoadd_w, OP_lr_d };
	assert_int_equal(n, 9);
	for (unsigned i = 0; i < 9; i++) {
		struct insn d;
		assert_true(insn_decode(w[i], &d));
		assert_int_equal(d.op, ops[i]);
	}
	free(w);
}

static void others_are_illegal(void **state)
{
	(void)state;
	static const uint32_t words[] = { 0, 0xffffffff, 0x00000001, 0x0010300b, 0x0200400b, 0x0000500b, 0x00100073 | 1 << 7, 0x30200073,
					  0x10500073, 0x02055553 /* fadd.s, mode 5 */, 0x04000053, 0x0000100f };
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct insn d;
		assert_false(insn_decode(words[i], &d));
		assert_int_equal(d.op, OP_illegal);
		char text[40];
		insn_disassemble(words[i], 0, text, sizeof(text));
		assert_int_equal(strncmp(text, ".word", 5), 0);
	}
}

/* No word is two instructions. */
static void rows_are_disjoint(void **state)
{
	(void)state;
	for (unsigned a = 1; a < OP_COUNT; a++) {
		assert_int_equal(isa_rows[a].match & ~isa_rows[a].mask, 0);
		for (unsigned b = a + 1; b < OP_COUNT; b++) {
			uint32_t both = isa_rows[a].mask & isa_rows[b].mask;
			if ((isa_rows[a].match & both) == (isa_rows[b].match & both))
				fail_msg("%s and %s overlap", isa_rows[a].name, isa_rows[b].name);
		}
	}
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_the_assemblers),
		cmocka_unit_test(special_words),
		cmocka_unit_test(others_are_illegal),
		cmocka_unit_test(rows_are_disjoint),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
