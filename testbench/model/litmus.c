/* What loads of compute units may see and must see, where the L1 data caches hold data (l1_data=1) and where they do not: message
 * passing, store buffering, coherence of one location, atomics, LR/SC, new dispatches. In each program the units tell each other by
 * atomics without an order, so that what is stale is so at any latency. */
#include "abi/pte.h"
#include "testbench/model/kernel.h"

enum { RESULTS = 256 /* word of out */, UNITS = 2 };

/* X is at 0(a1), with 64 bytes a line in set 0 of 8; flags at (a2) and (a3), results of the first unit at (a4). */
#define BEGIN "csrr a0, 0xcc9\n ld a1, 0(a0)\n addi a2, a1, 576\n addi a3, a1, 704\n addi a4, a1, 1024\n addi a5, a1, 256\n li t6, 1\n"
#define TELL(flag) "amoswap.w zero, t6, (" #flag ")\n"
#define WAIT_BY(amo, flag) "1: " amo " t0, zero, (" #flag ")\n beqz t0, 1b\n"
#define WAIT(flag) WAIT_BY("amoor.w", flag)

static struct bench open_pair(bool data)
{
	return bench_of(rig_create(data ? "mini,num_cu=2,l1_data=1" : "mini,num_cu=2,l1_data=0", BUS_TIMED, SIMD_AUTO, false));
}

/* A work-item of the first unit runs the one text, one of the second unit the other. */
static void run_pair(struct bench *b, const char *first, const char *second)
{
	const char *const text[UNITS] = { first, second };
	char program[4096];

	for (unsigned i = 0; i < UNITS; i++) {
		struct rig_range range = { .global = { 1 }, .local = { 1 }, .local_bytes = 1024, .kernarg = arg_va, .units = 1u << i };

		snprintf(program, sizeof(program), BEGIN "%s" EXIT, text[i]);
		assert_int_equal(rig_start(b->r, i, rig_load_text(b->r, program), &range), FAULT_NONE);
	}
	assert_true(rig_finish(b->r, 1 << 22));
	for (unsigned i = 0; i < UNITS; i++)
		assert_false(b->r->ends[i].faulted);
}

/* ---- messages ---- */

/* X is in the line that the first unit has loaded, when the second one stores it. What the first one does then, and the words of
 * results: without data in the L1, and with. */
