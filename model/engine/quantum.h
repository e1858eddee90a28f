/* Time of the compute units: quanta, in each of which every unit runs alone, on any host thread. */
#ifndef GALENA_MODEL_QUANTUM_H
#define GALENA_MODEL_QUANTUM_H
#include <stdbool.h>
#include <stdint.h>

struct quantum {
	struct workers *workers; /* NULL: one thread runs all units */
	/* the quantum in progress */
	uint64_t until;
	bool decoupled; /* it is one of several units */
	bool shared;    /* with helpers */
	uint64_t took;  /* workers_time of the last one of several units */
	uint64_t shortest, length; /* cycles of the next one */
};

struct compute;
struct cu;
/* After the units and the superblocks of c. */
void quantum_init(struct compute *c);
/* One quantum of the units that have something to do, up to cycle end; sets the length of the next one. */
void quantum_run(struct compute *, uint64_t end);
/* Before a unit does what must be ordered between units (atomics in memory): returns when the units before it have
 * ended the quantum. */
void quantum_order(struct cu *);

#endif
