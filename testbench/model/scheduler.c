/* In which cycle instructions issue: one after the other when their operands are ready, whatever has been executed
 * by then, and whatever is forgotten of the code meanwhile. Random programs on several warps are compared with a scoreboard
 * that looks at one instruction after the other. Usage: scheduler [seed]. */
#include "testbench/random.h"
#include "model/cu/decode.h"
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
	char config[256];
	snprintf(config, sizeof(config), "%s" QUICK_MEMORY ",l2_bytes_cycle=65536", setups[setup].config);
	struct bench b = bench_of(rig_create(config, setups[setup].speed, SIMD_AUTO, false));
	unsigned lanes = b.r->config->lanes;
	struct rig_range range = { .global = { lanes }, .local = { (uint16_t)lanes }, .kernarg = arg_va };
	uint64_t entry = rig_load_text(b.r, chain);
	assert_false(rig_run(b.r, entry, &range)->faulted);
	struct compute_counters before = *compute_counters(b.r->compute);
	s->count = 0;
	assert_int_equal(rig_start(b.r, 0, entry, &range), FAULT_NONE);
	while (compute_next(b.r->compute) != UINT64_MAX) {
		uint64_t until = b.r->now + 1;
		b.r->now = compute_next(b.r->compute) < until ? compute_tick(b.r->compute, until) : until;
		assert_in_range(s->count, 0, STEPS_MAX - 1);
		s->issued[s->count].warps = compute_counters(b.r->compute)->warp_insns - before.warp_insns;
		s->issued[s->count++].lanes = compute_counters(b.r->compute)->lane_insns - before.lane_insns;
		if (s->count == forget_at)
			compute_flush_code(b.r->compute, b.r->now);
		if (s->count == abort_at)
			compute_abort(b.r->compute, &(struct compute_abort){ 0 }, b.r->now);
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
			/* its line is read once more, at once */
			assert_in_range(disturbed.count, quiet.count, quiet.count + 4);
			assert_int_equal(quiet.issued[quiet.count - 1].warps, disturbed.issued[disturbed.count - 1].warps);
			assert_int_equal(quiet.issued[quiet.count - 1].lanes, disturbed.issued[disturbed.count - 1].lanes);
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

/* A lane that spins runs its 4096 instructions before another one of its warp has a turn, each time that they part. */
static void each_divergence_begins_anew(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		unsigned lanes = b.r->config->lanes;
		const uint64_t *out = (const uint64_t *)b.out + 64;
		run_well(&b, ITEM "ld a1, 0(a0)\n csrr t5, 0xcca\n sh3add a3, t5, a1\n addi a3, a3, 512\n li t6, 3\n"
			 "2: csrr s4, instret\n bnez t5, 3f\n 1: lw t0, 0(a1)\n beqz t0, 1b\n j 4f\n 3: li t0, 1\n sw t0, 0(a1)\n"
			 "4: csrr s5, instret\n sub s5, s5, s4\n sd s5, 0(a3)\n addi a3, a3, 256\n addi a1, a1, 4\n addi t6, t6, -1\n bnez t6, 2b\n" EXIT,
			 (struct rig_range){ .global = { lanes }, .local = { (uint16_t)lanes } });
		for (unsigned round = 0; round < 3; round++)
			assert_in_range(out[32 * round], 4096, 4096 + 50);
		rig_destroy(b.r);
	}
}

/* The number of a CSR instruction with an immediate is no register, whatever that register waits for. */
static void immediates_wait_for_nothing(void **state)
{
	(void)state;
	for (unsigned setup = 1; setup < 4; setup += 2)
		for (unsigned number = 5; number < 8; number++) {
			static const char text[] = ITEM "ld a1, 0(a0)\n .rept 2\n csrr t3, cycle\n div t0, s0, s1\n csrr%ci x0, frm, %u\n csrr t4, cycle\n .endr\n"
						  "sub t4, t4, t3\n sd t4, 0(a1)\n" EXIT;
			for (const char *kind = "wsc"; *kind; kind++) {
				struct bench b = open_bench(setup);
				char program[512];
				snprintf(program, sizeof(program), text, *kind, number); /* t0 is x5 */
				run_well(&b, program, (struct rig_range){ .global = { 1 }, .local = { 1 } });
				assert_in_range(*(uint64_t *)b.out, 3, b.r->config->div_latency - 1);
				rig_destroy(b.r);
			}
		}
}

/* ---- random programs ---- */

enum { PROGRAM = 400, WARPS = 16, LANE_REG = 5 };

static uint64_t seed;

static unsigned below(unsigned n)
{
	return (unsigned)(splitmix64(&seed) >> 33) % n;
}

