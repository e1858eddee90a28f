/* What traps of the command processor leave as it was, and where interrupts go and come back to. */
#include "testbench/model/cp_world.h"

enum { DUMP = 0x700, MTVEC = 0x305, MEPC = 0x341, MCAUSE = 0x342, MIE_CSR = 0x304, MSTATUS = 0x300 };
#define DRAM_END (DRAM_BASE + (16ull << 20))

static uint64_t dumped(struct world *w, unsigned r)
{
	uint64_t v;

	assert_true(cp_tcm_read(w->cp, DUMP + 8 * r, &v, 8));
	return v;
}

/* A handler at the program's begin that stores all registers and stops; the program goes on behind it. */
static void put_dumping_handler(struct world *w)
{
	uint32_t word;

	w->at = 0;
	put(w, ENC_NOP);
	const unsigned handler = w->at;
	for (unsigned r = 1; r < 32; r++)
		put(w, enc_sd(r, 0, (int)(DUMP + 8 * r)));
	put(w, enc_csrrw(0, MTVEC, 0));
	put(w, ENC_EBREAK);
	word = enc_jal(0, (int)w->at * 4);
	assert_true(cp_tcm_write(w->cp, 0, &word, 4));
	put(w, enc_addi(T0, 0, (int)handler * 4));
	put(w, enc_csrrw(0, MTVEC, T0));
}

/* Each kind of exception, of each instruction that could have written something: all registers and all memory are as before. */
static void test_nothing_changes(void **state)
{
	struct world *w = *state;
	const uint64_t unpinned = SYSTEM_BASE + 0x5000, readable = SYSTEM_BASE + 0x9000;
	struct { uint32_t word; uint64_t address, cause; } cases[] = {
		{ enc_lw(A1, A0, 0), unpinned, 5 },
		{ enc_ld(A0, A0, 0), unpinned, 5 },
		{ enc_i(0x03, 0, A1, A0, 0), CP_MMIO_BASE, 5 },
		{ enc_ld(A1, A0, 0), DRAM_END - 4, 5 },
		{ enc_lw(A1, A0, 0), 0x3fffe, 5 },
		{ enc_sd(A1, A0, 0), unpinned, 7 },
		{ enc_sd(A1, A0, 0), readable, 7 },
		{ enc_sd(A1, A0, 0), DRAM_END - 4, 7 },
		{ enc_sd(A1, A0, 0), 0x3fffc, 7 },
		{ enc_s(0, A1, A0, 0), CP_MMIO_BASE, 7 },
		{ enc_sd(A1, A0, 0), CP_MMIO_BASE + 4, 7 },
		{ enc_amo(2, 3, A1, A0, 0), unpinned, 5 },
		{ enc_amo(2, 3, A1, A0, 0), 0x9004, 4 },
		{ enc_amo(2, 2, A1, A0, 0), CP_MMIO_BASE, 5 },
		{ enc_amo(3, 3, A1, A0, A2), unpinned, 7 },
		{ enc_amo(3, 2, A1, A0, A2), 0x9002, 6 },
		{ enc_amo(0, 3, A1, A0, A2), readable, 7 },
		{ enc_amo(1, 2, A1, A0, A2), CP_MMIO_BASE + 8, 7 },
		{ enc_amo(1, 3, A1, A0, A2), 0x9004, 6 },
		{ enc_amo(1, 3, A1, A0, A2), unpinned, 7 },
		{ enc_amo(3, 2, A1, A0, A2), CP_MMIO_BASE + 8, 7 },
		{ enc_amo(2, 3, A1, A0, 0), unpinned + 4, 4 }, /* misaligned comes first, wherever it is */
		{ enc_amo(3, 3, A1, A0, A2), DRAM_BASE + 4, 6 },
		{ enc_amo(1, 2, A1, A0, A2), CP_MMIO_BASE + 2, 6 },
		{ enc_amo(1, 3, A1, A0, A2), 0x50004, 6 },
		{ enc_csrrw(A1, 0xf14, A2), 0, 2 },
		{ enc_csrrs(A1, 0x7c0, 0), 0, 2 },
		{ enc_r(0x53, 0, 0, A1, A0, A2), 0, 2 },
		{ ENC_ECALL, 0, 11 },
		{ ENC_EBREAK, 0, 3 },
	};
	uint8_t *page = w->h.bytes + (readable - SYSTEM_BASE);
	uint64_t memory[4] = { 0x1111111111111111, 0x2222222222222222, 0x3333333333333333, 0x4444444444444444 };

	host_pin(&w->h, 9, HOST_READ);
	memcpy(page, memory, sizeof(memory));
	physmem_write(&w->m, DRAM_END - 16, memory, 16);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t expect[32], end[2], local[2];

		put_dumping_handler(w);
		for (unsigned r = 1; r < 32; r++) {
			expect[r] = r == A0 ? cases[i].address : random_next();
			put_li(w, r, expect[r]);
		}
		assert_true(cp_tcm_write(w->cp, 0x9000, memory, sizeof(memory)));
		assert_true(cp_tcm_write(w->cp, 0x3fff0, memory, 16));
		const unsigned at = w->at;
		const unsigned writes = w->mmio_writes;
		put(w, cases[i].word);
		cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
		const uint64_t retired = cp_insns(w->cp);
		cp_tick(w->cp, cp_cycle(w->cp) + 2000);
		assert_int_equal(cp_state(w->cp), CP_CRASHED);
		assert_int_equal(cp_insns(w->cp) - retired, at - 33 + 32); /* the handler is 33 words; not those that trapped */
		for (unsigned r = 1; r < 32; r++)
			if (dumped(w, r) != expect[r])
				fail_msg("case %u: x%u is %#llx", i, r, (unsigned long long)dumped(w, r));
		assert_memory_equal(page, memory, sizeof(memory));
		assert_int_equal(physmem_read(&w->m, DRAM_END - 16, end, 16), FAULT_NONE);
		assert_memory_equal(end, memory, 16);
		assert_true(cp_tcm_read(w->cp, 0x3fff0, local, 16));
		assert_memory_equal(local, memory, 16);
		assert_true(cp_tcm_read(w->cp, 0x9000, local, 16));
		assert_memory_equal(local, memory, 16);
		assert_int_equal(w->mmio_writes, writes);
		/* the cause, in the same place */
		w->at = 1;
		put(w, enc_csrrs(A0, MCAUSE, 0));
		put(w, enc_sd(A0, 0, DUMP));
		put(w, enc_csrrw(0, MTVEC, 0));
		put(w, ENC_EBREAK);
		cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
		cp_tick(w->cp, cp_cycle(w->cp) + 2000);
		assert_int_equal(dumped(w, 0), cases[i].cause);
	}
}

