/* What the driver says besides errors. */
#include "runtime/kmd/observe.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void line_write(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
static void line_write(const char *format, va_list args)
{
	char line[512];
	vsnprintf(line, sizeof line, format, args);
	fprintf(stderr, "galena: %s\n", line);
}

void driver_info(const char *format, ...)
{
	const char *level = getenv("GALENA_LOG");
	va_list ap;
	if (!level || (strcmp(level, "info") && strcmp(level, "debug")))
		return;
	va_start(ap, format);
	line_write(format, ap);
	va_end(ap);
}

void driver_warn(const char *format, ...)
{
	const char *level = getenv("GALENA_LOG");
	va_list ap;
	if (level && !strcmp(level, "none"))
		return;
	va_start(ap, format);
	line_write(format, ap);
	va_end(ap);
}
