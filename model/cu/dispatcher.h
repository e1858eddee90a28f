/* The dispatcher: dispatches in slots, their work-groups to compute units, and how dispatches end. */
#ifndef GALENA_MODEL_DISPATCHER_H
#define GALENA_MODEL_DISPATCHER_H
#include "model/cu/cu.h"
#include "model/engine/quantum.h"

/* The dispatch in a slot, as the CUs need it. */
struct dispatch {
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
	bool full;                /* exact: no unit that may run it has room for its next work-group */
	bool hang;                /* its last work-group never ends */
};

struct compute {
	struct compute_params params;
	const struct engine *engine;
	bool exact;               /* each unit is where the others are in each cycle; not in quanta */
	unsigned next_slot, next_unit; /* exact: whose turn it is */
	uint64_t free;            /* exact: the first cycle in which the dispatcher can start a work-group */
	struct superblocks *superblocks;    /* NULL: nothing is translated */
	struct quantum quantum;
	struct cu *cus;
	uint32_t busy;            /* slots that have a dispatch */
	struct dispatch dispatches[COMPUTE_SLOTS];
	uint64_t serial;
	uint64_t num_dispatches;
	struct perturb perturb;   /* of what goes to which unit */
	struct compute_counters counters;
};

static inline bool compute_busy(const struct compute *c, unsigned slot) { return c->busy >> slot & 1; }
const struct dispatch *compute_dispatch(const struct compute *, unsigned slot);
/* Gives each unit that may run the slot's dispatch and has none of its work-groups left its share of those not handed out: as
 * many as it can hold, more while there are many, an equal part of the last ones. */
void dispatcher_hand_out(struct compute *, unsigned slot, uint64_t now);
/* Exact: the cycle in which a work-group may begin; UINT64_MAX: none is left, or there is no room. */
uint64_t dispatcher_next(const struct compute *);
/* Exact: in cycle now it starts one work-group, if it can: of the dispatches in turn, on the units in turn. */
void dispatcher_cycle(struct compute *, uint64_t now);
/* Looks at what the units did in the quantum, or in the cycle; true if a dispatch ended or stalls at a page fault. */
bool dispatcher_collect(struct compute *);

#endif
