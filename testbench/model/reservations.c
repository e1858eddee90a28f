/* Load-reserved and store-conditional of compute units: what ends a reservation and what does not, also where the value is the
 * reserved one again; and that loops get on, however many lanes go for how few entries. */
#include "testbench/model/kernel.h"

/* Of the output: word that is reserved, flags, result. No two lie in lines of one entry. */
enum { TOLD = 3 * 128, DONE = 5 * 128, RESULT = 7 * 128 };
enum { HELD = 5, STORED = 7, LIMIT = 1 << 20 };

#define ARGS "csrr a0, 0xcc9\n ld a1, 0(a0)\n ld a4, 8(a0)\n ld a5, 16(a0)\n add a4, a4, a1\n add a5, a5, a1\n addi a2, a1, 3 * 128\n addi a3, a1, 5 * 128\n"
#define TELL(flag) "li t0, 1\n amoswap.w x0, t0, (" flag ")\n"
#define AWAIT(flag) "8: amoor.w t0, x0, (" flag ")\n beqz t0, 8b\n"
#define RESERVER(lr, sc) ARGS lr " t1, (a1)\n" TELL("a2") AWAIT("a3") "li t2, 7\n" sc " t3, t2, (a1)\n sw t3, 7 * 128(a1)\n" EXIT

/* ---- one lane reserves, another one does something ---- */

/* a4: the next line of the same entry, a5: the next line */
static const struct { const char *text; bool ends, plain; } betweens[] = {
	{ "", false, false },
	{ "lw t1, 0(a1)\n", false, false },
	{ "lr.w t1, (a1)\n", false, false },
	{ "li t1, 9\n sc.w t2, t1, (a1)\n", false, false },		    /* without a reservation */
	{ "li t1, 9\n li t2, 9\n amocas.w t1, t2, (a1)\n", false, false }, /* memory differs: nothing is stored */
	{ "li t1, 5\n li t2, 5\n amocas.w t1, t2, (a1)\n", true, false },  /* from here on the value stays what it was, or comes back */
	{ "amoadd.w x0, x0, (a1)\n", true, false },
	{ "li t1, 1\n amoadd.w x0, t1, (a1)\n li t1, -1\n amoadd.w x0, t1, (a1)\n", true, false },
	{ "1: lr.w t1, (a1)\n sc.w t2, t1, (a1)\n bnez t2, 1b\n", true, false },
	{ "addi t1, a1, 8\n amoadd.d x0, x0, (t1)\n", true, false },	     /* other bytes of the line */
	{ "amoadd.w x0, x0, (a5)\n", false, false },			     /* another line */
	{ "amoadd.w x0, x0, (a4)\n", false, false },			     /* another line of the entry, which has one */
	{ "lr.w t1, (a4)\n", false, false },
	{ "lr.w t1, (a4)\n amoadd.w x0, x0, (a4)\n", true, false },	     /* which has several */
	{ "lr.w t1, (a4)\n sub t1, a4, a1\n add t1, t1, a4\n amoadd.w x0, x0, (t1)\n", true, false }, /* a third one */
	{ "lr.w t1, (a4)\n amoadd.w x0, x0, (a5)\n", false, false },
	{ "li t1, 9\n sw t1, 0(a1)\n li t1, 5\n sw t1, 0(a1)\n", true, true },
	{ "li t1, 5\n sw t1, 0(a1)\n", true, true },
	{ "sb x0, 31(a1)\n", true, true },
	{ "sd x0, -4(a5)\n", true, true },				     /* into the line behind */
	{ "sw x0, 0(a5)\n sw x0, 0(a4)\n", false, true },
	{ "lr.w t1, (a4)\n sw x0, 0(a4)\n", true, true },
};
enum { BETWEENS = sizeof(betweens) / sizeof(*betweens) };

static struct bench open_reserved(const char *config, enum bus_speed speed)
{
	struct bench b = bench_of(rig_create(config, speed, SIMD_AUTO, false));

	b.arg[1] = b.r->config->line_bytes * b.r->config->reservation_lines;
	b.arg[2] = b.r->config->line_bytes;
	b.out[0] = HELD;
	return b;
}

