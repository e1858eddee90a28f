/* The driver with devices that inject faults into themselves (GALENA_INJECT): it loses no command and
 * no time for ever, and says what it found. */
#define _GNU_SOURCE
#include "testbench/driver/common.h"
#include "abi/registers.h"
#include <fcntl.h>
#include <unistd.h>

static struct umd *d;
static struct umd_space *space;
static struct umd_queue *queue[2];
static struct umd_bo *bo, *code;
static uint64_t seed;
enum { EXIT = 0x100b };

static void open_with(const char *faults, const char *watchdog)
{
	setenv("GALENA_INJECT", faults, 1);
	setenv("GALENA_WATCHDOG", watchdog, 1);
	d = open_driver();
	unsetenv("GALENA_INJECT");
	unsetenv("GALENA_WATCHDOG");
	assert_int_equal(umd_space_create(d, &space), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(umd_queue_create(space, i, 1, &queue[i]), 0);
	bo = make_bo(space, 0, 65536, 0);
	code = make_bo(space, 0, 4096, KMD_BO_EXECUTE);
	*(uint32_t *)umd_bo_cpu(code) = EXIT;
}

static void close_all(void)
{
	umd_bo_release(bo);
	umd_bo_release(code);
	for (unsigned i = 0; i < 2; i++)
		umd_queue_release(queue[i]);
	umd_space_release(space);
	umd_close(d);
}

static unsigned injected(unsigned device) { return (unsigned)umd_read_register(d, device, REG_HOST_INJECTED, 32); }

static union packet kernel(void)
{
	return (union packet){ .dispatch = { .head.type = PACKET_CODE_dispatch, .entry = umd_bo_address(code),
					     .kernarg = umd_bo_address(bo), .global_size = { 1, 1, 1 },
					     .local_size = { 1, 1, 1 } } };
}

static union packet copy(void) { return packet_copy_1d(umd_bo_address(bo), umd_bo_address(bo) + 32768, 32768); }

/* A command of the kind that the fault is about, and whether more work follows it. */
struct fault_case {
	const char *faults;
	enum { NOP, KERNEL, COPY, DRAM, WAIT } what;
	int status;     /* of the command */
	const char *watchdog;
};

static int work(const struct fault_case *f)
{
	union packet p[2] = { packet_nop() };
	unsigned n = 1;
	struct umd_bo *dram = NULL;
	struct umd_sem *sem = NULL;
	struct umd_command *c;
	struct completion done;
	switch (f->what) {
	case NOP: break;
	case KERNEL: p[0] = kernel(); break;
	case COPY: p[0] = copy(); break;
	case DRAM:
		dram = make_bo(space, 0, 4096, KMD_BO_DRAM);
		p[0] = packet_copy_1d(umd_bo_address(dram), umd_bo_address(bo), 4096);
		p[1] = packet_copy_1d(umd_bo_address(bo), umd_bo_address(dram), 4096);
		n = 2;
		break;
	case WAIT:
		assert_int_equal(umd_sem_create(d, 0, &sem), 0);
		umd_sem_wait_packet(sem, &p[0]);
		break;
	}
	assert_int_equal(umd_submit(queue[0], p, n, 0, NULL, NULL, &c), 0);
	if (sem) {
		umd_flush(queue[0]);
		umd_sync(d);
		umd_sem_signal(sem, 0);
		umd_sem_release(sem);
	}
	assert_int_equal(umd_wait(c), 0);
	assert_true(umd_command_ended(c, &done));
	const struct fault_record *r = umd_command_fault(c);
	if (done.status) {
		assert_non_null(r);
		assert_int_equal(r->code, -done.status);
	} else {
		assert_null(r);
	}
	umd_command_release(c);
	umd_bo_release(dram);
	return done.status;
}

/* One fault each: it comes, its command ends as it should, and everything goes on. */
static void one_by_one(void **state)
{
	(void)state;
	static const struct fault_case cases[] = {
		{ "IRQ_LOST", NOP, 0, "0" },
		{ "IRQ_LOST,nth=2,arg=1", NOP, 0, "0" },
		{ "IRQ_DUPLICATE", NOP, 0, "0" },
		{ "DOORBELL_LATE,arg=100000", NOP, 0, "0" },
		{ "DOORBELL_LATE,unit=0,arg=0xffffffffffffffff", NOP, 0, "0" },
		{ "SEM_LOST", WAIT, 0, "0" },
		{ "SEM_SPURIOUS", WAIT, 0, "0" },
		{ "ECC_SINGLE", DRAM, 0, "0" },
		{ "ECC_DOUBLE", DRAM, -FAULT_ECC, "0" },
		{ "BUS_ERROR,unit=8", COPY, -FAULT_BUS_ERROR, "0" },
		{ "WALK_ERROR", KERNEL, -FAULT_PAGE_TABLE, "0" },
		{ "TLB_PARITY", COPY, 0, "0" },
		{ "KERNEL_HANG", KERNEL, -FAULT_WATCHDOG, "50000" },
		{ "DMA_STALL", COPY, -FAULT_WATCHDOG, "50000" },
		{ "DMA_STALL,arg=30000", COPY, 0, "50000" },
		{ "IRQ_LOST,arg=2 WALK_ERROR", KERNEL, -FAULT_PAGE_TABLE, "0" },
		{ " IRQ_LOST  DOORBELL_LATE,arg=0x1000\tSEM_LOST", WAIT, 0, "0" },
	};
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct fault_case *f = &cases[i];
		open_with(f->faults, f->watchdog);
		int status = work(f);
		if (status != f->status)
			fail_msg("%s: status %d, not %d", f->faults, status, f->status);
		for (unsigned k = 0; k < 3; k++) { /* also to bring about what only the second occasion does */
			union packet p[3] = { packet_nop(), kernel(), copy() };
			assert_int_equal(run(queue[0], p, 3), 0);
			assert_int_equal(run(queue[1], p, 3), 0);
		}
		if (!injected(0) || injected(1))
			fail_msg("%s: injected %u and %u", f->faults, injected(0), injected(1));
		close_all();
	}
}

