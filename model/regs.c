#include "model/regs.h"
#include "abi/device_config.h"
#include "abi_hash.h"
#include <stdlib.h>
#include <string.h>

/* The words of the columns effects and reset. */
enum {
	NONE = REG_EFFECT_NONE, WE = REG_EFFECT_WE, RE = REG_EFFECT_RE, EXT = REG_EFFECT_EXT, HWSET = REG_EFFECT_HWSET,
	HWCLR = REG_EFFECT_HWCLR, INCR = REG_EFFECT_INCR, SHADOW = REG_EFFECT_SHADOW, LOCK = REG_EFFECT_LOCK
};
enum { FIELDS };
#define HASH GALENA_ABI_HASH
#define INDEX index
#define CONFIG(parameter) (uint64_t)c->parameter

const struct reg_row reg_rows[REG_NUM_IDS] = {
#define REG(b, n, o, w, c, sw, hw, e, reset, doc)                                                  \
	[REG_ID_##b##_##n] = { .name = #b "." #n,                                                  \
			       .bank = REG_BANK_##b,                                               \
			       .access = REG_ACCESS_##sw,                                          \
			       .hardware = REG_HARDWARE_##hw,                                      \
			       .effects = (e),                                                 \
			       .offset = (o),                                                      \
			       .bits = (w),                                                        \
			       .count = (c) },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
};

/* What a 4-byte word of a bank belongs to. */
struct reg_cell {
	uint16_t slot; /* in the storage, plus 1; 0: no register here */
	uint8_t id;
	uint8_t index : 7;
	uint8_t high : 1; /* high half of a 64-bit register */
};
_Static_assert(REG_NUM_IDS <= 256, "reg_cell.id is 8 bits wide");

/* Bits of a register: those of one field, or all of a register without fields. */
static void bits_add(struct regs *r, enum reg_id id, enum reg_access access, uint64_t mask, uint64_t reset)
{
	struct reg_bits *b = &r->bits[id];

	if (access == REG_ACCESS_SAME)
		access = reg_rows[id].access;
	b->mask |= mask;
	b->stored |= access == REG_ACCESS_RW ? mask : 0;
	b->set |= access == REG_ACCESS_RW1S ? mask : 0;
	b->cleared |= access == REG_ACCESS_RW1C ? mask : 0;
	b->hidden |= access == REG_ACCESS_WO ? mask : 0;
	b->reset |= reset;
}

