/* Images: formats, copies, maps, parts, uniform values, memory of the application's. */
#include "testbench/openvx/vx.h"

static const struct { vx_df_image format; vx_size planes; unsigned row[3], rows[3]; } shapes[] = { /* of 16 x 8 pixels: bytes of rows, and how many */
	{VX_DF_IMAGE_U1, 1, {2}, {8}},
	{VX_DF_IMAGE_U8, 1, {16}, {8}},
	{VX_DF_IMAGE_U16, 1, {32}, {8}},
	{VX_DF_IMAGE_S16, 1, {32}, {8}},
	{VX_DF_IMAGE_U32, 1, {64}, {8}},
	{VX_DF_IMAGE_S32, 1, {64}, {8}},
	{VX_DF_IMAGE_RGB, 1, {48}, {8}},
	{VX_DF_IMAGE_RGBX, 1, {64}, {8}},
	{VX_DF_IMAGE_UYVY, 1, {32}, {8}},
	{VX_DF_IMAGE_YUYV, 1, {32}, {8}},
	{VX_DF_IMAGE_NV12, 2, {16, 16}, {8, 4}},
	{VX_DF_IMAGE_NV21, 2, {16, 16}, {8, 4}},
	{VX_DF_IMAGE_IYUV, 3, {16, 8, 8}, {8, 4, 4}},
	{VX_DF_IMAGE_YUV4, 3, {16, 16, 16}, {8, 8, 8}},
};

