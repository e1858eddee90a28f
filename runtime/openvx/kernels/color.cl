/* Images of several channels: conversions from format to format, channels taken out of an image, images put together as channels.
 *
 * One kernel does all of it; the options say what: -DFROM= and -DTO= a format, -DCONVERT= what happens to the colors on the way,
 * and -DCHANNEL= c0 to c3, the channel that TO is left with when it is no format but channel, channel_422 or channel_420. */

/* What is rounded where is part of the results. */
#pragma OPENCL FP_CONTRACT OFF

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* Eight pixels of a row, channel by channel: R, G, B and X, or Y, U and V. */
typedef struct {
	uchar8 c0, c1, c2, c3;
} row_t;

typedef struct {
	global uchar *p0, *p1, *p2, *p3;
	plane_t d0, d1, d2, d3;
} planes_t;

/* ---- bytes ---- */
static inline global uchar *place(global uchar *p, plane_t d, int x, int y)
{
	return p + d.offset + y * d.stride_y + x * d.stride_x;
}

/* Conversions of colors are long: what they seldom need is a function of its own, and rows are taken in turn. */
#define APART_keep __attribute__((always_inline))
#define APART_rgb_to_yuv __attribute__((noinline))
#define APART_yuv_to_rgb __attribute__((noinline))
#define TURNS_keep 2
#define TURNS_rgb_to_yuv 1
#define TURNS_yuv_to_rgb 1

/* n bytes of eight or four: by a word when there are so many and the address lets it be. Bytes that are not there are 0. */
static inline JOIN(APART_, CONVERT) ulong get_bytes(global const uchar *at, int n)
{
	ulong v = 0;
	if (n >= 8)
		return as_ulong(vload8(0, at));
#pragma unroll 1
	for (int i = 0; i < n; i++)
		v |= (ulong)at[i] << 8 * i;
	return v;
}

static inline JOIN(APART_, CONVERT) void put_bytes(global uchar *at, int n, ulong v)
{
	if (n >= 8) {
		vstore8(as_uchar8(v), 0, at);
		return;
	}
#pragma unroll 1
	for (int i = 0; i < n; i++, v >>= 8)
		at[i] = (uchar)v;
}

static inline uchar8 get8(global const uchar *at, int n)
{
	if (n >= 8 && !((size_t)at & 7))
		return as_uchar8(*(global const ulong *)at);
	return as_uchar8(get_bytes(at, n));
}

static inline uchar4 get4(global const uchar *at, int n)
{
	if (n >= 4 && !((size_t)at & 3))
		return as_uchar4(*(global const uint *)at);
	return as_uchar8(get_bytes(at, min(n, 4))).lo;
}

static inline void put8(global uchar *at, int n, uchar8 v)
{
	if (n >= 8 && !((size_t)at & 7))
		*(global ulong *)at = as_ulong(v);
	else
		put_bytes(at, n, as_ulong(v));
}

static inline void put4(global uchar *at, int n, uchar4 v)
{
	if (n >= 4 && !((size_t)at & 3))
		*(global uint *)at = as_uint(v);
	else
		put_bytes(at, min(n, 4), as_uint(v));
}

/* ---- formats: n pixels from (x, y) on, x a multiple of 8 ---- */
static inline row_t load_rgb(planes_t s, int x, int y, int n)
{
	global const uchar *at = place(s.p0, s.d0, x, y);
	const uchar8 a = get8(at, 3 * n), b = get8(at + 8, 3 * n - 8), c = get8(at + 16, 3 * n - 16);
	row_t r;
	r.c0 = (uchar8)(a.s0, a.s3, a.s6, b.s1, b.s4, b.s7, c.s2, c.s5);
	r.c1 = (uchar8)(a.s1, a.s4, a.s7, b.s2, b.s5, c.s0, c.s3, c.s6);
	r.c2 = (uchar8)(a.s2, a.s5, b.s0, b.s3, b.s6, c.s1, c.s4, c.s7);
	r.c3 = 255;
	return r;
}

static inline row_t load_rgbx(planes_t s, int x, int y, int n)
{
	global const uchar *at = place(s.p0, s.d0, x, y);
	const uchar8 a = get8(at, 4 * n), b = get8(at + 8, 4 * n - 8);
	const uchar8 c = get8(at + 16, 4 * n - 16), d = get8(at + 24, 4 * n - 24);
	row_t r;
	r.c0 = (uchar8)(a.s04, b.s04, c.s04, d.s04);
	r.c1 = (uchar8)(a.s15, b.s15, c.s15, d.s15);
	r.c2 = (uchar8)(a.s26, b.s26, c.s26, d.s26);
	r.c3 = (uchar8)(a.s37, b.s37, c.s37, d.s37);
	return r;
}

