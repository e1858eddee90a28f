/* Maps and copies: how the application gets at what lies in the buffers of data objects.
 *
 * Memory of the type VX_MEMORY_TYPE_HOST is an address. VX_MEMORY_TYPE_OPENCL_BUFFER (vx_khr_opencl_interop, 2.4) is a cl_mem,
 * passed and returned as itself; what is done with it is enqueued in the coordination queue, and nothing waits. */
#ifndef GALENA_RUNTIME_OPENVX_MAP_H
#define GALENA_RUNTIME_OPENVX_MAP_H
#include "runtime/openvx/data.h"

enum { BLOCK_DIMS = TENSOR_DIMS_MAX };

/* A part of a buffer: rows of bytes, in some dimensions. Sizes in bytes; at least one row. */
struct block {
	size_t offset, row;
	unsigned dims;
	size_t count[BLOCK_DIMS], stride[BLOCK_DIMS];
};

/* ---- parameters: VX_SUCCESS, or the status of a log entry ---- */
/* A type of memory that the application may use where it is. */
vx_status memory_check(const void *ref, const char *function, vx_enum memory);
vx_status copy_check(const struct _vx_reference *, const char *function, const void *user_ptr, vx_enum usage, vx_enum memory);
vx_status map_check(const struct _vx_reference *, const char *function, const vx_map_id *, void *const *ptr, vx_enum usage,
		    vx_enum memory);

/* ---- handles ---- */
/* The buffer of an object whose memory is the application's: a handle that has been checked; NULL: it has none now. */
vx_status memory_take(vx_reference, vx_enum memory, void *handle, size_t bytes, cl_mem *);

/* ---- copies: VX_READ_ONLY to the application's memory, VX_WRITE_ONLY from there ---- */
/* A part of the data of an object. */
vx_status data_copy(vx_reference, const struct block *, const size_t *user_strides, void *user_ptr, vx_enum usage, vx_enum memory);
vx_status store_copy(vx_reference, struct store *, void *user_ptr, vx_enum usage, vx_enum memory); /* all bytes of its first store */

/* ---- maps ---- */
/* What can be mapped: a buffer, whose it is, and the list of its maps, which all objects that share the buffer have in common. */
struct map_target {
	struct _vx_reference *object;
	cl_mem mem;
	size_t size;
	struct data_map **maps;
};
/* A part of the data of an object. */
vx_status data_map(vx_reference, const struct block *, vx_enum usage, vx_enum memory, vx_map_id *, void **ptr);
/* The strides of what data_map() has returned. */
void map_strides(const struct block *, vx_enum memory, size_t *strides);
void maps_drop(struct _vx_reference *object, struct data_map **maps); /* of an object that ends */

/* ---- what functions of the API do with an object of a class; their names are for the log ---- */
/* All data of an object with a store. */
vx_status data_copy_whole(void *object, const struct object_class *, const char *function, void *user_ptr, vx_enum usage, vx_enum memory);
vx_status data_map_whole(void *object, const struct object_class *, const char *function, vx_map_id *, void **ptr, vx_enum usage, vx_enum memory);
vx_status data_unmap(void *object, const struct object_class *, const char *function, vx_map_id);

/* Functions that do only that: a line for each in the file of the type, as those of object_class.h. */
#define CLASS_COPY(function, name) \
	VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL function(vx_##name object, void *user_ptr, vx_enum usage, vx_enum user_mem_type) \
	{ \
		return data_copy_whole(object, &name##_class, __func__, user_ptr, usage, user_mem_type); \
	}
#define CLASS_MAP(function, name) \
	VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL function(vx_##name object, vx_map_id *id, void **ptr, vx_enum usage, vx_enum mem_type, vx_bitfield flags) \
	{ \
		(void)flags; \
		return data_map_whole(object, &name##_class, __func__, id, ptr, usage, mem_type); \
	}
#define CLASS_UNMAP(function, name) \
	VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL function(vx_##name object, vx_map_id id) { return data_unmap(object, &name##_class, __func__, id); }
#endif