/* What is copied in is seen in a map, and what is written in the map is copied out. */
static void planes(void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		vx_image image = vxCreateImage(context, 16, 8, shapes[s].format);
		vx_size count = 0;
		VX_MADE(image);
		VX_OK(vxQueryImage(image, VX_IMAGE_PLANES, &count, sizeof count));
		assert_int_equal(count, shapes[s].planes);
		for (unsigned p = 0; p < count; p++) {
			const vx_rectangle_t all = {0, 0, 16, 8};
			vx_imagepatch_addressing_t a = {0};
			uint8_t in[512], out[512];
			vx_map_id id;
			void *ptr = NULL;
			const unsigned row = shapes[s].row[p], rows = shapes[s].rows[p];
			VX_OK(vxMapImagePatch(image, &all, p, &id, &a, &ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
			assert_int_equal(a.stride_y, row);
			assert_int_equal(a.dim_y / a.step_y, rows);
			VX_OK(vxUnmapImagePatch(image, id));
			for (unsigned i = 0; i < row * rows; i++)
				in[i] = (uint8_t)(i * 7 + p + s);
			VX_OK(vxCopyImagePatch(image, &all, p, &a, in, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
			VX_OK(vxMapImagePatch(image, &all, p, &id, &a, &ptr, VX_READ_AND_WRITE, VX_MEMORY_TYPE_HOST, 0));
			assert_memory_equal(ptr, in, row * rows);
			((uint8_t *)ptr)[row * rows - 1] ^= 0xff;
			VX_OK(vxUnmapImagePatch(image, id));
			VX_OK(vxCopyImagePatch(image, &all, p, &a, out, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
			in[row * rows - 1] ^= 0xff;
			assert_memory_equal(out, in, row * rows);
		}
		VX_OK(vxReleaseImage(&image));
	}
}

static void regions(void **state)
{
	(void)state;
	uint8_t bytes[12 * 10], part[5 * 4], seen[12 * 10];
	vx_image image = image_u8(12, 10);
	for (int i = 0; i < 120; i++)
		bytes[i] = (uint8_t)i;
	VX_OK(move_u8(image, bytes, VX_WRITE_ONLY));
	vx_image roi = vxCreateImageFromROI(image, &(vx_rectangle_t){3, 2, 8, 6});
	VX_MADE(roi);
	VX_OK(move_u8(roi, part, VX_READ_ONLY));
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 5; x++)
			assert_int_equal(part[y * 5 + x], (y + 2) * 12 + x + 3);
	/* what is written through the part is in the whole, and the part outlives the application's reference to the whole */
	memset(part, 200, sizeof part);
	VX_OK(move_u8(roi, part, VX_WRITE_ONLY));
	VX_OK(move_u8(image, seen, VX_READ_ONLY));
	for (int y = 0; y < 10; y++)
		for (int x = 0; x < 12; x++)
			assert_int_equal(seen[y * 12 + x], x >= 3 && x < 8 && y >= 2 && y < 6 ? 200 : y * 12 + x);
	VX_OK(vxReleaseImage(&image));
	VX_OK(move_u8(roi, part, VX_READ_ONLY));
	VX_OK(vxReleaseImage(&roi));
	image = image_u8(4, 4);
	roi = vxCreateImageFromROI(image, &(vx_rectangle_t){0, 0, 5, 4});
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxGetStatus((vx_reference)roi));
	VX_OK(vxReleaseImage(&image));
}

static void uniform(void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		const vx_pixel_value_t value = {.reserved = {1, 2, 3, 4}};
		vx_image image = vxCreateUniformImage(context, 16, 8, shapes[s].format, &value);
		const vx_rectangle_t all = {0, 0, 16, 8};
		vx_imagepatch_addressing_t a;
		vx_map_id id;
		uint8_t *ptr = NULL;
		VX_MADE(image);
		VX_OK(vxMapImagePatch(image, &all, 0, &id, &a, (void **)&ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
		const unsigned period = shapes[s].row[0] / 16 > 1 && shapes[s].format != VX_DF_IMAGE_UYVY && shapes[s].format != VX_DF_IMAGE_YUYV ? shapes[s].row[0] / 16 : 1;
		if (shapes[s].format == VX_DF_IMAGE_U1)
			assert_int_equal(ptr[3], 0xff);
		else if (shapes[s].format == VX_DF_IMAGE_UYVY)
			assert_memory_equal(ptr + 4, ((uint8_t[]){2, 1, 3, 1}), 4);
		else if (shapes[s].format == VX_DF_IMAGE_YUYV)
			assert_memory_equal(ptr + 4, ((uint8_t[]){1, 2, 1, 3}), 4);
		else
			assert_memory_equal(ptr + 5 * period, value.reserved, period);
		VX_OK(vxUnmapImagePatch(image, id));
		VX_FAILS(VX_ERROR_NOT_SUPPORTED, vxMapImagePatch(image, &all, 0, &id, &a, (void **)&ptr, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST, 0));
		VX_OK(vxReleaseImage(&image));
	}
}

/* The application's own memory, with rows further apart, swapped for other. */
static void handles(void **state)
{
	(void)state;
	enum { WIDTH = 30, HEIGHT = 11, STRIDE = 40 };
	uint8_t *first = calloc(HEIGHT, STRIDE), *second = calloc(HEIGHT, STRIDE), *back = NULL;
	vx_imagepatch_addressing_t a = {.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = STRIDE, .scale_x = VX_SCALE_UNITY, .scale_y = VX_SCALE_UNITY,
					.step_x = 1, .step_y = 1};
	memset(first, 3, HEIGHT * STRIDE);
	memset(second, 5, HEIGHT * STRIDE);
	vx_image image = vxCreateImageFromHandle(context, VX_DF_IMAGE_U8, &a, (void *[]){first}, VX_MEMORY_TYPE_HOST), out = image_u8(WIDTH, HEIGHT);
	uint8_t bytes[WIDTH * HEIGHT];
	vx_enum memory = 0;
	VX_MADE(image);
	VX_OK(vxQueryImage(image, VX_IMAGE_MEMORY_TYPE, &memory, sizeof memory));
	assert_int_equal(memory, VX_MEMORY_TYPE_HOST);
	VX_OK(vxuNot(context, image, out));
	VX_OK(move_u8(out, bytes, VX_READ_ONLY));
	assert_int_equal(bytes[WIDTH * HEIGHT - 1], 0xfc);
	/* written by the device, reclaimed by a swap */
	VX_OK(vxuNot(context, out, image));
	VX_OK(vxSwapImageHandle(image, (void *[]){second}, (void **)&back, 1));
	assert_ptr_equal(back, first);
	assert_int_equal(first[(HEIGHT - 1) * STRIDE + WIDTH - 1], 3);
	VX_OK(vxuNot(context, image, out));
	VX_OK(move_u8(out, bytes, VX_READ_ONLY));
	assert_int_equal(bytes[0], 0xfa);
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxSwapImageHandle(out, (void *[]){first}, NULL, 1));
	VX_OK(vxReleaseImage(&image));
	a.stride_y = WIDTH - 1;
	image = vxCreateImageFromHandle(context, VX_DF_IMAGE_U8, &a, (void *[]){first}, VX_MEMORY_TYPE_HOST);
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxGetStatus((vx_reference)image));
	VX_OK(vxReleaseImage(&out));
	free(first);
	free(second);
}

/* Regions of regions: the kit goes from one to the next, so there is an end to them, and what there is can be used. */
static void regions_of_regions(void **state)
{
	(void)state;
	vx_image image = image_u8(8, 8), region = NULL;
	vx_status status = VX_SUCCESS;
	vx_uint32 depth = 0;
	while (!status && depth < 100000) {
		region = vxCreateImageFromROI(image, &(vx_rectangle_t){0, 0, 8, 8});
		status = vxGetStatus((vx_reference)region);
		if (!status) {
			VX_OK(vxReleaseImage(&image));
			image = region;
			depth++;
		}
	}
	assert_int_equal(status, VX_ERROR_NO_RESOURCES);
	assert_true(depth >= 1000);
	VX_OK(vxSetImagePixelValues(image, &(vx_pixel_value_t){.U8 = 5}));
	uint8_t bytes[64];
	VX_OK(move_u8(image, bytes, VX_READ_ONLY));
	assert_int_equal(bytes[63], 5);
	VX_OK(vxReleaseImage(&image));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(planes), cmocka_unit_test(regions), cmocka_unit_test(uniform), cmocka_unit_test(handles),
					   cmocka_unit_test(regions_of_regions)};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
