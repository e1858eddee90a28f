/* A treap of extents. Allocation is first fit: it takes the lowest address, so that addresses depend on the order of the calls alone.
 * Neighbours that are alike are one, so the tree has at most two extents for each range that is referenced. */
#include "runtime/kmd/driver.h"
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 8 };

static uint64_t end_of(const struct extent *x) { return x->first + x->count; }

/* ---- the tree ---- */
/* The order from the root down: a hash of the node's number, so that the shape depends on the order of the calls alone. */
static uint32_t priority(uint32_t i)
{
	i = (i ^ i >> 16) * 0x7feb352du;
	i = (i ^ i >> 15) * 0x846ca68bu;
	return i ^ i >> 16;
}

static void update(struct extents *e, uint32_t t)
{
	struct extent *x = &e->nodes[t];
	const uint64_t left = e->nodes[x->left].longest, right = e->nodes[x->right].longest, below = left > right ? left : right;
	x->longest = x->refs || x->count < below ? below : x->count;
}

static uint32_t merge(struct extents *e, uint32_t low, uint32_t high)
{
	if (!low || !high)
		return low | high;
	const bool low_above = priority(low) > priority(high);
	const uint32_t root = low_above ? low : high;
	if (low_above)
		e->nodes[low].right = merge(e, e->nodes[low].right, high);
	else
		e->nodes[high].left = merge(e, low, e->nodes[high].left);
	update(e, root);
	return root;
}

/* What begins below the place goes to low, the rest to high. */
static void split(struct extents *e, uint32_t t, uint64_t place, uint32_t *low, uint32_t *high)
{
	struct extent *x = &e->nodes[t];
	if (!t) {
		*low = *high = 0;
		return;
	}
	if (x->first < place) {
		*low = t;
		split(e, x->right, place, &x->right, high);
	} else {
		*high = t;
		split(e, x->left, place, low, &x->left);
	}
	update(e, t);
}

static uint32_t insert(struct extents *e, uint32_t t, uint32_t i)
{
	struct extent *x = &e->nodes[i], *above = &e->nodes[t];
	if (!t || priority(i) > priority(t)) {
		split(e, t, x->first, &x->left, &x->right);
		t = i;
	} else if (x->first < above->first) {
		above->left = insert(e, above->left, i);
	} else {
		above->right = insert(e, above->right, i);
	}
	update(e, t);
	return t;
}

static uint32_t take_out(struct extents *e, uint32_t t, uint32_t i)
{
	struct extent *above = &e->nodes[t];
	if (t == i)
		return merge(e, above->left, above->right);
	if (e->nodes[i].first < above->first)
		above->left = take_out(e, above->left, i);
	else
		above->right = take_out(e, above->right, i);
	update(e, t);
	return t;
}

/* The extent has become another length, or free, or is no longer. */
static void changed(struct extents *e, uint32_t t, const struct extent *x)
{
	if (x != &e->nodes[t])
		changed(e, x->first < e->nodes[t].first ? e->nodes[t].left : e->nodes[t].right, x);
	update(e, t);
}

static uint32_t fit(const struct extents *e, uint32_t t, uint64_t size, uint64_t align)
{
	const struct extent *x = &e->nodes[t];
	if (x->longest < size)
		return 0;
	const uint32_t lower = fit(e, x->left, size, align);
	const uint64_t skip = -x->first & (align - 1);
	if (lower)
		return lower;
	return !x->refs && skip <= x->count && x->count - skip >= size ? t : fit(e, x->right, size, align);
}

/* ---- nodes ---- */
bool extents_reserve(struct extents *e, uint64_t ranges)
{
	const uint64_t most = 2 * ranges + ROOM_MIN;
	if (most <= e->room)
		return true;
	struct extent *grown = most < UINT32_MAX / 2 ? realloc(NULL, 2 * most * sizeof *grown) : NULL;
	if (!grown)
		return false;
	if (e->fresh)
		memcpy(grown, e->nodes, e->fresh * sizeof *grown); /* not all that there is room for */
	free(e->nodes);
	e->nodes = grown;
	e->room = (uint32_t)(2 * most);
	return true;
}

static void add(struct extents *e, struct extent x)
{
	const uint32_t i = e->spare ? e->spare : e->fresh++;
	if (e->spare)
		e->spare = e->nodes[i].left;
	e->nodes[i] = x;
	e->root = insert(e, e->root, i);
}

static void drop(struct extents *e, const struct extent *x)
{
	const uint32_t i = (uint32_t)(x - e->nodes);
	e->root = take_out(e, e->root, i);
	e->nodes[i].left = e->spare;
	e->spare = i;
}

