/* Scaling, warps and remap: of U8 images with -DBITS=8, of U1 images with -DBITS=1. A work-item makes eight pixels of a row; of
 * bit images, those of one byte. */

/* What is read. */
typedef struct {
	global const uchar *pixels;
	plane_t plane;
	region_t window; /* the pixels that are read; what lies beyond is the border */
	int border;
	uint constant_value;
} source_t;

#define SOURCE_PARAMETERS global const uchar *in, plane_t in_plane, region_t window, int border, uint constant_value
#define SOURCE ((source_t){in, in_plane, window, border, constant_value})

/* Eight pixels are one number, the first one lowest. */
#define EIGHTH(value, k) ((ulong)(value) << (BITS * (k)))

#if BITS == 1
static inline int pixel_at(source_t s, int x, int y) { return (int)bit_at(s.pixels, s.plane, x, y); }

/* The last byte of a row may hold bits that are not the image's: they stay. (store_bits() would take longer.) */
static inline void put_eight(global uchar *p, plane_t d, int x, int y, ulong eight)
{
	global uchar *at = p + d.offset + y * d.stride_y + x / 8;
	uint inside = 0xff;
	if (x + 8 > d.width)
		inside &= 0xffu >> (x + 8 - d.width);
	*at = inside == 0xff ? (uchar)eight : (uchar)((*at & ~inside) | ((uint)eight & inside));
}
#else
static inline int pixel_at(source_t s, int x, int y) { return s.pixels[s.plane.offset + y * s.plane.stride_y + x]; }

static inline void put_eight(global uchar *p, plane_t d, int x, int y, ulong eight)
{
	global uchar *at = p + d.offset + y * d.stride_y + x;
	if (x + 8 <= d.width)
		vstore8(as_uchar8(eight), 0, at);
	else
		for (int k = 0; x + k < d.width; k++)
			at[k] = (uchar)(eight >> 8 * k);
}
#endif

static inline int sample(source_t s, int x, int y)
{
	const int left = (int)s.window.left, top = (int)s.window.top, right = (int)s.window.right, bottom = (int)s.window.bottom;
	if (s.border == BORDER_CONSTANT && (x < left || y < top || x >= right || y >= bottom))
		return (int)s.constant_value;
	return pixel_at(s, clamp(x, left, right - 1), clamp(y, top, bottom - 1));
}

/* The mean of four pixels, of which (x, y) is the upper left one, weighted by where the sample lies between them; rounded. */
static inline int blend(source_t s, int x, int y, float across, float down)
{
	const float a = sample(s, x, y), b = sample(s, x + 1, y), c = sample(s, x, y + 1), d = sample(s, x + 1, y + 1);
	const float top = a + across * (b - a), bottom = c + across * (d - c);
	return (int)(top + down * (bottom - top) + 0.5f);
}

/* ---- scaling ---- */
/* The pixel whose centre is the last one before a sample, and how far behind it the sample lies. */
typedef struct {
	int pixel;
	float part;
} between_t;

static inline between_t between_pixels(int x, int in_size, int out_size)
{
	const long unit = 2 * (long)out_size;
	const long at = (2 * (long)x + 1) * in_size + out_size; /* half a pixel less and one more: not negative */
	const long pixel = at / unit;
	return (between_t){(int)pixel - 1, (float)(at - pixel * unit) / (float)unit};
}

kernel void scale_nearest(SOURCE_PARAMETERS, global uchar *out, plane_t out_plane)
{
	const source_t s = SOURCE;
	const int x = (int)get_global_id(0) * 8, y = (int)get_global_id(1);
	if (x >= out_plane.width)
		return;
	const int from_y = nearest_pixel(y, in_plane.height, out_plane.height);
	ulong eight = 0;
	for (int k = 0; k < 8; k++)
		eight |= EIGHTH(sample(s, nearest_pixel(x + k, in_plane.width, out_plane.width), from_y), k);
	put_eight(out, out_plane, x, y, eight);
}

