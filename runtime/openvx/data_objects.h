/* Data objects as the library makes them itself: for clones of exemplars, for parts of other objects, for the API.
 *
 * What the creating functions are given has been checked; they return NULL when there is no memory. A new object has one
 * reference of the application. Parts of an object have its scope: that of a virtual one is its graph. */
#ifndef GALENA_RUNTIME_OPENVX_DATA_OBJECTS_H
#define GALENA_RUNTIME_OPENVX_DATA_OBJECTS_H
#include "runtime/openvx/data.h"

/* Levels of a pyramid, items of an object array, slots of a delay: each is an object of its own. */
enum { PARTS_MAX = 65536 };

/* A store of so many bytes, all 0, with a copy of the host's or without one; false: no memory. Its buffer is made when it is
 * needed. */
bool store_open(struct store *, size_t size, bool with_host_copy);
void stores_destroy(struct _vx_reference *); /* what objects whose data are stores end with */

vx_scalar scalar_create(struct _vx_context *, struct _vx_reference *scope, vx_enum type, vx_size size, bool is_virtual);
vx_array array_create(struct _vx_context *, struct _vx_reference *scope, vx_enum item_type, vx_size capacity, bool is_virtual);
vx_lut lut_create(struct _vx_context *, struct _vx_reference *scope, vx_enum type, vx_size count, bool is_virtual);
vx_distribution distribution_create(struct _vx_context *, struct _vx_reference *scope, vx_size bins, vx_int32 offset,
				    vx_uint32 range, bool is_virtual);
vx_threshold threshold_create(struct _vx_context *, struct _vx_reference *scope, vx_enum type, vx_df_image input,
			      vx_df_image output, bool is_virtual);
/* pattern: VX_PATTERN_OTHER, or what the matrix is filled with. */
vx_matrix matrix_create(struct _vx_context *, struct _vx_reference *scope, vx_enum type, vx_size columns, vx_size rows,
			vx_enum pattern, bool is_virtual);
vx_convolution convolution_create(struct _vx_context *, struct _vx_reference *scope, vx_size columns, vx_size rows,
				  bool is_virtual);
vx_remap remap_create(struct _vx_context *, struct _vx_reference *scope, vx_uint32 source_width, vx_uint32 source_height,
		      vx_uint32 width, vx_uint32 height, bool is_virtual);
vx_pyramid pyramid_create(struct _vx_context *, struct _vx_reference *scope, vx_size levels, vx_float32 scale, vx_uint32 width,
			  vx_uint32 height, vx_df_image format, bool is_virtual);
vx_tensor tensor_create(struct _vx_context *, struct _vx_reference *scope, vx_size num_dims, const vx_size *dims, vx_enum type,
			vx_int8 fixed_point_position, bool is_virtual);
/* Without its items: whoever makes it puts them in. */
vx_object_array object_array_create(struct _vx_context *, struct _vx_reference *scope, vx_enum item_type, vx_size count,
				    bool is_virtual);
/* With clones of an exemplar. */
vx_object_array object_array_of(struct _vx_context *, struct _vx_reference *scope, vx_reference exemplar, vx_size count,
				bool is_virtual);

/* ---- before a graph runs ---- */
/* Gives a virtual pyramid what verification has found; or checks that it agrees. */
vx_status pyramid_define(vx_pyramid, vx_uint32 width, vx_uint32 height, vx_df_image format);
/* Virtual ones are again what they were declared to be. */
void pyramid_undefine(vx_pyramid);
void array_undefine(vx_array);
void tensor_undefine(vx_tensor);

/* ---- tensors ---- */
/* A tensor's buffer, before the first use. */
vx_status tensor_allocate(vx_tensor);
struct tensor_meta tensor_meta_of(const struct _vx_tensor_t *);
/* Gives a virtual tensor what it has been declared without, as far as it is there. */
void tensor_define(vx_tensor, const struct tensor_meta *);

/* ---- places in tensors ---- */
/* The tensor that a view, or a view of it, is of: it has the buffer. */
vx_tensor tensor_root(vx_tensor);
/* The element that lies so many bytes behind the first one: a number for each of so many dimensions. */
void tensor_starts(const struct _vx_tensor_t *, size_t offset, vx_size num_dims, vx_size *starts);
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
