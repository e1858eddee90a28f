/* vx_khr_opencl_interop, images: buffers of OpenCL as their memory, handed over and taken back, copied to and from, mapped. */
#include "testbench/openvx/interop.h"

enum { ROUNDS = 6 }; /* of random sizes, for each format */

/* ---- buffers as memory ---- */
static void take_back(vx_image image, const struct buffers *b)
{
	void *back[3] = {NULL};
	RAN(vxSwapImageHandle(image, NULL, back, b->planes));
	for (unsigned plane = 0; plane < b->planes; plane++)
		assert_ptr_equal(back[plane], b->plane[plane].mem);
}

static void hand_over(vx_image image, const struct buffers *b)
{
	void *handles[3];
	RAN(vxSwapImageHandle(image, handles_of(b, handles), NULL, b->planes));
}

static void expect_no_memory(vx_image image)
{
	const vx_rectangle_t first = {0, 0, 2, 2};
	vx_imagepatch_addressing_t a = {0};
	vx_map_id id = 0;
	void *ptr = NULL;
	for (size_t m = 0; m < COUNT(memories); m++)
		FAILED(vxMapImagePatch(image, &first, 0, &id, &a, &ptr, VX_READ_ONLY, memories[m].type, 0));
}

/* The pixels of the buffers are the image's, and the other way round, also when they are given back and forth. */
static void formats(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(layouts) * ROUNDS; i++) {
		const vx_df_image format = layouts[i / ROUNDS].format;
		struct pixels p = random_image(format), q = random_pixels(p.width, p.height, format);
		now_testing("image of %.4s, %u x %u, in buffers", (const char *)&format, p.width, p.height);
		struct buffers b = new_buffers(&p, i % 2 ? 7 : 0);
		vx_image image = image_in(&b);
		vx_enum memory = 0;
		expect_image(image, p.width, p.height, format);
		RAN(vxQueryImage(image, VX_IMAGE_MEMORY_TYPE, &memory, sizeof memory));
		assert_int_equal(memory, OPENCL);
		assert_true(holders_of(b.plane[0].mem) > 1);
		expect_pixels(image, &p);
		upload(image, &q);
		take_back(image, &b);
		expect_buffers(&b, &q);
		if (p.width > 1 && p.height > 1)
			expect_no_memory(image);
		hand_over(image, &b);
		expect_pixels(image, &q);
		RAN(vxReleaseImage(&image));
		end_buffers(&b);
		free_pixels(&p);
		free_pixels(&q);
	}
}

/* Graphs read from buffers and write to them, also when these are exchanged between two runs. */
static void graphs(void **state)
{
	enum { SWAPS = 4 };
	struct pixels p[SWAPS], none = zero_pixels(37, 19, VX_DF_IMAGE_U8);
	struct buffers in[SWAPS], out[SWAPS];
	(void)state;
	now_testing("graph of images in buffers");
	for (int i = 0; i < SWAPS; i++) {
		p[i] = random_pixels(none.width, none.height, none.format);
		in[i] = new_buffers(&p[i], 0);
		out[i] = new_buffers(&none, 0);
	}
	vx_image x = image_in(&in[0]), y = image_in(&out[0]);
	vx_graph graph = vxCreateGraph(context);
	vx_node node = vxNotNode(graph, x, y);
	CREATED(node);
	cl_event gate = close_gate();
	for (int i = 0; i < SWAPS; i++) {
		if (i) {
			hand_over(x, &in[i]);
			hand_over(y, &out[i]);
		}
		RAN(vxProcessGraph(graph));
		take_back(y, &out[i]);
	}
	open_gate(gate);
	FAILED(vxProcessGraph(graph)); /* the output has no memory now */
	for (int i = 0; i < SWAPS; i++) {
		expect_buffers(&in[i], &p[i]);
		for (size_t k = 0; k < bytes_in_all(&p[i]); k++)
			p[i].bytes[k] ^= 0xff;
		expect_buffers(&out[i], &p[i]);
	}
	hand_over(y, &out[0]);
	RAN(vxProcessGraph(graph));
	expect_buffers(&out[0], &p[SWAPS - 1]);
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&x));
	RAN(vxReleaseImage(&y));
	for (int i = 0; i < SWAPS; i++) {
		end_buffers(&in[i]);
		end_buffers(&out[i]);
		free_pixels(&p[i]);
	}
	free_pixels(&none);
}

