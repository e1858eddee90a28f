/* Every image builtin of every kind, format, sampler and way to read or write, compiled for the
 * device's instruction set and run by images_calc under qemu-riscv64, against the rules of OpenCL C
 * 3.0 (8.2 filters, 8.3 conversions) written down here in the plainest way. Nearest reads and
 * writes must be exact, linear filters within 2^-20 of the largest texel value.
 * Usage: images [SEED [ROUNDS]]. */
#include "testbench/random.h"
#include "testbench/builtins/images_calc.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <CL/cl.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
static uint64_t seed;
static uint64_t random_bits(void) { return splitmix64(&seed); }
static uint32_t below(uint32_t n) { return (uint32_t)(random_bits() >> 32) % n; }

/* ---- formats ---- */
enum class { NORM, FLOATS, SIGNED, UNSIGNED };
/* bits: of one channel; 0 for packed types. */
static const struct channel_type { cl_channel_type type; enum class class; int bits; bool is_signed; } channel_types[] = {
	{ CL_UNORM_INT8, NORM, 8, false }, { CL_UNORM_INT16, NORM, 16, false }, { CL_SNORM_INT8, NORM, 8, true },
	{ CL_SNORM_INT16, NORM, 16, true }, { CL_SIGNED_INT8, SIGNED, 8, true }, { CL_SIGNED_INT16, SIGNED, 16, true },
	{ CL_SIGNED_INT32, SIGNED, 32, true }, { CL_UNSIGNED_INT8, UNSIGNED, 8, false },
	{ CL_UNSIGNED_INT16, UNSIGNED, 16, false }, { CL_UNSIGNED_INT32, UNSIGNED, 32, false },
	{ CL_HALF_FLOAT, FLOATS, 16, true }, { CL_FLOAT, FLOATS, 32, true }, { CL_UNORM_SHORT_565, NORM, 0, false },
	{ CL_UNORM_SHORT_555, NORM, 0, false }, { CL_UNORM_INT_101010, NORM, 0, false },
};
/* lanes: for each channel in memory the colour component it holds; border: alpha of the border. */
static const struct order { cl_channel_order order; const char *lanes; int border; } orders[] = {
	{ CL_R, "r", 1 }, { CL_A, "a", 0 }, { CL_RG, "rg", 1 }, { CL_RA, "ra", 0 }, { CL_RGBA, "rgba", 0 },
	{ CL_BGRA, "bgra", 0 }, { CL_ARGB, "argb", 0 }, { CL_ABGR, "abgr", 0 }, { CL_INTENSITY, "i", 0 },
	{ CL_LUMINANCE, "l", 1 }, { CL_Rx, "r", 0 }, { CL_RGx, "rg", 0 }, { CL_DEPTH, "r", 0 }, { CL_RGB, "rgb", 1 },
	{ CL_RGBx, "rgb", 0 },
};
static int lane_of(char c) { return c == 'r' || c == 'i' || c == 'l' ? 0 : c == 'g' ? 1 : c == 'b' ? 2 : 3; }

static const struct packed { cl_channel_type type; int bytes, at[3], bits[3]; } packed_types[] = {
	{ CL_UNORM_SHORT_565, 2, { 11, 5, 0 }, { 5, 6, 5 } },
	{ CL_UNORM_SHORT_555, 2, { 10, 5, 0 }, { 5, 5, 5 } },
	{ CL_UNORM_INT_101010, 4, { 20, 10, 0 }, { 10, 10, 10 } },
};

union colour { float f[4]; int32_t i[4]; uint32_t u[4]; };

static float half_to_float(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 1023;
	float v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf((float)(m + 1024), e - 25) : ldexpf((float)m, -24);
	return h & 0x8000 ? -v : v;
}
static uint16_t float_to_half(float f)
{
	uint16_t sign = signbit(f) ? 0x8000 : 0;
	double a = fabs((double)f);
	if (isnan(f))
		return 0x7e00;
	if (a >= 65520)
		return sign | 0x7c00;
	int e = a < 0x1p-14 ? -14 : ilogb(a);
	unsigned m = (unsigned)nearbyint(ldexp(a, 10 - e)); /* 1024..2048, less for subnormals */
	return (uint16_t)(sign | (m + (unsigned)((e + 14) << 10)));
}