static const struct message { const char *name, *text; uint32_t newest[4], data[4]; } messages[] = {
	{ "no fence", "lw s3, 0(a1)\n", { 1 }, { 0 } },
	{ "no fence, a byte", "lb s3, 0(a1)\n", { 1 }, { 0 } },
	{ "no fence, and an atomic at another line", "amoor.w s4, zero, (a2)\n lw s3, 0(a1)\n", { 1, 1 }, { 0, 1 } },
	{ "fence rw, rw", "fence rw, rw\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "fence of all", "fence\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "fence r, r", "fence r, r\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "fence w, r", "fence w, r\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "fence.tso", "fence.tso\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "fence rw, w", "fence rw, w\n lw s3, 0(a1)\n", { 1 }, { 0 } },
	{ "fence iorw, iow", "fence iorw, iow\n lw s3, 0(a1)\n", { 1 }, { 0 } },
	{ "amoor.aq", WAIT_BY("amoor.w.aq", a3) "lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "amoswap.aqrl", "amoswap.d.aqrl t0, zero, (a3)\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "amoor.rl", WAIT_BY("amoor.w.rl", a3) "lw s3, 0(a1)\n", { 1 }, { 0 } },
	{ "amocas.aq", "amocas.w.aq t0, t6, (a3)\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "lr.aq", "lr.w.aq t0, (a3)\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "lr", "lr.w t0, (a3)\n lw s3, 0(a1)\n", { 1 }, { 0 } },
	{ "an sc.aq that fails", "sc.w.aq s4, zero, (a3)\n lw s3, 0(a1)\n", { 1, 1 }, { 1, 1 } },
	{ "amoor.aq in local memory", "li t1, 5\n slli t1, t1, 44\n amoor.w.aq t0, zero, (t1)\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "the line is replaced", "lw t1, 512(a1)\n lw t2, 1536(a1)\n add t1, t1, t2\n lw s3, 0(a1)\n", { 1 }, { 1 } },
	{ "another line is brought in", "lw t1, 512(a1)\n lw s3, 0(a1)\n", { 1 }, { 0 } },
	{ "a store to the line", "li t1, 7\n sw t1, 4(a1)\n lw s3, 0(a1)\n lw s4, 4(a1)\n", { 1, 7 }, { 0, 7 } },
	{ "a store of a byte of it", "sb t6, 1(a1)\n lw s3, 0(a1)\n fence\n lw s4, 0(a1)\n", { 0x101, 0x101 }, { 0x100, 0x101 } },
	{ "an atomic at it", "amoadd.w s3, t6, (a1)\n lw s4, 0(a1)\n", { 1, 2 }, { 1, 2 } },
	{ "an atomic at another word of its line", "addi t1, a1, 8\n amoadd.w s4, t6, (t1)\n lw s3, 0(a1)\n", { 1, 0 }, { 1, 0 } },
	{ "lr and sc at it", "lr.w s3, (a1)\n addi t1, s3, 4\n sc.w s4, t1, (a1)\n lw s5, 0(a1)\n", { 1, 0, 5 }, { 1, 0, 5 } },
	{ "lr at it", "lr.w s3, (a1)\n lw s4, 0(a1)\n", { 1, 1 }, { 1, 1 } },
	{ "a load into the next line", "lw s5, 60(a1)\n lwu s3, 62(a1)\n", { 0x20001, 0, 0x10000 | 1 }, { 0x20000, 0, 0 } },
};
enum { MESSAGES = sizeof(messages) / sizeof(*messages) };

/* X is stored as a word of 1; the words before and in the next line are for the load that crosses. */
#define STORES "sw t6, 0(a1)\n li t1, 1\n sh t1, 62(a1)\n sh t6, 60(a1)\n li t1, 2\n sh t1, 64(a1)\n"

static void messages_are_seen(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * MESSAGES; i++) {
		const struct message *m = &messages[i / 2];
		const bool data = i & 1;
		struct bench b = open_pair(data);
		char first[2048];

		snprintf(first, sizeof(first), "li s3, 0\n li s4, 0\n li s5, 0\n lw s2, 0(a1)\n add s2, s2, zero\n" TELL(a2) WAIT(a3)
			 "%s sw s3, 0(a4)\n sw s4, 4(a4)\n sw s5, 8(a4)\n sw s2, 12(a4)\n", m->text);
		run_pair(&b, first, WAIT(a2) STORES TELL(a3));
		for (unsigned k = 0; k < 4; k++)
			if (b.out[RESULTS + k] != (data ? m->data[k] : m->newest[k]))
				fail_msg("%s, l1_data=%d: result %u is %#x", m->name, data, k, b.out[RESULTS + k]);
		rig_destroy(b.r);
	}
}

/* Whether a spin of plain loads sees the store of the other unit: with data it does not, for as long as its line is held. */
static void plain_spins_end_with_instructions(void **state)
{
	(void)state;
	for (unsigned data = 0; data < 2; data++) {
		struct bench b = open_pair(data);
		struct rig_range range = { .global = { 1 }, .local = { 1 }, .kernarg = arg_va, .units = 1 };
		const uint64_t spin = rig_load_text(b.r, BEGIN "1: lw t0, 0(a1)\n" TELL(a2) "beqz t0, 1b\n" EXIT);

		assert_int_equal(rig_start(b.r, 0, spin, &range), FAULT_NONE);
		while (!b.out[144]) /* its flag */
			b.r->now = compute_tick(b.r->compute, b.r->now + 100);
		range.units = 2;
		assert_int_equal(rig_start(b.r, 1, rig_load_text(b.r, BEGIN "sw t6, 0(a1)\n" EXIT), &range), FAULT_NONE);
		assert_int_equal(rig_finish(b.r, 20000), !data);
		assert_true(b.r->ends[1].ended);
		assert_int_equal(b.r->ends[0].ended, !data);
		compute_flush_code(b.r->compute, b.r->now); /* as TLB_INV does */
		assert_true(rig_finish(b.r, 20000));
		rig_destroy(b.r);
	}
}

/* ---- store buffering ---- */

/* Each unit has both lines, stores one word and loads the other's. */
static void buffering(bool data, const char *between, uint32_t seen[UNITS])
{
	struct bench b = open_pair(data);
	char text[UNITS][2048];

	for (unsigned i = 0; i < UNITS; i++)
		snprintf(text[i], sizeof(text[i]), "lw t1, 0(a1)\n lw t2, 0(a5)\n add t1, t1, t2\n" "amoswap.w zero, t6, (%s)\n"
			 "1: amoor.w t0, zero, (%s)\n beqz t0, 1b\n sw t6, 0(%s)\n %s\n lw s2, 0(%s)\n sw s2, %u(a4)\n", i ? "a3" : "a2",
			 i ? "a2" : "a3", i ? "a5" : "a1", between, i ? "a1" : "a5", 4 * i);
	run_pair(&b, text[0], text[1]);
	memcpy(seen, &b.out[RESULTS], UNITS * sizeof(*seen));
	assert_int_equal(b.out[0], 1);
	assert_int_equal(b.out[64], 1);
	rig_destroy(b.r);
}

static void store_buffering(void **state)
{
	static const char *const fences[] = { "fence rw, rw", "fence w, r", "fence", "amoor.w.aq t0, zero, (a2)" };
	uint32_t seen[UNITS];

	(void)state;
	buffering(true, "", seen); /* both have the lines of before */
	assert_int_equal(seen[0] + seen[1], 0);
	buffering(true, "fence rw, w", seen);
	assert_int_equal(seen[0] + seen[1], 0);
	buffering(false, "", seen);
	assert_true(seen[0] || seen[1]);
	for (unsigned i = 0; i < sizeof(fences) / sizeof(*fences); i++)
		for (unsigned data = 0; data < 2; data++) {
			buffering(data, fences[i], seen);
			assert_true(seen[0] || seen[1]);
		}
}

/* ---- one location ---- */

/* A lane of the unit itself sees a store at once, in a line that has been loaded before; the other word of the line is as old. */
static void a_unit_sees_its_own_stores(void **state)
{
	(void)state;
	for (unsigned data = 0; data < 2; data++) {
		struct bench b = open_pair(data);
		struct rig_range two = { .global = { 2 }, .local = { 1 }, .kernarg = arg_va, .units = 1 };
		struct rig_range other = { .global = { 1 }, .local = { 1 }, .kernarg = arg_va, .units = 2 };
		/* work-group 0 loads, 1 waits for the other unit's store, stores, tells 0 */
		const uint64_t entry = rig_load_text(b.r, ITEM BEGIN "addi a6, a1, 832\n bnez s0, 2f\n lw s2, 0(a1)\n add s2, s2, zero\n" TELL(a2) WAIT(a6)
						     "lw s3, 0(a1)\n lw s4, 4(a1)\n fence\n lw s5, 4(a1)\n sw s3, 0(a4)\n sw s4, 4(a4)\n sw s5, 8(a4)\n" EXIT
						     "2: " WAIT(a3) "sw t6, 0(a1)\n" TELL(a6) EXIT);

		assert_int_equal(rig_start(b.r, 0, entry, &two), FAULT_NONE);
		assert_int_equal(rig_start(b.r, 1, rig_load_text(b.r, BEGIN WAIT(a2) "li t1, 9\n sw t1, 4(a1)\n" TELL(a3) EXIT), &other), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 22));
		assert_int_equal(b.out[RESULTS], 1);
		assert_int_equal(b.out[RESULTS + 1], data ? 0 : 9);
		assert_int_equal(b.out[RESULTS + 2], 9);
		assert_int_equal(b.out[1], 9); /* the write-through has left the other unit's word as it was */
		rig_destroy(b.r);
	}
}

