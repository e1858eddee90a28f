/* Contexts (OpenVX 1.3, 3.9; vx_khr_opencl_interop, 4.1). */
#include "runtime/openvx/context.h"
#include "runtime/openvx/data.h"
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/ix.h"
#include "runtime/openvx/kernel.h"
#include "runtime/openvx/module.h"
#include <VX/vx_khr_opencl_interop.h>
#include <stdlib.h>
#include <string.h>

static const char implementation[] = "galena";
static const char extensions[] = "vx_khr_opencl_interop vx_khr_ix vx_khr_pipelining vx_khr_user_data_object";

void context_lock(struct _vx_context *c)
{
	pthread_mutex_lock(&c->lock);
	c->lock_depth++;
}

void context_unlock(struct _vx_context *c)
{
	c->lock_depth--;
	pthread_mutex_unlock(&c->lock);
}

void unlock_at_end(struct _vx_context **c) { context_unlock(*c); }

bool context_leave(struct _vx_context *c)
{
	const bool once = c->lock_depth == 1;
	if (once)
		context_unlock(c);
	return once;
}

void context_return(struct _vx_context *c, bool left)
{
	if (left)
		context_lock(c);
}

bool context_try(struct _vx_context *c)
{
	if (pthread_mutex_trylock(&c->lock))
		return false;
	c->lock_depth++;
	return true;
}

vx_status context_drain(struct _vx_context *c)
{
	cl_event end = c->lock_depth == 1 ? device_mark(&c->device) : NULL;
	if (!end)
		return device_finish(&c->device);
	struct device *d = &c->device;
	const vx_uint64 writes = d->writes;
	const bool left = context_leave(c);
	device_wait(d, end); /* how commands have ended is what waits for them to know */
	context_return(c, left);
	device_writes_over(d, d->queues[0], writes);
	return VX_SUCCESS;
}

static void context_destroy(struct _vx_reference *ref)
{
	struct _vx_context *c = (struct _vx_context *)ref;
	kernels_close(c);
	free(c->structs);
	exports_orphan(c);
	device_close(&c->device);
	pipelines_close(&c->pipelines);
	pthread_mutex_destroy(&c->lock);
}

static struct _vx_reference *any_external(struct _vx_context *c)
{
	struct _vx_reference *ref = LIST_FIRST(&c->objects);
	while (ref && !ref->external)
		ref = LIST_NEXT(ref, of_context);
	return ref;
}

/* All that is in a context ends, and then the context, which the application no longer has. */
static void context_end(struct _vx_context *c)
{
	context_lock(c);
	struct _vx_reference *ref;
	while ((ref = any_external(c))) {
		ref->external = 1;
		object_release(&ref, VX_TYPE_REFERENCE);
	}
	modules_close(c); /* they take back their kernels, which are there as yet */
	while ((ref = LIST_FIRST(&c->objects))) { /* error objects, kernels, and what refers to one another in a ring */
		ref->internal = 1;
		object_unuse(ref);
	}
	context_unlock(c);
	c->reference.external = 0;
	c->reference.internal = 1;
	object_unuse(&c->reference);
}

static vx_context context_create(cl_context opencl_context, cl_command_queue queue, bool shared)
{
	pthread_mutexattr_t recursive;
	const char *message = "no memory for a context";
	struct _vx_context *c = object_create(NULL, VX_TYPE_CONTEXT, sizeof *c, NULL, context_destroy);
	if (!c) {
		fail(NULL, VX_ERROR_NO_MEMORY, "%s", message);
		return NULL;
	}
	c->reference.uncounted = true;
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&c->lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
	pipelines_open(&c->pipelines);
	c->shared = shared;
	c->logging = true;
	c->border.mode = VX_BORDER_UNDEFINED;
	c->border_policy = VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED;
	c->target = VX_TARGET_ANY;
	vx_status status = device_open(&c->device, opencl_context, queue, &message);
	if (!status)
		status = kernels_open(c);
	if (status) {
		fail(NULL, status, "no context: %s", message);
		context_end(c);
		return NULL;
	}
	return c;
}

