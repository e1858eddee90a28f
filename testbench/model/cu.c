/* What a compute unit keeps apart and counts: local memory and registers between address spaces and
 * between protected jobs and others, hung kernels on request, counters. */
#include "model/prot/protection.h"
#include "testbench/model/kernel.h"

enum { PROTECTED_SPACE = RIG_ASID | SPACE_PROTECTED };
static const uint64_t secret_va = 0x2500000000;

/* Fills its local memory, 512 bytes a work-item of 16. */
static const char fill_local[] = ITEM "csrr t0, 0xcc0\n slli t0, t0, 9\n li a2, 5\n slli a2, a2, 44\n add a2, a2, t0\n li t1, 64\n li t2, -1\n"
				      "1: sd t2, 0(a2)\n addi a2, a2, 8\n addi t1, t1, -1\n bnez t1, 1b\n" EXIT;
/* Each work-item gathers what its part holds, into out[global id]. */
static const char gather_local[] = ITEM "ld a1, 0(a0)\n csrr t0, 0xcc0\n slli t0, t0, 9\n li a2, 5\n slli a2, a2, 44\n add a2, a2, t0\n li t1, 64\n"
					"1: ld t2, 0(a2)\n or t3, t3, t2\n addi a2, a2, 8\n addi t1, t1, -1\n bnez t1, 1b\n"
					"sh3add a1, s0, a1\n sd t3, 0(a1)\n" EXIT;

static uint64_t gathered(struct bench *b, uint32_t space)
{
	uint64_t all = 0;
	memset(b->out, 0xee, OUT_BYTES);
	run_well(b, gather_local, (struct rig_range){ .global = { 1024 }, .local = { 16 }, .local_bytes = 8192, .space = space });
	for (unsigned i = 0; i < 1024; i++)
		all |= ((uint64_t *)b->out)[i];
	return all;
}

static void local_memory_is_cleared_between_spaces(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		struct rig_range fill = { .global = { 1024 }, .local = { 16 }, .local_bytes = 8192, .space = PROTECTED_SPACE };
		assert_int_equal(gathered(&b, RIG_ASID), 0);
		run_well(&b, fill_local, fill);
		assert_int_equal(gathered(&b, RIG_ASID), 0); /* from a protected job to another */
		run_well(&b, fill_local, fill);
		fill.space = RIG_ASID;
		run_well(&b, fill_local, fill);
		assert_int_equal(gathered(&b, PROTECTED_SPACE), 0); /* and back: it was others' in between */
		run_well(&b, fill_local, fill);
		assert_int_equal(gathered(&b, RIG_ASID), UINT64_MAX); /* its own it may find */
		rig_destroy(b.r);
	}
}

/* A work-group that runs keeps what it has put into local memory, whatever is said of its space meanwhile. */
static void a_space_that_goes_leaves_nothing(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		uint64_t keep = rig_load_text(b.r, ITEM "ld a1, 0(a0)\n csrr t0, 0xcc0\n li a2, 5\n slli a2, a2, 44\n sh2add a2, t0, a2\n sw s0, 0(a2)\n"
							"li t1, 3000\n 1: addi t1, t1, -1\n bnez t1, 1b\n lw t2, 0(a2)\n sh2add a1, s0, a1\n sw t2, 0(a1)\n" EXIT);
		struct rig_range range = { .global = { 64 }, .local = { 16 }, .local_bytes = 8192, .kernarg = arg_va };
		run_well(&b, fill_local, (struct rig_range){ .global = { 1024 }, .local = { 16 }, .local_bytes = 8192 });
		compute_forget(b.r->compute, &(struct compute_forget){ .all = false, .asid = RIG_ASID + 1 }, 0);
		assert_int_equal(gathered(&b, RIG_ASID), UINT64_MAX);
		compute_forget(b.r->compute, &(struct compute_forget){ .all = false, .asid = RIG_ASID }, 0);
		assert_int_equal(gathered(&b, RIG_ASID), 0);
		assert_int_equal(rig_start(b.r, 0, keep, &range), FAULT_NONE);
		assert_false(rig_finish(b.r, 1000)); /* some run */
		compute_forget(b.r->compute, &(struct compute_forget){ .all = true, .asid = 0 }, 0);
		assert_true(rig_finish(b.r, 1 << 26));
		for (uint32_t i = 0; i < 64; i++)
			assert_int_equal(b.out[i], i);
		run_well(&b, fill_local, (struct rig_range){ .global = { 1024 }, .local = { 16 }, .local_bytes = 8192 });
		compute_reset(b.r->compute, b.r->now);
		assert_int_equal(gathered(&b, RIG_ASID), 0);
		rig_destroy(b.r);
	}
}

