/* The Verilated semaphore unit (rtl/sem/sem.sv) beside the model's (model/sem), each with memory and an L2 cache of its own.
 *
 * Both get the same random waits, stores and notifications, in the cycles in which the Verilated one is free. Meanwhile others write
 * payloads and use the L2 cache, pages lose their rights, regions become protected, memory has errors, and the units are reset. Accesses of
 * the Verilated unit take what its L2 cache says, of random latencies and rates, and its requests wait as long as that allows. In each
 * cycle what the units store and wake is compared, and whether they are free; at each store and wake all payloads. */
#ifndef GALENA_TESTBENCH_RTL_SEM_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_SEM_LOCKSTEP_H
#include <stdint.h>

enum { SEM_LOCKSTEP_FAULTS = 32 };

struct sem_lockstep_counts {
	unsigned long cycles, arms, stores, notifies, resets;
	unsigned long stored[SEM_LOCKSTEP_FAULTS], read[SEM_LOCKSTEP_FAULTS], cleared[SEM_LOCKSTEP_FAULTS]; /* stores and ends of waits, by their fault */
	unsigned long binary;   /* waits among them that have taken a payload */
	unsigned long together; /* cycles in which a wait was over and the unit took something */
	unsigned long again;    /* of these, arming that very waiter */
	unsigned long held;     /* cycles in which a request waited */
	unsigned long most;     /* waits that one store or notification has ended */
};

struct sem_lockstep_result {
	struct sem_lockstep_counts counts;
	unsigned long operations; /* waits, stores and notifications */
	char text[240];           /* the first difference, at which it stops; empty: there was none */
};

void sem_lockstep_run(uint64_t seed, unsigned long operations, struct sem_lockstep_result *);

#endif
