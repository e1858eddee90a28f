/* What the driver says besides errors. */
#include "runtime/driver/internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void driver_info(const char *format, ...)
{
	const char *level = getenv("GALENA_LOG");
	char line[512];
	va_list ap;
	if (!level || (strcmp(level, "info") && strcmp(level, "debug")))
		return;
	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	fprintf(stderr, "galena: %s\n", line);
}
