/* Copies and fills between system memory and DRAM, against the same done by the host. */
#include "testbench/driver/common.h"

enum { AREA = 1 << 18, OFFSET_MAX = 5000 };

struct fixture {
	struct driver *d;
	struct drv_space *s;
	struct drv_queue *q;
	struct drv_bo *a, *b, *dram, *dram2;
	uint8_t *shadow;
};

static uint64_t seed;

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	f->d = open_driver();
	assert_int_equal(drv_space_create(f->d, &f->s), 0);
	assert_int_equal(drv_queue_create(f->s, 1, 1, &f->q), 0);
	f->a = make_bo(f->s, 0, AREA, DRV_BO_SYSTEM);
	f->b = make_bo(f->s, 0, AREA, DRV_BO_SYSTEM);
	f->dram = make_bo(f->s, 1, 3 << 20, DRV_BO_DRAM); /* 2 MiB leaf and small pages */
	f->dram2 = make_bo(f->s, 1, AREA, DRV_BO_DRAM);
	f->shadow = malloc(AREA);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	drv_bo_release(f->a);
	drv_bo_release(f->b);
	drv_bo_release(f->dram);
	drv_bo_release(f->dram2);
	drv_queue_release(f->q);
	drv_space_release(f->s);
	driver_close(f->d);
	free(f->shadow);
	free(f);
	return 0;
}

static void randomize(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)random_next(&seed);
}

static void fresh_system_memory_is_zero(void **state)
{
	struct fixture *f = *state;
	const uint8_t *p = drv_bo_cpu(f->b);
	for (size_t i = 0; i < AREA; i++)
		assert_int_equal(p[i], 0);
	assert_null(drv_bo_cpu(f->dram));
}

/* There and back over both kinds of pages of the DRAM object. */
static void round_trip_1d(void **state)
{
	struct fixture *f = *state;
	static const uint64_t places[] = { 0, 1, 4095, (2 << 20) - 70000, (2 << 20) - 1, (3 << 20) - AREA };
	for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
		uint32_t bytes = AREA - (uint32_t)(random_next(&seed) % 1000);
		randomize(drv_bo_cpu(f->a), AREA);
		memset(drv_bo_cpu(f->b), 0, AREA);
		union packet p[2] = {
			packet_copy_1d(drv_bo_address(f->dram) + places[i], drv_bo_address(f->a), bytes),
			packet_copy_1d(drv_bo_address(f->b), drv_bo_address(f->dram) + places[i], bytes),
		};
		assert_int_equal(run(f->q, p, 2), 0);
		assert_memory_equal(drv_bo_cpu(f->a), drv_bo_cpu(f->b), bytes);
		for (uint32_t k = bytes; k < AREA; k++)
			assert_int_equal(((uint8_t *)drv_bo_cpu(f->b))[k], 0);
	}
}

struct shape {
	uint32_t width, height, depth, src_row, src_slice, dst_row, dst_slice, src_at, dst_at;
};

static struct shape random_shape(void)
{
	struct shape s;
	do {
		s.width = 1 + random_next(&seed) % 300;
		s.height = 1 + random_next(&seed) % 20;
		s.depth = 1 + random_next(&seed) % 6;
		s.src_row = s.width + random_next(&seed) % 100;
		s.dst_row = s.width + random_next(&seed) % 100;
		s.src_slice = s.src_row * s.height + random_next(&seed) % 500;
		s.dst_slice = s.dst_row * s.height + random_next(&seed) % 500;
		s.src_at = random_next(&seed) % OFFSET_MAX;
		s.dst_at = random_next(&seed) % OFFSET_MAX;
	} while (s.src_slice * s.depth + s.src_at > AREA || s.dst_slice * s.depth + s.dst_at > AREA);
	return s;
}

static void copies_3d(void **state)
{
	struct fixture *f = *state;
	for (unsigned round = 0; round < 200; round++) {
		struct shape s = random_shape();
		randomize(drv_bo_cpu(f->a), AREA);
		randomize(drv_bo_cpu(f->b), AREA);
		memcpy(f->shadow, drv_bo_cpu(f->b), AREA);
		for (uint32_t z = 0; z < s.depth; z++)
			for (uint32_t y = 0; y < s.height; y++)
				memcpy(f->shadow + s.dst_at + z * s.dst_slice + y * s.dst_row,
				       (uint8_t *)drv_bo_cpu(f->a) + s.src_at + z * s.src_slice + y * s.src_row, s.width);
		/* up to DRAM, the box within DRAM, and down again */
		union packet p[4] = {
			packet_copy_1d(drv_bo_address(f->dram), drv_bo_address(f->a), AREA),
			packet_copy_1d(drv_bo_address(f->dram2), drv_bo_address(f->b), AREA),
			{ .copy = { .head.type = PACKET_CODE_copy,
				    .src = drv_bo_address(f->dram) + s.src_at,
				    .dst = drv_bo_address(f->dram2) + s.dst_at,
				    .width = s.width, .height = s.height, .depth = s.depth,
				    .src_row = s.src_row, .src_slice = s.src_slice,
				    .dst_row = s.dst_row, .dst_slice = s.dst_slice } },
			packet_copy_1d(drv_bo_address(f->b), drv_bo_address(f->dram2), AREA),
		};
		assert_int_equal(run(f->q, p, 4), 0);
		assert_memory_equal(drv_bo_cpu(f->b), f->shadow, AREA);
	}
}

static void fills_3d(void **state)
{
	struct fixture *f = *state;
	for (unsigned round = 0; round < 200; round++) {
		struct shape s = random_shape();
		uint32_t size = 1 + (uint32_t)(random_next(&seed) % 128);
		if (s.width < size)
			size = s.width;
		s.width -= s.width % size;
		uint8_t *pattern = drv_bo_cpu(f->a);
		randomize(pattern, size);
		memset(drv_bo_cpu(f->b), 0x5a, AREA);
		memset(f->shadow, 0x5a, AREA);
		for (uint32_t z = 0; z < s.depth; z++)
			for (uint32_t y = 0; y < s.height; y++)
				for (uint32_t x = 0; x < s.width; x++)
					f->shadow[s.dst_at + z * s.dst_slice + y * s.dst_row + x] = pattern[x % size];
		union packet p = { .fill = { .head.type = PACKET_CODE_fill,
					     .pattern = drv_bo_address(f->a),
					     .dst = drv_bo_address(f->b) + s.dst_at,
					     .width = s.width, .height = s.height, .depth = s.depth,
					     .pattern_size = size,
					     .dst_row = s.dst_row, .dst_slice = s.dst_slice } };
		assert_int_equal(run(f->q, &p, 1), 0);
		assert_memory_equal(drv_bo_cpu(f->b), f->shadow, AREA);
	}
}

int main(int argc, char **argv)
{
	seed = random_seed(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fresh_system_memory_is_zero),
		cmocka_unit_test(round_trip_1d),
		cmocka_unit_test(copies_3d),
		cmocka_unit_test(fills_3d),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
