/* JPEG pictures that libjpeg writes, decoded by the driver: planes within one code of libjpeg's own. And hostile ones. */
#include "testbench/vaapi/va_test.h"
#include <jpeglib.h>

static VAConfigID config;
static VAContextID context;

static unsigned pick(unsigned n) { return (unsigned)(splitmix64(&va_seed) % n); }

/* ---- a file, and what it says ---- */
struct file {
	unsigned char *bytes;
	unsigned long size;
};
struct sampling { const char *name; int components, h, v; uint32_t fourcc; };

static void row_make(JSAMPLE *row, unsigned width, int components, unsigned y, uint64_t *noise)
{
	for (unsigned x = 0; x < width * (unsigned)components; x++)
		row[x] = (JSAMPLE)(x * 3 + y * 2 + (splitmix64(noise) & 31) + ((x / 40 + y / 16) % 2) * 64);
}

/* One scan, or one for each component. */
static struct file file_make(const struct sampling *s, unsigned width, unsigned height, int quality, unsigned restart, bool scans)
{
	static const jpeg_scan_info separate[3] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr errors;
	struct file f = {NULL, 0};
	uint64_t noise = splitmix64(&va_seed);
	JSAMPLE *row = malloc(width * 3);
	c.err = jpeg_std_error(&errors);
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, &f.bytes, &f.size);
	c.image_width = width;
	c.image_height = height;
	c.input_components = s->components;
	c.in_color_space = s->components == 1 ? JCS_GRAYSCALE : JCS_YCbCr;
	jpeg_set_defaults(&c);
	jpeg_set_quality(&c, quality, TRUE);
	c.comp_info[0].h_samp_factor = s->h;
	c.comp_info[0].v_samp_factor = s->v;
	c.restart_interval = restart;
	if (scans) {
		c.scan_info = separate;
		c.num_scans = 3;
	}
	jpeg_start_compress(&c, TRUE);
	for (unsigned y = 0; y < height; y++) {
		row_make(row, width, s->components, y, &noise);
		jpeg_write_scanlines(&c, &row, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	free(row);
	return f;
}

/* What a decoder of streams hands to VA-API. */
struct parsed {
	VAPictureParameterBufferJPEGBaseline picture;
	VAIQMatrixBufferJPEGBaseline quant;
	VAHuffmanTableBufferJPEGBaseline huffman;
	struct { VASliceParameterBufferJPEGBaseline slice; const unsigned char *data; VAHuffmanTableBufferJPEGBaseline huffman; } scans[3];
	unsigned num_scans, restart;
};

static void parse_dqt(struct parsed *p, const unsigned char *s, const unsigned char *end)
{
	for (; s < end; s += 65) {
		p->quant.load_quantiser_table[*s & 3] = 1;
		memcpy(p->quant.quantiser_table[*s & 3], s + 1, 64);
	}
}

static void parse_dht(struct parsed *p, const unsigned char *s, const unsigned char *end)
{
	while (s < end) {
		const unsigned t = *s & 1, ac = *s >> 4;
		unsigned n = 0;
		p->huffman.load_huffman_table[t] = 1;
		for (unsigned i = 0; i < 16; i++)
			n += s[1 + i];
		memcpy(ac ? p->huffman.huffman_table[t].num_ac_codes : p->huffman.huffman_table[t].num_dc_codes, s + 1, 16);
		memcpy(ac ? p->huffman.huffman_table[t].ac_values : p->huffman.huffman_table[t].dc_values, s + 17, n);
		s += 17 + n;
	}
}

static void parse_sof(struct parsed *p, const unsigned char *s)
{
	p->picture.picture_height = (uint16_t)(s[1] << 8 | s[2]);
	p->picture.picture_width = (uint16_t)(s[3] << 8 | s[4]);
	p->picture.num_components = s[5];
	for (unsigned i = 0; i < s[5]; i++) {
		p->picture.components[i].component_id = s[6 + 3 * i];
		p->picture.components[i].h_sampling_factor = s[7 + 3 * i] >> 4;
		p->picture.components[i].v_sampling_factor = s[7 + 3 * i] & 15;
		p->picture.components[i].quantiser_table_selector = s[8 + 3 * i];
	}
}

/* Returns where the data ends. */
static const unsigned char *parse_sos(struct parsed *p, const unsigned char *s, const unsigned char *data, const unsigned char *end)
{
	VASliceParameterBufferJPEGBaseline *l = &p->scans[p->num_scans].slice;
	const unsigned char *at = data;
	l->num_components = s[0];
	for (unsigned i = 0; i < s[0]; i++) {
		l->components[i].component_selector = s[1 + 2 * i];
		l->components[i].dc_table_selector = s[2 + 2 * i] >> 4;
		l->components[i].ac_table_selector = s[2 + 2 * i] & 15;
	}
	while (at + 1 < end && !(at[0] == 0xff && at[1] && (at[1] & 0xf8) != 0xd0))
		at++;
	l->slice_data_size = (uint32_t)(at - data);
	l->restart_interval = (uint16_t)p->restart;
	p->scans[p->num_scans].huffman = p->huffman;
	p->scans[p->num_scans++].data = data;
	return at;
}

static struct parsed parse(const struct file *f)
{
	struct parsed p = {.num_scans = 0};
	const unsigned char *s = f->bytes + 2, *end = f->bytes + f->size;
	while (s + 4 <= end && s[0] == 0xff && s[1] != 0xd9) {
		const unsigned char *next = s + 2 + (s[2] << 8 | s[3]);
		switch (s[1]) {
		case 0xdb: parse_dqt(&p, s + 4, next); break;
		case 0xc0: parse_sof(&p, s + 4); break;
		case 0xc4: parse_dht(&p, s + 4, next); break;
		case 0xdd: p.restart = (unsigned)(s[4] << 8 | s[5]); break;
		case 0xda: next = parse_sos(&p, s + 4, next, end); break;
		}
		s = next;
	}
	return p;
}

/* ---- libjpeg's planes ---- */
static uint8_t *libjpeg_planes(const struct file *f, const struct shape *shape, unsigned width, unsigned height)
{
	struct jpeg_decompress_struct d;
	struct jpeg_error_mgr errors;
	JSAMPROW rows[3][32];
	JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
	uint8_t *out = malloc(picture_bytes(shape, width, height)), *at[3] = {out, NULL, NULL};
	d.err = jpeg_std_error(&errors);
	jpeg_create_decompress(&d);
	jpeg_mem_src(&d, f->bytes, f->size);
	jpeg_read_header(&d, TRUE);
	d.raw_data_out = TRUE;
	d.dct_method = JDCT_ISLOW;
	jpeg_start_decompress(&d);
	JSAMPLE *room = malloc(3 * 32 * (width + 64));
	for (unsigned i = 0; i < 96; i++)
		rows[i / 32][i % 32] = room + i * (width + 64);
	for (unsigned p = 1; p < (unsigned)d.num_components; p++)
		at[p] = at[p - 1] + shape_row(shape, p - 1, width) * shape_rows(shape, p - 1, height);
	while (d.output_scanline < height) {
		const unsigned first = d.output_scanline;
		jpeg_read_raw_data(&d, planes, (JDIMENSION)(d.max_v_samp_factor * 8));
		for (unsigned p = 0; p < (unsigned)d.num_components; p++) {
			const unsigned v = (unsigned)d.comp_info[p].v_samp_factor * 8, from = first * (unsigned)d.comp_info[p].v_samp_factor / (unsigned)d.max_v_samp_factor;
			for (unsigned y = 0; y < v && from + y < shape_rows(shape, p, height); y++)
				memcpy(at[p] + (from + y) * shape_row(shape, p, width), rows[p][y], shape_row(shape, p, width));
		}
	}
	jpeg_destroy_decompress(&d);
	free(room);
	return out;
}

/* ---- decoding ---- */
static VABufferID buffer_make(VABufferType type, const void *data, size_t size)
{
	VABufferID id;
	VA_OK(vaCreateBuffer(va, context, type, (unsigned)size, 1, (void *)(uintptr_t)data, &id));
	return id;
}

static VAStatus render(VABufferType type, const void *data, size_t size)
{
	VABufferID id = buffer_make(type, data, size);
	const VAStatus status = vaRenderPicture(va, context, &id, 1);
	VA_OK(vaDestroyBuffer(va, id));
	return status;
}

/* Scans that have tables of their own are pictures one after the other for VA-API, which has one set of tables a picture. */
static void decode_scans(const struct parsed *p, VASurfaceID target, unsigned first, unsigned end)
{
	VA_OK(vaBeginPicture(va, context, target));
	VA_OK(render(VAPictureParameterBufferType, &p->picture, sizeof p->picture));
	VA_OK(render(VAIQMatrixBufferType, &p->quant, sizeof p->quant));
	VA_OK(render(VAHuffmanTableBufferType, &p->scans[end - 1].huffman, sizeof p->huffman));
	for (unsigned i = first; i < end; i++) {
		VA_OK(render(VASliceParameterBufferType, &p->scans[i].slice, sizeof p->scans[i].slice));
		VA_OK(render(VASliceDataBufferType, p->scans[i].data, p->scans[i].slice.slice_data_size));
	}
	VA_OK(vaEndPicture(va, context));
}

static void same_within_one(const uint8_t *expected, const uint8_t *got, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (abs(expected[i] - got[i]) > 1)
			fail_msg("%s: byte %zu is %u, not %u", name, i, got[i], expected[i]);
}

static const struct sampling samplings[] = {{"4:2:0", 3, 2, 2, VA_FOURCC_I420}, {"4:2:2", 3, 2, 1, VA_FOURCC_422H}, {"4:4:0", 3, 1, 2, VA_FOURCC_422V},
					    {"4:4:4", 3, 1, 1, VA_FOURCC_444P}, {"4:1:1", 3, 4, 1, VA_FOURCC_411P}, {"grey", 1, 1, 1, VA_FOURCC_Y800}};
enum { SAMPLINGS = sizeof samplings / sizeof *samplings };

static void picture_decode(const struct sampling *s, bool scans)
{
	const unsigned width = 17 + pick(80), height = 17 + pick(60), restart = pick(2) ? 1 + pick(6) : 0;
	const struct file f = file_make(s, width, height, 30 + (int)pick(70), restart, scans);
	const struct parsed p = parse(&f);
	const struct shape *shape = shape_of(s->fourcc);
	const VASurfaceID target = surface_make(shape, width, height);
	assert_int_equal(p.num_scans, scans ? 3 : 1);
	decode_scans(&p, target, 0, p.num_scans);
	VA_OK(vaSyncSurface(va, target));
	uint8_t *expected = libjpeg_planes(&f, shape, width, height), *got = surface_read(target, shape, width, height);
	same_within_one(expected, got, picture_bytes(shape, width, height), s->name);
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){target}, 1));
	free(expected), free(got), free(f.bytes);
}

