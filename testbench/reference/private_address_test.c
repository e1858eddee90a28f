/* The reference of private memory, at the examples of docs/hardware/isa.md and cu.md. The argument or GALENA_SEED is the seed of
 * the random case. */
#include "testbench/random.h"
#include "testbench/reference/private_address.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define WINDOW 0x600000000000ull /* VA_PRIVATE of the table of addresses */
enum { SCRATCH = 0x100000, BYTES = 256 };

static uint64_t seed;
static const struct private_warp mini = { SCRATCH, BYTES, 4, 4, 0, 2 };

static void dispatches_are_checked(void **state)
{
	(void)state;
	assert_int_equal(private_dispatch(0, 0, 0, 4, 16, 32), FAULT_NONE);
	assert_int_equal(private_dispatch(24, 0, 0, 4, 16, 32), FAULT_BAD_DISPATCH);
	assert_int_equal(private_dispatch(1 << 20, 0, 0, 4, 16, 32), FAULT_NONE); /* passes without scratch */
	assert_int_equal(private_dispatch((1 << 20) + 16, 0, 0, 4, 16, 32), FAULT_BAD_DISPATCH);
	assert_int_equal(private_dispatch(16, SCRATCH, 4 * 16 * 32 * 16, 4, 16, 32), FAULT_NONE);
	assert_int_equal(private_dispatch(16, SCRATCH, 4 * 16 * 32 * 16 - 1, 4, 16, 32), FAULT_BAD_DISPATCH);
}

static void a_stack_begins_at_the_end(void **state)
{
	(void)state;
	assert_int_equal(private_stack(BYTES), WINDOW + BYTES);
	assert_int_equal(private_stack(0), WINDOW);
}

static void the_window_is_told_by_the_first_byte(void **state)
{
	(void)state;
	assert_false(private_is(WINDOW - 1));
	assert_true(private_is(WINDOW));
	assert_true(private_is(WINDOW + 0xffffff));
	assert_false(private_is(WINDOW + 0x1000000));
}

static void warps_have_their_place(void **state)
{
	struct private_warp w = mini;
	(void)state;
	assert_int_equal(private_base(&w), SCRATCH + 2 * 4 * BYTES);
	w.unit = 3;
	assert_int_equal(private_base(&w), SCRATCH + (3 * 4 + 2) * 4 * BYTES);
}

static void words_of_lanes_lie_side_by_side(void **state)
{
	struct private_place p;
	const uint64_t base = private_base(&mini);
	(void)state;
	for (unsigned l = 0; l < 4; l++) {
		assert_int_equal(private_find(&mini, l, WINDOW + 8, 4, PRIVATE_LOAD, &p), FAULT_NONE);
		assert_int_equal(p.parts, 1);
		assert_int_equal(p.part[0].address, base + 2 * 16 + l * 4);
		assert_int_equal(p.part[0].bytes, 4);
	}
	assert_int_equal(private_find(&mini, 1, WINDOW + 7, 8, PRIVATE_STORE, &p), FAULT_NONE);
	assert_int_equal(p.parts, 3); /* 1, 4 and 3 bytes of three words */
	assert_int_equal(p.part[0].address, base + 16 + 4 + 3);
	assert_int_equal(p.part[0].bytes, 1);
	assert_int_equal(p.part[1].address, base + 32 + 4);
	assert_int_equal(p.part[1].first, 1);
	assert_int_equal(p.part[1].bytes, 4);
	assert_int_equal(p.part[2].address, base + 48 + 4);
	assert_int_equal(p.part[2].first, 5);
	assert_int_equal(p.part[2].bytes, 3);
}

static void what_lies_beyond_is_refused(void **state)
{
	struct private_place p;
	struct private_warp none = mini;
	(void)state;
	assert_int_equal(private_find(&mini, 0, WINDOW + BYTES - 8, 8, PRIVATE_STORE, &p), FAULT_NONE);
	assert_int_equal(private_find(&mini, 0, WINDOW + BYTES - 7, 8, PRIVATE_STORE, &p), FAULT_PRIVATE_RANGE);
	assert_int_equal(private_find(&mini, 0, WINDOW + 0xffffff, 8, PRIVATE_LOAD, &p), FAULT_PRIVATE_RANGE);
	assert_int_equal(private_find(&mini, 0, WINDOW + BYTES + 2, 4, PRIVATE_ATOMIC, &p), FAULT_MISALIGNED);
	assert_int_equal(private_find(&mini, 0, WINDOW + 4, 8, PRIVATE_RESERVE, &p), FAULT_MISALIGNED);
	assert_int_equal(private_find(&mini, 0, WINDOW + 2, 4, PRIVATE_LOAD, &p), FAULT_NONE);
	none.scratch = 0;
	assert_int_equal(private_find(&none, 0, WINDOW, 1, PRIVATE_LOAD, &p), FAULT_PRIVATE_RANGE);
}

