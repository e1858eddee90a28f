/* What a job of video processing must write, by the sentences of the manual's section "Video processing": a sample at a time, in plain
 * integers, over memory that is one array. */
#ifndef GALENA_TESTBENCH_MEDIA_PREDICT_H
#define GALENA_TESTBENCH_MEDIA_PREDICT_H
#include "abi/media.h"
#include <stdbool.h>
#include <string.h>

/* Memory from virtual address va on. */
struct predict_memory {
	uint8_t *bytes;
	uint64_t va;
};

static inline uint8_t *predict_at(const struct predict_memory *m, uint64_t va) { return m->bytes + (va - m->va); }

static inline int64_t predict_clamp(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }
/* Divided by a power of two, to the nearest, halves up. */
static inline int64_t predict_round(int64_t v, unsigned bits) { return (v + (1ll << (bits - 1))) >> bits; }

static inline uint32_t predict_samples(uint32_t size, unsigned shift) { return (size + (1u << shift) - 1) / (1u << shift); }

static inline int64_t predict_load(const struct predict_memory *m, const struct media_component *c, int64_t x, int64_t y)
{
	const uint8_t *p = predict_at(m, c->address + (uint64_t)y * c->pitch + (uint64_t)x * c->step);
	return c->bits == 8 ? p[0] * 256 : (p[0] + p[1] * 256) / 64 * 64;
}

static inline void predict_store(const struct predict_memory *m, const struct media_component *c, int64_t x, int64_t y, int64_t v)
{
	uint8_t *p = predict_at(m, c->address + (uint64_t)y * c->pitch + (uint64_t)x * c->step);
	if (c->bits == 8) {
		p[0] = (uint8_t)predict_clamp(predict_round(v, 8), 0, 255);
	} else {
		const int64_t ten = predict_clamp(predict_round(v, 6), 0, 1023) * 64;
		p[0] = (uint8_t)(ten % 256);
		p[1] = (uint8_t)(ten / 256);
	}
}

/* An entry of a table: its first sample and its weights. */
static inline int32_t predict_entry(const struct predict_memory *m, const struct media_filter *f, uint32_t entry, int16_t weights[MEDIA_TAPS_MAX])
{
	const uint32_t bytes = (4 + f->taps * 2 + 3) / 4 * 4;
	const uint8_t *p = predict_at(m, f->table + (uint64_t)entry * bytes);
	int32_t first;
	memcpy(&first, p, 4);
	memcpy(weights, p + 4, f->taps * 2);
	return first;
}

/* Component s of the source at sample (x, y) of the rectangle in a component of the destination with these shifts. */
static inline int64_t predict_filtered(const struct predict_memory *m, const struct media_process *j, const struct media_component *to, unsigned s,
				       uint32_t x, uint32_t y)
{
	const struct media_component *c = &j->src.component[s];
	const struct media_filter *fx = &j->filter_x[to->shift_x != 0][c->shift_x != 0], *fy = &j->filter_y[to->shift_y != 0][c->shift_y != 0];
	const int64_t width = predict_samples(j->src.width, c->shift_x), height = predict_samples(j->src.height, c->shift_y);
	int16_t wx[MEDIA_TAPS_MAX], wy[MEDIA_TAPS_MAX];
	const int64_t x0 = predict_entry(m, fx, x, wx), y0 = predict_entry(m, fy, y, wy);
	int64_t sum = 0;
	for (unsigned k = 0; k < fy->taps; k++) {
		int64_t row = 0;
		for (unsigned i = 0; i < fx->taps; i++)
			row += wx[i] * predict_load(m, c, predict_clamp(x0 + i, 0, width - 1), predict_clamp(y0 + k, 0, height - 1));
		sum += wy[k] * predict_clamp(predict_round(row, 14), 0, 65535);
	}
	return predict_clamp(predict_round(sum, 14), 0, 65535);
}

static inline int64_t predict_matrix(const struct predict_memory *m, const struct media_process *j, const struct media_component *to, unsigned i,
				     uint32_t x, uint32_t y)
{
	int64_t sum = j->matrix[i][3];
	for (unsigned s = 0; s < 3; s++)
		if (j->src.component[s].bits)
			sum += j->matrix[i][s] * predict_filtered(m, j, to, s, x, y);
	return predict_clamp(predict_round(sum, 14), 0, 65535);
}

/* Sample (x, y) of the rectangle in component i of the destination. */
static inline void predict_sample(const struct predict_memory *m, const struct media_process *j, unsigned i, uint32_t x, uint32_t y)
{
	const struct media_component *to = &j->dst.component[i];
	const int64_t dx = j->x / (1 << to->shift_x) + x, dy = j->y / (1 << to->shift_y) + y;
	const bool blend = j->flags & MEDIA_BLEND;
	int64_t v, a = j->alpha;
	if (i == 3)
		v = j->src.component[3].bits && !blend ? predict_filtered(m, j, to, 3, x, y) : 65535;
	else
		v = j->flags & MEDIA_MATRIX ? predict_matrix(m, j, to, i, x, y) : predict_filtered(m, j, to, i, x, y);
	if (j->flags & MEDIA_SOURCE_ALPHA) {
		const int64_t s = predict_clamp(predict_round(predict_filtered(m, j, to, 3, x, y), 8), 0, 255);
		a = (a * s + 127) / 255;
	}
	if (blend)
		v = (v * a + predict_load(m, to, dx, dy) * (255 - a) + 127) / 255;
	predict_store(m, to, dx, dy, v);
}

/* Bytes that the job writes. */
static inline uint64_t predict_process(const struct predict_memory *m, const struct media_process *j)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; i < 4; i++) {
		const struct media_component *to = &j->dst.component[i];
		if (!to->bits)
			continue;
		for (uint32_t y = 0; y < predict_samples(j->height, to->shift_y); y++)
			for (uint32_t x = 0; x < predict_samples(j->width, to->shift_x); x++) {
				predict_sample(m, j, i, x, y);
				bytes += to->bits == 8 ? 1 : 2;
			}
	}
	return bytes;
}

/* ---- what tests make jobs of ---- */

/* A table of count entries at p: entry i takes a sample of the source, i * ratio, and the ones after it, in equal parts. Returns its bytes. */
static inline uint32_t predict_table_box(uint8_t *p, uint32_t count, uint32_t taps, uint32_t ratio)
{
	const uint32_t bytes = (4 + taps * 2 + 3) / 4 * 4;
	memset(p, 0, (size_t)count * bytes);
	for (uint32_t i = 0; i < count; i++) {
		const int32_t first = (int32_t)(i * ratio);
		memcpy(p + (size_t)i * bytes, &first, 4);
		for (uint32_t k = 0; k < taps; k++) {
			const int16_t w = (int16_t)(MEDIA_WEIGHT_ONE / taps + (k < MEDIA_WEIGHT_ONE % taps));
			memcpy(p + (size_t)i * bytes + 4 + k * 2, &w, 2);
		}
	}
	return count * bytes;
}

/* NV12: one plane of bytes, then one of pairs. */
static inline struct media_surface predict_nv12(uint64_t address, uint32_t width, uint32_t height, uint32_t pitch)
{
	const uint64_t uv = address + (uint64_t)pitch * height;
	return (struct media_surface){ .width = width, .height = height, .component = {
		{ address, pitch, 1, 0, 0, 8 }, { uv, pitch, 2, 1, 1, 8 }, { uv + 1, pitch, 2, 1, 1, 8 } } };
}

#endif
