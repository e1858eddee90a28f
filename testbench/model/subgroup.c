/* What the lanes of a warp do together: meeting, ballots, shuffles, however they got there. */
#include "testbench/model/kernel.h"

static uint32_t warp_mask(const struct rig *r, uint32_t id, uint32_t local, uint32_t global)
{
	uint32_t group = id / local * local, first = group + (id - group) / r->config->lanes * r->config->lanes;
	uint32_t end = group + local < global ? group + local : global, n = end - first;
	return n >= 32 || n >= r->config->lanes ? (uint32_t)((1ull << r->config->lanes) - 1) : (1u << n) - 1;
}

static uint32_t first_of(const struct rig *r, uint32_t id, uint32_t local)
{
	return id - id % local % r->config->lanes;
}

/* Of every form that a register has: uniform, affine, words, doublewords. */
static void ballots(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n li t0, 40\n mul t0, t0, s0\n add a1, a1, t0\n"
				  "li t1, 5\n" SG_BALLOT(t2, t1) "sd t2, 0(a1)\n" SG_BALLOT(t2, x0) "sd t2, 8(a1)\n"
				  "addi t1, s0, -3\n" SG_BALLOT(t2, t1) "sd t2, 16(a1)\n"
				  "andi t1, s0, 6\n" SG_BALLOT(t2, t1) "sd t2, 24(a1)\n"
				  "andi t1, s0, 5\n slli t1, t1, 40\n" SG_BALLOT(t2, t1) "sd t2, 32(a1)\n" EXIT,
			 (struct rig_range){ .global = { 45 }, .local = { 15 } });
		for (uint32_t id = 0; id < 45; id++) {
			const uint64_t *got = (const uint64_t *)b.out + id * 5;
			uint32_t all = warp_mask(b.r, id, 15, 45), first = first_of(b.r, id, 15);
			uint64_t want[5] = { all, 0, 0, 0, 0 };
			for (uint32_t l = 0; l < 32; l++) {
				if (!(all >> l & 1))
					continue;
				want[2] |= (uint64_t)(first + l != 3) << l;
				want[3] |= (uint64_t)(((first + l) & 6) != 0) << l;
				want[4] |= (uint64_t)(((first + l) & 5) != 0) << l;
			}
			for (unsigned k = 0; k < 5; k++)
				assert_int_equal(got[k], want[k]);
		}
		rig_destroy(b.r);
	}
}

/* From the neighbour, from a lane that the item chooses, from one that is not there. */
static void shuffles(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n slli t0, s0, 5\n add a1, a1, t0\n csrr t0, 0xcca\n"
				  "mul t1, s0, s0\n addi t1, t1, 1\n xori t2, t0, 1\n" SG_SHUFFLE(t3, t1, t2) "sd t3, 0(a1)\n"
				  "slli t4, t1, 33\n sub t4, t4, t1\n slli t2, t0, 1\n" SG_SHUFFLE(t4, t4, t2) "sd t4, 8(a1)\n"
				  "li t2, 98\n" SG_SHUFFLE(t2, s0, t2) "sd t2, 16(a1)\n"
				  "li t5, -7\n" SG_SHUFFLE(t5, t5, t0) "sd t5, 24(a1)\n" EXIT,
			 (struct rig_range){ .global = { 45 }, .local = { 15 } });
		for (uint32_t id = 0; id < 45; id++) {
			const uint64_t *got = (const uint64_t *)b.out + id * 4;
			uint32_t all = warp_mask(b.r, id, 15, 45), first = first_of(b.r, id, 15), lane = id - first;
			uint32_t a = lane ^ 1, c = lane * 2 & 31, d = 98 & 31;
			uint64_t square = (uint64_t)(first + a) * (first + a) + 1;
			assert_int_equal(got[0], all >> a & 1 ? square : 0);
			square = (uint64_t)(first + c) * (first + c) + 1;
			assert_int_equal(got[1], all >> c & 1 ? (square << 33) - square : 0);
			assert_int_equal(got[2], all >> d & 1 ? first + d : 0);
			assert_int_equal(got[3], (uint64_t)-7);
		}
		rig_destroy(b.r);
	}
}