/* ---- instructions ---- */

enum { STEPS = 64 };
static struct {
	uint64_t bad;    /* a page in which look fails */
	enum fault code; /* with this */
	unsigned looks, moves, lanes[STEPS];
	enum access accesses[STEPS];
	uint64_t addresses[STEPS];
} seen;

static enum fault look(void *of, uint64_t address, unsigned bytes, enum access access)
{
	(void)of;
	(void)bytes;
	(void)access;
	seen.looks++;
	return address / 4096 == seen.bad ? seen.code : FAULT_NONE;
}

static enum fault move(void *of, unsigned lane, const struct private_part *part, enum access access)
{
	(void)of;
	assert_true(seen.moves < STEPS);
	seen.lanes[seen.moves] = lane;
	seen.accesses[seen.moves] = access;
	seen.addresses[seen.moves++] = part->address;
	return FAULT_NONE;
}

static const struct private_memory memory = { NULL, look, move };
/* Each 4096 bytes of the backing are 1024 of each lane. */
static const struct private_warp large = { SCRATCH, 4096, 4, 4, 0, 0 };

static enum fault execute(unsigned size, enum private_access kind, bool replayable, enum fault code, struct private_fault *fault)
{
	/* lane 0 in the first page, lane 1 across the first and the second, lane 3 beyond */
	static const uint64_t addresses[4] = { WINDOW, WINDOW + 1020, WINDOW + 8, WINDOW + 4096 };
	memset(&seen, 0, sizeof seen);
	seen.bad = SCRATCH / 4096 + 1;
	seen.code = code;
	return private_execute(&large, 0xb, addresses, size, kind, replayable, &memory, fault);
}

static void a_store_does_its_lanes_in_order_up_to_the_fault(void **state)
{
	struct private_fault f;
	(void)state;
	assert_int_equal(execute(8, PRIVATE_STORE, false, FAULT_PAGE_WRITE, &f), FAULT_PAGE_WRITE);
	assert_int_equal(f.lane, 1);
	assert_int_equal(f.access, ACCESS_WRITE);
	assert_int_equal(f.address, SCRATCH + 4096 + 4); /* in the backing */
	assert_int_equal(seen.moves, 3); /* the earlier part is written */
	assert_int_equal(execute(8, PRIVATE_STORE, false, FAULT_NONE, &f), FAULT_PRIVATE_RANGE);
	assert_int_equal(f.lane, 3);
	assert_int_equal(f.address, WINDOW + 4096); /* in the window */
	assert_int_equal(seen.moves, 4);
}

