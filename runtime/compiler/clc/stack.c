/* How much stack a kernel needs: frames are read from the code, summed along the deepest call path.
 *
 * A frame is whatever is subtracted from sp anywhere in a function. The back end does it with
 * addi, or by a constant that it builds in a register (lui, addi, addiw, slli) and then sub, or
 * sh1add..sh3add of it; it aligns frames of over-aligned variables with andi. Anything else done
 * to sp is an error here, not a guess. */
#include "runtime/compiler/clc/clc.h"
#include "abi/address_map.h"
#include <stdlib.h>
#include <string.h>

enum { SP = 2, RA = 1, S0 = 8 };

struct constants { int64_t value[32]; bool known[32]; };

struct walk {
	const struct image *image;
	const struct image_function *function;
	uint64_t frame;
	size_t *callees; size_t num_callees;
	bool ok;
};

static int32_t sign(uint32_t insn) { return (int32_t)insn; }
static int64_t i_imm(uint32_t x) { return sign(x) >> 20; }
static int64_t j_imm(uint32_t x)
{
	return (int64_t)(sign(x) >> 31) * (1 << 20) + (int64_t)((x >> 12 & 0xff) << 12 | (x >> 20 & 1) << 11 |
							  (x >> 21 & 0x3ff) << 1);
}

static void call_to(struct walk *w, uint64_t target)
{
	for (size_t i = 0; i < w->image->num_functions; i++) {
		const struct image_function *f = &w->image->functions[i];
		if (f->address != target || f == w->function)
			continue;
		*CLC_ADD(w->callees, w->num_callees) = i;
		return;
	}
}

/* One instruction that writes sp. What is given back (positive) is not counted. */
static void adjust(struct walk *w, struct constants *c, uint32_t x)
{
	unsigned opcode = x & 0x7f, f3 = x >> 12 & 7, f7 = x >> 25, rs1 = x >> 15 & 31, rs2 = x >> 20 & 31;
	int64_t change = 0;
	bool understood = false;
	if (opcode == 0x13 && f3 == 0 && rs1 == SP) {
		change = i_imm(x);
		understood = true;
	} else if (opcode == 0x13 && f3 == 0 && rs1 == S0) { /* back to the frame from its pointer */
		understood = true;
	} else if (opcode == 0x13 && f3 == 7 && rs1 == SP && i_imm(x) < 0) { /* align down */
		change = i_imm(x) + 1;
		understood = true;
	} else if (opcode == 0x33 && f3 == 0 && f7 == 0x20 && rs1 == SP && c->known[rs2]) {
		change = -c->value[rs2];
		understood = true;
	} else if (opcode == 0x33 && f3 == 0 && f7 == 0 && (rs1 == SP || rs2 == SP)) {
		unsigned other = rs1 == SP ? rs2 : rs1;
		understood = c->known[other];
		change = c->value[other];
	} else if (opcode == 0x33 && f7 == 0x10 && (f3 == 2 || f3 == 4 || f3 == 6) && rs2 == SP && c->known[rs1]) {
		change = c->value[rs1] * (1 << (f3 / 2));
		understood = true;
	} else if (opcode == 0x33 && f3 == 0 && f7 == 0x20 && rs1 == S0) {
		understood = true;
	}
	if (!understood) {
		clc_error("internal: cannot tell the stack frame of '%s' (instruction %08x)", w->function->name, x);
		w->ok = false;
	}
	if (change < 0)
		w->frame += (uint64_t)-change;
}

/* Follows constants through the instructions that build them. */
static void track(struct constants *c, uint32_t x, unsigned rd)
{
	unsigned opcode = x & 0x7f, f3 = x >> 12 & 7, rs1 = x >> 15 & 31;
	if (opcode == 0x37) {
		c->value[rd] = sign(x & 0xfffff000);
		c->known[rd] = true;
	} else if (opcode == 0x13 && f3 == 0 && (rs1 == 0 || c->known[rs1])) {
		c->value[rd] = (rs1 ? c->value[rs1] : 0) + i_imm(x);
		c->known[rd] = true;
	} else if (opcode == 0x1b && f3 == 0 && (rs1 == 0 || c->known[rs1])) {
		c->value[rd] = (int32_t)((rs1 ? c->value[rs1] : 0) + i_imm(x));
		c->known[rd] = true;
	} else if (opcode == 0x13 && f3 == 1 && x >> 26 == 0 && c->known[rs1]) {
		c->value[rd] = (int64_t)((uint64_t)c->value[rs1] << (x >> 20 & 63));
		c->known[rd] = true;
	} else {
		c->known[rd] = false;
	}
}

