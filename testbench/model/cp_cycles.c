/* The cycles that instructions of the command processor take, between two reads of mcycle. */
#include "testbench/model/cp_world.h"

enum { MCYCLE = 0xb00, MTVEC = 0x305, MEPC = 0x341, MSCRATCH = 0x340 };

/* Narrow, so that accesses that follow each other wait. */
static struct device_config config;

static int timed(void **state)
{
	config = *device_config_find("mini");
	config.sys_bytes_cycle = 2;
	config.l2_bytes_cycle = 4;
	*state = world_create_as(BUS_TIMED, &config);
	return 0;
}

static uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/* Programs end with a read of mcycle in A7; the one before the measured part is in A6. */
static void measure_begin(struct world *w)
{
	program_begin(w);
	put_li(w, A0, 0x9000);
	put_li(w, A1, CP_MMIO_BASE);
	put_li(w, A2, 7);
}

static uint64_t measure_run(struct world *w)
{
	put(w, enc_csrrs(A7, MCYCLE, 0));
	put(w, enc_sd(A6, S0, 0));
	put(w, enc_sd(A7, S0, 8));
	put(w, ENC_EBREAK);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, cp_cycle(w->cp) + 1000000);
	assert_int_equal(cp_crash(w->cp)->cause, 3);
	assert_int_equal(cp_crash(w->cp)->pc, (w->at - 1) * 4);
	return result(w, 1) - result(w, 0) - 1; /* the read itself takes 1 */
}

static void put_start(struct world *w) { put(w, enc_csrrs(A6, MCYCLE, 0)); }

/* `times` of one word take this many cycles each. */
static void check_each(struct world *w, uint32_t word, unsigned times, uint64_t each)
{
	measure_begin(w);
	put_start(w);
	for (unsigned i = 0; i < times; i++)
		put(w, word);
	const uint64_t took = measure_run(w);
	if (took != times * each)
		fail_msg("%u times %#010x take %llu cycles, not %llu", times, word, (unsigned long long)took,
			 (unsigned long long)(times * each));
}