/* Of another device. */
static void device_of_its_own(void **state)
{
	(void)state;
	open_with("WALK_ERROR,device=1", "0");
	union packet p = kernel();
	assert_int_equal(run(queue[0], &p, 1), 0);
	assert_int_equal(run(queue[1], &p, 1), -FAULT_PAGE_TABLE);
	assert_int_equal(run(queue[1], &p, 1), 0);
	assert_int_equal(injected(0), 0);
	assert_int_equal(injected(1), 1);
	close_all();
}

enum { CRASH_COMMANDS = 200 };

static void commands_begin(struct umd_command *c[CRASH_COMMANDS])
{
	for (unsigned i = 0; i < CRASH_COMMANDS; i++) {
		union packet p[2] = { kernel(), copy() };
		assert_int_equal(umd_submit(queue[0], p, 2, 0, NULL, NULL, &c[i]), 0);
	}
	umd_flush(queue[0]);
}

/* The cycle at which a device that does not crash has ended half of them, whatever its speed. */
static uint64_t half_done(void)
{
	struct umd_command *c[CRASH_COMMANDS];
	struct completion done;
	open_with("", "0");
	commands_begin(c);
	assert_int_equal(umd_wait(c[CRASH_COMMANDS - 1]), 0);
	assert_true(umd_command_ended(c[CRASH_COMMANDS / 2 - 1], &done));
	assert_int_equal(done.status, 0);
	for (unsigned i = 0; i < CRASH_COMMANDS; i++)
		umd_command_release(c[i]);
	close_all();
	return done.end;
}

/* The device goes while it works: what it had ends, the other one goes on. */
static void crash(void **state)
{
	(void)state;
	enum { N = CRASH_COMMANDS };
	struct umd_command *c[N];
	unsigned well = 0;
	char fault[64];
	snprintf(fault, sizeof fault, "CP_CRASH,arg=%" PRIu64, half_done());
	open_with(fault, "0");
	commands_begin(c);
	for (unsigned i = 0; i < N; i++) {
		struct completion done;
		int waited = umd_wait(c[i]);
		assert_true(umd_command_ended(c[i], &done));
		assert_true(done.status == 0 ? waited == 0 && well == i
					     : done.status == -FAULT_FIRMWARE && waited == KMD_DEVICE_LOST);
		well += done.status == 0;
		umd_command_release(c[i]);
	}
	assert_in_range(well, 1, N - 1);
	assert_int_equal(umd_submit(queue[0], &(union packet){ 0 }, 1, 0, NULL, NULL, NULL), KMD_DEVICE_LOST);
	union packet p = kernel();
	assert_int_equal(run(queue[1], &p, 1), 0);
	assert_true(umd_read_register(d, 0, REG_HOST_STATUS, 32) & REG_HOST_STATUS_LOST);
	close_all();
}