/* A part of an image is where the image is now. */
static void parts(void **state)
{
	const vx_rectangle_t middle = {4, 2, 20, 10};
	struct pixels p = random_pixels(30, 12, VX_DF_IMAGE_IYUV), q = random_pixels(30, 12, VX_DF_IMAGE_IYUV);
	struct pixels part = zero_pixels(16, 8, VX_DF_IMAGE_IYUV), chroma = zero_pixels(15, 6, VX_DF_IMAGE_U8);
	struct buffers a = new_buffers(&p, 3), b = new_buffers(&q, 3);
	(void)state;
	now_testing("parts of an image in buffers");
	for (unsigned plane = 0; plane < 3; plane++) { /* one layout is the image's, whatever memory it has */
		b.plane[plane].stride = a.plane[plane].stride;
		b.plane[plane].size = a.plane[plane].size;
		free(b.plane[plane].bytes);
		CL_OK(clReleaseMemObject(b.plane[plane].mem));
		b.plane[plane].bytes = new_bytes(b.plane[plane].size);
	}
	put_rows(&b, &q);
	for (unsigned plane = 0; plane < 3; plane++)
		b.plane[plane].mem = new_buffer(cl, b.plane[plane].bytes, b.plane[plane].size);
	vx_image image = image_in(&a), roi = vxCreateImageFromROI(image, &middle), u = vxCreateImageFromChannel(image, VX_CHANNEL_U);
	CREATED(roi);
	CREATED(u);
	for (int round = 0; round < 4; round++) {
		struct pixels *now = round % 2 ? &q : &p;
		copy_rectangle(&part, 0, 0, now, middle.start_x, middle.start_y, part.width, part.height);
		expect_pixels(roi, &part);
		memcpy(chroma.bytes, row_of(now, 1, 0), bytes_in_all(&chroma));
		expect_pixels(u, &chroma);
		take_back(image, round % 2 ? &b : &a);
		expect_no_memory(roi);
		hand_over(image, round % 2 ? &a : &b);
	}
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSwapImageHandle(roi, NULL, NULL, 3));
	RAN(vxReleaseImage(&u));
	RAN(vxReleaseImage(&roi));
	RAN(vxReleaseImage(&image));
	end_buffers(&a);
	end_buffers(&b);
	free_pixels(&p);
	free_pixels(&q);
	free_pixels(&part);
	free_pixels(&chroma);
}

