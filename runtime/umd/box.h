/* Packets of 3D copies and fills. */
#ifndef GALENA_RUNTIME_UMD_BOX_H
#define GALENA_RUNTIME_UMD_BOX_H
#include "abi/packets.h"
#include <stddef.h>
#include <stdint.h>

struct box {
	uint64_t address;  /* device virtual address of the first byte */
	size_t row, slice; /* bytes from row to row, slice to slice; 0: packed */
};
/* Returns a zeroed packet to be filled in, the next one of the command; never NULL. */
typedef union packet *(*box_packet_fn)(void *arg);

/* region: bytes of a row, rows, slices. A copy that one packet cannot say becomes several. */
void box_copy_packets(struct box src, struct box dst, const size_t region[3], box_packet_fn, void *arg);
/* pattern: device virtual address of size bytes, 1 to 128; region[0] is a multiple of that. */
void box_fill_packet(uint64_t pattern, unsigned size, struct box dst, const size_t region[3], box_packet_fn, void *arg);

#endif