/* What cannot end a command, in any mixture: every command ends well. */
static void mixtures(void **state)
{
	(void)state;
	static const char *const harmless[] = { "IRQ_LOST", "IRQ_DUPLICATE", "DOORBELL_LATE", "SEM_LOST", "TLB_PARITY",
						"ECC_SINGLE", "DMA_STALL" };
	for (unsigned round = 0; round < 30; round++) {
		enum { N = 40 };
		char faults[1024] = "";
		struct umd_command *c[N];
		struct umd_sem *sem;
		for (unsigned i = 0; i < 14; i++) {
			uint64_t r = splitmix64(&seed);
			bool late = i % 7 == 2 && r & 256;
			snprintf(faults + strlen(faults), sizeof faults - strlen(faults), "%s,nth=%u,device=%u", harmless[i % 7],
				 1 + (unsigned)(r % 20), i / 7);
			if (i % 7 == 2 || i % 7 == 6)
				snprintf(faults + strlen(faults), sizeof faults - strlen(faults), ",arg=%" PRIu64,
					 late ? UINT64_MAX : 1 + (r >> 16) % 100000);
			strcat(faults, " ");
		}
		open_with(faults, "0");
		assert_int_equal(umd_sem_create(d, 0, &sem), 0);
		for (unsigned i = 0; i < N; i++) {
			union packet p[3];
			unsigned n = 0;
			if (splitmix64(&seed) % 4 == 0)
				umd_sem_wait_packet(sem, &p[n++]);
			else if (i && splitmix64(&seed) % 2)
				umd_command_wait_packet(c[splitmix64(&seed) % i], &p[n++]);
			p[n++] = splitmix64(&seed) % 2 ? kernel() : copy();
			assert_int_equal(umd_submit(queue[splitmix64(&seed) % 2], p, n, 0, NULL, NULL, &c[i]), 0);
			if (splitmix64(&seed) % 8 == 0)
				umd_flush(queue[splitmix64(&seed) % 2]);
			if (i == N / 2)
				umd_sem_signal(sem, 0);
		}
		for (unsigned i = 0; i < N; i++) {
			struct completion done;
			assert_int_equal(umd_wait(c[i]), 0);
			assert_true(umd_command_ended(c[i], &done));
			if (done.status)
				fail_msg("command %u: status %d with %s", i, done.status, faults);
			umd_command_release(c[i]);
		}
		umd_sem_release(sem);
		close_all();
	}
}

/* It says so, in one line, to whoever wants to know. */
static void says_so(void **state)
{
	(void)state;
	char path[] = "/tmp/galena-inject-XXXXXX", text[4096];
	int file = mkstemp(path), saved = dup(2);
	assert_true(file >= 0 && saved >= 0);
	unlink(path);
	for (unsigned loud = 0; loud < 2; loud++) {
		union packet p = packet_nop();
		setenv("GALENA_LOG", loud ? "info" : "error", 1);
		dup2(file, 2);
		open_with("IRQ_LOST,arg=1", "0");
		int status = run(queue[0], &p, 1);
		close_all();
		dup2(saved, 2);
		assert_int_equal(status, 0);
		ssize_t n = pread(file, text, sizeof text - 1, 0);
		assert_true(n >= 0);
		text[n] = 0;
		if (!loud)
			assert_string_equal(text, "");
		else
			assert_string_equal(text, "galena: device 0: interrupt 0x1 was lost, and found\n");
	}
	unsetenv("GALENA_LOG");
	close(saved);
	close(file);
}

static void bad_wishes(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"FIRE", "NONE", "irq_lost", "IRQ_LOSTX", "IRQ_LOST,", "IRQ_LOST,nth", "IRQ_LOST,nth=", "IRQ_LOST,nth=0",
		"IRQ_LOST,nth=-1", "IRQ_LOST,nth=4294967296", "IRQ_LOST,unit=65536", "IRQ_LOST,arg=0x", "IRQ_LOST,arg=1z",
		"IRQ_LOST,device=2", "IRQ_LOST,device=99", "IRQ_LOST,,arg=1", "IRQ_LOST,cycles=1", "IRQ_LOST;ECC_SINGLE",
		"ECC_SINGLE IRQ_LOST,nth=1,nth=x", ",", "?",
	};
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		const char *error = NULL;
		setenv("GALENA_INJECT", bad[i], 1);
		if (umd_open(&error))
			fail_msg("'%s' was taken", bad[i]);
		assert_non_null(error);
		if (strncmp(error, "GALENA_INJECT", 13) || strchr(error, '\n'))
			fail_msg("'%s': %s", bad[i], error);
	}
	unsetenv("GALENA_INJECT");
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_by_one),
		cmocka_unit_test(device_of_its_own),
		cmocka_unit_test(crash),
		cmocka_unit_test(mixtures),
		cmocka_unit_test(says_so),
		cmocka_unit_test(bad_wishes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
