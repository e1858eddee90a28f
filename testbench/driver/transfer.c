/* Copies and fills between system memory and DRAM, against the same done by the host. */
#include "testbench/driver/common.h"

enum { AREA = 1 << 18, OFFSET_MAX = 5000 };

struct fixture {
	struct umd *d;
	struct umd_space *s;
	struct umd_queue *q;
	struct umd_bo *a, *b, *dram, *dram2;
	uint8_t *shadow;
};

static uint64_t seed;

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	f->d = open_driver();
	assert_int_equal(umd_space_create(f->d, &f->s), 0);
	assert_int_equal(umd_queue_create(f->s, 1, 1, &f->q), 0);
	f->a = make_bo(f->s, 0, AREA, KMD_BO_SYSTEM);
	f->b = make_bo(f->s, 0, AREA, KMD_BO_SYSTEM);
	f->dram = make_bo(f->s, 1, 3 << 20, KMD_BO_DRAM); /* 2 MiB leaf and small pages */
	f->dram2 = make_bo(f->s, 1, AREA, KMD_BO_DRAM);
	f->shadow = malloc(AREA);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	umd_bo_release(f->a);
	umd_bo_release(f->b);
	umd_bo_release(f->dram);
	umd_bo_release(f->dram2);
	umd_queue_release(f->q);
	umd_space_release(f->s);
	umd_close(f->d);
	free(f->shadow);
	free(f);
	return 0;
}

static void randomize(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)splitmix64(&seed);
}

static void fresh_system_memory_is_zero(void **state)
{
	struct fixture *f = *state;
	const uint8_t *p = umd_bo_cpu(f->b);
	for (size_t i = 0; i < AREA; i++)
		assert_int_equal(p[i], 0);
	assert_null(umd_bo_cpu(f->dram));
}

/* There and back over both kinds of pages of the DRAM object. */
static void round_trip_1d(void **state)
{
	struct fixture *f = *state;
	static const uint64_t places[] = { 0, 1, 4095, (2 << 20) - 70000, (2 << 20) - 1, (3 << 20) - AREA };
	for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
		uint32_t bytes = AREA - (uint32_t)(splitmix64(&seed) % 1000);
		randomize(umd_bo_cpu(f->a), AREA);
		memset(umd_bo_cpu(f->b), 0, AREA);
		union packet p[2] = {
			packet_copy_1d(umd_bo_address(f->dram) + places[i], umd_bo_address(f->a), bytes),
			packet_copy_1d(umd_bo_address(f->b), umd_bo_address(f->dram) + places[i], bytes),
		};
		assert_int_equal(run(f->q, p, 2), 0);
		assert_memory_equal(umd_bo_cpu(f->a), umd_bo_cpu(f->b), bytes);
		for (uint32_t k = bytes; k < AREA; k++)
			assert_int_equal(((uint8_t *)umd_bo_cpu(f->b))[k], 0);
	}
}

struct shape {
	uint32_t width, height, depth, src_row, src_slice, dst_row, dst_slice, src_at, dst_at;
};

static struct shape random_shape(void)
{
	struct shape s;
	do {
		s.width = 1 + splitmix64(&seed) % 300;
		s.height = 1 + splitmix64(&seed) % 20;
		s.depth = 1 + splitmix64(&seed) % 6;
		s.src_row = s.width + splitmix64(&seed) % 100;
		s.dst_row = s.width + splitmix64(&seed) % 100;
		s.src_slice = s.src_row * s.height + splitmix64(&seed) % 500;
		s.dst_slice = s.dst_row * s.height + splitmix64(&seed) % 500;
		s.src_at = splitmix64(&seed) % OFFSET_MAX;
		s.dst_at = splitmix64(&seed) % OFFSET_MAX;
	} while (s.src_slice * s.depth + s.src_at > AREA || s.dst_slice * s.depth + s.dst_at > AREA);
	return s;
}

