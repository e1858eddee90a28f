/* vxExportObjectsToMemory and vxReleaseExportedMemory (vx_khr_ix). */
#include "runtime/openvx/ix.h"
#include "base/fork.h"
#include <stdlib.h>
#include <string.h>

static const char function[] = "vxExportObjectsToMemory";

/* ---- the list ---- */
static vx_status check_ref(struct _vx_context *c, vx_size i, vx_reference ref, vx_enum use)
{
	/* vxExportObjectsToMemory: valid references, of the context */
	FAIL_IF(!object_usable(ref), c, VX_ERROR_INVALID_REFERENCE, "%s: reference %zu is not an object", function, i);
	FAIL_IF(ref->context != c, c, VX_ERROR_INVALID_PARAMETERS, "%s: reference %zu is %s of another context", function, i, type_name(ref->type));
	/* ... to graphs and to data objects that are not virtual */
	if (ref->type == VX_TYPE_GRAPH)
		return VX_SUCCESS;
	if (!ref->class)
		return fail(ref, VX_ERROR_NOT_SUPPORTED, "%s: reference %zu is %s: only graphs and data objects are exported", function, i,
			    type_name(ref->type));
	FAIL_IF(ref->is_virtual, ref, VX_ERROR_INVALID_PARAMETERS, "%s: reference %zu, %s, is virtual", function, i, type_name(ref->type));
	if (ix_flags_of_use(use) < 0)
		return fail(ref, VX_ERROR_INVALID_PARAMETERS, "%s: reference %zu, %s: there is no use 0x%x", function, i, type_name(ref->type), use);
	/* VX_IX_USE_APPLICATION_CREATE: must be given for images from handles */
	if (ref->type == VX_TYPE_IMAGE && ((vx_image)ref)->memory != VX_MEMORY_TYPE_NONE && use != VX_IX_USE_APPLICATION_CREATE)
		return fail(ref, VX_ERROR_INVALID_PARAMETERS,
			    "%s: reference %zu is an image from a handle, whose use has to be VX_IX_USE_APPLICATION_CREATE", function, i);
	return VX_SUCCESS;
}

static vx_status check_pairs(vx_size numrefs, const vx_reference *refs, const vx_enum *uses)
{
	for (vx_size i = 0; i < numrefs; i++) {
		for (vx_size k = i + 1; k < numrefs; k++) {
			/* vxExportObjectsToMemory: names are of one object each */
			if (refs[i] != refs[k] && *refs[i]->name && !strcmp(refs[i]->name, refs[k]->name))
				return fail(refs[k], VX_ERROR_INVALID_PARAMETERS, "%s: references %zu and %zu have one name: %s", function, i, k,
					    refs[i]->name);
			/* an object may stand in the list twice, but not as two things */
			if (refs[i] == refs[k] && refs[i]->type != VX_TYPE_GRAPH && uses[i] != uses[k])
				return fail(refs[k], VX_ERROR_INVALID_PARAMETERS, "%s: references %zu and %zu are one object with the uses 0x%x and 0x%x",
					    function, i, k, uses[i], uses[k]);
		}
	}
	return VX_SUCCESS;
}

/* ---- graphs ---- */
static bool listed(vx_size numrefs, const vx_reference *refs, vx_reference ref)
{
	for (vx_size i = 0; i < numrefs; i++)
		if (refs[i] == ref)
			return true;
	return false;
}

static vx_status check_graph_parameters(const struct _vx_graph *g, vx_size numrefs, const vx_reference *refs)
{
	for (vx_uint32 i = 0; i < g->num_parameters; i++) {
		const struct graph_parameter *p = &g->parameters[i];
		const vx_reference ref = p->node ? p->node->parameters[p->index] : NULL;
		/* vxExportObjectsToMemory: parameters of graphs are in the list */
		if (ref && !listed(numrefs, refs, ref))
			return fail(g, VX_ERROR_INVALID_PARAMETERS, "%s: parameter %u of a graph, %s, is not in the list", function, i,
				    type_name(ref->type));
		/* ... and are not what is fixed when a node is made */
		if (p->node && p->node->kernel->parameters[p->index].fixed)
			return fail(g, VX_ERROR_INVALID_PARAMETERS, "%s: parameter %u of a graph is parameter %u of %s, which is fixed", function, i,
				    p->index, p->node->kernel->name);
	}
	return VX_SUCCESS;
}

static vx_status check_fixed(const struct _vx_graph *g, vx_size numrefs, const vx_reference *refs)
{
	for (const struct _vx_node *n = g->first; n; n = n->next)
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++)
			/* vxExportObjectsToMemory: what is fixed when a node is made must not be in the list */
			if (n->kernel->parameters[i].fixed && n->parameters[i] && listed(numrefs, refs, n->parameters[i]))
				return fail(n, VX_ERROR_INVALID_PARAMETERS, "%s: parameter %u of %s is fixed, and is in the list", function, i,
					    n->kernel->name);
	return VX_SUCCESS;
}

static vx_status check_graph(struct _vx_graph *g, vx_size numrefs, const vx_reference *refs)
{
	/* vxExportObjectsToMemory: graphs are verified */
	vx_status status = g->verified ? VX_SUCCESS : vxVerifyGraph(g);
	FAIL_IF(status, g, status, "%s: a graph cannot be verified", function);
	TRY(check_graph_parameters(g, numrefs, refs));
	return check_fixed(g, numrefs, refs);
}

