#include "testbench/rtl/tlb_lockstep.h"
#include "model/mmu/entries.h"
#include "rtl/shim/tlb_shim.h"
#include "testbench/model/fixture.h"
#include <inttypes.h>

enum { UNITS = 2, SPACES = 3, GIBS = 3, REGIONS = 4, PAGES = 64, RECENT = 8 };

const char *const tlb_geometry[TLB_GEOMETRIES] = {
	"mini", "full", "mini,l1_tlb_entries=4,l2_tlb_entries=64", "mini,l1_tlb_entries=128,l2_tlb_entries=256",
};
const char *const tlb_count_name[TLB_COUNTS] = {
	"look-ups", "L1 hits", "L2 hits of 4 KiB", "L2 hits of 2 MiB", "walks", "faults", "fills", "entries replaced", "invalidations of all",
	"of a space", "of a page", "of a page beyond 2^47", "begun with a fill", "look-ups while one is under way", "parity errors", "resets", "cycles",
};

/* 2 MiB of an address space: one page, or pages of 4 KiB. */
struct region {
	uint64_t table, *word, *leaves;
};

struct key {
	unsigned unit;
	uint32_t space;
	uint64_t va;
};

struct lockstep {
	struct event_sink sink; /* first member */
	struct event fill, walk_end;
	bool filled, walked;
	struct host host;
	struct physmem mem;
	struct inject inject;
	struct device_config config;
	struct l2 *l2;
	struct mmu *mmu;
	struct tlb_shim *shim;
	struct tlb_lockstep_result *result;
	unsigned geometry;
	uint64_t contexts, now;
	struct region region[SPACES][GIBS][REGIONS];
	struct key recent[RECENT];
	/* the invalidation: one that waits for the cycle of a fill, and the arrays that one is under way in */
	bool waits;
	unsigned under_way, drop_cycles, scope;
	uint16_t asid;
	uint64_t va;
	/* the armed parity error: occasions that are left, 0: none */
	unsigned parity_left, parity_unit;
	bool drops_late; /* the L1 TLB drops its entry in the cycle of the fill */
};

static const unsigned units[UNITS] = { UNIT_CU, UNIT_DMA };
static const uint16_t asids[SPACES] = { 1, 2, 18 };
static const uint64_t gibs[GIBS] = { 0, 1, 0x1ffff }, regions[REGIONS] = { 0, 1, 33, 64 };
static const enum mmu_array model_array[TLB_SHIM_ARRAYS] = { MMU_L1, MMU_L1, MMU_L2_SMALL, MMU_L2_HUGE };

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	char *text = l->result->text;
	va_list args;
	int n;

	if (text[0])
		return;
	n = snprintf(text, sizeof(l->result->text), "%s, look-up %lu: ", tlb_geometry[l->geometry], l->result->count[TLB_LOOKUPS]);
	va_start(args, format);
	vsnprintf(text + n, sizeof(l->result->text) - (size_t)n, format, args);
	va_end(args);
}

static const struct tlb *array_of(const struct lockstep *l, unsigned array)
{
	return mmu_tlb(l->mmu, model_array[array], array < TLB_SHIM_SMALL ? units[array] : 0);
}

static unsigned set_of(const struct tlb *t, uint64_t n) { return (unsigned)(n ^ n >> 6 ^ n >> 12) & (t->sets - 1); }
static uint64_t page_of(unsigned array, uint64_t va) { return va >> (array == TLB_SHIM_LARGE ? 21 : 12); }
static uint64_t key_of(unsigned array, const struct key *k)
{
	return tlb_key(array == TLB_SHIM_LARGE ? k->va >> 21 << 21 : k->va, k->space);
}

static struct tlb_shim_entry entry_of(const struct tlb_entry *e)
{
	return e->key ? (struct tlb_shim_entry){ e->key, (uint64_t)e->huge << 63 | e->pa >> 12 << 10 | e->pte } : (struct tlb_shim_entry){ 0, 0 };
}

/* ---- cycles ---- */

/* One cycle; an invalidation that is under way goes on in it. */
static struct tlb_shim_out cycle(struct lockstep *l, struct tlb_shim_in in)
{
	const unsigned before = l->under_way;
	struct tlb_shim_out out;

