/* The same calls give the same cycles, addresses and results, however fast the host is and whichever
 * thread pumps. */
#define _GNU_SOURCE
#include "testbench/driver/common.h"
#include "abi/registers.h"
#include <sys/wait.h>
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
	struct umd *d = open_driver();
	struct umd_space *s;
	struct umd_queue *q[QUEUES];
	struct umd_bo *bo[16] = { 0 };
	struct umd_command *c[STEPS] = { 0 };
	struct umd_sem *sem = NULL;
	unsigned commands = 0;
	o->count = 0;
	assert_int_equal(umd_space_create(d, &s), 0);
	struct umd_bo *fixed = make_bo(s, 0, 1 << 16, 0);
	for (unsigned i = 0; i < QUEUES; i++)
		assert_int_equal(umd_queue_create(s, i % 2, i % 3, &q[i]), 0);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t r = splitmix64(&steps);
		struct umd_queue *on = q[r / 64 % QUEUES];
		unsigned slot = r / 4096 % 16;
		if (pauses && splitmix64(&pauses) % 16 == 0)
			usleep(splitmix64(&pauses) % 900);
		switch (r % 16) {
		default: {
			union packet p[3];
			unsigned n = 0;
			if (commands && (r >> 40) % 2)
				umd_command_wait_packet(c[(r >> 41) % commands], &p[n++]);
			if (sem && (r >> 50) % 8 == 0)
				umd_sem_wait_packet(sem, &p[n++]);
			p[n++] = packet_copy_1d(umd_bo_address(fixed) + (r >> 20) % 30000,
						umd_bo_address(fixed) + 32768 + (r >> 25) % 20000, 1 + (r >> 30) % 2000);
			assert_int_equal(umd_submit(on, p, n, 0, NULL, NULL, &c[commands++]), 0);
			break;
		}
		case 0: case 1:
			umd_flush(on);
			break;
		case 2:
			umd_sync(d);
			note(o, umd_time(d, 0));
			break;
		case 3: case 4: case 5:
			if (bo[slot]) {
				umd_bo_release(bo[slot]);
				bo[slot] = NULL;
			} else {
				bo[slot] = make_bo(s, r >> 20 & 1, 1 + (r >> 30) % 50000, r >> 22 & 1);
				note(o, umd_bo_address(bo[slot]));
			}
			break;
		case 6:
			if (sem) {
				umd_sem_signal(sem, 0);
				umd_sem_release(sem);
				sem = NULL;
			} else {
				union packet p;
				assert_int_equal(umd_sem_create(d, 0, &sem), 0);
				umd_sem_wait_packet(sem, &p);
				note(o, p.sem_wait.semaphore);
			}
			break;
		case 7:
			if (!sem && commands) {
				struct completion done;
				struct umd_command *w = c[(r >> 41) % commands];
				assert_int_equal(umd_wait(w), 0);
				assert_true(umd_command_ended(w, &done));
				note(o, done.end);
			}
			break;
		}
	}
	if (sem) {
		umd_sem_signal(sem, 0);
		umd_sem_release(sem);
	}
	for (unsigned i = 0; i < commands; i++) {
		struct completion done;
		assert_int_equal(umd_wait(c[i]), 0);
		assert_true(umd_command_ended(c[i], &done));
		assert_int_equal(done.status, 0);
		note(o, done.submit);
		note(o, done.end);
		umd_command_release(c[i]);
	}
	for (unsigned i = 0; i < 2; i++) {
		note(o, umd_read_register(d, i, REG_HOST_CYCLE, 64));
		note(o, umd_read_register(d, i, REG_HOST_CNT_CP_INSNS, 64));
		note(o, umd_read_register(d, i, REG_HOST_CNT_TLB_L2_MISS, 64));
		note(o, umd_read_register(d, i, REG_HOST_CNT_SYS_READ, 64));
	}
	for (unsigned i = 0; i < 16; i++)
		umd_bo_release(bo[i]);
	umd_bo_release(fixed);
	for (unsigned i = 0; i < QUEUES; i++)
		umd_queue_release(q[i]);
	umd_space_release(s);
	umd_close(d);
}

static void same_calls_same_cycles(void **state)
{
	(void)state;
	static struct outcome first, again;
	for (unsigned round = 0; round < 6; round++) {
		uint64_t steps = splitmix64(&seed);
		program(&first, steps, 0);
		for (unsigned repeat = 0; repeat < 4; repeat++) {
			program(&again, steps, repeat ? splitmix64(&seed) : 0);
			assert_int_equal(again.count, first.count);
			for (unsigned i = 0; i < first.count; i++)
				if (again.value[i] != first.value[i])
					fail_msg("value %u of %u: %" PRIu64 ", first %" PRIu64, i, first.count,
						 again.value[i], first.value[i]);
		}
	}
}

/* What a child process reports of all that crossed its buses. */
static void child_hash(char *out, size_t size, uint64_t steps, uint64_t pauses, const char *how)
{
	char file[64], a[32], b[32];
	snprintf(file, sizeof file, "/tmp/galena-hash-%d", (int)getpid());
	snprintf(a, sizeof a, "%" PRIu64, steps);
	snprintf(b, sizeof b, "%" PRIu64, pauses);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		setenv("GALENA_HASH", file, 1);
		execl("/proc/self/exe", "determinism", how, a, b, (char *)NULL);
		_exit(127);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	FILE *f = fopen(file, "r");
	assert_non_null(f);
	assert_non_null(fgets(out, (int)size, f));
	fclose(f);
	unlink(file);
}

/* Byte for byte, from process to process, whatever the layout of its memory. */
static void same_calls_same_bytes(void **state)
{
	(void)state;
	static const char *const how[] = { "child", "child-that-just-exits" };
	for (unsigned i = 0; i < 4; i++) {
		char first[128], again[128], other[128];
		uint64_t steps = splitmix64(&seed);
		child_hash(first, sizeof first, steps, 0, how[i % 2]);
		for (unsigned repeat = 0; repeat < 3; repeat++) {
			child_hash(again, sizeof again, steps, splitmix64(&seed), how[i % 2]);
			assert_string_equal(again, first);
		}
		child_hash(other, sizeof other, steps + 1, 0, how[i % 2]);
		assert_string_not_equal(other, first);
	}
}

/* Flushes work, waits for none of it, and returns from main. */
static int leave_it(uint64_t count, uint64_t pauses)
{
	const char *error;
	struct umd *d = umd_open(&error);
	static struct umd_space *s;
	static struct umd_queue *q[2]; /* which are left, too */
	if (!d || umd_space_create(d, &s) || umd_queue_create(s, 0, 1, &q[0]) || umd_queue_create(s, 1, 1, &q[1]))
		return 1;
	for (unsigned i = 0; i < 20 + count % 100; i++) {
		union packet nop = packet_nop();
		if (umd_submit(q[i % 2], &nop, 1, 0, NULL, NULL, NULL))
			return 1;
		umd_flush(q[i % 2]);
		if (pauses && splitmix64(&pauses) % 8 == 0)
			usleep(splitmix64(&pauses) % 900);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4) {
		static struct outcome o;
		if (!strcmp(argv[1], "child"))
			program(&o, strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
		else
			return leave_it(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
		return 0;
	}
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = { cmocka_unit_test(same_calls_same_cycles),
					    cmocka_unit_test(same_calls_same_bytes) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
