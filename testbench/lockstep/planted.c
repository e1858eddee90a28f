/* Twenty differences planted in one of two models, one at a time: each is found in the kernel in which it shows for the first time, and
 * attributed to unit, warp, pc and instruction. Usage: planted [SEED] */
#include "testbench/random.h"
#include "model/cu/decode.h"
#include "model/cu/dispatcher.h"
#include "testbench/lockstep/pair.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 400 };
static uint64_t seed = 1;

/* What an instruction gives instead of the right result, of a lane whose operands are a and b. */
typedef uint64_t wrong(uint64_t right, uint64_t a, uint64_t b);

static uint64_t half(uint64_t right, uint64_t a, uint64_t b) { (void)a, (void)b; return (uint64_t)(int64_t)(int32_t)right; }
static uint64_t is_signed(uint64_t right, uint64_t a, uint64_t b) { (void)right; return (int64_t)a < (int64_t)b; }
static uint64_t logical(uint64_t right, uint64_t a, uint64_t b) { (void)right; return a >> (b & 63); }
static uint64_t high_signed(uint64_t right, uint64_t a, uint64_t b) { return right - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0); }
static uint64_t floors(uint64_t right, uint64_t a, uint64_t b) { return b && (int64_t)(a ^ b) < 0 && right * b != a ? right - 1 : right; }
static uint64_t of_divisor(uint64_t right, uint64_t a, uint64_t b) { return right && (int64_t)(a ^ b) < 0 ? right + b : right; }
static uint64_t last_place(uint64_t right, uint64_t a, uint64_t b) { (void)a, (void)b; return (right & 7) == 5 ? right + 1 : right; }
static uint64_t first_nan(uint64_t right, uint64_t a, uint64_t b) { (void)b; return (a & 0x7fffffff) > 0x7f800000 ? a : right; }
static uint64_t other_way(uint64_t right, uint64_t a, uint64_t b) { (void)right; return b ? 0 : a; }
static uint64_t no_extension(uint64_t right, uint64_t a, uint64_t b) { (void)right; return (a << 2) + b; }
static uint64_t zero_extended(uint64_t right, uint64_t a, uint64_t b) { (void)a, (void)b; return right & 0xff; }
static uint64_t operand(uint64_t right, uint64_t a, uint64_t b) { (void)right, (void)a; return b; }
static uint64_t one_more(uint64_t right, uint64_t a, uint64_t b) { (void)a, (void)b; return right | 1ull << 31; }
static uint64_t next_slot(uint64_t right, uint64_t a, uint64_t b) { (void)a, (void)b; return right + 4; }
static uint64_t no_zeros(uint64_t right, uint64_t a, uint64_t b) { (void)a, (void)b; return right == 64 ? 63 : right; }

/* instead: executed as this operation, which decides where lanes go; wrong is NULL then. */
static const struct plant { const char *what; unsigned op; wrong *wrong; unsigned instead; } plants[] = {
	{ "add gives 32 bits", OP_add, half, 0 },
	{ "sub gives 32 bits", OP_sub, half, 0 },
	{ "sltu compares signed numbers", OP_sltu, is_signed, 0 },
	{ "sra shifts zeros in", OP_sra, logical, 0 },
	{ "mulhu takes signed numbers", OP_mulhu, high_signed, 0 },
	{ "div rounds down", OP_div_, floors, 0 },
	{ "rem has the divisor's sign", OP_rem, of_divisor, 0 },
	{ "fadd.s is off by one unit in the last place", OP_fadd_s, last_place, 0 },
	{ "fmadd.d is off by one unit in the last place", OP_fmadd_d, last_place, 0 },
	{ "fcvt.s.d is off by one unit in the last place", OP_fcvt_s_d, last_place, 0 },
	{ "fmin.s passes a NaN on", OP_fmin_s, first_nan, 0 },
	{ "czero.eqz looks for the opposite", OP_czero_eqz, other_way, 0 },
	{ "sh2add.uw does not extend", OP_sh2add_uw, no_extension, 0 },
	{ "clz of zero", OP_clz, no_zeros, 0 },
	{ "lb extends with zeros", OP_lb, zero_extended, 0 },
	{ "amoswap.d gives what it stores", OP_amoswap_d, operand, 0 },
	{ "sg.ballot counts a lane too many", OP_sg_ballot, one_more, 0 },
	{ "jal links to the instruction after the next", OP_jal, next_slot, 0 },
	{ "blt compares unsigned numbers", OP_blt, NULL, OP_bltu },
	{ "bge compares unsigned numbers", OP_bge, NULL, OP_bgeu },
};

/* The plant in force, and where it has shown first. */
static const struct plant *plant;
static handler *right_handler;
static struct { bool acted; unsigned unit, warp; uint64_t pc; } at;

static void acted(const struct warp *w, uint64_t pc)
{
	at.acted = true;
	at.unit = w->cu->unit;
	at.warp = w->slot;
	at.pc = pc;
}