/* Mode 1: interrupts at the base + 44, exceptions at the base. Mode 0: both at the base. */
static void test_vectored(void **state)
{
	struct world *w = *state;
	enum { BASE = 0x1000 };

	for (unsigned mode = 0; mode < 2; mode++)
		for (unsigned interrupt = 0; interrupt < 2; interrupt++) {
			cp_irq(w->cp, &(struct cp_irq){ interrupt }, cp_cycle(w->cp));
			program_begin(w);
			put_li(w, T0, BASE | mode);
			put(w, enc_csrrw(0, MTVEC, T0));
			put_li(w, T0, 1 << 11);
			put(w, enc_csrrs(0, MIE_CSR, T0));
			put(w, enc_i(0x73, 6, 0, 8, MSTATUS));
			put(w, ENC_ECALL);
			for (w->at = BASE / 4; w->at < BASE / 4 + 64; )
				put(w, 0xffffffff); /* where the hart goes, it crashes */
			cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
			cp_tick(w->cp, cp_cycle(w->cp) + 1000);
			assert_int_equal(cp_state(w->cp), CP_CRASHED);
			assert_int_equal(cp_crash(w->cp)->pc, mode && interrupt ? BASE + 44 : BASE);
		}
}

/* While the line is up, no instruction comes between the handler's end and its begin. */
static void test_the_line_is_a_level(void **state)
{
	struct world *w = *state;
	uint64_t entered, passed;

	program_begin(w);
	const unsigned jump = w->at;
	put(w, ENC_NOP);
	const unsigned handler = w->at;
	put(w, enc_addi(S1, S1, 1));
	put(w, enc_sd(S1, S0, 0));
	put(w, ENC_MRET);
	const uint32_t word = enc_jal(0, (int)(w->at - jump) * 4);
	assert_true(cp_tcm_write(w->cp, jump * 4, &word, 4));
	put(w, enc_addi(T0, 0, (int)handler * 4));
	put(w, enc_csrrw(0, MTVEC, T0));
	put_li(w, T0, 1 << 11);
	put(w, enc_csrrs(0, MIE_CSR, T0));
	cp_irq(w->cp, &(struct cp_irq){ true }, 0);
	put(w, enc_i(0x73, 6, 0, 8, MSTATUS));
	put(w, enc_addi(A2, A2, 1));
	put(w, enc_sd(A2, S0, 8));
	put(w, enc_jal(0, -8));
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, cp_cycle(w->cp) + 1000);
	assert_in_range(result(w, 0), 200, 300);
	assert_int_equal(result(w, 1), 0);
	cp_irq(w->cp, &(struct cp_irq){ false }, cp_cycle(w->cp));
	cp_tick(w->cp, cp_cycle(w->cp) + 10); /* the handler that has begun ends */
	entered = result(w, 0);
	passed = result(w, 1);
	cp_tick(w->cp, cp_cycle(w->cp) + 300);
	assert_int_equal(result(w, 0), entered);
	assert_true(result(w, 1) > passed + 50);
	cp_irq(w->cp, &(struct cp_irq){ true }, cp_cycle(w->cp));
	cp_tick(w->cp, cp_cycle(w->cp) + 100);
	assert_true(result(w, 0) > entered + 10);
}

