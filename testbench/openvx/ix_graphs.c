/* vx_khr_ix: graphs run after an import as they did before the export. */
#include "testbench/openvx/ix_graphs.h"

static void many_things(void **state)
{
	(void)state;
	struct work w = make_work(context);
	vx_reference refs[WORK_REFS], out[WORK_REFS] = {NULL}, again[WORK_REFS] = {NULL};
	vx_enum uses[WORK_REFS];
	vx_uint32 nodes = 0;
	list_work(&w, refs);
	for (int i = 0; i < WORK_REFS; i++)
		uses[i] = i == 4 ? with_values : without_values;
	now_testing("a graph that has not run");
	struct blob b = exported(WORK_REFS, refs, uses);
	vx_import import = imported(WORK_REFS, out, uses, &b);
	struct work copy = listed_work(out);
	assert_int_equal(vxIsGraphVerified(copy.graph), vx_true_e);
	RAN(vxQueryGraph(copy.graph, VX_GRAPH_NUMNODES, &nodes, sizeof nodes));
	assert_int_equal(nodes, 7);
	for (int round = 0; round < 3; round++)
		same_work(&w, &copy);
	/* a value that the application may set: it takes effect */
	vx_float32 half = 0.5f;
	RAN(vxCopyScalar(w.factor, &half, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxCopyScalar(copy.factor, &half, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	same_work(&w, &copy);
	now_testing("the same, exported where it was imported, after it has run");
	const vx_uint8 *bytes = NULL;
	vx_size length = 0;
	RAN(vxExportObjectsToMemory(there, WORK_REFS, out, uses, &bytes, &length));
	vx_import second = vxImportObjectsFromMemory(context, WORK_REFS, again, uses, bytes, length);
	CREATED(second);
	RAN(vxReleaseExportedMemory(there, &bytes));
	vx_reference graph = vxGetImportReferenceByName(second, "work");
	assert_ptr_equal(graph, again[0]);
	RAN(vxReleaseReference(&graph));
	struct work third = listed_work(again);
	same_work(&copy, &third);
	RAN(vxReleaseImport(&second));
	RAN(vxReleaseImport(&import));
	same_work(&w, &third);
	end_work(&third);
	end_work(&copy);
	end_work(&w);
}

/* Objects that the application creates stand where the exported ones stood; the order is that of the list. */
static void supplied(void **state)
{
	(void)state;
	struct work w = make_work(context), model = make_work(there);
	vx_reference refs[WORK_REFS], out[WORK_REFS];
	vx_enum uses[WORK_REFS] = {0, application, application, application, application, application};
	now_testing("a graph whose objects the application creates");
	list_work(&w, refs);
	struct blob b = exported(WORK_REFS, refs, uses);
	const vx_uint32 before = references_of(there);
	list_work(&model, out);
	out[0] = NULL;
	vx_import import = imported(WORK_REFS, out, uses, &b);
	assert_int_equal(references_of(there), before + 2); /* the import, the graph */
	struct work copy = listed_work(out);
	assert_ptr_equal(copy.in, model.in);
	same_work(&w, &copy);
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseGraph(&copy.graph));
	assert_int_equal(references_of(there), before);
	end_work(&model);
	end_work(&w);
}

/* ---- data of objects that are not in the list ---- */
static void hidden(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	vx_image a = new_image(context, VX_DF_IMAGE_U8), b = vxCreateImage(context, 2 * WIDTH, 2 * HEIGHT, VX_DF_IMAGE_U8),
		 part = vxCreateImageFromROI(b, &(vx_rectangle_t){7, 9, 7 + WIDTH, 9 + HEIGHT}), between = new_image(context, VX_DF_IMAGE_U8),
		 z = new_image(context, VX_DF_IMAGE_U8);
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8), q = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	upload(a, &p);
	upload(part, &q);
	now_testing("data of what is not in the list");
	/* 1: what is no output has its data; 3: of a region, without what is around it */
	release_node(vxAbsDiffNode(graph, a, part, between));
	release_node(vxNotNode(graph, between, z));
	const vx_reference refs[] = {(vx_reference)graph, (vx_reference)z};
	const vx_enum uses[] = {with_values, without_values};
	vx_reference out[2] = {NULL};
	struct blob blob = exported(2, refs, uses);
	RAN(vxProcessGraph(graph));
	/* the data are those of the export */
	upload(a, &q);
	const vx_uint32 before = references_of(there);
	vx_import import = imported(2, out, uses, &blob);
	assert_int_equal(references_of(there), before + 3); /* nothing hidden is the application's */
	RAN(vxProcessGraph((vx_graph)out[0]));
	same_pixels(z, (vx_image)out[1], VX_DF_IMAGE_U8);
	release_all(out, 2);
	RAN(vxReleaseImport(&import));
	assert_int_equal(references_of(there), before);
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&part));
	vx_image images[] = {a, b, between, z};
	for (size_t i = 0; i < COUNT(images); i++)
		RAN(vxReleaseImage(&images[i]));
	free_pixels(&p);
	free_pixels(&q);
}