static void decode(const struct order *o, const struct channel_type *t, const unsigned char *p, union colour *c)
{
	memset(c, 0, sizeof *c);
	if (t->class == NORM || t->class == FLOATS)
		c->f[3] = 1;
	else
		c->i[3] = 1;
	for (size_t k = 0; k < COUNT(packed_types); k++) {
		uint32_t v = 0;
		if (packed_types[k].type != t->type)
			continue;
		memcpy(&v, p, (size_t)packed_types[k].bytes);
		for (int j = 0; j < 3; j++) {
			uint32_t max = (1u << packed_types[k].bits[j]) - 1;
			c->f[j] = (float)(v >> packed_types[k].at[j] & max) / (float)max;
		}
		return;
	}
	if (o->lanes[0] == 'a')
		memset(c, 0, sizeof *c);
	for (int k = 0; o->lanes[k]; k++) {
		uint32_t raw = 0, v;
		memcpy(&raw, p + k * t->bits / 8, (size_t)t->bits / 8);
		int32_t s = (int32_t)(raw << (32 - t->bits)) >> (32 - t->bits);
		float f = 0;
		if (t->class == NORM)
			f = t->is_signed ? fmaxf(-1, (float)s / (float)((1 << (t->bits - 1)) - 1)) : (float)raw / (float)((1u << t->bits) - 1);
		else if (t->type == CL_HALF_FLOAT)
			f = half_to_float((uint16_t)raw);
		else
			memcpy(&f, &raw, 4);
		if (t->class == SIGNED || t->class == UNSIGNED)
			v = t->is_signed ? (uint32_t)s : raw;
		else
			memcpy(&v, &f, 4);
		if (o->lanes[k] == 'i')
			c->u[0] = c->u[1] = c->u[2] = c->u[3] = v;
		else if (o->lanes[k] == 'l')
			c->u[0] = c->u[1] = c->u[2] = v;
		else
			c->u[lane_of(o->lanes[k])] = v;
	}
}

static double round_to(double v, double lo, double hi)
{
	return isnan(v) ? 0 : v < lo ? lo : v > hi ? hi : nearbyint(v);
}

static void encode(const struct order *o, const struct channel_type *t, const union colour *c, unsigned char *p)
{
	for (size_t k = 0; k < COUNT(packed_types); k++) {
		uint32_t v = 0;
		if (packed_types[k].type != t->type)
			continue;
		for (int j = 0; j < 3; j++) {
			uint32_t max = (1u << packed_types[k].bits[j]) - 1;
			v |= (uint32_t)round_to((double)(c->f[j] * (float)max), 0, max) << packed_types[k].at[j];
		}
		memcpy(p, &v, (size_t)packed_types[k].bytes);
		return;
	}
	for (int k = 0; o->lanes[k]; k++) {
		int lane = lane_of(o->lanes[k]);
		uint32_t v = c->u[lane];
		int64_t max = t->is_signed ? (1ll << (t->bits - 1)) - 1 : (1ll << t->bits) - 1, min = t->is_signed ? -max - 1 : 0;
		if (t->class == NORM)
			v = (uint32_t)(int32_t)round_to((double)(c->f[lane] * (float)max), (double)min, (double)max);
		else if (t->type == CL_HALF_FLOAT)
			v = float_to_half(c->f[lane]);
		else if (t->class == SIGNED)
			v = (uint32_t)(c->i[lane] < min ? min : c->i[lane] > max ? max : c->i[lane]);
		else if (t->class == UNSIGNED)
			v = (uint32_t)(c->u[lane] > max ? max : c->u[lane]);
		memcpy(p + k * t->bits / 8, &v, (size_t)t->bits / 8);
	}
}

