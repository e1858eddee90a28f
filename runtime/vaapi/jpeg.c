/* JPEG pictures: buffers become scans for the media unit. Tables stay until others take their place, as in a stream. */
#include "runtime/vaapi/picture.h"
#include <stdlib.h>
#include <string.h>
#include <va/va_dec_jpeg.h>

enum { SCANS_MAX = 3, COMPONENTS_MAX = 3, QUANTS = 4, HUFFMANS = 2, DC_SYMBOLS_MAX = 12, AC_SYMBOLS_MAX = 162, BLOCKS_MAX = 10 };
struct scan {
	VASliceParameterBufferJPEGBaseline parameters;
	struct buffer *data; /* NULL: it has not come yet */
};
struct jpeg {
	uint8_t quant[QUANTS][64];
	struct media_huffman dc[HUFFMANS], ac[HUFFMANS];
	bool has_quant[QUANTS], has_huffman[HUFFMANS];
	bool has_picture;
	VAPictureParameterBufferJPEGBaseline picture;
	struct scan scans[SCANS_MAX];
	unsigned num_scans;
};

struct jpeg *jpeg_create(void) { return calloc(1, sizeof(struct jpeg)); }

void jpeg_reset(struct jpeg *p)
{
	while (p->num_scans) {
		struct buffer *data = p->scans[--p->num_scans].data;
		if (data)
			object_put(&data->object);
	}
	p->has_picture = false;
}

void jpeg_destroy(struct jpeg *p)
{
	if (p)
		jpeg_reset(p);
	free(p);
}

/* ---- buffers ---- */
/* A copy: the application may change the buffer meanwhile. */
static VAStatus take(const struct buffer *b, unsigned index, void *out, size_t size)
{
	FAIL_IF(b->size < size, VA_STATUS_ERROR_INVALID_BUFFER, "a buffer of type %d of %u bytes; it has %zu", b->type, b->size, size);
	memcpy(out, b->data + (size_t)index * b->size, size);
	return VA_STATUS_SUCCESS;
}

static VAStatus add_picture(struct jpeg *p, const struct buffer *b)
{
	TRY(take(b, 0, &p->picture, sizeof p->picture));
	const VAPictureParameterBufferJPEGBaseline *q = &p->picture;
	FAIL_IF(!q->picture_width || !q->picture_height, VA_STATUS_ERROR_INVALID_PARAMETER, "a picture of %u by %u", q->picture_width, q->picture_height);
	FAIL_IF(q->num_components != 1 && q->num_components != COMPONENTS_MAX, VA_STATUS_ERROR_INVALID_PARAMETER, "a picture of %u components", q->num_components);
	FAIL_IF(q->color_space || q->rotation != VA_ROTATION_NONE, VA_STATUS_ERROR_INVALID_PARAMETER, "a picture that is not YUV, or is rotated");
	for (unsigned i = 0; i < q->num_components; i++) {
		const __typeof__(q->components[i]) *c = &q->components[i];
		FAIL_IF(!c->h_sampling_factor || c->h_sampling_factor > 4 || !c->v_sampling_factor || c->v_sampling_factor > 4, VA_STATUS_ERROR_INVALID_PARAMETER,
			"component %u has sampling factors %u and %u", i, c->h_sampling_factor, c->v_sampling_factor);
		FAIL_IF(c->quantiser_table_selector >= QUANTS, VA_STATUS_ERROR_INVALID_PARAMETER, "component %u has quantisation table %u", i, c->quantiser_table_selector);
	}
	p->has_picture = true;
	return VA_STATUS_SUCCESS;
}

static VAStatus add_quant(struct jpeg *p, const struct buffer *b)
{
	VAIQMatrixBufferJPEGBaseline q;
	TRY(take(b, 0, &q, sizeof q));
	for (unsigned i = 0; i < QUANTS; i++) {
		if (!q.load_quantiser_table[i])
			continue;
		memcpy(p->quant[i], q.quantiser_table[i], sizeof p->quant[i]);
		p->has_quant[i] = true;
	}
	return VA_STATUS_SUCCESS;
}

