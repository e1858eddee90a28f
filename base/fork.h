/* A library over fork(). The child has the thread that forked and no other: a lock that another one held stays locked for ever, and
 * what it was about to do is never done. Objects that the child inherits are its parent's (docs/decisions.md); the library itself
 * goes on in both. So a lock that is only ever held for a moment is taken before the fork, and what it guards is whole in the child.
 * One that is held while something is waited for is made anew there instead: to wait for it could be to wait for ever. */
#ifndef GALENA_BASE_FORK_H
#define GALENA_BASE_FORK_H
#include <pthread.h>

/* What is registered first is locked last: the heap, which is called with the others held. */
enum { FORKS_HEAP = 101, FORKS_OTHERS };

/* The name of a static mutex. */
#define HELD_OVER_FORK(lock, order)                                                                                                        \
	static void lock##_hold(void) { pthread_mutex_lock(&lock); }                                                                      \
	static void lock##_let(void) { pthread_mutex_unlock(&lock); }                                                                     \
	__attribute__((constructor(order))) static void lock##_over_fork(void) { pthread_atfork(lock##_hold, lock##_let, lock##_let); }

/* Called in the child. */
#define AFTER_FORK(function) \
	__attribute__((constructor)) static void function##_after_fork(void) { pthread_atfork(NULL, NULL, function); }

#endif
