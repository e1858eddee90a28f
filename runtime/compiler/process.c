#include "runtime/compiler/process.h"
#include "compile_server/compile_server.h"
#include "base/path.h"
#include "base/spawn.h"
#include "runtime/compiler/find_clang.h"
#include <errno.h>
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
	int e = spawn_child(compiler, &actions, argv, environ, &pid);
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

/* ---- the compile server ---- */

static bool given(const char *variable)
{
	const char *text = getenv(variable);
	return text && *text;
}

/* The kit's own compilers alone: what a variable names may be a script. */
static bool server_wanted(void)
{
	const char *wanted = getenv("GALENA_COMPILE_SERVER");
	return !(wanted && !strcmp(wanted, "0")) && !given("GALENA_CLC") && !given("GALENA_CLANG");
}

/* 0, or an errno: the job has not begun, or has died in the middle. */
static int ask_and_wait(char **argv, const int *fds, size_t num_fds, int *status)
{
	static struct compile_server server = COMPILE_SERVER_INIT;
	char library[PATH_MAX], *clang = NULL;
	int running = -1;
	if (server_wanted() && kit_path(library, NULL, "libexec/galena-compiler.so") && (clang = find_clang())) {
		const struct compile_server_job job = { .program = clang, .preload = library, .argv = argv, .envp = environ, .fds = fds,
							.num_fds = (unsigned)num_fds };
		running = compile_server_ask(&server, &job);
	}
	free(clang);
	return running < 0 ? ECONNRESET : compile_server_wait(running, status);
}

int compiler_process(const char *compiler, char **argv, const int *fds, size_t num_fds, int output, int *status)
{
	if (!ask_and_wait(argv, fds, num_fds, status))
		return 0;
	if (ftruncate(output, 0))
		return errno;
	return spawn_and_wait(compiler, argv, fds, num_fds, output, status);
}
