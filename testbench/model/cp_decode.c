/* Which words the command processor takes for instructions, against lists that follow the unprivileged specification: all 65536
 * encodings of 16 bits, and of 32 bits those of each opcode, funct3 and funct7, and random ones. */
#include "testbench/model/cp_world.h"

enum { AT = 0x1000 };

/* Executes the word at AT with all registers 0 and no handler. True if it is an illegal instruction. */
static bool illegal(struct world *w, uint32_t word)
{
	const uint64_t before = cp_insns(w->cp);
	bool crashed;

	assert_true(cp_tcm_write(w->cp, AT, &word, 4));
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = AT }, 0);
	cp_tick(w->cp, cp_cycle(w->cp) + 1);
	crashed = cp_state(w->cp) == CP_CRASHED;
	assert_int_equal(cp_insns(w->cp), before + !crashed);
	if (!crashed || cp_crash(w->cp)->cause != 2)
		return false;
	assert_int_equal(cp_crash(w->cp)->pc, AT);
	assert_int_equal(cp_crash(w->cp)->address, (word & 3) == 3 ? word : word & 0xffff);
	return true;
}

/* ---- 16 bits ---- */

static bool listed_16(uint32_t w)
{
	const unsigned f3 = w >> 13 & 7, rd = w >> 7 & 31, rs2 = w >> 2 & 31;
	const bool bit12 = w >> 12 & 1;

	switch ((w & 3) << 3 | f3) {
	case 000: return (w >> 5 & 0xff) != 0;			/* c.addi4spn */
	case 002: case 003: case 006: case 007: return true;	/* c.lw c.ld c.sw c.sd */
	case 010: case 012: return true;			/* c.addi c.li */
	case 011: return rd != 0;				/* c.addiw */
	case 013: return bit12 || rs2;				/* c.addi16sp c.lui */
	case 014: return (w >> 10 & 3) != 3 || !bit12 || !(w >> 6 & 1);
	case 015: case 016: case 017: return true;		/* c.j c.beqz c.bnez */
	case 020: case 026: case 027: return true;		/* c.slli c.swsp c.sdsp */
	case 022: case 023: return rd != 0;			/* c.lwsp c.ldsp */
	case 024: return bit12 || rs2 || rd;			/* c.jr c.mv c.ebreak c.jalr c.add */
	}
	return false;
}

static void test_16_bits(void **state)
{
	struct world *w = *state;
	unsigned legal = 0;

	for (uint32_t word = 0; word < 0x10000; word++) {
		if ((word & 3) == 3)
			continue;
		if (illegal(w, word | (uint32_t)random_next() << 16) == listed_16(word))
			fail_msg("%#06x is %s", word, listed_16(word) ? "an instruction" : "illegal");
		legal += listed_16(word);
	}
	assert_in_range(legal, 30000, 45000);
}

/* Encodings that write x0, or add or shift by nothing. */
static bool hint(uint32_t w)
{
	const unsigned f3 = w >> 13 & 7, rd = w >> 7 & 31, rs2 = w >> 2 & 31;
	const unsigned imm = rs2 | (w >> 12 & 1) << 5;

	switch ((w & 3) << 3 | f3) {
	case 010: return !rd || !imm;
	case 012: return !rd;
	case 013: return !rd && imm;
	case 014: return (w >> 10 & 3) < 2 && !imm;
	case 020: return !rd || !imm;
	case 024: return !rd && rs2;
	}
	return false;
}

/* They change no register and go on behind themselves. */
static void test_hints(void **state)
{
	struct world *w = *state;
	unsigned hints = 0;

	for (uint32_t word = 0; word < 0x10000; word++) {
		const uint32_t two = word | 0x00010000; /* and a c.nop */

		if ((word & 3) == 3 || !hint(word))
			continue;
		hints++;
		w->at = AT / 4;
		for (unsigned r = 1; r < 32; r++)
			put(w, enc_addi(r, 0, (int)(r * 37)));
		put(w, two);
		for (unsigned r = 1; r < 32; r++)
			put(w, enc_sd(r, 0, (int)(0x400 + 8 * r)));
		put(w, ENC_EBREAK);
		cp_control(w->cp, &(struct cp_control){ .run = true, .entry = AT }, 0);
		cp_tick(w->cp, cp_cycle(w->cp) + 1000);
		assert_int_equal(cp_crash(w->cp)->pc, AT + 63 * 4);
		for (unsigned r = 1; r < 32; r++) {
			uint64_t v;

			assert_true(cp_tcm_read(w->cp, 0x400 + 8 * r, &v, 8));
			if (v != r * 37)
				fail_msg("%#06x changes x%u", word, r);
		}
	}
	assert_in_range(hints, 300, 1000);
}

/* ---- 32 bits ---- */

static bool csr_listed(unsigned number, bool write)
{
	static const uint16_t csrs[] = { 0x300, 0x301, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343, 0x344, 0xb00, 0xb02,
					 0xc00, 0xc01, 0xc02, 0xf11, 0xf12, 0xf13, 0xf14, 0xf15 };

	for (unsigned i = 0; i < sizeof(csrs) / sizeof(*csrs); i++)
		if (csrs[i] == number)
			return !write || number < 0xc00;
	return false;
}