/* Parts of a buffer are buffers, too. */
static void sub_buffers(void **state)
{
	enum { BYTES = 16 * 8, ORIGIN = 4096 };
	const cl_buffer_region region = {ORIGIN, BYTES};
	const vx_imagepatch_addressing_t a = {.dim_x = 16, .dim_y = 8, .stride_x = 1, .stride_y = 16, .scale_x = VX_SCALE_UNITY,
					      .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	cl_int code = CL_SUCCESS;
	uint8_t *bytes = new_bytes(2 * ORIGIN);
	struct pixels p = random_pixels(16, 8, VX_DF_IMAGE_U8);
	(void)state;
	now_testing("image in a part of a buffer");
	cl_mem whole = new_buffer(cl, bytes, 2 * ORIGIN), part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	CL_OK(code);
	vx_image image = vxCreateImageFromHandle(context, VX_DF_IMAGE_U8, &a, (void *[]){part}, OPENCL);
	CREATED(image);
	upload(image, &p);
	memcpy(bytes + ORIGIN, p.bytes, BYTES);
	RAN(vxReleaseImage(&image));
	CL_OK(clReleaseMemObject(part));
	check_buffer(whole, bytes, 2 * ORIGIN);
	free(bytes);
	free_pixels(&p);
}

/* ---- what is no memory of an image ---- */
/* Buffers of which one, that of the plane, is replaced by something else. */
static vx_image image_with(const struct buffers *b, unsigned plane, void *handle, vx_enum memory)
{
	vx_imagepatch_addressing_t a[3];
	void *handles[3];
	addressings_of(b, a);
	handles_of(b, handles)[plane] = handle;
	return vxCreateImageFromHandle(context, b->shape.format, a, handles, memory);
}

static vx_status swap_with(vx_image image, const struct buffers *b, unsigned plane, void *handle)
{
	void *handles[3];
	handles_of(b, handles)[plane] = handle;
	return vxSwapImageHandle(image, handles, NULL, b->planes);
}

static void bad_handles(void **state)
{
	const cl_image_format texel = {CL_R, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64};
	struct pixels p = random_pixels(20, 12, VX_DF_IMAGE_NV12);
	struct buffers b = new_buffers(&p, 0);
	vx_imagepatch_addressing_t a[3];
	void *handles[3], *back[3] = {NULL};
	cl_int code = CL_SUCCESS;
	(void)state;
	cl_context elsewhere = clCreateContext(NULL, 1, devices, NULL, NULL, &code);
	CL_OK(code);
	cl_mem foreign = new_buffer(elsewhere, p.bytes, 20 * 12), gone = empty_buffer(20 * 12);
	cl_mem picture = clCreateImage(cl, CL_MEM_READ_WRITE, &texel, &desc, NULL, &code);
	CL_OK(code);
	CL_OK(clReleaseMemObject(gone));
	vx_image image = image_in(&b), own = image_like(&p);
	for (unsigned plane = 0; plane < 2; plane++) {
		cl_mem small = empty_buffer(b.plane[plane].size - 1);
		const struct { const char *name; void *handle; } wrong[] = {
			{"a buffer that is too small", small}, {"a buffer of another context", foreign}, {"an image of OpenCL", picture},
			{"a queue", queue}, {"a buffer that was released", gone}, {"the host's memory", p.bytes},
		};
		for (size_t i = 0; i < COUNT(wrong); i++) {
			now_testing("plane %u: %s", plane, wrong[i].name);
			vx_image bad = image_with(&b, plane, wrong[i].handle, OPENCL);
			REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus((vx_reference)bad));
			REFUSED(VX_ERROR_INVALID_PARAMETERS, swap_with(image, &b, plane, wrong[i].handle));
		}
		now_testing("plane %u: nothing", plane);
		REFUSED(VX_ERROR_INVALID_PARAMETERS, swap_with(image, &b, plane, NULL));
		CL_OK(clReleaseMemObject(small));
	}
	now_testing("swaps of images that cannot be swapped so");
	handles_of(&b, handles);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSwapImageHandle(image, handles, back, 1));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSwapImageHandle(image, handles, back, 3));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSwapImageHandle(own, handles, back, 2));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSwapImageHandle(NULL, handles, back, 2));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSwapImageHandle((vx_image)context, handles, back, 2));
	assert_null(back[0]);
	now_testing("images from bad memory");
	addressings_of(&b, a);
	for (size_t i = 0; i < COUNT(no_memories); i++)
		NOT_CREATED(vxCreateImageFromHandle(context, p.format, a, handles, no_memories[i]));
	NOT_CREATED(vxCreateImageFromHandle(context, p.format, NULL, handles, OPENCL));
	NOT_CREATED(vxCreateImageFromHandle(context, p.format, a, NULL, OPENCL));
	NOT_CREATED(vxCreateImageFromHandle(context, VX_DF_IMAGE_VIRT, a, handles, OPENCL));
	NOT_CREATED(vxCreateImageFromHandle(NULL, p.format, a, handles, OPENCL));
	a[1].stride_y = 19;
	NOT_CREATED(vxCreateImageFromHandle(context, p.format, a, handles, OPENCL));
	/* what was refused has left the image as it was, and holds nothing */
	expect_pixels(image, &p);
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&own));
	end_buffers(&b);
	CL_OK(clReleaseMemObject(foreign));
	CL_OK(clReleaseMemObject(picture));
	CL_OK(clReleaseContext(elsewhere));
	free_pixels(&p);
}

/* Memory does not go while somebody is accessing it. */
static void swaps_of_what_is_mapped(void **state)
{
	const vx_rectangle_t all = {0, 0, 16, 8};
	struct pixels p = random_pixels(16, 8, VX_DF_IMAGE_U8);
	struct buffers b = new_buffers(&p, 0);
	(void)state;
	vx_image image = image_in(&b), roi = vxCreateImageFromROI(image, &(vx_rectangle_t){2, 2, 10, 6});
	CREATED(roi);
	for (size_t i = 0; i < 2 * COUNT(memories); i++) {
		vx_image mapped = i % 2 ? roi : image;
		vx_imagepatch_addressing_t a;
		vx_map_id id = 0;
		void *ptr = NULL;
		now_testing("swap of an image of which %s is mapped in %s memory", i % 2 ? "a part" : "all", memories[i / 2].name);
		RAN(vxMapImagePatch(mapped, i % 2 ? &(vx_rectangle_t){0, 0, 8, 4} : &all, 0, &id, &a, &ptr, VX_READ_ONLY, memories[i / 2].type, 0));
		REFUSED(VX_FAILURE, vxSwapImageHandle(image, NULL, NULL, 1));
		REFUSED(VX_FAILURE, swap_with(image, &b, 0, b.plane[0].mem));
		RAN(vxUnmapImagePatch(mapped, id));
		RAN(swap_with(image, &b, 0, b.plane[0].mem));
	}
	RAN(vxReleaseImage(&roi));
	RAN(vxReleaseImage(&image));
	end_buffers(&b);
	free_pixels(&p);
}

