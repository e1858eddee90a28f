/* Where a test program is, and what is around it: the build tree, BUILD/test/AREA/NAME. */
#ifndef GALENA_TESTBENCH_BUILD_TREE_H
#define GALENA_TESTBENCH_BUILD_TREE_H
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* This program's path, without the last `less` names of it; empty when the system does not say. */
static inline void program_path(char path[PATH_MAX], int less)
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = 0;
	for (char *slash; less && (slash = strrchr(path, '/')); less--)
		*slash = 0;
}

/* Points the ICD loader at the build tree (GALENA_BUILD, or the one that this program is in). Before the first CL call. */
static inline void build_tree_loader(void)
{
	char build[PATH_MAX], vendors[PATH_MAX + 32];
	const char *given = getenv("GALENA_BUILD");
	if (!given)
		program_path(build, 3);
	snprintf(vendors, sizeof vendors, "%s/etc/OpenCL/vendors", given ? given : build);
	setenv("OCL_ICD_VENDORS", vendors, 1);
}

#endif
