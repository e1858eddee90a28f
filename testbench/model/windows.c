/* The windows LOCAL and PRIVATE: who translates their addresses, accesses of lanes in several of them at once, and atomics there. */
#include "model/dma/dma.h"
#include "abi/address_map.h"
#include "testbench/model/kernel.h"

static const uint64_t page_va = 0x2200000000;

/* a0: kernel arguments, a1: out, t0: the lane, s0: the global id, a2: LOCAL, sp: the end of private memory */
#define START ITEM "ld a1, 0(a0)\n csrr t0, 0xcca\n li a2, 5\n slli a2, a2, 44\n"

static void dma_done(void *ctx, const struct dma_result *r, uint64_t cycle)
{
	(void)cycle;
	*(struct dma_result *)ctx = *r;
}

/* Pages at LOCAL and PRIVATE: DMA engines copy from and to them, instructions are fetched there; loads find local memory. */
static void others_translate(void **state)
{
	static const uint64_t bases[] = { VA_LOCAL_BASE, VA_PRIVATE_BASE };

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < 2; i++) {
		struct bench b = open_bench(setup);
		struct dma_result result = { .code = FAULT_BUS_ERROR };
		struct dma_params p = { .config = b.r->config, .speed = setups[setup].speed, .mem = &b.r->mem, .mmu = b.r->mmu, .l2 = b.r->l2,
					.result = dma_done, .ctx = &result };
		struct dma *dma = dma_create(&p);
		uint64_t pa = rig_dram(b.r, 8192);
		uint32_t *page = rig_host(b.r, pa), *words;
		size_t n;

		rig_map(b.r, bases[i], pa, 8192, PTE_R | PTE_W | PTE_X);
		words = rig_assemble(START "sh2add a1, s0, a1\n li t1, 77\n sw t1, 0(a1)\n ld a3, 8(a0)\n beqz a3, 1f\n lw t1, 0(a2)\n sw t1, 16(a1)\n 1:\n" EXIT, &n);
		memcpy(page, words, n * 4);
		free(words);
		for (unsigned k = 0; k < 1024; k++)
			b.out[1024 + k] = k * 3;
		/* into the second page of the window, and back */
		for (unsigned back = 0; back < 2; back++) {
			union packet copy = { .copy = { .head.type = PACKET_CODE_copy, .src = back ? bases[i] + 4096 : out_va + 4096,
							.dst = back ? out_va + 8192 : bases[i] + 4096, .width = 4096, .height = 1, .depth = 1 } };

			dma_start(dma, &(struct dma_start){ .slot = 0, .packet = copy, .space = RIG_ASID }, b.r->now);
			dma_tick(dma, UINT64_MAX - 1);
			assert_int_equal(result.code, FAULT_NONE);
		}
		assert_memory_equal(page + 1024, b.out + 1024, 4096);
		assert_memory_equal(b.out + 2048, b.out + 1024, 4096);
		/* code in the window; in LOCAL a load of its address is one of local memory, which is 0 */
		struct rig_range range = { .global = { 4 }, .local = { 4 }, .local_bytes = 64, .kernarg = arg_va };
		b.arg[1] = i == 0;
		b.out[4] = 5;
		assert_false(rig_run(b.r, bases[i], &range)->faulted);
		assert_int_equal(b.out[0], 77);
		assert_int_equal(b.out[4], i == 0 ? 0 : 5);
		dma_destroy(dma);
		rig_destroy(b.r);
	}
}

