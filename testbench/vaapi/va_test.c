#include "testbench/vaapi/va_test.h"
#include <fcntl.h>

VADisplay va;
uint64_t va_seed;
static char node[PATH_MAX + 64];

void va_test_init(int argc, char **argv)
{
	char build[PATH_MAX], lib[PATH_MAX + 8];
	const char *given = getenv("GALENA_BUILD");
	if (!given)
		program_path(build, 3);
	snprintf(lib, sizeof lib, "%s/lib", given ? given : build);
	snprintf(node, sizeof node, "%s/share/galena/renderD128", given ? given : build);
	setenv("LIBVA_DRIVERS_PATH", lib, 1);
	unsetenv("LIBVA_DRIVER_NAME");
	setenv("LIBVA_MESSAGING_LEVEL", "1", 0);
	va_seed = seed_take(argc, argv);
}

static int node_of;

VADisplay display_open(void)
{
	int major, minor;
	if (!node_of)
		node_of = open(node, O_RDWR | O_CLOEXEC);
	assert_true(node_of > 0);
	VADisplay d = vaGetDisplayDRM(node_of);
	assert_non_null(d);
	VA_OK(vaInitialize(d, &major, &minor));
	assert_int_equal(major, 1);
	return d;
}

void display_close(VADisplay d) { VA_OK(vaTerminate(d)); }

int va_test_setup(void **state)
{
	(void)state;
	va = display_open();
	return 0;
}

int va_test_teardown(void **state)
{
	(void)state;
	display_close(va);
	return 0;
}

/* ---- pixels ---- */
#define PLANAR(x, y) 3, {{1, 0, 0}, {1, x, y}, {1, x, y}}
const struct shape shapes[SHAPES] = {
	{VA_FOURCC_NV12, VA_RT_FORMAT_YUV420, 2, {{1, 0, 0}, {2, 1, 1}}, false},
	{VA_FOURCC_P010, VA_RT_FORMAT_YUV420_10, 2, {{2, 0, 0}, {4, 1, 1}}, false},
	{VA_FOURCC_I420, VA_RT_FORMAT_YUV420, PLANAR(1, 1), false},
	{VA_FOURCC_YV12, VA_RT_FORMAT_YUV420, PLANAR(1, 1), false},
	{VA_FOURCC_IMC3, VA_RT_FORMAT_YUV420, PLANAR(1, 1), false},
	{VA_FOURCC_422H, VA_RT_FORMAT_YUV422, PLANAR(1, 0), false},
	{VA_FOURCC_422V, VA_RT_FORMAT_YUV422, PLANAR(0, 1), false},
	{VA_FOURCC_444P, VA_RT_FORMAT_YUV444, PLANAR(0, 0), false},
	{VA_FOURCC_411P, VA_RT_FORMAT_YUV411, PLANAR(2, 0), false},
	{VA_FOURCC_YUY2, VA_RT_FORMAT_YUV422, 1, {{4, 1, 0}}, false},
	{VA_FOURCC_UYVY, VA_RT_FORMAT_YUV422, 1, {{4, 1, 0}}, false},
	{VA_FOURCC_Y800, VA_RT_FORMAT_YUV400, 1, {{1, 0, 0}}, false},
	{VA_FOURCC_RGBA, VA_RT_FORMAT_RGB32, 1, {{4, 0, 0}}, false},
	{VA_FOURCC_BGRA, VA_RT_FORMAT_RGB32, 1, {{4, 0, 0}}, false},
	{VA_FOURCC_ARGB, VA_RT_FORMAT_RGB32, 1, {{4, 0, 0}}, false},
	{VA_FOURCC_ABGR, VA_RT_FORMAT_RGB32, 1, {{4, 0, 0}}, false},
	{VA_FOURCC_RGBX, VA_RT_FORMAT_RGB32, 1, {{4, 0, 0}}, true},
	{VA_FOURCC_BGRX, VA_RT_FORMAT_RGB32, 1, {{4, 0, 0}}, true},
	{VA_FOURCC_XRGB, VA_RT_FORMAT_RGB32, 1, {{4, 0, 0}}, true},
};

const struct shape *shape_of(uint32_t fourcc)
{
	for (unsigned i = 0; i < SHAPES; i++)
		if (shapes[i].fourcc == fourcc)
			return &shapes[i];
	fail_msg("no shape of format %.4s", (const char *)&fourcc);
	return NULL;
}

