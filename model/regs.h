/* The register engine: storage, access types, reset values, reserved bits and arrays as
 * abi/registers.def says; side effects are hooks found by the register's id.
 *
 * Accesses are aligned, of 4 or 8 bytes. A 64-bit register may be reached in two 32-bit halves: a
 * write takes effect with the high half (joined with the low half last written), a read takes
 * effect with the low half (the high half then read by the same master is of the same moment). A
 * 64-bit access to two 32-bit registers is two accesses, low one first. Whatever is unaligned or
 * at no register reads 0 and is ignored when written. */
#ifndef GALENA_MODEL_REGS_H
#define GALENA_MODEL_REGS_H
#include "abi/registers.h"
#include <stdbool.h>
#include <stdint.h>

enum reg_bank { REG_BANK_HOST, REG_BANK_CP, REG_NUM_BANKS };
enum reg_access { REG_ACCESS_RO, REG_ACCESS_RW, REG_ACCESS_RW1C, REG_ACCESS_RW1S, REG_ACCESS_WO, REG_ACCESS_SAME };
/* Columns hw and effects: what the block behind a register does to it. */
enum reg_hardware { REG_HARDWARE_NONE, REG_HARDWARE_RO, REG_HARDWARE_WO, REG_HARDWARE_RW };
enum reg_effects {
	REG_EFFECT_NONE = 0,
	REG_EFFECT_WE = 1,
	REG_EFFECT_RE = 2,
	REG_EFFECT_EXT = 4,
	REG_EFFECT_HWSET = 8,
	REG_EFFECT_HWCLR = 16,
	REG_EFFECT_INCR = 32,
	REG_EFFECT_SHADOW = 64,
	REG_EFFECT_LOCK = 128
};
/* Who accesses: halves of 64-bit reads are latched for each of them. */
enum reg_master { REG_MASTER_HOST, REG_MASTER_CP, REG_NUM_MASTERS };

enum reg_id {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) REG_ID_##bank##_##name,
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
	REG_NUM_IDS
};

struct reg_row {
	const char *name; /* "HOST.CTRL" */
	enum reg_bank bank;
	enum reg_access access;
	enum reg_hardware hardware;
	unsigned effects; /* enum reg_effects */
	uint32_t offset, bits, count;
};
extern const struct reg_row reg_rows[REG_NUM_IDS];

/* read: the value to show instead of what is stored. write: what follows from a write, after it
 * was stored: of RW, RW1S and WO bits the new value, of RW1C those that were cleared by the writer. */
struct device;
struct reg_hook {
	uint64_t (*read)(struct device *, unsigned index);
	void (*write)(struct device *, unsigned index, uint64_t value);
};
/* Parameters of a hook: of a register that is no array, and of one whose value does not matter. */
#define NO_INDEX __attribute__((unused)) unsigned no_index
#define NO_VALUE __attribute__((unused)) uint64_t no_value

/* Where a register's elements are stored, in the order of the table. */
enum reg_slot {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) \
	REG_SLOT_##bank##_##name, REG_SLOT_LAST_##bank##_##name = REG_SLOT_##bank##_##name + (count) - 1,
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
	REG_NUM_SLOTS
};
static const uint16_t reg_first[REG_NUM_IDS] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) [REG_ID_##bank##_##name] = REG_SLOT_##bank##_##name,
#include "abi/registers.def"
#undef REG
#undef FIELD
};

struct regs {
	const struct reg_hook *hooks;
	struct device *device;
	struct reg_cell *cells[REG_NUM_BANKS];
	uint32_t words[REG_NUM_BANKS]; /* length of cells */
	/* bits that the register has; those of them that a write stores, sets and clears; those that read 0; value after reset */
	struct reg_bits {
		uint64_t mask, stored, set, cleared, hidden, reset;
	} bits[REG_NUM_IDS];
	uint64_t value[REG_NUM_SLOTS];
	uint32_t low[REG_NUM_SLOTS]; /* low half last written, until the high half comes */
	/* high half of the last low half read; slot 0 when there is none */
	struct {
		uint32_t slot, high;
	} latch[REG_NUM_MASTERS];
};
/* hooks has REG_NUM_IDS entries and must outlive the engine. Configuration and number of the device are where reset values come from.
 * NULL when out of memory. */
struct device_config;
struct regs *regs_create(const struct reg_hook *hooks, struct device *, const struct device_config *, unsigned index);
void regs_destroy(struct regs *);
/* All registers to their reset values; no hook is called. */
void regs_reset(struct regs *);

uint64_t regs_read(struct regs *, enum reg_master, enum reg_bank, uint32_t offset, unsigned bytes);
void regs_write(struct regs *, enum reg_bank, uint32_t offset, unsigned bytes, uint64_t value);

/* The stored value, from inside the device: no access rules, no hooks. index < count. */
static inline uint64_t regs_get(const struct regs *r, enum reg_id id, unsigned index) { return r->value[reg_first[id] + index]; }
void regs_set(struct regs *, enum reg_id, unsigned index, uint64_t value);
/* Bits that the register has, and what they are after a reset. */
static inline uint64_t regs_mask(const struct regs *r, enum reg_id id) { return r->bits[id].mask; }
static inline uint64_t regs_reset_value(const struct regs *r, enum reg_id id) { return r->bits[id].reset; }

#endif
