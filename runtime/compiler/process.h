/* galena-clc as a process. Internal to runtime/compiler. */
#ifndef GALENA_COMPILER_PROCESS_H
#define GALENA_COMPILER_PROCESS_H
#include <stddef.h>

/* Runs the compiler to its end; fds become its descriptors from 0 on. output: what it writes its result to, empty before.
 * Returns 0 with *status as of wait(), or an errno. Any thread.
 *
 * The compile server (compile_server/compile_server.h) runs it. The compiler is a process of its own with GALENA_COMPILE_SERVER=0,
 * when a variable names the compiler or clang (GALENA_CLC, GALENA_CLANG), and when the server fails. */
int compiler_process(const char *compiler, char **argv, const int *fds, size_t num_fds, int output, int *status);

#endif