static void test_classes(void **state)
{
	struct world *w = *state;
	static const unsigned alu[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

	for (unsigned i = 0; i < 8; i++) {
		check_each(w, enc_r(0x33, alu[i], 0, A3, A2, A0), 5, 1);
		check_each(w, enc_i(0x13, alu[i], A3, A2, 3), 5, 1);
		check_each(w, enc_r(0x33, i, 1, A3, A2, A0), 3, i < 4 ? 1 : 21);
	}
	for (unsigned i = 4; i < 8; i++)
		check_each(w, enc_r(0x3b, i, 1, A3, A2, A0), 3, 21);
	check_each(w, enc_r(0x33, 4, 1, A3, A2, 0), 3, 21); /* by 0 */
	check_each(w, enc_r(0x3b, 0, 1, A3, A2, A0), 3, 1);
	check_each(w, enc_lui(A3, 5), 3, 1);
	check_each(w, enc_lui(A3, 5) ^ 0x20, 3, 1); /* auipc */
	check_each(w, 0x0ff0000f, 3, 1);	    /* fence */
	check_each(w, 0x0000100f, 3, 1);	    /* fence.i */
	check_each(w, enc_csrrw(A3, MSCRATCH, A2), 3, 1);
	check_each(w, enc_csrrs(A3, 0xf14, 0), 3, 1);
	/* jumps to the next instruction, and branches to it that are taken and not */
	check_each(w, enc_jal(A3, 4), 4, 2);
	check_each(w, enc_b(0, A2, A2, 4), 4, 2);
	check_each(w, enc_b(1, A2, A0, 4), 4, 2);
	check_each(w, enc_b(4, A2, A0, 4), 4, 2);
	check_each(w, enc_b(5, A0, A2, 4), 4, 2);
	check_each(w, enc_b(6, A2, A0, 4), 4, 2);
	check_each(w, enc_b(7, A0, A2, 4), 4, 2);
	check_each(w, enc_b(0, A2, A0, 4), 4, 1);
	check_each(w, enc_b(1, A2, A2, 4), 4, 1);
	/* of 16 bits, each with a c.nop behind it */
	check_each(w, 0x0001a011, 4, 2); /* c.j over the c.nop */
	check_each(w, 0x00010685, 4, 2);
	check_each(w, 0x0001c209, 4, 2); /* c.beqz a2, which is 7 */
	check_each(w, 0x0001e209, 4, 3); /* c.bnez to the c.nop */
	/* loads, stores and atomics of local memory and of registers */
	for (unsigned f3 = 0; f3 < 7; f3++)
		check_each(w, enc_i(0x03, f3, A3, A0, 1), 4, 1);
	check_each(w, enc_lw(A3, A1, 0x10), 4, 5);
	check_each(w, enc_ld(A3, A1, 0x10), 4, 5);
	check_each(w, enc_lw(A3, A1, 0x7f0), 4, 5);
	for (unsigned f3 = 0; f3 < 4; f3++)
		check_each(w, enc_s(f3, A2, A0, 1), 4, 1);
	check_each(w, enc_sw(A2, A1, 0x20), 4, 1);
	check_each(w, enc_sd(A2, A1, 0x20), 4, 1);
	check_each(w, enc_amo(2, 3, A3, A0, 0), 4, 1);
	check_each(w, enc_amo(3, 3, A3, A0, A2), 4, 1);
	check_each(w, enc_amo(0, 2, A3, A0, A2), 4, 1);
}

/* jalr, mret, wfi with the line up, and a trap that is taken. */
static void test_jumps_and_traps(void **state)
{
	struct world *w = *state;

	measure_begin(w);
	put_li(w, T0, (w->at + 11 + 2) * 4ull);
	put_start(w);
	put(w, enc_i(0x67, 0, A3, T0, 0));
	assert_int_equal(measure_run(w), 2);

	measure_begin(w);
	put_li(w, T0, (w->at + 11 + 3) * 4ull);
	put(w, enc_csrrw(0, MEPC, T0));
	put_start(w);
	put(w, ENC_MRET);
	assert_int_equal(measure_run(w), 1);

	cp_irq(w->cp, &(struct cp_irq){ true }, 0);
	check_each(w, ENC_WFI, 3, 1);
	cp_irq(w->cp, &(struct cp_irq){ false }, 0);

	/* exceptions of instructions that take 1, 5 and 21 cycles when they do not trap; the handler is the next word */
	const uint32_t traps[] = { ENC_ECALL, 0xffffffff, enc_lw(A3, A1, 2), enc_amo(0, 2, A3, A1, A2) };
	for (unsigned i = 0; i < sizeof(traps) / sizeof(*traps); i++) {
		measure_begin(w);
		put_li(w, T0, (w->at + 11 + 3) * 4ull);
		put(w, enc_csrrw(0, MTVEC, T0));
		put_start(w);
		put(w, traps[i]);
		put(w, enc_csrrs(A7, MCYCLE, 0)); /* the handler: what retires first */
		put(w, enc_csrrw(0, MTVEC, 0));
		put(w, enc_sd(A7, S0, 16));
		measure_run(w);
		assert_int_equal(result(w, 2) - result(w, 0), 2); /* the read and the trap */
	}
}

static void test_wfi_waits(void **state)
{
	struct world *w = *state;

	measure_begin(w);
	put_start(w);
	put(w, ENC_WFI);
	put(w, enc_csrrs(A7, MCYCLE, 0));
	put(w, enc_sd(A6, S0, 0));
	put(w, enc_sd(A7, S0, 8));
	put(w, ENC_EBREAK);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, cp_cycle(w->cp) + 5000);
	const uint64_t up = cp_cycle(w->cp) + 12345;
	cp_irq(w->cp, &(struct cp_irq){ true }, up);
	cp_tick(w->cp, up + 100);
	assert_int_equal(result(w, 1), up);
}

/* ---- memory ---- */