	in.geometry = l->geometry;
	in.invalidate = l->under_way;
	in.scope = l->scope;
	in.asid = l->asid;
	in.va = l->va;
	out = tlb_shim_step(l->shim, &in);
	l->result->count[TLB_CYCLES]++;
	l->under_way &= ~out.ready;
	l->drop_cycles += before != 0;
	for (unsigned a = 0; a < TLB_SHIM_ARRAYS; a++) {
		const unsigned takes = a < TLB_SHIM_SMALL || l->scope == TLB_PAGE ? 1 : array_of(l, a)->sets;

		if (before >> a & 1 && !(l->under_way >> a & 1) && l->drop_cycles != takes)
			differs(l, "array %u: an invalidation of scope %u took %u cycles, not %u", a, l->scope, l->drop_cycles, takes);
	}
	return out;
}

static void drop_end(struct lockstep *l)
{
	for (unsigned n = 0; l->under_way && n < 100000; n++)
		cycle(l, (struct tlb_shim_in){ 0 });
}

static void drop_begin(struct lockstep *l)
{
	l->under_way = (1 << TLB_SHIM_ARRAYS) - 1;
	l->drop_cycles = 0;
	l->waits = false;
}

static struct tlb_shim_out look_up(struct lockstep *l, unsigned array, const struct key *k, bool drop)
{
	if (l->under_way)
		l->result->count[TLB_DURING_DROP]++;
	return cycle(l, (struct tlb_shim_in){ .array = array, .lookup = true, .drop = drop, .key = key_of(array, k) });
}

/* A fill; the page is looked for in the same cycle, and not found yet. */
static struct tlb_shim_out fill(struct lockstep *l, unsigned array, const struct key *k, const struct tlb_shim_entry *e)
{
	const bool late = array < TLB_SHIM_SMALL && l->drops_late;
	const struct tlb_shim_out out = cycle(l, (struct tlb_shim_in){ .array = array, .lookup = true, .key = key_of(array, k), .drop = late, .fill = true, .entry = *e });

	if (out.hit && !late)
		differs(l, "array %u: found in the cycle of the fill", array);
	l->drops_late &= !late;
	l->result->count[TLB_FILLS]++;
	l->result->count[TLB_REPLACED] += out.replaced != 0;
	return out;
}

/* ---- parity ---- */

static bool occasion(struct lockstep *l, const struct key *k)
{
	if (!l->parity_left || (l->parity_unit != INJECT_ANY_UNIT && l->parity_unit != units[k->unit]) || --l->parity_left)
		return false;
	l->result->count[TLB_PARITY]++;
	l->drops_late = random_below(2);
	if (!l->drops_late)
		look_up(l, k->unit, k, true);
	look_up(l, TLB_SHIM_SMALL, k, true);
	look_up(l, TLB_SHIM_LARGE, k, true);
	return true;
}

static void step_parity(struct lockstep *l)
{
	l->parity_left = 1 + (unsigned)random_below(5);
	l->parity_unit = random_below(2) ? INJECT_ANY_UNIT : units[random_below(UNITS)];
	inject_arm(&l->inject, INJECT_TLB_PARITY, l->parity_left, l->parity_unit, 0, l->now);
}

/* ---- what arrays hold ---- */

static void set_compare(struct lockstep *l, unsigned array, unsigned set)
{
	const struct tlb *t = array_of(l, array);
	struct tlb_shim_entry way[ARRAY_WAYS];

	tlb_shim_show(l->shim, l->geometry, array, set, way);
	for (unsigned w = 0; w < ARRAY_WAYS; w++) {
		const struct tlb_shim_entry e = entry_of(&t->entries[set * ARRAY_WAYS + w]);

		if (way[w].key != e.key || way[w].leaf != e.leaf)
			differs(l, "array %u set %u way %u: holds %" PRIx64 " %" PRIx64 ", the model's %" PRIx64 " %" PRIx64, array, set, w, way[w].key, way[w].leaf,
				e.key, e.leaf);
	}
}

static void arrays_compare(struct lockstep *l)
{
	drop_end(l);
	for (unsigned a = 0; a < TLB_SHIM_ARRAYS; a++)
		for (unsigned set = 0; set < array_of(l, a)->sets; set++)
			set_compare(l, a, set);
}

/* ---- translations ---- */