static void assert_stored(const struct bench *b, bool stored, const char *what)
{
	if (b->out[RESULT / 4] == stored || (b->out[0] == STORED) != stored)
		fail_msg("sc gave %u, memory holds %u, after %s", b->out[RESULT / 4], b->out[0], what);
}

static void between(const char *config, enum bus_speed speed, unsigned n, uint32_t other)
{
	struct bench b = open_reserved(config, speed);
	struct rig_range range = { .global = { 1 }, .local = { 1 }, .kernarg = arg_va, .units = 1 };
	char text[1024];

	assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, RESERVER("lr.w", "sc.w")), &range), FAULT_NONE);
	range.units = other;
	snprintf(text, sizeof text, ARGS AWAIT("a2") "%s" TELL("a3") EXIT, betweens[n].text);
	assert_int_equal(rig_start(b.r, 1, rig_load_text(b.r, text), &range), FAULT_NONE);
	assert_true(rig_finish(b.r, LIMIT));
	assert_false(b.r->ends[0].faulted || b.r->ends[1].faulted);
	assert_stored(&b, !betweens[n].ends, betweens[n].text);
	rig_destroy(b.r);
}

static void lanes_of_the_same_unit(void **state)
{
	(void)state;
	for (unsigned n = 0; n < BETWEENS; n++) {
		between("mini", BUS_TIMED, n, 1);
		between("full,exact=1", BUS_TIMED, n, 1);
	}
}

static void lanes_of_another_unit(void **state)
{
	(void)state;
	for (unsigned n = 0; n < BETWEENS; n++) {
		between("mini,num_cu=2", BUS_TIMED, n, 2);
		between("mini,num_cu=2,l1_data=1", BUS_TIMED, n, 2);
	}
}

/* Also where a unit sees stores of another one late: atomics have one order everywhere. */
static void atomics_at_any_speed(void **state)
{
	(void)state;
	for (unsigned n = 0; n < BETWEENS; n++)
		for (unsigned setup = 0; setup < 4 && !betweens[n].plain; setup++) {
			between(setups[setup].config, setups[setup].speed, n, 1);
			between("full", setups[setup].speed, n, 2);
		}
}

/* ---- writes of others ---- */

enum other { OTHER_READS, OTHER_WRITES, OTHER_STORES, OTHER_CLEARS, OTHER_LINES, HOST_WRITES, HOST_CHANGES, OTHERS };
static const bool ends[OTHERS] = { [OTHER_WRITES] = true, [OTHER_STORES] = true, [OTHER_CLEARS] = true, [OTHER_LINES] = true, [HOST_CHANGES] = true };

static void other_writes(struct bench *b, enum other how)
{
	const uint64_t pa = DRAM_BASE + (uint64_t)((uint8_t *)b->out - b->r->mem.dram);
	static uint8_t copy[OUT_BYTES / 2];
	uint32_t same = b->out[0];

	b->r->mem.charged = false; /* no unit has these to pay */
	if (how == OTHER_READS)
		physmem_read(&b->r->mem, pa, &same, 4);
	else if (how == OTHER_WRITES)
		physmem_write(&b->r->mem, pa, &same, 4);
	else if (how == OTHER_STORES)
		physmem_store(&b->r->mem, UNIT_SEM, pa, &same, 4, 0);
	else if (how == OTHER_CLEARS)
		physmem_clear(&b->r->mem, pa, 4096);
	else if (how == OTHER_LINES) { /* more than there are entries */
		memcpy(copy, b->out, sizeof copy);
		physmem_write(&b->r->mem, pa, copy, sizeof copy);
	} else
		b->out[0] = how == HOST_CHANGES ? same + 1 : same;
	b->out[0] = how == OTHER_CLEARS ? same : b->out[0];
	b->out[DONE / 4] = 1;
}

/* What other units write ends a reservation; what the host writes, if it is another value. */
static void writes_of_other_blocks(void **state)
{
	(void)state;
	FOR_SETUPS for (unsigned how = 0; how < OTHERS; how++) {
		struct bench b = open_reserved(setups[setup].config, setups[setup].speed);
		const struct rig_range range = { .global = { 1 }, .local = { 1 }, .kernarg = arg_va };

		assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, RESERVER("lr.w", "sc.w")), &range), FAULT_NONE);
		assert_false(rig_finish(b.r, 20000));
		assert_int_equal(b.out[TOLD / 4], 1);
		other_writes(&b, (enum other)how);
		assert_true(rig_finish(b.r, LIMIT));
		assert_int_equal(b.out[RESULT / 4], ends[how]);
		assert_true(ends[how] || b.out[0] == STORED);
		rig_destroy(b.r);
	}
}

