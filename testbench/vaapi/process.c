/* Video processing against a model in real numbers: pictures of random sizes, rectangles, formats and colours, scaled, converted and blended. */
#include "testbench/vaapi/va_test.h"
#include <math.h>

/* ---- formats: where components are ---- */
struct part { unsigned plane, offset, step; };
static const struct kind {
	uint32_t fourcc;
	bool rgb, alpha;
	unsigned bits;
	struct part part[4]; /* Y, U, V or R, G, B; alpha */
	unsigned shift_x, shift_y; /* of chroma */
} kinds[] = {
	{VA_FOURCC_NV12, false, false, 8, {{0, 0, 1}, {1, 0, 2}, {1, 1, 2}}, 1, 1},
	{VA_FOURCC_I420, false, false, 8, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}, 1, 1},
	{VA_FOURCC_P010, false, false, 10, {{0, 0, 2}, {1, 0, 4}, {1, 2, 4}}, 1, 1},
	{VA_FOURCC_444P, false, false, 8, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}, 0, 0},
	{VA_FOURCC_YUY2, false, false, 8, {{0, 0, 2}, {0, 1, 4}, {0, 3, 4}}, 1, 0},
	{VA_FOURCC_RGBA, true, true, 8, {{0, 0, 4}, {0, 1, 4}, {0, 2, 4}, {0, 3, 4}}, 0, 0},
	{VA_FOURCC_BGRX, true, false, 8, {{0, 2, 4}, {0, 1, 4}, {0, 0, 4}}, 0, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct picture {
	const struct kind *kind;
	const struct shape *shape;
	unsigned width, height;
	VASurfaceID id;
	uint8_t *bytes;
};
struct rectangle { int x, y, width, height; };

static unsigned pick(unsigned n) { return (unsigned)(splitmix64(&va_seed) % n); }

static struct picture picture_make(const struct kind *kind, unsigned width, unsigned height)
{
	const struct shape *s = shape_of(kind->fourcc);
	struct picture p = {kind, s, width, height, surface_make(s, width, height), picture_random(s, width, height)};
	surface_write(p.id, s, width, height, p.bytes);
	return p;
}

static void picture_free(struct picture *p)
{
	VA_OK(vaDestroySurfaces(va, &p->id, 1));
	free(p->bytes);
}

static unsigned shift_x(const struct kind *k, unsigned c) { return c == 1 || c == 2 ? k->shift_x : 0; }
static unsigned shift_y(const struct kind *k, unsigned c) { return c == 1 || c == 2 ? k->shift_y : 0; }

/* Code of a component's sample. */
static double sample(const struct picture *p, const uint8_t *bytes, unsigned c, unsigned x, unsigned y)
{
	const struct part *k = &p->kind->part[c];
	for (unsigned i = 0; i < k->plane; i++)
		bytes += (size_t)shape_row(p->shape, i, p->width) * shape_rows(p->shape, i, p->height);
	bytes += (size_t)y * shape_row(p->shape, k->plane, p->width) + (size_t)x * k->step + k->offset;
	return p->kind->bits == 8 ? *bytes : (bytes[0] | bytes[1] << 8) >> 6;
}

/* ---- the model ---- */
static double clamped(double v, double top) { return v < 0 ? 0 : v > top ? top : v; }

static double kernel(unsigned which, double d)
{
	d = fabs(d);
	if (which == VA_FILTER_SCALING_FAST)
		return d < 1 ? 1 - d : 0;
	/* cubic convolution, a = -0.6 */
	return d < 1 ? 1.4 * d * d * d - 2.4 * d * d + 1 : d < 2 ? -0.6 * (d * d * d - 5 * d * d + 8 * d - 4) : 0;
}

/* Weights of samples first to first + count of n, where position at is between them. */
static void along(unsigned which, double at, double ratio, int n, double *weights)
{
	const double wide = ratio > 1 ? ratio : 1, reach = (which == VA_FILTER_SCALING_FAST ? 1 : 2) * wide;
	const double start = (at + 0.5) * (floor(ratio * 65536 + 0.5) / 65536) / ratio - 0.5 - (ceil(2 * reach) - 1) / 2;
	const bool left_out = start > -1 && start < 0; /* sample -1, as swscale has it */
	double sum = 0;
	memset(weights, 0, (size_t)n * sizeof *weights);
	for (int i = (int)floor(at - reach); i <= ceil(at + reach); i++) {
		const double w = i == -1 && left_out ? 0 : kernel(which, (i - at) / wide);
		weights[i < 0 ? 0 : i >= n ? n - 1 : i] += w;
		sum += w;
	}
	for (int i = 0; i < n; i++)
		weights[i] /= sum;
}

/* A component at the centre of pixel block (x, y) of the destination: 2^sx by 2^sy pixels. */
static double scaled(const struct picture *src, const struct rectangle *from, const struct rectangle *to, unsigned c, unsigned which, bool below, unsigned x, unsigned y,
		     unsigned sx, unsigned sy)
{
	static double wx[512], wy[512];
	const unsigned cx = shift_x(src->kind, c), cy = shift_y(src->kind, c);
	const double px = ((((double)(x << sx) + (1 << sx) / 2.0) - to->x) * from->width / to->width) / (1 << cx) - 0.5;
	const double py = ((((double)(y << sy) + (1 << sy) / 2.0) - to->y) * from->height / to->height) / (1 << cy) - 0.5;
	const int nx = (from->width + (1 << cx) - 1) >> cx, ny = (from->height + (1 << cy) - 1) >> cy;
	along(which, px, (double)from->width / to->width * (1 << sx) / (1 << cx), nx, wx);
	along(which, py, (double)from->height / to->height * (1 << sy) / (1 << cy), ny, wy);
	/* each step clamps; but a picture of 8 bits whose colours stay as they are is not clamped below its range between the two directions */
	const double most = 65535.0 / (1 << (16 - src->kind->bits));
	double sum = 0;
	for (int j = 0; j < ny; j++) {
		double row = 0;
		for (int i = 0; wy[j] != 0 && i < nx; i++)
			if (wx[i] != 0)
				row += wx[i] * sample(src, src->bytes, c, (unsigned)((from->x >> cx) + i), (unsigned)((from->y >> cy) + j));
		sum += wy[j] * (below && row < 0 ? row : clamped(row, most));
	}
	return clamped(sum, most);
}

struct meaning { double r, b; bool full; };

static void to_rgb(const struct kind *k, const struct meaning *m, const double in[3], double out[3])
{
	const double top = (1 << k->bits) - 1, one = 1 << (k->bits - 8);
	if (k->rgb) {
		for (unsigned i = 0; i < 3; i++)
			out[i] = in[i] / top;
		return;
	}
	const double y = m->full ? in[0] / top : (in[0] - 16 * one) / (219 * one), u = (in[1] - 128 * one) / (m->full ? top : 224 * one),
		     v = (in[2] - 128 * one) / (m->full ? top : 224 * one), g = 1 - m->r - m->b;
	out[0] = y + 2 * (1 - m->r) * v;
	out[2] = y + 2 * (1 - m->b) * u;
	out[1] = (y - m->r * out[0] - m->b * out[2]) / g;
}

static void from_rgb(const struct kind *k, const struct meaning *m, const double in[3], double out[3])
{
	const double top = (1 << k->bits) - 1, one = 1 << (k->bits - 8), y = m->r * in[0] + (1 - m->r - m->b) * in[1] + m->b * in[2];
	if (k->rgb) {
		for (unsigned i = 0; i < 3; i++)
			out[i] = in[i] * top;
		return;
	}
	out[0] = m->full ? y * top : y * 219 * one + 16 * one;
	out[1] = (in[2] - y) / (2 * (1 - m->b)) * (m->full ? top : 224 * one) + 128 * one;
	out[2] = (in[0] - y) / (2 * (1 - m->r)) * (m->full ? top : 224 * one) + 128 * one;
}

/* ---- a random case ---- */
struct trial {
	struct picture src, dst;
	struct rectangle from, to;
	unsigned kernel;
	struct meaning in, out;
	bool converts, blends, by_source;
	double alpha;
};

/* Component c of block (x, y) of the destination, from one that was there. */
static double expected(const struct trial *t, unsigned c, unsigned x, unsigned y)
{
	const struct kind *s = t->src.kind, *d = t->dst.kind;
	const unsigned sx = shift_x(d, c), sy = shift_y(d, c);
	const double top = (1 << d->bits) - 1, scale = d->bits > s->bits ? 4 : d->bits < s->bits ? 0.25 : 1;
	const bool below = !t->converts && s->bits == 8 && t->kernel == VA_FILTER_SCALING_HQ && c != 3;
	double a = t->alpha, v;
	if (t->by_source)
		a *= clamped(scaled(&t->src, &t->from, &t->to, 3, t->kernel, false, x, y, sx, sy), 255) / 255;
	if (c == 3) {
		v = s->alpha && !t->blends ? scaled(&t->src, &t->from, &t->to, 3, t->kernel, false, x, y, sx, sy) : 256;
	} else if (!t->converts) {
		v = scaled(&t->src, &t->from, &t->to, c, t->kernel, below, x, y, sx, sy) * scale;
	} else {
		double in[3], rgb[3], out[3];
		for (unsigned i = 0; i < 3; i++)
			in[i] = scaled(&t->src, &t->from, &t->to, i, t->kernel, false, x, y, sx, sy);
		to_rgb(s, &t->in, in, rgb);
		from_rgb(d, &t->out, rgb, out);
		v = out[c];
	}
	v = clamped(v, 65535.0 / (1 << (16 - d->bits)));
	return clamped(t->blends ? v * a + sample(&t->dst, t->dst.bytes, c, x, y) * (1 - a) : v, top);
}

static bool inside(const struct rectangle *r, unsigned x, unsigned y, unsigned sx, unsigned sy)
{
	const int px = (int)(x << sx), py = (int)(y << sy);
	return px >= r->x && px + (1 << sx) <= r->x + r->width + (1 << sx) - 1 && py >= r->y && py + (1 << sy) <= r->y + r->height + (1 << sy) - 1 &&
	       px < r->x + r->width && py < r->y + r->height;
}

static void compare(const struct trial *t, const uint8_t *got)
{
	const struct kind *d = t->dst.kind;
	const double bound = d->bits == 8 ? 1.01 : 3;
	for (unsigned c = 0; c < 4; c++) {
		const unsigned sx = shift_x(d, c), sy = shift_y(d, c);
		if (!d->part[c].step)
			continue;
		for (unsigned y = 0; y < (t->dst.height + (1 << sy) - 1) >> sy; y++)
			for (unsigned x = 0; x < (t->dst.width + (1 << sx) - 1) >> sx; x++) {
				const bool in = inside(&t->to, x, y, sx, sy);
				const double v = in ? expected(t, c, x, y) : sample(&t->dst, t->dst.bytes, c, x, y), is = sample(&t->dst, got, c, x, y);
				if (fabs(v - is) > (in ? bound : 0))
					fail_msg("component %u of %.4s at (%u, %u) is %g, not %g: %.4s %dx%d+%d+%d to %dx%d+%d+%d, kernel 0x%x, blend %d %d %g", c,
						 (const char *)&d->fourcc, x, y, is, v, (const char *)&t->src.kind->fourcc, t->from.width, t->from.height, t->from.x, t->from.y,
						 t->to.width, t->to.height, t->to.x, t->to.y, t->kernel, t->blends, t->by_source, t->alpha);
			}
	}
}

static VAContextID context;
static VAConfigID config;

static void process(const struct trial *t, VAProcPipelineParameterBuffer *p)
{
	VABufferID buffer;
	VA_OK(vaBeginPicture(va, context, t->dst.id));
	VA_OK(vaCreateBuffer(va, context, VAProcPipelineParameterBufferType, sizeof *p, 1, p, &buffer));
	VA_OK(vaRenderPicture(va, context, &buffer, 1));
	VA_OK(vaDestroyBuffer(va, buffer));
	VA_OK(vaEndPicture(va, context));
	VA_OK(vaSyncSurface(va, t->dst.id));
}

static struct rectangle part_of(const struct picture *p, bool all)
{
	struct rectangle r = {0, 0, (int)p->width, (int)p->height};
	if (all)
		return r;
	r.x = (int)pick(p->width / 4) & ~1;
	r.y = (int)pick(p->height / 4) & ~1;
	r.width = (int)(p->width / 2 + pick(p->width / 4)) & ~1;
	r.height = (int)(p->height / 2 + pick(p->height / 4)) & ~1;
	return r;
}

static VARectangle va_rectangle(const struct rectangle *r)
{
	return (VARectangle){(int16_t)r->x, (int16_t)r->y, (uint16_t)r->width, (uint16_t)r->height};
}

static struct meaning meaning_of(bool hd, bool full) { return hd ? (struct meaning){0.2126, 0.0722, full} : (struct meaning){0.299, 0.114, full}; }

static void trial_run(const struct kind *s, const struct kind *d, unsigned number)
{
	struct trial t = {.src = picture_make(s, 16 + 2 * pick(32), 16 + 2 * pick(32)), .dst = picture_make(d, 16 + 2 * pick(32), 16 + 2 * pick(32)), .alpha = 1};
	const bool hd[2] = {pick(2), pick(2)}, full[2] = {pick(2), pick(2)};
	VABlendState blend = {.flags = VA_BLEND_GLOBAL_ALPHA, .global_alpha = (float)pick(256) / 255};
	t.from = part_of(&t.src, number % 2);
	t.to = part_of(&t.dst, number % 3);
	t.kernel = number & 4 ? VA_FILTER_SCALING_HQ : VA_FILTER_SCALING_FAST;
	/* what becomes smaller than that does so in steps */
	const int most = number & 4 ? 4 : 8;
	while (t.from.width > most * t.to.width >> (d->shift_x > s->shift_x))
		t.from.width = t.from.width / 4 * 2;
	while (t.from.height > most * t.to.height >> (d->shift_y > s->shift_y))
		t.from.height = t.from.height / 4 * 2;
	t.in = meaning_of(hd[0], full[0]);
	t.out = meaning_of(hd[1], full[1]);
	t.converts = s->rgb != d->rgb || (!s->rgb && (hd[0] != hd[1] || full[0] != full[1])) || (full[0] && s->bits != d->bits);
	t.blends = number & 8;
	t.by_source = !t.blends && s->alpha;
	t.alpha = t.blends ? (double)blend.global_alpha : 1;
	t.blends |= t.by_source;
	const VARectangle from = va_rectangle(&t.from), to = va_rectangle(&t.to);
	VAProcPipelineParameterBuffer p = {.surface = t.src.id, .surface_region = &from, .output_region = &to, .filter_flags = t.kernel,
					   .surface_color_standard = hd[0] ? VAProcColorStandardBT709 : VAProcColorStandardBT601,
					   .output_color_standard = hd[1] ? VAProcColorStandardBT709 : VAProcColorStandardBT601,
					   .blend_state = number & 8 ? &blend : NULL};
	p.input_color_properties.color_range = full[0] && !s->rgb ? VA_SOURCE_RANGE_FULL : s->rgb ? VA_SOURCE_RANGE_UNKNOWN : VA_SOURCE_RANGE_REDUCED;
	p.output_color_properties.color_range = full[1] && !d->rgb ? VA_SOURCE_RANGE_FULL : d->rgb ? VA_SOURCE_RANGE_UNKNOWN : VA_SOURCE_RANGE_REDUCED;
	process(&t, &p);
	uint8_t *got = surface_read(t.dst.id, t.dst.shape, t.dst.width, t.dst.height);
	compare(&t, got);
	free(got);
	picture_free(&t.src);
	picture_free(&t.dst);
}

static void trials(void **state)
{
	const unsigned rounds = check_long() ? 40 : 1;
	unsigned number = 0;
	(void)state;
	for (unsigned r = 0; r < rounds; r++)
		for (unsigned s = 0; s < KINDS; s++)
			for (unsigned d = 0; d < KINDS; d++)
				trial_run(&kinds[s], &kinds[d], number++);
}

/* A ramp stays one, however much smaller it becomes. */
static void steps(void **state)
{
	const struct kind *k = &kinds[3];
	struct trial t = {.src = picture_make(k, 512, 256), .dst = picture_make(k, 16, 8)};
	(void)state;
	for (unsigned p = 0; p < 3; p++)
		for (unsigned y = 0; y < 256; y++)
			for (unsigned x = 0; x < 512; x++)
				t.src.bytes[(p * 256 + y) * 512 + x] = (uint8_t)(p == 0 ? x / 2 : p == 1 ? y : 255 - x / 2);
	surface_write(t.src.id, t.src.shape, 512, 256, t.src.bytes);
	for (unsigned hq = 0; hq < 2; hq++) {
		process(&t, &(VAProcPipelineParameterBuffer){.surface = t.src.id, .filter_flags = hq ? VA_FILTER_SCALING_HQ : VA_FILTER_SCALING_FAST});
		uint8_t *got = surface_read(t.dst.id, t.dst.shape, 16, 8);
		for (unsigned y = 2; y < 6; y++)
			for (unsigned x = 2; x < 14; x++) {
				assert_in_range(got[y * 16 + x] + 1, (32 * x + 15) / 2, (32 * x + 15) / 2 + 2);
				assert_in_range(got[128 + y * 16 + x] + 1, 32 * y + 15, 32 * y + 17);
				assert_in_range(got[256 + y * 16 + x] + 1, 255 - (32 * x + 16) / 2, 255 - (32 * x + 14) / 2 + 2);
			}
		free(got);
	}
	picture_free(&t.src);
	picture_free(&t.dst);
}

/* What the rectangle leaves out takes the background's colour, of the first surface alone; several surfaces make one picture. */
static void backgrounds(void **state)
{
	struct trial t = {.src = picture_make(&kinds[0], 16, 16), .dst = picture_make(&kinds[0], 64, 32)};
	const VARectangle places[2] = {{4, 4, 16, 16}, {40, 8, 16, 16}};
	VAProcPipelineParameterBuffer p[2] = {{.surface = t.src.id, .output_region = &places[0], .output_background_color = 0xffff0000},
					      {.surface = t.src.id, .output_region = &places[1], .output_background_color = 0xff00ff00}};
	VABufferID buffers[2];
	(void)state;
	VA_OK(vaBeginPicture(va, context, t.dst.id));
	for (unsigned i = 0; i < 2; i++)
		VA_OK(vaCreateBuffer(va, context, VAProcPipelineParameterBufferType, sizeof *p, 1, &p[i], &buffers[i]));
	VA_OK(vaRenderPicture(va, context, buffers, 2));
	VA_OK(vaEndPicture(va, context));
	uint8_t *got = surface_read(t.dst.id, t.dst.shape, 64, 32);
	for (unsigned y = 0; y < 32; y++)
		for (unsigned x = 0; x < 64; x++) {
			const bool one = x >= 4 && x < 20 && y >= 4 && y < 20, two = x >= 40 && x < 56 && y >= 8 && y < 24;
			const unsigned sx = one ? x - 4 : x - 40, sy = one ? y - 4 : y - 8;
			assert_int_equal(got[y * 64 + x], one || two ? t.src.bytes[sy * 16 + sx] : 81); /* red, by BT.601 */
			assert_int_equal(got[64 * 32 + y / 2 * 64 + x], one || two ? t.src.bytes[16 * 16 + sy / 2 * 16 + sx] : x % 2 ? 240 : 90);
		}
	/* half of it, and the rectangle's own pixels; without alpha nothing is behind it */
	p[0].output_background_color = 0x80ffffff;
	uint8_t *zero = calloc(1, picture_bytes(t.dst.shape, 64, 32));
	surface_write(t.dst.id, t.dst.shape, 64, 32, zero);
	process(&t, &p[0]);
	uint8_t *half = surface_read(t.dst.id, t.dst.shape, 64, 32);
	assert_in_range(half[0], 117, 119); /* of 235 */
	assert_int_equal(half[5 * 64 + 5], t.src.bytes[17]);
	p[0].output_background_color = 0x00ffffff;
	surface_write(t.dst.id, t.dst.shape, 64, 32, zero);
	process(&t, &p[0]);
	uint8_t *none = surface_read(t.dst.id, t.dst.shape, 64, 32);
	assert_int_equal(none[0], 0);
	assert_int_equal(none[5 * 64 + 5], t.src.bytes[17]);
	for (unsigned i = 0; i < 2; i++)
		VA_OK(vaDestroyBuffer(va, buffers[i]));
	free(got), free(half), free(none), free(zero);
	picture_free(&t.src);
	picture_free(&t.dst);
}

/* A rectangle that begins before the target and ends behind it; at odd places. */
static void clipped(void **state)
{
	struct trial t = {.src = picture_make(&kinds[0], 32, 32), .dst = picture_make(&kinds[0], 33, 21)};
	(void)state;
	for (int at = -9; at < 3; at += 2) {
		const VARectangle place = {(int16_t)at, (int16_t)(at + 1), 32, 32};
		surface_write(t.dst.id, t.dst.shape, 33, 21, t.dst.bytes);
		process(&t, &(VAProcPipelineParameterBuffer){.surface = t.src.id, .output_region = &place});
		uint8_t *got = surface_read(t.dst.id, t.dst.shape, 33, 21);
		for (int y = 0; y < 21; y++)
			for (int x = 0; x < 33; x++) {
				const bool in = x >= at && x < at + 32 && y >= at + 1 && y < at + 33;
				assert_int_equal(got[y * 33 + x], in ? t.src.bytes[(y - at - 1) * 32 + x - at] : t.dst.bytes[y * 33 + x]);
			}
		free(got);
	}
	picture_free(&t.src);
	picture_free(&t.dst);
}

static int setup(void **state)
{
	va_test_setup(state);
	VA_OK(vaCreateConfig(va, VAProfileNone, VAEntrypointVideoProc, NULL, 0, &config));
	VA_OK(vaCreateContext(va, config, 64, 64, VA_PROGRESSIVE, NULL, 0, &context));
	return 0;
}

static int teardown(void **state)
{
	VA_OK(vaDestroyContext(va, context));
	VA_OK(vaDestroyConfig(va, config));
	return va_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(trials), cmocka_unit_test(steps), cmocka_unit_test(backgrounds), cmocka_unit_test(clipped)};
	va_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