static void copies_3d(void **state)
{
	struct fixture *f = *state;
	for (unsigned round = 0; round < 200; round++) {
		struct shape s = random_shape();
		randomize(umd_bo_cpu(f->a), AREA);
		randomize(umd_bo_cpu(f->b), AREA);
		memcpy(f->shadow, umd_bo_cpu(f->b), AREA);
		for (uint32_t z = 0; z < s.depth; z++)
			for (uint32_t y = 0; y < s.height; y++)
				memcpy(f->shadow + s.dst_at + z * s.dst_slice + y * s.dst_row,
				       (uint8_t *)umd_bo_cpu(f->a) + s.src_at + z * s.src_slice + y * s.src_row, s.width);
		/* up to DRAM, the box within DRAM, and down again */
		union packet p[4] = {
			packet_copy_1d(umd_bo_address(f->dram), umd_bo_address(f->a), AREA),
			packet_copy_1d(umd_bo_address(f->dram2), umd_bo_address(f->b), AREA),
			{ .copy = { .head.type = PACKET_CODE_copy,
				    .src = umd_bo_address(f->dram) + s.src_at,
				    .dst = umd_bo_address(f->dram2) + s.dst_at,
				    .width = s.width, .height = s.height, .depth = s.depth,
				    .src_row = s.src_row, .src_slice = s.src_slice,
				    .dst_row = s.dst_row, .dst_slice = s.dst_slice } },
			packet_copy_1d(umd_bo_address(f->b), umd_bo_address(f->dram2), AREA),
		};
		assert_int_equal(run(f->q, p, 4), 0);
		assert_memory_equal(umd_bo_cpu(f->b), f->shadow, AREA);
	}
}

static void fills_3d(void **state)
{
	struct fixture *f = *state;
	for (unsigned round = 0; round < 200; round++) {
		struct shape s = random_shape();
		uint32_t size = 1 + (uint32_t)(splitmix64(&seed) % 128);
		if (s.width < size)
			size = s.width;
		s.width -= s.width % size;
		uint8_t *pattern = umd_bo_cpu(f->a);
		randomize(pattern, size);
		memset(umd_bo_cpu(f->b), 0x5a, AREA);
		memset(f->shadow, 0x5a, AREA);
		for (uint32_t z = 0; z < s.depth; z++)
			for (uint32_t y = 0; y < s.height; y++)
				for (uint32_t x = 0; x < s.width; x++)
					f->shadow[s.dst_at + z * s.dst_slice + y * s.dst_row + x] = pattern[x % size];
		union packet p = { .fill = { .head.type = PACKET_CODE_fill,
					     .pattern = umd_bo_address(f->a),
					     .dst = umd_bo_address(f->b) + s.dst_at,
					     .width = s.width, .height = s.height, .depth = s.depth,
					     .pattern_size = size,
					     .dst_row = s.dst_row, .dst_slice = s.dst_slice } };
		assert_int_equal(run(f->q, &p, 1), 0);
		assert_memory_equal(umd_bo_cpu(f->b), f->shadow, AREA);
	}
}

/* Moves within one object, by rows and slices that overlap, up and down. */
static void overlaps_3d(void **state)
{
	struct fixture *f = *state;
	for (unsigned round = 0; round < 100; round++) {
		struct shape s = random_shape();
		uint32_t distance = (uint32_t)(splitmix64(&seed) % (3 * s.src_row));
		bool up = splitmix64(&seed) & 1;
		uint64_t src_at = up ? 0 : distance, dst_at = up ? distance : 0;
		if (s.src_slice * s.depth + distance > AREA)
			continue;
		randomize(umd_bo_cpu(f->b), AREA);
		memcpy(f->shadow, umd_bo_cpu(f->b), AREA);
		for (uint32_t z = 0; z < s.depth; z++)
			for (uint32_t y = 0; y < s.height; y++)
				memcpy(f->shadow + dst_at + z * s.src_slice + y * s.src_row,
				       (uint8_t *)umd_bo_cpu(f->b) + src_at + z * s.src_slice + y * s.src_row, s.width);
		union packet p = { .copy = { .head.type = PACKET_CODE_copy,
					     .src = umd_bo_address(f->b) + src_at,
					     .dst = umd_bo_address(f->b) + dst_at,
					     .width = s.width, .height = s.height, .depth = s.depth,
					     .src_row = s.src_row, .src_slice = s.src_slice,
					     .dst_row = s.src_row, .dst_slice = s.src_slice } };
		assert_int_equal(run(f->q, &p, 1), 0);
		assert_memory_equal(umd_bo_cpu(f->b), f->shadow, AREA);
	}
}

