/* What an export holds: the objects of its list, what these are made of, and what the graphs among them use (vx_khr_ix, 2.1). */
#include "runtime/openvx/ix.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/replicate.h"
#include <stdlib.h>

/* ---- the set ---- */
static vx_uint32 find(const struct ix_set *s, const void *ref)
{
	vx_uint32 i = 0;
	while (i < s->count && s->items[i].ref != ref)
		i++;
	return i < s->count ? i : IX_NONE;
}

vx_uint32 ix_number(const struct ix_set *s, const void *ref)
{
	const vx_uint32 i = ref ? find(s, ref) : IX_NONE;
	return i == IX_NONE ? IX_NONE : s->items[i].number;
}

void ix_set_free(struct ix_set *s)
{
	free(s->items);
	free(s->order);
}

static vx_status add(struct ix_set *s, vx_reference ref, vx_uint32 *item)
{
	*item = find(s, ref);
	if (*item != IX_NONE)
		return VX_SUCCESS;
	if (s->count == s->room) {
		const vx_uint32 room = s->room ? 2 * s->room : 64;
		struct ix_item *grown = realloc(s->items, room * sizeof *grown);
		FAIL_IF(!grown, s->context, VX_ERROR_NO_MEMORY, "no memory for a list of %u objects", room);
		s->items = grown;
		s->room = room;
	}
	*item = s->count++;
	s->items[*item] = (struct ix_item){.ref = ref, .whole = IX_NONE, .part = IX_NONE, .parent = IX_NONE, .number = IX_NONE};
	return VX_SUCCESS;
}

static vx_status add_one(struct ix_set *s, vx_reference ref)
{
	vx_uint32 item;
	return add(s, ref, &item);
}

/* ---- graphs ---- */
static bool replicated(const struct _vx_node *n, vx_uint32 i) { return n->replicate && n->replicate[i]; }

static vx_status add_parameter(struct ix_set *s, const struct _vx_node *n, vx_uint32 i)
{
	vx_reference ref = n->parameters[i];
	const vx_status status = add_one(s, ref);
	/* a replicated node is one for all parts of a whole, which has to be there */
	return status || !replicated(n, i) ? status : add_one(s, container_of_part(ref));
}

static vx_status add_graph(struct ix_set *s, const struct _vx_graph *g)
{
	for (const struct _vx_node *n = g->first; n; n = n->next)
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++)
			if (n->parameters[i])
				TRY(add_parameter(s, n, i));
	for (unsigned i = 0; i < g->num_aging; i++)
		TRY(add_one(s, (vx_reference)g->aging[i]));
	return VX_SUCCESS;
}

/* vxExportObjectsToMemory, rule 1: in any one graph, what is not an output has to have its data. */
static void note_use(struct ix_set *s, const struct _vx_graph *g)
{
	for (const struct _vx_node *n = g->first; n; n = n->next) {
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++) {
			vx_reference ref = n->parameters[i];
			for (int whole = 0; ref && whole < 1 + replicated(n, i); whole++) {
				struct ix_item *item = &s->items[find(s, whole ? container_of_part(ref) : ref)];
				*(n->kernel->parameters[i].direction == VX_OUTPUT ? &item->writes : &item->reads) = true;
			}
		}
	}
	for (vx_uint32 i = 0; i < s->count; i++) {
		struct ix_item *item = &s->items[i];
		item->connected = item->connected || item->reads || item->writes;
		item->needed = item->needed || (item->reads && !item->writes);
		item->reads = item->writes = false;
	}
}

/* ---- what objects are made of ---- */
static vx_status add_parts(struct ix_set *s, vx_uint32 whole)
{
	const vx_reference *parts;
	const vx_size count = all_parts_of(s->items[whole].ref, &parts);
	for (vx_size i = 0; i < count; i++) {
		vx_uint32 item;
		TRY(add(s, parts[i], &item));
		s->items[item].whole = whole;
		s->items[item].part = (vx_uint32)i;
	}
	return VX_SUCCESS;
}

/* Whose data an object has; NULL: its own. */
static vx_reference parent_of(vx_reference ref) { return ref->class->parent ? ref->class->parent(ref) : NULL; }

