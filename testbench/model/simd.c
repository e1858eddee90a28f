/* Random programs on each execution engine that the host has, with and without timing, compared
 * lane by lane with a reference that runs one work-item at a time. Registers start in every form
 * that the engines know (uniform, affine, 32 and 64 bits a lane); branches on random values leave
 * every kind of mask. Usage: simd [seed]; the seed is printed. */
#include "testbench/random.h"
#include "model/cu/decode.h"
#include "testbench/model/reference.h"
#include "abi/events.h"
#include "testbench/model/rig.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "testbench/skip.h"

enum {
	MAX_LANES = 32,
	BODY = 120,
	TABLE_BYTES = 1 << 20,
	CONSTANTS = 0x4800,  /* after 64 registers of 32 lanes */
	OUT = 0x8000,
	GLOBAL = 0x20000,
};
static const uint64_t table_va = 0x2000000000;
static uint64_t seed = 1;

/* What the programs of one run did in all, and how a run differs from a plain one. */
struct totals { uint64_t cycles, lane_insns, warp_insns, l1_hit, l1_miss, lds_conflicts, warp_cycles, events, faults; };
struct variant {
	bool events; /* somebody looks */
	bool replay; /* half of the pages are missing when a program begins */
};

enum form { UNIFORM, AFFINE, WORD, FULL };

struct program {
	uint32_t words[4096];
	unsigned count, body_first, body_count;
	uint8_t form[64];
};

static void emit(struct program *p, uint32_t word) { p->words[p->count++] = word; }

/* x29 = x(base) + offset */
static void emit_address(struct program *p, unsigned base, uint32_t offset)
{
	emit(p, ref_word(OP_lui, REF_SCRATCH, 0, 0, (int32_t)((offset + 0x800) & 0xfffff000)));
	emit(p, ref_word(OP_addi, REF_SCRATCH, REF_SCRATCH, 0, (int32_t)(offset << 20) >> 20));
	emit(p, ref_word(OP_add, REF_SCRATCH, REF_SCRATCH, base, 0));
}

static bool used(unsigned reg)
{
	return (reg >= REF_LOW && reg < REF_HIGH) || (reg >= 32 && reg < 32 + REF_FHIGH);
}

static void emit_register(struct program *p, unsigned reg)
{
	bool f = reg >= 32;
	switch (p->form[reg]) {
	case UNIFORM:
		emit_address(p, REF_TABLE, reg * 256);
		emit(p, ref_word(f ? OP_fld : OP_ld, reg, REF_SCRATCH, 0, 0));
		return;
	case AFFINE:
		emit_address(p, REF_TABLE, reg * 256);
		emit(p, ref_word(OP_ld, 30, REF_SCRATCH, 0, 8));
		emit(p, ref_word(OP_ld, reg, REF_SCRATCH, 0, 0));
		emit(p, ref_word(OP_mul, 30, 30, REF_LANE, 0));
		emit(p, ref_word(OP_add, reg, reg, 30, 0));
		return;
	default:
		emit(p, ref_word(OP_slli, 30, REF_LANE, 0, 3));
		emit(p, ref_word(OP_add, 30, 30, REF_TABLE, 0));
		emit_address(p, 30, reg * 256);
		if (p->form[reg] == WORD)
			emit(p, ref_word(f ? OP_flw : OP_lw, reg, REF_SCRATCH, 0, 0));
		else
			emit(p, ref_word(f ? OP_fld : OP_ld, reg, REF_SCRATCH, 0, 0));
	}
}

/* rd = constant[i] + lane * constant[i + 1] */
static void emit_area(struct program *p, unsigned rd, unsigned i)
{
	emit_address(p, REF_TABLE, CONSTANTS);
	emit(p, ref_word(OP_ld, rd, REF_SCRATCH, 0, (int32_t)i * 8));
	emit(p, ref_word(OP_ld, 30, REF_SCRATCH, 0, (int32_t)i * 8 + 8));
	emit(p, ref_word(OP_mul, 30, 30, REF_LANE, 0));
	emit(p, ref_word(OP_add, rd, rd, 30, 0));
}

