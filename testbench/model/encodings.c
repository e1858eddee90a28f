/* What an access costs does not depend on how the model keeps its addresses: the same lanes at the same addresses, kept as a base and a
 * stride or as a value a lane, take the same cycles, lines, and rounds of local memory. Random masks, strides, sizes and offsets, in memory and in
 * local memory. And the misses of compute units are those of their L1 TLB. Usage: encodings [SEED [CASES]]; the seed is printed. */
#include "testbench/random.h"
#include "abi/address_map.h"
#include "testbench/model/reference.h"
#include "testbench/model/rig.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 23, LANE = 28, AFFINE = 20, FULL = 21, MASK = 22, TEMP = 30, DATA = 64 << 12, WORDS = 1024 };
static const uint64_t data_va = 0x2000000000, code_va = 0x4000000000;
static uint64_t seed = 1, cases = 400;

struct lanes_access { unsigned op; uint32_t mask; uint64_t base, stride; int32_t imm; };
struct cost { uint64_t cycles, l1_hit, l1_miss, conflicts; };

struct code { uint32_t words[WORDS]; unsigned count; };
static void emit(struct code *c, uint32_t word) { c->words[c->count++] = word; }
static void emit_register(struct code *c, unsigned rd, unsigned i) { emit(c, ref_word(OP_ld, rd, TABLE, 0, (int32_t)i * 8)); }

/* Kernel arguments: base, stride, mask, and then the address of each lane. */
static void build(struct code *c, const struct lanes_access *a, unsigned addresses)
{
	c->count = 0;
	emit(c, ref_word(OP_csrrs, TABLE, 0, 0, CSR_kernarg));
	emit(c, ref_word(OP_csrrs, LANE, 0, 0, CSR_lane_id));
	emit_register(c, AFFINE, 0);
	emit_register(c, TEMP, 1);
	emit_register(c, MASK, 2);
	emit(c, ref_word(OP_mul, TEMP, TEMP, LANE, 0));
	emit(c, ref_word(OP_add, AFFINE, AFFINE, TEMP, 0));
	emit(c, ref_word(OP_slli, TEMP, LANE, 0, 3));
	emit(c, ref_word(OP_add, TEMP, TEMP, TABLE, 0));
	emit(c, ref_word(OP_ld, FULL, TEMP, 0, 24));
	emit(c, ref_word(OP_srl, MASK, MASK, LANE, 0));
	emit(c, ref_word(OP_andi, MASK, MASK, 0, 1));
	emit(c, ref_word(OP_add, 0, FULL, AFFINE, 0));
	emit(c, ref_word(OP_beq, 0, MASK, 0, 4 * 5));
	for (unsigned i = 0; i < 4; i++) {
		const bool store = a->op == OP_sb || a->op == OP_sh || a->op == OP_sw || a->op == OP_sd;
		emit(c, ref_word(a->op, store ? 0 : 5 + i, addresses, store ? LANE : 0, a->imm));
	}
	emit(c, ref_word(OP_exit_, 0, 0, 0, 0));
}

struct place { struct rig *rig; uint64_t *data; uint32_t *code; };

static struct place place_create(const char *config)
{
	struct place p = { .rig = rig_create(config, BUS_TIMED, SIMD_AUTO, false) };
	p.data = rig_buffer(p.rig, data_va, DATA);
	const uint64_t pa = rig_dram(p.rig, WORDS * 4);
	rig_map(p.rig, code_va, pa, WORDS * 4, PTE_R | PTE_X);
	p.code = rig_host(p.rig, pa);
	return p;
}

/* On a rig of its own, so that each finds the same. */
static struct cost run(const char *config, const struct lanes_access *a, unsigned addresses)
{
	struct place p = place_create(config);
	const unsigned lanes = p.rig->config->lanes;
	struct code c;
	build(&c, a, addresses);
	memcpy(p.code, c.words, c.count * 4);
	p.data[0] = a->base;
	p.data[1] = a->stride;
	p.data[2] = a->mask;
	for (unsigned i = 0; i < lanes; i++)
		p.data[3 + i] = a->base + i * a->stride;
	const struct rig_range range = { .global = { lanes }, .local = { (uint16_t)lanes }, .local_bytes = 32768, .kernarg = data_va };
	const struct rig_end *e = rig_run(p.rig, code_va, &range);
	assert_false(e->faulted);
	const struct compute_counters *n = compute_counters(p.rig->compute);
	const struct cost cost = { e->end - e->start, n->l1_hit, n->l1_miss, n->lds_conflicts };
	rig_destroy(p.rig);
	return cost;
}

