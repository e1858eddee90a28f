/* pthread_cancel(): the library's waits and its work are no cancellation points. A thread that is cancelled inside a call
 * finishes the call, gives back the locks that it holds, and ends at the application's next cancellation point. */
#ifndef GALENA_BASE_CANCEL_H
#define GALENA_BASE_CANCEL_H
#include <pthread.h>

static inline int cancel_disable(void)
{
	int before;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void cancel_restore(const int *before) { pthread_setcancelstate(*before, NULL); }

/* Until the end of the block. */
#define NOT_CANCELLED __attribute__((cleanup(cancel_restore))) const int not_cancelled_before = cancel_disable()

#endif
