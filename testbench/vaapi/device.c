/* What displays say of themselves: attributes, profiles, entry points, configurations; and what is not there. */
#include "abi/pci.h"
#include "testbench/skip.h"
#include "testbench/vaapi/va_test.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void pci_id_of(VADisplay d, unsigned number)
{
	VADisplayAttribute a = {.type = VADisplayPCIID}, other = {.type = VADisplayAttribBrightness, .flags = VA_DISPLAY_ATTRIB_GETTABLE};
	VA_OK(vaGetDisplayAttributes(d, &a, 1));
	assert_int_equal(a.flags, VA_DISPLAY_ATTRIB_GETTABLE);
	assert_int_equal((uint32_t)a.value, pci_id(number));
	VA_OK(vaGetDisplayAttributes(d, &other, 1));
	assert_int_equal(other.flags, VA_DISPLAY_ATTRIB_NOT_SUPPORTED);
}

static void display_attributes(void **state)
{
	(void)state;
	assert_int_equal(vaMaxNumDisplayAttributes(va), 1);
	VADisplayAttribute a[1];
	int count = 0;
	VA_OK(vaQueryDisplayAttributes(va, a, &count));
	assert_int_equal(count, 1);
	assert_int_equal(a[0].type, VADisplayPCIID);
	assert_int_equal((uint32_t)a[0].value, pci_id(0));
	pci_id_of(va, 0);
	VA_FAILS(VA_STATUS_ERROR_ATTR_NOT_SUPPORTED, vaSetDisplayAttributes(va, a, 1));
	assert_non_null(strstr(vaQueryVendorString(va), "Galena"));
}

/* GALENA_VA_DEVICE says which device a display has. */
static void devices(void **state)
{
	(void)state;
	setenv("GALENA_VA_DEVICE", "1", 1);
	VADisplay second = display_open();
	pci_id_of(second, 1);
	setenv("GALENA_VA_DEVICE", "15", 1);
	VADisplay none = vaGetDisplayDRM(open("/dev/null", 0));
	assert_null(none); /* no render node */
	unsetenv("GALENA_VA_DEVICE");
	display_close(second);
	pci_id_of(va, 0);
}

