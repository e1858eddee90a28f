/* vx_khr_ix: objects that are made of others, and objects in them: pyramids, object arrays, delays, tensors. */
#include "testbench/openvx/ix_data.h"

static void set_data(const struct kind *k, vx_reference ref, uint8_t *data)
{
	if (k->type == VX_TYPE_ARRAY) {
		RAN(vxTruncateArray((vx_array)ref, 0));
		RAN(vxAddArrayItems((vx_array)ref, ARRAY_ITEMS, data, sizeof(vx_keypoint_t)));
	} else {
		RAN(k->copy(ref, data, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	}
}

static void expect_pixels(vx_image image, const struct pixels *expected)
{
	struct pixels seen = zero_pixels(expected->width, expected->height, expected->format);
	download(image, &seen);
	compare_pixels(&(struct comparison){0}, expected, &seen);
	free_pixels(&seen);
}

/* ---- pyramids ---- */
enum { LEVELS = 3 };

static struct pixels fill_level(vx_pyramid pyramid, vx_uint32 i)
{
	vx_image level = vxGetPyramidLevel(pyramid, i);
	vx_uint32 width = 0, height = 0;
	RAN(vxQueryImage(level, VX_IMAGE_WIDTH, &width, sizeof width));
	RAN(vxQueryImage(level, VX_IMAGE_HEIGHT, &height, sizeof height));
	struct pixels p = random_pixels(width, height, VX_DF_IMAGE_S16);
	upload(level, &p);
	RAN(vxReleaseImage(&level));
	return p;
}

static void expect_level(vx_pyramid pyramid, vx_uint32 i, const struct pixels *p, bool empty)
{
	vx_image level = vxGetPyramidLevel(pyramid, i);
	struct pixels none = zero_pixels(p->width, p->height, p->format);
	expect_pixels(level, empty ? &none : p);
	free_pixels(&none);
	RAN(vxReleaseImage(&level));
}

static void pyramids(void **state)
{
	static const vx_float32 scales[] = {VX_SCALE_PYRAMID_HALF, VX_SCALE_PYRAMID_ORB};
	(void)state;
	for (size_t s = 0; s < COUNT(scales); s++) {
		vx_pyramid pyramid = vxCreatePyramid(context, LEVELS, scales[s], 37, 19, VX_DF_IMAGE_S16);
		struct pixels p[LEVELS];
		now_testing("a pyramid of scale %g", (double)scales[s]);
		for (vx_uint32 i = 0; i < LEVELS; i++)
			p[i] = fill_level(pyramid, i);
		/* all with its data, all without, one level with data and the rest without, one level alone */
		vx_image middle = vxGetPyramidLevel(pyramid, 1);
		const vx_reference refs[] = {(vx_reference)pyramid, (vx_reference)middle};
		name(middle, "middle");
		for (int way = 0; way < 3; way++) {
			const vx_enum uses[] = {way ? without_values : with_values, with_values};
			vx_reference out[2] = {NULL};
			struct blob b = exported(way < 2 ? (vx_size)way + 1 : 1, way < 2 ? refs : refs + 1, way < 2 ? uses : uses + 1);
			vx_import import = imported(way < 2 ? (vx_size)way + 1 : 1, out, way < 2 ? uses : uses + 1, &b);
			for (vx_uint32 i = 0; way < 2 && i < LEVELS; i++)
				expect_level((vx_pyramid)out[0], i, &p[i], way == 1 && i != 1);
			if (way == 1) {
				/* the level in the list is that of the pyramid */
				vx_image level = vxGetPyramidLevel((vx_pyramid)out[0], 1);
				assert_ptr_equal(level, out[1]);
				assert_string_equal(name_of(out[1]), "middle");
				RAN(vxReleaseImage(&level));
			}
			if (way == 2)
				expect_pixels((vx_image)out[0], &p[1]);
			RAN(vxReleaseImport(&import));
			release_all(out, 2);
		}
		RAN(vxReleaseImage(&middle));
		RAN(vxReleasePyramid(&pyramid));
		for (vx_uint32 i = 0; i < LEVELS; i++)
			free_pixels(&p[i]);
	}
}

/* ---- object arrays and delays of all kinds ---- */
static void object_arrays(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		if (k->type == VX_TYPE_OBJECT_ARRAY || k->type == VX_TYPE_DELAY)
			continue;
		vx_reference exemplar = made(k);
		vx_object_array array = vxCreateObjectArray(context, exemplar, 3);
		uint8_t *data[3] = {NULL};
		now_testing("object array of %s", k->name);
		CREATED(array);
		for (vx_uint32 n = 0; n < 3; n++) {
			vx_reference item = vxGetObjectArrayItem(array, n);
			data[n] = k->bytes ? new_bytes(k->bytes) : NULL;
			if (data[n])
				set_data(k, item, data[n]);
			RAN(vxReleaseReference(&item));
		}
		vx_reference ref = (vx_reference)array, out = NULL;
		struct blob b = exported(1, &ref, &with_values);
		vx_import import = imported(1, &out, &with_values, &b);
		vx_size count = 0;
		RAN(vxQueryObjectArray((vx_object_array)out, VX_OBJECT_ARRAY_NUMITEMS, &count, sizeof count));
		assert_int_equal(count, 3);
		for (vx_uint32 n = 0; n < 3; n++) {
			vx_reference item = vxGetObjectArrayItem((vx_object_array)out, n);
			check_attributes(k, item, !data[n]);
			if (data[n])
				expect_data(k, item, data[n]);
			RAN(vxReleaseReference(&item));
			free(data[n]);
		}
		RAN(vxReleaseReference(&out));
		RAN(vxReleaseImport(&import));
		RAN(vxReleaseObjectArray(&array));
		ended(k, &exemplar);
	}
}

/* Slots are those of the moment: what was current is. */
static void delays(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		if (k->type == VX_TYPE_DELAY)
			continue;
		vx_reference exemplar = made(k);
		vx_delay delay = vxCreateDelay(context, exemplar, 3);
		uint8_t *data[3] = {NULL};
		now_testing("delay of %s", k->name);
		CREATED(delay);
		for (vx_int32 n = 0; n < 3; n++) {
			data[n] = k->bytes ? new_bytes(k->bytes) : NULL;
			if (data[n])
				set_data(k, vxGetReferenceFromDelay(delay, -n), data[n]);
		}
		RAN(vxAgeDelay(delay));
		const vx_reference refs[] = {(vx_reference)delay, vxGetReferenceFromDelay(delay, -1)};
		const vx_enum uses[] = {with_values, with_values};
		vx_reference out[2] = {NULL};
		struct blob b = exported(2, refs, uses);
		vx_import import = imported(2, out, uses, &b);
		vx_delay is = (vx_delay)out[0];
		assert_ptr_equal(out[1], vxGetReferenceFromDelay(is, -1));
		for (vx_int32 n = 0; n < 3; n++) {
			vx_reference slot = vxGetReferenceFromDelay(is, -n);
			check_attributes(k, slot, !data[0]);
			if (data[0])
				expect_data(k, slot, data[(n + 2) % 3]);
		}
		RAN(vxAgeDelay(is));
		assert_ptr_equal(out[1], vxGetReferenceFromDelay(is, -2));
		release_all(out, 2);
		RAN(vxReleaseImport(&import));
		RAN(vxReleaseDelay(&delay));
		ended(k, &exemplar);
		for (int n = 0; n < 3; n++)
			free(data[n]);
	}
}

