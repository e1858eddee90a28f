/* vx_khr_ix: the functions, their lists, and what they refuse. */
#include "testbench/openvx/ix.h"

enum { WIDTH = 21, HEIGHT = 6 };

static vx_image new_image(vx_context c)
{
	vx_image image = vxCreateImage(c, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	CREATED(image);
	return image;
}

static void extensions(void **state)
{
	(void)state;
	vx_size size = 0;
	now_testing("the list of extensions");
	RAN(vxQueryContext(context, VX_CONTEXT_EXTENSIONS_SIZE, &size, sizeof size));
	char *list = malloc(size), *saved = NULL, *word = NULL;
	bool found = false;
	RAN(vxQueryContext(context, VX_CONTEXT_EXTENSIONS, list, size));
	for (word = strtok_r(list, " ", &saved); word; word = strtok_r(NULL, " ", &saved))
		found = found || !strcmp(word, OPENVX_KHR_IX);
	assert_true(found);
	free(list);
	assert_int_equal(VX_IX_USE_APPLICATION_CREATE, VX_ENUM_BASE(VX_ID_KHRONOS, VX_ENUM_IX_USE) + 0);
	assert_int_equal(VX_IX_USE_EXPORT_VALUES, VX_ENUM_BASE(VX_ID_KHRONOS, VX_ENUM_IX_USE) + 1);
	assert_int_equal(VX_IX_USE_NO_EXPORT_VALUES, VX_ENUM_BASE(VX_ID_KHRONOS, VX_ENUM_IX_USE) + 2);
}

/* ---- parameters of the functions ---- */
static void null_parameters(void **state)
{
	(void)state;
	vx_image image = new_image(context);
	vx_reference ref = (vx_reference)image, refs[1] = {NULL};
	const vx_uint8 *bytes = NULL;
	vx_size length = 1;
	now_testing("parameters that are NULL");
	NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 1, NULL, &with_values);
	NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 1, &ref, NULL);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxExportObjectsToMemory(context, 1, &ref, &with_values, NULL, &length));
	assert_int_equal(length, 0);
	bytes = (const vx_uint8 *)"x";
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxExportObjectsToMemory(context, 1, &ref, &with_values, &bytes, NULL));
	assert_null(bytes);
	bytes = (const vx_uint8 *)"x";
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxExportObjectsToMemory((vx_context)image, 1, &ref, &with_values, &bytes, &length));
	assert_null(bytes);
	struct blob b = exported(1, &ref, &with_values);
	const struct blob none = {NULL, b.length};
	NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 1, refs, &with_values, &none);
	REFUSED(VX_ERROR_INVALID_PARAMETERS,
		vxGetStatus((vx_reference)vxImportObjectsFromMemory(there, 1, NULL, &with_values, b.bytes, b.length)));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus((vx_reference)vxImportObjectsFromMemory(there, 1, refs, NULL, b.bytes, b.length)));
	assert_int_not_equal(vxGetStatus((vx_reference)vxImportObjectsFromMemory(NULL, 1, refs, &with_values, b.bytes, b.length)), VX_SUCCESS);
	free(b.bytes);
	RAN(vxReleaseImage(&image));
}

static void released_memory(void **state)
{
	(void)state;
	vx_image image = new_image(context);
	vx_reference ref = (vx_reference)image;
	const vx_uint8 *one = NULL, *two = NULL, *no = NULL, byte = 0, *wrong = &byte;
	vx_size length = 0;
	now_testing("memory of exports");
	RAN(vxExportObjectsToMemory(context, 1, &ref, &with_values, &one, &length));
	RAN(vxExportObjectsToMemory(context, 1, &ref, &with_values, &two, &length));
	assert_ptr_not_equal(one, two);
	/* addresses that an export of the context has given, and each once */
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxReleaseExportedMemory(context, NULL));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxReleaseExportedMemory(context, &no));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxReleaseExportedMemory(context, &wrong));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxReleaseExportedMemory(there, &one));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxReleaseExportedMemory((vx_context)image, &one));
	const vx_uint8 *again = one, *inside = one + 1;
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxReleaseExportedMemory(context, &inside));
	assert_ptr_equal(inside, one + 1);
	RAN(vxReleaseExportedMemory(context, &one));
	assert_null(one);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxReleaseExportedMemory(context, &again));
	RAN(vxReleaseExportedMemory(context, &two));
	RAN(vxReleaseImage(&image));
	/* it outlives its context */
	vx_context brief = vxCreateContext();
	CREATED(brief);
	image = new_image(brief);
	ref = (vx_reference)image;
	RAN(vxExportObjectsToMemory(brief, 1, &ref, &with_values, &one, &length));
	RAN(vxReleaseContext(&brief));
	ref = NULL;
	vx_import import = vxImportObjectsFromMemory(there, 1, &ref, &with_values, one, length);
	CREATED(import);
	RAN(vxReleaseReference(&ref));
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseExportedMemory(there, &one));
}

