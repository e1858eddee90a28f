/* Numbers such as ISA-60 and CU-108 are those of docs/hardware/isa.md and docs/hardware/cu.md. */
#include "testbench/reference/private_address.h"
#include "abi/address_map.h"
#include <stdlib.h>

enum { WORD = 4, ALIGNMENT = 16 };

static void require(bool condition)
{
	if (!condition)
		abort();
}

enum fault private_dispatch(uint32_t private_bytes, uint64_t scratch, uint64_t scratch_size, uint32_t num_cu, uint32_t warps_per_cu,
			    uint32_t lanes)
{
	if (private_bytes % ALIGNMENT || private_bytes > PRIVATE_BYTES_MOST)
		return FAULT_BAD_DISPATCH; /* CU-8 */
	const uint64_t bytes = (uint64_t)num_cu * warps_per_cu * lanes * private_bytes;
	if (scratch && (scratch_size < bytes || scratch % ALIGNMENT || scratch > VA_LOCAL_BASE - bytes))
		return FAULT_BAD_DISPATCH; /* CU-10 */
	return FAULT_NONE;
}

/* CU-40 */
uint64_t private_stack(uint32_t private_bytes) { return VA_PRIVATE_BASE + private_bytes; }

/* ISA-43: the first byte decides */
bool private_is(uint64_t address) { return address - VA_PRIVATE_BASE < VA_PRIVATE_SIZE; }

/* CU-108 */
uint64_t private_base(const struct private_warp *w)
{
	return w->scratch + ((uint64_t)w->unit * w->warps_per_cu + w->slot) * w->lanes * w->private_bytes;
}

enum fault private_find(const struct private_warp *w, unsigned lane, uint64_t address, unsigned size, enum private_access access,
			struct private_place *place)
{
	const uint64_t offset = address - VA_PRIVATE_BASE, end = offset + size;
	require(size == 1 || size == 2 || size == 4 || size == 8);
	require(w->lanes && w->lanes <= PRIVATE_LANES && lane < w->lanes && private_is(address));
	if ((access == PRIVATE_ATOMIC || access == PRIVATE_RESERVE) && address % size)
		return FAULT_MISALIGNED; /* ISA-65: before window and range */
	if (!w->scratch || end > w->private_bytes)
		return FAULT_PRIVATE_RANGE; /* ISA-61 */
	place->parts = 0;
	for (uint64_t o = offset; o < end;) { /* ISA-62 */
		const uint64_t behind = (o / WORD + 1) * WORD, until = behind < end ? behind : end;
		place->part[place->parts++] = (struct private_part){
			.address = private_base(w) + (o / WORD * w->lanes + lane) * WORD + o % WORD, /* ISA-60 */
			.first = (uint8_t)(o - offset),
			.bytes = (uint8_t)(until - o),
		};
		o = until;
	}
	return FAULT_NONE;
}

/* ---- an instruction ---- */

struct execution {
	const struct private_warp *warp;
	unsigned size;
	enum private_access kind;
	const struct private_memory *memory;
	struct private_fault *fault;
};

/* ISA-50; what lr is as an access: MMU-27 */
static enum access access_of(enum private_access kind)
{
	static const enum access accesses[] = { ACCESS_READ, ACCESS_WRITE, ACCESS_READ, ACCESS_ATOMIC };
	return accesses[kind];
}

static bool page_fault(enum fault code)
{
	return code == FAULT_PAGE_NOT_PRESENT || code == FAULT_PAGE_READ || code == FAULT_PAGE_WRITE || code == FAULT_PAGE_EXEC;
}

static enum fault failed(const struct execution *x, enum fault code, unsigned lane, uint64_t address)
{
	*x->fault = (struct private_fault){ code, access_of(x->kind), lane, address };
	return code;
}

