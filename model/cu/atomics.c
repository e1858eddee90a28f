/* Atomics, lane by lane in the order of the lanes. Those in memory are ordered between units (engine/quantum.c). */
#include "model/cu/fault.h"
#include "model/cu/lsu.h"
#include "model/cu/private.h"
#include "model/engine/quantum.h"
#include <string.h>

#define BOTH(name) case OP_##name##_w: case OP_##name##_d

static uint64_t atomic_result(unsigned op, uint64_t old, uint64_t x)
{
	switch (op) {
	BOTH(amoswap): return x;
	BOTH(amoadd): return old + x;
	BOTH(amoxor): return old ^ x;
	BOTH(amoand): return old & x;
	BOTH(amoor): return old | x;
	case OP_amomin_w: return (int32_t)old < (int32_t)x ? old : x;
	case OP_amomin_d: return (int64_t)old < (int64_t)x ? old : x;
	case OP_amomax_w: return (int32_t)old > (int32_t)x ? old : x;
	case OP_amomax_d: return (int64_t)old > (int64_t)x ? old : x;
	case OP_amominu_w: return (uint32_t)old < (uint32_t)x ? old : x;
	case OP_amominu_d: return old < x ? old : x;
	case OP_amomaxu_w: return (uint32_t)old > (uint32_t)x ? old : x;
	default: return old > x ? old : x; /* amomaxu_d */
	}
}

/* The reservations among which that of an address is, and where it is there: *at, a physical address or, in local memory, the
 * unit's, which no physical address is. NULL: in private memory, where the lane's own address is all that counts. */
static struct reservations *reservations_of(const struct warp *w, uint64_t va, uint64_t pa, uint64_t *at)
{
	if (va - VA_LOCAL_BASE < VA_LOCAL_SIZE) {
		*at = lsu_local_place(w, va - VA_LOCAL_BASE);
		return &w->cu->local_reservations;
	}
	const bool private = va - VA_PRIVATE_BASE < VA_PRIVATE_SIZE;
	*at = private ? va : pa;
	return private ? NULL : &w->cu->mem->reservations;
}

static void lane_reserve(struct warp *w, unsigned lane, uint64_t va, uint64_t pa, uint64_t value)
{
	struct reservations *r = reservations_of(w, va, pa, &w->reserved_at[lane]);
	w->reserved |= 1u << lane;
	w->reserved_value[lane] = value;
	w->cu->reserved_version[w->slot][lane] = r ? reservations_reserve(r, w->reserved_at[lane]) : 0;
}

/* Whether the lane may store; it has no reservation afterwards. */
static bool lane_reserved(struct warp *w, unsigned lane, uint64_t va, uint64_t pa, uint64_t value)
{
	uint64_t at;
	const struct reservations *r = reservations_of(w, va, pa, &at);
	const bool held = w->reserved >> lane & 1 && w->reserved_at[lane] == at && w->reserved_value[lane] == value &&
			  (!r || reservations_hold(r, at, w->cu->reserved_version[w->slot][lane]));
	w->reserved &= ~(1u << lane);
	return held;
}

/* An atomic of a lane has stored. */
static inline void lane_stored(const struct warp *w, uint64_t va, uint64_t pa)
{
	uint64_t at;
	struct reservations *r = reservations_of(w, va, pa, &at);
	if (r)
		reservations_written(r, at, 1);
	else if (w->cu->stores_seen)
		reservations_written(&w->cu->mem->reservations, pa, 1);
}

/* Where a lane's access lies. */
struct atomic_place {
	uint64_t va;   /* that a fault names: in private memory, once it is in range, of the backing */
	uint8_t *host; /* NULL: memory that has no host address */
	uint64_t pa;
	bool cached;
};

/* Finds the place of a lane's aligned access, passes it to the coalescer. */
static enum fault atomic_place(struct warp *w, unsigned lane, uint64_t va, unsigned size, enum access access,
			       struct atomic_place *at)
{
	struct cu *cu = w->cu;
	enum fault fault = FAULT_NONE;
	at->va = va;
	if (va - VA_LOCAL_BASE < VA_LOCAL_SIZE) {
		cu->lds.used = true;
		if (va - VA_LOCAL_BASE + size > w->local_bytes)
			return FAULT_LOCAL_RANGE;
		at->host = w->lds + (va - VA_LOCAL_BASE);
		at->pa = 0;
		return FAULT_NONE;
	}
	if (va - VA_PRIVATE_BASE < VA_PRIVATE_SIZE) { /* 4 bytes only: the caller has seen to 8 */
		uint64_t offset = va - VA_PRIVATE_BASE;
		if (!w->private_va || offset + size > w->private_bytes)
			return FAULT_PRIVATE_RANGE;
		at->va = va = private_address(w, lane, offset);
	} else if (!cu->ordered) {
		quantum_order(cu);
	}
	uint64_t address = soft_tlb_key(w->space, va);
	const struct soft_tlb_entry *l = soft_tlb_get(cu, w->space, va, access, &fault);
	if (!l)
		return fault;
	at->pa = l->pa + (address - l->first);
	at->cached = l->cached;
	if (cu->timed)
		coalescer_add(&cu->coalescer, at->pa >> cu->coalescer.line_shift);
	if (cu->l1.data)
		l1_data_drop(&cu->l1, at->pa >> cu->coalescer.line_shift);
	at->host = soft_tlb_host(l, address, access == ACCESS_READ ? DIRECT_READ : DIRECT_WRITE);
	return FAULT_NONE;
}

