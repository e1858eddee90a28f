/* Memory, strings and bytes. Nothing of LLVM. */
#include "runtime/compiler/clc/clc.h"
#include "base/file.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *p)
{
	if (!p) {
		fputs("galena-clc: error: out of memory\n", stderr);
		exit(CLC_NO_MEMORY);
	}
	return p;
}

void *clc_alloc(size_t size) { return checked(calloc(1, size ? size : 1)); }
void *clc_realloc(void *p, size_t size) { return checked(realloc(p, size ? size : 1)); }

char *clc_vformat(const char *format, va_list args)
{
	char *text = NULL;
	return checked(vasprintf(&text, format, args) < 0 ? NULL : text);
}

char *clc_format(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = clc_vformat(format, args);
	va_end(args);
	return text;
}

void *clc_load(int fd, size_t *size, off_t at)
{
	void *data = file_load(fd, size, at);
	return data || errno != ENOMEM ? data : checked(NULL);
}

void strings_take(struct strings *list, char *text)
{
	list->items = clc_realloc(list->items, (list->count + 2) * sizeof *list->items);
	list->items[list->count++] = text;
	list->items[list->count] = NULL;
}

void strings_add(struct strings *list, const char *text) { strings_take(list, checked(strdup(text))); }

void strings_free(struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct strings){ 0 };
}

void bytes_add(struct bytes *b, const void *data, size_t size)
{
	if (b->size + size > b->room) {
		b->room = (b->size + size) * 2 + 64;
		b->data = clc_realloc(b->data, b->room);
	}
	if (size)
		memcpy(b->data + b->size, data, size);
	b->size += size;
}

void bytes_text(struct bytes *b, const char *text) { bytes_add(b, text, strlen(text)); }

void bytes_vformat(struct bytes *b, const char *format, va_list args)
{
	char *text = clc_vformat(format, args);
	bytes_text(b, text);
	free(text);
}

void bytes_format(struct bytes *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	bytes_vformat(b, format, args);
	va_end(args);
}

void bytes_quoted(struct bytes *b, const char *text)
{
	bytes_text(b, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			bytes_text(b, "\\");
		bytes_add(b, text, 1);
	}
	bytes_text(b, "\"");
}

void bytes_align(struct bytes *b, size_t align)
{
	while (b->size % align)
		bytes_add(b, "", 1);
}
