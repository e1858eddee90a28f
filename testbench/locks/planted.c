/* A library (libgalena-planted.so, below another name) that waits for a device with a lock of its own held, or takes two locks in either order. */
#include "testbench/driver/common.h"
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static int wait_with_a_lock(void)
{
	const char *error = NULL;
	struct umd *d = umd_open(&error);
	if (!d)
		return 1;
	pthread_mutex_lock(&lock);
	umd_sync(d);
	pthread_mutex_unlock(&lock);
	umd_close(d);
	return 0;
}

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

__attribute__((visibility("default"))) int planted_main(const char *what);
int planted_main(const char *what)
{
	if (strcmp(what, "order"))
		return wait_with_a_lock();
	take(&lock, &other);
	take(&other, &lock);
	return 0;
}
