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

/* Bytes of the character; 0: it is none. */
static unsigned utf8_bytes(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	const unsigned bytes = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
	for (unsigned i = 1; i < bytes; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* a longer form than it needs, a half of a pair, beyond the last character */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
		return 0;
	return bytes;
}

void text_json(FILE *f, const char *text)
{
	putc('"', f);
	for (unsigned bytes; *text; text += bytes ? bytes : 1) {
		bytes = utf8_bytes(text);
		if (!bytes)
			putc('?', f);
		else if ((unsigned char)*text < 0x20)
			fprintf(f, "\\u%04x", *text);
		else
			fprintf(f, *text == '"' || *text == '\\' ? "\\%.*s" : "%.*s", (int)bytes, text);
	}
	putc('"', f);
}