VX_API_ENTRY VX_EXPORT vx_context VX_API_CALL vxCreateContext(void) { return context_create(NULL, NULL, false); }

VX_API_ENTRY VX_EXPORT vx_context VX_API_CALL vxCreateContextFromCL(cl_context opencl_context, cl_command_queue opencl_command_queue)
{
	return context_create(opencl_context, opencl_command_queue, true);
}

/* vxReleaseContext: with the last reference to it, all that the application still has in it ends. */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseContext(vx_context *context)
{
	if (context && object_inherited(*context))
		return object_release((vx_reference *)context, VX_TYPE_CONTEXT);
	if (!context || !object_is(*context, VX_TYPE_CONTEXT))
		return fail(context ? *context : NULL, VX_ERROR_INVALID_REFERENCE, "vxReleaseContext: not a context");
	struct _vx_context *c = *context;
	context_lock(c);
	if (c->reference.external == 1 && inside_context(c)) {
		context_unlock(c);
		return fail(c, VX_FAILURE, "vxReleaseContext: a function of a node waits for itself");
	}
	*context = NULL;
	const bool last = !--c->reference.external;
	if (last)
		pipelines_end(c);
	context_unlock(c);
	if (!last)
		return VX_SUCCESS;
	device_finish(&c->device);
	context_end(c);
	return VX_SUCCESS;
}

static vx_status query_kernels(struct _vx_context *c, void *ptr, vx_size size)
{
	if (!ptr || size != c->num_kernels * sizeof(vx_kernel_info_t))
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "VX_CONTEXT_UNIQUE_KERNEL_TABLE: %u kernels need %zu bytes, there are %zu", c->num_kernels,
			    c->num_kernels * sizeof(vx_kernel_info_t), size);
	vx_kernel_info_t *info = ptr;
	for (struct _vx_kernel *k = TAILQ_FIRST(&c->kernels); k; k = TAILQ_NEXT(k, of_context)) {
		memset(info, 0, sizeof *info);
		info->enumeration = k->enumeration;
		strcpy(info->name, k->name);
		info++;
	}
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryContext(vx_context c, vx_enum attribute, void *ptr, vx_size size)
{
	ENTER(c, VX_TYPE_CONTEXT);
	switch (attribute) {
	case VX_CONTEXT_VENDOR_ID: return GET(c, vx_uint16, VX_ID_DEFAULT);
	case VX_CONTEXT_VERSION: return GET(c, vx_uint16, VX_VERSION);
	case VX_CONTEXT_UNIQUE_KERNELS: return GET(c, vx_uint32, c->num_kernels);
	case VX_CONTEXT_MODULES: return GET(c, vx_uint32, c->num_modules);
	case VX_CONTEXT_REFERENCES: return GET(c, vx_uint32, c->num_references);
	case VX_CONTEXT_IMPLEMENTATION: return GET_TEXT(c, implementation);
	case VX_CONTEXT_EXTENSIONS_SIZE: return GET(c, vx_size, sizeof extensions);
	case VX_CONTEXT_EXTENSIONS: return GET_TEXT(c, extensions);
	case VX_CONTEXT_CONVOLUTION_MAX_DIMENSION: return GET(c, vx_size, CONVOLUTION_MAX);
	case VX_CONTEXT_OPTICAL_FLOW_MAX_WINDOW_DIMENSION: return GET(c, vx_size, OPTICAL_FLOW_MAX);
	case VX_CONTEXT_NONLINEAR_MAX_DIMENSION: return GET(c, vx_size, NONLINEAR_MAX);
	case VX_CONTEXT_MAX_TENSOR_DIMS: return GET(c, vx_size, TENSOR_DIMS_MAX);
	case VX_CONTEXT_IMMEDIATE_BORDER: return attribute_get(c, attribute, ptr, size, &c->border, sizeof c->border);
	case VX_CONTEXT_IMMEDIATE_BORDER_POLICY: return GET(c, vx_enum, c->border_policy);
	case VX_CONTEXT_UNIQUE_KERNEL_TABLE: return query_kernels(c, ptr, size);
	case VX_CONTEXT_CL_CONTEXT: return GET(c, cl_context, c->device.context);
	case VX_CONTEXT_CL_COMMAND_QUEUE: return GET(c, cl_command_queue, c->device.queue);
	default: return attribute_unknown(c, attribute);
	}
}

