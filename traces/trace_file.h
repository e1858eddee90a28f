/* The trace of a program, in its recorder: GALENA_TRACE, GALENA_HASH. All devices share it; it is complete when the last of them is
 * closed, or when the program has ended. One thread. */
#ifndef GALENA_TRACES_TRACE_FILE_H
#define GALENA_TRACES_TRACE_FILE_H
#include "traces/messages.h"

/* 0, or -1 with *error, one line. */
int trace_file_open(const struct message_device *, const char **error);
/* Nothing happens unless a trace is open. */
void trace_file_record(const struct message_record *);
void trace_file_memory(const struct message_memory *, const void *data);
void trace_file_close(unsigned device);
/* The program has ended, how: program_end.h. */
void trace_file_end(uint64_t how);

#endif