/* Lanes in the two arms of a branch do not see each other; a lane that wants one of the others gets 0. */
static void divergent_lanes_are_apart(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n slli t0, s0, 4\n add a1, a1, t0\n csrr t0, 0xcca\n andi t1, t0, 1\n addi t6, s0, 100\n"
				  "xori t5, t0, 1\n li t4, 1\n bnez t1, 1f\n" SG_BALLOT(t2, t4) SG_SHUFFLE(t3, t6, t5) "j 2f\n"
				  "1:" SG_BALLOT(t2, t4) "xori t5, t0, 2\n" SG_SHUFFLE(t3, t6, t5)
				  "2: sd t2, 0(a1)\n sd t3, 8(a1)\n" EXIT,
			 (struct rig_range){ .global = { 64 }, .local = { 16 } });
		for (uint32_t id = 0; id < 64; id++) {
			const uint64_t *got = (const uint64_t *)b.out + id * 2;
			uint32_t all = warp_mask(b.r, id, 16, 64);
			assert_int_equal(got[0], all & (id & 1 ? 0xaaaaaaaa : 0x55555555));
			assert_int_equal(got[1], id & 1 ? (id ^ 2) + 100 : 0);
		}
		rig_destroy(b.r);
	}
}

/* Lanes come to one sg_sync from loops of different lengths and from calls of different depths; whoever
 * has passed it sees what all the others have written before. A quarter of them has ended. */
static void meeting_from_everywhere(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		unsigned width = b.r->config->lanes;
		run_well(&b, ITEM "ld s2, 0(a0)\n csrr s3, 0xcca\n andi t1, s3, 3\n li t2, 3\n beq t1, t2, 9f\n"
				  "sh2add s4, s0, s2\n addi t3, s3, 1\n slli t3, t3, 4\n"
				  "1: addi t3, t3, -1\n bnez t3, 1b\n mv a0, t1\n call down\n"
				  /* the sum of what the living lanes of the warp have written */
				  "sub t0, s0, s3\n sh2add t0, t0, s2\n csrr t1, 0xccc\n li t3, 0\n"
				  "2: lw t4, 0(t0)\n add t3, t3, t4\n addi t0, t0, 4\n addi t1, t1, -1\n bnez t1, 2b\n"
				  "lui t5, 16\n add t5, t5, s4\n sw t3, 0(t5)\n li t4, 1\n" SG_BALLOT(t6, t4) "lui t5, 32\n add t5, t5, s4\n sw t6, 0(t5)\n"
				  "9:" EXIT
				  "down: beqz a0, 3f\n addi sp, sp, -16\n sd ra, 0(sp)\n addi a0, a0, -1\n call down\n ld ra, 0(sp)\n"
				  "addi sp, sp, 16\n ret\n 3: addi t3, s0, 1\n sw t3, 0(s4)\n" SG_SYNC "ret\n",
			 (struct rig_range){ .global = { 96 }, .local = { 16 }, .private_bytes = 256 });
		for (uint32_t id = 0; id < 96; id++) {
			uint32_t first = first_of(b.r, id, 16), n = width < 16 ? width : 16, sum = 0, mask = 0;
			for (uint32_t l = 0; l < n; l++)
				if ((l & 3) != 3) {
					sum += first + l + 1;
					mask |= 1u << l;
				}
			assert_int_equal(b.out[id], (id & 3) == 3 ? 0 : id + 1);
			assert_int_equal(b.out[16384 + id], (id & 3) == 3 ? 0 : sum);
			assert_int_equal(b.out[32768 + id], (id & 3) == 3 ? 0 : mask);
		}
		rig_destroy(b.r);
	}
}