static inline row_t load_nv12(planes_t s, int x, int y, int n)
{
	const uchar8 uv = get8(place(s.p1, s.d1, x / 2, y / 2), n);
	row_t r;
	r.c0 = get8(place(s.p0, s.d0, x, y), n);
	r.c1 = uv.s00224466;
	r.c2 = uv.s11335577;
	r.c3 = 0;
	return r;
}

static inline row_t load_nv21(planes_t s, int x, int y, int n)
{
	row_t r = load_nv12(s, x, y, n);
	const uchar8 v = r.c1;
	r.c1 = r.c2;
	r.c2 = v;
	return r;
}

/* Of four pixels in eight bytes: where Y, U and V are. */
#define LOAD_PAIRS(format, luma, u, v) \
	static inline row_t load_##format(planes_t s, int x, int y, int n) \
	{ \
		global const uchar *at = place(s.p0, s.d0, x, y); \
		const uchar8 a = get8(at, 2 * n), b = get8(at + 8, 2 * n - 8); \
		row_t r; \
		r.c0 = (uchar8)(a.luma, b.luma); \
		r.c1 = (uchar8)(a.u, b.u); \
		r.c2 = (uchar8)(a.v, b.v); \
		r.c3 = 0; \
		return r; \
	}
LOAD_PAIRS(yuyv, s0246, s1155, s3377)
LOAD_PAIRS(uyvy, s1357, s0044, s2266)

/* A plane a channel, chroma of half the width and height, of half the width, and of the whole size. */
static inline row_t load_halves(planes_t s, int x, int y, int n, int chroma_y)
{
	row_t r;
	r.c0 = get8(place(s.p0, s.d0, x, y), n);
	r.c1 = get4(place(s.p1, s.d1, x / 2, chroma_y), n / 2).s00112233;
	r.c2 = get4(place(s.p2, s.d2, x / 2, chroma_y), n / 2).s00112233;
	r.c3 = 0;
	return r;
}

static inline row_t load_iyuv(planes_t s, int x, int y, int n) { return load_halves(s, x, y, n, y / 2); }
static inline row_t load_planes_422(planes_t s, int x, int y, int n) { return load_halves(s, x, y, n, y); }

static inline row_t load_yuv4(planes_t s, int x, int y, int n)
{
	row_t r;
	r.c0 = get8(place(s.p0, s.d0, x, y), n);
	r.c1 = get8(place(s.p1, s.d1, x, y), n);
	r.c2 = get8(place(s.p2, s.d2, x, y), n);
	r.c3 = get8(place(s.p3, s.d3, x, y), n);
	return r;
}

static inline void row_rgb(planes_t t, int x, int y, int n, row_t r)
{
	global uchar *at = place(t.p0, t.d0, x, y);
	put8(at, 3 * n, (uchar8)(r.c0.s0, r.c1.s0, r.c2.s0, r.c0.s1, r.c1.s1, r.c2.s1, r.c0.s2, r.c1.s2));
	put8(at + 8, 3 * n - 8, (uchar8)(r.c2.s2, r.c0.s3, r.c1.s3, r.c2.s3, r.c0.s4, r.c1.s4, r.c2.s4, r.c0.s5));
	put8(at + 16, 3 * n - 16, (uchar8)(r.c1.s5, r.c2.s5, r.c0.s6, r.c1.s6, r.c2.s6, r.c0.s7, r.c1.s7, r.c2.s7));
}

static inline void row_rgbx(planes_t t, int x, int y, int n, row_t r)
{
	global uchar *at = place(t.p0, t.d0, x, y);
	put8(at, 4 * n, (uchar8)(r.c0.s0, r.c1.s0, r.c2.s0, r.c3.s0, r.c0.s1, r.c1.s1, r.c2.s1, r.c3.s1));
	put8(at + 8, 4 * n - 8, (uchar8)(r.c0.s2, r.c1.s2, r.c2.s2, r.c3.s2, r.c0.s3, r.c1.s3, r.c2.s3, r.c3.s3));
	put8(at + 16, 4 * n - 16, (uchar8)(r.c0.s4, r.c1.s4, r.c2.s4, r.c3.s4, r.c0.s5, r.c1.s5, r.c2.s5, r.c3.s5));
	put8(at + 24, 4 * n - 24, (uchar8)(r.c0.s6, r.c1.s6, r.c2.s6, r.c3.s6, r.c0.s7, r.c1.s7, r.c2.s7, r.c3.s7));
}