/* An access that begins below a window is one of memory, all of it. */
static void below_a_window(void **state)
{
	static const struct { const char *op; enum access access; } cases[] = {
		{ "ld t1, -4(a2)\n", ACCESS_READ }, { "sd t1, -4(a2)\n", ACCESS_WRITE }, { "lh t1, -1(a2)\n", ACCESS_READ },
	};

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < 3; i++) for (unsigned window = 0; window < 2; window++) {
		struct bench b = open_bench(setup);
		uint64_t base = window ? VA_PRIVATE_BASE : VA_LOCAL_BASE;
		char text[512];

		snprintf(text, sizeof(text), START "li a2, %u\n slli a2, a2, 44\n %s" EXIT, (unsigned)(base >> 44), cases[i].op);
		rig_map(b.r, base - 4096, rig_dram(b.r, 4096), 4096, PTE_R | PTE_W);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 1 }, .local = { 1 }, .local_bytes = 64, .private_bytes = 64 });
		assert_true(e->faulted);
		assert_int_equal(e->fault.code, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(e->fault.access, cases[i].access);
		assert_int_equal(e->fault.address, base);
		/* with pages on both sides it is done in them */
		uint64_t pa = rig_dram(b.r, 4096);
		rig_map(b.r, base, pa, 4096, PTE_R | PTE_W);
		run_well(&b, text, (struct rig_range){ .global = { 1 }, .local = { 1 }, .local_bytes = 64, .private_bytes = 64 });
		rig_destroy(b.r);
	}
}

/* Each lane has its address in local memory, in private memory or in memory, in one instruction. */
static void mixed_lanes(void **state)
{
	/* t0 % 3: 0 local, 1 private, 2 memory; the word of the lane there */
	static const char place[] = START "li t1, 3\n rem t2, t0, t1\n slli t3, t0, 2\n add a3, a2, t3\n addi t4, sp, -16\n addi t5, t2, -1\n czero.nez t4, t4, t5\n"
				    "snez t6, t5\n neg t6, t6\n and a3, a3, t6\n or a3, a3, t4\n addi t5, t2, -2\n sh2add t4, s0, a1\n czero.nez t4, t4, t5\n"
				    "snez t6, t5\n neg t6, t6\n and a3, a3, t6\n or a3, a3, t4\n li s1, 4096\n add s1, s1, a1\n sh3add s1, s0, s1\n";
	static const struct { const char *ops; uint64_t factor, add; } cases[] = {
		{ "addi t1, t0, 1000\n sw t1, 0(a3)\n lw t2, 0(a3)\n sd t2, 0(s1)\n", 1, 1000 },
		{ "addi t1, t0, 500\n sw t1, 0(a3)\n amoadd.w t3, t0, (a3)\n lw t2, 0(a3)\n sd t2, 0(s1)\n", 2, 500 },
		{ "addi t1, t0, 9\n amoswap.w t3, t1, (a3)\n amoadd.w t2, t1, (a3)\n sd t2, 0(s1)\n", 1, 9 },
	};

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < 3; i++) {
		struct bench b = open_bench(setup);
		unsigned lanes = b.r->config->lanes;
		char text[1024];

		snprintf(text, sizeof(text), "%s%s" EXIT, place, cases[i].ops);
		memset(b.out, 0xee, 8192);
		run_well(&b, text, (struct rig_range){ .global = { lanes }, .local = { (uint16_t)lanes }, .local_bytes = 128, .private_bytes = 16 });
		for (unsigned l = 0; l < lanes; l++) {
			assert_int_equal(((uint64_t *)b.out)[512 + l], cases[i].factor * l + cases[i].add);
			assert_true(l % 3 == 2 ? b.out[l] != 0xeeeeeeee : b.out[l] == 0xeeeeeeee);
		}
		rig_destroy(b.r);
	}
}

/* A store in private memory whose second word is not there: the first one is written, unless it may be replayed. */
static void private_stores_in_part(void **state)
{
	(void)state;
	FOR_SETUPS for (unsigned replay = 0; replay < 2; replay++) {
		struct bench b = open_bench(setup);
		unsigned lanes = b.r->config->lanes;
		/* the words 1023 of all lanes end a page, the words 1024 begin one */
		uint32_t words = 4096 / 4 / lanes, bytes = 2 * 4096 / lanes;
		uint64_t scratch = b.r->scratch;
		struct rig_range range = { .global = { lanes }, .local = { (uint16_t)lanes }, .private_bytes = bytes, .kernarg = arg_va,
					   .replay = replay };
		char text[256];

		assert_int_equal(bytes % 16, 0);
		b.r->scratch_size = (uint64_t)b.r->config->num_cu * b.r->config->warps_per_cu * lanes * bytes;
		uint64_t pa = rig_dram(b.r, 4096);
		uint32_t *page = rig_host(b.r, pa);
		rig_map(b.r, scratch, pa, 4096, PTE_R | PTE_W);
		rig_unmap(b.r, scratch + 4096);
		mmu_invalidate(b.r->mmu, MMU_ALL, 0, 0);
		snprintf(text, sizeof(text), "li t1, -1\n li t2, %u\n sub t2, sp, t2\n sd t1, -4(t2)\n" EXIT, bytes / 2);
		assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, text), &range), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 20));
		assert_int_equal(b.r->ends[0].ended, !replay);
		const struct compute_fault *f = replay ? &b.r->ends[0].stall : &b.r->ends[0].fault;
		assert_int_equal(f->code, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(f->address, scratch + 4096);
		assert_int_equal(page[(words - 1) * lanes], replay ? 0 : UINT32_MAX);
		assert_int_equal(page[(words - 1) * lanes + 1], 0); /* lane 1 has done nothing */
		rig_destroy(b.r);
	}
}