/* After a reset the same dispatches issue and begin as they did at first. */
static void searches_begin_anew(void **state)
{
	(void)state;
	static const char text[] = ITEM "ld a1, 0(a0)\n sh3add a1, s0, a1\n li t2, 40\n 1: mul t1, t1, t1\n addi t1, t1, 3\n addi t2, t2, -1\n bnez t2, 1b\n"
				   "csrr t1, cycle\n sd t1, 0(a1)\n" EXIT;
	enum { ITEMS = 512 };
	for (unsigned setup = 1; setup < 4; setup += 2) { /* timed */
		struct bench b = open_bench(setup);
		unsigned lanes = b.r->config->lanes;
		uint64_t entry = rig_load_text(b.r, text), last = rig_load_text(b.r, "csrr t0, 0xccb\n 1: addi t0, t0, -1\n bgez t0, 1b\n" EXIT), ended[3][2][ITEMS];
		struct rig_range range = { .global = { ITEMS }, .local = { (uint16_t)lanes }, .kernarg = arg_va };
		for (unsigned round = 0; round < 3; round++) { /* the first warms the caches */
			if (round)
				compute_reset(b.r->compute, b.r->now);
			uint64_t from = b.r->now = (b.r->now / 4096 + 1) * 4096;
			for (unsigned slot = 0; slot < 2; slot++) {
				struct rig_range two = range;
				two.kernarg = arg_va + 64 * slot;
				b.arg[8 * slot] = out_va + slot * ITEMS * 8;
				assert_int_equal(rig_start(b.r, slot, entry, &two), FAULT_NONE);
			}
			assert_true(rig_finish(b.r, 1 << 24));
			for (unsigned i = 0; i < 2 * ITEMS; i++)
				ended[round][i / ITEMS][i % ITEMS] = ((uint64_t *)b.out)[i] - from;
			/* something else, after which the searches would go on elsewhere each time */
			struct rig_range other = range;
			other.global[0] = other.local[0] = (uint16_t)(lanes * (1 + round));
			assert_int_equal(rig_start(b.r, round ? 0 : 3, last, &other), FAULT_NONE);
			assert_true(rig_finish(b.r, 1 << 24));
		}
		assert_memory_equal(ended[1], ended[2], sizeof(ended[1]));
		rig_destroy(b.r);
	}
}

/* Work-groups of two spaces share the units: what one clears is not the other's. */
static void residents_keep_their_local_memory(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		/* puts a number there, waits long, and looks whether it is still there */
		uint64_t keep = rig_load_text(b.r, ITEM "ld a1, 0(a0)\n csrr t0, 0xcc0\n li a2, 5\n slli a2, a2, 44\n sh2add a2, t0, a2\n sw s0, 0(a2)\n"
							"li t1, 3000\n 1: addi t1, t1, -1\n bnez t1, 1b\n" BARRIER
							"lw t2, 0(a2)\n sh2add a1, s0, a1\n sw t2, 0(a1)\n" EXIT);
		uint64_t fill = rig_load_text(b.r, fill_local);
		struct rig_range a = { .global = { 320 }, .local = { 4 }, .local_bytes = 1000, .kernarg = arg_va, .space = PROTECTED_SPACE };
		struct rig_range c = { .global = { 320 }, .local = { 4 }, .local_bytes = 2048, .kernarg = arg_va };
		assert_int_equal(rig_start(b.r, 0, keep, &a), FAULT_NONE);
		assert_int_equal(rig_start(b.r, 1, fill, &c), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 26));
		assert_false(b.r->ends[0].faulted || b.r->ends[1].faulted);
		for (uint32_t i = 0; i < 320; i++)
			assert_int_equal(b.out[i], i);
		rig_destroy(b.r);
	}
}

