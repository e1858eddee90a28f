/* A small OpenCL program (limits_client.c) within limits of the system: it ends by itself, with right results, or with a code of OpenCL's
 * and a line that says what is missing. No signal, no hang. Where it works, it works with more, too. */
#define _GNU_SOURCE
#include "testbench/opencl/limits.h"
#include "testbench/opencl/cl_test.h"
#include "testbench/skip.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { NOBODY = 65534, NOT_POSSIBLE = 120, TIMEOUT_S = 60, TEXT = 8192 };

/* What is done in the child before it becomes the client. False: this system does not allow it (errno). */
struct setting {
	bool (*apply)(const struct setting *);
	int resource;
	uint64_t value;
	const char *name, *text;
};

struct outcome {
	int status; /* as wait() tells it */
	bool hung;
	char output[TEXT];
};

static char client[PATH_MAX], scratch[] = "/tmp/galena-limits-XXXXXX";

/* ---- settings ---- */

static bool apply_limit(const struct setting *s)
{
	return !setrlimit((__rlimit_resource_t)s->resource, &(struct rlimit){ s->value, s->value });
}

static bool become_nobody(void) { return geteuid() || (!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY)); }

static bool apply_user(const struct setting *s)
{
	(void)s;
	return become_nobody();
}

static bool apply_processes(const struct setting *s) { return become_nobody() && apply_limit(s); } /* root may have as many as it likes */

static bool apply_variable(const struct setting *s)
{
	return !(s->text ? setenv(s->name, s->text, 1) : unsetenv(s->name));
}

static bool own_mounts(void) { return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL); }

static bool apply_unmount(const struct setting *s) { return own_mounts() && !umount2(s->text, MNT_DETACH); }

/* A small file system there. The build tree that it hides, if it does, is put back. */
static bool apply_small(const struct setting *s)
{
	char build[PATH_MAX], tree[64];
	program_path(build, 3);
	int fd = own_mounts() ? open(build, O_PATH | O_CLOEXEC) : -1; /* of this namespace */
	if (fd < 0 || mount("none", s->text, "tmpfs", 0, s->name))
		return false;
	if (!access(build, F_OK))
		return !close(fd);
	snprintf(tree, sizeof tree, "/proc/self/fd/%d", fd);
	for (char *slash = build + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(build, 0777);
	}
	return !mkdir(build, 0777) && !mount(tree, build, NULL, MS_BIND, NULL) && !close(fd);
}

/* The same without any room. */
static bool apply_full(const struct setting *s)
{
	static const char zeroes[4096];
	char path[PATH_MAX];
	if (!apply_small(s))
		return false;
	snprintf(path, sizeof path, "%s/full", s->text);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	while (fd >= 0 && write(fd, zeroes, sizeof zeroes) > 0)
		;
	return fd >= 0 && !close(fd);
}

/* A filter that refuses the system call. */
static bool refuse(unsigned call, unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof code / sizeof *code, code };
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static bool apply_filter(const struct setting *s)
{
	const unsigned error = (unsigned)s->value;
	return refuse(SYS_memfd_create, error) && refuse(SYS_userfaultfd, error);
}

/* ---- children ---- */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void collect(int from, pid_t child, struct outcome *o)
{
	const double end = now() + TIMEOUT_S;
	size_t size = 0;
	for (;;) {
		char rest[512];
		struct pollfd p = { .fd = from, .events = POLLIN };
		const double left = end - now();
		if (left <= 0 || poll(&p, 1, (int)(left * 1000) + 1) == 0) {
			o->hung = true;
			kill(-child, SIGKILL);
			break;
		}
		char *to = size < TEXT - 1 ? o->output + size : rest;
		ssize_t n = read(from, to, to == rest ? sizeof rest : TEXT - 1 - size);
		if (n <= 0)
			break;
		if (to != rest)
			size += (size_t)n;
	}
	while (waitpid(child, &o->status, 0) < 0)
		assert_int_equal(errno, EINTR);
}

