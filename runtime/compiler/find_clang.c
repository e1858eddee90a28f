#include "runtime/compiler/find_clang.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *find_in_path(const char *name)
{
	for (const char *p = getenv("PATH"); p && *p;) {
		int n = (int)strcspn(p, ":");
		char *file = n ? text_format("%.*s/%s", n, p, name) : NULL;
		if (file && !access(file, X_OK))
			return file;
		free(file);
		p += n + (p[n] == ':');
	}
	return NULL;
}

char *find_clang(void)
{
	const char *given = getenv("GALENA_CLANG");
	if (given && *given)
		return strdup(given);
	if (!access(CLC_CLANG, X_OK))
		return strdup(CLC_CLANG);
	char *found = find_in_path("clang-19");
	if (!found)
		found = find_in_path("clang");
	return found ? found : strdup(CLC_CLANG);
}
