/* Bounds of a build. Whatever a program is, its build ends: processor time and memory of this process and of clang,
 * each for itself, are limited, and so is the source. What goes beyond is an error of the build. */
#include "runtime/compiler/clc/clc.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS = 120, MEMORY_MIB = 4096, SOURCE_BYTES = 8 << 20 };

static const int signals[] = { SIGXCPU, SIGABRT, SIGSEGV, SIGBUS };
static char out_of_time[200];

static void say(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));
	(void)n;
	_exit(CLC_FAILED);
}

static void on_signal(int number)
{
	/* where LLVM stood no longer matters: nothing of it is used from here on */
	if (number == SIGXCPU)
		say(out_of_time);
	if (number == SIGABRT)
		say("galena-clc: error: the program needs more memory than a build has (GALENA_CLC_MEMORY, MiB), or the compiler has a fault\n");
	say("galena-clc: error: the program is too large or nested too deep for the compiler, or the compiler has a fault\n");
}

static unsigned long number_of(const char *variable, unsigned long otherwise)
{
	const char *text = getenv(variable);
	unsigned long n = text ? strtoul(text, NULL, 0) : 0;
	return n ? n : otherwise;
}

static void limit(int what, rlim_t soft, rlim_t hard)
{
	struct rlimit now;
	if (getrlimit(what, &now))
		return;
	if (now.rlim_max != RLIM_INFINITY) { /* our parent allows less */
		soft = soft < now.rlim_max ? soft : now.rlim_max;
		hard = hard < now.rlim_max ? hard : now.rlim_max;
	}
	setrlimit(what, &(struct rlimit){ soft, hard });
}

void limits_start(void)
{
	static char stack[65536];
	const unsigned long seconds = number_of("GALENA_CLC_SECONDS", SECONDS);
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	snprintf(out_of_time, sizeof out_of_time,
		 "galena-clc: error: the program takes more than %lu s of processor time to compile (GALENA_CLC_SECONDS)\n", seconds);
	sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof stack }, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	/* for clang, too: to write what is larger than a file may be is an error, not the end */
	sigset_t size;
	sigemptyset(&size);
	sigaddset(&size, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &size, NULL);
	limit(RLIMIT_CPU, seconds, seconds + 5);
	limit(RLIMIT_CORE, 0, 0);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* their shadow is larger than any limit */
	const rlim_t memory = (rlim_t)number_of("GALENA_CLC_MEMORY", MEMORY_MIB) << 20;
	limit(RLIMIT_AS, memory, memory);
#endif
}

void limits_forget(void)
{
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
}

bool limits_source(size_t size)
{
	if (size <= SOURCE_BYTES)
		return true;
	clc_error("the source has %zu bytes: at most %d are compiled", size, SOURCE_BYTES);
	return false;
}

enum clc_exit limits_clang(int number)
{
	if (number == SIGXCPU || number == SIGKILL)
		clc_error("the program takes clang more than %lu s of processor time (GALENA_CLC_SECONDS)",
			  number_of("GALENA_CLC_SECONDS", SECONDS));
	else
		clc_error("clang ended by signal %d (%s): the program is nested too deep, or needs more memory than a build has "
			  "(GALENA_CLC_MEMORY, MiB), or clang has a fault", number, strsignal(number));
	return CLC_FAILED;
}

bool limits_file_full(int fd)
{
	struct rlimit size;
	struct stat st;
	return !getrlimit(RLIMIT_FSIZE, &size) && !fstat(fd, &st) && (rlim_t)st.st_size >= size.rlim_cur;
}
