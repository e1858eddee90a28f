/* What tests of kernels that look around a pixel share: borders, pixels that depend on what lies outside, refusals. */
#ifndef GALENA_TESTBENCH_OPENVX_NEIGHBOURHOOD_H
#define GALENA_TESTBENCH_OPENVX_NEIGHBOURHOOD_H
#include "testbench/openvx/compare.h"

/* What vxVerifyGraph says of parameters that do not fit. */
enum {
	FORMAT = VX_ERROR_INVALID_FORMAT,
	DIMENSION = VX_ERROR_INVALID_DIMENSION,
	VALUE = VX_ERROR_INVALID_VALUE,
	TYPE = VX_ERROR_INVALID_TYPE,
	ANY_ERROR = 1, /* the specification does not say which */
};

/* A border of the mode, with some constant. */
static inline vx_border_t border_of(vx_enum mode, vx_df_image format)
{
	vx_border_t border = {.mode = mode};
	if (mode == VX_BORDER_CONSTANT && format == VX_DF_IMAGE_U1)
		border.constant_value.U1 = random_below(2) ? vx_true_e : vx_false_e;
	else if (mode == VX_BORDER_CONSTANT && format == VX_DF_IMAGE_S16)
		border.constant_value.S16 = (vx_int16)random_sample(16);
	else if (mode == VX_BORDER_CONSTANT)
		border.constant_value.U8 = (vx_uint8)random_sample(8);
	return border;
}

/* How far a neighbourhood reaches. */
struct sides { vx_uint32 left, top, right, bottom; };

static inline struct sides all_sides(vx_uint32 reach) { return (struct sides){reach, reach, reach, reach}; }

/* A byte a pixel, set where the neighbourhood leaves the image. */
static inline uint8_t *leaves_image(vx_uint32 width, vx_uint32 height, const struct sides *s)
{
	uint8_t *flags = calloc((size_t)width * height, 1);
	assert_non_null(flags);
	for (vx_uint32 y = 0; y < height; y++)
		for (vx_uint32 x = 0; x < width; x++)
			flags[(size_t)y * width + x] =
				x < s->left || y < s->top || x + s->right >= width || y + s->bottom >= height;
	return flags;
}

/* With VX_BORDER_UNDEFINED the valid region of a result is without the pixels whose neighbourhood leaves the image. */
static inline void check_valid(const struct placed *result, vx_enum mode, const struct sides *reach)
{
	const struct sides s = mode == VX_BORDER_UNDEFINED ? *reach : all_sides(0);
	const vx_uint32 width = result->shape.width, height = result->shape.height;
	vx_rectangle_t r = {0};
	if (s.left + s.right >= width || s.top + s.bottom >= height)
		return;
	RAN(vxGetValidRegionImage(result->image, &r));
	if (r.start_x != s.left || r.start_y != s.top || r.end_x != width - s.right || r.end_y != height - s.bottom)
		fail_msg("%s: %u x %u: valid are %u %u to %u %u, expected %u %u to %u %u; seed %llu", what, width, height,
			 r.start_x, r.start_y, r.end_x, r.end_y, s.left, s.top, width - s.right, height - s.bottom,
			 (unsigned long long)seed_first);
}

static inline vx_graph new_graph(void)
{
	vx_graph graph = vxCreateGraph(context);
	CREATED(graph);
	return graph;
}

static inline vx_image new_image(vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	vx_image image = vxCreateImage(context, width, height, format);
	CREATED(image);
	return image;
}

static inline vx_scalar new_scalar(vx_enum type, const void *value)
{
	vx_scalar scalar = vxCreateScalar(context, type, value);
	CREATED(scalar);
	return scalar;
}

static inline vx_scalar new_float(vx_float32 value) { return new_scalar(VX_TYPE_FLOAT32, &value); }

/* The specification leaves it to kernels which border modes they have besides VX_BORDER_UNDEFINED: a graph that is not
 * supported for its border does not run. Ends graph and node; whether they have run. */
static inline bool run_if_supported(vx_graph *graph, vx_node node)
{
	CREATED(node);
	const bool supported = vxVerifyGraph(*graph) != VX_ERROR_NOT_SUPPORTED;
	if (supported) {
		run_node(graph, node);
	} else {
		RAN(vxReleaseNode(&node));
		RAN(vxReleaseGraph(graph));
	}
	return supported;
}

/* As refuse_node, and with ANY_ERROR for any status but VX_SUCCESS. */
static inline void refuse_anyhow(vx_status status, vx_graph *graph, vx_node node)
{
	if (status != ANY_ERROR) {
		refuse_node(status, graph, node);
		return;
	}
	CREATED(node);
	if (vxVerifyGraph(*graph) == VX_SUCCESS)
		fail_msg("%s: verified; seed %llu", what, (unsigned long long)seed_first);
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(graph));
}

/* A graph of one node does not verify; `create` makes the node, of `graph`. */
#define REFUSE(status, why, create) \
	do { \
		vx_graph graph = new_graph(); \
		now_testing("%s", (why)); \
		refuse_anyhow((status), &graph, (create)); \
	} while (0)

/* A graph of the node does not verify, nor does the function run at once. */
#define REFUSE_BOTH(status, why, create, at_once) \
	do { \
		REFUSE((status), (why), (create)); \
		if ((at_once) == VX_SUCCESS) \
			fail_msg("%s: ran at once", what); \
	} while (0)
#endif
