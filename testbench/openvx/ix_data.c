/* vx_khr_ix: data objects of all kinds, with their data and without, alone and as parts of others. */
#include "testbench/openvx/ix_data.h"

/* One object out and in again. */
static vx_reference through(vx_reference ref, vx_enum use)
{
	struct blob b = exported(1, &ref, &use);
	vx_reference out = NULL;
	vx_import import = imported(1, &out, &use, &b);
	assert_ptr_equal(vxGetContext(out), there);
	assert_int_equal(count_of(out), 1);
	RAN(vxReleaseImport(&import));
	return out;
}

/* ---- objects of one store ---- */
static void set_data(const struct kind *k, vx_reference ref, uint8_t *data)
{
	if (k->type == VX_TYPE_ARRAY) {
		RAN(vxTruncateArray((vx_array)ref, 0));
		RAN(vxAddArrayItems((vx_array)ref, ARRAY_ITEMS, data, sizeof(vx_keypoint_t)));
	} else {
		RAN(k->copy(ref, data, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	}
}

static void values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		vx_reference ref = made(k);
		uint8_t *data = k->bytes ? new_bytes(k->bytes) : NULL;
		now_testing("%s with its data", k->name);
		if (data)
			set_data(k, ref, data);
		vx_reference out = through(ref, with_values);
		check_attributes(k, out, false);
		if (data)
			expect_data(k, out, data);
		ended(k, &out);
		ended(k, &ref);
		free(data);
	}
}

static void no_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		vx_reference ref = made(k);
		uint8_t *data = k->bytes ? new_bytes(k->bytes) : NULL, *zeros = calloc(1, k->bytes + 1);
		now_testing("%s without its data", k->name);
		if (data)
			set_data(k, ref, data);
		vx_reference out = through(ref, without_values);
		check_attributes(k, out, true);
		if (data && k->type != VX_TYPE_ARRAY)
			expect_data(k, out, zeros);
		/* the application sets them */
		if (data) {
			set_data(k, out, data);
			expect_data(k, out, data);
		}
		ended(k, &out);
		ended(k, &ref);
		free(data);
		free(zeros);
	}
}

/* What has never been written is the default of its kind. */
static void defaults(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		vx_reference ref = made(k);
		now_testing("%s that nobody has written", k->name);
		if (k->type == VX_TYPE_SCALAR)
			RAN(k->copy(ref, &(vx_int64){0}, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		vx_reference out = through(ref, with_values);
		uint8_t *zeros = calloc(1, k->bytes + 1);
		if (k->bytes)
			expect_data(k, out, zeros);
		free(zeros);
		ended(k, &out);
		ended(k, &ref);
	}
}

static void supplied(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		vx_reference ref = made(k), mine = k->make(there), out = mine;
		uint8_t *data = k->bytes ? new_bytes(k->bytes) : NULL;
		now_testing("%s that the application creates", k->name);
		CREATED(mine);
		if (data)
			set_data(k, mine, data);
		struct blob b = exported(1, &ref, &application);
		/* one of another kind does not do */
		const struct kind *wrong = &kinds[(i + 1) % COUNT(kinds)];
		out = wrong->make(there);
		CREATED(out);
		vx_reference given = out;
		NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 1, &out, &application, &b);
		ended(wrong, &given);
		out = mine;
		vx_import import = imported(1, &out, &application, &b);
		assert_ptr_equal(out, mine);
		assert_int_equal(count_of(mine), 1);
		/* its data are the application's */
		if (data)
			expect_data(k, mine, data);
		RAN(vxReleaseImport(&import));
		ended(k, &mine);
		ended(k, &ref);
		free(data);
	}
}

