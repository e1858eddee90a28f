/* What /proc says of processes. Threads: any. */
#ifndef GALENA_BASE_PROCESS_H
#define GALENA_BASE_PROCESS_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What the file of this name in /proc/PID says, as a string; its length. 0: there is no such process, or the file says nothing. */
size_t process_text(pid_t pid, const char *name, char *text, size_t size);

struct process_stat {
	char state;          /* R, S, D, Z, X... */
	unsigned long flags; /* PF_ of the kernel */
	int status;          /* of waitpid(), if the process has ended and the caller may know it; otherwise 0 */
};
/* False: there is no such process. */
bool process_stat(pid_t pid, struct process_stat *s);

#endif