/* ---- copies ---- */
/* A rectangle that can be copied: of whole groups of pixels, of bit images beginning with a byte. */
static vx_rectangle_t random_rectangle(const struct pixels *p)
{
	const unsigned ex = p->format == VX_DF_IMAGE_U1 ? 8 : even_width(p->format), ey = even_height(p->format);
	const vx_uint32 x = random_below((p->width - 1) / ex + 1) * ex, y = random_below((p->height - 1) / ey + 1) * ey;
	const vx_uint32 columns = (p->width - x + ex - 1) / ex, rows = (p->height - y) / ey;
	const vx_uint32 end = x + (1 + random_below(columns)) * ex;
	return (vx_rectangle_t){x, y, end < p->width ? end : p->width, y + (1 + random_below(rows)) * ey};
}

/* A rectangle of a plane, and memory for it. */
struct patch {
	size_t first, pixel, row, rows, columns; /* byte of a row in the plane; bytes of a pixel and of a row; of bits a row is one pixel */
	vx_uint32 y;
	vx_imagepatch_addressing_t a;
	size_t span;
};

static struct patch patch_of(const struct pixels *p, const vx_rectangle_t *r, unsigned plane, bool apart)
{
	const struct layout *l = layout_of(p->format);
	const unsigned sx = l->plane[plane].step_x, sy = l->plane[plane].step_y, bits = l->sample_bits * l->plane[plane].samples;
	const vx_uint32 width = (r->end_x - r->start_x) / sx;
	struct patch t = {.first = r->start_x / sx * bits / 8, .row = (width * bits + 7) / 8, .rows = (r->end_y - r->start_y) / sy, .y = r->start_y / sy};
	t.columns = bits < 8 ? 1 : width;
	t.pixel = bits < 8 ? t.row : bits / 8;
	t.a = addressing_of(p, plane, 0);
	t.a.dim_x = r->end_x - r->start_x;
	t.a.dim_y = r->end_y - r->start_y;
	if (apart && bits >= 8)
		t.a.stride_x += (vx_int32)(1 + random_below(5));
	const size_t span = bits < 8 ? t.row : (size_t)t.a.stride_x * (width - 1) + t.pixel;
	t.a.stride_y = (vx_int32)(span + random_below(9));
	t.span = (size_t)t.a.stride_y * (t.rows - 1) + span;
	return t;
}

static void move_patch(const struct pixels *p, const struct patch *t, unsigned plane, uint8_t *memory, bool to_memory)
{
	for (vx_uint32 y = 0; y < t->rows; y++) {
		for (size_t x = 0; x < t->columns; x++) {
			uint8_t *here = row_of(p, plane, t->y + y) + t->first + x * t->pixel;
			uint8_t *there = memory + (size_t)t->a.stride_y * y + (size_t)t->a.stride_x * x;
			memcpy(to_memory ? there : here, to_memory ? here : there, t->pixel);
		}
	}
}

