#include "testbench/model/cp_program.h"
#include "testbench/model/cp_world.h"
#include <libgen.h>
#include <time.h>
#include <unistd.h>

/* Corner cases that C has no words for: division by zero and overflow. */
static void test_division_corners(void **state)
{
	struct world *w = *state;
	static const struct {
		unsigned op, f3;
		uint64_t a, b, expect;
	} cases[] = {
		{ 0x33, 4, 7, 0, UINT64_MAX },
		{ 0x33, 5, 7, 0, UINT64_MAX },
		{ 0x33, 6, 7, 0, 7 },
		{ 0x33, 7, 7, 0, 7 },
		{ 0x33, 4, 1ull << 63, UINT64_MAX, 1ull << 63 },
		{ 0x33, 6, 1ull << 63, UINT64_MAX, 0 },
		{ 0x3b, 4, 7, 1ull << 32, UINT64_MAX },
		{ 0x3b, 5, 7, 1ull << 32, UINT64_MAX },
		{ 0x3b, 6, 0x80000007, 0, 0xffffffff80000007 },
		{ 0x3b, 7, 0x80000007, 0, 0xffffffff80000007 },
		{ 0x3b, 4, 0x80000000, 0xffffffff, 0xffffffff80000000 },
		{ 0x3b, 6, 0x80000000, 0xffffffff, 0 },
	};
	enum { N = sizeof(cases) / sizeof(*cases) };

	program_begin(w);
	for (unsigned i = 0; i < N; i++) {
		put_li(w, A0, cases[i].a);
		put_li(w, A1, cases[i].b);
		put(w, enc_r(cases[i].op, cases[i].f3, 1, A2, A0, A1));
		put(w, enc_sd(A2, S0, (int)i * 8));
	}
	program_end(w);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(result(w, i), cases[i].expect);
}

static void test_atomics(void **state)
{
	struct world *w = *state;
	uint64_t page = host_page(&w->h);
	static const struct {
		unsigned f5;
		uint64_t expect32, expect64;
	} amo[] = {
		{ 0x00, 3, 0x8000000100000003 },
		{ 0x01, 5, 5 },
		{ 0x04, 0xfffffffe ^ 5, 0x80000000fffffffe ^ 5 },
		{ 0x08, 0xffffffff, 0x80000000ffffffff },
		{ 0x0c, 4, 4 },
		{ 0x10, 0xfffffffe, 0x80000000fffffffe }, /* min: both negative */
		{ 0x14, 5, 5 },
		{ 0x18, 5, 5 },
		{ 0x1c, 0xfffffffe, 0x80000000fffffffe },
	};
	enum { N = sizeof(amo) / sizeof(*amo) };
	const uint64_t initial = 0x80000000fffffffe;

	program_begin(w);
	put_li(w, A0, page);
	put_li(w, A1, 5);
	put_li(w, A2, initial);
	for (unsigned i = 0; i < N; i++)
		for (unsigned wide = 0; wide < 2; wide++) {
			put(w, enc_sd(A2, A0, 0));
			put(w, enc_amo(amo[i].f5, 2 + wide, A3, A0, A1));
			put(w, enc_ld(A4, A0, 0));
			put(w, enc_sd(A3, S0, 0));
			put(w, enc_sd(A4, S0, 8));
			put(w, enc_addi(S0, S0, 16));
		}
	program_end(w);
	for (unsigned i = 0; i < N; i++) {
		/* the old value, sign-extended; then memory: a 32-bit AMO leaves the high half */
		assert_int_equal(result(w, i * 4), 0xfffffffffffffffe);
		assert_int_equal(result(w, i * 4 + 1), (initial & 0xffffffff00000000) | amo[i].expect32);
		assert_int_equal(result(w, i * 4 + 2), initial);
		assert_int_equal(result(w, i * 4 + 3), amo[i].expect64);
	}
}

