/* Starting processes from a library: what the application does with its signals and children makes no difference. */
#ifndef GALENA_BASE_SPAWN_H
#define GALENA_BASE_SPAWN_H
#include <spawn.h>
#include <stdbool.h>
#include <sys/types.h>

/* posix_spawn() with the signal mask and actions that a shell gives a program. Returns 0 or an errno. Any thread. */
int spawn_child(const char *path, const posix_spawn_file_actions_t *, char *const argv[], char *const envp[], pid_t *child);
/* The same, and the new process is not a child of the caller: no SIGCHLD, and wait(-1) does not find it. background: it runs
 * with what processors have left over (SCHED_IDLE), as far as the system has that. */
int spawn_detached(const char *path, const posix_spawn_file_actions_t *, char *const argv[], char *const envp[], bool background);

#endif
