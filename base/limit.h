/* Limits of the process (setrlimit, ulimit) that the kit's own calls may exceed. Each gives an error with a name, and no signal. */
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

/* What the user can do about an errno that a limit may cause, with a blank before it; "" for any other. */
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

/* Bytes of address space that the process may have: the smaller of its limits. UINT64_MAX: there is no limit. */
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

/* A write beyond the limit of file sizes fails with EFBIG, and the kernel also sends the thread SIGXFSZ, which ends the process. Between
 * these two calls only the error happens. They restore the signals of the application, and keep errno. */
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
