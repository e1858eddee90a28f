/* Private memory: from addresses of the window PRIVATE to the backing of the lanes, what of an instruction is done and faults, and
 * the lines that its accesses are merged into. Written from docs/hardware/isa.md (Loads and stores, Private memory, Atomics,
 * Coalescing) and docs/hardware/cu.md (Entry, Private memory) alone, to be compared with a device.
 *
 * Addresses are virtual but where a name says physical; sizes are in bytes. Nothing is translated here: the caller's functions do.
 * A size, a number of lanes or a lane that no instruction can have aborts. Nothing is kept and nothing allocated; any thread may call. */
#ifndef GALENA_TESTBENCH_REFERENCE_PRIVATE_ADDRESS_H
#define GALENA_TESTBENCH_REFERENCE_PRIVATE_ADDRESS_H
#include "abi/codes.h"
#include <stdbool.h>
#include <stdint.h>

enum { PRIVATE_LANES = 32, PRIVATE_PARTS = 3, PRIVATE_BYTES_MOST = 1 << 20 };

/* Where the private memory of a warp is. */
struct private_warp {
	uint64_t scratch; /* DISPATCH_SCRATCH, 0 for none */
	uint32_t private_bytes, lanes, warps_per_cu;
	unsigned unit, slot; /* compute unit and warp slot in it, from 0 */
};

/* What a lane does at its address. */
enum private_access { PRIVATE_LOAD, PRIVATE_STORE, PRIVATE_RESERVE /* lr */, PRIVATE_ATOMIC /* amo and sc */ };

/* Bytes of one word of an access. */
struct private_part {
	uint64_t address; /* in the backing */
	uint8_t first;    /* of the access's bytes the first that is here */
	uint8_t bytes;    /* 1 to 4 */
};

struct private_place {
	struct private_part part[PRIVATE_PARTS];
	unsigned parts;
};

/* The checks 5 and 6 of a dispatch as far as private memory is concerned: FAULT_NONE or FAULT_BAD_DISPATCH. */
enum fault private_dispatch(uint32_t private_bytes, uint64_t scratch, uint64_t scratch_size, uint32_t num_cu, uint32_t warps_per_cu,
			    uint32_t lanes);
/* x2 at the entry of a kernel. */
uint64_t private_stack(uint32_t private_bytes);
/* Whether an access whose first byte is at address is one to private memory. */
bool private_is(uint64_t address);
/* W, the address of the first byte of the warp's backing. */
uint64_t private_base(const struct private_warp *);
/* The parts of an access of 1, 2, 4 or 8 bytes to private memory, in their order. With FAULT_MISALIGNED and FAULT_PRIVATE_RANGE,
 * whose address is that of the access, nothing has been done and *place is not set. */
enum fault private_find(const struct private_warp *, unsigned lane, uint64_t address, unsigned size, enum private_access,
			struct private_place *place);

/* What private_execute asks of memory. */
struct private_memory {
	void *of;
	/* Translation, rights and protection of a part: FAULT_NONE or the fault. */
	enum fault (*look)(void *of, uint64_t address, unsigned bytes, enum access);
	/* Reads (ACCESS_READ), writes (ACCESS_WRITE) or does the atomic (ACCESS_ATOMIC) of these bytes for the lane, or fails with
	 * what only memory can say (FAULT_BUS_ERROR, FAULT_ECC). */
	enum fault (*move)(void *of, unsigned lane, const struct private_part *, enum access);
};

/* The fault of an instruction, as it is reported. */
struct private_fault {
	enum fault code;
	enum access access;
	unsigned lane;
	uint64_t address;
};

/* One instruction, all of whose running lanes (mask) are at addresses of private memory, at the lane's number. Calls look and move
 * in the order in which the device does them, up to the fault that is reported. FAULT_NONE, or what *fault has. */
enum fault private_execute(const struct private_warp *, uint32_t mask, const uint64_t *addresses, unsigned size,
			   enum private_access, bool replayable, const struct private_memory *, struct private_fault *fault);

/* Bytes of one part of one access, or of an access to memory that crosses no page, at their physical address. */
struct private_bytes {
	uint64_t physical;
	unsigned bytes;
};

/* Merges accesses, given by ascending lanes and for each lane by ascending parts, into lines: the addresses of the lines in the
 * order in which they are accessed. Returns how many; most is the room, and more than that aborts. */
unsigned private_lines(const struct private_bytes *, unsigned count, uint32_t line_bytes, uint64_t *lines, unsigned most);
/* What a store takes of the bandwidth of each of its lines, in bytes. */
uint32_t private_store_bytes(unsigned running, unsigned size, unsigned lines, uint32_t line_bytes);

#endif