/* What a unit reads at one location never becomes older, whichever lines come and go meanwhile. */
static void reads_of_one_location_do_not_go_back(void **state)
{
	enum { TIMES = 200 };

	(void)state;
	for (unsigned data = 0; data < 2; data++) {
		struct bench b = open_pair(data);

		/* s2: the last value, s3: how often it went back, s4: how often it was another one */
		run_pair(&b, "li s2, 0\n li s3, 0\n li s4, 0\n li t5, 400\n"
			     "9: lw t1, 0(a1)\n sltu t2, t1, s2\n add s3, s3, t2\n xor t2, t1, s2\n snez t2, t2\n add s4, s4, t2\n mv s2, t1\n"
			     "andi t3, t5, 7\n bnez t3, 8f\n lw t3, 512(a1)\n lw t4, 1536(a1)\n add t3, t3, t4\n"
			     "8: addi t5, t5, -1\n bnez t5, 9b\n sw s3, 0(a4)\n sw s4, 4(a4)\n",
			 "li t5, 0\n li t4, 200\n 9: addi t5, t5, 1\n sw t5, 0(a1)\n bne t5, t4, 9b\n");
		assert_int_equal(b.out[0], TIMES);
		assert_int_equal(b.out[RESULTS], 0);
		assert_in_range(b.out[RESULTS + 1], 2, TIMES);
		rig_destroy(b.r);
	}
}

