/* Bad input: images. */
#include "testbench/openvx/bad.h"

static vx_uint64 out[16]; /* room for what is asked */
enum { WIDTH = 16, HEIGHT = 8, MANY = 0x7fffffff };

/* Rectangles that are none of WIDTH x HEIGHT pixels. */
static const vx_rectangle_t no_column = {4, 0, 4, HEIGHT}, no_row = {0, 4, WIDTH, 4}, backwards = {8, 0, 4, HEIGHT}, upwards = {0, 6, WIDTH, 2},
			    too_wide = {0, 0, WIDTH + 1, HEIGHT}, too_high = {0, 0, WIDTH, HEIGHT + 1}, beyond = {WIDTH, HEIGHT, WIDTH + 4, HEIGHT + 4},
			    wraps = {0xfffffff0u, 0, 4, HEIGHT}, endless = {0, 0, 0xffffffffu, 0xffffffffu};
#define WRONG_RECTANGLE(at) \
	{(at), P(&no_column), BAD_PARAMETERS}, {(at), P(&no_row), BAD_PARAMETERS}, {(at), P(&backwards), BAD_PARAMETERS}, \
	{(at), P(&upwards), BAD_PARAMETERS}, {(at), P(&too_wide), BAD_PARAMETERS}, {(at), P(&too_high), BAD_PARAMETERS}, \
	{(at), P(&beyond), BAD_PARAMETERS}, {(at), P(&wraps), BAD_PARAMETERS}, {(at), P(&endless), BAD_PARAMETERS}
static const vx_rectangle_t all = {0, 0, WIDTH, HEIGHT}, some = {2, 2, 10, 6}, odd = {1, 0, 9, HEIGHT}, odd_row = {0, 1, WIDTH, 5};

/* ---- creation ---- */
#define WRONG_SHAPE(at) \
	{(at), N(0), BAD_DIMENSION}, {(at), N(-1), BAD_DIMENSION}, {(at), N(MANY), BAD_DIMENSION}, {(at) + 1, N(0), BAD_DIMENSION}, \
	{(at) + 1, N(-1), BAD_DIMENSION}, {(at) + 1, N(MANY), BAD_DIMENSION}, WRONG_FORMAT((at) + 2)
#define WRONG_FORMAT(at) \
	{(at), N(0), BAD_FORMAT}, {(at), N(-1), BAD_FORMAT}, {(at), N(VX_DF_IMAGE('N', 'O', 'N', 'E')), BAD_FORMAT}
#define VIRTUAL_FORMAT(at) {(at), N(VX_DF_IMAGE_VIRT), BAD_FORMAT}
#define ODD_WIDTH(at) {(at), N(WIDTH - 1), BAD_DIMENSION}, {(at), N(1), BAD_DIMENSION}
#define ODD_HEIGHT(at) {(at), N(HEIGHT + 1), BAD_DIMENSION}, {(at), N(1), BAD_DIMENSION}

static void creation(void **state)
{
	(void)state;
	static const vx_pixel_value_t value;
	vx_reference graph = one_of(VX_TYPE_GRAPH, false);
	const struct row rows[] = {
		{CALL(vxCreateImage, R(context), N(WIDTH), N(HEIGHT), N(VX_DF_IMAGE_U8)), WRONG(WRONG_SHAPE(1), VIRTUAL_FORMAT(3))},
		{CALL(vxCreateImage, R(context), N(WIDTH), N(HEIGHT), N(VX_DF_IMAGE_NV12)), WRONG(ODD_WIDTH(1), ODD_HEIGHT(2))},
		{CALL(vxCreateImage, R(context), N(WIDTH), N(HEIGHT), N(VX_DF_IMAGE_NV21)), WRONG(ODD_WIDTH(1), ODD_HEIGHT(2))},
		{CALL(vxCreateImage, R(context), N(WIDTH), N(HEIGHT), N(VX_DF_IMAGE_IYUV)), WRONG(ODD_WIDTH(1), ODD_HEIGHT(2))},
		{CALL(vxCreateImage, R(context), N(WIDTH), N(HEIGHT + 1), N(VX_DF_IMAGE_UYVY)), WRONG(ODD_WIDTH(1))},
		{CALL(vxCreateImage, R(context), N(WIDTH), N(HEIGHT + 1), N(VX_DF_IMAGE_YUYV)), WRONG(ODD_WIDTH(1))},
		{CALL(vxCreateUniformImage, R(context), N(WIDTH), N(HEIGHT), N(VX_DF_IMAGE_U8), P(&value)),
		 WRONG(WRONG_SHAPE(1), VIRTUAL_FORMAT(3), {4, P(NULL), BAD_PARAMETERS})},
		{CALL(vxCreateUniformImage, R(context), N(WIDTH), N(HEIGHT), N(VX_DF_IMAGE_NV12), P(&value)), WRONG(ODD_WIDTH(1), ODD_HEIGHT(2))},
		/* of virtual ones, what is 0 is left open */
		{CALL(vxCreateVirtualImage, R(graph), N(WIDTH), N(HEIGHT), N(VX_DF_IMAGE_U8)),
		 WRONG({1, N(-1), BAD_DIMENSION}, {1, N(MANY), BAD_DIMENSION}, {2, N(-1), BAD_DIMENSION}, {2, N(MANY), BAD_DIMENSION}, WRONG_FORMAT(3))},
		{CALL(vxCreateVirtualImage, R(graph), N(WIDTH), N(0), N(VX_DF_IMAGE_NV12)), WRONG(ODD_WIDTH(1), ODD_HEIGHT(2))},
		{CALL(vxCreateVirtualImage, R(graph), N(0), N(HEIGHT), N(VX_DF_IMAGE_VIRT)), WRONG(WRONG_FORMAT(3))},
	};
	refuse_rows(rows, COUNT(rows));
}