/* ISA-54, ISA-55: the pages of a lane, before any lane does anything */
static enum fault look_first(const struct execution *x, unsigned lane, uint64_t address)
{
	struct private_place place;
	if (private_find(x->warp, lane, address, x->size, x->kind, &place))
		return FAULT_NONE;
	for (unsigned i = 0; i < place.parts; i++) {
		const enum fault code = x->memory->look(x->memory->of, place.part[i].address, place.part[i].bytes, access_of(x->kind));
		if (code) /* what is no page fault is passed over, with the parts behind it */
			return page_fault(code) ? failed(x, code, lane, place.part[i].address) : FAULT_NONE; /* ISA-63 */
	}
	return FAULT_NONE;
}

static enum fault look_part(const struct execution *x, unsigned lane, const struct private_part *part)
{
	const enum fault code = x->memory->look(x->memory->of, part->address, part->bytes, access_of(x->kind));
	return code ? failed(x, code, lane, part->address) : FAULT_NONE;
}

static enum fault move_part(const struct execution *x, unsigned lane, const struct private_part *part, enum access access)
{
	const enum fault code = x->memory->move(x->memory->of, lane, part, access);
	return code ? failed(x, code, lane, part->address) : FAULT_NONE;
}

/* ISA-77: an atomic of 8 bytes looks for its two words, loads them and then stores them */
static enum fault do_halves(const struct execution *x, unsigned lane, const struct private_place *place)
{
	enum fault code = FAULT_NONE;
	for (unsigned i = 0; i < place->parts && !code; i++)
		code = look_part(x, lane, &place->part[i]);
	for (unsigned i = 0; i < place->parts && !code; i++)
		code = move_part(x, lane, &place->part[i], ACCESS_READ);
	for (unsigned i = 0; i < place->parts && !code; i++)
		code = move_part(x, lane, &place->part[i], ACCESS_WRITE);
	return code;
}

static enum fault do_lane(const struct execution *x, unsigned lane, uint64_t address)
{
	struct private_place place;
	enum fault code = private_find(x->warp, lane, address, x->size, x->kind, &place);
	if (code)
		return failed(x, code, lane, address);
	if (x->kind == PRIVATE_ATOMIC && place.parts > 1)
		return do_halves(x, lane, &place);
	for (unsigned i = 0; i < place.parts && !code; i++) { /* ISA-62, ISA-64 */
		code = look_part(x, lane, &place.part[i]);
		if (!code)
			code = move_part(x, lane, &place.part[i], access_of(x->kind));
	}
	return code;
}

enum fault private_execute(const struct private_warp *warp, uint32_t mask, const uint64_t *addresses, unsigned size,
			   enum private_access kind, bool replayable, const struct private_memory *memory, struct private_fault *fault)
{
	const struct execution x = { warp, size, kind, memory, fault };
	const bool look = replayable && kind != PRIVATE_LOAD;
	enum fault code = FAULT_NONE;
	*fault = (struct private_fault){ 0 };
	for (unsigned l = 0; look && l < warp->lanes && !code; l++)
		if (mask >> l & 1)
			code = look_first(&x, l, addresses[l]);
	for (unsigned l = 0; l < warp->lanes && !code; l++) /* ISA-53, CU-109, CU-110 */
		if (mask >> l & 1)
			code = do_lane(&x, l, addresses[l]);
	return code;
}

/* ---- lines ---- */

unsigned private_lines(const struct private_bytes *accesses, unsigned count, uint32_t line_bytes, uint64_t *lines, unsigned most)
{
	unsigned n = 0;
	for (unsigned a = 0; a < count; a++) {
		const uint64_t last = (accesses[a].physical + accesses[a].bytes - 1) / line_bytes;
		for (uint64_t line = accesses[a].physical / line_bytes; line <= last; line++) { /* ISA-85 */
			unsigned i = 0;
			while (i < n && lines[i] != line * line_bytes)
				i++;
			if (i < n)
				continue; /* ISA-84 */
			require(n < most);
			lines[n++] = line * line_bytes;
		}
	}
	return n;
}

/* ISA-87 */
uint32_t private_store_bytes(unsigned running, unsigned size, unsigned lines, uint32_t line_bytes)
{
	require(lines);
	const uint32_t bytes = (running * size + lines - 1) / lines;
	return bytes < line_bytes ? bytes : line_bytes;
}