static void configurations(void **state)
{
	(void)state;
	VAProfile profiles[8];
	VAEntrypoint entrypoints[8];
	int count = 0;
	assert_true(vaMaxNumProfiles(va) <= 8 && vaMaxNumEntrypoints(va) <= 8);
	VA_OK(vaQueryConfigProfiles(va, profiles, &count));
	assert_int_equal(count, 2);
	VA_OK(vaQueryConfigEntrypoints(va, VAProfileNone, entrypoints, &count));
	assert_int_equal(count, 1);
	assert_int_equal(entrypoints[0], VAEntrypointVideoProc);
	VA_OK(vaQueryConfigEntrypoints(va, VAProfileJPEGBaseline, entrypoints, &count));
	assert_int_equal(count, 1);
	assert_int_equal(entrypoints[0], VAEntrypointVLD);
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_PROFILE, vaQueryConfigEntrypoints(va, VAProfileH264Main, entrypoints, &count));

	VAConfigID id;
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_PROFILE, vaCreateConfig(va, VAProfileH264Main, VAEntrypointVLD, NULL, 0, &id));
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_ENTRYPOINT, vaCreateConfig(va, VAProfileJPEGBaseline, VAEntrypointEncPicture, NULL, 0, &id));
	VAConfigAttrib a = {VAConfigAttribRTFormat, VA_RT_FORMAT_RGB32};
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, vaCreateConfig(va, VAProfileJPEGBaseline, VAEntrypointVLD, &a, 1, &id));
	a = (VAConfigAttrib){VAConfigAttribEncJPEG, 0};
	VA_FAILS(VA_STATUS_ERROR_ATTR_NOT_SUPPORTED, vaCreateConfig(va, VAProfileJPEGBaseline, VAEntrypointVLD, &a, 1, &id));
	a = (VAConfigAttrib){VAConfigAttribRTFormat, VA_RT_FORMAT_YUV420};
	VA_OK(vaCreateConfig(va, VAProfileJPEGBaseline, VAEntrypointVLD, &a, 1, &id));

	VAConfigAttrib all[16];
	VAProfile profile;
	VAEntrypoint entrypoint;
	assert_true(vaMaxNumConfigAttributes(va) <= 16);
	VA_OK(vaQueryConfigAttributes(va, id, &profile, &entrypoint, all, &count));
	assert_int_equal(profile, VAProfileJPEGBaseline);
	assert_int_equal(entrypoint, VAEntrypointVLD);
	assert_int_equal(all[0].type, VAConfigAttribRTFormat);
	assert_int_equal(all[0].value, VA_RT_FORMAT_YUV420);
	VA_OK(vaDestroyConfig(va, id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_CONFIG, vaDestroyConfig(va, id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_CONFIG, vaQueryConfigAttributes(va, id, &profile, &entrypoint, all, &count));
}

static void config_attributes(void **state)
{
	(void)state;
	VAConfigAttrib a[] = {{VAConfigAttribRTFormat, 0}, {VAConfigAttribMaxPictureWidth, 0}, {VAConfigAttribDecJPEG, 0}, {VAConfigAttribEncJPEG, 0}};
	VA_OK(vaGetConfigAttributes(va, VAProfileJPEGBaseline, VAEntrypointVLD, a, 4));
	assert_int_equal(a[0].value, VA_RT_FORMAT_YUV420 | VA_RT_FORMAT_YUV422 | VA_RT_FORMAT_YUV444 | VA_RT_FORMAT_YUV411 | VA_RT_FORMAT_YUV400);
	assert_int_equal(a[1].value, 16384);
	assert_int_equal(a[2].value, 1 << VA_ROTATION_NONE);
	assert_int_equal(a[3].value, VA_ATTRIB_NOT_SUPPORTED);
	VA_OK(vaGetConfigAttributes(va, VAProfileNone, VAEntrypointVideoProc, a, 1));
	assert_true(a[0].value & VA_RT_FORMAT_RGB32 && a[0].value & VA_RT_FORMAT_YUV420_10);
}

/* Every pixel format of the tests is a surface's, and no memory type is told that is not there. */
static void surface_attributes(void **state)
{
	(void)state;
	VAConfigID id;
	unsigned count = 0, seen = 0;
	VA_OK(vaCreateConfig(va, VAProfileNone, VAEntrypointVideoProc, NULL, 0, &id));
	VA_OK(vaQuerySurfaceAttributes(va, id, NULL, &count));
	VASurfaceAttrib *list = calloc(count, sizeof *list);
	unsigned few = 2;
	VA_FAILS(VA_STATUS_ERROR_MAX_NUM_EXCEEDED, vaQuerySurfaceAttributes(va, id, list, &few));
	assert_int_equal(few, count);
	VA_OK(vaQuerySurfaceAttributes(va, id, list, &count));
	for (unsigned i = 0; i < count; i++) {
		for (unsigned k = 0; k < SHAPES; k++)
			seen += list[i].type == VASurfaceAttribPixelFormat && (uint32_t)list[i].value.value.i == shapes[k].fourcc;
		if (list[i].type == VASurfaceAttribMemoryType)
			assert_int_equal(list[i].value.value.i, VA_SURFACE_ATTRIB_MEM_TYPE_VA | VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME | VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2);
	}
	assert_int_equal(seen, SHAPES);
	free(list);
	VA_OK(vaDestroyConfig(va, id));
}

static void not_there(void **state)
{
	(void)state;
	VAImageFormat formats[4];
	unsigned flags, count = 7;
	VASubpictureID sub;
	VA_OK(vaQuerySubpictureFormats(va, formats, &flags, &count));
	assert_int_equal(count, 0);
	VA_FAILS(VA_STATUS_ERROR_INVALID_IMAGE, vaCreateSubpicture(va, 5, &sub));
	VA_FAILS(VA_STATUS_ERROR_INVALID_SUBPICTURE, vaDestroySubpicture(va, 5));
	VA_FAILS(VA_STATUS_ERROR_INVALID_SURFACE, vaSyncSurface(va, 0));
	VA_FAILS(VA_STATUS_ERROR_INVALID_SURFACE, vaSyncSurface(va, VA_INVALID_SURFACE));
	VA_FAILS(VA_STATUS_ERROR_INVALID_BUFFER, vaDestroyBuffer(va, 1));
	VA_FAILS(VA_STATUS_ERROR_INVALID_CONTEXT, vaEndPicture(va, 1));
	VA_FAILS(VA_STATUS_ERROR_INVALID_IMAGE, vaDestroyImage(va, VA_INVALID_ID));
}

/* A child has devices of its own. */
static void forked(void **state)
{
	(void)state;
#ifdef __SANITIZE_THREAD__
	SKIP("ThreadSanitizer does not survive a fork of a process with threads");
#endif
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		VADisplay own = display_open();
		VADisplayAttribute a = {.type = VADisplayPCIID};
		const bool good = !vaGetDisplayAttributes(own, &a, 1) && (uint32_t)a.value == pci_id(0) && !vaTerminate(own);
		_exit(good ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	pci_id_of(va, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(display_attributes), cmocka_unit_test(devices), cmocka_unit_test(configurations),
					   cmocka_unit_test(config_attributes), cmocka_unit_test(surface_attributes), cmocka_unit_test(not_there), cmocka_unit_test(forked)};
	va_test_init(argc, argv);
	return cmocka_run_group_tests(tests, va_test_setup, va_test_teardown);
}
