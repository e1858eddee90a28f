/* Compute units on several host threads: for every number of threads, functional and timed, watched and not,
 * interpreted and translated, the same memory, cycles, faults and counters. Usage: threads [seed] */
#include "testbench/model/kernel.h"
#include "testbench/model/fixture.h"
#include "model/engine/superblocks.h"
#include "model/engine/workers.h"
#include "testbench/skip.h"
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, DATA_BYTES = 4 << 20, SLOTS = 4, MAX_THREADS = 5 };
static const uint64_t data_va = 0x2400000000;

/* Each kernel: a0 = arguments { out, data, words of data a work-item, words shared }, s0 = global id; out[id] is its
 * own word pair, at out + 8 * id. */
#define BEGIN ITEM "ld a1, 0(a0)\n sh3add a1, s0, a1\n ld a2, 8(a0)\n ld a3, 16(a0)\n"
static const char *const kernels[] = {
	/* arithmetic, a different number of turns in each lane */
	BEGIN "andi t0, s0, 31\n addi t0, t0, 20\n mv t1, s0\n 1: mul t1, t1, t0\n xori t1, t1, 0x55\n addi t0, t0, -1\n"
	      "bnez t0, 1b\n sw t1, 0(a1)\n csrr t0, 0xc00\n sw t0, 4(a1)\n" EXIT,
	/* a stream: reads and writes its own words, page after page */
	BEGIN "li t0, 24\n 1: mul t1, t0, a3\n add t1, t1, s0\n sh2add t1, t1, a2\n lw t2, 0(t1)\n add t2, t2, s0\n sw t2, 0(t1)\n"
	      "add t3, t3, t2\n addi t0, t0, -1\n bnez t0, 1b\n sw t3, 0(a1)\n csrr t0, 0xc00\n sw t0, 4(a1)\n" EXIT,
	/* all read the same, far apart: shared lines, pages and walks */
	BEGIN "li t0, 40\n 1: slli t1, t0, 12\n slli t4, t0, 7\n add t1, t1, t4\n ld t5, 24(a0)\n add t1, t1, t5\n lw t2, 0(t1)\n"
	      "add t3, t3, t2\n addi t0, t0, -1\n bnez t0, 1b\n sw t3, 0(a1)\n csrr t0, 0xc00\n sw t0, 4(a1)\n" EXIT,
	/* atomics: who came when decides what each gets */
	BEGIN "ld t5, 32(a0)\n li t0, 12\n 1: amoadd.d t1, s0, (t5)\n xor t3, t3, t1\n addi t2, t5, 64\n 2: lr.w t1, (t2)\n"
	      "slli t4, t1, 1\n add t4, t4, s0\n sc.w t6, t4, (t2)\n bnez t6, 2b\n addi t0, t0, -1\n bnez t0, 1b\n"
	      "sw t3, 0(a1)\n sw t1, 4(a1)\n" EXIT,
	/* local memory and barriers: the group's items in reverse, three times */
	BEGIN "li t0, 3\n csrr t1, 0xcc0\n csrr t2, 0xcc6\n li a5, 5\n slli a5, a5, 44\n mv t6, s0\n"
	      "1: sh2add t3, t1, a5\n sw t6, 0(t3)\n" BARRIER "sub t4, t2, t1\n addi t4, t4, -1\n sh2add t4, t4, a5\n lw t6, 0(t4)\n"
	      "addi t6, t6, 7\n" BARRIER "addi t0, t0, -1\n bnez t0, 1b\n sw t6, 0(a1)\n" EXIT,
	/* the last group to come adds up what the others have left: plain accesses that atomics order */
	BEGIN "sw s0, 0(a1)\n" BARRIER "csrr t0, 0xcc0\n bnez t0, 9f\n ld t5, 40(a0)\n fence\n li t1, 1\n amoadd.w t1, t1, (t5)\n"
	      "fence\n ld t2, 48(a0)\n addi t2, t2, -1\n bne t1, t2, 9f\n ld a1, 0(a0)\n csrr t3, 0xcc6\n ld t2, 48(a0)\n"
	      "mul t3, t3, t2\n 1: lw t4, 0(a1)\n add t6, t6, t4\n addi a1, a1, 8\n addi t3, t3, -1\n bnez t3, 1b\n"
	      "sw t6, 4(t5)\n 9:" EXIT,
	/* long, and the groups differ: some units are through while others have far to go */
	BEGIN "csrr t0, 0xcc3\n andi t0, t0, 7\n slli t0, t0, 7\n addi t0, t0, 40\n mv t1, s0\n 1: mul t1, t1, t0\n xori t1, t1, 0x35\n"
	      "addi t0, t0, -1\n bnez t0, 1b\n sw t1, 0(a1)\n csrr t0, 0xc00\n sw t0, 4(a1)\n" EXIT,
	/* one group of many faults */
	BEGIN "csrr t0, 0xcc3\n li t1, 11\n bne t0, t1, 1f\n li t2, 600\n 2: addi t2, t2, -1\n bnez t2, 2b\n li t3, 1\n slli t3, t3, 45\n"
	      "sw t2, 0(t3)\n 1: sw s0, 0(a1)\n li t2, 300\n 3: addi t2, t2, -1\n bnez t2, 3b\n sw t2, 4(a1)\n" EXIT,
};
enum { KERNELS = sizeof(kernels) / sizeof(*kernels) };
static struct { uint32_t *words; size_t count; } programs[KERNELS];