/* One that reads and writes few registers, so that many wait for each other; some are branches to what follows. */
static struct insn insn_random(void)
{
	static const uint8_t integer[] = { OP_add, OP_xor_, OP_addi, OP_sltu, OP_mul, OP_mulhu, OP_div_ };
	static const uint8_t floating[] = { OP_fadd_s, OP_fmul_s, OP_fmadd_s, OP_fdiv_s };
	bool f = below(3) == 0;
	struct insn i = { .op = f ? floating[below(sizeof(floating))] : integer[below(sizeof(integer))] };
	unsigned base = f ? REG_F : 10, regs = 2 + below(8);
	if (isa_rows[i.op].class == CLASS_DIV || isa_rows[i.op].class == CLASS_FDIV)
		i.op = below(8) ? (f ? OP_fsub_s : OP_sub) : i.op;
	if (below(12) == 0)
		i = (struct insn){ .op = below(2) ? OP_beq : OP_bne, .rd = REG_NONE, .imm = 4, .rs3 = REG_NONE };
	else {
		i.rd = below(16) ? (uint8_t)(base + below(regs)) : f ? REG_F : 0;
		i.rs1 = (uint8_t)(base + below(regs));
		i.rs2 = i.op == OP_addi ? REG_NONE : (uint8_t)(base + below(regs));
		i.rs3 = i.op == OP_fmadd_s ? (uint8_t)(base + below(regs)) : REG_NONE;
	}
	return i;
}

struct score {
	bool chose; /* by its last instruction, or it begins, and the unit has not looked at it since */
	unsigned pc;
	uint64_t fetch, ready[64];
	uint32_t lanes;
	uint64_t line; /* of its last instruction; 0: it has begun */
};

/* The instruction cache, and the L2 cache behind it, which has all lines. */
static struct {
	const struct device_config *c;
	unsigned sets;
	struct { uint64_t line, there; } place[64][16];
	unsigned next[64];
	uint64_t busy; /* bytes that the L2 cache has moved, as if from cycle 0 on */
} code;

/* The first cycle at which a line is there that a warp comes to in cycle now. */
static uint64_t code_line(uint64_t line, uint64_t now)
{
	const uint64_t rate = code.c->l2_bytes_cycle;
	const unsigned set = (unsigned)(line % code.sets), way = code.next[set];
	for (unsigned i = 0; i < code.c->icache_ways; i++)
		if (code.place[set][i].line == line)
			return code.place[set][i].there;
	code.next[set] = (way + 1) % code.c->icache_ways;
	code.busy = (code.busy > (now + code.c->l1_latency) * rate ? code.busy : (now + code.c->l1_latency) * rate) + code.c->line_bytes;
	code.place[set][way].line = line;
	return code.place[set][way].there = (code.busy + rate - 1) / rate + code.c->l2_latency;
}

/* The warp's next instruction is looked at in cycle now. */
static void score_look(struct score *s, uint64_t entry, uint64_t now)
{
	const uint64_t line = (entry + 4 * s->pc) / code.c->line_bytes;
	if (line == s->line)
		return;
	s->line = line;
	const uint64_t there = code_line(line, now);
	s->fetch = there > s->fetch ? there : s->fetch;
}

static uint32_t latency_of(const struct device_config *c, unsigned op)
{
	switch ((enum isa_class)isa_rows[op].class) {
	case CLASS_MUL:
		return c->mul_latency;
	case CLASS_DIV:
	case CLASS_FDIV:
		return c->div_latency;
	case CLASS_FPU:
		return c->fpu_latency;
	default:
		return c->alu_latency;
	}
}

/* First cycle at which the warp's next instruction can issue. */
static uint64_t score_next(const struct score *s, const struct insn *program)
{
	if (s->pc > PROGRAM)
		return UINT64_MAX;
	const struct insn *i = &program[s->pc];
	const uint8_t regs[] = { i->rd, i->rs1, i->rs2, i->rs3 };
	uint64_t t = s->fetch;
	for (unsigned k = 0; k < 4; k++)
		if (regs[k] != REG_NONE && regs[k] && s->ready[regs[k]] > t)
			t = s->ready[regs[k]];
	return t;
}

/* The warp's next instruction issues in cycle now. */
static void score_issue(const struct device_config *c, struct score *s, const struct insn *program, uint64_t now)
{
	const struct insn *i = &program[s->pc++];
	uint64_t done = now + latency_of(c, i->op);
	s->fetch = isa_rows[i->op].class == CLASS_BRANCH ? done : now + 1;
	if (i->rd != REG_NONE && i->rd)
		s->ready[i->rd] = done;
}

/* Whether the lanes of a warp part at the branch, to meet at once, as both ways lead to the same place. */
static bool parts(const struct insn *i, uint32_t lanes)
{
	return isa_rows[i->op].class == CLASS_BRANCH && i->rs1 == LANE_REG && lanes > 1;
}

/* The warp that can issue in cycle now, from *slot on, where the unit's search then stands; WARPS: none. */
static unsigned search(struct score *s, const struct insn *program, uint64_t entry, unsigned *slot, uint64_t now)
{
	unsigned from = *slot;
	for (unsigned i = 0; i < WARPS; i++) {
		unsigned at = (from + i) % WARPS;
		const bool looks = s[at].chose && s[at].pc <= PROGRAM && s[at].fetch <= now;
		if (looks)
			score_look(&s[at], entry, now);
		if (score_next(&s[at], program) <= now) {
			*slot = at;
			return at;
		}
		if (looks) { /* its line or its operands are not there */
			s[at].chose = false;
			*slot = (at + 1) % WARPS;
		}
	}
	return WARPS;
}

