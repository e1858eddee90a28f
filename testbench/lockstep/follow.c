/* Kernels whose results depend on the order in which warps reach memory: a model that follows the schedule of its twin, which runs
 * with timing and perturbed, does the same, instruction by instruction; one that does not follow it does not. Usage: follow [SEED
 * [KERNELS]]; the seed is printed. */
#include "testbench/random.h"
#include "testbench/lockstep/pair.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 2 << 20, MOST_LOCAL = 16 };
static const uint64_t memory_va = 0x3000000000;
static uint64_t seed = 1, kernels = 500;

/* The twin's events go to its side of the lockstep, and then move the follower. */
static struct twin {
	struct event_sink sink;
	struct lockstep *lockstep;
	struct rig *leader, *follower;
	unsigned lost; /* steps that the follower could not make */
} t;

static void twin_event(struct event_sink *s, const struct event *e)
{
	struct event_sink *side = lockstep_side(t.lockstep, 0);
	(void)s;
	side->event(side, e);
	if (e->kind == EVENT_GROUP)
		t.lost += !compute_follow_group(t.follower->compute, e->unit, e->queue, e->a);
	else if (e->kind == EVENT_DISPATCH_END)
		t.lost += !compute_follow_end(t.follower->compute);
}

static void twin_lanes(struct event_sink *s, const struct event *e, const uint64_t *words, unsigned count)
{
	struct event_sink *side = lockstep_side(t.lockstep, 0);
	(void)s;
	side->lanes(side, e, words, count);
	if (e->kind == EVENT_RETIRE)
		t.lost += !compute_follow_step(t.follower->compute, e->unit, (unsigned)e->c);
}

struct place { struct rig *rig; uint8_t *memory; uint32_t *code; };

static struct place place_create(const char *config, enum bus_speed speed, struct event_sink *sink)
{
	struct place p = { .rig = rig_create_events(config, speed, SIMD_AUTO, false, sink) };
	p.memory = rig_buffer(p.rig, memory_va, MEMORY);
	const uint64_t pa = rig_dram(p.rig, KERNEL_WORDS * 4);
	rig_map(p.rig, pair_code_va, pa, KERNEL_WORDS * 4, PTE_R | PTE_X);
	p.code = rig_host(p.rig, pa);
	return p;
}

static void place_start(struct place *p, const struct kernel *k, struct ref_random memory)
{
	const struct rig_range range = { .global = { k->local * k->groups }, .local = { (uint16_t)k->local }, .local_bytes = k->local * KERNEL_LOCAL,
					 .private_bytes = KERNEL_PRIVATE, .kernarg = memory_va };
	kernel_memory(k, memory, p->memory);
	memcpy(p->code, k->words, k->count * 4);
	compute_flush_code(p->rig->compute, p->rig->now);
	assert_int_equal(rig_start(p->rig, 0, pair_code_va, &range), FAULT_NONE);
}

/* follows: the second model goes as the first does. Returns whether they have done the same. */
static bool run(const char *config, uint64_t count, bool follows, uint64_t *instructions)
{
	static struct kernel k = { .races = true };
	bool same = true;
	t = (struct twin){ .sink = { .event = twin_event, .lanes = twin_lanes }, .lockstep = lockstep_create() };
	struct place follower = place_create(config, BUS_FUNCTIONAL, lockstep_side(t.lockstep, 1));
	char perturbed[128];
	snprintf(perturbed, sizeof perturbed, "%s,perturb=%u", config, (unsigned)seed + 1);
	struct place leader = place_create(perturbed, BUS_TIMED, follows ? &t.sink : lockstep_side(t.lockstep, 0));
	t.leader = leader.rig;
	t.follower = follower.rig;
	for (uint64_t n = 0; n < count && same; n++) {
		struct ref_random r = { seed * 4001 + n };
		kernel_random(&k, &r, MOST_LOCAL);
		place_start(&follower, &k, r);
		place_start(&leader, &k, r);
		assert_true(rig_finish(leader.rig, 100000000));
		if (!follows)
			assert_true(rig_finish(follower.rig, 100000000));
		same = lockstep_settled(t.lockstep) && !t.lost && !memcmp(leader.memory, follower.memory, kernel_bytes(&k));
		assert_true(!same || (leader.rig->ends[0].ended && follower.rig->ends[0].ended && !follower.rig->ends[0].faulted));
		if (!same && follows) {
			kernel_print(&k);
			lockstep_print(t.lockstep, stderr);
			fprintf(stderr, "kernel %" PRIu64 ", seed %" PRIu64 ", %u steps lost\n", n, seed, t.lost);
		}
	}
	*instructions += lockstep_instructions(t.lockstep);
	rig_destroy(leader.rig);
	rig_destroy(follower.rig);
	lockstep_destroy(t.lockstep);
	return same;
}

static void order_is_the_twins(void **state)
{
	uint64_t instructions = 0;
	(void)state;
	assert_true(run("mini", kernels, true, &instructions));
	/* a follower has no data in the L1, so that of several units it would see newer stores */
	assert_true(run("mini,num_cu=3,warps_per_cu=8,l1_data=0", kernels, true, &instructions));
	printf("# %" PRIu64 " kernels with races, %" PRIu64 " instructions of warps are equal\n", 2 * kernels, instructions);
}

static void order_shows(void **state)
{
	uint64_t instructions = 0;
	(void)state;
	assert_false(run("mini,num_cu=3,warps_per_cu=8,l1_data=0", 50, false, &instructions));
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	kernels = argc > 2 ? strtoull(argv[2], NULL, 0) : check_long() ? 10000 : kernels;
	const struct CMUnitTest tests[] = { cmocka_unit_test(order_is_the_twins), cmocka_unit_test(order_shows) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
