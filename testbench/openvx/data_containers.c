/* Data objects that hold others: pyramids, object arrays, delays. */
#include "testbench/openvx/data_kinds.h"
#include <math.h>

/* ---- images, of which containers may be as of the other kinds ---- */
enum { WIDTH = 16, HEIGHT = 8, PIXELS = WIDTH * HEIGHT };
static const vx_rectangle_t whole = {0, 0, WIDTH, HEIGHT};
static const vx_imagepatch_addressing_t dense = {
	.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = WIDTH, .scale_x = VX_SCALE_UNITY, .scale_y = VX_SCALE_UNITY,
	.step_x = 1, .step_y = 1,
};
MAKE(image, vxCreateImage(c, WIDTH, HEIGHT, VX_DF_IMAGE_U8), vxCreateVirtualImage(g, WIDTH, HEIGHT, VX_DF_IMAGE_U8))
QUERY_AND_RELEASE(image, Image, vx_image)
COPY(image, vxCopyImagePatch((vx_image)ref, &whole, 0, &dense, ptr, usage, memory))
static const struct kind image_kind = {
	KIND(image, VX_TYPE_IMAGE), VIRTUAL(image, VX_ERROR_OPTIMIZED_AWAY), COPIED(image, PIXELS),
	.attributes = {ATTRIBUTE(VX_IMAGE_WIDTH, vx_uint32, WIDTH), ATTRIBUTE(VX_IMAGE_HEIGHT, vx_uint32, HEIGHT),
		       ATTRIBUTE(VX_IMAGE_FORMAT, vx_df_image, VX_DF_IMAGE_U8)},
};

enum { EXEMPLARS = COUNT(kinds) + 1 };
static const struct kind *exemplar_kind(size_t i) { return i < COUNT(kinds) ? &kinds[i] : &image_kind; }

