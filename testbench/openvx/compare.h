/* What tests of kernels share: pixels in plain memory, the images that hold them, runs, comparisons. */
#ifndef GALENA_TESTBENCH_OPENVX_COMPARE_H
#define GALENA_TESTBENCH_OPENVX_COMPARE_H
#include "testbench/openvx/vx.h"
#include "testbench/random.h"
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- chance, and what is being tested ---- */
static uint64_t seed, seed_first;
static char what[256];

/* main begins with it. */
static inline void seed_start(int argc, char **argv) { seed = seed_first = seed_take(argc, argv); }

static inline uint32_t random_below(uint32_t count) { return (uint32_t)(splitmix64(&seed) % count); }

/* Names the case that follows: kernel, policy, border and what else is not seen in the pixels; failures say it. */
__attribute__((format(printf, 1, 2))) static inline void now_testing(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(what, sizeof what, format, list);
	va_end(list);
}

/* More of the same case. */
__attribute__((format(printf, 1, 2))) static inline void add_testing(const char *format, ...)
{
	const size_t used = strlen(what);
	va_list list;
	va_start(list, format);
	vsnprintf(what + used, sizeof what - used, format, list);
	va_end(list);
}

static inline void expect_status(vx_status expected, vx_status got, const char *call, int line)
{
	if (got != expected)
		fail_msg("%s: line %d, %s gave %d, not %d; seed %llu", what, line, call, got, expected, (unsigned long long)seed_first);
}
#define RAN(call) expect_status(VX_SUCCESS, (call), #call, __LINE__)
#define REFUSED(status, call) expect_status((status), (call), #call, __LINE__)
#define CREATED(object) expect_status(VX_SUCCESS, vxGetStatus((vx_reference)(object)), "creating " #object, __LINE__)

/* ---- sizes ---- */
static const struct { vx_uint32 width, height; } sizes[] = {
	{1, 1}, {2, 1}, {1, 3}, {2, 2}, {7, 5}, {8, 3}, {9, 4}, {13, 7}, {31, 6}, {32, 5}, {33, 9}, {37, 19},
	{63, 3}, {64, 4}, {65, 5}, {70, 33}, {264, 33},
};

