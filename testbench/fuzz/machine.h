/* A host around one device, for fuzzing: a few hundred pages of memory, page tables, the firmware,
 * queues. Everything that a driver does, in the fewest steps, through the bus alone. */
#ifndef GALENA_TESTBENCH_FUZZ_MACHINE_H
#define GALENA_TESTBENCH_FUZZ_MACHINE_H
#include "abi/bus.h"
#include "abi/packets.h"
#include "abi/records.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE_BYTES = 4096, MACHINE_PAGES = 128, MACHINE_QUEUES = 4, RING_SIZE = 16, MACHINE_ASID = 3 };

/* What the pages of the host's memory are for. Page n is mapped at MACHINE_VA + n * 4096 in every
 * address space from 1 to MACHINE_QUEUES; the first MACHINE_PAGES pages of DRAM at MACHINE_DRAM_VA. */
enum { PAGE_BOOT = 0, PAGE_LOG, PAGE_FAULTS, PAGE_CONTEXTS, PAGE_ROOT, PAGE_LEVEL2, PAGE_LEVEL1, PAGE_LEVEL0, PAGE_LEVEL0_DRAM,
	PAGE_QUEUES, /* descriptors, timelines and completions, 512 bytes a queue */
	PAGE_RINGS, PAGE_CODE = PAGE_RINGS + MACHINE_QUEUES, PAGE_KERNARG, PAGE_SCRATCH, PAGE_DATA = PAGE_SCRATCH + 16 };
#define MACHINE_VA 0x1000000000ull
#define MACHINE_DRAM_VA 0x1000200000ull

struct machine {
	struct bus *bus;
	uint8_t *memory;                 /* MACHINE_PAGES pages */
	uint8_t rights[MACHINE_PAGES];   /* 0 not pinned, 1 read, 2 read and write */
	volatile uint64_t generation;
	uint64_t written[MACHINE_QUEUES]; /* packets put into the ring */
	char config[128];
};

/* Opens a device of the configuration with fresh memory. Aborts when that cannot be. */
void machine_open(struct machine *, const char *config, enum bus_speed, bool observed);
void machine_close(struct machine *);
/* Memory as at the beginning: all pages pinned, page tables, descriptors, a kernel. */
void machine_prepare(struct machine *);
/* Resets the device, loads and starts the firmware. True when it is ready. */
bool machine_boot(struct machine *);
/* Maps the queue: writes its descriptor's address. */
void machine_map_queue(struct machine *, unsigned queue);
uint64_t machine_pa(unsigned page);
uint64_t machine_va(unsigned page);
struct queue_desc *machine_desc(struct machine *, unsigned queue);
struct completion *machine_completion(struct machine *, unsigned queue);
uint64_t machine_completion_pa(unsigned queue);
/* Puts a packet at the next place of the ring, without ringing the bell. */
void machine_packet(struct machine *, unsigned queue, const union packet *);
void machine_ring(struct machine *, unsigned queue);
/* From reset: boots, runs a kernel and a copy, and looks at what they wrote. NULL, or what is wrong. */
const char *machine_check(struct machine *);

#endif
