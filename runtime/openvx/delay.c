/* Delays: objects of one kind, which move on by one slot with each aging (OpenVX 1.3, vx_delay). */
#include "runtime/openvx/delay.h"
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/clone.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/overlap.h"
#include <stdlib.h>
#include <string.h>

static bool delay_is(vx_delay d) { return object_is(d, VX_TYPE_DELAY); }

/* ---- life ---- */
/* An object of a slot, and all its parts, say whose they are. */
static void mark(vx_reference ref, struct _vx_delay *d)
{
	const vx_reference *parts = NULL;
	/* at the end of a context parts may have gone before what they are parts of */
	if (!object_known(ref))
		return;
	const vx_size count = parts_of(ref, &parts);
	ref->delay = d;
	for (vx_size i = 0; i < count; i++)
		mark(parts[i], d);
}

static void delay_destroy(struct _vx_reference *ref)
{
	struct _vx_delay *d = (struct _vx_delay *)ref;
	for (vx_size i = 0; i < d->count; i++) {
		mark(d->slots[i], NULL);
		part_drop(d->slots[i]);
	}
	free(d->slots);
}

static struct _vx_delay *delay_create(struct _vx_context *c, vx_reference exemplar, vx_size count)
{
	struct _vx_delay *d = object_create(c, VX_TYPE_DELAY, sizeof *d, &c->reference, delay_destroy);
	if (!d)
		return NULL;
	d->type = exemplar->type;
	d->slots = calloc(count, sizeof *d->slots);
	if (!d->slots)
		return undone(d);
	d->count = count;
	for (vx_size i = 0; i < count; i++) {
		d->slots[i] = clone_create(c, &c->reference, exemplar, false);
		if (!d->slots[i])
			return undone(d);
		part_adopt(d->slots[i]);
		mark(d->slots[i], d);
	}
	return d;
}

VX_API_ENTRY VX_EXPORT vx_delay VX_API_CALL vxCreateDelay(vx_context c, vx_reference exemplar, vx_size num_slots)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	const vx_status status = clone_check(c, exemplar);
	if (status)
		return refused(c, status);
	/* vxCreateDelay: not empty */
	if (!num_slots || num_slots > PARTS_MAX)
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "a delay of %zu slots: 1 to %d", num_slots, PARTS_MAX));
	return created(c, delay_create(c, exemplar, num_slots));
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseDelay(vx_delay *delay)
{
	return object_release((vx_reference *)delay, VX_TYPE_DELAY);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryDelay(vx_delay d, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(d, VX_TYPE_DELAY, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_reference VX_API_CALL vxGetReferenceFromDelay(vx_delay d, vx_int32 index)
{
	if (!delay_is(d))
		return NULL;
	struct _vx_context *c = d->reference.context;
	LOCKED(c);
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
	for (struct _vx_reference *ref = c->first; ref; ref = ref->next)
		if (ref->type == VX_TYPE_NODE)
			follow(d, (struct _vx_node *)ref);
	vx_reference oldest = d->slots[d->count - 1];
	memmove(d->slots + 1, d->slots, (d->count - 1) * sizeof *d->slots);
	d->slots[0] = oldest;
}

void delay_exchange(struct _vx_delay *d, const struct _vx_graph *g, vx_reference from, vx_reference to)
{
	struct _vx_context *c = d->reference.context;
	for (struct _vx_reference *ref = c->first; ref; ref = ref->next) {
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
	if (!delay_is(d))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxAgeDelay: not a delay");
	LOCKED(d->reference.context);
	delay_age(d);
	return VX_SUCCESS;
}
