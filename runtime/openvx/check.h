/* Verification of a node of a built-in kernel: what its parameters may be, and what its outputs are.
 *
 * A function of a kernel says what it wants of inputs by the functions that begin with want_, and what each output is by those that
 * begin with gives_. Each returns VX_SUCCESS, or the status of a log entry that names the node's kernel and the parameter; the
 * first that fails ends the check:
 *
 *   static vx_status check(struct check *c, const vx_reference *p)
 *   {
 *           vx_image in = (vx_image)p[0];
 *           TRY(want_format(c, 0, VX_DF_IMAGE_U8));
 *           return gives_image(c, 1, in->width, in->height, VX_DF_IMAGE_U8);
 *   }
 */
#ifndef GALENA_RUNTIME_OPENVX_CHECK_H
#define GALENA_RUNTIME_OPENVX_CHECK_H
#include "runtime/openvx/data.h"
#include "runtime/openvx/image.h"
#include "runtime/openvx/kernel.h"

/* ---- inputs; parameters that are left out pass ---- */
/* One of the formats; a list that ends with 0 follows. VX_ERROR_INVALID_FORMAT. */
vx_status want_format_of(struct check *, unsigned index, const vx_df_image *formats);
#define want_format(c, index, ...) want_format_of((c), (index), (const vx_df_image[]){__VA_ARGS__, 0})
vx_status want_same_size(struct check *, unsigned a, unsigned b);   /* two images. VX_ERROR_INVALID_DIMENSION */
vx_status want_same_format(struct check *, unsigned a, unsigned b);
vx_status want_scalar(struct check *, unsigned index, vx_enum type); /* of the type. VX_ERROR_INVALID_TYPE */
/* Whether the value of a scalar that is there is for verification to check: not one that a node will compute, which is whatever it
 * is, nor, in an imported graph, one that the application may still set. */
bool value_known(const struct check *, unsigned index);
/* A float, from low to high where its value is known. VX_ERROR_INVALID_VALUE */
vx_status want_float(struct check *, unsigned index, vx_float32 low, vx_float32 high);
/* A scalar enum that is one of a list. VX_ERROR_INVALID_VALUE */
vx_status want_enum_of(struct check *, unsigned index, const vx_enum *values, unsigned count);
#define want_enum(c, index, ...) \
	want_enum_of((c), (index), (const vx_enum[]){__VA_ARGS__}, sizeof((const vx_enum[]){__VA_ARGS__}) / sizeof(vx_enum))
/* A scalar of a type of integers that is one of a list; what it is, and of what unit, is for the log. VX_ERROR_INVALID_VALUE */
vx_status want_int_of(struct check *, unsigned index, vx_enum type, const char *what, const char *unit, const vx_int32 *values, unsigned count);
#define want_int(c, index, type, what, unit, ...) \
	want_int_of((c), (index), (type), (what), (unit), (const vx_int32[]){__VA_ARGS__}, sizeof((const vx_int32[]){__VA_ARGS__}) / sizeof(vx_int32))
vx_status want_sizes(struct check *, unsigned index); /* of a tensor, in all dimensions. VX_ERROR_INVALID_DIMENSION */
/* A tensor with the meta data of a prototype. VX_ERROR_INVALID_TYPE, VX_ERROR_INVALID_DIMENSION */
vx_status want_tensor(struct check *, unsigned index, const struct _vx_tensor_t *prototype);
/* Something else about a parameter is wrong: logs, and is the status. */
vx_status refuse(struct check *, unsigned index, vx_status, const char *format, ...) __attribute__((format(printf, 4, 5)));
#define REFUSE_IF(condition, ...) \
	do { \
		if (condition) \
			return refuse(__VA_ARGS__); \
	} while (0)

/* ---- outputs: virtual ones become so, others must be so; ones that are left out pass ---- */
/* An output that is there becomes what a prototype says, or is refused; of a type whose class has the function define. */
vx_status gives(struct check *, unsigned index, const void *prototype);
vx_status gives_image(struct check *, unsigned index, vx_uint32 width, vx_uint32 height, vx_df_image format);
/* An image whose format may be one of several: one that has none gets the first. */
vx_status gives_image_of(struct check *, unsigned index, vx_uint32 width, vx_uint32 height, const vx_df_image *formats);
#define gives_image_any(c, index, width, height, ...) \
	gives_image_of((c), (index), (width), (height), (const vx_df_image[]){__VA_ARGS__, 0})
vx_status gives_scalar(struct check *, unsigned index, vx_enum type);
vx_status gives_array(struct check *, unsigned index, vx_enum item_type, vx_size capacity_of_virtual);
vx_status gives_pyramid(struct check *, unsigned index, vx_size levels, vx_float32 scale, vx_uint32 width, vx_uint32 height, vx_df_image format);
vx_status gives_tensor(struct check *, unsigned index, const struct _vx_tensor_t *prototype);
/* vxCopyNode, vxSelectNode: an output whose meta data are those of an input of the same type. */
vx_status gives_alike(struct check *, unsigned index, const void *like, const void *output);

/* ---- the region of the outputs whose pixels are defined (VX_BORDER_UNDEFINED shrinks it) ---- */
/* Output images are valid where all input images are, without so many pixels at each side that the kernel reads beyond. */
void valid_shrinks(struct check *, unsigned left, unsigned top, unsigned right, unsigned bottom);
void valid_whole(struct check *, unsigned index); /* of an output whose every pixel is defined */
void valid_is(struct check *, unsigned index, const vx_rectangle_t *); /* of an output that is given, whatever the border; may be empty */
#endif