/* ---- addressing ---- */
enum kind { K1D, K1DA, K2D, K2DA, K3D };
enum mode { NONE, EDGE, CLAMP, REPEAT, MIRROR };
struct image {
	struct image_desc d;
	const struct order *order;
	const struct channel_type *type;
	enum kind kind;
	unsigned char *data;
};

static const unsigned char *texel(const struct image *im, int x, int y, int z)
{
	return im->data + im->d.base + (uint64_t)x * im->d.element_size + (uint64_t)y * im->d.row_pitch + (uint64_t)z * im->d.slice_pitch;
}
static int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

/* The texel at integer coordinates; outside of the image the border colour. */
static void texel_or_border(const struct image *im, int x, int y, int z, union colour *c)
{
	const struct image_desc *d = &im->d;
	int depth = (int)(im->kind == K3D ? d->depth : d->array_size);
	if (x >= 0 && y >= 0 && z >= 0 && x < (int)d->width && y < (int)d->height && z < depth) {
		decode(im->order, im->type, texel(im, x, y, z), c);
		return;
	}
	memset(c, 0, sizeof *c);
	if (im->order->border && (im->type->class == NORM || im->type->class == FLOATS))
		c->f[3] = 1;
	else if (im->order->border)
		c->i[3] = 1;
}

/* 8.2.1: the texel for a coordinate, CLAMP leaving it at most one outside. */
static int nearest(enum mode mode, bool normalized, float s, int size)
{
	if (mode == REPEAT) {
		int i = (int)floorf((s - floorf(s)) * (float)size);
		return i > size - 1 ? i - size : i;
	}
	if (mode == MIRROR) {
		float m = fabsf(s - 2.0f * rintf(0.5f * s));
		return clamp((int)floorf(m * (float)size), 0, size - 1);
	}
	float u = floorf(normalized ? s * (float)size : s);
	int i = u < -1 ? -1 : u > (float)size ? size : (int)u;
	return mode == CLAMP ? i : clamp(i, 0, size - 1);
}

struct taps { int i[2]; double w[2]; };
static struct taps linear(enum mode mode, bool normalized, float s, int size)
{
	struct taps t;
	float u = mode == REPEAT ? s - floorf(s) : mode == MIRROR ? fabsf(s - 2.0f * rintf(0.5f * s)) : s;
	u = (normalized ? u * (float)size : u) - 0.5f;
	float f = floorf(u);
	int i = f < -2 ? -2 : f > (float)size + 1 ? size + 1 : (int)f;
	t.w[1] = (double)(u - f);
	t.w[0] = 1 - t.w[1];
	for (int k = 0; k < 2; k++) {
		t.i[k] = i + k;
		if (mode == REPEAT)
			t.i[k] = (t.i[k] + size) % size;
		else
			t.i[k] = mode == CLAMP ? clamp(t.i[k], -1, size) : clamp(t.i[k], 0, size - 1);
	}
	return t;
}

/* Coordinates of a kind as (x, y, z): a layer travels as z. */
static void spread(enum kind kind, const float in[4], float out[3])
{
	out[0] = in[0];
	out[1] = kind == K1D || kind == K1DA ? 0 : in[1];
	out[2] = kind == K1DA ? in[1] : kind == K2DA || kind == K3D ? in[2] : 0;
}

