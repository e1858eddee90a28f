/* A compute unit on a bench: physical memory, page tables and the dispatcher, without command
 * processor and bus. For the tests of the compute units and for bench/engine. */
#ifndef GALENA_TESTBENCH_MODEL_RIG_H
#define GALENA_TESTBENCH_MODEL_RIG_H
#include "abi/pte.h"
#include "model/cu/compute.h"
#include "model/inject.h"

enum { RIG_ASID = 7, RIG_SYSTEM_PAGES = 64 };

/* How a page of system memory is pinned; in the beginning each is for writing. */
enum rig_pin { RIG_UNPINNED, RIG_READ_ONLY, RIG_PINNED };

struct rig_end {
	bool ended;
	uint64_t start, end;
	bool faulted;
	struct compute_fault fault;
	/* the page faults at which it has stood: how many were reported, and the last one */
	unsigned stalls;
	uint64_t stalled;
	struct compute_fault stall;
};

struct rig {
	const struct device_config *config;
	struct device_config config_copy;
	struct physmem mem;
	struct inject inject;
	struct cache *cache;                  /* NULL when coherent */
	struct l2 *l2;
	struct mmu *mmu;
	struct compute *compute;
	uint64_t free_pa;                     /* DRAM not handed out yet */
	uint64_t root;                        /* of RIG_ASID's tables */
	uint64_t code_va;                     /* where the next program goes */
	uint64_t now;
	uint64_t scratch, scratch_size;
	struct rig_end ends[COMPUTE_SLOTS];
	bool refused;                         /* the last dispatch: the device cannot run it */
	uint8_t *system;                      /* RIG_SYSTEM_PAGES pages, bus addresses from 0 */
	bool observed;
	uint64_t generation;
	uint8_t pin[RIG_SYSTEM_PAGES];        /* enum rig_pin of each page */
	uint64_t sys_reads, sys_writes, sys_bytes;
	struct profile *profile;              /* NULL: not profiled */
};

/* Rigs are profiled from now on; rig_destroy then ends the program unless what instructions are charged adds up to
 * the counters. */
extern bool rig_profiled;
/* All that has been charged so far. */
struct profile_counts;
void rig_profile_sum(struct rig *, struct profile_counts *);

/* config as device_config_parse takes it. */
struct rig *rig_create(const char *config, enum bus_speed, enum compute_simd, bool observed);
/* The same with somebody who looks at the events; NULL: nobody. */
struct rig *rig_create_events(const char *config, enum bus_speed, enum compute_simd, bool observed, struct event_sink *);
void rig_destroy(struct rig *);
/* Physical DRAM, zeroed, page aligned. */
uint64_t rig_dram(struct rig *, uint64_t bytes);
void rig_map(struct rig *, uint64_t va, uint64_t pa, uint64_t bytes, uint64_t bits);
void rig_unmap(struct rig *, uint64_t va);
/* DRAM mapped readable and writable at va; its host address. */
void *rig_buffer(struct rig *, uint64_t va, uint64_t bytes);
void *rig_host(struct rig *, uint64_t pa);
void rig_pin(struct rig *, unsigned page, enum rig_pin);
/* Assembles with clang (riscv64, the device's extensions); malloc'ed words. */
uint32_t *rig_assemble(const char *text, size_t *num_words);
/* Puts a program into executable memory; its address. */
uint64_t rig_load(struct rig *, const uint32_t *words, size_t num_words);
uint64_t rig_load_text(struct rig *, const char *text);

struct rig_range {
	uint32_t global[3];
	uint16_t local[3];
	uint32_t local_bytes, private_bytes;
	uint64_t kernarg;
	uint32_t units;   /* compute units, as in the packet */
	uint32_t space;   /* 0: RIG_ASID */
	bool replay;      /* page faults wait to be replayed */
};
/* A dispatch as the port has it, at cycle now. FAULT_NONE, or BAD_DISPATCH. */
enum fault rig_dispatch(struct rig *, const struct compute_start *);
enum fault rig_start(struct rig *, unsigned slot, uint64_t entry, const struct rig_range *);
/* Runs until every slot has ended, at most limit cycles; false if something still runs. */
bool rig_finish(struct rig *, uint64_t limit);
/* Both, in slot 0; asserts that it ends. */
const struct rig_end *rig_run(struct rig *, uint64_t entry, const struct rig_range *);

#endif