static void costs_are_equal(const char *config)
{
	static const unsigned ops[] = { OP_lb, OP_lhu, OP_lw, OP_lwu, OP_ld, OP_fld, OP_sb, OP_sh, OP_sw, OP_sd };
	static const uint64_t strides[] = { 0, 1, 2, 4, 8, 12, 16, 64, 128, 520 };
	struct ref_random r = { seed };
	for (uint64_t n = 0; n < cases; n++) {
		struct lanes_access a = { .op = ops[ref_below(&r, 10)], .stride = strides[ref_below(&r, 10)], .imm = (int32_t)ref_below(&r, 64) };
		const uint64_t first = ref_below(&r, 3) ? 8 * ref_below(&r, 1000) : ref_below(&r, 8000);
		const uint32_t random = (uint32_t)ref_rand(&r);
		a.base = (ref_below(&r, 2) ? VA_LOCAL_BASE : data_va + 4096) + first;
		a.mask = (uint32_t[]){ UINT32_MAX, random, random | (uint32_t)ref_rand(&r), 3u << ref_below(&r, 3) }[ref_below(&r, 4)] | 1;
		const struct cost x = run(config, &a, AFFINE), y = run(config, &a, FULL);
		if (memcmp(&x, &y, sizeof x))
			fail_msg("%s: op %u, mask %08x, stride %" PRIu64 ", base %#" PRIx64 ", imm %d: base and stride %" PRIu64 " cycles, %" PRIu64 " hits, %" PRIu64 " misses, %"
				 PRIu64 " conflicts; a value a lane %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "; case %" PRIu64 ", seed %" PRIu64,
				 config, a.op, a.mask, a.stride, a.base, a.imm, x.cycles, x.l1_hit, x.l1_miss, x.conflicts, y.cycles, y.l1_hit, y.l1_miss, y.conflicts, n, seed);
	}
}

static void full(void **state) { (void)state, costs_are_equal("full"); }
static void mini(void **state) { (void)state, costs_are_equal("mini,lds_banks=2"); }

/* ---- misses ---- */
/* The L1 TLB of the manual (MMU-33, 36, 38), of one address space. */
enum { WAYS = 4, MOST_SETS = 16 };
struct l1 { uint64_t page[MOST_SETS][WAYS]; unsigned next[MOST_SETS], sets; uint64_t misses; };

static void look_up(struct l1 *l, uint64_t va)
{
	const uint64_t n = va >> 12;
	const unsigned set = (unsigned)((n ^ n >> 6 ^ n >> 12) % l->sets);
	l->misses++;
	for (unsigned w = 0; w < WAYS; w++)
		if (l->page[set][w] == n) {
			l->misses--;
			return;
		}
	for (unsigned w = 0; w < WAYS; w++)
		if (!l->page[set][w]) {
			l->page[set][w] = n;
			return;
		}
	l->page[set][l->next[set]++ % WAYS] = n;
}

/* The next instruction of a program that runs from its begin to its end, once: the page is looked up for each line of it. */
static void emit_fetched(struct code *c, struct l1 *l, const struct device_config *config, uint32_t word)
{
	if (c->count % (config->line_bytes / 4) == 0)
		look_up(l, code_va + c->count * 4);
	emit(c, word);
}

static void misses_are_the_l1_tlbs(void **state)
{
	struct ref_random r = { seed };
	(void)state;
	for (unsigned n = 0; n < 20; n++) {
		struct place p = place_create("mini");
		struct l1 l = { .sets = p.rig->config->l1_tlb_entries / WAYS };
		struct code c = { .count = 0 };
		emit_fetched(&c, &l, p.rig->config, ref_word(OP_csrrs, TABLE, 0, 0, CSR_kernarg));
		for (unsigned i = 0; i < 250; i++) {
			const uint64_t page = ref_below(&r, 4) ? ref_below(&r, 12) : ref_below(&r, DATA / 4096);
			emit_fetched(&c, &l, p.rig->config, ref_word(OP_lui, TEMP, 0, 0, (int32_t)(page << 12)));
			emit_fetched(&c, &l, p.rig->config, ref_word(OP_add, TEMP, TEMP, TABLE, 0));
			emit_fetched(&c, &l, p.rig->config, ref_word(OP_ld, 5, TEMP, 0, 8 * (int32_t)ref_below(&r, 256)));
			look_up(&l, data_va + (page << 12));
		}
		emit_fetched(&c, &l, p.rig->config, ref_word(OP_exit_, 0, 0, 0, 0));
		memcpy(p.code, c.words, c.count * 4);
		const struct rig_range range = { .global = { 1 }, .local = { 1 }, .kernarg = data_va };
		assert_false(rig_run(p.rig, code_va, &range)->faulted);
		assert_int_equal(mmu_counters(p.rig->mmu)->l1_miss, l.misses);
		rig_destroy(p.rig);
	}
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	cases = argc > 2 ? strtoull(argv[2], NULL, 0) : check_long() ? 20000 : cases;
	const struct CMUnitTest tests[] = { cmocka_unit_test(full), cmocka_unit_test(mini), cmocka_unit_test(misses_are_the_l1_tlbs) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
