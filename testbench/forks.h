/* Children that tests fork, while other threads of theirs are at work in the library. */
#ifndef GALENA_TESTBENCH_FORKS_H
#define GALENA_TESTBENCH_FORKS_H
#include "testbench/skip.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
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

/* A child that does this and ends, through exit() or not. NULL, or what has become of it. */
static inline const char *child_fails(void (*does)(void), bool through_exit)
{
	static char text[128];
	int status = 0;
	fflush(NULL); /* not twice */
	const pid_t child = fork();
	if (!child) {
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

/* ---- the parent's threads, which go on until they shall stop, and count their rounds and what was wrong in these ---- */
enum { BUSY = 3 };
static atomic_bool stop;
static atomic_uint rounds, wrong;

/* So many children, each after some more has been done in the parent, which is right all the while. */
static inline void children(void *(*const busy[BUSY])(void *), unsigned count, void (*does)(void), bool through_exit)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	SKIP("the sanitizer's own locks are not held over a fork: its heap is not whole in the child of a process with threads");
#endif
	pthread_t threads[BUSY];
	const char *failed = NULL;
	stop = false;
	rounds = wrong = 0;
	for (unsigned i = 0; i < BUSY; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, busy[i], NULL), 0);
	for (unsigned i = 0; i < count && !failed; i++) {
		const unsigned before = rounds;
		while (rounds - before < 3)
			usleep(100 * (i % 8));
		failed = child_fails(does, through_exit);
	}
	stop = true;
	for (unsigned i = 0; i < BUSY; i++)
		pthread_join(threads[i], NULL);
	if (failed)
		fail_msg("%s", failed);
	assert_int_equal(wrong, 0);
}
#endif