/* ---- what may be in the list ---- */
static void listed_types(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	vx_image a = new_image(context), z = new_image(context), foreign = new_image(there), hidden;
	vx_node node = vxNotNode(graph, a, z);
	vx_kernel kernel = vxGetKernelByEnum(context, VX_KERNEL_NOT);
	vx_parameter parameter = vxGetParameterByIndex(node, 0);
	CREATED(node);
	CREATED(kernel);
	CREATED(parameter);
	hidden = vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	struct blob b = exported(1, (vx_reference[]){(vx_reference)a}, &with_values);
	vx_reference copy = NULL;
	vx_import import = vxImportObjectsFromMemory(context, 1, &copy, &with_values, b.bytes, b.length);
	CREATED(import);
	free(b.bytes);
	vx_image error = vxCreateImage(context, 0, 0, VX_DF_IMAGE_U8), gone = new_image(context), released = gone;
	RAN(vxReleaseImage(&gone));
	const struct { const char *name; void *ref; vx_status status; } wrong[] = {
		{"a context", context, VX_ERROR_NOT_SUPPORTED},
		{"an import", import, VX_ERROR_NOT_SUPPORTED},
		{"a node", node, VX_ERROR_NOT_SUPPORTED},
		{"a kernel", kernel, VX_ERROR_NOT_SUPPORTED},
		{"a parameter", parameter, VX_ERROR_NOT_SUPPORTED},
		{"a virtual image", hidden, VX_ERROR_INVALID_PARAMETERS},
		{"an image of another context", foreign, VX_ERROR_INVALID_PARAMETERS},
		{"an image that has been released", released, VX_ERROR_INVALID_REFERENCE},
		{"no reference", NULL, VX_ERROR_INVALID_REFERENCE},
		{"an error", error, VX_ERROR_INVALID_REFERENCE},
	};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		now_testing("%s in the list", wrong[i].name);
		const vx_reference refs[] = {(vx_reference)a, wrong[i].ref};
		const vx_enum uses[] = {with_values, with_values};
		NOT_EXPORTED(wrong[i].status, 2, refs, uses);
		LOGGED("reference 1");
	}
	RAN(vxReleaseReference(&copy));
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseParameter(&parameter));
	RAN(vxReleaseKernel(&kernel));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseImage(&hidden));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&a));
	RAN(vxReleaseImage(&z));
	RAN(vxReleaseImage(&foreign));
}

static void uses_of_objects(void **state)
{
	(void)state;
	const vx_enum unknown[] = {0, VX_IX_USE_APPLICATION_CREATE - 1, VX_IX_USE_NO_EXPORT_VALUES + 1, VX_READ_ONLY};
	vx_graph graph = vxCreateGraph(context);
	vx_image a = new_image(context), z = new_image(context);
	vx_node node = vxNotNode(graph, a, z);
	vx_reference image = (vx_reference)a, graphs = (vx_reference)graph;
	CREATED(node);
	for (size_t i = 0; i < COUNT(unknown); i++) {
		now_testing("use 0x%x", (unsigned)unknown[i]);
		NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 1, &image, &unknown[i]);
		/* of graphs they are ignored, but have to be the same again */
		struct blob b = exported(1, &graphs, &unknown[i]);
		vx_reference out = (vx_reference)a;
		NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 1, &out, &with_values, &b);
		vx_import import = imported(1, &out, &unknown[i], &b);
		assert_int_equal(vxIsGraphVerified((vx_graph)out), vx_true_e);
		RAN(vxReleaseReference(&out));
		RAN(vxReleaseImport(&import));
	}
	/* once for one use, once for another */
	now_testing("an object twice");
	NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 2, ((vx_reference[]){image, image}), ((vx_enum[]){with_values, without_values}));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&a));
	RAN(vxReleaseImage(&z));
}

