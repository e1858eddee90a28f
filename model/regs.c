#include "model/regs.h"
#include <stdlib.h>
#include <string.h>

const struct reg_row reg_rows[REG_NUM_IDS] = {
#define REG(b, n, o, w, c, a, r, doc)                                                              \
	[REG_ID_##b##_##n] = { .name = #b "." #n,                                                  \
			       .bank = REG_BANK_##b,                                               \
			       .access = REG_ACCESS_##a,                                           \
			       .offset = (o),                                                      \
			       .bits = (w),                                                        \
			       .count = (c),                                                       \
			       .reset = (r) },
#define FIELD(bank, reg, name, lsb, width, doc)
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

static void masks_init(uint64_t *mask)
{
	for (unsigned i = 0; i < REG_NUM_IDS; i++)
		mask[i] = 0;
#define REG(bank, name, offset, bits, count, access, reset, doc)
#define FIELD(bank, reg, name, lsb, width, doc)                                                    \
	mask[REG_ID_##bank##_##reg] |= ((1ull << (width)) - 1) << (lsb);
#include "abi/registers.def"
#undef REG
#undef FIELD
	for (unsigned i = 0; i < REG_NUM_IDS; i++)
		if (!mask[i])
			mask[i] = reg_rows[i].bits == 64 ? UINT64_MAX : UINT32_MAX;
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

struct regs *regs_create(const struct reg_hook *hooks, struct device *d)
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
	masks_init(r->mask);
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
			regs_set(r, (enum reg_id)i, e, reg_rows[i].reset);
	memset(r->latch, 0, sizeof(r->latch));
}

void regs_set(struct regs *r, enum reg_id id, unsigned index, uint64_t value)
{
	r->value[reg_first[id] + index] = value;
	r->low[reg_first[id] + index] = (uint32_t)value;
}

uint64_t regs_mask(const struct regs *r, enum reg_id id) { return r->mask[id]; }

static const struct reg_cell *find_cell(const struct regs *r, enum reg_bank bank, uint32_t offset)
{
	static const struct reg_cell none;

	return offset / 4 < r->words[bank] ? &r->cells[bank][offset / 4] : &none;
}

static uint64_t cell_read(struct regs *r, const struct reg_cell *c)
{
	const struct reg_hook *h = &r->hooks[c->id];

	if (h->read)
		return h->read(r->device, c->index) & r->mask[c->id];
	return reg_rows[c->id].access == REG_ACCESS_WO ? 0 : r->value[c->slot - 1];
}

static void cell_write(struct regs *r, const struct reg_cell *c, uint64_t value)
{
	const struct reg_hook *h = &r->hooks[c->id];
	uint64_t *stored = &r->value[c->slot - 1];

	value &= r->mask[c->id];
	switch (reg_rows[c->id].access) {
	case REG_ACCESS_RO:
		return;
	case REG_ACCESS_RW:
		*stored = value;
		break;
	case REG_ACCESS_W1C:
		value &= *stored;
		*stored &= ~value;
		break;
	case REG_ACCESS_WO:
		break;
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