/* 2: parts of composite objects have theirs; two graphs have one object between them. */
static void composite(void **state)
{
	(void)state;
	vx_graph first = vxCreateGraph(context), second = vxCreateGraph(context);
	vx_pyramid pyramid = vxCreatePyramid(context, 3, VX_SCALE_PYRAMID_HALF, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_image in = new_image(context, VX_DF_IMAGE_U8), between = new_image(context, VX_DF_IMAGE_U8), z = new_image(context, VX_DF_IMAGE_U8),
		 levels[2] = {vxGetPyramidLevel(pyramid, 0), vxGetPyramidLevel(pyramid, 2)};
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8), q = random_pixels(WIDTH / 4, HEIGHT / 4, VX_DF_IMAGE_U8);
	vx_image small = vxCreateImage(context, WIDTH / 4, HEIGHT / 4, VX_DF_IMAGE_U8);
	vx_pyramid copy = vxCreatePyramid(context, 3, VX_SCALE_PYRAMID_HALF, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	now_testing("two graphs, and levels of a pyramid");
	upload(levels[0], &p);
	upload(levels[1], &q);
	upload(in, &p);
	release_node(vxAndNode(first, in, levels[0], between));
	release_node(vxNotNode(second, between, z));
	release_node(vxNotNode(second, levels[1], small));
	release_node(vxCopyNode(second, (vx_reference)pyramid, (vx_reference)copy));
	enum { REFS = 5 };
	const vx_reference refs[REFS] = {(vx_reference)second, (vx_reference)z, (vx_reference)small, (vx_reference)first, (vx_reference)copy};
	const vx_enum uses[REFS] = {0, without_values, without_values, 0, without_values};
	vx_reference out[REFS] = {NULL};
	RAN(vxProcessGraph(first));
	struct blob b = exported(REFS, refs, uses);
	vx_import import = imported(REFS, out, uses, &b);
	RAN(vxProcessGraph(second));
	/* the second one alone: what is between them had data */
	RAN(vxProcessGraph((vx_graph)out[0]));
	same_pixels(z, (vx_image)out[1], VX_DF_IMAGE_U8);
	struct pixels seen = zero_pixels(q.width, q.height, VX_DF_IMAGE_U8);
	download((vx_image)out[2], &seen);
	for (size_t i = 0; i < bytes_in_all(&q); i++)
		assert_int_equal(seen.bytes[i], (uint8_t)~q.bytes[i]);
	vx_image level = vxGetPyramidLevel((vx_pyramid)out[4], 0);
	same_pixels(levels[0], level, VX_DF_IMAGE_U8);
	RAN(vxReleaseImage(&level));
	/* what the first one writes the second one reads */
	RAN(vxProcessGraph((vx_graph)out[3]));
	RAN(vxProcessGraph((vx_graph)out[0]));
	same_pixels(z, (vx_image)out[1], VX_DF_IMAGE_U8);
	release_all(out, REFS);
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseGraph(&first));
	RAN(vxReleaseGraph(&second));
	vx_image images[] = {in, between, z, small, levels[0], levels[1]};
	for (size_t i = 0; i < COUNT(images); i++)
		RAN(vxReleaseImage(&images[i]));
	RAN(vxReleasePyramid(&copy));
	RAN(vxReleasePyramid(&pyramid));
	free_pixels(&p);
	free_pixels(&q);
	free_pixels(&seen);
}

