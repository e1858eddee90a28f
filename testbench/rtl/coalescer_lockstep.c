#include "testbench/rtl/coalescer_lockstep.h"
#include "model/cu/lsu.h"
#include "rtl/shim/coalescer_shim.h"
#include "testbench/random.h"
#include <inttypes.h>
#include <string.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

const struct coalescer_geometry coalescer_geometry[COALESCER_GEOMETRIES] = {
	{ "mini, 4 lanes and lines of 64 bytes", 4, 64, 8 },
	{ "full, 32 lanes and lines of 128 bytes", 32, 128, 96 },
	{ "8 lanes and lines of 32 bytes", 8, 32, 24 },
};
const char *const coalescer_count_name[COALESCER_COUNTS] = {
	[COALESCER_ACCESSES] = "accesses", [COALESCER_EMPTY] = "without a line", [COALESCER_LINES] = "lines", [COALESCER_MOST] = "most of one access",
	[COALESCER_CROSS_LINE] = "lanes across lines", [COALESCER_CROSS_PAGE] = "across pages", [COALESCER_PRIVATE] = "in private memory",
	[COALESCER_THREE_WORDS] = "in three words", [COALESCER_MIXED] = "accesses of both", [COALESCER_ALIASED] = "lines of two pages",
	[COALESCER_BACK] = "lines again after others", [COALESCER_WHOLE] = "stores of whole lines", [COALESCER_ONE_PAGE] = "in one page",
	[COALESCER_FOLLOWED] = "taken with a last line", [COALESCER_HELD] = "cycles of lines held", [COALESCER_RESETS] = "resets",
	[COALESCER_CYCLES] = "cycles",
};

enum { PAGES = 16, PRIVATE_BYTES = 512, MAX_LINES = 96, SEGMENT = 3000 };
#define VA_BASE 0x12340000ull
#define VA_SPAN ((uint64_t)PAGES * GALENA_PAGE_SIZE)

/* A line of an access, and what lies in it. */
struct line {
	uint64_t number, page; /* page: virtual, of the byte that touched it first */
	uint32_t lanes;
	uint64_t bytes[COALESCER_SHIM_LINE / 64];
};

/* An access as the load-store unit has it, and its lines. */
struct gathered {
	struct coalescer_shim_access in;
	uint64_t va[LANES]; /* in private memory the offset in the window */
	struct line line[MAX_LINES];
	unsigned lines, store_bytes;
};

struct lockstep {
	uint64_t random, frame[PAGES]; /* physical page numbers of virtual ones */
	const struct coalescer_geometry *g;
	unsigned geometry, busy, ready; /* out of 16 cycles, those in which an access comes, a line is taken */
	uint32_t all;
	struct cu *cu; /* its coalescer and configuration */
	struct warp warp;
	struct coalescer_shim *shim;
	struct gathered offered, now; /* what stands at the input, what is given out */
	bool is_offered, is_now;
	unsigned at; /* the line of now */
	uint64_t segment_ends;
	struct coalescer_lockstep_result *result;
};

static uint64_t below(struct lockstep *l, uint64_t n) { return splitmix64(&l->random) % n; }

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	struct coalescer_lockstep_result *r = l->result;
	va_list args;
	int n;

	if (r->text[0])
		return;
	n = snprintf(r->text, sizeof(r->text), "%s, cycle %lu, access %lu: ", l->g->name, r->count[COALESCER_CYCLES], r->count[COALESCER_ACCESSES]);
	va_start(args, format);
	vsnprintf(r->text + n, sizeof(r->text) - (size_t)n, format, args);
	va_end(args);
}

static uint64_t physical(const struct lockstep *l, uint64_t va)
{
	return l->frame[(va - VA_BASE) / GALENA_PAGE_SIZE % PAGES] * GALENA_PAGE_SIZE + va % GALENA_PAGE_SIZE;
}

/* ---- accesses ---- */

/* Pages, of which some are the same; where private memory lies; how often accesses come and lines go. */
static void segment(struct lockstep *l)
{
	for (unsigned i = 0; i < PAGES; i++)
		l->frame[i] = below(l, 3) || !i ? below(l, 1ull << 44) : below(l, 4) ? l->frame[below(l, i)] : l->frame[i - 1] ^ 1ull << below(l, 44);
	l->warp.private_va = VA_BASE + below(l, VA_SPAN - (uint64_t)PRIVATE_BYTES * l->g->lanes) / 16 * 16;
	l->busy = 4 + (unsigned)below(l, 13);
	l->ready = below(l, 3) ? 4 + (unsigned)below(l, 13) : 16;
	l->segment_ends = l->result->count[COALESCER_CYCLES] + 1 + below(l, SEGMENT);
}