static void test_reservation(void **state)
{
	struct world *w = *state;

	program_begin(w);
	put_li(w, A0, 0x9000);
	put(w, enc_addi(A1, 0, 11));
	put(w, enc_amo(3, 3, A2, A0, A1)); /* sc without lr fails, stores nothing */
	put(w, enc_sd(A2, S0, 0));
	put(w, enc_amo(2, 3, A3, A0, 0));
	put(w, enc_amo(3, 3, A2, A0, A1)); /* succeeds */
	put(w, enc_sd(A2, S0, 8));
	put(w, enc_amo(3, 3, A2, A0, A1)); /* used up */
	put(w, enc_sd(A2, S0, 16));
	put(w, enc_amo(2, 3, A3, A0, 0));
	put(w, enc_sd(0, A0, 0)); /* changed in between */
	put(w, enc_amo(3, 3, A2, A0, A1));
	put(w, enc_sd(A2, S0, 24));
	put(w, enc_amo(2, 2, A3, A0, 0));
	put(w, enc_addi(A0, A0, 8));
	put(w, enc_amo(3, 2, A2, A0, A1)); /* another address */
	put(w, enc_sd(A2, S0, 32));
	program_end(w);
	assert_int_equal(result(w, 0), 1);
	assert_int_equal(result(w, 1), 0);
	assert_int_equal(result(w, 2), 1);
	assert_int_equal(result(w, 3), 1);
	assert_int_equal(result(w, 4), 1);
}

static void test_traps(void **state)
{
	struct world *w = *state;
	uint64_t unpinned = SYSTEM_BASE + 0x5000;
	struct {
		uint32_t word;
		uint64_t cause, tval;
	} cases[] = {
		{ enc_lw(A1, A0, 0), 5, unpinned },
		{ enc_sd(A1, A0, 8), 7, unpinned + 8 },
		{ enc_amo(0, 3, A1, A0, A1), 7, unpinned },
		{ enc_amo(2, 3, A1, A0, 0), 5, unpinned },
		{ enc_amo(0, 3, A1, A2, A1), 6, 0x9004 },
		{ enc_amo(2, 3, A1, A2, 0), 4, 0x9004 },
		{ ENC_ECALL, 11, 0 },
		{ 0xffffffff, 2, 0xffffffff },
		{ enc_csrrs(A1, 0x123, 0), 2, enc_csrrs(A1, 0x123, 0) },   /* no such CSR */
		{ enc_csrrw(A1, 0xf14, A1), 2, enc_csrrw(A1, 0xf14, A1) }, /* read-only CSR */
		{ enc_i(0x03, 0, A1, A3, 0), 5, CP_MMIO_BASE },		   /* a byte of a register */
		{ enc_lw(A1, A3, 2), 5, CP_MMIO_BASE + 2 },
		{ enc_amo(0, 2, A1, A3, A1), 7, CP_MMIO_BASE },
		{ enc_lw(A1, A4, 0), 5, UINT64_MAX - 1 },
	};
	enum { N = sizeof(cases) / sizeof(*cases) };
	unsigned first;

	program_begin(w);
	put_handler(w);
	put_li(w, A0, unpinned);
	put_li(w, A2, 0x9004);
	put_li(w, A3, CP_MMIO_BASE);
	put_li(w, A4, UINT64_MAX - 1);
	first = w->at;
	for (unsigned i = 0; i < N; i++)
		put(w, cases[i].word);
	put(w, enc_csrrw(0, 0x305, 0)); /* no handler: the ebreak ends the program */
	program_end(w);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(result(w, i * 3), cases[i].cause);
		assert_int_equal(result(w, i * 3 + 1), cases[i].tval);
		assert_int_equal(result(w, i * 3 + 2), (first + i) * 4);
	}
}

static void test_crashes(void **state)
{
	struct world *w = *state;

	/* a handler whose first instruction traps */
	program_begin(w);
	put(w, enc_addi(T0, 0, 0x400));
	put(w, enc_csrrw(0, 0x305, T0));
	put(w, ENC_ECALL);
	w->at = 0x400 / 4;
	put(w, 0xffffffff);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 10);
	cp_tick(w->cp, 1000);
	assert_int_equal(cp_state(w->cp), CP_CRASHED);
	assert_int_equal(cp_crash(w->cp)->cause, 2);
	assert_int_equal(cp_crash(w->cp)->pc, 0x400);
	assert_int_equal(cp_crash(w->cp)->address, 0xffffffff);
	assert_int_equal(cp_next(w->cp), UINT64_MAX);
	/* running off the local memory */
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0x40000 }, 0);
	cp_tick(w->cp, 100000);
	assert_int_equal(cp_state(w->cp), CP_CRASHED);
	assert_int_equal(cp_crash(w->cp)->cause, 1);
	/* a 4-byte instruction that would end behind it */
	assert_true(cp_tcm_write(w->cp, 0x3fffe, &(uint16_t){ 0x0013 }, 2));
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0x3fffe }, 0);
	cp_tick(w->cp, 100000);
	assert_int_equal(cp_state(w->cp), CP_CRASHED);
	assert_int_equal(cp_crash(w->cp)->cause, 1);
}

