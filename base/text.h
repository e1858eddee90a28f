/* Text in memory. Threads: any. */
#ifndef GALENA_BASE_TEXT_H
#define GALENA_BASE_TEXT_H

/* Like sprintf, into a string that the caller frees; NULL: out of memory. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