/* choices: some branches part lanes, with which a warp chooses. */
static void programs_run(bool choices)
{
	for (unsigned round = 0; round < 60; round++) {
		rig_profiled = round % 4 == 2; /* then nothing is executed before its cycle */
		struct bench b = open_bench(round % 4 == 3 ? 3 : 1);
		rig_profiled = false;
		const struct device_config *c = b.r->config;
		struct insn program[PROGRAM + 1];
		uint32_t words[PROGRAM + 1], lanes = c->lanes;
		unsigned warps = 1 + below(c->warps_per_cu), step = 1 + below(3) * 16, slot = 0;
		uint16_t items = (uint16_t)(warps * lanes - below(lanes));
		for (unsigned i = 0; i < PROGRAM; i++)
			program[i] = choices && below(8) == 0 ? (struct insn){ .op = OP_bne, .rd = REG_NONE, .rs1 = LANE_REG, .imm = 4, .rs3 = REG_NONE } : insn_random();
		program[0] = (struct insn){ .op = OP_addi, .rd = LANE_REG, .rs2 = REG_NONE, .rs3 = REG_NONE };
		program[PROGRAM] = (struct insn){ .op = OP_exit_, .rd = REG_NONE, .rs1 = REG_NONE, .rs2 = REG_NONE, .rs3 = REG_NONE };
		for (unsigned i = 0; i <= PROGRAM; i++)
			words[i] = insn_encode(&program[i]);
		words[0] = (uint32_t)CSR_lane_id << 20 | 2 << 12 | LANE_REG << 7 | 0x73; /* takes what an addition takes */
		/* the first time brings all lines into the L2 cache */
		struct rig_range range = { .global = { items }, .local = { items }, .kernarg = arg_va };
		const uint64_t entry = rig_load(b.r, words, PROGRAM + 1);
		assert_false(rig_run(b.r, entry, &range)->faulted);
		compute_reset(b.r->compute, b.r->now);
		const struct compute_counters before = *compute_counters(b.r->compute);
		memset(&code, 0, sizeof(code));
		code.c = c;
		for (code.sets = 1; code.sets * 2 * c->icache_ways * c->line_bytes <= c->icache_bytes;)
			code.sets *= 2;
		struct score s[WARPS] = { 0 };
		for (unsigned i = 0; i < WARPS; i++) {
			s[i].pc = i < warps ? 0 : PROGRAM + 1;
			s[i].chose = true;
			s[i].fetch = b.r->now + 1 + i;
			s[i].lanes = i + 1 < warps ? lanes : items - (warps - 1) * lanes;
		}
		uint64_t now = b.r->now, issued = 0, in_lanes = 0;
		assert_int_equal(rig_start(b.r, 0, entry, &range), FAULT_NONE);
		while (compute_next(b.r->compute) != UINT64_MAX) {
			uint64_t until = (now / step + 1) * step;
			until = until < (now / 512 + 1) * 512 ? until : (now / 512 + 1) * 512; /* a quantum */
			b.r->now = compute_tick(b.r->compute, until);
			for (; now < until; now++) {
				if (search(s, program, entry, &slot, now) == WARPS)
					continue;
				s[slot].chose = parts(&program[s[slot].pc], s[slot].lanes);
				score_issue(c, &s[slot], program, now);
				if (!s[slot].chose && s[slot].pc <= PROGRAM)
					score_look(&s[slot], entry, now + 1);
				issued++;
				in_lanes += s[slot].lanes;
				/* it goes on while it can; who has ended is passed over */
				if (!s[slot].chose && s[slot].pc <= PROGRAM && score_next(&s[slot], program) > now + 1)
					slot = (slot + 1) % WARPS;
			}
			const struct compute_counters *n = compute_counters(b.r->compute);
			const uint64_t insns = n->warp_insns - before.warp_insns, in = n->lane_insns - before.lane_insns;
			if (insns != issued || in != in_lanes)
				fail_msg("round %u, %u warps, cycle %llu: %llu instructions in %llu lanes, expected %llu in %llu", round,
					 warps, (unsigned long long)now, (unsigned long long)insns, (unsigned long long)in,
					 (unsigned long long)issued, (unsigned long long)in_lanes);
		}
		assert_int_equal(issued, (PROGRAM + 1) * warps);
		assert_false(b.r->ends[0].faulted);
		rig_destroy(b.r);
	}
}

static void random_programs(void **state)
{
	(void)state;
	programs_run(false);
}

/* The turn stays where a warp has chosen. */
static void random_choices(void **state)
{
	(void)state;
	programs_run(true);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_a_cycle_when_ready),
		cmocka_unit_test(code_may_be_forgotten),
		cmocka_unit_test(aborted_ones_are_not_counted),
		cmocka_unit_test(immediates_wait_for_nothing),
		cmocka_unit_test(each_divergence_begins_anew),
		cmocka_unit_test(random_programs),
		cmocka_unit_test(random_choices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