/* What is there, as a register holds it. */
static inline uint64_t atomic_fetch(const uint8_t *host, unsigned size)
{
	int32_t word;
	uint64_t value;
	if (size == 4) {
		memcpy(&word, host, 4);
		return (uint64_t)(int64_t)word;
	}
	memcpy(&value, host, 8);
	return value;
}

static inline void atomic_put(uint8_t *host, uint64_t value, unsigned size)
{
	if (size == 4)
		memcpy(host, &value, 4);
	else
		memcpy(host, &value, 8);
}

/* What a lane has to store after it has loaded old; false: nothing. */
static inline bool atomic_decide(struct warp *w, unsigned op, unsigned lane, uint64_t va, uint64_t pa, unsigned size,
				 uint64_t old, uint64_t x, uint64_t expected, uint64_t *result, uint64_t *value)
{
	*result = old;
	*value = x;
	switch (op) {
	BOTH(lr):
		lane_reserve(w, lane, va, pa, old);
		return false;
	BOTH(sc):
		*result = !lane_reserved(w, lane, va, pa, old);
		return !*result;
	BOTH(amocas):
		return size == 4 ? (uint32_t)old == (uint32_t)expected : old == expected;
	default:
		*value = atomic_result(op, old, x);
		return true;
	}
}

/* Looks for both words of 8 bytes of private memory before either is read. */
static enum fault split_look(struct warp *w, unsigned lane, uint64_t va)
{
	uint64_t offset = va - VA_PRIVATE_BASE, bad = va;
	w->fault.address = va;
	if (!w->private_va || offset + 8 > w->private_bytes)
		return FAULT_PRIVATE_RANGE;
	enum fault f = lsu_private_look(w, lane, offset, 8, ACCESS_ATOMIC, &bad);
	w->fault.address = bad;
	return f;
}

/* A lane whose memory has no host address, or is two words apart: 8 bytes of private memory: it is the lane's own, so plain
 * accesses do; so they do through a cache, whose line is the device's. */
static enum fault atomic_lane(struct warp *w, unsigned op, unsigned lane, uint64_t va, unsigned size, uint64_t x,
			      uint64_t expected, const struct atomic_place *at, uint64_t *result)
{
	uint64_t seen = 0, value;
	enum fault f = at ? lsu_memory_read(w->cu, at->cached, at->pa, &seen, size) : lsu_load(w, lane, va, 8, &seen);
	for (bool stored = false; !f && !stored;) {
		uint64_t old = size == 4 ? (uint64_t)(int64_t)(int32_t)seen : seen;
		if (!atomic_decide(w, op, lane, va, at ? at->pa : va, size, old, x, expected, result, &value))
			break;
		if (!at)
			return lsu_store(w, lane, va, 8, value);
		lane_stored(w, va, at->pa);
		if (at->cached)
			return lsu_memory_write(w->cu, true, at->pa, &value, size);
		physmem_by(w->cu->mem, w->cu->unit, w->cu->now);
		f = physmem_exchange(w->cu->mem, at->pa, &seen, &value, size, &stored);
	}
	return f;
}

/* An atomic of many lanes: their operands, and where those lie that are directly on the host. */
struct atomic_lanes {
	const uint64_t *va, *operand, *expected;
	uint64_t *result;
	bool together;   /* all in one piece of the host's memory, */
	uintptr_t apart; /* this far from their addresses; otherwise at host[] */
	bool one;        /* together, all at one address */
	bool shared;     /* together, in memory that is the host's, too */
	bool places;     /* reservations are made, tried, or looked for: they want pa */
	uint8_t *host[LANES];
	uint64_t pa[LANES]; /* 0 in local memory */
};

INLINE uint8_t *lane_host(const struct atomic_lanes *a, unsigned lane, bool together)
{
	return together ? (uint8_t *)(a->va[lane] + a->apart) : a->host[lane];
}

