/* Fusion: nodes pixel by pixel (pixel.h) that follow one another become one launch, and what is between them is never in memory.
 *
 * A node joins the step of those that read its output when nothing else sees it: the image is virtual, no other node reads it or a
 * part of it, no queue puts another one in its place, and none of them is replicated. So a step is a tree, or a graph with one last
 * node, whose output alone is written. All its images have one size. It runs where its last node would have run: what it reads has
 * been written before, and is not written again, as an object has one writer, which all its readers follow. */
#include "runtime/openvx/exchange.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/pixel.h"
#include "runtime/openvx/plan.h"
#include <stdlib.h>

struct fusion {
	const struct _vx_graph *graph;
	struct pixel_operation *operations; /* of the nodes in order; without a name: it is none */
	unsigned *last;                     /* of the step */
};

static bool is_between_nodes(const struct _vx_image *image)
{
	return image->reference.is_virtual && !image->parent && LIST_EMPTY(&image->children);
}

/* The node pixel by pixel that writes the image, or the number of nodes. */
static unsigned writer_of(const struct fusion *f, vx_image image)
{
	unsigned i = 0;
	while (i < f->graph->num_order && (!f->operations[i].name || f->operations[i].out != image))
		i++;
	return i;
}

/* Parameter k of node i is the image as a pixel that the node's operation reads, or writes. */
static bool is_pixel(const struct fusion *f, unsigned i, vx_uint32 k, vx_image image)
{
	return f->operations[i].name && f->graph->order[i]->parameters[k] == (vx_reference)image;
}

/* A node that is in no step with the last node has to do with what the writer writes, or the application has, by a queue. */
static bool is_seen(const struct fusion *f, vx_image image, unsigned writer, unsigned last)
{
	for (unsigned i = 0; i < f->graph->num_order; i++) {
		const struct _vx_node *n = f->graph->order[i];
		const bool inside = i == writer || f->last[i] == last;
		for (vx_uint32 k = 0; k < n->kernel->num_parameters; k++) {
			const bool known = inside && is_pixel(f, i, k, image) && place_queue(n, k) == NO_QUEUE;
			if (n->parameters[k] && !known && objects_overlap(node_footprint(n, k), (vx_reference)image))
				return true;
		}
	}
	return false;
}

/* Images that the step loads: each once. */
static unsigned num_loads(const struct fusion *f, unsigned last)
{
	vx_image loaded[2 * PIXEL_OPERATIONS_MAX];
	unsigned count = 0;
	for (unsigned i = 0; i <= last; i++) {
		for (unsigned k = 0; k < 2 && f->last[i] == last; k++) {
			const vx_image image = f->operations[i].in[k];
			const unsigned writer = image ? writer_of(f, image) : 0;
			unsigned at = 0;
			if (!image || (writer < f->graph->num_order && f->last[writer] == last))
				continue;
			while (at < count && loaded[at] != image)
				at++;
			if (at == count)
				loaded[count++] = image;
		}
	}
	return count;
}

/* One more node for the step of the last node, read by node i of it; false: there is none. */
static bool join(struct fusion *f, unsigned i, unsigned last)
{
	for (unsigned k = 0; k < 2; k++) {
		const vx_image image = f->operations[i].in[k];
		if (!image || !is_between_nodes(image))
			continue;
		const unsigned writer = writer_of(f, image);
		if (writer == f->graph->num_order || f->last[writer] == last || is_seen(f, image, writer, last))
			continue;
		f->last[writer] = last;
		if (num_loads(f, last) > PIXEL_LOADS_MAX) {
			f->last[writer] = writer;
			continue;
		}
		return true;
	}
	return false;
}

/* All that can: a node may have to wait until another reader of its output has joined. */
static void grow(struct fusion *f, unsigned last)
{
	unsigned count = 1;
	for (unsigned i = last + 1; i-- && count < PIXEL_OPERATIONS_MAX;) {
		if (f->last[i] != last || !join(f, i, last))
			continue;
		count++;
		i = last + 1;
	}
}

static bool is_wanted(void)
{
	const char *wanted = getenv("GALENA_OPENVX_FUSION");
	return !wanted || *wanted != '0';
}

unsigned *fuse_nodes(const struct _vx_graph *g)
{
	const unsigned count = g->num_order;
	struct fusion f = {g, calloc(count + 1, sizeof *f.operations), malloc((count + 1) * sizeof *f.last)};
	if (!f.operations || !f.last) {
		free(f.operations);
		free(f.last);
		return NULL;
	}
	const bool wanted = is_wanted();
	for (unsigned i = 0; i < count; i++) {
		const struct _vx_node *n = g->order[i];
		f.last[i] = i;
		if (wanted && n->kernel->vision && n->kernel->vision->pixel && !n->replicate)
			n->kernel->vision->pixel(n->parameters, &f.operations[i]);
	}
	/* From behind: a node that reads the output of another has its step already. */
	for (unsigned i = count; i--;)
		if (f.operations[i].name && f.last[i] == i)
			grow(&f, i);
	free(f.operations);
	return f.last;
}

vx_status fused_execute(struct _vx_node *const *nodes, unsigned count, bool dry)
{
	struct pixel_operation operations[PIXEL_OPERATIONS_MAX];
	struct _vx_node *last = nodes[count - 1];
	struct _vx_context *c = last->reference.context;
	struct launch l = {.context = c, .queue = c->device.queue, .border = last->border, .node = last, .dry = dry};
	for (unsigned i = 0; i < count; i++) {
		operations[i] = (struct pixel_operation){0};
		nodes[i]->kernel->vision->pixel(nodes[i]->parameters, &operations[i]);
		if (!operations[i].name)
			l.status = VX_FAILURE;
	}
	return launch_pixels(&l, operations, count);
}
