#include "runtime/compiler/find_clang.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *find_clang(void)
{
	static const char *const names[] = { "clang-19", "clang" };
	const char *given = getenv("GALENA_CLANG"), *path = getenv("PATH");
	if (given && *given)
		return strdup(given);
	if (!access(CLC_CLANG, X_OK))
		return strdup(CLC_CLANG);
	for (size_t i = 0; path && i < sizeof names / sizeof *names; i++) {
		for (const char *p = path; *p;) {
			int n = (int)strcspn(p, ":");
			char *file;
			if (asprintf(&file, "%.*s/%s", n, p, names[i]) < 0)
				return NULL;
			if (n && !access(file, X_OK))
				return file;
			free(file);
			p += n + (p[n] == ':');
		}
	}
	return strdup(CLC_CLANG);
}