static void handles(void **state)
{
	(void)state;
	static uint8_t bytes[WIDTH * HEIGHT];
	const vx_imagepatch_addressing_t a = {.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = WIDTH, .scale_x = VX_SCALE_UNITY,
					      .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	vx_image image = vxCreateImageFromHandle(context, VX_DF_IMAGE_U8, &a, (void *[]){bytes}, VX_MEMORY_TYPE_HOST);
	vx_image part = vxCreateImageFromROI(image, &(vx_rectangle_t){1, 1, 5, 5});
	CREATED(image);
	CREATED(part);
	vx_image images[] = {image, part};
	for (size_t i = 0; i < COUNT(images); i++) {
		vx_reference ref = (vx_reference)images[i];
		now_testing("an image from a handle, %s", i ? "a part" : "all of it");
		NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 1, &ref, &with_values);
		LOGGED("handle");
		NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 1, &ref, &without_values);
		struct blob b = exported(1, &ref, &application);
		/* any image of the size and the format stands in for it */
		vx_image mine = vxCreateImage(there, i ? 4 : WIDTH, i ? 4 : HEIGHT, VX_DF_IMAGE_U8);
		vx_reference out = (vx_reference)mine;
		vx_import import = imported(1, &out, &application, &b);
		assert_ptr_equal(out, mine);
		RAN(vxReleaseImport(&import));
		RAN(vxReleaseImage(&mine));
	}
	RAN(vxReleaseImage(&part));
	RAN(vxReleaseImage(&image));
}

/* ---- graphs in the list ---- */
static void graph_rules(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	vx_image a = new_image(context), b = new_image(context), z = new_image(context), small = vxCreateImage(context, 3, 3, VX_DF_IMAGE_U8);
	vx_enum policy = VX_CONVERT_POLICY_SATURATE;
	vx_scalar fixed = vxCreateScalar(context, VX_TYPE_ENUM, &policy);
	vx_kernel kernel = vxGetKernelByEnum(context, VX_KERNEL_ADD);
	vx_node node = vxCreateGenericNode(graph, kernel);
	RAN(vxSetParameterByIndex(node, 0, (vx_reference)a));
	RAN(vxSetParameterByIndex(node, 1, (vx_reference)b));
	RAN(vxSetParameterByIndex(node, 2, (vx_reference)fixed));
	RAN(vxSetParameterByIndex(node, 3, (vx_reference)small));
	const vx_reference refs[] = {(vx_reference)graph, (vx_reference)a, (vx_reference)fixed};
	const vx_enum uses[] = {0, with_values, with_values};
	now_testing("a graph that cannot be verified");
	NOT_EXPORTED(VX_ERROR_INVALID_DIMENSION, 1, refs, uses);
	LOGGED("verified");
	RAN(vxSetParameterByIndex(node, 3, (vx_reference)z));
	assert_int_equal(vxIsGraphVerified(graph), vx_false_e);
	now_testing("a value that is fixed with the node");
	NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 3, refs, uses);
	LOGGED("fixed");
	now_testing("a graph parameter that is not in the list");
	vx_parameter first = vxGetParameterByIndex(node, 0), third = vxGetParameterByIndex(node, 2);
	RAN(vxAddParameterToGraph(graph, first));
	RAN(vxAddParameterToGraph(graph, NULL));
	NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 1, refs, uses);
	LOGGED("parameter 0");
	/* the export verifies; what is not a parameter of the graph may be hidden */
	const vx_uint32 counts[] = {count_of((vx_reference)a), count_of((vx_reference)z), count_of((vx_reference)graph), references_of(context)};
	struct blob blob = exported(2, refs, uses);
	assert_int_equal(vxIsGraphVerified(graph), vx_true_e);
	/* references that the application sees are as many as before */
	assert_int_equal(count_of((vx_reference)a), counts[0]);
	assert_int_equal(count_of((vx_reference)z), counts[1]);
	assert_int_equal(count_of((vx_reference)graph), counts[2]);
	assert_int_equal(references_of(context), counts[3]);
	vx_reference out[2] = {NULL};
	vx_import import = imported(2, out, uses, &blob);
	assert_int_equal(vxIsGraphVerified((vx_graph)out[0]), vx_true_e);
	RAN(vxProcessGraph((vx_graph)out[0]));
	/* places that were left empty still are */
	vx_uint32 parameters = 0;
	RAN(vxQueryGraph((vx_graph)out[0], VX_GRAPH_NUMPARAMETERS, &parameters, sizeof parameters));
	assert_int_equal(parameters, 2);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphParameterByIndex((vx_graph)out[0], 1, out[1]));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus((vx_reference)vxGetGraphParameterByIndex((vx_graph)out[0], 1)));
	release_all(out, 2);
	RAN(vxReleaseImport(&import));
	now_testing("a graph parameter that is fixed with the node");
	RAN(vxAddParameterToGraph(graph, third));
	NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 3, refs, uses);
	RAN(vxReleaseParameter(&first));
	RAN(vxReleaseParameter(&third));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseKernel(&kernel));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseScalar(&fixed));
	RAN(vxReleaseImage(&small));
	RAN(vxReleaseImage(&a));
	RAN(vxReleaseImage(&b));
	RAN(vxReleaseImage(&z));
}

