/* Memory accesses lane by lane. The engines do the simple cases themselves
 * (lanes side by side in a page, all lanes at one address) and come here with the rest: page
 * crossings, private memory at an address that differs from lane to lane, observed system memory,
 * atomics, faults. */
#include "model/mem/cache.h"
#include "model/cu/warp.h"
#include <string.h>

/* Memory that has no host address to be used directly. */
static enum fault memory_read(struct cu *cu, bool cached, uint64_t pa, void *data, unsigned n)
{
	physmem_by(cu->mem, cu->unit, cu->now);
	return cached ? cache_read(cu->mem->cache, pa, data, n, cu->now) : physmem_read(cu->mem, pa, data, n);
}

static enum fault memory_write(struct cu *cu, bool cached, uint64_t pa, const void *data, unsigned n)
{
	physmem_by(cu->mem, cu->unit, cu->now);
	return cached ? cache_write(cu->mem->cache, pa, data, n, cu->now) : physmem_write(cu->mem, pa, data, n);
}

/* A piece of an access that lies in one page. */
static enum fault page_access(struct cu *cu, uint32_t space, uint64_t va, void *data, unsigned n, bool write)
{
	enum fault fault = FAULT_NONE;
	const struct look *l = look_get(cu, space, va, write ? ACCESS_WRITE : ACCESS_READ, &fault);
	if (!l)
		return fault;
	uint64_t address = look_address(space, va), pa = l->pa + (address - l->first);
	uint8_t *host = look_host(l, address, write ? LOOK_WRITE : LOOK_READ);
	if (cu->timed)
		timing_range(cu, pa, n);
	if (!host)
		return write ? memory_write(cu, l->cached, pa, data, n) : memory_read(cu, l->cached, pa, data, n);
	if (write)
		memcpy(host, data, n);
	else
		memcpy(data, host, n);
	return FAULT_NONE;
}

/* Private memory: byte o of a lane is byte o % 4 of word (o / 4 * lanes + lane) of the backing. */
static enum fault private_access(struct warp *w, unsigned lane, uint64_t offset, uint8_t *data, unsigned size, bool write)
{
	if (!w->private_va || offset + size > w->private_bytes)
		return FAULT_PRIVATE_RANGE;
	while (size) {
		unsigned n = 4 - (offset & 3);
		if (n > size)
			n = size;
		uint64_t va = private_address(w, lane, offset);
		enum fault f = page_access(w->cu, w->space, va, data, n, write);
		if (f) {
			w->fault.address = va;
			return f;
		}
		offset += n;
		data += n;
		size -= n;
	}
	return FAULT_NONE;
}

static enum fault lane_access(struct warp *w, unsigned lane, uint64_t va, uint8_t *data, unsigned size, bool write)
{
	w->fault.address = va;
	if (va - VA_LOCAL_BASE < VA_LOCAL_SIZE) {
		uint64_t offset = va - VA_LOCAL_BASE;
		if (offset + size > w->local_bytes)
			return FAULT_LOCAL_RANGE;
		if (write)
			memcpy(w->lds + offset, data, size);
		else
			memcpy(data, w->lds + offset, size);
		w->cu->uses_lds = true;
		return FAULT_NONE;
	}
	if (va - VA_PRIVATE_BASE < VA_PRIVATE_SIZE)
		return private_access(w, lane, va - VA_PRIVATE_BASE, data, size, write);
	unsigned first = (unsigned)(GALENA_PAGE_SIZE - (va & (GALENA_PAGE_SIZE - 1)));
	if (first > size)
		first = size;
	if (first < size && write) { /* nothing is written unless both pages can be */
		enum fault f = FAULT_NONE;
		w->fault.address = va + first;
		if (!look_get(w->cu, w->space, va + first, ACCESS_WRITE, &f))
			return f;
		w->fault.address = va;
	}
	enum fault f = page_access(w->cu, w->space, va, data, first, write);
	if (f || first == size)
		return f;
	w->fault.address = va + first;
	return page_access(w->cu, w->space, va + first, data + first, size - first, write);
}

enum fault lane_load(struct warp *w, unsigned lane, uint64_t va, unsigned size, uint64_t *value)
{
	*value = 0;
	return lane_access(w, lane, va, (uint8_t *)value, size, false);
}

enum fault lane_store(struct warp *w, unsigned lane, uint64_t va, unsigned size, uint64_t value)
{
	return lane_access(w, lane, va, (uint8_t *)&value, size, true);
}

