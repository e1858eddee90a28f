#include "compile_server/compile_server.h"
#include "compile_server/request.h"
#include "base/file.h"
#include "base/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

enum { KEEP_ABOVE = COMPILE_SERVER_FDS + 56, SERVER_END = 3 };

/* The environment of this process, with the server's variables in front. preload: NULL for none. */
static char **server_environment(char *socket, char *preload)
{
	static const char *const replaced[] = { SERVER_SOCKET "=", "LD_BIND_NOW=", "LD_PRELOAD=" };
	size_t n = 0, at = 0;
	while (environ[n])
		n++;
	char **list = calloc(n + 4, sizeof(*list));
	if (!list)
		return NULL;
	list[at++] = socket;
	list[at++] = (char *)"LD_BIND_NOW=1"; /* else each job looks up the functions that it calls */
	if (preload)
		list[at++] = preload;
	for (size_t i = 0; i < n; i++) {
		bool drop = false;
		for (size_t k = 0; k < (preload ? 3 : 2); k++)
			drop |= !strncmp(environ[i], replaced[k], strlen(replaced[k]));
		if (!drop)
			list[at++] = environ[i];
	}
	return list;
}

static int spawn_server(const char *program, const char *preload, unsigned idle, bool background, int end)
{
	char socket[64], *library = NULL, *argv[] = { (char *)program, NULL };
	const char *before = getenv("LD_PRELOAD");
	posix_spawn_file_actions_t actions;
	snprintf(socket, sizeof(socket), SERVER_SOCKET "=%d,%u", SERVER_END, idle);
	if (preload && asprintf(&library, "LD_PRELOAD=%s%s%s", preload, before ? ":" : "", before ? before : "") < 0)
		return ENOMEM;
	char **envp = server_environment(socket, library);
	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, end, SERVER_END);
	posix_spawn_file_actions_addclosefrom_np(&actions, SERVER_END + 1);
	posix_spawn_file_actions_addchdir_np(&actions, "/"); /* it keeps no file system busy */
	int e = envp ? spawn_detached(program, &actions, argv, envp, background) : ENOMEM;
	posix_spawn_file_actions_destroy(&actions);
	free(envp);
	free(library);
	return e;
}

int compile_server_start(const char *program, const char *preload, unsigned idle, bool background)
{
	int ends[2], high[2] = { -1, -1 }, e = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	for (int i = 0; i < 2; i++) { /* out of the way of the jobs' descriptors */
		high[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, KEEP_ABOVE);
		if (high[i] < 0)
			e = errno;
		close(ends[i]);
	}
	if (!e)
		e = spawn_server(program, preload, idle, background, high[1]);
	file_close(high[1]);
	if (e)
		file_close(high[0]);
	errno = e;
	return e ? -1 : high[0];
}
