/* Graphs of an export: nodes in the order of their creation, parameters, delays that age; and what can be done to an imported one.
 *
 *   of each graph: u32 nodes; of each: u32 kernel, u32 border mode, 16 bytes of the constant, u8 flags, for each parameter u32 object or
 *   IX_NONE, and u8 whether it is replicated if the node is. u32 parameters; of each: u32 node or IX_NONE, u32 index. u32 delays;
 *   of each: u32 object.
 */
#include "runtime/openvx/delay.h"
#include "runtime/openvx/ix.h"

enum { NODE_BYTES = 25, PARAMETER_BYTES = 8, DELAY_BYTES = 4 };
enum { VALID_RECT_RESET = 1, REPLICATED = 2 };

/* ---- out ---- */
static void put_node(struct ix_writer *w, const struct ix_set *s, const struct _vx_node *n, vx_uint32 kernel)
{
	const vx_uint32 count = n->kernel->num_parameters;
	ix_put_u32(w, kernel);
	ix_put_u32(w, (vx_uint32)n->border.mode);
	ix_put_bytes(w, &n->border.constant_value, sizeof n->border.constant_value);
	ix_put_u8(w, (vx_uint8)((n->valid_rect_reset ? VALID_RECT_RESET : 0) | (n->replicate ? REPLICATED : 0)));
	for (vx_uint32 i = 0; i < count; i++)
		ix_put_u32(w, ix_number(s, n->parameters[i]));
	for (vx_uint32 i = 0; n->replicate && i < count; i++)
		ix_put_u8(w, n->replicate[i] != vx_false_e);
}

static vx_uint32 node_number(const struct _vx_graph *g, const struct _vx_node *node)
{
	vx_uint32 number = 0;
	for (const struct _vx_node *n = g->first; n; n = n->next, number++)
		if (n == node)
			return number;
	return IX_NONE;
}

static void put_graph(struct ix_writer *w, const struct ix_set *s, const struct _vx_graph *g, const vx_kernel *kernels, vx_uint32 num_kernels)
{
	ix_put_u32(w, g->num_nodes);
	for (const struct _vx_node *n = g->first; n; n = n->next)
		put_node(w, s, n, ix_kernel_number(kernels, num_kernels, n->kernel));
	ix_put_u32(w, g->num_parameters);
	for (vx_uint32 i = 0; i < g->num_parameters; i++) {
		ix_put_u32(w, node_number(g, g->parameters[i].node));
		ix_put_u32(w, g->parameters[i].index);
	}
	ix_put_u32(w, g->num_aging);
	for (unsigned i = 0; i < g->num_aging; i++)
		ix_put_u32(w, ix_number(s, g->aging[i]));
}

void ix_put_graphs(struct ix_writer *w, const struct ix_set *s, const vx_kernel *kernels, vx_uint32 num_kernels)
{
	ix_section(w, IX_GRAPHS);
	for (vx_uint32 i = 0; i < s->count; i++) {
		const vx_reference ref = s->items[s->order[i]].ref;
		if (ref->type == VX_TYPE_GRAPH)
			put_graph(w, s, (vx_graph)ref, kernels, num_kernels);
	}
}

/* ---- in: nodes ---- */
static vx_status set_parameters(struct ix_import *im, struct _vx_node *n)
{
	struct ix_reader *r = &im->reader;
	for (vx_uint32 i = 0; !r->status && i < n->kernel->num_parameters; i++) {
		const vx_uint32 number = ix_u32(r);
		if (r->status || number == IX_NONE)
			continue;
		if (number >= im->num_objects)
			return ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "parameter %u of %s is object %u of %u", i, n->kernel->name, number,
					 im->num_objects);
		const vx_status status = vxSetParameterByIndex(n, i, im->objects[number].ref);
		if (status)
			return ix_refuse(r, status, "parameter %u of %s cannot be object %u", i, n->kernel->name, number);
	}
	return r->status;
}

static vx_status get_node(struct ix_import *im, struct _vx_graph *g)
{
	struct ix_reader *r = &im->reader;
	vx_border_t border = {.mode = VX_BORDER_UNDEFINED};
	vx_bool replicated[PARAMETERS_MAX] = {vx_false_e};
	const vx_uint32 kernel = ix_below(r, im->num_kernels, "kernels");
	border.mode = (vx_enum)ix_u32(r);
	ix_copy(r, &border.constant_value, sizeof border.constant_value);
	const vx_uint8 flags = ix_u8(r);
	if (r->status)
		return r->status;
	if (flags > (VALID_RECT_RESET | REPLICATED))
		return ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a node with flags 0x%x", flags);
	struct _vx_kernel *k = im->kernels[kernel];
	vx_node node = vxCreateGenericNode(g, k);
	vx_status status = vxGetStatus((vx_reference)node);
	if (status)
		return ix_refuse(r, status, "a node of %s cannot be made", k->name);
	status = set_parameters(im, node);
	node->valid_rect_reset = flags & VALID_RECT_RESET;
	if (!status)
		status = vxSetNodeAttribute(node, VX_NODE_BORDER, &border, sizeof border);
	for (vx_uint32 i = 0; flags & REPLICATED && i < k->num_parameters; i++)
		replicated[i] = ix_u8(r) ? vx_true_e : vx_false_e;
	if (!status && !r->status && flags & REPLICATED)
		status = vxReplicateNode(g, node, replicated, k->num_parameters);
	if (status)
		ix_refuse(r, status, "a node of %s cannot be as it is written", k->name);
	vxReleaseNode(&node);
	return r->status;
}

