/* Writes a bus trace and hashes it. One writer a process: all devices go to one trace. */
#ifndef GALENA_TRACES_TRACE_WRITER_H
#define GALENA_TRACES_TRACE_WRITER_H
#include "traces/trace_format.h"

struct trace_writer;
/* path NULL: hash only. NULL with *error set when the file cannot be written. */
struct trace_writer *trace_writer_open(const char *path, const char **error);
void trace_writer_record(struct trace_writer *, enum trace_kind, unsigned device, uint64_t a, uint64_t b);
void trace_writer_memory(struct trace_writer *, enum trace_kind, unsigned device, uint64_t address, uint64_t length,
			 int ok, const void *data);
void trace_writer_device(struct trace_writer *, unsigned device, const char *name, const char *config,
			 unsigned speed);
/* Hash of everything so far. */
uint64_t trace_writer_hash(struct trace_writer *);
/* Writes END, with how the program ended (program_end.h), and closes. 0, or -1 with errno when the file could not be written in full. */
int trace_writer_close(struct trace_writer *, uint64_t how);

#endif