static void hit_compare(struct lockstep *l, unsigned array, const struct key *k, const struct tlb_shim_out *out)
{
	const struct tlb *t = array_of(l, array);
	const struct tlb_shim_entry e = entry_of(&t->entries[set_of(t, page_of(array, k->va)) * ARRAY_WAYS + out->way]);

	if (out->entry.key != e.key || out->entry.leaf != e.leaf)
		differs(l, "array %u way %u: found %" PRIx64 " %" PRIx64 ", the model's %" PRIx64 " %" PRIx64, array, out->way, out->entry.key, out->entry.leaf, e.key, e.leaf);
}

/* What comes to the L1 TLB, from the L2 TLB or, where that does not have it, from the walk of the model, which is to be filled in there. */
static struct tlb_shim_entry bring(struct lockstep *l, const struct key *k, bool *walks)
{
	struct tlb_shim_entry e = { key_of(k->unit, k), 0 };
	struct tlb_shim_out small = look_up(l, TLB_SHIM_SMALL, k, false), large;

	*walks = false;
	if (small.hit && !occasion(l, k)) {
		hit_compare(l, TLB_SHIM_SMALL, k, &small);
		l->result->count[TLB_SMALL_HITS]++;
		e.leaf = small.entry.leaf;
		return e;
	}
	large = look_up(l, TLB_SHIM_LARGE, k, false);
	if (large.hit && !occasion(l, k)) {
		hit_compare(l, TLB_SHIM_LARGE, k, &large);
		l->result->count[TLB_LARGE_HITS]++;
		e.leaf = large.entry.leaf + ((k->va >> 12 & 511) << 10);
		return e;
	}
	*walks = true;
	l->result->count[TLB_WALKS]++;
	e.leaf = (l->fill.c >> 63) << 63 | l->fill.b >> 12 << 10 | (l->fill.c & 0x3ff);
	return e;
}

/* The fills of a miss, in any order: an invalidation that waits begins with the last. */
static void fills(struct lockstep *l, const struct key *k, struct tlb_shim_entry e, bool walks)
{
	const unsigned behind = e.leaf >> 63 ? TLB_SHIM_LARGE : TLB_SHIM_SMALL, first = (unsigned)random_below(2);
	struct tlb_shim_entry shared = { key_of(behind, k), e.leaf };
	struct tlb_shim_out out;

	if (behind == TLB_SHIM_LARGE)
		shared.leaf -= (k->va >> 12 & 511) << 10;
	for (unsigned i = 0; i < 2; i++) {
		if (l->waits && i == (walks ? 1 : first)) {
			drop_begin(l);
			l->result->count[TLB_DROPPED_WITH_FILL]++;
		}
		if (i == first) {
			out = fill(l, k->unit, k, &e);
			if (out.fill_way != (l->fill.c >> EVENT_TLB_WAY & 3) || out.replaced != mmu_replaced(l->mmu, units[k->unit]))
				differs(l, "L1 TLB %u: the fill takes way %u and overwrites %" PRIx64 ", the model's %u and %" PRIx64, k->unit, out.fill_way, out.replaced,
					(unsigned)(l->fill.c >> EVENT_TLB_WAY & 3), mmu_replaced(l->mmu, units[k->unit]));
		} else if (walks) {
			fill(l, behind, k, &shared);
		}
	}
}

static void look(struct lockstep *l, const struct key *k)
{
	const struct mmu_counters before = *mmu_counters(l->mmu), *after = mmu_counters(l->mmu);
	const unsigned long parity = l->result->count[TLB_PARITY];
	const struct tlb_entry *entry;
	struct tlb_shim_out out;
	bool walks = false, hit;
	uint32_t cycles;

	l->filled = l->walked = false;
	mmu_translate(l->mmu, units[k->unit], k->space, k->va, (enum access)random_below(4), l->now, &entry, &cycles);
	l->result->count[TLB_LOOKUPS]++;
	out = look_up(l, k->unit, k, false);
	hit = out.hit && !occasion(l, k);
	if (hit) {
		hit_compare(l, k->unit, k, &out);
		l->result->count[TLB_HITS]++;
	} else {
		struct tlb_shim_entry e = bring(l, k, &walks);

		if (l->filled)
			fills(l, k, e, walks);
		else if (l->drops_late)
			look_up(l, k->unit, k, true);
		l->drops_late = false;
		l->result->count[TLB_FAULTS] += l->walk_end.c != 0 && walks;
	}
	if (hit == (after->l1_miss != before.l1_miss) || walks != (after->l2_miss != before.l2_miss) || walks != l->walked)
		differs(l, "va %" PRIx64 " space %x: %s, the model's %s", k->va, k->space, hit ? "found" : walks ? "in no array" : "in the L2 TLB",
			after->l1_miss == before.l1_miss ? "found" : after->l2_miss != before.l2_miss ? "in no array" : "in the L2 TLB");
	if (after->parity - before.parity != l->result->count[TLB_PARITY] - parity)
		differs(l, "occasions of parity errors are not the same");
}