static void build(struct program *p, struct ref_random *r, unsigned features)
{
	p->count = 0;
	emit(p, ref_word(OP_csrrs, REF_TABLE, 0, 0, CSR_kernarg));
	emit(p, ref_word(OP_csrrs, REF_LANE, 0, 0, CSR_lane_id));
	for (unsigned reg = 0; reg < 64; reg++)
		if (used(reg))
			emit_register(p, reg);
	emit_area(p, REF_LOCAL, 0);
	emit_area(p, REF_GLOBAL, 2);
	emit(p, ref_word(OP_addi, REF_SP, REF_SP, 0, -REF_AREA));
	for (int i = 0; i < REF_AREA; i += 8) {
		emit(p, ref_word(OP_sd, 0, REF_SP, 0, i));
		emit(p, ref_word(OP_sd, 0, REF_LOCAL, 0, i));
	}
	emit(p, ref_word(OP_addi, REF_SCRATCH, 0, 0, 0));
	p->body_first = p->count;
	p->body_count = ref_program(r, p->words + p->count, BODY, features);
	p->count += p->body_count;
	emit(p, ref_word(OP_slli, 30, REF_LANE, 0, 3));
	emit(p, ref_word(OP_add, 30, 30, REF_TABLE, 0));
	for (unsigned reg = 0; reg < 64; reg++) {
		if (!used(reg))
			continue;
		emit_address(p, 30, OUT + reg * 256);
		emit(p, ref_word(reg >= 32 ? OP_fsd : OP_sd, 0, REF_SCRATCH, reg, 0));
	}
	for (unsigned i = 0; i < REF_AREA / 8; i++) { /* areas: after the registers */
		for (unsigned k = 0; k < 2; k++) {
			emit(p, ref_word(OP_ld, 5, k ? REF_LOCAL : REF_SP, 0, (int32_t)i * 8));
			emit_address(p, 30, OUT + (64 + k * 8 + i) * 256);
			emit(p, ref_word(OP_sd, 0, REF_SCRATCH, 5, 0));
		}
	}
	emit(p, ref_word(OP_exit_, 0, 0, 0, 0));
}

static void dump(const struct program *p)
{
	for (unsigned i = 0; i < p->body_count; i++) {
		char text[80];
		insn_disassemble(p->words[p->body_first + i], i * 4, text, sizeof(text));
		fprintf(stderr, "%4x: %08x  %s\n", i * 4, p->words[p->body_first + i], text);
	}
}

static void check(const struct program *p, const char *what, unsigned lane, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	dump(p);
	fail_msg("%s of lane %u: %#llx, expected %#llx; run with seed %llu", what, lane, (unsigned long long)got,
		 (unsigned long long)want, (unsigned long long)seed);
}

static uint64_t page_pa(const struct rig *r, const uint8_t *table, unsigned page)
{
	return DRAM_BASE + (uint64_t)(table - r->mem.dram) + page * 4096ull;
}

/* Runs a program whose pages come when it asks for them. Returns the number of faults. */
static uint64_t run_replaying(struct rig *r, const uint8_t *table, uint64_t entry, struct rig_range range,
			      struct ref_random *random)
{
	const struct rig_end *end = &r->ends[0];
	bool missing[TABLE_BYTES / 4096];
	uint64_t faults = 0;
	for (unsigned i = 0; i < TABLE_BYTES / 4096; i++) {
		missing[i] = ref_below(random, 2);
		if (missing[i])
			rig_unmap(r, table_va + i * 4096ull);
	}
	range.replay = true;
	assert_int_equal(rig_start(r, 0, entry, &range), FAULT_NONE);
	for (;; faults++) {
		assert_true(rig_finish(r, 1ull << 32));
		if (end->ended)
			break;
		assert_int_equal(end->stalls, faults + 1);
		unsigned page = (unsigned)((end->stall.address - table_va) / 4096);
		assert_in_range(page, 0, TABLE_BYTES / 4096 - 1);
		assert_true(missing[page]);
		missing[page] = false;
		rig_map(r, table_va + page * 4096ull, page_pa(r, table, page), 4096, PTE_R | PTE_W);
		compute_replay(r->compute, &(struct compute_replay){ 0 }, r->now);
	}
	for (unsigned i = 0; i < TABLE_BYTES / 4096; i++)
		rig_map(r, table_va + i * 4096ull, page_pa(r, table, i), 4096, PTE_R | PTE_W);
	return faults;
}