kernel void scale_bilinear(SOURCE_PARAMETERS, global uchar *out, plane_t out_plane)
{
	const source_t s = SOURCE;
	const int x = (int)get_global_id(0) * 8, y = (int)get_global_id(1);
	if (x >= out_plane.width)
		return;
	const between_t down = between_pixels(y, in_plane.height, out_plane.height);
	ulong eight = 0;
	for (int k = 0; k < 8; k++) {
		const between_t across = between_pixels(max(x + k, 0), in_plane.width, out_plane.width);
		eight |= EIGHTH(blend(s, across.pixel, down.pixel, across.part, down.part), k);
	}
	put_eight(out, out_plane, x, y, eight);
}

/* The mean over the rectangle of the input that an output pixel covers, each pixel weighted by its part in it. Lengths are in
 * units in which a pixel of the output is as long as the input has pixels, and the other way round: all are whole. */
static inline ulong overlap(long from, long to, long pixel, long unit)
{
	return (ulong)(min(to, (pixel + 1) * unit) - max(from, pixel * unit));
}

static inline int mean_of_area(source_t s, int x, int y, plane_t d)
{
	const long width = s.plane.width, height = s.plane.height;
	const long left = x * width, right = left + width, top = y * height, bottom = top + height;
	ulong sum = 0;
	for (long j = top / d.height; j * d.height < bottom; j++) {
		ulong row = 0;
		for (long i = left / d.width; i * d.width < right; i++)
			row += (ulong)pixel_at(s, (int)i, (int)j) * overlap(left, right, i, d.width);
		sum += row * overlap(top, bottom, j, d.height);
	}
	const ulong all = (ulong)(width * height);
	return (int)((sum + all / 2) / all);
}

kernel void scale_area(SOURCE_PARAMETERS, global uchar *out, plane_t out_plane)
{
	const source_t s = SOURCE;
	const int x = (int)get_global_id(0) * 8, y = (int)get_global_id(1);
	ulong eight = 0;
	if (x >= out_plane.width)
		return;
	for (int k = max(-x, 0); k < 8 && x + k < out_plane.width; k++)
		eight |= EIGHTH(mean_of_area(s, x + k, y, out_plane), k);
	put_eight(out, out_plane, x, y, eight);
}

/* ---- samples anywhere ---- */
/* Far outside is outside; what is not a number is, too. */
static inline float2 within_reach(float2 at) { return fmin(fmax(at, -1e6f), 1e6f); }

static inline int nearest(source_t s, float2 at)
{
	const int2 pixel = convert_int2_rtn(within_reach(at) + 0.5f);
	return sample(s, pixel.x, pixel.y);
}

static inline int bilinear(source_t s, float2 at)
{
	at = within_reach(at);
	const int2 pixel = convert_int2_rtn(at);
	const float2 part = at - convert_float2(pixel);
	return blend(s, pixel.x, pixel.y, part.x, part.y);
}

/* Matrices come column by column. */
static inline float2 affine(global const float *m, float x, float y)
{
	return (float2)(m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]);
}

static inline float2 perspective(global const float *m, float x, float y)
{
	const float z = m[2] * x + m[5] * y + m[8];
	return (float2)(m[0] * x + m[3] * y + m[6], m[1] * x + m[4] * y + m[7]) / z;
}

/* sample: of pixel (x + k, y), by what the table has. */
#define SAMPLES(name, table_type, sample) \
	kernel void name(SOURCE_PARAMETERS, global uchar *out, plane_t out_plane, global const table_type *table) \
	{ \
		const source_t s = SOURCE; \
		const int x = (int)get_global_id(0) * 8, y = (int)get_global_id(1); \
		if (x >= out_plane.width) \
			return; \
		ulong eight = 0; \
		for (int k = 0; k < 8; k++) \
			eight |= EIGHTH(sample, k); \
		put_eight(out, out_plane, x, y, eight); \
	}

#define WARP(POSITION, SAMPLE) SAMPLES(POSITION##_##SAMPLE, float, SAMPLE(s, POSITION(table, (float)(x + k), (float)y)))
WARP(affine, nearest)
WARP(affine, bilinear)
WARP(perspective, nearest)
WARP(perspective, bilinear)

/* The table has a position for each pixel of the output. */
#define REMAP(SAMPLE) SAMPLES(remap_##SAMPLE, float2, SAMPLE(s, table[y * out_plane.width + clamp(x + k, 0, out_plane.width - 1)]))
REMAP(nearest)
REMAP(bilinear)