/* ---- imports ---- */
static void lists_match(void **state)
{
	(void)state;
	vx_image a = new_image(context), b = new_image(context), mine = new_image(there), foreign = new_image(context);
	const vx_reference refs[] = {(vx_reference)a, (vx_reference)b};
	const vx_enum uses[] = {with_values, application};
	struct blob blob = exported(2, refs, uses);
	vx_reference out[3] = {NULL, (vx_reference)mine, NULL};
	const vx_enum wrong[][3] = {{without_values, application, 0}, {with_values, with_values, 0}, {application, with_values, 0}};
	now_testing("lists that differ");
	NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 0, out, uses, &blob);
	NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 1, out, uses, &blob);
	NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 3, out, wrong[0], &blob);
	for (size_t i = 0; i < COUNT(wrong); i++)
		NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 2, out, wrong[i], &blob);
	/* what the application has to create: an object of the context, of the type and the meta data */
	vx_graph graph = vxCreateGraph(there);
	vx_image other_size = vxCreateImage(there, WIDTH + 1, HEIGHT, VX_DF_IMAGE_U8), hidden = vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_image other_format = vxCreateImage(there, WIDTH, HEIGHT, VX_DF_IMAGE_S16);
	vx_scalar scalar = vxCreateScalar(there, VX_TYPE_INT32, &(vx_int32){1});
	const struct { const char *name; void *ref; vx_status status; } supplied[] = {
		{"nothing", NULL, VX_ERROR_INVALID_REFERENCE},
		{"an object of another context", foreign, VX_ERROR_INVALID_REFERENCE},
		{"a scalar", scalar, VX_ERROR_INVALID_PARAMETERS},
		{"an image of another size", other_size, VX_ERROR_INVALID_PARAMETERS},
		{"an image of another format", other_format, VX_ERROR_INVALID_PARAMETERS},
		{"a virtual image", hidden, VX_ERROR_INVALID_PARAMETERS},
		{"a graph", graph, VX_ERROR_INVALID_PARAMETERS},
	};
	for (size_t i = 0; i < COUNT(supplied); i++) {
		now_testing("%s in the place of an image", supplied[i].name);
		out[1] = supplied[i].ref;
		NOT_IMPORTED(supplied[i].status, 2, out, uses, &blob);
	}
	/* ... and what it does not have to create is overwritten */
	now_testing("an import");
	out[0] = (vx_reference)scalar;
	out[1] = (vx_reference)mine;
	vx_import import = imported(2, out, uses, &blob);
	assert_ptr_equal(out[1], mine);
	assert_ptr_not_equal(out[0], scalar);
	assert_int_equal(count_of(out[0]), 1);
	assert_int_equal(count_of((vx_reference)mine), 1);
	RAN(vxReleaseReference(&out[0]));
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseImage(&hidden));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&other_size));
	RAN(vxReleaseImage(&other_format));
	RAN(vxReleaseScalar(&scalar));
	RAN(vxReleaseImage(&mine));
	RAN(vxReleaseImage(&foreign));
	RAN(vxReleaseImage(&a));
	RAN(vxReleaseImage(&b));
}

static void empty_list(void **state)
{
	(void)state;
	vx_reference none[1] = {NULL};
	now_testing("an empty list");
	struct blob b = exported(0, none, &with_values);
	vx_import import = imported(0, none, &with_values, &b);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus(vxGetImportReferenceByName(import, "x")));
	RAN(vxReleaseImport(&import));
	assert_null(import);
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxReleaseImport(&import));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxReleaseImport(NULL));
	vx_image image = new_image(context);
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxReleaseImport((vx_import *)&image));
	RAN(vxReleaseImage(&image));
}

/* An object twice in the list is one object afterwards, too. */
static void twice(void **state)
{
	(void)state;
	vx_image a = new_image(context), mine[2] = {new_image(there), new_image(there)};
	name(a, "a");
	const vx_reference refs[] = {(vx_reference)a, (vx_reference)a};
	const vx_enum uses[] = {with_values, with_values}, supplied[] = {application, application};
	now_testing("an object twice");
	struct blob b = exported(2, refs, uses);
	vx_reference out[2] = {NULL};
	vx_import import = imported(2, out, uses, &b);
	assert_ptr_equal(out[0], out[1]);
	assert_int_equal(count_of(out[0]), 2);
	vx_reference named = vxGetImportReferenceByName(import, "a");
	assert_ptr_equal(named, out[0]);
	RAN(vxReleaseReference(&named));
	release_all(out, 2);
	RAN(vxReleaseImport(&import));
	b = exported(2, refs, supplied);
	out[0] = (vx_reference)mine[0];
	out[1] = (vx_reference)mine[1];
	NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 2, out, supplied, &b);
	out[1] = out[0];
	import = imported(2, out, supplied, &b);
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseImage(&mine[0]));
	RAN(vxReleaseImage(&mine[1]));
	RAN(vxReleaseImage(&a));
}

