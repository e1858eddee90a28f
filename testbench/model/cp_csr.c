/* The command processor's CSRs and what a start gives it. */
#include "testbench/model/cp_world.h"

enum { MSTATUS = 0x300, MISA = 0x301, MIE = 0x304, MTVEC = 0x305, MSCRATCH = 0x340, MEPC = 0x341, MCAUSE = 0x342, MTVAL = 0x343,
       MIP = 0x344, MCYCLE = 0xb00, MINSTRET = 0xb02, CYCLE = 0xc00, TIME = 0xc01, INSTRET = 0xc02, MHARTID = 0xf14 };

/* number, value at a start, bits that software can write */
static const struct csr_row { unsigned number; uint64_t start, mask; } rows[] = {
	{ MSTATUS, 0x1800, 0x88 }, { MISA, 0x8000000000001105, 0 }, { MIE, 0, 0x888 }, { MTVEC, 0, ~2ull }, { MSCRATCH, 0, ~0ull },
	{ MEPC, 0, ~1ull }, { MCAUSE, 0, ~0ull }, { MTVAL, 0, ~0ull }, { MIP, 0, 0 }, { MCYCLE, 0, ~0ull }, { MINSTRET, 0, ~0ull },
	{ CYCLE, 0, 0 }, { TIME, 0, 0 }, { INSTRET, 0, 0 }, { 0xf11, 0, 0 }, { 0xf12, 0, 0 }, { 0xf13, 0, 0 }, { MHARTID, 0, 0 },
	{ 0xf15, 0, 0 },
};
enum { ROWS = sizeof(rows) / sizeof(*rows) };

static const struct csr_row *row_of(unsigned number)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

/* Each of the 4096 numbers as the first instruction after a start. */
static void test_values_at_a_start(void **state)
{
	struct world *w = *state;

	for (unsigned n = 0; n < 4096; n++) {
		const struct csr_row *row = row_of(n);
		const uint64_t cycle = cp_cycle(w->cp);

		w->at = 0;
		put(w, enc_csrrs(A0, n, 0));
		put_li(w, S0, RESULTS);
		put(w, enc_sd(A0, S0, 0));
		put(w, ENC_EBREAK);
		cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
		cp_tick(w->cp, cycle + 100);
		assert_int_equal(cp_state(w->cp), CP_CRASHED);
		if (!row) {
			assert_int_equal(cp_crash(w->cp)->cause, 2);
			assert_int_equal(cp_crash(w->cp)->pc, 0);
			continue;
		}
		assert_int_equal(cp_crash(w->cp)->cause, 3);
		assert_int_equal(result(w, 0), n == MCYCLE || n == CYCLE || n == TIME ? cycle : row->start);
	}
	/* bit 11 of mip is the level of the line */
	cp_irq(w->cp, &(struct cp_irq){ true }, 0);
	program_begin(w);
	put(w, enc_csrrs(A0, MIP, 0));
	put(w, enc_sd(A0, S0, 0));
	program_end(w);
	assert_int_equal(result(w, 0), 0x800);
}

/* All ones, zeros and random bits, with each of the six instructions; a write never traps. */
static void test_bits(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < ROWS; i++) {
		const struct csr_row *row = &rows[i];

		if (row->number == MCYCLE || row->number == MINSTRET || row->number >= 0xc00)
			continue;
		const uint64_t fixed = row->start & ~row->mask;
		const uint64_t some = random_next(), other = random_next();

		program_begin(w);
		put_li(w, A0, some);
		put_li(w, A1, other);
		put_li(w, A2, UINT64_MAX);
		put(w, enc_csrrw(0, row->number, A2));
		put(w, enc_csrrw(A3, row->number, 0));
		put(w, enc_csrrw(A4, row->number, A0));
		put(w, enc_csrrs(A5, row->number, A1));
		put(w, enc_i(0x73, 3, A6, A0, (int)row->number)); /* csrrc */
		put(w, enc_i(0x73, 5, A7, 31, (int)row->number)); /* csrrwi */
		put(w, enc_i(0x73, 7, T0, 5, (int)row->number));  /* csrrci */
		put(w, enc_i(0x73, 6, T1, 2, (int)row->number));  /* csrrsi */
		put(w, enc_csrrs(T2, row->number, 0));
		put(w, enc_csrrw(0, MTVEC, 0));
		const unsigned order[] = { A3, A4, A5, A6, A7, T0, T1, T2 };
		for (unsigned k = 0; k < 8; k++)
			put(w, enc_sd(order[k], S0, (int)(8 * k)));
		program_end(w);
		const uint64_t m = row->mask;
		const uint64_t expect[] = { m, 0, some, some | other, other & ~some, 31, 31 & ~5, (31 & ~5) | 2 };
		for (unsigned k = 0; k < 8; k++)
			if (result(w, k) != (fixed | (expect[k] & m)))
				fail_msg("csr %#x, step %u: %#llx", row->number, k, (unsigned long long)result(w, k));
	}
}

