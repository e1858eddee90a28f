/* DRAM timing.
 *
 * Rows are dealt out to banks in turn. The higher digits of the row number are added into the bank
 * number (exclusive or), so that streams which lie a power of two apart, as a line and the line that
 * it evicts do, are not in one bank.
 *
 * A row stays open until the bank needs another. The data bus is given away in the order of the
 * requests, and a request that waits for a row does not hold it up: others use the bus meanwhile, as
 * a controller with a request queue has it. So a stream opens its next rows while the ones before
 * deliver, and only a bank that is asked for one row after the other costs bandwidth.
 *
 * Writes have no reader waiting. They are kept back and leave a row at a time, between the reads:
 * they have an open row of their own, and do not close the one that is read. */
#include "model/mem/dram.h"
#include "abi/codes.h"
#include <stddef.h>
#include <string.h>

static uint32_t logarithm(uint32_t power) { return (uint32_t)__builtin_ctz(power); }

void dram_init(struct dram *d, const struct device_config *c)
{
	memset(d, 0, sizeof(*d));
	d->rate = c->dram_bytes_cycle;
	d->shift = d->rate & (d->rate - 1) ? -1 : (int8_t)logarithm(d->rate);
	d->row_shift = logarithm(c->dram_row_bytes);
	d->bank_bits = logarithm(c->dram_banks);
	d->open_clocks = (uint64_t)c->dram_row_cycles * d->rate;
}

unsigned dram_bank(const struct dram *d, uint64_t pa) { return dram_row_bank(d, pa >> d->row_shift); }

void dram_follow(struct dram *d, const struct dram *of)
{
	d->counters = (struct dram_counters){ 0 };
	d->bus = of->bus;
	memcpy(d->bank, of->bank, sizeof(d->bank[0]) << d->bank_bits);
}

void dram_row_report(const struct dram *d, uint64_t now, unsigned bank, uint64_t row)
{
	EVENT_SEND(d->events, .cycle = now, .kind = EVENT_DRAM_ROW, .unit = UNIT_L2, .queue = EVENT_NO_QUEUE, .a = bank,
		   .b = row);
}
