/* Replicated nodes (vxReplicateNode). */
#include "runtime/openvx/replicate.h"
#include "runtime/openvx/overlap.h"
#include <stdlib.h>

vx_reference container_of_part(vx_reference part)
{
	const vx_reference *parts;
	for (vx_reference ref = LIST_FIRST(&part->context->objects); ref; ref = LIST_NEXT(ref, of_context))
		if (parts_of(ref, &parts) && parts[0] == part)
			return ref;
	return part;
}

vx_status replicas_check(struct _vx_node *n, const vx_bool *flags)
{
	vx_size count = 0;
	for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++) {
		const vx_reference *parts;
		if (!flags[i] || !n->parameters[i])
			continue;
		/* vxReplicateNode: a replicated parameter is the first part of a pyramid or an object array; all have as many parts */
		const vx_size parts_here = parts_of(container_of_part(n->parameters[i]), &parts);
		if (!parts_here)
			return fail(n, VX_ERROR_NOT_COMPATIBLE, "vxReplicateNode: parameter %u of %s is not the first part of a pyramid or an object array", i, n->kernel->name);
		if (count && parts_here != count)
			return fail(n, VX_FAILURE, "vxReplicateNode: parameter %u of %s has %zu parts, another one %zu", i, n->kernel->name, parts_here, count);
		count = parts_here;
	}
	/* ... and an output that is not replicated would have many writers */
	for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++)
		if (!flags[i] && n->parameters[i] && n->kernel->parameters[i].direction != VX_INPUT)
			return fail(n, VX_FAILURE, "vxReplicateNode: parameter %u of %s, an output, is not replicated", i, n->kernel->name);
	return count ? VX_SUCCESS : fail(n, VX_ERROR_INVALID_PARAMETERS, "vxReplicateNode: no parameter of %s is replicated", n->kernel->name);
}

void replicas_hold(struct _vx_node *n, vx_uint32 i)
{
	const vx_reference *parts;
	vx_reference whole = n->replicate[i] && n->parameters[i] ? container_of_part(n->parameters[i]) : NULL;
	if (whole && !parts_of(whole, &parts))
		whole = NULL;
	if (whole)
		object_use(whole);
	object_unuse(n->wholes[i]);
	n->wholes[i] = whole;
}

static struct _vx_node *replica_make(struct _vx_node *n, vx_size at)
{
	struct _vx_node *r = node_create(n->graph, n->kernel);
	if (!r)
		return NULL;
	object_use(&r->reference);
	r->reference.external = 0;
	n->reference.context->num_references--;
	r->border = n->border;
	for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++) {
		const vx_reference *parts;
		vx_reference value = n->parameters[i];
		if (value && n->replicate[i] && parts_of(container_of_part(value), &parts))
			value = parts[at];
		if (value)
			object_use(value);
		r->parameters[i] = value;
	}
	return r;
}

vx_status replicas_make(struct _vx_node *n)
{
	vx_size count = 0;
	TRY(replicas_check(n, n->replicate));
	for (vx_uint32 i = 0; !count && i < n->kernel->num_parameters; i++) {
		const vx_reference *parts;
		if (n->replicate[i] && n->parameters[i])
			count = parts_of(container_of_part(n->parameters[i]), &parts);
	}
	n->replicas = calloc(count, sizeof *n->replicas);
	for (vx_size at = 0; n->replicas && at < count; at++) {
		n->replicas[at] = replica_make(n, at);
		FAIL_IF(!n->replicas[at], n, VX_ERROR_NO_MEMORY, "no memory for %zu nodes", count);
		n->num_replicas++;
	}
	return n->replicas ? VX_SUCCESS : fail(n, VX_ERROR_NO_MEMORY, "no memory for %zu nodes", count);
}