/* Objects of one kind whose meta data differ in one thing. */
static void other_meta_data(void **state)
{
	(void)state;
	vx_pixel_value_t red = {.U8 = 1};
	vx_image exemplar[2] = {vxCreateImage(there, 4, 4, VX_DF_IMAGE_U8), vxCreateImage(there, 4, 6, VX_DF_IMAGE_U8)};
	vx_image mine = vxCreateImage(context, 4, 4, VX_DF_IMAGE_U8);
	const vx_size dims[3][3] = {{4, 3, 2}, {4, 3, 3}, {4, 6, 1}};
	const struct { const char *name; void *is, *wrong; } pairs[] = {
		{"type of a scalar", vxCreateScalar(context, VX_TYPE_INT32, NULL), vxCreateScalar(there, VX_TYPE_UINT32, NULL)},
		{"items of an array", vxCreateArray(context, VX_TYPE_COORDINATES2D, 9), vxCreateArray(there, VX_TYPE_COORDINATES2DF, 9)},
		{"capacity of an array", vxCreateArray(context, VX_TYPE_COORDINATES2D, 9), vxCreateArray(there, VX_TYPE_COORDINATES2D, 10)},
		{"rows of a matrix", vxCreateMatrix(context, VX_TYPE_FLOAT32, 3, 4), vxCreateMatrix(there, VX_TYPE_FLOAT32, 3, 5)},
		{"pattern of a matrix", vxCreateMatrixFromPattern(context, VX_PATTERN_BOX, 3, 3), vxCreateMatrixFromPattern(there, VX_PATTERN_CROSS, 3, 3)},
		{"origin of a matrix", vxCreateMatrixFromPatternAndOrigin(context, VX_PATTERN_BOX, 3, 3, 0, 2),
		 vxCreateMatrixFromPatternAndOrigin(there, VX_PATTERN_BOX, 3, 3, 2, 2)},
		{"columns of a convolution", vxCreateConvolution(context, 3, 5), vxCreateConvolution(there, 5, 5)},
		{"bins of a distribution", vxCreateDistribution(context, 8, 0, 32), vxCreateDistribution(there, 16, 0, 32)},
		{"offset of a distribution", vxCreateDistribution(context, 8, 0, 32), vxCreateDistribution(there, 8, 1, 32)},
		{"source of a remap table", vxCreateRemap(context, 8, 8, 4, 4), vxCreateRemap(there, 8, 9, 4, 4)},
		{"count of a lookup table", vxCreateLUT(context, VX_TYPE_UINT8, 256), vxCreateLUT(there, VX_TYPE_UINT8, 255)},
		{"type of a threshold", vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8),
		 vxCreateThresholdForImage(there, VX_THRESHOLD_TYPE_RANGE, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8)},
		{"levels of a pyramid", vxCreatePyramid(context, 3, VX_SCALE_PYRAMID_HALF, 16, 16, VX_DF_IMAGE_U8),
		 vxCreatePyramid(there, 2, VX_SCALE_PYRAMID_HALF, 16, 16, VX_DF_IMAGE_U8)},
		{"scale of a pyramid", vxCreatePyramid(context, 3, VX_SCALE_PYRAMID_HALF, 16, 16, VX_DF_IMAGE_U8),
		 vxCreatePyramid(there, 3, VX_SCALE_PYRAMID_ORB, 16, 16, VX_DF_IMAGE_U8)},
		{"size of a tensor", vxCreateTensor(context, 3, dims[0], VX_TYPE_UINT8, 0), vxCreateTensor(there, 3, dims[1], VX_TYPE_UINT8, 0)},
		{"point of a tensor", vxCreateTensor(context, 3, dims[0], VX_TYPE_INT16, 8), vxCreateTensor(there, 3, dims[0], VX_TYPE_INT16, 7)},
		{"items of an object array", vxCreateObjectArray(context, (vx_reference)mine, 2),
		 vxCreateObjectArray(there, (vx_reference)exemplar[1], 2)},
		{"length of an object array", vxCreateObjectArray(context, (vx_reference)mine, 2),
		 vxCreateObjectArray(there, (vx_reference)exemplar[0], 3)},
		{"slots of a delay", vxCreateDelay(context, (vx_reference)mine, 2), vxCreateDelay(there, (vx_reference)exemplar[0], 3)},
		{"objects in a delay", vxCreateDelay(context, (vx_reference)mine, 2), vxCreateDelay(there, (vx_reference)exemplar[1], 2)},
		{"name of a user data object", vxCreateUserDataObject(context, "a", 8, NULL), vxCreateUserDataObject(there, "b", 8, NULL)},
		{"size of a user data object", vxCreateUserDataObject(context, "a", 8, NULL), vxCreateUserDataObject(there, "a", 9, NULL)},
	};
	for (size_t i = 0; i < COUNT(pairs); i++) {
		vx_reference is = pairs[i].is, wrong = pairs[i].wrong;
		now_testing("another %s", pairs[i].name);
		CREATED(is);
		CREATED(wrong);
		struct blob b = exported(1, &is, &application);
		NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 1, &wrong, &application, &b);
		LOGGED("object ");
		free(b.bytes);
		RAN(vxReleaseReference(&is));
		RAN(vxReleaseReference(&wrong));
	}
	/* a uniform image stands in for any other */
	now_testing("a uniform image in the place of another");
	vx_reference is = (vx_reference)mine, uniform = (vx_reference)vxCreateUniformImage(there, 4, 4, VX_DF_IMAGE_U8, &red);
	struct blob b = exported(1, &is, &application);
	vx_import import = imported(1, &uniform, &application, &b);
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseReference(&uniform));
	RAN(vxReleaseImage(&exemplar[0]));
	RAN(vxReleaseImage(&exemplar[1]));
	RAN(vxReleaseImage(&mine));
}

