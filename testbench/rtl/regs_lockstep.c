#include "testbench/rtl/regs_lockstep.h"
#include "rtl/shim/regs_shim.h"
#include "testbench/random.h"
#include <stdarg.h>
#include <string.h>

/* Where the members of an element are in the ports of its register, as docs/rtl.md says: bits of element 0, NOWHERE for one that it does
 * not have; and what the outputs have to be. */
enum { NOWHERE = -1, PORT_BYTES = 160 };
struct place {
	int q, qe, re, out_stride;
	int d, de, ack, hwset, hwclr, incr, in_stride;
	uint64_t hidden; /* bits that show for a cycle what was written */
	uint8_t *in;
	const uint8_t *out;
	size_t out_bytes;
	uint8_t expected[PORT_BYTES];
};

enum { DEVICE_INDEX = 3, POOL = 6, MOST_CHANGES = 3 };
struct change {
	enum reg_id id;
	unsigned index;
	bool load;
	uint64_t d, hwset, hwclr, incr;
};

struct device { /* of the hooks: this run */
	uint64_t random;
	struct regs *regs;
	struct reg_hook hooks[REG_NUM_IDS];
	struct place places[REG_NUM_IDS];
	struct regs_lockstep_result *result;
	struct regs_shim *shim;
	uint64_t ext[REG_NUM_SLOTS], before[REG_NUM_SLOTS];
	struct { enum reg_id id; int at; } strobes[16]; /* bits that are 1 for a cycle */
	unsigned n_strobes, master;
	struct { enum reg_id id; unsigned index; } shown[4]; /* whose hidden bits show */
	unsigned n_shown, requests, hits;
	struct { enum reg_id id; unsigned index; } pool[POOL];
	struct change changes[MOST_CHANGES];
	unsigned n_changes;
};

static uint64_t next(struct device *d) { return splitmix64(&d->random); }
static uint64_t below(struct device *d, uint64_t n) { return next(d) % n; }

static uint64_t some_value(struct device *d)
{
	uint64_t v = next(d);

	switch (below(d, 8)) {
	case 0: return 0;
	case 1: return UINT64_MAX;
	case 2: return v & 0xff;
	case 3: return v & next(d) & next(d);
	default: return v;
	}
}

/* ---- bits of the structures ---- */

static void bits_put(uint8_t *bytes, int at, unsigned width, uint64_t value)
{
	for (unsigned done = 0, part; done < width; done += part) {
		unsigned shift = ((unsigned)at + done) % 8;
		uint8_t *byte = &bytes[((unsigned)at + done) / 8], mask;

		part = width - done < 8 - shift ? width - done : 8 - shift;
		mask = (uint8_t)(((1u << part) - 1) << shift);
		*byte = (uint8_t)((*byte & ~mask) | ((value >> done << shift) & mask));
	}
}

static uint64_t bits_get(const uint8_t *bytes, int at, unsigned width)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < width; i++)
		v |= (uint64_t)(bytes[((unsigned)at + i) / 8] >> ((unsigned)at + i) % 8 & 1) << i;
	return v;
}

static bool has(enum reg_id id, unsigned effect) { return reg_rows[id].effects & effect; }

/* ---- differences ---- */

static bool left_out(const struct device *d, unsigned id) { return d->result->text[id][0]; }

__attribute__((format(printf, 3, 4))) static void differs(struct device *d, unsigned id, const char *format, ...)
{
	va_list args;

	if (left_out(d, id))
		return;
	d->result->differences++;
	va_start(args, format);
	vsnprintf(d->result->text[id], sizeof(d->result->text[id]), format, args);
	va_end(args);
}

static int member(int *at, bool there, unsigned width)
{
	int here = *at;

	if (!there)
		return NOWHERE;
	*at += (int)width;
	return here;
}