/* A delay of object arrays, and one of pyramids: parts of parts. */
static void nested(void **state)
{
	(void)state;
	vx_image exemplar = vxCreateImage(context, 6, 5, VX_DF_IMAGE_U8);
	vx_object_array array = vxCreateObjectArray(context, (vx_reference)exemplar, 2);
	vx_delay delay = vxCreateDelay(context, (vx_reference)array, 2);
	struct pixels p[4];
	now_testing("a delay of object arrays of images");
	CREATED(delay);
	for (vx_uint32 i = 0; i < 4; i++) {
		vx_image item = (vx_image)vxGetObjectArrayItem((vx_object_array)vxGetReferenceFromDelay(delay, -(vx_int32)(i / 2)), i % 2);
		p[i] = random_pixels(6, 5, VX_DF_IMAGE_U8);
		upload(item, &p[i]);
		RAN(vxReleaseImage(&item));
	}
	vx_reference inner = vxGetObjectArrayItem((vx_object_array)vxGetReferenceFromDelay(delay, -1), 1);
	const vx_reference refs[] = {inner, (vx_reference)delay};
	const vx_enum uses[] = {with_values, with_values}, supplied[] = {without_values, application};
	vx_reference out[2] = {NULL};
	struct blob b = exported(2, refs, uses);
	vx_import import = imported(2, out, uses, &b);
	for (vx_uint32 i = 0; i < 4; i++) {
		vx_image item = (vx_image)vxGetObjectArrayItem((vx_object_array)vxGetReferenceFromDelay((vx_delay)out[1], -(vx_int32)(i / 2)), i % 2);
		expect_pixels(item, &p[i]);
		if (i == 3)
			assert_ptr_equal(item, out[0]);
		RAN(vxReleaseImage(&item));
	}
	release_all(out, 2);
	RAN(vxReleaseImport(&import));
	now_testing("a delay of object arrays that is supplied");
	vx_image other_exemplar = vxCreateImage(there, 6, 5, VX_DF_IMAGE_U8);
	vx_object_array other_array = vxCreateObjectArray(there, (vx_reference)other_exemplar, 2);
	vx_delay mine = vxCreateDelay(there, (vx_reference)other_array, 2);
	out[1] = (vx_reference)mine;
	b = exported(2, refs, supplied);
	import = imported(2, out, supplied, &b);
	vx_reference same = vxGetObjectArrayItem((vx_object_array)vxGetReferenceFromDelay(mine, -1), 1);
	assert_ptr_equal(same, out[0]);
	RAN(vxReleaseReference(&same));
	RAN(vxReleaseReference(&out[0]));
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseDelay(&mine));
	RAN(vxReleaseObjectArray(&other_array));
	RAN(vxReleaseImage(&other_exemplar));
	RAN(vxReleaseReference(&inner));
	RAN(vxReleaseDelay(&delay));
	RAN(vxReleaseObjectArray(&array));
	RAN(vxReleaseImage(&exemplar));
	for (int i = 0; i < 4; i++)
		free_pixels(&p[i]);
}