/* ---- replicated nodes ---- */
static void replicated(void **state)
{
	(void)state;
	for (int hide = 0; hide < 2; hide++) {
		vx_graph graph = vxCreateGraph(context);
		vx_image exemplar = new_image(context, VX_DF_IMAGE_U8);
		vx_object_array in = vxCreateObjectArray(context, (vx_reference)exemplar, 3), out = vxCreateObjectArray(context, (vx_reference)exemplar, 3);
		vx_object_array middle = hide ? vxCreateVirtualObjectArray(graph, (vx_reference)exemplar, 3) :
						vxCreateObjectArray(context, (vx_reference)exemplar, 3);
		const vx_object_array arrays[] = {in, middle, out};
		vx_reference firsts[3];
		for (int i = 0; i < 3; i++)
			firsts[i] = vxGetObjectArrayItem(arrays[i], 0);
		now_testing("replicated nodes, what is between them %s", hide ? "virtual" : "hidden");
		for (int i = 0; i < 2; i++) {
			vx_bool flags[2] = {vx_true_e, vx_true_e};
			vx_node node = i ? vxNotNode(graph, (vx_image)firsts[1], (vx_image)firsts[2]) : vxDilate3x3Node(graph, (vx_image)firsts[0], (vx_image)firsts[1]);
			const vx_border_t border = {.mode = VX_BORDER_REPLICATE};
			if (!i)
				RAN(vxSetNodeAttribute(node, VX_NODE_BORDER, &border, sizeof border));
			RAN(vxReplicateNode(graph, node, flags, 2));
			release_node(node);
		}
		const vx_reference refs[] = {(vx_reference)graph, (vx_reference)out};
		const vx_enum uses[] = {0, without_values};
		vx_reference got[2] = {NULL};
		for (vx_uint32 i = 0; i < 3; i++) {
			vx_image item = (vx_image)vxGetObjectArrayItem(in, i);
			struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
			upload(item, &p);
			free_pixels(&p);
			RAN(vxReleaseImage(&item));
		}
		/* what the nodes are for lives as long as they do */
		for (int i = 0; i < 3; i++)
			RAN(vxReleaseReference(&firsts[i]));
		RAN(vxReleaseObjectArray(&in));
		RAN(vxReleaseObjectArray(&middle));
		struct blob b = exported(2, refs, uses);
		vx_import import = imported(2, got, uses, &b);
		RAN(vxReleaseImport(&import));
		RAN(vxProcessGraph(graph));
		RAN(vxProcessGraph((vx_graph)got[0]));
		for (vx_uint32 i = 0; i < 3; i++) {
			vx_image x = (vx_image)vxGetObjectArrayItem(out, i), y = (vx_image)vxGetObjectArrayItem((vx_object_array)got[1], i);
			same_pixels(x, y, VX_DF_IMAGE_U8);
			RAN(vxReleaseImage(&x));
			RAN(vxReleaseImage(&y));
		}
		release_all(got, 2);
		RAN(vxReleaseGraph(&graph));
		RAN(vxReleaseObjectArray(&out));
		RAN(vxReleaseImage(&exemplar));
	}
}

