/* Limits of the system that the library's own calls run into (setrlimit, ulimit): an error with a name, never a signal. */
#ifndef GALENA_BASE_LIMIT_H
#define GALENA_BASE_LIMIT_H
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

/* What to do about an errno that a limit may be the cause of, with a blank before it; "" for all others. */
static inline const char *limit_advice(int error)
{
	static const struct { int error; const char *advice; } table[] = {
		{ EMFILE, " (raise ulimit -n)" },
		{ EFBIG, " (raise ulimit -f)" },
		{ EAGAIN, " (raise ulimit -u, or the container's limit of processes)" },
		{ ENOMEM, " (raise ulimit -v and ulimit -d, or free memory)" },
		{ ENOSPC, " (free space there)" },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].error == error)
			return table[i].advice;
	return "";
}

/* Bytes of address space that the process may have at all: the smaller of its limits. UINT64_MAX: there is none. */
static inline uint64_t limit_address_space(void)
{
	uint64_t least = UINT64_MAX;
	struct rlimit limit;
	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
		least = limit.rlim_cur;
	if (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < least)
		least = limit.rlim_cur;
	return least;
}

/* A write beyond the limit of file sizes fails with EFBIG, but the kernel sends the thread SIGXFSZ, too, which ends the process. Between
 * the two calls the error is all that happens. The application's signals are as before afterwards. Keeps errno. */
struct limit_file_size { sigset_t before; bool was_pending; };

static inline void limit_file_size_hold(struct limit_file_size *l)
{
	const int error = errno;
	sigset_t signals;
	sigpending(&signals);
	l->was_pending = sigismember(&signals, SIGXFSZ) == 1;
	sigemptyset(&signals);
	sigaddset(&signals, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &signals, &l->before);
	errno = error;
}

static inline void limit_file_size_let(const struct limit_file_size *l)
{
	const int error = errno;
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGXFSZ);
	if (!l->was_pending)
		while (sigtimedwait(&signals, NULL, &(struct timespec){ 0 }) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &l->before, NULL);
	errno = error;
}

#endif