/* ---- layouts ---- */
/* Planes lie one behind the other, in rows of whole bytes; a step is how many columns or rows of the image a plane has one of. */
static const struct layout {
	vx_df_image format;
	unsigned sample_bits, planes;
	struct { unsigned samples, step_x, step_y; } plane[3];
} layouts[] = {
	{VX_DF_IMAGE_U1, 1, 1, {{1, 1, 1}}},
	{VX_DF_IMAGE_U8, 8, 1, {{1, 1, 1}}},
	{VX_DF_IMAGE_U16, 16, 1, {{1, 1, 1}}},
	{VX_DF_IMAGE_S16, 16, 1, {{1, 1, 1}}},
	{VX_DF_IMAGE_U32, 32, 1, {{1, 1, 1}}},
	{VX_DF_IMAGE_S32, 32, 1, {{1, 1, 1}}},
	{VX_DF_IMAGE_RGB, 8, 1, {{3, 1, 1}}},
	{VX_DF_IMAGE_RGBX, 8, 1, {{4, 1, 1}}},
	{VX_DF_IMAGE_UYVY, 8, 1, {{2, 1, 1}}},
	{VX_DF_IMAGE_YUYV, 8, 1, {{2, 1, 1}}},
	{VX_DF_IMAGE_NV12, 8, 2, {{1, 1, 1}, {2, 2, 2}}},
	{VX_DF_IMAGE_NV21, 8, 2, {{1, 1, 1}, {2, 2, 2}}},
	{VX_DF_IMAGE_IYUV, 8, 3, {{1, 1, 1}, {1, 2, 2}, {1, 2, 2}}},
	{VX_DF_IMAGE_YUV4, 8, 3, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
};

static inline const struct layout *layout_of(vx_df_image format)
{
	for (size_t i = 0; i < COUNT(layouts); i++)
		if (layouts[i].format == format)
			return &layouts[i];
	fail_msg("no layout of format %.4s", (const char *)&format);
	return NULL;
}

/* The multiples that width and height must be of. */
static inline unsigned even_width(vx_df_image format)
{
	return format == VX_DF_IMAGE_UYVY || format == VX_DF_IMAGE_YUYV || layout_of(format)->plane[1].step_x == 2 ? 2 : 1;
}
static inline unsigned even_height(vx_df_image format) { return layout_of(format)->plane[1].step_y == 2 ? 2 : 1; }

/* ---- pixels ---- */
struct pixels {
	vx_uint32 width, height;
	vx_df_image format;
	uint8_t *bytes; /* dense rows of plane 0, then those of the other planes */
};

static inline vx_uint32 samples_in_row(const struct pixels *p, unsigned plane)
{
	const struct layout *l = layout_of(p->format);
	return p->width / l->plane[plane].step_x * l->plane[plane].samples;
}
static inline vx_uint32 rows_in_plane(const struct pixels *p, unsigned plane)
{
	return p->height / layout_of(p->format)->plane[plane].step_y;
}
static inline size_t bytes_in_row(const struct pixels *p, unsigned plane)
{
	return ((size_t)samples_in_row(p, plane) * layout_of(p->format)->sample_bits + 7) / 8;
}
/* Where a plane begins; of the plane behind the last one, the size of all. */
static inline size_t plane_offset(const struct pixels *p, unsigned plane)
{
	return plane ? plane_offset(p, plane - 1) + bytes_in_row(p, plane - 1) * rows_in_plane(p, plane - 1) : 0;
}
static inline size_t bytes_in_all(const struct pixels *p) { return plane_offset(p, layout_of(p->format)->planes); }
static inline uint8_t *row_of(const struct pixels *p, unsigned plane, vx_uint32 y)
{
	return p->bytes + plane_offset(p, plane) + bytes_in_row(p, plane) * y;
}

static inline int64_t sample_get(const struct pixels *p, unsigned plane, vx_uint32 i, vx_uint32 y)
{
	const uint8_t *row = row_of(p, plane, y);
	union { uint16_t u16; int16_t s16; uint32_t u32; int32_t s32; } v;
	switch (p->format) {
	case VX_DF_IMAGE_U1: return row[i / 8] >> i % 8 & 1;
	case VX_DF_IMAGE_U16: memcpy(&v, row + 2 * (size_t)i, 2); return v.u16;
	case VX_DF_IMAGE_S16: memcpy(&v, row + 2 * (size_t)i, 2); return v.s16;
	case VX_DF_IMAGE_U32: memcpy(&v, row + 4 * (size_t)i, 4); return v.u32;
	case VX_DF_IMAGE_S32: memcpy(&v, row + 4 * (size_t)i, 4); return v.s32;
	default: return row[i];
	}
}

/* Keeps the low bits of the value. */
static inline void sample_set(const struct pixels *p, unsigned plane, vx_uint32 i, vx_uint32 y, int64_t value)
{
	const unsigned bits = layout_of(p->format)->sample_bits;
	uint8_t *row = row_of(p, plane, y);
	if (bits == 1)
		row[i / 8] = (uint8_t)((row[i / 8] & ~(1u << i % 8)) | (unsigned)(value & 1) << i % 8);
	else
		for (unsigned k = 0; k < bits / 8; k++)
			row[(size_t)i * (bits / 8) + k] = (uint8_t)((uint64_t)value >> 8 * k);
}

/* Of formats with one sample a pixel. */
static inline int64_t pixel_get(const struct pixels *p, vx_uint32 x, vx_uint32 y) { return sample_get(p, 0, x, y); }
static inline void pixel_set(const struct pixels *p, vx_uint32 x, vx_uint32 y, int64_t value) { sample_set(p, 0, x, y, value); }

static inline int64_t border_value(vx_df_image format, const vx_pixel_value_t *v)
{
	switch (format) {
	case VX_DF_IMAGE_U1: return v->U1 != vx_false_e;
	case VX_DF_IMAGE_U8: return v->U8;
	case VX_DF_IMAGE_U16: return v->U16;
	case VX_DF_IMAGE_S16: return v->S16;
	case VX_DF_IMAGE_U32: return v->U32;
	default: return v->S32;
	}
}

/* Also outside of the image. What VX_BORDER_UNDEFINED leaves open is 0: nothing that depends on it is compared. */
static inline int64_t pixel_bordered(const struct pixels *p, int64_t x, int64_t y, const vx_border_t *border)
{
	const bool inside = x >= 0 && y >= 0 && x < p->width && y < p->height;
	if (!inside && border->mode == VX_BORDER_CONSTANT)
		return border_value(p->format, &border->constant_value);
	if (!inside && border->mode != VX_BORDER_REPLICATE)
		return 0;
	x = x < 0 ? 0 : x >= p->width ? p->width - 1 : x;
	y = y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
	return pixel_get(p, (vx_uint32)x, (vx_uint32)y);
}

static inline struct pixels zero_pixels(vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	struct pixels p = {width, height, format, NULL};
	p.bytes = calloc(bytes_in_all(&p), 1);
	assert_non_null(p.bytes);
	return p;
}

static inline void free_pixels(struct pixels *p)
{
	free(p->bytes);
	p->bytes = NULL;
}

/* One sample in four is an extreme one. */
static inline int64_t random_sample(unsigned bits)
{
	const uint64_t v = splitmix64(&seed), top = 1ull << (bits - 1);
	const uint64_t extremes[] = {0, 1, top - 1, top, 2 * top - 2, 2 * top - 1};
	return (int64_t)(v >> 60 < 4 ? extremes[(v >> 40) % COUNT(extremes)] : v & (2 * top - 1));
}

static inline struct pixels random_pixels(vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	const struct pixels p = zero_pixels(width, height, format);
	for (unsigned plane = 0; plane < layout_of(format)->planes; plane++)
		for (vx_uint32 y = 0; y < rows_in_plane(&p, plane); y++)
			for (vx_uint32 i = 0; i < samples_in_row(&p, plane); i++)
				sample_set(&p, plane, i, y, random_sample(layout_of(format)->sample_bits));
	return p;
}

/* A rectangle of one into another of the same format, at other corners. */
static inline void copy_rectangle(const struct pixels *to, vx_uint32 to_x, vx_uint32 to_y, const struct pixels *from,
				  vx_uint32 from_x, vx_uint32 from_y, vx_uint32 width, vx_uint32 height)
{
	const struct layout *l = layout_of(to->format);
	for (unsigned plane = 0; plane < l->planes; plane++) {
		const unsigned n = l->plane[plane].samples, sx = l->plane[plane].step_x, sy = l->plane[plane].step_y;
		for (vx_uint32 y = 0; y < height / sy; y++)
			for (vx_uint32 i = 0; i < width / sx * n; i++)
				sample_set(to, plane, to_x / sx * n + i, to_y / sy + y,
					   sample_get(from, plane, from_x / sx * n + i, from_y / sy + y));
	}
}

/* ---- to and from images ---- */
static inline vx_imagepatch_addressing_t addressing_of(const struct pixels *p, unsigned plane, size_t stride_y)
{
	const struct layout *l = layout_of(p->format);
	const unsigned bits = l->sample_bits * l->plane[plane].samples, sx = l->plane[plane].step_x, sy = l->plane[plane].step_y;
	return (vx_imagepatch_addressing_t){
		.dim_x = p->width, .dim_y = p->height, .stride_x = (vx_int32)(bits / 8), .stride_y = (vx_int32)stride_y,
		.scale_x = VX_SCALE_UNITY / sx, .scale_y = VX_SCALE_UNITY / sy, .step_x = sx, .step_y = (vx_uint16)sy,
		.stride_x_bits = bits < 8 ? (vx_uint16)bits : 0,
	};
}

static inline void move_pixels(vx_image image, const struct pixels *p, vx_enum usage)
{
	const vx_rectangle_t all = {0, 0, p->width, p->height};
	for (unsigned plane = 0; plane < layout_of(p->format)->planes; plane++) {
		const vx_imagepatch_addressing_t a = addressing_of(p, plane, bytes_in_row(p, plane));
		RAN(vxCopyImagePatch(image, &all, plane, &a, row_of(p, plane, 0), usage, VX_MEMORY_TYPE_HOST));
	}
}

/* Bits of a row behind its last pixel say nothing. */
static inline void clear_padding(const struct pixels *p)
{
	if (p->format == VX_DF_IMAGE_U1 && p->width % 8)
		for (vx_uint32 y = 0; y < p->height; y++)
			row_of(p, 0, y)[p->width / 8] &= (uint8_t)((1u << p->width % 8) - 1);
}

static inline void upload(vx_image image, const struct pixels *p) { move_pixels(image, p, VX_WRITE_ONLY); }
static inline void download(vx_image image, const struct pixels *p)
{
	move_pixels(image, p, VX_READ_ONLY);
	clear_padding(p);
}

/* ---- where an image has its pixels ---- */
enum place { PLACE_OWN, PLACE_REGION, PLACE_HANDLE, PLACES };
static const char *const place_names[PLACES] = {"own", "region", "handle"};

/* An image of its own, a region of a larger one, or one in memory whose rows have gaps. */
struct placed {
	vx_image image;
	struct pixels shape; /* without bytes */
	enum place place;
	vx_image whole;      /* a region's */
	struct pixels around;
	vx_uint32 x, y;
	struct { uint8_t *bytes, *before; size_t size, lead, stride; } memory[3]; /* a handle's planes */
};

static inline enum place random_place(void) { return (enum place)random_below(PLACES); }

static inline void place_region(struct placed *d, const struct pixels *p)
{
	const unsigned ex = even_width(p->format), ey = even_height(p->format);
	d->x = (p->format == VX_DF_IMAGE_U1 ? 8 : ex) * (1 + random_below(9)); /* vxCreateImageFromROI: bits begin with a byte */
	d->y = ey * random_below(4);
	d->around = random_pixels(d->x + p->width + ex * random_below(6), d->y + p->height + ey * (1 + random_below(3)), p->format);
	copy_rectangle(&d->around, d->x, d->y, p, 0, 0, p->width, p->height);
	d->whole = vxCreateImage(context, d->around.width, d->around.height, p->format);
	CREATED(d->whole);
	upload(d->whole, &d->around);
	d->image = vxCreateImageFromROI(d->whole, &(vx_rectangle_t){d->x, d->y, d->x + p->width, d->y + p->height});
}

static inline void place_handle(struct placed *d, const struct pixels *p)
{
	const struct layout *l = layout_of(p->format);
	vx_imagepatch_addressing_t a[3] = {{0}};
	void *begins[3] = {NULL};
	for (unsigned plane = 0; plane < l->planes; plane++) {
		const size_t pixel = (l->sample_bits * l->plane[plane].samples + 7) / 8;
		const size_t row = bytes_in_row(p, plane), rows = rows_in_plane(p, plane);
		const size_t lead = pixel * random_below(5), stride = row + pixel * (1 + random_below(9)), size = lead + stride * rows;
		uint8_t *bytes = malloc(size), *before = malloc(size);
		assert_true(bytes && before);
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)splitmix64(&seed);
		for (vx_uint32 y = 0; y < rows; y++)
			memcpy(bytes + lead + stride * y, row_of(p, plane, y), row);
		memcpy(before, bytes, size);
		d->memory[plane].bytes = bytes;
		d->memory[plane].before = before;
		d->memory[plane].size = size;
		d->memory[plane].lead = lead;
		d->memory[plane].stride = stride;
		a[plane] = addressing_of(p, plane, stride);
		begins[plane] = bytes + lead;
	}
	d->image = vxCreateImageFromHandle(context, p->format, a, begins, VX_MEMORY_TYPE_HOST);
}