static void pictures(void **state)
{
	(void)state;
	for (unsigned r = 0; r < (check_long() ? 50u : 3u); r++)
		for (unsigned i = 0; i < SAMPLINGS; i++)
			picture_decode(&samplings[i], false);
}

static void separate_scans(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SAMPLINGS - 1; i++)
		picture_decode(&samplings[i], true);
}

/* NV12 has the same samples as I420, and a surface may be larger than the picture. */
static void into_nv12(void **state)
{
	(void)state;
	const struct file f = file_make(&samplings[0], 64, 48, 80, 0, false);
	const struct parsed p = parse(&f);
	const struct shape *nv12 = shape_of(VA_FOURCC_NV12), *i420 = shape_of(VA_FOURCC_I420);
	const VASurfaceID target = surface_make(nv12, 80, 64);
	decode_scans(&p, target, 0, 1);
	VA_OK(vaSyncSurface(va, target));
	uint8_t *expected = libjpeg_planes(&f, i420, 64, 48), *got = surface_read(target, nv12, 80, 64);
	for (unsigned y = 0; y < 48; y++)
		same_within_one(expected + y * 64, got + y * 80, 64, "luma");
	for (unsigned y = 0; y < 24; y++)
		for (unsigned x = 0; x < 32; x++)
			for (unsigned c = 0; c < 2; c++)
				same_within_one(&expected[64 * 48 + c * 32 * 24 + y * 32 + x], &got[80 * 64 + y * 80 + 2 * x + c], 1, "chroma");
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){target}, 1));
	free(expected), free(got), free(f.bytes);
}