static void bits_init(struct regs *r, const struct device_config *c, uint64_t index)
{
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc)
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)                                         \
	bits_add(r, REG_ID_##bank##_##reg, REG_ACCESS_##sw, ((1ull << (width)) - 1) << (lsb), (uint64_t)(reset) << (lsb));
#include "abi/registers.def"
#undef REG
#undef FIELD
#define REG(bank, name, offset, width, count, sw, hw, effects, reset, doc)                         \
	if (!r->bits[REG_ID_##bank##_##name].mask)                                                 \
		bits_add(r, REG_ID_##bank##_##name, REG_ACCESS_##sw, UINT64_MAX >> (64 - (width)), (reset));
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
}

static void cells_init(struct regs *r)
{
	for (unsigned i = 0; i < REG_NUM_IDS; i++) {
		const struct reg_row *row = &reg_rows[i];
		unsigned halves = row->bits / 32;

		unsigned slot = reg_first[i];

		for (unsigned e = 0; e < row->count; e++, slot++)
			for (unsigned h = 0; h < halves; h++)
				r->cells[row->bank][row->offset / 4 + e * halves + h] =
					(struct reg_cell){ .slot = (uint16_t)(slot + 1),
							   .id = (uint8_t)i,
							   .index = (uint8_t)(e & 0x7f),
							   .high = h & 1 };
	}
}

struct regs *regs_create(const struct reg_hook *hooks, struct device *d, const struct device_config *c, unsigned index)
{
	struct regs *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->hooks = hooks;
	r->device = d;
	for (unsigned i = 0; i < REG_NUM_IDS; i++) {
		const struct reg_row *row = &reg_rows[i];
		uint32_t end = row->offset / 4 + row->count * row->bits / 32;

		if (r->words[row->bank] < end)
			r->words[row->bank] = end;
	}
	for (unsigned b = 0; b < REG_NUM_BANKS; b++)
		r->cells[b] = calloc(r->words[b], sizeof(**r->cells));
	if (!r->cells[REG_BANK_HOST] || !r->cells[REG_BANK_CP]) {
		regs_destroy(r);
		return NULL;
	}
	bits_init(r, c, index);
	cells_init(r);
	regs_reset(r);
	return r;
}

void regs_destroy(struct regs *r)
{
	if (!r)
		return;
	for (unsigned b = 0; b < REG_NUM_BANKS; b++)
		free(r->cells[b]);
	free(r);
}

void regs_reset(struct regs *r)
{
	for (unsigned i = 0; i < REG_NUM_IDS; i++)
		for (unsigned e = 0; e < reg_rows[i].count; e++)
			regs_set(r, (enum reg_id)i, e, r->bits[i].reset);
	memset(r->latch, 0, sizeof(r->latch));
}

void regs_set(struct regs *r, enum reg_id id, unsigned index, uint64_t value)
{
	r->value[reg_first[id] + index] = value;
	r->low[reg_first[id] + index] = (uint32_t)value;
}

static const struct reg_cell *find_cell(const struct regs *r, enum reg_bank bank, uint32_t offset)
{
	static const struct reg_cell none;

	return offset / 4 < r->words[bank] ? &r->cells[bank][offset / 4] : &none;
}

static uint64_t cell_read(struct regs *r, const struct reg_cell *c)
{
	const struct reg_hook *h = &r->hooks[c->id];

	if (h->read)
		return h->read(r->device, c->index) & r->bits[c->id].mask;
	return r->value[c->slot - 1] & ~r->bits[c->id].hidden;
}

static void cell_write(struct regs *r, const struct reg_cell *c, uint64_t value)
{
	const struct reg_hook *h = &r->hooks[c->id];
	const struct reg_bits *b = &r->bits[c->id];
	uint64_t *stored = &r->value[c->slot - 1];

	if (b->stored == b->mask) { /* what there is most of */
		*stored = value &= b->mask;
	} else if (reg_rows[c->id].access == REG_ACCESS_RO) {
		return;
	} else {
		const uint64_t cleared = value & *stored & b->cleared;
		*stored = ((*stored & ~b->stored) | (value & (b->stored | b->set))) & ~cleared;
		value = (*stored & (b->stored | b->set)) | cleared | (value & b->hidden);
	}
	if (h->write)
		h->write(r->device, c->index, value);
}

static uint32_t read_word(struct regs *r, enum reg_master master, enum reg_bank bank, uint32_t offset)
{
	const struct reg_cell *c = find_cell(r, bank, offset);
	uint64_t value;

	if (!c->slot)
		return 0;
	if (c->high && r->latch[master].slot == c->slot) {
		r->latch[master].slot = 0;
		return r->latch[master].high;
	}
	value = cell_read(r, c);
	if (c->high)
		return (uint32_t)(value >> 32);
	if (reg_rows[c->id].bits == 64) {
		r->latch[master].slot = c->slot;
		r->latch[master].high = (uint32_t)(value >> 32);
	}
	return (uint32_t)value;
}

uint64_t regs_read(struct regs *r, enum reg_master master, enum reg_bank bank, uint32_t offset, unsigned bytes)
{
	const struct reg_cell *c;
	uint64_t low;

	if ((bytes != 4 && bytes != 8) || offset % bytes)
		return 0;
	if (bytes == 4)
		return read_word(r, master, bank, offset);
	c = find_cell(r, bank, offset);
	if (c->slot && reg_rows[c->id].bits == 64)
		return cell_read(r, c);
	low = read_word(r, master, bank, offset);
	return low | (uint64_t)read_word(r, master, bank, offset + 4) << 32;
}

static void write_word(struct regs *r, enum reg_bank bank, uint32_t offset, uint32_t value)
{
	const struct reg_cell *c = find_cell(r, bank, offset);

	if (!c->slot)
		return;
	if (c->high)
		cell_write(r, c, (uint64_t)value << 32 | r->low[c->slot - 1]);
	else if (reg_rows[c->id].bits == 64)
		r->low[c->slot - 1] = value;
	else
		cell_write(r, c, value);
}

void regs_write(struct regs *r, enum reg_bank bank, uint32_t offset, unsigned bytes, uint64_t value)
{
	const struct reg_cell *c;

	if ((bytes != 4 && bytes != 8) || offset % bytes)
		return;
	if (bytes == 4) {
		write_word(r, bank, offset, (uint32_t)value);
		return;
	}
	c = find_cell(r, bank, offset);
	if (c->slot && reg_rows[c->id].bits == 64) {
		r->low[c->slot - 1] = (uint32_t)value;
		cell_write(r, c, value);
		return;
	}
	write_word(r, bank, offset, (uint32_t)value);
	write_word(r, bank, offset + 4, (uint32_t)(value >> 32));
}
