#include "testbench/rtl/lds_lockstep.h"
#include "abi/address_map.h"
#include "model/cu/lds.h"
#include "rtl/shim/lds_shim.h"
#include "testbench/random.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

const struct lds_geometry lds_geometry[LDS_GEOMETRIES] = {
	{ "mini, 4 lanes and 4 banks", 4, 4, 4 },
	{ "full, 32 lanes and 32 banks", 32, 32, 32 },
	{ "8 lanes and a bank", 8, 1, 24 },
	{ "16 lanes and 64 banks", 16, 64, 16 },
};
const char *const lds_count_name[LDS_COUNTS] = {
	[LDS_ACCESSES] = "accesses", [LDS_ROUNDS] = "rounds", [LDS_MOST] = "most of one access", [LDS_CONFLICTS] = "conflicts",
	[LDS_FREE] = "accesses without one", [LDS_SHARED] = "words of several lanes", [LDS_MISALIGNED] = "misaligned lanes",
	[LDS_THREE_WORDS] = "in three words", [LDS_SIDE_BY_SIDE] = "accesses side by side", [LDS_AT_END] = "at the end of local memory",
	[LDS_FOLLOWED] = "taken with a last round", [LDS_HELD] = "cycles of rounds held", [LDS_RESETS] = "resets", [LDS_CYCLES] = "cycles",
};

enum { BYTES = 65536, ITEMS = LDS_SHIM_LANES * LDS_SHIM_PARTS, SEGMENT = 3000 };

/* An access: the words of its lanes that are left, as long as it is given out. */
struct gathered {
	struct lds_shim_access in;
	bool left[ITEMS];
	uint32_t word[ITEMS];
	unsigned rounds, conflicts; /* of the model */
};

/* A round as it has to be. */
struct expected {
	bool words[ITEMS], last;
	uint64_t banks;
	uint16_t row[LDS_SHIM_BANKS];
};

struct lockstep {
	uint64_t random;
	const struct lds_geometry *g;
	unsigned geometry, busy, ready; /* out of 16 cycles, those in which an access comes, a round is taken */
	uint32_t all;
	struct lds model;
	struct lds_shim *shim;
	struct gathered offered, now; /* what stands at the input, what is given out */
	bool is_offered, is_now;
	unsigned at; /* the round of now */
	uint64_t segment_ends;
	struct lds_lockstep_result *result;
};