INLINE void lanes_each(struct warp *w, unsigned op, const struct atomic_lanes *a, uint32_t mask, unsigned size, bool together)
{
	EACH_BIT(i, mask) {
		uint8_t *host = lane_host(a, i, together);
		uint64_t value;
		if (!atomic_decide(w, op, i, a->va[i], a->pa[i], size, atomic_fetch(host, size), a->operand[i], a->expected[i],
				   &a->result[i], &value))
			continue;
		atomic_put(host, value, size);
		if (__builtin_expect(a->places, 0))
			lane_stored(w, a->va[i], a->pa[i]);
	}
}

/* The same for lanes at one address: what comes of all of them is worked out ahead, and done in one step. */
INLINE void lanes_at_one(struct warp *w, unsigned op, const struct atomic_lanes *a, uint32_t mask, unsigned size)
{
	uint8_t *host = lane_host(a, (unsigned)__builtin_ctz(mask), true);
	uint64_t old = a->shared ? size == 4 ? __atomic_load_n((uint32_t *)host, __ATOMIC_SEQ_CST) :
					       __atomic_load_n((uint64_t *)host, __ATOMIC_SEQ_CST) :
				   atomic_fetch(host, size), now, value;
	bool stored;
	do {
		stored = false;
		if (size == 4)
			old = (uint64_t)(int64_t)(int32_t)old;
		now = old;
		EACH_BIT(i, mask) {
			if (!atomic_decide(w, op, i, a->va[i], a->pa[i], size, now, a->operand[i], a->expected[i], &a->result[i], &value))
				continue;
			now = size == 4 ? (uint64_t)(int64_t)(int32_t)value : value;
			stored = true;
		}
	} while (now != old && a->shared && !bus_exchange_at(host, &old, &now, size));
	if (stored && __builtin_expect(a->places, 0))
		lane_stored(w, a->va[__builtin_ctz(mask)], a->pa[__builtin_ctz(mask)]);
	if (now == old || a->shared)
		return;
	atomic_put(host, now, size);
}

/* The same in memory that is the host's, too, whose threads may be at it: one step for each lane. */
COLD void lanes_shared(struct warp *w, unsigned op, const struct atomic_lanes *a, uint32_t mask, unsigned size)
{
	EACH_BIT(i, mask) {
		uint8_t *host = lane_host(a, i, a->together);
		uint64_t old, value;
		old = size == 4 ? __atomic_load_n((uint32_t *)host, __ATOMIC_SEQ_CST) : __atomic_load_n((uint64_t *)host, __ATOMIC_SEQ_CST);
		while (atomic_decide(w, op, i, a->va[i], a->pa[i], size, size == 4 ? (uint64_t)(int64_t)(int32_t)old : old,
				     a->operand[i], a->expected[i], &a->result[i], &value))
			if (bus_exchange_at(host, &old, &value, size)) {
				if (__builtin_expect(a->places, 0))
					lane_stored(w, a->va[i], a->pa[i]);
				break;
			}
	}
}

INLINE void lanes_do(struct warp *w, unsigned op, const struct atomic_lanes *a, uint32_t mask, unsigned size)
{
	if (a->one)
		lanes_at_one(w, op, a, mask, size);
	else if (a->together)
		lanes_each(w, op, a, mask, size, true);
	else
		lanes_each(w, op, a, mask, size, false);
}

