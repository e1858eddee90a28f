/* Kernels: the built-in ones, and those of the application (OpenVX 1.3, 3.55 and 3.57). */
#include "runtime/openvx/kernel.h"
#include "runtime/openvx/module.h"
#include <VX/vx_khr_opencl_interop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool kernel_is(vx_kernel kernel) { return object_is(kernel, VX_TYPE_KERNEL); }

/* ---- the list of a context ---- */
static void enlist(struct _vx_context *c, struct _vx_kernel *kernel)
{
	struct _vx_kernel **at = &c->kernels;
	while (*at)
		at = &(*at)->next_kernel;
	*at = kernel;
	c->num_kernels++;
}

static void delist(struct _vx_context *c, struct _vx_kernel *kernel)
{
	struct _vx_kernel **at = &c->kernels;
	while (*at && *at != kernel)
		at = &(*at)->next_kernel;
	if (!*at)
		return;
	*at = kernel->next_kernel;
	c->num_kernels--;
}

vx_kernel kernel_by_enum(struct _vx_context *c, vx_enum enumeration)
{
	struct _vx_kernel *k = c->kernels;
	while (k && k->enumeration != enumeration)
		k = k->next_kernel;
	return k;
}

static vx_kernel kernel_by_name(struct _vx_context *c, const vx_char *name)
{
	struct _vx_kernel *k = c->kernels;
	while (k && strcmp(k->name, name))
		k = k->next_kernel;
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
	snprintf(k->name, sizeof k->name, "%s", name);
	object_use(&k->reference);
	k->reference.external = 0;
	k->reference.uncounted = true;
	c->num_references--;
	if (!k->parameters) {
		object_unuse(&k->reference);
		return NULL;
	}
	enlist(c, k);
	return k;
}

vx_status kernels_open(struct _vx_context *c)
{
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

void kernels_close(struct _vx_context *c) { c->kernels = NULL; }

static vx_kernel handed_out(struct _vx_kernel *k)
{
	k->reference.external++;
	return k;
}

VX_API_ENTRY VX_EXPORT vx_kernel VX_API_CALL vxGetKernelByName(vx_context c, const vx_char *name)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	if (!name)
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "vxGetKernelByName: no name"));
	struct _vx_kernel *k = kernel_by_name(c, name);
	if (!k || !k->finalized)
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "there is no kernel %s", name));
	return handed_out(k);
}

VX_API_ENTRY VX_EXPORT vx_kernel VX_API_CALL vxGetKernelByEnum(vx_context c, vx_enum kernel)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	struct _vx_kernel *k = kernel_by_enum(c, kernel);
	if (!k || !k->finalized)
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "there is no kernel 0x%x", kernel));
	return handed_out(k);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseKernel(vx_kernel *kernel) { return object_release((vx_reference *)kernel, VX_TYPE_KERNEL); }

/* VX_KERNEL_USE_OPENCL and VX_KERNEL_PIPEUP_OUTPUT_DEPTH have one number: a vx_bool and a vx_uint32 have one size, too, so this
 * library, which does not pipeline within a kernel, means the first. */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryKernel(vx_kernel kernel, vx_enum attribute, void *ptr, vx_size size)
{
	if (!kernel_is(kernel))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxQueryKernel: not a kernel");
	LOCKED(kernel->reference.context);
	switch (attribute) {
	case VX_KERNEL_PARAMETERS:
		return GET_ATTRIBUTE(kernel, attribute, ptr, size, vx_uint32, kernel->num_parameters);
	case VX_KERNEL_NAME:
		return attribute_text(kernel, attribute, ptr, size, kernel->name);
	case VX_KERNEL_ENUM:
		return GET_ATTRIBUTE(kernel, attribute, ptr, size, vx_enum, kernel->enumeration);
	case VX_KERNEL_LOCAL_DATA_SIZE:
		return GET_ATTRIBUTE(kernel, attribute, ptr, size, vx_size, kernel->local_data_size);
	case VX_KERNEL_USE_OPENCL:
		return GET_ATTRIBUTE(kernel, attribute, ptr, size, vx_bool, kernel->use_opencl ? vx_true_e : vx_false_e);
	default:
		return attribute_unknown(kernel, attribute);
	}
}