/* ---- one run ---- */

static uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15;
		h ^= h >> 32;
	}
	for (; n; n--)
		h = (h ^ *p++) * 0x100000001b3;
	return h;
}

struct seen { struct event_sink sink; uint64_t hash, count; };
static void see(struct event_sink *s, const struct event *e)
{
	struct seen *seen = (struct seen *)s;

	seen->hash = hash_bytes(seen->hash, e, sizeof(*e));
	seen->count++;
}

struct outcome { uint64_t memory, ends, counters, now; };

static unsigned threads_of_process(void)
{
	unsigned n = 0;
	DIR *d = opendir("/proc/self/task");

	assert_non_null(d);
	for (const struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* Of the process, before the device has any. */
#ifdef __SANITIZE_THREAD__
enum { OWN_THREADS = 2 };
#else
enum { OWN_THREADS = 1 };
#endif

/* A thread that has been joined may stand in the system's list for a moment yet. */
static bool threads_become(unsigned n)
{
	for (unsigned ms = 0; threads_of_process() != n; ms++)
		if (ms == 10000 || usleep(1000))
			return false;
	return true;
}

/* Kernels in slots, started and, at times, aborted at cycles that the seed says. What only one unit may do stays so:
 * each kernel has its own part of out, and its own words for atomics. */
static struct outcome scenario(uint64_t seed, enum bus_speed speed, unsigned threads, struct seen *seen)
{
	char number[8];

	snprintf(number, sizeof(number), "%u", threads);
	setenv("GALENA_HOST_THREADS", number, 1);
	assert_true(threads_become(OWN_THREADS));
	struct bench b = bench_of(rig_create_events("full", speed, SIMD_AUTO, false, seen ? &seen->sink : NULL));
	unsigned units = b.r->config->num_cu, helpers = (threads < units ? threads : units) - 1;
	assert_true(threads_become(OWN_THREADS + (seen ? 0 : helpers)));
	const char *engine = getenv("GALENA_ENGINE");
	assert_true(!engine || !compute_superblocks(b.r->compute) == !strcmp(engine, "interp"));

	uint64_t pa = rig_dram(b.r, DATA_BYTES);
	uint32_t *data = (uint32_t *)(void *)rig_host(b.r, pa);
	for (uint64_t at = 0; at < DATA_BYTES; at += PAGE) /* no page goes on in the next: more runs than a lookaside holds */
		rig_map(b.r, data_va + at, pa + (at ^ PAGE), PAGE, PTE_R | PTE_W);
	uint64_t entry[KERNELS];
	for (unsigned i = 0; i < DATA_BYTES / 4; i++)
		data[i] = i * 2654435761u;
	for (unsigned k = 0; k < KERNELS; k++) {
		if (!programs[k].words)
			programs[k].words = rig_assemble(kernels[k], &programs[k].count);
		entry[k] = rig_load(b.r, programs[k].words, programs[k].count);
	}
	random_state = seed;
	struct outcome o = { 0 };
	for (unsigned n = 0; n < 6; n++) {
		unsigned count = 1 + (unsigned)random_below(SLOTS);
		for (unsigned s = 0; s < count; s++) {
			unsigned k = (unsigned)random_below(KERNELS), local = 1 + (unsigned)random_below(96);
			unsigned groups = 1 + (unsigned)random_below(40);
			uint64_t *arg = b.arg + s * 64;
			arg[0] = out_va + (s << 17);
			arg[1] = data_va + (1 << 20) + s * (640 << 10);
			arg[2] = 6000;
			arg[3] = data_va;
			arg[4] = data_va + (960 << 10) + s * 4096 + random_below(4) * 128;
			arg[5] = arg[4] + 1024;
			arg[6] = groups;
			*(uint64_t *)((uint8_t *)data + ((arg[5] - data_va) ^ PAGE)) = 0;
			struct rig_range range = { .global = { groups * local }, .local = { (uint16_t)local }, .local_bytes = 1024,
						   .kernarg = arg_va + s * 512 };
			assert_int_equal(rig_start(b.r, s, entry[k], &range), FAULT_NONE);
		}
		if (random_below(3) == 0) { /* stops in the middle of a quantum */
			b.r->now = compute_tick(b.r->compute, b.r->now + random_below(20000));
			compute_abort(b.r->compute, &(struct compute_abort){ (unsigned)random_below(count) }, b.r->now);
		}
		if (random_below(4) == 0)
			mmu_invalidate(b.r->mmu, MMU_ALL, 0, 0);
		assert_true(rig_finish(b.r, 1ull << 32));
		for (unsigned s = 0; s < count; s++)
			o.ends = hash_bytes(o.ends, &b.r->ends[s].end, sizeof(uint64_t)) + b.r->ends[s].fault.code +
				 b.r->ends[s].fault.group_id[0] + b.r->ends[s].fault.pc;
		o.memory = hash_bytes(o.memory, b.out, OUT_BYTES);
		o.memory = hash_bytes(o.memory, data, DATA_BYTES);
	}
	o.now = b.r->now;
	o.counters = hash_bytes(o.counters, compute_counters(b.r->compute), sizeof(struct compute_counters));
	o.counters = hash_bytes(o.counters, mmu_counters(b.r->mmu), sizeof(struct mmu_counters));
	o.counters = hash_bytes(o.counters, l2_counters(b.r->l2), sizeof(struct l2_counters));
	rig_destroy(b.r);
	assert_true(threads_become(OWN_THREADS));
	return o;
}

static void check_same(const struct outcome *a, const struct outcome *b, uint64_t seed, const char *how, unsigned threads)
{
	if (memcmp(a, b, sizeof(*a)))
		fail_msg("seed %llu: %s, with %u threads%s%s%s%s differ from those of one", (unsigned long long)seed, how, threads,
			 a->memory != b->memory ? " memory" : "", a->ends != b->ends ? " ends" : "",
			 a->counters != b->counters ? " counters" : "", a->now != b->now ? " cycles" : "");
}

static uint64_t first_seed;
enum { SEEDS = 4, ROUNDS = 3000, ROUNDS_IN_CHECK = 1000 };

static void same_for_any_number_of_threads(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SEEDS; i++)
		for (unsigned speed = 0; speed < 2; speed++) {
			struct outcome one = scenario(first_seed + i, (enum bus_speed)speed, 1, NULL);

			for (unsigned threads = 2; threads <= MAX_THREADS; threads++) {
				if (!check_long() && (threads + i) % 2)
					continue;
				struct outcome more = scenario(first_seed + i, (enum bus_speed)speed, threads, NULL);

				check_same(&one, &more, first_seed + i, speed == BUS_TIMED ? "timed" : "functional", threads);
			}
		}
}

/* Where everything that a warp comes to is translated first, and where nothing is. */
static void same_with_each_engine(void **state)
{
	(void)state;
	assert_int_equal(setenv("GALENA_TRANSLATE_HOT", "0", 1), 0);
	for (unsigned i = 0; i < SEEDS; i++) {
		assert_int_equal(setenv("GALENA_ENGINE", "interp", 1), 0);
		struct outcome one = scenario(first_seed + i, BUS_FUNCTIONAL, 1, NULL);

		assert_int_equal(setenv("GALENA_ENGINE", "translate", 1), 0);
		for (unsigned threads = 1; threads < 3; threads++) {
			struct outcome more = scenario(first_seed + i, BUS_FUNCTIONAL, threads, NULL);

			check_same(&one, &more, first_seed + i, "translated", threads);
		}
	}
	unsetenv("GALENA_ENGINE");
	unsetenv("GALENA_TRANSLATE_HOT");
}

/* Somebody who looks sees the same in the same order, and does not change what happens. */
static void same_when_watched(void **state)
{
	(void)state;
	for (unsigned speed = 0; speed < 2; speed++) {
		struct seen one = { .sink.event = see }, more = { .sink.event = see };
		struct outcome unseen = scenario(first_seed, (enum bus_speed)speed, 3, NULL);
		struct outcome a = scenario(first_seed, (enum bus_speed)speed, 1, &one);
		struct outcome b = scenario(first_seed, (enum bus_speed)speed, 3, &more);

		check_same(&a, &b, first_seed, "watched", 3);
		if (speed == BUS_FUNCTIONAL) /* without timing, look-ups are counted one by one for those who look alone */
			unseen.counters = a.counters;
		check_same(&a, &unseen, first_seed, "unwatched", 3);
		assert_true(one.count > 10000);
		assert_int_equal(one.count, more.count);
		assert_int_equal(one.hash, more.hash);
	}
}

/* ---- the threads themselves ---- */

struct jobs {
	struct workers *workers;
	unsigned begun, done[WORKERS_MAX_JOBS];
	uint32_t jobs;
	bool disorder;
	uint64_t sum;
};

static void job(void *ctx, unsigned number)
{
	struct jobs *j = ctx;

	__atomic_fetch_add(&j->begun, 1, __ATOMIC_RELAXED);
	for (volatile unsigned i = 0; i < number * 50 % 211; i++)
		;
	workers_wait_lower(j->workers, number);
	for (unsigned i = 0; i < number; i++)
		j->disorder |= j->done[i] != (j->jobs >> i & 1);
	j->sum = j->sum * 3 + number; /* plain: those before have ended */
	j->done[number]++;
}

static void jobs_in_order(struct jobs *j, unsigned rounds)
{
	for (unsigned r = 0; r < rounds; r++) {
		uint32_t jobs = (uint32_t)random_next() & ((1u << WORKERS_MAX_JOBS) - 1);
		uint64_t want = j->sum;

		memset(j->done, 0, sizeof(j->done));
		j->begun = 0;
		j->jobs = jobs;
		workers_run(j->workers, jobs);
		assert_int_equal(j->begun, __builtin_popcount(jobs));
		for (unsigned i = 0; i < WORKERS_MAX_JOBS; i++) {
			assert_int_equal(j->done[i], jobs >> i & 1);
			if (jobs >> i & 1)
				want = want * 3 + i;
		}
		assert_int_equal(j->sum, want);
		assert_false(j->disorder);
		if (r % 500 == 0)
			usleep(1000); /* they fall asleep */
	}
}

static void workers_do_each_job_once(void **state)
{
	(void)state;
	assert_null(workers_create(1, job, NULL));
	for (unsigned threads = 2; threads < 6; threads++) {
		struct jobs j = { 0 };

		j.workers = workers_create(threads, job, &j);
		assert_non_null(j.workers);
		jobs_in_order(&j, check_long() ? ROUNDS : ROUNDS_IN_CHECK);
		workers_destroy(j.workers);
	}
	workers_destroy(NULL);
}

/* A forked child has none of its parent's threads, and does without or starts its own. */
static void workers_survive_fork(void **state)
{
#ifdef __SANITIZE_THREAD__
	SKIP("the sanitizer lets no thread start after a fork");
#endif
	(void)state;
	struct jobs j = { 0 };
	int status;

	j.workers = workers_create(3, job, &j);
	jobs_in_order(&j, 20);
	usleep(20000);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		alarm(60);
		jobs_in_order(&j, 200);
		workers_destroy(j.workers);
		_exit(threads_become(1) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	jobs_in_order(&j, 20);
	child = fork(); /* a child that never uses them */
	if (child == 0) {
		alarm(60);
		workers_destroy(j.workers);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	workers_destroy(j.workers);
}

static void ignore(int number) { (void)number; }

/* A signal of the process finds the application's threads only. */
static void workers_take_no_signals(void **state)
{
	(void)state;
	struct jobs j = { 0 };
	sigset_t set, old;
	struct sigaction action = { .sa_handler = ignore };

	j.workers = workers_create(4, job, &j);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	kill(getpid(), SIGUSR1);
	jobs_in_order(&j, 50);
	assert_int_equal(sigpending(&set), 0);
	assert_true(sigismember(&set, SIGUSR1)); /* nobody has taken it */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	workers_destroy(j.workers);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_do_each_job_once),
		cmocka_unit_test(workers_survive_fork),
		cmocka_unit_test(workers_take_no_signals),
		cmocka_unit_test(same_for_any_number_of_threads),
		cmocka_unit_test(same_with_each_engine),
		cmocka_unit_test(same_when_watched),
	};
	random_seed(argc, argv);
	if (!check_long())
		printf("# each random scenario with every other number of threads, %d rounds of jobs of %d; make check-long has all\n",
		       ROUNDS_IN_CHECK, ROUNDS);
	first_seed = random_state;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