/* ---- atomics ---- */

/* Both units count at one word whose line they load in between: no two get one number. */
static void atomics_count(void **state)
{
	static const char text[] = "li s3, 0\n li t5, 100\n 9: lw t1, 0(a1)\n amoadd.w t2, t6, (a1)\n sltu t3, t2, t1\n add s3, s3, t3\n slli t4, t2, 2\n"
				   "add t4, t4, a4\n sw t6, 8(t4)\n addi t5, t5, -1\n bnez t5, 9b\n amoadd.w zero, s3, (a5)\n";

	(void)state;
	for (unsigned data = 0; data < 2; data++) {
		struct bench b = open_pair(data);

		run_pair(&b, text, text);
		assert_int_equal(b.out[0], 200);
		assert_int_equal(b.out[64], 0); /* none got a number below what it had loaded */
		for (unsigned i = 0; i < 200; i++)
			assert_int_equal(b.out[RESULTS + 2 + i], 1);
		rig_destroy(b.r);
	}
}

/* A plain word behind a lock, whose line both units have: by lr and sc, and by an exchange. Without aq the sum is too small, where lines hold data. */
static void lock_run(bool data, const char *lock, uint32_t *sum)
{
	struct bench b = open_pair(data);
	char text[2048];

	snprintf(text, sizeof(text), "lw t1, 0(a1)\n add t1, t1, zero\n amoadd.w zero, t6, (a3)\n li t1, 2\n 1: amoor.w t0, zero, (a3)\n bne t0, t1, 1b\n"
		 "li t5, 50\n 9: %s lw t1, 0(a1)\n addi t1, t1, 1\n sw t1, 0(a1)\n amoswap.w.rl zero, zero, (a2)\n addi t5, t5, -1\n"
		 "bnez t5, 9b\n", lock);
	run_pair(&b, text, text);
	*sum = b.out[0];
	rig_destroy(b.r);
}

static void locks(void **state)
{
	static const char by_reservation[] = "1: lr.w.aq t0, (a2)\n bnez t0, 1b\n sc.w t0, t6, (a2)\n bnez t0, 1b\n";
	static const char by_sc[] = "1: lr.w t0, (a2)\n bnez t0, 1b\n sc.w.aq t0, t6, (a2)\n bnez t0, 1b\n";
	static const char by_exchange[] = "1: amoswap.w.aq t0, t6, (a2)\n bnez t0, 1b\n";
	static const char without[] = "1: amoswap.w t0, t6, (a2)\n bnez t0, 1b\n";
	uint32_t sum;

	(void)state;
	for (unsigned data = 0; data < 2; data++) {
		lock_run(data, by_reservation, &sum);
		assert_int_equal(sum, 100);
		lock_run(data, by_sc, &sum);
		assert_int_equal(sum, 100);
		lock_run(data, by_exchange, &sum);
		assert_int_equal(sum, 100);
	}
	lock_run(false, without, &sum);
	assert_int_equal(sum, 100);
	lock_run(true, without, &sum);
	assert_in_range(sum, 50, 99);
}

/* ---- dispatches, and what is no line ---- */

static void dispatch_on(struct bench *b, unsigned unit, const char *text)
{
	struct rig_range range = { .global = { 1 }, .local = { 1 }, .kernarg = arg_va, .units = 1u << unit };

	assert_int_equal(rig_start(b->r, 0, rig_load_text(b->r, text), &range), FAULT_NONE);
	assert_true(rig_finish(b->r, 1 << 20));
	assert_false(b->r->ends[0].faulted);
}

