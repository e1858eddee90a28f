#include "traces/trace_file.h"
#include "base/log.h"
#include "base/setting.h"
#include "traces/output_name.h"
#include "traces/program_end.h"
#include "traces/trace_writer.h"
#include "base/limit.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct trace_writer *writer;
static unsigned devices;
static const char *path, *hash_path; /* NULL: none */

static void finish(uint64_t how)
{
	if (!writer)
		return;
	if (setting("GALENA_HASH")) {
		FILE *f = hash_path ? fopen(hash_path, "we") : stderr;
		if (f)
			fprintf(f, "bus hash %016llx\n", (unsigned long long)trace_writer_hash(writer));
		else
			log_write(LOG_ALWAYS, "cannot write %s: %s", hash_path, strerror(errno));
		if (f && f != stderr)
			fclose(f);
	}
	if (trace_writer_close(writer, how))
		log_write(LOG_ALWAYS, "the trace %s is not complete: %s%s", path, strerror(errno), limit_advice(errno));
	writer = NULL;
}

/* The files that are asked for. */
static bool files_claim(const char **error)
{
	const char *trace = setting("GALENA_TRACE"), *hash = setting("GALENA_HASH");
	if (hash && !strcmp(hash, "1"))
		hash = NULL;
	return (!trace || (path = output_name(trace, error))) && (!hash || (hash_path = output_name(hash, error)));
}

int trace_file_open(const struct message_device *d, const char **error)
{
	if (!devices && !writer && files_claim(error))
		writer = trace_writer_open(path, error);
	if (!writer)
		return -1;
	devices++;
	trace_writer_device(writer, d->index, d->name, d->config, d->speed);
	return 0;
}

void trace_file_record(const struct message_record *m)
{
	if (writer)
		trace_writer_record(writer, m->kind, m->device, m->a, m->b);
}

void trace_file_memory(const struct message_memory *m, const void *data)
{
	if (writer)
		trace_writer_memory(writer, m->kind, m->device, m->address, m->length, (int)m->ok, data);
}

void trace_file_close(unsigned device)
{
	(void)device;
	if (devices && --devices == 0)
		finish(program_end(PROGRAM_DONE, 0));
}

void trace_file_end(uint64_t how)
{
	finish(how);
	devices = 0;
}
