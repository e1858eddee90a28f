/* Memory accesses of compute units as events, while they are observed. Decoding then puts observe_access
 * before the engine's handlers of memory instructions, and the software TLB hides its entries from them, so
 * that each page comes through soft_tlb_get, which notes where it lies. The engines do not know of it. */
#include "model/cu/fault.h"
#include "model/cu/lsu.h"

/* Bytes in one page. A lane has at most three: 8 bytes of private memory that begin inside a word. */
struct extent {
	uint64_t va;
	uint32_t bytes;
};
enum { LANE_EXTENTS = 3 };

/* Sorted insertion: lanes mostly come in the order of their addresses. */
static unsigned extent_add(struct extent *p, unsigned n, uint64_t va, uint32_t bytes)
{
	unsigned i = n;
	for (; i && p[i - 1].va > va; i--)
		p[i] = p[i - 1];
	p[i] = (struct extent){ va, bytes };
	return n + 1;
}

static unsigned lane_extents(const struct warp *w, unsigned lane, uint64_t va, uint32_t size, struct extent *p, unsigned n)
{
	if (va - VA_LOCAL_BASE < VA_LOCAL_SIZE) /* no memory of the device's */
		return n;
	if (va - VA_PRIVATE_BASE < VA_PRIVATE_SIZE) {
		uint64_t offset = va - VA_PRIVATE_BASE;
		while (size) {
			uint32_t bytes = 4 - (offset & 3) < size ? 4 - (uint32_t)(offset & 3) : size;
			n = extent_add(p, n, private_address(w, lane, offset), bytes);
			offset += bytes;
			size -= bytes;
		}
		return n;
	}
	uint32_t first = (uint32_t)(GALENA_PAGE_SIZE - (va & (GALENA_PAGE_SIZE - 1)));
	if (first >= size)
		return extent_add(p, n, va, size);
	n = extent_add(p, n, va, first);
	return extent_add(p, n, va + first, size - first);
}

/* Where the lanes of an access lie, when they are one run of bytes in the device's memory: *first, *bytes. */
static bool one_run(const struct warp *w, const struct uop *op, uint32_t size, uint64_t *first, uint64_t *bytes)
{
	bool uniform = w->encoding[op->rs1] == ENC_UNIFORM;
	*first = w->base[op->rs1] + (uint64_t)(int64_t)op->imm;
	*bytes = uniform ? size : (uint64_t)LANES * size;
	return (uniform || (w->encoding[op->rs1] == ENC_AFFINE && w->stride[op->rs1] == size && w->mask == ALL_LANES)) &&
	       *first + *bytes <= VA_LOCAL_BASE && *first + *bytes > *bytes;
}

/* Its extents: one a page. */
static unsigned run_extents(uint64_t va, uint64_t bytes, struct extent *p)
{
	unsigned n = 0;
	for (uint64_t end = va + bytes; va < end; n++) {
		uint64_t page_end = (va | (GALENA_PAGE_SIZE - 1)) + 1;
		p[n] = (struct extent){ va, (uint32_t)((end < page_end ? end : page_end) - va) };
		va += p[n].bytes;
	}
	return n;
}

/* One event for each run of bytes in a page. */
static void report(const struct warp *w, enum event_kind kind, const struct extent *p, unsigned n)
{
	const struct cu *cu = w->cu;
	for (unsigned i = 0; i < n;) {
		uint64_t va = p[i].va, end = va + p[i].bytes, page = va & ~(GALENA_PAGE_SIZE - 1);
		for (i++; i < n && p[i].va <= end && p[i].va - page < GALENA_PAGE_SIZE; i++)
			if (p[i].va + p[i].bytes > end)
				end = p[i].va + p[i].bytes;
		for (uint32_t k = 0; k < cu->tlb.num_asked; k++) {
			const uint64_t pa = cu->tlb.asked[k].pa + (va - page);
			if (cu->tlb.asked[k].va != page)
				continue;
			EVENT_SEND(cu->events, .cycle = cu->now, .kind = (uint16_t)kind, .unit = (uint16_t)cu->unit,
				   .queue = (uint16_t)w->group->slot, .asid = (uint16_t)w->space, .a = va, .b = pa, .c = end - va);
			if (kind == EVENT_WRITE && cu->stores_seen)
				reservations_written(&cu->mem->reservations, pa, end - va);
		}
	}
}

const struct uop *observe_access(struct warp *w, const struct uop *op)
{
	static const enum event_kind kinds[] = { [CLASS_LOAD] = EVENT_READ, [CLASS_STORE] = EVENT_WRITE,
						 [CLASS_ATOMIC] = EVENT_ATOMIC };
	enum event_kind kind = op->op == OP_lr_w || op->op == OP_lr_d ? EVENT_READ : kinds[op->cls];
	uint32_t mask = w->mask, size = 1u << (op->word >> 12 & 3);
	struct extent extents[LANE_EXTENTS * LANES];
	unsigned n = 0;
	uint64_t va[LANES];
	uint64_t first, bytes;
	bool run = one_run(w, op, size, &first, &bytes);
	if (!run)
		register_lanes(w, op->rs1, va); /* the instruction may change it */
	w->cu->tlb.num_asked = 0;
	const struct uop *next = w->cu->engine->fn[op->op](w, op);
	if (run && w->exit != LEAVE_FAULT) {
		report(w, kind, extents, run_extents(first, bytes, extents));
		return next;
	}
	if (run) /* no register has changed */
		register_lanes(w, op->rs1, va);
	if (w->exit == LEAVE_FAULT)
		mask = fault_lanes_done(w);
	if (op->cls == CLASS_STORE && w->cu->stores_seen)
		lsu_local_stored(w, op);
	for (; mask; mask &= mask - 1) {
		unsigned lane = (unsigned)__builtin_ctz(mask);
		n = lane_extents(w, lane, va[lane] + (uint64_t)(int64_t)op->imm, size, extents, n);
	}
	report(w, kind, extents, n);
	return next;
}