/* The addresses of all lanes: alike, strided, at random; in or about one place, in any order of lanes. */
static void addresses(struct lockstep *l, struct gathered *a, unsigned size)
{
	static const int64_t strides[] = { 0, 1, 2, 4, 8, 12, 16, 32, 64, 128, 132, 256, 4096, 4100, -1, -4, -8, -64, -128 };
	static const uint64_t spans[] = { 8, 64, 256, 1024, 4096, 16384, VA_SPAN };
	const unsigned pattern = (unsigned)below(l, 8), twist = below(l, 3) ? 0 : (unsigned)below(l, l->g->lanes);
	const int64_t stride = below(l, 3) ? strides[below(l, sizeof(strides) / sizeof(*strides))] : (int64_t)size;
	const uint64_t span = spans[below(l, sizeof(spans) / sizeof(*spans))];
	const uint64_t border = below(l, 2) ? GALENA_PAGE_SIZE : l->g->line_bytes;
	uint64_t base = below(l, VA_SPAN);

	if (!below(l, 3)) /* about the border of a line or a page */
		base = base / border * border - 1 - below(l, 8);
	else if (below(l, 2))
		base -= base % size;
	for (unsigned i = 0; i < l->g->lanes; i++) {
		uint64_t at = base;

		if (pattern == 1)
			at += below(l, span);
		else if (pattern == 2)
			at += below(l, span) / size * size;
		else if (pattern == 3) /* each at a border */
			at = below(l, VA_SPAN / l->g->line_bytes) * l->g->line_bytes - 1 - below(l, size);
		else
			at += (uint64_t)((int64_t)(i ^ twist) * stride);
		a->va[i] = VA_BASE + at % (VA_SPAN - GALENA_PAGE_SIZE);
	}
}

/* Some lanes are in private memory, or all are. */
static void private_addresses(struct lockstep *l, struct gathered *a, unsigned size)
{
	const unsigned pattern = (unsigned)below(l, 4), skew = (unsigned)below(l, 4), spread = (PRIVATE_BYTES - 11) / l->g->lanes;
	const uint64_t base = below(l, PRIVATE_BYTES - 7);

	a->in.in_private = (below(l, 2) ? l->all : (uint32_t)splitmix64(&l->random)) & a->in.memory;
	EACH_BIT(i, a->in.in_private)
		a->va[i] = pattern == 0 ? base : pattern == 1 ? below(l, PRIVATE_BYTES - 7) : pattern == 2 ? i * size % (PRIVATE_BYTES - 7) : i * spread / 4 * 4 + skew;
}

static uint32_t random_mask(struct lockstep *l)
{
	const unsigned what = (unsigned)below(l, 8);

	return (what < 4 ? l->all : what < 6 ? (uint32_t)splitmix64(&l->random) : what == 6 ? 1u << below(l, l->g->lanes) :
							(uint32_t)(splitmix64(&l->random) & splitmix64(&l->random))) & l->all;
}

/* Byte b of a lane's access. */
static uint64_t byte_address(const struct lockstep *l, const struct gathered *a, unsigned lane, unsigned b)
{
	const uint64_t o = a->va[lane] + b;

	return a->in.in_private >> lane & 1 ? l->warp.private_va + (o / 4 * l->g->lanes + lane) * 4 + o % 4 : o;
}

static void touch(struct lockstep *l, struct gathered *a, unsigned lane, uint64_t va)
{
	const uint64_t pa = physical(l, va), number = pa / l->g->line_bytes, byte = pa % l->g->line_bytes, page = va / GALENA_PAGE_SIZE;
	unsigned i = 0;

	while (i < a->lines && a->line[i].number != number)
		i++;
	if (i == a->lines)
		a->line[a->lines++] = (struct line){ .number = number, .page = page };
	else if (a->line[i].page != page)
		l->result->count[COALESCER_ALIASED]++;
	l->result->count[COALESCER_BACK] += i + 1 < a->lines && !(a->line[i].lanes >> lane & 1);
	a->line[i].lanes |= 1u << lane;
	a->line[i].bytes[byte / 64] |= 1ull << byte % 64;
}