/* ---- addresses ---- */

/* One page at two virtual addresses: the line is reserved, not an address. */
static void reservations_are_physical(void **state)
{
	static const struct { const char *text; bool stores; } cases[] = {
		{ "lr.w t1, (a1)\n sc.w t3, t2, (a4)\n", true },
		{ "lr.w t1, (a4)\n sc.w t3, t2, (a1)\n", true },
		{ "lr.w t1, (a1)\n amoadd.w x0, x0, (a4)\n sc.w t3, t2, (a1)\n", false },
		{ "addi a5, a1, 4\n lr.w t1, (a5)\n sc.w t3, t2, (a1)\n", false }, /* of the line, and the value is the same */
	};

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bench b = open_reserved(setups[setup].config, setups[setup].speed);
		char text[512];

		b.out[1] = HELD;
		rig_map(b.r, 0x2300000000, DRAM_BASE + (uint64_t)((uint8_t *)b.out - b.r->mem.dram), 4096, PTE_R | PTE_W);
		b.arg[1] = 0x2300000000 - out_va;
		snprintf(text, sizeof text, ARGS "li t2, 7\n %s sw t3, 7 * 128(a1)\n" EXIT, cases[i].text);
		run_well(&b, text, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		assert_stored(&b, cases[i].stores, cases[i].text);
		rig_destroy(b.r);
	}
}

/* In local memory: lane 0 reserves, lane 1 does something, lane 0 stores. */
static void local_memory(void **state)
{
	static const struct { const char *text; bool ends, plain; } cases[] = {
		{ "lw t1, 0(a6)\n", false, false },
		{ "amoadd.w x0, x0, (a6)\n", true, false },
		{ "addi t1, a6, 4\n amoadd.w x0, x0, (t1)\n", true, false },
		{ "addi t1, a6, 1024\n amoadd.w x0, x0, (t1)\n", false, false },
		{ "li t1, 9\n sw t1, 0(a6)\n li t1, 5\n sw t1, 0(a6)\n", true, true },
		{ "sb x0, 31(a6)\n", true, true },
		{ "sw x0, 1024(a6)\n", false, true },
		{ "li t1, 5\n amoswap.w x0, t1, (a1)\n", false, true }, /* not local */
	};

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		const bool exact = setup == 3; /* mini, timed */
		struct bench b = open_reserved(setups[setup].config, setups[setup].speed);
		char text[1024];

		snprintf(text, sizeof text, ARGS "li a6, 5\n slli a6, a6, 44\n csrr a7, 0xcca\n li t2, 5\n bnez a7, 1f\n sw t2, 0(a6)\n lr.w t1, (a6)\n 1:" SG_SYNC
			 "beqz a7, 2f\n %s 2:" SG_SYNC "bnez a7, 3f\n li t2, 7\n sc.w t3, t2, (a6)\n sw t3, 7 * 128(a1)\n lw t3, 0(a6)\n sw t3, 0(a1)\n 3:" EXIT, cases[i].text);
		run_well(&b, text, (struct rig_range){ .global = { 2 }, .local = { 2 }, .local_bytes = 2048 });
		if (exact || !cases[i].plain)
			assert_stored(&b, !cases[i].ends, cases[i].text);
		rig_destroy(b.r);
	}
}

