/* Where the files of this program and of the kit are. Threads: any. */
#ifndef GALENA_BASE_PATH_H
#define GALENA_BASE_PATH_H
#include <limits.h>
#include <stdbool.h>

/* The path of this program's file without its last `less` names; empty when the system does not tell it. Without /proc it is the path
 * by which the program was started. */
void program_path(char path[PATH_MAX], int less);

/* The path of a file of the kit, as "share/galena/firmware.elf". The environment variable gives it, if there is one (NULL: none) and it
 * is not empty. Otherwise the file is in the tree around the library or program that this code is linked into: one directory up where
 * the kit is installed, up to three in a build tree. False: no such file is there, and the path is where an installed kit would have it
 * (empty if this code's own file is unknown). A path that the environment gives is not checked. */
bool kit_path(char path[PATH_MAX], const char *variable, const char *file);

/* The directory of the build cache, which may not exist yet: GALENA_CACHE_DIR, or galena/ in the user's directory of caches. False:
 * GALENA_CACHE=0 turns the cache off, or there is no such directory. */
bool cache_path(char path[PATH_MAX]);

#endif