/* The parts of a lane's access, as the load-store unit hands them to the model's coalescer. */
static void model_lane(struct lockstep *l, const struct gathered *a, unsigned lane, unsigned size)
{
	struct coalescer *c = &l->cu->coalescer;
	const uint64_t va = a->va[lane];

	if (a->in.in_private >> lane & 1) {
		unsigned words = 0;

		for (uint64_t o = va, end = va + size, n; o < end; o += n, words++) {
			n = 4 - (o & 3) < end - o ? 4 - (o & 3) : end - o;
			coalescer_range(c, physical(l, private_address(&l->warp, lane, o)), n);
		}
		l->result->count[COALESCER_PRIVATE]++;
		l->result->count[COALESCER_THREE_WORDS] += words == 3;
		return;
	}
	const uint64_t room = GALENA_PAGE_SIZE - va % GALENA_PAGE_SIZE, first = room < size ? room : size;

	coalescer_range(c, physical(l, va), first);
	if (first < size)
		coalescer_range(c, physical(l, va + first), size - first);
	l->result->count[COALESCER_CROSS_PAGE] += first < size;
	l->result->count[COALESCER_CROSS_LINE] += first == size && physical(l, va) / l->g->line_bytes != physical(l, va + size - 1) / l->g->line_bytes;
}

static void model_agrees(struct lockstep *l, const struct gathered *a, const char *what)
{
	struct coalescer *c = &l->cu->coalescer;

	if (c->num_lines != a->lines)
		differs(l, "%s %u lines, the manual %u", what, c->num_lines, a->lines);
	for (unsigned i = 0; i < a->lines && i < c->num_lines; i++)
		if (c->lines[i] != a->line[i].number)
			differs(l, "%s line %u is %" PRIx64 ", by the manual %" PRIx64, what, i, c->lines[i], a->line[i].number);
	coalescer_clear(c);
}

/* The model's shorter way, where all lanes are in one page and none crosses a line. */
static void model_page(struct lockstep *l, const struct gathered *a, unsigned size)
{
	uint64_t page = 0, before = 0;
	uint32_t changes = 0;

	if (l->cu->coalescer.line_shift < PAGE_BITS_SHIFT || a->in.in_private || !a->in.memory)
		return;
	EACH_BIT(i, a->in.memory) {
		const uint64_t line = a->va[i] / l->g->line_bytes;

		if (line != (a->va[i] + size - 1) / l->g->line_bytes || (page && a->va[i] / GALENA_PAGE_SIZE != page))
			return;
		page = a->va[i] / GALENA_PAGE_SIZE;
		changes |= (uint32_t)(line != before) << i;
		before = line;
	}
	coalescer_page(&l->cu->coalescer, physical(l, page * GALENA_PAGE_SIZE), a->va, changes);
	model_agrees(l, a, "the model's page has");
}

static void make(struct lockstep *l, struct gathered *a)
{
	const unsigned log = (unsigned)below(l, 4), size = 1u << log;
	unsigned long *n = l->result->count;

	*a = (struct gathered){ .in.size = log };
	a->in.running = random_mask(l);
	if (!a->in.running)
		a->in.running = 1;
	a->in.memory = a->in.running & (below(l, 6) ? l->all : random_mask(l));
	addresses(l, a, size);
	if (!below(l, 3))
		private_addresses(l, a, size);
	n[COALESCER_ONE_PAGE] += a->in.memory && !a->in.in_private && (a->va[0] ^ a->va[l->g->lanes - 1]) < GALENA_PAGE_SIZE;
	n[COALESCER_MIXED] += a->in.in_private && a->in.in_private != a->in.memory;
	EACH_BIT(i, a->in.memory) {
		for (unsigned b = 0; b < size; b++)
			touch(l, a, i, byte_address(l, a, i, b));
		model_lane(l, a, i, size);
	}
	model_agrees(l, a, "the model has");
	model_page(l, a, size);
	for (unsigned i = 0; i < l->g->lanes; i++) { /* lanes that do not run have any address */
		const uint64_t va = byte_address(l, a, i, 0);

		a->in.place[i] = a->in.memory >> i & 1 ? physical(l, va) : below(l, 2) ? physical(l, a->va[0]) : splitmix64(&l->random) >> 8;
		a->in.next[i] = physical(l, (va / GALENA_PAGE_SIZE + 1) * GALENA_PAGE_SIZE);
	}
	if (a->lines) {
		const unsigned all = (unsigned)__builtin_popcount(a->in.running) * size, each = (all + a->lines - 1) / a->lines;

		a->store_bytes = each < l->g->line_bytes ? each : l->g->line_bytes;
		n[COALESCER_WHOLE] += a->store_bytes == l->g->line_bytes;
	}
	n[COALESCER_EMPTY] += !a->lines;
	n[COALESCER_LINES] += a->lines;
	n[COALESCER_MOST] = a->lines > n[COALESCER_MOST] ? a->lines : n[COALESCER_MOST];
}

