/* What tests of `galena serve` share: programs of the build tree as processes, and a server. */
#ifndef GALENA_TESTBENCH_REMOTE_PROCESSES_H
#define GALENA_TESTBENCH_REMOTE_PROCESSES_H
#include "testbench/build_tree.h"
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <cmocka.h>

static char build[PATH_MAX], directory[] = "/tmp/galena-shared-XXXXXX", path[64];

struct process {
	pid_t pid;
	int out; /* what it prints */
};

static struct process start(const char *program, ...)
{
	char file[PATH_MAX + 64];
	const char *argv[12] = { program };
	int pipes[2];
	va_list ap;
	va_start(ap, program);
	for (unsigned i = 1; i < 11 && (argv[i] = va_arg(ap, const char *)); i++)
		;
	va_end(ap);
	snprintf(file, sizeof file, "%s/%s", build, program);
	assert_int_equal(pipe(pipes), 0);
	fflush(NULL);
	const pid_t pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(pipes[1], 1);
		close(pipes[0]);
		close(pipes[1]);
		execv(file, (char **)(uintptr_t)argv);
		_exit(127);
	}
	close(pipes[1]);
	assert_true(pid > 0);
	return (struct process){ pid, pipes[0] };
}

/* Exit status, or minus the signal; what it printed is shown when that is not wanted. */
static int end_of(struct process p, int wanted)
{
	char text[1024];
	int status = 0;
	const ssize_t n = read(p.out, text, sizeof text - 1);
	assert_int_equal(waitpid(p.pid, &status, 0), p.pid);
	close(p.out);
	const int is = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
	if (is != wanted && n > 0)
		printf("# %.*s", (int)n, text);
	return is;
}

/* The first line that it prints. */
static void wait_for_line(struct process p)
{
	char c = 0;
	while (c != '\n')
		assert_int_equal(read(p.out, &c, 1), 1);
}

static struct process serve(void)
{
	struct process p = start("bin/galena", "serve", "--socket", path, "--config", "mini", "--speed", "functional", NULL);
	wait_for_line(p);
	return p;
}

static void server_end(struct process p)
{
	kill(p.pid, SIGTERM);
	assert_int_equal(end_of(p, 0), 0);
	assert_int_not_equal(access(path, F_OK), 0);
}

static unsigned entries(pid_t pid, const char *what)
{
	char name[64];
	unsigned n = 0;
	snprintf(name, sizeof name, "/proc/%d/%s", (int)pid, what);
	DIR *d = opendir(name);
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

#endif