/* Where nothing is written, a CSR that can only be read does not trap. */
static void test_reads_do_not_write(void **state)
{
	struct world *w = *state;

	for (unsigned f3 = 1; f3 < 8; f3++) {
		const bool writes = (f3 & 3) == 1;

		if (f3 == 4)
			continue;
		for (unsigned source = 0; source < 2; source++) {
			const uint32_t word = enc_i(0x73, f3, A0, source ? 9 : 0, MHARTID);

			program_begin(w); /* x9 is 0: it counts as a write all the same */
			put(w, enc_addi(A0, 0, 5));
			put(w, word);
			put(w, enc_sd(A0, S0, 0));
			put(w, ENC_EBREAK);
			cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
			cp_tick(w->cp, cp_cycle(w->cp) + 1000);
			assert_int_equal(cp_state(w->cp), CP_CRASHED);
			if (writes || source) {
				assert_int_equal(cp_crash(w->cp)->cause, 2);
				assert_int_equal(cp_crash(w->cp)->address, word);
			} else {
				assert_int_equal(cp_crash(w->cp)->cause, 3);
				assert_int_equal(result(w, 0), 0);
			}
		}
	}
	/* such a read of mcycle leaves its offset, of minstret its count: both go on by one */
	program_begin(w);
	put(w, enc_csrrs(A0, MINSTRET, 0));
	put(w, enc_i(0x73, 7, A1, 0, MINSTRET));
	put(w, enc_i(0x73, 3, A2, 0, MINSTRET));
	for (unsigned k = 0; k < 3; k++)
		put(w, enc_sd(A0 + k, S0, (int)(8 * k)));
	program_end(w);
	assert_int_equal(result(w, 1), result(w, 0) + 1);
	assert_int_equal(result(w, 2), result(w, 0) + 2);
}

static void test_counters(void **state)
{
	struct world *w = *state;
	const uint64_t v = 0x123456789abcdef0, before = cp_cycle(w->cp);

	program_begin(w);
	put_li(w, A0, v);
	put(w, enc_csrrw(0, MCYCLE, A0)); /* those behind it begin 1, 2 and 3 cycles later */
	put(w, enc_csrrs(A1, CYCLE, 0));
	put(w, enc_csrrs(A2, TIME, 0));
	put(w, enc_csrrs(A3, MCYCLE, 0));
	put(w, enc_csrrw(0, MINSTRET, A0));
	put(w, enc_csrrs(A4, MINSTRET, 0));
	put(w, enc_csrrs(A5, INSTRET, 0));
	for (unsigned k = 0; k < 5; k++)
		put(w, enc_sd(A1 + k, S0, (int)(8 * k)));
	const unsigned words = w->at;
	const uint64_t retired = cp_insns(w->cp);
	program_end(w);
	for (unsigned k = 0; k < 3; k++)
		assert_int_equal(result(w, k), v + 1 + k);
	assert_int_equal(result(w, 3), v);
	assert_int_equal(result(w, 4), v + 1);
	/* the device's clock and its count of instructions did not change */
	assert_int_equal(cp_cycle(w->cp), before + words);
	assert_int_equal(cp_insns(w->cp), retired + words);
	/* and the offset is gone with the next start */
	program_begin(w);
	put(w, enc_csrrs(A1, MCYCLE, 0));
	put(w, enc_sd(A1, S0, 0));
	const uint64_t again = cp_cycle(w->cp);
	program_end(w);
	assert_int_equal(result(w, 0), again + 11);
}

/* A program that leaves something everywhere, then one that stores its registers first. */
static void test_a_start_clears(void **state)
{
	struct world *w = *state;
	enum { FIRST = 0x1000, SECOND = 0x2000, DUMP = 0x400 };
	const uint64_t kept = 0x5a5a5a5a;

	w->at = FIRST / 4;
	put_li(w, A0, UINT64_MAX);
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].mask)
			put(w, enc_csrrw(0, rows[i].number, A0));
	for (unsigned r = 1; r < 32; r++)
		put(w, enc_addi(r, 0, (int)r));
	put(w, enc_amo(2, 3, A1, 0, 0)); /* reserves address 0 */
	put(w, enc_jal(0, 0));
	assert_true(cp_tcm_write(w->cp, 0, &kept, 8));
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = FIRST }, 0);
	cp_tick(w->cp, cp_cycle(w->cp) + 200);
	assert_int_equal(cp_state(w->cp), CP_RUNNING);
	cp_control(w->cp, &(struct cp_control){ .run = false }, cp_cycle(w->cp));

	w->at = SECOND / 4;
	for (unsigned r = 1; r < 32; r++)
		put(w, enc_sd(r, 0, (int)(DUMP + 8 * r)));
	put(w, enc_amo(3, 3, A1, 0, 0)); /* fails: stores nothing, gives 1 */
	put(w, enc_sd(A1, 0, DUMP));
	put_li(w, S0, RESULTS);
	for (unsigned i = 0; i < ROWS; i++) {
		put(w, enc_csrrs(A1, rows[i].number, 0));
		put(w, enc_sd(A1, S0, (int)(8 * i)));
	}
	const uint64_t cycle = cp_cycle(w->cp);
	put(w, ENC_EBREAK);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = SECOND | 1 }, 0); /* bit 0 is cleared */
	cp_tick(w->cp, cycle + 1000);
	assert_int_equal(cp_crash(w->cp)->cause, 3); /* mtvec is 0 again */
	assert_int_equal(cp_crash(w->cp)->pc, 4 * (w->at - 1));
	for (unsigned r = 0; r < 32; r++) {
		uint64_t v;

		assert_true(cp_tcm_read(w->cp, DUMP + 8 * r, &v, 8));
		assert_int_equal(v, r == 0);
	}
	uint64_t v;
	assert_true(cp_tcm_read(w->cp, 0, &v, 8));
	assert_int_equal(v, kept);
	for (unsigned i = 0; i < ROWS; i++) {
		const uint64_t done = 33 + 11 + 2 * i; /* instructions of one cycle each */

		switch (rows[i].number) {
		case MCYCLE: case CYCLE: case TIME: assert_int_equal(result(w, i), cycle + done); break;
		case MINSTRET: case INSTRET: assert_int_equal(result(w, i), done); break;
		default: assert_int_equal(result(w, i), rows[i].start);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_values_at_a_start, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reads_do_not_write, setup, teardown),
		cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_start_clears, setup, teardown),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
