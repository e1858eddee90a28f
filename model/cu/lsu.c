/* Memory accesses lane by lane. The engines do the simple cases themselves
 * (lanes side by side in a page, all lanes at one address) and come here with the rest: page
 * crossings, private memory at an address that differs from lane to lane, observed system memory,
 * atomics, faults. */
#include "model/mem/cache.h"
#include "model/cu/lsu.h"
#include "model/cu/fault.h"
#include "model/cu/private.h"
#include <string.h>

enum fault lsu_memory_read(struct cu *cu, bool cached, uint64_t pa, void *data, unsigned n)
{
	physmem_by(cu->mem, cu->unit, cu->now);
	return cached ? cache_read(cu->mem->cache, pa, data, n, cu->now) : physmem_read(cu->mem, pa, data, n);
}

enum fault lsu_memory_write(struct cu *cu, bool cached, uint64_t pa, const void *data, unsigned n)
{
	physmem_by(cu->mem, cu->unit, cu->now);
	return cached ? cache_write(cu->mem->cache, pa, data, n, cu->now) : physmem_put(cu->mem, pa, data, n);
}

/* The same in DRAM, where the L1 has data. */
static enum fault l1_access(struct cu *cu, uint64_t pa, void *data, unsigned n, bool write)
{
	if (cu->lsu.atomic)
		l1_data_drop(&cu->l1, pa >> cu->coalescer.line_shift);
	else if (!write)
		return l1_data_load(cu, pa, data, n);
	enum fault f = write ? lsu_memory_write(cu, false, pa, data, n) : lsu_memory_read(cu, false, pa, data, n);
	if (write && !f)
		l1_data_store(&cu->l1, pa, data, n);
	return f;
}

/* The part of an access that lies in one page. */
static enum fault page_access(struct cu *cu, uint32_t space, uint64_t va, void *data, unsigned n, bool write)
{
	enum fault fault = FAULT_NONE;
	const struct soft_tlb_entry *l = soft_tlb_get(cu, space, va, write ? ACCESS_WRITE : ACCESS_READ, &fault);
	if (!l)
		return fault;
	uint64_t address = soft_tlb_key(space, va), pa = l->pa + (address - l->first);
	uint8_t *host = soft_tlb_host(l, address, write ? DIRECT_WRITE : DIRECT_READ);
	if (write && cu->stores_seen)
		reservations_written(&cu->mem->reservations, pa, n);
	if (cu->timed)
		coalescer_range(&cu->coalescer, pa, n);
	if (cu->l1.data && pa < SYSTEM_BASE)
		return l1_access(cu, pa, data, n, write);
	if (!host)
		return write ? lsu_memory_write(cu, l->cached, pa, data, n) : lsu_memory_read(cu, l->cached, pa, data, n);
	if (write)
		memcpy(host, data, n);
	else
		memcpy(data, host, n);
	return FAULT_NONE;
}

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
		w->cu->lds.used = true;
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
		if (!soft_tlb_get(w->cu, w->space, va + first, ACCESS_WRITE, &f))
			return f;
		w->fault.address = va;
	}
	enum fault f = page_access(w->cu, w->space, va, data, first, write);
	if (f || first == size)
		return f;
	w->fault.address = va + first;
	return page_access(w->cu, w->space, va + first, data + first, size - first, write);
}

enum fault lsu_load(struct warp *w, unsigned lane, uint64_t va, unsigned size, uint64_t *value)
{
	*value = 0;
	return lane_access(w, lane, va, (uint8_t *)value, size, false);
}

enum fault lsu_store(struct warp *w, unsigned lane, uint64_t va, unsigned size, uint64_t value)
{
	return lane_access(w, lane, va, (uint8_t *)&value, size, true);
}

void lsu_local_stored(struct warp *w, const struct uop *op)
{
	const unsigned size = 1u << (op->word >> 12 & 3);
	uint64_t va[LANES];
	if (!w->cu->local_reservations.live)
		return;
	register_lanes(w, op->rs1, va); /* as it was: a store writes none */
	EACH_BIT(lane, w->exit == LEAVE_FAULT ? fault_lanes_done(w) : w->mask) {
		const uint64_t offset = va[lane] + (uint64_t)(int64_t)op->imm - VA_LOCAL_BASE;
		if (offset < VA_LOCAL_SIZE)
			reservations_written(&w->cu->local_reservations, lsu_local_place(w, offset), size);
	}
}

uint64_t lsu_charge_seen(struct warp *w, const struct uop *op, uint64_t issue)
{
	const struct coalescer *c = &w->cu->coalescer;
	for (uint32_t i = 0; i < c->num_lines; i++)
		reservations_written(&w->cu->mem->reservations, c->lines[i] << c->line_shift, 1);
	if (w->cu->lds.used)
		lsu_local_stored(w, op);
	return lsu_charge_each(w, op, issue);
}

/* The pages of n bytes that begin at va: the lower one, and where it is found the upper one. *bad is where a page fault is. */
static enum fault pages_look(struct warp *w, uint64_t va, unsigned n, enum access access, uint64_t *bad)
{
	enum fault f = FAULT_NONE;
	uint64_t last = va + n - 1;
	*bad = va;
	if (!soft_tlb_get(w->cu, w->space, va, access, &f) || last >> GALENA_PAGE_SHIFT == va >> GALENA_PAGE_SHIFT)
		return f;
	*bad = last & ~(GALENA_PAGE_SIZE - 1);
	soft_tlb_get(w->cu, w->space, *bad, access, &f);
	return f;
}

enum fault lsu_private_look(struct warp *w, unsigned lane, uint64_t offset, unsigned size, enum access access, uint64_t *bad)
{
	enum fault f = FAULT_NONE;
	for (uint64_t o = offset; o < offset + size && !f; o = (o | 3) + 1) {
		*bad = private_address(w, lane, o);
		soft_tlb_get(w->cu, w->space, *bad, access, &f);
	}
	return f;
}

bool lsu_pages_present(struct warp *w, const struct uop *op, const uint64_t *va, unsigned size, enum access access)
{
	EACH_BIT(lane, w->mask) {
		uint64_t offset = va[lane] - VA_PRIVATE_BASE, bad;
		enum fault f = FAULT_NONE;
		if (va[lane] - VA_LOCAL_BASE < VA_LOCAL_SIZE || (op->cls == CLASS_ATOMIC && va[lane] & (size - 1)))
			continue; /* the access itself will say so */
		if (offset >= VA_PRIVATE_SIZE)
			f = pages_look(w, va[lane], size, access, &bad);
		else if (w->private_va && offset + size <= w->private_bytes)
			f = lsu_private_look(w, lane, offset, size, access, &bad);
		if (fault_replays(f)) {
			fault_raise(w, op, f, access, bad, lane);
			return false;
		}
	}
	return true;
}
