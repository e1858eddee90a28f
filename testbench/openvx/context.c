/* Contexts and references: attributes, counts, names, user structs, log, bad input. */
#include "testbench/openvx/vx.h"
#include <stdio.h>

static vx_uint32 references(void)
{
	vx_uint32 n = 0;
	VX_OK(vxQueryContext(context, VX_CONTEXT_REFERENCES, &n, sizeof n));
	return n;
}

static void attributes(void **state)
{
	(void)state;
	vx_uint16 version = 0;
	vx_uint32 kernels = 0;
	vx_size size = 0;
	VX_OK(vxQueryContext(context, VX_CONTEXT_VERSION, &version, sizeof version));
	assert_int_equal(version, VX_VERSION_1_3);
	VX_OK(vxQueryContext(context, VX_CONTEXT_UNIQUE_KERNELS, &kernels, sizeof kernels));
	assert_true(kernels >= 42);
	vx_kernel_info_t *table = calloc(kernels, sizeof *table);
	VX_OK(vxQueryContext(context, VX_CONTEXT_UNIQUE_KERNEL_TABLE, table, kernels * sizeof *table));
	for (vx_uint32 i = 0; i < kernels; i++) {
		vx_kernel k = vxGetKernelByEnum(context, table[i].enumeration), same = vxGetKernelByName(context, table[i].name);
		VX_MADE(k);
		assert_ptr_equal(k, same);
		VX_OK(vxReleaseKernel(&k));
		VX_OK(vxReleaseKernel(&same));
	}
	free(table);
	VX_OK(vxQueryContext(context, VX_CONTEXT_EXTENSIONS_SIZE, &size, sizeof size));
	char *extensions = malloc(size);
	VX_OK(vxQueryContext(context, VX_CONTEXT_EXTENSIONS, extensions, size));
	assert_non_null(strstr(extensions, "vx_khr_opencl_interop"));
	assert_non_null(strstr(extensions, "vx_khr_user_data_object"));
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxQueryContext(context, VX_CONTEXT_EXTENSIONS, extensions, size - 1));
	free(extensions);
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxQueryContext(context, VX_CONTEXT_VERSION, &version, 4));
	VX_FAILS(VX_ERROR_NOT_SUPPORTED, vxQueryContext(context, VX_IMAGE_WIDTH, &version, 2));
	vx_border_t border = {.mode = VX_BORDER_CONSTANT, .constant_value.U8 = 7}, seen = {0};
	VX_OK(vxSetContextAttribute(context, VX_CONTEXT_IMMEDIATE_BORDER, &border, sizeof border));
	VX_OK(vxQueryContext(context, VX_CONTEXT_IMMEDIATE_BORDER, &seen, sizeof seen));
	assert_memory_equal(&seen, &border, sizeof seen);
	border.mode = VX_BORDER_UNDEFINED;
	VX_OK(vxSetContextAttribute(context, VX_CONTEXT_IMMEDIATE_BORDER, &border, sizeof border));
	border.mode = 1;
	VX_FAILS(VX_ERROR_INVALID_VALUE, vxSetContextAttribute(context, VX_CONTEXT_IMMEDIATE_BORDER, &border, sizeof border));
}

static void counts(void **state)
{
	(void)state;
	const vx_uint32 before = references();
	vx_image image = image_u8(8, 8), kept = image;
	vx_uint32 count = 0;
	assert_int_equal(references(), before + 1);
	VX_OK(vxRetainReference((vx_reference)image));
	VX_OK(vxQueryReference((vx_reference)image, VX_REFERENCE_COUNT, &count, sizeof count));
	assert_int_equal(count, 2);
	VX_OK(vxReleaseImage(&image));
	assert_null(image);
	VX_OK(vxSetReferenceName((vx_reference)kept, "frame"));
	const vx_char *name = NULL;
	VX_OK(vxQueryReference((vx_reference)kept, VX_REFERENCE_NAME, &name, sizeof name));
	assert_string_equal(name, "frame");
	image = kept;
	VX_OK(vxReleaseReference((vx_reference *)&image));
	assert_int_equal(references(), before);
	/* what has been released is known to be so */
	VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxGetStatus((vx_reference)kept));
	VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxReleaseImage(&kept));
}