static vx_status check_list(struct _vx_context *c, vx_size numrefs, const vx_reference *refs, const vx_enum *uses)
{
	FAIL_IF(numrefs >= IX_NONE, c, VX_ERROR_INVALID_PARAMETERS, "%s: %zu references", function, numrefs);
	for (vx_size i = 0; i < numrefs; i++)
		TRY(check_ref(c, i, refs[i], uses[i]));
	TRY(check_pairs(numrefs, refs, uses));
	for (vx_size i = 0; i < numrefs; i++)
		if (refs[i]->type == VX_TYPE_GRAPH)
			TRY(check_graph((vx_graph)refs[i], numrefs, refs));
	return VX_SUCCESS;
}

/* ---- the blob ---- */
static void put_refs(struct ix_writer *w, const struct ix_set *s, vx_size numrefs, const vx_reference *refs, const vx_enum *uses)
{
	ix_section(w, IX_REFS);
	ix_put_u32(w, (vx_uint32)numrefs);
	for (vx_size i = 0; i < numrefs; i++) {
		ix_put_u32(w, ix_number(s, refs[i]));
		ix_put_u32(w, (vx_uint32)uses[i]);
	}
}

static vx_status write_blob(struct _vx_context *c, vx_size numrefs, const vx_reference *refs, const vx_enum *uses, struct ix_writer *w)
{
	struct ix_set s = {.context = c};
	vx_kernel *kernels = NULL;
	vx_uint32 num_kernels = 0;
	ix_begin(w);
	vx_status status = ix_collect(&s, numrefs, refs, uses);
	if (!status) {
		put_refs(w, &s, numrefs, refs, uses);
		status = ix_put_tables(w, &s, &kernels, &num_kernels);
	}
	if (!status)
		status = ix_put_objects(w, &s);
	if (!status)
		ix_put_graphs(w, &s, kernels, num_kernels);
	free(kernels);
	ix_set_free(&s);
	if (!status && !ix_finish(w))
		status = fail(c, VX_ERROR_NO_MEMORY, "%s: no memory for the export", function);
	if (status)
		free(w->bytes);
	return status;
}

/* ---- memory that has been handed out ---- */
/* It is not the context's: the application may use it for as long as it likes. */
struct exported {
	struct exported *next;
	const struct _vx_context *context; /* NULL: it has ended */
	vx_uint8 *bytes;
};
static pthread_mutex_t exports_lock = PTHREAD_MUTEX_INITIALIZER;
HELD_OVER_FORK(exports_lock, FORKS_OTHERS)
static struct exported *exports;

static vx_status hand_out(struct _vx_context *c, vx_uint8 *bytes)
{
	struct exported *e = malloc(sizeof *e);
	FAIL_IF(!e, c, VX_ERROR_NO_MEMORY, "%s: no memory for the export", function);
	HOLDING(&exports_lock);
	*e = (struct exported){exports, c, bytes};
	exports = e;
	return VX_SUCCESS;
}

void exports_orphan(const struct _vx_context *c)
{
	HOLDING(&exports_lock);
	for (struct exported *e = exports; e; e = e->next)
		if (e->context == c)
			e->context = NULL;
}

/* An export of the context, or of a context that has ended. */
static struct exported *take_back(const struct _vx_context *c, const vx_uint8 *bytes)
{
	HOLDING(&exports_lock);
	struct exported **at = &exports;
	while (*at && ((*at)->bytes != bytes || ((*at)->context && (*at)->context != c)))
		at = &(*at)->next;
	struct exported *e = *at;
	if (e)
		*at = e->next;
	return e;
}

/* ---- the functions ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxExportObjectsToMemory(vx_context c, vx_size numrefs, const vx_reference *refs, const vx_enum *uses,
								      const vx_uint8 **ptr, vx_size *length)
{
	struct ix_writer w;
	/* vxExportObjectsToMemory: on errors there is nothing at *ptr, and *length is 0 */
	if (ptr)
		*ptr = NULL;
	if (length)
		*length = 0;
	FAIL_IF(!object_is(c, VX_TYPE_CONTEXT), NULL, VX_ERROR_INVALID_REFERENCE, "%s: not a context", function);
	/* ... and no parameter may be NULL */
	if (!refs || !uses || !ptr || !length)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "%s: no references, no uses, or no room for the address or the length", function);
	LOCKED(c);
	TRY(check_list(c, numrefs, refs, uses));
	TRY(write_blob(c, numrefs, refs, uses, &w));
	vx_status status = hand_out(c, w.bytes);
	if (status) {
		free(w.bytes);
		return status;
	}
	*ptr = w.bytes;
	*length = w.size;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseExportedMemory(vx_context c, const vx_uint8 **ptr)
{
	EXPECT(c, VX_TYPE_CONTEXT);
	/* vxReleaseExportedMemory: an address that an export of the context has given, and that has not been released */
	struct exported *e = ptr && *ptr ? take_back(c, *ptr) : NULL;
	if (!e)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "vxReleaseExportedMemory: %p is not the memory of an export of this context",
			    ptr ? (const void *)*ptr : NULL);
	free(e->bytes);
	free(e);
	*ptr = NULL;
	return VX_SUCCESS;
}