/* What a read returns; linear: *scale is the largest magnitude among the texels. */
static void read_reference(const struct image *im, enum image_how how, uint64_t sampler, const int32_t ci[4], const float cf[4],
			   union colour *c, double *scale)
{
	const struct image_desc *d = &im->d;
	enum mode mode = how == READ_BARE || how == READ_RW ? EDGE : (enum mode)(sampler >> 1 & 7);
	bool normalized = sampler & 1, is_array = im->kind == K1DA || im->kind == K2DA;
	mode = mode == NONE ? CLAMP : mode; /* undefined outside: the device takes the border, as PoCL does */
	int layers = (int)d->array_size;
	float v[3];
	*scale = 0;
	if (how != READ_FLOAT) {
		float as_float[4] = { (float)ci[0], (float)ci[1], (float)ci[2], 0 };
		spread(im->kind, as_float, v);
		int x = (int)v[0], y = (int)v[1], z = (int)v[2];
		if (is_array)
			z = clamp(z, 0, layers - 1);
		if (mode != CLAMP) {
			x = clamp(x, 0, (int)d->width - 1);
			y = clamp(y, 0, (int)d->height - 1);
			z = clamp(z, 0, is_array ? layers - 1 : (int)d->depth - 1);
		}
		texel_or_border(im, x, y, z, c);
		return;
	}
	spread(im->kind, cf, v);
	int layer = is_array ? clamp((int)rintf(v[2]), 0, layers - 1) : 0;
	bool has_y = im->kind >= K2D, has_z = im->kind == K3D;
	if (!(sampler & 0x20) || im->type->class == SIGNED || im->type->class == UNSIGNED) {
		texel_or_border(im, nearest(mode, normalized, v[0], (int)d->width), has_y ? nearest(mode, normalized, v[1], (int)d->height) : 0,
				has_z ? nearest(mode, normalized, v[2], (int)d->depth) : layer, c);
		return;
	}
	struct taps x = linear(mode, normalized, v[0], (int)d->width), one = { { 0, 0 }, { 1, 0 } };
	struct taps y = has_y ? linear(mode, normalized, v[1], (int)d->height) : one;
	struct taps z = has_z ? linear(mode, normalized, v[2], (int)d->depth) : one;
	double sum[4] = { 0 };
	for (int k = 0; k < 8; k++) {
		union colour t;
		double w = x.w[k & 1] * y.w[k >> 1 & 1] * z.w[k >> 2];
		if ((!has_y && k & 2) || (!has_z && k & 4))
			continue;
		texel_or_border(im, x.i[k & 1], y.i[k >> 1 & 1], has_z ? z.i[k >> 2] : layer, &t);
		for (int j = 0; j < 4; j++) {
			sum[j] += w * (double)t.f[j];
			*scale = fmax(*scale, fabs((double)t.f[j]));
		}
	}
	for (int j = 0; j < 4; j++)
		c->f[j] = (float)sum[j];
}

/* ---- the calculator ---- */
static int to_calc, from_calc;
static void calc_start(void)
{
	int in[2], out[2];
	const char *build = getenv("GALENA_BUILD");
	char path[4096];
	snprintf(path, sizeof path, "%s/test/builtins/images_calc", build ? build : "build");
	if (pipe(in) || pipe(out)) {
		perror("images: pipe");
		exit(2);
	}
	if (fork() == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]), close(in[1]), close(out[0]), close(out[1]);
		execlp("qemu-riscv64", "qemu-riscv64", "-cpu", "rv64,zba=true,Zfhmin=true", path, (char *)NULL);
		perror("images: qemu-riscv64 (Debian package qemu-user)");
		_exit(127);
	}
	close(in[0]), close(out[1]);
	to_calc = in[1], from_calc = out[0];
}
static void transfer(bool writes, void *data, size_t size)
{
	for (char *p = data; size;) {
		ssize_t n = writes ? write(to_calc, p, size) : read(from_calc, p, size);
		if (n <= 0) {
			fprintf(stderr, "images: the calculator died\n");
			exit(2);
		}
		p += n, size -= (size_t)n;
	}
}

/* ---- cases ---- */
static _Alignas(8) unsigned char data[IMAGE_BYTES], expect[IMAGE_BYTES];
static int32_t ci[IMAGE_CALLS][4];
static float cf[IMAGE_CALLS][4];
static union colour colours[IMAGE_CALLS], results[IMAGE_CALLS];

