/* The reference of a warp's lanes, at the examples of docs/hardware/cu.md. The argument or GALENA_SEED is the seed of the random
 * case. */
#include "testbench/random.h"
#include "testbench/reference/lanes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { NOP = 0x13, ATOMIC = 0x0000202f, BARRIER = 0x000b, EXIT = 0x100b, SG_SYNC = 0x200b, ENTRY = 0x10000 };
enum { RDCYCLE = 0xc0002073 };

static uint64_t seed;

static uint32_t beq(int offset)
{
	const uint32_t o = (uint32_t)offset;
	return 0x63 | (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7;
}

static uint32_t jal(unsigned rd, int offset)
{
	const uint32_t o = (uint32_t)offset;
	return 0x6f | rd << 7 | (o >> 20 & 1) << 31 | (o >> 1 & 1023) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 255) << 12;
}

static uint32_t jalr(unsigned rd, unsigned rs1) { return 0x67 | rd << 7 | rs1 << 15; }

static void retire(struct lanes *w, uint32_t word, uint32_t taken)
{
	lanes_retire(w, &(struct lanes_outcome){ word, taken, NULL });
}

static void jump(struct lanes *w, uint32_t word, uint64_t even, uint64_t odd)
{
	uint64_t targets[LANES_MAX];
	for (unsigned l = 0; l < LANES_MAX; l++)
		targets[l] = l & 1 ? odd : even;
	lanes_retire(w, &(struct lanes_outcome){ word, 0, targets });
}

#define IS(w, state_, pc_, depth_, mask_)                                                          \
	do {                                                                                       \
		struct lanes_split s_ = { 0 };                                                     \
		assert_int_equal(lanes_next((w), &s_), (state_));                                  \
		assert_int_equal(s_.pc, (pc_));                                                    \
		assert_int_equal(s_.depth, (depth_));                                              \
		assert_int_equal(s_.mask, (mask_));                                                \
	} while (0)
#define ISSUES(w, pc_, depth_, mask_) IS(w, LANES_ISSUES, pc_, depth_, mask_)

static void a_warp_begins_as_one_split(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0x7, ENTRY);
	ISSUES(&w, ENTRY, 0, 0x7);
	retire(&w, NOP, 0);
	retire(&w, beq(16), 0);
	ISSUES(&w, ENTRY + 8, 0, 0x7);
	retire(&w, beq(-8), ~0u);
	ISSUES(&w, ENTRY, 0, 0x7);
	assert_int_equal(w.retired, 3);
	assert_int_equal(w.slice, LANES_SLICE);
}

static void the_lowest_program_counter_goes_first_and_splits_meet(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0xf, ENTRY);
	retire(&w, beq(12), 0x3); /* lanes 2 and 3 fall through */
	ISSUES(&w, ENTRY + 4, 0, 0xc);
	assert_int_equal(w.slice, LANES_SLICE); /* nothing was pending when the branch issued */
	retire(&w, NOP, 0);
	ISSUES(&w, ENTRY + 8, 0, 0xc);
	retire(&w, NOP, 0);
	ISSUES(&w, ENTRY + 12, 0, 0xf);
}

static void a_jump_beyond_the_best_pending_split_lets_it_run(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0xf, ENTRY);
	retire(&w, beq(12), 0x1);
	ISSUES(&w, ENTRY + 4, 0, 0xe);
	retire(&w, jal(0, 20), 0); /* over ENTRY + 12 */
	ISSUES(&w, ENTRY + 12, 0, 0x1);
	retire(&w, jal(0, -12), 0); /* back, before the pending one */
	ISSUES(&w, ENTRY, 0, 0x1);
}

