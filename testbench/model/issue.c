/* In which cycle instructions issue: one after the other when their operands are ready, whatever has been executed
 * by then, and whatever is forgotten of the code meanwhile. */
#include "testbench/model/kernel.h"

enum { STEPS_MAX = 1 << 14, LINKS = 40 };

/* A chain of multiplications and additions, a branch that half of the lanes take, and more of the chain. */
static const char chain[] = ITEM "ld a1, 0(a0)\n li t1, 3\n li t2, 5\n"
			    ".rept 40\n mul t1, t1, t2\n addi t1, t1, 1\n .endr\n"
			    "andi t3, s0, 1\n beqz t3, 1f\n .rept 30\n add t1, t1, s0\n xori t1, t1, 7\n .endr\n"
			    "1: .rept 10\n mul t1, t1, t2\n .endr\n sh3add a1, s0, a1\n sd t1, 0(a1)\n" EXIT;

struct steps {
	unsigned count;
	struct { uint64_t warps, lanes; } issued[STEPS_MAX];
	uint64_t out[32];
};

/* Runs one warp a cycle at a time, whose code has been decoded by one before it. What is known of the code is dropped
 * after step forget_at, and the dispatch aborted after step abort_at; 0: never. */
static void steps_run(struct steps *s, unsigned setup, unsigned forget_at, unsigned abort_at)
{
	struct bench b = open_bench(setup);
	unsigned lanes = b.r->config->lanes;
	struct rig_range range = { .global = { lanes }, .local = { (uint16_t)lanes }, .kernarg = arg_va };
	uint64_t entry = rig_load_text(b.r, chain);
	assert_false(rig_run(b.r, entry, &range)->faulted);
	struct compute_counters before = *compute_counters(b.r->compute);
	s->count = 0;
	assert_int_equal(rig_start(b.r, 0, entry, &range), FAULT_NONE);
	while (compute_next(b.r->compute) != UINT64_MAX) {
		uint64_t until = b.r->now + 1;
		b.r->now = compute_next(b.r->compute) < until ? compute_run(b.r->compute, until) : until;
		assert_in_range(s->count, 0, STEPS_MAX - 1);
		s->issued[s->count].warps = compute_counters(b.r->compute)->warp_insns - before.warp_insns;
		s->issued[s->count++].lanes = compute_counters(b.r->compute)->lane_insns - before.lane_insns;
		if (s->count == forget_at)
			compute_flush_code(b.r->compute);
		if (s->count == abort_at)
			compute_abort(b.r->compute, 0, b.r->now);
	}
	if (abort_at) {
		assert_int_equal(compute_counters(b.r->compute)->warp_insns - before.warp_insns, s->issued[abort_at - 1].warps);
		assert_int_equal(compute_counters(b.r->compute)->lane_insns - before.lane_insns, s->issued[abort_at - 1].lanes);
	} else {
		assert_false(b.r->ends[0].faulted);
	}
	memcpy(s->out, b.out, lanes * 8);
	rig_destroy(b.r);
}

static void one_a_cycle_when_ready(void **state)
{
	(void)state;
	for (unsigned setup = 1; setup < 4; setup += 2) { /* timed */
		static struct steps s;
		steps_run(&s, setup, 0, 0);
		struct device_config c;
		assert_int_equal(device_config_parse(setups[setup].config, &c, NULL, 0), 0);
		unsigned issued = 0, per_link = c.mul_latency + c.alu_latency, in_chain = 0;
		for (unsigned i = 1; i < s.count; i++) {
			uint64_t n = s.issued[i].warps - s.issued[i - 1].warps;
			assert_in_range(n, 0, 1);
			assert_in_range(s.issued[i].lanes - s.issued[i - 1].lanes, n ? 1 : 0, n * c.lanes);
			issued += (unsigned)n;
			in_chain += issued > 12 && issued <= 12 + 2 * (LINKS - 2); /* behind the prologue, before the branch */
		}
		/* two instructions of the chain wait for each other */
		assert_in_range(in_chain, (LINKS - 2) * per_link - per_link, (LINKS - 2) * per_link + per_link);
	}
}

static void code_may_be_forgotten(void **state)
{
	(void)state;
	for (unsigned setup = 1; setup < 4; setup += 2) {
		static struct steps quiet, disturbed;
		steps_run(&quiet, setup, 0, 0);
		for (unsigned at = 1; at < quiet.count; at += 23) {
			steps_run(&disturbed, setup, at, 0);
			assert_memory_equal(quiet.out, disturbed.out, sizeof(quiet.out));
			assert_int_equal(quiet.count, disturbed.count);
			assert_memory_equal(quiet.issued, disturbed.issued, quiet.count * sizeof(quiet.issued[0]));
		}
	}
}

static void aborted_ones_are_not_counted(void **state)
{
	(void)state;
	for (unsigned setup = 1; setup < 4; setup += 2)
		for (unsigned at = 100; at < 700; at += 97) {
			static struct steps s;
			steps_run(&s, setup, 0, at);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_a_cycle_when_ready),
		cmocka_unit_test(code_may_be_forgotten),
		cmocka_unit_test(aborted_ones_are_not_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
