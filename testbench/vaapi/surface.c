/* Surfaces and images: pixels that are put come back, of every format, from surfaces, derived images, and others' memory. */
#include "testbench/vaapi/va_test.h"
#include <sys/mman.h>
#include <unistd.h>

enum { ODD_WIDTH = 157, ODD_HEIGHT = 93 };

static void same(const uint8_t *a, const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			fail_msg("byte %zu is %u, not %u", i, b[i], a[i]);
}

static void put_and_get(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SHAPES; i++) {
		const struct shape *s = &shapes[i];
		const VASurfaceID surface = surface_make(s, ODD_WIDTH, ODD_HEIGHT);
		uint8_t *put = picture_random(s, ODD_WIDTH, ODD_HEIGHT);
		surface_write(surface, s, ODD_WIDTH, ODD_HEIGHT, put);
		uint8_t *got = surface_read(surface, s, ODD_WIDTH, ODD_HEIGHT);
		same(put, got, picture_bytes(s, ODD_WIDTH, ODD_HEIGHT));
		VAImage derived;
		VA_OK(vaDeriveImage(va, surface, &derived));
		assert_int_equal(derived.format.fourcc, s->fourcc);
		assert_int_equal(derived.width, ODD_WIDTH);
		uint8_t *seen = image_read(&derived, s, ODD_WIDTH, ODD_HEIGHT);
		same(put, seen, picture_bytes(s, ODD_WIDTH, ODD_HEIGHT));
		VA_OK(vaDestroyImage(va, derived.image_id));
		VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){surface}, 1));
		free(put);
		free(got);
		free(seen);
	}
}