static void deeper_calls_go_first(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0xf, ENTRY);
	retire(&w, beq(0x40), 0xc);
	retire(&w, jal(1, 0x400), 0); /* lanes 0 and 1 call what lies behind all others */
	ISSUES(&w, ENTRY + 0x404, 1, 0x3);
	jump(&w, jalr(5, 1), ENTRY + 0x800, ENTRY + 0x800); /* rd x5 is a call, rs1 x1 or not */
	ISSUES(&w, ENTRY + 0x800, 2, 0x3);
	jump(&w, jalr(0, 5), ENTRY + 0x500, ENTRY + 0x500);
	ISSUES(&w, ENTRY + 0x500, 1, 0x3);
	jump(&w, jalr(0, 6), ENTRY + 0x600, ENTRY + 0x600); /* neither call nor return */
	ISSUES(&w, ENTRY + 0x600, 1, 0x3);
	jump(&w, jalr(0, 1), ENTRY + 0x100, ENTRY + 0x100);
	ISSUES(&w, ENTRY + 0x40, 0, 0xc);
}

static void a_return_without_a_call_is_the_deepest(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0xf, ENTRY);
	retire(&w, beq(0x40), 0xc);
	jump(&w, jalr(0, 1), ENTRY + 0x200, ENTRY + 0x200);
	ISSUES(&w, ENTRY + 0x200, UINT32_MAX, 0x3);
	retire(&w, jal(5, 8), 0);
	ISSUES(&w, ENTRY + 0x40, 0, 0xc);
	assert_int_equal(w.pending.at[0].depth, 0);
}

static void each_target_of_a_jalr_is_a_split(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0x1f, ENTRY);
	jump(&w, jalr(1, 10), ENTRY + 0x80, ENTRY + 0x40);
	ISSUES(&w, ENTRY + 0x40, 1, 0x0a);
	assert_int_equal(w.pending.count, 1);
	jump(&w, jalr(0, 1), ENTRY + 4, ENTRY + 4);
	ISSUES(&w, ENTRY + 0x80, 1, 0x15);
	jump(&w, jalr(0, 1), ENTRY + 4, ENTRY + 4);
	ISSUES(&w, ENTRY + 4, 0, 0x1f);
}

/* Two splits: lanes 0 and 1 in a loop of two instructions, the others behind it. */
static void begin_loop(struct lanes *w)
{
	lanes_begin(w, 0xf, ENTRY);
	retire(w, beq(0x100), 0xc);
}

static void turn(struct lanes *w)
{
	struct lanes_split s = { 0 };
	assert_int_equal(lanes_next(w, &s), LANES_ISSUES);
	retire(w, s.pc & 4 ? NOP : jal(0, -4), 0);
}

static void slices_let_others_run(void **state)
{
	struct lanes w;
	(void)state;
	begin_loop(&w);
	for (unsigned i = 0; i < LANES_SLICE; i++) {
		ISSUES(&w, ENTRY + (i & 1 ? 8 : 4), 0, 0x3);
		turn(&w);
	}
	for (unsigned i = 0; i < LANES_BORROWED; i++) {
		ISSUES(&w, ENTRY + (i & 1 ? 0xfc : 0x100), 0, 0xc);
		assert_true(w.borrowed);
		retire(&w, i & 1 ? NOP : jal(0, -4), 0);
	}
	assert_false(w.borrowed);
	ISSUES(&w, ENTRY + 4, 0, 0x3);
	assert_int_equal(w.slice, LANES_SLICE);
	assert_int_equal(w.rotations, 1);
}

static void a_borrowed_slice_is_over_at_a_choice(void **state)
{
	struct lanes w;
	(void)state;
	begin_loop(&w);
	for (unsigned i = 0; i < LANES_SLICE; i++)
		turn(&w);
	ISSUES(&w, ENTRY + 0x100, 0, 0xc);
	retire(&w, NOP, 0);
	retire(&w, RDCYCLE, 0);
	ISSUES(&w, ENTRY + 4, 0, 0x3); /* runs the rest of the 512 */
	assert_true(w.borrowed);
	assert_int_equal(w.slice, LANES_BORROWED - 2);
	for (unsigned i = 0; i < LANES_BORROWED - 2; i++)
		turn(&w);
	assert_false(w.borrowed);
	ISSUES(&w, ENTRY + 4, 0, 0x3);
}

