#include "runtime/compiler/process.h"
#include "zygote/zygote.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- a process of its own ---- */

static int spawn_and_wait(const char *compiler, char **argv, const int *fds, size_t num_fds, int output, int *status)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	posix_spawn_file_actions_init(&actions);
	for (size_t i = 0; i < num_fds; i++)
		posix_spawn_file_actions_adddup2(&actions, fds[i], (int)i);
	int e = zygote_spawn(compiler, &actions, argv, environ, &pid);
	posix_spawn_file_actions_destroy(&actions);
	if (e)
		return e;
	*status = -1;
	while (waitpid(pid, status, 0) < 0) {
		if (errno == EINTR)
			continue;
		/* The application ignores SIGCHLD, or has reaped it: the child has ended, and what it
		 * wrote tells how. */
		struct stat st;
		*status = !fstat(output, &st) && st.st_size ? 0 : 1 << 8;
		break;
	}
	return 0;
}

/* ---- the zygote ---- */

static struct zygote_keeper keeper = ZYGOTE_KEEPER;

static int ask_and_wait(int socket, char **argv, const int *fds, size_t num_fds, int *status)
{
	const struct zygote_job job = { argv, environ, fds, (unsigned)num_fds };
	int running = zygote_ask(socket, &job);
	close(socket);
	return running < 0 ? ECONNRESET : zygote_wait(running, status);
}

int compiler_process(const char *compiler, char **argv, const int *fds, size_t num_fds, int output, int *status)
{
	const char *wanted = getenv("GALENA_CLC_ZYGOTE"), *given = getenv("GALENA_CLC");
	bool possible = num_fds <= ZYGOTE_FDS && !(wanted && !strcmp(wanted, "0")) && !(given && *given);
	int socket = possible ? zygote_keep(&keeper, compiler, false) : -1;
	if (socket >= 0) {
		if (!ask_and_wait(socket, argv, fds, num_fds, status))
			return 0;
		zygote_keep(&keeper, compiler, true);
		if (ftruncate(output, 0)) /* it may have died in the middle */
			return errno;
	}
	return spawn_and_wait(compiler, argv, fds, num_fds, output, status);
}
