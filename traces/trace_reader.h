/* Reads a bus trace, checking everything. */
#ifndef GALENA_TRACES_TRACE_READER_H
#define GALENA_TRACES_TRACE_READER_H
#include "traces/trace_format.h"
#include <stdbool.h>

struct trace_reader;
/* NULL with *error (one line, the thread's until its next error) when it is not a trace that this build can read. */
struct trace_reader *trace_reader_open(const char *path, const char **error);
/* 1 and a record; 0 after END; -1 with *error when the file is damaged or ends early. */
int trace_reader_next(struct trace_reader *, struct trace_record *, const char **error);
/* Whether no record follows but END. */
bool trace_reader_ends(struct trace_reader *);
/* Records read so far; how much of the file has been read, 0 to 1. */
uint64_t trace_reader_position(const struct trace_reader *);
double trace_reader_progress(const struct trace_reader *);
/* Hash of everything before END, valid once next has returned 0. */
uint64_t trace_reader_hash(const struct trace_reader *);
/* How the program ended (program_end.h), valid as the hash is. */
uint64_t trace_reader_end(const struct trace_reader *);
void trace_reader_close(struct trace_reader *);

#endif