vx_status border_set(const void *ref, vx_enum attribute, const char *name, vx_border_t *out, const void *ptr, vx_size size)
{
	vx_border_t border = {0};
	TRY(attribute_set(ref, attribute, &border, sizeof border, ptr, size));
	if (border.mode != VX_BORDER_UNDEFINED && border.mode != VX_BORDER_CONSTANT && border.mode != VX_BORDER_REPLICATE)
		return fail(ref, VX_ERROR_INVALID_VALUE, "%s: there is no border mode 0x%x", name, border.mode);
	*out = border;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetContextAttribute(vx_context c, vx_enum attribute, const void *ptr, vx_size size)
{
	vx_enum policy = 0;
	ENTER(c, VX_TYPE_CONTEXT);
	switch (attribute) {
	case VX_CONTEXT_IMMEDIATE_BORDER: return border_set(c, attribute, "VX_CONTEXT_IMMEDIATE_BORDER", &c->border, ptr, size);
	case VX_CONTEXT_IMMEDIATE_BORDER_POLICY:
		TRY(attribute_set(c, attribute, &policy, sizeof policy, ptr, size));
		if (policy != VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED && policy != VX_BORDER_POLICY_RETURN_ERROR)
			return fail(c, VX_ERROR_INVALID_VALUE, "VX_CONTEXT_IMMEDIATE_BORDER_POLICY: there is no policy 0x%x", policy);
		c->border_policy = policy;
		return VX_SUCCESS;
	default:
		return attribute_unknown(c, attribute);
	}
}

/* vxHint: hints are known, and change nothing: the simulated device has one speed. */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxHint(vx_reference ref, vx_enum hint, const void *data, vx_size data_size)
{
	(void)data;
	(void)data_size;
	FAIL_IF(!object_usable(ref), NULL, VX_ERROR_INVALID_REFERENCE, "vxHint: not a reference");
	if (hint != VX_HINT_PERFORMANCE_DEFAULT && hint != VX_HINT_PERFORMANCE_LOW_POWER && hint != VX_HINT_PERFORMANCE_HIGH_SPEED)
		return fail(ref, VX_ERROR_NOT_SUPPORTED, "vxHint: there is no hint 0x%x", hint);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxDirective(vx_reference ref, vx_enum directive)
{
	FAIL_IF(!object_usable(ref), NULL, VX_ERROR_INVALID_REFERENCE, "vxDirective: not a reference");
	struct _vx_context *c = ref->context;
	LOCKED(c);
	switch (directive) {
	case VX_DIRECTIVE_DISABLE_LOGGING:
	case VX_DIRECTIVE_ENABLE_LOGGING:
		c->logging = directive == VX_DIRECTIVE_ENABLE_LOGGING;
		return VX_SUCCESS;
	case VX_DIRECTIVE_DISABLE_PERFORMANCE:
	case VX_DIRECTIVE_ENABLE_PERFORMANCE:
		/* vxDirective: performance is measured in the whole context */
		if (ref != &c->reference)
			return fail(ref, VX_ERROR_NOT_SUPPORTED, "vxDirective: performance is measured for a whole context, not for %s", type_name(ref->type));
		c->measures = directive == VX_DIRECTIVE_ENABLE_PERFORMANCE;
		return VX_SUCCESS;
	default:
		return fail(ref, VX_ERROR_NOT_SUPPORTED, "vxDirective: there is no directive 0x%x", directive);
	}
}