/* Runs the client within the settings, the last of which has no function. svm and such are its arguments. */
static struct outcome run(const struct setting *settings, const char *first, const char *second)
{
	struct outcome o = { 0 };
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		setpgid(0, 0);
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		closefrom(3);
		for (; settings->apply; settings++)
			if (!settings->apply(settings)) {
				dprintf(2, "%s", strerror(errno));
				_exit(NOT_POSSIBLE);
			}
		execl(client, client, first, second, NULL);
		dprintf(2, "galena-limits: cannot run %s: %s\n", client, strerror(errno));
		_exit(NOT_POSSIBLE);
	}
	close(ends[1]);
	collect(ends[0], child, &o);
	close(ends[0]);
	return o;
}

static bool is_possible(const struct outcome *o) { return !(WIFEXITED(o->status) && WEXITSTATUS(o->status) == NOT_POSSIBLE); }

#define SKIP_BECAUSE(reason, o)                                                                    \
	do {                                                                                       \
		print_message("%s\n", (o)->output);                                               \
		SKIP(reason);                                                                      \
	} while (0)

static bool is_right(const struct outcome *o) { return WIFEXITED(o->status) && !WEXITSTATUS(o->status) && strstr(o->output, LIMITS_RIGHT); }

/* A code of OpenCL's, and a line of the kit's. What the C library's loader and the ICD loader cannot do within the limit is not ours. */
static bool is_clean(const struct outcome *o)
{
	if (!WIFEXITED(o->status))
		return strstr(o->output, "TLS data structures") != NULL;
	if (WEXITSTATUS(o->status) == 127)
		return strstr(o->output, "error while loading shared libraries") || strstr(o->output, "TLS data structures");
	if (WEXITSTATUS(o->status) != LIMITS_CLEAN)
		return false;
	return strstr(o->output, "galena: ") || strstr(o->output, "galena-clc: ") || strstr(o->output, "clGetPlatformIDs: -1001");
}

static void expect_ends(const struct outcome *o, const char *what, uint64_t value)
{
	if (!o->hung && (is_right(o) || is_clean(o)))
		return;
	fail_msg("%s %llu: %s, status 0x%x; it said:\n%s", what, (unsigned long long)value, o->hung ? "hangs" : "ended in a bad way",
		 (unsigned)o->status, o->output);
}

static void expect_right(const struct outcome *o, const char *what)
{
	if (o->hung || !is_right(o))
		fail_msg("%s: %s, status 0x%x; it said:\n%s", what, o->hung ? "hangs" : "should work", (unsigned)o->status, o->output);
}

static void expect_text(const struct outcome *o, const char *text)
{
	if (!strstr(o->output, text))
		fail_msg("\"%s\" is not in:\n%s", text, o->output);
}

/* Text that no other run has had, so that no cache has the program. */
static const char *fresh(void)
{
	static char text[64];
	static unsigned number;
	snprintf(text, sizeof text, "%d.%u", (int)getpid(), number++);
	return text;
}

/* One limit of one value. */
static struct outcome within(int resource, uint64_t value, const char *first, const char *second)
{
	const struct setting settings[] = { { apply_limit, resource, value, NULL, NULL }, { 0 } };
	return run(settings, first, second);
}

/* ---- the tests ---- */

/* In MiB; with steps that are fine where it begins to work. */
static const unsigned address_space[] = { 256, 512, 1024, 2048, 3072, 4096, 4200, 4300, 4400, 4450, 4500, 4550, 4600, 4700, 4800, 4900, 5120,
	6144, 7168, 8192, 9216, 10240, 11264, 12288, 13312, 14336, 15360, 16384, 17408, 18432, 19456, 20480, 22528, 24576, 28672, 32768 };

