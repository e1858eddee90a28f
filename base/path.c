#define _GNU_SOURCE /* dladdr1 */
#include "base/path.h"
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Removes the path's last names. False: it has not as many. */
static bool names_remove(char *path, int count)
{
	for (char *slash; count && (slash = strrchr(path, '/')); count--)
		*slash = 0;
	return !count;
}

void program_path(char path[PATH_MAX], int less)
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	const char *started = (const char *)getauxval(AT_EXECFN);
	path[n > 0 ? n : 0] = 0;
	if (n <= 0 && (!started || !realpath(started, path)))
		path[0] = 0;
	names_remove(path, less);
}

/* The file of the library that this code is linked into, or of the program. */
static void own_path(char path[PATH_MAX])
{
	Dl_info info;
	struct link_map *map = NULL;
	if (!dladdr1((void *)(uintptr_t)kit_path, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !*map->l_name ||
	    !realpath(map->l_name, path)) /* a program has no name there */
		program_path(path, 0);
}

static bool format_path(char path[PATH_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool format_path(char path[PATH_MAX], const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const int n = vsnprintf(path, PATH_MAX, format, args);
	va_end(args);
	return n > 0 && n < PATH_MAX;
}

bool kit_path(char path[PATH_MAX], const char *variable, const char *file)
{
	enum { LEAST = 2, MOST = 4 }; /* names between the tree and the file: lib/libgalena-opencl.so, build/test/model/cp */
	char tree[PATH_MAX];
	const char *given = variable ? getenv(variable) : NULL;
	if (given && *given)
		return format_path(path, "%s", given);
	own_path(tree);
	for (int up = LEAST; up <= MOST && names_remove(tree, up == LEAST ? LEAST : 1); up++)
		if (format_path(path, "%s/%s", tree, file) && !access(path, F_OK))
			return true;
	own_path(tree);
	if (!names_remove(tree, LEAST) || !format_path(path, "%s/%s", tree, file))
		path[0] = 0;
	return false;
}

bool cache_path(char path[PATH_MAX])
{
	static const struct { const char *variable, *below; } places[] = {
		{ "GALENA_CACHE_DIR", "" }, { "XDG_CACHE_HOME", "/galena" }, { "HOME", "/.cache/galena" },
	};
	const char *off = getenv("GALENA_CACHE"), *given;
	if (off && !strcmp(off, "0"))
		return false;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if ((given = getenv(places[i].variable)) && *given)
			return format_path(path, "%s%s", given, places[i].below);
	return false;
}