static bool same(const union colour *a, const union colour *b, bool floats, double scale)
{
	for (int j = 0; j < 4; j++) {
		if (a->u[j] == b->u[j] || (floats && isnan(a->f[j]) && isnan(b->f[j])))
			continue;
		if (floats && a->f[j] == 0 && b->f[j] == 0)
			continue;
		if (!floats || !(fabs((double)a->f[j] - (double)b->f[j]) <= scale * 0x1p-20))
			return false;
	}
	return true;
}

/* Which orders a type may have (5.3.1.1), as far as memory layout goes: packed types are RGB. */
static bool format_exists(const struct order *o, const struct channel_type *t)
{
	bool rgb = o->order == CL_RGB || o->order == CL_RGBx;
	if (rgb != (t->bits == 0))
		return false;
	if (o->order == CL_INTENSITY || o->order == CL_LUMINANCE)
		return t->class == NORM || t->class == FLOATS;
	if (o->order == CL_DEPTH)
		return t->type == CL_UNORM_INT16 || t->type == CL_FLOAT;
	return true;
}

static size_t make_image(struct image *im)
{
	struct image_desc *d = &im->d;
	memset(d, 0, sizeof *d);
	d->width = 1 + below(13);
	d->height = im->kind >= K2D ? 1 + below(11) : 1;
	d->depth = im->kind == K3D ? 1 + below(5) : 1;
	d->array_size = im->kind == K1DA || im->kind == K2DA ? 1 + below(5) : 1;
	d->channel_order = im->order->order;
	d->channel_type = im->type->type;
	d->channels = (uint32_t)strlen(im->order->lanes);
	d->element_size = im->type->bits ? d->channels * (uint32_t)im->type->bits / 8 : im->type->type == CL_UNORM_INT_101010 ? 4 : 2;
	d->row_pitch = (d->width + below(3)) * d->element_size;
	d->slice_pitch = d->row_pitch * (d->height + below(2));
	d->base = 8 * below(4);
	size_t size = d->base + d->slice_pitch * d->depth * d->array_size;
	for (size_t i = 0; i < size; i++)
		data[i] = (unsigned char)random_bits();
	if (im->type->class == FLOATS) /* finite and of one scale, so that sums can be compared */
		for (size_t i = 0; i * (size_t)im->type->bits / 8 + 3 < size; i++) {
			float f = (float)(int32_t)below(2000) * 0.01f - 10;
			uint16_t h = float_to_half(f);
			memcpy(data + i * (size_t)im->type->bits / 8, im->type->bits == 16 ? (void *)&h : &f, (size_t)im->type->bits / 8);
		}
	im->data = data;
	return size;
}

static float random_coordinate(bool normalized, uint32_t size)
{
	float u = (float)(below(1 << 20)) * 0x1p-20f;
	float v = (u * 3 - 1) * (normalized ? 1.0f : (float)size); /* a third before, inside, a third behind */
	switch (below(8)) {
	case 3: /* just before a texel's edge: what rounds up must still land inside */
		return normalized ? -0x1p-30f * (float)(1 + below(3)) : nextafterf(floorf(v), -1);
	case 0:
		return floorf(v);
	case 1:
		return floorf(v) + 0.5f;
	case 2:
		return normalized ? (float)((int)below(3 * size) - (int)size) / (float)size : v;
	default:
		return v;
	}
}