/* A load of n bytes at pa (A0), behind `stores` stores of 8 bytes to `to` (A1); both kinds of time. */
static void load_behind(struct world *w, uint64_t pa, unsigned f3, uint64_t to, unsigned stores, uint64_t *stored, uint64_t *loaded)
{
	program_begin(w);
	put_li(w, A0, pa);
	put_li(w, A1, to);
	put(w, enc_csrrs(A5, MCYCLE, 0));
	for (unsigned i = 0; i < stores; i++)
		put(w, enc_sd(A2, A1, (int)(8 * i)));
	put_start(w);
	put(w, enc_i(0x03, f3, A3, A0, 0));
	put(w, enc_sd(A5, S0, 16));
	put(w, enc_csrrs(A7, MCYCLE, 0));
	put(w, enc_sd(A6, S0, 0));
	put(w, enc_sd(A7, S0, 8));
	put(w, ENC_EBREAK);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, cp_cycle(w->cp) + 1000000);
	assert_int_equal(cp_crash(w->cp)->cause, 3);
	*loaded = result(w, 1) - result(w, 0) - 2;
	*stored = result(w, 0) - result(w, 2) - 1;
	cp_tick(w->cp, cp_cycle(w->cp) + 10000);
}

static uint64_t load_takes(struct world *w, uint64_t pa, unsigned f3)
{
	uint64_t stored, loaded;

	load_behind(w, pa, f3, 0x9000, 0, &stored, &loaded);
	return loaded;
}

static void test_dram(void **state)
{
	struct world *w = *state;
	const uint64_t a = DRAM_BASE + 0x10000, line = config.line_bytes;
	const uint64_t row = ceil_div(line, config.dram_bytes_cycle), l2 = ceil_div(8, config.l2_bytes_cycle);

	/* a miss that opens a row, a miss in the row that is open, hits as often as one likes */
	assert_int_equal(load_takes(w, a, 3), 1 + l2 + config.dram_row_cycles + row + config.dram_latency);
	assert_int_equal(load_takes(w, a + line, 3), 1 + l2 + row + config.dram_latency);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(load_takes(w, a + 8 * i, 3), 1 + l2 + config.l2_latency);
	assert_int_equal(load_takes(w, a, 2), 1 + ceil_div(4, config.l2_bytes_cycle) + config.l2_latency);
	assert_int_equal(load_takes(w, a, 4), 1 + 1 + config.l2_latency);
	/* across lines: the line of the first byte alone is looked at, and brought in */
	assert_int_equal(load_takes(w, a + 2 * line - 4, 3), 1 + l2 + config.l2_latency);
	assert_int_equal(load_takes(w, a + 2 * line, 3), 1 + l2 + row + config.dram_latency);
	assert_int_equal(load_takes(w, a + 4 * line - 4, 3), 1 + l2 + row + config.dram_latency);
	assert_int_equal(load_takes(w, a + 4 * line, 3), 1 + l2 + row + config.dram_latency);
}

static void test_system_memory(void **state)
{
	struct world *w = *state;
	const uint64_t page = host_page(&w->h);

	host_page(&w->h);
	for (unsigned i = 0; i < 3; i++) /* it is not cached */
		assert_int_equal(load_takes(w, page, 3), 1 + ceil_div(8, config.sys_bytes_cycle) + config.sys_latency);
	assert_int_equal(load_takes(w, page, 2), 1 + ceil_div(4, config.sys_bytes_cycle) + config.sys_latency);
	assert_int_equal(load_takes(w, page, 0), 1 + ceil_div(1, config.sys_bytes_cycle) + config.sys_latency);
	assert_int_equal(load_takes(w, page + 4093, 3), 1 + ceil_div(8, config.sys_bytes_cycle) + config.sys_latency);
}

/* Stores take a cycle each; a load behind them waits until the bus, or the L2, has taken their bytes. */
static void test_posted_stores(void **state)
{
	struct world *w = *state;
	const uint64_t page = host_page(&w->h), dram = DRAM_BASE + 0x20000;
	uint64_t stored, loaded;

	for (unsigned stores = 0; stores < 4; stores++) {
		const uint64_t sys = ceil_div(8, config.sys_bytes_cycle), l2 = ceil_div(8, config.l2_bytes_cycle);

		load_behind(w, page + 0x100, 3, page, stores, &stored, &loaded);
		assert_int_equal(stored, stores);
		/* the first begins `stores` + 1 cycles before the load */
		assert_int_equal(loaded, 1 + (stores ? stores * sys - stores - 1 : 0) + sys + config.sys_latency);
		load_takes(w, dram, 3);
		load_behind(w, dram, 3, dram, stores, &stored, &loaded);
		assert_int_equal(stored, stores);
		assert_int_equal(loaded, 1 + (stores ? stores * l2 - (stores * l2 < stores + 1 ? stores * l2 : stores + 1) : 0) + l2 + config.l2_latency);
		/* another memory's bus is idle */
		load_behind(w, dram, 3, page, stores, &stored, &loaded);
		assert_int_equal(stored, stores);
		assert_int_equal(loaded, 1 + l2 + config.l2_latency);
	}
}

