/* Kernels that say something about an image: histogram, equalize_histogram, mean_stddev, minmaxloc, integral_image. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"

enum { GROUPS_MAX = 32, COUNTING_GROUPS = 16, COUNT_MAX = UINT16_MAX, BYTE_VALUES = 256 };

/* Sizes that statistics.cl is built with. */
#define TURN 4
#define EQUALIZE_ROWS 4
#define STRIP_ROWS 32   /* no sum of 8 x 32 pixels has more than 16 bits */
#define PART_ITEM 32768 /* pixels that a work-item counts of a row, at most */
#define TEXT_(x) #x
#define SIZE(name, value) " -D" #name "=" TEXT_(value)
#define SIZES SIZE(TURN, TURN) SIZE(EQUALIZE_ROWS, EQUALIZE_ROWS) SIZE(STRIP_ROWS, STRIP_ROWS) SIZE(PART_ITEM, PART_ITEM)

/* Twins of the sizes in statistics.cl. */
static size_t group_y(const struct launch *l) { return items_max(l) < 64 ? 2 : 8; }
static size_t group_x(const struct launch *l) { return items_max(l) / group_y(l); }
static size_t row_items(const struct launch *l) { return items_max(l) < 64 ? items_max(l) : 64; }
static size_t columns(const struct launch *l) { return items_max(l) < 32 ? items_max(l) : 32; }
static size_t strip_items(const struct launch *l) { return items_max(l) < 32 ? items_max(l) : 32; }

#define BYTES "-DTYPE=uchar" SIZES
#define SHORTS "-DTYPE=short" SIZES

static vx_uint32 valid_rows(vx_image image) { return image->valid.end_y - image->valid.start_y; }

#define INPUT(in) PLANE((in), 0), STRUCT((in)->valid)

/* Groups that go over an image together, group_y() rows each at a time: as many as have something to do, but no more than make the
 * device busy, since the results of all are put together. */
static size_t groups_over(const struct launch *l, vx_image image)
{
	const size_t groups = (valid_rows(image) + group_y(l) - 1) / group_y(l);
	return groups > GROUPS_MAX ? GROUPS_MAX : groups ? groups : 1;
}

static vx_status launch_over(struct launch *l, vx_image image)
{
	return launch_groups(l, 2, (size_t[]){group_x(l), group_y(l) * groups_over(l, image)}, (size_t[]){group_x(l), group_y(l)});
}

static vx_status launch_rows(struct launch *l, size_t rows)
{
	return launch_groups(l, 2, (size_t[]){row_items(l), rows}, (size_t[]){row_items(l), 1});
}

/* Groups that count values of an image together: each a part of rows, one after the other, and in these as many as there is local
 * memory for, or more where a work-item would have more pixels than its counts have room for. */
static void launch_counting(struct launch *l, vx_image image)
{
	const size_t items = columns(l), part = items * PART_ITEM;
	const size_t rows = valid_rows(image), width = image->valid.end_x - image->valid.start_x;
	const size_t parts = width ? (width + part - 1) / part : 1, pixels = ((width < part ? width : part) + items - 1) / items;
	const size_t rows_max = pixels ? COUNT_MAX / pixels : COUNT_MAX, least = (rows + rows_max - 1) / rows_max;
	const size_t most = rows > COUNTING_GROUPS ? COUNTING_GROUPS : rows ? rows : 1;
	launch_groups(l, 2, (size_t[]){items * (least > most ? least : most), parts}, (size_t[]){items, 1});
}

/* How often each value of a byte occurs in an image. */
static cl_mem count_values(struct launch *l, vx_image in)
{
	const size_t size = BYTE_VALUES * sizeof(cl_uint);
	cl_mem counts = launch_scratch(l, 0, size);
	launch_fill(l, counts, size, 0);
	launch_kernel(l, "statistics", BYTES, "count_values", INPUT(in), MEM(counts));
	launch_counting(l, in);
	return counts;
}

/* ---- histogram ---- */
static vx_status histogram_check(struct check *c, const vx_reference *p)
{
	(void)p;
	/* vxHistogramNode: an image of bytes */
	return want_format(c, 0, VX_DF_IMAGE_U8);
}

