/* The media unit through the kernel-mode driver: jobs in buffers, their results, and what goes wrong. */
#define _GNU_SOURCE
#include "abi/registers.h"
#include "testbench/driver/fixture.h"
#include "testbench/media_predict.h"

enum { JOB = 0, TABLES = 4096, SRC = 1 << 16, DST = 1 << 18, AREA = 1 << 19 };

static uint64_t seed;
static struct umd_bo *bo;
static uint8_t *shadow;

/* What the driver is opened with, by the tests' own state. */
struct given {
	const char *config, *injection, *watchdog;
};

static void give(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static int setup_bo(void **state)
{
	const struct given *g = *state;
	give("GALENA_CONFIG", g->config);
	give("GALENA_INJECT", g->injection);
	give("GALENA_WATCHDOG", g->watchdog);
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

/* A gray picture: with one code of one bit for a difference of 0 and for the end of a block, each block is two bits. */
static struct media_jpeg *job_gray(uint32_t width, uint32_t height)
{
	struct media_jpeg *j = (struct media_jpeg *)job();
	memset(j, 0, sizeof *j);
	memset((uint8_t *)umd_bo_cpu(bo) + SRC, 0, 4096);
	j->stream = va(SRC);
	j->stream_bytes = 4096;
	j->width = width;
	j->height = height;
	j->components = 1;
	j->component[0].h = j->component[0].v = 1;
	j->dc[0].counts[0] = j->ac[0].counts[0] = 1;
	j->dst = (struct media_surface){ width, height, 0, { { va(DST), width + 8, 1, 0, 0, 8 } } };
	return j;
}

static union packet packet_jpeg(uint64_t at) { return (union packet){ .jpeg = { .head.type = PACKET_CODE_jpeg, .job = va(at) } }; }
static uint64_t counter(uint32_t reg) { return umd_read_register(d, 0, reg, 64); }

/* Each time of other samples, which the device must not have kept. */
static void pictures_are_scaled(void **state)
{
	(void)state;
	uint64_t bytes = 0;
	job_halve(160, 90);
	assert_true(umd_read_register(d, 0, REG_HOST_FEATURES, 32) & REG_HOST_FEATURES_MEDIA);
	for (unsigned i = 0; i < 3; i++) {
		const union packet p = packet_process(JOB);
		for (unsigned k = SRC; k < DST; k += 1 + i)
			((uint8_t *)umd_bo_cpu(bo))[k] = (uint8_t)splitmix64(&seed);
		bytes += predict();
		assert_int_equal(run(queue, &p, 1), 0);
		assert_memory_equal(umd_bo_cpu(bo), shadow, AREA);
	}
	assert_int_equal(counter(REG_HOST_CNT_MEDIA_BYTES), bytes);
	assert_true(counter(REG_HOST_CNT_MEDIA_BUSY) > 0);
	assert_int_equal(counter(REG_HOST_CNT_FAULTS), 0);
}

static void a_picture_is_decoded(void **state)
{
	(void)state;
	const struct media_jpeg *j = job_gray(100, 50);
	const union packet p = packet_jpeg(JOB);
	memcpy(shadow, umd_bo_cpu(bo), AREA);
	for (uint32_t y = 0; y < 50; y++)
		memset(shadow + DST + y * j->dst.component[0].pitch, 128, 100);
	assert_int_equal(run(queue, &p, 1), 0);
	assert_memory_equal(umd_bo_cpu(bo), shadow, AREA);
}

/* The command ends with this, and the next one works. */
static struct fault_record fails_with(union packet p, enum fault code)
{
	struct umd_command *c;
	struct completion done;
	assert_int_equal(umd_submit(queue, &p, 1, 0, NULL, NULL, &c), 0);
	assert_int_equal(umd_wait(c), 0);
	assert_true(umd_command_ended(c, &done));
	assert_int_equal(done.status, -(int)code);
	assert_non_null(umd_command_fault(c));
	const struct fault_record r = *umd_command_fault(c);
	umd_command_release(c);
	assert_int_equal(r.code, code);
	assert_int_equal(r.unit, UNIT_MEDIA);
	job_halve(16, 8);
	predict();
	p = packet_process(JOB);
	assert_int_equal(run(queue, &p, 1), 0);
	assert_memory_equal(umd_bo_cpu(bo), shadow, AREA);
	return r;
}

static void faults_are_told(void **state)
{
	(void)state;
	struct fault_record r;
	job_halve(160, 90);
	job()->dst.component[0].address = 0x10000;
	r = fails_with(packet_process(JOB), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(r.address, 0x10000);
	assert_int_equal(r.access, ACCESS_WRITE);
	assert_int_equal(r.progress, 0);
	r = fails_with(packet_process(UINT64_MAX - 7 - va(0)), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(r.address, UINT64_MAX - 7);
	job_halve(160, 90);
	job()->flags = 1u << 31;
	r = fails_with(packet_process(JOB), FAULT_BAD_PACKET);
	assert_int_equal(r.address, va(JOB));
	job_gray(64, 64)->stream_bytes = 5; /* two bytes for 8 rows */
	r = fails_with(packet_jpeg(JOB), FAULT_BAD_STREAM);
	assert_int_equal(r.address, va(SRC + 5));
	assert_int_equal(r.progress, 16 * 64);
	assert_int_equal(counter(REG_HOST_CNT_FAULTS), 4);
}

static void a_stalled_job_is_ended(void **state)
{
	(void)state;
	job_halve(160, 90);
	const struct fault_record r = fails_with(packet_process(JOB), FAULT_WATCHDOG);
	assert_int_equal(r.progress, 0);
}

/* Jobs of two queues, with copies between them, each of its own destination. */
static void queues_share_the_unit(void **state)
{
	(void)state;
	enum { EACH = 6 };
	struct umd_queue *queues[2] = { queue, NULL };
	struct umd_command *commands[EACH];
	assert_int_equal(umd_queue_create(space, 0, 2, &queues[1]), 0);
	job_halve(64, 32);
	const struct predict_memory m = { shadow, va(0) };
	memcpy(shadow, umd_bo_cpu(bo), AREA);
	for (unsigned i = 0; i < EACH; i++) {
		const uint64_t at = JOB + 512 * i;
		struct media_process *j = (struct media_process *)((uint8_t *)umd_bo_cpu(bo) + at);
		*j = *job();
		j->dst = predict_nv12(va(DST) + i * 8192, 64, 32, 80);
		memcpy(shadow + at, j, sizeof *j);
	}
	for (unsigned i = 0; i < EACH; i++) {
		const struct media_process *j = (struct media_process *)(shadow + JOB + 512 * i);
		const uint64_t copy = DST + 65536 + i * 4096;
		const union packet p[2] = { packet_process(JOB + 512 * i), packet_copy_1d(va(copy), j->dst.component[0].address, 64 * 32) };
		predict_process(&m, j);
		memcpy(shadow + copy, predict_at(&m, j->dst.component[0].address), 64 * 32);
		assert_int_equal(umd_submit(queues[i % 2], p, 2, 0, NULL, NULL, &commands[i]), 0);
	}
	for (unsigned i = 0; i < EACH; i++) {
		struct completion done;
		assert_int_equal(umd_wait(commands[i]), 0);
		assert_true(umd_command_ended(commands[i], &done));
		assert_int_equal(done.status, 0);
		umd_command_release(commands[i]);
	}
	assert_memory_equal(umd_bo_cpu(bo), shadow, AREA);
	umd_queue_release(queues[1]);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	static struct given full = { 0 }, mini = { .config = "mini" }, held = { .config = "mini,coherent=0" };
	static struct given stalled = { .injection = "MEDIA_STALL", .watchdog = "50000" };
#define TEST(f, given) cmocka_unit_test_prestate_setup_teardown(f, setup_bo, teardown_bo, &given)
	const struct CMUnitTest tests[] = {
		TEST(pictures_are_scaled, full), TEST(pictures_are_scaled, mini), TEST(pictures_are_scaled, held), TEST(a_picture_is_decoded, full),
		TEST(a_picture_is_decoded, held), TEST(faults_are_told, full), TEST(a_stalled_job_is_ended, stalled), TEST(queues_share_the_unit, full),
		TEST(queues_share_the_unit, held),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