static bool listed_system(uint32_t w)
{
	const unsigned f3 = w >> 12 & 7, rs1 = w >> 15 & 31;

	if (f3 == 0)
		return w == ENC_ECALL || w == ENC_EBREAK || w == ENC_MRET || w == ENC_WFI;
	return f3 != 4 && csr_listed(w >> 20, (f3 & 3) == 1 || rs1);
}

static bool listed_atomic(uint32_t w)
{
	const unsigned f5 = w >> 27, f3 = w >> 12 & 7, rs2 = w >> 20 & 31;

	if (f3 != 2 && f3 != 3)
		return false;
	switch (f5) {
	case 0x02: return rs2 == 0; /* lr */
	case 0x00: case 0x01: case 0x03: case 0x04: case 0x08: case 0x0c: case 0x10: case 0x14: case 0x18: case 0x1c: return true;
	}
	return false;
}

/* RV64IMA, Zicsr, Zifencei, mret and wfi. */
static bool listed_32(uint32_t w)
{
	const unsigned f3 = w >> 12 & 7, f7 = w >> 25;

	switch (w & 0x7f) {
	case 0x37: case 0x17: case 0x6f: return true;
	case 0x67: return f3 == 0;
	case 0x63: return f3 != 2 && f3 != 3;
	case 0x03: return f3 != 7;
	case 0x23: return f3 < 4;
	case 0x13: return f3 == 1 ? f7 >> 1 == 0 : f3 == 5 ? f7 >> 1 == 0 || f7 >> 1 == 0x10 : true;
	case 0x1b: return f3 == 0 || (f3 == 1 && f7 == 0) || (f3 == 5 && (f7 == 0 || f7 == 0x20));
	case 0x33: return f7 == 0 || f7 == 1 || (f7 == 0x20 && (f3 == 0 || f3 == 5));
	case 0x3b: return f7 == 0 ? f3 == 0 || f3 == 1 || f3 == 5 : f7 == 1 ? f3 == 0 || f3 >= 4 : f7 == 0x20 && (f3 == 0 || f3 == 5);
	case 0x0f: return f3 < 2;
	case 0x2f: return listed_atomic(w);
	case 0x73: return listed_system(w);
	}
	return false;
}

static void check_32(struct world *w, uint32_t word)
{
	if (illegal(w, word) == listed_32(word))
		fail_msg("%#010x is %s", word, listed_32(word) ? "an instruction" : "illegal");
}

static void test_32_bits(void **state)
{
	struct world *w = *state;

	for (unsigned op = 0; op < 32; op++)
		for (unsigned f3 = 0; f3 < 8; f3++)
			for (unsigned f7 = 0; f7 < 128; f7++) {
				check_32(w, enc_r(op << 2 | 3, f3, f7, 0, 0, 0));
				check_32(w, enc_r(op << 2 | 3, f3, f7, (unsigned)random_below(32), (unsigned)random_below(32),
						  (unsigned)random_below(32)));
			}
	for (unsigned i = 0; i < 200000; i++)
		check_32(w, (uint32_t)random_next() | 3);
	/* what stands nearest to the words that are listed one by one */
	for (unsigned bit = 2; bit < 32; bit++) {
		check_32(w, ENC_MRET ^ 1u << bit);
		check_32(w, ENC_WFI ^ 1u << bit);
	}
	assert_true(illegal(w, 0x10200073)); /* sret */
	assert_true(illegal(w, 0x12000073)); /* sfence.vma */
	assert_true(illegal(w, enc_amo(5, 2, A0, A1, A2))); /* amocas.w */
	assert_true(illegal(w, enc_r(0x53, 0, 0, 0, 0, 0))); /* fadd.s */
}

/* lr and sc with each combination of aq and rl do the same; lr with rs2 is none. */
static void test_orderings(void **state)
{
	struct world *w = *state;

	for (unsigned order = 0; order < 4; order++)
		for (unsigned size = 2; size < 4; size++) {
			const uint64_t before = 0x8000000012345678 + order;

			program_begin(w);
			put_li(w, A0, 0x9000);
			put_li(w, A1, before);
			put(w, enc_sd(A1, A0, 0));
			put(w, enc_addi(A2, 0, 77));
			put(w, enc_amo(2, size, A3, A0, 0) | order << 25);
			put(w, enc_amo(3, size, A4, A0, A2) | order << 25);
			put(w, enc_amo(0, size, A5, A0, A2) | order << 25);
			put(w, enc_ld(A6, A0, 0));
			for (unsigned i = 0; i < 4; i++)
				put(w, enc_sd(A3 + i, S0, (int)(8 * i)));
			program_end(w);
			assert_int_equal(result(w, 0), size == 2 ? (uint64_t)(int64_t)(int32_t)before : before);
			assert_int_equal(result(w, 1), 0);
			assert_int_equal(result(w, 2), 77);
			assert_int_equal(result(w, 3), size == 2 ? (before & ~0xffffffffull) | 154 : 154);
			assert_true(illegal(w, enc_amo(2, size, A3, A0, 1) | order << 25));
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_16_bits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hints, setup, teardown),
		cmocka_unit_test_setup_teardown(test_32_bits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_orderings, setup, teardown),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