static bool run_case(enum kind kind, const struct order *o, const struct channel_type *t, enum image_how how, uint64_t sampler, size_t count)
{
	struct image im = { .order = o, .type = t, .kind = kind };
	size_t size = make_image(&im);
	uint32_t type = t->class == SIGNED ? 1 : t->class == UNSIGNED ? 2 : 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t sizes[3] = { im.d.width, kind == K1DA ? im.d.array_size : im.d.height, kind == K3D ? im.d.depth : im.d.array_size };
		for (int k = 0; k < 3; k++) {
			bool layer = (kind == K1DA && k == 1) || (kind == K2DA && k == 2);
			ci[i][k] = (int32_t)below(sizes[k] + 4) - 2;
			if (below(40) == 0)
				ci[i][k] = (int32_t)random_bits();
			cf[i][k] = random_coordinate(sampler & 1 && !layer, sizes[k]);
			float f = (float)(int32_t)below(3000) * 0.001f - 1;
			if (below(20) == 0)
				f = 65504.0f + (float)below(40); /* where half overflows */
			if (type == 0)
				colours[i].f[k] = below(10) ? f : below(2) ? NAN : (float)(int32_t)random_bits();
			else
				colours[i].u[k] = (uint32_t)random_bits() >> below(32);
		}
		ci[i][3] = 7, cf[i][3] = 7;
		colours[i].u[3] = colours[i].u[below(3)];
	}
	memcpy(expect, data, size);
	for (size_t i = 0; how == WRITE && i < count; i++) {
		int y = kind >= K2D ? ci[i][1] : 0, z = kind == K1DA ? ci[i][1] : kind >= K2DA ? ci[i][2] : 0;
		if (ci[i][0] >= 0 && y >= 0 && z >= 0 && ci[i][0] < (int)im.d.width && y < (int)im.d.height &&
		    z < (int)(kind == K3D ? im.d.depth : im.d.array_size))
			encode(o, t, &colours[i], expect + (texel(&im, ci[i][0], y, z) - data));
	}
	struct image_request q = { im.d, sampler, (uint32_t)kind, type, (uint32_t)how, (uint32_t)count, (uint32_t)size, 0 };
	transfer(true, &q, sizeof q);
	transfer(true, data, size);
	transfer(true, ci, count * sizeof *ci);
	transfer(true, cf, count * sizeof *cf);
	transfer(true, colours, count * sizeof *colours);
	static unsigned char after[IMAGE_BYTES];
	transfer(false, results, count * sizeof *results);
	transfer(false, after, size);
	int wrong = 0;
	for (size_t i = 0; how != WRITE && i < count; i++) {
		union colour c;
		double scale;
		read_reference(&im, how, sampler, ci[i], cf[i], &c, &scale);
		if (!same(&results[i], &c, type == 0, scale) && wrong++ < 3)
			printf("# kind %d order %x type %x how %d sampler %" PRIx64 " %ux%ux%u[%u] at (%d, %d, %d) (%a, %a, %a): %a %a %a %a"
			       ", expected %a %a %a %a\n", kind, o->order, t->type, how, sampler, im.d.width, im.d.height, im.d.depth,
			       im.d.array_size, ci[i][0], ci[i][1], ci[i][2], (double)cf[i][0], (double)cf[i][1], (double)cf[i][2],
			       (double)results[i].f[0], (double)results[i].f[1], (double)results[i].f[2], (double)results[i].f[3],
			       (double)c.f[0], (double)c.f[1], (double)c.f[2], (double)c.f[3]);
	}
	for (size_t i = 0; i < size; i++)
		if (after[i] != expect[i] && !(t->class == FLOATS && how == WRITE) && wrong++ < 3)
			printf("# kind %d order %x type %x how %d: byte %zu of %zu is %02x, not %02x\n", kind, o->order, t->type, how, i, size,
			       after[i], expect[i]);
	/* NaN payloads are free: floats are compared as values. */
	for (size_t i = 0; t->class == FLOATS && how == WRITE && i + 4 <= size - im.d.base; i += (size_t)t->bits / 8) {
		uint32_t a = 0, b = 0;
		memcpy(&a, after + im.d.base + i, (size_t)t->bits / 8);
		memcpy(&b, expect + im.d.base + i, (size_t)t->bits / 8);
		uint32_t inf = t->bits == 16 ? 0x7c00 : 0x7f800000, magnitude = t->bits == 16 ? 0x7fff : 0x7fffffff;
		if (a != b && !((a & magnitude) > inf && (b & magnitude) > inf) && wrong++ < 3)
			printf("# kind %d order %x type %x how %d: at %zu %x, not %x\n", kind, o->order, t->type, how, i, a, b);
	}
	return wrong == 0;
}

