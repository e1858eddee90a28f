/* The lanes' instructions against an independent oracle, class by class: each engine runs random
 * programs over edge-weighted operands, and every value it stores is compared with what the oracle
 * (MPFR for floating point, plain integers for the rest) and qemu-riscv64 say.
 * Usage: lanes [seed]; ORACLE_CASES is how many cases a class has to have, at least. */
#include "testbench/random.h"
#include "abi/address_map.h"
#include "testbench/model/rig.h"
#include "testbench/oracle/exact.h"
#include "testbench/oracle/lane.h"
#include "testbench/oracle/program.h"
#include "testbench/oracle/qemu.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "testbench/skip.h"

enum { MAX_ENGINES = 3, MAX_REPORTS = 5 };

static uint64_t seed = 1, wanted_cases = 200000;
static struct engine { struct rig *rig; uint8_t *table; const char *name; double seconds; } engines[MAX_ENGINES];
static unsigned num_engines;
static struct qemu *qemu;
static const char *no_qemu;
static uint8_t *input, *expected;
static double oracle_seconds, qemu_seconds;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the three that run a program ---- */

static void run_oracle(const struct program *p, uint64_t code)
{
	static struct insn insns[MAX_WORDS];
	static uint8_t local[GROUP * AREA_BYTES], private_memory[PRIVATE_BYTES];
	struct lane_code c = { .base = code, .insns = insns, .count = p->count };
	double start = now();
	for (unsigned i = 0; i < p->count; i++)
		assert_true(insn_decode(p->words[i], &insns[i]));
	memcpy(expected, input, TABLE_BYTES);
	for (unsigned i = 0; i < ITEMS; i++) {
		struct lane l = { .pc = code, .item = i, .group_size = GROUP, .lanes = 32,
				  .windows = { { TABLE_VA, TABLE_BYTES, expected },
					       { VA_LOCAL_BASE, sizeof(local), local },
					       { VA_PRIVATE_BASE, sizeof(private_memory), private_memory } } };
		l.x[31] = TABLE_VA;
		l.x[28] = i;
		l.pc += p->entry * 4;
		const char *error = lane_run(&l, &c);
		if (error)
			fail_msg("%s; seed %llu", error, (unsigned long long)seed);
	}
	oracle_seconds += now() - start;
}

static void run_engine(struct engine *e, const struct program *p, uint64_t code)
{
	struct rig_range range = { .global = { ITEMS }, .local = { GROUP }, .kernarg = TABLE_VA,
				   .local_bytes = GROUP * AREA_BYTES, .private_bytes = PRIVATE_BYTES };
	double start = now();
	assert_int_equal(rig_load(e->rig, p->words, p->count), code);
	memcpy(e->table, input, TABLE_BYTES);
	const struct rig_end *end = rig_run(e->rig, code, &range);
	if (end->faulted) {
		uint64_t at = (end->fault.pc - code) / 4;
		char text[80] = "?";
		if (at < p->count)
			insn_disassemble(p->words[at], end->fault.pc, text, sizeof(text));
		fail_msg("%s: fault %s at word %llu (%s), address %#llx; seed %llu", e->name, fault_name(end->fault.code),
			 (unsigned long long)at, text, (unsigned long long)end->fault.address, (unsigned long long)seed);
	}
	e->seconds += now() - start;
}

static void run_qemu(const struct program *p, uint64_t code)
{
	static uint32_t words[MAX_WORDS];
	double start = now();
	memcpy(words, p->words, p->count * 4);
	for (unsigned i = 0; i < p->num_cases; i++)
		if (!p->cases[i].qemu)
			words[p->cases[i].first] = 0x13; /* nop */
	memcpy(qemu_table(qemu), input, TABLE_BYTES);
	if (qemu_run(qemu, TABLE_VA, VA_LOCAL_BASE, VA_PRIVATE_BASE, code, words, p->count, p->entry, ITEMS))
		fail_msg("qemu-riscv64 died in a program of class %s; seed %llu", oracle_class_names[p->class],
			 (unsigned long long)seed);
	qemu_seconds += now() - start;
}

/* ---- comparing ---- */

static void explain(const struct program *p, const struct test_case *c, unsigned item, const char *who, uint64_t got,
		    uint64_t want)
{
	static const char *const names[] = { "x", "f" };
	fprintf(stderr, "%s, class %s, item %u: %#llx, the oracle says %#llx\n", who, oracle_class_names[p->class], item,
		(unsigned long long)got, (unsigned long long)want);
	for (unsigned i = 0; i < c->count; i++) {
		char text[80];
		insn_disassemble(p->words[c->first + i], 0, text, sizeof(text));
		fprintf(stderr, "    %s\n", text);
	}
	const uint64_t (*column)[ITEMS] = (const void *)input;
	for (unsigned i = 0; i < NUM_X + NUM_F; i++)
		fprintf(stderr, "  %s%u %016llx%s", names[i >= NUM_X], i >= NUM_X ? i - NUM_X : i + 10,
			(unsigned long long)column[i][item], i % 4 == 3 ? "\n" : "");
	fprintf(stderr, "\n  mode %llu, mask %llu (operands as in the table, before their forms)\n",
		(unsigned long long)column[COL_FRM][item], (unsigned long long)column[COL_MASK][item]);
}

