/* What takes no time, and what takes how much: by the CSR `cycle` around a few instructions. */
#include "testbench/model/clocked.h"

static struct rig_range items(const struct bench *b) { return (struct rig_range){ .global = { b->r->config->lanes }, .local = { (uint16_t)b->r->config->lanes } }; }

static const char *const configs[] = { "mini", "full" };

/* All of the code below is held at once. */
static const char *const roomy[] = { "mini,icache_bytes=16384,icache_ways=16", "full" };

static struct bench open_timed(const char *config) { return bench_of(rig_create(config, BUS_TIMED, SIMD_AUTO, false)); }

/* A step over the edge of a page takes an issue. */
static void step_to_the_next_page(void **state)
{
	static const char near[] = "j 1f\n .balign 4096\n .skip 2048\n 1: csrr s2, cycle\n nop\n nop\n csrr s3, cycle\n j 2f\n .balign 4096\n 2:\n";
	static const char over[] = "j 1f\n .balign 4096\n .skip 4088\n 1: csrr s2, cycle\n nop\n nop\n csrr s3, cycle\n j 2f\n .balign 4096\n 2:\n";

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bench b = open_timed(roomy[i]);

		assert_int_equal(clocked(&b, near, items(&b)), 3);
		assert_int_equal(clocked(&b, over, items(&b)), 4);
		rig_destroy(b.r);
	}
}

/* A split waits for a register that another one of its warp has asked for. */
static void registers_of_other_splits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bench b = open_timed(configs[i]);
		const struct device_config *c = b.r->config;
		char text[512];

		for (unsigned divide = 0; divide < 2; divide++) {
			/* lane 0 divides and jumps beyond the others, which then run: theirs is the register */
			snprintf(text, sizeof(text), "li t1, 7\n li s2, 0\n li s3, 0\n" QUIET "bnez t0, 1f\n %s t1, t1, t1\n j 2f\n 1: csrr s2, cycle\n"
						     "mv t4, t1\n csrr s3, cycle\n 2: nop\n", divide ? "div" : "add");
			clocked(&b, text, items(&b));
			/* the other instruction issued alu_latency + 1 before s2 - 1, and its result is read alone */
			assert_int_equal(b.arg[65], divide ? c->div_latency - c->alu_latency : 2);
		}
		rig_destroy(b.r);
	}
}

/* Lanes that part and meet choose in no time. */
static void choosing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bench b = open_timed(configs[i]);
		uint64_t alu = b.r->config->alu_latency;

		assert_int_equal(clocked(&b, QUIET CLOCK "bnez x0, 1f\n nop\n 1: csrr s3, cycle\n", items(&b)), alu + 2);
		assert_int_equal(clocked(&b, QUIET CLOCK "bnez t0, 1f\n nop\n 1: csrr s3, cycle\n", items(&b)), alu + 2);
		assert_int_equal(b.arg[65], alu + 2); /* the lanes that waited, too */
		/* two arms: one of two instructions, then a jump, and one of three */
		assert_int_equal(clocked(&b, QUIET CLOCK "bnez t0, 1f\n nop\n j 2f\n 1: nop\n nop\n nop\n 2: csrr s3, cycle\n", items(&b)), alu + 1 + alu + 3 + 1);
		rig_destroy(b.r);
	}
}

/* A fence changes no cycle where the L1 holds no data: neither of what stands behind it nor of what is under way. */
static void fences(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		static const char *const rows[] = { "mini,l1_data=0", "full" };
		static const char *const bodies[] = {
			"addi t3, s11, -1\n slli t3, t3, 15\n add t3, t3, a1\n" QUIET CLOCK "lw t1, 0(t3)\n %s add t2, s0, s0\n csrr s3, cycle\n mv t4, t1\n",
			"addi t3, s11, -1\n slli t3, t3, 14\n add t3, t3, a1\n" QUIET CLOCK "lw t1, 128(t3)\n %s" RESULT(t1),
			QUIET CLOCK "sw t0, 1024(a1)\n %s lw t1, 1024(a1)\n" RESULT(t1),
		};
		uint64_t without[3];

		for (unsigned fence = 0; fence < 2; fence++)
			for (unsigned k = 0; k < 3; k++) {
				struct bench b = open_timed(rows[i]); /* with caches that hold nothing */
				char text[512];
				uint64_t took;

				snprintf(text, sizeof(text), bodies[k], fence ? "fence rw, rw\n" : "nop\n");
				took = clocked(&b, text, items(&b));
				if (!fence)
					without[k] = took;
				assert_int_equal(took, without[k]);
				if (k == 1)
					assert_true(took > b.r->config->l2_latency);
				rig_destroy(b.r);
			}
		assert_int_equal(without[0], 4); /* the load does not hold the addition up */
	}
}

/* ---- translation ---- */

