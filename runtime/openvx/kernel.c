/* Kernels: the built-in ones, and those of the application (OpenVX 1.3, 3.55 and 3.57). */
#include "runtime/openvx/kernel.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/module.h"
#include <VX/vx_khr_opencl_interop.h>
#include <VX/vx_khr_pipelining.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list of a context ---- */
vx_kernel kernel_by_enum(struct _vx_context *c, vx_enum enumeration)
{
	struct _vx_kernel *k = TAILQ_FIRST(&c->kernels);
	while (k && k->enumeration != enumeration)
		k = TAILQ_NEXT(k, of_context);
	return k;
}

vx_kernel kernel_by_name(struct _vx_context *c, const vx_char *name)
{
	struct _vx_kernel *k = TAILQ_FIRST(&c->kernels);
	while (k && strcmp(k->name, name))
		k = TAILQ_NEXT(k, of_context);
	return k;
}

static void kernel_destroy(struct _vx_reference *ref) { free(((struct _vx_kernel *)ref)->parameters); }

/* No reference of the application's: the list has one. */
static vx_kernel kernel_create(struct _vx_context *c, const vx_char *name, vx_enum enumeration, vx_uint32 num_parameters)
{
	struct _vx_kernel *k = object_create(c, VX_TYPE_KERNEL, sizeof *k, &c->reference, kernel_destroy);
	if (!k)
		return NULL;
	k->parameters = calloc(num_parameters ? num_parameters : 1, sizeof *k->parameters);
	k->num_parameters = num_parameters;
	k->enumeration = enumeration;
	k->output_depth = k->input_depth = 1;
	snprintf(k->name, sizeof k->name, "%s", name);
	object_use(&k->reference);
	k->reference.external = 0;
	k->reference.uncounted = true;
	c->num_references--;
	if (!k->parameters) {
		object_unuse(&k->reference);
		return NULL;
	}
	TAILQ_INSERT_TAIL(&c->kernels, k, of_context);
	c->num_kernels++;
	return k;
}

vx_status kernels_open(struct _vx_context *c)
{
	TAILQ_INIT(&c->kernels);
	for (unsigned i = 0; i < kernel_row_count; i++) {
		const struct kernel_row *row = &kernel_rows[i];
		struct _vx_kernel *k = kernel_create(c, row->name, row->enumeration, row->num_parameters);
		if (!k)
			return VX_ERROR_NO_MEMORY;
		memcpy(k->parameters, row->parameters, row->num_parameters * sizeof *k->parameters);
		k->vision = row->vision;
		k->finalized = true;
	}
	return VX_SUCCESS;
}

void kernels_close(struct _vx_context *c) { TAILQ_INIT(&c->kernels); }

static vx_kernel handed_out(struct _vx_kernel *k)
{
	k->reference.external++;
	return k;
}

VX_API_ENTRY VX_EXPORT vx_kernel VX_API_CALL vxGetKernelByName(vx_context c, const vx_char *name)
{
	ENTER_OR_NULL(c, VX_TYPE_CONTEXT);
	if (!name)
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "vxGetKernelByName: no name"));
	struct _vx_kernel *k = kernel_by_name(c, name);
	if (!k || !k->finalized)
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "there is no kernel %s", name));
	return handed_out(k);
}

VX_API_ENTRY VX_EXPORT vx_kernel VX_API_CALL vxGetKernelByEnum(vx_context c, vx_enum kernel)
{
	ENTER_OR_NULL(c, VX_TYPE_CONTEXT);
	struct _vx_kernel *k = kernel_by_enum(c, kernel);
	if (!k || !k->finalized)
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "there is no kernel 0x%x", kernel));
	return handed_out(k);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseKernel(vx_kernel *kernel) { return object_release((vx_reference *)kernel, VX_TYPE_KERNEL); }

/* VX_KERNEL_USE_OPENCL and VX_KERNEL_PIPEUP_OUTPUT_DEPTH have one number, and their values one size. What has been set tells them
 * apart, and values that only one of them can have:
 *
 *   set to 0       vx_false_e; when a depth has been set, a depth that is too small
 *   set to 1       vx_true_e; a depth that has been set stays, and without one it is 1 anyhow
 *   set to more    a depth; whether OpenCL is used stays as it is
 *   asked for      the depth that has been set; without one, whether OpenCL is used: 0, which is no depth, or 1, which is one, too */
_Static_assert((vx_enum)VX_KERNEL_USE_OPENCL == (vx_enum)VX_KERNEL_PIPEUP_OUTPUT_DEPTH && sizeof(vx_bool) == sizeof(vx_uint32), "two attributes of one number");

static vx_uint32 opencl_or_depth(const struct _vx_kernel *k)
{
	if (k->output_depth > 1)
		return k->output_depth;
	return k->use_opencl ? vx_true_e : vx_false_e;
}