/* Private memory is the lane's own: its stores end no reservation there, if they leave the value. */
static void private_memory(void **state)
{
	static const struct { const char *text; bool stores; } cases[] = {
		{ "lr.w t1, (sp)\n sw t1, 0(sp)\n sc.w t3, t2, (sp)\n", true },
		{ "lr.d t1, (sp)\n sd t1, 0(sp)\n amoadd.d x0, x0, (sp)\n sc.d t3, t2, (sp)\n", true },
		{ "lr.w t1, (sp)\n sw t2, 0(sp)\n sc.w t3, t2, (sp)\n", false },
	};

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bench b = open_bench(setup);
		const uint32_t lanes = b.r->config->lanes;
		char text[512];

		snprintf(text, sizeof text, ITEM "addi sp, sp, -32\n sd x0, 0(sp)\n li t2, 7\n %s ld a1, 0(a0)\n sh2add a1, s0, a1\n addi t3, t3, 1\n sw t3, 0(a1)\n" EXIT, cases[i].text);
		run_well(&b, text, (struct rig_range){ .global = { lanes }, .local = { (uint16_t)lanes }, .private_bytes = 64 });
		for (uint32_t lane = 0; lane < lanes; lane++)
			assert_int_equal(b.out[lane], cases[i].stores ? 1 : 2);
		rig_destroy(b.r);
	}
}

/* ---- many lanes ---- */

/* Of lanes that have reserved one line, the first one stores; of those of other lines each. */
static void lanes_of_one_warp(void **state)
{
	(void)state;
	FOR_SETUPS for (unsigned apart = 0; apart < 2; apart++) {
		struct bench b = open_reserved(setups[setup].config, setups[setup].speed);
		const uint32_t lanes = b.r->config->lanes, line = b.r->config->line_bytes;

		b.arg[1] = apart ? line : 4;
		run_well(&b, ITEM "ld a1, 0(a0)\n ld t0, 8(a0)\n mul t0, t0, s0\n add a2, a1, t0\n lr.w t1, (a2)\n li t2, 7\n sc.w t3, t2, (a2)\n"
			     "li t0, 0x10000\n add a1, a1, t0\n sh2add a1, s0, a1\n sw t3, 0(a1)\n" EXIT, (struct rig_range){ .global = { lanes }, .local = { (uint16_t)lanes } });
		for (uint32_t lane = 0; lane < lanes; lane++)
			assert_int_equal(b.out[0x10000 / 4 + lane], !(apart || lane % (line / 4) == 0));
		rig_destroy(b.r);
	}
}

/* Each lane adds ROUNDS to a word, of 64 that are so many bytes apart. */
static void count(const char *config, enum bus_speed speed, uint64_t apart)
{
	enum { ROUNDS = 3, WORDS = 64 };
	struct bench b = bench_of(rig_create(config, speed, SIMD_AUTO, false));
	const uint32_t local = b.r->config->max_wg_size, items = 2 * local * b.r->config->num_cu;

	b.arg[1] = apart;
	run_well(&b, ITEM "ld a1, 0(a0)\n ld t0, 8(a0)\n andi t1, s0, 63\n mul t0, t0, t1\n add a2, a1, t0\n li t5, 3\n"
		     "1: lr.w t1, (a2)\n addi t1, t1, 1\n sc.w t2, t1, (a2)\n bnez t2, 1b\n addi t5, t5, -1\n bnez t5, 1b\n" EXIT,
		 (struct rig_range){ .global = { items }, .local = { (uint16_t)local } });
	for (uint32_t i = 0; i < WORDS && (apart || !i); i++)
		assert_int_equal(b.out[i * apart / 4], ROUNDS * (apart ? items / WORDS + (i < items % WORDS) : items));
	rig_destroy(b.r);
}

static void loops_get_on(void **state)
{
	static const uint64_t aparts[] = { 0, 4, 64, 128, 1024, 8192 };
	static const char *const configs[] = { "mini", "mini,num_cu=3", "mini,num_cu=3,l1_data=1", "mini,reservation_lines=1", "full", "full,reservation_lines=1", "full,exact=1" };

	(void)state;
	for (unsigned c = 0; c < sizeof configs / sizeof *configs; c++)
		for (unsigned i = 0; i < sizeof aparts / sizeof *aparts; i++) {
			count(configs[c], BUS_TIMED, aparts[i]);
			count(configs[c], BUS_FUNCTIONAL, aparts[i]);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_of_the_same_unit), cmocka_unit_test(lanes_of_another_unit), cmocka_unit_test(atomics_at_any_speed),
		cmocka_unit_test(writes_of_other_blocks), cmocka_unit_test(reservations_are_physical), cmocka_unit_test(local_memory),
		cmocka_unit_test(private_memory),	  cmocka_unit_test(lanes_of_one_warp),	       cmocka_unit_test(loops_get_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
