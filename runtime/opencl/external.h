/* Memory and semaphores of other APIs: cl_khr_external_memory, cl_khr_semaphore, cl_khr_external_semaphore, and what the types of handles add. */
#ifndef GALENA_RUNTIME_OPENCL_EXTERNAL_H
#define GALENA_RUNTIME_OPENCL_EXTERNAL_H
#include "runtime/opencl/mem.h"
#include "runtime/opencl/external_names.h"

/* What platform and devices say of the types that there are, or ANOTHER_GROUP. */
cl_int external_info(cl_uint param_name, INFO_PARAMETERS);

/* ---- lists of properties ---- */
/* One of a list: a name, and where its value or its list of values begins. */
struct property {
	cl_properties name;
	const cl_properties *value;
};
/* Whether the property's value is a list that ends with 0. NULL: of none. */
typedef bool (*property_is_list)(cl_properties name);
enum { PROPERTIES_MAX = 16 };
struct properties {
	struct property of[PROPERTIES_MAX];
	unsigned count;
	size_t length; /* of the list, with its 0; 0: there is none */
};
/* Reads as far as there is something to read. CL_INVALID_PROPERTY: the list cannot be read, has no end, or names a property twice. */
cl_int properties_read(const cl_properties *list, property_is_list, struct properties *out);
/* Of a list of devices: how many, and which of the context, by their places in it. CL_INVALID_DEVICE: one is no device, or none of the context's. */
cl_int properties_devices(const struct _cl_context *, const cl_properties *devices, unsigned *count, uint32_t *which);
/* A value that is a descriptor, or -1. CL_INVALID_PROPERTY: it is neither. */
cl_int properties_fd(cl_properties value, int *fd);
/* The device is one of those. */
bool properties_device_in(const struct _cl_context *, uint32_t which, const struct _cl_device_id *);

/* ---- external memory ---- */
/* What a list of properties says of the memory of an object that is made, and of the devices that it is for. */
struct external {
	bool given;
	int fd;
	uint32_t devices; /* of the context, by their places in it; 0: all */
};
/* The properties of clCreate...WithProperties. */
cl_int external_properties(const struct _cl_context *, const cl_mem_properties *, struct external *out, size_t *count);
/* The rules of flags and host_ptr that there are for external memory alone. */
cl_int external_check(const struct external *, cl_mem_flags, const void *host_ptr);
/* Gives an object its memory, of its size; the descriptor is ours then. */
cl_int external_place(struct _cl_mem *, const struct external *);

#endif