static const struct uop *planted_handler(struct warp *w, const struct uop *op)
{
	uint64_t a[LANES], b[LANES], value[LANES], pc = uop_pc(w, op);
	const uint32_t mask = w->mask;
	const unsigned rd = op->rd;
	bool differs = false;
	register_lanes(w, op->rs1, a);
	register_lanes(w, op->rs2, b);
	const struct uop *next = right_handler(w, op);
	if (rd == REG_SINK)
		return next;
	register_lanes(w, rd, value);
	EACH_BIT(lane, mask) {
		const uint64_t v = plant->wrong(value[lane], a[lane], b[lane]);
		differs |= v != value[lane];
		value[lane] = v;
	}
	if (!differs)
		return next;
	for (unsigned i = 0; i < LANES; i++)
		w->v[rd].d[i] = value[i];
	w->encoding[rd] = ENC_FULL;
	if (!at.acted)
		acted(w, pc);
	return next;
}

static void engine_plant(struct pair *p, struct engine *e)
{
	struct compute *c = p->rig[1]->compute;
	*e = *c->engine;
	right_handler = e->fn[plant->op];
	e->fn[plant->op] = plant->wrong ? planted_handler : e->fn[plant->instead];
	if (!plant->wrong)
		e->far_fn[plant->op] = e->far_fn[plant->instead];
	c->engine = e;
	for (unsigned i = 0; i < c->params.config->num_cu; i++)
		c->cus[i].engine = e;
}

/* The instruction at which the devices part is the planted one; after a branch it is the next that either runs. */
static void expect_attributed(const struct pair *p, const struct kernel *k)
{
	const struct lockstep_mismatch *m = lockstep_mismatch(p->lockstep);
	const struct lockstep_record *b = &m->record[1];
	struct insn i;
	assert_int_equal(m->key.stream, LOCKSTEP_WARP);
	assert_true(m->there[0] && m->there[1]);
	assert_true(m->key.group < k->groups);
	if (plant->wrong) {
		assert_true(at.acted);
		assert_int_equal(b->unit, at.unit);
		assert_int_equal(b->warp, at.warp);
		assert_int_equal(b->a, at.pc);
		assert_int_equal(b->kind, EVENT_RETIRE);
		assert_true(insn_decode((uint32_t)b->b, &i));
		assert_int_equal(i.op, plant->op);
		return;
	}
	/* which lanes went on, or where, is what differs: a branch is right before one of the two places */
	const uint64_t first = pair_code_va;
	bool branch = false;
	for (unsigned side = 0; side < 2; side++) {
		const uint64_t word = (m->record[side].a - first) / 4;
		for (unsigned n = 0; n < k->count; n++) {
			if (!insn_decode(k->words[n], &i) || i.op != plant->op)
				continue;
			branch |= n + 1 == word || n + (uint64_t)(int64_t)(i.imm / 4) == word;
		}
	}
	assert_true(branch);
	assert_false(m->record[0].a == m->record[1].a && m->record[0].b == m->record[1].b);
}

static void each_is_found(void **state)
{
	static const struct pair_kind kind = { { "mini", "mini,num_cu=2" }, { BUS_TIMED, BUS_TIMED }, { SIMD_AUTO, SIMD_PORTABLE }, 16 };
	static struct kernel k;
	static struct engine engine;
	(void)state;
	for (unsigned n = 0; n < sizeof plants / sizeof *plants; n++) {
		struct pair *p = pair_create(&kind, (uint32_t[]){ (uint32_t)seed + n, (uint32_t)seed + n + 100 });
		struct ref_random r = { seed * 77 + n };
		unsigned kernel = 0;
		bool same;
		plant = &plants[n];
		at.acted = false;
		engine_plant(p, &engine);
		do {
			kernel_random(&k, &r, 16);
			same = pair_run(p, &k, r);
			if (same && at.acted)
				fail_msg("%s: it has acted in kernel %u, and was not found; seed %" PRIu64, plant->what, kernel, seed);
		} while (same && ++kernel < KERNELS);
		if (same)
			fail_msg("%s: it has not acted in %u kernels; seed %" PRIu64, plant->what, KERNELS, seed);
		printf("# %s: kernel %u, %s, pc %#" PRIx64 "\n", plant->what, kernel, unit_name(lockstep_mismatch(p->lockstep)->record[1].unit),
		       lockstep_mismatch(p->lockstep)->record[1].a);
		expect_attributed(p, &k);
		pair_destroy(p);
	}
}

/* What is printed names all of it. */
static void report_names_the_place(void **state)
{
	static const struct pair_kind kind = { { "mini", "mini" }, { BUS_TIMED, BUS_TIMED }, { SIMD_AUTO, SIMD_AUTO }, 16 };
	static struct kernel k;
	static struct engine engine;
	struct pair *p = pair_create(&kind, (uint32_t[]){ 1, 2 });
	struct ref_random r = { seed };
	char *text = NULL, want[64];
	size_t size;
	(void)state;
	plant = &plants[0];
	at.acted = false;
	engine_plant(p, &engine);
	do
		kernel_random(&k, &r, 16);
	while (pair_run(p, &k, r));
	FILE *f = open_memstream(&text, &size);
	lockstep_print(p->lockstep, f);
	fclose(f);
	snprintf(want, sizeof want, "pc %#" PRIx64 ", retire, lanes", at.pc);
	assert_non_null(strstr(text, want));
	snprintf(want, sizeof want, "%s, warp slot %u", unit_name(at.unit), at.warp);
	assert_non_null(strstr(text, want));
	assert_non_null(strstr(text, "add "));
	assert_non_null(strstr(text, "result: A 0x"));
	assert_true(lockstep_digest(p->lockstep, 0) != lockstep_digest(p->lockstep, 1));
	free(text);
	pair_destroy(p);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_is_found), cmocka_unit_test(report_names_the_place) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