/* All of an object's data; of an array, its items. */
static void set_data(const struct kind *k, vx_reference ref, uint8_t *data)
{
	if (k->type == VX_TYPE_ARRAY) {
		RAN(vxTruncateArray((vx_array)ref, 0));
		RAN(vxAddArrayItems((vx_array)ref, ARRAY_ITEMS, data, sizeof(vx_keypoint_t)));
	} else {
		RAN(k->copy(ref, data, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	}
}

/* ---- pyramids ---- */
/* Each level is half as large as the one before, rounded up; what one reference writes another reads. */
static void half_levels(vx_pyramid pyramid, vx_size levels, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	for (vx_uint32 i = 0; i < levels; i++) {
		struct pixels written = random_pixels(width, height, format), seen = zero_pixels(width, height, format);
		vx_image writer = vxGetPyramidLevel(pyramid, i), reader = vxGetPyramidLevel(pyramid, i);
		now_testing("pyramid of %.4s, %zu levels, level %u of %u x %u", (const char *)&format, levels, i, width, height);
		expect_image(writer, width, height, format);
		expect_image(reader, width, height, format);
		upload(writer, &written);
		RAN(vxReleaseImage(&writer));
		download(reader, &seen);
		expect_bytes(written.bytes, seen.bytes, bytes_in_all(&seen));
		RAN(vxReleaseImage(&reader));
		free_pixels(&written);
		free_pixels(&seen);
		width = (width + 1) / 2;
		height = (height + 1) / 2;
	}
	NOT_CREATED(vxGetPyramidLevel(pyramid, (vx_uint32)levels));
	NOT_CREATED(vxGetPyramidLevel(pyramid, UINT32_MAX));
}

static void pyramids(void **state)
{
	static const vx_df_image formats[] = {VX_DF_IMAGE_U8, VX_DF_IMAGE_S16, VX_DF_IMAGE_U16, VX_DF_IMAGE_U32, VX_DF_IMAGE_RGB};
	static const struct { vx_uint32 width, height; vx_size levels; } shapes[] = {
		{1, 1, 1}, {1, 1, 3}, {9, 1, 5}, {9, 5, 4}, {64, 48, 4}, {37, 19, 7}, {70, 33, 2},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(shapes) * COUNT(formats); i++) {
		const vx_df_image format = formats[i % COUNT(formats)];
		const vx_uint32 width = shapes[i / COUNT(formats)].width, height = shapes[i / COUNT(formats)].height;
		const vx_size levels = shapes[i / COUNT(formats)].levels;
		now_testing("pyramid of %zu levels, %.4s, %u x %u", levels, (const char *)&format, width, height);
		vx_pyramid pyramid = vxCreatePyramid(context, levels, VX_SCALE_PYRAMID_HALF, width, height, format);
		CREATED(pyramid);
		half_levels(pyramid, levels, width, height, format);
		RAN(vxReleasePyramid(&pyramid));
	}
}

/* Levels may follow from the first one or from the one before: they lie between what both give. */
static void orb_pyramids(void **state)
{
	static const struct { vx_uint32 width, height; } shapes[] = {{640, 480}, {101, 67}, {37, 19}, {3, 2}};
	const double root = sqrt(sqrt(0.5));
	(void)state;
	for (size_t s = 0; s < COUNT(shapes); s++) {
		vx_pyramid pyramid = vxCreatePyramid(context, 6, VX_SCALE_PYRAMID_ORB, shapes[s].width, shapes[s].height,
						     VX_DF_IMAGE_U8);
		double least[2] = {shapes[s].width, shapes[s].height}, most[2] = {shapes[s].width, shapes[s].height};
		now_testing("ORB pyramid of %u x %u", shapes[s].width, shapes[s].height);
		CREATED(pyramid);
		for (vx_uint32 i = 0; i < 6; i++) {
			vx_image level = vxGetPyramidLevel(pyramid, i);
			vx_uint32 size[2] = {0};
			now_testing("ORB pyramid of %u x %u, level %u", shapes[s].width, shapes[s].height, i);
			CREATED(level);
			RAN(vxQueryImage(level, VX_IMAGE_WIDTH, &size[0], sizeof size[0]));
			RAN(vxQueryImage(level, VX_IMAGE_HEIGHT, &size[1], sizeof size[1]));
			for (unsigned d = 0; d < 2; d++) {
				/* the scale has 7 digits */
				const double low = ceil(least[d] * (1 - 1e-6));
				if (size[d] < low || size[d] > most[d])
					fail_msg("%s: %u, expected %g to %g", what, size[d], low, most[d]);
				least[d] *= root;
				most[d] = ceil(most[d] * root);
			}
			RAN(vxReleaseImage(&level));
		}
		RAN(vxReleasePyramid(&pyramid));
	}
}

static void lone_levels(void **state)
{
	(void)state;
	struct pixels p = random_pixels(7, 5, VX_DF_IMAGE_U8), seen = zero_pixels(7, 5, VX_DF_IMAGE_U8);
	vx_pyramid pyramid = vxCreatePyramid(context, 3, VX_SCALE_PYRAMID_HALF, 13, 9, VX_DF_IMAGE_U8), kept = pyramid;
	now_testing("a level without its pyramid");
	CREATED(pyramid);
	vx_image level = vxGetPyramidLevel(pyramid, 1);
	upload(level, &p);
	RAN(vxReleasePyramid(&pyramid));
	NOT_CREATED(vxGetPyramidLevel(kept, 1));
	NOT_CREATED(vxGetPyramidLevel(NULL, 0));
	NOT_CREATED(vxGetPyramidLevel((vx_pyramid)level, 0));
	download(level, &seen);
	expect_bytes(p.bytes, seen.bytes, bytes_in_all(&p));
	RAN(vxReleaseImage(&level));
	free_pixels(&p);
	free_pixels(&seen);
}

static void bad_pyramids(void **state)
{
	static const struct { vx_size levels; vx_float32 scale; vx_uint32 width, height; vx_df_image format; } none[] = {
		{0, 0.5f, 16, 16, VX_DF_IMAGE_U8}, {3, 0, 16, 16, VX_DF_IMAGE_U8}, {3, -0.5f, 16, 16, VX_DF_IMAGE_U8},
		{3, NAN, 16, 16, VX_DF_IMAGE_U8}, {3, 0.5f, 0, 16, VX_DF_IMAGE_U8}, {3, 0.5f, 16, 0, VX_DF_IMAGE_U8},
		{3, 0.5f, 16, 16, VX_DF_IMAGE_VIRT}, {3, 0.5f, 16, 16, 0x58585858},
		/* their images cannot have any size */
		{3, 0.5f, 16, 16, VX_DF_IMAGE_NV12}, {3, 0.5f, 16, 16, VX_DF_IMAGE_NV21}, {3, 0.5f, 16, 16, VX_DF_IMAGE_IYUV},
		{3, 0.5f, 16, 16, VX_DF_IMAGE_UYVY}, {3, 0.5f, 16, 16, VX_DF_IMAGE_YUYV},
	};
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	for (size_t i = 0; i < COUNT(none); i++) {
		const bool also_virtual = none[i].width && none[i].height && none[i].format != VX_DF_IMAGE_VIRT;
		now_testing("pyramid, bad case %zu", i);
		NOT_CREATED(vxCreatePyramid(context, none[i].levels, none[i].scale, none[i].width, none[i].height,
					    none[i].format));
		if (also_virtual)
			NOT_CREATED(vxCreateVirtualPyramid(graph, none[i].levels, none[i].scale, none[i].width, none[i].height,
							   none[i].format));
	}
	RAN(vxReleaseGraph(&graph));
}

static void virtual_pyramids(void **state)
{
	static const struct { vx_uint32 width, height; vx_df_image format; } shapes[] = {
		{0, 0, VX_DF_IMAGE_VIRT}, {64, 48, VX_DF_IMAGE_VIRT}, {64, 48, VX_DF_IMAGE_U8}, {0, 0, VX_DF_IMAGE_U8},
	};
	const vx_rectangle_t corner = {0, 0, 4, 4};
	const vx_imagepatch_addressing_t rows = {.dim_x = 4, .dim_y = 4, .stride_x = 1, .stride_y = 4, .scale_x = VX_SCALE_UNITY,
						 .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	uint8_t bytes[16] = {0};
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	for (size_t i = 0; i < COUNT(shapes); i++) {
		vx_uint32 width = 99, height = 99;
		vx_df_image format = 0;
		vx_pyramid pyramid = vxCreateVirtualPyramid(graph, 4, VX_SCALE_PYRAMID_HALF, shapes[i].width, shapes[i].height,
							    shapes[i].format);
		now_testing("virtual pyramid of %u x %u, %.4s", shapes[i].width, shapes[i].height,
			    (const char *)&shapes[i].format);
		CREATED(pyramid);
		RAN(vxQueryPyramid(pyramid, VX_PYRAMID_WIDTH, &width, sizeof width));
		RAN(vxQueryPyramid(pyramid, VX_PYRAMID_HEIGHT, &height, sizeof height));
		RAN(vxQueryPyramid(pyramid, VX_PYRAMID_FORMAT, &format, sizeof format));
		assert_int_equal(width, shapes[i].width);
		assert_int_equal(height, shapes[i].height);
		assert_int_equal(format, shapes[i].format);
		vx_image level = vxGetPyramidLevel(pyramid, 1);
		CREATED(level);
		if (width && format != VX_DF_IMAGE_VIRT)
			REFUSED(VX_ERROR_OPTIMIZED_AWAY,
				vxCopyImagePatch(level, &corner, 0, &rows, bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		else
			FAILED(vxCopyImagePatch(level, &corner, 0, &rows, bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxReleaseImage(&level));
		RAN(vxReleasePyramid(&pyramid));
	}
	RAN(vxReleaseGraph(&graph));
}

/* ---- object arrays ---- */
enum { ITEMS = 3 };

static vx_object_array array_of(const struct kind *k)
{
	vx_uint32 references = 0;
	vx_enum type = 0;
	vx_size count = 0;
	vx_reference exemplar = made(k);
	vx_object_array array = vxCreateObjectArray(context, exemplar, ITEMS);
	CREATED(array);
	RAN(vxQueryReference(exemplar, VX_REFERENCE_COUNT, &references, sizeof references));
	assert_int_equal(references, 1);
	ended(k, &exemplar);
	RAN(vxQueryObjectArray(array, VX_OBJECT_ARRAY_ITEMTYPE, &type, sizeof type));
	RAN(vxQueryObjectArray(array, VX_OBJECT_ARRAY_NUMITEMS, &count, sizeof count));
	assert_int_equal(type, k->type);
	assert_int_equal(count, ITEMS);
	return array;
}

/* Its items are as the exemplar was, and hold different data; they live as long as they have references. */
static void object_array_of(const struct kind *k)
{
	vx_object_array array = array_of(k), kept = array;
	vx_reference items[ITEMS], again;
	uint8_t *data[ITEMS] = {NULL};
	for (vx_uint32 i = 0; i < ITEMS; i++) {
		items[i] = vxGetObjectArrayItem(array, i);
		CREATED(items[i]);
		check_attributes(k, items[i], true);
		for (vx_uint32 before = 0; before < i; before++)
			assert_ptr_not_equal(items[before], items[i]);
		if (!k->copy)
			continue;
		data[i] = new_bytes(k->bytes);
		set_data(k, items[i], data[i]);
	}
	for (vx_uint32 i = 0; i < ITEMS && k->copy; i++) {
		again = vxGetObjectArrayItem(array, i);
		expect_data(k, again, data[i]);
		ended(k, &again);
	}
	NOT_CREATED(vxGetObjectArrayItem(array, ITEMS));
	NOT_CREATED(vxGetObjectArrayItem(array, UINT32_MAX));
	RAN(vxReleaseObjectArray(&array));
	NOT_CREATED(vxGetObjectArrayItem(kept, 0));
	for (vx_uint32 i = 0; i < ITEMS; i++) {
		if (k->copy)
			expect_data(k, items[i], data[i]);
		ended(k, &items[i]);
		free(data[i]);
	}
}

static void object_arrays(void **state)
{
	(void)state;
	for (size_t i = 0; i < EXEMPLARS; i++) {
		const struct kind *k = exemplar_kind(i);
		now_testing("object array of %s", k->name);
		if (k->type != VX_TYPE_DELAY && k->type != VX_TYPE_OBJECT_ARRAY)
			object_array_of(k);
	}
	NOT_CREATED(vxGetObjectArrayItem(NULL, 0));
	NOT_CREATED(vxGetObjectArrayItem((vx_object_array)context, 0));
}

static void virtual_object_array_of(vx_graph graph, const struct kind *k)
{
	vx_reference exemplar = made(k);
	vx_object_array array = vxCreateVirtualObjectArray(graph, exemplar, ITEMS);
	if (k->type != VX_TYPE_IMAGE && k->type != VX_TYPE_ARRAY && k->type != VX_TYPE_PYRAMID) {
		NOT_CREATED(array);
		ended(k, &exemplar);
		return;
	}
	CREATED(array);
	ended(k, &exemplar);
	for (vx_uint32 i = 0; i < ITEMS; i++) {
		vx_reference item = vxGetObjectArrayItem(array, i);
		CREATED(item);
		check_attributes(k, item, true);
		if (k->copy) {
			uint8_t *data = new_bytes(k->bytes);
			REFUSED(k->hidden, k->copy(item, data, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
			REFUSED(k->hidden, k->copy(item, data, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
			free(data);
		}
		ended(k, &item);
	}
	RAN(vxReleaseObjectArray(&array));
}

static void virtual_object_arrays(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	for (size_t i = 0; i < EXEMPLARS; i++) {
		now_testing("virtual object array of %s", exemplar_kind(i)->name);
		virtual_object_array_of(graph, exemplar_kind(i));
	}
	RAN(vxReleaseGraph(&graph));
}

/* ---- what there can be neither an object array nor a delay of ---- */
static vx_graph scope;

static vx_reference in_object_array(vx_reference exemplar, vx_size count)
{
	return (vx_reference)vxCreateObjectArray(context, exemplar, count);
}

static vx_reference in_virtual_object_array(vx_reference exemplar, vx_size count)
{
	return (vx_reference)vxCreateVirtualObjectArray(scope, exemplar, count);
}

static vx_reference in_delay(vx_reference exemplar, vx_size count)
{
	return (vx_reference)vxCreateDelay(context, exemplar, count);
}

static void refuse_exemplars(vx_reference (*create)(vx_reference, vx_size), bool hidden, bool arrays)
{
	vx_reference image = image_kind.make(context), foreign = image_kind.make(other), kept = foreign;
	vx_reference delay = made(kind_of(VX_TYPE_DELAY)), array = made(kind_of(VX_TYPE_OBJECT_ARRAY));
	vx_image open = vxCreateVirtualImage(scope, 0, 0, VX_DF_IMAGE_VIRT);
	NOT_CREATED(create(NULL, 2));
	NOT_CREATED(create(image, 0));
	NOT_CREATED(create(foreign, 2));
	NOT_CREATED(create(delay, 2));
	NOT_CREATED(create((vx_reference)scope, 2));
	NOT_CREATED(create((vx_reference)context, 2));
	if (!arrays)
		NOT_CREATED(create(array, 2));
	if (!hidden)
		NOT_CREATED(create((vx_reference)open, 2));
	ended(&image_kind, &foreign);
	NOT_CREATED(create(kept, 2));
	ended(&image_kind, &image);
	ended(kind_of(VX_TYPE_DELAY), &delay);
	ended(kind_of(VX_TYPE_OBJECT_ARRAY), &array);
	RAN(vxReleaseImage(&open));
}

static void bad_exemplars(void **state)
{
	(void)state;
	scope = vxCreateGraph(context);
	now_testing("object array of what is no data object");
	refuse_exemplars(in_object_array, false, false);
	now_testing("virtual object array of what is no data object");
	refuse_exemplars(in_virtual_object_array, true, false);
	now_testing("delay of what is no data object");
	refuse_exemplars(in_delay, false, true);
	RAN(vxReleaseGraph(&scope));
}

/* ---- delays ---- */
static vx_delay delay_of(const struct kind *k, vx_size slots)
{
	vx_uint32 references = 0;
	vx_reference exemplar = made(k);
	vx_delay delay = vxCreateDelay(context, exemplar, slots);
	CREATED(delay);
	RAN(vxQueryReference(exemplar, VX_REFERENCE_COUNT, &references, sizeof references));
	assert_int_equal(references, 1);
	ended(k, &exemplar);
	return delay;
}

static void slots_of(const struct kind *k)
{
	vx_reference slots[ITEMS];
	vx_delay delay = delay_of(k, ITEMS), kept = delay;
	vx_enum type = 0;
	vx_size count = 0;
	RAN(vxQueryDelay(delay, VX_DELAY_TYPE, &type, sizeof type));
	RAN(vxQueryDelay(delay, VX_DELAY_SLOTS, &count, sizeof count));
	assert_int_equal(type, k->type);
	assert_int_equal(count, ITEMS);
	for (vx_int32 i = 0; i < ITEMS; i++) {
		slots[i] = vxGetReferenceFromDelay(delay, -i);
		CREATED(slots[i]);
		check_attributes(k, slots[i], true);
		for (vx_int32 before = 0; before < i; before++)
			assert_ptr_not_equal(slots[before], slots[i]);
	}
	NOT_CREATED(vxGetReferenceFromDelay(delay, 1));
	NOT_CREATED(vxGetReferenceFromDelay(delay, -ITEMS));
	NOT_CREATED(vxGetReferenceFromDelay(delay, INT32_MIN));
	NOT_CREATED(vxGetReferenceFromDelay(delay, INT32_MAX));
	RAN(vxReleaseDelay(&delay));
	NOT_CREATED(vxGetReferenceFromDelay(kept, 0));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxAgeDelay(kept));
}

static void delays(void **state)
{
	(void)state;
	for (size_t i = 0; i < EXEMPLARS; i++) {
		now_testing("delay of %s", exemplar_kind(i)->name);
		if (exemplar_kind(i)->type != VX_TYPE_DELAY)
			slots_of(exemplar_kind(i));
	}
	vx_reference image = made(&image_kind);
	NOT_CREATED(vxGetReferenceFromDelay(NULL, 0));
	NOT_CREATED(vxGetReferenceFromDelay((vx_delay)image, 0));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxAgeDelay(NULL));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxAgeDelay((vx_delay)image));
	ended(&image_kind, &image);
}

/* Data move from slot 0 to -1 and so on, those of the last slot to 0. */
static void age(const struct kind *k, unsigned slots)
{
	uint8_t *data[5];
	vx_delay delay = delay_of(k, slots);
	for (unsigned i = 0; i < slots; i++) {
		data[i] = new_bytes(k->bytes);
		set_data(k, vxGetReferenceFromDelay(delay, -(vx_int32)i), data[i]);
	}
	for (unsigned round = 0; round <= slots; round++) {
		for (unsigned i = 0; i < slots; i++)
			expect_data(k, vxGetReferenceFromDelay(delay, -(vx_int32)i), data[(i + 2 * slots - round) % slots]);
		RAN(vxAgeDelay(delay));
	}
	for (unsigned i = 0; i < slots; i++)
		free(data[i]);
	RAN(vxReleaseDelay(&delay));
}

static void aging(void **state)
{
	static const unsigned counts[] = {1, 2, 3, 5};
	(void)state;
	for (size_t i = 0; i < EXEMPLARS; i++) {
		for (size_t n = 0; n < COUNT(counts); n++) {
			now_testing("delay of %s, %u slots, aging", exemplar_kind(i)->name, counts[n]);
			if (exemplar_kind(i)->copy)
				age(exemplar_kind(i), counts[n]);
		}
	}
}

/* ---- delays in graphs ---- */
static vx_image slot_itself(vx_reference slot)
{
	RAN(vxRetainReference(slot));
	return (vx_image)slot;
}
static vx_image slot_level(vx_reference slot) { return vxGetPyramidLevel((vx_pyramid)slot, 1); }
static vx_image slot_item(vx_reference slot) { return (vx_image)vxGetObjectArrayItem((vx_object_array)slot, 2); }
static vx_reference make_large_pyramid(vx_context c)
{
	return (vx_reference)vxCreatePyramid(c, 3, VX_SCALE_PYRAMID_HALF, 2 * WIDTH, 2 * HEIGHT, VX_DF_IMAGE_U8);
}

/* Where a delay has an image in each slot. */
static const struct holder {
	const char *name;
	vx_reference (*exemplar)(vx_context);
	vx_image (*image)(vx_reference slot); /* a reference to release */
} holders[] = {
	{"images", make_image, slot_itself},
	{"pyramids", make_large_pyramid, slot_level},
	{"object arrays", make_object_array, slot_item},
};

/* One node reads the image of slot -1, another one writes that of slot 0; the model has the contents. */
struct loop {
	const struct holder *holder;
	vx_delay delay;
	vx_graph graph;
	vx_image source, result;
	uint8_t model[ITEMS][PIXELS];
};

static vx_image loop_image(const struct loop *l, vx_int32 index)
{
	vx_image image = l->holder->image(vxGetReferenceFromDelay(l->delay, index));
	CREATED(image);
	return image;
}

static void not_node(vx_graph graph, vx_image in, vx_image out)
{
	vx_node node = vxNotNode(graph, in, out);
	CREATED(node);
	RAN(vxReleaseNode(&node));
}

static void loop_open(struct loop *l, const struct holder *holder)
{
	vx_reference exemplar = holder->exemplar(context);
	CREATED(exemplar);
	*l = (struct loop){.holder = holder, .delay = vxCreateDelay(context, exemplar, ITEMS), .graph = vxCreateGraph(context)};
	CREATED(l->delay);
	RAN(vxReleaseReference(&exemplar));
	l->source = image_u8(WIDTH, HEIGHT);
	l->result = image_u8(WIDTH, HEIGHT);
	for (vx_int32 i = 0; i < ITEMS; i++) {
		vx_image image = loop_image(l, -i);
		for (unsigned p = 0; p < PIXELS; p++)
			l->model[i][p] = (uint8_t)splitmix64(&seed);
		RAN(move_u8(image, l->model[i], VX_WRITE_ONLY));
		RAN(vxReleaseImage(&image));
	}
	vx_image last = loop_image(l, -1), now = loop_image(l, 0);
	not_node(l->graph, last, l->result);
	not_node(l->graph, l->source, now);
	RAN(vxReleaseImage(&last));
	RAN(vxReleaseImage(&now));
	RAN(vxVerifyGraph(l->graph));
}

static void expect_pixels(vx_image image, const uint8_t *expected)
{
	uint8_t seen[PIXELS];
	RAN(move_u8(image, seen, VX_READ_ONLY));
	expect_bytes(expected, seen, PIXELS);
}

static void loop_check(const struct loop *l)
{
	for (vx_int32 i = 0; i < ITEMS; i++) {
		vx_image image = loop_image(l, -i);
		expect_pixels(image, l->model[i]);
		RAN(vxReleaseImage(&image));
	}
}

static void loop_age(struct loop *l)
{
	uint8_t last[PIXELS];
	memcpy(last, l->model[ITEMS - 1], PIXELS);
	memmove(l->model[1], l->model[0], (ITEMS - 1) * PIXELS);
	memcpy(l->model[0], last, PIXELS);
}

static void loop_run(struct loop *l)
{
	uint8_t in[PIXELS], expected[PIXELS];
	for (unsigned p = 0; p < PIXELS; p++) {
		in[p] = (uint8_t)splitmix64(&seed);
		expected[p] = (uint8_t)~l->model[1][p];
		l->model[0][p] = (uint8_t)~in[p];
	}
	RAN(move_u8(l->source, in, VX_WRITE_ONLY));
	RAN(vxProcessGraph(l->graph));
	expect_pixels(l->result, expected);
}

static void loop_close(struct loop *l)
{
	RAN(vxReleaseImage(&l->source));
	RAN(vxReleaseImage(&l->result));
	RAN(vxReleaseGraph(&l->graph));
	RAN(vxReleaseDelay(&l->delay));
}

/* The nodes have the images that are in the slots now; after each run the delay ages, by itself too. */
static void loops(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(holders) * 2; i++) {
		const bool by_itself = i % 2;
		struct loop l;
		now_testing("delay of %s in a graph, aging by %s", holders[i / 2].name, by_itself ? "itself" : "call");
		loop_open(&l, &holders[i / 2]);
		if (by_itself) {
			/* it ages once, however often it has been registered */
			RAN(vxRegisterAutoAging(l.graph, l.delay));
			RAN(vxRegisterAutoAging(l.graph, l.delay));
		}
		for (unsigned round = 0; round < 2 * ITEMS + 1; round++) {
			loop_run(&l);
			if (!by_itself) {
				loop_check(&l);
				RAN(vxAgeDelay(l.delay));
			}
			loop_age(&l);
			loop_check(&l);
		}
		loop_close(&l);
	}
}

static vx_action VX_CALLBACK abandon(vx_node node)
{
	(void)node;
	return VX_ACTION_ABANDON;
}

/* A second graph ages the delay of the first, also when a callback abandons it. */
static void aging_of_two(void **state)
{
	(void)state;
	struct loop l;
	vx_graph second = vxCreateGraph(context);
	vx_image in = image_u8(WIDTH, HEIGHT), out = image_u8(WIDTH, HEIGHT);
	uint8_t zeros[PIXELS] = {0};
	now_testing("delay that two graphs age");
	RAN(move_u8(in, zeros, VX_WRITE_ONLY));
	vx_node node = vxNotNode(second, in, out);
	CREATED(node);
	loop_open(&l, &holders[0]);
	RAN(vxRegisterAutoAging(l.graph, l.delay));
	RAN(vxRegisterAutoAging(second, l.delay));
	for (unsigned round = 0; round < 4; round++) {
		loop_run(&l);
		loop_age(&l);
		loop_check(&l);
		RAN(vxProcessGraph(second));
		loop_age(&l);
		loop_check(&l);
	}
	now_testing("delay that an abandoned graph ages");
	RAN(vxAssignNodeCallback(node, abandon));
	REFUSED(VX_ERROR_GRAPH_ABANDONED, vxProcessGraph(second));
	loop_age(&l);
	loop_check(&l);
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
	RAN(vxReleaseGraph(&second));
	loop_close(&l);
}

static void bad_aging(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	vx_delay delay = delay_of(&image_kind, 2), kept = delay;
	now_testing("delay, registered wrongly");
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxRegisterAutoAging(NULL, delay));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxRegisterAutoAging((vx_graph)delay, delay));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxRegisterAutoAging(graph, NULL));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxRegisterAutoAging(graph, (vx_delay)graph));
	RAN(vxReleaseDelay(&delay));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxRegisterAutoAging(graph, kept));
	RAN(vxReleaseGraph(&graph));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pyramids), cmocka_unit_test(orb_pyramids), cmocka_unit_test(lone_levels),
		cmocka_unit_test(bad_pyramids), cmocka_unit_test(virtual_pyramids), cmocka_unit_test(object_arrays),
		cmocka_unit_test(virtual_object_arrays), cmocka_unit_test(bad_exemplars), cmocka_unit_test(delays),
		cmocka_unit_test(aging), cmocka_unit_test(loops), cmocka_unit_test(aging_of_two),
		cmocka_unit_test(bad_aging),
	};
	return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