/* The interrupt takes its cycle alone: what the handler begins with is of the cycle behind it, before which the line may go down and the hart stop. */
static void test_an_interrupt_takes_a_cycle(void **state)
{
	struct world *w = *state;
	uint64_t before, cycle;

	program_begin(w);
	put_li(w, T0, 0x100);
	put(w, enc_csrrw(0, MTVEC, T0));
	put_li(w, T0, 1 << 11);
	put(w, enc_csrrs(0, MIE_CSR, T0));
	put(w, enc_i(0x73, 6, 0, 8, MSTATUS));
	put(w, enc_jal(0, 0));
	w->at = 0x100 / 4;
	put(w, enc_jal(0, 0));
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, 100);
	before = cp_insns(w->cp);
	cycle = cp_cycle(w->cp);
	cp_irq(w->cp, &(struct cp_irq){ true }, cycle);
	cp_tick(w->cp, cycle + 1);
	assert_int_equal(cp_insns(w->cp), before);
	assert_int_equal(cp_next(w->cp), cycle + 1);
	cp_tick(w->cp, cycle + 2);
	assert_int_equal(cp_insns(w->cp), before + 1);
}

/* mepc: the instruction that would have begun; behind wfi, the one behind it. */
static void test_where_an_interrupt_returns(void **state)
{
	struct world *w = *state;

	for (unsigned sleeps = 0; sleeps < 2; sleeps++) {
		cp_irq(w->cp, &(struct cp_irq){ false }, 0);
		program_begin(w);
		put_handler(w);
		put_li(w, T0, 1 << 11);
		put(w, enc_csrrs(0, MIE_CSR, T0));
		put(w, enc_i(0x73, 6, 0, 8, MSTATUS));
		const unsigned at = w->at;
		put(w, sleeps ? ENC_WFI : ENC_NOP);
		put(w, enc_jal(0, 0));
		cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
		const uint64_t begin = cp_cycle(w->cp) + at - 11 + 1; /* the handler is jumped over */
		if (sleeps) {
			cp_tick(w->cp, begin + 1000);
			assert_int_equal(cp_state(w->cp), CP_WAITING);
		} else {
			cp_tick(w->cp, begin); /* the nop would begin */
		}
		cp_irq(w->cp, &(struct cp_irq){ true }, cp_cycle(w->cp));
		cp_tick(w->cp, cp_cycle(w->cp) + 7);
		assert_int_equal(result(w, 0), 1ull << 63 | 11);
		assert_int_equal(result(w, 1), 0);
		assert_int_equal(result(w, 2), 4 * (at + sleeps));
	}
}

/* MIE goes to MPIE with a trap, and comes back with mret, which leaves MPIE 1. */
static void test_mstatus(void **state)
{
	struct world *w = *state;

	for (unsigned enabled = 0; enabled < 2; enabled++) {
		program_begin(w);
		put_li(w, T0, (w->at + 11 + 6) * 4ull); /* the handler is behind the program's first part */
		put(w, enc_csrrw(0, MTVEC, T0));
		put(w, enc_i(0x73, 6, 0, enabled ? 8 : 0, MSTATUS));
		put(w, ENC_ECALL);
		put(w, enc_csrrs(A2, MSTATUS, 0)); /* after mret */
		put(w, enc_sd(A2, S0, 8));
		put(w, enc_jal(0, 7 * 4));
		put(w, enc_csrrs(A1, MSTATUS, 0)); /* the handler */
		put(w, enc_sd(A1, S0, 0));
		put(w, enc_csrrs(A1, MEPC, 0));
		put(w, enc_addi(A1, A1, 4));
		put(w, enc_csrrw(0, MEPC, A1));
		put(w, ENC_MRET);
		put(w, enc_csrrw(0, MTVEC, 0));
		program_end(w);
		assert_int_equal(result(w, 0), enabled ? 0x1880 : 0x1800);
		assert_int_equal(result(w, 1), enabled ? 0x1888 : 0x1880);
	}
}

