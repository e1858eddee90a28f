/* Bad input: exports and imports (vx_khr_ix). The extension says which calls fail; the statuses are those that
 * OpenVX has for such arguments. */
#include "testbench/openvx/bad.h"

enum { WIDTH = 16, HEIGHT = 8 };
static const vx_enum uses[] = {VX_IX_USE_NO_EXPORT_VALUES, VX_IX_USE_APPLICATION_CREATE};
static const vx_enum no_use[] = {VX_IX_USE_NO_EXPORT_VALUES, 0}, beyond[] = {VX_IX_USE_NO_EXPORT_VALUES, VX_IX_USE_NO_EXPORT_VALUES + 1},
		     other_uses[] = {VX_IX_USE_EXPORT_VALUES, VX_IX_USE_APPLICATION_CREATE}, turned[] = {VX_IX_USE_APPLICATION_CREATE, VX_IX_USE_NO_EXPORT_VALUES};
/* A list of two, whose first reference is as it should be. */
#define LIST(first, second) P(((vx_reference[]){(vx_reference)(first), (vx_reference)(second)}))

/* ---- exports ---- */
static void undo_export(const union arg *args, union arg result)
{
	(void)result;
	RAN(vxReleaseExportedMemory((vx_context)args[0].ref, args[4].ptr));
	assert_null(*(void **)args[4].ptr);
}

static void exports(void **state)
{
	(void)state;
	static uint8_t pixels[WIDTH * HEIGHT];
	const vx_imagepatch_addressing_t a = {.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = WIDTH, .scale_x = VX_SCALE_UNITY,
					      .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	vx_image image = image_u8(WIDTH, HEIGHT), namesake = image_u8(WIDTH, HEIGHT), second = image_u8(WIDTH, HEIGHT);
	vx_image handle = vxCreateImageFromHandle(context, VX_DF_IMAGE_U8, &a, (void *[]){pixels}, VX_MEMORY_TYPE_HOST);
	vx_graph graph = vxCreateGraph(context);
	vx_image hidden = vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	const vx_uint8 *bytes = NULL;
	vx_size length = 0;
	RAN(vxSetReferenceName((vx_reference)image, "galena.bad.name"));
	RAN(vxSetReferenceName((vx_reference)namesake, "galena.bad.name"));
	const struct row rows[] = {
		{CALL(vxExportObjectsToMemory, R(context), N(2), LIST(image, second), P(uses), P(&bytes), P(&length)),
		 WRONG({1, N(-1), BAD_PARAMETERS}, {1, N(UINT32_MAX), BAD_PARAMETERS}, {2, P(NULL), BAD_PARAMETERS}, {2, LIST(image, NULL), BAD_REFERENCE},
		       {2, LIST(image, none_of(VX_TYPE_IMAGE, BYTES)), BAD_REFERENCE}, {2, LIST(image, none_of(VX_TYPE_IMAGE, MIDDLE_OF_BYTES)), BAD_REFERENCE},
		       {2, LIST(image, none_of(VX_TYPE_IMAGE, SMALL_NUMBER)), BAD_REFERENCE}, {2, LIST(image, none_of(VX_TYPE_IMAGE, ERROR_OBJECT)), BAD_REFERENCE},
		       {2, LIST(image, one_of(VX_TYPE_IMAGE, true)), BAD_PARAMETERS}, {2, LIST(image, context), UNSUPPORTED},
		       {2, LIST(image, one_of(VX_TYPE_NODE, false)), UNSUPPORTED}, {2, LIST(image, one_of(VX_TYPE_KERNEL, false)), UNSUPPORTED},
		       {2, LIST(image, one_of(VX_TYPE_PARAMETER, false)), UNSUPPORTED}, {2, LIST(image, one_of(VX_TYPE_IMPORT, false)), UNSUPPORTED},
		       {2, LIST(image, hidden), BAD_PARAMETERS}, {2, LIST(image, graph), VX_ERROR_INVALID_GRAPH}, {2, LIST(image, namesake), BAD_PARAMETERS},
		       {2, LIST(image, image), BAD_PARAMETERS}, {2, LIST(handle, image), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS},
		       {3, P(no_use), BAD_PARAMETERS}, {3, P(beyond), BAD_PARAMETERS}, {4, P(NULL), BAD_PARAMETERS}, {5, P(NULL), BAD_PARAMETERS}),
		 .undo = undo_export},
	};
	refuse_rows(rows, COUNT(rows));
	/* what is refused leaves nothing to release */
	bytes = pixels;
	length = 1;
	VX_FAILS(BAD_PARAMETERS, vxExportObjectsToMemory(context, 1, (vx_reference[]){(vx_reference)hidden}, uses, &bytes, &length));
	assert_null(bytes);
	assert_int_equal(length, 0);
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&namesake));
	RAN(vxReleaseImage(&second));
	RAN(vxReleaseImage(&handle));
	RAN(vxReleaseImage(&hidden));
	RAN(vxReleaseGraph(&graph));
}

