/* Preloaded: keeps which mutexes of the kit's libraries each thread holds, and ends the program where
 * - completions may run while there is one. Completions release objects, which takes locks of any library: a caller that has one would wait
 *   for itself;
 * - two are taken in one order here and in the other order there (docs/threads.md), whether or not two threads meet. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_MAX = 64 };
static __thread struct { pthread_mutex_t *mutex; void *where; unsigned class; } held[HELD_MAX];
static __thread unsigned num_held;

static int (*real_lock)(pthread_mutex_t *), (*real_try)(pthread_mutex_t *), (*real_unlock)(pthread_mutex_t *);
static int (*real_init)(pthread_mutex_t *, const pthread_mutexattr_t *);

__attribute__((constructor)) static void find(void)
{
	real_init = (int (*)(pthread_mutex_t *, const pthread_mutexattr_t *))(uintptr_t)dlsym(RTLD_NEXT, "pthread_mutex_init");
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

static void say(const char *what, void *where)
{
	Dl_info info;
	const bool known = dladdr(where, &info);
	fprintf(stderr, "lock checker: %s at %s+0x%lx (%s)\n", what, known ? info.dli_fname : "?",
		known ? (unsigned long)((char *)where - (char *)info.dli_fbase) : 0ul, known && info.dli_sname ? info.dli_sname : "a static function");
}

/* ---- the order ----
 * Mutexes of a class are those that were initialised by one function (their objects are of one type), or one that was not. */
enum { MUTEXES = 1 << 16, CLASSES = 256 };
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER; /* what is below */
static struct { pthread_mutex_t *mutex; unsigned class; } mutexes[MUTEXES];
static void *classes[CLASSES]; /* where they were initialised, or the mutex */
static unsigned num_classes = 1;
static struct { void *outer, *inner; } after[CLASSES][CLASSES]; /* where the second class was taken below the first */

static unsigned class_of(void *origin)
{
	unsigned c = 1;
	while (c < num_classes && classes[c] != origin)
		c++;
	if (c == CLASSES) {
		fprintf(stderr, "lock checker: too many classes of locks\n");
		abort();
	}
	if (c == num_classes)
		classes[num_classes++] = origin;
	return c;
}

/* origin: NULL: what is known, or the mutex itself. */
static unsigned class_at(pthread_mutex_t *m, void *origin)
{
	size_t i = ((uintptr_t)m >> 3) * 0x9e3779b97f4a7c15u >> 48;
	for (unsigned n = 0; n < MUTEXES; n++, i = (i + 1) % MUTEXES) {
		if (mutexes[i].mutex && mutexes[i].mutex != m)
			continue;
		if (origin || !mutexes[i].mutex)
			mutexes[i].class = class_of(origin ? origin : m);
		mutexes[i].mutex = m;
		return mutexes[i].class;
	}
	fprintf(stderr, "lock checker: too many locks\n");
	abort();
}

static bool leads_to(unsigned from, unsigned to, bool *seen)
{
	if (from == to)
		return true;
	seen[from] = true;
	for (unsigned c = 1; c < num_classes; c++)
		if (after[from][c].outer && !seen[c] && leads_to(c, to, seen))
			return true;
	return false;
}

static void order_check(unsigned outer, void *outer_where, unsigned inner, void *inner_where)
{
	bool seen[CLASSES] = { false };
	if (outer == inner || after[outer][inner].outer)
		return;
	if (leads_to(inner, outer, seen)) {
		say("a lock is taken", inner_where);
		say("below one that was taken", outer_where);
		if (after[inner][outer].outer) {
			say("and the second is taken elsewhere", after[inner][outer].inner);
			say("below the first, which was taken", after[inner][outer].outer);
		} else {
			fprintf(stderr, "lock checker: and the second is taken below the first by way of others\n");
		}
		abort();
	}
	after[outer][inner].outer = outer_where;
	after[outer][inner].inner = inner_where;
}

__attribute__((visibility("default"))) int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes)
{
	void *where = __builtin_return_address(0);
	if (!real_init)
		find();
	if (of_the_kit(where)) {
		real_lock(&order);
		class_at(m, where);
		real_unlock(&order);
	}
	return real_init(m, attributes);
}

static int taken(int error, pthread_mutex_t *m, void *where)
{
	if (error || num_held == HELD_MAX || !of_the_kit(where))
		return error;
	real_lock(&order);
	const unsigned class = class_at(m, NULL);
	for (unsigned i = 0; i < num_held; i++)
		order_check(held[i].class, held[i].where, class, where);
	real_unlock(&order);
	held[num_held].mutex = m;
	held[num_held].class = class;
	held[num_held++].where = where;
	return 0;
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
	fprintf(stderr, "lock checker: %s may run completions, and its caller holds a mutex\n", function);
	for (unsigned i = 0; i < num_held; i++)
		say("which was taken", held[i].where);
	abort();
}