static void place_find(struct device *d, enum reg_id id)
{
	struct place *p = &d->places[id];
	const struct reg_row *row = &reg_rows[id];
	bool reads = row->hardware == REG_HARDWARE_RO || row->hardware == REG_HARDWARE_RW;
	bool writes = row->hardware == REG_HARDWARE_WO || row->hardware == REG_HARDWARE_RW;
	bool adds = has(id, REG_EFFECT_HWSET | REG_EFFECT_HWCLR | REG_EFFECT_INCR), ext = has(id, REG_EFFECT_EXT);
	int out = 0, in = 0;
	size_t in_bytes = 0;

	p->q = member(&out, reads, row->bits);
	p->qe = member(&out, has(id, REG_EFFECT_WE), 1);
	p->re = member(&out, has(id, REG_EFFECT_RE), 1);
	p->hwset = member(&in, writes && has(id, REG_EFFECT_HWSET), row->bits);
	p->hwclr = member(&in, writes && has(id, REG_EFFECT_HWCLR), row->bits);
	p->incr = member(&in, writes && has(id, REG_EFFECT_INCR), row->bits);
	p->d = member(&in, writes && !adds, row->bits);
	p->de = member(&in, writes && !adds && (!ext || row->access != REG_ACCESS_RO), 1);
	p->ack = member(&in, writes && ext && has(id, REG_EFFECT_RE), 1);
	p->out_stride = out;
	p->in_stride = in;
	p->out = regs_shim_port(d->shim, id, true, &p->out_bytes);
	p->in = regs_shim_port(d->shim, id, false, &in_bytes);
	if (p->out_bytes > PORT_BYTES || (size_t)out * row->count > p->out_bytes * 8 || (size_t)in * row->count > in_bytes * 8)
		differs(d, id, "%s: its ports have %zu and %zu bytes for %u elements of %d and %d bits", row->name, p->out_bytes, in_bytes, row->count, out, in);
}

