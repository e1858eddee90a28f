/* A library across fork(). The child has only the thread that forked. A lock that another thread held stays locked in it for ever, and the
 * work of that thread is never done. Objects that the child inherits belong to its parent (docs/decisions.md); the library itself works in
 * both. A lock that is only held for a moment is taken before the fork, so that what it guards is whole in the child. A lock that is held
 * during a wait is initialised anew in the child instead, because to take it before the fork could take for ever. */
#ifndef GALENA_BASE_FORK_H
#define GALENA_BASE_FORK_H
#include <pthread.h>

/* The lock that is registered first is taken last: that of the heap, which is called with the others held. */
enum { FORKS_HEAP = 101, FORKS_OTHERS };

/* lock: the name of a static mutex. */
#define HELD_OVER_FORK(lock, order)                                                                                                        \
	static void lock##_hold(void) { pthread_mutex_lock(&lock); }                                                                      \
	static void lock##_let(void) { pthread_mutex_unlock(&lock); }                                                                     \
	__attribute__((constructor(order))) static void lock##_over_fork(void) { pthread_atfork(lock##_hold, lock##_let, lock##_let); }

/* Calls the function in the child. */
#define AFTER_FORK(function) \
	__attribute__((constructor)) static void function##_after_fork(void) { pthread_atfork(NULL, NULL, function); }

#endif