/* A rectangle of a surface, at even places. */
static void parts(void **state)
{
	(void)state;
	const struct shape *s = shape_of(VA_FOURCC_NV12);
	const VASurfaceID surface = surface_make(s, 64, 48);
	const VAImage image = image_make(s->fourcc, 16, 8);
	uint8_t *zero = calloc(1, picture_bytes(s, 64, 48)), *part = picture_random(s, 16, 8);
	surface_write(surface, s, 64, 48, zero);
	image_write(&image, s, 16, 8, part);
	VA_OK(vaPutImage(va, surface, image.image_id, 0, 0, 16, 8, 20, 10, 16, 8));
	uint8_t *all = surface_read(surface, s, 64, 48);
	for (unsigned y = 0; y < 48; y++)
		for (unsigned x = 0; x < 64; x++) {
			const bool inside = x >= 20 && x < 36 && y >= 10 && y < 18;
			assert_int_equal(all[y * 64 + x], inside ? part[(y - 10) * 16 + x - 20] : 0);
			const unsigned cx = x, cy = y / 2; /* of the plane of chroma, in bytes */
			const bool in_chroma = cx >= 20 && cx < 36 && cy >= 5 && cy < 9;
			assert_int_equal(all[64 * 48 + cy * 64 + cx], in_chroma ? part[16 * 8 + (cy - 5) * 16 + cx - 20] : 0);
		}
	uint8_t *cleared = calloc(1, picture_bytes(s, 16, 8));
	image_write(&image, s, 16, 8, cleared);
	VA_OK(vaGetImage(va, surface, 20, 10, 16, 8, image.image_id));
	uint8_t *back = image_read(&image, s, 16, 8);
	same(part, back, picture_bytes(s, 16, 8));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaGetImage(va, surface, 50, 0, 16, 8, image.image_id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaGetImage(va, surface, -1, 0, 16, 8, image.image_id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaGetImage(va, surface, 0, 0, 17, 8, image.image_id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaPutImage(va, surface, image.image_id, 0, 0, 16, 8, 60, 0, 16, 8));
	VA_FAILS(VA_STATUS_ERROR_INVALID_SURFACE, vaGetImage(va, image.image_id, 0, 0, 16, 8, image.image_id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_IMAGE, vaGetImage(va, surface, 0, 0, 16, 8, surface));
	VA_OK(vaDestroyImage(va, image.image_id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_IMAGE, vaDestroyImage(va, image.image_id));
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){surface}, 1));
	free(zero), free(part), free(all), free(cleared), free(back);
}

/* ---- descriptors ---- */
static VASurfaceID import(const struct shape *s, VADRMPRIMESurfaceDescriptor *d, VAStatus expected)
{
	VASurfaceAttrib a[3] = {{.type = VASurfaceAttribMemoryType, .flags = VA_SURFACE_ATTRIB_SETTABLE,
				 .value = {.type = VAGenericValueTypeInteger, .value.i = VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2}},
				{.type = VASurfaceAttribExternalBufferDescriptor, .flags = VA_SURFACE_ATTRIB_SETTABLE,
				 .value = {.type = VAGenericValueTypePointer, .value.p = d}},
				{.type = VASurfaceAttribPixelFormat, .flags = VA_SURFACE_ATTRIB_SETTABLE,
				 .value = {.type = VAGenericValueTypeInteger, .value.i = (int32_t)s->fourcc}}};
	VASurfaceID id = VA_INVALID_ID;
	VA_FAILS(expected, vaCreateSurfaces(va, s->rt, d->width, d->height, &id, 1, a, 3));
	return id;
}

/* What was exported holds the pixels, and its import is the same memory. */
static void exports(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SHAPES; i++)
		for (unsigned separate = 0; separate < 2; separate++) {
			const struct shape *s = &shapes[i];
			const VASurfaceID surface = surface_make(s, ODD_WIDTH, ODD_HEIGHT);
			VADRMPRIMESurfaceDescriptor d;
			const uint32_t flags = VA_EXPORT_SURFACE_READ_WRITE | (separate ? VA_EXPORT_SURFACE_SEPARATE_LAYERS : VA_EXPORT_SURFACE_COMPOSED_LAYERS);
			uint8_t *put = picture_random(s, ODD_WIDTH, ODD_HEIGHT), *at = put;
			const bool none = !separate && s->fourcc == VA_FOURCC_422V; /* DRM has no name for it */
			VA_FAILS(none ? VA_STATUS_ERROR_INVALID_SURFACE : VA_STATUS_SUCCESS,
				 vaExportSurfaceHandle(va, surface, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, flags, &d));
			VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE, vaExportSurfaceHandle(va, surface, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME, flags, &d));
			if (none) {
				VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){surface}, 1));
				free(put);
				continue;
			}
			assert_int_equal(d.fourcc, s->fourcc);
			assert_int_equal(d.num_objects, 1);
			assert_int_equal(d.objects[0].drm_format_modifier, 0);
			assert_int_equal(d.num_layers, separate ? s->planes : 1);
			surface_write(surface, s, ODD_WIDTH, ODD_HEIGHT, put);
			const uint8_t *memory = mmap(NULL, d.objects[0].size, PROT_READ, MAP_SHARED, d.objects[0].fd, 0);
			assert_true(memory != MAP_FAILED);
			for (unsigned p = 0; p < s->planes; p++)
				for (unsigned y = 0; y < shape_rows(s, p, ODD_HEIGHT); y++, at += shape_row(s, p, ODD_WIDTH))
					same(at, memory + d.layers[separate ? p : 0].offset[separate ? 0 : p] + y * (size_t)d.layers[separate ? p : 0].pitch[separate ? 0 : p],
					     shape_row(s, p, ODD_WIDTH));
			munmap((void *)(uintptr_t)memory, d.objects[0].size);
			const VASurfaceID imported = import(s, &d, VA_STATUS_SUCCESS);
			close(d.objects[0].fd);
			VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){surface}, 1)); /* the memory stays */
			uint8_t *got = surface_read(imported, s, ODD_WIDTH, ODD_HEIGHT);
			same(put, got, picture_bytes(s, ODD_WIDTH, ODD_HEIGHT));
			VA_OK(vaExportSurfaceHandle(va, imported, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, flags, &d));
			close(d.objects[0].fd);
			VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){imported}, 1));
			free(put);
			free(got);
		}
}