static uint64_t below(struct lockstep *l, uint64_t n) { return splitmix64(&l->random) % n; }

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	struct lds_lockstep_result *r = l->result;
	va_list args;
	int n;

	if (r->text[0])
		return;
	n = snprintf(r->text, sizeof(r->text), "%s, cycle %lu, access %lu: ", l->g->name, r->count[LDS_CYCLES], r->count[LDS_ACCESSES]);
	va_start(args, format);
	vsnprintf(r->text + n, sizeof(r->text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- accesses ---- */

static uint32_t random_mask(struct lockstep *l)
{
	const unsigned what = (unsigned)below(l, 8);
	const uint32_t mask = (what < 4 ? l->all : what < 6 ? (uint32_t)splitmix64(&l->random) : what == 6 ? 1u << below(l, l->g->lanes) :
									(uint32_t)(splitmix64(&l->random) & splitmix64(&l->random))) & l->all;

	return mask ? mask : 1;
}

/* The offsets of all lanes: alike, strided, at random; in any order of lanes, aligned or not. */
static void offsets(struct lockstep *l, struct gathered *a, unsigned size)
{
	static const int strides[] = { 0, 1, 2, 4, 8, 12, 16, 32, 64, 128, 132, 256, 260, 1024, -1, -4, -8, -64, -128 };
	static const unsigned spans[] = { 8, 64, 256, 1024, 4096, BYTES };
	const unsigned pattern = (unsigned)below(l, 8), twist = below(l, 3) ? 0 : (unsigned)below(l, l->g->lanes);
	const int stride = below(l, 2) ? strides[below(l, sizeof(strides) / sizeof(*strides))] : below(l, 3) ? (int)size : (int)(4 * l->g->banks);
	const unsigned span = spans[below(l, sizeof(spans) / sizeof(*spans))], room = BYTES - size + 1;
	unsigned base = (unsigned)below(l, room);

	if (below(l, 2))
		base -= base % size;
	for (unsigned i = 0; i < l->g->lanes; i++) {
		unsigned at = base;

		if (pattern == 1)
			at += (unsigned)below(l, span);
		else if (pattern == 2)
			at += (unsigned)below(l, span) / size * size;
		else if (pattern == 3)
			at = (unsigned)below(l, room) / (4 * l->g->banks) * (4 * l->g->banks) + base % (4 * l->g->banks); /* all in a bank */
		else if (pattern == 4)
			at = room - 1 - i * size % room;
		else
			at += (unsigned)((int)(i ^ twist) * stride);
		a->in.offset[i] = (uint16_t)(at % room);
	}
}

/* The model's short way, where each word from the first to the last is wanted. */
static void side_by_side(struct lockstep *l, const struct gathered *a, unsigned size)
{
	if (a->in.lanes != l->all)
		return;
	for (unsigned i = 1; i < l->g->lanes; i++)
		if (a->in.offset[i] != a->in.offset[0] + i * size)
			return;
	l->model.conflicts = 0;
	lds_range(&l->model, a->in.offset[0], (uint64_t)size * l->g->lanes);
	if (l->model.cycles != a->rounds || l->model.conflicts != a->conflicts)
		differs(l, "side by side the model has %u rounds and %" PRIu64 " conflicts, else %u and %u", l->model.cycles, l->model.conflicts, a->rounds,
			a->conflicts);
	l->result->count[LDS_SIDE_BY_SIDE]++;
}

static void make(struct lockstep *l, struct gathered *a)
{
	const unsigned log = (unsigned)below(l, 4), size = 1u << log;
	uint64_t va[LANES] = { 0 };
	uint32_t words;
	unsigned long *n = l->result->count;

	*a = (struct gathered){ .in.size = log };
	a->in.lanes = random_mask(l);
	offsets(l, a, size);
	for (unsigned i = 0; i < l->g->lanes; i++)
		va[i] = VA_LOCAL_BASE + a->in.offset[i];
	EACH_BIT(i, a->in.lanes) {
		unsigned p = 0;

		for (unsigned word = a->in.offset[i] / 4; word <= (a->in.offset[i] + size - 1) / 4; word++, p++) {
			a->left[i * LDS_SHIM_PARTS + p] = true;
			a->word[i * LDS_SHIM_PARTS + p] = word;
		}
		n[LDS_THREE_WORDS] += p == 3;
		n[LDS_MISALIGNED] += a->in.offset[i] % size != 0;
		n[LDS_AT_END] += a->in.offset[i] + size == BYTES;
	}
	a->rounds = lds_bank_cycles(va, a->in.lanes, size, l->g->banks, &words);
	l->model.conflicts = 0;
	lds_charge(&l->model, a->rounds, words);
	a->conflicts = (unsigned)l->model.conflicts;
	side_by_side(l, a, size);
	n[LDS_ROUNDS] += a->rounds;
	n[LDS_CONFLICTS] += a->conflicts;
	n[LDS_FREE] += !a->conflicts;
	n[LDS_MOST] = a->rounds > n[LDS_MOST] ? a->rounds : n[LDS_MOST];
}

/* ---- a cycle ---- */

/* The next round: each bank has the first of its words that are left, for all lanes that want it. */
static void next_round(struct lockstep *l, struct expected *e)
{
	struct gathered *a = &l->now;

	*e = (struct expected){ .last = true };
	for (unsigned i = 0; i < ITEMS; i++) {
		const unsigned bank = a->word[i] % l->g->banks, row = a->word[i] / l->g->banks;

		if (!a->left[i])
			continue;
		if (!(e->banks >> bank & 1)) {
			e->banks |= 1ull << bank;
			e->row[bank] = (uint16_t)row;
		} else if (e->row[bank] == row) {
			l->result->count[LDS_SHARED]++;
		}
		e->words[i] = e->row[bank] == row;
		e->last &= e->words[i];
	}
}

static void compare(struct lockstep *l, const struct lds_shim_out *out, const struct expected *e, bool ready)
{
	const struct gathered *a = &l->now;

	if (out->round_valid != l->is_now || out->access_ready != ready)
		differs(l, "a round: %d, ready: %d; expected %d and %d", out->round_valid, out->access_ready, l->is_now, ready);
	if (!l->is_now)
		return;
	if (out->last != (l->at == a->rounds - 1))
		differs(l, "round %u is the last: %d, of the model of %u", l->at, out->last, a->rounds);
	if (e->last != (l->at == a->rounds - 1))
		differs(l, "round %u is the last: %d by the manual, of the model of %u", l->at, e->last, a->rounds);
	if (out->last && out->conflicts != a->conflicts)
		differs(l, "%u conflicts, of the model %u", out->conflicts, a->conflicts);
	if (out->banks != e->banks)
		differs(l, "round %u has banks %" PRIx64 " instead of %" PRIx64, l->at, out->banks, e->banks);
	for (unsigned b = 0; b < l->g->banks; b++)
		if (out->row[b] != e->row[b])
			differs(l, "round %u, bank %u has word %u instead of %u", l->at, b, out->row[b], e->row[b]);
	for (unsigned i = 0; i < ITEMS; i++)
		if (out->words[i] != e->words[i])
			differs(l, "round %u, word %u of lane %u: %d instead of %d", l->at, i % LDS_SHIM_PARTS, i / LDS_SHIM_PARTS, out->words[i], e->words[i]);
}

static void segment(struct lockstep *l)
{
	l->busy = 4 + (unsigned)below(l, 13);
	l->ready = below(l, 3) ? 4 + (unsigned)below(l, 13) : 16;
	l->segment_ends = l->result->count[LDS_CYCLES] + 1 + below(l, SEGMENT);
	if (below(l, 2))
		return;
	lds_shim_reset(l->shim);
	l->is_now = false;
	l->result->count[LDS_RESETS]++;
}

static void cycle(struct lockstep *l)
{
	unsigned long *n = l->result->count;
	struct lds_shim_in in = { .geometry = l->geometry };
	struct lds_shim_out out;
	struct expected e = { .last = true };
	bool ready;

	if (n[LDS_CYCLES] >= l->segment_ends)
		segment(l);
	if (!l->is_offered && below(l, 16) < l->busy) {
		l->is_offered = true;
		make(l, &l->offered);
	}
	in.access = l->is_offered ? &l->offered.in : NULL;
	in.round_ready = below(l, 16) < l->ready;
	lds_shim_step(l->shim, &in, &out);
	if (l->is_now)
		next_round(l, &e);
	ready = !l->is_now || (e.last && in.round_ready);
	compare(l, &out, &e, ready);
	n[LDS_HELD] += l->is_now && !in.round_ready;
	n[LDS_FOLLOWED] += l->is_now && ready && l->is_offered;
	if (l->is_now && in.round_ready) {
		for (unsigned i = 0; i < ITEMS; i++)
			l->now.left[i] &= !e.words[i];
		l->at++;
		l->is_now = !e.last;
	}
	if (l->is_offered && ready) {
		l->now = l->offered;
		l->is_offered = false;
		l->at = 0;
		l->is_now = true;
		n[LDS_ACCESSES]++;
	}
	n[LDS_CYCLES]++;
}

void lds_lockstep_run(unsigned geometry, uint64_t seed, unsigned long accesses, struct lds_lockstep_result *r)
{
	struct lockstep *l = aligned_alloc(_Alignof(struct lockstep), sizeof(*l));
	struct device_config config;

	assert_non_null(l);
	memset(l, 0, sizeof(*l));
	*r = (struct lds_lockstep_result){ 0 };
	l->random = seed + geometry;
	l->g = &lds_geometry[geometry];
	l->geometry = geometry;
	l->result = r;
	if (geometry < 2) {
		config = *device_config_find(geometry ? "full" : "mini");
		assert_int_equal(config.lanes, l->g->lanes);
		assert_int_equal(config.lds_banks, l->g->banks);
		assert_int_equal(config.lds_bytes, BYTES);
	}
	l->all = ALL_LANES >> (LANES - l->g->lanes);
	config = *device_config_find("mini");
	config.lds_banks = l->g->banks;
	assert_true(lds_init(&l->model, &config));
	l->shim = lds_shim_create();
	assert_non_null(l->shim);
	lds_shim_reset(l->shim);
	segment(l);
	while (r->count[LDS_ACCESSES] < accesses && !r->text[0])
		cycle(l);
	lds_shim_destroy(l->shim);
	lds_fini(&l->model);
	free(l);
}