/* ---- what is not in attributes of creation ---- */
static void settings(void **state)
{
	(void)state;
	vx_convolution conv = vxCreateConvolution(context, 3, 3);
	vx_threshold threshold = vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_RANGE, VX_DF_IMAGE_S16, VX_DF_IMAGE_U8);
	vx_image image = vxCreateImage(context, 8, 4, VX_DF_IMAGE_YUV4);
	vx_matrix pattern = vxCreateMatrixFromPatternAndOrigin(context, VX_PATTERN_DISK, 5, 5, 1, 3);
	const vx_uint32 scale = 16;
	const vx_enum space = VX_COLOR_SPACE_BT601_525;
	const vx_rectangle_t valid = {1, 2, 7, 4};
	vx_pixel_value_t v[4] = {{.S16 = -300}, {.S16 = 500}, {.U8 = 77}, {.U8 = 3}}, seen[4];
	now_testing("a convolution's scale");
	RAN(vxSetConvolutionAttribute(conv, VX_CONVOLUTION_SCALE, &scale, sizeof scale));
	for (int values_too = 0; values_too < 2; values_too++) {
		vx_uint32 got = 0;
		vx_convolution out = (vx_convolution)through((vx_reference)conv, values_too ? with_values : without_values);
		RAN(vxQueryConvolution(out, VX_CONVOLUTION_SCALE, &got, sizeof got));
		assert_int_equal(got, scale);
		RAN(vxReleaseConvolution(&out));
	}
	now_testing("a threshold's values");
	RAN(vxCopyThresholdRange(threshold, &v[0], &v[1], VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxCopyThresholdOutput(threshold, &v[2], &v[3], VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	for (int values_too = 0; values_too < 2; values_too++) {
		const vx_pixel_value_t none[4] = {{.S16 = 0}, {.S16 = 0}, {.U8 = 255}, {.U8 = 0}}, *expected = values_too ? v : none;
		vx_threshold out = (vx_threshold)through((vx_reference)threshold, values_too ? with_values : without_values);
		RAN(vxCopyThresholdRange(out, &seen[0], &seen[1], VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxCopyThresholdOutput(out, &seen[2], &seen[3], VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		assert_int_equal(seen[0].S16, expected[0].S16);
		assert_int_equal(seen[1].S16, expected[1].S16);
		assert_int_equal(seen[2].U8, expected[2].U8);
		assert_int_equal(seen[3].U8, expected[3].U8);
		RAN(vxReleaseThreshold(&out));
	}
	now_testing("an image's colour space and valid rectangle");
	RAN(vxSetImageAttribute(image, VX_IMAGE_SPACE, &space, sizeof space));
	RAN(vxSetImageValidRectangle(image, &valid));
	for (int values_too = 0; values_too < 2; values_too++) {
		const vx_rectangle_t all = {0, 0, 8, 4};
		vx_rectangle_t rect = {0};
		vx_enum got = 0;
		vx_image out = (vx_image)through((vx_reference)image, values_too ? with_values : without_values);
		RAN(vxQueryImage(out, VX_IMAGE_SPACE, &got, sizeof got));
		assert_int_equal(got, space);
		RAN(vxGetValidRegionImage(out, &rect));
		assert_memory_equal(&rect, values_too ? &valid : &all, sizeof rect);
		RAN(vxReleaseImage(&out));
	}
	now_testing("a matrix from a pattern");
	for (int values_too = 0; values_too < 2; values_too++) {
		uint8_t cells[2][25];
		vx_matrix out = (vx_matrix)through((vx_reference)pattern, values_too ? with_values : without_values);
		vx_coordinates2d_t origin = {0};
		RAN(vxQueryMatrix(out, VX_MATRIX_ORIGIN, &origin, sizeof origin));
		assert_int_equal(origin.x, 1);
		assert_int_equal(origin.y, 3);
		RAN(vxCopyMatrix(pattern, cells[0], VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxCopyMatrix(out, cells[1], VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		assert_memory_equal(cells[0], cells[1], sizeof cells[0]);
		RAN(vxReleaseMatrix(&out));
	}
	RAN(vxReleaseConvolution(&conv));
	RAN(vxReleaseThreshold(&threshold));
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseMatrix(&pattern));
}

/* ---- types of the application's ---- */
static void user_structs(void **state)
{
	(void)state;
	struct point { float x, y, z; } points[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, seen[3] = {{0, 0, 0}};
	vx_enum here[2], got = 0, named = 0;
	vx_size items = 0;
	now_testing("types that the application has registered");
	/* numbers differ from one context to the other, names do not */
	assert_int_not_equal(vxRegisterUserStruct(there, 3), VX_TYPE_INVALID);
	here[0] = vxRegisterUserStructWithName(context, sizeof(struct point), "galena.point");
	here[1] = vxRegisterUserStruct(context, sizeof(struct point));
	for (int i = 0; i < 2; i++) {
		vx_array array = vxCreateArray(context, here[i], 5);
		RAN(vxAddArrayItems(array, 3, points, sizeof *points));
		vx_array out = (vx_array)through((vx_reference)array, with_values);
		RAN(vxQueryArray(out, VX_ARRAY_NUMITEMS, &items, sizeof items));
		assert_int_equal(items, 3);
		RAN(vxQueryArray(out, VX_ARRAY_ITEMTYPE, &got, sizeof got));
		if (!i)
			RAN(vxGetUserStructEnumByName(there, "galena.point", &named));
		if (!i)
			assert_int_equal(got, named);
		RAN(vxCopyArrayRange(out, 0, 3, sizeof *seen, seen, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		assert_memory_equal(points, seen, sizeof points);
		RAN(vxReleaseArray(&out));
		RAN(vxReleaseArray(&array));
	}
	now_testing("a type that is something else in the context of the import");
	const vx_enum other_size = vxRegisterUserStructWithName(context, 8, "galena.pair");
	assert_int_not_equal(vxRegisterUserStructWithName(there, 12, "galena.pair"), VX_TYPE_INVALID);
	vx_reference array = (vx_reference)vxCreateArray(context, other_size, 2), out = NULL;
	struct blob b = exported(1, &array, &with_values);
	NOT_IMPORTED(VX_ERROR_NOT_COMPATIBLE, 1, &out, &with_values, &b);
	LOGGED("galena.pair");
	free(b.bytes);
	RAN(vxReleaseReference(&array));
}

/* ---- images ---- */
static void expect_pixels(vx_image image, const struct pixels *expected)
{
	struct pixels seen = zero_pixels(expected->width, expected->height, expected->format);
	download(image, &seen);
	compare_pixels(&(struct comparison){0}, expected, &seen);
	free_pixels(&seen);
}

static void images(void **state)
{
	static const struct { vx_uint32 width, height; } shapes[] = {{1, 1}, {2, 2}, {7, 5}, {9, 4}, {33, 9}, {70, 33}};
	(void)state;
	for (size_t i = 0; i < COUNT(layouts) * COUNT(shapes); i++) {
		const vx_df_image format = layouts[i % COUNT(layouts)].format;
		const vx_uint32 width = shapes[i / COUNT(layouts)].width * even_width(format),
				height = shapes[i / COUNT(layouts)].height * even_height(format);
		struct pixels p = random_pixels(width, height, format), none = zero_pixels(width, height, format);
		vx_image image = vxCreateImage(context, width, height, format);
		now_testing("image of %.4s, %u x %u", (const char *)&format, width, height);
		upload(image, &p);
		clear_padding(&p);
		vx_image out = (vx_image)through((vx_reference)image, with_values), empty = (vx_image)through((vx_reference)image, without_values);
		expect_image(out, width, height, format);
		expect_pixels(out, &p);
		expect_pixels(empty, &none);
		RAN(vxReleaseImage(&empty));
		RAN(vxReleaseImage(&out));
		RAN(vxReleaseImage(&image));
		free_pixels(&p);
		free_pixels(&none);
	}
}

static void uniform_images(void **state)
{
	(void)state;
	const vx_pixel_value_t value = {.RGBX = {1, 2, 3, 4}};
	for (size_t i = 0; i < COUNT(layouts); i++) {
		const vx_df_image format = layouts[i].format;
		vx_image image = vxCreateUniformImage(context, 16, 8, format, &value);
		struct pixels p = zero_pixels(16, 8, format);
		vx_bool is_uniform = vx_false_e;
		vx_pixel_value_t got = {.reserved = {0}};
		now_testing("uniform image of %.4s", (const char *)&format);
		download(image, &p);
		vx_image out = (vx_image)through((vx_reference)image, i % 2 ? with_values : without_values);
		expect_pixels(out, &p);
		RAN(vxQueryImage(out, VX_IMAGE_IS_UNIFORM, &is_uniform, sizeof is_uniform));
		assert_int_equal(is_uniform, vx_true_e);
		RAN(vxQueryImage(out, VX_IMAGE_UNIFORM_VALUE, &got, sizeof got));
		assert_memory_equal(&got, &value, sizeof got);
		free_pixels(&p);
		RAN(vxReleaseImage(&out));
		RAN(vxReleaseImage(&image));
	}
}

/* ---- parts of images ---- */
/* Regions have the pixels of their parent, at any place, also in bytes that others have, too. */
static void regions(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4 * COUNT(layouts); i++) {
		const vx_df_image format = layouts[i % COUNT(layouts)].format;
		const vx_uint32 ex = even_width(format), ey = even_height(format);
		const vx_uint32 left = format == VX_DF_IMAGE_U1 ? 8 * random_below(2) : ex * random_below(9); /* regions of bits begin with a byte */
		const vx_rectangle_t r = {left, ey * random_below(5), ex * (10 + random_below(8)), ey * (6 + random_below(5))};
		const vx_uint32 width = 20 * ex, height = 12 * ey;
		struct pixels p = random_pixels(width, height, format), none = zero_pixels(width, height, format);
		struct pixels cut = zero_pixels(r.end_x - r.start_x, r.end_y - r.start_y, format);
		vx_image image = vxCreateImage(context, width, height, format), part = vxCreateImageFromROI(image, &r);
		now_testing("region of %.4s: [%u, %u) x [%u, %u)", (const char *)&format, r.start_x, r.end_x, r.start_y, r.end_y);
		CREATED(part);
		upload(image, &p);
		clear_padding(&p);
		/* the region with its data, the image without: what is around the region is empty */
		copy_rectangle(&none, r.start_x, r.start_y, &p, r.start_x, r.start_y, r.end_x - r.start_x, r.end_y - r.start_y);
		copy_rectangle(&cut, 0, 0, &p, r.start_x, r.start_y, cut.width, cut.height);
		const vx_reference refs[] = {(vx_reference)part, (vx_reference)image};
		vx_reference out[2] = {NULL};
		struct blob b = exported(2, refs, (vx_enum[]){with_values, without_values});
		vx_import import = imported(2, out, (vx_enum[]){with_values, without_values}, &b);
		expect_image((vx_image)out[0], r.end_x - r.start_x, r.end_y - r.start_y, format);
		expect_pixels((vx_image)out[1], &none);
		release_all(out, 2);
		RAN(vxReleaseImport(&import));
		/* what one writes the other has: they are what they were to each other */
		b = exported(2, refs, (vx_enum[]){without_values, without_values});
		import = imported(2, out, (vx_enum[]){without_values, without_values}, &b);
		upload((vx_image)out[1], &p);
		expect_pixels((vx_image)out[0], &cut);
		release_all(out, 2);
		RAN(vxReleaseImport(&import));
		/* alone it is there, too */
		vx_image lone = (vx_image)through((vx_reference)part, with_values);
		expect_image(lone, r.end_x - r.start_x, r.end_y - r.start_y, format);
		expect_pixels(lone, &cut);
		RAN(vxReleaseImage(&lone));
		RAN(vxReleaseImage(&part));
		RAN(vxReleaseImage(&image));
		free_pixels(&cut);
		free_pixels(&p);
		free_pixels(&none);
	}
}

static void channels(void **state)
{
	static const struct { vx_df_image format; vx_enum channel; unsigned plane; } cases[] = {
		{VX_DF_IMAGE_YUV4, VX_CHANNEL_Y, 0}, {VX_DF_IMAGE_YUV4, VX_CHANNEL_U, 1}, {VX_DF_IMAGE_YUV4, VX_CHANNEL_V, 2},
		{VX_DF_IMAGE_IYUV, VX_CHANNEL_Y, 0}, {VX_DF_IMAGE_IYUV, VX_CHANNEL_U, 1}, {VX_DF_IMAGE_IYUV, VX_CHANNEL_V, 2},
		{VX_DF_IMAGE_NV12, VX_CHANNEL_Y, 0}, {VX_DF_IMAGE_NV21, VX_CHANNEL_Y, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct pixels p = random_pixels(20, 8, cases[i].format), none = zero_pixels(20, 8, cases[i].format);
		vx_image image = vxCreateImage(context, 20, 8, cases[i].format);
		vx_image part = vxCreateImageFromChannel(image, cases[i].channel);
		const unsigned plane = cases[i].plane;
		now_testing("channel 0x%x of %.4s", (unsigned)cases[i].channel, (const char *)&cases[i].format);
		CREATED(part);
		upload(image, &p);
		memcpy(row_of(&none, plane, 0), row_of(&p, plane, 0), bytes_in_row(&p, plane) * rows_in_plane(&p, plane));
		const vx_reference refs[] = {(vx_reference)part, (vx_reference)image};
		const vx_enum uses[] = {with_values, without_values};
		vx_reference out[2] = {NULL};
		struct blob b = exported(2, refs, uses);
		vx_import import = imported(2, out, uses, &b);
		expect_image((vx_image)out[0], samples_in_row(&p, plane), rows_in_plane(&p, plane), VX_DF_IMAGE_U8);
		expect_pixels((vx_image)out[1], &none);
		release_all(out, 2);
		RAN(vxReleaseImport(&import));
		RAN(vxReleaseImage(&part));
		RAN(vxReleaseImage(&image));
		free_pixels(&p);
		free_pixels(&none);
	}
}

/* A region of a region of a level of a pyramid that the application creates anew. */
static void region_of_supplied(void **state)
{
	(void)state;
	struct pixels p = random_pixels(16, 12, VX_DF_IMAGE_U8), cut = zero_pixels(5, 4, VX_DF_IMAGE_U8);
	vx_pyramid pyramid = vxCreatePyramid(context, 2, VX_SCALE_PYRAMID_HALF, 32, 24, VX_DF_IMAGE_U8);
	vx_pyramid mine = vxCreatePyramid(there, 2, VX_SCALE_PYRAMID_HALF, 32, 24, VX_DF_IMAGE_U8);
	vx_image level = vxGetPyramidLevel(pyramid, 1), region = vxCreateImageFromROI(level, &(vx_rectangle_t){2, 3, 12, 11});
	vx_image inner = vxCreateImageFromROI(region, &(vx_rectangle_t){1, 2, 6, 6}), mine_level = vxGetPyramidLevel(mine, 1);
	now_testing("a region of a region of a level of a pyramid that is supplied");
	CREATED(inner);
	const vx_reference refs[] = {(vx_reference)inner, (vx_reference)pyramid, (vx_reference)level};
	const vx_enum uses[] = {without_values, application, application}, alone[] = {without_values, with_values, application};
	NOT_EXPORTED(VX_ERROR_INVALID_PARAMETERS, 3, refs, alone);
	LOGGED("part 1");
	struct blob b = exported(3, refs, uses);
	vx_reference out[3] = {NULL, (vx_reference)mine, (vx_reference)mine};
	NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 3, out, uses, &b);
	vx_image wrong_level = vxGetPyramidLevel(mine, 0);
	out[2] = (vx_reference)wrong_level;
	NOT_IMPORTED(VX_ERROR_INVALID_PARAMETERS, 3, out, uses, &b);
	out[2] = (vx_reference)mine_level;
	vx_import import = imported(3, out, uses, &b);
	upload(mine_level, &p);
	copy_rectangle(&cut, 0, 0, &p, 3, 5, 5, 4);
	expect_pixels((vx_image)out[0], &cut);
	RAN(vxReleaseReference(&out[0]));
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseImage(&wrong_level));
	RAN(vxReleaseImage(&mine_level));
	RAN(vxReleasePyramid(&mine));
	RAN(vxReleaseImage(&inner));
	RAN(vxReleaseImage(&region));
	RAN(vxReleaseImage(&level));
	RAN(vxReleasePyramid(&pyramid));
	free_pixels(&p);
	free_pixels(&cut);
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),	    cmocka_unit_test(no_values),    cmocka_unit_test(defaults),
		cmocka_unit_test(supplied),	    cmocka_unit_test(settings),	    cmocka_unit_test(other_meta_data),
		cmocka_unit_test(user_structs),	    cmocka_unit_test(images),	    cmocka_unit_test(uniform_images),
		cmocka_unit_test(regions),	    cmocka_unit_test(channels),	    cmocka_unit_test(region_of_supplied),
	};
	return cmocka_run_group_tests(tests, open_contexts_and_logs, close_contexts);
}
