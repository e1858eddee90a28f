/* org.khronos.openvx.fast_corners: corners after FAST9. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"

/* Twins of kernels/fast.cl. */
enum { SEGMENT = 64 };

/* Buffers of the node: a byte a pixel; a mask, and a number of corners, which becomes a place, a segment. */
enum { SCRATCH_CORNER, SCRATCH_MASK, SCRATCH_PLACE };

static vx_status want_strength(struct check *c, unsigned index, vx_scalar strength)
{
	TRY(want_scalar(c, index, VX_TYPE_FLOAT32));
	if (!value_known(c, index))
		return VX_SUCCESS;
	const vx_float32 value = scalar_float(strength);
	/* vxFastCornersNode: 0 <= strength_thresh < 256 */
	REFUSE_IF(!(value >= 0.0f && value < 256.0f), c, index, VX_ERROR_INVALID_VALUE, "the threshold %g is not from 0 to 256", (double)value);
	return VX_SUCCESS;
}

static vx_status check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	/* vxFastCornersNode: the input is U8, the threshold FLOAT32, the flag BOOL */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	TRY(want_strength(c, 1, (vx_scalar)p[1]));
	TRY(want_scalar(c, 2, VX_TYPE_BOOL));
	/* vxFastCornersNode: keypoints, and their number as a SIZE. A virtual array has room for as many as there can be. */
	TRY(gives_array(c, 3, VX_TYPE_KEYPOINT, (vx_size)in->width * in->height));
	return gives_scalar(c, 4, VX_TYPE_SIZE);
}

/* Rows of the node's buffers are whole segments. */
struct grid {
	size_t segments, pitch, rows, all; /* of a row; bytes of a row; rows; segments of all rows */
};

static struct grid grid_of(vx_image in)
{
	struct grid g = {.segments = (in->width + SEGMENT - 1) / SEGMENT, .rows = in->height};
	g.pitch = g.segments * SEGMENT;
	g.all = g.segments * g.rows;
	return g;
}

static void find_corners(struct launch *l, const struct grid *g, vx_image in, vx_scalar strength, cl_mem corner)
{
	launch_kernel(l, "fast", "", "fast_corners", PLANE(in, 0), STRUCT(in->valid), READ(&strength->store), MEM(corner),
		      INT(g->pitch));
	launch_2d(l, g->pitch, g->rows);
}

static void select_corners(struct launch *l, const struct grid *g, vx_scalar nonmax_suppression, cl_mem corner, cl_mem mask,
			   cl_mem place)
{
	launch_kernel(l, "fast", "", "fast_select", MEM(corner), INT(g->pitch), INT(g->rows),
		      READ(&nonmax_suppression->store), MEM(mask), MEM(place));
	launch_2d(l, g->segments, whole_warps(g->rows));
}

void list_places(struct launch *l, cl_mem numbers, size_t count)
{
	launch_kernel(l, "fast", "", "list_places", MEM(numbers), INT(count));
	launch_one_group(l);
}

static vx_status run(struct launch *l, const vx_reference *p)
{
	vx_array corners = (vx_array)p[3];
	const struct grid g = grid_of((vx_image)p[0]);
	cl_mem corner = launch_scratch(l, SCRATCH_CORNER, g.pitch * g.rows);
	cl_mem mask = launch_scratch(l, SCRATCH_MASK, g.all * sizeof(cl_ulong));
	cl_mem place = launch_scratch(l, SCRATCH_PLACE, (g.all + 1) * sizeof(cl_uint));
	find_corners(l, &g, (vx_image)p[0], (vx_scalar)p[1], corner);
	select_corners(l, &g, (vx_scalar)p[2], corner, mask, place);
	list_places(l, place, g.all);
	launch_kernel(l, "fast", "", "fast_keypoints", MEM(corner), INT(g.pitch), INT(g.rows), MEM(mask), MEM(place),
		      WRITTEN(&corners->items), INT(corners->capacity), WRITTEN(&corners->count), WRITTEN_SCALAR(p[4]));
	return launch_2d(l, g.segments, whole_warps(g.rows));
}

const struct vision_kernel vision_fast_corners = {.check = check, .run = run};