/* ---- tensors ---- */
enum { X = 6, Y = 5, Z = 4, ELEMENTS = X * Y * Z };
static const vx_size cube[3] = {X, Y, Z}, cube_strides[3] = {1, X, X * Y}, zeros[3] = {0, 0, 0};

static void move_cube(vx_tensor t, uint8_t *bytes, vx_enum usage)
{
	RAN(vxCopyTensorPatch(t, 3, zeros, cube, cube_strides, bytes, usage, VX_MEMORY_TYPE_HOST));
}

static void views(void **state)
{
	(void)state;
	const vx_size start[3] = {1, 2, 1}, end[3] = {5, 4, 3}, dims[3] = {4, 2, 2}, strides[3] = {1, 4, 8}, inner_start[2] = {1, 1},
		      inner_end[2] = {3, 2}, one[2] = {0, 0}, two[2] = {2, 1}, flat[2] = {1, 2};
	uint8_t *bytes = new_bytes(ELEMENTS), seen[ELEMENTS] = {0}, expected[ELEMENTS] = {0}, part[16] = {0}, pair[2] = {0};
	vx_tensor tensor = vxCreateTensor(context, 3, cube, VX_TYPE_UINT8, 0), view = vxCreateTensorFromView(tensor, 3, start, end),
		  inner = vxCreateTensorFromView(view, 2, inner_start, inner_end);
	now_testing("views of tensors");
	CREATED(view);
	CREATED(inner);
	move_cube(tensor, bytes, VX_WRITE_ONLY);
	const vx_reference refs[] = {(vx_reference)inner, (vx_reference)view, (vx_reference)tensor};
	const vx_enum uses[] = {without_values, with_values, without_values};
	vx_reference out[3] = {NULL};
	struct blob b = exported(3, refs, uses);
	vx_import import = imported(3, out, uses, &b);
	/* the elements of the view, at their places in the tensor, and nothing else */
	for (vx_size z = start[2]; z < end[2]; z++)
		for (vx_size y = start[1]; y < end[1]; y++)
			for (vx_size x = start[0]; x < end[0]; x++)
				expected[(z * Y + y) * X + x] = bytes[(z * Y + y) * X + x];
	move_cube((vx_tensor)out[2], seen, VX_READ_ONLY);
	expect_bytes(expected, seen, ELEMENTS);
	RAN(vxCopyTensorPatch((vx_tensor)out[1], 3, zeros, dims, strides, part, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	for (size_t i = 0; i < sizeof part; i++)
		assert_int_equal(part[i], bytes[((i / 8 + 1) * Y + i / 4 % 2 + 2) * X + i % 4 + 1]);
	RAN(vxCopyTensorPatch((vx_tensor)out[0], 2, one, two, flat, pair, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	for (size_t i = 0; i < sizeof pair; i++)
		assert_int_equal(pair[i], bytes[(1 * Y + 3) * X + i + 2]);
	release_all(out, 3);
	RAN(vxReleaseImport(&import));
	now_testing("a view of a tensor that is supplied");
	vx_tensor mine = vxCreateTensor(there, 3, cube, VX_TYPE_UINT8, 0);
	move_cube(mine, bytes, VX_WRITE_ONLY);
	out[0] = out[1] = NULL;
	out[2] = (vx_reference)mine;
	const vx_enum supplied[] = {without_values, without_values, application};
	b = exported(3, refs, supplied);
	import = imported(3, out, supplied, &b);
	RAN(vxCopyTensorPatch((vx_tensor)out[0], 2, one, two, flat, pair, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	for (size_t i = 0; i < sizeof pair; i++)
		assert_int_equal(pair[i], bytes[(1 * Y + 3) * X + i + 2]);
	release_all(out, 3);
	RAN(vxReleaseImport(&import));
	free(bytes);
	RAN(vxReleaseTensor(&inner));
	RAN(vxReleaseTensor(&view));
	RAN(vxReleaseTensor(&tensor));
}

/* Images in a tensor have its elements, before and after. */
static void images_in_tensors(void **state)
{
	(void)state;
	const vx_size start[3] = {0, 0, 1}, end[3] = {X, Y, Z};
	const vx_rectangle_t rect = {1, 1, 5, 4};
	uint8_t *bytes = new_bytes(ELEMENTS);
	vx_tensor tensor = vxCreateTensor(context, 3, cube, VX_TYPE_UINT8, 0), view = vxCreateTensorFromView(tensor, 3, start, end);
	/* of a view: the first image does not lie in the first plane */
	vx_object_array array = vxCreateImageObjectArrayFromTensor(view, &rect, 2, 2 * X * Y, VX_DF_IMAGE_U8);
	vx_reference second = vxGetObjectArrayItem(array, 1);
	CREATED(array);
	move_cube(tensor, bytes, VX_WRITE_ONLY);
	for (int way = 0; way < 3; way++) {
		/* the array with the tensor; with one that is supplied; an image without its array */
		const vx_reference refs[] = {way == 2 ? second : (vx_reference)array, (vx_reference)tensor};
		const vx_enum uses[] = {without_values, way == 1 ? application : with_values};
		vx_tensor mine = way == 1 ? vxCreateTensor(there, 3, cube, VX_TYPE_UINT8, 0) : NULL;
		vx_reference out[2] = {NULL, (vx_reference)mine};
		now_testing("images in a tensor, way %d", way);
		if (mine)
			move_cube(mine, bytes, VX_WRITE_ONLY);
		struct blob b = exported(2, refs, uses);
		vx_import import = imported(2, out, uses, &b);
		for (vx_uint32 i = way == 2; i < 2; i++) {
			struct pixels p = zero_pixels(4, 3, VX_DF_IMAGE_U8);
			vx_image image = (vx_image)(way == 2 ? out[0] : vxGetObjectArrayItem((vx_object_array)out[0], i));
			for (vx_uint32 y = 0; y < 3; y++)
				memcpy(row_of(&p, 0, y), bytes + ((1 + 2 * i) * Y + y + 1) * X + 1, 4);
			expect_pixels(image, &p);
			/* one writes, the other has it */
			free_pixels(&p);
			p = random_pixels(4, 3, VX_DF_IMAGE_U8);
			upload(image, &p);
			uint8_t seen[ELEMENTS];
			move_cube((vx_tensor)out[1], seen, VX_READ_ONLY);
			for (vx_uint32 y = 0; y < 3; y++)
				expect_bytes(row_of(&p, 0, y), seen + ((1 + 2 * i) * Y + y + 1) * X + 1, 4);
			free_pixels(&p);
			if (way < 2)
				RAN(vxReleaseImage(&image));
		}
		release_all(out, 2);
		RAN(vxReleaseImport(&import));
	}
	now_testing("images in a tensor that is not in the list, with their data");
	vx_reference ref = (vx_reference)array, out = NULL;
	struct blob b = exported(1, &ref, &with_values);
	vx_import import = imported(1, &out, &with_values, &b);
	for (vx_uint32 i = 0; i < 2; i++) {
		struct pixels p = zero_pixels(4, 3, VX_DF_IMAGE_U8);
		vx_image image = (vx_image)vxGetObjectArrayItem((vx_object_array)out, i);
		for (vx_uint32 y = 0; y < 3; y++)
			memcpy(row_of(&p, 0, y), bytes + ((1 + 2 * i) * Y + y + 1) * X + 1, 4);
		expect_pixels(image, &p);
		free_pixels(&p);
		RAN(vxReleaseImage(&image));
	}
	RAN(vxReleaseReference(&out));
	RAN(vxReleaseImport(&import));
	free(bytes);
	RAN(vxReleaseReference(&second));
	RAN(vxReleaseObjectArray(&array));
	RAN(vxReleaseTensor(&view));
	RAN(vxReleaseTensor(&tensor));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pyramids), cmocka_unit_test(object_arrays), cmocka_unit_test(delays),
		cmocka_unit_test(nested),   cmocka_unit_test(views),	     cmocka_unit_test(images_in_tensors),
	};
	return cmocka_run_group_tests(tests, open_contexts_and_logs, close_contexts);
}