/* An image with these pixels. take_pixels or check_unchanged ends it. */
static inline struct placed place_pixels(const struct pixels *p, enum place place)
{
	struct placed d = {.shape = {p->width, p->height, p->format, NULL}, .place = place};
	if (place == PLACE_REGION) {
		place_region(&d, p);
	} else if (place == PLACE_HANDLE) {
		place_handle(&d, p);
	} else {
		d.image = vxCreateImage(context, p->width, p->height, p->format);
		CREATED(d.image);
		upload(d.image, p);
	}
	CREATED(d.image);
	return d;
}

/* An image for a result: random before, so that what is not written shows. */
static inline struct placed place_result(vx_uint32 width, vx_uint32 height, vx_df_image format, enum place place)
{
	struct pixels p = random_pixels(width, height, format);
	const struct placed d = place_pixels(&p, place);
	free_pixels(&p);
	return d;
}

/* The rest of the larger image is as it was. */
static inline void take_region(struct placed *d, const struct pixels *out)
{
	struct pixels now = zero_pixels(d->around.width, d->around.height, d->around.format);
	download(d->whole, &now);
	copy_rectangle(out, 0, 0, &now, d->x, d->y, out->width, out->height);
	copy_rectangle(&d->around, d->x, d->y, out, 0, 0, out->width, out->height);
	if (memcmp(now.bytes, d->around.bytes, bytes_in_all(&now)))
		fail_msg("%s: %.4s, %u x %u: changed the image around the region; seed %llu", what, (const char *)&out->format, out->width,
			 out->height, (unsigned long long)seed_first);
	free_pixels(&now);
	free_pixels(&d->around);
	RAN(vxReleaseImage(&d->whole));
}

