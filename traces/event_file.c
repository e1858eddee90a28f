/* The sink that writes events to a file. */
#include "traces/event_file.h"
#include "base/log.h"
#include "traces/output_name.h"
#include "traces/program_end.h"
#include "base/limit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct file_sink {
	struct event_sink sink;
	unsigned device;
};

/* The program's one file. */
static struct {
	struct event_writer *writer; /* NULL once the program has ended */
	const char *path;
	unsigned devices;
} file;

static void file_finish(uint64_t how)
{
	if (file.writer && event_writer_close(file.writer, how))
		log_write(LOG_ALWAYS, "the event file %s is not complete: %s%s", file.path, strerror(errno), limit_advice(errno));
	file.writer = NULL;
	file.path = NULL;
}

void event_file_end(uint64_t how) { file_finish(how); }

static void file_event(struct event_sink *sink, const struct event *e)
{
	if (file.writer)
		event_writer_event(file.writer, ((struct file_sink *)sink)->device, e);
}

struct event_sink *event_file_open(const char *path, const struct bus_params *params, const char **error)
{
	struct file_sink *s = calloc(1, sizeof *s);
	*error = "the event file: out of memory";
	if (!s)
		return NULL;
	*s = (struct file_sink){ { .event = file_event }, params->index };
	if (!file.devices)
		file.path = output_name(path, error);
	if (!file.devices && file.path)
		file.writer = event_writer_open(file.path, error);
	if (params->index >= EVENT_FILE_DEVICES)
		*error = "the event file: no device has a number above 15";
	else if (file.writer) {
		file.devices++;
		event_writer_device(file.writer, s->device, params->device, params->config, params->speed);
		return &s->sink;
	}
	if (!file.devices)
		file_finish(program_end(PROGRAM_DONE, 0));
	free(s);
	return NULL;
}

void event_file_close(struct event_sink *sink)
{
	if (--file.devices == 0)
		file_finish(program_end(PROGRAM_DONE, 0));
	free(sink);
}
