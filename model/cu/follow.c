/* Compute units that follow a schedule which is given from outside, one event after the other: by a recording, or by a twin that
 * runs beside them. Which unit gets a work-group, which warp executes its next instruction, and when a dispatch is looked at are the
 * twin's; all else is as always. What depends on the order in which warps reach memory is then the same. */
#include "model/cu/dispatcher.h"
#include "model/cu/workgroup.h"

static struct cu *unit_of(struct compute *c, unsigned unit)
{
	return unit >= UNIT_CU && unit - UNIT_CU < c->params.config->num_cu ? &c->cus[unit - UNIT_CU] : NULL;
}

bool compute_follow_group(struct compute *c, unsigned unit, unsigned slot, uint64_t group)
{
	struct cu *cu = unit_of(c, unit);
	struct dispatch *d = slot < COMPUTE_SLOTS ? &c->dispatches[slot] : NULL;
	if (!cu || !d || !compute_busy(c, slot) || group >= d->total || !(d->units >> cu->index & 1))
		return false;
	cu_give(cu, &(struct cu_give){ slot, group, 1 }, cu->now);
	d->next++;
	workgroup_fill(cu);
	cu_show(cu);
	return !(cu->given >> slot & 1);
}

bool compute_follow_step(struct compute *c, unsigned unit, unsigned warp)
{
	struct cu *cu = unit_of(c, unit);
	return cu && warp < c->params.config->warps_per_cu && cu_step(cu, warp);
}

bool compute_follow_end(struct compute *c)
{
	for (unsigned i = 0; i < c->params.config->num_cu; i++)
		cu_show(&c->cus[i]);
	return dispatcher_collect(c);
}
