/* When loads, stores and atomics are done: random ones of a warp, alone and two in a row, with addresses that differ from lane
 * to lane, on caches of several shapes, against a reference of the load-store unit and of the L1 cache. What stands behind the
 * L1 is an L2 of the same configuration that the reference asks in the cycles of the manual. Usage: lsu_random [seed]. */
#include "model/mem/dram.h"
#include "testbench/model/kernel.h"
#include "testbench/random.h"

enum { STEPS = 12, MAX_LANES = 32, PROGRAMS = 48, FLUSH_DIRTY = 256 << 10, FLUSH_CLEAN = 512 << 10, RESULTS = 32768 };

static uint64_t seed;

static unsigned below(unsigned n) { return (unsigned)(splitmix64(&seed) >> 33) % n; }

enum what { LOAD, STORE, ATOMIC, LOCAL_LOAD, LOCAL_STORE, LOCAL_ATOMIC, KINDS };

struct request {
	enum what what;
	uint32_t offset[MAX_LANES]; /* in the buffer, or in local memory */
};

struct step {
	unsigned count; /* of accesses, one behind the other */
	bool first;     /* what is waited for is the first one's result */
	struct request access[2];
};

static bool is_local(enum what what) { return what >= LOCAL_LOAD; }

static bool is_store(enum what what) { return what == STORE || what == LOCAL_STORE; }

/* ---- random steps ---- */

/* Of few lines or many, 4 bytes of each lane, which may lie in two lines. */
static void request_random(struct request *a, const struct device_config *c, unsigned pool)
{
	unsigned lines[MAX_LANES], distinct = 1 + below(c->lanes);

	a->what = (enum what)below(KINDS);
	for (unsigned i = 0; i < distinct; i++)
		lines[i] = below(pool);
	for (unsigned lane = 0; lane < c->lanes; lane++) {
		unsigned at = 4 * below(c->line_bytes / 4);

		if (a->what != ATOMIC && !below(8))
			at = c->line_bytes - 1 - below(3); /* and in the next line */
		a->offset[lane] = lines[below(distinct)] * c->line_bytes + at;
		if (is_local(a->what)) /* lanes 0 and 1 at one word, lane 2 at another: no stride */
			a->offset[lane] = 4 * (lane == 1 ? a->offset[0] / 4 : lane == 2 ? a->offset[0] / 4 + 1 : below(64));
	}
}

static void steps_random(struct step *steps, const struct device_config *c)
{
	unsigned pool = below(2) ? 4 + below(8) : 40;

	for (unsigned i = 0; i < STEPS; i++) {
		steps[i].count = 1 + below(2);
		for (unsigned n = 0; n < steps[i].count; n++)
			request_random(&steps[i].access[n], c, pool);
		/* a store is waited for by what stands behind it */
		steps[i].first = steps[i].count == 2 && !is_store(steps[i].access[0].what) && !is_store(steps[i].access[1].what) && below(2);
	}
}

/* ---- the program ---- */

static const char *const text_of[KINDS] = {
	[LOAD] = "lw %s, 0(%s)\n",	  [STORE] = "sw %s, 0(%s)\n",	    [ATOMIC] = "amoor.w %s, x0, (%s)\n",
	[LOCAL_LOAD] = "lw %s, 0(%s)\n", [LOCAL_STORE] = "sw %s, 0(%s)\n", [LOCAL_ATOMIC] = "amoor.w %s, x0, (%s)\n",
};

/* Lane l finds the offset of access n of step i at byte ((2 i + n) * 32 + l) * 4 + 1024 of local memory. s7: local memory, s8:
 * the buffer, t6: the lane's column of the table. */
static char *step_write(char *p, const struct step *s, unsigned i)
{
	static const char *const address[2] = { "a3", "a4" }, *const result[2] = { "a5", "a6" };

	p += sprintf(p, ".balign 256\n");
	for (unsigned n = 0; n < s->count; n++)
		p += sprintf(p, "li t1, %u\n add t1, t1, t6\n lw %s, 0(t1)\n add %s, %s, %s\n", (2 * i + n) * 128 + 1024, address[n],
			     address[n], address[n], is_local(s->access[n].what) ? "s7" : "s8");
	p += sprintf(p, "li t5, 150\n 1: addi t5, t5, -1\n bnez t5, 1b\n csrr s2, cycle\n");
	for (unsigned n = 0; n < s->count; n++)
		p += sprintf(p, text_of[s->access[n].what], result[n], address[n]);
	if (!is_store(s->access[s->count - 1].what))
		p += sprintf(p, "mv a7, %s\n", result[s->first ? 0 : s->count - 1]);
	return p + sprintf(p, "csrr s3, cycle\n sd s2, %u(s9)\n sd s3, %u(s9)\n", 16 * i, 16 * i + 8);
}

