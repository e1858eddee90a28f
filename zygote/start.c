/* Starting processes that are nobody's children, and zygotes among them. */
#include "zygote/zygote.h"
#include "zygote/request.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { STACK_BYTES = 64 << 10, KEEP_ABOVE = ZYGOTE_FDS + 56, ZYGOTE_END = 3 };

/* What is to be started, for the process between. */
struct start {
	const char *path;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv, *const *envp;
	bool background;
	int error;
};

static int start(void *arg)
{
	struct start *a = arg;
	pid_t pid;
	a->error = posix_spawn(&pid, a->path, a->actions, a->attributes, a->argv, a->envp);
	/* now, not before: until it is loaded the caller stands still */
	if (!a->error && a->background)
		sched_setscheduler(pid, SCHED_IDLE, &(struct sched_param){ 0 });
	return 0;
}

/* A child of one that ends at once, and that one is a child without a signal, which only we wait for. It runs in our memory, on a
 * stack of its own, while we stand still (vfork). */
static int start_as_nobodys(struct start *a)
{
	sigset_t all, before;
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of the application runs there */
	pid_t pid = clone(start, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, a);
	int e = pid < 0 ? errno : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	munmap(stack, STACK_BYTES);
	return e ? e : a->error;
}

static int spawn_clean(struct start *a, pid_t *child)
{
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	sigfillset(&defaults);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	a->attributes = &attributes;
	int e = child ? posix_spawn(child, a->path, a->actions, &attributes, a->argv, a->envp) : start_as_nobodys(a);
	posix_spawnattr_destroy(&attributes);
	return e;
}

int zygote_spawn(const char *path, const posix_spawn_file_actions_t *actions, char *const argv[], char *const envp[], pid_t *child)
{
	struct start a = { .path = path, .actions = actions, .argv = argv, .envp = envp };
	return spawn_clean(&a, child);
}

int zygote_spawn_background(const char *path, const posix_spawn_file_actions_t *actions, char *const argv[], char *const envp[])
{
	struct start a = { .path = path, .actions = actions, .argv = argv, .envp = envp, .background = true };
	return spawn_clean(&a, NULL);
}

/* A variable of ours before those of the process. */
static const char *const hidden[] = { ZYGOTE_SOCKET "=", "LD_PRELOAD=", "LD_BIND_NOW=" };

static char **variables(char *socket, char *preload, bool preloads)
{
	size_t n = 0, at = 0;
	while (environ[n])
		n++;
	char **list = calloc(n + 4, sizeof(*list));
	if (!list)
		return NULL;
	list[at++] = socket;
	list[at++] = (char *)"LD_BIND_NOW=1"; /* else each job looks up for itself what it calls */
	if (preloads)
		list[at++] = preload;
	for (size_t i = 0; i < n; i++) {
		bool ours = false;
		for (size_t k = 0; k < sizeof(hidden) / sizeof(*hidden); k++)
			ours |= !strncmp(environ[i], hidden[k], strlen(hidden[k])) && (k != 1 || preloads);
		if (!ours)
			list[at++] = environ[i];
	}
	return list;
}

static int spawn(const char *program, const char *preload, unsigned idle, int theirs, bool background)
{
	char socket[64], *library = NULL, *argv[] = { (char *)program, NULL };
	const char *before = getenv("LD_PRELOAD");
	posix_spawn_file_actions_t actions;
	snprintf(socket, sizeof(socket), ZYGOTE_SOCKET "=%d,%u", ZYGOTE_END, idle);
	if (preload) {
		size_t room = strlen(preload) + (before ? strlen(before) : 0) + 16;
		library = malloc(room);
		if (!library)
			return ENOMEM;
		snprintf(library, room, "LD_PRELOAD=%s%s%s", preload, before ? ":" : "", before ? before : "");
	}
	char **envp = variables(socket, library, preload != NULL);
	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, theirs, ZYGOTE_END);
	posix_spawn_file_actions_addclosefrom_np(&actions, ZYGOTE_END + 1);
	posix_spawn_file_actions_addchdir_np(&actions, "/"); /* it holds no file system */
	struct start a = { .path = program, .actions = &actions, .argv = argv, .envp = envp, .background = background };
	int e = envp ? spawn_clean(&a, NULL) : ENOMEM;
	posix_spawn_file_actions_destroy(&actions);
	free(envp);
	free(library);
	return e;
}

static int start_zygote(const char *program, const char *preload, unsigned idle, bool background)
{
	int ends[2], high[2] = { -1, -1 }, e = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	for (int i = 0; i < 2; i++) { /* out of the way of jobs' descriptors */
		high[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, KEEP_ABOVE);
		if (high[i] < 0)
			e = errno;
		close(ends[i]);
	}
	if (!e)
		e = spawn(program, preload, idle, high[1], background);
	if (high[1] >= 0)
		close(high[1]);
	if (e && high[0] >= 0)
		close(high[0]);
	errno = e;
	return e ? -1 : high[0];
}

int zygote_start(const char *program, const char *preload, unsigned idle) { return start_zygote(program, preload, idle, false); }
int zygote_start_background(const char *program, unsigned idle) { return start_zygote(program, NULL, idle, true); }
