#define _GNU_SOURCE /* vasprintf */
#include "base/text.h"
#include <stdarg.h>
#include <stdio.h>

char *text_format(const char *format, ...)
{
	va_list args;
	char *text;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}