static void parts(void **state)
{
	(void)state;
	vx_image u8 = image_u8(WIDTH, HEIGHT), nv12 = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_NV12);
	vx_image uyvy = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_UYVY), iyuv = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_IYUV);
	vx_graph graph = vxCreateGraph(context);
	vx_image open = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT), sizeless = vxCreateVirtualImage(graph, WIDTH, 0, VX_DF_IMAGE_IYUV);
	const struct row rows[] = {
		{CALL(vxCreateImageFromROI, R(u8), P(&some)),
		 WRONG({0, R(open), BAD_PARAMETERS}, {0, R(sizeless), BAD_PARAMETERS}, {1, P(NULL), BAD_PARAMETERS}, WRONG_RECTANGLE(1))},
		{CALL(vxCreateImageFromROI, R(nv12), P(&some)), WRONG({1, P(&odd), BAD_DIMENSION}, {1, P(&odd_row), BAD_DIMENSION})},
		{CALL(vxCreateImageFromROI, R(uyvy), P(&odd_row)), WRONG({1, P(&odd), BAD_DIMENSION})},
		{CALL(vxCreateImageFromChannel, R(nv12), N(VX_CHANNEL_Y)),
		 WRONG({0, R(u8), BAD_PARAMETERS}, {0, R(uyvy), BAD_PARAMETERS}, {0, R(open), BAD_PARAMETERS}, {0, R(sizeless), BAD_PARAMETERS},
		       {1, N(VX_CHANNEL_U), BAD_PARAMETERS}, {1, N(VX_CHANNEL_V), BAD_PARAMETERS}, {1, N(VX_CHANNEL_R), BAD_PARAMETERS},
		       {1, N(VX_CHANNEL_0), BAD_PARAMETERS}, {1, N(0), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS})},
		{CALL(vxCreateImageFromChannel, R(iyuv), N(VX_CHANNEL_V)), WRONG({1, N(VX_CHANNEL_A), BAD_PARAMETERS})},
	};
	refuse_rows(rows, COUNT(rows));
	RAN(vxReleaseImage(&u8));
	RAN(vxReleaseImage(&nv12));
	RAN(vxReleaseImage(&uyvy));
	RAN(vxReleaseImage(&iyuv));
	RAN(vxReleaseImage(&open));
	RAN(vxReleaseImage(&sizeless));
	RAN(vxReleaseGraph(&graph));
}

/* ---- handles ---- */
static vx_imagepatch_addressing_t addressing(vx_uint32 width, vx_uint32 height, vx_int32 stride_x, vx_int32 stride_y)
{
	return (vx_imagepatch_addressing_t){
		.dim_x = width, .dim_y = height, .stride_x = stride_x, .stride_y = stride_y,
		.scale_x = VX_SCALE_UNITY, .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1,
	};
}