static void rotations_go_through_all_pending_splits(void **state)
{
	struct lanes w;
	uint32_t seen = 0;
	(void)state;
	lanes_begin(&w, 0xf, ENTRY);
	retire(&w, beq(0x300), 0x8);
	retire(&w, beq(0x200), 0x4);
	retire(&w, beq(0x100), 0x2);
	assert_int_equal(w.pending.count, 3);
	for (unsigned rotation = 0; rotation < 3; rotation++) {
		struct lanes_split s;
		while (!w.borrowed) {
			lanes_next(&w, &s);
			retire(&w, jal(0, 0), 0);
		}
		lanes_next(&w, &s);
		assert_int_equal(s.mask, 0x8u >> rotation); /* the worst first */
		seen |= s.mask;
		while (w.borrowed)
			retire(&w, jal(0, 0), 0);
	}
	assert_int_equal(seen, 0xe);
}

static void atomics_end_a_slice(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0xf, ENTRY);
	retire(&w, ATOMIC, 0); /* nothing is pending: not counted */
	retire(&w, beq(0x200), 0xc);
	for (unsigned i = 0; i < LANES_ATOMICS; i++) {
		ISSUES(&w, ENTRY + 8 + 4 * i, 0, 0x3);
		assert_int_equal(w.atomics, i);
		retire(&w, ATOMIC, 0);
	}
	ISSUES(&w, ENTRY + 4 + 0x200, 0, 0xc);
	assert_true(w.borrowed);
	assert_int_equal(w.slice, LANES_BORROWED);
}

static void a_step_to_the_next_page_takes_an_issue(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0x3, ENTRY + 0xff8);
	retire(&w, beq(0x10), 0x2);
	ISSUES(&w, ENTRY + 0xffc, 0, 0x1);
	retire(&w, NOP, 0);
	IS(&w, LANES_STEPS, ENTRY + 0x1000, 0, 0x1);
	assert_int_equal(w.slice, LANES_SLICE - 1);
	lanes_page_step(&w);
	assert_int_equal(w.slice, LANES_SLICE - 1); /* it is no instruction */
	assert_int_equal(w.retired, 2);
	ISSUES(&w, ENTRY + 0x1000, 0, 0x1);
	assert_true(w.meets);
	retire(&w, NOP, 0);
	retire(&w, NOP, 0);
	ISSUES(&w, ENTRY + 0x1008, 0, 0x3);
}

static void a_jump_out_of_the_page_takes_none_and_chooses(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0x3, ENTRY + 0xff0);
	retire(&w, beq(0x20), 0x2);
	retire(&w, jal(0, 0x100), 0);
	ISSUES(&w, ENTRY + 0x1010, 0, 0x2);
	assert_int_equal(w.pending.at[0].pc, ENTRY + 0x10f4);
}

static void a_barrier_counts_work_items(void **state)
{
	struct lanes a, b;
	struct lanes *const both[] = { &a, &b };
	struct lanes_split s;
	(void)state;
	lanes_begin(&a, 0xf, ENTRY);
	lanes_begin(&b, 0x1, ENTRY);
	retire(&a, beq(0x10), 0x3);
	retire(&a, BARRIER, 0);
	ISSUES(&a, ENTRY + 0x10, 0, 0x3);
	assert_false(lanes_barrier_opens(both, 2));
	retire(&a, jal(1, 0x20), 0);
	retire(&a, BARRIER, 0); /* another one, in a call */
	assert_int_equal(lanes_next(&a, &s), LANES_WAITS);
	assert_false(lanes_barrier_opens(both, 2));
	retire(&b, EXIT, 0); /* an exit opens it */
	assert_true(lanes_barrier_opens(both, 2));
	assert_int_equal(lanes_next(&b, &s), LANES_ENDED);
	ISSUES(&a, ENTRY + 0x34, 1, 0x3);
	assert_int_equal(a.pending.at[0].pc, ENTRY + 8);
	assert_int_equal(a.pending.at[0].mask, 0xc);
	retire(&a, EXIT, 0);
	assert_false(lanes_barrier_opens(both, 2));
	retire(&a, EXIT, 0);
	assert_false(lanes_barrier_opens(both, 2)); /* of none */
}

