/* What each load of random programs gives that run side by side on several compute units, where the L1 data caches hold data: loads
 * of every width at any address, stores, atomics and fences of lanes that differ, against memory and a copy of the lines of each unit,
 * as the manual says, in the order in which instructions retire. Usage: litmus_random [seed]. */
#include "abi/events.h"
#include "testbench/model/kernel.h"
#include "testbench/random.h"

enum { OPS = 60, PROGRAMS = 40, MAX_UNITS = 3, MAX_SETS = 32, MAX_WAYS = 8, MAX_LINE = 128, MAX_LANES = 32, MOST_LINES = 2 * MAX_LANES };
enum { TABLES = 128 << 10, TABLE_BYTES = 64 << 10 /* of a unit, in out */, SHARED = 64 << 10 /* words of all are below */ };

static uint64_t seed;

static unsigned below(unsigned n) { return (unsigned)(splitmix64(&seed) >> 33) % n; }

/* ---- the reference ---- */

struct line { uint64_t number /* + 1; 0: empty */, used; uint8_t bytes[MAX_LINE]; };

/* An instruction of one warp whose accesses are known and which has yet to retire. */
struct request { uint32_t word, mask; unsigned count; uint64_t of[EVENT_LANES_WORDS]; };

static struct ref {
	struct event_sink sink; /* first member */
	bool data;
	unsigned sets, ways, line_bytes;
	uint64_t out_pa, arg_pa;
	uint8_t out[OUT_BYTES], arg[4096];
	struct line lines[MAX_UNITS][MAX_SETS][MAX_WAYS];
	struct request access[MAX_UNITS];
	uint64_t uses, hit, miss, loads, stale;
	char wrong[256]; /* what has differed first */
} ref;

static uint64_t pa_of(uint64_t va) { return va - arg_va < sizeof(ref.arg) ? ref.arg_pa + (va - arg_va) : ref.out_pa + (va - out_va); }

static uint8_t *byte_at(uint64_t va)
{
	if (va - arg_va < sizeof(ref.arg))
		return &ref.arg[va - arg_va];
	assert_true(va - out_va < OUT_BYTES);
	return &ref.out[va - out_va];
}

static struct line *line_find(unsigned unit, uint64_t number)
{
	struct line *set = ref.lines[unit][number % ref.sets];

	for (unsigned way = 0; way < ref.ways; way++)
		if (set[way].number == number + 1)
			return &set[way];
	return NULL;
}

/* The line of this byte, brought in if it is not there. */
static const struct line *line_load(unsigned unit, uint64_t va)
{
	const uint64_t number = pa_of(va) / ref.line_bytes;
	struct line *l = line_find(unit, number), *set = ref.lines[unit][number % ref.sets];

	ref.hit += l != NULL;
	ref.miss += !l;
	if (!l) {
		l = set;
		for (unsigned way = 1; way < ref.ways; way++)
			if (set[way].used < l->used)
				l = &set[way];
		l->number = number + 1;
		memcpy(l->bytes, byte_at(va - pa_of(va) % ref.line_bytes), ref.line_bytes);
	}
	l->used = ++ref.uses;
	return l;
}

static void line_drop(unsigned unit, uint64_t va)
{
	struct line *l = line_find(unit, pa_of(va) / ref.line_bytes);

	if (l)
		l->number = l->used = 0;
}

static void l1_empty(unsigned unit) { memset(ref.lines[unit], 0, sizeof(ref.lines[unit])); }

static uint64_t extended(uint64_t v, unsigned funct3)
{
	const unsigned shift = 64 - (8u << (funct3 & 3));

	return funct3 & 4 ? v << shift >> shift : (uint64_t)((int64_t)(v << shift) >> shift);
}

static void expect(const struct event *e, unsigned lane, uint64_t value, uint64_t expected, uint64_t va)
{
	if (value != expected && !*ref.wrong)
		snprintf(ref.wrong, sizeof(ref.wrong), "unit %u, pc %#llx, cycle %llu, lane %u at %#llx: %#llx, expected %#llx", e->unit - UNIT_CU,
			 (unsigned long long)e->a, (unsigned long long)e->cycle, lane, (unsigned long long)va, (unsigned long long)value,
			 (unsigned long long)expected);
}

static void loaded(const struct event *e, const struct request *a, const uint64_t *words)
{
	const unsigned unit = e->unit - UNIT_CU, funct3 = a->word >> 12 & 7, size = 1u << (funct3 & 3);
	struct line seen[MOST_LINES];
	unsigned n = 0;

	for (unsigned lane = 0; lane < a->count; lane++) {
		uint64_t got = 0, memory = 0;

		for (unsigned i = 0; i < size; i++) {
			const uint64_t va = a->of[lane] + i;
			unsigned k = 0;

			while (k < n && seen[k].number != pa_of(va) / ref.line_bytes + 1)
				k++;
			if (k == n)
				seen[n++] = *line_load(unit, va);
			got |= (uint64_t)seen[k].bytes[pa_of(va) % ref.line_bytes] << 8 * i;
			memory |= (uint64_t)*byte_at(va) << 8 * i;
		}
		expect(e, lane, words[lane], extended(ref.data ? got : memory, funct3), a->of[lane]);
		ref.loads++;
		ref.stale += got != memory;
	}
}

