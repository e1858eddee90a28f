/* The Verilated command processor beside the model's: a program in local memory, cycle by cycle.
 *
 * Each has memory, reservations and an L2 cache of its own, and a local memory. In each cycle the model's lets this cycle pass; the Verilated
 * one is shown the same inputs, answers of registers as the model had them, and answers of its memory when its L2 cache says so. */
#ifndef GALENA_TESTBENCH_RTL_CP_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_CP_LOCKSTEP_H
#include <stddef.h>
#include <stdint.h>

enum cp_count {
	CP_CYCLES, CP_PROGRAMS, CP_RETIRED, CP_INTERRUPTS, CP_CRASHES, CP_FAILS, CP_STOPS, CP_RESETS, CP_STARTS_WHILE_UP, CP_WAITS, CP_STORES_WAIT, CP_LOADS_WAIT,
	CP_REGISTERS_WAIT, CP_INTERRUPTS_INSTEAD, CP_REGISTER_READS, CP_REGISTER_WRITES, CP_HELD, CP_DIVISIONS, CP_OUTSIDE_LOADS, CP_OUTSIDE_STORES,
	CP_OUTSIDE_ATOMICS, CP_OUTSIDE_TRIES, CP_TRIES_STORE, CP_LATE_FAULTS, CP_TRAPS, /* and of each cause, up to 11 */ CP_COUNTS = CP_TRAPS + 12
};
extern const char *const cp_count_name[CP_TRAPS];

struct cp_lockstep_result {
	unsigned long count[CP_COUNTS];
	char text[400]; /* the first difference, after which the run ends; empty: there is none */
};

/* Random programs with everything that stands around them. */
void cp_lockstep_run(uint64_t seed, unsigned long cycles, struct cp_lockstep_result *);
/* An image at address 0 that ends with ebreak, with words[n] written to each of addresses[n] before. What it leaves at `results` is compared
 * with what is expected there. */
void cp_lockstep_image(const void *image, size_t bytes, uint64_t block, uint64_t word, uint64_t results, const void *expected, size_t expected_bytes,
		       struct cp_lockstep_result *);

#endif