void warp_fault(struct warp *w, const struct uop *op, enum fault code, enum access access, uint64_t va, unsigned lane)
{
	w->why = WHY_FAULT;
	w->fault = (struct lane_fault){ code, access, va, uop_pc(w, op), lane };
	w->stop = op;
	insn_uncount(w);
	timing_forget(w->cu);
}

bool lsu_pages_present(struct warp *w, const struct uop *op, const uint64_t *va, unsigned size, enum access access)
{
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t first = va[lane], last = first + size - 1;
		if (first - VA_LOCAL_BASE < VA_LOCAL_SIZE)
			continue;
		if (first - VA_PRIVATE_BASE < VA_PRIVATE_SIZE) {
			if (!w->private_va || last - VA_PRIVATE_BASE >= w->private_bytes)
				continue; /* the access itself will say so */
			first = private_address(w, lane, first - VA_PRIVATE_BASE);
			last = private_address(w, lane, last - VA_PRIVATE_BASE);
		}
		enum fault f = FAULT_NONE;
		uint64_t bad = first;
		if (look_get(w->cu, w->space, first, access, &f) && last >> GALENA_PAGE_SHIFT != first >> GALENA_PAGE_SHIFT) {
			bad = last & ~(GALENA_PAGE_SIZE - 1);
			look_get(w->cu, w->space, bad, access, &f);
		}
		if (fault_replays(f)) {
			warp_fault(w, op, f, access, bad, lane);
			return false;
		}
	}
	return true;
}

/* ---- atomics ---- */

static uint64_t atomic_result(unsigned op, uint64_t old, uint64_t x)
{
	switch (op) {
	case OP_amoswap_w:
	case OP_amoswap_d:
		return x;
	case OP_amoadd_w:
	case OP_amoadd_d:
		return old + x;
	case OP_amoxor_w:
	case OP_amoxor_d:
		return old ^ x;
	case OP_amoand_w:
	case OP_amoand_d:
		return old & x;
	case OP_amoor_w:
	case OP_amoor_d:
		return old | x;
	case OP_amomin_w:
		return (int32_t)old < (int32_t)x ? old : x;
	case OP_amomin_d:
		return (int64_t)old < (int64_t)x ? old : x;
	case OP_amomax_w:
		return (int32_t)old > (int32_t)x ? old : x;
	case OP_amomax_d:
		return (int64_t)old > (int64_t)x ? old : x;
	case OP_amominu_w:
		return (uint32_t)old < (uint32_t)x ? old : x;
	case OP_amominu_d:
		return old < x ? old : x;
	case OP_amomaxu_w:
		return (uint32_t)old > (uint32_t)x ? old : x;
	default: /* amomaxu_d */
		return old > x ? old : x;
	}
}

/* Where a lane's access lies. */
struct atomic_place {
	uint8_t *host; /* NULL: memory that has no host address */
	uint64_t pa;
	bool cached;
};

