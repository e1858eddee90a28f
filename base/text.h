/* Text. Threads: any. */
#ifndef GALENA_BASE_TEXT_H
#define GALENA_BASE_TEXT_H
#include <stdio.h>

/* Like sprintf, into a string that the caller frees; NULL: out of memory. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a string as JSON has it, with its quotes. A byte that is no part of a character in UTF-8 becomes a question mark. */
void text_json(FILE *f, const char *text);

#endif