/* ---- extents ---- */
int extents_init(struct extents *e, uint64_t base, uint64_t size)
{
	*e = (struct extents){ .base = base, .end = base + size };
	if (!extents_reserve(e, 1))
		return KMD_NO_MEMORY;
	e->nodes[e->fresh++] = (struct extent){ 0 };
	add(e, (struct extent){ .first = base, .count = size });
	return 0;
}

void extents_fini(struct extents *e)
{
	free(e->nodes);
	e->nodes = NULL;
}

static struct extent *at(const struct extents *e, uint64_t place)
{
	uint32_t found = 0;
	for (uint32_t t = e->root; t;) {
		const bool above = e->nodes[t].first > place;
		found = above ? found : t;
		t = above ? e->nodes[t].left : e->nodes[t].right;
	}
	return &e->nodes[found];
}

const struct extent *extents_at(const struct extents *e, uint64_t place) { return at(e, place); }

uint64_t extents_alike(const struct extents *e, uint64_t place, uint64_t end)
{
	const struct extent *x = at(e, place);
	return (end_of(x) < end ? end_of(x) : end) - place;
}

uint64_t extents_gap(const struct extents *e, uint64_t place, uint64_t end)
{
	return at(e, place)->refs ? 0 : extents_alike(e, place, end);
}

uint64_t extents_fit(const struct extents *e, uint64_t size, uint64_t align)
{
	const uint32_t t = fit(e, e->root, size, align);
	return t ? (e->nodes[t].first + align - 1) & ~(align - 1) : UINT64_MAX;
}

static void divide(struct extents *e, uint64_t place)
{
	struct extent *x = at(e, place), second = *x;
	if (x->first == place || place == e->end)
		return;
	x->count = place - x->first;
	second.first = place;
	second.count -= x->count;
	add(e, second); /* it updates x, too, which is on the way to it */
}

static bool alike(const struct extent *a, const struct extent *b)
{
	return a->refs == b->refs && a->write_refs == b->write_refs && a->shift == b->shift;
}

/* The extents from one on, up to a place where one begins, are one where they are alike, the last with the next one, too. */
static void join(struct extents *e, struct extent *x, uint64_t place)
{
	while (end_of(x) <= place && end_of(x) < e->end) {
		struct extent *next = at(e, end_of(x));
		if (!alike(x, next)) {
			x = next;
			continue;
		}
		drop(e, next);
		x->count += next->count;
		changed(e, e->root, x);
	}
}

/* The first places of a free extent go to the one before it, if they become like it: memory is mostly taken upwards. */
static bool extend(struct extents *e, uint64_t base, uint64_t size, const struct extent *as)
{
	struct extent *x = at(e, base), *before = base > e->base ? at(e, base - 1) : x;
	if (x->refs || x->first != base || x->count <= size || !alike(before, as))
		return false;
	before->count += size;
	x->first += size;
	x->count -= size;
	e->used += size;
	changed(e, e->root, x);
	return true;
}

void extents_refer(struct extents *e, uint64_t base, uint64_t size, int refs, int write_refs, uint32_t shift)
{
	const uint64_t end = base + size;
	if (refs > 0 && extend(e, base, size, &(struct extent){ .refs = (uint32_t)refs, .write_refs = (uint32_t)write_refs, .shift = shift }))
		return;
	divide(e, base);
	divide(e, end);
	for (uint64_t place = base; place < end;) {
		struct extent *x = at(e, place);
		const bool was_free = !x->refs;
		x->refs += (uint32_t)refs;
		x->write_refs += (uint32_t)write_refs;
		place = end_of(x);
		if (was_free == !x->refs)
			continue;
		x->shift = was_free ? shift : 0;
		e->used += was_free ? x->count : -x->count;
		changed(e, e->root, x);
	}
	join(e, at(e, base > e->base ? base - 1 : base), end);
}

uint64_t extents_alloc(struct extents *e, uint64_t size, uint64_t align)
{
	const uint64_t base = extents_fit(e, size, align);
	if (base == UINT64_MAX || !extents_reserve(e, e->ranges + 1ull))
		return UINT64_MAX;
	e->ranges++;
	extents_refer(e, base, size, 1, 0, 0);
	return base;
}

bool extents_take(struct extents *e, uint64_t base, uint64_t size)
{
	if (extents_gap(e, base, base + size) < size || !extents_reserve(e, e->ranges + 1ull))
		return false;
	e->ranges++;
	extents_refer(e, base, size, 1, 0, 0);
	return true;
}

void extents_free(struct extents *e, uint64_t base, uint64_t size)
{
	e->ranges--;
	extents_refer(e, base, size, -1, 0, 0);
}