static void memory(void **state)
{
	(void)state;
	static const vx_uint8 byte;
	vx_reference image = one_of(VX_TYPE_IMAGE, false);
	const vx_uint8 *bytes = NULL, *none = NULL, *not_ours = &byte, *another = NULL;
	vx_size length = 0;
	RAN(vxExportObjectsToMemory(context, 1, &image, uses, &bytes, &length));
	RAN(vxExportObjectsToMemory(context, 1, &image, uses, &another, &length));
	const vx_uint8 *inside = bytes + 1, *released = another;
	RAN(vxReleaseExportedMemory(context, &another));
	const struct row rows[] = {
		{CALL(vxReleaseExportedMemory, R(context), P(&bytes)),
		 WRONG({0, R(other), BAD_PARAMETERS}, {1, P(NULL), BAD_PARAMETERS}, {1, P(&none), BAD_PARAMETERS}, {1, P(&not_ours), BAD_PARAMETERS},
		       {1, P(&inside), BAD_PARAMETERS}, {1, P(&released), BAD_PARAMETERS})},
	};
	refuse_rows(rows, COUNT(rows));
	assert_null(bytes);
	assert_non_null(released);
}

/* ---- imports ---- */
/* The application has a reference to what has been made for it. */
static void undo_import(const union arg *args, union arg result)
{
	vx_reference *refs = args[2].ptr;
	RAN(vxReleaseReference(&refs[0]));
	RAN(vxReleaseImport((vx_import *)&result.ref));
}