unsigned shape_row(const struct shape *s, unsigned plane, unsigned width)
{
	return ((width + (1u << s->plane[plane].shift_x) - 1) >> s->plane[plane].shift_x) * s->plane[plane].bytes;
}

unsigned shape_rows(const struct shape *s, unsigned plane, unsigned height) { return (height + (1u << s->plane[plane].shift_y) - 1) >> s->plane[plane].shift_y; }

VASurfaceID surface_make(const struct shape *s, unsigned width, unsigned height)
{
	VASurfaceAttrib a = {.type = VASurfaceAttribPixelFormat, .flags = VA_SURFACE_ATTRIB_SETTABLE, .value = {.type = VAGenericValueTypeInteger, .value.i = (int32_t)s->fourcc}};
	VASurfaceID id = VA_INVALID_ID;
	VA_OK(vaCreateSurfaces(va, s->rt, width, height, &id, 1, &a, 1));
	return id;
}

VAImage image_make(uint32_t fourcc, unsigned width, unsigned height)
{
	VAImageFormat format = {.fourcc = fourcc};
	VAImage image;
	VA_OK(vaCreateImage(va, &format, (int)width, (int)height, &image));
	assert_int_equal(image.format.fourcc, fourcc);
	return image;
}

size_t picture_bytes(const struct shape *s, unsigned width, unsigned height)
{
	size_t n = 0;
	for (unsigned p = 0; p < s->planes; p++)
		n += (size_t)shape_row(s, p, width) * shape_rows(s, p, height);
	return n;
}

/* Samples of 10 bits have nothing below. */
uint8_t *picture_random(const struct shape *s, unsigned width, unsigned height)
{
	const size_t n = picture_bytes(s, width, height);
	uint8_t *out = malloc(n);
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(splitmix64(&va_seed) & (s->fourcc == VA_FOURCC_P010 && !(i % 2) ? 0xc0 : 0xff));
	return out;
}

typedef void (*row_fn)(uint8_t *image, uint8_t *packed, size_t bytes);
static void to_image(uint8_t *image, uint8_t *packed, size_t bytes) { memcpy(image, packed, bytes); }
static void from_image(uint8_t *image, uint8_t *packed, size_t bytes) { memcpy(packed, image, bytes); }

static void image_rows(const VAImage *image, const struct shape *s, unsigned width, unsigned height, uint8_t *packed, row_fn row)
{
	uint8_t *pixels;
	assert_int_equal(image->num_planes, s->planes);
	VA_OK(vaMapBuffer(va, image->buf, (void **)&pixels));
	for (unsigned p = 0; p < s->planes; p++)
		for (unsigned y = 0; y < shape_rows(s, p, height); y++, packed += shape_row(s, p, width)) {
			assert_true(image->offsets[p] + y * (size_t)image->pitches[p] + shape_row(s, p, width) <= image->data_size);
			row(pixels + image->offsets[p] + y * (size_t)image->pitches[p], packed, shape_row(s, p, width));
		}
	VA_OK(vaUnmapBuffer(va, image->buf));
}

void image_write(const VAImage *image, const struct shape *s, unsigned width, unsigned height, const uint8_t *packed)
{
	image_rows(image, s, width, height, (uint8_t *)(uintptr_t)packed, to_image);
}

uint8_t *image_read(const VAImage *image, const struct shape *s, unsigned width, unsigned height)
{
	uint8_t *packed = malloc(picture_bytes(s, width, height));
	image_rows(image, s, width, height, packed, from_image);
	return packed;
}

void surface_write(VASurfaceID surface, const struct shape *s, unsigned width, unsigned height, const uint8_t *packed)
{
	const VAImage image = image_make(s->fourcc, width, height);
	image_write(&image, s, width, height, packed);
	VA_OK(vaPutImage(va, surface, image.image_id, 0, 0, width, height, 0, 0, width, height));
	VA_OK(vaDestroyImage(va, image.image_id));
}

uint8_t *surface_read(VASurfaceID surface, const struct shape *s, unsigned width, unsigned height)
{
	const VAImage image = image_make(s->fourcc, width, height);
	VA_OK(vaGetImage(va, surface, 0, 0, width, height, image.image_id));
	uint8_t *packed = image_read(&image, s, width, height);
	VA_OK(vaDestroyImage(va, image.image_id));
	return packed;
}