/* ---- in: graphs ---- */
static struct _vx_node *node_at(const struct _vx_graph *g, vx_uint32 number)
{
	struct _vx_node *n = g->first;
	while (n && number--)
		n = n->next;
	return n;
}

static void get_parameter(struct ix_reader *r, struct _vx_graph *g)
{
	const vx_uint32 number = ix_u32(r), index = ix_u32(r);
	struct _vx_node *n = number == IX_NONE ? NULL : node_at(g, number);
	if (r->status)
		return;
	if (number != IX_NONE && (!n || index >= n->kernel->num_parameters)) {
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "a parameter of the graph is parameter %u of node %u", index, number);
		return;
	}
	const vx_status status = graph_add_parameter(g, n, index);
	if (status)
		ix_refuse(r, status, "a parameter of the graph cannot be added");
}

static void get_delay(struct ix_import *im, struct _vx_graph *g)
{
	struct ix_reader *r = &im->reader;
	const vx_uint32 number = ix_below(r, im->num_objects, "objects");
	if (!r->status && vxRegisterAutoAging(g, (vx_delay)im->objects[number].ref))
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "object %u is no delay that can age", number);
}

static void get_graph(struct ix_import *im, struct _vx_graph *g)
{
	struct ix_reader *r = &im->reader;
	const vx_uint32 nodes = ix_count(r, NODE_BYTES, "nodes");
	for (vx_uint32 i = 0; !r->status && i < nodes; i++)
		get_node(im, g);
	const vx_uint32 parameters = ix_count(r, PARAMETER_BYTES, "parameters");
	for (vx_uint32 i = 0; !r->status && i < parameters; i++)
		get_parameter(r, g);
	const vx_uint32 delays = ix_count(r, DELAY_BYTES, "delays");
	for (vx_uint32 i = 0; !r->status && i < delays; i++)
		get_delay(im, g);
}

/* vxImportObjectsFromMemory: graphs appear as verified. That they can be is not taken on trust. */
static void verify(struct ix_reader *r, struct _vx_graph *g)
{
	g->imported = true;
	const vx_status status = graph_verify(g);
	if (status) {
		ix_refuse(r, status, "the graph cannot be verified");
		return;
	}
	g->verified = true;
	g->state = VX_GRAPH_STATE_VERIFIED;
}

vx_status ix_get_graphs(struct ix_import *im)
{
	struct ix_reader *r = &im->reader;
	ix_enter(r, IX_GRAPHS);
	for (vx_uint32 i = 0; !r->status && i < im->num_objects; i++) {
		if (im->objects[i].ref->type != VX_TYPE_GRAPH)
			continue;
		ix_where(r, "object %u", i);
		get_graph(im, (vx_graph)im->objects[i].ref);
		if (!r->status)
			verify(r, (vx_graph)im->objects[i].ref);
	}
	return ix_leave(r);
}

/* ---- afterwards ---- */
static vx_status swap(struct _vx_graph *g, struct _vx_node *n, vx_uint32 index, vx_reference value)
{
	node_set(n, index, value);
	const vx_status status = graph_verify(g);
	g->verified = !status;
	return status;
}

vx_status graph_swap(struct _vx_node *n, vx_uint32 index, vx_reference value)
{
	struct _vx_graph *g = n->graph;
	vx_reference before = n->parameters[index], whole = n->wholes ? n->wholes[index] : NULL;
	const vx_enum state = g->state;
	TRY(pipeline_idle(g, "vxSetParameterByIndex"));
	/* vxImportObjectsFromMemory: a parameter is not left out, and one that has been stays so */
	if (!value || !before)
		return fail(g, VX_ERROR_INVALID_PARAMETERS, "node of %s, parameter %u: of an imported graph it cannot be left out, or be there when it was not",
			    n->kernel->name, index);
	/* ... its meta data are those of what it replaces */
	vx_status status = meta_same(value, before, false, n);
	if (status || value == before)
		return status;
	object_use(before);
	if (whole)
		object_use(whole);
	status = swap(g, n, index, value);
	if (status && swap(g, n, index, before))
		fail(g, VX_FAILURE, "an imported graph cannot be what it was any more");
	object_unuse(before);
	object_unuse(whole);
	if (g->verified)
		g->state = state;
	return status;
}