/* ---- a cycle ---- */

static void compare(struct lockstep *l, const struct coalescer_shim_out *out, bool ready)
{
	const struct gathered *a = &l->now;
	const struct line *line = &a->line[l->at];

	if (out->line_valid != l->is_now || out->access_ready != ready)
		differs(l, "a line: %d, ready: %d; expected %d and %d", out->line_valid, out->access_ready, l->is_now, ready);
	if (!l->is_now)
		return;
	if (out->address != line->number * l->g->line_bytes)
		differs(l, "line %u of %u is at %" PRIx64 ", of the model at %" PRIx64, l->at, a->lines, out->address, line->number * l->g->line_bytes);
	if (out->last != (l->at == a->lines - 1) || out->lines != a->lines)
		differs(l, "line %u is the last: %d, of %u, of the model of %u", l->at, out->last, out->lines, a->lines);
	if (out->lanes != line->lanes)
		differs(l, "line %u has lanes %08x instead of %08x", l->at, out->lanes, line->lanes);
	for (unsigned i = 0; i < COALESCER_SHIM_LINE / 64; i++)
		if (out->bytes[i] != line->bytes[i])
			differs(l, "line %u, bytes from %u on: %016" PRIx64 " instead of %016" PRIx64, l->at, 64 * i, out->bytes[i], line->bytes[i]);
	if (out->store_bytes != a->store_bytes)
		differs(l, "a store has %u bytes a line instead of %u", out->store_bytes, a->store_bytes);
}

static void cycle(struct lockstep *l)
{
	unsigned long *n = l->result->count;
	struct coalescer_shim_in in = { .geometry = l->geometry };
	struct coalescer_shim_out out;
	bool ready;

	if (n[COALESCER_CYCLES] >= l->segment_ends) {
		segment(l);
		if (!below(l, 2)) {
			coalescer_shim_reset(l->shim);
			l->is_now = false;
			n[COALESCER_RESETS]++;
		}
	}
	if (!l->is_offered && below(l, 16) < l->busy) {
		l->is_offered = true;
		make(l, &l->offered);
	}
	in.access = l->is_offered ? &l->offered.in : NULL;
	in.line_ready = below(l, 16) < l->ready;
	coalescer_shim_step(l->shim, &in, &out);
	ready = !l->is_now || (l->at == l->now.lines - 1 && in.line_ready);
	compare(l, &out, ready);
	n[COALESCER_HELD] += l->is_now && !in.line_ready;
	n[COALESCER_FOLLOWED] += l->is_now && ready && l->is_offered;
	if (l->is_now && in.line_ready && ++l->at == l->now.lines)
		l->is_now = false;
	if (l->is_offered && ready) {
		l->now = l->offered;
		l->is_offered = false;
		l->at = 0;
		l->is_now = l->now.lines != 0;
		n[COALESCER_ACCESSES]++;
	}
	n[COALESCER_CYCLES]++;
}

void coalescer_lockstep_run(unsigned geometry, uint64_t seed, unsigned long accesses, struct coalescer_lockstep_result *r)
{
	struct lockstep *l = aligned_alloc(_Alignof(struct lockstep), sizeof(*l));
	struct device_config config = *device_config_find(geometry ? "full" : "mini");

	assert_non_null(l);
	*r = (struct coalescer_lockstep_result){ 0 };
	*l = (struct lockstep){ .random = seed + geometry, .g = &coalescer_geometry[geometry], .geometry = geometry, .result = r };
	if (geometry == 2) {
		config.lanes = l->g->lanes;
		config.line_bytes = l->g->line_bytes;
	}
	assert_int_equal(config.lanes, l->g->lanes);
	assert_int_equal(config.line_bytes, l->g->line_bytes);
	l->all = ALL_LANES >> (LANES - l->g->lanes);
	l->cu = aligned_alloc(_Alignof(struct cu), sizeof(*l->cu));
	l->shim = coalescer_shim_create();
	assert_true(l->cu && l->shim);
	memset(l->cu, 0, sizeof(*l->cu));
	l->cu->config = &config;
	l->cu->coalescer.line_shift = (uint32_t)__builtin_ctz(config.line_bytes);
	l->warp.cu = l->cu;
	coalescer_shim_reset(l->shim);
	segment(l);
	while (r->count[COALESCER_ACCESSES] < accesses && !r->text[0])
		cycle(l);
	coalescer_shim_destroy(l->shim);
	free(l->cu);
	free(l);
}
