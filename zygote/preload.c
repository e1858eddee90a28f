/* Makes a zygote of any program: loaded by LD_PRELOAD, it stands between the C library and the program's main(), which
 * begins when everything is loaded and constructed. A process that is to be no zygote runs as ever. */
#include "zygote/zygote.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

__attribute__((visibility("default"))) start_function __libc_start_main;

static main_function *program;

static int serve_or_run(int argc, char **argv, char **envp)
{
	int socket = zygote_socket();
	if (socket >= 0)
		zygote_serve(socket, program);
	return program(argc, argv, envp);
}

int __libc_start_main(main_function *run, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end)
{
	start_function *next = (start_function *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
	program = run;
	if (!next)
		abort();
	return next(serve_or_run, argc, argv, init, fini, rtld_fini, stack_end);
}