/* ---- names ---- */
static void names(void **state)
{
	(void)state;
	vx_image a = new_image(context), b = new_image(context), c = new_image(context), mine = new_image(there);
	name(a, "first");
	name(b, "second");
	const vx_reference refs[] = {(vx_reference)a, (vx_reference)b, (vx_reference)c};
	const vx_enum uses[] = {with_values, application, without_values};
	const char *long_name = "0123456789012345678901234567890123456789012345678901234567890123";
	now_testing("two objects of one name in an export");
	name(c, "first");
	NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 3, refs, uses);
	LOGGED("first");
	name(c, "");
	struct blob blob = exported(3, refs, uses), same = {malloc(blob.length), blob.length};
	memcpy(same.bytes, blob.bytes, blob.length);
	now_testing("two objects of one name in an import");
	name(mine, "first");
	vx_reference out[3] = {NULL, (vx_reference)mine, NULL};
	NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 3, out, uses, &blob);
	assert_string_equal(name_of((vx_reference)mine), "first");
	now_testing("names of imports");
	/* the application's name stays */
	name(mine, "mine");
	vx_import import = imported(3, out, uses, &blob);
	assert_string_equal(name_of(out[0]), "first");
	assert_string_equal(name_of(out[1]), "mine");
	assert_string_equal(name_of(out[2]), "");
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus(vxGetImportReferenceByName(import, "second")));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus(vxGetImportReferenceByName(import, "")));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus(vxGetImportReferenceByName(import, NULL)));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus(vxGetImportReferenceByName(import, long_name)));
	assert_int_not_equal(vxGetStatus(vxGetImportReferenceByName(NULL, "first")), VX_SUCCESS);
	assert_int_not_equal(vxGetStatus(vxGetImportReferenceByName((vx_import)mine, "first")), VX_SUCCESS);
	/* a reference by name is one more */
	const vx_reference first = out[0];
	vx_reference found = vxGetImportReferenceByName(import, "first");
	assert_ptr_equal(found, first);
	assert_int_equal(count_of(found), 2);
	RAN(vxReleaseReference(&found));
	/* also when the application has released all others */
	RAN(vxReleaseReference(&out[0]));
	found = vxGetImportReferenceByName(import, "first");
	assert_ptr_equal(found, first);
	assert_int_equal(count_of(found), 1);
	RAN(vxReleaseReference(&found));
	/* names can be given afterwards */
	name(out[2], "third");
	found = vxGetImportReferenceByName(import, "third");
	assert_ptr_equal(found, out[2]);
	RAN(vxReleaseReference(&found));
	/* ... but those of two objects are no names */
	name(out[2], "mine");
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus(vxGetImportReferenceByName(import, "mine")));
	/* only what is in the list is found */
	vx_image outside = new_image(there);
	name(outside, "outside");
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus(vxGetImportReferenceByName(import, "outside")));
	RAN(vxReleaseImage(&outside));
	/* the import ends alone */
	const vx_uint32 before = references_of(there);
	RAN(vxReleaseImport(&import));
	assert_null(import);
	assert_int_equal(references_of(there), before - 1);
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxGetStatus(first));
	RAN(vxGetStatus(out[2]));
	RAN(vxReleaseReference(&out[2]));
	/* what the application has not named gets the name of the export */
	name(mine, "");
	import = imported(3, out, uses, &same);
	assert_string_equal(name_of((vx_reference)mine), "second");
	release_all(out, 3);
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseImage(&a));
	RAN(vxReleaseImage(&b));
	RAN(vxReleaseImage(&c));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extensions),	   cmocka_unit_test(null_parameters), cmocka_unit_test(released_memory),
		cmocka_unit_test(listed_types),	   cmocka_unit_test(uses_of_objects), cmocka_unit_test(handles),
		cmocka_unit_test(graph_rules),	   cmocka_unit_test(lists_match),     cmocka_unit_test(empty_list),
		cmocka_unit_test(twice),	   cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, open_both, close_both);
}