static void structs(void **state)
{
	(void)state;
	struct point { float x, y, z; } points[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, out[3] = {0};
	vx_enum type = vxRegisterUserStructWithName(context, sizeof(struct point), "point"), found = 0;
	vx_char name[16];
	assert_in_range(type, VX_TYPE_USER_STRUCT_START, VX_TYPE_USER_STRUCT_END);
	VX_OK(vxGetUserStructEnumByName(context, "point", &found));
	assert_int_equal(found, type);
	VX_OK(vxGetUserStructNameByEnum(context, type, name, sizeof name));
	assert_string_equal(name, "point");
	VX_FAILS(VX_ERROR_NO_MEMORY, vxGetUserStructNameByEnum(context, type, name, 5));
	VX_FAILS(VX_FAILURE, vxGetUserStructEnumByName(context, "line", &found));
	assert_int_equal(vxRegisterUserStruct(context, 0), VX_TYPE_INVALID);
	vx_array array = vxCreateArray(context, type, 3);
	VX_MADE(array);
	VX_OK(vxAddArrayItems(array, 3, points, sizeof *points));
	VX_OK(vxCopyArrayRange(array, 0, 3, sizeof *out, out, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	assert_memory_equal(out, points, sizeof out);
	VX_OK(vxReleaseArray(&array));
}

static struct {
	int calls;
	vx_status status;
	vx_reference ref;
	char text[VX_MAX_LOG_MESSAGE_LEN];
} logged;

static void VX_CALLBACK log_callback(vx_context c, vx_reference ref, vx_status status, const vx_char string[])
{
	assert_ptr_equal(c, context);
	logged.calls++;
	logged.status = status;
	logged.ref = ref;
	snprintf(logged.text, sizeof logged.text, "%s", string);
}

static void logs(void **state)
{
	(void)state;
	vxRegisterLogCallback(context, log_callback, vx_false_e);
	vxAddLogEntry((vx_reference)context, VX_FAILURE, "number %d", 42);
	assert_int_equal(logged.calls, 1);
	assert_int_equal(logged.status, VX_FAILURE);
	assert_string_equal(logged.text, "number 42");
	VX_OK(vxDirective((vx_reference)context, VX_DIRECTIVE_DISABLE_LOGGING));
	vxAddLogEntry((vx_reference)context, VX_FAILURE, "unheard");
	assert_int_equal(logged.calls, 1);
	VX_OK(vxDirective((vx_reference)context, VX_DIRECTIVE_ENABLE_LOGGING));
	vx_image image = vxCreateImage(context, 0, 8, VX_DF_IMAGE_U8);
	VX_FAILS(VX_ERROR_INVALID_DIMENSION, vxGetStatus((vx_reference)image));
	assert_int_equal(logged.calls, 2);
	assert_int_equal(logged.status, VX_ERROR_INVALID_DIMENSION);
	vxRegisterLogCallback(context, NULL, vx_false_e);
}

/* Handles that are none, in every place that takes one. */
static void bad_handles(void **state)
{
	(void)state;
	char bytes[512] = {0};
	vx_reference handles[] = {NULL, (vx_reference)bytes, (vx_reference)(uintptr_t)0x1234, (vx_reference)(bytes + 1)};
	for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
		vx_reference ref = handles[i];
		vx_uint32 out = 0;
		VX_FAILS(ref ? VX_ERROR_INVALID_REFERENCE : VX_ERROR_NO_RESOURCES, vxGetStatus(ref));
		assert_null(vxGetContext(ref));
		VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxQueryReference(ref, VX_REFERENCE_COUNT, &out, sizeof out));
		VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxRetainReference(ref));
		VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxSetReferenceName(ref, "x"));
		VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxQueryImage((vx_image)ref, VX_IMAGE_WIDTH, &out, sizeof out));
		VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxVerifyGraph((vx_graph)ref));
		assert_null(vxCreateGraph((vx_context)ref));
		assert_null(vxCreateImage((vx_context)ref, 8, 8, VX_DF_IMAGE_U8));
		vx_reference released = ref;
		VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxReleaseReference(&released));
	}
	VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxReleaseImage(NULL));
}

/* What the application has left goes with the context. */
static void left_behind(void **state)
{
	(void)state;
	vx_context c = vxCreateContext();
	VX_MADE(c);
	vx_image image = vxCreateImage(c, 16, 16, VX_DF_IMAGE_U8);
	vx_graph graph = vxCreateGraph(c);
	vx_image middle = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT), out = vxCreateImage(c, 16, 16, VX_DF_IMAGE_U8);
	VX_MADE(vxNotNode(graph, image, middle));
	VX_MADE(vxNotNode(graph, middle, out));
	VX_OK(vxVerifyGraph(graph));
	VX_OK(vxReleaseContext(&c));
	assert_null(c);
	VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxGetStatus((vx_reference)image));
	VX_FAILS(VX_ERROR_INVALID_REFERENCE, vxVerifyGraph(graph));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes), cmocka_unit_test(counts),	     cmocka_unit_test(structs),
		cmocka_unit_test(logs),	      cmocka_unit_test(bad_handles), cmocka_unit_test(left_behind),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
