/* What external memory and semaphores have in common: lists of properties (a name, its value or a list of values, and 0 at the end), and what
 * platform and devices say of the types that there are. */
#include "base/probe.h"
#include "runtime/opencl/external.h"

static bool word(const cl_properties *at, cl_properties *out) { return probe_copy(out, at, sizeof *out); }

cl_int properties_read(const cl_properties *list, property_is_list is_list, struct properties *out)
{
	cl_properties name, value;
	const cl_properties *at = list;
	*out = (struct properties){0};
	for (; list; at++) {
		/* CL_CREATEBUFFERWITHPROPERTIES_PROPERTY_END, CL_CREATEIMAGEWITHPROPERTIES_PROPERTY_END, CL_CREATESEMAPHOREWITHPROPERTIESKHR_PROPERTY_END: a
		 * list ends with 0 */
		FAIL_IF(!word(at, &name), CL_INVALID_PROPERTY, "the list of properties at %p cannot be read, or has no 0 at its end", (const void *)list);
		if (!name)
			break;
		/* CL_CREATEBUFFERWITHPROPERTIES_PROPERTY_TWICE, CL_CREATEIMAGEWITHPROPERTIES_PROPERTY_TWICE,
		 * CL_CREATESEMAPHOREWITHPROPERTIESKHR_PROPERTY_TWICE: each once */
		for (unsigned i = 0; i < out->count; i++)
			FAIL_IF(out->of[i].name == name, CL_INVALID_PROPERTY, "property 0x%llx is given twice", (unsigned long long)name);
		FAIL_IF(out->count == PROPERTIES_MAX, CL_INVALID_PROPERTY, "more than %d properties", PROPERTIES_MAX);
		out->of[out->count++] = (struct property){name, ++at};
		do
			FAIL_IF(!word(at, &value), CL_INVALID_PROPERTY, "property 0x%llx has no value that can be read", (unsigned long long)name);
		while (is_list && is_list(name) && value && at++);
	}
	out->length = list ? (size_t)(at - list) + 1 : 0;
	return CL_SUCCESS;
}

cl_int properties_devices(const struct _cl_context *c, const cl_properties *devices, unsigned *count, uint32_t *which)
{
	*which = 0;
	for (*count = 0; devices[*count]; ++*count) {
		const cl_device_id d = (cl_device_id)(uintptr_t)devices[*count];
		unsigned place = 0;
		while (place < c->num_devices && c->devices[place] != d)
			place++;
		FAIL_IF(!DEVICE_VALID(d) || place == c->num_devices, CL_INVALID_DEVICE, "entry %u of the list is no device of the context", *count);
		*which |= 1u << place;
	}
	return CL_SUCCESS;
}

cl_int properties_fd(cl_properties value, int *fd)
{
	/* CL_CREATEBUFFERWITHPROPERTIES_PROPERTY_VALUE, CL_CREATEIMAGEWITHPROPERTIES_PROPERTY_VALUE, CL_CREATESEMAPHOREWITHPROPERTIESKHR_FD: an int,
	 * which an application may have cast through an unsigned one */
	FAIL_IF(value > UINT32_MAX && (cl_properties)(int)value != value, CL_INVALID_PROPERTY, "0x%llx is no descriptor", (unsigned long long)value);
	*fd = (int)value;
	return CL_SUCCESS;
}

bool properties_device_in(const struct _cl_context *c, uint32_t which, const struct _cl_device_id *d)
{
	for (unsigned i = 0; i < c->num_devices; i++)
		if (which >> i & 1 && c->devices[i] == d)
			return true;
	return !which;
}

cl_int external_info(cl_uint param_name, INFO_PARAMETERS)
{
	static const cl_external_memory_handle_type_khr memory[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};
	static const cl_external_semaphore_handle_type_khr handles[] = {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR};
	switch (param_name) {
	case CL_PLATFORM_SEMAPHORE_TYPES_KHR:
	case CL_DEVICE_SEMAPHORE_TYPES_KHR: return INFO(cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
	case CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
	case CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
	case CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
	case CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: return INFO_BYTES(handles, sizeof handles);
	case CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
	case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
	case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR: return INFO_BYTES(memory, sizeof memory);
	}
	return ANOTHER_GROUP;
}