static struct key random_key(void)
{
	return (struct key){ .unit = (unsigned)random_below(UNITS),
			     .space = asids[random_below(SPACES)] | (random_below(4) ? 0 : SPACE_PROTECTED),
			     .va = gibs[random_below(GIBS)] << 30 | regions[random_below(REGIONS)] << 21 | random_below(PAGES) << 12 | random_below(4096) };
}

static struct key next_key(struct lockstep *l)
{
	struct key k = random_below(8) < 5 ? l->recent[random_below(RECENT)] : random_key();

	k.unit = (unsigned)random_below(UNITS);
	k.va ^= random_below(4) ? 0 : random_below(8) << 12;
	k.space ^= random_below(16) ? 0 : SPACE_PROTECTED;
	l->recent[random_below(RECENT)] = k;
	return k;
}

/* The arrays that a look-up may have changed hold the same. */
static void looked_compare(struct lockstep *l, const struct key *k)
{
	for (unsigned a = 0; a < TLB_SHIM_ARRAYS; a++)
		if ((a == k->unit || a >= TLB_SHIM_SMALL) && !l->under_way)
			set_compare(l, a, set_of(array_of(l, a), page_of(a, k->va)));
}

static void step_look(struct lockstep *l)
{
	const struct key k = next_key(l);

	look(l, &k);
	if (!l->waits)
		looked_compare(l, &k);
}

/* ---- invalidations and changes ---- */

static void drop(struct lockstep *l, unsigned scope, uint16_t asid, uint64_t va)
{
	bool begun = false;

	drop_end(l);
	l->scope = scope;
	l->asid = asid;
	l->va = va;
	l->result->count[scope == TLB_PAGE ? va >> 47 ? TLB_BEYOND_DROPPED : TLB_PAGE_DROPPED : scope == TLB_SPACE ? TLB_SPACE_DROPPED : TLB_ALL_DROPPED]++;
	if (random_below(2)) { /* begins with the last fill of a translation, if that has one */
		const struct key k = next_key(l);

		l->waits = true;
		look(l, &k);
		begun = !l->waits;
	}
	mmu_invalidate(l->mmu, (enum mmu_scope)scope, asid, va);
	if (!begun)
		drop_begin(l);
	cycle(l, (struct tlb_shim_in){ 0 });
	if (random_below(2))
		arrays_compare(l);
}

static void step_drop(struct lockstep *l)
{
	const struct key *k = &l->recent[random_below(RECENT)];
	const uint64_t va = random_below(16) ? k->va ^ random_below(4) << 12 : k->va | 1ull << (47 + random_below(17));

	drop(l, random_below(6) ? TLB_PAGE : random_below(4) ? TLB_SPACE : random_below(2) ? 3 : TLB_ALL, (uint16_t)k->space, va);
}

static uint64_t random_leaf(bool large)
{
	static const uint64_t rights[] = { PTE_R, PTE_R | PTE_W, PTE_X, PTE_R | PTE_X, PTE_R | PTE_W | PTE_X };
	const uint64_t pa = DRAM_BASE + (large ? random_below(32) << 21 : random_below(16384) << 12);
	const uint64_t bits = PTE_V | PTE_U | rights[random_below(5)] | (random_below(8) ? 0 : PTE_UNCACHED) | (random_below(4) ? 0 : PTE_A | PTE_D);

	return random_below(24) ? pte_make(pa, bits) : 0;
}