static void run_one(struct rig *r, uint8_t *table, struct ref_random *random, unsigned features, bool replay,
		    struct totals *totals)
{
	static struct program p;
	static struct ref_lane lanes[MAX_LANES];
	unsigned width = r->config->lanes;
	unsigned items = ref_below(random, 3) ? width : 1 + (unsigned)ref_below(random, width);
	static const uint32_t strides[] = { REF_AREA, REF_AREA + 8, 2 * REF_AREA, 1000, 4096 + REF_AREA, 8 };
	uint64_t (*in)[MAX_LANES] = (void *)table, (*out)[MAX_LANES] = (void *)(table + OUT);
	uint64_t *constants = (uint64_t *)(table + CONSTANTS);
	uint64_t stride = strides[ref_below(random, features & (REF_MEMORY | REF_ATOMICS) ? 5 : 6)];
	uint64_t global = GLOBAL + ref_below(random, 64) * 8;

	memset(lanes, 0, sizeof(lanes));
	for (unsigned reg = 0; reg < 64; reg++) {
		if (!used(reg))
			continue;
		p.form[reg] = (uint8_t)ref_below(random, 4);
		if (reg >= 32 && p.form[reg] == AFFINE)
			p.form[reg] = FULL;
		for (unsigned i = 0; i < MAX_LANES; i++)
			in[reg][i] = ref_value(random, reg >= 32);
		if (p.form[reg] == AFFINE && ref_below(random, 2))
			in[reg][1] = ref_below(random, 17) - 8;
		for (unsigned i = 0; i < MAX_LANES; i++) {
			uint64_t v = in[reg][p.form[reg] == UNIFORM ? 0 : i];
			if (p.form[reg] == AFFINE)
				v = in[reg][0] + in[reg][1] * i;
			if (p.form[reg] == WORD)
				v = reg >= 32 ? v | 0xffffffff00000000 : (uint64_t)(int64_t)(int32_t)v;
			*(reg >= 32 ? &lanes[i].f[reg - 32] : &lanes[i].x[reg]) = v;
		}
	}
	constants[0] = VA_LOCAL_BASE;
	constants[1] = REF_AREA + (ref_below(random, 2) ? 4 : 0);
	if (features & REF_ATOMICS)
		constants[1] = REF_AREA;
	constants[2] = table_va + global;
	constants[3] = stride;
	for (unsigned i = 0; i < items; i++) {
		uint8_t *area = table + global + i * stride;
		for (unsigned k = 0; k < REF_AREA; k++)
			area[k] = lanes[i].global[k] = (uint8_t)ref_rand(random);
		lanes[i].x[REF_LANE] = i;
	}
	if (stride < REF_AREA) /* lanes share bytes: only without memory instructions */
		for (unsigned i = 0; i < items; i++)
			memcpy(lanes[i].global, table + global + i * stride, REF_AREA);