static void sweep(int resource, const char *name, const char *argument)
{
	unsigned works = 0;
	for (size_t i = 0; i < sizeof address_space / sizeof *address_space; i++) {
		const unsigned mib = address_space[i];
		const struct outcome o = within(resource, (uint64_t)mib << 20, argument, NULL);
		expect_ends(&o, name, mib);
		if (works && !is_right(&o))
			fail_msg("%s: it works with %u MiB and not with %u; it said:\n%s", name, works, mib, o.output);
		if (!works && is_right(&o))
			works = mib;
	}
	print_message("%s: works from %u MiB on\n", name, works);
	assert_in_range(works, 1, 8192);
}

static void more_address_space_is_never_worse(void **state)
{
	(void)state;
	sweep(RLIMIT_AS, "ulimit -v, buffers", "buffers");
	sweep(RLIMIT_AS, "ulimit -v, shared virtual memory", "svm");
}

static void more_data_is_never_worse(void **state)
{
	(void)state;
	sweep(RLIMIT_DATA, "ulimit -d", "svm");
}

static void files_that_may_not_be_large(void **state)
{
	(void)state;
	static const unsigned sizes[] = { 0, 1024, 16384, 1 << 20 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const struct outcome o = within(RLIMIT_FSIZE, sizes[i], fresh(), NULL);
		expect_ends(&o, "ulimit -f, bytes", sizes[i]);
		if (!is_right(&o))
			expect_text(&o, "ulimit -f");
	}
}

static void few_descriptors(void **state)
{
	(void)state;
	/* the second two: about where the compile server's own begin */
	static const struct { unsigned first, last, step; } ranges[] = { { 4, 16, 1 }, { 255, 267, 4 }, { 511, 519, 8 } };
	bool works = false;
	for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
		for (unsigned n = ranges[r].first; n <= ranges[r].last; n += ranges[r].step) {
			const struct outcome o = within(RLIMIT_NOFILE, n, "twice", fresh());
			expect_ends(&o, "ulimit -n", n);
			if (works)
				expect_right(&o, "ulimit -n, more than what works");
			else if (n > 5 && !is_right(&o))
				expect_text(&o, "Too many open files (raise ulimit -n)");
			works |= is_right(&o);
		}
	assert_true(works);
}

static void few_processes(void **state)
{
	(void)state;
	for (unsigned n = 0; n <= 6; n += 2) {
		const struct setting settings[] = { { apply_processes, RLIMIT_NPROC, n, NULL, NULL }, { 0 } };
		const struct outcome o = run(settings, fresh(), NULL);
		if (!is_possible(&o))
			SKIP_BECAUSE("this user cannot become another one, or that one cannot read the build tree", &o);
		expect_ends(&o, "ulimit -u", n);
		if (!is_right(&o))
			expect_text(&o, "ulimit -u");
	}
}

static void other_limits(void **state)
{
	(void)state;
	for (uint64_t kib = 64; kib <= 4096; kib *= 4) {
		const struct outcome o = within(RLIMIT_STACK, kib << 10, fresh(), NULL);
		expect_ends(&o, "ulimit -s, KiB", kib);
	}
	static const struct { int resource; const char *name; } none[] = {
		{ RLIMIT_MEMLOCK, "ulimit -l 0" }, { RLIMIT_SIGPENDING, "ulimit -i 0" }, { RLIMIT_MSGQUEUE, "ulimit -q 0" },
		{ RLIMIT_CORE, "ulimit -c 0" }, { RLIMIT_LOCKS, "ulimit -x 0" },
	};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		const struct outcome o = within(none[i].resource, 0, "svm", NULL);
		expect_right(&o, none[i].name);
	}
}