/* The gaps are as they were. */
static inline void take_handle(struct placed *d, const struct pixels *out)
{
	const unsigned planes = layout_of(out->format)->planes;
	void *back[3] = {NULL};
	RAN(vxSwapImageHandle(d->image, NULL, back, planes));
	for (unsigned plane = 0; plane < planes; plane++) {
		const size_t row = bytes_in_row(out, plane), lead = d->memory[plane].lead, stride = d->memory[plane].stride;
		uint8_t *now = d->memory[plane].bytes, *before = d->memory[plane].before;
		assert_ptr_equal(back[plane], now + lead);
		for (vx_uint32 y = 0; y < rows_in_plane(out, plane); y++) {
			memcpy(row_of(out, plane, y), now + lead + stride * y, row);
			memcpy(before + lead + stride * y, now + lead + stride * y, row);
		}
		if (memcmp(now, before, d->memory[plane].size))
			fail_msg("%s: %.4s, %u x %u: changed gaps between rows; seed %llu", what, (const char *)&out->format, out->width,
				 out->height, (unsigned long long)seed_first);
		free(now);
		free(before);
	}
	clear_padding(out);
}

/* What the image holds now; nothing around it may have changed. Ends the image. */
static inline struct pixels take_pixels(struct placed *d)
{
	const struct pixels out = zero_pixels(d->shape.width, d->shape.height, d->shape.format);
	if (d->place == PLACE_REGION)
		take_region(d, &out);
	else if (d->place == PLACE_HANDLE)
		take_handle(d, &out);
	else
		download(d->image, &out);
	RAN(vxReleaseImage(&d->image));
	return out;
}