/* The chroma that two pixels side by side, or four of two rows, share: the mean, rounded down. */
static inline uchar4 mean_of_2(uchar8 a)
{
	return convert_uchar4((convert_ushort4(a.even) + convert_ushort4(a.odd)) >> (ushort4)1);
}

static inline uchar4 mean_of_4(uchar8 a, uchar8 b)
{
	const ulong bytes = 0x00ff00ff00ff00fful, c = as_ulong(a), d = as_ulong(b);
	const ulong sums = (c & bytes) + (c >> 8 & bytes) + (d & bytes) + (d >> 8 & bytes), means = sums >> 2 & bytes;
	const ulong pairs = (means | means >> 8) & 0x0000ffff0000fffful;
	return as_uchar4((uint)(pairs | pairs >> 16));
}

static inline void row_yuyv(planes_t t, int x, int y, int n, row_t r)
{
	global uchar *at = place(t.p0, t.d0, x, y);
	const uchar4 u = mean_of_2(r.c1), v = mean_of_2(r.c2);
	put8(at, 2 * n, (uchar8)(r.c0.s0, u.s0, r.c0.s1, v.s0, r.c0.s2, u.s1, r.c0.s3, v.s1));
	put8(at + 8, 2 * n - 8, (uchar8)(r.c0.s4, u.s2, r.c0.s5, v.s2, r.c0.s6, u.s3, r.c0.s7, v.s3));
}

static inline void row_uyvy(planes_t t, int x, int y, int n, row_t r)
{
	global uchar *at = place(t.p0, t.d0, x, y);
	const uchar4 u = mean_of_2(r.c1), v = mean_of_2(r.c2);
	put8(at, 2 * n, (uchar8)(u.s0, r.c0.s0, v.s0, r.c0.s1, u.s1, r.c0.s2, v.s1, r.c0.s3));
	put8(at + 8, 2 * n - 8, (uchar8)(u.s2, r.c0.s4, v.s2, r.c0.s5, u.s3, r.c0.s6, v.s3, r.c0.s7));
}

static inline void row_yuv4(planes_t t, int x, int y, int n, row_t r)
{
	put8(place(t.p0, t.d0, x, y), n, r.c0);
	put8(place(t.p1, t.d1, x, y), n, r.c1);
	put8(place(t.p2, t.d2, x, y), n, r.c2);
}

/* A single channel, as it is stored in formats of the same name: whole, or chroma of half the width. */
static inline void row_channel(planes_t t, int x, int y, int n, row_t r)
{
	put8(place(t.p0, t.d0, x, y), n, r.CHANNEL);
}

static inline void row_channel_422(planes_t t, int x, int y, int n, row_t r)
{
	put4(place(t.p0, t.d0, x / 2, y), n / 2, r.CHANNEL.even);
}

/* Two rows, which may be the same one. */
#define BOTH_ROWS(format) \
	static inline void store_##format(planes_t t, int x, int y, int next, int n, row_t top, row_t bottom) \
	{ \
		row_##format(t, x, y, n, top); \
		row_##format(t, x, next, n, bottom); \
	}
BOTH_ROWS(rgb)
BOTH_ROWS(rgbx)
BOTH_ROWS(yuyv)
BOTH_ROWS(uyvy)
BOTH_ROWS(yuv4)
BOTH_ROWS(channel)
BOTH_ROWS(channel_422)

static inline void store_channel_420(planes_t t, int x, int y, int next, int n, row_t top, row_t bottom)
{
	put4(place(t.p0, t.d0, x / 2, y / 2), n / 2, top.CHANNEL.even);
}

static inline void store_iyuv(planes_t t, int x, int y, int next, int n, row_t top, row_t bottom)
{
	put8(place(t.p0, t.d0, x, y), n, top.c0);
	put8(place(t.p0, t.d0, x, next), n, bottom.c0);
	put4(place(t.p1, t.d1, x / 2, y / 2), n / 2, mean_of_4(top.c1, bottom.c1));
	put4(place(t.p2, t.d2, x / 2, y / 2), n / 2, mean_of_4(top.c2, bottom.c2));
}