/* Finds the place of a lane's aligned access, notes it for timing. */
static enum fault atomic_place(struct warp *w, unsigned lane, uint64_t va, unsigned size, enum access access,
			       struct atomic_place *at)
{
	struct cu *cu = w->cu;
	enum fault fault = FAULT_NONE;
	if (va - VA_LOCAL_BASE < VA_LOCAL_SIZE) {
		cu->uses_lds = true;
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
		va = private_address(w, lane, offset);
	} else if (!cu->ordered) {
		compute_order(cu);
	}
	uint64_t address = look_address(w->space, va);
	const struct look *l = look_get(cu, w->space, va, access, &fault);
	if (!l)
		return fault;
	at->pa = l->pa + (address - l->first);
	at->cached = l->cached;
	if (cu->timed)
		timing_line(cu, at->pa);
	at->host = look_host(l, address, access == ACCESS_READ ? LOOK_READ : LOOK_WRITE);
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

/* What a lane has to store after it has loaded old; false: nothing. */
static inline bool atomic_decide(struct warp *w, unsigned op, unsigned lane, uint64_t va, unsigned size, uint64_t old,
				 uint64_t x, uint64_t expected, uint64_t *result, uint64_t *value)
{
	*result = old;
	*value = x;
	switch (op) {
	case OP_lr_w:
	case OP_lr_d:
		w->reserved |= 1u << lane;
		w->reserved_va[lane] = va;
		w->reserved_value[lane] = old;
		return false;
	case OP_sc_w:
	case OP_sc_d:
		*result = !(w->reserved >> lane & 1 && w->reserved_va[lane] == va && w->reserved_value[lane] == old);
		w->reserved &= ~(1u << lane);
		return !*result;
	case OP_amocas_w:
	case OP_amocas_d:
		return size == 4 ? (uint32_t)old == (uint32_t)expected : old == expected;
	default:
		*value = atomic_result(op, old, x);
		return true;
	}
}

/* A lane whose memory has no host address, or is two words apart: 8 bytes of private memory, nobody else's, so plain
 * accesses do; so they do through a cache, whose line is the device's. */
static enum fault atomic_lane(struct warp *w, unsigned op, unsigned lane, uint64_t va, unsigned size, uint64_t x,
			      uint64_t expected, const struct atomic_place *at, uint64_t *result)
{
	uint64_t seen = 0, value;
	enum fault f = at ? memory_read(w->cu, at->cached, at->pa, &seen, size) : lane_load(w, lane, va, 8, &seen);
	for (bool stored = false; !f && !stored;) {
		uint64_t old = size == 4 ? (uint64_t)(int64_t)(int32_t)seen : seen;
		if (!atomic_decide(w, op, lane, va, size, old, x, expected, result, &value))
			break;
		if (!at)
			return lane_store(w, lane, va, 8, value);
		if (at->cached)
			return memory_write(w->cu, true, at->pa, &value, size);
		physmem_by(w->cu->mem, w->cu->unit, w->cu->now);
		f = physmem_exchange(w->cu->mem, at->pa, &seen, &value, size, &stored);
	}
	return f;
}

/* An atomic of many lanes: their operands, and where those lie that are directly on the host. */
struct atomic_lanes {
	const uint64_t *va, *operand, *expected;
	uint64_t *result;
	bool one;    /* all at one address, */
	bool shared; /* which is the host's, too */
	uint8_t *host[LANES];
};

static inline __attribute__((always_inline)) void lanes_each(struct warp *w, unsigned op, const struct atomic_lanes *a,
							     uint32_t mask, unsigned size)
{
	for (; mask; mask &= mask - 1) {
		unsigned i = (unsigned)__builtin_ctz(mask);
		uint64_t value;
		if (!atomic_decide(w, op, i, a->va[i], size, atomic_fetch(a->host[i], size), a->operand[i],
				   a->expected[i], &a->result[i], &value))
			continue;
		if (size == 4)
			memcpy(a->host[i], &value, 4);
		else
			memcpy(a->host[i], &value, 8);
	}
}

/* The same for lanes at one address: what comes of all of them is worked out ahead, and done in one step. */
static inline __attribute__((always_inline)) void lanes_at_one(struct warp *w, unsigned op, const struct atomic_lanes *a,
							       uint32_t mask, unsigned size)
{
	uint8_t *host = a->host[0];
	uint64_t old = a->shared ? size == 4 ? __atomic_load_n((uint32_t *)host, __ATOMIC_SEQ_CST) :
					       __atomic_load_n((uint64_t *)host, __ATOMIC_SEQ_CST) :
				   atomic_fetch(host, size), now, value;
	do {
		if (size == 4)
			old = (uint64_t)(int64_t)(int32_t)old;
		now = old;
		for (uint32_t m = mask; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctz(m);
			if (atomic_decide(w, op, i, a->va[i], size, now, a->operand[i], a->expected[i], &a->result[i], &value))
				now = size == 4 ? (uint64_t)(int64_t)(int32_t)value : value;
		}
	} while (now != old && a->shared && !bus_exchange_at(host, &old, &now, size));
	if (now == old || a->shared)
		return;
	if (size == 4)
		memcpy(host, &now, 4);
	else
		memcpy(host, &now, 8);
}

/* The same in memory that is the host's, too, whose threads may be at it: one step for each lane. */
static __attribute__((noinline)) void lanes_shared(struct warp *w, unsigned op, const struct atomic_lanes *a, uint32_t mask, unsigned size)
{
	for (; mask; mask &= mask - 1) {
		unsigned i = (unsigned)__builtin_ctz(mask);
		uint64_t old, value;
		old = size == 4 ? __atomic_load_n((uint32_t *)a->host[i], __ATOMIC_SEQ_CST) :
				  __atomic_load_n((uint64_t *)a->host[i], __ATOMIC_SEQ_CST);
		while (atomic_decide(w, op, i, a->va[i], size, size == 4 ? (uint64_t)(int64_t)(int32_t)old : old, a->operand[i],
				     a->expected[i], &a->result[i], &value))
			if (bus_exchange_at(a->host[i], &old, &value, size))
				break;
	}
}

static inline __attribute__((always_inline)) void lanes_do(struct warp *w, unsigned op, const struct atomic_lanes *a, uint32_t mask,
							   unsigned size)
{
	if (a->one)
		lanes_at_one(w, op, a, mask, size);
	else
		lanes_each(w, op, a, mask, size);
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

/* Places of lanes that are all within the bytes of one piece of memory, which stands at host and of which va is the
 * address, each aligned; false: they are not. */
static bool lanes_within(const struct warp *w, struct atomic_lanes *a, unsigned size, uint64_t va, uint8_t *host, uint64_t bytes)
{
	uint64_t limit = bytes - size, beyond = limit, odd = 0;
	if (a->one) {
		uint64_t offset = a->va[__builtin_ctz(w->mask)] - va;
		beyond |= offset | (limit - offset);
		if (beyond >> 63 || offset & (size - 1))
			return false;
		a->host[0] = host + offset;
		return true;
	}
	for (unsigned i = 0; i < LANES; i++) {
		uint64_t runs = -(uint64_t)(w->mask >> i & 1), offset = (a->va[i] - va) & runs;
		beyond |= offset | ((limit - offset) & runs); /* the high bit: it is beyond, or before */
		odd |= offset;
		a->host[i] = (uint8_t *)((uintptr_t)host + offset);
	}
	return !(beyond >> 63) && !(odd & (size - 1));
}

/* The same for local memory, and without timing and somebody looking for a run of the lookaside. */
static bool lanes_together(struct warp *w, struct atomic_lanes *a, unsigned size, enum access access)
{
	struct cu *cu = w->cu;
	uint64_t first = a->va[__builtin_ctz(w->mask)], address = look_address(w->space, first);
	enum fault fault;
	if (first - VA_LOCAL_BASE < VA_LOCAL_SIZE && lanes_within(w, a, size, VA_LOCAL_BASE, w->lds, w->local_bytes)) {
		cu->uses_lds = true;
		return true;
	}
	if (cu->look_pages || first >= VA_LOCAL_BASE)
		return false;
	if (!cu->ordered)
		compute_order(cu);
	const struct look *l = look_get(cu, w->space, first, access, &fault);
	if (!l || !look_host(l, address, access == ACCESS_READ ? LOOK_READ : LOOK_WRITE))
		return false;
	a->shared = l->pa >= SYSTEM_BASE;
	return lanes_within(w, a, size, first - (address - l->first), l->host, l->bytes);
}

bool lsu_atomic(struct warp *w, const struct uop *op, const uint64_t *va, const uint64_t *operand,
		const uint64_t *expected, uint64_t *result)
{
	unsigned size = op->word >> 12 & 1 ? 8 : 4;
	bool reserve = op->op == OP_lr_w || op->op == OP_lr_d;
	enum access access = reserve ? ACCESS_READ : ACCESS_ATOMIC;
	struct atomic_lanes a;
	a.va = va;
	a.operand = operand;
	a.expected = expected;
	a.result = result;
	/* a store on a condition is not to be tried twice */
	a.one = op->op != OP_sc_w && op->op != OP_sc_d && (w->rep[op->rs1] == REP_UNIFORM || lanes_same(va, w->mask));
	a.shared = false;
	if (w->replay && !lsu_pages_present(w, op, va, size, access))
		return false;
	bool together = lanes_together(w, &a, size, access);
	a.one &= together;
	if (together && a.shared && !a.one)
		lanes_shared(w, op->op, &a, w->mask, size);
	else if (together)
		lanes_atomic(w, op->op, &a, w->mask);
	/* places are found ahead of what is done there, so that the host has them in its caches by then */
	for (uint32_t left = together ? 0 : w->mask, found = 0, shared = 0; left; found = shared = 0) {
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
			shared |= (uint32_t)(at.pa >= SYSTEM_BASE) << i;
			__builtin_prefetch(at.host, 1);
		}
		lanes_atomic(w, op->op, &a, found & ~shared);
		if (shared)
			lanes_shared(w, op->op, &a, shared, size);
		if (!left)
			break;
		w->fault.address = va[i];
		if (!f)
			f = atomic_lane(w, op->op, i, va[i], size, operand[i], expected[i], split ? NULL : &at, &result[i]);
		if (f) {
			warp_fault(w, op, f, ACCESS_ATOMIC, w->fault.address, i);
			return false;
		}
		left &= left - 1;
	}
	w->cu->atomic_lanes = (uint32_t)__builtin_popcount(w->mask);
	return true;
}
