/* The same calls give the same cycles, addresses and results, however fast the host is and whichever
 * thread pumps. */
#define _GNU_SOURCE
#include "testbench/driver/common.h"
#include "abi/registers.h"
#include <unistd.h>

enum { QUEUES = 24, STEPS = 500, STAMPS = 4 * STEPS + 64 };

/* What one run shows to the outside. */
struct outcome {
	uint64_t value[STAMPS];
	unsigned count;
};

static uint64_t seed;

static void note(struct outcome *o, uint64_t v)
{
	assert_true(o->count < STAMPS);
	o->value[o->count++] = v;
}

/* A program of random steps, drawn from its seed alone; pauses of the host are drawn from another. */
static void program(struct outcome *o, uint64_t steps, uint64_t pauses)
{
	struct driver *d = open_driver();
	struct drv_space *s;
	struct drv_queue *q[QUEUES];
	struct drv_bo *bo[16] = { 0 };
	struct drv_command *c[STEPS] = { 0 };
	struct drv_sem *sem = NULL;
	unsigned commands = 0;
	o->count = 0;
	assert_int_equal(drv_space_create(d, &s), 0);
	struct drv_bo *fixed = make_bo(s, 0, 1 << 16, 0);
	for (unsigned i = 0; i < QUEUES; i++)
		assert_int_equal(drv_queue_create(s, i % 2, i % 3, &q[i]), 0);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t r = random_next(&steps);
		struct drv_queue *on = q[r / 64 % QUEUES];
		unsigned slot = r / 4096 % 16;
		if (pauses && random_next(&pauses) % 16 == 0)
			usleep(random_next(&pauses) % 900);
		switch (r % 16) {
		default: {
			union packet p[3];
			unsigned n = 0;
			if (commands && (r >> 40) % 2)
				drv_command_wait_packet(c[(r >> 41) % commands], &p[n++]);
			if (sem && (r >> 50) % 8 == 0)
				drv_sem_wait_packet(sem, &p[n++]);
			p[n++] = packet_copy_1d(drv_bo_address(fixed) + (r >> 20) % 30000,
						drv_bo_address(fixed) + 32768 + (r >> 25) % 20000, 1 + (r >> 30) % 2000);
			assert_int_equal(drv_submit(on, p, n, 0, NULL, NULL, &c[commands++]), 0);
			break;
		}
		case 0: case 1:
			drv_flush(on);
			break;
		case 2:
			drv_sync(d);
			note(o, drv_time(d, 0));
			break;
		case 3: case 4: case 5:
			if (bo[slot]) {
				drv_bo_release(bo[slot]);
				bo[slot] = NULL;
			} else {
				bo[slot] = make_bo(s, r >> 20 & 1, 1 + (r >> 30) % 50000, r >> 22 & 1);
				note(o, drv_bo_address(bo[slot]));
			}
			break;
		case 6:
			if (sem) {
				drv_sem_signal(sem, 0);
				drv_sem_release(sem);
				sem = NULL;
			} else {
				union packet p;
				assert_int_equal(drv_sem_create(d, &sem), 0);
				drv_sem_wait_packet(sem, &p);
				note(o, p.sem_wait.semaphore);
			}
			break;
		case 7:
			if (!sem && commands) {
				struct completion done;
				struct drv_command *w = c[(r >> 41) % commands];
				assert_int_equal(drv_wait(w), 0);
				assert_true(drv_command_ended(w, &done));
				note(o, done.end);
			}
			break;
		}
	}
	if (sem) {
		drv_sem_signal(sem, 0);
		drv_sem_release(sem);
	}
	for (unsigned i = 0; i < commands; i++) {
		struct completion done;
		assert_int_equal(drv_wait(c[i]), 0);
		assert_true(drv_command_ended(c[i], &done));
		assert_int_equal(done.status, 0);
		note(o, done.submit);
		note(o, done.end);
		drv_command_release(c[i]);
	}
	for (unsigned i = 0; i < 2; i++) {
		note(o, driver_read_register(d, i, REG_HOST_CYCLE, 64));
		note(o, driver_read_register(d, i, REG_HOST_CNT_CP_INSNS, 64));
		note(o, driver_read_register(d, i, REG_HOST_CNT_TLB_L2_MISS, 64));
		note(o, driver_read_register(d, i, REG_HOST_CNT_SYS_READ, 64));
	}
	for (unsigned i = 0; i < 16; i++)
		drv_bo_release(bo[i]);
	drv_bo_release(fixed);
	for (unsigned i = 0; i < QUEUES; i++)
		drv_queue_release(q[i]);
	drv_space_release(s);
	driver_close(d);
}

static void same_calls_same_cycles(void **state)
{
	(void)state;
	static struct outcome first, again;
	for (unsigned round = 0; round < 6; round++) {
		uint64_t steps = random_next(&seed);
		program(&first, steps, 0);
		for (unsigned repeat = 0; repeat < 4; repeat++) {
			program(&again, steps, repeat ? random_next(&seed) : 0);
			assert_int_equal(again.count, first.count);
			for (unsigned i = 0; i < first.count; i++)
				if (again.value[i] != first.value[i])
					fail_msg("value %u of %u: %" PRIu64 ", first %" PRIu64, i, first.count,
						 again.value[i], first.value[i]);
		}
	}
}

int main(int argc, char **argv)
{
	seed = random_seed(argc, argv);
	const struct CMUnitTest tests[] = { cmocka_unit_test(same_calls_same_cycles) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
