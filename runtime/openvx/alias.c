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

/* So many bytes of a buffer, or of what the application has given: of the host's memory, or a buffer that may be a part of one. */
static void add_bytes(struct memories *m, const struct device *d, vx_enum memory, cl_mem buffer, const void *host, size_t offset, size_t bytes,
		      struct memory as)
{
	cl_mem whole = NULL;
	size_t origin = 0;
	if (memory == VX_MEMORY_TYPE_HOST ? !host : !buffer)
		return; /* there is none yet */
	as.base = buffer;
	if (memory == VX_MEMORY_TYPE_HOST) {
		as.base = NULL;
		origin = (uintptr_t)host;
	} else if (memory == VX_MEMORY_TYPE_OPENCL_BUFFER) {
		d->cl.clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);
		d->cl.clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
		as.base = whole ? whole : buffer;
	}
	as.begin = origin + offset;
	as.end = as.begin + bytes;
	add(m, as);
}

static void add_image(struct memories *m, const struct device *d, const struct _vx_image *image, bool written)
{
	while (image->parent)
		image = image->parent;
	for (unsigned i = 0; image->info && i < image->info->planes; i++) {
		const struct plane *p = &image->planes[i];
		const size_t row = ((size_t)p->width * image->info->plane[i].bits + 7) / 8;
		add_bytes(m, d, image->memory, p->mem, p->host, p->offset, p->height ? (size_t)p->stride_y * (p->height - 1) + row : 0,
			  (struct memory){.object = image, .written = written});
	}
}

static void add_tensor(struct memories *m, const struct device *d, const struct _vx_tensor_t *t, bool written)
{
	size_t bytes = 0;
	while (t->parent)
		t = t->parent;
	for (vx_size i = 0; i < t->num_dims; i++)
		bytes = bytes > t->dims[i] * t->strides[i] ? bytes : t->dims[i] * t->strides[i];
	add_bytes(m, d, t->memory, t->mem, t->host, t->offset, bytes, (struct memory){.object = t, .written = written});
}

static void add_object(struct memories *m, vx_reference ref, bool written)
{
	const struct device *d = &ref->context->device;
	const vx_reference *parts;
	const vx_size count = parts_of(ref, &parts);
	for (vx_size i = 0; i < count; i++)
		add_object(m, parts[i], written);
	if (ref->type == VX_TYPE_IMAGE)
		add_image(m, d, (vx_image)ref, written);
	else if (ref->type == VX_TYPE_TENSOR)
		add_tensor(m, d, (vx_tensor)ref, written);
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
