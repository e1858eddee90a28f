/* Children that tests fork, while other threads of theirs are at work in the library. */
#ifndef GALENA_TESTBENCH_FORKS_H
#define GALENA_TESTBENCH_FORKS_H
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SECONDS = 60 }; /* a child that takes longer hangs */

/* In a child, which asserts nothing, as what follows a failed assertion is its parent's: the first line that fails is its status. */
#define CHILD_OK(condition)                                  \
	do {                                                 \
		if (!(condition))                            \
			_exit(1 + __LINE__ % 255);           \
	} while (0)

/* LeakSanitizer asks: what only threads of the parent's point at is no leak of a child's. */
static bool is_child;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return is_child; }

/* A child that does this and ends, through exit() or not. NULL, or what has become of it. */
static inline const char *child_fails(void (*does)(void), bool through_exit)
{
	static char text[128];
	int status = 0;
	fflush(NULL); /* not twice */
	const pid_t child = fork();
	if (!child) {
		is_child = true;
		alarm(CHILD_SECONDS);
		does();
		if (through_exit)
			exit(0);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return "there is no child";
	if (WIFSIGNALED(status))
		snprintf(text, sizeof text, "the child was ended by signal %d: %d if it hung", WTERMSIG(status), SIGALRM);
	else if (WEXITSTATUS(status))
		snprintf(text, sizeof text, "the child failed in line %d, or in that and 255, 510...", WEXITSTATUS(status) - 1);
	return status ? text : NULL;
}
#endif