	build(&p, random, features);
	uint64_t entry = rig_load(r, p.words, p.count);
	struct rig_range range = { .global = { items }, .local = { (uint16_t)items }, .local_bytes = 32 * (REF_AREA + 4),
				   .private_bytes = REF_AREA, .kernarg = table_va };
	memset(out, 0xee, 80 * 256);
	const struct rig_end *end = &r->ends[0];
	if (replay) {
		struct ref_random pages = { random->state };
		totals->faults += run_replaying(r, table, entry, range, &pages);
	} else {
		rig_run(r, entry, &range);
	}
	totals->cycles += end->end - end->start;
	if (end->faulted) {
		dump(&p);
		fail_msg("fault %s at %#llx (body at %#llx), address %#llx; seed %llu", fault_name(end->fault.code),
			 (unsigned long long)end->fault.pc, (unsigned long long)entry + p.body_first * 4,
			 (unsigned long long)end->fault.address, (unsigned long long)seed);
	}
	assert_true(ref_run_warp(lanes, items, p.words + p.body_first, p.body_count));
	for (unsigned i = 0; i < items; i++) {
		struct ref_lane *l = &lanes[i];
		char what[80];
		for (unsigned reg = 0; reg < 64; reg++) {
			if (!used(reg))
				continue;
			snprintf(what, sizeof(what), "%s, %s: register %s%u", r->config->name, compute_simd_name(r->compute),
				 reg >= 32 ? "f" : "x", reg & 31);
			check(&p, what, i, out[reg][i], reg >= 32 ? l->f[reg - 32] : l->x[reg]);
		}
		for (unsigned k = 0; k < REF_AREA / 8; k++) {
			uint64_t v;
			memcpy(&v, l->private_mem + k * 8, 8);
			check(&p, "private memory", i, out[64 + k][i], v);
			memcpy(&v, l->local + k * 8, 8);
			check(&p, "local memory", i, out[72 + k][i], v);
			memcpy(&v, l->global + k * 8, 8);
			uint64_t got;
			memcpy(&got, table + global + i * stride + k * 8, 8);
			check(&p, "global memory", i, got, v);
		}
	}
	for (unsigned i = items; i < MAX_LANES; i++)
		assert_int_equal(out[REF_LOW][i], 0xeeeeeeeeeeeeeeee);
}

struct counting_sink { struct event_sink sink; uint64_t count; };
static void count_event(struct event_sink *sink, const struct event *e)
{
	assert_in_range(e->kind, 1, EVENT_KINDS - 1);
	((struct counting_sink *)sink)->count++;
}

static struct totals run_variant(const char *config, enum bus_speed speed, enum compute_simd simd, const char *name,
				 unsigned programs, struct variant variant)
{
	struct counting_sink sink = { .sink.event = count_event };
	struct totals totals = { 0 };
	struct rig *r = rig_create_events(config, speed, simd, false, variant.events ? &sink.sink : NULL);
	if (strcmp(compute_simd_name(r->compute), name)) { /* the host does not have it, or GALENA_SIMD forbids it */
		rig_destroy(r);
		SKIP("the host lacks this vector extension, or GALENA_SIMD forbids it");
	}
	uint8_t *table = rig_buffer(r, table_va, TABLE_BYTES);
	struct ref_random random = { seed };
	for (unsigned i = 0; i < programs; i++) {
		static const unsigned features[] = {
			REF_ZICOND | REF_CTZW | REF_ZFHMIN,
			REF_ZICOND | REF_CTZW | REF_ZFHMIN | REF_BRANCHES,
			REF_ZICOND | REF_CTZW | REF_ZFHMIN | REF_MODES,
			REF_ZICOND | REF_CTZW | REF_ZFHMIN | REF_BRANCHES | REF_MEMORY,
			REF_ZICOND | REF_CTZW | REF_ZFHMIN | REF_BRANCHES | REF_ATOMICS,
			REF_ZICOND | REF_CTZW | REF_ZFHMIN | REF_BRANCHES | REF_MEMORY | REF_MODES,
			REF_ZICOND | REF_CTZW | REF_ZFHMIN | REF_BRANCHES | REF_MEMORY | REF_SUBGROUPS,
			REF_ZICOND | REF_CTZW | REF_BRANCHES | REF_SUBGROUPS,
		};
		run_one(r, table, &random, features[i % (sizeof(features) / sizeof(features[0]))], variant.replay, &totals);
	}
	const struct compute_counters *n = compute_counters(r->compute);
	totals.lane_insns = n->lane_insns;
	totals.warp_insns = n->warp_insns;
	totals.l1_hit = n->l1_hit;
	totals.l1_miss = n->l1_miss;
	totals.lds_conflicts = n->lds_conflicts;
	totals.warp_cycles = n->warp_cycles;
	totals.events = sink.count;
	rig_destroy(r);
	return totals;
}

static void run_many(const char *config, enum bus_speed speed, enum compute_simd simd, const char *name,
		     unsigned programs)
{
	run_variant(config, speed, simd, name, programs, (struct variant){ 0 });
}