static void test_interrupt(void **state)
{
	struct world *w = *state;
	uint64_t resume;

	program_begin(w);
	put_handler(w);
	put_li(w, T0, 1 << 11);
	put(w, enc_csrrs(0, 0x304, T0));
	put(w, ENC_WFI);
	put(w, enc_addi(A1, 0, 1));
	put(w, enc_i(0x73, 6, 0, 8, 0x300)); /* csrrsi mstatus.MIE */
	put(w, enc_addi(A1, 0, 2));
	put(w, enc_csrrw(0, 0x305, 0));
	put(w, ENC_EBREAK);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 100);
	cp_tick(w->cp, 5000);
	assert_int_equal(cp_state(w->cp), CP_WAITING);
	assert_int_equal(cp_next(w->cp), UINT64_MAX);
	cp_tick(w->cp, 9000); /* does nothing */
	resume = 20000;
	cp_irq(w->cp, &(struct cp_irq){ true }, resume);
	assert_int_equal(cp_next(w->cp), resume);
	/* goes on after wfi with MIE clear; the interrupt comes when MIE is set; its handler skips one
	 * instruction and, as the line is still high, is entered again */
	cp_tick(w->cp, resume + 2);
	assert_int_equal(result(w, 0), 0);
	cp_tick(w->cp, resume + 13);
	assert_int_equal(result(w, 0), 1ull << 63 | 11);
	cp_irq(w->cp, &(struct cp_irq){ false }, resume + 13);
	cp_tick(w->cp, resume + 1000);
	assert_int_equal(cp_state(w->cp), CP_CRASHED);
	assert_int_equal(cp_crash(w->cp)->cause, 3);
}

static void test_mmio_and_yield(void **state)
{
	struct world *w = *state;
	uint64_t before;

	program_begin(w);
	put_li(w, A0, CP_MMIO_BASE);
	put_li(w, A1, 0x1122334455667788);
	put(w, enc_sd(A1, A0, 0x10));
	put(w, enc_lw(A2, A0, 0x14));
	put(w, enc_sd(A2, S0, 0));
	put(w, enc_sw(A1, A0, 0x80)); /* yields */
	put(w, enc_sw(A1, A0, 0x84));
	put(w, ENC_EBREAK);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, 100000);
	assert_int_equal(w->mmio[2], 0x1122334455667788);
	assert_int_equal(result(w, 0), 0x11223344);
	assert_int_equal(w->mmio_offset, 0x80);
	assert_int_equal(cp_state(w->cp), CP_RUNNING);
	before = cp_insns(w->cp);
	cp_tick(w->cp, 100000);
	assert_int_equal(w->mmio_offset, 0x84);
	assert_int_equal(cp_insns(w->cp), before + 1); /* the ebreak does not retire */
}

/* Code that the program itself, or the host, has overwritten is decoded again. */
static void test_self_modifying(void **state)
{
	struct world *w = *state;
	unsigned target;

	program_begin(w);
	target = w->at + 1 + 2 * 11 + 1 + 1;
	put(w, enc_addi(A2, 0, 2));
	put_li(w, A0, target * 4);
	put_li(w, A1, enc_addi(A3, 0, 99));
	put(w, enc_addi(A4, 0, 0));
	put(w, enc_jal(0, 4));
	assert_int_equal(w->at, target);
	put(w, enc_addi(A3, 0, 1)); /* overwritten after the first pass */
	put(w, enc_r(0x33, 0, 0, A4, A4, A3));
	put(w, enc_sw(A1, A0, 0));
	put(w, enc_addi(A2, A2, -1));
	put(w, enc_b(1, A2, 0, -16));
	put(w, enc_sd(A4, S0, 0));
	program_end(w);
	assert_int_equal(result(w, 0), 100);
}

/* An atomic that overwrites its own instruction has what it read, and x0 stays 0. */
static void test_atomics_of_themselves(void **state)
{
	struct world *w = *state;
	uint32_t amo = enc_amo(1, 2, A3, A0, A1), sc = enc_amo(3, 2, A4, A2, A1);

	program_begin(w);
	put_li(w, A1, ENC_NOP);
	put_li(w, A0, 0x800);
	put_li(w, A2, 0x808);
	put(w, enc_addi(A4, 0, 7));
	put(w, enc_jal(0, 0x800 - (int)w->at * 4));
	w->at = 0x800 / 4;
	put(w, amo);
	put(w, enc_amo(2, 2, A5, A2, 0));
	put(w, sc);
	put(w, enc_sd(0, S0, 0));
	put(w, enc_sd(A3, S0, 8));
	put(w, enc_sd(A4, S0, 16));
	program_end(w);
	assert_int_equal(result(w, 0), 0);
	assert_int_equal(result(w, 1), (uint64_t)(int32_t)amo);
	assert_int_equal(result(w, 2), 0);
}

