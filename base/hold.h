/* Holds a mutex until the end of the block. */
#ifndef GALENA_BASE_HOLD_H
#define GALENA_BASE_HOLD_H
#include <pthread.h>

static inline pthread_mutex_t *mutex_hold(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	return mutex;
}
static inline void mutex_drop(pthread_mutex_t *const *mutex) { pthread_mutex_unlock(*mutex); }
#define HOLDING(mutex) __attribute__((cleanup(mutex_drop), unused)) pthread_mutex_t *const held_ = mutex_hold(mutex)
#endif