/* A trap that is taken, mret, and sc end a reservation; loads, stores elsewhere and amo do not, and neither does another lr's failure. */
static void test_what_ends_a_reservation(void **state)
{
	struct world *w = *state;
	static const struct { uint32_t between[2]; bool ends; } cases[] = {
		{ { ENC_NOP, ENC_NOP }, false },
		{ { 0x00053683 /* ld a3, 0(a0) */, 0x00b53423 /* sd a1, 8(a0) */ }, false },
		{ { 0x00b53023 /* sd a1, 0(a0): the same value */, ENC_NOP }, false },
		{ { ENC_ECALL, ENC_NOP }, true }, /* with the handler's mret */
		{ { ENC_MRET, ENC_NOP }, true },
		{ { 0xffffffff, ENC_NOP }, true },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		program_begin(w);
		put_handler(w);
		put_li(w, A0, 0x9000);
		put_li(w, A1, 5);
		put(w, enc_sd(A1, A0, 0));
		put_li(w, T0, (w->at + 11 + 3) * 4ull); /* where mret goes, if it is the case's: behind itself */
		put(w, enc_csrrw(0, MEPC, T0));
		put(w, enc_amo(2, 3, A2, A0, 0));
		put(w, cases[i].between[0]);
		put(w, cases[i].between[1]);
		put(w, enc_amo(3, 3, A4, A0, A1));
		put(w, enc_addi(S0, 0, 0x700));
		put(w, enc_sd(A4, S0, 0));
		put(w, enc_csrrw(0, MTVEC, 0));
		program_end(w);
		assert_int_equal(dumped(w, 0), cases[i].ends);
	}
	/* the trap alone: its handler is the sc */
	program_begin(w);
	put_li(w, A0, 0x9000);
	put_li(w, T0, (w->at + 11 + 3) * 4ull);
	put(w, enc_csrrw(0, MTVEC, T0));
	put(w, enc_amo(2, 3, A2, A0, 0));
	put(w, ENC_ECALL);
	put(w, enc_amo(3, 3, A4, A0, A0));
	put(w, enc_sd(A4, S0, 0));
	put(w, enc_csrrw(0, MTVEC, 0));
	program_end(w);
	assert_int_equal(result(w, 0), 1);
	/* amo of another word; sc of another size at the same address */
	program_begin(w);
	put_li(w, A0, 0x9000);
	put(w, enc_addi(A1, A0, 8));
	put(w, enc_amo(2, 3, A2, A0, 0));
	put(w, enc_amo(0, 3, A3, A1, A0));
	put(w, enc_amo(3, 3, A4, A0, A0));
	put(w, enc_sd(A4, S0, 0));
	put(w, enc_amo(2, 2, A2, A0, 0));
	put(w, enc_amo(3, 3, A4, A0, A0));
	put(w, enc_sd(A4, S0, 8));
	put(w, enc_amo(2, 3, A2, A0, 0));
	put(w, enc_amo(3, 2, A4, A0, A0));
	put(w, enc_sd(A4, S0, 16));
	program_end(w);
	assert_int_equal(result(w, 0), 0);
	assert_int_equal(result(w, 1), 1);
	assert_int_equal(result(w, 2), 1);
}

/* mtval of ebreak and of a fetch outside is the program counter. */
static void test_program_counters(void **state)
{
	struct world *w = *state;

	for (unsigned fetch = 0; fetch < 2; fetch++) {
		program_begin(w);
		const unsigned at = w->at + 11 + 2 + 11;
		put_li(w, T0, (at + 1) * 4ull);
		put(w, enc_csrrw(0, MTVEC, T0));
		put(w, ENC_NOP);
		put_li(w, A0, fetch ? 0x40000 : at * 4ull);
		put(w, fetch ? enc_i(0x67, 0, 0, A0, 0) : ENC_EBREAK);
		put(w, enc_csrrs(A1, 0x343, 0));
		put(w, enc_sd(A1, S0, 0));
		put(w, enc_csrrs(A1, MCAUSE, 0));
		put(w, enc_sd(A1, S0, 8));
		put(w, enc_csrrs(A1, MEPC, 0));
		put(w, enc_sd(A1, S0, 16));
		put(w, enc_csrrw(0, MTVEC, 0));
		program_end(w);
		assert_int_equal(result(w, 0), fetch ? 0x40000 : at * 4);
		assert_int_equal(result(w, 1), fetch ? 1 : 3);
		assert_int_equal(result(w, 2), fetch ? 0x40000 : at * 4);
	}
}