/* ---- user kernels ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAllocateUserKernelId(vx_context c, vx_enum *pKernelEnumId)
{
	if (!context_is(c))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxAllocateUserKernelId: not a context");
	if (!pKernelEnumId)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "vxAllocateUserKernelId: no room for the number");
	LOCKED(c);
	/* vxAllocateUserKernelId: numbers of library 0 of VX_ID_USER */
	if (c->next_kernel_id > VX_KERNEL_MASK)
		return fail(c, VX_ERROR_NO_RESOURCES, "vxAllocateUserKernelId: all %u numbers are taken", c->next_kernel_id);
	*pKernelEnumId = (vx_enum)(VX_KERNEL_BASE((vx_uint32)VX_ID_USER, 0u) + c->next_kernel_id++);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAllocateUserKernelLibraryId(vx_context c, vx_enum *pLibraryId)
{
	if (!context_is(c))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxAllocateUserKernelLibraryId: not a context");
	if (!pLibraryId)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "vxAllocateUserKernelLibraryId: no room for the number");
	LOCKED(c);
	/* vxAllocateUserKernelLibraryId: 1 to 255; library 0 is vxAllocateUserKernelId's */
	if (c->next_library_id >= 255)
		return fail(c, VX_ERROR_NO_RESOURCES, "vxAllocateUserKernelLibraryId: all numbers are taken");
	*pLibraryId = (vx_enum)++c->next_library_id;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_kernel VX_API_CALL vxAddUserKernel(vx_context c, const vx_char *name, vx_enum enumeration, vx_kernel_f func_ptr, vx_uint32 numParams,
							      vx_kernel_validate_f validate, vx_kernel_initialize_f init, vx_kernel_deinitialize_f deinit)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	/* vxAddUserKernel: a function and its validation, a name and a number that no other kernel has */
	if (!name || !*name || strlen(name) >= VX_MAX_KERNEL_NAME || !func_ptr || !validate || numParams > PARAMETERS_MAX)
		return (vx_kernel)object_error(c, fail(c, VX_ERROR_INVALID_PARAMETERS,
						       "vxAddUserKernel: no name of less than %d characters, no function, no validation, or more than %d parameters",
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
	k->module = module_of_caller(c);
	return handed_out(k);
}

static bool can_be_changed(vx_kernel k) { return k->run && !k->finalized; }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAddParameterToKernel(vx_kernel kernel, vx_uint32 index, vx_enum dir, vx_enum data_type, vx_enum state)
{
	if (!kernel_is(kernel))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxAddParameterToKernel: not a kernel");
	LOCKED(kernel->reference.context);
	/* vxAddParameterToKernel: of a user kernel that is not finalized */
	if (!can_be_changed(kernel) || index >= kernel->num_parameters)
		return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "kernel %s has no parameter %u that can be set now", kernel->name, index);
	/* ... a direction, a type of data object, a state */
	const bool data = data_type >= VX_TYPE_DELAY && data_type <= VX_TYPE_VENDOR_OBJECT_END && data_type != VX_TYPE_ERROR && data_type != VX_TYPE_META_FORMAT;
	if ((dir != VX_INPUT && dir != VX_OUTPUT) || !(data || data_type == VX_TYPE_REFERENCE) ||
	    (state != VX_PARAMETER_STATE_REQUIRED && state != VX_PARAMETER_STATE_OPTIONAL))
		return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "kernel %s, parameter %u: direction 0x%x, type 0x%x, state 0x%x", kernel->name, index, dir, data_type, state);
	/* ... and a delay is no output: what is written is one of its slots */
	if (data_type == VX_TYPE_DELAY && dir != VX_INPUT)
		return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "kernel %s, parameter %u: a delay is not written", kernel->name, index);
	kernel->parameters[index] = (struct kernel_parameter){dir, data_type, state, true};
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxFinalizeKernel(vx_kernel kernel)
{
	if (!kernel_is(kernel))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxFinalizeKernel: not a kernel");
	LOCKED(kernel->reference.context);
	for (vx_uint32 i = 0; i < kernel->num_parameters; i++)
		if (!kernel->parameters[i].given)
			return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "vxFinalizeKernel: parameter %u of %s has not been added", i, kernel->name);
	kernel->finalized = true;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetKernelAttribute(vx_kernel kernel, vx_enum attribute, const void *ptr, vx_size size)
{
	vx_bool flag = vx_false_e;
	vx_status status;
	if (!kernel_is(kernel))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetKernelAttribute: not a kernel");
	LOCKED(kernel->reference.context);
	/* vxSetKernelAttribute; vx_khr_opencl_interop, 2.3.1: attributes are read-only once the kernel is finalized */
	if (!kernel->run || (kernel->finalized && kernel->num_parameters))
		return fail(kernel, VX_ERROR_NOT_SUPPORTED, "attributes of kernel %s can no longer be set", kernel->name);
	switch (attribute) {
	case VX_KERNEL_LOCAL_DATA_SIZE:
		return attribute_set(kernel, attribute, &kernel->local_data_size, sizeof kernel->local_data_size, ptr, size);
	case VX_KERNEL_USE_OPENCL:
		status = attribute_set(kernel, attribute, &flag, sizeof flag, ptr, size);
		if (!status)
			kernel->use_opencl = flag != vx_false_e;
		return status;
	default:
		return attribute_unknown(kernel, attribute);
	}
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxRemoveKernel(vx_kernel kernel)
{
	if (!kernel_is(kernel))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxRemoveKernel: not a kernel");
	struct _vx_context *c = kernel->reference.context;
	LOCKED(c);
	/* vxRemoveKernel: kernels that the application has added; the reference given ends, too */
	if (!kernel->run || kernel->removed)
		return fail(kernel, VX_ERROR_INVALID_PARAMETERS, "vxRemoveKernel: %s has not been added by the application", kernel->name);
	kernel->removed = true;
	delist(c, kernel);
	if (kernel->reference.external)
		kernel->reference.external--;
	object_unuse(&kernel->reference);
	return VX_SUCCESS;
}