static inline void store_pairs(planes_t t, int x, int y, int next, int n, row_t top, row_t bottom, uchar4 first, uchar4 second)
{
	put8(place(t.p0, t.d0, x, y), n, top.c0);
	put8(place(t.p0, t.d0, x, next), n, bottom.c0);
	put8(place(t.p1, t.d1, x / 2, y / 2), n,
	     (uchar8)(first.s0, second.s0, first.s1, second.s1, first.s2, second.s2, first.s3, second.s3));
}

static inline void store_nv12(planes_t t, int x, int y, int next, int n, row_t top, row_t bottom)
{
	store_pairs(t, x, y, next, n, top, bottom, mean_of_4(top.c1, bottom.c1), mean_of_4(top.c2, bottom.c2));
}

static inline void store_nv21(planes_t t, int x, int y, int next, int n, row_t top, row_t bottom)
{
	store_pairs(t, x, y, next, n, top, bottom, mean_of_4(top.c2, bottom.c2), mean_of_4(top.c1, bottom.c1));
}

/* ---- colors ---- */
/* Factors between R, G, B and Y, U, V; twin of struct colors in vision_color.c. That of G in U is a double, and so is the sum
 * that it is in: a tie is decided by the last bits of it. */
typedef struct {
	double g_u;
	float r_y, g_y, b_y, r_u, b_u, r_v, g_v, b_v;
	float v_r, u_g, v_g, u_b;
} colors_t;

static inline row_t keep(row_t r, colors_t q) { return r; }

/* None of Y, U and V is below zero; what is 256 after rounding is 255. */
static inline uchar8 byte_of(uint8 v) { return convert_uchar8(min(v, (uint8)(255))); }

static inline row_t rgb_to_yuv(row_t r, colors_t q)
{
	const float8 red = convert_float8(r.c0), green = convert_float8(r.c1), blue = convert_float8(r.c2);
	r.c0 = byte_of(convert_uint8(red * q.r_y + green * q.g_y + blue * q.b_y + 0.5f));
	r.c1 = byte_of(convert_uint8(convert_double8(red * q.r_u) + convert_double8(green) * q.g_u + convert_double8(blue * q.b_u) +
				   128.5));
	r.c2 = byte_of(convert_uint8(red * q.r_v + green * q.g_v + blue * q.b_v + 128.5f));
	return r;
}

static inline row_t yuv_to_rgb(row_t r, colors_t q)
{
	const float8 y = convert_float8(r.c0), u = convert_float8(r.c1) - 128.0f, v = convert_float8(r.c2) - 128.0f;
	r.c0 = convert_uchar8_sat(y + q.v_r * v + 0.5f);
	r.c1 = convert_uchar8_sat(y + q.u_g * u + q.v_g * v + 0.5f);
	r.c2 = convert_uchar8_sat(y + q.u_b * u + 0.5f);
	r.c3 = 255;
	return r;
}

/* A work-item eight pixels of two rows of an image of width x height pixels; at its ends, those of them that there are. */
kernel void channels(global uchar *p0, plane_t d0, global uchar *p1, plane_t d1, global uchar *p2, plane_t d2, global uchar *p3,
		     plane_t d3, global uchar *t0, plane_t e0, global uchar *t1, plane_t e1, global uchar *t2, plane_t e2,
		     int width, int height, colors_t q)
{
	const int x = (int)get_global_id(0) * 8, y = (int)get_global_id(1) * 2;
	const int next = min(y + 1, height - 1), n = min(8, width - x);
	const planes_t s = {p0, p1, p2, p3, d0, d1, d2, d3}, t = {t0, t1, t2, t2, e0, e1, e2, e2};
	ulong4 above = 0, below = 0; /* channels of two rows */
#pragma unroll JOIN(TURNS_, CONVERT)
	for (int row = 0; row < 2; row++) {
		above = below;
		const row_t r = CONVERT(JOIN(load_, FROM)(s, x, row ? next : y, n), q);
		below = (ulong4)(as_ulong(r.c0), as_ulong(r.c1), as_ulong(r.c2), as_ulong(r.c3));
	}
	const row_t top = {as_uchar8(above.x), as_uchar8(above.y), as_uchar8(above.z), as_uchar8(above.w)};
	const row_t bottom = {as_uchar8(below.x), as_uchar8(below.y), as_uchar8(below.z), as_uchar8(below.w)};
	JOIN(store_, TO)(t, x, y, next, n, top, bottom);
}
