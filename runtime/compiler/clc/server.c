/* galena-clc in the compile server (libexec/galena-compiler.so). LD_PRELOAD puts it into clang, between the C library and clang's
 * main(), so that one process has both compilers and LLVM loaded. Each job is galena-clc; it forks again for the front end. */
#include "compile_server/compile_server.h"
#include "runtime/compiler/clc/clc.h"
#include <dlfcn.h>
#include <stdlib.h>

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

__attribute__((visibility("default"))) start_function __libc_start_main;

static main_function *clang;

static int serve_or_run(int argc, char **argv, char **envp)
{
	int socket = compile_server_socket();
	if (socket < 0)
		return clang(argc, argv, envp);
	frontend_loaded(clang);
	backend_prepare();
	compile_server_serve(socket, clc_main);
}

int __libc_start_main(main_function *run, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end)
{
	start_function *next = (start_function *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
	clang = run;
	if (!next)
		abort();
	return next(serve_or_run, argc, argv, init, fini, rtld_fini, stack_end);
}