static void a_dispatch_sees_what_was_there_before(void **state)
{
	(void)state;
	for (unsigned data = 0; data < 2; data++) {
		struct bench b = open_pair(data);

		dispatch_on(&b, 0, BEGIN "lw s2, 0(a1)\n lw s3, 0(a5)\n sw s2, 0(a4)\n sw s3, 4(a4)\n" EXIT);
		assert_int_equal(b.out[RESULTS], 0);
		dispatch_on(&b, 1, BEGIN "sw t6, 0(a1)\n" EXIT);
		b.out[64] = 77; /* the host */
		dispatch_on(&b, 0, BEGIN "lw s2, 0(a1)\n lw s3, 0(a5)\n sw s2, 0(a4)\n sw s3, 4(a4)\n" EXIT);
		assert_int_equal(b.out[RESULTS], 1);
		assert_int_equal(b.out[RESULTS + 1], 77);
		rig_destroy(b.r);
	}
}

/* Lines of system memory are not held: of a coherent device, of one with a cache of system memory, and in an uncached page. */
static void system_memory_is_not_held(void **state)
{
	static const struct { const char *config; uint64_t bits; } rows[] = {
		{ "mini,num_cu=2,l1_data=1", 0 }, { "mini,num_cu=2,l1_data=1,coherent=0", 0 }, { "mini,num_cu=2,l1_data=1,coherent=0", PTE_UNCACHED },
	};
	const uint64_t va = 0x2200000000;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bench b = bench_of(rig_create(rows[i].config, BUS_TIMED, SIMD_AUTO, false));
		uint64_t misses;

		rig_map(b.r, va, SYSTEM_BASE, 4096, PTE_R | PTE_W | rows[i].bits);
		b.arg[1] = va;
		run_pair(&b, "ld a5, 8(a0)\n lw s2, 0(a5)\n add s2, s2, zero\n" TELL(a2) WAIT(a3) "lw s3, 0(a5)\n sw s3, 0(a4)\n",
			 "ld a5, 8(a0)\n" WAIT(a2) "sw t6, 0(a5)\n" TELL(a3));
		assert_int_equal(b.out[RESULTS], 1);
		misses = compute_counters(b.r->compute)->l1_miss;
		dispatch_on(&b, 0, BEGIN "ld a5, 8(a0)\n lw s2, 0(a5)\n add s2, s2, zero\n lw s2, 4(a5)\n" EXIT);
		assert_int_equal(compute_counters(b.r->compute)->l1_miss - misses, 3); /* one of them is of the arguments */
		rig_destroy(b.r);
	}
}

/* ---- instructions of many lines ---- */

/* Lanes 0 to 3 load lines of one set of two ways, in which line A is held with what it was. *old: of which lanes the value is. */
static uint32_t gather(const char order[4])
{
	struct bench b = open_pair(true);
	struct rig_range range = { .global = { 4 }, .local = { 4 }, .kernarg = arg_va, .units = 1 };
	struct rig_range other = { .global = { 1 }, .local = { 1 }, .kernarg = arg_va, .units = 2 };
	uint32_t old = 0;

	for (unsigned lane = 0; lane < 4; lane++) /* beside the flag, so that the set is free */
		b.out[160 + lane] = (uint32_t)(order[lane] - 'A') * 512;
	assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, BEGIN "csrr t1, 0xcca\n sh2add t2, t1, a1\n lw t3, 640(t2)\n add t3, t3, a1\n sh2add t2, t1, a4\n"
							      "lw s2, 0(a1)\n add s2, s2, zero\n" TELL(a2) WAIT(a3) "lw s3, 0(t3)\n sw s3, 64(t2)\n" EXIT),
				   &range), FAULT_NONE);
	assert_int_equal(rig_start(b.r, 1, rig_load_text(b.r, BEGIN WAIT(a2) "sw t6, 0(a1)\n sw t6, 512(a1)\n sw t6, 1024(a1)\n sw t6, 1536(a1)\n" TELL(a3)
							      EXIT), &other), FAULT_NONE);
	assert_true(rig_finish(b.r, 1 << 20));
	for (unsigned lane = 0; lane < 4; lane++)
		old |= (uint32_t)!b.out[RESULTS + 16 + lane] << lane;
	rig_destroy(b.r);
	return old;
}

/* A line is looked up once, where the first lane of it is; others of its lanes get the same bytes, also when it has left by then. */
static void lines_are_looked_up_in_the_order_of_lanes(void **state)
{
	(void)state;
	assert_int_equal(gather("ABCD"), 1);
	assert_int_equal(gather("ABCA"), 9);
	assert_int_equal(gather("AAAA"), 15);
	assert_int_equal(gather("BACA"), 10);
	assert_int_equal(gather("BCAA"), 0); /* C takes the place of A before A is looked up */
	assert_int_equal(gather("BCDA"), 0);
}