static VAStatus huffman(struct media_huffman *out, const uint8_t counts[16], const uint8_t *symbols, unsigned most)
{
	unsigned n = 0, code = 0;
	for (unsigned i = 0; i < 16; i++, code <<= 1) {
		n += counts[i];
		code += counts[i];
		FAIL_IF(counts[i] && code >= 2u << i, VA_STATUS_ERROR_INVALID_PARAMETER, "a Huffman table has more codes of %u bits than there are", i + 1);
	}
	FAIL_IF(n > most, VA_STATUS_ERROR_INVALID_PARAMETER, "a Huffman table of %u codes; the most is %u", n, most);
	memset(out, 0, sizeof *out);
	memcpy(out->counts, counts, sizeof out->counts);
	memcpy(out->symbols, symbols, n);
	return VA_STATUS_SUCCESS;
}

static VAStatus add_huffman(struct jpeg *p, const struct buffer *b)
{
	VAHuffmanTableBufferJPEGBaseline h;
	TRY(take(b, 0, &h, sizeof h));
	for (unsigned i = 0; i < HUFFMANS; i++) {
		if (!h.load_huffman_table[i])
			continue;
		TRY(huffman(&p->dc[i], h.huffman_table[i].num_dc_codes, h.huffman_table[i].dc_values, DC_SYMBOLS_MAX));
		TRY(huffman(&p->ac[i], h.huffman_table[i].num_ac_codes, h.huffman_table[i].ac_values, AC_SYMBOLS_MAX));
		p->has_huffman[i] = true;
	}
	return VA_STATUS_SUCCESS;
}

static VAStatus add_scan(struct jpeg *p, const struct buffer *b)
{
	for (unsigned i = 0; i < b->num_elements; i++) {
		struct scan *s = &p->scans[p->num_scans];
		FAIL_IF(p->num_scans == SCANS_MAX, VA_STATUS_ERROR_MAX_NUM_EXCEEDED, "a picture of more than %d scans", SCANS_MAX);
		TRY(take(b, i, &s->parameters, sizeof s->parameters));
		const VASliceParameterBufferJPEGBaseline *q = &s->parameters;
		FAIL_IF(q->slice_data_flag != VA_SLICE_DATA_FLAG_ALL, VA_STATUS_ERROR_FLAG_NOT_SUPPORTED, "a scan in parts (flag %u)", q->slice_data_flag);
		FAIL_IF(q->slice_horizontal_position || q->slice_vertical_position, VA_STATUS_ERROR_INVALID_PARAMETER, "a scan that does not begin where the picture does");
		FAIL_IF(q->num_components != 1 && q->num_components != COMPONENTS_MAX, VA_STATUS_ERROR_INVALID_PARAMETER, "a scan of %u components", q->num_components);
		for (unsigned k = 0; k < q->num_components; k++)
			FAIL_IF(q->components[k].dc_table_selector >= HUFFMANS || q->components[k].ac_table_selector >= HUFFMANS, VA_STATUS_ERROR_INVALID_PARAMETER,
				"component %u of a scan has Huffman tables %u and %u", k, q->components[k].dc_table_selector, q->components[k].ac_table_selector);
		s->data = NULL;
		p->num_scans++;
	}
	return VA_STATUS_SUCCESS;
}