static void handles(void **state)
{
	(void)state;
	static uint8_t bytes[4][WIDTH * HEIGHT];
	enum { GOOD, NARROW, FLAT, WIDE, SHORT, NEGATIVE, PIXELS_APART, PIXELS_WITHIN, GIANT, CASES };
	vx_imagepatch_addressing_t a[CASES], two[2] = {addressing(WIDTH, HEIGHT, 1, WIDTH), addressing(WIDTH, HEIGHT, 2, WIDTH)};
	vx_imagepatch_addressing_t words = addressing(1 << 28, 1, 2, 64);
	void *one_plane[] = {bytes[0]}, *two_planes[] = {bytes[0], bytes[1]}, *no_first[] = {NULL, bytes[1]}, *no_second[] = {bytes[0], NULL};
	a[GOOD] = addressing(WIDTH, HEIGHT, 1, WIDTH);
	a[NARROW] = addressing(0, HEIGHT, 1, WIDTH);
	a[FLAT] = addressing(WIDTH, 0, 1, WIDTH);
	a[WIDE] = addressing(0xffffffffu, HEIGHT, 1, WIDTH);
	a[SHORT] = addressing(WIDTH, HEIGHT, 1, WIDTH - 1);
	a[NEGATIVE] = addressing(WIDTH, HEIGHT, 1, -WIDTH);
	a[PIXELS_APART] = addressing(WIDTH, HEIGHT, 2, 2 * WIDTH);
	a[PIXELS_WITHIN] = addressing(WIDTH, HEIGHT, 0, WIDTH);
	a[GIANT] = addressing(0x10000, 0x10000, 1, 0x10000);
	cl_int code = CL_SUCCESS;
	cl_device_id devices[16] = {NULL};
	assert_int_equal(clGetContextInfo(cl, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL), CL_SUCCESS);
	cl_context elsewhere = clCreateContext(NULL, 1, devices, NULL, NULL, &code);
	void *buffer[] = {new_buffer(cl, bytes, WIDTH * HEIGHT)}, *small[] = {new_buffer(cl, bytes, WIDTH * HEIGHT - 1)};
	void *foreign[] = {new_buffer(elsewhere, bytes, WIDTH * HEIGHT)}, *no_buffer[] = {queue};
	const struct row rows[] = {
		{CALL(vxCreateImageFromHandle, R(context), N(VX_DF_IMAGE_U8), P(&a[GOOD]), P(one_plane), N(VX_MEMORY_TYPE_HOST)),
		 WRONG(WRONG_FORMAT(1), VIRTUAL_FORMAT(1), {2, P(NULL), BAD_PARAMETERS}, {2, P(&a[NARROW]), BAD_DIMENSION}, {2, P(&a[FLAT]), BAD_DIMENSION},
		       {2, P(&a[WIDE]), BAD_DIMENSION}, {2, P(&a[SHORT]), BAD_PARAMETERS}, {2, P(&a[NEGATIVE]), BAD_PARAMETERS},
		       {2, P(&a[PIXELS_APART]), BAD_PARAMETERS}, {2, P(&a[PIXELS_WITHIN]), BAD_PARAMETERS}, {2, P(&a[GIANT]), BAD_DIMENSION},
		       {3, P(NULL), BAD_PARAMETERS}, WRONG_MEMORY(4))},
		{CALL(vxCreateImageFromHandle, R(context), N(VX_DF_IMAGE_NV12), P(two), P(two_planes), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({3, P(no_first), BAD_PARAMETERS}, {3, P(no_second), BAD_PARAMETERS})},
		/* rows of 2^29 bytes, which a stride of 64 is not enough for */
		{CALL(vxCreateImageFromHandle, R(context), N(VX_DF_IMAGE_S16), P(&words), P(one_plane), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({2, P(&words), BAD_PARAMETERS}), .is_last = true},
		{CALL(vxCreateImageFromHandle, R(context), N(VX_DF_IMAGE_U8), P(&a[GOOD]), P(buffer), N(VX_MEMORY_TYPE_OPENCL_BUFFER)),
		 WRONG({3, P(small), BAD_PARAMETERS}, {3, P(foreign), BAD_PARAMETERS}, {3, P(no_buffer), BAD_PARAMETERS},
		       {3, P(one_plane), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS})},
	};
	refuse_rows(rows, COUNT(rows));
	clReleaseMemObject(buffer[0]);
	clReleaseMemObject(small[0]);
	clReleaseMemObject(foreign[0]);
	clReleaseContext(elsewhere);
}

static void swaps(void **state)
{
	(void)state;
	static uint8_t bytes[4][WIDTH * HEIGHT];
	const vx_imagepatch_addressing_t two[] = {addressing(WIDTH, HEIGHT, 1, WIDTH), addressing(WIDTH, HEIGHT, 2, WIDTH)};
	void *planes[] = {bytes[0], bytes[1]}, *others[] = {bytes[2], bytes[3]}, *no_first[] = {NULL, bytes[3]}, *no_second[] = {bytes[2], NULL};
	void *none[] = {NULL, NULL}, *back[2] = {NULL, NULL};
	vx_imagepatch_addressing_t a;
	vx_map_id id;
	void *ptr;
	vx_image image = vxCreateImageFromHandle(context, VX_DF_IMAGE_NV12, two, planes, VX_MEMORY_TYPE_HOST);
	CREATED(image);
	vx_image region = vxCreateImageFromROI(image, &some), plain = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_NV12);
	CREATED(region);
	const struct row rows[] = {
		{CALL(vxSwapImageHandle, R(image), P(planes), P(back), N(2)),
		 WRONG({0, R(region), BAD_PARAMETERS}, {0, R(plain), BAD_PARAMETERS}, {1, P(no_first), BAD_PARAMETERS}, {1, P(no_second), BAD_PARAMETERS},
		       {1, P(none), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N(1), BAD_PARAMETERS}, {3, N(3), BAD_PARAMETERS}, {3, N(-1), BAD_PARAMETERS})},
	};
	refuse_rows(rows, COUNT(rows));
	assert_ptr_equal(back[0], bytes[0]);
	assert_ptr_equal(back[1], bytes[1]);
	/* while it is mapped, or a part of it is */
	vx_image mapped[] = {image, region};
	for (size_t i = 0; i < COUNT(mapped); i++) {
		back[0] = back[1] = NULL;
		RAN(vxMapImagePatch(mapped[i], &(vx_rectangle_t){0, 0, 2, 2}, 1, &id, &a, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
		VX_FAILS(VX_FAILURE, vxSwapImageHandle(image, others, back, 2));
		VX_FAILS(VX_FAILURE, vxSwapImageHandle(image, NULL, back, 2));
		assert_null(back[0]);
		RAN(vxUnmapImagePatch(mapped[i], id));
	}
	RAN(vxSwapImageHandle(image, others, back, 2));
	assert_ptr_equal(back[1], bytes[1]);
	/* without memory there are no pixels */
	RAN(vxSwapImageHandle(image, NULL, back, 2));
	assert_ptr_equal(back[0], bytes[2]);
	VX_FAILS(VX_ERROR_NO_MEMORY, vxMapImagePatch(image, &all, 0, &id, &a, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	VX_FAILS(VX_ERROR_NO_MEMORY, vxMapImagePatch(region, &(vx_rectangle_t){0, 0, 2, 2}, 0, &id, &a, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	RAN(vxSwapImageHandle(image, planes, back, 2));
	RAN(vxMapImagePatch(region, &(vx_rectangle_t){0, 0, 2, 2}, 0, &id, &a, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	RAN(vxUnmapImagePatch(region, id));
	RAN(vxReleaseImage(&region));
	RAN(vxReleaseImage(&plain));
	RAN(vxReleaseImage(&image));
}

/* ---- attributes and values ---- */
static void values(void **state)
{
	(void)state;
	static const vx_pixel_value_t value = {.U8 = 7};
	const vx_enum space = VX_COLOR_SPACE_BT709, bad_space = VX_COLOR_SPACE_BT709 + 1;
	vx_image image = image_u8(WIDTH, HEIGHT), uniform = vxCreateUniformImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8, &value);
	vx_image hidden = vxCreateVirtualImage((vx_graph)one_of(VX_TYPE_GRAPH, false), WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_image region = vxCreateImageFromROI(uniform, &some);
	const struct row rows[] = {
		{CALL(vxQueryImage, R(image), N(VX_IMAGE_WIDTH), P(out), N(4)), WRONG(WRONG_ATTRIBUTE, {1, N(VX_SCALAR_TYPE), UNSUPPORTED}, WRONG_SIZE(4))},
		{CALL(vxSetImageAttribute, R(image), N(VX_IMAGE_SPACE), P(&space), N(4)),
		 WRONG(WRONG_ATTRIBUTE, {1, N(VX_IMAGE_WIDTH), UNSUPPORTED}, {1, N(VX_IMAGE_RANGE), UNSUPPORTED}, {1, N(VX_IMAGE_FORMAT), UNSUPPORTED},
		       {2, P(&bad_space), BAD_VALUE}, WRONG_SIZE(4))},
		{CALL(vxSetImagePixelValues, R(image), P(&value)),
		 WRONG({0, R(uniform), BAD_REFERENCE}, {0, R(region), BAD_REFERENCE}, {0, R(hidden), BAD_REFERENCE}, {1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxGetValidRegionImage, R(image), P(out)), WRONG({1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxSetImageValidRectangle, R(image), P(&some)),
		 WRONG({1, P(&backwards), BAD_PARAMETERS}, {1, P(&upwards), BAD_PARAMETERS}, {1, P(&too_wide), BAD_PARAMETERS}, {1, P(&too_high), BAD_PARAMETERS},
		       {1, P(&beyond), BAD_PARAMETERS}, {1, P(&wraps), BAD_PARAMETERS}, {1, P(&endless), BAD_PARAMETERS})},
		{CALL(vxReleaseImage, R(image))},
	};
	refuse_rows(rows, COUNT(rows));
	RAN(vxReleaseImage(&region));
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&uniform));
	RAN(vxReleaseImage(&hidden));
}

/* ---- pixels ---- */
static void pixels_of_images(void **state)
{
	(void)state;
	static uint8_t bytes[4 * WIDTH * HEIGHT], before[WIDTH * HEIGHT], after[WIDTH * HEIGHT];
	static const vx_pixel_value_t value;
	enum { GOOD, WITHIN, SHORT, NEGATIVE, NONE, CASES };
	vx_imagepatch_addressing_t a[CASES], got;
	vx_map_id id = 0, open = 0, of_another = 0;
	void *ptr = NULL;
	a[GOOD] = addressing(WIDTH, HEIGHT, 1, WIDTH);
	a[WITHIN] = addressing(WIDTH, HEIGHT, 0, WIDTH);
	a[SHORT] = addressing(WIDTH, HEIGHT, 1, WIDTH - 1);
	a[NEGATIVE] = addressing(WIDTH, HEIGHT, 1, -WIDTH);
	a[NONE] = addressing(WIDTH, HEIGHT, 0, 0);
	vx_image image = image_u8(WIDTH, HEIGHT), another = image_u8(WIDTH, HEIGHT), bits = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U1);
	vx_image uniform = vxCreateUniformImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8, &value);
	vx_image hidden = vxCreateVirtualImage((vx_graph)one_of(VX_TYPE_GRAPH, false), WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	for (size_t i = 0; i < sizeof before; i++)
		before[i] = (uint8_t)splitmix64(&seed);
	RAN(move_u8(image, before, VX_WRITE_ONLY));
	void *small = new_buffer(cl, bytes, WIDTH * HEIGHT - 1);
	const struct row rows[] = {
		{CALL(vxCopyImagePatch, R(image), P(&all), N(0), P(&a[GOOD]), P(bytes), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden), HIDDEN}, {1, P(NULL), BAD_PARAMETERS}, WRONG_RECTANGLE(1), {2, N(1), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS},
		       {3, P(NULL), BAD_PARAMETERS}, {3, P(&a[WITHIN]), BAD_PARAMETERS}, {3, P(&a[SHORT]), BAD_PARAMETERS},
		       {3, P(&a[NEGATIVE]), BAD_PARAMETERS}, {3, P(&a[NONE]), BAD_PARAMETERS})},
		{CALL(vxCopyImagePatch, R(image), P(&all), N(0), P(&a[GOOD]), P(before), N(VX_WRITE_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden), HIDDEN}, {0, R(uniform), UNSUPPORTED}, WRONG_COPY(4), {6, N(VX_MEMORY_TYPE_OPENCL_BUFFER), BAD_PARAMETERS})},
		{CALL(vxCopyImagePatch, R(image), P(&all), N(0), P(&a[GOOD]), P(bytes), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_OPENCL_BUFFER)),
		 WRONG({4, P(NULL), BAD_PARAMETERS}, {4, P(bytes), BAD_PARAMETERS}, {4, P(small), BAD_PARAMETERS}, {4, P(queue), BAD_PARAMETERS},
		       {4, N(0x1234), BAD_PARAMETERS}),
		 .is_last = true},
		{CALL(vxMapImagePatch, R(image), P(&some), N(0), P(&id), P(&got), P(&ptr), N(VX_READ_AND_WRITE), N(VX_MEMORY_TYPE_HOST), N(0)),
		 WRONG({0, R(hidden), HIDDEN}, {0, R(uniform), UNSUPPORTED}, {1, P(NULL), BAD_PARAMETERS}, WRONG_RECTANGLE(1), {2, N(1), BAD_PARAMETERS},
		       {2, N(-1), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS}, {4, P(NULL), BAD_PARAMETERS}, {5, P(NULL), BAD_PARAMETERS}, WRONG_USAGE(6),
		       WRONG_MEMORY(7)),
		 .undo = undo_map},
		{CALL(vxMapImagePatch, R(uniform), P(&all), N(0), P(&id), P(&got), P(&ptr), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST), N(VX_NOGAP_X)),
		 WRONG({6, N(VX_WRITE_ONLY), UNSUPPORTED}, {6, N(VX_READ_AND_WRITE), UNSUPPORTED}), .undo = undo_map},
		/* of bits, too, any rectangle will do: it need not begin with a byte */
		{CALL(vxMapImagePatch, R(bits), P(&odd), N(0), P(&id), P(&got), P(&ptr), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST), N(0)),
		 WRONG({1, P(NULL), BAD_PARAMETERS}, WRONG_RECTANGLE(1)), .undo = undo_map},
	};
	refuse_rows(rows, COUNT(rows));
	/* maps of others, and none */
	RAN(vxMapImagePatch(image, &some, 0, &open, &got, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	RAN(vxMapImagePatch(another, &some, 0, &of_another, &got, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	const struct row unmapping[] = {
		{CALL(vxUnmapImagePatch, R(image), N(open)),
		 WRONG({0, R(another), BAD_PARAMETERS}, {0, R(bits), BAD_PARAMETERS}, {1, N(0), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS},
		       {1, N(of_another), BAD_PARAMETERS}, {1, N(id), BAD_PARAMETERS})},
	};
	refuse_rows(unmapping, COUNT(unmapping));
	VX_FAILS(BAD_PARAMETERS, vxUnmapImagePatch(image, open));
	RAN(vxUnmapImagePatch(another, of_another));
	RAN(move_u8(image, after, VX_READ_ONLY));
	expect_bytes(before, after, sizeof after);
	clReleaseMemObject(small);
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&another));
	RAN(vxReleaseImage(&bits));
	RAN(vxReleaseImage(&uniform));
	RAN(vxReleaseImage(&hidden));
}

/* Addresses of pixels that are none. */
static void addresses(void **state)
{
	(void)state;
	static uint8_t bytes[WIDTH * HEIGHT];
	const vx_imagepatch_addressing_t a = addressing(WIDTH, HEIGHT, 1, WIDTH), no_columns = addressing(0, HEIGHT, 1, WIDTH),
					 no_rows = addressing(WIDTH, 0, 1, WIDTH);
	const struct row rows[] = {
		{CALL(vxFormatImagePatchAddress1d, P(bytes), N(WIDTH * HEIGHT - 1), P(&a)),
		 WRONG({0, P(NULL), VX_FAILURE}, {1, N(WIDTH * HEIGHT), VX_FAILURE}, {1, N(-1), VX_FAILURE}, {2, P(NULL), VX_FAILURE},
		       {2, P(&no_columns), VX_FAILURE}, {2, P(&no_rows), VX_FAILURE})},
		{CALL(vxFormatImagePatchAddress2d, P(bytes), N(WIDTH - 1), N(HEIGHT - 1), P(&a)),
		 WRONG({0, P(NULL), VX_FAILURE}, {1, N(WIDTH), VX_FAILURE}, {1, N(-1), VX_FAILURE}, {2, N(HEIGHT), VX_FAILURE}, {2, N(-1), VX_FAILURE},
		       {3, P(NULL), VX_FAILURE}, {3, P(&no_columns), VX_FAILURE}, {3, P(&no_rows), VX_FAILURE})},
	};
	refuse_rows(rows, COUNT(rows));
}

static void complete(void **state)
{
	(void)state;
	expect_all("images");
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creation), cmocka_unit_test(parts), cmocka_unit_test(handles), cmocka_unit_test(swaps),
		cmocka_unit_test(values), cmocka_unit_test(pixels_of_images), cmocka_unit_test(addresses), cmocka_unit_test(complete),
	};
	return cmocka_run_group_tests(tests, open_zoo, close_zoo);
}