/* Queues that copy at once, each on its own engine. */
static void queues_at_once(void **state)
{
	enum { QUEUES = 4, PART = AREA / QUEUES, TIMES = 64 };
	struct fixture *f = *state;
	struct umd_queue *q[QUEUES];
	struct umd_command *c[QUEUES];
	struct umd_sem *go;
	uint64_t last_start = 0, first_end = UINT64_MAX;
	randomize(umd_bo_cpu(f->a), AREA);
	memset(umd_bo_cpu(f->b), 0, AREA);
	assert_int_equal(umd_sem_create(f->d, 0, &go), 0);
	for (unsigned i = 0; i < QUEUES; i++)
		assert_int_equal(umd_queue_create(f->s, 1, 1, &q[i]), 0);
	for (unsigned i = 0; i < QUEUES; i++) {
		uint64_t at = i * PART;
		union packet p[4] = {
			packet_nop(),
			packet_copy_1d(umd_bo_address(f->dram) + at, umd_bo_address(f->a) + at, PART),
			packet_copy_1d(umd_bo_address(f->dram2) + at, umd_bo_address(f->dram) + at, PART),
			packet_copy_1d(umd_bo_address(f->b) + at, umd_bo_address(f->dram2) + at, PART),
		};
		umd_sem_wait_packet(go, &p[0]); /* the driver lets a queue come to rest before it posts to the next */
		p[2].copy.height = TIMES; /* the same row, to take a while */
		assert_int_equal(umd_submit(q[i], p, 4, 0, NULL, NULL, &c[i]), 0);
		umd_flush(q[i]);
	}
	umd_sem_signal(go, 0);
	for (unsigned i = 0; i < QUEUES; i++) {
		struct completion done;
		assert_int_equal(umd_wait(c[i]), 0);
		assert_true(umd_command_ended(c[i], &done));
		assert_int_equal(done.status, 0);
		last_start = done.start > last_start ? done.start : last_start;
		first_end = done.end < first_end ? done.end : first_end;
		umd_command_release(c[i]);
		umd_queue_release(q[i]);
	}
	assert_memory_equal(umd_bo_cpu(f->a), umd_bo_cpu(f->b), AREA);
	assert_true(last_start < first_end);
	umd_sem_release(go);
}

/* A copy that runs out of its object: the record says where, on which engine, and how far it got. */
static void fault_in_the_middle(void **state)
{
	struct fixture *f = *state;
	struct umd_command *c;
	struct completion done;
	const struct fault_record *r;
	uint64_t end = umd_bo_address(f->dram2) + AREA;
	union packet p = packet_copy_1d(end - 5000, umd_bo_address(f->a), 20000);
	assert_int_equal(umd_submit(f->q, &p, 1, 0, NULL, NULL, &c), 0);
	assert_int_equal(umd_wait(c), 0);
	assert_true(umd_command_ended(c, &done));
	assert_int_equal(done.status, -FAULT_PAGE_NOT_PRESENT);
	r = umd_command_fault(c);
	assert_non_null(r);
	assert_int_equal(r->address, end);
	assert_int_equal(r->access, ACCESS_WRITE);
	assert_int_equal(r->progress, 5000);
	assert_in_range(r->unit, UNIT_DMA, UNIT_CU - 1);
	umd_command_release(c);
	/* boxes that overlap with different pitches are refused whole */
	p = packet_copy_1d(umd_bo_address(f->a), umd_bo_address(f->a) + 8, 16);
	p.copy.height = 2;
	p.copy.src_row = 32;
	p.copy.dst_row = 64;
	assert_int_equal(run(f->q, &p, 1), -FAULT_BAD_PACKET);
	p = packet_copy_1d(umd_bo_address(f->a), umd_bo_address(f->b), 16);
	assert_int_equal(run(f->q, &p, 1), 0);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fresh_system_memory_is_zero),
		cmocka_unit_test(round_trip_1d),
		cmocka_unit_test(copies_3d),
		cmocka_unit_test(fills_3d),
		cmocka_unit_test(overlaps_3d),
		cmocka_unit_test(queues_at_once),
		cmocka_unit_test(fault_in_the_middle),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