static vx_status set_opencl_or_depth(struct _vx_kernel *k, vx_uint32 value)
{
	/* VX_KERNEL_PIPEUP_OUTPUT_DEPTH: at least 1 */
	if (!value && k->output_depth > 1)
		return fail(k, VX_ERROR_INVALID_PARAMETERS, "VX_KERNEL_PIPEUP_OUTPUT_DEPTH of kernel %s: 0; the least is 1", k->name);
	if (value > 1)
		k->output_depth = value;
	else
		k->use_opencl = value == vx_true_e;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryKernel(vx_kernel kernel, vx_enum attribute, void *ptr, vx_size size)
{
	ENTER(kernel, VX_TYPE_KERNEL);
	switch (attribute) {
	case VX_KERNEL_PARAMETERS: return GET(kernel, vx_uint32, kernel->num_parameters);
	case VX_KERNEL_NAME: return GET_TEXT(kernel, kernel->name);
	case VX_KERNEL_ENUM: return GET(kernel, vx_enum, kernel->enumeration);
	case VX_KERNEL_LOCAL_DATA_SIZE: return GET(kernel, vx_size, kernel->local_data_size);
	case VX_KERNEL_USE_OPENCL: return GET(kernel, vx_uint32, opencl_or_depth(kernel)); /* and VX_KERNEL_PIPEUP_OUTPUT_DEPTH */
	case VX_KERNEL_PIPEUP_INPUT_DEPTH: return GET(kernel, vx_uint32, kernel->input_depth);
	default: return attribute_unknown(kernel, attribute);
	}
}

/* ---- user kernels ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAllocateUserKernelId(vx_context c, vx_enum *pKernelEnumId)
{
	EXPECT(c, VX_TYPE_CONTEXT);
	FAIL_IF(!pKernelEnumId, c, VX_ERROR_INVALID_PARAMETERS, "vxAllocateUserKernelId: no room for the number");
	LOCKED(c);
	/* vxAllocateUserKernelId: numbers of library 0 of VX_ID_USER */
	FAIL_IF(c->next_kernel_id > VX_KERNEL_MASK, c, VX_ERROR_NO_RESOURCES, "vxAllocateUserKernelId: all %u numbers are taken", c->next_kernel_id);
	*pKernelEnumId = (vx_enum)(VX_KERNEL_BASE((vx_uint32)VX_ID_USER, 0u) + c->next_kernel_id++);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAllocateUserKernelLibraryId(vx_context c, vx_enum *pLibraryId)
{
	EXPECT(c, VX_TYPE_CONTEXT);
	FAIL_IF(!pLibraryId, c, VX_ERROR_INVALID_PARAMETERS, "vxAllocateUserKernelLibraryId: no room for the number");
	LOCKED(c);
	/* vxAllocateUserKernelLibraryId: 1 to 255; library 0 is vxAllocateUserKernelId's */
	FAIL_IF(c->next_library_id >= 255, c, VX_ERROR_NO_RESOURCES, "vxAllocateUserKernelLibraryId: all numbers are taken");
	*pLibraryId = (vx_enum)++c->next_library_id;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_kernel VX_API_CALL vxAddUserKernel(vx_context c, const vx_char *name, vx_enum enumeration, vx_kernel_f func_ptr, vx_uint32 numParams,
							      vx_kernel_validate_f validate, vx_kernel_initialize_f init, vx_kernel_deinitialize_f deinit)
{
	ENTER_OR_NULL(c, VX_TYPE_CONTEXT);
	/* vxAddUserKernel: a function, a name and a number that no other kernel has. Without a validation, as Khronos' conformance suite
	 * adds kernels for streams, nodes are valid as they are. */
	if (!name || !*name || strlen(name) >= VX_MAX_KERNEL_NAME || !func_ptr || numParams > PARAMETERS_MAX)
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS,
						       "vxAddUserKernel: no name of less than %d characters, no function, or more than %d parameters",
						       VX_MAX_KERNEL_NAME, PARAMETERS_MAX));
	if (kernel_by_name(c, name) || kernel_by_enum(c, enumeration))
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "vxAddUserKernel: there is a kernel %s, or 0x%x, already", name, enumeration));
	struct _vx_kernel *k = kernel_create(c, name, enumeration, numParams);
	if (!k)
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_NO_MEMORY, "no memory for a kernel"));
	k->run = func_ptr;
	k->validate = validate;
	k->initialize = init;
	k->deinitialize = deinit;
	k->finalized = !numParams;
	k->module = module_of_caller();
	return handed_out(k);
}