/* Cases that differ. */
static uint64_t compare(const struct program *p, const char *who, const uint8_t *table, bool is_qemu)
{
	const uint64_t (*got)[ITEMS] = (const void *)table, (*want)[ITEMS] = (const void *)expected;
	uint64_t bad = 0;
	for (unsigned k = 0; k < p->num_cases; k++) {
		const struct test_case *c = &p->cases[k];
		if (is_qemu && !c->qemu)
			continue;
		if (!memcmp(got[COL_OUT + c->out], want[COL_OUT + c->out], (size_t)COLUMN * c->outs))
			continue;
		for (unsigned i = 0; i < ITEMS; i++)
			for (unsigned o = c->out; o < c->out + c->outs; o++)
				if (got[COL_OUT + o][i] != want[COL_OUT + o][i]) {
					if (bad++ < MAX_REPORTS)
						explain(p, c, i, who, got[COL_OUT + o][i], want[COL_OUT + o][i]);
					break;
				}
	}
	size_t areas = (size_t)COL_AREAS * COLUMN;
	for (size_t at = areas; at < TABLE_BYTES && memcmp(table + areas, expected + areas, TABLE_BYTES - areas); at++)
		if (table[at] != expected[at]) {
			fprintf(stderr, "%s, class %s: byte %zu of item %zu's area is %#x, the oracle says %#x\n", who,
				oracle_class_names[p->class], (at - areas) % AREA_BYTES, (at - areas) / AREA_BYTES, table[at],
				expected[at]);
			bad++;
			break;
		}
	for (unsigned i = 0; i < SHARED_WORDS; i++)
		if (got[COL_SHARED][i] != want[COL_SHARED][i] && bad++ < MAX_REPORTS)
			explain(p, &p->cases[i % p->num_cases], i, who, got[COL_SHARED][i], want[COL_SHARED][i]);
	return bad;
}

static void check_class(void **state)
{
	enum oracle_class class = (enum oracle_class)(uintptr_t)*state;
	static struct program p;
	struct values r = { seed * 1000003 + class };
	uint64_t cases = 0, qemu_cases = 0, failures = 0;
	oracle_seconds = qemu_seconds = 0;
	for (unsigned e = 0; e < num_engines; e++)
		engines[e].seconds = 0;
	while (cases < wanted_cases && failures < MAX_REPORTS) {
		uint64_t code = engines[0].rig->code_va;
		program_make(&p, class, &r);
		assert_true(p.count <= MAX_WORDS && p.num_outs <= MAX_OUTS);
		memset(input, 0, TABLE_BYTES);
		program_operands(&p, input, &r);
		run_oracle(&p, code);
		for (unsigned e = 0; e < num_engines; e++) {
			run_engine(&engines[e], &p, code);
			failures += compare(&p, engines[e].name, engines[e].table, false);
		}
		if (qemu && p.qemu) {
			run_qemu(&p, code);
			failures += compare(&p, "qemu", qemu_table(qemu), true);
			for (unsigned i = 0; i < p.num_cases; i++)
				qemu_cases += p.cases[i].qemu * (unsigned)ITEMS;
		}
		cases += (uint64_t)p.num_cases * ITEMS;
	}
	printf("%-8s %10llu cases, %llu failures; oracle %.1f s", oracle_class_names[class], (unsigned long long)cases,
	       (unsigned long long)failures, oracle_seconds);
	for (unsigned e = 0; e < num_engines; e++)
		printf(", %s %.1f s", engines[e].name, engines[e].seconds);
	printf(", qemu %llu cases %.1f s\n", (unsigned long long)qemu_cases, qemu_seconds);
	fflush(stdout);
	if (failures)
		fail_msg("%llu cases of class %s differ; seed %llu", (unsigned long long)failures, oracle_class_names[class],
			 (unsigned long long)seed);
}

static void qemu_runs(void **state)
{
	(void)state;
	if (!qemu)
		SKIP(no_qemu);
	assert_non_null(qemu_table(qemu));
}

/* ---- the oracle itself: against MPFR's own rounding, and against the host's arithmetic ---- */

