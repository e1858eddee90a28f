/* Binary images: a pixel is a bit, in whole bytes of which others may have a part. Copies, maps and regions of any rectangle. */
#include "testbench/openvx/data_kinds.h"

enum { WIDTH = 45, HEIGHT = 9 };

static bool bit_get(const uint8_t *row, size_t i) { return row[i / 8] >> i % 8 & 1; }
static void bit_set(uint8_t *row, size_t i, bool v) { row[i / 8] = (uint8_t)((row[i / 8] & ~(1u << i % 8)) | (unsigned)v << i % 8); }

/* A rectangle's bits in memory: rows begin with the byte that its first pixel is in, where pixels keep their places. */
struct patch {
	vx_rectangle_t rect;
	vx_uint32 before, width, height; /* pixels that the first byte of a row holds before its own */
	size_t row, stride, size;        /* bytes */
};

static struct patch patch_of(vx_rectangle_t r, size_t gap)
{
	struct patch p = {.rect = r, .before = r.start_x % 8, .width = r.end_x - r.start_x, .height = r.end_y - r.start_y};
	p.row = (p.before + p.width + 7) / 8;
	p.stride = p.row + gap;
	p.size = p.stride * (p.height - 1) + p.row;
	return p;
}

static struct patch random_patch(size_t gap)
{
	vx_rectangle_t r = {random_below(WIDTH), random_below(HEIGHT), 0, 0};
	r.end_x = r.start_x + 1 + random_below(WIDTH - r.start_x);
	r.end_y = r.start_y + 1 + random_below(HEIGHT - r.start_y);
	return patch_of(r, gap);
}

static void name_patch(const struct patch *p) { add_testing(", [%u, %u) x [%u, %u)", p->rect.start_x, p->rect.end_x, p->rect.start_y, p->rect.end_y); }

static vx_imagepatch_addressing_t addressing(const struct patch *p)
{
	return (vx_imagepatch_addressing_t){
		.dim_x = p->before + p->width, .dim_y = p->height, .stride_x = 0, .stride_y = (vx_int32)p->stride, .scale_x = VX_SCALE_UNITY,
		.scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1, .stride_x_bits = 1,
	};
}

/* The patch's pixels are those of the model. */
static void expect_patch(const struct patch *p, const uint8_t *bytes, size_t stride, const struct pixels *model)
{
	for (vx_uint32 y = 0; y < p->height; y++)
		for (vx_uint32 x = 0; x < p->width; x++)
			if (bit_get(bytes + y * stride, p->before + x) != pixel_get(model, p->rect.start_x + x, p->rect.start_y + y))
				fail_msg("%s: pixel %u %u differs; seed %llu", what, x, y, (unsigned long long)seed_first);
}

static void take_patch(const struct patch *p, const uint8_t *bytes, size_t stride, const struct pixels *model)
{
	for (vx_uint32 y = 0; y < p->height; y++)
		for (vx_uint32 x = 0; x < p->width; x++)
			pixel_set(model, p->rect.start_x + x, p->rect.start_y + y, bit_get(bytes + y * stride, p->before + x));
}

/* ---- copies ---- */
static void check_copies(enum place place, vx_enum memory)
{
	struct pixels model = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U1);
	struct placed image = place_pixels(&model, place);
	for (unsigned k = 0; k < 40; k++) {
		const struct patch p = random_patch(random_below(4));
		const vx_imagepatch_addressing_t a = addressing(&p);
		uint8_t *bytes = new_bytes(p.size);
		now_testing("bits of an image, place %s, memory 0x%x", place_names[place], (unsigned)memory);
		name_patch(&p);
		/* written, they are there, and the others stay */
		struct memory m = open_memory(memory, bytes, p.size);
		RAN(vxCopyImagePatch(image.image, &p.rect, 0, &a, memory_ptr(&m), VX_WRITE_ONLY, memory));
		close_memory(&m, bytes);
		take_patch(&p, bytes, p.stride, &model);
		struct pixels now = zero_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U1);
		download(image.image, &now);
		compare_pixels(&(struct comparison){0}, &model, &now);
		free_pixels(&now);
		/* read, they are those of the image */
		m = open_memory(memory, bytes, p.size);
		memset(m.bytes, 0, p.size);
		RAN(vxCopyImagePatch(image.image, &p.rect, 0, &a, memory_ptr(&m), VX_READ_ONLY, memory));
		if (m.buffer)
			read_buffer(m.buffer, m.bytes, p.size);
		expect_patch(&p, m.bytes, p.stride, &model);
		if (m.buffer)
			assert_int_equal(clReleaseMemObject(m.buffer), CL_SUCCESS);
		free(m.bytes);
		free(bytes);
	}
	check_unchanged(&model, &image);
}

