/* Which lines the L1 data cache of a compute unit holds: hits and misses of random loads, stores, atomics and fences of one lane
 * against a reference; and when it is emptied. Usage: l1 [seed]. */
#include "testbench/model/kernel.h"
#include "testbench/random.h"

enum { OPS = 80, PROGRAMS = 80, MAX_SETS = 16, MAX_WAYS = 8 };

static uint64_t seed;

static unsigned below(unsigned n) { return (unsigned)(splitmix64(&seed) >> 33) % n; }

struct ref {
	unsigned sets, ways;
	struct { uint64_t line, used; } place[MAX_SETS][MAX_WAYS]; /* line + 1, 0: empty */
	uint64_t uses, hit, miss;
	bool data; /* the cache holds data: atomics drop lines, what acquires all of them */
};

static bool ref_find(struct ref *r, uint64_t line)
{
	for (unsigned way = 0; way < r->ways; way++)
		if (r->place[line % r->sets][way].line == line + 1) {
			r->place[line % r->sets][way].used = ++r->uses;
			return true;
		}
	return false;
}

static void ref_load(struct ref *r, uint64_t line)
{
	unsigned oldest = 0;

	if (ref_find(r, line)) {
		r->hit++;
		return;
	}
	r->miss++;
	for (unsigned way = 0; way < r->ways; way++)
		if (r->place[line % r->sets][way].used < r->place[line % r->sets][oldest].used)
			oldest = way;
	r->place[line % r->sets][oldest].line = line + 1;
	r->place[line % r->sets][oldest].used = ++r->uses;
}

static void ref_drop(struct ref *r, uint64_t line)
{
	for (unsigned way = 0; r->data && way < r->ways; way++)
		if (r->place[line % r->sets][way].line == line + 1)
			r->place[line % r->sets][way].line = r->place[line % r->sets][way].used = 0;
}

static void ref_empty(struct ref *r)
{
	if (r->data)
		memset(r->place, 0, sizeof(r->place));
}

static const struct { const char *text; bool reads; } fences[] = {
	{ "fence rw, rw", true }, { "fence", true }, { "fence r, r", true }, { "fence.tso", true }, { "fence w, r", true },
	{ "fence rw, w", false }, { ".insn i 0x0f, 0, x0, x0, 0x010", false }, { "fence iorw, iow", false },
};
enum { FENCES = sizeof(fences) / sizeof(*fences) };
static const char *const orders[] = { "", ".rl", ".aq", ".aqrl" };

/* Random accesses to lines of out; the last value of each word is what the loads find. */
static void program_run(const char *config)
{
	static char text[1 << 15];
	struct bench b = bench_of(rig_create(config, BUS_TIMED, SIMD_AUTO, false));
	const struct device_config *c = b.r->config;
	uint64_t first = (DRAM_BASE + (uint64_t)((uint8_t *)b.out - b.r->mem.dram)) / c->line_bytes, sum = 0, value[64] = { 0 };
	unsigned lines = 3 * c->l1_bytes / c->line_bytes / 2;
	struct ref r = { .sets = 1, .ways = c->l1_ways, .data = c->l1_data };
	char *p = text + sprintf(text, "csrr a0, 0xcc9\n ld a1, 0(a0)\n li t3, 0\n");

	while (r.sets * 2 * r.ways * c->line_bytes <= c->l1_bytes)
		r.sets *= 2;
	assert_in_range(lines, 1, 64);
	ref_load(&r, (DRAM_BASE + (uint64_t)((uint8_t *)b.arg - b.r->mem.dram)) / c->line_bytes);
	for (unsigned i = 0; i < OPS; i++) {
		unsigned line = below(lines), what = below(16), kind;

		p += sprintf(p, "li t1, %u\n add t1, t1, a1\n li t2, %u\n", line * c->line_bytes, i + 1);
		switch (what) {
		case 0: /* brings in none */
		case 1:
			p += sprintf(p, "sd t2, 0(t1)\n");
			value[line] = i + 1;
			ref_find(&r, first + line);
			break;
		case 2: /* no use, whether the line is there or not */
		case 3:
			kind = below(6);
			kind -= kind > 3 ? 4 : 0;
			p += sprintf(p, "amoswap.d%s t4, t2, (t1)\n", orders[kind]);
			value[line] = i + 1;
			ref_drop(&r, first + line);
			if (kind > 1)
				ref_empty(&r);
			break;
		case 4:
			kind = below(FENCES);
			p += sprintf(p, "%s\n", fences[kind].text);
			if (fences[kind].reads)
				ref_empty(&r);
			break;
		default:
			p += sprintf(p, "ld t4, 0(t1)\n add t3, t3, t4\n");
			sum += value[line];
			ref_load(&r, first + line);
		}
	}
	sprintf(p, "amoswap.d t4, t3, (a0)\n" EXIT);
	run_well(&b, text, (struct rig_range){ .global = { 1 }, .local = { 1 } });
	assert_int_equal(compute_counters(b.r->compute)->l1_hit, r.hit);
	assert_int_equal(compute_counters(b.r->compute)->l1_miss, r.miss);
	assert_int_equal(b.arg[0], sum);
	rig_destroy(b.r);
}

static void random_uses(void **state)
{
	static const char *const configs[] = { "mini,l1_data=0", "mini,l1_bytes=256,l1_ways=4,l1_data=0", "mini,l1_bytes=512,l1_ways=4,l1_data=0",
						 "mini,l1_bytes=512,l1_ways=1,l1_data=0", "mini,l1_data=1", "mini,l1_bytes=256,l1_ways=4,l1_data=1",
						 "mini,l1_bytes=512,l1_ways=4,l1_data=1", "mini,l1_bytes=512,l1_ways=1,l1_data=1" };

	(void)state;
	for (unsigned i = 0; i < PROGRAMS; i++)
		program_run(configs[i % 8]);
}

static uint64_t misses(struct bench *b, unsigned slots, unsigned groups)
{
	/* work-groups that have the unit to themselves, and read one line twice */
	uint64_t entry = rig_load_text(b->r, "csrr a0, 0xcc9\n ld a1, 0(a0)\n add a1, a1, x0\n ld a1, 8(a0)\n" EXIT);
	struct rig_range range = { .global = { 16 * groups }, .local = { 16 }, .kernarg = arg_va };
	uint64_t before = compute_counters(b->r->compute)->l1_miss, hits = compute_counters(b->r->compute)->l1_hit;

	for (unsigned s = 0; s < slots; s++)
		assert_int_equal(rig_start(b->r, s, entry, &range), FAULT_NONE);
	assert_true(rig_finish(b->r, 1 << 24));
	/* each of a work-group's four warps reads it twice */
	before = compute_counters(b->r->compute)->l1_miss - before;
	assert_int_equal(compute_counters(b->r->compute)->l1_hit - hits, slots * groups * 4 * 2 - before);
	return before;
}

static void emptied_for_another_dispatch(void **state)
{
	struct bench b = bench_of(rig_create("mini", BUS_TIMED, SIMD_AUTO, false));

	(void)state;
	assert_int_equal(misses(&b, 1, 1), 1);
	assert_int_equal(misses(&b, 1, 1), 1); /* the next one, in the same slot */
	assert_int_equal(misses(&b, 1, 5), 1); /* work-groups of one dispatch */
	assert_int_equal(misses(&b, 2, 3), 6); /* of two that take turns */
	rig_destroy(b.r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_uses), cmocka_unit_test(emptied_for_another_dispatch) };

	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