/* With a bus whose queue holds nothing: eight stores wait, the next begins when the first of them has been taken. Local memory goes on. */
static void test_store_buffer(void **state)
{
	enum { STORES = 21 };
	struct world *w = *state;
	const uint64_t page = host_page(&w->h), each = 8 / config.sys_bytes_cycle;
	uint64_t begin = 0, taken[STORES];

	config.sys_latency = 0;
	for (unsigned i = 0; i < STORES; i++) {
		if (i >= CP_STORE_BUFFER && taken[i - CP_STORE_BUFFER] > begin)
			begin = taken[i - CP_STORE_BUFFER];
		taken[i] = (i && taken[i - 1] > begin ? taken[i - 1] : begin) + each;
		begin++;
	}
	assert_true(begin > 2 * STORES);
	for (unsigned behind = 0; behind < 4; behind++) {
		measure_begin(w);
		put_li(w, A5, page);
		put_start(w);
		for (unsigned i = 0; i < STORES; i++)
			put(w, enc_sd(A2, A5, (int)(8 * i)));
		if (behind == 1)
			put(w, enc_sd(A2, A0, 0));
		else if (behind == 2)
			put(w, enc_lw(A3, A1, 0x10));
		else if (behind == 3)
			put(w, enc_sw(A2, A1, 0x10));
		/* the first store begins a cycle behind the read of mcycle, which the measure leaves out */
		const uint64_t took = measure_run(w), stores = begin;
		assert_int_equal(took, behind == 0 ? stores : behind == 1 ? stores + 1 : taken[STORES - 1] + (behind == 2 ? 5 : 1));
	}
}

/* The instruction begins when the register is ready; a write that the register holds takes longer. */
static void test_registers_not_ready(void **state)
{
	struct world *w = *state;

	for (unsigned store = 0; store < 2; store++) {
		measure_begin(w);
		put_start(w);
		put(w, store ? enc_sw(A2, A1, NOT_READY) : enc_lw(A3, A1, NOT_READY));
		w->ready_at = cp_cycle(w->cp) + 700;
		measure_run(w);
		assert_int_equal(result(w, 1), w->ready_at + (store ? 1 : 5));
	}
	check_each(w, enc_sw(A2, A1, SLOW), 3, 31);
	check_each(w, enc_lw(A3, A1, SLOW), 3, 5);
}

/* A hart that is stopped while an access waits to begin has done nothing of it, and begins anew in the cycle of the next start. */
static void test_stopped_while_it_waits(void **state)
{
	struct world *w = *state;

	program_begin(w);
	put_li(w, A1, CP_MMIO_BASE);
	put(w, enc_lw(A3, A1, NOT_READY));
	put(w, enc_jal(0, 0));
	w->ready_at = 10000;
	cp_control(w->cp, &(struct cp_control){ .run = true }, 0);
	cp_tick(w->cp, 200);
	assert_int_equal(cp_next(w->cp), 10000);
	cp_control(w->cp, &(struct cp_control){ .run = false }, 300);
	put(w, enc_jal(0, 0));
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = (w->at - 1) * 4 }, 310);
	assert_int_equal(cp_next(w->cp), 310);
	cp_tick(w->cp, 311);
	assert_int_equal(cp_next(w->cp), 312);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_classes, timed, teardown),
		cmocka_unit_test_setup_teardown(test_jumps_and_traps, timed, teardown),
		cmocka_unit_test_setup_teardown(test_wfi_waits, timed, teardown),
		cmocka_unit_test_setup_teardown(test_dram, timed, teardown),
		cmocka_unit_test_setup_teardown(test_system_memory, timed, teardown),
		cmocka_unit_test_setup_teardown(test_posted_stores, timed, teardown),
		cmocka_unit_test_setup_teardown(test_store_buffer, timed, teardown),
		cmocka_unit_test_setup_teardown(test_registers_not_ready, timed, teardown),
		cmocka_unit_test_setup_teardown(test_stopped_while_it_waits, timed, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
