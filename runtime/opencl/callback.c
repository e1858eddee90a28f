/* One thread that runs the application's callbacks, in order: they may take as long as they like
 * and call whatever the specification allows, and hold up neither the device nor a waiting thread. */
#include "runtime/kmd/profile.h"
#include "runtime/opencl/objects.h"
#include <stdlib.h>

struct item {
	struct item *next;
	void (*fn)(void *);
	void *arg;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static struct item *first, **last = &first;
static bool started, stopped; /* lock */

static void *callback_thread(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!first || stopped)
			pthread_cond_wait(&posted, &lock);
		struct item *item = first;
		first = item->next;
		if (!first)
			last = &first;
		pthread_mutex_unlock(&lock);
		{
			PHASE_HERE(CALLBACK);
			item->fn(item->arg);
		}
		free(item);
	}
	return NULL;
}

void callback_post(void (*fn)(void *), void *arg)
{
	struct item *item = malloc(sizeof *item);
	if (!item) { /* late is worse than on the wrong thread */
		fn(arg);
		return;
	}
	*item = (struct item){.fn = fn, .arg = arg};
	HOLDING(&lock);
	if (!started) {
		pthread_t thread;
		started = !pthread_create(&thread, NULL, callback_thread, NULL);
		if (started)
			pthread_detach(thread);
		else
			log_write(LOG_ERROR, "cannot start the thread that runs callbacks; they wait for one");
	}
	*last = item;
	last = &item->next;
	pthread_cond_signal(&posted);
}

void callback_stop(void)
{
	HOLDING(&lock);
	stopped = true;
}

void callback_forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	posted = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	first = NULL;
	last = &first;
	started = stopped = false;
}

_Thread_local unsigned callback_deferred;

void callback_run(void (*fn)(void *), void *arg)
{
	if (callback_deferred)
		callback_post(fn, arg);
	else
		fn(arg);
}