/* Out of the image into a buffer with gaps, which stay; and back into it from another one. */
static void copy_once(vx_image image, const struct pixels *p, unsigned plane, bool apart)
{
	const vx_rectangle_t r = random_rectangle(p);
	const struct patch t = patch_of(p, &r, plane, apart);
	uint8_t *before = new_bytes(t.span), *expected = malloc(t.span);
	assert_non_null(expected);
	add_testing(", [%u, %u) x [%u, %u) of plane %u", r.start_x, r.end_x, r.start_y, r.end_y, plane);
	memcpy(expected, before, t.span);
	move_patch(p, &t, plane, expected, true);
	struct memory out = open_memory(OPENCL, before, t.span), in = open_memory(OPENCL, before, t.span);
	RAN(vxCopyImagePatch(image, &r, plane, &t.a, out.buffer, VX_READ_ONLY, OPENCL));
	RAN(vxCopyImagePatch(image, &r, plane, &t.a, in.buffer, VX_WRITE_ONLY, OPENCL));
	if (p->format == VX_DF_IMAGE_U1 && r.end_x % 8) { /* bits behind the last pixel say nothing */
		read_buffer(out.buffer, out.bytes, t.span);
		for (size_t y = 0; y < t.rows; y++) {
			const size_t last = (size_t)t.a.stride_y * y + t.row - 1;
			const uint8_t mask = (uint8_t)((1u << r.end_x % 8) - 1);
			expected[last] = (uint8_t)((expected[last] & mask) | (out.bytes[last] & ~mask));
		}
	}
	close_memory(&out, expected);
	close_memory(&in, before);
	move_patch(p, &t, plane, before, false);
	expect_pixels(image, p);
	free(before);
	free(expected);
}

static void copies(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(layouts) * ROUNDS; i++) {
		const vx_df_image format = layouts[i / ROUNDS].format;
		struct pixels p = random_image(format);
		struct placed d = place_pixels(&p, (enum place)(i % PLACES));
		for (unsigned n = 0; n < 2 * layouts[i / ROUNDS].planes; n++) {
			now_testing("copies of an image of %.4s, %u x %u, %s memory, pixels %s", (const char *)&format, p.width, p.height,
				    place_names[i % PLACES], n % 2 ? "apart" : "side by side");
			/* a row of bits that goes on behind the region is not the region's alone */
			if (format != VX_DF_IMAGE_U1 || i % PLACES == PLACE_OWN)
				copy_once(d.image, &p, n / 2, n % 2);
		}
		check_unchanged(&p, &d);
	}
}

static void bad_copies(void **state)
{
	struct pixels p = random_pixels(16, 8, VX_DF_IMAGE_S16);
	const vx_rectangle_t all = {0, 0, 16, 8}, outside = {0, 0, 17, 8}, nothing = {4, 0, 4, 8};
	const vx_imagepatch_addressing_t dense = addressing_of(&p, 0, 32), short_rows = addressing_of(&p, 0, 31);
	vx_imagepatch_addressing_t close = dense, apart = dense;
	static const vx_enum usages[] = {VX_READ_ONLY, VX_WRITE_ONLY};
	cl_int code = CL_SUCCESS;
	(void)state;
	close.stride_x = 1;
	apart.stride_x = 3; /* rows of 47 bytes */
	cl_context elsewhere = clCreateContext(NULL, 1, devices, NULL, NULL, &code);
	CL_OK(code);
	cl_mem good = new_buffer(cl, p.bytes, 256), small = empty_buffer(255), foreign = new_buffer(elsewhere, p.bytes, 256);
	vx_image image = image_like(&p);
	vx_graph graph = vxCreateGraph(context);
	vx_image hidden = vxCreateVirtualImage(graph, 16, 8, VX_DF_IMAGE_S16);
	vx_image uniform = vxCreateUniformImage(context, 16, 8, VX_DF_IMAGE_S16, &(vx_pixel_value_t){.S16 = 9});
	upload(image, &p);
	for (size_t u = 0; u < COUNT(usages); u++) {
		const vx_enum usage = usages[u];
		now_testing("bad copies, usage 0x%x", (unsigned)usage);
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &dense, small, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &dense, foreign, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &dense, queue, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &dense, p.bytes, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &dense, NULL, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &short_rows, good, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &close, good, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &apart, good, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, NULL, good, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, NULL, 0, &dense, good, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &outside, 0, &dense, good, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &nothing, 0, &dense, good, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 1, &dense, good, usage, OPENCL));
		REFUSED(VX_ERROR_INVALID_REFERENCE, vxCopyImagePatch(NULL, &all, 0, &dense, good, usage, OPENCL));
		REFUSED(VX_ERROR_OPTIMIZED_AWAY, vxCopyImagePatch(hidden, &all, 0, &dense, good, usage, OPENCL));
		for (size_t i = 0; i < COUNT(no_memories); i++)
			REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &dense, good, usage, no_memories[i]));
	}
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyImagePatch(image, &all, 0, &dense, good, VX_READ_AND_WRITE, OPENCL));
	FAILED(vxCopyImagePatch(uniform, &all, 0, &dense, good, VX_WRITE_ONLY, OPENCL));
	check_buffer(good, p.bytes, 256);
	expect_pixels(image, &p);
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&hidden));
	RAN(vxReleaseImage(&uniform));
	RAN(vxReleaseGraph(&graph));
	CL_OK(clReleaseMemObject(small));
	CL_OK(clReleaseMemObject(foreign));
	CL_OK(clReleaseContext(elsewhere));
	free_pixels(&p);
}

