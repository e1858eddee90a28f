/* A library (libgalena-planted.so, below another name) that waits for a device with a lock of its own held. */
#include "testbench/driver/common.h"
#include <pthread.h>

void planted_wait(struct umd *);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((visibility("default"))) void planted_wait(struct umd *d)
{
	pthread_mutex_lock(&lock);
	umd_sync(d);
	pthread_mutex_unlock(&lock);
}

__attribute__((visibility("default"))) int planted_main(void);
int planted_main(void)
{
	const char *error = NULL;
	struct umd *d = umd_open(&error);
	if (!d)
		return 1;
	planted_wait(d);
	umd_close(d);
	return 0;
}
