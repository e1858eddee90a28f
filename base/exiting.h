/* Whether the process ends, or only the library is unloaded: both run the library's destructors. When the process ends, threads may
 * be inside the library, and nothing is taken down under them; when it is unloaded, everything is. */
#ifndef GALENA_BASE_EXITING_H
#define GALENA_BASE_EXITING_H
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

/* libstdc++'s and glibc's: calls fn(arg) at exit; without a library's handle it stays registered when that is unloaded. */
extern int __cxa_atexit(void (*fn)(void *), void *arg, void *library);

/* What is called at exit must not be the library's own code, which may be gone by then: sem_post() on memory that is never freed
 * tells the destructors, which run after it. */
static inline sem_t *exiting_watch(void)
{
	sem_t *exits = malloc(sizeof *exits);
	if (exits) {
		sem_init(exits, 0, 0);
		__cxa_atexit((void (*)(void *))(void (*)(void))sem_post, exits, NULL);
	}
	return exits;
}

static inline bool exiting_now(sem_t *exits)
{
	int count = 0;
	return exits && !sem_getvalue(exits, &count) && count;
}

#endif