/* A load that faults has brought in nothing: replayed, it gives what memory has then. */
static void a_load_that_faults_brings_in_nothing(void **state)
{
	const uint64_t va = 0x2200000000;

	(void)state;
	for (unsigned held = 0; held < 2; held++) {
		struct bench b = open_pair(true);
		const uint64_t pa = rig_dram(b.r, 4096);
		struct rig_range range = { .global = { 4 }, .local = { 4 }, .kernarg = arg_va, .units = 1, .replay = true };
		char text[1024];
		uint64_t misses;

		b.arg[1] = va;
		/* lanes 0 to 2 at X, at another line of its set and at X, lane 3 in a page that is not there */
		snprintf(text, sizeof(text), BEGIN "ld a6, 8(a0)\n csrr t1, 0xcca\n andi t2, t1, 1\n slli t2, t2, 9\n add t3, a1, t2\n li t4, 3\n"
			 "bne t1, t4, 1f\n mv t3, a6\n 1: %s sh2add t2, t1, a4\n lw s3, 0(t3)\n sw s3, 64(t2)\n" EXIT,
			 held ? "lw s2, 0(a1)\n add s2, s2, zero\n" : "");
		assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, text), &range), FAULT_NONE);
		rig_finish(b.r, 1 << 20);
		assert_int_equal(b.r->ends[0].stalls, 1);
		b.out[0] = b.out[128] = 1;
		misses = compute_counters(b.r->compute)->l1_miss;
		rig_map(b.r, va, pa, 4096, PTE_R | PTE_W);
		compute_replay(b.r->compute, &(struct compute_replay){ 0 }, b.r->now);
		assert_true(rig_finish(b.r, 1 << 20));
		assert_false(b.r->ends[0].faulted);
		assert_int_equal(compute_counters(b.r->compute)->l1_miss - misses, held ? 2 : 3);
		assert_int_equal(b.out[RESULTS + 16], held ? 0 : 1);
		assert_int_equal(b.out[RESULTS + 17], 1);
		assert_int_equal(b.out[RESULTS + 18], held ? 0 : 1);
		rig_destroy(b.r);
	}
}

/* Of loads that find their line none reads DRAM: an error that is to be met n reads from now ends as many loads as lines are brought in. */
static void errors_are_met_where_lines_are_brought_in(void **state)
{
	(void)state;
	for (unsigned data = 0; data < 2; data++) {
		unsigned loads = 0;

		for (unsigned nth = 1; nth < 100; nth++) {
			struct bench b = open_pair(data);
			const struct rig_end *e;

			inject_arm(&b.r->inject, INJECT_ECC_DOUBLE, nth, UNIT_CU, 0, 0);
			mmu_refresh(b.r->mmu);
			e = run(&b, BEGIN "lw t1, 0(a1)\n lw t2, 0(a1)\n lw t3, 4(a1)\n lb t4, 60(a1)\n lw t5, 64(a1)\n sw t6, 64(a1)\n lw t5, 68(a1)\n" EXIT,
				(struct rig_range){ .global = { 1 }, .local = { 1 } });
			if (e->faulted)
				assert_int_equal(e->fault.code, FAULT_ECC);
			loads += e->faulted && e->fault.access == ACCESS_READ;
			rig_destroy(b.r);
		}
		assert_int_equal(loads, data ? 3 : 7); /* of the arguments, 0 and 64; of each load */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_seen),
		cmocka_unit_test(plain_spins_end_with_instructions),
		cmocka_unit_test(store_buffering),
		cmocka_unit_test(a_unit_sees_its_own_stores),
		cmocka_unit_test(reads_of_one_location_do_not_go_back),
		cmocka_unit_test(atomics_count),
		cmocka_unit_test(locks),
		cmocka_unit_test(a_dispatch_sees_what_was_there_before),
		cmocka_unit_test(system_memory_is_not_held),
		cmocka_unit_test(lines_are_looked_up_in_the_order_of_lanes),
		cmocka_unit_test(a_load_that_faults_brings_in_nothing),
		cmocka_unit_test(errors_are_met_where_lines_are_brought_in),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