/* Of all scans that have come before it without. */
static VAStatus add_data(struct jpeg *p, struct buffer *b)
{
	bool used = false;
	for (unsigned i = 0; i < p->num_scans; i++) {
		const VASliceParameterBufferJPEGBaseline *q = &p->scans[i].parameters;
		if (p->scans[i].data)
			continue;
		const uint64_t bytes = (uint64_t)b->size * b->num_elements;
		FAIL_IF(!q->slice_data_size || q->slice_data_offset > bytes || q->slice_data_size > bytes - q->slice_data_offset, VA_STATUS_ERROR_INVALID_PARAMETER,
			"a scan of %u bytes from byte %u on, of %llu", q->slice_data_size, q->slice_data_offset, (unsigned long long)bytes);
		atomic_fetch_add(&b->object.refs, 1);
		p->scans[i].data = b;
		used = true;
	}
	FAIL_IF(!used, VA_STATUS_ERROR_INVALID_PARAMETER, "data of no scan");
	return VA_STATUS_SUCCESS;
}

VAStatus jpeg_add(struct jpeg *p, struct buffer *b)
{
	switch (b->type) {
	case VAPictureParameterBufferType: return add_picture(p, b);
	case VAIQMatrixBufferType: return add_quant(p, b);
	case VAHuffmanTableBufferType: return add_huffman(p, b);
	case VASliceParameterBufferType: return add_scan(p, b);
	case VASliceDataBufferType: return add_data(p, b);
	default: return FAIL(VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE, "a buffer of type %d in a JPEG picture", b->type);
	}
}

/* ---- the job ---- */
struct sampling { unsigned h, v; };

static struct sampling most(const VAPictureParameterBufferJPEGBaseline *p)
{
	struct sampling m = {1, 1};
	for (unsigned i = 0; i < p->num_components; i++) {
		m.h = p->components[i].h_sampling_factor > m.h ? p->components[i].h_sampling_factor : m.h;
		m.v = p->components[i].v_sampling_factor > m.v ? p->components[i].v_sampling_factor : m.v;
	}
	return m;
}

/* The surface has its samples where the picture has them. A picture of one component has as many as pixels, whatever its factors are. */
static VAStatus check_format(const VAPictureParameterBufferJPEGBaseline *p, const struct layout *l)
{
	const struct sampling m = most(p);
	FAIL_IF(p->picture_width > l->width || p->picture_height > l->height, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED, "a picture of %u by %u into a surface of %u by %u",
		p->picture_width, p->picture_height, l->width, l->height);
	FAIL_IF((p->num_components == 1) != (l->format->colours == GREY), VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "a picture of %u components into a surface of format %.4s",
		p->num_components, (const char *)&l->format->fourcc);
	for (unsigned i = 0; i < p->num_components && p->num_components > 1; i++)
		FAIL_IF((unsigned)p->components[i].h_sampling_factor << l->format->components[i].shift_x != m.h ||
				(unsigned)p->components[i].v_sampling_factor << l->format->components[i].shift_y != m.v,
			VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "component %u has %u by %u samples of %u by %u, a surface of format %.4s has not", i,
			p->components[i].h_sampling_factor, p->components[i].v_sampling_factor, m.h, m.v, (const char *)&l->format->fourcc);
	return VA_STATUS_SUCCESS;
}

static VAStatus component(const struct jpeg *p, const VASliceParameterBufferJPEGBaseline *s, unsigned at, unsigned of, struct media_jpeg_component *out)
{
	const __typeof__(p->picture.components[of]) *c = &p->picture.components[of];
	*out = (struct media_jpeg_component){.h = c->h_sampling_factor, .v = c->v_sampling_factor, .quant = c->quantiser_table_selector,
					     .dc = s->components[at].dc_table_selector, .ac = s->components[at].ac_table_selector};
	FAIL_IF(!p->has_quant[out->quant], VA_STATUS_ERROR_INVALID_PARAMETER, "there is no quantisation table %u", out->quant);
	FAIL_IF(!p->has_huffman[out->dc] || !p->has_huffman[out->ac], VA_STATUS_ERROR_INVALID_PARAMETER, "there are no Huffman tables %u and %u", out->dc, out->ac);
	return VA_STATUS_SUCCESS;
}

