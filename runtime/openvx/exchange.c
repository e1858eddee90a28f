/* Objects that become others in a verified graph. */
#include "runtime/openvx/exchange.h"
#include "runtime/openvx/delay.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/replicate.h"

/* ---- places ---- */
/* What verification has found of an image that is written holds for the one that is written in its place. */
static void follow_valid(vx_reference from, vx_reference to)
{
	const vx_reference *parts, *others;
	if (from->type == VX_TYPE_IMAGE)
		((vx_image)to)->valid = ((vx_image)from)->valid;
	const vx_size count = parts_of(from, &parts);
	parts_of(to, &others);
	for (vx_size i = 0; i < count; i++)
		follow_valid(parts[i], others[i]);
}

static void set(struct _vx_node *n, vx_uint32 index, vx_reference to)
{
	vx_reference before = n->parameters[index];
	if (before && n->kernel->parameters[index].direction != VX_INPUT)
		follow_valid(before, to);
	node_replace(n, index, to);
}

void place_set(struct _vx_node *n, vx_uint32 index, vx_reference to)
{
	const vx_reference *parts = NULL;
	const bool each = n->replicate && n->replicate[index];
	const vx_size count = each ? parts_of(container_of_part(to), &parts) : 0;
	set(n, index, to);
	for (unsigned i = 0; i < n->num_replicas; i++)
		if (!each || i < count)
			set(n->replicas[i], index, each ? parts[i] : to);
}

static void place_exchange(struct _vx_node *n, vx_uint32 index, vx_reference from, vx_reference to)
{
	vx_reference becomes = n->parameters[index] ? part_like(from, to, n->parameters[index]) : NULL;
	if (becomes)
		place_set(n, index, becomes);
}

void graph_exchange(struct _vx_graph *g, vx_int32 queue, vx_reference from, vx_reference to)
{
	struct _vx_delay *delay = from->delay;
	if (from == to)
		return;
	object_use(from);
	for (struct _vx_node *n = g->first; n; n = n->next)
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++)
			if (place_queue(n, i) == queue)
				place_exchange(n, i, from, to);
	if (delay)
		delay_exchange(delay, g, from, to);
	object_unuse(from);
}

/* ---- uses ---- */
bool graph_uses_rest(const struct _vx_graph *g, vx_int32 queue, vx_reference ref, vx_reference footprint)
{
	for (const struct _vx_node *n = g->first; n; n = n->next) {
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++) {
			if (!n->parameters[i])
				continue;
			/* it is exchanged, too; what follows another queue is exchanged with that one */
			if (queue == NO_QUEUE ? place_queue(n, i) == NO_QUEUE && part_like(ref, ref, n->parameters[i]) : place_queue(n, i) != NO_QUEUE)
				continue;
			if (objects_overlap(footprint, node_footprint(n, i)))
				return true;
		}
	}
	return false;
}

bool graph_writes(const struct _vx_graph *g, vx_reference ref)
{
	for (const struct _vx_node *n = g->first; n; n = n->next)
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++)
			if (n->parameters[i] && n->kernel->parameters[i].direction != VX_INPUT && objects_overlap(ref, node_footprint(n, i)))
				return true;
	return false;
}