static bool can_be_changed(vx_kernel k) { return k->run && !k->finalized; }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAddParameterToKernel(vx_kernel kernel, vx_uint32 index, vx_enum dir, vx_enum data_type, vx_enum state)
{
	ENTER(kernel, VX_TYPE_KERNEL);
	/* vxAddParameterToKernel: of a user kernel that is not finalized */
	if (!can_be_changed(kernel) || index >= kernel->num_parameters)
		return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "kernel %s has no parameter %u that can be set now", kernel->name, index);
	/* ... a direction, a type of data object, a state */
	if ((dir != VX_INPUT && dir != VX_OUTPUT) || !(class_find(data_type) || data_type == VX_TYPE_REFERENCE) ||
	    (state != VX_PARAMETER_STATE_REQUIRED && state != VX_PARAMETER_STATE_OPTIONAL))
		return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "kernel %s, parameter %u: direction 0x%x, type 0x%x, state 0x%x", kernel->name, index, dir, data_type, state);
	/* ... and a delay is no output: what is written is one of its slots */
	if (data_type == VX_TYPE_DELAY && dir != VX_INPUT)
		return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "kernel %s, parameter %u: a delay is not written", kernel->name, index);
	kernel->parameters[index] = (struct kernel_parameter){.direction = dir, .type = data_type, .state = state, .given = true};
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxFinalizeKernel(vx_kernel kernel)
{
	ENTER(kernel, VX_TYPE_KERNEL);
	for (vx_uint32 i = 0; i < kernel->num_parameters; i++)
		if (!kernel->parameters[i].given)
			return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "vxFinalizeKernel: parameter %u of %s has not been added", i, kernel->name);
	kernel->finalized = kernel->sealed = true;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetKernelAttribute(vx_kernel kernel, vx_enum attribute, const void *ptr, vx_size size)
{
	vx_uint32 value = 0;
	ENTER(kernel, VX_TYPE_KERNEL);
	/* vxSetKernelAttribute; vx_khr_opencl_interop, 2.3.1: attributes are read-only once the kernel is finalized */
	FAIL_IF(!kernel->run || kernel->sealed, kernel, VX_ERROR_NOT_SUPPORTED, "attributes of kernel %s can no longer be set", kernel->name);
	switch (attribute) {
	case VX_KERNEL_LOCAL_DATA_SIZE:
		return attribute_set(kernel, attribute, &kernel->local_data_size, sizeof kernel->local_data_size, ptr, size);
	case VX_KERNEL_USE_OPENCL: /* and VX_KERNEL_PIPEUP_OUTPUT_DEPTH */
		TRY(attribute_set(kernel, attribute, &value, sizeof value, ptr, size));
		return set_opencl_or_depth(kernel, value);
	case VX_KERNEL_PIPEUP_INPUT_DEPTH:
		TRY(attribute_set(kernel, attribute, &value, sizeof value, ptr, size));
		/* VX_KERNEL_PIPEUP_INPUT_DEPTH: at least 1 */
		FAIL_IF(!value, kernel, VX_ERROR_INVALID_PARAMETERS, "VX_KERNEL_PIPEUP_INPUT_DEPTH of kernel %s: 0; the least is 1", kernel->name);
		kernel->input_depth = value;
		return VX_SUCCESS;
	default:
		return attribute_unknown(kernel, attribute);
	}
}

static void take_away(struct _vx_kernel *kernel)
{
	kernel->removed = true;
	TAILQ_REMOVE(&kernel->reference.context->kernels, kernel, of_context);
	kernel->reference.context->num_kernels--;
	if (kernel->reference.external)
		kernel->reference.external--;
	object_unuse(&kernel->reference);
}

/* The application has a reference to a parameter, to a node, or to the graph of a node. */
static bool is_used(const struct _vx_kernel *k)
{
	for (const struct _vx_reference *ref = LIST_FIRST(&k->reference.context->objects); ref; ref = LIST_NEXT(ref, of_context)) {
		const struct _vx_node *n = (const struct _vx_node *)ref;
		if (ref->type == VX_TYPE_NODE && n->kernel == k && (ref->external || (n->graph && n->graph->reference.external)))
			return true;
		if (ref->type == VX_TYPE_PARAMETER && ((const struct _vx_parameter *)ref)->kernel == k && ref->external)
			return true;
	}
	return false;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxRemoveKernel(vx_kernel kernel)
{
	ENTER(kernel, VX_TYPE_KERNEL);
	/* vxRemoveKernel: kernels that the application has added; the reference given ends, too */
	if (!kernel->run || kernel->removed)
		return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "vxRemoveKernel: %s has not been added by the application", kernel->name);
	/* ... and it is the last of the application's, and neither has it a node or a graph with the kernel. What it has released may go on. */
	if (kernel->reference.external > 1 || is_used(kernel))
		return fail(kernel, VX_FAILURE, "vxRemoveKernel: there are %u references to %s, or one to a node, a graph or a parameter with it",
			    kernel->reference.external, kernel->name);
	take_away(kernel);
	return VX_SUCCESS;
}

bool kernels_take_away(struct _vx_context *c, const struct module *module)
{
	for (struct _vx_kernel *k = TAILQ_FIRST(&c->kernels), *next; k; k = next) {
		next = TAILQ_NEXT(k, of_context);
		if (k->module == module)
			take_away(k);
	}
	for (const struct _vx_reference *ref = LIST_FIRST(&c->objects); ref; ref = LIST_NEXT(ref, of_context))
		if (ref->type == VX_TYPE_KERNEL && ((const struct _vx_kernel *)ref)->module == module)
			return false;
	return true;
}