/* The formats of DRM that OpenCL and others look for. */
static void drm_formats(void **state)
{
	static const struct { uint32_t fourcc; const char *composed, *separate[2]; } expected[] = {
		{VA_FOURCC_NV12, "NV12", {"R8  ", "GR88"}}, {VA_FOURCC_P010, "P010", {"R16 ", "GR32"}}, {VA_FOURCC_BGRA, "AR24", {"AR24"}},
		{VA_FOURCC_RGBA, "AB24", {"AB24"}},         {VA_FOURCC_BGRX, "XR24", {"XR24"}},         {VA_FOURCC_RGBX, "XB24", {"XB24"}},
		{VA_FOURCC_I420, "YU12", {"R8  ", "R8  "}}, {VA_FOURCC_Y800, "R8  ", {"R8  "}}};
	(void)state;
	for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
		const VASurfaceID surface = surface_make(shape_of(expected[i].fourcc), 32, 32);
		VADRMPRIMESurfaceDescriptor d;
		VA_OK(vaExportSurfaceHandle(va, surface, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, VA_EXPORT_SURFACE_COMPOSED_LAYERS, &d));
		assert_memory_equal(&d.layers[0].drm_format, expected[i].composed, 4);
		close(d.objects[0].fd);
		VA_OK(vaExportSurfaceHandle(va, surface, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, VA_EXPORT_SURFACE_SEPARATE_LAYERS, &d));
		for (unsigned p = 0; p < 2 && expected[i].separate[p]; p++)
			assert_memory_equal(&d.layers[p].drm_format, expected[i].separate[p], 4);
		close(d.objects[0].fd);
		VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){surface}, 1));
	}
}

/* A descriptor with something wrong, and back to what is right. */
#define WRONG(field, value, status)             \
	do {                                    \
		__typeof__(field) right = field; \
		field = value;                  \
		import(s, &d, status);          \
		field = right;                  \
	} while (0)
static void bad_imports(void **state)
{
	(void)state;
	const struct shape *s = shape_of(VA_FOURCC_NV12);
	const VASurfaceID surface = surface_make(s, 64, 48);
	VADRMPRIMESurfaceDescriptor d;
	VA_OK(vaExportSurfaceHandle(va, surface, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, VA_EXPORT_SURFACE_SEPARATE_LAYERS, &d));
	WRONG(d.objects[0].fd, -1, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.objects[0].fd, 0, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.objects[0].drm_format_modifier, 1, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.fourcc, VA_FOURCC('n', 'o', 'n', 'e'), VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.num_objects, 0, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.num_objects, 5, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.num_layers, 1, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.num_layers, 100, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.layers[1].num_planes, 3, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.layers[0].object_index[0], 9, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.layers[0].drm_format, 0, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.layers[0].pitch[0], 63, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.layers[0].pitch[0], 1 << 20, VA_STATUS_ERROR_INVALID_PARAMETER);
	WRONG(d.layers[1].offset[0], UINT32_MAX, VA_STATUS_ERROR_INVALID_PARAMETER);
	import(s, &d, VA_STATUS_SUCCESS);
	close(d.objects[0].fd);
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){surface}, 1));
}

/* The older descriptor, and a buffer's handle as the source of it. */
static void prime(void **state)
{
	(void)state;
	const struct shape *s = shape_of(VA_FOURCC_NV12);
	const VAImage image = image_make(s->fourcc, 64, 48);
	uint8_t *put = picture_random(s, 64, 48);
	image_write(&image, s, 64, 48, put);
	VABufferInfo info = {.mem_type = VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME}, again = info, wrong = {.mem_type = VA_SURFACE_ATTRIB_MEM_TYPE_V4L2};
	VA_FAILS(VA_STATUS_ERROR_INVALID_BUFFER, vaReleaseBufferHandle(va, image.buf));
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE, vaAcquireBufferHandle(va, image.buf, &wrong));
	VA_OK(vaAcquireBufferHandle(va, image.buf, &info));
	VA_OK(vaAcquireBufferHandle(va, image.buf, &again));
	assert_int_equal(info.handle, again.handle);
	VASurfaceAttribExternalBuffers e = {.pixel_format = s->fourcc, .width = 64, .height = 48, .data_size = (uint32_t)info.mem_size, .num_planes = 2,
					    .pitches = {image.pitches[0], image.pitches[1]}, .offsets = {image.offsets[0], image.offsets[1]},
					    .buffers = &info.handle, .num_buffers = 1};
	VASurfaceAttrib a[2] = {{.type = VASurfaceAttribMemoryType, .value = {.type = VAGenericValueTypeInteger, .value.i = VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME}},
				{.type = VASurfaceAttribExternalBufferDescriptor, .value = {.type = VAGenericValueTypePointer, .value.p = &e}}};
	VASurfaceID surface;
	VA_OK(vaCreateSurfaces(va, s->rt, 64, 48, &surface, 1, a, 2));
	uint8_t *got = surface_read(surface, s, 64, 48);
	same(put, got, picture_bytes(s, 64, 48));
	VASurfaceID two[2];
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaCreateSurfaces(va, s->rt, 64, 48, two, 2, a, 2));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaCreateSurfaces(va, s->rt, 64, 50, two, 1, a, 2));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaCreateSurfaces(va, s->rt, 64, 48, two, 1, a, 1));
	VA_OK(vaReleaseBufferHandle(va, image.buf));
	VA_OK(vaReleaseBufferHandle(va, image.buf));
	VA_FAILS(VA_STATUS_ERROR_INVALID_BUFFER, vaReleaseBufferHandle(va, image.buf));
	VA_OK(vaDestroyImage(va, image.image_id));
	VA_OK(vaDestroySurfaces(va, &surface, 1));
	free(put);
	free(got);
}