/* ---- what is wrong ---- */
static void ends_with(const struct parsed *p, VASurfaceID target, VAStatus status)
{
	VA_OK(vaBeginPicture(va, context, target));
	VA_OK(render(VAPictureParameterBufferType, &p->picture, sizeof p->picture));
	VA_OK(render(VAIQMatrixBufferType, &p->quant, sizeof p->quant));
	VA_OK(render(VAHuffmanTableBufferType, &p->huffman, sizeof p->huffman));
	VA_OK(render(VASliceParameterBufferType, &p->scans[0].slice, sizeof p->scans[0].slice));
	VA_OK(render(VASliceDataBufferType, p->scans[0].data, p->scans[0].slice.slice_data_size));
	VA_FAILS(status, vaEndPicture(va, context));
}

static void bad_parameters(void **state)
{
	(void)state;
	const struct file f = file_make(&samplings[0], 32, 32, 80, 0, false);
	const struct parsed right = parse(&f);
	const VASurfaceID target = surface_make(shape_of(VA_FOURCC_I420), 32, 32), other = surface_make(shape_of(VA_FOURCC_444P), 32, 32);
	struct parsed p = right;
	VAContextID fresh;
	VA_FAILS(VA_STATUS_ERROR_INVALID_SURFACE, vaBeginPicture(va, context, surface_make(shape_of(VA_FOURCC_BGRA), 32, 32)));
	ends_with(&p, other, VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT);
	p.picture.picture_width = 33;
	ends_with(&p, target, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED);
	p = right;
	p.scans[0].slice.components[1].component_selector = 77;
	ends_with(&p, target, VA_STATUS_ERROR_INVALID_PARAMETER);
	VA_OK(vaBeginPicture(va, context, target));
	p = right;
	p.picture.num_components = 2;
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, render(VAPictureParameterBufferType, &p.picture, sizeof p.picture));
	p.picture.num_components = 255;
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, render(VAPictureParameterBufferType, &p.picture, sizeof p.picture));
	p = right;
	p.picture.components[0].h_sampling_factor = 5;
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, render(VAPictureParameterBufferType, &p.picture, sizeof p.picture));
	p = right;
	p.picture.components[2].quantiser_table_selector = 4;
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, render(VAPictureParameterBufferType, &p.picture, sizeof p.picture));
	p = right;
	memset(p.huffman.huffman_table[0].num_ac_codes, 255, 16);
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, render(VAHuffmanTableBufferType, &p.huffman, sizeof p.huffman));
	VA_FAILS(VA_STATUS_ERROR_INVALID_BUFFER, render(VAPictureParameterBufferType, &p.picture, 8));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, render(VASliceDataBufferType, "x", 1)); /* of no scan */
	p = right;
	p.scans[0].slice.slice_data_flag = VA_SLICE_DATA_FLAG_BEGIN;
	VA_FAILS(VA_STATUS_ERROR_FLAG_NOT_SUPPORTED, render(VASliceParameterBufferType, &p.scans[0].slice, sizeof p.scans[0].slice));
	p = right;
	p.scans[0].slice.components[0].ac_table_selector = 2;
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, render(VASliceParameterBufferType, &p.scans[0].slice, sizeof p.scans[0].slice));
	p = right;
	p.scans[0].slice.slice_data_offset = UINT32_MAX;
	VA_OK(render(VASliceParameterBufferType, &p.scans[0].slice, sizeof p.scans[0].slice));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, render(VASliceDataBufferType, p.scans[0].data, p.scans[0].slice.slice_data_size));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaEndPicture(va, context)); /* nothing of it is there */
	/* a context that has seen no tables */
	const VAContextID before = context;
	VA_OK(vaCreateContext(va, config, 32, 32, 0, NULL, 0, &fresh));
	context = fresh;
	VA_OK(vaBeginPicture(va, context, target));
	VA_OK(render(VAPictureParameterBufferType, &right.picture, sizeof right.picture));
	VA_OK(render(VASliceParameterBufferType, &right.scans[0].slice, sizeof right.scans[0].slice));
	VA_OK(render(VASliceDataBufferType, right.scans[0].data, right.scans[0].slice.slice_data_size));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaEndPicture(va, context));
	VA_OK(vaDestroyContext(va, fresh));
	context = before;
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){target, other}, 2));
	free(f.bytes);
}

