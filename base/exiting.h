/* Whether the process ends, or only the library is unloaded: both run the library's destructors. When the process ends, threads may
 * be inside the library, and nothing is taken down under them; when it is unloaded, everything is. */
#ifndef GALENA_BASE_EXITING_H
#define GALENA_BASE_EXITING_H
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

/* libstdc++'s and glibc's: calls fn(arg) at exit; with a handle that is no library's it stays registered whatever is unloaded. (NULL
 * would do, but for ThreadSanitizer, which then calls fn without arg.) */
extern int __cxa_atexit(void (*fn)(void *), void *arg, void *library);

/* What is called at exit must not be the library's own code, which may be gone by then: sem_post() on memory that is never freed
 * tells the destructors, which run after it. */
static inline sem_t *exiting_watch(void)
{
	sem_t *exits = malloc(sizeof *exits);
	if (exits) {
		sem_init(exits, 0, 0);
		__cxa_atexit((void (*)(void *))(void (*)(void))sem_post, exits, exits);
	}
	return exits;
}

static inline bool exiting_now(sem_t *exits)
{
	int count = 0;
	return exits && !sem_getvalue(exits, &count) && count;
}

#endif
