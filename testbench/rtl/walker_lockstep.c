#include "testbench/rtl/walker_lockstep.h"
#include "model/mmu/mmu.h"
#include "model/mmu/walker.h"
#include "rtl/shim/walker_shim.h"
#include "testbench/model/fixture.h"
#include <inttypes.h>

enum { SPACES = 4, ROOTS = 3, GIBS = 3, REGIONS = 3, PAGES = 4, WORDS = SPACES * (1 + ROOTS * (1 + GIBS * (1 + REGIONS * (1 + PAGES)))), BATCH = 12,
       READS_MOST = PT_LEVELS + 1, CYCLES_MOST = 20000 };

const char *const walker_geometry[WALKER_GEOMETRIES] = { "mini", "full", "mini,mmu_walkers=1,line_bytes=32" };
const char *const walker_count_name[WALKER_COUNTS] = {
	"walks", "side by side", "words", "of kept lines", "leaves of 4 KiB", "leaves of 2 MiB", "not present", "bad tables", "words that cannot be read",
	"memory errors", "walk errors", "invalidations", "invalidations under way", "cycles",
};

/* A word of a table. */
struct word {
	uint64_t *at, good;
	unsigned level; /* PT_LEVELS: of the address space */
};

/* What the model has made of a walk, and how far the RTL has come with it. */
struct walk {
	uint32_t space;
	uint64_t va, leaf;
	enum fault fault;
	unsigned level, number, reads, seen;
	struct event read[READS_MOST]; /* of words that were there */
	unsigned events;
	bool injected, ended;
	/* or an invalidation in its place */
	bool drop, all;
	uint16_t asid;
};

struct answer {
	bool valid;
	uint64_t due;
	unsigned number;
	struct walker_shim_in in;
};

struct lockstep {
	struct event_sink sink; /* first member */
	struct walk *now_walking;
	struct host host;
	struct physmem mem;
	struct inject inject;
	struct device_config config;
	struct l2 *l2;
	struct walker walker;
	struct walker_shim *shim;
	struct walker_lockstep_result *result;
	unsigned geometry;
	uint64_t contexts, now, cycle, next_dram, unpinned;
	struct word word[WORDS];
	unsigned words;
	bool alone;
	struct walk batch[BATCH];
	unsigned length;
	int of_walker[16]; /* walk of the batch, -1: none */
	struct answer answer[16];
};

static const uint16_t asids[SPACES] = { 1, 2, 17, 300 };
static const uint64_t roots[ROOTS] = { 0, 1, 255 }, gibs[GIBS] = { 0, 1, 32 }, regions[REGIONS] = { 0, 1, 32 };