static void sg_sync_is_a_rendezvous(void **state)
{
	struct lanes w;
	struct lanes *const alone[] = { &w };
	(void)state;
	lanes_begin(&w, 0xf, ENTRY);
	retire(&w, SG_SYNC, 0); /* all together: nothing to wait for */
	ISSUES(&w, ENTRY + 4, 0, 0xf);
	retire(&w, beq(0x10), 0x3);
	retire(&w, SG_SYNC, 0);
	ISSUES(&w, ENTRY + 0x14, 0, 0x3);
	retire(&w, beq(0x10), 0x1);
	retire(&w, BARRIER, 0); /* lane 1 */
	ISSUES(&w, ENTRY + 0x24, 0, 0x1);
	retire(&w, SG_SYNC, 0);
	ISSUES(&w, ENTRY + 0xc, 0, 0xc);
	assert_int_equal(w.pending.at[0].mask, 0x1);
	assert_false(lanes_barrier_opens(alone, 1));
	retire(&w, SG_SYNC, 0);
	ISSUES(&w, ENTRY + 0x28, 0, 0x1);
	retire(&w, EXIT, 0); /* completes it, too */
	ISSUES(&w, ENTRY + 0x10, 0, 0xc);
	retire(&w, BARRIER, 0);
	assert_true(lanes_barrier_opens(alone, 1));
	ISSUES(&w, ENTRY + 0x14, 0, 0xc);
}

static void a_replay_goes_on_with_the_split_that_stalled(void **state)
{
	struct lanes w, before;
	struct lanes_split s;
	(void)state;
	begin_loop(&w);
	for (unsigned i = 0; i < LANES_SLICE; i++)
		turn(&w);
	ISSUES(&w, ENTRY + 0x100, 0, 0xc); /* its turn is a borrowed one */
	before = w;
	lanes_stall(&w);
	assert_int_equal(lanes_next(&w, &s), LANES_STALLED);
	lanes_replay(&w);
	ISSUES(&w, ENTRY + 0x100, 0, 0xc);
	assert_memory_equal(&w, &before, sizeof w); /* no rotation comes sooner for it */
}

/* The slice ends with the last instruction of a page, and the only pending split stands behind it. */
static void splits_meet_before_a_rotation(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0xf, ENTRY + 0xff0);
	retire(&w, beq(0x10), 0xc);
	for (unsigned i = 0; i < LANES_SLICE - 3; i++)
		retire(&w, jal(0, 0), 0);
	for (unsigned i = 0; i < 3; i++)
		retire(&w, NOP, 0);
	ISSUES(&w, ENTRY + 0x1000, 0, 0xf);
	assert_int_equal(w.rotations, 0);
	assert_false(w.borrowed);
	assert_int_equal(w.slice, LANES_SLICE);
}

/* A jump may lead to where no instruction can stand, and that shows when its lanes are to run. */
static void a_place_between_instructions_is_passed(void **state)
{
	struct lanes w;
	(void)state;
	lanes_begin(&w, 0xf, ENTRY);
	jump(&w, jalr(0, 7), ENTRY + 8, ENTRY + 14);
	retire(&w, NOP, 0);
	ISSUES(&w, ENTRY + 12, 0, 0x5);
	retire(&w, NOP, 0);
	ISSUES(&w, ENTRY + 14, 0, 0xa);
}

/* Every lane is in one place; splits are at different ones; there are at most as many as lanes: CU-79, CU-80, CU-81. */
static void check(const struct lanes *w)
{
	const struct lanes_splits *sets[] = { &w->pending, &w->at_barrier, &w->at_sync };
	uint32_t seen = w->ended | (w->runs ? w->running.mask : 0);
	unsigned splits = w->runs;
	for (unsigned n = 0; n < 3; n++)
		for (unsigned i = 0; i < sets[n]->count; i++, splits++) {
			const struct lanes_split *s = &sets[n]->at[i];
			assert_int_equal(seen & s->mask, 0);
			assert_int_not_equal(s->mask, 0);
			seen |= s->mask;
			for (unsigned k = 0; k < i; k++)
				assert_false(sets[n]->at[k].pc == s->pc && sets[n]->at[k].depth == s->depth);
		}
	assert_int_equal(seen, w->begun);
	assert_true(splits <= (unsigned)__builtin_popcount(w->begun));
	assert_true(w->slice > 0 && w->slice <= LANES_SLICE);
	assert_true(w->pending.count == 0 || w->runs);
	/* what runs is the best of all, but for splits that a rotation chose, and one that has yet to step to where another stands */
	if (w->pending.count && !w->borrowed && !w->steps) {
		const struct lanes_split *best = &w->pending.at[0];
		assert_true(w->running.depth > best->depth || (w->running.depth == best->depth && w->running.pc < best->pc));
	}
}

