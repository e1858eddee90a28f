/* Environment variables that ask for something: neither empty nor 0. Threads: any, while none changes the environment. */
#ifndef GALENA_BASE_SETTING_H
#define GALENA_BASE_SETTING_H
#include <stdlib.h>
#include <string.h>

/* The value; NULL: it does not ask. */
static inline const char *setting(const char *variable)
{
	const char *s = getenv(variable);
	return s && *s && strcmp(s, "0") ? s : NULL;
}

#endif