/* ---- maps ---- */
/* What is mapped are dense rows; what is written there is the image's afterwards. */
static void map_once(vx_image image, const struct pixels *p, unsigned plane, vx_enum usage)
{
	const vx_rectangle_t r = random_rectangle(p);
	struct patch t = patch_of(p, &r, plane, false);
	vx_imagepatch_addressing_t a = {0};
	vx_map_id id = 0;
	cl_mem mapped = NULL;
	t.a.stride_y = (vx_int32)t.row;
	t.span = t.row * t.rows;
	add_testing(", [%u, %u) x [%u, %u) of plane %u, usage 0x%x", r.start_x, r.end_x, r.start_y, r.end_y, plane, (unsigned)usage);
	RAN(vxMapImagePatch(image, &r, plane, &id, &a, (void **)&mapped, usage, OPENCL, VX_NOGAP_X));
	assert_int_equal(a.dim_x, r.end_x - r.start_x);
	assert_int_equal(a.dim_y, r.end_y - r.start_y);
	assert_int_equal(a.stride_x, t.a.stride_x);
	assert_int_equal(a.stride_y, t.a.stride_y);
	assert_int_equal(a.step_x, t.a.step_x);
	assert_int_equal(a.step_y, t.a.step_y);
	if (usage != VX_WRITE_ONLY) {
		struct pixels seen = zero_pixels(p->width, p->height, p->format);
		uint8_t *bytes = malloc(t.span);
		assert_non_null(bytes);
		memcpy(seen.bytes, p->bytes, bytes_in_all(p));
		read_buffer(mapped, bytes, t.span);
		move_patch(&seen, &t, plane, bytes, false);
		clear_padding(&seen);
		expect_bytes(p->bytes, seen.bytes, bytes_in_all(p));
		free(bytes);
		free_pixels(&seen);
	}
	if (usage != VX_READ_ONLY) {
		uint8_t *bytes = new_bytes(t.span);
		write_buffer(mapped, bytes, t.span);
		move_patch(p, &t, plane, bytes, false);
		clear_padding(p);
		free(bytes);
	}
	RAN(vxUnmapImagePatch(image, id));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxUnmapImagePatch(image, id));
	expect_pixels(image, p);
}

static void maps(void **state)
{
	static const vx_enum usages[] = {VX_READ_ONLY, VX_READ_AND_WRITE, VX_WRITE_ONLY};
	(void)state;
	for (size_t i = 0; i < COUNT(layouts) * ROUNDS; i++) {
		const vx_df_image format = layouts[i / ROUNDS].format;
		struct pixels p = random_image(format);
		struct placed d = place_pixels(&p, (enum place)(i % PLACES));
		clear_padding(&p);
		for (unsigned n = 0; n < COUNT(usages) * layouts[i / ROUNDS].planes; n++) {
			now_testing("maps of an image of %.4s, %u x %u, %s memory", (const char *)&format, p.width, p.height, place_names[i % PLACES]);
			if (format != VX_DF_IMAGE_U1 || i % PLACES == PLACE_OWN)
				map_once(d.image, &p, n / COUNT(usages), usages[n % COUNT(usages)]);
		}
		check_unchanged(&p, &d);
	}
}

/* The map of a whole plane that is dense is its buffer: nothing is copied. Two maps may be open at once. */
static void maps_of_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(layouts); i++) {
		struct pixels p = random_image(layouts[i].format);
		const vx_rectangle_t all = {0, 0, p.width, p.height};
		struct buffers b = new_buffers(&p, 0);
		vx_image image = image_in(&b);
		now_testing("whole planes of %.4s, %u x %u", (const char *)&p.format, p.width, p.height);
		for (unsigned plane = 0; plane < b.planes; plane++) {
			vx_imagepatch_addressing_t a;
			vx_map_id ids[2] = {0};
			void *ptrs[2] = {NULL};
			for (unsigned n = 0; n < 2; n++)
				RAN(vxMapImagePatch(image, &all, plane, &ids[n], &a, &ptrs[n], VX_READ_ONLY, OPENCL, 0));
			assert_ptr_equal(ptrs[0], b.plane[plane].mem);
			assert_ptr_equal(ptrs[1], b.plane[plane].mem);
			assert_true(ids[0] != ids[1]);
			assert_int_equal(a.stride_y, b.plane[plane].stride);
			REFUSED(VX_ERROR_INVALID_PARAMETERS, vxUnmapImagePatch(image, ids[0] ^ ids[1] ^ 0x55555));
			for (unsigned n = 0; n < 2; n++)
				RAN(vxUnmapImagePatch(image, ids[n]));
		}
		RAN(vxReleaseImage(&image));
		end_buffers(&b);
		free_pixels(&p);
	}
}

