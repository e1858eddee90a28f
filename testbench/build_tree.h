/* Where a test program is, and what is around it: the build tree, BUILD/test/AREA/NAME. */
#ifndef GALENA_TESTBENCH_BUILD_TREE_H
#define GALENA_TESTBENCH_BUILD_TREE_H
#include "base/path.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
