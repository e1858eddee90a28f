/* What a program's devices and kernels have counted (GALENA_COUNTERS); in the recorder, which makes the report when the program has
 * ended, in whatever way. */
#ifndef GALENA_TRACES_COUNTER_FILE_H
#define GALENA_TRACES_COUNTER_FILE_H
#include "traces/messages.h"

/* 0, or -1 with *error, one line. */
int counter_file_open(const struct message_device *, const char **error);
/* Of the device that was opened last under this number. */
void counter_file_totals(const struct message_counters *);
void counter_file_counted(const struct message_counted *, const char *name);
/* The program has ended, how: traces/program_end.h. */
void counter_file_end(uint64_t how);

#endif