/* Every code of a normalised type of one channel, in a row as long as the type has codes. */
static bool run_codes(const struct channel_type *t)
{
	static const union colour none;
	uint32_t codes = 1u << t->bits, bytes = (uint32_t)t->bits / 8, wrong = 0;
	struct image im = { .d = { .width = codes, .height = 1, .depth = 1, .array_size = 1, .row_pitch = codes * bytes, .slice_pitch = codes * bytes,
		.channel_order = CL_R, .channel_type = t->type, .element_size = bytes, .channels = 1 }, .order = &orders[0], .type = t, .kind = K2D, .data = data };
	for (uint32_t i = 0; i < codes; i++)
		memcpy(data + i * bytes, &i, bytes);
	for (uint32_t from = 0; from < codes; from += IMAGE_CALLS) {
		uint32_t count = codes - from < IMAGE_CALLS ? codes - from : IMAGE_CALLS;
		struct image_request q = { im.d, 0, K2D, 0, READ_BARE, count, codes * bytes, 0 };
		for (uint32_t i = 0; i < count; i++)
			ci[i][0] = (int32_t)(from + i), ci[i][1] = ci[i][2] = 0, colours[i] = none;
		transfer(true, &q, sizeof q);
		transfer(true, data, codes * bytes);
		transfer(true, ci, count * sizeof *ci);
		transfer(true, cf, count * sizeof *cf);
		transfer(true, colours, count * sizeof *colours);
		transfer(false, results, count * sizeof *results);
		transfer(false, expect, codes * bytes);
		for (uint32_t i = 0; i < count; i++) {
			union colour c;
			decode(im.order, t, texel(&im, (int)(from + i), 0, 0), &c);
			wrong += !same(&results[i], &c, true, 0);
		}
	}
	printf("# type %x: %u of %u codes wrong\n", t->type, wrong, codes);
	return wrong == 0;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "sampler, integer coordinates", "sampler, float coordinates", "no sampler", "read_write", "write" };
	seed = seed_take(argc, argv);
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 0) : 64;
	count = count > IMAGE_CALLS ? IMAGE_CALLS : count;
	printf("1..26\n");
	calc_start();
	int failed = 0, test = 0;
	for (int kind = 0; kind < 5; kind++)
		for (int how = 0; how <= WRITE; how++) {
			size_t bad = 0, cases = 0;
			for (size_t o = 0; o < COUNT(orders); o++)
				for (size_t t = 0; t < COUNT(channel_types); t++)
					for (uint64_t s = 0; s < 20; s++) {
						enum mode mode = (enum mode)(s >> 2);
						uint64_t sampler = (s & 1) | (uint64_t)mode << 1 | (s & 2 ? 0x20 : 0x10);
						bool unnormalized = !(s & 1);
						if (!format_exists(&orders[o], &channel_types[t]))
							continue;
						/* 8.2: repeating modes need normalised coordinates; integers none. */
						if (how == READ_FLOAT ? mode > CLAMP && unnormalized :
						    how == READ_INT ? mode > CLAMP || !unnormalized || s & 2 : s > 0)
							continue;
						cases++;
						bad += !run_case((enum kind)kind, &orders[o], &channel_types[t], (enum image_how)how, sampler, count);
					}
			printf("%s %d - kind %d, %s: %zu of %zu cases wrong\n", bad ? "not ok" : "ok", ++test, kind, names[how], bad, cases);
			failed += bad != 0;
		}
	bool all = true;
	for (size_t t = 0; t < COUNT(channel_types); t++)
		if (channel_types[t].class == NORM && channel_types[t].bits)
			all &= run_codes(&channel_types[t]);
	printf("%s %d - every code of the normalised types\n", all ? "ok" : "not ok", ++test);
	failed += !all;
	close(to_calc);
	int status;
	wait(&status);
	return failed || status;
}