static uint32_t any_word(uint64_t *random)
{
	static const uint32_t words[] = { NOP, NOP, NOP, ATOMIC, RDCYCLE, SG_SYNC, BARRIER };
	const unsigned links[] = { 0, 1, 5, 6 };
	const int offset = (int)(splitmix64(random) % 65 * 4) - 128;
	switch (splitmix64(random) % 6) {
	case 0:
		return beq(offset);
	case 1:
		return jal(links[splitmix64(random) % 4], offset);
	case 2:
		return jalr(links[splitmix64(random) % 4], links[splitmix64(random) % 4]);
	default:
		return splitmix64(random) % 512 ? words[splitmix64(random) % 7] : EXIT;
	}
}

static void lanes_are_never_lost(void **state)
{
	uint64_t random = seed;
	struct lanes w;
	struct lanes *const alone[] = { &w };
	struct lanes_split s;
	uint64_t rotations = 0;
	(void)state;
	lanes_begin(&w, ~0u, ENTRY);
	for (unsigned step = 0; step < 200000; step++) {
		uint64_t targets[LANES_MAX];
		for (unsigned l = 0; l < LANES_MAX; l++)
			targets[l] = ENTRY + splitmix64(&random) % 8 * 0x40;
		check(&w);
		switch (lanes_next(&w, &s)) {
		case LANES_ISSUES:
			if (splitmix64(&random) % 64 == 0) {
				lanes_stall(&w);
				break;
			}
			lanes_retire(&w, &(struct lanes_outcome){ any_word(&random), (uint32_t)splitmix64(&random), targets });
			lanes_barrier_opens(alone, 1);
			break;
		case LANES_STEPS:
			lanes_page_step(&w);
			break;
		case LANES_STALLED:
			lanes_replay(&w);
			break;
		case LANES_WAITS:
			fail_msg("all lanes of a work-group wait");
			break;
		case LANES_ENDED:
			rotations += w.rotations;
			lanes_begin(&w, (uint32_t)splitmix64(&random) | 1, ENTRY);
		}
	}
	assert_true(rotations > 20);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_warp_begins_as_one_split),
		cmocka_unit_test(the_lowest_program_counter_goes_first_and_splits_meet),
		cmocka_unit_test(a_jump_beyond_the_best_pending_split_lets_it_run),
		cmocka_unit_test(deeper_calls_go_first),
		cmocka_unit_test(a_return_without_a_call_is_the_deepest),
		cmocka_unit_test(each_target_of_a_jalr_is_a_split),
		cmocka_unit_test(slices_let_others_run),
		cmocka_unit_test(a_borrowed_slice_is_over_at_a_choice),
		cmocka_unit_test(rotations_go_through_all_pending_splits),
		cmocka_unit_test(atomics_end_a_slice),
		cmocka_unit_test(a_step_to_the_next_page_takes_an_issue),
		cmocka_unit_test(a_jump_out_of_the_page_takes_none_and_chooses),
		cmocka_unit_test(a_barrier_counts_work_items),
		cmocka_unit_test(sg_sync_is_a_rendezvous),
		cmocka_unit_test(a_replay_goes_on_with_the_split_that_stalled),
		cmocka_unit_test(splits_meet_before_a_rotation),
		cmocka_unit_test(a_place_between_instructions_is_passed),
		cmocka_unit_test(lanes_are_never_lost),
	};
	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
