/* The media unit through the kernel-mode driver: jobs in buffers, their results, and what goes wrong. */
#include "testbench/driver/fixture.h"
#include "testbench/media_predict.h"

enum { JOB = 0, TABLES = 4096, SRC = 1 << 16, DST = 1 << 18, AREA = 1 << 19 };

static uint64_t seed;
static struct umd_bo *bo;
static uint8_t *shadow;

static int setup_bo(void **state)
{
	setup(state);
	bo = make_bo(space, 0, AREA, KMD_BO_SYSTEM);
	for (unsigned i = 0; i < AREA; i++)
		((uint8_t *)umd_bo_cpu(bo))[i] = (uint8_t)splitmix64(&seed);
	shadow = malloc(AREA);
	return 0;
}

static int teardown_bo(void **state)
{
	free(shadow);
	umd_bo_release(bo);
	return teardown(state);
}

static uint64_t va(uint64_t at) { return umd_bo_address(bo) + at; }
static struct media_process *job(void) { return (struct media_process *)((uint8_t *)umd_bo_cpu(bo) + JOB); }
static union packet packet_process(uint64_t at) { return (union packet){ .process = { .head.type = PACKET_CODE_process, .job = va(at) } }; }

/* NV12 of twice the size into NV12, each sample the mean of four. */
static void job_halve(uint32_t width, uint32_t height)
{
	uint8_t *tables = (uint8_t *)umd_bo_cpu(bo) + TABLES;
	struct media_process *j = job();
	const uint32_t bytes = predict_table_box(tables, width > height ? width : height, 2, 2);
	const struct media_filter f = { va(TABLES), 2, 0 };
	assert_true(TABLES + bytes <= SRC);
	memset(j, 0, sizeof *j);
	j->src = predict_nv12(va(SRC), 2 * width, 2 * height, 2 * width + 16);
	j->dst = predict_nv12(va(DST), width, height, width + 32);
	j->width = width;
	j->height = height;
	for (unsigned i = 0; i < 2; i++)
		j->filter_x[i][i] = j->filter_y[i][i] = f;
}

static uint64_t predict(void)
{
	const struct predict_memory m = { shadow, va(0) };
	memcpy(shadow, umd_bo_cpu(bo), AREA);
	return predict_process(&m, job());
}

static void a_picture_is_scaled(void **state)
{
	(void)state;
	job_halve(160, 90);
	predict();
	const union packet p = packet_process(JOB);
	assert_int_equal(run(queue, &p, 1), 0);
	assert_memory_equal(umd_bo_cpu(bo), shadow, AREA);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_picture_is_scaled, setup_bo, teardown_bo),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