static vx_status expand(struct ix_set *s, vx_uint32 i)
{
	vx_reference ref = s->items[i].ref;
	if (ref->type == VX_TYPE_GRAPH)
		return add_graph(s, (vx_graph)ref);
	TRY(add_parts(s, i));
	if (ref->delay)
		TRY(add_one(s, (vx_reference)ref->delay));
	/* what the application creates is made of what the application has */
	vx_reference parent = s->items[i].use == VX_IX_USE_APPLICATION_CREATE ? NULL : parent_of(ref);
	if (!parent)
		return VX_SUCCESS;
	vx_uint32 item;
	const vx_status status = add(s, parent, &item);
	s->items[i].parent = item;
	return status;
}

/* ---- data ---- */
static const struct ix_item *whole_of(const struct ix_set *s, const struct ix_item *item)
{
	return item->whole == IX_NONE ? NULL : &s->items[item->whole];
}

bool ix_has_values(const struct ix_set *s, const struct ix_item *item)
{
	if (item->ref->is_virtual || item->ref->type == VX_TYPE_GRAPH)
		return false;
	if (item->use)
		return item->use == VX_IX_USE_EXPORT_VALUES;
	/* parts of what is in the list are as that is */
	for (const struct ix_item *whole = whole_of(s, item); whole; whole = whole_of(s, whole))
		if (whole->use)
			return whole->use == VX_IX_USE_EXPORT_VALUES;
	/* vxExportObjectsToMemory, rule 2: parts of what needs its data need theirs; of a delay each slot is read one day. Rule 3: a
	 * parent does not need them for the sake of a part */
	const struct ix_item *whole = whole_of(s, item);
	return item->needed || (item->ref->class->rotates && !item->connected) || (whole && ix_has_values(s, whole));
}

/* ---- order ---- */
static void place(struct ix_set *s, vx_uint32 i)
{
	struct ix_item *item = &s->items[i];
	if (item->number != IX_NONE)
		return;
	if (item->whole != IX_NONE)
		place(s, item->whole);
	if (item->parent != IX_NONE)
		place(s, item->parent);
	item->number = s->placed++;
	s->order[item->number] = i;
}

static vx_status find_order(struct ix_set *s)
{
	s->order = calloc(s->count ? s->count : 1, sizeof *s->order);
	FAIL_IF(!s->order, s->context, VX_ERROR_NO_MEMORY, "no memory for a list of %u objects", s->count);
	/* graphs are what virtual objects are made in */
	for (vx_uint32 i = 0; i < s->count; i++)
		if (s->items[i].ref->type == VX_TYPE_GRAPH)
			place(s, i);
	for (vx_uint32 i = 0; i < s->count; i++)
		place(s, i);
	return VX_SUCCESS;
}

static vx_status check_items(const struct ix_set *s)
{
	for (vx_uint32 i = 0; i < s->count; i++) {
		const vx_reference ref = s->items[i].ref;
		if (ref->is_virtual && (ref->scope->type != VX_TYPE_GRAPH || find(s, ref->scope) == IX_NONE))
			return fail(ref, VX_ERROR_INVALID_SCOPE, "vxExportObjectsToMemory: %s is virtual in a graph that is not exported",
				    type_name(ref->type));
		/* what is created by the application comes as a whole: its parts are those of what it brings */
		const struct ix_item *item = &s->items[i], *whole = whole_of(s, item);
		if (!whole || item->use != VX_IX_USE_APPLICATION_CREATE || whole->use == VX_IX_USE_APPLICATION_CREATE)
			continue;
		return fail(ref, VX_ERROR_INVALID_PARAMETERS,
			    "vxExportObjectsToMemory: %s, part %u of %s, has the use VX_IX_USE_APPLICATION_CREATE: what it is a part of needs it, too",
			    type_name(ref->type), item->part, type_name(whole->ref->type));
	}
	return VX_SUCCESS;
}

vx_status ix_collect(struct ix_set *s, vx_size numrefs, const vx_reference *refs, const vx_enum *uses)
{
	for (vx_size i = 0; i < numrefs; i++) {
		vx_uint32 item;
		TRY(add(s, refs[i], &item));
		/* uses of graphs are ignored */
		if (refs[i]->type != VX_TYPE_GRAPH)
			s->items[item].use = uses[i];
	}
	for (vx_uint32 i = 0; i < s->count; i++)
		TRY(expand(s, i));
	for (vx_uint32 i = 0; i < s->count; i++)
		if (s->items[i].ref->type == VX_TYPE_GRAPH)
			note_use(s, (vx_graph)s->items[i].ref);
	TRY(check_items(s));
	return find_order(s);
}