static vx_status histogram_run(struct launch *l, const vx_reference *p)
{
	vx_distribution d = (vx_distribution)p[1];
	cl_mem counts = count_values(l, (vx_image)p[0]);
	launch_kernel(l, "statistics", BYTES, "histogram", MEM(counts), WRITTEN(&d->store), INT(d->bins), INT(d->offset),
		      INT(d->range));
	return launch_1d(l, d->bins);
}

const struct vision_kernel vision_histogram = {.check = histogram_check, .run = histogram_run};

/* ---- equalize_histogram ---- */
static vx_status equalize_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	/* vxEqualizeHistNode: images of bytes */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	return gives_image(c, 1, in->width, in->height, VX_DF_IMAGE_U8);
}

static vx_status equalize_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0], out = (vx_image)p[1];
	cl_mem counts = count_values(l, in), table = launch_scratch(l, 1, BYTE_VALUES);
	launch_kernel(l, "statistics", BYTES, "equalize_table", MEM(counts), MEM(table));
	launch_one_group(l);
	launch_kernel(l, "statistics", BYTES, "equalize", PLANE(in, 0), PLANE(out, 0), MEM(table));
	const size_t items = columns(l), pixels = items * TURN;
	const size_t across = (in->width + pixels - 1) / pixels, down = (in->height + EQUALIZE_ROWS - 1) / EQUALIZE_ROWS;
	return launch_groups(l, 2, (size_t[]){across * items, down}, (size_t[]){items, 1});
}

const struct vision_kernel vision_equalize_histogram = {.check = equalize_check, .run = equalize_run};

/* ---- mean_stddev ---- */
static vx_status mean_check(struct check *c, const vx_reference *p)
{
	(void)p;
	/* vxMeanStdDevNode: an image of bytes or bits; both results are floats */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_U1));
	TRY(gives_scalar(c, 1, VX_TYPE_FLOAT32));
	return gives_scalar(c, 2, VX_TYPE_FLOAT32);
}

static vx_status mean_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	cl_mem parts = launch_scratch(l, 0, GROUPS_MAX * sizeof(cl_ulong2));
	launch_kernel(l, "statistics", BYTES, in->format == VX_DF_IMAGE_U1 ? "sums_of_bits" : "sums_of_bytes", INPUT(in), MEM(parts));
	launch_over(l, in);
	launch_kernel(l, "statistics", BYTES, "mean_stddev", MEM(parts), INT(groups_over(l, in)), STRUCT(in->valid),
		      WRITTEN_SCALAR(p[1]), WRITTEN_SCALAR(p[2]));
	return launch_1d(l, 1);
}

const struct vision_kernel vision_mean_stddev = {.check = mean_check, .run = mean_run};

/* ---- minmaxloc ---- */
/* vxMinMaxLocNode: a SIZE; of programs for OpenVX 1.0, a UINT32 */
static vx_status gives_count(struct check *c, unsigned index, vx_scalar count)
{
	return gives_scalar(c, index, count && count->data_type == VX_TYPE_UINT32 ? VX_TYPE_UINT32 : VX_TYPE_SIZE);
}

static vx_status extremes_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	/* vxMinMaxLocNode: an image of bytes or of signed words; the values are of the same type */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_S16));
	const vx_enum type = in->format == VX_DF_IMAGE_U8 ? VX_TYPE_UINT8 : VX_TYPE_INT16;
	TRY(gives_scalar(c, 1, type));
	TRY(gives_scalar(c, 2, type));
	/* vxMinMaxLocNode: places are coordinates; all of them where the array has no capacity of its own */
	const vx_size pixels = (vx_size)in->width * in->height;
	TRY(gives_array(c, 3, VX_TYPE_COORDINATES2D, pixels));
	TRY(gives_array(c, 4, VX_TYPE_COORDINATES2D, pixels));
	/* vxMinMaxLocNode: counts are sizes */
	TRY(gives_count(c, 5, (vx_scalar)p[5]));
	return gives_count(c, 6, (vx_scalar)p[6]);
}

