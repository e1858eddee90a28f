/* org.khronos.openvx.optical_flow_pyr_lk: optical flow after Lucas and Kanade in pyramids. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"
#include <stdio.h>

/* Work-items of a work-group, which follows one point: twin of kernels/optical_flow.cl. */
enum { GROUP = 32 /* where the device has that many */ };

/* The node's buffer: two floats a point, its position in the level before. */
enum { SCRATCH_POSITION };

static vx_status want_pyramids(struct check *c, const vx_reference *p)
{
	vx_pyramid old_images = (vx_pyramid)p[0], new_images = (vx_pyramid)p[1];
	/* vxOpticalFlowPyrLKNode: both pyramids are U8 */
	REFUSE_IF(old_images->format != VX_DF_IMAGE_U8, c, 0, VX_ERROR_INVALID_FORMAT, "the pyramid is not of U8");
	REFUSE_IF(new_images->format != VX_DF_IMAGE_U8, c, 1, VX_ERROR_INVALID_FORMAT, "the pyramid is not of U8");
	REFUSE_IF(!old_images->width || !old_images->height, c, 0, VX_ERROR_INVALID_DIMENSION, "a virtual pyramid that no node gives a size");
	/* Optical Flow Pyramid (LK): both pyramids have the same dimensionality */
	if (old_images->num_levels != new_images->num_levels || old_images->width != new_images->width ||
	    old_images->height != new_images->height || old_images->scale != new_images->scale)
		return refuse(c, 1, VX_ERROR_INVALID_DIMENSION,
			      "%zu levels of %u x %u pixels by %g, but %zu of %u x %u by %g of the old images",
			      new_images->num_levels, new_images->width, new_images->height, (double)new_images->scale,
			      old_images->num_levels, old_images->width, old_images->height, (double)old_images->scale);
	return VX_SUCCESS;
}

static vx_status want_keypoints(struct check *c, unsigned index, vx_array points)
{
	/* vxOpticalFlowPyrLKNode: arrays of keypoints */
	REFUSE_IF(points->item_type != VX_TYPE_KEYPOINT, c, index, VX_ERROR_INVALID_TYPE, "the array is not of keypoints");
	return VX_SUCCESS;
}

static vx_status want_window(struct check *c, unsigned index, vx_scalar dimension)
{
	vx_size most = 0;
	TRY(want_scalar(c, index, VX_TYPE_SIZE));
	TRY(vxQueryContext(dimension->reference.context, VX_CONTEXT_OPTICAL_FLOW_MAX_WINDOW_DIMENSION, &most, sizeof most));
	const vx_int32 value = scalar_int(dimension);
	/* vxOpticalFlowPyrLKNode: up to VX_CONTEXT_OPTICAL_FLOW_MAX_WINDOW_DIMENSION; below 3 there is no motion to see */
	REFUSE_IF(value < 3 || (vx_size)value > most, c, index, VX_ERROR_INVALID_VALUE, "windows of size %d: 3 to %zu are known", value, most);
	return VX_SUCCESS;
}

static vx_status check(struct check *c, const vx_reference *p)
{
	vx_array old_points = (vx_array)p[2];
	TRY(want_pyramids(c, p));
	TRY(want_keypoints(c, 2, old_points));
	TRY(want_keypoints(c, 3, (vx_array)p[3]));
	/* vxOpticalFlowPyrLKNode: a criterion that vx_termination_criteria_e lists; types of the other scalars */
	TRY(want_enum(c, 5, VX_TERM_CRITERIA_ITERATIONS, VX_TERM_CRITERIA_EPSILON, VX_TERM_CRITERIA_BOTH));
	TRY(want_scalar(c, 6, VX_TYPE_FLOAT32));
	TRY(want_scalar(c, 7, VX_TYPE_UINT32));
	TRY(want_scalar(c, 8, VX_TYPE_BOOL));
	TRY(want_window(c, 9, (vx_scalar)p[9]));
	/* Optical Flow Pyramid (LK): as many new keypoints as old ones */
	return gives_array(c, 4, VX_TYPE_KEYPOINT, old_points->capacity);
}

static vx_status track_level(struct launch *l, const vx_reference *p, const char *options, size_t level)
{
	vx_pyramid old_images = (vx_pyramid)p[0], new_images = (vx_pyramid)p[1];
	vx_array old_points = (vx_array)p[2], guesses = (vx_array)p[3], new_points = (vx_array)p[4];
	const size_t points = old_points->capacity, group = items_max(l) < GROUP ? items_max(l) : GROUP, items = points * group;
	cl_float scale = 1.0f;
	for (size_t i = 0; i < level; i++)
		scale *= old_images->scale;
	cl_mem position = launch_scratch(l, SCRATCH_POSITION, points * sizeof(cl_float2));
	launch_kernel(l, "optical_flow", options, "track", PLANE(old_images->levels[level], 0), PLANE(new_images->levels[level], 0),
		      READ(&old_points->items), READ(&old_points->count), READ(&guesses->items), READ(&guesses->count),
		      WRITTEN(&new_points->items), WRITTEN(&new_points->count), INT(new_points->capacity), MEM(position),
		      INT(level == old_images->num_levels - 1), INT(level == 0), FLOAT(scale), FLOAT(1.0f / old_images->scale),
		      READ_SCALAR(p[5]), READ_SCALAR(p[6]), READ_SCALAR(p[7]), READ_SCALAR(p[8]));
	return launch_groups(l, 1, &items, &group);
}

static vx_status run(struct launch *l, const vx_reference *p)
{
	char options[24];
	snprintf(options, sizeof options, "-DWINDOW=%d", scalar_int((vx_scalar)p[9]));
	vx_status status = VX_SUCCESS;
	for (size_t level = ((vx_pyramid)p[0])->num_levels; level-- > 0;)
		status = track_level(l, p, options, level);
	return status;
}

const struct vision_kernel vision_optical_flow_pyr_lk = {.check = check, .run = run};