/* Where it is to work, each of them: what a container or another user's session lacks. */
static void poor_surroundings(void **state)
{
	(void)state;
	static const struct { const char *name; struct setting settings[6]; } places[] = {
		{ "an ordinary user", { { apply_user, 0, 0, NULL, NULL } } },
		{ "an ordinary user without a home",
		  { { apply_variable, 0, 0, "GALENA_CACHE_DIR", NULL }, { apply_variable, 0, 0, "HOME", "/nonexistent" }, { apply_user, 0, 0, NULL, NULL } } },
		{ "no HOME, no XDG_RUNTIME_DIR, no TMPDIR",
		  { { apply_variable, 0, 0, "GALENA_CACHE_DIR", NULL }, { apply_variable, 0, 0, "HOME", NULL },
		    { apply_variable, 0, 0, "XDG_RUNTIME_DIR", NULL }, { apply_variable, 0, 0, "XDG_CACHE_HOME", NULL },
		    { apply_variable, 0, 0, "TMPDIR", NULL } } },
		{ "directories that are not there",
		  { { apply_variable, 0, 0, "GALENA_CACHE_DIR", "/dev/null/cache" }, { apply_variable, 0, 0, "HOME", "/nonexistent" },
		    { apply_variable, 0, 0, "XDG_RUNTIME_DIR", "/nonexistent" }, { apply_variable, 0, 0, "TMPDIR", "/nonexistent" } } },
		{ "64 MiB of /dev/shm", { { apply_small, 0, 0, "size=64m", "/dev/shm" } } },
		{ "no /proc", { { apply_unmount, 0, 0, NULL, "/proc" } } },
		{ "no /proc, an ordinary user", { { apply_unmount, 0, 0, NULL, "/proc" }, { apply_user, 0, 0, NULL, NULL } } },
		{ "a full directory for all that is temporary",
		  { { apply_full, 0, 0, "size=64k", scratch }, { apply_variable, 0, 0, "TMPDIR", scratch }, { apply_variable, 0, 0, "XDG_RUNTIME_DIR", scratch },
		    { apply_variable, 0, 0, "GALENA_CACHE_DIR", scratch }, { apply_variable, 0, 0, "HOME", scratch } } },
		{ "a filter: EPERM for memfd_create and userfaultfd", { { apply_filter, 0, EPERM, NULL, NULL } } },
		{ "a filter: ENOSYS for memfd_create and userfaultfd", { { apply_filter, 0, ENOSYS, NULL, NULL } } },
	};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const struct outcome o = run(places[i].settings, "svm", fresh());
		if (!is_possible(&o)) {
			print_message("# skip: %s: this user and system do not allow it: %s\n", places[i].name, o.output);
			continue;
		}
		expect_right(&o, places[i].name);
	}
}

/* Neither memory files nor a directory that takes their place. */
static void no_memory_files_at_all(void **state)
{
	(void)state;
	const struct setting settings[] = { { apply_full, 0, 0, "size=64k", "/tmp" }, { apply_full, 0, 0, "size=64k", "/dev/shm" },
					    { apply_variable, 0, 0, "TMPDIR", NULL }, { apply_filter, 0, EPERM, NULL, NULL }, { 0 } };
	const struct outcome o = run(settings, "svm", fresh());
	if (!is_possible(&o))
		SKIP_BECAUSE("this user may not mount file systems", &o);
	expect_ends(&o, "neither memory files nor room for others", 0);
	assert_false(is_right(&o));
	expect_text(&o, "memory file");
}

static int setup(void **state)
{
	char cache[PATH_MAX];
	(void)state;
	program_path(client, 1);
	strcat(client, "/limits_client");
	if (!mkdtemp(scratch) || chmod(scratch, 0777))
		return -1;
	snprintf(cache, sizeof cache, "%s/cache", scratch);
	if (mkdir(cache, 0777) || chmod(cache, 0777))
		return -1;
	return setenv("GALENA_CACHE_DIR", cache, 1);
}

static int teardown(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", scratch);
	return system(command);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_address_space_is_never_worse),
		cmocka_unit_test(more_data_is_never_worse),
		cmocka_unit_test(files_that_may_not_be_large),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(few_processes),
		cmocka_unit_test(other_limits),
		cmocka_unit_test(poor_surroundings),
		cmocka_unit_test(no_memory_files_at_all),
	};
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	puts("# skip: limits: a sanitizer needs more address space than any limit leaves");
	return 0;
#endif
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