/* ---- comparisons ---- */
/* Of pixels whose neighbourhood has to lie inside, the margins are not compared; nor are those whose byte of skip is set. */
struct comparison {
	vx_uint32 margin_x, margin_y;
	const uint8_t *skip;  /* one byte a pixel, or NULL */
	int64_t tolerance;    /* of the difference */
	int64_t modulus;      /* 0, or of a circle: differences are taken the shorter way round */
	unsigned allowed;     /* pixels that may differ by more */
};

static inline int64_t distance(const struct comparison *c, int64_t a, int64_t b)
{
	const int64_t d = a < b ? b - a : a - b;
	return c->modulus && c->modulus - d < d ? c->modulus - d : d;
}

static inline void compare_pixels(const struct comparison *c, const struct pixels *expected, const struct pixels *got)
{
	const struct layout *l = layout_of(expected->format);
	unsigned differ = 0;
	assert_true(expected->format == got->format && expected->width == got->width && expected->height == got->height);
	for (unsigned plane = 0; plane < l->planes; plane++) {
		const vx_uint32 n = l->plane[plane].samples, rows = rows_in_plane(got, plane), columns = samples_in_row(got, plane) / n;
		for (vx_uint32 y = c->margin_y; y + c->margin_y < rows; y++) {
			for (vx_uint32 i = c->margin_x * n; i / n + c->margin_x < columns; i++) {
				const int64_t a = sample_get(expected, plane, i, y), b = sample_get(got, plane, i, y);
				if (distance(c, a, b) <= c->tolerance || (c->skip && c->skip[(size_t)y * columns + i / n]))
					continue;
				if (++differ > c->allowed)
					fail_msg("%s: %.4s, %u x %u: plane %u, pixel %u %u, sample %u: %lld, expected %lld; seed %llu", what,
						 (const char *)&got->format, got->width, got->height, plane, i / n, y, i % n, (long long)b,
						 (long long)a, (unsigned long long)seed_first);
			}
		}
	}
}