/* What is known of an image's extremes, and for whom. */
struct extremes {
	vx_image in;
	const char *options;
	cl_mem found, starts;
	cl_uint rows; /* 0: neither counts nor places are asked for */
};

static void find_extremes(struct launch *l, const struct extremes *e)
{
	launch_fill(l, e->found, 2 * sizeof(cl_uint), 0);
	launch_kernel(l, "statistics", e->options, "extremes", INPUT(e->in), MEM(e->found));
	launch_over(l, e->in);
}

/* Places are in the order of rows, so each row must know how many there are in the rows above it. */
static void place_extremes(struct launch *l, const struct extremes *e)
{
	launch_kernel(l, "statistics", e->options, "count_extremes", INPUT(e->in), MEM(e->found), MEM(e->starts));
	launch_rows(l, e->rows);
	launch_kernel(l, "statistics", e->options, "place_extremes", MEM(e->starts), INT(e->rows));
	launch_one_group(l);
}

static void report_extreme(struct launch *l, const struct extremes *e, cl_int which, vx_reference value, vx_array places,
			   vx_reference count)
{
	launch_kernel(l, "statistics", e->options, "report_extreme", MEM(e->found), MEM(e->starts), INT(e->rows), INT(which),
		      WRITTEN_SCALAR(value), WRITTEN_SCALAR(count),
		      INT(count && ((vx_scalar)count)->data_type == VX_TYPE_SIZE), WRITTEN(places ? &places->count : NULL),
		      INT(places ? (cl_int)places->capacity : 0));
	launch_1d(l, 1);
	if (!places || !e->rows)
		return;
	launch_kernel(l, "statistics", e->options, "locate_extremes", INPUT(e->in), MEM(e->found), MEM(e->starts), INT(which),
		      WRITTEN(&places->items), INT(places->capacity));
	launch_rows(l, e->rows);
}

static vx_status extremes_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	struct extremes e = {.in = in, .options = in->format == VX_DF_IMAGE_S16 ? SHORTS : BYTES};
	if (p[3] || p[4] || p[5] || p[6])
		e.rows = valid_rows(in);
	const size_t size = 2 * ((size_t)e.rows + 1) * sizeof(cl_uint);
	e.found = launch_scratch(l, 0, 2 * sizeof(cl_uint));
	e.starts = launch_scratch(l, 1, size);
	find_extremes(l, &e);
	if (e.rows)
		place_extremes(l, &e);
	else
		launch_fill(l, e.starts, size, 0);
	report_extreme(l, &e, 0, p[1], (vx_array)p[3], p[5]);
	report_extreme(l, &e, 1, p[2], (vx_array)p[4], p[6]);
	return l->status;
}

const struct vision_kernel vision_minmaxloc = {.check = extremes_check, .run = extremes_run};

/* ---- integral_image ---- */
static vx_status integral_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	/* vxIntegralImageNode: from bytes to words of the same size */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	return gives_image(c, 1, in->width, in->height, VX_DF_IMAGE_U32);
}

static vx_status integral_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0], out = (vx_image)p[1];
	const size_t items = strip_items(l), width = in->width, height = in->height;
	const size_t columns = (width + 7) / 8, strips = (height + STRIP_ROWS - 1) / STRIP_ROWS;
	cl_mem starts = launch_scratch(l, 0, columns * height * sizeof(cl_uint));
	cl_mem sums = launch_scratch(l, 1, strips * columns * 8 * sizeof(cl_uint));
	launch_kernel(l, "statistics", BYTES, "integral_rows", INPUT(in), MEM(starts));
	launch_groups(l, 1, (size_t[]){(height + items - 1) / items * items}, &items);
	const size_t global[] = {(columns + items - 1) / items * items, strips}, local[] = {items, 1};
	launch_kernel(l, "statistics", BYTES, "integral_strips", INPUT(in), MEM(starts), MEM(sums));
	launch_groups(l, 2, global, local);
	launch_kernel(l, "statistics", BYTES, "integral", INPUT(in), PLANE(out, 0), MEM(starts), MEM(sums));
	return launch_groups(l, 2, global, local);
}

const struct vision_kernel vision_integral_image = {.check = integral_check, .run = integral_run};