static uint64_t host_arithmetic(enum exact_op op, bool single, unsigned mode, const uint64_t *v)
{
	static const int modes[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
	volatile double d[3], rd;
	volatile float f[3], rf;
	uint64_t bits = 0;
	for (unsigned i = 0; i < 3; i++) {
		d[i] = exact_value(EXACT_DOUBLE, v[i]);
		f[i] = (float)exact_value(EXACT_SINGLE, (uint32_t)v[i]);
	}
	fesetround(modes[mode]);
	switch (op) {
	case EXACT_ADD: rd = d[0] + d[1]; rf = f[0] + f[1]; break;
	case EXACT_SUB: rd = d[0] - d[1]; rf = f[0] - f[1]; break;
	case EXACT_MUL: rd = d[0] * d[1]; rf = f[0] * f[1]; break;
	case EXACT_DIV: rd = d[0] / d[1]; rf = f[0] / f[1]; break;
	case EXACT_SQRT: rd = sqrt(d[0]); rf = sqrtf(f[0]); break;
	default: rd = fma(d[0], d[1], d[2]); rf = fmaf(f[0], f[1], f[2]); break;
	}
	fesetround(FE_TONEAREST);
	double rd2 = rd;
	float rf2 = rf;
	if (single ? rf2 != rf2 : rd2 != rd2)
		return single ? 0x7fc00000 : 0x7ff8000000000000;
	if (single)
		memcpy(&bits, &rf2, 4);
	else
		memcpy(&bits, &rd2, 8);
	return bits;
}

static void oracle_is_mpfrs_and_the_hosts(void **state)
{
	(void)state;
	struct values r = { seed };
	static struct program p;
	uint64_t (*column)[ITEMS] = (void *)input, cases = 0;
	for (unsigned round = 0; round < (wanted_cases > 1000000 ? 200 : 8); round++) {
		bool single = round & 1;
		p.class = single ? ORACLE_FP32 : ORACLE_FP64;
		program_operands(&p, input, &r);
		for (unsigned i = 0; i < ITEMS; i++)
			for (unsigned k = 0; k + 2 < NUM_F; k += 2) {
				enum exact_op op = (enum exact_op)values_below(&r, 6);
				enum exact_format f = single ? EXACT_SINGLE : EXACT_DOUBLE;
				unsigned mode = (unsigned)values_below(&r, 4);
				uint64_t v[3];
				for (unsigned n = 0; n < 3; n++)
					v[n] = single ? (uint32_t)column[COL_F + k + n][i] : column[COL_F + k + n][i];
				uint64_t a = exact_arithmetic(op, f, mode, v[0], v[1], v[2]);
				uint64_t b = exact_subnormalized(op, f, mode, v[0], v[1], v[2]);
				uint64_t c = host_arithmetic(op, single, mode, v);
				if (a != b || a != c)
					fail_msg("operation %d, mode %u, %#llx %#llx %#llx: %#llx, mpfr_subnormalize %#llx, host "
						 "%#llx; seed %llu", op, mode, (unsigned long long)v[0], (unsigned long long)v[1],
						 (unsigned long long)v[2], (unsigned long long)a, (unsigned long long)b,
						 (unsigned long long)c, (unsigned long long)seed);
				cases++;
			}
	}
	printf("oracle   %10llu cases: one rounding, MPFR's own and the host's agree\n", (unsigned long long)cases);
}

static int start(void **state)
{
	static const enum compute_simd simds[] = { SIMD_PORTABLE, SIMD_AVX2, SIMD_AVX512 };
	static const char *const names[] = { "portable", "avx2", "avx512" };
	const char *build = getenv("GALENA_BUILD");
	char runner[4096];
	(void)state;
	input = calloc(1, TABLE_BYTES);
	expected = calloc(1, TABLE_BYTES);
	snprintf(runner, sizeof(runner), "%s/test/oracle/qemu_runner", build ? build : "build");
	qemu = qemu_start(runner, (TABLE_BYTES + 4095) & ~4095ul, MAX_WORDS * 4, &no_qemu);
	for (unsigned i = 0; i < MAX_ENGINES; i++) {
		struct rig *rig = rig_create("full", BUS_FUNCTIONAL, simds[i], false);
		if (strcmp(compute_simd_name(rig->compute), names[i])) {
			printf("# the host lacks %s, or GALENA_SIMD forbids it\n", names[i]);
			rig_destroy(rig);
			continue;
		}
		engines[num_engines++] = (struct engine){ .rig = rig, .name = names[i],
							  .table = rig_buffer(rig, TABLE_VA, (TABLE_BYTES + 4095) & ~4095ul) };
	}
	return !input || !expected || !num_engines;
}

static int stop(void **state)
{
	(void)state;
	for (unsigned i = 0; i < num_engines; i++)
		rig_destroy(engines[i].rig);
	qemu_stop(qemu);
	free(input);
	free(expected);
	return 0;
}

int main(int argc, char **argv)
{
	const char *cases = getenv("ORACLE_CASES");
	seed = seed_take(argc, argv);
	if (cases)
		wanted_cases = strtoull(cases, NULL, 0);
	struct CMUnitTest tests[ORACLE_CLASSES + 2] = { cmocka_unit_test(oracle_is_mpfrs_and_the_hosts),
							cmocka_unit_test(qemu_runs) };
	for (unsigned i = 0; i < ORACLE_CLASSES; i++)
		tests[2 + i] = (struct CMUnitTest){ .name = oracle_class_names[i], .test_func = check_class,
						    .initial_state = (void *)(uintptr_t)i };
	return cmocka_run_group_tests(tests, start, stop);
}
