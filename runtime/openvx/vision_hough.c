/* The kernel hough_lines_p. */
#include "runtime/openvx/vision_tensor.h"

enum { ANGLES_MAX = 65535, VOTES_MAX = 1 << 28 };
static const float half_circle = 3.14159265358979f;

/* Angles between the least and the greatest; where these say nothing, all there are. */
static float angles_of(vx_hough_lines_p_t *h)
{
	if (!(h->theta_max > h->theta_min)) {
		h->theta_min = 0;
		h->theta_max = half_circle;
	}
	return (h->theta_max - h->theta_min) / h->theta;
}

/* Of lines from the upper left corner, on both sides, with room for what is rounded. */
static float distances_of(const vx_hough_lines_p_t *h, vx_image in)
{
	return 2 * ((float)(in->width + in->height) / h->rho) + 5;
}

static vx_status hough_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	vx_hough_lines_p_t h;
	/* vxHoughLinesPNode: an image of bytes or bits, the struct of parameters in an array */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_U1));
	TRY(want_item(c, 1, (vx_array)p[1], VX_TYPE_HOUGH_LINES_PARAMS));
	TRY(item_read((vx_array)p[1], &h, sizeof h));
	/* vx_hough_lines_p_t: resolutions that divide what there is into some parts */
	const float angles = angles_of(&h);
	if (!(h.rho > 0) || !(angles >= 1 && angles <= ANGLES_MAX) || !(angles * distances_of(&h, in) <= VOTES_MAX))
		return refuse(c, 1, VX_ERROR_INVALID_VALUE, "resolutions of %g pixels and of %g between angles %g and %g", (double)h.rho,
			      (double)h.theta, (double)h.theta_min, (double)h.theta_max);
	/* vxHoughLinesPNode: lines in an array, their number as a size */
	TRY(gives_array(c, 2, VX_TYPE_LINE_2D, (vx_size)in->width + in->height));
	return gives_scalar(c, 3, VX_TYPE_SIZE);
}

/* What a search works on. */
struct hough {
	vx_hough_lines_p_t parameters;
	cl_int angles, distances;
	cl_mem mask, points, num_points, table, votes;
};

static void find_points(struct launch *l, const struct hough *h, vx_image in)
{
	launch_kernel(l, "tensor", TENSOR_OPTIONS, "hough_points", PLANE(in, 0), STRUCT(in->valid), INT(in->format == VX_DF_IMAGE_U1),
		      MEM(h->mask), MEM(h->points), MEM(h->num_points));
	launch_one_group(l);
	launch_kernel(l, "tensor", TENSOR_OPTIONS, "hough_angles", STRUCT(h->parameters), MEM(h->table));
	launch_1d(l, (size_t)h->angles);
}

static vx_status find_lines(struct launch *l, const struct hough *h, vx_image in, vx_array lines, vx_reference num_lines)
{
	launch_kernel(l, "tensor", TENSOR_OPTIONS, "hough_lines", STRUCT(h->parameters), INT(in->width), INT(in->height),
		      INT(h->angles), INT(h->distances), MEM(h->mask), MEM(h->points), MEM(h->num_points), MEM(h->table), MEM(h->votes),
		      WRITTEN(&lines->items), WRITTEN(&lines->count), INT(lines->capacity), WRITTEN_SCALAR(num_lines));
	return launch_one_group(l);
}

static vx_status hough_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	const size_t pixels = (size_t)in->width * in->height;
	struct hough h;
	TRY(item_read((vx_array)p[1], &h.parameters, sizeof h.parameters));
	h.angles = (cl_int)angles_of(&h.parameters);
	h.distances = (cl_int)distances_of(&h.parameters, in);
	const size_t votes = (size_t)h.angles * (size_t)h.distances * sizeof(cl_int);
	h.mask = launch_scratch(l, 0, pixels);
	h.points = launch_scratch(l, 1, pixels * sizeof(cl_uint));
	h.num_points = launch_scratch(l, 2, sizeof(cl_uint));
	h.table = launch_scratch(l, 3, (size_t)h.angles * sizeof(cl_float2));
	h.votes = launch_scratch(l, 4, votes);
	launch_fill(l, h.votes, votes, 0);
	find_points(l, &h, in);
	return find_lines(l, &h, in, (vx_array)p[2], p[3]);
}

const struct vision_kernel vision_hough_lines_p = {.check = hough_check, .run = hough_run};