static void portable_matches(void **state) { (void)state; run_many("full", BUS_FUNCTIONAL, SIMD_PORTABLE, "portable", 300); }
static void avx2_matches(void **state) { (void)state; run_many("full", BUS_FUNCTIONAL, SIMD_AVX2, "avx2", 600); }
static void avx512_matches(void **state) { (void)state; run_many("full", BUS_FUNCTIONAL, SIMD_AVX512, "avx512", 600); }
static void timed_matches(void **state) { (void)state; run_many("full", BUS_TIMED, SIMD_PORTABLE, "portable", 120); }
static void timed_avx512_matches(void **state) { (void)state; run_many("full", BUS_TIMED, SIMD_AVX512, "avx512", 300); }
static void mini_matches(void **state) { (void)state; run_many("mini", BUS_TIMED, SIMD_PORTABLE, "portable", 300); }
static void mini_avx2_matches(void **state) { (void)state; run_many("mini", BUS_FUNCTIONAL, SIMD_AVX2, "avx2", 120); }

/* Events are reported, and nothing else changes: not a result, not a cycle, not a counter. */
static void events_change_nothing(void **state)
{
	(void)state;
	static const struct { const char *config; enum bus_speed speed; } runs[] = {
		{ "full", BUS_TIMED }, { "full", BUS_FUNCTIONAL }, { "mini", BUS_TIMED },
	};
	for (unsigned i = 0; i < 3; i++) {
		struct totals off = run_variant(runs[i].config, runs[i].speed, SIMD_PORTABLE, "portable", 96, (struct variant){ 0 });
		struct totals on = run_variant(runs[i].config, runs[i].speed, SIMD_PORTABLE, "portable", 96,
					       (struct variant){ .events = true });
		assert_true(on.events > 96 * 4);
		assert_int_equal(off.events, 0);
		on.events = 0;
		assert_memory_equal(&on, &off, sizeof(on));
		assert_int_equal(off.cycles != 0, true);
		assert_int_equal(off.l1_hit != 0, runs[i].speed == BUS_TIMED);
	}
}

/* Programs whose pages come late retire the same instructions, with the same results. */
static void replays_are_exact(void **state)
{
	(void)state;
	static const struct { const char *config; enum bus_speed speed; } runs[] = {
		{ "full", BUS_FUNCTIONAL }, { "full", BUS_TIMED }, { "mini", BUS_FUNCTIONAL }, { "mini", BUS_TIMED },
	};
	for (unsigned i = 0; i < 4; i++) {
		struct totals plain = run_variant(runs[i].config, runs[i].speed, SIMD_PORTABLE, "portable", 64, (struct variant){ 0 });
		struct totals late = run_variant(runs[i].config, runs[i].speed, SIMD_PORTABLE, "portable", 64,
						 (struct variant){ .replay = true, .events = i & 1 });
		assert_true(late.faults > 64);
		assert_int_equal(late.lane_insns, plain.lane_insns);
		assert_int_equal(late.warp_insns, plain.warp_insns);
	}
}

static void replays_are_exact_avx2(void **state)
{
	(void)state;
	assert_true(run_variant("full", BUS_FUNCTIONAL, SIMD_AVX2, "avx2", 96, (struct variant){ .replay = true }).faults > 96);
}

static void replays_are_exact_avx512(void **state)
{
	(void)state;
	assert_true(run_variant("full", BUS_TIMED, SIMD_AVX512, "avx512", 96, (struct variant){ .replay = true }).faults > 96);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(portable_matches),	   cmocka_unit_test(avx2_matches),
		cmocka_unit_test(avx512_matches),	   cmocka_unit_test(timed_matches),
		cmocka_unit_test(timed_avx512_matches),    cmocka_unit_test(mini_matches),
		cmocka_unit_test(mini_avx2_matches),
		cmocka_unit_test(events_change_nothing),	   cmocka_unit_test(replays_are_exact),
		cmocka_unit_test(replays_are_exact_avx2),  cmocka_unit_test(replays_are_exact_avx512),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