static void imports(void **state)
{
	(void)state;
	vx_image image = image_u8(WIDTH, HEIGHT), supplied = image_u8(WIDTH, HEIGHT), mine = image_u8(WIDTH, HEIGHT), wide = image_u8(WIDTH + 1, HEIGHT);
	vx_image words = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_S16);
	vx_graph graph = vxCreateGraph(context);
	vx_image hidden = vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	const vx_uint8 *bytes = NULL;
	vx_size length = 0;
	RAN(vxExportObjectsToMemory(context, 2, (vx_reference[]){(vx_reference)image, (vx_reference)supplied}, uses, &bytes, &length));
	vx_uint8 *damaged = malloc(length);
	memcpy(damaged, bytes, length);
	damaged[length - 1] ^= 1;
	vx_reference refs[] = {NULL, (vx_reference)mine};
	const struct row rows[] = {
		{CALL(vxImportObjectsFromMemory, R(context), N(2), P(refs), P(uses), P(bytes), N(length)),
		 WRONG({1, N(0), BAD_PARAMETERS}, {1, N(1), BAD_PARAMETERS}, {1, N(3), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {2, P(NULL), BAD_PARAMETERS},
		       {2, LIST(NULL, NULL), BAD_REFERENCE}, {2, LIST(NULL, none_of(VX_TYPE_IMAGE, BYTES)), BAD_REFERENCE},
		       {2, LIST(NULL, none_of(VX_TYPE_IMAGE, SMALL_NUMBER)), BAD_REFERENCE}, {2, LIST(NULL, none_of(VX_TYPE_IMAGE, ERROR_OBJECT)), BAD_REFERENCE},
		       {2, LIST(NULL, one_of(VX_TYPE_IMAGE, true)), BAD_REFERENCE}, {2, LIST(NULL, one_of(VX_TYPE_SCALAR, false)), BAD_PARAMETERS},
		       {2, LIST(NULL, graph), BAD_PARAMETERS}, {2, LIST(NULL, wide), BAD_PARAMETERS}, {2, LIST(NULL, words), BAD_PARAMETERS},
		       {2, LIST(NULL, hidden), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS}, {3, P(other_uses), BAD_PARAMETERS},
		       {3, P(turned), BAD_PARAMETERS}, {4, P(NULL), BAD_PARAMETERS}, {4, P(bytes + 1), BAD_PARAMETERS}, {4, P(damaged), BAD_PARAMETERS},
		       {5, N(0), BAD_PARAMETERS}, {5, N(length - 1), BAD_PARAMETERS}, {5, N(length + 1), BAD_PARAMETERS}, {5, N(-1), BAD_PARAMETERS}),
		 .undo = undo_import},
	};
	refuse_rows(rows, COUNT(rows));
	assert_ptr_equal(refs[1], mine);
	free(damaged);
	RAN(vxReleaseExportedMemory(context, &bytes));
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&supplied));
	RAN(vxReleaseImage(&mine));
	RAN(vxReleaseImage(&wide));
	RAN(vxReleaseImage(&words));
	RAN(vxReleaseImage(&hidden));
	RAN(vxReleaseGraph(&graph));
}

/* References by name, and the end of the import that has them. */
static void names(void **state)
{
	(void)state;
	static const char longest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	static const vx_enum same[] = {VX_IX_USE_NO_EXPORT_VALUES, VX_IX_USE_NO_EXPORT_VALUES, VX_IX_USE_NO_EXPORT_VALUES};
	vx_reference image = one_of(VX_TYPE_IMAGE, false), refs[3] = {NULL};
	const vx_uint8 *bytes = NULL;
	vx_size length = 0;
	RAN(vxExportObjectsToMemory(context, 3, (vx_reference[]){image, one_of(VX_TYPE_SCALAR, false), one_of(VX_TYPE_LUT, false)}, same, &bytes, &length));
	vx_import import = vxImportObjectsFromMemory(context, 3, refs, same, bytes, length);
	CREATED(import);
	RAN(vxReleaseExportedMemory(context, &bytes));
	RAN(vxSetReferenceName(refs[0], "galena.bad.one"));
	RAN(vxSetReferenceName(refs[1], "galena.bad.two"));
	RAN(vxSetReferenceName(refs[2], "galena.bad.two"));
	const struct row rows[] = {
		{CALL(vxGetImportReferenceByName, R(import), P("galena.bad.one")),
		 WRONG({1, P(NULL), BAD_PARAMETERS}, {1, P(""), BAD_PARAMETERS}, {1, P("galena.bad"), BAD_PARAMETERS}, {1, P(longest), BAD_PARAMETERS},
		       {1, P("galena.bad.two"), BAD_PARAMETERS})},
		{CALL(vxReleaseImport, R(import))},
	};
	refuse_rows(rows, COUNT(rows));
	RAN(vxReleaseImport(&import));
	for (size_t i = 0; i < COUNT(refs); i++)
		RAN(vxReleaseReference(&refs[i]));
}

static void complete(void **state)
{
	(void)state;
	expect_all("ix");
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exports), cmocka_unit_test(memory), cmocka_unit_test(imports), cmocka_unit_test(names), cmocka_unit_test(complete),
	};
	return cmocka_run_group_tests(tests, open_zoo, close_zoo);
}
