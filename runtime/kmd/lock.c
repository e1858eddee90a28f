/* The lock of the driver. */
#define _GNU_SOURCE
#include "runtime/kmd/driver.h"
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { SPINS = 40 };

void worker_init(struct driver *d)
{
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, &attr);
	pthread_condattr_destroy(&attr);
	d->at_rest = true; /* what the boot has left to do comes after the first item */
}

void worker_fini(struct driver *d)
{
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
}

void driver_stay(struct driver *d)
{
	if (!d->exiting || pthread_equal(d->exit_thread, pthread_self()) || (d->running && pthread_equal(d->runner, pthread_self())))
		return;
	pthread_mutex_unlock(&d->lock);
	for (;;)
		pause();
}

void driver_lock(struct driver *d)
{
	unsigned spins = 0;
	while (spins < SPINS && pthread_mutex_trylock(&d->lock)) {
		sched_yield();
		spins++;
	}
	if (spins == SPINS)
		pthread_mutex_lock(&d->lock);
	driver_stay(d);
}

void driver_unlock(struct driver *d) { pthread_mutex_unlock(&d->lock); }

void file_lock(struct file *f)
{
	driver_lock(f->driver);
	f->driver->caller = f;
}
