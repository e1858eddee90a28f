/* What the files of data objects have in common, and what other files need of single types. */
#ifndef GALENA_RUNTIME_OPENVX_DATA_OBJECTS_H
#define GALENA_RUNTIME_OPENVX_DATA_OBJECTS_H
#include "runtime/openvx/data.h"

/* Levels of a pyramid, items of an object array, slots of a delay: each is an object of its own. */
enum { PARTS_MAX = 65536 };

/* A store of so many bytes, all 0, with a copy of the host's or without one; false: no memory. Its buffer is made when it is
 * needed. */
bool store_open(struct store *, size_t size, bool with_host_copy);

/* ---- tensors ---- */
/* A tensor's buffer, before the first use. */
vx_status tensor_allocate(vx_tensor);

/* ---- places in tensors ---- */
struct place;
/* The tensor that a view, or a view of it, is of: it has the buffer. */
vx_tensor tensor_root(vx_tensor);
/* The element that lies so many bytes behind the first one: a number for each of so many dimensions; and its place. */
void tensor_starts(const struct _vx_tensor_t *, size_t offset, vx_size num_dims, vx_size *starts);
void tensor_place_at(vx_tensor root, size_t offset, struct place *);
/* An image of elements from one on, in the first two dimensions; NULL and a log entry: there is no such part, or no memory. */
vx_image tensor_image(vx_tensor, const vx_size *starts, vx_uint32 width, vx_uint32 height, vx_df_image);

/* ---- what creating functions of the API return ---- */
static inline void *refused(struct _vx_context *c, vx_status status) { return object_error(c, status); }
static inline void *created(struct _vx_context *c, void *object)
{
	return object ? object : refused(c, fail(c, VX_ERROR_NO_MEMORY, "no memory for an object"));
}
/* Ends an object that could not be finished. */
static inline void *undone(void *object)
{
	struct _vx_reference *ref = object;
	object_release(&ref, VX_TYPE_REFERENCE);
	return NULL;
}
#endif
