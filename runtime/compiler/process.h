/* galena-clc as a process. Internal to runtime/compiler. */
#ifndef GALENA_COMPILER_PROCESS_H
#define GALENA_COMPILER_PROCESS_H
#include <stddef.h>

/* Runs the compiler to its end; fds become its descriptors from 0 on. output: what it writes its result to, empty before.
 * Returns 0 with *status as of wait(), or an errno. Any thread.
 *
 * The first run is a process of its own. Whoever builds again will build more: from then on a zygote (zygote/zygote.h) has
 * the compiler loaded, until the application ends, or has built nothing for a minute. Never with
 * GALENA_CLC_ZYGOTE=0, or for a compiler that is not the kit's own (GALENA_CLC). */
int compiler_process(const char *compiler, char **argv, const int *fds, size_t num_fds, int output, int *status);

#endif