/* Each lane passes as many sg_syncs as it likes: those that have ended, in turn, hold up nobody. */
static void lanes_that_end_free_the_others(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n csrr t0, 0xcca\n addi t1, t0, 1\n li t2, 0\n"
				  "1:" SG_SYNC "addi t2, t2, 1\n addi t1, t1, -1\n bnez t1, 1b\n sw t2, 0(a1)\n" EXIT,
			 (struct rig_range){ .global = { 64 }, .local = { 16 } });
		for (uint32_t id = 0; id < 64; id++)
			assert_int_equal(b.out[id], id % 16 % b.r->config->lanes + 1);
		rig_destroy(b.r);
	}
}

/* Some lanes of a warp wait at a barrier, the others at an sg_sync before it: neither for ever. */
static void with_a_barrier(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n csrr t0, 0xcc0\n li a2, 0x5\n slli a2, a2, 44\n sh2add t3, t0, a2\n andi t1, s0, 1\n"
				  "li t4, 1\n bnez t1, 1f\n" BARRIER "j 2f\n"
				  "1:" SG_SYNC "sw t4, 0(t3)\n" SG_SYNC BARRIER
				  "2:" SG_SYNC "xori t3, t3, 4\n lw t5, 0(t3)\n sh2add a1, s0, a1\n sw t5, 0(a1)\n" EXIT,
			 (struct rig_range){ .global = { 64 }, .local = { 16 }, .local_bytes = 64 });
		for (uint32_t id = 0; id < 64; id++)
			assert_int_equal(b.out[id], !(id & 1)); /* the odd ones have written before the barrier */
		rig_destroy(b.r);
	}
}

/* Every lane spins until the one before it has passed; all of them meet in each round. */
static void meeting_in_a_spinning_loop(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n csrr t0, 0xcca\n sub t1, s0, t0\n sh2add a1, t1, a1\n li t6, 5\n"
				  "3: lw t2, 0(a1)\n csrr t3, 0xccc\n remu t4, t2, t3\n bne t4, t0, 3b\n addi t2, t2, 1\n sw t2, 0(a1)\n" SG_SYNC
				  "addi t6, t6, -1\n bnez t6, 3b\n" EXIT,
			 (struct rig_range){ .global = { 64 }, .local = { 16 } });
		uint32_t n = b.r->config->lanes < 16 ? b.r->config->lanes : 16;
		for (uint32_t id = 0; id < 64; id += n)
			assert_int_equal(b.out[id], 5 * n);
		rig_destroy(b.r);
	}
}

/* A ballot takes as long as an addition, a shuffle as long as a load from local memory. */
static void subgroup_latencies(void **state)
{
	(void)state;
	const struct device_config *c = device_config_find("full");
	const struct { const char *op; uint32_t latency; } chains[] = {
		{ SG_BALLOT(t0, t0), c->alu_latency }, { SG_SHUFFLE(t0, t0, t1), c->lds_latency }, { SG_SYNC, 1 },
	};
	for (unsigned i = 0; i < 3; i++) {
		struct bench b = bench_of(rig_create("full" QUICK_MEMORY, BUS_TIMED, SIMD_AUTO, false));
		char text[256];
		snprintf(text, sizeof(text), "li t0, 1\n li t1, 3\n .rept 400\n %s .endr\n" EXIT, chains[i].op);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 32 }, .local = { 32 } });
		assert_false(e->faulted);
		assert_in_range(e->end - e->start, 399 * chains[i].latency, 400 * chains[i].latency + 100);
		rig_destroy(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ballots),
		cmocka_unit_test(shuffles),
		cmocka_unit_test(divergent_lanes_are_apart),
		cmocka_unit_test(meeting_from_everywhere),
		cmocka_unit_test(lanes_that_end_free_the_others),
		cmocka_unit_test(with_a_barrier),
		cmocka_unit_test(meeting_in_a_spinning_loop),
		cmocka_unit_test(subgroup_latencies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
