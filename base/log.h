/* The log: lines on standard error, as many as GALENA_LOG asks for (none, error, info, debug; error without it). Threads: any. */
#ifndef GALENA_BASE_LOG_H
#define GALENA_BASE_LOG_H
#include <stdbool.h>

/* LOG_ALWAYS: what the user has asked for, with GALENA_LOG=none, too. */
enum log_level { LOG_ALWAYS, LOG_ERROR, LOG_INFO, LOG_DEBUG };

/* One line, "galena: " and the text. */
void log_write(enum log_level, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool log_enabled(enum log_level);

#endif
