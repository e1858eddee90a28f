/* MMIO_NOWHERE, MMIO_READ_ONLY, MMIO_SIZE. The device answers to any access of its host bank; what is wrong with one is that no
 * driver can have meant it. */
#include "checkers/check.h"
#include <inttypes.h>

struct reg { const char *name; uint32_t offset, bytes, count; bool read_only; };

enum { HOST = 1, CP = 0, RO = 1, RW = 0, RW1C = 0, RW1S = 0, WO = 0 };
static const struct { bool host; struct reg reg; } registers[] = {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) { bank, { #name, offset, bits / 8, count, sw } },
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)
#include "abi/registers.def"
#undef REG
#undef FIELD
};

/* The register of the byte; NULL for none. */
static const struct reg *reg_at(uint64_t offset)
{
	for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++) {
		const struct reg *r = &registers[i].reg;
		if (registers[i].host && offset - r->offset < (uint64_t)r->bytes * r->count)
			return r;
	}
	return NULL;
}

static void mmio_event(struct check *c, const struct event *e)
{
	const bool write = e->kind == EVENT_MMIO_WRITE;
	const struct reg *r = reg_at(e->a), *upper = e->c == 8 ? reg_at(e->a + 4) : r;
	const char *verb = write ? "writes" : "reads";
	check_looks(c, RULE_MMIO_SIZE);
	check_looks(c, RULE_MMIO_NOWHERE);
	if (e->c != 4 && e->c != 8) /* a file of an older kit does not say */
		return;
	if (e->a % e->c) {
		check_broken(c, RULE_MMIO_SIZE, e, e->a, "the host %s %" PRIu64 " bytes at 0x%" PRIx64 ", which is not a multiple of them",
			     verb, e->c, e->a);
		return;
	}
	if (!r && !upper) {
		check_broken(c, RULE_MMIO_NOWHERE, e, e->a, "the host %s %" PRIu64 " bytes at 0x%" PRIx64 ", where no register is", verb,
			     e->c, e->a);
		return;
	}
	if (!r || !upper) {
		r = r ? r : upper;
		check_broken(c, RULE_MMIO_SIZE, e, e->a, "the host %s 8 bytes at 0x%" PRIx64 ", of which %s is 4, and the others are no register",
			     verb, e->a, r->name);
		return;
	}
	if (!write)
		return;
	check_looks(c, RULE_MMIO_READ_ONLY);
	if (r->read_only || upper->read_only)
		check_broken(c, RULE_MMIO_READ_ONLY, e, e->a, "the host writes 0x%" PRIx64 " to %s, which is read only", e->b,
			     (r->read_only ? r : upper)->name);
}

const struct checker mmio_checker = { "mmio", mmio_event, { EVENT_MMIO_READ, EVENT_MMIO_WRITE } };