/* A leaf changes, or 2 MiB become one page or many; what was valid is invalidated, at once or with a random invalidation. */
static void step_change(struct lockstep *l)
{
	const unsigned s = (unsigned)random_below(SPACES), g = (unsigned)random_below(GIBS), r = (unsigned)random_below(REGIONS);
	struct region *region = &l->region[s][g][r];
	const uint64_t page = random_below(PAGES);

	if (random_below(4))
		region->leaves[page] = random_leaf(false);
	else
		*region->word = random_below(2) ? region->table : random_leaf(true);
	if (random_below(4))
		drop(l, random_below(4) ? TLB_PAGE : TLB_SPACE, asids[s], gibs[g] << 30 | regions[r] << 21 | page << 12);
}

/* CTRL.RESET: CTX_TABLE becomes 0, and is written later. */
static void step_reset(struct lockstep *l)
{
	drop_end(l);
	mmu_set_context_table(l->mmu, 0);
	mmu_set_context_table(l->mmu, l->contexts);
	tlb_shim_reset(l->shim, false);
	l->result->count[TLB_RESETS]++;
	arrays_compare(l);
}

static void step(struct lockstep *l, unsigned n)
{
	const uint64_t kind = random_below(256);

	l->now += 100000;
	if (kind < 12)
		step_drop(l);
	else if (kind < 20)
		step_change(l);
	else if (kind < 24)
		step_parity(l);
	else if (kind == 24 && !random_below(8))
		step_reset(l);
	else
		step_look(l);
	if (n % 256 == 0)
		arrays_compare(l);
}

/* ---- runs ---- */

static void event_take(struct event_sink *sink, const struct event *e)
{
	struct lockstep *l = (struct lockstep *)sink;

	if (e->kind == EVENT_TLB_FILL) {
		l->fill = *e;
		l->filled = true;
	} else if (e->kind == EVENT_WALK_END) {
		l->walk_end = *e;
		l->walked = true;
	}
}

static void region_map(struct lockstep *l, unsigned s, unsigned g, unsigned r)
{
	struct region *region = &l->region[s][g][r];
	const uint64_t va = gibs[g] << 30 | regions[r] << 21;

	region->leaves = table_entry(&l->host, l->contexts, asids[s], va, 0);
	region->word = table_entry(&l->host, l->contexts, asids[s], va, 1);
	region->table = *region->word;
	for (unsigned i = 0; i < PAGES; i++)
		region->leaves[i] = random_leaf(false);
	if (random_below(3) == 0)
		*region->word = random_leaf(true);
}

static void create(struct lockstep *l)
{
	char error[256];
	struct bus_memory sys = host_init(&l->host, false);

	assert_int_equal(device_config_parse(tlb_geometry[l->geometry], &l->config, error, sizeof(error)), 0);
	assert_int_equal(physmem_init(&l->mem, 64 << 20, &sys), 0);
	l->sink.event = event_take;
	inject_init(&l->inject, NULL);
	l->mem.inject = &l->inject;
	l->mem.events = &l->sink;
	l->l2 = l2_create(&l->config, BUS_TIMED);
	l->mmu = mmu_create(&l->config, &l->mem, l->l2);
	l->shim = tlb_shim_create();
	assert_true(l->l2 && l->mmu && l->shim);
	tlb_shim_reset(l->shim, true);
	l->contexts = host_page(&l->host);
	mmu_set_context_table(l->mmu, l->contexts);
	for (unsigned i = 0; i < SPACES * GIBS * REGIONS; i++)
		region_map(l, i / REGIONS / GIBS, i / REGIONS % GIBS, i % REGIONS);
	for (unsigned i = 0; i < RECENT; i++)
		l->recent[i] = random_key();
}

void tlb_lockstep_run(unsigned geometry, uint64_t seed, unsigned steps, struct tlb_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	memset(r, 0, sizeof(*r));
	random_state = seed + geometry;
	l->geometry = geometry;
	l->result = r;
	create(l);
	for (unsigned n = 0; n < steps && !r->text[0]; n++)
		step(l, n);
	if (!r->text[0])
		arrays_compare(l);
	tlb_shim_destroy(l->shim);
	mmu_destroy(l->mmu);
	l2_destroy(l->l2);
	physmem_fini(&l->mem);
	host_fini(&l->host);
	free(l);
}