static void copies(void **state)
{
	(void)state;
	for (enum place place = 0; place < PLACES; place++)
		for (size_t m = 0; m < COUNT(memories); m++)
			check_copies(place, memories[m].type);
}

/* ---- maps ---- */
static void expect_addressing(const struct patch *p, const vx_imagepatch_addressing_t *a)
{
	assert_int_equal(a->dim_x, p->before + p->width);
	assert_int_equal(a->dim_y, p->height);
	assert_int_equal(a->stride_x, 0);
	assert_int_equal(a->stride_x_bits, 1);
	assert_int_equal(a->step_x, 1);
	assert_int_equal(a->step_y, 1);
	assert_int_equal(a->scale_x, VX_SCALE_UNITY);
	assert_int_equal(a->scale_y, VX_SCALE_UNITY);
	assert_true(a->stride_y >= (vx_int32)p->row);
}

/* In the host's memory the bits around are the image's own, which are left alone. */
static void change_host(const struct patch *p, uint8_t *ptr, const vx_imagepatch_addressing_t *a, const struct pixels *model)
{
	expect_patch(p, ptr, (size_t)a->stride_y, model);
	for (vx_uint32 y = 0; y < p->height; y++) {
		for (vx_uint32 x = 0; x < p->width; x++) {
			uint8_t *at = vxFormatImagePatchAddress2d(ptr, p->before + x, y, a);
			assert_ptr_equal(at, ptr + y * (size_t)a->stride_y + (p->before + x) / 8);
			bit_set(at, (p->before + x) % 8, random_below(2));
		}
	}
	take_patch(p, ptr, (size_t)a->stride_y, model);
}

/* In a buffer all bytes are written: only the patch's bits of them count. */
static void change_buffer(const struct patch *p, cl_mem buffer, const vx_imagepatch_addressing_t *a, const struct pixels *model, bool read, bool part)
{
	const size_t stride = (size_t)a->stride_y, size = stride * (p->height - 1) + p->row;
	uint8_t *bytes = malloc(size), *other_bytes = new_bytes(size);
	assert_non_null(bytes);
	read_buffer(buffer, bytes, size);
	if (read)
		expect_patch(p, bytes, stride, model);
	if (part)
		memcpy(bytes, other_bytes, size);
	else
		for (vx_uint32 y = 0; y < p->height; y++)
			for (vx_uint32 x = 0; x < p->width; x++)
				bit_set(bytes + y * stride, p->before + x, random_below(2));
	write_buffer(buffer, bytes, size);
	take_patch(p, bytes, stride, model);
	free(bytes);
	free(other_bytes);
}

static void check_maps(enum place place, vx_enum memory)
{
	struct pixels model = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U1);
	struct placed image = place_pixels(&model, place);
	for (unsigned k = 0; k < 40; k++) {
		const bool all = k % 10 == 0, read = k & 1;
		const struct patch p = all ? patch_of((vx_rectangle_t){0, 0, WIDTH, HEIGHT}, 0) : random_patch(0);
		vx_imagepatch_addressing_t a = {0};
		vx_map_id id = 0;
		void *ptr = NULL;
		now_testing("maps of bits, place %s, memory 0x%x, %s", place_names[place], (unsigned)memory, read ? "read and written" : "written");
		name_patch(&p);
		/* who maps to write has to write all: bits in the host's memory are read as well, to leave others alone */
		const bool host = memory == VX_MEMORY_TYPE_HOST;
		RAN(vxMapImagePatch(image.image, &p.rect, 0, &id, &a, &ptr, read || host ? VX_READ_AND_WRITE : VX_WRITE_ONLY, memory, 0));
		expect_addressing(&p, &a);
		if (host)
			change_host(&p, ptr, &a, &model);
		else
			change_buffer(&p, ptr, &a, &model, read, !all);
		RAN(vxUnmapImagePatch(image.image, id));
		struct pixels now = zero_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U1);
		download(image.image, &now);
		compare_pixels(&(struct comparison){0}, &model, &now);
		free_pixels(&now);
	}
	check_unchanged(&model, &image);
}

