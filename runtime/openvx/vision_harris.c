/* org.khronos.openvx.harris_corners: corners after Harris and Stephens, the strongest within a radius. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"
#include <stdio.h>

/* Twins of kernels/canny.cl, fast.cl and harris.cl. */
enum { STRIP = 8, SEGMENT = 64 };

/* Rounds of suppression over all corners, after which one work-group settles what is left; an even number, so that the states are
 * where they were at first. Each decides most of what the one before has left open. */
enum { ROUNDS = 4 };
/* Work-items of such a round; each does as many corners as there are more. */
enum { ROUND_ITEMS = 16384 };

/* Buffers of the node. */
enum {
	SCRATCH_GRADIENT,      /* two derivatives a pixel */
	SCRATCH_SCORE,         /* a float a pixel */
	SCRATCH_ABOVE,         /* a byte a pixel: above the threshold */
	SCRATCH_MASK,          /* of each segment, which pixels are corners */
	SCRATCH_PLACE,         /* where the corners of each segment begin in the list */
	SCRATCH_WHERE,         /* the list: coordinates */
	SCRATCH_STRENGTH,      /* and scores */
	SCRATCH_STATE,         /* and whether a corner is taken */
	SCRATCH_OTHER_STATE,   /* the same, of every other round */
	SCRATCH_OPEN,          /* indices of corners that are not decided */
	SCRATCH_NEXT_OPEN,     /* the same, of every other round */
	SCRATCH_TAKEN_PLACE    /* where what is taken of each segment begins in the array */
};

struct work {
	vx_image in;
	size_t segments, pitch, all; /* segments of a row, pixels of a row of whole segments, segments of all rows */
	size_t most;                 /* corners: no two of them are neighbours */
	vx_scalar strength_thresh, min_distance, sensitivity;
	cl_mem gradient, score, above, mask, place, where, strength, state, other_state, open, next_open, taken_place;
	char options[48];            /* of harris.cl */
	char gradient_options[32];   /* of canny.cl */
};

/* ---- verification ---- */
static size_t most_corners(vx_image in) { return ((size_t)in->width + 1) / 2 * (((size_t)in->height + 1) / 2); }

static vx_status check(struct check *c, const vx_reference *p)
{
	/* vxHarrisCornersNode: the input is U8; threshold, distance and sensitivity are FLOAT32 */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	for (unsigned i = 1; i <= 3; i++)
		TRY(want_scalar(c, i, VX_TYPE_FLOAT32));
	/* vxHarrisCornersNode: gradient_size and block_size 3, 5 and 7 have to be there; others are not */
	for (unsigned i = 4; i <= 5; i++)
		TRY(want_int(c, i, VX_TYPE_INT32, "size", "", 3, 5, 7));
	/* vxHarrisCornersNode: keypoints, and their number as a SIZE. A virtual array has room for as many as there can be. */
	TRY(gives_array(c, 6, VX_TYPE_KEYPOINT, most_corners((vx_image)p[0])));
	return gives_scalar(c, 7, VX_TYPE_SIZE);
}

/* ---- launches ---- */

static void work_begin(struct work *w, struct launch *l, const vx_reference *p)
{
	const vx_int32 gradient_size = scalar_int((vx_scalar)p[4]), block_size = scalar_int((vx_scalar)p[5]);
	vx_image in = (vx_image)p[0];
	*w = (struct work){.in = in, .most = most_corners(in), .segments = (in->width + SEGMENT - 1) / SEGMENT};
	w->pitch = w->segments * SEGMENT;
	w->all = w->segments * in->height;
	w->strength_thresh = (vx_scalar)p[1];
	w->min_distance = (vx_scalar)p[2];
	w->sensitivity = (vx_scalar)p[3];
	snprintf(w->gradient_options, sizeof w->gradient_options, "-DGRADIENT=%d", gradient_size);
	snprintf(w->options, sizeof w->options, "-DGRADIENT=%d -DBLOCK=%d", gradient_size, block_size);
	const size_t pixels = w->pitch * in->height, derivatives = gradient_size == 7 ? sizeof(cl_int2) : sizeof(cl_short2);
	const struct { cl_mem *mem; size_t bytes; } buffers[] = {
		[SCRATCH_GRADIENT] = {&w->gradient, (size_t)in->width * in->height * derivatives},
		[SCRATCH_SCORE] = {&w->score, pixels * sizeof(cl_float)},
		[SCRATCH_ABOVE] = {&w->above, pixels},
		[SCRATCH_MASK] = {&w->mask, w->all * sizeof(cl_ulong)},
		[SCRATCH_PLACE] = {&w->place, (w->all + 1) * sizeof(cl_uint)},
		[SCRATCH_WHERE] = {&w->where, w->most * sizeof(cl_int2)},
		[SCRATCH_STRENGTH] = {&w->strength, w->most * sizeof(cl_float)},
		[SCRATCH_STATE] = {&w->state, w->most},
		[SCRATCH_OTHER_STATE] = {&w->other_state, w->most},
		[SCRATCH_OPEN] = {&w->open, w->most * sizeof(cl_uint)},
		[SCRATCH_NEXT_OPEN] = {&w->next_open, w->most * sizeof(cl_uint)},
		[SCRATCH_TAKEN_PLACE] = {&w->taken_place, (w->all + 1) * sizeof(cl_uint)},
	};
	for (unsigned i = 0; i < sizeof buffers / sizeof *buffers; i++)
		*buffers[i].mem = launch_scratch(l, i, buffers[i].bytes);
}