/* A work-item begins with nothing of those that ran before in its registers. */
static void registers_begin_empty(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		char text[4096] = "", *p = text;
		p += sprintf(p, "li x31, -1\n csrr x30, 0xcca\n sub x31, x31, x30\n");
		for (unsigned i = 1; i < 31; i++)
			p += sprintf(p, "mv x%u, x31\n fmv.d.x f%u, x31\n", i, i);
		sprintf(p, "fmv.d.x f31, x31\n" EXIT);
		run_well(&b, text, (struct rig_range){ .global = { 1024 }, .local = { 16 }, .space = PROTECTED_SPACE });
		p = text;
		for (unsigned i = 1; i < 32; i++)
			if (i != 2 && i != 10) /* sp; gathered in a0 */
				p += sprintf(p, "or a0, a0, x%u\n", i);
		for (unsigned i = 0; i < 32; i++)
			p += sprintf(p, "fmv.x.d x5, f%u\n or a0, a0, x5\n", i);
		sprintf(p, "mv s9, a0\n" ITEM "ld a1, 0(a0)\n sh3add a1, s0, a1\n sd s9, 0(a1)\n" EXIT);
		memset(b.out, 0xee, OUT_BYTES);
		run_well(&b, text, (struct rig_range){ .global = { 1024 }, .local = { 16 } });
		for (unsigned i = 0; i < 1024; i++)
			assert_int_equal(((uint64_t *)b.out)[i], 0);
		rig_destroy(b.r);
	}
}

/* With a protected page: who may do what, and what a refusal tells. */
static void protected_jobs(void **state)
{
	(void)state;
	static const struct {
		const char *text; /* a1: protected memory, a2: other memory */
		bool protected_job;
		enum fault fault;
		enum access access;
	} cases[] = {
		{ "ld t0, 0(a1)\n", false, FAULT_PROTECTED, ACCESS_READ },
		{ "sd t0, 0(a1)\n", false, FAULT_PROTECTED, ACCESS_WRITE },
		{ "amoadd.d t0, t0, (a1)\n", false, FAULT_PROTECTED, ACCESS_ATOMIC },
		{ "jr a1\n", false, FAULT_PROTECTED, ACCESS_EXEC },
		{ "ld t0, 0(a2)\n sd t0, 0(a2)\n", false, FAULT_NONE, ACCESS_READ },
		{ "ld t0, 0(a1)\n addi t0, t0, 1\n sd t0, 8(a1)\n amoadd.d t0, t0, (a1)\n ld t0, 0(a2)\n", true, FAULT_NONE, ACCESS_READ },
		{ "jr 16(a1)\n", true, FAULT_NONE, ACCESS_READ },
		{ "ld t0, 0(a1)\n sd t0, 0(a2)\n", true, FAULT_PROTECTED, ACCESS_WRITE },
		{ "amoadd.d t0, t0, (a2)\n", true, FAULT_PROTECTED, ACCESS_ATOMIC },
		/* addresses made of the secret; nobody could tell a replay where */
		{ "ld t0, 0(a1)\n ld t0, 0(t0)\n", true, FAULT_PAGE_NOT_PRESENT, ACCESS_READ },
		{ "ld t0, 0(a1)\n sb t0, 0(t0)\n", true, FAULT_PAGE_NOT_PRESENT, ACCESS_WRITE },
		{ "ld t0, 0(a1)\n andi t0, t0, -4\n jr t0\n", true, FAULT_PAGE_NOT_PRESENT, ACCESS_EXEC },
	};
	static const uint64_t secret = 0x5ec2e75ec2e75ec2;
	FOR_SETUPS for (unsigned i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = open_bench(setup);
		struct prot prot;
		unsigned n = i / 2;
		char text[512];
		prot_init(&prot, &b.r->mem, NULL);
		b.r->mem.prot = &prot;
		uint64_t pa = rig_dram(b.r, 4096), *page = rig_host(b.r, pa);
		page[0] = secret;
		page[2] = 0x0000100b; /* exit */
		rig_map(b.r, secret_va, pa, 4096, PTE_R | PTE_W | PTE_X);
		assert_true(prot_region_set(&prot, 0, pa, pa + 4096, NULL, 0));
		mmu_invalidate(b.r->mmu, MMU_ALL, 0, 0);
		b.arg[1] = secret_va;
		snprintf(text, sizeof(text), "csrr a0, 0xcc9\n ld a2, 0(a0)\n ld a1, 8(a0)\n %s" EXIT, cases[n].text);
		uint64_t entry = b.r->code_va;
		/* a refusal is none that a replay cures */
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 4 }, .local = { 4 }, .replay = i & 1,
						.space = cases[n].protected_job ? PROTECTED_SPACE : RIG_ASID });
		assert_int_equal(e->stalls, 0);
		assert_int_equal(e->faulted ? e->fault.code : FAULT_NONE, cases[n].fault);
		if (e->faulted) {
			assert_int_equal(e->fault.access, cases[n].access);
			assert_int_equal(e->fault.address, cases[n].protected_job ? 0 : secret_va);
			assert_true(cases[n].protected_job ? !e->fault.pc : cases[n].access == ACCESS_EXEC ? e->fault.pc == secret_va : e->fault.pc >= entry && e->fault.pc < entry + 4096);
			assert_int_equal(page[1], 0);
		}
		for (unsigned k = 0; k < OUT_BYTES / 8; k++)
			if (((uint64_t *)b.out)[k])
				fail_msg("protected bytes in other memory");
		b.r->mem.prot = NULL;
		rig_destroy(b.r);
	}
}

