/* Where clang is. Internal to runtime/compiler. */
#ifndef GALENA_COMPILER_FIND_CLANG_H
#define GALENA_COMPILER_FIND_CLANG_H

/* The first of: GALENA_CLANG, the path known at build time, clang-19 and clang in PATH. malloc'ed; NULL without memory. The path
 * known at build time when there is none. */
char *find_clang(void);
/* The first program of a name in PATH, malloc'ed; NULL: there is none. */
char *find_in_path(const char *name);

#endif