static void put(unsigned unit, uint64_t va, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		struct line *l = line_find(unit, pa_of(va + i) / ref.line_bytes);

		*byte_at(va + i) = (uint8_t)(value >> 8 * i);
		if (l)
			l->bytes[pa_of(va + i) % ref.line_bytes] = (uint8_t)(value >> 8 * i);
	}
}

/* Each line once, in the order of the lanes: a line that is there was used last. */
static void stored(unsigned unit, const struct request *a)
{
	const unsigned size = 1u << (a->word >> 12 & 3);
	uint64_t seen[MOST_LINES];
	unsigned n = 0;

	for (unsigned lane = 0; lane < a->count / 2; lane++) {
		put(unit, a->of[2 * lane], a->of[2 * lane + 1], size);
		for (unsigned i = 0; i < size; i++) {
			const uint64_t number = pa_of(a->of[2 * lane] + i) / ref.line_bytes;
			struct line *l = line_find(unit, number);
			unsigned k = 0;

			while (k < n && seen[k] != number)
				k++;
			if (k < n)
				continue;
			seen[n++] = number;
			if (l)
				l->used = ++ref.uses;
		}
	}
}

static void changed(const struct event *e, const struct request *a, const uint64_t *words)
{
	const unsigned unit = e->unit - UNIT_CU, funct3 = a->word >> 12 & 3, size = 1u << funct3;

	for (unsigned lane = 0; lane < a->count / 3; lane++) {
		const uint64_t va = a->of[3 * lane], x = a->of[3 * lane + 1];
		uint64_t old = 0;

		for (unsigned i = 0; i < size; i++)
			old |= (uint64_t)*byte_at(va + i) << 8 * i;
		expect(e, lane, words[lane], extended(old, funct3), va);
		if (ref.data)
			line_drop(unit, va);
		switch (a->word >> 27) {
		case 0: put(unit, va, old + x, size); break;
		case 1: put(unit, va, x, size); break;
		case 2: break; /* lr */
		case 5: /* amocas */
			if (extended(old, funct3) == extended(a->of[3 * lane + 2], funct3))
				put(unit, va, x, size);
			break;
		default: fail_msg("atomic %#x", a->word);
		}
	}
	if (ref.data && a->word >> 26 & 1)
		l1_empty(unit);
}

static void retired(struct event_sink *sink, const struct event *e, const uint64_t *words, unsigned count)
{
	struct request *a = &ref.access[e->unit - UNIT_CU];

	(void)sink;
	if (e->kind != EVENT_RETIRE) {
		*a = (struct request){ .word = (uint32_t)e->b, .mask = (uint32_t)(e->b >> 32), .count = count };
		memcpy(a->of, words, count * sizeof(*words));
		return;
	}
	switch (e->b & 0x7f) {
	case 0x03:
		loaded(e, a, words);
		break;
	case 0x23:
		stored(e->unit - UNIT_CU, a);
		break;
	case 0x2f:
		changed(e, a, words);
		break;
	case 0x0f:
		if (ref.data && e->b >> 21 & 1)
			l1_empty(e->unit - UNIT_CU);
	}
}

static void ignored(struct event_sink *sink, const struct event *e) { (void)sink, (void)e; }

/* ---- the programs ---- */

static const char *const loads[] = { "lb", "lh", "lw", "ld", "lbu", "lhu", "lwu" }, *const stores[] = { "sb", "sh", "sw", "sd" };
static const char *const atomics[] = { "amoadd", "amoswap", "lr", "amocas" }, *const orders[] = { "", "", "", ".rl", ".aq", ".aqrl" };
static const char *const fences[] = { "fence rw, rw", "fence r, r", "fence w, w", "fence" };