static void bad_surfaces(void **state)
{
	(void)state;
	VASurfaceID id[2] = {VA_INVALID_ID, VA_INVALID_ID};
	VASurfaceAttrib a = {.type = VASurfaceAttribPixelFormat, .value = {.type = VAGenericValueTypeInteger, .value.i = VA_FOURCC_P010}};
	VASurfaceStatus status;
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, vaCreateSurfaces(va, VA_RT_FORMAT_RGB16, 64, 64, id, 1, NULL, 0));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaCreateSurfaces(va, VA_RT_FORMAT_YUV420, 0, 64, id, 1, NULL, 0));
	VA_FAILS(VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED, vaCreateSurfaces(va, VA_RT_FORMAT_YUV420, 64, 16385, id, 1, NULL, 0));
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, vaCreateSurfaces(va, VA_RT_FORMAT_YUV420, 64, 64, id, 1, &a, 1));
	a.value.value.i = VA_FOURCC('n', 'o', 'n', 'e');
	VA_FAILS(VA_STATUS_ERROR_INVALID_IMAGE_FORMAT, vaCreateSurfaces(va, VA_RT_FORMAT_YUV420, 64, 64, id, 1, &a, 1));
	a = (VASurfaceAttrib){.type = VASurfaceAttribMemoryType, .value = {.type = VAGenericValueTypeInteger, .value.i = VA_SURFACE_ATTRIB_MEM_TYPE_USER_PTR}};
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE, vaCreateSurfaces(va, VA_RT_FORMAT_YUV420, 64, 64, id, 1, &a, 1));
	a.type = VASurfaceAttribMaxWidth;
	VA_FAILS(VA_STATUS_ERROR_ATTR_NOT_SUPPORTED, vaCreateSurfaces(va, VA_RT_FORMAT_YUV420, 64, 64, id, 1, &a, 1));
	VA_OK(vaCreateSurfaces(va, VA_RT_FORMAT_YUV420, 64, 64, id, 2, NULL, 0));
	VA_OK(vaQuerySurfaceStatus(va, id[0], &status));
	assert_int_equal(status, VASurfaceReady);
	VA_OK(vaSyncSurface(va, id[0]));
	VA_OK(vaSyncSurface2(va, id[0], 1000));
	VA_FAILS(VA_STATUS_ERROR_INVALID_SURFACE, vaDestroySurfaces(va, (VASurfaceID[]){id[0], 7}, 2));
	VA_OK(vaDestroySurfaces(va, id, 2));
	VA_FAILS(VA_STATUS_ERROR_INVALID_SURFACE, vaDestroySurfaces(va, id, 1));
	VASurfaceID next;
	VA_OK(vaCreateSurfaces(va, VA_RT_FORMAT_YUV420, 64, 64, &next, 1, NULL, 0));
	VA_FAILS(VA_STATUS_ERROR_INVALID_SURFACE, vaSyncSurface(va, id[0])); /* its place has another id */
	VA_OK(vaDestroySurfaces(va, &next, 1));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(put_and_get), cmocka_unit_test(parts), cmocka_unit_test(exports), cmocka_unit_test(drm_formats),
					   cmocka_unit_test(bad_imports), cmocka_unit_test(prime), cmocka_unit_test(bad_surfaces)};
	va_test_init(argc, argv);
	return cmocka_run_group_tests(tests, va_test_setup, va_test_teardown);
}
