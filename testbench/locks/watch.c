/* Preloaded: keeps which mutexes of the kit's libraries each thread holds, and ends the program where completions may run while
 * there is one. Completions release objects, which takes locks of any library: a caller that has one would wait for itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_MAX = 64 };
static __thread struct { pthread_mutex_t *mutex; void *where; } held[HELD_MAX];
static __thread unsigned num_held;

static int (*real_lock)(pthread_mutex_t *), (*real_try)(pthread_mutex_t *), (*real_unlock)(pthread_mutex_t *);

__attribute__((constructor)) static void find(void)
{
	real_lock = (int (*)(pthread_mutex_t *))(uintptr_t)dlsym(RTLD_NEXT, "pthread_mutex_lock");
	real_try = (int (*)(pthread_mutex_t *))(uintptr_t)dlsym(RTLD_NEXT, "pthread_mutex_trylock");
	real_unlock = (int (*)(pthread_mutex_t *))(uintptr_t)dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

/* The caller is in a library of the kit's. The last answer for a page of code is kept. */
static bool of_the_kit(void *where)
{
	static __thread struct { uintptr_t page; bool kit; } known[64];
	const uintptr_t page = (uintptr_t)where >> 12;
	Dl_info info;
	if (known[page % 64].page != page) {
		known[page % 64].page = page;
		known[page % 64].kit = dladdr(where, &info) && info.dli_fname && strstr(info.dli_fname, "/libgalena-");
	}
	return known[page % 64].kit;
}

static int taken(int error, pthread_mutex_t *m, void *where)
{
	if (!error && num_held < HELD_MAX && of_the_kit(where)) {
		held[num_held].mutex = m;
		held[num_held++].where = where;
	}
	return error;
}

__attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t *m)
{
	if (!real_lock)
		find();
	return taken(real_lock(m), m, __builtin_return_address(0));
}

__attribute__((visibility("default"))) int pthread_mutex_trylock(pthread_mutex_t *m)
{
	if (!real_try)
		find();
	return taken(real_try(m), m, __builtin_return_address(0));
}

__attribute__((visibility("default"))) int pthread_mutex_unlock(pthread_mutex_t *m)
{
	for (unsigned i = num_held; i--;)
		if (held[i].mutex == m) {
			memmove(&held[i], &held[i + 1], (--num_held - i) * sizeof *held);
			break;
		}
	if (!real_unlock)
		find();
	return real_unlock(m);
}


/* of the C library, and of the driver (runtime/umd/internal.h) */
__attribute__((visibility("default"))) void galena_completions_may_run(const char *function);
void galena_completions_may_run(const char *function)
{
	static _Atomic bool said;
	Dl_info info;
	if (!said) {
		const char *to = getenv("GALENA_LOCK_WATCH");
		FILE *f = to && *to ? fopen(to, "ae") : NULL;
		said = true;
		if (f) { /* that the checker was there */
			fputs("watched\n", f);
			fclose(f);
		}
	}
	if (!num_held)
		return;
	for (unsigned i = 0; i < num_held; i++) {
		const bool known = dladdr(held[i].where, &info);
		fprintf(stderr, "lock checker: %s may run completions, and its caller holds a mutex taken at %s+0x%lx (%s)\n", function,
			known ? info.dli_fname : "?", known ? (unsigned long)((char *)held[i].where - (char *)info.dli_fbase) : 0ul,
			known && info.dli_sname ? info.dli_sname : "a static function");
	}
	abort();
}