static char *image_path;

static void compiled_run(enum bus_speed speed, uint64_t seed)
{
	static uint8_t image[0x20000];
	struct world *w = world_create(speed);
	struct program_block *host = calloc(1, sizeof(*host)), *device = calloc(1, sizeof(*device));
	FILE *f = fopen(image_path, "rb");
	struct timespec t0, t1;
	double s;

	assert_non_null(f);
	assert_in_range(fread(image, 1, sizeof(image), f), 1, sizeof(image) - 1);
	fclose(f);
	host->seed = seed;
	assert_true(cp_tcm_write(w->cp, 0, image, sizeof(image)));
	assert_true(cp_tcm_write(w->cp, PROGRAM_BLOCK, host, sizeof(*host)));
	clock_gettime(CLOCK_MONOTONIC, &t0);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, 1ull << 40);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	assert_int_equal(cp_state(w->cp), CP_CRASHED);
	if (cp_crash(w->cp)->cause != 3)
		fail_msg("cause %llu at %#llx, mtval %#llx", (unsigned long long)cp_crash(w->cp)->cause,
			 (unsigned long long)cp_crash(w->cp)->pc, (unsigned long long)cp_crash(w->cp)->address);
	program_run(host);
	assert_true(cp_tcm_read(w->cp, PROGRAM_BLOCK, device, sizeof(*device)));
	for (unsigned i = 0; i < PROGRAM_RESULTS; i++)
		if (device->result[i] != host->result[i])
			fail_msg("result %u: %#llx, host %#llx", i, (unsigned long long)device->result[i],
				 (unsigned long long)host->result[i]);
	assert_memory_equal(device, host, sizeof(*host));
	s = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
	printf("# %llu instructions, %llu cycles, %.0f MIPS\n", (unsigned long long)cp_insns(w->cp),
	       (unsigned long long)cp_cycle(w->cp), (double)cp_insns(w->cp) / s * 1e-6);
	if (speed == BUS_FUNCTIONAL)
		assert_int_equal(cp_cycle(w->cp), cp_insns(w->cp));
	else
		assert_true(cp_cycle(w->cp) > cp_insns(w->cp));
	free(host);
	free(device);
	teardown((void **)&w);
}

static void test_compiled_program(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		compiled_run(i % 2 ? BUS_TIMED : BUS_FUNCTIONAL, random_next());
}

/* Random words as a program: whatever they do, the hart stays within its bounds. */
static void test_random_words(void **state)
{
	struct world *w = *state;
	uint32_t word;

	host_page(&w->h);
	for (unsigned n = 0; n < 300; n++) {
		for (unsigned i = 0; i < 1024; i++) {
			word = (uint32_t)random_next();
			if (random_below(3))
				word |= 3;
			cp_tcm_write(w->cp, i * 4, &word, 4);
		}
		cp_control(w->cp, &(struct cp_control){ .run = true, .entry = random_below(4096) }, 0);
		for (unsigned i = 0; i < 20; i++) {
			uint64_t until = cp_cycle(w->cp) + 500;

			cp_irq(w->cp, &(struct cp_irq){ random_below(2) }, cp_cycle(w->cp));
			cp_tick(w->cp, until);
			assert_true(cp_cycle(w->cp) <= until + 100);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_division_corners, setup, teardown),
		cmocka_unit_test_setup_teardown(test_atomics, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reservation, setup, teardown),
		cmocka_unit_test_setup_teardown(test_traps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_crashes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_interrupt, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mmio_and_yield, setup, teardown),
		cmocka_unit_test_setup_teardown(test_self_modifying, setup, teardown),
		cmocka_unit_test_setup_teardown(test_atomics_of_themselves, setup, teardown),
		cmocka_unit_test(test_compiled_program),
		cmocka_unit_test_setup_teardown(test_random_words, setup, teardown),
	};
	char path[4096], *copy = strdup(argv[0]);

	snprintf(path, sizeof(path), "%s/cp_program.bin", dirname(copy));
	free(copy);
	image_path = path;
	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