/* In the order of the lanes; which operation it is has been decided before the first. */
static void lanes_atomic(struct warp *w, unsigned op, const struct atomic_lanes *a, uint32_t mask)
{
	switch (op) {
#define EACH(name)                                                                                 \
	case OP_##name##_w:                                                                        \
		lanes_do(w, OP_##name##_w, a, mask, 4);                                            \
		break;                                                                             \
	case OP_##name##_d:                                                                        \
		lanes_do(w, OP_##name##_d, a, mask, 8);                                            \
		break;
	EACH(lr)
	EACH(sc)
	EACH(amoswap)
	EACH(amoadd)
	EACH(amoxor)
	EACH(amoand)
	EACH(amoor)
	EACH(amomin)
	EACH(amomax)
	EACH(amominu)
	EACH(amomaxu)
	EACH(amocas)
#undef EACH
	default:
		__builtin_unreachable();
	}
}

/* Do they all have one address? */
static bool lanes_same(const uint64_t *va, uint32_t mask)
{
	uint64_t first = va[__builtin_ctz(mask)];
	while (mask && va[__builtin_ctz(mask)] == first)
		mask &= mask - 1;
	return !mask;
}

/* Whether the lanes are all within the bytes of one piece of memory, which lies at host and of which va is the address, each
 * aligned. */
static bool lanes_within(const struct warp *w, struct atomic_lanes *a, unsigned size, uint64_t va, uint8_t *host, uint64_t bytes)
{
	a->apart = (uintptr_t)host - va;
	if (!a->one)
		return lanes_are_within(w->mask, a->va, size, va, bytes);
	uint64_t limit = bytes - size, offset = a->va[__builtin_ctz(w->mask)] - va, outside = limit | offset | (limit - offset);
	return !(outside >> 63) && !(offset & (size - 1));
}

/* The same for local memory, and without timing and observers for an extent of the software TLB. */
static bool lanes_together(struct warp *w, bool local, struct atomic_lanes *a, unsigned size, enum access access)
{
	struct cu *cu = w->cu;
	uint64_t first = a->va[__builtin_ctz(w->mask)], address = soft_tlb_key(w->space, first);
	enum fault fault;
	if (local) {
		a->apart = (uintptr_t)w->lds - VA_LOCAL_BASE;
		cu->lds.used = true;
		return true;
	}
	if (cu->tlb.pages || first >= VA_LOCAL_BASE)
		return false;
	if (!cu->ordered)
		quantum_order(cu);
	const struct soft_tlb_entry *l = soft_tlb_get(cu, w->space, first, access, &fault);
	if (!l || !soft_tlb_host(l, address, access == ACCESS_READ ? DIRECT_READ : DIRECT_WRITE))
		return false;
	a->shared = l->pa >= SYSTEM_BASE;
	a->places |= cu->mem->reservations.live != 0;
	if (__builtin_expect(a->places, 0))
		EACH_BIT(i, w->mask)
			a->pa[i] = l->pa + (soft_tlb_key(w->space, a->va[i]) - l->first);
	return lanes_within(w, a, size, first - (address - l->first), l->host, l->bytes);
}

bool atomics_execute(struct warp *w, const struct uop *op, bool local, const uint64_t *va, const uint64_t *operand,
		     const uint64_t *expected, uint64_t *result)
{
	unsigned size = op->word >> 12 & 1 ? 8 : 4;
	bool reserve = op->op == OP_lr_w || op->op == OP_lr_d, condition = op->op == OP_sc_w || op->op == OP_sc_d;
	enum access access = reserve ? ACCESS_READ : ACCESS_ATOMIC;
	struct atomic_lanes a;
	a.va = va;
	a.operand = operand;
	a.expected = expected;
	a.result = result;
	/* a store on a condition is not to be tried twice */
	a.one = !condition && (w->encoding[op->rs1] == ENC_UNIFORM || lanes_same(va, w->mask));
	a.shared = false;
	a.places = reserve || condition || w->cu->local_reservations.live;
	if (w->replay && !lsu_pages_present(w, op, va, size, access))
		return false;
	a.together = lanes_together(w, local, &a, size, access);
	a.one &= a.together;
	if (a.together && a.shared && !a.one)
		lanes_shared(w, op->op, &a, w->mask, size);
	else if (a.together)
		lanes_atomic(w, op->op, &a, w->mask);
	/* places are found ahead of what is done there, so that the host has them in its caches by then */
	for (uint32_t left = a.together ? 0 : w->mask, found = 0, shared = 0; left; found = shared = 0) {
		struct atomic_place at = { 0 };
		enum fault f = FAULT_NONE;
		unsigned i = 0;
		bool split = false;
		for (; left; left &= left - 1, found |= 1u << i) {
			i = (unsigned)__builtin_ctz(left);
			split = size == 8 && va[i] - VA_PRIVATE_BASE < VA_PRIVATE_SIZE;
			f = va[i] & (size - 1) ? FAULT_MISALIGNED :
			    split	       ? FAULT_NONE :
						 atomic_place(w, i, va[i], size, access, &at);
			if (f || split || !at.host)
				break;
			a.host[i] = at.host;
			a.pa[i] = at.pa;
			shared |= (uint32_t)(at.pa >= SYSTEM_BASE) << i;
			__builtin_prefetch(at.host, 1);
		}
		/* the other units' are known from where this one is ordered among them */
		a.places |= (w->cu->ordered || w->cu->stores_seen) && w->cu->mem->reservations.live;
		lanes_atomic(w, op->op, &a, found & ~shared);
		if (shared)
			lanes_shared(w, op->op, &a, shared, size);
		if (!left)
			break;
		w->fault.address = split || f == FAULT_MISALIGNED ? va[i] : at.va;
		if (!f && split && !reserve)
			f = split_look(w, i, va[i]);
		w->cu->lsu.atomic = split;
		if (!f)
			f = atomic_lane(w, op->op, i, va[i], size, operand[i], expected[i], split ? NULL : &at, &result[i]);
		w->cu->lsu.atomic = false;
		if (f) {
			fault_raise(w, op, f, access, w->fault.address, i);
			return false;
		}
		left &= left - 1;
	}
	w->cu->lsu.atomic_lanes = lanes_count(w->mask);
	if (w->cu->l1.data)
		l1_data_acquire(&w->cu->l1, op);
	return true;
}
