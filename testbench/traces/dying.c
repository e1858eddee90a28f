/* A program that works on two devices and dies in the middle of it. It counts what crosses its bus by itself, in front of the recorder:
 * the driver below it opens its devices through the bus_open() of this file. */
#define _GNU_SOURCE
#include "testbench/traces/dying.h"
#include "runtime/umd/umd.h"
#include "abi/bus.h"
#include "abi/packets.h"
#include "testbench/random.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const way_names[WAYS] = {
	"abort", "null pointer", "trap", "divide by zero", "SIGKILL to itself", "SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE", "timer",
	"killed from outside", "interrupted from outside", "_exit", "quick_exit", "exit_group", "stack overflow", "stack overflow of a thread",
	"exec", "exec of a program that records, too", "abort in a thread", "_exit in a thread", "main leaves, another thread ends",
	"a forked child dies first", "a forked child lives on", "closes all descriptors", "exit", "return",
};

static struct facts *facts;

/* From here on the recording has ended, too; handlers of exit() run in the reverse order of their registration. */
static void stop_counting(void)
{
	static struct facts unseen;
	facts = &unseen;
}

/* ---- the bus in front ---- */
struct counted {
	struct bus bus;
	struct bus *inner;
	struct bus_memory memory;
};
#define INNER(b) (((struct counted *)(b))->inner)

static void returned(struct bus *b)
{
	facts->cycle = bus_cycle(INNER(b));
	facts->returns++;
}

static uint32_t counted_read32(struct bus *b, uint32_t o)
{
	facts->calls++;
	uint32_t v = bus_read32(INNER(b), o);
	returned(b);
	return v;
}
static uint64_t counted_read64(struct bus *b, uint32_t o)
{
	facts->calls++;
	uint64_t v = bus_read64(INNER(b), o);
	returned(b);
	return v;
}
static void counted_write32(struct bus *b, uint32_t o, uint32_t v)
{
	facts->calls++;
	bus_write32(INNER(b), o, v);
	returned(b);
}
static void counted_write64(struct bus *b, uint32_t o, uint64_t v)
{
	facts->calls++;
	bus_write64(INNER(b), o, v);
	returned(b);
}
static enum bus_wait counted_wait(struct bus *b, uint64_t limit)
{
	facts->calls++;
	enum bus_wait w = bus_wait_irq(INNER(b), limit);
	returned(b);
	return w;
}
static uint64_t counted_cycle(struct bus *b) { return bus_cycle(INNER(b)); }
static void counted_note(struct bus *b, struct event *e) { bus_note(INNER(b), e); }
static bool counted_progress(struct bus *b, unsigned slot, struct bus_progress *p) { return bus_progress(INNER(b), slot, p); }
static void counted_counted(struct bus *b, const struct bus_count *c) { bus_counted(INNER(b), c); }
static void counted_close(struct bus *b)
{
	bus_close(INNER(b));
	free(b);
}
static const struct bus_ops counted_ops = {
	.read32 = counted_read32, .read64 = counted_read64, .write32 = counted_write32, .write64 = counted_write64,
	.wait_irq = counted_wait, .cycle = counted_cycle, .note = counted_note, .progress = counted_progress,
	.counted = counted_counted, .close = counted_close,
};

static void accessed(int rc, size_t len)
{
	facts->memory_bytes += rc < 0 ? 0 : len;
	facts->accesses++;
}
/* A thread of the host stores in what a transfer is about to read. */
static void host_stores(struct counted *c, uint64_t address, size_t len)
{
	enum { OF_TRANSFERS = 128 };
	uint8_t *page = len >= OF_TRANSFERS && facts->accesses % 3 == 0 ? c->memory.page(c->memory.ctx, address >> 12, true) : NULL;
	if (page)
		page[address % 4096 + len / 2] ^= 0x5a;
}

static int counted_memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct counted *c = ctx;
	host_stores(c, address, len);
	int rc = c->memory.read(c->memory.ctx, address, dst, len);
	accessed(rc, len);
	return rc;
}
static int counted_memory_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	struct counted *c = ctx;
	int rc = c->memory.write(c->memory.ctx, address, src, len);
	accessed(rc, len);
	return rc;
}
static int counted_memory_exchange(void *ctx, uint64_t address, void *seen, const void *desired, size_t len)
{
	struct counted *c = ctx;
	int rc = c->memory.exchange(c->memory.ctx, address, seen, desired, len);
	accessed(rc, len);
	return rc;
}
static void *counted_memory_page(void *ctx, uint64_t page, bool write)
{
	struct counted *c = ctx;
	return c->memory.page(c->memory.ctx, page, write);
}

struct bus *bus_open(const struct bus_params *p, const char **error)
{
	struct bus *(*next)(const struct bus_params *, const char **) =
		(struct bus * (*)(const struct bus_params *, const char **))dlsym(RTLD_NEXT, "bus_open");
	if (!facts) /* a replay */
		return next(p, error);
	struct counted *c = calloc(1, sizeof *c);
	struct bus_params mine = *p;
	if (!c)
		abort();
	c->bus.ops = &counted_ops;
	c->memory = p->memory;
	mine.memory.ctx = c;
	mine.memory.read = counted_memory_read;
	mine.memory.write = counted_memory_write;
	mine.memory.exchange = p->memory.exchange ? counted_memory_exchange : NULL;
	mine.memory.page = counted_memory_page;
	c->inner = next(&mine, error);
	static bool registered; /* before the driver registers what it has to end, behind the recorder */
	if (!registered)
		registered = !atexit(stop_counting);
	return c->inner ? &c->bus : NULL;
}