/* Atomics of both sizes in private memory, against the same in memory. */
static void atomics_in_private_memory(void **state)
{
	static const char *const ops[] = { "amoswap", "amoadd", "amoxor", "amoand", "amoor", "amomin", "amomax", "amominu", "amomaxu", "amocas" };

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < 20; i++) {
		struct bench b = open_bench(setup);
		const char *width = i & 1 ? "d" : "w";
		unsigned lanes = b.r->config->lanes;
		char text[1024];

		/* t3 the operand, t4 what is there, a5 and a6 what is read, a7 and s2 what is left */
		snprintf(text, sizeof(text), START "slli t3, t0, 40\n addi t3, t3, -77\n sub t3, t3, t0\n li t4, 12345\n mul t4, t4, t3\n"
			 "sh3add a3, s0, a1\n lui t1, 4\n add a3, a3, t1\n addi a4, sp, -24\n sd t4, 0(a3)\n sd t4, 0(a4)\n mv a5, t4\n mv a6, t4\n"
			 "%s.%s a5, t3, (a3)\n %s.%s a6, t3, (a4)\n ld a7, 0(a3)\n ld s2, 0(a4)\n xor a5, a5, a6\n xor a7, a7, s2\n or a5, a5, a7\n"
			 "sh3add a1, s0, a1\n sd a5, 0(a1)\n sd s2, 1024(a1)\n sd t4, 2044(a1)\n" EXIT, ops[i / 2], width, ops[i / 2], width);
		memset(b.out, 0xee, 4096);
		run_well(&b, text, (struct rig_range){ .global = { lanes }, .local = { (uint16_t)lanes }, .private_bytes = 64 });
		for (unsigned l = 0; l < lanes; l++)
			assert_int_equal(((uint64_t *)b.out)[l], 0);
		rig_destroy(b.r);
	}
}

/* Instructions and data of a unit have one L1 TLB: a page that was loaded from is fetched from without a miss. */
static void one_tlb_for_both(void **state)
{
	uint64_t missed[2];

	(void)state;
	for (unsigned load = 0; load < 2; load++) {
		struct bench b = open_bench(3); /* mini, timed */
		uint64_t pa = rig_dram(b.r, 4096), before;
		uint32_t *exit = rig_host(b.r, pa);

		exit[0] = 0x0000100b;
		rig_map(b.r, page_va, pa, 4096, PTE_R | PTE_X);
		b.arg[1] = load ? page_va : arg_va;
		b.arg[2] = page_va;
		before = mmu_counters(b.r->mmu)->l1_miss;
		run_well(&b, "csrr a0, 0xcc9\n ld a1, 8(a0)\n lw a1, 0(a1)\n ld a2, 16(a0)\n jr a2\n", (struct rig_range){ .global = { 4 }, .local = { 4 } });
		missed[load] = mmu_counters(b.r->mmu)->l1_miss - before;
		rig_destroy(b.r);
	}
	assert_int_equal(missed[0], 3); /* code, arguments, and the other code */
	assert_int_equal(missed[1], 3); /* which the load has brought */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_translate),	    cmocka_unit_test(below_a_window),
		cmocka_unit_test(mixed_lanes),		    cmocka_unit_test(private_stores_in_part),
		cmocka_unit_test(atomics_in_private_memory), cmocka_unit_test(one_tlb_for_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
