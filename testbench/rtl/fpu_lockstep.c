#include "testbench/rtl/fpu_lockstep.h"
#include "abi/device_config.h"
#include "model/cu/fpu.h"
#include "rtl/shim/fpu_shim.h"
#include "testbench/random.h"
#include "testbench/rtl/fpu_cases.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* Instructions that a unit has taken, in their order, with the cycle of the unit in which it did. */
enum { MOST_IN_FLIGHT = 128 };
struct unit {
	unsigned latency, hold;
	uint64_t cycle, taken, given;
	struct { struct fpu_case c; struct fpu_outcome expected; uint64_t cycle; } flight[MOST_IN_FLIGHT];
};

struct lockstep {
	struct fpu_shim *shim;
	uint64_t random;
	struct unit units[FPU_SHIM_UNITS];
	struct fpu_lockstep_result *result;
};

static uint64_t below(struct lockstep *l, uint64_t n) { return splitmix64(&l->random) % n; }

__attribute__((format(printf, 3, 4))) static void differs(struct lockstep *l, const struct fpu_case *c, const char *format, ...)
{
	char *text = l->result->text[c->op];
	va_list args;
	int n;

	l->result->differences++;
	if (text[0])
		return;
	n = snprintf(text, sizeof(l->result->text[0]), "%s rm %u of %016" PRIx64 " %016" PRIx64 " %016" PRIx64 ": ", isa_rows[c->op].name, c->rm, c->a, c->b, c->c);
	va_start(args, format);
	vsnprintf(text + n, sizeof(l->result->text[0]) - (size_t)n, format, args);
	va_end(args);
}

static struct fpu_outcome expect(struct lockstep *l, const struct fpu_case *c)
{
	const struct fpu_outcome e = fpu_oracle(c->op, c->rm, c->a, c->b, c->c);

	switch (fpu_rows[c->op].kind) {
	case FPU_ARITHMETIC: case FPU_CLASS: case FPU_TO_INT: case FPU_FROM_INT: case FPU_CONVERT: {
		uint64_t model = fpu_execute(c->op, c->rm, c->a, c->b, c->c);

		if (model != e.value)
			differs(l, c, "%016" PRIx64 " by MPFR, %016" PRIx64 " by the model", e.value, model);
		break;
	}
	default: /* the model's engines have them in their loops */
		break;
	}
	for (unsigned i = 0; i < 5; i++)
		l->result->flags[i] += e.flags >> i & 1;
	return e;
}

/* What a unit shows in this cycle. */
static void check(struct lockstep *l, struct unit *u, const struct fpu_shim_out *out, unsigned which, bool ready)
{
	bool due = u->taken != u->given && u->cycle - u->flight[u->given % MOST_IN_FLIGHT].cycle >= u->latency;
	const struct fpu_case none = { 0 }, *c = due ? &u->flight[u->given % MOST_IN_FLIGHT].c : &none;
	const struct fpu_outcome *e = &u->flight[u->given % MOST_IN_FLIGHT].expected;

	if (out->valid[which] != due)
		differs(l, c, due ? "no result after %u cycles" : "a result that is not due", u->latency);
	else if (due && (out->result[which] != e->value || out->flags[which] != e->flags))
		differs(l, c, "%016" PRIx64 " flags %02x, not %016" PRIx64 " flags %02x", out->result[which], out->flags[which], e->value, e->flags);
	if (due && ready)
		u->given++;
	if (out->ready[which])
		u->cycle++;
	else
		l->result->held_up++;
}

/* One cycle with a case at the inputs, or none; whether it was taken. */
static bool step(struct lockstep *l, const struct fpu_case *c)
{
	struct fpu_shim_in in = { 0 };
	struct fpu_shim_out out;
	unsigned which = c && isa_rows[c->op].class == CLASS_FDIV ? FPU_SHIM_FDIV : FPU_SHIM_FPU;
	bool taken;

	if (c) {
		in.insn = isa_rows[c->op].match | (uint32_t)(splitmix64(&l->random) & 0x000f8f80); /* rd and rs1 are no business of the unit */
		in.rm = c->rm;
		in.a = c->a;
		in.b = c->b;
		in.c = c->c;
		in.valid[which] = true;
		if (!(isa_rows[c->op].mask & 0x7000)) /* the mode in the word is dynamic as well */
			in.insn |= below(l, 2) ? 7u << 12 : c->rm << 12;
	}
	for (unsigned i = 0; i < FPU_SHIM_UNITS; i++) {
		if (!l->units[i].hold && below(l, 64) == 0)
			l->units[i].hold = 1 + (unsigned)below(l, 8);
		in.ready[i] = !l->units[i].hold;
		l->units[i].hold -= !in.ready[i];
	}
	out = fpu_shim_step(l->shim, &in);
	taken = c && out.ready[which];
	if (taken) {
		struct unit *u = &l->units[which];

		u->flight[u->taken % MOST_IN_FLIGHT].c = *c;
		u->flight[u->taken % MOST_IN_FLIGHT].cycle = u->cycle;
		u->flight[u->taken++ % MOST_IN_FLIGHT].expected = expect(l, c);
	}
	for (unsigned i = 0; i < FPU_SHIM_UNITS; i++)
		check(l, &l->units[i], &out, i, in.ready[i]);
	return taken;
}

static void run_case(struct lockstep *l, struct fpu_case c)
{
	while (below(l, 16) == 0) {
		step(l, NULL);
		l->result->bubbles++;
	}
	while (!step(l, &c))
		;
}

static bool done(const struct lockstep *l, bool stop) { return stop && l->result->differences; }

void fpu_lockstep_run(uint64_t seed, unsigned long cases, bool stop, struct fpu_lockstep_result *r)
{
	const struct device_config *config = device_config_find("mini");
	struct lockstep l = { .random = seed, .result = r, .shim = fpu_shim_create(),
			      .units = { [FPU_SHIM_FPU].latency = config->fpu_latency, [FPU_SHIM_FDIV].latency = config->div_latency } };

	memset(r, 0, sizeof(*r));
	fpu_shim_reset(l.shim);
	for (unsigned long i = 0; i < cases && !done(&l, stop); i++)
		for (unsigned op = 0; op < OP_COUNT && !done(&l, stop); op++)
			if (fpu_rows[op].kind) {
				run_case(&l, fpu_case_random(op, &l.random));
				r->random++;
			}
	for (unsigned op = 0; op < OP_COUNT; op++)
		for (unsigned i = 0; fpu_rows[op].kind && i < fpu_cases_directed(op) && !done(&l, stop); i++) {
			run_case(&l, fpu_case_directed(op, i));
			r->directed++;
		}
	while ((l.units[0].taken != l.units[0].given || l.units[1].taken != l.units[1].given) && !done(&l, stop))
		step(&l, NULL);
	fpu_shim_destroy(l.shim);
}