/* Lane l's address: page l of those at a1. Other pages go through the L1 TLB before, by atomics, which leave the L1 cache alone. */
#define EVICT "li t6, 24\n mv t4, a1\n lui t2, 32\n add t4, t4, t2\n lui t2, 1\n 8: amoor.w t1, x0, (t4)\n add t4, t4, t2\n addi t6, t6, -1\n bnez t6, 8b\n mv a7, t1\n"
#define PAGES "slli t3, t0, 12\n slli t4, t0, 6\n add t3, t3, t4\n add t3, t3, a1\n"

/* Misses of one access overlap; an access that waits for its page keeps the unit for its lines alone. */
static void translations_overlap(void **state)
{
	struct bench b = open_timed("mini");
	const struct device_config *c = b.r->config;
	struct rig_range range = items(&b);
	uint64_t lines = c->lanes, hit = c->l1_latency, walk = c->tlb_l2_latency;

	(void)state;
	/* all four pages and lines are held */
	assert_int_equal(clocked(&b, PAGES "lw t1, 0(t3)\n mv a7, t1\n lw t1, 0(t3)\n mv a7, t1\n" QUIET CLOCK "lw t1, 0(t3)\n" RESULT(t1), range), lines - 1 + hit + 2);
	/* the L1 TLB holds none of them: the longest of four waits */
	assert_int_equal(clocked(&b, PAGES "lw t1, 0(t3)\n mv a7, t1\n" EVICT QUIET CLOCK "lw t1, 0(t3)\n" RESULT(t1), range), walk + lines - 1 + hit + 2);
	/* a load of a held page behind it is served while it waits */
	assert_int_equal(clocked(&b, PAGES "lw t1, 0(t3)\n mv a7, t1\n" EVICT "lw t1, 0(a0)\n mv a7, t1\n" QUIET CLOCK "lw t1, 0(t3)\n lw t2, 0(a0)\n" RESULT(t2), range),
			 lines + hit + 2);
	/* the second of two loads that hit begins when the first one has had its lines, with one line in the cycle after its issue */
	assert_int_equal(clocked(&b, PAGES "lw t1, 0(t3)\n mv a7, t1\n lw t1, 0(a0)\n mv a7, t1\n" QUIET CLOCK "lw t1, 0(t3)\n lw t2, 0(a0)\n" RESULT(t2), range), lines + hit + 2);
	assert_int_equal(clocked(&b, "lw t1, 0(a0)\n mv a7, t1\n" QUIET CLOCK "lw t1, 0(a0)\n lw t2, 0(a0)\n" RESULT(t2), range), 1 + hit + 2);
	rig_destroy(b.r);
}

/* Warps share the load-store unit: two loads of all lanes' lines that issue one after the other in two warps. */
static void warps_share_the_unit(void **state)
{
	struct bench b = open_timed("mini");
	const struct device_config *c = b.r->config;
	struct rig_range range = { .global = { 2 * c->lanes }, .local = { (uint16_t)(2 * c->lanes) } };
	uint64_t lines = c->lanes, took[2];

	(void)state;
	/* a barrier lets both go on in one cycle; warp 0 issues first */
	clocked(&b, "slli t3, t0, 6\n add t3, t3, a1\n lw t1, 0(t3)\n mv a7, t1\n" QUIET BARRIER "csrr s2, cycle\n lw t1, 0(t3)\n" RESULT(t1), range);
	took[0] = b.arg[64];
	took[1] = b.arg[64 + c->lanes];
	/* the csr instructions issue in two cycles, each load behind its own: one waits for the lines of the other */
	if (took[0] > took[1]) {
		uint64_t t = took[0];
		took[0] = took[1];
		took[1] = t;
	}
	assert_in_range(took[0], lines - 1 + c->l1_latency + 2, lines - 1 + c->l1_latency + 4);
	assert_in_range(took[1], took[0] + lines - 3, took[0] + lines);
	rig_destroy(b.r);
}

/* The wait for the page of an instruction that faults is not that of the next access of its unit. */
static void a_fault_leaves_no_wait(void **state)
{
	static const char faults[] = ITEM "addi t3, s0, 2\n slli t3, t3, 36\n lw t1, 0(t3)\n" EXIT; /* lane 0 is at out */
	static const char loads[] = ITEM "li a2, 5\n slli a2, a2, 44\n j 1f\n .balign 256\n 1: " CLOCK "lw t1, 0(a2)\n" RESULT(t1)
				    "sub s3, s3, s2\n sh3add a0, s0, a0\n sd s3, 512(a0)\n" EXIT;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bench b = open_timed(configs[i]);
		const struct rig_range range = { .global = { 2 }, .local = { 2 }, .local_bytes = 64, .units = 1 };

		assert_true(run(&b, faults, range)->faulted);
		assert_int_equal(b.r->ends[0].fault.code, FAULT_PAGE_NOT_PRESENT);
		run_well(&b, loads, range);
		assert_int_equal(b.arg[64], b.r->config->lds_latency + 2);
		rig_destroy(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(step_to_the_next_page), cmocka_unit_test(registers_of_other_splits),
		cmocka_unit_test(choosing),		 cmocka_unit_test(fences),
		cmocka_unit_test(translations_overlap),	 cmocka_unit_test(warps_share_the_unit),
		cmocka_unit_test(a_fault_leaves_no_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