/* A parameter that stands for all levels of a pyramid can be exchanged for the first level of one like it. */
static void replicated_parameter(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	vx_pyramid in = vxCreatePyramid(context, 2, VX_SCALE_PYRAMID_HALF, WIDTH, HEIGHT, VX_DF_IMAGE_U8),
		   out = vxCreatePyramid(context, 2, VX_SCALE_PYRAMID_HALF, WIDTH, HEIGHT, VX_DF_IMAGE_U8),
		   mine = vxCreatePyramid(there, 2, VX_SCALE_PYRAMID_HALF, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_image first = vxGetPyramidLevel(in, 0), result = vxGetPyramidLevel(out, 0);
	vx_bool flags[2] = {vx_true_e, vx_true_e};
	vx_node node = vxNotNode(graph, first, result);
	RAN(vxReplicateNode(graph, node, flags, 2));
	vx_parameter parameter = vxGetParameterByIndex(node, 0);
	RAN(vxAddParameterToGraph(graph, parameter));
	const vx_reference refs[] = {(vx_reference)graph, (vx_reference)first, (vx_reference)out};
	const vx_enum uses[] = {0, without_values, without_values};
	vx_reference got[3] = {NULL};
	now_testing("a parameter that stands for a pyramid");
	struct blob b = exported(3, refs, uses);
	vx_import import = imported(3, got, uses, &b);
	vx_image levels[2] = {vxGetPyramidLevel(mine, 0), vxGetPyramidLevel(mine, 1)}, single = new_image(there, VX_DF_IMAGE_U8);
	struct pixels p[2] = {random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8), random_pixels(WIDTH / 2, HEIGHT / 2, VX_DF_IMAGE_U8)};
	upload(levels[0], &p[0]);
	upload(levels[1], &p[1]);
	/* not an image that is no level: the graph is as it was */
	assert_int_not_equal(vxSetGraphParameterByIndex((vx_graph)got[0], 0, (vx_reference)single), VX_SUCCESS);
	assert_int_equal(vxIsGraphVerified((vx_graph)got[0]), vx_true_e);
	RAN(vxProcessGraph((vx_graph)got[0]));
	RAN(vxSetGraphParameterByIndex((vx_graph)got[0], 0, (vx_reference)levels[0]));
	RAN(vxProcessGraph((vx_graph)got[0]));
	for (vx_uint32 i = 0; i < 2; i++) {
		vx_image level = vxGetPyramidLevel((vx_pyramid)got[2], i);
		struct pixels seen = zero_pixels(p[i].width, p[i].height, VX_DF_IMAGE_U8);
		download(level, &seen);
		for (size_t n = 0; n < bytes_in_all(&seen); n++)
			assert_int_equal(seen.bytes[n], (uint8_t)~p[i].bytes[n]);
		free_pixels(&seen);
		free_pixels(&p[i]);
		RAN(vxReleaseImage(&level));
		RAN(vxReleaseImage(&levels[i]));
	}
	release_all(got, 3);
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseImage(&single));
	RAN(vxReleasePyramid(&mine));
	RAN(vxReleaseParameter(&parameter));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&first));
	RAN(vxReleaseImage(&result));
	RAN(vxReleasePyramid(&in));
	RAN(vxReleasePyramid(&out));
}

/* ---- delays ---- */
/* What comes out is made of what went in now and two runs ago; the delay ages by itself, and is in the list or is not. */
static void aging(void **state)
{
	(void)state;
	for (int in_list = 0; in_list < 2; in_list++) {
		vx_graph graph = vxCreateGraph(context);
		vx_image in = new_image(context, VX_DF_IMAGE_U8), out = new_image(context, VX_DF_IMAGE_U8);
		vx_delay delay = vxCreateDelay(context, (vx_reference)in, 3);
		release_node(vxNotNode(graph, in, (vx_image)vxGetReferenceFromDelay(delay, 0)));
		release_node(vxXorNode(graph, (vx_image)vxGetReferenceFromDelay(delay, 0), (vx_image)vxGetReferenceFromDelay(delay, -2), out));
		RAN(vxRegisterAutoAging(graph, delay));
		now_testing("a delay that ages, %s the list", in_list ? "in" : "not in");
		struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
		for (int i = 0; i < 4; i++) {
			p.bytes[i] = (uint8_t)i;
			upload(in, &p);
			RAN(vxProcessGraph(graph));
		}
		const vx_reference refs[] = {(vx_reference)graph, (vx_reference)in, (vx_reference)out, (vx_reference)delay};
		const vx_enum uses[] = {0, without_values, without_values, with_values};
		vx_reference got[4] = {NULL};
		struct blob b = exported(3 + (vx_size)in_list, refs, uses);
		vx_import import = imported(3 + (vx_size)in_list, got, uses, &b);
		for (int round = 0; round < 5; round++) {
			struct pixels q = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
			upload(in, &q);
			upload((vx_image)got[1], &q);
			RAN(vxProcessGraph(graph));
			RAN(vxProcessGraph((vx_graph)got[0]));
			same_pixels(out, (vx_image)got[2], VX_DF_IMAGE_U8);
			free_pixels(&q);
		}
		release_all(got, 4);
		RAN(vxReleaseImport(&import));
		RAN(vxReleaseGraph(&graph));
		RAN(vxReleaseDelay(&delay));
		RAN(vxReleaseImage(&in));
		RAN(vxReleaseImage(&out));
		free_pixels(&p);
	}
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_things), cmocka_unit_test(supplied),   cmocka_unit_test(hidden),
		cmocka_unit_test(composite),   cmocka_unit_test(replicated), cmocka_unit_test(replicated_parameter),
		cmocka_unit_test(aging),
	};
	return cmocka_run_group_tests(tests, open_both, close_both);
}