static int find(const VAPictureParameterBufferJPEGBaseline *p, unsigned id)
{
	for (int i = 0; i < p->num_components; i++)
		if (p->components[i].component_id == id)
			return i;
	return -1;
}

static unsigned blocks(const VAPictureParameterBufferJPEGBaseline *p)
{
	unsigned n = 0;
	for (unsigned i = 0; i < p->num_components; i++)
		n += (unsigned)p->components[i].h_sampling_factor * p->components[i].v_sampling_factor;
	return n;
}

/* All components, in the order of the picture; or one of them, which is a picture of its own. */
static VAStatus scan_fill(const struct jpeg *p, const struct scan *s, const struct surface *target, struct media_jpeg *out)
{
	const VAPictureParameterBufferJPEGBaseline *q = &p->picture;
	const unsigned n = s->parameters.num_components;
	const struct sampling m = most(q);
	FAIL_IF(!s->data, VA_STATUS_ERROR_INVALID_PARAMETER, "a scan without data");
	FAIL_IF(n > q->num_components, VA_STATUS_ERROR_INVALID_PARAMETER, "a scan of %u components of %u", n, q->num_components);
	FAIL_IF(n > 1 && blocks(q) > BLOCKS_MAX, VA_STATUS_ERROR_INVALID_PARAMETER, "%u blocks in an MCU; the most is %d", blocks(q), BLOCKS_MAX);
	*out = (struct media_jpeg){.stream = s->data->memory->address + s->parameters.slice_data_offset, .stream_bytes = s->parameters.slice_data_size,
				   .restart_interval = s->parameters.restart_interval, .width = q->picture_width, .height = q->picture_height, .components = n};
	memcpy(out->quant, p->quant, sizeof out->quant);
	memcpy(out->dc, p->dc, sizeof out->dc);
	memcpy(out->ac, p->ac, sizeof out->ac);
	layout_surface(&target->layout, target->memory->address, 0, 0, target->layout.width, target->layout.height, &out->dst);
	for (unsigned i = 0; i < n; i++) {
		const int of = find(q, s->parameters.components[i].component_selector);
		FAIL_IF(of < 0 || (n > 1 && of != (int)i), VA_STATUS_ERROR_INVALID_PARAMETER, "component %u of a scan is %u, which the picture has not there", i,
			s->parameters.components[i].component_selector);
		TRY(component(p, &s->parameters, i, (unsigned)of, &out->component[i]));
		if (n > 1)
			continue;
		const struct media_component plane = out->dst.component[of];
		const struct media_jpeg_component c = out->component[0];
		out->width = (out->width * c.h + m.h - 1) / m.h;
		out->height = (out->height * c.v + m.v - 1) / m.v;
		out->component[0].h = out->component[0].v = 1;
		out->dst = (struct media_surface){.width = out->width, .height = out->height, .component = {plane}};
		out->dst.component[0].shift_x = out->dst.component[0].shift_y = 0;
	}
	return VA_STATUS_SUCCESS;
}

static VAStatus check(const struct jpeg *p, const struct surface *target)
{
	FAIL_IF(!p->has_picture || !p->num_scans, VA_STATUS_ERROR_INVALID_PARAMETER, "a picture without %s", p->has_picture ? "a scan" : "parameters");
	return check_format(&p->picture, &target->layout);
}

void jpeg_job(const struct jpeg *p, struct surface *target, struct job *j)
{
	j->status = check(p, target);
	for (unsigned i = 0; i < p->num_scans && !j->status; i++) {
		uint64_t address;
		struct media_jpeg *m = job_data(j, sizeof *m, &address);
		if (!m)
			return;
		j->status = scan_fill(p, &p->scans[i], target, m);
		if (j->status)
			return;
		job_uses(j, p->scans[i].data->memory);
		job_packet(j)->jpeg = (struct packet_jpeg){.head.type = PACKET_CODE_jpeg, .job = address};
	}
	job_uses(j, target->memory);
	j->decodes = target;
}