/* The last work-group of the dispatch never ends; nobody else is held up, nothing spins, an abort ends it. */
static void hung_kernels(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		struct rig_range range = { .global = { 104 }, .local = { 8 }, .kernarg = arg_va };
		uint64_t entry = rig_load_text(b.r, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n lw t0, 0(a1)\n addi t0, t0, 1\n sw t0, 0(a1)\n" BARRIER EXIT);
		inject_arm(&b.r->inject, INJECT_KERNEL_HANG, 1, 3, 0, 0);
		assert_int_equal(rig_start(b.r, 2, entry, &range), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 24));
		assert_true(b.r->ends[2].ended); /* another slot */
		assert_int_equal(b.r->inject.happened, 0);
		assert_int_equal(rig_start(b.r, 3, entry, &range), FAULT_NONE);
		assert_int_equal(b.r->inject.happened, 1);
		assert_true(rig_finish(b.r, 1 << 24));
		assert_false(b.r->ends[3].ended);
		for (unsigned i = 0; i < 104; i++) /* it did run */
			assert_int_equal(b.out[i], 2);
		assert_int_equal(rig_start(b.r, 4, entry, &range), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 24));
		assert_true(b.r->ends[4].ended);
		compute_flush_code(b.r->compute, b.r->now);
		compute_replay(b.r->compute, &(struct compute_replay){ 3 }, b.r->now);
		assert_true(rig_finish(b.r, 1 << 24));
		assert_false(b.r->ends[3].ended);
		b.r->now += 100000;
		compute_abort(b.r->compute, &(struct compute_abort){ 3 }, b.r->now);
		assert_true(b.r->ends[3].ended);
		assert_int_equal(b.r->ends[3].fault.code, FAULT_ABORTED);
		assert_int_equal(b.r->ends[3].end, b.r->now);
		assert_int_equal(rig_start(b.r, 3, entry, &range), FAULT_NONE); /* once */
		assert_true(rig_finish(b.r, 1 << 24));
		assert_true(b.r->ends[3].ended);
		assert_false(b.r->ends[3].faulted);
		assert_true(b.r->ends[3].start >= 100000);
		for (unsigned i = 0; i < 104; i++)
			assert_int_equal(b.out[i], 4);
		rig_destroy(b.r);
	}
}