/* Without a handler an interrupt crashes the hart, too; a handler at 0 in mode 1 is one. */
static void test_no_handler(void **state)
{
	struct world *w = *state;

	for (unsigned mode = 0; mode < 2; mode++) {
		cp_irq(w->cp, &(struct cp_irq){ true }, cp_cycle(w->cp));
		w->at = 0;
		put(w, enc_jal(0, 16 * 4)); /* exceptions come here */
		w->at = 11;
		put(w, enc_sd(S1, 0, DUMP)); /* interrupts here */
		put(w, ENC_MRET);
		w->at = 16;
		put(w, enc_addi(S1, 0, 77));
		put(w, enc_csrrw(0, MTVEC, 0));
		put(w, enc_addi(T0, 0, (int)mode));
		put(w, enc_csrrw(0, MTVEC, T0));
		put_li(w, T0, 1 << 11);
		put(w, enc_csrrs(0, MIE_CSR, T0));
		put(w, enc_i(0x73, 6, 0, 8, MSTATUS));
		const unsigned at = w->at;
		put(w, enc_jal(0, 0));
		assert_true(cp_tcm_write(w->cp, DUMP, &(uint64_t){ 0 }, 8));
		cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
		cp_tick(w->cp, cp_cycle(w->cp) + 200);
		if (mode) {
			assert_int_equal(cp_state(w->cp), CP_RUNNING);
			assert_int_equal(dumped(w, 0), 77);
			continue;
		}
		assert_int_equal(cp_state(w->cp), CP_CRASHED);
		assert_int_equal(cp_crash(w->cp)->cause, 1ull << 63 | 11);
		assert_int_equal(cp_crash(w->cp)->pc, at * 4);
		assert_int_equal(cp_crash(w->cp)->address, 0);
		assert_int_equal(dumped(w, 0), 0);
	}
}

/* In memory a reservation is of the line: a write there ends it, its own or another unit's, also of the value that was there. */
static void test_reservations_of_lines(void **state)
{
	struct world *w = *state;
	enum { LINE = 64, YIELD = 0x80 };
	const uint64_t place = DRAM_BASE + 0x4000;
	static const struct { uint32_t between; unsigned other; bool ends; } cases[] = {
		{ ENC_NOP, 0, false },
		{ 0x00053683 /* ld a3, 0(a0) */, 0, false },
		{ 0x00b53023 /* sd a1, 0(a0) */, 0, true },
		{ 0x00b53c23 /* sd a1, 24(a0) */, 0, true },
		{ 0x04b53023 /* sd a1, 64(a0): the next line */, 0, false },
		{ ENC_NOP, 1, true },
		{ ENC_NOP, LINE, true },
		{ ENC_NOP, LINE + 1, false },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const uint64_t at = place + cases[i].other - 1;
		uint8_t same;

		program_begin(w);
		put_li(w, A0, place);
		put_li(w, T0, CP_MMIO_BASE + YIELD);
		put_li(w, A1, 5);
		put(w, enc_sd(A1, A0, 0));
		put(w, enc_amo(2, 3, A2, A0, 0));
		put(w, cases[i].between);
		put(w, enc_sd(A1, T0, 0));
		put(w, enc_amo(3, 3, A4, A0, A1));
		put(w, enc_sd(A4, S0, 0));
		put(w, ENC_EBREAK);
		cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
		cp_tick(w->cp, cp_cycle(w->cp) + 100000);
		assert_int_equal(cp_state(w->cp), CP_RUNNING);
		if (cases[i].other) {
			assert_int_equal(physmem_load(&w->m, UNIT_SEM, at, &same, 1, 0), FAULT_NONE);
			assert_int_equal(physmem_store(&w->m, UNIT_SEM, at, &same, 1, 0), FAULT_NONE);
		}
		cp_tick(w->cp, cp_cycle(w->cp) + 100000);
		assert_int_equal(cp_state(w->cp), CP_CRASHED);
		assert_int_equal(result(w, 0), cases[i].ends);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing_changes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_vectored, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_line_is_a_level, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_interrupt_takes_a_cycle, setup, teardown),
		cmocka_unit_test_setup_teardown(test_where_an_interrupt_returns, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mstatus, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_ends_a_reservation, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reservations_of_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_program_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_handler, setup, teardown),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
