/* Random programs over the public API: threads, releases in any order, callbacks that call back, waits in any order, ends while threads
 * work. Each is a process of its own and has 60 seconds; what takes longer hangs, and its stacks are printed.
 *
 * stress [seed]; SEED=N, COUNT=N: the programs with the seeds N, N+1, ... alone. LIMIT=SECONDS: another one. GALENA_CONFIG,
 * GALENA_SPEED: as they are set, in place of random ones. */
#define _GNU_SOURCE
#include "testbench/opencl/stress.h"
#include "testbench/build_tree.h"
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { SECONDS = 60, IN_CHECK = 80, IN_LONG = 1000, AT_ONCE = 2 };

static const char *self;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- stacks of a program that hangs or crashes ---- */

static void stack_print(int number)
{
	void *frames[64];
	char text[128];
	int n = backtrace(frames, 64);
	n = n < 0 ? 0 : n;
	const int length = snprintf(text, sizeof text, "# callbacks %u of %u, contexts %u of %u, thread %d, signal %d:\n", callbacks_done, callbacks_due,
				    contexts_done, contexts_due, (int)syscall(SYS_gettid), number);
	if (write(2, text, (size_t)length) == length)
		backtrace_symbols_fd(frames, n, 2);
	if (number != SIGUSR2) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

static void stacks_prepare(void)
{
	static const int numbers[] = {SIGUSR2, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
	void *frame;
	backtrace(&frame, 1); /* loads what it needs */
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaction(numbers[i], &(struct sigaction){.sa_handler = stack_print, .sa_flags = SA_RESTART}, NULL);
}

static void file_print(const char *path, const char *name)
{
	char text[256] = "";
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	printf(" %s=%s", name, *text ? text : "?");
}

/* Where each thread is: as the kernel sees it, then by its stack, if it takes signals. */
static void hang_print(pid_t pid)
{
	char path[300];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		const int thread = atoi(e->d_name);
		if (!thread)
			continue;
		printf("# thread %d:", thread);
		static const char *const files[] = {"comm", "wchan", "syscall"};
		for (int i = 0; i < 3; i++) {
			snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, thread, files[i]);
			file_print(path, files[i]);
		}
		puts("");
		fflush(stdout);
		syscall(SYS_tgkill, pid, thread, SIGUSR2);
		usleep(200000);
	}
	if (d)
		closedir(d);
}

/* ---- programs, some at once ---- */
static struct running {
	pid_t pid;
	uint64_t seed;
	double since;
} running[AT_ONCE];
static unsigned failures;
static int limit = SECONDS;

static void start(struct running *r, uint64_t seed)
{
	fflush(NULL);
	*r = (struct running){fork(), seed, now()};
	if (!r->pid) {
		const struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none);
		dup2(2, 1); /* a test's output is its results alone */
		stacks_prepare();
		exit(stress_program(seed));
	}
	if (r->pid < 0) {
		perror("fork");
		exit(1);
	}
}

static void failed(const struct running *r, const char *how, int number)
{
	printf("not ok: program %" PRIu64 " %s %d after %.1f s; alone: SEED=%" PRIu64 " COUNT=1 %s\n", r->seed, how, number, now() - r->since, r->seed, self);
	fflush(stdout);
	failures++;
}

/* Whether it is over. */
static bool look(struct running *r)
{
	int status;
	if (waitpid(r->pid, &status, WNOHANG) == r->pid) {
		if (WIFSIGNALED(status))
			failed(r, "ended by signal", WTERMSIG(status));
		else if (WEXITSTATUS(status) != STATUS_GOOD && WEXITSTATUS(status) != STATUS_MEANT)
			failed(r, "ended with status", WEXITSTATUS(status));
		return true;
	}
	if (now() - r->since < limit)
		return false;
	failed(r, "hangs: limit in seconds", limit);
	hang_print(r->pid);
	kill(r->pid, SIGKILL);
	waitpid(r->pid, NULL, 0);
	return true;
}

int main(int argc, char **argv)
{
	const char *first = getenv("SEED"), *count = getenv("COUNT");
	build_tree_loader();
	self = argv[0];
	if (getenv("LIMIT"))
		limit = atoi(getenv("LIMIT"));
	const uint64_t seed = first ? strtoull(first, NULL, 0) : seed_take(argc, argv);
	unsigned left = count ? (unsigned)strtoul(count, NULL, 0) : check_long() ? IN_LONG : IN_CHECK, going = 0;
	const unsigned programs = left;
	for (uint64_t next = seed; left || going;) {
		for (unsigned i = 0; i < AT_ONCE; i++) {
			if (running[i].pid && look(&running[i])) {
				running[i].pid = 0;
				going--;
			}
			if (!running[i].pid && left) {
				start(&running[i], next++);
				left--;
				going++;
			}
		}
		usleep(2000);
	}
	printf("%s %u programs from seed %" PRIu64 ", %u failed\n", failures ? "not ok" : "ok", programs, seed, failures);
	return failures != 0;
}
