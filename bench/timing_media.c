/* The timing parameters of the media unit: what one more row of a picture takes, so that the beginning and the end of a job do not count. */
#include "bench/timing.h"
#include "abi/codes.h"
#include "abi/media.h"
#include <string.h>

enum { WIDTH = 2048, FEW_ROWS = 64, MANY_ROWS = 192, JOB = 0, TABLES = 4096, STREAM = 1 << 16, PLANE = 8 << 20 };

static uint64_t dram(uint64_t at) { return umd_bo_address(t.dram) + at; }
static void *host(uint64_t at) { return (uint8_t *)umd_bo_cpu(t.system) + at; }
static uint64_t va(uint64_t at) { return umd_bo_address(t.system) + at; }

static struct media_surface plane(uint64_t address, uint32_t height, uint8_t step)
{
	return (struct media_surface){ WIDTH, height, 0, { { address, WIDTH * step, step, 0, 0, 8 } } };
}

/* One component, each sample the source's; samples lie step bytes apart. */
static uint64_t copy(uint32_t height, uint8_t step)
{
	struct media_process *j = host(JOB);
	struct { int32_t first; int16_t weight, pad; } *table = host(TABLES);
	const struct media_filter f = { va(TABLES), 1, 0 };
	for (unsigned i = 0; i < WIDTH; i++) {
		table[i].first = (int32_t)i;
		table[i].weight = MEDIA_WEIGHT_ONE;
		table[i].pad = 0;
	}
	memset(j, 0, sizeof *j);
	j->src = plane(dram(0), height, step);
	j->dst = plane(dram(PLANE), height, step);
	j->width = WIDTH;
	j->height = height;
	j->filter_x[0][0] = j->filter_y[0][0] = f;
	const struct completion done = submit(&(union packet){ .process = { .head.type = PACKET_CODE_process, .job = va(JOB) } });
	return done.end - done.start;
}

/* A gray picture of blocks with two codes of one bit each. */
static uint64_t decode(uint32_t height)
{
	struct media_jpeg *j = host(JOB);
	memset(j, 0, sizeof *j);
	memset(host(STREAM), 0, WIDTH / 8 * MANY_ROWS / 8);
	j->stream = va(STREAM);
	j->stream_bytes = WIDTH / 8 * MANY_ROWS / 8;
	j->width = WIDTH;
	j->height = height;
	j->components = 1;
	j->component[0].h = j->component[0].v = 1;
	j->dc[0].counts[0] = j->ac[0].counts[0] = 1;
	j->dst = plane(dram(PLANE), height, 1);
	const struct completion done = submit(&(union packet){ .jpeg = { .head.type = PACKET_CODE_jpeg, .job = va(JOB) } });
	return done.end - done.start;
}

static double samples(void) { return (double)WIDTH * (MANY_ROWS - FEW_ROWS); }

void media(void)
{
	const struct device_config *c = &t.config;
	enum { APART = MEDIA_STEP_MAX };
	told("video processing of one row", (double)copy(1, 1), "cycles", "start of the job to completion record");
	row("video processing, near samples", "media_samples_cycle", c->media_samples_cycle, samples() / (double)(copy(MANY_ROWS, 1) - copy(FEW_ROWS, 1)), "samples/cycle");
	row("video processing, far samples", "media_bytes_cycle", c->media_bytes_cycle,
	    2 * APART * samples() / (double)(copy(MANY_ROWS, APART) - copy(FEW_ROWS, APART)), "bytes/cycle");
	row("JPEG, a block of few codes", "media_block_cycles + 64 / media_bytes_cycle", c->media_block_cycles + 64.0 / c->media_bytes_cycle,
	    (double)(decode(MANY_ROWS) - decode(FEW_ROWS)) / (samples() / 64), "cycles");
}