static void places_find(struct device *d)
{
	for (unsigned i = 0; i < REG_NUM_IDS; i++)
		place_find(d, (enum reg_id)i);
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc)                          \
	if (REG_ACCESS_##sw == REG_ACCESS_WO)                                                      \
		d->places[REG_ID_##bank##_##name].hidden = regs_mask(d->regs, REG_ID_##bank##_##name);
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)                                         \
	if (REG_ACCESS_##sw == REG_ACCESS_WO)                                                      \
		d->places[REG_ID_##bank##_##reg].hidden |= ((1ull << (width)) - 1) << (lsb);
#include "abi/registers.def"
#undef REG
#undef FIELD
}

/* ---- what the model says of an access ---- */

static unsigned slot_of(enum reg_id id, unsigned index) { return reg_first[id] + index; }

static void strobe(struct device *d, enum reg_id id, int at)
{
	d->strobes[d->n_strobes].id = id;
	d->strobes[d->n_strobes++].at = at;
}

static uint64_t told_read(struct device *d, enum reg_id id, unsigned index)
{
	const struct place *p = &d->places[id];

	if (has(id, REG_EFFECT_RE)) {
		if (has(id, REG_EFFECT_EXT))
			d->requests++;
		else
			strobe(d, id, p->re + p->out_stride * (int)index);
	}
	return has(id, REG_EFFECT_EXT) ? d->ext[slot_of(id, index)] : regs_get(d->regs, id, index);
}

static void told_write(struct device *d, enum reg_id id, unsigned index, uint64_t value)
{
	struct place *p = &d->places[id];

	if (has(id, REG_EFFECT_LOCK) && regs_get(d->regs, REG_ID_HOST_PROT_CTRL, 0) & REG_HOST_PROT_CTRL_LOCK) {
		regs_set(d->regs, id, index, d->before[slot_of(id, index)]);
		d->result->counts.locked++;
		return;
	}
	if (p->q != NOWHERE && p->hidden) {
		bits_put(p->expected, p->q + p->out_stride * (int)index, reg_rows[id].bits, regs_get(d->regs, id, index) | (value & p->hidden));
		d->shown[d->n_shown].id = id;
		d->shown[d->n_shown++].index = index;
	}
	if (has(id, REG_EFFECT_WE))
		strobe(d, id, p->qe + p->out_stride * (int)index);
}

#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc)                          \
	static uint64_t read_##bank##_##name(struct device *d, unsigned index) { return told_read(d, REG_ID_##bank##_##name, index); } \
	static void write_##bank##_##name(struct device *d, unsigned index, uint64_t v) { told_write(d, REG_ID_##bank##_##name, index, v); }
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG

static void hooks_set(struct device *d)
{
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc)                          \
	d->hooks[REG_ID_##bank##_##name].write = write_##bank##_##name;                            \
	if (has(REG_ID_##bank##_##name, REG_EFFECT_EXT | REG_EFFECT_RE))                           \
		d->hooks[REG_ID_##bank##_##name].read = read_##bank##_##name;
#include "abi/registers.def"
#undef REG
#undef FIELD
}

/* The register at an address, as a master sees it; NO_REGISTER for none. */
static unsigned register_at(unsigned master, uint32_t address, unsigned *index)
{
	enum reg_bank bank = address >= REG_BANK_CP_OFFSET ? REG_BANK_CP : REG_BANK_HOST;
	uint32_t offset = address % REG_BANK_CP_OFFSET;

	if (address >= REG_BANK_CP_OFFSET + REG_BANK_SIZE || (bank == REG_BANK_CP && master == REG_MASTER_HOST))
		return NO_REGISTER;
	for (unsigned i = 0; i < REG_NUM_IDS; i++) {
		const struct reg_row *row = &reg_rows[i];

		if (row->bank == bank && offset >= row->offset && offset < row->offset + row->count * row->bits / 8) {
			*index = (offset - row->offset) * 8 / row->bits;
			return i;
		}
	}
	return NO_REGISTER;
}

/* ---- the hardware's changes ---- */

static void change_pick(struct device *d, struct change *c, enum reg_id id)
{
	const struct place *p = &d->places[id];

	*c = (struct change){ .id = id, .index = (unsigned)below(d, reg_rows[id].count) };
	if (has(c->id, REG_EFFECT_EXT))
		d->ext[slot_of(c->id, c->index)] = some_value(d);
	c->load = p->de != NOWHERE && (!has(c->id, REG_EFFECT_EXT) || !below(d, 4));
	c->d = has(c->id, REG_EFFECT_EXT) ? d->ext[slot_of(c->id, c->index)] : some_value(d);
	c->hwset = p->hwset != NOWHERE ? some_value(d) : 0;
	c->hwclr = p->hwclr != NOWHERE ? some_value(d) : 0;
	c->incr = p->incr != NOWHERE ? below(d, 3) * 8 : 0;
}

/* Of different registers; often one is of the register that is accessed. */
static void changes_pick(struct device *d, unsigned accessed)
{
	d->n_changes = 0;
	for (unsigned n = (unsigned)below(d, MOST_CHANGES + 1); n; n--) {
		enum reg_id id = accessed != NO_REGISTER && below(d, 2) ? (enum reg_id)accessed : (enum reg_id)below(d, REG_NUM_IDS);
		bool picked = false;

		for (unsigned i = 0; i < d->n_changes; i++)
			picked |= d->changes[i].id == id;
		if (!picked && d->places[id].in_stride)
			change_pick(d, &d->changes[d->n_changes++], id);
	}
}

/* The register's next value, as both sides have to see it. */
static void change_model(struct device *d, const struct change *c)
{
	uint64_t old = regs_get(d->regs, c->id, c->index), v = c->load ? c->d : old;

	if (c->load || c->hwset || c->hwclr || c->incr)
		regs_set(d->regs, c->id, c->index, (((v & ~c->hwclr) | c->hwset) + c->incr) & regs_mask(d->regs, c->id));
}

static void input(struct device *d, const struct change *c, int at, unsigned width, uint64_t value)
{
	if (at != NOWHERE)
		bits_put(d->places[c->id].in, at + d->places[c->id].in_stride * (int)c->index, width, value);
}

/* With on as it is in this cycle; else as between changes. */
static void change_drive(struct device *d, const struct change *c, bool on)
{
	const struct place *p = &d->places[c->id];
	unsigned bits = reg_rows[c->id].bits;

	input(d, c, p->d, bits, c->d);
	input(d, c, p->de, 1, on && c->load);
	input(d, c, p->hwset, bits, on ? c->hwset : 0);
	input(d, c, p->hwclr, bits, on ? c->hwclr : 0);
	input(d, c, p->incr, bits, on ? c->incr : 0);
}

static void expect_value(struct device *d, enum reg_id id, unsigned index)
{
	struct place *p = &d->places[id];

	if (p->q != NOWHERE)
		bits_put(p->expected, p->q + p->out_stride * (int)index, reg_rows[id].bits, regs_get(d->regs, id, index));
	d->before[slot_of(id, index)] = regs_get(d->regs, id, index);
}

/* ---- accesses ---- */

static void access_aim(struct device *d, struct regs_shim_access *a)
{
	unsigned which = (unsigned)below(d, 2 * POOL);
	enum reg_id id;
	unsigned index;

	if (!below(d, 32)) {
		d->pool[which % POOL].id = (enum reg_id)below(d, REG_NUM_IDS);
		d->pool[which % POOL].index = (unsigned)below(d, reg_rows[d->pool[which % POOL].id].count);
	}
	id = which < POOL ? d->pool[which].id : (enum reg_id)below(d, REG_NUM_IDS);
	index = which < POOL ? d->pool[which].index : (unsigned)below(d, reg_rows[id].count);
	a->address = reg_rows[id].offset + index * reg_rows[id].bits / 8 + (reg_rows[id].bank == REG_BANK_CP ? REG_BANK_CP_OFFSET : 0);
	if (reg_rows[id].bank == REG_BANK_CP && below(d, 32))
		a->master = REG_MASTER_CP;
	a->size = 2;
	if (!below(d, 3)) {
		a->size = 3;
		a->address &= ~7u;
	} else if (reg_rows[id].bits == 64) {
		a->address += (uint32_t)below(d, 2) * 4;
	}
}

static void access_pick(struct device *d, struct regs_shim_access *a)
{
	*a = (struct regs_shim_access){
		.valid = below(d, 8), .write = below(d, 2), .master = (unsigned)below(d, 2), .size = (unsigned)below(d, 4), .data = some_value(d)
	};
	switch (below(d, 24)) {
	case 0: a->address = (uint32_t)next(d); break;
	case 1: a->address = (uint32_t)below(d, 0x22000); break;
	case 2: a->address = (uint32_t)below(d, 0x2200) & ~7u; break;
	case 3:
		access_aim(d, a);
		a->size = (unsigned)below(d, 4);
		a->address += (uint32_t)below(d, 8);
		break;
	default: access_aim(d, a); break;
	}
}

/* What the model does with it, and the changes of the hardware in the same cycle. */
struct answer {
	uint64_t data;
	bool error;
	unsigned of[2]; /* registers that stand at its halves; NO_REGISTER */
};

static bool aligned(const struct regs_shim_access *a) { return a->size >= 2 && a->address % (1u << a->size) == 0; }

static void halves_find(struct device *d, const struct regs_shim_access *a, struct answer *r)
{
	unsigned halves = a->size == 3 ? 2 : 1;
	unsigned index;

	r->of[0] = r->of[1] = NO_REGISTER;
	r->error = !aligned(a);
	for (unsigned h = 0; aligned(a) && h < halves; h++) {
		r->of[h] = register_at(a->master, a->address + 4 * h, &index);
		r->error |= r->of[h] == NO_REGISTER;
	}
	d->hits = r->of[0] != NO_REGISTER || r->of[1] != NO_REGISTER;
}

static void access_count(struct device *d, const struct regs_shim_access *a, const struct answer *r)
{
	struct regs_lockstep_counts *n = &d->result->counts;
	const struct reg_row *row = d->hits && r->of[0] != NO_REGISTER ? &reg_rows[r->of[0]] : NULL;
	bool half = row && row->bits == 64 && a->size == 2;

	n->accesses++;
	n->writes += a->write;
	n->holes += r->error;
	n->low_halves += half && a->address % 8 == 0;
	n->high_halves += half && a->address % 8 == 4;
	n->pairs += row && row->bits == 32 && a->size == 3;
	n->read_only += row && a->write && row->access == REG_ACCESS_RO;
	n->reserved += row && a->write && a->data & ~regs_mask(d->regs, (enum reg_id)r->of[0]) & UINT32_MAX;
	n->kept_halves += half && !a->write && a->address % 8 == 4 && d->regs->latch[a->master].slot;
	for (unsigned i = 0; i < d->n_changes; i++)
		n->collisions += a->write && (d->changes[i].id == r->of[0] || d->changes[i].id == r->of[1]);
}

static void model_step(struct device *d, const struct regs_shim_access *a, struct answer *r)
{
	enum reg_bank bank = a->address >= REG_BANK_CP_OFFSET && a->master == REG_MASTER_CP ? REG_BANK_CP : REG_BANK_HOST;
	uint32_t offset = bank == REG_BANK_CP ? a->address - REG_BANK_CP_OFFSET : a->address;
	unsigned index;

	*r = (struct answer){ .of = { NO_REGISTER, NO_REGISTER } };
	if (a->valid) {
		halves_find(d, a, r);
		access_count(d, a, r);
		if (!a->write)
			r->data = regs_read(d->regs, (enum reg_master)a->master, bank, offset, 1u << a->size);
	}
	for (unsigned i = 0; i < d->n_changes; i++) {
		change_model(d, &d->changes[i]);
		expect_value(d, d->changes[i].id, d->changes[i].index);
	}
	if (!a->valid || !a->write)
		return;
	regs_write(d->regs, bank, offset, 1u << a->size, a->data);
	for (unsigned i = 0; i < d->n_changes; i++) /* a bit that is set stays set */
		if (d->changes[i].hwset)
			regs_set(d->regs, d->changes[i].id, d->changes[i].index,
				 regs_get(d->regs, d->changes[i].id, d->changes[i].index) | (d->changes[i].hwset & regs_mask(d->regs, d->changes[i].id)));
	for (unsigned h = 0; h < 2; h++)
		if (r->of[h] != NO_REGISTER) {
			register_at(a->master, a->address + 4 * h, &index);
			if (!d->places[r->of[h]].hidden)
				expect_value(d, (enum reg_id)r->of[h], index);
		}
	for (unsigned i = 0; i < d->n_changes; i++)
		expect_value(d, d->changes[i].id, d->changes[i].index);
}

/* ---- the block ---- */

static void element_compare(struct device *d, enum reg_id id, unsigned index)
{
	const struct place *p = &d->places[id];
	int at = p->out_stride * (int)index;
	unsigned width = p->q != NOWHERE ? reg_rows[id].bits : 0, strobes = (unsigned)p->out_stride - width;
	uint64_t q = bits_get(p->out, at, width), want = bits_get(p->expected, at, width);
	uint64_t told = bits_get(p->out, at + (int)width, strobes), due = bits_get(p->expected, at + (int)width, strobes);

	if (q != want)
		differs(d, id, "%s[%u] is %#llx, not %#llx", reg_rows[id].name, index, (unsigned long long)q, (unsigned long long)want);
	else if (told != due)
		differs(d, id, "%s[%u]: strobes %llu, not %llu", reg_rows[id].name, index, (unsigned long long)told, (unsigned long long)due);
}

static void outputs_compare(struct device *d)
{
	for (unsigned i = 0; i < REG_NUM_IDS; i++) {
		const struct place *p = &d->places[i];

		if (p->out && !left_out(d, i) && memcmp(p->out, p->expected, p->out_bytes))
			for (unsigned e = 0; e < reg_rows[i].count; e++)
				element_compare(d, (enum reg_id)i, e);
	}
	if (regs_shim_master(d->shim) != d->master)
		differs(d, NO_REGISTER, "the master of the strobes is another");
}

static void answer_compare(struct device *d, const struct regs_shim_access *a, const struct answer *r, const struct regs_shim_response *got)
{
	if (got->valid != a->valid) {
		differs(d, NO_REGISTER, "response %d to access %d", got->valid, a->valid);
		return;
	}
	if (!a->valid || (got->data == r->data && got->error == r->error))
		return;
	for (unsigned h = 0; h < 2; h++) {
		unsigned id = r->of[h];
		bool whole = id != NO_REGISTER && reg_rows[id].bits == 64;

		if (whole ? got->data != r->data : (uint32_t)(got->data >> 32 * h) != (uint32_t)(r->data >> 32 * h))
			differs(d, id, "%s at %#x, %u bytes: reads %#llx, not %#llx", id == NO_REGISTER ? "nothing" : reg_rows[id].name, a->address,
				1u << a->size, (unsigned long long)got->data, (unsigned long long)r->data);
	}
	if (got->error != r->error)
		differs(d, r->of[0], "error %d at %#x, %u bytes", got->error, a->address, 1u << a->size);
}

/* The access waits for a block that takes its time; the changes come with its end. */
static void block_step(struct device *d, const struct regs_shim_access *a, const struct answer *r)
{
	const struct regs_shim_access none = { .valid = false, .master = a->master };
	struct regs_shim_response got;
	struct change tcm = { .id = REG_ID_HOST_TCM_DATA };
	unsigned wait = d->requests ? (unsigned)below(d, 4) : 0;

	for (unsigned i = 0; i < d->n_changes; i++)
		if (has(d->changes[i].id, REG_EFFECT_EXT))
			change_drive(d, &d->changes[i], false);
	input(d, &tcm, d->places[tcm.id].ack, 1, 0);
	for (; wait; wait--) {
		d->result->counts.waits++;
		if (regs_shim_access(d->shim, a) || !bits_get(d->places[tcm.id].out, d->places[tcm.id].re, 1))
			differs(d, tcm.id, "%s does not wait for its block", reg_rows[tcm.id].name);
		got = regs_shim_step(d->shim);
		if (got.valid)
			differs(d, tcm.id, "%s: a response before the block's", reg_rows[tcm.id].name);
	}
	input(d, &tcm, d->places[tcm.id].ack, 1, d->requests || below(d, 2));
	for (unsigned i = 0; i < d->n_changes; i++)
		change_drive(d, &d->changes[i], true);
	if (!regs_shim_access(d->shim, a->valid ? a : &none) && a->valid)
		differs(d, r->of[0], "the access at %#x is not done", a->address);
	if (a->valid && bits_get(d->places[tcm.id].out, d->places[tcm.id].re, 1) != (d->requests != 0))
		differs(d, tcm.id, "%s: request %d", reg_rows[tcm.id].name, !d->requests);
	got = regs_shim_step(d->shim);
	for (unsigned i = 0; i < d->n_changes; i++)
		change_drive(d, &d->changes[i], false);
	answer_compare(d, a, r, &got);
}

static void cycle(struct device *d)
{
	struct place *tcm = &d->places[REG_ID_HOST_TCM_DATA];
	struct regs_shim_access a;
	struct answer r;
	unsigned index;

	d->n_strobes = d->n_shown = d->requests = 0;
	access_pick(d, &a);
	changes_pick(d, register_at(a.master, a.address, &index));
	d->result->counts.changes += d->n_changes;
	model_step(d, &a, &r);
	for (unsigned i = 0; i < d->n_strobes; i++)
		bits_put(d->places[d->strobes[i].id].expected, d->strobes[i].at, 1, 1);
	d->master = a.master;
	block_step(d, &a, &r);
	/* a request that waits is no strobe: block_step has looked at it */
	bits_put(tcm->expected, tcm->re, 1, bits_get(tcm->out, tcm->re, 1));
	outputs_compare(d);
	bits_put(tcm->expected, tcm->re, 1, 0);
	for (unsigned i = 0; i < d->n_strobes; i++)
		bits_put(d->places[d->strobes[i].id].expected, d->strobes[i].at, 1, 0);
	for (unsigned i = 0; i < d->n_shown; i++)
		expect_value(d, d->shown[i].id, d->shown[i].index);
}

static void reset(struct device *d)
{
	regs_reset(d->regs);
	regs_shim_reset(d->shim);
	for (unsigned i = 0; i < REG_NUM_IDS; i++)
		for (unsigned e = 0; e < reg_rows[i].count; e++)
			expect_value(d, (enum reg_id)i, e);
	d->result->counts.resets++;
	d->master = 0;
	outputs_compare(d);
}

void regs_lockstep_run(const struct device_config *config, uint64_t seed, unsigned accesses, struct regs_lockstep_result *result)
{
	static struct device d;

	memset(&d, 0, sizeof(d));
	memset(result, 0, sizeof(*result));
	d.random = seed;
	d.result = result;
	hooks_set(&d);
	d.regs = regs_create(d.hooks, &d, config, DEVICE_INDEX);
	d.shim = regs_shim_create(DEVICE_INDEX);
	if (!d.regs || !d.shim) {
		snprintf(result->text[NO_REGISTER], sizeof(result->text[0]), "no memory");
		result->differences = 1;
		return;
	}
	places_find(&d);
	reset(&d);
	while (result->counts.accesses < accesses && !left_out(&d, NO_REGISTER)) {
		cycle(&d);
		if (!below(&d, 1000))
			reset(&d);
	}
	regs_shim_destroy(d.shim);
	regs_destroy(d.regs);
}
