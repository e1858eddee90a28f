/* The reservations of lr: which lines are reserved, by physical line, in a table that is as large as it is. Who reserves keeps the
 * version of the line's entry, and has its reservation as long as that is the entry's. A write to a line that is reserved changes the
 * version and empties the entry, so no reservation of before is left in it. An entry that several lines share goes by any of
 * them, until it is empty. No reservation ends because another one is made: only writes end them, so that of those who try one gets on. */
#ifndef GALENA_MODEL_RESERVATIONS_H
#define GALENA_MODEL_RESERVATIONS_H
#include "abi/device_config.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reservations {
	uint32_t live;       /* entries that are not empty */
	uint32_t line_shift; /* logarithm of a line's bytes */
	uint32_t last;       /* number of entries - 1 */
	struct reservation_entry {
		uint64_t line;
		uint32_t version;
		uint8_t lines; /* 0, 1, or 2: several */
	} entry[CONFIG_MOST_reservation_lines];
};

void reservations_init(struct reservations *, const struct device_config *);
/* All entries are empty, and who holds a reservation has it no longer. */
void reservations_reset(struct reservations *);
/* Reserves the line of an address; returns the version. */
uint32_t reservations_reserve(struct reservations *, uint64_t address);
/* Whether the version that reservations_reserve gave for this address is still the entry's. */
bool reservations_hold(const struct reservations *, uint64_t address, uint32_t version);
void reservations_end(struct reservations *, uint64_t address, uint64_t bytes);

/* Bytes are written, bytes > 0. */
static inline void reservations_written(struct reservations *r, uint64_t address, uint64_t bytes)
{
	if (__builtin_expect(r->live, 0))
		reservations_end(r, address, bytes);
}

#endif
