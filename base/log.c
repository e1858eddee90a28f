#include "base/log.h"
#include "base/cancel.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool log_enabled(enum log_level level)
{
	static const char *const names[] = { [LOG_ALWAYS] = "none", [LOG_ERROR] = "error", [LOG_INFO] = "info", [LOG_DEBUG] = "debug" };
	const char *given = getenv("GALENA_LOG");
	enum log_level most = LOG_ERROR;
	for (unsigned i = 0; given && i < sizeof names / sizeof *names; i++)
		if (!strcmp(given, names[i]))
			most = i;
	return level <= most;
}

void log_write(enum log_level level, const char *format, ...)
{
	NOT_CANCELLED;
	if (!log_enabled(level))
		return;
	char part[1024], *line = part; /* most lines need no memory; without memory a long one is cut */
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	const int length = vsnprintf(part, sizeof part, format, args);
	if (length >= (int)sizeof part && (line = malloc((size_t)length + 1)))
		vsnprintf(line, (size_t)length + 1, format, again);
	fprintf(stderr, "galena: %s\n", line ? line : part);
	if (line != part)
		free(line);
	va_end(again);
	va_end(args);
}