/* An instruction of all items, and where each has its access: of few words, so that units meet, or of many. */
static char *op_random(char *p, uint32_t *offset, unsigned items, unsigned range, unsigned unit, unsigned i)
{
	const unsigned what = below(16), at = below(range), lanes = below(3);
	unsigned size;

	p += sprintf(p, "lw t1, 0(t6)\n addi t6, t6, %u\n add t1, t1, a1\n li t3, %u\n add t2, s0, t3\n", 4 * items, (unit << 12 | i) * 16);
	if (what < 8) {
		size = 1;
		p += sprintf(p, "%s t4, 0(t1)\n add t5, t5, t4\n", loads[below(7)]);
	} else if (what < 12) {
		size = 1;
		p += sprintf(p, "%s t2, 0(t1)\n", stores[below(4)]);
	} else if (what < 15) {
		const unsigned kind = below(4), wide = below(2);

		size = wide ? 8 : 4;
		p += sprintf(p, "li t4, %u\n %s.%c%s t4, %s(t1)\n", below(3), atomics[kind], wide ? 'd' : 'w', orders[below(6)], kind == 2 ? "" : "t2, ");
	} else {
		size = 1;
		p += sprintf(p, "%s\n", fences[below(4)]);
	}
	for (unsigned item = 0; item < items; item++)
		offset[item] = (lanes == 0 ? at : lanes == 1 ? (at + item * 4) % range : below(range)) / size * size;
	return p;
}

static void program_run(const char *config)
{
	static char text[1 << 16];
	memset(&ref, 0, sizeof(ref));
	ref.sink = (struct event_sink){ .event = ignored, .lanes = retired };
	struct bench b = bench_of(rig_create_events(config, BUS_TIMED, SIMD_AUTO, false, &ref.sink));
	const struct device_config *c = b.r->config;
	const unsigned items = 2 * c->lanes, range = (below(2) ? 2 : 24) * c->line_bytes;

	ref.data = c->l1_data;
	ref.ways = c->l1_ways;
	ref.line_bytes = c->line_bytes;
	for (ref.sets = 1; ref.sets * 2 * c->l1_ways * c->line_bytes <= c->l1_bytes;)
		ref.sets *= 2;
	assert_true(ref.sets <= MAX_SETS && ref.ways <= MAX_WAYS && ref.line_bytes <= MAX_LINE && range + 8 <= SHARED && c->num_cu <= MAX_UNITS);
	ref.out_pa = DRAM_BASE + (uint64_t)((uint8_t *)b.out - b.r->mem.dram);
	ref.arg_pa = DRAM_BASE + (uint64_t)((uint8_t *)b.arg - b.r->mem.dram);
	for (unsigned unit = 0; unit < c->num_cu; unit++) {
		struct rig_range on = { .global = { items }, .local = { (uint16_t)items }, .kernarg = arg_va, .units = 1u << unit };
		char *p = text + sprintf(text, ITEM "ld a1, 0(a0)\n li t1, %u\n add t6, a1, t1\n sh2add t6, s0, t6\n li t5, 0\n", TABLES + unit * TABLE_BYTES);

		assert_true(OPS * items * 4 <= TABLE_BYTES);
		for (unsigned i = 0; i < OPS; i++)
			p = op_random(p, b.out + (TABLES + unit * TABLE_BYTES) / 4 + i * items, items, range, unit, i);
		sprintf(p, EXIT);
		assert_int_equal(rig_start(b.r, unit, rig_load_text(b.r, text), &on), FAULT_NONE);
	}
	memcpy(ref.out, b.out, sizeof(ref.out));
	memcpy(ref.arg, b.arg, sizeof(ref.arg));
	assert_true(rig_finish(b.r, 1 << 22));
	for (unsigned unit = 0; unit < c->num_cu; unit++)
		assert_false(b.r->ends[unit].faulted);
	if (*ref.wrong)
		fail_msg("%s: %s", config, ref.wrong);
	assert_memory_equal(ref.out, b.out, sizeof(ref.out));
	assert_int_equal(compute_counters(b.r->compute)->l1_hit, ref.hit);
	assert_int_equal(compute_counters(b.r->compute)->l1_miss, ref.miss);
	rig_destroy(b.r);
}

static void random_programs(void **state)
{
	static const char *const configs[] = {
		"mini,num_cu=2,l1_data=1", "mini,num_cu=3,l1_data=1,l1_bytes=256", "mini,num_cu=3,l1_data=1,l1_ways=4,l1_bytes=4096",
		"full,num_cu=2,exact=1,l1_data=1,l1_bytes=8192", "mini,num_cu=2,l1_data=0",
	};
	enum { CONFIGS = sizeof(configs) / sizeof(*configs) };
	uint64_t stale[CONFIGS] = { 0 }, loaded_words = 0;

	(void)state;
	for (unsigned i = 0; i < (check_long() ? 20 * PROGRAMS : PROGRAMS); i++) {
		program_run(configs[i % CONFIGS]);
		stale[i % CONFIGS] += ref.stale;
		loaded_words += ref.loads;
	}
	for (unsigned i = 0; i < CONFIGS - 1; i++) { /* that it is not all the same */
		printf("# %s: %llu loads of what was older\n", configs[i], (unsigned long long)stale[i]);
		assert_true(stale[i] > 0);
	}
	printf("# %llu loads\n", (unsigned long long)loaded_words);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs) };

	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
