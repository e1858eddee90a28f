#define _GNU_SOURCE /* clone */
#include "base/spawn.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { STACK_BYTES = 64 << 10 };

/* The process to start, for the process between. */
struct start {
	const char *path;
	const posix_spawn_file_actions_t *actions;
	char *const *argv, *const *envp;
	bool background;
	int error;
};

static int spawn(const struct start *a, pid_t *child)
{
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	sigfillset(&defaults);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int e = posix_spawn(child, a->path, a->actions, &attributes, a->argv, a->envp);
	posix_spawnattr_destroy(&attributes);
	return e;
}

int spawn_child(const char *path, const posix_spawn_file_actions_t *actions, char *const argv[], char *const envp[], pid_t *child)
{
	return spawn(&(struct start){ .path = path, .actions = actions, .argv = argv, .envp = envp }, child);
}

static int between(void *arg)
{
	struct start *a = arg;
	pid_t pid;
	a->error = spawn(a, &pid);
	/* now, not before: the caller stands still until the program is loaded */
	if (!a->error && a->background)
		sched_setscheduler(pid, SCHED_IDLE, &(struct sched_param){ 0 });
	return 0;
}

/* The new process is a child of one that ends at once, and that one is a child without a signal, for which only __WCLONE waits. It
 * runs in the caller's memory, on a stack of its own, while the caller stands still (vfork). */
int spawn_detached(const char *path, const posix_spawn_file_actions_t *actions, char *const argv[], char *const envp[], bool background)
{
	struct start a = { .path = path, .actions = actions, .argv = argv, .envp = envp, .background = background };
	sigset_t all, before;
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of the application runs there */
	pid_t pid = clone(between, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, &a);
	int e = pid < 0 ? errno : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	munmap(stack, STACK_BYTES);
	return e ? e : a.error;
}
