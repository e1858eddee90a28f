/* Timing of the device's DRAM: banks with an open row each, and one data bus. It holds rows and
 * times, no data: data is in physical memory. */
#ifndef GALENA_MODEL_DRAM_H
#define GALENA_MODEL_DRAM_H
#include "abi/device_config.h"
#include "abi/events.h"
#include <stdbool.h>
#include <stdint.h>

enum { DRAM_MAX_BANKS = CONFIG_MOST_dram_banks };

struct dram_counters {
	uint64_t bytes[2]; /* read, written */
	uint64_t row_hit, row_miss;
};

/* Times inside are in clocks: cycles * bytes a cycle, so that every access is charged exactly. */
struct dram {
	struct event_sink *events;
	struct dram_counters counters;
	uint64_t bus;  /* clock until which the data bus is given away */
	uint32_t rate; /* bytes a cycle */
	int8_t shift;  /* its logarithm; -1 when it is no power of two */
	uint32_t row_shift, bank_bits;
	uint64_t open_clocks;
	struct dram_bank {
		uint64_t row[2]; /* open for reads, for writes: row number + 1, 0 when none is */
		uint64_t busy;   /* clock until which the bank opens a row or delivers */
	} bank[DRAM_MAX_BANKS];
};

void dram_init(struct dram *, const struct device_config *);
/* Bank of a physical address. */
unsigned dram_bank(const struct dram *, uint64_t pa);
/* Takes over the clocks and open rows of another one of the same configuration; counts from 0. */
void dram_follow(struct dram *, const struct dram *);
/* Tells observers that a row was opened. */
void dram_row_report(const struct dram *, uint64_t now, unsigned bank, uint64_t row);

static inline unsigned dram_row_bank(const struct dram *d, uint64_t row)
{
	uint32_t b = d->bank_bits;

	return (unsigned)(row ^ row >> b ^ row >> 2 * b ^ row >> 3 * b) & ((1u << b) - 1);
}

static inline uint64_t dram_later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* One access of bytes within a row, which reaches the DRAM at cycle now. Returns the cycle at which
 * its last byte has crossed the data bus; the latency of an idle DRAM is the caller's to add. Here, as every line of
 * a stream comes this way. */
static inline uint64_t dram_access(struct dram *d, uint64_t now, uint64_t pa, uint32_t bytes, bool write)
{
	uint64_t row = pa >> d->row_shift, clock = now * d->rate, bus = dram_later(clock, d->bus) + bytes, busy, end;
	struct dram_bank *bank = &d->bank[dram_row_bank(d, row)];

	busy = bank->busy;
	if (bank->row[write] == row + 1) {
		d->counters.row_hit++;
	} else { /* the bank is busy until the other row is open */
		d->counters.row_miss++;
		bank->row[write] = row + 1;
		busy = dram_later(clock, busy) + d->open_clocks;
		if (EVENT_WANTED(d->events))
			dram_row_report(d, now, dram_row_bank(d, row), row);
	}
	d->counters.bytes[write] += bytes;
	end = dram_later(busy + bytes, bus);
	d->bus = bus;
	bank->busy = end;
	return d->shift >= 0 ? (end + d->rate - 1) >> d->shift : (end + d->rate - 1) / d->rate;
}

/* The same for count accesses more to the row of pa, which the last access has opened. The first reaches the DRAM at
 * cycle clock / 2^shift, rounded up, and each of the others bytes / 2^shift later. Returns the last one's cycle. */
static inline uint64_t dram_access_more(struct dram *d, uint64_t pa, uint32_t bytes, bool write, uint64_t count, uint64_t clock,
					unsigned shift)
{
	struct dram_bank *bank = &d->bank[dram_row_bank(d, pa >> d->row_shift)];
	uint64_t bus = d->bus, busy = bank->busy, up = (1ull << shift) - 1;

	for (uint64_t i = 0; i < count; i++, clock += bytes) {
		bus = dram_later(((clock + up) >> shift) * d->rate, bus) + bytes;
		busy = dram_later(busy + bytes, bus);
	}
	d->counters.row_hit += count;
	d->counters.bytes[write] += count * bytes;
	d->bus = bus;
	bank->busy = busy;
	return d->shift >= 0 ? (busy + d->rate - 1) >> d->shift : (busy + d->rate - 1) / d->rate;
}

#endif