static void scan(struct walk *w)
{
	const struct bytes *text = &w->image->bytes[SEG_TEXT];
	struct constants c = { 0 };
	uint64_t base = w->image->address[SEG_TEXT], upper = 0;
	unsigned upper_reg = 0;
	for (uint64_t at = w->function->address; at + 4 <= w->function->address + w->function->size; at += 4) {
		uint32_t x;
		memcpy(&x, text->data + (at - base), 4);
		unsigned opcode = x & 0x7f, rd = x >> 7 & 31;
		if (opcode == 0x17) { /* auipc */
			upper = at + (uint64_t)(int64_t)sign(x & 0xfffff000);
			upper_reg = rd;
			c.known[rd] = false;
			continue;
		}
		if (opcode == 0x67) { /* jalr: a call or a tail call when its address has just been made */
			if (upper_reg && (x >> 15 & 31) == upper_reg)
				call_to(w, upper + (uint64_t)i_imm(x));
		} else if (opcode == 0x6f) {
			call_to(w, at + (uint64_t)j_imm(x));
		} else if (opcode == 0x63) { /* a branch may be a tail call, too */
			int64_t d = (int64_t)(sign(x) >> 31) * 4096 +
				    (int64_t)((x >> 7 & 1) << 11 | (x >> 25 & 0x3f) << 5 | (x >> 8 & 0xf) << 1);
			call_to(w, at + (uint64_t)d);
		} else if (opcode != 0x23 && opcode != 0x27 && opcode != 0x07 && opcode != 0x53 &&
			   opcode != 0x43 && opcode != 0x47 && opcode != 0x4b && opcode != 0x4f) {
			if (rd == SP)
				adjust(w, &c, x);
			else if (rd)
				track(&c, x, rd);
			if (rd == upper_reg)
				upper_reg = 0;
		} else if (opcode == 0x53 && rd) { /* may write an integer register */
			c.known[rd] = false;
		}
	}
}

struct depths { uint64_t *depth; unsigned char *state; };

static bool visit(const struct image *image, const struct image_function *function, struct depths *d)
{
	size_t index = (size_t)(function - image->functions);
	if (d->state[index] == 2)
		return true;
	if (d->state[index] == 1) {
		clc_error("function '%s' calls itself: recursion is not supported", function->name);
		return false;
	}
	struct walk w = { .image = image, .function = function, .ok = true };
	uint64_t deepest = 0;
	d->state[index] = 1;
	scan(&w);
	for (size_t i = 0; w.ok && i < w.num_callees; i++) {
		w.ok = visit(image, &image->functions[w.callees[i]], d);
		if (w.ok && d->depth[w.callees[i]] > deepest)
			deepest = d->depth[w.callees[i]];
	}
	free(w.callees);
	d->depth[index] = w.frame + deepest;
	d->state[index] = 2;
	return w.ok;
}

bool stack_depth(const struct image *image, const struct image_function *function, uint32_t *bytes)
{
	struct depths d = { .depth = clc_alloc(image->num_functions * sizeof(uint64_t)),
			    .state = clc_alloc(image->num_functions) };
	bool ok = visit(image, function, &d);
	uint64_t depth = (d.depth[function - image->functions] + 15) & ~15ull;
	if (ok && depth > VA_PRIVATE_SIZE) {
		clc_error("kernel '%s' needs %llu bytes of private memory, a work-item has %llu",
			  function->name + sizeof CLC_ENTRY_PREFIX - 1, (unsigned long long)depth,
			  (unsigned long long)VA_PRIVATE_SIZE);
		ok = false;
	}
	*bytes = (uint32_t)depth;
	free(d.depth);
	free(d.state);
	return ok;
}
