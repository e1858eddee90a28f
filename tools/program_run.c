/* Starts a program and waits for it, and for the recorders that complete its files when it is gone: what comes after `galena run` finds
 * them complete. */
#define _GNU_SOURCE
#include "tools/galena.h"
#include "base/process.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 5 };

static pid_t child;
static void forward(int signal) { kill(child, signal); }

/* A terminal sends some signals to all of its programs; others come to us alone, and are the program's. */
static void signals_prepare(void)
{
	static const int forwarded[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
		signal(forwarded[i], forward);
}

/* The program that the process records, if it is a recorder; 0. */
static pid_t recorded_by(pid_t pid)
{
	char text[512];
	const size_t n = process_text(pid, "cmdline", text, sizeof text);
	if (!n)
		return 0;
	const char *words[5] = { text, "", "", "", "" };
	for (int i = 1; i < 5 && words[i - 1] + strlen(words[i - 1]) + 1 < text + n; i++)
		words[i] = words[i - 1] + strlen(words[i - 1]) + 1;
	return strcmp(words[0], "galena-recorder") ? 0 : (pid_t)atoi(words[4]);
}

static bool is_gone(pid_t pid)
{
	struct process_stat s;
	return !process_stat(pid, &s) || s.state == 'Z' || s.state == 'X';
}

/* Whether a recorder of a program that is gone is still at work. Its parent is this process, which takes orphans. */
static bool recorder_busy(void)
{
	char name[32], text[4096];
	bool busy = false;
	snprintf(name, sizeof name, "task/%d/children", (int)getpid());
	process_text(getpid(), name, text, sizeof text);
	for (char *at = text, *end; !busy; at = end) {
		pid_t pid = (pid_t)strtol(at, &end, 10);
		if (end == at)
			break;
		pid_t program = recorded_by(pid);
		busy = program && is_gone(program);
	}
	return busy;
}

int program_run(char **argv, bool recorded, int *signal_of)
{
	int status = 0, error = 0, ends[2];
	*signal_of = 0;
	if (pipe2(ends, O_CLOEXEC))
		return fail(EXIT_FAILED, "cannot start %s: %s", argv[0], strerror(errno));
	if (recorded)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* who kills `galena run` means the program */
		execvp(argv[0], argv);
		error = errno;
		if (write(ends[1], &error, sizeof error) < 0)
			_exit(EXIT_FAILED);
		_exit(EXIT_NO_PROGRAM);
	}
	if (child < 0)
		return fail(EXIT_FAILED, "cannot start %s: %s", argv[0], strerror(errno));
	signals_prepare();
	close(ends[1]);
	ssize_t n = read(ends[0], &error, sizeof error);
	close(ends[0]);
	for (pid_t pid; (pid = waitpid(-1, &status, 0)) != child;)
		if (pid < 0 && errno != EINTR)
			return fail(EXIT_FAILED, "lost %s: %s", argv[0], strerror(errno));
	if (n == sizeof error)
		return fail(EXIT_NO_PROGRAM, "cannot start %s: %s", argv[0], strerror(error));
	while (recorded && recorder_busy())
		usleep(LOOK_MS * 1000);
	*signal_of = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return *signal_of ? 128 + *signal_of : WEXITSTATUS(status);
}

void end_by(int number)
{
	const struct rlimit none = { 0, 0 };
	setrlimit(RLIMIT_CORE, &none); /* the program's own is there */
	signal(number, SIG_DFL);
	raise(number);
}
