/* Memory that objects of a graph share without the graph's knowing. The order of nodes goes by objects and their parts; images and
 * tensors that the application has made of the same memory, or images in a tensor, are several objects. */
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/plan.h"
#include <VX/vx_khr_opencl_interop.h>
#include <stdlib.h>

struct memory {
	const void *base;   /* a buffer; NULL: the host's memory */
	size_t begin, end;
	const void *object; /* whose it is, with all its parts */
	bool written;       /* by a node of the graph */
};

struct memories {
	struct memory *list;
	unsigned count;
	bool failed;
};

static void add(struct memories *m, struct memory one)
{
	struct memory *grown = realloc(m->list, (m->count + 1) * sizeof *grown);
	m->failed |= !grown;
	if (!grown)
		return;
	m->list = grown;
	grown[m->count++] = one;
}

/* Buffers of OpenCL may be parts of others. */
static void add_extent(struct memories *m, const struct device *d, const struct extent *e, bool written)
{
	struct memory one = {.base = e->mem, .object = e->owner, .written = written};
	cl_mem whole = NULL;
	size_t origin = 0;
	if (e->memory == VX_MEMORY_TYPE_HOST ? !e->host : !e->mem)
		return; /* there is none yet */
	if (e->memory == VX_MEMORY_TYPE_HOST) {
		one.base = NULL;
		origin = (uintptr_t)e->host;
	} else if (e->memory == VX_MEMORY_TYPE_OPENCL_BUFFER) {
		d->cl.clGetMemObjectInfo(e->mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);
		d->cl.clGetMemObjectInfo(e->mem, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
		one.base = whole ? whole : e->mem;
	}
	one.begin = origin + e->offset;
	one.end = one.begin + e->bytes;
	add(m, one);
}

static void add_object(struct memories *m, vx_reference ref, bool written)
{
	const struct object_class *k = ref->class;
	const vx_reference *parts;
	const vx_size count = parts_of(ref, &parts);
	struct extent e;
	for (vx_size i = 0; i < count; i++)
		add_object(m, parts[i], written);
	for (unsigned i = 0; k->extent && k->extent(ref, i, &e); i++)
		add_extent(m, &ref->context->device, &e, written);
}

static bool meet(const struct memory *a, const struct memory *b)
{
	return a->object != b->object && (a->written || b->written) && a->base == b->base && a->begin < b->end && b->begin < a->end;
}

bool memory_is_shared(const struct _vx_graph *g)
{
	struct memories m = {0};
	for (const struct _vx_node *n = g->first; n; n = n->next)
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++)
			if (n->parameters[i])
				add_object(&m, node_footprint(n, i), n->kernel->parameters[i].direction != VX_INPUT);
	bool shared = m.failed;
	for (unsigned i = 0; i < m.count; i++)
		for (unsigned k = 0; k < i && !shared; k++)
			shared = meet(&m.list[i], &m.list[k]);
	free(m.list);
	return shared;
}