static void maps(void **state)
{
	(void)state;
	for (enum place place = 0; place < PLACES; place++)
		for (size_t m = 0; m < COUNT(memories); m++)
			check_maps(place, memories[m].type);
}

/* ---- regions ---- */
/* vxCreateImageFromROI: they begin with a byte; how wide they are does not matter, nor where they are in another region. */
static void regions(void **state)
{
	(void)state;
	vx_image image = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U1);
	now_testing("regions of bits");
	CREATED(image);
	for (vx_uint32 x = 0; x < 24; x++) {
		vx_image region = vxCreateImageFromROI(image, &(vx_rectangle_t){x, 1, x + 13, 6});
		if (x % 8) {
			REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus((vx_reference)region));
			continue;
		}
		CREATED(region);
		for (vx_uint32 inner_x = 0; inner_x < 9; inner_x += 8) {
			vx_image inner = vxCreateImageFromROI(region, &(vx_rectangle_t){inner_x, 2, inner_x + 3, 4});
			struct pixels model = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U1), small = random_pixels(3, 2, VX_DF_IMAGE_U1);
			struct pixels seen = zero_pixels(3, 2, VX_DF_IMAGE_U1), now = zero_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U1);
			CREATED(inner);
			upload(image, &model);
			download(inner, &seen);
			for (vx_uint32 i = 0; i < 6; i++)
				assert_int_equal(pixel_get(&seen, i % 3, i / 3), pixel_get(&model, x + inner_x + i % 3, 3 + i / 3));
			/* bits of rows behind the last pixel are 0, other than what the image has there */
			upload(inner, &small);
			copy_rectangle(&model, x + inner_x, 3, &small, 0, 0, 3, 2);
			download(image, &now);
			compare_pixels(&(struct comparison){0}, &model, &now);
			free_pixels(&model);
			free_pixels(&small);
			free_pixels(&seen);
			free_pixels(&now);
			RAN(vxReleaseImage(&inner));
		}
		RAN(vxReleaseImage(&region));
	}
	RAN(vxReleaseImage(&image));
}

/* ---- kernels ---- */
/* A kernel that writes a region leaves alone what others have in its last byte. */
static void written_regions(void **state)
{
	(void)state;
	for (vx_uint32 width = 1; width <= 21; width++) {
		struct pixels model = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U1), in = random_pixels(width, HEIGHT - 2, VX_DF_IMAGE_U1);
		vx_image image = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U1);
		now_testing("not into a region of %u bits", width);
		CREATED(image);
		upload(image, &model);
		struct placed source = place_pixels(&in, random_place());
		vx_image region = vxCreateImageFromROI(image, &(vx_rectangle_t){16, 1, 16 + width, HEIGHT - 1});
		CREATED(region);
		RAN(vxuNot(context, source.image, region));
		for (vx_uint32 y = 0; y < HEIGHT - 2; y++)
			for (vx_uint32 x = 0; x < width; x++)
				pixel_set(&model, 16 + x, 1 + y, !pixel_get(&in, x, y));
		struct pixels now = zero_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U1);
		download(image, &now);
		compare_pixels(&(struct comparison){0}, &model, &now);
		free_pixels(&now);
		free_pixels(&model);
		check_unchanged(&in, &source);
		RAN(vxReleaseImage(&region));
		RAN(vxReleaseImage(&image));
	}
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies), cmocka_unit_test(maps), cmocka_unit_test(regions), cmocka_unit_test(written_regions),
	};
	return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
