/* Operations pixel by pixel: what a node computes from what is in the same place of its inputs.
 *
 * kernels/pixelwise.cl has a function of values for each, NAME_pixel(), whatever the formats of images. Operations that follow one
 * another are one launch: the text of its kernel is put together from these functions, and what is between them is in registers,
 * made a pixel of its format as if it had been stored. */
#ifndef GALENA_RUNTIME_OPENVX_PIXEL_H
#define GALENA_RUNTIME_OPENVX_PIXEL_H
#include "runtime/openvx/data.h"
#include "runtime/openvx/launch.h"

/* Of a launch. What is loaded from more places at a time than that lasts longer than one launch after the other. */
enum { PIXEL_OPERATIONS_MAX = 16, PIXEL_LOADS_MAX = 8 };

/* Values besides those of pixels: twin of pixel_args_t in kernels/pixelwise.cl. */
struct pixel_args {
	cl_int policy;                                /* of the result: enum vx_convert_policy_e */
	cl_int nearest;                               /* multiply */
	cl_int shift;                                 /* convertdepth: bits to the left */
	cl_int lower, upper, true_value, false_value; /* threshold */
	cl_int first, count;                          /* table_lookup */
	cl_float factor;                              /* multiply, weighted_average */
};

struct pixel_operation {
	const char *name;    /* the function name_pixel(); NULL: values that it is launched by cannot be had */
	vx_image in[2];      /* in[1] may be NULL */
	struct store *store; /* a table or a scalar that the function reads, too; or NULL */
	vx_image out;
	struct pixel_args args;
};

bool pixel_format_known(vx_df_image); /* one of whose pixels pixelwise.cl makes values */
/* struct vision_kernel's run, of kernels that have pixel, too. */
vx_status run_pixels(struct launch *, const vx_reference *p);
/* Operations of images of one size, each behind those whose output it reads. Only the last one's output is written. */
vx_status launch_pixels(struct launch *, const struct pixel_operation *, unsigned count);
#endif
