/* The load-store unit: accesses lane by lane, atomics, and what an access costs. */
#ifndef GALENA_MODEL_LSU_H
#define GALENA_MODEL_LSU_H
#include "model/cu/cu.h"

/* One lane's access of 1, 2, 4 or 8 bytes at any address. */
enum fault lsu_load(struct warp *, unsigned lane, uint64_t va, unsigned size, uint64_t *value);
enum fault lsu_store(struct warp *, unsigned lane, uint64_t va, unsigned size, uint64_t value);
/* Whether the pages that the lanes of w->mask access are there: asked before the first side effect of a warp that
 * replays. False after a fault. */
bool lsu_pages_present(struct warp *, const struct uop *, const uint64_t *va, unsigned size, enum access);
/* Memory that has no host address to be used directly. */
enum fault lsu_memory_read(struct cu *, bool cached, uint64_t pa, void *data, unsigned n);
enum fault lsu_memory_write(struct cu *, bool cached, uint64_t pa, const void *data, unsigned n);
/* A store to local memory is over: reservations there see it. */
void lsu_local_stored(struct warp *, const struct uop *);
/* Charges a store (below) that reservations see. */
uint64_t lsu_charge_seen(struct warp *, const struct uop *, uint64_t issue);
/* Whether what the lanes of a mask access, size bytes each, lies within bytes from address first on, a multiple of size apart. */
INLINE bool lanes_are_within(uint32_t mask, const uint64_t *va, unsigned size, uint64_t first, uint64_t bytes)
{
	const uint64_t limit = bytes - size;
	uint64_t outside = limit, odd = 0; /* the high bit of outside: one is */
	for (unsigned i = 0; i < LANES; i++) {
		const uint64_t runs = -(uint64_t)(mask >> i & 1), offset = (va[i] - first) & runs;
		outside |= offset | ((limit - offset) & runs);
		odd |= offset;
	}
	return !(outside >> 63) && !(odd & (size - 1));
}

/* model/cu/atomics.c: executes an atomic for the lanes of w->mask, all of them aligned in local memory if local is true; result is
 * zero-extended by lane. False after a fault. */
bool atomics_execute(struct warp *, const struct uop *, bool local, const uint64_t *va, const uint64_t *operand,
		     const uint64_t *expected, uint64_t *result);

/* Where byte offset of the work-group's local memory lies in the unit's. */
static inline uint64_t lsu_local_place(const struct warp *w, uint64_t offset) { return w->group->lds_offset + offset; }

/* Where a byte of a lane's private memory lies: byte o of a lane is byte o % 4 of word (o / 4 * lanes + lane) of the backing. */
static inline uint64_t private_address(const struct warp *w, unsigned lane, uint64_t offset)
{
	return w->private_va + (offset / 4 * w->cu->config->lanes + lane) * 4 + (offset & 3);
}

/* An access that begins at this cycle has an entry of the unit's queue until then. There are as many as warp slots. */
INLINE void lsu_queued(struct cu *cu, uint64_t begin)
{
	cu->lsu.begin[cu->lsu.next] = begin;
	cu->lsu.next = cu->lsu.next + 1 < cu->config->warps_per_cu ? cu->lsu.next + 1 : 0;
	cu->lsu.room = cu->lsu.begin[cu->lsu.next];
}

/* Timed: charges the access in progress of an instruction issued at cycle issue; returns the cycle at which the result is
 * there. The unit takes one line, or one round of local memory without a bank conflict, a cycle. The page is looked for
 * from the issue on, also while the unit is busy with what came before; an access that waits for its page lets those of
 * other warps pass. */
INLINE uint64_t lsu_charge_each(struct warp *w, const struct uop *op, uint64_t issue)
{
	struct cu *cu = w->cu;
	struct coalescer *c = &cu->coalescer;
	if (__builtin_expect(cu->tlb.coming_until > issue, 0))
		soft_tlb_wait(cu, issue);
	uint64_t from = issue > cu->lsu.free ? issue : cu->lsu.free, found = issue + cu->lsu.tlb_cycles;
	uint64_t begin = found > from ? found : from, slot = begin, done = begin, t = 0;
	uint32_t lines = c->num_lines;
	if (cu->lds.used) {
		uint32_t rounds = cu->lds.cycles ? cu->lds.cycles : 1;
		if (op->cls == CLASS_ATOMIC && cu->lsu.atomic_lanes > rounds)
			rounds = cu->lsu.atomic_lanes;
		slot += rounds;
		done = slot + cu->lds.latency - 1;
		cu->lds.used = false;
	}
	if (!lines) {
		t = 0;
	} else if (op->cls == CLASS_LOAD) {
		t = l1_load(&cu->l1, c, slot);
	} else if (op->cls == CLASS_STORE) {
		uint32_t all = (uint32_t)__builtin_popcount(w->mask) << (op->word >> 12 & 3);
		uint32_t each = lines > 1 ? (all + lines - 1) / lines : all;
		t = l1_store(&cu->l1, c, slot, each < cu->l1.line_bytes ? each : cu->l1.line_bytes);
	} else {
		t = l1_atomic(&cu->l1, c, slot, cu->lsu.atomic_lanes);
	}
	cu->lsu.free = from + (slot + lines - begin);
	lsu_queued(cu, begin);
	cu->lsu.tlb_cycles = cu->lds.cycles = cu->lsu.atomic_lanes = 0;
	coalescer_clear(c);
	return (t > done ? t : done) + perturb_stall(&cu->perturb, 1000);
}

COLD uint64_t lsu_charge_any(struct warp *w, const struct uop *op, uint64_t issue)
{
	if (__builtin_expect(w->cu->stores_seen, 0) && op->cls == CLASS_STORE)
		return lsu_charge_seen(w, op, issue);
	return lsu_charge_each(w, op, issue);
}

/* The same. Loads of a line or two that are in the L1 are what there is most of; to look up the last line twice changes
 * nothing, nor does it to begin here and to go on there. */
INLINE uint64_t lsu_charge(struct warp *w, const struct uop *op, uint64_t issue)
{
	struct cu *cu = w->cu;
	struct coalescer *c = &cu->coalescer;
	uint32_t lines = c->num_lines;
	if (__builtin_expect(op->cls != CLASS_LOAD || lines - 1 > 1 || cu->lds.used || cu->l1.data || cu->tlb.coming_until > issue, 0))
		return lsu_charge_any(w, op, issue);
	struct l1 l1 = cu->l1;
	bool there = l1_lookup(&l1, c->lines[0], false);
	if (lines > 1)
		there &= l1_lookup(&l1, c->lines[1], false);
	cu->l1.stamp = l1.stamp;
	if (__builtin_expect(!there, 0))
		return lsu_charge_any(w, op, issue);
	uint64_t from = issue > cu->lsu.free ? issue : cu->lsu.free, found = issue + cu->lsu.tlb_cycles;
	uint64_t begin = found > from ? found : from;
	for (uint32_t i = 0; i < lines; i++)
		l1_pay(&l1, c->lines[i]);
	cu->l1.hit += lines;
	cu->lsu.free = from + lines;
	lsu_queued(cu, begin);
	cu->lsu.tlb_cycles = 0;
	coalescer_clear(c);
	return begin + l1.latency + lines - 1;
}

/* Whether an instruction goes to the unit. */
INLINE bool lsu_takes(const struct uop *op) { return (unsigned)op->cls - CLASS_LOAD <= CLASS_ATOMIC - CLASS_LOAD; }

#endif