static void bad_maps(void **state)
{
	const vx_rectangle_t all = {0, 0, 16, 8}, outside = {0, 0, 16, 9}, nothing = {0, 8, 16, 8};
	const struct pixels shape = {16, 8, VX_DF_IMAGE_U8, NULL};
	vx_imagepatch_addressing_t a;
	vx_map_id id = 0;
	void *ptr = NULL;
	(void)state;
	now_testing("bad maps");
	vx_graph graph = vxCreateGraph(context);
	vx_image image = image_like(&shape), hidden = vxCreateVirtualImage(graph, 16, 8, VX_DF_IMAGE_U8);
	vx_image uniform = vxCreateUniformImage(context, 16, 8, VX_DF_IMAGE_U8, &(vx_pixel_value_t){.U8 = 9});
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxMapImagePatch(NULL, &all, 0, &id, &a, &ptr, VX_READ_ONLY, OPENCL, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapImagePatch(image, &outside, 0, &id, &a, &ptr, VX_READ_ONLY, OPENCL, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapImagePatch(image, &nothing, 0, &id, &a, &ptr, VX_READ_ONLY, OPENCL, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapImagePatch(image, &all, 1, &id, &a, &ptr, VX_READ_ONLY, OPENCL, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapImagePatch(image, &all, 0, NULL, &a, &ptr, VX_READ_ONLY, OPENCL, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapImagePatch(image, &all, 0, &id, NULL, &ptr, VX_READ_ONLY, OPENCL, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapImagePatch(image, &all, 0, &id, &a, NULL, VX_READ_ONLY, OPENCL, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapImagePatch(image, &all, 0, &id, &a, &ptr, 0, OPENCL, 0));
	REFUSED(VX_ERROR_OPTIMIZED_AWAY, vxMapImagePatch(hidden, &all, 0, &id, &a, &ptr, VX_READ_ONLY, OPENCL, 0));
	FAILED(vxMapImagePatch(uniform, &all, 0, &id, &a, &ptr, VX_WRITE_ONLY, OPENCL, 0));
	FAILED(vxMapImagePatch(uniform, &all, 0, &id, &a, &ptr, VX_READ_AND_WRITE, OPENCL, 0));
	for (size_t i = 0; i < COUNT(no_memories); i++)
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapImagePatch(image, &all, 0, &id, &a, &ptr, VX_READ_ONLY, no_memories[i], 0));
	assert_null(ptr);
	RAN(vxMapImagePatch(image, &all, 0, &id, &a, &ptr, VX_READ_ONLY, OPENCL, 0));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxUnmapImagePatch(uniform, id));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxUnmapImagePatch(NULL, id));
	RAN(vxUnmapImagePatch(image, id));
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&hidden));
	RAN(vxReleaseImage(&uniform));
	RAN(vxReleaseGraph(&graph));
}

/* ---- nothing waits, and all is ready in its turn ---- */
/* The lower half of a plane: its first row, and its bytes. */
static vx_uint32 half_first(const struct pixels *p, unsigned plane)
{
	const unsigned ey = even_height(p->format);
	return p->height / ey / 2 * ey / layout_of(p->format)->plane[plane].step_y;
}
static size_t half_bytes(const struct pixels *p, unsigned plane)
{
	return bytes_in_row(p, plane) * (rows_in_plane(p, plane) - half_first(p, plane));
}

/* All bytes there, through a map. */
static void change_by_maps(vx_image image, const struct pixels *p, uint8_t byte)
{
	const vx_rectangle_t half = {0, half_first(p, 0), p->width, p->height};
	for (unsigned plane = 0; plane < layout_of(p->format)->planes; plane++) {
		vx_imagepatch_addressing_t a;
		vx_map_id id = 0;
		cl_mem mapped = NULL;
		RAN(vxMapImagePatch(image, &half, plane, &id, &a, (void **)&mapped, VX_READ_AND_WRITE, OPENCL, 0));
		later_fill(mapped, byte, half_bytes(p, plane));
		RAN(vxUnmapImagePatch(image, id));
	}
}

/* By a buffer of which nothing is left afterwards. */
static void copy_planes(vx_image from, vx_image to, const struct pixels *p)
{
	const vx_rectangle_t all = {0, 0, p->width, p->height};
	for (unsigned plane = 0; plane < layout_of(p->format)->planes; plane++) {
		const size_t row = bytes_in_row(p, plane), size = row * rows_in_plane(p, plane);
		const vx_imagepatch_addressing_t a = addressing_of(p, plane, row);
		cl_mem between = empty_buffer(size);
		later_fill(between, 0x77, size);
		RAN(vxCopyImagePatch(from, &all, plane, &a, between, VX_READ_ONLY, OPENCL));
		RAN(vxCopyImagePatch(to, &all, plane, &a, between, VX_WRITE_ONLY, OPENCL));
		later_fill(between, 0x11, size);
		CL_OK(clReleaseMemObject(between));
	}
}

static void nothing_waits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(layouts) * ROUNDS; i++) {
		const vx_df_image format = layouts[i / ROUNDS].format;
		struct pixels p = random_image(format), q = zero_pixels(p.width, p.height, format);
		struct buffers in = new_buffers(&q, i % 2 ? 5 : 0), next = new_buffers(&q, 0), seen = new_buffers(&q, 0);
		const unsigned planes = in.planes;
		vx_imagepatch_addressing_t a;
		vx_map_id id = 0;
		cl_mem mapped = NULL;
		now_testing("image of %.4s, %u x %u, while the queue stands still", (const char *)&format, p.width, p.height);
		for (unsigned plane = 0; plane < planes; plane++) { /* one layout */
			next.plane[plane].stride = in.plane[plane].stride;
			CL_OK(clReleaseMemObject(next.plane[plane].mem));
			next.plane[plane].mem = empty_buffer(in.plane[plane].size);
		}
		put_rows(&in, &p);
		cl_event gate = close_gate();
		/* what the application has enqueued before, OpenVX finds */
		for (unsigned plane = 0; plane < planes; plane++)
			later_write(in.plane[plane].mem, in.plane[plane].bytes, in.plane[plane].size);
		vx_image x = image_in(&in), y = image_like(&p);
		copy_planes(x, y, &p);
		/* what OpenVX has enqueued before, the application finds: in a map */
		for (unsigned plane = 0; plane < planes; plane++) {
			const vx_rectangle_t all = {0, 0, p.width, p.height};
			RAN(vxMapImagePatch(y, &all, plane, &id, &a, (void **)&mapped, VX_READ_ONLY, OPENCL, 0));
			later_copy(mapped, seen.plane[plane].mem, seen.plane[plane].size);
			RAN(vxUnmapImagePatch(y, id));
		}
		change_by_maps(y, &p, 0x2d);
		copy_planes(y, x, &p);
		/* ... and in what it takes back */
		RAN(vxReleaseImage(&y));
		void *back[3] = {NULL}, *handles[3];
		RAN(vxSwapImageHandle(x, handles_of(&next, handles), back, planes));
		for (unsigned plane = 0; plane < planes; plane++)
			assert_ptr_equal(back[plane], in.plane[plane].mem);
		RAN(vxReleaseImage(&x));
		open_gate(gate);
		expect_buffers(&seen, &p);
		for (unsigned plane = 0; plane < planes; plane++)
			memset(row_of(&p, plane, half_first(&p, plane)), 0x2d, half_bytes(&p, plane));
		expect_buffers(&in, &p);
		end_buffers(&in);
		end_buffers(&next);
		end_buffers(&seen);
		free_pixels(&p);
		free_pixels(&q);
	}
}

int main(int argc, char **argv)
{
	interop_start(argc, argv);
	const struct CMUnitTest tests[] = {
		GATED(formats), GATED(graphs), GATED(parts), GATED(sub_buffers),
		GATED(bad_handles), GATED(swaps_of_what_is_mapped), GATED(copies),
		GATED(bad_copies), GATED(maps), GATED(maps_of_all), GATED(bad_maps),
		GATED(nothing_waits),
	};
	return cmocka_run_group_tests(tests, open_interop, close_interop);
}