/* ---- its work ---- */
enum { AREA = 64 << 10 };
static struct work {
	struct umd *driver;
	struct umd_space *space;
	struct umd_queue *queues[2];
	struct umd_bo *system, *dram[2];
} work;
static uint64_t seed;

static bool work_open(void)
{
	const char *error = NULL;
	work.driver = umd_open(&error);
	if (!work.driver) {
		fprintf(stderr, "driver_open: %s\n", error);
		return false;
	}
	if (umd_space_create(work.driver, &work.space) || umd_bo_create(work.space, 0, AREA, KMD_BO_SYSTEM, &work.system))
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (umd_queue_create(work.space, i, 1, &work.queues[i]) || umd_bo_create(work.space, i, AREA, KMD_BO_DRAM, &work.dram[i]))
			return false;
	return true;
}

/* One copy, into or out of the DRAM of one device. */
static void work_once(uint64_t *random)
{
	unsigned device = splitmix64(random) % 2;
	uint64_t bytes = 1 + splitmix64(random) % (splitmix64(random) % 4 ? 256 : AREA);
	uint64_t a = umd_bo_address(work.system) + splitmix64(random) % (AREA - bytes + 1), b = umd_bo_address(work.dram[device]);
	bool out = splitmix64(random) % 2;
	union packet p = { .copy = { .head.type = PACKET_CODE_copy, .src = out ? b : a, .dst = out ? a : b, .width = (uint32_t)bytes,
				     .height = 1, .depth = 1 } };
	struct umd_command *c;
	if (umd_submit(work.queues[device], &p, 1, 0, NULL, NULL, &c))
		abort();
	umd_wait(c);
	umd_command_release(c);
	facts->operations++;
}

static void *work_on(void *unused)
{
	(void)unused;
	for (uint64_t random = seed + 7;;)
		work_once(&random);
	return NULL;
}

/* ---- its death ---- */
static int deep(volatile char *above)
{
	volatile char here[4096];
	here[0] = above ? above[0] : 1;
	return here[0] ? deep(here) + here[0] : 0; /* always 1 */
}

static void *deep_in_thread(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)deep(NULL);
}

static void *abort_in_thread(void *unused)
{
	(void)unused;
	usleep((useconds_t)(splitmix64(&seed) % 3000));
	abort();
}

static void *exit_in_thread(void *unused)
{
	(void)unused;
	usleep((useconds_t)(splitmix64(&seed) % 3000));
	_exit(23);
}

static pthread_t thread(void *(*run)(void *))
{
	pthread_t t;
	if (pthread_create(&t, NULL, run, NULL))
		abort();
	return t;
}

/* As the system does it, whatever the process was started with: nohup ignores SIGHUP. */
static void raise_default(int number)
{
	signal(number, SIG_DFL);
	raise(number);
	pause();
}

static void timer_start(void)
{
	struct itimerval t = { .it_value.tv_usec = (suseconds_t)(1 + splitmix64(&seed) % 20000) };
	setitimer(ITIMER_REAL, &t, NULL);
}

static int end(enum way way, const char *self)
{
	static volatile int zero;
	pid_t child;
	switch (way) {
	case WAY_ABORT: abort();
	case WAY_NULL: *(volatile int *)(uintptr_t)(unsigned)zero = 1; break;
	case WAY_TRAP: __builtin_trap();
	case WAY_DIVIDE: raise_default(SIGFPE); break;
	case WAY_KILL_SELF: raise_default(SIGKILL); break;
	case WAY_TERMINATE: raise_default(SIGTERM); break;
	case WAY_INTERRUPT: raise_default(SIGINT); break;
	case WAY_HANG_UP: raise_default(SIGHUP); break;
	case WAY_PIPE: raise_default(SIGPIPE); break;
	case WAY_TIMER: timer_start(); work_on(NULL); break;
	case WAY_KILLED: case WAY_INTERRUPTED: work_on(NULL); break;
	case WAY__EXIT: _exit(11);
	case WAY_QUICK_EXIT: quick_exit(12);
	case WAY_EXIT_GROUP: syscall(SYS_exit_group, 13); break;
	case WAY_STACK: return deep(NULL);
	case WAY_STACK_THREAD: pthread_join(thread(deep_in_thread), NULL); break;
	case WAY_EXEC: execl("/bin/sleep", "sleep", "0.3", NULL); break;
	case WAY_EXEC_SAME: execl(self, self, "--again", NULL); break;
	case WAY_THREAD_ABORT: thread(abort_in_thread); work_on(NULL); break;
	case WAY_THREAD__EXIT: thread(exit_in_thread); work_on(NULL); break;
	case WAY_MAIN_LEAVES: thread(exit_in_thread); pthread_exit(NULL);
	case WAY_FORK_DIES:
		child = fork();
		if (!child)
			abort();
		waitpid(child, NULL, 0);
		for (unsigned n = splitmix64(&seed) % 5; n--;)
			work_once(&seed);
		raise_default(SIGSEGV);
		break;
	case WAY_FORK_LIVES:
		if (!fork()) {
			usleep(200000);
			_exit(0);
		}
		for (unsigned n = splitmix64(&seed) % 5; n--;)
			work_once(&seed);
		_exit(14);
	case WAY_CLOSED_FDS:
		close_range(3, ~0u, 0);
		for (unsigned n = splitmix64(&seed) % 5; n--;)
			work_once(&seed);
		raise_default(SIGSEGV);
		break;
	case WAY_EXIT: exit(0);
	default: break;
	}
	return 0;
}

int dying_program(enum way way, uint64_t first_seed, int fd, const char *self)
{
	seed = first_seed;
	facts = mmap(NULL, sizeof *facts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (facts == MAP_FAILED || !work_open())
		return 99;
	for (unsigned n = splitmix64(&seed) % 12; n--;)
		work_once(&seed);
	return end(way, self);
}