static void find_gradients(struct launch *l, const struct work *w)
{
	launch_kernel(l, "canny", w->gradient_options, "sobel", PLANE(w->in, 0), MEM(w->gradient));
	launch_2d(l, (w->in->width + STRIP - 1) / STRIP, whole_warps(w->in->height));
}

static void find_scores(struct launch *l, const struct work *w)
{
	launch_kernel(l, "harris", w->options, "harris_score", MEM(w->gradient), INT(w->in->width), INT(w->in->height),
		      READ(&w->strength_thresh->store), READ(&w->sensitivity->store), MEM(w->score), MEM(w->above), INT(w->pitch));
	launch_2d(l, w->pitch / STRIP, whole_warps(w->in->height));
}

static void list_corners(struct launch *l, const struct work *w)
{
	launch_kernel(l, "harris", w->options, "harris_select", MEM(w->score), MEM(w->above), INT(w->pitch),
		      INT(w->in->height), MEM(w->mask), MEM(w->place));
	launch_2d(l, w->segments, whole_warps(w->in->height));
	list_places(l, w->place, w->all);
	launch_kernel(l, "harris", w->options, "harris_list", MEM(w->score), INT(w->pitch), INT(w->in->height),
		      MEM(w->mask), MEM(w->place), MEM(w->where), MEM(w->strength), MEM(w->state));
	launch_2d(l, w->segments, whole_warps(w->in->height));
}

/* A kernel of harris.cl that decides about corners, and what of its arguments such kernels have in common. */
static void launch_decision(struct launch *l, const struct work *w, const char *kernel)
{
	launch_kernel(l, "harris", w->options, kernel, MEM(w->where), MEM(w->strength), MEM(w->place), INT(w->segments),
		      INT(w->in->height), READ(&w->min_distance->store));
}

static void suppress_corners(struct launch *l, const struct work *w)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		launch_decision(l, w, "harris_round");
		args(l, MEM(i % 2 ? w->other_state : w->state), MEM(i % 2 ? w->state : w->other_state));
		launch_1d(l, w->most < ROUND_ITEMS ? whole_warps(w->most) : ROUND_ITEMS);
	}
	launch_decision(l, w, "harris_settle");
	args(l, MEM(w->state), MEM(w->open), MEM(w->next_open));
	launch_one_group(l);
}

static vx_status write_keypoints(struct launch *l, const struct work *w, vx_array corners, vx_reference num_corners)
{
	launch_kernel(l, "harris", w->options, "harris_count", MEM(w->place), MEM(w->state), INT(w->all), MEM(w->taken_place));
	launch_1d(l, whole_warps(w->all));
	list_places(l, w->taken_place, w->all);
	launch_kernel(l, "harris", w->options, "harris_keypoints", MEM(w->where), MEM(w->strength), MEM(w->place), MEM(w->state),
		      INT(w->all), MEM(w->taken_place), WRITTEN(&corners->items), INT(corners->capacity),
		      WRITTEN(&corners->count), WRITTEN_SCALAR(num_corners));
	return launch_1d(l, whole_warps(w->all));
}

static vx_status run(struct launch *l, const vx_reference *p)
{
	struct work w;
	work_begin(&w, l, p);
	find_gradients(l, &w);
	find_scores(l, &w);
	list_corners(l, &w);
	suppress_corners(l, &w);
	return write_keypoints(l, &w, (vx_array)p[6], p[7]);
}

const struct vision_kernel vision_harris_corners = {.check = check, .run = run};