/* Ends a result; frees what was expected. */
static inline void check_result(const struct comparison *c, struct pixels *expected, struct placed *result)
{
	struct pixels got = take_pixels(result);
	compare_pixels(c, expected, &got);
	free_pixels(&got);
	free_pixels(expected);
}

/* Ends an input; frees its pixels. */
static inline void check_unchanged(struct pixels *before, struct placed *input)
{
	check_result(&(struct comparison){0}, before, input);
}

/* ---- runs ---- */
static const struct { vx_enum mode; const char *name; } borders[] = {
	{VX_BORDER_UNDEFINED, "undefined"}, {VX_BORDER_CONSTANT, "constant"}, {VX_BORDER_REPLICATE, "replicate"},
};

static inline const char *border_name(vx_enum mode)
{
	for (size_t i = 0; i < COUNT(borders); i++)
		if (borders[i].mode == mode)
			return borders[i].name;
	return "of no known mode";
}

static inline void set_node_border(vx_node node, const vx_border_t *border)
{
	CREATED(node);
	RAN(vxSetNodeAttribute(node, VX_NODE_BORDER, border, sizeof *border));
}

/* Of vxu functions. */
static inline void set_immediate_border(const vx_border_t *border)
{
	RAN(vxSetContextAttribute(context, VX_CONTEXT_IMMEDIATE_BORDER, border, sizeof *border));
}

/* A graph of this node; ends both. */
static inline void run_node(vx_graph *graph, vx_node node)
{
	CREATED(node);
	RAN(vxVerifyGraph(*graph));
	RAN(vxProcessGraph(*graph));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(graph));
}

/* A graph of this node does not verify; ends both. */
static inline void refuse_node(vx_status status, vx_graph *graph, vx_node node)
{
	CREATED(node);
	REFUSED(status, vxVerifyGraph(*graph));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(graph));
}
#endif
