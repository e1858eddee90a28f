/* Where this program's file is. */
#ifndef GALENA_BASE_PATH_H
#define GALENA_BASE_PATH_H
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The file's path without the last `less` names of it; empty when the system does not say. Without /proc it is the path that the
 * program was started by. */
static inline void program_path(char path[PATH_MAX], int less)
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	const char *started = (const char *)getauxval(AT_EXECFN);
	path[n > 0 ? n : 0] = 0;
	if (n <= 0 && (!started || !realpath(started, path)))
		path[0] = 0;
	for (char *slash; less && (slash = strrchr(path, '/')); less--)
		*slash = 0;
}

#endif