__attribute__((format(printf, 3, 4))) static void differs(struct lockstep *l, const struct walk *k, const char *format, ...)
{
	char *text = l->result->text;
	va_list args;
	int n;

	if (text[0])
		return;
	n = snprintf(text, sizeof(l->result->text), "%s, walk %lu%s of %" PRIx64 " space %x: ", walker_geometry[l->geometry], l->result->count[WALKER_WALKS],
		     l->alone ? "" : " of some", k ? k->va : 0, k ? k->space : 0);
	va_start(args, format);
	vsnprintf(text + n, sizeof(l->result->text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- memory ---- */

static uint64_t *memory_word(struct lockstep *l, uint64_t pa)
{
	if (pa - DRAM_BASE < l->mem.dram_size)
		return (uint64_t *)(void *)(l->mem.dram + (pa - DRAM_BASE));
	if (pa < SYSTEM_BASE || !host_allows(&l->host, pa - SYSTEM_BASE, 8, false))
		return NULL;
	return host_at(&l->host, pa);
}

static void word_add(struct lockstep *l, uint64_t *at, unsigned level)
{
	assert_true(l->words < WORDS);
	l->word[l->words++] = (struct word){ at, *at, level };
}

/* Page tables of pages in every corner, some of them in DRAM. */
static void space_map(struct lockstep *l, uint16_t asid)
{
	uint64_t *word;

	for (unsigned r = 0; r < ROOTS; r++)
		for (unsigned g = 0; g < GIBS; g++)
			for (unsigned m = 0; m < REGIONS; m++) {
				const uint64_t va = roots[r] << 39 | gibs[g] << 30 | regions[m] << 21;

				for (unsigned p = 0; p < PAGES; p++)
					table_map(&l->host, l->contexts, asid, va | p * 5ull << 12, DRAM_BASE + (random_below(8192) << 12), PTE_RW);
				word = table_entry(&l->host, l->contexts, asid, va, 1);
				if (random_below(2)) {
					memcpy(l->mem.dram + l->next_dram, host_at(&l->host, pte_address(*word)), 4096);
					*word = pte_make(DRAM_BASE + l->next_dram, PTE_V);
					l->next_dram += 4096;
				}
				word_add(l, word, 1);
				for (unsigned p = 0; p < PAGES; p++)
					word_add(l, memory_word(l, pte_address(*word) + p * 40), 0);
				if (m == 0)
					word_add(l, table_entry(&l->host, l->contexts, asid, va, 2), 2);
				if (m == 0 && g == 0)
					word_add(l, table_entry(&l->host, l->contexts, asid, va, 3), 3);
			}
	word_add(l, table_word(&l->host, l->contexts, asid), PT_LEVELS);
}

/* A word becomes what it was at first, or any that ends a walk. */
static uint64_t random_word(const struct word *w)
{
	const uint64_t pa = DRAM_BASE + (random_below(8) << 21), nowhere = (SYSTEM_BASE + HOST_PAGES * 4096ull) + (random_below(16) << 12);

	if (w->level == PT_LEVELS)
		return random_below(3) == 0 ? w->good & ~1ull : random_below(2) ? nowhere | 1 : w->good | random_below(2048) << 1;
	switch (random_below(9)) {
	case 0: return w->good & ~PTE_V;
	case 1: return w->good | 1ull << (54 + random_below(10));
	case 2: return pte_make(pa, PTE_V | PTE_U | PTE_W | (random_below(2) ? PTE_X : 0));
	case 3: return pte_make(pa, PTE_V);
	case 4: return pte_make(nowhere, PTE_V);
	case 5: return pte_make(pa, PTE_RW);
	case 6: return pte_make(pa | 1ull << (12 + random_below(9)), PTE_RW);
	case 7: return pte_make(pa, PTE_V | PTE_U | PTE_X | random_below(4) << 8);
	default: return random_next() & ~PTE_PPN;
	}
}

static void step_change(struct lockstep *l)
{
	struct word *w = &l->word[random_below(l->words)];

	*w->at = *w->at == w->good || random_below(4) ? random_word(w) : w->good;
	for (unsigned i = 0; i < 8; i++) {
		w = &l->word[random_below(l->words)];
		*w->at = w->good;
	}
}

/* The page of a table is not pinned for a while. */
static void step_pin(struct lockstep *l)
{
	if (l->unpinned)
		host_pin(&l->host, l->unpinned, HOST_WRITE);
	l->unpinned = random_below(2) ? 0 : 1 + random_below(l->host.next - 1);
	if (l->unpinned)
		host_pin(&l->host, l->unpinned, HOST_UNPINNED);
}

/* ---- the model ---- */

static void event_take(struct event_sink *sink, const struct event *e)
{
	struct lockstep *l = (struct lockstep *)sink;
	struct walk *k = l->now_walking;

	if (e->kind == EVENT_WALK)
		k->number = (unsigned)e->b;
	else if (e->kind == EVENT_WALK_READ && k->events < READS_MOST)
		k->read[k->events++] = *e;
}

static void model_walk(struct lockstep *l, struct walk *k)
{
	const uint64_t reads = l->walker.reads;
	const uint32_t happened = l->inject.happened;
	uint64_t now = l->now;

	*k = (struct walk){ .space = asids[random_below(SPACES)] | (random_below(4) ? 0 : SPACE_PROTECTED),
			    .va = roots[random_below(ROOTS)] << 39 | gibs[random_below(GIBS)] << 30 | regions[random_below(REGIONS)] << 21 |
				  random_below(PAGES) * 5 << 12 };
	if (l->alone && !random_below(16))
		inject_arm(&l->inject, random_below(2) ? INJECT_WALK_ERROR : INJECT_ECC_DOUBLE, (uint32_t)random_below(4), INJECT_ANY_UNIT, 0, now);
	l->now_walking = k;
	k->fault = walker_walk(&l->walker, UNIT_CU, k->space, k->va, &k->leaf, &k->level, &now);
	k->reads = (unsigned)(l->walker.reads - reads);
	k->injected = l->inject.happened != happened && k->events == k->reads; /* otherwise it was a memory error */
	l->now += 1000000;
}

static void model_drop(struct lockstep *l, struct walk *k)
{
	*k = (struct walk){ .drop = true, .all = !random_below(4), .asid = asids[random_below(SPACES)] };
	if (k->all)
		walker_drop_all(&l->walker);
	else
		walker_drop_space(&l->walker, k->asid);
}

/* ---- cycles ---- */

static enum walker_shim_end end_of(enum fault f)
{
	return f == FAULT_NONE ? WALKER_SHIM_OK : f == FAULT_PAGE_NOT_PRESENT ? WALKER_SHIM_NOT_PRESENT : f == FAULT_ECC ? WALKER_SHIM_ECC : WALKER_SHIM_TABLE;
}

static struct walk *walk_of(struct lockstep *l, unsigned number)
{
	return number < 16 && l->of_walker[number] >= 0 ? &l->batch[l->of_walker[number]] : NULL;
}

/* A read: what the model has read at this place, and when and how it is answered. */
static void read_take(struct lockstep *l, const struct walker_shim_out *out)
{
	struct walk *k = walk_of(l, out->read_number);
	struct answer *a = &l->answer[out->read_number & 15];
	const struct event *e;

	if (!k || k->seen >= k->reads || a->valid) {
		differs(l, k, "a read more, of %" PRIx64, out->read_address);
		return;
	}
	l->result->count[WALKER_READS]++;
	l->result->count[WALKER_KEPT] += out->read_kept;
	e = k->seen < k->events ? &k->read[k->seen] : NULL;
	*a = (struct answer){ .valid = true, .number = out->read_number, .due = l->cycle + (out->read_kept || random_below(4) == 0 ? 1 : 1 + random_below(24)) };
	if (!e) {
		a->in.word_fault = k->fault == FAULT_ECC ? WALKER_SHIM_ECC : WALKER_SHIM_TABLE;
		a->in.word = random_next();
		if (k->fault != FAULT_ECC && memory_word(l, out->read_address))
			differs(l, k, "read %u is of %" PRIx64 ", which the model has not read", k->seen, out->read_address);
		l->result->count[k->fault == FAULT_ECC ? WALKER_ECC : WALKER_UNREADABLE]++;
	} else {
		a->in.word = *memory_word(l, e->a);
		if (out->read_address != e->a || out->read_level != e->c)
			differs(l, k, "read %u is of %" PRIx64 ", level %u, the model's of %" PRIx64 ", level %u", k->seen, out->read_address, out->read_level, e->a,
				(unsigned)e->c);
		if (l->alone && out->read_kept != (e->cycle == (k->seen ? k->read[k->seen - 1].cycle : l->now - 1000000)))
			differs(l, k, "read %u: the line is %s", k->seen, out->read_kept ? "kept" : "not kept");
	}
	a->in.word_error = k->injected && k->seen + 1 == k->reads;
	k->seen++;
}

static void end_take(struct lockstep *l, const struct walker_shim_out *out)
{
	struct walk *k = walk_of(l, out->end_number);

	if (!k || k->ended) {
		differs(l, k, "walker %u ends no walk", out->end_number);
		return;
	}
	if (k->seen != k->reads || out->end_fault != end_of(k->fault))
		differs(l, k, "ends after %u reads with %d, the model's after %u with %d", k->seen, out->end_fault, k->reads, end_of(k->fault));
	else if (!k->fault && (out->end_leaf != k->leaf || out->end_large != (k->level == 1)))
		differs(l, k, "leaf %" PRIx64 ", of 2 MiB: %d, the model's %" PRIx64 " of level %u", out->end_leaf, out->end_large, k->leaf, k->level);
	l->result->count[k->injected ? WALKER_INJECTED : k->fault == FAULT_PAGE_NOT_PRESENT ? WALKER_NOT_PRESENT : k->fault ? WALKER_TABLE : k->level ? WALKER_LARGE : WALKER_SMALL]++;
	k->ended = true;
	l->of_walker[out->end_number] = -1;
}

static bool under_way(const struct lockstep *l)
{
	for (unsigned i = 0; i < 16; i++)
		if (l->of_walker[i] >= 0)
			return true;
	return false;
}

/* One cycle, in which the walk or invalidation at *at may begin. */
static void cycle(struct lockstep *l, unsigned *at)
{
	struct walker_shim_in in = { .geometry = l->geometry };
	struct walk *k = *at < l->length && random_below(4) ? &l->batch[*at] : NULL;
	struct walker_shim_out out;

	for (unsigned i = 0; i < 16; i++)
		if (l->answer[i].valid && l->answer[i].due <= l->cycle) {
			in = l->answer[i].in;
			in.geometry = l->geometry;
			in.word_valid = true;
			in.word_number = i;
			l->answer[i].valid = false;
			break;
		}
	in.context_table = l->contexts;
	in.read_ready = random_below(4) != 0;
	if (k) {
		in.walk = !k->drop;
		in.space = k->space;
		in.va = k->va;
		in.drop = k->drop;
		in.drop_all = k->all;
		in.asid = k->asid;
	}
	out = walker_shim_step(l->shim, &in);
	if (out.end_valid)
		end_take(l, &out);
	if (out.read_valid && in.read_ready)
		read_take(l, &out);
	if (k && (k->drop || out.walk_ready)) {
		l->result->count[k->drop ? under_way(l) ? WALKER_DROPPED_UNDER_WAY : WALKER_DROPPED : under_way(l) ? WALKER_SIDE_BY_SIDE : WALKER_WALKS]++;
		if (!k->drop) {
			if (l->alone && out.walk_number != k->number)
				differs(l, k, "walker %u takes it, the model's walker %u", out.walk_number, k->number);
			l->of_walker[out.walk_number & 15] = (int)*at;
		}
		++*at;
	}
	l->cycle++;
	l->result->count[WALKER_CYCLES]++;
}

static void step_batch(struct lockstep *l)
{
	const uint64_t begun = l->cycle;
	unsigned at = 0;

	l->length = l->alone ? 1 : 2 + (unsigned)random_below(BATCH - 1);
	for (unsigned i = 0; i < l->length; i++) {
		if (random_below(16))
			model_walk(l, &l->batch[i]);
		else
			model_drop(l, &l->batch[i]);
	}
	while ((at < l->length || under_way(l)) && !l->result->text[0]) {
		cycle(l, &at);
		if (l->cycle - begun > CYCLES_MOST)
			differs(l, NULL, "no end after %u cycles", CYCLES_MOST);
	}
}

/* ---- runs ---- */

static void create(struct lockstep *l)
{
	char error[256];
	struct bus_memory sys = host_init(&l->host, false);

	assert_int_equal(device_config_parse(walker_geometry[l->geometry], &l->config, error, sizeof(error)), 0);
	assert_int_equal(physmem_init(&l->mem, 64 << 20, &sys), 0);
	l->sink.event = event_take;
	inject_init(&l->inject, NULL);
	l->mem.inject = &l->inject;
	l->mem.events = &l->sink;
	l->l2 = l2_create(&l->config, BUS_TIMED);
	l->shim = walker_shim_create();
	assert_true(l->l2 && l->shim);
	walker_shim_reset(l->shim);
	walker_init(&l->walker, &l->config, &l->mem, l->l2);
	l->next_dram = 32 << 20;
	l->now = 1000000;
	l->contexts = host_page(&l->host);
	l->walker.context_table = l->contexts;
	for (unsigned s = 0; s < SPACES; s++)
		space_map(l, asids[s]);
	for (unsigned i = 0; i < 16; i++)
		l->of_walker[i] = -1;
}

void walker_lockstep_run(unsigned geometry, uint64_t seed, unsigned steps, struct walker_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	memset(r, 0, sizeof(*r));
	random_state = seed + geometry;
	l->geometry = geometry;
	l->result = r;
	create(l);
	for (unsigned n = 0; n < steps && !r->text[0]; n++) {
		l->alone = n < steps / 2;
		if (!random_below(3))
			step_change(l);
		if (!random_below(8))
			step_pin(l);
		step_batch(l);
	}
	walker_shim_destroy(l->shim);
	l2_destroy(l->l2);
	physmem_fini(&l->mem);
	host_fini(&l->host);
	free(l);
}
