/* How the media unit reaches memory: bytes in a row of virtual addresses, a page at a time, with their time, faults and events. */
#ifndef GALENA_MODEL_MEDIA_PORT_H
#define GALENA_MODEL_MEDIA_PORT_H
#include "model/media/media.h"

struct port {
	struct media_params env;
	bool timed;
	uint64_t ahead;     /* cycles that it issues ahead of what arrives */
	/* of the job */
	unsigned slot;
	uint32_t space;
	struct media_result result;
	uint64_t fresh;     /* cycle before which nothing was translated */
	uint64_t clock;     /* cycle at which the next access is issued */
	uint64_t arrived;   /* when all bytes issued so far are there */
	uint64_t bytes;     /* written since media_create */
};

/* Where the samples of one or more components of a surface lie that stand side by side: cells of step bytes, of which those in
 * mask belong to them. */
struct cells {
	uint32_t step;
	uint8_t mask;  /* one bit a byte of a cell, bit 0 always set */
	uint8_t bytes; /* from the first to the last of them */
};

/* The job begins at cycle now. */
void port_begin(struct port *, unsigned slot, uint32_t space, uint64_t now);
/* Ends the job with this fault; the first one stays. Returns false. */
bool port_fail(struct port *, enum fault, enum access, uint64_t address);
/* False on a fault, of which the result tells. */
bool port_read(struct port *, uint64_t va, void *dst, uint64_t n);
/* Writes count cells from row, which has their bytes. What is between them is not touched. */
bool port_write(struct port *, uint64_t va, const uint8_t *row, uint64_t count, const struct cells *);

#endif