/* Two passes, of which the second one counts: the first one brings translations and instructions. Before each, the L2 is
 * filled with lines that are dirty, then with others that are not. */
static void program_write(char *p, const struct step *steps, const struct device_config *c)
{
	unsigned iterations = c->l2_bytes / c->line_bytes / c->lanes;

	p += sprintf(p, "csrr a0, 0xcc9\n ld s8, 0(a0)\n csrr t0, 0xcca\n li s7, 5\n slli s7, s7, 44\n sh2add t6, t0, s7\n"
			"li t1, %u\n add s9, s7, t1\n li s11, 2\n", RESULTS);
	/* the table, as far as another dispatch has not left it in local memory */
	p += sprintf(p, "li t1, %u\n add t1, t1, s8\n sh2add t1, t0, t1\n li t2, %u\n addi t3, t6, 1024\n"
			"1: lw t4, 0(t1)\n sw t4, 0(t3)\n addi t1, t1, 128\n addi t3, t3, 128\n addi t2, t2, -1\n bnez t2, 1b\n",
		     128 << 10, 2 * STEPS);
	p += sprintf(p, "again: slli t2, t0, %u\n add t2, t2, s8\n", (unsigned)__builtin_ctz(c->line_bytes));
	for (unsigned clean = 0; clean < 2; clean++)
		p += sprintf(p, "li t1, %u\n add t1, t1, t2\n li t3, %u\n li t4, %u\n 1: %s t5, 0(t1)\n add t1, t1, t4\n addi t3, t3, -1\n bnez t3, 1b\n",
			     clean ? FLUSH_CLEAN : FLUSH_DIRTY, iterations, c->lanes * c->line_bytes, clean ? "lw" : "sw");
	p += sprintf(p, "mv a7, t5\n");
	for (unsigned i = 0; i < STEPS; i++)
		p = step_write(p, &steps[i], i);
	p += sprintf(p, ".balign 256\n addi s11, s11, -1\n beqz s11, 1f\n j again\n 1: addi a0, a0, 512\n");
	for (unsigned i = 0; i < 2 * STEPS; i++)
		p += sprintf(p, "ld t1, %u(s9)\n sd t1, %u(a0)\n", 8 * i, 8 * i);
	sprintf(p, EXIT);
}

/* ---- the reference ---- */

enum { L1_SETS = 64, L1_WAYS = 8 };

struct ref {
	const struct device_config *c;
	struct l2 *l2;
	uint64_t base; /* physical address of the buffer */
	uint64_t free; /* cycle from which the load-store unit is */
	unsigned sets;
	struct { uint64_t line, used; } l1[L1_SETS][L1_WAYS]; /* line + 1, 0: empty */
	uint64_t uses;
	uint64_t hit, miss; /* of loads */
};

/* Whether the line is there; then it is the one used last. A load brings it in. */
static bool l1_use(struct ref *r, uint64_t line, bool load)
{
	unsigned set = (unsigned)(line % r->sets), place = 0;

	for (unsigned way = 0; way < r->c->l1_ways; way++)
		if (r->l1[set][way].line == line + 1) {
			r->l1[set][way].used = ++r->uses;
			r->hit += load;
			return true;
		}
	if (!load)
		return false;
	r->miss++;
	for (unsigned way = 0; way < r->c->l1_ways; way++) /* empty ones were never used */
		if (r->l1[set][way].used < r->l1[set][place].used)
			place = way;
	r->l1[set][place].line = line + 1;
	r->l1[set][place].used = ++r->uses;
	return false;
}