/* Cycles that bank conflicts cost: those beyond what the words would need in any banks. */
static void conflicts_are_counted(void **state)
{
	(void)state;
	static const struct { const char *address, *op; uint32_t lost; } cases[] = {
		{ "slli t0, t0, 2\n", "lw t1, 0(a2)\n", 0 },    /* side by side */
		{ "slli t0, t0, 3\n", "lw t1, 0(a2)\n", 1 },    /* every other bank: two rounds for the words of one */
		{ "slli t0, t0, 7\n", "lw t1, 0(a2)\n", 31 },   /* all in one bank */
		{ "slli t0, t0, 7\n", "sw t1, 0(a2)\n", 31 },
		{ "andi t0, t0, 1\n slli t0, t0, 7\n", "lw t1, 0(a2)\n", 1 }, /* two words of one bank */
		{ "andi t0, t0, 0\n", "lw t1, 0(a2)\n", 0 },    /* one word for all */
		{ "slli t0, t0, 3\n", "ld t1, 0(a2)\n", 0 },    /* 64 words need two rounds */
		{ "xori t0, t0, 5\n slli t0, t0, 3\n", "ld t1, 0(a2)\n", 0 },
		{ "slli t0, t0, 4\n", "ld t1, 0(a2)\n", 2 },
		{ "xori t0, t0, 5\n slli t0, t0, 3\n", "lw t1, 0(a2)\n", 1 }, /* in no order */
		{ "andi t0, t0, 3\n slli t0, t0, 7\n", "lw t1, 0(a2)\n", 3 }, /* four words of one bank */
	};
	for (unsigned speed = 0; speed < 2; speed++)
		for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct bench b = open_bench(speed); /* full */
			char text[512];
			snprintf(text, sizeof(text), "csrr t0, 0xcca\n %s li a2, 5\n slli a2, a2, 44\n add a2, a2, t0\n .rept 50\n %s .endr\n" EXIT,
				 cases[i].address, cases[i].op);
			run_well(&b, text, (struct rig_range){ .global = { 32 }, .local = { 32 }, .local_bytes = 8192 });
			if (compute_counters(b.r->compute)->lds_conflicts != (speed ? 50 * cases[i].lost : 0))
				fail_msg("case %u: %llu", i, (unsigned long long)compute_counters(b.r->compute)->lds_conflicts);
			rig_destroy(b.r);
		}
}

static void residence_is_counted(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		unsigned lanes = b.r->config->lanes;
		uint64_t before, n;
		const char *text = ITEM "li t0, 1000\n 1: addi t0, t0, -1\n bnez t0, 1b\n" EXIT;
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { lanes }, .local = { (uint16_t)lanes } });
		n = compute_counters(b.r->compute)->warp_cycles;
		if (setups[setup].speed == BUS_FUNCTIONAL) {
			assert_int_equal(n, 0);
			rig_destroy(b.r);
			continue;
		}
		assert_in_range(n, e->end - e->start - 10, e->end - e->start); /* one warp, all the time */
		before = n;
		e = run(&b, text, (struct rig_range){ .global = { 4 * lanes }, .local = { (uint16_t)(4 * lanes) } });
		n = compute_counters(b.r->compute)->warp_cycles - before;
		assert_in_range(n, 3 * (e->end - e->start), 4 * (e->end - e->start)); /* four */
		/* of those that run now, too, and that were thrown out */
		struct rig_range endless = { .global = { lanes }, .local = { (uint16_t)lanes } };
		before += n;
		assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, "1: j 1b\n"), &endless), FAULT_NONE);
		assert_false(rig_finish(b.r, 5000));
		assert_in_range(compute_counters(b.r->compute)->warp_cycles - before, 4900, 5300);
		compute_abort(b.r->compute, &(struct compute_abort){ 0 }, b.r->now);
		n = compute_counters(b.r->compute)->warp_cycles - before;
		assert_in_range(n, 4900, 5300);
		assert_false(compute_next(b.r->compute) != UINT64_MAX);
		assert_int_equal(compute_counters(b.r->compute)->warp_cycles - before, n);
		rig_destroy(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_memory_is_cleared_between_spaces),
		cmocka_unit_test(residents_keep_their_local_memory),
		cmocka_unit_test(a_space_that_goes_leaves_nothing),
		cmocka_unit_test(searches_begin_anew),
		cmocka_unit_test(registers_begin_empty),
		cmocka_unit_test(protected_jobs),
		cmocka_unit_test(hung_kernels),
		cmocka_unit_test(conflicts_are_counted),
		cmocka_unit_test(residence_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
