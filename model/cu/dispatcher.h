/* The dispatcher: dispatches in slots, their work-groups to compute units, and how dispatches end. */
#ifndef GALENA_MODEL_DISPATCHER_H
#define GALENA_MODEL_DISPATCHER_H
#include "model/cu/cu.h"
#include "model/engine/quantum.h"

/* The dispatch in a slot, as the CUs need it. */
struct dispatch {
	bool busy;
	struct packet_dispatch packet;
	uint32_t groups[3];       /* number of groups in each dimension */
	uint64_t total, next, done;
	uint32_t units;           /* that may run it; never 0 */
	uint64_t scratch, scratch_size;
	uint32_t space;
	uint64_t start, end;
	uint64_t serial;          /* counts dispatches */
	bool replay;              /* page faults wait */
	bool stalled;             /* one does, and was reported */
	bool hang;                /* its last work-group never ends */
};

struct compute {
	struct compute_params params;
	const struct engine *engine;
	struct superblocks *superblocks;    /* NULL: nothing is translated */
	struct quantum quantum;
	struct cu *cus;
	struct dispatch dispatches[COMPUTE_SLOTS];
	uint64_t serial;
	uint64_t num_dispatches;
	struct perturb perturb;   /* of what goes to which unit */
	struct compute_counters counters;
};

const struct dispatch *compute_dispatch(const struct compute *, unsigned slot);
/* Gives each unit that may run the slot's dispatch and has none of its work-groups left its share of those not handed out: as
 * many as it can hold, more while there are many, an equal part of the last ones. */
void dispatcher_hand_out(struct compute *, unsigned slot, uint64_t now);
/* Looks at what the units did in the quantum; true if a dispatch ended or stalls at a page fault. */
bool dispatcher_collect(struct compute *);

#endif