static void a_store_that_may_be_replayed_does_nothing_before_its_pages_are_there(void **state)
{
	struct private_fault f;
	(void)state;
	assert_int_equal(execute(8, PRIVATE_STORE, true, FAULT_PAGE_NOT_PRESENT, &f), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(f.lane, 1);
	assert_int_equal(seen.moves, 0);
	assert_int_equal(execute(8, PRIVATE_STORE, true, FAULT_PROTECTED, &f), FAULT_PROTECTED); /* passed over at first */
	assert_int_equal(seen.moves, 3);
	assert_int_equal(execute(4, PRIVATE_STORE, true, FAULT_PAGE_NOT_PRESENT, &f), FAULT_PRIVATE_RANGE);
	assert_int_equal(seen.moves, 2);
}

static void a_long_atomic_loads_its_words_and_then_stores_them(void **state)
{
	static const uint64_t addresses[1] = { WINDOW + 16 };
	struct private_fault f;
	(void)state;
	memset(&seen, 0, sizeof seen);
	assert_int_equal(private_execute(&large, 1, addresses, 8, PRIVATE_ATOMIC, false, &memory, &f), FAULT_NONE);
	assert_int_equal(seen.moves, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(seen.accesses[i], i < 2 ? ACCESS_READ : ACCESS_WRITE);
		assert_int_equal(seen.addresses[i], SCRATCH + (4 + i % 2) * 16);
	}
	memset(&seen, 0, sizeof seen);
	assert_int_equal(private_execute(&large, 1, addresses, 4, PRIVATE_ATOMIC, false, &memory, &f), FAULT_NONE);
	assert_int_equal(seen.moves, 1);
	assert_int_equal(seen.accesses[0], ACCESS_ATOMIC);
	assert_int_equal(private_execute(&large, 1, (const uint64_t[]){ WINDOW + 2 }, 4, PRIVATE_RESERVE, false, &memory, &f),
			 FAULT_MISALIGNED);
	assert_int_equal(f.access, ACCESS_READ);
}

/* ---- lines ---- */

static void accesses_are_merged_into_lines(void **state)
{
	const struct private_bytes accesses[] = { { 0x1f8, 16 }, { 0x400, 4 }, { 0x1f0, 8 }, { 0x100, 8 } };
	uint64_t lines[8];
	(void)state;
	assert_int_equal(private_lines(accesses, 4, 64, lines, 8), 4);
	assert_int_equal(lines[0], 0x1c0); /* of an access that touches two the lower one first */
	assert_int_equal(lines[1], 0x200);
	assert_int_equal(lines[2], 0x400);
	assert_int_equal(lines[3], 0x100);
	assert_int_equal(private_store_bytes(4, 8, 3, 64), 11);
	assert_int_equal(private_store_bytes(32, 8, 1, 128), 128);
}

static void a_stack_access_of_all_lanes_is_one_line(void **state)
{
	struct private_bytes accesses[32];
	const struct private_warp full = { SCRATCH, BYTES, 32, 16, 1, 5 };
	uint64_t lines[32];
	(void)state;
	for (unsigned l = 0; l < 32; l++) {
		struct private_place p;
		assert_int_equal(private_find(&full, l, WINDOW + 40, 4, PRIVATE_STORE, &p), FAULT_NONE);
		accesses[l] = (struct private_bytes){ p.part[0].address, p.part[0].bytes };
	}
	assert_int_equal(private_lines(accesses, 32, 128, lines, 32), 1);
	assert_int_equal(lines[0], private_base(&full) + 10 * 128);
}

/* No two bytes of lanes, warps and units have one place, and all lie in the scratch memory that CU-10 asks for. */
static void every_byte_has_a_place_of_its_own(void **state)
{
	enum { UNITS = 2, WARPS = 3, LANES = 5, EACH = 48, ALL = UNITS * WARPS * LANES * EACH };
	static bool taken[ALL];
	uint64_t random = seed;
	struct private_warp w = { SCRATCH, EACH, LANES, WARPS, 0, 0 };
	(void)state;
	for (w.unit = 0; w.unit < UNITS; w.unit++)
		for (w.slot = 0; w.slot < WARPS; w.slot++)
			for (unsigned l = 0; l < LANES; l++)
				for (unsigned o = 0, size; o < EACH; o += size) {
					struct private_place p;
					unsigned bytes = 0;
					do
						size = 1u << splitmix64(&random) % 4;
					while (o + size > EACH);
					assert_int_equal(private_find(&w, l, WINDOW + o, size, PRIVATE_LOAD, &p), FAULT_NONE);
					for (unsigned i = 0; i < p.parts; i++)
						for (unsigned b = 0; b < p.part[i].bytes; b++, bytes++) {
							const uint64_t at = p.part[i].address + b - SCRATCH;
							assert_true(at < ALL);
							assert_int_equal(p.part[i].first + b, bytes);
							assert_int_equal(at % 4, (o + bytes) % 4);
							assert_false(taken[at]);
							taken[at] = true;
						}
					assert_int_equal(bytes, size);
				}
	for (unsigned i = 0; i < ALL; i++)
		assert_true(taken[i]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dispatches_are_checked),
		cmocka_unit_test(a_stack_begins_at_the_end),
		cmocka_unit_test(the_window_is_told_by_the_first_byte),
		cmocka_unit_test(warps_have_their_place),
		cmocka_unit_test(words_of_lanes_lie_side_by_side),
		cmocka_unit_test(what_lies_beyond_is_refused),
		cmocka_unit_test(a_store_does_its_lanes_in_order_up_to_the_fault),
		cmocka_unit_test(a_store_that_may_be_replayed_does_nothing_before_its_pages_are_there),
		cmocka_unit_test(a_long_atomic_loads_its_words_and_then_stores_them),
		cmocka_unit_test(accesses_are_merged_into_lines),
		cmocka_unit_test(a_stack_access_of_all_lanes_is_one_line),
		cmocka_unit_test(every_byte_has_a_place_of_its_own),
	};
	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
