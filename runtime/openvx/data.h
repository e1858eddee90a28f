/* Data objects that are not images: each lies in one buffer, as the kernels read it. */
#ifndef GALENA_RUNTIME_OPENVX_DATA_H
#define GALENA_RUNTIME_OPENVX_DATA_H
#include "runtime/openvx/context.h"
#include "runtime/openvx/image.h"
#include "runtime/openvx/object_class.h"

struct data_map; /* what is mapped */

/* One buffer, what of it the host knows without asking, and what of it is mapped. */
struct store {
	cl_mem mem;      /* NULL until it is needed */
	size_t size;
	void *host;      /* a copy that the host has, of all bytes; NULL: none is kept */
	bool host_valid; /* nothing on the device has written since */
	struct data_map *maps; /* that are open */
};

struct _vx_scalar {
	struct _vx_reference reference;
	vx_enum data_type;
	struct store store; /* of the value's size, with a host copy */
};

struct _vx_array {
	struct _vx_reference reference;
	vx_enum item_type;   /* VX_TYPE_INVALID: of a virtual one, not known yet */
	vx_size item_size, capacity;
	struct store items;  /* capacity * item_size bytes */
	struct store count;  /* one uint: items that are there; with a host copy */
};

struct _vx_lut {
	struct _vx_reference reference;
	vx_enum data_type;   /* VX_TYPE_UINT8 or VX_TYPE_INT16 */
	vx_size count;
	vx_uint32 offset;    /* the entry of value 0 */
	struct store store;
};

struct _vx_distribution {
	struct _vx_reference reference;
	vx_size bins;
	vx_int32 offset;
	vx_uint32 range;
	struct store store;  /* bins of uint */
};

struct threshold_values {
	vx_pixel_value_t value, lower, upper, true_value, false_value;
};

struct _vx_threshold {
	struct _vx_reference reference;
	vx_enum threshold_type; /* VX_THRESHOLD_TYPE_BINARY or _RANGE */
	vx_df_image input_format, output_format;
	struct store store;     /* struct threshold_values, with a host copy */
};

struct _vx_matrix {
	struct _vx_reference reference;
	vx_enum data_type;   /* VX_TYPE_UINT8, VX_TYPE_INT32 or VX_TYPE_FLOAT32 */
	vx_size columns, rows;
	vx_enum pattern;
	vx_coordinates2d_t origin;
	struct store store;  /* row by row, with a host copy */
};

struct _vx_convolution {
	struct _vx_reference reference;
	vx_size columns, rows;
	vx_uint32 scale;
	struct store store;  /* vx_int16, row by row, with a host copy */
};

struct _vx_pyramid {
	struct _vx_reference reference;
	vx_size num_levels;
	vx_float32 scale;
	vx_uint32 width, height; /* 0: of a virtual one, not known yet */
	vx_df_image format;
	vx_image *levels;
};

struct _vx_remap {
	struct _vx_reference reference;
	vx_uint32 source_width, source_height, width, height;
	struct store store;  /* vx_coordinates2df_t a pixel of the destination, row by row */
};

enum { TENSOR_DIMS_MAX = 6 };
struct _vx_tensor_t {
	struct _vx_reference reference;
	/* strides in bytes. Sizes and type may be open in a virtual one: 0 and VX_TYPE_INVALID */
	vx_size dims[TENSOR_DIMS_MAX], strides[TENSOR_DIMS_MAX], num_dims;
	vx_enum data_type;   /* VX_TYPE_UINT8, INT8 or INT16 */
	vx_int8 fixed_point_position; /* bits behind the point */
	cl_mem mem;
	size_t offset;
	vx_enum memory;
	void *host;
	struct _vx_tensor_t *parent;
	struct data_map *maps;
};

struct _vx_object_array {
	struct _vx_reference reference;
	vx_enum item_type;
	vx_size count;
	vx_reference *items;
};

/* ---- stores ---- */
vx_status store_allocate(struct _vx_context *, struct store *); /* the buffer, before the first use */
void store_free(struct _vx_context *, struct store *);
vx_status store_write(struct _vx_context *, struct store *, size_t offset, const void *from, size_t bytes);
vx_status store_read(struct _vx_context *, struct store *, size_t offset, void *to, size_t bytes);
/* The host's copy, of a store that has one; asks the device when something there has written. NULL: an error. */
const void *store_value(struct _vx_context *, struct store *);
void store_written(struct store *); /* by the device */

/* ---- values of scalars that kernels are launched by ---- */
vx_int32 scalar_int(vx_scalar); /* of any integer or enum type; a float is rounded; the nearest there is */
vx_float32 scalar_float(vx_scalar);
vx_size scalar_size(vx_scalar);
const struct threshold_values *threshold_values(vx_threshold); /* NULL: an error */
vx_uint32 array_length(vx_array);
#endif
