/* Delays: objects of one kind, which move on by one slot with each aging (OpenVX 1.3, vx_delay). */
#include "runtime/openvx/delay.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/overlap.h"
#include <string.h>

/* ---- the class ---- */
static vx_status delay_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_delay *p = prototype;
	/* there is no function for a virtual one, but an export may say that there was one */
	FAIL_IF(scope->type == VX_TYPE_GRAPH, scope, VX_ERROR_INVALID_PARAMETERS, "a delay cannot be virtual");
	const vx_status status = clone_check(scope->context, *p->slots);
	/* vxCreateDelay: not empty */
	if (!status && (!p->count || p->count > PARTS_MAX))
		return fail(scope->context, VX_ERROR_INVALID_PARAMETERS, "a delay of %zu slots: 1 to %d", p->count, PARTS_MAX);
	return status;
}

/* An object of a slot, and all its parts, say whose they are. */
static void mark(vx_reference ref, struct _vx_delay *d)
{
	const vx_reference *parts;
	/* at the end of a context parts may have gone before what they are parts of */
	if (!object_known(ref))
		return;
	const vx_size count = parts_of(ref, &parts);
	ref->delay = d;
	for (vx_size i = 0; i < count; i++)
		mark(parts[i], d);
}

static void mark_all(const struct _vx_delay *d, struct _vx_delay *owner)
{
	for (vx_size i = 0; d->slots && i < d->count; i++)
		mark(d->slots[i], owner);
}

static bool delay_init(void *object)
{
	struct _vx_delay *d = object;
	d->type = (*d->slots)->type;
	mark_all(d, d);
	return true;
}

static void delay_destroy(void *object) { mark_all(object, NULL); }

static const struct object_attribute attributes[] = {
	{META(VX_DELAY_TYPE, _vx_delay, type, TYPE)},
	{META(VX_DELAY_SLOTS, _vx_delay, count, DIMENSION)},
};

const struct object_class delay_class = {
	.type = VX_TYPE_DELAY, .name = "a delay", .size = OBJECT_SIZE(_vx_delay), ATTRIBUTES(attributes),
	.parts = offsetof(struct _vx_delay, slots), .num_parts = offsetof(struct _vx_delay, count), .of_exemplar = true, .rotates = true,
	.check = delay_check, .init = delay_init, .destroy = delay_destroy,
};

/* ---- the API ---- */
VX_API_ENTRY VX_EXPORT vx_delay VX_API_CALL vxCreateDelay(vx_context c, vx_reference exemplar, vx_size num_slots)
{
	return data_new(c, &delay_class, &(struct _vx_delay){.slots = &exemplar, .count = num_slots});
}

CLASS_RELEASE(vxReleaseDelay, delay)
CLASS_QUERY(vxQueryDelay, delay)

VX_API_ENTRY VX_EXPORT vx_reference VX_API_CALL vxGetReferenceFromDelay(vx_delay d, vx_int32 index)
{
	ENTER_OR_NULL(d, VX_TYPE_DELAY);
	struct _vx_context *c = d->reference.context;
	const vx_int64 slot = -(vx_int64)index;
	/* vxGetReferenceFromDelay: 0 is now, what was before has a negative index */
	if (slot < 0 || slot >= (vx_int64)d->count)
		return refused(c, fail(d, VX_ERROR_INVALID_PARAMETERS,
				       "vxGetReferenceFromDelay: index %d of a delay of %zu slots", index, d->count));
	/* vxGetReferenceFromDelay: the delay's own reference, which the application does not release */
	return d->slots[slot];
}

/* ---- aging ---- */
/* What stands in for an object of the delay after the next aging. */
static vx_reference successor(const struct _vx_delay *d, vx_reference ref)
{
	vx_reference found = NULL;
	for (vx_size i = 0; !found && i < d->count; i++)
		found = part_like(d->slots[i], d->slots[(i ? i : d->count) - 1], ref);
	return found;
}

static void follow(struct _vx_delay *d, struct _vx_node *n)
{
	for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++) {
		vx_reference before = n->parameters[i];
		if (!before || before->delay != d)
			continue;
		node_replace(n, i, successor(d, before));
	}
}

void delay_age(struct _vx_delay *d)
{
	struct _vx_context *c = d->reference.context;
	for (struct _vx_reference *ref = LIST_FIRST(&c->objects); ref; ref = LIST_NEXT(ref, of_context))
		if (ref->type == VX_TYPE_NODE)
			follow(d, (struct _vx_node *)ref);
	vx_reference oldest = d->slots[d->count - 1];
	memmove(d->slots + 1, d->slots, (d->count - 1) * sizeof *d->slots);
	d->slots[0] = oldest;
}

void delay_exchange(struct _vx_delay *d, const struct _vx_graph *g, vx_reference from, vx_reference to)
{
	struct _vx_context *c = d->reference.context;
	for (struct _vx_reference *ref = LIST_FIRST(&c->objects); ref; ref = LIST_NEXT(ref, of_context)) {
		struct _vx_node *n = (struct _vx_node *)ref;
		if (ref->type != VX_TYPE_NODE || n->graph == g)
			continue;
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++) {
			vx_reference becomes = n->parameters[i] ? part_like(from, to, n->parameters[i]) : NULL;
			if (becomes)
				node_replace(n, i, becomes);
		}
	}
	for (vx_size i = 0; i < d->count; i++) {
		if (d->slots[i] != from)
			continue;
		object_use(to);
		d->slots[i] = to;
		mark(from, NULL);
		mark(to, d);
		object_unuse(from);
	}
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAgeDelay(vx_delay d)
{
	ENTER(d, VX_TYPE_DELAY);
	delay_age(d);
	return VX_SUCCESS;
}
