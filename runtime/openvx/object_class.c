/* Classes: the table of all, and what each object is made and ended by (object_class.h). */
#include "runtime/openvx/object_class.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"
#include <stdlib.h>
#include <string.h>

static const struct object_class *const classes[] = {
#define OBJECT_CLASS(name) [CLASS_OF_##name] = &name##_class,
#include "runtime/openvx/object_classes.def"
#undef OBJECT_CLASS
};

const struct object_class *class_find(vx_enum type)
{
	for (unsigned i = 0; i < OBJECT_CLASSES; i++)
		if (classes[i]->type == type)
			return classes[i];
	return NULL;
}

unsigned class_number(const struct object_class *k)
{
	unsigned i = 0;
	while (classes[i] != k)
		i++;
	return i;
}

/* ---- stores and parts ---- */
unsigned stores_of(vx_reference ref, struct store *stores[STORES_MAX])
{
	for (unsigned i = 0; i < ref->class->num_stores; i++)
		stores[i] = (struct store *)((char *)ref + ref->class->stores[i]);
	return ref->class->num_stores;
}

vx_size prototype_parts(const struct object_class *k, const void *prototype)
{
	return k->parts ? *(const vx_size *)((const char *)prototype + k->num_parts) : 0;
}

vx_size all_parts_of(vx_reference ref, const vx_reference **parts)
{
	const struct object_class *k = ref->class;
	*parts = k && k->parts ? *(vx_reference **)((char *)ref + k->parts) : NULL;
	return *parts ? prototype_parts(k, ref) : 0; /* an object that is being made has no list yet */
}

vx_size parts_of(vx_reference ref, const vx_reference **parts)
{
	return ref->class && ref->class->rotates ? 0 : all_parts_of(ref, parts);
}

void part_adopt(vx_reference part)
{
	vx_reference mine = part;
	object_use(part);
	object_release(&mine, part->type);
}

/* What it is a part of ends; the part lives on if another object refers to it. NULL: none. */
static void part_drop(vx_reference part)
{
	/* at the end of a context parts may have gone before what they are parts of */
	if (!object_known(part))
		return;
	part->delay = NULL;
	object_unuse(part);
}

vx_status data_allocate(vx_reference ref)
{
	struct store *stores[STORES_MAX];
	const vx_reference *parts;
	const vx_size count = parts_of(ref, &parts);
	for (vx_size i = 0; i < count; i++)
		TRY(data_allocate(parts[i]));
	if (ref->class->allocate)
		return ref->class->allocate(ref);
	const unsigned num_stores = stores_of(ref, stores);
	for (unsigned i = 0; i < num_stores; i++)
		TRY(store_allocate(ref->context, stores[i]));
	return VX_SUCCESS;
}

/* ---- life ---- */
static void data_destroy(struct _vx_reference *ref)
{
	const struct object_class *k = ref->class;
	struct store *stores[STORES_MAX];
	const vx_reference *parts;
	if (k->destroy)
		k->destroy(ref);
	const vx_size count = all_parts_of(ref, &parts);
	for (vx_size i = 0; i < count; i++)
		part_drop(parts[i]);
	if (k->parts)
		free(*(void **)((char *)ref + k->parts));
	for (unsigned i = stores_of(ref, stores); i--;) {
		maps_drop(ref, &stores[i]->maps);
		store_free(ref->context, stores[i]);
	}
	free(ref->declared);
}

/* false: no memory. */
static bool keep_declared(vx_reference ref)
{
	if (!ref->is_virtual || !ref->class->define)
		return true;
	ref->declared = calloc(1, ref->class->size);
	if (ref->declared)
		meta_copy(ref->class, ref->declared, ref);
	return ref->declared;
}

/* The list of parts, with clones of the exemplar if there is one; false: no memory. */
static bool clone_parts(vx_reference ref, const void *prototype)
{
	const struct object_class *k = ref->class;
	const vx_reference *exemplars = *(vx_reference *const *)((const char *)prototype + k->parts);
	const vx_size count = prototype_parts(k, ref);
	vx_reference *parts = calloc(count, sizeof *parts);
	*(vx_reference **)((char *)ref + k->parts) = parts;
	for (vx_size i = 0; parts && exemplars && i < count; i++) {
		parts[i] = clone_create(ref->scope, *exemplars, ref->is_virtual);
		if (!parts[i])
			return false;
		part_adopt(parts[i]);
	}
	return parts;
}

void *data_create(struct _vx_reference *scope, const struct object_class *k, const void *prototype, bool is_virtual)
{
	struct _vx_reference *ref = object_create(scope->context, k->type, k->size, scope, data_destroy);
	if (!ref)
		return NULL;
	ref->class = k;
	ref->is_virtual = is_virtual;
	meta_copy(k, ref, prototype);
	return (!k->of_exemplar || clone_parts(ref, prototype)) && k->init(ref) && keep_declared(ref) ? ref : undone(ref);
}

static void *new_in(struct _vx_reference *scope, const struct object_class *k, const void *prototype)
{
	struct _vx_context *c = scope->context;
	LOCKED(c);
	const vx_status status = k->check(scope, prototype);
	return status ? refused(c, status) : created(c, data_create(scope, k, prototype, scope->type == VX_TYPE_GRAPH));
}

void *data_new(vx_context c, const struct object_class *k, const void *prototype)
{
	return object_is(c, VX_TYPE_CONTEXT) ? new_in(&c->reference, k, prototype) : NULL;
}

void *data_new_virtual(vx_graph graph, const struct object_class *k, const void *prototype)
{
	return object_is(graph, VX_TYPE_GRAPH) ? new_in(&graph->reference, k, prototype) : NULL;
}

/* ---- clones ---- */
vx_status clone_check(struct _vx_context *c, vx_reference exemplar)
{
	/* vxCreateDelay, vxCreateObjectArray: a data object of the context */
	FAIL_IF(!object_usable(exemplar) || exemplar->context != c, c, VX_ERROR_INVALID_REFERENCE, "the exemplar is not an object of the context");
	const struct object_class *k = exemplar->class;
	FAIL_IF(!k || k->rotates, c, VX_ERROR_INVALID_REFERENCE, "%s cannot be an exemplar", type_name(exemplar->type));
	/* vxCreateObjectArray: one whose meta data will not change any more */
	FAIL_IF(k->is_open && k->is_open(exemplar), c, VX_ERROR_INVALID_PARAMETERS, "the exemplar, %s, has no size or no format yet", k->name);
	return VX_SUCCESS;
}

vx_reference clone_create(struct _vx_reference *scope, vx_reference exemplar, bool is_virtual)
{
	const struct object_class *k = exemplar->class;
	vx_reference clone = data_create(scope, k, exemplar, is_virtual);
	for (unsigned i = 0; clone && i < k->num_attributes; i++)
		if (k->attributes[i].cloned)
			memcpy((char *)clone + k->attributes[i].offset, (const char *)exemplar + k->attributes[i].offset, k->attributes[i].size);
	return clone;
}
