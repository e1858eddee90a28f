/* Meta data of outputs, which the validation of a user kernel sets. */
#ifndef GALENA_RUNTIME_OPENVX_META_FORMAT_H
#define GALENA_RUNTIME_OPENVX_META_FORMAT_H
#include "runtime/openvx/graph.h"

struct _vx_meta_format {
	struct _vx_reference reference;
	vx_enum type; /* of the object */
	unsigned long long given; /* attributes that have been set: a bit each, in the order of meta_format.c */
	vx_kernel_image_valid_rectangle_f valid_rectangle;
	struct {
		vx_uint32 width, height;
		vx_df_image format;
	} image, pyramid;
	vx_size levels;
	vx_float32 scale;
	struct {
		vx_enum item_type;
		vx_size capacity;
	} array;
	vx_enum scalar_type;
	struct {
		vx_enum type;
		vx_size rows, columns;
		vx_coordinates2d_t origin;
		vx_enum pattern;
	} matrix;
	struct {
		vx_size bins;
		vx_int32 offset;
		vx_uint32 range;
	} distribution;
	struct {
		vx_enum type;
		vx_df_image input_format, output_format;
	} threshold;
	struct {
		vx_uint32 source_width, source_height, width, height;
	} remap;
	struct {
		vx_enum type;
		vx_size count;
	} lut, object_array, delay;
	struct tensor_meta tensor;
	vx_size columns, rows; /* of a convolution */
	struct {
		vx_char name[VX_MAX_REFERENCE_NAME]; /* zeros behind its end */
		vx_size size;
	} user_data;
};

/* ---- what meta data are: a row an attribute ---- */
struct meta_field {
	vx_enum attribute, type; /* which objects have it */
	size_t offset, size;     /* in struct _vx_meta_format */
	unsigned count;          /* of numbers that it is */
	vx_status otherwise;     /* of a verification that finds another value */
};
/* The row number so and so of a type; NULL: there are no more. Only of what is compared: callbacks are not. */
const struct meta_field *meta_field(vx_enum type, unsigned number);
void meta_describe(struct _vx_meta_format *, vx_reference); /* what an object is like */
/* The first attribute that differs, of two of one type; 0: none. */
vx_enum meta_difference(const struct _vx_meta_format *, const struct _vx_meta_format *);
/* Whether an object, with all its parts, is like another; logs what is not for whom. */
vx_status meta_same(vx_reference, vx_reference, const void *for_whom);

/* Calls the kernel's validation, and gives the outputs what it says, or checks that they are so. */
vx_status user_node_validate(struct _vx_node *);
#endif