/* An error of the stream is the surface's, until the next picture in it. */
static void bad_streams(void **state)
{
	(void)state;
	const struct file f = file_make(&samplings[0], 64, 64, 90, 0, false);
	const struct parsed right = parse(&f);
	const VASurfaceID target = surface_make(shape_of(VA_FOURCC_I420), 64, 64);
	struct parsed p = right;
	VASurfaceDecodeMBErrors *errors;
	p.scans[0].slice.slice_data_size /= 2;
	decode_scans(&p, target, 0, 1);
	VA_FAILS(VA_STATUS_ERROR_DECODING_ERROR, vaSyncSurface(va, target));
	VA_FAILS(VA_STATUS_ERROR_DECODING_ERROR, vaSyncSurface(va, target));
	VA_OK(vaQuerySurfaceError(va, target, VA_STATUS_ERROR_DECODING_ERROR, (void **)&errors));
	assert_int_equal(errors[0].status, 1);
	assert_int_equal(errors[0].decode_error_type, VADecodeMBError);
	assert_int_equal(errors[1].status, -1);
	decode_scans(&right, target, 0, 1);
	VA_OK(vaSyncSurface(va, target));
	VA_FAILS(VA_STATUS_ERROR_OPERATION_FAILED, vaQuerySurfaceError(va, target, VA_STATUS_ERROR_DECODING_ERROR, (void **)&errors));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaQuerySurfaceError(va, target, VA_STATUS_ERROR_ENCODING_ERROR, (void **)&errors));
	/* bytes at random: it is decoded, or the stream has an error */
	unsigned char *data = malloc(right.scans[0].slice.slice_data_size);
	for (unsigned i = 0; i < (check_long() ? 2000u : 60u); i++) {
		memcpy(data, right.scans[0].data, right.scans[0].slice.slice_data_size);
		p = right;
		for (unsigned k = pick(8) + 1; k; k--)
			data[pick(right.scans[0].slice.slice_data_size)] = (unsigned char)pick(256);
		for (unsigned k = pick(3); k; k--)
			((uint8_t *)&p.huffman.huffman_table[pick(2)])[pick(28)] ^= (uint8_t)(1u << pick(2));
		p.scans[0].data = data;
		VA_OK(vaBeginPicture(va, context, target));
		VA_OK(render(VAPictureParameterBufferType, &p.picture, sizeof p.picture));
		(void)render(VAHuffmanTableBufferType, &p.huffman, sizeof p.huffman); /* or it is refused, and the last one stays */
		VA_OK(render(VASliceParameterBufferType, &p.scans[0].slice, sizeof p.scans[0].slice));
		VA_OK(render(VASliceDataBufferType, data, p.scans[0].slice.slice_data_size));
		VA_OK(vaEndPicture(va, context));
		const VAStatus status = vaSyncSurface(va, target);
		assert_true(status == VA_STATUS_SUCCESS || status == VA_STATUS_ERROR_DECODING_ERROR);
	}
	decode_scans(&right, target, 0, 1);
	VA_OK(vaSyncSurface(va, target));
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){target}, 1));
	free(data), free(f.bytes);
}

static int setup(void **state)
{
	va_test_setup(state);
	VA_OK(vaCreateConfig(va, VAProfileJPEGBaseline, VAEntrypointVLD, NULL, 0, &config));
	VA_OK(vaCreateContext(va, config, 64, 64, VA_PROGRESSIVE, NULL, 0, &context));
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pictures), cmocka_unit_test(separate_scans), cmocka_unit_test(into_nv12), cmocka_unit_test(bad_parameters),
					   cmocka_unit_test(bad_streams)};
	va_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, va_test_teardown);
}