static unsigned lines_of(const struct ref *r, const struct request *a, uint64_t *lines)
{
	unsigned n = 0;

	for (unsigned lane = 0; lane < r->c->lanes; lane++)
		for (unsigned end = 0; end < 2; end++) {
			uint64_t line = (r->base + a->offset[lane] + 3 * end) / r->c->line_bytes;
			unsigned i = 0;

			while (i < n && lines[i] != line)
				i++;
			lines[i] = line;
			n += i == n;
		}
	return n;
}

static unsigned rounds_of(const struct ref *r, const struct request *a)
{
	unsigned most = 1;

	if (a->what == LOCAL_ATOMIC)
		return r->c->lanes;
	for (unsigned bank = 0; bank < r->c->lds_banks; bank++) {
		unsigned words = 0;

		for (unsigned lane = 0; lane < r->c->lanes; lane++) {
			bool known = a->offset[lane] / 4 % r->c->lds_banks != bank;

			for (unsigned before = 0; before < lane; before++)
				known |= a->offset[before] == a->offset[lane];
			words += !known;
		}
		most = words > most ? words : most;
	}
	return most;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void l1_drop(struct ref *r, uint64_t line)
{
	for (unsigned way = 0; way < r->c->l1_ways; way++)
		if (r->l1[line % r->sets][way].line == line + 1)
			r->l1[line % r->sets][way].line = r->l1[line % r->sets][way].used = 0;
}

/* When the result of an access that issues in cycle t is there, or the store is accepted. */
static uint64_t access_done(struct ref *r, const struct request *a, uint64_t t)
{
	uint64_t lines[2 * MAX_LANES], b = later(t, r->free), done = 0;
	uint32_t line_bytes = r->c->line_bytes, bytes;
	unsigned n;

	if (is_local(a->what)) {
		n = rounds_of(r, a);
		r->free = b + n;
		return b + n + r->c->lds_latency - 1;
	}
	n = lines_of(r, a, lines);
	r->free = b + n;
	bytes = (r->c->lanes * 4 + n - 1) / n;
	for (unsigned i = 0; r->c->l1_data && a->what == ATOMIC && i < n; i++)
		l1_drop(r, lines[i]);
	for (unsigned i = 0; i < n; i++) {
		uint64_t at = b + i + r->c->l1_latency, pa = lines[i] * line_bytes, end = at;

		if (a->what == STORE) {
			l1_use(r, lines[i], false);
			end = l2_access(r->l2, b + i, pa, bytes < line_bytes ? bytes : line_bytes, true);
		} else if (a->what == ATOMIC || !l1_use(r, lines[i], true)) {
			end = l2_access(r->l2, at, pa, line_bytes, false);
			if (a->what == ATOMIC)
				l2_access(r->l2, at, pa, line_bytes, true);
		}
		done = later(done, end);
	}
	return done + (a->what == ATOMIC ? r->c->lanes / n : 0);
}

/* The second reading of `cycle` in the step whose first one was s2. */
static uint64_t step_end(struct ref *r, const struct step *s, uint64_t s2)
{
	uint64_t t = s2, done[2] = { 0, 0 };

	for (unsigned n = 0; n < s->count; n++) {
		done[n] = access_done(r, &s->access[n], t);
		t = is_store(s->access[n].what) ? later(t + 1, done[n]) : t + 1;
	}
	if (is_store(s->access[s->count - 1].what))
		return t + 1;
	return later(t, done[s->first ? 0 : s->count - 1]) + 2;
}

/* What fills the caches before a pass; long before, so that all is idle. */
static void flush(struct ref *r, uint64_t *now)
{
	uint64_t lines = r->c->l2_bytes / r->c->line_bytes;

	for (unsigned clean = 0; clean < 2; clean++)
		for (uint64_t i = 0; i < lines; i++, *now += 500) {
			uint64_t pa = r->base + (clean ? FLUSH_CLEAN : FLUSH_DIRTY) + i * r->c->line_bytes;

			l2_access(r->l2, *now, pa, clean ? r->c->line_bytes : 4, !clean);
			l1_use(r, pa / r->c->line_bytes, clean);
		}
}

/* ---- the comparison ---- */

static void program_check(struct bench *b, const struct step *steps, uint64_t base)
{
	static struct ref r;
	uint64_t now = 1000, bytes = (uint64_t)b->r->config->l1_ways * b->r->config->line_bytes;

	r = (struct ref){ .c = b->r->config, .base = base, .sets = 1 };
	while (r.sets * 2 * bytes <= r.c->l1_bytes)
		r.sets *= 2;
	assert_in_range(r.sets, 1, L1_SETS);
	r.l2 = l2_create(r.c, BUS_TIMED);
	/* the table was read line by line before the first pass */
	for (unsigned i = 0; i < 2 * STEPS; i++)
		for (uint64_t line = (base + (128 << 10) + 128 * i) / r.c->line_bytes, end = (base + (128 << 10) + 128 * i + 4 * r.c->lanes - 1) / r.c->line_bytes; line <= end; line++)
			l1_use(&r, line, true);
	for (unsigned pass = 0; pass < 2; pass++) {
		flush(&r, &now);
		for (unsigned i = 0; i < STEPS; i++) {
			uint64_t s2 = pass ? b->arg[64 + 2 * i] : (now += 100000), s3 = b->arg[64 + 2 * i + 1], end;

			r.free = 0;
			end = step_end(&r, &steps[i], s2);
			if (pass && s3 != end)
				fail_msg("%s, step %u, kinds %d %d%s: %llu cycles, expected %llu", r.c->num_cu > 1 ? "full" : "mini", i, steps[i].access[0].what,
					 steps[i].count > 1 ? (int)steps[i].access[1].what : -1, steps[i].first ? " (first)" : "", (unsigned long long)(s3 - s2), (unsigned long long)(end - s2));
		}
		if (!pass) { /* all of the first pass is forgotten by the L2, whose lines are those of the next filling */
			l2_destroy(r.l2);
			r.l2 = l2_create(r.c, BUS_TIMED);
			now = 1000;
		}
	}
	l2_destroy(r.l2);
}

static void program_run(const char *config)
{
	static char text[1 << 16];
	struct bench b = bench_of(rig_create(config, BUS_TIMED, SIMD_AUTO, false));
	const struct device_config *c = b.r->config;
	struct step steps[STEPS];
	uint32_t *table = b.out + (128 << 10) / 4;
	uint64_t base = DRAM_BASE + (uint64_t)((uint8_t *)b.out - b.r->mem.dram), hit, miss;

	steps_random(steps, c);
	for (unsigned i = 0; i < STEPS; i++)
		for (unsigned n = 0; n < steps[i].count; n++)
			memcpy(&table[(2 * i + n) * 32], steps[i].access[n].offset, sizeof(steps[i].access[n].offset));
	program_write(text, steps, c);
	b.r->now = 1 << 28;
	hit = compute_counters(b.r->compute)->l1_hit;
	miss = compute_counters(b.r->compute)->l1_miss;
	run_well(&b, text, (struct rig_range){ .global = { c->lanes }, .local = { (uint16_t)c->lanes }, .local_bytes = 65536 });
	assert_true(compute_counters(b.r->compute)->l1_hit > hit || compute_counters(b.r->compute)->l1_miss > miss);
	program_check(&b, steps, base);
	rig_destroy(b.r);
}

static void random_accesses(void **state)
{
	static const char *const configs[] = {
		"mini,l1_tlb_entries=512,l2_tlb_entries=1024,icache_bytes=1048576",
		"mini,l1_tlb_entries=512,l2_tlb_entries=1024,icache_bytes=1048576,l1_bytes=512,l1_ways=4,l2_bytes_cycle=8",
		"mini,l1_tlb_entries=512,l2_tlb_entries=1024,icache_bytes=1048576,l1_ways=1,dram_bytes_cycle=8,dram_banks=2",
		"mini,l1_tlb_entries=512,l2_tlb_entries=1024,icache_bytes=1048576,l1_data=1",
		"full,exact=1,l1_data=1,l1_tlb_entries=512,l2_tlb_entries=1024,icache_bytes=1048576,l2_bytes=65536,l1_bytes=4096",
		"full,l1_tlb_entries=512,l2_tlb_entries=1024,icache_bytes=1048576,l2_bytes=65536,l1_bytes=4096",
	};

	(void)state;
	for (unsigned i = 0; i < PROGRAMS; i++)
		program_run(configs[i % 6]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_accesses) };

	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
