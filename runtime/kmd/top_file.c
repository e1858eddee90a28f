/* Where `galena top` and those that it shows meet. */
#define _GNU_SOURCE
#include "runtime/kmd/top_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool top_directory(char *path, size_t size, bool create)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat st;
	int n = runtime && runtime[0] == '/' ? snprintf(path, size, "%s/galena", runtime)
					     : snprintf(path, size, "/tmp/galena-%u", (unsigned)getuid());
	if (n < 0 || (size_t)n >= size)
		return false;
	if (create)
		mkdir(path, 0700);
	/* in /tmp another user may have been first */
	return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == getuid() && !(st.st_mode & 022);
}

uint64_t top_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
